/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers in a file: who asks again measures nothing, who asks something else does; files that are wrong are refused and stay as they are. */
#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

static struct perfpred_context *context;
static struct perfpred_sampler *sampler;
static struct perfpred_error error;
static char folder[64], path[128];
static size_t calls; /* of the virtual clock */

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  calls++;
  return 1e-7 + call->flops / (strstr(call->kernel_name, "gemm") ? 2e10 : 1e9);
}

static void begin(void) {
  context = make_context();
  sampler = virtual_sampler(context, cost, NULL);
  strcpy(folder, "/tmp/perfpred-answers-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/answers.json", folder);
}

static int entries(void) {
  DIR *listing = opendir(folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(listing));)
    count += entry->d_name[0] != '.';
  closedir(listing);
  return count;
}

static void finish(void) {
  DIR *listing = opendir(folder);
  char name[512];
  for (struct dirent *entry; (entry = readdir(listing));) {
    snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
    unlink(name);
  }
  closedir(listing);
  rmdir(folder);
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
}

TestSuite(contraction_answers, .init = begin, .fini = finish);

/* --- Files --------------------------------------------------------------------------------------------------------- */

static char *read_text(void) {
  FILE *file = fopen(path, "r");
  cr_assert_not_null(file);
  char *text = calloc(1, 1 << 20);
  text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
  fclose(file);
  return text;
}

static void write_text(const char *text, size_t length) {
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  cr_assert_eq(fwrite(text, 1, length, file), length);
  fclose(file);
}

/* The text with the first `from` replaced; malloc'ed. */
static char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  cr_assert_not_null(at, "no %s", from);
  char *made = calloc(1, strlen(text) + strlen(to) + 1);
  memcpy(made, text, (size_t)(at - text));
  strcat(strcat(made, to), at + strlen(from));
  return made;
}

static void rewrite(const char *from, const char *to) {
  char *text = read_text(), *made = replaced(text, from, to);
  write_text(made, strlen(made));
  free(made);
  free(text);
}

/* --- Questions ----------------------------------------------------------------------------------------------------- */

typedef struct perfpred_contraction_plan_options options_t;

static struct perfpred_contraction_planner *planner_of(const options_t *options, struct perfpred_models *models) {
  struct perfpred_contraction_planner *planner = NULL;
  cr_assert_ok(perfpred_contraction_planner_create(context, sampler, models, options, &planner, &error), error);
  return planner;
}

/* names: such as "aibc", the extents of these in their order. */
static struct perfpred_contraction_plan *ask(struct perfpred_contraction_planner *planner, const char *einsum,
                                             const char *names, const int64_t *extents) {
  char letters[8][2] = { "" };
  const char *list[8];
  struct perfpred_contraction *contraction = NULL;
  struct perfpred_contraction_plan *plan = NULL;
  for (size_t i = 0; names[i]; i++) {
    letters[i][0] = names[i];
    list[i] = letters[i];
  }
  cr_assert_ok(perfpred_contraction_create(einsum, list, extents, strlen(names), NULL, &contraction, &error), error);
  cr_assert_ok(perfpred_contraction_planner_ask(planner, contraction, &plan, &error), error);
  perfpred_contraction_destroy(contraction);
  return plan;
}

static const int64_t usual[] = { 24, 8, 20, 16 };

static struct perfpred_contraction_plan_info info_of(const struct perfpred_contraction_plan *plan) {
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  cr_assert_ok(perfpred_contraction_plan_summary(plan, &info, &error), error);
  return info;
}

/* What a process of its own would do: load what is there, ask, save. *used: the clock was asked so often. */
static struct perfpred_contraction_plan *through(const options_t *options, struct perfpred_models *models,
                                                 const char *einsum, const char *names, const int64_t *extents,
                                                 size_t *used) {
  struct perfpred_contraction_planner *planner = planner_of(options, models);
  const enum perfpred_status status = perfpred_contraction_planner_load(planner, path, NULL, &error);
  cr_assert(status == PERFPRED_OK || status == PERFPRED_MISSING, "%s", error.text);
  const size_t before = calls;
  struct perfpred_contraction_plan *plan = ask(planner, einsum, names, extents);
  *used = calls - before;
  cr_assert_ok(perfpred_contraction_planner_save(planner, path, NULL, &error), error);
  perfpred_contraction_planner_destroy(planner);
  return plan;
}

