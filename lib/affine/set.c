/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/set.h"

#define PASSES 4 /* over the constraints in search of bounds */

/* Least and most of a row's part without variable `but`. */
static void row_range(const struct ppi_set *set, const struct ppi_constraint *row, int but, ppi_wide *least,
                      ppi_wide *most) {
  *least = *most = row->constant;
  for (int i = 0; i < set->variables; i++) {
    if (i == but || row->c[i] == 0)
      continue;
    const ppi_wide low = (ppi_wide)row->c[i] * set->low[i], high = (ppi_wide)row->c[i] * set->high[i];
    *least += low < high ? low : high;
    *most += low < high ? high : low;
  }
}

static ppi_wide floor_div(ppi_wide a, int64_t b) {
  if (b == 1)
    return a;
  if (a <= INT64_MAX && a >= INT64_MIN) /* the usual case, without a division of 128 bits */
    return ppi_floor_div((int64_t)a, b);
  return a / b - (a % b < 0);
}

/* Bounds of a variable from a row. *changed stays if nothing does. */
static void tighten_variable(struct ppi_set *set, const struct ppi_constraint *row, int var, bool *changed) {
  ppi_wide least = 0, most = 0;
  row_range(set, row, var, &least, &most);
  if (row->c[var] > 0) {
    const ppi_wide bound = -floor_div(most, row->c[var]);
    if (bound > set->low[var]) {
      set->low[var] = bound > set->high[var] ? set->high[var] + 1 : (int64_t)bound;
      *changed = true;
    }
  } else {
    const ppi_wide bound = floor_div(most, -row->c[var]);
    if (bound < set->high[var]) {
      set->high[var] = bound < set->low[var] ? set->low[var] - 1 : (int64_t)bound;
      *changed = true;
    }
  }
}

bool ppi_set_tighten(struct ppi_set *set) {
  bool changed = true;
  for (int pass = 0; pass < PASSES && changed; pass++) {
    changed = false;
    for (int i = 0; i < set->count; i++)
      for (int var = 0; var < set->variables; var++) {
        if (set->rows[i].c[var] != 0)
          tighten_variable(set, &set->rows[i], var, &changed);
        if (set->low[var] > set->high[var])
          return false;
      }
  }
  int kept = 0;
  for (int i = 0; i < set->count; i++) {
    ppi_wide least = 0, most = 0;
    row_range(set, &set->rows[i], -1, &least, &most);
    if (most < 0)
      return false;
    if (least < 0) {
      if (kept != i)
        set->rows[kept] = set->rows[i];
      kept++;
    }
  }
  set->count = kept;
  return true;
}

void ppi_set_assign(struct ppi_set *set, int var, int64_t value) {
  for (int i = 0; i < set->count; i++) {
    set->rows[i].constant += set->rows[i].c[var] * value;
    set->rows[i].c[var] = 0;
  }
  set->low[var] = set->high[var] = 0;
}

struct ppi_constraint ppi_constraint_between(const struct ppi_constraint *a, const struct ppi_constraint *b,
                                             int64_t less) {
  struct ppi_constraint row;
  for (int i = 0; i < PPI_LOOPS; i++)
    row.c[i] = a->c[i] - b->c[i];
  row.constant = a->constant - b->constant - less;
  return row;
}

static bool is_implied(const struct ppi_set *set, const struct ppi_constraint *row) {
  ppi_wide least = 0, most = 0;
  row_range(set, row, -1, &least, &most);
  return least >= 0;
}

/* Adds a bound unless one that is there is always as tight, and drops those that are not tighter. sign 1: lower bounds, -1: upper. */
static void add_bound(const struct ppi_set *set, struct ppi_bounds *bounds, const struct ppi_constraint *form,
                      int sign) {
  int kept = 0;
  for (int i = 0; i < bounds->count; i++) {
    const struct ppi_constraint *other = &bounds->forms[i];
    const struct ppi_constraint tighter =
        sign > 0 ? ppi_constraint_between(other, form, 0) : ppi_constraint_between(form, other, 0);
    if (is_implied(set, &tighter))
      return;
  }
  for (int i = 0; i < bounds->count; i++) {
    const struct ppi_constraint *other = &bounds->forms[i];
    const struct ppi_constraint looser =
        sign > 0 ? ppi_constraint_between(form, other, 0) : ppi_constraint_between(other, form, 0);
    if (!is_implied(set, &looser))
      bounds->forms[kept++] = bounds->forms[i];
  }
  bounds->count = kept;
  bounds->forms[bounds->count++] = *form;
}

void ppi_set_take_bounds(struct ppi_set *set, int var, struct ppi_bounds *low, struct ppi_bounds *high) {
  const struct ppi_constraint least = { .constant = set->low[var] }, most = { .constant = set->high[var] };
  int kept = 0;
  low->count = high->count = 0;
  for (int i = 0; i < set->count; i++) {
    struct ppi_constraint row = set->rows[i];
    const int64_t factor = row.c[var];
    row.c[var] = 0;
    if (factor == 0) {
      set->rows[kept++] = row;
    } else if (factor > 0) {
      for (int j = 0; j < PPI_LOOPS; j++)
        row.c[j] = -row.c[j];
      row.constant = -row.constant;
      add_bound(set, low, &row, 1);
    } else {
      add_bound(set, high, &row, -1);
    }
  }
  set->count = kept;
  add_bound(set, low, &least, 1);
  add_bound(set, high, &most, -1);
  set->low[var] = set->high[var] = 0;
}

void ppi_set_range(const struct ppi_set *set, int over, int64_t value, int in, int64_t *low, int64_t *high) {
  *low = set->low[in];
  *high = set->high[in];
  for (int i = 0; i < set->count; i++) {
    const ppi_wide rest = (ppi_wide)set->rows[i].c[over] * value + set->rows[i].constant;
    const int64_t factor = set->rows[i].c[in];
    if (factor == 0) {
      if (rest < 0)
        *high = *low - 1;
    } else if (factor > 0) {
      const ppi_wide bound = -floor_div(rest, factor);
      *low = bound > *high ? *high + 1 : bound > *low ? (int64_t)bound : *low;
    } else {
      const ppi_wide bound = floor_div(rest, -factor);
      *high = bound < *low ? *low - 1 : bound < *high ? (int64_t)bound : *high;
    }
  }
}
