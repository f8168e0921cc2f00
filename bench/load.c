/* SPDX-License-Identifier: BSD-3-Clause */
/* Load time of the library: starts of an empty program with and without it, taken in turns.
 *
 *   bench-load EMPTY EMPTY_WITH_LIBRARY */
#include <spawn.h>
#include <sys/wait.h>

#include "bench.h"

extern char **environ;

static double start_ns(char *path) {
  char *const arguments[] = { path, NULL };
  pid_t child;
  int state;
  double begin = bench_now_s();
  if (posix_spawn(&child, path, NULL, NULL, arguments, environ) != 0 || waitpid(child, &state, 0) != child ||
      state != 0) {
    fprintf(stderr, "%s did not run\n", path);
    exit(1);
  }
  return 1e9 * (bench_now_s() - begin);
}

int main(int argc, char **argv) {
  enum { STARTS = 201 };
  static double without[STARTS], with[STARTS], difference[STARTS];
  if (argc != 3)
    return 2;
  for (int i = -5; i < STARTS; i++) { /* the first ones fill the page cache */
    double a = start_ns(argv[1]), b = start_ns(argv[2]);
    if (i < 0)
      continue;
    without[i] = a;
    with[i] = b;
    difference[i] = b - a;
  }
  bench_print("start of an empty program", without, STARTS);
  bench_print("the same with libperfpred.so", with, STARTS);
  bench_print("difference, start by start", difference, STARTS);
  return 0;
}
