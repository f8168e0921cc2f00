/* SPDX-License-Identifier: BSD-3-Clause */
/* What lies between two accesses, as parts of the iterations in which some outer counters are fixed, one is bounded, and the inner ones
   run freely: iterations behind the source up to the end of each of its loops, whole iterations of the loop that carries the reuse,
   and iterations before the target from the start of each of its loops. */
#include <stdlib.h>

#include "affine/engine.h"

#define RUN(dimensions) (PPI_LOOPS + (dimensions)-1) /* unknown of the run along lines */

void ppi_footprints_clear(struct ppi_footprints *footprints) {
  footprints->count = footprints->bound_count = footprints->condition_count = footprints->stride_count = 0;
}

void ppi_footprints_free(struct ppi_footprints *footprints) {
  free(footprints->strides);
  free(footprints->conditions);
  free(footprints->bounds);
  free(footprints->footprints);
}

/* One part, for one reference. */
struct part {
  struct ppi_engine *engine;
  const struct ppi_nest_reference *reference;
  int fixed; /* counters that are given */
  const struct ppi_form *counters;
  const struct ppi_form *low, *high; /* of counter `fixed`; NULL: none */
  int solved_count, solved[PPI_LOOPS];
  struct ppi_row equation[PPI_LOOPS]; /* of the solved counters, in that order */
  unsigned strided;                   /* counters that are quotients of a coordinate, by bit */
  int64_t factor;
  struct ppi_form offset;
};

static bool grow(void **array, int *capacity, int count, size_t size) {
  if (count <= *capacity)
    return true;
  const int wanted = 2 * count + 16;
  void *grown = realloc(*array, (size_t)wanted * size);
  if (!grown)
    return false;
  *array = grown;
  *capacity = wanted;
  return true;
}

static struct ppi_footprints *list_of(const struct part *part) {
  return &part->engine->footprints[part->reference->array];
}

static void add_range(struct part *part) {
  struct ppi_system *system = &part->engine->system;
  const struct ppi_form nothing = ppi_form_constant(0);
  struct ppi_row row;
  memset(row.a, 0, sizeof row.a);
  if (part->low) {
    row.a[part->fixed] = 1;
    row.form = ppi_form_sub(&nothing, part->low, &system->fits);
    ppi_system_add(system, &row);
  }
  if (part->high) {
    row.a[part->fixed] = -1;
    row.form = *part->high;
    ppi_system_add(system, &row);
  }
}

/* A counter, not given nor solved, with coefficient 1 or -1 in the row; -1: none. *others: how many there are at all. */
static int unit_counter(const struct part *part, const struct ppi_row *row, int *others, int *any) {
  int found = -1;
  *others = 0;
  for (int i = part->reference->depth - 1; i >= part->fixed; i--) {
    if (row->a[i] == 0)
      continue;
    ++*others;
    *any = i;
    if (found < 0 && (row->a[i] == 1 || row->a[i] == -1))
      found = i;
  }
  return found;
}

static void solve_for(struct part *part, int var, const struct ppi_row *equation) {
  part->solved[part->solved_count] = var;
  part->equation[part->solved_count++] = *equation;
  ppi_system_substitute(&part->engine->system, var, equation);
}

/* row = 0 */
static void add_equality(struct ppi_system *system, const struct ppi_row *row) {
  const struct ppi_form nothing = ppi_form_constant(0);
  struct ppi_row negated;
  for (int i = 0; i < PPI_UNKNOWNS; i++)
    negated.a[i] = -row->a[i];
  negated.form = ppi_form_sub(&nothing, &row->form, &system->fits);
  ppi_system_add(system, row);
  ppi_system_add(system, &negated);
}

/* A subscript in terms of coordinates and the counters that are not solved yet. */
static struct ppi_row subscript_row(struct part *part, int subscript) {
  struct ppi_system *system = &part->engine->system;
  struct ppi_row row = ppi_row_of(&part->reference->subscripts[subscript], part->reference->depth, part->fixed,
                                  part->counters, &system->fits);
  for (int i = 0; i < part->solved_count; i++)
    ppi_row_substitute(&row, part->solved[i], &part->equation[i], &system->fits);
  for (int i = part->fixed; i < part->reference->depth; i++)
    if ((part->strided & 1u << i) && row.a[i] != 0)
      ppi_path_give_up(part->engine->path, "subscripts share a counter that moves one of them by several rows");
  return row;
}

