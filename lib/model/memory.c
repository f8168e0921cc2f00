/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

struct ppi_remembered {
  int64_t upper[PPI_SIZE_MAX], from[PPI_SIZE_MAX]; /* of the region */
  struct ppi_cut cut;
};

bool ppi_memory_find(const struct ppi_memory *memory, const struct ppi_region *region, struct ppi_cut *cut) {
  for (int i = 0; i < memory->count; i++) {
    const struct ppi_remembered *item = memory->items + i;

    if (memcmp(item->upper, region->upper, sizeof item->upper) == 0 &&
        memcmp(item->from, region->from, sizeof item->from) == 0) {
      *cut = item->cut;
      return true;
    }
  }
  return false;
}

enum perfpred_status ppi_memory_add(struct ppi_memory *memory, const struct ppi_region *region,
                                    const struct ppi_cut *cut, struct perfpred_error *error) {
  struct ppi_remembered *item;

  if (memory->count == memory->capacity) {
    int capacity = 2 * memory->capacity + 16;
    struct ppi_remembered *items = realloc(memory->items, (size_t)capacity * sizeof *items);

    if (!items)
      return ppi_error_memory(error);
    memory->items = items;
    memory->capacity = capacity;
  }
  item = memory->items + memory->count++;
  memcpy(item->upper, region->upper, sizeof item->upper);
  memcpy(item->from, region->from, sizeof item->from);
  item->cut = *cut;
  return PERFPRED_OK;
}

void ppi_memory_release(struct ppi_memory *memory) {
  free(memory->items);
  memset(memory, 0, sizeof *memory);
}
