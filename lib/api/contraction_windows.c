/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_windows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "contract/distance.h"

#define WINDOW_S 100e-6 /* time that a window should take */
#define WINDOW_MOST 256 /* iterations, however short they are */
#define LINE_BYTES 64
#define ITEMS (PPI_TOUR_OPERANDS + 1)
#define ALL ((1U << PPI_TOUR_OPERANDS) - 1U)

/* --- Which data are in memory before a window ---------------------------------------------------------------------- */

/* Loops around a call of the body, from the inside, that are at or behind a level of the algorithm. */
static int started_of(const struct ppi_body *body, int call, int level) {
  int started = 0;
  for (int d = 0; d < body->calls[call].depth; d++)
    started += body->level[d] >= level;
  return started;
}

struct looking {
  const struct ppi_body *body;
  const struct ppi_contraction_caches *caches;
  unsigned cold, far; /* found so far */
};

/* The area of a tensor that a call touches: whether it comes from farther back than the caches reach. */
static void look_at(struct looking *looking, int call, int area, int level) {
  const struct ppi_body *body = looking->body;
  const int memory = body->calls[call].areas[area].memory;
  struct ppi_distance distance;
  if (memory >= PPI_OPERANDS) /* packed copies are near */
    return;
  ppi_distance_find(body, call, area, started_of(body, call, level), &distance);
  looking->cold |= distance.corrected > looking->caches->bytes ? 1U << memory : 0;
  looking->far |= distance.corrected > looking->caches->near_bytes ? 1U << memory : 0;
}

static void look(struct looking *looking, int level) {
  looking->cold = looking->far = 0;
  for (int call = 0; call < looking->body->call_count; call++)
    for (int area = 0; area < looking->body->calls[call].area_count; area++)
      if (looking->body->calls[call].kind != PPI_BODY_ZERO)
        look_at(looking, call, area, level);
  looking->far &= ~looking->cold;
}

/* --- Dividing ------------------------------------------------------------------------------------------------------ */

/* The lengths of the loops are all that dividing goes by, and where copies are. */
static void outline(const struct ppi_contract_call *call, struct ppi_tour *tour) {
  *tour = (struct ppi_tour){ .loop_count = call->loop_count };
  memcpy(tour->length, call->trips, (size_t)call->loop_count * sizeof *tour->length);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    tour->operands[o].copy.loops = -1;
  for (int i = 0; i < call->copy_count; i++)
    tour->operands[call->copies[i].operand].copy.loops = call->copies[i].loops;
}

/* Innermost loops that fit into a window as a whole. */
static int whole_loops(const struct ppi_tour *tour, int64_t window) {
  double inner = 1.0;
  int whole = 0;
  while (whole < tour->loop_count && inner * (double)tour->length[tour->loop_count - 1 - whole] <= (double)window)
    inner *= (double)tour->length[tour->loop_count - 1 - whole++];
  return whole;
}

enum perfpred_status ppi_contraction_windows_divide(const struct ppi_contraction *contraction,
                                                    const struct ppi_contract_algorithm *algorithm, double call_s,
                                                    const struct ppi_contraction_caches *caches,
                                                    struct ppi_contraction_windows *windows,
                                                    struct perfpred_error *error) {
  struct ppi_contract_call call;
  struct ppi_tour tour;
  struct ppi_body body;
  struct ppi_contraction_windows made = { .warm = true };
  struct looking looking = { .body = &body, .caches = caches };
  assert(call_s > 0.0);
  ppi_contract_resolve(contraction, algorithm, &call);
  outline(&call, &tour);
  enum perfpred_status status = ppi_body_begin(contraction, algorithm, LINE_BYTES, true, &body, error);
  if (status)
    return status;
  ppi_tour_divide(&tour, (int64_t)fmax(1.0, fmin(WINDOW_S / call_s, WINDOW_MOST)), &made.strata);
  made.started = whole_loops(&tour, made.strata.window);
  for (int i = 0; i < made.strata.count; i++) {
    const int level = made.strata.strata[i].level;
    look(&looking, level == PPI_TOUR_ANYWHERE ? tour.loop_count - made.started : level);
    made.cold[i] = looking.cold;
    made.far[i] = looking.far;
    made.warm = made.warm && looking.cold == 0 && looking.far == 0;
  }
  *windows = made;
  return PERFPRED_OK;
}

double ppi_contraction_windows_iterations(const struct ppi_contraction_windows *windows) {
  return (double)windows->strata.count * (double)windows->strata.window * (windows->warm ? 3.0 : 2.0);
}

void ppi_contraction_windows_key(const struct ppi_contraction_windows *windows,
                                 const struct ppi_contract_algorithm *algorithm, char key[PPI_CONTRACTION_KEY_MAX]) {
  /* the loops that a window has as a whole, that in which it steps, and that whose next iteration it may begin with */
  int seen = windows->started + 2;
  char *at = key;
  for (int o = 0; o < PPI_OPERANDS; o++) {
    const int inside = algorithm->loop_count - algorithm->copied[o]; /* loops inside of the copy */
    if (algorithm->copied[o] >= 0 && inside >= windows->started)
      seen = algorithm->loop_count;
    *at++ = (char)(algorithm->copied[o] < 0 ? '-' : 'a' + inside);
  }
  for (int i = 0; i < windows->strata.count; i++) {
    *at++ = (char)('0' + windows->cold[i]);
    *at++ = (char)('0' + windows->far[i]);
  }
  *at++ = windows->warm ? 'w' : 'c';
  if (seen > algorithm->loop_count)
    seen = algorithm->loop_count;
  for (int i = algorithm->loop_count - seen; i < algorithm->loop_count; i++)
    *at++ = (char)('A' + algorithm->loops[i]);
  *at = '\0';
}

