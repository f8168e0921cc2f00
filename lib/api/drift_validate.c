/* SPDX-License-Identifier: BSD-3-Clause */
/* Validation with anchors in between. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/drift.h"
#include "api/setup.h"
#include "base/stats.h"
#include "measure/options.h"
#include "predict/plan.h"

#define GROUP 8          /* points between two readings of the anchors */
#define KERNELS_MAX 256  /* of all plans together */
#define ANCHOR_SHARE 0.2 /* of a budget */

/* Points of a group are apart by the number of groups, so that each has some of all sizes. */
struct course {
  struct perfpred_drift *drift;
  const struct perfpred_plan *const *plans;
  size_t plan_count;
  struct perfpred_sampler *sampler;
  struct perfpred_measure_options options; /* of the points */
  struct ppi_sampling sampling;            /* of the anchors */
  int setup;
  struct perfpred_validation_point *points; /* copies */
  struct perfpred_drift_point *corrected;
  double *scratch; /* one for each point */
  size_t count, groups;
  struct perfpred_share kernels[KERNELS_MAX];
  size_t kernel_count;
  double before[KERNELS_MAX], after[KERNELS_MAX]; /* ratio of each kernel around a group; NaN: not known */
  struct perfpred_validation validation;
  struct perfpred_drift_validation summary;
  double done, share; /* of the whole: before what is being measured, and that */
};

/* --- What is called ------------------------------------------------------------------------------------------------- */

static enum perfpred_status shares_of(const struct course *course, size_t point, struct perfpred_share *shares,
                                      size_t *count, struct perfpred_error *error) {
  const struct perfpred_validation_point *at = course->points + point;
  const struct perfpred_plan *plan = course->plans[at->plan];
  return perfpred_plan_shares(plan, at->parameters, (size_t)plan->program->parameter_count, shares, KERNELS_MAX, count,
                              error);
}

static size_t place_of(const struct course *course, const char *kernel) {
  size_t i = 0;
  while (i < course->kernel_count && strcmp(course->kernels[i].kernel, kernel) != 0)
    i++;
  return i;
}

static bool is_anchored(const struct course *course, const char *kernel) {
  for (size_t i = 0; i < course->drift->line_count; i++)
    if (course->drift->lines[i].setup == course->setup && strcmp(course->drift->lines[i].kernel, kernel) == 0)
      return true;
  return false;
}

static enum perfpred_status add_kernels(struct course *course, size_t point, struct perfpred_error *error) {
  struct perfpred_share shares[KERNELS_MAX];
  size_t count = 0;
  enum perfpred_status status = shares_of(course, point, shares, &count, error);
  for (size_t i = 0; i < count && !status; i++) {
    if (place_of(course, shares[i].kernel) < course->kernel_count)
      continue;
    if (course->kernel_count == KERNELS_MAX)
      return ppi_error_set(error, PERFPRED_LIMIT, "the plans call more than %d kernels", KERNELS_MAX);
    if (!is_anchored(course, shares[i].kernel))
      return ppi_error_set(error, PERFPRED_NOT_FOUND, "models: %s has no anchors: generate again", shares[i].kernel);
    course->kernels[course->kernel_count++] = shares[i];
  }
  return status;
}

/* --- Progress ------------------------------------------------------------------------------------------------------- */

static int tell_group(void *data, const struct perfpred_progress *part) {
  const struct course *course = data;
  struct perfpred_progress whole = *part;
  whole.fraction = course->done + course->share * part->fraction;
  whole.remaining_s = NAN; /* of the groups to come nothing is known */
  return course->options.progress(course->options.progress_data, &whole);
}

static int tell_anchors(void *data, const struct perfpred_progress *part) {
  const struct course *course = data;
  struct perfpred_progress whole = *part;
  whole.stage = "timing anchors";
  whole.fraction = course->done;
  whole.remaining_s = NAN;
  return course->options.progress(course->options.progress_data, &whole);
}

/* --- Measuring ------------------------------------------------------------------------------------------------------ */

static enum perfpred_status read_anchors(struct course *course, double *ratios, struct perfpred_error *error) {
  struct perfpred_drift *drift = course->drift;
  const double before_s = drift->wall_s;
  enum perfpred_status status = ppi_drift_read(drift, course->setup, course->kernels, course->kernel_count,
                                               course->sampler, &course->sampling, error);
  if (status)
    return status;
  for (size_t k = 0; k < course->kernel_count; k++) {
    const struct ppi_drift_line *line = ppi_drift_line_of(drift, course->setup, course->kernels[k].kernel);
    ratios[k] = line ? line->ratio : (double)NAN;
  }
  course->summary.readings++;
  course->summary.anchor_s += drift->wall_s - before_s;
  return PERFPRED_OK;
}

