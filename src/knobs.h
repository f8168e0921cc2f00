/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of --set: how models are made. */
#ifndef COMMAND_KNOBS_H
#define COMMAND_KNOBS_H

#include <perfpred/models.h>

#include "options.h"

/* Puts every KNOB=VALUE into generate; returns an exit code. */
int knobs_apply(const struct words *settings, struct perfpred_generate_options *generate);

#endif
