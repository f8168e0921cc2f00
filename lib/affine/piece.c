/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/piece.h"

#include <stdlib.h>

struct counting {
  const struct ppi_piece *piece;
  const int64_t *cache_lines;
  size_t levels;
  struct ppi_total *total;
  struct ppi_misses_count *count;
  struct ppi_set set;
  uint64_t blocks; /* points of the set */
};

static void add(struct counting *counting, uint64_t *sum, uint64_t term, uint64_t times) {
  uint64_t product = 0;
  if ((__builtin_mul_overflow(term, times, &product) || __builtin_add_overflow(*sum, product, sum)) &&
      !counting->total->status)
    counting->total->status = ppi_error_set(counting->total->error, PERFPRED_OVERFLOW, "%s has more than 2^64 accesses",
                                            counting->total->name);
}

void ppi_piece_set(const struct ppi_piece *piece, struct ppi_set *set) {
  const struct ppi_constraint *constraints = NULL;
  set->variables = piece->path->loops;
  set->count = ppi_path_constraints(piece->path, &constraints);
  memcpy(set->rows, constraints, (size_t)set->count * sizeof *constraints);
  for (int i = 0; i < set->variables; i++) {
    set->low[i] = piece->path->low[i];
    set->high[i] = piece->path->high[i];
  }
}

/* Bounds on all variables of the piece. */
static void box_of(const struct ppi_path *path, const struct ppi_set *set, int64_t low[PPI_VARS],
                   int64_t high[PPI_VARS]) {
  const uint32_t *points = NULL;
  const int count = ppi_path_points(path, &points);
  memset(low, 0, PPI_VARS * sizeof *low);
  memset(high, 0, PPI_VARS * sizeof *high);
  for (int i = 0; i < path->loops; i++) {
    low[PPI_BLOCK_VAR(i)] = set->low[i];
    high[PPI_BLOCK_VAR(i)] = set->high[i];
  }
  for (int i = 0; i < path->phase_count; i++) {
    const uint8_t *phases = path->phases + i;
    int least = PPI_MODULUS_MAX, most = 0;
    for (int j = 0; j < count; j++) {
      const int phase = phases[points[j] * (size_t)path->phase_count];
      least = phase < least ? phase : least;
      most = phase > most ? phase : most;
    }
    low[PPI_PHASE_VAR(path->phase_loop[i])] = least;
    high[PPI_PHASE_VAR(path->phase_loop[i])] = most;
  }
}

static void find_range(const struct ppi_piece *piece, const struct ppi_set *set, ppi_wide *least, ppi_wide *most) {
  int64_t low[PPI_VARS], high[PPI_VARS];
  ppi_wide a = 0, b = 0;
  *least = 1;
  *most = INT64_MAX;
  box_of(piece->path, set, low, high);
  if (!ppi_poly_range(piece->lines, low, high, &a, &b))
    return;
  a = a > 0 ? (a + piece->lines->denominator - 1) / piece->lines->denominator : 0;
  b = b > 0 ? b / piece->lines->denominator : 0;
  *least = a > *least ? a : *least;
  *most = b < *most ? b : *most;
}

void ppi_piece_range(const struct ppi_piece *piece, ppi_wide *least, ppi_wide *most) {
  struct ppi_set set;
  ppi_piece_set(piece, &set);
  ppi_set_tighten(&set);
  find_range(piece, &set, least, most);
}

/* Points that have the same values of the phases that the distance depends on. */
struct group {
  int used_count, used[PPI_LOOPS]; /* places of these phases among the path's */
  uint32_t size;
  uint32_t *points; /* how many, by the combination of values */
};

static void find_used(const struct ppi_piece *piece, struct group *group) {
  const struct ppi_path *path = piece->path;
  for (int i = 0; i < path->phase_count; i++)
    if (ppi_poly_uses(piece->lines, PPI_PHASE_VAR(path->phase_loop[i]))) {
      group->used[group->used_count++] = i;
      group->size *= (uint32_t)path->modulus[path->phase_loop[i]];
    }
}

