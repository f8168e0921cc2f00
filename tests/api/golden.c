/* SPDX-License-Identifier: BSD-3-Clause */
/* The published example of Section 11: inversion of a lower triangle by algorithm 1, n = 800, b = 300. Nine calls, of which two
   have no work, take 16.22 ms (median), 16.18 (minimum), 16.46 (maximum), 16.25 (mean) with a deviation of 95.88 us;
   that is 10.54 Gflop/s, 50.68 % of 20.8 Gflop/s. */
#include <stdio.h>

#include "world.h"

static const char inversion[] = "perfpred-text 1\n"
                                "algorithm inversion(n, b)\n"
                                "  cost n*(n+1)*(2*n+1)/6\n"
                                "  inout A: double triangular triangle(L)[n]\n"
                                "  for i in 0:n by b as w\n"
                                "    dtrmm(R, L, N, N, w, i, 1, A[0, 0], A[i, 0])\n"
                                "    dtrsm(L, L, N, N, w, i, -1, A[i, i], A[i, 0])\n"
                                "    dtrti2(L, N, w, A[i, i])\n"
                                "  end\n"
                                "end\n";

/* Median of every call: its leading flop count, scaled so that the seven calls with work sum up to 16.22 ms. */
static double trmm(double m, double n) {
  return m * n * n;
}

static double trsm(double m, double n) {
  return m * m * n;
}

static double trti2(double n) {
  return n * n * n;
}

static double per_flop(void) {
  return 16.22e-3 /
         (trti2(300) + trmm(300, 300) + trsm(300, 300) + trti2(300) + trmm(200, 600) + trsm(200, 600) + trti2(200));
}

/* Ten repetitions of the last call deviate from its median. Four by the published minimum (-40 us), two by nothing, one by the
   maximum (240 us); the other three make the mean (30 us) and the deviation right: 2 y + x and 2 y^2 + x^2 are given. */
static double deviation(uint64_t repetition) {
  const double sum = 300e-6 + 4 * 40e-6 - 240e-6;
  const double squares = 9 * 95.88e-6 * 95.88e-6 + 10 * 30e-6 * 30e-6 - 4 * 40e-6 * 40e-6 - 240e-6 * 240e-6;
  const double y = (4 * sum - sqrt(16 * sum * sum - 24 * (sum * sum - squares))) / 12;
  const double values[10] = { -40e-6, 0, y, 240e-6, -40e-6, y, -40e-6, 0, sum - 2 * y, -40e-6 };
  return values[repetition % 10];
}

static double cost(void *data, const struct perfpred_virtual_call *call) {
  double m = (double)call->sizes[0], n = call->size_count > 1 ? (double)call->sizes[1] : 0.0;
  (void)data;
  if (strcmp(call->kernel_name, "dtrmm") == 0)
    return per_flop() * trmm(m, n);
  if (strcmp(call->kernel_name, "dtrsm") == 0)
    return per_flop() * trsm(m, n);
  double share = (300.0 - m) / 100.0; /* of the deviation: none at 300, all of it at 200 */
  return per_flop() * trti2(m) + share * share * deviation(call->repetition);
}

/* The models with another peak: on a virtual clock there is none to be measured. */
static struct perfpred_models *with_peak(const struct perfpred_context *context, struct perfpred_models *models,
                                         const char *peak) {
  const char key[] = "\"peak_flops_per_s\":";
  char *json = NULL;
  struct perfpred_models *changed = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  char *place = strstr(json, key);
  cr_assert_not_null(place);
  place += strlen(key);
  char *text = malloc(strlen(json) + strlen(peak) + 1);
  cr_assert_not_null(text);
  snprintf(text, strlen(json) + strlen(peak) + 1, "%.*s%s%s", (int)(place - json), json, peak,
           place + strcspn(place, ",}"));
  cr_assert_ok(perfpred_models_load_memory(context, text, strlen(text), "golden", NULL, &changed, &error), error);
  free(text);
  perfpred_free(json);
  perfpred_models_unref(models);
  return changed;
}

Test(golden, section_11) {
  struct perfpred_context *context = make_context();
  struct perfpred_program *program = parse(context, inversion);
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.generator = PERFPRED_GENERATOR_PUBLISHED; /* goes through every point that it samples */
  options.n_lower = options.n_upper = 800;
  options.b_lower = options.b_upper = 300;
  struct perfpred_models *models = virtual_models(context, &program, 1, &options, cost, NULL);
  models = with_peak(context, models, "20.8e9");
  struct perfpred_plan *plan = make_plan(program, models);
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_ok(perfpred_plan_predict(plan, (int64_t[]){ 800, 300 }, 2, &prediction, &error), error);
  cr_assert_eq(prediction.calls, 9);
  cr_assert_eq(prediction.flops, 170986800.0);
  cr_assert_float_eq(prediction.time_s.med, 16.22e-3, 1e-9);
  cr_assert_float_eq(prediction.time_s.min, 16.18e-3, 1e-9);
  cr_assert_float_eq(prediction.time_s.max, 16.46e-3, 1e-9);
  cr_assert_float_eq(prediction.time_s.mean, 16.25e-3, 1e-9);
  cr_assert_float_eq(prediction.time_s.std, 95.88e-6, 1e-9);
  cr_assert_float_eq(prediction.flops_per_s.med, 10.54e9, 0.005e9);
  cr_assert_float_eq(prediction.efficiency.med, 0.5068, 0.00005);
  /* Not published, but by equations 4 and 5: */
  cr_assert_close(prediction.flops_per_s.min, 170986800.0 / 16.46e-3, 1e-6);
  cr_assert_close(prediction.flops_per_s.max, 170986800.0 / 16.18e-3, 1e-6);
  cr_assert_close(prediction.flops_per_s.mean, 170986800.0 / 16.25e-3 * (1.0 + pow(95.88e-6 / 16.25e-3, 2)), 1e-6);
  cr_assert_close(prediction.flops_per_s.std, 170986800.0 * 95.88e-6 / pow(16.25e-3, 2), 1e-5);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}
