/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins deriving, measuring and fitting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/anchors.h"
#include "api/derive.h"
#include "api/rates.h"
#include "api/setup.h"
#include "api/states.h"
#include "api/steps.h"
#include "api/stock.h"
#include "machine/clock.h"
#include "measure/sampler.h"

#define LEAST_BUDGET_S 1e-3

struct joint {
  struct perfpred_sampler *sampler;
  struct ppi_clock clock;
  double begin_s, end_s; /* when all began, and when the budget ends; INFINITY: never */
};

static enum perfpred_status take_samples(void *data, const struct ppi_request *requests, size_t count,
                                         const struct ppi_sampling *sampling, struct ppi_result *results,
                                         struct perfpred_error *error) {
  struct joint *joint = data;
  return joint->sampler->ops->sample(joint->sampler, requests, count, sampling, results, error);
}

static enum perfpred_status solve(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                  struct perfpred_error *error) {
  struct joint *joint = data;
  return joint->sampler->ops->least_squares(joint->sampler, m, n, nrhs, a, b, rank, error);
}

static double now(void *data) {
  struct joint *joint = data;
  const struct perfpred_sampler *sampler = joint->sampler;
  return sampler->ops->now_s ? sampler->ops->now_s(sampler) : joint->clock.now(joint->clock.state);
}

/* The budget begins with what the caller has spent of it. */
static void begin(struct joint *joint, struct perfpred_sampler *sampler, const struct perfpred_generate_options *full) {
  *joint = (struct joint){ .sampler = sampler, .end_s = INFINITY };
  ppi_clock_monotonic(&joint->clock);
  joint->begin_s = now(joint);
  if (full->budget_s > 0.0)
    joint->end_s = joint->begin_s + full->budget_s - full->spent_s;
}

/* What is left of the budget, 0: there is none. */
static double left_s(struct joint *joint) {
  return isinf(joint->end_s) ? 0.0 : fmax(joint->end_s - now(joint), LEAST_BUDGET_S);
}

static enum perfpred_status
check_arguments(const struct perfpred_context *context, const struct perfpred_sampler *sampler,
                const struct perfpred_program *const *programs, size_t count, struct perfpred_models **models,
                const struct perfpred_generate_report *report, struct perfpred_error *error) {
  if (!context || !sampler || !models)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL",
                         !context ? "context" : (!sampler ? "sampler" : "models"));
  if (!programs || count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "programs is empty; expected at least one program");
  for (size_t i = 0; i < count; i++)
    if (!programs[i])
      return ppi_error_set(error, PERFPRED_INVALID, "programs[%zu] is NULL", i);
  return ppi_report_check(report, error);
}

#define INTERRUPTIONS_S 0.05
#define INTERRUPTIONS_SHARE 0.02 /* of a budget */

/* Peak and bandwidth come first, for what they take is missing from the budget. */
struct opening {
  struct ppi_machine machine;
  struct ppi_setup setup;
};

static enum perfpred_status open_up(struct joint *joint, const struct perfpred_generate_options *full,
                                    struct opening *opening, struct perfpred_error *error) {
  const double share = INTERRUPTIONS_SHARE * full->budget_s;
  struct ppi_clock clock;
  enum perfpred_status status =
      ppi_rates_describe(joint->sampler, full->budget_s, full->known, &opening->machine, &opening->setup, error);
  if (status || ppi_setup_is_virtual(&opening->setup))
    return status;
  ppi_clock_monotonic(&clock);
  ppi_interruptions_find(&clock, full->budget_s > 0.0 && share < INTERRUPTIONS_S ? share : INTERRUPTIONS_S,
                         &opening->machine.interruptions);
  return PERFPRED_OK;
}

