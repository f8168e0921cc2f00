/* SPDX-License-Identifier: BSD-3-Clause */
/* The search goes back through the text from a call, out of one loop after another, until it meets the last access. */
#include "contract/distance.h"

#include <assert.h>

struct search {
  const struct ppi_body *body;
  struct ppi_area wanted;  /* what is looked for: the area, seen over the loops that were left behind */
  int origin;              /* depth of the call that it starts from */
  struct ppi_areas now;    /* touched since, in this iteration of the loop that is looked at, */
  struct ppi_areas before; /* in the one before */
  bool
      joined; /* `now` has all that the loop inside of that one touches, although that is spread over both iterations; */
  bool begun; /* or `before` has, because the loop is in its first iteration now */
};

static bool covers(struct ppi_area outer, struct ppi_area inner) {
  return outer.memory == inner.memory && (inner.open & ~outer.open) == 0;
}

static bool loop_moves(const struct search *s, int depth, int memory) {
  return depth > 0 && ppi_terrain_moves(&s->body->terrain, memory, s->body->loops[depth - 1]);
}

static void add_call(const struct search *s, int call, int from, struct ppi_areas *areas) {
  for (int a = 0; a < s->body->calls[call].area_count; a++)
    ppi_areas_add(areas, ppi_body_area(s->body, call, a, from));
}

/* All that stands inside loop `depth`, over all iterations of it and of what is inside. */
static void add_inside(const struct search *s, int depth, struct ppi_areas *areas) {
  for (int k = 0; k < s->body->call_count; k++)
    if (s->body->calls[k].depth >= depth)
      add_call(s, k, depth - 1, areas);
}

static int first_inside(const struct search *s, int depth) {
  int k = 0;
  while (s->body->calls[k].depth < depth)
    k++;
  return k;
}

static int last_inside(const struct search *s, int depth) {
  int k = s->body->call_count - 1;
  while (s->body->calls[k].depth < depth)
    k--;
  return k;
}

/* Whether a call, over its loops from depth `from` on, touches what is wanted. Where it takes all of these loops for that, they are
   added as a whole: the last access to most of it is back inside of them. */
static bool meets(const struct search *s, int call, int from, struct ppi_areas *areas) {
  const struct ppi_body_call *met = &s->body->calls[call];
  for (int a = 0; a < met->area_count; a++) {
    if (covers(met->areas[a], s->wanted))
      return true;
    if (covers(ppi_body_area(s->body, call, a, from), s->wanted)) {
      add_inside(s, from + 1, areas);
      return true;
    }
  }
  return false;
}

/* Back from call `at` to the beginning of the iteration at this depth. */
static bool find_now(struct search *s, int at, int depth) {
  for (int k = at - 1; k >= 0 && s->body->calls[k].depth >= depth; k--) {
    if (meets(s, k, depth, &s->now))
      return true;
    add_call(s, k, depth, &s->now);
  }
  return false;
}

/* What is inside of the inner loop lies in both iterations unless it moves with that loop: then each part of it lies in one of them. */
static void add_inner(struct search *s, int depth) {
  for (int k = 0; k < s->body->call_count; k++)
    for (int a = 0; a < s->body->calls[k].area_count && s->body->calls[k].depth > depth; a++)
      if (!loop_moves(s, depth + 1, s->body->calls[k].areas[a].memory))
        ppi_areas_add(&s->before, ppi_body_area(s->body, k, a, depth));
}

/* Back from the end of the iteration before, in which the last access is. */
static void find_before(struct search *s, int depth) {
  const bool inner = s->joined || s->begun;
  if (s->joined)
    add_inner(s, depth);
  for (int k = last_inside(s, depth); k >= 0 && s->body->calls[k].depth >= depth; k--) {
    if (inner && s->body->calls[k].depth > depth)
      return;
    const int from = depth > s->origin ? depth : s->origin;
    if (meets(s, k, from, &s->before))
      return;
    add_call(s, k, from, &s->before);
  }
}

/* Out of the loop at this depth, which has been through all of its iterations since the last access. */
static void leave(struct search *s, int depth) {
  s->now.count = s->before.count = 0;
  add_inside(s, depth, &s->now);
  s->wanted.open |= UINT32_C(1) << s->body->loops[depth - 1];
  s->joined = true;
  s->begun = false;
}

