/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs executed by the worker. FAULTY, set by the build, is a library whose dgemm misbehaves for certain numbers of rows. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "world.h"

static struct perfpred_context *context;
static struct perfpred_error error;

static void begin(void) {
  context = make_context();
}

static void finish(void) {
  perfpred_context_destroy(context);
}

TestSuite(worker_execute, .init = begin, .fini = finish);

/* An address sanitizer in the worker would turn signals into reports of its own. */
static const char *const plain_signals[] = { "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0", NULL };

static struct perfpred_sampler *start(const char *library, int timeout_s) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.blas = setup.lapack = library;
  setup.timeout_s = timeout_s;
  setup.environment = library ? plain_signals : NULL;
  cr_assert_ok(perfpred_sampler_create_worker(context, &setup, &sampler, &error), error);
  return sampler;
}

static enum perfpred_status run(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                const int64_t *parameters, size_t count, struct perfpred_measurement *measurement) {
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 2;
  options.gate = -1.0;
  *measurement = (struct perfpred_measurement)PERFPRED_MEASUREMENT_INIT;
  return perfpred_measure(sampler, program, parameters, count, &options, measurement, &error);
}

static void expect_time(const struct perfpred_measurement *measurement) {
  cr_assert_geq(measurement->repetitions, 2);
  cr_assert_gt(measurement->time_s.min, 0.0);
  cr_assert_leq(measurement->time_s.min, measurement->time_s.med);
  cr_assert_leq(measurement->time_s.med, measurement->time_s.max);
}

