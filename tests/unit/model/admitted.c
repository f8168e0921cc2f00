/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of kernels that demand m >= n >= k and the like: nothing else is ever asked for, and what is asked for is enough. */
#include "fixture.h"

/* A laboratory that refuses what LAPACK would refuse. */
struct strict_lab {
  struct lab lab;
  long refused;
};

static enum perfpred_status strict_sample(void *data, const struct ppi_request *requests, size_t count,
                                          const struct ppi_sampling *sampling, struct ppi_result *results,
                                          struct perfpred_error *error) {
  struct strict_lab *strict = data;

  for (size_t i = 0; i < count; i++) {
    enum perfpred_status status = ppi_kernel_check(requests[i].kernel, requests[i].values, error);

    strict->refused += status != PERFPRED_OK;
    if (status)
      return status;
  }
  return lab_sample(&strict->lab, requests, count, sampling, results, error);
}

static double now(void *data) {
  return lab_now(&((struct strict_lab *)data)->lab);
}

static enum perfpred_status solve(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                  struct perfpred_error *error) {
  return lab_solve(&((struct strict_lab *)data)->lab, m, n, nrhs, a, b, rank, error);
}

/* org2r, and a bend in n at 100 to make trees grow. */
static double three_sizes(const int64_t *sizes) {
  double m = (double)sizes[0], n = (double)sizes[1], k = (double)sizes[2];

  return 1e-6 + 1e-9 * (4.0 * m * n * k - 2.0 * (m + n) * k * k + 4.0 / 3.0 * k * k * k) +
         2e-8 * (m + fmax(0.0, n - 100.0) * n);
}

static struct perfpred_models *generate(struct strict_lab *lab, const char *name, const char *case_text,
                                        const int64_t *lower, const int64_t *upper,
                                        const struct perfpred_generate_options *knobs, enum perfpred_status expected,
                                        struct perfpred_error *error) {
  struct perfpred_kernel *kernel = catalogue_kernel(name);
  struct ppi_target target = target_of(kernel, case_text, lower, upper);
  struct ppi_source source = { strict_sample, solve, now, lab };
  struct perfpred_models *models = NULL;

  ppi_error_clear(error);
  cr_assert_eq(ppi_generate(&target, 1, &source, knobs, &models, NULL, error), expected, "%s: %s", name, error->text);
  ppi_kernel_unref(kernel);
  cr_expect_eq(lab->refused, 0, "%s", error->text);
  return models;
}

static struct perfpred_generate_options knobs_of(enum perfpred_generator generator) {
  struct perfpred_generate_options knobs = PERFPRED_GENERATE_OPTIONS_INIT;

  knobs.repetitions = 2;
  knobs.generator = generator;
  return knobs;
}

static void expect_org2r(enum perfpred_generator generator, double budget_s) {
  static const int64_t lower[] = { 8, 8, 8 }, upper[] = { 208, 208, 208 };
  struct strict_lab lab = { { .time_s = three_sizes }, 0 };
  struct perfpred_generate_options knobs = knobs_of(generator);
  struct perfpred_models *models;
  struct perfpred_error error;
  double worst = 0.0, sum = 0.0;
  int count = 0;

  knobs.budget_s = budget_s;
  models = generate(&lab, "dorg2r", "", lower, upper, &knobs, PERFPRED_OK, &error);
  cr_expect_eq(ppi_submodel_check(models->submodels, "models[0]", NULL), PERFPRED_OK);
  for (int64_t m = 8; m <= 208; m += 8)
    for (int64_t n = 8; n <= m; n += 8)
      for (int64_t k = 8; k <= n; k += 8, count++) {
        const int64_t sizes[] = { m, n, k };
        struct perfpred_statistics time;

        cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 3, &time), 0);
        worst = fmax(worst, relative(time.min, three_sizes(sizes)));
        sum += relative(time.min, three_sizes(sizes));
      }
  cr_expect_lt(sum / count, 0.01, "mean error %g", sum / count);
  cr_expect_lt(worst, 0.2, "largest error %g", worst);
  perfpred_models_unref(models);
}

Test(admitted, are_met_by_the_published_generator, .timeout = 60) {
  expect_org2r(PERFPRED_GENERATOR_PUBLISHED, 0.0);
}

Test(admitted, are_met_within_a_budget, .timeout = 60) {
  expect_org2r(PERFPRED_GENERATOR_PUBLISHED, 20.0);
}

Test(admitted, are_met_by_the_adaptive_generator, .timeout = 60) {
  expect_org2r(PERFPRED_GENERATOR_ADAPTIVE, 0.0);
}

/* nb is fixed; the lower corner and, for the second domain, all corners but one are not admitted. */
Test(admitted, of_panels) {
  static const struct {
    const char *name, *case_text;
    int64_t lower[3], upper[3];
  } rows[] = {
    { "dlahr2", "", { 8, 8, 32 }, { 200, 200, 32 } },   { "dlahr2", "", { 8, 176, 24 }, { 200, 200, 32 } },
    { "dlabrd", "", { 8, 8, 24 }, { 200, 200, 24 } },   { "dlarft", "F,C", { 8, 8 }, { 500, 64 } },
    { "dorm2r", "R,T", { 8, 8, 8 }, { 200, 200, 64 } },
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int generator = 0; generator < 2; generator++) {
      struct strict_lab lab = { { .time_s = three_sizes }, 0 };
      struct perfpred_generate_options knobs =
          knobs_of(generator ? PERFPRED_GENERATOR_ADAPTIVE : PERFPRED_GENERATOR_PUBLISHED);
      struct perfpred_error error;

      knobs.error_bound = 0.05;
      perfpred_models_unref(
          generate(&lab, rows[i].name, rows[i].case_text, rows[i].lower, rows[i].upper, &knobs, PERFPRED_OK, &error));
      cr_expect_gt(lab.lab.requests, 0);
    }
}

Test(admitted, that_no_size_of_a_domain_meets) {
  static const int64_t lower[] = { 8, 104, 8 }, upper[] = { 96, 200, 64 };
  struct strict_lab lab = { { .time_s = three_sizes }, 0 };
  struct perfpred_generate_options knobs = knobs_of(PERFPRED_GENERATOR_PUBLISHED);
  struct perfpred_error error;

  cr_expect_null(generate(&lab, "dorg2r", "", lower, upper, &knobs, PERFPRED_INVALID, &error));
  cr_expect_not_null(strstr(error.text, "dorg2r: m = 96, n = 200; expected m >= n"), "%s", error.text);
  cr_expect_eq(lab.lab.requests, 0);
}
