/* SPDX-License-Identifier: BSD-3-Clause */
/* What the documentation promises about threads. Plain C, because Criterion does not start under ThreadSanitizer, in
 * whose build this program means most. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "clockwork.h"
#include "tap.h"

#define THREADS 8
#include "in_threads.h"

static struct perfpred_context *context;
static struct perfpred_models *models;
static struct perfpred_program *program;
static struct perfpred_plan *plan;

/* Median time for n = 8, 16, ..., 96 and the best block size of each, added up: the same in every thread. */
static double sum_of_plan(const struct perfpred_plan *of) {
  static const struct perfpred_range range = { 8, 32, 8 };
  double sum = 0.0;
  for (int64_t n = 8; n <= 96; n += 8) {
    const int64_t values[] = { n, 16 };
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
    struct perfpred_error error;
    if (perfpred_plan_predict(of, values, 2, &prediction, &error) ||
        perfpred_plan_tune(of, 1, &range, values, 2, &tuning, &error))
      return -1.0;
    sum += prediction.time_s.med + (double)tuning.best;
  }
  return sum;
}

static void *share_plan(void *data) {
  const double expected = *(const double *)data;
  for (int i = 0; i < 50; i++)
    if (sum_of_plan(plan) != expected)
      return data;
  return NULL;
}

static void *share_failures(void *data) {
  static const int64_t values[] = { 1 << 20, 16 };
  for (int i = 0; i < 200; i++) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    struct perfpred_error error;
    if (perfpred_plan_predict(plan, values, 2, &prediction, &error) != PERFPRED_OUT_OF_DOMAIN ||
        error.status != PERFPRED_OUT_OF_DOMAIN || !error.text[0])
      return data;
  }
  return NULL;
}

static void *count_references(void *data) {
  for (int i = 0; i < 2000; i++) {
    struct perfpred_models *more = perfpred_models_ref(models);
    struct perfpred_program *again = perfpred_program_ref(program);
    struct perfpred_plan *own = NULL;
    if (more != models || again != program)
      return data;
    if (i % 100 == 0 && perfpred_plan_create(again, more, NULL, &own, NULL))
      return data;
    perfpred_program_unref(again);
    perfpred_models_unref(more);
    perfpred_plan_destroy(own);
  }
  return NULL;
}

static void *read_context(void *data) {
  for (int i = 0; i < 100; i++) {
    const struct perfpred_kernel *kernel = NULL;
    struct perfpred_program *found = NULL;
    double flops = 0.0;
    if (perfpred_kernel_find(context, "dtrsm", &kernel, NULL) ||
        perfpred_program_find(context, "chol-l-1", &found, NULL) ||
        perfpred_kernel_flops(context, "dtrsm(R, L, T, N, 100, 10, 1)", &flops, NULL))
      return data;
    perfpred_program_unref(found);
    if (flops != 10000.0) /* m n^2 */
      return data;
  }
  return NULL;
}

/* A thread with everything of its own: context, models, their text, models from that text, a plan. */
static void *own_world(void *data) {
  const double expected = *(const double *)data;
  struct perfpred_load_options force = PERFPRED_LOAD_OPTIONS_INIT;
  struct perfpred_context *own = NULL;
  struct perfpred_models *made = NULL, *loaded = NULL;
  struct perfpred_program *found = NULL;
  struct perfpred_plan *planned = NULL;
  char *text = NULL;
  struct perfpred_error error;
  force.force = 1;
  enum perfpred_status status = perfpred_context_create(&own, &error);
  if (!status)
    status = clockwork_models(own, "chol-l-3", &made, &error);
  if (!status)
    status = perfpred_models_print(made, &text, &error);
  if (!status)
    status = perfpred_models_load_memory(own, text, strlen(text), "own", &force, &loaded, &error);
  if (!status)
    status = perfpred_program_find(own, "chol-l-3", &found, &error);
  if (!status)
    status = perfpred_plan_create(found, loaded, NULL, &planned, &error);
  perfpred_context_destroy(own); /* what was made from it stays valid */
  const bool well = !status && sum_of_plan(planned) == expected;
  perfpred_plan_destroy(planned);
  perfpred_program_unref(found);
  perfpred_models_unref(loaded);
  perfpred_models_unref(made);
  perfpred_free(text);
  return well ? NULL : data;
}

/* The same models as if they were made on two threads, which is all that tells the two plans apart. */
static enum perfpred_status plan_of_two_threads(struct perfpred_plan **planned, struct perfpred_error *error) {
  static const char one[] = "\"threads\": 1";
  struct perfpred_models *loaded = NULL;
  char *text = NULL;
  enum perfpred_status status = perfpred_models_print(models, &text, error);
  char *place = text ? strstr(text, one) : NULL;
  if (place) {
    place[strlen(one) - 1] = '2';
    status = perfpred_models_load_memory(context, text, strlen(text), "two", NULL, &loaded, error);
  }
  if (loaded)
    status = perfpred_plan_create(program, loaded, NULL, planned, error);
  perfpred_models_unref(loaded);
  perfpred_free(text);
  return status;
}

static struct perfpred_plan *of_two; /* threads */
static atomic_int turn;

/* C21: every thread has a limit of its own, and the answer that is right for that. Of equal times the first plan wins. */
static void *ask_with_limits(void *data) {
  static const struct perfpred_range ranges[] = { { 8, 32, 8 }, { 8, 32, 8 } };
  const struct perfpred_plan *const both[] = { of_two, plan };
  const int limits[] = { 0, 1, 2 }, answers[] = { 2, 1, 2 };
  const int mine = atomic_fetch_add(&turn, 1) % 3;
  for (int i = 0; i < 100; i++) {
    const int64_t values[] = { 8 + i % 80, 0 };
    struct perfpred_choose_options options = PERFPRED_CHOOSE_OPTIONS_INIT;
    struct perfpred_choice choice = PERFPRED_CHOICE_INIT;
    options.thread_limit = limits[mine];
    if (perfpred_choose(both, 2, 1, ranges, values, 2, &options, &choice, NULL) != PERFPRED_OK ||
        choice.threads != answers[mine])
      return data;
  }
  return NULL;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = clockwork_models(context, "chol-l-3", &models, &error);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &program, &error);
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &plan, &error);
  if (!status)
    status = plan_of_two_threads(&of_two, &error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", error.text);
  if (!status) {
    double expected = sum_of_plan(plan);
    tap_case(&tap, expected > 0.0, "one thread");
    tap_case(&tap, in_threads(share_plan, &expected), "eight threads use one plan");
    tap_case(&tap, in_threads(share_failures, &expected), "eight threads fail on one plan, each with its text");
    tap_case(&tap, in_threads(read_context, &expected), "eight threads read one context");
    tap_case(&tap, in_threads(count_references, &expected), "eight threads take and give references");
    tap_case(&tap, sum_of_plan(plan) == expected, "and the plan is as before");
    tap_case(&tap, in_threads(own_world, &expected), "eight threads with a context each");
    tap_case(&tap, of_two && in_threads(ask_with_limits, &expected), "eight threads ask with limits of their own");
  }
  perfpred_plan_destroy(of_two);
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
