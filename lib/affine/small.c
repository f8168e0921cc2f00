/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting accesses without executing them, as far as that is easy: a loop whose body does not depend on it is gone through once. */
#include <string.h>

#include "affine/misses.h"
#include "program/loop.h"

#define STEPS_MAX 1000000 /* iterations that are looked at; some milliseconds */

struct counter {
  int64_t slots[PPI_SLOT_MAX];
  uint64_t at_most, steps;
};

static bool count_block(struct counter *counter, const struct ppi_node *node, uint64_t *count);

static bool depends_on(const struct ppi_expr *expr, int slot) {
  return expr && ppi_expr_uses(expr, (size_t)slot);
}

/* Whether the number of accesses of a block may depend on a slot. */
static bool block_depends_on(const struct ppi_node *node, int slot) {
  for (; node; node = node->next)
    if (depends_on(node->lower, slot) || depends_on(node->upper, slot) || depends_on(node->step, slot) ||
        depends_on(node->value, slot) || block_depends_on(node->body, slot) || block_depends_on(node->otherwise, slot))
      return true;
  return false;
}

static bool value_of(const struct counter *counter, const struct ppi_expr *expr, int64_t *value) {
  return ppi_expr_eval(expr, counter->slots, value, NULL) == PERFPRED_OK;
}

/* *count: of the accesses so far, which stays within the bound. */
static bool add_times(const struct counter *counter, uint64_t times, uint64_t accesses, uint64_t *count) {
  uint64_t product = 0;
  return !__builtin_mul_overflow(times, accesses, &product) && !__builtin_add_overflow(*count, product, count) &&
         *count <= counter->at_most;
}

static bool count_iterations(struct counter *counter, const struct ppi_node *node, struct ppi_loop *loop,
                             uint64_t *count) {
  int64_t start = 0, width = 0;
  while (ppi_loop_next(loop, &start, &width)) {
    if (++counter->steps > STEPS_MAX)
      return false;
    counter->slots[node->slot] = start;
    if (node->width_slot >= 0)
      counter->slots[node->width_slot] = width;
    if (!count_block(counter, node->body, count))
      return false;
  }
  return true;
}

static bool count_for(struct counter *counter, const struct ppi_node *node, uint64_t *count) {
  int64_t lower = 0, upper = 0, step = 0;
  struct ppi_loop loop;
  if (!value_of(counter, node->lower, &lower) || !value_of(counter, node->upper, &upper) ||
      !value_of(counter, node->step, &step) || step < 1 || !ppi_loop_begin(&loop, node, lower, upper, step))
    return false;
  const bool varies = block_depends_on(node->body, node->slot) ||
                      (node->width_slot >= 0 && block_depends_on(node->body, node->width_slot));
  if (varies || loop.left == 0)
    return count_iterations(counter, node, &loop, count);
  uint64_t once = 0;
  const uint64_t times = (uint64_t)(loop.left / step + (loop.left % step > 0));
  return count_block(counter, node->body, &once) && add_times(counter, times, once, count);
}

static bool count_node(struct counter *counter, const struct ppi_node *node, uint64_t *count) {
  int64_t value = 0;
  switch (node->kind) {
  case PPI_NODE_FOR:
    return count_for(counter, node, count);
  case PPI_NODE_IF:
    return value_of(counter, node->value, &value) &&
           count_block(counter, value != 0 ? node->body : node->otherwise, count);
  case PPI_NODE_LET:
    return value_of(counter, node->value, &counter->slots[node->slot]);
  case PPI_NODE_ACCESS:
    return add_times(counter, 1, node->access == PPI_INOUT ? 2 : 1, count);
  case PPI_NODE_CALL:
  case PPI_NODE_RUN:
    break;
  }
  return false;
}

static bool count_block(struct counter *counter, const struct ppi_node *node, uint64_t *count) {
  for (; node; node = node->next)
    if (!count_node(counter, node, count))
      return false;
  return true;
}

bool ppi_misses_is_small(const struct perfpred_program *nest, const int64_t *parameters, uint64_t at_most) {
  struct counter counter = { .at_most = at_most };
  uint64_t count = 0;
  memcpy(counter.slots, parameters, (size_t)nest->parameter_count * sizeof *parameters);
  return count_block(&counter, nest->body, &count);
}
