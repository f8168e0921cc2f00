/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/protocol.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void ppi_page_enter(struct ppi_worker_page *page, const char *call) {
  size_t length = strnlen(call, sizeof page->call - 1);
  memcpy(page->call, call, length);
  page->call[length] = '\0';
  atomic_fetch_add(&page->beat, 1);
}

void ppi_page_leave(struct ppi_worker_page *page) {
  page->call[0] = '\0';
  atomic_fetch_add(&page->beat, 1);
}

uint64_t ppi_page_beats(const struct ppi_worker_page *page) {
  uint64_t sum = atomic_load(&page->beat);
  for (int i = 0; i < PPI_LANE_MARKS; i++)
    sum += atomic_load_explicit(&page->marks[i].beats, memory_order_relaxed);
  return sum;
}

/* A received string in an array, cut where it is too long. */
static void get_text(struct ppi_wire *wire, char *text, size_t size) {
  const char *string = ppi_wire_get_string(wire);
  size_t length = strnlen(string, size - 1);
  memcpy(text, string, length);
  text[length] = '\0';
}

static int get_int(struct ppi_wire *wire) {
  int64_t value = ppi_wire_get_i64(wire);
  if (value < INT32_MIN || value > INT32_MAX) {
    wire->bad = true;
    return 0;
  }
  return (int)value;
}

void ppi_put_error(struct ppi_wire *wire, enum perfpred_status status, const struct perfpred_error *error) {
  ppi_wire_put_i64(wire, (int64_t)status);
  ppi_wire_put_i64(wire, error->line);
  ppi_wire_put_i64(wire, error->column);
  ppi_wire_put_string(wire, error->text);
}

enum perfpred_status ppi_get_error(struct ppi_wire *wire, struct perfpred_error *error) {
  enum perfpred_status status = (enum perfpred_status)get_int(wire);
  int line = get_int(wire), column = get_int(wire);
  const char *text = ppi_wire_get_string(wire);
  if (wire->bad || status == PERFPRED_OK || strcmp(perfpred_status_name(status), "UNKNOWN") == 0)
    return ppi_error_set(error, PERFPRED_WORKER, "the worker reported a failure that cannot be read");
  ppi_error_set(error, status, "%s", text[0] ? text : perfpred_status_text(status));
  if (error && error->status == status && error->line == 0) {
    error->line = line;
    error->column = column;
  }
  return status;
}

void ppi_put_progress(struct ppi_wire *wire, const struct perfpred_progress *progress) {
  ppi_wire_put_string(wire, progress->stage);
  ppi_wire_put_f64(wire, progress->fraction);
  ppi_wire_put_f64(wire, progress->elapsed_s);
  ppi_wire_put_f64(wire, progress->remaining_s);
  ppi_wire_put_i64(wire, (int64_t)progress->samples);
}

void ppi_get_progress(struct ppi_wire *wire, struct perfpred_progress *progress) {
  progress->size = sizeof *progress;
  progress->stage = ppi_wire_get_string(wire);
  progress->fraction = ppi_wire_get_f64(wire);
  progress->elapsed_s = ppi_wire_get_f64(wire);
  progress->remaining_s = ppi_wire_get_f64(wire);
  progress->samples = (uint64_t)ppi_wire_get_i64(wire);
}

void ppi_put_sampling(struct ppi_wire *wire, const struct ppi_sampling *sampling) {
  ppi_wire_put_i64(wire, sampling->repetitions);
  ppi_wire_put_f64(wire, sampling->gate);
  ppi_wire_put_f64(wire, sampling->budget_s);
  ppi_wire_put_i64(wire, (int64_t)sampling->seed);
  ppi_wire_put_i64(wire, sampling->ld);
  ppi_wire_put_i64(wire, sampling->partial);
  ppi_wire_put_f64(wire, sampling->stable);
  ppi_wire_put_i64(wire, sampling->repetitions_max);
  ppi_wire_put_i64(wire, sampling->detailed);
  ppi_wire_put_i64(wire, sampling->touched);
}

void ppi_get_sampling(struct ppi_wire *wire, struct ppi_sampling *sampling) {
  sampling->repetitions = get_int(wire);
  sampling->gate = ppi_wire_get_f64(wire);
  sampling->budget_s = ppi_wire_get_f64(wire);
  sampling->seed = (uint64_t)ppi_wire_get_i64(wire);
  sampling->ld = ppi_wire_get_i64(wire);
  sampling->partial = ppi_wire_get_i64(wire) != 0;
  sampling->stable = ppi_wire_get_f64(wire);
  sampling->repetitions_max = get_int(wire);
  sampling->detailed = ppi_wire_get_i64(wire) != 0;
  sampling->touched = ppi_wire_get_i64(wire) != 0;
  sampling->spots = NULL;
  sampling->states = NULL;
  sampling->progress = NULL;
  sampling->progress_data = NULL;
}

