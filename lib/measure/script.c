/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of a script. */
#include "measure/script_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/core_state.h"
#include "measure/script_reader.h"

#define LENGTH_MAX (INT64_C(1) << 42) /* elements of a buffer */

struct parse {
  struct ppi_script_reader reader;
  const struct ppi_kernels *kernels;
  struct ppi_script *script;
  struct ppi_script_settings settings; /* in force */
  int batch;
};

bool ppi_script_grow(void *array, size_t count, size_t *space, size_t item) {
  void **at = array;
  if (count < *space)
    return true;
  size_t wanted = *space > 0 ? 2 * *space : 8;
  void *larger = realloc(*at, wanted * item);
  if (larger == NULL)
    return false;
  *at = larger;
  *space = wanted;
  return true;
}

#define GROW(script, noun) GROW_LIST(script, noun, noun##s)
#define GROW_LIST(script, noun, list)                                                                                  \
  ppi_script_grow(&(script)->list, (script)->noun##_count, &(script)->noun##_space, sizeof *(script)->list)

static void free_call(struct ppi_script_call *call) {
  ppi_kernel_unref((struct perfpred_kernel *)call->kernel);
  free(call->values);
  free(call->operands);
}

void ppi_script_free(struct ppi_script *script) {
  for (size_t i = 0; i < script->call_count; i++)
    free_call(&script->calls[i]);
  for (size_t i = 0; i < script->event_count; i++)
    free(script->events[i]);
  free(script->calls);
  free(script->lanes);
  free(script->units);
  free(script->buffers);
  free(script->accesses);
  free(script->events);
  *script = (struct ppi_script){ 0 };
}

/* --- Buffers ------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  enum ppi_type type;
} types[] = { { "float", PPI_TYPE_S },
              { "double", PPI_TYPE_D },
              { "cfloat", PPI_TYPE_C },
              { "cdouble", PPI_TYPE_Z },
              { "integer", PPI_TYPE_INT } };
#define TYPES (sizeof types / sizeof types[0])

static struct ppi_script_buffer *find_buffer(const struct ppi_script *script, const char *name) {
  for (size_t i = script->buffer_count; i-- > 0;)
    if (script->buffers[i].end == SIZE_MAX && strcmp(script->buffers[i].name, name) == 0)
      return &script->buffers[i];
  return NULL;
}

/* NAME[LENGTH], several of them with commas. */
static enum perfpred_status read_buffer(struct parse *parse, enum ppi_type type) {
  struct ppi_script *script = parse->script;
  struct ppi_script_buffer buffer = { .type = type, .align = parse->settings.align, .end = SIZE_MAX };
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_word(&parse->reader, "the name of a buffer", "", buffer.name);
  if (status == PERFPRED_OK && find_buffer(script, buffer.name) != NULL)
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_EXISTS, "there is a buffer '%s' already", buffer.name);
  if (status == PERFPRED_OK)
    status = ppi_reader_expect(&parse->reader, '[');
  at = parse->reader.at;
  if (status == PERFPRED_OK)
    status = ppi_reader_integer(&parse->reader, "a number of elements", &buffer.length);
  if (status == PERFPRED_OK && (buffer.length < 1 || buffer.length > LENGTH_MAX))
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "buffer '%s' has %lld elements, expected 1 to 2^42",
                              buffer.name, (long long)buffer.length);
  if (status == PERFPRED_OK)
    status = ppi_reader_expect(&parse->reader, ']');
  if (status != PERFPRED_OK)
    return status;
  buffer.first = script->unit_count;
  if (!GROW(script, buffer))
    return ppi_error_memory(parse->reader.error);
  script->buffers[script->buffer_count++] = buffer;
  return PERFPRED_OK;
}

static enum perfpred_status read_buffers(struct parse *parse, enum ppi_type type) {
  enum perfpred_status status = PERFPRED_OK;
  do
    status = read_buffer(parse, type);
  while (status == PERFPRED_OK && ppi_reader_accept(&parse->reader, ','));
  return status;
}

