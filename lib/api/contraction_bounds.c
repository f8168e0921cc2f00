/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of groups: what one warm call takes, or models say. */
#include <math.h>
#include <stdlib.h>

#include "api/contraction_price.h"

#define BOUND_REPETITIONS 2 /* a bound is what the quickest of them takes: a neighbour may slow one down tenfold */
#define GEMM_WORK 2e6       /* products of extents of a call that is timed for a bound, at most: of gemm, */
#define OTHER_WORK 2e5      /* and of kernels that compute little with each element */
#define REPEATED_WORK 1e5   /* shorter calls are repeated up to so much */
#define REPEATED_MOST 256
#define WARM_SLACK 0.9    /* a call in its algorithm is not faster than this share of a warm one, */
#define CALL_S 10e-9      /* no routine of BLAS returns sooner */
#define CALLS_MARGIN 2.0  /* how far beyond the best time calls alone have to be */
#define SCALED_SLACK 0.75 /* nor than this share of one that was scaled */
#define FASTEST_RATE 60e9 /* bytes per second: no thread reads and writes more when it transposes, */
#define SLOW_RATE 2e9     /* nor less */

static double work_of(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm) {
  const int claimed[] = { algorithm->contracted, algorithm->free_a, algorithm->free_b };
  double work = 1.0;
  for (size_t i = 0; i < sizeof claimed / sizeof claimed[0]; i++)
    work *= claimed[i] >= 0 ? (double)contraction->index[claimed[i]].extent : 1.0;
  return work;
}

/* Halves the longest of the indices that the kernel goes through until the call is short. */
static void clip(struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm, double most) {
  const int claimed[] = { algorithm->contracted, algorithm->free_a, algorithm->free_b };
  while (work_of(contraction, algorithm) > most) {
    struct ppi_index *longest = NULL;
    for (size_t i = 0; i < sizeof claimed / sizeof claimed[0]; i++)
      if (claimed[i] >= 0 && (!longest || contraction->index[claimed[i]].extent > longest->extent))
        longest = &contraction->index[claimed[i]];
    longest->extent /= 2;
  }
}

void ppi_contraction_price_clip(struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                                double most, double *ratio) {
  const double work = work_of(contraction, algorithm);
  clip(contraction, algorithm, most);
  *ratio = work / work_of(contraction, algorithm);
}

static const struct ppi_contraction_entry *first_of(const struct ppi_contraction_pricing *pricing, size_t group) {
  const struct ppi_contraction_entry *entry = pricing->candidates->entries;
  while (entry->group != group)
    entry++;
  return entry;
}

enum ppi_contraction_answer ppi_contraction_price_known(const struct ppi_contraction_pricing *pricing, size_t group) {
  struct perfpred_statistics time_s;
  struct ppi_contract_call call;
  ppi_contract_resolve(&pricing->candidates->contraction, &first_of(pricing, group)->algorithm, &call);
  return ppi_contraction_models_call(&pricing->models, pricing->kernels, &call, &time_s);
}

/* Whether models answer for a group; they may where the mode lets them. */
static bool bound_by_models(const struct ppi_contraction_pricing *pricing, size_t place) {
  struct ppi_contraction_group *group = &pricing->candidates->groups[place];
  struct ppi_contract_call call;
  if (!pricing->models.models ||
      (pricing->mode != PERFPRED_CONTRACTION_AUTO && pricing->mode != PERFPRED_CONTRACTION_MODELS))
    return false;
  ppi_contract_resolve(&pricing->candidates->contraction, &first_of(pricing, place)->algorithm, &call);
  if (ppi_contraction_models_call(&pricing->models, pricing->kernels, &call, &group->model_s) != PPI_CONTRACTION_KNOWN)
    return false;
  group->modelled = true;
  group->bound = PERFPRED_CONTRACTION_BOUND_MODELS;
  group->call_s = group->model_s.med;
  group->bound_s = WARM_SLACK * group->calls * group->call_s + group->moved_bytes / FASTEST_RATE;
  return true;
}

/* A warm call that is timed for a bound. */
struct warm {
  size_t group, request;
  double most; /* products of its extents */
};

static double usual_work(const struct ppi_contraction_group *group) {
  return group->kernel == PPI_CONTRACT_GEMM ? GEMM_WORK : OTHER_WORK;
}

static enum perfpred_status add_warm(const struct ppi_contraction_pricing *pricing, struct ppi_contraction_batch *batch,
                                     struct warm *warm, struct perfpred_error *error) {
  const struct ppi_contraction_entry *entry = first_of(pricing, warm->group);
  const struct ppi_contract_algorithm *algorithm = ppi_contraction_nest(pricing->candidates, entry);
  struct ppi_contraction clipped = *ppi_contraction_of(pricing->candidates, entry);
  struct ppi_tour_request request = { .subject = PPI_TOUR_CALL, .level = PPI_TOUR_ANYWHERE, .warm = true };
  clip(&clipped, algorithm, warm->most);
  request.timed = (int64_t)fmax(1.0, fmin(REPEATED_WORK / work_of(&clipped, algorithm), REPEATED_MOST));
  request.repetitions = pricing->repetitions > 0 ? pricing->repetitions : BOUND_REPETITIONS;
  enum perfpred_status status =
      ppi_contraction_batch_tour(batch, pricing->kernels, &clipped, algorithm, &request.tour, error);
  return status ? status : ppi_contraction_batch_request(batch, &request, &warm->request, error);
}

