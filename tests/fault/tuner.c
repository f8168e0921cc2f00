/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuners without memory, batches and tuners that take none, and algorithms that are read late. */
#include <stdlib.h>
#include <string.h>

#include "clockwork.h"
#include "fault.h"

static struct perfpred_context *context;
static struct perfpred_models *models; /* of chol-l-3 */
static const char *const names[] = { "chol-l-3", "chol-l", "dgetrf" };

static char sentinel; /* its address stands in out-pointers before a call */

static enum perfpred_status create(struct perfpred_error *error) {
  struct perfpred_tuner *tuner = (struct perfpred_tuner *)(void *)&sentinel;
  struct perfpred_tuner_options options = PERFPRED_TUNER_OPTIONS_INIT;
  options.answers = 16;
  const enum perfpred_status status = perfpred_tuner_create(context, models, names, 3, &options, &tuner, error);
  if (!status)
    perfpred_tuner_destroy(tuner);
  else if (tuner != (void *)&sentinel)
    fault_touched("tuner");
  return status;
}

/* The first algorithm of a text that nobody has asked for, which calls such of other texts. */
static enum perfpred_status read_late(struct perfpred_error *error) {
  struct perfpred_context *own = NULL;
  struct perfpred_program *program = (struct perfpred_program *)(void *)&sentinel;
  fault_pause();
  enum perfpred_status status = perfpred_context_create(&own, error);
  fault_resume();
  if (status)
    return status;
  status = perfpred_program_find(own, "spdinv-l", &program, error);
  if (!status)
    perfpred_program_unref(program);
  else if (program != (void *)&sentinel)
    fault_touched("program");
  perfpred_context_destroy(own);
  return status;
}

/* A program that calls one that has not been read. */
static enum perfpred_status parse_late(struct perfpred_error *error) {
  static const char text[] = "algorithm mine(n, b)\n"
                             "  inout A: double spd triangle(L)[n]\n"
                             "  call chol-l-rec(n, b, A[0, 0])\n"
                             "end\n";
  struct perfpred_context *own = NULL;
  struct perfpred_program *program = (struct perfpred_program *)(void *)&sentinel;
  fault_pause();
  enum perfpred_status status = perfpred_context_create(&own, error);
  fault_resume();
  if (status)
    return status;
  status = perfpred_program_parse(own, text, strlen(text), "mine", &program, error);
  if (!status)
    perfpred_program_unref(program);
  else if (program != (void *)&sentinel)
    fault_touched("program");
  perfpred_context_destroy(own);
  return status;
}

static void check_batch(struct tap *tap) {
  static const int64_t values[] = { 64, 16, 48, 8, 1 << 20, 8 };
  struct perfpred_statistics time_s[3];
  double medians[3];
  struct perfpred_program *program = NULL;
  struct perfpred_plan *plan = NULL;
  enum perfpred_status status = perfpred_program_find(context, "chol-l-3", &program, NULL);
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &plan, NULL);
  const unsigned long before = fault_allocations();
  if (!status)
    status = perfpred_plan_evaluate(plan, values, 3, 2, medians, time_s, NULL, NULL);
  if (!status)
    status = perfpred_plan_evaluate(plan, values, 3, 2, medians, NULL, NULL, NULL);
  tap_case(tap, !status && medians[0] > medians[1] && fault_allocations() == before, "a batch allocates nothing");
  perfpred_plan_destroy(plan);
  perfpred_program_unref(program);
}

/* Known sizes, new ones, those beyond the models, a full table. */
static void check_tuner(struct tap *tap) {
  struct perfpred_tuner *tuner = NULL;
  struct perfpred_tuner_options options = PERFPRED_TUNER_OPTIONS_INIT;
  options.answers = 8;
  options.range = (struct perfpred_range){ 8, 32, 8 };
  int64_t sum = 0;
  enum perfpred_status status = perfpred_tuner_create(context, models, names, 3, &options, &tuner, NULL);
  const unsigned long before = fault_allocations();
  for (int64_t n = -1; n < 200 && !status; n++)
    for (int routine = -1; routine < 4; routine++)
      sum += perfpred_tuner_block_size(tuner, routine, &n, 1, 0, 0);
  tap_case(tap, !status && sum > 0 && fault_allocations() == before, "a tuner allocates nothing once it is made");
  perfpred_tuner_destroy(tuner);
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = clockwork_models(context, "chol-l-3", &models, &error);
  if (!status)
    status = create(&error); /* what it reads of the catalogue stays with the context */
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  if (!status) {
    fault_check(&tap, "tuner: create", create);
    fault_check(&tap, "program: find, in a text that is read for it", read_late);
    fault_check(&tap, "program: parse, with a call into a text that is read for it", parse_late);
    check_batch(&tap);
    check_tuner(&tap);
  }
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
