/* SPDX-License-Identifier: BSD-3-Clause */
/* What a library that embeds this one pays: estimates, predictions, searches, plans, loading, contexts. The models are of a
   virtual clock, so that they are the same everywhere. */
#include <math.h>
#include <string.h>

#include "bench.h"

extern perfpred_dgelsy_fn dgelsy_;

struct subjects {
  struct perfpred_context *context;
  struct perfpred_program *program;
  struct perfpred_models *models; /* of several pieces each, as on a real machine */
  struct perfpred_models *smooth; /* of one piece each */
  struct perfpred_plan *plan;
  char *json;
  size_t place; /* of the sub-model of dtrsm among the smooth ones */
};

/* Rates that rise with the smallest size: fits need several pieces. */
static double rising(void *data, const struct perfpred_virtual_call *call) {
  double least = (double)call->sizes[0];
  (void)data;
  for (size_t i = 1; i < call->size_count; i++)
    least = fmin(least, (double)call->sizes[i]);
  return 1e-6 + call->flops / (50e9 * (1.0 - exp(-least / 100.0)));
}

static double polynomial(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-6 + call->flops / 50e9;
}

static struct perfpred_models *generate(const struct subjects *all, perfpred_cost_fn *cost) {
  const struct perfpred_program *list[] = { all->program };
  /* Its pieces have all coefficients of their degrees; the other one's have as many as are of use. */
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_sampler *sampler;
  struct perfpred_models *models;
  struct perfpred_error error;
  options.generator = PERFPRED_GENERATOR_PUBLISHED;
  bench_check(perfpred_sampler_create_virtual(all->context, cost, NULL, dgelsy_, &sampler, &error), &error);
  bench_check(perfpred_generate(all->context, sampler, list, 1, &options, &models, NULL, &error), &error);
  perfpred_sampler_destroy(sampler);
  return models;
}

static void prepare(struct subjects *all) {
  struct perfpred_error error;
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  bench_check(perfpred_context_create(&all->context, &error), &error);
  bench_check(perfpred_program_find(all->context, "chol-l-3", &all->program, &error), &error);
  all->models = generate(all, rising);
  all->smooth = generate(all, polynomial);
  bench_check(perfpred_plan_create(all->program, all->models, NULL, &all->plan, &error), &error);
  bench_check(perfpred_models_print(all->models, &all->json, &error), &error);
  for (all->place = 0; all->place < perfpred_models_count(all->smooth); all->place++) {
    bench_check(perfpred_models_info(all->smooth, all->place, &info, &error), &error);
    if (strcmp(info.kernel, "dtrsm") == 0)
      break;
  }
  printf("# dtrsm: %zu piece of %zu coefficients for each of five statistics\n", info.pieces, info.coefficients);
}

static void estimate(void *data) {
  const struct subjects *all = data;
  struct perfpred_statistics time;
  const int64_t sizes[] = { 500, 100 };
  if (perfpred_models_estimate(all->smooth, all->place, sizes, 2, &time) & PERFPRED_NOTE_ERROR)
    exit(1);
}

static void estimate_median(void *data) {
  const struct subjects *all = data;
  double median_s;
  const int64_t sizes[] = { 500, 100 };
  if (perfpred_models_estimate_median(all->smooth, all->place, sizes, 2, &median_s) & PERFPRED_NOTE_ERROR)
    exit(1);
}

static void predict(void *data) {
  const struct subjects *all = data;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  const int64_t values[] = { 1000, 128 };
  struct perfpred_error error;
  bench_check(perfpred_plan_predict(all->plan, values, 2, &prediction, &error), &error);
}

static void search(void *data) {
  const struct subjects *all = data;
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  const struct perfpred_range range = { 32, 256, 8 };
  const int64_t values[] = { 1000, 0 };
  struct perfpred_error error;
  bench_check(perfpred_plan_tune(all->plan, 1, &range, values, 2, &tuning, &error), &error);
}

static void create_plan(void *data) {
  const struct subjects *all = data;
  struct perfpred_plan *plan;
  struct perfpred_error error;
  bench_check(perfpred_plan_create(all->program, all->models, NULL, &plan, &error), &error);
  perfpred_plan_destroy(plan);
}

static void load(void *data) {
  const struct subjects *all = data;
  struct perfpred_models *models;
  struct perfpred_error error;
  bench_check(perfpred_models_load_memory(all->context, all->json, strlen(all->json), "text", NULL, &models, &error),
              &error);
  perfpred_models_unref(models);
}

static void create_context(void *data) {
  struct perfpred_context *context;
  struct perfpred_error error;
  (void)data;
  bench_check(perfpred_context_create(&context, &error), &error);
  perfpred_context_destroy(context);
}

int main(void) {
  struct subjects all;
  prepare(&all);
  bench_run("kernel estimate (dtrsm)", estimate, &all, 20000);
  bench_run("its median alone", estimate_median, &all, 20000);
  bench_run("prediction (chol-l-3, n=1000, b=128)", predict, &all, 500);
  bench_run("block-size search (n=1000, b=32..256 by 8)", search, &all, 20);
  bench_run("plan creation (chol-l-3)", create_plan, &all, 500);
  bench_run("model load from memory", load, &all, 10);
  bench_run("context creation", create_context, &all, 5);
  printf("# the model text has %zu bytes\n", strlen(all.json));
  perfpred_free(all.json);
  perfpred_plan_destroy(all.plan);
  perfpred_models_unref(all.smooth);
  perfpred_models_unref(all.models);
  perfpred_program_unref(all.program);
  perfpred_context_destroy(all.context);
  return 0;
}
