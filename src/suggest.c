/* SPDX-License-Identifier: BSD-3-Clause */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 64

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Number of insertions, deletions, replacements that lead from a to b. */
static size_t distance(const char *a, const char *b) {
  size_t row[LONGEST + 1];
  size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > LONGEST || b_length > LONGEST)
    return LONGEST;
  for (size_t j = 0; j <= b_length; j++)
    row[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
    }
  }
  return row[b_length];
}

void suggest_begin(struct suggestion *suggestion, const char *wrong) {
  *suggestion = (struct suggestion){ .wrong = wrong, .nearest = NULL, .distance = LONGEST, .text = "" };
}

void suggest_offer(struct suggestion *suggestion, const char *candidate) {
  size_t found = distance(suggestion->wrong, candidate);
  size_t length = strlen(suggestion->wrong);
  size_t limit = length <= 3 ? 1 : length / 3 + 1; /* beyond that it is another word */
  if (found <= limit && found < suggestion->distance) {
    suggestion->nearest = candidate;
    suggestion->distance = found;
  }
}

const char *suggest_text(struct suggestion *suggestion, const char *prefix) {
  if (suggestion->nearest != NULL)
    snprintf(suggestion->text, sizeof suggestion->text, " (did you mean '%s%s'?)", prefix, suggestion->nearest);
  return suggestion->text;
}
