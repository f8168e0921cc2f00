/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranking alternatives, with ties (Section 15). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/predict.h"
#include "predict/roster.h"

#define OPTIONS_LEAST sizeof(size_t)

struct entry {
  struct ppi_plan_sum sum;
  struct ppi_roster roster;
  size_t plan;
};

static int by_median(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->sum.time_s.med != y->sum.time_s.med)
    return x->sum.time_s.med < y->sum.time_s.med ? -1 : 1;
  return (x->plan > y->plan) - (x->plan < y->plan); /* equal ones in the order they came */
}

/* Whether b, next after a in the order, cannot be told from it: their difference is no larger than the error that its prediction has (calls
   that both make cancel) together with the noise of measurements. */
static bool tied(const struct entry *a, const struct entry *b, const struct perfpred_rank_options *options) {
  const struct ppi_roster *a_roster = &a->roster, *b_roster = &b->roster;
  double first = a->sum.time_s.med, difference = b->sum.time_s.med - first;
  if (options->tie < 0.0)
    return false;
  if (difference == 0.0)
    return true;
  if (options->tie > 0.0)
    return difference < options->tie * first;
  double error_s = options->error * first;
  if (options->error <= 0.0)
    error_s = hypot(ppi_roster_error(a_roster, &b_roster, 1), ppi_roster_error(b_roster, &a_roster, 1));
  return difference < hypot(error_s, options->noise * first);
}

static enum perfpred_status predict_all(const struct perfpred_plan *const *plans, size_t plan_count,
                                        const int64_t *parameters, size_t count, struct entry *entries,
                                        struct perfpred_error *error) {
  for (size_t i = 0; i < plan_count; i++) {
    enum perfpred_status status =
        ppi_roster_of(plans[i], parameters, count, &entries[i].roster, &entries[i].sum, error);
    if (status)
      return status;
    entries[i].plan = i;
  }
  return PERFPRED_OK;
}

/* What integrating takes and gives, a number for each entry. */
struct odds {
  double *med, *std, *likelihoods, *scratch;
  double least_s; /* mean of the fastest one's true median */
};

/* Errors of the models alone, without what all of the entries do: what the true medians may be off by. */
static enum perfpred_status error_of_medians(const struct entry *entries, size_t count,
                                             const struct perfpred_rank_options *options, double *std,
                                             struct perfpred_error *error) {
  const struct ppi_roster **all = calloc(count, sizeof *all);
  if (!all)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count; i++)
    all[i] = &entries[i].roster;
  for (size_t i = 0; i < count; i++) {
    if (options->error > 0.0)
      std[i] = options->error * M_SQRT1_2 * entries[i].sum.time_s.med; /* of a difference of two */
    else
      std[i] = ppi_roster_error(&entries[i].roster, all, count);
  }
  free((void *)all);
  return PERFPRED_OK;
}

/* Who is the fastest in a run depends on the spread of times as well, which is independent of the models' error. What a choice loses
   does not: nobody can choose by what a single run will be like. */
static enum perfpred_status find_odds(const struct entry *entries, size_t count,
                                      const struct perfpred_rank_options *options, struct odds *odds,
                                      struct perfpred_error *error) {
  enum perfpred_status status = error_of_medians(entries, count, options, odds->std, error);
  for (size_t i = 0; i < count; i++)
    odds->med[i] = entries[i].sum.time_s.med;
  if (!status)
    status = ppi_likelihoods(odds->med, odds->std, count, odds->scratch, &odds->least_s, error);
  for (size_t i = 0; i < count; i++)
    odds->std[i] = hypot(odds->std[i], entries[i].sum.time_s.std);
  return status ? status : ppi_likelihoods(odds->med, odds->std, count, odds->likelihoods, NULL, error);
}

