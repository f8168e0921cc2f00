/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors over size and block size, as coloured cells: of a saved validation, or those that the models expect of themselves. What
   is grey is not known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "plots.h"

#define CELLS_MAX 10000
#define NUMBERS_MAX 150 /* cells whose errors are written into them; more would be unreadable */
#define COLUMNS_MAX 14
#define HALF_CELL 4.0   /* of an axis with a single value */
#define LEAST_SPAN 0.01 /* of the colours, percent: an error of 0 everywhere needs one, too */

struct cell {
  double n, b;
  double error; /* percent */
};

/* Different values in rising order. */
struct axis {
  double *values;
  size_t count;
};

struct map {
  struct cell *cells;
  size_t count;
  struct axis n, b;
  bool has_sign;
  char title[SESSION_TEXT];
  unsigned notes;
};

static void release(struct map *map) {
  free(map->cells);
  free(map->n.values);
  free(map->b.values);
}

static int begin(struct map *map, size_t capacity) {
  map->cells = calloc(capacity, sizeof *map->cells);
  map->n.values = calloc(capacity, sizeof *map->n.values);
  map->b.values = calloc(capacity, sizeof *map->b.values);
  return map->cells != NULL && map->n.values != NULL && map->b.values != NULL ? COMMAND_OK
                                                                              : message_fail("out of memory");
}

