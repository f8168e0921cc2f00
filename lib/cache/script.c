/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of an analysis as a text for the sampler (doc/sampler.md), each in memory of its own, with the caches set up before it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cache/touches.h"
#include "kernel/signature.h"
#include "program/print.h"

#define WIDTH 64

struct script {
  const struct perfpred_cache *cache;
  const struct perfpred_cache_script_options *options; /* complete */
  struct ppi_text *text;
  const struct ppi_cache_call *call; /* the present one */
  size_t number;                     /* from 1 */
};

static const struct ppi_cache_operand *operand_of(const struct script *script, int argument) {
  for (int i = 0; i < script->call->operand_count; i++) {
    const struct ppi_cache_operand *operand = &script->cache->operands[script->call->operand_first + (size_t)i];
    if (operand->argument == argument)
      return operand;
  }
  return NULL;
}

/* Whether all arguments can be written down as in Fortran. */
static bool is_plain(const struct perfpred_kernel *kernel) {
  for (int i = 0; i < kernel->arg_count; i++) {
    const enum ppi_arg_kind kind = kernel->args[i].kind;
    if (kind == PPI_ARG_WORK || kind == PPI_ARG_LWORK || kind == PPI_ARG_INFO)
      return false;
  }
  return true;
}

static int64_t largest_ld(const struct script *script) {
  int64_t ld = 1;
  for (int i = 0; i < script->call->operand_count; i++) {
    const struct ppi_region *region = &script->cache->operands[script->call->operand_first + (size_t)i].region;
    ld = region->ld > ld ? region->ld : ld;
  }
  return ld;
}

/* Where leading dimensions are not written down, one holds for all matrices. */
static int64_t ld_of(const struct script *script, const struct ppi_region *region) {
  return is_plain(script->call->node->kernel) ? region->ld : largest_ld(script);
}

/* Elements from the first one to the last one. */
static int64_t length_of(const struct script *script, const struct ppi_region *region) {
  return region->rows > 0 && region->columns > 0 ? (region->columns - 1) * ld_of(script, region) + region->rows : 1;
}

static void put_name(const struct script *script, const char *argument) {
  ppi_text_printf(script->text, "%s_%zu", argument, script->number);
}

static const struct ppi_arg *argument_of(const struct script *script, int place) {
  return &script->call->node->kernel->args[place];
}

/* --- Memory --------------------------------------------------------------------------------------------------------- */

static void put_buffers(const struct script *script, int64_t other_bytes) {
  for (int i = 0; i < script->call->operand_count; i++) {
    const struct ppi_cache_operand *operand = &script->cache->operands[script->call->operand_first + (size_t)i];
    const struct ppi_arg *arg = argument_of(script, operand->argument);
    ppi_text_printf(script->text, "%s ", ppi_type_name(arg->type));
    put_name(script, arg->name);
    ppi_text_printf(script->text, "[%" PRId64 "]\n", length_of(script, &operand->region));
  }
  if (other_bytes > 0)
    ppi_text_printf(script->text, "double other_%zu[%" PRId64 "]\n", script->number, (other_bytes + 7) / 8);
}

static void put_releases(const struct script *script, int64_t other_bytes) {
  for (int i = 0; i < script->call->operand_count; i++) {
    ppi_text_append(script->text, "free ");
    put_name(script,
             argument_of(script, script->cache->operands[script->call->operand_first + (size_t)i].argument)->name);
    ppi_text_append(script->text, "\n");
  }
  if (other_bytes > 0)
    ppi_text_printf(script->text, "free other_%zu\n", script->number);
}

/* --- Touches -------------------------------------------------------------------------------------------------------- */

/* Elements [first, end) of an operand; those that follow each other within a line are one piece. */
struct piece {
  int64_t first, end;
};

static void flush(const struct script *script, const char *name, struct piece *piece) {
  if (piece->end > piece->first) {
    ppi_text_append(script->text, " ");
    put_name(script, name);
    ppi_text_printf(script->text, "[%" PRId64 ":%" PRId64 "]", piece->first, piece->end);
  }
  *piece = (struct piece){ 0, 0 };
}

/* In the coordinates of the region: a vector along a row is a matrix of one row there. */
static struct ppi_touch turned(const struct ppi_touch *touch, const struct ppi_region *region) {
  struct ppi_touch same = *touch;
  if (region->rows == 1 && touch->columns == 1 && touch->rows > 1)
    same = (struct ppi_touch){ touch->argument, 0, touch->row, 1, touch->rows, 0 };
  return same;
}

