/* SPDX-License-Identifier: BSD-3-Clause */
/* What measuring will cost, from operation counts and what it has cost so far.
 *
 * The timed calls for one wanted sample (warm and rejected ones included, and those beyond what was wanted) cost about a + b * work; a and b come from one sample
 * at either corner of each domain. `correction` is how far that was off in the last batch, `overhead_s` the wall time per wanted
 * sample that is no timed call (yardsticks, restoring operands), `pace` what is left of a virtual second on the wall.
 *
 * Time is always that of the wall: whatever happened since the start, fits and the start of a worker included, is missing from what is
 * left. Fits that are still to come are reckoned to take what the last ones took. */
#include <math.h>
#include <string.h>

#include "model/domain.h"

#define FIRST_SHARE 0.6     /* of the budget that the first round may take before oversampling is lowered */
#define PROBE_SHARE 0.2     /* of the budget: for the repetitions that a sample at either corner has of itself */
#define START_OVERHEAD 1e-3 /* the first batch pays for the sampler's start as well: do not extrapolate that */

bool ppi_budget_set(const struct ppi_refinement *refinement) {
  return refinement->options.budget_s > 0.0;
}

double ppi_budget_now(const struct ppi_refinement *refinement) {
  return refinement->source->now_s(refinement->source->data);
}

double ppi_budget_left(const struct ppi_refinement *refinement) {
  double spent_s;

  if (!ppi_budget_set(refinement))
    return INFINITY;
  spent_s = ppi_budget_now(refinement) - refinement->start_s;
  return refinement->options.budget_s - spent_s - refinement->fits_s - refinement->late_s;
}

void ppi_budget_late(struct ppi_refinement *refinement, double wall_s, double budget_s) {
  refinement->late_s = fmax(refinement->late_s, wall_s - budget_s);
}

double ppi_budget_work(const struct ppi_growth *growth, const int64_t *sizes) {
  const struct perfpred_kernel *kernel = growth->target->kernel;
  struct ppi_value values[PPI_ARG_MAX];
  double count;

  for (int i = 0; i < PPI_ARG_MAX; i++)
    values[i] = growth->target->values[i];
  ppi_target_apply(growth->target, sizes, values);
  count = ppi_kernel_flops(kernel, values);
  return count > 0.0 ? count : ppi_kernel_movement_bytes(kernel, values);
}

void ppi_budget_corner(const struct ppi_refinement *refinement, size_t target, int64_t sizes[PPI_SIZE_MAX]) {
  const struct ppi_growth *growth = refinement->growths + target;
  const struct ppi_target *about = growth->target;
  int64_t lower[PPI_SIZE_MAX];

  memcpy(sizes, about->upper, sizeof about->upper);
  if (!about->basis) {
    ppi_growth_admit(growth, about->lower, about->upper, sizes);
    return;
  }
  ppi_group_lower(refinement, target, lower); /* so that all of a group have the same one */
  ppi_basis_shrink(about->basis, lower, sizes);
  for (int d = 0; d < growth->dimensions; d++)
    if (about->basis->sharing[d] && sizes[d] < about->upper[d])
      sizes[d] -= (sizes[d] - lower[d]) % growth->knobs.grain;
}

/* The smallest point that is sampled. */
static void low_corner(const struct ppi_growth *growth, int64_t sizes[PPI_SIZE_MAX]) {
  const struct ppi_target *target = growth->target;

  memcpy(sizes, target->lower, sizeof target->lower);
  if (target->basis)
    ppi_basis_fold(target->basis, target->lower, growth->knobs.grain, sizes);
  else
    ppi_growth_admit(growth, target->lower, target->upper, sizes);
}

static double corner_cost(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  const struct ppi_point *point =
      ppi_points_find(&refinement->points, target, refinement->growths[target].dimensions, sizes);

  return point ? point->cost_s : 0.0;
}

enum perfpred_status ppi_budget_probe(struct ppi_refinement *refinement) {
  double begin_s = ppi_budget_now(refinement);
  enum perfpred_status status = PERFPRED_OK;

