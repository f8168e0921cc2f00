/* SPDX-License-Identifier: BSD-3-Clause */
/* Timings in and out of algorithms, models of states of the caches and windows without models, on a virtual clock on which the time of a call is
   its flops times a factor of where it stands. */
#include <jansson.h>

#include "world.h"

static struct perfpred_context *context;
static struct perfpred_sampler *sampler;
static struct perfpred_error error;

#define PER_FLOP 1e-10
#define RUNNING 1.3
#define WARM 1.0
#define IN 0.9
#define OUTER 1.2
#define OUT 2.0

static double cost(void *data, const struct perfpred_virtual_call *call) {
  double factor = RUNNING;
  (void)data;
  if (call->state == PERFPRED_STATE_WARM)
    factor = WARM;
  else if (call->state == PERFPRED_STATE_IN)
    factor = IN;
  else if (call->state == PERFPRED_STATE_OUTER)
    factor = OUTER;
  else if (call->state == PERFPRED_STATE_OUT)
    factor = OUT;
  return factor * PER_FLOP * fmax(call->flops, 1.0);
}

static void begin(void) {
  context = make_context();
  sampler = virtual_sampler(context, cost, NULL);
}

static void finish(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
}

TestSuite(timings, .init = begin, .fini = finish);

/* Three steps of dpotrf2, dtrsm, dsyrk; nothing is left below the last one. */
Test(timings, every_call_has_a_time) {
  static const int64_t parameters[] = { 24, 8 };
  struct perfpred_program *program = parse(context, chol_3);
  double times_s[9];
  size_t count = 0;
  cr_assert_ok(perfpred_measure_calls(sampler, program, parameters, 2, NULL, 1, NULL, 0, &count, &error), error);
  cr_assert_eq(count, 9);
  cr_assert_ok(perfpred_measure_calls(sampler, program, parameters, 2, NULL, 1, times_s, 9, &count, &error), error);
  /* dtrsm of 16 x 8: 16 * 8 * 8 flops; dsyrk of 16 by 8: 16 * 17 * 8 */
  cr_expect_float_eq(times_s[1], RUNNING * PER_FLOP * 1024.0, 1e-18);
  cr_expect_float_eq(times_s[2], RUNNING * PER_FLOP * 2176.0, 1e-18);
  for (int i = 0; i < 9; i++)
    cr_expect_eq(isnan(times_s[i]) != 0, i > 6, "call %d", i);
  count = 77;
  cr_expect_eq(perfpred_measure_calls(sampler, program, parameters, 2, NULL, 1, times_s, 8, &count, &error),
               PERFPRED_LIMIT);
  cr_expect_eq(count, 77);
  cr_expect_eq(perfpred_measure_calls(NULL, program, parameters, 2, NULL, 1, times_s, 9, &count, &error),
               PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure_calls(sampler, program, parameters, 2, NULL, 1, NULL, 9, &count, &error),
               PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure_calls(sampler, program, parameters, 1, NULL, 1, times_s, 9, &count, &error),
               PERFPRED_INVALID);
  static const int64_t nothing[] = { 0, 8 };
  cr_expect_eq(perfpred_measure_calls(sampler, program, nothing, 2, NULL, 1, times_s, 9, &count, &error),
               PERFPRED_INVALID);
  perfpred_program_unref(program);
}

/* --- The caching study --------------------------------------------------------------------------------------------- */

static json_t *study(const char *text, const int64_t *parameters, size_t count,
                     const struct perfpred_timings_options *options) {
  struct perfpred_program *program = parse(context, text);
  char *json = NULL;
  cr_assert_ok(perfpred_timings(sampler, program, parameters, count, options, &json, &error), error);
  json_t *report = json_loads(json, 0, NULL);
  cr_assert_not_null(report);
  perfpred_free(json);
  perfpred_program_unref(program);
  return report;
}

