/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists in braces: those in the head of a block, which make it a family, and those behind that follow the present entry. */
#ifndef PPI_BASE_FAMILY_H
#define PPI_BASE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scan.h"

static inline bool ppi_scan_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool ppi_scan_is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* What a list stands for: where it lies, empty if there is no such entry. */
struct ppi_family_part {
  const char *begin;
  size_t length;
};

/* Length of the list after the brace at `brace` (without the braces), or -1 if it is not closed or holds anything but names. */
long ppi_family_list_length(const char *brace, const char *end);
/* The same in a line of plain text, where entries may hold anything but braces and commas. */
long ppi_family_prose_length(const char *brace, const char *end);
/* First brace of the name (hyphens allowed) that goes on at `at`, or NULL. */
const char *ppi_family_next_brace(const struct ppi_scanner *scanner, const char *at);
/* What the list `inner` stands for now; NULL and a reason if it fits the present family not. */
const char *ppi_family_resolve(const struct ppi_scanner *scanner, const char *inner, size_t length,
                               struct ppi_family_part *part);

#endif
