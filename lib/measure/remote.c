/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampler whose measurements are made by perfpred-worker. */
#include "measure/remote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/calls.h"

#define MEASURE_S 60.0 /* shortest patience with measuring peak and bandwidth */
#define FAREWELL_S 1.0 /* for an idle worker to end by itself */

/* Other processes of a host that forks have no worker; they start their own. */
static struct ppi_remote *remote_of(struct perfpred_sampler *sampler) {
  return (struct ppi_remote *)sampler;
}

/* A worker that replaces one that died has to measure the same thing. */
static enum perfpred_status check_same(struct ppi_remote *remote, const struct ppi_setup *setup,
                                       struct perfpred_error *error) {
  const struct ppi_library *before = &remote->setup.blas, *after = &setup->blas;
  if (before->path[0] && (strcmp(before->path, after->path) != 0 || strcmp(before->build_id, after->build_id) != 0 ||
                          strcmp(before->kernels, after->kernels) != 0))
    return ppi_error_set(error, PERFPRED_WORKER, "BLAS '%s' (kernels '%s') answers now, it was '%s' (kernels '%s')",
                         after->path, after->kernels, before->path, before->kernels);
  remote->setup = *setup;
  return PERFPRED_OK;
}

static enum perfpred_status check_welcome(struct ppi_remote *remote, struct perfpred_error *error) {
  struct ppi_wire *in = &remote->in;
  const char *magic = ppi_wire_get_string(in);
  int64_t protocol = ppi_wire_get_i64(in);
  const char *version = ppi_wire_get_string(in);
  struct ppi_setup setup;
  if (in->bad || strcmp(magic, PPI_WORKER_MAGIC) != 0)
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': not a perfpred-worker: " PPI_REMOTE_EXPECTED,
                         remote->plan.worker, perfpred_version(), PPI_WORKER_PROTOCOL);
  if (protocol != PPI_WORKER_PROTOCOL || strcmp(version, perfpred_version()) != 0)
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': of version %s (protocol %lld): " PPI_REMOTE_EXPECTED,
                         remote->plan.worker, version, (long long)protocol, perfpred_version(), PPI_WORKER_PROTOCOL);
  ppi_get_setup(in, &setup);
  if (in->bad)
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': its greeting cannot be read", remote->plan.worker);
  return check_same(remote, &setup, error);
}

static enum perfpred_status greet(struct ppi_remote *remote, struct perfpred_error *error) {
  ppi_wire_start(&remote->out, PPI_MESSAGE_HELLO);
  ppi_wire_put_string(&remote->out, PPI_WORKER_MAGIC);
  ppi_wire_put_i64(&remote->out, PPI_WORKER_PROTOCOL);
  ppi_wire_put_string(&remote->out, perfpred_version());
  ppi_wire_put_i64(&remote->out, remote->plan.threads);
  ppi_wire_put_string(&remote->out, remote->plan.blas);
  ppi_wire_put_string(&remote->out, remote->plan.lapack);
  ppi_wire_put_f64(&remote->out, remote->plan.yardstick_s);
  struct perfpred_error trial = { .status = PERFPRED_OK };
  remote->greeting = true;
  enum perfpred_status status = ppi_remote_ask(remote, NULL, remote->plan.start_s, &trial);
  remote->greeting = false;
  if (status == PERFPRED_OK)
    return check_welcome(remote, error);
  if (status == PERFPRED_VERSION) /* it says what it is, but not which of all workers */
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': %s", remote->plan.worker, trial.text);
  return ppi_error_set(error, status, "%s", trial.text);
}

/* A worker that dies before it has measured anything is one that cannot be used: not the fault of a kernel. */
static enum perfpred_status as_start_failure(enum perfpred_status status, struct perfpred_error *error) {
  if (status != PERFPRED_CRASHED)
    return status;
  if (error && error->status == PERFPRED_CRASHED)
    error->status = PERFPRED_WORKER;
  return PERFPRED_WORKER;
}

