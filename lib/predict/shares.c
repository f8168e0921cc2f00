/* SPDX-License-Identifier: BSD-3-Clause */
/* A prediction split by kernels. */
#include <string.h>

#include "base/stats.h"
#include "predict/predict.h"

#define KERNELS_MAX 64

struct shares {
  struct perfpred_share items[KERNELS_MAX];
  size_t count;
  bool overfull;
};

static struct perfpred_share *share_of(struct shares *shares, const char *kernel) {
  for (size_t i = 0; i < shares->count; i++)
    if (strcmp(shares->items[i].kernel, kernel) == 0)
      return &shares->items[i];
  if (shares->count == KERNELS_MAX) {
    shares->overfull = true;
    return NULL;
  }
  struct perfpred_share *fresh = &shares->items[shares->count++];
  memset(fresh, 0, sizeof *fresh);
  fresh->kernel = kernel;
  return fresh;
}

static bool add(void *data, const struct ppi_plan_watched *watched) {
  const struct perfpred_kernel *kernel = watched->submodel->kernel;
  struct ppi_value values[PPI_ARG_MAX];
  struct perfpred_share *share = share_of(data, kernel->name);
  if (!share)
    return true; /* what is wrong is told at the end: false means no memory */
  memcpy(values, watched->submodel->values, sizeof values);
  for (int i = 0; i < watched->dimensions; i++)
    values[kernel->sizes[i]].i = watched->sizes[i];
  share->calls++;
  share->flops += ppi_kernel_flops(kernel, values);
  ppi_stats_add(&share->time_s, &watched->estimate->time_s);
  return true;
}

enum perfpred_status perfpred_plan_shares(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                          struct perfpred_share *shares, size_t capacity, size_t *share_count,
                                          struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!share_count || (!shares && capacity > 0))
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", share_count ? "shares" : "share_count");
  enum perfpred_status status = ppi_plan_check(plan, parameters, count, error);
  if (status)
    return status;
  struct shares found;
  struct ppi_plan_sum sum;
  const struct ppi_plan_watcher watcher = { add, &found };
  found.count = 0;
  found.overfull = false;
  status = ppi_plan_sum_watched(plan, parameters, count, &watcher, &sum, error);
  if (status)
    return status;
  if (found.overfull)
    return ppi_error_set(error, PERFPRED_LIMIT, "%s calls more than %d kernels", plan->program->name, KERNELS_MAX);
  *share_count = found.count;
  if (capacity > found.count)
    capacity = found.count;
  if (capacity > 0)
    memcpy(shares, found.items, capacity * sizeof *shares);
  return PERFPRED_OK;
}
