/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <criterion/criterion.h>
#include <locale.h>

#include "model/samples.h"

static char *print(const struct perfpred_models *models) {
  struct perfpred_error error;
  char *text = NULL;

  cr_assert_eq(perfpred_models_print(models, &text, &error), PERFPRED_OK, "%s", error.text);
  return text;
}

static struct perfpred_models *load(const struct world *world, const char *text) {
  struct perfpred_models *models = NULL;
  struct perfpred_error error;

  cr_assert_eq(perfpred_models_load_memory(&world->context, text, strlen(text), "memory.json", NULL, &models, &error),
               PERFPRED_OK, "%s", error.text);
  return models;
}

Test(roundtrip, nothing_is_lost) {
  struct world world;
  struct perfpred_models *models, *again;
  char *text;

  world_create(&world);
  models = sample_models(&world);
  text = print(models);
  again = load(&world, text);
  cr_assert_eq(again->count, 2);
  cr_assert_str_eq(again->created, "2024-02-29T12:34:56Z");
  cr_assert_str_eq(again->machine.cpu, "A \"quoted\" CPU \xc3\xa4");
  cr_assert_eq(again->machine.counters_available, -1);
  cr_assert_eq(again->machine.caches[0].bytes, 49152);
  cr_assert_eq(again->machine.peak_flops_per_s[1], 8e10);
  cr_assert_str_eq(again->setups[0].clock, "virtual");
  cr_assert_eq(again->options.seed, UINT64_MAX);
  cr_assert_eq(again->options.error_measure, PERFPRED_ERROR_PERCENTILE_90);
  cr_assert_eq(again->options.overfitting, -1);
  cr_assert_eq(again->notes, 0);
  for (int i = 0; i < 2; i++) {
    const struct ppi_submodel *a = models->submodels + i, *b = again->submodels + i;

    cr_assert_str_eq(a->case_text, b->case_text);
    cr_assert_eq(a->disturbed, b->disturbed);
    cr_assert_eq(a->piece_count, b->piece_count);
    for (int k = 0; k < a->piece_count; k++) {
      cr_assert_eq(a->pieces[k].count, b->pieces[k].count);
      cr_assert_arr_eq(a->pieces[k].coefficients, b->pieces[k].coefficients,
                       PPI_STATISTICS * (size_t)a->pieces[k].count * sizeof(double));
      cr_assert_arr_eq(a->pieces[k].floors, b->pieces[k].floors, sizeof a->pieces[k].floors);
      cr_assert_eq(a->pieces[k].center[0], b->pieces[k].center[0]);
      cr_assert_eq(a->pieces[k].scale[0], b->pieces[k].scale[0]);
      cr_assert_arr_eq(&a->pieces[k].tiles, &b->pieces[k].tiles, sizeof a->pieces[k].tiles);
    }
  }
  cr_assert(isnan(again->submodels[0].pieces[1].error));
  cr_assert_eq(again->submodels[0].pieces[0].error, 0.0075);
  free(text);
  perfpred_models_unref(again);
  perfpred_models_unref(models);
  world_destroy(&world);
}

/* Both sides of a cut by the product have the whole box. */
Test(roundtrip, cuts_by_the_product_of_the_sizes) {
  struct world world;
  struct perfpred_models *models, *again;
  struct ppi_submodel *submodel;
  char *text;

  world_create(&world);
  models = sample_models(&world);
  submodel = models->submodels;
  submodel->splits[0].dimension = 2;
  submodel->splits[0].at = INT64_C(5000000000);
  memcpy(submodel->pieces[0].upper, submodel->upper, sizeof submodel->upper);
  memcpy(submodel->pieces[1].lower, submodel->lower, sizeof submodel->lower);
  text = print(models);
  cr_assert_not_null(strstr(text, "{\"size\": \"*\", \"at\": 5000000000, \"left\": 1, \"right\": 2}"), "%s", text);
  again = load(&world, text);
  cr_assert_eq(again->submodels[0].splits[0].dimension, 2);
  cr_assert_eq(again->submodels[0].splits[0].at, INT64_C(5000000000));
  cr_assert(again->submodels[0].products);
  cr_assert_not(again->submodels[1].products);
  perfpred_models_unref(again);
  perfpred_models_unref(models);
  free(text);
  world_destroy(&world);
}

