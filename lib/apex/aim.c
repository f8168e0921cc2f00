/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that aim at a rectangle. What a run takes is foretold from two that were measured: the walk over its data without computing, and computing
 * on data that stay in the caches. The ratio of flops to bytes is exact, since both are known beforehand. */
#include <math.h>
#include <stdlib.h>

#include "apex/design.h"

#define FLOPS_COMPUTE 128.0 /* of an iteration of compute */
#define FLOPS_CALL 10.0     /* of an element beside those */
#define FLOPS_BARE 2.0      /* of an element without */
#define CANDIDATES 3        /* numbers of iterations, or of elements to one, that are tried around the fitting one */
#define SEVERAL 16          /* iterations beside some elements */
#define PENALTY 0.15 /* in sides of the rectangle: several iterations beside one element have to promise so much more */
#define LEAST_OFTEN 1e5    /* more elements than that to an iteration are as good as none */
#define TRIES_DISTANCE 3.0 /* in sides of the rectangle: what is foretold farther from its centre is not worth a run, */
#define TRIES_RELATIVE 0.25 /* unless it is as near as this, relative to where it lies */
#define RAREST 64.0         /* compute beside each so-manieth element hardly counts */
#define NEAREST 0.1         /* so near counts fully, what is farther off with the square of its distance less */

/* What is known of a run that was measured: where it stands among runs, and how much longer it took than foretold, as a logarithm. */
struct known {
  const struct ppi_apex_point *point;
  double shape, computing, surprise;
};

struct aim {
  const struct ppi_apex_plane *plane;
  const struct ppi_apex_point *points;
  size_t count;
  double clock_hz;
  int threads;
  double compute_cycles, call_cycles; /* of an iteration of compute; of a call, beside its iterations */
  struct known *known;                /* one for each point */
};

/* Cycles of a core for one element. */
static double cycles_of(const struct aim *aim, const struct ppi_apex_point *point) {
  return point->time_s * aim->clock_hz * aim->threads / (double)ppi_apex_iterations(&point->run);
}

/* From the runs whose data never leave the cache: a line through that of most iterations and that of one. */
static void learn_compute(struct aim *aim) {
  const struct ppi_apex_point *one = NULL, *most = NULL;
  for (size_t i = 0; i < aim->count; i++) {
    const struct ppi_apex_point *point = &aim->points[i];
    if (point->run.kind != PPI_APEX_RANDOM || point->run.alpha > 0.0 || point->run.c < 1 ||
        ppi_apex_every(&point->run) > 1)
      continue;
    if (one == NULL || point->run.c < one->run.c)
      one = point;
    if (most == NULL || point->run.c > most->run.c)
      most = point;
  }
  aim->compute_cycles = 8.0;
  aim->call_cycles = 16.0;
  if (most == NULL || most->run.c == one->run.c)
    return;
  aim->compute_cycles = (cycles_of(aim, most) - cycles_of(aim, one)) / (double)(most->run.c - one->run.c);
  aim->call_cycles = fmax(cycles_of(aim, one) - aim->compute_cycles * (double)one->run.c, 0.0);
}

/* Walks over the same data, in the same way. */
static bool is_like(const struct ppi_apex_run *a, const struct ppi_apex_run *b) {
  return a->kind == b->kind && a->m == b->m;
}

/* Where something that was measured lies along an axis: the neighbours of a place. */
struct neighbours {
  const struct ppi_apex_point *below, *above;
  double low, high;
};

static void meet(struct neighbours *neighbours, const struct ppi_apex_point *point, double there, double at) {
  if (there <= at && (neighbours->below == NULL || there > neighbours->low)) {
    neighbours->below = point;
    neighbours->low = there;
  }
  if (there >= at && (neighbours->above == NULL || there < neighbours->high)) {
    neighbours->above = point;
    neighbours->high = there;
  }
}

