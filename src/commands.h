/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands, one source file each. */
#ifndef COMMAND_COMMANDS_H
#define COMMAND_COMMANDS_H

#include "options.h"

extern const struct command command_apex, command_cache, command_contract, command_doctor, command_drift,
    command_misses;
extern const struct command command_machine, command_kernels, command_algorithms, command_generate, command_model,
    command_predict, command_rank, command_tune, command_measure, command_sample, command_validate, command_plot,
    command_table, command_timings, command_run;

#endif