enum perfpred_status ppi_remote_ready(struct ppi_remote *remote, struct perfpred_error *error) {
  struct ppi_remote_folder folder = { NULL };
  if (ppi_remote_process_alive(&remote->process))
    return PERFPRED_OK;
  ppi_remote_process_stop(&remote->process, 0.0, NULL, 0);
  ppi_remote_forget(remote);
  enum perfpred_status status = ppi_remote_folder_create(&folder, &remote->plan, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_remote_process_start(&remote->process, &remote->plan, folder.path, error);
  if (status == PERFPRED_OK)
    status = greet(remote, error);
  ppi_remote_folder_remove(&folder);
  if (status != PERFPRED_OK) {
    ppi_remote_process_stop(&remote->process, 0.0, NULL, 0);
    return as_start_failure(status, error);
  }
  return PERFPRED_OK;
}

static enum perfpred_status introduce_all(struct ppi_remote *remote, const struct ppi_request *requests,
                                          const struct ppi_execution *executions, size_t count,
                                          struct perfpred_error *error) {
  enum perfpred_status status = ppi_remote_ready(remote, error);
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++)
    status = requests ? ppi_remote_introduce(remote, requests[i].kernel, error)
                      : ppi_remote_introduce_calls(remote, executions[i].program->body, error);
  return status;
}

/* A worker and everything it must know. Where it knows something else under one of the names, from another context, a
   new one is started. */
static enum perfpred_status prepare(struct ppi_remote *remote, const struct ppi_request *requests,
                                    const struct ppi_execution *executions, size_t count,
                                    struct perfpred_error *error) {
  struct perfpred_error trial;
  ppi_error_clear(&trial);
  enum perfpred_status status = introduce_all(remote, requests, executions, count, &trial);
  if (status == PERFPRED_EXISTS) {
    ppi_remote_process_stop(&remote->process, 0.0, NULL, 0);
    ppi_error_clear(&trial);
    status = introduce_all(remote, requests, executions, count, &trial);
  }
  if (status != PERFPRED_OK && error && error->status == PERFPRED_OK)
    *error = trial;
  return status;
}

static enum perfpred_status sample(struct perfpred_sampler *sampler, const struct ppi_request *requests, size_t count,
                                   const struct ppi_sampling *sampling, struct ppi_result *results,
                                   struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  enum perfpred_status status = prepare(remote, requests, NULL, count, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_SAMPLE);
  ppi_put_sampling(&remote->out, sampling);
  ppi_wire_put_i64(&remote->out, (int64_t)count);
  for (size_t i = 0; i < count; i++) {
    ppi_put_request(&remote->out, &requests[i]);
    ppi_put_state(&remote->out, sampling, i);
  }
  status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s, error);
  return status == PERFPRED_OK ? ppi_get_results(&remote->in, results, count, error) : status;
}

static enum perfpred_status put_program(struct ppi_wire *wire, const struct perfpred_program *program,
                                        struct perfpred_error *error) {
  char *text = NULL;
  enum perfpred_status status = perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, error);
  if (status == PERFPRED_OK)
    ppi_wire_put_string(wire, text);
  perfpred_free(text);
  return status;
}

static enum perfpred_status put_execution(struct ppi_wire *wire, const struct ppi_execution *execution,
                                          struct perfpred_error *error) {
  enum perfpred_status status = put_program(wire, execution->program, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_put_i64(wire, (int64_t)execution->count);
  for (size_t i = 0; i < execution->count; i++)
    ppi_wire_put_i64(wire, execution->parameters[i]);
  return PERFPRED_OK;
}

static enum perfpred_status execute(struct perfpred_sampler *sampler, const struct ppi_execution *executions,
                                    size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                    struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  enum perfpred_status status = prepare(remote, NULL, executions, count, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_EXECUTE);
  ppi_put_sampling(&remote->out, sampling);
  ppi_wire_put_i64(&remote->out, (int64_t)count);
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++)
    status = put_execution(&remote->out, &executions[i], error);
  if (status == PERFPRED_OK)
    status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s, error);
  return status == PERFPRED_OK ? ppi_get_results(&remote->in, results, count, error) : status;
}

static enum perfpred_status windows(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                    const struct ppi_window *list, size_t count, const struct ppi_sampling *sampling,
                                    struct ppi_result *results, struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  const struct ppi_execution execution = { program, NULL, 0 };
  struct ppi_calls calls;
  enum perfpred_status status = ppi_calls_of(program, &calls, error);
  if (status != PERFPRED_OK)
    return status;
  size_t parts = calls.count;
  ppi_calls_free(&calls);
  status = prepare(remote, NULL, &execution, 1, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_WINDOWS);
  ppi_put_sampling(&remote->out, sampling);
  ppi_wire_put_i64(&remote->out, (int64_t)count);
  status = put_program(&remote->out, program, error);
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++)
    ppi_put_window(&remote->out, &list[i], program->parameter_count);
  if (status == PERFPRED_OK)
    status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s, error);
  return status == PERFPRED_OK ? ppi_get_results(&remote->in, results, count * parts, error) : status;
}

