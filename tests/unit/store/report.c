/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <criterion/criterion.h>

Test(report, the_machine_has_the_keys_of_the_command) {
  static const char *const expected[] = { "\"cpu\": \"A \\\"quoted\\\" CPU \xc3\xa4\"",
                                          "\"cores\": 2",
                                          "\"caches\": [{\"level\": 1, \"bytes\": 49152",
                                          "\"peak_flops_per_s\": 80000000000.0",
                                          "\"bandwidth_bytes_per_s\": 12500000000.0",
                                          "\"counters_available\": null",
                                          ("\"counters\": {\"available\": false, \"hardware\": 0, \"names\": [], "
                                           "\"note\": \"no counters\"}"),
                                          "\"blas\": {\"family\": \"virtual\", \"path\": \"/usr/lib/libblas.so.3\"",
                                          "\"lapack\": {",
                                          "\"threads\": 1",
                                          "\"clock\": \"virtual\"" };
  struct world world;
  struct perfpred_models *models;
  char *json = NULL;

  world_create(&world);
  models = sample_models(&world);
  strcpy(models->machine.counters_note, "no counters");
  cr_assert_eq(ppi_store_machine(&models->machine, models->setups, &json, NULL), PERFPRED_OK);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    cr_assert_not_null(strstr(json, expected[i]), "no %s in %s", expected[i], json);
  free(json);
  models->machine.counters_note[0] = '\0';
  models->machine.counters_available = 5;
  models->machine.counters_hardware = 6;
  strcpy(models->machine.counters_names, "PAPI_TOT_CYC sde:::LIB::calls");
  cr_assert_eq(ppi_store_machine(&models->machine, NULL, &json, NULL), PERFPRED_OK);
  cr_assert_not_null(strstr(json, "\"counters_available\": 5"));
  cr_assert_not_null(strstr(json, "\"counters\": {\"available\": true, \"hardware\": 6, "
                                  "\"names\": [\"PAPI_TOT_CYC\", \"sde:::LIB::calls\"], \"note\": \"\"}"));
  cr_assert_not_null(strstr(json, "\"blas\": null"));
  free(json);
  perfpred_models_unref(models);
  world_destroy(&world);
}

Test(report, bytes_that_are_no_utf8_do_not_spoil_it) {
  struct world world;
  struct perfpred_models *models;
  char *json = NULL;

  world_create(&world);
  models = sample_models(&world);
  strcpy(models->setups[0].blas.path, "/home/m\xfcller/libblas.so");
  cr_assert_eq(ppi_store_machine(&models->machine, models->setups, &json, NULL), PERFPRED_OK);
  cr_assert_not_null(strstr(json, "/home/m?ller/libblas.so"));
  free(json);
  perfpred_models_unref(models);
  world_destroy(&world);
}
