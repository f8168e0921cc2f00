/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling core: times kernels and programs in this process. Shared by the local sampler and the worker, which differ in
   where the address of a kernel comes from. Not thread-safe: one core belongs to one thread. */
#ifndef PPI_MEASURE_CORE_H
#define PPI_MEASURE_CORE_H

#include <perfpred/sampler.h>

#include "measure/sampler.h"
#include "measure/script_tree.h"

struct ppi_bench; /* measure/bench.h: clocks, yardstick, preemption; tests hand in scripted ones */
struct ppi_core;

/* Events counted around runs: the table of whoever can count. A run counts one batch; open, start, stop and close are called in the
   thread whose events are counted. */
struct ppi_counting {
  enum perfpred_status (*plan)(const char *const *names, int count, void **plan, int *batches, char *note, size_t size,
                               struct perfpred_error *error);
  void (*destroy)(void *plan);
  /* Whether the events of a batch are the process's and not a thread's, so that one tally counts what all threads do. */
  bool (*shared)(const void *plan, int batch);
  void *(*open)(const void *plan);
  void (*close)(void *tally);
  void (*start)(void *tally, int batch);
  void (*stop)(void *tally, int64_t *values); /* sets those of the batch; PPI_COUNT_NONE: none */
};

struct ppi_core_options {
  /* Address of a kernel and the width of its integers. NULL is an answer: the kernel's own binding is used then, and without
     one the batch is PERFPRED_UNSUPPORTED. resolve itself NULL: own bindings only. */
  perfpred_fortran_fn *(*resolve)(void *data, const struct perfpred_kernel *kernel, bool *ilp64);
  /* Called before a call or program is run for the first time, with its text ("dtrsm(R,L,T,N,1000,128)"), so that whoever
     outlives a crash can name it. NULL: not wanted. */
  void (*announce)(void *data, const char *what);
  void *data;                    /* first argument of both */
  struct ppi_lane_mark *marks;   /* PPI_LANE_MARKS of them, told which calls of a region run; NULL: not wanted */
  const struct ppi_bench *bench; /* copied; NULL: the real clocks */
  int threads;                   /* of the measured libraries: the yardstick runs on as many; 0: 1 */
  const int *
      cpus; /* that threads of a region are pinned to, the first one has the calling thread already; kept, may be NULL */
  int cpu_count;
  const struct ppi_counting *counting; /* NULL: nothing can be counted */
  double yardstick_s;   /* reading that times on so many threads are brought to; 0: the best one of this core */
  int64_t stream_bytes; /* outputs that take more of a cache are restored past it; 0: 1 MiB. The L2 size is apt */
};

enum perfpred_status ppi_core_create(const struct ppi_core_options *options, struct ppi_core **core,
                                     struct perfpred_error *error);
void ppi_core_destroy(struct ppi_core *core); /* NULL is fine */

/* As in struct ppi_sampler_ops. sampling: repetitions <= 0 stands for 10, gate 0 for 0.05. More samples than wanted may be kept
   (short kernels come in batches). The best yardstick reading lives as long as the core. */
enum perfpred_status ppi_core_sample(struct ppi_core *core, const struct ppi_request *requests, size_t count,
                                     const struct ppi_sampling *sampling, struct ppi_result *results,
                                     struct perfpred_error *error);
enum perfpred_status ppi_core_execute(struct ppi_core *core, const struct ppi_execution *executions, size_t count,
                                      const struct ppi_sampling *sampling, struct ppi_result *results,
                                      struct perfpred_error *error);

enum perfpred_status ppi_core_windows(struct ppi_core *core, const struct perfpred_program *program,
                                      const struct ppi_window *windows, size_t count,
                                      const struct ppi_sampling *sampling, struct ppi_result *results,
                                      struct perfpred_error *error);

/* As the operation `calls`. */
enum perfpred_status ppi_core_calls(struct ppi_core *core, const struct ppi_execution *execution, size_t count,
                                    const struct ppi_sampling *sampling, struct ppi_result *results,
                                    struct perfpred_error *error);

/* Memory of the named buffers of a script, made when a unit first needs it. All zero at first. */
struct ppi_buffers {
  unsigned char **memory, **base;
  size_t count;
};
void ppi_buffers_free(struct ppi_buffers *buffers);
/* Samples one unit of a script, by its number. */
enum perfpred_status ppi_core_unit(struct ppi_core *core, const struct ppi_script *script, size_t number,
                                   struct ppi_buffers *buffers, const struct ppi_sampling *sampling,
                                   struct ppi_unit_result *result, struct perfpred_error *error);

/* clock, yardstick_s (with `settled` measured now if it never was; else 0 then), library and protocol of the setup; tsc_hz of the machine. Either
   may be NULL. */
void ppi_core_describe(struct ppi_core *core, bool settled, struct ppi_machine *machine, struct ppi_setup *setup);

/* min |A x - b| by a routine with dgelsy's interface: A is m x n with leading dimension m, b has max(m, n) rows and as leading
   dimension. PERFPRED_UNSUPPORTED when dgelsy is NULL, PERFPRED_NUMERIC when it fails or the numbers are not finite. */
enum perfpred_status ppi_least_squares(perfpred_dgelsy_fn *dgelsy, int m, int n, int nrhs, double *a, double *b,
                                       int *rank, struct perfpred_error *error);

#endif