/* Setup and machine as they are now, with the rates of the opening. */
static enum perfpred_status describe(struct perfpred_sampler *sampler, const struct opening *opening,
                                     struct perfpred_models *models, struct perfpred_error *error) {
  struct ppi_machine *machine = &models->machine;
  enum perfpred_status status = sampler->ops->describe(sampler, 0.0, machine, models->setups, error);
  if (status)
    return status;
  memcpy(machine->peak_flops_per_s, opening->machine.peak_flops_per_s, sizeof machine->peak_flops_per_s);
  machine->bandwidth_bytes_per_s = opening->machine.bandwidth_bytes_per_s;
  machine->interruptions = opening->machine.interruptions;
  machine->effective_count = opening->machine.effective_count;
  memcpy(machine->effective, opening->machine.effective, sizeof machine->effective);
  /* what times were brought to is what others have to be brought to that are compared with them */
  if (models->setups->reference_s > 0.0)
    models->setups->yardstick_s = models->setups->reference_s;
  return PERFPRED_OK;
}

/* --- Steps --------------------------------------------------------------------------------------------------------- */

static enum perfpred_status take_steps(void *data, const struct ppi_request *requests, size_t count,
                                       const struct ppi_sampling *sampling, struct ppi_result *results,
                                       struct perfpred_error *error) {
  struct joint *joint = data;
  return ppi_steps_sample(joint->sampler, requests, count, sampling, results, error);
}

/* --- States of the caches ------------------------------------------------------------------------------------------ */

static enum perfpred_status take_states(void *data, const struct ppi_request *requests, size_t count,
                                        const struct ppi_sampling *sampling, struct ppi_result *results,
                                        struct perfpred_error *error) {
  struct joint *joint = data;
  return ppi_states_sample(joint->sampler, requests, count, sampling, results, error);
}

/* Sizes of the caches are part of what such models are used with. Where there are none to measure they stay unknown. */
static enum perfpred_status measure_caches(struct joint *joint, const struct perfpred_generate_options *full,
                                           struct ppi_machine *machine, struct perfpred_error *error) {
  const struct ppi_machine *known = full->known ? &full->known->machine : NULL;
  const bool wanted = (full->states & ~(unsigned)PERFPRED_STATE_WARM) != 0;
  if (!wanted || !joint->sampler->ops->caches)
    return PERFPRED_OK;
  if (full->budget_s > 0.0 && known && known->effective_count > 0 &&
      ppi_machine_compare(known, machine, NULL) == PERFPRED_OK) {
    machine->effective_count = known->effective_count;
    memcpy(machine->effective, known->effective, sizeof machine->effective);
    return PERFPRED_OK;
  }
  struct ppi_curve curve;
  double limit_s = full->budget_s > 0.0 ? PPI_RATES_SHARE * full->budget_s : (double)INFINITY;
  enum perfpred_status status = joint->sampler->ops->caches(joint->sampler, limit_s, &curve, error);
  if (!status)
    machine->effective_count = ppi_levels_find(&curve, machine->effective);
  return status;
}

/* --- Everything ---------------------------------------------------------------------------------------------------- */

/* What a generation is to model. */
struct task {
  struct ppi_steps steps;
  struct ppi_target *stepped, *states, *alone; /* calls in steps, in states of the caches, and others */
  size_t stepped_count, state_count, alone_count;
};

static void task_release(struct task *task) {
  free(task->alone);
  free(task->states);
  free(task->stepped);
  ppi_steps_free(&task->steps);
}

/* What is wanted of each kind. */
static enum perfpred_status find_targets(struct task *task, const struct perfpred_program *const *programs,
                                         size_t count, const struct perfpred_generate_options *full,
                                         struct perfpred_error *error) {
  const bool instead = full->contexts == PERFPRED_CONTEXTS_INSTEAD;
  const bool warm = !full->states || (full->states & PERFPRED_STATE_WARM);
  enum perfpred_status status = PERFPRED_OK;
  if (full->contexts != PERFPRED_CONTEXTS_NONE)
    status = ppi_steps_of(programs, count, &task->steps, error);
  if (!status && task->steps.count > 0)
    status = ppi_steps_targets(&task->steps, full, &task->stepped, &task->stepped_count, error);
  if (!status && full->states)
    status = ppi_states_targets(programs, count, full, &task->states, &task->state_count, error);
  if (!status && warm)
    status = ppi_derive_others(programs, count, full, instead ? &task->steps : NULL, &task->alone, &task->alone_count,
                               error);
  return status;
}

