/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines in rows, and in slabs of these, in closed form. */
#include "affine/quotient.h"
#include "affine/uniter.h"

void ppi_tally_begin(struct ppi_tally *tally) {
  tally->count = 0;
  ppi_poly_constant(&tally->lines, 0);
}

/* First and last element of a footprint in a row. */
static struct ppi_interval elements_of(struct ppi_uniter *uniter, int member) {
  const struct ppi_footprint *footprint = &uniter->list->footprints[member];
  const struct ppi_interval run = ppi_uniter_range(uniter, member, uniter->levels);
  const struct ppi_form offset = ppi_uniter_resolve(uniter, &footprint->offset);
  const bool rises = footprint->factor > 0;
  bool *fits = &uniter->engine->system.fits;
  struct ppi_interval interval;
  interval.first = ppi_form_combine(&offset, 1, rises ? &run.first : &run.last, footprint->factor, fits);
  interval.last = ppi_form_combine(&offset, 1, rises ? &run.last : &run.first, footprint->factor, fits);
  return interval;
}

/* Whether the line of an element can be told without a quotient of a row's number. */
static bool has_line(const struct ppi_uniter *uniter, const struct ppi_form *form) {
  for (int i = 0; i < uniter->levels; i++)
    if (form->c[PPI_ROW_VAR(i)] % uniter->per_line != 0)
      return false;
  return true;
}

/* Intervals by their first elements. */
static void sort_in(struct ppi_uniter *uniter, struct ppi_interval *intervals, int count,
                    const struct ppi_interval *added) {
  int at = count;
  while (at > 0 && ppi_uniter_goes_on(uniter) &&
         !ppi_uniter_reaches(uniter, &added->first, &intervals[at - 1].first, 0)) {
    intervals[at] = intervals[at - 1];
    at--;
  }
  intervals[at] = *added;
}

/* Adds times * (form / per_line, rounded down). */
static void add_quotient(struct ppi_uniter *uniter, struct ppi_tally *tally, const struct ppi_form *form,
                         const struct ppi_form *times) {
  struct ppi_poly quotient, factor, product;
  if (has_line(uniter, form)) {
    const struct ppi_form line = ppi_path_floor(uniter->path, form, uniter->per_line);
    ppi_poly_form(&quotient, &line);
    ppi_poly_form(&factor, times);
    ppi_poly_multiply(&quotient, &factor, &product);
    ppi_poly_add(&tally->lines, &product, 1);
  } else if (tally->count == PPI_TALLY_QUOTIENTS) {
    ppi_path_give_up(uniter->path, "too many quotients to sum up");
  } else {
    tally->parts[tally->count++] = (struct ppi_tally_quotient){ *form, *times };
  }
}

/* Adds the lines of an interval of lines, or of elements. */
static void add_interval(struct ppi_uniter *uniter, const struct ppi_interval *interval, bool lines,
                         struct ppi_tally *tally) {
  struct ppi_poly poly;
  const struct ppi_form length = ppi_uniter_difference(uniter, &interval->last, &interval->first);
  const struct ppi_form one = lines ? ppi_form_plus(&length, 1) : ppi_form_constant(1);
  ppi_poly_form(&poly, &one);
  ppi_poly_add(&tally->lines, &poly, 1);
  if (lines)
    return;
  const struct ppi_form plus = ppi_form_constant(1), minus = ppi_form_constant(-1);
  add_quotient(uniter, tally, &interval->last, &plus);
  add_quotient(uniter, tally, &interval->first, &minus);
}

/* Adds the union of intervals, sorted by their beginnings. Elements less than a line apart are on the same line or on neighbours, which
   are as many as if all between were touched. */
static void add_union(struct ppi_uniter *uniter, const struct ppi_interval *intervals, int count, bool lines,
                      struct ppi_tally *tally) {
  struct ppi_interval present = intervals[0];
  for (int i = 1; i < count && ppi_uniter_goes_on(uniter); i++) {
    const struct ppi_interval *next = &intervals[i];
    const bool joins = ppi_uniter_reaches(uniter, &present.last, &next->first, lines ? -1 : -uniter->per_line);
    if (!ppi_uniter_goes_on(uniter))
      return;
    if (!joins) {
      add_interval(uniter, &present, lines, tally);
      present = *next;
    } else if (ppi_uniter_reaches(uniter, &next->last, &present.last, 0)) {
      present.last = next->last;
    }
  }
  if (ppi_uniter_goes_on(uniter))
    add_interval(uniter, &present, lines, tally);
}

