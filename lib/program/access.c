/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of nests: `read C[i, j], A[i, k]; write C[i, j]`. A line is a statement; `may` before it says that it depends on data. */
#include <string.h>

#include "program/parse.h"

static enum perfpred_status parse_subscripts(struct ppi_parser *parser, struct ppi_node *node,
                                             const struct ppi_buffer *buffer) {
  struct ppi_scanner *scanner = &parser->scanner;
  enum perfpred_status status = ppi_scan_expect(scanner, "[");
  for (int i = 0; i < buffer->dimensions && !status; i++) {
    if (i > 0 && !ppi_scan_accept(scanner, ","))
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected %d subscripts of %s, found %d", buffer->dimensions,
                            buffer->name, i);
    status = ppi_parse_expr(parser, &node->subscripts[i]);
  }
  return status ? status : ppi_scan_expect(scanner, "]");
}

static enum perfpred_status parse_one(struct ppi_parser *parser, enum ppi_direction access, bool may) {
  struct ppi_scanner *scanner = &parser->scanner;
  if (scanner->token.kind != PPI_TOKEN_NAME)
    return ppi_scan_expected(scanner, "the name of an array");
  const int place = ppi_parser_buffer(parser, scanner->token.text);
  if (place < 0)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "no array is called %s", scanner->token.text);
  struct ppi_node *node = ppi_parser_node(parser, PPI_NODE_ACCESS);
  if (!node)
    return PERFPRED_NO_MEMORY;
  struct ppi_buffer *buffer = &parser->program->buffers[place];
  node->access = access;
  node->buffer = place;
  node->site = parser->program->site_count++;
  node->statement = parser->program->statement_count;
  node->may = may;
  buffer->direction = (enum ppi_direction)(buffer->direction | access);
  ppi_scan_next(scanner);
  return parse_subscripts(parser, node, buffer);
}

enum perfpred_status ppi_parse_access(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  if (!parser->program->nest)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected a call: %s belongs into a nest", scanner->token.text);
  const bool may = ppi_scan_accept(scanner, "may");
  enum perfpred_status status;
  do {
    enum ppi_direction access = PPI_INOUT;
    if (ppi_scan_is(scanner, "read"))
      access = PPI_IN;
    else if (ppi_scan_is(scanner, "write"))
      access = PPI_OUT;
    else if (!ppi_scan_is(scanner, "update"))
      return ppi_scan_expected(scanner, "read, write or update");
    ppi_scan_next(scanner);
    do
      status = parse_one(parser, access, may);
    while (!status && ppi_scan_accept(scanner, ","));
  } while (!status && ppi_scan_accept(scanner, ";"));
  parser->program->statement_count++;
  return status;
}
