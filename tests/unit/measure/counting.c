/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs in which events are counted, with counters that count what a kernel says it did. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure/core.h"
#include "measure/sampler.h"
#include "world.h"

/* The kernel's deeds: by thread, and of the process. */
static _Thread_local int64_t mine;
static _Atomic int64_t all;

static struct {
  int batches;
  bool shared, none;      /* the process's; tallies cannot be had */
  int plans, tallies;     /* that are open */
  atomic_int counting;    /* tallies that run */
  atomic_int starts;      /* of the first event's batch */
  int64_t fail_above;     /* the kernel fails while it is counted and its n is larger */
  double lowest, highest; /* first element of the operand before a call */
} fake;

struct tally {
  int batch;
  int64_t before;
};

static enum perfpred_status plan(const char *const *names, int count, void **made, int *batches, char *note,
                                 size_t size, struct perfpred_error *failure) {
  (void)failure;
  snprintf(note, size, "%d events, the first is %s", count, names[0]);
  int *events = malloc(sizeof *events);
  *events = count;
  *made = events;
  *batches = fake.batches;
  fake.plans++;
  return PERFPRED_OK;
}

static int planned; /* events of the plan; tallies have to know */

static void destroy(void *made) {
  fake.plans--;
  free(made);
}

static bool shared(const void *made, int batch) {
  (void)made;
  (void)batch;
  return fake.shared;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void add_tally(int number) {
  pthread_mutex_lock(&mutex);
  fake.tallies += number;
  pthread_mutex_unlock(&mutex);
}

static void *open_tally(const void *made) {
  if (fake.none)
    return NULL;
  add_tally(1);
  planned = *(const int *)made;
  return calloc(1, sizeof(struct tally));
}

static void close_tally(void *tally) {
  if (tally)
    add_tally(-1);
  free(tally);
}

static int64_t deeds(void) {
  return fake.shared ? atomic_load(&all) : mine;
}

static void start(void *data, int batch) {
  struct tally *tally = data;
  if (!tally)
    return;
  *tally = (struct tally){ batch, deeds() };
  if (batch == 0)
    atomic_fetch_add(&fake.starts, 1);
  atomic_fetch_add(&fake.counting, 1);
}

/* Event e belongs to batch e modulo the number of batches and counts e + 1 for each deed. */
static void stop(void *data, int64_t *values) {
  const struct tally *tally = data;
  if (!tally)
    return;
  atomic_fetch_sub(&fake.counting, 1);
  for (int e = 0; e < planned; e++)
    if (e % fake.batches == tally->batch)
      values[e] = (e + 1) * (deeds() - tally->before);
}

static const struct ppi_counting counting = { plan, destroy, shared, open_tally, close_tally, start, stop };

/* n deeds. Its operand would grow beyond all bounds. */
static int toil(void *data, void *const args[]) {
  const int64_t n = *(const int64_t *)args[0];
  double *x = args[1];
  (void)data;
  mine += n;
  atomic_fetch_add(&all, n);
  if (n == 10) { /* calls of this size are never side by side */
    fake.lowest = x[0] < fake.lowest ? x[0] : fake.lowest;
    fake.highest = x[0] > fake.highest ? x[0] : fake.highest;
  }
  x[0] = 1.5 * x[0] + 1.0;
  return atomic_load(&fake.counting) > 0 && n > fake.fail_above ? 7 : 0;
}

static struct ppi_core *core;
static struct ppi_script script;
static struct ppi_buffers buffers;
static struct ppi_unit_result result;
static struct ppi_sampling sampling;

static void begin(void) {
  const struct ppi_core_options options = { .counting = &counting };
  world_start();
  register_free_form("kernel dtoil(n: size, x: inout vector[n])\nend\n", toil, NULL);
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  fake.batches = 1;
  fake.fail_above = INT64_MAX;
  fake.lowest = 1e300;
  fake.highest = -1e300;
  sampling = (struct ppi_sampling){ .repetitions = 1, .gate = -1.0 };
}

static void end(void) {
  cr_expect_eq(fake.plans, 0, "plans are destroyed");
  cr_expect_eq(fake.tallies, 0, "tallies are closed");
  cr_expect_eq(atomic_load(&fake.counting), 0);
  ppi_unit_result_free(&result);
  ppi_buffers_free(&buffers);
  ppi_script_free(&script);
  ppi_core_destroy(core);
  world_stop();
}

TestSuite(counting, .init = begin, .fini = end, .timeout = 60);

static enum perfpred_status sample(const char *text) {
  cr_assert_eq(ppi_script_parse(context.kernels, text, strlen(text), "calls", 0, &script, &error), PERFPRED_OK, "%s",
               error.text);
  return ppi_core_unit(core, &script, 0, &buffers, &sampling, &result, &error);
}

static void expect_counts(const int64_t *expected, size_t count) {
  cr_assert_eq(result.count_count, count);
  for (size_t i = 0; i < count; i++)
    cr_expect_eq(result.counts[i], expected[i], "event %zu: %lld", i, (long long)result.counts[i]);
}
#define EXPECT_COUNTS(...)                                                                                             \
  expect_counts((const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

Test(counting, what_one_call_did) {
  cr_assert_eq(sample("counters A B\ndtoil(10)\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(10, 20);
  cr_expect_str_eq(result.note, "2 events, the first is A");
}

Test(counting, several_batches_are_of_the_same_call) {
  fake.batches = 3;
  cr_assert_eq(sample("double X[100]\ncounters A B C D E\ndtoil(10, X+7)\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(10, 20, 30, 40, 50);
  cr_expect_eq(atomic_load(&fake.starts), 5);
}

Test(counting, a_sequence_is_counted_as_a_whole) {
  cr_assert_eq(sample("counters A\n{ dtoil(10); dtoil(3); dtoil(4) }\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(17);
}

/* Each thread counts for itself, and the region has done what all have. */
Test(counting, threads_of_a_region_are_added_up) {
  cr_assert_eq(sample("counters A B\n{omp dtoil(10); { dtoil(3); dtoil(4) } }\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(17, 34);
}

/* What is the process's would be counted once for each thread. */
Test(counting, events_of_the_process_are_counted_once) {
  fake.shared = true;
  fake.batches = 2;
  cr_assert_eq(sample("counters A B\n{omp dtoil(10); { dtoil(3); dtoil(4) } }\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(17, 34);
}

Test(counting, operands_are_restored_before_every_run) {
  static const char *const texts[] = { "counters A B\ndtoil(10)\n", "counters A B\nset operands fresh\ndtoil(10)\n",
                                       "double X[10]\ncounters A B\nset precondition none\ndtoil(10, X)\n" };
  fake.batches = 2;
  for (size_t i = 0; i < 3; i++) {
    cr_assert_eq(sample(texts[i]), PERFPRED_OK, "%s", error.text);
    cr_expect_float_eq(fake.lowest, fake.highest, 0.0, "%s", texts[i]);
    EXPECT_COUNTS(10, 20);
    ppi_unit_result_free(&result);
    ppi_buffers_free(&buffers);
    ppi_script_free(&script);
  }
}

Test(counting, a_call_that_fails_while_it_is_counted_has_failed) {
  fake.fail_above = 5;
  cr_expect_eq(sample("counters A\n{\n  dtoil(4)\n  dtoil(6)\n}\n"), PERFPRED_NUMERIC);
  cr_expect_str_eq(error.text, "dtoil(6) of line 4 failed with info 7");
  cr_expect_null(result.counts);
}

Test(counting, a_region_that_fails_while_it_is_counted_has_failed) {
  fake.fail_above = 5;
  cr_expect_eq(sample("counters A\n{omp\n  dtoil(6)\n  dtoil(4)\n}\n"), PERFPRED_NUMERIC);
  cr_expect_str_eq(error.text, "dtoil(6) of line 3 failed with info 7");
}

static int stop_counting(void *data, const struct perfpred_progress *progress) {
  int *calls = data;
  return strcmp(progress->stage, "counting") == 0 && ++*calls == 3;
}

Test(counting, it_can_be_cancelled) {
  int calls = 0;
  sampling.progress = stop_counting;
  sampling.progress_data = &calls;
  cr_expect_eq(sample("counters A\ndtoil(10)\n"), PERFPRED_CANCELLED);
  cr_expect_eq(calls, 3);
  cr_expect_eq(atomic_load(&fake.starts), 2);
}

Test(counting, a_budget_that_is_used_up_leaves_one_run_for_each_batch) {
  fake.batches = 2;
  sampling.budget_s = 1e-9;
  cr_assert_eq(sample("counters A B\ndtoil(10)\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(10, 20);
  cr_expect_eq(atomic_load(&fake.starts), 1);
}

Test(counting, without_tallies_there_are_times_alone) {
  fake.none = true;
  cr_assert_eq(sample("counters A B\ndtoil(10)\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(PPI_COUNT_NONE, PPI_COUNT_NONE);
  cr_expect_gt(result.timing.count, 0);
}

Test(counting, nothing_to_count_with_is_a_note) {
  const struct ppi_core_options options = { .threads = 1 };
  ppi_core_destroy(core);
  cr_assert_eq(ppi_core_create(&options, &core, &error), PERFPRED_OK);
  cr_assert_eq(sample("counters A\ndtoil(10)\n"), PERFPRED_OK, "%s", error.text);
  EXPECT_COUNTS(PPI_COUNT_NONE);
  cr_expect_str_eq(result.note, "events are counted by a worker with PAPI alone");
}
