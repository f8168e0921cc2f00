/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting models anew from the samples that they keep: the generator runs on those alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/rates.h"
#include "machine/clock.h"
#include "measure/sampler.h"
#include "model/samples.h"

struct refit {
  const struct perfpred_models *models;
  struct perfpred_sampler *sampler;
  struct perfpred_generate_options options; /* full, without what has no meaning here */
  struct ppi_clock clock;
  bool *done; /* sub-models of models */
  struct perfpred_models *result;
  struct perfpred_generate_report report;
  struct perfpred_error *error;
};

/* How a sub-model's samples are asked for. */
enum kind { ALONE, IN_STATE, STEPPED };

/* Sub-models of one setup, one leading dimension and one kind: what one generation makes. */
struct batch {
  struct refit *refit;
  int setup;
  enum kind kind;
  struct ppi_target *targets;
  size_t count;
  struct ppi_replay replay;
  struct ppi_source known; /* the replay */
};

static enum perfpred_status take_samples(void *data, const struct ppi_request *requests, size_t count,
                                         const struct ppi_sampling *sampling, struct ppi_result *results,
                                         struct perfpred_error *error) {
  const struct batch *batch = data;
  const struct perfpred_progress progress = { sizeof progress, "refit", 1.0, 0.0, NAN, 0 };
  if (sampling->progress && sampling->progress(sampling->progress_data, &progress))
    return ppi_error_set(error, PERFPRED_CANCELLED, "cancelled by the caller while refitting");
  return batch->known.sample(batch->known.data, requests, count, sampling, results, error);
}

static enum perfpred_status solve(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                  struct perfpred_error *error) {
  const struct batch *batch = data;
  struct perfpred_sampler *sampler = batch->refit->sampler;
  return sampler->ops->least_squares(sampler, m, n, nrhs, a, b, rank, error);
}

static double seconds(const struct ppi_clock *clock) {
  return clock->now(clock->state);
}

static double now(void *data) {
  const struct batch *batch = data;
  return seconds(&batch->refit->clock);
}

static bool next_known(void *data, const struct ppi_request *like, const char *context, size_t *place,
                       int64_t sizes[PPI_SIZE_MAX]) {
  const struct batch *batch = data;
  return ppi_samples_next(batch->replay.samples, like, context, place, sizes);
}

static struct ppi_request request_of(const struct ppi_submodel *submodel) {
  return (struct ppi_request){ .kernel = submodel->kernel, .values = submodel->values, .ld = submodel->ld };
}

/* Whether there is a sample in its domain. */
static bool has_samples(const struct perfpred_models *models, const struct ppi_submodel *submodel) {
  const struct ppi_samples *samples = models->samples[submodel->setup];
  const struct ppi_request like = request_of(submodel);
  int64_t sizes[PPI_SIZE_MAX] = { 0 };
  if (!samples)
    return false;
  for (size_t place = 0; ppi_samples_next(samples, &like, submodel->context, &place, sizes); place++) {
    bool inside = true;
    for (int d = 0; d < submodel->dimensions; d++)
      inside = inside && sizes[d] >= submodel->lower[d] && sizes[d] <= submodel->upper[d];
    if (inside)
      return true;
  }
  return false;
}

static void fill_target(const struct ppi_submodel *submodel, struct ppi_target *target) {
  target->kernel = submodel->kernel;
  memcpy(target->values, submodel->values, sizeof target->values);
  memcpy(target->lower, submodel->lower, sizeof target->lower);
  memcpy(target->upper, submodel->upper, sizeof target->upper);
  target->basis = submodel->basis;
  memcpy(target->context, submodel->context, sizeof target->context);
}

/* Calls in the steps of one algorithm, over the same ones; where they begin each call knows for itself. */
static bool same_steps(const struct ppi_submodel *a, const struct ppi_submodel *b) {
  size_t length = strcspn(a->context, ":");
  return a->basis && b->basis && length == strcspn(b->context, ":") && strncmp(a->context, b->context, length) == 0 &&
         a->dimensions == b->dimensions && memcmp(a->upper, b->upper, (size_t)a->dimensions * sizeof *a->upper) == 0;
}

static enum kind kind_of(const struct ppi_submodel *submodel) {
  if (submodel->basis)
    return STEPPED;
  return submodel->context[0] ? IN_STATE : ALONE;
}

static bool goes_along(const struct batch *batch, const struct ppi_submodel *leader,
                       const struct ppi_submodel *submodel) {
  return submodel->setup == batch->setup && submodel->ld == leader->ld && kind_of(submodel) == batch->kind;
}