static enum perfpred_status calls(struct perfpred_sampler *sampler, const struct ppi_execution *execution, size_t count,
                                  const struct ppi_sampling *sampling, struct ppi_result *results,
                                  struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  enum perfpred_status status = prepare(remote, NULL, execution, 1, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_CALLS);
  ppi_put_sampling(&remote->out, sampling);
  ppi_wire_put_i64(&remote->out, 1);
  status = put_execution(&remote->out, execution, error);
  ppi_wire_put_i64(&remote->out, (int64_t)count);
  if (status == PERFPRED_OK)
    status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s, error);
  return status == PERFPRED_OK ? ppi_get_results(&remote->in, results, count, error) : status;
}

static enum perfpred_status caches(struct perfpred_sampler *sampler, double limit_s, struct ppi_curve *curve,
                                   struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  struct ppi_curve told;
  enum perfpred_status status = ppi_remote_ready(remote, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_CACHES);
  ppi_wire_put_f64(&remote->out, limit_s);
  status = ppi_remote_ask(remote, NULL, fmax(MEASURE_S, remote->plan.timeout_s), error);
  if (status != PERFPRED_OK)
    return status;
  ppi_get_curve(&remote->in, &told);
  if (remote->in.bad)
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': its curve of latencies cannot be read",
                         remote->plan.worker);
  *curve = told;
  return PERFPRED_OK;
}

/* The worker reads the text again: what it has to know for that are the kernels. One that died is replaced at the next unit. */
static enum perfpred_status introduce_script(struct ppi_remote *remote, const struct ppi_script *script,
                                             struct perfpred_error *error) {
  enum perfpred_status status = ppi_remote_ready(remote, error);
  for (size_t i = 0; i < script->call_count && status == PERFPRED_OK; i++)
    status = ppi_remote_introduce(remote, script->calls[i].kernel, error);
  return status;
}

static enum perfpred_status prepare_script(struct ppi_remote *remote, const struct ppi_script *script,
                                           struct perfpred_error *error) {
  struct perfpred_error trial = { .status = PERFPRED_OK };
  enum perfpred_status status = introduce_script(remote, script, &trial);
  if (status == PERFPRED_EXISTS) { /* another context's */
    ppi_remote_process_stop(&remote->process, 0.0, NULL, 0);
    ppi_error_clear(&trial);
    status = introduce_script(remote, script, &trial);
  }
  return status == PERFPRED_OK ? status : ppi_error_set(error, status, "%s", trial.text);
}

/* number -1: no unit, the names of events alone. */
static enum perfpred_status ask_script(struct ppi_remote *remote, const struct ppi_script *script, int64_t number,
                                       const struct ppi_sampling *sampling, struct perfpred_error *error) {
  enum perfpred_status status = prepare_script(remote, script, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_SCRIPT);
  ppi_put_sampling(&remote->out, sampling);
  ppi_wire_put_string(&remote->out, script->source);
  ppi_wire_put_bytes(&remote->out, script->text, script->length);
  ppi_wire_put_i64(&remote->out, number);
  remote->script = number >= 0 ? script : NULL;
  remote->unit = number >= 0 ? (size_t)number : 0;
  status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s, error);
  remote->script = NULL;
  return status;
}

static enum perfpred_status unit(void *data, const struct ppi_script *script, size_t number,
                                 const struct ppi_sampling *sampling, struct ppi_unit_result *result,
                                 struct perfpred_error *error) {
  struct ppi_remote *remote = data;
  enum perfpred_status status = ask_script(remote, script, (int64_t)number, sampling, error);
  return status == PERFPRED_OK ? ppi_get_unit(&remote->in, result, error) : status;
}

/* A name that no machine has is better told before than after an hour of measuring. */
static enum perfpred_status script(struct perfpred_sampler *sampler, const struct ppi_script *text,
                                   const struct ppi_sampling *sampling, struct ppi_outcome *outcomes,
                                   struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  enum perfpred_status status = PERFPRED_OK;
  if (text->event_count > 0)
    status = ask_script(remote, text, -1, sampling, error);
  return status == PERFPRED_OK ? ppi_script_run(text, sampling, unit, remote, outcomes, error) : status;
}

