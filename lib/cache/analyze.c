/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk over a program that finds out what its calls find: first where the buffers lie, then call by call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "cache/map.h"

struct analysis {
  struct perfpred_cache *cache;
  struct ppi_map map;
  struct ppi_accesses accesses;
  bool planning, recording; /* not recording: the execution before the one that counts */
  uint64_t step;
  bool outside; /* of all loops: the next call begins a step */
};

static bool reserve(void *array, size_t needed, size_t *capacity, size_t item) {
  void **items = array;
  if (needed <= *capacity)
    return true;
  size_t room = *capacity ? 2 * *capacity : 64;
  room = room < needed ? needed : room;
  void *grown = realloc(*items, room * item);
  if (!grown)
    return false;
  *items = grown;
  *capacity = room;
  return true;
}

static void see_iteration(void *data, int loops, bool begins) {
  struct analysis *analysis = data;
  if (loops > 0)
    return;
  analysis->outside = !begins;
  analysis->step += begins;
}

static enum perfpred_status see_buffer(void *data, int number, const struct ppi_buffer *what, int64_t rows,
                                       int64_t columns, struct perfpred_error *error) {
  struct analysis *analysis = data;
  return ppi_map_enter(&analysis->map, number, what, rows, columns, error);
}

static char *describe(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  char text[256];
  ppi_call_describe(kernel, values, text, sizeof text);
  return strdup(text);
}

/* A call of the execution that counts; its operands follow. */
static enum perfpred_status add_call(struct analysis *analysis, const struct ppi_node *node,
                                     const struct ppi_value *values, struct perfpred_error *error) {
  struct perfpred_cache *cache = analysis->cache;
  if (!reserve(&cache->calls, cache->count + 1, &cache->capacity, sizeof *cache->calls))
    return ppi_error_memory(error);
  struct ppi_cache_call *call = &cache->calls[cache->count];
  *call = (struct ppi_cache_call){ .node = node, .step = analysis->step, .operand_first = cache->operand_count };
  call->empty = ppi_kernel_is_empty(node->kernel, values);
  call->warm = ppi_weight_is_warm(&cache->options, node->kernel->name);
  call->text = describe(node->kernel, values);
  if (!call->text)
    return ppi_error_memory(error);
  for (int i = 0; i < node->kernel->size_count; i++)
    call->sizes[i] = values[node->kernel->sizes[i]].i;
  cache->count++;
  return PERFPRED_OK;
}

/* What lies farther back than the history counts as never accessed. */
static void forget(const struct analysis *analysis, size_t first) {
  const int64_t history = analysis->cache->options.history;
  struct ppi_parts *parts = &analysis->cache->parts;
  for (size_t i = first; history > 0 && i < parts->count; i++)
    if (analysis->step - parts->items[i].step > (uint64_t)history)
      parts->items[i] = (struct ppi_part){ .lines = parts->items[i].lines };
}

static enum perfpred_status add_operand(struct analysis *analysis, int argument, const struct ppi_region *region,
                                        int64_t lines, struct perfpred_error *error) {
  struct perfpred_cache *cache = analysis->cache;
  struct ppi_cache_call *call = &cache->calls[cache->count - 1];
  const size_t first = cache->parts.count;
  if (!reserve(&cache->operands, cache->operand_count + 1, &cache->operand_capacity, sizeof *cache->operands))
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_accesses_find(&analysis->accesses, region, &cache->parts, error);
  if (status)
    return status;
  forget(analysis, first);
  cache->operands[cache->operand_count++] = (struct ppi_cache_operand){ .argument = argument,
                                                                        .region = *region,
                                                                        .lines = lines,
                                                                        .part_first = first,
                                                                        .part_count = cache->parts.count - first };
  call->operand_count++;
  call->lines += lines;
  return PERFPRED_OK;
}

/* The regions of a call in the order of its accesses: those that are only read come first. */
struct regions {
  struct ppi_region items[PPI_ARG_MAX];
  int64_t lines[PPI_ARG_MAX];
  int arguments[PPI_ARG_MAX];
  int count, inputs;
  int64_t input_lines, output_lines;
};

