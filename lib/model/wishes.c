/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples to take next: far from those there are, near those that were met badly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"
#include "model/domain.h"

#define GROWTH_SHARE 4 /* new points of a region: one for so many old ones */
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

    ppi_budget_corner(refinement, i, corner);
    here += ppi_budget_work(refinement->growths + i, sizes);
    most += ppi_budget_work(refinement->growths + i, corner);
  }
  cheap = here <= CHEAP * most;

  return cheap ? refinement->options.repetitions : enough;
}

static enum perfpred_status wish_new(struct ppi_wishes *wishes, const struct ppi_refinement *refinement, size_t target,
                                     int enough, const int64_t *sizes, double gain) {
  struct ppi_wish wish = { .target = target,
                           .repetitions = repetitions_at(refinement, target, enough, sizes),
                           .gain = gain };

  memcpy(wish.sizes, sizes, (size_t)refinement->growths[target].dimensions * sizeof *sizes);
  return push(wishes, &wish, refinement->error);
}

static enum perfpred_status wish_again(struct ppi_wishes *wishes, const struct ppi_refinement *refinement,
                                       size_t target, const struct ppi_sampled *data, int place, double gain) {
  int have = data->repetitions[place], more = refinement->options.repetitions - have;
  int step = have < data->enough ? data->enough - have : few(refinement);
  struct ppi_wish wish = { .target = target, .repetitions = more < step ? more : step, .again = true, .gain = gain };

  if (more <= 0)
    return PERFPRED_OK;
  memcpy(wish.sizes, data->sizes + (size_t)place * (size_t)data->dimensions,
         (size_t)data->dimensions * sizeof *wish.sizes);
  return push(wishes, &wish, refinement->error);
}

/* lower: where the domain of the first samples begins. */
static void fold(const struct ppi_growth *growth, const int64_t *lower, int64_t *sizes) {
  if (growth->target->basis)
    ppi_basis_fold(growth->target->basis, lower, growth->knobs.grain, sizes);
  else
    ppi_growth_admit(growth, growth->target->lower, growth->target->upper, sizes);
}

/* A place of the first samples along one dimension: closer together where sizes are small, where more happens. */
static int64_t first_at(const struct ppi_growth *growth, int64_t lower, int d, double share) {
  int64_t upper = growth->target->upper[d], at;
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

/* Where the domains of targets that are sampled together begin above that of others: false: all begin alike. A point at the lower end of all of
   them becomes one at that of those. */
static bool lift(const struct ppi_refinement *refinement, size_t target, const int64_t *lower, int64_t *sizes) {
  size_t first, end;
  bool raised = false;

  ppi_group_of(refinement, target, &first, &end);
  for (size_t i = first; i < end; i++)
    for (int d = 0; d < refinement->growths[i].dimensions; d++) {
      int64_t least = refinement->growths[i].target->lower[d];

      if (sizes[d] == lower[d] && least > lower[d]) {
        sizes[d] = least;
        raised = true;
      }
    }
  return raised;
}

/* A lattice of few places per dimension, for the ends. */
static enum perfpred_status wish_lattice(struct ppi_wishes *wishes, struct ppi_refinement *refinement, size_t target) {
  const struct ppi_growth *growth = refinement->growths + target;
  int place[PPI_SIZE_MAX] = { 0 }, each = lattice_counts[free_dimensions(growth)];
  int64_t lower[PPI_SIZE_MAX];
  enum perfpred_status status = PERFPRED_OK;

  ppi_group_lower(refinement, target, lower);
  for (bool more = true; more && !status;) {
    int64_t sizes[PPI_SIZE_MAX] = { 0 };

    for (int d = 0; d < growth->dimensions; d++)
      sizes[d] = first_at(growth, lower[d], d, each > 1 ? place[d] / (each - 1.0) : 0.0);
    fold(growth, lower, sizes);
    status = wish_new(wishes, refinement, target, few(refinement), sizes, 2.0);
    if (!status && lift(refinement, target, lower, sizes)) {
      fold(growth, lower, sizes);
      status = wish_new(wishes, refinement, target, few(refinement), sizes, 2.0);
    }
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
  int64_t lower[PPI_SIZE_MAX];
  int wanted;

  ppi_group_of(refinement, target, &first, &end);
  ppi_group_lower(refinement, target, lower);
  if (target != first) /* all of them begin with the same points */
    return PERFPRED_OK;
  status = wish_lattice(wishes, refinement, target);
  wanted = scattered_counts[free_dimensions(growth)];
  for (int i = 0; !status && wanted > 0 && i < TRIES * scattered_counts[free_dimensions(growth)]; i++) {
    int64_t sizes[PPI_SIZE_MAX] = { 0 };

    for (int d = 0; d < growth->dimensions; d++)
      sizes[d] = first_at(growth, lower[d], d, ppi_halton((uint64_t)i + 1, d));
    if (!ppi_growth_admits(growth, sizes))
      continue;
    fold(growth, lower, sizes);
    status = wish_new(wishes, refinement, target, few(refinement), sizes, 1.0);
    wanted--;
  }
  return status;
}

static enum perfpred_status wish_for_region(struct ppi_wishes *wishes, const struct ppi_refinement *refinement,
                                            size_t target, const struct ppi_partition *partition,
                                            const struct ppi_region *region, int most) {
  struct ppi_choice choice;
  int wanted = region->count / GROWTH_SHARE;
  double gain = ppi_region_gain(partition, region);
  enum perfpred_status status = ppi_choice_init(&choice, refinement, target, partition, region);

  wanted = wanted < NEW_LEAST ? NEW_LEAST : wanted > most ? most : wanted;
  for (int k = 0; !status && k < wanted; k++) {
    const int64_t *sizes = ppi_choice_next(&choice);

    if (!sizes)
      break;
    status = wish_new(wishes, refinement, target, partition->data->enough, sizes, gain);
  }
  ppi_choice_release(&choice);
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
    struct ppi_wish wish = { .target = point->target, .repetitions = few(refinement), .again = true };

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
    if (ppi_choice_is_open(refinement, target, sizes))
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
