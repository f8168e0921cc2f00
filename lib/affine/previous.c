/* SPDX-License-Identifier: BSD-3-Clause */
/* The last access to a line: among the candidates that come latest in the order of execution, the lexicographically greatest iteration,
   bound by bound from the outermost counter inwards, each bound valid because the counters inside were projected out exactly. */
#include "affine/engine.h"

bool ppi_engine_accept(struct ppi_engine *engine) {
  const struct ppi_system *system = &engine->system;
  if (!system->fits)
    ppi_path_give_up(engine->path, "numbers become too large");
  else if (system->too_many)
    ppi_path_give_up(engine->path, "too many constraints");
  else if (system->inexact)
    ppi_path_give_up(engine->path, "coefficients do not allow exact projections");
  return !engine->path->stop;
}

bool ppi_room_is_there(struct ppi_path *path, const struct ppi_room *room, bool *fits) {
  const struct ppi_form nothing = ppi_form_constant(0);
  struct ppi_form low = room->low, high = room->high;
  if (room->high_divisor != 1)
    high = ppi_path_floor(path, &high, room->high_divisor);
  if (room->low_divisor != 1) { /* rounded up */
    low = ppi_form_sub(&nothing, &low, fits);
    low = ppi_path_floor(path, &low, room->low_divisor);
    low = ppi_form_sub(&nothing, &low, fits);
  }
  const struct ppi_form left = ppi_form_sub(&high, &low, fits);
  return ppi_path_sign(path, &left);
}

struct search {
  struct ppi_engine *engine;
  const struct ppi_nest_reference *reference;
  int fixed; /* counters that are the target's */
  bool solved[PPI_LOOPS];
  struct ppi_row equation[PPI_LOOPS]; /* of the solved counters */
  int bound_count[PPI_LOOPS];
  struct ppi_instance found;
};

static bool is_zero(struct ppi_path *path, const struct ppi_form *form) {
  const struct ppi_form nothing = ppi_form_constant(0);
  bool fits = true;
  const struct ppi_form negated = ppi_form_combine(&nothing, 1, form, -1, &fits);
  if (ppi_form_is_constant(form))
    return form->c[PPI_VARS] == 0;
  return ppi_path_sign(path, form) && ppi_path_sign(path, &negated);
}

/* The equation a * counter + form = 0, |a| > 1: whether a divides. Makes it counter + quotient = 0. */
static bool divide(struct search *search, struct ppi_row *equation, int var) {
  struct ppi_path *path = search->engine->path;
  const int64_t a = equation->a[var] < 0 ? -equation->a[var] : equation->a[var];
  const int64_t sign = equation->a[var] < 0 ? -1 : 1;
  const struct ppi_form quotient = ppi_path_floor(path, &equation->form, a);
  const struct ppi_form rest = ppi_form_combine(&equation->form, 1, &quotient, -a, &search->engine->system.fits);
  if (path->stop || !is_zero(path, &rest))
    return false;
  equation->form = quotient;
  equation->a[var] = sign;
  return true;
}

/* The innermost counter of an equation that is not given; -1: none. */
static int innermost(const struct search *search, const struct ppi_row *equation, int *unknowns) {
  int var = -1;
  *unknowns = 0;
  for (int i = search->fixed; i < search->reference->depth; i++)
    if (equation->a[i] != 0) {
      var = i;
      ++*unknowns;
    }
  return var;
}

/* Takes an equation of subscripts, equation = 0, to solve for its innermost counter. False: it has no solution. */
static bool solve(struct search *search, struct ppi_row *equation) {
  struct ppi_engine *engine = search->engine;
  int unknowns = 0;
  for (int i = search->fixed; i < search->reference->depth; i++)
    if (search->solved[i])
      ppi_row_substitute(equation, i, &search->equation[i], &engine->system.fits);
  const int var = innermost(search, equation, &unknowns);
  if (var < 0)
    return is_zero(engine->path, &equation->form);
  if (equation->a[var] != 1 && equation->a[var] != -1) {
    if (unknowns > 1)
      ppi_path_give_up(engine->path, "subscripts have coefficients that no counter can be solved for");
    if (engine->path->stop || !divide(search, equation, var))
      return false;
  }
  for (int i = search->fixed; i < search->reference->depth; i++)
    if (search->solved[i])
      ppi_row_substitute(&search->equation[i], var, equation, &engine->system.fits);
  search->solved[var] = true;
  search->equation[var] = *equation;
  return true;
}