static bool group_points(const struct ppi_piece *piece, struct group *group) {
  const struct ppi_path *path = piece->path;
  const uint32_t *points = NULL;
  const int count = ppi_path_points(path, &points);
  group->points = calloc(group->size, sizeof *group->points);
  if (!group->points)
    return false;
  for (int i = 0; i < count; i++) {
    const uint8_t *phases = path->phases + points[i] * (size_t)path->phase_count;
    uint32_t key = 0;
    for (int j = group->used_count; j-- > 0;)
      key = key * (uint32_t)path->modulus[path->phase_loop[group->used[j]]] + phases[group->used[j]];
    group->points[key]++;
  }
  return true;
}

static void count_beyond(struct counting *counting, const struct ppi_poly *lines, uint64_t points) {
  for (size_t i = 0; i < counting->levels && !counting->total->status; i++)
    add(counting, &counting->count->capacity[i],
        ppi_total_beyond(counting->total, &counting->set, lines, counting->cache_lines[i]), points);
}

/* The distance at a combination of the group's phases, which is a number in the moduli of these. */
static void count_group(struct counting *counting, const struct group *group, uint32_t key, uint64_t points) {
  const struct ppi_path *path = counting->piece->path;
  struct ppi_poly lines;
  ppi_poly_copy(&lines, counting->piece->lines);
  for (int j = 0; j < group->used_count; j++) {
    const int loop = path->phase_loop[group->used[j]];
    const uint32_t modulus = (uint32_t)path->modulus[loop];
    ppi_poly_assign(&lines, PPI_PHASE_VAR(loop), key % modulus);
    key /= modulus;
  }
  count_beyond(counting, &lines, points);
}

static void count_groups(struct counting *counting) {
  const struct ppi_path *path = counting->piece->path;
  struct group group = { .size = 1 };
  const uint32_t *points = NULL;
  const int count = ppi_path_points(path, &points);
  find_used(counting->piece, &group);
  if (group.used_count == path->phase_count) { /* each point by itself: its number is the key */
    for (int i = 0; i < count && !counting->total->status; i++)
      count_group(counting, &group, points[i], 1);
    return;
  }
  if (!group_points(counting->piece, &group)) {
    counting->total->status = ppi_error_memory(counting->total->error);
    return;
  }
  for (uint32_t key = 0; key < group.size && !counting->total->status; key++)
    if (group.points[key] > 0)
      count_group(counting, &group, key, group.points[key]);
  free(group.points);
}

/* Whether bounds alone tell how each cache does. */
static bool count_by_range(struct counting *counting, uint64_t points) {
  ppi_wide least = 0, most = 0;
  find_range(counting->piece, &counting->set, &least, &most);
  for (size_t i = 0; i < counting->levels; i++)
    if (least <= counting->cache_lines[i] && most > counting->cache_lines[i])
      return false;
  for (size_t i = 0; i < counting->levels; i++)
    if (least > counting->cache_lines[i])
      add(counting, &counting->count->capacity[i], counting->blocks, points);
  return true;
}

void ppi_piece_count(const struct ppi_piece *piece, const int64_t *cache_lines, size_t levels, struct ppi_total *total,
                     struct ppi_misses_count *count, uint64_t *accesses) {
  struct counting *counting = malloc(sizeof *counting);
  const uint32_t *unused = NULL;
  const uint64_t points = (uint64_t)ppi_path_points(piece->path, &unused);
  if (!counting) {
    total->status = ppi_error_memory(total->error);
    return;
  }
  counting->piece = piece;
  counting->cache_lines = cache_lines;
  counting->levels = levels;
  counting->total = total;
  counting->count = count;
  ppi_piece_set(piece, &counting->set);
  counting->blocks = ppi_set_tighten(&counting->set) ? ppi_total_points(total, &counting->set) : 0;
  *accesses = 0;
  add(counting, accesses, counting->blocks, points);
  add(counting, &count->accesses, *accesses, 1);
  if (piece->first)
    add(counting, &count->compulsory, *accesses, 1);
  else if (*accesses > 0 && !total->status && !count_by_range(counting, points))
    count_groups(counting);
  free(counting);
}
