/* SPDX-License-Identifier: BSD-3-Clause */
/* The pictures that `perfpred plot` draws. Each returns an exit code after a message. */
#ifndef COMMAND_PLOTS_H
#define COMMAND_PLOTS_H

#include "session.h"

#define PLOT_DEFAULT_B 64

/* A point of a saved validation. */
struct measured_point {
  const char *name; /* borrowed from the file's document */
  double n, b;      /* NaN: it has none */
  double are, noise, flops;
  double min_s, med_s, max_s;
};

struct measured {
  struct node *document;
  struct measured_point *points;
  size_t count;
  const char *path;
};

/* Reads what `validate --json` printed. */
int measured_read(const char *path, struct measured *measured);
void measured_release(struct measured *measured);

int plot_performance(struct session *session, const struct measured *measured);
int plot_block_size(struct session *session, const struct measured *measured);
int plot_error(const struct options *options, const struct measured *measured);

#endif
