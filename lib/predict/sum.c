/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluation of a plan: slots, then sizes, then estimates, summed up. All state is on the stack. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "predict/blend.h"
#include "predict/stretch.h"
#include "program/loop.h"
#include "program/walk.h"

#define STEP_LIMIT UINT64_C(100000000) /* iterations and calls, as in the walker */

struct summing {
  const struct perfpred_plan *plan;
  struct ppi_plan_sum *sum;
  const struct ppi_plan_watcher *watcher; /* or NULL */
  uint64_t steps;
  struct ppi_interruptions interruptions; /* of one of the threads, each of which keeps the others waiting */
  uint64_t busy;                          /* calls that had something to do */
  bool unknown;                           /* the error of one of their models is not known */
  double variance;                        /* of the time */
  double short_s; /* median time of calls that are too short for their median to have been interrupted */
  double limit_s; /* a median above it is of no use */
  bool thorough;  /* beyond it goes on, and sees whether there are models for all the rest */
  bool beyond;
  struct ppi_plan_pricing pricing;
  struct perfpred_error *error;
};

static enum perfpred_status sum_block(struct summing *state, const struct ppi_plan_step *step, int64_t *slots,
                                      int depth);

static enum perfpred_status count_step(struct summing *state) {
  if (++state->steps <= STEP_LIMIT)
    return PERFPRED_OK;
  return ppi_error_set(state->error, PERFPRED_LIMIT, "%s makes more than 10^8 calls and loop steps",
                       state->plan->program->name);
}

static bool is_empty(const struct ppi_node *node, const int64_t *sizes) {
  struct ppi_value values[PPI_ARG_MAX];
  ppi_plan_values(node, values);
  for (int i = 0; i < node->kernel->size_count; i++)
    values[node->kernel->sizes[i]].i = sizes[i];
  return ppi_kernel_is_empty(node->kernel, values);
}

double ppi_estimate_error_s(const struct ppi_estimate *estimate) {
  return (isnan(estimate->error) ? 1.0 : estimate->error) * estimate->time_s.med;
}

/* Calls of one kind, of which each takes so long. */
static void add_short(struct summing *state, double time_s, double count) {
  if (state->interruptions.each_s > 0.0 && ppi_interruptions_count(&state->interruptions, time_s) <= 0.0)
    state->short_s += time_s * count;
}

static void add_estimate(struct summing *state, const struct ppi_plan_step *step, const struct ppi_estimate *estimate,
                         bool context) {
  struct ppi_plan_sum *sum = state->sum;
  add_short(state, estimate->time_s.med, 1.0);
  sum->notes |= estimate->notes | ppi_plan_ld_note(step->ld_kinds, state->plan->ld);
  sum->time_s.med += estimate->time_s.med;
  state->busy++;
  if (state->pricing.median)
    return;
  sum->context_calls += context;
  sum->warm_calls += !context;
  sum->time_s.min += estimate->time_s.min;
  sum->time_s.max += estimate->time_s.max;
  sum->time_s.mean += estimate->time_s.mean;
  state->variance += estimate->time_s.std * estimate->time_s.std;
  if (isnan(estimate->error)) {
    sum->notes |= PERFPRED_NOTE_UNCERTAIN;
    state->unknown = true;
  }
  sum->error_s += ppi_estimate_error_s(estimate);
}

static enum perfpred_status sum_sizes(const struct summing *state, const struct ppi_plan_step *step,
                                      const int64_t *slots, int64_t *sizes) {
  for (int i = 0; i < step->size_count; i++) {
    enum perfpred_status status = ppi_plan_size_eval(&step->sizes[i], slots, &sizes[i], state->error);
    if (status)
      return status;
    if (sizes[i] < 0) {
      const struct perfpred_kernel *kernel = step->node->kernel;
      return ppi_error_set(state->error, PERFPRED_INVALID, "%s: %s of a call of %s is %lld; expected at least 0",
                           state->plan->program->name, kernel->args[kernel->sizes[i]].name, kernel->name,
                           (long long)sizes[i]);
    }
  }
  return PERFPRED_OK;
}

