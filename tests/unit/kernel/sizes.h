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

static inline bool is_one_of(const char *name, const char *const *endings) {
  for (; *endings; endings++)
    if (strcmp(name + strlen(name) - strlen(*endings), *endings) == 0)
      return true;
  return false;
}

/* What LAPACK's documentation demands of sizes beyond being >= 0. */
static inline bool is_allowed(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  static const char *const column_factors[] = { "g2r", "g2l", "gqr", "gql", NULL };
  static const char *const row_factors[] = { "gl2", "gr2", "glq", "grq", NULL };
  static const char *const products[] = { "m2r", "m2l", "ml2", "mr2", "mqr", "mql", "mlq", "mrq", "larfb", NULL };
  const char *name = kernel->name;
  const int64_t m = integer_named(kernel, values, "m"), n = integer_named(kernel, values, "n"),
                k = integer_named(kernel, values, "k"), nb = integer_named(kernel, values, "nb");
  if (is_one_of(name, column_factors))
    return m >= n && n >= k;
  if (is_one_of(name, row_factors))
    return n >= m && m >= k;
  if (is_one_of(name, products))
    return k <= (integer_named(kernel, values, "side") == 'L' ? m : n);
  if (strstr(name, "larft"))
    return k <= n;
  if (strstr(name, "lahr2"))
    return k >= 1 && nb >= 1 && nb <= n - k;
  if (strstr(name, "latrd"))
    return nb <= n;
  if (strstr(name, "labrd"))
    return nb <= m && nb <= n;
  if (strstr(name, "lasyf") || strstr(name, "lahef"))
    return n >= 1 && (nb >= 2 || nb >= n); /* otherwise it looks at ipiv(0) */
  /* looks for zeros from the last element of v on, even if there is none */
  return !is_one_of(name, (const char *const[]){ "larf", NULL }) || (m >= 1 && n >= 1);
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
