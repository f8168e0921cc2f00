/* SPDX-License-Identifier: BSD-3-Clause */
/* An execution, timed call by call. */
#include <stdlib.h>

#include "worker.h"

#define CALLS_MAX 10000000

static enum perfpred_status run(struct worker *worker, const struct ppi_execution *execution,
                                const struct ppi_sampling *sampling, struct perfpred_error *error) {
  int64_t count = ppi_wire_get_i64(&worker->in);
  if (worker->in.bad || count < 1 || count > CALLS_MAX)
    return worker_unreadable(error);
  struct ppi_result *results = calloc((size_t)count, sizeof *results);
  if (!results)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_core_calls(worker->core, execution, (size_t)count, sampling, results, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_put_results(&worker->out, results, (size_t)count);
    ppi_results_free(results, (size_t)count);
  }
  free(results);
  return worker_outcome(worker, status, error);
}

enum perfpred_status worker_calls(struct worker *worker, struct perfpred_error *error) {
  struct ppi_sampling sampling;
  struct ppi_execution execution = { .program = NULL };
  size_t one = 0;
  enum perfpred_status status = worker_read_head(worker, &sampling, &one, error);
  if (status == PERFPRED_OK)
    status = worker_read_execution(worker, &execution, error);
  if (status == PERFPRED_OK)
    status = run(worker, &execution, &sampling, error);
  perfpred_program_unref((struct perfpred_program *)execution.program);
  free((void *)execution.parameters);
  return status;
}
