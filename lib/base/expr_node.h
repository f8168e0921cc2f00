/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of an expression, known only to the expr_*.c files: an array in which operands stand before their operator,
 * the root last. */
#ifndef PPI_BASE_EXPR_NODE_H
#define PPI_BASE_EXPR_NODE_H

#include "base/expr.h"

#define PPI_EXPR_LEVELS 200 /* deepest tree: bounds the recursion over hostile texts */
#define PPI_EXPR_NESTING 64 /* deepest nesting of parentheses and signs: the parser needs more stack for a level */
#define PPI_EXPR_NODES 4096 /* most nodes */

enum ppi_op {
  PPI_OP_CONSTANT, /* value */
  PPI_OP_LETTER,   /* value, a character; printed as the letter */
  PPI_OP_SLOT,     /* value, an index */
  PPI_OP_IF,       /* condition, then, otherwise */
  PPI_OP_OR,
  PPI_OP_AND,
  PPI_OP_EQ,
  PPI_OP_NE,
  PPI_OP_LT,
  PPI_OP_LE,
  PPI_OP_GT,
  PPI_OP_GE,
  PPI_OP_ADD,
  PPI_OP_SUB,
  PPI_OP_MUL,
  PPI_OP_DIV,   /* exact */
  PPI_OP_FLOOR, /* rounded down */
  PPI_OP_MOD,   /* what PPI_OP_FLOOR leaves */
  PPI_OP_NEG,
  PPI_OP_MIN,
  PPI_OP_MAX,
  PPI_OP_CEIL, /* ceildiv */
  PPI_OP_COUNT
};

struct ppi_expr_node {
  enum ppi_op op;
  int operands[3]; /* indices of nodes; of an operator with fewer, the first ones */
  int levels;      /* height of the tree below, this node included */
  bool constant;   /* no slot below */
  int64_t value;
};

struct ppi_expr {
  struct ppi_expr_node *nodes;
  int count, capacity;
};

/* Operators by strength: a weaker one has the smaller number. */
enum ppi_strength {
  PPI_STRENGTH_IF,
  PPI_STRENGTH_OR,
  PPI_STRENGTH_AND,
  PPI_STRENGTH_COMPARE,
  PPI_STRENGTH_SUM,
  PPI_STRENGTH_PRODUCT,
  PPI_STRENGTH_SIGN,
  PPI_STRENGTH_ATOM
};

struct ppi_op_info {
  const char *spelling; /* mark of an infix operator, name of a function, "" of the rest */
  int operands;         /* how many; functions min and max may be written with more */
  enum ppi_strength strength;
  bool function;
};
const struct ppi_op_info *ppi_expr_op(enum ppi_op op);

/* What the operators compute; operands of the lazy ones (?:, &&, ||) are not theirs. */
enum perfpred_status ppi_expr_apply(enum ppi_op op, int64_t a, int64_t b, int64_t *result,
                                    struct perfpred_error *error);

static inline const struct ppi_expr_node *ppi_expr_root(const struct ppi_expr *expr) {
  return &expr->nodes[expr->count - 1];
}

#endif
