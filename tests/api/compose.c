/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of the catalogue that are composed of others, on a virtual clock: models for them are derived and generated, and predictions
   are the sums that their definitions say. */
#include <stdio.h>

#include "world.h"

#define RATE 1e9
#define CALL 1e-6

static struct perfpred_program *found(const struct perfpred_context *context, const char *name) {
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_program_find(context, name, &program, &error), error);
  return program;
}

/* --- 64 algorithms for the Sylvester equation ---------------------------------------------------------------------------- */

enum { SYLV = 64 };
static struct perfpred_context *context;
static struct perfpred_program *programs[SYLV];
static struct perfpred_models *models;
static struct perfpred_plan *plans[SYLV];

static double at_least_8(int64_t size) {
  return size < 8 ? 8.0 : (double)size;
}

/* Seconds of one call. A product writes its result once for every call, which is what the algorithms differ in. */
static double trsyl_s(int64_t m, int64_t n) {
  const double x = at_least_8(m), y = at_least_8(n);
  return x * y * (x + y) / RATE;
}

static double gemm_s(const double *per_element, int64_t m, int64_t n, int64_t k) {
  if (m == 0 || n == 0 || k == 0)
    return 0.0;
  const double x = at_least_8(m), y = at_least_8(n), z = at_least_8(k);
  return 2 * x * y * z / RATE + x * y * *per_element;
}

static double sylv_cost(void *data, const struct perfpred_virtual_call *call) {
  if (strcmp(call->kernel_name, "dtrsyl") == 0)
    return trsyl_s(call->sizes[0], call->sizes[1]);
  if (strcmp(call->kernel_name, "dgemm") == 0)
    return gemm_s(data, call->sizes[0], call->sizes[1], call->sizes[2]);
  return (double)NAN;
}

static void begin(double *per_element) {
  const struct perfpred_program *list[SYLV];
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_error error;
  size_t count = 0;
  context = make_context();
  for (size_t i = 0; i < perfpred_program_count(context); i++) {
    struct perfpred_program *program = found(context, perfpred_program_name_at(context, i));
    if (strcmp(perfpred_program_operation(program), "sylv") != 0) {
      perfpred_program_unref(program);
      continue;
    }
    cr_assert_lt(count, SYLV);
    list[count] = programs[count] = program;
    count++;
  }
  cr_assert_eq(count, SYLV);
  options.n_lower = 8;
  options.n_upper = 128;
  options.b_lower = 8;
  options.b_upper = 32;
  struct perfpred_sampler *sampler = virtual_sampler(context, sylv_cost, per_element);
  cr_assert_ok(perfpred_generate(context, sampler, list, SYLV, &options, &models, NULL, &error), error);
  perfpred_sampler_destroy(sampler);
  for (int i = 0; i < SYLV; i++)
    plans[i] = make_plan(programs[i], models);
}

static void finish(void) {
  for (int i = 0; i < SYLV; i++) {
    perfpred_plan_destroy(plans[i]);
    perfpred_program_unref(programs[i]);
  }
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
}

static struct perfpred_prediction predict(const struct perfpred_plan *plan, const int64_t *parameters, size_t count) {
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_error error;
  cr_assert_ok(perfpred_plan_predict(plan, parameters, count, &prediction, &error), error);
  return prediction;
}

/* All do the same flops: where time is flops / rate, all take m n (m + n) / rate. */
Test(compose, sylvester_flops) {
  static const int64_t points[][3] = {
    { 128, 96, 16 }, { 96, 128, 32 }, { 64, 64, 8 }, { 8, 128, 24 }, { 120, 40, 24 }
  };
  double nothing = 0.0;
  begin(&nothing);
  for (int i = 0; i < SYLV; i++)
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
      const struct perfpred_prediction prediction = predict(plans[i], points[k], 3);
      const double m = (double)points[k][0], n = (double)points[k][1];
      cr_expect_float_eq(prediction.time_s.med, m * n * (m + n) / RATE, 1e-6 * m * n * (m + n) / RATE, "%s: %g",
                         perfpred_program_name(programs[i]), prediction.time_s.med);
      cr_expect_eq(prediction.flops, m * n * (m + n));
    }
  finish();
}

/* The eight one-dimensional ones by loops of their own. */
static double inner_s(char kind, const double *per_element, int64_t m, int64_t n, int64_t b) {
  const bool vertical = kind == 'm' || kind == 'M';
  const int64_t size = vertical ? m : n, other = vertical ? n : m;
  double sum = 0.0;
  for (int64_t done = 0; done < size; done += b) {
    const int64_t w = size - done < b ? size - done : b, left = size - done - w;
    const int64_t updated = kind == 'm' || kind == 'n' ? w : left, from = kind == 'm' || kind == 'n' ? done : w;
    sum += vertical ? gemm_s(per_element, updated, other, from) + trsyl_s(w, other)
                    : gemm_s(per_element, other, updated, from) + trsyl_s(other, w);
  }
  return sum;
}

