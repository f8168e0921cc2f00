/* SPDX-License-Identifier: BSD-3-Clause */
/* Long work: a bar on a terminal, and an interrupt that ends it cleanly. */
#ifndef COMMAND_PROGRESS_H
#define COMMAND_PROGRESS_H

#include <perfpred/common.h>

#include <signal.h>
#include <stdbool.h>

#define PROGRESS_SIGNALS 4

struct progress {
  const char *what; /* in one word */
  bool terminal;
  int width;                                 /* of the terminal */
  double drawn_s;                            /* when the bar was drawn last; negative: never */
  struct sigaction before[PROGRESS_SIGNALS]; /* what the signals did */
};

/* From here to progress_end, SIGINT, SIGTERM, SIGHUP and SIGPIPE cancel instead of ending the program; a second one ends it. One that
   is ignored (nohup) stays so. */
void progress_begin(struct progress *progress, const char *what);
/* A perfpred_progress_fn; data is the struct progress. */
int progress_step(void *data, const struct perfpred_progress *state);
/* Clears the bar; true if the work was interrupted. */
bool progress_end(struct progress *progress);

#endif
