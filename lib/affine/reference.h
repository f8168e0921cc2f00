/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of the reference implementations of kernels (lib/catalog/reference.nests). */
#ifndef PPI_AFFINE_REFERENCE_H
#define PPI_AFFINE_REFERENCE_H

#include "program/registry.h"

struct ppi_unit;

/* All of them; release with ppi_unit_unref. */
enum perfpred_status ppi_references_read(const struct perfpred_context *context, struct ppi_unit **references,
                                         struct perfpred_error *error);
/* The one of a CALL's kernel and flags; borrowed from the references: a nest, or an algorithm that calls kernels with references, maybe
   itself. sized: the smaller one of the call's sizes is a number; kernels that LAPACK has recursive are, where it is none, the loops of
   the unblocked ones. PERFPRED_UNSUPPORTED: there is none. */
enum perfpred_status ppi_reference_find(const struct ppi_unit *references, const struct ppi_node *node, bool sized,
                                        const struct perfpred_program **reference, struct perfpred_error *error);

#endif
