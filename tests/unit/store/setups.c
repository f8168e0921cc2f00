/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of several setups, and files from before there were several. */
#include "fixture.h"

#include <criterion/criterion.h>

static struct world world;
static struct perfpred_models *models;

static void set_up(void) {
  world_create(&world);
  models = sample_models(&world);
}

static void tear_down(void) {
  perfpred_models_unref(models);
  world_destroy(&world);
}
TestSuite(setups, .init = set_up, .fini = tear_down);

static char *print(const struct perfpred_models *which) {
  char *text = NULL;

  cr_assert_eq(perfpred_models_print(which, &text, NULL), PERFPRED_OK);
  return text;
}

static struct perfpred_models *load(const char *text) {
  struct perfpred_models *loaded = NULL;
  struct perfpred_error error;

  cr_assert_eq(perfpred_models_load_memory(&world.context, text, strlen(text), "two.json", NULL, &loaded, &error),
               PERFPRED_OK, "%s", error.text);
  return loaded;
}

/* The sample's models, and those of dpotrf2 a second time for four threads of another BLAS. */
static void add_second(void) {
  struct ppi_setup second = models->setups[0];
  int place = 0;

  strcpy(second.blas.path, "/usr/lib/libother.so.1");
  strcpy(second.blas.build_id, "0123abcd");
  second.threads = 4;
  cr_assert_eq(ppi_models_add_setup(models, &second, &place, NULL), PERFPRED_OK);
  cr_assert_eq(place, 1);
  /* the same kernel, case and domain is one of its own with another setup */
  models->submodels[1].setup = 1;
  add_potrf2(models, &world);
  models->submodels[1].setup = 0;
  models->submodels[2].setup = 1;
}

Test(setups, a_file_of_the_first_version_becomes_one_of_the_second) {
  struct perfpred_models *old = NULL;
  struct perfpred_error error;
  char *expected, *found;

  memset(&models->submodels[0].pieces[1].tiles, 0, sizeof models->submodels[0].pieces[1].tiles); /* it had none */
  models->setups[0].protocol = 1;
  expected = print(models);

  cr_assert_eq(perfpred_models_load(&world.context, PPI_TEST_FILES "/version-1.json", NULL, &old, &error), PERFPRED_OK,
               "%s", error.text);
  cr_assert_eq(perfpred_models_setup_count(old), 1);
  found = print(old);
  cr_assert_str_eq(found, expected);
  free(found);
  free(expected);
  perfpred_models_unref(old);
}

Test(setups, two_in_one_file) {
  struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
  struct perfpred_model_info model = PERFPRED_MODEL_INFO_INIT;
  struct perfpred_models *again;
  char *text, *second;

  add_second();
  text = print(models);
  again = load(text);
  second = print(again);
  cr_assert_str_eq(text, second);
  cr_assert_eq(perfpred_models_setup_count(again), 2);
  cr_assert_eq(perfpred_models_count(again), 3);
  cr_assert_eq(perfpred_models_setup_info(again, 1, &info, NULL), PERFPRED_OK);
  cr_assert_eq(info.threads, 4);
  cr_assert_eq(info.models, 1);
  cr_assert_str_eq(info.blas_path, "/usr/lib/libother.so.1");
  cr_assert_str_eq(info.blas_build_id, "0123abcd");
  cr_assert_str_eq(info.clock, "virtual");
  cr_assert_eq(perfpred_models_info(again, 2, &model, NULL), PERFPRED_OK);
  cr_assert_eq(model.setup, 1);
  cr_assert_eq(model.ld, 1032);
  cr_assert_str_eq(model.context, "");
  free(second);
  free(text);
  perfpred_models_unref(again);
}