/* Between two values that lie low and high. */
static double between(double at, double low, double high, double below, double above) {
  double share = high > low ? (at - low) / (high - low) : 0.0;
  return (1.0 - share) * below + share * above;
}

/* Bare walks of the run's stride, or of one length of blocks and the run's alpha. NaN: not known. */
static double line_cycles(const struct aim *aim, const struct ppi_apex_run *run, int64_t length) {
  const bool strided = run->kind == PPI_APEX_STRIDED;
  const double at = strided ? (double)run->s : run->alpha;
  struct neighbours found = { .below = NULL };
  for (size_t i = 0; i < aim->count; i++) {
    const struct ppi_apex_point *point = &aim->points[i];
    if (point->run.c == 0 && is_like(run, &point->run) && (strided || point->run.l == length))
      meet(&found, point, strided ? (double)point->run.s : point->run.alpha, at);
  }
  if (found.below == NULL || found.above == NULL)
    return (double)NAN;
  return between(at, found.low, found.high, cycles_of(aim, found.below), cycles_of(aim, found.above));
}

/* Of random ones between two lengths of blocks, of those that were measured for all alphas. */
static double walk_cycles(const struct aim *aim, const struct ppi_apex_run *run) {
  const double at = log2((double)run->l);
  struct neighbours found = { .below = NULL };
  if (run->kind == PPI_APEX_STRIDED)
    return line_cycles(aim, run, 0);
  for (size_t i = 0; i < aim->count; i++) {
    const struct ppi_apex_point *point = &aim->points[i];
    if (point->run.c == 0 && is_like(run, &point->run) && point->run.alpha >= 1.0)
      meet(&found, point, log2((double)point->run.l), at);
  }
  if (found.below == NULL || found.above == NULL)
    return (double)NAN;
  return between(at, found.low, found.high, line_cycles(aim, run, found.below->run.l),
                 line_cycles(aim, run, found.above->run.l));
}

/* bare: cycles of the walk without computing. */
static double busy_cycles(const struct aim *aim, const struct ppi_apex_run *run, double bare) {
  const double call = aim->call_cycles + aim->compute_cycles * (double)run->c;
  return run->c == 0 ? bare : hypot(bare, call / (double)ppi_apex_every(run));
}

static double shape_of(const struct ppi_apex_run *run) {
  return log2((double)(run->kind == PPI_APEX_STRIDED ? run->s : run->l));
}

static double computing_of(const struct ppi_apex_run *run) {
  return log2(1.0 + RAREST * (double)run->c / (double)ppi_apex_every(run));
}

static void learn_surprises(struct aim *aim) {
  for (size_t i = 0; i < aim->count; i++) {
    const struct ppi_apex_point *point = &aim->points[i];
    double foretold = busy_cycles(aim, &point->run, walk_cycles(aim, &point->run));
    aim->known[i] = (struct known){ point, shape_of(&point->run), computing_of(&point->run), 0.0 };
    if (foretold > 0.0)
      aim->known[i].surprise = log(cycles_of(aim, point) / foretold);
  }
}

/* How wrong that was for the runs of that kind, the nearest ones above all. One alone could have been disturbed. */
static double correction(const struct aim *aim, const struct ppi_apex_run *run) {
  const double shape = shape_of(run), computing = computing_of(run);
  double sum = 0.0, weights = 0.0;
  for (size_t i = 0; i < aim->count; i++) {
    const struct known *known = &aim->known[i];
    const struct ppi_apex_run *other = &known->point->run;
    if (!is_like(run, other) || (run->c > 0) != (other->c > 0))
      continue;
    double far = NEAREST + fabs(computing - known->computing) + fabs(shape - known->shape) +
                 4.0 * fabs(run->alpha - other->alpha);
    sum += known->surprise / (far * far);
    weights += 1.0 / (far * far);
  }
  return weights > 0.0 ? exp(sum / weights) : 1.0;
}