void ppi_put_request(struct ppi_wire *wire, const struct ppi_request *request) {
  ppi_wire_put_string(wire, request->kernel->name);
  ppi_wire_put_i64(wire, request->ld);
  ppi_wire_put_i64(wire, request->kernel->arg_count);
  for (int i = 0; i < request->kernel->arg_count; i++) {
    ppi_wire_put_i64(wire, request->values[i].i);
    ppi_wire_put_f64(wire, request->values[i].re);
    ppi_wire_put_f64(wire, request->values[i].im);
    ppi_wire_put_i64(wire, request->values[i].by_row);
  }
}

const char *ppi_get_request(struct ppi_wire *wire, struct ppi_value *values, int *value_count, int64_t *ld) {
  const char *name = ppi_wire_get_string(wire);
  *ld = ppi_wire_get_i64(wire);
  *value_count = get_int(wire);
  if (*value_count < 0 || *value_count > PPI_ARG_MAX) {
    wire->bad = true;
    *value_count = 0;
  }
  for (int i = 0; i < *value_count; i++) {
    values[i] = (struct ppi_value){ .i = ppi_wire_get_i64(wire), .buffer = -1 };
    values[i].re = ppi_wire_get_f64(wire);
    values[i].im = ppi_wire_get_f64(wire);
    values[i].by_row = ppi_wire_get_i64(wire) != 0; /* increments other than 1 */
  }
  return name;
}

void ppi_put_state(struct ppi_wire *wire, const struct ppi_sampling *sampling, size_t request) {
  ppi_wire_put_i64(wire, sampling->states != NULL ? (int64_t)sampling->states[request] : PERFPRED_STATE_WARM);
}

enum perfpred_cache_state ppi_get_state(struct ppi_wire *wire) {
  int state = get_int(wire);
  if (state != PERFPRED_STATE_WARM && state != PERFPRED_STATE_IN && state != PERFPRED_STATE_OUTER &&
      state != PERFPRED_STATE_OUT) {
    wire->bad = true;
    return PERFPRED_STATE_WARM;
  }
  return (enum perfpred_cache_state)state;
}

void ppi_put_window(struct ppi_wire *wire, const struct ppi_window *window, int parameter_count) {
  for (int i = 0; i < parameter_count; i++)
    ppi_wire_put_i64(wire, window->parameters[i]);
  ppi_wire_put_i64(wire, window->lead.start);
  ppi_wire_put_i64(wire, window->lead.width);
  ppi_wire_put_i64(wire, window->step.start);
  ppi_wire_put_i64(wire, window->step.width);
  ppi_wire_put_i64(wire, window->reach);
}

void ppi_get_window(struct ppi_wire *wire, struct ppi_window *window, int64_t *parameters, int parameter_count) {
  for (int i = 0; i < parameter_count; i++)
    parameters[i] = ppi_wire_get_i64(wire);
  window->parameters = parameters;
  window->lead.start = ppi_wire_get_i64(wire);
  window->lead.width = ppi_wire_get_i64(wire);
  window->step.start = ppi_wire_get_i64(wire);
  window->step.width = ppi_wire_get_i64(wire);
  window->reach = ppi_wire_get_i64(wire);
  if (window->reach < 0)
    wire->bad = true;
}

static void put_sample(struct ppi_wire *wire, const struct ppi_sample *sample) {
  ppi_wire_put_f64(wire, sample->wall_s);
  ppi_wire_put_f64(wire, sample->cpu_s);
  ppi_wire_put_f64(wire, sample->before_s);
  ppi_wire_put_f64(wire, sample->after_s);
  ppi_wire_put_i64(wire, sample->preempted);
  ppi_wire_put_i64(wire, sample->passed);
  ppi_wire_put_f64(wire, sample->run_s);
}

static void get_sample(struct ppi_wire *wire, struct ppi_sample *sample) {
  sample->wall_s = ppi_wire_get_f64(wire);
  sample->cpu_s = ppi_wire_get_f64(wire);
  sample->before_s = ppi_wire_get_f64(wire);
  sample->after_s = ppi_wire_get_f64(wire);
  sample->preempted = ppi_wire_get_i64(wire) != 0;
  sample->passed = ppi_wire_get_i64(wire) != 0;
  sample->run_s = ppi_wire_get_f64(wire);
}

