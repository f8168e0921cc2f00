/* SPDX-License-Identifier: BSD-3-Clause */
/* Run time over the block size. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gnuplot.h"
#include "plots.h"
#include "units.h"

#define DEFAULT_STEP 8
#define POINTS_MAX 10000

struct picture {
  struct gnuplot gnuplot;
  const struct perfpred_program *program;
  int b_place;
  int64_t values[SESSION_PARAMETERS];
  int64_t best;
  double best_s;
  double measured_best, measured_best_s;
  unsigned notes; /* on any of the predictions */
  size_t predicted, measured;
};

/* Without -b, values that the models do not reach are left out. */
static int write_predicted(struct session *session, struct picture *picture) {
  const struct range *asked = &session->options->b;
  struct range range = asked->upper > 0 ? *asked : (struct range){ 8, 256, 8 };
  size_t count = perfpred_program_parameter_count(picture->program);
  int64_t step = range.step > 0 ? range.step : DEFAULT_STEP;
  if (range_count(&range, step) > POINTS_MAX)
    return message_misuse("option -b: more than %d values", POINTS_MAX);
  fputs("$predicted << EOD\n", picture->gnuplot.script);
  for (int64_t b = range.lower; b <= range.upper; b += step) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    picture->values[picture->b_place] = b;
    enum perfpred_status status =
        perfpred_plan_predict(session->plans[0], picture->values, count, &prediction, &session->error);
    if (status == PERFPRED_OUT_OF_DOMAIN && asked->upper == 0)
      continue;
    if (status != PERFPRED_OK)
      return session_fail(session);
    const struct perfpred_statistics *time = &prediction.time_s;
    picture->notes |= prediction.notes;
    fprintf(picture->gnuplot.script, "%lld %.9g %.9g %.9g\n", (long long)b, time->min * 1e3, time->med * 1e3,
            time->max * 1e3);
    if (picture->predicted++ == 0 || time->med < picture->best_s) {
      picture->best_s = time->med;
      picture->best = b;
    }
  }
  fputs("EOD\n", picture->gnuplot.script);
  return picture->predicted > 0 ? COMMAND_OK : session_fail(session);
}

static int write_measured(const struct session *session, const struct measured *measured, struct picture *picture) {
  const char *name = perfpred_program_name(picture->program);
  int n_place = perfpred_program_parameter(picture->program, "n");
  fputs("$measured << EOD\n", picture->gnuplot.script);
  for (size_t i = 0; i < measured->count; i++) {
    const struct measured_point *point = &measured->points[i];
    if (strcmp(point->name, name) != 0 || isnan(point->b) || n_place < 0 ||
        point->n != (double)picture->values[n_place])
      continue;
    if (picture->measured++ == 0 || point->med_s < picture->measured_best_s) {
      picture->measured_best_s = point->med_s;
      picture->measured_best = point->b;
    }
    fprintf(picture->gnuplot.script, "%.0f %.9g %.9g %.9g\n", point->b, point->min_s * 1e3, point->med_s * 1e3,
            point->max_s * 1e3);
  }
  fputs("EOD\n", picture->gnuplot.script);
  if (picture->measured > 0)
    return COMMAND_OK;
  return message_fail("%s: no point of '%s' at the sizes of %s", measured->path, name,
                      session->options->operands.items[1]);
}

/* A point at the best value, with its place and time in the legend. */
static void write_best(struct picture *picture, const char *what, double b, double time_s, const char *style) {
  char label[80], text[UNIT_TEXT];
  struct unit unit = unit_time(picture->best_s);
  snprintf(label, sizeof label, "%s: b=%.0f, %s %s", what, b, unit_format(text, time_s, &unit), unit.name);
  fprintf(picture->gnuplot.script, ", '+' using (%.0f):(%.9g) every ::0::0 with points %s title ", b, time_s * 1e3,
          style);
  gnuplot_quote(&picture->gnuplot, label);
}

static void write_commands(struct picture *picture) {
  FILE *script = picture->gnuplot.script;
  fputs("set xrange [*:*] noextend\n"
        "set yrange [*:*]\nset offsets 0, 0, graph 0.08, graph 0.08\n"
        "plot ",
        script);
  if (picture->predicted == 1)
    fputs("$predicted using 1:3:2:4 with yerrorbars lt 1 title 'predicted median'", script);
  else
    fputs("$predicted using 1:2:4 with filledcurves lt 1 notitle, "
          "$predicted using 1:3 with lines lt 1 title 'predicted median'",
          script);
  if (picture->measured > 0)
    fputs(", $measured using 1:3:2:4 with yerrorbars lt 3 ps 0.7 lw 1 title 'measured'", script);
  write_best(picture, "predicted best", (double)picture->best, picture->best_s, "lt 2 ps 1.3");
  if (picture->measured > 0)
    write_best(picture, "measured best", picture->measured_best, picture->measured_best_s, "lt 4 ps 1.5");
  fputc('\n', script);
}

static int draw(struct session *session, const struct measured *measured, const char *heading,
                struct picture *picture) {
  int result = write_predicted(session, picture);
  if (result == COMMAND_OK && measured != NULL)
    result = write_measured(session, measured, picture);
  if (result == COMMAND_OK) {
    plot_mark(&picture->gnuplot, heading, picture->notes);
    write_commands(picture);
  }
  return result;
}

/* "Run time of NAME, n=1000": the parameters but the block size. */
static void compose_heading(const struct picture *picture, char *heading, size_t size) {
  size_t count = perfpred_program_parameter_count(picture->program);
  size_t used = (size_t)snprintf(heading, size, "Run time of %s", perfpred_program_name(picture->program));
  for (size_t i = 0; i < count && used < size; i++) {
    if ((int)i != picture->b_place)
      used += (size_t)snprintf(heading + used, size - used, ", %s=%lld",
                               perfpred_program_parameter_name(picture->program, i), (long long)picture->values[i]);
  }
}

int plot_block_size(struct session *session, const struct measured *measured, unsigned *notes) {
  static const char *const open[2] = { "b", NULL };
  struct picture picture = { .program = session->programs[0] };
  char heading[SESSION_TEXT];
  if (session->count != 1)
    return message_fail("'plot block-size' shows one algorithm, not %zu", session->count);
  picture.b_place = perfpred_program_parameter(picture.program, "b");
  if (picture.b_place < 0)
    return message_fail("'%s' has no block size b", perfpred_program_name(picture.program));
  int result = session_values(session, picture.program, open, picture.values);
  if (result != COMMAND_OK)
    return result;
  compose_heading(&picture, heading, sizeof heading);
  result = gnuplot_begin(&picture.gnuplot, heading, "block size b", "time in ms");
  if (result == COMMAND_OK)
    result = draw(session, measured, heading, &picture);
  if (result != COMMAND_OK) {
    gnuplot_discard(&picture.gnuplot);
    return result;
  }
  *notes = picture.notes;
  return gnuplot_run(&picture.gnuplot, session->options->output);
}
