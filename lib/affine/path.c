/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/path.h"

#include <assert.h>
#include <stdlib.h>

#define ROWS (PPI_PATH_CONSTRAINTS + PPI_LOOPS)
#define PIVOTS 200        /* a system that takes more is taken as feasible */
#define LARGEST (1 << 20) /* coefficient of a block that the arithmetic in doubles is trusted with */

/* Constraints as a simplex dictionary: of the variables (blocks counted from `low`, then slacks) as many as there are blocks stand in
   columns, the rest in rows: value = row[0] + sum of row[1 + j] * column variable j. The slacks of `high` come first. */
struct ppi_path_state {
  struct ppi_constraint constraints[PPI_PATH_CONSTRAINTS];
  int count; /* of constraints */
  int rows;
  bool settled;                /* the rows' values are >= 0: a point of the set */
  int column[PPI_LOOPS];       /* variable of each column */
  int basic[ROWS];             /* variable of each row */
  int place[PPI_LOOPS + ROWS]; /* of each variable: row, or -1 - column */
  double row[ROWS][PPI_LOOPS + 1];
  int points, capacity;
  uint32_t *point;
};

/* Takes memory into account. False: more than allowed. */
static bool charge(struct ppi_path *path, size_t bytes) {
  if (bytes > path->limit_bytes - path->bytes) {
    ppi_path_stop(path, PPI_PATH_LIMIT);
    return false;
  }
  path->bytes += bytes;
  return true;
}

static struct ppi_path_state *create_state(struct ppi_path *path) {
  return charge(path, sizeof(struct ppi_path_state)) ? calloc(1, sizeof(struct ppi_path_state)) : NULL;
}

/* Room for so many points. What was there is lost. */
static bool reserve_points(struct ppi_path *path, struct ppi_path_state *state, int count) {
  if (count <= state->capacity)
    return true;
  if (!charge(path, (size_t)(count - state->capacity) * sizeof *state->point))
    return false;
  free(state->point);
  state->capacity = 0;
  state->point = malloc((size_t)count * sizeof *state->point);
  if (!state->point) {
    ppi_path_stop(path, PPI_PATH_MEMORY);
    return false;
  }
  state->capacity = count;
  return true;
}

static void destroy_state(struct ppi_path_state *state) {
  if (!state)
    return;
  free(state->point);
  free(state);
}

static void copy_blocks(struct ppi_path_state *to, const struct ppi_path_state *from) {
  memcpy(to->constraints, from->constraints, (size_t)from->count * sizeof from->constraints[0]);
  to->count = from->count;
  to->rows = from->rows;
  to->settled = from->settled;
  memcpy(to->column, from->column, sizeof to->column);
  memcpy(to->basic, from->basic, sizeof to->basic);
  memcpy(to->place, from->place, sizeof to->place);
  memcpy(to->row, from->row, (size_t)from->rows * sizeof from->row[0]);
}

static bool copy_points(struct ppi_path *path, struct ppi_path_state *to, const struct ppi_path_state *from) {
  if (!reserve_points(path, to, from->points))
    return false;
  to->points = from->points;
  memcpy(to->point, from->point, (size_t)from->points * sizeof *from->point);
  return true;
}

/* Exchanges the variables of a row and a column. */
static void pivot(struct ppi_path_state *state, int width, int row, int column) {
  double *pivot_row = state->row[row];
  const double inverse = 1 / pivot_row[1 + column];
  for (int j = 0; j <= width; j++)
    pivot_row[j] *= -inverse;
  pivot_row[1 + column] = inverse;
  for (int i = 0; i < state->rows; i++) {
    const double factor = state->row[i][1 + column];
    if (i == row || factor == 0)
      continue;
    state->row[i][1 + column] = 0;
    for (int j = 0; j <= width; j++)
      state->row[i][j] += factor * pivot_row[j];
  }
  const int enters = state->column[column], leaves = state->basic[row];
  state->basic[row] = enters;
  state->column[column] = leaves;
  state->place[enters] = row;
  state->place[leaves] = -1 - column;
}

static double tolerance_of(const struct ppi_path_state *state) {
  double largest = 1e5;
  for (int i = 0; i < state->rows; i++) {
    const double value = state->row[i][0] < 0 ? -state->row[i][0] : state->row[i][0];
    largest = value > largest ? value : largest;
  }
  return 1e-12 * largest;
}

/* Bland's rule on both sides, which ends. */
static int negative_row(const struct ppi_path_state *state, double tolerance) {
  int found = -1;
  for (int i = 0; i < state->rows; i++)
    if (state->row[i][0] < -tolerance && (found < 0 || state->basic[i] < state->basic[found]))
      found = i;
  return found;
}

static int rising_column(const struct ppi_path_state *state, int width, int row) {
  int found = -1;
  for (int j = 0; j < width; j++)
    if (state->row[row][1 + j] > 1e-9 && (found < 0 || state->column[j] < state->column[found]))
      found = j;
  return found;
}

