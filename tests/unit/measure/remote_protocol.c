/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/protocol.h"

static struct perfpred_error error;

Test(remote_protocol, error_travels_with_its_place) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct perfpred_error sent = { PERFPRED_SYNTAX, 3, 14, "x.algorithms:3:14: expected a name" };
  ppi_wire_start(&wire, PPI_MESSAGE_FAILED);
  ppi_put_error(&wire, PERFPRED_SYNTAX, &sent);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_get_error(&wire, &error), PERFPRED_SYNTAX);
  cr_assert_eq(error.status, PERFPRED_SYNTAX);
  cr_assert_eq(error.line, 3);
  cr_assert_eq(error.column, 14);
  cr_assert_str_eq(error.text, sent.text);
  ppi_wire_free(&wire);
}

/* A worker that says "failed: success", or a status that nobody knows, must not be taken for success. */
Test(remote_protocol, senseless_status_is_a_failure) {
  const int64_t senseless[] = { 0, -1, 9999, INT64_C(1) << 40 };
  for (size_t i = 0; i < sizeof senseless / sizeof senseless[0]; i++) {
    struct ppi_wire wire = PPI_WIRE_INIT;
    ppi_wire_start(&wire, PPI_MESSAGE_FAILED);
    ppi_wire_put_i64(&wire, senseless[i]);
    ppi_wire_put_i64(&wire, 0);
    ppi_wire_put_i64(&wire, 0);
    ppi_wire_put_string(&wire, "text");
    ppi_error_clear(&error);
    cr_assert_eq(ppi_get_error(&wire, &error), PERFPRED_WORKER, "%lld", (long long)senseless[i]);
    cr_assert_eq(error.status, PERFPRED_WORKER);
    ppi_wire_free(&wire);
  }
}

Test(remote_protocol, empty_message_is_a_failure) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, PPI_MESSAGE_FAILED);
  cr_assert_eq(ppi_get_error(&wire, NULL), PERFPRED_WORKER);
}

Test(remote_protocol, sampling_travels) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct ppi_sampling got,
      sent = { .repetitions = 7, .gate = -1.0, .budget_s = 0.25, .seed = UINT64_MAX, .ld = 264, .partial = true };
  ppi_wire_start(&wire, PPI_MESSAGE_SAMPLE);
  ppi_put_sampling(&wire, &sent);
  ppi_get_sampling(&wire, &got);
  cr_assert_not(wire.bad);
  cr_assert_eq(got.repetitions, 7);
  cr_assert_eq(got.gate, -1.0);
  cr_assert_eq(got.budget_s, 0.25);
  cr_assert_eq(got.seed, UINT64_MAX);
  cr_assert_eq(got.ld, 264);
  cr_assert(got.partial);
  cr_assert_null(got.progress);
  ppi_wire_free(&wire);
}

Test(remote_protocol, request_travels_value_by_value) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct perfpred_kernel kernel = { .name = "zfoo", .arg_count = 3 };
  struct ppi_value sent[3] = { { .i = 'L' }, { .re = 1.5, .im = -2.0 }, { .i = 0, .by_row = true } }, got[PPI_ARG_MAX];
  struct ppi_request request = { &kernel, sent, 1032 };
  int count = 0;
  int64_t ld = 0;
  ppi_wire_start(&wire, PPI_MESSAGE_SAMPLE);
  ppi_put_request(&wire, &request);
  cr_assert_str_eq(ppi_get_request(&wire, got, &count, &ld), "zfoo");
  cr_assert_not(wire.bad);
  cr_assert_eq(count, 3);
  cr_assert_eq(ld, 1032);
  cr_assert_eq(got[0].i, 'L');
  cr_assert_eq(got[1].re, 1.5);
  cr_assert_eq(got[1].im, -2.0);
  cr_assert(got[2].by_row);
  cr_assert_not(got[0].by_row);
  cr_assert_eq(got[0].buffer, -1);
  ppi_wire_free(&wire);
}

