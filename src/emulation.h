/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command line says of caches that are emulated. */
#ifndef COMMAND_EMULATION_H
#define COMMAND_EMULATION_H

#include <perfpred/cache.h>

#include "options.h"

/* Whether any of its options is. */
bool emulation_given(const struct options *options);
/* Whether any but --cache and --line is. */
bool emulation_weighed(const struct options *options);
/* Adds the sizes of a list, "256K,32M", to the levels. */
int emulation_read_levels(const char *option, const char *text, struct perfpred_cache_options *emulation);
/* Fills in all members; prints a message and returns an exit code on failure. */
int emulation_read(const struct options *options, struct perfpred_cache_options *emulation);

#endif
