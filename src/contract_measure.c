/* SPDX-License-Identifier: BSD-3-Clause */
/* Executions beside predictions: the best algorithms, and others at random. */
#include <math.h>
#include <stdlib.h>

#include "contracting.h"

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t x = *state;
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

struct drawn {
  struct perfpred_contraction_prediction *items;
  const char **names;
  size_t count;
};

static void drawn_release(struct drawn *drawn) {
  free(drawn->items);
  free((void *)drawn->names);
}

static double expected(const struct perfpred_contraction_prediction *prediction) {
  return isfinite(prediction->time_s.med) ? prediction->time_s.med : prediction->bound_s;
}

/* So many of those behind the best ones; none that would take longer than the limit. Each that fits is as likely as any other. */
static int draw(struct session *session, const struct perfpred_contraction_plan *plan, size_t best, size_t listed,
                struct drawn *drawn) {
  const struct options *options = session->options;
  const size_t wanted = (size_t)options->others;
  uint64_t state = (uint64_t)options->seed, fitting = 0;
  drawn->items = calloc(wanted, sizeof *drawn->items);
  drawn->names = calloc(wanted, sizeof *drawn->names);
  if (drawn->items == NULL || drawn->names == NULL)
    return message_fail("out of memory");
  for (size_t rank = best; rank < listed; rank++) {
    struct perfpred_contraction_prediction prediction = PERFPRED_CONTRACTION_PREDICTION_INIT;
    if (perfpred_contraction_plan_at(plan, rank, &prediction, &session->error) != PERFPRED_OK)
      return session_fail(session);
    if (options->limit_s > 0.0 && expected(&prediction) > options->limit_s)
      continue;
    const uint64_t place = fitting < wanted ? fitting : next_random(&state) % (fitting + 1);
    if (place < wanted)
      drawn->items[place] = prediction;
    fitting++;
  }
  drawn->count = fitting < wanted ? (size_t)fitting : wanted;
  for (size_t i = 0; i < drawn->count; i++)
    drawn->names[i] = drawn->items[i].name;
  return COMMAND_OK;
}

static int execute(struct session *session, struct perfpred_contraction_plan *plan,
                   const struct perfpred_contraction_measure_options *asked, struct progress *progress,
                   struct perfpred_contraction_validation *validation) {
  progress_begin(progress, "measure");
  enum perfpred_status status =
      perfpred_contraction_plan_measure(plan, session->sampler, asked, validation, &session->error);
  return contracting_end(session, progress, status);
}

int contracting_measure(struct session *session, struct perfpred_contraction_plan *plan, struct progress *progress,
                        struct perfpred_contraction_validation *validation) {
  const struct options *options = session->options;
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  struct perfpred_contraction_measure_options asked = PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT;
  struct drawn drawn = { NULL, NULL, 0 };
  int result = COMMAND_OK;
  if (perfpred_contraction_plan_summary(plan, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  asked.best = options->measure > 0 ? (size_t)options->measure : 0;
  if (options->others > 0 && asked.best > 0)
    result = draw(session, plan, asked.best, (size_t)info.listed, &drawn);
  asked.limit_s = options->limit_s;
  asked.names = drawn.count > 0 ? drawn.names : NULL;
  asked.name_count = drawn.count;
  asked.repetitions = (int)options->repetitions;
  asked.gate = options->gate;
  asked.budget_s = options->run_budget_s;
  asked.seed = (uint64_t)options->seed;
  asked.progress = progress_step;
  asked.progress_data = progress;
  if (result == COMMAND_OK)
    result = execute(session, plan, &asked, progress, validation);
  drawn_release(&drawn);
  return result;
}