Test(remote_protocol, request_with_too_many_values_is_bad) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct ppi_value got[PPI_ARG_MAX];
  int count = 0;
  int64_t ld = 0;
  ppi_wire_start(&wire, PPI_MESSAGE_SAMPLE);
  ppi_wire_put_string(&wire, "dgemm");
  ppi_wire_put_i64(&wire, 8);
  ppi_wire_put_i64(&wire, PPI_ARG_MAX + 1);
  ppi_get_request(&wire, got, &count, &ld);
  cr_assert(wire.bad);
  cr_assert_eq(count, 0);
  ppi_wire_free(&wire);
}

static void put_two_results(struct ppi_wire *wire) {
  double times[3] = { 1e-3, 2e-3, 4e-3 };
  struct ppi_sample samples[2] = { { 1.0, 2.0, 3.0, 4.0, true, false, 9.0 },
                                   { 5.0, 6.0, 7.0, 8.0, false, true, 10.0 } };
  struct ppi_result sent[2] = {
    { times, 3, 1.5e-3, 2, true, 264, 1e-16, 0.5, 0.75, samples, 2, { 0.1, 0.2, 0.3, 0.4, 0.5 } },
    { times, 1, 0.25, 0, false, 8, NAN, 0.0625, 0.0, NULL, 0, { 0.0, 0.0, 0.0, 0.0, 0.0 } }
  };
  ppi_wire_start(wire, PPI_MESSAGE_DONE);
  ppi_put_results(wire, sent, 2);
}

Test(remote_protocol, results_travel) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct ppi_result got[2];
  put_two_results(&wire);
  cr_assert_eq(ppi_get_results(&wire, got, 2, NULL), PERFPRED_OK);
  cr_assert_eq(got[0].count, 3);
  cr_assert_eq(got[0].times_s[2], 4e-3);
  cr_assert_eq(got[0].cpu_s, 1.5e-3);
  cr_assert_eq(got[0].disturbed, 2);
  cr_assert(got[0].gated);
  cr_assert_eq(got[0].ld, 264);
  cr_assert_eq(got[0].residual, 1e-16);
  cr_assert_eq(got[0].measure_s, 0.5);
  cr_assert_eq(got[0].first_s, 0.75);
  cr_assert_eq(got[0].sample_count, 2);
  cr_assert(got[0].samples[0].preempted && !got[0].samples[0].passed);
  cr_assert_eq(got[0].samples[1].cpu_s, 6.0);
  cr_assert_eq(got[0].samples[1].after_s, 8.0);
  cr_assert_eq(got[0].samples[1].run_s, 10.0);
  cr_assert_eq(got[0].spent.kept_s, 0.1);
  cr_assert_eq(got[0].spent.rejected_s, 0.2);
  cr_assert_eq(got[0].spent.spare_s, 0.3);
  cr_assert_eq(got[0].spent.yardstick_s, 0.4);
  cr_assert_eq(got[0].spent.restore_s, 0.5);
  cr_assert_eq(got[1].count, 1);
  cr_assert_eq(got[1].sample_count, 0);
  cr_assert_not(got[1].gated);
  cr_assert(isnan(got[1].residual));
  ppi_results_free(got, 2);
  ppi_wire_free(&wire);
}

Test(remote_protocol, other_number_of_results_is_a_failure) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct ppi_result got[3];
  put_two_results(&wire);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_get_results(&wire, got, 3, &error), PERFPRED_WORKER);
  cr_assert(strstr(error.text, "2 results, expected 3"), "%s", error.text);
  ppi_wire_free(&wire);
}

/* Cut anywhere, a message gives a failure and leaves nothing behind (the leak checkers look at the latter). */
Test(remote_protocol, results_cut_short_are_a_failure) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  put_two_results(&wire);
  for (size_t length = 0; length < wire.length; length += 8) {
    struct ppi_wire part = wire;
    struct ppi_result got[2];
    part.length = length;
    cr_assert_eq(ppi_get_results(&part, got, 2, NULL), PERFPRED_WORKER, "%zu bytes", length);
  }
  ppi_wire_free(&wire);
}

