/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop over requests: each gets one answer. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpus.h"
#include "worker.h"

/* A measured thread that moves between cores measures caches that are cold. Where somebody has chosen a CPU already, that one is kept. Failing
   is no harm: samples that were moved are seen as preempted. */
static void pin(int cpu) {
  cpu_set_t set;
  if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) <= 1)
    return;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/* CPUs on which threads of parallel regions may run, the present one first. */
static void list_cpus(struct worker *worker) {
  cpu_set_t set;
  int present = sched_getcpu();
  worker->cpu_count = 0;
  if (present < 0 || sched_getaffinity(0, sizeof set, &set) != 0)
    return;
  worker->cpus[worker->cpu_count++] = present;
  for (int cpu = 0; cpu < CPU_SETSIZE && worker->cpu_count < PPI_UNIT_CPUS; cpu++)
    if (cpu != present && CPU_ISSET((size_t)cpu, &set))
      worker->cpus[worker->cpu_count++] = cpu;
}

static void fill_setup(const struct worker *worker, struct ppi_setup *setup) {
  memset(setup, 0, sizeof *setup);
  setup->blas = worker->libraries.blas_file;
  setup->lapack = worker->libraries.lapack_file;
  setup->threads = worker->threads;
  setup->ilp64 = worker->libraries.ilp64;
  setup->protocol = PPI_PROTOCOL;
  if (worker->threads != worker->threads_asked)
    snprintf(setup->note, sizeof setup->note, "the BLAS is built for one thread: 1 counts, though %d were asked for",
             worker->threads_asked);
  strncpy(setup->library, perfpred_version(), sizeof setup->library - 1);
  strcpy(setup->cpus, worker->allowed);
  setup->pinned = ppi_cpus_pinned();
}

static enum perfpred_status check_hello(struct ppi_wire *in, struct perfpred_error *error) {
  const char *magic = ppi_wire_get_string(in);
  int64_t protocol = ppi_wire_get_i64(in);
  const char *version = ppi_wire_get_string(in);
  if (in->bad || strcmp(magic, PPI_WORKER_MAGIC) != 0 || protocol != PPI_WORKER_PROTOCOL ||
      strcmp(version, perfpred_version()) != 0)
    return ppi_error_set(error, PERFPRED_VERSION, "of version %s (protocol %d): expected %.40s (protocol %lld)",
                         perfpred_version(), PPI_WORKER_PROTOCOL, version, (long long)protocol);
  return PERFPRED_OK;
}

/* Two threads of a serial library are one: models of it must not be taken for those of two. */
static void count_threads(struct worker *worker) {
  if (worker->threads == 1 || worker_blas_is_serial(&worker->libraries) != 1)
    return;
  worker->threads = 1;
  if (worker->cpu_count > 0)
    pin(worker->cpus[0]);
}

static enum perfpred_status hello(struct worker *worker, struct perfpred_error *error) {
  struct ppi_setup setup;
  enum perfpred_status status = check_hello(&worker->in, error);
  if (status != PERFPRED_OK)
    return status;
  worker->threads = worker->threads_asked = (int)ppi_wire_get_i64(&worker->in);
  const char *blas = ppi_wire_get_string(&worker->in), *lapack = ppi_wire_get_string(&worker->in);
  worker->yardstick_s = ppi_wire_get_f64(&worker->in);
  if (worker->in.bad || worker->loaded)
    return ppi_error_set(error, PERFPRED_WORKER, "the worker cannot read the greeting");
  list_cpus(worker);
  ppi_cpus_allowed(worker->allowed, sizeof worker->allowed);
  if (worker->threads == 1 && worker->cpu_count > 0)
    pin(worker->cpus[0]);
  status = worker_load(&worker->libraries, blas, lapack, worker->page, error);
  if (status != PERFPRED_OK)
    return status;
  worker->loaded = true;
  count_threads(worker);
  fill_setup(worker, &setup);
  ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
  ppi_wire_put_string(&worker->out, PPI_WORKER_MAGIC);
  ppi_wire_put_i64(&worker->out, PPI_WORKER_PROTOCOL);
  ppi_wire_put_string(&worker->out, perfpred_version());
  ppi_put_setup(&worker->out, &setup);
  return PERFPRED_OK;
}

static enum perfpred_status describe(struct worker *worker, struct perfpred_error *error) {
  struct ppi_machine machine;
  struct ppi_setup setup;
  double rates_s = ppi_wire_get_f64(&worker->in);
  enum perfpred_status status = worker_core(worker, error);
  if (status != PERFPRED_OK)
    return status;
  memset(&machine, 0, sizeof machine);
  ppi_machine_here(&machine);
  worker_hardware(&machine);
  if (rates_s > 0.0)
    ppi_machine_measure(&machine, rates_s);
  fill_setup(worker, &setup);
  ppi_core_describe(worker->core, rates_s >= 0.0, &machine, &setup);
  ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
  ppi_put_machine(&worker->out, &machine);
  ppi_put_setup(&worker->out, &setup);
  return PERFPRED_OK;
}

/* A copy of the numbers in a message; NULL when there are not exactly count of them, or no memory. */
static double *copy_numbers(struct ppi_wire *in, size_t count) {
  size_t length = 0;
  const void *bytes = ppi_wire_get_bytes(in, &length);
  double *numbers = bytes && length == count * sizeof *numbers ? malloc(length) : NULL;
  if (numbers)
    memcpy(numbers, bytes, length);
  return numbers;
}