/* Makes all rows >= 0. False: there is no such point. */
static bool settle(struct ppi_path_state *state, int width) {
  for (int i = 0; i < PIVOTS; i++) {
    const int row = negative_row(state, tolerance_of(state));
    if (row < 0) {
      state->settled = true;
      return true;
    }
    const int column = rising_column(state, width, row);
    if (column < 0)
      return false;
    pivot(state, width, row, column);
  }
  state->settled = false;
  return true;
}

/* The constraint in terms of the columns. */
static void express(const struct ppi_path *path, const struct ppi_path_state *state,
                    const struct ppi_constraint *constraint, double row[PPI_LOOPS + 1]) {
  double constant = (double)constraint->constant;
  for (int j = 0; j <= PPI_LOOPS; j++)
    row[j] = 0;
  for (int i = 0; i < path->loops; i++) {
    if (constraint->c[i] == 0)
      continue;
    const double factor = (double)constraint->c[i];
    constant += factor * (double)path->low[i];
    if (state->place[i] < 0)
      row[-state->place[i]] += factor;
    else
      for (int j = 0; j <= path->loops; j++)
        row[j] += factor * state->row[state->place[i]][j];
  }
  row[0] += constant;
}

static void append(const struct ppi_path *path, struct ppi_path_state *state, const struct ppi_constraint *constraint) {
  const int variable = path->loops + state->rows;
  express(path, state, constraint, state->row[state->rows]);
  state->basic[state->rows] = variable;
  state->place[variable] = state->rows++;
}

/* to = the values of `from` that meet the constraint. False: none does. */
static bool restrict_to(struct ppi_path *path, const struct ppi_path_state *from,
                        const struct ppi_constraint *constraint, struct ppi_path_state *to) {
  if (from->count == PPI_PATH_CONSTRAINTS) {
    ppi_path_give_up(path, "a piece has too many conditions");
    return false;
  }
  copy_blocks(to, from);
  to->constraints[to->count++] = *constraint;
  append(path, to, constraint);
  return settle(to, path->loops);
}

static struct ppi_constraint negate(const struct ppi_constraint *constraint) {
  struct ppi_constraint negated;
  for (int i = 0; i < PPI_LOOPS; i++)
    negated.c[i] = -constraint->c[i];
  negated.constant = -constraint->constant - 1;
  return negated;
}

/* What a constraint that differs by its constant alone says: 1 it holds, 0 it cannot, -1 nothing. */
static int known_answer(const struct ppi_path_state *state, const struct ppi_constraint *constraint) {
  const struct ppi_constraint negated = negate(constraint);
  for (int i = 0; i < state->count; i++) {
    const struct ppi_constraint *given = &state->constraints[i];
    if (given->constant <= constraint->constant && memcmp(given->c, constraint->c, sizeof given->c) == 0)
      return 1;
    if (given->constant <= negated.constant && memcmp(given->c, negated.c, sizeof given->c) == 0)
      return 0;
  }
  return -1;
}

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
    path->open[path->open_count] = create_state(path);
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
  if (!copy_points(path, path->first, path->now) || !copy_points(path, path->second, path->now))
    return false;
  answer->other_is_open = true;
  swap(&path->now, &path->first);
  swap(&path->open[path->open_count - 1], &path->second);
  return true;
}

static double value_at_vertex(const struct ppi_path *path, const struct ppi_constraint *constraint) {
  double row[PPI_LOOPS + 1];
  express(path, path->now, constraint, row);
  return row[0];
}

/* Decides by arithmetic what no constraint says by itself. */
static bool decide_unknown(struct ppi_path *path, const struct ppi_constraint *constraint) {
  const struct ppi_constraint negated = negate(constraint);
  const double value = path->now->settled ? value_at_vertex(path, constraint) : -0.5;
  const bool may_hold = value >= 0 || restrict_to(path, path->now, constraint, path->first);
  const bool may_fail = value <= -1 || restrict_to(path, path->now, &negated, path->second);
  if (path->stop)
    return false;
  if (!may_hold || !may_fail)
    return add_answer(path, may_hold) && may_hold;
  if (value >= 0)
    restrict_to(path, path->now, constraint, path->first);
  else if (value <= -1)
    restrict_to(path, path->now, &negated, path->second);
  return !path->stop && fork_blocks(path);
}

static bool decide_blocks(struct ppi_path *path, const struct ppi_constraint *constraint) {
  const int known = known_answer(path->now, constraint);
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
  if (!reserve_points(path, path->first, now->points + 1) || !reserve_points(path, path->second, now->points + 1))
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
  copy_blocks(open, path->now);
  if (!copy_points(path, open, path->second) || !copy_points(path, path->now, path->first))
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
  path->now = create_state(path);
  path->first = create_state(path);
  path->second = create_state(path);
  if (!path->now || !path->first || !path->second || !reserve_points(path, path->now, path->point_count))
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
    append(path, state, &constraint);
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
    destroy_state(path->open[i]);
  free(path->open);
  destroy_state(path->second);
  destroy_state(path->first);
  destroy_state(path->now);
  free(path->answers);
  free(path->phases);
  free(path);
}
