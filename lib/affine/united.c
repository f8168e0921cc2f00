/* SPDX-License-Identifier: BSD-3-Clause */
/* How many different lines a list of footprints has: the rows of the array are cut at the bounds of all footprints into slabs, in which the
   same footprints take part; in a row of a slab they are intervals, whose union is added up over the slab in closed form. Comparisons
   with the row's number are decided for the whole slab at its ends; where these disagree the slab is cut in two. Where quotients of the
   row's number are asked for, or rows are left out, the slab is taken apart into classes of rows with the same rest. */
#include "affine/engine.h"
#include "affine/quotient.h"

#define MEMBERS 96
#define PARTS 32 /* quotients of row numbers that are summed up at a time */
#define CUTS 64  /* of slabs, in one count */
#define SCALE 64 /* most classes of rows */

struct quotient { /* times * (form / per_line, rounded down) */
  struct ppi_form form, times;
};

struct tally {
  struct ppi_poly lines;
  int count;
  struct quotient parts[PARTS];
};

struct interval {
  struct ppi_form first, last; /* elements, or lines */
};

/* Rows of a level: scale * u + shift for u from low to high. */
struct slab {
  struct ppi_form low, high;
  int64_t scale, shift;
};

struct uniter {
  struct ppi_engine *engine;
  struct ppi_path *path;
  const struct ppi_footprints *list;
  int levels; /* of rows: dimensions - 1 */
  int64_t per_line;
  bool fixed[PPI_LOOPS];        /* the row of a level is one: low */
  struct slab slabs[PPI_LOOPS]; /* the present ones */
  bool cut;                     /* a slab is to be cut */
  int cut_level, cuts;
  int64_t classes;        /* into so many of rows; 1: in two */
  struct ppi_form cut_at; /* where the second part starts */
};

/* These are large: nothing but what counts is set. */
static void begin_tally(struct tally *tally) {
  tally->count = 0;
  ppi_poly_constant(&tally->lines, 0);
}

static bool goes_on(const struct uniter *uniter) {
  return !uniter->cut && !uniter->path->stop;
}

static struct ppi_form difference(struct uniter *uniter, const struct ppi_form *a, const struct ppi_form *b) {
  return ppi_form_sub(a, b, &uniter->engine->system.fits);
}

/* The form with a value for the row of a level. */
static struct ppi_form put(struct uniter *uniter, const struct ppi_form *form, int level,
                           const struct ppi_form *value) {
  struct ppi_form rest = *form;
  const int64_t factor = form->c[PPI_ROW_VAR(level)];
  rest.c[PPI_ROW_VAR(level)] = 0;
  return factor == 0 ? rest : ppi_form_combine(&rest, 1, value, factor, &uniter->engine->system.fits);
}

static int deepest_row(const struct uniter *uniter, const struct ppi_form *form) {
  for (int i = uniter->levels - 1; i >= 0; i--)
    if (form->c[PPI_ROW_VAR(i)] != 0)
      return i;
  return -1;
}

/* The slab of a level is to be taken apart, so that a form with this factor of the row's number has a quotient. */
static void ask_classes(struct uniter *uniter, int level, int64_t factor, int64_t divisor) {
  if (!goes_on(uniter))
    return;
  uniter->classes = divisor / ppi_gcd(factor, divisor);
  if (uniter->classes * uniter->slabs[level].scale > SCALE) {
    ppi_path_give_up(uniter->path, "rows are of too many classes");
    return;
  }
  uniter->cut = true;
  uniter->cut_level = level;
}

/* Whether rows' numbers leave quotients of the form as they are; otherwise classes are asked for. */
static bool divides_rows(struct uniter *uniter, const struct ppi_form *form, int64_t divisor) {
  for (int i = 0; i < uniter->levels; i++)
    if (form->c[PPI_ROW_VAR(i)] % divisor != 0) {
      ask_classes(uniter, i, form->c[PPI_ROW_VAR(i)], divisor);
      return false;
    }
  return goes_on(uniter);
}

