/* SPDX-License-Identifier: BSD-3-Clause */
#include "question.h"

#include <string.h>

/* Lengths are 32-bit integers in code of compilers before gfortran 8, which leave the upper half of the word undefined. */
static size_t trusted(size_t length, size_t most) {
  const uint32_t low = (uint32_t)(length & UINT32_MAX);
  if (low > INT32_MAX)
    return 0;
  return low < most ? low : most;
}

static void copy(char *to, size_t size, const char *from, size_t length) {
  size_t i = 0;
  for (const size_t end = from ? trusted(length, size) : 0; i < end && from[i] != '\0'; i++)
    to[i] = from[i];
  memset(to + i, ' ', size - i);
}

/* Not toupper, which depends on the locale. */
static char capital(char c) {
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

void ppi_ilaenv_question_set(struct ppi_ilaenv_question *question, const char *name, size_t name_length,
                             const char *options, size_t options_length) {
  copy(question->name, sizeof question->name, name, name_length);
  for (size_t i = 0; i < sizeof question->name; i++)
    question->upper[i] = capital(question->name[i]);
  copy(question->options, sizeof question->options, options, options_length);
  for (size_t i = 0; i < sizeof question->options; i++)
    question->options[i] = capital(question->options[i]);
}

size_t ppi_ilaenv_name_length(const struct ppi_ilaenv_question *question) {
  size_t length = sizeof question->upper;
  while (length > 0 && question->upper[length - 1] == ' ')
    length--;
  return length;
}
