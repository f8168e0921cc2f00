/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions of a nest over loop counters: an affine form, or the least or greatest of some quotients of such. */
#ifndef PPI_AFFINE_CHOICE_H
#define PPI_AFFINE_CHOICE_H

#include "affine/nest.h"

#define PPI_CHOICES 6

enum ppi_choice_kind { PPI_CHOICE_ONE, PPI_CHOICE_LEAST, PPI_CHOICE_GREATEST };

struct ppi_choice {
  enum ppi_choice_kind kind;
  int count;
  struct {
    struct ppi_affine form;
    int64_t divisor; /* of the form, rounded down; > 0 */
  } parts[PPI_CHOICES];
};

struct ppi_choice ppi_choice_of(const struct ppi_affine *form);
/* The form, where it is nothing else. */
bool ppi_choice_is_form(const struct ppi_choice *choice, struct ppi_affine *form);
/* slots: value of each slot that is in scope. False: neither of the kinds, or numbers that are too large. */
bool ppi_choice_read(const struct ppi_expr *expr, const struct ppi_choice *slots, struct ppi_choice *choice);
/* Rows, form >= 0, that hold where the condition does (or fails). False: that takes more than a conjunction. */
bool ppi_choice_condition(const struct ppi_expr *expr, const struct ppi_choice *slots, bool holds,
                          struct ppi_affine *rows, int capacity, int *count);
/* a * factor + b * other; false: too large. */
bool ppi_affine_combine(const struct ppi_affine *a, int64_t factor, const struct ppi_affine *b, int64_t other,
                        struct ppi_affine *result);

#endif
