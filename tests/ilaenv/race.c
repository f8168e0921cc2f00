/* SPDX-License-Identifier: BSD-3-Clause */
/* Sixteen threads ask the first question together, and go on asking; children that are forked have the same answers (cases
   C11, C19). The override is compiled in, so that ThreadSanitizer sees it. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"
#include "tap.h"

#define THREADS 16
#define ROUNDS 500

int64_t ilaenv_(const int32_t *ispec, const char *name, const char *options, const int32_t *n1, const int32_t *n2,
                const int32_t *n3, const int32_t *n4, size_t name_length, size_t options_length);

static const struct sample_routine routines[] = {
  { "DPOTRF", "", PPI_TABLE_NONE, PPI_TABLE_N1, { { 100, 104, 0, STOCK }, { OPEN, 88, 0, STOCK } }, { 0 }, { 0 } },
};

static pthread_barrier_t start;

static int64_t ask(const char *name, int32_t n) {
  static const int32_t one = 1, none = -1;
  return ilaenv_(&one, name, "L", &n, &none, &none, &none, 6, 1);
}

static bool answers_are_right(void) {
  return ask("DPOTRF", 50) == 104 && ask("DPOTRF", 500) == 88 && ask("DGETRF", 50) == 64;
}

/* NULL when all is well. */
static void *run(void *data) {
  pthread_barrier_wait(&start);
  for (int i = 0; i < ROUNDS; i++)
    if (!answers_are_right())
      return data;
  return NULL;
}

static bool in_threads(void) {
  pthread_t threads[THREADS];
  bool well = pthread_barrier_init(&start, NULL, THREADS) == 0;
  for (int i = 0; i < THREADS; i++)
    well = pthread_create(&threads[i], NULL, run, &start) == 0 && well;
  for (int i = 0; i < THREADS; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    well = well && !failed;
  }
  return well;
}

static bool in_child(void) {
  int state = -1;
  const pid_t child = fork();
  if (child == 0)
    _exit(answers_are_right() ? 0 : 1);
  return waitpid(child, &state, 0) == child && state == 0;
}

/* Lines of the log, each of which must be whole. */
static long count_lines(const char *path) {
  char line[200], name[20], options[20], source[20];
  long count = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    int ispec, n[4], answer, end = 0;
    if (sscanf(line, "%d %19s %19s %d %d %d %d %d %19s\n%n", &ispec, name, options, &n[0], &n[1], &n[2], &n[3], &answer,
               source, &end) != 9 ||
        line[end] != '\0')
      return -1;
    count++;
  }
  if (file)
    fclose(file);
  return count;
}

static bool write_table(const char *path) {
  static struct sample sample;
  sample_make(&sample, routines, 1);
  FILE *file = fopen(path, "w");
  return file && fwrite(sample.bytes, 1, sample.length, file) == sample.length && fclose(file) == 0;
}

int main(void) {
  struct tap tap = { 0 };
  char folder[] = "/tmp/perfpred-race-XXXXXX", path[64], log[64];
  if (!mkdtemp(folder))
    return 2;
  snprintf(path, sizeof path, "%s/table", folder);
  snprintf(log, sizeof log, "%s/log", folder);
  if (!write_table(path))
    return 2;
  setenv("PERFPRED_TABLE", path, 1);
  setenv("PERFPRED_ILAENV_LOG", log, 1);
  tap_case(&tap, in_threads(), "%d threads begin together and get the same answers", THREADS);
  unlink(path);
  tap_case(&tap, answers_are_right(), "the file is read once: it may go");
  tap_case(&tap, in_child(), "a child that is forked has the table");
  setenv("PERFPRED_TABLE", "/nowhere", 1);
  tap_case(&tap, answers_are_right(), "the environment is read once");
  tap_case(&tap, count_lines(log) == 3L * THREADS * ROUNDS + 9, "every question has a whole line in the log");
  unlink(log);
  rmdir(folder);
  return tap_finish(&tap);
}
