/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred timings with models: calls of executions beside what models say of them. */
#ifndef COMMAND_COMPARISON_H
#define COMMAND_COMPARISON_H

#include "session.h"

/* Whether the executions can be told from the options: programs by parameters, or by parameters and the sizes of -n. */
int comparison_check(const struct session *session);
/* Measures, compares, fits where --fit is given, keeps and prints that. The session has plans and a sampler. */
int comparison_run(struct session *session);

#endif
