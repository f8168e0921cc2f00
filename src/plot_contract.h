/* SPDX-License-Identifier: BSD-3-Clause */
/* plot contract: performance of algorithms over an extent that varies. */
#ifndef COMMAND_PLOT_CONTRACT_H
#define COMMAND_PLOT_CONTRACT_H

#include "options.h"

/* Of the operand behind the picture's name; prints a message and returns an exit code on failure. */
int plot_contract(const struct options *options);

#endif
