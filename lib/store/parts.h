/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a model file as objects, written and read. Inside of the module. */
#ifndef PPI_STORE_PARTS_H
#define PPI_STORE_PARTS_H

#include "machine/machine.h"
#include "model/samples.h"
#include "store/json.h"

#define PPI_STORE_FORMAT "perfpred-models"

extern const char *const ppi_store_statistics[PPI_STATISTICS];

/* machine.c */
/* The levels of the memory hierarchy as they were measured, a list "levels". */
void ppi_store_put_levels(struct ppi_json_out *out, const struct ppi_effective *levels, int count);
/* By rising size, then memory, whose size is 0. */
enum perfpred_status ppi_store_get_levels(const struct ppi_json_node *node, size_t least,
                                          struct ppi_effective levels[PPI_CACHE_MAX], int *count);
void ppi_store_put_machine(struct ppi_json_out *out, const struct ppi_machine *machine);
void ppi_store_put_library(struct ppi_json_out *out, const char *key, const struct ppi_library *library);
void ppi_store_put_setup(struct ppi_json_out *out, const struct ppi_setup *setup);
enum perfpred_status ppi_store_get_machine(const struct ppi_json_node *root, struct ppi_machine *machine);
enum perfpred_status ppi_store_get_setup(const struct ppi_json_node *node, struct ppi_setup *setup);

/* options.c */
void ppi_store_put_options(struct ppi_json_out *out, const struct perfpred_generate_options *options);
enum perfpred_status ppi_store_get_options(const struct ppi_json_node *root, struct perfpred_generate_options *options);

/* read.c: one entry of `models`, appended to models. In files of the first version all are of the one setup. */
enum perfpred_status ppi_store_get_submodel(const struct perfpred_context *context, const struct ppi_json_node *list,
                                            size_t index, bool one_setup, struct perfpred_models *models);

/* anchors.c: of a sub-model, where there are any, and what it was scaled by. */
void ppi_store_put_anchors(struct ppi_json_out *out, const struct ppi_submodel *submodel);
enum perfpred_status ppi_store_get_anchors(const struct ppi_json_node *node, struct ppi_submodel *submodel);

/* records.c: raw samples of a call, from the first-th part of the record on; disturbed and measure_s are of those. */
void ppi_store_put_record(struct ppi_json_out *out, const struct ppi_record *record, size_t first, uint64_t disturbed,
                          double measure_s);
/* The place of the record that they joined. */
enum perfpred_status ppi_store_get_record(const struct perfpred_context *context, const struct ppi_json_node *node,
                                          struct ppi_samples *samples, size_t *place);

/* file.c */
enum perfpred_status ppi_store_read_descriptor(int descriptor, const char *path, char **text, size_t *length,
                                               struct perfpred_error *error);
int ppi_store_write_all(int descriptor, const char *text, size_t length); /* the number of an error, or 0 */
/* Follows links to the file itself, which need not be there. */
enum perfpred_status ppi_store_resolve(const char *path, char real[], struct perfpred_error *error);
/* Messages say what was expected: "a model file" for read_file. */
enum perfpred_status ppi_store_read_expected(const char *path, const char *expected, char **text, size_t *length,
                                             struct perfpred_error *error);
enum perfpred_status ppi_store_read_file(const char *path, char **text, size_t *length, struct perfpred_error *error);
enum perfpred_status ppi_store_replace_file(const char *path, const char *text, size_t length,
                                            struct perfpred_error *error);

#endif
