/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining models, and adding them to files. */
#include "fixture.h"

#include <criterion/criterion.h>
#include <unistd.h>

static struct world world;
static struct perfpred_models *models, *others, *merged;
static struct perfpred_error error;

static void set_up(void) {
  world_create(&world);
  models = sample_models(&world);
  others = sample_models(&world);
}

static void tear_down(void) {
  perfpred_models_unref(merged);
  perfpred_models_unref(others);
  perfpred_models_unref(models);
  world_destroy(&world);
}
TestSuite(merge, .init = set_up, .fini = tear_down);

Test(merge, what_both_have_is_taken_from_the_added) {
  others->submodels[0].samples = 5;
  cr_assert_eq(perfpred_models_merge(models, others, NULL, &merged, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_models_count(merged), 2);
  cr_assert_eq(perfpred_models_setup_count(merged), 1);
  cr_assert_eq(merged->submodels[0].samples, 5);
  cr_assert_eq(models->submodels[0].samples, 720);
}

Test(merge, or_refused) {
  struct perfpred_merge_options options = PERFPRED_MERGE_OPTIONS_INIT;

  options.refuse = 1;
  cr_assert_eq(perfpred_models_merge(models, others, &options, &merged, &error), PERFPRED_EXISTS);
  cr_assert_not_null(strstr(error.text, "dtrsm(R,L,T,N,-1)"), "%s", error.text);
  cr_assert_null(merged);
}

Test(merge, other_threads_are_another_setup) {
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;

  others->setups[0].threads = 2;
  cr_assert_eq(perfpred_models_merge(models, others, NULL, &merged, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_models_count(merged), 4);
  cr_assert_eq(perfpred_models_setup_count(merged), 2);
  cr_assert_eq(perfpred_models_info(merged, 3, &info, NULL), PERFPRED_OK);
  cr_assert_eq(info.setup, 1);
}

Test(merge, another_machine) {
  strcpy(others->machine.cpu, "Abacus 2000");
  cr_assert_eq(perfpred_models_merge(models, others, NULL, &merged, &error), PERFPRED_OTHER_MACHINE);
  cr_assert_null(merged);
}

Test(merge, arguments) {
  struct perfpred_merge_options options = { 0, 0 };
  struct perfpred_update_options update = { 0, 0 };

  cr_assert_eq(perfpred_models_merge(NULL, others, NULL, &merged, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_merge(models, NULL, NULL, &merged, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_merge(models, others, NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_merge(models, others, &options, &merged, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_update(NULL, models, "x", NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_update(&world.context, NULL, "x", NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_update(&world.context, models, "", NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_update(&world.context, models, "x", &update, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_update(&world.context, models, "/nonexistent/x", NULL, &error), PERFPRED_IO);
}

Test(merge, a_file_that_cannot_be_read_is_not_touched) {
  char path[] = "/tmp/perfpred-merge-XXXXXX", content[16] = "";
  struct perfpred_update_options replace = PERFPRED_UPDATE_OPTIONS_INIT;
  int descriptor = mkstemp(path);

  cr_assert_eq(write(descriptor, "precious", 8), 8);
  cr_assert_eq(perfpred_models_update(&world.context, models, path, NULL, &error), PERFPRED_CORRUPT);
  cr_assert_eq(pread(descriptor, content, 15, 0), 8);
  cr_assert_str_eq(content, "precious");
  replace.replace = 1;
  cr_assert_eq(perfpred_models_update(&world.context, models, path, &replace, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_models_load(&world.context, path, NULL, &merged, &error), PERFPRED_OK, "%s", error.text);
  close(descriptor);
  unlink(path);
}
