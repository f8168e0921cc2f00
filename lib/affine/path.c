/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/path.h"

#include <assert.h>
#include <stdlib.h>

#include "affine/path_state.h"

#define LARGEST (1 << 20) /* coefficient of a block that the arithmetic in doubles is trusted with */

static struct ppi_path_answer *add_answer(struct ppi_path *path, bool answer) {
  if (path->answer_count == path->answer_capacity) {
    const int capacity = path->answer_capacity ? 2 * path->answer_capacity : 256;
    struct ppi_path_answer *answers = realloc(path->answers, (size_t)capacity * sizeof *answers);
    if (!answers) {
      ppi_path_stop(path, PPI_PATH_MEMORY);
      return NULL;
    }
    path->answers = answers;
    path->answer_capacity = capacity;
  }
  path->answers[path->answer_count] = (struct ppi_path_answer){ answer, false };
  path->cursor = path->answer_count + 1;
  return &path->answers[path->answer_count++];
}

/* A state on top of the stack, whose contents do not matter. */
static struct ppi_path_state *push_open(struct ppi_path *path) {
  if (path->open_count == path->open_capacity) {
    const int capacity = path->open_capacity + 16;
    struct ppi_path_state **open = realloc(path->open, (size_t)capacity * sizeof(struct ppi_path_state *));
    if (open) {
      path->open = open;
      for (; path->open_capacity < capacity; path->open_capacity++)
        path->open[path->open_capacity] = NULL;
    }
  }
  if (path->open_count < path->open_capacity && !path->open[path->open_count])
    path->open[path->open_count] = ppi_path_state_create(path);
  if (path->open_count >= path->open_capacity || !path->open[path->open_count]) {
    ppi_path_stop(path, PPI_PATH_MEMORY); /* unless it is the limit */
    return NULL;
  }
  return path->open[path->open_count++];
}

static void swap(struct ppi_path_state **a, struct ppi_path_state **b) {
  struct ppi_path_state *state = *a;
  *a = *b;
  *b = state;
}

/* Both answers are possible: `first` has the values for yes, `second` those for no. Goes on with yes. */
static bool fork_blocks(struct ppi_path *path) {
  struct ppi_path_answer *answer = add_answer(path, true);
  struct ppi_path_state *open = answer ? push_open(path) : NULL;
  if (!open)
    return false;
  if (!ppi_path_state_copy_points(path, path->first, path->now) ||
      !ppi_path_state_copy_points(path, path->second, path->now))
    return false;
  answer->other_is_open = true;
  swap(&path->now, &path->first);
  swap(&path->open[path->open_count - 1], &path->second);
  return true;
}

static double value_at_vertex(const struct ppi_path *path, const struct ppi_constraint *constraint) {
  double row[PPI_LOOPS + 1];
  ppi_path_state_express(path, path->now, constraint, row);
  return row[0];
}

/* One side alone is possible, or none: between -1 and 0 there is no integer. */
static bool take_side(struct ppi_path *path, bool may_hold, bool may_fail) {
  if (!may_hold && !may_fail)
    ppi_path_stop(path, PPI_PATH_VOID);
  return !path->stop && add_answer(path, may_hold) && may_hold;
}

/* Decides by arithmetic what no constraint says by itself. */
static bool decide_unknown(struct ppi_path *path, const struct ppi_constraint *constraint) {
  const struct ppi_constraint negated = ppi_path_negate(constraint);
  const double value = path->now->settled ? value_at_vertex(path, constraint) : -0.5;
  const bool may_hold = value >= 0 || ppi_path_state_restrict(path, path->now, constraint, path->first);
  const bool may_fail = value <= -1 || ppi_path_state_restrict(path, path->now, &negated, path->second);
  if (path->stop)
    return false;
  if (!may_hold || !may_fail)
    return take_side(path, may_hold, may_fail);
  if (value >= 0)
    ppi_path_state_restrict(path, path->now, constraint, path->first);
  else if (value <= -1)
    ppi_path_state_restrict(path, path->now, &negated, path->second);
  return !path->stop && fork_blocks(path);
}

static bool decide_blocks(struct ppi_path *path, const struct ppi_constraint *constraint) {
  const int known = ppi_path_state_known(path->now, constraint);
  if (known >= 0)
    return add_answer(path, known == 1) && known == 1;
  return decide_unknown(path, constraint);
}

