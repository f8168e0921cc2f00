/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms "as in LAPACK" on a virtual clock: models generated for a range of sizes serve every prediction in it, and predictions are
 * the exact sums, which the virtual machine computes call by call. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>

#include "world.h"

enum { N_UPPER = 320, B_UPPER = 96 };

/* A product of the sizes: polynomials that models can hold exactly, whatever the kernel. data: NULL, or what sizes below it count as. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const int64_t least = data ? *(const int64_t *)data : 0;
  double product = 1.0;
  for (size_t i = 0; i < call->size_count; i++)
    product *= (double)(call->sizes[i] < least ? least : call->sizes[i]);
  return 1e-6 + product * 1e-10 * (1.0 + (double)(call->kernel_name[1] % 7));
}

struct machine {
  struct perfpred_context *context;
  struct perfpred_sampler *sampler, *coarse; /* coarse: sizes below 8 take as long as 8 */
  struct perfpred_program *program;
  struct perfpred_models *models;
  struct perfpred_plan *plan;
  struct perfpred_error error;
};

static int64_t eight = 8;

static void build(const char *name, struct machine *machine) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  options.n_upper = N_UPPER;
  options.b_upper = B_UPPER;
  options.repetitions = 1;
  machine->context = make_context();
  machine->sampler = virtual_sampler(machine->context, cost, NULL);
  machine->coarse = virtual_sampler(machine->context, cost, &eight);
  cr_assert_ok(perfpred_program_find(machine->context, name, &machine->program, &machine->error), machine->error);
  const struct perfpred_program *list[] = { machine->program };
  cr_assert_ok(perfpred_generate(machine->context, machine->sampler, list, 1, &options, &machine->models, &report,
                                 &machine->error),
               machine->error);
  cr_expect_leq(report.max_error, 1e-6, "%s: %g", name, report.max_error);
  machine->plan = make_plan(machine->program, machine->models);
}

static void tear_down(struct machine *machine) {
  perfpred_plan_destroy(machine->plan);
  perfpred_models_unref(machine->models);
  perfpred_program_unref(machine->program);
  perfpred_sampler_destroy(machine->coarse);
  perfpred_sampler_destroy(machine->sampler);
  perfpred_context_destroy(machine->context);
}

/* b in its place, the text's own value for other parameters that have one, n for the rest. */
static size_t fill(const struct machine *machine, int64_t n, int64_t b, int64_t *values) {
  const size_t count = perfpred_program_parameter_count(machine->program);
  for (size_t i = 0; i < count; i++) {
    const int64_t proposed = perfpred_program_parameter_default(machine->program, i);
    values[i] = (int)i == perfpred_program_parameter(machine->program, "b") ? b : proposed >= 0 ? proposed : n;
  }
  return count;
}

static double predicted_s(struct machine *machine, int64_t n, int64_t b) {
  int64_t values[8];
  const size_t count = fill(machine, n, b, values);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_assert_ok(perfpred_plan_predict(machine->plan, values, count, &prediction, &machine->error), machine->error);
  return prediction.time_s.med;
}

static double exact_s(struct machine *machine, struct perfpred_sampler *sampler, int64_t n, int64_t b) {
  int64_t values[8];
  const size_t count = fill(machine, n, b, values);
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 1;
  cr_assert_ok(perfpred_measure(sampler, machine->program, values, count, &options, &measurement, &machine->error),
               machine->error);
  return measurement.time_s.med;
}

struct name {
  char text[16];
};

ParameterizedTestParameters(lapack, predictions_are_the_sums) {
  static struct name names[] = { { "dpotrf" },     { "zpotrf-u" },  { "dgetrf" },    { "dgetri" }, { "dgeqrf" },
                                 { "dgelqf" },     { "dorgqr" },    { "dtrtri" },    { "dlauum" }, { "dsygst" },
                                 { "zhegst-u-2" }, { "dormqr-ln" }, { "dormqr-rt" }, { "dorglq" }, { "dormlq-lt" },
                                 { "dgeqrf-nx" },  { "dsytrd" },    { "dgebrd" },    { "dgehrd" }, { "dsytrf" },
                                 { "dsytrf-u" } };
  return cr_make_param_array(struct name, names, sizeof names / sizeof names[0]);
}

