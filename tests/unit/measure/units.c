/* SPDX-License-Identifier: BSD-3-Clause */
/* Units of scripts on real memory and real threads; no time is looked at. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure/evict.h"
#include "measure/sampler.h"
#include "measure/team.h"
#include "world.h"

static struct perfpred_sampler *sampler;
static struct ppi_script script;
static struct ppi_outcome outcomes[8];

static void start(void) {
  world_start();
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  for (size_t i = 0; i < 8; i++)
    ppi_unit_result_free(&outcomes[i].result);
  ppi_script_free(&script);
  perfpred_sampler_destroy(sampler);
  world_stop();
}

TestSuite(units, .init = start, .fini = stop, .timeout = 60);

static void run(const char *text) {
  const struct ppi_sampling sampling = { .repetitions = 3, .gate = -1.0 };
  cr_assert_eq(ppi_script_parse(context.kernels, text, strlen(text), "calls", 0, &script, &error), PERFPRED_OK, "%s",
               error.text);
  cr_assert_leq(script.unit_count, 8);
  cr_assert_eq(sampler->ops->script(sampler, &script, &sampling, outcomes, &error), PERFPRED_OK, "%s", error.text);
}

/* What the calls of a kernel saw. */
struct seen {
  double *x[64], *y[64];
  atomic_int calls;
  pthread_t threads[64];
  double first, last;
};

static int record(void *data, void *const args[]) {
  struct seen *seen = data;
  int call = atomic_fetch_add(&seen->calls, 1) % 64;
  double *x = args[1], *y = args[2];
  seen->x[call] = x;
  seen->y[call] = y;
  seen->threads[call] = pthread_self();
  if (call == 0)
    seen->first = y[0];
  seen->last = y[0];
  y[0] = 1.5 * y[0] + 1.0;
  return 0;
}

static const char record_text[] = "kernel drecord(n: size, x: in vector[n], y: inout vector[n])\nend\n";

Test(units, operands_lie_where_the_text_says) {
  struct seen seen = { 0 };
  register_free_form(record_text, record, &seen);
  run("double A[1000]\nset repetitions 1; set precondition none\ndrecord(10, A, A+500)\n");
  cr_assert_eq(outcomes[0].status, PERFPRED_OK, "%s", outcomes[0].text);
  int calls = atomic_load(&seen.calls);
  cr_assert_gt(calls, 0);
  for (int i = 0; i < calls && i < 64; i++) {
    cr_expect_eq(seen.y[i] - seen.x[i], 500);
    cr_expect_eq(seen.x[i], seen.x[0], "fixed operands stay");
  }
}

Test(units, memory_of_ones_own_is_aligned_as_wanted) {
  static const size_t aligns[] = { 8, 64, 4096 };
  for (size_t k = 0; k < 3; k++) {
    struct seen seen = { 0 };
    char text[200], name[300];
    snprintf(name, sizeof name, "kernel drecord%zu(n: size, x: in vector[n], y: inout vector[n])\nend\n", k);
    register_free_form(name, record, &seen);
    snprintf(text, sizeof text, "set repetitions 1; set align %zu\ndrecord%zu(10)\n", aligns[k], k);
    ppi_script_free(&script);
    ppi_unit_result_free(&outcomes[0].result);
    run(text);
    cr_assert_gt(atomic_load(&seen.calls), 0);
    cr_expect_eq((uintptr_t)seen.x[0] % (2 * aligns[k]), aligns[k]);
    cr_expect_eq((uintptr_t)seen.y[0] % (2 * aligns[k]), aligns[k]);
  }
}

Test(units, fresh_operands_move_and_have_their_values) {
  struct seen seen = { 0 };
  register_free_form(record_text, record, &seen);
  run("set operands fresh\ndrecord(10)\n");
  int calls = atomic_load(&seen.calls);
  cr_assert_gt(calls, 2);
  cr_expect_neq(seen.y[0], seen.y[1]);
  cr_expect_neq(seen.x[0], seen.x[1]);
  cr_expect_float_eq(seen.last, seen.first, 0.0);
}

