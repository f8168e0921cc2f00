/* SPDX-License-Identifier: BSD-3-Clause */
/* Where samples of tours are. */
#include <math.h>

#include "measure/random.h"
#include "measure/tour.h"

#define SPREAD_OUTER 0.7548776662466927 /* multiples of these two, without their integers, fill the square evenly */
#define SPREAD_INNER 0.5698402909980532

int64_t ppi_tour_body(const struct ppi_tour *tour, int level) {
  int64_t iterations = 1;
  for (int l = 0; l < tour->loop_count; l++)
    if (tour->length[l] == 0)
      return 0;
  for (int l = level; l < tour->loop_count; l++)
    iterations *= tour->length[l];
  return iterations;
}

int64_t ppi_tour_timed(const struct ppi_tour *tour, const struct ppi_tour_request *request) {
  const int64_t iterations = ppi_tour_body(tour, 0), asked = request->timed > 0 ? request->timed : 1;
  switch (request->subject) {
  case PPI_TOUR_WHOLE:
    return iterations;
  case PPI_TOUR_WINDOW:
    return asked < iterations ? asked : iterations;
  case PPI_TOUR_CALL:
    return asked;
  default:
    return 1;
  }
}

/* A number below `count`, at a share of the way. */
static int64_t pick(double share, int64_t count) {
  const int64_t number = (int64_t)(share * (double)count);
  return number < count ? number : count - 1;
}

static double share_of(uint64_t seed, uint64_t number, double step) {
  struct ppi_random random = { seed };
  const double begin = 0.5 + 0.5 * ppi_random_symmetric(&random), place = begin + (double)number * step;
  return place - floor(place);
}

/* The first iteration of all loops from a level on, behind another one if there is any, with room for what is timed. */
static int64_t begin_level(const struct ppi_tour *tour, int level, int64_t timed, double share) {
  const int64_t body = ppi_tour_body(tour, level), most = (ppi_tour_body(tour, 0) - timed) / body;
  return most > 0 ? (1 + pick(share, most)) * body : 0;
}

/* A window of whole units that does not begin the loop around them, unless it is that whole loop. */
static int64_t begin_window(const struct ppi_tour *tour, int unit, int64_t timed, double outer, double inner) {
  if (unit == 0)
    return 0;
  const int64_t body = ppi_tour_body(tour, unit), length = tour->length[unit - 1];
  const int64_t units = (timed + body - 1) / body, row = pick(outer, ppi_tour_body(tour, 0) / body / length);
  const int64_t first = length > units ? 1 + pick(inner, length - units) : 0;
  return (row * length + first) * body;
}

void ppi_tour_place(const struct ppi_tour *tour, const struct ppi_tour_request *request, uint64_t seed, uint64_t number,
                    struct ppi_tour_place *place) {
  const double outer = share_of(seed, number, SPREAD_OUTER), inner = share_of(~seed, number, SPREAD_INNER);
  const int64_t iterations = ppi_tour_body(tour, 0), timed = ppi_tour_timed(tour, request);
  const bool copies = request->subject == PPI_TOUR_COPY_IN || request->subject == PPI_TOUR_COPY_OUT;
  const int level = copies ? tour->operands[request->operand].copy.loops : request->level;
  *place = (struct ppi_tour_place){ .pending = PPI_TOUR_LOOPS_MAX + 1 };
  if (request->subject == PPI_TOUR_WHOLE || request->subject == PPI_TOUR_ZERO || iterations == 0)
    return;
  if (request->subject != PPI_TOUR_WINDOW) {
    place->begin = level >= 0 ? begin_level(tour, level, 1, outer) : pick(outer, iterations);
    return;
  }
  place->pending = level >= 0 ? level : ppi_tour_unit(tour, timed);
  place->begin =
      level >= 0 ? begin_level(tour, level, timed, outer) : begin_window(tour, place->pending, timed, outer, inner);
  place->lead = request->lead < place->begin ? request->lead : place->begin;
}