static enum perfpred_status task_init(struct task *task, const struct perfpred_program *const *programs, size_t count,
                                      const struct perfpred_generate_options *full, struct perfpred_error *error) {
  *task = (struct task){ .stepped_count = 0 };
  enum perfpred_status status = find_targets(task, programs, count, full, error);
  if (!status && task->stepped_count + task->state_count + task->alone_count == 0)
    status = ppi_error_set(error, PERFPRED_INVALID, "%s makes no call that has work to do in the ranges of n and b",
                           programs[0]->name);
  if (status)
    task_release(task);
  return status;
}

/* A part of a task: how its samples are taken, and by which options. */
struct part {
  const struct ppi_target *targets;
  size_t count;
  enum perfpred_status (*sample)(void *data, const struct ppi_request *requests, size_t count,
                                 const struct ppi_sampling *sampling, struct ppi_result *results,
                                 struct perfpred_error *error);
  struct perfpred_generate_options options;
};

/* Measures and fits; the models are without machine and setup. stock: of raw samples, or NULL. */
static enum perfpred_status generate(struct joint *joint, struct ppi_stock *stock, const struct part *part,
                                     struct perfpred_models **models, struct perfpred_generate_report *report,
                                     struct perfpred_error *error) {
  const struct ppi_source behind = { part->sample, solve, now, joint };
  struct ppi_source source = behind;
  if (stock) {
    stock->replay.behind = &behind;
    ppi_replay_source(&stock->replay, &source);
  }
  enum perfpred_status status =
      ppi_generate(part->targets, part->count, &source, &part->options, models, report, error);
  if (stock)
    stock->replay.behind = NULL;
  return status;
}

/* What has a meaning for the generator alone. */
static struct perfpred_generate_options plain(const struct perfpred_generate_options *full, double budget_s) {
  struct perfpred_generate_options options = *full;
  options.budget_s = budget_s;
  options.journal = NULL;
  options.known = NULL;
  options.keep_samples = options.restart = 0;
  options.spent_s = 0.0;
  return options;
}

/* The adaptive generator is the only one that can do with a part of a box. */
static enum perfpred_status generate_stepped(struct joint *joint, struct ppi_stock *stock, const struct task *task,
                                             const struct perfpred_generate_options *full,
                                             struct perfpred_models **models, struct perfpred_generate_report *report,
                                             struct perfpred_error *error) {
  const double share =
      (double)task->stepped_count / (double)(task->stepped_count + task->state_count + task->alone_count);
  struct part part = { task->stepped, task->stepped_count, take_steps, plain(full, share * left_s(joint)) };
  part.options.generator = PERFPRED_GENERATOR_ADAPTIVE;
  return generate(joint, stock, &part, models, report, error);
}

static enum perfpred_status generate_states(struct joint *joint, struct ppi_stock *stock, const struct task *task,
                                            const struct perfpred_generate_options *full,
                                            struct perfpred_models **models, struct perfpred_generate_report *report,
                                            struct perfpred_error *error) {
  const double share = (double)task->state_count / (double)(task->state_count + task->alone_count);
  const struct part part = { task->states, task->state_count, take_states, plain(full, share * left_s(joint)) };
  return generate(joint, stock, &part, models, report, error);
}

/* The others have the rest of the budget. */
static enum perfpred_status generate_alone(struct joint *joint, struct ppi_stock *stock, const struct task *task,
                                           const struct perfpred_generate_options *full,
                                           struct perfpred_models **models, struct perfpred_generate_report *report,
                                           struct perfpred_error *error) {
  const struct part part = { task->alone, task->alone_count, take_samples, plain(full, left_s(joint)) };
  return generate(joint, stock, &part, models, report, error);
}

