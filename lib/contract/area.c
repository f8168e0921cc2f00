/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/area.h"

#include <assert.h>

/* Sizes are added up, doubled and compared with remote accesses: so many of them together must not wrap. */
#define SIZES_AT_MOST (INT64_MAX / 64)

static uint32_t bit(int index) {
  return UINT32_C(1) << index;
}

/* --- Memories ---------------------------------------------------------------------------------------------------------- */

static void add_index(struct ppi_terrain *terrain, int memory, int index, int64_t stride) {
  if (terrain->extent[index] == 1)
    return;
  terrain->indices[memory] |= bit(index);
  terrain->stride[memory][index] = stride * terrain->element_bytes;
}

static void place_indices(struct ppi_terrain *terrain, const struct ppi_contract_call *call) {
  for (int o = 0; o < PPI_OPERANDS; o++) {
    for (int i = 0; i < terrain->contraction->index_count; i++)
      if (terrain->contraction->index[i].stride[o] != 0)
        add_index(terrain, o, i, terrain->contraction->index[i].stride[o]);
    const struct ppi_contract_slice *slice = &call->slices[o];
    for (int d = 0; d < slice->dimensions && slice->copied; d++)
      add_index(terrain, PPI_OPERANDS + o, slice->along[d], d == 0 ? 1 : slice->extent[0]);
  }
}

/* The largest area of a memory is all of it, each of its elements in a line of its own. */
static bool fits(const struct ppi_terrain *terrain) {
  int64_t sum = 0;
  for (int memory = 0; memory < PPI_MEMORIES; memory++) {
    int64_t size = terrain->line_bytes;
    for (int i = 0; i < terrain->contraction->index_count; i++) {
      const int64_t extent = terrain->extent[i];
      if ((terrain->indices[memory] & bit(i)) && extent > 0 && __builtin_mul_overflow(size, extent, &size))
        return false;
    }
    if (__builtin_add_overflow(sum, size, &sum))
      return false;
  }
  return sum <= SIZES_AT_MOST;
}

enum perfpred_status ppi_terrain_begin(const struct ppi_contraction *contraction, const struct ppi_contract_call *call,
                                       int64_t line_bytes, bool whole_lines, struct ppi_terrain *terrain,
                                       struct perfpred_error *error) {
  *terrain = (struct ppi_terrain){ .contraction = contraction,
                                   .element_bytes = (int64_t)ppi_type_bytes(contraction->type, false),
                                   .line_bytes = line_bytes,
                                   .whole_lines = whole_lines,
                                   .stepped = -1,
                                   .rolled = -1 };
  for (int i = 0; i < contraction->index_count; i++)
    terrain->extent[i] = contraction->index[i].extent;
  assert(line_bytes >= terrain->element_bytes && (line_bytes & (line_bytes - 1)) == 0);
  place_indices(terrain, call);
  if (!fits(terrain))
    return ppi_error_set(error, PERFPRED_OVERFLOW,
                         "access distances: the tensors have too many elements, expected less than 2^57 bytes where "
                         "each takes a cache line of its own");
  return PERFPRED_OK;
}

struct ppi_terrain ppi_terrain_step(const struct ppi_terrain *terrain, int index, int inner) {
  struct ppi_terrain stepped = *terrain;
  stepped.stepped = index;
  stepped.rolled = inner;
  stepped.extent[index] = 2;
  return stepped;
}

bool ppi_terrain_moves(const struct ppi_terrain *terrain, int memory, int index) {
  return (terrain->indices[memory] & bit(index)) != 0;
}

