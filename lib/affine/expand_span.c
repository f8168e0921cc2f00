/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/expand_span.h"

#include "base/expr_node.h"

static struct ppi_span number(int64_t value) {
  return (struct ppi_span){ value, value };
}

static bool is_whole(const struct ppi_span *span) {
  return span->low == INT64_MIN || span->high == INT64_MAX;
}

static struct ppi_span hull(const struct ppi_span *a, const struct ppi_span *b) {
  return (struct ppi_span){ a->low < b->low ? a->low : b->low, a->high > b->high ? a->high : b->high };
}

/* An end that is not known, or does not fit, is not known. */
static int64_t add_ends(int64_t a, int64_t b, int64_t unknown) {
  int64_t sum = 0;
  return a == unknown || b == unknown || __builtin_add_overflow(a, b, &sum) ? unknown : sum;
}

static struct ppi_span add(const struct ppi_span *a, const struct ppi_span *b) {
  return (struct ppi_span){ add_ends(a->low, b->low, INT64_MIN), add_ends(a->high, b->high, INT64_MAX) };
}

static struct ppi_span negate(const struct ppi_span *a) {
  return (struct ppi_span){ a->high == INT64_MAX ? INT64_MIN : -a->high, a->low == INT64_MIN ? INT64_MAX : -a->low };
}

static struct ppi_span multiply(const struct ppi_span *a, const struct ppi_span *b) {
  const int64_t ends[2][2] = { { a->low, a->high }, { b->low, b->high } };
  struct ppi_span product = { INT64_MAX, INT64_MIN };
  if (is_whole(a) || is_whole(b))
    return ppi_span_all();
  for (int i = 0; i < 4; i++) {
    struct ppi_span corner;
    if (__builtin_mul_overflow(ends[0][i / 2], ends[1][i % 2], &corner.low))
      return ppi_span_all();
    corner.high = corner.low;
    product = hull(&product, &corner);
  }
  return product;
}

/* By a number above 0; all of them rise with what is divided but the remainder. An exact quotient is whole, or there is none. */
static struct ppi_span divide(enum ppi_op op, const struct ppi_span *a, const struct ppi_span *b) {
  const enum ppi_op first = op == PPI_OP_FLOOR ? PPI_OP_FLOOR : PPI_OP_CEIL;
  const enum ppi_op last = op == PPI_OP_CEIL ? PPI_OP_CEIL : PPI_OP_FLOOR;
  struct ppi_span quotient = { 0, 0 };
  if (!ppi_span_is_number(b) || b->low < 1 || is_whole(a))
    return ppi_span_all();
  if (op == PPI_OP_MOD && !ppi_span_is_number(a))
    return (struct ppi_span){ 0, b->low - 1 };
  if (op == PPI_OP_MOD)
    return ppi_expr_apply(op, a->low, b->low, &quotient.low, NULL) ? ppi_span_all() : number(quotient.low);
  if (ppi_expr_apply(first, a->low, b->low, &quotient.low, NULL) ||
      ppi_expr_apply(last, a->high, b->low, &quotient.high, NULL))
    return ppi_span_all();
  return quotient;
}

static struct ppi_span truth(bool holds, bool fails) {
  return holds ? number(1) : fails ? number(0) : (struct ppi_span){ 0, 1 };
}

static bool is_true(const struct ppi_span *a) {
  return a->low > 0 || a->high < 0;
}

static bool is_false(const struct ppi_span *a) {
  return a->low == 0 && a->high == 0;
}

static struct ppi_span compare(enum ppi_op op, const struct ppi_span *a, const struct ppi_span *b) {
  const bool apart = a->high < b->low || b->high < a->low;
  const bool same = ppi_span_is_number(a) && ppi_span_is_number(b) && a->low == b->low;
  switch (op) {
  case PPI_OP_OR:
    return truth(is_true(a) || is_true(b), is_false(a) && is_false(b));
  case PPI_OP_AND:
    return truth(is_true(a) && is_true(b), is_false(a) || is_false(b));
  case PPI_OP_EQ:
    return truth(same, apart);
  case PPI_OP_NE:
    return truth(apart, same);
  case PPI_OP_LT:
    return truth(a->high < b->low, a->low >= b->high);
  case PPI_OP_LE:
    return truth(a->high <= b->low, a->low > b->high);
  case PPI_OP_GT:
    return truth(a->low > b->high, a->high <= b->low);
  default:
    return truth(a->low >= b->high, a->high < b->low);
  }
}

static struct ppi_span apply(enum ppi_op op, const struct ppi_span *a, const struct ppi_span *b) {
  const struct ppi_span minus = negate(b);
  switch (op) {
  case PPI_OP_ADD:
    return add(a, b);
  case PPI_OP_SUB:
    return add(a, &minus);
  case PPI_OP_MUL:
    return multiply(a, b);
  case PPI_OP_MIN:
    return (struct ppi_span){ a->low < b->low ? a->low : b->low, a->high < b->high ? a->high : b->high };
  case PPI_OP_MAX:
    return (struct ppi_span){ a->low > b->low ? a->low : b->low, a->high > b->high ? a->high : b->high };
  case PPI_OP_DIV:
  case PPI_OP_FLOOR:
  case PPI_OP_CEIL:
  case PPI_OP_MOD:
    return divide(op, a, b);
  default:
    return compare(op, a, b);
  }
}

static struct ppi_span span_at(const struct ppi_expr *expr, int index, const struct ppi_span *spans) {
  const struct ppi_expr_node *node = &expr->nodes[index];
  if (node->op == PPI_OP_CONSTANT || node->op == PPI_OP_LETTER)
    return number(node->value);
  if (node->op == PPI_OP_SLOT)
    return spans[node->value];
  const struct ppi_span a = span_at(expr, node->operands[0], spans);
  if (node->op == PPI_OP_NEG)
    return negate(&a);
  if (node->op == PPI_OP_IF && (is_true(&a) || is_false(&a)))
    return span_at(expr, node->operands[is_true(&a) ? 1 : 2], spans);
  const struct ppi_span b = span_at(expr, node->operands[1], spans);
  if (node->op != PPI_OP_IF)
    return apply(node->op, &a, &b);
  const struct ppi_span c = span_at(expr, node->operands[2], spans);
  return hull(&b, &c);
}

struct ppi_span ppi_span_of(const struct ppi_expr *expr, const struct ppi_span *spans) {
  return span_at(expr, expr->count - 1, spans);
}
