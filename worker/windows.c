/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of a program, timed call by call. */
#include <stdlib.h>
#include <string.h>

#include "program/calls.h"
#include "worker.h"

/* The message: what is measured, and memory for it. */
struct task {
  struct ppi_sampling sampling;
  struct perfpred_program *program;
  struct ppi_window *windows;
  int64_t *parameters;
  size_t count, parts;
};

static enum perfpred_status read_windows(struct worker *worker, struct task *task, struct perfpred_error *error) {
  size_t each = (size_t)task->program->parameter_count;
  struct ppi_calls calls;
  task->windows = calloc(task->count + 1, sizeof *task->windows);
  task->parameters = calloc(task->count * each + 1, sizeof *task->parameters);
  if (!task->windows || !task->parameters)
    return ppi_error_memory(error);
  for (size_t i = 0; i < task->count; i++)
    ppi_get_window(&worker->in, &task->windows[i], task->parameters + i * each, (int)each);
  if (worker->in.bad)
    return worker_unreadable(error);
  enum perfpred_status status = ppi_calls_of(task->program, &calls, error);
  if (status != PERFPRED_OK)
    return status;
  task->parts = calls.count;
  ppi_calls_free(&calls);
  return PERFPRED_OK;
}

static enum perfpred_status read_task(struct worker *worker, struct task *task, struct perfpred_error *error) {
  enum perfpred_status status = worker_read_head(worker, &task->sampling, &task->count, error);
  if (status != PERFPRED_OK)
    return status;
  const char *text = ppi_wire_get_string(&worker->in);
  if (worker->in.bad)
    return worker_unreadable(error);
  status = worker_parse(worker, text, &task->program, error);
  return status == PERFPRED_OK ? read_windows(worker, task, error) : status;
}

static enum perfpred_status run(struct worker *worker, const struct task *task, struct perfpred_error *error) {
  size_t count = task->count * task->parts;
  struct ppi_result *results = calloc(count + 1, sizeof *results);
  if (!results)
    return ppi_error_memory(error);
  enum perfpred_status status =
      ppi_core_windows(worker->core, task->program, task->windows, task->count, &task->sampling, results, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_put_results(&worker->out, results, count);
    ppi_results_free(results, count);
  }
  free(results);
  return worker_outcome(worker, status, error);
}

enum perfpred_status worker_windows(struct worker *worker, struct perfpred_error *error) {
  struct task task = { .program = NULL };
  enum perfpred_status status = read_task(worker, &task, error);
  if (status == PERFPRED_OK)
    status = run(worker, &task, error);
  free(task.parameters);
  free(task.windows);
  perfpred_program_unref(task.program);
  return status;
}