static double error_of(const json_t *report, const char *estimate, const char *key) {
  const json_t *errors = json_object_get(report, "errors");
  for (size_t i = 0; i < json_array_size(errors); i++) {
    const json_t *entry = json_array_get(errors, i);
    if (strcmp(json_string_value(json_object_get(entry, "estimate")), estimate) == 0)
      return json_number_value(json_object_get(entry, key));
  }
  return NAN;
}

static double number(const json_t *report, const char *key) {
  cr_assert(json_is_number(json_object_get(report, key)), "%s", key);
  return json_number_value(json_object_get(report, key));
}

static const struct {
  const char *name;
  double factor;
} single[] = { { "repeated", WARM }, { "in", IN }, { "outer", OUTER }, { "out", OUT } };

/* Each state is off by its own factor. In a cache of 1 GiB, in an execution that is repeated, everything is in it; in one of a line nothing,
   but what the call itself has touched last. */
Test(timings, states_and_blends_have_their_errors) {
  static const int64_t parameters[] = { 96, 16 };
  struct perfpred_cache_options cache = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_timings_options options = PERFPRED_TIMINGS_OPTIONS_INIT;
  cache.level_count = 1;
  cache.level_bytes[0] = (int64_t)1 << 30;
  cache.first = PERFPRED_CACHE_TOTAL;
  options.cache = &cache;
  options.detail = 1;
  json_t *report = study(chol_3, parameters, 2, &options);
  cr_expect_eq(number(report, "calls"), 18);
  cr_expect_eq(number(report, "empty"), 2);
  cr_expect_eq(number(report, "copies"), 0);
  cr_expect_eq(number(report, "different"), 11); /* one dpotrf2, and five of each of the others */
  cr_expect_eq(json_array_size(json_object_get(report, "list")), 16);
  cr_expect_eq(json_array_size(json_object_get(report, "kernels")), 3);
  for (int i = 0; i < 4; i++) {
    double wanted = single[i].factor / RUNNING - 1.0, mean = fabs(wanted);
    if (i == 1) { /* in: six dpotrf2 of 16 * 17 * 33 / 6 flops, to which nothing is an input alone, are as warm */
      mean = (6.0 * (1.0 - WARM / RUNNING) + 10.0 * (1.0 - IN / RUNNING)) / 16.0;
      wanted = (8976.0 * WARM + 290560.0 * IN) / (299536.0 * RUNNING) - 1.0;
    }
    cr_expect_float_eq(error_of(report, single[i].name, "mean_are"), mean, 1e-9);
    cr_expect_float_eq(error_of(report, single[i].name, "total_re"), wanted, 1e-9);
    cr_expect_float_eq(error_of(report, single[i].name, "mean_are_with_copies"), mean, 1e-9);
  }
  const double inside = error_of(report, "in", "mean_are");
  cr_expect_float_eq(error_of(report, "initial", "mean_are"), inside, 1e-9);
  cr_expect_float_eq(error_of(report, "split", "mean_are"), inside, 1e-9);
  cr_expect_leq(error_of(report, "fitted", "mean_are"), error_of(report, "smoothed", "mean_are") + 1e-12);
  json_decref(report);
  cache.level_bytes[0] = 64;
  cache.first = PERFPRED_CACHE_COLD;
  options.detail = 0;
  report = study(chol_3, parameters, 2, &options);
  cr_expect_null(json_object_get(report, "list"));
  cr_expect_float_eq(error_of(report, "initial", "mean_are"), OUT / RUNNING - 1.0, 1e-9);
  json_decref(report);
}

static const char copying[] = "perfpred-text 1\n"
                              "algorithm copying(n, b)\n"
                              "  inout A: double matrix[n, n]\n"
                              "  inout B: double matrix[n, n]\n"
                              "  for i in 0:n by b as w\n"
                              "    dcopy(n, A[0, i], B[0, i])\n"
                              "    dgemm(N, N, n, w, n, 1, A[0, 0], A[0, i], 1, B[0, i])\n"
                              "  end\n"
                              "end\n";

