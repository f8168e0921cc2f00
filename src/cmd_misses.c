/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred misses: cache misses of a loop nest, of a C file's region, or of the loops behind an algorithm's calls. */
#include <perfpred/affine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "content.h"
#include "counted.h"
#include "session.h"

#define CACHES_MAX 256

/* The preprocessor's options: -D and -I, each in one word with its value. */
struct arguments {
  char **words;
  size_t count;
};

static void free_arguments(struct arguments *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    free(arguments->words[i]);
  free(arguments->words);
}

static bool add_arguments(struct arguments *arguments, const char *option, const struct words *values) {
  for (size_t i = 0; i < values->count; i++) {
    const size_t size = strlen(values->items[i]) + 3;
    char *word = malloc(size);
    if (word == NULL)
      return false;
    snprintf(word, size, "%s%s", option, values->items[i]);
    arguments->words[arguments->count++] = word;
  }
  return true;
}

static int make_arguments(const struct options *options, struct arguments *arguments) {
  arguments->words = calloc(options->defines.count + options->includes.count + 1, sizeof *arguments->words);
  if (arguments->words == NULL || !add_arguments(arguments, "-D", &options->defines) ||
      !add_arguments(arguments, "-I", &options->includes))
    return message_fail("out of memory");
  return COMMAND_OK;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool is_c(const char *name) {
  return ends_with(name, ".c") || ends_with(name, ".h");
}

static int read_c(struct session *session, const char *path, struct perfpred_program **program) {
  const struct options *options = session->options;
  struct perfpred_source_options source = PERFPRED_SOURCE_OPTIONS_INIT;
  struct arguments arguments = { 0 };
  int result = make_arguments(options, &arguments);
  source.compiler = options->compiler;
  source.arguments = (const char *const *)arguments.words;
  source.argument_count = arguments.count;
  source.region = (size_t)options->region;
  if (result == COMMAND_OK &&
      perfpred_nest_read_c(session->context, path, &source, program, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  free_arguments(&arguments);
  return result;
}

/* A file that is preprocessed already, or in the text form. */
static int read_text(struct session *session, const char *path, struct perfpred_program **program) {
  char *text;
  size_t length;
  int result = content_read(path, &text, &length);
  if (result != COMMAND_OK)
    return result;
  struct perfpred_source_options source = PERFPRED_SOURCE_OPTIONS_INIT;
  source.region = (size_t)session->options->region;
  const enum perfpred_status status =
      ends_with(path, ".i")
          ? perfpred_nest_parse_c(session->context, text, length, path, &source, program, &session->error)
          : perfpred_program_parse(session->context, text, length, path, program, &session->error);
  if (status != PERFPRED_OK)
    result = session_fail(session);
  free(text);
  return result;
}

/* A C file, a file with one nest or algorithm, or a name that is known. */
static int find_program(struct session *session, struct perfpred_program **program) {
  const struct options *options = session->options;
  const char *name = options->operands.items[0];
  const bool preprocessed = ends_with(name, ".i");
  if (!is_c(name) && (options->defines.count > 0 || options->includes.count > 0 || options->compiler != NULL))
    return message_misuse("'misses': -D, -I and --cc are for C: expected a file that ends in .c or .h");
  if (!is_c(name) && !preprocessed && options->region > 0)
    return message_misuse("'misses': --region is for C: expected a file that ends in .c, .h or .i");
  if (is_c(name))
    return read_c(session, name, program);
  if (preprocessed || strpbrk(name, "./") != NULL)
    return read_text(session, name, program);
  if (perfpred_program_find(session->context, name, program, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return COMMAND_OK;
}

static int read_caches(const struct options *options, int64_t *caches, size_t *count) {
  *count = 0;
  for (const char *at = options->cache; at != NULL;) {
    char word[24];
    const size_t length = strcspn(at, ",");
    if (length < sizeof word) {
      memcpy(word, at, length);
      word[length] = '\0';
    }
    if (length >= sizeof word || *count == CACHES_MAX || !number_bytes(word, &caches[*count]))
      return message_misuse("option --cache: '%s': expected sizes above 0 in bytes or with K, M or G behind them, at "
                            "most %d of them, with commas",
                            options->cache, CACHES_MAX);
    ++*count;
    at = at[length] == ',' ? at + length + 1 : NULL;
  }
  return COMMAND_OK;
}

static int read_engine(const struct options *options, enum perfpred_misses_engine *engine) {
  static const char *const names[] = { "auto", "analytic", "simulate" };
  *engine = PERFPRED_MISSES_AUTO;
  if (options->engine == NULL)
    return COMMAND_OK;
  for (int i = 0; i < 3; i++) {
    if (strcmp(options->engine, names[i]) == 0) {
      *engine = (enum perfpred_misses_engine)i;
      return COMMAND_OK;
    }
  }
  return message_misuse("option --engine: '%s': expected 'auto', 'analytic' or 'simulate'", options->engine);
}

static int count(struct session *session, const struct perfpred_program *program,
                 const struct perfpred_misses_options *asked) {
  int64_t values[SESSION_PARAMETERS];
  char *json = NULL;
  int result = session_values(session, program, NULL, values);
  if (result != COMMAND_OK)
    return result;
  if (perfpred_misses(session->context, program, values, perfpred_program_parameter_count(program), asked, NULL, &json,
                      &session->error) != PERFPRED_OK)
    return session_fail(session);
  result = counted_print(json, session->options->json);
  perfpred_free(json);
  return result;
}

static int run(const struct options *options) {
  struct perfpred_misses_options asked = PERFPRED_MISSES_OPTIONS_INIT;
  struct perfpred_program *program = NULL;
  struct session session;
  int64_t caches[CACHES_MAX];
  int result = read_caches(options, caches, &asked.cache_count);
  if (result == COMMAND_OK)
    result = read_engine(options, &asked.engine);
  if (result != COMMAND_OK)
    return result;
  asked.cache_bytes = asked.cache_count > 0 ? caches : NULL;
  asked.line_bytes = options->line;
  asked.budget_s = options->budget_s;
  asked.pieces = options->pieces;
  asked.curve = options->curve;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = find_program(&session, &program);
  if (result == COMMAND_OK)
    result = count(&session, program, &asked);
  perfpred_program_unref(program);
  session_close(&session);
  return result;
}

const struct command command_misses = {
  .name = "misses",
  .synopsis = "FILE|NAME [NAME=VALUE ...] [--cache BYTES,..] [--line BYTES] [--engine ENGINE] [--pieces] [--curve] "
              "[--budget SECONDS] [-f FILE] [-D NAME[=VALUE]] [-I PATH] [--cc COMPILER] [--region K] [--json]",
  .summary = "Cache misses of a loop nest, or of the loops behind an algorithm's calls, counted without running them",
  .details =
      "FILE is C (.c, .h; .i where it is preprocessed already), of which the region between '#pragma scop' and\n"
      "'#pragma endscop' counts, or the text form with one nest or algorithm; NAME is an algorithm or nest of the\n"
      "catalogue or of -f. Sizes that the C does not define are parameters:\n"
      "  perfpred misses gemm.c ni=1000 nj=1100 nk=1200\n\n"
      "The caches are fully associative and replace the least recently used line; doc/misses.md has the convention.\n",
  .takes = TAKES_PARAMETERS | TAKES_FILES | TAKES_BUDGET | TAKES_MISSES,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
