/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tile size suits a matrix product? Counts the misses of each in a cache, without running any, and takes the one with the fewest.
 *
 *   tile_size [N [CACHE_BYTES]]      default: 512 32768 */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(enum perfpred_status status, const struct perfpred_error *error) {
  if (status == PERFPRED_OK)
    return;
  fprintf(stderr, "tile_size: %s\n", error->text);
  exit(1);
}

/* The loops as a compiler sees them; T stands for a number that divides N. */
static const char loops[] = "double A[N][N], B[N][N], C[N][N];\n"
                            "#pragma scop\n"
                            "for (int ti = 0; ti < N; ti += T)\n"
                            "  for (int tk = 0; tk < N; tk += T)\n"
                            "    for (int tj = 0; tj < N; tj += T)\n"
                            "      for (int i = ti; i < ti + T; i++)\n"
                            "        for (int k = tk; k < tk + T; k++)\n"
                            "          for (int j = tj; j < tj + T; j++)\n"
                            "            C[i][j] += A[i][k] * B[k][j];\n"
                            "#pragma endscop\n";

/* Misses of one tile size. */
static struct perfpred_misses_level count(const struct perfpred_context *context, long n, long tile, int64_t cache) {
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  struct perfpred_misses_level level;
  struct perfpred_program *nest;
  struct perfpred_error error;
  char source[2000];
  snprintf(source, sizeof source, "enum { N = %ld, T = %ld };\n%s", n, tile, loops);
  options.cache_bytes = &cache;
  options.cache_count = 1;
  check(perfpred_nest_parse_c(context, source, strlen(source), "tiles.c", NULL, &nest, &error), &error);
  check(perfpred_misses(NULL, nest, NULL, 0, &options, &level, NULL, &error), &error);
  perfpred_program_unref(nest);
  return level;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 512;
  const int64_t cache = argc > 2 ? atoll(argv[2]) : 32768;
  struct perfpred_context *context;
  struct perfpred_error error;
  long best = 0;
  int64_t least = INT64_MAX;

  check(perfpred_context_create(&context, &error), &error);
  printf("%6s %14s %14s\n", "tile", "misses", "of accesses");
  for (long tile = 8; tile <= n; tile *= 2) {
    if (n % tile != 0)
      continue;
    const struct perfpred_misses_level level = count(context, n, tile, cache);
    const int64_t misses = level.compulsory + level.capacity;
    printf("%6ld %14lld %13.3f%%\n", tile, (long long)misses, 100.0 * (double)misses / (double)level.accesses);
    if (misses < least) {
      least = misses;
      best = tile;
    }
  }
  printf("fewest misses in %lld bytes: tiles of %ld\n", (long long)cache, best);
  perfpred_context_destroy(context);
  return 0;
}