/* Buffers that are divided stay so: all of them move together, and the values are there at each place. */
Test(units, fresh_operands_in_named_buffers_move_together) {
  struct seen seen = { 0 };
  register_free_form(record_text, record, &seen);
  run("double A[1000], B[50]\nset operands fresh; set prepare A[0:600] B\ndrecord(10, A+100, A+600)\n");
  cr_assert_eq(outcomes[0].status, PERFPRED_OK, "%s", outcomes[0].text);
  int calls = atomic_load(&seen.calls);
  cr_assert_gt(calls, 2);
  for (int i = 0; i < calls && i < 64; i++) {
    cr_expect_eq(seen.y[i] - seen.x[i], 500);
    for (int k = 0; k < i; k++)
      cr_expect_geq(llabs((long long)(seen.x[i] - seen.x[k])), 1000, "no run meets what another one touched");
  }
  cr_expect_float_eq(seen.last, seen.first, 0.0);
}

Test(units, fresh_buffers_are_aligned_as_wanted) {
  struct seen seen = { 0 };
  register_free_form(record_text, record, &seen);
  run("set align 256\ndouble A[77]\nset operands fresh\ndrecord(10, A, A+20)\n");
  cr_assert_eq(outcomes[0].status, PERFPRED_OK, "%s", outcomes[0].text);
  int calls = atomic_load(&seen.calls);
  for (int i = 0; i < calls && i < 64; i++)
    cr_expect_eq((uintptr_t)seen.x[i] % 512, 256);
}

/* Both threads of a run are on the same copy, and the next run is on another one. */
Test(units, threads_share_fresh_buffers) {
  struct seen one = { 0 }, two = { 0 };
  register_free_form(record_text, record, &one);
  register_free_form("kernel dother(n: size, x: in vector[n], y: inout vector[n])\nend\n", record, &two);
  run("double A[100]\nset operands fresh\n{omp drecord(4, A, A+10); dother(4, A, A+20) }\n");
  cr_assert_eq(outcomes[0].status, PERFPRED_OK, "%s", outcomes[0].text);
  int calls = atomic_load(&one.calls);
  cr_assert_gt(calls, 1);
  cr_assert_eq(atomic_load(&two.calls), calls);
  for (int i = 0; i < calls && i < 64; i++)
    cr_expect_eq(one.x[i], two.x[i]);
  cr_expect_neq(one.x[0], one.x[1]);
}

/* After fresh copies of a buffer, fixed operands are in the buffer itself. */
Test(units, fresh_copies_are_of_one_call_alone) {
  struct seen seen = { 0 };
  register_free_form(record_text, record, &seen);
  run("double A[100]\ndrecord(4, A, A+10)\nset operands fresh\ndrecord(4, A, A+10)\nset operands fixed\n"
      "drecord(4, A, A+10)\nfree A\ndouble A[30]\nset operands fresh\ndrecord(4, A, A+10)\n");
  for (int i = 0; i < 4; i++)
    cr_expect_eq(outcomes[i].status, PERFPRED_OK, "%s", outcomes[i].text);
  cr_expect_float_eq(seen.last, seen.first, 0.0);
}

/* More than any machine has: neither it nor a neighbour is killed for it. */
Test(units, buffers_beyond_the_memory_are_a_failure_of_their_call) {
  struct seen seen = { 0 };
  register_free_form(record_text, record, &seen);
  run("double A[4398046511104], B[100]\ndrecord(4, A, A+10)\ndrecord(4, B, B+10)\n"
      "set operands fresh\ndrecord(4, A, A+10)\nset operands fixed\ndrecord(4, [4398046511104], .)\n");
  cr_expect_eq(outcomes[0].status, PERFPRED_NO_MEMORY, "%s", outcomes[0].text);
  cr_expect_not_null(strstr(outcomes[0].text, "35184372088832 bytes"), "%s", outcomes[0].text);
  cr_expect_eq(outcomes[1].status, PERFPRED_OK, "%s", outcomes[1].text);
  cr_expect_eq(outcomes[2].status, PERFPRED_NO_MEMORY, "%s", outcomes[2].text);
  cr_expect_eq(outcomes[3].status, PERFPRED_NO_MEMORY, "%s", outcomes[3].text);
}

