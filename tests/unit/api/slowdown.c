/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator on the schedule that real samplers use, on a machine whose speed is a script: what a budget is worth when the
   machine changes under it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/registry.h"
#include "measure/schedule.h"
#include "model/generate.h"

#define YARDSTICK_S 25e-6

void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
             int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);

struct machine {
  double now_s, slower_at_s, slower; /* from then on everything takes so many times as long */
  double rejected;                   /* share of the yardstick readings that the gate rejects */
  double look_s;                     /* whatever the generator does between two looks at the clock takes so long */
  enum perfpred_generator generator; /* default: the published one */
  uint64_t readings, random;
  double longest_s; /* longest call so far */
  struct ppi_level level;
  const struct ppi_request *requests;
  size_t selected, batches;
  double first_two_s; /* when the second batch was over: the probe and the first round */
};

static double machine_now(void *data) {
  return ((struct machine *)data)->now_s;
}

static double generator_now(void *data) {
  struct machine *machine = data;
  return machine->now_s += machine->look_s;
}

static uint64_t machine_switches(void *data) {
  (void)data;
  return 0;
}

static double speed(const struct machine *machine) {
  return machine->now_s >= machine->slower_at_s ? machine->slower : 1.0;
}

static double machine_yardstick(void *data) {
  struct machine *machine = data;
  double time = YARDSTICK_S * speed(machine);
  machine->random = machine->random * 6364136223846793005u + 1442695040888963407u;
  if ((double)(machine->random >> 40) / 16777216.0 < machine->rejected)
    time *= 1.5;
  machine->now_s += 2.0 * time;
  return time;
}

static enum perfpred_status machine_select(void *data, size_t index, struct perfpred_error *error) {
  (void)error;
  ((struct machine *)data)->selected = index;
  return PERFPRED_OK;
}

static void machine_restore(void *data) {
  (void)data;
}

static enum perfpred_status machine_check(void *data, struct perfpred_error *error) {
  (void)data;
  (void)error;
  return PERFPRED_OK;
}

static double machine_overhead(void *data) {
  (void)data;
  return 0.0;
}

/* Rough enough that no model of it is ever good enough. */
static void machine_run(void *data) {
  struct machine *machine = data;
  const struct ppi_request *request = &machine->requests[machine->selected];
  int64_t m = request->values[request->kernel->sizes[0]].i, n = request->values[request->kernel->sizes[1]].i;
  double time = 1e-6 + 2e-11 * (double)m * (double)n * (double)n * ((m / 8 + n / 8) % 2 ? 1.0 : 1.1);
  time *= speed(machine);
  machine->longest_s = fmax(machine->longest_s, time);
  machine->now_s += time;
}

static enum perfpred_status sample(void *data, const struct ppi_request *requests, size_t count,
                                   const struct ppi_sampling *sampling, struct ppi_result *results,
                                   struct perfpred_error *error) {
  struct machine *machine = data;
  const struct ppi_bench bench = { { "script", machine_now, 0.0, 0.0, machine },
                                   { "script", machine_now, 0.0, 0.0, machine },
                                   machine_yardstick,
                                   machine_switches,
                                   machine };
  const struct ppi_subjects subjects = { .count = count,
                                         .stage = "sampling",
                                         .select = machine_select,
                                         .restore = machine_restore,
                                         .run = machine_run,
                                         .check = machine_check,
                                         .overhead_s = machine_overhead,
                                         .data = machine };
  machine->requests = requests;
  enum perfpred_status status = ppi_schedule_run(&bench, &machine->level, &subjects, sampling, results, error);
  if (++machine->batches == 2)
    machine->first_two_s = machine->now_s;
  return status;
}

static enum perfpred_status solve(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                  struct perfpred_error *error) {
  const double rcond = 1e-14;
  int lwork = 64 * (m + n + nrhs) + 1024, info = 0, ldb = m > n ? m : n;
  double *work = malloc((size_t)lwork * sizeof *work);
  int *pivots = calloc((size_t)n, sizeof *pivots);
  (void)data;
  dgelsy_(&m, &n, &nrhs, a, &m, b, &ldb, pivots, &rcond, rank, work, &lwork, &info);
  free(pivots);
  free(work);
  return info ? ppi_error_set(error, PERFPRED_NUMERIC, "dgelsy: info %d", info) : PERFPRED_OK;
}

