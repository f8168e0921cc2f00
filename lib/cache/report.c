/* SPDX-License-Identifier: BSD-3-Clause */
/* An analysis as JSON (doc/json.md, "cache"). Names of programs, kernels and arguments need no escapes. */
#include <inttypes.h>
#include <math.h>
#include <perfpred/models.h>

#include "base/text.h"
#include "cache/cache.h"

static void put_real(struct ppi_text *text, const char *key, double value) {
  ppi_text_printf(text, ", \"%s\": ", key);
  if (isfinite(value))
    ppi_text_real(text, value);
  else
    ppi_text_append(text, "null");
}

static void put_integer(struct ppi_text *text, const char *key, int64_t value) {
  ppi_text_printf(text, ", \"%s\": %" PRId64, key, value);
}

static void put_truth(struct ppi_text *text, const char *key, bool truth) {
  ppi_text_printf(text, ", \"%s\": %s", key, truth ? "true" : "false");
}

static void put_reals(struct ppi_text *text, const char *key, const double *values, size_t count) {
  ppi_text_printf(text, ", \"%s\": [", key);
  for (size_t i = 0; i < count; i++) {
    ppi_text_append(text, i > 0 ? ", " : "");
    if (isfinite(values[i]))
      ppi_text_real(text, values[i]);
    else
      ppi_text_append(text, "null");
  }
  ppi_text_append(text, "]");
}

static void put_parameters(struct ppi_text *text, const struct perfpred_cache *cache) {
  const struct perfpred_program *program = cache->program;
  ppi_text_append(text, ", \"parameters\": {");
  for (int i = 0; i < program->parameter_count; i++)
    ppi_text_printf(text, "%s\"%s\": %" PRId64, i > 0 ? ", " : "", program->slots[i], cache->parameters[i]);
  ppi_text_append(text, "}");
}

static void put_options(struct ppi_text *text, const struct perfpred_cache_options *options) {
  static const char *const modes[] = { "smoothed", "split", "initial", "shared" };
  static const char *const distances[] = { "lines", "sums" };
  static const char *const firsts[] = { "cold", "total", "repeated" };
  put_integer(text, "line_bytes", options->line_bytes);
  ppi_text_append(text, ", \"level_bytes\": [");
  for (size_t i = 0; i < options->level_count; i++)
    ppi_text_printf(text, "%s%" PRId64, i > 0 ? ", " : "", options->level_bytes[i]);
  ppi_text_append(text, "]");
  put_integer(text, "ld", options->ld);
  put_integer(text, "history", options->history);
  ppi_text_printf(text, ", \"mode\": \"%s\", \"distance\": \"%s\", \"first\": \"%s\"", modes[options->mode],
                  distances[options->distance], firsts[options->first]);
  put_real(text, "split_ratio", options->split_ratio);
  put_real(text, "alpha", options->alpha);
  put_real(text, "beta", options->beta);
  put_reals(text, "weights", options->weights, options->level_count + 1);
  ppi_text_printf(text, ", \"warm_kernels\": \"%s\"", options->warm_kernels);
}

static void put_times(struct ppi_text *text, double warm_s, const double *level_s, size_t count, double time_s) {
  put_real(text, "warm_s", warm_s);
  put_reals(text, "level_s", level_s, count);
  put_real(text, "time_s", time_s);
}

/* As in predictions; without times there is nothing to be said of. */
static void put_notes(struct ppi_text *text, unsigned notes, bool timed) {
  unsigned first = notes;
  const char *word = perfpred_note_take(&first), *before = "";
  if (timed)
    ppi_text_printf(text, ", \"status\": \"%s\", \"notes\": [", word ? word : "inside");
  else
    ppi_text_append(text, ", \"status\": null, \"notes\": [");
  while (timed && (word = perfpred_note_take(&notes))) {
    ppi_text_printf(text, "%s\"%s\"", before, word);
    before = ", ";
  }
  ppi_text_append(text, "]");
}

