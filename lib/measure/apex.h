/* SPDX-License-Identifier: BSD-3-Clause */
/* Apex-MAP: one run of its synthetic kernels, and what is measured of many. The kernels walk over data[M]: every S-th element, or I blocks of L
   elements at random places that are the more concentrated the smaller alpha is; beside each element, or each K-th, compute(C) does floating
   point work. */
#ifndef PPI_MEASURE_APEX_H
#define PPI_MEASURE_APEX_H

#include "base/text.h"
#include "measure/random.h"
#include "measure/sample.h"

#define PPI_APEX_M_MAX INT64_C(2147483648) /* 16 GiB */
#define PPI_APEX_C_MAX 1000000
#define PPI_APEX_I_MAX 1000000
#define PPI_APEX_I_DEFAULT 50
#define PPI_APEX_THREADS_MAX 256
#define PPI_APEX_NAME_MAX 200 /* of a run as text */
#define PPI_APEX_SET_MAX 16   /* name of an instruction set */

enum ppi_apex_kind { PPI_APEX_STRIDED, PPI_APEX_RANDOM };

struct ppi_apex_run {
  enum ppi_apex_kind kind;
  int64_t m; /* elements of data */
  int64_t s; /* strided: the stride */
  int64_t l; /* random: elements of a block */
  int64_t i; /* random: blocks of one repetition */
  int64_t c; /* iterations of compute beside an element; 0: it is not called */
  double alpha;
  int64_t every; /* K: compute is called beside each K-th element; 0 and 1: beside each */
};

/* PERFPRED_INVALID names the parameter. */
enum perfpred_status ppi_apex_check(const struct ppi_apex_run *run, struct perfpred_error *error);
/* "random M=1000 L=4 alpha=0.5 C=2 I=50", and " K=8" where compute is not called beside each element */
void ppi_apex_name(const struct ppi_apex_run *run, char text[PPI_APEX_NAME_MAX]);
bool ppi_apex_equal(const struct ppi_apex_run *a, const struct ppi_apex_run *b);
/* Runs as text, one a line, as above; # begins a comment. *runs: free; at most `most` of them. */
enum perfpred_status ppi_apex_parse(const char *text, size_t length, const char *source, size_t most,
                                    struct ppi_apex_run **runs, size_t *count, struct perfpred_error *error);

int64_t ppi_apex_blocks(const struct ppi_apex_run *run);     /* random: places where a block may start, at least 1 */
int64_t ppi_apex_iterations(const struct ppi_apex_run *run); /* elements that one repetition touches */
int64_t ppi_apex_every(const struct ppi_apex_run *run);      /* K, at least 1 */
double ppi_apex_flops(const struct ppi_apex_run *run);       /* of one repetition */
/* The starts of a repetition's blocks: L * floor(U^(1/alpha) * (M/L - 1)), U uniform in [0, 1); alpha 0: all 0. index: run->i of them. */
void ppi_apex_fill(const struct ppi_apex_run *run, struct ppi_random *random, int64_t *index);

/* --- Measuring ------------------------------------------------------------------------------------------------------- */

enum { PPI_APEX_FLOPS, PPI_APEX_CYCLES, PPI_APEX_MISSES, PPI_APEX_EVENTS };

struct ppi_apex_batch {
  const struct ppi_apex_run *runs; /* checked */
  size_t count;
  char instruction_set[PPI_APEX_SET_MAX]; /* "": the widest one here */
  int threads;                            /* that share the iterations of each run */
  int64_t warm_bytes;                     /* of lines that a random run touches before its first sample, at most */
};

/* Of one repetition. */
struct ppi_apex_result {
  struct ppi_result timing;
  int64_t counts[PPI_APEX_EVENTS]; /* of all threads; PPI_COUNT_NONE: not counted */
};

struct ppi_apex_report {
  struct ppi_apex_result *results; /* one for each run, of the caller; to be released by ppi_apex_results_free */
  double clock_hz;                 /* of the core, in the state that times are of; 0: not known */
  char instruction_set[PPI_APEX_SET_MAX];
  char note[1024]; /* why something was not counted, or "" */
};
void ppi_apex_results_free(struct ppi_apex_result *results, size_t count);

/* Events of another process, read at intervals. */
#define PPI_WATCH_SAMPLES_MAX 1000000
struct ppi_watch {
  int64_t pid;
  double interval_s, duration_s;    /* 0: to its end */
  char events[PPI_APEX_EVENTS][64]; /* flops, cycles, misses */
};
struct ppi_watch_sample {
  double time_s, counts[PPI_APEX_EVENTS];
};

struct ppi_core;
/* report->results: batch->count structs, filled; on failure nothing is left to free. sampling: as for others, the budget is of all runs. */
enum perfpred_status ppi_core_apex(struct ppi_core *core, const struct ppi_apex_batch *batch,
                                   const struct ppi_sampling *sampling, struct ppi_apex_report *report,
                                   struct perfpred_error *error);

#endif