/* y grows by half at every call: it would be infinite before long. */
Test(units, ten_thousand_repetitions_do_not_drift) {
  struct seen seen = { 0 };
  register_free_form(record_text, record, &seen);
  run("set repetitions 10000\ndrecord(10)\n");
  cr_assert_geq(atomic_load(&seen.calls), 10000);
  cr_expect_float_eq(seen.last, seen.first, 0.0);
}

static int fail(void *data, void *const args[]) {
  (void)data;
  return *(const int64_t *)args[0] == 13 ? 7 : 0;
}

Test(units, a_call_that_fails_does_not_keep_the_next_from_running) {
  register_free_form("kernel dfail(n: size, x: inout vector[n])\nend\n", fail, NULL);
  run("dfail(12)\n{ dfail(12); dfail(13) }\ndpotrf2(L, 4)\ndfail(14)\n");
  cr_expect_eq(outcomes[0].status, PERFPRED_OK);
  cr_expect_eq(outcomes[1].status, PERFPRED_NUMERIC);
  cr_expect_not_null(strstr(outcomes[1].text, "dfail(13)"), "%s", outcomes[1].text);
  cr_expect_eq(outcomes[2].status, PERFPRED_UNSUPPORTED, "it has no address here");
  cr_expect_eq(outcomes[3].status, PERFPRED_OK);
  cr_expect_gt(outcomes[3].result.timing.count, 0);
  cr_expect_gt(outcomes[3].result.timing.first_s, 0.0);
}

Test(units, lanes_of_a_region_run_on_threads_of_their_own) {
  struct seen one = { 0 }, two = { 0 };
  register_free_form(record_text, record, &one);
  register_free_form("kernel dother(n: size, x: in vector[n], y: inout vector[n])\nend\n", record, &two);
  run("set repetitions 2\n{omp drecord(4); { dother(4); dother(5) } }\n");
  cr_assert_eq(outcomes[0].status, PERFPRED_OK, "%s", outcomes[0].text);
  cr_expect_eq(outcomes[0].result.threads, 2);
  int calls = atomic_load(&one.calls);
  cr_expect_eq(atomic_load(&two.calls), 2 * calls, "every call of a run once");
  for (int i = 0; i < calls && i < 64; i++)
    cr_expect(pthread_equal(one.threads[i], pthread_self()), "the first lane is the caller's");
  for (int i = 0; i < 2 * calls && i < 64; i++) {
    cr_expect_not(pthread_equal(two.threads[i], pthread_self()));
    cr_expect(pthread_equal(two.threads[i], two.threads[0]), "threads are made once");
  }
}

static void add_one(void *data, int index) {
  atomic_int *counts = data;
  atomic_fetch_add(&counts[index], 1);
}

Test(units, a_team_works_parked_or_armed) {
  struct ppi_team *team = NULL;
  atomic_int counts[4] = { 0 };
  cr_assert_eq(ppi_team_create(4, NULL, 0, &team, &error), PERFPRED_OK);
  for (int i = 0; i < 200; i++) {
    if (i % 3 == 0)
      ppi_team_park(team);
    if (i % 2 == 0)
      ppi_team_arm(team);
    ppi_team_run(team, add_one, counts);
  }
  ppi_team_destroy(team);
  for (int i = 0; i < 4; i++)
    cr_expect_eq(atomic_load(&counts[i]), 200);
  ppi_team_destroy(NULL);
}

struct lines {
  const unsigned char *line[64];
  size_t count;
};

static void add_line(void *data, const unsigned char *line) {
  struct lines *lines = data;
  cr_assert_lt(lines->count, 64);
  lines->line[lines->count++] = line;
}

static _Alignas(4096) unsigned char memory[8192];