/* form / divisor, rounded down. */
static struct ppi_form floor_of(struct uniter *uniter, const struct ppi_form *form, int64_t divisor) {
  return divides_rows(uniter, form, divisor) ? ppi_path_floor(uniter->path, form, divisor) : ppi_form_constant(0);
}

/* The slab is to be cut where the form changes its sign. */
static void ask_cut(struct uniter *uniter, const struct ppi_form *form, int level) {
  const struct ppi_form nothing = ppi_form_constant(0);
  const int64_t factor = form->c[PPI_ROW_VAR(level)], size = factor < 0 ? -factor : factor;
  struct ppi_form rest = *form;
  rest.c[PPI_ROW_VAR(level)] = 0;
  if (size != 1)
    rest = floor_of(uniter, &rest, size);
  if (!goes_on(uniter))
    return;
  uniter->cut = true;
  uniter->classes = 1;
  uniter->cut_level = level;
  if (factor > 0)
    uniter->cut_at = difference(uniter, &nothing, &rest);
  else
    uniter->cut_at = ppi_form_plus(&rest, 1);
}

/* Whether a form is >= 0 all over the present slabs, or nowhere. False as well once a cut is asked for. */
static bool is_sure(struct uniter *uniter, const struct ppi_form *form) {
  const int level = deepest_row(uniter, form);
  if (!goes_on(uniter))
    return false;
  if (level < 0)
    return ppi_path_sign(uniter->path, form);
  const struct ppi_form at_low = put(uniter, form, level, &uniter->slabs[level].low);
  const bool low = is_sure(uniter, &at_low);
  if (!goes_on(uniter) || uniter->fixed[level])
    return low && goes_on(uniter);
  const struct ppi_form at_high = put(uniter, form, level, &uniter->slabs[level].high);
  const bool high = is_sure(uniter, &at_high);
  if (!goes_on(uniter))
    return false;
  if (low != high)
    ask_cut(uniter, form, level);
  return low && high;
}

/* Whether a >= b + more. */
static bool reaches(struct uniter *uniter, const struct ppi_form *a, const struct ppi_form *b, int64_t more) {
  int64_t known = 0;
  if (ppi_form_difference(a, b, &known))
    return known >= more;
  const struct ppi_form lead = difference(uniter, a, b), over = ppi_form_plus(&lead, -more);
  return is_sure(uniter, &over);
}

/* A form of the list in terms of the present slabs' rows, with the fixed ones put in, which are in these terms already. */
static struct ppi_form resolve(struct uniter *uniter, const struct ppi_form *form) {
  struct ppi_form result = *form;
  for (int i = 0; i < uniter->levels; i++) {
    const int64_t factor = result.c[PPI_ROW_VAR(i)];
    result.c[PPI_ROW_VAR(i)] = factor * uniter->slabs[i].scale; /* both are small */
    result.c[PPI_VARS] += factor * uniter->slabs[i].shift;
  }
  for (int i = uniter->levels - 1; i >= 0; i--)
    if (uniter->fixed[i] && result.c[PPI_ROW_VAR(i)] != 0)
      result = put(uniter, &result, i, &uniter->slabs[i].low);
  return result;
}

static struct ppi_form bound_value(struct uniter *uniter, const struct ppi_bound *bound, bool low) {
  const struct ppi_form nothing = ppi_form_constant(0);
  struct ppi_form form = resolve(uniter, &bound->form);
  if (bound->divisor == 1)
    return form;
  if (!low)
    return floor_of(uniter, &form, bound->divisor);
  form = difference(uniter, &nothing, &form);
  form = floor_of(uniter, &form, bound->divisor);
  return difference(uniter, &nothing, &form);
}

/* The greatest of lower bounds, or the least of upper ones. */
static struct ppi_form tightest(struct uniter *uniter, int first, int count, bool low) {
  const struct ppi_bound *bounds = uniter->list->bounds + first;
  struct ppi_form best = bound_value(uniter, &bounds[0], low);
  for (int i = 1; i < count && goes_on(uniter); i++) {
    const struct ppi_form bound = bound_value(uniter, &bounds[i], low);
    if (low ? reaches(uniter, &bound, &best, 0) : reaches(uniter, &best, &bound, 0))
      best = bound;
  }
  return best;
}

