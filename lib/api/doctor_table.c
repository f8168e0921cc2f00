/* SPDX-License-Identifier: BSD-3-Clause */
/* The decision table that the override reads: whether it holds here, and what it changes. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/doctor.h"
#include "api/doctor_routines.h"
#include "store/table.h"
#include "store/table_place.h"

#define ORDERS 4
static const int64_t orders[ORDERS] = { 100, 300, 1000, 3000 };

/* As the override finds it in the environment of what is looked at; NULL: nowhere. */
static const char *find_table(const struct ppi_doctor *doctor, char usual[PATH_MAX]) {
  const char *named = ppi_doctor_variable(doctor, "PERFPRED_TABLE"),
             *data = ppi_doctor_variable(doctor, "XDG_DATA_HOME");
  if (doctor->options.table)
    return doctor->options.table;
  return ppi_table_place(named, data, ppi_doctor_variable(doctor, "HOME"), usual, PATH_MAX) ? usual : NULL;
}

/* What the table says for matrices of one order, for a routine whose question is known from trying it: its sizes then were all
   the trial's order, or a fixed number. */
static void put_effect(struct ppi_json_out *out, const struct perfpred_decisions *table,
                       const struct perfpred_decision_entry *entry, const struct ppi_routine *routine, int64_t order) {
  struct perfpred_decision decision = PERFPRED_DECISION_INIT;
  struct ppi_json_out object;
  int64_t sizes[4];
  for (int i = 0; i < 4; i++)
    sizes[i] = !routine->asks || routine->sizes[i] == PPI_ROUTINE_ORDER ? order : routine->sizes[i];
  if (perfpred_decisions_look_up(table, entry->routine, entry->options, sizes, 4, &decision, NULL) != PERFPRED_OK)
    return;
  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "n", order);
  ppi_json_put_integer(&object, "nb", decision.nb > 0 ? decision.nb : routine->answers[0]);
  ppi_json_put_integer(&object, "nb_stock", routine->answers[0]);
  ppi_json_put_integer(&object, "nx", decision.nx >= 0 ? decision.nx : routine->answers[2]);
  ppi_json_put_integer(&object, "nx_stock", routine->answers[2]);
  ppi_json_append(out, "effect", &object);
}

static void put_covered(struct ppi_json_out *out, const struct perfpred_decisions *table,
                        const struct ppi_routine *routines, size_t count) {
  ppi_json_put_empty_list(out, "covers");
  for (size_t i = 0; i < perfpred_decisions_count(table); i++) {
    struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
    struct ppi_json_out object;
    const struct ppi_routine *routine = NULL;
    if (perfpred_decisions_entry(table, i, &entry, NULL) != PERFPRED_OK)
      continue;
    for (size_t k = 0; k < count; k++)
      if (strcmp(routines[k].name, entry.routine) == 0)
        routine = &routines[k];
    ppi_json_begin(&object);
    ppi_json_put_string(&object, "routine", entry.routine);
    ppi_json_put_string(&object, "options", entry.options);
    if (routine && routine->tried)
      ppi_json_put_bool(&object, "asks", routine->asks);
    else
      ppi_json_put_null(&object, "asks");
    ppi_json_put_empty_list(&object, "effect");
    for (int n = 0; routine && n < ORDERS; n++)
      put_effect(&object, table, &entry, routine, orders[n]);
    ppi_json_append(out, "covers", &object);
  }
}

static void begin(struct ppi_finding *finding, enum ppi_severity severity, const char *title, const char *path) {
  ppi_finding_begin(finding, "table", severity, title);
  ppi_json_put_string(&finding->out, "path", path);
}

/* There is none, or none that can be read. */
static void tell_unusable(struct ppi_doctor *doctor, const char *path, enum perfpred_status status,
                          const struct perfpred_error *fault) {
  bool missing = status == PERFPRED_MISSING;
  struct ppi_finding finding;
  begin(&finding, missing ? PPI_SEVERITY_NOTE : PPI_SEVERITY_WARNING,
        missing ? "There is no decision table" : "The decision table cannot be used", path);
  ppi_finding_text(&finding, "detail", "%s", fault->text);
  ppi_finding_text(&finding, "advice",
                   "perfpred generate --for lapack makes one; until then the override answers as LAPACK");
  ppi_json_put_bool(&finding.out, "present", !missing);
  ppi_json_put_bool(&finding.out, "valid", false);
  ppi_finding_end(&finding, doctor);
}

