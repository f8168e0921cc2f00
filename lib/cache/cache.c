/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses as callers see them. */
#include "cache/cache.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cache/settings.h"

#define CALL_SIZE (offsetof(struct perfpred_cache_call, time_s) + sizeof(double)) /* of its first version */

enum perfpred_status perfpred_cache_create(struct perfpred_program *program, const int64_t *parameters, size_t count,
                                           const struct perfpred_cache_options *options, struct perfpred_cache **cache,
                                           struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!program || !cache)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", program ? "cache" : "program");
  struct perfpred_cache_options full;
  enum perfpred_status status = ppi_cache_settings(options, NULL, &full, error);
  return status ? status : ppi_cache_analyze(program, parameters, count, &full, cache, error);
}

void perfpred_cache_destroy(struct perfpred_cache *cache) {
  if (!cache)
    return;
  for (size_t i = 0; i < cache->count; i++)
    free(cache->calls[i].text);
  free(cache->parts.items);
  free(cache->operands);
  free(cache->calls);
  perfpred_program_unref(cache->program);
  free(cache);
}

static void weigh_operand(struct perfpred_cache *cache, struct ppi_cache_operand *operand) {
  memset(operand->places, 0, sizeof operand->places);
  for (size_t i = 0; i < operand->part_count; i++)
    ppi_weight_add(&cache->options, &cache->parts.items[operand->part_first + i], cache->total, operand->places);
}

void ppi_cache_weigh(struct perfpred_cache *cache) {
  for (size_t i = 0; i < cache->count; i++) {
    struct ppi_cache_call *call = &cache->calls[i];
    memset(call->shares, 0, sizeof call->shares);
    for (int k = 0; k < call->operand_count; k++) {
      struct ppi_cache_operand *operand = &cache->operands[call->operand_first + (size_t)k];
      weigh_operand(cache, operand);
      for (int place = 0; place < PPI_CACHE_PLACES; place++)
        call->shares[place] += operand->places[place];
    }
    for (int place = 0; place < PPI_CACHE_PLACES && call->lines > 0; place++)
      call->shares[place] /= (double)call->lines;
    const double warm_s = isnan(call->warm_s) ? call->times_s[0] : call->warm_s;
    call->time_s = call->warm ? warm_s : ppi_weight_time(&cache->options, call->shares, call->times_s, warm_s);
  }
}

/* --- Telling ------------------------------------------------------------------------------------------------------- */

/* size: what the caller states; least: that of the struct's first version. */
static enum perfpred_status check(const struct perfpred_cache *cache, const void *out, size_t size, size_t least,
                                  const char *what, const char *initializer, struct perfpred_error *error) {
  if (!cache || !out)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", cache ? what : "cache");
  if (size < least)
    return ppi_error_set(error, PERFPRED_INVALID, "%s: size is %zu; expected %s", what, size, initializer);
  return PERFPRED_OK;
}

static void write_out(void *out, size_t size, const void *full, size_t full_size) {
  memcpy(out, full, size < full_size ? size : full_size);
  memcpy(out, &size, sizeof size);
}

static double share(double lines, double all) {
  return all > 0.0 ? lines / all : 0.0;
}

static void add_times(const struct ppi_cache_call *call, struct perfpred_cache_info *info) {
  info->warm_s += call->warm_s;
  info->time_s += call->time_s;
  for (size_t place = 0; place <= info->level_count; place++)
    info->level_s[place] += call->times_s[place];
}

static void forget_times(struct perfpred_cache_info *info) {
  info->warm_s = info->time_s = (double)NAN;
  for (size_t place = 0; place <= info->level_count; place++)
    info->level_s[place] = (double)NAN;
}

void ppi_cache_sum(const struct perfpred_cache *cache, struct perfpred_cache_info *info) {
  double lines = 0.0;
  *info = (struct perfpred_cache_info){ .size = sizeof *info,
                                        .calls = cache->count,
                                        .level_count = cache->options.level_count,
                                        .line_bytes = cache->options.line_bytes,
                                        .buffer_bytes = cache->total * cache->options.line_bytes,
                                        .priced = cache->priced,
                                        .blended = cache->blended,
                                        .notes = cache->notes };
  memcpy(info->level_bytes, cache->options.level_bytes, sizeof info->level_bytes);
  for (size_t i = 0; i < cache->count; i++) {
    const struct ppi_cache_call *call = &cache->calls[i];
    struct ppi_value values[PPI_ARG_MAX];
    ppi_cache_values(call, values);
    info->flops += ppi_kernel_flops(call->node->kernel, values);
    lines += (double)call->lines;
    for (int place = 0; place < PPI_CACHE_PLACES; place++)
      info->shares[place] += call->shares[place] * (double)call->lines;
    add_times(call, info);
  }
  for (int place = 0; place < PPI_CACHE_PLACES; place++)
    info->shares[place] = share(info->shares[place], lines);
  if (cache->priced == 0)
    forget_times(info);
}

