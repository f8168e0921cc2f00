/* SPDX-License-Identifier: BSD-3-Clause */
/* One tuner for sixteen threads, models from a buffer that they share, algorithms that several threads read at once. Plain C, because
 * Criterion does not start under ThreadSanitizer, in whose build this program means most. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "clockwork.h"
#include "tap.h"

#define THREADS 16
#include "in_threads.h"
#define SIZES 96

static struct perfpred_context *context;
static struct perfpred_models *models;
static char *text; /* of the models */
static const char *const names[] = { "chol-l-3", "chol-l", "dgetrf" };

/* The same in every thread: what a tuner of its own answers. */
struct expected {
  int64_t values[2][SIZES];
  struct perfpred_tuner *tuner;
};

static enum perfpred_status tuner_of(const struct perfpred_context *of, struct perfpred_models *known, size_t answers,
                                     struct perfpred_tuner **tuner, struct perfpred_error *error) {
  struct perfpred_tuner_options options = PERFPRED_TUNER_OPTIONS_INIT;
  options.range = (struct perfpred_range){ 8, 32, 8 };
  options.answers = answers;
  return perfpred_tuner_create(of, known, names, 3, &options, tuner, error);
}

static atomic_int turn;

/* Sizes in an order that differs from thread to thread, half of them known already to others. */
static bool agrees(const struct perfpred_tuner *tuner, const struct expected *expected) {
  const int mine = atomic_fetch_add(&turn, 1) % SIZES;
  for (int64_t k = 0; k < SIZES; k++) {
    const int64_t n = 1 + (37 * k + mine) % SIZES;
    struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
    for (int routine = 0; routine < 2; routine++)
      if (perfpred_tuner_ask(tuner, routine, &n, 1, 0, &answer) != PERFPRED_OK ||
          answer.value != expected->values[routine][n - 1] || !(answer.time_s > 0.0) ||
          perfpred_tuner_block_size(tuner, routine, &n, 1, 1, -1) != answer.value)
        return false;
    if (perfpred_tuner_block_size(tuner, 2, &n, 1, 0, 64) != 64) /* without a model */
      return false;
  }
  return true;
}

static void *share_tuner(void *data) {
  const struct expected *expected = data;
  for (int i = 0; i < 20; i++)
    if (!agrees(expected->tuner, expected))
      return data;
  return NULL;
}

/* All from the same bytes, which nobody writes to. */
static void *share_buffer(void *data) {
  const struct expected *expected = data;
  struct perfpred_load_options force = PERFPRED_LOAD_OPTIONS_INIT;
  struct perfpred_models *own = NULL;
  struct perfpred_tuner *tuner = NULL;
  force.force = 1;
  enum perfpred_status status = perfpred_models_load_memory(context, text, strlen(text), "shared", &force, &own, NULL);
  if (!status)
    status = tuner_of(context, own, 0, &tuner, NULL);
  const bool well = !status && agrees(tuner, expected);
  perfpred_tuner_destroy(tuner);
  perfpred_models_unref(own);
  return well ? NULL : data;
}

/* Nobody has asked this context for an algorithm yet. */
static void *read_catalogue(void *data) {
  static const char *const wanted[] = { "spdinv-l", "dgeqrf", "chol-l-3", "sylv-rec", "dsygst" };
  const struct perfpred_context *fresh = data;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    struct perfpred_program *program = NULL, *again = NULL;
    bool well = perfpred_program_find(fresh, wanted[i], &program, NULL) == PERFPRED_OK &&
                perfpred_program_find(fresh, wanted[i], &again, NULL) == PERFPRED_OK && program == again &&
                strcmp(perfpred_program_name(program), wanted[i]) == 0;
    perfpred_program_unref(again);
    perfpred_program_unref(program);
    if (!well)
      return data;
  }
  return NULL;
}

static bool read_at_once(void) {
  struct perfpred_context *fresh = NULL;
  if (perfpred_context_create(&fresh, NULL))
    return false;
  const bool well = in_threads(read_catalogue, fresh);
  perfpred_context_destroy(fresh);
  return well;
}

/* One thread alone, a table that holds all. */
static enum perfpred_status expect(struct expected *expected, struct perfpred_error *error) {
  struct perfpred_tuner *alone = NULL;
  enum perfpred_status status = tuner_of(context, models, 0, &alone, error);
  for (int routine = 0; routine < 2 && !status; routine++)
    for (int64_t n = 1; n <= SIZES; n++)
      expected->values[routine][n - 1] = perfpred_tuner_block_size(alone, routine, &n, 1, 0, -1);
  perfpred_tuner_destroy(alone);
  return status;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct expected expected = { .tuner = NULL };
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = clockwork_models(context, "chol-l-3", &models, &error);
  if (!status)
    status = perfpred_models_print(models, &text, &error);
  if (!status)
    status = expect(&expected, &error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", error.text);
  for (size_t answers = 8; answers <= 4096 && !status; answers *= 512) {
    status = tuner_of(context, models, answers, &expected.tuner, &error);
    tap_case(&tap, !status && in_threads(share_tuner, &expected), "sixteen threads share a tuner of %zu answers",
             answers);
    perfpred_tuner_destroy(expected.tuner);
  }
  if (!status) {
    tap_case(&tap, in_threads(share_buffer, &expected), "sixteen threads load models from one buffer");
    tap_case(&tap, read_at_once(), "sixteen threads read the catalogue of one context");
  }
  perfpred_free(text);
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
