/* SPDX-License-Identifier: BSD-3-Clause */
/* Access distances against exact LRU traces of whole algorithms: every element, or line, that each call touches.
 *
 * Before each call stand markers, one for each of its operands: how much else was touched since the same operand's marker, less the other
 * markers, is what all calls from its last access on, that one included, have touched: how far back it is in a cache. A search that goes out
 * of loops adds up just that. One that goes back to another call of the same iteration alone adds up what lies strictly between; for that
 * there are markers that are touched behind each call, too. */
#include "finding.h"

#include <math.h>
#include <stdlib.h>

#include "base/stack_distance.h"

#define MARKER (UINT64_C(1) << 62)
#define BEFORE (UINT64_C(1) << 61)
#define START (UINT64_C(1) << 60)
#define MEMORY(m) ((uint64_t)(m) << 50)

/* What is compared: an operand of a call, in the middle of its loops or with some of them in their first iteration. */
struct tally {
  double sum;
  uint64_t count;
};

struct trace {
  const struct ppi_contraction *contraction;
  struct ppi_contract_call call;
  const struct ppi_body *body;
  int64_t unit; /* elements that are one: of a line */
  struct ppi_stack_distance *all, *markers;
  int64_t place[PPI_INDEX_MAX]; /* of the loops of the algorithm */
  bool counts;                  /* it is the second execution */
  struct ppi_distance distances[PPI_BODY_CALLS_MAX][PPI_OPERANDS][3];
  struct tally tallies[PPI_BODY_CALLS_MAX][PPI_OPERANDS][3]; /* 0: the middle, 1, 2: first iterations of so many */
};

static uint64_t touch(struct ppi_stack_distance *sim, uint64_t line) {
  uint64_t distance = 0;
  cr_assert_eq(ppi_stack_distance_access(sim, line, &distance), PERFPRED_OK);
  return distance;
}

/* What was touched since this marker, without markers; -1: never. */
static int64_t touch_marker(struct trace *t, uint64_t marker) {
  const uint64_t all = touch(t->all, marker), markers = touch(t->markers, marker);
  return all == 0 ? -1 : (int64_t)(all - markers);
}

static int64_t offset_of(const struct trace *t, int operand, int loops) {
  int64_t offset = 0;
  for (int l = 0; l < loops; l++)
    offset += t->place[l] * t->call.step[operand][l];
  return offset;
}

struct touched {
  int memory;
  int64_t offset, extent[2], stride[2];
};

static struct touched slice_of(const struct trace *t, int operand, bool packed, int loops) {
  const struct ppi_contract_slice *slice = &t->call.slices[operand];
  struct touched touched = { operand,
                             offset_of(t, operand, loops),
                             { slice->extent[0], slice->extent[1] },
                             { slice->stride[0], slice->stride[1] } };
  if (packed)
    touched =
        (struct touched){ PPI_OPERANDS + operand, 0, { slice->extent[0], slice->extent[1] }, { 1, slice->extent[0] } };
  return touched;
}

static void touch_slice(struct trace *t, const struct touched *it) {
  for (int64_t k = 0; k < it->extent[1]; k++)
    for (int64_t i = 0; i < it->extent[0]; i++)
      touch(t->all, MEMORY(it->memory) | (uint64_t)((it->offset + i * it->stride[0] + k * it->stride[1]) / t->unit));
}

/* The call of the body, whose loops are some of the algorithm's; the place of its loop at a depth. */
static int64_t place_at(const struct trace *t, int depth) {
  return t->place[t->body->level[depth - 1]];
}

/* The loops from the inside that are in their first iteration. */
static int started_at(const struct trace *t, int depth) {
  int started = 0;
  while (started < depth && place_at(t, depth - started) == 0)
    started++;
  return started;
}

/* Whether the search went out of a loop that moves the operand: then what it adds up is the whole of that loop, this call as well. */
static bool is_spread(const struct ppi_distance *distance, struct ppi_area own) {
  for (int i = 0; i < distance->areas.count; i++)
    if (distance->areas.items[i].memory == own.memory && (own.open & ~distance->areas.items[i].open) == 0)
      return true;
  return false;
}

