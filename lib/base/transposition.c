/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/transposition.h"

#include <assert.h>
#include <stddef.h>

/* By packed place, without dimensions that go nowhere. Returns how many are left. */
static int sort(const struct ppi_transposed *dimensions, int rank, struct ppi_transposed *sorted) {
  int count = 0;
  for (int d = 0; d < rank; d++) {
    if (dimensions[d].extent == 1)
      continue;
    int at = count++;
    for (; at > 0 && sorted[at - 1].packed > dimensions[d].packed; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = dimensions[d];
  }
  return count;
}

static int join(struct ppi_transposed *sorted, int count) {
  int joined = 0;
  for (int d = 0; d < count; d++) {
    struct ppi_transposed *before = joined > 0 ? &sorted[joined - 1] : NULL;
    if (before != NULL && sorted[d].tensor == before->tensor * before->extent &&
        sorted[d].packed == before->packed * before->extent)
      before->extent *= sorted[d].extent;
    else
      sorted[joined++] = sorted[d];
  }
  return joined;
}

void ppi_transposition_plan(const struct ppi_transposed *dimensions, int rank,
                            struct ppi_transposition *transposition) {
  static const struct ppi_transposed nowhere = { 1, 0, 0 };
  struct ppi_transposed sorted[PPI_TRANSPOSED_RANK_MAX] = { { 0 } };
  struct ppi_transposition made = { .plane = { nowhere, nowhere } };
  int fast = 0;
  assert(rank <= PPI_TRANSPOSED_RANK_MAX);
  for (int d = 0; d < rank; d++)
    made.empty = made.empty || dimensions[d].extent <= 0;
  int count = made.empty ? 0 : sort(dimensions, rank, sorted);
  count = join(sorted, count);
  for (int d = 1; d < count; d++)
    if (sorted[d].tensor < sorted[fast].tensor)
      fast = d;
  if (fast == 0) /* lines run through both: any other dimension will do */
    fast = 1;
  for (int d = 0; d < count; d++)
    if (d == 0 || d == fast)
      made.plane[d > 0] = sorted[d];
    else
      made.loops[made.loop_count++] = sorted[d];
  *transposition = made;
}
