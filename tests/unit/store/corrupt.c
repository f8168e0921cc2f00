/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that must not be taken: each with its status and with the place that the message has to name. */
#include "fixture.h"

#include <criterion/criterion.h>

static struct world world;
static char *good;

static void set_up(void) {
  struct perfpred_models *models;

  world_create(&world);
  models = sample_models(&world);
  cr_assert_eq(perfpred_models_print(models, &good, NULL), PERFPRED_OK);
  perfpred_models_unref(models);
}

static void tear_down(void) {
  free(good);
  world_destroy(&world);
}
TestSuite(corrupt, .init = set_up, .fini = tear_down);

static void expect_text(const char *text, size_t length, enum perfpred_status status, const char *place) {
  struct perfpred_models *models = NULL;
  struct perfpred_error error;
  enum perfpred_status found =
      perfpred_models_load_memory(&world.context, text, length, "bad.json", NULL, &models, &error);

  cr_assert_eq(found, status, "%s: expected %s, found %s: %s", place, perfpred_status_name(status),
               perfpred_status_name(found), error.text);
  cr_assert_eq(error.status, status);
  cr_assert_null(models);
  cr_assert_eq(strncmp(error.text, "bad.json", 8), 0, "%s", error.text);
  cr_assert_not_null(strstr(error.text, place), "expected %s in: %s", place, error.text);
  cr_assert_null(strchr(error.text, '\n'));
}

/* The good file with the first `old` behind `after` replaced by `new`. */
static void expect_change(const char *after, const char *old, const char *new, enum perfpred_status status,
                          const char *place) {
  const char *start = strstr(good, after);
  const char *found = start ? strstr(start, old) : NULL;
  size_t head;
  char *text;

  cr_assert_not_null(found, "the file has no %s behind %s", old, after);
  head = (size_t)(found - good);
  text = malloc(strlen(good) + strlen(new) + 1);
  memcpy(text, good, head);
  strcpy(text + head, new);
  strcat(text, found + strlen(old));
  expect_text(text, strlen(text), status, place);
  free(text);
}

Test(corrupt, the_good_one_is_taken) {
  struct perfpred_models *models = NULL;

  cr_assert_eq(perfpred_models_load_memory(&world.context, good, strlen(good), "good.json", NULL, &models, NULL),
               PERFPRED_OK);
  perfpred_models_unref(models);
}

Test(corrupt, no_json) {
  expect_text("", 0, PERFPRED_CORRUPT, "is empty");
  expect_text("   \n", 4, PERFPRED_CORRUPT, "bad.json:");
  expect_text("perfpred", 8, PERFPRED_CORRUPT, "bad.json:1:");
  expect_text("[1, 2]", 6, PERFPRED_CORRUPT, "expected a JSON object");
  expect_text("{}", 2, PERFPRED_CORRUPT, "format");
  expect_text("\x00\x01\x02\x03", 4, PERFPRED_CORRUPT, "bad.json:1:");
  expect_text("{\"format\": \"\xff\xfe\"}", 15, PERFPRED_CORRUPT, "bad.json:1:");
}

Test(corrupt, truncated_anywhere) {
  size_t length = strlen(good);

  for (size_t cut = 1; cut < length - 1; cut += 37)
    expect_text(good, cut, PERFPRED_CORRUPT, "bad.json");
}

Test(corrupt, trailing_text) {
  char *text = malloc(strlen(good) + 8);

  strcpy(text, good);
  strcat(text, "{}");
  expect_text(text, strlen(text), PERFPRED_CORRUPT, "bad.json:");
  free(text);
}

Test(corrupt, format_and_version) {
  expect_change("", "perfpred-models", "perfpred-plans", PERFPRED_CORRUPT, "format: expected \"perfpred-models\"");
  expect_change("", "\"version\": 2", "\"version\": 3", PERFPRED_VERSION, "version: 3 is newer");
  expect_change("", "\"version\": 2", "\"version\": 0", PERFPRED_VERSION, "generate the models again");
  expect_change("", "\"version\": 2", "\"version\": \"2\"", PERFPRED_CORRUPT, "version: expected an integer");
  expect_change("", "\"version\": 2", "\"version\": 1.5", PERFPRED_CORRUPT, "version: expected an integer");
}

