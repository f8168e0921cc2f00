/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/adaptive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SHARE 0.6 /* of the budget: for the first samples */
#define ROUND_SHARE 0.4 /* of the budget that is left: for one round */
#define WHOLE_SHARE 0.95
#define ROUNDS 500
#define VERIFICATIONS 4
#define POINTS 50000 /* per target */
#define PATIENT 1024 /* points: from there on twice as many of them have to bring something */
#define LESS 0.8     /* of the error: what is left of it then */
#define FITS_MORE                                                                                                      \
  1.5               /* times what looking at all targets took last: for the fits at the end, which have more samples */
#define LOOSEST 0.5 /* error bound of a call that takes next to nothing of its step */

/* What a target's samples were worth when they were last counted. */
struct yield {
  int count;
  double error;
  bool stalled; /* twice as many made hardly a difference: there is no shape that more of them would show */
};

struct work {
  struct ppi_refinement *refinement;
  struct ppi_terms *terms; /* one per target */
  struct ppi_memory *memories;
  struct ppi_tiling *tilings;
  struct ppi_wishes wishes;
  bool *changed; /* targets with new samples since they were looked at */
  int *verified; /* how often each target was verified */
  struct yield *yields;
  double *looked_s; /* how long it took to look at each target last */
  int *pieces;      /* that it had then */
  double solve_s;   /* of one in the solver, which may be far away */
};

static void work_release(struct work *work) {
  ppi_wishes_release(&work->wishes);
  for (size_t i = 0; work->memories && i < work->refinement->count; i++)
    ppi_memory_release(work->memories + i);
  free(work->memories);
  free(work->tilings);
  free(work->pieces);
  free(work->looked_s);
  free(work->yields);
  free(work->verified);
  free(work->changed);
  free(work->terms);
}

static enum perfpred_status work_init(struct work *work) {
  struct ppi_refinement *refinement = work->refinement;

  work->terms = malloc(refinement->count * sizeof *work->terms);
  work->changed = calloc(refinement->count, sizeof *work->changed);
  work->verified = calloc(refinement->count, sizeof *work->verified);
  work->memories = calloc(refinement->count, sizeof *work->memories);
  work->tilings = calloc(refinement->count, sizeof *work->tilings);
  work->looked_s = calloc(refinement->count, sizeof *work->looked_s);
  work->pieces = calloc(refinement->count, sizeof *work->pieces);
  work->yields = calloc(refinement->count, sizeof *work->yields);
  if (!work->pieces || !work->yields || !work->looked_s || !work->tilings || !work->terms || !work->changed ||
      !work->verified || !work->memories)
    return ppi_error_memory(refinement->error);
  for (size_t i = 0; i < refinement->count; i++)
    ppi_terms_of(refinement->growths + i, work->terms + i);
  return PERFPRED_OK;
}

static int by_worth(const void *a, const void *b) {
  const struct ppi_wish *x = a, *y = b;

  if (x->worth != y->worth)
    return x->worth < y->worth ? 1 : -1;
  if (x->target != y->target)
    return x->target < y->target ? -1 : 1;
  return memcmp(x->sizes, y->sizes, sizeof x->sizes); /* any order will do that is always the same */
}

/* Cuts the list off where limit_s is spent; what comes first is what gains most for its cost: short calls are most of an algorithm where
   that is short, and next to nothing of the budget. */
static void cut_off(struct work *work, double limit_s) {
  double spent_s = 0.0;
  size_t kept = 0;

  for (size_t i = 0; i < work->wishes.count; i++) {
    struct ppi_wish *wish = work->wishes.items + i;

    wish->worth =
        wish->gain / (wish->repetitions * ppi_budget_sample_cost(work->refinement, wish->target, wish->sizes));
  }
  qsort(work->wishes.items, work->wishes.count, sizeof *work->wishes.items, by_worth);
  for (size_t i = 0; i < work->wishes.count; i++) {
    const struct ppi_wish *wish = work->wishes.items + i;
    double cost_s = wish->repetitions * ppi_budget_sample_cost(work->refinement, wish->target, wish->sizes);

    if (spent_s + cost_s > limit_s)
      continue;
    spent_s += cost_s;
    work->wishes.items[kept++] = *wish;
  }
  work->wishes.count = kept;
}

