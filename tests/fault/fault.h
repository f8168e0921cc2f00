/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets the n-th allocation of the library fail, for n = 1, 2, ... until none is left to fail.
 *
 * The linker sends the allocations of our objects (--wrap) through here; those of other libraries are not touched. */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <perfpred/perfpred.h>

#include "tap.h"

/* One run of the code under test: returns the status of its last call and leaves nothing allocated. */
typedef enum perfpred_status fault_scenario(struct perfpred_error *error);

/* One case: every failing allocation is answered with PERFPRED_NO_MEMORY (or made good), with a text, without a leak, and
 * with out-pointers untouched; without one, the scenario succeeds. */
void fault_check(struct tap *tap, const char *name, fault_scenario *scenario);

/* Between these two allocations do not count: for what a scenario needs but does not test. */
void fault_pause(void);
void fault_resume(void);

/* From now on, the n-th thread that our objects create cannot be had; 0: all can. */
void fault_thread(int n);

/* Allocations of our objects since the program started. */
unsigned long fault_allocations(void);

/* Says that an out-pointer was written by a call that failed. */
void fault_touched(const char *what);

#endif