Test(roundtrip, interruptions_of_the_machine) {
  struct perfpred_models *models, *again = NULL;
  struct perfpred_error error;
  struct world world;
  char *text, *place;

  world_create(&world);
  models = sample_models(&world);
  text = print(models);
  cr_assert_null(strstr(text, "interruption"));
  free(text);
  models->machine.interruptions = (struct ppi_interruptions){ 0.0625, 0.5 };
  text = print(models);
  again = load(&world, text);
  cr_assert_eq(again->machine.interruptions.each_s, 0.0625);
  cr_assert_eq(again->machine.interruptions.period_s, 0.5);
  perfpred_models_unref(again);
  place = strstr(text, "\"interruption_period_s\": 0.5");
  cr_assert_not_null(place);
  place[strlen("\"interruption_period_s\": ")] = '7'; /* 7.5 s */
  cr_assert_eq(perfpred_models_load_memory(&world.context, text, strlen(text), "bad.json", NULL, &again, &error),
               PERFPRED_CORRUPT);
  cr_assert_not_null(strstr(error.text, "interruption_period_s"), "%s", error.text);
  free(text);
  perfpred_models_unref(models);
  world_destroy(&world);
}

Test(roundtrip, samples_keep_their_parts) {
  static double times_s[] = { 3e-6, 1.0 / 3.0, 4.9e-324, 2.5 };
  static const size_t parts[] = { 3, 1 };
  const int64_t n = 24;
  const struct ppi_result result = { .times_s = times_s, .count = 4, .measure_s = 0.1, .disturbed = 7, .gated = true };
  struct world world;
  struct perfpred_models *models, *again;
  const struct ppi_record *record;
  char *text, *second;

  world_create(&world);
  models = sample_models(&world);
  models->samples[0] = calloc(1, sizeof *models->samples[0]);
  cr_assert_eq(
      ppi_samples_add_parts(models->samples[0], models->submodels[1].kernel, "L", &n, 640, &result, parts, 2, NULL),
      PERFPRED_OK);
  ppi_marks_add(&models->marks, "5f-7");
  ppi_marks_add(&models->marks, "5f-8");
  models->options.generator = PERFPRED_GENERATOR_ADAPTIVE;
  text = print(models);
  again = load(&world, text);
  second = print(again);
  cr_assert_str_eq(text, second);
  cr_assert_eq(again->options.generator, PERFPRED_GENERATOR_ADAPTIVE);
  cr_assert(ppi_marks_have(&again->marks, "5f-7") && ppi_marks_have(&again->marks, "5f-8"));
  cr_assert_not(ppi_marks_have(&again->marks, "5f"));
  record = ppi_samples_find(again->samples[0], models->submodels[1].kernel, "L", &n, 640);
  cr_assert_not_null(record);
  cr_assert_eq(record->count, 4);
  cr_assert_arr_eq(record->times_s, times_s, sizeof times_s);
  cr_assert_eq(record->part_count, 2);
  cr_assert_arr_eq(record->parts, parts, sizeof parts);
  cr_assert_eq(record->disturbed, 7);
  free(second);
  free(text);
  perfpred_models_unref(again);
  perfpred_models_unref(models);
  world_destroy(&world);
}

Test(roundtrip, samples_keep_their_place_in_an_algorithm) {
  static double times_s[] = { 3e-6, 4e-6 };
  static const size_t parts[] = { 2 };
  static const int64_t step[] = { 0, 24, 8 };
  const int64_t n = 24;
  const struct ppi_result result = { .times_s = times_s, .count = 2, .measure_s = 0.1, .gated = true };
  struct world world;
  struct perfpred_models *models, *again;
  char *text, *second;

  world_create(&world);
  models = sample_models(&world);
  models->samples[0] = calloc(1, sizeof *models->samples[0]);
  const struct ppi_key key = { models->submodels[1].kernel, "L", &n, 640, "dpotrf:2", step, 3 };
  cr_assert_eq(ppi_samples_add_at(models->samples[0], &key, &result, parts, 1, NULL), PERFPRED_OK);
  text = print(models);
  cr_assert_not_null(strstr(text, "\"step_samples\": [\n  {\"setup\": 0, \"kernel\": \"dpotrf2\", \"case\": \"L\", "
                                  "\"context\": \"dpotrf:2\", \"step\": [0, 24, 8], \"sizes\": [24]"),
                     "%s", text);
  cr_assert_null(strstr(text, "\"samples\": [")); /* of calls alone there are none */
  again = load(&world, text);
  second = print(again);
  cr_assert_str_eq(text, second);
  cr_assert_eq(again->samples[0]->count, 1);
  cr_assert_eq(ppi_samples_place_at(again->samples[0], &key), 0);
  cr_assert_null(ppi_samples_find(again->samples[0], key.kernel, "L", &n, 640));
  free(second);
  free(text);
  perfpred_models_unref(again);
  perfpred_models_unref(models);
  world_destroy(&world);
}

