/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels with integers of 32 and of 64 bits side by side: each finds its own width, and none that of the other. */
#include "measure/sampler.h"
#include "world.h"

static struct perfpred_sampler *sampler;
static int bad, wide_calls, narrow_calls;

/* Pivots as the sampler makes them: element i is one of 1 ... i. */
static int use_wide(void *data, void *const args[]) {
  const int64_t *n = args[0], *pivots = args[1];
  (void)data;
  for (int64_t i = 0; i < *n; i++)
    bad += pivots[i] < 1 || pivots[i] > i + 1;
  wide_calls++;
  return 0;
}

static void use_narrow(const int *n, const int *pivots) {
  for (int i = 0; i < *n; i++)
    bad += pivots[i] < 1 || pivots[i] > i + 1;
  narrow_calls++;
}

static void start(void) {
  world_start();
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
  register_free_form("kernel dwide(n: size, p: inout pivots vector[n])\nend\n", use_wide, NULL);
  cr_assert_eq(perfpred_kernel_register(&context, "kernel dnarrow(n: size, p: inout pivots vector[n])\nend\n",
                                        (perfpred_fortran_fn *)use_narrow, &error),
               PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  perfpred_sampler_destroy(sampler);
  world_stop();
}

TestSuite(width, .init = start, .fini = stop);

static enum perfpred_status execute(const char *text) {
  struct perfpred_program *program = parse_program(text);
  const int64_t n = 40;
  struct ppi_execution execution = { program, &n, 1 };
  const struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0 };
  struct ppi_result result = { 0 };
  const enum perfpred_status status = sampler->ops->execute(sampler, &execution, 1, &sampling, &result, &error);
  if (status == PERFPRED_OK)
    ppi_results_free(&result, 1);
  perfpred_program_unref(program);
  return status;
}

Test(width, of_each_buffer_is_that_of_its_kernels) {
  cr_expect_eq(execute("algorithm both(n)\n  inout p: integer pivots vector[n]\n  inout q: integer pivots vector[n]\n"
                       "  in r: integer pivots vector[n]\n  inout s: integer pivots vector[n]\n"
                       "  dwide(n, p[0])\n  dnarrow(n, q[0])\n  dnarrow(n - 7, q[0])\n  dwide(n, s[0])\nend\n"),
               PERFPRED_OK, "%s", error.text);
  cr_expect_geq(wide_calls, 4);
  cr_expect_geq(narrow_calls, 4);
  cr_expect_eq(bad, 0, "%d", bad);
}

Test(width, of_a_shared_buffer_must_be_one) {
  cr_expect_eq(
      execute("algorithm mix(n)\n  inout p: integer pivots vector[n]\n  dwide(n, p[0])\n  dnarrow(n, p[0])\nend\n"),
      PERFPRED_UNSUPPORTED);
  cr_expect_str_eq(error.text,
                   "dnarrow: integers of argument 'p' have 32 bits, dwide uses the same buffer with 64 bits; "
                   "expected one width");
  cr_expect_eq(
      execute("algorithm mix2(n)\n  inout p: integer pivots vector[n]\n  dnarrow(9, p[1])\n  dwide(9, p[20])\nend\n"),
      PERFPRED_UNSUPPORTED);
  cr_expect_eq(wide_calls + narrow_calls, 0, "nothing has run");
}

static enum perfpred_status run_script(const char *text) {
  const struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0 };
  struct ppi_outcome outcomes[4] = { { .status = PERFPRED_OK } };
  struct ppi_script script;
  memset(&script, 0, sizeof script);
  cr_assert_eq(ppi_script_parse(context.kernels, text, strlen(text), "calls", 0, &script, &error), PERFPRED_OK, "%s",
               error.text);
  cr_assert_leq(script.unit_count, 4);
  cr_assert_eq(sampler->ops->script(sampler, &script, &sampling, outcomes, &error), PERFPRED_OK, "%s", error.text);
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < script.unit_count; i++) {
    status = outcomes[i].status ? outcomes[i].status : status;
    if (outcomes[i].status)
      snprintf(error.text, sizeof error.text, "%s", outcomes[i].text);
    ppi_unit_result_free(&outcomes[i].result);
  }
  ppi_script_free(&script);
  return status;
}

/* Calls that are timed one by one have their operands filled for each of them. */
Test(width, in_scripts) {
  cr_expect_eq(run_script("integer p[100]\ndwide(40, p)\ndnarrow(40, p)\n{ dwide(9, p); dnarrow(9, .) }\n"),
               PERFPRED_OK, "%s", error.text);
  cr_expect_eq(bad, 0, "%d", bad);
  cr_expect_eq(run_script("integer p[100]\n{ dwide(40, p); dnarrow(40, p) }\n"), PERFPRED_UNSUPPORTED);
  cr_expect_not_null(
      strstr(error.text, "dnarrow: integers of argument 'p' have 32 bits, dwide uses buffer 'p' with 64"), "%s",
      error.text);
}
