/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/layout.h"

#include <inttypes.h>

/* All extents of an array, as numbers. */
static enum perfpred_status find_extents(const struct perfpred_program *nest, const struct ppi_buffer *buffer,
                                         const int64_t *parameters, struct ppi_layout_array *array,
                                         struct perfpred_error *error) {
  struct perfpred_error inner;
  ppi_error_clear(&inner);
  for (int i = 0; i < buffer->dimensions; i++) {
    enum perfpred_status status = ppi_expr_eval(buffer->extent[i], parameters, &array->extent[i], &inner);
    if (status)
      return ppi_error_set(error, status, "%s, extent %d of %s: %s", nest->name, i + 1, buffer->name, inner.text);
    if (array->extent[i] < 0)
      return ppi_error_set(error, PERFPRED_INVALID, "%s: extent %d of %s must be >= 0, got %" PRId64, nest->name, i + 1,
                           buffer->name, array->extent[i]);
  }
  return PERFPRED_OK;
}

/* Strides of the subscripts from the inner one outwards. False: beyond 64 bits. */
static bool find_strides(const struct ppi_buffer *buffer, struct ppi_layout_array *array) {
  const int64_t inner = array->extent[array->inner];
  int64_t lines = inner / array->per_line + (inner % array->per_line > 0);
  for (int i = 1; i < array->dimensions; i++) {
    const int at = buffer->row_major ? array->dimensions - 1 - i : i;
    array->stride[at] = lines;
    if (__builtin_mul_overflow(lines, array->extent[at], &lines))
      return false;
  }
  array->lines = lines;
  return true;
}

static enum perfpred_status place_array(const struct perfpred_program *nest, int index, const int64_t *parameters,
                                        struct ppi_layout *layout, struct perfpred_error *error) {
  const struct ppi_buffer *buffer = &nest->buffers[index];
  struct ppi_layout_array *array = &layout->arrays[index];
  const int64_t element_bytes = ppi_buffer_element_bytes(buffer);
  if (layout->line_bytes < element_bytes || layout->line_bytes % element_bytes != 0)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "a line of %" PRId64 " bytes is not a whole number of elements of %s, which have %" PRId64
                         " bytes",
                         layout->line_bytes, buffer->name, element_bytes);
  *array = (struct ppi_layout_array){ .dimensions = buffer->dimensions };
  array->inner = buffer->row_major ? buffer->dimensions - 1 : 0;
  array->per_line = layout->line_bytes / element_bytes;
  array->first = layout->lines;
  enum perfpred_status status = find_extents(nest, buffer, parameters, array, error);
  if (status)
    return status;
  if (!find_strides(buffer, array) || __builtin_add_overflow(layout->lines, array->lines, &layout->lines))
    return ppi_error_set(error, PERFPRED_OVERFLOW, "%s: the arrays up to %s have more than 2^63 lines", nest->name,
                         buffer->name);
  return PERFPRED_OK;
}

enum perfpred_status ppi_layout_make(const struct perfpred_program *nest, const int64_t *parameters, int64_t line_bytes,
                                     struct ppi_layout *layout, struct perfpred_error *error) {
  layout->line_bytes = line_bytes;
  layout->count = nest->buffer_count;
  layout->lines = 0;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < nest->buffer_count && !status; i++)
    status = place_array(nest, i, parameters, layout, error);
  return status;
}

int64_t ppi_layout_line(const struct ppi_layout *layout, int array, const int64_t *subscripts) {
  const struct ppi_layout_array *of = &layout->arrays[array];
  int64_t line = of->first + subscripts[of->inner] / of->per_line;
  for (int i = 0; i < of->dimensions; i++)
    line += of->stride[i] * subscripts[i];
  return line;
}

int ppi_layout_outside(const struct ppi_layout *layout, int array, const int64_t *subscripts) {
  const struct ppi_layout_array *of = &layout->arrays[array];
  for (int i = 0; i < of->dimensions; i++)
    if (subscripts[i] < 0 || subscripts[i] >= of->extent[i])
      return i;
  return -1;
}
