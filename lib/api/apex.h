/* SPDX-License-Identifier: BSD-3-Clause */
/* What the public functions of Apex-MAP share: options, points and weights as they stand in reports. */
#ifndef PPI_API_APEX_H
#define PPI_API_APEX_H

#include <perfpred/apex.h>

#include "apex/design.h"
#include "apex/mix.h"
#include "apex/traffic.h"
#include "machine/machine.h"
#include "store/json.h"

#define PPI_APEX_VERSION 1 /* of the reports */
#define PPI_APEX_POINTS "apex points"
#define PPI_APEX_WEIGHTS "apex weights"
#define PPI_APEX_PREDICTION "apex prediction"

/* Points, and where they were measured. */
struct ppi_apex_points {
  char cpu[PPI_TEXT_MAX], instruction_set[PPI_APEX_SET_MAX];
  int threads;
  double clock_hz;
  struct ppi_apex_cache cache;
  struct ppi_apex_point *items;
  size_t count;
};
void ppi_apex_points_free(struct ppi_apex_points *points);

/* apex_options.c: defaults are filled in, but for runs, threads, instruction_set, cache_bytes and clock_hz, which the machine decides, and
   index_blocks, which depends on the run. */
enum perfpred_status ppi_apex_options_of(const struct perfpred_apex_options *given, struct perfpred_apex_options *full,
                                         struct perfpred_error *error);
enum perfpred_status ppi_apex_check_text(const char *argument, const struct perfpred_apex_text *text,
                                         struct perfpred_error *error);
const char *ppi_apex_text_name(const struct perfpred_apex_text *text, const char *otherwise);

/* apex_read.c. Samples: zeroed; to be freed whatever is returned. context may be NULL: calls are refused then. */
enum perfpred_status ppi_apex_read_samples(const struct perfpred_context *context,
                                           const struct perfpred_apex_text *text, struct ppi_apex_samples *samples,
                                           struct perfpred_error *error);
/* On failure nothing is left to free. */
enum perfpred_status ppi_apex_read_points(const struct perfpred_apex_text *text, struct ppi_apex_points *points,
                                          struct perfpred_error *error);
/* Parses a report and checks that it is one of that kind. */
enum perfpred_status ppi_apex_open(const struct perfpred_apex_text *text, const char *kind, const char *name,
                                   struct ppi_json_node *root, struct perfpred_error *error);
/* The members of ppi_apex_put_place. */
enum perfpred_status ppi_apex_read_place(const struct ppi_json_node *node, struct ppi_apex_points *points);
/* The member "run" of an object. */
enum perfpred_status ppi_apex_read_run(const struct ppi_json_node *node, struct ppi_apex_run *run);

/* apex_report.c */
void ppi_apex_put_head(struct ppi_json_out *out, const char *kind);
void ppi_apex_put_place(struct ppi_json_out *out, const struct ppi_apex_points *points); /* where they are from */
void ppi_apex_put_run(struct ppi_json_out *out, const struct ppi_apex_run *run);
void ppi_apex_put_cover(struct ppi_json_out *out, const struct ppi_apex_cover *cover);
/* Ends the report; *json is set on success. */
enum perfpred_status ppi_apex_finish(struct ppi_json_out *out, enum perfpred_status status, char **json,
                                     struct perfpred_error *error);

#endif
