/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures: a script for gnuplot, run without a shell; the SVG replaces the target only when gnuplot succeeded. */
#ifndef COMMAND_GNUPLOT_H
#define COMMAND_GNUPLOT_H

#include <stdio.h>

struct gnuplot {
  FILE *script; /* what gnuplot is to do, behind the common settings; plot commands go here */
  char *text;
  size_t length;
};

/* Begins a script with terminal, grid and colours set. Exit code on failure. */
int gnuplot_begin(struct gnuplot *gnuplot, const char *title, const char *x_label, const char *y_label);
/* Changes the title. */
void gnuplot_title(struct gnuplot *gnuplot, const char *title);
/* Makes the picture so many pixels high; before anything is plotted. */
void gnuplot_height(struct gnuplot *gnuplot, int height);
/* Writes text as a quoted string that gnuplot takes literally. */
void gnuplot_quote(struct gnuplot *gnuplot, const char *text);
/* Runs the script and releases it; prints a message on failure. */
int gnuplot_run(struct gnuplot *gnuplot, const char *path);
/* Releases without running. */
void gnuplot_discard(struct gnuplot *gnuplot);

#endif