/* An element is touched like an operand, but is none that a set-up could touch: argument -1. */
static void collect_element(const struct analysis *analysis, const struct ppi_value *value, bool output,
                            struct regions *regions) {
  ppi_map_element(&analysis->map, value, &regions->items[regions->count]);
  regions->lines[regions->count] = 1;
  regions->arguments[regions->count++] = -1;
  *(output ? &regions->output_lines : &regions->input_lines) += 1;
}

static void collect_elements(const struct analysis *analysis, const struct ppi_node *node,
                             const struct ppi_value *values, bool outputs, struct regions *regions) {
  const struct perfpred_kernel *kernel = node->kernel;
  for (int i = 0; i < kernel->arg_count && !outputs; i++)
    if (kernel->args[i].kind == PPI_ARG_SCALAR && values[i].buffer >= 0)
      collect_element(analysis, &values[i], false, regions);
  if (outputs && node->result)
    collect_element(analysis, &values[kernel->arg_count], true, regions);
}

static enum perfpred_status collect(const struct analysis *analysis, const struct ppi_node *node,
                                    const struct ppi_value *values, bool outputs, struct regions *regions,
                                    struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = node->kernel;
  collect_elements(analysis, node, values, outputs, regions);
  for (int i = 0; i < kernel->arg_count; i++) {
    if (kernel->args[i].kind != PPI_ARG_DATA || values[i].buffer < 0 ||
        outputs != ((kernel->args[i].direction & PPI_OUT) != 0))
      continue;
    struct ppi_region *region = &regions->items[regions->count];
    enum perfpred_status status = ppi_map_region(&analysis->map, kernel, values, i, region, error);
    if (status)
      return status;
    const int64_t lines = ppi_region_line_count(region, analysis->map.shift);
    regions->lines[regions->count] = lines;
    regions->arguments[regions->count++] = i;
    *(outputs ? &regions->output_lines : &regions->input_lines) += lines;
  }
  return PERFPRED_OK;
}

static bool is_split(const struct perfpred_cache_options *options, const struct regions *regions) {
  return options->mode != PERFPRED_CACHE_INITIAL && regions->output_lines > 0 &&
         (double)regions->output_lines < options->split_ratio * (double)regions->input_lines;
}

static enum perfpred_status record(struct analysis *analysis, const struct ppi_node *node,
                                   const struct ppi_value *values, const struct regions *regions,
                                   struct perfpred_error *error) {
  enum perfpred_status status = add_call(analysis, node, values, error);
  for (int i = 0; i < regions->count && !status; i++)
    if (regions->arguments[i] >= 0)
      status = add_operand(analysis, regions->arguments[i], &regions->items[i], regions->lines[i], error);
  if (!status)
    analysis->cache->calls[analysis->cache->count - 1].split = is_split(&analysis->cache->options, regions);
  return status;
}

static enum perfpred_status see_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct analysis *analysis = data;
  struct regions regions = { .count = 0 };
  enum perfpred_status status = PERFPRED_OK;
  if (analysis->planning)
    return PERFPRED_OK;
  if (analysis->outside) {
    analysis->step++;
    analysis->outside = false;
  }
  if (!ppi_kernel_is_empty(node->kernel, values)) {
    status = collect(analysis, node, values, false, &regions, error);
    regions.inputs = regions.count;
    if (!status)
      status = collect(analysis, node, values, true, &regions, error);
  }
  if (!status && analysis->recording)
    status = record(analysis, node, values, &regions, error);
  if (status || regions.count == 0)
    return status;
  const int first = is_split(&analysis->cache->options, &regions) ? regions.inputs : regions.count;
  status = ppi_accesses_add(&analysis->accesses, analysis->step, regions.items, regions.lines, first, error);
  if (!status && first < regions.count)
    status = ppi_accesses_add(&analysis->accesses, analysis->step, regions.items + first, regions.lines + first,
                              regions.count - first, error);
  return status;
}