/* A buffer by name, at the present place. */
static enum perfpred_status read_name(struct parse *parse, struct ppi_script_buffer **buffer) {
  char name[PPI_NAME_MAX];
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_word(&parse->reader, "the name of a buffer", "", name);
  if (status != PERFPRED_OK)
    return status;
  *buffer = find_buffer(parse->script, name);
  if (*buffer == NULL)
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_NOT_FOUND, "there is no buffer '%s'", name);
  return PERFPRED_OK;
}

static enum perfpred_status read_free(struct parse *parse) {
  struct ppi_script_buffer *buffer = NULL;
  enum perfpred_status status = PERFPRED_OK;
  do {
    status = read_name(parse, &buffer);
    if (status == PERFPRED_OK)
      buffer->end = parse->script->unit_count;
  } while (status == PERFPRED_OK && ppi_reader_accept(&parse->reader, ','));
  /* What is gone cannot be touched before a call either. */
  parse->settings.access_count = status == PERFPRED_OK ? 0 : parse->settings.access_count;
  return status;
}

/* --- Settings ------------------------------------------------------------------------------------------------------ */

static enum perfpred_status read_count(struct parse *parse, const char *what, int64_t least, int64_t most,
                                       int64_t *value) {
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_integer(&parse->reader, what, value);
  if (status == PERFPRED_OK && (*value < least || *value > most))
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "%s is %lld, expected %lld to %lld", what,
                              (long long)*value, (long long)least, (long long)most);
  return status;
}

static enum perfpred_status set_repetitions(struct parse *parse) {
  int64_t value = 0;
  enum perfpred_status status = read_count(parse, "the number of repetitions", 1, PPI_SCRIPT_REPETITIONS_MAX, &value);
  parse->settings.repetitions = (int)value;
  return status;
}

/* set stable 0.01 max 200; set stable off */
static enum perfpred_status set_stable(struct parse *parse) {
  char word[PPI_NAME_MAX];
  struct ppi_script_reader ahead = parse->reader;
  struct perfpred_error ignored;
  int64_t most = 0;
  ahead.error = &ignored;
  if (ppi_reader_word(&ahead, "", "", word) == PERFPRED_OK && strcmp(word, "off") == 0) {
    parse->reader.at = ahead.at;
    parse->settings.stable = 0.0;
    return PERFPRED_OK;
  }
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_real(&parse->reader, "a relative width, or 'off'", &parse->settings.stable);
  if (status == PERFPRED_OK && !(parse->settings.stable > 0.0 && parse->settings.stable <= 1.0))
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX,
                              "the relative width is %g, expected more than 0 and at most 1", parse->settings.stable);
  if (status == PERFPRED_OK)
    status = ppi_reader_word(&parse->reader, "'max' and the largest number of repetitions", "", word);
  if (status == PERFPRED_OK && strcmp(word, "max") != 0)
    return ppi_reader_fail(&parse->reader, PERFPRED_SYNTAX, "expected 'max', found '%s'", word);
  if (status == PERFPRED_OK)
    status = read_count(parse, "the largest number of repetitions", 1, PPI_SCRIPT_REPETITIONS_MAX, &most);
  parse->settings.repetitions_max = (int)most;
  return status;
}

/* One word of a list; its place in it. */
static enum perfpred_status read_choice(struct parse *parse, const char *what, const char *const *words, int count,
                                        int *choice) {
  char word[PPI_NAME_MAX];
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_word(&parse->reader, what, "-", word);
  if (status != PERFPRED_OK)
    return status;
  for (int i = 0; i < count; i++) {
    if (strcmp(word, words[i]) == 0) {
      *choice = i;
      return PERFPRED_OK;
    }
  }
  return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "expected %s, found '%s'", what, word);
}

static enum perfpred_status set_precondition(struct parse *parse) {
  static const char *const words[] = { "warm", "cold-flush", "cold-sweep", "none" };
  int choice = 0;
  enum perfpred_status status = read_choice(parse, "warm, cold-flush, cold-sweep or none", words, 4, &choice);
  parse->settings.precondition = (enum ppi_precondition)choice;
  return status;
}

