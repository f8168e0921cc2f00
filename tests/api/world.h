/* SPDX-License-Identifier: BSD-3-Clause */
/* What most of these tests need: a context, programs, and models of a virtual clock. Public headers alone. */
#ifndef PERFPRED_TEST_API_WORLD_H
#define PERFPRED_TEST_API_WORLD_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfpred/perfpred.h>

extern void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                    int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);

#define cr_assert_ok(expression, error)                                                                                \
  do {                                                                                                                 \
    enum perfpred_status status_ = (expression);                                                                       \
    cr_assert_eq(status_, PERFPRED_OK, "%s: %s: %s", #expression, perfpred_status_name(status_), (error).text);        \
  } while (0)

#define cr_assert_close(actual, wanted, relative)                                                                      \
  cr_assert(fabs((actual) - (wanted)) <= (relative)*fabs(wanted), "%s is %.12g, expected %.12g", #actual,              \
            (double)(actual), (double)(wanted))

static inline struct perfpred_context *make_context(void) {
  struct perfpred_context *context = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_context_create(&context, &error), error);
  return context;
}

static inline struct perfpred_program *parse(const struct perfpred_context *context, const char *text) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_program_parse(context, text, strlen(text), "test", &program, &error), error);
  return program;
}

static inline struct perfpred_sampler *virtual_sampler(const struct perfpred_context *context, perfpred_cost_fn *cost,
                                                       void *data) {
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_sampler_create_virtual(context, cost, data, dgelsy_, &sampler, &error), error);
  return sampler;
}

/* Models of the programs on a virtual clock; options may be NULL. Where they name no generator it is the published one, which goes through
   every point that it samples: what is made of the estimates can then be told exactly. */
static inline struct perfpred_models *virtual_models(const struct perfpred_context *context,
                                                     struct perfpred_program *const *programs, size_t count,
                                                     const struct perfpred_generate_options *options,
                                                     perfpred_cost_fn *cost, void *data) {
  const struct perfpred_program *list[16];
  struct perfpred_generate_options named = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  for (size_t i = 0; i < count; i++)
    list[i] = programs[i];
  if (options)
    named = *options;
  if (named.generator == PERFPRED_GENERATOR_DEFAULT)
    named.generator = PERFPRED_GENERATOR_PUBLISHED;
  struct perfpred_sampler *sampler = virtual_sampler(context, cost, data);
  cr_assert_ok(perfpred_generate(context, sampler, list, count, &named, &models, NULL, &error), error);
  perfpred_sampler_destroy(sampler);
  return models;
}

static inline struct perfpred_plan *make_plan(struct perfpred_program *program, struct perfpred_models *models) {
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_plan_create(program, models, NULL, &plan, &error), error);
  return plan;
}

/* The three Cholesky algorithms, lower. */
static const char chol_1[] = "perfpred-text 1\n"
                             "algorithm one(n, b)\n"
                             "  cost n*(n+1)*(2*n+1)/6\n"
                             "  inout A: double spd triangle(L)[n]\n"
                             "  for i in 0:n by b as w\n"
                             "    dtrsm(R, L, T, N, w, i, 1, A[0, 0], A[i, 0])\n"
                             "    dsyrk(L, N, w, i, -1, A[i, 0], 1, A[i, i])\n"
                             "    dpotrf2(L, w, A[i, i])\n"
                             "  end\n"
                             "end\n";
static const char chol_2[] = "perfpred-text 1\n"
                             "algorithm two(n, b)\n"
                             "  cost n*(n+1)*(2*n+1)/6\n"
                             "  inout A: double spd triangle(L)[n]\n"
                             "  for i in 0:n by b as w\n"
                             "    let r = n - i - w\n"
                             "    dsyrk(L, N, w, i, -1, A[i, 0], 1, A[i, i])\n"
                             "    dgemm(N, T, r, w, i, -1, A[i+w, 0], A[i, 0], 1, A[i+w, i])\n"
                             "    dpotrf2(L, w, A[i, i])\n"
                             "    dtrsm(R, L, T, N, r, w, 1, A[i, i], A[i+w, i])\n"
                             "  end\n"
                             "end\n";
static const char chol_3[] = "perfpred-text 1\n"
                             "algorithm three(n, b)\n"
                             "  cost n*(n+1)*(2*n+1)/6\n"
                             "  inout A: double spd triangle(L)[n]\n"
                             "  for i in 0:n by b as w\n"
                             "    let r = n - i - w\n"
                             "    dpotrf2(L, w, A[i, i])\n"
                             "    dtrsm(R, L, T, N, r, w, 1, A[i, i], A[i+w, i])\n"
                             "    dsyrk(L, N, r, w, -1, A[i+w, i], 1, A[i+w, i+w])\n"
                             "  end\n"
                             "end\n";

#endif
