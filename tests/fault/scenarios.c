/* SPDX-License-Identifier: BSD-3-Clause */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/expr.h"
#include "base/wire.h"
#include "clockwork.h"
#include "fault.h"

static struct perfpred_context *context; /* made once; the scenarios only read it */
static struct perfpred_models *models;   /* of chol-l-3 */
static struct perfpred_program *program; /* chol-l-3 */
static char *whole;                      /* their text */
static char path[] = "perfpred-fault-XXXXXX";

static char sentinel; /* its address stands in out-pointers before a call */
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

/* jansson's own allocations fail as well, but not while it reads: it reports a failed one as a fault of the text. */
static bool jansson_reads;

static void *allocate(size_t size) {
  if (jansson_reads)
    fault_pause();
  void *pointer = malloc(size);
  if (jansson_reads)
    fault_resume();
  return pointer;
}

static void deallocate(void *pointer) {
  free(pointer);
}

/* What a call left in its out-pointer: the result, or NULL after a failure (and a complaint if that wrote it). */
static void *result(enum perfpred_status status, void *pointer, const char *what) {
  if (!status)
    return pointer;
  if (pointer != (void *)&sentinel)
    fault_touched(what);
  return NULL;
}

static enum perfpred_status expression(struct perfpred_error *error) {
  static const char text[] = "n > 1 ? min(n, m + 2, 7)*(n - 1)//2 : max(m, -3)%5";
  static const char *const names[] = { "n", "m" };
  const struct ppi_scope scope = { names, 2, NULL };
  struct ppi_scanner scanner;
  struct ppi_expr *expr = UNTOUCHED(struct ppi_expr);
  ppi_scan_init(&scanner, text, strlen(text), "t", error);
  enum perfpred_status status = ppi_expr_parse(&scanner, &scope, &expr);
  expr = result(status, expr, "expr");
  if (!status) {
    struct ppi_text printed = PPI_TEXT_INIT;
    ppi_expr_print(expr, &scope, false, &printed);
    char *taken = ppi_text_take(&printed);
    status = taken ? PERFPRED_OK : ppi_error_memory(error);
    free(taken);
  }
  ppi_expr_destroy(expr);
  return status;
}

static enum perfpred_status message(struct perfpred_error *error) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, 1);
  for (int i = 0; i < 1000; i++)
    ppi_wire_put_string(&wire, "some text");
  const enum perfpred_status status = wire.bad ? ppi_error_memory(error) : PERFPRED_OK;
  ppi_wire_free(&wire);
  return status;
}

static enum perfpred_status create_context(struct perfpred_error *error) {
  struct perfpred_context *made = UNTOUCHED(struct perfpred_context);
  const enum perfpred_status status = perfpred_context_create(&made, error);
  perfpred_context_destroy(result(status, made, "context"));
  return status;
}

static const char addition[] = "perfpred-text 1\n"
                               "kernel {s,d}fault(uplo: flag L U, n: size, alpha: scalar, a: inout matrix[n, n], lda)\n"
                               "  about a kernel\n  mul n*n\nend\n"
                               "algorithm fault-a(n, b)\n"
                               "  operation fault\n"
                               "  inout A: double matrix[n, n]\n"
                               "  for i in 0:n by b as w\n"
                               "    let r = n - i - w\n"
                               "    if r > 0\n"
                               "      dfault(L, w, 0.5, A[i, i])\n"
                               "    else\n"
                               "      dfault(U, w, -1, A[i, i])\n"
                               "    end\n"
                               "  end\n"
                               "end\n"
                               "algorithm fault-b(n)\n"
                               "  inout A: double matrix[n, n]\n"
                               "  call fault-a(n, 8, A[0, 0])\n"
                               "end\n";

