/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrix times vector, compressed rows (the mod2as of the EuroBen and PRACE benchmarks): a program whose speed Apex-MAP is to foretell.
 *
 *   mod2as [-64] N:FILL ...      a square matrix of N rows with that share of entries; a line of JSON for each
 *
 * -64: places of columns have 64 bits, not 32: an entry takes 16 bytes instead of 12.
 *
 * The kernel is registered with the library and timed like any other; OpenMP's environment says how many threads share the rows. */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
  int64_t rows, entries;
  int64_t *starts; /* of the rows; rows + 1 of them */
  int wide;
  int32_t *columns; /* of the entries */
  int64_t *wide_columns;
  double *values;
};

#ifdef _OPENMP
#define SHARED _Pragma("omp parallel for schedule(static)")
#else
#define SHARED
#endif

/* NOLINTBEGIN(bugprone-macro-parentheses): a name and a member */
#define DEFINE_MULTIPLY(NAME, COLUMNS)                                                                                 \
  static void NAME(const struct matrix *a, const double *x, double *y) {                                               \
    SHARED for (int64_t i = 0; i < a->rows; i++) {                                                                     \
      double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;                                                                   \
      int64_t k = a->starts[i], end = a->starts[i + 1];                                                                \
      for (; k + 4 <= end; k += 4) {                                                                                   \
        s0 += a->values[k] * x[a->COLUMNS[k]];                                                                         \
        s1 += a->values[k + 1] * x[a->COLUMNS[k + 1]];                                                                 \
        s2 += a->values[k + 2] * x[a->COLUMNS[k + 2]];                                                                 \
        s3 += a->values[k + 3] * x[a->COLUMNS[k + 3]];                                                                 \
      }                                                                                                                \
      for (; k < end; k++)                                                                                             \
        s0 += a->values[k] * x[a->COLUMNS[k]];                                                                         \
      y[i] = (s0 + s1) + (s2 + s3);                                                                                    \
    }                                                                                                                  \
  }
DEFINE_MULTIPLY(multiply, columns)
DEFINE_MULTIPLY(multiply_wide, wide_columns)
/* NOLINTEND(bugprone-macro-parentheses) */

static int kernel(void *data, void *const args[]) {
  const struct matrix *a = data;
  (a->wide ? multiply_wide : multiply)(a, args[1], args[2]);
  return 0;
}

static const char text[] = "kernel dmod2as(n: size, x: in vector[n], y: out vector[n])\nend\n";

static uint64_t state = 20101206; /* the same matrices in every run */

static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) {
    fprintf(stderr, "mod2as: out of memory\n");
    exit(1);
  }
  return memory;
}

/* As many entries in each row, one in each of as many equal parts of it. */
static void generate(struct matrix *a, int wide, int64_t n, double fill) {
  int64_t each = (int64_t)(fill * (double)n + 0.5);
  each = each < 1 ? 1 : each > n ? n : each;
  *a = (struct matrix){ .rows = n, .entries = n * each, .wide = wide };
  a->starts = allocate((size_t)n + 1, sizeof *a->starts);
  if (wide)
    a->wide_columns = allocate((size_t)a->entries, sizeof *a->wide_columns);
  else
    a->columns = allocate((size_t)a->entries, sizeof *a->columns);
  a->values = allocate((size_t)a->entries, sizeof *a->values);
  for (int64_t i = 0; i < n; i++) {
    a->starts[i + 1] = a->starts[i] + each;
    for (int64_t k = 0; k < each; k++) {
      int64_t first = k * n / each, next = (k + 1) * n / each;
      int64_t column = first + (int64_t)(uniform() * (double)(next - first));
      if (wide)
        a->wide_columns[i * each + k] = column;
      else
        a->columns[i * each + k] = (int32_t)column;
      a->values[i * each + k] = 2.0 * uniform() - 1.0;
    }
  }
}

static void release(struct matrix *a) {
  free(a->values);
  free(a->wide_columns);
  free(a->columns);
  free(a->starts);
}

static void check(enum perfpred_status status, const struct perfpred_error *error) {
  if (status == PERFPRED_OK)
    return;
  fprintf(stderr, "mod2as: %s\n", error->text);
  exit(1);
}

/* Bytes of the matrix and of both vectors, each once: what memory has to give where a cache does not hold them. */
static double bytes_of(const struct matrix *a) {
  return (a->wide ? 16.0 : 12.0) * (double)a->entries + 8.0 * (double)(a->rows + 1) + 16.0 * (double)a->rows;
}

int main(int argc, char **argv) {
  struct perfpred_context *context;
  struct perfpred_sampler *sampler;
  struct perfpred_error error;
  struct matrix matrix = { 0 };
  check(perfpred_context_create(&context, &error), &error);
  check(perfpred_kernel_register_function(context, text, kernel, &matrix, &error), &error);
  check(perfpred_sampler_create_local(context, NULL, &sampler, &error), &error);
  int wide = argc > 1 && strcmp(argv[1], "-64") == 0;
  for (int i = 1 + wide; i < argc; i++) {
    char *end, call[64], *json = NULL;
    int64_t n = strtoll(argv[i], &end, 10);
    double fill = *end == ':' ? strtod(end + 1, NULL) : 0.0;
    if (n < 1 || n > 100000000 || !(fill > 0.0 && fill <= 1.0)) {
      fprintf(stderr, "mod2as: '%s': expected N:FILL with N from 1 and FILL above 0 and at most 1\n", argv[i]);
      return 2;
    }
    generate(&matrix, wide, n, fill);
    int length = snprintf(call, sizeof call, "dmod2as(%lld)\n", (long long)n);
    check(perfpred_sample_text(sampler, context, call, (size_t)length, "mod2as", NULL, &json, &error), &error);
    printf("{\"n\":%lld,\"fill\":%g,\"entries\":%lld,\"flops\":%.17g,\"bytes\":%.17g,\"sample\":%s}\n", (long long)n,
           fill, (long long)matrix.entries, 2.0 * (double)matrix.entries, bytes_of(&matrix), json);
    fflush(stdout);
    perfpred_free(json);
    release(&matrix);
  }
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
  return 0;
}