static void put_spent(struct ppi_wire *wire, const struct ppi_spent *spent) {
  ppi_wire_put_f64(wire, spent->kept_s);
  ppi_wire_put_f64(wire, spent->rejected_s);
  ppi_wire_put_f64(wire, spent->spare_s);
  ppi_wire_put_f64(wire, spent->yardstick_s);
  ppi_wire_put_f64(wire, spent->restore_s);
}

static void get_spent(struct ppi_wire *wire, struct ppi_spent *spent) {
  spent->kept_s = ppi_wire_get_f64(wire);
  spent->rejected_s = ppi_wire_get_f64(wire);
  spent->spare_s = ppi_wire_get_f64(wire);
  spent->yardstick_s = ppi_wire_get_f64(wire);
  spent->restore_s = ppi_wire_get_f64(wire);
}

static void put_result(struct ppi_wire *wire, const struct ppi_result *result) {
  ppi_wire_put_bytes(wire, result->times_s, result->count * sizeof *result->times_s);
  ppi_wire_put_f64(wire, result->cpu_s);
  ppi_wire_put_i64(wire, (int64_t)result->disturbed);
  ppi_wire_put_i64(wire, result->gated);
  ppi_wire_put_i64(wire, result->ld);
  ppi_wire_put_f64(wire, result->residual);
  ppi_wire_put_f64(wire, result->measure_s);
  ppi_wire_put_f64(wire, result->first_s);
  put_spent(wire, &result->spent);
  ppi_wire_put_i64(wire, (int64_t)result->sample_count);
  for (size_t i = 0; i < result->sample_count; i++)
    put_sample(wire, &result->samples[i]);
}

/* Each takes more than a byte, so a senseless number is seen before memory is asked for. */
static enum perfpred_status get_samples(struct ppi_wire *wire, struct ppi_result *result,
                                        struct perfpred_error *error) {
  int64_t count = ppi_wire_get_i64(wire);
  if (count < 0 || (uint64_t)count > wire->length)
    wire->bad = true;
  if (wire->bad)
    return ppi_error_set(error, PERFPRED_WORKER, "the worker sent a result that cannot be read");
  if (count == 0)
    return PERFPRED_OK;
  result->samples = malloc((size_t)count * sizeof *result->samples);
  if (!result->samples)
    return ppi_error_memory(error);
  result->sample_count = (size_t)count;
  for (int64_t i = 0; i < count; i++)
    get_sample(wire, &result->samples[i]);
  return PERFPRED_OK;
}

static enum perfpred_status get_result(struct ppi_wire *wire, struct ppi_result *result, struct perfpred_error *error) {
  size_t length = 0;
  const void *times = ppi_wire_get_bytes(wire, &length);
  *result = (struct ppi_result){ .cpu_s = ppi_wire_get_f64(wire) };
  result->disturbed = (uint64_t)ppi_wire_get_i64(wire);
  result->gated = ppi_wire_get_i64(wire) != 0;
  result->ld = ppi_wire_get_i64(wire);
  result->residual = ppi_wire_get_f64(wire);
  result->measure_s = ppi_wire_get_f64(wire);
  result->first_s = ppi_wire_get_f64(wire);
  get_spent(wire, &result->spent);
  enum perfpred_status status = get_samples(wire, result, error);
  if (status != PERFPRED_OK) {
    ppi_results_free(result, 1);
    return status;
  }
  if (wire->bad || length % sizeof *result->times_s != 0) {
    ppi_results_free(result, 1);
    return ppi_error_set(error, PERFPRED_WORKER, "the worker sent a result that cannot be read");
  }
  result->times_s = malloc(length + 1); /* no samples is no failure */
  if (!result->times_s) {
    ppi_results_free(result, 1);
    return ppi_error_memory(error);
  }
  result->count = length / sizeof *result->times_s;
  if (length > 0)
    memcpy(result->times_s, times, length);
  return PERFPRED_OK;
}

void ppi_put_results(struct ppi_wire *wire, const struct ppi_result *results, size_t count) {
  ppi_wire_put_i64(wire, (int64_t)count);
  for (size_t i = 0; i < count; i++)
    put_result(wire, &results[i]);
}

