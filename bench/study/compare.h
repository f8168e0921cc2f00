/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators side by side on one recording, and what their models say beyond it. */
#ifndef STUDY_COMPARE_H
#define STUDY_COMPARE_H

#include "sweep.h"

/* results: of the sweep, or NULL. beyond: recordings of other sizes, of which those of the same kernel, case and threads count. */
enum perfpred_status compare_generators(const struct recording *recording, const char *name,
                                        const struct outcome *results, const struct recording *beyond, int beyond_count,
                                        struct perfpred_error *error);

#endif
