/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

/* Multiples of the grain and the ends of the domain, from `from` to `upper` along one dimension. */
struct axis {
  int64_t lower_end, upper_end; /* INT64_MIN: not one of them, or a multiple itself */
  int64_t first, grain, multiples;
};

static struct axis axis_of(const struct ppi_growth *growth, int d, int64_t from, int64_t upper) {
  int64_t grain = growth->knobs.grain, lower_end = growth->target->lower[d], upper_end = growth->target->upper[d];
  struct axis axis = { INT64_MIN, INT64_MIN, (from + grain - 1) / grain * grain, grain, 0 };

  if (upper / grain * grain >= axis.first)
    axis.multiples = (upper / grain * grain - axis.first) / grain + 1;
  if (from <= lower_end && lower_end % grain != 0)
    axis.lower_end = lower_end;
  if (upper >= upper_end && upper_end % grain != 0 && upper_end != axis.lower_end)
    axis.upper_end = upper_end;
  return axis;
}

int64_t ppi_axis_count(const struct ppi_growth *growth, int d, int64_t from, int64_t upper) {
  struct axis axis = axis_of(growth, d, from, upper);

  return axis.multiples + (axis.lower_end != INT64_MIN) + (axis.upper_end != INT64_MIN);
}

int64_t ppi_axis_at(const struct ppi_growth *growth, int d, int64_t from, int64_t upper, int64_t place) {
  struct axis axis = axis_of(growth, d, from, upper);

  if (axis.lower_end != INT64_MIN && place-- == 0)
    return axis.lower_end;
  return place < axis.multiples ? axis.first + place * axis.grain : axis.upper_end;
}

double ppi_region_places(const struct ppi_growth *growth, const struct ppi_region *region) {
  double places = 1.0;

  for (int d = 0; d < growth->dimensions; d++)
    places *= (double)ppi_axis_count(growth, d, region->from[d], region->upper[d]);
  return places;
}

bool ppi_region_is_complete(const struct ppi_growth *growth, const struct ppi_region *region) {
  return ppi_region_places(growth, region) <= region->count;
}

enum perfpred_status ppi_region_init(struct ppi_region *region, const struct ppi_region *box, const int *index,
                                     int count, struct perfpred_error *error) {
  size_t room = count > 0 ? (size_t)count : 1;

  *region = *box;
  region->count = count;
  region->index = malloc(room * sizeof *region->index);
  region->errors = malloc(room * sizeof *region->errors);
  region->leverages = malloc(room * sizeof *region->leverages);
  if (!region->index || !region->errors || !region->leverages) {
    ppi_region_release(region);
    return ppi_error_memory(error);
  }
  if (count > 0)
    memcpy(region->index, index, (size_t)count * sizeof *index);
  return PERFPRED_OK;
}

void ppi_region_release(struct ppi_region *region) {
  free(region->leverages);
  free(region->errors);
  free(region->index);
  region->leverages = region->errors = NULL;
  region->index = NULL;
}

static double measured(const struct ppi_region *region, enum perfpred_error_measure measure, double *scratch) {
  double sum = 0.0;

  for (int i = 0; i < region->count; i++) {
    scratch[i] = fabs(region->errors[i]);
    sum += scratch[i];
  }
  if (measure == PERFPRED_ERROR_AVERAGE)
    return sum / region->count;
  return ppi_stats_percentile(scratch, (size_t)region->count, measure == PERFPRED_ERROR_PERCENTILE_90 ? 0.9 : 1.0);
}

/* A settled region has met enough points that were left out, well enough or as well as their noise allows. */
static bool settled(const struct ppi_partition *partition, const struct ppi_region *region) {
  const struct ppi_growth *growth = partition->growth;
  double bound = partition->options->error_bound;

  if (ppi_region_is_complete(growth, region))
    return region->worst <= bound;
  if (region->count < PPI_REGION_LEAST(growth->dimensions) || 2 * region->count < 3 * region->fit.used)
    return false;
  return region->worst <= bound || (region->expected <= PPI_GOAL * bound && region->worst <= PPI_WORST * bound);
}

void ppi_region_judge(struct ppi_partition *partition, struct ppi_region *region) {
  const struct ppi_sampled *data = partition->data;
  double squares = 0.0, noise = 0.0, variance = 0.0, beyond;

  ppi_chain_run(&partition->chain, region->lower, region->upper, region->index, region->count, &region->fit,
                region->errors, region->leverages);
  for (int i = 0; i < region->count; i++) {
    double v = data->variances[region->index[i]];

    squares += region->errors[i] * region->errors[i];
    noise += v / fmax(1.0 - region->leverages[i], 0.05);
    variance += v;
  }
  region->worst = measured(region, partition->options->error_measure, partition->chain.residuals);
  beyond = fmax(squares - noise, 0.0) / region->count;
  region->systematic = sqrt(beyond);
  region->expected = sqrt(beyond + variance / region->count * region->fit.used / region->count);
  region->settled = settled(partition, region);
}

/* Where all is measured, what was measured is known better than what any smooth curve says of it, noise or not. */
bool ppi_region_is_bad(const struct ppi_partition *partition, const struct ppi_region *region) {
  if (ppi_region_is_complete(partition->growth, region))
    return region->worst > partition->options->error_bound;
  return region->worst > partition->options->error_bound &&
         region->systematic > 0.5 * PPI_GOAL * partition->options->error_bound;
}

bool ppi_region_is_small(const struct ppi_growth *growth, const struct ppi_region *region) {
  for (int d = 0; d < growth->dimensions; d++)
    if (ppi_axis_count(growth, d, region->from[d], region->upper[d]) > PPI_SMALL)
      return false;
  return true;
}

double ppi_region_gain(const struct ppi_partition *partition, const struct ppi_region *region) {
  const struct ppi_sampled *data = partition->data;
  double sum = 0.0;

  for (int i = 0; i < region->count; i++)
    sum += data->values[(size_t)region->index[i] * PPI_STATISTICS + 1];
  return region->count > 0 ? region->expected * sum / region->count : INFINITY;
}
