/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples to take next: far from those there are, near those that were met badly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"
#include "model/domain.h"

#define CANDIDATES 2048 /* per region; of more places a low-discrepancy share is looked at */
#define GROWTH_SHARE 4  /* new points of a region: one for so many old ones */
#define NEW_LEAST 3
#define NEW_MOST 100
#define CHEAP 0.03   /* of the work at the domain's upper corner: such calls get all repetitions at once */
#define MISSES 4     /* tries of a point whose samples do not pass the gate */
#define LOOSE 0.1    /* what is likely to be wrong with their times */
#define SURPRISE 4.0 /* standard deviations: such a point is measured again before it is believed */

#define FIRST_MOST 5
#define TRIES 10 /* for one scattered point that the kernel admits */

/* First samples, by the number of dimensions: a lattice of so many per dimension, and scattered ones. */
static const int lattice_counts[FIRST_MOST + 1] = { 1, 3, 3, 3, 2, 2 };
static const int scattered_counts[FIRST_MOST + 1] = { 0, 6, 21, 45, 80, 120 };
static const uint64_t bases[PPI_SIZE_MAX] = { 2, 3, 5, 7, 11, 13, 17, 19 };

void ppi_wishes_release(struct ppi_wishes *wishes) {
  free(wishes->items);
  memset(wishes, 0, sizeof *wishes);
}

static enum perfpred_status push(struct ppi_wishes *wishes, const struct ppi_wish *wish, struct perfpred_error *error) {
  if (wishes->count == wishes->capacity) {
    size_t capacity = 2 * wishes->capacity + 64;
    struct ppi_wish *items = realloc(wishes->items, capacity * sizeof *items);

    if (!items)
      return ppi_error_memory(error);
    wishes->items = items;
    wishes->capacity = capacity;
  }
  wishes->items[wishes->count++] = *wish;
  return PERFPRED_OK;
}

static int few(const struct ppi_refinement *refinement) {
  int wanted = refinement->options.repetitions;

  return wanted < PPI_REPETITIONS_LEAST ? wanted : PPI_REPETITIONS_LEAST;
}

/* As few repetitions as will do, all of them where they cost next to nothing. */
static int repetitions_at(const struct ppi_refinement *refinement, size_t target, int enough, const int64_t *sizes) {
  double here = 0.0, most = 0.0;
  size_t first, end;
  bool cheap;

  ppi_group_of(refinement, target, &first, &end);
  for (size_t i = first; i < end; i++) {
    int64_t corner[PPI_SIZE_MAX];

    ppi_budget_corner(refinement->growths + i, corner);
    here += ppi_budget_work(refinement->growths + i, sizes);
    most += ppi_budget_work(refinement->growths + i, corner);
  }
  cheap = here <= CHEAP * most;

  return cheap ? refinement->options.repetitions : enough;
}

static enum perfpred_status wish_new(struct ppi_wishes *wishes, const struct ppi_refinement *refinement, size_t target,
                                     int enough, const int64_t *sizes, double gain) {
  struct ppi_wish wish = { target, { 0 }, repetitions_at(refinement, target, enough, sizes), false, gain };

  memcpy(wish.sizes, sizes, (size_t)refinement->growths[target].dimensions * sizeof *sizes);
  return push(wishes, &wish, refinement->error);
}

static enum perfpred_status wish_again(struct ppi_wishes *wishes, const struct ppi_refinement *refinement,
                                       size_t target, const struct ppi_sampled *data, int place, double gain) {
  int have = data->repetitions[place], more = refinement->options.repetitions - have;
  int step = have < data->enough ? data->enough - have : few(refinement);
  struct ppi_wish wish = { target, { 0 }, more < step ? more : step, true, gain };

  if (more <= 0)
    return PERFPRED_OK;
  memcpy(wish.sizes, data->sizes + (size_t)place * (size_t)data->dimensions,
         (size_t)data->dimensions * sizeof *wish.sizes);
  return push(wishes, &wish, refinement->error);
}

static double halton(uint64_t index, uint64_t base) {
  double value = 0.0, share = 1.0;

  for (; index > 0; index /= base) {
    share /= (double)base;
    value += share * (double)(index % base);
  }
  return value;
}

