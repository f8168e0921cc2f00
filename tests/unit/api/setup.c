/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a setup is the one that models are of. */
#include "api/setup.h"

#include <criterion/criterion.h>
#include <string.h>

static struct perfpred_models *models;
static struct ppi_setup setup;

static void begin(void) {
  cr_assert_eq(ppi_models_create(&models, NULL), PERFPRED_OK);
  memset(&setup, 0, sizeof setup);
  strcpy(setup.blas.path, "/usr/lib/libone.so");
  strcpy(setup.blas.build_id, "aaaa");
  strcpy(setup.blas.kernels, "skx");
  strcpy(setup.lapack.path, "/usr/lib/liblapack.so");
  strcpy(setup.clock, "tsc");
  setup.threads = 1;
  models->setups[0] = setup;
}

static void finish(void) {
  perfpred_models_unref(models);
}

TestSuite(setup, .init = begin, .fini = finish);

static void refused_as(enum perfpred_status status, const char *a, const char *b) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, &error), status, "%s", error.text);
  cr_assert(strstr(error.text, a) && strstr(error.text, b), "%s", error.text);
}

static void refused(const char *a, const char *b) {
  refused_as(PERFPRED_OTHER_BLAS, a, b);
}

Test(setup, the_same) {
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, NULL), PERFPRED_OK);
}

Test(setup, the_same_file_in_another_place) {
  strcpy(setup.blas.path, "/opt/libone.so");
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, NULL), PERFPRED_OK);
}

Test(setup, another_build_in_the_same_place) {
  strcpy(setup.blas.build_id, "bbbb");
  refused("aaaa", "bbbb");
}

Test(setup, paths_decide_where_a_build_id_is_missing) {
  setup.blas.build_id[0] = '\0';
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, NULL), PERFPRED_OK);
  strcpy(setup.blas.path, "/usr/lib/libtwo.so");
  refused("/usr/lib/libone.so", "/usr/lib/libtwo.so");
}

Test(setup, other_kernels_of_the_same_file) {
  strcpy(setup.blas.kernels, "haswell");
  refused("skx", "haswell");
}

Test(setup, another_lapack) {
  strcpy(setup.lapack.path, "/opt/liblapack.so");
  refused("LAPACK", "/opt/liblapack.so");
}

Test(setup, other_threads) {
  setup.threads = 2;
  refused("1 threads", "2");
}

Test(setup, other_integers) {
  setup.ilp64 = true;
  refused("32 bits", "64");
}

Test(setup, another_version_in_the_same_place) {
  strcpy(setup.blas.version, "0.9.0");
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, NULL), PERFPRED_OK); /* one that does not tell may be any */
  strcpy(models->setups[0].blas.version, "0.9.1");
  refused("0.9.1", "0.9.0");
}

Test(setup, another_version_of_the_lapack) {
  strcpy(setup.lapack.version, "3.11.0");
  strcpy(models->setups[0].lapack.version, "3.12.0");
  refused("3.12.0", "3.11.0");
}

Test(setup, another_protocol) {
  setup.protocol = 7;
  refused_as(PERFPRED_VERSION, "protocol 0", "protocol 7");
}

Test(setup, another_clock) {
  strcpy(setup.clock, "monotonic");
  refused_as(PERFPRED_OTHER_MACHINE, "tsc", "monotonic");
}

Test(setup, a_virtual_clock_fits_everything) {
  strcpy(setup.blas.build_id, "bbbb");
  strcpy(setup.clock, "virtual");
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, NULL), PERFPRED_OK);
  strcpy(setup.clock, "tsc");
  strcpy(models->setups[0].clock, "virtual");
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, NULL), PERFPRED_OK);
}

Test(setup, forced_models_pass) {
  strcpy(setup.blas.build_id, "bbbb");
  models->notes = PERFPRED_NOTE_FORCED;
  cr_assert_eq(ppi_setup_compare(models, 0, &setup, NULL), PERFPRED_OK);
}