  for (size_t i = 0; !status && i < refinement->count; i++) {
    int64_t low[PPI_SIZE_MAX], corner[PPI_SIZE_MAX];

    low_corner(refinement->growths + i, low);
    ppi_budget_corner(refinement, i, corner);
    status = ppi_batch_add_point(refinement, i, low, false);
    if (!status)
      status = ppi_batch_add_point(refinement, i, corner, false);
  }
  refinement->share = PROBE_SHARE;
  if (!status)
    status = ppi_batch_measure(refinement, 1, false);
  refinement->share = 0.0;
  refinement->floor_s += ppi_budget_now(refinement) - begin_s;
  for (size_t i = 0; !status && i < refinement->count; i++) {
    struct ppi_growth *growth = refinement->growths + i;
    int64_t low[PPI_SIZE_MAX], corner[PPI_SIZE_MAX];

    low_corner(growth, low);
    ppi_budget_corner(refinement, i, corner);
    growth->work[0] = ppi_budget_work(growth, low);
    growth->work[1] = ppi_budget_work(growth, corner);
    growth->cost_s[0] = corner_cost(refinement, i, low);
    growth->cost_s[1] = corner_cost(refinement, i, corner);
  }
  refinement->overhead_s = fmin(refinement->overhead_s, START_OVERHEAD);
  return status;
}

void ppi_budget_learn(struct ppi_refinement *refinement, double wall_s, double measure_s, double expected_s,
                      double samples) {
  if (samples <= 0.0)
    return;
  if (expected_s > 0.0)
    refinement->correction = fmin(fmax(measure_s / expected_s, 0.1), 10.0);
  if (wall_s >= measure_s) {
    refinement->overhead_s = (wall_s - measure_s) / samples;
    refinement->pace = 1.0;
  } else {
    refinement->overhead_s = 0.0;
    refinement->pace = fmax(wall_s, 0.0) / measure_s;
  }
}

double ppi_budget_measure_cost(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  const struct ppi_growth *growth = refinement->growths + target;
  double span = growth->work[1] - growth->work[0];
  double share;

  if (!ppi_budget_set(refinement))
    return 0.0;
  share = span > 0.0 ? (ppi_budget_work(growth, sizes) - growth->work[0]) / span : 1.0;
  return fmax(growth->cost_s[0] + share * (growth->cost_s[1] - growth->cost_s[0]),
              fmin(growth->cost_s[0], growth->cost_s[1]));
}

/* Of the target alone. */
static double own_cost(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  double measure_s = ppi_budget_measure_cost(refinement, target, sizes) * refinement->correction;

  return (measure_s + refinement->overhead_s) * refinement->pace;
}

double ppi_budget_sample_cost(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  size_t first, end;
  double cost_s = 0.0;

  ppi_group_of(refinement, target, &first, &end);
  for (size_t i = first; i < end; i++)
    cost_s += own_cost(refinement, i, sizes);
  return cost_s;
}

double ppi_budget_batch_cost(const struct ppi_refinement *refinement, size_t from, int repetitions) {
  double cost_s = 0.0;

  if (!ppi_budget_set(refinement))
    return 0.0;
  for (size_t i = from; i < refinement->batch_count; i++) {
    const struct ppi_point *point = refinement->points.items + refinement->batch[i];

    cost_s += own_cost(refinement, point->target, point->sizes);
  }
  return cost_s * repetitions;
}

/* Cost of the first round with the oversampling that the growths have now. */
static enum perfpred_status first_cost(const struct ppi_refinement *refinement, int repetitions, double *cost_s) {
  *cost_s = 0.0;
  for (size_t i = 0; i < refinement->count; i++) {
    const struct ppi_growth *growth = refinement->growths + i;
    struct ppi_lattice lattice;
    int64_t sizes[PPI_SIZE_MAX];
    enum perfpred_status status = ppi_lattice_of(growth, refinement->options.grid, growth->target->lower,
                                                 growth->target->upper, &lattice, refinement->error);

    if (status)
      return status;
    for (size_t k = 0; k < lattice.total; k++) {
      if (ppi_lattice_admits(growth, &lattice, k, sizes))
        *cost_s += repetitions * ppi_budget_sample_cost(refinement, i, sizes);
    }
  }
  return PERFPRED_OK;
}

static bool lower_oversampling(struct ppi_refinement *refinement) {
  bool lowered = false;

  for (size_t i = 0; i < refinement->count; i++)
    if (refinement->growths[i].knobs.oversampling > 1) {
      refinement->growths[i].knobs.oversampling--;
      lowered = true;
    }
  return lowered;
}

static bool lower_repetitions(int *repetitions) {
  bool lowered = *repetitions > 1;

  *repetitions -= lowered;
  return lowered;
}

enum perfpred_status ppi_budget_oversampling(struct ppi_refinement *refinement, int *repetitions) {
  double cost_s = 0.0;
  enum perfpred_status status;

  do
    status = first_cost(refinement, *repetitions, &cost_s);
  while (!status && cost_s > FIRST_SHARE * ppi_budget_left(refinement) &&
         (lower_oversampling(refinement) || lower_repetitions(repetitions)));
  return status;
}
