/* SPDX-License-Identifier: BSD-3-Clause */
/* Events counted around calls, by PAPI's low-level interface, which perfpred-hardware.so hands over (papi.c).
 * Nothing here fails for want of counters: a name that cannot be counted has a reason, its values are PPI_COUNTER_NONE. */
#ifndef PPI_WORKER_COUNTERS_H
#define PPI_WORKER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/machine.h"

#define PPI_COUNTER_NONE INT64_MIN /* in place of a value that is not there */
#define PPI_COUNTER_MAX 64         /* names in a plan */
#define PPI_COUNTER_NAME_MAX 256

/* The entry points of PAPI that are used, so that tests can stand in for it. Results and codes are PAPI's. */
struct ppi_papi {
  int (*start_up)(void); /* the library and its threads */
  void (*shut_down)(void);
  int (*hardware_counters)(void);
  const char *(*disabled)(const char *component); /* why; "": it is not; NULL: there is none of that name */
  int (*find)(const char *name, int *code);       /* presets and native events */
  /* After *code (0: the first), a native event of the component; NULL: a preset. Not PPI_PAPI_OK: no more. */
  int (*next)(const char *component, int *code, char *name, size_t size);
  int (*query)(int code); /* whether this machine has a preset */
  int (*component)(int code);
  int (*create)(int *set);
  int (*add)(int set, int code);
  int (*remove)(int set, int code);
  int (*start)(int set);
  int (*attach)(int set, unsigned long pid); /* to another process; before the first event */
  int (*read)(int set, long long *values);
  int (*stop)(int set, long long *values);
  void (*destroy)(int *set);
  const char *(*text)(int result);
};
/* hardware.c: PAPI, loaded at the first call; NULL: there is none. */
const struct ppi_papi *worker_papi(void);
/* Those of PAPI's results that are told apart; papi.c asserts that they are. */
enum ppi_papi_result {
  PPI_PAPI_OK = 0,
  PPI_PAPI_NO_EVENT = -7,
  PPI_PAPI_CONFLICT = -8,
  PPI_PAPI_PERMISSION = -15,
  PPI_PAPI_TOO_MANY = -23,
  PPI_PAPI_DISABLED = -25
};

struct ppi_counter {
  char name[PPI_COUNTER_NAME_MAX];
  int batch;        /* in which it is counted; -1: it cannot be counted here */
  char reason[160]; /* why not, for people; "" where batch >= 0 */
  bool unknown;     /* PAPI knows no machine that has it */
  bool excused;     /* the note of the plan says why not */
  int code, slot;   /* PAPI's: the event, its place in the event set of the batch */
};

/* Which names are counted when. All of a batch are counted in one run, so a call runs at least once per batch.
 * Immutable; may be used by several threads at once. */
struct ppi_counter_plan {
  int count, batches; /* batches 0: nothing can be counted */
  struct ppi_counter *counters;
  char note[256]; /* the one note for people when something is missing for the machine's sake; else "" */
  const struct ppi_papi *papi;
};

/* Plans are created and destroyed by the main thread, outside of parallel regions.
 * papi: worker_papi(); NULL: none. names: at most PPI_COUNTER_MAX, none empty or longer than PPI_COUNTER_NAME_MAX - 1
 * (PERFPRED_INVALID); order is kept, the same name may come twice. A machine or a build without counters is PERFPRED_OK with 0 batches. */
enum perfpred_status worker_counters_plan(const struct ppi_papi *papi, const char *const *names, int count,
                                          struct ppi_counter_plan **plan, struct perfpred_error *error);
void worker_counters_plan_destroy(struct ppi_counter_plan *plan); /* after its tallies; NULL is fine */

/* Whether the events of a batch are no thread's: those of the process, or of the whole machine. */
bool worker_counters_shared(const struct ppi_counter_plan *plan, int batch);

/* The event sets of a plan in one thread: opened, used and closed there. NULL (no batches, no memory) counts nothing. */
struct ppi_counter_tally;
struct ppi_counter_tally *worker_counters_open(const struct ppi_counter_plan *plan);
void worker_counters_close(struct ppi_counter_tally *tally);

/* Around a run. What is counted is the calling thread's part (software-defined events: the process's). stop sets the values of
   the batch's names and leaves those of the others alone: when all were PPI_COUNTER_NONE at first, they are complete after a run
   per batch. What fails to start or to stop reads PPI_COUNTER_NONE. */
void worker_counters_start(struct ppi_counter_tally *tally, int batch);
void worker_counters_stop(struct ppi_counter_tally *tally, int64_t *values);

/* What can be counted on this machine: the members counters_*. */
void worker_counters_describe(const struct ppi_papi *papi, struct ppi_machine *machine);

#endif
