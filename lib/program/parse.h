/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading one program, statement by statement. The same steps serve whole texts (text.c) and the builder. */
#ifndef PPI_PROGRAM_PARSE_H
#define PPI_PROGRAM_PARSE_H

#include "program/names.h"
#include "program/registry.h"
#include "program/tree.h"

struct ppi_block {
  struct ppi_node *node;
  uint64_t visible; /* names that were visible before it */
};

struct ppi_parser {
  struct ppi_scanner scanner;
  const struct ppi_kernels *kernels;
  const struct ppi_programs *programs;
  const struct ppi_names *pending; /* programs of the same text, or NULL */
  struct perfpred_program *program;
  uint64_t visible;                /* which slots' names may be used now */
  const char *names[PPI_SLOT_MAX]; /* the visible ones; the others are "" */
  struct ppi_node **tail;          /* where the next statement goes */
  struct ppi_block blocks[PPI_BLOCK_MAX];
  int depth;
  bool stated; /* program->nest holds; otherwise the first declaration tells (built programs) */
  bool body;   /* the first statement has been read: no more declarations */
};

/* Starts a program that is empty but for its name. The scanner is the caller's to set. */
void ppi_parser_init(struct ppi_parser *parser, const struct ppi_kernels *kernels, const struct ppi_programs *programs,
                     const struct ppi_names *pending, struct perfpred_program *program);

/* scope.c: names */
struct ppi_scope ppi_parser_scope(const struct ppi_parser *parser);
enum perfpred_status ppi_parse_new_name(struct ppi_parser *parser, const char *what, char name[PPI_NAME_MAX]);
enum perfpred_status ppi_parser_define(struct ppi_parser *parser, const char *name, int *slot);
void ppi_parser_see(struct ppi_parser *parser, uint64_t visible);
int ppi_parser_buffer(const struct ppi_parser *parser, const char *name); /* -1: none */
enum perfpred_status ppi_parse_expr(struct ppi_parser *parser, struct ppi_expr **expr);
enum perfpred_status ppi_parse_parameter(struct ppi_parser *parser);
bool ppi_word_is_reserved(const char *word);

/* declare.c: what stands before the first statement. *known: whether the present token starts such a line. */
enum perfpred_status ppi_parse_declaration(struct ppi_parser *parser, bool *known);

/* block.c */
enum perfpred_status ppi_parse_statement(struct ppi_parser *parser); /* anything but a declaration and `end` */
enum perfpred_status ppi_parse_loop(struct ppi_parser *parser);      /* from the loop's name on */
enum perfpred_status ppi_parser_close(struct ppi_parser *parser);    /* `end` of the innermost block */
struct ppi_node *ppi_parser_node(struct ppi_parser *parser,
                                 enum ppi_node_kind kind); /* a new last statement; NULL: no memory */

/* call.c, access.c */
enum perfpred_status ppi_parse_call(struct ppi_parser *parser); /* from the name on */
enum perfpred_status ppi_parse_access(struct ppi_parser *parser);

#endif
