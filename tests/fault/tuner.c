/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuners without memory, batches and tuners that take none, and algorithms that are read late. */
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* --- Without system calls ---------------------------------------------------------------------------------------------- */

static struct perfpred_tuner *sealed_tuner;
static struct perfpred_plan *sealed_plan;

enum { WELL, WRONG, UNSEALED, KILLED };

/* Runs it in a child that is killed at its first system call but read, write and exit. */
static int run_sealed(bool (*work)(void)) {
  int state = 0;
  const pid_t child = fork();
  if (child == 0) {
    int code = UNSEALED;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0)
      code = work() ? WELL : WRONG;
    syscall(SYS_exit, code); /* _exit() ends all threads, by another call */
  }
  if (child < 0 || waitpid(child, &state, 0) != child)
    return UNSEALED;
  return WIFSIGNALED(state) ? KILLED : WEXITSTATUS(state);
}

static bool call_the_system(void) {
  return syscall(SYS_getppid) > 0;
}

/* Answers that are new and such that are kept, of one thread and of any, beyond the models, for routines that there are not. */
static bool ask_tuner(void) {
  const unsigned long before = fault_allocations();
  int64_t sum = 0;
  for (int64_t n = -1; n < 200; n++)
    for (int routine = -1; routine < 4; routine++) {
      struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
      sum += perfpred_tuner_block_size(sealed_tuner, routine, &n, 1, routine, 0);
      if (perfpred_tuner_ask(sealed_tuner, routine, &n, 1, 0, &answer) == PERFPRED_OK)
        sum += answer.value;
    }
  return sum > 0 && fault_allocations() == before;
}

static bool evaluate_plan(void) {
  static const int64_t values[] = { 64, 16, 48, 8, 1 << 20, 8 };
  static const struct perfpred_range range = { 8, 32, 8 };
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  struct perfpred_statistics time_s[3];
  struct perfpred_error error;
  double medians[3];
  const unsigned long before = fault_allocations();
  return perfpred_plan_predict(sealed_plan, values, 2, &prediction, &error) == PERFPRED_OK &&
         perfpred_plan_predict(sealed_plan, values + 4, 2, &prediction, &error) == PERFPRED_OUT_OF_DOMAIN &&
         error.text[0] != '\0' &&
         perfpred_plan_tune(sealed_plan, 1, &range, values, 2, &tuning, &error) == PERFPRED_OK && tuning.best >= 8 &&
         perfpred_plan_evaluate(sealed_plan, values, 2, 2, medians, time_s, NULL, &error) == PERFPRED_OK &&
         medians[0] == prediction.time_s.med && fault_allocations() == before;
}

/* Under a sanitizer functions make calls of its own. */
static void check_sealed(struct tap *tap) {
#ifdef __SANITIZE_ADDRESS__
  const int control = UNSEALED;
#else
  const int control = run_sealed(call_the_system);
#endif
  const char *skip = control == UNSEALED ? " # SKIP no calls can be forbidden here" : "";
  struct perfpred_tuner_options options = PERFPRED_TUNER_OPTIONS_INIT;
  struct perfpred_program *program = NULL;
  options.answers = 8;
  options.range = (struct perfpred_range){ 8, 32, 8 };
  enum perfpred_status status = perfpred_tuner_create(context, models, names, 3, &options, &sealed_tuner, NULL);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &program, NULL);
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &sealed_plan, NULL);
  tap_case(tap, control == KILLED || skip[0], "a system call is noticed%s", skip);
  tap_case(tap, skip[0] || (!status && run_sealed(ask_tuner) == WELL), "a tuner makes no system call%s", skip);
  tap_case(tap, skip[0] || (!status && run_sealed(evaluate_plan) == WELL), "a plan makes no system call%s", skip);
  perfpred_plan_destroy(sealed_plan);
  perfpred_tuner_destroy(sealed_tuner);
  perfpred_program_unref(program);
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
    check_sealed(&tap);
  }
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
