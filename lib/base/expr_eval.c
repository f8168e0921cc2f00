/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>

#include "base/expr_node.h"

static enum perfpred_status overflow(enum ppi_op op, int64_t a, int64_t b, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_OVERFLOW, "%" PRId64 " %s %" PRId64 " goes beyond 64 bits", a,
                       ppi_expr_op(op)->spelling, b);
}

/* The processor would trap on INT64_MIN / -1. */
static enum perfpred_status divide_by_minus_one(enum ppi_op op, int64_t a, int64_t *result,
                                                struct perfpred_error *error) {
  *result = 0;
  if (op == PPI_OP_MOD || !__builtin_sub_overflow((int64_t)0, a, result))
    return PERFPRED_OK;
  return overflow(op, a, -1, error);
}

static enum perfpred_status divide(enum ppi_op op, int64_t a, int64_t b, int64_t *result,
                                   struct perfpred_error *error) {
  const char *spelling = ppi_expr_op(op)->spelling;
  if (b == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "%" PRId64 " %s 0 divides by zero", a, spelling);
  if (b == -1)
    return divide_by_minus_one(op, a, result, error);
  const int64_t quotient = a / b, rest = a % b;
  const bool below = rest != 0 && (rest < 0) != (b < 0); /* the quotient was rounded up, towards zero */
  const bool above = rest != 0 && !below;
  if (op == PPI_OP_DIV && rest != 0)
    return ppi_error_set(error, PERFPRED_INVALID, "%" PRId64 " / %" PRId64 " leaves a remainder of %" PRId64, a, b,
                         rest);
  if (op == PPI_OP_MOD)
    *result = below ? rest + b : rest;
  else if (op == PPI_OP_CEIL)
    *result = quotient + above;
  else
    *result = quotient - (op == PPI_OP_FLOOR && below);
  return PERFPRED_OK;
}

enum perfpred_status ppi_expr_apply(enum ppi_op op, int64_t a, int64_t b, int64_t *result,
                                    struct perfpred_error *error) {
  bool over = false;
  switch (op) {
  case PPI_OP_ADD:
    over = __builtin_add_overflow(a, b, result);
    break;
  case PPI_OP_SUB:
    over = __builtin_sub_overflow(a, b, result);
    break;
  case PPI_OP_MUL:
    over = __builtin_mul_overflow(a, b, result);
    break;
  case PPI_OP_NEG:
    if (__builtin_sub_overflow((int64_t)0, a, result))
      return overflow(PPI_OP_SUB, 0, a, error);
    break;
  case PPI_OP_MIN:
    *result = a < b ? a : b;
    break;
  case PPI_OP_MAX:
    *result = a > b ? a : b;
    break;
  default:
    return divide(op, a, b, result, error);
  }
  return over ? overflow(op, a, b, error) : PERFPRED_OK;
}

static bool compare(enum ppi_op op, int64_t a, int64_t b) {
  switch (op) {
  case PPI_OP_EQ:
    return a == b;
  case PPI_OP_NE:
    return a != b;
  case PPI_OP_LT:
    return a < b;
  case PPI_OP_LE:
    return a <= b;
  case PPI_OP_GT:
    return a > b;
  default:
    return a >= b;
  }
}

static bool is_leaf(enum ppi_op op) {
  return op == PPI_OP_CONSTANT || op == PPI_OP_LETTER || op == PPI_OP_SLOT;
}

static bool is_comparison(enum ppi_op op) {
  return op >= PPI_OP_EQ && op <= PPI_OP_GE;
}

static bool is_logic(enum ppi_op op) {
  return op == PPI_OP_AND || op == PPI_OP_OR;
}

/* Whether the left side alone decides. */
static bool is_decided(enum ppi_op op, bool left) {
  return op == PPI_OP_AND ? !left : op == PPI_OP_OR && left;
}

/* Of a node with one operand, b is 0. */
static enum perfpred_status combine(enum ppi_op op, int64_t a, int64_t b, int64_t *result,
                                    struct perfpred_error *error) {
  if (is_logic(op))
    *result = b != 0;
  else if (is_comparison(op))
    *result = compare(op, a, b);
  else
    return ppi_expr_apply(op, a, b, result, error);
  return PERFPRED_OK;
}

