/* SPDX-License-Identifier: BSD-3-Clause */
/* libperfpred-ilaenv.so: stands in front of LAPACK's ILAENV and answers for the routines of a decision table. */
#include <errno.h>

#include "decide.h"
#include "state.h"
#include "stock.h"
#include "trace.h"

#define EXPORT __attribute__((visibility("default")))

/* In a register of 64 bits, so that a caller with integers of either width reads the right value. */
typedef intptr_t result;

/* Fortran's way of calling of gfortran, which clang and Intel's compiler share: everything by reference, lengths of texts last. */
#define DECLARE(name, integer)                                                                                         \
  result name(const integer *ispec, const char *subroutine, const char *options, const integer *n1, const integer *n2, \
              const integer *n3, const integer *n4, size_t subroutine_length, size_t options_length)

static int64_t answer(struct ppi_ilaenv_question *question, const char *name, size_t name_length, const char *options,
                      size_t options_length) {
  const int kept = errno;
  int64_t value = 0;
  ppi_ilaenv_question_set(question, name, name_length, options, options_length);
  const struct ppi_ilaenv_state *state = ppi_ilaenv_state();
  const bool decided = state->table.header && ppi_ilaenv_decide(&state->table, question, &value);
  if (!decided)
    value = ppi_ilaenv_stock(question);
  if (state->log || state->seen)
    ppi_ilaenv_trace(state, question, value, decided);
  errno = kept;
  return value;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): names and types */
#define DEFINE(name, integer, is_wide)                                                                                 \
  EXPORT DECLARE(name, integer);                                                                                       \
  DECLARE(name, integer) {                                                                                             \
    struct ppi_ilaenv_question question = { .ispec = *ispec, .sizes = { *n1, *n2, *n3, *n4 }, .wide = is_wide };       \
    return (result)answer(&question, subroutine, subroutine_length, options, options_length);                          \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

DEFINE(ilaenv_, int32_t, false)

/* Further names, for callers with integers of 64 bits: the option ilaenv_ilp64 of the build. */
#define WIDE(name) DEFINE(name, int64_t, true)
#ifdef PPI_ILAENV_WIDE
PPI_ILAENV_WIDE
#endif
