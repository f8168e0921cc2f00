/* SPDX-License-Identifier: BSD-3-Clause */
/* "did you mean": the candidate nearest to a mistyped name. */
#ifndef COMMAND_SUGGEST_H
#define COMMAND_SUGGEST_H

#include <stddef.h>

struct suggestion {
  const char *wrong;
  const char *nearest; /* borrowed from the candidates; NULL while none is near */
  size_t distance;
  char text[96]; /* set by suggest_text */
};

void suggest_begin(struct suggestion *suggestion, const char *wrong);
void suggest_offer(struct suggestion *suggestion, const char *candidate);
/* " (did you mean 'X'?)" with the candidate behind a prefix such as "--"; "" where none is near. */
const char *suggest_text(struct suggestion *suggestion, const char *prefix);

#endif