/* Models of two cases of dtrsm; returns the number of pieces. */
static int generate(struct machine *machine, double budget_s, struct perfpred_generate_report *report) {
  static const char *const cases[] = { "R,L,T,N,1", "L,L,N,N,1" };
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.generator = machine->generator ? machine->generator : PERFPRED_GENERATOR_PUBLISHED;
  const struct ppi_source source = { sample, solve, generator_now, machine };
  struct ppi_target targets[2] = { { 0 } };
  struct ppi_kernels *kernels = NULL;
  struct perfpred_models *models = NULL;
  struct perfpred_error error = { 0 };
  int pieces = 0;
  cr_assert_eq(ppi_kernels_create(&kernels, NULL), PERFPRED_OK);
  for (int i = 0; i < 2; i++) {
    targets[i].kernel = ppi_kernels_find(kernels, "dtrsm");
    cr_assert_eq(ppi_case_parse(targets[i].kernel, cases[i], targets[i].values, &error), PERFPRED_OK, "%s", error.text);
    for (int d = 0; d < 2; d++) {
      targets[i].lower[d] = 8;
      targets[i].upper[d] = d == i ? 1024 : 256;
    }
  }
  options.budget_s = budget_s;
  enum perfpred_status status = ppi_generate(targets, 2, &source, &options, &models, report, &error);
  cr_assert_eq(status, PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(ppi_submodel_check(models->submodels + i, "models", NULL), PERFPRED_OK);
    pieces += models->submodels[i].piece_count;
  }
  perfpred_models_unref(models);
  ppi_kernels_destroy(kernels);
  return pieces;
}

Test(slowdown, quiet_machine) {
  static const double budgets[] = { 5.0, 20.0, 60.0 };
  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
    struct machine machine = { .slower_at_s = INFINITY };
    struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
    int pieces = generate(&machine, budgets[i], &report);
    cr_expect_leq(machine.now_s, 1.05 * budgets[i], "%g of %g s", machine.now_s, budgets[i]);
    cr_expect_geq(machine.now_s, 0.5 * budgets[i], "%g of %g s", machine.now_s, budgets[i]);
    cr_expect_gt(pieces, 2, "it was refined");
    /* on this machine only calls and yardsticks take time */
    double all_s = report.timed_s + report.rejected_s + report.spare_s + report.yardstick_s + report.restore_s;
    cr_expect_float_eq(all_s, report.wall_s, 1e-9 * report.wall_s, "%g of %g s", all_s, report.wall_s);
    cr_expect_leq(report.timed_s + report.rejected_s, report.measure_s * (1.0 + 1e-9));
    cr_expect_eq(report.restore_s, 0.0);
    cr_expect(report.timed_s > 0.0 && report.spare_s > 0.0 && report.yardstick_s > 0.0);
  }
}

/* Three times slower from some moment on, and a gate that rejects 19 of 20 samples: both readings around one must pass. */
Test(slowdown, machine_that_becomes_slower_and_noisy) {
  static const double budgets[] = { 5.0, 20.0, 60.0 }, moments[] = { 0.1, 0.3, 0.5, 0.7 };
  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++)
    for (size_t k = 0; k < sizeof moments / sizeof moments[0]; k++) {
      struct machine machine = { .slower_at_s = moments[k] * budgets[i], .slower = 3.0, .rejected = 0.78 };
      struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
      generate(&machine, budgets[i], &report);
      cr_expect_leq(machine.now_s, 1.1 * budgets[i], "%g s for a budget of %g, slower from %g s on", machine.now_s,
                    budgets[i], machine.slower_at_s);
      cr_expect_geq(machine.now_s, 0.5 * budgets[i]);
      cr_expect_eq(report.budget_exhausted, 1);
    }
}

/* Ten times slower after the first samples: no plan foresees that. The round under way ends within one batch. */
Test(slowdown, machine_that_breaks_down) {
  struct machine machine = { .slower_at_s = 12.0, .slower = 10.0 };
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  generate(&machine, 20.0, &report);
  cr_expect_leq(machine.now_s, 20.0 + 4.0 * machine.longest_s);
}

/* Many others on the machine: calls and fits take six times as long, and hardly a sample passes the gate. */
Test(slowdown, machine_that_is_loaded_from_the_beginning) {
  static const double budgets[] = { 5.0, 20.0, 60.0 };
  static const enum perfpred_generator generators[] = { PERFPRED_GENERATOR_PUBLISHED, PERFPRED_GENERATOR_ADAPTIVE };
  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++)
    for (size_t k = 0; k < 2; k++) {
      struct machine machine = { .slower = 6.0, .rejected = 0.9, .look_s = 0.02, .generator = generators[k] };
      struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
      generate(&machine, budgets[i], &report);
      cr_expect_leq(machine.now_s, 1.1 * budgets[i], "generator %d: %g s for a budget of %g", (int)generators[k],
                    machine.now_s, budgets[i]);
      cr_expect_geq(machine.now_s, 0.5 * budgets[i], "generator %d: %g s for a budget of %g", (int)generators[k],
                    machine.now_s, budgets[i]);
      cr_expect_lt(report.floor_s, budgets[i]);
    }
}

/* A budget that even the corners exceed: one batch of each point of the smallest round, and that is all. */
Test(slowdown, hopeless) {
  struct machine machine = { .slower_at_s = INFINITY };
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  cr_expect_eq(generate(&machine, 1e-3, &report), 2);
  cr_expect_eq(report.budget_exhausted, 1);
  cr_expect_leq(report.samples, PPI_BATCH_KEPT * (report.points + 4),
                "the corners are met in the probe and in the round");
  cr_expect_eq(machine.now_s, machine.first_two_s);
}
