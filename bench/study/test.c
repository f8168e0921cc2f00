/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the study's own parts; what it computes is checked against exact arithmetic by exact.py. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boxes.h"
#include "sweep.h"

Test(configuration, all_of_table_3_once) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  int product = 1;

  for (int knob = 0; knob < KNOB_COUNT; knob++)
    product *= knob_count((enum knob)knob);
  cr_assert_eq(product, 2880);
  cr_assert_eq(CONFIGURATION_COUNT, 2880);
  for (int i = 0; i < CONFIGURATION_COUNT; i++) {
    struct configuration configuration = configuration_at(i);

    cr_assert_eq(configuration_index(&configuration), i);
    for (int knob = 0; knob <= KNOB_REPETITIONS; knob++) /* what fits depend on is the same in a group */
      cr_assert_eq(configuration.places[knob],
                   configuration_at(i / CONFIGURATION_GROUP * CONFIGURATION_GROUP).places[knob]);
  }
  configuration_published(2, 1, &options); /* Table 5, line 10 */
  cr_assert_eq(options.overfitting, 2);
  cr_assert_eq(options.oversampling, 4);
  cr_assert_eq(options.grid, PERFPRED_GRID_CHEBYSHEV);
  cr_assert_eq(options.repetitions, 10);
  cr_assert_eq(options.reference, PERFPRED_REFERENCE_MINIMUM);
  cr_assert_eq(options.error_measure, PERFPRED_ERROR_MAXIMUM);
  cr_assert_float_eq(options.error_bound, 0.01, 1e-15);
  cr_assert_eq(options.minimum_width, 32);
  configuration_published(3, 1, &options); /* Section 9.3 */
  cr_assert_eq(options.overfitting, -1);
  cr_assert_eq(options.minimum_width, 64);
  configuration_published(2, 2, &options);
  cr_assert_eq(options.overfitting, 2);
  cr_assert_eq(options.minimum_width, 64);
  configuration_published(3, 2, &options);
  cr_assert_eq(options.minimum_width, 256);
}

/* On the first set errors rise with the place, on the second they fall. */
Test(prune, drops_by_error_then_by_cost) {
  static outcomes first, second;
  outcomes *sets[] = { &first, &second };
  static struct pruning pruning;

  for (int i = 0; i < CONFIGURATION_COUNT; i++) {
    first[i].error = 0.01 * (1.0 + i / 2000.5);           /* at most 1.5 times the least: up to 1000 */
    second[i].error = 0.02 * (1.0 + (2879 - i) / 4000.1); /* from 879 on */
    first[i].cost_s = abs(i - 1000);                      /* of 2880 the cheapest 720: no further than 360 */
    second[i].cost_s = i < 900 ? 1.0 : 2.0;               /* all that cost as much as number 720 stay */
  }
  prune(sets, 1, &pruning);
  cr_assert_float_eq(pruning.factor, 1.5, 1e-12);
  cr_assert_eq(pruning.accurate, 1001);
  cr_assert_eq(pruning.cheap, 361);
  cr_assert(pruning.left[640]);
  cr_assert_not(pruning.left[639]);
  prune(sets + 1, 1, &pruning);
  cr_assert_eq(pruning.accurate, 2001);
  cr_assert_eq(pruning.cheap, 21);
  prune(sets, 2, &pruning);
  cr_assert_float_eq(pruning.factor, 1.5, 1e-12);
  cr_assert_eq(pruning.accurate, 122);
  cr_assert_eq(pruning.cheap, 21);
  for (int i = 0; i < CONFIGURATION_COUNT; i++)
    cr_assert_eq(pruning.left[i], i >= 879 && i < 900);
}

