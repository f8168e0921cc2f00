/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of one subject in order of time, and what they come to. */
#ifndef PPI_MEASURE_HISTORY_H
#define PPI_MEASURE_HISTORY_H

#include "measure/level.h"
#include "measure/sample.h"

struct ppi_history_entry {
  struct ppi_sample sample;
  unsigned batch;
};

struct ppi_history {
  struct ppi_history_entry *entries;
  size_t count, capacity;
  unsigned batches;              /* taken so far */
  unsigned batch_size;           /* repetitions of one */
  double repetition_s;           /* wall time of one repetition with its warm call and restoring */
  double measure_s;              /* sum of all runs that were timed, warm ones included */
  double yardstick_s, restore_s; /* as in struct ppi_spent */
  double first_s;                /* wall time of the very first run */
  double limit_s;                /* wall time for all of that together; 0: any */
  unsigned wanted;               /* samples that should pass */
  size_t passed;                 /* at the reference level of the last count */
  unsigned passed_batches;
};

/* Are the readings before and behind a sample too far apart for one speed of the machine? */
bool ppi_sample_is_torn(const struct ppi_sample *sample);
/* The yardstick's reading around a sample: the mean of both; the shorter one where they are torn, because something else ran during the
   longer one and the machine was not so slow. */
double ppi_sample_reading(const struct ppi_sample *sample);

enum perfpred_status ppi_history_add(struct ppi_history *history, const struct ppi_sample *sample,
                                     struct perfpred_error *error); /* to batch `batches` */
void ppi_history_free(struct ppi_history *history);
/* Sets the readings around the present batch and finishes it. */
void ppi_history_close_batch(struct ppi_history *history, double before_s, double after_s);
/* Decides anew which samples pass. */
void ppi_history_count(struct ppi_history *history, const struct ppi_level *level, double gate);
/* Times of the samples that pass, brought to the best reading, into times; how many. */
size_t ppi_history_times(const struct ppi_history *history, const struct ppi_level *level, double gate, double *times);
/* Kept samples and their summary, first_s and what was spent among it. Times are brought to the best reading (times best / mean reading around them), which within the gate
   is a correction of a few per cent. With too few that passed: those nearest to the gate, by that ratio to the power of
   exponent (response.h); NaN, not known: by that ratio as far as a clock may have drifted, since a neighbour on the core can halve the
   yardstick's speed and cost a kernel a sixth. A preempted one counts with its CPU time. At least one entry. */
enum perfpred_status ppi_history_conclude(const struct ppi_history *history, const struct ppi_level *level, double gate,
                                          double exponent, size_t wanted, struct ppi_result *result,
                                          struct perfpred_error *error);

#endif
