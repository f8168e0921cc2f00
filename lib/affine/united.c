/* SPDX-License-Identifier: BSD-3-Clause */
/* How many different lines a list of footprints has: the rows of the array are cut at the bounds of all footprints into slabs, in which the
   same footprints take part; in a row of a slab they are intervals, whose union is added up over the slab in closed form. Comparisons
   with the row's number are decided for the whole slab at its ends; where these disagree the slab is cut in two. Where quotients of the
   row's number are asked for, or rows are left out, the slab is taken apart into classes of rows with the same rest. */
#include "affine/uniter.h"

#define CUTS 64 /* of slabs, in one count */

static void count_level(struct ppi_uniter *uniter, int level, const int *members, int count, struct ppi_tally *tally);

/* Whether a footprint has rows of the slab: all of them or none, as strides go. */
static bool meets_stride(struct ppi_uniter *uniter, int level, const struct ppi_stride *stride) {
  const struct ppi_slab *slab = &uniter->slabs[level];
  const struct ppi_form base = ppi_uniter_resolve(uniter, &stride->base), nothing = ppi_form_constant(0);
  struct ppi_form row = ppi_form_constant(slab->shift);
  if (uniter->fixed[level])
    row = ppi_form_combine(&row, 1, &slab->low, slab->scale, &uniter->engine->system.fits);
  else if (slab->scale % stride->step != 0)
    ppi_uniter_ask_classes(uniter, level, slab->scale, stride->step);
  if (!ppi_uniter_goes_on(uniter))
    return false;
  const struct ppi_form lead = ppi_uniter_difference(uniter, &row, &base),
                        steps = ppi_uniter_floor(uniter, &lead, stride->step);
  if (!ppi_uniter_goes_on(uniter))
    return false;
  const struct ppi_form multiple = ppi_form_combine(&nothing, 1, &steps, stride->step, &uniter->engine->system.fits);
  return ppi_uniter_reaches(uniter, &multiple, &lead, 0); /* what is left is >= 0 anyway */
}

static bool meets_slab(struct ppi_uniter *uniter, int level, int member) {
  const struct ppi_footprint *footprint = &uniter->list->footprints[member];
  for (int i = 0; i < footprint->stride_count && ppi_uniter_goes_on(uniter); i++) {
    const struct ppi_stride *stride = &uniter->list->strides[footprint->first_stride + i];
    if (stride->coordinate == level && !meets_stride(uniter, level, stride))
      return false;
  }
  return ppi_uniter_goes_on(uniter);
}

/* The slab as a whole; it may turn out that it is to be cut. */
static void count_whole(struct ppi_uniter *uniter, int level, const struct ppi_slab *slab, const int *members,
                        int count, struct ppi_tally *tally) {
  int kept[PPI_UNITER_MEMBERS], kept_count = 0;
  int64_t rows = 0;
  struct ppi_tally row;
  ppi_tally_begin(&row);
  uniter->slabs[level] = *slab;
  uniter->fixed[level] = ppi_form_difference(&slab->high, &slab->low, &rows) && rows == 0;
  for (int i = 0; i < count && ppi_uniter_goes_on(uniter); i++)
    if (meets_slab(uniter, level, members[i]))
      kept[kept_count++] = members[i];
  if (ppi_uniter_goes_on(uniter) && kept_count > 0) {
    count_level(uniter, level + 1, kept, kept_count, &row);
    if (ppi_uniter_goes_on(uniter))
      ppi_tally_add_slab(uniter, &row, level, tally);
  }
  uniter->fixed[level] = false;
  uniter->slabs[level].scale = 1;
  uniter->slabs[level].shift = 0;
}

static void count_slab(struct ppi_uniter *uniter, int level, const struct ppi_slab *slab, const int *members, int count,
                       struct ppi_tally *tally);

/* One class of the slab's rows, if it has any. */
static void count_class(struct ppi_uniter *uniter, int level, const struct ppi_slab *slab, int64_t classes,
                        int64_t rest, const int *members, int count, struct ppi_tally *tally) {
  struct ppi_slab part = { .scale = slab->scale * classes, .shift = slab->shift + slab->scale * rest };
  const struct ppi_form first = ppi_form_plus(&slab->low, classes - 1 - rest), last = ppi_form_plus(&slab->high, -rest);
  part.low = ppi_uniter_floor(uniter, &first, classes);
  if (ppi_uniter_goes_on(uniter))
    part.high = ppi_uniter_floor(uniter, &last, classes);
  if (ppi_uniter_goes_on(uniter) && ppi_uniter_reaches(uniter, &part.high, &part.low, 0))
    count_slab(uniter, level, &part, members, count, tally);
}

