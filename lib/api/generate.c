/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins deriving, measuring and fitting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/derive.h"
#include "api/rates.h"
#include "api/setup.h"
#include "api/steps.h"
#include "machine/clock.h"
#include "measure/sampler.h"
#include "model/samples.h"
#include "store/journal.h"

#define LEAST_BUDGET_S 1e-3

struct joint {
  struct perfpred_sampler *sampler;
  struct ppi_clock clock;
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

/* Peak and bandwidth come first, for what they take is missing from the budget. */
struct opening {
  struct ppi_machine machine;
  struct ppi_setup setup;
  double begin_s, spent_s;
};

static enum perfpred_status open_up(struct joint *joint, const struct perfpred_generate_options *full,
                                    struct opening *opening, struct perfpred_error *error) {
  opening->begin_s = now(joint);
  enum perfpred_status status =
      ppi_rates_describe(joint->sampler, full->budget_s, full->known, &opening->machine, &opening->setup, error);
  opening->spent_s = now(joint) - opening->begin_s;
  return status;
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
  /* what times were brought to is what others have to be brought to that are compared with them */
  if (models->setups->reference_s > 0.0)
    models->setups->yardstick_s = models->setups->reference_s;
  return PERFPRED_OK;
}

#define BATCH_S 2.0 /* what an interruption may lose */

/* Raw samples of a generation: what is known, what the journal has, what is measured. */
struct stock {
  struct ppi_samples *samples;
  struct ppi_journal *journal;
  struct ppi_replay replay;
  struct ppi_machine machine;
  struct ppi_setup setup;
  struct ppi_journal_owner owner;
};

static void stock_destroy(struct stock *stock) {
  if (!stock)
    return;
  ppi_replay_release(&stock->replay);
  ppi_journal_close(stock->journal);
  ppi_samples_release(stock->samples);
  free(stock->samples);
  free(stock);
}

static enum perfpred_status take_known(struct stock *stock, const struct perfpred_models *known,
                                       struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  if (!known || ppi_machine_compare(&known->machine, &stock->machine, NULL) != PERFPRED_OK)
    return PERFPRED_OK;
  for (int i = 0; i < known->setup_count; i++) {
    const struct ppi_samples *samples = known->samples[i];
    if (!samples || !ppi_setup_same(known->setups + i, &stock->setup))
      continue;
    for (size_t k = 0; !status && k < samples->count; k++)
      status = ppi_samples_add_record(stock->samples, samples->records[k], error);
  }
  return status;
}

static enum perfpred_status stock_create(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                         const struct perfpred_generate_options *options, struct stock **stock,
                                         struct perfpred_error *error) {
  struct stock *made = calloc(1, sizeof *made);
  enum perfpred_status status = PERFPRED_OK;
  if (!made)
    return ppi_error_memory(error);
  made->samples = calloc(1, sizeof *made->samples);
  if (!made->samples)
    status = ppi_error_memory(error);
  if (!status)
    status = sampler->ops->describe(sampler, 0.0, &made->machine, &made->setup, error);
  if (!status)
    status = take_known(made, options->known, error);
  made->owner = (struct ppi_journal_owner){ &made->machine, &made->setup,
                                            options->known ? &options->known->marks : NULL, options->restart != 0 };
  if (!status && options->journal)
    status = ppi_journal_open(context, options->journal, &made->owner, made->samples, &made->journal, error);
  if (status) {
    stock_destroy(made);
    return status;
  }
  made->replay.samples = made->samples;
  made->replay.by_part = true;
  made->replay.added = made->journal ? ppi_journal_added : NULL;
  made->replay.added_data = made->journal;
  made->replay.batch_s = made->journal ? BATCH_S : 0.0;
  *stock = made;
  return PERFPRED_OK;
}

/* The models keep the journal until they are saved, and the samples where they are asked to. */
static void hand_over(struct stock *stock, bool keep_samples, struct perfpred_models *models) {
  if (stock->journal) {
    if (!keep_samples) /* else the models keep also what is of other work */
      ppi_journal_check_use(stock->journal, stock->replay.used, stock->replay.used_count);
    ppi_journal_mark(stock->journal, &models->marks);
    models->journal = stock->journal;
    models->journal_close = ppi_journal_close;
    stock->journal = NULL;
  }
  if (keep_samples) {
    models->samples[0] = stock->samples;
    stock->samples = NULL;
  }
  models->options.journal = NULL;
  models->options.known = NULL;
  models->options.keep_samples = models->options.restart = 0;
}

/* Measures and fits; the models are without machine and setup. */
static enum perfpred_status generate(struct joint *joint, const struct perfpred_context *context,
                                     const struct ppi_target *targets, size_t count,
                                     const struct perfpred_generate_options *full,
                                     const struct perfpred_generate_options *options, struct perfpred_models **models,
                                     struct perfpred_generate_report *report, struct perfpred_error *error) {
  const struct ppi_source behind = { take_samples, solve, now, joint };
  struct ppi_source source = behind;
  struct stock *stock = NULL;
  enum perfpred_status status = PERFPRED_OK;
  if (full->keep_samples || full->journal || full->known)
    status = stock_create(context, joint->sampler, full, &stock, error);
  if (stock) {
    stock->replay.behind = &behind;
    ppi_replay_source(&stock->replay, &source);
  }
  if (!status)
    status = ppi_generate(targets, count, &source, options, models, report, error);
  if (!status && stock)
    hand_over(stock, full->keep_samples != 0, *models);
  stock_destroy(stock);
  return status;
}

/* --- Steps --------------------------------------------------------------------------------------------------------- */

static enum perfpred_status take_steps(void *data, const struct ppi_request *requests, size_t count,
                                       const struct ppi_sampling *sampling, struct ppi_result *results,
                                       struct perfpred_error *error) {
  struct joint *joint = data;
  return ppi_steps_sample(joint->sampler, requests, count, sampling, results, error);
}

/* What a generation is to model. */
struct task {
  struct ppi_steps steps;
  struct ppi_target *stepped, *alone; /* calls in steps, and others */
  size_t stepped_count, alone_count;
};

static void task_release(struct task *task) {
  free(task->alone);
  free(task->stepped);
  ppi_steps_free(&task->steps);
}

static enum perfpred_status task_init(struct task *task, const struct perfpred_program *const *programs, size_t count,
                                      const struct perfpred_generate_options *full, struct perfpred_error *error) {
  const bool instead = full->contexts == PERFPRED_CONTEXTS_INSTEAD;
  enum perfpred_status status = PERFPRED_OK;
  *task = (struct task){ .stepped_count = 0 };
  if (full->contexts != PERFPRED_CONTEXTS_NONE)
    status = ppi_steps_of(programs, count, &task->steps, error);
  if (!status && task->steps.count > 0)
    status = ppi_steps_targets(&task->steps, full, &task->stepped, &task->stepped_count, error);
  if (!status)
    status = ppi_derive_others(programs, count, full, instead ? &task->steps : NULL, &task->alone, &task->alone_count,
                               error);
  if (!status && task->stepped_count + task->alone_count == 0)
    status = ppi_error_set(error, PERFPRED_INVALID, "%s makes no call that has work to do in the ranges of n and b",
                           programs[0]->name);
  if (status)
    task_release(task);
  return status;
}

/* The adaptive generator is the only one that can do with a part of a box. */
static enum perfpred_status generate_stepped(struct joint *joint, const struct task *task,
                                             const struct perfpred_generate_options *full,
                                             struct perfpred_models **models, struct perfpred_generate_report *report,
                                             struct perfpred_error *error) {
  const struct ppi_source source = { take_steps, solve, now, joint };
  struct perfpred_generate_options options = *full;
  options.generator = PERFPRED_GENERATOR_ADAPTIVE;
  options.budget_s *= (double)task->stepped_count / (double)(task->stepped_count + task->alone_count);
  options.journal = NULL;
  options.known = NULL;
  options.keep_samples = options.restart = 0;
  return ppi_generate(task->stepped, task->stepped_count, &source, &options, models, report, error);
}

/* The others have the rest of the budget. */
static enum perfpred_status generate_alone(struct joint *joint, const struct perfpred_context *context,
                                           const struct task *task, const struct perfpred_generate_options *full,
                                           double spent_s, struct perfpred_models **models,
                                           struct perfpred_generate_report *report, struct perfpred_error *error) {
  struct perfpred_generate_options options = *full;
  if (options.budget_s > 0.0)
    options.budget_s = fmax(options.budget_s - spent_s, 0.05 * options.budget_s);
  return generate(joint, context, task->alone, task->alone_count, full, &options, models, report, error);
}

static void join_reports(struct perfpred_generate_report *report, const struct perfpred_generate_report *other) {
  report->models += other->models;
  report->points += other->points;
  report->samples += other->samples;
  report->disturbed += other->disturbed;
  report->measure_s += other->measure_s;
  report->wall_s += other->wall_s;
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

static enum perfpred_status run_task(struct joint *joint, const struct perfpred_context *context,
                                     const struct task *task, const struct perfpred_generate_options *full,
                                     struct perfpred_models **models, struct perfpred_generate_report *report,
                                     struct perfpred_error *error) {
  struct perfpred_generate_report stepped_report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *stepped = NULL;
  enum perfpred_status status = PERFPRED_OK;
  if (task->stepped_count > 0)
    status = generate_stepped(joint, task, full, &stepped, &stepped_report, error);
  if (status)
    return status;
  if (task->alone_count == 0) {
    *models = stepped;
    *report = stepped_report;
    return PERFPRED_OK;
  }
  status = generate_alone(joint, context, task, full, stepped_report.wall_s, models, report, error);
  if (status || !stepped) {
    perfpred_models_unref(stepped);
    return status;
  }
  join_reports(report, &stepped_report);
  status = join_models(*models, stepped, error);
  if (status)
    perfpred_models_unref(*models);
  return status;
}

/* Rates, samples and fits, in this order, within one budget. */
static enum perfpred_status generate_all(struct joint *joint, const struct perfpred_context *context,
                                         const struct task *task, const struct perfpred_generate_options *full,
                                         struct perfpred_models **models, struct perfpred_generate_report *report,
                                         struct perfpred_error *error) {
  struct perfpred_generate_options shorter = *full;
  struct perfpred_models *fresh = NULL;
  struct opening *opening = calloc(1, sizeof *opening);
  if (!opening)
    return ppi_error_memory(error);
  enum perfpred_status status = open_up(joint, full, opening, error);
  if (full->budget_s > 0.0)
    shorter.budget_s = fmax(full->budget_s - opening->spent_s, LEAST_BUDGET_S);
  if (!status)
    status = run_task(joint, context, task, &shorter, &fresh, report, error);
  if (!status) {
    status = describe(joint->sampler, opening, fresh, error);
    if (status)
      perfpred_models_unref(fresh);
  }
  if (!status) {
    fresh->options.budget_s = full->budget_s;
    report->wall_s = now(joint) - opening->begin_s;
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
  struct task task;
  enum perfpred_status status = check_arguments(context, sampler, programs, count, models, report, error);
  if (!status)
    status = ppi_generate_defaults(options, &full, error);
  if (!status)
    status = task_init(&task, programs, count, &full, error);
  if (status)
    return status;
  struct joint joint = { .sampler = sampler };
  ppi_clock_monotonic(&joint.clock);
  struct perfpred_generate_report made = PERFPRED_GENERATE_REPORT_INIT;
  status = generate_all(&joint, context, &task, &full, models, &made, error);
  task_release(&task);
  if (!status)
    ppi_report_give(&made, report);
  return status;
}
