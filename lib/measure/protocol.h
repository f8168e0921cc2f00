/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library and perfpred-worker say to each other: the types of messages and the layout of what they share. A message is
 * one frame (base/wire.h); the two sides are always built from the same source, and the first exchange checks that. */
#ifndef PPI_MEASURE_PROTOCOL_H
#define PPI_MEASURE_PROTOCOL_H

#include "base/wire.h"
#include "kernel/registry.h"
#include "machine/machine.h"
#include "measure/mark.h"
#include "measure/sampler.h"

#define PPI_WORKER_PROTOCOL 13
#define PPI_WORKER_MAGIC "perfpred-worker"

/* Descriptors of the worker; 0, 1 and 2 belong to the libraries. */
enum ppi_worker_descriptor {
  PPI_WORKER_REQUESTS = 3, /* reading end of the pipe of requests */
  PPI_WORKER_REPLIES = 4,  /* writing end of the pipe of replies */
  PPI_WORKER_PAGE = 5,     /* shared memory of one struct ppi_worker_page */
  PPI_WORKER_LIFE = 6      /* reading end of a pipe that closes when the client is gone */
};

enum ppi_message {
  /* requests */
  PPI_MESSAGE_HELLO =
      0x50500001, /* magic, protocol, version, threads, paths of BLAS and LAPACK ("": the system's), yardstick reading -> setup */
  PPI_MESSAGE_TEXT,          /* whether it is a program, name, text: to be known from now on -> nothing */
  PPI_MESSAGE_SAMPLE,        /* sampling, requests, each with its state -> results */
  PPI_MESSAGE_EXECUTE,       /* sampling, executions -> results */
  PPI_MESSAGE_WINDOWS,       /* sampling, count, program, windows -> results */
  PPI_MESSAGE_DESCRIBE,      /* rates_s -> machine, setup */
  PPI_MESSAGE_LEAST_SQUARES, /* m, n, nrhs, a, b -> rank, a, b */
  PPI_MESSAGE_QUIT,          /* -> none: the worker ends */
  PPI_MESSAGE_SCRIPT, /* sampling, source, text, number of a unit (-1: none, the names of its events are looked up) -> its result */
  PPI_MESSAGE_APEX,   /* sampling, count, instruction set, threads, bytes to warm up, runs -> report */
  PPI_MESSAGE_CALLS,  /* sampling, 1, an execution, number of its calls -> results */
  PPI_MESSAGE_CACHES, /* longest time -> curve */
  PPI_MESSAGE_WATCH,  /* process, seconds, events -> samples as bytes */
  PPI_MESSAGE_TOUR,   /* sampling, number of requests, tensors, tours, requests -> their results */
  PPI_MESSAGE_CANCEL, /* while one of the others runs; late ones are ignored */
  /* replies: any number of PROGRESS, then one of the others */
  PPI_MESSAGE_PROGRESS = 0x50500101,
  PPI_MESSAGE_DONE,
  PPI_MESSAGE_FAILED /* status, line, column, text */
};

/* Memory that outlives the worker: what it was doing. Zeroed at first. */
struct ppi_worker_page {
  _Atomic uint64_t beat;                      /* grows with every call or region that is begun */
  char call[1024];                            /* the call or region that runs, as text; "" where none does */
  struct ppi_lane_mark marks[PPI_LANE_MARKS]; /* of a region: which of its calls run */
  _Atomic uint64_t crashed;                   /* the one whose thread got a deadly signal, from 1; 0: not known */
};
/* Grows with every call that is begun, those of regions included. */
uint64_t ppi_page_beats(const struct ppi_worker_page *page);
void ppi_page_enter(struct ppi_worker_page *page, const char *call);
void ppi_page_leave(struct ppi_worker_page *page);

/* Each pair reads what the other wrote; reading past the end shows in wire->bad. */
void ppi_put_error(struct ppi_wire *wire, enum perfpred_status status, const struct perfpred_error *error);
/* The status; one that means success, or none at all, becomes PERFPRED_WORKER. */
enum perfpred_status ppi_get_error(struct ppi_wire *wire, struct perfpred_error *error);

void ppi_put_progress(struct ppi_wire *wire, const struct perfpred_progress *progress);
void ppi_get_progress(struct ppi_wire *wire, struct perfpred_progress *progress); /* stage points into the message */