enum perfpred_status ppi_get_results(struct ppi_wire *wire, struct ppi_result *results, size_t count,
                                     struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  int64_t sent = ppi_wire_get_i64(wire);
  size_t i;
  if (wire->bad || sent != (int64_t)count)
    return ppi_error_set(error, PERFPRED_WORKER, "the worker sent %lld results, expected %zu", (long long)sent, count);
  for (i = 0; i < count && status == PERFPRED_OK; i++)
    status = get_result(wire, &results[i], error);
  if (status != PERFPRED_OK)
    ppi_results_free(results, i);
  return status;
}

void ppi_put_unit(struct ppi_wire *wire, const struct ppi_unit_result *result) {
  ppi_put_results(wire, &result->timing, 1);
  ppi_wire_put_bytes(wire, result->counts, result->count_count * sizeof *result->counts);
  ppi_wire_put_string(wire, result->note);
  ppi_wire_put_i64(wire, result->threads);
  ppi_wire_put_i64(wire, result->cpu_count);
  for (int i = 0; i < result->cpu_count; i++)
    ppi_wire_put_i64(wire, result->cpus[i]);
}

static void get_cpus(struct ppi_wire *wire, struct ppi_unit_result *result) {
  result->threads = get_int(wire);
  result->cpu_count = get_int(wire);
  if (result->cpu_count < 0 || result->cpu_count > PPI_UNIT_CPUS) {
    wire->bad = true;
    result->cpu_count = 0;
  }
  for (int i = 0; i < result->cpu_count; i++)
    result->cpus[i] = get_int(wire);
}

enum perfpred_status ppi_get_unit(struct ppi_wire *wire, struct ppi_unit_result *result, struct perfpred_error *error) {
  size_t length = 0;
  struct ppi_unit_result made = { 0 };
  enum perfpred_status status = ppi_get_results(wire, &made.timing, 1, error);
  if (status != PERFPRED_OK)
    return status;
  const void *counts = ppi_wire_get_bytes(wire, &length);
  get_text(wire, made.note, sizeof made.note);
  get_cpus(wire, &made);
  made.counts = malloc(length + 1);
  if (made.counts == NULL)
    status = ppi_error_memory(error);
  else if (wire->bad || length % sizeof *made.counts != 0)
    status = ppi_error_set(error, PERFPRED_WORKER, "the worker sent a result that cannot be read");
  if (status != PERFPRED_OK) {
    ppi_unit_result_free(&made);
    return status;
  }
  if (length > 0)
    memcpy(made.counts, counts, length);
  made.count_count = length / sizeof *made.counts;
  *result = made;
  return PERFPRED_OK;
}

void ppi_put_curve(struct ppi_wire *wire, const struct ppi_curve *curve) {
  ppi_wire_put_i64(wire, curve->count);
  for (int i = 0; i < curve->count; i++) {
    ppi_wire_put_i64(wire, curve->points[i].bytes);
    ppi_wire_put_f64(wire, curve->points[i].latency_s);
    ppi_wire_put_f64(wire, curve->points[i].bandwidth_bytes_per_s);
  }
}

void ppi_get_curve(struct ppi_wire *wire, struct ppi_curve *curve) {
  curve->count = get_int(wire);
  if (curve->count < 0 || curve->count > PPI_CURVE_MAX) {
    wire->bad = true;
    curve->count = 0;
  }
  for (int i = 0; i < curve->count; i++) {
    struct ppi_curve_point *point = &curve->points[i];
    point->bytes = ppi_wire_get_i64(wire);
    point->latency_s = ppi_wire_get_f64(wire);
    point->bandwidth_bytes_per_s = ppi_wire_get_f64(wire);
    if (point->bytes <= (i > 0 ? curve->points[i - 1].bytes : 0) || !(point->latency_s > 0.0) ||
        !(point->bandwidth_bytes_per_s >= 0.0))
      wire->bad = true;
  }
}

static void put_cache(struct ppi_wire *wire, const struct ppi_cache *cache) {
  ppi_wire_put_i64(wire, cache->level);
  ppi_wire_put_i64(wire, cache->bytes);
  ppi_wire_put_i64(wire, cache->line_bytes);
  ppi_wire_put_i64(wire, cache->shared_by);
  ppi_wire_put_string(wire, cache->source);
}

static void get_cache(struct ppi_wire *wire, struct ppi_cache *cache) {
  cache->level = get_int(wire);
  cache->bytes = ppi_wire_get_i64(wire);
  cache->line_bytes = ppi_wire_get_i64(wire);
  cache->shared_by = get_int(wire);
  get_text(wire, cache->source, sizeof cache->source);
}

