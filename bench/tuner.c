/* SPDX-License-Identifier: BSD-3-Clause */
/* Decisions at run time: searches, answers of a tuner, batches. The models are of a virtual clock, so that they are the same
   everywhere; dpotrf's reach n = 4096, b = 512, those of the study n = 2104, b = 520. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "bench.h"

extern perfpred_dgelsy_fn dgelsy_;

#define CANDIDATES 64
#define SIZES 65
#define ROUTINES 3
#define SETUPS 2
#define MOST_THREADS 16
#define ASKED 4096 /* sizes of the questions, one after the other */

static const char *const study_names[ROUTINES] = { "dsygst", "dgetrf", "dgeqrf" };
static const char *const tuner_names[] = { "dpotrf" };

struct subjects {
  struct perfpred_context *context;
  struct perfpred_plan *dpotrf;
  struct perfpred_tuner *tuner;
  struct perfpred_plan *study[SETUPS][ROUTINES];
  int64_t configurations[SIZES * CANDIDATES][2];
  double medians_s[SIZES * CANDIDATES];
  int64_t n; /* next question */
  struct perfpred_memo memo;
  int64_t memo_sizes[16];
};

/* Rates that rise with the smallest size: fits need several pieces. */
static double rising(void *data, const struct perfpred_virtual_call *call) {
  const int threads = *(const int *)data;
  double least = (double)call->sizes[0];
  for (size_t i = 1; i < call->size_count; i++)
    least = fmin(least, (double)call->sizes[i]);
  return 1e-6 * threads + call->flops / (50e9 * threads * (1.0 - exp(-least / 100.0)));
}

static struct perfpred_models *generate(const struct subjects *all, const char *const *names, size_t count,
                                        int64_t n_upper, int64_t b_upper, int threads) {
  struct perfpred_program *programs[ROUTINES];
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_sampler *sampler;
  struct perfpred_models *models;
  struct perfpred_error error;
  options.n_upper = n_upper;
  options.b_upper = b_upper;
  options.generator = PERFPRED_GENERATOR_PUBLISHED; /* quick where nothing has to be measured */
  options.error_bound = 0.05;
  options.minimum_width = 256;
  options.repetitions = 2;
  for (size_t i = 0; i < count; i++)
    bench_check(perfpred_program_find(all->context, names[i], &programs[i], &error), &error);
  bench_check(perfpred_sampler_create_virtual(all->context, rising, &threads, dgelsy_, &sampler, &error), &error);
  bench_check(perfpred_generate(all->context, sampler, (const struct perfpred_program *const *)programs, count,
                                &options, &models, NULL, &error),
              &error);
  perfpred_sampler_destroy(sampler);
  for (size_t i = 0; i < count; i++)
    perfpred_program_unref(programs[i]);
  return models;
}

static struct perfpred_plan *plan_of(const struct subjects *all, const char *name, struct perfpred_models *models) {
  struct perfpred_program *program;
  struct perfpred_plan *plan;
  struct perfpred_error error;
  bench_check(perfpred_program_find(all->context, name, &program, &error), &error);
  bench_check(perfpred_plan_create(program, models, NULL, &plan, &error), &error);
  perfpred_program_unref(program);
  return plan;
}

static void describe(const char *what, const struct perfpred_models *models) {
  size_t pieces = 0;
  for (size_t i = 0; i < perfpred_models_count(models); i++) {
    struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
    if (perfpred_models_info(models, i, &info, NULL) == PERFPRED_OK)
      pieces += info.pieces;
  }
  printf("# %s: %zu models of %zu pieces\n", what, perfpred_models_count(models), pieces);
}

static void prepare(struct subjects *all) {
  struct perfpred_tuner_options options = PERFPRED_TUNER_OPTIONS_INIT;
  struct perfpred_error error;
  bench_check(perfpred_context_create(&all->context, &error), &error);
  struct perfpred_models *models = generate(all, tuner_names, 1, 4096, 512, 1);
  describe("dpotrf", models);
  all->dpotrf = plan_of(all, "dpotrf", models);
  options.range = (struct perfpred_range){ 8, 8 * CANDIDATES, 8 };
  options.answers = 2 * ASKED;
  bench_check(perfpred_tuner_create(all->context, models, tuner_names, 1, &options, &all->tuner, &error), &error);
  perfpred_models_unref(models);
  for (int setup = 0; setup < SETUPS; setup++) {
    models = generate(all, study_names, ROUTINES, 2104, 520, setup + 1);
    describe("study", models);
    for (int i = 0; i < ROUTINES; i++)
      all->study[setup][i] = plan_of(all, study_names[i], models);
    perfpred_models_unref(models);
  }
  for (int i = 0; i < SIZES; i++)
    for (int k = 0; k < CANDIDATES; k++) {
      all->configurations[i * CANDIDATES + k][0] = 56 + 32 * i;
      all->configurations[i * CANDIDATES + k][1] = 8 * (k + 1);
    }
}