/* The name of the CPU may be cut in the table. */
static enum perfpred_status is_made_here(const struct ppi_doctor *doctor, const struct ppi_table_header *header,
                                         bool *here) {
  struct ppi_machine *machine = calloc(1, sizeof *machine);
  if (!machine)
    return ppi_error_memory(doctor->error);
  ppi_machine_here(machine);
  size_t cut = strnlen(machine->cpu, sizeof header->cpu - 1);
  *here = header->cpu[0] == '\0' || (strncmp(machine->cpu, header->cpu, cut) == 0 && header->cpu[cut] == '\0');
  free(machine);
  return PERFPRED_OK;
}

static const char *path_of_blas(const struct ppi_doctor *doctor) {
  return doctor->sampler ? doctor->told.blas.path : doctor->blas ? doctor->blas->file.path : "";
}

static void describe(struct ppi_finding *finding, const struct perfpred_decisions *table, bool here, bool same,
                     const char *blas) {
  const struct ppi_table_header *header = table->table.header;
  ppi_finding_text(finding, "detail", "%zu entries, made on %s, with %s and %s", perfpred_decisions_count(table),
                   header->cpu[0] ? header->cpu : "any CPU", header->blas[0] ? header->blas : "any BLAS",
                   header->lapack[0] ? header->lapack : "any LAPACK");
  if (!here)
    ppi_finding_text(finding, "advice", "the override does not use it (PERFPRED_FORCE=1 would): generate one here");
  else if (!same)
    ppi_finding_text(finding, "advice", "its block sizes may be wrong for %s: generate one with that", blas);
  ppi_json_put_bool(&finding->out, "present", true);
  ppi_json_put_bool(&finding->out, "valid", true);
  ppi_json_put_bool(&finding->out, "of_this_machine", here);
  ppi_json_put_bool(&finding->out, "of_this_blas", same);
  ppi_json_put_string(&finding->out, "made_on", header->cpu);
  ppi_json_put_string(&finding->out, "made_with_blas", header->blas);
  ppi_json_put_string(&finding->out, "made_with_lapack", header->lapack);
  ppi_json_put_integer(&finding->out, "threads", header->threads);
}

static enum perfpred_status tell_usable(struct ppi_doctor *doctor, const char *path,
                                        const struct perfpred_decisions *table, const struct ppi_routine *routines,
                                        size_t count) {
  const char *made_with = table->table.header->blas, *blas = path_of_blas(doctor);
  bool same = made_with[0] == '\0' || blas[0] == '\0' || strstr(made_with, blas) != NULL, here = false;
  struct ppi_finding finding;
  enum perfpred_status status = is_made_here(doctor, table->table.header, &here);
  if (status != PERFPRED_OK)
    return status;
  begin(&finding, here && same ? PPI_SEVERITY_OK : PPI_SEVERITY_WARNING,
        !here   ? "The decision table is of another CPU"
        : !same ? "The decision table was made with another BLAS"
                : "The decision table",
        path);
  describe(&finding, table, here, same, blas);
  put_covered(&finding.out, table, routines, count);
  ppi_finding_end(&finding, doctor);
  return PERFPRED_OK;
}

enum perfpred_status ppi_doctor_table(struct ppi_doctor *doctor, const struct ppi_routine *routines, size_t count) {
  struct perfpred_decisions *table = NULL;
  struct perfpred_error fault;
  char usual[PATH_MAX];
  const char *path = find_table(doctor, usual);
  if (!path || path[0] == '\0')
    return PERFPRED_OK;
  enum perfpred_status status = perfpred_decisions_load(path, &table, &fault);
  if (status == PERFPRED_OK)
    status = tell_usable(doctor, path, table, routines, count);
  else if (status != PERFPRED_NO_MEMORY)
    tell_unusable(doctor, path, status, &fault);
  perfpred_decisions_destroy(table);
  return status == PERFPRED_NO_MEMORY ? ppi_error_memory(doctor->error) : PERFPRED_OK;
}
