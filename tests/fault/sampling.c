/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations fail in turn: kernels of the caller's, scripts of timed calls, the threads of a parallel region. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "clockwork.h"
#include "fault.h"
#include "measure/sampler.h"
#include "measure/script_tree.h"
#include "measure/team.h"

static struct perfpred_context *context; /* with dmine; the scenarios only read it */
static struct perfpred_sampler *here;    /* made once: it calibrates at its first measurement, which takes time */
static struct perfpred_program *calling; /* calls dmine in two places */

static int nothing(void *data, void *const args[]) {
  (void)data;
  (void)args;
  return 0;
}

static void fortran(void) {
}

/* All or nothing, as with a text that is added. */
static enum perfpred_status register_with(bool free_form, struct perfpred_error *error) {
  static const char text[] = "kernel dyours(uplo: flag L U, n: size, alpha: scalar, a: inout matrix[n, n], lda)\n"
                             "  about a kernel\n  mul n*n\nend\n";
  struct perfpred_context *own = NULL;
  fault_pause();
  enum perfpred_status status = perfpred_context_create(&own, error);
  fault_resume();
  if (status)
    return status;
  const size_t before = perfpred_kernel_count(own);
  if (free_form)
    status = perfpred_kernel_register_function(own, text, nothing, NULL, error);
  else
    status = perfpred_kernel_register(own, text, fortran, error);
  const struct perfpred_kernel *kernel = NULL;
  struct perfpred_error unused;
  fault_pause();
  const bool found = perfpred_kernel_find(own, "dyours", &kernel, &unused) == PERFPRED_OK;
  fault_resume();
  if (found == (status != PERFPRED_OK) || perfpred_kernel_count(own) != before + (status ? 0 : 1))
    fault_touched("the context is half changed");
  perfpred_context_destroy(own);
  return status;
}

static enum perfpred_status register_kernel(struct perfpred_error *error) {
  return register_with(false, error);
}

static enum perfpred_status register_function(struct perfpred_error *error) {
  return register_with(true, error);
}

/* Of everything that the reader keeps in an array there is enough for the array to grow. */
static char *long_script(void) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_append(&text, "double A[1000], B[600]\n"
                         "set stable 0.01 max 50; set prepare A B[0:100]; counters PAPI_L1_DCM PAPI_TOT_CYC\n"
                         "daxpy(10, 1, A, A+500)\ngo\n");
  for (int i = 1; i <= 20; i++) {
    ppi_text_printf(&text, "float F%d[%d]; set prepare F%d\n", i, 10 * i, i);
    ppi_text_printf(&text, "{ dpotrf2(L, %d); dtrsm(R, L, T, N, 9, %d, 1) }\n", i, i);
    ppi_text_printf(&text, "{omp\n daxpy(%d, 1)\n { dscal(4, 2); dscal(%d, 2) }\n}\n", i, i);
  }
  return ppi_text_take(&text);
}

static enum perfpred_status read_script(struct perfpred_error *error) {
  fault_pause();
  char *text = long_script();
  fault_resume();
  if (!text)
    return ppi_error_memory(error);
  struct ppi_script script = { 0 };
  enum perfpred_status status = ppi_script_parse(context->kernels, text, strlen(text), "calls", 0, &script, error);
  if (status ? script.units != NULL || script.unit_count != 0 : script.unit_count != 41)
    fault_touched("script");
  ppi_script_free(&script);
  free(text);
  return status;
}

static const char calls[] = "double A[100]\nset precondition cold-flush\ndmine(10, A)\n"
                            "set precondition warm\n{ dmine(3); dmine(4) }\n{omp dmine(5); { dmine(6); dmine(7) } }\n"
                            "set prepare A\n{omp dmine(5, A); dmine(6, A+50) }\n";
/* Apart, for they fill more memory than the caches have. */
static const char fresh_calls[] = "double A[100]\nset operands fresh; set precondition cold-flush\n"
                                  "set prepare A\n{omp dmine(5, A); dmine(6, A+50) }\n";

static enum perfpred_status sample_with(struct perfpred_sampler *sampler, const char *text,
                                        struct perfpred_error *error) {
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  char *json = NULL;
  options.repetitions = 1;
  options.gate = -1.0;
  enum perfpred_status status =
      perfpred_sample_text(sampler, context, text, strlen(text), "calls", &options, &json, error);
  if ((status != PERFPRED_OK) != (json == NULL))
    fault_touched("json");
  perfpred_free(json);
  return status;
}

