/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol: in which order things are timed, which samples count, when to stop. Pure logic over a bench and subjects. */
#ifndef PPI_MEASURE_SCHEDULE_H
#define PPI_MEASURE_SCHEDULE_H

#include "measure/bench.h"
#include "measure/level.h"
#include "measure/sample.h"

/* What is timed: subjects by number, one selected at a time. */
struct ppi_subjects {
  size_t count;
  const char *stage; /* for progress */
  /* Makes one ready: operands in place, arguments laid out. */
  enum perfpred_status (*select)(void *data, size_t index, struct perfpred_error *error);
  void (*restore)(void *data); /* what a run of the selected one overwrites */
  void (*run)(void *data);
  enum perfpred_status (*check)(void *data, struct perfpred_error *error); /* did the last run succeed? */
  double (*overhead_s)(void *data); /* part of a timed run that is the calling's and the clock's, not the subject's */
  void *data;
  /* Last thing before a timed run, after the restoring: evicts operands, brings threads to their start. NULL: nothing. */
  void (*prepare)(void *data);
  bool unpaired;          /* no warm run before the timed one */
  const unsigned *wanted; /* samples of each, in place of the sampling's repetitions; NULL: all the same */
  const double *limits_s; /* wall time that each may take, beyond its first sample; 0: any. NULL: all of them any */
  /* Subjects that are timed in parts: results are those of the parts, part_count of them for each subject. The times of the last run's
     parts; negative: one that it does not have, whose result has no samples. */
  size_t part_count; /* 0: the whole run counts */
  const double *(*parts_s)(void *data);
};

#define PPI_DEFAULT_REPETITIONS 10
#define PPI_DEFAULT_GATE 0.05
#define PPI_BATCH_S 400e-6   /* shortest time between two yardsticks */
#define PPI_SINGLE_S 100e-6  /* runs at least as long as this are sampled one by one */
#define PPI_BATCH_MAX 8192   /* most repetitions of a batch, whatever the clock says */
#define PPI_BATCH_KEPT 16    /* of which so many are kept, evenly spaced */
#define PPI_BATCHES_MIN 4    /* batches over which the samples of a short kernel are spread at least */
#define PPI_ATTEMPT_FACTOR 8 /* most attempts, as a multiple of what is wanted */

/* Samples all subjects; results: one for each of them, or for each of their parts. level: yardstick readings so far, kept by the caller across batches (all zero at first). Fills times_s, count, cpu_s,
   disturbed, gated, measure_s, first_s, spent of results (ld 0, residual NaN); times_s are in order of time. */
enum perfpred_status ppi_schedule_run(const struct ppi_bench *bench, struct ppi_level *level,
                                      const struct ppi_subjects *subjects, const struct ppi_sampling *sampling,
                                      struct ppi_result *results, struct perfpred_error *error);

/* One yardstick reading; a new best one counts only when the next reading confirms it, so that no glitch of the clock
   shuts the gate for ever. */
double ppi_schedule_reading(const struct ppi_bench *bench, struct ppi_level *level);

#endif