static double outer_s(const char *kinds, const double *per_element, int64_t m, int64_t n, int64_t b) {
  const bool vertical = kinds[0] == 'm' || kinds[0] == 'M';
  const int64_t size = vertical ? m : n, other = vertical ? n : m;
  double sum = 0.0;
  for (int64_t done = 0; done < size; done += b) {
    const int64_t w = size - done < b ? size - done : b, left = size - done - w;
    const bool lazy = kinds[0] == 'm' || kinds[0] == 'n';
    const int64_t updated = lazy ? w : left, from = lazy ? done : w;
    sum += vertical ? gemm_s(per_element, updated, other, from) + inner_s(kinds[1], per_element, w, n, b)
                    : gemm_s(per_element, other, updated, from) + inner_s(kinds[1], per_element, m, w, b);
  }
  return sum;
}

Test(compose, sylvester_ranking) {
  static const struct {
    const char *name, *kinds; /* capital: eager */
  } one_dimensional[] = { { "sylv-m1n1", "mn" }, { "sylv-m1n2", "mN" }, { "sylv-m2n1", "Mn" }, { "sylv-m2n2", "MN" },
                          { "sylv-n1m1", "nm" }, { "sylv-n1m2", "nM" }, { "sylv-n2m1", "Nm" }, { "sylv-n2m2", "NM" } };
  static const int64_t point[] = { 128, 96, 16 };
  double per_element = 5e-9, sum = 0.0, least = INFINITY;
  struct perfpred_ranked ranking[SYLV];
  struct perfpred_error error;
  int met = 0;
  begin(&per_element);
  cr_assert_ok(perfpred_rank((const struct perfpred_plan *const *)plans, SYLV, point, 3, NULL, ranking, &error), error);
  for (int i = 0; i < SYLV; i++) {
    const char *name = perfpred_program_name(programs[ranking[i].plan]);
    sum += ranking[i].likelihood;
    if (i > 0)
      cr_expect_geq(ranking[i].time_s.med, ranking[i - 1].time_s.med);
    for (int k = 0; k < 8; k++)
      if (strcmp(one_dimensional[k].name, name) == 0) {
        const double wanted = outer_s(one_dimensional[k].kinds, &per_element, point[0], point[1], point[2]);
        cr_expect_float_eq(ranking[i].time_s.med, wanted, 1e-6 * wanted, "%s: %g, not %g", name, ranking[i].time_s.med,
                           wanted);
        least = wanted < least ? wanted : least;
        met++;
      }
  }
  cr_expect_eq(met, 8);
  cr_expect_float_eq(sum, 1.0, 1e-9);
  cr_expect_leq(ranking[0].time_s.med, least * (1 + 1e-6));
  /* Eager ones write more: of the one-dimensional ones m1n1 or n1m1 is the fastest. */
  cr_expect_eq(least, fmin(outer_s("mn", &per_element, 128, 96, 16), outer_s("nm", &per_element, 128, 96, 16)));
  finish();
}

/* A prediction visits every call once: 2 q^2 and a few per step for q blocks each way, worked out by hand for some. */
Test(compose, sylvester_steps) {
  static const struct {
    const char *name;
    int per_step;
  } known[] = { { "sylv-m1n1", 1 },     { "sylv-n2m2", 1 },     { "sylv-d01-m1n1", 3 }, { "sylv-d02-m2n1", 4 },
                { "sylv-d04-m1n2", 5 }, { "sylv-d05-m1m2", 2 }, { "sylv-d14-m2n2", 3 } };
  const int64_t point[] = { 128, 128, 8 }, q = 16;
  double nothing = 0.0;
  begin(&nothing);
  for (int i = 0; i < SYLV; i++) {
    const uint64_t calls = predict(plans[i], point, 3).calls;
    cr_expect_leq(calls, (uint64_t)(2 * q * q + 5 * q), "%s", perfpred_program_name(programs[i]));
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (strcmp(known[k].name, perfpred_program_name(programs[i])) == 0)
        cr_expect_eq(calls, (uint64_t)(2 * q * q + known[k].per_step * q), "%s: %d", known[k].name, (int)calls);
  }
  finish();
}

/* --- The others ------------------------------------------------------------------------------------------------------------- */

static double one_call(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  (void)call;
  return CALL;
}

