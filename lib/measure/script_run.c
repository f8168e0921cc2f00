/* SPDX-License-Identifier: BSD-3-Clause */
/* A script from its text to its report: the public face of a sampler's scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "machine/clock.h"
#include "measure/options.h"
#include "measure/sampler.h"

/* Progress of one unit as that of the whole. */
struct part {
  const struct ppi_sampling *whole;
  size_t unit, count;
  double begin_s;
  uint64_t samples; /* of the units before */
  uint64_t present; /* of this one */
  struct ppi_clock clock;
};

static double elapsed(const struct part *part) {
  return part->clock.now(part->clock.state) - part->begin_s;
}

static int on_progress(void *data, const struct perfpred_progress *progress) {
  struct part *part = data;
  double fraction = ((double)part->unit + fmin(progress->fraction, 1.0)) / (double)part->count;
  if (progress->samples > part->present)
    part->present = progress->samples;
  double time = elapsed(part);
  const struct perfpred_progress whole = { sizeof whole,
                                           progress->stage,
                                           fraction,
                                           time,
                                           fraction > 0.02 ? time * (1.0 - fraction) / fraction : NAN,
                                           part->samples + part->present };
  return part->whole->progress(part->whole->progress_data, &whole);
}

static struct ppi_sampling sampling_of(struct part *part) {
  struct ppi_sampling sampling = *part->whole;
  if (sampling.budget_s > 0.0) {
    double left = sampling.budget_s - elapsed(part);
    sampling.budget_s = fmax(left, 1e-9) / (double)(part->count - part->unit);
  }
  if (sampling.progress != NULL) {
    sampling.progress = on_progress;
    sampling.progress_data = part;
  }
  return sampling;
}

enum perfpred_status ppi_script_run(const struct ppi_script *script, const struct ppi_sampling *sampling,
                                    ppi_unit_fn *once, void *data, struct ppi_outcome *outcomes,
                                    struct perfpred_error *error) {
  struct part part = { .whole = sampling, .count = script->unit_count };
  ppi_clock_monotonic(&part.clock);
  part.begin_s = part.clock.now(part.clock.state);
  for (part.unit = 0; part.unit < part.count; part.unit++) {
    struct ppi_outcome *outcome = &outcomes[part.unit];
    struct perfpred_error failure = { .status = PERFPRED_OK };
    const struct ppi_sampling share = sampling_of(&part);
    outcome->status = once(data, script, part.unit, &share, &outcome->result, &failure);
    memcpy(outcome->text, failure.text, sizeof outcome->text);
    if (outcome->status == PERFPRED_CANCELLED || outcome->status == PERFPRED_WORKER)
      return ppi_error_set(error, outcome->status, "%s", failure.text);
    part.samples += part.present;
    part.present = 0;
  }
  return PERFPRED_OK;
}

static enum perfpred_status run(struct perfpred_sampler *sampler, const struct ppi_script *script,
                                const struct ppi_sampling *sampling, char **json, struct perfpred_error *error) {
  struct ppi_machine machine;
  struct ppi_setup setup;
  struct ppi_outcome *outcomes = calloc(script->unit_count + 1, sizeof *outcomes);
  if (outcomes == NULL)
    return ppi_error_memory(error);
  enum perfpred_status status = sampler->ops->script(sampler, script, sampling, outcomes, error);
  if (status == PERFPRED_OK)
    status = sampler->ops->describe(sampler, 0.0, &machine, &setup, error);
  if (status == PERFPRED_OK) {
    char *text = ppi_report_script(script, outcomes, &setup);
    if (text != NULL)
      *json = text;
    else
      status = ppi_error_memory(error);
  }
  for (size_t i = 0; i < script->unit_count; i++)
    ppi_unit_result_free(&outcomes[i].result);
  free(outcomes);
  return status;
}

enum perfpred_status perfpred_sample_text(struct perfpred_sampler *sampler, const struct perfpred_context *context,
                                          const char *text, size_t length, const char *source,
                                          const struct perfpred_measure_options *options, char **json,
                                          struct perfpred_error *error) {
  struct ppi_sampling sampling;
  struct ppi_script script = { 0 };
  ppi_error_clear(error);
  if (sampler == NULL || context == NULL || (text == NULL && length > 0) || json == NULL)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_sample_text: sampler, context, text or json is NULL, expected all four");
  enum perfpred_status status = ppi_measure_options(options, &sampling, error);
  if (status == PERFPRED_OK)
    status = ppi_script_parse(context->kernels, length > 0 ? text : "", length, source != NULL ? source : "calls",
                              sampling.ld, &script, error);
  if (status != PERFPRED_OK)
    return status;
  status = run(sampler, &script, &sampling, json, error);
  ppi_script_free(&script);
  return status;
}
