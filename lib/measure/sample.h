/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples: what a measurement is asked and what it answers. */
#ifndef PPI_MEASURE_SAMPLE_H
#define PPI_MEASURE_SAMPLE_H

#include <perfpred/sampler.h>

#include "kernel/kernel.h"

struct ppi_sample {
  double wall_s;            /* of one execution, call overhead subtracted */
  double cpu_s;             /* CPU time of the calling thread for it */
  double before_s, after_s; /* yardstick readings around it; 0: none */
  bool preempted;           /* a context switch happened meanwhile */
  bool passed;              /* undisturbed: not preempted and inside the gate */
  double run_s;             /* wall time of its runs, the warm one among them, nothing subtracted */
};

/* One kernel call to be sampled: flags, sizes and scalars of values count; operands, leading dimensions and increments are the sampler's. */
struct ppi_request {
  const struct perfpred_kernel *kernel;
  const struct ppi_value *values; /* kernel->arg_count */
  int64_t ld;                     /* leading dimension of matrices; grown where an operand has more rows */
};

/* Where the wall time of a measurement went. The rest of it is the sampler's own. Runs count with the warm run before them. */
struct ppi_spent {
  double kept_s;      /* timed runs whose samples are kept */
  double rejected_s;  /* timed runs whose samples are thrown away */
  double spare_s;     /* runs that become no samples: the first one of all, and those that only fill a batch */
  double yardstick_s; /* readings of the yardstick, those that calibrate it included */
  double restore_s;   /* operands laid out, restored, evicted */
};
static inline void ppi_spent_add(struct ppi_spent *sum, const struct ppi_spent *part) {
  sum->kept_s += part->kept_s;
  sum->rejected_s += part->rejected_s;
  sum->spare_s += part->spare_s;
  sum->yardstick_s += part->yardstick_s;
  sum->restore_s += part->restore_s;
}

struct ppi_result {
  double *times_s; /* kept samples: wall seconds in the reference state; malloc'ed, freed by ppi_results_free */
  size_t count;
  double cpu_s;       /* median CPU time */
  uint64_t disturbed; /* samples thrown away */
  bool gated;         /* false: divided by the yardstick, because too few passed */
  int64_t ld;
  double residual;            /* executed programs: relative error of the result; NaN: not checked */
  double measure_s;           /* sum of all timed calls, warm and rejected ones included */
  double first_s;             /* wall time of the very first call; 0: not known */
  struct ppi_sample *samples; /* all that were taken, in order of time, where the sampling asks for them; malloc'ed */
  size_t sample_count;
  struct ppi_spent spent;
};

/* Where a request stands in an algorithm. */
struct ppi_spot {
  const void *call;            /* of whoever answers for it */
  const char *context;         /* the name of that place, for whoever keeps samples */
  int64_t sizes[PPI_SIZE_MAX]; /* of the step */
  int size_count;
};

struct ppi_sampling {
  int repetitions; /* kept samples wanted per request */
  double gate;     /* relative width; < 0: none */
  double
      budget_s; /* wall time for the whole batch; 0: none. When it runs out, requests keep the samples they have (at least 1 each) */
  uint64_t seed; /* of the shuffling */
  int64_t ld;    /* executed programs: leading dimension; 0: smallest >= rows, multiple of 8, not of 256 */
  perfpred_progress_fn *progress;
  void *progress_data;
  double stable;       /* go on until the interval of the median is at most so wide, relative to it; 0: no matter */
  int repetitions_max; /* but no further than this; 0: repetitions */
  bool detailed;       /* results hold their samples */
  bool partial; /* with a budget: requests are met in their order, and those that it does not reach have no samples */
  const struct ppi_spot *spots; /* one for each request; NULL: each is sampled alone */
  /* Of calls that are sampled alone, one for each request: the state of the caches; NULL: all are warm. */
  const enum perfpred_cache_state *states;
  /* Of steps: what lies before them is not run. Everything is evicted, and then the operands of the calls of as many steps as each window says
     are touched, in their order. */
  bool touched;
};

#define PPI_UNIT_CPUS 64
#define PPI_COUNT_NONE INT64_MIN /* in place of a count that could not be had */

/* What came of one unit of a script. */
struct ppi_unit_result {
  struct ppi_result timing;
  int64_t *counts; /* medians, one for each event asked for; malloc'ed */
  size_t count_count;
  char note[1024];         /* why something could not be counted, or "" */
  int threads;             /* that the unit ran on, those of the BLAS not counted */
  int cpus[PPI_UNIT_CPUS]; /* to which they were pinned, the first few */
  int cpu_count;           /* 0: not pinned */
};
void ppi_unit_result_free(struct ppi_unit_result *result);

void ppi_results_free(struct ppi_result *results, size_t count);

#endif