/* 3 columns of 10 doubles (80 bytes) at a distance of 40 doubles (320 bytes), from byte 32 on: each covers two lines. */
Test(units, the_lines_of_a_matrix_are_those_that_are_evicted) {
  struct lines lines = { .count = 0 };
  const struct ppi_area area = { memory + 32, 8, 10, 3, 1, 40, 0 };
  static const size_t expected[] = { 0, 64, 320, 384, 640, 704 };
  ppi_area_lines(&area, add_line, &lines);
  cr_assert_eq(lines.count, 6);
  for (size_t i = 0; i < 6; i++)
    cr_expect_eq(lines.line[i], memory + expected[i]);
  ppi_evict_area(ppi_evict_kind(), &area);
  ppi_evict_finish();
}

/* A vector of 5 doubles with increment 4: bytes 0, 32, 64, 96, 128. Then an empty one. */
Test(units, the_lines_of_a_vector_are_counted_once) {
  struct lines lines = { .count = 0 };
  const struct ppi_area area = { memory, 8, 5, 1, 4, 5, 0 }, empty = { memory, 8, 0, 1, 1, 1, 0 };
  ppi_area_lines(&area, add_line, &lines);
  cr_assert_eq(lines.count, 3);
  ppi_area_lines(&empty, add_line, &lines);
  cr_expect_eq(lines.count, 3);
}

Test(units, a_library_of_the_users_is_asked_for_its_symbol) {
  static const char text[] = "kernel dmylib(n: size, x: inout vector[n])\n  library /nowhere/libmine.so\nend\n";
  cr_assert_eq(ppi_kernels_add_text(context.kernels, text, sizeof text - 1, "test", &error), PERFPRED_OK, "%s",
               error.text);
  static const char math[] =
      "kernel dmath(n: size, x: inout vector[n])\n  library libm.so.6\n  symbol no_such_symbol\nend\n";
  cr_assert_eq(ppi_kernels_add_text(context.kernels, math, sizeof math - 1, "test", &error), PERFPRED_OK, "%s",
               error.text);
  run("dmylib(3)\ndmath(3)\n");
  cr_expect_eq(outcomes[0].status, PERFPRED_MISSING);
  cr_expect_not_null(strstr(outcomes[0].text, "/nowhere/libmine.so"), "%s", outcomes[0].text);
  cr_expect_eq(outcomes[1].status, PERFPRED_MISSING);
  cr_expect_not_null(strstr(outcomes[1].text, "no_such_symbol"), "%s", outcomes[1].text);
}

/* --- On the virtual clock ------------------------------------------------------------------------------------------ */

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  return 1e-6 * (double)call->sizes[0];
}

Test(units, report_of_a_virtual_sampler) {
  struct perfpred_sampler *virtual = NULL;
  char *json = NULL;
  static const char text[] = "daxpy(3, 1)\n{ daxpy(3, 1); dscal(4, 1) }\n{omp daxpy(3, 1); dscal(4, 1) }\n";
  cr_assert_eq(perfpred_sampler_create_virtual(&context, cost, NULL, NULL, &virtual, &error), PERFPRED_OK);
  cr_assert_eq(perfpred_sample_text(virtual, &context, text, sizeof text - 1, NULL, NULL, &json, &error), PERFPRED_OK,
               "%s", error.text);
  const char *first = strstr(json, "\"med\":3e-06"), *second = strstr(json, "\"med\":7e-06");
  const char *third = strstr(json, "\"med\":4e-06");
  cr_expect(first && second && third && first < second && second < third, "%s", json);
  cr_expect_not_null(strstr(json, "\"lanes\":[[\"daxpy(3)\"],[\"dscal(4)\"]]"), "%s", json);
  perfpred_free(json);
  cr_expect_eq(perfpred_sample_text(virtual, &context, "daxpy(", 6, "mine", NULL, &json, &error), PERFPRED_SYNTAX);
  cr_expect_eq(strncmp(error.text, "mine:1:", 7), 0, "%s", error.text);
  cr_expect_eq(perfpred_sample_text(virtual, &context, NULL, 3, NULL, NULL, &json, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_sample_text(NULL, &context, "", 0, NULL, NULL, &json, &error), PERFPRED_INVALID);
  perfpred_sampler_destroy(virtual);
}
