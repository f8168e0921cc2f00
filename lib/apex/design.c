/* SPDX-License-Identifier: BSD-3-Clause */
#include "apex/design.h"

#include <stdlib.h>

#define FAR_FACTOR 4.0   /* data in memory: so many times the cache */
#define NEAR_FACTOR 0.25 /* data in the cache */
#define ALPHA_STEPS 24
#define STRIDE_LAST 64 /* beyond it a stride is as good as another */
#define COST_MAX 4e6   /* iterations of compute, and elements, of a repetition: tens of milliseconds */

static const int64_t strides[] = { 1, 2, 4, 8, 3, 16, 32, 64, 200, 400 };
static const int64_t blocks_plain[] = { 1, 2, 4, 8, 16, 64, 3, 6, 12, 20, 32, 256, 1024 };
static const int64_t blocks_aimed[] = { 1,  2,  3,  4,  5,  6,  7,  8,  10,  12,  14,  16,
                                        20, 25, 28, 33, 41, 50, 64, 90, 128, 200, 400, 1024 };
static const int64_t blocks_busy[] = { 1, 4, 16, 64 };
static const double alphas[] = { 1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.0 };
static const int64_t iterations[] = { 1, 2, 4, 8, 16, 64, 250, 1000 };
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct list {
  int64_t blocks;
  struct ppi_apex_run *runs;
  size_t count;
};

bool ppi_apex_affordable(const struct ppi_apex_run *run) {
  double elements = (double)ppi_apex_iterations(run);
  return run->c > 0 ? elements * (double)run->c <= COST_MAX : elements <= 64.0 * COST_MAX;
}

static int64_t elements(const struct ppi_apex_cache *cache, double factor) {
  double count = cache->bytes / 8.0 * factor;
  const double most = (double)PPI_APEX_M_MAX / 4.0;
  return count < 4096.0 ? 4096 : (int64_t)(count < most ? count : most);
}

static void add(struct list *list, const struct ppi_apex_run *run) {
  if (ppi_apex_check(run, NULL) == PERFPRED_OK && ppi_apex_affordable(run))
    list->runs[list->count++] = *run;
}

static void add_strided(struct list *list, int64_t m, int64_t c) {
  for (size_t i = 0; i < COUNT(strides); i++)
    add(list, &(struct ppi_apex_run){ .kind = PPI_APEX_STRIDED, .m = m, .s = strides[i], .c = c });
}

static void add_one(struct list *list, int64_t m, int64_t length, double alpha, int64_t c) {
  const struct ppi_apex_run run = {
    .kind = PPI_APEX_RANDOM, .m = m, .l = length, .i = list->blocks, .alpha = alpha, .c = c
  };
  for (size_t i = 0; i < list->count; i++)
    if (ppi_apex_equal(&list->runs[i], &run))
      return;
  add(list, &run);
}

static void add_random(struct list *list, int64_t m, const int64_t *lengths, size_t count, int64_t c) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COUNT(alphas); k++)
      add_one(list, m, lengths[i], alphas[k], c);
}

enum perfpred_status ppi_apex_design(const struct ppi_apex_cache *cache, int64_t blocks, struct ppi_apex_run **runs,
                                     size_t *count, size_t *base, struct perfpred_error *error) {
  const int64_t far = elements(cache, FAR_FACTOR), near = elements(cache, NEAR_FACTOR);
  const size_t most = 2 * COUNT(strides) + COUNT(blocks_plain) * COUNT(alphas) + COUNT(blocks_busy) * COUNT(alphas) +
                      COUNT(iterations) * (COUNT(strides) + COUNT(blocks_busy) * COUNT(alphas));
  struct list list = { .blocks = blocks, .runs = malloc(most * sizeof *list.runs) };
  if (list.runs == NULL)
    return ppi_error_memory(error);
  add_strided(&list, far, 0);
  add_random(&list, far, blocks_plain, COUNT(blocks_plain), 0);
  add_strided(&list, near, 0);
  add_random(&list, near, blocks_busy, COUNT(blocks_busy), 0);
  for (size_t i = 0; i < COUNT(iterations); i++)
    add_one(&list, far, 1, 0.0, iterations[i]);
  *base = list.count;
  for (size_t i = 0; i < COUNT(iterations); i++) {
    add_strided(&list, far, iterations[i]);
    add_random(&list, far, blocks_busy, i < 4 ? COUNT(blocks_busy) : 1, iterations[i]);
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

/* Small alphas lie closer together: there the misses change most. */
static enum perfpred_status add_walks(struct ppi_apex_walks *walks, const struct ppi_apex_cache *cache, int64_t m,
                                      int64_t blocks, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int64_t s = 1; s <= STRIDE_LAST && status == PERFPRED_OK; s++)
    status = add_walk(walks, cache, &(struct ppi_apex_run){ .kind = PPI_APEX_STRIDED, .m = m, .s = s }, error);
  for (size_t i = 0; i < COUNT(blocks_aimed); i++)
    for (int k = 0; k <= ALPHA_STEPS && status == PERFPRED_OK; k++) {
      const struct ppi_apex_run run = { .kind = PPI_APEX_RANDOM,
                                        .m = m,
                                        .l = blocks_aimed[i],
                                        .i = blocks,
                                        .alpha = (double)(k * k) / (ALPHA_STEPS * ALPHA_STEPS) };
      status = add_walk(walks, cache, &run, error);
    }
  return status;
}

enum perfpred_status ppi_apex_walks_create(const struct ppi_apex_cache *cache, int64_t blocks,
                                           struct ppi_apex_walks *walks, struct perfpred_error *error) {
  const size_t most = 2 * (STRIDE_LAST + COUNT(blocks_aimed) * (ALPHA_STEPS + 1));
  struct ppi_apex_walks made = { .items = malloc(most * sizeof *made.items) };
  if (made.items == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = add_walks(&made, cache, elements(cache, FAR_FACTOR), blocks, error);
  if (status == PERFPRED_OK)
    status = add_walks(&made, cache, elements(cache, NEAR_FACTOR), blocks, error);
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
