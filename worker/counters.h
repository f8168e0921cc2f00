/* SPDX-License-Identifier: BSD-3-Clause */
/* Events counted around calls. Two layers:
 *   counting.c (the worker)             struct worker_counters: what the sampler uses; works where nothing can be counted, too
 *   counters.c (perfpred-hardware.so)   plans and tallies, by PAPI's low-level interface
 * Nothing here fails for want of counters: a name that cannot be counted has a reason, its values are PPI_COUNTER_NONE. */
#ifndef PPI_WORKER_COUNTERS_H
#define PPI_WORKER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PPI_COUNTER_NONE INT64_MIN /* in place of a value that is not there */
#define PPI_COUNTER_MAX 64         /* names in a plan */
#define PPI_COUNTER_NAME_MAX 256

struct ppi_counter {
  char name[PPI_COUNTER_NAME_MAX];
  int batch;        /* in which it is counted; -1: it cannot be counted here */
  char reason[160]; /* why not, for people; "" where batch >= 0 */
  int code, slot;   /* PAPI's: the event, its place in the event set of the batch */
};

/* Which names are counted when. All of a batch are counted in one run, so a call runs at least once per batch.
 * Immutable; may be used by several threads at once. */
struct ppi_counter_plan {
  int count, batches; /* batches 0: nothing can be counted */
  struct ppi_counter *counters;
  char note[256]; /* the one note for people when something is missing for the machine's sake; else "" */
};

/* The event sets of a plan in one thread: created, used and destroyed there. */
struct ppi_counter_tally;

/* worker/counting.c. Plans are created and destroyed by the main thread, outside of parallel regions. */

/* names: at most PPI_COUNTER_MAX (PERFPRED_INVALID), none empty or too long; order is kept and the same name may come twice.
   PERFPRED_NO_MEMORY. A machine or a build without counters is PERFPRED_OK with 0 batches. */
enum perfpred_status worker_counters_plan(const char *const *names, int count, struct ppi_counter_plan **plan,
                                          struct perfpred_error *error);
void worker_counters_plan_destroy(struct ppi_counter_plan *plan); /* after its tallies; NULL is fine */

/* NULL without memory or batches: a NULL tally may be used like any, counting nothing. */
struct ppi_counter_tally *worker_counters_open(const struct ppi_counter_plan *plan);
void worker_counters_close(struct ppi_counter_tally *tally);

/* Around a run. What is counted is the calling thread's part (software-defined events: the process's). stop sets the values of
   the batch's names and leaves those of others alone: after one run per batch all `count` values of the plan are there, if they
   were PPI_COUNTER_NONE to begin with. A start that fails leaves the values of its batch PPI_COUNTER_NONE. */
void worker_counters_start(struct ppi_counter_tally *tally, int batch);
void worker_counters_stop(struct ppi_counter_tally *tally, int64_t *values);

/* The entry points of PAPI that counters.c uses, so that tests can stand in for it. Codes and results are PAPI's. */
struct ppi_papi {
  int (*start_up)(void); /* library and threads; PAPI_OK */
  void (*shut_down)(void);
  int (*hardware_counters)(void);
  const char *(*disabled)(const char *component); /* why; "": it is not; NULL: there is none of that name */
  int (*find)(const char *name, int *code);       /* PAPI's own and native names */
  int (*next)(const char *component, int *code, char *name,
              size_t size); /* *code 0: the first native event; not PAPI_OK: no more */
  int (*component)(int code);
  int (*query)(int code); /* a preset: PAPI_OK when this machine has it */
  int (*create)(int *set);
  int (*add)(int set, int code);
  int (*remove)(int set, int code);
  int (*start)(int set);
  int (*stop)(int set, long long *values);
  void (*destroy)(int *set);
  const char *(*text)(int result);
};

/* What perfpred-hardware.so offers of the above; plan gives a NULL pointer without memory. */
struct ppi_counting {
  struct ppi_counter_plan *(*plan)(const struct ppi_papi *papi, const char *const *names, int count);
  void (*plan_destroy)(const struct ppi_papi *papi, struct ppi_counter_plan *plan);
  struct ppi_counter_tally *(*open)(const struct ppi_papi *papi, const struct ppi_counter_plan *plan);
  void (*close)(struct ppi_counter_tally *tally);
  void (*start)(struct ppi_counter_tally *tally, int batch);
  void (*stop)(struct ppi_counter_tally *tally, int64_t *values);
};
/* papi NULL in a call of it stands for the real one. */
PERFPRED_API extern const struct ppi_counting perfpred_hardware_counting;

#endif
