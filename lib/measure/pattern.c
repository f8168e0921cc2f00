/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/pattern.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/random.h"

#define LINE_BYTES 64
#define SEED UINT64_C(20260101)
/* With other seeds a column or two of the second 4096 are the same as one of the first. */
#define PLACES_SEED UINT64_C(20260105)

/* Off-diagonal sums of spd: a term of at most 1/4 k^-2 per side adds up to less than 0.42, on two sides to less than 0.83. Of a triangle: less than
   0.09, so that a triangle that is solved with a hundred times in a row, without anything restored, neither blows up nor fades away. */
static double decay(enum ppi_property property, int64_t distance) {
  double d = (double)distance;
  return (property == PPI_SPD ? 0.25 : 0.05) / (d * d);
}

/* Pivots that may follow any number of others: row i is swapped with one of those up to it, as likely with the one as with the other. */
static double pivot_at(int64_t i, double random) {
  return i > 0 ? 1.0 + floor(0.5 * (random + 1.0) * (double)(i + 1)) : 1.0;
}

/* Real and imaginary part of the element at distance i - j; of general that number of the line. Conjugate on the other side for spd. */
static void value_at(enum ppi_property property, enum ppi_type type, int64_t distance, double value[2]) {
  int64_t far = distance < 0 ? -distance : distance;
  struct ppi_random random = { SEED + (uint64_t)(property == PPI_SPD ? far : distance) };
  double re = ppi_random_symmetric(&random), im = ppi_random_symmetric(&random);
  value[0] = value[1] = 0.0;
  switch (property) {
  case PPI_GENERAL:
    value[0] = type == PPI_TYPE_INT ? 1.0 : re;
    value[1] = im;
    break;
  case PPI_SPD:
  case PPI_TRIANGULAR:
    value[0] = distance == 0 ? 1.0 : re * decay(property, far) * 0.7; /* 0.7: for the modulus of complex elements */
    value[1] = distance == 0 ? 0.0 : im * decay(property, far) * 0.7;
    if (property == PPI_SPD && distance < 0)
      value[1] = -value[1];
    break;
  case PPI_PIVOTS:
    value[0] = pivot_at(distance, re);
    break;
  case PPI_IDENTITY:
    value[0] = distance == 0 ? 1.0 : 0.0;
    break;
  case PPI_ZERO:
    break;
  }
}

static void store(enum ppi_type type, size_t element, unsigned char *to, const double value[2]) {
  float narrow[2] = { (float)value[0], (float)value[1] };
  int32_t integer = (int32_t)value[0];
  int64_t wide = (int64_t)value[0];
  switch (type) {
  case PPI_TYPE_S:
  case PPI_TYPE_C:
    memcpy(to, narrow, element);
    break;
  case PPI_TYPE_D:
  case PPI_TYPE_Z:
    memcpy(to, value, element);
    break;
  case PPI_TYPE_INT:
    memcpy(to, element == sizeof wide ? (const void *)&wide : (const void *)&integer, element);
    break;
  }
}

/* Where in its line a column of a general matrix begins: at a place that no other one of PPI_PATTERN_PERIOD columns has, for each step is
   a permutation of them. Further columns, and further rows, have permutations of their own, so that none repeats another. */
static int64_t begin_of(int64_t block, int64_t column) {
  const uint64_t mask = PPI_PATTERN_PERIOD - 1;
  uint64_t column_block = (uint64_t)column / PPI_PATTERN_PERIOD, place = (uint64_t)column % PPI_PATTERN_PERIOD;
  struct ppi_random random = { PLACES_SEED + (uint64_t)block * UINT64_C(0x100000001b3) + column_block };
  uint64_t factors = ppi_random_next(&random), shift = ppi_random_next(&random);
  place = place * (factors | 1) & mask;
  place ^= place >> 5;
  place = place * (factors >> 16 | 1) & mask;
  return (int64_t)((place + shift) & mask);
}

static bool may_repeat(enum ppi_property property) {
  return property == PPI_GENERAL || property == PPI_ZERO;
}

enum perfpred_status ppi_pattern_make(struct ppi_pattern *pattern, enum ppi_property property, enum ppi_type type,
                                      bool ilp64, int64_t extent, struct perfpred_error *error) {
  int64_t reach = may_repeat(property) ? PPI_PATTERN_PERIOD - 1 : extent;
  size_t element = ppi_type_bytes(type, ilp64), count = 2 * (size_t)reach + 1;
  unsigned char *line = malloc(count * element);
  if (line == NULL)
    return ppi_error_memory(error);
  for (size_t k = 0; k < count; k++) {
    double value[2];
    value_at(property, type, (int64_t)k - reach, value);
    store(type, element, line + k * element, value);
  }
  *pattern = (struct ppi_pattern){ property, type, element, reach, line };
  return PERFPRED_OK;
}