/* row = coordinate, where one counter moves it by several rows: coordinates between these are left out. */
static void add_stride(struct part *part, int counter, const struct ppi_row *row, int coordinate) {
  struct ppi_footprints *list = list_of(part);
  if (!grow((void **)&list->strides, &list->stride_capacity, list->stride_count + 1, sizeof *list->strides)) {
    ppi_path_stop(part->engine->path, PPI_PATH_MEMORY);
    return;
  }
  struct ppi_stride *stride = &list->strides[list->stride_count++];
  memset(stride, 0, sizeof *stride);
  stride->coordinate = coordinate - PPI_LOOPS;
  stride->step = row->a[counter] < 0 ? -row->a[counter] : row->a[counter];
  stride->base = row->form;
  for (int i = PPI_LOOPS; i < coordinate; i++)
    stride->base.c[PPI_ROW_VAR(i - PPI_LOOPS)] = row->a[i];
  part->strided |= 1u << counter;
  ppi_system_substitute_quotient(&part->engine->system, counter, row);
}

/* coordinate = subscript: solved for a counter, or kept as a relation of coordinates. */
static void add_coordinate(struct part *part, int subscript, int coordinate) {
  int others = 0, any = 0;
  struct ppi_row row = subscript_row(part, subscript);
  const int var = unit_counter(part, &row, &others, &any);
  row.a[coordinate] = -1;
  if (var >= 0)
    solve_for(part, var, &row);
  else if (others == 0)
    add_equality(&part->engine->system, &row);
  else if (others == 1)
    add_stride(part, any, &row, coordinate);
  else
    ppi_path_give_up(part->engine->path, "subscripts across lines have coefficients other than 1 and -1");
}

/* The run along lines: the element itself, or a counter whose steps leave no line out. */
static void add_run(struct part *part, int subscript, int run, int64_t per_line) {
  struct ppi_system *system = &part->engine->system;
  int others = 0, any = 0;
  struct ppi_row row = subscript_row(part, subscript);
  const int var = unit_counter(part, &row, &others, &any);
  part->factor = 1;
  part->offset = ppi_form_constant(0);
  if (var >= 0 || others == 0) {
    row.a[run] = -1;
    if (var >= 0)
      solve_for(part, var, &row);
    else
      add_equality(system, &row);
    return;
  }
  if (others > 1 || row.a[any] > per_line || row.a[any] < -per_line) {
    ppi_path_give_up(part->engine->path, "accesses along lines leave lines out");
    return;
  }
  part->factor = row.a[any];
  part->offset = row.form;
  for (int i = PPI_LOOPS; i < run; i++)
    part->offset.c[PPI_ROW_VAR(i - PPI_LOOPS)] = row.a[i];
  struct ppi_row rename;
  memset(rename.a, 0, sizeof rename.a);
  rename.form = ppi_form_constant(0);
  rename.a[any] = 1;
  rename.a[run] = -1;
  solve_for(part, any, &rename);
}

/* The bounds on a coordinate as quotients of forms, coordinates before it as row variables. */
static bool keep_bounds(struct part *part, int coordinate, const struct ppi_row *rows, int count, bool low) {
  struct ppi_footprints *list = list_of(part);
  const struct ppi_form nothing = ppi_form_constant(0);
  if (!grow((void **)&list->bounds, &list->bound_capacity, list->bound_count + count, sizeof *list->bounds)) {
    ppi_path_stop(part->engine->path, PPI_PATH_MEMORY);
    return false;
  }
  const int before = list->bound_count;
  for (int i = 0; i < count; i++) {
    const int64_t factor = rows[i].a[coordinate];
    if ((factor > 0) != low)
      continue;
    struct ppi_form form = rows[i].form;
    for (int j = PPI_LOOPS; j < coordinate; j++)
      form.c[PPI_ROW_VAR(j - PPI_LOOPS)] = rows[i].a[j];
    if (low)
      form = ppi_form_sub(&nothing, &form, &part->engine->system.fits);
    list->bounds[list->bound_count++] = (struct ppi_bound){ low ? factor : -factor, form };
  }
  if (list->bound_count == before)
    ppi_path_give_up(part->engine->path, "a subscript is not bounded");
  return true;
}