static enum perfpred_status eval(const struct ppi_expr *expr, const struct ppi_expr_node *node, const int64_t *values,
                                 int64_t *result, struct perfpred_error *error) {
  if (is_leaf(node->op)) {
    *result = node->op == PPI_OP_SLOT ? values[node->value] : node->value;
    return PERFPRED_OK;
  }
  int64_t a = 0, b = 0;
  enum perfpred_status status = eval(expr, &expr->nodes[node->operands[0]], values, &a, error);
  if (status)
    return status;
  if (node->op == PPI_OP_IF)
    return eval(expr, &expr->nodes[node->operands[a ? 1 : 2]], values, result, error);
  if (is_decided(node->op, a != 0)) {
    *result = a != 0;
    return PERFPRED_OK;
  }
  if (ppi_expr_op(node->op)->operands > 1)
    status = eval(expr, &expr->nodes[node->operands[1]], values, &b, error);
  return status ? status : combine(node->op, a, b, result, error);
}

enum perfpred_status ppi_expr_eval(const struct ppi_expr *expr, const int64_t *values, int64_t *result,
                                   struct perfpred_error *error) {
  int64_t value = 0;
  enum perfpred_status status = eval(expr, ppi_expr_root(expr), values, &value, error);
  if (!status)
    *result = value;
  return status;
}

static double divide_real(enum ppi_op op, double a, double b) {
  if (b == 0.0)
    return NAN;
  switch (op) {
  case PPI_OP_DIV:
    return a / b;
  case PPI_OP_CEIL:
    return ceil(a / b);
  case PPI_OP_FLOOR:
    return floor(a / b);
  default:
    return a - floor(a / b) * b;
  }
}

static double compare_real(enum ppi_op op, double a, double b) {
  if (isnan(a) || isnan(b))
    return NAN;
  return compare(op, a < b ? -1 : a > b, 0) ? 1.0 : 0.0;
}

static double apply_real(enum ppi_op op, double a, double b) {
  switch (op) {
  case PPI_OP_ADD:
    return a + b;
  case PPI_OP_SUB:
    return a - b;
  case PPI_OP_MUL:
    return a * b;
  case PPI_OP_NEG:
    return -a;
  case PPI_OP_MIN:
    return isnan(a) || a < b ? a : b;
  case PPI_OP_MAX:
    return isnan(a) || a > b ? a : b;
  default:
    return is_comparison(op) ? compare_real(op, a, b) : divide_real(op, a, b);
  }
}

static double real(const struct ppi_expr *expr, const struct ppi_expr_node *node, const int64_t *values) {
  if (is_leaf(node->op))
    return (double)(node->op == PPI_OP_SLOT ? values[node->value] : node->value);
  const double a = real(expr, &expr->nodes[node->operands[0]], values);
  if (isnan(a))
    return a;
  if (node->op == PPI_OP_IF)
    return real(expr, &expr->nodes[node->operands[a != 0.0 ? 1 : 2]], values);
  if (is_decided(node->op, a != 0.0))
    return a != 0.0;
  const bool binary = ppi_expr_op(node->op)->operands > 1;
  const double b = binary ? real(expr, &expr->nodes[node->operands[1]], values) : 0.0;
  if (is_logic(node->op))
    return isnan(b) ? b : b != 0.0;
  return apply_real(node->op, a, b);
}

double ppi_expr_real(const struct ppi_expr *expr, const int64_t *values) {
  return real(expr, ppi_expr_root(expr), values);
}

bool ppi_expr_is_constant(const struct ppi_expr *expr, int64_t *value) {
  static const int64_t none[1] = { 0 }; /* a constant reads no values */
  return ppi_expr_root(expr)->constant && ppi_expr_eval(expr, none, value, NULL) == PERFPRED_OK;
}

bool ppi_expr_uses(const struct ppi_expr *expr, size_t slot) {
  for (int i = 0; i < expr->count; i++)
    if (expr->nodes[i].op == PPI_OP_SLOT && (size_t)expr->nodes[i].value == slot)
      return true;
  return false;
}

bool ppi_expr_equal(const struct ppi_expr *a, const struct ppi_expr *b) {
  if (a->count != b->count)
    return false;
  for (int i = 0; i < a->count; i++) {
    const struct ppi_expr_node *left = &a->nodes[i], *right = &b->nodes[i];
    if (left->op != right->op || left->value != right->value)
      return false;
    for (int k = 0; k < ppi_expr_op(left->op)->operands; k++)
      if (left->operands[k] != right->operands[k])
        return false;
  }
  return true;
}
