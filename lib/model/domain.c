/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/domain.h"

#include <string.h>

/* Whether there is anything to look at. */
static bool demands(const struct ppi_growth *growth) {
  return !growth->target->basis && growth->target->kernel->demand_count > 0;
}

static void put_sizes(const struct ppi_growth *growth, const int64_t *sizes, struct ppi_value *values) {
  memcpy(values, growth->target->values, sizeof growth->target->values);
  ppi_target_apply(growth->target, sizes, values);
}

bool ppi_growth_admits(const struct ppi_growth *growth, const int64_t *sizes) {
  struct ppi_value values[PPI_ARG_MAX];

  if (!demands(growth))
    return true;
  put_sizes(growth, sizes, values);
  return ppi_kernel_admits(growth->target->kernel, values);
}

bool ppi_growth_admit(const struct ppi_growth *growth, const int64_t *lower, const int64_t *upper, int64_t *sizes) {
  const struct perfpred_kernel *kernel = growth->target->kernel;
  struct ppi_value values[PPI_ARG_MAX];

  if (!demands(growth))
    return true;
  put_sizes(growth, sizes, values);
  if (!ppi_kernel_admit(kernel, values, lower, upper, growth->knobs.grain))
    return false;
  for (int d = 0; d < kernel->size_count; d++)
    sizes[d] = values[kernel->sizes[d]].i;
  return true;
}

bool ppi_growth_bound(const struct ppi_growth *growth, int64_t *lower, int64_t *upper) {
  int64_t low[PPI_SIZE_MAX], high[PPI_SIZE_MAX];
  size_t bytes = (size_t)growth->dimensions * sizeof *low;

  if (!demands(growth))
    return true;
  memcpy(low, lower, bytes);
  memcpy(high, upper, bytes);
  if (!ppi_kernel_bound(growth->target->kernel, growth->target->values, low, high))
    return false;
  memcpy(lower, low, bytes);
  memcpy(upper, high, bytes);
  return true;
}

enum perfpred_status ppi_growth_check_domain(const struct ppi_growth *growth, struct perfpred_error *error) {
  const struct ppi_target *target = growth->target;
  int64_t sizes[PPI_SIZE_MAX];
  struct ppi_value values[PPI_ARG_MAX];
  struct perfpred_error inner;

  memcpy(sizes, target->upper, sizeof sizes);
  if (ppi_growth_admit(growth, target->lower, target->upper, sizes))
    return PERFPRED_OK;
  put_sizes(growth, target->upper, values);
  ppi_error_clear(&inner);
  ppi_kernel_check(target->kernel, values, &inner);
  return ppi_error_set(error, PERFPRED_INVALID, "the domain has no sizes that the kernel admits: %s", inner.text);
}
