/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is run so that what it loads and asks is seen. */
#ifndef COMMAND_OBSERVED_H
#define COMMAND_OBSERVED_H

#include "options.h"

/* Runs the operands as a command with its arguments, hands the folder of its record to tell, and removes that. Returns the exit code of
   the command (128 and more: ended by a signal), or ours where it could not be run. */
int observed_run(const struct options *options, int (*tell)(const struct options *options, const char *record));

#endif
