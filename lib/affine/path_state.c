/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/path_state.h"

#include <stdlib.h>

#define PIVOTS 200 /* a system that takes more is taken as feasible */

/* Takes memory into account. False: more than allowed. */
static bool charge(struct ppi_path *path, size_t bytes) {
  if (bytes > path->limit_bytes - path->bytes) {
    ppi_path_stop(path, PPI_PATH_LIMIT);
    return false;
  }
  path->bytes += bytes;
  return true;
}

struct ppi_path_state *ppi_path_state_create(struct ppi_path *path) {
  return charge(path, sizeof(struct ppi_path_state)) ? calloc(1, sizeof(struct ppi_path_state)) : NULL;
}

bool ppi_path_state_reserve(struct ppi_path *path, struct ppi_path_state *state, int count) {
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

void ppi_path_state_destroy(struct ppi_path_state *state) {
  if (!state)
    return;
  free(state->point);
  free(state);
}

void ppi_path_state_copy_blocks(struct ppi_path_state *to, const struct ppi_path_state *from) {
  memcpy(to->constraints, from->constraints, (size_t)from->count * sizeof from->constraints[0]);
  to->count = from->count;
  to->rows = from->rows;
  to->settled = from->settled;
  memcpy(to->column, from->column, sizeof to->column);
  memcpy(to->basic, from->basic, sizeof to->basic);
  memcpy(to->place, from->place, sizeof to->place);
  memcpy(to->row, from->row, (size_t)from->rows * sizeof from->row[0]);
}

bool ppi_path_state_copy_points(struct ppi_path *path, struct ppi_path_state *to, const struct ppi_path_state *from) {
  if (!ppi_path_state_reserve(path, to, from->points))
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

void ppi_path_state_express(const struct ppi_path *path, const struct ppi_path_state *state,
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

void ppi_path_state_append(const struct ppi_path *path, struct ppi_path_state *state,
                           const struct ppi_constraint *constraint) {
  const int variable = path->loops + state->rows;
  ppi_path_state_express(path, state, constraint, state->row[state->rows]);
  state->basic[state->rows] = variable;
  state->place[variable] = state->rows++;
}

bool ppi_path_state_restrict(struct ppi_path *path, const struct ppi_path_state *from,
                             const struct ppi_constraint *constraint, struct ppi_path_state *to) {
  if (from->count == PPI_PATH_CONSTRAINTS) {
    ppi_path_give_up(path, "a piece has too many conditions");
    return false;
  }
  ppi_path_state_copy_blocks(to, from);
  to->constraints[to->count++] = *constraint;
  ppi_path_state_append(path, to, constraint);
  return settle(to, path->loops);
}

struct ppi_constraint ppi_path_negate(const struct ppi_constraint *constraint) {
  struct ppi_constraint negated;
  for (int i = 0; i < PPI_LOOPS; i++)
    negated.c[i] = -constraint->c[i];
  negated.constant = -constraint->constant - 1;
  return negated;
}

int ppi_path_state_known(const struct ppi_path_state *state, const struct ppi_constraint *constraint) {
  const struct ppi_constraint negated = ppi_path_negate(constraint);
  for (int i = 0; i < state->count; i++) {
    const struct ppi_constraint *given = &state->constraints[i];
    if (given->constant <= constraint->constant && memcmp(given->c, constraint->c, sizeof given->c) == 0)
      return 1;
    if (given->constant <= negated.constant && memcmp(given->c, negated.c, sizeof given->c) == 0)
      return 0;
  }
  return -1;
}
