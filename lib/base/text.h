/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing text. An allocation failure sticks: later appends do nothing, ppi_text_take reports it. */
#ifndef PPI_BASE_TEXT_H
#define PPI_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_NAME_MAX 64 /* longest name, with its NUL */

struct ppi_text {
  char *data;
  size_t length, capacity;
  bool failed;
};
#define PPI_TEXT_INIT                                                                                                  \
  { 0, 0, 0, false }

void ppi_text_append(struct ppi_text *text, const char *string);
void ppi_text_append_n(struct ppi_text *text, const char *string, size_t length);
void ppi_text_printf(struct ppi_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the shortest decimal that reads back as this very number, with '.' whatever the locale ("1", "0.1", "1e+300"). */
void ppi_text_real(struct ppi_text *text, double value);
/* Hands the NUL-terminated text over (free), or NULL after a failed allocation; the builder is empty again. */
char *ppi_text_take(struct ppi_text *text);
void ppi_text_free(struct ppi_text *text);

/* Read the whole string as a decimal number, whatever the locale; false, and *value untouched, if it is not one or is out
   of range. A sign is allowed; blanks, hexadecimal, infinity and NaN are not. */
bool ppi_text_parse_integer(const char *string, int64_t *value);
bool ppi_text_parse_real(const char *string, double *value);

/* Name nearest to `name` among count candidates given by at(data, i), for "did you mean"; NULL if none is near. */
const char *ppi_text_nearest(const char *name, size_t count, const char *(*at)(const void *data, size_t index),
                             const void *data);

#endif
