/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting misses by executing every access. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
  struct ppi_stack_distance *distances;
  struct ppi_sweeps *sweeps;
  uint64_t accesses; /* since the last look at the clock */
  struct ppi_pause pause;
  size_t *order;   /* places of the levels, smallest cache first */
  uint64_t *lines; /* of the caches in that order */
  uint64_t *bins;  /* per reference, level_count + 1: accesses that miss in so many of the smallest caches */
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

static enum perfpred_status refused(const struct simulation *simulation, enum perfpred_status status,
                                    struct perfpred_error *error) {
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(error);
  return ppi_error_set(
      error, status, "%s: simulating its %" PRIu64 " lines takes more than the %" PRIu64 " bytes of memory allowed",
      simulation->nest->name, ppi_stack_distance_lines(simulation->distances), simulation->options->budget_bytes);
}

static enum perfpred_status touch(struct simulation *simulation, const struct ppi_node *node, int64_t line,
                                  struct perfpred_error *error) {
  uint64_t distance = 0;
  enum perfpred_status status = ppi_stack_distance_access(simulation->distances, (uint64_t)line, &distance);
  if (status)
    return refused(simulation, status, error);
  struct ppi_misses_count *count = &simulation->misses->references[node->site];
  count->accesses += node->access == PPI_INOUT ? 2 : 1; /* what is written was just read: every cache has it */
  if (distance == 0)
    count->compulsory++;
  else
    simulation
        ->bins[(size_t)node->site * (simulation->options->level_count + 1) + count_smaller(simulation, distance)]++;
  return PERFPRED_OK;
}

static enum perfpred_status on_access(void *data, const struct ppi_node *node, int buffer, const int64_t *subscripts,
                                      struct perfpred_error *error) {
  struct simulation *simulation = data;
  const int place = ppi_layout_outside(&simulation->layout, buffer, subscripts);
  if (place >= 0)
    return outside(simulation, node, place, subscripts[place], error);
  return touch(simulation, node, ppi_layout_line(&simulation->layout, buffer, subscripts), error);
}

static enum perfpred_status on_pulse(void *data, struct perfpred_error *error) {
  struct simulation *simulation = data;
  simulation->accesses = 0;
  return ppi_pause_check(&simulation->pause, simulation->nest->name, error);
}

/* A whole innermost loop. */
static enum perfpred_status on_loop(void *data, const struct ppi_node *loop, const int64_t *slots,
                                    const struct ppi_loop *range, bool *done, struct perfpred_error *error) {
  struct simulation *simulation = data;
  int count = 0;
  int64_t rounds = 0;
  struct ppi_sweep_access *accesses = ppi_sweeps_begin(simulation->sweeps, loop, slots, range, &count, &rounds);
  enum perfpred_status status = PERFPRED_OK;
  *done = accesses != NULL;
  for (; accesses && rounds > 0 && !status; rounds--) {
    for (int i = 0; i < count && !status; i++) {
      struct ppi_sweep_access *access = &accesses[i];
      status = touch(simulation, access->node, access->row + access->inner / access->per_line, error);
      access->row += access->row_step;
      access->inner += access->inner_step;
    }
    simulation->accesses += (uint64_t)count;
    if (!status && simulation->accesses >= PAUSE_ACCESSES)
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
  simulation->bins = calloc((simulation->misses->reference_count + 1) * (levels + 1), sizeof *simulation->bins);
  if (!simulation->order || !simulation->lines || !simulation->bins)
    return ppi_error_memory(error);
  sort_levels(simulation);
  ppi_pause_start(&simulation->pause, options);
  enum perfpred_status status =
      ppi_layout_make(simulation->nest, parameters, options->line_bytes, &simulation->layout, error);
  if (!status)
    status = ppi_sweeps_create(simulation->nest, &simulation->layout, &simulation->sweeps, error);
  return status ? status : ppi_stack_distance_create(options->budget_bytes, &simulation->distances, error);
}

/* From how many of the smallest caches an access misses to how many accesses miss in a cache. */
static void count_levels(struct simulation *simulation) {
  const size_t levels = simulation->options->level_count;
  for (size_t i = 0; i < simulation->misses->reference_count; i++) {
    const uint64_t *bins = simulation->bins + i * (levels + 1);
    uint64_t sum = 0;
    for (size_t level = levels; level-- > 0;) {
      sum += bins[level + 1];
      simulation->misses->references[i].capacity[simulation->order[level]] = sum;
    }
  }
}

enum perfpred_status ppi_misses_simulate(const struct perfpred_program *nest, const int64_t *parameters,
                                         const struct ppi_misses_options *options, struct ppi_misses *misses,
                                         struct perfpred_error *error) {
  struct simulation simulation = { .nest = nest, .options = options, .misses = misses };
  const struct ppi_walker walker = { .access = on_access, .loop = on_loop, .pulse = on_pulse, .limit = UINT64_MAX };
  enum perfpred_status status = prepare(&simulation, parameters, error);
  if (!status)
    status = ppi_program_walk(nest, parameters, (size_t)nest->parameter_count, &walker, &simulation, error);
  if (!status)
    count_levels(&simulation);
  ppi_stack_distance_destroy(simulation.distances);
  ppi_sweeps_destroy(simulation.sweeps);
  free(simulation.bins);
  free(simulation.lines);
  free(simulation.order);
  return status;
}
