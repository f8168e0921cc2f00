/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours as subjects of the schedule. What a sample overwrites in C nobody restores: the numbers are of no matter to its time. */
#include "measure/core_tour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/schedule.h"

#define STAGE "sampling"

/* --- One after the other --------------------------------------------------------------------------------------------- */

static void describe(const struct ppi_tour *tour, char *text, size_t size) {
  ppi_call_describe(tour->kernel, tour->values, text, size);
  for (int l = 0; l < tour->loop_count; l++) {
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%lld", l == 0 ? " in loops of " : " x ", (long long)tour->length[l]);
  }
}

static enum perfpred_status walk_tour(struct ppi_tours *tours, const struct ppi_tour *tour,
                                      struct perfpred_error *error) {
  struct ppi_tour_routines routines = { .call = NULL };
  if (tours->walking == tour)
    return PERFPRED_OK;
  tours->walking = NULL;
  enum perfpred_status status =
      ppi_core_address(tours->core, tour->kernel, &routines.call, &routines.call_ilp64, error);
  if (status == PERFPRED_OK && tour->copier != NULL)
    status = ppi_core_address(tours->core, tour->copier, &routines.copy, &routines.copy_ilp64, error);
  if (status == PERFPRED_OK)
    status =
        ppi_tour_walk_make(&tours->walk, tour, &routines, tours->tensors, tours->packed, tours->batch->elements, error);
  if (status == PERFPRED_OK)
    tours->walking = tour;
  return status;
}

static enum perfpred_status select_request(void *data, size_t index, struct perfpred_error *error) {
  struct ppi_tours *tours = data;
  tours->request = &tours->batch->requests[index];
  tours->course = &tours->courses[index];
  const struct ppi_tour *tour = &tours->batch->tours[tours->request->tour];
  enum perfpred_status status = walk_tour(tours, tour, error);
  describe(tour, tours->what, sizeof tours->what);
  return status;
}

static void begin_courses(struct ppi_tours *tours, const struct ppi_sampling *sampling) {
  for (size_t i = 0; i < tours->batch->request_count; i++) {
    const struct ppi_tour_request *request = &tours->batch->requests[i];
    const int repetitions = request->repetitions > 0 ? request->repetitions : sampling->repetitions;
    struct ppi_tour_course *course = &tours->courses[i];
    course->residual = (double)NAN;
    course->iterations = ppi_tour_body(&tours->batch->tours[request->tour], 0);
    course->timed = ppi_tour_timed(&tours->batch->tours[request->tour], request);
    tours->wanted[i] = (unsigned)(repetitions > 0 ? repetitions : PPI_DEFAULT_REPETITIONS);
    tours->limits_s[i] = request->limit_s;
  }
}

static double overhead(void *data) {
  return ((const struct ppi_tours *)data)->overhead_s;
}

/* --- All of them ----------------------------------------------------------------------------------------------------- */

/* Of one iteration; what was not made has no samples. */
static void conclude(const struct ppi_tour_course *course, struct ppi_tour_result *result) {
  struct ppi_result *timing = &result->timing;
  result->timed = course->timed;
  timing->residual = course->residual;
  if (course->skipped) {
    const double first_s = timing->first_s;
    ppi_results_free(timing, 1);
    *timing = (struct ppi_result){ .residual = (double)NAN, .first_s = first_s };
  }
}

static void divide(double iterations, struct ppi_result *timing) {
  for (size_t i = 0; i < timing->count; i++)
    timing->times_s[i] /= iterations;
  for (size_t i = 0; i < timing->sample_count; i++) {
    timing->samples[i].wall_s /= iterations;
    timing->samples[i].cpu_s /= iterations;
  }
  timing->cpu_s /= iterations;
}

static enum perfpred_status measure(struct ppi_tours *tours, const struct ppi_sampling *sampling,
                                    struct ppi_result *timings, struct perfpred_error *error) {
  static const struct ppi_frame none = { .call = NULL }; /* what the clock costs is the same around all tours */
  const struct ppi_subjects subjects = { .count = tours->batch->request_count,
                                         .stage = STAGE,
                                         .select = select_request,
                                         .restore = ppi_tours_restore,
                                         .run = ppi_tours_run,
                                         .check = ppi_tours_check,
                                         .overhead_s = overhead,
                                         .prepare = ppi_tours_prepare,
                                         .unpaired = true,
                                         .wanted = tours->wanted,
                                         .limits_s = tours->limits_s,
                                         .data = tours };
  const struct ppi_bench *bench = NULL;
  struct ppi_level *level = NULL;
  enum perfpred_status status = ppi_core_world(tours->core, tours->core->options.threads, &bench, &level, error);
  if (status != PERFPRED_OK)
    return status;
  tours->idle = true;
  tours->overhead_s = ppi_core_idle(tours->core, &subjects, &none);
  tours->idle = false;
  return ppi_schedule_run(bench, level, &subjects, sampling, timings, error);
}

static enum perfpred_status sample(struct ppi_tours *tours, const struct ppi_sampling *sampling,
                                   struct ppi_tour_result *results, struct perfpred_error *error) {
  const size_t count = tours->batch->request_count;
  struct ppi_result *timings = calloc(count + 1, sizeof *timings);
  if (timings == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_tours_allocate(tours, error);
  if (status == PERFPRED_OK) {
    begin_courses(tours, sampling);
    status = measure(tours, sampling, timings, error);
  }
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    const enum ppi_tour_subject subject = tours->batch->requests[i].subject;
    results[i].timing = timings[i];
    conclude(&tours->courses[i], &results[i]);
    if ((subject == PPI_TOUR_WINDOW || subject == PPI_TOUR_CALL) && tours->courses[i].timed > 1)
      divide((double)tours->courses[i].timed, &results[i].timing);
  }
  free(timings);
  return status;
}

enum perfpred_status ppi_core_tour(struct ppi_core *core, const struct ppi_tour_batch *batch,
                                   const struct ppi_sampling *sampling, struct ppi_tour_result *results,
                                   struct perfpred_error *error) {
  enum perfpred_status status = ppi_tour_check(batch, error);
  if (status != PERFPRED_OK || batch->request_count == 0)
    return status;
  struct ppi_tours *tours = calloc(1, sizeof *tours);
  if (tours == NULL)
    return ppi_error_memory(error);
  tours->core = core;
  tours->batch = batch;
  tours->seed = sampling->seed;
  status = sample(tours, sampling, results, error);
  ppi_tours_release(tours);
  free(tours);
  return status;
}
