/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates beside times that calls took in the running algorithm. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cache/measured.h"

struct sums {
  double relative, estimated_s, measured_s;
  size_t count;
};

static void add(struct sums *sums, double estimated_s, double measured_s) {
  sums->relative += fabs(estimated_s - measured_s) / measured_s;
  sums->estimated_s += estimated_s;
  sums->measured_s += measured_s;
  sums->count++;
}

/* An estimate that is not known for one call is known for none. */
static struct perfpred_cache_error error_of(const struct sums *sums) {
  return (struct perfpred_cache_error){ sums->relative / (double)sums->count,
                                        (sums->estimated_s - sums->measured_s) / sums->measured_s };
}

enum perfpred_status ppi_cache_check_measured(const struct perfpred_cache *cache, const double *measured_s,
                                              size_t count, struct perfpred_error *error) {
  if (!cache || !measured_s)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", cache ? "measured_s" : "cache");
  if (count != cache->count)
    return ppi_error_set(error, PERFPRED_INVALID, "count is %zu; %s makes %zu calls", count, cache->program->name,
                         cache->count);
  if (cache->priced == 0)
    return ppi_error_set(error, PERFPRED_UNMODELLED, "the analysis of %s has no times; expected one of a plan",
                         cache->program->name);
  for (size_t i = 0; i < count; i++)
    if (!isnan(measured_s[i]) && !(measured_s[i] > 0.0 && isfinite(measured_s[i])))
      return ppi_error_set(error, PERFPRED_INVALID,
                           "measured_s[%zu], of %s: %g: expected a time above 0, or NaN for none", i,
                           cache->calls[i].text, measured_s[i]);
  return PERFPRED_OK;
}

bool ppi_cache_counts(const struct ppi_cache_call *call, double measured_s) {
  return !isnan(measured_s) && !call->empty && call->priced;
}

enum perfpred_status ppi_cache_nothing(const struct perfpred_cache *cache, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "%s: no call has work and a measured time", cache->program->name);
}

enum perfpred_status perfpred_cache_compare(const struct perfpred_cache *cache, const double *measured_s, size_t count,
                                            struct perfpred_cache_errors *errors, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct sums warm = { .count = 0 }, in = warm, out = warm, blend = warm;
  struct perfpred_cache_errors full = PERFPRED_CACHE_ERRORS_INIT;
  if (!errors)
    return ppi_error_set(error, PERFPRED_INVALID, "errors is NULL");
  if (errors->size < sizeof full)
    return ppi_error_set(error, PERFPRED_INVALID, "errors: size is %zu; expected PERFPRED_CACHE_ERRORS_INIT",
                         errors->size);
  enum perfpred_status status = ppi_cache_check_measured(cache, measured_s, count, error);
  if (status)
    return status;
  for (size_t i = 0; i < count; i++) {
    const struct ppi_cache_call *call = &cache->calls[i];
    if (!ppi_cache_counts(call, measured_s[i]))
      continue;
    add(&warm, call->warm_s, measured_s[i]);
    add(&in, call->times_s[0], measured_s[i]);
    add(&out, call->times_s[cache->options.level_count], measured_s[i]);
    add(&blend, call->time_s, measured_s[i]);
  }
  if (blend.count == 0)
    return ppi_cache_nothing(cache, error);
  full.size = errors->size;
  full.calls = blend.count;
  full.warm = error_of(&warm);
  full.in = error_of(&in);
  full.out = error_of(&out);
  full.blend = error_of(&blend);
  memcpy(errors, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}
