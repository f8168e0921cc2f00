/* SPDX-License-Identifier: BSD-3-Clause */
/* What an expression is as a function of its values: affine, or a polynomial of which degree. */
#include "base/expr_node.h"

/* coefficient * v[slot] + constant + (terms in the other slots) */
struct form {
  int64_t coefficient, constant;
};

static bool form_of(const struct ppi_expr *expr, int index, size_t slot, struct form *form);

static bool constant_of(const struct ppi_expr *expr, int index, int64_t *value) {
  const struct ppi_expr part = { expr->nodes, index + 1, index + 1 };
  return ppi_expr_is_constant(&part, value);
}

/* Applies an operation to both members with the constant on its right. */
static bool apply_right(enum ppi_op op, enum ppi_op constant_op, int64_t right, struct form *form) {
  return ppi_expr_apply(op, form->coefficient, right, &form->coefficient, NULL) == PERFPRED_OK &&
         ppi_expr_apply(constant_op, form->constant, right, &form->constant, NULL) == PERFPRED_OK;
}

static bool sum_form(enum ppi_op op, const struct form *a, const struct form *b, struct form *form) {
  return ppi_expr_apply(op, a->coefficient, b->coefficient, &form->coefficient, NULL) == PERFPRED_OK &&
         ppi_expr_apply(op, a->constant, b->constant, &form->constant, NULL) == PERFPRED_OK;
}

static bool product_form(const struct ppi_expr *expr, const struct ppi_expr_node *node, size_t slot,
                         struct form *form) {
  const int a = node->operands[0], b = node->operands[1];
  int64_t factor = 0;
  if (constant_of(expr, a, &factor))
    return form_of(expr, b, slot, form) && apply_right(PPI_OP_MUL, PPI_OP_MUL, factor, form);
  return constant_of(expr, b, &factor) && form_of(expr, a, slot, form) &&
         apply_right(PPI_OP_MUL, PPI_OP_MUL, factor, form);
}

/* A quotient is affine for all values only if the divisor divides every coefficient. */
static bool quotient_form(const struct ppi_expr *expr, const struct ppi_expr_node *node, size_t slot,
                          struct form *form) {
  int64_t divisor = 0;
  if (!constant_of(expr, node->operands[1], &divisor) || !form_of(expr, node->operands[0], slot, form))
    return false;
  if (node->op != PPI_OP_MOD)
    return apply_right(PPI_OP_DIV, node->op, divisor, form);
  int64_t quotient = 0;
  if (ppi_expr_apply(PPI_OP_DIV, form->coefficient, divisor, &quotient, NULL))
    return false;
  form->coefficient = 0;
  return ppi_expr_apply(PPI_OP_MOD, form->constant, divisor, &form->constant, NULL) == PERFPRED_OK;
}

static bool form_of(const struct ppi_expr *expr, int index, size_t slot, struct form *form) {
  const struct ppi_expr_node *node = &expr->nodes[index];
  struct form a = { 0, 0 }, b = { 0, 0 };
  int64_t condition = 0;
  if (node->constant) {
    form->coefficient = 0;
    return constant_of(expr, index, &form->constant);
  }
  switch (node->op) {
  case PPI_OP_SLOT:
    *form = (struct form){ (size_t)node->value == slot, 0 };
    return true;
  case PPI_OP_NEG:
    return form_of(expr, node->operands[0], slot, &b) && sum_form(PPI_OP_SUB, &a, &b, form);
  case PPI_OP_ADD:
  case PPI_OP_SUB:
    return form_of(expr, node->operands[0], slot, &a) && form_of(expr, node->operands[1], slot, &b) &&
           sum_form(node->op, &a, &b, form);
  case PPI_OP_MUL:
    return product_form(expr, node, slot, form);
  case PPI_OP_DIV:
  case PPI_OP_FLOOR:
  case PPI_OP_CEIL:
  case PPI_OP_MOD:
    return quotient_form(expr, node, slot, form);
  case PPI_OP_IF:
    return constant_of(expr, node->operands[0], &condition) &&
           form_of(expr, node->operands[condition ? 1 : 2], slot, form);
  default:
    return false;
  }
}

bool ppi_expr_affine(const struct ppi_expr *expr, size_t count, int64_t *coefficients, int64_t *constant) {
  for (int i = 0; i < expr->count; i++)
    if (expr->nodes[i].op == PPI_OP_SLOT && (size_t)expr->nodes[i].value >= count)
      return false;
  struct form form = { 0, 0 };
  /* count 0 asks for the constant alone */
  for (size_t slot = 0; slot < count || slot == 0; slot++) {
    if (!form_of(expr, expr->count - 1, slot, &form))
      return false;
    if (slot < count)
      coefficients[slot] = form.coefficient;
  }
  *constant = form.constant;
  return true;
}

static int greater(int a, int b) {
  return a > b ? a : b;
}

/* Of an operation on polynomials of degrees a and b; -1: it is none. */
static int combined_degree(enum ppi_op op, int a, int b) {
  switch (op) {
  case PPI_OP_ADD:
  case PPI_OP_SUB:
    return greater(a, b);
  case PPI_OP_MUL:
    return a + b;
  case PPI_OP_DIV:
    return b == 0 ? a : -1;
  default:
    return a == 0 && b == 0 ? 0 : -1;
  }
}

