/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of its operands do the calls of an algorithm fetch from memory, for each block size? Nothing is run or measured.
 *
 *   cold_operands ALGORITHM N CACHE_BYTES        such as: cold_operands dpotrf 2000 2097152 */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const struct perfpred_error *error) {
  fprintf(stderr, "cold_operands: %s\n", error->text);
  return 1;
}

/* Bytes of operands that are not in the cache when their calls begin, and the kernel that most of them belong to. */
static enum perfpred_status cold_bytes(struct perfpred_program *program, const int64_t *parameters,
                                       const struct perfpred_cache_options *options, double *bytes, char *worst,
                                       size_t size, struct perfpred_error *error) {
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  struct perfpred_cache *cache = NULL;
  double most = 0.0;
  enum perfpred_status status = perfpred_cache_create(program, parameters, 2, options, &cache, error);
  if (!status)
    status = perfpred_cache_summary(cache, &info, error);
  *bytes = 0.0;
  for (size_t i = 0; !status && i < info.calls; i++) {
    struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
    status = perfpred_cache_call_at(cache, i, &call, error);
    if (status)
      break;
    const double cold = call.shares[info.level_count] * (double)call.bytes;
    *bytes += cold;
    if (cold > most) {
      most = cold;
      snprintf(worst, size, "%s", call.text); /* the call's text goes with the analysis */
    }
  }
  perfpred_cache_destroy(cache);
  return status;
}

int main(int argc, char **argv) {
  struct perfpred_context *context = NULL;
  struct perfpred_program *program = NULL;
  struct perfpred_cache_options options = PERFPRED_CACHE_OPTIONS_INIT;
  struct perfpred_error error;
  if (argc != 4) {
    fprintf(stderr, "usage: cold_operands ALGORITHM N CACHE_BYTES\n");
    return 2;
  }
  int64_t parameters[2] = { strtoll(argv[2], NULL, 10), 0 };
  options.level_count = 1;
  options.level_bytes[0] = strtoll(argv[3], NULL, 10);
  options.first = PERFPRED_CACHE_REPEATED; /* the matrix was used before */
  if (perfpred_context_create(&context, &error))
    return fail(&error);
  enum perfpred_status status = perfpred_program_find(context, argv[1], &program, &error);
  if (!status && perfpred_program_parameter_count(program) != 2) {
    fprintf(stderr, "cold_operands: %s: expected an algorithm of n and b\n", argv[1]);
    perfpred_program_unref(program);
    perfpred_context_destroy(context);
    return 2;
  }
  for (parameters[1] = 16; !status && parameters[1] <= 256; parameters[1] *= 2) {
    char worst[128] = "none";
    double bytes = 0.0;
    status = cold_bytes(program, parameters, &options, &bytes, worst, sizeof worst, &error);
    if (!status)
      printf("b = %3lld: %9.1f MiB from memory, most of it for %s\n", (long long)parameters[1], bytes / 0x1p20, worst);
  }
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  return status ? fail(&error) : 0;
}