/* All or nothing: what it adds is not there after a failure. */
static enum perfpred_status add_text(struct perfpred_error *error) {
  struct perfpred_context *own = NULL;
  fault_pause();
  enum perfpred_status status = perfpred_context_create(&own, error);
  fault_resume();
  if (status)
    return status;
  const size_t kernels = perfpred_kernel_count(own), programs = perfpred_program_count(own);
  status = perfpred_context_add_text(own, addition, strlen(addition), "addition", error);
  const bool unchanged = perfpred_kernel_count(own) == kernels && perfpred_program_count(own) == programs;
  const bool added = perfpred_kernel_count(own) == kernels + 2 && perfpred_program_count(own) == programs + 2;
  if (status ? !unchanged : !added)
    fault_touched("the context is half changed");
  perfpred_context_destroy(own);
  return status;
}

static const char algorithm[] = "algorithm mine(n, b)\n"
                                "  inout A: double spd triangle(L)[n]\n"
                                "  for i in 0:n by b as w\n"
                                "    dpotrf2(L, w, A[i, i])\n"
                                "    dtrsm(R, L, T, N, n-i-w, w, 1, A[i, i], A[i+w, i])\n"
                                "    dsyrk(L, N, n-i-w, w, -1, A[i+w, i], 1, A[i+w, i+w])\n"
                                "  end\n"
                                "end\n";

static enum perfpred_status parse_program(struct perfpred_error *error) {
  struct perfpred_program *made = UNTOUCHED(struct perfpred_program);
  const enum perfpred_status status =
      perfpred_program_parse(context, algorithm, strlen(algorithm), "mine", &made, error);
  perfpred_program_unref(result(status, made, "program"));
  return status;
}

static enum perfpred_status print_as(enum perfpred_format format, struct perfpred_error *error) {
  char *text = UNTOUCHED(char);
  const enum perfpred_status status = perfpred_program_print(program, format, &text, error);
  perfpred_free(result(status, text, "text"));
  return status;
}

static enum perfpred_status print_text(struct perfpred_error *error) {
  return print_as(PERFPRED_FORMAT_TEXT, error);
}

static enum perfpred_status print_json(struct perfpred_error *error) {
  return print_as(PERFPRED_FORMAT_JSON, error);
}

static enum perfpred_status print_c(struct perfpred_error *error) {
  return print_as(PERFPRED_FORMAT_C, error);
}

static enum perfpred_status unroll(struct perfpred_error *error) {
  static const int64_t values[] = { 64, 16 };
  char *text = UNTOUCHED(char);
  const enum perfpred_status status = perfpred_program_unroll(program, values, 2, NULL, &text, error);
  perfpred_free(result(status, text, "text"));
  return status;
}

static enum perfpred_status print_kernel(struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = NULL;
  char *text = UNTOUCHED(char);
  enum perfpred_status status = perfpred_kernel_find(context, "dtrsm", &kernel, error);
  if (!status) {
    status = perfpred_kernel_print(kernel, &text, error);
    perfpred_free(result(status, text, "text"));
  }
  return status;
}

static enum perfpred_status build(struct perfpred_error *error) {
  struct perfpred_builder *builder = UNTOUCHED(struct perfpred_builder);
  enum perfpred_status status = perfpred_builder_create(context, "built", &builder, error);
  builder = result(status, builder, "builder");
  if (status)
    return status;
  perfpred_builder_parameter(builder, "n", NULL);
  perfpred_builder_parameter(builder, "b", NULL);
  perfpred_builder_buffer(builder, "inout A: double spd triangle(L)[n]", NULL);
  perfpred_builder_loop(builder, "i in 0:n by b as w", NULL);
  perfpred_builder_call(builder, "dpotrf2(L, w, A[i, i])", NULL);
  perfpred_builder_statement(builder, "let r = n - i - w", NULL);
  perfpred_builder_call(builder, "dtrsm(R, L, T, N, r, w, 1, A[i, i], A[i+w, i])", NULL);
  perfpred_builder_end(builder, NULL);
  struct perfpred_program *made = UNTOUCHED(struct perfpred_program);
  status = perfpred_builder_finish(builder, &made, error);
  perfpred_program_unref(result(status, made, "program"));
  return status;
}

