/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranking alternatives, with ties (Section 15). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/predict.h"

struct entry {
  struct ppi_plan_sum sum;
  size_t plan;
};

static int by_median(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->sum.time_s.med != y->sum.time_s.med)
    return x->sum.time_s.med < y->sum.time_s.med ? -1 : 1;
  return (x->plan > y->plan) - (x->plan < y->plan); /* equal ones in the order they came */
}

/* The models' own error as a share of the time; one that is not known counts as none. */
static double error_of(const struct entry *entry) {
  return isnan(entry->sum.model_error) ? 0.0 : entry->sum.model_error;
}

/* Whether b, next after a in the order, cannot be told from it. */
static bool tied(const struct entry *a, const struct entry *b, double tie) {
  double first = a->sum.time_s.med, difference = b->sum.time_s.med - first;
  if (tie < 0.0)
    return false;
  if (tie == 0.0)
    tie = hypot(error_of(a), error_of(b));
  return difference == 0.0 || difference < tie * first;
}

static enum perfpred_status predict_all(const struct perfpred_plan *const *plans, size_t plan_count,
                                        const int64_t *parameters, size_t count, struct entry *entries,
                                        struct perfpred_error *error) {
  for (size_t i = 0; i < plan_count; i++) {
    enum perfpred_status status = ppi_plan_sum(plans[i], parameters, count, &entries[i].sum, error);
    if (status)
      return status;
    entries[i].plan = i;
  }
  return PERFPRED_OK;
}

/* The timing spread and the model's own error are independent of each other. */
static enum perfpred_status likelihoods_of(const struct entry *entries, size_t count, double *scratch,
                                           struct perfpred_error *error) {
  double *med = scratch, *std = scratch + count, *likelihoods = scratch + 2 * count;
  for (size_t i = 0; i < count; i++) {
    med[i] = entries[i].sum.time_s.med;
    std[i] = hypot(entries[i].sum.time_s.std, error_of(&entries[i]) * med[i]);
  }
  return ppi_likelihoods(med, std, count, likelihoods, error);
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

static enum perfpred_status check_arguments(const struct perfpred_plan *const *plans, size_t plan_count,
                                            const int64_t *parameters, size_t count, double tie,
                                            const struct perfpred_rank *ranking, struct perfpred_error *error) {
  if (!plans || plan_count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "plans is empty; expected at least one plan");
  if (!ranking)
    return ppi_error_set(error, PERFPRED_INVALID, "ranking is NULL; expected room for %zu lines", plan_count);
  if (isnan(tie))
    return ppi_error_set(error, PERFPRED_INVALID, "tie is not a number");
  for (size_t i = 0; i < plan_count; i++) {
    if (!plans[i])
      return ppi_error_set(error, PERFPRED_INVALID, "plans[%zu] is NULL", i);
    enum perfpred_status status = ppi_plan_check(plans[i], parameters, count, error);
    if (status)
      return status;
  }
  return check_operations(plans, plan_count, error);
}

static void write_ranking(const struct entry *entries, size_t count, double tie, const double *likelihoods,
                          struct perfpred_rank *ranking) {
  unsigned group = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && !tied(&entries[i - 1], &entries[i], tie))
      group++;
    ranking[i] = (struct perfpred_rank){ .plan = entries[i].plan,
                                         .time_s = entries[i].sum.time_s,
                                         .group = group,
                                         .likelihood = likelihoods[i],
                                         .notes = entries[i].sum.notes };
  }
}

enum perfpred_status perfpred_rank(const struct perfpred_plan *const *plans, size_t plan_count,
                                   const int64_t *parameters, size_t count, double tie, struct perfpred_rank *ranking,
                                   struct perfpred_error *error) {
  ppi_error_clear(error);
  enum perfpred_status status = check_arguments(plans, plan_count, parameters, count, tie, ranking, error);
  if (status)
    return status;
  struct entry *entries = calloc(plan_count, sizeof *entries);
  double *scratch = calloc(plan_count, 3 * sizeof *scratch);
  if (!entries || !scratch) {
    status = ppi_error_memory(error);
    goto done;
  }
  status = predict_all(plans, plan_count, parameters, count, entries, error);
  if (status)
    goto done;
  qsort(entries, plan_count, sizeof *entries, by_median);
  status = likelihoods_of(entries, plan_count, scratch, error);
  if (status)
    goto done;
  write_ranking(entries, plan_count, tie, scratch + 2 * plan_count, ranking);
done:
  free(scratch);
  free(entries);
  return status;
}