static double cost_of(const struct work *work) {
  double cost_s = 0.0;

  for (size_t i = 0; i < work->wishes.count; i++) {
    const struct ppi_wish *wish = work->wishes.items + i;

    cost_s += wish->repetitions * ppi_budget_sample_cost(work->refinement, wish->target, wish->sizes);
  }
  return cost_s;
}

/* Makes the first samples as few as the budget asks for: repetitions go first. */
static void shorten(struct work *work) {
  double limit_s = FIRST_SHARE * fmax(ppi_budget_left(work->refinement), 0.0);

  for (int most = PPI_REPETITIONS_LEAST; most >= 1 && cost_of(work) > limit_s; most--)
    for (size_t i = 0; i < work->wishes.count; i++)
      if (work->wishes.items[i].repetitions > most)
        work->wishes.items[i].repetitions = most;
  if (cost_of(work) > limit_s) {
    cut_off(work, limit_s);
    work->refinement->exhausted = true;
  }
}

/* Whether the budget leaves something to do. */
static bool plan(struct work *work) {
  struct ppi_refinement *refinement = work->refinement;
  double left_s = ppi_budget_left(refinement);
  size_t wanted = work->wishes.count;

  if (!ppi_budget_set(refinement))
    return wanted > 0;
  if (left_s > 0.0) {
    double all_s = cost_of(work);

    cut_off(work, (all_s <= WHOLE_SHARE * left_s ? WHOLE_SHARE : ROUND_SHARE) * left_s);
  } else {
    work->wishes.count = 0;
  }
  if (work->wishes.count == 0 && wanted > 0)
    refinement->exhausted = true;
  return work->wishes.count > 0;
}

static void mark_changed(struct work *work, size_t target) {
  size_t first, end;

  ppi_group_of(work->refinement, target, &first, &end);
  for (size_t i = first; i < end; i++)
    work->changed[i] = true;
}

/* Measures all wishes of one number of repetitions in one batch, shuffled. */
static enum perfpred_status measure_those(struct work *work, int repetitions, bool partial) {
  enum perfpred_status status = PERFPRED_OK;

  for (size_t i = 0; !status && i < work->wishes.count; i++) {
    const struct ppi_wish *wish = work->wishes.items + i;

    if (wish->repetitions != repetitions)
      continue;
    status = ppi_batch_add_point(work->refinement, wish->target, wish->sizes, wish->again);
    mark_changed(work, wish->target);
  }
  if (!status)
    status = ppi_batch_measure(work->refinement, repetitions, partial);
  return status;
}

/* The largest number of repetitions below `below` that is wished for; 0: none. */
static int next_repetitions(const struct work *work, int below) {
  int largest = 0;

  for (size_t i = 0; i < work->wishes.count; i++) {
    int repetitions = work->wishes.items[i].repetitions;

    if (repetitions < below && repetitions > largest)
      largest = repetitions;
  }
  return largest;
}

static enum perfpred_status measure(struct work *work, bool partial) {
  enum perfpred_status status = PERFPRED_OK;

  for (int n = next_repetitions(work, work->refinement->options.repetitions + 1); n > 0 && !status;
       n = next_repetitions(work, n))
    status = measure_those(work, n, partial);
  work->wishes.count = 0;
  return status;
}

/* A target whose regions are all settled is put to the proof: a few more samples everywhere. */
static enum perfpred_status wish(struct work *work, size_t target, const struct ppi_partition *partition) {
  size_t before = work->wishes.count;
  enum perfpred_status status = ppi_wishes_of(&work->wishes, work->refinement, target, partition, false);

  if (status || work->wishes.count > before || work->verified[target] >= VERIFICATIONS)
    return status;
  work->verified[target]++;
  return ppi_wishes_of(&work->wishes, work->refinement, target, partition, true);
}

/* Root mean square of the errors of points left out, over the places of the domain: where samples are many counts for no more. */
static double error_of(const struct ppi_partition *partition) {
  double sum = 0.0, all = 0.0;

  for (int i = 0; i < partition->region_count; i++) {
    const struct ppi_region *region = partition->regions + i;
    double places = ppi_region_places(partition->growth, region);

    sum += places * region->deviation * region->deviation;
    all += places;
  }
  return all > 0.0 ? sqrt(sum / all) : 0.0;
}

