/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of perfpred-worker, in three steps: what was asked (remote_plan.c), the process (remote_process.c), talking to it
 * (remote_talk.c). The sampler itself is remote.c. */
#ifndef PPI_MEASURE_REMOTE_H
#define PPI_MEASURE_REMOTE_H

#include <sys/types.h>

#include "machine/clock.h"
#include "measure/protocol.h"
#include "measure/sampler.h"

/* A setup with its defaults filled in. All members owned. */
struct ppi_remote_plan {
  char *worker;        /* path of perfpred-worker */
  char *blas, *lapack; /* real paths; "": what the dynamic linker finds under the usual name */
  char **environment;  /* entries added by the caller, NULL-terminated */
  int threads;
  double start_s;     /* longest silence while a worker starts */
  double timeout_s;   /* longest silence of one timed call */
  double yardstick_s; /* 0: none was given */
};
enum perfpred_status ppi_remote_plan_create(const struct perfpred_setup *setup, struct ppi_remote_plan *plan,
                                            struct perfpred_error *error);
void ppi_remote_plan_free(struct ppi_remote_plan *plan);

/* A private folder in which the usual names of BLAS and LAPACK lead to the chosen files. */
struct ppi_remote_folder {
  char *path; /* NULL: there is none */
};
enum perfpred_status ppi_remote_folder_create(struct ppi_remote_folder *folder, const struct ppi_remote_plan *plan,
                                              struct perfpred_error *error);
void ppi_remote_folder_remove(struct ppi_remote_folder *folder); /* twice is fine */
/* Makes the links in a folder that is there; those that are there already and lead to the same files stay. */
enum perfpred_status ppi_remote_folder_fill(const char *path, const struct ppi_remote_plan *plan,
                                            struct perfpred_error *error);

/* A running worker. */
struct ppi_remote_process {
  pid_t pid;   /* 0: none */
  pid_t owner; /* process that started it: a fork inherits the struct, not the worker */
  int requests, replies, life, log;
  struct ppi_worker_page *page;
};
#define PPI_REMOTE_PROCESS_INIT                                                                                        \
  { 0, 0, -1, -1, -1, -1, 0 }
enum perfpred_status ppi_remote_process_start(struct ppi_remote_process *process, const struct ppi_remote_plan *plan,
                                              const char *folder, struct perfpred_error *error);
bool ppi_remote_process_alive(const struct ppi_remote_process *process);
/* Ends it (patience_s for it to go by itself) and says in `how` ("" where size is 0) what became of it, with the last line that it printed. */
void ppi_remote_process_stop(struct ppi_remote_process *process, double patience_s, char *how, size_t size);

struct ppi_remote {
  struct perfpred_sampler base;
  struct ppi_remote_plan plan;
  struct ppi_remote_process process;
  struct ppi_setup setup; /* as the worker told at its last start */
  struct ppi_wire out, in;
  struct perfpred_kernel **kernels; /* known to the running worker; references are held */
  size_t kernel_count, kernel_space;
  struct perfpred_program **programs;
  size_t program_count, program_space;
  const struct ppi_script *script; /* of which a unit is being measured; NULL: none */
  size_t unit;
  bool greeting; /* whoever was started has yet to show that it is a worker */
};

#define PPI_REMOTE_EXPECTED "expected perfpred-worker of version %s (protocol %d)"

/* Starts a worker unless one is running. */
enum perfpred_status ppi_remote_ready(struct ppi_remote *remote, struct perfpred_error *error);
/* Sends remote->out and waits for the answer, which is in remote->in on success. sampling: whose progress is called, or NULL.
   silence_s: longest time without a sign of life. After a failure of the worker itself it is stopped. */
enum perfpred_status ppi_remote_ask(struct ppi_remote *remote, const struct ppi_sampling *sampling, double silence_s,
                                    struct perfpred_error *error);
void ppi_remote_forget(struct ppi_remote *remote); /* kernels and programs, which a new worker does not know */
/* Makes a kernel, or all that a program calls, known to the running worker. */
enum perfpred_status ppi_remote_introduce(struct ppi_remote *remote, const struct perfpred_kernel *kernel,
                                          struct perfpred_error *error);
enum perfpred_status ppi_remote_introduce_calls(struct ppi_remote *remote, const struct ppi_node *body,
                                                struct perfpred_error *error);

#endif
