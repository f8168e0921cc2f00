/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis: each reference's instances are explored (affine/path.h) for the access that touched the line before and the number of
   lines touched since; the pieces that come out are counted. */
#include <inttypes.h>
#include <stdlib.h>

#include "affine/piece.h"

#define ATTEMPTS 32 /* each one gives more phases to some loop */

struct analysis {
  const struct perfpred_program *program;
  const struct ppi_misses_options *options;
  struct ppi_misses *misses;
  struct perfpred_error *error;
  struct ppi_pause pause;
  struct ppi_nest *nest;
  struct ppi_engine *engine;
  struct ppi_total total;
  int64_t *cache_lines;
  int outside; /* subscript of the present run that lies outside of the array; -1: none */
};

static const struct ppi_nest_reference *target_of(const struct analysis *analysis) {
  return &analysis->nest->references[analysis->engine->target.index];
}

static struct ppi_form form_of(struct ppi_engine *engine, const struct ppi_nest_reference *target,
                               const struct ppi_affine *affine) {
  return ppi_row_of(affine, target->depth, target->depth, engine->target.counters, &engine->system.fits).form;
}

/* Whether the bounds on the counters alone keep a subscript within 0 .. last. */
static bool is_surely_inside(const struct ppi_nest_reference *target, const struct ppi_affine *given, int64_t last) {
  double least = (double)given->constant, most = least;
  for (int i = 0; i < target->depth; i++) {
    const double factor = (double)given->c[i];
    least += factor * (double)(factor > 0 ? target->low[i] : target->high[i]);
    most += factor * (double)(factor > 0 ? target->high[i] : target->low[i]);
  }
  return least >= 0 && most <= (double)last && most < 1e15; /* exact so far */
}

/* Whether a subscript lies within the array; `outside`, if not. */
static bool check_subscript(struct analysis *analysis, int subscript) {
  struct ppi_engine *engine = analysis->engine;
  const struct ppi_nest_reference *target = target_of(analysis);
  const int64_t extent = analysis->nest->layout.arrays[target->node->buffer].extent[subscript];
  const struct ppi_form last = ppi_form_constant(extent - 1);
  if (is_surely_inside(target, &target->given[subscript], extent - 1))
    return true;
  const struct ppi_form given = form_of(engine, target, &target->given[subscript]);
  const struct ppi_form room = ppi_form_sub(&last, &given, &engine->system.fits);
  if (ppi_path_sign(engine->path, &given) && ppi_path_sign(engine->path, &room))
    return true;
  if (!engine->path->stop)
    analysis->outside = subscript;
  return false;
}

/* Restricts the run to instances of the target, and finds their lines. */
static void set_target(struct analysis *analysis) {
  struct ppi_engine *engine = analysis->engine;
  const struct ppi_nest_reference *target = target_of(analysis);
  const struct ppi_nest_array *array = &analysis->nest->arrays[target->array];
  engine->system.fits = true;
  analysis->outside = -1;
  for (int i = 0; i < target->depth; i++)
    engine->target.counters[i] = ppi_path_counter(engine->path, i);
  for (int i = 0; i < target->row_count; i++) {
    const struct ppi_form form =
        ppi_row_of(&target->rows[i].form, target->depth, target->depth, engine->target.counters, &engine->system.fits)
            .form;
    if (!ppi_path_sign(engine->path, &form)) {
      ppi_path_stop(engine->path, PPI_PATH_EMPTY);
      return;
    }
  }
  for (int i = 0; i < analysis->nest->layout.arrays[target->node->buffer].dimensions; i++)
    if (!check_subscript(analysis, i))
      return;
  for (int i = 0; i < array->dimensions; i++)
    engine->rows[i] = form_of(engine, target, &target->subscripts[i]);
  engine->line = ppi_path_floor(engine->path, &engine->rows[array->inner], array->per_line);
  if (!engine->system.fits)
    ppi_path_give_up(engine->path, "numbers become too large");
}

static bool is_done(const struct ppi_stage *stage, int changed) {
  return stage->answers >= 0 && stage->answers <= changed;
}

static void find_previous(struct analysis *analysis) {
  struct ppi_engine *engine = analysis->engine;
  for (int i = 0; i < PPI_STAGES; i++)
    engine->stages[i].built = false;
  set_target(analysis);
  engine->found = false;
  if (engine->path->stop || analysis->outside >= 0)
    return;
  ppi_engine_find_previous(engine);
  ppi_poly_constant(&engine->stages[0].lines, 1);
}

/* One array's lines on top of the stage before. */
static void count_array(struct ppi_engine *engine, int array) {
  struct ppi_stage *stage = &engine->stages[array + 1];
  ppi_poly_copy(&stage->lines, &engine->stages[array].lines);
  if (!stage->built) {
    ppi_engine_find_footprints(engine, array);
    stage->built = !engine->path->stop;
  }
  if (!engine->path->stop)
    ppi_engine_count_lines(engine, array, &stage->lines);
}

