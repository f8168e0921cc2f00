/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"
#include "model/samples.h"

/* A kernel, a set, a source: what every test here has. */
struct stage {
  struct perfpred_kernel *kernel;
  struct ppi_samples samples;
  struct ppi_replay replay;
  struct ppi_source source;
  struct ppi_value values[8][PPI_ARG_MAX];
  struct ppi_request requests[8];
  struct ppi_result results[8];
};

static void stage_init(struct stage *stage) {
  memset(stage, 0, sizeof *stage);
  stage->kernel = catalogue_kernel("dpotrf2");
  stage->replay.samples = &stage->samples;
  ppi_replay_source(&stage->replay, &stage->source);
}

static void results_release(struct stage *stage) {
  for (int i = 0; i < 8; i++)
    free(stage->results[i].times_s);
  memset(stage->results, 0, sizeof stage->results);
}

static void stage_release(struct stage *stage) {
  results_release(stage);
  ppi_replay_release(&stage->replay);
  ppi_samples_release(&stage->samples);
  ppi_kernel_unref(stage->kernel);
}

/* Samples n + 0.0, n + 0.1, ..., of which each cost 2 n. */
static void put(struct stage *stage, int64_t n, size_t count) {
  double times_s[64];
  struct ppi_result result = { .times_s = times_s, .count = count, .disturbed = 2 * count, .gated = true };

  for (size_t i = 0; i < count; i++)
    times_s[i] = (double)n + 0.1 * (double)i;
  result.measure_s = 2.0 * (double)n * (double)count;
  cr_assert_eq(ppi_samples_add(&stage->samples, stage->kernel, "L", &n, 640, &result, NULL), PERFPRED_OK);
}

static enum perfpred_status ask(struct stage *stage, const int64_t *n, size_t count,
                                const struct ppi_sampling *sampling, struct perfpred_error *error) {
  results_release(stage);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(ppi_case_parse(stage->kernel, "L", stage->values[i], NULL), PERFPRED_OK);
    stage->values[i][stage->kernel->sizes[0]].i = n[i];
    stage->requests[i] = (struct ppi_request){ stage->kernel, stage->values[i], 640 };
  }
  ppi_error_clear(error);
  return stage->source.sample(stage->source.data, stage->requests, count, sampling, stage->results, error);
}

static void expect(const struct ppi_result *result, size_t count, double first_s, double measure_s) {
  cr_assert_eq(result->count, count, "%zu", result->count);
  for (size_t i = 0; i < count; i++)
    cr_assert_float_eq(result->times_s[i], first_s + 0.1 * (double)i, 1e-12);
  cr_assert_float_eq(result->measure_s, measure_s, 1e-12);
}

Test(replay, hands_out_what_was_recorded_each_sample_once) {
  struct stage stage;
  struct ppi_sampling sampling = { .repetitions = 4 };
  const int64_t n[] = { 16, 8 };
  struct perfpred_error error;

  stage_init(&stage);
  put(&stage, 8, 10);
  put(&stage, 16, 10);
  cr_assert_eq(ask(&stage, n, 2, &sampling, &error), PERFPRED_OK);
  expect(&stage.results[0], 4, 16.0, 4 * 32.0);
  expect(&stage.results[1], 4, 8.0, 4 * 16.0);
  cr_assert_eq(stage.results[0].disturbed, 8);
  cr_assert(stage.results[0].gated);
  cr_assert_eq(stage.results[0].ld, 640);
  cr_assert_float_eq(stage.replay.spent_s, 4 * 48.0, 1e-12);
  cr_assert_float_eq(stage.source.now_s(stage.source.data), 4 * 48.0, 1e-12);
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_OK);
  expect(&stage.results[0], 4, 16.4, 4 * 32.0);
  cr_assert_eq(ask(&stage, n, 2, &sampling, &error), PERFPRED_OK); /* of one only two are left */
  expect(&stage.results[0], 2, 16.8, 2 * 32.0);
  expect(&stage.results[1], 4, 8.4, 4 * 16.0);
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_NOT_FOUND);
  cr_assert_str_eq(error.text, "dpotrf2 L n=16 ld=640: all of its 10 recorded samples are used");
  stage_release(&stage);
}

Test(replay, names_what_was_not_recorded) {
  struct stage stage;
  struct ppi_sampling sampling = { .repetitions = 1 };
  const int64_t n[] = { 8, 24 };
  struct perfpred_error error;

  stage_init(&stage);
  put(&stage, 8, 1);
  cr_assert_eq(ask(&stage, n, 2, &sampling, &error), PERFPRED_NOT_FOUND);
  cr_assert_str_eq(error.text, "dpotrf2 L n=24 ld=640: not among the recorded calls");
  sampling.partial = true; /* a budget excuses that nothing was measured, not that nothing could be */
  sampling.budget_s = 1e6;
  cr_assert_eq(ask(&stage, n, 2, &sampling, &error), PERFPRED_NOT_FOUND);
  cr_assert_eq(stage.source.least_squares(stage.source.data, 1, 1, 1, NULL, NULL, NULL, &error), PERFPRED_UNSUPPORTED);
  stage_release(&stage);
}