Test(prune, the_first_quarter_of_the_costs_stays_and_the_majority_wins) {
  static outcomes set;
  outcomes *sets[] = { &set };
  static struct pruning pruning;
  struct configuration configuration;

  for (int i = 0; i < CONFIGURATION_COUNT; i++) {
    configuration = configuration_at(i);
    set[i].error = configuration.places[KNOB_GRID] == 1 ? 0.010 : 0.0151;
    set[i].cost_s = (double)(configuration.places[KNOB_OVERSAMPLING] + 1) * 1e4 + i;
  }
  set[0].error = 0.0150; /* just as much as is allowed */
  prune(sets, 1, &pruning);
  cr_assert_eq(pruning.accurate, 1441);
  /* 720 cheapest: oversampling 1 and 2 (288 each) and 144 of those with 3, the first of them */
  cr_assert_eq(pruning.chosen.places[KNOB_GRID], 1);
  cr_assert(pruning.left[0]);
  configuration = (struct configuration){ { 0, 0, 1, 0, 0, 0, 0, 0 } };
  cr_assert(pruning.left[configuration_index(&configuration)]);
  configuration.places[KNOB_OVERSAMPLING] = 3;
  cr_assert_not(pruning.left[configuration_index(&configuration)]);
  /* half of 288 and of 288; of the 144 the 96 of overfitting 0, half of them, and the other grid of overfitting 1 */
  cr_assert_eq(pruning.cheap, 1 + 144 + 144 + 48);
  cr_assert_eq(pruning.votes[KNOB_GRID], 336);
  cr_assert_eq(pruning.chosen.places[KNOB_OVERFITTING], 0);
  cr_assert_eq(pruning.votes[KNOB_OVERFITTING], 1 + 48 + 48 + 48);
  cr_assert_eq(pruning.chosen.places[KNOB_OVERSAMPLING], 0);
  cr_assert_eq(pruning.votes[KNOB_OVERSAMPLING], 1 + 144);
}

Test(prune, a_factor_that_leaves_none_is_raised) {
  static outcomes first, second;
  outcomes *sets[] = { &first, &second };
  static struct pruning pruning;

  for (int i = 0; i < CONFIGURATION_COUNT; i++) {
    first[i].error = i == 7 ? 0.01 : 0.0178;
    second[i].error = i == 7 ? 0.04 : 0.01;
    first[i].cost_s = second[i].cost_s = 1.0;
  }
  prune(sets, 2, &pruning);
  cr_assert_float_eq(pruning.factor, 1.8, 1e-9);
  cr_assert_eq(pruning.cheap, 2879);
}

static struct boxes boxes_of(const char *text) {
  struct boxes boxes = { NULL, 0, 0 };
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(boxes_add(&boxes, 2, text, 5000, &error), PERFPRED_OK, "%s", error.text);
  return boxes;
}

Test(boxes, are_products_of_lists) {
  struct boxes boxes = boxes_of("24:40:8/7,100@4096");
  struct ppi_random random = { 1 };

  cr_assert_eq(boxes.count, 4);
  cr_assert_eq(boxes.points[0].sizes[0], 24);
  cr_assert_eq(boxes.points[2].sizes[0], 40);
  cr_assert_eq(boxes.points[3].sizes[0], 7);
  cr_assert_eq(boxes.points[3].sizes[1], 100);
  cr_assert_eq(boxes.points[3].ld, 4096);
  cr_assert_eq(boxes_add(&boxes, 2, "24/32,100:101:1@4096", 5000, NULL), PERFPRED_OK);
  cr_assert_eq(boxes.count, 8);
  boxes_shuffle(&boxes, &random); /* 24, 100 and 32, 100 were there already */
  cr_assert_eq(boxes.count, 6);
  boxes_release(&boxes);
}

Test(boxes, bad_texts_are_refused) {
  static const char *const bad[] = { "",          "24",       "24,",  "24,32,40", "24:,32", "0,8",
                                     "40:24:8,8", "8:16:0,8", "8,8@", "8,8@x",    "8x,8",   "8,8@0" };
  struct boxes boxes = { NULL, 0, 0 };

  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    cr_assert_eq(boxes_add(&boxes, 2, bad[i], 5000, NULL), PERFPRED_SYNTAX, "%s", bad[i]);
  cr_assert_eq(boxes.count, 0);
}

#define HEAD                                                                                                           \
  "perfpred-recording 1\nnote machine: here\nkernel dtrsm\ncase L,L,N,N,1\ngrain 8\nrepetitions 3\nthreads 2\n"        \
  "calls m n ld and so on\n"

static enum perfpred_status read_text(const char *text, bool finished, struct recording *recording, long *bytes,
                                      struct perfpred_error *error) {
  char path[] = "study-test-XXXXXX";
  int file = mkstemp(path);
  struct ppi_kernels *kernels = NULL;
  enum perfpred_status status;

  cr_assert_geq(file, 0);
  cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
  cr_assert_eq(ppi_kernels_create(&kernels, NULL), PERFPRED_OK);
  ppi_error_clear(error);
  status = finished ? recording_read(kernels, path, recording, error)
                    : recording_read_unfinished(kernels, path, recording, bytes, error);
  ppi_kernels_destroy(kernels);
  unlink(path);
  return status;
}