static enum perfpred_status create_sampler(struct perfpred_error *error) {
  struct perfpred_sampler *sampler = UNTOUCHED(struct perfpred_sampler);
  enum perfpred_status status =
      perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  sampler = result(status, sampler, "sampler");
  if (!status) {
    char *json = UNTOUCHED(char);
    status = perfpred_sampler_describe(sampler, &json, error);
    perfpred_free(result(status, json, "json"));
  }
  perfpred_sampler_destroy(sampler);
  return status;
}

static enum perfpred_status create_local_sampler(struct perfpred_error *error) {
  struct perfpred_sampler *sampler = UNTOUCHED(struct perfpred_sampler);
  const enum perfpred_status status = perfpred_sampler_create_local(context, clockwork_dgelsy, &sampler, error);
  perfpred_sampler_destroy(result(status, sampler, "sampler"));
  return status;
}

static enum perfpred_status generate(struct perfpred_error *error) {
  struct perfpred_models *made = UNTOUCHED(struct perfpred_models);
  const enum perfpred_status status = clockwork_models(context, "chol-l-3", &made, error);
  perfpred_models_unref(result(status, made, "models"));
  return status;
}

/* Models of calls in the steps of the algorithm and of calls alone, as text and back, and a plan with both. */
static enum perfpred_status generate_steps(struct perfpred_error *error) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_load_options load = PERFPRED_LOAD_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_models *made = UNTOUCHED(struct perfpred_models), *loaded = UNTOUCHED(struct perfpred_models);
  struct perfpred_plan *plan = UNTOUCHED(struct perfpred_plan);
  char *json = NULL;
  options.n_upper = 96;
  options.b_upper = 32;
  options.repetitions = 1;
  options.contexts = PERFPRED_CONTEXTS_BESIDE;
  options.keep_samples = 1;
  load.force = 1;
  enum perfpred_status status =
      perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  if (status)
    return status;
  status = perfpred_generate(context, sampler, list, 1, &options, &made, NULL, error);
  perfpred_sampler_destroy(sampler);
  made = result(status, made, "models");
  if (!status)
    status = perfpred_models_print(made, &json, error);
  if (!status) {
    jansson_reads = true;
    status = perfpred_models_load_memory(context, json, strlen(json), "steps", &load, &loaded, error);
    jansson_reads = false;
    loaded = result(status, loaded, "loaded models");
  } else {
    loaded = NULL;
  }
  if (!status) {
    status = perfpred_plan_create(program, loaded, NULL, &plan, error);
    perfpred_plan_destroy(result(status, plan, "plan"));
  }
  perfpred_free(json);
  perfpred_models_unref(loaded);
  perfpred_models_unref(made);
  return status;
}

static enum perfpred_status print_models(struct perfpred_error *error) {
  char *json = UNTOUCHED(char);
  const enum perfpred_status status = perfpred_models_print(models, &json, error);
  json = result(status, json, "json");
  if (json && strcmp(json, whole) != 0)
    fault_touched("the text is not whole");
  perfpred_free(json);
  return status;
}

static void write_file(const char *text) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    fault_touched("the disk");
}

static bool file_holds(const char *text) {
  const size_t length = strlen(text);
  char *there = calloc(length + 2, 1);
  FILE *file = fopen(path, "r");
  const bool same = file && there && fread(there, 1, length + 1, file) == length && memcmp(there, text, length) == 0;
  if (file)
    fclose(file);
  free(there);
  return same;
}

/* The file is the old one or the new one, whatever fails. */
static enum perfpred_status save_models(struct perfpred_error *error) {
  fault_pause();
  write_file("old");
  fault_resume();
  const enum perfpred_status status = perfpred_models_save(models, path, error);
  fault_pause();
  if (!file_holds(status ? "old" : whole))
    fault_touched(status ? "the file is changed" : "the file is not whole");
  fault_resume();
  return status;
}

