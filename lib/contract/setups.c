/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists are made from the call backwards, the latest access first, and turned round in the end. */
#include "contract/setups.h"

#include <assert.h>

/* Of accesses equally long ago the smaller one is the later one. */
static bool is_later(const struct ppi_setup_access *a, const struct ppi_setup_access *b) {
  return a->distance != b->distance ? a->distance < b->distance : a->item.bytes < b->item.bytes;
}

static void sort(struct ppi_setup_access *accesses, int count) {
  for (int i = 1; i < count; i++)
    for (int k = i; k > 0 && is_later(&accesses[k], &accesses[k - 1]); k--) {
      const struct ppi_setup_access later = accesses[k];
      accesses[k] = accesses[k - 1];
      accesses[k - 1] = later;
    }
}

static void put(struct ppi_contract_setup *setup, const struct ppi_setup_item *item) {
  assert(setup->count < PPI_SETUP_ITEMS_MAX);
  setup->items[setup->count++] = *item;
}

/* As much as is missing up to `distance`, where anything is. */
static int64_t put_remote(struct ppi_contract_setup *setup, int64_t distance, int64_t reached) {
  if (distance <= reached)
    return reached;
  put(setup, &(struct ppi_setup_item){ .kind = PPI_SETUP_REMOTE, .operand = -1, .bytes = distance - reached });
  return distance;
}

static void turn_round(struct ppi_contract_setup *setup) {
  for (int i = 0, k = setup->count - 1; i < k; i++, k--) {
    const struct ppi_setup_item item = setup->items[i];
    setup->items[i] = setup->items[k];
    setup->items[k] = item;
  }
}

void ppi_setup_make(struct ppi_setup_access *accesses, int count, int64_t limit, struct ppi_contract_setup *setup) {
  int64_t reached = 0;
  bool remote = false;
  sort(accesses, count);
  setup->count = 0;
  for (int i = 0; i < count; i++) {
    const bool beyond = accesses[i].distance > limit;
    const int64_t there = put_remote(setup, beyond ? limit : accesses[i].distance, reached);
    remote = remote || there > reached;
    if (beyond)
      break;
    put(setup, &accesses[i].item);
    reached = there + accesses[i].item.bytes;
  }
  if (!remote)
    setup->count = 0;
  turn_round(setup);
}
