/* SPDX-License-Identifier: BSD-3-Clause */
/* What measuring itself costs: the start of a worker, and what is left of a call that does nothing once the sampler has
 * subtracted the overhead of calling.
 *
 *   bench-overhead */
#include <string.h>

#include "bench.h"

static void nothing(void) {
}

/* Kernels that do nothing, with few and with many arguments. */
static const struct {
  const char *text, *call;
} kernels[] = {
  { "kernel dnone1(n: size)\n  mul n\nend\n", "dnone1(9)" },
  { "kernel dnone4(n: size, k: size, m: size, alpha: scalar)\n  mul n\nend\n", "dnone4(9, 9, 9, 1)" },
  { "kernel dnone13(ta: flag N T, tb: flag N T, m: size, n: size, k: size, alpha: scalar, a: in matrix[m, k], lda, "
    "b: in matrix[k, n], ldb, beta: scalar, c: inout matrix[m, n], ldc)\n  mul n\nend\n",
    "dnone13(N, N, 9, 9, 9, 1, 0)" },
};

/* The first call's median. */
static double median_of(const char *json) {
  const char *times = strstr(json, "\"time_s\""), *med = times ? strstr(times, "\"med\"") : NULL;
  if (!med) {
    fprintf(stderr, "no times: %s\n", json);
    exit(1);
  }
  return strtod(strchr(med, ':') + 1, NULL);
}

static double left_ns(struct perfpred_context *context, const char *call) {
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_sampler *sampler;
  struct perfpred_error error;
  char *json;
  options.repetitions = 100;
  bench_check(perfpred_sampler_create_local(context, NULL, &sampler, &error), &error);
  bench_check(perfpred_sample_text(sampler, context, call, strlen(call), "bench", &options, &json, &error), &error);
  double ns = 1e9 * median_of(json);
  perfpred_free(json);
  perfpred_sampler_destroy(sampler);
  return ns;
}

static void start_worker(void *data) {
  struct perfpred_sampler *sampler;
  struct perfpred_error error;
  bench_check(perfpred_sampler_create_worker(data, NULL, &sampler, &error), &error);
  perfpred_sampler_destroy(sampler);
}

int main(void) {
  struct perfpred_context *context;
  struct perfpred_error error;
  bench_check(perfpred_context_create(&context, &error), &error);
  bench_run("worker: started, verified, stopped", start_worker, context, 5);
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    double ns[BENCH_BLOCKS];
    bench_check(perfpred_kernel_register(context, kernels[i].text, nothing, &error), &error);
    for (int block = 0; block < BENCH_BLOCKS; block++)
      ns[block] = left_ns(context, kernels[i].call);
    bench_print(kernels[i].call, ns, BENCH_BLOCKS);
  }
  perfpred_context_destroy(context);
  return 0;
}