/* In a partial plan it counts as 0; a call that is modelled in steps alone may stand elsewhere, too. */
static enum perfpred_status without_model(struct summing *state, const struct ppi_plan_step *step,
                                          const int64_t *sizes) {
  char case_text[PPI_CASE_MAX];
  if (is_empty(step->node, sizes))
    return PERFPRED_OK;
  if (!state->plan->partial) {
    ppi_plan_case(step->node, case_text);
    return ppi_error_set(state->error, PERFPRED_UNMODELLED,
                         "%s: no model of %s(%s) but for steps of %s, where it is not called here",
                         state->plan->program->name, step->node->kernel->name, case_text, step->owner->name);
  }
  state->sum->notes |= PERFPRED_NOTE_UNMODELLED;
  state->busy++;
  return PERFPRED_OK;
}

static enum perfpred_status tell_watcher(const struct summing *state, const struct ppi_plan_step *step,
                                         const int64_t *sizes, const struct ppi_estimate *estimate, bool context) {
  const struct ppi_plan_watcher *watcher = state->watcher;
  if (!watcher)
    return PERFPRED_OK;
  const struct ppi_plan_watched watched = { context ? step->contexts[0].submodel : step->submodels[0],
                                            step->node->kernel->size_count, sizes, estimate };
  return watcher->call(watcher->data, &watched) ? PERFPRED_OK : ppi_error_memory(state->error);
}

static enum perfpred_status compare_with_limit(struct summing *state) {
  state->beyond = state->beyond || state->sum->time_s.med > state->limit_s;
  return state->beyond && !state->thorough ? PERFPRED_CANCELLED : PERFPRED_OK;
}

static enum perfpred_status sum_call(struct summing *state, const struct ppi_plan_step *step, const int64_t *slots) {
  int64_t sizes[PPI_SIZE_MAX] = { 0 };
  enum perfpred_status status = count_step(state);
  if (!status)
    status = sum_sizes(state, step, slots, sizes);
  if (status)
    return status;
  state->sum->calls++;
  struct ppi_estimate estimate;
  bool context;
  if (!ppi_plan_price(&state->pricing, step, sizes, &estimate, &context))
    return without_model(state, step, sizes);
  if (estimate.notes & PERFPRED_NOTE_ZERO_WORK)
    return PERFPRED_OK;
  if ((estimate.notes & PERFPRED_NOTE_EXTRAPOLATED) && !state->plan->extrapolate)
    return context ? ppi_plan_beyond_steps(state->plan, &state->pricing.place, step, state->error)
                   : ppi_plan_out_of_domain(state->plan, step, sizes, state->error);
  add_estimate(state, step, &estimate, context);
  status = compare_with_limit(state);
  return status ? status : tell_watcher(state, step, sizes, &estimate, context);
}

static enum perfpred_status begin_loop(const struct summing *state, const struct ppi_plan_step *step,
                                       const int64_t *slots, struct ppi_loop *loop) {
  int64_t value[3] = { 0, 0, 1 };
  for (int i = 0; i < step->size_count; i++) {
    enum perfpred_status status = ppi_plan_size_eval(&step->sizes[i], slots, &value[i], state->error);
    if (status)
      return status;
  }
  if (value[2] < 1)
    return ppi_error_set(state->error, PERFPRED_INVALID,
                         "%s: the step of the loop in line %d is %lld; expected at least 1", state->plan->program->name,
                         step->node->line, (long long)value[2]);
  if (!ppi_loop_begin(loop, step->node, value[0], value[1], value[2]))
    return ppi_error_set(state->error, PERFPRED_OVERFLOW, "%s: the bounds of the loop in line %d are too far apart",
                         state->plan->program->name, step->node->line);
  return PERFPRED_OK;
}

/* A loop with more blocks to come than can ever be counted fails after the first one (which may have more to say about the sizes),
   not after seconds of counting. */
static enum perfpred_status check_rest(struct summing *state, const struct ppi_loop *loop) {
  if ((uint64_t)(loop->left / loop->step) > STEP_LIMIT - state->steps)
    state->steps = STEP_LIMIT;
  else
    return PERFPRED_OK;
  return count_step(state);
}

