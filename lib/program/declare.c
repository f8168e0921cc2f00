/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations: operation, about, cost, buffers of algorithms and arrays of nests. */
#include <assert.h>
#include <string.h>

#include "program/parse.h"

struct word {
  const char *word;
  int value;
};

static const struct word types[] = {
  { "float", PPI_TYPE_S },   { "double", PPI_TYPE_D },    { "cfloat", PPI_TYPE_C },
  { "cdouble", PPI_TYPE_Z }, { "integer", PPI_TYPE_INT }, { NULL, 0 },
};
static const struct word properties[] = {
  { "general", PPI_GENERAL },
  { "spd", PPI_SPD },
  { "triangular", PPI_TRIANGULAR },
  { "pivots", PPI_PIVOTS },
  { "identity", PPI_IDENTITY },
  { "zero", PPI_ZERO },
  { NULL, 0 },
};
static const struct word shapes[] = {
  { "matrix", PPI_SHAPE_MATRIX },
  { "triangle", PPI_SHAPE_TRIANGLE },
  { "vector", PPI_SHAPE_VECTOR },
  { NULL, 0 },
};
static const struct word directions[] = {
  { "in", PPI_IN }, { "out", PPI_OUT }, { "inout", PPI_INOUT }, { "work", 0 }, { NULL, 0 },
};

/* The entry of the table that the present token is, or NULL. */
static const struct word *present(const struct ppi_scanner *scanner, const struct word *table) {
  for (; table->word; table++)
    if (scanner->token.kind == PPI_TOKEN_NAME && ppi_scan_is(scanner, table->word))
      return table;
  return NULL;
}

static bool accept(struct ppi_scanner *scanner, const struct word *table, int *value) {
  const struct word *entry = present(scanner, table);
  if (entry) {
    *value = entry->value;
    ppi_scan_next(scanner);
  }
  return entry;
}

/* (L) or (U) */
static enum perfpred_status parse_uplo(struct ppi_scanner *scanner, char *uplo) {
  enum perfpred_status status = ppi_scan_expect(scanner, "(");
  if (status)
    return status;
  if (!ppi_scan_is(scanner, "L") && !ppi_scan_is(scanner, "U"))
    return ppi_scan_expected(scanner, "L or U");
  *uplo = scanner->token.text[0];
  ppi_scan_next(scanner);
  return ppi_scan_expect(scanner, ")");
}

/* matrix[r, c], triangle(L)[n], vector[n] */
static enum perfpred_status parse_shape(struct ppi_parser *parser, struct ppi_buffer *buffer) {
  struct ppi_scanner *scanner = &parser->scanner;
  int shape = 0;
  if (!accept(scanner, shapes, &shape))
    return ppi_scan_expected(scanner, "matrix[...], triangle(...)[...] or vector[...]");
  buffer->shape = (enum ppi_shape)shape;
  enum perfpred_status status = PERFPRED_OK;
  if (buffer->shape == PPI_SHAPE_TRIANGLE)
    status = parse_uplo(scanner, &buffer->uplo);
  if (!status)
    status = ppi_scan_expect(scanner, "[");
  if (!status)
    status = ppi_parse_expr(parser, &buffer->rows);
  if (!status && buffer->shape == PPI_SHAPE_MATRIX) {
    status = ppi_scan_expect(scanner, ",");
    if (!status)
      status = ppi_parse_expr(parser, &buffer->columns);
  }
  return status ? status : ppi_scan_expect(scanner, "]");
}

static enum perfpred_status new_buffer(struct ppi_parser *parser, const char *what, struct ppi_buffer **buffer) {
  struct perfpred_program *program = parser->program;
  char name[PPI_NAME_MAX];
  if (program->buffer_count == PPI_BUFFER_MAX)
    return ppi_scan_error(&parser->scanner, PERFPRED_LIMIT, "expected at most %d buffers", PPI_BUFFER_MAX);
  enum perfpred_status status = ppi_parse_new_name(parser, what, name);
  if (status)
    return status;
  if (!ppi_program_grow_buffers(program))
    return ppi_error_memory(parser->scanner.error);
  *buffer = &program->buffers[program->buffer_count++];
  strcpy((*buffer)->name, name);
  return PERFPRED_OK;
}