Test(remote_protocol, machine_and_setup_travel) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct ppi_machine machine = { .cpu = "Model 5",
                                 .instruction_set = "avx2",
                                 .cores = 4,
                                 .processing_units = 8,
                                 .cache_count = 2,
                                 .caches = { { 1, 32768, 64, 2, "hwloc" }, { 2, 1 << 20, 64, 2, "sysfs" } },
                                 .peak_flops_per_s = { 2e11, 1e11 },
                                 .bandwidth_bytes_per_s = 2e10,
                                 .counters_available = -1,
                                 .counters_hardware = 6,
                                 .counters_names = "PAPI_TOT_CYC sde:::LIB::calls",
                                 .counters_note = "none",
                                 .tsc_hz = 2.5e9 };
  struct ppi_setup setup = { .blas = { "/b", "00ff", "0.9.0", "haswell", "blis" },
                             .lapack = { "/l", "", "3.11.0", "", "reference" },
                             .threads = 2,
                             .ilp64 = true,
                             .clock = "tsc",
                             .yardstick_s = 25e-6,
                             .reference_s = 24e-6,
                             .library = "0.1.0",
                             .protocol = 1,
                             .cpus = "0-3,8",
                             .pinned = 8 };
  struct ppi_machine other;
  struct ppi_setup other_setup;
  ppi_wire_start(&wire, PPI_MESSAGE_DONE);
  ppi_put_machine(&wire, &machine);
  ppi_put_setup(&wire, &setup);
  ppi_get_machine(&wire, &other);
  ppi_get_setup(&wire, &other_setup);
  cr_assert_not(wire.bad);
  cr_assert_str_eq(other.cpu, "Model 5");
  cr_assert_eq(other.processing_units, 8);
  cr_assert_eq(other.cache_count, 2);
  cr_assert_eq(other.caches[1].bytes, 1048576);
  cr_assert_str_eq(other.caches[1].source, "sysfs");
  cr_assert_eq(other.peak_flops_per_s[1], 1e11);
  cr_assert_eq(other.counters_available, -1);
  cr_assert_eq(other.counters_hardware, 6);
  cr_assert_str_eq(other.counters_names, "PAPI_TOT_CYC sde:::LIB::calls");
  cr_assert_str_eq(other.counters_note, "none");
  cr_assert_str_eq(other_setup.blas.kernels, "haswell");
  cr_assert_str_eq(other_setup.lapack.family, "reference");
  cr_assert(other_setup.ilp64);
  cr_assert_eq(other_setup.yardstick_s, 25e-6);
  cr_assert_eq(other_setup.reference_s, 24e-6);
  cr_assert_str_eq(other_setup.cpus, "0-3,8");
  cr_assert_eq(other_setup.pinned, 8);
  ppi_wire_free(&wire);
}

/* Texts longer than their place are cut, a number of caches beyond the array is refused: memory stays whole. */
Test(remote_protocol, oversized_fields_are_contained) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  char longer[2 * PPI_TEXT_MAX];
  struct ppi_machine machine;
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  ppi_wire_start(&wire, PPI_MESSAGE_DONE);
  ppi_wire_put_string(&wire, longer);
  ppi_wire_put_string(&wire, longer);
  ppi_wire_put_i64(&wire, 1);
  ppi_wire_put_i64(&wire, 1);
  ppi_wire_put_i64(&wire, PPI_CACHE_MAX + 1);
  ppi_get_machine(&wire, &machine);
  cr_assert(wire.bad);
  cr_assert_eq(strlen(machine.cpu), PPI_TEXT_MAX - 1);
  cr_assert_eq(strlen(machine.instruction_set), sizeof machine.instruction_set - 1);
  ppi_wire_free(&wire);
}

Test(remote_protocol, page_keeps_the_call) {
  static struct ppi_worker_page page;
  char longer[2 * sizeof page.call];
  memset(longer, 'y', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  ppi_page_enter(&page, "dgemm(N,N,8,8,8)");
  cr_assert_str_eq(page.call, "dgemm(N,N,8,8,8)");
  cr_assert_eq(page.beat, 1);
  ppi_page_enter(&page, longer);
  cr_assert_eq(strlen(page.call), sizeof page.call - 1);
  ppi_page_leave(&page);
  cr_assert_str_eq(page.call, "");
  cr_assert_eq(page.beat, 3);
}
