/* SPDX-License-Identifier: BSD-3-Clause */
/* What each kernel has of the time and of the flops, and how fast it is, over the size or the block size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "plots.h"

#define POINTS_MAX 10000
#define HEIGHT 1180 /* of three panels */

/* Of one kernel at one point. */
struct part {
  double time_s, flops;
};

struct picture {
  struct gnuplot gnuplot;
  const struct range *varied;
  const char *names[SESSION_KERNELS]; /* of the kernels of all points, in the order in which they were met */
  size_t kernels;
  struct part *parts; /* SESSION_KERNELS of each point */
  size_t points;
  unsigned notes;
};

static int check(const struct session *session, struct picture *picture) {
  const struct options *options = session->options;
  bool over_n = options->n.lower != options->n.upper, over_b = options->b.lower != options->b.upper;
  if (options->n.upper == 0 || (over_n && options->n.step == 0))
    return message_misuse("'plot kernels' needs sizes: -n LO:HI:STEP, or one of them, -n N -b LO:HI:STEP");
  if (over_b && (over_n || options->b.step == 0))
    return message_misuse("option -b: 'plot kernels' takes one block size over several n, or -b LO:HI:STEP at one n");
  picture->varied = over_b ? &options->b : &options->n;
  if (range_count(picture->varied, 1) > POINTS_MAX)
    return message_misuse("'plot kernels': more than %d points", POINTS_MAX);
  picture->points = (size_t)range_count(picture->varied, 1);
  return COMMAND_OK;
}

static int64_t x_of(const struct picture *picture, size_t point) {
  return picture->varied->lower + (int64_t)point * picture->varied->step;
}

/* SESSION_KERNELS: there are too many. */
static size_t place_of(struct picture *picture, const char *kernel) {
  size_t place = 0;
  while (place < picture->kernels && strcmp(picture->names[place], kernel) != 0)
    place++;
  if (place == picture->kernels && place < SESSION_KERNELS)
    picture->names[picture->kernels++] = kernel;
  return place;
}

static int predict_point(struct session *session, struct picture *picture, const int64_t *values, size_t point) {
  const struct perfpred_plan *plan = session->plans[0];
  size_t count = perfpred_program_parameter_count(session->programs[0]), share_count;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_share shares[SESSION_KERNELS];
  if (perfpred_plan_predict(plan, values, count, &prediction, &session->error) != PERFPRED_OK ||
      perfpred_plan_shares(plan, values, count, shares, SESSION_KERNELS, &share_count, &session->error) != PERFPRED_OK)
    return session_fail(session);
  picture->notes |= prediction.notes;
  for (size_t i = 0; i < share_count; i++) {
    size_t place = place_of(picture, shares[i].kernel);
    if (place == SESSION_KERNELS)
      return message_fail("'plot kernels': more than %d kernels", SESSION_KERNELS);
    picture->parts[point * SESSION_KERNELS + place] = (struct part){ shares[i].time_s.med, shares[i].flops };
  }
  return COMMAND_OK;
}

static int predict(struct session *session, struct picture *picture, int64_t *values) {
  const struct options *options = session->options;
  const struct perfpred_program *program = session->programs[0];
  int n_place = perfpred_program_parameter(program, "n"), b_place = perfpred_program_parameter(program, "b");
  int result = COMMAND_OK;
  values[n_place] = options->n.lower;
  if (b_place >= 0)
    values[b_place] = options->b.upper > 0 ? options->b.lower : PLOT_DEFAULT_B;
  for (size_t i = 0; result == COMMAND_OK && i < picture->points; i++) {
    values[picture->varied == &options->b ? b_place : n_place] = x_of(picture, i);
    result = predict_point(session, picture, values, i);
  }
  if (result == COMMAND_OK && picture->kernels == 0)
    result = message_fail("'%s' calls no kernel at these sizes", perfpred_program_name(program));
  return result;
}

static double value_of(const struct part *part, bool flops) {
  return flops ? part->flops : part->time_s;
}

/* x, 0, then what the kernels up to the first, second, ... one have together, percent. A point alone is a block of width 1. */
static void write_stack(struct picture *picture, const char *name, bool flops) {
  FILE *script = picture->gnuplot.script;
  size_t lines = picture->points == 1 ? 2 : picture->points;
  fprintf(script, "$%s << EOD\n", name);
  for (size_t i = 0; i < lines; i++) {
    const struct part *parts = &picture->parts[picture->points == 1 ? 0 : i * SESSION_KERNELS];
    double whole = 0.0, sum = 0.0;
    if (picture->points == 1)
      fprintf(script, "%.1f 0", (double)x_of(picture, 0) + (i == 0 ? -0.5 : 0.5));
    else
      fprintf(script, "%lld 0", (long long)x_of(picture, i));
    for (size_t k = 0; k < picture->kernels; k++)
      whole += value_of(&parts[k], flops);
    for (size_t k = 0; k < picture->kernels; k++) {
      sum += value_of(&parts[k], flops);
      fprintf(script, " %.6g", whole > 0.0 ? 100.0 * sum / whole : 0.0);
    }
    fputc('\n', script);
  }
  fputs("EOD\n", script);
}

