/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/uses.h"

#include <stdlib.h>
#include <string.h>

static int by_bound(const void *a, const void *b) {
  const struct ppi_table_cell *x = a, *y = b;
  return (x->bound > y->bound) - (x->bound < y->bound);
}

/* Of the entries from first to end: cells with the largest block size that any of them has there. */
static size_t cover(const struct ppi_table_entry *first, const struct ppi_table_entry *end,
                    struct ppi_table_cell *cells) {
  size_t total = 0, count = 0;
  for (const struct ppi_table_entry *entry = first; entry < end; entry++)
    for (size_t k = 0; k < entry->cell_count; k++)
      cells[total++] = entry->cells[k];
  qsort(cells, total, sizeof *cells, by_bound);
  for (const struct ppi_table_entry *entry = first; entry < end; entry++)
    for (size_t k = 0; k < total; k++) {
      const uint16_t nb = ppi_table_cell_of(entry->cells, (uint32_t)entry->cell_count, cells[k].bound)->nb;
      cells[k].nb = nb > cells[k].nb ? nb : cells[k].nb;
    }
  for (size_t k = 0; k < total; k++) { /* the last one of equal ones has the largest bound */
    if (count > 0 && cells[count - 1].nb == cells[k].nb)
      count--;
    cells[count++] = cells[k];
  }
  return count;
}

static enum perfpred_status add_cover(struct ppi_entries *entries, size_t first, size_t end,
                                      struct perfpred_error *error) {
  size_t total = 0;
  for (size_t i = first; i < end; i++)
    total += entries->items[i].cell_count;
  struct ppi_table_cell *cells = calloc(total + 1, sizeof *cells);
  if (!cells)
    return ppi_error_memory(error);
  const struct ppi_table_entry *use = &entries->items[first];
  const size_t count = cover(use, entries->items + end, cells);
  entries->items[entries->count++] = (struct ppi_table_entry){ use->routine, "", use->cell_size, cells, count };
  return PERFPRED_OK;
}

enum perfpred_status ppi_uses_cover(struct ppi_entries *entries, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  const size_t count = entries->count;
  for (size_t first = 0, end; first < count && !status; first = end) {
    const char *routine = entries->items[first].routine;
    bool covered = false;
    for (end = first; end < count && strcmp(entries->items[end].routine, routine) == 0; end++)
      covered = covered || entries->items[end].options[0] == '\0';
    if (!covered && ppi_table_multiplies(routine))
      status = add_cover(entries, first, end, error);
  }
  return status;
}

void ppi_entries_free(struct ppi_entries *entries) {
  for (size_t i = 0; i < entries->count; i++)
    free((void *)entries->items[i].cells);
  free(entries->items);
}