/* Times that neighbours of this machine disturb, or that jump from each size to the next, would be sampled everywhere. */
static bool is_stalled(struct yield *yield, int count, const struct ppi_partition *partition) {
  double error;

  if (yield->stalled || count < PATIENT || count < 2 * yield->count)
    return yield->stalled;
  error = error_of(partition);
  yield->stalled = yield->count > 0 && error > LESS * yield->error;
  yield->count = count;
  yield->error = error;
  return yield->stalled;
}

/* Looks at a target's samples again. */
static enum perfpred_status look(struct work *work, size_t target) {
  struct ppi_refinement *refinement = work->refinement;
  struct ppi_sampled data;
  struct ppi_partition partition = { .region_count = 0 };
  enum perfpred_status status = ppi_sampled_of(refinement, target, &data);

  if (status)
    return status;
  status = ppi_tiling_update(work->tilings + target, refinement->growths + target, work->terms + target, &data,
                             refinement->error);
  if (!status)
    status = ppi_partition_build(&partition, refinement, target, &data, work->terms + target, work->memories + target);
  if (!status) {
    work->pieces[target] = partition.region_count;
    if (data.count < POINTS && !refinement->growths[target].closed &&
        !is_stalled(work->yields + target, data.count, &partition))
      status = wish(work, target, &partition);
    ppi_partition_release(&partition);
  }
  ppi_sampled_release(&data);
  return status;
}

static void advance(struct ppi_refinement *refinement) {
  if (ppi_budget_set(refinement))
    return;
  refinement->fraction += refinement->ahead;
  refinement->ahead = 0.3 * (1.0 - refinement->fraction);
}

/* The error bound is one of the whole step: a call that takes little of it need not be met that well, and one that takes next to nothing
   would hardly ever be. The errors of calls add up like those of independent numbers. */
static double bound_of(const struct ppi_refinement *refinement, size_t target) {
  double bound = refinement->options.error_bound, own = 0.0, all = 0.0;
  size_t first, end;

  ppi_group_of(refinement, target, &first, &end);
  for (size_t i = 0; i < refinement->points.count; i++) {
    const struct ppi_point *point = refinement->points.items + i;

    if (point->count == 0 || point->target < first || point->target >= end)
      continue;
    all += point->times_s[0];
    own += point->target == target ? point->times_s[0] : 0.0;
  }
  return end == first + 1 ? bound : fmin(fmax(bound, bound * all / (own * sqrt((double)(end - first)))), LOOSEST);
}

/* With the bound of its group's member. */
static enum perfpred_status look_at_member(struct work *work, size_t target) {
  double bound = work->refinement->options.error_bound, begin_s = ppi_budget_now(work->refinement);
  enum perfpred_status status;

  work->refinement->options.error_bound = bound_of(work->refinement, target);
  status = look(work, target);
  work->refinement->options.error_bound = bound;
  work->looked_s[target] = ppi_budget_now(work->refinement) - begin_s;
  return status;
}

static enum perfpred_status carve(struct work *work, size_t target) {
  double bound = work->refinement->options.error_bound;
  enum perfpred_status status;

  work->refinement->options.error_bound = bound_of(work->refinement, target);
  status = ppi_carve(work->refinement, target, work->terms + target, work->memories + target, work->tilings + target);
  work->refinement->options.error_bound = bound;
  return status;
}

static double gain_of(const struct work *work, size_t from) {
  double gain = 0.0;

  for (size_t i = from; i < work->wishes.count; i++)
    gain += work->wishes.items[i].gain;
  return gain;
}

/* Of targets that are sampled together the one that gains most has its wishes: they serve all, and nearly the same points would be wished
   for by each. */
static enum perfpred_status look_at_group(struct work *work, size_t first, size_t end) {
  size_t begin = work->wishes.count;
  double best = 0.0;
  enum perfpred_status status = PERFPRED_OK;

