/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "model/adaptive.h"

#define KEY_MAX 255

/* Powers beyond the kernel's cost come last, higher ones after lower ones. */
static int key_of(const struct ppi_growth *growth, const int *powers) {
  int beyond = 0, total = 0;

  for (int d = 0; d < growth->dimensions; d++) {
    int more = powers[d] - (growth->degrees[d] - growth->knobs.overfitting);

    beyond += more > 0 ? more : 0;
    total += powers[d];
  }
  return beyond > growth->knobs.overfitting ? -1 : 32 * beyond + total;
}

/* The next combination of powers; false after the last one. */
static bool advance(const struct ppi_growth *growth, int *powers) {
  for (int d = growth->dimensions - 1; d >= 0; d--) {
    if (powers[d] < growth->degrees[d]) {
      powers[d]++;
      return true;
    }
    powers[d] = 0;
  }
  return false;
}

static void add_all(const struct ppi_growth *growth, int key, struct ppi_terms *terms) {
  int powers[PPI_SIZE_MAX] = { 0 };

  do {
    if (terms->count < PPI_TERM_MAX && key_of(growth, powers) == key)
      memcpy(terms->powers[terms->count++], powers, sizeof powers);
  } while (advance(growth, powers));
}

void ppi_terms_of(const struct ppi_growth *growth, struct ppi_terms *terms) {
  memset(terms, 0, sizeof *terms);
  terms->dimensions = growth->dimensions;
  for (int key = 0; key <= KEY_MAX && terms->count < PPI_TERM_MAX; key++)
    add_all(growth, key, terms);
}
