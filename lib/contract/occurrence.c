/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/occurrence.h"

#include <assert.h>

#define LINE_BYTES 64
#define FIRST_SHARE 100 /* first iterations of several loops count where they are more than one of so many calls */

struct finder {
  const struct ppi_occurrence_settings *settings; /* complete */
  struct ppi_occurrences *all;
};

/* --- What is fetched ahead --------------------------------------------------------------------------------------------- */

/* All of the first dimension lies in one line. */
static bool is_short(const struct ppi_body *body, const struct ppi_terrain_line *line) {
  return body->terrain.contraction->index[line->first].extent <= line->elements;
}

static bool is_open(struct ppi_area area, int index) {
  return (area.open >> index & 1) != 0;
}

enum ppi_prefetch ppi_occurrence_prefetch(const struct ppi_body *body, int call, int area) {
  const struct ppi_body_call *of = &body->calls[call];
  if (of->depth == 0)
    return PPI_PREFETCH_NONE;
  struct ppi_terrain_line line;
  const int around = body->loops[of->depth - 1];
  ppi_terrain_line(&body->terrain, of->areas[area].memory, &line);
  if (around == line.first)
    return line.elements > 1 ? PPI_PREFETCH_LINE : PPI_PREFETCH_NONE;
  const bool dense = around == line.second && (is_open(of->areas[area], line.first) || is_short(body, &line));
  return dense ? PPI_PREFETCH_NEXT : PPI_PREFETCH_NONE;
}

/* --- Set-ups ------------------------------------------------------------------------------------------------------------- */

static struct ppi_setup_item whole_item(const struct ppi_body *body, struct ppi_area area) {
  return (struct ppi_setup_item){ .kind = PPI_SETUP_WHOLE,
                                  .operand = area.memory % PPI_OPERANDS,
                                  .packed = area.memory >= PPI_OPERANDS,
                                  .bytes = ppi_area_size(&body->terrain, area) };
}

static struct ppi_setup_item line_item(const struct ppi_body *body, struct ppi_area area,
                                       const struct ppi_terrain_line *line) {
  struct ppi_setup_item item = whole_item(body, area);
  const struct ppi_area others = { area.memory, area.open & ~(UINT32_C(1) << line->first) };
  item.kind = PPI_SETUP_LINE;
  item.extent[body->along[item.operand][0] == line->first ? 0 : 1] = line->elements;
  item.bytes = body->terrain.whole_lines ? ppi_area_line_bytes(&body->terrain, others)
                                         : ppi_area_element_bytes(&body->terrain, others) * line->elements;
  return item;
}

static int64_t pick(const struct finder *f, const struct ppi_distance *distance) {
  return f->settings->corrected ? distance->corrected : distance->bytes;
}

static void add_access(struct ppi_setup_access *accesses, int *count, struct ppi_setup_item item, int64_t distance) {
  if (item.bytes > 0)
    accesses[(*count)++] = (struct ppi_setup_access){ item, distance };
}

/* The accesses to one operand: what was fetched ahead of it and, unless that is all of it, its last access. */
static void add_accesses(const struct finder *f, const struct ppi_occurrence *of, int a,
                         struct ppi_setup_access *accesses, int *count) {
  const struct ppi_body *body = &f->all->body;
  const struct ppi_area area = body->calls[of->call].areas[a];
  const struct ppi_setup_item whole = whole_item(body, area);
  if (of->ahead[a] == PPI_PREFETCH_NONE) {
    add_access(accesses, count, whole, of->distance[a]);
    return;
  }
  struct ppi_distance ahead;
  struct ppi_terrain_line line;
  ppi_distance_ahead(body, of->call, &ahead);
  ppi_terrain_line(&body->terrain, area.memory, &line);
  if (!is_open(area, line.first) || is_short(body, &line)) {
    add_access(accesses, count, whole, pick(f, &ahead));
    return;
  }
  add_access(accesses, count, line_item(body, area, &line), pick(f, &ahead));
  add_access(accesses, count, whole, of->distance[a]);
}

/* Nothing is fetched ahead of first iterations; what shares lines fails where these end. */
static enum ppi_prefetch assume(const struct finder *f, const struct ppi_occurrence *of, int a) {
  if (f->settings->stage < PERFPRED_CONTRACTION_STAGE_PREFETCH || of->kind == PPI_OCCURRENCE_FIRST)
    return PPI_PREFETCH_NONE;
  const enum ppi_prefetch ahead = ppi_occurrence_prefetch(&f->all->body, of->call, a);
  return of->kind == PPI_OCCURRENCE_FAIL && ahead == PPI_PREFETCH_LINE ? PPI_PREFETCH_NONE : ahead;
}

