/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of a program: parameters, loops, lets, buffers. */
#include <string.h>

#include "program/parse.h"

static const char *const reserved[] = {
  "for",  "in",        "by",    "as",     "down",  "short",  "if",       "else",    "end",   "let", "call",
  "row",  "read",      "write", "update", "min",   "max",    "floordiv", "ceildiv", "inout", "out", "work",
  "cost", "operation", "about", "double", "float", "cfloat", "cdouble",  "integer", "mul",   "add",
};

bool ppi_word_is_reserved(const char *word) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (!strcmp(word, reserved[i]))
      return true;
  return false;
}

void ppi_parser_init(struct ppi_parser *parser, const struct ppi_kernels *kernels, const struct ppi_programs *programs,
                     const struct ppi_names *pending, struct perfpred_program *program) {
  memset(parser, 0, sizeof *parser);
  parser->kernels = kernels;
  parser->programs = programs;
  parser->pending = pending;
  parser->program = program;
  parser->tail = &program->body;
}

/* Refreshes the names as well: growing the program's slots may have moved them. */
void ppi_parser_see(struct ppi_parser *parser, uint64_t visible) {
  parser->visible = visible;
  for (int i = 0; i < parser->program->slot_count; i++)
    parser->names[i] = visible >> i & 1 ? parser->program->slots[i] : "";
}

struct ppi_scope ppi_parser_scope(const struct ppi_parser *parser) {
  return (struct ppi_scope){ parser->names, (size_t)parser->program->slot_count, NULL };
}

enum perfpred_status ppi_parse_expr(struct ppi_parser *parser, struct ppi_expr **expr) {
  const struct ppi_scope scope = ppi_parser_scope(parser);
  return ppi_expr_parse(&parser->scanner, &scope, expr);
}

int ppi_parser_buffer(const struct ppi_parser *parser, const char *name) {
  for (int i = 0; i < parser->program->buffer_count; i++)
    if (!strcmp(parser->program->buffers[i].name, name))
      return i;
  return -1;
}

/* A name for a parameter, loop, let or buffer. Names hide nothing: a reader never has to ask which `r` is meant. */
enum perfpred_status ppi_parse_new_name(struct ppi_parser *parser, const char *what, char name[PPI_NAME_MAX]) {
  struct ppi_scanner *scanner = &parser->scanner;
  if (scanner->token.kind == PPI_TOKEN_NAME) {
    const char *word = scanner->token.text;
    if (ppi_word_is_reserved(word))
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected %s, found the reserved word %s", what, word);
    bool taken = ppi_parser_buffer(parser, word) >= 0;
    for (int i = 0; i < parser->program->slot_count; i++)
      taken = taken || !strcmp(parser->names[i], word);
    if (taken)
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected a new name for %s, but %s is already defined here",
                            what, word);
  }
  return ppi_scan_name(scanner, name, what);
}

enum perfpred_status ppi_parser_define(struct ppi_parser *parser, const char *name, int *slot) {
  struct perfpred_program *program = parser->program;
  int place = 0;
  while (place < program->slot_count && strcmp(program->slots[place], name) != 0)
    place++;
  if (place == PPI_SLOT_MAX)
    return ppi_scan_error(&parser->scanner, PERFPRED_LIMIT,
                          "expected at most %d names of parameters, loops and lets, and %s is one more", PPI_SLOT_MAX,
                          name);
  if (place == program->slot_count) {
    if (!ppi_program_grow_slots(program))
      return ppi_error_memory(parser->scanner.error);
    strcpy(program->slots[program->slot_count++], name);
  }
  ppi_parser_see(parser, parser->visible | UINT64_C(1) << place);
  *slot = place;
  return PERFPRED_OK;
}

/* [= VALUE], the default of the last parameter */
static enum perfpred_status parse_default(struct ppi_parser *parser, int slot) {
  struct ppi_scanner *scanner = &parser->scanner;
  const int least = parser->program->positive[slot] ? 1 : 0;
  parser->program->defaults[slot] = -1;
  if (!ppi_scan_accept(scanner, "="))
    return PERFPRED_OK;
  if (scanner->token.kind != PPI_TOKEN_INTEGER || scanner->token.integer < least)
    return ppi_scan_expected(scanner, least ? "an integer of at least 1" : "an integer of at least 0");
  parser->program->defaults[slot] = scanner->token.integer;
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

enum perfpred_status ppi_parse_parameter(struct ppi_parser *parser) {
  char name[PPI_NAME_MAX];
  int slot = 0;
  struct perfpred_program *program = parser->program;
  if (program->parameter_count == PPI_PARAMETER_MAX)
    return ppi_scan_error(&parser->scanner, PERFPRED_LIMIT, "expected at most %d parameters", PPI_PARAMETER_MAX);
  enum perfpred_status status = ppi_parse_new_name(parser, "the name of a parameter", name);
  if (!status)
    status = ppi_parser_define(parser, name, &slot);
  if (!status) {
    program->positive[slot] = !strcmp(name, "b") || !strcmp(name, "bm") || !strcmp(name, "bn");
    program->parameter_count++;
    status = parse_default(parser, slot);
  }
  return status;
}
