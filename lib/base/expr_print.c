/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "base/expr_node.h"

struct printer {
  const struct ppi_expr *expr;
  const struct ppi_scope *scope;
  struct ppi_text *text;
  bool c_style;
};

static void print_node(const struct printer *printer, int index, int weakest);

static enum ppi_strength strength_of(const struct ppi_expr_node *node) {
  if (node->op == PPI_OP_CONSTANT && node->value < 0)
    return PPI_STRENGTH_SIGN;
  return ppi_expr_op(node->op)->strength;
}

static void print_leaf(const struct printer *printer, const struct ppi_expr_node *node) {
  if (node->op == PPI_OP_CONSTANT)
    ppi_text_printf(printer->text, "%" PRId64, node->value);
  else if (node->op == PPI_OP_LETTER)
    ppi_text_printf(printer->text, printer->c_style ? "'%c'" : "%c", (int)node->value);
  else
    ppi_text_append(printer->text, printer->scope->names[node->value]);
}

/* Arguments of min and max: a first argument with the same function is written flat. */
static void print_arguments(const struct printer *printer, const struct ppi_expr_node *node) {
  const struct ppi_expr_node *first = &printer->expr->nodes[node->operands[0]];
  if (first->op == node->op && node->op != PPI_OP_CEIL && !printer->c_style)
    print_arguments(printer, first);
  else
    print_node(printer, node->operands[0], PPI_STRENGTH_IF);
  ppi_text_append(printer->text, ", ");
  print_node(printer, node->operands[1], PPI_STRENGTH_IF);
}

static void print_choice(const struct printer *printer, const struct ppi_expr_node *node) {
  print_node(printer, node->operands[0], PPI_STRENGTH_OR);
  ppi_text_append(printer->text, " ? ");
  print_node(printer, node->operands[1], PPI_STRENGTH_IF);
  ppi_text_append(printer->text, " : ");
  print_node(printer, node->operands[2], PPI_STRENGTH_IF);
}

/* The weakest operator that stands without parentheses on the left or right of an infix operator. Comparisons do not chain, so
   that theirs must be stronger on both sides; C compilers want to see which of && and || binds first. */
static int weakest_operand(const struct printer *printer, const struct ppi_expr_node *node, int side) {
  const int strength = (int)ppi_expr_op(node->op)->strength;
  const struct ppi_expr_node *operand = &printer->expr->nodes[node->operands[side]];
  if (strength == PPI_STRENGTH_COMPARE)
    return strength + 1;
  if (printer->c_style && node->op == PPI_OP_OR && operand->op == PPI_OP_AND)
    return PPI_STRENGTH_COMPARE;
  return strength + side;
}

static void print_infix(const struct printer *printer, const struct ppi_expr_node *node) {
  const struct ppi_op_info *info = ppi_expr_op(node->op);
  const bool wide = info->strength < PPI_STRENGTH_PRODUCT;
  const char *mark = printer->c_style && node->op == PPI_OP_FLOOR ? "/" : info->spelling;
  print_node(printer, node->operands[0], weakest_operand(printer, node, 0));
  ppi_text_printf(printer->text, wide ? " %s " : "%s", mark);
  print_node(printer, node->operands[1], weakest_operand(printer, node, 1));
}

/* Prints a node, in parentheses if it is weaker than `weakest`. */
static void print_node(const struct printer *printer, int index, int weakest) {
  const struct ppi_expr_node *node = &printer->expr->nodes[index];
  const struct ppi_op_info *info = ppi_expr_op(node->op);
  const bool enclosed = (int)strength_of(node) < weakest;
  if (enclosed)
    ppi_text_append(printer->text, "(");
  if (info->operands == 0) {
    print_leaf(printer, node);
  } else if (node->op == PPI_OP_IF) {
    print_choice(printer, node);
  } else if (node->op == PPI_OP_NEG) {
    ppi_text_append(printer->text, "-");
    print_node(printer, node->operands[0], PPI_STRENGTH_ATOM);
  } else if (info->function) {
    ppi_text_printf(printer->text, "%s(", info->spelling);
    print_arguments(printer, node);
    ppi_text_append(printer->text, ")");
  } else {
    print_infix(printer, node);
  }
  if (enclosed)
    ppi_text_append(printer->text, ")");
}

void ppi_expr_print(const struct ppi_expr *expr, const struct ppi_scope *scope, bool c_style, struct ppi_text *text) {
  const struct printer printer = { expr, scope, text, c_style };
  print_node(&printer, expr->count - 1, PPI_STRENGTH_IF);
}
