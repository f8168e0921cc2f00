/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of perfpred_misses, for people. */
#ifndef COMMAND_COUNTED_H
#define COMMAND_COUNTED_H

#include <stdbool.h>

/* json: the report; plain: as it is. Returns an exit code. */
int counted_print(const char *json, bool plain);

#endif
