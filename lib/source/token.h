/* SPDX-License-Identifier: BSD-3-Clause */
/* Preprocessed C as words, with the places that line markers give them. */
#ifndef PPI_SOURCE_TOKEN_H
#define PPI_SOURCE_TOKEN_H

#include <stdbool.h>

#include "base/error.h"

enum ppi_c_kind {
  PPI_C_END,
  PPI_C_NAME,
  PPI_C_NUMBER,  /* integer or not; see integer */
  PPI_C_LITERAL, /* 'c' or "text" */
  PPI_C_MARK,
  PPI_C_PRAGMA, /* text: what stands behind #pragma */
  PPI_C_BAD
};

struct ppi_c_token {
  enum ppi_c_kind kind;
  bool integer; /* of a number: value holds */
  char mark[4]; /* spelling of a mark, else "" */
  const char *text;
  int length;
  int line, column, file; /* file: place in struct ppi_c_tokens */
  int64_t value;
};

struct ppi_c_file {
  const char *name;
  int length;
};

struct ppi_c_tokens {
  struct ppi_c_token *items; /* the last one is PPI_C_END */
  size_t count, capacity;
  struct ppi_c_file *files;
  int file_count, file_capacity;
};

/* source: name of the file until the first line marker. Text and source must outlive the tokens. PERFPRED_LIMIT, PERFPRED_NO_MEMORY. */
enum perfpred_status ppi_c_tokens_read(const char *text, size_t length, const char *source, struct ppi_c_tokens *tokens,
                                       struct perfpred_error *error);
void ppi_c_tokens_free(struct ppi_c_tokens *tokens);

bool ppi_c_token_is(const struct ppi_c_token *token, const char *spelling); /* a name or mark */
bool ppi_c_is_pragma(const struct ppi_c_token *token, const char *word);    /* its first word */
/* "FILE:LINE:COLUMN: " and a text of the caller's. */
enum perfpred_status ppi_c_error(struct perfpred_error *error, const struct ppi_c_tokens *tokens,
                                 const struct ppi_c_token *token, enum perfpred_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
