/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours. */
#include <stdlib.h>

#include "worker.h"

static enum perfpred_status run(struct worker *worker, const struct ppi_tour_batch *batch,
                                const struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct ppi_tour_result *results = calloc(batch->request_count, sizeof *results);
  if (!results)
    return ppi_error_memory(error);
  enum perfpred_status status = ppi_core_tour(worker->core, batch, sampling, results, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_put_tour_results(&worker->out, results, batch->request_count);
    ppi_tour_results_free(results, batch->request_count);
  }
  free(results);
  return worker_outcome(worker, status, error);
}

enum perfpred_status worker_tour(struct worker *worker, struct perfpred_error *error) {
  struct ppi_sampling sampling;
  struct ppi_tour_parcel parcel;
  size_t count = 0;
  enum perfpred_status status = worker_read_head(worker, &sampling, &count, error);
  if (status == PERFPRED_OK && count == 0)
    status = worker_unreadable(error);
  if (status == PERFPRED_OK && !worker->kernels)
    status = ppi_kernels_create(&worker->kernels, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_get_tour_batch(&worker->in, worker->kernels, count, &parcel, error);
  if (status == PERFPRED_OK)
    status = run(worker, &parcel.batch, &sampling, error);
  ppi_tour_parcel_free(&parcel);
  return status;
}
