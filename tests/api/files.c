/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files as users meet them: spoilt, foreign, unreadable, on a full disk. Whatever it is has a status of its own, a message
   with the file and the place, and nothing is half loaded or half written. */
#include "world.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct perfpred_sampler *sampler;
static struct perfpred_models *models;
static char *good;
static char folder[64], path[128], journal[160];

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-6 + call->flops / 10e9;
}

static struct perfpred_generate_options options_of(void) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.anchors = -1; /* they have the date of their generation */
  options.n_upper = 64;
  options.b_upper = 16;
  options.repetitions = 2;
  options.oversampling = 1;
  return options;
}

static enum perfpred_status generate(const struct perfpred_generate_options *options, struct perfpred_models **made,
                                     struct perfpred_error *error) {
  const struct perfpred_program *list[] = { program };
  return perfpred_generate(context, sampler, list, 1, options, made, NULL, error);
}

static void begin(void) {
  struct perfpred_error error;
  struct perfpred_generate_options options = options_of();
  context = make_context();
  program = parse(context, chol_3);
  sampler = virtual_sampler(context, cost, NULL);
  cr_assert_ok(generate(&options, &models, &error), error);
  cr_assert_ok(perfpred_models_print(models, &good, &error), error);
  strcpy(folder, "/tmp/perfpred-files-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/models.json", folder);
  snprintf(journal, sizeof journal, "%s.journal", path);
}

static int entries(bool remove_them) {
  char name[400];
  DIR *listing = opendir(folder);
  struct dirent *entry;
  int count = 0;
  while ((entry = readdir(listing))) {
    if (entry->d_name[0] == '.')
      continue;
    count++;
    snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
    if (remove_them)
      unlink(name);
  }
  closedir(listing);
  return count;
}

