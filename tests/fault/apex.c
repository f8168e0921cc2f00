/* SPDX-License-Identifier: BSD-3-Clause */
/* Apex-MAP without memory: runs on a virtual clock and here, weights, predictions. */
#include <string.h>

#include "fault.h"
#include "measure/core.h"

static struct perfpred_context *context;
static struct perfpred_sampler *virtual_clock;
static char sentinel; /* its address stands in out-pointers before a call */

static const char mix[] = "time_s,call\n1,\"dgemm(N,N,100,100,100,1,0)\"\n";
static const struct perfpred_apex_text samples = { mix, sizeof mix - 1, "mix" };
static const char runs[] = "strided M=100000 S=8 C=0\nrandom M=600000 L=8 alpha=0.5 C=1 I=5\n";

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-9 * call->flops;
}

static struct perfpred_apex_options options_of(const char *text) {
  struct perfpred_apex_options options = PERFPRED_APEX_OPTIONS_INIT;
  options.runs = text;
  options.cache_bytes =
      32; /* less than a line: nothing has to be added up for hundreds of runs that may be aimed with */
  options.repetitions = 1;
  options.runs_max = 8;
  options.threshold = -1.0;
  return options;
}

static enum perfpred_status chain(struct perfpred_error *error) {
  char *points = &sentinel, *mixed = &sentinel, *prediction = &sentinel;
  const struct perfpred_apex_options options = options_of(runs);
  enum perfpred_status status = perfpred_apex_points(context, virtual_clock, &samples, &options, &points, error);
  if (status) {
    if (points != &sentinel)
      fault_touched("points");
    return status;
  }
  const struct perfpred_apex_text places = { points, strlen(points), "points" };
  status = perfpred_apex_weights(context, &samples, &places, &options, &mixed, error);
  if (!status) {
    const struct perfpred_apex_text heavy = { mixed, strlen(mixed), "weights" };
    status = perfpred_apex_predict(context, &heavy, &places, &samples, &prediction, error);
    if (!status)
      perfpred_free(prediction);
    else if (prediction != &sentinel)
      fault_touched("prediction");
    perfpred_free(mixed);
  } else if (mixed != &sentinel)
    fault_touched("weights");
  perfpred_free(points);
  return status;
}

/* With a cache, whose lines are added up. */
static enum perfpred_status place(struct perfpred_error *error) {
  char *points = &sentinel;
  struct perfpred_apex_options options = options_of(runs);
  options.cache_bytes = 4096;
  enum perfpred_status status = perfpred_apex_points(context, virtual_clock, NULL, &options, &points, error);
  if (!status)
    perfpred_free(points);
  else if (points != &sentinel)
    fault_touched("points");
  return status;
}

static enum perfpred_status measure(struct perfpred_error *error) {
  static const struct ppi_apex_run list[] = { { .kind = PPI_APEX_RANDOM, .m = 1000, .l = 4, .i = 5, .alpha = 0.5 } };
  const struct ppi_core_options options = { .threads = 2 };
  const struct ppi_apex_batch batch = { .runs = list, .count = 1, .threads = 2 };
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0 };
  struct ppi_apex_result result;
  struct ppi_apex_report report = { .results = &result };
  struct ppi_core *core = NULL;
  enum perfpred_status status = ppi_core_create(&options, &core, error);
  if (!status)
    status = ppi_core_apex(core, &batch, &sampling, &report, error);
  if (!status)
    ppi_apex_results_free(&result, 1);
  ppi_core_destroy(core);
  return status;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_sampler_create_virtual(context, cost, NULL, NULL, &virtual_clock, &error);
  if (!status)
    status = chain(&error); /* what it reads of the catalogue stays with the context */
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  if (!status) {
    fault_check(&tap, "apex: points, weights, prediction", chain);
    fault_check(&tap, "apex: points", place);
    fault_check(&tap, "apex: runs on two threads", measure);
  }
  perfpred_sampler_destroy(virtual_clock);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
