/* SPDX-License-Identifier: BSD-3-Clause */
/* How a LAPACK-like library asks for its block sizes: a handle that is made once, ids that are looked up once, a question at every call,
 * and the library's own defaults wherever there is no answer.
 *
 *   tuner [FILE]      models, as `perfpred generate --for dpotrf,dgetrf -o FILE` writes them
 *
 * Without FILE, or with one that cannot be used, the library below works all the same, with its defaults. */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>

/* --- The library: what its users do not see ------------------------------------------------------------------------ */

enum routine { POTRF, GETRF, ROUTINES };

static const char *const names[ROUTINES] = { "dpotrf", "dgetrf" };
static const int64_t defaults[ROUTINES] = { 64, 64 };

struct library {
  struct perfpred_tuner *tuner; /* NULL: defaults alone */
  int ids[ROUTINES];
};

/* A library does not fail for want of a tuner; it may say why there is none. */
static void library_begin(struct library *library, const char *file) {
  struct perfpred_context *context = NULL;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  library->tuner = NULL;
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status && file)
    status = perfpred_models_load(context, file, NULL, &models, &error);
  if (!status && file)
    status = perfpred_tuner_create(context, models, names, ROUTINES, NULL, &library->tuner, &error);
  if (status)
    printf("no tuner: %s\n", error.text);
  for (int i = 0; i < ROUTINES; i++)
    library->ids[i] = perfpred_tuner_routine(library->tuner, names[i]);
  perfpred_models_unref(models); /* the tuner has what it needs */
  perfpred_context_destroy(context);
}

static void library_end(struct library *library) {
  perfpred_tuner_destroy(library->tuner);
}

/* At every call of a routine, from any thread; a caller in a parallel region has few threads left. */
static int64_t block_size(const struct library *library, enum routine routine, int64_t n, int threads_free) {
  return perfpred_tuner_block_size(library->tuner, library->ids[routine], &n, 1, threads_free, defaults[routine]);
}

/* --- A user of the library ----------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
  struct library library;
  library_begin(&library, argc > 1 ? argv[1] : NULL);
  printf("%6s %8s %8s\n", "n", names[POTRF], names[GETRF]);
  for (int64_t n = 0; n <= 1000; n += 200)
    printf("%6lld %8lld %8lld\n", (long long)n, (long long)block_size(&library, POTRF, n, 1),
           (long long)block_size(&library, GETRF, n, 1));

  /* all that there is to know of one answer */
  struct perfpred_tuner_answer answer = PERFPRED_TUNER_ANSWER_INIT;
  const int64_t n = 600;
  if (perfpred_tuner_ask(library.tuner, library.ids[POTRF], &n, 1, 0, &answer) == PERFPRED_OK)
    printf("%s, n = %lld: b = %lld on %d thread%s, %.3f ms\n",
           perfpred_tuner_variant(library.tuner, library.ids[POTRF], answer.variant), (long long)n,
           (long long)answer.value, answer.threads, answer.threads == 1 ? "" : "s", 1e3 * answer.time_s);
  else
    printf("%s, n = %lld: the library's default\n", names[POTRF], (long long)n);
  library_end(&library);
  return 0;
}
