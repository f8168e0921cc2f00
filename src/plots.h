/* SPDX-License-Identifier: BSD-3-Clause */
/* The pictures that `perfpred plot` draws. Each returns an exit code after a message. */
#ifndef COMMAND_PLOTS_H
#define COMMAND_PLOTS_H

#include "gnuplot.h"
#include "session.h"

#define PLOT_DEFAULT_B 64

/* A point of a saved validation. */
struct measured_point {
  const char *name; /* borrowed from the file's document */
  double n, b;      /* NaN: it has none */
  double are, noise, flops;
  double predicted_s;
  double min_s, med_s, max_s;
};

struct measured {
  struct node *document;
  struct measured_point *points;
  size_t count;
  const char *path;
  unsigned notes; /* on the predictions that it was compared with */
};

/* Reads what `validate --json` printed. */
int measured_read(const char *path, struct measured *measured);
void measured_release(struct measured *measured);

/* *notes gets what is known of the predictions in the picture, which carries it in its title. */
int plot_performance(struct session *session, const struct measured *measured, unsigned *notes);
int plot_block_size(struct session *session, const struct measured *measured, unsigned *notes);
int plot_kernels(struct session *session, const struct measured *measured, unsigned *notes);
int plot_map_predicted(struct session *session, const struct measured *measured, unsigned *notes);
int plot_error(const struct options *options, const struct measured *measured, unsigned *notes);
int plot_map_measured(const struct options *options, const struct measured *measured, unsigned *notes);
/* Adds the notes, if there are any, to the title. */
void plot_mark(struct gnuplot *gnuplot, const char *title, unsigned notes);

#endif
