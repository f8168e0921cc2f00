/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/loop.h"

bool ppi_loop_begin(struct ppi_loop *loop, const struct ppi_node *node, int64_t lower, int64_t upper, int64_t step) {
  int64_t length = 0;
  if (lower < upper && __builtin_sub_overflow(upper, lower, &length))
    return false;
  const int64_t rest = length % step;
  loop->at = lower;
  loop->left = length;
  loop->step = step;
  loop->first = node->short_first && rest > 0 ? rest : step;
  loop->down = node->down;
  return true;
}

bool ppi_loop_next(struct ppi_loop *loop, int64_t *start, int64_t *width) {
  if (loop->left <= 0)
    return false;
  *width = loop->first < loop->left ? loop->first : loop->left;
  loop->first = loop->step;
  loop->left -= *width;
  *start = loop->down ? loop->at + loop->left : loop->at;
  if (!loop->down)
    loop->at += *width;
  return true;
}
