/* SPDX-License-Identifier: BSD-3-Clause */
/* Nests from C, algorithms expanded, misses counted in both ways, and their reports, where memory fails. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

static struct perfpred_context *context; /* made once; the scenarios only read it */
static struct perfpred_program *nest;    /* a triangular product */
static struct perfpred_program *algorithm;

static const char source[] =
    "enum { K = 3 };\ntypedef double row[40];\nrow A[40], *B; int s[9];\nvoid f(int n) {\n#pragma scop\n"
    "for (int i = n - 1; i >= 0; i--) {\n  int k = i / 2;\n  for (int j = 9 * K; j > 1; j -= 2)\n"
    "    A[i][j] += i > 3 ? B[k][j] : s[2] > 0 ? 1.0 : B[0][i % 3];\n}\n#pragma endscop\n}\n";

static const char text[] = "perfpred-text 1\nnest t(n)\n  double A[n, n], x[n]\n  for i in 0:n\n    for j in 0:i\n"
                           "      read A[i, j], x[j]; write x[i]\n    end\n  end\nend\n";

static enum perfpred_status read_c(struct perfpred_error *error) {
  struct perfpred_program *untouched = (struct perfpred_program *)(void *)&context, *made = untouched;
  const enum perfpred_status status = perfpred_nest_parse_c(context, source, strlen(source), "t.c", NULL, &made, error);
  if (status && made != untouched)
    fault_touched("program");
  perfpred_program_unref(status ? NULL : made);
  return status;
}

static enum perfpred_status expand(struct perfpred_error *error) {
  struct perfpred_program *untouched = (struct perfpred_program *)(void *)&context, *made = untouched;
  const enum perfpred_status status = perfpred_nest_expand(context, algorithm, &made, error);
  if (status && made != untouched)
    fault_touched("nest");
  perfpred_program_unref(status ? NULL : made);
  return status;
}

static enum perfpred_status count(const struct perfpred_program *program, const int64_t *values, size_t value_count,
                                  enum perfpred_misses_engine engine, struct perfpred_error *error) {
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  struct perfpred_misses_level levels[2] = { { -1, -1, -1, -1 }, { -1, -1, -1, -1 } };
  char *untouched = (char *)&context, *json = untouched;
  options.engine = engine;
  options.pieces = options.curve = 1;
  const enum perfpred_status status =
      perfpred_misses(context, program, values, value_count, &options, levels, &json, error);
  if (status && (json != untouched || levels[0].accesses != -1))
    fault_touched("json or levels");
  perfpred_free(status ? NULL : json);
  return status;
}

static enum perfpred_status simulate(struct perfpred_error *error) {
  return count(nest, (const int64_t[]){ 100 }, 1, PERFPRED_MISSES_SIMULATE, error);
}

static enum perfpred_status analyse(struct perfpred_error *error) {
  return count(nest, (const int64_t[]){ 100 }, 1, PERFPRED_MISSES_ANALYTIC, error);
}

static enum perfpred_status count_calls(struct perfpred_error *error) {
  return count(algorithm, (const int64_t[]){ 20, 8 }, 2, PERFPRED_MISSES_SIMULATE, error);
}

static const struct {
  const char *name;
  fault_scenario *run;
} scenarios[] = {
  { "nest: from C", read_c },     { "nest: expand", expand },          { "misses: simulate", simulate },
  { "misses: analyse", analyse }, { "misses: of calls", count_calls },
};

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  json_set_alloc_funcs(malloc, free);
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &algorithm, &error);
  if (!status)
    status = perfpred_program_parse(context, text, strlen(text), "text", &nest, &error);
  if (!status)
    status = expand(&error); /* kernels that references call are read when they are first asked for, and kept */
  if (!status)
    status = count_calls(&error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0] && !status; i++)
    fault_check(&tap, scenarios[i].name, scenarios[i].run);
  perfpred_program_unref(nest);
  perfpred_program_unref(algorithm);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
