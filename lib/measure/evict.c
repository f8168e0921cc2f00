/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/evict.h"

#include <stdlib.h>

#include "measure/core_state.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define SWEEP_FACTOR 4 /* times the last cache */
#define SWEEP_MIN ((int64_t)8 << 20)
#define SWEEP_MAX ((int64_t)256 << 20) /* caches beyond are shared with others, who use them */

static const unsigned char *line_of(const unsigned char *at) {
  return at - (uintptr_t)at % PPI_LINE_BYTES;
}

/* Lines of [begin, end), but not those up to *last. */
static void visit_range(const unsigned char *begin, const unsigned char *end, const unsigned char **last,
                        void (*visit)(void *data, const unsigned char *line), void *data) {
  for (const unsigned char *line = line_of(begin); line < end; line += PPI_LINE_BYTES)
    if (line != *last) {
      visit(data, line);
      *last = line;
    }
}

void ppi_area_lines(const struct ppi_area *area, void (*visit)(void *data, const unsigned char *line), void *data) {
  const unsigned char *last = NULL;
  size_t element = area->element;
  for (int64_t j = 0; j < area->columns; j++) {
    const unsigned char *column = area->base + (size_t)(j * area->ld) * element;
    if (area->step == 1) {
      visit_range(column, column + (size_t)area->rows * element, &last, visit, data);
      continue;
    }
    for (int64_t i = 0; i < area->rows; i++) {
      const unsigned char *at = column + (size_t)(i * area->step) * element;
      visit_range(at, at + element, &last, visit, data);
    }
  }
}

#if defined(__x86_64__)

static void flush(void *data, const unsigned char *line) {
  (void)data;
  _mm_clflush(line);
}

bool ppi_evict_supported(void) {
  return true;
}

void ppi_evict_area(const struct ppi_area *area) {
  ppi_area_lines(area, flush, NULL);
}

void ppi_evict_finish(void) {
  _mm_mfence();
}

#else

bool ppi_evict_supported(void) {
  return false;
}

void ppi_evict_area(const struct ppi_area *area) {
  (void)area;
}

void ppi_evict_finish(void) {
}

#endif

void ppi_touch(const unsigned char *begin, const unsigned char *end) {
  for (const volatile unsigned char *at = begin; at < end; at += PPI_LINE_BYTES)
    (void)*at;
}

enum perfpred_status ppi_core_sweep_prepare(struct ppi_core *core, struct perfpred_error *error) {
  struct ppi_machine machine;
  int64_t bytes = 0;
  if (core->sweep != NULL)
    return PERFPRED_OK;
  ppi_machine_here(&machine);
  for (int i = 0; i < machine.cache_count; i++)
    if (machine.caches[i].bytes > bytes)
      bytes = machine.caches[i].bytes;
  bytes = bytes > SWEEP_MAX / SWEEP_FACTOR ? SWEEP_MAX : bytes * SWEEP_FACTOR;
  bytes = bytes < SWEEP_MIN ? SWEEP_MIN : bytes;
  core->sweep = calloc((size_t)bytes, 1);
  if (core->sweep == NULL)
    return ppi_error_memory(error);
  core->sweep_bytes = (size_t)bytes;
  return PERFPRED_OK;
}

/* Written as well as read, so that a cache that takes only what others evict is filled, too. */
void ppi_core_sweep(struct ppi_core *core) {
  volatile unsigned char *sweep = core->sweep;
  for (size_t i = 0; i < core->sweep_bytes; i += PPI_LINE_BYTES)
    sweep[i]++;
}