/* The oldest of too many go. */
Test(roundtrip, marks_of_journals_are_few) {
  struct ppi_marks marks = { 0 }, others = { 0 };
  char mark[PPI_MARK_MAX];

  for (int i = 0; i < PPI_MARKS + 3; i++) {
    snprintf(mark, sizeof mark, "%d", i);
    ppi_marks_add(&marks, mark);
    ppi_marks_add(&marks, mark);
  }
  cr_assert_eq(marks.count, PPI_MARKS);
  cr_assert_not(ppi_marks_have(&marks, "2"));
  cr_assert(ppi_marks_have(&marks, "3"));
  ppi_marks_add(&others, "");
  cr_assert_eq(others.count, 0);
  ppi_marks_add(&others, "x");
  ppi_marks_join(&marks, &others);
  cr_assert(ppi_marks_have(&marks, "x"));
  cr_assert_eq(marks.count, PPI_MARKS);
  cr_assert_not(ppi_marks_have(&marks, "3"));
}

Test(roundtrip, what_was_loaded_is_written_byte_by_byte) {
  struct world world;
  struct perfpred_models *models, *again;
  char *text, *second;

  world_create(&world);
  models = sample_models(&world);
  text = print(models);
  again = load(&world, text);
  second = print(again);
  cr_assert_str_eq(text, second);
  cr_assert_eq(strstr(text, "{\"format\": \"perfpred-models\", \"version\": 2, "), text);
  free(second);
  free(text);
  perfpred_models_unref(again);
  perfpred_models_unref(models);
  world_destroy(&world);
}

Test(roundtrip, a_comma_locale_changes_nothing) { /* C39 */
  struct world world;
  struct perfpred_models *models, *again;
  char *text, *second, *third, half[16];

  world_create(&world);
  models = sample_models(&world);
  text = print(models);
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
    cr_skip_test("no locale with a decimal comma: localedef is missing");
  snprintf(half, sizeof half, "%.1f", 0.5);
  cr_assert_str_eq(half, "0,5"); /* the locale is really in force */
  second = print(models);
  cr_assert_str_eq(text, second);
  again = load(&world, text);
  third = print(again);
  cr_assert_str_eq(text, third);
  free(third);
  free(second);
  free(text);
  perfpred_models_unref(again);
  perfpred_models_unref(models);
  world_destroy(&world);
}

Test(roundtrip, estimates_are_the_same) {
  struct world world;
  struct perfpred_models *models, *again;
  char *text;

  world_create(&world);
  models = sample_models(&world);
  text = print(models);
  again = load(&world, text);
  for (int64_t m = 1; m < 2000; m += 97)
    for (int64_t n = 1; n < 400; n += 23) {
      const int64_t sizes[] = { m, n };
      struct perfpred_statistics a, b;

      cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 2, &a), perfpred_models_estimate(again, 0, sizes, 2, &b));
      cr_assert_arr_eq(&a, &b, sizeof a);
    }
  free(text);
  perfpred_models_unref(again);
  perfpred_models_unref(models);
  world_destroy(&world);
}

/* The sample's file, as if made on this machine or another one. */
static char *print_measured(struct world *world, bool here) {
  struct perfpred_models *models = sample_models(world);
  char *text;

  if (here)
    ppi_machine_here(&models->machine);
  strcpy(models->setups[0].clock, "tsc");
  text = print(models);
  perfpred_models_unref(models);
  return text;
}

Test(roundtrip, models_of_another_machine_are_refused_unless_forced) {
  struct world world;
  struct perfpred_models *models = NULL;
  struct perfpred_load_options options = PERFPRED_LOAD_OPTIONS_INIT;
  struct perfpred_error error;
  struct perfpred_statistics time;
  const int64_t sizes[] = { 100, 100 };
  char *text;

  world_create(&world);
  text = print_measured(&world, true);
  models = load(&world, text);
  cr_assert_eq(models->notes, 0);
  perfpred_models_unref(models);
  free(text);

  models = NULL;
  text = print_measured(&world, false);
  cr_assert_eq(perfpred_models_load_memory(&world.context, text, strlen(text), "far.json", NULL, &models, &error),
               PERFPRED_OTHER_MACHINE);
  cr_assert_eq(strncmp(error.text, "far.json: machine: ", 19), 0, "%s", error.text);
  cr_assert_null(models);
  options.force = 1;
  cr_assert_eq(perfpred_models_load_memory(&world.context, text, strlen(text), "far.json", &options, &models, &error),
               PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 2, &time) &
                   (PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED),
               PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED);
  perfpred_models_unref(models);
  free(text);
  world_destroy(&world);
}
