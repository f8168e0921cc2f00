/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance of a contraction's algorithms over an extent that varies, predicted and measured. */
#include "plot_contract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contracting.h"
#include "gnuplot.h"

#define POINTS_MAX 1000
#define CURVES_DEFAULT 8

/* An algorithm that some plan predicts. */
struct curve {
  char name[PERFPRED_CONTRACTION_NAME];
  size_t points, picks, measured;
  double excess; /* sum of its predicted times over the best ones, minus 1 */
};

struct picture {
  struct session *session;
  struct gnuplot gnuplot;
  struct extents extents;
  struct perfpred_contraction_plan **plans; /* one for each point */
  int64_t *values;
  size_t points;
  struct curve *curves;
  size_t count, capacity;
};

static int at(const struct picture *picture, size_t point, size_t rank, struct perfpred_contraction_prediction *one) {
  *one = (struct perfpred_contraction_prediction)PERFPRED_CONTRACTION_PREDICTION_INIT;
  if (perfpred_contraction_plan_at(picture->plans[point], rank, one, &picture->session->error) != PERFPRED_OK)
    return session_fail(picture->session);
  return COMMAND_OK;
}

/* --- Plans ---------------------------------------------------------------------------------------------------------- */

static int predict(struct picture *picture, const struct perfpred_contraction *contraction,
                   const struct perfpred_contraction_filter *filter) {
  struct perfpred_contraction_planner *planner = NULL;
  struct progress progress;
  struct session *session = picture->session;
  int result = contracting_planner(session, filter, NULL, &progress, &planner);
  if (result != COMMAND_OK)
    return result;
  progress_begin(&progress, "predict");
  const enum perfpred_status status = perfpred_contraction_planner_sweep(
      planner, contraction, picture->extents.varied, picture->values, picture->points, picture->plans, &session->error);
  result = contracting_end(session, &progress, status);
  const int kept = contracting_release(session, planner);
  return result == COMMAND_OK ? kept : result;
}

static int measure(struct picture *picture) {
  int result = COMMAND_OK;
  for (size_t i = 0; result == COMMAND_OK && picture->session->options->measure != 0 && i < picture->points; i++) {
    struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
    struct progress progress;
    result = contracting_measure(picture->session, picture->plans[i], &progress, &validation);
  }
  return result;
}

/* --- Curves --------------------------------------------------------------------------------------------------------- */

static struct curve *find(struct picture *picture, const char *name) {
  for (size_t i = 0; i < picture->count; i++)
    if (strcmp(picture->curves[i].name, name) == 0)
      return &picture->curves[i];
  if (picture->count == picture->capacity) {
    const size_t capacity = picture->capacity == 0 ? 32 : 2 * picture->capacity;
    struct curve *curves = realloc(picture->curves, capacity * sizeof *curves);
    if (curves == NULL)
      return NULL;
    picture->curves = curves;
    picture->capacity = capacity;
  }
  struct curve *curve = &picture->curves[picture->count++];
  memset(curve, 0, sizeof *curve);
  snprintf(curve->name, sizeof curve->name, "%s", name);
  return curve;
}

static int gather_point(struct picture *picture, size_t point) {
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  if (perfpred_contraction_plan_summary(picture->plans[point], &info, &picture->session->error) != PERFPRED_OK)
    return session_fail(picture->session);
  for (size_t rank = 0; rank < info.listed; rank++) {
    struct perfpred_contraction_prediction one;
    if (at(picture, point, rank, &one) != COMMAND_OK)
      return COMMAND_FAILED;
    if (rank >= info.predicted && isnan(one.measured_s))
      continue;
    struct curve *curve = find(picture, one.name);
    if (curve == NULL)
      return message_fail("out of memory");
    curve->points += rank < info.predicted ? 1 : 0;
    curve->picks += rank == 0 ? 1 : 0;
    curve->measured += isfinite(one.measured_s) ? 1 : 0;
    curve->excess += rank < info.predicted ? one.time_s.med / info.best_s - 1.0 : 0.0;
  }
  return COMMAND_OK;
}

/* Picks first, then what is predicted at more points, then what is faster. */
static int compare(const void *a, const void *b) {
  const struct curve *first = a, *second = b;
  if (first->picks != second->picks)
    return first->picks > second->picks ? -1 : 1;
  if (first->points != second->points)
    return first->points > second->points ? -1 : 1;
  if (first->excess < second->excess || first->excess > second->excess)
    return first->excess < second->excess ? -1 : 1;
  return strcmp(first->name, second->name);
}

