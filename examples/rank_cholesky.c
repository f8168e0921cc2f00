/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithm for a Cholesky decomposition is the fastest? Ranks all that the library knows, without running one.
 *
 *   rank_cholesky [N [B [FILE]]]      default: 256 32, and models that are measured on the spot
 *
 * FILE holds models, as `perfpred generate --for chol-l-1,chol-l-2,chol-l-3 -o FILE` writes them. */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 16

/* Returns unless there is an error: an example has nothing better to do than to say so and stop. */
static void check(enum perfpred_status status, const struct perfpred_error *error) {
  if (status == PERFPRED_OK)
    return;
  fprintf(stderr, "rank_cholesky: %s\n", error->text);
  exit(1);
}

static size_t find_algorithms(const struct perfpred_context *context, struct perfpred_program *found[MAX]) {
  struct perfpred_error error;
  size_t count = 0;
  for (size_t i = 0; i < perfpred_program_count(context) && count < MAX; i++) {
    check(perfpred_program_find(context, perfpred_program_name_at(context, i), &found[count], &error), &error);
    if (strcmp(perfpred_program_operation(found[count]), "chol-l") == 0)
      count++;
    else
      perfpred_program_unref(found[count]);
  }
  return count;
}

/* A quick set of models: few samples, no refinement. */
static struct perfpred_models *measure(struct perfpred_context *context, struct perfpred_program **programs,
                                       size_t count, int64_t n, int64_t b) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_sampler *sampler;
  struct perfpred_models *models;
  struct perfpred_error error;
  options.n_upper = n;
  options.b_lower = options.b_upper = b;
  options.repetitions = 5;
  options.oversampling = 1;
  options.error_bound = 1.0;
  check(perfpred_sampler_create_worker(context, NULL, &sampler, &error), &error);
  check(perfpred_generate(context, sampler, (const struct perfpred_program *const *)programs, count, &options, &models,
                          NULL, &error),
        &error);
  perfpred_sampler_destroy(sampler);
  return models;
}

int main(int argc, char **argv) {
  const int64_t values[] = { argc > 1 ? atoll(argv[1]) : 256, argc > 2 ? atoll(argv[2]) : 32 };
  struct perfpred_context *context;
  struct perfpred_program *programs[MAX];
  struct perfpred_models *models;
  struct perfpred_plan *plans[MAX];
  struct perfpred_ranked ranking[MAX];
  struct perfpred_error error;

  check(perfpred_context_create(&context, &error), &error);
  size_t count = find_algorithms(context, programs);
  if (argc > 3)
    check(perfpred_models_load(context, argv[3], NULL, &models, &error), &error);
  else
    models = measure(context, programs, count, values[0], values[1]);
  for (size_t i = 0; i < count; i++)
    check(perfpred_plan_create(programs[i], models, NULL, &plans[i], &error), &error);
  check(perfpred_rank((const struct perfpred_plan *const *)plans, count, values, 2, NULL, ranking, &error), &error);

  printf("Cholesky decomposition, n = %lld, b = %lld\n", (long long)values[0], (long long)values[1]);
  printf("%-12s %12s %10s %6s %11s\n", "algorithm", "median ms", "+- ms", "group", "likelihood");
  for (size_t i = 0; i < count; i++)
    printf("%-12s %12.4f %10.4f %6u %10.1f%%\n", perfpred_program_name(programs[ranking[i].plan]),
           1e3 * ranking[i].time_s.med, 1e3 * ranking[i].time_s.std, ranking[i].group, 100.0 * ranking[i].likelihood);

  for (size_t i = 0; i < count; i++) {
    perfpred_plan_destroy(plans[i]);
    perfpred_program_unref(programs[i]);
  }
  perfpred_models_unref(models);
  perfpred_context_destroy(context);
  return 0;
}
