/* SPDX-License-Identifier: BSD-3-Clause */
/* One sample of a tour: where it is, what comes before it, the timed part. */
#include "measure/core_tour.h"

#define C (PPI_TOUR_OPERANDS - 1)
#define TRIAL_S 1e-3 /* of a whole execution runs so long, or TRIAL_ITERATIONS, before it is timed */
#define TRIAL_ITERATIONS 256
#define BRIEF_S                                                                                                        \
  10e-3 /* a whole execution that takes less is preceded by another one: others may have run since the last */

/* --- The timed part -------------------------------------------------------------------------------------------------- */

static void run_whole(struct ppi_tours *tours) {
  struct ppi_tour_walk *walk = &tours->walk;
  if (walk->tour->zeroed)
    ppi_tour_zero(tours->batch, tours->tensors[C]);
  if (tours->course->iterations > 0) {
    ppi_tour_walk_seek(walk, 0);
    ppi_tour_walk_transpose(walk, false);
    ppi_tour_walk_enter(walk, 0, PPI_TOUR_LOOPS_MAX + 1);
    ppi_tour_walk_run(walk, tours->course->iterations);
    ppi_tour_walk_leave(walk, 0);
    ppi_tour_walk_transpose(walk, true);
  }
  tours->course->complete = true;
}

/* Where nothing runs before a window, its own copies are what it begins and ends with. */
static void run_window(struct ppi_tours *tours) {
  struct ppi_tour_walk *walk = &tours->walk;
  const bool fresh = !walk->behind;
  if (fresh)
    ppi_tour_walk_enter(walk, tours->place.pending, PPI_TOUR_LOOPS_MAX + 1);
  ppi_tour_walk_run(walk, tours->course->timed);
  if (fresh)
    ppi_tour_walk_leave(walk, tours->place.pending);
}

static void perform(struct ppi_tours *tours) {
  const struct ppi_tour_request *request = tours->request;
  if (request->subject == PPI_TOUR_WHOLE)
    run_whole(tours);
  else if (request->subject == PPI_TOUR_ZERO)
    ppi_tour_zero(tours->batch, tours->tensors[C]);
  else if (tours->course->iterations == 0)
    return;
  else if (request->subject == PPI_TOUR_WINDOW)
    run_window(tours);
  else if (request->subject == PPI_TOUR_CALL)
    ppi_tour_walk_call(&tours->walk, tours->course->timed);
  else
    ppi_tour_walk_copy(&tours->walk, request->operand, request->subject == PPI_TOUR_COPY_OUT);
}

/* --- Before it ------------------------------------------------------------------------------------------------------- */

/* To an iteration, with the copies that are there when it begins. */
static void settle(struct ppi_tours *tours, int64_t iteration, int pending) {
  if (tours->course->iterations == 0)
    return;
  ppi_tour_walk_seek(&tours->walk, iteration);
  ppi_tour_walk_enter(&tours->walk, 0, pending);
}

static void touch_far(struct ppi_tours *tours, size_t bytes) {
  while (bytes > 0) {
    const size_t rest = tours->far_bytes - tours->far_at, now = bytes < rest ? bytes : rest;
    ppi_touch(tours->far + tours->far_at, tours->far + tours->far_at + now);
    bytes -= now;
    tours->far_at = now == rest ? 0 : tours->far_at + now;
  }
}

/* Over the slices that `count` iterations from the present one on have. */
static void visit_slices(struct ppi_tours *tours, const struct ppi_tour_item *item, int64_t count) {
  const unsigned char *last = NULL;
  for (int64_t i = 0; i < count; i++) {
    struct ppi_area area;
    if (i > 0)
      ppi_tour_walk_advance(&tours->walk);
    ppi_tour_walk_area(&tours->walk, item, &area);
    if (area.base == last)
      continue;
    last = area.base;
    if (item->kind == PPI_TOUR_TOUCH)
      ppi_touch_area(&area);
    else
      ppi_evict_area(tours->core->eviction, &area);
  }
}

