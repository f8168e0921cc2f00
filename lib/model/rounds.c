/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/refine.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MORE_SHARE 0.3  /* of what is left after the first samples: for more repetitions of them */
#define ROUND_SHARE 0.5 /* of what is left: for one round, so that the next one can go where it is worst then */
#define WHOLE_SHARE 0.95
#define FITS 2 /* that come of a split */

static int least(int a, int b) {
  return a < b ? a : b;
}

static enum perfpred_status add_domains(struct ppi_refinement *refinement, bool again) {
  enum perfpred_status status = PERFPRED_OK;

  for (size_t i = 0; !status && i < refinement->count; i++)
    status =
        ppi_batch_add(refinement, i, refinement->growths[i].target->lower, refinement->growths[i].target->upper, again);
  return status;
}

/* Repetitions of the first round that the rest of the budget allows for on top: all of it for the least number of them, a share
   for more. The batch holds the first round. */
static int more_repetitions(const struct ppi_refinement *refinement) {
  int wanted = refinement->options.repetitions, fewest = least(wanted, PPI_REPETITIONS_LEAST);
  bool few = refinement->repetitions < fewest;
  double budget_s = (few ? WHOLE_SHARE : MORE_SHARE) * fmax(ppi_budget_left(refinement), 0.0);
  double affordable = floor(budget_s / ppi_budget_batch_cost(refinement, 0, 1));

  return (int)fmin((few ? fewest : wanted) - refinement->repetitions, affordable);
}

/* With a budget: a few samples of everything, and more of them as far as the budget goes. */
static enum perfpred_status measure_within_budget(struct ppi_refinement *refinement) {
  int more;
  enum perfpred_status status = ppi_budget_probe(refinement);

  refinement->repetitions = least(refinement->options.repetitions, PPI_REPETITIONS_LEAST);
  if (!status)
    status = ppi_budget_oversampling(refinement, &refinement->repetitions);
  if (!status)
    status = add_domains(refinement, true);
  if (!status)
    status = ppi_batch_measure(refinement, refinement->repetitions, false);
  if (!status)
    status = add_domains(refinement, true);
  if (status)
    return status;
  more = more_repetitions(refinement);
  if (more < 1) {
    ppi_batch_truncate(refinement, 0);
    return PERFPRED_OK;
  }
  refinement->repetitions += more;
  return ppi_batch_measure(refinement, more, true);
}

/* Fits are part of the budget: the latest ones tell what the next will take. */
static void learn_fit(struct ppi_refinement *refinement, double begin_s, size_t fits) {
  if (fits > 0)
    refinement->fit_s = fmax(ppi_budget_now(refinement) - begin_s, 0.0) / (double)fits;
}

static enum perfpred_status plant_all(struct ppi_refinement *refinement) {
  double begin_s = ppi_budget_now(refinement);
  enum perfpred_status status = PERFPRED_OK;

  for (size_t i = 0; !status && i < refinement->count; i++)
    status = ppi_growth_plant(refinement, i);
  learn_fit(refinement, begin_s, refinement->count);
  refinement->floor_s += ppi_budget_now(refinement) - begin_s;
  return status;
}

static enum perfpred_status begin(struct ppi_refinement *refinement) {
  enum perfpred_status status;

  refinement->repetitions = refinement->options.repetitions;
  refinement->ahead = 0.5;
  if (ppi_budget_set(refinement)) {
    status = measure_within_budget(refinement);
  } else {
    status = add_domains(refinement, false);
    if (!status)
      status = ppi_batch_measure(refinement, refinement->repetitions, false);
  }
  return status ? status : plant_all(refinement);
}

/* A leaf that could be split, and what that might gain. */
struct candidate {
  size_t target;
  int leaf, dimension;
  int64_t at;
  double gain;
  bool chosen;
};