static void put_touch(const struct script *script, const struct ppi_touch *given) {
  const struct ppi_cache_operand *operand = operand_of(script, given->argument);
  const char *name = argument_of(script, given->argument)->name;
  struct piece piece = { 0, 0 };
  if (!operand)
    return;
  const struct ppi_region *region = &operand->region;
  const struct ppi_touch touch = turned(given, region);
  const int64_t line = script->cache->options.line_bytes / region->element, ld = ld_of(script, region);
  for (int64_t column = touch.column; column < touch.column + touch.columns; column++) {
    int64_t first = 0, end = 0;
    ppi_region_column(region, column, &first, &end);
    first = first > touch.row ? first : touch.row;
    end = end < touch.row + touch.rows ? end : touch.row + touch.rows;
    if (first >= end)
      continue;
    if (piece.end > piece.first && column * ld + first - piece.end >= line)
      flush(script, name, &piece);
    if (piece.end == piece.first)
      piece.first = column * ld + first;
    piece.end = column * ld + end;
  }
  flush(script, name, &piece);
}

static void put_touches(const struct script *script, const struct ppi_touch *touches, int count) {
  int64_t other = 0;
  ppi_text_append(script->text, "set prepare");
  for (int i = 0; i < count; i++) {
    if (touches[i].argument >= 0) {
      put_touch(script, &touches[i]);
      continue;
    }
    const int64_t end = other + (touches[i].bytes + 7) / 8;
    ppi_text_printf(script->text, " other_%zu[%" PRId64 ":%" PRId64 "]", script->number, other, end);
    other = end;
  }
  ppi_text_append(script->text, "\n");
}

static int64_t other_bytes(const struct ppi_touch *touches, int count) {
  int64_t bytes = 0;
  for (int i = 0; i < count; i++)
    bytes += touches[i].argument < 0 ? (touches[i].bytes + 7) / 8 * 8 : 0;
  return bytes;
}

/* --- The call ------------------------------------------------------------------------------------------------------- */

static void put_argument(const struct script *script, int place, const struct ppi_value *value) {
  const struct ppi_arg *arg = argument_of(script, place);
  const struct ppi_cache_operand *of = operand_of(script, arg->of);
  switch (arg->kind) {
  case PPI_ARG_FLAG:
    ppi_text_printf(script->text, "%c", (int)value->i);
    break;
  case PPI_ARG_SIZE:
    ppi_text_printf(script->text, "%" PRId64, value->i);
    break;
  case PPI_ARG_SCALAR:
    ppi_print_scalar(value, script->text);
    break;
  case PPI_ARG_DATA:
    put_name(script, arg->name);
    break;
  case PPI_ARG_LD:
    ppi_text_printf(script->text, "%" PRId64, of ? of->region.ld : 1);
    break;
  case PPI_ARG_INC:
    ppi_text_printf(script->text, "%" PRId64, of && of->region.rows == 1 && of->region.columns > 1 ? of->region.ld : 1);
    break;
  case PPI_ARG_WORK:
  case PPI_ARG_LWORK:
  case PPI_ARG_INFO:
    break;
  }
}

static void put_call(const struct script *script) {
  const struct perfpred_kernel *kernel = script->call->node->kernel;
  const bool plain = is_plain(kernel);
  struct ppi_value values[PPI_ARG_MAX];
  const char *before = "(";
  ppi_cache_values(script->call, values);
  ppi_text_append(script->text, kernel->name);
  for (int i = 0; i < kernel->arg_count; i++) {
    if (!plain && !ppi_arg_is_written(&kernel->args[i]))
      continue;
    ppi_text_append(script->text, before);
    put_argument(script, i, &values[i]);
    before = ", ";
  }
  ppi_text_append(script->text, ")\n");
}

static void put_ld(const struct script *script) {
  if (!is_plain(script->call->node->kernel))
    ppi_text_printf(script->text, "set ld %" PRId64 "\n", largest_ld(script));
}

/* --- Set-ups -------------------------------------------------------------------------------------------------------- */

static void put_found(const struct script *script) {
  struct ppi_touch touches[PPI_TOUCHES_MAX];
  int count = 0;
  ppi_touches_of_call(script->cache, script->number - 1, script->options->limit_bytes, touches, &count);
  const int64_t bytes = other_bytes(touches, count);
  put_buffers(script, bytes);
  ppi_text_append(script->text, "set precondition cold-flush\n");
  put_ld(script);
  put_touches(script, touches, count);
  put_call(script);
  put_releases(script, bytes);
}

