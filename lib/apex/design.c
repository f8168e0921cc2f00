/* SPDX-License-Identifier: BSD-3-Clause */
#include "apex/design.h"

#include <stdlib.h>

#define FAR_FACTOR 4.0     /* data in memory: so many times the cache */
#define NEAR_FACTOR 0.25   /* data in the cache */
#define WIDE_FACTOR 16.0   /* for long strides, which touch too few lines of less data, */
#define WIDE_MOST 67108864 /* but at most 512 MiB */
#define ALPHA_STEPS 24
#define STRIDE_LAST 64 /* beyond it a stride is as good as another, */
#define WIDE_FIRST 16  /* but not over wider data */
#define WIDE_LAST 96
#define COST_MAX 4e6     /* iterations of compute, and elements, of a repetition: tens of milliseconds */
#define BLOCKS_MOST 4096 /* their places fit into the first level of a cache */
#define BLOCKS_LEAST 64
#define CYCLES_ELEMENT 8.0 /* of an element, and of an iteration of compute; roughly */
#define CYCLES_MOST 4e5    /* of a repetition, unless the fewest blocks take more */

static const int64_t strides[] = { 1, 2, 4, 8, 3, 16, 32, 64, 200, 400 };
static const int64_t strides_wide[] = { 16, 24, 32, 48, 64, 96 };
static const int64_t blocks_plain[] = { 1, 2, 4, 8, 16, 64, 3, 6, 12, 20, 32, 256, 1024 };
static const int64_t blocks_aimed[] = { 1,  2,  3,  4,  5,  6,  7,  8,  10,  12,  14,  16,
                                        20, 25, 28, 33, 41, 50, 64, 90, 128, 200, 400, 1024 };
static const int64_t blocks_busy[] = { 1, 4, 16, 64 };
static const double alphas[] = { 1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.0 };
static const int64_t iterations[] = { 1, 2, 4, 8, 16, 64, 250, 1000 };
static const int64_t rarely[] = { 4, 16, 64 }; /* compute beside each so-manieth element */
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct list {
  int64_t blocks;
  struct ppi_apex_run *runs;
  size_t count;
};

bool ppi_apex_affordable(const struct ppi_apex_run *run) {
  const double elements = (double)ppi_apex_iterations(run), every = (double)ppi_apex_every(run);
  return elements * (double)run->c <= COST_MAX * every && elements <= 64.0 * COST_MAX;
}

void ppi_apex_lengthen(struct ppi_apex_run *run) {
  const double computing = (double)run->c / (double)ppi_apex_every(run);
  const double block = CYCLES_ELEMENT * (1.0 + computing) * (double)run->l;
  if (run->kind != PPI_APEX_RANDOM)
    return;
  run->i = BLOCKS_MOST;
  while (run->i > BLOCKS_LEAST && block * (double)run->i > CYCLES_MOST)
    run->i /= 2;
}

static int64_t elements(const struct ppi_apex_cache *cache, double factor) {
  double count = cache->bytes / 8.0 * factor;
  const double most = (double)PPI_APEX_M_MAX / 4.0;
  return count < 4096.0 ? 4096 : (int64_t)(count < most ? count : most);
}

static void add(struct list *list, const struct ppi_apex_run *run) {
  for (size_t i = 0; i < list->count; i++)
    if (ppi_apex_equal(&list->runs[i], run))
      return;
  if (ppi_apex_check(run, NULL) == PERFPRED_OK && ppi_apex_affordable(run))
    list->runs[list->count++] = *run;
}

static int64_t wide_elements(const struct ppi_apex_cache *cache) {
  int64_t count = elements(cache, WIDE_FACTOR);
  return count < WIDE_MOST ? count : WIDE_MOST;
}

static void add_stride(struct list *list, int64_t m, int64_t s, int64_t c, int64_t every) {
  add(list, &(struct ppi_apex_run){ .kind = PPI_APEX_STRIDED, .m = m, .s = s, .c = c, .every = every });
}

static void add_strided(struct list *list, int64_t m, int64_t c, int64_t every) {
  for (size_t i = 0; i < COUNT(strides); i++)
    add_stride(list, m, strides[i], c, every);
}

static void add_wide(struct list *list, int64_t m, int64_t c, int64_t every) {
  for (size_t i = 0; i < COUNT(strides_wide); i++)
    add_stride(list, m, strides_wide[i], c, every);
}

static void add_one(struct list *list, int64_t m, int64_t length, double alpha, int64_t c) {
  struct ppi_apex_run run = {
    .kind = PPI_APEX_RANDOM, .m = m, .l = length, .i = list->blocks, .alpha = alpha, .c = c, .every = 1
  };
  if (list->blocks == 0)
    ppi_apex_lengthen(&run);
  add(list, &run);
}

static void add_random(struct list *list, int64_t m, const int64_t *lengths, size_t count, int64_t c) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COUNT(alphas); k++)
      add_one(list, m, lengths[i], alphas[k], c);
}