/* Of the form over the blocks, which cover [low, high]: 1 never negative, 0 always, -1 may be either. */
static int answer_in_box(const struct ppi_path *path, const struct ppi_constraint *constraint) {
  double least = (double)constraint->constant, most = least;
  for (int i = 0; i < path->loops; i++) {
    const double at_low = (double)constraint->c[i] * (double)path->low[i],
                 at_high = (double)constraint->c[i] * (double)path->high[i];
    least += at_low < at_high ? at_low : at_high;
    most += at_low < at_high ? at_high : at_low;
  }
  return least >= 0 ? 1 : most < 0 ? 0 : -1;
}

static bool sign_of_blocks(struct ppi_path *path, const struct ppi_form *form) {
  struct ppi_constraint constraint = { .constant = form->c[PPI_VARS] };
  int64_t common = 0;
  for (int i = 0; i < path->loops; i++) {
    constraint.c[i] = form->c[PPI_BLOCK_VAR(i)];
    common = ppi_gcd(common, constraint.c[i]);
  }
  if (common > 1) {
    for (int i = 0; i < path->loops; i++)
      constraint.c[i] /= common;
    constraint.constant = ppi_floor_div(constraint.constant, common);
  }
  for (int i = 0; i < path->loops; i++)
    if (constraint.c[i] > LARGEST || constraint.c[i] < -LARGEST)
      ppi_path_give_up(path, "coefficients are too large");
  if (path->stop)
    return false;
  const int answer = answer_in_box(path, &constraint);
  if (answer >= 0)
    return answer == 1;
  if (path->cursor < path->answer_count)
    return path->answers[path->cursor++].answer;
  return decide_blocks(path, &constraint);
}

/* The part of a form over phases that is not 0. */
struct phase_form {
  int count, at[PPI_LOOPS]; /* which of the path's phases */
  int64_t factors[PPI_LOOPS], constant;
};

static int64_t value_at_point(const struct ppi_path *path, const struct phase_form *form, uint32_t point) {
  const uint8_t *phases = path->phases + (size_t)point * (size_t)path->phase_count;
  int64_t value = form->constant;
  for (int i = 0; i < form->count; i++)
    value += form->factors[i] * phases[form->at[i]];
  return value;
}

/* Splits the points into those for yes, in `first`, and for no, in `second`. Both are written to at each point, as it is cheaper than to
   foresee which is right. */
static bool split_points(struct ppi_path *path, const struct phase_form *form) {
  const struct ppi_path_state *now = path->now;
  if (!ppi_path_state_reserve(path, path->first, now->points + 1) ||
      !ppi_path_state_reserve(path, path->second, now->points + 1))
    return false;
  uint32_t *yes = path->first->point, *no = path->second->point;
  int yes_count = 0, no_count = 0;
  for (int i = 0; i < now->points; i++) {
    const bool holds = value_at_point(path, form, now->point[i]) >= 0;
    yes[yes_count] = no[no_count] = now->point[i];
    yes_count += holds;
    no_count += !holds;
  }
  path->first->points = yes_count;
  path->second->points = no_count;
  return true;
}

static bool decide_points(struct ppi_path *path, const struct phase_form *form) {
  if (!split_points(path, form))
    return false;
  if (path->first->points == 0 || path->second->points == 0)
    return add_answer(path, path->second->points == 0) && path->second->points == 0;
  struct ppi_path_answer *answer = add_answer(path, true);
  struct ppi_path_state *open = answer ? push_open(path) : NULL;
  if (!open)
    return false;
  ppi_path_state_copy_blocks(open, path->now);
  if (!ppi_path_state_copy_points(path, open, path->second) ||
      !ppi_path_state_copy_points(path, path->now, path->first))
    return false;
  answer->other_is_open = true;
  return true;
}

static bool sign_of_phases(struct ppi_path *path, const struct ppi_form *form) {
  struct phase_form part = { .constant = form->c[PPI_VARS] };
  int64_t least = part.constant, most = least;
  for (int i = 0; i < path->phase_count; i++) {
    const int64_t factor = form->c[PPI_PHASE_VAR(path->phase_loop[i])];
    *(factor < 0 ? &least : &most) += factor * (path->modulus[path->phase_loop[i]] - 1);
    part.at[part.count] = i;
    part.factors[part.count] = factor;
    part.count += factor != 0;
  }
  if (least >= 0 || most < 0)
    return least >= 0;
  if (path->cursor < path->answer_count)
    return path->answers[path->cursor++].answer;
  return decide_points(path, &part);
}

static bool lacks_blocks(const struct ppi_form *form) {
  return ppi_form_lacks(form, PPI_BLOCK_VAR(0), PPI_LOOPS);
}

