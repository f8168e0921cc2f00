/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of Apex-MAP between the library and the worker. */
#include <stdio.h>

#include "measure/protocol.h"

void ppi_put_apex_batch(struct ppi_wire *wire, const struct ppi_apex_batch *batch) {
  ppi_wire_put_string(wire, batch->instruction_set);
  ppi_wire_put_i64(wire, batch->threads);
  ppi_wire_put_i64(wire, batch->warm_bytes);
  for (size_t i = 0; i < batch->count; i++) {
    const struct ppi_apex_run *run = &batch->runs[i];
    const int64_t numbers[] = { run->kind, run->m, run->s, run->l, run->i, run->c, run->every };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
      ppi_wire_put_i64(wire, numbers[k]);
    ppi_wire_put_f64(wire, run->alpha);
  }
}

void ppi_get_apex_batch(struct ppi_wire *wire, struct ppi_apex_batch *batch, struct ppi_apex_run *runs) {
  snprintf(batch->instruction_set, sizeof batch->instruction_set, "%s", ppi_wire_get_string(wire));
  int64_t threads = ppi_wire_get_i64(wire);
  batch->warm_bytes = ppi_wire_get_i64(wire);
  if (threads < 1 || threads > PPI_APEX_THREADS_MAX)
    wire->bad = true;
  batch->threads = wire->bad ? 1 : (int)threads;
  for (size_t i = 0; i < batch->count && !wire->bad; i++) {
    struct ppi_apex_run *run = &runs[i];
    run->kind = ppi_wire_get_i64(wire) == PPI_APEX_STRIDED ? PPI_APEX_STRIDED : PPI_APEX_RANDOM;
    int64_t *const numbers[] = { &run->m, &run->s, &run->l, &run->i, &run->c, &run->every };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
      *numbers[k] = ppi_wire_get_i64(wire);
    run->alpha = ppi_wire_get_f64(wire);
    if (!wire->bad && ppi_apex_check(run, NULL) != PERFPRED_OK)
      wire->bad = true;
  }
  batch->runs = runs;
}

void ppi_put_watch(struct ppi_wire *wire, const struct ppi_watch *watch) {
  ppi_wire_put_i64(wire, watch->pid);
  ppi_wire_put_f64(wire, watch->interval_s);
  ppi_wire_put_f64(wire, watch->duration_s);
  for (int i = 0; i < PPI_APEX_EVENTS; i++)
    ppi_wire_put_string(wire, watch->events[i]);
}

void ppi_get_watch(struct ppi_wire *wire, struct ppi_watch *watch) {
  watch->pid = ppi_wire_get_i64(wire);
  watch->interval_s = ppi_wire_get_f64(wire);
  watch->duration_s = ppi_wire_get_f64(wire);
  for (int i = 0; i < PPI_APEX_EVENTS; i++)
    snprintf(watch->events[i], sizeof watch->events[i], "%s", ppi_wire_get_string(wire));
  if (watch->pid < 1 || !(watch->interval_s >= 1e-3 && watch->interval_s <= 3600.0) || !(watch->duration_s >= 0.0))
    wire->bad = true;
}

void ppi_put_apex_report(struct ppi_wire *wire, const struct ppi_apex_report *report, size_t count) {
  ppi_wire_put_f64(wire, report->clock_hz);
  ppi_wire_put_string(wire, report->instruction_set);
  ppi_wire_put_string(wire, report->note);
  for (size_t i = 0; i < count; i++) {
    ppi_put_results(wire, &report->results[i].timing, 1);
    for (int event = 0; event < PPI_APEX_EVENTS; event++)
      ppi_wire_put_i64(wire, report->results[i].counts[event]);
  }
}

enum perfpred_status ppi_get_apex_report(struct ppi_wire *wire, struct ppi_apex_report *report, size_t count,
                                         struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  size_t i;
  report->clock_hz = ppi_wire_get_f64(wire);
  snprintf(report->instruction_set, sizeof report->instruction_set, "%s", ppi_wire_get_string(wire));
  snprintf(report->note, sizeof report->note, "%s", ppi_wire_get_string(wire));
  for (i = 0; i < count && status == PERFPRED_OK; i++) {
    status = ppi_get_results(wire, &report->results[i].timing, 1, error);
    for (int event = 0; event < PPI_APEX_EVENTS && status == PERFPRED_OK; event++)
      report->results[i].counts[event] = ppi_wire_get_i64(wire);
  }
  if (status != PERFPRED_OK)
    i--; /* the last one holds nothing */
  else if (wire->bad)
    status = ppi_error_set(error, PERFPRED_WORKER, "the worker sent a report that cannot be read");
  if (status != PERFPRED_OK)
    ppi_apex_results_free(report->results, i);
  return status;
}
