/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done to the caches before a window, by where its operands are: worked by hand. */
#include "api/contraction_windows.h"

#include <criterion/criterion.h>

enum { A = 1, B = 2, C = 4 };

#define TOUCH(o)                                                                                                       \
  { .kind = PPI_TOUR_TOUCH, .operand = (o) }
#define FLUSH(o)                                                                                                       \
  { .kind = PPI_TOUR_FLUSH, .operand = (o) }
#define REMOTE(n)                                                                                                      \
  { .kind = PPI_TOUR_REMOTE, .bytes = (n) }

static void expect(unsigned cold, unsigned far, bool flushes, const struct ppi_tour_item *expected, size_t count) {
  const struct ppi_contraction_caches caches = {
    .near_bytes = 1000, .bytes = 80000, .factor = 1.5, .flushes = flushes
  };
  struct ppi_contraction_windows windows = { .strata = { .window = 7, .count = 1 }, .cold = { cold }, .far = { far } };
  struct ppi_contraction_batch batch = { .contraction = NULL };
  struct perfpred_error error;
  cr_assert_eq(ppi_contraction_windows_add(&windows, &caches, 0, 3, 1.0, &batch, &error), PERFPRED_OK);
  cr_assert_eq(batch.request_count, 1);
  cr_expect_eq(batch.requests[0].lead, 7);
  cr_assert_eq(batch.requests[0].item_count, count, "%zu items, expected %zu", batch.requests[0].item_count, count);
  for (size_t i = 0; i < count; i++) {
    cr_expect_eq(batch.items[i].kind, expected[i].kind, "item %zu", i);
    cr_expect_eq(batch.items[i].operand, expected[i].operand, "item %zu", i);
    cr_expect_eq(batch.items[i].bytes, expected[i].bytes, "item %zu", i);
  }
  ppi_contraction_batch_free(&batch);
}

Test(contraction_windows, where_all_is_near_nothing_is_done) {
  expect(0, 0, true, NULL, 0);
  expect(0, 0, false, NULL, 0);
}

/* It may be in memory after others: only what was touched before the near caches were displaced is in the outer ones. */
Test(contraction_windows, what_is_in_the_outer_caches_is_brought_there) {
  expect(0, A | C, true, (const struct ppi_tour_item[]){ TOUCH(0), TOUCH(2), REMOTE(1500), TOUCH(1) }, 4);
  expect(0, A | C, false, (const struct ppi_tour_item[]){ TOUCH(0), TOUCH(2), REMOTE(1500), TOUCH(1) }, 4);
}

Test(contraction_windows, what_is_in_memory_is_evicted) {
  expect(B, 0, true, (const struct ppi_tour_item[]){ FLUSH(1) }, 1);
  expect(B, A, true, (const struct ppi_tour_item[]){ TOUCH(0), REMOTE(1500), FLUSH(1), TOUCH(2) }, 4);
}

/* Without an instruction that evicts, more than the caches hold is read, and nothing stays in the outer ones. */
Test(contraction_windows, or_displaced_with_all_the_rest) {
  expect(B, 0, false, (const struct ppi_tour_item[]){ REMOTE(120000), TOUCH(0), TOUCH(2) }, 3);
  expect(B, A, false, (const struct ppi_tour_item[]){ REMOTE(120000), TOUCH(2) }, 2);
}
