/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_runoff.h"

#include <math.h>

#define LATE 4.0 /* times as long as predicted: then an execution is given up */
#define FEWEST 3 /* samples that tell something: one alone may have been disturbed */

size_t ppi_contraction_runoff_fit(const struct ppi_contraction_pricing *pricing, const size_t *entries, size_t count,
                                  double seconds) {
  double sum = 0.0;
  size_t fit = 0;
  for (; fit < count; fit++) {
    sum += (PPI_RUNOFF_RUNS + 1) * pricing->candidates->entries[entries[fit]].time_s.med;
    if (!(sum <= seconds))
      break;
  }
  return fit;
}

static enum perfpred_status add(const struct ppi_contraction_pricing *pricing, struct ppi_contraction_batch *batch,
                                const struct ppi_contraction_entry *entry, struct perfpred_error *error) {
  struct ppi_tour_request request = { .subject = PPI_TOUR_WHOLE,
                                      .repetitions = PPI_RUNOFF_RUNS,
                                      .limit_s = LATE * (PPI_RUNOFF_RUNS + 1) * entry->time_s.med };
  size_t place = 0;
  enum perfpred_status status =
      ppi_contraction_batch_tour(batch, pricing->kernels, batch->contraction, &entry->algorithm, &request.tour, error);
  return status ? status : ppi_contraction_batch_request(batch, &request, &place, error);
}

enum perfpred_status ppi_contraction_runoff(struct ppi_contraction_pricing *pricing, const size_t *entries,
                                            size_t count, struct perfpred_error *error) {
  struct ppi_contraction_candidates *candidates = pricing->candidates;
  struct ppi_contraction_batch batch = { .contraction = &candidates->contraction };
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = add(pricing, &batch, &candidates->entries[entries[i]], error);
  if (!status && count > 0)
    status = ppi_contraction_batch_run(&batch, pricing->sampler, &pricing->sampling, error);
  for (size_t i = 0; i < count && !status; i++) {
    struct ppi_contraction_entry *entry = &candidates->entries[entries[i]];
    struct perfpred_statistics time_s;
    ppi_contraction_batch_time(&batch, i, &time_s);
    if (isnan(time_s.med) || batch.results[i].timing.count < FEWEST)
      continue;
    entry->time_s = time_s;
    entry->source = PERFPRED_CONTRACTION_EXECUTED;
    pricing->benchmarks++;
  }
  ppi_contraction_batch_free(&batch);
  return status;
}