static void write_rates(struct picture *picture) {
  FILE *script = picture->gnuplot.script;
  fputs("$rate << EOD\n", script);
  for (size_t i = 0; i < picture->points; i++) {
    fprintf(script, "%lld", (long long)x_of(picture, i));
    for (size_t k = 0; k < picture->kernels; k++) {
      const struct part *part = &picture->parts[i * SESSION_KERNELS + k];
      if (part->time_s > 0.0)
        fprintf(script, " %.6g", 1e-9 * part->flops / part->time_s);
      else
        fputs(" NaN", script);
    }
    fputc('\n', script);
  }
  fputs("EOD\n", script);
}

static void plot_stack(struct picture *picture, const char *name) {
  FILE *script = picture->gnuplot.script;
  fputs("set yrange [0:100]\nplot ", script);
  for (size_t k = 0; k < picture->kernels; k++) {
    fprintf(script, "%s$%s using 1:%zu:%zu with filledcurves lt %zu title ", k > 0 ? ", " : "", name, k + 2, k + 3,
            k + 1);
    gnuplot_quote(&picture->gnuplot, picture->names[k]);
  }
  fputc('\n', script);
}

static void plot_rates(struct picture *picture) {
  FILE *script = picture->gnuplot.script;
  fputs("set yrange [0:*]\nplot ", script);
  for (size_t k = 0; k < picture->kernels; k++) {
    fprintf(script, "%s$rate using 1:%zu with %s lt %zu title ", k > 0 ? ", " : "", k + 2,
            picture->points == 1 ? "points" : "lines", k + 1);
    gnuplot_quote(&picture->gnuplot, picture->names[k]);
  }
  fputc('\n', script);
}

static void write_picture(struct picture *picture, const char *heading) {
  FILE *script = picture->gnuplot.script;
  gnuplot_height(&picture->gnuplot, HEIGHT);
  plot_mark(&picture->gnuplot, heading, picture->notes);
  write_stack(picture, "time", false);
  write_stack(picture, "flops", true);
  write_rates(picture);
  if (picture->points == 1) {
    double x = (double)x_of(picture, 0);
    fprintf(script, "set xrange [%.1f:%.1f]\nset xtics (%.0f)\n", x - 0.5, x + 0.5, x);
  } else {
    fputs("set xrange [*:*] noextend\n", script);
  }
  fputs("set key outside right top vertical Left reverse\nset lmargin 9\nset rmargin 18\nset style fill solid 0.75 "
        "noborder\n"
        "set multiplot layout 3,1\n",
        script);
  plot_stack(picture, "time");
  fputs("unset title\nset ylabel 'share of the flops in %'\n", script);
  plot_stack(picture, "flops");
  fputs("set ylabel 'Gflop/s of each kernel'\n", script);
  plot_rates(picture);
  fputs("unset multiplot\n", script);
}

/* "Kernels of NAME, block size 64" or "Kernels of NAME, n=1000". */
static void compose_heading(const struct session *session, const struct picture *picture, char *heading, size_t size) {
  const struct options *options = session->options;
  const struct perfpred_program *program = session->programs[0];
  const char *name = perfpred_program_name(program);
  if (picture->varied == &options->b)
    snprintf(heading, size, "Kernels of %.64s, n=%lld", name, (long long)options->n.lower);
  else if (perfpred_program_parameter(program, "b") >= 0)
    snprintf(heading, size, "Kernels of %.64s, block size %lld", name,
             (long long)(options->b.upper > 0 ? options->b.lower : PLOT_DEFAULT_B));
  else
    snprintf(heading, size, "Kernels of %.64s", name);
}

static int draw(struct session *session, struct picture *picture, int64_t *values) {
  char heading[SESSION_TEXT];
  int result = predict(session, picture, values);
  if (result != COMMAND_OK)
    return result;
  compose_heading(session, picture, heading, sizeof heading);
  result = gnuplot_begin(&picture->gnuplot, heading,
                         picture->varied == &session->options->b ? "block size b" : "size n", "share of the time in %");
  if (result != COMMAND_OK)
    return result;
  write_picture(picture, heading);
  return gnuplot_run(&picture->gnuplot, session->options->output);
}

int plot_kernels(struct session *session, const struct measured *measured, unsigned *notes) {
  static const char *const open[2] = { "n", "b" };
  const struct perfpred_program *program = session->programs[0];
  struct picture picture = { .notes = 0 };
  int64_t values[SESSION_PARAMETERS];
  (void)measured;
  int result = check(session, &picture);
  if (result == COMMAND_OK)
    result = session_values(session, program, open, values);
  if (result == COMMAND_OK && perfpred_program_parameter(program, "n") < 0)
    result = message_fail("'%s' has no parameter n to vary", perfpred_program_name(program));
  if (result == COMMAND_OK && session->options->b.upper > 0 && perfpred_program_parameter(program, "b") < 0)
    result = message_misuse("option -b: '%s' has no block size b", perfpred_program_name(program));
  if (result != COMMAND_OK)
    return result;
  picture.parts = calloc(picture.points * SESSION_KERNELS, sizeof *picture.parts);
  result = picture.parts != NULL ? draw(session, &picture, values) : message_fail("out of memory");
  free(picture.parts);
  *notes = picture.notes;
  return result;
}
