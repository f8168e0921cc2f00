/* SPDX-License-Identifier: BSD-3-Clause */
/* Members that the reports of Apex-MAP have in common. */
#include <stdlib.h>

#include "api/apex.h"

void ppi_apex_put_head(struct ppi_json_out *out, const char *kind) {
  ppi_json_begin(out);
  ppi_json_put_string(out, "report", kind);
  ppi_json_put_integer(out, "version", PPI_APEX_VERSION);
  ppi_json_put_string(out, "library", perfpred_version());
}

void ppi_apex_put_place(struct ppi_json_out *out, const struct ppi_apex_points *points) {
  ppi_json_put_string(out, "cpu", points->cpu);
  ppi_json_put_string(out, "instruction_set", points->instruction_set);
  ppi_json_put_integer(out, "threads", points->threads);
  ppi_json_put_real(out, "clock_hz", points->clock_hz);
  ppi_json_put_real(out, "cache_bytes", points->cache.bytes);
  ppi_json_put_real(out, "line_bytes", points->cache.line_bytes);
}

void ppi_apex_put_run(struct ppi_json_out *out, const struct ppi_apex_run *run) {
  char name[PPI_APEX_NAME_MAX];
  ppi_apex_name(run, name);
  ppi_json_put_string(out, "run", name);
}

void ppi_apex_put_cover(struct ppi_json_out *out, const struct ppi_apex_cover *cover) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_real(&object, "covered", cover->covered);
  ppi_json_put_real(&object, "reachable", cover->reachable);
  ppi_json_put_real(&object, "covered_of_reachable",
                    cover->reachable > 0.0 ? cover->covered_reachable / cover->reachable : 0.0);
  ppi_json_put_real(&object, "represented", cover->represented);
  ppi_json_put_object(out, "coverage", &object);
}

enum perfpred_status ppi_apex_finish(struct ppi_json_out *out, enum perfpred_status status, char **json,
                                     struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_json_end(out, &text);
  char *taken = ppi_text_take(&text);
  if (status == PERFPRED_OK && taken == NULL)
    status = ppi_error_memory(error);
  if (status == PERFPRED_OK)
    *json = taken;
  else
    free(taken);
  return status;
}