enum perfpred_status ppi_apex_design(const struct ppi_apex_cache *cache, int64_t blocks, struct ppi_apex_run **runs,
                                     size_t *count, size_t *base, struct perfpred_error *error) {
  const int64_t far = elements(cache, FAR_FACTOR), near = elements(cache, NEAR_FACTOR), wide = wide_elements(cache);
  const size_t most = 2 * COUNT(strides) + COUNT(blocks_plain) * COUNT(alphas) + COUNT(blocks_busy) * COUNT(alphas) +
                      COUNT(iterations) * (COUNT(strides) + COUNT(blocks_busy) * COUNT(alphas)) +
                      COUNT(rarely) * COUNT(strides) + (1 + COUNT(rarely)) * COUNT(strides_wide);
  struct list list = { .blocks = blocks, .runs = malloc(most * sizeof *list.runs) };
  if (list.runs == NULL)
    return ppi_error_memory(error);
  add_strided(&list, far, 0, 1);
  add_random(&list, far, blocks_plain, COUNT(blocks_plain), 0);
  add_wide(&list, wide, 0, 1);
  add_strided(&list, near, 0, 1);
  add_random(&list, near, blocks_busy, COUNT(blocks_busy), 0);
  for (size_t i = 0; i < COUNT(iterations); i++)
    add_one(&list, far, 1, 0.0, iterations[i]);
  *base = list.count;
  for (size_t i = 0; i < COUNT(iterations); i++) {
    add_strided(&list, far, iterations[i], 1);
    add_random(&list, far, blocks_busy, i < 4 ? COUNT(blocks_busy) : 1, iterations[i]);
  }
  for (size_t i = 0; i < COUNT(rarely); i++) {
    add_strided(&list, far, 1, rarely[i]);
    add_wide(&list, wide, 1, rarely[i]);
  }
  *runs = list.runs;
  *count = list.count;
  return PERFPRED_OK;
}

/* --- Walks to aim with ------------------------------------------------------------------------------------------------- */

static enum perfpred_status add_walk(struct ppi_apex_walks *walks, const struct ppi_apex_cache *cache,
                                     const struct ppi_apex_run *run, struct perfpred_error *error) {
  double bytes = 0.0;
  if (ppi_apex_check(run, NULL) != PERFPRED_OK)
    return PERFPRED_OK; /* longer than the data */
  enum perfpred_status status = ppi_apex_traffic(run, cache, &bytes, error);
  if (status == PERFPRED_OK)
    walks->items[walks->count++] = (struct ppi_apex_walk){ *run, bytes / (double)ppi_apex_iterations(run) };
  return status;
}

static enum perfpred_status add_strides(struct ppi_apex_walks *walks, const struct ppi_apex_cache *cache, int64_t m,
                                        int64_t first, int64_t last, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int64_t s = first; s <= last && status == PERFPRED_OK; s++)
    status =
        add_walk(walks, cache, &(struct ppi_apex_run){ .kind = PPI_APEX_STRIDED, .m = m, .s = s, .every = 1 }, error);
  return status;
}

/* Small alphas lie closer together: there the misses change most. */
static enum perfpred_status add_walks(struct ppi_apex_walks *walks, const struct ppi_apex_cache *cache, int64_t m,
                                      int64_t blocks, struct perfpred_error *error) {
  enum perfpred_status status = add_strides(walks, cache, m, 1, STRIDE_LAST, error);
  for (size_t i = 0; i < COUNT(blocks_aimed); i++)
    for (int k = 0; k <= ALPHA_STEPS && status == PERFPRED_OK; k++) {
      struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM,
                                  .m = m,
                                  .l = blocks_aimed[i],
                                  .i = blocks,
                                  .alpha = (double)(k * k) / (ALPHA_STEPS * ALPHA_STEPS),
                                  .every = 1 };
      if (blocks == 0)
        ppi_apex_lengthen(&run);
      status = add_walk(walks, cache, &run, error);
    }
  return status;
}

enum perfpred_status ppi_apex_walks_create(const struct ppi_apex_cache *cache, int64_t blocks,
                                           struct ppi_apex_walks *walks, struct perfpred_error *error) {
  const size_t most = 2 * (STRIDE_LAST + COUNT(blocks_aimed) * (ALPHA_STEPS + 1)) + WIDE_LAST - WIDE_FIRST + 1;
  struct ppi_apex_walks made = { .items = malloc(most * sizeof *made.items), .blocks = blocks };
  if (made.items == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = add_walks(&made, cache, elements(cache, FAR_FACTOR), blocks, error);
  if (status == PERFPRED_OK)
    status = add_walks(&made, cache, elements(cache, NEAR_FACTOR), blocks, error);
  if (status == PERFPRED_OK)
    status = add_strides(&made, cache, wide_elements(cache), WIDE_FIRST, WIDE_LAST, error);
  if (status == PERFPRED_OK)
    *walks = made;
  else
    free(made.items);
  return status;
}

void ppi_apex_walks_free(struct ppi_apex_walks *walks) {
  free(walks->items);
  *walks = (struct ppi_apex_walks){ .items = NULL };
}