void ppi_tally_row(struct ppi_uniter *uniter, const int *members, int count, struct ppi_tally *tally) {
  struct ppi_interval given[PPI_UNITER_MEMBERS], sorted[PPI_UNITER_MEMBERS];
  bool lines = true;
  for (int i = 0; i < count && ppi_uniter_goes_on(uniter); i++) {
    given[i] = elements_of(uniter, members[i]);
    lines = lines && has_line(uniter, &given[i].first) && has_line(uniter, &given[i].last);
  }
  for (int i = 0; i < count && ppi_uniter_goes_on(uniter); i++) {
    if (lines) {
      given[i].first = ppi_path_floor(uniter->path, &given[i].first, uniter->per_line);
      given[i].last = ppi_path_floor(uniter->path, &given[i].last, uniter->per_line);
    }
    sort_in(uniter, sorted, i, &given[i]);
  }
  if (ppi_uniter_goes_on(uniter))
    add_union(uniter, sorted, count, lines, tally);
}

/* Adds the sum over the rows of a slab of a quotient with a slope in the row's number u, times a * u + b. */
static void add_sloping(struct ppi_uniter *uniter, const struct ppi_tally_quotient *part, int level,
                        struct ppi_tally *tally) {
  const int row = PPI_ROW_VAR(level);
  struct ppi_quotient quotient = { part->form.c[row], uniter->per_line, part->form };
  struct ppi_form rest = part->times;
  struct ppi_poly sum, factor, product;
  quotient.form.c[row] = rest.c[row] = 0;
  const struct ppi_form first = ppi_uniter_put(uniter, &part->form, level, &uniter->slabs[level].low);
  const struct ppi_form last = ppi_uniter_put(uniter, &part->form, level, &uniter->slabs[level].high);
  if (!ppi_uniter_divides(uniter, &first, uniter->per_line) || !ppi_uniter_divides(uniter, &last, uniter->per_line) ||
      !ppi_uniter_divides(uniter, &quotient.form, uniter->per_line))
    return;
  ppi_quotient_sum(uniter->path, &quotient, &uniter->slabs[level].low, &uniter->slabs[level].high, 0, &sum);
  ppi_poly_form(&factor, &rest);
  ppi_poly_multiply(&factor, &sum, &product);
  ppi_poly_add(&tally->lines, &product, 1);
  if (part->times.c[row] == 0)
    return;
  ppi_quotient_sum(uniter->path, &quotient, &uniter->slabs[level].low, &uniter->slabs[level].high, 1, &sum);
  ppi_poly_add(&tally->lines, &sum, part->times.c[row]);
}

/* The same where the quotient is an integer number of lines more from row to row: (form + whole * per_line * u) / per_line. */
static void add_level(struct ppi_uniter *uniter, const struct ppi_tally_quotient *part, int level,
                      struct ppi_tally *tally) {
  const int row = PPI_ROW_VAR(level);
  struct ppi_form form = part->form, slope = ppi_form_constant(0);
  struct ppi_poly times, steps, product, sum;
  slope.c[row] = form.c[row] / uniter->per_line;
  form.c[row] = 0;
  ppi_poly_form(&times, &part->times);
  ppi_poly_form(&steps, &slope);
  ppi_poly_multiply(&times, &steps, &product);
  ppi_poly_sum(&product, row, &uniter->slabs[level].low, &uniter->slabs[level].high, &sum);
  ppi_poly_add(&tally->lines, &sum, 1);
  const struct ppi_form length = ppi_uniter_difference(uniter, &uniter->slabs[level].high, &uniter->slabs[level].low);
  const struct ppi_form rows = ppi_form_plus(&length, 1), nothing = ppi_form_constant(0);
  if (!ppi_form_is_constant(&part->times)) {
    ppi_path_give_up(uniter->path, "quotients of row numbers in two dimensions");
    return;
  }
  const struct ppi_form all =
      ppi_form_combine(&nothing, 1, &rows, part->times.c[PPI_VARS], &uniter->engine->system.fits);
  add_quotient(uniter, tally, &form, &all);
}

void ppi_tally_add_slab(struct ppi_uniter *uniter, const struct ppi_tally *row, int level, struct ppi_tally *tally) {
  struct ppi_poly sum;
  const bool fixed = uniter->fixed[level];
  if (!fixed)
    ppi_poly_sum(&row->lines, PPI_ROW_VAR(level), &uniter->slabs[level].low, &uniter->slabs[level].high, &sum);
  ppi_poly_add(&tally->lines, fixed ? &row->lines : &sum, 1);
  for (int i = 0; i < row->count && ppi_uniter_goes_on(uniter); i++) {
    const struct ppi_tally_quotient *part = &row->parts[i];
    if (fixed)
      add_quotient(uniter, tally, &part->form, &part->times);
    else if (part->form.c[PPI_ROW_VAR(level)] % uniter->per_line != 0)
      add_sloping(uniter, part, level, tally);
    else
      add_level(uniter, part, level, tally);
  }
}