Test(corrupt, numbers) {
  expect_change("\"coefficients\"", "0.10000000000000001", "NaN", PERFPRED_CORRUPT, "bad.json:");
  expect_change("\"coefficients\"", "0.10000000000000001", "Infinity", PERFPRED_CORRUPT, "bad.json:");
  expect_change("\"coefficients\"", "0.10000000000000001", "1e400", PERFPRED_CORRUPT, "bad.json:");
  expect_change("\"coefficients\"", "0.10000000000000001", "1e200", PERFPRED_CORRUPT,
                "models[0].pieces[0].coefficients.min[4]");
  expect_change("\"coefficients\"", "0.10000000000000001", "null", PERFPRED_CORRUPT,
                "models[0].pieces[0].coefficients.min[4]: expected a number");
  expect_change("\"coefficients\"", "0.10000000000000001", "\"0.1\"", PERFPRED_CORRUPT,
                "models[0].pieces[0].coefficients.min[4]");
  expect_change("", "\"ld\": 1032", "\"ld\": 99999999999999999999999", PERFPRED_CORRUPT, "models[0].ld");
  expect_change("", "\"samples\": 720", "\"samples\": -1", PERFPRED_CORRUPT, "models[0].samples");
  expect_change("", "\"error\": 0.0074999999999999997", "\"error\": -1", PERFPRED_CORRUPT, "models[0].pieces[0].error");
  expect_change("\"pieces\"", "\"floors\": [", "\"floors\": [-1, ", PERFPRED_CORRUPT, "models[0].pieces[0].floors");
}

Test(corrupt, keys) {
  expect_change("", "\"threads\": 1", "\"threads\": 1, \"threads\": 2", PERFPRED_CORRUPT, "bad.json:");
  expect_change("", "\"threads\": 1", "\"treads\": 1", PERFPRED_CORRUPT, "setups[0].threads: is missing");
  expect_change("", "\"cpu\"", "\"cpus\"", PERFPRED_CORRUPT, "machine.cpu: is missing");
  expect_change("", "\"models\": [", "\"model\": [", PERFPRED_CORRUPT, "models: is missing");
  expect_change("", "\"kernel\": \"dpotrf2\"", "\"core\": \"dpotrf2\"", PERFPRED_CORRUPT,
                "models[1].kernel: is missing");
  expect_change("", "\"options\": {", "\"options\": 5, \"o\": {", PERFPRED_CORRUPT, "options: expected an object");
  expect_change("", "\"grid\": \"chebyshev\"", "\"grid\": \"hexagonal\"", PERFPRED_CORRUPT, "options.grid");
  expect_change("", "\"generator\": \"published\"", "\"generator\": \"random\"", PERFPRED_CORRUPT,
                "options.generator: expected \"published\" or \"adaptive\", found \"random\"");
  expect_change("", "\"generator\": \"published\"", "\"generator\": 1", PERFPRED_CORRUPT, "options.generator");
  expect_change("", "\"seed\": \"18446744073709551615\"", "\"seed\": \"18446744073709551616\"", PERFPRED_CORRUPT,
                "options.seed");
  expect_change("", "\"seed\": \"18446744073709551615\"", "\"seed\": \"\"", PERFPRED_CORRUPT, "options.seed");
  expect_change("", "\"ilp64\": false", "\"ilp64\": 0", PERFPRED_CORRUPT, "setups[0].ilp64: expected true or false");
}

Test(corrupt, kernels_cases_and_sizes) {
  expect_change("", "\"kernel\": \"dtrsm\"", "\"kernel\": \"dtrsn\"", PERFPRED_NOT_FOUND, "models[0].kernel: ");
  expect_change("", "\"kernel\": \"dtrsm\"", "\"kernel\": \"dtrsn\"", PERFPRED_NOT_FOUND, "dtrsm"); /* did you mean */
  expect_change("", "\"case\": \"R,L,T,N,-1\"", "\"case\": \"R,L,Q,N,-1\"", PERFPRED_CORRUPT, "models[0].case: ");
  expect_change("", "\"case\": \"R,L,T,N,-1\"", "\"case\": \"R,L\"", PERFPRED_CORRUPT, "models[0].case: ");
  expect_change("", "\"sizes\": [\"m\", \"n\"]", "\"sizes\": [\"n\", \"m\"]", PERFPRED_CORRUPT, "models[0].sizes");
  expect_change("", "\"sizes\": [\"m\", \"n\"]", "\"sizes\": [\"m\"]", PERFPRED_CORRUPT, "models[0].sizes");
}

