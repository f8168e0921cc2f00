/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of a saved validation over n. */
#include <stdio.h>
#include <string.h>

#include "gnuplot.h"
#include "plots.h"

static bool first_of_name(const struct measured *measured, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (strcmp(measured->points[i].name, measured->points[index].name) == 0)
      return false;
  }
  return true;
}

static void write_series(struct gnuplot *gnuplot, const struct measured *measured, size_t series, const char *name) {
  fprintf(gnuplot->script, "$error%zu << EOD\n", series);
  for (size_t i = 0; i < measured->count; i++) {
    const struct measured_point *point = &measured->points[i];
    if (strcmp(point->name, name) == 0)
      fprintf(gnuplot->script, "%.0f %.6g\n", point->n, 100.0 * point->are);
  }
  fputs("EOD\n", gnuplot->script);
}

/* The noise floor belongs to the machine, not to an algorithm. */
static void write_noise(struct gnuplot *gnuplot, const struct measured *measured) {
  fputs("$noise << EOD\n", gnuplot->script);
  for (size_t i = 0; i < measured->count; i++) {
    const struct measured_point *point = &measured->points[i];
    fprintf(gnuplot->script, "%.0f %.6g\n", point->n, point->noise >= 0.0 ? 100.0 * point->noise : 0.0);
  }
  fputs("EOD\n", gnuplot->script);
}

static void write_commands(struct gnuplot *gnuplot, size_t series, const char *const *names) {
  FILE *script = gnuplot->script;
  fputs("set xrange [*:*]\nset offsets graph 0.03, graph 0.03, 0, 0\nset yrange [0:*]\n"
        "plot $noise using 1:2 smooth unique with lines lc rgb '#808080' dt 2 lw 1.5 title 'noise floor, mean'",
        script);
  for (size_t i = 0; i < series; i++) {
    char text[128];
    fprintf(script, ", $error%zu using 1:2 with points lt %zu ps 0.45 notitle, ", i, i + 1);
    fprintf(script, "$error%zu using 1:2 smooth unique with lines lt %zu title ", i, i + 1);
    snprintf(text, sizeof text, "%.64s, mean", names[i]);
    gnuplot_quote(gnuplot, text);
  }
  fputc('\n', script);
}

int plot_error(const struct options *options, const struct measured *measured, unsigned *notes) {
  static const char title[] = "Error of the prediction";
  struct gnuplot gnuplot;
  const char *names[16];
  size_t series = 0;
  int result = gnuplot_begin(&gnuplot, title, "size n", "absolute relative error in %");
  if (result != COMMAND_OK)
    return result;
  for (size_t i = 0; result == COMMAND_OK && i < measured->count; i++) {
    if (!first_of_name(measured, i))
      continue;
    if (series == sizeof names / sizeof names[0]) {
      result = message_fail("%s: more than %zu algorithms in one picture", measured->path, series);
      break;
    }
    names[series] = measured->points[i].name;
    write_series(&gnuplot, measured, series, names[series]);
    series++;
  }
  if (result != COMMAND_OK) {
    gnuplot_discard(&gnuplot);
    return result;
  }
  *notes = measured->notes;
  plot_mark(&gnuplot, title, *notes);
  write_noise(&gnuplot, measured);
  write_commands(&gnuplot, series, names);
  return gnuplot_run(&gnuplot, options->output);
}
