/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/settings.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LINE_BYTES 64
#define LINE_MAX 65536
#define SPLIT_RATIO 0.125
#define SMOOTHING 4.0
#define SECOND_LEVEL (INT64_C(1) << 20) /* of a machine that does not tell */

/* Adds a level if it is larger than the last one. */
static void add_level(struct perfpred_cache_options *full, int64_t bytes) {
  const size_t count = full->level_count;
  if (count < PERFPRED_CACHE_LEVELS && bytes >= full->line_bytes &&
      (count == 0 || bytes > full->level_bytes[count - 1]))
    full->level_bytes[full->level_count++] = bytes;
}

/* The first level is left out, which holds hardly anything of an operand. Memory, which stands behind the measured levels, has no size. */
static void add_measured(struct perfpred_cache_options *full, const struct ppi_machine *machine) {
  for (int i = 1; i < machine->effective_count; i++)
    if (machine->effective[i].bytes > 0)
      add_level(full, machine->effective[i].bytes);
}

static void add_reported(struct perfpred_cache_options *full, const struct ppi_machine *machine) {
  int64_t second = 0, last = 0;
  for (int i = 0; i < machine->cache_count; i++) {
    const struct ppi_cache *cache = &machine->caches[i];
    second = cache->level == 2 ? cache->bytes : second;
    last = cache->bytes > last ? cache->bytes : last;
  }
  add_level(full, second > 0 ? second : last);
  add_level(full, last);
}

static void default_levels(struct perfpred_cache_options *full, const struct ppi_machine *machine) {
  struct ppi_machine here;
  memset(full->level_bytes, 0, sizeof full->level_bytes);
  if (!machine) {
    memset(&here, 0, sizeof here);
    ppi_machine_here(&here);
    machine = &here;
  }
  add_measured(full, machine);
  if (full->level_count == 0)
    add_reported(full, machine);
  if (full->level_count == 0)
    add_level(full, SECOND_LEVEL);
}

static enum perfpred_status check_levels(struct perfpred_cache_options *full, struct perfpred_error *error) {
  if (full->level_count > PERFPRED_CACHE_LEVELS)
    return ppi_error_set(error, PERFPRED_INVALID, "options.level_count: %zu: expected at most %d", full->level_count,
                         PERFPRED_CACHE_LEVELS);
  for (size_t i = 0; i < full->level_count; i++) {
    if (full->level_bytes[i] < full->line_bytes)
      return ppi_error_set(error, PERFPRED_INVALID,
                           "options.level_bytes[%zu]: a cache of %" PRId64
                           " bytes: expected at least a line of %" PRId64,
                           i, full->level_bytes[i], full->line_bytes);
    if (i > 0 && full->level_bytes[i] <= full->level_bytes[i - 1])
      return ppi_error_set(error, PERFPRED_INVALID,
                           "options.level_bytes[%zu]: %" PRId64 ": expected more than the level before, %" PRId64, i,
                           full->level_bytes[i], full->level_bytes[i - 1]);
  }
  return PERFPRED_OK;
}

static enum perfpred_status check_line(struct perfpred_cache_options *full, struct perfpred_error *error) {
  const int64_t line = full->line_bytes;
  if (line == 0)
    full->line_bytes = LINE_BYTES;
  else if (line < 8 || line > LINE_MAX || (line & (line - 1)) != 0)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.line_bytes: %" PRId64 ": expected a power of 2 from 8 to 65536", line);
  if (full->ld < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.ld: %" PRId64 ": expected a leading dimension, or 0",
                         full->ld);
  if (full->history < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.history: %" PRId64 ": expected a number of steps, or 0",
                         full->history);
  return PERFPRED_OK;
}

static void fill_in(double *number, double fitted) {
  if (fpclassify(*number) == FP_ZERO)
    *number = fitted;
}