Test(worker_execute, catalogued_algorithm_is_right) {
  struct perfpred_sampler *sampler = start(NULL, 60);
  struct perfpred_program *program = NULL;
  struct perfpred_measurement measurement;
  cr_assert_ok(perfpred_program_find(context, "chol-l-3", &program, &error), error);
  cr_assert_ok(run(sampler, program, (int64_t[]){ 72, 16 }, 2, &measurement), error);
  expect_time(&measurement);
  cr_assert(measurement.residual >= 0.0 && measurement.residual < 1e-13, "%g", measurement.residual);
  cr_assert_eq(measurement.ld, 72);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

/* Programs outside the context are told apart by their text, not by their name. */
Test(worker_execute, programs_of_one_name) {
  struct perfpred_sampler *sampler = start(NULL, 60);
  struct perfpred_program *square =
      parse(context, "algorithm same(n)\n  inout A: double matrix[n, n]\n  in B: double matrix[n, n]\n"
                     "  dgemm(N, N, n, n, n, 1, B[0, 0], B[0, 0], 0, A[0, 0])\nend\n");
  struct perfpred_program *line =
      parse(context, "algorithm same(n, m)\n  inout x: double vector[n]\n  in y: double vector[n]\n"
                     "  daxpy(n, 0.5, y[0], x[0])\nend\n");
  struct perfpred_measurement measurement;
  cr_assert_ok(run(sampler, square, (int64_t[]){ 40 }, 1, &measurement), error);
  expect_time(&measurement);
  cr_assert_ok(run(sampler, line, (int64_t[]){ 40, 1 }, 2, &measurement), error);
  expect_time(&measurement);
  perfpred_program_unref(line);
  perfpred_program_unref(square);
  perfpred_sampler_destroy(sampler);
}

static const char user_text[] = "perfpred-text 1\n"
                                "kernel drscl(n: size, a: scalar, x: inout vector[n], incx)\n"
                                "  mul 1*n\nend\n"
                                "algorithm half-turn(n)\n"
                                "  inout A: double matrix[n, 2]\n"
                                "  drscl(n, -1, A[0, 0])\n  drscl(n, -1, A[0, 1])\nend\n"
                                "algorithm full-turn(n)\n"
                                "  inout A: double matrix[n, 2]\n"
                                "  call half-turn(n, A[0, 0])\n"
                                "  call half-turn(n, A[0, 0])\nend\n";

static struct perfpred_program *find_turn(struct perfpred_context *of, const char *text) {
  struct perfpred_program *program = NULL;
  cr_assert_ok(perfpred_context_add_text(of, text, strlen(text), "text", &error), error);
  cr_assert_ok(perfpred_program_find(of, "full-turn", &program, &error), error);
  return program;
}

/* The worker has to learn the kernel and the inner program before it can read the outer one. */
Test(worker_execute, programs_that_call_programs_of_user_kernels) {
  struct perfpred_sampler *sampler = start(NULL, 60);
  struct perfpred_program *program = find_turn(context, user_text);
  struct perfpred_measurement measurement;
  cr_assert_ok(run(sampler, program, (int64_t[]){ 100 }, 1, &measurement), error);
  expect_time(&measurement);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

/* Another context may mean something else by the same name: the sampler copes. */
Test(worker_execute, other_context_with_the_same_names) {
  struct perfpred_sampler *sampler = start(NULL, 60);
  struct perfpred_context *other = make_context();
  char other_text[sizeof user_text];
  strcpy(other_text, user_text);
  *strstr(other_text, "1*n") = '5';
  struct perfpred_program *program = find_turn(context, user_text), *second = find_turn(other, other_text);
  struct perfpred_measurement measurement;
  for (int i = 0; i < 2; i++) {
    cr_assert_ok(run(sampler, program, (int64_t[]){ 100 }, 1, &measurement), error);
    cr_assert_ok(run(sampler, second, (int64_t[]){ 100 }, 1, &measurement), error);
    expect_time(&measurement);
  }
  perfpred_program_unref(second);
  perfpred_program_unref(program);
  perfpred_context_destroy(other);
  perfpred_sampler_destroy(sampler);
}

static struct perfpred_program *multiply(void) {
  return parse(context, "algorithm multiply(m)\n  in A: double matrix[m, 8]\n  in B: double matrix[8, 8]\n"
                        "  inout C: double matrix[m, 8]\n"
                        "  dgemm(N, N, m, 8, 8, 1, A[0, 0], B[0, 0], 0, C[0, 0])\nend\n");
}

static void expect_failure(int64_t m, enum perfpred_status expected, const char *text) {
  struct perfpred_sampler *sampler = start(FAULTY, expected == PERFPRED_TIMEOUT ? CALL_S : PATIENT_S);
  struct perfpred_program *program = multiply();
  struct perfpred_measurement measurement;
  cr_assert_ok(run(sampler, program, (int64_t[]){ 8 }, 1, &measurement), error);
  cr_assert_eq(run(sampler, program, &m, 1, &measurement), expected, "%d: %s", error.status, error.text);
  cr_assert_eq(error.status, expected);
  cr_assert(strstr(error.text, "dgemm(N,N,"), "%s", error.text);
  cr_assert(strstr(error.text, text), "%s", error.text);
  cr_assert_ok(run(sampler, program, (int64_t[]){ 8 }, 1, &measurement), error);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

Test(worker_execute, crash_names_the_kernel) {
  expect_failure(13, PERFPRED_CRASHED, "SIGSEGV");
}

Test(worker_execute, hang_names_the_kernel) {
  char limit[32];
  snprintf(limit, sizeof limit, "within %d s", CALL_S);
  expect_failure(14, PERFPRED_TIMEOUT, limit);
}

Test(worker_execute, exit_names_the_kernel) {
  expect_failure(15, PERFPRED_CRASHED, "exited with code 3");
}

Test(worker_execute, xerbla_names_the_kernel) {
  expect_failure(19, PERFPRED_NUMERIC, "DGEMM refuses its argument 5");
}

static int stop_at_once(void *data, const struct perfpred_progress *progress) {
  cr_assert_geq(progress->size, sizeof *progress);
  ++*(int *)data;
  return 1;
}

Test(worker_execute, cancel) {
  struct perfpred_sampler *sampler = start(FAULTY, 60);
  struct perfpred_program *program = multiply();
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  int calls = 0;
  options.repetitions = 1000000;
  options.progress = stop_at_once;
  options.progress_data = &calls;
  cr_assert_eq(perfpred_measure(sampler, program, (int64_t[]){ 1000 }, 1, &options, &measurement, &error),
               PERFPRED_CANCELLED, "%s", error.text);
  cr_assert_eq(calls, 1, "cancelled once, the callback is called no more");
  cr_assert_eq(measurement.repetitions, 0, "the result is untouched");
  cr_assert_ok(run(sampler, program, (int64_t[]){ 8 }, 1, &measurement), error);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

static int open_descriptors(void) {
  int count = 0;
  DIR *listing = opendir("/proc/self/fd");
  cr_assert_not_null(listing);
  while (readdir(listing))
    count++;
  closedir(listing);
  return count;
}

Test(worker_execute, nothing_is_left_behind) {
  int before = open_descriptors();
  for (int i = 0; i < 3; i++)
    perfpred_sampler_destroy(start(FAULTY, 60));
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.worker = "/nonexistent/worker";
  setup.blas = FAULTY;
  cr_assert_eq(perfpred_sampler_create_worker(context, &setup, &sampler, &error), PERFPRED_MISSING);
  cr_assert_eq(open_descriptors(), before);
  cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
}

/* What a host does with its children, or with broken pipes, is its own business. */
Test(worker_execute, host_that_ignores_its_children) {
  struct perfpred_measurement measurement;
  signal(SIGCHLD, SIG_IGN);
  struct perfpred_sampler *sampler = start(FAULTY, 60);
  struct perfpred_program *program = multiply();
  cr_assert_eq(run(sampler, program, (int64_t[]){ 13 }, 1, &measurement), PERFPRED_CRASHED, "%s", error.text);
  cr_assert_ok(run(sampler, program, (int64_t[]){ 8 }, 1, &measurement), error);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}

/* Files that the host has open without close-on-exec do not reach the worker: a lock or a port would live on there. */
Test(worker_execute, descriptors_of_the_host_stay) {
  int ends[2];
  char byte = 0;
  cr_assert_eq(pipe(ends), 0);
  struct perfpred_sampler *sampler = start(FAULTY, 60);
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  cr_assert_eq(read(ends[0], &byte, 1), 0, "the worker holds the writing end");
  close(ends[0]);
  perfpred_sampler_destroy(sampler);
}

static void *start_here(void *data) {
  *(struct perfpred_sampler **)data = start(FAULTY, 60);
  return NULL;
}

/* The worker belongs to the process, not to the thread that happened to start it. */
Test(worker_execute, starting_thread_ends) {
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_measurement measurement;
  pthread_t thread;
  cr_assert_eq(pthread_create(&thread, NULL, start_here, &sampler), 0);
  cr_assert_eq(pthread_join(thread, NULL), 0);
  struct perfpred_program *program = multiply();
  cr_assert_ok(run(sampler, program, (int64_t[]){ 8 }, 1, &measurement), error);
  perfpred_program_unref(program);
  perfpred_sampler_destroy(sampler);
}
