/* SPDX-License-Identifier: BSD-3-Clause */
/* Samplers, scripts and teams of threads, several at once. Plain C, because Criterion does not start under
 * ThreadSanitizer, in whose build this program means most. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "clockwork.h"
#include "measure/core.h"
#include "measure/script_tree.h"
#include "measure/team.h"
#include "tap.h"

#define MOST 4
#define TEAM 3

static struct perfpred_context *context; /* one for all: it is only read */
static struct perfpred_context *fresh;   /* nobody has looked a kernel up in it before the threads do */
static struct perfpred_program *program; /* chol-l-3 */

/* Runs one function in `count` threads, MOST of them at most, at once; each returns NULL when all is well. */
static bool in_threads(int count, void *(*function)(void *), void *data) {
  pthread_t threads[MOST];
  bool well = true;
  int started = 0;
  while (started < count && pthread_create(&threads[started], NULL, function, data) == 0)
    started++;
  for (int i = 0; i < started; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    well = well && !failed;
  }
  return well && started == count;
}

/* Plain numbers: that they are the members' during a run and the caller's after it is the team's promise. */
struct tally {
  long given;
  long taken[TEAM];
};

static void take(void *data, int index) {
  struct tally *tally = data;
  tally->taken[index] += tally->given * (index + 1);
}

/* 1 + 2 + ... + 200 = 20100 */
static bool use_team(void) {
  struct ppi_team *team = NULL;
  struct tally tally = { 0, { 0 } };
  if (ppi_team_create(TEAM, NULL, 0, &team, NULL))
    return false;
  for (tally.given = 1; tally.given <= 200; tally.given++) {
    if (tally.given % 7 == 0)
      ppi_team_park(team);
    if (tally.given % 3 == 0)
      ppi_team_arm(team);
    ppi_team_run(team, take, &tally);
  }
  bool well = ppi_team_count(team) == TEAM;
  for (int i = 0; i < TEAM; i++)
    well = well && tally.taken[i] == 20100 * (i + 1);
  ppi_team_destroy(team);
  return well;
}

static void *own_team(void *data) {
  for (int i = 0; i < 3; i++)
    if (!use_team())
      return data;
  return NULL;
}

/* A team that ends without having worked, parked or armed. */
static bool end_teams(void) {
  for (int i = 0; i < 20; i++) {
    struct ppi_team *team = NULL;
    if (ppi_team_create(TEAM, NULL, 0, &team, NULL))
      return false;
    if (i % 2)
      ppi_team_arm(team);
    ppi_team_destroy(team);
  }
  return true;
}

static const char script_text[] = "double A[1000], B[600]\n"
                                  "set stable 0.01 max 50; set prepare A B[0:100]; counters PAPI_L1_DCM\n"
                                  "daxpy(10, 1, A, A+500)\n"
                                  "{ dpotrf2(L, 8); dtrsm(R, L, T, N, 9, 8, 1) }\n"
                                  "{omp\n daxpy(3, 1)\n { dscal(4, 2); dscal(5, 2) }\n}\n";

static void *read_script(void *data) {
  for (int i = 0; i < 100; i++) {
    struct ppi_script script = { 0 };
    struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
    char what[200] = "";
    if (ppi_script_parse(fresh->kernels, script_text, strlen(script_text), "calls", 0, &script, &error))
      return data;
    const bool whole = script.unit_count == 3 && script.call_count == 6;
    ppi_script_describe(&script, 1, what, sizeof what);
    ppi_script_free(&script);
    if (!whole || strncmp(what, "{dpotrf2(L,8)", 13) != 0)
      return data;
    /* a fault has its text, and its place, in each thread */
    if (ppi_script_parse(fresh->kernels, "daxpy(-1, 1)", 12, "bad", 0, &script, &error) != PERFPRED_SYNTAX ||
        error.line != 1 || error.column != 7 || strncmp(error.text, "bad:1:7:", 8) != 0)
      return data;
  }
  return NULL;
}

/* Time of the program and the report of a text, on a virtual clock of its own. */
static enum perfpred_status sample(double *time_s, char **json) {
  static const char text[] = "daxpy(3, 1)\n{ daxpy(3, 1); dscal(4, 1) }\n{omp daxpy(3, 1); dscal(4, 1) }\n";
  static const int64_t values[] = { 64, 16 };
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  enum perfpred_status status =
      perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, NULL);
  if (!status)
    status = perfpred_measure(sampler, program, values, 2, NULL, &measurement, NULL);
  if (!status)
    status = perfpred_sample_text(sampler, context, text, strlen(text), "calls", NULL, json, NULL);
  *time_s = measurement.time_s.med;
  perfpred_sampler_destroy(sampler);
  return status;
}

struct expected {
  double time_s;
  char *json;
};

static void *own_virtual_sampler(void *data) {
  const struct expected *expected = data;
  for (int i = 0; i < 10; i++) {
    double time_s = 0.0;
    char *json = NULL;
    bool well = sample(&time_s, &json) == PERFPRED_OK && time_s == expected->time_s && json &&
                strcmp(json, expected->json) == 0;
    perfpred_free(json);
    if (!well)
      return data;
  }
  return NULL;
}

/* Element by element, on memory that only this call may touch. */
static int increment(void *data, void *const args[]) {
  const int64_t n = *(const int64_t *)args[0];
  double *x = args[1];
  (void)data;
  for (int64_t i = 0; i < n; i++)
    x[i] += 1.0;
  return 0;
}

