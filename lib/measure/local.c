/* SPDX-License-Identifier: BSD-3-Clause */
/* A sampler that calls kernels in this process, at the addresses that they are bound to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/chase.h"
#include "machine/cpus.h"
#include "measure/core.h"

struct local {
  struct perfpred_sampler base;
  struct ppi_core *core;
  perfpred_dgelsy_fn *dgelsy;
  struct ppi_machine machine;
};

static enum perfpred_status local_sample(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                         size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                         struct perfpred_error *error) {
  return ppi_core_sample(((struct local *)sampler)->core, requests, count, sampling, results, error);
}

static enum perfpred_status local_execute(struct perfpred_sampler *sampler, const struct ppi_execution *executions,
                                          size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                          struct perfpred_error *error) {
  return ppi_core_execute(((struct local *)sampler)->core, executions, count, sampling, results, error);
}

static enum perfpred_status local_windows(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                          const struct ppi_window *windows, size_t count,
                                          const struct ppi_sampling *sampling, struct ppi_result *results,
                                          struct perfpred_error *error) {
  return ppi_core_windows(((struct local *)sampler)->core, program, windows, count, sampling, results, error);
}

static enum perfpred_status local_calls(struct perfpred_sampler *sampler, const struct ppi_execution *execution,
                                        size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                        struct perfpred_error *error) {
  return ppi_core_calls(((struct local *)sampler)->core, execution, count, sampling, results, error);
}

static enum perfpred_status local_caches(struct perfpred_sampler *sampler, double limit_s, struct ppi_curve *curve,
                                         struct perfpred_error *error) {
  return ppi_chase_measure(&((struct local *)sampler)->machine, limit_s, curve, error);
}

struct local_run {
  struct ppi_core *core;
  struct ppi_buffers buffers;
};

static enum perfpred_status local_unit(void *data, const struct ppi_script *script, size_t unit,
                                       const struct ppi_sampling *sampling, struct ppi_unit_result *result,
                                       struct perfpred_error *error) {
  struct local_run *run = data;
  return ppi_core_unit(run->core, script, unit, &run->buffers, sampling, result, error);
}

static enum perfpred_status local_script(struct perfpred_sampler *sampler, const struct ppi_script *script,
                                         const struct ppi_sampling *sampling, struct ppi_outcome *outcomes,
                                         struct perfpred_error *error) {
  struct local_run run = { .core = ((struct local *)sampler)->core };
  enum perfpred_status status = ppi_script_run(script, sampling, local_unit, &run, outcomes, error);
  ppi_buffers_free(&run.buffers);
  return status;
}

static enum perfpred_status local_apex(struct perfpred_sampler *sampler, const struct ppi_apex_batch *batch,
                                       const struct ppi_sampling *sampling, struct ppi_apex_report *report,
                                       struct perfpred_error *error) {
  return ppi_core_apex(((struct local *)sampler)->core, batch, sampling, report, error);
}

static enum perfpred_status local_tour(struct perfpred_sampler *sampler, const struct ppi_tour_batch *batch,
                                       const struct ppi_sampling *sampling, struct ppi_tour_result *results,
                                       struct perfpred_error *error) {
  return ppi_core_tour(((struct local *)sampler)->core, batch, sampling, results, error);
}

static enum perfpred_status local_describe(struct perfpred_sampler *sampler, double rates_s,
                                           struct ppi_machine *machine, struct ppi_setup *setup,
                                           struct perfpred_error *error) {
  (void)error;
  struct local *local = (struct local *)sampler;
  if (rates_s > 0.0 && local->machine.bandwidth_bytes_per_s <= 0.0)
    ppi_machine_measure(&local->machine, rates_s);
  memset(setup, 0, sizeof *setup);
  ppi_core_describe(local->core, rates_s >= 0.0, &local->machine, setup);
  snprintf(setup->blas.family, sizeof setup->blas.family, "local");
  snprintf(setup->lapack.family, sizeof setup->lapack.family, "local");
  setup->threads = 1;
  ppi_cpus_allowed(setup->cpus, sizeof setup->cpus);
  setup->pinned = ppi_cpus_pinned();
  *machine = local->machine;
  return PERFPRED_OK;
}

static enum perfpred_status local_least_squares(struct perfpred_sampler *sampler, int m, int n, int nrhs, double *a,
                                                double *b, int *rank, struct perfpred_error *error) {
  return ppi_least_squares(((struct local *)sampler)->dgelsy, m, n, nrhs, a, b, rank, error);
}

static void local_destroy(struct perfpred_sampler *sampler) {
  struct local *local = (struct local *)sampler;
  ppi_core_destroy(local->core);
  free(local);
}

static const struct ppi_sampler_ops local_ops = { .sample = local_sample,
                                                  .execute = local_execute,
                                                  .windows = local_windows,
                                                  .calls = local_calls,
                                                  .caches = local_caches,
                                                  .script = local_script,
                                                  .apex = local_apex,
                                                  .tour = local_tour,
                                                  .describe = local_describe,
                                                  .least_squares = local_least_squares,
                                                  .destroy = local_destroy };

enum perfpred_status perfpred_sampler_create_local(const struct perfpred_context *context,
                                                   perfpred_dgelsy_fn *least_squares, struct perfpred_sampler **sampler,
                                                   struct perfpred_error *error) {
  ppi_error_clear(error);
  if (context == NULL || sampler == NULL)
    return ppi_error_set(error, PERFPRED_INVALID, "perfpred_sampler_create_local: %s is NULL, expected a %s",
                         context == NULL ? "context" : "sampler", context == NULL ? "context" : "pointer");
  struct local *local = calloc(1, sizeof *local);
  if (local == NULL)
    return ppi_error_memory(error);
  local->base.ops = &local_ops;
  local->dgelsy = least_squares;
  ppi_machine_here(&local->machine);
  struct ppi_core_options options = { 0 };
  for (int i = 0; i < local->machine.cache_count; i++)
    if (local->machine.caches[i].level == 2)
      options.stream_bytes = local->machine.caches[i].bytes;
  enum perfpred_status status = ppi_core_create(&options, &local->core, error);
  if (status != PERFPRED_OK) {
    free(local);
    return status;
  }
  *sampler = &local->base;
  return PERFPRED_OK;
}