/* Whether the usual question is answered from the file, which has to be so where nothing is measured. */
static int from_file(const options_t *options, struct perfpred_models *models) {
  size_t used = 0;
  struct perfpred_contraction_plan *plan = through(options, models, "ai,ibc->abc", "aibc", usual, &used);
  const struct perfpred_contraction_plan_info info = info_of(plan);
  perfpred_contraction_plan_destroy(plan);
  cr_expect_eq(info.from_file, used == 0);
  cr_expect_eq(info.from_cache, used == 0);
  return info.from_file;
}

static void expect_load(enum perfpred_status expected, const char *part) {
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  info.answers = 77;
  const enum perfpred_status status = perfpred_contraction_planner_load(planner, path, &info, &error);
  cr_expect_eq(status, expected, "%s: %s: %s", part, perfpred_status_name(status), error.text);
  cr_expect_eq(info.answers, 77);
  cr_expect_not_null(strstr(error.text, part), "expected %s in: %s", part, error.text);
  cr_expect_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
  perfpred_contraction_planner_destroy(planner);
}

/* --- Again --------------------------------------------------------------------------------------------------------- */

/* The report without what differs: what this answer cost, and where it is from. */
static json_t *report_of(const struct perfpred_contraction_plan *plan) {
  static const char *const own[] = { "planning_s", "from_cache", "from_file" };
  char *text = NULL;
  cr_assert_ok(perfpred_contraction_plan_report(plan, 0, &text, &error), error);
  json_t *report = json_loads(text, 0, NULL);
  perfpred_free(text);
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    cr_assert_eq(json_object_del(report, own[i]), 0);
  return report;
}

static void expect_again(const options_t *options, const char *einsum, const char *names, const int64_t *extents) {
  size_t used[2] = { 0, 0 };
  struct perfpred_contraction_plan *first = through(options, NULL, einsum, names, extents, &used[0]);
  struct perfpred_contraction_plan *second = through(options, NULL, einsum, names, extents, &used[1]);
  json_t *reports[] = { report_of(first), report_of(second) };
  cr_expect_gt(used[0], 0);
  cr_expect_eq(used[1], 0, "%s", einsum);
  cr_expect_eq(info_of(first).from_file, 0);
  cr_expect_eq(info_of(second).from_file, 1);
  cr_expect_gt(info_of(second).made_s, 0.0);
  cr_expect_eq(info_of(second).planning_s, 0.0);
  cr_expect(json_equal(reports[0], reports[1]), "%s", einsum);
  json_decref(reports[0]);
  json_decref(reports[1]);
  perfpred_contraction_plan_destroy(second);
  perfpred_contraction_plan_destroy(first);
}

Test(contraction_answers, the_same_question_measures_nothing) {
  static const char *const chosen[] = { "c-dgemm", "cb-dgemv" };
  options_t complete = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT, remote = complete, named = complete;
  static const int64_t second[] = { 20, 40, 24 }, third[] = { 6, 5, 8, 9, 7 }, empty[] = { 3, 0, 4 };
  complete.complete = 1;
  complete.budget_s = (double)INFINITY;
  remote.mode = PERFPRED_CONTRACTION_REMOTE;
  named.names = chosen;
  named.name_count = 2;
  expect_again(NULL, "ai,ibc->abc", "aibc", usual);
  expect_again(&complete, "ai,ibc->abc", "aibc", usual);
  expect_again(&remote, "ai,ibc->abc", "aibc", usual);
  expect_again(&named, "ai,ibc->abc", "aibc", usual);
  expect_again(NULL, "iaj,ji->a", "iaj", second);
  expect_again(NULL, "ija,jbic->abc", "ijabc", third);
  /* what has nothing to compute measures nothing, and is kept all the same */
  for (int i = 0; i < 2; i++) {
    size_t used = 1;
    struct perfpred_contraction_plan *plan = through(NULL, NULL, "ak,kb->ab", "akb", empty, &used);
    cr_expect_eq(info_of(plan).from_file, i);
    perfpred_contraction_plan_destroy(plan);
  }
  cr_expect_eq(entries(), 1);
}