static int degree(const struct ppi_expr *expr, int index, size_t slot, const int64_t *values) {
  const struct ppi_expr_node *node = &expr->nodes[index];
  if (node->op == PPI_OP_SLOT)
    return (size_t)node->value == slot;
  if (node->constant)
    return 0;
  const int a = degree(expr, node->operands[0], slot, values);
  if (node->op == PPI_OP_NEG || a < 0)
    return a;
  if (node->op == PPI_OP_IF) {
    const struct ppi_expr condition = { expr->nodes, node->operands[0] + 1, node->operands[0] + 1 };
    int64_t value = 0;
    if (a > 0 || ppi_expr_eval(&condition, values, &value, NULL))
      return -1;
    return degree(expr, node->operands[value ? 1 : 2], slot, values);
  }
  const int b = degree(expr, node->operands[1], slot, values);
  return b < 0 ? b : combined_degree(node->op, a, b);
}

int ppi_expr_degree(const struct ppi_expr *expr, size_t slot, const int64_t *values) {
  return degree(expr, expr->count - 1, slot, values);
}

/* --- Inequalities -------------------------------------------------------------------------------------------------- */

static bool uses_any(const struct ppi_expr *expr, int index, uint32_t slots) {
  const struct ppi_expr_node *node = &expr->nodes[index];
  if (node->op == PPI_OP_SLOT)
    return node->value < 32 && slots >> node->value & 1u;
  for (int i = 0; i < ppi_expr_op(node->op)->operands; i++)
    if (uses_any(expr, node->operands[i], slots))
      return true;
  return false;
}

static bool is_linear(const struct ppi_expr *expr, int index, uint32_t variables) {
  const struct ppi_expr_node *node = &expr->nodes[index];
  const int *operands = node->operands;
  if (!uses_any(expr, index, variables))
    return true;
  switch (node->op) {
  case PPI_OP_SLOT:
    return true;
  case PPI_OP_NEG:
    return is_linear(expr, operands[0], variables);
  case PPI_OP_ADD:
  case PPI_OP_SUB:
    return is_linear(expr, operands[0], variables) && is_linear(expr, operands[1], variables);
  case PPI_OP_MUL:
    return is_linear(expr, operands[0], variables) && is_linear(expr, operands[1], variables) &&
           !(uses_any(expr, operands[0], variables) && uses_any(expr, operands[1], variables));
  case PPI_OP_IF:
    return !uses_any(expr, operands[0], variables) && is_linear(expr, operands[1], variables) &&
           is_linear(expr, operands[2], variables);
  default:
    return false;
  }
}

bool ppi_expr_is_inequality(const struct ppi_expr *expr, uint32_t variables) {
  const struct ppi_expr_node *root = ppi_expr_root(expr);
  return root->op >= PPI_OP_LT && root->op <= PPI_OP_GE && is_linear(expr, root->operands[0], variables) &&
         is_linear(expr, root->operands[1], variables);
}

/* Of a comparison by < <= > >=: what has to be the larger one, and the smaller one; both share its nodes. */
static void split(const struct ppi_expr *expr, struct ppi_expr *larger, struct ppi_expr *smaller, bool *strict) {
  const struct ppi_expr_node *root = ppi_expr_root(expr);
  const bool rising = root->op == PPI_OP_GT || root->op == PPI_OP_GE;
  *strict = root->op == PPI_OP_GT || root->op == PPI_OP_LT;
  *larger = (struct ppi_expr){ expr->nodes, root->operands[rising ? 0 : 1] + 1, 0 };
  *smaller = (struct ppi_expr){ expr->nodes, root->operands[rising ? 1 : 0] + 1, 0 };
}

enum perfpred_status ppi_expr_slack(const struct ppi_expr *expr, const int64_t *values, int64_t *slack,
                                    struct perfpred_error *error) {
  struct ppi_expr larger, smaller;
  bool strict;
  int64_t a = 0, b = 0;
  split(expr, &larger, &smaller, &strict);
  enum perfpred_status status = ppi_expr_eval(&larger, values, &a, error);
  if (!status)
    status = ppi_expr_eval(&smaller, values, &b, error);
  if (!status)
    status = ppi_expr_apply(PPI_OP_SUB, a, b, &a, error);
  if (!status && strict)
    status = ppi_expr_apply(PPI_OP_SUB, a, 1, &a, error);
  if (!status)
    *slack = a;
  return status;
}

bool ppi_expr_affine_slack(const struct ppi_expr *expr, size_t count, int64_t *coefficients, int64_t *constant) {
  const struct ppi_expr_node *root = ppi_expr_root(expr);
  int64_t subtracted[PPI_EXPR_SLOTS], rest = 0;
  struct ppi_expr larger, smaller;
  bool strict;
  if (root->op < PPI_OP_LT || root->op > PPI_OP_GE || count > PPI_EXPR_SLOTS)
    return false;
  split(expr, &larger, &smaller, &strict);
  if (!ppi_expr_affine(&larger, count, coefficients, constant) ||
      !ppi_expr_affine(&smaller, count, subtracted, &rest) ||
      ppi_expr_apply(PPI_OP_SUB, *constant, rest, constant, NULL) != PERFPRED_OK ||
      ppi_expr_apply(PPI_OP_SUB, *constant, strict, constant, NULL) != PERFPRED_OK)
    return false;
  for (size_t slot = 0; slot < count; slot++)
    if (ppi_expr_apply(PPI_OP_SUB, coefficients[slot], subtracted[slot], &coefficients[slot], NULL) != PERFPRED_OK)
      return false;
  return true;
}
