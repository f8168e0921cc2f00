/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies past the caches. */
#include <string.h>

#include "measure/pattern.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#define WIDTH sizeof(__m128i)

void ppi_stream_copy(void *to, const void *from, size_t bytes) {
  unsigned char *target = to;
  const unsigned char *source = from;
  size_t head = (WIDTH - (uintptr_t)target % WIDTH) % WIDTH;
  if (head > bytes)
    head = bytes;
  memcpy(target, source, head); /* the one line of cache that it shares with other data */
  for (; head + WIDTH <= bytes; head += WIDTH)
    _mm_stream_si128((__m128i *)(void *)(target + head),
                     _mm_loadu_si128((const __m128i *)(const void *)(source + head)));
  memcpy(target + head, source + head, bytes - head);
}

void ppi_stream_finish(void) {
  _mm_sfence();
}

#else

void ppi_stream_copy(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}

void ppi_stream_finish(void) {
}

#endif
