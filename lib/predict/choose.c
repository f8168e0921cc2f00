/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm, threads and the value of a parameter chosen together. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "predict/predict.h"

#define SIZE_LEAST (offsetof(struct perfpred_choice, notes) + sizeof(unsigned)) /* of release 0.1 */

struct candidate {
  size_t plan;
  int64_t value;
  struct ppi_plan_sum sum;
};

struct choosing {
  const struct perfpred_plan *const *plans;
  const struct perfpred_range *ranges;
  size_t plan_count, count;
  int parameter;
  struct perfpred_choose_options options;
  int64_t values[PPI_PARAMETER_MAX];
  struct perfpred_error *error;
};

/* Sees every candidate. */
typedef void candidate_fn(void *data, const struct candidate *candidate);

static bool admitted(const struct choosing *choosing, size_t plan) {
  int limit = choosing->options.thread_limit;
  return limit == 0 || ppi_plan_threads(choosing->plans[plan]) <= limit;
}

static enum perfpred_status predict(struct choosing *choosing, struct candidate *candidate,
                                    struct perfpred_error *error) {
  choosing->values[choosing->parameter] = candidate->value;
  return ppi_plan_sum(choosing->plans[candidate->plan], choosing->values, choosing->count, &candidate->sum, error);
}

static enum perfpred_status visit_plan(struct choosing *choosing, size_t plan, candidate_fn *see, void *data) {
  const struct perfpred_range *range = &choosing->ranges[plan];
  const int64_t extra = choosing->options.extra;
  struct candidate candidate = { .plan = plan };
  for (int64_t k = 0; k <= (range->upper - range->lower) / range->step; k++) {
    candidate.value = range->lower + k * range->step;
    enum perfpred_status status = predict(choosing, &candidate, choosing->error);
    if (status)
      return status;
    see(data, &candidate);
  }
  bool inside = extra >= range->lower && extra <= range->upper && (extra - range->lower) % range->step == 0;
  candidate.value = extra;
  if (extra > 0 && !inside && predict(choosing, &candidate, NULL) == PERFPRED_OK)
    see(data, &candidate);
  return PERFPRED_OK;
}

static enum perfpred_status visit(struct choosing *choosing, candidate_fn *see, void *data) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < choosing->plan_count && !status; i++)
    if (admitted(choosing, i))
      status = visit_plan(choosing, i, see, data);
  return status;
}

struct best {
  struct candidate candidate;
  uint64_t seen;
};

static void keep_best(void *data, const struct candidate *candidate) {
  struct best *best = data;
  double time_s = candidate->sum.time_s.med, best_s = best->candidate.sum.time_s.med;
  bool smaller = candidate->plan == best->candidate.plan && candidate->value < best->candidate.value;
  if (best->seen++ == 0 || time_s < best_s || (time_s == best_s && smaller))
    best->candidate = *candidate;
}

/* The loss against the rival that most costs to have passed over. */
struct rivalry {
  const struct candidate *chosen;
  double loss_s;
};

static void meet(void *data, const struct candidate *rival) {
  struct rivalry *rivalry = data;
  const struct candidate *chosen = rivalry->chosen;
  if (rival->plan == chosen->plan && rival->value == chosen->value)
    return;
  double loss_s =
      ppi_expected_loss(rival->sum.time_s.med - chosen->sum.time_s.med, hypot(rival->sum.error_s, chosen->sum.error_s));
  rivalry->loss_s = fmax(rivalry->loss_s, loss_s);
}

static double share(double part_s, double whole_s) {
  if (whole_s > 0.0)
    return part_s / whole_s;
  return part_s > 0.0 ? (double)NAN : 1.0; /* nothing to do either way */
}