/* What has no flops is left out, and the average is told with it as well: here all errors are the same. */
Test(timings, copies_are_told_apart) {
  static const int64_t parameters[] = { 40, 8 };
  struct perfpred_program *program = parse(context, copying);
  double times_s[10];
  size_t count = 0;
  cr_assert_ok(perfpred_measure_calls(sampler, program, parameters, 2, NULL, 0, times_s, 10, &count, &error), error);
  for (int i = 0; i < 10; i++)
    cr_expect_eq(isnan(times_s[i]) != 0, i % 2 == 0, "call %d", i);
  struct perfpred_cache *cache = NULL;
  cr_assert_ok(perfpred_cache_create(program, parameters, 2, NULL, &cache, &error), error);
  for (size_t i = 0; i < 10; i++) {
    struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
    cr_assert_ok(perfpred_cache_call_at(cache, i, &call, &error), error);
    cr_expect_eq(call.copies, i % 2 == 0, "call %zu", i);
  }
  perfpred_cache_destroy(cache);
  perfpred_program_unref(program);
  json_t *report = study(copying, parameters, 2, NULL);
  cr_expect_eq(number(report, "copies"), 5);
  cr_expect_eq(number(report, "calls"), 10);
  cr_expect_float_eq(error_of(report, "repeated", "mean_are"), 1.0 - WARM / RUNNING, 1e-9);
  cr_expect_float_eq(error_of(report, "repeated", "mean_are_with_copies"), 1.0 - WARM / RUNNING, 1e-9);
  json_decref(report);
}

