/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/choice.h"

#include "base/expr_node.h"

#define LARGEST ((int64_t)1 << 40)

static bool read_node(const struct ppi_expr *expr, int index, const struct ppi_choice *slots,
                      struct ppi_choice *choice);

static bool combine(int64_t a, int64_t factor, int64_t b, int64_t other, int64_t *result) {
  int64_t left = 0, right = 0, sum = 0;
  if (__builtin_mul_overflow(a, factor, &left) || __builtin_mul_overflow(b, other, &right) ||
      __builtin_add_overflow(left, right, &sum) || sum > LARGEST || sum < -LARGEST)
    return false;
  *result = sum;
  return true;
}

bool ppi_affine_combine(const struct ppi_affine *a, int64_t factor, const struct ppi_affine *b, int64_t other,
                        struct ppi_affine *result) {
  struct ppi_affine sum;
  bool fits = combine(a->constant, factor, b->constant, other, &sum.constant);
  for (int i = 0; i < PPI_LOOPS; i++)
    fits = fits && combine(a->c[i], factor, b->c[i], other, &sum.c[i]);
  if (fits)
    *result = sum;
  return fits;
}

struct ppi_choice ppi_choice_of(const struct ppi_affine *form) {
  struct ppi_choice choice = { .kind = PPI_CHOICE_ONE, .count = 1 };
  choice.parts[0].form = *form;
  choice.parts[0].divisor = 1;
  return choice;
}

static struct ppi_choice constant_choice(int64_t value) {
  return ppi_choice_of(&(struct ppi_affine){ .constant = value });
}

bool ppi_choice_is_form(const struct ppi_choice *choice, struct ppi_affine *form) {
  if (choice->count != 1 || choice->parts[0].divisor != 1)
    return false;
  *form = choice->parts[0].form;
  return true;
}

static bool constant_of(const struct ppi_choice *choice, int64_t *value) {
  struct ppi_affine form;
  if (!ppi_choice_is_form(choice, &form))
    return false;
  for (int i = 0; i < PPI_LOOPS; i++)
    if (form.c[i] != 0)
      return false;
  *value = form.constant;
  return true;
}

/* choice * factor; the least of some becomes the greatest of their negatives. */
static bool scale(struct ppi_choice *choice, int64_t factor) {
  const struct ppi_affine zero = { .constant = 0 };
  for (int i = 0; i < choice->count; i++)
    if ((choice->parts[i].divisor != 1 && factor != 1) ||
        !ppi_affine_combine(&choice->parts[i].form, factor, &zero, 1, &choice->parts[i].form))
      return false;
  if (factor < 0 && choice->kind != PPI_CHOICE_ONE)
    choice->kind = choice->kind == PPI_CHOICE_LEAST ? PPI_CHOICE_GREATEST : PPI_CHOICE_LEAST;
  return true;
}

/* One of the two is a form. */
static bool add(const struct ppi_choice *a, const struct ppi_choice *b, struct ppi_choice *sum) {
  struct ppi_affine form;
  if (!ppi_choice_is_form(b, &form))
    return ppi_choice_is_form(a, &form) && add(b, a, sum);
  *sum = *a;
  for (int i = 0; i < sum->count; i++)
    if (!ppi_affine_combine(&sum->parts[i].form, 1, &form, sum->parts[i].divisor, &sum->parts[i].form))
      return false;
  return true;
}

static bool merge(const struct ppi_choice *a, const struct ppi_choice *b, enum ppi_choice_kind kind,
                  struct ppi_choice *merged) {
  int64_t left = 0, right = 0;
  if (constant_of(a, &left) && constant_of(b, &right)) {
    *merged = constant_choice((left < right) == (kind == PPI_CHOICE_LEAST) ? left : right);
    return true;
  }
  if ((a->kind != PPI_CHOICE_ONE && a->kind != kind) || (b->kind != PPI_CHOICE_ONE && b->kind != kind) ||
      a->count + b->count > PPI_CHOICES)
    return false;
  *merged = *a;
  merged->kind = kind;
  for (int i = 0; i < b->count; i++)
    merged->parts[merged->count++] = b->parts[i];
  return true;
}

