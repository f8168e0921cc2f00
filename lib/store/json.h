/* SPDX-License-Identifier: BSD-3-Clause */
/* A thin layer over the JSON library: typed getters that say where they are, and a writer whose failures stick. */
#ifndef PPI_STORE_JSON_H
#define PPI_STORE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define PPI_JSON_INTEGER_MAX 9007199254740992 /* 2^53: larger ones are not exact in JSON */

/* A value and the way to it. Nodes live on the stack of whoever walks down; children point to their parents. */
struct ppi_json_node {
  const struct ppi_json_node *parent;
  const char *key; /* member of an object; NULL: item of a list, or the root */
  size_t index;
  void *value; /* borrowed from the root's node */
  const char *source;
  struct perfpred_error *error;
};

/* Reads a text: UTF-8, no duplicate keys, no numbers out of range. PERFPRED_CORRUPT with line and column. The root is an object. */
enum perfpred_status ppi_json_parse(const char *text, size_t length, const char *source, struct ppi_json_node *root,
                                    struct perfpred_error *error);
void ppi_json_release(struct ppi_json_node *root);

/* "SOURCE: models[3].ld: " and a text of the caller's; key: of a member of node, or NULL for node itself. */
enum perfpred_status ppi_json_fail(const struct ppi_json_node *node, const char *key, enum perfpred_status status,
                                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "SOURCE: models[3]" into where. */
void ppi_json_where(const struct ppi_json_node *node, char *where, size_t size);

/* Members of an object; PERFPRED_CORRUPT where one is missing or not as expected. */
bool ppi_json_has(const struct ppi_json_node *node, const char *key);
enum perfpred_status ppi_json_object(const struct ppi_json_node *node, const char *key, struct ppi_json_node *child);
/* A list of least to most items; they are then taken one by one. */
enum perfpred_status ppi_json_list(const struct ppi_json_node *node, const char *key, size_t least, size_t most,
                                   struct ppi_json_node *child, size_t *count);
enum perfpred_status ppi_json_item(const struct ppi_json_node *list, size_t index, struct ppi_json_node *child);
enum perfpred_status ppi_json_string(const struct ppi_json_node *node, const char *key, char *text, size_t size);
enum perfpred_status ppi_json_item_string(const struct ppi_json_node *list, size_t index, char *text, size_t size);
enum perfpred_status ppi_json_integer(const struct ppi_json_node *node, const char *key, int64_t least, int64_t most,
                                      int64_t *integer);
enum perfpred_status ppi_json_int(const struct ppi_json_node *node, const char *key, int least, int most, int *integer);
/* null: NaN where may_be_null */
enum perfpred_status ppi_json_real(const struct ppi_json_node *node, const char *key, double least, double most,
                                   bool may_be_null, double *real);
enum perfpred_status ppi_json_bool(const struct ppi_json_node *node, const char *key, bool *truth);
/* Lists of exactly count numbers. */
enum perfpred_status ppi_json_integers(const struct ppi_json_node *node, const char *key, size_t count, int64_t least,
                                       int64_t most, int64_t *integers);
enum perfpred_status ppi_json_sizes(const struct ppi_json_node *node, const char *key, size_t count, size_t least,
                                    size_t most, size_t *sizes);
enum perfpred_status ppi_json_reals(const struct ppi_json_node *node, const char *key, size_t count, double least,
                                    double most, double *reals);

/* An object that is being written. */
struct ppi_json_out {
  void *value;
  bool failed; /* an allocation failed */
};

void ppi_json_begin(struct ppi_json_out *out);
void ppi_json_put_string(struct ppi_json_out *out, const char *key,
                         const char *string); /* bytes that are no UTF-8: ? */
void ppi_json_put_integer(struct ppi_json_out *out, const char *key, int64_t integer);
void ppi_json_put_real(struct ppi_json_out *out, const char *key, double real); /* NaN and infinities: null */
void ppi_json_put_bool(struct ppi_json_out *out, const char *key, bool truth);
void ppi_json_put_null(struct ppi_json_out *out, const char *key);
void ppi_json_put_integers(struct ppi_json_out *out, const char *key, const int64_t *integers, size_t count);
void ppi_json_put_sizes(struct ppi_json_out *out, const char *key, const size_t *sizes, size_t count);
void ppi_json_put_reals(struct ppi_json_out *out, const char *key, const double *reals, size_t count);
void ppi_json_put_strings(struct ppi_json_out *out, const char *key, const char *const *strings, size_t count);
/* These take the child; key of append: a list, made if it is not there. */
void ppi_json_put_object(struct ppi_json_out *out, const char *key, struct ppi_json_out *child);
void ppi_json_append(struct ppi_json_out *out, const char *key, struct ppi_json_out *child);
void ppi_json_put_empty_list(struct ppi_json_out *out, const char *key);
/* Appends the object to text, on one line, and drops it. A failure makes text fail. */
void ppi_json_end(struct ppi_json_out *out, struct ppi_text *text);

#endif