Test(contraction_answers, letters_make_no_difference_unless_names_choose) {
  static const char *const chosen[] = { "c-dgemm" };
  static const int64_t turned[] = { 24, 8, 16, 20 };
  options_t named = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  named.names = chosen;
  named.name_count = 1;
  size_t used = 0;
  cr_expect_eq(from_file(NULL, NULL), 0);
  struct perfpred_contraction_plan *plan = through(NULL, NULL, "xk, k y z -> x y z", "xkyz", usual, &used);
  cr_expect_eq(used, 0);
  cr_expect_geq(perfpred_contraction_plan_find(plan, "zy-dgemv"), 0);
  cr_expect_eq(perfpred_contraction_plan_find(plan, "cb-dgemv"), -1);
  perfpred_contraction_plan_destroy(plan);
  /* other extents, and c and b in each other's place, which names tell apart */
  plan = through(NULL, NULL, "ai,ibc->abc", "aibc", turned, &used);
  cr_expect_gt(used, 0);
  perfpred_contraction_plan_destroy(plan);
  cr_expect_eq(from_file(&named, NULL), 0);
  plan = through(&named, NULL, "ai,icb->acb", "aicb", usual, &used);
  cr_expect_gt(used, 0);
  perfpred_contraction_plan_destroy(plan);
  cr_expect_eq(from_file(&named, NULL), 1);
}

/* --- Something else ------------------------------------------------------------------------------------------------ */

Test(contraction_answers, other_options_ask_anew) {
  static const char *const chosen[] = { "c-dgemm", "b-dgemm" };
  static const struct perfpred_contraction_filter filters[] = {
    { sizeof filters[0], 1U << PERFPRED_CONTRACTION_GEMM, PERFPRED_CONTRACTION_COPIES_ANY, 0, 0 },
    { sizeof filters[0], 0, PERFPRED_CONTRACTION_COPIES_NONE, 0, 0 },
    { sizeof filters[0], 0, PERFPRED_CONTRACTION_COPIES_ANY, 7, 0 },
    { sizeof filters[0], 0, PERFPRED_CONTRACTION_COPIES_ANY, 0, PERFPRED_CONTRACTION_WHOLES_ALONE }
  };
#define WITH(...)                                                                                                      \
  { .size = sizeof(options_t), __VA_ARGS__ }
  const options_t others[] = {
    WITH(.mode = PERFPRED_CONTRACTION_AUTO),
    WITH(.mode = PERFPRED_CONTRACTION_REPLAY),
    WITH(.mode = PERFPRED_CONTRACTION_FLUSH),
    WITH(.stage = PERFPRED_CONTRACTION_STAGE_REPEATED),
    WITH(.filter = &filters[0]),
    WITH(.filter = &filters[1]),
    WITH(.filter = &filters[2]),
    WITH(.filter = &filters[3]),
    WITH(.names = chosen, .name_count = 1),
    WITH(.names = chosen, .name_count = 2),
    WITH(.memory_bytes = 1 << 24),
    WITH(.cache_bytes = 1 << 20),
    WITH(.factor = 2.0),
    WITH(.repetitions = 3),
    WITH(.seed = UINT64_MAX),
    WITH(.budget_s = 1.0),
    WITH(.budget_s = 2.0),
    WITH(.complete = 1),
    WITH(.tie = 0.1),
    WITH(.gate = 0.25),
    WITH(.no_wholes = 1),
  };
  enum { COUNT = sizeof others / sizeof others[0] };
  for (size_t i = 0; i < COUNT; i++)
    cr_expect_eq(from_file(&others[i], NULL), 0, "options %zu", i);
  for (size_t i = 0; i < COUNT; i++)
    cr_expect_eq(from_file(&others[i], NULL), 1, "options %zu", i);
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  cr_assert_ok(perfpred_contraction_planner_load(planner, path, &info, &error), error);
  cr_expect_eq(info.answers, 1);
  cr_expect_eq(info.others, COUNT - 1);
  cr_expect_eq(info.foreign, 0);
  cr_expect_eq(info.caches, 0);
  perfpred_contraction_planner_destroy(planner);
  /* what is said by default and what is said as such are one question */
  const options_t spelt = WITH(.stage = PERFPRED_CONTRACTION_STAGE_FIRST, .factor = 1.25, .tie = 0.02, .answers = 9);
  cr_expect_eq(from_file(&spelt, NULL), 1);
}