static enum perfpred_status set_operands(struct parse *parse) {
  static const char *const words[] = { "fixed", "fresh" };
  int choice = 0;
  enum perfpred_status status = read_choice(parse, "fixed or fresh", words, 2, &choice);
  parse->settings.fresh = choice == 1;
  return status;
}

static enum perfpred_status set_align(struct parse *parse) {
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status =
      read_count(parse, "the alignment in bytes", 0, PPI_SCRIPT_ALIGN_MAX, &parse->settings.align);
  int64_t align = parse->settings.align;
  if (status == PERFPRED_OK && (align & (align - 1)) != 0)
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "the alignment is %lld, expected a power of two",
                              (long long)align);
  return status;
}

static enum perfpred_status set_ld(struct parse *parse) {
  return read_count(parse, "the leading dimension", 0, INT32_MAX, &parse->settings.ld);
}

/* A, or A[FIRST:END] in elements */
static enum perfpred_status read_access(struct parse *parse) {
  struct ppi_script_buffer *buffer = NULL;
  struct ppi_script_access access = { 0 };
  enum perfpred_status status = read_name(parse, &buffer);
  if (status != PERFPRED_OK)
    return status;
  access.buffer = (size_t)(buffer - parse->script->buffers);
  access.end = buffer->length;
  if (ppi_reader_accept(&parse->reader, '[')) {
    status = read_count(parse, "the first element", 0, buffer->length, &access.first);
    if (status == PERFPRED_OK)
      status = ppi_reader_expect(&parse->reader, ':');
    if (status == PERFPRED_OK)
      status = read_count(parse, "the end of the elements", access.first, buffer->length, &access.end);
    if (status == PERFPRED_OK)
      status = ppi_reader_expect(&parse->reader, ']');
  }
  if (status == PERFPRED_OK && !GROW_LIST(parse->script, access, accesses))
    status = ppi_error_memory(parse->reader.error);
  if (status == PERFPRED_OK) {
    parse->script->accesses[parse->script->access_count++] = access;
    parse->settings.access_count++;
  }
  return status;
}

static bool at_statement_end(struct parse *parse) {
  char next = ppi_reader_peek(&parse->reader);
  return next == '\n' || next == ';' || next == '}';
}

/* set prepare A B[0:1000]; without names: nothing */
static enum perfpred_status set_prepare(struct parse *parse) {
  enum perfpred_status status = PERFPRED_OK;
  parse->settings.access_first = parse->script->access_count;
  parse->settings.access_count = 0;
  while (status == PERFPRED_OK && !at_statement_end(parse))
    status = read_access(parse);
  return status;
}

static enum perfpred_status read_set(struct parse *parse) {
  static const char *const words[] = { "repetitions", "stable", "precondition", "operands", "align", "ld", "prepare" };
  static enum perfpred_status (*const setters[])(struct parse * parse) = {
    set_repetitions, set_stable, set_precondition, set_operands, set_align, set_ld, set_prepare
  };
  int choice = 0;
  enum perfpred_status status =
      read_choice(parse, "repetitions, stable, precondition, operands, align, ld or prepare", words, 7, &choice);
  return status == PERFPRED_OK ? setters[choice](parse) : status;
}

/* counters NAME NAME; without names: none */
static enum perfpred_status read_counters(struct parse *parse) {
  struct ppi_script *script = parse->script;
  parse->settings.event_first = script->event_count;
  parse->settings.event_count = 0;
  while (!at_statement_end(parse)) {
    char name[PPI_NAME_MAX];
    enum perfpred_status status = ppi_reader_word(&parse->reader, "the name of an event", ":.-=", name);
    if (status != PERFPRED_OK)
      return status;
    char *copy = GROW(script, event) ? strdup(name) : NULL;
    if (copy == NULL)
      return ppi_error_memory(parse->reader.error);
    script->events[script->event_count++] = copy;
    parse->settings.event_count++;
  }
  return PERFPRED_OK;
}

