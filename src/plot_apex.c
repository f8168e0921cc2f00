/* SPDX-License-Identifier: BSD-3-Clause */
/* The plane of bytes and flops per cycle: runs of Apex-MAP, rectangles of an application as coloured cells, and what stands for them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apex_tables.h"
#include "gnuplot.h"

#define NUMBERS_MAX 60 /* rectangles whose weights are written into them */
#define KINDS 2

static void write_points(FILE *script, const struct node *points) {
  static const char *const kinds[KINDS] = { "strided", "random" };
  const struct node *list = node_member(points, "points");
  for (int kind = 0; kind < KINDS; kind++) {
    fprintf(script, "$%s << EOD\n", kinds[kind]);
    for (size_t i = 0; i < node_count(list); i++) {
      const struct node *point = node_element(list, i);
      if (strncmp(node_string(node_member(point, "run")), kinds[kind], strlen(kinds[kind])) == 0)
        fprintf(script, "%.9g %.9g\n", node_number(node_member(point, "bytes_per_cycle")),
                node_number(node_member(point, "flops_per_cycle")));
    }
    fputs("EOD\n", script);
  }
}

static void write_rectangles(FILE *script, const struct node *weights) {
  const struct node *list = node_member(weights, "rectangles");
  fputs("$rectangles << EOD\n", script);
  for (size_t i = 0; i < node_count(list); i++) {
    const struct node *one = node_element(list, i);
    const struct node *x = node_member(one, "bytes_per_cycle"), *y = node_member(one, "flops_per_cycle");
    double left = node_number(node_element(x, 0)), right = node_number(node_element(x, 1));
    double low = node_number(node_element(y, 0)), high = node_number(node_element(y, 1));
    fprintf(script, "%.9g %.9g %.9g %.9g %.9g %.9g %.6g\n", 0.5 * (left + right), 0.5 * (low + high), left, right, low,
            high, 100.0 * node_number(node_member(one, "weight")));
  }
  fputs("EOD\n$representatives << EOD\n", script);
  for (size_t i = 0; i < node_count(list); i++) {
    const struct node *run = node_member(node_element(list, i), "representative");
    if (isfinite(node_number(node_member(run, "time_s"))))
      fprintf(script, "%.9g %.9g\n", node_number(node_member(run, "bytes_per_cycle")),
              node_number(node_member(run, "flops_per_cycle")));
  }
  fputs("EOD\n", script);
}

static int has_kind(const struct node *points, const char *kind) {
  const struct node *list = node_member(points, "points");
  for (size_t i = 0; i < node_count(list); i++)
    if (strncmp(node_string(node_member(node_element(list, i), "run")), kind, strlen(kind)) == 0)
      return 1;
  return 0;
}

static void write_plot(FILE *script, const struct node *points, const struct node *weights) {
  const size_t count = node_count(node_member(weights, "rectangles"));
  const char *comma = "";
  fputs("plot ", script);
  if (weights != NULL) {
    fputs("$rectangles using 1:2:3:4:5:6:7 with boxxyerror fs solid 1.0 noborder lc palette notitle", script);
    comma = ", ";
  }
  if (points != NULL && has_kind(points, "strided")) {
    fprintf(script, "%s$strided using 1:2 with points lt 1 ps 0.5 title 'strided'", comma);
    comma = ", ";
  }
  if (points != NULL && has_kind(points, "random")) {
    fprintf(script, "%s$random using 1:2 with points lt 3 ps 0.5 title 'random'", comma);
    comma = ", ";
  }
  if (weights != NULL)
    fprintf(script, "%s$representatives using 1:2 with points lt 2 pt 6 ps 1.1 title 'representatives'", comma);
  if (weights != NULL && count <= NUMBERS_MAX)
    fputs(", $rectangles using 1:2:(sprintf('%.1f', $7)) with labels font ',10' notitle", script);
  fputc('\n', script);
}

int apex_plot(const struct node *points, const struct node *weights, const char *path) {
  struct gnuplot gnuplot;
  const struct node *place = weights != NULL ? weights : points;
  char title[300];
  snprintf(title, sizeof title, "%s%s%s on %.100s", points != NULL ? "Apex-MAP" : "",
           points != NULL && weights != NULL ? " and " : "", weights != NULL ? "an application" : "",
           node_string(node_member(place, "cpu")));
  int result = gnuplot_begin(&gnuplot, title, "bytes from memory per cycle", "flops per cycle");
  if (result != 0)
    return result;
  FILE *script = gnuplot.script;
  fputs("set xrange [0:*]\nset yrange [0:*]\n", script);
  if (points != NULL)
    write_points(script, points);
  if (weights != NULL) {
    write_rectangles(script, weights);
    fputs("set palette defined (0 '#ffffff', 0.02 '#fbe3d3', 1 '#D55E00')\nset cbrange [0:*]\n"
          "set cblabel 'share of the time in %'\nset rmargin at screen 0.81\n",
          script);
  }
  write_plot(script, points, weights);
  return gnuplot_run(&gnuplot, path);
}