Test(replay, a_budget_is_kept_on_what_the_samples_cost) {
  struct stage stage;
  struct ppi_sampling sampling = { .repetitions = 5, .budget_s = 100.0 };
  const int64_t n[] = { 8, 16 };
  struct perfpred_error error;

  stage_init(&stage);
  put(&stage, 8, 10);
  put(&stage, 16, 10);
  /* 16, 32 | 16, 32 | 16: 112 >= 100 */
  cr_assert_eq(ask(&stage, n, 2, &sampling, &error), PERFPRED_OK);
  expect(&stage.results[0], 3, 8.0, 48.0);
  expect(&stage.results[1], 2, 16.0, 64.0);
  sampling.budget_s = 10.0; /* less than one of each: everybody has one, unless some may be left out */
  cr_assert_eq(ask(&stage, n, 2, &sampling, &error), PERFPRED_OK);
  expect(&stage.results[0], 1, 8.3, 16.0);
  expect(&stage.results[1], 1, 16.2, 32.0);
  sampling.partial = true;
  cr_assert_eq(ask(&stage, n, 2, &sampling, &error), PERFPRED_OK);
  expect(&stage.results[0], 1, 8.4, 16.0);
  cr_assert_eq(stage.results[1].count, 0);
  stage_release(&stage);
}

static double linear(const int64_t *sizes) {
  return (double)sizes[0];
}

struct journal {
  size_t calls, counts[8];
  const struct ppi_record *last;
  enum perfpred_status status;
};

static enum perfpred_status note(void *data, const struct ppi_record *const *records, size_t count,
                                 struct perfpred_error *error) {
  struct journal *journal = data;

  if (journal->status)
    return ppi_error_set(error, journal->status, "the journal is full");
  journal->counts[journal->calls++] = count;
  journal->last = records[count - 1];
  return PERFPRED_OK;
}

Test(replay, what_is_missing_comes_from_behind_and_joins_the_set) {
  struct stage stage;
  struct lab lab = { .time_s = linear, .spread = 0.1, .rejects = 1 };
  struct ppi_source behind = lab_source(&lab);
  struct journal journal = { 0 };
  struct ppi_sampling sampling = { .repetitions = 4, .seed = 5 };
  const int64_t n[] = { 8, 16, 24 };
  struct perfpred_error error;

  stage_init(&stage);
  stage.replay.behind = &behind;
  stage.replay.added = note;
  stage.replay.added_data = &journal;
  put(&stage, 8, 10);
  put(&stage, 16, 3);
  cr_assert_eq(ask(&stage, n, 3, &sampling, &error), PERFPRED_OK, "%s", error.text);
  expect(&stage.results[0], 4, 8.0, 64.0);
  cr_assert_eq(stage.results[1].count, 4); /* three of the set, one more */
  cr_assert_float_eq(stage.results[1].times_s[2], 16.2, 1e-12);
  cr_assert_float_eq(stage.results[1].times_s[3], 16.0, 1e-12);
  cr_assert_float_eq(stage.results[1].measure_s, 3 * 32.0 + 2 * 2 * 16.0, 1e-12);
  cr_assert_eq(stage.results[2].count, 4);
  cr_assert_float_eq(stage.results[2].times_s[3], 24.0 * 1.3, 1e-12);
  cr_assert_eq(lab.calls, 10); /* four and one, each rejected once */
  cr_assert_eq(lab.batches, 2);
  cr_assert_eq(journal.calls, 2);
  cr_assert_eq(journal.last->sizes[0], 16); /* who lacks most comes first */
  cr_assert_eq(journal.last->count, 4);
  cr_assert_eq(stage.samples.count, 3);
  cr_assert_float_eq(stage.replay.spent_s, 64.0 + 96.0, 1e-12); /* the clock is that of the source behind */
  cr_assert_float_eq(stage.source.now_s(stage.source.data), lab.now_s, 1e-12);

  journal.calls = 0; /* what was just measured is not handed out again */
  cr_assert_eq(ask(&stage, n, 3, &sampling, &error), PERFPRED_OK);
  expect(&stage.results[0], 4, 8.4, 64.0);
  cr_assert_eq(journal.calls, 1);
  cr_assert_eq(journal.counts[0], 2);
  stage_release(&stage);
}

