/* SPDX-License-Identifier: BSD-3-Clause */
/* The noun behind struct perfpred_sampler: one table of operations for each of worker, local and virtual. */
#ifndef PPI_MEASURE_SAMPLER_H
#define PPI_MEASURE_SAMPLER_H

#include <perfpred/sampler.h>

#include "machine/levels.h"
#include "measure/apex.h"
#include "measure/sample.h"
#include "measure/script_tree.h"
#include "measure/tour.h"
#include "program/walk.h"

/* One program execution to be timed. */
struct ppi_execution {
  const struct perfpred_program *program;
  const int64_t *parameters;
  size_t count;
};

/* A step of a program's one loop, to be timed call by call right after the step before it. The calls outside of the loop are not run.
   Or the whole execution, whatever loops it has. */
struct ppi_window {
  const int64_t *parameters;        /* as many as the program has */
  struct ppi_walk_block lead, step; /* lead.width 0: nothing is run before; step.width 0: the whole */
  int64_t reach;                    /* sampling->touched: so many steps before it are touched instead, in their order */
};
static inline bool ppi_window_is_whole(const struct ppi_window *window) {
  return window->step.width == 0;
}

/* What became of a unit of a script. */
struct ppi_outcome {
  enum perfpred_status status;
  char text[500];                /* of the error */
  struct ppi_unit_result result; /* where status is PERFPRED_OK */
};

#define PPI_DESCRIBE_NOTHING_MEASURED (-1.0)

struct ppi_sampler_ops {
  /* Repetitions of all requests are shuffled over the batch. results: count structs, filled; on failure nothing is left to free. */
  enum perfpred_status (*sample)(struct perfpred_sampler *sampler, const struct ppi_request *requests, size_t count,
                                 const struct ppi_sampling *sampling, struct ppi_result *results,
                                 struct perfpred_error *error);
  enum perfpred_status (*execute)(struct perfpred_sampler *sampler, const struct ppi_execution *executions,
                                  size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                  struct perfpred_error *error);
  /* Steps of one program, or whole executions of it, which are run as above: not both in one batch. results: one for each of the program's calls (ppi_calls_of, in that order) of each window; those that the step
     does not make have no samples, of those that it makes several times a sample is the sum. sampling->ld is the least leading dimension of
     all matrices of steps. Otherwise as above. */
  enum perfpred_status (*windows)(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                  const struct ppi_window *windows, size_t count, const struct ppi_sampling *sampling,
                                  struct ppi_result *results, struct perfpred_error *error);
  /* A whole execution, call by call: results: one for each call that has work to do, in the order of execution, of which there must be
     `count` (PERFPRED_INVALID). Otherwise as above. */
  enum perfpred_status (*calls)(struct perfpred_sampler *sampler, const struct ppi_execution *execution, size_t count,
                                const struct ppi_sampling *sampling, struct ppi_result *results,
                                struct perfpred_error *error);
  /* How long loads take over working sets of rising size, in at most limit_s (infinite: takes what it takes, 1 to 2 s). NULL: nothing is
     run here whose operands lie anywhere. */
  enum perfpred_status (*caches)(struct perfpred_sampler *sampler, double limit_s, struct ppi_curve *curve,
                                 struct perfpred_error *error);
  /* One outcome for each unit, in their order; a unit that fails does not keep the next ones from being run. outcomes: zeroed; to be
     freed whatever is returned. */
  enum perfpred_status (*script)(struct perfpred_sampler *sampler, const struct ppi_script *script,
                                 const struct ppi_sampling *sampling, struct ppi_outcome *outcomes,
                                 struct perfpred_error *error);
  /* Runs of Apex-MAP (measure/apex.h). report->results: batch->count structs, filled; on failure nothing is left to free. */
  enum perfpred_status (*apex)(struct perfpred_sampler *sampler, const struct ppi_apex_batch *batch,
                               const struct ppi_sampling *sampling, struct ppi_apex_report *report,
                               struct perfpred_error *error);
  /* Tours (measure/tour.h): the samples of all requests are shuffled over the batch. results: batch->request_count structs, filled; on
     failure nothing is left to free. NULL: cannot be had. */
  enum perfpred_status (*tour)(struct perfpred_sampler *sampler, const struct ppi_tour_batch *batch,
                               const struct ppi_sampling *sampling, struct ppi_tour_result *results,
                               struct perfpred_error *error);
  /* Events of another process (measure/apex.h) until it ends. *samples: malloc'ed. sampling: for its progress alone. NULL: cannot be had. */
  enum perfpred_status (*watch)(struct perfpred_sampler *sampler, const struct ppi_watch *watch,
                                const struct ppi_sampling *sampling, struct ppi_watch_sample **samples, size_t *count,
                                struct perfpred_error *error);
  /* rates_s: longest time for peak and bandwidth; 0: they are not measured, infinite: take what it takes, half a second. What there is no
     time for is 0. PPI_DESCRIBE_NOTHING_MEASURED: nor is the yardstick, which takes a second where it is read first. */
  enum perfpred_status (*describe)(struct perfpred_sampler *sampler, double rates_s, struct ppi_machine *machine,
                                   struct ppi_setup *setup, struct perfpred_error *error);
  /* min |A x - b| for nrhs right-hand sides, column-major; a and b are overwritten, the first n rows of b are the solutions. */
  enum perfpred_status (*least_squares)(struct perfpred_sampler *sampler, int m, int n, int nrhs, double *a, double *b,
                                        int *rank, struct perfpred_error *error);
  void (*destroy)(struct perfpred_sampler *sampler);
  double (*now_s)(const struct perfpred_sampler *sampler); /* its clock; NULL: the wall's */
};

struct perfpred_sampler {
  const struct ppi_sampler_ops *ops; /* first member of each kind's own struct */
};

/* Has `once` run every unit, shares the budget out among them and makes one progress of theirs. PERFPRED_CANCELLED and PERFPRED_WORKER end
   it, all other failures become outcomes. */
typedef enum perfpred_status ppi_unit_fn(void *data, const struct ppi_script *script, size_t unit,
                                         const struct ppi_sampling *sampling, struct ppi_unit_result *result,
                                         struct perfpred_error *error);
enum perfpred_status ppi_script_run(const struct ppi_script *script, const struct ppi_sampling *sampling,
                                    ppi_unit_fn *once, void *data, struct ppi_outcome *outcomes,
                                    struct perfpred_error *error);
/* report.c: the outcomes as JSON (doc/json.md, "sample"); NULL: no memory. */
char *ppi_report_script(const struct ppi_script *script, const struct ppi_outcome *outcomes,
                        const struct ppi_setup *setup);

#endif
