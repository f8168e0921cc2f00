/* SPDX-License-Identifier: BSD-3-Clause */
/* What the doctor found, for people. */
#ifndef COMMAND_DIAGNOSIS_H
#define COMMAND_DIAGNOSIS_H

#include <stdbool.h>

/* Prints a report of perfpred_doctor on standard output: as it is, or as text. Exit code. */
int diagnosis_print(const char *json, bool as_json);

#endif