/* Of what is known; 1 where nothing is. */
static double between(double before, double after) {
  if (before > 0.0 && after > 0.0)
    return sqrt(before * after);
  return before > 0.0 ? before : after > 0.0 ? after : 1.0;
}

static enum perfpred_status correct(struct course *course, size_t point, struct perfpred_error *error) {
  const struct perfpred_validation_point *at = course->points + point;
  struct perfpred_drift_point *corrected = course->corrected + point;
  struct perfpred_share shares[KERNELS_MAX];
  size_t count = 0;
  enum perfpred_status status = shares_of(course, point, shares, &count, error);
  corrected->corrected_s = at->predicted_s.med;
  for (size_t i = 0; i < count && !status; i++) {
    const size_t k = place_of(course, shares[i].kernel);
    corrected->corrected_s += shares[i].time_s.med * (between(course->before[k], course->after[k]) - 1.0);
  }
  corrected->corrected_re = (corrected->corrected_s - at->measured_s.med) / at->measured_s.med;
  corrected->corrected_are = fabs(corrected->corrected_re);
  return status;
}

static void add_up(struct perfpred_validation *all, const struct perfpred_validation *part) {
  all->disturbed += part->disturbed;
  all->wall_s += part->wall_s;
  all->notes |= part->notes;
  all->yardstick_s = part->yardstick_s;
  all->yardstick_reference_s = part->yardstick_reference_s;
}

/* Points of one group, in a list of their own. */
static enum perfpred_status run_group(struct course *course, size_t group, struct perfpred_error *error) {
  struct perfpred_validation_point points[GROUP];
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_measure_options options = course->options;
  size_t count = 0;
  for (size_t i = group; i < course->count; i += course->groups)
    points[count++] = course->points[i];
  course->share = (double)count / (double)course->count;
  if (options.progress) {
    options.progress = tell_group;
    options.progress_data = course;
  }
  options.budget_s *= (1.0 - ANCHOR_SHARE) * (double)count / (double)course->count;
  enum perfpred_status status = perfpred_validate(course->plans, course->plan_count, course->sampler, &options, points,
                                                  count, &validation, error);
  course->done += course->share;
  if (!status)
    status = read_anchors(course, course->after, error);
  for (size_t k = 0; k < count && !status; k++) {
    course->points[group + k * course->groups] = points[k];
    status = correct(course, group + k * course->groups, error);
  }
  add_up(&course->validation, &validation);
  memcpy(course->before, course->after, sizeof course->before);
  return status;
}

static void sum_up(struct course *course) {
  struct perfpred_validation *validation = &course->validation;
  struct perfpred_drift_validation *summary = &course->summary;
  size_t known = 0;
  for (size_t i = 0; i < course->count; i++) {
    const struct perfpred_validation_point *point = course->points + i;
    validation->mean_are += point->are / (double)course->count;
    summary->corrected_mean_are += course->corrected[i].corrected_are / (double)course->count;
    validation->noise_floor += isnan(point->noise) ? 0.0 : point->noise;
    known += isnan(point->noise) ? 0 : 1;
    course->scratch[i] = point->are;
  }
  validation->noise_floor = known > 0 ? validation->noise_floor / (double)known : (double)NAN;
  validation->median_are = ppi_stats_median(course->scratch, course->count);
  for (size_t i = 0; i < course->count; i++)
    course->scratch[i] = course->corrected[i].corrected_are;
  summary->corrected_median_are = ppi_stats_median(course->scratch, course->count);
  for (size_t i = 0; i < course->count; i++)
    course->scratch[i] = course->points[i].predicted_s.med > 0.0
                             ? course->corrected[i].corrected_s / course->points[i].predicted_s.med
                             : 1.0;
  summary->ratio = ppi_stats_median(course->scratch, course->count);
}

/* Before anything is measured. */
static enum perfpred_status check_setup(const struct course *course, struct perfpred_error *error) {
  struct ppi_setup *here = NULL;
  unsigned notes = 0;
  enum perfpred_status status = ppi_setup_of(course->sampler, &here, error);
  for (size_t i = 0; i < course->plan_count && !status; i++)
    status = ppi_setup_compare_plan(course->plans[i], here, &notes, error);
  free(here);
  return status;
}

static enum perfpred_status run(struct course *course, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < course->count && !status; i++)
    status = add_kernels(course, i, error);
  course->groups = (course->count + GROUP - 1) / GROUP;
  course->sampling.budget_s *= ANCHOR_SHARE / (double)(course->groups + 1);
  course->sampling.partial = course->sampling.budget_s > 0.0;
  if (!status)
    status = check_setup(course, error);
  if (!status)
    status = read_anchors(course, course->before, error);
  for (size_t group = 0; group < course->groups && !status; group++)
    status = run_group(course, group, error);
  if (!status)
    sum_up(course);
  return status;
}