static void compare(struct trace *t, int call, int area, int64_t between, int64_t since) {
  const int depth = t->body->calls[call].depth, started = started_at(t, depth);
  if (!t->counts || started > 2 || (started == depth && depth > 0))
    return;
  const struct ppi_distance *distance = &t->distances[call][area][started];
  if (distance->end > 0 && place_at(t, distance->end) == 0)
    return; /* its last access is farther back */
  const int64_t measured = is_spread(distance, t->body->calls[call].areas[area]) ? since : between;
  cr_assert_geq(measured, 0);
  t->tallies[call][area][started].sum += (double)measured;
  t->tallies[call][area][started].count++;
}

static void make_call(struct trace *t, int call, const struct touched *touched, int count) {
  int64_t between[PPI_OPERANDS], since[PPI_OPERANDS];
  uint64_t marker[PPI_OPERANDS];
  for (int a = 0; a < count; a++) {
    marker[a] = MARKER | MEMORY(touched[a].memory) | (uint64_t)touched[a].offset;
    between[a] = touch_marker(t, marker[a] | BEFORE);
    since[a] = touch_marker(t, marker[a] | START);
  }
  for (int a = 0; a < count; a++)
    touch_slice(t, &touched[a]);
  for (int a = 0; a < count; a++) {
    touch_marker(t, marker[a] | BEFORE);
    compare(t, call, a, between[a], since[a]);
  }
}

static int find_call(const struct trace *t, enum ppi_body_kind kind, int operand) {
  for (int k = 0; k < t->body->call_count; k++)
    if (t->body->calls[k].kind == kind && t->body->calls[k].operand == operand)
      return k;
  cr_assert_fail("the analysis lacks a call");
  return -1;
}

static void make_copies(struct trace *t, int loops, bool out) {
  for (int c = 0; c < t->call.copy_count; c++) {
    const struct ppi_contract_copy *copy = &t->call.copies[c];
    if (copy->loops != loops || (out && !copy->out))
      continue;
    const struct touched touched[] = { slice_of(t, copy->operand, false, loops),
                                       slice_of(t, copy->operand, true, loops) };
    make_call(t, find_call(t, out ? PPI_BODY_COPY_OUT : PPI_BODY_COPY_IN, copy->operand), touched, 2);
  }
}

static void run(struct trace *t, int loops) {
  make_copies(t, loops, false);
  if (loops == t->call.loop_count) {
    struct touched touched[PPI_OPERANDS];
    for (int o = 0; o < PPI_OPERANDS; o++)
      touched[o] = slice_of(t, o, t->call.slices[o].copied, loops);
    make_call(t, find_call(t, PPI_BODY_KERNEL, -1), touched, PPI_OPERANDS);
  } else {
    for (t->place[loops] = 0; t->place[loops] < t->call.trips[loops]; t->place[loops]++)
      run(t, loops + 1);
  }
  make_copies(t, loops, true);
}

static void execute(struct trace *t) {
  for (int64_t i = 0; i < t->contraction->tensor[2].elements && t->call.zero; i++)
    touch(t->all, MEMORY(2) | (uint64_t)(i / t->unit));
  run(t, 0);
}

/* --- Comparison ---------------------------------------------------------------------------------------------------------- */

struct worst {
  double plain, corrected, first; /* ratios, >= 1 */
  char name[PPI_CONTRACT_NAME_MAX];
  uint64_t compared;
};

static double ratio(double a, double b) {
  return a > b ? a / b : b / a;
}

static void judge(struct trace *t, const struct ppi_contract_algorithm *algorithm, int call, int area, int started,
                  struct worst *worst) {
  const struct tally *tally = &t->tallies[call][area][started];
  const struct ppi_distance *distance = &t->distances[call][area][started];
  char name[PPI_CONTRACT_NAME_MAX];
  if (tally->count == 0)
    return;
  ppi_contract_name(t->contraction, algorithm, name);
  const double bytes = tally->sum / (double)tally->count * (double)t->unit * (double)t->body->terrain.element_bytes;
  worst->compared++;
  if (distance->bytes == 0 || bytes <= 0.0) {
    cr_expect(distance->bytes == 0 && bytes <= 0.0, "%s: call %d operand %d first %d: %" PRId64 " for %g", name, call,
              area, started, distance->bytes, bytes);
    return;
  }
  const double corrected = ratio((double)distance->corrected, bytes);
  if (started > 0) {
    worst->first = fmax(worst->first, corrected);
    return;
  }
  worst->plain = fmax(worst->plain, ratio((double)distance->bytes, bytes));
  if (corrected > worst->corrected) {
    worst->corrected = corrected;
    memcpy(worst->name, name, sizeof name);
  }
}