Test(replay, batches_are_cut_so_that_little_is_lost) {
  struct stage stage;
  struct lab lab = { .time_s = linear };
  struct ppi_source behind = lab_source(&lab);
  struct journal journal = { 0 };
  struct ppi_sampling sampling = { .repetitions = 1 };
  const int64_t n[] = { 8, 8, 8, 8, 8, 8 };
  struct perfpred_error error;

  stage_init(&stage);
  stage.replay.behind = &behind;
  stage.replay.added = note;
  stage.replay.added_data = &journal;
  stage.replay.batch_s = 48.0; /* three calls, each run twice; the first batch is made of what is thought to be quick */
  stage.replay.slowness = 16.0 / 1.005e-4;
  cr_assert_eq(ask(&stage, n, 6, &sampling, &error), PERFPRED_OK);
  cr_assert_eq(journal.calls, 2);
  cr_assert_eq(journal.counts[0], 3);
  cr_assert_eq(journal.counts[1], 3);
  cr_assert_eq(lab.seeds[1], lab.seeds[0] + 1);
  journal.status = PERFPRED_IO;
  cr_assert_eq(ask(&stage, n, 6, &sampling, &error), PERFPRED_IO);
  cr_assert_str_eq(error.text, "the journal is full");
  journal.status = PERFPRED_OK;
  lab.fail = PERFPRED_CRASHED;
  lab.fail_at = lab.batches + 1;
  cr_assert_eq(ask(&stage, n, 6, &sampling, &error), PERFPRED_CRASHED);
  cr_assert_eq(stage.samples.records[0]->count, 12); /* 6, and 3 twice: finished batches stay */
  stage_release(&stage);
}

Test(replay, whole_records_are_given_as_they_were_measured) {
  struct stage stage;
  struct ppi_sampling sampling = { .repetitions = 4 };
  const int64_t n[] = { 8 };
  struct perfpred_error error;

  stage_init(&stage);
  stage.replay.whole = true;
  put(&stage, 8, 10);
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_OK);
  expect(&stage.results[0], 10, 8.0, 160.0);
  stage_release(&stage);
}

/* Asked for 3 at first, the sampler gave 4: who is asked for 3 again gives those 4, or the samples would not be those of then. */
Test(replay, what_came_together_is_given_together) {
  struct stage stage;
  struct ppi_sampling sampling = { .repetitions = 3 };
  const int64_t n[] = { 8 };
  struct perfpred_error error;

  stage_init(&stage);
  put(&stage, 8, 4);
  put(&stage, 8, 2);
  put(&stage, 8, 5);
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_OK);
  cr_assert_eq(stage.results[0].count, 3);
  ppi_replay_release(&stage.replay);
  stage.replay.by_part = true;
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_OK);
  cr_assert_eq(stage.results[0].count, 4);
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_OK);
  cr_assert_eq(stage.results[0].count, 7);
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_NOT_FOUND);
  stage.replay.lenient = true;
  cr_assert_eq(ask(&stage, n, 1, &sampling, &error), PERFPRED_OK);
  cr_assert_eq(stage.results[0].count, 0);
  stage_release(&stage);
}

static double jagged(const int64_t *sizes) {
  double n = (double)sizes[0];

  return 1e-6 + 1e-10 * n * n * n * (sizes[0] / 8 % 3 == 0 ? 1.2 : 1.0);
}

static struct perfpred_models *generate(const struct ppi_source *source, struct perfpred_generate_report *report) {
  struct perfpred_kernel *kernel = catalogue_kernel("dpotrf2");
  struct ppi_target target = target_of(kernel, "L", (int64_t[]){ 8 }, (int64_t[]){ 520 });
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_models *models = NULL;
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(ppi_generate(&target, 1, source, &options, &models, report, &error), PERFPRED_OK, "%s", error.text);
  ppi_kernel_unref(kernel);
  return models;
}

/* The model of a generation whose samples were kept is made again from them, to the last bit. */
Test(replay, a_generation_is_repeated_without_measuring) {
  struct lab lab = { .time_s = jagged, .spread = 0.01, .spare = 16 };
  struct ppi_source behind = lab_source(&lab), source;
  struct ppi_samples samples = { 0 };
  struct ppi_replay first = { .samples = &samples, .behind = &behind };
  struct ppi_replay again = { .samples = &samples, .solver = &behind, .whole = true };
  struct perfpred_generate_report reports[2] = { PERFPRED_GENERATE_REPORT_INIT, PERFPRED_GENERATE_REPORT_INIT };
  struct perfpred_models *models[2];
  long calls;

  ppi_replay_source(&first, &source);
  models[0] = generate(&source, &reports[0]);
  calls = lab.calls;
  ppi_replay_source(&again, &source);
  models[1] = generate(&source, &reports[1]);
  cr_assert_eq(lab.calls, calls);
  cr_assert_eq(reports[0].points, samples.count);
  cr_assert_eq(reports[0].samples, reports[1].samples);
  cr_assert_float_eq(again.spent_s, reports[0].measure_s, 1e-12 * reports[0].measure_s);
  cr_assert_eq(models[0]->submodels[0].piece_count, models[1]->submodels[0].piece_count);
  for (int64_t n = 8; n <= 520; n++) {
    struct perfpred_statistics a, b;

    perfpred_models_estimate(models[0], 0, &n, 1, &a);
    perfpred_models_estimate(models[1], 0, &n, 1, &b);
    cr_assert_eq(memcmp(&a, &b, sizeof a), 0, "n = %lld", (long long)n);
  }
  perfpred_models_unref(models[0]);
  perfpred_models_unref(models[1]);
  ppi_replay_release(&first);
  ppi_replay_release(&again);
  ppi_samples_release(&samples);
}