/* A domain begins at 8. Where it has several sizes its polynomial goes on below, where it has 8 alone smaller ones count as that.
   Several blocks with and without a rest, one block (b = n), b > n, the ends of the range, the crossover point of 128, sizes below 8. */
ParameterizedTest(struct name *name, lapack, predictions_are_the_sums) {
  static const int64_t points[][2] = { { 320, 96 }, { 320, 8 },  { 317, 33 }, { 200, 64 }, { 193, 64 }, { 129, 32 },
                                       { 128, 32 }, { 161, 32 }, { 96, 96 },  { 97, 96 },  { 50, 96 },  { 64, 64 },
                                       { 8, 8 },    { 9, 8 },    { 3, 8 },    { 1, 96 } };
  struct machine machine;
  build(name->text, &machine);
  for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
    const double predicted = predicted_s(&machine, points[i][0], points[i][1]),
                 exact = exact_s(&machine, machine.sampler, points[i][0], points[i][1]),
                 coarse = exact_s(&machine, machine.coarse, points[i][0], points[i][1]);
    cr_expect(predicted >= exact * (1.0 - 1e-6) && predicted <= coarse * (1.0 + 1e-6),
              "%s n=%d b=%d: %.9g, expected %.9g to %.9g", name->text, (int)points[i][0], (int)points[i][1], predicted,
              exact, coarse);
  }
  cr_expect_eq(predicted_s(&machine, 0, 64), 0.0);
  tear_down(&machine);
}

/* LAPACK's blocks of at most 64: larger ones change nothing, smaller ones do. */
Test(lapack, ormqr_has_blocks_of_at_most_64) {
  struct machine machine;
  build("dormqr-lt", &machine);
  for (int64_t n = 100; n <= 320; n += 110) {
    cr_expect_eq(predicted_s(&machine, n, 160), predicted_s(&machine, n, 64), "n=%d", (int)n);
    cr_expect_eq(predicted_s(&machine, n, 64), predicted_s(&machine, n, B_UPPER), "n=%d", (int)n);
    cr_expect_neq(predicted_s(&machine, n, 64), predicted_s(&machine, n, 56), "n=%d", (int)n);
    cr_assert_close(predicted_s(&machine, n, 160), exact_s(&machine, machine.sampler, n, 160), 1e-6);
  }
  tear_down(&machine);
}

/* Unblocked, a matrix is one call on all of it: beyond the largest block size of the range there is no model for it. */
Test(lapack, one_block_beyond_the_range_is_refused) {
  struct machine machine;
  int64_t values[8];
  build("dpotrf", &machine);
  const size_t count = fill(&machine, 200, 200, values);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  cr_expect_eq(perfpred_plan_predict(machine.plan, values, count, &prediction, &machine.error), PERFPRED_OUT_OF_DOMAIN);
  cr_expect_not_null(strstr(machine.error.text, "dpotrf2"), "%s", machine.error.text);
  tear_down(&machine);
}

/* The crossover point has the value of the text, 32: what is not blocked has at most 96 rows, the largest block size. */
Test(lapack, crossover_points_are_not_spread_over_the_range) {
  struct machine machine;
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  size_t i = 0;
  build("dsytrd", &machine);
  do {
    cr_assert_ok(perfpred_models_info(machine.models, i++, &info, &machine.error), machine.error);
  } while (strcmp(info.kernel, "dsytd2") != 0);
  cr_expect_eq(info.upper[0], B_UPPER, "%d", (int)info.upper[0]);
  tear_down(&machine);
}