static enum perfpred_status apex(struct perfpred_sampler *sampler, const struct ppi_apex_batch *batch,
                                 const struct ppi_sampling *sampling, struct ppi_apex_report *report,
                                 struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  enum perfpred_status status = ppi_remote_ready(remote, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_APEX);
  ppi_put_sampling(&remote->out, sampling);
  ppi_wire_put_i64(&remote->out, (int64_t)batch->count);
  ppi_put_apex_batch(&remote->out, batch);
  status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s, error);
  return status == PERFPRED_OK ? ppi_get_apex_report(&remote->in, report, batch->count, error) : status;
}

static enum perfpred_status introduce_tours(struct ppi_remote *remote, const struct ppi_tour_batch *batch,
                                            struct perfpred_error *error) {
  enum perfpred_status status = ppi_remote_ready(remote, error);
  for (size_t i = 0; i < batch->tour_count && status == PERFPRED_OK; i++) {
    status = ppi_remote_introduce(remote, batch->tours[i].kernel, error);
    if (status == PERFPRED_OK && batch->tours[i].copier != NULL)
      status = ppi_remote_introduce(remote, batch->tours[i].copier, error);
  }
  return status;
}

static enum perfpred_status tour(struct perfpred_sampler *sampler, const struct ppi_tour_batch *batch,
                                 const struct ppi_sampling *sampling, struct ppi_tour_result *results,
                                 struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  struct perfpred_error trial = { .status = PERFPRED_OK };
  enum perfpred_status status = ppi_tour_check(batch, error);
  if (status != PERFPRED_OK || batch->request_count == 0)
    return status;
  status = introduce_tours(remote, batch, &trial);
  if (status == PERFPRED_EXISTS) { /* another context's */
    ppi_remote_process_stop(&remote->process, 0.0, NULL, 0);
    ppi_error_clear(&trial);
    status = introduce_tours(remote, batch, &trial);
  }
  if (status != PERFPRED_OK)
    return ppi_error_set(error, status, "%s", trial.text);
  ppi_wire_start(&remote->out, PPI_MESSAGE_TOUR);
  ppi_put_sampling(&remote->out, sampling);
  ppi_wire_put_i64(&remote->out, (int64_t)batch->request_count);
  ppi_put_tour_batch(&remote->out, batch);
  status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s, error);
  return status == PERFPRED_OK ? ppi_get_tour_results(&remote->in, results, batch->request_count, error) : status;
}

static enum perfpred_status take_samples(struct ppi_remote *remote, struct ppi_watch_sample **samples, size_t *count,
                                         struct perfpred_error *error) {
  size_t length = 0;
  const void *bytes = ppi_wire_get_bytes(&remote->in, &length);
  if (remote->in.bad || length % sizeof **samples != 0)
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': its samples cannot be read", remote->plan.worker);
  struct ppi_watch_sample *taken = malloc(length + 1);
  if (!taken)
    return ppi_error_memory(error);
  if (length > 0)
    memcpy(taken, bytes, length);
  *samples = taken;
  *count = length / sizeof *taken;
  return PERFPRED_OK;
}

static enum perfpred_status watch(struct perfpred_sampler *sampler, const struct ppi_watch *asked,
                                  const struct ppi_sampling *sampling, struct ppi_watch_sample **samples, size_t *count,
                                  struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  enum perfpred_status status = ppi_remote_ready(remote, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_WATCH);
  ppi_put_watch(&remote->out, asked);
  status = ppi_remote_ask(remote, sampling, remote->plan.timeout_s + asked->interval_s, error);
  return status == PERFPRED_OK ? take_samples(remote, samples, count, error) : status;
}

static enum perfpred_status describe(struct perfpred_sampler *sampler, double rates_s, struct ppi_machine *machine,
                                     struct ppi_setup *setup, struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  struct ppi_machine told;
  struct ppi_setup told_setup;
  enum perfpred_status status = ppi_remote_ready(remote, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_DESCRIBE);
  ppi_wire_put_f64(&remote->out, rates_s);
  status = ppi_remote_ask(remote, NULL, fmax(MEASURE_S, remote->plan.timeout_s), error);
  if (status != PERFPRED_OK)
    return status;
  ppi_get_machine(&remote->in, &told);
  ppi_get_setup(&remote->in, &told_setup);
  if (remote->in.bad)
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': its description cannot be read", remote->plan.worker);
  *machine = told;
  *setup = told_setup;
  return PERFPRED_OK;
}