static struct perfpred_models *models_up_to(int64_t most) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_program *program =
      parse(context, "algorithm p(n)\n in A: double matrix[n, n]\n out C: double matrix[n, n]\n"
                     " dgemm(N, N, n, n, n, 1, A[0, 0], A[0, 0], 0, C[0, 0])\nend\n");
  options.n_lower = 8;
  options.n_upper = most;
  struct perfpred_models *models = virtual_models(context, &program, 1, &options, cost, NULL);
  perfpred_program_unref(program);
  return models;
}

Test(contraction_answers, other_models_ask_anew) {
  struct perfpred_models *small = models_up_to(32), *large = models_up_to(64);
  cr_expect_eq(from_file(NULL, NULL), 0);
  cr_expect_eq(from_file(NULL, small), 0);
  cr_expect_eq(from_file(NULL, large), 0);
  cr_expect_eq(from_file(NULL, NULL), 1);
  cr_expect_eq(from_file(NULL, small), 1);
  cr_expect_eq(from_file(NULL, large), 1);
  /* without a sampler there is nothing to keep */
  struct perfpred_contraction_planner *planner = NULL;
  cr_assert_ok(perfpred_contraction_planner_create(context, NULL, small, NULL, &planner, &error), error);
  cr_expect_eq(perfpred_contraction_planner_load(planner, path, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_save(planner, path, NULL, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "sampler"));
  perfpred_contraction_planner_destroy(planner);
  perfpred_models_unref(large);
  perfpred_models_unref(small);
}

Test(contraction_answers, other_setups_ask_anew_and_stay) {
  static const char *const changes[][2] = { { "\"threads\": 1", "\"threads\": 2" },
                                            { "\"protocol\": 2", "\"protocol\": 1" },
                                            { "\"ilp64\": false", "\"ilp64\": true" },
                                            { "\"build_id\": \"\"", "\"build_id\": \"abcdef\"" },
                                            { "\"library\": \"", "\"library\": \"9" } };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    unlink(path);
    cr_expect_eq(from_file(NULL, NULL), 0);
    rewrite(changes[i][0], changes[i][1]);
    struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
    struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
    cr_assert_ok(perfpred_contraction_planner_load(planner, path, &info, &error), error);
    perfpred_contraction_planner_destroy(planner);
    if (strstr(changes[i][0], "build_id")) { /* a library without one is told by its path alone */
      cr_expect_eq(info.answers, 1);
      continue;
    }
    cr_expect_eq(info.answers, 0);
    cr_expect_eq(info.foreign, 1, "%s", changes[i][1]);
    cr_expect_eq(from_file(NULL, NULL), 0, "%s", changes[i][1]);
    cr_expect_eq(from_file(NULL, NULL), 1);
    char *text = read_text();
    cr_expect_not_null(strstr(text, changes[i][1])); /* merged, not overwritten */
    free(text);
  }
}