/* --- Calls and regions --------------------------------------------------------------------------------------------- */

static enum perfpred_status add_call(struct parse *parse) {
  struct ppi_script *script = parse->script;
  struct ppi_script_call call = { 0 };
  enum perfpred_status status = ppi_script_read_call(&parse->reader, parse->kernels, script, &parse->settings, &call);
  if (status == PERFPRED_OK && !GROW(script, call))
    status = ppi_error_memory(parse->reader.error);
  if (status == PERFPRED_OK)
    script->calls[script->call_count++] = call;
  else
    free_call(&call);
  return status;
}

/* A lane of the calls from `first` on. */
static enum perfpred_status add_lane(struct parse *parse, size_t first) {
  struct ppi_script *script = parse->script;
  if (!GROW(script, lane))
    return ppi_error_memory(parse->reader.error);
  script->lanes[script->lane_count++] = (struct ppi_script_lane){ first, script->call_count - first };
  return PERFPRED_OK;
}

/* A unit of the lanes from `first` on. */
static enum perfpred_status add_unit(struct parse *parse, size_t first, bool region, bool parallel, int line) {
  struct ppi_script *script = parse->script;
  if (!GROW(script, unit))
    return ppi_error_memory(parse->reader.error);
  script->units[script->unit_count++] = (struct ppi_script_unit){
    first, script->lane_count - first, parse->settings, region, parallel, parse->batch, line
  };
  return PERFPRED_OK;
}

/* Calls up to the closing brace, at least one. */
static enum perfpred_status read_sequence(struct parse *parse) {
  size_t first = parse->script->call_count;
  enum perfpred_status status = PERFPRED_OK;
  while (status == PERFPRED_OK && !ppi_reader_at_end(&parse->reader) && ppi_reader_peek(&parse->reader) != '}')
    status = add_call(parse);
  if (status == PERFPRED_OK && parse->script->call_count == first)
    status = ppi_reader_expected(&parse->reader, "a call");
  if (status == PERFPRED_OK)
    status = ppi_reader_expect(&parse->reader, '}');
  return status == PERFPRED_OK ? add_lane(parse, first) : status;
}

/* Lanes up to the closing brace, at least one: calls, or sequences of them. */
static enum perfpred_status read_lanes(struct parse *parse) {
  size_t first = parse->script->lane_count;
  enum perfpred_status status = PERFPRED_OK;
  while (status == PERFPRED_OK && !ppi_reader_at_end(&parse->reader) && ppi_reader_peek(&parse->reader) != '}') {
    size_t call = parse->script->call_count;
    if (parse->script->lane_count - first == PPI_SCRIPT_LANES_MAX)
      return ppi_reader_fail(&parse->reader, PERFPRED_LIMIT, "a parallel region of more than %d threads",
                             PPI_SCRIPT_LANES_MAX);
    if (ppi_reader_accept(&parse->reader, '{')) {
      status = read_sequence(parse);
      continue;
    }
    status = add_call(parse);
    if (status == PERFPRED_OK)
      status = add_lane(parse, call);
  }
  if (status == PERFPRED_OK && parse->script->lane_count == first)
    status = ppi_reader_expected(&parse->reader, "a call or '{'");
  return status == PERFPRED_OK ? ppi_reader_expect(&parse->reader, '}') : status;
}

static enum perfpred_status read_region(struct parse *parse) {
  static const char parallel_word[] = "omp";
  struct ppi_script_reader *reader = &parse->reader;
  size_t first = parse->script->lane_count, length = sizeof parallel_word - 1;
  int line = reader->line;
  bool parallel = (size_t)(reader->end - reader->at) > length && strncmp(reader->at, parallel_word, length) == 0 &&
                  strchr(" \t\r\n;#{", reader->at[length]) != NULL;
  if (parallel)
    reader->at += length;
  enum perfpred_status status = parallel ? read_lanes(parse) : read_sequence(parse);
  return status == PERFPRED_OK ? add_unit(parse, first, true, parallel, line) : status;
}