/* The computation: stages whose answers are those of the last run are not run again. */
static void run(struct analysis *analysis, int changed) {
  struct ppi_engine *engine = analysis->engine;
  const int count = analysis->nest->array_count;
  int stage = 0;
  while (stage <= count && is_done(&engine->stages[stage], changed))
    engine->path->cursor = engine->stages[stage++].answers;
  for (int i = stage; i <= count; i++)
    engine->stages[i].answers = -1;
  for (; stage <= count && !engine->path->stop; stage++) {
    if (stage == 0)
      find_previous(analysis);
    else if (engine->found)
      count_array(engine, stage - 1);
    if (!engine->path->stop)
      engine->stages[stage].answers = engine->path->cursor;
    if (!engine->found)
      return;
  }
}

static enum perfpred_status refuse(struct analysis *analysis, const char *reason) {
  const struct ppi_nest_reference *target = target_of(analysis);
  return ppi_error_set(analysis->error, PERFPRED_UNSUPPORTED, "%s, line %d, %s: %s", analysis->program->name,
                       target->node->line, analysis->program->buffers[target->node->buffer].name, reason);
}

static enum perfpred_status refuse_memory(struct analysis *analysis, enum perfpred_status status) {
  if (status != PERFPRED_LIMIT)
    return ppi_error_memory(analysis->error);
  return ppi_error_set(analysis->error, status,
                       "%s: the analysis takes more than the %" PRIu64 " bytes of memory allowed",
                       analysis->program->name, analysis->options->budget_bytes);
}

static enum perfpred_status refuse_outside(struct analysis *analysis) {
  const struct ppi_nest_reference *target = target_of(analysis);
  return ppi_error_set(analysis->error, PERFPRED_INVALID,
                       "%s, line %d: subscript %d of %s leaves the array, expected 0 to %" PRId64,
                       analysis->program->name, target->node->line, analysis->outside + 1,
                       analysis->program->buffers[target->node->buffer].name,
                       analysis->nest->layout.arrays[target->node->buffer].extent[analysis->outside] - 1);
}

static enum perfpred_status add_text(struct analysis *analysis, const struct ppi_piece *piece, uint64_t accesses) {
  struct ppi_misses_piece text = { .site = target_of(analysis)->node->site, .accesses = accesses };
  ppi_wide least = 0, most = 0;
  if (!analysis->options->pieces || accesses == 0)
    return PERFPRED_OK;
  if (!piece->first) {
    ppi_piece_range(piece, &least, &most);
    text.min = (uint64_t)least;
    text.max = most == INT64_MAX ? 0 : (uint64_t)most;
  }
  text.conditions = ppi_piece_conditions(piece, analysis->program);
  text.distance = ppi_piece_distance(piece, analysis->program);
  return ppi_misses_add_piece(analysis->misses, &text, analysis->error);
}

/* Counts what the run has found. */
static enum perfpred_status take_piece(struct analysis *analysis) {
  struct ppi_engine *engine = analysis->engine;
  const struct ppi_nest_reference *target = target_of(analysis);
  const struct ppi_piece piece = { engine->path, target, !engine->found,
                                   &engine->stages[analysis->nest->array_count].lines };
  struct ppi_misses_count *count = &analysis->misses->references[target->node->site];
  uint64_t accesses = 0;
  if (!piece.first && piece.lines->bad)
    return refuse(analysis, "numbers become too large");
  ppi_piece_count(&piece, analysis->cache_lines, analysis->options->level_count, &analysis->total, count, &accesses);
  if (analysis->total.status)
    return analysis->total.status;
  if (analysis->outside >= 0)
    return accesses > 0 ? refuse_outside(analysis) : PERFPRED_OK;
  return add_text(analysis, &piece, accesses);
}

/* That a set has no points was found by arithmetic in doubles: an exact count makes sure. */
static enum perfpred_status check_void(struct analysis *analysis) {
  const struct ppi_piece piece = { .path = analysis->engine->path };
  struct ppi_set set;
  ppi_piece_set(&piece, &set);
  const uint64_t points = ppi_set_tighten(&set) ? ppi_total_points(&analysis->total, &set) : 0;
  if (analysis->total.status)
    return analysis->total.status;
  return points > 0 ? refuse(analysis, "its constraints are beyond the arithmetic in doubles") : PERFPRED_OK;
}

static enum perfpred_status take_run(struct analysis *analysis) {
  const struct ppi_path *path = analysis->engine->path;
  switch (path->stop) {
  case PPI_PATH_GOES_ON:
    return take_piece(analysis);
  case PPI_PATH_EMPTY:
  case PPI_PATH_PHASES:
    return PERFPRED_OK;
  case PPI_PATH_VOID:
    return check_void(analysis);
  case PPI_PATH_BEYOND:
    return refuse(analysis, path->reason);
  case PPI_PATH_LIMIT:
    return refuse_memory(analysis, PERFPRED_LIMIT);
  case PPI_PATH_MEMORY:
    break;
  }
  return refuse_memory(analysis, PERFPRED_NO_MEMORY);
}

