/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr_node.h"

static const struct ppi_op_info infos[PPI_OP_COUNT] = {
  [PPI_OP_CONSTANT] = { "", 0, PPI_STRENGTH_ATOM, false },   [PPI_OP_LETTER] = { "", 0, PPI_STRENGTH_ATOM, false },
  [PPI_OP_SLOT] = { "", 0, PPI_STRENGTH_ATOM, false },       [PPI_OP_IF] = { "?", 3, PPI_STRENGTH_IF, false },
  [PPI_OP_OR] = { "||", 2, PPI_STRENGTH_OR, false },         [PPI_OP_AND] = { "&&", 2, PPI_STRENGTH_AND, false },
  [PPI_OP_EQ] = { "==", 2, PPI_STRENGTH_COMPARE, false },    [PPI_OP_NE] = { "!=", 2, PPI_STRENGTH_COMPARE, false },
  [PPI_OP_LT] = { "<", 2, PPI_STRENGTH_COMPARE, false },     [PPI_OP_LE] = { "<=", 2, PPI_STRENGTH_COMPARE, false },
  [PPI_OP_GT] = { ">", 2, PPI_STRENGTH_COMPARE, false },     [PPI_OP_GE] = { ">=", 2, PPI_STRENGTH_COMPARE, false },
  [PPI_OP_ADD] = { "+", 2, PPI_STRENGTH_SUM, false },        [PPI_OP_SUB] = { "-", 2, PPI_STRENGTH_SUM, false },
  [PPI_OP_MUL] = { "*", 2, PPI_STRENGTH_PRODUCT, false },    [PPI_OP_DIV] = { "/", 2, PPI_STRENGTH_PRODUCT, false },
  [PPI_OP_FLOOR] = { "//", 2, PPI_STRENGTH_PRODUCT, false }, [PPI_OP_MOD] = { "%", 2, PPI_STRENGTH_PRODUCT, false },
  [PPI_OP_NEG] = { "", 1, PPI_STRENGTH_SIGN, false },        [PPI_OP_MIN] = { "min", 2, PPI_STRENGTH_ATOM, true },
  [PPI_OP_MAX] = { "max", 2, PPI_STRENGTH_ATOM, true },      [PPI_OP_CEIL] = { "ceildiv", 2, PPI_STRENGTH_ATOM, true },
};

const struct ppi_op_info *ppi_expr_op(enum ppi_op op) {
  assert((int)op >= 0 && op < PPI_OP_COUNT);
  return &infos[op];
}

/* One run of the parser: index of the node read last, and how deep the present call is nested. */
struct parser {
  struct ppi_scanner *scanner;
  const struct ppi_scope *scope;
  struct ppi_expr *expr;
  int levels;
};

static enum perfpred_status too_deep(struct ppi_scanner *scanner, int levels) {
  return ppi_scan_error(scanner, PERFPRED_LIMIT, "the expression is nested more than %d levels deep", levels);
}

/* Makes room for one more node. */
static enum perfpred_status reserve(struct ppi_expr *expr, struct perfpred_error *error) {
  if (expr->count < expr->capacity)
    return PERFPRED_OK;
  const int capacity = expr->capacity ? 2 * expr->capacity : 4;
  struct ppi_expr_node *nodes = realloc(expr->nodes, (size_t)capacity * sizeof *nodes);
  if (!nodes)
    return ppi_error_memory(error);
  expr->nodes = nodes;
  expr->capacity = capacity;
  return PERFPRED_OK;
}

static enum perfpred_status add_leaf(struct parser *parser, enum ppi_op op, int64_t value) {
  struct ppi_expr *expr = parser->expr;
  if (expr->count >= PPI_EXPR_NODES)
    return ppi_scan_error(parser->scanner, PERFPRED_LIMIT, "the expression has more than %d parts", PPI_EXPR_NODES);
  enum perfpred_status status = reserve(expr, parser->scanner->error);
  if (status)
    return status;
  expr->nodes[expr->count++] =
      (struct ppi_expr_node){ .op = op, .levels = 1, .constant = op != PPI_OP_SLOT, .value = value };
  return PERFPRED_OK;
}

