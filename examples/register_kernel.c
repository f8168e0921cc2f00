/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel of one's own, measured and modelled in this process, and an algorithm that calls it: predicted, then run.
 *
 *   register_kernel [N [SWEEPS]]      default: 200 20 */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>

/* Fits need least squares: LAPACK's routine, of whichever library the program has. */
extern perfpred_dgelsy_fn dgelsy_;

/* Replaces every inner element by the mean of its neighbours: b := smooth(a), both m x n. */
static int smooth(void *data, void *const args[]) {
  const int64_t m = *(const int64_t *)args[0], n = *(const int64_t *)args[1];
  const double *a = args[2];
  double *b = args[4];
  const int64_t lda = *(const int64_t *)args[3], ldb = *(const int64_t *)args[5];
  (void)data;
  for (int64_t j = 1; j < n - 1; j++)
    for (int64_t i = 1; i < m - 1; i++)
      b[i + j * ldb] = 0.25 * (a[i - 1 + j * lda] + a[i + 1 + j * lda] + a[i + (j - 1) * lda] + a[i + (j + 1) * lda]);
  return 0;
}

static const char kernel[] = "kernel dsmooth(m: size, n: size, a: in matrix[m, n], lda, b: inout matrix[m, n], ldb)\n"
                             "  about every inner element of B becomes the mean of its neighbours in A\n"
                             "  mul m*n\n"
                             "  add 3*m*n\n"
                             "end\n";

static const char algorithm[] = "perfpred-text 1\n"
                                "algorithm sweeps(n, t)\n"
                                "  inout A: double matrix[n, n]\n"
                                "  work B: double matrix[n, n]\n"
                                "  for i in 0:t\n"
                                "    dsmooth(n, n, A[0, 0], B[0, 0])\n"
                                "    dsmooth(n, n, B[0, 0], A[0, 0])\n"
                                "  end\n"
                                "end\n";

static void check(enum perfpred_status status, const struct perfpred_error *error) {
  if (status == PERFPRED_OK)
    return;
  fprintf(stderr, "register_kernel: %s\n", error->text);
  exit(1);
}

int main(int argc, char **argv) {
  const int64_t values[] = { argc > 1 ? atoll(argv[1]) : 200, argc > 2 ? atoll(argv[2]) : 20 };
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_context *context;
  struct perfpred_program *program;
  struct perfpred_sampler *sampler;
  struct perfpred_models *models;
  struct perfpred_plan *plan;
  struct perfpred_error error;

  check(perfpred_context_create(&context, &error), &error);
  check(perfpred_kernel_register_function(context, kernel, smooth, NULL, &error), &error);
  check(perfpred_program_parse(context, algorithm, sizeof algorithm - 1, "sweeps", &program, &error), &error);
  check(perfpred_sampler_create_local(context, dgelsy_, &sampler, &error), &error);
  options.n_upper = values[0];
  options.budget_s = 2.0;
  const struct perfpred_program *list[] = { program };
  check(perfpred_generate(context, sampler, list, 1, &options, &models, NULL, &error), &error);
  check(perfpred_plan_create(program, models, NULL, &plan, &error), &error);
  check(perfpred_plan_predict(plan, values, 2, &prediction, &error), &error);
  check(perfpred_measure(sampler, program, values, 2, NULL, &measurement, &error), &error);

  printf("%lld double sweeps over a matrix of order %lld\n", (long long)values[1], (long long)values[0]);
  printf("predicted %.4f ms, measured %.4f ms (noise %.1f %%), error %+.1f %%\n", 1e3 * prediction.time_s.med,
         1e3 * measurement.time_s.med, 100.0 * measurement.noise,
         100.0 * (prediction.time_s.med / measurement.time_s.med - 1.0));

  perfpred_plan_destroy(plan);
  perfpred_models_unref(models);
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  return 0;
}