static void enter_step(struct ppi_plan_place *place, bool down, int64_t start, int64_t width) {
  int64_t other = place->n - start - width;
  place->sizes[PPI_PLAN_DONE] = down ? other : start;
  place->sizes[PPI_PLAN_WIDTH] = width;
  place->sizes[PPI_PLAN_REST] = down ? start : other;
}

static void enter_routine(struct ppi_plan_place *place, const struct ppi_plan_routine *routine,
                          const int64_t *parameters) {
  const struct ppi_blocking *blocking = &routine->owner.blocking;
  if (routine->owner.program != routine->program || (blocking->other < 0 && place->loops > 0))
    return;
  place->owner = routine->program;
  place->base = place->loops;
  place->n = parameters[blocking->size];
  place->sizes[PPI_PLAN_OTHER] = blocking->other >= 0 ? parameters[blocking->other] : 0;
}

/* Where a row is found at all there are models for it. */
static enum perfpred_status sum_row(struct summing *state, const struct ppi_stretch_call *call) {
  const struct ppi_plan_step *step = call->step;
  struct ppi_plan_sum *sum = state->sum;
  struct ppi_fold_sum part;
  const uint64_t count = (uint64_t)call->row.count;
  if (state->beyond)
    return PERFPRED_OK;
  ppi_fold_sum(ppi_plan_fold(&state->pricing, step), call->submodel, &call->row, state->pricing.median, &part);
  sum->notes |= part.notes | ppi_plan_ld_note(step->ld_kinds, state->plan->ld);
  sum->calls += count;
  state->busy += count;
  sum->time_s.med += part.time_s.med;
  add_short(state, part.time_s.med / (double)count, (double)count);
  if (state->pricing.median)
    return compare_with_limit(state);
  *(call->context ? &sum->context_calls : &sum->warm_calls) += count;
  sum->time_s.min += part.time_s.min;
  sum->time_s.max += part.time_s.max;
  sum->time_s.mean += part.time_s.mean;
  state->variance += part.time_s.std;
  state->unknown = state->unknown || (part.notes & PERFPRED_NOTE_UNCERTAIN);
  sum->error_s += part.error_s;
  return PERFPRED_OK;
}

/* Takes steps that are alike out of a loop, if the next ones are, and sets *single to 0; else nothing. */
static enum perfpred_status sum_stretch(struct summing *state, const struct ppi_plan_step *step, int64_t *slots,
                                        struct ppi_loop *loop, uint64_t *single) {
  struct ppi_stretch stretch;
  struct ppi_stretch_start start = { .loop = step, .place = state->pricing.place, .count = loop->left / loop->step };
  if (start.count < PPI_STRETCH_LEAST)
    return PERFPRED_OK;
  start.start = loop->down ? loop->at + loop->left - loop->step : loop->at;
  start.slope = loop->down ? -loop->step : loop->step;
  start.outermost = start.place.loops++ == start.place.base;
  if (step->node->width_slot >= 0)
    slots[step->node->width_slot] = loop->step;
  if (start.outermost)
    enter_step(&start.place, loop->down, start.start, loop->step);
  if (!ppi_stretch_find(&start, slots, &stretch))
    return PERFPRED_OK;
  const uint64_t steps = (uint64_t)stretch.count * (1 + (uint64_t)stretch.call_count);
  enum perfpred_status status = PERFPRED_OK;
  if (steps > STEP_LIMIT - state->steps) /* one by one they come to what is to be said of that */
    return PERFPRED_OK;
  state->steps += steps;
  for (int i = 0; i < stretch.call_count && !status; i++) {
    stretch.calls[i].row.count = stretch.count;
    status = sum_row(state, &stretch.calls[i]);
  }
  loop->left -= stretch.count * loop->step;
  if (!loop->down)
    loop->at += stretch.count * loop->step;
  *single = 0;
  return status;
}