static enum perfpred_status check_ranges(const struct choosing *choosing, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  if (choosing->parameter < 0 || (size_t)choosing->parameter >= choosing->count)
    return ppi_error_set(error, PERFPRED_INVALID, "parameter is %d; expected the place of one of %zu",
                         choosing->parameter, choosing->count);
  if (!choosing->ranges)
    return ppi_error_set(error, PERFPRED_INVALID, "ranges is NULL; expected %zu of them", choosing->plan_count);
  for (size_t i = 0; i < choosing->plan_count && !status; i++)
    status = ppi_range_check(&choosing->ranges[i], error);
  return status;
}

static enum perfpred_status check_arguments(const struct choosing *choosing, const int64_t *parameters,
                                            const struct perfpred_choice *choice, struct perfpred_error *error) {
  const struct perfpred_choose_options *options = &choosing->options;
  enum perfpred_status status =
      ppi_rank_check(choosing->plans, choosing->plan_count, parameters, choosing->count, error);
  if (!status)
    status = check_ranges(choosing, error);
  if (status)
    return status;
  if (options->thread_limit < 0 || options->default_value < 0 || options->extra < 0)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options: thread_limit, default_value or extra is negative; expected at least 0");
  if (!choice || choice->size < SIZE_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID, "choice is NULL or its size wrong; expected PERFPRED_CHOICE_INIT");
  return PERFPRED_OK;
}

static enum perfpred_status nobody(const struct choosing *choosing, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "no plan is for at most %d thread%s", choosing->options.thread_limit,
                       choosing->options.thread_limit == 1 ? "" : "s");
}

/* How good the choice is. */
static enum perfpred_status judge(struct choosing *choosing, const struct candidate *chosen,
                                  struct perfpred_choice *full) {
  const struct perfpred_plan *plan = choosing->plans[chosen->plan];
  struct candidate usual = { .plan = chosen->plan, .value = choosing->options.default_value };
  struct rivalry rivalry = { chosen, 0.0 };
  if (usual.value == 0)
    usual.value = ppi_tune_default(plan, choosing->parameter);
  enum perfpred_status status = visit(choosing, meet, &rivalry);
  if (status)
    return status;
  double time_s = chosen->sum.time_s.med;
  full->default_value = usual.value;
  full->yield_default = (double)NAN;
  if (predict(choosing, &usual, NULL) == PERFPRED_OK)
    full->yield_default = share(time_s, usual.sum.time_s.med);
  full->yield = share(fmax(time_s - rivalry.loss_s, 0.0), time_s);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_choose(const struct perfpred_plan *const *plans, size_t plan_count, int parameter,
                                     const struct perfpred_range *ranges, const int64_t *parameters, size_t count,
                                     const struct perfpred_choose_options *options, struct perfpred_choice *choice,
                                     struct perfpred_error *error) {
  ppi_error_clear(error);
  struct choosing choosing = {
    .plans = plans, .ranges = ranges, .plan_count = plan_count, .count = count, .parameter = parameter, .error = error
  };
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_CHOOSE_OPTIONS_INIT",
                         options->size);
  if (options)
    memcpy(&choosing.options, options,
           options->size < sizeof choosing.options ? options->size : sizeof choosing.options);
  enum perfpred_status status = check_arguments(&choosing, parameters, choice, error);
  if (status)
    return status;
  struct best best = { .seen = 0 };
  memcpy(choosing.values, parameters, count * sizeof *parameters);
  status = visit(&choosing, keep_best, &best);
  if (!status && best.seen == 0)
    status = nobody(&choosing, error);
  if (status)
    return status;
  struct perfpred_choice full = { .size = choice->size,
                                  .plan = best.candidate.plan,
                                  .threads = ppi_plan_threads(plans[best.candidate.plan]),
                                  .value = best.candidate.value,
                                  .time_s = best.candidate.sum.time_s.med,
                                  .candidates = best.seen,
                                  .notes = best.candidate.sum.notes };
  status = judge(&choosing, &best.candidate, &full);
  if (!status)
    memcpy(choice, &full, full.size < sizeof full ? full.size : sizeof full);
  return status;
}