static bool divides(int64_t divisor, const struct ppi_affine *form) {
  for (int i = 0; i < PPI_LOOPS; i++)
    if (form->c[i] % divisor != 0)
      return false;
  return true;
}

/* choice / divisor, rounded down: a form where the divisor divides all coefficients. */
static bool divide(struct ppi_choice *choice, int64_t divisor) {
  for (int i = 0; i < choice->count; i++) {
    struct ppi_affine *form = &choice->parts[i].form;
    if (choice->parts[i].divisor == 1 && divides(divisor, form)) {
      for (int j = 0; j < PPI_LOOPS; j++)
        form->c[j] /= divisor;
      form->constant = ppi_floor_div(form->constant, divisor);
    } else if (!combine(choice->parts[i].divisor, divisor, 0, 0, &choice->parts[i].divisor)) {
      return false;
    }
  }
  return true;
}

static bool divide_exactly(struct ppi_choice *choice, int64_t divisor) {
  struct ppi_affine form;
  return ppi_choice_is_form(choice, &form) && divides(divisor, &form) && form.constant % divisor == 0 &&
         divide(choice, divisor);
}

static bool read_quotient(enum ppi_op op, const struct ppi_choice *a, const struct ppi_choice *b,
                          struct ppi_choice *choice) {
  int64_t divisor = 0, value = 0;
  if (!constant_of(b, &divisor) || divisor < 1 || divisor > LARGEST)
    return false;
  if (constant_of(a, &value))
    return ppi_expr_apply(op, value, divisor, &value, NULL) == PERFPRED_OK && (*choice = constant_choice(value), true);
  *choice = *a;
  if (op == PPI_OP_DIV)
    return divide_exactly(choice, divisor);
  if (op == PPI_OP_CEIL) {
    const struct ppi_choice round = constant_choice(divisor - 1);
    if (!add(a, &round, choice))
      return false;
  }
  return op != PPI_OP_MOD && divide(choice, divisor);
}

static bool read_binary(enum ppi_op op, const struct ppi_choice *a, struct ppi_choice *b, struct ppi_choice *choice) {
  int64_t factor = 0;
  switch (op) {
  case PPI_OP_ADD:
    return add(a, b, choice);
  case PPI_OP_SUB:
    return scale(b, -1) && add(a, b, choice);
  case PPI_OP_MUL:
    *choice = constant_of(a, &factor) ? *b : *a;
    return (constant_of(a, &factor) || constant_of(b, &factor)) && scale(choice, factor);
  case PPI_OP_MIN:
    return merge(a, b, PPI_CHOICE_LEAST, choice);
  case PPI_OP_MAX:
    return merge(a, b, PPI_CHOICE_GREATEST, choice);
  case PPI_OP_DIV:
  case PPI_OP_FLOOR:
  case PPI_OP_CEIL:
  case PPI_OP_MOD:
    return read_quotient(op, a, b, choice);
  default:
    return false;
  }
}

/* A comparison that the numbers decide. */
static bool read_comparison(enum ppi_op op, const struct ppi_choice *a, const struct ppi_choice *b,
                            struct ppi_choice *choice) {
  int64_t left = 0, right = 0, value = 0;
  if (op < PPI_OP_OR || op > PPI_OP_GE || !constant_of(a, &left) || !constant_of(b, &right))
    return false;
  if (op == PPI_OP_OR)
    value = left != 0 || right != 0;
  else if (op == PPI_OP_AND)
    value = left != 0 && right != 0;
  else if (ppi_expr_apply(op, left, right, &value, NULL))
    return false;
  *choice = constant_choice(value);
  return true;
}

static bool read_if(const struct ppi_expr *expr, const struct ppi_expr_node *node, const struct ppi_choice *slots,
                    struct ppi_choice *choice) {
  struct ppi_choice condition;
  int64_t value = 0;
  return read_node(expr, node->operands[0], slots, &condition) && constant_of(&condition, &value) &&
         read_node(expr, node->operands[value != 0 ? 1 : 2], slots, choice);
}