static void put_parts(struct ppi_text *text, const struct perfpred_cache *cache,
                      const struct ppi_cache_operand *operand) {
  ppi_text_append(text, ", \"parts\": [");
  for (size_t i = 0; i < operand->part_count; i++) {
    const struct ppi_part *part = &cache->parts.items[operand->part_first + i];
    const double lines = ppi_weight_distance(&cache->options, part, cache->total);
    ppi_text_printf(text, "%s{\"bytes\": %" PRId64, i > 0 ? ", " : "", part->lines * cache->options.line_bytes);
    put_real(text, "distance_bytes", lines * (double)cache->options.line_bytes);
    ppi_text_append(text, "}");
  }
  ppi_text_append(text, "]");
}

static void put_operand(struct ppi_text *text, const struct perfpred_cache *cache, const struct ppi_cache_call *call,
                        size_t index) {
  struct perfpred_cache_operand operand;
  ppi_cache_tell(cache, call, index, &operand);
  ppi_text_printf(text, "%s{\"name\": \"%s\"", index > 0 ? ", " : "", operand.name);
  put_truth(text, "reads", operand.reads);
  put_truth(text, "writes", operand.writes);
  put_integer(text, "rows", operand.rows);
  put_integer(text, "columns", operand.columns);
  put_integer(text, "bytes", operand.bytes);
  put_real(text, "distance_bytes", operand.distance_bytes);
  put_real(text, "nearest_bytes", operand.nearest_bytes);
  put_reals(text, "shares", operand.shares, cache->options.level_count + 1);
  put_parts(text, cache, &cache->operands[call->operand_first + index]);
  ppi_text_append(text, "}");
}

static void put_call(struct ppi_text *text, const struct perfpred_cache *cache, const struct ppi_cache_call *call) {
  const size_t places = cache->options.level_count + 1;
  ppi_text_printf(text, "{\"call\": \"%s\", \"kernel\": \"%s\"", call->text, call->node->kernel->name);
  put_integer(text, "step", (int64_t)call->step);
  put_truth(text, "split", call->split);
  put_truth(text, "empty", call->empty);
  put_integer(text, "bytes", call->lines * cache->options.line_bytes);
  put_reals(text, "shares", call->shares, places);
  put_times(text, call->warm_s, call->times_s, places, call->time_s);
  ppi_text_append(text, ", \"operands\": [");
  for (int i = 0; i < call->operand_count; i++)
    put_operand(text, cache, call, (size_t)i);
  ppi_text_append(text, "]}");
}

static void put_all(struct ppi_text *text, const struct perfpred_cache *cache) {
  struct perfpred_cache_info info;
  ppi_cache_sum(cache, &info);
  ppi_text_printf(text, "{\"name\": \"%s\"", cache->program->name);
  put_parameters(text, cache);
  put_options(text, &cache->options);
  put_integer(text, "buffer_bytes", info.buffer_bytes);
  put_reals(text, "shares", info.shares, info.level_count + 1);
  put_real(text, "flops", info.flops);
  put_integer(text, "priced", (int64_t)info.priced);
  put_integer(text, "blended", (int64_t)info.blended);
  put_times(text, info.warm_s, info.level_s, info.level_count + 1, info.time_s);
  put_notes(text, info.notes, info.priced > 0);
  ppi_text_append(text, ", \"calls\": [");
  for (size_t i = 0; i < cache->count; i++) {
    ppi_text_append(text, i > 0 ? ",\n" : "\n");
    put_call(text, cache, &cache->calls[i]);
  }
  ppi_text_append(text, "]}\n");
}

enum perfpred_status perfpred_cache_report(const struct perfpred_cache *cache, char **json,
                                           struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!cache || !json)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", cache ? "json" : "cache");
  put_all(&text, cache);
  char *taken = ppi_text_take(&text);
  if (!taken)
    return ppi_error_memory(error);
  *json = taken;
  return PERFPRED_OK;
}