static void add_occurrence(struct finder *f, int call, enum ppi_occurrence_kind kind, int started, int64_t count) {
  const struct ppi_body *body = &f->all->body;
  if (count == 0)
    return;
  assert(f->all->count < PPI_OCCURRENCES_MAX);
  struct ppi_occurrence *of = &f->all->items[f->all->count++];
  *of = (struct ppi_occurrence){ .call = call, .kind = kind, .started = started, .level = -1, .count = count };
  if (started > 0)
    of->level = body->level[body->calls[call].depth - started];
  struct ppi_setup_access accesses[2 * PPI_OPERANDS];
  int access_count = 0;
  for (int a = 0; a < body->calls[call].area_count; a++) {
    struct ppi_distance distance;
    ppi_distance_find(body, call, a, started, &distance);
    of->distance[a] = pick(f, &distance);
    of->ahead[a] = assume(f, of, a);
    add_accesses(f, of, a, accesses, &access_count);
  }
  if (f->settings->stage > PERFPRED_CONTRACTION_STAGE_REPEATED)
    ppi_setup_make(accesses, access_count, f->settings->limit_bytes, &of->setup);
}

/* --- How often ----------------------------------------------------------------------------------------------------------- */

static int64_t length(const struct ppi_body *body, int depth) {
  return body->terrain.contraction->index[body->loops[depth - 1]].extent;
}

/* First iterations of one, two, ... loops around the call. */
static void add_first(struct finder *f, int call, int64_t calls) {
  const struct ppi_body *body = &f->all->body;
  const int depth = body->calls[call].depth;
  int64_t between = 1; /* calls from one of these to the next */
  for (int started = 1; started <= depth; started++) {
    between *= length(body, depth - started + 1);
    const bool last = started == depth || length(body, depth - started) >= (FIRST_SHARE - 1) / between + 1;
    const int64_t deeper = last ? 0 : calls / between / length(body, depth - started);
    add_occurrence(f, call, PPI_OCCURRENCE_FIRST, started, calls / between - deeper);
    if (last)
      break;
  }
}

/* Elements after which an operand that shares lines goes on to its next one; 0: none does. */
static int64_t elements_per_line(const struct ppi_body *body, int call) {
  int64_t least = 0;
  for (int a = 0; a < body->calls[call].area_count; a++) {
    struct ppi_terrain_line line;
    ppi_terrain_line(&body->terrain, body->calls[call].areas[a].memory, &line);
    if (ppi_occurrence_prefetch(body, call, a) == PPI_PREFETCH_LINE && (least == 0 || line.elements < least))
      least = line.elements;
  }
  return least;
}

/* In each run of the loop around the call its first line counts as a failure only where first iterations are not told apart. */
static int64_t count_failures(const struct finder *f, int call, int64_t calls) {
  const struct ppi_body *body = &f->all->body;
  const int64_t per_line = elements_per_line(body, call);
  if (f->settings->stage < PERFPRED_CONTRACTION_STAGE_FAILURES || per_line == 0)
    return 0;
  const int64_t run = length(body, body->calls[call].depth), lines = (run - 1) / per_line + 1;
  return (f->settings->stage < PERFPRED_CONTRACTION_STAGE_FIRST ? lines : lines - 1) * (calls / run);
}

static enum perfpred_status add_call(struct finder *f, int call, struct perfpred_error *error) {
  const struct ppi_body *body = &f->all->body;
  const int depth = body->calls[call].depth;
  int64_t calls;
  const enum perfpred_status status = ppi_body_count(body, depth, &calls, error);
  if (status || calls == 0)
    return status;
  const bool apart = f->settings->stage >= PERFPRED_CONTRACTION_STAGE_FIRST && depth > 0;
  const int64_t failures = count_failures(f, call, calls);
  const int64_t first = apart ? calls / length(body, depth) : 0;
  add_occurrence(f, call, PPI_OCCURRENCE_NORMAL, 0, calls - failures - first);
  add_occurrence(f, call, PPI_OCCURRENCE_FAIL, 0, failures);
  if (apart)
    add_first(f, call, calls);
  return PERFPRED_OK;
}

enum perfpred_status ppi_occurrences_find(const struct ppi_contraction *contraction,
                                          const struct ppi_contract_algorithm *algorithm,
                                          const struct ppi_occurrence_settings *settings,
                                          struct ppi_occurrences *occurrences, struct perfpred_error *error) {
  struct ppi_occurrence_settings full = *settings;
  struct finder f = { &full, occurrences };
  full.stage = full.stage ? full.stage : PERFPRED_CONTRACTION_STAGE_FIRST;
  full.line_bytes = full.line_bytes ? full.line_bytes : LINE_BYTES;
  occurrences->count = 0;
  enum perfpred_status status =
      ppi_body_begin(contraction, algorithm, full.line_bytes, full.whole_lines, &occurrences->body, error);
  for (int call = 0; !status && call < occurrences->body.call_count; call++)
    status = add_call(&f, call, error);
  return status;
}

double ppi_occurrences_time(const struct ppi_occurrences *occurrences, const double *time_s) {
  double sum = 0.0;
  for (int i = 0; i < occurrences->count; i++)
    sum += (double)occurrences->items[i].count * time_s[i];
  return sum;
}