/* Whether a point is one that may be sampled at all. */
static bool is_held(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  const struct ppi_basis *basis = refinement->growths[target].target->basis;

  return basis ? ppi_basis_holds(basis, sizes) : ppi_growth_admits(refinement->growths + target, sizes);
}

static void fold(const struct ppi_growth *growth, int64_t *sizes) {
  if (growth->target->basis)
    ppi_basis_fold(growth->target->basis, growth->target->lower, growth->knobs.grain, sizes);
  else
    ppi_growth_admit(growth, growth->target->lower, growth->target->upper, sizes);
}

/* A place of the first samples along one dimension: closer together where sizes are small, where more happens. */
static int64_t first_at(const struct ppi_growth *growth, int d, double share) {
  int64_t lower = growth->target->lower[d], upper = growth->target->upper[d], at;
  double root = sqrt((double)lower) + (sqrt((double)upper) - sqrt((double)lower)) * share;

  if (share >= 1.0)
    return upper;
  at = (int64_t)floor(root * root / (double)growth->knobs.grain + 0.5) * growth->knobs.grain;
  return share <= 0.0 || at <= lower ? lower : at >= upper ? upper : at;
}

/* The dimensions that have more than one size. */
static int free_dimensions(const struct ppi_growth *growth) {
  int dimensions = 0;

  for (int i = 0; i < growth->dimensions; i++)
    dimensions += growth->target->upper[i] > growth->target->lower[i];
  return dimensions < FIRST_MOST ? dimensions : FIRST_MOST;
}

/* A lattice of few places per dimension, for the ends. */
static enum perfpred_status wish_lattice(struct ppi_wishes *wishes, struct ppi_refinement *refinement, size_t target) {
  const struct ppi_growth *growth = refinement->growths + target;
  int place[PPI_SIZE_MAX] = { 0 }, each = lattice_counts[free_dimensions(growth)];
  enum perfpred_status status = PERFPRED_OK;

  for (bool more = true; more && !status;) {
    int64_t sizes[PPI_SIZE_MAX] = { 0 };

    for (int d = 0; d < growth->dimensions; d++)
      sizes[d] = first_at(growth, d, each > 1 ? place[d] / (each - 1.0) : 0.0);
    fold(growth, sizes);
    status = wish_new(wishes, refinement, target, few(refinement), sizes, 2.0);
    more = false;
    for (int d = growth->dimensions - 1; d >= 0 && !more; d--) {
      more = growth->target->upper[d] > growth->target->lower[d] && ++place[d] < each;
      if (!more)
        place[d] = 0;
    }
  }
  return status;
}

enum perfpred_status ppi_wishes_first(struct ppi_wishes *wishes, struct ppi_refinement *refinement, size_t target) {
  const struct ppi_growth *growth = refinement->growths + target;
  enum perfpred_status status = PERFPRED_OK;
  size_t first, end;
  int wanted;

  ppi_group_of(refinement, target, &first, &end);
  if (target != first) /* all of them begin with the same points */
    return PERFPRED_OK;
  status = wish_lattice(wishes, refinement, target);
  wanted = scattered_counts[free_dimensions(growth)];
  for (int i = 0; !status && wanted > 0 && i < TRIES * scattered_counts[free_dimensions(growth)]; i++) {
    int64_t sizes[PPI_SIZE_MAX] = { 0 };

    for (int d = 0; d < growth->dimensions; d++)
      sizes[d] = first_at(growth, d, halton((uint64_t)i + 1, bases[d]));
    if (!ppi_growth_admits(growth, sizes))
      continue;
    fold(growth, sizes);
    status = wish_new(wishes, refinement, target, few(refinement), sizes, 1.0);
    wanted--;
  }
  return status;
}

static bool is_new(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes) {
  const struct ppi_point *point =
      ppi_points_find(&refinement->points, target, refinement->growths[target].dimensions, sizes);

  return !point || point->count == 0;
}

/* The choice of new points of a region. */
struct choice {
  const struct ppi_refinement *refinement;
  const struct ppi_partition *partition;
  const struct ppi_region *region;
  size_t target;
  int64_t *sizes; /* candidates */
  double *distances, *weights;
  int count;
};