enum perfpred_status perfpred_cache_summary(const struct perfpred_cache *cache, struct perfpred_cache_info *info,
                                            struct perfpred_error *error) {
  ppi_error_clear(error);
  struct perfpred_cache_info full;
  enum perfpred_status status =
      check(cache, info, info ? info->size : 0, sizeof full, "info", "PERFPRED_CACHE_INFO_INIT", error);
  if (status)
    return status;
  ppi_cache_sum(cache, &full);
  write_out(info, info->size, &full, sizeof full);
  return PERFPRED_OK;
}

static enum perfpred_status no_call(const struct perfpred_cache *cache, size_t index, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "call %zu: %s makes %zu calls, counted from 0", index,
                       cache->program->name, cache->count);
}

enum perfpred_status perfpred_cache_call_at(const struct perfpred_cache *cache, size_t index,
                                            struct perfpred_cache_call *call, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct perfpred_cache_call full = PERFPRED_CACHE_CALL_INIT;
  enum perfpred_status status =
      check(cache, call, call ? call->size : 0, CALL_SIZE, "call", "PERFPRED_CACHE_CALL_INIT", error);
  if (status)
    return status;
  if (index >= cache->count)
    return no_call(cache, index, error);
  const struct ppi_cache_call *of = &cache->calls[index];
  struct ppi_value values[PPI_ARG_MAX];
  ppi_cache_values(of, values);
  full.copies = !of->empty && ppi_kernel_only_copies(of->node->kernel, values);
  full.kernel = of->node->kernel->name;
  full.text = of->text;
  full.step = of->step;
  full.operands = (size_t)of->operand_count;
  full.split = of->split;
  full.empty = of->empty;
  full.bytes = of->lines * cache->options.line_bytes;
  full.warm_s = of->warm_s;
  full.time_s = of->time_s;
  memcpy(full.shares, of->shares, sizeof full.shares);
  memcpy(full.level_s, of->times_s, sizeof full.level_s);
  write_out(call, call->size, &full, sizeof full);
  return PERFPRED_OK;
}

/* The farthest and the nearest of its parts, bytes. */
static void reach(const struct perfpred_cache *cache, const struct ppi_cache_operand *operand, double *farthest,
                  double *nearest) {
  *farthest = 0.0;
  *nearest = operand->part_count > 0 ? (double)INFINITY : 0.0;
  for (size_t i = 0; i < operand->part_count; i++) {
    const struct ppi_part *part = &cache->parts.items[operand->part_first + i];
    const double bytes = ppi_weight_distance(&cache->options, part, cache->total) * (double)cache->options.line_bytes;
    *farthest = bytes > *farthest ? bytes : *farthest;
    *nearest = bytes < *nearest ? bytes : *nearest;
  }
}

void ppi_cache_tell(const struct perfpred_cache *cache, const struct ppi_cache_call *call, size_t index,
                    struct perfpred_cache_operand *full) {
  const struct ppi_cache_operand *operand = &cache->operands[call->operand_first + index];
  const struct ppi_arg *arg = &call->node->kernel->args[operand->argument];
  *full = (struct perfpred_cache_operand){ .size = sizeof *full,
                                           .name = arg->name,
                                           .reads = (arg->direction & PPI_IN) != 0,
                                           .writes = (arg->direction & PPI_OUT) != 0,
                                           .rows = operand->region.rows,
                                           .columns = operand->region.columns,
                                           .bytes = operand->lines * cache->options.line_bytes };
  reach(cache, operand, &full->distance_bytes, &full->nearest_bytes);
  for (int place = 0; place < PPI_CACHE_PLACES; place++)
    full->shares[place] = share(operand->places[place], (double)operand->lines);
}

enum perfpred_status perfpred_cache_operand_at(const struct perfpred_cache *cache, size_t call, size_t index,
                                               struct perfpred_cache_operand *operand, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct perfpred_cache_operand full;
  enum perfpred_status status =
      check(cache, operand, operand ? operand->size : 0, sizeof full, "operand", "PERFPRED_CACHE_OPERAND_INIT", error);
  if (status)
    return status;
  if (call >= cache->count)
    return no_call(cache, call, error);
  const struct ppi_cache_call *of = &cache->calls[call];
  if (index >= (size_t)of->operand_count)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "operand %zu: %s has %d operands, counted from 0", index, of->text,
                         of->operand_count);
  ppi_cache_tell(cache, of, index, &full);
  write_out(operand, operand->size, &full, sizeof full);
  return PERFPRED_OK;
}
