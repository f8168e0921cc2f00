/* SPDX-License-Identifier: BSD-3-Clause */
/* States of the caches on the command line. */
#ifndef COMMAND_STATES_H
#define COMMAND_STATES_H

/* "warm,in,out" as bits of enum perfpred_cache_state; NULL: none. Prints a message and returns an exit code on failure. */
int states_parse(const char *text, unsigned *states);
#endif
