/* SPDX-License-Identifier: BSD-3-Clause */
/* What perfpred contract tells: lists of algorithms, plans, analyses; as tables for people or as JSON. */
#ifndef COMMAND_CONTRACT_TABLES_H
#define COMMAND_CONTRACT_TABLES_H

#include "contracting.h"

/* All print a message and return an exit code on failure. */

/* "36 algorithms: 2 gemm, 6 gemv, 4 ger, 18 axpy, 6 dot", and the member "count" of JSON: of the whole family, whatever the filter is. */
int contract_print_counts(struct session *session, const struct perfpred_contraction *contraction);
int contract_write_counts(struct session *session, struct document *document,
                          const struct perfpred_contraction *contraction);

/* A report of the library, which ends a line. */
void contract_print_report(const char *json);

/* --list */
int contract_list(struct session *session, const struct perfpred_contraction *contraction,
                  const struct perfpred_contraction_filter *filter, const struct extents *extents);

/* A plan; validation is NULL where nothing was executed. */
int contract_print_plan(struct session *session, const struct perfpred_contraction *contraction,
                        const struct perfpred_contraction_plan *plan, const struct extents *extents,
                        const struct perfpred_contraction_validation *validation);

/* --analyze */
int contract_analyze(struct session *session, const struct perfpred_contraction *contraction,
                     const struct extents *extents);

/* --cases */
int contract_cases(struct session *session, const struct perfpred_contraction_filter *filter);

#endif
