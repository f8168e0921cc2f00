/* SPDX-License-Identifier: BSD-3-Clause */
/* Long work: a bar on a terminal, and an interrupt that ends it cleanly. */
#ifndef COMMAND_PROGRESS_H
#define COMMAND_PROGRESS_H

#include <perfpred/common.h>

#include <signal.h>
#include <stdbool.h>

struct progress {
  const char *what; /* in one word */
  bool terminal;
  int width;                             /* of the terminal */
  double drawn_s;                        /* when the bar was drawn last; negative: never */
  struct sigaction interrupt, terminate; /* as they were before */
};

/* From here to progress_end, SIGINT and SIGTERM cancel instead of ending the program; a second one ends it. */
void progress_begin(struct progress *progress, const char *what);
/* A perfpred_progress_fn; data is the struct progress. */
int progress_step(void *data, const struct perfpred_progress *state);
/* Clears the bar; true if the work was interrupted. */
bool progress_end(struct progress *progress);

#endif