static void finish(void) {
  entries(true);
  rmdir(folder);
  perfpred_free(good);
  perfpred_models_unref(models);
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(files, .init = begin, .fini = finish);

static void write_file(const char *name, const char *content) {
  FILE *file = fopen(name, "w");
  cr_assert_not_null(file);
  cr_assert(fputs(content, file) >= 0);
  cr_assert_eq(fclose(file), 0);
}

static void expect_refused(const char *name, enum perfpred_status status, const char *place) {
  struct perfpred_models *none = NULL;
  struct perfpred_error error;
  enum perfpred_status found = perfpred_models_load(context, name, NULL, &none, &error);
  cr_assert_eq(found, status, "%s: expected %s, found %s: %s", place, perfpred_status_name(status),
               perfpred_status_name(found), error.text);
  cr_assert_null(none);
  cr_assert_eq(strncmp(error.text, name, strlen(name)), 0, "%s", error.text);
  cr_assert_not_null(strstr(error.text, place), "expected %s in: %s", place, error.text);
  cr_assert_null(strchr(error.text, '\n'));
}

/* The good text with the first `old` replaced; to be freed. */
static char *changed(const char *old, const char *new) {
  char *found = strstr(good, old), *text = malloc(strlen(good) + strlen(new) + 1);
  cr_assert_not_null(found, "the file has no %s", old);
  memcpy(text, good, (size_t)(found - good));
  strcpy(text + (found - good), new);
  strcat(text, found + strlen(old));
  return text;
}

static void expect_change_refused(const char *old, const char *new, enum perfpred_status status, const char *place) {
  char *text = changed(old, new);
  write_file(path, text);
  expect_refused(path, status, place);
  free(text);
}

Test(files, c41_numbers_and_keys_that_cannot_be_meant_are_refused_by_name) {
  expect_change_refused("\"ld\": ", "\"ld\": NaN, \"l\": ", PERFPRED_CORRUPT, ":");
  expect_change_refused("\"error_bound\": 0.01", "\"error_bound\": 1e999", PERFPRED_CORRUPT, ":");
  expect_change_refused("\"error_bound\": 0.01", "\"error_bound\": 1e300", PERFPRED_CORRUPT, "options.error_bound");
  expect_change_refused("\"points\": ", "\"points\": 1e30, \"p\": ", PERFPRED_CORRUPT, "models[0].points");
  expect_change_refused("\"points\": ", "\"points\": 3, \"points\": ", PERFPRED_CORRUPT, "points");
  expect_change_refused("\"format\": ", "\"format\": \"perfpred-models\", \"format\": ", PERFPRED_CORRUPT, "format");
  expect_change_refused("\"min\": [", "\"min\": [], \"min\": [", PERFPRED_CORRUPT, "min");
  expect_change_refused("\"generator\": \"adaptive\"", "\"generator\": \"\"", PERFPRED_CORRUPT, "options.generator");
}

Test(files, c41_truncated_at_every_byte) {
  size_t length = strlen(good);
  for (size_t cut = 0; cut + 2 < length; cut++) {
    struct perfpred_models *none = NULL;
    struct perfpred_error error;
    cr_assert_eq(perfpred_models_load_memory(context, good, cut, "cut", NULL, &none, &error), PERFPRED_CORRUPT,
                 "%zu of %zu bytes: %s", cut, length, error.text);
    cr_assert_null(none);
  }
}

Test(files, c41_nested_deeper_than_any_stack) {
  enum { DEPTH = 200000 };
  char *deep = malloc(2 * DEPTH + 64);
  struct perfpred_models *none = NULL;
  struct perfpred_error error;
  memcpy(deep, "{\"x\": ", 6);
  memset(deep + 6, '[', DEPTH);
  memset(deep + 6 + DEPTH, ']', DEPTH);
  strcpy(deep + 6 + 2 * DEPTH, "}");
  cr_assert_eq(perfpred_models_load_memory(context, deep, strlen(deep), "deep", NULL, &none, &error), PERFPRED_CORRUPT);
  cr_assert_null(none);
  free(deep);
}

/* Models of a real clock are of a machine. */
static void expect_other_machine(void) {
  char *text = changed("\"clock\": \"virtual\"", "\"clock\": \"tsc\"");
  char *cpu = strstr(text, "\"cpu\": \"") + strlen("\"cpu\": \"");
  if (*cpu == '"')
    cr_assert_fail("the machine has no name");
  *cpu = *cpu == '?' ? '!' : '?';
  write_file(path, text);
  expect_refused(path, PERFPRED_OTHER_MACHINE, "machine");
  free(text);
}

Test(files, c43_every_refusal_has_its_own_status) {
  struct perfpred_plan_options plan_options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  expect_refused(path, PERFPRED_MISSING, "no such file");
  expect_change_refused("\"models\": [", "\"model\": [", PERFPRED_CORRUPT, "models: is missing");
  expect_change_refused("\"version\": 2", "\"version\": 3", PERFPRED_VERSION, "newer");
  expect_other_machine();
  plan_options.blas = "/nonexistent/libblas.so.3";
  cr_assert_eq(perfpred_plan_create(program, models, &plan_options, &plan, &error), PERFPRED_OTHER_BLAS);
  cr_assert_null(plan);
  cr_assert(strstr(error.text, plan_options.blas), "%s", error.text);
}

Test(files, what_is_no_file) {
  char name[160];
  expect_refused(folder, PERFPRED_IO, "is a folder");
  write_file(path, "");
  expect_refused(path, PERFPRED_CORRUPT, "is empty");
  write_file(path, "{\"name\": \"package\", \"version\": \"2.0.0\"}");
  expect_refused(path, PERFPRED_CORRUPT, "format: is missing");
  write_file(path, "{\"format\": \"perfpred-journal\", \"version\": 1}");
  expect_refused(path, PERFPRED_CORRUPT, "format: expected \"perfpred-models\"");
  /* nobody is at the other end: no wait without an end */
  snprintf(name, sizeof name, "%s/pipe", folder);
  cr_assert_eq(mkfifo(name, 0600), 0);
  expect_refused(name, PERFPRED_CORRUPT, "is empty");
  struct perfpred_error error;
  cr_assert_eq(perfpred_models_save(models, name, &error), PERFPRED_IO);
  cr_assert_eq(strncmp(error.text, name, strlen(name)), 0, "%s", error.text);
  expect_refused("/dev/null", PERFPRED_CORRUPT, "is empty");
}

/* The limit on the size of files stands for the end of the disk. */
static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes ? bytes : limit.rlim_max;
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void expect_content(const char *name, const char *expected) {
  FILE *file = fopen(name, "r");
  cr_assert_not_null(file);
  char *content = calloc(strlen(expected) + 2, 1);
  cr_assert_eq(fread(content, 1, strlen(expected) + 1, file), strlen(expected));
  fclose(file);
  cr_assert_str_eq(content, expected);
  free(content);
}

Test(files, a_disk_that_is_full_leaves_what_was_there) {
  struct perfpred_update_options replace = PERFPRED_UPDATE_OPTIONS_INIT;
  struct perfpred_error error;
  write_file(path, good);
  for (int way = 0; way < 3; way++) {
    replace.replace = way == 1;
    limit_files(strlen(good) / 2);
    enum perfpred_status status = way < 2 ? perfpred_models_update(context, models, path, &replace, &error)
                                          : perfpred_models_save(models, path, &error);
    limit_files(0);
    cr_assert_eq(status, PERFPRED_IO, "%d: %s", way, perfpred_status_name(status));
    cr_assert_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
    expect_content(path, good);
    cr_assert_eq(entries(false), 1);
  }
  cr_assert_eq(perfpred_models_update(context, models, "/dev/full", NULL, &error), PERFPRED_IO);
  cr_assert_eq(strncmp(error.text, "/dev/full", 9), 0, "%s", error.text);
}

/* A file of the first version, which is brought to the present one as it is added to. */
Test(files, a_full_disk_while_an_old_version_is_migrated) {
  struct perfpred_error error;
  char *old = changed("\"version\": 2", "\"version\": 1"), *setups = strstr(old, "\"setups\": ["),
       *end = strstr(setups, "],\n");
  memcpy(setups, "\"setup\":   ", strlen("\"setups\": ["));
  *end = ' ';
  for (char *model = old; (model = strstr(model, "{\"setup\": 0, "));)
    memcpy(model, "{            ", strlen("{\"setup\": 0, "));
  write_file(path, old);
  limit_files(200);
  enum perfpred_status status = perfpred_models_update(context, models, path, NULL, &error);
  limit_files(0);
  cr_assert_eq(status, PERFPRED_IO, "%s: %s", perfpred_status_name(status), error.text);
  expect_content(path, old);
  cr_assert_ok(perfpred_models_update(context, models, path, NULL, &error), error);
  struct perfpred_models *again = NULL;
  cr_assert_ok(perfpred_models_load(context, path, NULL, &again, &error), error);
  cr_assert_eq(perfpred_models_count(again), perfpred_models_count(models));
  perfpred_models_unref(again);
  free(old);
}

/* The generation fails; what the journal holds is whole, and the next one goes on from there. */
Test(files, a_full_disk_under_the_journal) {
  struct perfpred_generate_options options = options_of();
  struct perfpred_models *none = NULL, *whole = NULL;
  struct perfpred_error error;
  struct stat about;
  options.journal = journal;
  limit_files(4000);
  enum perfpred_status status = generate(&options, &none, &error);
  limit_files(0);
  cr_assert_eq(status, PERFPRED_IO, "%s", perfpred_status_name(status));
  cr_assert_null(none);
  cr_assert_eq(strncmp(error.text, journal, strlen(journal)), 0, "%s", error.text);
  cr_assert_eq(stat(journal, &about), 0);
  cr_assert_leq(about.st_size, 4000);
  cr_assert_ok(generate(&options, &whole, &error), error);
  cr_assert_ok(perfpred_models_update(context, whole, path, NULL, &error), error);
  cr_assert_eq(entries(false), 1, "the journal is still there");
  perfpred_models_unref(whole);
  options.journal = "/dev/full";
  cr_assert_neq(generate(&options, &none, &error), PERFPRED_OK);
  cr_assert_eq(strncmp(error.text, "/dev/full", 9), 0, "%s", error.text);
  cr_assert_null(none);
}

/* What a generation leaves whose models are not saved. */
static char *journal_text(void) {
  struct perfpred_generate_options options = options_of();
  struct perfpred_models *lost = NULL;
  struct perfpred_error error;
  options.journal = journal;
  cr_assert_ok(generate(&options, &lost, &error), error);
  perfpred_models_unref(lost);
  FILE *file = fopen(journal, "r");
  cr_assert_not_null(file);
  char *text = calloc(1 << 20, 1);
  cr_assert_gt(fread(text, 1, (1 << 20) - 1, file), 0u);
  fclose(file);
  return text;
}

/* A line that is not whole is dropped, whatever it was; the models are the same in the end. */
Test(files, a_journal_cut_anywhere) {
  struct perfpred_generate_options options = options_of();
  struct perfpred_error error;
  char *text = journal_text();
  const char *wanted = strstr(good, "\"models\"");
  size_t length = strlen(text);
  options.journal = journal;
  cr_assert_gt(length, 1000u);
  for (size_t cut = 0; cut < length; cut += 1 + length / 40) {
    struct perfpred_models *made = NULL;
    char *json = NULL, *part = strndup(text, cut);
    write_file(journal, part);
    cr_assert_ok(generate(&options, &made, &error), error);
    cr_assert_ok(perfpred_models_print(made, &json, &error), error);
    cr_assert_str_eq(strstr(json, "\"models\""), wanted);
    perfpred_models_unref(made);
    perfpred_free(json);
    free(part);
    unlink(journal);
  }
  free(text);
}

static void expect_journal_refused(const char *content, enum perfpred_status status, const char *place) {
  struct perfpred_generate_options options = options_of();
  struct perfpred_models *none = NULL;
  struct perfpred_error error;
  options.journal = journal;
  write_file(journal, content);
  cr_assert_eq(generate(&options, &none, &error), status, "%s: %s", place, error.text);
  cr_assert_null(none);
  cr_assert_eq(strncmp(error.text, journal, strlen(journal)), 0, "%s", error.text);
  cr_assert_not_null(strstr(error.text, place), "expected %s in: %s", place, error.text);
  expect_content(journal, content); /* somebody may want to look at it */
}

/* Somebody else's file, with and without the end of a line; starting anew is no leave to remove it. */
static const char *const foreign[] = { "precious",
                                       "precious\n",
                                       "\n",
                                       " ",
                                       "\x7f"
                                       "ELF\x02\x01\x01",
                                       "\xff\xfe\n\x80",
                                       "{}",
                                       "{}\n",
                                       "[1, 2]\n",
                                       "{\"format\": \"perfpred-models\", \"version\": 2}\n",
                                       "{\"format\": \"perfpred-models\"",
                                       "{\"format\": \"perfpred-journalist\"}\n",
                                       "{\"version\": 1, \"format\": \"perfpred-journal\"}\n" };

Test(files, journals_of_somebody_else_are_not_removed) {
  struct perfpred_generate_options options = options_of();
  struct perfpred_models *none = NULL;
  struct perfpred_error error;
  options.journal = journal;
  options.restart = 1;
  for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
    write_file(journal, foreign[i]);
    cr_assert_eq(generate(&options, &none, &error), PERFPRED_CORRUPT, "%s: %s", foreign[i], error.text);
    cr_assert_eq(strncmp(error.text, journal, strlen(journal)), 0, "%s", error.text);
    expect_content(journal, foreign[i]);
  }
  unlink(journal);
  cr_assert_eq(mkfifo(journal, 0600), 0);
  cr_assert_eq(generate(&options, &none, &error), PERFPRED_CORRUPT, "%s", error.text);
  cr_assert_null(none);
}

