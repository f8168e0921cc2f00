/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers that do not come up: missing ones, impostors, libraries that are none, settings without sense. */
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include "workers.h"

TestSuite(remote_start, .init = set_up, .fini = tear_down);

Test(remote_start, temporary_folders_that_cannot_be_made_are_named) {
  setenv("TMPDIR", "/nonexistent", 1);
  cr_assert_eq(start_with(NULL, NULL, 0), PERFPRED_IO);
  setenv("TMPDIR", folder, 1);
  cr_assert(strstr(error.text, "'/nonexistent/perfpred-") && strstr(error.text, "expected TMPDIR"), "%s", error.text);
}

/* A shell script in the place of the worker. */
static const char *impostor(const char *script) {
  static char path[200];
  snprintf(path, sizeof path, "%s/worker", folder);
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", script);
  fclose(file);
  chmod(path, 0700);
  return path;
}

/* Which file it is, and what should have been there. */
static void expect_named(const char *what) {
  char wanted[100];
  snprintf(wanted, sizeof wanted, "expected perfpred-worker of version %s (protocol %d)", perfpred_version(),
           PPI_WORKER_PROTOCOL);
  cr_assert(strstr(error.text, what), "%s", error.text);
  cr_assert(strstr(error.text, folder), "%s", error.text);
  cr_assert(strstr(error.text, wanted), "%s", error.text);
}

Test(remote_start, missing_library) {
  cr_assert_eq(start_with(NULL, "/nonexistent/libblas.so.3", 10), PERFPRED_MISSING);
  cr_assert(strstr(error.text, "/nonexistent/libblas.so.3"), "%s", error.text);
}

Test(remote_start, text_file_as_library) {
  cr_assert_eq(start_with(NULL, "/etc/passwd", 10), PERFPRED_INVALID);
  cr_assert(strstr(error.text, "'/etc/passwd': expected a shared library"), "%s", error.text);
}

Test(remote_start, folder_as_library) {
  cr_assert_eq(start_with(NULL, "/usr", 10), PERFPRED_INVALID);
}

Test(remote_start, library_that_is_no_blas) {
  cr_assert_eq(start_with(NULL, installed("/lib/*/libm.so.6"), 10), PERFPRED_WORKER);
  cr_assert(strstr(error.text, "is not a BLAS: it has no dgemm_"), "%s", error.text);
}

Test(remote_start, bad_settings) {
  const char *const entries_of[][2] = {
    { "novalue", NULL },          { "=x", NULL }, { "1A=2", NULL }, { "A-B=2", NULL }, { "LD_LIBRARY_PATH=/x", NULL },
    { "OMP_NUM_THREADS=4", NULL }
  };
  struct perfpred_sampler *sampler = NULL;
  for (size_t i = 0; i < sizeof entries_of / sizeof entries_of[0]; i++) {
    struct perfpred_setup setup = PERFPRED_SETUP_INIT;
    setup.environment = entries_of[i];
    cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_INVALID, "%s",
                 entries_of[i][0]);
    cr_assert(strstr(error.text, entries_of[i][0]), "%s", error.text);
  }
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  setup.threads = -1;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_INVALID);
  setup.threads = 0;
  setup.timeout_s = -5;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_INVALID);
  setup.timeout_s = 0;
  const double readings[] = { -1e-5, NAN, INFINITY };
  for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
    setup.yardstick_s = readings[i];
    cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_INVALID);
    cr_assert(strstr(error.text, "yardstick_s is "), "%s", error.text);
  }
  setup.yardstick_s = 0.0;
  setup.size = 0;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_sampler_create_worker(NULL, NULL, &sampler, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_sampler_create_worker(&context, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_null(sampler);
}

/* What lies beyond the size that the caller knows counts as zero. */
Test(remote_start, smaller_setup) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.size = offsetof(struct perfpred_setup, threads);
  setup.blas = setup.lapack = FAULTY;
  setup.threads = -1;
  setup.worker = "/nonexistent/perfpred-worker";
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(((struct ppi_remote *)sampler)->plan.threads, 1);
  sampler->ops->destroy(sampler);
}

Test(remote_start, missing_worker) {
  cr_assert_eq(start_with("/nonexistent/perfpred-worker", FAULTY, 10), PERFPRED_MISSING);
  cr_assert(strstr(error.text, "/nonexistent/perfpred-worker"), "%s", error.text);
}

Test(remote_start, worker_that_cannot_be_executed) {
  const char *path = impostor("exit 0");
  chmod(path, 0600);
  cr_assert_eq(start_with("/etc/passwd", FAULTY, 10), PERFPRED_WORKER);
  cr_assert_eq(start_with(path, FAULTY, 10), PERFPRED_WORKER);
}

