/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the analysis, where the library is built without it. */
#include "affine/misses.h"

bool ppi_misses_has_analytic(void) {
  return false;
}

enum perfpred_status ppi_misses_analytic(const struct perfpred_program *nest, const int64_t *parameters,
                                         const struct ppi_misses_options *options, struct ppi_misses *misses,
                                         struct perfpred_error *error) {
  (void)parameters;
  (void)options;
  (void)misses;
  return ppi_error_set(error, PERFPRED_UNSUPPORTED, "%s: this library was built without the analysis of loop nests",
                       nest->name);
}
