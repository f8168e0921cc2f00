/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PPI_API_CONTRACTION_ANALYSIS_H
#define PPI_API_CONTRACTION_ANALYSIS_H

#include <perfpred/contraction_analysis.h>

#include "api/contraction.h"
#include "base/text.h"
#include "contract/occurrence.h"

struct ppi_analysis_operand {
  struct ppi_distance distance; /* in the middle of all loops */
  char *text, *since;           /* "B[:,:,c]"; "A, B[:,:,c]" */
};

struct perfpred_contraction_analysis {
  struct perfpred_contraction contraction;
  struct ppi_contract_algorithm algorithm;
  struct perfpred_contraction_analysis_options options; /* complete */
  struct ppi_occurrence_settings settings;              /* complete */
  struct ppi_occurrences found;                         /* of that contraction */
  int64_t counts[PPI_BODY_CALLS_MAX];
  struct ppi_analysis_operand operands[PPI_BODY_CALLS_MAX][PPI_OPERANDS];
};

/* "B[:,:,c]", "B" where it is open in all indices, "copy of B". */
void ppi_analysis_print_area(const struct perfpred_contraction_analysis *analysis, struct ppi_area area,
                             struct ppi_text *text);

#endif
