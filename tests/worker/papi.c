/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI itself, by software-defined events: they are counted the same way where there are no hardware counters. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../../worker/counters.h"
#include "../../worker/hardware.h"

static void (*rows)(long long r, long long c);
static void (*register_another)(const char *name);
static struct ppi_counter_plan *plan;
static struct perfpred_error error;
static int64_t values[PPI_COUNTER_MAX];

static void *symbol(void *library, const char *name) {
  void *address = dlsym(library, name);
  cr_assert_not_null(address);
  return address;
}

/* For itself alone: neither its symbols nor libsde's are seen by others. */
static void load(void) {
  void *library = dlopen(COUNTED, RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(library, "%s", dlerror());
  *(void **)&rows = symbol(library, "counted_rows");
  *(void **)&register_another = symbol(library, "counted_register");
  rows(1000, 5); /* what was before does not count, save for the level */
}

static void unload(void) {
  worker_counters_plan_destroy(plan);
}

TestSuite(papi, .init = load, .fini = unload);

static void make(const char *const *names, int count) {
  cr_assert_eq(worker_counters_plan(&perfpred_hardware_papi, names, count, &plan, &error), PERFPRED_OK, "%s",
               error.text);
}
#define MAKE(...)                                                                                                      \
  make((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void count(struct ppi_counter_tally *tally, int batch, long long r, long long c) {
  worker_counters_start(tally, batch);
  rows(r, c);
  worker_counters_stop(tally, values);
}

Test(papi, reads_exactly_what_was_done) {
  MAKE("sde:::COUNTED::rows", "sde:::COUNTED::calls", "sde:::COUNTED::level", "sde:::COUNTED::twice");
  cr_assert_eq(plan->batches, 1);
  cr_expect_str_eq(plan->note, "");
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  cr_assert_not_null(tally);
  count(tally, 0, 7, 3);
  cr_expect_eq(values[0], 7);
  cr_expect_eq(values[1], 1);
  cr_expect_eq(values[2], 8, "an instant value: 5 from before and 3");
  cr_expect_eq(values[3], 14);
  count(tally, 0, 0, -8);
  cr_expect_eq(values[0], 0);
  cr_expect_eq(values[1], 1);
  cr_expect_eq(values[2], 0);
  cr_expect_eq(values[3], 0);
  rows(100, 100); /* between two runs: nobody's */
  count(tally, 0, 1LL << 40, 1);
  cr_expect_eq(values[0], 1LL << 40);
  cr_expect_eq(values[3], 1LL << 41);
  worker_counters_close(tally);
}

Test(papi, reads_counters_that_the_library_keeps_in_libsde) {
  MAKE("sde:::COUNTED::elements");
  cr_assert_eq(plan->batches, 1);
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  count(tally, 0, 6, 7);
  cr_expect_eq(values[0], 42);
  count(tally, 0, 2, 3);
  cr_expect_eq(values[0], 6);
  worker_counters_close(tally);
}

/* PAPI itself takes such names, now and whenever they were asked for once. */
Test(papi, events_that_nobody_registered_are_not_there) {
  for (int i = 0; i < 2; i++) {
    MAKE("sde:::COUNTED::rows", "sde:::COUNTED::columns", "sde:::ABSENT::rows", "sde:::");
    cr_expect_eq(plan->counters[0].batch, 0);
    for (int nr = 1; nr < 4; nr++) {
      cr_expect_eq(plan->counters[nr].batch, -1);
      cr_expect_str_eq(plan->counters[nr].reason, "no loaded library has registered it");
    }
    worker_counters_plan_destroy(plan);
    plan = NULL;
  }
}

Test(papi, events_may_come_later) {
  MAKE("sde:::COUNTED::late");
  cr_expect_eq(plan->batches, 0);
  worker_counters_plan_destroy(plan);
  register_another("late");
  MAKE("sde:::COUNTED::late");
  cr_assert_eq(plan->batches, 1);
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  count(tally, 0, 9, 0);
  cr_expect_eq(values[0], 9);
  worker_counters_close(tally);
}

/* However many PAPI reads at once: each is counted, in as many runs as that takes. */
Test(papi, more_events_than_fit) {
  enum { MANY = 60 };
  char text[MANY][40];
  const char *names[MANY];
  for (int i = 0; i < MANY; i++) {
    snprintf(text[i], sizeof text[i], "sde:::COUNTED::many%d", i);
    names[i] = text[i];
    values[i] = PPI_COUNTER_NONE;
  }
  make(names, MANY);
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  for (int batch = 0; batch < plan->batches; batch++) {
    cr_expect(worker_counters_shared(plan, batch));
    count(tally, batch, 100 + batch, 0);
  }
  for (int i = 0; i < MANY; i++)
    cr_expect_eq(values[i], 100 + plan->counters[i].batch);
  worker_counters_close(tally);
}

/* Whatever this machine has: a hardware event is counted or has a reason, and the others do not suffer. */
Test(papi, hardware_or_not) {
  MAKE("PAPI_TOT_INS", "PAPI_NO_SUCH", "sde:::COUNTED::rows", "perf::NO-SUCH-EVENT");
  cr_expect_eq(plan->counters[0].batch >= 0, plan->counters[0].reason[0] == '\0');
  cr_expect_str_eq(plan->counters[1].reason, "PAPI knows no event of this name");
  cr_expect_geq(plan->counters[2].batch, 0);
  cr_expect_eq(plan->counters[3].batch, -1);
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  for (int i = 0; i < 4; i++)
    values[i] = PPI_COUNTER_NONE;
  for (int batch = 0; batch < plan->batches; batch++)
    count(tally, batch, 11, 0);
  worker_counters_close(tally);
  cr_expect_eq(values[0] > 0, plan->counters[0].batch >= 0);
  cr_expect_eq(values[1], PPI_COUNTER_NONE);
  cr_expect_eq(values[2], 11);
  cr_expect_eq(values[3], PPI_COUNTER_NONE);
}

Test(papi, two_plans_live_side_by_side) {
  MAKE("sde:::COUNTED::rows");
  struct ppi_counter_plan *first = plan;
  struct ppi_counter_tally *tally = worker_counters_open(first);
  MAKE("sde:::COUNTED::calls");
  worker_counters_plan_destroy(plan);
  plan = first;
  count(tally, 0, 13, 0);
  cr_expect_eq(values[0], 13);
  worker_counters_close(tally);
}

static void *run_thread(void *data) {
  int64_t *own = data;
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  worker_counters_start(tally, 0);
  rows(own[0], own[1]);
  worker_counters_stop(tally, own);
  worker_counters_close(tally);
  return NULL;
}

/* Each thread has event sets of its own. They run one after the other, since these events are the process's. */
Test(papi, threads_count_for_themselves) {
  MAKE("sde:::COUNTED::rows", "sde:::COUNTED::elements");
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  for (int i = 1; i <= 3; i++) {
    int64_t own[2] = { i, 10 };
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, run_thread, own), 0);
    pthread_join(thread, NULL);
    cr_expect_eq(own[0], i);
    cr_expect_eq(own[1], 10 * i);
  }
  count(tally, 0, 5, 5);
  cr_expect_eq(values[0], 5);
  cr_expect_eq(values[1], 25);
  worker_counters_close(tally);
}

static pthread_barrier_t barrier;

static void *run_beside(void *data) {
  int64_t *own = data;
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  own[0] = tally != NULL;
  for (int i = 0; i < 100; i++) {
    int64_t read = PPI_COUNTER_NONE;
    pthread_barrier_wait(&barrier);
    worker_counters_start(tally, 0);
    worker_counters_stop(tally, &read);
    own[1] += read != PPI_COUNTER_NONE;
  }
  worker_counters_close(tally);
  return NULL;
}

Test(papi, threads_count_at_the_same_time) {
  enum { THREADS = 4 };
  int64_t own[THREADS][2] = { { 0 } };
  pthread_t threads[THREADS];
  MAKE("sde:::COUNTED::rows");
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, run_beside, own[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    cr_expect_eq(own[i][0], 1);
    cr_expect_eq(own[i][1], 100);
  }
  pthread_barrier_destroy(&barrier);
}

Test(papi, the_machine_says_what_there_is) {
  struct ppi_machine machine;
  memset(&machine, 0, sizeof machine);
  worker_counters_describe(&perfpred_hardware_papi, &machine);
  cr_expect_geq(machine.counters_available, 0);
  cr_expect_eq(machine.counters_available > 0, machine.counters_note[0] == '\0', "%s", machine.counters_note);
  cr_expect_not_null(strstr(machine.counters_names, "sde:::COUNTED::rows"));
  cr_expect_not_null(strstr(machine.counters_names, "sde:::COUNTED::elements"));
}
