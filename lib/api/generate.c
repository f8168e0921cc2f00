/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins deriving, measuring and fitting. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/derive.h"
#include "api/setup.h"
#include "machine/clock.h"
#include "measure/sampler.h"

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
  return joint->clock.now(joint->clock.state);
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
  if (report && report->size < sizeof *report)
    return ppi_error_set(error, PERFPRED_INVALID, "report: size is %zu; expected PERFPRED_GENERATE_REPORT_INIT",
                         report->size);
  return PERFPRED_OK;
}

/* The time stamp of the file; a day without a clock leaves it empty. */
static void stamp(char *text, size_t size) {
  time_t seconds = time(NULL);
  struct tm utc;
  if (seconds == (time_t)-1 || !gmtime_r(&seconds, &utc) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc))
    text[0] = '\0';
}

static enum perfpred_status describe(struct perfpred_sampler *sampler, struct perfpred_models *models,
                                     struct perfpred_error *error) {
  enum perfpred_status status = sampler->ops->describe(sampler, false, &models->machine, models->setups, error);
  if (!status && !ppi_setup_is_virtual(models->setups))
    status = sampler->ops->describe(sampler, true, &models->machine, models->setups, error);
  return status;
}

enum perfpred_status perfpred_generate(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                       const struct perfpred_program *const *programs, size_t count,
                                       const struct perfpred_generate_options *options, struct perfpred_models **models,
                                       struct perfpred_generate_report *report, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct perfpred_generate_options full;
  enum perfpred_status status = check_arguments(context, sampler, programs, count, models, report, error);
  if (!status)
    status = ppi_generate_defaults(options, &full, error);
  if (status)
    return status;
  struct ppi_target *targets = NULL;
  size_t target_count = 0;
  status = ppi_derive_targets(programs, count, &full, &targets, &target_count, error);
  if (status)
    return status;
  if (target_count == 0) {
    free(targets);
    return ppi_error_set(error, PERFPRED_INVALID, "%s makes no call that has work to do in the ranges of n and b",
                         programs[0]->name);
  }
  struct joint joint = { .sampler = sampler };
  ppi_clock_monotonic(&joint.clock);
  const struct ppi_source source = { take_samples, solve, now, &joint };
  struct perfpred_models *fresh = NULL;
  struct perfpred_generate_report made = PERFPRED_GENERATE_REPORT_INIT;
  status = ppi_generate(targets, target_count, &source, options, &fresh, &made, error);
  free(targets);
  if (!status)
    status = describe(sampler, fresh, error);
  if (status) {
    perfpred_models_unref(fresh);
    return status;
  }
  stamp(fresh->created, sizeof fresh->created);
  *models = fresh;
  if (report) {
    made.size = report->size;
    memcpy(report, &made, sizeof made);
  }
  return PERFPRED_OK;
}
