/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that need kernels: learning texts, sampling calls, executing programs. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/clock.h"
#include "worker.h"

#define TELL_S 0.1 /* between two messages of progress */

/* In the middle of a request nothing but a cancel can come; at the end of the requests the client is gone. */
static void look_for_cancel(struct worker *worker) {
  struct pollfd poller = { PPI_WORKER_REQUESTS, POLLIN, 0 };
  struct ppi_wire message = PPI_WIRE_INIT;
  if (poll(&poller, 1, 0) <= 0)
    return;
  if (ppi_wire_receive(PPI_WORKER_REQUESTS, &message, -1.0, NULL) != PERFPRED_OK)
    _exit(0);
  worker->cancelled = worker->cancelled || message.type == PPI_MESSAGE_CANCEL;
  ppi_wire_free(&message);
}

int worker_progress(void *data, const struct perfpred_progress *progress) {
  struct worker *worker = data;
  struct ppi_clock clock;
  look_for_cancel(worker);
  ppi_clock_monotonic(&clock);
  double now_s = clock.now(clock.state);
  if (now_s - worker->told_s >= TELL_S) {
    struct ppi_wire message = PPI_WIRE_INIT;
    worker->told_s = now_s;
    ppi_wire_start(&message, PPI_MESSAGE_PROGRESS);
    ppi_put_progress(&message, progress);
    if (ppi_wire_send(PPI_WORKER_REPLIES, &message, -1.0, NULL) != PERFPRED_OK)
      _exit(0);
    ppi_wire_free(&message);
  }
  return worker->cancelled || worker_xerbla()[0];
}

static perfpred_fortran_fn *resolve(void *data, const struct perfpred_kernel *kernel, bool *ilp64) {
  struct worker *worker = data;
  void *address = worker_routine(&worker->libraries, kernel->name);
  *ilp64 = worker->libraries.ilp64;
  if (!address)
    worker->missing = kernel;
  return *(perfpred_fortran_fn **)&address;
}

static void announce(void *data, const char *what) {
  struct worker *worker = data;
  ppi_page_enter(worker->page, what);
}

enum perfpred_status worker_core(struct worker *worker, struct perfpred_error *error) {
  struct ppi_core_options options = {
    .resolve = resolve,
    .announce = announce,
    .data = worker,
    .marks = worker->page->marks,
    .threads = worker->threads < worker->cpu_count ? worker->threads : worker->cpu_count,
    .cpus = worker->threads == 1 ? worker->cpus : NULL, /* several threads place themselves */
    .cpu_count = worker->threads == 1 ? worker->cpu_count : 0,
    .counting = worker_counting(),
    .yardstick_s = worker->yardstick_s,
  };
  long l2_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (worker->core)
    return PERFPRED_OK;
  options.stream_bytes = l2_bytes > 0 ? l2_bytes : 0;
  return ppi_core_create(&options, &worker->core, error);
}

static enum perfpred_status need_registries(struct worker *worker, bool programs, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  if (!worker->kernels)
    status = ppi_kernels_create(&worker->kernels, error);
  if (status == PERFPRED_OK && programs && !worker->programs)
    status = ppi_programs_create(worker->kernels, &worker->programs, error);
  return status;
}

/* Whether what is known under the name has the very text. */
static enum perfpred_status compare(const char *name, const char *known, const char *text,
                                    struct perfpred_error *error) {
  if (strcmp(known, text) == 0)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_EXISTS, "%s: the worker knows another one of this name", name);
}

static enum perfpred_status learn_kernel(struct worker *worker, const char *name, const char *text,
                                         struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = NULL;
  char *known = NULL;
  if (!ppi_kernels_has(worker->kernels, name))
    return ppi_kernels_add_text(worker->kernels, text, strlen(text), name, error);
  enum perfpred_status status = ppi_kernels_require(worker->kernels, name, &kernel, error);
  if (status == PERFPRED_OK)
    status = perfpred_kernel_print(kernel, &known, error);
  if (status == PERFPRED_OK)
    status = compare(name, known, text, error);
  perfpred_free(known);
  return status;
}

static enum perfpred_status learn_program(struct worker *worker, const char *name, const char *text,
                                          struct perfpred_error *error) {
  struct perfpred_program *program = NULL;
  char *known = NULL;
  if (!ppi_programs_has(worker->programs, name))
    return ppi_programs_add_text(worker->programs, worker->kernels, text, strlen(text), name, error);
  enum perfpred_status status = ppi_programs_require(worker->programs, name, &program, error);
  if (status == PERFPRED_OK)
    status = perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &known, error);
  if (status == PERFPRED_OK)
    status = compare(name, known, text, error);
  perfpred_free(known);
  return status;
}

enum perfpred_status worker_unreadable(struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_WORKER, "the worker cannot read a request");
}

