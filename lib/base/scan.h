/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokens of the text form, with line and column.
 *
 * Comments run from # to the end of the line. A line break is a token, except inside ( ) and [ ]. `{a,b,c}` in a name stands
 * for the entry of the scanner's present expansion, `{}` or, where the head has several lists, `{1}`, `{2}` for that entry of the
 * block's head (doc/language.md, "Families"); it is resolved here, so that the columns are those of the source. */
#ifndef PPI_BASE_SCAN_H
#define PPI_BASE_SCAN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

enum ppi_token_kind {
  PPI_TOKEN_END,
  PPI_TOKEN_LINE,
  PPI_TOKEN_NAME,
  PPI_TOKEN_INTEGER,
  PPI_TOKEN_REAL,
  PPI_TOKEN_MARK,
  PPI_TOKEN_BAD
};

struct ppi_token {
  enum ppi_token_kind kind;
  int line, column;
  char text[PPI_NAME_MAX]; /* spelling; of a mark: one of ( ) [ ] , : = + - * / // % < > <= >= == != && || ? ' ;
                              of a bad token: what is wrong with it */
  bool too_large;          /* of a bad token: it is a number, whatever else was expected in its place */
  long long integer;       /* PPI_TOKEN_INTEGER */
  double real;             /* PPI_TOKEN_INTEGER and PPI_TOKEN_REAL, read independently of the locale */
};

#define PPI_SCAN_LISTS 4 /* lists in the head of a family */

/* A family list such as "s,d,c,z", without its braces; not terminated. */
struct ppi_scan_list {
  const char *text;
  size_t length;
  int count; /* of entries */
};

struct ppi_scanner {
  const char *begin, *end, *at; /* text and place behind the present token */
  const char *source;
  int line, column, depth;
  struct ppi_token token; /* the present token */
  const char *start;      /* where it starts */
  int start_line, start_column;
  struct ppi_scan_list lists[PPI_SCAN_LISTS]; /* the lists in the present block's head */
  int list_count;
  int entry,
      entries; /* present entry of the family and how many there are: the product of the lists' lengths; 0: no family */
  struct perfpred_error *error;
};

/* A place to which a scanner can go back: to read a family's block once per entry. */
struct ppi_place {
  const char *at;
  int line, column;
};

/* Starts at the first token of the text: empty lines before it are skipped. */
void ppi_scan_init(struct ppi_scanner *scanner, const char *text, size_t length, const char *source,
                   struct perfpred_error *error);
struct ppi_place ppi_scan_place(const struct ppi_scanner *scanner); /* of the present token */
void ppi_scan_return(struct ppi_scanner *scanner, struct ppi_place place);
/* Chooses the first entry of the family whose head stands at the present place; counts them into *entries (0 for a plain name): with
   several lists all combinations, the last list running fastest. The present token is read again with the chosen entry, here and in ppi_scan_choose. */
enum perfpred_status ppi_scan_family(struct ppi_scanner *scanner, int *entries);
void ppi_scan_choose(struct ppi_scanner *scanner, int entry);

void ppi_scan_next(struct ppi_scanner *scanner);                           /* steps to the next token */
bool ppi_scan_is(const struct ppi_scanner *scanner, const char *spelling); /* present token is this mark or name */
bool ppi_scan_accept(struct ppi_scanner *scanner, const char *spelling);   /* if so, steps over it */
enum perfpred_status ppi_scan_expect(struct ppi_scanner *scanner, const char *spelling);
enum perfpred_status ppi_scan_name(struct ppi_scanner *scanner, char name[PPI_NAME_MAX], const char *what);
/* A name in which hyphens belong to it, as after `algorithm`: re-reads from the start of the present token. */
enum perfpred_status ppi_scan_hyphenated(struct ppi_scanner *scanner, char name[PPI_NAME_MAX], const char *what);
enum perfpred_status
ppi_scan_line(struct ppi_scanner *scanner); /* the line ends here; steps to the next non-empty one */
/* "SOURCE:LINE:COLUMN: expected WHAT, found TOKEN", PERFPRED_SYNTAX. */
enum perfpred_status ppi_scan_expected(struct ppi_scanner *scanner, const char *what);
/* "SOURCE:LINE:COLUMN: " and a text of the caller's. */
enum perfpred_status ppi_scan_error(struct ppi_scanner *scanner, enum perfpred_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Rest of the present line, as text (for `operation`, `about`): trimmed, comments removed. */
enum perfpred_status ppi_scan_rest(struct ppi_scanner *scanner, char *text, size_t size);

#endif
