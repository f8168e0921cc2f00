/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs need modelled: derived from their calls over the ranges of their parameters. */
#ifndef PPI_API_DERIVE_H
#define PPI_API_DERIVE_H

#include "api/steps.h"
#include "model/generate.h"
#include "program/walk.h"

/* Walks the programs for parameter values spread over the ranges of options (already full) and collects, for each call of their texts, the
   box of sizes that it reaches, grown outwards to multiples of 8 and to at least 8. Boxes of one kernel and case are merged where
   the hull is hardly larger than they are; a kernel and case may be left with several. Targets are malloc'ed: free. */
enum perfpred_status ppi_derive_targets(const struct perfpred_program *const *programs, size_t count,
                                        const struct perfpred_generate_options *options, struct ppi_target **targets,
                                        size_t *target_count, struct perfpred_error *error);
/* The same without the calls that are modelled in steps: there may be nothing left. */
enum perfpred_status ppi_derive_others(const struct perfpred_program *const *programs, size_t count,
                                       const struct perfpred_generate_options *options, const struct ppi_steps *steps,
                                       struct ppi_target **targets, size_t *target_count, struct perfpred_error *error);

/* Merges until no pair is worth it, keeping the order of the first of each; returns how many are left. */
size_t ppi_merge_targets(struct ppi_target *targets, size_t count);

#endif
