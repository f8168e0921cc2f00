/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of a script. */
#include <stdlib.h>
#include <string.h>

#include "measure/script_parse.h"

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

static void free_call(struct ppi_script_call *call) {
  ppi_kernel_unref((struct perfpred_kernel *)call->kernel);
  free(call->values);
  free(call->operands);
}

void ppi_script_free(struct ppi_script *script) {
  for (size_t i = 0; i < script->call_count; i++)
    free_call(&script->calls[i]);
  for (size_t i = 0; i < script->event_count; i++)
    free(script->events[i].name);
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

struct ppi_script_buffer *ppi_script_find_buffer(const struct ppi_script *script, const char *name) {
  for (size_t i = script->buffer_count; i-- > 0;)
    if (script->buffers[i].end == SIZE_MAX && strcmp(script->buffers[i].name, name) == 0)
      return &script->buffers[i];
  return NULL;
}

/* The line that freed the last buffer of that name; 0: there was none. */
static int freed_before(const struct ppi_script *script, const char *name) {
  for (size_t i = script->buffer_count; i-- > 0;)
    if (script->buffers[i].end != SIZE_MAX && strcmp(script->buffers[i].name, name) == 0)
      return script->buffers[i].freed;
  return 0;
}

/* NAME[LENGTH]: memory of that many elements. */
static enum perfpred_status read_length(struct ppi_script_parse *parse, struct ppi_script_buffer *buffer) {
  enum perfpred_status status = ppi_reader_expect(&parse->reader, '[');
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  if (status == PERFPRED_OK)
    status = ppi_reader_integer(&parse->reader, "a number of elements", &buffer->length);
  if (status == PERFPRED_OK && (buffer->length < 1 || buffer->length > PPI_SCRIPT_LENGTH_MAX))
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "buffer '%s' has %lld elements, expected 1 to 2^42",
                              buffer->name, (long long)buffer->length);
  buffer->whole = parse->script->buffer_count;
  return status == PERFPRED_OK ? ppi_reader_expect(&parse->reader, ']') : status;
}

/* NAME = OTHER+OFFSET: what is left of another buffer from there on. */
static enum perfpred_status read_part(struct ppi_script_parse *parse, struct ppi_script_buffer *buffer) {
  struct ppi_script_buffer *other = NULL;
  int64_t offset = 0;
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_script_read_buffer_name(parse, &other);
  if (status == PERFPRED_OK && other->type != buffer->type)
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "buffer '%s' is of type %c, '%s' of type %c",
                              other->name, ppi_type_letter(other->type), buffer->name, ppi_type_letter(buffer->type));
  if (status == PERFPRED_OK && ppi_reader_accept(&parse->reader, '+')) {
    ppi_reader_peek(&parse->reader);
    at = parse->reader.at;
    status = ppi_reader_integer(&parse->reader, "an offset in elements", &offset);
  }
  if (status != PERFPRED_OK)
    return status;
  if (offset < 0 || offset >= other->length)
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_SYNTAX, "the offset is %lld, expected 0 to %lld",
                              (long long)offset, (long long)other->length - 1);
  buffer->whole = other->whole;
  buffer->offset = other->offset + offset;
  buffer->length = other->length - offset;
  return PERFPRED_OK;
}

/* Several of them with commas. */
static enum perfpred_status read_buffer(struct ppi_script_parse *parse, enum ppi_type type) {
  struct ppi_script *script = parse->script;
  struct ppi_script_buffer buffer = { .type = type, .align = parse->settings.align, .end = SIZE_MAX };
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_word(&parse->reader, "the name of a buffer", "", buffer.name);
  if (status == PERFPRED_OK && ppi_script_find_buffer(script, buffer.name) != NULL)
    return ppi_reader_fail_at(&parse->reader, at, PERFPRED_EXISTS, "there is a buffer '%s' already", buffer.name);
  if (status == PERFPRED_OK)
    status = ppi_reader_accept(&parse->reader, '=') ? read_part(parse, &buffer) : read_length(parse, &buffer);
  if (status != PERFPRED_OK)
    return status;
  buffer.first = script->unit_count;
  if (!PPI_SCRIPT_GROW(script, buffer))
    return ppi_error_memory(parse->reader.error);
  script->buffers[script->buffer_count++] = buffer;
  return PERFPRED_OK;
}

