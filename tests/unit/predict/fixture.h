/* SPDX-License-Identifier: BSD-3-Clause */
/* A small world whose predictions can be worked by hand: dfill(m, n) takes m n microseconds, dpart(n) takes n^2. */
#ifndef PPI_TEST_PREDICT_FIXTURE_H
#define PPI_TEST_PREDICT_FIXTURE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/predict.h"
#include "program/registry.h"

/* Each statistic as a multiple of the median. */
#define MIN_SHARE 0.75
#define MAX_SHARE 2.0
#define MEAN_SHARE 1.25
#define STD_SHARE 0.5

static const char fixture_text[] = "perfpred-text 1\n"
                                   "kernel dfill(m: size, n: size, a: inout matrix[m, n], lda)\n"
                                   "  mul m*n\n"
                                   "end\n"
                                   "kernel dpart(uplo: flag L U, n: size, a: inout matrix[n, n], lda)\n"
                                   "  mul n*n\n"
                                   "end\n"
                                   "kernel dline(n: size, x: inout vector[n], incx)\n"
                                   "  mul n\n"
                                   "end\n"
                                   "algorithm steps(n, b)\n"
                                   "  cost 2*n*n\n"
                                   "  inout A: double matrix[n, n]\n"
                                   "  for i in 0:n by b as w\n"
                                   "    let r = n - i - w\n"
                                   "    dpart(L, w, A[i, i])\n"
                                   "    dfill(w, r, A[i, i+w])\n"
                                   "  end\n"
                                   "end\n";

struct fixture {
  struct ppi_kernels *kernels;
  struct ppi_programs *programs;
  struct perfpred_models *models;
};

static inline void fixture_begin(struct fixture *fixture) {
  cr_assert_eq(ppi_kernels_create(&fixture->kernels, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_programs_create(fixture->kernels, &fixture->programs, NULL), PERFPRED_OK);
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(
      ppi_programs_add_text(fixture->programs, fixture->kernels, fixture_text, strlen(fixture_text), "fixture", &error),
      PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_models_create(&fixture->models, NULL), PERFPRED_OK);
}

static inline void fixture_end(struct fixture *fixture) {
  perfpred_models_unref(fixture->models);
  ppi_programs_destroy(fixture->programs);
  ppi_kernels_destroy(fixture->kernels);
}

/* One piece on [lower, upper] in every size: median = the coefficient of the product of all sizes to `degree`. */
static inline void fixture_model_in(struct fixture *fixture, const char *context, const char *kernel,
                                    const char *case_text, int64_t lower, int64_t upper, int degree, double coefficient,
                                    double error) {
  const struct perfpred_kernel *found = ppi_kernels_find(fixture->kernels, kernel);
  cr_assert_not_null(found);
  struct ppi_submodel submodel;
  memset(&submodel, 0, sizeof submodel);
  submodel.kernel = ppi_kernel_ref(found);
  strcpy(submodel.case_text, case_text);
  strcpy(submodel.context, context);
  submodel.dimensions = found->size_count;
  submodel.split_count = submodel.piece_count = 1;
  submodel.splits = calloc(1, sizeof *submodel.splits);
  submodel.pieces = calloc(1, sizeof *submodel.pieces);
  struct ppi_piece *piece = submodel.pieces;
  submodel.splits->dimension = -1;
  piece->count = 1;
  for (int d = 0; d < submodel.dimensions; d++) {
    submodel.lower[d] = piece->lower[d] = lower;
    submodel.upper[d] = piece->upper[d] = upper;
    piece->degrees[d] = degree;
    piece->scale[d] = 1.0;
    piece->count *= degree + 1;
  }
  piece->error = error;
  piece->coefficients = calloc((size_t)(PPI_STATISTICS * piece->count), sizeof *piece->coefficients);
  const double shares[PPI_STATISTICS] = { MIN_SHARE, 1.0, MAX_SHARE, MEAN_SHARE, STD_SHARE };
  for (int s = 0; s < PPI_STATISTICS; s++) /* the last one: the highest power in every size */
    piece->coefficients[s * piece->count + piece->count - 1] = coefficient * shares[s];
  cr_assert_eq(ppi_case_parse(found, case_text, submodel.values, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_models_append(fixture->models, &submodel, NULL), PERFPRED_OK);
}

static inline void fixture_model(struct fixture *fixture, const char *kernel, const char *case_text, int64_t lower,
                                 int64_t upper, int degree, double coefficient, double error) {
  fixture_model_in(fixture, "", kernel, case_text, lower, upper, degree, coefficient, error);
}

static inline void fixture_models(struct fixture *fixture) {
  fixture_model(fixture, "dfill", "", 1, 1000, 1, 1e-6, 0.02);
  fixture_model(fixture, "dpart", "L", 1, 1000, 2, 1e-6, 0.04);
}

static inline struct perfpred_program *fixture_program(struct fixture *fixture, const char *text) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_program_parse(fixture->programs, fixture->kernels, text, strlen(text), "test", &program, &error),
               PERFPRED_OK, "%s", error.text);
  return program;
}

static inline struct perfpred_plan *fixture_plan(struct fixture *fixture, struct perfpred_program *program,
                                                 const struct perfpred_plan_options *options) {
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_create(program, fixture->models, options, &plan, &error), PERFPRED_OK, "%s", error.text);
  return plan;
}

static inline double predicted(const struct perfpred_plan *plan, const int64_t *parameters, size_t count) {
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_eq(perfpred_plan_predict(plan, parameters, count, &prediction, &error), PERFPRED_OK, "%s", error.text);
  return prediction.time_s.med;
}

#define cr_assert_near(actual, wanted)                                                                                 \
  cr_assert(fabs((actual) - (wanted)) <= 1e-12 * fabs(wanted), "%s is %.17g, expected %.17g", #actual,                 \
            (double)(actual), (double)(wanted))

#endif
