/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of Apex-MAP. */
#include <stdlib.h>

#include "worker.h"

static enum perfpred_status run(struct worker *worker, const struct ppi_apex_batch *batch,
                                const struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct ppi_apex_report report = { .results = calloc(batch->count, sizeof *report.results) };
  if (!report.results)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_core_apex(worker->core, batch, sampling, &report, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_put_apex_report(&worker->out, &report, batch->count);
    ppi_apex_results_free(report.results, batch->count);
  }
  free(report.results);
  return worker_outcome(worker, status, error);
}

enum perfpred_status worker_apex(struct worker *worker, struct perfpred_error *error) {
  struct ppi_sampling sampling;
  struct ppi_apex_batch batch = { .count = 0 };
  enum perfpred_status status = worker_read_head(worker, &sampling, &batch.count, error);
  if (status != PERFPRED_OK)
    return status;
  if (batch.count == 0)
    return worker_unreadable(error);
  struct ppi_apex_run *runs = calloc(batch.count, sizeof *runs);
  if (!runs)
    return ppi_error_memory(error);
  ppi_get_apex_batch(&worker->in, &batch, runs);
  status = worker->in.bad ? worker_unreadable(error) : run(worker, &batch, &sampling, error);
  free(runs);
  return status;
}