/* Out of loops that are in their first iteration. False: the last access is in that iteration. */
static bool leave_begun(struct search *s, int *at, int *depth, int started, bool tight) {
  int outermost = 0; /* of those that move what is wanted */
  for (int j = 0; j < started; j++) {
    if (find_now(s, *at, *depth))
      return false;
    if (loop_moves(s, *depth, s->wanted.memory)) {
      s->wanted.open |= UINT32_C(1) << s->body->loops[*depth - 1];
      outermost = *depth;
    }
    *at = first_inside(s, *depth);
    --*depth;
  }
  if (outermost > 0)
    add_inside(s, tight ? outermost : *depth + 1, &s->before);
  s->begun = outermost > 0;
  return true;
}

/* Adds areas of one iteration to those of two. What the other one touches as well, and the loop moves, is there once more: it counts with
   a step of that loop. Where its index is close in memory, the two share lines. */
static void add_straddling(const struct search *s, int depth, const struct ppi_areas *of, const struct ppi_areas *other,
                           struct ppi_areas *all) {
  for (int i = 0; i < of->count; i++) {
    struct ppi_area area = of->items[i];
    for (int k = 0; k < other->count; k++)
      if (covers(other->items[k], of->items[i]) && loop_moves(s, depth, area.memory))
        area.open |= UINT32_C(1) << s->body->loops[depth - 1];
    ppi_areas_add(all, area);
  }
}

static int64_t straddling_size(const struct search *s, int depth) {
  const int *loops = s->body->loops;
  const struct ppi_terrain stepped =
      ppi_terrain_step(&s->body->terrain, loops[depth - 1], s->joined ? loops[depth] : -1);
  struct ppi_areas all = { .count = 0 };
  unsigned moving = 0;
  add_straddling(s, depth, &s->now, &s->before, &all);
  add_straddling(s, depth, &s->before, &s->now, &all);
  for (int memory = 0; memory < PPI_MEMORIES; memory++)
    moving |= loop_moves(s, depth, memory) ? 1U << memory : 0;
  return ppi_areas_size(&stepped, &all, moving) + ppi_areas_size(&s->body->terrain, &all, ~moving);
}

static void tell(const struct search *s, int end, struct ppi_distance *distance) {
  distance->end = end;
  distance->areas = s->now;
  ppi_areas_join(&distance->areas, &s->before);
  distance->bytes = ppi_areas_size(&s->body->terrain, &distance->areas, ~0U);
  distance->corrected = end > 0 ? straddling_size(s, end) : distance->bytes;
}

/* tight: of loops that begin, those outside of all that move what is wanted are not counted: its last access is in their last iteration. */
static void search_back(const struct ppi_body *body, int call, int area, int started, bool tight,
                        struct ppi_distance *distance) {
  int depth = body->calls[call].depth, at = call;
  struct search s = { .body = body, .wanted = body->calls[call].areas[area], .origin = depth };
  bool found = !leave_begun(&s, &at, &depth, started, tight) || find_now(&s, at, depth);
  while (!found && loop_moves(&s, depth, s.wanted.memory)) {
    leave(&s, depth);
    at = first_inside(&s, depth);
    depth--;
    found = find_now(&s, at, depth);
  }
  if (!found)
    find_before(&s, depth);
  tell(&s, found ? -1 : depth, distance);
}

void ppi_distance_find(const struct ppi_body *body, int call, int area, int started, struct ppi_distance *distance) {
  assert(area < body->calls[call].area_count && started <= body->calls[call].depth);
  search_back(body, call, area, started, false, distance);
  if (started > 1) {
    struct ppi_distance tight;
    search_back(body, call, area, started, true, &tight);
    distance->corrected = tight.corrected;
  }
}

void ppi_distance_ahead(const struct ppi_body *body, int call, struct ppi_distance *distance) {
  const int depth = body->calls[call].depth;
  assert(depth > 0);
  struct search s = { .body = body, .origin = depth };
  for (int k = 0; k < body->call_count; k++)
    if (body->calls[k].depth >= depth && k != call)
      add_call(&s, k, depth, k < call ? &s.now : &s.before);
  tell(&s, depth, distance);
}
