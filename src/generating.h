/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring and fitting onto the file behind -o; a part of cmd_generate.c that others use. */
#ifndef COMMAND_GENERATING_H
#define COMMAND_GENERATING_H

#include "session.h"

/* A clock that only goes forward. */
double generating_seconds(void);
/* Generates for the session's programs with its sampler, and adds to the file; what names it in the progress. begin_s: when that began
   which the budget is for. Exit code. */
int generating_run(struct session *session, struct perfpred_generate_options *generate, double begin_s,
                   const char *what, struct perfpred_generate_report *report);

#endif