/* The subscripts that are not along lines equal the target's. */
static bool solve_subscripts(struct search *search) {
  struct ppi_engine *engine = search->engine;
  const struct ppi_nest_reference *reference = search->reference;
  const struct ppi_nest_array *array = &engine->nest->arrays[reference->array];
  for (int i = 0; i < array->dimensions; i++) {
    if (i == array->inner)
      continue;
    struct ppi_row equation = ppi_row_of(&reference->subscripts[i], reference->depth, search->fixed,
                                         engine->target.counters, &engine->system.fits);
    equation.form = ppi_form_sub(&equation.form, &engine->rows[i], &engine->system.fits);
    if (!solve(search, &equation))
      return false;
  }
  return true;
}

/* per_line * line <= inner subscript <= per_line * line + per_line - 1 */
static void add_line(struct search *search) {
  struct ppi_engine *engine = search->engine;
  const struct ppi_nest_array *array = &engine->nest->arrays[search->reference->array];
  struct ppi_row row = ppi_row_of(&search->reference->subscripts[array->inner], search->reference->depth, search->fixed,
                                  engine->target.counters, &engine->system.fits);
  row.form = ppi_form_combine(&row.form, 1, &engine->line, -array->per_line, &engine->system.fits);
  ppi_system_add(&engine->system, &row);
  for (int i = 0; i < PPI_UNKNOWNS; i++)
    row.a[i] = -row.a[i];
  const struct ppi_form last = ppi_form_constant(array->per_line - 1);
  row.form = ppi_form_sub(&last, &row.form, &engine->system.fits);
  ppi_system_add(&engine->system, &row);
}

/* Counter `fixed` stays below the target's. */
static void add_carry(struct search *search) {
  struct ppi_engine *engine = search->engine;
  struct ppi_row row;
  memset(row.a, 0, sizeof row.a);
  row.a[search->fixed] = -1;
  row.form = ppi_form_plus(&engine->target.counters[search->fixed], -1);
  ppi_system_add(&engine->system, &row);
}

/* Projects the counters out, innermost first; the rows that bound each stay in kept[]. */
static bool project(struct search *search) {
  struct ppi_engine *engine = search->engine;
  for (int i = search->fixed; i < search->reference->depth; i++)
    if (search->solved[i])
      ppi_system_substitute(&engine->system, i, &search->equation[i]);
  for (int i = search->reference->depth - 1; i >= search->fixed && !engine->system.never; i--)
    if (!search->solved[i])
      ppi_system_eliminate(&engine->system, i, engine->kept[i], &search->bound_count[i]);
  return !engine->system.never && ppi_engine_accept(engine);
}

/* What is left of the rows decides whether there is a solution. */
static bool has_solution(struct search *search) {
  struct ppi_engine *engine = search->engine;
  for (int i = 0; i < engine->system.count; i++) {
    const struct ppi_form form = engine->system.rows[i].form;
    if (!ppi_path_sign(engine->path, &form))
      return false;
  }
  for (int i = 0; i < engine->system.room_count; i++)
    if (!ppi_room_is_there(engine->path, &engine->system.rooms[i], &engine->system.fits))
      return false;
  return true;
}

/* A row with the counters from `fixed` on, except `but`, put in. */
static struct ppi_form value_of(struct search *search, const struct ppi_row *row, int but) {
  struct ppi_form form = row->form;
  for (int i = search->fixed; i < search->reference->depth; i++)
    if (i != but && row->a[i] != 0)
      form = ppi_form_combine(&form, 1, &search->found.counters[i], row->a[i], &search->engine->system.fits);
  return form;
}

static struct ppi_form least_bound(struct search *search, int counter) {
  struct ppi_engine *engine = search->engine;
  struct ppi_form least = ppi_form_constant(0);
  bool any = false;
  for (int i = 0; i < search->bound_count[counter]; i++) {
    const struct ppi_row *row = &engine->kept[counter][i];
    if (row->a[counter] > 0)
      continue;
    struct ppi_form bound = value_of(search, row, counter);
    if (row->a[counter] != -1)
      bound = ppi_path_floor(engine->path, &bound, -row->a[counter]);
    const struct ppi_form above = ppi_form_sub(&least, &bound, &engine->system.fits);
    if (!any || ppi_path_sign(engine->path, &above))
      least = bound;
    any = true;
  }
  if (!any)
    ppi_path_give_up(engine->path, "a loop without an upper bound");
  return least;
}

