/* SPDX-License-Identifier: BSD-3-Clause */
/* Time to load a model file, per coefficient: files of 2,000, 20,000 and 200,000 numbers in their polynomials.
 *
 *   bench-load-models */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bench.h"

#define STATISTICS 5
#define DEGREE 5 /* in both sizes */
#define COEFFICIENTS ((DEGREE + 1) * (DEGREE + 1))
#define PIECES 8 /* of a sub-model, side by side along the first size */
#define WIDTH 128

struct text {
  char *data;
  size_t length, capacity;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...) {
  va_list arguments;
  if (text->length + 4096 > text->capacity) {
    text->capacity = 2 * text->capacity + 65536;
    text->data = realloc(text->data, text->capacity);
    if (text->data == NULL)
      exit(1);
  }
  va_start(arguments, format);
  text->length += (size_t)vsnprintf(text->data + text->length, text->capacity - text->length, format, arguments);
  va_end(arguments);
}

/* Any numbers with as many digits as coefficients have. */
static double next_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(*state >> 11) / 9007199254740992.0 - 0.5) * 1e-3;
}

static void put_head(struct text *text) {
  static const char library[] =
      "{\"family\": \"virtual\", \"path\": \"\", \"version\": \"\", \"build_id\": \"\", \"kernels\": \"\"}";
  put(text, "{\"format\": \"perfpred-models\", \"version\": 2, \"created\": \"2024-02-29T12:34:56Z\",\n");
  put(text, " \"machine\": {\"cpu\": \"none\", \"instruction_set\": \"avx2\", \"cores\": 1, \"processing_units\": 1, ");
  put(text, "\"caches\": [], \"peak_flops_per_s\": 0.0, \"peak_flops_per_s_single\": 0.0, ");
  put(text, "\"bandwidth_bytes_per_s\": 0.0, \"counters_available\": null, \"tsc_hz\": 0.0},\n");
  put(text, " \"setups\": [{\"blas\": %s, \"lapack\": %s, \"threads\": 1, \"ilp64\": false, ", library, library);
  put(text, "\"clock\": \"virtual\", \"yardstick_s\": 0.0, \"library\": \"0.1.0\", \"protocol\": 1}],\n");
  put(text, " \"options\": {\"n_lower\": 8, \"n_upper\": 1024, \"b_lower\": 8, \"b_upper\": 256, \"overfitting\": 2, ");
  put(text, "\"oversampling\": 4, \"grid\": \"chebyshev\", \"repetitions\": 10, \"reference\": \"minimum\", ");
  put(text, "\"error_measure\": \"maximum\", \"error_bound\": 0.01, \"minimum_width\": 32, \"budget_s\": 0.0, ");
  put(text, "\"ld\": 1032, \"gate\": 0.0, \"seed\": \"1\"},\n \"models\": [");
}

/* A chain: every split sends what is below it to a piece and the rest on. */
static void put_splits(struct text *text) {
  put(text, "\"splits\": [");
  for (int i = 0; i < PIECES - 1; i++)
    put(text, "{\"size\": \"m\", \"at\": %d, \"left\": %d, \"right\": %d}, {\"piece\": %d}, ", 8 + WIDTH * (i + 1),
        2 * i + 1, 2 * i + 2, i);
  put(text, "{\"piece\": %d}],\n   \"pieces\": [", PIECES - 1);
}

static void put_piece(struct text *text, int place, int64_t rows, uint64_t *state) {
  static const char *const statistics[STATISTICS] = { "min", "med", "max", "mean", "std" };
  put(text, "%s\n    {\"lower\": [%d, %" PRId64 "], \"upper\": [%d, %" PRId64 "], \"degrees\": [%d, %d], ",
      place ? "," : "", 8 + WIDTH * place, rows, 8 + WIDTH * (place + 1), rows + 8, DEGREE, DEGREE);
  put(text, "\"error\": 0.0075, \"floors\": [1e-6, 1e-6, 1e-6, 1e-6, 0.0], \"coefficients\": {");
  for (int s = 0; s < STATISTICS; s++) {
    put(text, "%s\"%s\": [", s ? ", " : "", statistics[s]);
    for (int i = 0; i < COEFFICIENTS; i++)
      put(text, "%s%.17g", i ? ", " : "", next_number(state));
    put(text, "]");
  }
  put(text, "}}");
}

static void put_model(struct text *text, int number, uint64_t *state) {
  static const char *const cases[] = { "R,L,T,N,-1", "L,L,N,N,1", "L,U,N,N,1", "R,U,T,N,1" };
  int64_t rows = 8 + 8 * (number / 4); /* domains of their own */
  put(text, "%s\n  {\"setup\": 0, \"kernel\": \"dtrsm\", \"case\": \"%s\", \"context\": \"\", ", number ? "," : "",
      cases[number % 4]);
  put(text, "\"sizes\": [\"m\", \"n\"], \"domain\": {\"lower\": [8, %" PRId64 "], \"upper\": [%d, %" PRId64 "]}, ",
      rows, 8 + WIDTH * PIECES, rows + 8);
  put(text, "\"ld\": 1032, \"points\": 72, \"samples\": 720, \"disturbed\": 11,\n   ");
  put_splits(text);
  for (int i = 0; i < PIECES; i++)
    put_piece(text, i, rows, state);
  put(text, "]}");
}

struct loading {
  struct perfpred_context *context;
  struct text text;
};

static void load(void *data) {
  struct loading *loading = data;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  bench_check(perfpred_models_load_memory(loading->context, loading->text.data, loading->text.length, "file", NULL,
                                          &models, &error),
              &error);
  perfpred_models_unref(models);
}

/* Median time of a load in nanoseconds, printed as well. */
static double time_of(struct loading *loading, int numbers, int per_block) {
  double ns[BENCH_BLOCKS];
  char name[64];
  for (int block = -1; block < BENCH_BLOCKS; block++) {
    double begin = bench_now_s();
    for (int i = 0; i < per_block; i++)
      load(loading);
    if (block >= 0)
      ns[block] = 1e9 * (bench_now_s() - begin) / per_block;
  }
  snprintf(name, sizeof name, "load %d numbers (%zu KiB)", numbers, loading->text.length >> 10);
  bench_print(name, ns, BENCH_BLOCKS);
  return ns[BENCH_BLOCKS / 2];
}

int main(void) {
  static const struct { int models, per_block; } files[] = { { 2, 50 }, { 14, 5 }, { 139, 1 } };
  enum { PER_MODEL = PIECES * COEFFICIENTS * STATISTICS };
  struct loading loading = { NULL, { NULL, 0, 0 } };
  struct perfpred_error error;
  double first = 0.0;
  bench_check(perfpred_context_create(&loading.context, &error), &error);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    uint64_t state = 1;
    loading.text.length = 0;
    put_head(&loading.text);
    for (int k = 0; k < files[i].models; k++)
      put_model(&loading.text, k, &state);
    put(&loading.text, "]}\n");
    double each = time_of(&loading, files[i].models * PER_MODEL, files[i].per_block) / (files[i].models * PER_MODEL);
    first = i == 0 ? each : first;
    printf("  %.3f us per number, %.3f us per coefficient of all five statistics; %.2f times that of the first\n",
           1e-3 * each, 1e-3 * STATISTICS * each, each / first);
  }
  free(loading.text.data);
  perfpred_context_destroy(loading.context);
  return 0;
}
