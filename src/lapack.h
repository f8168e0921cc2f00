/* SPDX-License-Identifier: BSD-3-Clause */
/* 'perfpred generate --for lapack': models and decision table of all routines that ask ILAENV. */
#ifndef COMMAND_LAPACK_H
#define COMMAND_LAPACK_H

#include <perfpred/models.h>

#include "options.h"

/* Whether this is what is asked for. */
bool lapack_is_meant(const struct options *options);
/* Options of it that stand on a command line that asks for something else: a message and an exit code. */
int lapack_check_absent(const struct options *options);
/* generate: filled from the options. Exit code. */
int lapack_run(const struct options *options, const struct perfpred_generate_options *generate);

#endif