enum perfpred_status worker_learn(struct worker *worker, struct perfpred_error *error) {
  bool program = ppi_wire_get_i64(&worker->in) != 0;
  const char *name = ppi_wire_get_string(&worker->in), *text = ppi_wire_get_string(&worker->in);
  if (worker->in.bad)
    return worker_unreadable(error);
  enum perfpred_status status = need_registries(worker, program, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
  return program ? learn_program(worker, name, text, error) : learn_kernel(worker, name, text, error);
}

/* Number of elements in a message; each takes more than a byte, so a senseless one is seen before memory is asked for. */
static size_t read_count(struct ppi_wire *in) {
  int64_t count = ppi_wire_get_i64(in);
  if (count < 0 || (uint64_t)count > in->length)
    in->bad = true;
  return in->bad ? 0 : (size_t)count;
}

/* In a region the page has no more than its text. */
static enum perfpred_status tell_xerbla(const struct worker *worker, struct perfpred_error *error) {
  uint64_t call = worker_xerbla_call();
  char what[300];
  if (worker->unit < 0 || call == 0 || call > worker->script.call_count)
    return ppi_error_set(error, PERFPRED_NUMERIC, "%.200s: %s", worker_xerbla_during(), worker_xerbla());
  ppi_script_describe_call(&worker->script, (size_t)worker->unit, (size_t)call - 1, what, sizeof what);
  return ppi_error_set(error, PERFPRED_NUMERIC, "%s: %s", what, worker_xerbla());
}

/* What stopped a batch: the complaint of a library and the wish of the client come before what the core says. */
enum perfpred_status worker_outcome(struct worker *worker, enum perfpred_status status, struct perfpred_error *error) {
  ppi_page_leave(worker->page);
  if (status == PERFPRED_UNSUPPORTED && worker->missing) {
    ppi_error_clear(error);
    return ppi_error_set(error, status, "%s: neither '%s' nor '%s' has %s%s", worker->missing->name,
                         worker->libraries.lapack_file.path, worker->libraries.blas_file.path, worker->missing->name,
                         worker->libraries.suffixed ? "_64_" : "_");
  }
  if (!worker_xerbla()[0])
    return status;
  ppi_error_clear(error);
  return tell_xerbla(worker, error);
}

static enum perfpred_status read_request(struct worker *worker, struct ppi_request *request,
                                         enum perfpred_cache_state *state, struct perfpred_error *error) {
  struct ppi_value values[PPI_ARG_MAX];
  int count = 0;
  const char *name = ppi_get_request(&worker->in, values, &count, &request->ld);
  *state = ppi_get_state(&worker->in);
  if (worker->in.bad)
    return worker_unreadable(error);
  enum perfpred_status status = ppi_kernels_require(worker->kernels, name, &request->kernel, error);
  if (status != PERFPRED_OK)
    return status;
  if (count != request->kernel->arg_count)
    return worker_unreadable(error);
  struct ppi_value *kept = calloc((size_t)count + 1, sizeof *kept);
  if (!kept)
    return ppi_error_memory(error);
  memcpy(kept, values, (size_t)count * sizeof *kept);
  request->values = kept;
  return PERFPRED_OK;
}

enum perfpred_status worker_read_head(struct worker *worker, struct ppi_sampling *sampling, size_t *count,
                                      struct perfpred_error *error) {
  ppi_get_sampling(&worker->in, sampling);
  sampling->progress = worker_progress;
  sampling->progress_data = worker;
  *count = read_count(&worker->in);
  return worker->in.bad ? worker_unreadable(error) : worker_core(worker, error);
}

/* Runs a batch of either kind: requests or executions is NULL. */
static enum perfpred_status run(struct worker *worker, const struct ppi_request *requests,
                                const struct ppi_execution *executions, size_t count,
                                const struct ppi_sampling *sampling, struct perfpred_error *error) {
  struct ppi_result *results = calloc(count + 1, sizeof *results);
  if (!results)
    return ppi_error_memory(error);
  enum perfpred_status status = requests ? ppi_core_sample(worker->core, requests, count, sampling, results, error)
                                         : ppi_core_execute(worker->core, executions, count, sampling, results, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_put_results(&worker->out, results, count);
    ppi_results_free(results, count);
  }
  free(results);
  return worker_outcome(worker, status, error);
}

enum perfpred_status worker_sample(struct worker *worker, struct perfpred_error *error) {
  struct ppi_sampling sampling;
  size_t count = 0, filled = 0;
  enum perfpred_status status = worker_read_head(worker, &sampling, &count, error);
  if (status == PERFPRED_OK)
    status = need_registries(worker, false, error);
  if (status != PERFPRED_OK)
    return status;
  struct ppi_request *requests = calloc(count + 1, sizeof *requests);
  enum perfpred_cache_state *states = calloc(count + 1, sizeof *states);
  if (!requests || !states)
    status = ppi_error_memory(error);
  for (; filled < count && status == PERFPRED_OK; filled++)
    status = read_request(worker, &requests[filled], &states[filled], error);
  sampling.states = states;
  if (status == PERFPRED_OK)
    status = run(worker, requests, NULL, count, &sampling, error);
  for (size_t i = 0; i < filled; i++)
    free((void *)requests[i].values);
  free(states);
  free(requests);
  return status;
}

/* The script of the message, unless it is the one that is known. */
static enum perfpred_status read_script(struct worker *worker, int64_t ld, struct perfpred_error *error) {
  size_t length = 0;
  const char *source = ppi_wire_get_string(&worker->in);
  const char *text = ppi_wire_get_bytes(&worker->in, &length);
  if (worker->in.bad)
    return worker_unreadable(error);
  if (worker->text && worker->script_ld == ld && worker->script.length == length &&
      memcmp(worker->text, text, length) == 0) {
    worker->script.source = source; /* lives as long as the message */
    return PERFPRED_OK;
  }
  worker_forget_script(worker);
  worker->script_ld = ld;
  worker->text = malloc(length + 1);
  if (!worker->text)
    return ppi_error_memory(error);
  memcpy(worker->text, text, length);
  enum perfpred_status status =
      ppi_script_parse(worker->kernels, worker->text, length, source, ld, &worker->script, error);
  if (status != PERFPRED_OK)
    worker_forget_script(worker);
  return status;
}

void worker_forget_script(struct worker *worker) {
  ppi_buffers_free(&worker->buffers);
  ppi_script_free(&worker->script);
  free(worker->text);
  worker->text = NULL;
}

enum perfpred_status worker_script(struct worker *worker, struct perfpred_error *error) {
  struct ppi_sampling sampling;
  struct ppi_unit_result result;
  ppi_get_sampling(&worker->in, &sampling);
  sampling.progress = worker_progress;
  sampling.progress_data = worker;
  enum perfpred_status status = worker_core(worker, error);
  if (status == PERFPRED_OK)
    status = need_registries(worker, false, error);
  if (status == PERFPRED_OK)
    status = read_script(worker, sampling.ld, error);
  if (status != PERFPRED_OK)
    return status;
  int64_t unit = ppi_wire_get_i64(&worker->in);
  if (worker->in.bad || unit < -1 || (unit >= 0 && (uint64_t)unit >= worker->script.unit_count))
    return worker_unreadable(error);
  if (unit < 0) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    return worker_counting_check(&worker->script, error);
  }
  worker->unit = unit;
  status = ppi_core_unit(worker->core, &worker->script, (size_t)unit, &worker->buffers, &sampling, &result, error);
  if (status == PERFPRED_OK) {
    ppi_wire_start(&worker->out, PPI_MESSAGE_DONE);
    ppi_put_unit(&worker->out, &result);
    ppi_unit_result_free(&result);
  }
  return worker_outcome(worker, status, error);
}