static bool is_measured(const struct aim *aim, const struct ppi_apex_run *run) {
  for (size_t i = 0; i < aim->count; i++)
    if (ppi_apex_equal(&aim->points[i].run, run))
      return true;
  return false;
}

/* The nearest few, the nearest first. */
#define BEST 3
struct best {
  struct ppi_apex_run runs[BEST];
  double distances[BEST];
  int count;
  bool inside; /* one is foretold to lie in the rectangle, measured or not */
};

static void rank(struct best *best, const struct ppi_apex_run *run, double distance) {
  int place = best->count < BEST ? best->count : BEST - 1;
  if (best->count == BEST && distance >= best->distances[place])
    return;
  for (; place > 0 && distance < best->distances[place - 1]; place--) {
    best->runs[place] = best->runs[place - 1];
    best->distances[place] = best->distances[place - 1];
  }
  best->runs[place] = *run;
  best->distances[place] = distance;
  best->count += best->count < BEST;
}

/* A walk that may aim at a rectangle. */
struct attempt {
  const struct aim *aim;
  const struct ppi_apex_cell *cell;
  const struct ppi_apex_walk *walk;
  bool lengthen;
  double bare; /* cycles of an element without computing */
  struct best *best;
};

static void consider(const struct attempt *attempt, int64_t c, int64_t every) {
  const struct aim *aim = attempt->aim;
  const struct ppi_apex_cell *cell = attempt->cell;
  struct best *best = attempt->best;
  struct ppi_apex_run run = attempt->walk->run;
  run.c = c;
  run.every = every;
  if (attempt->lengthen)
    ppi_apex_lengthen(&run);
  if (ppi_apex_check(&run, NULL) != PERFPRED_OK || !ppi_apex_affordable(&run))
    return;
  const double flops = ppi_apex_flops(&run) / (double)ppi_apex_iterations(&run);
  const double cycles = busy_cycles(aim, &run, attempt->bare) * correction(aim, &run);
  double x = attempt->walk->bytes / cycles / aim->plane->width - (double)cell->column - 0.5;
  double y = flops / cycles / aim->plane->height - (double)cell->row - 0.5;
  double distance = hypot(x, y);
  best->inside = best->inside || fmax(fabs(x), fabs(y)) <= 0.5;
  if (every > 1 && c > 1)
    distance += PENALTY;
  if ((best->count < BEST || distance < best->distances[BEST - 1]) && !is_measured(aim, &run))
    rank(best, &run, distance);
}

/* The data stay in a cache: the ratio says nothing, and the first column takes any. */
static void consider_cached(const struct attempt *attempt) {
  if (attempt->cell->column > 0)
    return;
  for (int64_t c = 1; c <= CANDIDATES; c++)
    consider(attempt, c, 1);
  for (int64_t every = 2; every <= (int64_t)RAREST; every *= 2)
    consider(attempt, 1, every);
}

/* So much computing beside some elements that there are as many flops for an element as are wanted. */
static void consider_some(const struct attempt *attempt, double wanted, int64_t c) {
  const double every = (FLOPS_COMPUTE * (double)c + FLOPS_CALL - FLOPS_BARE) / (wanted - FLOPS_BARE);
  for (int64_t i = 0; i < CANDIDATES && every > 1.0 && every < LEAST_OFTEN; i++)
    if ((int64_t)every + i >= 3)
      consider(attempt, c, (int64_t)every + i - 1);
}

/* A walk without computing, and with as much as the ratio of flops to bytes asks for: beside each element, or beside some, either one iteration
   or several, whose call costs less of them. */