/* Adds an operator over nodes read before. */
static enum perfpred_status add_operator(struct parser *parser, enum ppi_op op, int a, int b, int c) {
  enum perfpred_status status = add_leaf(parser, op, 0);
  if (status)
    return status;
  struct ppi_expr_node *nodes = parser->expr->nodes, *node = &nodes[parser->expr->count - 1];
  const int operands[3] = { a, b, c };
  assert(infos[op].operands <= 3);
  for (int i = 0; i < infos[op].operands; i++) {
    const struct ppi_expr_node *operand = &nodes[operands[i]];
    node->operands[i] = operands[i];
    node->constant = node->constant && operand->constant;
    if (operand->levels >= node->levels)
      node->levels = operand->levels + 1;
  }
  return node->levels > PPI_EXPR_LEVELS ? too_deep(parser->scanner, PPI_EXPR_LEVELS) : PERFPRED_OK;
}

static int last(const struct parser *parser) {
  return parser->expr->count - 1;
}

static enum perfpred_status parse_choice(struct parser *parser);
static enum perfpred_status parse_infix(struct parser *parser, enum ppi_strength weakest);

static const char *scope_name(const void *scope, size_t index) {
  return ((const struct ppi_scope *)scope)->names[index];
}

static enum perfpred_status unknown_name(struct parser *parser, const char *name) {
  const char *near = ppi_text_nearest(name, parser->scope->count, scope_name, parser->scope);
  if (near)
    return ppi_scan_error(parser->scanner, PERFPRED_SYNTAX, "unknown name '%s' in an expression; did you mean '%s'?",
                          name, near);
  return ppi_scan_error(parser->scanner, PERFPRED_SYNTAX, "unknown name '%s' in an expression", name);
}

static enum perfpred_status parse_variable(struct parser *parser) {
  const struct ppi_scope *scope = parser->scope;
  const char *name = parser->scanner->token.text;
  enum perfpred_status status;
  size_t slot = scope->count;
  while (slot > 0 && strcmp(scope->names[slot - 1], name) != 0)
    slot--;
  if (slot > 0)
    status = add_leaf(parser, PPI_OP_SLOT, (int64_t)slot - 1);
  else if (scope->letters && name[0] >= 'A' && name[0] <= 'Z' && !name[1] && strchr(scope->letters, name[0]))
    status = add_leaf(parser, PPI_OP_LETTER, name[0]);
  else
    status = unknown_name(parser, name);
  if (!status)
    ppi_scan_next(parser->scanner);
  return status;
}

/* The arguments of a function, behind its "(": two of them, or with `many` one or more. */
static enum perfpred_status parse_arguments(struct parser *parser, enum ppi_op op, bool many) {
  enum perfpred_status status = parse_choice(parser);
  int count = 1;
  while (!status && (many || count < 2) && ppi_scan_accept(parser->scanner, ",")) {
    const int before = last(parser);
    status = parse_choice(parser);
    if (!status)
      status = add_operator(parser, op, before, last(parser), 0);
    count++;
  }
  if (!status && !many && count < 2)
    return ppi_scan_expected(parser->scanner, "',' and a second argument");
  return status ? status : ppi_scan_expect(parser->scanner, ")");
}

static bool function_of(const char *name, enum ppi_op *op) {
  static const struct {
    const char *name;
    enum ppi_op op;
  } functions[] = {
    { "min", PPI_OP_MIN }, { "max", PPI_OP_MAX }, { "floordiv", PPI_OP_FLOOR }, { "ceildiv", PPI_OP_CEIL }
  };
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (strcmp(name, functions[i].name) == 0) {
      *op = functions[i].op;
      return true;
    }
  return false;
}

/* A name: of a function if "(" follows it, else of a value. */
static enum perfpred_status parse_name(struct parser *parser) {
  struct ppi_scanner *scanner = parser->scanner;
  enum ppi_op op = PPI_OP_MIN;
  if (!function_of(scanner->token.text, &op))
    return parse_variable(parser);
  struct ppi_scanner ahead = *scanner;
  ppi_scan_next(&ahead);
  if (!ppi_scan_is(&ahead, "("))
    return parse_variable(parser);
  ppi_scan_next(scanner);
  ppi_scan_next(scanner);
  return parse_arguments(parser, op, op == PPI_OP_MIN || op == PPI_OP_MAX);
}

static enum perfpred_status parse_atom(struct parser *parser) {
  struct ppi_scanner *scanner = parser->scanner;
  if (scanner->token.kind == PPI_TOKEN_NAME)
    return parse_name(parser);
  if (scanner->token.kind == PPI_TOKEN_INTEGER) {
    enum perfpred_status status = add_leaf(parser, PPI_OP_CONSTANT, scanner->token.integer);
    if (!status)
      ppi_scan_next(scanner);
    return status;
  }
  if (!ppi_scan_accept(scanner, "("))
    return ppi_scan_expected(scanner, "an expression");
  enum perfpred_status status = parse_choice(parser);
  return status ? status : ppi_scan_expect(scanner, ")");
}

