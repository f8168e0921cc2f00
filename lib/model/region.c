/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define ECHO_POINTS 200
#define ECHO_LEAST 12 /* points */
#define SURE 1.000001 /* times a square that was found by products instead of quotients: what it is at least */
/* Of all errors, what the fit's own uncertainty may be: more points would take hardly 1 % off them, 3 % where they are many. */
#define FUTILE_SHARE 0.2
#define FUTILE_SHARE_3 0.3 /* of three and more sizes */
#define FUTILE_WORST 5.0   /* times the error bound: 90 % of the errors are below */

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

/* How far the error measure of pure noise goes, in standard deviations, with a tenth on top. */
static double share_of_noise(const struct ppi_partition *partition, const struct ppi_region *region) {
  switch (partition->options->error_measure) {
  case PERFPRED_ERROR_AVERAGE:
    return 0.88;
  case PERFPRED_ERROR_PERCENTILE_90:
    return 1.81;
  default:
    return 1.1 * sqrt(2.0 * log(region->count + 1.0));
  }
}

/* What is left has no shape that points at this distance show, and the fit is as certain as is asked for: neither cuts nor more points
   help, short of measuring everything. */
static bool is_futile(const struct ppi_region *region, int dimensions, double bound) {
  double share = dimensions > 2 ? FUTILE_SHARE_3 : FUTILE_SHARE;

  return region->echo < PPI_ECHO && region->uncertain <= fmax(PPI_GOAL * bound, share * region->deviation) &&
         region->usual <= FUTILE_WORST * bound;
}

/* A settled region has met enough points that were left out, well enough or as well as their noise allows. */
static bool settled(const struct ppi_partition *partition, const struct ppi_region *region) {
  const struct ppi_growth *growth = partition->growth;
  double bound = partition->options->error_bound;

  if (ppi_region_is_complete(growth, region))
    return region->worst <= bound;
  if (region->count < PPI_REGION_LEAST(growth->dimensions) || 2 * region->count < 3 * region->fit.used)
    return false;
  if (region->worst <= bound)
    return true;
  if (region->expected <= PPI_GOAL * bound)
    return region->worst <= fmax(PPI_WORST * bound, share_of_noise(partition, region) * region->noise);
  return is_futile(region, growth->dimensions, bound);
}

/* Squares of distances between the points of a region, relative to its widths. */
struct distances {
  const struct ppi_sampled *data;
  const struct ppi_region *region;
  double widths[PPI_SIZE_MAX], inverses[PPI_SIZE_MAX]; /* 0: none */
};

static struct distances distances_of(const struct ppi_partition *partition, const struct ppi_region *region) {
  struct distances distances = { .data = partition->data, .region = region };

  for (int d = 0; d < partition->data->dimensions; d++) {
    distances.widths[d] = (double)(region->upper[d] - region->lower[d]);
    distances.inverses[d] = distances.widths[d] > 0.0 ? 1.0 / distances.widths[d] : 0.0;
  }
  return distances;
}

/* `least` or more where it is no less than that, which nearly all are, and which is found without a division. */
static double apart(const struct distances *distances, int a, int b, double least) {
  const struct ppi_sampled *data = distances->data;
  const double *x = data->padded + (size_t)distances->region->index[a] * (size_t)data->dimensions;
  const double *y = data->padded + (size_t)distances->region->index[b] * (size_t)data->dimensions;
  double sum = 0.0;

  for (int d = 0; d < data->dimensions; d++) {
    double part = (x[d] - y[d]) * distances->inverses[d];

    sum += part * part;
  }
  if (sum > SURE * least)
    return sum;
  sum = 0.0;
  for (int d = 0; d < data->dimensions && sum < least; d++) {
    double width = distances->widths[d], part = width > 0.0 ? (x[d] - y[d]) / width : 0.0;

    sum += part * part;
  }
  return sum;
}

/* Of at most ECHO_POINTS points; 1 where there are too few to tell. */
static double echo_of(const struct ppi_partition *partition, const struct ppi_region *region) {
  const struct distances distances = distances_of(partition, region);
  double products = 0.0, squares = 0.0, others = 0.0;
  int stride = 1 + (region->count - 1) / ECHO_POINTS;

  if (region->count < ECHO_LEAST)
    return 1.0;
  for (int i = 0; i < region->count; i += stride) {
    int nearest = -1;
    double least = INFINITY;

    for (int k = 0; k < region->count; k++) {
      double far = k == i ? INFINITY : apart(&distances, i, k, least);

      if (far < least) {
        least = far;
        nearest = k;
      }
    }
    products += region->errors[i] * region->errors[nearest];
    squares += region->errors[i] * region->errors[i];
    others += region->errors[nearest] * region->errors[nearest];
  }
  return squares > 0.0 && others > 0.0 ? products / sqrt(squares * others) : 0.0;
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
  region->noise = sqrt(noise / region->count);
  region->deviation = sqrt(squares / region->count);
  region->uncertain = region->deviation * sqrt((double)region->fit.used / region->count);
  region->worst = measured(region, partition->options->error_measure, partition->chain.residuals);
  region->usual = measured(region, PERFPRED_ERROR_PERCENTILE_90, partition->chain.residuals);
  /* it is dear, and of what is met well nobody asks for it */
  region->echo = region->worst > partition->options->error_bound ? echo_of(partition, region) : 1.0;
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
