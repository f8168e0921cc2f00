/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's own routines: one that goes by its kernel's name with an underscore, and one that always fails with INFO = 3, so
   that its result tells that it is the one that ran. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void dtwice_(const int32_t *, double *, int32_t *);
EXPORT void always_fails(const int32_t *, double *, int32_t *);

void dtwice_(const int32_t *n, double *x, int32_t *info) {
  for (int32_t i = 0; i < *n; i++)
    x[i] *= 2.0;
  *info = 0;
}

void always_fails(const int32_t *n, double *x, int32_t *info) {
  (void)n, (void)x;
  *info = 3;
}
