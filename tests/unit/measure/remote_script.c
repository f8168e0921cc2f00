/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts in the worker, with a library that misbehaves on request: each failure is the result of its call alone. */
#include <stdlib.h>
#include <string.h>

#include "measure/sampler.h"
#include "patience.h"
#include "world.h"

TestSuite(remote_script, .init = world_start, .fini = world_stop, .timeout = 100);

Test(remote_script, goes_on_after_whatever_a_call_does) {
  static const char *const signals[] = { "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0", NULL };
  static const char text[] = "double A[400]\n"
                             "dgemm(N, N, 4, 4, 4, 1, A, 4, A+100, 4, 0, A+200, 4)\n"
                             "dgemm(N, N, 13, 4, 4, 1, 0) # crashes\n"
                             "dgemm(N, N, 5, 4, 4, 1, 0)\n"
                             "dgemm(N, N, 15, 4, 4, 1, 0) # exits\n"
                             "dgemm(N, N, 14, 4, 4, 1, 0) # hangs\n"
                             "{ dgemm(N, N, 4, 4, 4, 1, A, A, 0, A+200); dgemm(N, N, 19, 4, 4, 1, 0) } # XERBLA\n"
                             "dgemm(N, N, 6, 4, 4, 1, 0)\n";
  static const enum perfpred_status expected[] = { PERFPRED_OK,      PERFPRED_CRASHED, PERFPRED_OK, PERFPRED_CRASHED,
                                                   PERFPRED_TIMEOUT, PERFPRED_NUMERIC, PERFPRED_OK };
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  struct ppi_script script;
  struct ppi_outcome outcomes[7] = { 0 };
  const struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0 };
  setup.blas = setup.lapack = FAULTY;
  setup.timeout_s = CALL_S;
  setup.environment = signals;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_script_parse(context.kernels, text, sizeof text - 1, "calls", 0, &script, &error), PERFPRED_OK, "%s",
               error.text);
  cr_assert_eq(script.unit_count, 7);
  cr_assert_eq(sampler->ops->script(sampler, &script, &sampling, outcomes, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < 7; i++) {
    cr_expect_eq(outcomes[i].status, expected[i], "unit %zu: %s", i, outcomes[i].text);
    if (outcomes[i].status == PERFPRED_OK)
      cr_expect_gt(outcomes[i].result.timing.count, 0);
    ppi_unit_result_free(&outcomes[i].result);
  }
  cr_expect_not_null(strstr(outcomes[1].text, "dgemm(N,N,13,4,4)"), "%s", outcomes[1].text);
  cr_expect_not_null(strstr(outcomes[4].text, "dgemm(N,N,14,4,4)"), "%s", outcomes[4].text);
  cr_expect_not_null(strstr(outcomes[5].text, "dgemm(N,N,19,4,4)"), "%s", outcomes[5].text);
  ppi_script_free(&script);
  perfpred_sampler_destroy(sampler);
}

