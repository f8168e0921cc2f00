/* SPDX-License-Identifier: BSD-3-Clause */
/* An autotuner that asks a predictor instead of the machine: which variant of an operation, which block size, how many threads? A batch
 * of configurations goes in, an array of medians comes out; the search itself is the tuner's own business. Here it is exhaustive and,
 * where NLopt is there, DIRECT over the same box.
 *
 *   autotune [N]      default: 1000
 *
 * The models are of an invented machine, so that the output is the same everywhere: a real autotuner loads a file of
 * `perfpred generate --for chol-l --threads 1,2`. */
#include <perfpred/perfpred.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef WITH_NLOPT
#include <nlopt.h>
#endif

#define B_LOWER 8
#define B_UPPER 256
#define VARIANTS 3
#define THREADS 2

/* Fits need least squares: LAPACK's routine, of whichever library the program has. */
extern perfpred_dgelsy_fn dgelsy_;

static const char *const names[VARIANTS] = { "chol-l-1", "chol-l-2", "chol-l-3" };

/* What is searched: a plan for each variant and number of threads. */
struct space {
  int64_t n;
  struct perfpred_plan *plans[VARIANTS][THREADS];
  long evaluations;
};

struct configuration {
  int variant, threads;
  int64_t b;
  double time_s;
};

static void check(enum perfpred_status status, const struct perfpred_error *error) {
  if (status == PERFPRED_OK)
    return;
  fprintf(stderr, "autotune: %s\n", error->text);
  exit(1);
}

/* Kernels are slow on small operands, and threads cost something to start. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const int threads = *(const int *)data;
  double least = (double)call->sizes[0];
  for (size_t i = 1; i < call->size_count; i++)
    least = fmin(least, (double)call->sizes[i]);
  return 1e-6 + 4e-6 * (threads - 1) + call->flops / (4e10 * pow(threads, 0.9) * (1.0 - exp(-least / 60.0)));
}

static struct perfpred_models *models_for(struct perfpred_context *context, struct perfpred_program *const *programs,
                                          int64_t n, int threads) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *const list[VARIANTS] = { programs[0], programs[1], programs[2] };
  struct perfpred_sampler *sampler;
  struct perfpred_models *models;
  struct perfpred_error error;
  options.n_upper = n;
  options.b_lower = B_LOWER;
  options.b_upper = B_UPPER;
  options.error_bound = 0.05;
  options.repetitions = 2;
  check(perfpred_sampler_create_virtual(context, cost, &threads, dgelsy_, &sampler, &error), &error);
  check(perfpred_generate(context, sampler, list, VARIANTS, &options, &models, NULL, &error), &error);
  perfpred_sampler_destroy(sampler);
  return models;
}

static void open_space(struct perfpred_context *context, struct space *space) {
  struct perfpred_program *programs[VARIANTS];
  struct perfpred_error error;
  for (int i = 0; i < VARIANTS; i++)
    check(perfpred_program_find(context, names[i], &programs[i], &error), &error);
  for (int threads = 1; threads <= THREADS; threads++) {
    struct perfpred_models *models = models_for(context, programs, space->n, threads);
    for (int i = 0; i < VARIANTS; i++)
      check(perfpred_plan_create(programs[i], models, NULL, &space->plans[i][threads - 1], &error), &error);
    perfpred_models_unref(models);
  }
  for (int i = 0; i < VARIANTS; i++)
    perfpred_program_unref(programs[i]);
}

static void close_space(struct space *space) {
  for (int i = 0; i < VARIANTS; i++)
    for (int k = 0; k < THREADS; k++)
      perfpred_plan_destroy(space->plans[i][k]);
}

/* All of the box: one batch for each plan. */
static struct configuration search_all(struct space *space) {
  enum { COUNT = B_UPPER - B_LOWER + 1 };
  static int64_t values[2 * COUNT];
  static double medians_s[COUNT];
  struct configuration best = { .time_s = INFINITY };
  struct perfpred_error error;
  for (int64_t i = 0; i < COUNT; i++) {
    values[2 * i] = space->n;
    values[2 * i + 1] = B_LOWER + i;
  }
  for (int variant = 0; variant < VARIANTS; variant++)
    for (int threads = 1; threads <= THREADS; threads++) {
      check(perfpred_plan_evaluate(space->plans[variant][threads - 1], values, COUNT, 2, medians_s, NULL, NULL, &error),
            &error);
      space->evaluations += COUNT;
      for (int64_t i = 0; i < COUNT; i++)
        if (medians_s[i] < best.time_s) /* NaN, no prediction, is no candidate */
          best = (struct configuration){ variant, threads, B_LOWER + i, medians_s[i] };
    }
  return best;
}

static void print_result(const char *how, const struct configuration *best, long evaluations) {
  printf("%-11s %s b = %lld on %d thread%s: %.4f ms, %ld evaluations\n", how, names[best->variant], (long long)best->b,
         best->threads, best->threads == 1 ? "" : "s", 1e3 * best->time_s, evaluations);
}

#ifdef WITH_NLOPT
/* NLopt knows real numbers alone: x is variant, block size, threads. */
static struct configuration rounded(const double *x) {
  return (struct configuration){ (int)lround(x[0]), (int)lround(x[2]), lround(x[1]), 0.0 };
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is that of NLopt */
static double objective(unsigned count, const double *x, double *gradient, void *data) {
  struct space *space = data;
  const struct configuration here = rounded(x);
  const int64_t values[] = { space->n, here.b };
  double median_s = 0.0;
  (void)count;
  (void)gradient;
  space->evaluations++;
  perfpred_plan_evaluate(space->plans[here.variant][here.threads - 1], values, 1, 2, &median_s, NULL, NULL, NULL);
  return isnan(median_s) ? 1e9 : median_s;
}

static struct configuration search_nlopt(struct space *space) {
  const double lower[] = { -0.49, B_LOWER, 0.51 }, upper[] = { VARIANTS - 0.51, B_UPPER, THREADS + 0.49 };
  double x[] = { 0.0, 64.0, 1.0 }, best_s = INFINITY;
  nlopt_opt search = nlopt_create(NLOPT_GN_DIRECT, 3);
  nlopt_set_lower_bounds(search, lower);
  nlopt_set_upper_bounds(search, upper);
  nlopt_set_min_objective(search, objective, space);
  nlopt_set_maxeval(search, 200);
  if (nlopt_optimize(search, x, &best_s) < 0) {
    fprintf(stderr, "autotune: NLopt failed\n");
    exit(1);
  }
  nlopt_destroy(search);
  struct configuration best = rounded(x);
  best.time_s = best_s;
  return best;
}
#endif

int main(int argc, char **argv) {
  struct space space = { .n = argc > 1 ? atoll(argv[1]) : 1000 };
  struct perfpred_context *context;
  struct perfpred_error error;
  check(perfpred_context_create(&context, &error), &error);
  open_space(context, &space);

  const struct configuration best = search_all(&space);
  print_result("exhaustive:", &best, space.evaluations);
#ifdef WITH_NLOPT
  space.evaluations = 0;
  const struct configuration found = search_nlopt(&space);
  print_result("NLopt:", &found, space.evaluations);
  printf("NLopt's is %.2f %% slower\n", 100.0 * (found.time_s / best.time_s - 1.0));
  const int close_enough = found.time_s <= 1.02 * best.time_s;
#else
  const int close_enough = 1;
#endif

  close_space(&space);
  perfpred_context_destroy(context);
  return close_enough ? 0 : 1;
}
