/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop nests from C: the region between `#pragma scop` and `#pragma endscop` of a preprocessed file. */
#ifndef PPI_SOURCE_NEST_H
#define PPI_SOURCE_NEST_H

#include <perfpred/program.h>

/* region: which one, from 1; 0: the only one, PERFPRED_AMBIGUOUS if there are several. name: of the nest; NULL: that of the function
   around the region, else of the file. PERFPRED_SYNTAX, PERFPRED_UNSUPPORTED (not affine), PERFPRED_NOT_FOUND (no region),
   PERFPRED_LIMIT, PERFPRED_NO_MEMORY. */
enum perfpred_status ppi_source_nest(const struct perfpred_context *context, const char *text, size_t length,
                                     const char *source, const char *name, size_t region,
                                     struct perfpred_program **program, struct perfpred_error *error);

#endif