static bool read_node(const struct ppi_expr *expr, int index, const struct ppi_choice *slots,
                      struct ppi_choice *choice) {
  const struct ppi_expr_node *node = &expr->nodes[index];
  struct ppi_choice a, b;
  switch (node->op) {
  case PPI_OP_CONSTANT:
  case PPI_OP_LETTER:
    *choice = constant_choice(node->value);
    return node->value <= LARGEST && node->value >= -LARGEST;
  case PPI_OP_SLOT:
    *choice = slots[node->value];
    return choice->count > 0;
  case PPI_OP_IF:
    return read_if(expr, node, slots, choice);
  case PPI_OP_NEG:
    return read_node(expr, node->operands[0], slots, choice) && scale(choice, -1);
  default:
    return read_node(expr, node->operands[0], slots, &a) && read_node(expr, node->operands[1], slots, &b) &&
           (read_comparison(node->op, &a, &b, choice) || read_binary(node->op, &a, &b, choice));
  }
}

bool ppi_choice_read(const struct ppi_expr *expr, const struct ppi_choice *slots, struct ppi_choice *choice) {
  return read_node(expr, expr->count - 1, slots, choice);
}

struct condition {
  const struct ppi_expr *expr;
  const struct ppi_choice *slots;
  struct ppi_affine *rows;
  int capacity, count;
};

/* (a - b) * factor - less >= 0. */
static bool add_row(struct condition *condition, const struct ppi_affine *a, int64_t factor, const struct ppi_affine *b,
                    int64_t less) {
  if (condition->count == condition->capacity)
    return false;
  struct ppi_affine *row = &condition->rows[condition->count++];
  return ppi_affine_combine(a, factor, b, -factor, row) && combine(row->constant, 1, less, -1, &row->constant);
}

static enum ppi_op opposite(enum ppi_op op) {
  static const enum ppi_op opposites[] = { PPI_OP_NE, PPI_OP_EQ, PPI_OP_GE, PPI_OP_GT, PPI_OP_LE, PPI_OP_LT };
  return opposites[op - PPI_OP_EQ];
}

static bool compare(struct condition *condition, enum ppi_op op, const struct ppi_affine *a,
                    const struct ppi_affine *b) {
  switch (op) {
  case PPI_OP_LT:
    return add_row(condition, a, -1, b, 1);
  case PPI_OP_LE:
    return add_row(condition, a, -1, b, 0);
  case PPI_OP_GT:
    return add_row(condition, a, 1, b, 1);
  case PPI_OP_GE:
    return add_row(condition, a, 1, b, 0);
  case PPI_OP_EQ:
    return add_row(condition, a, 1, b, 0) && add_row(condition, a, -1, b, 0);
  default:
    return false;
  }
}

static bool read_form(const struct condition *condition, int index, struct ppi_affine *form) {
  struct ppi_choice choice;
  return read_node(condition->expr, index, condition->slots, &choice) && ppi_choice_is_form(&choice, form);
}

static bool read_condition(struct condition *condition, int index, bool holds) {
  const struct ppi_expr_node *node = &condition->expr->nodes[index];
  struct ppi_choice value;
  struct ppi_affine left, right;
  int64_t known = 0;
  if (read_node(condition->expr, index, condition->slots, &value) && constant_of(&value, &known))
    return (known != 0) == holds || add_row(condition, &(struct ppi_affine){ .constant = 0 }, 1,
                                            &(struct ppi_affine){ .constant = 0 }, 1); /* never */
  if (node->op == (holds ? PPI_OP_AND : PPI_OP_OR))
    return read_condition(condition, node->operands[0], holds) && read_condition(condition, node->operands[1], holds);
  if (node->op < PPI_OP_EQ || node->op > PPI_OP_GE || !read_form(condition, node->operands[0], &left) ||
      !read_form(condition, node->operands[1], &right))
    return false;
  return compare(condition, holds ? node->op : opposite(node->op), &left, &right);
}

bool ppi_choice_condition(const struct ppi_expr *expr, const struct ppi_choice *slots, bool holds,
                          struct ppi_affine *rows, int capacity, int *count) {
  struct condition condition = { expr, slots, rows, capacity, 0 };
  if (!read_condition(&condition, expr->count - 1, holds))
    return false;
  *count = condition.count;
  return true;
}
