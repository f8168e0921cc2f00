/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations fail in turn while samples come from a set, and from a source behind it. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "fault.h"
#include "kernel/registry.h"
#include "model/samples.h"

#define CALLS 80 /* enough for the set to grow */

static struct perfpred_context *context;

static double now(void *data) {
  (void)data;
  return 0.0;
}

/* Each call takes as many seconds as its size. */
static enum perfpred_status measure(void *data, const struct ppi_request *requests, size_t count,
                                    const struct ppi_sampling *sampling, struct ppi_result *results,
                                    struct perfpred_error *error) {
  const size_t repetitions = (size_t)sampling->repetitions;
  (void)data;
  for (size_t i = 0; i < count; i++) {
    results[i] = (struct ppi_result){ .residual = NAN };
    results[i].times_s = malloc(repetitions * sizeof(double));
    if (!results[i].times_s) {
      for (size_t k = 0; k < i; k++)
        free(results[k].times_s);
      return ppi_error_memory(error);
    }
    for (results[i].count = 0; results[i].count < repetitions; results[i].count++)
      results[i].times_s[results[i].count] = (double)requests[i].values[requests[i].kernel->sizes[0]].i;
    results[i].measure_s = 1.0;
  }
  return PERFPRED_OK;
}

/* Two rounds: the first one is measured, half of the second is there already. */
static enum perfpred_status replay(struct perfpred_error *error) {
  static struct ppi_value values[CALLS][PPI_ARG_MAX];
  struct ppi_request requests[CALLS];
  struct ppi_result results[CALLS];
  struct ppi_samples samples = { 0 };
  struct ppi_source behind = { measure, NULL, now, NULL }, source;
  struct ppi_replay replaying = { .samples = &samples, .behind = &behind, .batch_s = 1e-3 };
  struct ppi_sampling sampling = { .repetitions = 2 };
  fault_pause();
  const struct perfpred_kernel *kernel = ppi_kernels_find(context->kernels, "dpotrf2");
  fault_resume();
  for (int i = 0; i < CALLS; i++) {
    values[i][kernel->sizes[0]].i = i % (CALLS / 2) + 1 + (i < CALLS / 2 ? 0 : CALLS / 2);
    values[i][0].i = 'L';
    requests[i] = (struct ppi_request){ kernel, values[i], 8 };
  }
  ppi_replay_source(&replaying, &source);
  enum perfpred_status status = PERFPRED_OK;
  for (size_t count = CALLS / 2; !status && count <= CALLS; count += CALLS / 2) {
    replaying.used_count = count > CALLS / 2 ? 0 : replaying.used_count; /* hands them out again */
    status = source.sample(source.data, requests, count, &sampling, results, error);
    for (size_t i = 0; !status && i < count; i++)
      free(results[i].times_s);
  }
  if (!status && samples.count != CALLS)
    fault_touched("the set");
  ppi_replay_release(&replaying);
  ppi_samples_release(&samples);
  return status;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  enum perfpred_status status = perfpred_context_create(&context, &error);
  tap_case(&tap, !status && ppi_kernels_find(context->kernels, "dpotrf2"), "set up"); /* read here, and kept */
  if (!status)
    fault_check(&tap, "samples from a set and from behind it", replay);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