static void consider_walk(const struct attempt *attempt) {
  const struct ppi_apex_plane *plane = attempt->aim->plane;
  const struct ppi_apex_cell *cell = attempt->cell;
  const double ratio = ((double)cell->row + 0.5) * plane->height / (((double)cell->column + 0.5) * plane->width);
  const double wanted = ratio * attempt->walk->bytes; /* flops of an element */
  const double most = (wanted - FLOPS_CALL) / FLOPS_COMPUTE;
  if (!(attempt->bare > 0.0))
    return;
  consider(attempt, 0, 1);
  if (attempt->walk->bytes <= 0.0) {
    consider_cached(attempt);
    return;
  }
  for (int64_t i = 0; i < CANDIDATES && most < (double)PPI_APEX_C_MAX; i++)
    if ((int64_t)most + i >= 1)
      consider(attempt, (int64_t)most + i, 1);
  consider_some(attempt, wanted, 1);
  consider_some(attempt, wanted, SEVERAL);
}

/* Whether a run that is foretold to lie so far from the centre may well hit the rectangle. */
static bool is_worth(const struct ppi_apex_cell *cell, double distance) {
  double where = hypot((double)cell->column + 0.5, (double)cell->row + 0.5);
  return distance <= fmax(TRIES_DISTANCE, TRIES_RELATIVE * where);
}

/* What is known of the machine from its points; to be freed by free(aim->known). */
static enum perfpred_status learn(const struct ppi_apex_target *target, const struct ppi_apex_point *points,
                                  size_t count, struct aim *aim, struct perfpred_error *error) {
  *aim = (struct aim){
    .plane = target->plane, .points = points, .count = count, .clock_hz = target->clock_hz, .threads = target->threads
  };
  aim->known = malloc((count + 1) * sizeof *aim->known);
  if (aim->known == NULL)
    return ppi_error_memory(error);
  learn_compute(aim);
  learn_surprises(aim);
  return PERFPRED_OK;
}

static struct best search(const struct aim *aim, const struct ppi_apex_cell *cell, const struct ppi_apex_walks *walks) {
  struct best best = { .count = 0 };
  struct attempt attempt = { .aim = aim, .cell = cell, .lengthen = walks->blocks == 0, .best = &best };
  for (size_t k = 0; k < walks->count; k++) {
    attempt.walk = &walks->items[k];
    attempt.bare = walk_cycles(aim, &attempt.walk->run);
    consider_walk(&attempt);
  }
  /* Several iterations at once cost less of the call: where one is too slow. */
  return best;
}

enum perfpred_status ppi_apex_aim(const struct ppi_apex_target *target, const struct ppi_apex_walks *walks,
                                  const struct ppi_apex_point *points, size_t count, struct ppi_apex_run *runs,
                                  size_t most, size_t *made, struct perfpred_error *error) {
  struct aim aim;
  enum perfpred_status status = learn(target, points, count, &aim, error);
  if (status != PERFPRED_OK)
    return status;
  *made = 0;
  for (size_t i = 0; i < target->mix->count && *made < most; i++) {
    const struct ppi_apex_cell *cell = &target->mix->cells[i];
    if (target->choices[i].covered || !target->choices[i].kept)
      continue;
    struct best best = search(&aim, cell, walks);
    for (int k = 0; k < best.count && *made < most; k++)
      if (is_worth(cell, best.distances[k]))
        runs[(*made)++] = best.runs[k];
  }
  free(aim.known);
  return PERFPRED_OK;
}

enum perfpred_status ppi_apex_reach(const struct ppi_apex_target *target, const struct ppi_apex_walks *walks,
                                    const struct ppi_apex_point *points, size_t count, struct ppi_apex_choice *choices,
                                    struct ppi_apex_cover *cover, struct perfpred_error *error) {
  struct aim aim;
  enum perfpred_status status = learn(target, points, count, &aim, error);
  if (status != PERFPRED_OK)
    return status;
  for (size_t i = 0; i < target->mix->count; i++) {
    const struct ppi_apex_cell *cell = &target->mix->cells[i];
    if (choices[i].covered || !choices[i].reachable || search(&aim, cell, walks).inside)
      continue;
    choices[i].reachable = false;
    cover->reachable = fmax(cover->reachable - cell->weight, cover->covered_reachable);
  }
  free(aim.known);
  return PERFPRED_OK;
}
