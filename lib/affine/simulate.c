/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting misses by executing every access. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "affine/marks.h"
#include "affine/misses.h"
#include "affine/pause.h"
#include "affine/sweep.h"
#include "base/stack_distance.h"
#include "program/walk.h"

#define PAUSE_ACCESSES 65536

struct simulation {
  const struct perfpred_program *nest;
  const struct ppi_misses_options *options;
  struct ppi_misses *misses;
  struct ppi_layout layout;
  struct ppi_marks *marks;              /* of a few caches; or */
  struct ppi_stack_distance *distances; /* of many */
  struct ppi_sweeps *sweeps;
  uint64_t touches; /* since the last look at the clock */
  struct ppi_pause pause;
  size_t *order;   /* places of the levels, smallest cache first */
  uint64_t *lines; /* of the caches in that order */
  uint64_t *
      bins; /* per reference, level_count + 2: accesses that miss in so many of the smallest caches; first touches last */
};

/* How many caches are too small for a distance. */
static size_t count_smaller(const struct simulation *simulation, uint64_t distance) {
  size_t low = 0, high = simulation->options->level_count;
  if (high == 0 || distance <= simulation->lines[0])
    return 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (simulation->lines[middle] < distance)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static enum perfpred_status outside(const struct simulation *simulation, const struct ppi_node *node, int place,
                                    int64_t value, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_INVALID,
                       "%s, line %d: subscript %d of %s is %" PRId64 ", expected 0 to %" PRId64, simulation->nest->name,
                       node->line, place + 1, simulation->nest->buffers[node->buffer].name, value,
                       simulation->layout.arrays[node->buffer].extent[place] - 1);
}

static uint64_t lines_of(const struct simulation *simulation) {
  return simulation->marks ? ppi_marks_lines(simulation->marks) : ppi_stack_distance_lines(simulation->distances);
}

static enum perfpred_status refused(const struct simulation *simulation, enum perfpred_status status,
                                    struct perfpred_error *error) {
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(error);
  return ppi_error_set(error, status,
                       "%s: simulating its %" PRIu64 " lines takes more than the %" PRIu64 " bytes of memory allowed",
                       simulation->nest->name, lines_of(simulation), simulation->options->budget_bytes);
}

/* *missed: so many of the smallest caches miss; level_count + 1: a first touch. */
static enum perfpred_status find_missed(struct simulation *simulation, uint64_t line, uint32_t *missed) {
  uint64_t distance = 0;
  if (simulation->marks)
    return ppi_marks_touch(simulation->marks, line, missed);
  enum perfpred_status status = ppi_stack_distance_access(simulation->distances, line, &distance);
  if (!status)
    *missed = (uint32_t)(distance == 0 ? simulation->options->level_count + 1 : count_smaller(simulation, distance));
  return status;
}

static uint64_t *bins_of(struct simulation *simulation, const struct ppi_node *node) {
  return simulation->bins + (size_t)node->site * (simulation->options->level_count + 2);
}

static enum perfpred_status too_many(const struct simulation *simulation, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_OVERFLOW, "%s has more than 2^63 accesses", simulation->nest->name);
}

/* A touch that stands for `times` accesses. */
static enum perfpred_status touch(struct simulation *simulation, const struct ppi_node *node, int64_t line,
                                  uint64_t times, struct perfpred_error *error) {
  uint32_t missed = 0;
  enum perfpred_status status = find_missed(simulation, (uint64_t)line, &missed);
  if (status)
    return refused(simulation, status, error);
  uint64_t *bin = &bins_of(simulation, node)[missed];
  return __builtin_add_overflow(*bin, times, bin) ? too_many(simulation, error) : PERFPRED_OK;
}

static enum perfpred_status on_access(void *data, const struct ppi_node *node, int buffer, const int64_t *subscripts,
                                      struct perfpred_error *error) {
  struct simulation *simulation = data;
  const int place = ppi_layout_outside(&simulation->layout, buffer, subscripts);
  if (place >= 0)
    return outside(simulation, node, place, subscripts[place], error);
  return touch(simulation, node, ppi_layout_line(&simulation->layout, buffer, subscripts), 1, error);
}

static enum perfpred_status on_pulse(void *data, struct perfpred_error *error) {
  struct simulation *simulation = data;
  simulation->touches = 0;
  return ppi_pause_check(&simulation->pause, simulation->nest->name, error);
}

/* Iterations from the present one on in which no access goes to another line. */
static int64_t steady_rounds(const struct ppi_sweep_access *accesses, int count, int64_t rounds) {
  for (int i = 0; i < count; i++)
    rounds = accesses[i].stay < rounds ? accesses[i].stay : rounds;
  return rounds;
}

static enum perfpred_status touch_all(struct simulation *simulation, const struct ppi_sweep_access *accesses, int count,
                                      uint64_t times, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < count && !status; i++)
    status = touch(simulation, accesses[i].node, accesses[i].line, times, error);
  simulation->touches += (uint64_t)count;
  return status;
}

/* Iterations that touch the lines that the one before has touched, in the same order: it leaves the stack as it was, so all of them go
   alike. No distance is beyond the number of accesses. */
static enum perfpred_status repeat(struct simulation *simulation, const struct ppi_sweep_access *accesses, int count,
                                   uint64_t times, struct perfpred_error *error) {
  if (simulation->options->level_count > 0 && (uint64_t)count > simulation->lines[0])
    return touch_all(simulation, accesses, count, times, error);
  for (int i = 0; i < count; i++) {
    uint64_t *bin = bins_of(simulation, accesses[i].node);
    if (__builtin_add_overflow(*bin, times, bin))
      return too_many(simulation, error);
  }
  return PERFPRED_OK;
}