static void join_reports(struct perfpred_generate_report *report, const struct perfpred_generate_report *other) {
  report->models += other->models;
  report->points += other->points;
  report->samples += other->samples;
  report->disturbed += other->disturbed;
  report->measure_s += other->measure_s;
  report->wall_s += other->wall_s;
  report->timed_s += other->timed_s;
  report->rejected_s += other->rejected_s;
  report->spare_s += other->spare_s;
  report->yardstick_s += other->yardstick_s;
  report->restore_s += other->restore_s;
  report->floor_s += other->floor_s;
  report->max_error = fmax(report->max_error, other->max_error);
  report->budget_exhausted |= other->budget_exhausted;
  double calls = (double)report->samples + (double)report->disturbed;
  report->pass_rate = calls > 0.0 ? (double)report->samples / calls : 1.0;
}

/* Moves the sub-models of `from`, which goes. */
static enum perfpred_status join_models(struct perfpred_models *to, struct perfpred_models *from,
                                        struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < from->count && !status; i++)
    status = ppi_models_append(to, &from->submodels[i], error);
  perfpred_models_unref(from);
  return status;
}

/* What there is joins what a part made, whose options are kept: those of the last one, of calls alone where there are any. */
static enum perfpred_status add_part(struct perfpred_models **models, struct perfpred_models *part,
                                     struct perfpred_generate_report *report,
                                     const struct perfpred_generate_report *part_report, struct perfpred_error *error) {
  struct perfpred_models *before = *models;
  struct perfpred_generate_report all = *part_report;
  *models = part;
  if (before)
    join_reports(&all, report);
  *report = all;
  return before ? join_models(part, before, error) : PERFPRED_OK;
}

static enum perfpred_status run_parts(struct joint *joint, struct ppi_stock *stock, const struct task *task,
                                      const struct perfpred_generate_options *full, struct perfpred_models **models,
                                      struct perfpred_generate_report *report, struct perfpred_error *error) {
  typedef enum perfpred_status part_fn(struct joint * joint, struct ppi_stock * stock, const struct task *task,
                                       const struct perfpred_generate_options *full, struct perfpred_models **models,
                                       struct perfpred_generate_report *report, struct perfpred_error *error);
  static part_fn *const run[] = { generate_stepped, generate_states, generate_alone };
  const size_t counts[] = { task->stepped_count, task->state_count, task->alone_count };
  struct perfpred_models *made = NULL;
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < 3 && !status; i++) {
    struct perfpred_generate_report part_report = PERFPRED_GENERATE_REPORT_INIT;
    struct perfpred_models *part = NULL;
    if (counts[i] == 0)
      continue;
    status = run[i](joint, stock, task, full, &part, &part_report, error);
    if (!status)
      status = add_part(&made, part, report, &part_report, error);
  }
  if (status)
    perfpred_models_unref(made);
  else
    *models = made;
  return status;
}

/* With the raw samples that there are, and where they are wanted those that come. */
static enum perfpred_status run_task(struct joint *joint, const struct perfpred_context *context,
                                     const struct task *task, const struct perfpred_generate_options *full,
                                     struct perfpred_models **models, struct perfpred_generate_report *report,
                                     struct perfpred_error *error) {
  struct ppi_stock *stock = NULL;
  double start_s;
  enum perfpred_status status = PERFPRED_OK;
  if (full->keep_samples || full->journal || full->known)
    status = ppi_stock_create(context, joint->sampler, full, &stock, error);
  start_s = now(joint) - joint->begin_s;
  if (!status)
    status = run_parts(joint, stock, task, full, models, report, error);
  if (!status && full->budget_s > 0.0)
    report->floor_s += start_s + full->spent_s;
  if (!status && stock)
    ppi_stock_hand_over(stock, full->keep_samples != 0, *models);
  ppi_stock_destroy(stock);
  return status;
}

/* --- Anchors -------------------------------------------------------------------------------------------------------- */

#define ANCHORS_SHARE 0.02 /* of a budget, at either end */