static void add_target(struct batch *batch, int place, size_t group) {
  batch->refit->done[place] = true;
  batch->targets[batch->count].group = group;
  fill_target(batch->refit->models->submodels + place, batch->targets + batch->count++);
}

/* A sub-model and, of a call in steps, all of these steps, which were sampled together. */
static void add_group(struct batch *batch, int first) {
  const struct perfpred_models *models = batch->refit->models;
  const struct ppi_submodel *leader = models->submodels + first;
  size_t group = batch->kind == STEPPED ? batch->count + 1 : 0;
  for (int i = first; i < models->count; i++) {
    const struct ppi_submodel *submodel = models->submodels + i;
    if (i == first || (!batch->refit->done[i] && goes_along(batch, leader, submodel) && same_steps(leader, submodel)))
      add_target(batch, i, group);
  }
}

/* The first sub-model that is not done and those that go with it. */
static enum perfpred_status batch_init(struct batch *batch, struct refit *refit, int first) {
  const struct perfpred_models *models = refit->models;
  const struct ppi_submodel *leader = models->submodels + first;
  memset(batch, 0, sizeof *batch);
  batch->refit = refit;
  batch->setup = leader->setup;
  batch->kind = kind_of(leader);
  batch->replay.samples = models->samples[leader->setup];
  batch->replay.by_part = batch->replay.lenient = true;
  ppi_replay_source(&batch->replay, &batch->known);
  batch->targets = calloc((size_t)(models->count - first), sizeof *batch->targets);
  if (!batch->targets)
    return ppi_error_memory(refit->error);
  for (int i = first; i < models->count; i++)
    if (!refit->done[i] && goes_along(batch, leader, models->submodels + i))
      add_group(batch, i);
  return PERFPRED_OK;
}

static void batch_release(struct batch *batch) {
  free(batch->targets);
  ppi_replay_release(&batch->replay);
}

/* Samples and anchors are of one time, and stay together; models that were scaled meanwhile are as they were measured again. */
static enum perfpred_status keep_anchors(const struct refit *refit, struct perfpred_models *fresh, int setup) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < fresh->count; i++) {
    struct ppi_submodel *submodel = fresh->submodels + i;
    for (int k = 0; k < refit->models->count && !status; k++) {
      const struct ppi_submodel *old = refit->models->submodels + k;
      if (old->setup == setup && old->anchor_count > 0 && strcmp(old->kernel->name, submodel->kernel->name) == 0 &&
          strcmp(old->case_text, submodel->case_text) == 0 && strcmp(old->context, submodel->context) == 0)
        status = ppi_submodel_take_anchors(submodel, old, refit->error);
    }
  }
  return status;
}

/* What is refitted takes the place of what it is refitted from. */
static enum perfpred_status take_over(struct refit *refit, struct perfpred_models *fresh, int setup) {
  const struct perfpred_models *base = refit->result ? refit->result : refit->models;
  struct perfpred_models *joined = NULL;
  fresh->machine = refit->models->machine;
  fresh->setups[0] = refit->models->setups[setup];
  enum perfpred_status status = keep_anchors(refit, fresh, setup);
  if (!status)
    status = perfpred_models_merge(base, fresh, NULL, &joined, refit->error);
  if (status)
    return status;
  perfpred_models_unref(refit->result);
  refit->result = joined;
  return PERFPRED_OK;
}

static void add_up(struct perfpred_generate_report *all, const struct perfpred_generate_report *one) {
  all->models += one->models;
  all->points += one->points;
  all->samples += one->samples;
  all->disturbed += one->disturbed;
  all->measure_s += one->measure_s;
  all->missing += one->missing;
  all->max_error = fmax(all->max_error, one->max_error); /* of a number and NaN the number */
}

static enum perfpred_status batch_run(struct batch *batch, int64_t ld) {
  struct refit *refit = batch->refit;
  const struct ppi_source source = { take_samples, solve, now, batch };
  const struct ppi_known known = { next_known, batch };
  struct perfpred_generate_options options = refit->options;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *fresh = NULL;
  options.ld = ld;
  if (batch->kind == STEPPED)
    options.generator = PERFPRED_GENERATOR_ADAPTIVE; /* as in a generation */
  enum perfpred_status status =
      ppi_refit(batch->targets, batch->count, &source, &known, &options, &fresh, &report, refit->error);
  if (status)
    return status;
  add_up(&refit->report, &report);
  status = take_over(refit, fresh, batch->setup);
  perfpred_models_unref(fresh);
  return status;
}

