/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the cache analysis share: contractions by text, kinds of occurrence as text. */
#ifndef PPI_TEST_CONTRACT_FINDING_H
#define PPI_TEST_CONTRACT_FINDING_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contract/einsum.h"
#include "contract/enumerate.h"
#include "contract/name.h"
#include "contract/occurrence.h"

/* extents: of the letters, in their order. */
static inline struct ppi_contraction contraction_of(enum ppi_type type, const char *einsum, const char *letters,
                                                    const int64_t *extents) {
  char names[PPI_INDEX_MAX][2];
  const char *pointers[PPI_INDEX_MAX];
  struct ppi_contract_given given = { .type = type, .names = pointers, .extents = extents, .count = strlen(letters) };
  struct ppi_contraction contraction;
  struct perfpred_error error;
  ppi_error_clear(&error);
  for (size_t i = 0; letters[i]; i++) {
    names[i][0] = letters[i];
    names[i][1] = '\0';
    pointers[i] = names[i];
  }
  cr_assert_eq(ppi_contraction_read(einsum, &given, &contraction, &error), PERFPRED_OK, "%s", error.text);
  return contraction;
}

static inline struct ppi_contract_algorithm algorithm_of(const struct ppi_contraction *contraction, const char *name) {
  struct ppi_contract_algorithm algorithm;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_contract_find(contraction, name, &algorithm, &error), PERFPRED_OK, "%s", error.text);
  return algorithm;
}

static inline struct ppi_occurrences found(const struct ppi_contraction *contraction, const char *name,
                                           const struct ppi_occurrence_settings *settings) {
  const struct ppi_contract_algorithm algorithm = algorithm_of(contraction, name);
  struct ppi_occurrences occurrences;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_occurrences_find(contraction, &algorithm, settings, &occurrences, &error), PERFPRED_OK, "%s",
               error.text);
  return occurrences;
}

/* "C(3200), [6533056], A-line(64), A'(6400)": other memory in brackets, packed copies with an apostrophe. */
static inline const char *setup_text(const struct ppi_contract_setup *setup, char text[512]) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < setup->count; i++) {
    const struct ppi_setup_item *item = &setup->items[i];
    const char *before = i > 0 ? ", " : "";
    if (item->kind == PPI_SETUP_REMOTE)
      used += (size_t)snprintf(text + used, 512 - used, "%s[%" PRId64 "]", before, item->bytes);
    else
      used += (size_t)snprintf(text + used, 512 - used, "%s%c%s%s(%" PRId64 ")", before, 'A' + item->operand,
                               item->packed ? "'" : "", item->kind == PPI_SETUP_LINE ? "-line" : "", item->bytes);
  }
  return text;
}

/* "kernel normal 140000; " for each. */
static inline const char *counts_text(const struct ppi_occurrences *all, char text[1024]) {
  static const char *const calls[] = { "kernel", "in", "out", "zero" };
  static const char *const kinds[] = { "normal", "fail", "first" };
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < all->count; i++) {
    const struct ppi_occurrence *of = &all->items[i];
    const struct ppi_body_call *call = &all->body.calls[of->call];
    used += (size_t)snprintf(text + used, 1024 - used, "%s%s", i > 0 ? "; " : "", calls[call->kind]);
    if (call->kind == PPI_BODY_COPY_IN)
      used += (size_t)snprintf(text + used, 1024 - used, " %c", 'A' + call->operand);
    used += (size_t)snprintf(text + used, 1024 - used, " %s", kinds[of->kind]);
    if (of->kind == PPI_OCCURRENCE_FIRST)
      used += (size_t)snprintf(text + used, 1024 - used, "%d", of->started);
    used += (size_t)snprintf(text + used, 1024 - used, " %" PRId64, of->count);
  }
  return text;
}

static inline const struct ppi_occurrence *kind_of(const struct ppi_occurrences *all, enum ppi_body_kind call,
                                                   enum ppi_occurrence_kind kind, int started) {
  for (int i = 0; i < all->count; i++)
    if (all->body.calls[all->items[i].call].kind == call && all->items[i].kind == kind &&
        all->items[i].started == started)
      return &all->items[i];
  cr_assert_fail("there is no such occurrence");
  return NULL;
}

#define expect_setup(all, call, kind, started, text)                                                                   \
  do {                                                                                                                 \
    char found_text[512];                                                                                              \
    cr_expect_str_eq(setup_text(&kind_of(all, call, kind, started)->setup, found_text), text, "found %s", found_text); \
  } while (0)

#endif
