/* SPDX-License-Identifier: BSD-3-Clause */
/* One planner of contractions for sixteen threads: each question is answered once by measuring, and from what is kept from then on. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <perfpred/perfpred.h>

#include "tap.h"

#define THREADS 16
#include "in_threads.h"
#define QUESTIONS 6

static struct perfpred_context *context;
static struct perfpred_sampler *sampler;
static struct perfpred_contraction *contractions[QUESTIONS];
static struct perfpred_contraction_planner *planner;
static double best_s[QUESTIONS]; /* what a planner of its own says */
static atomic_int turn, made;

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-7 + 1e-10 * call->flops;
}

static enum perfpred_status best_of(struct perfpred_contraction_planner *of, int question, double *time_s,
                                    int *from_cache, struct perfpred_error *error) {
  struct perfpred_contraction_plan *plan = NULL;
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  struct perfpred_contraction_prediction first = PERFPRED_CONTRACTION_PREDICTION_INIT;
  enum perfpred_status status = perfpred_contraction_planner_ask(of, contractions[question], &plan, error);
  if (!status)
    status = perfpred_contraction_plan_summary(plan, &info, error);
  if (!status)
    status = perfpred_contraction_plan_at(plan, 0, &first, error);
  if (!status && first.time_s.med != info.best_s)
    status = PERFPRED_NUMERIC;
  perfpred_contraction_plan_destroy(plan);
  *time_s = info.best_s;
  *from_cache = info.from_cache;
  return status;
}

static void *ask(void *data) {
  const int mine = atomic_fetch_add(&turn, 1);
  for (int i = 0; i < 10 * QUESTIONS; i++) {
    const int question = (i * 5 + mine) % QUESTIONS;
    double time_s = 0.0;
    int from_cache = 0;
    if (best_of(planner, question, &time_s, &from_cache, NULL) != PERFPRED_OK || time_s != best_s[question])
      return data;
    atomic_fetch_add(&made, !from_cache);
  }
  return NULL;
}

static enum perfpred_status prepare(struct perfpred_error *error) {
  static const char *const names[] = { "a", "b", "c", "i" };
  struct perfpred_contraction_plan_options options = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  options.repetitions = 1;
  enum perfpred_status status = perfpred_context_create(&context, error);
  if (!status)
    status = perfpred_sampler_create_virtual(context, cost, NULL, NULL, &sampler, error);
  for (int i = 0; i < QUESTIONS && !status; i++) {
    const int64_t extents[] = { 4 + i, 5, 6, 3 };
    struct perfpred_contraction_planner *alone = NULL;
    int from_cache = 0;
    status = perfpred_contraction_create("ai,ibc->abc", names, extents, 4, NULL, &contractions[i], error);
    if (!status)
      status = perfpred_contraction_planner_create(context, sampler, NULL, &options, &alone, error);
    if (!status)
      status = best_of(alone, i, &best_s[i], &from_cache, error);
    perfpred_contraction_planner_destroy(alone);
  }
  return status ? status : perfpred_contraction_planner_create(context, sampler, NULL, &options, &planner, error);
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  const enum perfpred_status status = prepare(&error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", error.text);
  if (!status) {
    int address = 0;
    tap_case(&tap, in_threads(ask, &address), "sixteen threads ask one planner");
    tap_case(&tap, atomic_load(&made) == QUESTIONS, "%d plans were made for %d questions", atomic_load(&made),
             QUESTIONS);
  }
  perfpred_contraction_planner_destroy(planner);
  for (int i = 0; i < QUESTIONS; i++)
    perfpred_contraction_destroy(contractions[i]);
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