Test(remote_start, impostor_that_sends_garbage) {
  cr_assert_eq(
      start_with(impostor("echo 'this is something else than a message of any kind' >&4; exec sleep 20"), FAULTY, 10),
      PERFPRED_WORKER);
  expect_named("something else than the worker's protocol");
}

/* DONE with the text "other-worker" where ours has "perfpred-worker". */
Test(remote_start, impostor_that_speaks_the_protocol) {
  cr_assert_eq(start_with(impostor("printf '\\002\\001\\120\\120\\030\\0\\0\\0\\0\\0\\0\\0\\014\\0\\0\\0\\0\\0\\0\\0"
                                   "other-worker\\0\\0\\0\\0' >&4; exec sleep 20"),
                          FAULTY, 10),
               PERFPRED_WORKER);
  expect_named("not a perfpred-worker");
}

/* FAILED with PERFPRED_VERSION, as a worker of another release answers. */
Test(remote_start, impostor_of_another_release) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct perfpred_error told;
  char script[400], answer[150];
  snprintf(answer, sizeof answer, "%s/answer", folder);
  ppi_error_clear(&told);
  ppi_error_set(&told, PERFPRED_VERSION, "of version 9.9.9 (protocol 99)");
  ppi_wire_start(&wire, PPI_MESSAGE_FAILED);
  ppi_put_error(&wire, PERFPRED_VERSION, &told);
  int file = open(answer, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  cr_assert_geq(file, 0);
  cr_assert_eq(ppi_wire_send(file, &wire, 1.0, NULL), PERFPRED_OK);
  close(file);
  ppi_wire_free(&wire);
  snprintf(script, sizeof script, "cat '%s' >&4; exec sleep 20", answer);
  cr_assert_eq(start_with(impostor(script), FAULTY, 10), PERFPRED_WORKER);
  cr_assert(strstr(error.text, folder) && strstr(error.text, "of version 9.9.9 (protocol 99)"), "%s", error.text);
  unlink(answer);
}

Test(remote_start, impostor_that_announces_too_much) {
  cr_assert_eq(
      start_with(impostor("printf '\\002\\001\\120\\120\\0\\0\\0\\0\\377\\0\\0\\0' >&4; exec sleep 20"), FAULTY, 10),
      PERFPRED_WORKER);
}

Test(remote_start, impostor_that_stops_within_a_message) {
  cr_assert_eq(start_with(impostor("printf '\\002\\001\\120\\120\\030\\0' >&4"), FAULTY, 10), PERFPRED_WORKER);
}

Test(remote_start, impostor_that_says_nothing) {
  setenv("PERFPRED_START_S", "1", 1);
  cr_assert_eq(start_with(impostor("exec sleep 20"), FAULTY, 10), PERFPRED_TIMEOUT);
  expect_named("no answer within 1 s");
}

/* The limit on a timed call is none on the start: this one takes longer, then goes. */
Test(remote_start, impostor_that_starts_slowly) {
  cr_assert_eq(start_with(impostor("sleep 2; echo 'slow' >&2; exit 7"), FAULTY, 1), PERFPRED_WORKER);
  cr_assert(strstr(error.text, "exited with code 7, last words \"slow\""), "%s", error.text);
}

Test(remote_start, patience_with_the_start) {
  static const char *const bad[] = { "0", "-1", "soon", "nan", "inf", "1e999", "3 s" };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    setenv("PERFPRED_START_S", bad[i], 1);
    cr_assert_eq(start_with(impostor("exit 7"), FAULTY, 10), PERFPRED_INVALID, "%s", bad[i]);
    cr_assert(strstr(error.text, "PERFPRED_START_S") && strstr(error.text, bad[i]), "%s", error.text);
  }
  setenv("PERFPRED_START_S", "", 1); /* as if it were not set */
  cr_assert_eq(start_with(impostor("exit 7"), FAULTY, 10), PERFPRED_WORKER);
}

Test(remote_start, impostor_that_exits) {
  cr_assert_eq(start_with(impostor("echo 'cannot open a thing' >&2; exit 7"), FAULTY, 10), PERFPRED_WORKER);
  expect_named("exited with code 7, last words \"cannot open a thing\" without a word of the worker's protocol");
  cr_assert_eq(start_with(impostor("exit 0"), FAULTY, 10), PERFPRED_WORKER); /* as /bin/true */
  expect_named("exited with code 0");
}

Test(remote_start, impostor_that_closes_its_pipes_and_stays) {
  cr_assert_eq(start_with(impostor("exec 3<&- 4>&-; exec sleep 20"), FAULTY, 10), PERFPRED_WORKER);
}
