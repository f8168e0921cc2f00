/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of a region. */
#include <string.h>

#include "source/region.h"

static enum perfpred_status parse_if(struct ppi_region *region);

/* What has no place in an affine nest; NULL: none of that. */
static const char *stranger(const struct ppi_c_token *token) {
  static const char *const words[] = { "while",    "do",   "switch",  "goto", "return", "break",
                                       "continue", "case", "default", "asm",  "__asm__" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ppi_c_token_is(token, words[i]))
      return words[i];
  return NULL;
}

/* An expression of its own, or an initialiser. */
static enum perfpred_status do_statement(struct ppi_region *region, const struct ppi_c_expr *expr) {
  ppi_region_begin(region, expr->first->line);
  enum perfpred_status status = ppi_region_visit(region, expr);
  return status ? status : ppi_region_flush(region);
}

static enum perfpred_status parse_expression(struct ppi_region *region) {
  struct ppi_c_expr *expr = NULL;
  enum perfpred_status status = ppi_c_parse_expr(region->parser, &expr);
  if (!status)
    status = ppi_c_expect(region->parser, ";");
  return status ? status : do_statement(region, expr);
}

/* `int k = i + 1;` names a whole number, if it stays so. */
static enum perfpred_status write_let(struct ppi_region *region, const struct ppi_c_symbol *symbol,
                                      const struct ppi_c_expr *initial) {
  struct ppi_text text = PPI_TEXT_INIT, value = PPI_TEXT_INIT;
  struct ppi_region_name *name = NULL;
  const bool nonnegative = ppi_region_is_nonnegative(region, initial);
  enum perfpred_status status = ppi_region_index(region, initial, &value);
  if (!status)
    status = ppi_region_add_name(region, symbol->name, PPI_REGION_LET, &name);
  if (!status) {
    name->nonnegative = nonnegative;
    ppi_text_printf(&text, "let %s = %s", name->text, value.data ? value.data : "");
    text.failed = text.failed || value.failed;
    status = ppi_region_open(region, symbol->name->line, &text);
    region->level--;
  }
  ppi_text_free(&value);
  return status;
}

static enum perfpred_status on_declared(void *data, struct ppi_c_symbol *symbol, struct ppi_c_expr *initial) {
  struct ppi_region *region = data;
  if (!initial)
    return PERFPRED_OK;
  if (symbol->sort == PPI_C_SCALAR && symbol->integer && ppi_region_is_index(region, initial) &&
      !ppi_region_changes(region, symbol->name))
    return write_let(region, symbol, initial);
  enum perfpred_status status = ppi_region_add_varying(region, symbol->name);
  return status ? status : do_statement(region, initial);
}

/* What is declared in a block of C ends with it. */
static void hide(struct ppi_region *region, size_t from) {
  for (size_t i = from; i < region->name_count; i++)
    if (region->names[i].sort == PPI_REGION_LET || region->names[i].sort == PPI_REGION_COUNTER)
      region->names[i].visible = false;
}

static enum perfpred_status parse_block(struct ppi_region *region) {
  struct ppi_c_parser *parser = region->parser;
  const size_t names = region->name_count;
  enum perfpred_status status = PERFPRED_OK;
  parser->at++;
  parser->block++;
  while (!status && !ppi_c_is(parser, "}"))
    status = ppi_region_statement(region);
  if (!status)
    parser->at++;
  ppi_c_close_block(parser);
  hide(region, names);
  return status;
}

/* Both sides are taken: which one is, only the data tell. */
static enum perfpred_status do_data_if(struct ppi_region *region, const struct ppi_c_expr *condition) {
  enum perfpred_status status = do_statement(region, condition);
  region->may++;
  if (!status)
    status = ppi_region_statement(region);
  if (!status && ppi_c_accept(region->parser, "else"))
    status = ppi_region_statement(region);
  region->may--;
  return status;
}

static enum perfpred_status do_affine_if(struct ppi_region *region, const struct ppi_c_expr *condition) {
  struct ppi_text head = PPI_TEXT_INIT;
  ppi_text_append(&head, "if ");
  enum perfpred_status status = ppi_region_index(region, condition, &head);
  if (status) {
    ppi_text_free(&head);
    return status;
  }
  status = ppi_region_open(region, condition->first->line, &head);
  if (!status)
    status = ppi_region_statement(region);
  if (!status && ppi_c_accept(region->parser, "else")) {
    status = ppi_region_else(region);
    if (!status)
      status = ppi_region_statement(region);
  }
  return status ? status : ppi_region_close(region);
}

static enum perfpred_status parse_if(struct ppi_region *region) {
  struct ppi_c_parser *parser = region->parser;
  struct ppi_c_expr *condition = NULL;
  enum perfpred_status status = ppi_c_expect(parser, "(");
  if (!status)
    status = ppi_c_parse_expr(parser, &condition);
  if (!status)
    status = ppi_c_expect(parser, ")");
  if (status)
    return status;
  return ppi_region_is_index(region, condition) ? do_affine_if(region, condition) : do_data_if(region, condition);
}

static enum perfpred_status parse_pragma(struct ppi_region *region) {
  struct ppi_c_parser *parser = region->parser;
  if (ppi_c_is_pragma(parser->at, "endscop"))
    return ppi_c_expected(parser, "'}': the region ends inside a block or loop");
  if (ppi_c_is_pragma(parser->at, "scop"))
    return ppi_c_error(parser->error, &parser->tokens, parser->at, PERFPRED_SYNTAX,
                       "found #pragma scop inside a region, expected #pragma endscop first");
  parser->at++; /* of somebody else */
  return ppi_region_statement(region);
}

static enum perfpred_status parse_statement(struct ppi_region *region) {
  struct ppi_c_parser *parser = region->parser;
  const struct ppi_c_token *at = parser->at;
  if (at->kind == PPI_C_PRAGMA)
    return parse_pragma(region);
  if (ppi_c_accept(parser, ";"))
    return PERFPRED_OK;
  if (ppi_c_is(parser, "{"))
    return parse_block(region);
  if (ppi_c_accept(parser, "for"))
    return ppi_region_loop(region);
  if (ppi_c_accept(parser, "if"))
    return parse_if(region);
  if (stranger(at))
    return ppi_c_error(parser->error, &parser->tokens, at, PERFPRED_UNSUPPORTED,
                       "not affine: %s (expected loops, conditions and assignments)", stranger(at));
  if (at->kind == PPI_C_NAME && ppi_c_token_is(at + 1, ":"))
    return ppi_c_error(parser->error, &parser->tokens, at, PERFPRED_UNSUPPORTED, "not affine: %.*s: (a label)",
                       at->length, at->text);
  if (ppi_c_starts_type(parser, at) || (at->kind == PPI_C_NAME && at[1].kind == PPI_C_NAME))
    return ppi_c_parse_declaration(parser, on_declared, region);
  return parse_expression(region);
}

enum perfpred_status ppi_region_statement(struct ppi_region *region) {
  enum perfpred_status status = ppi_c_enter(region->parser);
  if (status)
    return status;
  status = parse_statement(region);
  region->parser->depth--;
  return status;
}