static void take_warm(const struct ppi_contraction_pricing *pricing, const struct ppi_contraction_batch *batch,
                      const struct warm *warm) {
  const struct ppi_contraction_entry *entry = first_of(pricing, warm->group);
  const struct ppi_contract_algorithm *algorithm = ppi_contraction_nest(pricing->candidates, entry);
  struct ppi_contraction_group *group = &pricing->candidates->groups[warm->group];
  struct ppi_contraction clipped = *ppi_contraction_of(pricing->candidates, entry);
  struct perfpred_statistics time_s;
  double ratio = 1.0;
  ppi_contraction_price_clip(&clipped, algorithm, warm->most, &ratio);
  ppi_contraction_batch_time(batch, warm->request, &time_s);
  if (!(time_s.min > 0.0))
    return;
  group->bound = ratio > 1.0 ? PERFPRED_CONTRACTION_BOUND_SCALED : PERFPRED_CONTRACTION_BOUND_WARM;
  group->call_s = time_s.min * ratio;
  group->bound_s =
      (ratio > 1.0 ? SCALED_SLACK : WARM_SLACK) * group->calls * group->call_s + group->moved_bytes / FASTEST_RATE;
}

static enum perfpred_status run_warm(struct ppi_contraction_pricing *pricing, struct warm *warm, size_t count,
                                     struct perfpred_error *error) {
  struct ppi_contraction_batch batch = { .contraction = &pricing->candidates->contraction };
  struct ppi_sampling sampling = pricing->sampling;
  enum perfpred_status status = PERFPRED_OK;
  sampling.gate = -1.0; /* bounds leave room for noise */
  for (size_t i = 0; i < count && !status; i++)
    status = add_warm(pricing, &batch, &warm[i], error);
  if (!status && count > 0)
    status = ppi_contraction_batch_run(&batch, pricing->sampler, &sampling, error);
  for (size_t i = 0; i < count && !status; i++)
    take_warm(pricing, &batch, &warm[i]);
  pricing->benchmarks += status ? 0 : count;
  ppi_contraction_batch_free(&batch);
  return status;
}

/* What the groups that were timed take at most, roughly. */
static double best_so_far(const struct ppi_contraction_candidates *candidates) {
  double best_s = (double)INFINITY;
  for (size_t i = 0; i < candidates->group_count; i++)
    if (candidates->groups[i].entries > 0 && candidates->groups[i].call_s > 0.0)
      best_s = fmin(best_s, candidates->groups[i].call_s * candidates->groups[i].calls +
                                candidates->groups[i].moved_bytes / SLOW_RATE);
  return best_s;
}

/* Groups that make so many calls that there is no need to time one. */
static bool bound_by_calls(struct ppi_contraction_group *group, double best_s) {
  const double least_s = CALL_S * group->calls;
  if (!(least_s > CALLS_MARGIN * best_s))
    return false;
  group->bound = PERFPRED_CONTRACTION_BOUND_CALLS;
  group->bound_s = least_s;
  return true;
}

/* gemm: those of gemm, or else all others. */
static enum perfpred_status bound_groups(struct ppi_contraction_pricing *pricing, bool gemm, bool all,
                                         struct warm *warm, struct perfpred_error *error) {
  const struct ppi_contraction_candidates *candidates = pricing->candidates;
  const double best_s = all ? (double)INFINITY : best_so_far(candidates);
  size_t count = 0;
  for (size_t i = 0; i < candidates->group_count; i++) {
    struct ppi_contraction_group *group = &candidates->groups[i];
    if (group->entries > 0 && (group->kernel == PPI_CONTRACT_GEMM) == gemm && !bound_by_models(pricing, i) &&
        !bound_by_calls(group, best_s))
      warm[count++] = (struct warm){ .group = i, .most = usual_work(group) };
  }
  return pricing->sampler && pricing->mode != PERFPRED_CONTRACTION_MODELS ? run_warm(pricing, warm, count, error)
                                                                          : PERFPRED_OK;
}

enum perfpred_status ppi_contraction_price_bounds(struct ppi_contraction_pricing *pricing, bool all,
                                                  struct perfpred_error *error) {
  if (ppi_contraction_price_idle(pricing))
    return PERFPRED_OK;
  struct warm *warm = calloc(pricing->candidates->group_count, sizeof *warm);
  if (!warm)
    return ppi_error_memory(error);
  enum perfpred_status status = bound_groups(pricing, true, all, warm, error);
  if (!status)
    status = bound_groups(pricing, false, all, warm, error);
  free(warm);
  return status;
}

enum perfpred_status ppi_contraction_price_scaled(struct ppi_contraction_pricing *pricing, const size_t *groups,
                                                  size_t count, double call_s, struct perfpred_error *error) {
  struct warm *warm = calloc(count + 1, sizeof *warm);
  if (!warm)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count; i++) {
    const struct ppi_contraction_group *group = &pricing->candidates->groups[groups[i]];
    const struct ppi_contraction_entry *entry = first_of(pricing, groups[i]);
    const double work =
        work_of(ppi_contraction_of(pricing->candidates, entry), ppi_contraction_nest(pricing->candidates, entry));
    warm[i] = (struct warm){ .group = groups[i], .most = fmax(usual_work(group), work * call_s / group->call_s) };
  }
  enum perfpred_status status = run_warm(pricing, warm, count, error);
  free(warm);
  return status;
}