/* Where every call takes the same time, the prediction counts the calls with work. */
Test(compose, calls_with_work) {
  static const struct {
    const char *name;
    int count;
    int64_t parameters[6];
    int calls;
  } cases[] = {
    { "chol-l-tiled", 2, { 160, 32 }, 35 }, /* q = 5: q + q(q-1) + q(q-1)(q-2)/6 */
    { "chol-u-tiled", 2, { 160, 32 }, 35 },
    { "chol-l-rec", 2, { 128, 32 }, 10 }, /* four leaves, three nodes of two calls */
    { "chol-u-rec", 2, { 128, 32 }, 10 },
    { "trinv-l-rec", 2, { 128, 32 }, 10 },
    { "trinv-u-rec", 2, { 128, 32 }, 10 },
    { "sylv-rec", 3, { 128, 128, 64 }, 7 },           /* four leaves, three products */
    { "sylv2-d14-m1n1", 4, { 128, 128, 64, 64 }, 8 }, /* 7 for the first block, which updates the others */
    { "chain-2", 3, { 40, 48, 56 }, 1 },
    { "chain-3-2", 4, { 40, 48, 56, 64 }, 2 },
    { "chain-4-3", 5, { 40, 48, 56, 64, 72 }, 3 },
    { "chain-5-9", 6, { 40, 48, 56, 64, 72, 80 }, 4 },
  };
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  options.n_upper = 160;
  options.b_upper = 64;
  context = make_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct perfpred_program *program = found(context, cases[i].name);
    struct perfpred_models *made = virtual_models(context, &program, 1, &options, one_call, NULL);
    struct perfpred_plan *plan = make_plan(program, made);
    const struct perfpred_prediction prediction = predict(plan, cases[i].parameters, (size_t)cases[i].count);
    cr_expect_float_eq(prediction.time_s.med, cases[i].calls * CALL, 1e-3 * CALL, "%s: %g calls", cases[i].name,
                       prediction.time_s.med / CALL);
    perfpred_plan_destroy(plan);
    perfpred_models_unref(made);
    perfpred_program_unref(program);
  }
  perfpred_context_destroy(context);
}

/* --- Matrix chains ------------------------------------------------------------------------------------------------------- */

static double by_flops(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return call->flops / RATE;
}

/* Multiplications of the matrices from first on, in all ways to set the brackets, each to one place of costs; their number. */
static int chain_costs(const int64_t *sizes, int matrices, double *costs) {
  double left[14], right[14];
  int count = 0;
  if (matrices == 1) {
    costs[0] = 0.0;
    return 1;
  }
  for (int k = 1; k < matrices; k++) {
    const int lefts = chain_costs(sizes, k, left), rights = chain_costs(sizes + k, matrices - k, right);
    for (int i = 0; i < lefts; i++)
      for (int j = 0; j < rights; j++)
        costs[count++] = left[i] + right[j] + (double)(sizes[0] * sizes[k] * sizes[matrices]);
  }
  return count;
}

static int by_size(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Where time is flops by rate, the ranking of a chain is that of the multiplications of all ways to set its brackets. */
Test(compose, chains_are_ranked) {
  static const int64_t sizes[] = { 48, 200, 16, 120, 80, 32 };
  static const int ways[] = { 0, 0, 1, 2, 5, 14 };
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_error error;
  options.n_upper = 200;
  context = make_context();
  for (int matrices = 2; matrices <= 5; matrices++) {
    struct perfpred_ranked ranking[14];
    double costs[14];
    char operation[16];
    int count = 0;
    snprintf(operation, sizeof operation, "chain-%d", matrices);
    for (size_t i = 0; i < perfpred_program_count(context); i++)
      if (strcmp(perfpred_program_operation_at(context, i), operation) == 0)
        programs[count++] = found(context, perfpred_program_name_at(context, i));
    cr_assert_eq(count, ways[matrices]);
    models = virtual_models(context, programs, 1, &options, by_flops, NULL); /* dgemm is all there is */
    for (int i = 0; i < count; i++)
      plans[i] = make_plan(programs[i], models);
    cr_assert_ok(perfpred_rank((const struct perfpred_plan *const *)plans, (size_t)count, sizes, (size_t)matrices + 1,
                               NULL, ranking, &error),
                 error);
    cr_assert_eq(chain_costs(sizes, matrices, costs), count);
    qsort(costs, (size_t)count, sizeof costs[0], by_size);
    for (int i = 0; i < count; i++)
      cr_expect_float_eq(ranking[i].time_s.med, 2 * costs[i] / RATE, 1e-6 * costs[i] / RATE, "%s, place %d: %g, not %g",
                         operation, i, ranking[i].time_s.med, 2 * costs[i] / RATE);
    for (int i = 0; i < count; i++) {
      perfpred_plan_destroy(plans[i]);
      perfpred_program_unref(programs[i]);
    }
    perfpred_models_unref(models);
  }
  perfpred_context_destroy(context);
}
