/* SPDX-License-Identifier: BSD-3-Clause */
/* A shortest path: the points one after another, the candidates side by side. Costs are, in this order, excess over the tie, changes, and
   losses, weighted so that one of the former is never outweighed by all of the latter. */
#include "predict/cells.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANGE 1.0
#define EXCESS 1e9  /* for each unit of loss */
#define FAVOUR 1e-9 /* of the stock candidate before another one without a loss */

struct path {
  const struct ppi_cells_rule *rule;
  double weight;        /* of the losses */
  double *cost, *ahead; /* of the best way to each candidate, at a point and at the next one */
  size_t *from;         /* point_count * candidate_count: where it comes from */
};

static double cost_of(const struct path *path, const double *losses, size_t candidate) {
  const struct ppi_cells_rule *rule = path->rule;
  const double loss = losses[candidate];
  if (!isfinite(loss))
    return (double)INFINITY;
  if (loss <= rule->tie)
    return candidate == rule->stock ? 0.0 : FAVOUR + loss * path->weight;
  return loss * path->weight + (loss - rule->tie) * EXCESS;
}

static bool may_follow(const struct ppi_cells_rule *rule, size_t before, size_t after) {
  return !rule->order || rule->order[after] >= rule->order[before];
}

/* The cheapest way to a candidate but for its own cost. Of equal ones that which changes nothing, then the first. */
static size_t best_before(const struct path *path, size_t candidate, double *cost) {
  size_t best = candidate;
  *cost = path->cost[candidate];
  for (size_t c = 0; c < path->rule->candidate_count; c++)
    if (c != candidate && may_follow(path->rule, c, candidate) && path->cost[c] + CHANGE < *cost) {
      *cost = path->cost[c] + CHANGE;
      best = c;
    }
  return best;
}

static void go_on(struct path *path, const double *losses, size_t *from) {
  const size_t count = path->rule->candidate_count;
  for (size_t c = 0; c < count; c++) {
    double before = 0.0;
    from[c] = best_before(path, c, &before);
    path->ahead[c] = before + cost_of(path, losses, c);
  }
  memcpy(path->cost, path->ahead, count * sizeof *path->cost);
}

static size_t cheapest(const struct path *path) {
  size_t best = path->rule->stock;
  for (size_t c = 0; c < path->rule->candidate_count; c++)
    if (path->cost[c] < path->cost[best])
      best = c;
  return best;
}

enum perfpred_status ppi_cells_choose(const struct ppi_cells_rule *rule, const double *const *losses,
                                      size_t point_count, size_t *chosen, struct perfpred_error *error) {
  const size_t count = rule->candidate_count;
  assert(count > 0 && point_count > 0 && rule->stock < count);
  struct path path = { .rule = rule, .weight = 0.5 / (1.0 + (double)point_count * rule->tie) };
  enum perfpred_status status = PERFPRED_OK;
  path.cost = calloc(2 * count, sizeof *path.cost);
  path.from = calloc(point_count, count * sizeof *path.from);
  if (!path.cost || !path.from) {
    status = ppi_error_memory(error);
    goto end;
  }
  path.ahead = path.cost + count;
  for (size_t i = 0; i < point_count; i++)
    go_on(&path, losses[i], path.from + i * count);
  size_t last = cheapest(&path);
  if (!isfinite(path.cost[last])) {
    status = ppi_error_set(error, PERFPRED_NOT_FOUND, "no sequence of candidates can be taken at all points");
    goto end;
  }
  for (size_t i = point_count; i-- > 0; last = path.from[i * count + last])
    chosen[i] = last;
end:
  free(path.from);
  free(path.cost);
  return status;
}
