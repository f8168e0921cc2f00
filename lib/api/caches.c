/* SPDX-License-Identifier: BSD-3-Clause */
/* The caches as they are: measured by a sampler, told as levels and as JSON. */
#include <math.h>
#include <perfpred/timings.h>

#include "measure/sampler.h"
#include "store/json.h"
#include "store/parts.h"

static void put_point(struct ppi_json_out *out, const struct ppi_curve_point *point) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "bytes", point->bytes);
  ppi_json_put_real(&object, "latency_s", point->latency_s);
  ppi_json_put_real(&object, "bandwidth_bytes_per_s", point->bandwidth_bytes_per_s);
  ppi_json_append(out, "curve", &object);
}

static enum perfpred_status print(const struct ppi_curve *curve, const struct ppi_effective *levels, int count,
                                  char **json, struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct ppi_json_out out;
  ppi_json_begin(&out);
  ppi_store_put_levels(&out, levels, count);
  ppi_json_put_empty_list(&out, "curve");
  for (int i = 0; i < curve->count; i++)
    put_point(&out, &curve->points[i]);
  ppi_json_end(&out, &text);
  char *taken = ppi_text_take(&text);
  if (!taken)
    return ppi_error_memory(error);
  *json = taken;
  return PERFPRED_OK;
}

static enum perfpred_status check(const struct perfpred_sampler *sampler, double limit_s,
                                  const struct perfpred_level *levels, size_t capacity, const size_t *level_count,
                                  struct perfpred_error *error) {
  if (!sampler || !level_count || (!levels && capacity > 0))
    return ppi_error_set(error, PERFPRED_INVALID, "perfpred_measure_caches: %s is NULL",
                         !sampler       ? "sampler"
                         : !level_count ? "level_count"
                                        : "levels");
  if (!(limit_s >= 0.0))
    return ppi_error_set(error, PERFPRED_INVALID, "limit_s is %g, expected >= 0", limit_s);
  if (!sampler->ops->caches)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "a virtual clock has no caches, expected a worker or a local sampler");
  return PERFPRED_OK;
}

enum perfpred_status perfpred_measure_caches(struct perfpred_sampler *sampler, double limit_s,
                                             struct perfpred_level *levels, size_t capacity, size_t *level_count,
                                             char **json, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct ppi_curve curve;
  struct ppi_effective found[PPI_CACHE_MAX];
  int count = 0;
  enum perfpred_status status = check(sampler, limit_s, levels, capacity, level_count, error);
  if (!status)
    status = sampler->ops->caches(sampler, limit_s > 0.0 ? limit_s : (double)INFINITY, &curve, error);
  if (!status) {
    count = ppi_levels_find(&curve, found);
    status = json ? print(&curve, found, count, json, error) : PERFPRED_OK;
  }
  if (status)
    return status;
  *level_count = (size_t)count;
  for (int i = 0; i < count && (size_t)i < capacity; i++)
    levels[i] = (struct perfpred_level){ found[i].bytes, found[i].latency_s, found[i].bandwidth_bytes_per_s };
  return PERFPRED_OK;
}
