/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of many cases run a choice of them, in which each value of each dimension still occurs; all of them where TESTS_LONG is
   set, as scripts/test --long does. */
#ifndef TESTS_THOROUGH_H
#define TESTS_THOROUGH_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_thorough(void) {
  return getenv("TESTS_LONG") != NULL;
}

/* Part `part` of `parts` of the cases, numbered by the sum of their places in all dimensions: two cases that differ in one place by one
   are never in the same part, and each value of a dimension meets each value of another one that has at least `parts`. */
static inline bool is_chosen(size_t sum, size_t part, size_t parts) {
  return is_thorough() || sum % parts == part % parts;
}

#endif