static void search(void *data) {
  const struct subjects *all = data;
  const struct perfpred_range range = { 8, 8 * CANDIDATES, 8 };
  struct perfpred_tuning tuning = PERFPRED_TUNING_INIT;
  struct perfpred_error error;
  bench_check(perfpred_plan_tune(all->dpotrf, 1, &range, (int64_t[]){ 4000, 0 }, 2, &tuning, &error), &error);
}

/* Every size is asked for once. */
static void ask_cold(void *data) {
  struct subjects *all = data;
  struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
  const int64_t n = 3900 + all->n++ % 190;
  const struct perfpred_error error = { PERFPRED_OK, 0, 0, "a tuner without an answer" };
  bench_check(perfpred_tuner_ask(all->tuner, 0, &n, 1, 0, &answer), &error);
}

/* ASKED sizes, which are kept, again and again. */
static void ask_known(void *data) {
  const struct subjects *all = data;
  int64_t sum = 0;
  for (int64_t n = 1; n <= ASKED; n++)
    sum += perfpred_tuner_block_size(all->tuner, 0, &n, 1, 0, 64);
  if (sum <= 0)
    exit(1);
}

/* MEMO_ASKED sizes out of a memo of the caller's, which are all in it. */
#define MEMO_ASKED 16
static void ask_memo(void *data) {
  struct subjects *all = data;
  int64_t sum = 0;
  for (int i = 0; i < ASKED / MEMO_ASKED; i++)
    for (int k = 0; k < MEMO_ASKED; k++)
      sum += perfpred_memo_block_size(&all->memo, all->memo_sizes[k]);
  if (sum <= 0)
    exit(1);
}

/* Sizes of which no two share a place. */
static void prepare_memo(struct subjects *all) {
  const struct perfpred_memo memo = PERFPRED_MEMO_INIT(all->tuner, 0, 0, 64);
  uint64_t taken = 0;
  int count = 0;
  all->memo = memo;
  for (int64_t n = 100; count < MEMO_ASKED; n += 100) {
    const uint64_t bit = UINT64_C(1) << perfpred_memo_place(0, n);
    if (!(taken & bit))
      all->memo_sizes[count++] = n;
    taken |= bit;
  }
}

static void study(void *data) {
  struct subjects *all = data;
  struct perfpred_error error;
  for (int setup = 0; setup < SETUPS; setup++)
    for (int i = 0; i < ROUTINES; i++)
      bench_check(perfpred_plan_evaluate(all->study[setup][i], &all->configurations[0][0], SIZES * CANDIDATES, 2,
                                         all->medians_s, NULL, NULL, &error),
                  &error);
}

static void batch(void *data) {
  struct subjects *all = data;
  struct perfpred_error error;
  bench_check(perfpred_plan_evaluate(all->study[0][1], all->configurations[30 * CANDIDATES], CANDIDATES, 2,
                                     all->medians_s, NULL, NULL, &error),
              &error);
}

/* --- Threads that share one tuner ---------------------------------------------------------------------------------- */

struct asker {
  struct subjects *all;
  double ns; /* of one question, CPU time of this thread: there are more threads than cores */
};

static double thread_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *ask_many(void *data) {
  struct asker *asker = data;
  const double begin = thread_s();
  for (int i = 0; i < 50; i++)
    ask_known(asker->all);
  asker->ns = 1e9 * (thread_s() - begin) / (50.0 * ASKED);
  return NULL;
}

static void share(struct subjects *all, int count) {
  pthread_t threads[MOST_THREADS];
  struct asker askers[MOST_THREADS];
  double ns[MOST_THREADS];
  char name[64];
  for (int i = 0; i < count; i++) {
    askers[i].all = all;
    if (pthread_create(&threads[i], NULL, ask_many, &askers[i]))
      exit(1);
  }
  for (int i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    ns[i] = askers[i].ns;
  }
  snprintf(name, sizeof name, "a known answer, %d thread%s (CPU time)", count, count == 1 ? "" : "s");
  bench_print(name, ns, (size_t)count);
}

int main(void) {
  static struct subjects all;
  setvbuf(stdout, NULL, _IOLBF, 0);
  prepare(&all);
  bench_run("search (dpotrf, n=4000, 64 block sizes)", search, &all, 20);
  bench_run("answer of a tuner, not known yet", ask_cold, &all, 7);
  ask_known(&all);
  bench_run("4096 known answers of a tuner", ask_known, &all, 20);
  prepare_memo(&all);
  bench_run("4096 known answers out of a memo (memo.h)", ask_memo, &all, 20);
  share(&all, 1);
  share(&all, 2);
  share(&all, MOST_THREADS);
  bench_run("batch of 64 (dgetrf, n=1016)", batch, &all, 50);
  bench_run("study: 3 routines, 65 n, 64 b, 2 threads", study, &all, 1);
  for (int setup = 0; setup < SETUPS; setup++)
    for (int i = 0; i < ROUTINES; i++)
      perfpred_plan_destroy(all.study[setup][i]);
  perfpred_tuner_destroy(all.tuner);
  perfpred_plan_destroy(all.dpotrf);
  perfpred_context_destroy(all.context);
  return 0;
}
