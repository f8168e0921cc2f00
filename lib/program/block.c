/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements: loops, conditions, lets, and how they nest. */
#include <stdlib.h>
#include <string.h>

#include "program/parse.h"

struct ppi_node *ppi_parser_node(struct ppi_parser *parser, enum ppi_node_kind kind) {
  struct ppi_node *node = calloc(1, sizeof *node);
  if (!node) {
    ppi_error_memory(parser->scanner.error);
    return NULL;
  }
  node->kind = kind;
  node->line = parser->scanner.token.line;
  node->site = -1;
  node->slot = node->width_slot = -1;
  node->buffer = -1;
  *parser->tail = node;
  parser->tail = &node->next;
  parser->body = true;
  return node;
}

/* Makes node, the last statement, the block that the next ones belong to. */
static enum perfpred_status open(struct ppi_parser *parser, struct ppi_node *node, uint64_t visible) {
  if (parser->depth == PPI_BLOCK_MAX)
    return ppi_scan_error(&parser->scanner, PERFPRED_LIMIT, "expected at most %d blocks inside each other",
                          PPI_BLOCK_MAX);
  parser->blocks[parser->depth++] = (struct ppi_block){ node, visible };
  parser->tail = &node->body;
  return PERFPRED_OK;
}

enum perfpred_status ppi_parser_close(struct ppi_parser *parser) {
  if (parser->depth == 0)
    return ppi_scan_error(&parser->scanner, PERFPRED_SYNTAX, "found end, but no loop or condition is open");
  const struct ppi_block *block = &parser->blocks[--parser->depth];
  parser->tail = &block->node->next;
  ppi_parser_see(parser, block->visible);
  return PERFPRED_OK;
}

/* A parameter that is a loop's step must not be 0: known before anything runs. */
static void note_step(struct ppi_parser *parser, const struct ppi_expr *step) {
  int64_t coefficients[PPI_SLOT_MAX], constant = 0, sum = 0;
  const int count = parser->program->slot_count;
  if (!ppi_expr_affine(step, (size_t)count, coefficients, &constant) || constant != 0)
    return;
  int place = -1;
  for (int i = 0; i < count; i++)
    if (coefficients[i] != 0) {
      sum += coefficients[i] == 1 ? 1 : 2;
      place = i;
    }
  if (sum == 1 && place < parser->program->parameter_count)
    parser->program->positive[place] = true;
}

/* [short first|short last] */
static enum perfpred_status parse_short(struct ppi_parser *parser, struct ppi_node *node) {
  struct ppi_scanner *scanner = &parser->scanner;
  node->short_first = node->down;
  if (!ppi_scan_accept(scanner, "short"))
    return PERFPRED_OK;
  if (!ppi_scan_is(scanner, "first") && !ppi_scan_is(scanner, "last"))
    return ppi_scan_expected(scanner, "first or last after short");
  node->short_first = ppi_scan_is(scanner, "first");
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

/* LO:HI [down] [by STEP] */
static enum perfpred_status parse_range(struct ppi_parser *parser, struct ppi_node *node) {
  struct ppi_scanner *scanner = &parser->scanner;
  enum perfpred_status status = ppi_parse_expr(parser, &node->lower);
  if (!status)
    status = ppi_scan_expect(scanner, ":");
  if (!status)
    status = ppi_parse_expr(parser, &node->upper);
  if (status)
    return status;
  node->down = ppi_scan_accept(scanner, "down");
  if (!ppi_scan_accept(scanner, "by"))
    return ppi_expr_constant(1, &node->step, scanner->error);
  status = ppi_parse_expr(parser, &node->step);
  if (!status)
    note_step(parser, node->step);
  return status;
}

enum perfpred_status ppi_parse_loop(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  const uint64_t visible = parser->visible;
  char name[PPI_NAME_MAX], width[PPI_NAME_MAX] = "";
  struct ppi_node *node = ppi_parser_node(parser, PPI_NODE_FOR);
  if (!node)
    return PERFPRED_NO_MEMORY;
  enum perfpred_status status = ppi_parse_new_name(parser, "the name of a loop", name);
  if (!status)
    status = ppi_scan_expect(scanner, "in");
  if (!status)
    status = parse_range(parser, node);
  if (!status)
    status = ppi_parser_define(parser, name, &node->slot);
  if (!status && ppi_scan_accept(scanner, "as")) {
    status = ppi_parse_new_name(parser, "the name of a width", width);
    if (!status)
      status = ppi_parser_define(parser, width, &node->width_slot);
  }
  if (!status)
    status = parse_short(parser, node);
  return status ? status : open(parser, node, visible);
}

static enum perfpred_status parse_if(struct ppi_parser *parser) {
  struct ppi_node *node = ppi_parser_node(parser, PPI_NODE_IF);
  if (!node)
    return PERFPRED_NO_MEMORY;
  ppi_scan_next(&parser->scanner);
  enum perfpred_status status = ppi_parse_expr(parser, &node->value);
  return status ? status : open(parser, node, parser->visible);
}

static enum perfpred_status parse_else(struct ppi_parser *parser) {
  struct ppi_block *block = parser->depth > 0 ? &parser->blocks[parser->depth - 1] : NULL;
  if (!block || block->node->kind != PPI_NODE_IF || parser->tail == &block->node->otherwise || block->node->otherwise)
    return ppi_scan_error(&parser->scanner, PERFPRED_SYNTAX, "found else, but no if without one is open");
  ppi_scan_next(&parser->scanner);
  parser->tail = &block->node->otherwise;
  ppi_parser_see(parser, block->visible);
  return PERFPRED_OK;
}

static enum perfpred_status parse_let(struct ppi_parser *parser) {
  char name[PPI_NAME_MAX];
  struct ppi_node *node = ppi_parser_node(parser, PPI_NODE_LET);
  if (!node)
    return PERFPRED_NO_MEMORY;
  ppi_scan_next(&parser->scanner);
  enum perfpred_status status = ppi_parse_new_name(parser, "the name of a let", name);
  if (!status)
    status = ppi_scan_expect(&parser->scanner, "=");
  if (!status)
    status = ppi_parse_expr(parser, &node->value);
  if (!status)
    status = ppi_parser_define(parser, name, &node->slot);
  return status;
}

enum perfpred_status ppi_parse_statement(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  if (ppi_scan_accept(scanner, "for"))
    return ppi_parse_loop(parser);
  if (ppi_scan_is(scanner, "if"))
    return parse_if(parser);
  if (ppi_scan_is(scanner, "else"))
    return parse_else(parser);
  if (ppi_scan_is(scanner, "let"))
    return parse_let(parser);
  if (ppi_scan_is(scanner, "read") || ppi_scan_is(scanner, "write") || ppi_scan_is(scanner, "update") ||
      (parser->program->nest && ppi_scan_is(scanner, "may")))
    return ppi_parse_access(parser);
  if (scanner->token.kind != PPI_TOKEN_NAME)
    return ppi_scan_expected(scanner, parser->program->nest ? "a loop, an access or end" : "a statement or end");
  return ppi_parse_call(parser);
}