/* From the present iteration on, which the walk comes back to. */
static void set_up_caches(struct ppi_tours *tours, int64_t first, int64_t count) {
  const struct ppi_tour_request *request = tours->request;
  for (size_t i = 0; i < request->item_count; i++) {
    const struct ppi_tour_item *item = &request->items[i];
    if (item->kind == PPI_TOUR_REMOTE)
      touch_far(tours, (size_t)item->bytes);
    else if (tours->course->iterations > 0) {
      visit_slices(tours, item, count);
      ppi_tour_walk_seek(&tours->walk, first);
    }
    if (item->kind == PPI_TOUR_FLUSH)
      ppi_evict_finish();
  }
}

void ppi_tours_restore(void *data) {
  struct ppi_tours *tours = data;
  if (tours->idle)
    return;
  ppi_core_announce(tours->core, tours->what);
  const uint64_t number = (uint64_t)(tours->course - tours->courses);
  ppi_tour_place(tours->walk.tour, tours->request, tours->seed + number, tours->course->visits++, &tours->place);
  tours->ready = false;
}

void ppi_tours_prepare(void *data) {
  struct ppi_tours *tours = data;
  const struct ppi_tour_place *place = &tours->place;
  const bool window = tours->request->subject == PPI_TOUR_WINDOW;
  if (tours->course->skipped)
    return;
  if (tours->request->warm || tours->course->brief) {
    settle(tours, place->begin, place->pending);
    perform(tours);
  }
  const int64_t first = place->begin - place->lead;
  settle(tours, first, place->lead > 0 ? PPI_TOUR_LOOPS_MAX + 1 : place->pending);
  set_up_caches(tours, first, window ? place->lead + tours->course->timed : 1);
  if (place->lead > 0)
    ppi_tour_walk_run(&tours->walk, place->lead);
  tours->ready = true;
}

/* The beginning of a whole execution. Is it expected to take longer than it may? */
static void try_whole(struct ppi_tours *tours) {
  struct ppi_tour_course *course = tours->course;
  const struct ppi_clock *clock = &tours->core->bench.wall;
  double spent = 0.0;
  int64_t done = 0;
  const double start = clock->now(clock->state);
  ppi_tour_walk_transpose(&tours->walk, false);
  const double moved = clock->now(clock->state) - start;
  settle(tours, 0, PPI_TOUR_LOOPS_MAX + 1);
  for (int64_t more = 1; done < course->iterations && done < TRIAL_ITERATIONS && spent < TRIAL_S; more = done) {
    const double begin = clock->now(clock->state);
    more = more < course->iterations - done ? more : course->iterations - done;
    ppi_tour_walk_run(&tours->walk, more);
    spent += clock->now(clock->state) - begin;
    done += more;
  }
  const double limit = tours->request->limit_s;
  const double expected = done > 0 ? moved + spent / (double)done * (double)course->iterations : 0.0;
  course->skipped = limit > 0.0 && expected > limit;
  course->brief = expected < BRIEF_S;
}

void ppi_tours_run(void *data) {
  struct ppi_tours *tours = data;
  struct ppi_tour_course *course = tours->course;
  if (tours->idle || course->skipped)
    return;
  if (!course->met) {
    course->met = true;
    if (tours->request->subject == PPI_TOUR_WHOLE) {
      try_whole(tours);
      return;
    }
    if (tours->request->subject == PPI_TOUR_COPY_OUT) /* memory that nobody has written to is no memory yet */
      ppi_tour_walk_copy(&tours->walk, tours->request->operand, false);
  }
  if (!tours->ready)
    settle(tours, tours->place.begin, tours->place.pending);
  perform(tours);
}

enum perfpred_status ppi_tours_check(void *data, struct perfpred_error *error) {
  struct ppi_tours *tours = data;
  struct ppi_tour_course *course = tours->course;
  if (tours->idle || course->skipped)
    return PERFPRED_OK;
  if (course->complete && !course->checked) {
    course->residual = ppi_tour_residual(tours->batch, tours->tensors, tours->seed);
    course->checked = true;
  }
  return ppi_call_check(&tours->walk.call, tours->what, error);
}
