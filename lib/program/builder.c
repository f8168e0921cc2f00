/* SPDX-License-Identifier: BSD-3-Clause */
/* Building a program without text: every call is read by the parser as one line, so the two cannot differ. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "program/parse.h"

struct perfpred_builder {
  struct ppi_unit *unit;
  struct ppi_parser parser;
  int line;                    /* number of the statement, in place of a line of text */
  bool begun;                  /* something other than parameters has been added */
  struct perfpred_error error; /* the first one */
};

typedef enum perfpred_status read_fn(struct ppi_parser *parser);

static enum perfpred_status give(const struct perfpred_builder *builder, struct perfpred_error *error) {
  if (builder->error.status && error)
    *error = builder->error;
  return builder->error.status;
}

/* Reads one line with `read`. */
static enum perfpred_status add(struct perfpred_builder *builder, const char *line, const char *argument, read_fn *read,
                                struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!builder)
    return ppi_error_set(error, PERFPRED_INVALID, "builder is NULL");
  if (builder->error.status)
    return give(builder, error);
  if (!line) {
    ppi_error_set(&builder->error, PERFPRED_INVALID, "%s is NULL", argument);
    return give(builder, error);
  }
  struct ppi_scanner *scanner = &builder->parser.scanner;
  ppi_scan_init(scanner, line, strlen(line), "builder", &builder->error);
  builder->line++;
  scanner->line += builder->line - 1;
  scanner->token.line += builder->line - 1;
  enum perfpred_status status = read(&builder->parser);
  if (!status)
    status = ppi_scan_line(scanner);
  if (!status && scanner->token.kind != PPI_TOKEN_END)
    status = ppi_scan_expected(scanner, "the end of the statement");
  builder->begun = builder->begun || read != ppi_parse_parameter;
  assert(status == builder->error.status);
  return give(builder, error);
}

static enum perfpred_status set_name(struct perfpred_builder *builder, const char *name) {
  struct ppi_scanner scanner;
  char read[PPI_NAME_MAX];
  ppi_scan_init(&scanner, name, strlen(name), "name", &builder->error);
  enum perfpred_status status = ppi_scan_hyphenated(&scanner, read, "the name of a program");
  if (!status && (scanner.token.kind != PPI_TOKEN_END || strcmp(read, name) != 0))
    status = ppi_scan_expected(&scanner, "nothing behind the name of a program");
  if (status)
    return status;
  struct perfpred_program *program = ppi_unit_add(builder->unit, name);
  if (!program)
    return ppi_error_memory(&builder->error);
  builder->parser.program = program;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_builder_create(const struct perfpred_context *context, const char *name,
                                             struct perfpred_builder **builder, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !name || !builder)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !name ? "name" : "builder");
  struct perfpred_builder *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->unit = ppi_unit_create();
  enum perfpred_status status = made->unit ? set_name(made, name) : ppi_error_memory(&made->error);
  if (status) {
    give(made, error);
    perfpred_builder_destroy(made);
    return status;
  }
  ppi_parser_init(&made->parser, context->kernels, context->programs, NULL, made->parser.program);
  *builder = made;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_builder_parameter(struct perfpred_builder *builder, const char *name,
                                                struct perfpred_error *error) {
  if (builder && builder->begun && !builder->error.status)
    ppi_error_set(&builder->error, PERFPRED_INVALID,
                  "parameter %.64s comes too late, expected all of them at the start", name ? name : "NULL");
  return add(builder, name, "name", ppi_parse_parameter, error);
}

static enum perfpred_status read_buffer(struct ppi_parser *parser) {
  bool known = false;
  enum perfpred_status status = ppi_parse_declaration(parser, &known);
  return status || known ? status : ppi_scan_expected(&parser->scanner, "in, out, inout, work or a type");
}

enum perfpred_status perfpred_builder_buffer(struct perfpred_builder *builder, const char *declaration,
                                             struct perfpred_error *error) {
  return add(builder, declaration, "declaration", read_buffer, error);
}

enum perfpred_status perfpred_builder_loop(struct perfpred_builder *builder, const char *header,
                                           struct perfpred_error *error) {
  return add(builder, header, "header", ppi_parse_loop, error);
}

enum perfpred_status perfpred_builder_call(struct perfpred_builder *builder, const char *call,
                                           struct perfpred_error *error) {
  return add(builder, call, "call", ppi_parse_call, error);
}

static enum perfpred_status read_end(struct ppi_parser *parser) {
  enum perfpred_status status = ppi_parser_close(parser);
  if (!status)
    ppi_scan_next(&parser->scanner);
  return status;
}

static enum perfpred_status read_statement(struct ppi_parser *parser) {
  bool known = false;
  if (ppi_scan_is(&parser->scanner, "end"))
    return read_end(parser);
  enum perfpred_status status = ppi_parse_declaration(parser, &known);
  return status || known ? status : ppi_parse_statement(parser);
}

enum perfpred_status perfpred_builder_statement(struct perfpred_builder *builder, const char *statement,
                                                struct perfpred_error *error) {
  return add(builder, statement, "statement", read_statement, error);
}

enum perfpred_status perfpred_builder_end(struct perfpred_builder *builder, struct perfpred_error *error) {
  return add(builder, "end", "end", read_end, error);
}

enum perfpred_status perfpred_builder_finish(struct perfpred_builder *builder, struct perfpred_program **program,
                                             struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!builder)
    return ppi_error_set(error, PERFPRED_INVALID, "builder is NULL");
  if (!program)
    ppi_error_set(&builder->error, PERFPRED_INVALID, "program is NULL");
  const struct ppi_parser *parser = &builder->parser;
  if (!builder->error.status && parser->depth > 0)
    ppi_error_set(&builder->error, PERFPRED_INVALID,
                  "%d blocks of %s are still open, expected perfpred_builder_end for each (the innermost began with "
                  "statement %d)",
                  parser->depth, parser->program->name, parser->blocks[parser->depth - 1].node->line);
  enum perfpred_status status = give(builder, error);
  if (program && !status)
    *program = perfpred_program_ref(parser->program);
  perfpred_builder_destroy(builder);
  return status;
}

void perfpred_builder_destroy(struct perfpred_builder *builder) {
  if (!builder)
    return;
  ppi_unit_unref(builder->unit);
  free(builder);
}