/* None where the budget is over before it begins. */
static enum perfpred_status choose_anchors(struct joint *joint, const struct task *task,
                                           const struct perfpred_generate_options *full, const struct ppi_setup *setup,
                                           struct ppi_anchoring *anchoring, struct perfpred_error *error) {
  struct perfpred_generate_options options = *full;
  if (joint->end_s <= now(joint))
    options.anchors = -1;
  const struct ppi_target *const targets[] = { task->alone, task->states, task->stepped };
  const size_t counts[] = { task->alone_count, task->state_count, task->stepped_count };
  return ppi_anchoring_init(anchoring, joint->sampler, &options, setup, targets, counts, 3, error);
}

/* Before and behind everything else. What the first round took the second one is going to take. */
static enum perfpred_status run_anchored(struct joint *joint, const struct perfpred_context *context,
                                         const struct task *task, const struct perfpred_generate_options *full,
                                         const struct ppi_setup *setup, struct perfpred_models **models,
                                         struct perfpred_generate_report *report, struct perfpred_error *error) {
  const double end_s = joint->end_s, limit_s = isinf(end_s) ? 0.0 : ANCHORS_SHARE * (end_s - now(joint));
  struct ppi_anchoring anchoring;
  struct perfpred_models *fresh = NULL;
  enum perfpred_status status = choose_anchors(joint, task, full, setup, &anchoring, error);
  if (status)
    return status;
  status = ppi_anchoring_read(&anchoring, PPI_ANCHOR_BEGIN, limit_s, error);
  joint->end_s -= anchoring.spent_s;
  if (!status)
    status = run_task(joint, context, task, full, &fresh, report, error);
  joint->end_s = end_s;
  if (!status)
    status = ppi_anchoring_read(&anchoring, PPI_ANCHOR_END, limit_s, error);
  if (!status)
    status = ppi_anchoring_attach(&anchoring, fresh, error);
  if (!status)
    status = ppi_anchoring_change(&anchoring, &report->anchor_change, error);
  report->anchors = ppi_anchoring_known(&anchoring);
  report->anchor_s = anchoring.spent_s;
  ppi_anchoring_release(&anchoring);
  if (status)
    perfpred_models_unref(fresh);
  else
    *models = fresh;
  return status;
}

/* Rates, samples and fits, in this order, within one budget. */
static enum perfpred_status generate_all(struct joint *joint, const struct perfpred_context *context,
                                         const struct task *task, const struct perfpred_generate_options *full,
                                         struct perfpred_models **models, struct perfpred_generate_report *report,
                                         struct perfpred_error *error) {
  struct perfpred_models *fresh = NULL;
  struct opening *opening = calloc(1, sizeof *opening);
  if (!opening)
    return ppi_error_memory(error);
  enum perfpred_status status = open_up(joint, full, opening, error);
  if (!status)
    status = measure_caches(joint, full, &opening->machine, error);
  if (!status)
    status = run_anchored(joint, context, task, full, &opening->setup, &fresh, report, error);
  if (!status) {
    status = describe(joint->sampler, opening, fresh, error);
    if (status)
      perfpred_models_unref(fresh);
  }
  if (!status) {
    fresh->options.budget_s = full->budget_s;
    report->wall_s = now(joint) - joint->begin_s;
    report->rates_known = ppi_rates_known(&fresh->machine);
    *models = fresh;
  }
  free(opening);
  return status;
}

enum perfpred_status perfpred_generate(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                       const struct perfpred_program *const *programs, size_t count,
                                       const struct perfpred_generate_options *options, struct perfpred_models **models,
                                       struct perfpred_generate_report *report, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct perfpred_generate_options full;
  struct joint joint;
  struct task task;
  enum perfpred_status status = check_arguments(context, sampler, programs, count, models, report, error);
  if (!status)
    status = ppi_generate_defaults(options, &full, error);
  if (status)
    return status;
  begin(&joint, sampler, &full);
  status = task_init(&task, programs, count, &full, error);
  if (status)
    return status;
  struct perfpred_generate_report made = PERFPRED_GENERATE_REPORT_INIT;
  status = generate_all(&joint, context, &task, &full, models, &made, error);
  task_release(&task);
  if (!status)
    ppi_report_give(&made, report);
  return status;
}
