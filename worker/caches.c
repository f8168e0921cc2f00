/* SPDX-License-Identifier: BSD-3-Clause */
/* The caches as they are for whoever runs here now. */
#include "machine/chase.h"
#include "worker.h"

enum perfpred_status worker_caches(struct worker *worker, struct perfpred_error *error) {
  struct ppi_machine machine;
  struct ppi_curve curve;
  double limit_s = ppi_wire_get_f64(&worker->in);
  if (worker->in.bad || !(limit_s > 0.0))
    return worker_unreadable(error);
  ppi_machine_here(&machine);
  enum perfpred_status status = ppi_chase_measure(&machine, limit_s, &curve, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
  ppi_put_curve(&worker->out, &curve);
  return PERFPRED_OK;
}