/* --- Measuring ----------------------------------------------------------------------------------------------------- */

static size_t touch(unsigned operands, struct ppi_tour_item *items) {
  size_t count = 0;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    if (operands & 1U << o)
      items[count++] = (struct ppi_tour_item){ .kind = PPI_TOUR_TOUCH, .operand = o };
  return count;
}

/* What brings the data of a window to where they would be: what is in the outer caches is touched and then displaced by other memory, what is in
   memory is displaced as well, or evicted, and what is near is touched again then. */
static size_t list_items(const struct ppi_contraction_windows *windows, int stratum,
                         const struct ppi_contraction_caches *caches, struct ppi_tour_item items[ITEMS]) {
  const unsigned cold = windows->cold[stratum], far = windows->far[stratum];
  const bool all = cold != 0 && !caches->flushes; /* caches are displaced */
  const double displaced = all ? (double)caches->bytes : far != 0 ? (double)caches->near_bytes : 0.0;
  size_t count = all ? 0 : touch(far, items);
  if (displaced > 0.0)
    items[count++] =
        (struct ppi_tour_item){ .kind = PPI_TOUR_REMOTE, .bytes = (int64_t)fmin(displaced * caches->factor, 1 << 30) };
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    if (cold & 1U << o && caches->flushes)
      items[count++] = (struct ppi_tour_item){ .kind = PPI_TOUR_FLUSH, .operand = o };
  return count + (displaced > 0.0 ? touch(ALL & ~(cold | far), &items[count]) : 0);
}

enum perfpred_status ppi_contraction_windows_add(struct ppi_contraction_windows *windows,
                                                 const struct ppi_contraction_caches *caches, size_t tour,
                                                 int repetitions, double limit_s, struct ppi_contraction_batch *batch,
                                                 struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < windows->strata.count && !status; i++) {
    struct ppi_tour_item items[ITEMS];
    const struct ppi_tour_request request = { .tour = tour,
                                              .subject = PPI_TOUR_WINDOW,
                                              .timed = windows->strata.window,
                                              .lead = windows->strata.window,
                                              .level = windows->strata.strata[i].level,
                                              .warm = windows->warm,
                                              .items = items,
                                              .item_count = list_items(windows, i, caches, items),
                                              .repetitions = repetitions,
                                              .limit_s = limit_s };
    status = ppi_contraction_batch_request(batch, &request, &windows->requests[i], error);
  }
  return status;
}

/* The total where stratum `changed` (-1: none) takes its `more` longer. Windows in which something begins take no less than all others: where they
   seem to, the others were disturbed. */
static double total(const struct ppi_contraction_windows *windows, const double *iteration_s, const int64_t *timed,
                    int changed, double more) {
  double changed_s[PPI_TOUR_STRATA_MAX];
  memcpy(changed_s, iteration_s, (size_t)windows->strata.count * sizeof *changed_s);
  if (changed >= 0)
    changed_s[changed] += more;
  for (int i = 1; i < windows->strata.count; i++)
    changed_s[0] = fmin(changed_s[0], changed_s[i]);
  return ppi_tour_total(&windows->strata, changed_s, timed);
}

void ppi_contraction_windows_time(const struct ppi_contraction_windows *windows,
                                  const struct ppi_contraction_batch *batch, struct perfpred_statistics *time_s) {
  struct perfpred_statistics of[PPI_TOUR_STRATA_MAX];
  double min[PPI_TOUR_STRATA_MAX] = { 0.0 }, med[PPI_TOUR_STRATA_MAX] = { 0.0 }, max[PPI_TOUR_STRATA_MAX] = { 0.0 };
  double mean[PPI_TOUR_STRATA_MAX] = { 0.0 };
  int64_t timed[PPI_TOUR_STRATA_MAX] = { 0 };
  for (int i = 0; i < windows->strata.count; i++) {
    ppi_contraction_batch_time(batch, windows->requests[i], &of[i]);
    timed[i] = batch->results[windows->requests[i]].timed;
    min[i] = of[i].min;
    med[i] = of[i].med;
    max[i] = of[i].max;
    mean[i] = of[i].mean;
  }
  const double whole = total(windows, med, timed, -1, 0.0);
  double variance = 0.0;
  for (int i = 0; i < windows->strata.count; i++) {
    const double part = total(windows, med, timed, i, of[i].std) - whole;
    variance += part * part;
  }
  time_s->med = whole > 0.0 ? whole : windows->strata.strata[0].count * med[0];
  time_s->min = fmin(total(windows, min, timed, -1, 0.0), time_s->med);
  time_s->max = fmax(total(windows, max, timed, -1, 0.0), time_s->med);
  time_s->mean = fmax(total(windows, mean, timed, -1, 0.0), time_s->min);
  time_s->std = variance > 0.0 ? sqrt(variance) : 0.0;
}