static enum perfpred_status read_call(struct parse *parse) {
  size_t lane = parse->script->lane_count, call = parse->script->call_count;
  int line = parse->reader.line;
  enum perfpred_status status = add_call(parse);
  if (status == PERFPRED_OK)
    status = add_lane(parse, call);
  return status == PERFPRED_OK ? add_unit(parse, lane, false, false, line) : status;
}

static enum perfpred_status read_go(struct parse *parse) {
  parse->batch++;
  return PERFPRED_OK;
}

/* --- Statements ---------------------------------------------------------------------------------------------------- */

static enum perfpred_status read_word_statement(struct parse *parse) {
  static const struct {
    const char *word;
    enum perfpred_status (*read)(struct parse *parse);
  } statements[] = { { "set", read_set }, { "counters", read_counters }, { "free", read_free }, { "go", read_go } };
  struct ppi_script_reader ahead = parse->reader;
  char word[PPI_NAME_MAX];
  enum perfpred_status status =
      ppi_reader_word(&ahead, "a call, a buffer, set, counters, free, go or a region", "", word);
  if (status != PERFPRED_OK)
    return status;
  if (ppi_reader_peek(&ahead) == '(')
    return read_call(parse);
  for (size_t i = 0; i < TYPES; i++) {
    if (strcmp(word, types[i].name) == 0) {
      parse->reader = ahead;
      return read_buffers(parse, types[i].type);
    }
  }
  for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
    if (strcmp(word, statements[i].word) == 0) {
      parse->reader = ahead;
      return statements[i].read(parse);
    }
  }
  return ppi_reader_expected(&parse->reader, "a call, a buffer, set, counters, free, go or a region");
}

static enum perfpred_status read_statement(struct parse *parse) {
  enum perfpred_status status =
      ppi_reader_accept(&parse->reader, '{') ? read_region(parse) : read_word_statement(parse);
  if (status == PERFPRED_OK && !at_statement_end(parse))
    status = ppi_reader_expected(&parse->reader, "the end of the statement");
  return status;
}

enum perfpred_status ppi_script_parse(const struct ppi_kernels *kernels, const char *text, size_t length,
                                      const char *source, int64_t ld, struct ppi_script *script,
                                      struct perfpred_error *error) {
  struct ppi_script made = { .text = text, .source = source, .length = length };
  struct parse parse = { .reader = { text, text + length, text, 1, source, error },
                         .kernels = kernels,
                         .script = &made,
                         .settings = { .ld = ld } };
  enum perfpred_status status = PERFPRED_OK;
  while (status == PERFPRED_OK && !ppi_reader_at_end(&parse.reader))
    status = read_statement(&parse);
  if (status == PERFPRED_OK)
    *script = made;
  else
    ppi_script_free(&made);
  return status;
}

/* --- Telling ------------------------------------------------------------------------------------------------------- */

/* What does not fit is left out. */
static void append(char *text, size_t size, const char *more) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", more);
}

static void append_lane(const struct ppi_script *script, const struct ppi_script_lane *lane, char *text, size_t size) {
  for (size_t i = 0; i < lane->call_count; i++) {
    const struct ppi_script_call *call = &script->calls[lane->call_first + i];
    char one[256];
    ppi_call_describe(call->kernel, call->values, one, sizeof one);
    append(text, size, i > 0 ? "; " : "");
    append(text, size, one);
  }
}

void ppi_script_describe(const struct ppi_script *script, size_t unit, char *text, size_t size) {
  const struct ppi_script_unit *described = &script->units[unit];
  text[0] = '\0';
  append(text, size, !described->region ? "" : described->parallel ? "{omp " : "{");
  for (size_t i = 0; i < described->lane_count; i++) {
    const struct ppi_script_lane *lane = &script->lanes[described->lane_first + i];
    bool braces = described->parallel && lane->call_count > 1;
    append(text, size, i > 0 ? "; " : "");
    append(text, size, braces ? "{" : "");
    append_lane(script, lane, text, size);
    append(text, size, braces ? "}" : "");
  }
  append(text, size, described->region ? "}" : "");
}