/* Projects all unknowns out, and keeps what bounds the coordinates. */
static void project(struct part *part, struct ppi_footprint *footprint, int dimensions) {
  struct ppi_engine *engine = part->engine;
  struct ppi_footprints *list = list_of(part);
  int count = 0;
  for (int i = part->reference->depth - 1; i >= part->fixed; i--)
    ppi_system_eliminate(&engine->system, i, engine->taken, &count); /* none left of the solved ones */
  for (int i = dimensions - 1; i >= 0 && !engine->system.never && !engine->path->stop; i--) {
    ppi_system_eliminate(&engine->system, PPI_LOOPS + i, engine->taken, &count);
    footprint->first_low[i] = list->bound_count;
    if (!keep_bounds(part, PPI_LOOPS + i, engine->taken, count, true))
      return;
    footprint->low_count[i] = list->bound_count - footprint->first_low[i];
    footprint->first_high[i] = list->bound_count;
    if (!keep_bounds(part, PPI_LOOPS + i, engine->taken, count, false))
      return;
    footprint->high_count[i] = list->bound_count - footprint->first_high[i];
  }
}

static bool same_bounds(const struct ppi_footprints *list, int first, int count, int other, int other_count) {
  return count == other_count &&
         memcmp(list->bounds + first, list->bounds + other, (size_t)count * sizeof *list->bounds) == 0;
}

static bool same_conditions(const struct ppi_footprints *list, const struct ppi_footprint *a,
                            const struct ppi_footprint *b) {
  return a->condition_count == 0 || memcmp(list->conditions + a->first_condition, list->conditions + b->first_condition,
                                           (size_t)a->condition_count * sizeof *list->conditions) == 0;
}

static bool same_strides(const struct ppi_footprints *list, const struct ppi_footprint *a,
                         const struct ppi_footprint *b) {
  return a->stride_count == b->stride_count &&
         (a->stride_count == 0 || memcmp(list->strides + a->first_stride, list->strides + b->first_stride,
                                         (size_t)a->stride_count * sizeof *list->strides) == 0);
}

/* Whether the list has the very same footprint already. */
static bool is_known(const struct ppi_footprints *list, const struct ppi_footprint *footprint, int dimensions) {
  for (int i = 0; i < list->count; i++) {
    const struct ppi_footprint *other = &list->footprints[i];
    bool same = other->factor == footprint->factor && ppi_form_equal(&other->offset, &footprint->offset) &&
                other->condition_count == footprint->condition_count && same_conditions(list, footprint, other) &&
                same_strides(list, footprint, other);
    for (int j = 0; j < dimensions && same; j++)
      same = same_bounds(list, other->first_low[j], other->low_count[j], footprint->first_low[j],
                         footprint->low_count[j]) &&
             same_bounds(list, other->first_high[j], other->high_count[j], footprint->first_high[j],
                         footprint->high_count[j]);
    if (same)
      return true;
  }
  return false;
}

static bool keep_conditions(struct part *part, struct ppi_footprint *footprint) {
  const struct ppi_system *system = &part->engine->system;
  struct ppi_footprints *list = list_of(part);
  if (!grow((void **)&list->conditions, &list->condition_capacity,
            list->condition_count + system->count + system->room_count, sizeof *list->conditions) ||
      !grow((void **)&list->footprints, &list->capacity, list->count + 1, sizeof *list->footprints)) {
    ppi_path_stop(part->engine->path, PPI_PATH_MEMORY);
    return false;
  }
  footprint->first_condition = list->condition_count;
  footprint->condition_count = system->count + system->room_count;
  for (int i = 0; i < system->count; i++)
    list->conditions[list->condition_count++] = (struct ppi_room){ 1, 1, ppi_form_constant(0), system->rows[i].form };
  for (int i = 0; i < system->room_count; i++)
    list->conditions[list->condition_count++] = system->rooms[i];
  return true;
}