Test(contraction_answers, caches_are_taken_for_as_many_threads) {
  static const int64_t large[] = { 160, 40, 160 };
  size_t used = 0;
  cr_expect_eq(from_file(NULL, NULL), 0);
  rewrite(",\n\"caches\": []", ",\n\"caches\": [{\"setup\": 0, \"made\": \"\", \"found_s\": 1, \"levels\": ["
                               "{\"bytes\": 40000, \"latency_s\": 1e-9, \"bandwidth_bytes_per_s\": 0},"
                               "{\"bytes\": 300000, \"latency_s\": 3e-9, \"bandwidth_bytes_per_s\": 0},"
                               "{\"bytes\": 0, \"latency_s\": 1e-7, \"bandwidth_bytes_per_s\": 0}]}]");
  struct perfpred_contraction_plan *plan = through(NULL, NULL, "ak,kb->ab", "akb", large, &used);
  cr_expect_gt(used, 0);
  cr_expect_eq(info_of(plan).caches_from_file, 1);
  cr_expect_eq(info_of(plan).cache_bytes, 300000);
  perfpred_contraction_plan_destroy(plan);
  /* the caller's size goes before it */
  const options_t given = { .size = sizeof given, .cache_bytes = 1 << 20 };
  plan = through(&given, NULL, "ak,kb->ab", "akb", large, &used);
  cr_expect_eq(info_of(plan).caches_from_file, 0);
  cr_expect_eq(info_of(plan).cache_bytes, 1 << 20);
  perfpred_contraction_plan_destroy(plan);
  /* two threads have others */
  rewrite("\"threads\": 1", "\"threads\": 2");
  plan = through(NULL, NULL, "ak,kb->ab", "akb", large, &used);
  cr_expect_gt(used, 0);
  cr_expect_eq(info_of(plan).caches_from_file, 0);
  perfpred_contraction_plan_destroy(plan);
}

/* An answer of other algorithms than there are is none. */
Test(contraction_answers, answers_that_do_not_fit_are_not_used) {
  static const char *const changes[][2] = { { "{\"name\": \"", "{\"name\": \"d" },
                                            { "{\"call\": \"dgemm(", "{\"call\": \"dgemm(C," },
                                            { " a=24 b=8", " a=25 b=8" } };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    unlink(path);
    cr_expect_eq(from_file(NULL, NULL), 0);
    rewrite(changes[i][0], changes[i][1]);
    cr_expect_eq(from_file(NULL, NULL), 0, "%s", changes[i][1]);
    cr_expect_eq(from_file(NULL, NULL), 1, "%s", changes[i][1]);
  }
}

/* --- Files that are wrong ------------------------------------------------------------------------------------------ */

