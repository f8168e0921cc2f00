/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/read.h"

typedef uint64_t lane __attribute__((vector_size(16)));

uint64_t ppi_read_through(const void *data, size_t bytes) {
  const lane *from = data;
  lane s0 = { 0 }, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  size_t count = bytes / (8 * sizeof *from) * 8;
  for (size_t i = 0; i < count; i += 8) {
    s0 += from[i];
    s1 += from[i + 1];
    s2 += from[i + 2];
    s3 += from[i + 3];
    s4 += from[i + 4];
    s5 += from[i + 5];
    s6 += from[i + 6];
    s7 += from[i + 7];
  }
  lane sum = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
  return sum[0] + sum[1];
}
