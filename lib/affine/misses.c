/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of counting. */
#include "affine/misses.h"

#include <stdlib.h>
#include <string.h>

/* The counts of all references and statements, and behind them the capacities of all of these and of the total. */
static enum perfpred_status make_counts(struct ppi_misses *misses, struct perfpred_error *error) {
  const size_t rows = misses->reference_count + misses->statement_count;
  struct ppi_misses_count *counts = calloc(rows + 1, sizeof *counts);
  uint64_t *capacities = calloc((rows + 1) * (misses->level_count + 1), sizeof *capacities);
  if (!counts || !capacities) {
    free(capacities);
    free(counts);
    return ppi_error_memory(error);
  }
  for (size_t i = 0; i < rows; i++)
    counts[i].capacity = capacities + (i + 1) * misses->level_count;
  misses->total.capacity = capacities;
  misses->references = counts;
  misses->statements = counts + misses->reference_count;
  return PERFPRED_OK;
}

enum perfpred_status ppi_misses_create(const struct perfpred_program *nest, size_t level_count,
                                       struct ppi_misses **misses, struct perfpred_error *error) {
  struct ppi_misses *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->level_count = level_count;
  made->reference_count = (size_t)nest->site_count;
  made->statement_count = (size_t)nest->statement_count;
  made->exact = true;
  enum perfpred_status status = make_counts(made, error);
  if (status)
    ppi_misses_destroy(made);
  else
    *misses = made;
  return status;
}

static bool reserve_piece(struct ppi_misses *misses) {
  if (misses->piece_count < misses->piece_capacity)
    return true;
  const size_t capacity = misses->piece_capacity ? 2 * misses->piece_capacity : 16;
  struct ppi_misses_piece *pieces = realloc(misses->pieces, capacity * sizeof *pieces);
  if (!pieces)
    return false;
  misses->pieces = pieces;
  misses->piece_capacity = capacity;
  return true;
}

enum perfpred_status ppi_misses_add_piece(struct ppi_misses *misses, const struct ppi_misses_piece *piece,
                                          struct perfpred_error *error) {
  if (piece->conditions && piece->distance && reserve_piece(misses)) {
    misses->pieces[misses->piece_count++] = *piece;
    return PERFPRED_OK;
  }
  free(piece->distance);
  free(piece->conditions);
  return ppi_error_memory(error);
}

static bool add_count(struct ppi_misses_count *sum, const struct ppi_misses_count *term, size_t level_count) {
  bool fits = !__builtin_add_overflow(sum->accesses, term->accesses, &sum->accesses) &&
              !__builtin_add_overflow(sum->compulsory, term->compulsory, &sum->compulsory);
  for (size_t i = 0; i < level_count; i++)
    fits = fits && !__builtin_add_overflow(sum->capacity[i], term->capacity[i], &sum->capacity[i]);
  return fits;
}

/* *fits: no sum went beyond 64 bits. */
static void sum_block(struct ppi_misses *misses, const struct ppi_node *node, bool *fits) {
  for (; node; node = node->next) {
    sum_block(misses, node->body, fits);
    sum_block(misses, node->otherwise, fits);
    if (node->kind != PPI_NODE_ACCESS)
      continue;
    const struct ppi_misses_count *count = &misses->references[node->site];
    misses->may = misses->may || (node->may && count->accesses > 0);
    *fits = *fits && add_count(&misses->statements[node->statement], count, misses->level_count) &&
            add_count(&misses->total, count, misses->level_count);
  }
}

enum perfpred_status ppi_misses_sum(struct ppi_misses *misses, const struct perfpred_program *nest,
                                    struct perfpred_error *error) {
  bool fits = true;
  sum_block(misses, nest->body, &fits);
  return fits && misses->total.accesses <= INT64_MAX
             ? PERFPRED_OK
             : ppi_error_set(error, PERFPRED_OVERFLOW, "%s has more than 2^63 accesses", nest->name);
}

void ppi_misses_destroy(struct ppi_misses *misses) {
  if (!misses)
    return;
  for (size_t i = 0; i < misses->piece_count; i++) {
    free(misses->pieces[i].distance);
    free(misses->pieces[i].conditions);
  }
  free(misses->pieces);
  free(misses->total.capacity);
  free(misses->references);
  free(misses);
}