static void candidate_at(const struct choice *choice, uint64_t index, bool all, int64_t *sizes) {
  const struct ppi_region *region = choice->region;

  for (int d = choice->partition->growth->dimensions - 1; d >= 0; d--) {
    int64_t places = ppi_axis_count(choice->partition->growth, d, region->from[d], region->upper[d]), place;

    if (all) {
      place = (int64_t)(index % (uint64_t)places);
      index /= (uint64_t)places;
    } else {
      double low = sqrt((double)region->lower[d]), high = sqrt((double)region->upper[d]);
      double root = low + (high - low) * halton(index + 1, bases[d]);
      double width = (double)(region->upper[d] - region->lower[d]);

      place = width > 0.0 ? (int64_t)((root * root - (double)region->lower[d]) / width * (double)places) : 0;
      place = place < 0 ? 0 : place >= places ? places - 1 : place;
    }
    sizes[d] = ppi_axis_at(choice->partition->growth, d, region->from[d], region->upper[d], place);
  }
}

/* Square of the distance between roots, each dimension relative to the region's width: small sizes lie further apart. */
static double distance(const struct choice *choice, const int64_t *a, const int64_t *b) {
  double sum = 0.0;

  for (int d = 0; d < choice->partition->growth->dimensions; d++) {
    double width = sqrt((double)choice->region->upper[d]) - sqrt((double)choice->region->lower[d]);
    double part = width > 0.0 ? (sqrt((double)a[d]) - sqrt((double)b[d])) / width : 0.0;

    sum += part * part;
  }
  return sum;
}

static int64_t *candidate(const struct choice *choice, int place) {
  return choice->sizes + (size_t)place * PPI_SIZE_MAX;
}

/* Distance to the nearest point and how badly that one was met. */
static void rate(struct choice *choice, int place) {
  const struct ppi_sampled *data = choice->partition->data;
  const struct ppi_region *region = choice->region;

  choice->distances[place] = INFINITY;
  choice->weights[place] = 1.0;
  for (int i = 0; i < region->count; i++) {
    const int64_t *sizes = data->sizes + (size_t)region->index[i] * (size_t)data->dimensions;
    double far = distance(choice, candidate(choice, place), sizes);

    if (far < choice->distances[place]) {
      choice->distances[place] = far;
      choice->weights[place] = fabs(region->errors[i]) + 0.5 * region->systematic + 1e-6;
    }
  }
}

static enum perfpred_status choice_init(struct choice *choice) {
  double places = ppi_region_places(choice->partition->growth, choice->region);
  bool all = places <= CANDIDATES;
  int count = all ? (int)places : CANDIDATES;
  size_t room = count > 0 ? (size_t)count : 1;

  choice->sizes = calloc(room * PPI_SIZE_MAX, sizeof *choice->sizes);
  choice->distances = malloc(room * sizeof *choice->distances);
  choice->weights = malloc(room * sizeof *choice->weights);
  if (!choice->sizes || !choice->distances || !choice->weights)
    return ppi_error_memory(choice->refinement->error);
  for (int i = 0; i < count; i++) {
    candidate_at(choice, (uint64_t)i + (all ? 0 : 5 * (uint64_t)choice->region->count), all,
                 candidate(choice, choice->count));
    if (!is_new(choice->refinement, choice->target, candidate(choice, choice->count)) ||
        !is_held(choice->refinement, choice->target, candidate(choice, choice->count)))
      continue;
    rate(choice, choice->count);
    choice->count++;
  }
  return PERFPRED_OK;
}

static void choice_release(struct choice *choice) {
  free(choice->weights);
  free(choice->distances);
  free(choice->sizes);
}

static int best_of(const struct choice *choice) {
  double best = 0.0;
  int chosen = -1;

  for (int i = 0; i < choice->count; i++) {
    double score = sqrt(choice->distances[i]) * choice->weights[i];

    if (score > best) {
      best = score;
      chosen = i;
    }
  }
  return chosen;
}

/* A chosen point is one to keep away from. */
static void mark(struct choice *choice, int chosen) {
  for (int i = 0; i < choice->count; i++)
    choice->distances[i] =
        fmin(choice->distances[i], distance(choice, candidate(choice, i), candidate(choice, chosen)));
}