Test(corrupt, domains) {
  expect_change("", "\"lower\": [8, 8]", "\"lower\": [-8, 8]", PERFPRED_CORRUPT, "models[0].domain.lower[0]");
  expect_change("", "\"upper\": [1024, 256]", "\"upper\": [4, 256]", PERFPRED_CORRUPT, "models[0].domain.upper[0]");
  expect_change("", "\"upper\": [1024, 256]", "\"upper\": [2048, 256]", PERFPRED_CORRUPT, "models[0].pieces[1]");
  expect_change("", "\"upper\": [1024, 256]", "\"upper\": [1e99, 256]", PERFPRED_CORRUPT, "models[0].domain.upper[0]");
  expect_change("", "\"upper\": [1024, 256]", "\"upper\": [1024.5, 256]", PERFPRED_CORRUPT,
                "models[0].domain.upper[0]");
  expect_change("", "\"upper\": [1024, 256]", "\"upper\": [1024]", PERFPRED_CORRUPT, "models[0].domain.upper");
}

Test(corrupt, trees) {
  expect_change("", "\"left\": 1", "\"left\": 0", PERFPRED_CORRUPT, "models[0].splits[0]");
  expect_change("", "\"right\": 2", "\"right\": 1", PERFPRED_CORRUPT, "models[0].");
  expect_change("", "\"right\": 2", "\"right\": 3", PERFPRED_CORRUPT, "models[0].splits[0]");
  expect_change("", "\"right\": 2", "\"right\": 999999999", PERFPRED_CORRUPT, "models[0].splits[0].right");
  expect_change("", "\"at\": 520", "\"at\": 1024", PERFPRED_CORRUPT, "models[0].splits[0].at");
  expect_change("", "\"at\": 520", "\"at\": 512", PERFPRED_CORRUPT, "models[0].pieces[0]");
  expect_change("", "\"size\": \"m\"", "\"size\": \"k\"", PERFPRED_CORRUPT, "models[0].splits[0].size");
  expect_change("", "{\"piece\": 1}", "{\"piece\": 0}", PERFPRED_CORRUPT, "models[0].splits[2].piece");
  expect_change("", "{\"piece\": 1}", "{\"piece\": 2}", PERFPRED_CORRUPT, "models[0].splits[2].piece");
  expect_change("", "{\"piece\": 1}", "{\"piece\": 1}, {\"piece\": 1}", PERFPRED_CORRUPT, "models[0].splits");
  expect_change("", "{\"piece\": 1}", "7", PERFPRED_CORRUPT, "models[0].splits[2]: expected an object");
}

Test(corrupt, pieces) {
  expect_change("", "\"degrees\": [1, 2]", "\"degrees\": [1, 3]", PERFPRED_CORRUPT,
                "models[0].pieces[0].coefficients.min: expected a list of 8");
  expect_change("", "\"degrees\": [1, 2]", "\"degrees\": [17, 2]", PERFPRED_CORRUPT, "models[0].pieces[0].degrees[0]");
  expect_change("", "\"degrees\": [1, 2]", "\"degrees\": [1]", PERFPRED_CORRUPT, "models[0].pieces[0].degrees");
  expect_change("", "\"degrees\": [1, 2]", "\"degrees\": [1, 2], \"tiles\": [14]", PERFPRED_CORRUPT,
                "models[0].pieces[0].tiles: expected a list of 2");
  expect_change("", "\"degrees\": [1, 2]", "\"degrees\": [1, 2], \"tiles\": [14, 1000000]", PERFPRED_CORRUPT,
                "models[0].pieces[0].tiles[1]");
  expect_change("", "\"degrees\": [1, 2]", "\"degrees\": [1, 2], \"tiles\": [14, 16]", PERFPRED_CORRUPT,
                "models[0].pieces[0].padding: is missing");
  expect_change("", "\"degrees\": [1, 2]", "\"degrees\": [1, 2], \"tiles\": [14, 16], \"padding\": [1, 1.5]",
                PERFPRED_CORRUPT, "models[0].pieces[0].padding[1]");
  expect_change("", "\"std\": [", "\"std\": [1, ", PERFPRED_CORRUPT, "models[0].pieces[0].coefficients.std");
  expect_change("", "\"med\": [", "\"median\": [", PERFPRED_CORRUPT,
                "models[0].pieces[0].coefficients.med: is missing");
  expect_change("\"piece\": 1", "\"pieces\": [", "\"pieces\": [], \"p\": [", PERFPRED_CORRUPT, "models[0].pieces");
}

#define CALL                                                                                                           \
  "{\"setup\": 0, \"kernel\": \"dpotrf2\", \"case\": \"L\", \"sizes\": [8], \"ld\": 8, \"times_s\": [2, 3, 5], "       \
  "\"disturbed\": 0, \"measure_s\": 20, \"gated\": true"
#define SAMPLES(more) "\"samples\": [" CALL more "}], \"models\": ["