/* A whole innermost loop. */
static enum perfpred_status on_loop(void *data, const struct ppi_node *loop, const int64_t *slots,
                                    const struct ppi_loop *range, bool *done, struct perfpred_error *error) {
  struct simulation *simulation = data;
  int count = 0;
  int64_t left = 0;
  struct ppi_sweep_access *accesses = ppi_sweeps_begin(simulation->sweeps, loop, slots, range, &count, &left);
  enum perfpred_status status = PERFPRED_OK;
  *done = accesses != NULL;
  while (accesses && left > 0 && !status) {
    const int64_t rounds = steady_rounds(accesses, count, left);
    status = touch_all(simulation, accesses, count, 1, error);
    if (!status && rounds > 1)
      status = repeat(simulation, accesses, count, (uint64_t)(rounds - 1), error);
    left -= rounds;
    for (int i = 0; i < count && left > 0; i++)
      ppi_sweep_advance(&accesses[i], rounds);
    if (!status && simulation->touches >= PAUSE_ACCESSES)
      status = on_pulse(data, error);
  }
  return status;
}

static void sort_levels(struct simulation *simulation) {
  const struct ppi_misses_options *options = simulation->options;
  for (size_t i = 0; i < options->level_count; i++) {
    const uint64_t lines = (uint64_t)(options->cache_bytes[i] / options->line_bytes);
    size_t at = i;
    for (; at > 0 && simulation->lines[at - 1] > lines; at--) {
      simulation->lines[at] = simulation->lines[at - 1];
      simulation->order[at] = simulation->order[at - 1];
    }
    simulation->lines[at] = lines;
    simulation->order[at] = i;
  }
}

static enum perfpred_status prepare(struct simulation *simulation, const int64_t *parameters,
                                    struct perfpred_error *error) {
  const struct ppi_misses_options *options = simulation->options;
  const size_t levels = options->level_count;
  simulation->order = calloc(levels + 1, sizeof *simulation->order);
  simulation->lines = calloc(levels + 1, sizeof *simulation->lines);
  simulation->bins = calloc((simulation->misses->reference_count + 1) * (levels + 2), sizeof *simulation->bins);
  if (!simulation->order || !simulation->lines || !simulation->bins)
    return ppi_error_memory(error);
  sort_levels(simulation);
  ppi_pause_start(&simulation->pause, options);
  enum perfpred_status status =
      ppi_layout_make(simulation->nest, parameters, options->line_bytes, &simulation->layout, error);
  if (!status)
    status = ppi_sweeps_create(simulation->nest, &simulation->layout, &simulation->sweeps, error);
  if (status)
    return status;
  return levels <= PPI_MARKS_MAX
             ? ppi_marks_create(simulation->lines, levels, options->budget_bytes, &simulation->marks, error)
             : ppi_stack_distance_create(options->budget_bytes, &simulation->distances, error);
}

/* From how many of the smallest caches an access misses to how many accesses miss in a cache. False: beyond 64 bits. */
static bool count_reference(struct simulation *simulation, const struct ppi_node *node) {
  const size_t levels = simulation->options->level_count;
  const uint64_t *bins = bins_of(simulation, node);
  struct ppi_misses_count *count = &simulation->misses->references[node->site];
  uint64_t sum = 0;
  bool fits = true;
  for (size_t level = levels; level-- > 0;) {
    fits = fits && !__builtin_add_overflow(sum, bins[level + 1], &sum);
    count->capacity[simulation->order[level]] = sum;
  }
  count->compulsory = bins[levels + 1];
  fits = fits && !__builtin_add_overflow(sum, bins[0], &count->accesses) &&
         !__builtin_add_overflow(count->accesses, count->compulsory, &count->accesses);
  if (node->access == PPI_INOUT) /* what is written was just read: every cache has it */
    fits = fits && !__builtin_mul_overflow(count->accesses, UINT64_C(2), &count->accesses);
  return fits;
}

static bool count_block(struct simulation *simulation, const struct ppi_node *node) {
  bool fits = true;
  for (; node; node = node->next) {
    fits = fits && (node->kind != PPI_NODE_ACCESS || count_reference(simulation, node));
    fits = fits && count_block(simulation, node->body) && count_block(simulation, node->otherwise);
  }
  return fits;
}

enum perfpred_status ppi_misses_simulate(const struct perfpred_program *nest, const int64_t *parameters,
                                         const struct ppi_misses_options *options, struct ppi_misses *misses,
                                         struct perfpred_error *error) {
  struct simulation simulation = { .nest = nest, .options = options, .misses = misses };
  const struct ppi_walker walker = { .access = on_access, .loop = on_loop, .pulse = on_pulse, .limit = UINT64_MAX };
  enum perfpred_status status = prepare(&simulation, parameters, error);
  if (!status)
    status = ppi_program_walk(nest, parameters, (size_t)nest->parameter_count, &walker, &simulation, error);
  if (!status && !count_block(&simulation, nest->body))
    status = too_many(&simulation, error);
  ppi_stack_distance_destroy(simulation.distances);
  ppi_marks_destroy(simulation.marks);
  ppi_sweeps_destroy(simulation.sweeps);
  free(simulation.bins);
  free(simulation.lines);
  free(simulation.order);
  return status;
}