struct problem {
  int m, n, nrhs;
  size_t a_count, b_count;
  double *a, *b;
};

static enum perfpred_status read_problem(struct ppi_wire *in, struct problem *problem, struct perfpred_error *error) {
  enum { MOST = 1 << 24 };
  int64_t m = ppi_wire_get_i64(in), n = ppi_wire_get_i64(in), nrhs = ppi_wire_get_i64(in);
  if (in->bad || m < 1 || n < 1 || nrhs < 1 || m > MOST || n > MOST || nrhs > MOST)
    return ppi_error_set(error, PERFPRED_WORKER, "the worker cannot read a least squares problem");
  problem->m = (int)m;
  problem->n = (int)n;
  problem->nrhs = (int)nrhs;
  problem->a_count = (size_t)(m * n);
  problem->b_count = (size_t)((m > n ? m : n) * nrhs);
  problem->a = copy_numbers(in, problem->a_count);
  problem->b = copy_numbers(in, problem->b_count);
  return problem->a && problem->b ? PERFPRED_OK : ppi_error_memory(error);
}

static enum perfpred_status solve(struct worker *worker, struct problem *problem, int *rank,
                                  struct perfpred_error *error) {
  char call[100];
  snprintf(call, sizeof call, "dgelsy(%d,%d,%d)", problem->m, problem->n, problem->nrhs);
  ppi_page_enter(worker->page, call);
  enum perfpred_status status = ppi_least_squares(worker_dgelsy(&worker->libraries), problem->m, problem->n,
                                                  problem->nrhs, problem->a, problem->b, rank, error);
  ppi_page_leave(worker->page);
  return status;
}

static enum perfpred_status least_squares(struct worker *worker, struct perfpred_error *error) {
  struct problem problem = { 0 };
  int rank = 0;
  enum perfpred_status status = read_problem(&worker->in, &problem, error);
  if (status == PERFPRED_OK)
    status = solve(worker, &problem, &rank, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_wire_put_i64(&worker->out, rank);
    ppi_wire_put_bytes(&worker->out, problem.a, problem.a_count * sizeof *problem.a);
    ppi_wire_put_bytes(&worker->out, problem.b, problem.b_count * sizeof *problem.b);
  }
  free(problem.b);
  free(problem.a);
  return status;
}

static enum perfpred_status handle(struct worker *worker, struct perfpred_error *error) {
  static const struct {
    uint32_t type;
    enum perfpred_status (*handle)(struct worker *worker, struct perfpred_error *error);
  } handlers[] = { { PPI_MESSAGE_HELLO, hello },
                   { PPI_MESSAGE_TEXT, worker_learn },
                   { PPI_MESSAGE_SAMPLE, worker_sample },
                   { PPI_MESSAGE_EXECUTE, worker_execute },
                   { PPI_MESSAGE_WINDOWS, worker_windows },
                   { PPI_MESSAGE_CALLS, worker_calls },
                   { PPI_MESSAGE_CACHES, worker_caches },
                   { PPI_MESSAGE_SCRIPT, worker_script },
                   { PPI_MESSAGE_APEX, worker_apex },
                   { PPI_MESSAGE_TOUR, worker_tour },
                   { PPI_MESSAGE_WATCH, worker_watch },
                   { PPI_MESSAGE_DESCRIBE, describe },
                   { PPI_MESSAGE_LEAST_SQUARES, least_squares } };
  if (!worker->loaded && worker->in.type != PPI_MESSAGE_HELLO)
    return ppi_error_set(error, PERFPRED_WORKER, "the worker was not greeted");
  for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++)
    if (handlers[i].type == worker->in.type)
      return handlers[i].handle(worker, error);
  return ppi_error_set(error, PERFPRED_WORKER, "the worker does not know requests of type %u", worker->in.type);
}

static bool reply(struct worker *worker, enum perfpred_status status, const struct perfpred_error *error) {
  struct perfpred_error failure = *error;
  if (status == PERFPRED_OK && worker->out.bad) { /* out of memory, or an answer above the limit of a message */
    status = PERFPRED_NO_MEMORY;
    ppi_error_clear(&failure);
    ppi_error_memory(&failure);
  }
  if (status != PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_FAILED);
    ppi_put_error(&worker->out, status, &failure);
  }
  return ppi_wire_send(PPI_WORKER_REPLIES, &worker->out, -1.0, NULL) == PERFPRED_OK;
}

int worker_serve(struct worker *worker) {
  struct perfpred_error error;
  worker_xerbla_watch(worker->page);
  while (ppi_wire_receive(PPI_WORKER_REQUESTS, &worker->in, -1.0, NULL) == PERFPRED_OK &&
         worker->in.type != PPI_MESSAGE_QUIT) {
    if (worker->in.type == PPI_MESSAGE_CANCEL)
      continue; /* it crossed the answer to what it was meant for */
    ppi_error_clear(&error);
    worker_xerbla_clear();
    worker->cancelled = false;
    worker->missing = NULL;
    worker->unit = -1;
    if (!reply(worker, handle(worker, &error), &error))
      break;
  }
  worker_forget_script(worker);
  ppi_programs_destroy(worker->programs);
  ppi_kernels_destroy(worker->kernels);
  ppi_core_destroy(worker->core);
  ppi_wire_free(&worker->out);
  ppi_wire_free(&worker->in);
  return 0;
}