static enum perfpred_status take_solution(struct ppi_remote *remote, double *a, size_t a_count, double *b,
                                          size_t b_count, int *rank, struct perfpred_error *error) {
  size_t a_length = 0, b_length = 0;
  int64_t found = ppi_wire_get_i64(&remote->in);
  const void *a_new = ppi_wire_get_bytes(&remote->in, &a_length);
  const void *b_new = ppi_wire_get_bytes(&remote->in, &b_length);
  if (remote->in.bad || a_length != a_count * sizeof *a || b_length != b_count * sizeof *b)
    return ppi_error_set(error, PERFPRED_WORKER, "worker '%s': its solution cannot be read", remote->plan.worker);
  memcpy(a, a_new, a_length);
  memcpy(b, b_new, b_length);
  *rank = (int)found;
  return PERFPRED_OK;
}

static enum perfpred_status least_squares(struct perfpred_sampler *sampler, int m, int n, int nrhs, double *a,
                                          double *b, int *rank, struct perfpred_error *error) {
  struct ppi_remote *remote = remote_of(sampler);
  if (m < 1 || n < 1 || nrhs < 1)
    return ppi_error_set(error, PERFPRED_INVALID, "least squares of %d x %d, %d right-hand sides: expected at least 1",
                         m, n, nrhs);
  size_t a_count = (size_t)m * (size_t)n, b_count = (size_t)(m > n ? m : n) * (size_t)nrhs;
  if (a_count > PPI_WIRE_LIMIT / sizeof *a || b_count > PPI_WIRE_LIMIT / sizeof *b - a_count - 16)
    return ppi_error_set(error, PERFPRED_LIMIT, "least squares of %d x %d, %d right-hand sides: too large", m, n, nrhs);
  enum perfpred_status status = ppi_remote_ready(remote, error);
  if (status != PERFPRED_OK)
    return status;
  ppi_wire_start(&remote->out, PPI_MESSAGE_LEAST_SQUARES);
  ppi_wire_put_i64(&remote->out, m);
  ppi_wire_put_i64(&remote->out, n);
  ppi_wire_put_i64(&remote->out, nrhs);
  ppi_wire_put_bytes(&remote->out, a, a_count * sizeof *a);
  ppi_wire_put_bytes(&remote->out, b, b_count * sizeof *b);
  status = ppi_remote_ask(remote, NULL, remote->plan.timeout_s, error);
  return status == PERFPRED_OK ? take_solution(remote, a, a_count, b, b_count, rank, error) : status;
}

static void destroy(struct perfpred_sampler *sampler) {
  struct ppi_remote *remote = remote_of(sampler);
  if (ppi_remote_process_alive(&remote->process)) {
    ppi_wire_start(&remote->out, PPI_MESSAGE_QUIT);
    (void)ppi_wire_send(remote->process.requests, &remote->out, FAREWELL_S, NULL);
  }
  ppi_remote_process_stop(&remote->process, FAREWELL_S, NULL, 0);
  ppi_remote_forget(remote);
  free(remote->programs);
  free(remote->kernels);
  ppi_wire_free(&remote->in);
  ppi_wire_free(&remote->out);
  ppi_remote_plan_free(&remote->plan);
  free(remote);
}

static const struct ppi_sampler_ops remote_ops = { .sample = sample,
                                                   .execute = execute,
                                                   .windows = windows,
                                                   .calls = calls,
                                                   .caches = caches,
                                                   .script = script,
                                                   .apex = apex,
                                                   .tour = tour,
                                                   .watch = watch,
                                                   .describe = describe,
                                                   .least_squares = least_squares,
                                                   .destroy = destroy };

enum perfpred_status perfpred_sampler_create_worker(const struct perfpred_context *context,
                                                    const struct perfpred_setup *setup,
                                                    struct perfpred_sampler **sampler, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context)
    return ppi_error_set(error, PERFPRED_INVALID, "context is NULL, expected a context");
  if (!sampler)
    return ppi_error_set(error, PERFPRED_INVALID, "sampler is NULL, expected a place for the sampler");
  struct ppi_remote *remote = calloc(1, sizeof *remote);
  if (!remote)
    return ppi_error_memory(error);
  remote->base.ops = &remote_ops;
  remote->process = (struct ppi_remote_process)PPI_REMOTE_PROCESS_INIT;
  enum perfpred_status status = ppi_remote_plan_create(setup, &remote->plan, error);
  if (status == PERFPRED_OK)
    status = ppi_remote_ready(remote, error);
  if (status == PERFPRED_OK)
    *sampler = &remote->base;
  else
    destroy(&remote->base);
  return status;
}