Test(contraction_answers, wrong_files_are_refused_and_stay) {
  static const struct {
    const char *from, *to;
    enum perfpred_status status;
    const char *part;
  } changes[] = {
    { "perfpred-answers", "perfpred-models", PERFPRED_CORRUPT, "format" },
    { "\"version\": 1", "\"version\": 2", PERFPRED_VERSION, "version" },
    { "\"version\": 1", "\"version\": 0", PERFPRED_VERSION, "version" },
    { "\"version\": 1", "\"version\": \"1\"", PERFPRED_CORRUPT, "version" },
    { "\"cpu\": \"", "\"cpu\": \"Other ", PERFPRED_OTHER_MACHINE, "Other " },
    { "\"setup\": 0", "\"setup\": 1", PERFPRED_CORRUPT, "answers[0].setup" },
    { "\"setup\": 0", "\"setup\": -1", PERFPRED_CORRUPT, "answers[0].setup" },
    { "-dgemm\", \"source\": \"", "-dgemm\", \"source\": \"x", PERFPRED_CORRUPT, "algorithms[0].source" },
    { "\"bound\": \"", "\"bound\": \"x", PERFPRED_CORRUPT, "groups[0].bound" },
    { "\"time_s\": [", "\"time_s\": [-", PERFPRED_CORRUPT, "time_s" },
    { "\"time_s\": [", "\"time_s\": [1, ", PERFPRED_CORRUPT, "time_s" },
    { "\"bounded\": ", "\"bounded\": 3, \"was\": ", PERFPRED_CORRUPT, "bounded" },
    { "\"algorithms\": [", "\"algorithms\": [], \"were\": [", PERFPRED_CORRUPT, "algorithms" },
    { "\"groups\": [", "\"groups\": [], \"were\": [", PERFPRED_CORRUPT, "groups" },
    { "\"asked\": ", "\"said\": ", PERFPRED_CORRUPT, "asked" },
    { "\"made_s\": ", "\"made_s\": null, \"was\": ", PERFPRED_CORRUPT, "made_s" },
    { "\"setups\": [", "\"setups\": [], \"were\": [", PERFPRED_CORRUPT, "setups" },
    { "\"caches\": [\n", "\"caches\": [{}", PERFPRED_CORRUPT, "caches[0]" },
    { "\"answers\": [", "\"answers\": [3,", PERFPRED_CORRUPT, "answers[0]" },
    { "{", "[", PERFPRED_CORRUPT, "" },
  };
  cr_expect_eq(from_file(NULL, NULL), 0);
  char *whole = read_text();
  char *caches = replaced(whole, ",\n\"caches\": []", ",\n\"caches\": [\n]");
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  perfpred_contraction_plan_destroy(ask(planner, "ai,ibc->abc", "aibc", usual));
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    char *text = replaced(caches, changes[i].from, changes[i].to);
    write_text(text, strlen(text));
    expect_load(changes[i].status, changes[i].part);
    const enum perfpred_status status = perfpred_contraction_planner_save(planner, path, NULL, &error);
    cr_expect_eq(status, changes[i].status, "%s: %s", changes[i].to, error.text);
    char *after = read_text();
    cr_expect_str_eq(after, text);
    free(after);
    free(text);
  }
  perfpred_contraction_planner_destroy(planner);
  free(caches);
  free(whole);
  cr_expect_eq(entries(), 1);
}

Test(contraction_answers, cut_files_are_refused) {
  cr_expect_eq(from_file(NULL, NULL), 0);
  char *whole = read_text();
  const size_t length = strlen(whole) - 1; /* a line end may be missing */
  for (size_t i = 0; i < length; i += 1 + length / 97) {
    write_text(whole, i);
    expect_load(PERFPRED_CORRUPT, "");
  }
  write_text("\0\0\0\0", 4);
  expect_load(PERFPRED_CORRUPT, "");
  write_text(whole, length);
  cr_expect_eq(from_file(NULL, NULL), 1);
  free(whole);
}

Test(contraction_answers, files_that_are_none) {
  expect_load(PERFPRED_MISSING, "no such file");
  cr_assert_eq(mkdir(path, 0755), 0);
  expect_load(PERFPRED_IO, "folder");
  cr_assert_eq(rmdir(path), 0);
}

