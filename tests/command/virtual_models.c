/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a model file of a machine that does not exist: the time of every call follows from its sizes, so that tests know
   what has to come out. usage: virtual_models FILE NAME...
   In the environment: KILL_AFTER=N, kills itself at the Nth call; JOURNAL=1, with a journal; SAMPLES=1, keeps samples;
   TEXT=PATH, kernels and algorithms of a file; KNOWN=1, uses those that FILE has; ANCHORS=1, with anchors; CONTEXTS=1, models of calls in the steps of their algorithm; KILL_AT=unlink or rename, kills itself before it does that to the journal or to FILE. */
#include <perfpred/perfpred.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                    int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);

static int is_to_die(const char *what) {
  const char *at = getenv("KILL_AT");
  return at && strcmp(at, what) == 0;
}

/* These stand in for those of the C library, also where libperfpred calls them. */
int unlink(const char *path) {
  const char *suffix = strrchr(path, '.');
  if (suffix && strcmp(suffix, ".journal") == 0 && is_to_die("unlink"))
    raise(SIGKILL);
  return unlinkat(AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to) {
  if (is_to_die("rename"))
    raise(SIGKILL);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* Repetitions differ by 1 %, so that of ten samples the minimum is 1.00, the median 1.01, the maximum 1.02 times this. */
static double cost(void *data, const struct perfpred_virtual_call *call) {
  const int64_t *size = call->sizes;
  double jitter = 1.0 + 0.01 * (double)(call->repetition % 3);
  double n = (double)size[0];
  long *left = data;
  if (*left > 0 && --*left == 0)
    raise(SIGKILL);
  if (strcmp(call->kernel_name, "dpotrf2") == 0)
    return jitter * (1e-6 + n * n * n / 6e9);
  if (strcmp(call->kernel_name, "dsyrk") == 0)
    return jitter * (1e-6 + n * n * (double)size[1] / 40e9);
  if (strcmp(call->kernel_name, "dtrsm") == 0) { /* side L: m*m*n, side R: m*n*n */
    double order = call->flags[0] == 'L' ? n : (double)size[1];
    return jitter * (1e-6 + order * n * (double)size[1] / 20e9);
  }
  if (strcmp(call->kernel_name, "dgemm") == 0)
    return jitter * (1e-6 + 2.0 * n * (double)size[1] * (double)size[2] / 50e9);
  return jitter * (1e-6 + call->flops / 10e9);
}

static int fail(const char *what, const struct perfpred_error *error) {
  fprintf(stderr, "virtual_models: %s: %s\n", what, error->text);
  return 1;
}

static int generate(struct perfpred_context *context, const char *path, int count, char **names) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_program *programs[8] = { NULL };
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_models *models = NULL, *known = NULL;
  struct perfpred_error error;
  options.generator = getenv("ADAPTIVE") ? PERFPRED_GENERATOR_ADAPTIVE : PERFPRED_GENERATOR_PUBLISHED;
  options.n_lower = 8;
  options.n_upper = 1024;
  options.b_lower = 8;
  options.b_upper = 256;
  char journal[4096];
  const char *kill_after = getenv("KILL_AFTER");
  long left = kill_after ? atol(kill_after) : 0;
  snprintf(journal, sizeof journal, "%s.journal", path);
  options.journal = getenv("JOURNAL") ? journal : NULL;
  options.restart = getenv("RESTART") ? 1 : 0;
  options.keep_samples = getenv("SAMPLES") ? 1 : 0;
  options.anchors = getenv("ANCHORS") ? 0 : -1;
  options.contexts = getenv("CONTEXTS") ? PERFPRED_CONTEXTS_INSTEAD : PERFPRED_CONTEXTS_NONE;
  int result = 0;
  if (getenv("KNOWN") && perfpred_models_load(context, path, NULL, &known, &error) != PERFPRED_OK)
    result = fail("known", &error);
  options.known = known;
  for (int i = 0; i < count && result == 0; i++)
    if (perfpred_program_find(context, names[i], &programs[i], &error) != PERFPRED_OK)
      result = fail(names[i], &error);
  if (result == 0 && perfpred_sampler_create_virtual(context, cost, &left, dgelsy_, &sampler, &error) != PERFPRED_OK)
    result = fail("sampler", &error);
  if (result == 0 && perfpred_generate(context, sampler, (const struct perfpred_program *const *)programs,
                                       (size_t)count, &options, &models, NULL, &error) != PERFPRED_OK)
    result = fail("generate", &error);
  if (result == 0 && perfpred_models_update(context, models, path, NULL, &error) != PERFPRED_OK)
    result = fail("update", &error);
  perfpred_models_unref(models);
  perfpred_models_unref(known);
  perfpred_sampler_destroy(sampler);
  for (int i = 0; i < count; i++)
    perfpred_program_unref(programs[i]);
  return result;
}

int main(int argc, char **argv) {
  struct perfpred_context *context;
  struct perfpred_error error;
  if (argc < 3 || argc > 10)
    return 2;
  if (perfpred_context_create(&context, &error) != PERFPRED_OK)
    return fail("context", &error);
  const char *text = getenv("TEXT");
  int result = 0;
  if (text && perfpred_context_add_file(context, text, &error) != PERFPRED_OK)
    result = fail(text, &error);
  if (result == 0)
    result = generate(context, argv[1], argc - 2, argv + 2);
  perfpred_context_destroy(context);
  return result;
}