static enum perfpred_status load_models(struct perfpred_error *error) {
  struct perfpred_load_options options = PERFPRED_LOAD_OPTIONS_INIT;
  struct perfpred_models *made = UNTOUCHED(struct perfpred_models);
  options.force = 1; /* the virtual clock is a machine of its own */
  jansson_reads = true;
  const enum perfpred_status status = perfpred_models_load(context, path, &options, &made, error);
  jansson_reads = false;
  perfpred_models_unref(result(status, made, "models"));
  return status;
}

static enum perfpred_status create_plan(struct perfpred_error *error) {
  struct perfpred_plan *plan = UNTOUCHED(struct perfpred_plan);
  const enum perfpred_status status = perfpred_plan_create(program, models, NULL, &plan, error);
  perfpred_plan_destroy(result(status, plan, "plan"));
  return status;
}

static enum perfpred_status tell_cache(struct perfpred_cache *cache, struct perfpred_error *error) {
  char *json = UNTOUCHED(char);
  const enum perfpred_status status = perfpred_cache_report(cache, &json, error);
  perfpred_free(result(status, json, "json"));
  char *text = UNTOUCHED(char);
  const enum perfpred_status printed = status ? status : perfpred_cache_script(cache, NULL, &text, error);
  if (!status)
    perfpred_free(result(printed, text, "text"));
  perfpred_cache_destroy(cache);
  return printed;
}

static enum perfpred_status analyze_cache(struct perfpred_error *error) {
  static const int64_t values[] = { 64, 16 };
  struct perfpred_cache_options options = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_cache *cache = UNTOUCHED(struct perfpred_cache);
  options.level_count = 1;
  options.level_bytes[0] = 4096;
  options.first = PERFPRED_CACHE_REPEATED;
  enum perfpred_status status = perfpred_cache_create(program, values, 2, &options, &cache, error);
  cache = result(status, cache, "cache");
  return status ? status : tell_cache(cache, error);
}

/* The analysis is released. */
static enum perfpred_status fit_cache(struct perfpred_cache *cache, struct perfpred_error *error) {
  double times_s[64];
  const struct perfpred_cache *const caches[] = { cache };
  const double *const measured_s[] = { times_s };
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  struct perfpred_cache_options fitted = PERFPRED_CACHE_OPTIONS_INIT;
  for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++)
    times_s[i] = 1e-5;
  enum perfpred_status status = perfpred_cache_summary(cache, &info, error);
  if (!status && info.calls <= sizeof times_s / sizeof times_s[0])
    status = perfpred_cache_fit(caches, measured_s, 1, &fitted, error);
  if (status ? fitted.alpha > 0.0 : !(fitted.weights[0] > 0.0))
    fault_touched("fit");
  perfpred_cache_destroy(cache);
  return status;
}

/* A plan that blends, an analysis of its own, and a fit to it. */
static enum perfpred_status blend(struct perfpred_error *error) {
  static const int64_t values[] = { 48, 16 };
  struct perfpred_cache_options cache_options = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan = UNTOUCHED(struct perfpred_plan);
  struct perfpred_cache *cache = UNTOUCHED(struct perfpred_cache);
  cache_options.level_count = 1;
  cache_options.level_bytes[0] = 4096;
  options.cache = &cache_options;
  enum perfpred_status status = perfpred_plan_create(program, models, &options, &plan, error);
  plan = result(status, plan, "plan");
  if (!status)
    status = perfpred_plan_predict(plan, values, 2, &prediction, error);
  if (!status) {
    status = perfpred_plan_cache(plan, values, 2, &cache_options, &cache, error);
    cache = result(status, cache, "cache");
    status = status ? status : fit_cache(cache, error);
  }
  perfpred_plan_destroy(plan);
  return status;
}