/* What was fitted on the machine fills in what is left open, for the caches that it was fitted for. */
static void take_fit(struct perfpred_cache_options *full, const struct ppi_blending *fit) {
  const size_t count = (size_t)fit->level_count;
  const bool open = full->level_count == 0;
  if (fit->level_count == 0 || full->mode != PERFPRED_CACHE_SMOOTHED ||
      (!open && (full->level_count != count ||
                 memcmp(full->level_bytes, fit->level_bytes, count * sizeof *fit->level_bytes) != 0)))
    return;
  memcpy(full->level_bytes, fit->level_bytes, sizeof full->level_bytes);
  full->level_count = count;
  fill_in(&full->alpha, fit->alpha);
  fill_in(&full->beta, fit->beta);
  for (size_t i = 0; i <= count; i++)
    fill_in(&full->weights[i], fit->weights[i]);
  if (full->warm_kernels[0] == '\0')
    memcpy(full->warm_kernels, fit->warm_kernels, sizeof full->warm_kernels);
}

/* A number >= 0 that is finite; 0 stands for the default. */
static enum perfpred_status take_number(double *number, double standard, const char *name,
                                        struct perfpred_error *error) {
  if (!isfinite(*number) || *number < 0.0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.%s: %g: expected a number above 0, or 0 for %g", name,
                         *number, standard);
  *number = *number > 0.0 ? *number : standard;
  return PERFPRED_OK;
}

static enum perfpred_status check_numbers(struct perfpred_cache_options *full, struct perfpred_error *error) {
  enum perfpred_status status = take_number(&full->split_ratio, SPLIT_RATIO, "split_ratio", error);
  if (!status)
    status = take_number(&full->alpha, SMOOTHING, "alpha", error);
  if (!status)
    status = take_number(&full->beta, SMOOTHING, "beta", error);
  for (size_t i = 0; i <= PERFPRED_CACHE_LEVELS && !status; i++)
    status = take_number(&full->weights[i], 1.0, "weights", error);
  return status;
}

static enum perfpred_status check_kernels(const struct perfpred_cache_options *full, struct perfpred_error *error) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,";
  const char *list = full->warm_kernels;
  return memchr(list, '\0', sizeof full->warm_kernels) && strspn(list, letters) == strlen(list)
             ? PERFPRED_OK
             : ppi_error_set(error, PERFPRED_INVALID,
                             "options.warm_kernels: expected names of kernels with commas, at most %d letters",
                             PERFPRED_CACHE_KERNELS - 1);
}

static enum perfpred_status check_choices(const struct perfpred_cache_options *full, struct perfpred_error *error) {
  const struct {
    const char *name;
    int value, last;
  } choices[] = { { "mode", (int)full->mode, PERFPRED_CACHE_SHARED },
                  { "distance", (int)full->distance, PERFPRED_CACHE_SUMS },
                  { "first", (int)full->first, PERFPRED_CACHE_REPEATED } };
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
    if (choices[i].value < 0 || choices[i].value > choices[i].last)
      return ppi_error_set(error, PERFPRED_INVALID, "options.%s: %d: expected 0 to %d", choices[i].name,
                           choices[i].value, choices[i].last);
  if (full->mode == PERFPRED_CACHE_SHARED && full->distance == PERFPRED_CACHE_SUMS)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.mode: shares of accesses are counted in different lines: expected no sums");
  return check_kernels(full, error);
}

enum perfpred_status ppi_cache_settings(const struct perfpred_cache_options *options, const struct ppi_machine *machine,
                                        struct perfpred_cache_options *full, struct perfpred_error *error) {
  memset(full, 0, sizeof *full);
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_CACHE_OPTIONS_INIT",
                         options->size);
  if (options)
    memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  full->size = sizeof *full;
  enum perfpred_status status = check_line(full, error);
  if (!status)
    status = check_levels(full, error);
  if (!status && machine)
    take_fit(full, &machine->blending);
  if (!status)
    status = check_numbers(full, error);
  if (!status)
    status = check_choices(full, error);
  if (!status && full->level_count == 0)
    default_levels(full, machine);
  return status;
}
