/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates beside times in running algorithms, and fits to them. */
#include "world.h"

TestSuite(blending, .init = start, .fini = stop);

#define NEAR(actual, wanted)                                                                                           \
  cr_expect(fabs((actual) - (wanted)) <= 1e-12, "%s is %.15g, expected %.15g", #actual, (double)(actual),              \
            (double)(wanted))

/* Times as if models had told them: a microsecond for each line of the operands in the cache, two in the warm state, four in memory. */
static struct perfpred_cache *priced_of(const char *name, int64_t n, const struct perfpred_cache_options *options) {
  struct perfpred_cache *cache = analyzed(found(name), (int64_t[]){ n, 16 }, 2, options);
  for (size_t i = 0; i < cache->count; i++) {
    struct ppi_cache_call *call = &cache->calls[i];
    call->priced = !call->empty;
    cache->priced += call->priced;
    call->times_s[0] = 1e-6 * (double)call->lines;
    call->times_s[1] = 4e-6 * (double)call->lines;
    call->warm_s = 2e-6 * (double)call->lines;
  }
  ppi_cache_weigh(cache);
  return cache;
}

static struct perfpred_cache *priced(const struct perfpred_cache_options *options) {
  return priced_of("dgeqrf-nx0", 120, options);
}

Test(blending, comparing_averages_over_calls_and_over_all) {
  struct perfpred_cache_errors errors = PERFPRED_CACHE_ERRORS_INIT;
  const struct perfpred_cache_options options = one_level(600);
  struct perfpred_cache *cache = priced(&options);
  double *measured_s = malloc(cache->count * sizeof *measured_s);
  struct perfpred_error error;
  cr_assert_not_null(measured_s);
  for (size_t i = 0; i < cache->count; i++)
    measured_s[i] = cache->calls[i].priced ? cache->calls[i].warm_s : (double)NAN;
  cr_assert_eq(perfpred_cache_compare(cache, measured_s, cache->count, &errors, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(errors.calls, cache->priced);
  NEAR(errors.warm.mean_are, 0.0);
  NEAR(errors.in.mean_are, 0.5);
  NEAR(errors.in.total_re, -0.5);
  NEAR(errors.out.mean_are, 1.0);
  NEAR(errors.out.total_re, 1.0);
  cr_expect(errors.blend.total_re > -0.5 && errors.blend.total_re < 1.0);
  /* errors of two calls, one of -1/2 and one of 1, by hand: the mean is 3/4, that of the sum depends on their sizes */
  size_t first = 0, second = 0;
  for (size_t i = 0; i < cache->count; i++) {
    measured_s[i] = (double)NAN;
    if (!cache->calls[i].priced)
      continue;
    second = first;
    first = i;
  }
  measured_s[first] = cache->calls[first].times_s[1];   /* warm is half of that */
  measured_s[second] = cache->calls[second].times_s[0]; /* and twice that */
  const double all_s = measured_s[first] + measured_s[second];
  cr_assert_eq(perfpred_cache_compare(cache, measured_s, cache->count, &errors, NULL), PERFPRED_OK);
  cr_expect_eq(errors.calls, 2);
  NEAR(errors.warm.mean_are, 0.75);
  NEAR(errors.warm.total_re, (cache->calls[first].warm_s + cache->calls[second].warm_s - all_s) / all_s);
  measured_s[first] = 0.0;
  cr_expect_eq(perfpred_cache_compare(cache, measured_s, cache->count, &errors, &error), PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "above 0"));
  measured_s[first] = measured_s[second] = (double)NAN;
  cr_expect_eq(perfpred_cache_compare(cache, measured_s, cache->count, &errors, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_cache_compare(cache, measured_s, cache->count - 1, &errors, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_compare(cache, NULL, cache->count, &errors, &error), PERFPRED_INVALID);
  cache->priced = 0;
  cr_expect_eq(perfpred_cache_compare(cache, measured_s, cache->count, &errors, &error), PERFPRED_UNMODELLED);
  free(measured_s);
  perfpred_cache_destroy(cache);
}

/* Measured as another smoothing and other weights have it: a fit finds them. */
Test(blending, fitting_finds_what_made_the_times) {
  struct perfpred_cache_errors before = PERFPRED_CACHE_ERRORS_INIT, after = before;
  struct perfpred_cache_options options = one_level(600), fitted = PERFPRED_CACHE_OPTIONS_INIT;
  options.alpha = 9.0;
  options.beta = 1.0;
  options.weights[1] = 0.75;
  struct perfpred_cache *truth = priced(&options);
  double *measured_s = malloc(truth->count * sizeof *measured_s);
  struct perfpred_error error;
  cr_assert_not_null(measured_s);
  for (size_t i = 0; i < truth->count; i++)
    measured_s[i] = truth->calls[i].priced ? truth->calls[i].time_s : (double)NAN;
  options = one_level(600);
  struct perfpred_cache *cache = priced(&options);
  cr_assert_eq(perfpred_cache_compare(cache, measured_s, cache->count, &before, NULL), PERFPRED_OK);
  cr_assert_eq(perfpred_cache_fit((const struct perfpred_cache *const[]){ cache },
                                  (const double *const[]){ measured_s }, 1, &fitted, &error),
               PERFPRED_OK, "%s", error.text);
  cr_expect(fitted.alpha > 5.0 && fitted.beta < 2.0, "alpha %g, beta %g", fitted.alpha, fitted.beta);
  cr_expect(fabs(fitted.weights[0] - 1.0) < 0.05 && fabs(fitted.weights[1] - 0.75) < 0.05, "weights %g, %g",
            fitted.weights[0], fitted.weights[1]);
  perfpred_cache_destroy(cache);
  options.alpha = fitted.alpha;
  options.beta = fitted.beta;
  memcpy(options.weights, fitted.weights, sizeof options.weights);
  cache = priced(&options);
  cr_assert_eq(perfpred_cache_compare(cache, measured_s, cache->count, &after, NULL), PERFPRED_OK);
  cr_expect_lt(before.blend.mean_are > 0.05 ? after.blend.mean_are : 1.0, before.blend.mean_are / 4, "%g, then %g",
               before.blend.mean_are, after.blend.mean_are);
  fitted.size = 8;
  cr_expect_eq(perfpred_cache_fit((const struct perfpred_cache *const[]){ cache },
                                  (const double *const[]){ measured_s }, 1, &fitted, &error),
               PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_fit(NULL, NULL, 1, &options, &error), PERFPRED_INVALID);
  const struct perfpred_cache_options other = one_level(500);
  struct perfpred_cache *unlike = priced(&other);
  cr_expect_eq(perfpred_cache_fit((const struct perfpred_cache *const[]){ cache, unlike },
                                  (const double *const[]){ measured_s, measured_s }, 2, &options, &error),
               PERFPRED_INVALID);
  cr_expect_not_null(strstr(error.text, "levels"));
  perfpred_cache_destroy(unlike);
  perfpred_cache_destroy(cache);
  perfpred_cache_destroy(truth);
  free(measured_s);
}

/* Executions whose calls take a part of the way from the warm time to the blended one, times a factor. */
struct truth {
  const char *name;
  int64_t n;
  double part, factor;
};

#define TRUTHS 6

struct executions {
  struct perfpred_cache *caches[TRUTHS];
  double *measured_s[TRUTHS];
  size_t count;
};

static void execute(struct executions *all, const struct truth *truths, size_t count) {
  const struct perfpred_cache_options options = one_level(600);
  all->count = count;
  for (size_t i = 0; i < count; i++) {
    struct perfpred_cache *cache = all->caches[i] = priced_of(truths[i].name, truths[i].n, &options);
    all->measured_s[i] = malloc(cache->count * sizeof(double));
    cr_assert_not_null(all->measured_s[i]);
    for (size_t k = 0; k < cache->count; k++) {
      const struct ppi_cache_call *call = &cache->calls[k];
      const double time_s = call->warm_s + truths[i].part * (call->time_s - call->warm_s);
      all->measured_s[i][k] = call->priced ? truths[i].factor * time_s : (double)NAN;
    }
  }
}

static struct perfpred_cache_options fit_of(struct executions *all) {
  struct perfpred_cache_options fitted = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_error error;
  cr_assert_eq(perfpred_cache_fit((const struct perfpred_cache *const *)all->caches,
                                  (const double *const *)all->measured_s, all->count, &fitted, &error),
               PERFPRED_OK, "%s", error.text);
  return fitted;
}

/* The mean error over the calls of an execution, blended by a fit. */
static double blended_error(const struct executions *all, size_t i, const struct truth *truth,
                            const struct perfpred_cache_options *fitted, double *warm) {
  struct perfpred_cache_options options = one_level(600);
  struct perfpred_cache_errors errors = PERFPRED_CACHE_ERRORS_INIT;
  options.alpha = fitted->alpha;
  options.beta = fitted->beta;
  memcpy(options.weights, fitted->weights, sizeof options.weights);
  memcpy(options.warm_kernels, fitted->warm_kernels, sizeof options.warm_kernels);
  struct perfpred_cache *cache = priced_of(truth->name, truth->n, &options);
  cr_assert_eq(perfpred_cache_compare(cache, all->measured_s[i], cache->count, &errors, NULL), PERFPRED_OK);
  perfpred_cache_destroy(cache);
  *warm = errors.warm.mean_are;
  return errors.blend.mean_are;
}

static void end(struct executions *all) {
  for (size_t i = 0; i < all->count; i++) {
    perfpred_cache_destroy(all->caches[i]);
    free(all->measured_s[i]);
  }
}

/* Where calls take what warm models say no weight is above its least, 0.001; a machine that was a tenth faster does not change that much. */
Test(blending, a_fit_that_serves_nobody_is_none) {
  static const double factors[] = { 1.0, 0.9 };
  for (int i = 0; i < 2; i++) {
    const struct truth truths[] = { { "dgeqrf-nx0", 120, 0.0, factors[i] }, { "chol-l-2", 120, 0.0, factors[i] } };
    struct executions all;
    execute(&all, truths, 2);
    const struct perfpred_cache_options fitted = fit_of(&all);
    for (int place = 0; place < 2; place++)
      cr_expect(fitted.weights[place] >= 1e-3 && fitted.weights[place] <= (i == 0 ? 1e-3 : 0.15), "%g: weight %g",
                factors[i], fitted.weights[place]);
    end(&all);
  }
  /* and where one algorithm alone is blended, there is nothing that another one bears out */
  const struct truth truths[] = { { "trinv-l-1", 120, 0.0, 1.0 }, { "chol-l-2", 120, 1.0, 1.0 } };
  struct executions all;
  double warm = 0.0;
  execute(&all, truths, 2);
  const struct perfpred_cache_options fitted = fit_of(&all);
  const double blended = blended_error(&all, 0, &truths[0], &fitted, &warm);
  NEAR(warm, 0.0);
  cr_expect_leq(blended, 2e-3);
  end(&all);
}

/* Three algorithms go half of the way. A fourth one is warm: kernels of its own are left out then, and dgemm, which one of the others calls as well,
   makes the weights less than 1/2. */
Test(blending, what_algorithms_have_in_common_is_fitted) {
  const struct truth truths[] = { { "chol-l-1", 120, 0.5, 1.0 },
                                  { "chol-l-2", 120, 0.5, 1.0 },
                                  { "chol-l-3", 120, 0.5, 1.0 },
                                  { "chol-l-3", 200, 0.5, 1.0 },
                                  { "dgeqrf-nx0", 120, 0.0, 1.0 } };
  for (size_t count = 4; count <= 5; count++) {
    struct executions all;
    execute(&all, truths, count);
    const struct perfpred_cache_options fitted = fit_of(&all);
    for (size_t i = 0; i < count; i++) {
      double warm = 0.0;
      const double blended = blended_error(&all, i, &truths[i], &fitted, &warm);
      cr_expect(i < 4 ? blended < (count == 4 ? 0.25 : 0.65) * warm : blended < 0.01, "%zu of %zu: %g, warm %g", i,
                count, blended, warm);
    }
    cr_expect_eq(fitted.warm_kernels[0] == '\0', count == 4, "'%s'", fitted.warm_kernels);
    cr_expect_eq(ppi_weight_is_warm(&fitted, "dtrmm"), count == 5, "'%s'", fitted.warm_kernels);
    cr_expect_eq(ppi_weight_is_warm(&fitted, "dsyrk"), false);
    cr_expect_eq(ppi_weight_is_warm(&fitted, "dtrm"), false);
    end(&all);
  }
}