/* Two plans of one program: a tie. */
static enum perfpred_status rank(struct perfpred_error *error) {
  static const int64_t values[] = { 64, 16 };
  struct perfpred_plan *first = NULL, *second = NULL;
  struct perfpred_ranked ranking[2] = { { .plan = 77 }, { .plan = 77 } };
  enum perfpred_status status = perfpred_plan_create(program, models, NULL, &first, error);
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &second, error);
  const struct perfpred_plan *const plans[] = { first, second };
  if (!status) {
    status = perfpred_rank(plans, 2, values, 2, NULL, ranking, error);
    if (status ? ranking[0].plan != 77 || ranking[1].plan != 77 : ranking[0].plan + ranking[1].plan != 1)
      fault_touched("ranking");
  }
  perfpred_plan_destroy(second);
  perfpred_plan_destroy(first);
  return status;
}

static enum perfpred_status measure(struct perfpred_error *error) {
  static const int64_t values[] = { 64, 16 };
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  options.repetitions = 3;
  enum perfpred_status status =
      perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  if (status)
    return status;
  status = perfpred_measure(sampler, program, values, 2, &options, &measurement, error);
  if (status && measurement.repetitions != 0)
    fault_touched("measurement");
  perfpred_sampler_destroy(sampler);
  return status;
}

static enum perfpred_status validate(struct perfpred_error *error) {
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_plan *plan = NULL;
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_validation_point points[2] = { { .parameters = { 64, 16 } }, { .parameters = { 48, 24 } } };
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 3;
  enum perfpred_status status =
      perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &plan, error);
  const struct perfpred_plan *const plans[] = { plan };
  if (!status)
    status = perfpred_validate(plans, 1, sampler, &options, points, 2, &validation, error);
  perfpred_plan_destroy(plan);
  perfpred_sampler_destroy(sampler);
  return status;
}

static enum perfpred_status validate_drift(struct perfpred_drift *made, struct perfpred_plan *plan,
                                           struct perfpred_sampler *sampler, struct perfpred_error *error) {
  const struct perfpred_plan *const plans[] = { plan };
  struct perfpred_validation validation = PERFPRED_VALIDATION_INIT;
  struct perfpred_drift_validation summary = PERFPRED_DRIFT_VALIDATION_INIT;
  struct perfpred_validation_point points[2] = { { .parameters = { 64, 16 } }, { .parameters = { 48, 24 } } };
  struct perfpred_drift_point corrected[2];
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 2;
  return perfpred_drift_validate(made, plans, 1, sampler, &options, points, corrected, 2, &validation, &summary, error);
}

/* Anchors timed again, told, models scaled by them, and a validation beside them. */
static enum perfpred_status drift(struct perfpred_error *error) {
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_plan *plan = NULL;
  struct perfpred_drift *made = UNTOUCHED(struct perfpred_drift);
  struct perfpred_models *scaled = UNTOUCHED(struct perfpred_models);
  struct perfpred_drift_options options = PERFPRED_DRIFT_OPTIONS_INIT;
  char *json = UNTOUCHED(char);
  options.repetitions = 3;
  enum perfpred_status status =
      perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  if (status)
    return status;
  status = perfpred_drift_create(models, &made, error);
  made = result(status, made, "drift");
  if (!status)
    status = perfpred_drift_measure(made, sampler, &options, error);
  if (!status) {
    status = perfpred_drift_report(made, &json, error);
    perfpred_free(result(status, json, "json"));
  }
  if (!status) {
    status = perfpred_drift_apply(made, &scaled, NULL, error);
    perfpred_models_unref(result(status, scaled, "scaled"));
  }
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &plan, error);
  if (!status)
    status = validate_drift(made, plan, sampler, error);
  perfpred_plan_destroy(plan);
  perfpred_drift_destroy(made);
  perfpred_sampler_destroy(sampler);
  return status;
}