static void add(struct map *map, double n, double b, double error) {
  map->n.values[map->count] = n;
  map->b.values[map->count] = b;
  map->cells[map->count++] = (struct cell){ n, b, 100.0 * error };
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void sort(struct axis *axis, size_t count) {
  qsort(axis->values, count, sizeof *axis->values, compare);
  for (size_t i = 0; i < count; i++) {
    if (axis->count == 0 || axis->values[i] > axis->values[axis->count - 1])
      axis->values[axis->count++] = axis->values[i];
  }
}

/* Half the way to the neighbours; the outermost cells are as wide outwards as inwards. */
static void bounds(const struct axis *axis, double value, double *low, double *high) {
  const double *place = bsearch(&value, axis->values, axis->count, sizeof *axis->values, compare);
  bool is_first = place == axis->values, is_last = place == axis->values + axis->count - 1;
  double before = is_first ? HALF_CELL : (value - place[-1]) / 2.0;
  double behind = is_last ? HALF_CELL : (place[1] - value) / 2.0;
  *low = value - (is_first && !is_last ? behind : before);
  *high = value + (is_last && !is_first ? before : behind);
}

static void write_cells(const struct map *map, FILE *script) {
  fputs("$map << EOD\n", script);
  for (size_t i = 0; i < map->count; i++) {
    const struct cell *cell = &map->cells[i];
    double n_low, n_high, b_low, b_high;
    bounds(&map->n, cell->n, &n_low, &n_high);
    bounds(&map->b, cell->b, &b_low, &b_high);
    fprintf(script, "%.0f %.0f %.9g %.9g %.9g %.9g %.6g\n", cell->n, cell->b, n_low, n_high, b_low, b_high,
            cell->error);
  }
  fputs("EOD\n", script);
}

static void write_commands(const struct map *map, FILE *script) {
  double span = LEAST_SPAN;
  for (size_t i = 0; i < map->count; i++)
    span = fmax(span, fabs(map->cells[i].error));
  fprintf(script, "set cbrange [%.6g:%.6g]\n", map->has_sign ? -span : 0.0, span);
  if (map->has_sign)
    fputs("set palette defined (-1 '#0072B2', 0 '#ffffff', 1 '#D55E00')\n"
          "set cblabel 'relative error in %, below 0: predicted too short'\n",
          script);
  else
    fputs("set palette defined (0 '#ffffff', 1 '#D55E00')\nset cblabel 'expected error of the models in %'\n", script);
  fputs("unset key\nunset grid\nset tics out\nset xrange [*:*] noextend\nset yrange [*:*] noextend\n"
        "set style fill solid 1.0 noborder\nset rmargin at screen 0.81\nset format cb '%.3g'\n"
        "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#e4e4e4'\n"
        "plot $map using 1:2:3:4:5:6:7 with boxxyerror lc palette",
        script);
  if (map->count <= NUMBERS_MAX && map->n.count <= COLUMNS_MAX)
    fprintf(script, ", $map using 1:2:(sprintf('%s', $7)) with labels font ',12'", map->has_sign ? "%+.1f" : "%.1f");
  fputc('\n', script);
}

static int draw(struct map *map, const char *path) {
  struct gnuplot gnuplot;
  sort(&map->n, map->count);
  sort(&map->b, map->count);
  int result = gnuplot_begin(&gnuplot, map->title, "size n", "block size b");
  if (result != COMMAND_OK)
    return result;
  plot_mark(&gnuplot, map->title, map->notes);
  write_cells(map, gnuplot.script);
  write_commands(map, gnuplot.script);
  return gnuplot_run(&gnuplot, path);
}

/* The one algorithm of the file, or that of this name. */
static int find_name(const struct measured *measured, const char *wanted, const char **name) {
  *name = wanted != NULL ? wanted : measured->points[0].name;
  for (size_t i = 0; wanted == NULL && i < measured->count; i++) {
    if (strcmp(measured->points[i].name, *name) != 0)
      return message_misuse("%s: points of '%s' and of '%s': expected 'plot error-map NAME', one of them",
                            measured->path, *name, measured->points[i].name);
  }
  return COMMAND_OK;
}

int plot_map_measured(const struct options *options, const struct measured *measured, unsigned *notes) {
  struct map map = { .has_sign = true, .notes = measured->notes };
  const char *name;
  int result = find_name(measured, options->operands.count > 1 ? options->operands.items[1] : NULL, &name);
  if (result == COMMAND_OK)
    result = begin(&map, measured->count);
  for (size_t i = 0; result == COMMAND_OK && i < measured->count; i++) {
    const struct measured_point *point = &measured->points[i];
    if (strcmp(point->name, name) == 0 && point->b >= 1.0 && point->predicted_s >= 0.0)
      add(&map, point->n, point->b, (point->predicted_s - point->med_s) / point->med_s);
  }
  if (result == COMMAND_OK && map.count == 0)
    result = message_fail("%s: no point of '%s' with n, b and predicted_s", measured->path, name);
  snprintf(map.title, sizeof map.title, "Error of the prediction of %.64s", name);
  if (result == COMMAND_OK)
    result = draw(&map, options->output);
  *notes = map.notes;
  release(&map);
  return result;
}

static int check(const struct options *options) {
  const struct range *n = &options->n, *b = &options->b;
  if (n->upper == 0 || b->upper == 0 || (n->lower != n->upper && n->step == 0) ||
      (b->lower != b->upper && b->step == 0))
    return message_misuse("'plot error-map' needs sizes and block sizes: -n LO:HI:STEP -b LO:HI:STEP");
  if (range_count(n, 1) > CELLS_MAX / range_count(b, 1))
    return message_misuse("'plot error-map': more than %d points", CELLS_MAX);
  return COMMAND_OK;
}

static int predict(struct session *session, int64_t *values, struct map *map) {
  const struct perfpred_program *program = session->programs[0];
  const struct range *n = &session->options->n, *b = &session->options->b;
  int n_place = perfpred_program_parameter(program, "n"), b_place = perfpred_program_parameter(program, "b");
  int64_t n_count = range_count(n, 1), b_count = range_count(b, 1);
  for (int64_t i = 0; i < n_count * b_count; i++) {
    struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
    values[n_place] = n->lower + (i / b_count) * n->step;
    values[b_place] = b->lower + (i % b_count) * b->step;
    if (perfpred_plan_predict(session->plans[0], values, perfpred_program_parameter_count(program), &prediction,
                              &session->error) != PERFPRED_OK)
      return session_fail(session);
    map->notes |= prediction.notes;
    if (isfinite(prediction.model_error))
      add(map, (double)values[n_place], (double)values[b_place], prediction.model_error);
  }
  return map->count > 0 ? COMMAND_OK : message_fail("the models do not say how large their errors are");
}

int plot_map_predicted(struct session *session, const struct measured *measured, unsigned *notes) {
  static const char *const open[2] = { "n", "b" };
  const struct perfpred_program *program = session->programs[0];
  const char *name = perfpred_program_name(program);
  struct map map = { .has_sign = false };
  int64_t values[SESSION_PARAMETERS];
  (void)measured;
  int result = check(session->options);
  if (result == COMMAND_OK &&
      (perfpred_program_parameter(program, "n") < 0 || perfpred_program_parameter(program, "b") < 0))
    result = message_fail("'%s' has no parameters n and b to vary", name);
  if (result == COMMAND_OK)
    result = session_values(session, program, open, values);
  if (result == COMMAND_OK)
    result = begin(&map, (size_t)(range_count(&session->options->n, 1) * range_count(&session->options->b, 1)));
  if (result == COMMAND_OK)
    result = predict(session, values, &map);
  snprintf(map.title, sizeof map.title, "Errors that the models of %.64s expect, not measured", name);
  if (result == COMMAND_OK)
    result = draw(&map, session->options->output);
  *notes = map.notes;
  release(&map);
  return result;
}