/* Signs and what follows them. A minus before a number is part of the number. */
static enum perfpred_status parse_sign(struct parser *parser) {
  if (!ppi_scan_accept(parser->scanner, "-"))
    return parse_atom(parser);
  if (++parser->levels > PPI_EXPR_NESTING)
    return too_deep(parser->scanner, PPI_EXPR_NESTING);
  const bool number = parser->scanner->token.kind == PPI_TOKEN_INTEGER;
  enum perfpred_status status = parse_sign(parser);
  parser->levels--;
  if (status)
    return status;
  if (number) {
    parser->expr->nodes[last(parser)].value *= -1;
    return PERFPRED_OK;
  }
  return add_operator(parser, PPI_OP_NEG, last(parser), 0, 0);
}

/* The infix operator at the present place; PPI_OP_COUNT if there is none. */
static enum ppi_op infix_at(const struct ppi_scanner *scanner) {
  if (scanner->token.kind != PPI_TOKEN_MARK)
    return PPI_OP_COUNT;
  for (int op = PPI_OP_OR; op <= PPI_OP_MOD; op++)
    if (strcmp(infos[op].spelling, scanner->token.text) == 0)
      return (enum ppi_op)op;
  return PPI_OP_COUNT;
}

/* Operators at least as strong as `weakest`, from left to right (precedence climbing). */
static enum perfpred_status parse_infix(struct parser *parser, enum ppi_strength weakest) {
  enum perfpred_status status = parse_sign(parser);
  enum ppi_op op;
  bool compared = false;
  while (!status && (op = infix_at(parser->scanner)) != PPI_OP_COUNT && infos[op].strength >= weakest) {
    const bool compares = infos[op].strength == PPI_STRENGTH_COMPARE;
    if (compares && compared)
      return ppi_scan_error(parser->scanner, PERFPRED_SYNTAX, "comparisons do not chain; write a < b && b < c");
    compared = compares;
    const int left = last(parser);
    ppi_scan_next(parser->scanner);
    status = parse_infix(parser, (enum ppi_strength)(infos[op].strength + 1));
    if (!status)
      status = add_operator(parser, op, left, last(parser), 0);
  }
  return status;
}

/* A whole expression. */
static enum perfpred_status parse_choice(struct parser *parser) {
  if (++parser->levels > PPI_EXPR_NESTING)
    return too_deep(parser->scanner, PPI_EXPR_NESTING);
  enum perfpred_status status = parse_infix(parser, PPI_STRENGTH_OR);
  if (!status && ppi_scan_accept(parser->scanner, "?")) {
    const int condition = last(parser);
    status = parse_choice(parser);
    const int then = last(parser);
    if (!status)
      status = ppi_scan_expect(parser->scanner, ":");
    if (!status)
      status = parse_choice(parser);
    if (!status)
      status = add_operator(parser, PPI_OP_IF, condition, then, last(parser));
  }
  parser->levels--;
  return status;
}

enum perfpred_status ppi_expr_parse(struct ppi_scanner *scanner, const struct ppi_scope *scope,
                                    struct ppi_expr **expr) {
  struct ppi_expr *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(scanner->error);
  struct parser parser = { scanner, scope, made, 0 };
  enum perfpred_status status = parse_choice(&parser);
  if (status)
    ppi_expr_destroy(made);
  else
    *expr = made;
  return status;
}

enum perfpred_status ppi_expr_constant(int64_t value, struct ppi_expr **expr, struct perfpred_error *error) {
  struct ppi_expr *made = malloc(sizeof *made);
  struct ppi_expr_node *node = malloc(sizeof *node);
  if (!made || !node) {
    free(node);
    free(made);
    return ppi_error_memory(error);
  }
  *node = (struct ppi_expr_node){ .op = PPI_OP_CONSTANT, .levels = 1, .constant = true, .value = value };
  *made = (struct ppi_expr){ .nodes = node, .count = 1, .capacity = 1 };
  *expr = made;
  return PERFPRED_OK;
}

void ppi_expr_destroy(struct ppi_expr *expr) {
  if (!expr)
    return;
  free(expr->nodes);
  free(expr);
}