Test(corrupt, samples) {
  const char *models = "\"models\": [";

  expect_change("", models, SAMPLES(", \"parts\": [1, 1]"), PERFPRED_CORRUPT,
                "samples[0].parts: expected numbers whose sum is that of the times, 3");
  expect_change("", models, SAMPLES(", \"parts\": []"), PERFPRED_CORRUPT, "samples[0].parts: expected a list");
  expect_change("", models, SAMPLES(", \"parts\": [0, 3]"), PERFPRED_CORRUPT, "samples[0].parts[0]");
  expect_change("", models, SAMPLES(", \"parts\": [9007199254740992, 3]"), PERFPRED_CORRUPT, "samples[0].parts[0]");
  expect_change("", models, SAMPLES(", \"parts\": 3"), PERFPRED_CORRUPT, "samples[0].parts: expected a list");
  expect_change("", models, "\"samples\": [{\"setup\": 1}], \"models\": [", PERFPRED_CORRUPT, "samples[0].setup");
  expect_change("", models, "\"samples\": {}, \"models\": [", PERFPRED_CORRUPT, "samples: expected a list");
}

#define STEPS(more) "\"step_samples\": [" CALL more "}], \"models\": ["

Test(corrupt, samples_of_steps) {
  const char *models = "\"models\": [";

  expect_change("", models, STEPS(", \"context\": \"\", \"step\": [8]"), PERFPRED_CORRUPT, "step_samples[0].context");
  expect_change("", models, STEPS(", \"context\": 5, \"step\": [8]"), PERFPRED_CORRUPT, "step_samples[0].context");
  expect_change("", models, STEPS(", \"context\": \"dpotrf:2\""), PERFPRED_CORRUPT, "step_samples[0].step");
  expect_change("", models, STEPS(", \"context\": \"dpotrf:2\", \"step\": []"), PERFPRED_CORRUPT,
                "step_samples[0].step");
  expect_change("", models, STEPS(", \"context\": \"dpotrf:2\", \"step\": [8, -8]"), PERFPRED_CORRUPT,
                "step_samples[0].step[1]");
  expect_change("", models, STEPS(", \"context\": \"dpotrf:2\", \"step\": [1, 2, 3, 4, 5, 6, 7, 8, 9]"),
                PERFPRED_CORRUPT, "step_samples[0].step");
  expect_change("", models, "\"step_samples\": 5, \"models\": [", PERFPRED_CORRUPT, "step_samples: expected a list");
}

Test(corrupt, journals) {
  const char *created = "\"created\":";

  expect_change("", created, "\"journals\": 5, \"created\":", PERFPRED_CORRUPT, "journals: expected a list");
  expect_change("", created, "\"journals\": [5], \"created\":", PERFPRED_CORRUPT, "journals[0]: expected a string");
  expect_change("", created,
                "\"journals\": [\"0123456789012345678901234567890123456789\"], \"created\":", PERFPRED_CORRUPT,
                "journals[0]: expected a string of at most 39");
}

Test(corrupt, the_same_model_twice) {
  const char *second = strstr(good, "{\"setup\": 0, \"kernel\": \"dpotrf2\"");
  size_t length = strlen(second) - 3; /* without ]} and the line break behind the list */
  char *text = malloc(strlen(good) + length + 8);

  memcpy(text, good, strlen(good) - 3);
  text[strlen(good) - 3] = '\0';
  strcat(text, ", ");
  strncat(text, second, length);
  strcat(text, "]}\n");
  expect_text(text, strlen(text), PERFPRED_CORRUPT, "models[2]: dpotrf2(L)");
  free(text);
}

Test(corrupt, deep_nesting) {
  size_t depth = 100000;
  char *text = malloc(depth + 1);

  memset(text, '[', depth);
  text[depth] = '\0';
  expect_text(text, depth, PERFPRED_CORRUPT, "bad.json:1:");
  free(text);
}

Test(corrupt, arguments) {
  struct perfpred_models *models = NULL;
  struct perfpred_load_options options = { 0, 0 };
  struct perfpred_error error;

  cr_assert_eq(perfpred_models_load_memory(NULL, good, 1, "x", NULL, &models, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_load_memory(&world.context, NULL, 1, "x", NULL, &models, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_load_memory(&world.context, good, 1, "x", NULL, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_load_memory(&world.context, good, 1, "x", &options, &models, &error), PERFPRED_INVALID);
  cr_assert_not_null(strstr(error.text, "options.size"));
  cr_assert_eq(perfpred_models_load(&world.context, NULL, NULL, &models, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_load(&world.context, "", NULL, &models, &error), PERFPRED_INVALID);
  cr_assert_null(models);
}
