/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions without models: predict --mode replay, --mode setup. */
#ifndef COMMAND_REPLAYED_H
#define COMMAND_REPLAYED_H

#include "options.h"

/* Whether the options ask for one. */
bool replayed_is_meant(const struct options *options);
/* Refuses what has a meaning for the one way of predicting alone. */
int replayed_check(const struct options *options);
int replayed_run(const struct options *options);

#endif
