/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulation.h"

#include <string.h>

#include "message.h"

static int wrong_levels(const char *option, const char *text) {
  return message_misuse("option %s: '%s': expected sizes above 0 in bytes or with K, M or G behind them, rising, at "
                        "most %d of them, with commas",
                        option, text, PERFPRED_CACHE_LEVELS);
}

int emulation_read_levels(const char *option, const char *text, struct perfpred_cache_options *emulation) {
  for (const char *at = text; at != NULL;) {
    char word[24];
    const size_t length = strcspn(at, ","), count = emulation->level_count;
    if (length >= sizeof word || count == PERFPRED_CACHE_LEVELS)
      return wrong_levels(option, text);
    memcpy(word, at, length);
    word[length] = '\0';
    if (!number_bytes(word, &emulation->level_bytes[count]) ||
        (count > 0 && emulation->level_bytes[count] <= emulation->level_bytes[count - 1]))
      return wrong_levels(option, text);
    emulation->level_count++;
    at = at[length] == ',' ? at + length + 1 : NULL;
  }
  return COMMAND_OK;
}

/* One number for each cache, and one for memory. */
static int read_weights(const char *text, struct perfpred_cache_options *emulation) {
  size_t count = 0;
  for (const char *at = text; at != NULL;) {
    char word[32];
    const size_t length = strcspn(at, ",");
    if (length >= sizeof word || count == PERFPRED_CACHE_LEVELS + 1)
      return message_misuse("option --weights: '%s': expected at most %d numbers, with commas", text,
                            PERFPRED_CACHE_LEVELS + 1);
    memcpy(word, at, length);
    word[length] = '\0';
    if (!number_real(word, 1e-3, 1e3, &emulation->weights[count++]))
      return message_misuse("option --weights: '%s': expected numbers from 0.001 to 1000, with commas", text);
    at = at[length] == ',' ? at + length + 1 : NULL;
  }
  if (emulation->level_count > 0 && count != emulation->level_count + 1)
    return message_misuse("option --weights: %zu numbers: expected one for each of %zu caches, and one for memory",
                          count, emulation->level_count);
  return COMMAND_OK;
}

static int read_kernels(const char *text, struct perfpred_cache_options *emulation) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,";
  if (text[0] == '\0' || strlen(text) >= sizeof emulation->warm_kernels || strspn(text, letters) != strlen(text))
    return message_misuse("option --warm-kernels: '%s': expected names of kernels, with commas", text);
  memcpy(emulation->warm_kernels, text, strlen(text) + 1);
  return COMMAND_OK;
}

/* The place of a word in a list of three or four. */
static int choose(const char *option, const char *word, const char *const *words, int count, int *choice) {
  for (int i = 0; i < count; i++) {
    if (strcmp(word, words[i]) == 0) {
      *choice = i;
      return COMMAND_OK;
    }
  }
  return message_misuse("option %s: '%s': expected '%s', '%s'%s%s%s%s", option, word, words[0], words[1],
                        count > 2 ? ", '" : "", count > 2 ? words[2] : "", count > 2 ? "'" : "",
                        count > 3 ? " or 'shared'" : "");
}

static int read_choices(const struct options *options, struct perfpred_cache_options *emulation) {
  static const char *const modes[] = { "smoothed", "split", "initial", "shared" };
  static const char *const distances[] = { "lines", "sums" };
  static const char *const firsts[] = { "cold", "total", "repeated" };
  int mode = 0, distance = 0, first = 0, result = COMMAND_OK;
  if (options->residency != NULL)
    result = choose("--residency", options->residency, modes, 4, &mode);
  if (result == COMMAND_OK && options->distance != NULL)
    result = choose("--distance", options->distance, distances, 2, &distance);
  if (result == COMMAND_OK && options->first != NULL)
    result = choose("--first", options->first, firsts, 3, &first);
  emulation->mode = (enum perfpred_cache_mode)mode;
  emulation->distance = (enum perfpred_cache_distance)distance;
  emulation->first = (enum perfpred_cache_first)first;
  return result;
}

bool emulation_weighed(const struct options *options) {
  return options->residency != NULL || options->distance != NULL || options->first != NULL ||
         options->weights != NULL || options->warm_kernels != NULL || options->history != 0 || options->split > 0.0 ||
         options->alpha > 0.0 || options->beta > 0.0;
}

bool emulation_given(const struct options *options) {
  return options->cache != NULL || options->line != 0 || emulation_weighed(options);
}

int emulation_read(const struct options *options, struct perfpred_cache_options *emulation) {
  *emulation = (struct perfpred_cache_options)PERFPRED_CACHE_OPTIONS_INIT;
  emulation->line_bytes = options->line;
  emulation->ld = options->ld;
  emulation->history = options->history;
  emulation->split_ratio = options->split;
  emulation->alpha = options->alpha;
  emulation->beta = options->beta;
  if (options->line != 0 && ((options->line & (options->line - 1)) != 0))
    return message_misuse("option --line: '%lld': expected a power of 2", (long long)options->line);
  int result = options->cache != NULL ? emulation_read_levels("--cache", options->cache, emulation) : COMMAND_OK;
  if (result == COMMAND_OK && options->weights != NULL)
    result = read_weights(options->weights, emulation);
  if (result == COMMAND_OK && options->warm_kernels != NULL)
    result = read_kernels(options->warm_kernels, emulation);
  return result == COMMAND_OK ? read_choices(options, emulation) : result;
}