void ppi_put_machine(struct ppi_wire *wire, const struct ppi_machine *machine) {
  ppi_wire_put_string(wire, machine->cpu);
  ppi_wire_put_string(wire, machine->instruction_set);
  ppi_wire_put_i64(wire, machine->cores);
  ppi_wire_put_i64(wire, machine->processing_units);
  ppi_wire_put_i64(wire, machine->cache_count);
  for (int i = 0; i < machine->cache_count; i++)
    put_cache(wire, &machine->caches[i]);
  ppi_wire_put_f64(wire, machine->peak_flops_per_s[0]);
  ppi_wire_put_f64(wire, machine->peak_flops_per_s[1]);
  ppi_wire_put_f64(wire, machine->bandwidth_bytes_per_s);
  ppi_wire_put_i64(wire, machine->counters_available);
  ppi_wire_put_i64(wire, machine->counters_hardware);
  ppi_wire_put_string(wire, machine->counters_names);
  ppi_wire_put_string(wire, machine->counters_note);
  ppi_wire_put_f64(wire, machine->tsc_hz);
}

void ppi_get_machine(struct ppi_wire *wire, struct ppi_machine *machine) {
  memset(machine, 0, sizeof *machine);
  get_text(wire, machine->cpu, sizeof machine->cpu);
  get_text(wire, machine->instruction_set, sizeof machine->instruction_set);
  machine->cores = get_int(wire);
  machine->processing_units = get_int(wire);
  machine->cache_count = get_int(wire);
  if (machine->cache_count < 0 || machine->cache_count > PPI_CACHE_MAX) {
    wire->bad = true;
    machine->cache_count = 0;
  }
  for (int i = 0; i < machine->cache_count; i++)
    get_cache(wire, &machine->caches[i]);
  machine->peak_flops_per_s[0] = ppi_wire_get_f64(wire);
  machine->peak_flops_per_s[1] = ppi_wire_get_f64(wire);
  machine->bandwidth_bytes_per_s = ppi_wire_get_f64(wire);
  machine->counters_available = get_int(wire);
  machine->counters_hardware = get_int(wire);
  get_text(wire, machine->counters_names, sizeof machine->counters_names);
  get_text(wire, machine->counters_note, sizeof machine->counters_note);
  machine->tsc_hz = ppi_wire_get_f64(wire);
}

static void put_library(struct ppi_wire *wire, const struct ppi_library *library) {
  ppi_wire_put_string(wire, library->path);
  ppi_wire_put_string(wire, library->build_id);
  ppi_wire_put_string(wire, library->version);
  ppi_wire_put_string(wire, library->kernels);
  ppi_wire_put_string(wire, library->family);
}

static void get_library(struct ppi_wire *wire, struct ppi_library *library) {
  get_text(wire, library->path, sizeof library->path);
  get_text(wire, library->build_id, sizeof library->build_id);
  get_text(wire, library->version, sizeof library->version);
  get_text(wire, library->kernels, sizeof library->kernels);
  get_text(wire, library->family, sizeof library->family);
}

void ppi_put_setup(struct ppi_wire *wire, const struct ppi_setup *setup) {
  put_library(wire, &setup->blas);
  put_library(wire, &setup->lapack);
  ppi_wire_put_i64(wire, setup->threads);
  ppi_wire_put_i64(wire, setup->ilp64);
  ppi_wire_put_string(wire, setup->clock);
  ppi_wire_put_f64(wire, setup->yardstick_s);
  ppi_wire_put_f64(wire, setup->reference_s);
  ppi_wire_put_string(wire, setup->library);
  ppi_wire_put_i64(wire, setup->protocol);
  ppi_wire_put_string(wire, setup->note);
  ppi_wire_put_string(wire, setup->cpus);
  ppi_wire_put_i64(wire, setup->pinned);
}

void ppi_get_setup(struct ppi_wire *wire, struct ppi_setup *setup) {
  memset(setup, 0, sizeof *setup);
  get_library(wire, &setup->blas);
  get_library(wire, &setup->lapack);
  setup->threads = get_int(wire);
  setup->ilp64 = ppi_wire_get_i64(wire) != 0;
  get_text(wire, setup->clock, sizeof setup->clock);
  setup->yardstick_s = ppi_wire_get_f64(wire);
  setup->reference_s = ppi_wire_get_f64(wire);
  get_text(wire, setup->library, sizeof setup->library);
  setup->protocol = get_int(wire);
  get_text(wire, setup->note, sizeof setup->note);
  get_text(wire, setup->cpus, sizeof setup->cpus);
  setup->pinned = get_int(wire);
}