static bool lacks_phases(const struct ppi_form *form) {
  return ppi_form_lacks(form, PPI_PHASE_VAR(0), PPI_LOOPS);
}

/* Asks for phases, or more of them, of the loops whose blocks the divisor does not divide. False: there are none such. */
static bool want_phases(struct ppi_path *path, const struct ppi_form *form, int64_t divisor) {
  bool any = false;
  for (int i = 0; i < path->loops; i++)
    if (form->c[PPI_BLOCK_VAR(i)] % divisor != 0) {
      path->wanted[i] = path->modulus[i] * (divisor / ppi_gcd(form->c[PPI_BLOCK_VAR(i)], divisor));
      any = true;
      if (path->wanted[i] > PPI_MODULUS_MAX)
        ppi_path_give_up(path, "too many elements of a line, or too large coefficients");
    }
  if (any)
    ppi_path_stop(path, PPI_PATH_PHASES);
  return any;
}

/* What the blocks' coefficients share: those of the loops whose phases occur, or all. */
static int64_t block_divisor(const struct ppi_path *path, const struct ppi_form *form, bool with_phases) {
  int64_t common = 0;
  for (int i = 0; i < path->loops; i++)
    if (!with_phases || form->c[PPI_PHASE_VAR(i)] != 0)
      common = ppi_gcd(common, form->c[PPI_BLOCK_VAR(i)]);
  return common ? common : 1;
}