static int choose(struct picture *picture) {
  const int64_t asked = picture->session->options->curves;
  const size_t most = asked > 0 ? (size_t)asked : CURVES_DEFAULT;
  int result = COMMAND_OK;
  for (size_t i = 0; result == COMMAND_OK && i < picture->points; i++)
    result = gather_point(picture, i);
  if (result == COMMAND_OK && picture->count > 0)
    qsort(picture->curves, picture->count, sizeof *picture->curves, compare);
  picture->count = picture->count < most ? picture->count : most;
  return result;
}

/* --- The script ----------------------------------------------------------------------------------------------------- */

/* In Gflop/s; "?" is what gnuplot leaves out. */
static void write_rate(FILE *script, double flops, double time_s, char end) {
  if (isfinite(time_s) && time_s > 0.0)
    fprintf(script, "%.6g%c", 1e-9 * flops / time_s, end);
  else
    fprintf(script, "?%c", end);
}

/* "extent, predicted, measured"; an empty line where the algorithm was dropped, so that no line goes over it. */
static int write_curve(struct picture *picture, size_t which, const double *flops) {
  FILE *script = picture->gnuplot.script;
  fprintf(script, "$curve%zu << EOD\n", which);
  for (size_t i = 0; i < picture->points; i++) {
    struct perfpred_contraction_prediction one;
    const int64_t rank = perfpred_contraction_plan_find(picture->plans[i], picture->curves[which].name);
    if (rank >= 0 && at(picture, i, (size_t)rank, &one) != COMMAND_OK)
      return COMMAND_FAILED;
    if (rank < 0 || (isnan(one.time_s.med) && isnan(one.measured_s))) {
      fputc('\n', script);
      continue;
    }
    fprintf(script, "%lld ", (long long)picture->values[i]);
    write_rate(script, flops[i], one.time_s.med, ' ');
    write_rate(script, flops[i], one.measured_s, '\n');
  }
  fputs("EOD\n", script);
  return COMMAND_OK;
}

static int write_pick(struct picture *picture, const double *flops) {
  FILE *script = picture->gnuplot.script;
  fputs("$pick << EOD\n", script);
  for (size_t i = 0; i < picture->points; i++) {
    struct perfpred_contraction_prediction one;
    if (at(picture, i, 0, &one) != COMMAND_OK)
      return COMMAND_FAILED;
    fprintf(script, "%lld ", (long long)picture->values[i]);
    write_rate(script, flops[i], one.time_s.med, '\n');
  }
  fputs("EOD\n", script);
  return COMMAND_OK;
}

/* Room for the legend, three entries in a row. */
static int height(const struct picture *picture) {
  size_t entries = 1;
  for (size_t i = 0; i < picture->count; i++)
    entries += (picture->curves[i].points > 0 ? 1U : 0U) + (picture->curves[i].measured > 0 ? 1U : 0U);
  return 460 + 28 * (int)((entries + 2) / 3);
}

static void write_commands(struct picture *picture) {
  FILE *script = picture->gnuplot.script;
  char text[96];
  gnuplot_height(&picture->gnuplot, height(picture));
  fputs("set datafile missing '?'\nset xrange [*:*] noextend\nset yrange [0:*]\n"
        "plot $pick using 1:2 with lines lc rgb '#c8c8c8' lw 7 title 'pick'",
        script);
  for (size_t i = 0; i < picture->count; i++) {
    const struct curve *curve = &picture->curves[i];
    snprintf(text, sizeof text, "%s predicted", curve->name);
    if (curve->points > 0) {
      fprintf(script, ", $curve%zu using 1:2 with %s lt %zu title ", i, picture->points > 1 ? "lines" : "points",
              i + 1);
      gnuplot_quote(&picture->gnuplot, text);
    }
    if (curve->measured == 0)
      continue;
    snprintf(text, sizeof text, "%s measured", curve->name);
    fprintf(script, ", $curve%zu using 1:3 with points lt %zu ps 0.7 title ", i, i + 1);
    gnuplot_quote(&picture->gnuplot, text);
  }
  fputc('\n', script);
}