  for (size_t i = first; !status && i < end; i++) {
    size_t before = work->wishes.count;
    double gain;

    work->changed[i] = false;
    status = look_at_member(work, i);
    if (status || before == begin) {
      best = gain_of(work, begin);
      continue;
    }
    gain = gain_of(work, before);
    if (gain > best) {
      best = gain;
      memmove(work->wishes.items + begin, work->wishes.items + before,
              (work->wishes.count - before) * sizeof *work->wishes.items);
      work->wishes.count -= before - begin;
    } else {
      work->wishes.count = before;
    }
  }
  return status;
}

static double looking_s(const struct work *work, size_t first, size_t end) {
  double sum = 0.0;

  for (size_t i = first; i < end; i++)
    sum += work->looked_s[i];
  return sum;
}

static double fits_s(const struct work *work) {
  double solving_s = 0.0;

  for (size_t i = 0; i < work->refinement->count; i++)
    solving_s += work->pieces[i] * work->solve_s;
  return FITS_MORE * (looking_s(work, 0, work->refinement->count) + solving_s);
}

/* Looks at all targets with new samples, if there is time for it. The same is to be done once more at the end. */
static enum perfpred_status look_at_all(struct work *work, bool *done) {
  struct ppi_refinement *refinement = work->refinement;
  enum perfpred_status status = PERFPRED_OK;
  size_t first, end;

  *done = true;
  for (size_t i = 0; !status && *done && i < refinement->count; i = end) {
    ppi_group_of(refinement, i, &first, &end);
    if (!work->changed[i])
      continue;
    *done = ppi_budget_left(refinement) >= looking_s(work, first, end);
    if (*done)
      status = look_at_group(work, first, end);
    refinement->fits_s = fits_s(work);
  }
  return status;
}

static enum perfpred_status refine(struct work *work, bool *more) {
  bool done;
  enum perfpred_status status = look_at_all(work, &done);

  if (!done)
    work->refinement->exhausted = true;
  if (!status && done)
    status = ppi_wishes_loose(&work->wishes, work->refinement);
  *more = !status && done && plan(work);
  if (*more)
    status = measure(work, true);
  return status;
}

/* Has the solver solve something of the size of a piece. */
static enum perfpred_status time_solver(struct work *work) {
  enum { ROWS = 64, COLUMNS = 8 };
  const struct ppi_source *source = work->refinement->source;
  double a[ROWS * COLUMNS], b[ROWS * PPI_STATISTICS], begin_s = ppi_budget_now(work->refinement);
  int rank = 0;
  enum perfpred_status status;

  for (int i = 0; i < ROWS * COLUMNS; i++)
    a[i] = i % ROWS % COLUMNS == i / ROWS ? 1.0 : 0.0;
  for (int i = 0; i < ROWS * PPI_STATISTICS; i++)
    b[i] = 1.0;
  status = source->least_squares(source->data, ROWS, COLUMNS, PPI_STATISTICS, a, b, &rank, work->refinement->error);
  work->solve_s = fmax(ppi_budget_now(work->refinement) - begin_s, 0.0);
  work->refinement->floor_s += work->solve_s;
  return status;
}

static enum perfpred_status begin(struct work *work) {
  struct ppi_refinement *refinement = work->refinement;
  enum perfpred_status status = PERFPRED_OK;

  refinement->ahead = 0.3;
  if (ppi_budget_set(refinement))
    status = ppi_budget_probe(refinement);
  if (!status && ppi_budget_set(refinement))
    status = time_solver(work);
  for (size_t i = 0; !status && i < refinement->count; i++)
    status = ppi_wishes_first(&work->wishes, refinement, i);
  if (!status && ppi_budget_set(refinement))
    shorten(work);
  return status ? status : measure(work, ppi_budget_set(refinement));
}

enum perfpred_status ppi_adaptive_run(struct ppi_refinement *refinement) {
  struct work work = { .refinement = refinement };
  bool more = true;
  double begin_s;
  enum perfpred_status status = work_init(&work);

  if (!status)
    status = begin(&work);
  for (int i = 0; !status && more && i < ROUNDS; i++) {
    advance(refinement);
    status = refine(&work, &more);
  }
  begin_s = ppi_budget_now(refinement);
  for (size_t i = 0; !status && i < refinement->count; i++)
    status = carve(&work, i);
  refinement->floor_s += ppi_budget_now(refinement) - begin_s;
  work_release(&work);
  return status;
}
