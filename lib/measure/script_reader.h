/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters of a script, with line and column. */
#ifndef PPI_MEASURE_SCRIPT_READER_H
#define PPI_MEASURE_SCRIPT_READER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

struct ppi_script_reader {
  const char *at, *end, *line_start;
  int line;
  const char *source;
  struct perfpred_error *error;
};

/* Complains about the present place. */
enum perfpred_status ppi_reader_fail(const struct ppi_script_reader *reader, enum perfpred_status status,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same about a place before, of the same line. */
enum perfpred_status ppi_reader_fail_at(const struct ppi_script_reader *reader, const char *at,
                                        enum perfpred_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
enum perfpred_status ppi_reader_expected(const struct ppi_script_reader *reader, const char *what);

/* Every function steps over blanks and comments first, none over the end of a line but these two. */
void ppi_reader_skip_lines(struct ppi_script_reader *reader); /* to the next statement */
bool ppi_reader_at_end(struct ppi_script_reader *reader);     /* of the text */

char ppi_reader_peek(struct ppi_script_reader *reader); /* '\n' at the end of a line or of the text */
bool ppi_reader_accept(struct ppi_script_reader *reader, char mark);
enum perfpred_status ppi_reader_expect(struct ppi_script_reader *reader, char mark);
/* Letters, digits, '_'; extra: further characters that belong to it. */
enum perfpred_status ppi_reader_word(struct ppi_script_reader *reader, const char *what, const char *extra,
                                     char word[PPI_NAME_MAX]);
/* The same of up to size - 1 characters. */
enum perfpred_status ppi_reader_token(struct ppi_script_reader *reader, const char *what, const char *extra, char *word,
                                      size_t size);
int ppi_reader_column(const struct ppi_script_reader *reader); /* of the present place, from 1 */
/* A product of whole numbers, such as 500*500. */
enum perfpred_status ppi_reader_integer(struct ppi_script_reader *reader, const char *what, int64_t *value);
enum perfpred_status ppi_reader_real(struct ppi_script_reader *reader, const char *what, double *value);

#endif