/* The part without blocks, divided and rounded down. */
static int64_t floor_of_phases(struct ppi_path *path, const struct ppi_form *form, int64_t divisor) {
  struct ppi_form part = *form;
  int64_t least = form->c[PPI_VARS], most = least;
  for (int i = 0; i < PPI_LOOPS; i++) {
    const int64_t factor = form->c[PPI_PHASE_VAR(i)];
    part.c[PPI_BLOCK_VAR(i)] = 0;
    *(factor < 0 ? &least : &most) += factor * ((i < path->loops ? path->modulus[i] : 1) - 1);
  }
  int64_t low = ppi_floor_div(least, divisor), high = ppi_floor_div(most, divisor);
  if (high - low > 64)
    ppi_path_give_up(path, "a quotient has too many values");
  while (low < high && !path->stop) {
    const int64_t middle = low + (high - low + 1) / 2;
    const struct ppi_form above = ppi_form_plus(&part, -divisor * middle);
    if (sign_of_phases(path, &above))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

bool ppi_path_sign(struct ppi_path *path, const struct ppi_form *form) {
  assert(ppi_form_lacks(form, PPI_ROW_VAR(0), PPI_LOOPS));
  if (path->stop)
    return false;
  if (lacks_blocks(form))
    return sign_of_phases(path, form);
  if (lacks_phases(form))
    return sign_of_blocks(path, form);
  if (want_phases(path, form, block_divisor(path, form, true)))
    return false;
  const int64_t divisor = block_divisor(path, form, false);
  const int64_t quotient = floor_of_phases(path, form, divisor);
  struct ppi_form blocks = ppi_form_constant(quotient);
  for (int i = 0; i < PPI_LOOPS; i++)
    blocks.c[PPI_BLOCK_VAR(i)] = form->c[PPI_BLOCK_VAR(i)] / divisor;
  return !path->stop && sign_of_blocks(path, &blocks);
}

struct ppi_form ppi_path_floor(struct ppi_path *path, const struct ppi_form *form, int64_t divisor) {
  struct ppi_form result = ppi_form_constant(0);
  if (path->stop || want_phases(path, form, divisor))
    return result;
  for (int i = 0; i < PPI_VARS; i++) {
    if (i >= PPI_PHASE_VAR(0) && i < PPI_ROW_VAR(0))
      continue;
    if (form->c[i] % divisor != 0)
      ppi_path_give_up(path, "a subscript or bound needs a quotient of a loop's counter that is not known");
    result.c[i] = form->c[i] / divisor;
  }
  if (!path->stop)
    result.c[PPI_VARS] = floor_of_phases(path, form, divisor);
  return result;
}

void ppi_path_give_up(struct ppi_path *path, const char *reason) {
  if (path->stop)
    return;
  path->stop = PPI_PATH_BEYOND;
  path->reason = reason;
}

void ppi_path_stop(struct ppi_path *path, enum ppi_path_stop stop) {
  if (!path->stop)
    path->stop = stop;
}

struct ppi_form ppi_path_counter(const struct ppi_path *path, int loop) {
  struct ppi_form form = ppi_form_constant(0);
  form.c[PPI_BLOCK_VAR(loop)] = path->modulus[loop];
  form.c[PPI_PHASE_VAR(loop)] = path->modulus[loop] > 1;
  return form;
}

int ppi_path_constraints(const struct ppi_path *path, const struct ppi_constraint **constraints) {
  *constraints = path->now->constraints;
  return path->now->count;
}

int ppi_path_points(const struct ppi_path *path, const uint32_t **points) {
  *points = path->now->point;
  return path->now->points;
}

bool ppi_path_next(struct ppi_path *path, int *changed) {
  while (path->answer_count > 0 && !path->answers[path->answer_count - 1].other_is_open)
    path->answer_count--;
  if (path->answer_count == 0)
    return false;
  struct ppi_path_answer *last = &path->answers[path->answer_count - 1];
  last->other_is_open = false;
  last->answer = !last->answer;
  swap(&path->now, &path->open[--path->open_count]);
  path->cursor = 0;
  path->stop = PPI_PATH_GOES_ON;
  *changed = path->answer_count - 1;
  return true;
}

/* Lists the phased loops and all combinations of their phases. */
static bool list_points(struct ppi_path *path) {
  path->point_count = 1;
  for (int i = 0; i < path->loops; i++) {
    if (path->modulus[i] == 1)
      continue;
    path->phase_loop[path->phase_count++] = i;
    path->point_count *= path->modulus[i];
    if (path->point_count > PPI_PATH_POINTS) {
      ppi_path_give_up(path, "too many loops run along lines");
      path->point_count = 1;
      return true;
    }
  }
  path->phases = malloc((size_t)path->point_count * (size_t)(path->phase_count + 1));
  for (int i = 0; path->phases && i < path->point_count; i++)
    for (int j = 0, rest = i; j < path->phase_count; j++) {
      const int modulus = path->modulus[path->phase_loop[j]];
      path->phases[i * path->phase_count + j] = (uint8_t)(rest % modulus);
      rest /= modulus;
    }
  return path->phases != NULL;
}

/* All values: the blocks from low to high, every phase. */
static bool begin_state(struct ppi_path *path) {
  path->now = ppi_path_state_create(path);
  path->first = ppi_path_state_create(path);
  path->second = ppi_path_state_create(path);
  if (!path->now || !path->first || !path->second || !ppi_path_state_reserve(path, path->now, path->point_count))
    return false;
  struct ppi_path_state *state = path->now;
  state->settled = true;
  state->points = path->point_count;
  for (int i = 0; i < path->point_count; i++)
    state->point[i] = (uint32_t)i;
  for (int i = 0; i < path->loops; i++) {
    state->column[i] = i;
    state->place[i] = -1 - i;
  }
  for (int i = 0; i < path->loops; i++) {
    struct ppi_constraint constraint = { .constant = path->high[i] };
    constraint.c[i] = -1;
    ppi_path_state_append(path, state, &constraint);
  }
  return true;
}

enum perfpred_status ppi_path_create(int loops, uint64_t limit_bytes, const int64_t *modulus, const int64_t *low,
                                     const int64_t *high, struct ppi_path **path) {
  assert(loops <= PPI_LOOPS);
  struct ppi_path *made = calloc(1, sizeof *made);
  if (!made)
    return PERFPRED_NO_MEMORY;
  made->loops = loops;
  made->limit_bytes = limit_bytes;
  for (int i = 0; i < loops; i++) {
    assert(modulus[i] >= 1 && modulus[i] <= PPI_MODULUS_MAX);
    made->modulus[i] = (int)modulus[i];
    made->low[i] = ppi_floor_div(low[i], modulus[i]);
    made->high[i] = ppi_floor_div(high[i], modulus[i]);
  }
  if (!list_points(made) || !begin_state(made)) {
    const bool limited = made->stop == PPI_PATH_LIMIT;
    ppi_path_destroy(made);
    return limited ? PERFPRED_LIMIT : PERFPRED_NO_MEMORY;
  }
  *path = made;
  return PERFPRED_OK;
}

void ppi_path_destroy(struct ppi_path *path) {
  if (!path)
    return;
  for (int i = 0; i < path->open_capacity; i++)
    ppi_path_state_destroy(path->open[i]);
  free(path->open);
  ppi_path_state_destroy(path->second);
  ppi_path_state_destroy(path->first);
  ppi_path_state_destroy(path->now);
  free(path->answers);
  free(path->phases);
  free(path);
}