static enum perfpred_status read_buffers(struct ppi_script_parse *parse, enum ppi_type type) {
  enum perfpred_status status = PERFPRED_OK;
  do
    status = read_buffer(parse, type);
  while (status == PERFPRED_OK && ppi_reader_accept(&parse->reader, ','));
  return status;
}

enum perfpred_status ppi_script_read_buffer_name(struct ppi_script_parse *parse, struct ppi_script_buffer **buffer) {
  char name[PPI_NAME_MAX];
  ppi_reader_peek(&parse->reader);
  const char *at = parse->reader.at;
  enum perfpred_status status = ppi_reader_word(&parse->reader, "the name of a buffer", "", name);
  if (status != PERFPRED_OK)
    return status;
  *buffer = ppi_script_find_buffer(parse->script, name);
  return *buffer != NULL ? PERFPRED_OK : ppi_script_no_buffer(&parse->reader, at, parse->script, name);
}

enum perfpred_status ppi_script_no_buffer(const struct ppi_script_reader *reader, const char *at,
                                          const struct ppi_script *script, const char *name) {
  int freed = freed_before(script, name);
  if (freed > 0)
    return ppi_reader_fail_at(reader, at, PERFPRED_NOT_FOUND, "there is no buffer '%s' any more: line %d frees it",
                              name, freed);
  return ppi_reader_fail_at(reader, at, PERFPRED_NOT_FOUND,
                            "there is no buffer '%s', expected one that was declared, such as 'double %s[1000]'", name,
                            name);
}

/* What is gone cannot be touched before a call either. */
static void forget_accesses(struct ppi_script_parse *parse, size_t buffer) {
  const struct ppi_script_access *accesses = parse->script->accesses;
  struct ppi_script_settings *settings = &parse->settings;
  for (size_t i = 0; i < settings->access_count; i++)
    if (accesses[settings->access_first + i].buffer == buffer) {
      settings->access_count = 0;
      return;
    }
}

/* With a buffer its parts go; a part alone is a name that goes. */
static void free_buffer(struct ppi_script_parse *parse, size_t number) {
  struct ppi_script *script = parse->script;
  for (size_t i = 0; i < script->buffer_count; i++) {
    struct ppi_script_buffer *buffer = &script->buffers[i];
    if (buffer->end != SIZE_MAX || (i != number && buffer->whole != number))
      continue;
    buffer->end = script->unit_count;
    buffer->freed = parse->reader.line;
  }
  forget_accesses(parse, number);
}

static enum perfpred_status read_free(struct ppi_script_parse *parse) {
  struct ppi_script_buffer *buffer = NULL;
  enum perfpred_status status = PERFPRED_OK;
  do {
    status = ppi_script_read_buffer_name(parse, &buffer);
    if (status != PERFPRED_OK)
      break;
    free_buffer(parse, (size_t)(buffer - parse->script->buffers));
  } while (ppi_reader_accept(&parse->reader, ','));
  return status;
}

/* --- Calls and regions --------------------------------------------------------------------------------------------- */

static enum perfpred_status add_call(struct ppi_script_parse *parse) {
  struct ppi_script *script = parse->script;
  struct ppi_script_call call = { 0 };
  enum perfpred_status status = ppi_script_read_call(&parse->reader, parse->kernels, script, &parse->settings, &call);
  if (status == PERFPRED_OK && !PPI_SCRIPT_GROW(script, call))
    status = ppi_error_memory(parse->reader.error);
  if (status == PERFPRED_OK)
    script->calls[script->call_count++] = call;
  else
    free_call(&call);
  return status;
}

/* A lane of the calls from `first` on. */
static enum perfpred_status add_lane(struct ppi_script_parse *parse, size_t first) {
  struct ppi_script *script = parse->script;
  if (!PPI_SCRIPT_GROW(script, lane))
    return ppi_error_memory(parse->reader.error);
  script->lanes[script->lane_count++] = (struct ppi_script_lane){ first, script->call_count - first };
  return PERFPRED_OK;
}