void ppi_put_sampling(struct ppi_wire *wire,
                      const struct ppi_sampling *sampling); /* all but the callback, spots and states */
void ppi_get_sampling(struct ppi_wire *wire, struct ppi_sampling *sampling);

/* A request without its kernel, whose name travels in front. values: PPI_ARG_MAX of them. */
void ppi_put_request(struct ppi_wire *wire, const struct ppi_request *request);
const char *ppi_get_request(struct ppi_wire *wire, struct ppi_value *values, int *value_count, int64_t *ld);

/* Of a request that is sampled alone. */
void ppi_put_state(struct ppi_wire *wire, const struct ppi_sampling *sampling, size_t request);
enum perfpred_cache_state ppi_get_state(struct ppi_wire *wire);

/* parameters: as many as the program has. */
void ppi_put_window(struct ppi_wire *wire, const struct ppi_window *window, int parameter_count);
void ppi_get_window(struct ppi_wire *wire, struct ppi_window *window, int64_t *parameters, int parameter_count);

void ppi_put_results(struct ppi_wire *wire, const struct ppi_result *results, size_t count);
/* Exactly count of them; on failure (PERFPRED_WORKER, PERFPRED_NO_MEMORY) nothing is left to free. */
enum perfpred_status ppi_get_results(struct ppi_wire *wire, struct ppi_result *results, size_t count,
                                     struct perfpred_error *error);

/* A batch behind its sampling and count; runs: as many. */
void ppi_put_apex_batch(struct ppi_wire *wire, const struct ppi_apex_batch *batch);
void ppi_get_apex_batch(struct ppi_wire *wire, struct ppi_apex_batch *batch, struct ppi_apex_run *runs);
void ppi_put_watch(struct ppi_wire *wire, const struct ppi_watch *watch);
void ppi_get_watch(struct ppi_wire *wire, struct ppi_watch *watch);
void ppi_put_apex_report(struct ppi_wire *wire, const struct ppi_apex_report *report, size_t count);
/* report->results: count of them; on failure nothing is left to free. */
enum perfpred_status ppi_get_apex_report(struct ppi_wire *wire, struct ppi_apex_report *report, size_t count,
                                         struct perfpred_error *error);

/* A batch behind its sampling and number of requests; what was received, with memory of its own: to be freed whatever is returned. A batch
   that can be read is checked. */
struct ppi_tour_parcel {
  struct ppi_tour_batch batch;
  struct ppi_tour *tours;
  struct ppi_value (*values)[PPI_ARG_MAX];
  struct ppi_tour_request *requests;
  struct ppi_tour_item (*items)[PPI_TOUR_ITEMS_MAX];
};
void ppi_put_tour_batch(struct ppi_wire *wire, const struct ppi_tour_batch *batch);
enum perfpred_status ppi_get_tour_batch(struct ppi_wire *wire, const struct ppi_kernels *kernels, size_t count,
                                        struct ppi_tour_parcel *parcel, struct perfpred_error *error);
void ppi_tour_parcel_free(struct ppi_tour_parcel *parcel);
void ppi_put_tour_results(struct ppi_wire *wire, const struct ppi_tour_result *results, size_t count);
/* On failure nothing is left to free. */
enum perfpred_status ppi_get_tour_results(struct ppi_wire *wire, struct ppi_tour_result *results, size_t count,
                                          struct perfpred_error *error);

/* One result and what was counted. */
void ppi_put_unit(struct ppi_wire *wire, const struct ppi_unit_result *result);
enum perfpred_status ppi_get_unit(struct ppi_wire *wire, struct ppi_unit_result *result, struct perfpred_error *error);

void ppi_put_curve(struct ppi_wire *wire, const struct ppi_curve *curve);
void ppi_get_curve(struct ppi_wire *wire, struct ppi_curve *curve);
void ppi_put_machine(struct ppi_wire *wire, const struct ppi_machine *machine);
void ppi_get_machine(struct ppi_wire *wire, struct ppi_machine *machine);
void ppi_put_setup(struct ppi_wire *wire, const struct ppi_setup *setup);
void ppi_get_setup(struct ppi_wire *wire, struct ppi_setup *setup);

#endif