Test(contraction_answers, wrong_calls_are_refused) {
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  struct perfpred_contraction_answers_info small = { .size = 8 };
  cr_expect_eq(perfpred_contraction_planner_load(NULL, path, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_load(planner, NULL, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_load(planner, "", NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_load(planner, path, &small, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_save(NULL, path, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_save(planner, NULL, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_contraction_planner_save(planner, path, &small, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "size"));
  cr_expect_eq(small.answers, 0);
  perfpred_contraction_planner_destroy(planner);
}

/* --- Writing ------------------------------------------------------------------------------------------------------- */

Test(contraction_answers, nothing_new_writes_nothing) {
  struct stat before, after;
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  cr_assert_ok(perfpred_contraction_planner_save(planner, path, &info, &error), error);
  cr_expect_eq(info.answers, 0);
  cr_expect_eq(entries(), 0);
  perfpred_contraction_planner_destroy(planner);
  cr_expect_eq(from_file(NULL, NULL), 0);
  cr_assert_eq(stat(path, &before), 0);
  cr_expect_eq(from_file(NULL, NULL), 1);
  cr_assert_eq(stat(path, &after), 0);
  cr_expect_eq(before.st_ino, after.st_ino); /* a file that is replaced is another one */
}

Test(contraction_answers, closed_folders_answer_and_take_nothing) {
  static const int64_t other[] = { 3, 4, 5 };
  cr_expect_eq(from_file(NULL, NULL), 0);
  char *before = read_text();
  cr_assert_eq(chmod(folder, 0555), 0);
  if (geteuid() == 0 && setegid(65534) == 0)
    cr_assert_eq(seteuid(65534), 0); /* root may write anywhere */
  cr_expect_eq(from_file(NULL, NULL), 1);
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  perfpred_contraction_plan_destroy(ask(planner, "ak,kb->ab", "akb", other));
  cr_expect_eq(perfpred_contraction_planner_save(planner, path, NULL, &error), PERFPRED_IO);
  if (getuid() == 0)
    cr_assert_eq(seteuid(0), 0);
  cr_assert_eq(chmod(folder, 0755), 0);
  char *after = read_text();
  cr_expect_str_eq(after, before);
  free(after);
  free(before);
  /* and it can be tried again */
  struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  cr_assert_ok(perfpred_contraction_planner_save(planner, path, &info, &error), error);
  cr_expect_eq(info.answers, 1);
  cr_expect_eq(info.others, 1);
  perfpred_contraction_planner_destroy(planner);
}

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes > 0 ? bytes : limit.rlim_max;
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(contraction_answers, a_full_disk_leaves_the_old_file) {
  static const int64_t other[] = { 3, 4, 5 };
  cr_expect_eq(from_file(NULL, NULL), 0);
  char *before = read_text();
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  perfpred_contraction_plan_destroy(ask(planner, "ak,kb->ab", "akb", other));
  signal(SIGXFSZ, SIG_IGN);
  limit_files(1000);
  const enum perfpred_status status = perfpred_contraction_planner_save(planner, path, NULL, &error);
  limit_files(0);
  cr_expect_eq(status, PERFPRED_IO);
  cr_expect_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
  char *after = read_text();
  cr_expect_str_eq(after, before);
  cr_expect_eq(entries(), 1);
  free(after);
  free(before);
  perfpred_contraction_planner_destroy(planner);
}

/* In a process of its own: asks for an extent and saves. */
static void ask_apart(int64_t extent, rlim_t limit) {
  const int64_t extents[] = { extent, 4, 5 };
  size_t used = 0;
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  perfpred_contraction_plan_destroy(ask(planner, "ak,kb->ab", "akb", extents));
  if (limit > 0)
    limit_files(limit);
  _exit(perfpred_contraction_planner_save(planner, path, NULL, &error) == PERFPRED_OK && used == 0 ? 0 : 1);
}

Test(contraction_answers, who_is_killed_while_writing_leaves_the_old_file) {
  int status = 0;
  cr_expect_eq(from_file(NULL, NULL), 0);
  char *before = read_text();
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL); /* it kills in the middle of the writing */
    ask_apart(3, 1000);
  }
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
  char *after = read_text();
  cr_expect_str_eq(after, before);
  cr_expect_eq(entries(), 2); /* what it left goes when the next one writes */
  free(after);
  free(before);
  const options_t other = { .size = sizeof other, .seed = 3 };
  cr_expect_eq(from_file(&other, NULL), 0);
  cr_expect_eq(entries(), 1);
}

Test(contraction_answers, processes_at_once_lose_nothing) {
  enum { PROCESSES = 8 };
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    if (children[i] == 0)
      ask_apart(3 + i, 0);
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = 1;
    cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
    cr_expect_eq(status, 0);
  }
  struct perfpred_contraction_planner *planner = planner_of(NULL, NULL);
  struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  cr_assert_ok(perfpred_contraction_planner_load(planner, path, &info, &error), error);
  cr_expect_eq(info.answers, PROCESSES);
  perfpred_contraction_planner_destroy(planner);
  cr_expect_eq(entries(), 1);
}
