/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/map.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum perfpred_status too_large(const struct ppi_map *map, const char *name, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_LIMIT,
                       "buffer %s: with it all buffers take more than 2^30 cache lines of %" PRId64 " bytes", name,
                       INT64_C(1) << map->shift);
}

static enum perfpred_status grow(struct ppi_map *map, int count, struct perfpred_error *error) {
  if (count <= map->count)
    return PERFPRED_OK;
  struct ppi_map_buffer *buffers = realloc(map->buffers, (size_t)count * sizeof *buffers);
  if (!buffers)
    return ppi_error_memory(error);
  memset(buffers + map->count, 0, (size_t)(count - map->count) * sizeof *buffers);
  map->buffers = buffers;
  map->count = count;
  return PERFPRED_OK;
}

enum perfpred_status ppi_map_enter(struct ppi_map *map, int number, const struct ppi_buffer *what, int64_t rows,
                                   int64_t columns, struct perfpred_error *error) {
  enum perfpred_status status = grow(map, number + 1, error);
  if (status)
    return status;
  struct ppi_map_buffer *buffer = &map->buffers[number];
  const bool given = map->ld >= rows && map->ld > 0 && what->shape != PPI_SHAPE_VECTOR;
  int64_t elements = 0, bytes = 0;
  buffer->element = (int64_t)ppi_type_bytes(what->type, false);
  buffer->ld = given ? map->ld : ppi_leading_dimension(rows);
  if (columns == 0)
    return PERFPRED_OK;
  if (__builtin_mul_overflow(buffer->ld, columns, &elements) ||
      __builtin_mul_overflow(elements, buffer->element, &bytes) || bytes >> map->shift > PPI_MAP_LINES_MAX)
    return too_large(map, what->name, error);
  buffer->bytes = bytes > buffer->bytes ? bytes : buffer->bytes;
  return PERFPRED_OK;
}

enum perfpred_status ppi_map_own(struct ppi_map *map, const struct perfpred_program *program, const int64_t *parameters,
                                 struct perfpred_error *error) {
  enum perfpred_status status = grow(map, program->buffer_count, error);
  for (int i = 0; i < program->buffer_count && !status; i++) {
    const struct ppi_buffer *buffer = &program->buffers[i];
    int64_t rows = 0, columns = 0;
    if (buffer->work)
      continue;
    status = ppi_buffer_extent(program, i, parameters, &rows, &columns, error);
    if (!status && map->ld > 0 && map->ld < rows && buffer->shape != PPI_SHAPE_VECTOR)
      return ppi_error_set(error, PERFPRED_INVALID,
                           "options.ld: %" PRId64 ": expected at least %" PRId64 ", the rows of %s", map->ld, rows,
                           buffer->name);
    if (!status)
      status = ppi_map_enter(map, i, buffer, rows, columns, error);
  }
  return status;
}

enum perfpred_status ppi_map_place(struct ppi_map *map, struct perfpred_error *error) {
  const int64_t line = INT64_C(1) << map->shift;
  map->lines = 0;
  for (int i = 0; i < map->count; i++) {
    map->buffers[i].base = map->lines << map->shift;
    map->lines += (map->buffers[i].bytes + line - 1) >> map->shift;
    if (map->lines > PPI_MAP_LINES_MAX)
      return ppi_error_set(error, PERFPRED_LIMIT, "all buffers take more than 2^30 cache lines of %" PRId64 " bytes",
                           line);
  }
  return PERFPRED_OK;
}

enum perfpred_status ppi_map_region(const struct ppi_map *map, const struct perfpred_kernel *kernel,
                                    const struct ppi_value *values, int place, struct ppi_region *region,
                                    struct perfpred_error *error) {
  const struct ppi_value *value = &values[place];
  int64_t rows = 0, columns = 0;
  enum perfpred_status status = ppi_kernel_extent(kernel, values, place, &rows, &columns, error);
  if (status)
    return status;
  assert(value->buffer >= 0 && value->buffer < map->count);
  const struct ppi_map_buffer *buffer = &map->buffers[value->buffer];
  const bool along_row = value->by_row && columns == 1;
  ppi_region_outline(kernel, values, place, along_row ? 1 : rows, along_row ? rows : columns, region);
  region->element = buffer->element;
  region->ld = buffer->ld;
  region->base = buffer->base;
  if (region->rows > 0 && region->columns > 0) /* one without elements may lie anywhere */
    region->base += (value->row + value->column * buffer->ld) * buffer->element;
  return PERFPRED_OK;
}

void ppi_map_element(const struct ppi_map *map, const struct ppi_value *value, struct ppi_region *region) {
  assert(value->buffer >= 0 && value->buffer < map->count);
  const struct ppi_map_buffer *buffer = &map->buffers[value->buffer];
  *region = (struct ppi_region){ .rows = 1, .columns = 1, .element = buffer->element, .ld = buffer->ld };
  region->base = buffer->base + (value->row + value->column * buffer->ld) * buffer->element;
}

void ppi_map_free(struct ppi_map *map) {
  free(map->buffers);
  map->buffers = NULL;
  map->count = 0;
}