Test(recording, is_read_as_it_stands) {
  struct recording recording;
  struct perfpred_error error;
  const struct ppi_record *record;

  cr_assert_eq(read_text(HEAD "24 32 5000 1000.0 2.5 4 1 0 100 25\n32 32 4096 2000.0 2 0 0 7\nend 2\n", true,
                         &recording, NULL, &error),
               PERFPRED_OK, "%s", error.text);
  cr_assert_str_eq(recording.kernel->name, "dtrsm");
  cr_assert_str_eq(recording.case_text, "L,L,N,N,1");
  cr_assert_eq(recording.threads, 2);
  cr_assert_str_eq(recording.notes[0], "machine: here");
  cr_assert_eq(recording.samples.count, 2);
  record = recording.samples.records[0];
  cr_assert_eq(record->ld, 5000);
  cr_assert_eq(record->count, 3);
  cr_assert_float_eq(record->times_s[0], 1e-6, 1e-18);
  cr_assert_float_eq(record->times_s[1], 1.01e-6, 1e-18);
  cr_assert_float_eq(record->times_s[2], 1.0025e-6, 1e-18);
  cr_assert_float_eq(record->measure_s, 7.5e-6, 1e-18);
  cr_assert_eq(record->disturbed, 4);
  cr_assert(record->gated);
  cr_assert_not(recording.samples.records[1]->gated);
  recording_release(&recording);
}

Test(recording, faults_are_named_with_their_line) {
  static const struct {
    const char *text, *expected;
  } bad[] = {
    { "", ":0: expected 'perfpred-recording 1'" },
    { "perfpred-recording 2\n", ":1: expected 'perfpred-recording 1'" },
    { "perfpred-recording 1\nkernel dtrsm\ncase L,L,N,N,1\ngrain 0\n", ":4: expected 'grain NUMBER'" },
    { HEAD "24 32 5000 1000.0 2.5 4 1 0 1 2 3\nend 1\n", ":9: expected no more samples than 'repetitions' says" },
    { HEAD "24 32 5000 1000.0 2.5 4 1\nend 1\n", ":9: expected 1 to 256 samples" },
    { HEAD "24 32 5000 1000.0 2.5 4 1 -1\nend 1\n", ":9: expected how much longer" },
    { HEAD "24 32 5000 1000.0 2.5 4 2 1\nend 1\n", ":9: expected the number of disturbed" },
    { HEAD "24 32 5000 nan 2.5 4 1 1\nend 1\n", ":9: expected the least time" },
    { HEAD "24 32 5000 0 2.5 4 1 1\nend 1\n", ":9: expected the least time" },
    { HEAD "24 0 5000 1 2.5 4 1 1\nend 1\n", ":9: expected a size" },
    { HEAD "24 32 5000 1 2 0 1 0\n24 32 5000 1 2 0 1 0\nend 2\n", ":10: expected each call once" },
    { HEAD "24 32 5000 1 2 0 1 0\nend 2\n", ":10: expected 'end' and the number of calls" },
    { HEAD "24 32 5000 1 2 0 1 0\n", ":9: expected 'end' and the number of calls: the file was cut" },
    { HEAD "24 32 5000 1 2 0 1 0\nend 1\n\n", ":11: expected nothing behind 'end'" },
    { HEAD "24 32 5000 1 2 0 1 0", ":9: expected a shorter line with an end" },
  };
  struct recording recording;
  struct perfpred_error error;

  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cr_assert_eq(read_text(bad[i].text, true, &recording, NULL, &error), PERFPRED_CORRUPT, "%zu: %s", i, error.text);
    cr_assert_not_null(strstr(error.text, bad[i].expected), "%zu: %s", i, error.text);
  }
  cr_assert_eq(read_text("perfpred-recording 1\nkernel dtrsv2\n", true, &recording, NULL, &error), PERFPRED_NOT_FOUND);
}

