/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the core share: core.c owns it, call.c samples kernels, execution.c runs programs. */
#ifndef PPI_MEASURE_CORE_STATE_H
#define PPI_MEASURE_CORE_STATE_H

#include "kernel/invoke.h"
#include "measure/bench.h"
#include "measure/core.h"
#include "measure/evict.h"
#include "measure/level.h"
#include "measure/team.h"

#define PPI_OVERHEADS_MAX 64

struct ppi_subjects;

/* What calls of one kind cost, whatever they call. */
struct ppi_overhead {
  ppi_caller *call;
  void (*run)(
      void *data); /* of the subjects that make a single call and are timed; NULL: a call that follows another one */
  double time_s;
};

struct ppi_core {
  struct ppi_core_options options;
  struct ppi_bench_state state;
  struct ppi_bench bench;
  struct ppi_level level;      /* yardstick readings of the calling thread alone */
  struct ppi_team *team;       /* NULL: none was needed yet */
  struct ppi_team_yard *yards; /* one for each of its threads */
  struct ppi_bench team_bench; /* the yardstick on all of its threads at once */
  struct ppi_level team_level;
  void **libraries; /* handles of users' own */
  size_t library_count;
  unsigned char *sweep; /* what is walked over to empty the caches; NULL: not needed yet */
  size_t sweep_bytes;
  unsigned char *displacer; /* what is walked over to empty the second level alone; NULL: not needed yet */
  size_t displacer_bytes;
  enum ppi_eviction eviction;
  struct ppi_overhead overheads[PPI_OVERHEADS_MAX]; /* measured so far */
  int overhead_count;
  struct ppi_tour_memory *tour_memory; /* core_tour.h; NULL: no tour was run yet */
  unsigned char *tour_far;             /* memory that belongs to nothing else; NULL: no tour needed any yet */
  size_t tour_far_bytes;
};
/* core_tour_memory.c; NULL is fine. */
void ppi_tour_memory_destroy(struct ppi_tour_memory *memory);

/* Target of a kernel. *function NULL: it is a free-form kernel. PERFPRED_UNSUPPORTED: it has no address here. */
enum perfpred_status ppi_core_address(struct ppi_core *core, const struct perfpred_kernel *kernel,
                                      perfpred_fortran_fn **function, bool *ilp64, struct perfpred_error *error);
/* overhead.c: time of a call that does nothing and follows another one, without the clock. */
double ppi_core_overhead(struct ppi_core *core, const struct ppi_frame *frame);
/* What the clock reads around a run of a subject that does nothing, sampled as others are: one that is selected already, with the run,
   restore and check of the others. frame: the only call of such a run; they cost the same for all of its kind. NULL: there are several. */
double ppi_core_idle(struct ppi_core *core, const struct ppi_subjects *idle, const struct ppi_frame *frame);
/* Takes yardstick readings if there is none yet. */
void ppi_core_calibrate(struct ppi_core *core);
void ppi_core_announce(const struct ppi_core *core, const char *what);

/* Clocks, and yardstick and its readings, for measuring on so many threads; calibrated. */
enum perfpred_status ppi_core_world(struct ppi_core *core, int threads, const struct ppi_bench **bench,
                                    struct ppi_level **level, struct perfpred_error *error);
/* core_library.c: a routine of a user's shared library. */
enum perfpred_status ppi_core_symbol(struct ppi_core *core, const struct perfpred_kernel *kernel,
                                     perfpred_fortran_fn **function, struct perfpred_error *error);
/* evict.c: walks over a buffer of several times the last cache. */
enum perfpred_status ppi_core_sweep_prepare(struct ppi_core *core, struct perfpred_error *error);
void ppi_core_sweep(struct ppi_core *core);
/* The same for the second level alone, whose size options.stream_bytes is. */
enum perfpred_status ppi_core_displace_prepare(struct ppi_core *core, struct perfpred_error *error);
void ppi_core_displace(const struct ppi_core *core);

/* execution.c: windows that are whole executions. */
enum perfpred_status ppi_core_execute_parts(struct ppi_core *core, const struct perfpred_program *program,
                                            const struct ppi_window *windows, size_t count,
                                            const struct ppi_sampling *sampling, struct ppi_result *results,
                                            struct perfpred_error *error);

/* PERFPRED_NUMERIC, naming the call, when INFO is not 0. */
enum perfpred_status ppi_call_check(const struct ppi_frame *frame, const char *what, struct perfpred_error *error);

#endif
