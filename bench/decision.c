/* SPDX-License-Identifier: BSD-3-Clause */
/* The override: what a question costs that the table answers, one that it does not, LAPACK's own ILAENV, and the first
 * question of a process.
 *
 *   bench-decision OVERRIDE */
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "ilaenv/sample.h"

#define STARTS 51

typedef int ilaenv_fn(const int *ispec, const char *name, const char *options, const int *n1, const int *n2,
                      const int *n3, const int *n4, size_t name_length, size_t options_length);

struct question {
  ilaenv_fn *ilaenv;
  const char *name;
  int ispec, n;
};

static const struct sample_routine routines[] = {
  { "DGEQRF",
    "",
    PPI_TABLE_NONE,
    PPI_TABLE_MIN12,
    { { 100, 16, 2, 64 }, { 200, 24, 2, 64 }, { 400, 32, 2, 96 }, { 800, 40, 2, 96 }, { OPEN, 48, 2, 128 } },
    { 0 },
    { 0 } },
  { "DORMQR", "", PPI_TABLE_NONE, PPI_TABLE_MAX123, { { 999, 48, 2, STOCK }, { OPEN, 64, 2, STOCK } }, { 0 }, { 0 } },
  { "DPOTRF",
    "",
    PPI_TABLE_NONE,
    PPI_TABLE_N1,
    { { 100, 104, 0, STOCK }, { 200, 96, 0, STOCK }, { 400, 88, 0, STOCK }, { OPEN, 72, 0, STOCK } },
    { 0 },
    { 0 } },
};

static volatile int sink;

static void ask(void *data) {
  static const int none = -1;
  const struct question *question = data;
  sink = question->ilaenv(&question->ispec, question->name, "L", &question->n, &question->n, &question->n, &none, 6, 1);
}

static ilaenv_fn *find(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ilaenv_fn *found = NULL;
  if (library)
    *(void **)&found = dlsym(library, "ilaenv_");
  return found;
}

static void write_table(const char *path) {
  static struct sample sample;
  sample_make(&sample, routines, (int)(sizeof routines / sizeof routines[0]));
  FILE *file = fopen(path, "w");
  if (!file || fwrite(sample.bytes, 1, sample.length, file) != sample.length || fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

/* In a child, which has not asked yet. */
static double first_ns(ilaenv_fn *ilaenv) {
  struct question question = { ilaenv, "DPOTRF", 1, 300 };
  double ns = 0.0;
  int ends[2];
  if (pipe(ends) != 0)
    exit(1);
  const pid_t child = fork();
  if (child == 0) {
    double begin = bench_now_s();
    ask(&question);
    ns = 1e9 * (bench_now_s() - begin);
    _exit(write(ends[1], &ns, sizeof ns) == sizeof ns ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &ns, sizeof ns) != sizeof ns || waitpid(child, NULL, 0) != child)
    exit(1);
  close(ends[0]);
  return ns;
}

static void run(const char *what, ilaenv_fn *ilaenv, const char *name, int ispec) {
  struct question question = { ilaenv, name, ispec, 300 };
  bench_run(what, ask, &question, 1000000);
}

int main(int argc, char **argv) {
  char path[] = "/tmp/perfpred-decision-XXXXXX";
  double first[STARTS];
  int file = mkstemp(path);
  ilaenv_fn *ours = argc == 2 ? find(argv[1]) : NULL, *theirs = find("liblapack.so.3");
  if (!ours || file < 0)
    return 2;
  close(file);
  write_table(path);
  setenv("PERFPRED_TABLE", path, 1);
  for (int i = 0; i < STARTS; i++)
    first[i] = first_ns(ours);
  bench_print("first question of a process, with a table", first, STARTS);
  run("DPOTRF, from the table", ours, "DPOTRF", 1);
  run("DGEQRF, crossover from the table", ours, "DGEQRF", 3);
  run("DORMQR, from the table", ours, "DORMQR", 1);
  run("DGETRF, not in the table", ours, "DGETRF", 1);
  run("a name that nobody knows", ours, "DXXXXX", 1);
  if (theirs)
    run("the ILAENV of the LAPACK installed: DPOTRF", theirs, "DPOTRF", 1);
  unlink(path);
  return 0;
}