static void check_algorithm(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                            bool whole_lines, struct worst *worst) {
  struct ppi_body body;
  struct perfpred_error error;
  struct trace *t = calloc(1, sizeof *t);
  cr_assert_not_null(t);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_body_begin(contraction, algorithm, 64, whole_lines, &body, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_stack_distance_create(0, &t->all, &error), PERFPRED_OK);
  cr_assert_eq(ppi_stack_distance_create(0, &t->markers, &error), PERFPRED_OK);
  t->contraction = contraction;
  t->body = &body;
  t->unit = whole_lines ? 64 / body.terrain.element_bytes : 1;
  ppi_contract_resolve(contraction, algorithm, &t->call);
  for (int call = 0; call < body.call_count; call++)
    for (int a = 0; a < body.calls[call].area_count; a++)
      for (int started = 0; started <= 2 && started <= body.calls[call].depth; started++)
        ppi_distance_find(&body, call, a, started, &t->distances[call][a][started]);
  execute(t);
  t->counts = true;
  execute(t);
  for (int call = 0; call < body.call_count; call++)
    for (int a = 0; a < body.calls[call].area_count; a++)
      for (int started = 0; started <= 2; started++)
        judge(t, algorithm, call, a, started, worst);
  ppi_stack_distance_destroy(t->markers);
  ppi_stack_distance_destroy(t->all);
  free(t);
}

/* All algorithms with these kernels (0: with any), in elements or lines. */
static void check(const char *einsum, const char *letters, const int64_t *extents, unsigned kernels, bool whole_lines) {
  const struct ppi_contraction contraction = contraction_of(PPI_TYPE_D, einsum, letters, extents);
  const struct ppi_contract_filter filter = { .kernels = kernels };
  const char *what = whole_lines ? "lines" : "elements";
  struct ppi_contract_algorithm algorithm;
  struct worst worst = { 1.0, 1.0, 1.0, "", 0 };
  for (uint64_t place = 0; ppi_contract_at(&contraction, &filter, place, &algorithm); place++)
    check_algorithm(&contraction, &algorithm, whole_lines, &worst);
  cr_log_info("%s in %s: %" PRIu64 " distances, plain %g, corrected %g, first %g", einsum, what, worst.compared,
              worst.plain, worst.corrected, worst.first);
  cr_expect_geq(worst.compared, 20);
  cr_expect_leq(worst.corrected, 1.1, "%s in %s: %g in %s", einsum, what, worst.corrected, worst.name);
  cr_expect_leq(worst.first, 1.12, "%s in %s: %g", einsum, what, worst.first);
  cr_expect_leq(worst.plain, whole_lines ? 2.0 : 1.65, "%s in %s: %g", einsum, what, worst.plain);
}

Test(reuse, first_contraction) {
  check("ai,ibc->abc", "abci", (const int64_t[]){ 8, 8, 8, 8 }, 0, false);
  check("ai,ibc->abc", "abci", (const int64_t[]){ 8, 8, 8, 8 }, 0, true);
}

Test(reuse, extents_that_differ) {
  check("ai,ibc->abc", "abci", (const int64_t[]){ 11, 10, 9, 12 }, 0, false);
  check("ai,ibc->abc", "abci", (const int64_t[]){ 11, 10, 9, 12 }, 0, true);
}

Test(reuse, second_contraction) {
  check("iaj,ji->a", "aij", (const int64_t[]){ 12, 12, 12 }, 0, false);
  check("iaj,ji->a", "aij", (const int64_t[]){ 12, 12, 12 }, 0, true);
}

Test(reuse, third_contraction) {
  const unsigned kernels = 1U << PPI_CONTRACT_GEMM | 1U << PPI_CONTRACT_GEMV | 1U << PPI_CONTRACT_GER;
  check("ija,jbic->abc", "ijabc", (const int64_t[]){ 8, 8, 8, 8, 8 }, kernels, false);
  check("ija,jbic->abc", "ijabc", (const int64_t[]){ 8, 8, 8, 8, 8 }, kernels, true);
}

/* A batch index, and an output that is copied in and out. */
Test(reuse, batch_index) {
  check("hak,hbk->hab", "habk", (const int64_t[]){ 9, 8, 10, 8 }, 0, false);
  check("hak,hbk->hab", "habk", (const int64_t[]){ 9, 8, 10, 8 }, 0, true);
}
