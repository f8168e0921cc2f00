/* SPDX-License-Identifier: BSD-3-Clause */
/* From a file to the text of a nest, and from that to the nest. The text is read by the reader of all texts, so that nests are the
   same wherever they come from; afterwards they get the lines and statements of the C source. */
#include "source/nest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program/program.h"
#include "source/region.h"

#define SYMBOLS_MAX 65536      /* in front of a region */
#define OPEN_EXTENT 1073741824 /* of a dimension whose extent is not stated: lines are numbers only, and cost nothing */

struct places {
  const struct ppi_c_token *begin, *end; /* the pragmas of the chosen region */
};

static enum perfpred_status misplaced(const struct ppi_c_parser *parser, const struct ppi_c_token *token,
                                      const char *text) {
  return ppi_c_error(parser->error, &parser->tokens, token, PERFPRED_SYNTAX, "%s", text);
}

/* Pairs up the pragmas. *places: of region `wanted`; *second: the second one. */
static enum perfpred_status pair_pragmas(const struct ppi_c_parser *parser, size_t wanted, struct places *places,
                                         const struct ppi_c_token **second, size_t *count) {
  const struct ppi_c_token *open = NULL;
  for (const struct ppi_c_token *token = parser->tokens.items; token->kind != PPI_C_END; token++) {
    if (ppi_c_is_pragma(token, "scop")) {
      if (open)
        return misplaced(parser, token, "found #pragma scop inside a region, expected #pragma endscop first");
      open = token;
      *second = ++*count == 2 ? token : *second;
    } else if (ppi_c_is_pragma(token, "endscop")) {
      if (!open)
        return misplaced(parser, token, "found #pragma endscop, but no region is open");
      if (*count == wanted)
        *places = (struct places){ open, token };
      open = NULL;
    }
  }
  return open ? misplaced(parser, open, "the region that begins here has no #pragma endscop") : PERFPRED_OK;
}

/* wanted: 0: the only one. */
static enum perfpred_status find_region(struct ppi_c_parser *parser, const char *source, size_t wanted,
                                        struct places *places) {
  const struct ppi_c_token *second = NULL;
  size_t count = 0;
  enum perfpred_status status = pair_pragmas(parser, wanted > 0 ? wanted : 1, places, &second, &count);
  if (status)
    return status;
  if (count == 0)
    return ppi_error_set(parser->error, PERFPRED_NOT_FOUND, "%s: found no region, expected #pragma scop", source);
  if (wanted == 0 && count > 1)
    return ppi_c_error(parser->error, &parser->tokens, second, PERFPRED_AMBIGUOUS,
                       "a second region of %zu, expected the number of the one that is meant", count);
  if (wanted > count)
    return ppi_error_set(parser->error, PERFPRED_NOT_FOUND, "%s: found %zu regions, expected region %zu", source, count,
                         wanted);
  return PERFPRED_OK;
}

static bool starts_declaration(const struct ppi_c_parser *parser, const struct ppi_c_token *token) {
  static const char *const statements[] = { "return", "goto", "else", "case", "do", "sizeof", "break", "continue" };
  if (token->kind != PPI_C_NAME)
    return false;
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
    if (ppi_c_token_is(token, statements[i]))
      return false;
  return ppi_c_starts_type(parser, token) || token[1].kind == PPI_C_NAME;
}

/* What is not understood in front of the region is passed over, but an allocation that failed. */
static enum perfpred_status try_declaration(struct ppi_c_parser *parser, const struct ppi_c_token *end) {
  struct perfpred_error *error = parser->error, ignored;
  const struct ppi_c_token *begin = parser->at;
  const int depth = parser->depth, block = parser->block;
  ppi_error_clear(&ignored);
  parser->error = &ignored;
  enum perfpred_status status = ppi_c_parse_declaration(parser, NULL, NULL);
  parser->error = error;
  parser->depth = depth;
  parser->block = block;
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(error);
  if (status || parser->at > end)
    parser->at = begin + 1;
  return PERFPRED_OK;
}

/* The last function that was declared: the region stands in its body. */
static void note_function(const struct ppi_c_parser *parser, const struct ppi_c_token **function) {
  for (size_t i = parser->symbols.count; i-- > 0;)
    if (parser->symbols.items[i].block == 0) {
      *function = parser->symbols.items[i].name;
      return;
    }
}