/* An empty file is anybody's. */
Test(files, an_empty_journal_is_used) {
  struct perfpred_generate_options options = options_of();
  struct perfpred_models *made = NULL;
  struct perfpred_error error;
  options.journal = journal;
  write_file(journal, "");
  cr_assert_ok(generate(&options, &made, &error), error);
  cr_assert_ok(perfpred_models_update(context, made, path, NULL, &error), error);
  cr_assert_eq(entries(false), 1, "the journal is still there");
  perfpred_models_unref(made);
}

Test(files, journals_that_are_none) {
  char *text = journal_text(), *line = strchr(text, '\n') + 1, *spoilt = malloc(strlen(text) + 64);
  for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
    expect_journal_refused(foreign[i], PERFPRED_CORRUPT, "expected a journal, which this is not");
  expect_journal_refused("{\"format\": \"perfpred-journal\", broken}\n", PERFPRED_CORRUPT,
                         "expected a journal, whose first line this is not");
  expect_journal_refused("{\"format\": \"perfpred-journal\"}\n", PERFPRED_CORRUPT, ":1: version: is missing");
  expect_journal_refused("{\"format\": \"perfpred-journal\", \"version\": 9}\n", PERFPRED_VERSION, "9");
  strcpy(spoilt, text);
  spoilt[line - text] = '[';
  expect_journal_refused(spoilt, PERFPRED_CORRUPT, ":2");
  memcpy(spoilt, text, (size_t)(line - text));
  strcpy(spoilt + (line - text), "{\"kernel\": \"dnone\"}\n");
  expect_journal_refused(spoilt, PERFPRED_NOT_FOUND, ":2: kernel");
  free(spoilt);
  free(text);
}

Test(files, unreadable) {
  write_file(path, good);
  cr_assert_eq(chmod(path, 0), 0);
  cr_assert_eq(chmod(folder, 0755), 0);
  if (geteuid() == 0)
    cr_assert_eq(seteuid(65534), 0); /* root may read anything */
  expect_refused(path, PERFPRED_IO, "cannot be read");
  if (getuid() == 0)
    cr_assert_eq(seteuid(0), 0);
}
