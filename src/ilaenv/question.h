/* SPDX-License-Identifier: BSD-3-Clause */
/* A question to ILAENV, brought from the caller's arguments, which are not trusted, into a form of fixed size. */
#ifndef ILAENV_QUESTION_H
#define ILAENV_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_ILAENV_NAME 16 /* characters of NAME that anything depends on */
#define PPI_ILAENV_OPTIONS 8

struct ppi_ilaenv_question {
  int64_t ispec;
  char name[PPI_ILAENV_NAME];       /* as given, filled with blanks */
  char upper[PPI_ILAENV_NAME];      /* the same in upper case */
  char options[PPI_ILAENV_OPTIONS]; /* of OPTS, in upper case, filled with blanks */
  int64_t sizes[4];
  bool wide; /* the caller's integers have 64 bits */
};

/* Sets name, upper and options. Nothing is read behind the lengths given, nor behind a null byte: callers in C that pass
   no lengths are known. */
void ppi_ilaenv_question_set(struct ppi_ilaenv_question *question, const char *name, size_t name_length,
                             const char *options, size_t options_length);
/* Number of characters of upper before the blanks at its end. */
size_t ppi_ilaenv_name_length(const struct ppi_ilaenv_question *question);

#endif