static enum perfpred_status walk(struct analysis *analysis, struct perfpred_error *error) {
  const struct perfpred_cache *cache = analysis->cache;
  const struct ppi_walker walker = { .call = see_call,
                                     .enter = see_buffer,
                                     .iteration = see_iteration,
                                     .limit = PPI_CACHE_CALLS_MAX,
                                     .without_views = analysis->planning };
  analysis->outside = true;
  return ppi_program_walk(cache->program, cache->parameters, (size_t)cache->program->parameter_count, &walker, analysis,
                          error);
}

static int shift_of(int64_t line_bytes) {
  int shift = 0;
  while (INT64_C(1) << shift < line_bytes)
    shift++;
  return shift;
}

static enum perfpred_status plan(struct analysis *analysis, struct perfpred_error *error) {
  struct perfpred_cache *cache = analysis->cache;
  analysis->planning = true;
  enum perfpred_status status = ppi_map_own(&analysis->map, cache->program, cache->parameters, error);
  if (!status)
    status = walk(analysis, error);
  if (!status)
    status = ppi_map_place(&analysis->map, error);
  analysis->planning = false;
  cache->total = analysis->map.lines;
  return status;
}

static enum perfpred_status run(struct analysis *analysis, struct perfpred_error *error) {
  const struct perfpred_cache *cache = analysis->cache;
  enum perfpred_status status = plan(analysis, error);
  if (!status)
    status = ppi_accesses_begin(&analysis->accesses, cache->total, analysis->map.shift, error);
  if (!status && cache->options.first == PERFPRED_CACHE_REPEATED)
    status = walk(analysis, error);
  const uint64_t before = analysis->step;
  analysis->recording = true;
  if (!status)
    status = walk(analysis, error);
  for (size_t i = 0; i < cache->count; i++)
    cache->calls[i].step -= before;
  for (size_t i = 0; i < cache->parts.count; i++) {
    uint64_t *step = &cache->parts.items[i].step;
    *step = *step > before ? *step - before : 0;
  }
  return status;
}

enum perfpred_status ppi_cache_analyze(struct perfpred_program *program, const int64_t *parameters, size_t count,
                                       const struct perfpred_cache_options *options, struct perfpred_cache **cache,
                                       struct perfpred_error *error) {
  enum perfpred_status status = ppi_program_check(program, parameters, count, error);
  if (status)
    return status;
  if (program->nest)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "%s is a loop nest of accesses, expected an algorithm of calls",
                         program->name);
  struct perfpred_cache *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  struct analysis analysis = { .cache = made, .map = { .shift = shift_of(options->line_bytes), .ld = options->ld } };
  made->program = perfpred_program_ref(program);
  made->options = *options;
  memcpy(made->parameters, parameters, count * sizeof *parameters);
  status = run(&analysis, error);
  ppi_accesses_end(&analysis.accesses);
  ppi_map_free(&analysis.map);
  if (status) {
    perfpred_cache_destroy(made);
    return status;
  }
  for (size_t i = 0; i < made->count; i++) {
    struct ppi_cache_call *call = &made->calls[i];
    call->warm_s = call->time_s = (double)NAN;
    for (int place = 0; place < PPI_CACHE_PLACES; place++)
      call->times_s[place] = (double)NAN;
  }
  ppi_cache_weigh(made);
  *cache = made;
  return PERFPRED_OK;
}

void ppi_cache_values(const struct ppi_cache_call *call, struct ppi_value values[PPI_ARG_MAX]) {
  const struct ppi_node *node = call->node;
  memset(values, 0, sizeof *values * PPI_ARG_MAX);
  for (int i = 0; i < node->kernel->arg_count; i++)
    values[i] = node->operands[i].fixed;
  for (int i = 0; i < node->kernel->size_count; i++)
    values[node->kernel->sizes[i]].i = call->sizes[i];
}
