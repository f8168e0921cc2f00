/* SPDX-License-Identifier: BSD-3-Clause */
/* Timings, replays, models of states and the caches, where memory fails. */
#include <math.h>
#include <string.h>

#include "fault.h"

static struct perfpred_context *context; /* made once, as is all that the scenarios only read */
static struct perfpred_program *program;
static struct perfpred_sampler *sampler;

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-6 + 1e-10 * call->flops * (call->state == PERFPRED_STATE_OUT ? 2.0 : 1.0);
}

static const char text[] = "perfpred-text 1\n"
                           "algorithm framed(n, b)\n"
                           "  inout A: double matrix[n, n]\n"
                           "  dsyrk(L, N, 8, 8, 1, A[0, 0], 1, A[8, 8])\n"
                           "  for i in 0:n by b as w\n"
                           "    dgemm(N, N, n, w, n, 1, A[0, 0], A[0, i], 1, A[0, i])\n"
                           "  end\n"
                           "end\n";
static const int64_t parameters[] = { 32, 8 };

static enum perfpred_status time_calls(struct perfpred_error *error) {
  double times_s[5] = { -1.0, -1.0, -1.0, -1.0, -1.0 };
  size_t count = 77;
  enum perfpred_status status =
      perfpred_measure_calls(sampler, program, parameters, 2, NULL, 1, times_s, 5, &count, error);
  if (status ? count != 77 : count != 5)
    fault_touched("call_count");
  return status;
}

static enum perfpred_status compare_timings(struct perfpred_error *error) {
  struct perfpred_timings_options options = PERFPRED_TIMINGS_OPTIONS_INIT;
  char *untouched = (char *)&context, *json = untouched;
  options.repetitions = 1;
  options.detail = 1;
  enum perfpred_status status = perfpred_timings(sampler, program, parameters, 2, &options, &json, error);
  if (status && json != untouched)
    fault_touched("json");
  perfpred_free(status ? NULL : json);
  return status;
}

static enum perfpred_status replay(struct perfpred_error *error) {
  struct perfpred_replay_options options = PERFPRED_REPLAY_OPTIONS_INIT;
  struct perfpred_replayed replayed = PERFPRED_REPLAYED_INIT;
  options.steps = 2;
  options.repetitions = 1;
  options.mode = PERFPRED_REPLAY_TOUCH; /* with an emulation of the caches */
  enum perfpred_status status = perfpred_replay(sampler, program, parameters, 2, &options, &replayed, error);
  if (status && replayed.steps != 0)
    fault_touched("replayed");
  return status;
}

static enum perfpred_status find_caches(struct perfpred_error *error) {
  struct perfpred_sampler *local = NULL;
  size_t count = 77;
  char *untouched = (char *)&context, *json = untouched;
  enum perfpred_status status = perfpred_sampler_create_local(context, NULL, &local, error);
  if (!status)
    status = perfpred_measure_caches(local, 1e-3, NULL, 0, &count, &json, error);
  if (status && (json != untouched || count != 77))
    fault_touched("caches");
  perfpred_free(status ? NULL : json);
  perfpred_sampler_destroy(local);
  return status;
}

static enum perfpred_status prepare(struct perfpred_error *error) {
  enum perfpred_status status = perfpred_context_create(&context, error);
  if (!status)
    status = perfpred_program_parse(context, text, strlen(text), "test", &program, error);
  if (!status)
    status = perfpred_sampler_create_virtual(context, cost, NULL, NULL, &sampler, error);
  return status ? status : time_calls(error); /* the tally of the clock does not grow any more then */
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  enum perfpred_status status = prepare(&error);
  tap_case(&tap, status == PERFPRED_OK, "set up");
  if (!status) {
    fault_check(&tap, "calls of an execution", time_calls);
    fault_check(&tap, "timings alone and in the algorithm", compare_timings);
    fault_check(&tap, "steps without models", replay);
    fault_check(&tap, "the caches as they are", find_caches);
  }
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
