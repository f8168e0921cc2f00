/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of the command line: the whole string counts, and what does not fit is refused, never rounded or cut. */
#ifndef COMMAND_NUMBERS_H
#define COMMAND_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIZE_LIMIT INT64_C(2147483647) /* largest size that a 32-bit BLAS takes */

/* LO:HI:STEP. Only what was written is set: step is 0 without one. upper is 0 when nothing was given. */
struct range {
  int64_t lower, upper, step;
};

/* Different numbers in rising order. */
#define COUNTS_MAX 16
struct counts {
  int64_t items[COUNTS_MAX];
  size_t count; /* 0: nothing was given */
};

/* Decimal digits with an optional minus sign. */
bool number_integer(const char *text, int64_t lower, int64_t upper, int64_t *value);
/* Decimal, with an optional exponent; no hexadecimal digits, infinities or NaN. */
bool number_real(const char *text, double lower, double upper, double *value);
/* "32M": digits, and K, M or G behind them for powers of 1024; at least 1. */
bool number_bytes(const char *text, int64_t *bytes);
/* N, LO:HI or LO:HI:STEP with 1 <= LO <= HI and STEP >= 1. */
bool number_range(const char *text, struct range *range);
/* "1,2,4", in any order; none twice. */
bool number_counts(const char *text, int64_t lower, int64_t upper, struct counts *counts);
/* How many values a range has; a step of 0 counts as `step`. */
int64_t range_count(const struct range *range, int64_t step);

#endif