/* Rows of a level in all of which the members take part. */
static void count_slab(struct ppi_uniter *uniter, int level, const struct ppi_slab *slab, const int *members, int count,
                       struct ppi_tally *tally) {
  count_whole(uniter, level, slab, members, count, tally);
  if (!uniter->cut || uniter->cut_level != level || uniter->path->stop)
    return;
  struct ppi_slab first = *slab, second = *slab;
  const int64_t classes = uniter->classes;
  first.high = ppi_form_plus(&uniter->cut_at, -1);
  second.low = uniter->cut_at;
  uniter->cut = false;
  if (++uniter->cuts > CUTS)
    ppi_path_give_up(uniter->path, "footprints are cut into too many parts");
  for (int64_t rest = 0; rest < classes && classes > 1 && ppi_uniter_goes_on(uniter); rest++)
    count_class(uniter, level, slab, classes, rest, members, count, tally);
  if (classes == 1 && ppi_uniter_goes_on(uniter))
    count_slab(uniter, level, &first, members, count, tally);
  if (classes == 1 && ppi_uniter_goes_on(uniter))
    count_slab(uniter, level, &second, members, count, tally);
}

/* Where slabs begin and end: distinct forms in rising order. */
struct points {
  int count;
  int place[2 * PPI_UNITER_MEMBERS]; /* of each point: its number in the order */
  int order[2 * PPI_UNITER_MEMBERS]; /* the other way around */
  struct ppi_form at[2 * PPI_UNITER_MEMBERS];
};

/* The point that equals the form, added if need be. */
static int point_of(struct ppi_uniter *uniter, struct points *points, const struct ppi_form *form) {
  int low = 0, high = points->count;
  while (low < high && ppi_uniter_goes_on(uniter)) {
    const int middle = low + (high - low) / 2, point = points->order[middle];
    if (!ppi_uniter_reaches(uniter, form, &points->at[point], 0))
      high = middle;
    else if (ppi_uniter_goes_on(uniter) && ppi_uniter_reaches(uniter, form, &points->at[point], 1))
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
  int begins[PPI_UNITER_MEMBERS], ends[PPI_UNITER_MEMBERS];
  struct points points;
};

static void find_extents(struct ppi_uniter *uniter, int level, const int *members, int count, struct extents *extents) {
  struct points *points = &extents->points;
  points->count = 0;
  for (int i = 0; i < count && ppi_uniter_goes_on(uniter); i++) {
    const struct ppi_interval range = ppi_uniter_range(uniter, members[i], level);
    const struct ppi_form beyond = ppi_form_plus(&range.last, 1);
    extents->begins[i] = ppi_uniter_goes_on(uniter) ? point_of(uniter, points, &range.first) : 0;
    extents->ends[i] = ppi_uniter_goes_on(uniter) ? point_of(uniter, points, &beyond) : 0;
  }
  for (int i = 0; i < points->count; i++)
    points->place[points->order[i]] = i;
}

static void count_level(struct ppi_uniter *uniter, int level, const int *members, int count, struct ppi_tally *tally) {
  int active[PPI_UNITER_MEMBERS];
  struct extents extents;
  const struct points *points = &extents.points;
  if (level == uniter->levels) {
    ppi_tally_row(uniter, members, count, tally);
    return;
  }
  find_extents(uniter, level, members, count, &extents);
  for (int i = 0; i + 1 < points->count && ppi_uniter_goes_on(uniter); i++) {
    const struct ppi_slab slab = { points->at[points->order[i]], ppi_form_plus(&points->at[points->order[i + 1]], -1),
                                   1, 0 };
    int active_count = 0;
    for (int j = 0; j < count; j++)
      if (points->place[extents.begins[j]] <= i && i < points->place[extents.ends[j]])
        active[active_count++] = members[j];
    if (active_count > 0)
      count_slab(uniter, level, &slab, active, active_count, tally);
  }
}

/* Whether the footprint has points at all. */
static bool takes_part(struct ppi_uniter *uniter, const struct ppi_footprint *footprint) {
  for (int i = 0; i < footprint->condition_count; i++)
    if (!ppi_room_is_there(uniter->path, &uniter->list->conditions[footprint->first_condition + i],
                           &uniter->engine->system.fits))
      return false;
  return true;
}

void ppi_engine_count_lines(struct ppi_engine *engine, int array, struct ppi_poly *lines) {
  const struct ppi_nest_array *of = &engine->nest->arrays[array];
  struct ppi_uniter uniter = { .engine = engine, .path = engine->path, .list = &engine->footprints[array] };
  struct ppi_tally tally;
  int members[PPI_UNITER_MEMBERS], count = 0;
  uniter.levels = of->dimensions - 1;
  uniter.per_line = of->per_line;
  for (int i = 0; i < PPI_LOOPS; i++)
    uniter.slabs[i].scale = 1;
  ppi_tally_begin(&tally);
  engine->system.fits = true;
  for (int i = 0; i < uniter.list->count && !engine->path->stop; i++) {
    if (!takes_part(&uniter, &uniter.list->footprints[i]))
      continue;
    if (count == PPI_UNITER_MEMBERS)
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