static enum perfpred_status validate_kernels(struct perfpred_error *error) {
  static const int64_t values[] = { 64, 16 };
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_plan *plan = NULL;
  struct perfpred_kernel_error items[3] = { { .calls = 77 } };
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  size_t count = 77;
  options.repetitions = 3;
  enum perfpred_status status =
      perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  if (!status)
    status = perfpred_plan_create(program, models, NULL, &plan, error);
  if (!status) {
    status = perfpred_validate_kernels(plan, sampler, &options, values, 2, items, 3, &count, error);
    if (status ? count != 77 || items[0].calls != 77 : count != 3 || items[0].calls != 4)
      fault_touched("items");
  }
  perfpred_plan_destroy(plan);
  perfpred_sampler_destroy(sampler);
  return status;
}

/* What a plan promises: no allocation once it is made. */
static void check_evaluation(struct tap *tap) {
  static const int64_t values[] = { 64, 16 };
  static const struct perfpred_range range = { 8, 32, 8 };
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  struct perfpred_statistics time_s;
  struct perfpred_plan *plan = NULL;
  static const int64_t size[] = { 16 };
  if (perfpred_plan_create(program, models, NULL, &plan, NULL)) {
    tap_case(tap, false, "a plan to evaluate");
    return;
  }
  unsigned long before = fault_allocations();
  enum perfpred_status status = perfpred_plan_predict(plan, values, 2, &prediction, NULL);
  tap_case(tap, !status && fault_allocations() == before, "perfpred_plan_predict allocates nothing");
  struct perfpred_share shares[8];
  size_t share_count = 0;
  before = fault_allocations();
  status = perfpred_plan_shares(plan, values, 2, shares, 8, &share_count, NULL);
  tap_case(tap, !status && share_count > 1 && fault_allocations() == before, "perfpred_plan_shares allocates nothing");
  before = fault_allocations();
  tuning.default_value = 32; /* the usual one is outside the domain, and a message takes memory */
  status = perfpred_plan_tune(plan, 1, &range, values, 2, &tuning, NULL);
  tap_case(tap, !status && fault_allocations() == before, "perfpred_plan_tune allocates nothing");
  before = fault_allocations();
  bool estimated = false;
  for (size_t i = 0; i < perfpred_models_count(models) && !estimated; i++)
    estimated = !(perfpred_models_estimate(models, i, size, 1, &time_s) & PERFPRED_NOTE_ERROR);
  tap_case(tap, estimated && fault_allocations() == before, "perfpred_models_estimate allocates nothing");
  perfpred_plan_destroy(plan);
}

static const struct {
  const char *name;
  fault_scenario *run;
} scenarios[] = {
  { "expression: parse and print", expression },
  { "message to the worker", message },
  { "context: create", create_context },
  { "context: add text", add_text },
  { "program: parse", parse_program },
  { "program: print as text", print_text },
  { "program: print as JSON", print_json },
  { "program: print as C", print_c },
  { "program: unroll", unroll },
  { "program: build", build },
  { "kernel: print", print_kernel },
  { "sampler: virtual, describe", create_sampler },
  { "sampler: local", create_local_sampler },
  { "models: generate", generate },
  { "models: generate in steps", generate_steps },
  { "models: print", print_models },
  { "models: save", save_models },
  { "models: load", load_models },
  { "plan: create", create_plan },
  { "cache: analyze, report", analyze_cache },
  { "plan: blend by what is in the caches", blend },
  { "rank", rank },
  { "measure", measure },
  { "validate", validate },
  { "drift: measure, report, apply, validate", drift },
  { "validate kernel by kernel", validate_kernels },
};

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  json_set_alloc_funcs(allocate, deallocate);
  const int file = mkstemp(path);
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &program, &error);
  if (!status)
    status = clockwork_models(context, "chol-l-3", &models, &error);
  if (!status)
    status = perfpred_models_print(models, &whole, &error);
  if (!status)
    status = perfpred_models_save(models, path, &error);
  tap_case(&tap, file >= 0 && !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0] && !status; i++)
    fault_check(&tap, scenarios[i].name, scenarios[i].run);
  if (!status)
    check_evaluation(&tap);
  perfpred_free(whole);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  if (file >= 0)
    close(file);
  unlink(path);
  return tap_finish(&tap);
}