/* The indices of a mask by rising stride; their number is returned. */
static int sort(const struct ppi_terrain *terrain, int memory, uint32_t mask, int order[PPI_INDEX_MAX]) {
  const int64_t *stride = terrain->stride[memory];
  int count = 0;
  for (int i = 0; i < terrain->contraction->index_count; i++) {
    if (!(mask & bit(i)))
      continue;
    int at = count++;
    for (; at > 0 && stride[order[at - 1]] > stride[i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return count;
}

void ppi_terrain_line(const struct ppi_terrain *terrain, int memory, struct ppi_terrain_line *line) {
  int order[PPI_INDEX_MAX];
  const int count = sort(terrain, memory, terrain->indices[memory], order);
  line->first = count > 0 ? order[0] : -1;
  line->second = count > 1 ? order[1] : -1;
  line->elements = 1;
  if (count > 0 && terrain->stride[memory][order[0]] < terrain->line_bytes)
    line->elements = terrain->line_bytes / terrain->stride[memory][order[0]];
}

/* --- Sizes of areas ---------------------------------------------------------------------------------------------------- */

int64_t ppi_area_element_bytes(const struct ppi_terrain *terrain, struct ppi_area area) {
  int64_t bytes = terrain->element_bytes;
  for (int i = 0; i < terrain->contraction->index_count; i++)
    if (area.open & bit(i))
      bytes *= terrain->extent[i];
  return bytes;
}

static int64_t common(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Common divisor of a line and the strides that move blocks of an area whose blocks are moved by `moving` of the indices. */
static int64_t grain_of(const struct ppi_terrain *terrain, int memory, uint32_t moving) {
  int64_t grain = terrain->line_bytes;
  for (int i = 0; i < terrain->contraction->index_count; i++)
    if (terrain->indices[memory] & moving & bit(i))
      grain = common(grain, terrain->stride[memory][i]);
  return grain;
}

/* An area is a number of blocks, within which no line is left out, and between which a line or more is. How many lines a block has
   depends on where in a line it begins: at any multiple of the common divisor of the strides that move it, equally often. rolled: an index
   at which blocks end, beginning at any value of it; -1: none is. */
static int64_t blocks_bytes(const struct ppi_terrain *terrain, struct ppi_area area, int rolled) {
  const int64_t line = terrain->line_bytes, *stride = terrain->stride[area.memory];
  int order[PPI_INDEX_MAX];
  const int count = sort(terrain, area.memory, area.open, order);
  uint32_t moving = ~area.open;
  int64_t block = terrain->element_bytes, blocks = 1;
  bool ended = false;
  for (int k = 0; k < count; k++) {
    const int64_t extent = terrain->extent[order[k]];
    const bool inside = !ended && blocks == 1 && stride[order[k]] - block < line;
    if (extent == 0)
      return 0;
    block += inside ? (extent - 1) * stride[order[k]] : 0;
    blocks *= inside ? 1 : extent;
    ended = ended || order[k] == rolled;
    if (!inside || order[k] == rolled || order[k] == terrain->stepped)
      moving |= bit(order[k]);
  }
  const int64_t grain = grain_of(terrain, area.memory, moving);
  const int64_t least = (block + line - 1) / line * line; /* from the beginning of a line on */
  const int64_t more =
      line / grain - 1 - (least - block) / grain; /* of line / grain beginnings so many need one line more */
  return blocks * (least + (more > 0 ? more * grain : 0));
}

int64_t ppi_area_line_bytes(const struct ppi_terrain *terrain, struct ppi_area area) {
  const int64_t whole = blocks_bytes(terrain, area, -1);
  if (terrain->rolled < 0 || !(area.open & bit(terrain->rolled)))
    return whole;
  const int64_t rolled = blocks_bytes(terrain, area, terrain->rolled); /* at most all lines twice */
  return rolled < 2 * whole ? rolled : 2 * whole;
}

int64_t ppi_area_size(const struct ppi_terrain *terrain, struct ppi_area area) {
  return terrain->whole_lines ? ppi_area_line_bytes(terrain, area) : ppi_area_element_bytes(terrain, area);
}

/* --- Unions ------------------------------------------------------------------------------------------------------------ */

static bool within(struct ppi_area inner, struct ppi_area outer) {
  return inner.memory == outer.memory && (inner.open & ~outer.open) == 0;
}

void ppi_areas_add(struct ppi_areas *areas, struct ppi_area area) {
  int kept = 0;
  for (int i = 0; i < areas->count; i++) {
    if (within(area, areas->items[i]))
      return;
    if (!within(areas->items[i], area))
      areas->items[kept++] = areas->items[i];
  }
  assert(kept < PPI_AREAS_MAX);
  areas->items[kept++] = area;
  areas->count = kept;
}

void ppi_areas_join(struct ppi_areas *areas, const struct ppi_areas *others) {
  for (int i = 0; i < others->count; i++)
    ppi_areas_add(areas, others->items[i]);
}

/* |X and all that comes after it| = |X| + |the rest| - |what both have|, and what both have is a union as well. */
static int64_t unite(const struct ppi_terrain *terrain, const struct ppi_area *areas, int count) {
  if (count == 0)
    return 0;
  struct ppi_areas both = { .count = 0 };
  for (int i = 1; i < count; i++)
    ppi_areas_add(&both, (struct ppi_area){ areas->memory, areas->open & areas[i].open });
  return ppi_area_size(terrain, areas[0]) + unite(terrain, areas + 1, count - 1) -
         unite(terrain, both.items, both.count);
}

int64_t ppi_areas_size(const struct ppi_terrain *terrain, const struct ppi_areas *areas, unsigned only) {
  int64_t sum = 0;
  for (int memory = 0; memory < PPI_MEMORIES; memory++) {
    struct ppi_areas of_memory = { .count = 0 };
    for (int i = 0; i < areas->count && (only >> memory & 1); i++)
      if (areas->items[i].memory == memory)
        of_memory.items[of_memory.count++] = areas->items[i];
    sum += unite(terrain, of_memory.items, of_memory.count);
  }
  return sum;
}
