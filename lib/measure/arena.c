/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/arena.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (INT64_C(1) << 46)
#define PAGE 4096
#define HUGE_PAGE ((size_t)2 << 20)
#define STAGGER 1088 /* a multiple of 64, so that operands do not all start in the same set of a cache */

enum perfpred_status ppi_area_bytes(int64_t rows, int64_t columns, int64_t step, int64_t ld, size_t element,
                                    int64_t *bytes, struct perfpred_error *error) {
  int64_t along, across, all;
  if (rows <= 0 || columns <= 0) {
    *bytes = (int64_t)element;
    return PERFPRED_OK;
  }
  if (__builtin_mul_overflow(rows, step, &along) || __builtin_mul_overflow(columns - 1, ld, &across) ||
      __builtin_add_overflow(along, across, &all) || __builtin_mul_overflow(all, (int64_t)element, &all) ||
      all > BYTES_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT,
                         "an operand of %" PRId64 " x %" PRId64 " elements is beyond the limit of 64 TiB", rows,
                         columns);
  *bytes = all;
  return PERFPRED_OK;
}

static bool same_kind(const struct ppi_slot *a, const struct ppi_slot *b) {
  if (a->written != b->written || a->ordinal != b->ordinal)
    return false;
  return a->written || (a->property == b->property && a->type == b->type && a->part == b->part);
}

enum perfpred_status ppi_arena_plan(struct ppi_arena *arena, const struct ppi_slot *kind, int64_t bytes, size_t *slot,
                                    struct perfpred_error *error) {
  size_t at = 0;
  while (at < arena->slot_count && !same_kind(&arena->slots[at], kind))
    at++;
  if (at == arena->slot_count) {
    struct ppi_slot *slots = realloc(arena->slots, (at + 1) * sizeof *slots);
    if (slots == NULL)
      return ppi_error_memory(error);
    arena->slots = slots;
    slots[at] = *kind;
    slots[at].bytes = 0;
    arena->slot_count++;
  }
  if (bytes > arena->slots[at].bytes)
    arena->slots[at].bytes = bytes;
  *slot = at;
  return PERFPRED_OK;
}

void ppi_arena_plan_extent(struct ppi_arena *arena, int64_t extent) {
  if (extent > arena->extent)
    arena->extent = extent;
}

/* Anew, its contents zero. */
static enum perfpred_status allocate_slot(struct ppi_slot *slot, size_t number, struct perfpred_error *error) {
  size_t offset = number % 64 * STAGGER, bytes = (size_t)slot->bytes + offset + 64;
  size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  slot->memory = aligned_alloc(alignment, bytes);
  if (slot->memory == NULL)
    return ppi_error_set(error, PERFPRED_NO_MEMORY, "no memory for an operand of %" PRId64 " bytes", slot->bytes);
  memset(slot->memory, 0, bytes);
  slot->base = slot->memory + offset;
  return PERFPRED_OK;
}

enum perfpred_status ppi_arena_allocate(struct ppi_arena *arena, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < arena->slot_count && status == PERFPRED_OK; i++)
    status = allocate_slot(&arena->slots[i], i, error);
  return status;
}

enum perfpred_status ppi_arena_grow(struct ppi_arena *arena, size_t number, int64_t bytes,
                                    struct perfpred_error *error) {
  struct ppi_slot *slot = &arena->slots[number];
  free(slot->memory); /* before there is more, as both may not fit */
  slot->memory = slot->base = NULL;
  slot->bytes = bytes;
  slot->filled = (struct ppi_area){ 0 };
  return allocate_slot(slot, number, error);
}

enum perfpred_status ppi_arena_pattern(struct ppi_arena *arena, enum ppi_property property, enum ppi_type type,
                                       bool ilp64, size_t *pattern, struct perfpred_error *error) {
  size_t element = ppi_type_bytes(type, ilp64);
  for (size_t i = 0; i < arena->pattern_count; i++) {
    const struct ppi_pattern *known = &arena->patterns[i];
    if (known->property == property && known->type == type && known->element == element) {
      *pattern = i;
      return PERFPRED_OK;
    }
  }
  struct ppi_pattern *patterns = realloc(arena->patterns, (arena->pattern_count + 1) * sizeof *patterns);
  if (patterns == NULL)
    return ppi_error_memory(error);
  arena->patterns = patterns;
  enum perfpred_status status =
      ppi_pattern_make(&patterns[arena->pattern_count], property, type, ilp64, arena->extent, error);
  if (status == PERFPRED_OK)
    *pattern = arena->pattern_count++;
  return status;
}

static bool covers(const struct ppi_area *filled, const struct ppi_area *area) {
  return filled->base == area->base && filled->element == area->element && filled->step == area->step &&
         filled->ld == area->ld && filled->rows >= area->rows && filled->columns >= area->columns;
}

enum perfpred_status ppi_arena_ready(struct ppi_arena *arena, size_t slot, const struct ppi_area *area, bool ilp64,
                                     struct perfpred_error *error) {
  struct ppi_slot *held = &arena->slots[slot];
  /* Random numbers are as good as any other: they are laid out once, in one piece, whatever the shapes of the operands. */
  struct ppi_area whole = *area;
  if (held->property == PPI_GENERAL) {
    whole.rows = held->bytes / (int64_t)area->element;
    whole.columns = whole.step = 1;
    whole.ld = whole.rows;
  }
  whole.part = 0;
  if (covers(&held->filled, &whole))
    return PERFPRED_OK;
  size_t pattern = 0, zero = 0;
  enum perfpred_status status = ppi_arena_pattern(arena, held->property, held->type, ilp64, &pattern, error);
  if (status == PERFPRED_OK && held->part != 0)
    status = ppi_arena_pattern(arena, PPI_ZERO, held->type, ilp64, &zero, error);
  if (status != PERFPRED_OK)
    return status;
  if (held->part != 0)
    ppi_area_fill(&whole, &arena->patterns[zero], false);
  whole.part = held->part;
  ppi_area_fill(&whole, &arena->patterns[pattern], false);
  held->filled = whole;
  return PERFPRED_OK;
}

void ppi_arena_free(struct ppi_arena *arena) {
  for (size_t i = 0; i < arena->slot_count; i++)
    free(arena->slots[i].memory);
  free(arena->slots);
  for (size_t i = 0; i < arena->pattern_count; i++)
    ppi_pattern_free(&arena->patterns[i]);
  free(arena->patterns);
  *arena = (struct ppi_arena){ 0 };
}
