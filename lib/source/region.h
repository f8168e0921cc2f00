/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a region of C as the text of a nest. */
#ifndef PPI_SOURCE_REGION_H
#define PPI_SOURCE_REGION_H

#include "base/text.h"
#include "source/expr.h"

enum ppi_region_sort { PPI_REGION_PARAMETER, PPI_REGION_COUNTER, PPI_REGION_LET, PPI_REGION_ARRAY };

/* A name of the nest and what it is in C. */
struct ppi_region_name {
  const struct ppi_c_token *c;
  enum ppi_region_sort sort;
  char text[PPI_NAME_MAX];
  bool visible, taken;       /* visible: in C; taken: its text cannot be given to another name now */
  int level;                 /* blocks of the nest around it */
  bool nonnegative;          /* it is known never to be negative */
  struct ppi_c_symbol array; /* ARRAY */
};

/* Where a line of accesses, or a block, comes from. */
struct ppi_region_origin {
  int line, statement;
};

struct ppi_region_origins {
  struct ppi_region_origin *items;
  size_t count, capacity;
};

struct ppi_region {
  struct ppi_c_parser *parser;
  struct ppi_text body, line; /* line: accesses of the statement that are not written yet */
  int level;                  /* blocks that are open */
  int may, line_may;          /* conditions on data around; whether `line` stands under one */
  int statement_line, statements;
  struct ppi_region_name *names;
  size_t name_count, name_capacity;
  const struct ppi_c_token **varying; /* names that the region changes */
  size_t varying_count, varying_capacity;
  struct ppi_region_origins accesses, blocks;
};

/* name.c */
enum perfpred_status ppi_region_note_varying(struct ppi_region *region); /* from the parser's place on */
enum perfpred_status ppi_region_add_varying(struct ppi_region *region, const struct ppi_c_token *name);
bool ppi_region_varies(const struct ppi_region *region, const struct ppi_c_token *name);
/* Whether a name that is declared there gets a value anywhere else. */
bool ppi_region_changes(const struct ppi_region *region, const struct ppi_c_token *declared);
struct ppi_region_name *ppi_region_find(const struct ppi_region *region, const struct ppi_c_token *name);
enum perfpred_status ppi_region_add_name(struct ppi_region *region, const struct ppi_c_token *c,
                                         enum ppi_region_sort sort, struct ppi_region_name **name);
enum perfpred_status ppi_region_error(const struct ppi_region *region, const struct ppi_c_expr *expr,
                                      const char *reason);
enum perfpred_status ppi_region_note(struct ppi_region *region, struct ppi_region_origins *origins, int line);
void ppi_region_free(struct ppi_region *region);

/* index.c: whole numbers made of counters, sizes and constants */
bool ppi_region_is_index(const struct ppi_region *region, const struct ppi_c_expr *expr);
/* Appends the expression; PERFPRED_UNSUPPORTED where it is not affine. */
enum perfpred_status ppi_region_index(struct ppi_region *region, const struct ppi_c_expr *expr, struct ppi_text *text);
bool ppi_region_depends(const struct ppi_region *region, const struct ppi_c_expr *expr); /* on counters */
bool ppi_region_is_nonnegative(const struct ppi_region *region, const struct ppi_c_expr *expr);

/* access.c: what an expression reads and writes, from left to right */
enum perfpred_status ppi_region_visit(struct ppi_region *region, const struct ppi_c_expr *expr);
void ppi_region_begin(struct ppi_region *region, int line); /* a statement */
enum perfpred_status ppi_region_flush(struct ppi_region *region);
enum perfpred_status ppi_region_open(struct ppi_region *region, int line, struct ppi_text *head); /* head: taken */
enum perfpred_status ppi_region_else(struct ppi_region *region);
enum perfpred_status ppi_region_close(struct ppi_region *region);

/* bounds.c: the head of a loop as the head of a `for` */
enum perfpred_status ppi_region_loop(struct ppi_region *region); /* from ( to the end of the body */

/* statement.c */
enum perfpred_status ppi_region_statement(struct ppi_region *region);

#endif