/* Of what runs side by side, the one that is to blame has its name and line, and the rest of the text is run. */
Test(remote_script, names_the_call_of_a_region) {
  static const char *const signals[] = { "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0", NULL };
  static const char text[] = "{omp\n"
                             "  { dgemm(N, N, 4, 4, 4, 1, 0)\n"
                             "    dgemm(N, N, 13, 4, 4, 1, 0) }\n" /* crashes */
                             "  dgemm(N, N, 5, 4, 4, 1, 0)\n"
                             "}\n"
                             "{omp\n"
                             "  dgemm(N, N, 4, 4, 4, 1, 0)\n"
                             "  dgemm(N, N, 14, 4, 4, 1, 0)\n" /* hangs */
                             "}\n"
                             "{omp\n"
                             "  dgemm(N, N, 14, 5, 4, 1, 0)\n"
                             "  dgemm(N, N, 14, 6, 4, 1, 0)\n"
                             "}\n"
                             "{omp\n"
                             "  dgemm(N, N, 4, 4, 4, 1, 0)\n"
                             "  { dgemm(N, N, 5, 4, 4, 1, 0); dgemm(N, N, 19, 4, 4, 1, 0) }\n" /* XERBLA */
                             "}\n"
                             "{ dgemm(N, N, 5, 4, 4, 1, 0)\n"
                             "  dgemm(N, N, 15, 4, 4, 1, 0) }\n" /* exits */
                             "{omp dgemm(N, N, 6, 4, 4, 1, 0); dgemm(N, N, 7, 4, 4, 1, 0) }\n";
  static const struct {
    enum perfpred_status status;
    const char *begin, *word;
  } expected[] = {
    { PERFPRED_CRASHED, "dgemm(N,N,13,4,4) of line 3: the worker ", "during this call" },
    { PERFPRED_TIMEOUT, "dgemm(N,N,14,4,4) of line 8: not finished", "within" },
    { PERFPRED_TIMEOUT, "dgemm(N,N,14,5,4) of line 11, dgemm(N,N,14,6,4) of line 12: not finished", "within" },
    { PERFPRED_NUMERIC, "dgemm(N,N,19,4,4) of line 16: DGEMM refuses its argument 5", "XERBLA" },
    { PERFPRED_CRASHED, "dgemm(N,N,15,4,4) of line 19: the worker ", "faulty library: no more" },
    { PERFPRED_OK, "", "" },
  };
  enum { UNITS = sizeof expected / sizeof expected[0] };
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  struct ppi_script script;
  struct ppi_outcome outcomes[UNITS] = { 0 };
  const struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0 };
  setup.blas = setup.lapack = FAULTY;
  setup.timeout_s = CALL_S;
  setup.environment = signals;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_script_parse(context.kernels, text, sizeof text - 1, "calls", 0, &script, &error), PERFPRED_OK, "%s",
               error.text);
  cr_assert_eq(script.unit_count, UNITS);
  cr_assert_eq(sampler->ops->script(sampler, &script, &sampling, outcomes, &error), PERFPRED_OK, "%s", error.text);
  for (size_t i = 0; i < UNITS; i++) {
    const char *told = outcomes[i].text;
    cr_expect_eq(outcomes[i].status, expected[i].status, "unit %zu: %s", i, told);
    cr_expect(strncmp(told, expected[i].begin, strlen(expected[i].begin)) == 0, "unit %zu: %s", i, told);
    cr_expect_not_null(strstr(told, expected[i].word), "unit %zu: %s", i, told);
    ppi_unit_result_free(&outcomes[i].result);
  }
  ppi_script_free(&script);
  perfpred_sampler_destroy(sampler);
}

/* No machine of today takes a second for the yardstick, and none a nanosecond. */
Test(remote_script, refuses_a_reading_of_another_machine) {
  static const double readings[] = { 1.0, 1e-9 };
  static const char text[] = "dgemm(N, N, 4, 4, 4, 1, 0)\n";
  for (size_t i = 0; i < 2; i++) {
    struct perfpred_setup setup = PERFPRED_SETUP_INIT;
    struct perfpred_sampler *sampler = NULL;
    char *json = NULL;
    struct ppi_machine machine;
    struct ppi_setup told;
    setup.blas = setup.lapack = FAULTY;
    setup.yardstick_s = readings[i];
    cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_OK, "%s", error.text);
    cr_assert_eq(perfpred_sample_text(sampler, &context, text, sizeof text - 1, "calls", NULL, &json, &error),
                 PERFPRED_OK, "%s", error.text);
    cr_expect_not_null(strstr(json, "\"status\":\"INVALID\""), "%s", json);
    cr_expect_not_null(strstr(json, "yardstick_s is "), "%s", json);
    perfpred_free(json);
    cr_assert_eq(sampler->ops->describe(sampler, 0.0, &machine, &told, &error), PERFPRED_OK, "%s", error.text);
    cr_expect_eq(told.reference_s, readings[i]);
    cr_expect_gt(told.yardstick_s, 0.0);
    perfpred_sampler_destroy(sampler);
  }
}