/* Type and property stand in either order. *stated: there is a property. */
static enum perfpred_status parse_type(struct ppi_scanner *scanner, struct ppi_buffer *buffer, bool *stated) {
  int type = 0, property = PPI_GENERAL;
  *stated = accept(scanner, properties, &property);
  if (!accept(scanner, types, &type))
    return ppi_scan_expected(scanner, "float, double, cfloat, cdouble or integer");
  *stated = *stated || accept(scanner, properties, &property);
  buffer->type = (enum ppi_type)type;
  buffer->property = (enum ppi_property)property;
  if (*stated && buffer->work)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "a work buffer has no property, its contents are undefined");
  return PERFPRED_OK;
}

/* in|out|inout|work NAME: TYPE [PROPERTY] SHAPE */
static enum perfpred_status parse_buffer(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  struct ppi_buffer *buffer = NULL;
  int direction = 0;
  bool stated = false;
  accept(scanner, directions, &direction);
  enum perfpred_status status = new_buffer(parser, "the name of a buffer", &buffer);
  if (status)
    return status;
  assert(buffer);
  buffer->work = direction == 0;
  buffer->direction = (enum ppi_direction)direction;
  status = ppi_scan_expect(scanner, ":");
  if (!status)
    status = parse_type(scanner, buffer, &stated);
  if (!status)
    status = parse_shape(parser, buffer);
  if (!buffer->work && buffer->shape == PPI_SHAPE_TRIANGLE && !stated)
    buffer->property = PPI_TRIANGULAR;
  return status;
}

/* NAME[extent, ...]. like: what the arrays of one line have in common. */
static enum perfpred_status parse_array(struct ppi_parser *parser, const struct ppi_buffer *like) {
  struct ppi_scanner *scanner = &parser->scanner;
  struct ppi_buffer *buffer = NULL;
  enum perfpred_status status = new_buffer(parser, "the name of an array", &buffer);
  if (status)
    return status;
  assert(buffer);
  buffer->type = like->type;
  buffer->element_bytes = like->element_bytes;
  buffer->row_major = like->row_major;
  buffer->shape = PPI_SHAPE_MATRIX;
  status = ppi_scan_expect(scanner, "[");
  while (!status) {
    if (buffer->dimensions == 8)
      return ppi_scan_error(scanner, PERFPRED_LIMIT, "expected at most 8 subscripts");
    status = ppi_parse_expr(parser, &buffer->extent[buffer->dimensions++]);
    if (status || !ppi_scan_accept(scanner, ","))
      break;
  }
  return status ? status : ppi_scan_expect(scanner, "]");
}

/* TYPE or bytes(N), for elements of other types */
static enum perfpred_status parse_element(struct ppi_scanner *scanner, struct ppi_buffer *like) {
  int type = PPI_TYPE_INT;
  const bool known = accept(scanner, types, &type);
  like->type = (enum ppi_type)type;
  if (known)
    return PERFPRED_OK;
  enum perfpred_status status = ppi_scan_expect(scanner, "bytes");
  if (!status)
    status = ppi_scan_expect(scanner, "(");
  if (status)
    return status;
  if (scanner->token.kind != PPI_TOKEN_INTEGER || scanner->token.integer < 1 ||
      scanner->token.integer > PPI_ELEMENT_BYTES_MAX)
    return ppi_scan_expected(scanner, "the bytes of an element, at least 1 and at most 4096");
  like->element_bytes = (int)scanner->token.integer;
  ppi_scan_next(scanner);
  return ppi_scan_expect(scanner, ")");
}

