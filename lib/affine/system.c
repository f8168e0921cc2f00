/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/system.h"

#include <assert.h>

void ppi_system_clear(struct ppi_system *system) {
  system->count = system->room_count = 0;
  system->never = system->inexact = system->too_many = false;
  system->fits = true;
}

bool ppi_row_is_known(const struct ppi_row *row) {
  int64_t any = 0;
  for (int i = 0; i < PPI_UNKNOWNS; i++)
    any |= row->a[i];
  return any == 0;
}

/* Divides by what all coefficients share; the constant is rounded down, as all else is a multiple. */
static void reduce(struct ppi_row *row) {
  int64_t common = 0;
  for (int i = 0; i < PPI_UNKNOWNS && common != 1; i++)
    common = ppi_gcd(common, row->a[i]);
  for (int i = 0; i < PPI_VARS && common != 1; i++)
    common = ppi_gcd(common, row->form.c[i]);
  if (common <= 1)
    return;
  for (int i = 0; i < PPI_UNKNOWNS; i++)
    row->a[i] /= common;
  for (int i = 0; i < PPI_VARS; i++)
    row->form.c[i] /= common;
  row->form.c[PPI_VARS] = ppi_floor_div(row->form.c[PPI_VARS], common);
}

void ppi_system_add(struct ppi_system *system, const struct ppi_row *row) {
  struct ppi_row reduced = *row;
  int64_t difference = 0;
  reduce(&reduced);
  if (ppi_row_is_known(&reduced) && ppi_form_is_constant(&reduced.form)) {
    system->never = system->never || reduced.form.c[PPI_VARS] < 0;
    return;
  }
  for (int i = 0; i < system->count; i++) {
    struct ppi_row *other = &system->rows[i];
    if (memcmp(other->a, reduced.a, sizeof reduced.a) != 0 ||
        !ppi_form_difference(&reduced.form, &other->form, &difference))
      continue;
    if (difference < 0)
      *other = reduced;
    return;
  }
  if (system->count == PPI_SYSTEM_ROWS)
    system->too_many = true;
  else
    system->rows[system->count++] = reduced;
}

/* a * factor + b * other */
static struct ppi_row combine(const struct ppi_row *a, int64_t factor, const struct ppi_row *b, int64_t other,
                              bool *fits) {
  struct ppi_row row;
  for (int i = 0; i < PPI_UNKNOWNS; i++) {
    row.a[i] = a->a[i] * factor + b->a[i] * other;
    if (row.a[i] > (1 << 16) || row.a[i] < -(1 << 16))
      *fits = false;
  }
  row.form = ppi_form_combine(&a->form, factor, &b->form, other, fits);
  return row;
}

void ppi_row_substitute(struct ppi_row *row, int var, const struct ppi_row *equation, bool *fits) {
  assert(equation->a[var] == 1 || equation->a[var] == -1);
  if (row->a[var] != 0)
    *row = combine(row, 1, equation, -row->a[var] * equation->a[var], fits);
}

void ppi_system_substitute(struct ppi_system *system, int var, const struct ppi_row *equation) {
  const int count = system->count;
  int kept = 0;
  static_assert(PPI_SYSTEM_ROWS > 0, "rows are moved in place");
  for (int i = 0; i < count; i++) {
    struct ppi_row row = system->rows[i];
    ppi_row_substitute(&row, var, equation, &system->fits);
    system->count = kept;
    ppi_system_add(system, &row);
    kept = system->count;
  }
}

void ppi_system_substitute_quotient(struct ppi_system *system, int var, const struct ppi_row *equation) {
  const int64_t factor = equation->a[var], size = factor < 0 ? -factor : factor;
  const int count = system->count;
  system->count = 0;
  for (int i = 0; i < count; i++) { /* rows are moved in place */
    struct ppi_row row = system->rows[i];
    if (row.a[var] != 0)
      row = combine(&system->rows[i], size, equation, factor > 0 ? -row.a[var] : row.a[var], &system->fits);
    ppi_system_add(system, &row);
  }
}