static enum perfpred_status sample_virtual(struct perfpred_error *error) {
  struct perfpred_sampler *sampler = NULL;
  fault_pause();
  enum perfpred_status status = perfpred_sampler_create_virtual(context, clockwork_cost, NULL, NULL, &sampler, error);
  fault_resume();
  if (!status)
    status = sample_with(sampler, calls, error);
  perfpred_sampler_destroy(sampler);
  return status;
}

/* A call whose memory cannot be had has that as its result: the whole need not fail. */
static enum perfpred_status sample_here(struct perfpred_error *error) {
  return sample_with(here, calls, error);
}

static enum perfpred_status sample_fresh(struct perfpred_error *error) {
  return sample_with(here, fresh_calls, error);
}

/* Executions timed call by call: one result for each place. */
static enum perfpred_status execute_parts(struct perfpred_error *error) {
  static const int64_t parameters[] = { 12 };
  const struct ppi_window windows[] = { { .parameters = parameters }, { .parameters = parameters } };
  const struct ppi_sampling sampling = { .repetitions = 2, .gate = -1.0 };
  struct ppi_result results[4];
  enum perfpred_status status = here->ops->windows(here, calling, windows, 2, &sampling, results, error);
  if (!status) {
    for (int i = 0; i < 4; i++)
      if (results[i].count < 2)
        fault_touched("a call without samples");
    ppi_results_free(results, 4);
  }
  return status;
}

static void work(void *data, int index) {
  ((int *)data)[index]++;
}

static enum perfpred_status create_team(struct perfpred_error *error) {
  struct ppi_team *team = NULL;
  int runs[3] = { 0, 0, 0 };
  enum perfpred_status status = ppi_team_create(3, NULL, 0, &team, error);
  if ((status != PERFPRED_OK) != (team == NULL))
    fault_touched("team");
  if (team) {
    ppi_team_run(team, work, runs);
    if (runs[0] != 1 || runs[1] != 1 || runs[2] != 1)
      fault_touched("the team's work");
  }
  ppi_team_destroy(team);
  return status;
}

/* A machine without another thread to give: the ones that there are end, and the next time all is well. */
static bool lacks_threads(void) {
  bool well = true;
  for (int n = 1; n <= 2; n++) {
    struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
    struct ppi_team *team = NULL;
    fault_thread(n);
    well = ppi_team_create(3, NULL, 0, &team, &error) == PERFPRED_LIMIT && !team && error.text[0] && well;
  }
  fault_thread(0);
  return create_team(NULL) == PERFPRED_OK && well;
}

/* What is made once and then kept must be there before anything fails: kernels of the context at their first use, the
 * sampler's calibration and its threads. */
static enum perfpred_status set_up(struct perfpred_error *error) {
  enum perfpred_status status = perfpred_context_create(&context, error);
  if (!status)
    status = perfpred_kernel_register_function(context, "kernel dmine(n: size, x: inout vector[n])\n  mul n\nend\n",
                                               nothing, NULL, error);
  if (!status)
    status = perfpred_sampler_create_local(context, NULL, &here, error);
  if (!status)
    status = sample_with(here, calls, error);
  if (!status)
    status = sample_with(here, fresh_calls, error);
  static const char text[] = "perfpred-text 1\nalgorithm calling(n)\n  inout X: double vector[n]\n  dmine(n, X[0])\n"
                             "  for i in 0:n by 5 as w\n    dmine(w, X[i])\n  end\nend\n";
  if (!status)
    status = perfpred_program_parse(context, text, strlen(text), "test", &calling, error);
  if (!status)
    status = execute_parts(error); /* learns what such calls cost */
  return status ? status : read_script(error);
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  const enum perfpred_status status = set_up(&error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  if (!status) {
    fault_check(&tap, "kernel: register", register_kernel);
    fault_check(&tap, "kernel: register in free form", register_function);
    fault_check(&tap, "script: read", read_script);
    fault_check(&tap, "script: sample on a virtual clock", sample_virtual);
    fault_check(&tap, "script: sample in this process", sample_here);
    fault_check(&tap, "script: sample fresh operands in this process", sample_fresh);
    fault_check(&tap, "execution: timed call by call in this process", execute_parts);
    fault_check(&tap, "team: create and run", create_team);
    tap_case(&tap, lacks_threads(), "team: a thread that cannot be had");
  }
  perfpred_program_unref(calling);
  perfpred_sampler_destroy(here);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
