/* SPDX-License-Identifier: BSD-3-Clause */
/* Which runs stand for which rectangles. */
#include <math.h>

#include "apex/mix.h"

#define LEAST_FLOPS 2.0 /* of an element, */
#define LINE_BYTES 64.0 /* which brings in a line at most */

double ppi_apex_point_rate(const struct ppi_apex_point *point) {
  return point->time_s > 0.0 ? point->flops / point->time_s : 0.0;
}

static bool is_inside(const struct ppi_apex_cell *cell, const struct ppi_apex_plane *plane,
                      const struct ppi_apex_point *point) {
  return (int64_t)floor(point->x / plane->width) == cell->column &&
         (int64_t)floor(point->y / plane->height) == cell->row;
}

static double distance(const struct ppi_apex_cell *cell, const struct ppi_apex_plane *plane,
                       const struct ppi_apex_point *point) {
  return hypot(point->x / plane->width - (double)cell->column - 0.5,
               point->y / plane->height - (double)cell->row - 0.5);
}

/* Nearer, or as near and shorter. */
static bool is_better(double distance_new, double time_new, double distance_old, double time_old) {
  const double tie = 1e-12 * (1.0 + distance_old);
  if (distance_new < distance_old - tie)
    return true;
  return distance_new <= distance_old + tie && time_new < time_old;
}

/* As slow as the slowest corner, a run can be made of this one: with more computing, or with less, beside each element or some. But none has
   less than two operations for the line that an element brings in. */
static bool reaches(const struct ppi_apex_cell *cell, const struct ppi_apex_plane *plane,
                    const struct ppi_apex_point *point) {
  const double left = (double)cell->column * plane->width, low = (double)cell->row * plane->height;
  if (point->x < left || point->y < low)
    return false;
  return (low + plane->height) * LINE_BYTES >= LEAST_FLOPS * left;
}

static struct ppi_apex_choice choose(const struct ppi_apex_cell *cell, const struct ppi_apex_plane *plane,
                                     const struct ppi_apex_point *points, size_t count) {
  struct ppi_apex_choice choice = { .point = PPI_APEX_NO_POINT, .distance = INFINITY };
  for (size_t i = 0; i < count; i++) {
    const struct ppi_apex_point *point = &points[i];
    bool inside = is_inside(cell, plane, point);
    double far = distance(cell, plane, point);
    choice.reachable = choice.reachable || reaches(cell, plane, point);
    if (choice.covered && !inside)
      continue;
    if (inside == choice.covered && choice.point != PPI_APEX_NO_POINT &&
        !is_better(far, point->time_s, choice.distance, points[choice.point].time_s))
      continue;
    choice.covered = inside;
    choice.point = i;
    choice.distance = far;
  }
  return choice;
}

void ppi_apex_choose(const struct ppi_apex_mix *mix, const struct ppi_apex_plane *plane,
                     const struct ppi_apex_point *points, size_t count, double threshold,
                     struct ppi_apex_choice *choices, struct ppi_apex_cover *cover) {
  *cover = (struct ppi_apex_cover){ .covered = 0.0 };
  for (size_t i = 0; i < mix->count; i++) {
    const double weight = mix->cells[i].weight;
    struct ppi_apex_choice *choice = &choices[i];
    *choice = choose(&mix->cells[i], plane, points, count);
    choice->kept = weight >= threshold && choice->point != PPI_APEX_NO_POINT;
    cover->covered += choice->covered ? weight : 0.0;
    cover->reachable += choice->reachable ? weight : 0.0;
    cover->covered_reachable += choice->covered && choice->reachable ? weight : 0.0;
    cover->represented += choice->kept ? weight : 0.0;
  }
}
