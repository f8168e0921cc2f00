/* SPDX-License-Identifier: BSD-3-Clause */
/* Which block size suits an algorithm? Predicts all of a range and takes the fastest.
 *
 *   block_size [N [ALGORITHM [FILE]]]      default: 256 chol-l-3, and models that are measured on the spot
 *
 * FILE holds models, as `perfpred generate --for ALGORITHM -o FILE` writes them. */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>

/* Returns unless there is an error: an example has nothing better to do than to say so and stop. */
static void check(enum perfpred_status status, const struct perfpred_error *error) {
  if (status == PERFPRED_OK)
    return;
  fprintf(stderr, "block_size: %s\n", error->text);
  exit(1);
}

/* A quick set of models: few samples, no refinement. */
static struct perfpred_models *measure(struct perfpred_context *context, const struct perfpred_program *program,
                                       int64_t n, const struct perfpred_range *range) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_sampler *sampler;
  struct perfpred_models *models;
  struct perfpred_error error;
  options.n_upper = n;
  options.b_lower = range->lower;
  options.b_upper = range->upper;
  options.repetitions = 5;
  options.oversampling = 1;
  options.error_bound = 1.0;
  check(perfpred_sampler_create_worker(context, NULL, &sampler, &error), &error);
  check(perfpred_generate(context, sampler, &program, 1, &options, &models, NULL, &error), &error);
  perfpred_sampler_destroy(sampler);
  return models;
}

int main(int argc, char **argv) {
  const char *name = argc > 2 ? argv[2] : "chol-l-3";
  const struct perfpred_range range = { 8, 128, 8 };
  int64_t values[] = { argc > 1 ? atoll(argv[1]) : 256, 0 };
  struct perfpred_context *context;
  struct perfpred_program *program;
  struct perfpred_models *models;
  struct perfpred_plan *plan;
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  struct perfpred_error error;

  check(perfpred_context_create(&context, &error), &error);
  check(perfpred_program_find(context, name, &program, &error), &error);
  if (argc > 3)
    check(perfpred_models_load(context, argv[3], NULL, &models, &error), &error);
  else
    models = measure(context, program, values[0], &range);
  check(perfpred_plan_create(program, models, NULL, &plan, &error), &error);
  int b = perfpred_plan_parameter(plan, "b");
  check(perfpred_plan_tune(plan, b, &range, values, 2, &tuning, &error), &error);

  printf("%s, n = %lld\n%6s %12s %9s\n", name, (long long)values[0], "b", "median ms", "Gflop/s");
  for (int64_t value = range.lower; value <= range.upper; value += 2 * range.step) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    values[b] = value;
    check(perfpred_plan_predict(plan, values, 2, &prediction, &error), &error);
    printf("%6lld %12.4f %9.2f\n", (long long)value, 1e3 * prediction.time_s.med, 1e-9 * prediction.flops_per_s.med);
  }
  printf("best of %llu: b = %lld with %.4f ms, %.1f %% of the time for b = %lld\n",
         (unsigned long long)tuning.candidates, (long long)tuning.best, 1e3 * tuning.prediction.time_s.med,
         100.0 * tuning.yield_default, (long long)tuning.default_value);

  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  return 0;
}