static int write_script(struct picture *picture) {
  double *flops = calloc(picture->points, sizeof *flops);
  int result = flops != NULL ? COMMAND_OK : message_fail("out of memory");
  for (size_t i = 0; result == COMMAND_OK && i < picture->points; i++) {
    struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
    if (perfpred_contraction_plan_summary(picture->plans[i], &info, &picture->session->error) != PERFPRED_OK)
      result = session_fail(picture->session);
    flops[i] = info.flops;
  }
  if (result == COMMAND_OK)
    result = write_pick(picture, flops);
  for (size_t i = 0; result == COMMAND_OK && i < picture->count; i++)
    result = write_curve(picture, i, flops);
  free(flops);
  if (result == COMMAND_OK)
    write_commands(picture);
  return result;
}

/* "a = b = c" */
static const char *label(const struct extents *extents, char text[4 * EXTENTS_MAX]) {
  size_t used = 0;
  for (const char *c = extents->varied; *c != '\0'; c++)
    used += (size_t)snprintf(text + used, 4 * EXTENTS_MAX - used, "%s%c", used > 0 ? " = " : "", *c);
  return text;
}

/* The contraction with what does not vary: "ai,ibc->abc, i=8". */
static void heading(const struct picture *picture, const char *einsum, char *text, size_t size) {
  const struct extents *extents = &picture->extents;
  size_t used = (size_t)snprintf(text, size, "%.80s", einsum);
  for (size_t i = 0; i < extents->count && used < size; i++)
    if (strchr(extents->varied, extents->names[i][0]) == NULL)
      used += (size_t)snprintf(text + used, size - used, ", %s=%lld", extents->names[i], (long long)extents->values[i]);
}

static int draw(struct picture *picture, const char *einsum) {
  char title[EXTENTS_TEXT], x_label[4 * EXTENTS_MAX];
  heading(picture, einsum, title, sizeof title);
  int result = gnuplot_begin(&picture->gnuplot, title, label(&picture->extents, x_label), "Gflop/s");
  if (result != COMMAND_OK)
    return result;
  result = write_script(picture);
  if (result == COMMAND_OK)
    return gnuplot_run(&picture->gnuplot, picture->session->options->output);
  gnuplot_discard(&picture->gnuplot);
  return result;
}

/* --- All ------------------------------------------------------------------------------------------------------------ */

static int allocate(struct picture *picture) {
  const struct range *range = &picture->extents.range;
  if (range->upper == 0)
    return message_misuse("'plot contract' needs an extent that varies, such as a=b=c=50:400:50");
  const int64_t count = range_count(range, 1);
  if (count > POINTS_MAX)
    return message_misuse("'plot contract': more than %d extents", POINTS_MAX);
  picture->points = (size_t)count;
  picture->plans = calloc(picture->points, sizeof(struct perfpred_contraction_plan *));
  picture->values = calloc(picture->points, sizeof *picture->values);
  if (picture->plans == NULL || picture->values == NULL)
    return message_fail("out of memory");
  for (int64_t i = 0; i < count; i++)
    picture->values[i] = range->lower + i * range->step;
  return COMMAND_OK;
}

static void release(struct picture *picture) {
  for (size_t i = 0; picture->plans != NULL && i < picture->points; i++)
    perfpred_contraction_plan_destroy(picture->plans[i]);
  free((void *)picture->plans);
  free(picture->values);
  free(picture->curves);
}

static int work(struct picture *picture, const struct perfpred_contraction_filter *filter) {
  const char *einsum = picture->session->options->operands.items[1];
  struct perfpred_contraction *contraction = NULL;
  int result = contracting_create(picture->session, einsum, &picture->extents, &contraction);
  if (result == COMMAND_OK)
    result = predict(picture, contraction, filter);
  if (result == COMMAND_OK)
    result = measure(picture);
  if (result == COMMAND_OK)
    result = choose(picture);
  if (result == COMMAND_OK)
    result = draw(picture, einsum);
  perfpred_contraction_destroy(contraction);
  return result;
}

int plot_contract(const struct options *options) {
  struct perfpred_contraction_filter filter;
  struct session session;
  struct picture picture = { .session = &session };
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = contracting_read_filter(options, &filter);
  if (result == COMMAND_OK)
    result = extents_read(&options->extents, true, &picture.extents);
  if (result == COMMAND_OK)
    result = allocate(&picture);
  if (result == COMMAND_OK)
    result = work(&picture, &filter);
  release(&picture);
  session_close(&session);
  return result;
}