/* Moves the rows with the unknown to bounds. */
static void take_bounds(struct ppi_system *system, int var, struct ppi_row *bounds, int *count) {
  int kept = 0;
  *count = 0;
  for (int i = 0; i < system->count; i++) {
    if (system->rows[i].a[var] != 0)
      bounds[(*count)++] = system->rows[i];
    else if (kept++ != i)
      system->rows[kept - 1] = system->rows[i];
  }
  system->count = kept;
}

/* Whether a row says that form + more >= 0 holds with `more` to spare. */
static bool is_known_to_reach(const struct ppi_system *system, const struct ppi_row *row, int64_t more) {
  int64_t difference = 0;
  for (int i = 0; i < system->count; i++)
    if (memcmp(system->rows[i].a, row->a, sizeof row->a) == 0 &&
        ppi_form_difference(&row->form, &system->rows[i].form, &difference) && difference >= more)
      return true;
  return false;
}

/* Where a projection over the integers takes more than the row: the condition itself, if no unknown is left in it. */
static void add_room(struct ppi_system *system, int var, const struct ppi_row *low, const struct ppi_row *high) {
  const struct ppi_form nothing = ppi_form_constant(0);
  bool known = true;
  for (int i = 0; i < PPI_UNKNOWNS; i++)
    known = known && (i == var || (low->a[i] == 0 && high->a[i] == 0));
  if (!known || system->room_count == PPI_SYSTEM_ROOMS)
    system->inexact = true;
  else
    system->rooms[system->room_count++] =
        (struct ppi_room){ low->a[var], -high->a[var], ppi_form_sub(&nothing, &low->form, &system->fits), high->form };
}

/* low: a > 0, high: b < 0. Over the integers the pair leaves what it leaves over the rationals if one of the coefficients is 1, or if
   the room between the two always has a multiple. */
static void add_pair(struct ppi_system *system, int var, const struct ppi_row *low, const struct ppi_row *high) {
  const int64_t a = low->a[var], b = -high->a[var], common = ppi_gcd(a, b);
  const struct ppi_row row = combine(high, a / common, low, b / common, &system->fits);
  if (a != 1 && b != 1) {
    const int64_t enough = a == b ? a - 1 : ((a - 1) * (b - 1) + common - 1) / common;
    const bool fixed = ppi_row_is_known(&row) && ppi_form_is_constant(&row.form);
    const bool certain = fixed && (row.form.c[PPI_VARS] >= enough || row.form.c[PPI_VARS] < 0);
    if (!certain && !is_known_to_reach(system, &row, enough))
      add_room(system, var, low, high);
  }
  ppi_system_add(system, &row);
}

void ppi_system_eliminate(struct ppi_system *system, int var, struct ppi_row *bounds, int *count) {
  take_bounds(system, var, bounds, count);
  for (int i = 0; i < *count; i++)
    for (int j = 0; j < *count && !system->too_many; j++)
      if (bounds[i].a[var] > 0 && bounds[j].a[var] < 0)
        add_pair(system, var, &bounds[i], &bounds[j]);
}

struct ppi_row ppi_row_of(const struct ppi_affine *affine, int depth, int fixed, const struct ppi_form *counters,
                          bool *fits) {
  struct ppi_row row;
  memset(row.a, 0, sizeof row.a);
  row.form = ppi_form_constant(affine->constant);
  for (int i = 0; i < depth; i++) {
    if (i >= fixed)
      row.a[i] = affine->c[i];
    else if (affine->c[i] != 0)
      row.form = ppi_form_combine(&row.form, 1, &counters[i], affine->c[i], fits);
  }
  return row;
}

static bool concerns_unknown(const struct ppi_affine *affine, int fixed) {
  for (int i = fixed; i < PPI_LOOPS; i++)
    if (affine->c[i] != 0)
      return true;
  return false;
}

void ppi_system_add_domain(struct ppi_system *system, const struct ppi_nest_reference *reference, int fixed,
                           const struct ppi_form *counters) {
  for (int i = 0; i < reference->row_count; i++) {
    const struct ppi_nest_row *given = &reference->rows[i];
    if (given->loop >= 0 && given->loop < fixed && !concerns_unknown(&given->form, fixed))
      continue;
    const struct ppi_row row = ppi_row_of(&given->form, reference->depth, fixed, counters, &system->fits);
    ppi_system_add(system, &row);
  }
}