static enum perfpred_status wish_for_region(struct ppi_wishes *wishes, const struct ppi_refinement *refinement,
                                            size_t target, const struct ppi_partition *partition,
                                            const struct ppi_region *region, int most) {
  struct choice choice = { refinement, partition, region, target, NULL, NULL, NULL, 0 };
  int wanted = region->count / GROWTH_SHARE;
  double gain = ppi_region_gain(partition, region);
  enum perfpred_status status = choice_init(&choice);

  wanted = wanted < NEW_LEAST ? NEW_LEAST : wanted > most ? most : wanted;
  for (int k = 0; !status && k < wanted; k++) {
    int chosen = best_of(&choice);

    if (chosen < 0)
      break;
    status = wish_new(wishes, refinement, target, partition->data->enough, candidate(&choice, chosen), gain);
    mark(&choice, chosen);
  }
  choice_release(&choice);
  return status;
}

/* More repetitions of what has too few or surprises, and of everything where noise is what is left. */
static enum perfpred_status wish_repeats(struct ppi_wishes *wishes, const struct ppi_refinement *refinement,
                                         size_t target, const struct ppi_partition *partition,
                                         const struct ppi_region *region, bool noisy) {
  const struct ppi_sampled *data = partition->data;
  double gain = ppi_region_gain(partition, region);
  enum perfpred_status status = PERFPRED_OK;

  for (int i = 0; !status && i < region->count; i++) {
    double error = fabs(region->errors[i]), open = fmax(1.0 - region->leverages[i], 0.05);
    double deviation = sqrt(data->variances[region->index[i]] / open);
    bool surprising = error > partition->options->error_bound && error > SURPRISE * deviation && deviation > 0.0 &&
                      error > 2.0 * region->systematic;

    if (noisy || surprising || data->repetitions[region->index[i]] < data->enough)
      status = wish_again(wishes, refinement, target, data, region->index[i], gain);
  }
  return status;
}

enum perfpred_status ppi_wishes_loose(struct ppi_wishes *wishes, const struct ppi_refinement *refinement) {
  enum perfpred_status status = PERFPRED_OK;

  for (size_t i = 0; !status && i < refinement->points.count; i++) {
    const struct ppi_point *point = refinement->points.items + i;
    struct ppi_wish wish = { point->target, { 0 }, few(refinement), true, 0.0 };

    if (!point->loose || point->misses > MISSES)
      continue;
    memcpy(wish.sizes, point->sizes, sizeof wish.sizes);
    wish.gain = LOOSE * point->times_s[0];
    status = push(wishes, &wish, refinement->error);
  }
  return status;
}

static enum perfpred_status wish_in_gap(struct ppi_wishes *wishes, const struct ppi_refinement *refinement,
                                        size_t target, int enough, const struct ppi_gap *gap) {
  int64_t grain = refinement->growths[target].knobs.grain;
  int64_t middle = (gap->below + (gap->above - gap->below) / 2) / grain * grain;
  enum perfpred_status status = PERFPRED_OK;

  if (middle <= gap->below)
    middle += grain;
  if (middle >= gap->above)
    return PERFPRED_OK;
  for (int i = 0; !status && i < gap->near_count; i++) {
    int64_t sizes[PPI_SIZE_MAX];

    memcpy(sizes, gap->near[i], sizeof sizes);
    sizes[gap->dimension] = middle;
    if (is_new(refinement, target, sizes) && is_held(refinement, target, sizes))
      status = wish_new(wishes, refinement, target, enough, sizes, gap->gain);
  }
  return status;
}

enum perfpred_status ppi_wishes_of(struct ppi_wishes *wishes, struct ppi_refinement *refinement, size_t target,
                                   const struct ppi_partition *partition, bool verify) {
  double bound = partition->options->error_bound;
  enum perfpred_status status = PERFPRED_OK;

  for (int i = 0; !status && i < partition->region_count; i++) {
    const struct ppi_region *region = partition->regions + i;
    bool noisy = region->expected > PPI_NOISY * bound && region->systematic < 0.5 * region->expected;

    if (region->settled) {
      if (verify && !ppi_region_is_complete(partition->growth, region))
        status = wish_for_region(wishes, refinement, target, partition, region, NEW_LEAST);
      continue;
    }
    status = wish_repeats(wishes, refinement, target, partition, region, noisy);
    if (!status && !ppi_region_is_complete(partition->growth, region))
      status = wish_for_region(wishes, refinement, target, partition, region, NEW_MOST);
  }
  for (int i = 0; !status && i < partition->gap_count; i++)
    status = wish_in_gap(wishes, refinement, target, partition->data->enough, partition->gaps + i);
  return status;
}