Test(recording, an_unfinished_one_ends_with_its_last_whole_line) {
  static const char whole[] = HEAD "24 32 5000 1000 2 0 1 0 10\n24 32 5000 900 2 1 1 0\n24 40 5000 100 2 0 0 0\n";
  char text[1024];
  struct recording recording;
  struct perfpred_error error;
  long bytes = 0;

  snprintf(text, sizeof text, "%s24 40 50", whole);
  cr_assert_eq(read_text(text, false, &recording, &bytes, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(bytes, (long)strlen(whole));
  cr_assert_eq(recording.samples.count, 1);
  cr_assert_eq(recording.samples.records[0]->count, 3);
  cr_assert_float_eq(recording.samples.records[0]->times_s[2], 0.9e-6, 1e-18);
  cr_assert_float_eq(recording.samples.records[0]->measure_s, 5.8e-6, 1e-18);
  recording_release(&recording);
}

Test(recording, missing_samples_are_medians_and_some_are_set_apart) {
  static const char text[] = "perfpred-recording 1\nkernel dtrsm\ncase L,L,N,N,1\ngrain 8\nrepetitions 5\nthreads 1\n"
                             "calls\n"; /* replaced below: the word needs its columns */
  static const char good[] =
      "perfpred-recording 1\nkernel dtrsm\ncase L,L,N,N,1\ngrain 8\nrepetitions 5\nthreads 1\n"
      "calls m n\n24 24 5000 1000 2 0 1 100 0 200 300 400\n32 24 5000 1000 2 0 1 0 100 500\nend 2\n";
  struct recording recording;
  struct perfpred_error error;
  const struct ppi_record *record;
  size_t filled = 0;

  cr_assert_eq(read_text(text, true, &recording, NULL, &error), PERFPRED_CORRUPT);
  cr_assert_eq(read_text(good, true, &recording, NULL, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(recording_fill(&recording, &filled, NULL), PERFPRED_OK);
  cr_assert_eq(filled, 2);
  record = recording.samples.records[1];
  cr_assert_eq(record->count, 5);
  cr_assert_float_eq(record->times_s[3], 1.01e-6, 1e-15);
  cr_assert_float_eq(record->times_s[4], 1.01e-6, 1e-15);
  cr_assert_float_eq(record->measure_s, 10e-6, 1e-15); /* 2 us for each of five */
  cr_assert_eq(recording_set_apart(&recording, 5, &error), PERFPRED_INVALID);
  cr_assert_eq(recording_set_apart(&recording, 2, NULL), PERFPRED_OK); /* of 0 to 4 number 1 and 3 */
  cr_assert_eq(recording.repetitions, 3);
  record = recording.samples.records[0];
  cr_assert_eq(record->count, 3);
  cr_assert_float_eq(record->times_s[0], 1.01e-6, 1e-15);
  cr_assert_float_eq(record->times_s[1], 1.02e-6, 1e-15);
  cr_assert_float_eq(record->times_s[2], 1.04e-6, 1e-15);
  cr_assert_float_eq(record->measure_s, 6e-6, 1e-15);
  cr_assert_float_eq(recording.truth[0].min, 1.00e-6, 1e-15);
  cr_assert_float_eq(recording.truth[0].max, 1.03e-6, 1e-15);
  recording_release(&recording);
}

Test(recording, what_is_written_is_read_again) {
  double times_s[] = { 1.5e-6, 1.53e-6, 1.5003e-6 };
  struct ppi_record record = { .sizes = { 24, 32 }, .ld = 5000, .times_s = times_s, .count = 3, .gated = true };
  struct recording written = { .case_text = "L,L,N,N,1", .grain = 8, .repetitions = 3, .threads = 2 }, again;
  struct ppi_kernels *kernels = NULL;
  struct perfpred_error error;
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);

  cr_assert_eq(ppi_kernels_create(&kernels, NULL), PERFPRED_OK);
  record.kernel = ppi_kernels_find(kernels, "dtrsm");
  written.kernel = ppi_kernel_ref(record.kernel);
  recording_print_head(&written, file);
  recording_print_call(&record, 1, 6e-6, 9, file); /* the last two */
  recording_print_end(1, file);
  fclose(file);
  cr_assert_eq(read_text(text, true, &again, NULL, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(again.samples.records[0]->count, 2);
  cr_assert_float_eq(again.samples.records[0]->times_s[0], 1.53e-6, 1e-10);
  cr_assert_float_eq(again.samples.records[0]->times_s[1], 1.5003e-6, 1e-10);
  cr_assert_float_eq(again.samples.records[0]->measure_s, 6e-6, 3e-9);
  cr_assert_eq(again.samples.records[0]->disturbed, 9);
  recording_release(&again);
  recording_release(&written);
  ppi_kernels_destroy(kernels);
  free(text);
}
