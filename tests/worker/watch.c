/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of another process, on a scripted PAPI. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../worker/worker.h"
#include "papi_script.h"

static struct ppi_worker_page page;
static struct worker worker;
static struct perfpred_error error;
static pid_t process;
static int told, cancel_at;

const struct ppi_papi *worker_papi(void) {
  return &scripted_papi;
}

int worker_progress(void *data, const struct perfpred_progress *progress) {
  cr_expect_eq(data, &worker);
  cr_expect_str_eq(progress->stage, "watching");
  return ++told == cancel_at;
}

enum perfpred_status worker_unreadable(struct perfpred_error *failure) {
  return ppi_error_set(failure, PERFPRED_WORKER, "unreadable");
}

/* A process that sleeps until it is killed. */
static void begin(void) {
  script_reset();
  script.limit = 4;
  worker.page = &page;
  process = fork();
  if (process == 0) {
    pause();
    _exit(0);
  }
}

static void end(void) {
  if (process > 0) {
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
  }
  cr_expect_eq(script.up, 0);
  cr_expect_eq(script.sets, 0);
  cr_expect_eq(script.running, 0);
  ppi_wire_free(&worker.in);
  ppi_wire_free(&worker.out);
}

TestSuite(watch, .init = begin, .fini = end, .timeout = 60);

static enum perfpred_status watch(const char *misses, double duration_s) {
  struct ppi_watch asked = {
    .pid = process, .interval_s = 1e-3, .duration_s = duration_s, .events = { "PAPI_TOT_INS", "PAPI_TOT_CYC" }
  };
  snprintf(asked.events[PPI_APEX_MISSES], sizeof asked.events[0], "%s", misses);
  ppi_wire_start(&worker.in, PPI_MESSAGE_WATCH);
  ppi_put_watch(&worker.in, &asked);
  worker.in.at = 0;
  return worker_watch(&worker, &error);
}

/* The events of each thread read 2, 1 and 3 times the number of the reading. */
static size_t expect_samples(int threads) {
  size_t length = 0;
  worker.out.at = 0;
  const struct ppi_watch_sample *samples = ppi_wire_get_bytes(&worker.out, &length);
  for (size_t i = 0; i < length / sizeof *samples; i++) {
    cr_expect_gt(samples[i].time_s, 0.0);
    cr_expect_float_eq(samples[i].counts[PPI_APEX_FLOPS], 2.0 * threads, 0.0);
    cr_expect_float_eq(samples[i].counts[PPI_APEX_CYCLES], 1.0 * threads, 0.0);
    cr_expect_float_eq(samples[i].counts[PPI_APEX_MISSES], 3.0 * threads, 0.0);
  }
  return length / sizeof *samples;
}

Test(watch, what_happens_between_two_readings_is_a_sample) {
  cr_assert_eq(watch("PAPI_L1_DCM", 5e-3), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(script.attached, (unsigned long)process);
  cr_expect_geq(expect_samples(1), 1);
}

static void *sleep_on(void *data) {
  (void)data;
  pause();
  return NULL;
}

/* In place of the process: one with two more threads, which is told when they are there. */
static void begin_threads(void) {
  int ends[2];
  char ready;
  kill(process, SIGKILL);
  waitpid(process, NULL, 0);
  cr_assert_eq(pipe(ends), 0);
  process = fork();
  if (process == 0) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
      if (pthread_create(&threads[i], NULL, sleep_on, NULL) != 0)
        _exit(1);
    if (write(ends[1], "x", 1) == 1)
      pause();
    _exit(0);
  }
  close(ends[1]);
  cr_assert_eq(read(ends[0], &ready, 1), 1);
  close(ends[0]);
}

Test(watch, all_threads_count) {
  begin_threads();
  cr_assert_eq(watch("PAPI_L1_DCM", 5e-3), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(script.attaches, 3);
  cr_expect_geq(expect_samples(3), 1);
}

Test(watch, a_thread_that_runs_uncounted_is_a_failure) {
  begin_threads();
  script.refuse_after = 2;
  cr_expect_eq(watch("PAPI_L1_DCM", 5e-3), PERFPRED_UNSUPPORTED);
  cr_expect_not_null(strstr(error.text, "it cannot be attached to: "), "%s", error.text);
}

Test(watch, it_ends_with_the_process) {
  kill(process, SIGKILL);
  siginfo_t state;
  waitid(P_PID, (id_t)process, &state, WEXITED | WNOWAIT); /* it stays a zombie */
  cr_expect_eq(watch("PAPI_L1_DCM", 0.0), PERFPRED_NOT_FOUND);
  waitpid(process, NULL, 0);
  cr_expect_eq(watch("PAPI_L1_DCM", 0.0), PERFPRED_NOT_FOUND);
  char text[100];
  snprintf(text, sizeof text, "process %d: there is none", (int)process);
  cr_expect_str_eq(error.text, text);
  process = 0;
}

Test(watch, it_can_be_cancelled) {
  cancel_at = 3;
  cr_expect_eq(watch("PAPI_L1_DCM", 0.0), PERFPRED_CANCELLED);
  cr_expect_eq(told, 3);
}

static void expect_refusal(const char *misses, const char *words) {
  memset(&error, 0, sizeof error);
  cr_expect_eq(watch(misses, 0.0), PERFPRED_UNSUPPORTED);
  cr_expect_not_null(strstr(error.text, words), "%s", error.text);
}

Test(watch, what_cannot_be_counted_is_told) {
  expect_refusal("PAPI_NONSENSE", "event PAPI_NONSENSE cannot be counted here: ");
  script.attach = -15;
  expect_refusal("PAPI_L1_DCM", "it cannot be attached to: ");
  script.attach = 0;
  script.start = -10;
  expect_refusal("PAPI_L1_DCM", "counting cannot be started: ");
  script.start = 0;
  script.disabled = "no PMU";
  expect_refusal("PAPI_L1_DCM", "no counters can be read here: no PMU");
  script.start_up = -3;
  expect_refusal("PAPI_L1_DCM", "PAPI does not start: A System/C library call failed");
  script.start_up = 0;
}

Test(watch, senseless_requests_are_unreadable) {
  process = kill(process, SIGKILL) == 0 && waitpid(process, NULL, 0) > 0 ? 0 : process;
  cr_expect_eq(watch("PAPI_L1_DCM", 1.0), PERFPRED_WORKER); /* process 0 */
}
