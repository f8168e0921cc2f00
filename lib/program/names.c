/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool ppi_names_reserve(struct ppi_names *names, size_t more) {
  if (names->capacity - names->count >= more)
    return true;
  size_t capacity = 2 * names->capacity > names->count + more ? 2 * names->capacity : names->count + more;
  struct perfpred_program **sorted = realloc(names->sorted, capacity * sizeof *sorted);
  if (!sorted)
    return false;
  names->sorted = sorted;
  names->capacity = capacity;
  return true;
}

/* Place of the first name that is not before `name`. */
static size_t place_of(const struct ppi_names *names, const char *name) {
  size_t low = 0, high = names->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(names->sorted[middle]->name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct perfpred_program *ppi_names_find(const struct ppi_names *names, const char *name) {
  const size_t place = names ? place_of(names, name) : 0;
  if (!names || place == names->count || strcmp(names->sorted[place]->name, name) != 0)
    return NULL;
  return names->sorted[place];
}

void ppi_names_add(struct ppi_names *names, struct perfpred_program *program) {
  assert(names->count < names->capacity);
  const size_t place = place_of(names, program->name);
  memmove(names->sorted + place + 1, names->sorted + place, (names->count - place) * sizeof *names->sorted);
  names->sorted[place] = program;
  names->count++;
}

void ppi_names_free(struct ppi_names *names) {
  free(names->sorted);
  *names = (struct ppi_names){ 0 };
}
