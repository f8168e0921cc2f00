/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/owners.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool ppi_owners_begin(struct ppi_owners *owners, int64_t lines) {
  const size_t count = (size_t)(lines + PPI_OWNERS_GROUP - 1) / PPI_OWNERS_GROUP;
  *owners = (struct ppi_owners){ .groups = calloc(count + 1, sizeof *owners->groups), .count = count };
  return owners->groups != NULL;
}

void ppi_owners_end(struct ppi_owners *owners) {
  for (size_t i = 0; owners->groups && i < owners->count; i++)
    free(owners->groups[i].lines);
  free(owners->groups);
  owners->groups = NULL;
}

static void meet(struct ppi_owner_tally *tally, uint32_t owner, int64_t lines) {
  assert(owner < tally->capacity);
  if (tally->lines[owner] == 0)
    tally->met[tally->met_count++] = owner;
  tally->lines[owner] += lines;
}

static void count_group(const struct ppi_owner_group *group, size_t first, size_t end, struct ppi_owner_tally *tally) {
  if (!group->lines) {
    meet(tally, group->owner, (int64_t)(end - first));
    return;
  }
  for (size_t i = first; i < end;) {
    size_t next = i + 1;
    while (next < end && group->lines[next] == group->lines[i])
      next++;
    meet(tally, group->lines[i], (int64_t)(next - i));
    i = next;
  }
}

/* False: no memory for lines of their own. */
static bool split_group(struct ppi_owner_group *group) {
  if (group->lines)
    return true;
  group->lines = malloc(PPI_OWNERS_GROUP * sizeof *group->lines);
  if (!group->lines)
    return false;
  for (size_t i = 0; i < PPI_OWNERS_GROUP; i++)
    group->lines[i] = group->owner;
  return true;
}

static bool take_group(struct ppi_owner_group *group, size_t first, size_t end, uint32_t owner) {
  if (end - first == PPI_OWNERS_GROUP) {
    free(group->lines);
    *group = (struct ppi_owner_group){ .owner = owner };
    return true;
  }
  if (!group->lines && group->owner == owner)
    return true;
  if (!split_group(group))
    return false;
  for (size_t i = first; i < end; i++)
    group->lines[i] = owner;
  return true;
}

/* Part [*from, *to) of the group that begins at line start. */
static void clip(int64_t start, int64_t first, int64_t end, size_t *from, size_t *to) {
  *from = first > start ? (size_t)(first - start) : 0;
  *to = end < start + PPI_OWNERS_GROUP ? (size_t)(end - start) : PPI_OWNERS_GROUP;
}

void ppi_owners_count(const struct ppi_owners *owners, int64_t first, int64_t end, struct ppi_owner_tally *tally) {
  for (int64_t at = first / PPI_OWNERS_GROUP; at * PPI_OWNERS_GROUP < end; at++) {
    size_t from, to;
    clip(at * PPI_OWNERS_GROUP, first, end, &from, &to);
    count_group(&owners->groups[at], from, to, tally);
  }
}

void ppi_owners_take(struct ppi_owners *owners, int64_t first, int64_t end, uint32_t owner,
                     struct ppi_owner_tally *tally) {
  for (int64_t at = first / PPI_OWNERS_GROUP; at * PPI_OWNERS_GROUP < end; at++) {
    size_t from, to;
    clip(at * PPI_OWNERS_GROUP, first, end, &from, &to);
    count_group(&owners->groups[at], from, to, tally);
    if (!take_group(&owners->groups[at], from, to, owner))
      owners->failed = true;
  }
}

bool ppi_owner_tally_reserve(struct ppi_owner_tally *tally, size_t capacity) {
  if (capacity <= tally->capacity)
    return true;
  size_t room = tally->capacity ? tally->capacity : 64;
  while (room < capacity)
    room *= 2;
  int64_t *lines = realloc(tally->lines, room * sizeof *lines);
  if (!lines)
    return false;
  tally->lines = lines;
  uint32_t *met = realloc(tally->met, room * sizeof *met);
  if (!met)
    return false;
  tally->met = met;
  memset(tally->lines + tally->capacity, 0, (room - tally->capacity) * sizeof *lines);
  tally->capacity = room;
  return true;
}

void ppi_owner_tally_clear(struct ppi_owner_tally *tally) {
  for (size_t i = 0; i < tally->met_count; i++)
    tally->lines[tally->met[i]] = 0;
  tally->met_count = 0;
}

void ppi_owner_tally_free(struct ppi_owner_tally *tally) {
  free(tally->lines);
  free(tally->met);
  *tally = (struct ppi_owner_tally){ 0 };
}