/* Steps over a word; whether a statement may begin behind it. */
static bool pass_word(struct ppi_c_parser *parser) {
  const bool opens = ppi_c_is(parser, "{"), closes = ppi_c_is(parser, "}");
  const bool ends = ppi_c_is(parser, ";") || parser->at->kind == PPI_C_PRAGMA;
  if (opens)
    parser->block++;
  if (closes && parser->block > 0)
    ppi_c_close_block(parser);
  parser->at++;
  return opens || closes || ends;
}

/* Reads the declarations in front of the region. *function: the name of the function around it, or NULL. */
static enum perfpred_status read_declarations(struct ppi_c_parser *parser, const struct ppi_c_token *end,
                                              const struct ppi_c_token **function) {
  bool fresh = true; /* a statement may begin here */
  enum perfpred_status status = PERFPRED_OK;
  while (parser->at < end && !status) {
    if (parser->symbols.count > SYMBOLS_MAX)
      return ppi_c_error(parser->error, &parser->tokens, parser->at, PERFPRED_LIMIT,
                         "expected at most %d declarations in front of a region", SYMBOLS_MAX);
    if (fresh && starts_declaration(parser, parser->at)) {
      status = try_declaration(parser, end);
      fresh = ppi_c_token_is(parser->at - 1, ";");
      if (parser->block == 0 && ppi_c_is(parser, "{"))
        note_function(parser, function);
      continue;
    }
    fresh = pass_word(parser);
  }
  if (parser->block == 0)
    *function = NULL;
  return status;
}

static const char *type_of(const struct ppi_c_symbol *array) {
  if (array->floating && array->complex)
    return array->element_bytes == 16 ? "cdouble" : array->element_bytes == 8 ? "cfloat" : NULL;
  if (array->floating)
    return array->element_bytes == 8 ? "double" : array->element_bytes == 4 ? "float" : NULL;
  return array->element_bytes == 4 ? "integer" : NULL;
}

static enum perfpred_status write_array(struct ppi_region *region, size_t place, struct ppi_text *text) {
  const struct ppi_c_symbol array = region->names[place].array; /* extents may add names, which moves them */
  const char *type = type_of(&array);
  if (type)
    ppi_text_printf(text, "  %s", type);
  else
    ppi_text_printf(text, "  bytes(%d)", array.element_bytes);
  ppi_text_printf(text, " row-major %s", region->names[place].text);
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < array.dimensions && !status; i++) {
    ppi_text_append(text, i > 0 ? ", " : "[");
    if (array.extents[i])
      status = ppi_region_index(region, array.extents[i], text);
    else
      ppi_text_printf(text, "%d", OPEN_EXTENT);
  }
  ppi_text_append(text, "]\n");
  return status;
}

static bool is_kept(char c, bool inside) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (inside && c >= '0' && c <= '9');
}

static void append_name(struct ppi_text *text, const char *name, size_t length) {
  char kept[PPI_NAME_MAX];
  size_t used = 0;
  for (size_t i = 0; i < length && used < sizeof kept - 1; i++) {
    if (name[i] == '.')
      break;
    if (is_kept(name[i], used > 0))
      kept[used++] = name[i];
  }
  ppi_text_append_n(text, used > 0 ? kept : "nest", used > 0 ? used : 4);
}

static void write_name(const char *name, const struct ppi_c_token *function, const char *source,
                       struct ppi_text *text) {
  const char *slash = strrchr(source, '/');
  const char *file = slash ? slash + 1 : source;
  if (name)
    append_name(text, name, strlen(name));
  else if (function)
    append_name(text, function->text, (size_t)function->length);
  else
    append_name(text, file, strlen(file));
}