static struct interval range_of(struct uniter *uniter, int member, int level) {
  const struct ppi_footprint *footprint = &uniter->list->footprints[member];
  struct interval interval;
  interval.first = tightest(uniter, footprint->first_low[level], footprint->low_count[level], true);
  interval.last = tightest(uniter, footprint->first_high[level], footprint->high_count[level], false);
  return interval;
}

/* First and last element of a footprint in a row. */
static struct interval elements_of(struct uniter *uniter, int member) {
  const struct ppi_footprint *footprint = &uniter->list->footprints[member];
  const struct interval run = range_of(uniter, member, uniter->levels);
  const struct ppi_form offset = resolve(uniter, &footprint->offset);
  const bool rises = footprint->factor > 0;
  bool *fits = &uniter->engine->system.fits;
  struct interval interval;
  interval.first = ppi_form_combine(&offset, 1, rises ? &run.first : &run.last, footprint->factor, fits);
  interval.last = ppi_form_combine(&offset, 1, rises ? &run.last : &run.first, footprint->factor, fits);
  return interval;
}

/* Whether the line of an element can be told without a quotient of a row's number. */
static bool has_line(const struct uniter *uniter, const struct ppi_form *form) {
  for (int i = 0; i < uniter->levels; i++)
    if (form->c[PPI_ROW_VAR(i)] % uniter->per_line != 0)
      return false;
  return true;
}

/* Intervals by their first elements. */
static void sort_in(struct uniter *uniter, struct interval *intervals, int count, const struct interval *added) {
  int at = count;
  while (at > 0 && goes_on(uniter) && !reaches(uniter, &added->first, &intervals[at - 1].first, 0)) {
    intervals[at] = intervals[at - 1];
    at--;
  }
  intervals[at] = *added;
}

/* Adds times * (form / per_line, rounded down). */
static void add_quotient(struct uniter *uniter, struct tally *tally, const struct ppi_form *form,
                         const struct ppi_form *times) {
  struct ppi_poly quotient, factor, product;
  if (has_line(uniter, form)) {
    const struct ppi_form line = ppi_path_floor(uniter->path, form, uniter->per_line);
    ppi_poly_form(&quotient, &line);
    ppi_poly_form(&factor, times);
    ppi_poly_multiply(&quotient, &factor, &product);
    ppi_poly_add(&tally->lines, &product, 1);
  } else if (tally->count == PARTS) {
    ppi_path_give_up(uniter->path, "too many quotients to sum up");
  } else {
    tally->parts[tally->count++] = (struct quotient){ *form, *times };
  }
}

