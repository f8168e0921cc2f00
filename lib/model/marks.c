/* SPDX-License-Identifier: BSD-3-Clause */
/* Which journals went into models. A journal outlives the save of its samples by a moment; whoever finds it then must not take
   them a second time. */
#include <assert.h>
#include <string.h>

#include "model/model.h"

bool ppi_marks_have(const struct ppi_marks *marks, const char *mark) {
  for (int i = 0; i < marks->count; i++)
    if (strcmp(marks->texts[i], mark) == 0)
      return true;
  return false;
}

void ppi_marks_add(struct ppi_marks *marks, const char *mark) {
  assert(strlen(mark) < PPI_MARK_MAX);
  if (!mark[0] || ppi_marks_have(marks, mark))
    return;
  if (marks->count == PPI_MARKS) /* the oldest goes: its journal is long gone */
    memmove(marks->texts[0], marks->texts[1], (size_t)--marks->count * PPI_MARK_MAX);
  memcpy(marks->texts[marks->count++], mark, strlen(mark) + 1);
}

void ppi_marks_join(struct ppi_marks *marks, const struct ppi_marks *others) {
  for (int i = 0; i < others->count; i++)
    ppi_marks_add(marks, others->texts[i]);
}