/* --- All ------------------------------------------------------------------------------------------------------------ */

static enum perfpred_status check_plans(const struct course *course, struct perfpred_error *error) {
  if (!course->plans || course->plan_count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "plans is empty; expected at least one plan");
  for (size_t i = 0; i < course->plan_count; i++) {
    if (!course->plans[i])
      return ppi_error_set(error, PERFPRED_INVALID, "plans[%zu] is NULL", i);
    if (course->plans[i]->models != course->drift->models || course->plans[i]->setup != course->plans[0]->setup)
      return ppi_error_set(error, PERFPRED_INVALID, "plans[%zu]: expected plans of the drift's models, of one setup",
                           i);
  }
  for (size_t i = 0; i < course->count; i++)
    if (course->points[i].plan >= course->plan_count)
      return ppi_error_set(error, PERFPRED_INVALID, "points[%zu]: plan is %zu; there are %zu plans", i,
                           course->points[i].plan, course->plan_count);
  return PERFPRED_OK;
}

static enum perfpred_status allocate(struct course *course, const struct perfpred_validation_point *points,
                                     struct perfpred_error *error) {
  course->points = calloc(course->count, sizeof *course->points);
  course->corrected = calloc(course->count, sizeof *course->corrected);
  course->scratch = calloc(course->count, sizeof *course->scratch);
  if (!course->points || !course->corrected || !course->scratch)
    return ppi_error_memory(error);
  memcpy(course->points, points, course->count * sizeof *points);
  return PERFPRED_OK;
}

static enum perfpred_status fill_options(struct course *course, const struct perfpred_measure_options *options,
                                         struct perfpred_error *error) {
  struct perfpred_measure_options full = PERFPRED_MEASURE_OPTIONS_INIT;
  enum perfpred_status status = ppi_measure_options(options, &course->sampling, error);
  if (!status && options)
    memcpy(&full, options, options->size < sizeof full ? options->size : sizeof full);
  full.size = sizeof full;
  course->options = full;
  course->sampling.ld = 0;
  if (full.progress) {
    course->sampling.progress = tell_anchors;
    course->sampling.progress_data = course;
  }
  return status;
}

static const char *missing_pointer(const struct course *course, const struct perfpred_validation_point *points,
                                   const struct perfpred_drift_point *corrected,
                                   const struct perfpred_validation *validation,
                                   const struct perfpred_drift_validation *summary) {
  if (!course->drift)
    return "drift";
  if (!course->sampler)
    return "sampler";
  if (!points || course->count == 0)
    return "points";
  if (!corrected)
    return "corrected";
  if (!validation || validation->size < sizeof validation->size)
    return "validation";
  return !summary || summary->size < sizeof summary->size ? "summary" : NULL;
}

static void give(const struct course *course, struct perfpred_validation_point *points,
                 struct perfpred_drift_point *corrected, struct perfpred_validation *validation,
                 struct perfpred_drift_validation *summary) {
  const size_t size = validation->size, summary_size = summary->size;
  memcpy(points, course->points, course->count * sizeof *points);
  memcpy(corrected, course->corrected, course->count * sizeof *corrected);
  memcpy(validation, &course->validation, size < sizeof *validation ? size : sizeof *validation);
  memcpy(summary, &course->summary, summary_size < sizeof *summary ? summary_size : sizeof *summary);
  validation->size = size;
  summary->size = summary_size;
}

enum perfpred_status perfpred_drift_validate(struct perfpred_drift *drift, const struct perfpred_plan *const *plans,
                                             size_t plan_count, struct perfpred_sampler *sampler,
                                             const struct perfpred_measure_options *options,
                                             struct perfpred_validation_point *points,
                                             struct perfpred_drift_point *corrected, size_t point_count,
                                             struct perfpred_validation *validation,
                                             struct perfpred_drift_validation *summary, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct course *course = calloc(1, sizeof *course);
  if (!course)
    return ppi_error_memory(error);
  course->drift = drift;
  course->plans = plans;
  course->plan_count = plan_count;
  course->sampler = sampler;
  course->count = point_count;
  const char *missing = missing_pointer(course, points, corrected, validation, summary);
  enum perfpred_status status = PERFPRED_OK;
  if (missing)
    status = ppi_error_set(error, PERFPRED_INVALID, "%s: expected one, with the size of its INIT", missing);
  if (!status)
    status = fill_options(course, options, error);
  if (!status)
    status = allocate(course, points, error);
  if (!status)
    status = check_plans(course, error);
  if (!status) {
    course->setup = plans[0]->setup;
    status = run(course, error);
  }
  if (!status)
    give(course, points, corrected, validation, summary);
  free(course->scratch);
  free(course->corrected);
  free(course->points);
  free(course);
  return status;
}
