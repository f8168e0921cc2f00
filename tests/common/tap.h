/* SPDX-License-Identifier: BSD-3-Clause */
/* Test Anything Protocol for plain C programs: where Criterion cannot be used (threads under ThreadSanitizer, wrapped
 * allocators). */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct tap {
  int count, failed;
};

static inline void tap_case(struct tap *tap, bool passed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void tap_case(struct tap *tap, bool passed, const char *format, ...) {
  va_list arguments;
  printf("%s %d - ", passed ? "ok" : "not ok", ++tap->count);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
  tap->failed += !passed;
}

/* Result of main(). */
static inline int tap_finish(const struct tap *tap) {
  printf("1..%d\n", tap->count);
  return tap->failed ? 1 : 0;
}

#endif