/* The greatest counters from the outermost inwards. */
static void choose_counters(struct search *search) {
  struct ppi_engine *engine = search->engine;
  for (int i = 0; i < search->fixed; i++)
    search->found.counters[i] = engine->target.counters[i];
  for (int i = search->fixed; i < search->reference->depth; i++)
    if (!search->solved[i])
      search->found.counters[i] = least_bound(search, i);
  for (int i = search->fixed; i < search->reference->depth; i++)
    if (search->solved[i]) {
      const struct ppi_form value = value_of(search, &search->equation[i], i);
      const struct ppi_form nothing = ppi_form_constant(0);
      search->found.counters[i] =
          ppi_form_combine(&nothing, 1, &value, -search->equation[i].a[i], &engine->system.fits);
    }
}

/* The last instance of a reference that shares `fixed` counters with the target and touches its line; `carried`: the next counter is
   less than the target's. */
static bool find_instance(struct ppi_engine *engine, int index, int fixed, bool carried, struct ppi_instance *found) {
  struct search search; /* equations and counters are set where there are any */
  search.engine = engine;
  search.reference = &engine->nest->references[index];
  search.fixed = fixed;
  memset(search.solved, 0, sizeof search.solved);
  memset(search.bound_count, 0, sizeof search.bound_count);
  ppi_system_clear(&engine->system);
  if (!solve_subscripts(&search))
    return false;
  ppi_system_add_domain(&engine->system, search.reference, fixed, engine->target.counters);
  add_line(&search);
  if (carried)
    add_carry(&search);
  if (!project(&search) || !has_solution(&search))
    return false;
  choose_counters(&search);
  search.found.index = index;
  if (!ppi_engine_accept(engine))
    return false;
  *found = search.found;
  return true;
}

/* Whether a comes after b, where a's reference stands before b's in the text. */
static bool comes_after(struct ppi_engine *engine, const struct ppi_instance *a, const struct ppi_instance *b) {
  const int common = ppi_nest_common(&engine->nest->references[a->index], &engine->nest->references[b->index]);
  for (int i = 0; i < common; i++) {
    if (ppi_form_equal(&a->counters[i], &b->counters[i]))
      continue;
    const struct ppi_form lead = ppi_form_sub(&a->counters[i], &b->counters[i], &engine->system.fits);
    const struct ppi_form ahead = ppi_form_plus(&lead, -1);
    if (ppi_path_sign(engine->path, &ahead))
      return true;
    if (!ppi_path_sign(engine->path, &lead))
      return false;
  }
  return false;
}

/* Takes a candidate if it is later than the best so far. Candidates come from the last in the text to the first. */
static void consider(struct ppi_engine *engine, int index, int fixed, bool carried) {
  struct ppi_instance found;
  if (!find_instance(engine, index, fixed, carried, &found) || engine->path->stop)
    return;
  if (engine->found && !comes_after(engine, &found, &engine->source))
    return;
  engine->found = true;
  engine->source = found;
  engine->split_level = fixed;
  engine->carried = carried;
}

static bool is_candidate(const struct ppi_engine *engine, int index) {
  const struct ppi_nest_reference *reference = &engine->nest->references[index];
  return reference->array == engine->nest->references[engine->target.index].array && !reference->empty;
}

/* Accesses of the same iteration of `level` loops that stand before the target's statement or loop of that level. */
static void search_before(struct ppi_engine *engine, int level) {
  const struct ppi_nest_reference *references = engine->nest->references;
  const struct ppi_nest_reference *target = &references[engine->target.index];
  int part = -1; /* the loop of that level that the source is in */
  for (int i = engine->target.index - 1; i >= 0 && !engine->path->stop; i--) {
    const int common = ppi_nest_common(&references[i], target);
    if (common < level)
      return;
    const int loop = references[i].depth > level ? references[i].loop[level] : -2;
    if (engine->found && (loop != part || loop == -2))
      return;
    if (common > level || !is_candidate(engine, i))
      continue;
    consider(engine, i, level, false);
    part = engine->found ? loop : -1;
  }
}

/* Accesses of earlier iterations of the loop of depth `level`. */
static void search_carried(struct ppi_engine *engine, int level) {
  const struct ppi_nest_reference *target = &engine->nest->references[engine->target.index];
  for (int i = engine->nest->count - 1; i >= 0 && !engine->path->stop; i--) {
    const struct ppi_nest_reference *reference = &engine->nest->references[i];
    if (is_candidate(engine, i) && ppi_nest_common(reference, target) > level && !reference->later_twin)
      consider(engine, i, level, true);
  }
}

void ppi_engine_find_previous(struct ppi_engine *engine) {
  const struct ppi_nest_reference *target = &engine->nest->references[engine->target.index];
  engine->found = false;
  for (int level = target->depth; level >= 0 && !engine->found && !engine->path->stop; level--) {
    search_before(engine, level);
    if (level > 0 && !engine->found && !engine->path->stop)
      search_carried(engine, level - 1);
  }
}
