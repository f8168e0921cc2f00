/* SPDX-License-Identifier: BSD-3-Clause */
/* NULL for every pointer of every public function that may not have one: a status, a text, no crash. */
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct perfpred_error error;
static const char kernel_text[] = "kernel dmine(n: size, x: inout vector[n], incx)\n  mul n\nend\n";

static void begin(void) {
  context = make_context();
  program = parse(context, chol_3);
}

static void finish(void) {
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(null, .init = begin, .fini = finish);

#define cr_assert_invalid(expression)                                                                                  \
  do {                                                                                                                 \
    cr_assert_eq((expression), PERFPRED_INVALID, "%s gives %s", #expression, perfpred_status_name(error.status));      \
    cr_assert_eq(error.status, PERFPRED_INVALID, "%s records %s", #expression, perfpred_status_name(error.status));    \
    cr_assert(error.text[0], "%s says nothing", #expression);                                                          \
  } while (0)

static int call_me(void *data, void *const args[]) {
  (void)data;
  (void)args;
  return 0;
}

Test(null, status) {
  cr_assert_str_eq(perfpred_status_name((enum perfpred_status)4711), "UNKNOWN");
  cr_assert_not_null(perfpred_status_text((enum perfpred_status) - 1));
  cr_assert_not_null(perfpred_version());
  perfpred_free(NULL);
}

Test(null, run) {
  struct perfpred_run_options options = PERFPRED_RUN_OPTIONS_INIT;
  char **entries = NULL;
  cr_assert_invalid(perfpred_run_environment(NULL, NULL, &error));
  options.size = 3;
  cr_assert_invalid(perfpred_run_environment(&options, &entries, &error));
  options.size = sizeof options;
  options.keep_libraries = 1;
  options.lapack = "liblapack.so.3";
  cr_assert_invalid(perfpred_run_environment(&options, &entries, &error));
  options.lapack = NULL;
  options.override_library = "/nowhere/libperfpred-ilaenv.so";
  cr_assert_eq(perfpred_run_environment(&options, &entries, &error), PERFPRED_MISSING);
  cr_assert_null(entries);
}

Test(null, kernels) {
  const struct perfpred_kernel *kernel = NULL, *dgemm = NULL;
  char *text = NULL;
  double flops = 0.0;
  cr_assert_invalid(perfpred_kernel_find(NULL, "dgemm", &kernel, &error));
  cr_assert_invalid(perfpred_kernel_find(context, NULL, &kernel, &error));
  cr_assert_invalid(perfpred_kernel_find(context, "dgemm", NULL, &error));
  cr_assert_eq(perfpred_kernel_find(context, "", &kernel, &error), PERFPRED_NOT_FOUND);
  cr_assert_null(perfpred_kernel_at(context, perfpred_kernel_count(context)));
  cr_assert_null(perfpred_kernel_at(context, SIZE_MAX));
  cr_assert_ok(perfpred_kernel_find(context, "dgemm", &dgemm, &error), error);
  cr_assert_invalid(perfpred_kernel_print(NULL, &text, &error));
  cr_assert_invalid(perfpred_kernel_print(dgemm, NULL, &error));
  cr_assert_invalid(perfpred_kernel_flops(NULL, "dgemm(N,N,1,1,1,1,0)", &flops, &error));
  cr_assert_invalid(perfpred_kernel_flops(context, NULL, &flops, &error));
  cr_assert_invalid(perfpred_kernel_flops(context, "dgemm(N,N,1,1,1,1,0)", NULL, &error));
  cr_assert_eq(perfpred_kernel_flops(context, "", &flops, &error), PERFPRED_SYNTAX);
  cr_assert_eq(perfpred_kernel_flops(context, "dnothing(1)", &flops, &error), PERFPRED_NOT_FOUND);
}

Test(null, registration) {
  cr_assert_invalid(perfpred_kernel_register(NULL, kernel_text, (perfpred_fortran_fn *)dgelsy_, &error));
  cr_assert_invalid(perfpred_kernel_register(context, NULL, (perfpred_fortran_fn *)dgelsy_, &error));
  cr_assert_invalid(perfpred_kernel_register(context, kernel_text, NULL, &error));
  cr_assert_invalid(perfpred_kernel_register_function(NULL, kernel_text, call_me, NULL, &error));
  cr_assert_invalid(perfpred_kernel_register_function(context, NULL, call_me, NULL, &error));
  cr_assert_invalid(perfpred_kernel_register_function(context, kernel_text, NULL, NULL, &error));
  cr_assert_invalid(perfpred_kernel_bind(NULL, "dgemm", (perfpred_fortran_fn *)dgelsy_, 0, &error));
  cr_assert_invalid(perfpred_kernel_bind(context, NULL, (perfpred_fortran_fn *)dgelsy_, 0, &error));
  cr_assert_invalid(perfpred_kernel_bind(context, "dgemm", NULL, 0, &error));
  cr_assert_eq(perfpred_kernel_bind(context, "dnothing", (perfpred_fortran_fn *)dgelsy_, 0, &error),
               PERFPRED_NOT_FOUND);
}

Test(null, programs) {
  struct perfpred_program *found = NULL;
  char *text = NULL;
  uint64_t calls = 0;
  double flops = 0.0;
  const int64_t values[] = { 100, 10 };
  cr_assert_invalid(perfpred_program_find(NULL, "chol-l-3", &found, &error));
  cr_assert_invalid(perfpred_program_find(context, NULL, &found, &error));
  cr_assert_invalid(perfpred_program_find(context, "chol-l-3", NULL, &error));
  cr_assert_invalid(perfpred_program_parse(NULL, chol_3, sizeof chol_3 - 1, "text", &found, &error));
  cr_assert_invalid(perfpred_program_parse(context, NULL, 1, "text", &found, &error));
  cr_assert_invalid(perfpred_program_parse(context, chol_3, sizeof chol_3 - 1, "text", NULL, &error));
  cr_assert_invalid(perfpred_program_print(NULL, PERFPRED_FORMAT_TEXT, &text, &error));
  cr_assert_invalid(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, NULL, &error));
  cr_assert_invalid(perfpred_program_print(program, (enum perfpred_format)77, &text, &error));
  cr_assert_invalid(perfpred_program_unroll(NULL, values, 2, &calls, &text, &error));
  cr_assert_invalid(perfpred_program_unroll(program, NULL, 2, &calls, &text, &error));
  cr_assert_invalid(perfpred_program_unroll(program, values, 1, &calls, &text, &error));
  cr_assert_invalid(perfpred_program_cost(NULL, values, 2, &flops, &error));
  cr_assert_invalid(perfpred_program_cost(program, NULL, 2, &flops, &error));
  cr_assert_invalid(perfpred_program_cost(program, values, 3, &flops, &error));
  cr_assert_invalid(perfpred_program_cost(program, values, 2, NULL, &error));
  cr_assert_null(perfpred_program_name_at(context, SIZE_MAX));
  cr_assert_null(perfpred_program_operation_at(context, SIZE_MAX));
  cr_assert_null(perfpred_program_operation_at(NULL, 0));
  cr_assert_null(perfpred_program_parameter_name(program, 2));
  cr_assert_eq(perfpred_program_parameter(program, "nothing"), -1);
  perfpred_program_unref(NULL);
}

Test(null, builder) {
  struct perfpred_builder *builder = NULL;
  struct perfpred_program *built = NULL;
  cr_assert_invalid(perfpred_builder_create(NULL, "mine", &builder, &error));
  cr_assert_invalid(perfpred_builder_create(context, NULL, &builder, &error));
  cr_assert_invalid(perfpred_builder_create(context, "mine", NULL, &error));
  cr_assert_invalid(perfpred_builder_parameter(NULL, "n", &error));
  cr_assert_invalid(perfpred_builder_buffer(NULL, "inout A: double matrix[n, n]", &error));
  cr_assert_invalid(perfpred_builder_loop(NULL, "i in 0:n", &error));
  cr_assert_invalid(perfpred_builder_call(NULL, "dpotrf2(L, n, A[0, 0])", &error));
  cr_assert_invalid(perfpred_builder_statement(NULL, "let r = n", &error));
  cr_assert_invalid(perfpred_builder_end(NULL, &error));
  cr_assert_invalid(perfpred_builder_finish(NULL, &built, &error));
  cr_assert_ok(perfpred_builder_create(context, "mine", &builder, &error), error);
  cr_assert_invalid(perfpred_builder_parameter(builder, NULL, &error));
  cr_assert_invalid(perfpred_builder_finish(builder, NULL, &error));
  perfpred_builder_destroy(NULL);
}

Test(null, samplers) {
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  cr_assert_invalid(perfpred_sampler_create_worker(NULL, NULL, &sampler, &error));
  cr_assert_invalid(perfpred_sampler_create_worker(context, NULL, NULL, &error));
  setup.threads = -1;
  cr_assert_invalid(perfpred_sampler_create_worker(context, &setup, &sampler, &error));
  setup = (struct perfpred_setup){ 0 };
  cr_assert_invalid(perfpred_sampler_create_worker(context, &setup, &sampler, &error));
  cr_assert_invalid(perfpred_sampler_create_local(NULL, dgelsy_, &sampler, &error));
  cr_assert_invalid(perfpred_sampler_create_local(context, dgelsy_, NULL, &error));
  cr_assert_invalid(perfpred_sampler_create_virtual(NULL, NULL, NULL, dgelsy_, &sampler, &error));
  cr_assert_invalid(perfpred_sampler_create_virtual(context, NULL, NULL, dgelsy_, &sampler, &error));
  cr_assert_null(sampler);
  perfpred_sampler_destroy(NULL);
}

static double second(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  (void)call;
  return 1.0;
}

Test(null, measure) {
  struct perfpred_sampler *sampler = virtual_sampler(context, second, NULL);
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT, small = { 0 };
  const int64_t values[] = { 100, 10 };
  cr_assert_invalid(perfpred_measure(NULL, program, values, 2, NULL, &measurement, &error));
  cr_assert_invalid(perfpred_measure(sampler, NULL, values, 2, NULL, &measurement, &error));
  cr_assert_invalid(perfpred_measure(sampler, program, NULL, 2, NULL, &measurement, &error));
  cr_assert_invalid(perfpred_measure(sampler, program, values, 1, NULL, &measurement, &error));
  cr_assert_invalid(perfpred_measure(sampler, program, values, 2, NULL, NULL, &error));
  cr_assert_invalid(perfpred_measure(sampler, program, values, 2, NULL, &small, &error));
  cr_assert_invalid(perfpred_measure(sampler, program, (int64_t[]){ -100, 10 }, 2, NULL, &measurement, &error));
  cr_assert_invalid(perfpred_measure(sampler, program, (int64_t[]){ 100, 0 }, 2, NULL, &measurement, &error));
  perfpred_sampler_destroy(sampler);
}

Test(null, models) {
  struct perfpred_models *models = NULL;
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  struct perfpred_statistics time = { 77.0, 77.0, 77.0, 77.0, 77.0 };
  char *json = NULL;
  cr_assert_invalid(perfpred_models_load(NULL, "file", NULL, &models, &error));
  cr_assert_invalid(perfpred_models_load(context, NULL, NULL, &models, &error));
  cr_assert_invalid(perfpred_models_load(context, "file", NULL, NULL, &error));
  cr_assert_invalid(perfpred_models_load_memory(NULL, "{}", 2, "text", NULL, &models, &error));
  cr_assert_invalid(perfpred_models_load_memory(context, NULL, 2, "text", NULL, &models, &error));
  cr_assert_invalid(perfpred_models_load_memory(context, "{}", 2, "text", NULL, NULL, &error));
  cr_assert_eq(perfpred_models_load(context, "/no/such/file", NULL, &models, &error), PERFPRED_MISSING);
  cr_assert_eq(perfpred_models_load_memory(context, "", 0, "text", NULL, &models, &error), PERFPRED_CORRUPT);
  cr_assert_null(models);
  cr_assert_invalid(perfpred_models_print(NULL, &json, &error));
  cr_assert_invalid(perfpred_models_save(NULL, "file", &error));
  cr_assert_invalid(perfpred_models_info(NULL, 0, &info, &error));
  perfpred_models_unref(NULL);
  models = virtual_models(context, &program, 1, NULL, second, NULL);
  cr_assert_invalid(perfpred_models_print(models, NULL, &error));
  cr_assert_invalid(perfpred_models_save(models, NULL, &error));
  cr_assert_invalid(perfpred_models_info(models, 0, NULL, &error));
  info.size = 8;
  cr_assert_invalid(perfpred_models_info(models, 0, &info, &error));
  info.size = sizeof info;
  cr_assert_eq(perfpred_models_info(models, 3, &info, &error), PERFPRED_NOT_FOUND);
  cr_assert_eq(perfpred_models_estimate(models, 99, (int64_t[]){ 8 }, 1, &time), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate(models, 0, (int64_t[]){ 8 }, 7, &time), PERFPRED_NOTE_ERROR);
  double median_s = 77.0;
  cr_assert_eq(perfpred_models_estimate_median(NULL, 0, (int64_t[]){ 8 }, 1, &median_s), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate_median(models, 99, (int64_t[]){ 8 }, 1, &median_s), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate_median(models, 0, (int64_t[]){ 8 }, 7, &median_s), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate_median(models, 0, NULL, 1, &median_s), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate_median(models, 0, (int64_t[]){ 8 }, 1, NULL), PERFPRED_NOTE_ERROR);
  cr_assert_eq(median_s, 77.0);
  cr_assert_eq(time.med, 77.0);
  perfpred_models_unref(models);
}

Test(null, caches) {
  static const int64_t parameters[] = { 32, 8 };
  struct perfpred_cache_options options = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_cache *cache = NULL;
  options.level_count = 1;
  options.level_bytes[0] = 4096;
  cr_assert_invalid(perfpred_cache_create(NULL, parameters, 2, &options, &cache, &error));
  cr_assert_invalid(perfpred_cache_create(program, NULL, 2, &options, &cache, &error));
  cr_assert_invalid(perfpred_cache_create(program, parameters, 2, &options, NULL, &error));
  cr_assert_invalid(perfpred_plan_cache(NULL, parameters, 2, &options, &cache, &error));
  cr_assert_null(cache);
  cr_assert_eq(perfpred_cache_create(program, parameters, 2, &options, &cache, NULL), PERFPRED_OK);
  cr_assert_invalid(perfpred_cache_summary(cache, NULL, &error));
  cr_assert_invalid(perfpred_cache_summary(NULL, &(struct perfpred_cache_info)PERFPRED_CACHE_INFO_INIT, &error));
  cr_assert_invalid(perfpred_cache_call_at(cache, 0, NULL, &error));
  cr_assert_invalid(perfpred_cache_call_at(NULL, 0, &(struct perfpred_cache_call)PERFPRED_CACHE_CALL_INIT, &error));
  cr_assert_invalid(perfpred_cache_operand_at(cache, 0, 0, NULL, &error));
  cr_assert_invalid(
      perfpred_cache_operand_at(NULL, 0, 0, &(struct perfpred_cache_operand)PERFPRED_CACHE_OPERAND_INIT, &error));
  cr_assert_invalid(perfpred_cache_report(cache, NULL, &error));
  cr_assert_invalid(perfpred_cache_script(cache, NULL, NULL, &error));
  cr_assert_invalid(perfpred_cache_compare(cache, NULL, 12, NULL, &error));
  cr_assert_invalid(perfpred_cache_fit((const struct perfpred_cache *const[]){ NULL }, (const double *const[]){ NULL },
                                       1, &options, &error));
  cr_assert_invalid(perfpred_cache_keep(NULL, &options, &error));
  cr_assert_null(perfpred_note_take(NULL));
  perfpred_cache_destroy(cache);
  perfpred_cache_destroy(NULL);
}
