/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/chase.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "machine/read.h"

#define LEAST ((int64_t)4 << 10)
#define MOST_LEAST ((int64_t)64 << 20)
#define MOST ((int64_t)256 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
#define REGION_LINES 4096 /* 64 small pages, as many as the nearest translations of addresses cover */
#define PER_OCTAVE 4
#define COARSE ((int64_t)64 << 20) /* larger ones are dear: two in an octave */
#define LOADS_LEAST 4096           /* of a run, so that its time can be told */
#define LOADS_MOST (1 << 17)       /* a part of a large set tells as much as all of it */
#define WARM_MOST (1 << 20)
#define RUNS 3
#define STREAM_BYTES ((int64_t)8 << 20) /* that a run reads at least */

/* The next number in a sequence that has each of 0 ... 2^k - 1 once: a multiplier of the form 4 j + 1 and an odd increment. Its
   upper bits look like random ones, the lower ones follow a short pattern, so upper ones are laid over them. */
static uint64_t next_of(uint64_t at, uint64_t mask) {
  return (at * UINT64_C(0xd1342543de82ef95) + UINT64_C(0x2545f4914f6cdd1d)) & mask;
}

static uint64_t scatter(uint64_t number, int bits) {
  return bits > 1 ? number ^ (number >> (bits - bits / 2)) : number;
}

static void **line_of(void *buffer, uint64_t line) {
  return (void **)((char *)buffer + line * PPI_CHASE_LINE);
}

/* Links the lines of a region behind *last; the first of all is kept. */
static void link_region(void *region, int64_t lines, void ***first, void ***last) {
  int bits = 0;
  while ((INT64_C(1) << bits) < lines)
    bits++;
  uint64_t mask = (UINT64_C(1) << bits) - 1, number = 0;
  for (uint64_t i = 0; i <= mask; i++, number = next_of(number, mask)) {
    uint64_t line = scatter(number, bits);
    if (line >= (uint64_t)lines)
      continue;
    void **at = line_of(region, line);
    if (*last)
      **last = at;
    *first = *first ? *first : at;
    *last = at;
  }
}

void **ppi_chase_link(void *buffer, int64_t lines) {
  void **first = NULL, **last = NULL;
  for (int64_t begin = 0; begin < lines; begin += REGION_LINES)
    link_region(line_of(buffer, (uint64_t)begin), lines - begin < REGION_LINES ? lines - begin : REGION_LINES, &first,
                &last);
  assert(last != NULL); /* 0 is one of the numbers */
  *last = first;
  return first;
}

struct prober {
  const struct ppi_clock *clock;
  double end_s;
  void *buffer;
};

/* Where the chase has got to. */
static void **chase(void **at, int64_t loads) {
  for (int64_t i = 0; i < loads; i += 4) {
    at = *at;
    at = *at;
    at = *at;
    at = *at;
  }
  return at;
}

static double now(const struct prober *prober) {
  return prober->clock->now(prober->clock->state);
}

static int64_t between(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : (value > most ? most : value);
}

static double latency(const struct prober *prober, int64_t lines) {
  void **at = ppi_chase_link(prober->buffer, lines);
  int64_t loads = between(lines, LOADS_LEAST, LOADS_MOST) / 4 * 4;
  double best = INFINITY;
  at = chase(at, between(lines, LOADS_LEAST, WARM_MOST));
  for (int run = 0; run < RUNS; run++) {
    double begin = now(prober);
    at = chase(at, loads);
    __asm__ volatile("" : : "r"(at) : "memory");
    best = fmin(best, (now(prober) - begin - prober->clock->overhead_s) / (double)loads);
  }
  return fmax(best, 1e-12);
}

/* As many passes as make a stream worth timing. */
static double bandwidth(const struct prober *prober, int64_t bytes) {
  int64_t passes = bytes < STREAM_BYTES ? STREAM_BYTES / bytes : 1;
  double best = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double begin = now(prober);
    for (int64_t pass = 0; pass < passes; pass++)
      (void)ppi_read_through(prober->buffer, (size_t)bytes);
    best = fmin(best, now(prober) - begin);
  }
  return best > 0.0 ? (double)passes * (double)bytes / best : 0.0;
}

/* Of the i-th working set: PER_OCTAVE in each octave, of whole blocks of 512 bytes. */
static int64_t size_of(int i) {
  double octaves = (double)i / PER_OCTAVE;
  return (int64_t)((double)LEAST * exp2(octaves)) / 512 * 512;
}

static bool is_left_out(int i) {
  return size_of(i) > COARSE && i % (PER_OCTAVE / 2) != 0;
}

static void probe(const struct prober *prober, int64_t most, struct ppi_curve *curve) {
  double last_s = 0.0;
  curve->count = 0;
  for (int i = 0; size_of(i) <= most && curve->count < PPI_CURVE_MAX; i++) {
    double begin = now(prober);
    if (is_left_out(i) || (curve->count > 0 && begin + 2.0 * last_s > prober->end_s))
      continue;
    struct ppi_curve_point *point = &curve->points[curve->count++];
    point->bytes = size_of(i);
    point->latency_s = latency(prober, point->bytes / PPI_CHASE_LINE);
    point->bandwidth_bytes_per_s = bandwidth(prober, point->bytes);
    last_s = now(prober) - begin;
  }
}

static int64_t most_bytes(const struct ppi_machine *machine) {
  int64_t last = 0;
  for (int i = 0; i < machine->cache_count; i++)
    last = machine->caches[i].bytes > last ? machine->caches[i].bytes : last;
  return last > MOST / 4 ? MOST : between(4 * last, MOST_LEAST, MOST);
}

enum perfpred_status ppi_chase_measure(const struct ppi_machine *machine, double limit_s, struct ppi_curve *curve,
                                       struct perfpred_error *error) {
  struct ppi_tsc state;
  struct ppi_clock clock;
  int64_t most = most_bytes(machine);
  ppi_clock_wall(&clock, &state);
  struct prober prober = { .clock = &clock, .buffer = aligned_alloc(HUGE_PAGE, (size_t)most) };
  if (prober.buffer == NULL)
    return ppi_error_set(error, PERFPRED_NO_MEMORY, "no memory for a working set of %lld bytes", (long long)most);
  (void)madvise(prober.buffer, (size_t)most,
                MADV_HUGEPAGE); /* as operands have them; without, the curve has a step more */
  prober.end_s = now(&prober) + limit_s;
  probe(&prober, most, curve);
  free(prober.buffer);
  return PERFPRED_OK;
}