/* Regions on threads of a sampler's own, while others do the same. */
static void *own_local_sampler(void *data) {
  static const char text[] = "set repetitions 2\ndmine(10)\n{omp dmine(5); { dmine(6); dmine(7) } }\n"
                             "set precondition cold-flush\n{omp dmine(8); dmine(9) }\n";
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_sampler *sampler = NULL;
  char *json = NULL;
  options.gate = -1.0;
  enum perfpred_status status = perfpred_sampler_create_local(context, NULL, &sampler, NULL);
  if (!status)
    status = perfpred_sample_text(sampler, context, text, strlen(text), "calls", &options, &json, NULL);
  bool well = !status && json && strstr(json, "\"lanes\":[[\"dmine(5)\"],[\"dmine(6)\",\"dmine(7)\"]]");
  perfpred_free(json);
  perfpred_sampler_destroy(sampler);
  return well ? NULL : data;
}

/* --- What the worker adds: marks that somebody else reads, and counters ------------------------------------------ */

static _Thread_local int64_t added; /* elements, by this thread */
static struct ppi_lane_mark marks[PPI_LANE_MARKS];
static struct ppi_script region;
static atomic_bool over;

static int increment_and_count(void *data, void *const args[]) {
  added += *(const int64_t *)args[0];
  return increment(data, args);
}

static enum perfpred_status plan(const char *const *names, int count, void **made, int *batches, char *note,
                                 size_t size, struct perfpred_error *error) {
  static int whole = 1;
  (void)names;
  (void)count;
  (void)error;
  if (size > 0)
    note[0] = '\0';
  *made = &whole;
  *batches = 1;
  return PERFPRED_OK;
}

static void nothing(void *made) {
  (void)made;
}

static bool no(const void *made, int batch) {
  (void)made;
  (void)batch;
  return false;
}

/* Each in the thread that it counts: a checker sees where one is used in another. */
static void *open_tally(const void *made) {
  (void)made;
  return calloc(1, sizeof(int64_t));
}

static void start(void *tally, int batch) {
  (void)batch;
  *(int64_t *)tally = added;
}

static void stop(void *tally, int64_t *values) {
  values[0] = added - *(const int64_t *)tally;
}

/* As the client does while the worker's threads run. */
static void *watch(void *data) {
  long seen = 0;
  while (!atomic_load(&over)) {
    char text[200];
    int running = ppi_script_describe_running(&region, 0, marks, text, sizeof text);
    if (running < 0 || running > 3 || (running > 0) != (strncmp(text, "dcount(", 7) == 0))
      return data;
    seen += running;
  }
  return seen >= 0 ? NULL : data;
}

/* 5 + (6 + 7) + 8 elements in each run. */
static bool count_region(void) {
  static const char text[] = "counters A\n{omp dcount(5); { dcount(6); dcount(7) }; dcount(8) }\n";
  const struct ppi_counting counting = { plan, nothing, no, open_tally, free, start, stop };
  const struct ppi_core_options options = { .counting = &counting, .marks = marks };
  const struct ppi_sampling sampling = { .repetitions = 20, .gate = -1.0 };
  struct ppi_core *core = NULL;
  struct ppi_buffers buffers = { 0 };
  struct ppi_unit_result result = { 0 };
  pthread_t watcher;
  enum perfpred_status status = ppi_core_create(&options, &core, NULL);
  if (!status)
    status = ppi_script_parse(context->kernels, text, strlen(text), "calls", 0, &region, NULL);
  bool watched = !status && pthread_create(&watcher, NULL, watch, &over) == 0;
  if (watched)
    status = ppi_core_unit(core, &region, 0, &buffers, &sampling, &result, NULL);
  void *failed = NULL;
  atomic_store(&over, true);
  if (watched)
    pthread_join(watcher, &failed);
  const bool well = watched && !status && !failed && result.count_count == 1 && result.counts[0] == 26;
  ppi_unit_result_free(&result);
  ppi_buffers_free(&buffers);
  ppi_script_free(&region);
  ppi_core_destroy(core);
  return well;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  struct expected expected = { 0.0, NULL };
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_kernel_register_function(context, "kernel dmine(n: size, x: inout vector[n])\n  mul n\nend\n",
                                               increment, NULL, &error);
  if (!status)
    status = perfpred_kernel_register_function(context, "kernel dcount(n: size, x: inout vector[n])\n  mul n\nend\n",
                                               increment_and_count, NULL, &error);
  if (!status)
    status = perfpred_context_create(&fresh, &error);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &program, &error);
  if (!status)
    status = sample(&expected.time_s, &expected.json);
  tap_case(&tap, !status && expected.time_s > 0.0, "set up%s%s", status ? ": " : "", error.text);
  if (!status) {
    tap_case(&tap, use_team(), "a team shares plain numbers with its caller");
    tap_case(&tap, end_teams(), "teams end, parked or armed");
    tap_case(&tap, in_threads(4, own_team, &expected), "four threads with a team each");
    tap_case(&tap, in_threads(4, read_script, &expected), "four threads read scripts with one context");
    tap_case(&tap, in_threads(4, own_virtual_sampler, &expected), "four virtual samplers at once tell the same");
    tap_case(&tap, in_threads(2, own_local_sampler, &expected), "two local samplers at once, with parallel regions");
    tap_case(&tap, count_region(), "a region is counted by its threads, and watched by another one");
  }
  perfpred_free(expected.json);
  perfpred_program_unref(program);
  perfpred_context_destroy(fresh);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