/* The whole text: extents first, as they may have sizes that no bound has. */
static enum perfpred_status write_nest(struct ppi_region *region, const char *name, const struct ppi_c_token *function,
                                       const char *source, struct ppi_text *text) {
  struct ppi_text arrays = PPI_TEXT_INIT;
  const char *before = "";
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < region->name_count && !status; i++)
    if (region->names[i].sort == PPI_REGION_ARRAY)
      status = write_array(region, i, &arrays);
  ppi_text_append(text, "perfpred-text 1\nnest ");
  write_name(name, function, source, text);
  ppi_text_append(text, "(");
  for (size_t i = 0; i < region->name_count; i++)
    if (region->names[i].sort == PPI_REGION_PARAMETER) {
      ppi_text_printf(text, "%s%s", before, region->names[i].text);
      before = ", ";
    }
  ppi_text_append(text, ")\n");
  if (arrays.data)
    ppi_text_append_n(text, arrays.data, arrays.length);
  if (region->body.data)
    ppi_text_append_n(text, region->body.data, region->body.length);
  ppi_text_append(text, "end\n");
  text->failed = text->failed || arrays.failed || region->body.failed || region->line.failed;
  ppi_text_free(&arrays);
  return status;
}

/* Lines and statements of the C source, in the order in which they were written. */
static void restore_origins(struct ppi_node *node, const struct ppi_region *region, size_t *block) {
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_ACCESS) {
      const struct ppi_region_origin *origin = &region->accesses.items[node->statement];
      node->line = origin->line;
      node->statement = origin->statement;
      continue;
    }
    node->line = region->blocks.items[(*block)++].line;
    restore_origins(node->body, region, block);
    restore_origins(node->otherwise, region, block);
  }
}

/* Statements without accesses have no number. */
static int number_statements(struct ppi_region *region) {
  int last = -1, count = 0;
  for (size_t i = 0; i < region->accesses.count; i++) {
    struct ppi_region_origin *origin = &region->accesses.items[i];
    count += origin->statement != last ? 1 : 0;
    last = origin->statement;
    origin->statement = count - 1;
  }
  return count;
}

static enum perfpred_status read_text(const struct perfpred_context *context, struct ppi_region *region,
                                      struct ppi_text *text, const char *source, struct perfpred_program **program) {
  struct perfpred_error inner;
  struct perfpred_program *made = NULL;
  size_t block = 0;
  if (text->failed || !text->data)
    return ppi_error_memory(region->parser->error);
  enum perfpred_status status = perfpred_program_parse(context, text->data, text->length, "nest", &made, &inner);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(region->parser->error);
  if (status)
    return ppi_error_set(region->parser->error, status == PERFPRED_SYNTAX ? PERFPRED_LIMIT : status,
                         "%s: the region is beyond a nest: %s", source, inner.text);
  made->statement_count = number_statements(region);
  restore_origins(made->body, region, &block);
  *program = made;
  return PERFPRED_OK;
}

static enum perfpred_status read_region(const struct perfpred_context *context, struct ppi_c_parser *parser,
                                        const struct places *places, const char *source, const char *name,
                                        struct perfpred_program **program) {
  struct ppi_region region = { .parser = parser };
  struct ppi_text text = PPI_TEXT_INIT;
  const struct ppi_c_token *function = NULL;
  enum perfpred_status status = read_declarations(parser, places->begin, &function);
  parser->at = places->begin + 1;
  parser->region = true;
  if (!status)
    status = ppi_region_note_varying(&region);
  while (!status && parser->at != places->end)
    status = ppi_c_is(parser, "}") ? misplaced(parser, parser->at, "found '}': the region ends inside a block")
                                   : ppi_region_statement(&region);
  if (!status)
    status = write_nest(&region, name, function, source, &text);
  if (!status)
    status = read_text(context, &region, &text, source, program);
  ppi_text_free(&text);
  ppi_region_free(&region);
  return status;
}

enum perfpred_status ppi_source_nest(const struct perfpred_context *context, const char *text, size_t length,
                                     const char *source, const char *name, size_t region,
                                     struct perfpred_program **program, struct perfpred_error *error) {
  struct ppi_c_parser parser = { .error = error };
  struct places places = { 0 };
  enum perfpred_status status = ppi_c_tokens_read(text, length, source, &parser.tokens, error);
  if (status)
    return status;
  parser.at = parser.tokens.items;
  status = find_region(&parser, source, region, &places);
  if (!status)
    status = read_region(context, &parser, &places, source, name, program);
  ppi_c_symbols_free(&parser.symbols);
  ppi_c_arena_free(&parser.arena);
  ppi_c_tokens_free(&parser.tokens);
  return status;
}