static enum perfpred_status put_orders(const struct script *script, struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = script->call->node->kernel;
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_touch_kind kind = { .part = (enum ppi_touch_part)(script->options->setup - PERFPRED_CACHE_WHOLE),
                                 .width = script->options->width };
  ppi_cache_values(script->call, values);
  kind.mirrored = ppi_touch_is_backward(kernel, values);
  kind.large = script->cache->options.level_bytes[0] / (int64_t)ppi_type_bytes(kernel->type, false);
  put_buffers(script, 0);
  ppi_text_append(script->text, "set precondition warm\n");
  put_ld(script);
  for (; kind.order < ppi_touch_orders(kernel); kind.order++) {
    struct ppi_touch touches[PPI_TOUCHES_MAX];
    int count = 0;
    enum perfpred_status status = ppi_touches_of_kind(kernel, values, &kind, touches, &count, error);
    if (status)
      return status;
    put_touches(script, touches, count);
    put_call(script);
  }
  put_releases(script, 0);
  return PERFPRED_OK;
}

static enum perfpred_status put_all(struct script *script, struct perfpred_error *error) {
  const struct perfpred_cache_script_options *options = script->options;
  for (size_t i = 0; i < options->count; i++) {
    script->number = options->first + i + 1;
    script->call = &script->cache->calls[options->first + i];
    if (script->call->empty)
      continue;
    ppi_text_printf(script->text, "# call %zu, step %" PRIu64 ": %s\n", script->number, script->call->step,
                    script->call->text);
    if (options->setup == PERFPRED_CACHE_FOUND) {
      put_found(script);
      continue;
    }
    enum perfpred_status status = put_orders(script, error);
    if (status)
      return status;
  }
  return PERFPRED_OK;
}

static enum perfpred_status check_options(const struct perfpred_cache *cache,
                                          const struct perfpred_cache_script_options *full,
                                          struct perfpred_error *error) {
  if (full->first > cache->count || full->count > cache->count - full->first)
    return ppi_error_set(error, PERFPRED_INVALID, "options: %zu calls from %zu on; %s makes %zu calls", full->count,
                         full->first, cache->program->name, cache->count);
  if ((int)full->setup < PERFPRED_CACHE_FOUND || full->setup > PERFPRED_CACHE_BLOCK)
    return ppi_error_set(error, PERFPRED_INVALID, "options.setup: %d: expected 0 to %d", (int)full->setup,
                         PERFPRED_CACHE_BLOCK);
  if (full->width < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.width: %" PRId64 ": expected at least 1, or 0 for %d",
                         full->width, WIDTH);
  if (isnan(full->limit_bytes) || full->limit_bytes < 0.0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.limit_bytes: %g: expected a size, or 0", full->limit_bytes);
  return PERFPRED_OK;
}

/* Members beyond the caller's size count as zero. */
static enum perfpred_status read_options(const struct perfpred_cache *cache,
                                         const struct perfpred_cache_script_options *options,
                                         struct perfpred_cache_script_options *full, struct perfpred_error *error) {
  memset(full, 0, sizeof *full);
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_CACHE_SCRIPT_OPTIONS_INIT",
                         options->size);
  if (options)
    memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  enum perfpred_status status = check_options(cache, full, error);
  if (status)
    return status;
  if (full->count == 0)
    full->count = cache->count - full->first;
  full->width = full->width > 0 ? full->width : WIDTH;
  if (!(full->limit_bytes > 0.0))
    full->limit_bytes = 1.25 * (double)cache->options.level_bytes[cache->options.level_count - 1];
  return PERFPRED_OK;
}

enum perfpred_status perfpred_cache_script(const struct perfpred_cache *cache,
                                           const struct perfpred_cache_script_options *options, char **text,
                                           struct perfpred_error *error) {
  struct perfpred_cache_script_options full;
  struct ppi_text made = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!cache || !text)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", cache ? "text" : "cache");
  enum perfpred_status status = read_options(cache, options, &full, error);
  if (status)
    return status;
  struct script script = { .cache = cache, .options = &full, .text = &made };
  ppi_text_printf(&made, "# %s\n", cache->program->name);
  status = put_all(&script, error);
  char *taken = status ? NULL : ppi_text_take(&made);
  ppi_text_free(&made);
  if (!status && !taken)
    return ppi_error_memory(error);
  if (!status)
    *text = taken;
  return status;
}