static enum perfpred_status sum_loop(struct summing *state, const struct ppi_plan_step *step, int64_t *slots,
                                     int depth) {
  const struct ppi_node *node = step->node;
  struct ppi_loop loop = { 0 };
  int64_t start, width;
  bool first = true;
  uint64_t single =
      0; /* steps since the last stretch; where there are many, stretches are looked for ever less often */
  enum perfpred_status status = begin_loop(state, step, slots, &loop);
  while (!status && ppi_loop_next(&loop, &start, &width)) {
    slots[node->slot] = start;
    if (node->width_slot >= 0)
      slots[node->width_slot] = width;
    if (state->pricing.place.loops == state->pricing.place.base)
      enter_step(&state->pricing.place, node->down, start, width);
    status = count_step(state);
    state->pricing.place.loops++;
    if (!status)
      status = sum_block(state, step->body, slots, depth);
    state->pricing.place.loops--;
    if (!status && first)
      status = check_rest(state, &loop);
    first = false;
    single++;
    if (!status && step->stretches && !state->watcher && (single & (single - 1)) == 0)
      status = sum_stretch(state, step, slots, &loop, &single);
  }
  return status;
}

static enum perfpred_status sum_routine(struct summing *state, const struct ppi_plan_routine *routine,
                                        const int64_t *parameters, size_t count, int depth) {
  enum perfpred_status status = ppi_program_check(routine->program, parameters, count, state->error);
  if (status)
    return status;
  const struct ppi_plan_place outer = state->pricing.place;
  int64_t slots[PPI_SLOT_MAX];
  memcpy(slots, parameters, count * sizeof *slots);
  enter_routine(&state->pricing.place, routine, parameters);
  status = sum_block(state, routine->body, slots, depth);
  state->pricing.place = outer;
  return status;
}

static enum perfpred_status sum_run(struct summing *state, const struct ppi_plan_step *step, const int64_t *slots,
                                    int depth) {
  int64_t parameters[PPI_PARAMETER_MAX];
  if (depth >= PPI_RECURSION_MAX)
    return ppi_error_set(state->error, PERFPRED_LIMIT, "%s: calls of algorithms are nested more than %d deep",
                         state->plan->program->name, PPI_RECURSION_MAX);
  enum perfpred_status status = count_step(state);
  for (int i = 0; !status && i < step->size_count; i++)
    status = ppi_plan_size_eval(&step->sizes[i], slots, &parameters[i], state->error);
  return status ? status : sum_routine(state, step->callee, parameters, (size_t)step->size_count, depth + 1);
}

static enum perfpred_status sum_step(struct summing *state, const struct ppi_plan_step *step, int64_t *slots,
                                     int depth) {
  int64_t value = 0;
  enum perfpred_status status = PERFPRED_OK;
  switch (step->node->kind) {
  case PPI_NODE_CALL:
    return sum_call(state, step, slots);
  case PPI_NODE_FOR:
    return sum_loop(state, step, slots, depth);
  case PPI_NODE_RUN:
    return sum_run(state, step, slots, depth);
  case PPI_NODE_LET:
    status = ppi_plan_size_eval(&step->sizes[0], slots, &value, state->error);
    slots[step->node->slot] = value;
    break;
  case PPI_NODE_IF:
    status = ppi_plan_size_eval(&step->sizes[0], slots, &value, state->error);
    return status ? status : sum_block(state, value ? step->body : step->otherwise, slots, depth);
  case PPI_NODE_ACCESS:
    assert(0 && "plans are not made of nests");
    break;
  }
  return status;
}

static enum perfpred_status sum_block(struct summing *state, const struct ppi_plan_step *step, int64_t *slots,
                                      int depth) {
  enum perfpred_status status = PERFPRED_OK;
  for (; step && !status; step = step->next)
    status = sum_step(state, step, slots, depth);
  return status;
}

enum perfpred_status ppi_plan_sum(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                  struct ppi_plan_sum *sum, struct perfpred_error *error) {
  return ppi_plan_sum_watched(plan, parameters, count, NULL, sum, error);
}

/* The median of a call that is short beside the time between two interruptions has none; a run of many such calls has as many as fit into it. */
static void add_interruptions(struct summing *state) {
  struct perfpred_statistics *time_s = &state->sum->time_s;
  const struct ppi_interruptions *interruptions = &state->interruptions;
  if (!(interruptions->each_s > 0.0))
    return;
  time_s->med += interruptions->each_s * ppi_interruptions_count(interruptions, state->short_s);
  time_s->min += interruptions->each_s * floor(state->short_s / interruptions->period_s);
  time_s->max = fmax(time_s->max, time_s->med);
  time_s->mean = fmin(fmax(time_s->mean, time_s->min), time_s->max);
  state->beyond = state->beyond || time_s->med > state->limit_s;
}

