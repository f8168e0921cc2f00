/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/polygon.h"

/* (slope * x + rest) / divisor, divisor > 0. */
struct line {
  ppi_wide slope, rest, divisor;
};

/* The least of some lines; their values rounded down bound an integer from above. */
struct border {
  int count;
  struct line lines[PPI_SET_ROWS + 1];
};

static ppi_wide floor_of(ppi_wide a, ppi_wide b) {
  if (a <= INT64_MAX && a >= INT64_MIN && b <= INT64_MAX) /* the usual case, without a division of 128 bits */
    return ppi_floor_div((int64_t)a, (int64_t)b);
  return a / b - (a % b < 0);
}

/* Sum of (slope * x + rest) / divisor, rounded down, over x from 0 to count - 1. */
static ppi_wide sum_quotients(ppi_wide count, struct line line) {
  ppi_wide sum = 0;
  for (;;) {
    const ppi_wide steps = floor_of(line.slope, line.divisor), whole = floor_of(line.rest, line.divisor);
    sum += steps * (count * (count - 1) / 2) + whole * count;
    line.slope -= steps * line.divisor;
    line.rest -= whole * line.divisor;
    const ppi_wide end = line.slope * count + line.rest;
    if (end < line.divisor)
      return sum;
    count = floor_of(end, line.divisor); /* the same points, counted along the other axis */
    line = (struct line){ line.divisor, end - count * line.divisor, line.slope };
  }
}

/* Over x from first to last. */
static ppi_wide sum_between(const struct line *line, int64_t first, int64_t last) {
  const struct line moved = { line->slope, line->rest + line->slope * first, line->divisor };
  return sum_quotients((ppi_wide)last - first + 1, moved);
}

/* The difference a - b of two lines, times both divisors. */
static struct line difference(const struct line *a, const struct line *b) {
  return (struct line){ a->slope * b->divisor - b->slope * a->divisor, a->rest * b->divisor - b->rest * a->divisor, 1 };
}

static ppi_wide value_at(const struct line *line, int64_t x) {
  return line->slope * x + line->rest;
}

/* The least line at x, and the last place up to which it stays that. */
static const struct line *least_at(const struct border *border, int64_t x, int64_t *last) {
  const struct line *least = &border->lines[0];
  for (int i = 1; i < border->count; i++) {
    const struct line above = difference(&border->lines[i], least);
    if (value_at(&above, x) < 0)
      least = &border->lines[i];
  }
  for (int i = 0; i < border->count; i++) {
    const struct line above = difference(&border->lines[i], least);
    if (above.slope >= 0)
      continue;
    const ppi_wide place = floor_of(above.rest, -above.slope);
    *last = place < *last ? (int64_t)place : *last;
  }
  return least;
}

/* Narrows a range to where a line is >= 0. */
static void narrow(const struct line *line, int64_t *first, int64_t *last) {
  if (line->slope == 0) {
    if (line->rest < 0)
      *last = *first - 1;
  } else if (line->slope > 0) {
    const ppi_wide bound = -floor_of(line->rest, line->slope);
    *first = bound > *last ? *last + 1 : bound > *first ? (int64_t)bound : *first;
  } else {
    const ppi_wide bound = floor_of(line->rest, -line->slope);
    *last = bound < *first ? *first - 1 : bound < *last ? (int64_t)bound : *last;
  }
}

/* Where each border is one line: there are points only where the two leave room. */
static ppi_wide count_between(const struct line *above, const struct line *below, int64_t first, int64_t last) {
  const struct line room = { above->slope * below->divisor + below->slope * above->divisor,
                             above->rest * below->divisor + below->rest * above->divisor, 1 };
  narrow(&room, &first, &last);
  if (first > last)
    return 0;
  return sum_between(above, first, last) + sum_between(below, first, last) + ((ppi_wide)last - first + 1);
}

static void add_line(struct border *border, ppi_wide slope, ppi_wide rest, ppi_wide divisor) {
  border->lines[border->count++] = (struct line){ slope, rest, divisor };
}

ppi_wide ppi_polygon_points(const struct ppi_set *set, int over, int in) {
  struct border above, below; /* of variable `in`, and of its negative */
  int64_t x = set->low[over], end = set->high[over];
  ppi_wide sum = 0;
  above.count = below.count = 0;
  add_line(&above, 0, set->high[in], 1);
  add_line(&below, 0, -(ppi_wide)set->low[in], 1);
  for (int i = 0; i < set->count; i++) {
    const struct ppi_constraint *row = &set->rows[i];
    const struct line line = { row->c[over], row->constant, 1 };
    if (row->c[in] == 0)
      narrow(&line, &x, &end);
    else
      add_line(row->c[in] < 0 ? &above : &below, line.slope, line.rest, row->c[in] < 0 ? -row->c[in] : row->c[in]);
  }
  while (x <= end) {
    int64_t last = end;
    const struct line *top = least_at(&above, x, &last), *bottom = least_at(&below, x, &last);
    sum += count_between(top, bottom, x, last);
    x = last + 1;
  }
  return sum;
}