/* All runs for the target with a path of its own. *again: more loops need phases, which are marked. */
static enum perfpred_status explore(struct analysis *analysis, int64_t modulus[PPI_LOOPS], bool *again) {
  struct ppi_engine *engine = analysis->engine;
  const struct ppi_nest_reference *target = target_of(analysis);
  int changed = -1;
  enum perfpred_status status = ppi_path_create(target->depth, analysis->options->budget_bytes, modulus, target->low,
                                                target->high, &engine->path);
  if (status)
    return refuse_memory(analysis, status);
  *again = false;
  for (int i = 0; i < PPI_STAGES; i++)
    engine->stages[i].answers = -1;
  do {
    if (!engine->path->stop)
      run(analysis, changed);
    *again = engine->path->stop == PPI_PATH_PHASES;
    status = take_run(analysis);
    if (!status)
      status = ppi_pause_check(&analysis->pause, analysis->program->name, analysis->error);
  } while (!status && !*again && ppi_path_next(engine->path, &changed));
  for (int i = 0; i < target->depth; i++)
    modulus[i] = engine->path->wanted[i] > 0 ? engine->path->wanted[i] : modulus[i];
  ppi_path_destroy(engine->path);
  engine->path = NULL;
  return status;
}

static void clear_count(struct analysis *analysis) {
  struct ppi_misses_count *count = &analysis->misses->references[target_of(analysis)->node->site];
  count->accesses = count->compulsory = 0;
  for (size_t i = 0; i < analysis->options->level_count; i++)
    count->capacity[i] = 0;
  while (analysis->misses->piece_count > 0 &&
         analysis->misses->pieces[analysis->misses->piece_count - 1].site == target_of(analysis)->node->site) {
    const struct ppi_misses_piece *piece = &analysis->misses->pieces[--analysis->misses->piece_count];
    free(piece->distance);
    free(piece->conditions);
  }
}

static enum perfpred_status analyse_reference(struct analysis *analysis, int index) {
  int64_t modulus[PPI_LOOPS];
  bool again = true;
  enum perfpred_status status = PERFPRED_OK;
  analysis->engine->target.index = index;
  if (target_of(analysis)->empty)
    return PERFPRED_OK;
  for (int i = 0; i < PPI_LOOPS; i++)
    modulus[i] = 1;
  for (int i = 0; i < ATTEMPTS && again && !status; i++) {
    clear_count(analysis);
    status = explore(analysis, modulus, &again);
  }
  if (!status && again)
    return refuse(analysis, "phases of loops depend on each other");
  struct ppi_misses_count *count = &analysis->misses->references[target_of(analysis)->node->site];
  if (!status && target_of(analysis)->node->access == PPI_INOUT &&
      __builtin_mul_overflow(count->accesses, (uint64_t)2, &count->accesses))
    return ppi_error_set(analysis->error, PERFPRED_OVERFLOW, "%s has more than 2^64 accesses", analysis->program->name);
  return status;
}

static enum perfpred_status prepare(struct analysis *analysis, const int64_t *parameters) {
  const struct ppi_misses_options *options = analysis->options;
  enum perfpred_status status =
      ppi_nest_create(analysis->program, parameters, options->line_bytes, &analysis->nest, analysis->error);
  if (status)
    return status;
  analysis->engine = calloc(1, sizeof *analysis->engine);
  analysis->cache_lines = calloc(options->level_count + 1, sizeof *analysis->cache_lines);
  if (!analysis->engine || !analysis->cache_lines)
    return ppi_error_memory(analysis->error);
  analysis->engine->nest = analysis->nest;
  for (size_t i = 0; i < options->level_count; i++)
    analysis->cache_lines[i] = options->cache_bytes[i] / options->line_bytes;
  analysis->total =
      (struct ppi_total){ .pause = &analysis->pause, .name = analysis->program->name, .error = analysis->error };
  return PERFPRED_OK;
}

static void release(struct analysis *analysis) {
  if (analysis->engine)
    for (int i = 0; i < PPI_NEST_ARRAYS; i++)
      ppi_footprints_free(&analysis->engine->footprints[i]);
  free(analysis->cache_lines);
  free(analysis->engine);
  ppi_nest_destroy(analysis->nest);
}

enum perfpred_status ppi_misses_analytic(const struct perfpred_program *nest, const int64_t *parameters,
                                         const struct ppi_misses_options *options, struct ppi_misses *misses,
                                         struct perfpred_error *error) {
  struct analysis analysis = { .program = nest, .options = options, .misses = misses, .error = error };
  ppi_pause_start(&analysis.pause, options);
  enum perfpred_status status = prepare(&analysis, parameters);
  for (int i = 0; !status && i < analysis.nest->count; i++)
    status = analyse_reference(&analysis, i);
  release(&analysis);
  return status;
}
