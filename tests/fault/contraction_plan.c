/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for contractions, their executions and reports, where memory fails. */
#include <stdio.h>
#include <unistd.h>

#include "fault.h"

static struct perfpred_context *context; /* made once, as is all that the scenarios only read */
static struct perfpred_sampler *sampler;
static struct perfpred_contraction *contraction;

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-7 + 1e-10 * call->flops;
}

/* Asks, and asks again. */
static enum perfpred_status plan_by(const struct perfpred_contraction_plan_options *options, bool measure,
                                    struct perfpred_error *error) {
  struct perfpred_contraction_planner *planner = NULL;
  struct perfpred_contraction_plan *untouched = (struct perfpred_contraction_plan *)&context, *plan = untouched;
  struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
  struct perfpred_contraction_measure_options executions = PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT;
  char *none = (char *)&context, *json = none;
  executions.best = 2;
  executions.repetitions = 1;
  enum perfpred_status status = perfpred_contraction_planner_create(context, sampler, NULL, options, &planner, error);
  if (!status)
    status = perfpred_contraction_planner_ask(planner, contraction, &plan, error);
  if (status && plan != untouched)
    fault_touched("plan");
  if (!status && measure) {
    status = perfpred_contraction_plan_measure(plan, sampler, &executions, &validation, error);
    if (status && validation.executed != 0)
      fault_touched("validation");
  }
  if (!status)
    status = perfpred_contraction_plan_report(plan, 2, &json, error);
  if (status && json != none)
    fault_touched("json");
  perfpred_free(json == none ? NULL : json);
  perfpred_contraction_plan_destroy(plan == untouched ? NULL : plan);
  perfpred_contraction_planner_destroy(planner);
  return status;
}

static enum perfpred_status replay(struct perfpred_error *error) {
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  options.repetitions = 1;
  return plan_by(&options, true, error);
}

static enum perfpred_status set_up_caches(struct perfpred_error *error) {
  static const char *const names[] = { "i'c-dgemm" };
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  options.mode = PERFPRED_CONTRACTION_REMOTE;
  options.repetitions = 1;
  options.names = names;
  options.name_count = 1;
  return plan_by(&options, false, error);
}

static enum perfpred_status sweep(struct perfpred_error *error) {
  static const int64_t values[] = { 3, 4 };
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  struct perfpred_contraction_planner *planner = NULL;
  struct perfpred_contraction_plan *plans[2] = { NULL, NULL };
  filter.kernels = 1U << PERFPRED_CONTRACTION_GEMM;
  options.filter = &filter;
  options.repetitions = 1;
  enum perfpred_status status = perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, error);
  if (!status)
    status = perfpred_contraction_planner_sweep(planner, contraction, "ab", values, 2, plans, error);
  if (status && (plans[0] || plans[1]))
    fault_touched("plans");
  for (int i = 0; i < 2 && !status; i++)
    perfpred_contraction_plan_destroy(plans[i]);
  perfpred_contraction_planner_destroy(planner);
  return status;
}

static char path[64];

/* Asks and saves, or, where the file is there, loads and asks. */
static enum perfpred_status through_file(bool saves, struct perfpred_error *error) {
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  struct perfpred_contraction_planner *planner = NULL;
  struct perfpred_contraction_plan *plan = NULL;
  options.repetitions = 1;
  enum perfpred_status status = perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, error);
  if (!status && !saves)
    status = perfpred_contraction_planner_load(planner, path, &info, error);
  if (!status)
    status = perfpred_contraction_planner_ask(planner, contraction, &plan, error);
  if (!status && saves)
    status = perfpred_contraction_planner_save(planner, path, &info, error);
  if (status && info.answers != 0 && saves)
    fault_touched("info");
  perfpred_contraction_plan_destroy(plan);
  perfpred_contraction_planner_destroy(planner);
  return status;
}

static enum perfpred_status save(struct perfpred_error *error) {
  return through_file(true, error);
}

static enum perfpred_status load(struct perfpred_error *error) {
  return through_file(false, error);
}

static enum perfpred_status prepare(struct perfpred_error *error) {
  static const char *const names[] = { "i", "j", "a", "b", "c" };
  static const int64_t extents[] = { 2, 3, 4, 5, 2 };
  enum perfpred_status status = perfpred_context_create(&context, error);
  if (!status)
    status = perfpred_sampler_create_virtual(context, cost, NULL, NULL, &sampler, error);
  if (!status)
    status = perfpred_contraction_create("ija,jbic->abc", names, extents, 5, NULL, &contraction, error);
  return status ? status : replay(error); /* the tally of the clock does not grow any more then */
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  enum perfpred_status status = prepare(&error);
  tap_case(&tap, status == PERFPRED_OK, "set up: %s", error.text);
  if (!status) {
    fault_check(&tap, "a plan by replays, executed", replay);
    fault_check(&tap, "a plan by set-ups of the caches", set_up_caches);
    fault_check(&tap, "plans over an extent", sweep);
    snprintf(path, sizeof path, "/tmp/perfpred-fault-%ld.json", (long)getpid());
    fault_check(&tap, "answers to a file", save);
    fault_check(&tap, "answers from a file", load);
    remove(path);
  }
  perfpred_contraction_destroy(contraction);
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