static int by_gain(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;

  if (x->gain != y->gain)
    return x->gain < y->gain ? 1 : -1;
  if (x->target != y->target)
    return x->target < y->target ? -1 : 1;
  return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

/* Error times run time in the middle of the piece: what the error weighs in a sum of calls. */
static double gain(const struct ppi_growth *growth, const struct ppi_piece *piece) {
  int64_t middle[PPI_SIZE_MAX];

  for (int d = 0; d < growth->dimensions; d++)
    middle[d] = piece->lower[d] + (piece->upper[d] - piece->lower[d]) / 2;
  return piece->error * fmax(ppi_piece_value(piece, growth->dimensions, 1, middle), piece->floors[1]);
}

static enum perfpred_status candidates_of(const struct ppi_refinement *refinement, struct candidate **candidates,
                                          size_t *count) {
  size_t most = 0, used = 0;
  struct candidate *made;

  for (size_t i = 0; i < refinement->count; i++)
    most += (size_t)refinement->growths[i].piece_count;
  assert(most > 0); /* every target has a root */
  made = calloc(most, sizeof *made);
  if (!made)
    return ppi_error_memory(refinement->error);
  for (size_t i = 0; i < refinement->count; i++) {
    const struct ppi_growth *growth = refinement->growths + i;

    for (int k = 0; k < growth->piece_count && growth->piece_count < PPI_PIECE_MAX / 2; k++) {
      const struct ppi_piece *piece = growth->pieces + k;
      struct candidate *candidate = made + used;

      if (growth->leaves[k].settled)
        continue;
      candidate->dimension = ppi_split_choose(growth->dimensions, piece->lower, piece->upper,
                                              growth->knobs.minimum_width, growth->knobs.grain, &candidate->at);
      candidate->target = i;
      candidate->leaf = k;
      candidate->gain = gain(growth, piece);
      used++;
    }
  }
  qsort(made, used, sizeof *made, by_gain);
  *candidates = made;
  *count = used;
  return PERFPRED_OK;
}

/* The boxes of both halves: lower[0] to upper[0], lower[1] to upper[1]. */
struct halves {
  int64_t lower[2][PPI_SIZE_MAX], upper[2][PPI_SIZE_MAX];
};

static struct halves halve(const struct ppi_refinement *refinement, const struct candidate *candidate) {
  const struct ppi_piece *piece = refinement->growths[candidate->target].pieces + candidate->leaf;
  struct halves made = { { { 0 } }, { { 0 } } };

  for (int d = 0; d < PPI_SIZE_MAX; d++) {
    made.lower[0][d] = made.lower[1][d] = piece->lower[d];
    made.upper[0][d] = made.upper[1][d] = piece->upper[d];
  }
  made.upper[0][candidate->dimension] = made.lower[1][candidate->dimension] = candidate->at;
  return made;
}

static enum perfpred_status add_halves(struct ppi_refinement *refinement, const struct candidate *candidate) {
  enum perfpred_status status = PERFPRED_OK;

  struct halves halves = halve(refinement, candidate);
  for (int i = 0; i < 2 && !status; i++)
    status = ppi_batch_add(refinement, candidate->target, halves.lower[i], halves.upper[i], false);
  return status;
}

/* Splits the leaf if the budget sufficed for all points of its halves. */
static enum perfpred_status split(struct ppi_refinement *refinement, const struct candidate *candidate, size_t *count) {
  bool complete = true;
  enum perfpred_status status = PERFPRED_OK;

  struct halves halves = halve(refinement, candidate);
  for (int i = 0; i < 2 && !status && complete; i++)
    status = ppi_batch_complete(refinement, candidate->target, halves.lower[i], halves.upper[i], &complete);
  if (status || !complete)
    return status;
  (*count)++;
  return ppi_growth_split(refinement, candidate->target, candidate->leaf, candidate->dimension, candidate->at);
}

/* Chooses candidates in order of gain as long as their samples stay below limit_s; those too dear are passed over. */
static enum perfpred_status choose(struct ppi_refinement *refinement, struct candidate *candidates, size_t count,
                                   double limit_s, size_t *chosen) {
  double cost_s = 0.0;

  *chosen = 0;
  ppi_batch_truncate(refinement, 0);
  for (size_t i = 0; i < count; i++) {
    size_t before = refinement->batch_count;
    enum perfpred_status status = add_halves(refinement, candidates + i);
    double more_s;

    if (status)
      return status;
    more_s = ppi_budget_batch_cost(refinement, before, refinement->repetitions) + FITS * refinement->fit_s;
    candidates[i].chosen = cost_s + more_s <= limit_s;
    if (candidates[i].chosen) {
      cost_s += more_s;
      (*chosen)++;
    } else {
      ppi_batch_truncate(refinement, before);
    }
  }
  return PERFPRED_OK;
}

/* All candidates if they fit into the budget, else the best ones for a share of it, else any that fits. None where there was not
   even time for the repetitions that make a sample trustworthy. */
static enum perfpred_status plan(struct ppi_refinement *refinement, struct candidate *candidates, size_t count,
                                 size_t *chosen) {
  double left_s = ppi_budget_left(refinement);
  enum perfpred_status status;

  *chosen = 0;
  if (left_s <= 0.0 || refinement->repetitions < least(refinement->options.repetitions, PPI_REPETITIONS_LEAST))
    return PERFPRED_OK;
  status = choose(refinement, candidates, count, WHOLE_SHARE * left_s, chosen);
  if (status || *chosen == count)
    return status;
  status = choose(refinement, candidates, count, ROUND_SHARE * left_s, chosen);
  if (status || *chosen > 0)
    return status;
  return choose(refinement, candidates, count, WHOLE_SHARE * left_s, chosen);
}

/* Share of the domains' volume that is settled: progress where there is no budget. */
static double settled_share(const struct ppi_refinement *refinement) {
  double sum = 0.0;

  for (size_t i = 0; i < refinement->count; i++) {
    const struct ppi_growth *growth = refinement->growths + i;

    for (int k = 0; k < growth->piece_count; k++) {
      double share = growth->leaves[k].settled ? 1.0 : 0.0;

      for (int d = 0; d < growth->dimensions; d++) {
        double whole = (double)(growth->target->upper[d] - growth->target->lower[d]);

        if (whole > 0.0)
          share *= (double)(growth->pieces[k].upper[d] - growth->pieces[k].lower[d]) / whole;
      }
      sum += share;
    }
  }
  return sum / (double)refinement->count;
}

static void advance(struct ppi_refinement *refinement) {
  if (ppi_budget_set(refinement))
    return;
  refinement->fraction = fmin(fmax(refinement->fraction, settled_share(refinement)), 1.0);
  refinement->ahead = 0.5 * (1.0 - refinement->fraction);
}

/* One round. *split_count: number of leaves that were split. */
static enum perfpred_status refine(struct ppi_refinement *refinement, size_t *candidate_count, size_t *split_count) {
  struct candidate *candidates = NULL;
  size_t chosen = 0;
  double begin_s;
  enum perfpred_status status = candidates_of(refinement, &candidates, candidate_count);

  *split_count = 0;
  if (!status && *candidate_count > 0)
    status = plan(refinement, candidates, *candidate_count, &chosen);
  if (!status && chosen > 0)
    status = ppi_batch_measure(refinement, refinement->repetitions, true);
  begin_s = ppi_budget_now(refinement);
  for (size_t i = 0; !status && chosen > 0 && i < *candidate_count; i++)
    if (candidates[i].chosen)
      status = split(refinement, candidates + i, split_count);
  learn_fit(refinement, begin_s, FITS * *split_count);
  free(candidates);
  return status;
}

enum perfpred_status ppi_rounds_run(struct ppi_refinement *refinement) {
  size_t candidates = 0, splits = 0;
  enum perfpred_status status = begin(refinement);

  if (status)
    return status;
  do {
    advance(refinement);
    status = refine(refinement, &candidates, &splits);
  } while (!status && splits > 0);
  if (candidates > 0)
    refinement->exhausted = true;
  return status;
}