/* Folds are as many as the plan keeps calls. */
static enum perfpred_status evaluate(struct summing *state, const int64_t *parameters, size_t count) {
  struct ppi_plan_sum *sum = state->sum;
  const struct perfpred_plan *plan = state->plan;
  memset(sum, 0, sizeof *sum);
  const int threads = plan->models->setups[plan->setup].threads;
  state->interruptions = plan->models->machine.interruptions;
  state->interruptions.period_s /= threads > 1 ? threads : 1;
  for (int i = 0; i < plan->fold_count; i++)
    state->pricing.folds[i].piece = NULL;
  enum perfpred_status status = ppi_plan_check_ld(plan, parameters, count, state->error);
  if (!status)
    status = sum_routine(state, plan->routines, parameters, count, 0);
  if (status)
    return status;
  add_interruptions(state);
  if (state->busy == 0)
    sum->notes |= PERFPRED_NOTE_ZERO_WORK;
  sum->notes |= plan->notes;
  return PERFPRED_OK;
}

/* Call by call. */
static enum perfpred_status watch(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                  const struct ppi_plan_watcher *watcher, struct perfpred_error *error) {
  struct ppi_fold folds[PPI_PLAN_FOLDS];
  struct ppi_plan_sum sum;
  struct summing state = {
    .plan = plan, .sum = &sum, .watcher = watcher, .limit_s = INFINITY, .pricing = { .folds = folds }, .error = error
  };
  return evaluate(&state, parameters, count);
}

/* The sum is to the bit the one without a watcher. */
enum perfpred_status ppi_plan_sum_watched(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                          const struct ppi_plan_watcher *watcher, struct ppi_plan_sum *sum,
                                          struct perfpred_error *error) {
  if (plan->blend)
    return ppi_blend_sum(plan, parameters, count, watcher, sum, error);
  struct ppi_fold folds[PPI_PLAN_FOLDS];
  struct summing state = {
    .plan = plan, .sum = sum, .limit_s = INFINITY, .pricing = { .folds = folds }, .error = error
  };
  enum perfpred_status status = evaluate(&state, parameters, count);
  if (status)
    return status;
  sum->time_s.std = sqrt(state.variance);
  if (state.busy > 0)
    sum->model_error = state.unknown || !(sum->time_s.med > 0.0) ? (double)NAN : sum->error_s / sum->time_s.med;
  return watcher ? watch(plan, parameters, count, watcher, error) : PERFPRED_OK;
}

static enum perfpred_status find_median(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                        double limit_s, bool thorough, double *median_s, unsigned *notes,
                                        struct perfpred_error *error) {
  struct ppi_fold folds[PPI_PLAN_FOLDS];
  struct ppi_plan_sum sum = { .notes = 0 };
  struct summing state = { .plan = plan,
                           .sum = &sum,
                           .limit_s = limit_s,
                           .thorough = thorough,
                           .pricing = { .median = true, .folds = folds },
                           .error = error };
  enum perfpred_status status = evaluate(&state, parameters, count);
  if (!status && state.beyond)
    status = PERFPRED_CANCELLED;
  if (status)
    return status;
  *median_s = sum.time_s.med;
  *notes = sum.notes;
  return PERFPRED_OK;
}

enum perfpred_status ppi_plan_median(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                     double limit_s, double *median_s, unsigned *notes, struct perfpred_error *error) {
  if (plan->blend)
    return ppi_blend_median(plan, parameters, count, limit_s, median_s, notes, error);
  return find_median(plan, parameters, count, limit_s, false, median_s, notes, error);
}

enum perfpred_status ppi_plan_median_checked(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                             double limit_s, double *median_s, unsigned *notes,
                                             struct perfpred_error *error) {
  if (plan->blend)
    return ppi_blend_median(plan, parameters, count, (double)INFINITY, median_s, notes, error);
  return find_median(plan, parameters, count, limit_s, true, median_s, notes, error);
}
