/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples, and their weights in rectangles. */
#include "apex/mix.h"

#include <math.h>
#include <stdlib.h>

#define LARGEST 1e30 /* of any number of a sample: beyond it sums could be infinite */

static enum perfpred_status check_number(const char *name, double value, bool positive, struct perfpred_error *error) {
  if (value <= LARGEST && (positive ? value > 0.0 : value >= 0.0))
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_CORRUPT, "%s is %g, expected a number %s 0 and at most %g", name, value,
                       positive ? "above" : "of at least", LARGEST);
}

enum perfpred_status ppi_apex_sample_check(const struct ppi_apex_sample *sample, struct perfpred_error *error) {
  enum perfpred_status status = check_number("time_s", sample->time_s, true, error);
  if (status == PERFPRED_OK)
    status = check_number("flops", sample->flops, false, error);
  if (status == PERFPRED_OK)
    status = check_number("bytes", sample->bytes, false, error);
  if (status == PERFPRED_OK && !isnan(sample->cycles))
    status = check_number("cycles", sample->cycles, true, error);
  return status;
}

enum perfpred_status ppi_apex_samples_add(struct ppi_apex_samples *samples, const struct ppi_apex_sample *sample,
                                          struct perfpred_error *error) {
  if (samples->count == PPI_APEX_SAMPLES_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "more samples than %d", PPI_APEX_SAMPLES_MAX);
  if (samples->count == samples->capacity) {
    size_t capacity = samples->capacity > 0 ? 2 * samples->capacity : 64;
    struct ppi_apex_sample *grown = realloc(samples->items, capacity * sizeof *grown);
    if (grown == NULL)
      return ppi_error_memory(error);
    samples->items = grown;
    samples->capacity = capacity;
  }
  samples->items[samples->count++] = *sample;
  return PERFPRED_OK;
}

void ppi_apex_samples_free(struct ppi_apex_samples *samples) {
  free(samples->items);
  *samples = (struct ppi_apex_samples){ .items = NULL };
}

static int by_place(const void *a, const void *b) {
  const struct ppi_apex_cell *x = a, *y = b;
  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  return (x->column > y->column) - (x->column < y->column);
}

static int by_weight(const void *a, const void *b) {
  const struct ppi_apex_cell *x = a, *y = b;
  if (x->weight < y->weight || x->weight > y->weight)
    return x->weight < y->weight ? 1 : -1;
  return by_place(a, b);
}

/* A cell for each sample at first. */
static enum perfpred_status place(const struct ppi_apex_samples *samples, double clock_hz,
                                  const struct ppi_apex_plane *plane, struct ppi_apex_mix *mix,
                                  struct perfpred_error *error) {
  for (size_t i = 0; i < samples->count; i++) {
    const struct ppi_apex_sample *sample = &samples->items[i];
    double cycles = isnan(sample->cycles) ? sample->time_s * clock_hz : sample->cycles;
    double column = floor(sample->bytes / cycles / plane->width), row = floor(sample->flops / cycles / plane->height);
    if (!(column < PPI_APEX_CELLS_MAX && row < PPI_APEX_CELLS_MAX))
      return ppi_error_set(error, PERFPRED_LIMIT,
                           "sample %zu: %g bytes and %g flops per cycle are too many for rectangles of %g x %g", i + 1,
                           sample->bytes / cycles, sample->flops / cycles, plane->width, plane->height);
    mix->cells[i] = (struct ppi_apex_cell){ (int64_t)column, (int64_t)row, sample->time_s, 1 };
    mix->samples++;
    mix->time_s += sample->time_s;
    mix->flops += sample->flops;
    mix->bytes += sample->bytes;
    mix->cycles += cycles;
  }
  return PERFPRED_OK;
}

static void join(struct ppi_apex_mix *mix) {
  qsort(mix->cells, mix->samples, sizeof *mix->cells, by_place);
  for (size_t i = 0; i < mix->samples; i++) {
    struct ppi_apex_cell *last = mix->count > 0 ? &mix->cells[mix->count - 1] : NULL;
    if (last != NULL && by_place(last, &mix->cells[i]) == 0) {
      last->weight += mix->cells[i].weight;
      last->samples++;
    } else
      mix->cells[mix->count++] = mix->cells[i];
  }
  for (size_t i = 0; i < mix->count; i++)
    mix->cells[i].weight /= mix->time_s;
  qsort(mix->cells, mix->count, sizeof *mix->cells, by_weight);
}

enum perfpred_status ppi_apex_mix_create(const struct ppi_apex_samples *samples, double clock_hz,
                                         const struct ppi_apex_plane *plane, struct ppi_apex_mix *mix,
                                         struct perfpred_error *error) {
  struct ppi_apex_mix made = { .count = 0 };
  if (samples->count == 0)
    return ppi_error_set(error, PERFPRED_CORRUPT, "no samples, expected at least one");
  made.cells = malloc(samples->count * sizeof *made.cells);
  if (made.cells == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = place(samples, clock_hz, plane, &made, error);
  if (status != PERFPRED_OK) {
    free(made.cells);
    return status;
  }
  join(&made);
  *mix = made;
  return PERFPRED_OK;
}

void ppi_apex_mix_free(struct ppi_apex_mix *mix) {
  free(mix->cells);
  *mix = (struct ppi_apex_mix){ .cells = NULL };
}
