/* SPDX-License-Identifier: BSD-3-Clause */
/* Flags and sizes with which the tests of the catalogue call its kernels. */
#ifndef TESTS_UNIT_KERNEL_SIZES_H
#define TESTS_UNIT_KERNEL_SIZES_H

#include "kernels.h"

static inline int64_t integer_named(const struct perfpred_kernel *kernel, const struct ppi_value *values,
                                    const char *name) {
  int place = ppi_kernel_argument(kernel, name);
  return place < 0 ? 0 : values[place].i;
}

/* Chooses the combination-th letters of the flags; false if there is no such combination. */
static inline bool choose_flags(const struct perfpred_kernel *kernel, struct ppi_value *values, unsigned combination) {
  for (int i = 0; i < kernel->flag_count; i++) {
    const char *letters = kernel->args[kernel->flags[i]].flags;
    unsigned count = (unsigned)strlen(letters);
    values[kernel->flags[i]].i = letters[combination % count];
    combination /= count;
  }
  return combination == 0;
}

/* Likewise for sizes out of a list. */
static inline bool choose_sizes(const struct perfpred_kernel *kernel, struct ppi_value *values, const int64_t *sizes,
                                unsigned count, unsigned combination) {
  for (int i = 0; i < kernel->size_count; i++) {
    values[kernel->sizes[i]].i = sizes[combination % count];
    combination /= count;
  }
  return combination == 0;
}

#endif
