/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program of somebody else's does first: it reads as C11 and as C++11. */
#include <perfpred/perfpred.h>
#include <stdio.h>

int main(void) {
  struct perfpred_context *context = NULL;
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_measure_options measure = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_load_options load = PERFPRED_LOAD_OPTIONS_INIT;
  struct perfpred_generate_options generate = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  struct perfpred_plan_options plan = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  const int64_t values[] = { 1000, 128 };
  double flops = 0.0;

  if (perfpred_context_create(&context, &error) || perfpred_program_find(context, "chol-l-3", &program, &error) ||
      perfpred_program_cost(program, values, 2, &flops, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  /* n (n + 1) (2 n + 1) / 6 */
  printf("%s %.0f\n", perfpred_version(), flops);
  return flops == 333833500.0 && setup.size && measure.size && measurement.size && load.size && generate.size &&
                 report.size && info.size && plan.size && prediction.size && tuning.size && validation.size
             ? 0
             : 1;
}
