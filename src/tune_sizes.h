/* SPDX-License-Identifier: BSD-3-Clause */
/* Best block sizes for a range of n (perfpred tune -n). */
#ifndef COMMAND_TUNE_SIZES_H
#define COMMAND_TUNE_SIZES_H

#include "options.h"

/* Exit code. options->n is given. */
int tune_sizes(const struct options *options);

#endif