/* The times of different operations say nothing about which algorithm is better. One without an operation may be any. */
static enum perfpred_status check_operations(const struct perfpred_plan *const *plans, size_t plan_count,
                                             struct perfpred_error *error) {
  const struct perfpred_program *first = NULL;
  for (size_t i = 0; i < plan_count; i++) {
    const struct perfpred_program *program = plans[i]->program;
    if (!first && program->operation[0])
      first = program;
    if (program->operation[0] && strcmp(program->operation, first->operation) != 0)
      return ppi_error_set(error, PERFPRED_INVALID,
                           "'%s' computes '%s', '%s' computes '%s': expected algorithms of one operation", first->name,
                           first->operation, program->name, program->operation);
  }
  return PERFPRED_OK;
}

static enum perfpred_status read_options(const struct perfpred_rank_options *options,
                                         struct perfpred_rank_options *full, struct perfpred_error *error) {
  *full = (struct perfpred_rank_options)PERFPRED_RANK_OPTIONS_INIT;
  if (!options)
    return PERFPRED_OK;
  if (options->size < OPTIONS_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_RANK_OPTIONS_INIT",
                         options->size);
  memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  if (isnan(full->tie))
    return ppi_error_set(error, PERFPRED_INVALID, "options: tie is not a number");
  if (!(full->noise >= 0.0 && full->noise <= 1.0))
    return ppi_error_set(error, PERFPRED_INVALID, "options: noise is %g; expected 0 to 1", full->noise);
  if (!(full->error >= 0.0 && full->error <= 1.0))
    return ppi_error_set(error, PERFPRED_INVALID, "options: error is %g; expected 0 to 1", full->error);
  return PERFPRED_OK;
}

enum perfpred_status ppi_rank_check(const struct perfpred_plan *const *plans, size_t plan_count,
                                    const int64_t *parameters, size_t count, struct perfpred_error *error) {
  if (!plans || plan_count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "plans is empty; expected at least one plan");
  for (size_t i = 0; i < plan_count; i++) {
    if (!plans[i])
      return ppi_error_set(error, PERFPRED_INVALID, "plans[%zu] is NULL", i);
    enum perfpred_status status = ppi_plan_check(plans[i], parameters, count, error);
    if (status)
      return status;
  }
  return check_operations(plans, plan_count, error);
}

static void write_ranking(const struct entry *entries, size_t count, const struct perfpred_rank_options *options,
                          const struct odds *odds, struct perfpred_ranked *ranking) {
  unsigned group = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && !tied(&entries[i - 1], &entries[i], options))
      group++;
    ranking[i] = (struct perfpred_ranked){ .plan = entries[i].plan,
                                           .time_s = entries[i].sum.time_s,
                                           .group = group,
                                           .likelihood = odds->likelihoods[i],
                                           .notes = entries[i].sum.notes,
                                           .loss_s = fmax(entries[i].sum.time_s.med - odds->least_s, 0.0) };
  }
}

enum perfpred_status perfpred_rank(const struct perfpred_plan *const *plans, size_t plan_count,
                                   const int64_t *parameters, size_t count, const struct perfpred_rank_options *options,
                                   struct perfpred_ranked *ranking, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct perfpred_rank_options full;
  enum perfpred_status status = ppi_rank_check(plans, plan_count, parameters, count, error);
  if (!status && !ranking)
    status = ppi_error_set(error, PERFPRED_INVALID, "ranking is NULL; expected room for %zu lines", plan_count);
  if (!status)
    status = read_options(options, &full, error);
  if (status)
    return status;
  struct entry *entries = calloc(plan_count, sizeof *entries);
  double *numbers = calloc(plan_count, 4 * sizeof *numbers);
  if (!entries || !numbers) {
    status = ppi_error_memory(error);
    goto done;
  }
  status = predict_all(plans, plan_count, parameters, count, entries, error);
  if (status)
    goto done;
  qsort(entries, plan_count, sizeof *entries, by_median);
  struct odds odds = { numbers, numbers + plan_count, numbers + 2 * plan_count, numbers + 3 * plan_count, 0.0 };
  status = find_odds(entries, plan_count, &full, &odds, error);
  if (!status)
    write_ranking(entries, plan_count, &full, &odds, ranking);
done:
  for (size_t i = 0; entries && i < plan_count; i++)
    ppi_roster_free(&entries[i].roster);
  free(numbers);
  free(entries);
  return status;
}