static void add_footprint(struct part *part) {
  struct ppi_engine *engine = part->engine;
  struct ppi_footprints *list = list_of(part);
  const struct ppi_nest_array *array = &engine->nest->arrays[part->reference->array];
  const int bounds = list->bound_count, conditions = list->condition_count, strides = list->stride_count;
  struct ppi_footprint footprint;
  memset(&footprint, 0, sizeof footprint);
  int coordinate = PPI_LOOPS;
  if (engine->path->stop)
    return;
  ppi_system_clear(&engine->system);
  ppi_system_add_domain(&engine->system, part->reference, part->fixed, part->counters);
  add_range(part);
  for (int i = 0; i < array->dimensions; i++)
    if (i != array->inner)
      add_coordinate(part, i, coordinate++);
  add_run(part, array->inner, coordinate, array->per_line);
  footprint.first_stride = strides;
  footprint.stride_count = list->stride_count - strides;
  footprint.factor = part->factor;
  footprint.offset = part->offset;
  if (!engine->path->stop && !engine->system.never)
    project(part, &footprint, array->dimensions);
  const bool kept = !engine->system.never && ppi_engine_accept(engine) && keep_conditions(part, &footprint);
  if (kept && !is_known(list, &footprint, array->dimensions)) {
    list->footprints[list->count++] = footprint;
    return;
  }
  list->bound_count = bounds;
  list->condition_count = conditions;
  list->stride_count = strides;
}

static void add_part(struct ppi_engine *engine, int index, int fixed, const struct ppi_form *counters,
                     const struct ppi_form *low, const struct ppi_form *high) {
  const struct ppi_nest_reference *reference = &engine->nest->references[index];
  struct part part; /* equations are set where there are any */
  part.engine = engine;
  part.reference = reference;
  part.fixed = fixed;
  part.counters = counters;
  part.low = low;
  part.high = high;
  part.solved_count = 0;
  part.strided = 0;
  if (fixed < reference->depth && reference->twin != index)
    return;
  add_footprint(&part);
}

/* Iterations behind the source, from the innermost loop to that of depth `base`, which it shares with the target. */
static void add_behind_source(struct ppi_engine *engine, int index, int base) {
  const struct ppi_nest_reference *references = engine->nest->references;
  const struct ppi_form *counters = engine->source.counters;
  const int common = ppi_nest_common(&references[index], &references[engine->source.index]);
  for (int i = base; i < common; i++) {
    const struct ppi_form low = ppi_form_plus(&counters[i], 1);
    add_part(engine, index, i, counters, &low, NULL);
  }
  if (index > engine->source.index && (engine->carried ? common >= base : common > base))
    add_part(engine, index, common, counters, NULL, NULL);
}

static void add_before_target(struct ppi_engine *engine, int index, int base) {
  const struct ppi_nest_reference *references = engine->nest->references;
  const struct ppi_form *counters = engine->target.counters;
  const int common = ppi_nest_common(&references[index], &references[engine->target.index]);
  for (int i = base; i < common; i++) {
    const struct ppi_form high = ppi_form_plus(&counters[i], -1);
    add_part(engine, index, i, counters, NULL, &high);
  }
  if (index < engine->target.index && (engine->carried ? common >= base : common > base))
    add_part(engine, index, common, counters, NULL, NULL);
}

/* Whole iterations of the loop that carries the reuse, or what stands between source and target in one iteration. */
static void add_between(struct ppi_engine *engine, int index) {
  const struct ppi_nest_reference *references = engine->nest->references;
  const struct ppi_nest_reference *reference = &references[index];
  const int level = engine->split_level;
  const int common = ppi_nest_common(reference, &references[engine->target.index]);
  if (engine->carried && common > level) {
    const struct ppi_form low = ppi_form_plus(&engine->source.counters[level], 1);
    const struct ppi_form high = ppi_form_plus(&engine->target.counters[level], -1);
    add_part(engine, index, level, engine->target.counters, &low, &high);
  }
  if (!engine->carried && common == level && index > engine->source.index && index < engine->target.index &&
      ppi_nest_common(reference, &references[engine->source.index]) == level)
    add_part(engine, index, level, engine->target.counters, NULL, NULL);
}

void ppi_engine_find_footprints(struct ppi_engine *engine, int array) {
  const int base = engine->split_level + engine->carried;
  ppi_footprints_clear(&engine->footprints[array]);
  for (int i = 0; i < engine->nest->count && !engine->path->stop; i++) {
    if (engine->nest->references[i].array != array || engine->nest->references[i].empty)
      continue;
    add_between(engine, i);
    add_behind_source(engine, i, base);
    add_before_target(engine, i, base);
  }
}
