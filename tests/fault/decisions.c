/* SPDX-License-Identifier: BSD-3-Clause */
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "clockwork.h"
#include "fault.h"

static struct perfpred_context *context;
static struct perfpred_models *models;       /* of dpotrf */
static struct perfpred_decisions *decisions; /* of them */
static char path[] = "perfpred-fault-XXXXXX";

static char sentinel;
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

static void *result(enum perfpred_status status, void *pointer, const char *what) {
  if (!status)
    return pointer;
  if (pointer != (void *)&sentinel)
    fault_touched(what);
  return NULL;
}

static enum perfpred_status decide(struct perfpred_error *error) {
  struct perfpred_decide_options options = PERFPRED_DECIDE_OPTIONS_INIT;
  struct perfpred_decisions *made = UNTOUCHED(struct perfpred_decisions);
  options.routines = "DPOTRF";
  options.growth = 2.0;
  options.b_upper = 32;
  const enum perfpred_status status = perfpred_decide(context, models, &options, &made, error);
  perfpred_decisions_destroy(result(status, made, "decisions"));
  return status;
}

static enum perfpred_status load(struct perfpred_error *error) {
  struct perfpred_decisions *made = UNTOUCHED(struct perfpred_decisions);
  const enum perfpred_status status = perfpred_decisions_load(path, &made, error);
  perfpred_decisions_destroy(result(status, made, "decisions"));
  return status;
}

static enum perfpred_status print(struct perfpred_error *error) {
  char *text = UNTOUCHED(char);
  const enum perfpred_status status = perfpred_decisions_print(decisions, &text, error);
  perfpred_free(result(status, text, "json"));
  return status;
}

static enum perfpred_status print_c(struct perfpred_error *error) {
  char *text = UNTOUCHED(char);
  const enum perfpred_status status = perfpred_decisions_print_c(decisions, "mine", &text, error);
  perfpred_free(result(status, text, "text"));
  return status;
}

static enum perfpred_status run_test(struct perfpred_error *error) {
  struct perfpred_decisions *made = UNTOUCHED(struct perfpred_decisions);
  struct perfpred_decisions_tested report = PERFPRED_DECISIONS_TEST_INIT;
  struct perfpred_sampler *sampler = NULL;
  enum perfpred_status status = perfpred_sampler_create_virtual(context, clockwork_cost, NULL, NULL, &sampler, error);
  if (!status)
    status = perfpred_decisions_test(context, sampler, decisions, 1, 64, NULL, &made, &report, error);
  perfpred_sampler_destroy(sampler);
  perfpred_decisions_destroy(result(status, made, "decisions"));
  return status;
}

/* An answer has to be had where there is no memory, too. */
static void check_look_up(struct tap *tap) {
  struct perfpred_decision decision = PERFPRED_DECISION_INIT;
  static const int64_t n[] = { 64 };
  const unsigned long before = fault_allocations();
  const enum perfpred_status status = perfpred_decisions_look_up(decisions, "DPOTRF", "L", n, 1, &decision, NULL);
  tap_case(tap, !status && decision.nb > 0 && fault_allocations() == before,
           "perfpred_decisions_look_up allocates nothing");
}

static const struct {
  const char *name;
  fault_scenario *run;
} scenarios[] = {
  { "decisions: decide", decide }, { "decisions: test", run_test },      { "decisions: load", load },
  { "decisions: print", print },   { "decisions: print as C", print_c },
};

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  json_set_alloc_funcs(malloc, free);
  const int file = mkstemp(path);
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = clockwork_models(context, "dpotrf", &models, &error);
  if (!status)
    status = perfpred_decide(context, models, NULL, &decisions, &error);
  if (!status)
    status = perfpred_decisions_save(decisions, path, &error);
  tap_case(&tap, file >= 0 && !status, "decisions to begin with");
  for (size_t i = 0; !status && i < sizeof scenarios / sizeof scenarios[0]; i++)
    fault_check(&tap, scenarios[i].name, scenarios[i].run);
  if (!status)
    check_look_up(&tap);
  perfpred_decisions_destroy(decisions);
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
  unlink(path);
  close(file);
  return tap_finish(&tap);
}