static enum perfpred_status run(struct refit *refit) {
  const struct perfpred_models *models = refit->models;
  enum perfpred_status status = PERFPRED_OK;
  refit->done = calloc((size_t)models->count + 1, sizeof *refit->done);
  if (!refit->done)
    return ppi_error_memory(refit->error);
  for (int i = 0; i < models->count; i++) {
    refit->done[i] = !has_samples(models, models->submodels + i);
    refit->report.kept += refit->done[i];
  }
  for (int i = 0; !status && i < models->count; i++) {
    struct batch batch;
    if (refit->done[i])
      continue;
    status = batch_init(&batch, refit, i);
    if (!status)
      status = batch_run(&batch, models->submodels[i].ld);
    batch_release(&batch);
  }
  if (!status && !refit->result)
    return ppi_error_set(refit->error, PERFPRED_NOT_FOUND,
                         "models: there are no raw samples to fit them from: generate with keep_samples (--samples)");
  return status;
}

static enum perfpred_status check_arguments(const struct perfpred_models *models,
                                            const struct perfpred_sampler *sampler,
                                            struct perfpred_models *const *refitted,
                                            const struct perfpred_generate_report *report,
                                            struct perfpred_error *error) {
  if (!models || !sampler || !refitted)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL",
                         !models ? "models" : (!sampler ? "sampler" : "refitted"));
  return ppi_report_check(report, error);
}

/* Domains and leading dimensions are those of the sub-models, whatever the options say. */
static enum perfpred_status fill_options(struct refit *refit, const struct perfpred_generate_options *options) {
  struct perfpred_generate_options made = PERFPRED_GENERATE_OPTIONS_INIT;
  if (!options)
    options = &refit->models->options;
  if (options->size < sizeof options->size)
    return ppi_error_set(refit->error, PERFPRED_INVALID, "options.size: %zu: expected PERFPRED_GENERATE_OPTIONS_INIT",
                         options->size);
  memcpy(&made, options, options->size < sizeof made ? options->size : sizeof made);
  made.size = sizeof made;
  made.n_lower = made.n_upper = made.b_lower = made.b_upper = 1;
  made.ld = 0;
  made.budget_s = 0.0;
  made.journal = NULL;
  made.known = NULL;
  made.keep_samples = made.restart = 0;
  made.spent_s = 0.0;
  return ppi_generate_defaults(&made, &refit->options, refit->error);
}

static void set_options(const struct refit *refit) {
  const struct perfpred_generate_options *old = &refit->models->options;
  struct perfpred_generate_options *options = &refit->result->options;
  *options = refit->options;
  options->n_lower = old->n_lower;
  options->n_upper = old->n_upper;
  options->b_lower = old->b_lower;
  options->b_upper = old->b_upper;
  options->ld = old->ld;
  options->progress = NULL;
  options->progress_data = NULL;
}

enum perfpred_status perfpred_models_refit(const struct perfpred_models *models, struct perfpred_sampler *sampler,
                                           const struct perfpred_generate_options *options,
                                           struct perfpred_models **refitted, struct perfpred_generate_report *report,
                                           struct perfpred_error *error) {
  struct refit refit = {
    .models = models, .sampler = sampler, .report = PERFPRED_GENERATE_REPORT_INIT, .error = error
  };
  ppi_error_clear(error);
  enum perfpred_status status = check_arguments(models, sampler, refitted, report, error);
  if (!status)
    status = fill_options(&refit, options);
  if (status)
    return status;
  ppi_clock_monotonic(&refit.clock);
  double begin_s = seconds(&refit.clock);
  refit.report.max_error = NAN;
  status = run(&refit);
  free(refit.done);
  if (status) {
    perfpred_models_unref(refit.result);
    return status;
  }
  set_options(&refit);
  double calls = (double)refit.report.samples + (double)refit.report.disturbed;
  refit.report.pass_rate = calls > 0.0 ? (double)refit.report.samples / calls : 1.0;
  refit.report.wall_s = seconds(&refit.clock) - begin_s;
  refit.report.rates_known = ppi_rates_known(&models->machine);
  ppi_report_give(&refit.report, report);
  *refitted = refit.result;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_models_options(const struct perfpred_models *models,
                                             struct perfpred_generate_options *options, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!models || !options)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !models ? "models" : "options");
  if (options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size: %zu: expected PERFPRED_GENERATE_OPTIONS_INIT",
                         options->size);
  struct perfpred_generate_options full = models->options;
  full.size = options->size;
  memcpy(options, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}
