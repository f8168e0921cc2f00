/* SPDX-License-Identifier: BSD-3-Clause */
/* A budget holds for the whole generation, peak and bandwidth of the machine included: on a virtual clock that also runs
   while the rates are measured. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "clockwork.h"
#include "measure/sampler.h"
#include "model/model.h"

#define RATES_S 3.0  /* what they take where nobody limits it */
#define ENOUGH_S 0.3 /* with less there is time for none */

/* A virtual sampler that passes for a real one. */
struct slow {
  struct perfpred_sampler base;
  struct perfpred_sampler *inner;
  double rates_s; /* spent on them so far */
  int asked;      /* how often they were */
};

static enum perfpred_status slow_sample(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                        size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                        struct perfpred_error *error) {
  struct perfpred_sampler *inner = ((struct slow *)sampler)->inner;
  return inner->ops->sample(inner, requests, count, sampling, results, error);
}

static enum perfpred_status slow_describe(struct perfpred_sampler *sampler, double rates_s, struct ppi_machine *machine,
                                          struct ppi_setup *setup, struct perfpred_error *error) {
  struct slow *slow = (struct slow *)sampler;
  enum perfpred_status status = slow->inner->ops->describe(slow->inner, rates_s, machine, setup, error);
  strcpy(setup->clock, "tsc");
  strcpy(setup->blas.family, "other");
  if (rates_s <= 0.0)
    return status;
  slow->asked++;
  slow->rates_s += fmin(rates_s, RATES_S);
  if (rates_s >= ENOUGH_S)
    machine->peak_flops_per_s[0] = machine->peak_flops_per_s[1] = machine->bandwidth_bytes_per_s = 5e9;
  return status;
}

static enum perfpred_status slow_least_squares(struct perfpred_sampler *sampler, int m, int n, int nrhs, double *a,
                                               double *b, int *rank, struct perfpred_error *error) {
  struct perfpred_sampler *inner = ((struct slow *)sampler)->inner;
  return inner->ops->least_squares(inner, m, n, nrhs, a, b, rank, error);
}

static double slow_now(const struct perfpred_sampler *sampler) {
  const struct slow *slow = (const struct slow *)sampler;
  return slow->inner->ops->now_s(slow->inner) + slow->rates_s;
}

static const struct ppi_sampler_ops slow_ops = {
  .sample = slow_sample, .describe = slow_describe, .least_squares = slow_least_squares, .now_s = slow_now
};

/* With *data the budget: the fewest samples take two thirds of it, and all of them more than there is. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const double *budget_s = data;
  return 1e-6 + 0.3e-9 * *budget_s * call->flops;
}

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct slow slow;
static double pace;
static struct perfpred_error error;

static void begin(void) {
  cr_assert_eq(perfpred_context_create(&context, &error), PERFPRED_OK);
  cr_assert_eq(perfpred_program_find(context, "chol-l-3", &program, &error), PERFPRED_OK);
  slow = (struct slow){ .base = { &slow_ops } };
  cr_assert_eq(perfpred_sampler_create_virtual(context, cost, &pace, clockwork_dgelsy, &slow.inner, &error),
               PERFPRED_OK);
}

static void finish(void) {
  perfpred_sampler_destroy(slow.inner);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
}

TestSuite(rates, .init = begin, .fini = finish);

static struct perfpred_models *generate(double budget_s, const struct perfpred_models *known,
                                        struct perfpred_generate_report *report) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_models *models = NULL;
  options.budget_s = pace = budget_s;
  options.known = known;
  options.n_upper = known ? 128 : 1024;
  options.b_upper = known ? 32 : 256;
  cr_assert_eq(perfpred_generate(context, &slow.base, list, 1, &options, &models, report, &error), PERFPRED_OK, "%s",
               error.text);
  return models;
}

Test(rates, holds_for_peak_and_bandwidth_too) {
  static const double budgets[] = { 1.0, 3.0, 10.0 };
  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
    struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
    double begin_s = slow_now(&slow.base), before_s = slow.rates_s;
    struct perfpred_models *models = generate(budgets[i], NULL, &report);
    double took_s = slow_now(&slow.base) - begin_s;
    cr_assert_leq(took_s, 1.1 * budgets[i], "%g s for a budget of %g", took_s, budgets[i]);
    cr_assert_geq(took_s, 0.6 * budgets[i], "%g s for a budget of %g", took_s, budgets[i]);
    cr_assert_float_eq(slow.rates_s - before_s, 0.1 * budgets[i], 1e-9);
    cr_assert_float_eq(report.wall_s, took_s, 1e-9);
    cr_assert_eq(report.rates_known, budgets[i] >= 3.0);
    cr_assert_eq(models->machine.peak_flops_per_s[1], budgets[i] >= 3.0 ? 5e9 : 0.0);
    cr_assert_eq(models->options.budget_s, budgets[i], "the file tells the whole one");
    perfpred_models_unref(models);
  }
}

Test(rates, without_one_rates_take_what_they_take) {
  struct perfpred_generate_options options = clockwork_options();
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  const struct perfpred_program *list[] = { program };
  struct perfpred_models *models = NULL;
  pace = 1.0;
  cr_assert_eq(perfpred_generate(context, &slow.base, list, 1, &options, &models, &report, &error), PERFPRED_OK);
  cr_assert_eq(slow.rates_s, RATES_S);
  cr_assert_eq(models->machine.bandwidth_bytes_per_s, 5e9);
  perfpred_models_unref(models);
}

/* A file that is added to has them already, and all of the budget goes into samples. */
Test(rates, known_rates_are_taken_over) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *known = generate(10.0, NULL, &report);
  cr_assert_eq(slow.asked, 1);
  known->machine.peak_flops_per_s[0] = 7e9;
  struct perfpred_models *models = generate(1.0, known, &report);
  cr_assert_eq(slow.asked, 1);
  cr_assert_eq(models->machine.peak_flops_per_s[0], 7e9);
  cr_assert_eq(report.rates_known, 1);
  perfpred_models_unref(models);
  strcpy(known->machine.cpu, "another one");
  perfpred_models_unref(generate(1.0, known, &report));
  cr_assert_eq(slow.asked, 2);
  cr_assert_eq(report.rates_known, 0);
  perfpred_models_unref(known);
}

/* A report of a release without the last member ends where that one begins. */
Test(rates, a_report_of_a_smaller_size) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  report.size = offsetof(struct perfpred_generate_report, rates_known);
  report.rates_known = 77;
  perfpred_models_unref(generate(5.0, NULL, &report));
  cr_assert_eq(report.rates_known, 77);
  cr_assert_eq(report.models, 3);
}
