/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the buffers of a walk lie: one behind the other on an axis of bytes, each from a line on. Work buffers that come and go under
   one number have one place, as large as the largest of them. */
#ifndef PPI_CACHE_MAP_H
#define PPI_CACHE_MAP_H

#include "cache/region.h"
#include "program/walk.h"

#define PPI_MAP_LINES_MAX (INT64_C(1) << 30)

struct ppi_map_buffer {
  int64_t base, bytes; /* bytes: most that it needs */
  int64_t element, ld; /* as it is now */
};

struct ppi_map {
  int shift;     /* a line is 2^shift bytes */
  int64_t ld;    /* of matrices; 0: the rule of samplers */
  int64_t lines; /* of all buffers, once they are placed */
  struct ppi_map_buffer *buffers;
  int count;
};

/* Notes a buffer, or its present form: planning and walking alike. */
enum perfpred_status ppi_map_enter(struct ppi_map *map, int number, const struct ppi_buffer *what, int64_t rows,
                                   int64_t columns, struct perfpred_error *error);
/* The program's own buffers, those that are no scratch. PERFPRED_INVALID: the leading dimension is too small for one. */
enum perfpred_status ppi_map_own(struct ppi_map *map, const struct perfpred_program *program, const int64_t *parameters,
                                 struct perfpred_error *error);
/* After planning: gives every buffer its place. PERFPRED_LIMIT: more than PPI_MAP_LINES_MAX lines. */
enum perfpred_status ppi_map_place(struct ppi_map *map, struct perfpred_error *error);
/* The region of a data argument of a call of the walk. */
enum perfpred_status ppi_map_region(const struct ppi_map *map, const struct perfpred_kernel *kernel,
                                    const struct ppi_value *values, int place, struct ppi_region *region,
                                    struct perfpred_error *error);
/* The region of an element: of a scalar, or the result, of a call. */
void ppi_map_element(const struct ppi_map *map, const struct ppi_value *value, struct ppi_region *region);
void ppi_map_free(struct ppi_map *map); /* twice is fine */

#endif