/* Adds the lines of an interval of lines, or of elements. */
static void add_interval(struct uniter *uniter, const struct interval *interval, bool lines, struct tally *tally) {
  struct ppi_poly poly;
  const struct ppi_form length = difference(uniter, &interval->last, &interval->first);
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
static void add_union(struct uniter *uniter, const struct interval *intervals, int count, bool lines,
                      struct tally *tally) {
  struct interval present = intervals[0];
  for (int i = 1; i < count && goes_on(uniter); i++) {
    const struct interval *next = &intervals[i];
    const bool joins = reaches(uniter, &present.last, &next->first, lines ? -1 : -uniter->per_line);
    if (!goes_on(uniter))
      return;
    if (!joins) {
      add_interval(uniter, &present, lines, tally);
      present = *next;
    } else if (reaches(uniter, &next->last, &present.last, 0)) {
      present.last = next->last;
    }
  }
  if (goes_on(uniter))
    add_interval(uniter, &present, lines, tally);
}

static void count_row(struct uniter *uniter, const int *members, int count, struct tally *tally) {
  struct interval given[MEMBERS], sorted[MEMBERS];
  bool lines = true;
  for (int i = 0; i < count && goes_on(uniter); i++) {
    given[i] = elements_of(uniter, members[i]);
    lines = lines && has_line(uniter, &given[i].first) && has_line(uniter, &given[i].last);
  }
  for (int i = 0; i < count && goes_on(uniter); i++) {
    if (lines) {
      given[i].first = ppi_path_floor(uniter->path, &given[i].first, uniter->per_line);
      given[i].last = ppi_path_floor(uniter->path, &given[i].last, uniter->per_line);
    }
    sort_in(uniter, sorted, i, &given[i]);
  }
  if (goes_on(uniter))
    add_union(uniter, sorted, count, lines, tally);
}

/* Adds the sum over the rows of a slab of a quotient with a slope in the row's number u, times a * u + b. */
static void add_sloping(struct uniter *uniter, const struct quotient *part, int level, struct tally *tally) {
  const int row = PPI_ROW_VAR(level);
  struct ppi_quotient quotient = { part->form.c[row], uniter->per_line, part->form };
  struct ppi_form rest = part->times;
  struct ppi_poly sum, factor, product;
  quotient.form.c[row] = rest.c[row] = 0;
  const struct ppi_form first = put(uniter, &part->form, level, &uniter->slabs[level].low);
  const struct ppi_form last = put(uniter, &part->form, level, &uniter->slabs[level].high);
  if (!divides_rows(uniter, &first, uniter->per_line) || !divides_rows(uniter, &last, uniter->per_line) ||
      !divides_rows(uniter, &quotient.form, uniter->per_line))
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
static void add_level(struct uniter *uniter, const struct quotient *part, int level, struct tally *tally) {
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
  const struct ppi_form length = difference(uniter, &uniter->slabs[level].high, &uniter->slabs[level].low);
  const struct ppi_form rows = ppi_form_plus(&length, 1), nothing = ppi_form_constant(0);
  if (!ppi_form_is_constant(&part->times)) {
    ppi_path_give_up(uniter->path, "quotients of row numbers in two dimensions");
    return;
  }
  const struct ppi_form all =
      ppi_form_combine(&nothing, 1, &rows, part->times.c[PPI_VARS], &uniter->engine->system.fits);
  add_quotient(uniter, tally, &form, &all);
}

/* Adds what was counted in a row of a slab, for all its rows. */
static void add_slab(struct uniter *uniter, const struct tally *row, int level, struct tally *tally) {
  struct ppi_poly sum;
  const bool fixed = uniter->fixed[level];
  if (!fixed)
    ppi_poly_sum(&row->lines, PPI_ROW_VAR(level), &uniter->slabs[level].low, &uniter->slabs[level].high, &sum);
  ppi_poly_add(&tally->lines, fixed ? &row->lines : &sum, 1);
  for (int i = 0; i < row->count && goes_on(uniter); i++) {
    const struct quotient *part = &row->parts[i];
    if (fixed)
      add_quotient(uniter, tally, &part->form, &part->times);
    else if (part->form.c[PPI_ROW_VAR(level)] % uniter->per_line != 0)
      add_sloping(uniter, part, level, tally);
    else
      add_level(uniter, part, level, tally);
  }
}

static void count_level(struct uniter *uniter, int level, const int *members, int count, struct tally *tally);

/* Whether a footprint has rows of the slab: all of them or none, as strides go. */
static bool meets_stride(struct uniter *uniter, int level, const struct ppi_stride *stride) {
  const struct slab *slab = &uniter->slabs[level];
  const struct ppi_form base = resolve(uniter, &stride->base), nothing = ppi_form_constant(0);
  struct ppi_form row = ppi_form_constant(slab->shift);
  if (uniter->fixed[level])
    row = ppi_form_combine(&row, 1, &slab->low, slab->scale, &uniter->engine->system.fits);
  else if (slab->scale % stride->step != 0)
    ask_classes(uniter, level, slab->scale, stride->step);
  if (!goes_on(uniter))
    return false;
  const struct ppi_form lead = difference(uniter, &row, &base), steps = floor_of(uniter, &lead, stride->step);
  if (!goes_on(uniter))
    return false;
  const struct ppi_form multiple = ppi_form_combine(&nothing, 1, &steps, stride->step, &uniter->engine->system.fits);
  return reaches(uniter, &multiple, &lead, 0); /* what is left is >= 0 anyway */
}

static bool meets_slab(struct uniter *uniter, int level, int member) {
  const struct ppi_footprint *footprint = &uniter->list->footprints[member];
  for (int i = 0; i < footprint->stride_count && goes_on(uniter); i++) {
    const struct ppi_stride *stride = &uniter->list->strides[footprint->first_stride + i];
    if (stride->coordinate == level && !meets_stride(uniter, level, stride))
      return false;
  }
  return goes_on(uniter);
}

/* The slab as a whole; it may turn out that it is to be cut. */
static void count_whole(struct uniter *uniter, int level, const struct slab *slab, const int *members, int count,
                        struct tally *tally) {
  int kept[MEMBERS], kept_count = 0;
  int64_t rows = 0;
  struct tally row;
  begin_tally(&row);
  uniter->slabs[level] = *slab;
  uniter->fixed[level] = ppi_form_difference(&slab->high, &slab->low, &rows) && rows == 0;
  for (int i = 0; i < count && goes_on(uniter); i++)
    if (meets_slab(uniter, level, members[i]))
      kept[kept_count++] = members[i];
  if (goes_on(uniter) && kept_count > 0) {
    count_level(uniter, level + 1, kept, kept_count, &row);
    if (goes_on(uniter))
      add_slab(uniter, &row, level, tally);
  }
  uniter->fixed[level] = false;
  uniter->slabs[level].scale = 1;
  uniter->slabs[level].shift = 0;
}

static void count_slab(struct uniter *uniter, int level, const struct slab *slab, const int *members, int count,
                       struct tally *tally);

/* One class of the slab's rows, if it has any. */
static void count_class(struct uniter *uniter, int level, const struct slab *slab, int64_t classes, int64_t rest,
                        const int *members, int count, struct tally *tally) {
  struct slab part = { .scale = slab->scale * classes, .shift = slab->shift + slab->scale * rest };
  const struct ppi_form first = ppi_form_plus(&slab->low, classes - 1 - rest), last = ppi_form_plus(&slab->high, -rest);
  part.low = floor_of(uniter, &first, classes);
  if (goes_on(uniter))
    part.high = floor_of(uniter, &last, classes);
  if (goes_on(uniter) && reaches(uniter, &part.high, &part.low, 0))
    count_slab(uniter, level, &part, members, count, tally);
}

/* Rows of a level in all of which the members take part. */
static void count_slab(struct uniter *uniter, int level, const struct slab *slab, const int *members, int count,
                       struct tally *tally) {
  count_whole(uniter, level, slab, members, count, tally);
  if (!uniter->cut || uniter->cut_level != level || uniter->path->stop)
    return;
  struct slab first = *slab, second = *slab;
  const int64_t classes = uniter->classes;
  first.high = ppi_form_plus(&uniter->cut_at, -1);
  second.low = uniter->cut_at;
  uniter->cut = false;
  if (++uniter->cuts > CUTS)
    ppi_path_give_up(uniter->path, "footprints are cut into too many parts");
  for (int64_t rest = 0; rest < classes && classes > 1 && goes_on(uniter); rest++)
    count_class(uniter, level, slab, classes, rest, members, count, tally);
  if (classes == 1 && goes_on(uniter))
    count_slab(uniter, level, &first, members, count, tally);
  if (classes == 1 && goes_on(uniter))
    count_slab(uniter, level, &second, members, count, tally);
}

/* Where slabs begin and end: distinct forms in rising order. */
struct points {
  int count;
  int place[2 * MEMBERS]; /* of each point: its number in the order */
  int order[2 * MEMBERS]; /* the other way around */
  struct ppi_form at[2 * MEMBERS];
};

/* The point that equals the form, added if need be. */
static int point_of(struct uniter *uniter, struct points *points, const struct ppi_form *form) {
  int low = 0, high = points->count;
  while (low < high && goes_on(uniter)) {
    const int middle = low + (high - low) / 2, point = points->order[middle];
    if (!reaches(uniter, form, &points->at[point], 0))
      high = middle;
    else if (goes_on(uniter) && reaches(uniter, form, &points->at[point], 1))
      low = middle + 1;
    else
      return point;
  }
  for (int i = points->count; i > low; i--)
    points->order[i] = points->order[i - 1];
  points->order[low] = points->count;
  points->at[points->count] = *form;
  return points->count++;
}

/* Where members begin, and where they have ended; points in order. */
struct extents {
  int begins[MEMBERS], ends[MEMBERS];
  struct points points;
};

static void find_extents(struct uniter *uniter, int level, const int *members, int count, struct extents *extents) {
  struct points *points = &extents->points;
  points->count = 0;
  for (int i = 0; i < count && goes_on(uniter); i++) {
    const struct interval range = range_of(uniter, members[i], level);
    const struct ppi_form beyond = ppi_form_plus(&range.last, 1);
    extents->begins[i] = goes_on(uniter) ? point_of(uniter, points, &range.first) : 0;
    extents->ends[i] = goes_on(uniter) ? point_of(uniter, points, &beyond) : 0;
  }
  for (int i = 0; i < points->count; i++)
    points->place[points->order[i]] = i;
}

static void count_level(struct uniter *uniter, int level, const int *members, int count, struct tally *tally) {
  int active[MEMBERS];
  struct extents extents;
  const struct points *points = &extents.points;
  if (level == uniter->levels) {
    count_row(uniter, members, count, tally);
    return;
  }
  find_extents(uniter, level, members, count, &extents);
  for (int i = 0; i + 1 < points->count && goes_on(uniter); i++) {
    const struct slab slab = { points->at[points->order[i]], ppi_form_plus(&points->at[points->order[i + 1]], -1), 1,
                               0 };
    int active_count = 0;
    for (int j = 0; j < count; j++)
      if (points->place[extents.begins[j]] <= i && i < points->place[extents.ends[j]])
        active[active_count++] = members[j];
    if (active_count > 0)
      count_slab(uniter, level, &slab, active, active_count, tally);
  }
}

/* Whether the footprint has points at all. */
static bool takes_part(struct uniter *uniter, const struct ppi_footprint *footprint) {
  for (int i = 0; i < footprint->condition_count; i++)
    if (!ppi_room_is_there(uniter->path, &uniter->list->conditions[footprint->first_condition + i],
                           &uniter->engine->system.fits))
      return false;
  return true;
}

void ppi_engine_count_lines(struct ppi_engine *engine, int array, struct ppi_poly *lines) {
  const struct ppi_nest_array *of = &engine->nest->arrays[array];
  struct uniter uniter = { .engine = engine, .path = engine->path, .list = &engine->footprints[array] };
  struct tally tally;
  int members[MEMBERS], count = 0;
  uniter.levels = of->dimensions - 1;
  uniter.per_line = of->per_line;
  for (int i = 0; i < PPI_LOOPS; i++)
    uniter.slabs[i].scale = 1;
  begin_tally(&tally);
  engine->system.fits = true;
  for (int i = 0; i < uniter.list->count && !engine->path->stop; i++) {
    if (!takes_part(&uniter, &uniter.list->footprints[i]))
      continue;
    if (count == MEMBERS)
      ppi_path_give_up(engine->path, "too many footprints");
    else
      members[count++] = i;
  }
  if (count == 0 || engine->path->stop)
    return;
  count_level(&uniter, 0, members, count, &tally);
  if (tally.count > 0)
    ppi_path_give_up(engine->path, "quotients are left over");
  if (!engine->system.fits || tally.lines.bad)
    ppi_path_give_up(engine->path, "numbers become too large");
  ppi_poly_add(lines, &tally.lines, 1);
}
