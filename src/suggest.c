/* SPDX-License-Identifier: BSD-3-Clause */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 64

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Number of letters to insert, remove, replace, or swap with the next one on the way from a to b. */
static size_t distance(const char *a, const char *b) {
  size_t cost[LONGEST + 1][LONGEST + 1];
  size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > LONGEST || b_length > LONGEST)
    return LONGEST;
  for (size_t i = 0; i <= a_length; i++) {
    for (size_t j = 0; j <= b_length; j++) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      size_t replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = smaller(replaced, smaller(cost[i - 1][j], cost[i][j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = smaller(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a_length][b_length];
}

/* What can still be a slip. Of a letter or two nothing is left to go by. */
static size_t tolerated(size_t length) {
  if (length < 3)
    return 0;
  return length < 6 ? 1 : length / 3 + 1;
}

void suggest_begin(struct suggestion *suggestion, const char *wrong) {
  *suggestion = (struct suggestion){ .wrong = wrong, .nearest = NULL, .distance = LONGEST, .text = "" };
}

void suggest_offer(struct suggestion *suggestion, const char *candidate) {
  size_t found = distance(suggestion->wrong, candidate);
  size_t limit = tolerated(strlen(suggestion->wrong + strspn(suggestion->wrong, "-"))); /* dashes prove nothing */
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
