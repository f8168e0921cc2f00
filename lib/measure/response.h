/* SPDX-License-Identifier: BSD-3-Clause */
/* How much kernels slow down when the yardstick does: the exponent e in time ~ reading^e, from samples taken at different levels
 * of speed. A neighbour on the core may cost the yardstick a quarter of its speed and a kernel hardly any, so that dividing by
 * the reading alone would make the kernel seem too fast by that quarter. */
#ifndef PPI_MEASURE_RESPONSE_H
#define PPI_MEASURE_RESPONSE_H

#include <stddef.h>

struct ppi_history;

#define PPI_RESPONSE_LENGTHS 3 /* samples below 1 ms, 10 ms, and longer ones */

struct ppi_response {
  double xx, xy; /* sums over the deviations from each subject's own mean, of logarithms */
  double
      noise; /* what of xx comes from readings that differ although the level is one: before and behind the same samples */
  size_t count; /* samples in them */
};

/* By length: readings tell little of a run during which a neighbour came and went several times. */
struct ppi_responses {
  struct ppi_response of[PPI_RESPONSE_LENGTHS];
};

/* Adds the samples of one subject, those that were preempted or took several times as long as the quickest left out. */
void ppi_response_add(struct ppi_responses *responses, const struct ppi_history *history);
/* Puts the samples of one run into those of all runs before. */
void ppi_response_merge(struct ppi_responses *all, const struct ppi_responses *run);
/* For the samples of a subject, by those of its length or, where these do not tell, by all: between 0 and 1; NaN where the readings were too
   much alike, or too few, to tell, or differ by their noise alone: a run that was slow throughout does not show what a faster level would
   bring. */
double ppi_response_exponent(const struct ppi_responses *responses, const struct ppi_history *history);

#endif