/* [row-major|column-major] */
static enum perfpred_status parse_order(struct ppi_scanner *scanner, struct ppi_buffer *like) {
  like->row_major = !ppi_scan_is(scanner, "column");
  if (!ppi_scan_is(scanner, "row") && !ppi_scan_is(scanner, "column"))
    return PERFPRED_OK;
  ppi_scan_next(scanner);
  enum perfpred_status status = ppi_scan_expect(scanner, "-");
  return status ? status : ppi_scan_expect(scanner, "major");
}

/* TYPE|bytes(N) [row-major|column-major] NAME[extent, ...], ... */
static enum perfpred_status parse_arrays(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  struct ppi_buffer like = { .row_major = true };
  enum perfpred_status status = parse_element(scanner, &like);
  if (!status)
    status = parse_order(scanner, &like);
  if (status)
    return status;
  parser->program->nest = true; /* built programs show by this line what they are */
  do
    status = parse_array(parser, &like);
  while (!status && ppi_scan_accept(scanner, ","));
  return status;
}

/* cost EXPR, cost mul EXPR add EXPR */
static enum perfpred_status parse_cost(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  struct perfpred_program *program = parser->program;
  if (program->cost_multiplications)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "the cost is already stated");
  ppi_scan_next(scanner);
  if (!ppi_scan_accept(scanner, "mul"))
    return ppi_parse_expr(parser, &program->cost_multiplications);
  enum perfpred_status status = ppi_parse_expr(parser, &program->cost_multiplications);
  if (!status)
    status = ppi_scan_expect(scanner, "add");
  return status ? status : ppi_parse_expr(parser, &program->cost_additions);
}

static enum perfpred_status parse_operation(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  if (parser->program->operation[0])
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "the operation is already stated");
  ppi_scan_next(scanner);
  return ppi_scan_hyphenated(scanner, parser->program->operation, "the name of an operation");
}

static enum perfpred_status parse_about(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  if (parser->program->about[0])
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "what it is about is already stated");
  ppi_scan_next(scanner);
  return ppi_scan_rest(scanner, parser->program->about, sizeof parser->program->about);
}

typedef enum perfpred_status parse_fn(struct ppi_parser *);

/* What parses the declaration that begins here; NULL: it is none. */
static parse_fn *find_parser(const struct ppi_scanner *scanner) {
  if (ppi_scan_is(scanner, "operation"))
    return parse_operation;
  if (ppi_scan_is(scanner, "about"))
    return parse_about;
  if (ppi_scan_is(scanner, "cost"))
    return parse_cost;
  if (present(scanner, directions))
    return parse_buffer;
  return present(scanner, types) || ppi_scan_is(scanner, "bytes") ? parse_arrays : NULL;
}

/* Buffers are declared all in the one way or all in the other. */
static bool is_mixed(const struct ppi_parser *parser, parse_fn *parse) {
  const bool is_first = !parser->stated && parser->program->buffer_count == 0;
  if (is_first || (parse != parse_arrays && parse != parse_buffer))
    return false;
  return (parse == parse_arrays) != parser->program->nest;
}

enum perfpred_status ppi_parse_declaration(struct ppi_parser *parser, bool *known) {
  const struct ppi_scanner *scanner = &parser->scanner;
  parse_fn *const parse = find_parser(scanner);
  *known = parse != NULL;
  if (!parse)
    return PERFPRED_OK;
  if (parser->body)
    return ppi_scan_error(&parser->scanner, PERFPRED_SYNTAX, "expected %s before the first statement",
                          scanner->token.text);
  if (is_mixed(parser, parse))
    return ppi_scan_error(&parser->scanner, PERFPRED_SYNTAX, "%s",
                          parse == parse_arrays ? "an algorithm declares 'in|out|inout|work NAME: TYPE SHAPE'"
                                                : "a nest declares 'TYPE NAME[extent, ...]'");
  return parse(parser);
}