/* A unit of the lanes from `first` on. */
static enum perfpred_status add_unit(struct ppi_script_parse *parse, size_t first, bool region, bool parallel,
                                     int line) {
  struct ppi_script *script = parse->script;
  if (!PPI_SCRIPT_GROW(script, unit))
    return ppi_error_memory(parse->reader.error);
  script->units[script->unit_count++] = (struct ppi_script_unit){
    first, script->lane_count - first, parse->settings, region, parallel, parse->batch, line
  };
  return PERFPRED_OK;
}

/* A word right behind the opening brace, which is no call. */
static bool accept_region_word(struct ppi_script_parse *parse, const char *expected) {
  struct ppi_script_reader ahead = parse->reader;
  struct perfpred_error ignored;
  char word[PPI_NAME_MAX];
  ahead.error = &ignored;
  if (ppi_reader_word(&ahead, "", "", word) != PERFPRED_OK || strcmp(word, expected) != 0 ||
      ppi_reader_peek(&ahead) == '(')
    return false;
  parse->reader.at = ahead.at;
  return true;
}

/* Calls up to the closing brace, at least one; "{seq" is the same as "{". */
static enum perfpred_status read_sequence(struct ppi_script_parse *parse) {
  size_t first = parse->script->call_count;
  enum perfpred_status status = PERFPRED_OK;
  accept_region_word(parse, "seq");
  while (status == PERFPRED_OK && !ppi_reader_at_end(&parse->reader) && ppi_reader_peek(&parse->reader) != '}')
    status = add_call(parse);
  if (status == PERFPRED_OK && parse->script->call_count == first)
    status = ppi_reader_expected(&parse->reader, "a call");
  if (status == PERFPRED_OK)
    status = ppi_reader_expect(&parse->reader, '}');
  return status == PERFPRED_OK ? add_lane(parse, first) : status;
}

/* Lanes up to the closing brace, at least one: calls, or sequences of them. */
static enum perfpred_status read_lanes(struct ppi_script_parse *parse) {
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

static enum perfpred_status read_region(struct ppi_script_parse *parse) {
  size_t first = parse->script->lane_count;
  int line = parse->reader.line;
  bool parallel = accept_region_word(parse, "omp");
  enum perfpred_status status = parallel ? read_lanes(parse) : read_sequence(parse);
  return status == PERFPRED_OK ? add_unit(parse, first, true, parallel, line) : status;
}

static enum perfpred_status read_call(struct ppi_script_parse *parse) {
  size_t lane = parse->script->lane_count, call = parse->script->call_count;
  int line = parse->reader.line;
  enum perfpred_status status = add_call(parse);
  if (status == PERFPRED_OK)
    status = add_lane(parse, call);
  return status == PERFPRED_OK ? add_unit(parse, lane, false, false, line) : status;
}

static enum perfpred_status read_go(struct ppi_script_parse *parse) {
  parse->batch++;
  return PERFPRED_OK;
}

/* --- Statements ---------------------------------------------------------------------------------------------------- */

static enum perfpred_status read_word_statement(struct ppi_script_parse *parse) {
  static const struct {
    const char *word;
    enum perfpred_status (*read)(struct ppi_script_parse *parse);
  } statements[] = {
    { "set", ppi_script_read_set }, { "counters", ppi_script_read_counters }, { "free", read_free }, { "go", read_go }
  };
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

static enum perfpred_status read_statement(struct ppi_script_parse *parse) {
  enum perfpred_status status =
      ppi_reader_accept(&parse->reader, '{') ? read_region(parse) : read_word_statement(parse);
  if (status == PERFPRED_OK && !ppi_script_at_statement_end(parse))
    status = ppi_reader_expected(&parse->reader, "the end of the statement");
  return status;
}

enum perfpred_status ppi_script_parse(const struct ppi_kernels *kernels, const char *text, size_t length,
                                      const char *source, int64_t ld, struct ppi_script *script,
                                      struct perfpred_error *error) {
  struct ppi_script made = { .text = text, .source = source, .length = length };
  struct ppi_script_parse parse = { .reader = { text, text + length, text, 1, source, error },
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