Test(timings, what_a_study_refuses) {
  static const int64_t parameters[] = { 24, 8 };
  struct perfpred_timings_options options = PERFPRED_TIMINGS_OPTIONS_INIT;
  struct perfpred_cache_options cache = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_program *program = parse(context, chol_3);
  char *json = NULL;
  cr_expect_eq(perfpred_timings(NULL, program, parameters, 2, NULL, &json, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_timings(sampler, NULL, parameters, 2, NULL, &json, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_timings(sampler, program, NULL, 2, NULL, &json, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_timings(sampler, program, parameters, 2, NULL, NULL, &error), PERFPRED_INVALID);
  options.repetitions = -1;
  cr_expect_eq(perfpred_timings(sampler, program, parameters, 2, &options, &json, &error), PERFPRED_INVALID);
  options.repetitions = 0;
  options.cache = &cache;
  cache.level_count = 2;
  cache.level_bytes[0] = 4096;
  cache.level_bytes[1] = 2048;
  cr_expect_eq(perfpred_timings(sampler, program, parameters, 2, &options, &json, &error), PERFPRED_INVALID);
  cache.size = 1;
  cr_expect_eq(perfpred_timings(sampler, program, parameters, 2, &options, &json, &error), PERFPRED_INVALID);
  options.size = 1;
  cr_expect_eq(perfpred_timings(sampler, program, parameters, 2, &options, &json, &error), PERFPRED_INVALID);
  cr_expect_null(json);
  perfpred_program_unref(program);
}

Test(timings, a_virtual_clock_has_no_caches) {
  struct perfpred_level level;
  size_t count = 77;
  cr_expect_eq(perfpred_measure_caches(sampler, 0.0, &level, 1, &count, NULL, &error), PERFPRED_UNSUPPORTED);
  cr_expect_eq(perfpred_measure_caches(NULL, 0.0, &level, 1, &count, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure_caches(sampler, -1.0, &level, 1, &count, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_measure_caches(sampler, 0.0, NULL, 1, &count, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(count, 77);
}

/* What is found on this machine is its own affair; that it is told in order is not. */
Test(timings, caches_of_this_machine) {
  struct perfpred_sampler *local = NULL;
  struct perfpred_level levels[8];
  size_t count = 0;
  char *json = NULL;
  cr_assert_ok(perfpred_sampler_create_local(context, NULL, &local, &error), error);
  cr_assert_ok(perfpred_measure_caches(local, 0.02, levels, 8, &count, &json, &error), error);
  cr_assert(count >= 1 && count <= 8);
  cr_expect_eq(levels[count - 1].bytes, 0);
  for (size_t i = 0; i + 1 < count; i++)
    cr_expect(levels[i].bytes > (i > 0 ? levels[i - 1].bytes : 0) && levels[i].latency_s < levels[i + 1].latency_s);
  json_t *report = json_loads(json, 0, NULL);
  cr_expect_eq(json_array_size(json_object_get(report, "levels")), count);
  cr_expect_geq(json_array_size(json_object_get(report, "curve")), 1);
  json_decref(report);
  perfpred_free(json);
  perfpred_sampler_destroy(local);
}

/* --- Models of states ---------------------------------------------------------------------------------------------- */

static struct perfpred_models *generate(unsigned states, struct perfpred_program *program) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_models *models = NULL;
  options.n_upper = 128;
  options.b_upper = 64;
  options.repetitions = 2;
  options.states = states;
  options.keep_samples = 1;
  cr_assert_ok(perfpred_generate(context, sampler, list, 1, &options, &models, NULL, &error), error);
  return models;
}

/* Estimates of dsyrk(n = 96, k = 32), 96 * 97 * 32 flops, by state. */
static void expect_states(const struct perfpred_models *models) {
  static const struct {
    const char *context;
    double factor;
  } states[] = { { "", WARM }, { "cache:in", IN }, { "cache:out", OUT } };
  static const int64_t sizes[] = { 96, 32 };
  int found[3] = { 0 };
  for (size_t i = 0; i < perfpred_models_count(models); i++) {
    struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
    cr_assert_ok(perfpred_models_info(models, i, &info, &error), error);
    for (int s = 0; s < 3 && strcmp(info.kernel, "dsyrk") == 0; s++) {
      struct perfpred_statistics time_s;
      if (strcmp(info.context, states[s].context) != 0)
        continue;
      found[s]++;
      cr_expect_str_eq(info.size_names[0], "n");
      cr_expect_eq(perfpred_models_estimate(models, i, sizes, 2, &time_s) & PERFPRED_NOTE_ERROR, 0);
      cr_assert_close(time_s.med, states[s].factor * PER_FLOP * 96.0 * 97.0 * 32.0, 0.01);
    }
  }
  for (int s = 0; s < 3; s++)
    cr_expect_eq(found[s], 1, "%s", states[s].context);
}

/* Three states of three kernels, of which dpotrf2 has no input that is touched in the state `in`, stand side by side, stay so in a file, and are refitted from their samples; predictions are those of the warm
   ones. */
Test(timings, a_file_holds_all_states) {
  static const int64_t parameters[] = { 128, 32 };
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_models *models = generate(PERFPRED_STATE_WARM | PERFPRED_STATE_IN | PERFPRED_STATE_OUT, program);
  struct perfpred_models *loaded = NULL, *refitted = NULL;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  char *json = NULL, *again = NULL;
  double flops = 0.0;
  cr_expect_eq(perfpred_models_count(models), 8);
  expect_states(models);
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  cr_assert_ok(perfpred_models_load_memory(context, json, strlen(json), "text", NULL, &loaded, &error), error);
  expect_states(loaded);
  cr_assert_ok(perfpred_models_print(loaded, &again, &error), error);
  cr_expect_str_eq(json, again);
  cr_assert_ok(perfpred_models_refit(loaded, sampler, NULL, &refitted, NULL, &error), error);
  expect_states(refitted);
  cr_expect_eq(perfpred_models_count(refitted), 8);
  struct perfpred_plan *plan = make_plan(program, loaded);
  cr_assert_ok(perfpred_plan_predict(plan, parameters, 2, &prediction, &error), error);
  flops = prediction.time_s.med / PER_FLOP;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  cr_assert_ok(perfpred_measure(sampler, program, parameters, 2, NULL, &measurement, &error), error);
  cr_assert_close(flops, measurement.time_s.med / RUNNING / PER_FLOP, 0.01);
  perfpred_plan_destroy(plan);
  perfpred_free(again);
  perfpred_free(json);
  perfpred_models_unref(refitted);
  perfpred_models_unref(loaded);
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* A file without warm models gets them later; until then a plan that knows of no caches has nothing to go by. */
Test(timings, states_are_added_to_a_file) {
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_models *cold = generate(PERFPRED_STATE_OUTER, program), *warm = generate(0, program), *both = NULL;
  struct perfpred_plan *plan = NULL;
  cr_expect_eq(perfpred_models_count(cold), 3);
  cr_expect_eq(perfpred_models_count(warm), 3);
  cr_expect_eq(perfpred_plan_create(program, cold, NULL, &plan, &error), PERFPRED_UNMODELLED);
  cr_assert_ok(perfpred_models_merge(warm, cold, NULL, &both, &error), error);
  cr_expect_eq(perfpred_models_count(both), 6);
  cr_assert_ok(perfpred_plan_create(program, both, NULL, &plan, &error), error);
  perfpred_plan_destroy(plan);
  perfpred_models_unref(both);
  perfpred_models_unref(warm);
  perfpred_models_unref(cold);
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  options.states = 1 << 7;
  cr_expect_eq(perfpred_generate(context, sampler, list, 1, &options, &cold, NULL, &error), PERFPRED_INVALID);
  perfpred_program_unref(program);
}

static const char levels_text[] = "\"levels\": [{\"bytes\": %s, \"latency_s\": 1e-9, \"bandwidth_bytes_per_s\": 1e9}, "
                                  "{\"bytes\": %s, \"latency_s\": 5e-8, \"bandwidth_bytes_per_s\": 0}]";

/* The text of models with measured levels put into the machine. */
static enum perfpred_status load_with_levels(const struct perfpred_models *models, const char *first,
                                             const char *second, struct perfpred_models **loaded) {
  char *json = NULL, text[300];
  struct perfpred_error ignored;
  cr_assert_ok(perfpred_models_print(models, &json, &error), error);
  char *at = strstr(json, "\"tsc_hz\"");
  cr_assert_not_null(at);
  char *joined = malloc(strlen(json) + sizeof text + 8);
  snprintf(text, sizeof text, levels_text, first, second);
  sprintf(joined, "%.*s%s, %s", (int)(at - json), json, text, at);
  enum perfpred_status status =
      perfpred_models_load_memory(context, joined, strlen(joined), "text", NULL, loaded, &ignored);
  free(joined);
  perfpred_free(json);
  return status;
}

Test(timings, measured_caches_stay_with_the_models) {
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_models *models = generate(0, program), *loaded = NULL, *merged = NULL;
  char *json = NULL;
  cr_assert_eq(load_with_levels(models, "1048576", "0", &loaded), PERFPRED_OK);
  cr_assert_ok(perfpred_models_merge(loaded, models, NULL, &merged, &error), error);
  cr_assert_ok(perfpred_models_print(merged, &json, &error), error);
  json_t *report = json_loads(json, 0, NULL);
  const json_t *levels = json_object_get(json_object_get(report, "machine"), "levels");
  cr_assert_eq(json_array_size(levels), 2);
  cr_expect_eq(json_integer_value(json_object_get(json_array_get(levels, 0), "bytes")), 1048576);
  json_decref(report);
  perfpred_free(json);
  perfpred_models_unref(merged);
  perfpred_models_unref(loaded);
  cr_expect_eq(load_with_levels(models, "0", "0", &loaded), PERFPRED_CORRUPT, "a cache of nothing");
  cr_expect_eq(load_with_levels(models, "-5", "0", &loaded), PERFPRED_CORRUPT);
  cr_expect_eq(load_with_levels(models, "1048576", "2097152", &loaded), PERFPRED_CORRUPT, "memory is the last one");
  perfpred_models_unref(models);
  perfpred_program_unref(program);
}

/* --- Windows without models ---------------------------------------------------------------------------------------- */

static double measured(struct perfpred_program *program, const int64_t *parameters, size_t count) {
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  cr_assert_ok(perfpred_measure(sampler, program, parameters, count, NULL, &measurement, &error), error);
  return measurement.time_s.med;
}

/* Time is proportional to flops, so what is between the measured steps is exact. n = 300 and b = 24: 13 steps, the last of 12 columns. */
Test(timings, steps_between_measured_ones_follow_their_work) {
  static const int64_t parameters[] = { 300, 24 };
  static const char *const texts[] = { chol_1, chol_2, chol_3, copying };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    for (int mode = PERFPRED_REPLAY_RUN; mode <= PERFPRED_REPLAY_TOUCH; mode++) {
      struct perfpred_program *program = parse(context, texts[i]);
      struct perfpred_replay_options options = PERFPRED_REPLAY_OPTIONS_INIT;
      struct perfpred_replayed replay = PERFPRED_REPLAYED_INIT;
      options.steps = 5;
      options.repetitions = 2;
      options.mode = (enum perfpred_replay_mode)mode;
      double whole = measured(program, parameters, 2);
      cr_assert_ok(perfpred_replay(sampler, program, parameters, 2, &options, &replay, &error), error);
      cr_assert_close(replay.time_s.med, whole,
                      i == 3 ? 1e-6 : 1e-9); /* a copy takes what one flop does, whatever its size */
      cr_expect_eq(replay.steps, 13);
      cr_expect_eq(replay.measured, 5);
      cr_expect_eq(replay.outside, 0);
      cr_expect(replay.measured_share > 0.0 && replay.measured_share < 1.0);
      cr_expect_gt(replay.cost_s, 0.0);
      cr_assert_close(replay.ratio, replay.cost_s / replay.time_s.med, 1e-12);
      perfpred_program_unref(program);
    }
}

/* A call takes a microsecond and what its flops take; one on fewer than 16 columns twenty times as long as that. */
static double narrow_cost(void *data, const struct perfpred_virtual_call *call) {
  double time_s = 1e-6 + PER_FLOP * fmax(call->flops, 1.0);
  (void)data;
  for (size_t i = 0; i < call->size_count; i++)
    if (call->sizes[i] < 16)
      return 20.0 * time_s;
  return time_s;
}

/* n = 644, b = 16: the last of 41 steps has 4 columns. What it takes for a flop is not what the step before it takes, and of calls that become
   small part of the time is no matter of flops. Taken with the step before it by time per flop it would make the first of these algorithms slower by
   more than a third. */
Test(timings, a_narrow_step_is_measured_for_itself) {
  static const int64_t parameters[] = { 644, 16 };
  static const char *const texts[] = { chol_1, chol_2, chol_3 };
  perfpred_sampler_destroy(sampler);
  sampler = virtual_sampler(context, narrow_cost, NULL);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct perfpred_program *program = parse(context, texts[i]);
    struct perfpred_replayed replay = PERFPRED_REPLAYED_INIT;
    const double whole = measured(program, parameters, 2);
    cr_assert_ok(perfpred_replay(sampler, program, parameters, 2, NULL, &replay, &error), error);
    cr_expect_eq(replay.steps, 41);
    cr_expect_eq(replay.measured, 8);
    cr_assert_close(replay.time_s.med, whole, 0.025);
    perfpred_program_unref(program);
  }
}

/* Fewer steps than were to be measured: all are, and nothing is interpolated. */
Test(timings, a_short_loop_is_measured_whole) {
  static const int64_t parameters[] = { 40, 16 };
  struct perfpred_program *program = parse(context, chol_3);
  struct perfpred_replayed replay = PERFPRED_REPLAYED_INIT;
  cr_assert_ok(perfpred_replay(sampler, program, parameters, 2, NULL, &replay, &error), error);
  cr_expect_eq(replay.steps, 3);
  cr_expect_eq(replay.measured, 3);
  cr_assert_close(replay.time_s.med, measured(program, parameters, 2), 1e-9);
  cr_expect_float_eq(replay.measured_share, 1.0, 1e-12);
  perfpred_program_unref(program);
}

/* Outside of the loop calls are alone, and warm: 16^2 * 17 flops of dsyrk once, 8^3 / 3 or so never. */
static const char framed[] = "perfpred-text 1\n"
                             "algorithm framed(n, b)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  dsyrk(L, N, 16, 16, 1, A[0, 0], 1, A[16, 16])\n"
                             "  for i in 0:n by b as w\n"
                             "    dgemm(N, N, n, w, n, 1, A[0, 0], A[0, i], 1, A[0, i])\n"
                             "  end\n"
                             "  dsyrk(L, N, 16, 16, 1, A[0, 0], 1, A[16, 16])\n"
                             "end\n";

Test(timings, calls_outside_of_the_loop_are_measured_alone) {
  static const int64_t parameters[] = { 64, 8 };
  struct perfpred_program *program = parse(context, framed);
  struct perfpred_replayed replay = PERFPRED_REPLAYED_INIT;
  cr_assert_ok(perfpred_replay(sampler, program, parameters, 2, NULL, &replay, &error), error);
  cr_expect_eq(replay.outside, 2);
  cr_assert_close(replay.outside_s, 2.0 * WARM * PER_FLOP * 16.0 * 17.0 * 16.0, 1e-9);
  cr_assert_close(replay.time_s.med - replay.outside_s, RUNNING * PER_FLOP * 2.0 * 64.0 * 64.0 * 64.0, 1e-9);
  perfpred_program_unref(program);
}

static const char loopless[] = "perfpred-text 1\n"
                               "algorithm loopless(n)\n"
                               "  inout A: double spd triangle(L)[n]\n"
                               "  dpotrf2(L, n, A[0, 0])\n"
                               "end\n";
static const char twice[] = "perfpred-text 1\n"
                            "algorithm twice(n, b)\n"
                            "  inout A: double spd triangle(L)[n]\n"
                            "  for i in 0:n by b as w\n"
                            "    dpotrf2(L, w, A[i, i])\n"
                            "  end\n"
                            "  for i in 0:n by b as w\n"
                            "    dpotrf2(L, w, A[i, i])\n"
                            "  end\n"
                            "end\n";

Test(timings, what_a_replay_refuses) {
  static const int64_t parameters[] = { 64, 8 };
  struct perfpred_replay_options options = PERFPRED_REPLAY_OPTIONS_INIT;
  struct perfpred_replayed replay = PERFPRED_REPLAYED_INIT;
  struct perfpred_program *program = parse(context, loopless);
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 1, NULL, &replay, &error), PERFPRED_UNSUPPORTED);
  perfpred_program_unref(program);
  program = parse(context, twice);
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 2, NULL, &replay, &error), PERFPRED_UNSUPPORTED);
  perfpred_program_unref(program);
  program = parse(context, chol_3);
  cr_expect_eq(perfpred_replay(NULL, program, parameters, 2, NULL, &replay, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_replay(sampler, NULL, parameters, 2, NULL, &replay, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_replay(sampler, program, NULL, 2, NULL, &replay, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 2, NULL, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 1, NULL, &replay, &error), PERFPRED_INVALID);
  options.steps = 1;
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 2, &options, &replay, &error), PERFPRED_INVALID);
  options.steps = 4;
  options.mode = (enum perfpred_replay_mode)2;
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 2, &options, &replay, &error), PERFPRED_INVALID);
  options.mode = PERFPRED_REPLAY_RUN;
  options.budget_s = -1.0;
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 2, &options, &replay, &error), PERFPRED_INVALID);
  replay.size = 4;
  cr_expect_eq(perfpred_replay(sampler, program, parameters, 2, NULL, &replay, &error), PERFPRED_INVALID);
  cr_expect_eq(replay.steps, 0);
  static const int64_t nothing[] = { 0, 8 };
  replay.size = sizeof replay;
  cr_expect_eq(perfpred_replay(sampler, program, nothing, 2, NULL, &replay, &error), PERFPRED_UNSUPPORTED);
  perfpred_program_unref(program);
}
