/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions of C as trees, and the names that they use. */
#ifndef PPI_SOURCE_EXPR_H
#define PPI_SOURCE_EXPR_H

#include "source/token.h"

#define PPI_C_DIMENSIONS 8
#define PPI_C_TREE 1000 /* depth of trees: a sum of so many terms */
#define PPI_C_DEPTH 200 /* of expressions, declarators and statements inside each other */

enum ppi_c_op {
  PPI_C_INTEGER, /* value */
  PPI_C_IDENTIFIER,
  PPI_C_INDEX,   /* a[b] */
  PPI_C_CALL,    /* a: callee; arguments: b, linked by next */
  PPI_C_PREFIX,  /* mark a */
  PPI_C_POSTFIX, /* a mark */
  PPI_C_BINARY,  /* a mark b */
  PPI_C_ASSIGN,  /* a mark b, mark "=" or compound */
  PPI_C_CHOICE,  /* a ? b : c */
  PPI_C_CAST,    /* (type) a */
  PPI_C_MEMBER,  /* a.name, a->name */
  PPI_C_OPAQUE   /* literals, other numbers, sizeof: no access, no index */
};

struct ppi_c_expr {
  enum ppi_c_op op;
  const struct ppi_c_token *first, *last; /* the words that it is made of */
  const char *mark;
  int64_t value;
  int height;
  struct ppi_c_expr *a, *b, *c, *next;
};

enum ppi_c_sort { PPI_C_ARRAY, PPI_C_SCALAR, PPI_C_TYPEDEF, PPI_C_CONSTANT, PPI_C_OTHER };

/* A declared name. */
struct ppi_c_symbol {
  const struct ppi_c_token *name;
  enum ppi_c_sort sort;
  int block;         /* braces around it */
  int element_bytes; /* 0: of a type that is not known */
  bool floating, complex, integer;
  bool region; /* declared between the pragmas */
  int dimensions;
  struct ppi_c_expr *extents[PPI_C_DIMENSIONS]; /* NULL: not stated */
  int64_t value;                                /* CONSTANT */
  size_t before;                                /* symbols.c */
};

struct ppi_c_symbols {
  struct ppi_c_symbol *items; /* the innermost last */
  size_t count, capacity;
  size_t *heads; /* symbols.c */
};

/* Memory that goes all at once. */
struct ppi_c_chunk;
struct ppi_c_arena {
  struct ppi_c_chunk *chunks;
};

/* Reading words one after the other. */
struct ppi_c_parser {
  struct ppi_c_tokens tokens;
  const struct ppi_c_token *at;
  struct ppi_c_symbols symbols;
  struct ppi_c_arena arena;
  int depth, block;
  bool region; /* between the pragmas */
  struct perfpred_error *error;
};

void *ppi_c_allocate(struct ppi_c_arena *arena, size_t size); /* zeroed; NULL: out of memory */
void ppi_c_arena_free(struct ppi_c_arena *arena);

bool ppi_c_is(const struct ppi_c_parser *parser, const char *spelling);
bool ppi_c_accept(struct ppi_c_parser *parser, const char *spelling);
enum perfpred_status ppi_c_expect(struct ppi_c_parser *parser, const char *spelling);
enum perfpred_status ppi_c_expected(struct ppi_c_parser *parser, const char *what); /* PERFPRED_SYNTAX */
enum perfpred_status ppi_c_enter(struct ppi_c_parser *parser); /* one level deeper; parser->depth-- on the way out */
/* Behind the bracket that closes the present one; false at the end of the text. */
bool ppi_c_skip_brackets(struct ppi_c_parser *parser);

/* An expression with or without commas. */
enum perfpred_status ppi_c_parse_expr(struct ppi_c_parser *parser, struct ppi_c_expr **expr);
enum perfpred_status ppi_c_parse_assignment(struct ppi_c_parser *parser, struct ppi_c_expr **expr);
/* Value of an expression of numbers and constants. */
bool ppi_c_value(const struct ppi_c_parser *parser, const struct ppi_c_expr *expr, int64_t *value);
/* The words of an expression with single blanks; cut where they do not fit. */
void ppi_c_spell(const struct ppi_c_expr *expr, char *text, size_t size);
bool ppi_c_same_name(const struct ppi_c_token *a, const struct ppi_c_token *b);

/* symbols.c */
struct ppi_c_symbol *ppi_c_find(const struct ppi_c_parser *parser, const struct ppi_c_token *name); /* or NULL */
/* In the present block; a copy. */
enum perfpred_status ppi_c_add_symbol(struct ppi_c_parser *parser, const struct ppi_c_symbol *symbol);
void ppi_c_close_block(struct ppi_c_parser *parser); /* forgets what was declared in it */
void ppi_c_symbols_free(struct ppi_c_symbols *symbols);

/* declare.c */
bool ppi_c_starts_type(const struct ppi_c_parser *parser, const struct ppi_c_token *token);
/* Called for each declared name and its initialiser, or NULL. */
typedef enum perfpred_status ppi_c_declared_fn(void *data, struct ppi_c_symbol *symbol, struct ppi_c_expr *initial);
/* A declaration up to its ; or the { of a function, whose arguments are declared then. declared: NULL: ignored. */
enum perfpred_status ppi_c_parse_declaration(struct ppi_c_parser *parser, ppi_c_declared_fn *declared, void *data);
/* A type without a name, as in casts. */
enum perfpred_status ppi_c_skip_type(struct ppi_c_parser *parser);

#endif