void ppi_pattern_free(struct ppi_pattern *pattern) {
  free(pattern->line);
  pattern->line = NULL;
}

void ppi_element_read(enum ppi_type type, size_t element, const unsigned char *from, double value[2]) {
  float narrow[2] = { 0.0F, 0.0F };
  int32_t integer = 0;
  int64_t wide = 0;
  value[0] = value[1] = 0.0;
  switch (type) {
  case PPI_TYPE_S:
  case PPI_TYPE_C:
    memcpy(narrow, from, element);
    value[0] = (double)narrow[0];
    value[1] = (double)narrow[1];
    break;
  case PPI_TYPE_D:
  case PPI_TYPE_Z:
    memcpy(value, from, element);
    break;
  case PPI_TYPE_INT:
    memcpy(element == sizeof wide ? (void *)&wide : (void *)&integer, from, element);
    value[0] = element == sizeof wide ? (double)wide : (double)integer;
    break;
  }
}

/* Number of an element in the line of its pattern. */
static int64_t number_of(const struct ppi_pattern *pattern, int64_t i, int64_t j) {
  if (!may_repeat(pattern->property))
    return pattern->reach + i - j;
  return begin_of(i / PPI_PATTERN_PERIOD, j) + i % PPI_PATTERN_PERIOD;
}

void ppi_pattern_value(const struct ppi_pattern *pattern, int64_t i, int64_t j, double value[2]) {
  const unsigned char *from = pattern->line + (size_t)number_of(pattern, i, j) * pattern->element;
  ppi_element_read(pattern->type, pattern->element, from, value);
}

int64_t ppi_area_span(const struct ppi_area *area) {
  if (area->rows <= 0 || area->columns <= 0)
    return 0;
  return (area->columns - 1) * area->ld + (area->rows - 1) * area->step + 1;
}

/* Bytes of the lines that so many elements of a column take. */
static int64_t lines_of(const struct ppi_area *area, int64_t count) {
  int64_t element = (int64_t)area->element, apart = area->step * element;
  if (area->step == 1)
    return (count * element + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
  return count * (apart < LINE_BYTES ? apart : LINE_BYTES);
}

/* Every column takes something, so that this ends soon, whatever the size. */
bool ppi_area_exceeds(const struct ppi_area *area, int64_t bytes) {
  int64_t taken = 0;
  for (int64_t j = 0; j < area->columns && taken <= bytes; j++) {
    int64_t count = area->rows;
    if (area->part == 'L')
      count = j < area->rows ? area->rows - j : 0;
    if (area->part == 'U' && j + 1 < area->rows)
      count = j + 1;
    int64_t own = lines_of(area, count), apart = area->ld * (int64_t)area->element;
    taken += area->columns > 1 && apart < own ? apart : own; /* short columns share lines */
    if (count == 0)
      break;
  }
  return taken > bytes;
}

/* Rows [first, end) of a column, in runs that the line has in one piece. */
static void fill_column(const struct ppi_area *area, const struct ppi_pattern *pattern, int64_t column, int64_t first,
                        int64_t end, bool streaming) {
  size_t element = area->element;
  int64_t period = pattern->reach + 1;
  for (int64_t i = first, next; i < end; i = next) {
    next = (i / period + 1) * period < end ? (i / period + 1) * period : end;
    unsigned char *to = area->base + (size_t)(column * area->ld + i * area->step) * element;
    const unsigned char *from = pattern->line + (size_t)number_of(pattern, i, column) * element;
    size_t count = (size_t)(next - i);
    if (area->step != 1)
      for (size_t k = 0; k < count; k++)
        memcpy(to + k * (size_t)area->step * element, from + k * element, element);
    else if (streaming)
      ppi_stream_copy(to, from, count * element);
    else
      memcpy(to, from, count * element);
  }
}

void ppi_area_fill(const struct ppi_area *area, const struct ppi_pattern *pattern, bool streaming) {
  ppi_area_fill_box(area, pattern, 0, 0, area->rows, area->columns, streaming);
}

void ppi_area_fill_box(const struct ppi_area *area, const struct ppi_pattern *pattern, int64_t row, int64_t column,
                       int64_t rows, int64_t columns, bool streaming) {
  assert(area->element == pattern->element);
  assert(may_repeat(pattern->property) || (area->rows <= pattern->reach + 1 && area->columns <= pattern->reach + 1));
  for (int64_t j = column; j < column + columns; j++) {
    int64_t first = row, end = row + rows;
    if (area->part == 'L' && j > first)
      first = j < end ? j : end;
    if (area->part == 'U' && j + 1 < end)
      end = j + 1;
    fill_column(area, pattern, j, first, end, streaming);
  }
  if (streaming)
    ppi_stream_finish();
}