Test(setups, info_arguments) {
  struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
  struct perfpred_error error;

  cr_assert_eq(perfpred_models_setup_count(NULL), 0);
  cr_assert_eq(perfpred_models_setup_info(NULL, 0, &info, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_setup_info(models, 0, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_setup_info(models, 1, &info, &error), PERFPRED_NOT_FOUND);
  cr_assert_not_null(strstr(error.text, "index: 1"));
  info.size = 8;
  cr_assert_eq(perfpred_models_setup_info(models, 0, &info, &error), PERFPRED_INVALID);
}

/* Whatever makes times different makes a setup of its own, in a file and when files are joined. */
Test(setups, are_told_apart_by_all_that_times_depend_on) {
  const struct ppi_setup base = models->setups[0];
  struct ppi_setup other = base;

  cr_assert(ppi_setup_same(&base, &other));
  strcpy(other.library, "9.9.9"); /* these do not matter */
  other.yardstick_s = 5.0;
  strcpy(other.note, "a note");
  cr_assert(ppi_setup_same(&base, &other));
#define DIFFERS(change)                                                                                                \
  other = base;                                                                                                        \
  change;                                                                                                              \
  cr_assert_not(ppi_setup_same(&base, &other), "%s", #change)
  DIFFERS(other.threads = 2);
  DIFFERS(other.ilp64 = true);
  DIFFERS(other.protocol = PPI_PROTOCOL + 1);
  DIFFERS(strcpy(other.clock, "tsc"));
  DIFFERS(strcpy(other.blas.path, "/opt/libblas.so.3"));
  DIFFERS(strcpy(other.blas.version, "0.9.1"));
  DIFFERS(strcpy(other.lapack.path, "/opt/liblapack.so.3"));
  DIFFERS(strcpy(other.lapack.version, "3.12.0"));
#undef DIFFERS
}

Test(setups, a_newer_protocol_is_refused_or_forced) {
  struct perfpred_load_options options = PERFPRED_LOAD_OPTIONS_INIT;
  struct perfpred_models *loaded = NULL;
  struct perfpred_error error;
  char *text;

  models->setups[0].protocol = PPI_PROTOCOL + 1;
  text = print(models);
  cr_assert_eq(perfpred_models_load_memory(&world.context, text, strlen(text), "new.json", NULL, &loaded, &error),
               PERFPRED_VERSION);
  cr_assert_eq(strncmp(error.text, "new.json: setups[0].protocol: ", 30), 0, "%s", error.text);
  cr_assert_null(loaded);
  options.force = 1;
  cr_assert_eq(perfpred_models_load_memory(&world.context, text, strlen(text), "new.json", &options, &loaded, &error),
               PERFPRED_OK, "%s", error.text);
  cr_assert_eq(loaded->notes, PERFPRED_NOTE_FORCED);
  perfpred_models_unref(loaded);
  free(text);
}

static void expect_bad(const char *old, const char *new, const char *place) {
  char *good = print(models), *found = strstr(good, old);
  char *text = malloc(strlen(good) + strlen(new) + 1);
  struct perfpred_models *none = NULL;
  struct perfpred_error error;

  cr_assert_not_null(found, "the file has no %s", old);
  memcpy(text, good, (size_t)(found - good));
  strcpy(text + (found - good), new);
  strcat(text, found + strlen(old));
  cr_assert_eq(perfpred_models_load_memory(&world.context, text, strlen(text), "bad.json", NULL, &none, &error),
               PERFPRED_CORRUPT);
  cr_assert_null(none);
  cr_assert_not_null(strstr(error.text, place), "expected %s in: %s", place, error.text);
  free(text);
  free(good);
}

Test(setups, what_is_refused) {
  expect_bad("{\"setup\": 0, \"kernel\"", "{\"setup\": 1, \"kernel\"",
             "models[0].setup: expected an integer from 0 to 0");
  expect_bad("{\"setup\": 0, \"kernel\"", "{\"kernel\"", "models[0].setup: is missing");
  expect_bad("\"setups\"", "\"setup\"", "setups: is missing");
  expect_bad("\"setups\": [", "\"setups\": [], \"s\": [", "setups: expected a list of 1 to");
  expect_bad("\"setups\": [", "\"setups\": [7, ", "setups[0]: expected an object");
}
