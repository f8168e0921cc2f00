/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events are counted together, and what is said of those that are not, on a scripted PAPI. */
#include <criterion/criterion.h>
#include <string.h>

#include "papi_script.h"

static struct ppi_counter_plan *plan;
static struct perfpred_error error;
static int64_t values[PPI_COUNTER_MAX];

static void prepare(void) {
  script_reset();
  plan = NULL;
  memset(&error, 0, sizeof error);
  for (int i = 0; i < PPI_COUNTER_MAX; i++)
    values[i] = PPI_COUNTER_NONE;
}

/* However a test ended: nothing of PAPI's is left behind. */
static void finish(void) {
  worker_counters_plan_destroy(plan);
  cr_expect_eq(script.up, 0);
  cr_expect_eq(script.sets, 0);
  cr_expect_eq(script.running, 0);
}

TestSuite(counters, .init = prepare, .fini = finish);

static void make(const char *const *names, int count) {
  cr_assert_eq(worker_counters_plan(&scripted_papi, names, count, &plan, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(plan->count, count);
  for (int i = 0; i < count; i++) {
    cr_expect_str_eq(plan->counters[i].name, names[i]);
    cr_expect_eq(plan->counters[i].batch >= 0, plan->counters[i].reason[0] == '\0');
  }
}
#define MAKE(...)                                                                                                      \
  make((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void expect_batches(const int *batches) {
  for (int i = 0; i < plan->count; i++)
    cr_expect_eq(plan->counters[i].batch, batches[i], "%s: batch %d, expected %d (%s)", plan->counters[i].name,
                 plan->counters[i].batch, batches[i], plan->counters[i].reason);
}
#define EXPECT_BATCHES(...) expect_batches((const int[]){ __VA_ARGS__ })

/* One run per batch. */
static void count_all(void) {
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  script.starts = 0;
  for (int batch = 0; batch < plan->batches; batch++) {
    worker_counters_start(tally, batch);
    worker_counters_stop(tally, values);
  }
  worker_counters_close(tally);
}

static void expect_values(const int64_t *expected) {
  for (int i = 0; i < plan->count; i++)
    cr_expect_eq(values[i], expected[i], "%s: %lld, expected %lld", plan->counters[i].name, (long long)values[i],
                 (long long)expected[i]);
}
#define EXPECT_VALUES(...) expect_values((const int64_t[]){ __VA_ARGS__ })
#define NONE PPI_COUNTER_NONE

Test(counters, two_fit_one_set) {
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS");
  cr_expect_eq(plan->batches, 1);
  cr_expect_str_eq(plan->note, "");
  count_all();
  EXPECT_VALUES(1, 2);
}

Test(counters, the_third_starts_a_batch) {
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM");
  cr_expect_eq(plan->batches, 2);
  EXPECT_BATCHES(0, 0, 1);
  count_all();
  EXPECT_VALUES(1, 2, 2 * 3);
}

/* PAPI says so by different numbers: conflict, not supported, too many. */
Test(counters, whatever_the_refusal_is_called) {
  static const int refusals[] = { -8, -18, -23 };
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    script.beyond = refusals[i];
    MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM");
    EXPECT_BATCHES(0, 0, 1);
    worker_counters_plan_destroy(plan);
    plan = NULL;
  }
}

/* The kernel of the operating system finds out when counting starts. */
Test(counters, conflicts_at_the_start_count_as_well) {
  script.late = true;
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM", "PAPI_BR_MSP", "cpu::STALLS");
  cr_expect_eq(plan->batches, 3);
  EXPECT_BATCHES(0, 0, 1, 1, 2);
  count_all();
  EXPECT_VALUES(1, 2, 2 * 3, 2 * 4, 3 * 5);
}

/* Software-defined events are in sets of their own; what comes later fills the gaps of earlier batches. */
Test(counters, components_do_not_mix) {
  MAKE("PAPI_TOT_CYC", "sde:::LIB::calls", "PAPI_TOT_INS", "sde:::LIB::rows", "PAPI_L1_DCM");
  cr_expect_eq(plan->batches, 3);
  EXPECT_BATCHES(0, 1, 0, 1, 2);
  count_all();
  EXPECT_VALUES(1, 70, 2, 80, 3 * 3);
  cr_expect_not(worker_counters_shared(plan, 0), "a thread's");
  cr_expect(worker_counters_shared(plan, 1), "the process's");
  cr_expect_not(worker_counters_shared(plan, 2));
}

Test(counters, a_name_twice_is_counted_once) {
  MAKE("PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_NO_SUCH", "PAPI_NO_SUCH");
  cr_expect_eq(plan->batches, 1);
  count_all();
  EXPECT_VALUES(2, 1, 2, NONE, NONE);
}

Test(counters, names_that_are_not_there_are_told_apart) {
  MAKE("PAPI_TOT_CYC", "PAPI_NO_SUCH", "PAPI_VEC_DP", "cpu::NO_SUCH", "sde:::LIB::missing", "sde:::NOLIB::calls",
       "cpu::WIDE");
  EXPECT_BATCHES(0, -1, -1, -1, -1, -1, -1);
  cr_expect_str_eq(plan->counters[1].reason, "PAPI knows no event of this name");
  cr_expect_str_eq(plan->counters[2].reason, "this processor cannot count it");
  cr_expect_str_eq(plan->counters[3].reason, "PAPI knows no event of this name");
  cr_expect_str_eq(plan->counters[4].reason, "no loaded library has registered it");
  cr_expect_str_eq(plan->counters[5].reason, "no loaded library has registered it");
  cr_expect_str_eq(plan->counters[6].reason, "needs more counters than the hardware has");
  cr_expect_str_eq(plan->note, "", "the machine is not to blame");
  for (int i = 0; i < plan->count; i++) {
    cr_expect_eq(plan->counters[i].unknown, i == 1 || i == 3, "%s", plan->counters[i].name);
    cr_expect_not(plan->counters[i].excused, "%s", plan->counters[i].name);
  }
  count_all();
  EXPECT_VALUES(1, NONE, NONE, NONE, NONE, NONE, NONE);
}

/* One note for the machine; a name that is wrong on every machine is still said to be. */
Test(counters, no_hardware_is_one_note) {
  script.hardware = 0;
  script.disabled = "no PMU found";
  MAKE("PAPI_TOT_CYC", "cpu::STALLS", "PAPI_NO_SUCH", "PAPI_TOT_INS");
  cr_expect_eq(plan->batches, 0);
  cr_expect_str_eq(plan->note, "no hardware counters can be read here: no PMU found");
  cr_expect_str_eq(plan->counters[0].reason, "no hardware counters");
  cr_expect_str_eq(plan->counters[1].reason, "no hardware counters, or no such event");
  cr_expect_str_eq(plan->counters[2].reason, "PAPI knows no event of this name");
  cr_expect_str_eq(plan->counters[3].reason, "no hardware counters");
  for (int i = 0; i < 4; i++) {
    cr_expect_eq(plan->counters[i].excused, i != 2, "%s", plan->counters[i].name);
    cr_expect_eq(plan->counters[i].unknown, i == 2, "%s", plan->counters[i].name);
  }
  cr_expect_null(worker_counters_open(plan));
}

Test(counters, software_is_counted_without_hardware) {
  script.hardware = 0;
  script.disabled = NULL;
  MAKE("PAPI_TOT_CYC", "sde:::LIB::rows");
  EXPECT_BATCHES(-1, 0);
  cr_expect_str_eq(plan->note, "no hardware counters can be read here: PAPI was built without perf_event");
  count_all();
  EXPECT_VALUES(NONE, 80);
}

Test(counters, software_alone_needs_no_note) {
  script.hardware = 0;
  MAKE("sde:::LIB::rows", "sde:::LIB::missing");
  EXPECT_BATCHES(0, -1);
  cr_expect_str_eq(plan->note, "");
}

Test(counters, no_permission_is_one_note) {
  script.start = -15;
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS");
  EXPECT_BATCHES(-1, -1);
  cr_expect_eq(plan->batches, 0);
  cr_expect_str_eq(plan->counters[1].reason, "not permitted");
  cr_expect(strncmp(plan->note, "counting is not permitted here", 30) == 0, "%s", plan->note);
}

/* A hypervisor that lets the processor tell of counters, and has none. */
Test(counters, counters_that_count_nothing_are_one_note) {
  script.no_presets = true;
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "sde:::LIB::rows");
  EXPECT_BATCHES(-1, -1, 0);
  cr_expect_str_eq(plan->note, "no hardware counters can be read here");
  cr_expect_str_eq(plan->counters[1].reason, "no hardware counters");
}

Test(counters, other_failures_are_quoted) {
  script.start = -3;
  MAKE("PAPI_TOT_CYC");
  cr_expect_str_eq(plan->note, "the machine refuses to count: A System/C library call failed");
  EXPECT_BATCHES(-1);
  cr_expect_str_eq(plan->counters[0].reason, "A System/C library call failed");
}

Test(counters, a_papi_that_does_not_start_is_one_note) {
  script.start_up = -3;
  MAKE("PAPI_TOT_CYC", "sde:::LIB::rows");
  EXPECT_BATCHES(-1, -1);
  cr_expect_str_eq(plan->note, "PAPI does not start: A System/C library call failed");
  cr_expect_eq(script.shut_downs, 0);
}

Test(counters, no_papi_is_one_note) {
  static const char *const names[] = { "PAPI_TOT_CYC" };
  cr_assert_eq(worker_counters_plan(NULL, names, 1, &plan, &error), PERFPRED_OK);
  cr_expect_eq(plan->batches, 0);
  cr_expect_str_eq(plan->note, "this build counts no events: perfpred-hardware.so or PAPI is missing");
  cr_expect_str_eq(plan->counters[0].reason, "this build counts no events");
  cr_expect_null(worker_counters_open(plan));
}

/* Nobody asks for anything: PAPI is not even started. */
Test(counters, an_empty_plan_costs_nothing) {
  script.start_up = -3;
  cr_assert_eq(worker_counters_plan(&scripted_papi, NULL, 0, &plan, &error), PERFPRED_OK);
  cr_expect_eq(plan->batches, 0);
  cr_expect_str_eq(plan->note, "");
}

/* PAPI stays up as long as the plan, and as long as it may count. */
Test(counters, papi_is_up_for_the_life_of_the_plan) {
  MAKE("PAPI_TOT_CYC");
  cr_expect_eq(script.up, 1);
  cr_expect_eq(script.sets, 0, "the sets of the trial are gone");
  worker_counters_plan_destroy(plan);
  plan = NULL;
  cr_expect_eq(script.up, 0);
  MAKE("PAPI_NO_SUCH");
  cr_expect_eq(script.up, 0);
}

Test(counters, a_start_that_fails_leaves_its_batch_open) {
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM");
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  values[0] = values[1] = values[2] = 5;
  script.start = -3;
  worker_counters_start(tally, 0);
  worker_counters_stop(tally, values);
  EXPECT_VALUES(NONE, NONE, 5);
  script.start = 0;
  script.starts = 0;
  worker_counters_start(tally, 0);
  worker_counters_stop(tally, values);
  EXPECT_VALUES(1, 2, 5);
  worker_counters_close(tally);
}

Test(counters, a_stop_that_fails_leaves_its_batch_open) {
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM");
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  values[0] = values[1] = values[2] = 5;
  worker_counters_start(tally, 1);
  script.stop = -3;
  worker_counters_stop(tally, values);
  EXPECT_VALUES(5, 5, NONE);
  worker_counters_stop(tally, values);
  EXPECT_VALUES(5, 5, NONE);
  worker_counters_close(tally);
}

/* In another thread PAPI may refuse what it took in the first one. */
Test(counters, a_tally_without_sets_counts_nothing) {
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM");
  script.add = -8;
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  values[0] = 5;
  worker_counters_start(tally, 0);
  worker_counters_stop(tally, values);
  EXPECT_VALUES(NONE, NONE, NONE);
  worker_counters_close(tally);
}

Test(counters, a_tally_closes_while_it_counts) {
  MAKE("PAPI_TOT_CYC");
  struct ppi_counter_tally *tally = worker_counters_open(plan);
  worker_counters_start(tally, 0);
  cr_expect_eq(script.running, 1);
  worker_counters_close(tally);
}

Test(counters, no_tally_counts_nothing) {
  values[0] = 5;
  worker_counters_start(NULL, 0);
  worker_counters_stop(NULL, values);
  worker_counters_close(NULL);
  worker_counters_plan_destroy(NULL);
  cr_expect_eq(values[0], 5);
}

Test(counters, names_are_checked) {
  char longer[PPI_COUNTER_NAME_MAX + 1];
  const char *names[PPI_COUNTER_MAX + 1];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  for (int i = 0; i <= PPI_COUNTER_MAX; i++)
    names[i] = "PAPI_TOT_CYC";
  cr_expect_eq(worker_counters_plan(&scripted_papi, names, PPI_COUNTER_MAX + 1, &plan, &error), PERFPRED_INVALID);
  cr_expect(strstr(error.text, "65") && strstr(error.text, "64"), "%s", error.text);
  names[1] = "";
  memset(&error, 0, sizeof error);
  cr_expect_eq(worker_counters_plan(&scripted_papi, names, 2, &plan, &error), PERFPRED_INVALID);
  cr_expect(strstr(error.text, "counter 2"), "%s", error.text);
  names[1] = longer;
  cr_expect_eq(worker_counters_plan(&scripted_papi, names, 2, &plan, &error), PERFPRED_INVALID);
  cr_expect_null(plan);
  longer[PPI_COUNTER_NAME_MAX - 1] = '\0';
  cr_expect_eq(worker_counters_plan(&scripted_papi, names, 2, &plan, &error), PERFPRED_OK);
}

/* As many names as there may be, each in a batch of its own. */
Test(counters, many_batches) {
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM", "PAPI_BR_MSP", "cpu::STALLS", "sde:::LIB::rows");
  worker_counters_plan_destroy(plan);
  script.limit = 1;
  MAKE("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM", "PAPI_BR_MSP", "cpu::STALLS", "sde:::LIB::rows");
  EXPECT_BATCHES(0, 1, 2, 3, 4, 5);
  count_all();
  EXPECT_VALUES(1, 2 * 2, 3 * 3, 4 * 4, 5 * 5, 80);
}

static struct ppi_machine machine;

Test(counters, the_machine_lists_what_it_has) {
  worker_counters_describe(&scripted_papi, &machine);
  cr_expect_eq(machine.counters_available, 4);
  cr_expect_eq(machine.counters_hardware, 6);
  cr_expect_str_eq(machine.counters_names,
                   "PAPI_TOT_CYC PAPI_TOT_INS PAPI_L1_DCM PAPI_BR_MSP sde:::LIB::calls sde:::LIB::rows");
  cr_expect_str_eq(machine.counters_note, "");
}

Test(counters, the_machine_has_none) {
  script.hardware = 0;
  script.disabled = "no PMU found";
  worker_counters_describe(&scripted_papi, &machine);
  cr_expect_eq(machine.counters_available, 0);
  cr_expect_eq(machine.counters_hardware, 0);
  cr_expect_str_eq(machine.counters_names, "sde:::LIB::calls sde:::LIB::rows");
  cr_expect_str_eq(machine.counters_note, "no hardware counters can be read here: no PMU found");
}

Test(counters, the_machine_cannot_be_asked) {
  worker_counters_describe(NULL, &machine);
  cr_expect_eq(machine.counters_available, -1);
  cr_expect(strstr(machine.counters_note, "PAPI is missing"), "%s", machine.counters_note);
  script.start_up = -3;
  worker_counters_describe(&scripted_papi, &machine);
  cr_expect_eq(machine.counters_available, -1);
  cr_expect_str_eq(machine.counters_note, "PAPI does not start: A System/C library call failed");
}

/* More names than there is room for: whole names only. */
Test(counters, the_list_of_names_ends_in_time) {
  script.flood = 1000;
  worker_counters_describe(&scripted_papi, &machine);
  size_t length = strlen(machine.counters_names);
  cr_expect_lt(length, sizeof machine.counters_names);
  cr_expect_gt(length, sizeof machine.counters_names - 220);
  cr_expect_eq(strlen(strrchr(machine.counters_names, ' ') + 1), strlen("sde:::FLOOD::") + 200);
}
