/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred-worker: the process in which foreign libraries are loaded and measured. One per setup. */
#ifndef PPI_WORKER_H
#define PPI_WORKER_H

#include "kernel/registry.h"
#include "measure/core.h"
#include "measure/protocol.h"
#include "program/registry.h"

/* libraries.c: the BLAS and the LAPACK of the setup, loaded and verified. */
struct worker_libraries {
  void *blas, *lapack; /* handles */
  struct ppi_library blas_file, lapack_file;
  bool ilp64;
  bool suffixed; /* names end in _64_ */
};
/* blas, lapack: real paths that must answer, "": any. */
enum perfpred_status worker_load(struct worker_libraries *libraries, const char *blas, const char *lapack,
                                 struct ppi_worker_page *page, struct perfpred_error *error);
/* Address of a routine by its Fortran name without underscores, in LAPACK, then BLAS; NULL: neither has it. */
void *worker_routine(const struct worker_libraries *libraries, const char *name);

/* binding.c: where a loaded library's own calls of `symbol` lead; NULL: it makes none (or this machine's format is not known). */
void *worker_bound(void *handle, const char *symbol);

/* probe.c: what the libraries tell of themselves after a first dgemm. */
enum perfpred_status worker_first_dgemm(void *dgemm, struct perfpred_error *error);
bool worker_blas_is_ilp64(const struct worker_libraries *libraries);
bool worker_lapack_is_ilp64(const struct worker_libraries *libraries, bool otherwise);
void worker_describe_blas(struct worker_libraries *libraries);
void worker_describe_lapack(struct worker_libraries *libraries);
/* 1: built for one thread only; 0: for several; -1: does not tell. */
int worker_blas_is_serial(const struct worker_libraries *libraries);

/* xerbla.c: the error handler of BLAS and LAPACK, replaced. */
void worker_xerbla_watch(const struct ppi_worker_page *page); /* whose call it notes */
const char *worker_xerbla(void); /* text of the first complaint since it was cleared, or "": "DGEMM refuses ..." */
const char *worker_xerbla_during(void); /* what the page said was running then */
uint64_t worker_xerbla_call(void);      /* and which call of a region, from 1; 0: not known */
void worker_xerbla_clear(void);

/* crash.c: notes in the page which call of a region got a deadly signal, before that does what it does. */
void worker_crash_watch(struct ppi_worker_page *page);

/* squares.c: dgelsy of the loaded LAPACK with 32-bit integers; NULL: it has none. */
perfpred_dgelsy_fn *worker_dgelsy(const struct worker_libraries *libraries);

/* hardware.c: what perfpred-hardware.so adds to what is known of the machine; counters_available -1 without it. */
void worker_hardware(struct ppi_machine *machine);

/* counting.c: the counters for the sampling core. */
const struct ppi_counting *worker_counting(void);
/* PERFPRED_NOT_FOUND with line and column for an event of a name that PAPI knows of no machine. */
enum perfpred_status worker_counting_check(const struct ppi_script *script, struct perfpred_error *error);

/* serve.c: the loop over requests. */
struct worker {
  struct worker_libraries libraries;
  struct ppi_worker_page *page;
  struct ppi_core *core; /* made at the first request that measures, like the two registries */
  struct ppi_kernels *kernels;
  struct ppi_programs *programs;
  struct ppi_wire in, out;
  struct ppi_script script; /* the last one, and its text and named buffers */
  struct ppi_buffers buffers;
  char *text;
  int64_t script_ld;          /* that the script was read with */
  int64_t unit;               /* of the script, that the present request is about; -1: it is about something else */
  int threads, threads_asked; /* that count: 1 where the BLAS is built for one; and as the host asked */
  double yardstick_s;         /* reading that times are brought to; 0: the best one */
  int cpus[PPI_UNIT_CPUS], cpu_count; /* on which this process may run, the present one first */
  char allowed[PPI_TEXT_MAX];         /* the same as it was before pinning, as a list */
  bool loaded, cancelled;
  const struct perfpred_kernel *missing; /* one that the libraries lack, of the present request */
  double told_s;                         /* when progress was last sent */
};
int worker_serve(struct worker *worker); /* exit code */
/* measuring.c: requests that measure; the answer is in worker->out on success. */
enum perfpred_status worker_sample(struct worker *worker, struct perfpred_error *error);
enum perfpred_status worker_execute(struct worker *worker, struct perfpred_error *error);
enum perfpred_status worker_windows(struct worker *worker, struct perfpred_error *error);
/* Progress of a request, for those who tell of it: the perfpred_progress_fn of all that measures. */
int worker_progress(void *data, const struct perfpred_progress *progress);
enum perfpred_status worker_watch(struct worker *worker, struct perfpred_error *error); /* watch.c */
enum perfpred_status worker_apex(struct worker *worker, struct perfpred_error *error);  /* apex.c */
enum perfpred_status worker_tour(struct worker *worker, struct perfpred_error *error);  /* tour.c */
/* Parts of these. The head of a batch; a program from its text; what stopped a batch: the complaint of a library and the wish of the client
   come before what the core says. */
enum perfpred_status worker_read_head(struct worker *worker, struct ppi_sampling *sampling, size_t *count,
                                      struct perfpred_error *error);
enum perfpred_status worker_parse(struct worker *worker, const char *text, struct perfpred_program **program,
                                  struct perfpred_error *error);
enum perfpred_status worker_unreadable(struct perfpred_error *error);
enum perfpred_status worker_outcome(struct worker *worker, enum perfpred_status status, struct perfpred_error *error);
/* What it points to is the caller's to release, whatever is returned. */
enum perfpred_status worker_read_execution(struct worker *worker, struct ppi_execution *execution,
                                           struct perfpred_error *error);
enum perfpred_status worker_script(struct worker *worker, struct perfpred_error *error);
/* calls.c, caches.c */
enum perfpred_status worker_calls(struct worker *worker, struct perfpred_error *error);
enum perfpred_status worker_caches(struct worker *worker, struct perfpred_error *error);
enum perfpred_status worker_learn(struct worker *worker, struct perfpred_error *error);
void worker_forget_script(struct worker *worker);
enum perfpred_status worker_core(struct worker *worker, struct perfpred_error *error);

#endif
