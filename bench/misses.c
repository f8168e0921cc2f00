/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of the analysis of PolyBench's kernels, caches of 32 KiB and 1 MiB together, at the two largest sizes: bench-misses FOLDER, which
   has polybench.nests and sizes.csv. A kernel to which the analysis does not apply is told with the reason, and is not in the sums. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench.h"

#define REPEATS 5
#define BUDGET_S 60

static const char *const names[] = { "LARGE", "EXTRALARGE" };

struct sums {
  double seconds, logarithms;
  int count;
};

static char *read_file(const char *folder, const char *name) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 17);
  if (!file || !text || fread(text, 1, (1 << 17) - 1, file) == 0) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(1);
  }
  fclose(file);
  return text;
}

/* Field `place` of a line of comma-separated values, as numbers. */
static size_t read_sizes(const char *line, int place, int64_t values[8]) {
  size_t count = 0;
  for (; place > 0; place--)
    line = strchr(line, ',') + 1;
  for (char *end = (char *)line; count < 8 && *end && *end != ',' && *end != '\n'; count++)
    values[count] = strtoll(end, &end, 10);
  return count;
}

/* The median of some runs. */
static double time_of(const struct perfpred_context *context, const struct perfpred_program *program,
                      const int64_t *values, size_t count, struct perfpred_misses_level *levels,
                      struct perfpred_error *error, enum perfpred_status *status) {
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  double seconds[REPEATS];
  options.engine = PERFPRED_MISSES_ANALYTIC;
  options.budget_s = BUDGET_S;
  for (int i = 0; i < REPEATS; i++) {
    const double begin = bench_now_s();
    *status = perfpred_misses(context, program, values, count, &options, levels, NULL, error);
    seconds[i] = bench_now_s() - begin;
    if (*status)
      return seconds[i];
  }
  qsort(seconds, REPEATS, sizeof *seconds, bench_compare);
  return seconds[REPEATS / 2];
}

static void run(const struct perfpred_context *context, const char *kernel, const char *line, int size,
                struct sums *sums) {
  char name[100];
  int64_t values[8];
  struct perfpred_program *program;
  struct perfpred_error error;
  struct perfpred_misses_level levels[2];
  enum perfpred_status status;
  snprintf(name, sizeof name, "%s%s", kernel[0] <= '9' ? "k" : "", kernel);
  bench_check(perfpred_program_find(context, name, &program, &error), &error);
  const size_t count = read_sizes(line, 4 + size, values);
  const double seconds = time_of(context, program, values, count, levels, &error, &status);
  perfpred_program_unref(program);
  if (status) {
    printf("%-18s %-10s %10.4f s  %s\n", kernel, names[size], seconds, error.text);
    return;
  }
  printf("%-18s %-10s %10.4f s  %" PRId64 " accesses, %" PRId64 " compulsory, %" PRId64 " and %" PRId64 " capacity\n",
         kernel, names[size], seconds, levels[0].accesses, levels[0].compulsory, levels[0].capacity,
         levels[1].capacity);
  if (strstr(kernel, "-tiled"))
    return;
  sums->seconds += seconds;
  sums->logarithms += log(seconds);
  sums->count++;
}

int main(int argc, char **argv) {
  struct perfpred_context *context;
  struct perfpred_error error;
  if (argc != 2) {
    fprintf(stderr, "usage: bench-misses FOLDER, the one with polybench.nests and sizes.csv\n");
    return 2;
  }
  char *nests = read_file(argv[1], "polybench.nests"), *sizes = read_file(argv[1], "sizes.csv");
  bench_check(perfpred_context_create(&context, &error), &error);
  bench_check(perfpred_context_add_text(context, nests, strlen(nests), "polybench.nests", &error), &error);
  for (int size = 0; size < 2; size++) {
    struct sums sums = { 0, 0, 0 };
    for (const char *line = strchr(sizes, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
      char kernel[80];
      if (sscanf(line + 1, "%79[^,]", kernel) == 1)
        run(context, kernel, line + 1, size, &sums);
    }
    printf("%s: %d kernels, sum %.3f s, geometric mean %.4f s (tiled ones left out)\n\n", names[size], sums.count,
           sums.seconds, exp(sums.logarithms / sums.count));
  }
  perfpred_context_destroy(context);
  free(sizes);
  free(nests);
  return 0;
}
