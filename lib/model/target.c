/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/generate.h"

int ppi_target_dimensions(const struct ppi_target *target) {
  return target->basis ? target->basis->dimensions : target->kernel->size_count;
}

const char *ppi_target_size_name(const struct ppi_target *target, int d) {
  return target->basis ? target->basis->names[d] : target->kernel->args[target->kernel->sizes[d]].name;
}

void ppi_target_apply(const struct ppi_target *target, const int64_t *sizes, struct ppi_value *values) {
  const struct perfpred_kernel *kernel = target->kernel;

  if (target->basis)
    ppi_basis_apply(target->basis, kernel, sizes, values);
  for (int d = 0; !target->basis && d < kernel->size_count; d++)
    values[kernel->sizes[d]].i = sizes[d];
}