enum perfpred_status worker_parse(struct worker *worker, const char *text, struct perfpred_program **program,
                                  struct perfpred_error *error) {
  enum perfpred_status status = need_registries(worker, true, error);
  if (status != PERFPRED_OK)
    return status;
  return ppi_program_parse(worker->programs, worker->kernels, text, strlen(text), "program", program, error);
}

enum perfpred_status worker_read_execution(struct worker *worker, struct ppi_execution *execution,
                                           struct perfpred_error *error) {
  struct perfpred_program *program = NULL;
  const char *text = ppi_wire_get_string(&worker->in);
  size_t count = read_count(&worker->in);
  if (worker->in.bad)
    return worker_unreadable(error);
  int64_t *parameters = calloc(count + 1, sizeof *parameters);
  if (!parameters)
    return ppi_error_memory(error);
  execution->parameters = parameters;
  execution->count = count;
  for (size_t i = 0; i < count; i++)
    parameters[i] = ppi_wire_get_i64(&worker->in);
  if (worker->in.bad)
    return worker_unreadable(error);
  enum perfpred_status status = worker_parse(worker, text, &program, error);
  execution->program = program;
  return status;
}

enum perfpred_status worker_execute(struct worker *worker, struct perfpred_error *error) {
  struct ppi_sampling sampling;
  size_t count = 0, filled = 0;
  enum perfpred_status status = worker_read_head(worker, &sampling, &count, error);
  if (status != PERFPRED_OK)
    return status;
  struct ppi_execution *executions = calloc(count + 1, sizeof *executions);
  if (!executions)
    return ppi_error_memory(error);
  for (; filled < count && status == PERFPRED_OK; filled++)
    status = worker_read_execution(worker, &executions[filled], error);
  if (status == PERFPRED_OK)
    status = run(worker, NULL, executions, count, &sampling, error);
  for (size_t i = 0; i < filled; i++) {
    perfpred_program_unref((struct perfpred_program *)executions[i].program);
    free((void *)executions[i].parameters);
  }
  free(executions);
  return status;
}
