/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/evict.h"

#include <stdlib.h>
#include <string.h>

#include "measure/core_state.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#define SWEEP_FACTOR 4 /* times the last cache */
#define SWEEP_MIN ((int64_t)8 << 20)
#define DISPLACE_FACTOR 2              /* times the second level */
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

/* Rows of a column that belong to the area. */
static void rows_of(const struct ppi_area *area, int64_t column, int64_t *first, int64_t *end) {
  *first = area->part == 'L' && column < area->rows ? column : 0;
  *end = area->part == 'U' && column + 1 < area->rows ? column + 1 : area->rows;
  if (area->part == 'L' && column >= area->rows)
    *end = 0;
}

void ppi_area_lines(const struct ppi_area *area, void (*visit)(void *data, const unsigned char *line), void *data) {
  const unsigned char *last = NULL;
  size_t element = area->element;
  for (int64_t j = 0; j < area->columns; j++) {
    const unsigned char *column = area->base + (size_t)(j * area->ld) * element;
    if (area->step == 1) {
      int64_t first = 0, end = 0;
      rows_of(area, j, &first, &end);
      if (first < end)
        visit_range(column + (size_t)first * element, column + (size_t)end * element, &last, visit, data);
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

/* Lines go side by side, which is several times as fast. */
__attribute__((target("clflushopt"))) static void flush_unordered(void *data, const unsigned char *line) {
  (void)data;
  _mm_clflushopt((void *)line);
}

enum ppi_eviction ppi_evict_kind(void) {
  enum { LEAF = 7, CLFLUSHOPT = 1 << 23 };
  unsigned a = 0, b = 0, c = 0, d = 0;
  bool unordered = __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && (b & CLFLUSHOPT);
  return unordered ? PPI_EVICT_FLUSH_UNORDERED : PPI_EVICT_FLUSH;
}

void ppi_evict_area(enum ppi_eviction kind, const struct ppi_area *area) {
  if (kind != PPI_EVICT_NONE)
    ppi_area_lines(area, kind == PPI_EVICT_FLUSH_UNORDERED ? flush_unordered : flush, NULL);
}

void ppi_evict_finish(void) {
  _mm_mfence();
}

#else

enum ppi_eviction ppi_evict_kind(void) {
  return PPI_EVICT_NONE;
}

void ppi_evict_area(enum ppi_eviction kind, const struct ppi_area *area) {
  (void)kind;
  (void)area;
}

void ppi_evict_finish(void) {
}

#endif

void ppi_evict_range(enum ppi_eviction kind, const unsigned char *begin, const unsigned char *end) {
  const struct ppi_area area = {
    .base = (unsigned char *)begin, .element = 1, .rows = end - begin, .columns = 1, .step = 1
  };
  ppi_evict_area(kind, &area);
}

static void touch(void *data, const unsigned char *line) {
  (void)data;
  (void)*(const volatile unsigned char *)line;
}

void ppi_touch_area(const struct ppi_area *area) {
  ppi_area_lines(area, touch, NULL);
}

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

enum perfpred_status ppi_core_displace_prepare(struct ppi_core *core, struct perfpred_error *error) {
  size_t bytes = DISPLACE_FACTOR * (size_t)core->options.stream_bytes;
  if (core->displacer != NULL)
    return PERFPRED_OK;
  core->displacer = malloc(bytes);
  if (core->displacer == NULL)
    return ppi_error_memory(error);
  memset(core->displacer, 1, bytes); /* pages of their own, not all the same one of zeros */
  core->displacer_bytes = bytes;
  return PERFPRED_OK;
}

void ppi_core_displace(const struct ppi_core *core) {
  ppi_touch(core->displacer, core->displacer + core->displacer_bytes);
}

/* Written as well as read, so that a cache that takes only what others evict is filled, too. */
void ppi_core_sweep(struct ppi_core *core) {
  volatile unsigned char *sweep = core->sweep;
  for (size_t i = 0; i < core->sweep_bytes; i += PPI_LINE_BYTES)
    sweep[i]++;
}
