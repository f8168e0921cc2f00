/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance over n, predicted and measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gnuplot.h"
#include "plots.h"

#define SERIES_MAX 64
#define POINTS_MAX 10000
#define PEAK_NEAR 3.0 /* the peak is drawn if it is at most so many times the highest curve */

struct picture {
  struct gnuplot gnuplot;
  struct range n;
  int64_t b;
  double peak;               /* flop/s; 0: unknown */
  unsigned notes;            /* on any of the predictions */
  double highest;            /* flop/s that any curve or point reaches */
  size_t points[SERIES_MAX]; /* measured ones of each algorithm */
};

static int check(const struct session *session, struct picture *picture) {
  const struct options *options = session->options;
  picture->n = options->n;
  picture->b = options->b.upper > 0 ? options->b.lower : PLOT_DEFAULT_B;
  if (picture->n.upper == 0 || (picture->n.lower != picture->n.upper && picture->n.step == 0))
    return message_misuse("'plot performance' needs sizes: -n LO:HI:STEP");
  if (options->b.lower != options->b.upper)
    return message_misuse("option -b: 'plot performance' takes one block size, -b B");
  if (range_count(&picture->n, 1) > POINTS_MAX || session->count > SERIES_MAX)
    return message_misuse("'plot performance': more than %d sizes or %d algorithms", POINTS_MAX, SERIES_MAX);
  return COMMAND_OK;
}

static int write_predicted(struct session *session, size_t which, struct picture *picture) {
  static const char *const open[2] = { "n", "b" };
  const struct perfpred_program *program = session->programs[which];
  int n_place = perfpred_program_parameter(program, "n"), b_place = perfpred_program_parameter(program, "b");
  int64_t values[SESSION_PARAMETERS];
  int result = session_values(session, program, open, values);
  if (result != COMMAND_OK)
    return result;
  if (n_place < 0)
    return message_fail("'%s' has no parameter n to vary", perfpred_program_name(program));
  if (b_place >= 0)
    values[b_place] = picture->b;
  fprintf(picture->gnuplot.script, "$predicted%zu << EOD\n", which);
  int64_t count = range_count(&picture->n, 1);
  for (int64_t i = 0; i < count; i++) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    values[n_place] = picture->n.lower + i * picture->n.step;
    if (perfpred_plan_predict(session->plans[which], values, perfpred_program_parameter_count(program), &prediction,
                              &session->error) != PERFPRED_OK)
      return session_fail(session);
    const struct perfpred_statistics *rate = &prediction.flops_per_s;
    fprintf(picture->gnuplot.script, "%lld %.6g %.6g %.6g\n", (long long)values[n_place], rate->min * 1e-9,
            rate->med * 1e-9, rate->max * 1e-9);
    picture->highest = fmax(picture->highest, rate->max);
    picture->notes |= prediction.notes;
    if (prediction.efficiency.med > 0.0)
      picture->peak = rate->med / prediction.efficiency.med;
  }
  fputs("EOD\n", picture->gnuplot.script);
  return COMMAND_OK;
}

static void write_measured(const struct session *session, size_t which, const struct measured *measured,
                           struct picture *picture) {
  const char *name = perfpred_program_name(session->programs[which]);
  fprintf(picture->gnuplot.script, "$measured%zu << EOD\n", which);
  for (size_t i = 0; i < measured->count; i++) {
    const struct measured_point *point = &measured->points[i];
    bool wanted =
        strcmp(point->name, name) == 0 && point->flops > 0.0 && (isnan(point->b) || point->b == (double)picture->b);
    if (!wanted)
      continue;
    picture->points[which]++;
    picture->highest = fmax(picture->highest, point->flops / point->min_s);
    double work = point->flops * 1e-9;
    fprintf(picture->gnuplot.script, "%.0f %.6g %.6g %.6g\n", point->n, work / point->max_s, work / point->med_s,
            work / point->min_s);
  }
  fputs("EOD\n", picture->gnuplot.script);
}

static void title(struct picture *picture, const char *name, const char *what) {
  char text[128];
  snprintf(text, sizeof text, "%.64s %s", name, what);
  gnuplot_quote(&picture->gnuplot, text);
}

/* A line at the peak, unless that would squeeze the curves into the lowest part of the picture: then a word in the legend. */
static void write_peak(const struct picture *picture) {
  FILE *script = picture->gnuplot.script;
  double peak = picture->peak * 1e-9;
  if (picture->peak <= 0.0)
    return;
  if (picture->highest * PEAK_NEAR >= picture->peak)
    fprintf(script, "%.6g with lines lc rgb '#808080' dt 2 lw 1.5 title 'peak', ", peak);
  else
    fprintf(script, "1/0 with lines lc rgb '#ffffff' title 'peak %.4g Gflop/s, off the scale', ", peak);
}

static void write_commands(const struct session *session, struct picture *picture) {
  FILE *script = picture->gnuplot.script;
  fputs("set xrange [*:*] noextend\nset yrange [0:*]\nplot ", script);
  write_peak(picture);
  bool alone = picture->n.lower == picture->n.upper; /* neither a line nor a band would be seen */
  for (size_t i = 0; i < session->count; i++)
    fprintf(script, "%s$predicted%zu using %s lt %zu notitle", i > 0 ? ", " : "", i,
            alone ? "1:3:2:4 with yerrorbars" : "1:2:4 with filledcurves", i + 1);
  for (size_t i = 0; i < session->count; i++) {
    const char *name = perfpred_program_name(session->programs[i]);
    fprintf(script, ", $predicted%zu using 1:3 with %s lt %zu title ", i, alone ? "points" : "lines", i + 1);
    title(picture, name, "predicted");
    if (picture->points[i] == 0)
      continue;
    fprintf(script, ", $measured%zu using 1:3:2:4 with yerrorbars lt %zu lw 1 notitle", i, i + 1);
    fprintf(script, ", $measured%zu using 1:3 with points lt %zu ps 0.7 title ", i, i + 1);
    title(picture, name, "measured");
  }
  fputc('\n', script);
}

static int draw(struct session *session, const struct measured *measured, const char *heading,
                struct picture *picture) {
  int result = COMMAND_OK;
  size_t points = 0;
  for (size_t i = 0; result == COMMAND_OK && i < session->count; i++) {
    result = write_predicted(session, i, picture);
    if (result == COMMAND_OK && measured != NULL)
      write_measured(session, i, measured, picture);
    points += picture->points[i];
  }
  if (result == COMMAND_OK && measured != NULL && points == 0)
    result = message_fail("%s: no point of these algorithms with b=%lld", measured->path, (long long)picture->b);
  if (result == COMMAND_OK) {
    plot_mark(&picture->gnuplot, heading, picture->notes);
    write_commands(session, picture);
  }
  return result;
}

int plot_performance(struct session *session, const struct measured *measured, unsigned *notes) {
  struct picture picture = { .peak = 0.0 };
  char heading[64];
  int result = check(session, &picture);
  if (result != COMMAND_OK)
    return result;
  snprintf(heading, sizeof heading, "Performance, block size %lld", (long long)picture.b);
  result = gnuplot_begin(&picture.gnuplot, heading, "size n", "Gflop/s");
  if (result == COMMAND_OK)
    result = draw(session, measured, heading, &picture);
  if (result != COMMAND_OK) {
    gnuplot_discard(&picture.gnuplot);
    return result;
  }
  *notes = picture.notes;
  return gnuplot_run(&picture.gnuplot, session->options->output);
}
