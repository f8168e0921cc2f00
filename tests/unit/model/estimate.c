/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

/* A sub-model of constant pieces: one, or two that are split in the first size at `at` (0: none). */
static struct ppi_submodel constant(struct perfpred_kernel *kernel, const char *case_text, const int64_t *lower,
                                    const int64_t *upper, int64_t at, double first, double second) {
  struct ppi_submodel made;
  int pieces = at ? 2 : 1;

  memset(&made, 0, sizeof made);
  made.kernel = ppi_kernel_ref(kernel);
  strcpy(made.case_text, case_text);
  cr_assert_eq(ppi_case_parse(kernel, case_text, made.values, NULL), PERFPRED_OK);
  made.dimensions = kernel->size_count;
  made.split_count = 2 * pieces - 1;
  made.piece_count = pieces;
  made.splits = calloc(3, sizeof *made.splits);
  made.pieces = calloc((size_t)pieces, sizeof *made.pieces);
  memcpy(made.lower, lower, (size_t)made.dimensions * sizeof *lower);
  memcpy(made.upper, upper, (size_t)made.dimensions * sizeof *upper);
  made.splits[0] = at ? (struct ppi_split){ 0, at, 1, 2, -1 } : (struct ppi_split){ -1, 0, 0, 0, 0 };
  made.splits[1] = (struct ppi_split){ -1, 0, 0, 0, 0 };
  made.splits[2] = (struct ppi_split){ -1, 0, 0, 0, 1 };
  for (int i = 0; i < pieces; i++) {
    struct ppi_piece *piece = made.pieces + i;

    memcpy(piece->lower, lower, (size_t)made.dimensions * sizeof *lower);
    memcpy(piece->upper, upper, (size_t)made.dimensions * sizeof *upper);
    if (at && i == 0)
      piece->upper[0] = at;
    if (i == 1)
      piece->lower[0] = at;
    ppi_piece_scale(piece, made.dimensions);
    piece->coefficients = calloc(PPI_STATISTICS, sizeof(double));
    for (int s = 0; s < 4; s++)
      piece->coefficients[s] = i ? second : first;
  }
  cr_assert_eq(ppi_submodel_check(&made, "made", NULL), PERFPRED_OK);
  return made;
}

static struct ppi_estimate ask(const struct ppi_submodel *submodel, int64_t m, int64_t n) {
  const int64_t sizes[] = { m, n };
  struct ppi_estimate estimate;

  memset(&estimate, 0xff, sizeof estimate);
  ppi_submodel_estimate(submodel, sizes, &estimate);
  return estimate;
}

static struct perfpred_kernel *kernel;
static struct ppi_submodel submodel;

static void set_up(void) {
  kernel = catalogue_kernel("dtrsm");
  submodel = constant(kernel, "R,L,T,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ 100, 50 }, 56, 1.0, 2.0);
}

static void tear_down(void) {
  ppi_submodel_release(&submodel);
  ppi_kernel_unref(kernel);
}
TestSuite(estimate, .init = set_up, .fini = tear_down);

Test(estimate, a_boundary_belongs_to_the_lower_piece) {
  cr_assert_eq(ask(&submodel, 55, 8).time_s.min, 1.0);
  cr_assert_eq(ask(&submodel, 56, 8).time_s.min, 1.0);
  cr_assert_eq(ask(&submodel, 57, 8).time_s.min, 2.0);
  cr_assert_eq(ask(&submodel, 56, 8).notes, 0);
}

Test(estimate, no_work_takes_no_time) {
  static const int64_t sizes[][2] = { { 0, 20 }, { 20, 0 }, { 0, 0 }, { 0, 1000 } };

  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct ppi_estimate estimate = ask(&submodel, sizes[i][0], sizes[i][1]);

    cr_assert_eq(estimate.notes, PERFPRED_NOTE_ZERO_WORK);
    cr_assert_eq(estimate.time_s.min, 0.0);
    cr_assert_eq(estimate.time_s.max, 0.0);
    cr_assert_eq(estimate.time_s.std, 0.0);
    cr_assert_eq(estimate.error, 0.0);
  }
}

Test(estimate, below_the_domain_sizes_are_clamped) {
  struct ppi_estimate estimate = ask(&submodel, 1, 50);

  cr_assert_eq(estimate.notes, PERFPRED_NOTE_CLAMPED);
  cr_assert_eq(estimate.time_s.med, 1.0);
  cr_assert_eq(ask(&submodel, 100, 1).time_s.med, 2.0);
}

/* A sub-model of dtrsm from the right, whose one piece is the law a m n^2 + b n^2 + c m n in each statistic. */
static struct ppi_submodel lawful(const int64_t *lower, const int64_t *upper, const double (*laws)[3]) {
  struct ppi_submodel made = constant(kernel, "R,L,T,N,1", lower, upper, 0, 0.0, 0.0);
  struct ppi_piece *piece = made.pieces;

  free(piece->coefficients);
  piece->degrees[0] = 1;
  piece->degrees[1] = 2;
  piece->count = 6;
  piece->coefficients = calloc(PPI_STATISTICS * 6, sizeof(double));
  for (int d = 0; d < 2; d++) {
    piece->center[d] = 0.0;
    piece->scale[d] = 1.0;
  }
  for (int s = 0; s < PPI_STATISTICS; s++) {
    piece->coefficients[6 * s + 5] = laws[s][0];
    piece->coefficients[6 * s + 2] = laws[s][1];
    piece->coefficients[6 * s + 4] = laws[s][2];
  }
  cr_assert_eq(ppi_submodel_check(&made, "made", NULL), PERFPRED_OK);
  return made;
}

static const int64_t low[] = { 8, 8 }, high[] = { 100, 50 };

Test(estimate, above_the_domain_the_trend_of_time_per_flop_goes_on) {
  /* Time per flop is a + b / m + c / n. At (100, 50): 1 + 0.4 + 0.2, shares of 1/4 and 1/8. */
  static const double laws[][3] = {
    { 1.0, 40.0, 10.0 }, { 1.0, 50.0, 10.0 }, { 2.0, 60.0, 0.0 }, { 1.0, 60.0, 10.0 }, { 0.1, 6.0, 1.0 }
  };
  static const int64_t sizes[][2] = { { 101, 50 },  { 200, 30 },  { 100, 51 },
                                      { 200, 100 }, { 1000, 20 }, { 100000, 70000 } };
  struct ppi_submodel law = lawful(low, high, laws);

  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    double m = (double)sizes[i][0], n = (double)sizes[i][1];
    struct ppi_estimate estimate = ask(&law, sizes[i][0], sizes[i][1]);
    const double values[] = { estimate.time_s.min, estimate.time_s.med, estimate.time_s.max, estimate.time_s.mean,
                              estimate.time_s.std };

    cr_assert_eq(estimate.notes, PERFPRED_NOTE_EXTRAPOLATED);
    for (int s = 0; s < PPI_STATISTICS; s++)
      cr_assert_lt(relative(values[s], laws[s][0] * m * n * n + laws[s][1] * n * n + laws[s][2] * m * n), 1e-12,
                   "statistic %d at %g, %g", s, m, n);
  }
  /* 2 000 000 + 400 000 + 200 000 */
  cr_assert_float_eq(ask(&law, 200, 100).time_s.min, 2.6e6, 1e-6);
  ppi_submodel_release(&law);
}

Test(estimate, a_rate_that_falls_is_not_carried_on) {
  /* Time per flop is 2 - 50 / m: 1.5 at 100 and 1 at 50. From (100, 25) on flops decide alone. */
  static const double laws[][3] = {
    { 2.0, -50.0, 0.0 }, { 2.0, -50.0, 0.0 }, { 2.0, -50.0, 0.0 }, { 2.0, -50.0, 0.0 }, { 0.0, 0.0, 0.0 }
  };
  struct ppi_submodel law = lawful((int64_t[]){ 40, 8 }, high, laws);

  cr_assert_float_eq(ask(&law, 100, 25).time_s.min, 1.5 * 62500, 1e-6);
  cr_assert_float_eq(ask(&law, 200, 25).time_s.min, 2 * 1.5 * 62500, 1e-6);
  cr_assert_eq(ask(&law, 200, 25).time_s.std, 0.0);
  ppi_submodel_release(&law);
}

/* Below (8, 8) the law goes on: 2 m n^2, n^2 and 3 m n at (2, 3) are 36, 9 and 18. m n^2 falls as fast as the work does, the other two
   more slowly. */
Test(estimate, below_the_domain_the_law_goes_on) {
  static const double laws[PPI_STATISTICS][3] = { { 2, 0, 0 }, { 0, 20, 0 }, { 0, 0, 900 }, { 2, 1, 3 }, { 0, 0, 0 } };
  struct ppi_submodel law = lawful((int64_t[]){ 8, 8 }, (int64_t[]){ 100, 50 }, laws);
  struct ppi_estimate estimate = ask(&law, 2, 3);

  cr_assert_eq(estimate.notes, PERFPRED_NOTE_CLAMPED);
  cr_assert_float_eq(estimate.time_s.min, 36.0, 1e-9);
  cr_assert_float_eq(estimate.time_s.med, 180.0, 1e-9);
  cr_assert_float_eq(estimate.time_s.max, 5400.0, 1e-9);
  cr_assert_float_eq(estimate.time_s.mean, 63.0, 1e-9);
  ppi_submodel_release(&law);
}

/* A line through (8, 8) that would cross 0 stays at its share of the work, and one that would rise stays where it is. */
Test(estimate, below_the_domain_nothing_falls_faster_than_the_work) {
  static const double falling[PPI_STATISTICS][3] = { { 2, -8, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 4, 0, 0 }, { 0 } };
  struct ppi_submodel law = lawful((int64_t[]){ 8, 8 }, (int64_t[]){ 100, 50 }, falling);

  /* (2 * 8 - 8) * 64 = 512 at the bound; at (2, 8) -256, but the share of the work is a quarter */
  cr_assert_float_eq(ask(&law, 2, 8).time_s.min, 128.0, 1e-9);
  ppi_submodel_release(&law);
}

Test(estimate, time_per_flop_never_vanishes) {
  /* A constant time is all share: 7/8 of it fades, the rest grows with the flops. m doubled: 2 (1 - 7/8 / 2); n doubled:
     4 (1 - 7/8 / 2); both: the shares of m and n, 1 each, go down to 7/16 each. */
  struct ppi_submodel flat = constant(kernel, "R,L,T,N,1", low, high, 0, 1.0, 0.0);
  struct ppi_estimate estimate = ask(&flat, 2, 100);

  cr_assert_eq(estimate.notes, PERFPRED_NOTE_CLAMPED | PERFPRED_NOTE_EXTRAPOLATED);
  cr_assert_float_eq(estimate.time_s.max, 2.25, 1e-12);
  cr_assert_float_eq(ask(&flat, 200, 25).time_s.mean, 1.125, 1e-12);
  cr_assert_float_eq(ask(&flat, 200, 100).time_s.min, 4.5, 1e-12);
  cr_assert_float_eq(ask(&flat, 1000000000, 50).time_s.med, 1e7 * (0.125 + 0.875e-7), 1e-3);
  for (int64_t m = 100; m < 1000000000; m += 1 + m / 3)
    for (int64_t n = 50; n < 1000000000; n += 1 + n / 3) {
      double here = ask(&flat, m, n).time_s.min;

      cr_assert(isfinite(here) && here <= ask(&flat, m + 1, n).time_s.min && here <= ask(&flat, m, n + 1).time_s.min);
    }
  ppi_submodel_release(&flat);
}

Test(estimate, a_narrow_domain_has_no_trend) {
  /* From 75 to 100 it is just wide enough: time per flop is 4/3 of that at 100, all of it is share. */
  struct ppi_submodel narrow = constant(kernel, "R,L,T,N,1", (int64_t[]){ 76, 8 }, high, 0, 1.0, 0.0);
  struct ppi_submodel wide = constant(kernel, "R,L,T,N,1", (int64_t[]){ 75, 8 }, high, 0, 1.0, 0.0);
  struct ppi_submodel fixed = constant(kernel, "R,L,T,N,1", (int64_t[]){ 100, 8 }, high, 0, 1.0, 0.0);

  cr_assert_float_eq(ask(&narrow, 200, 50).time_s.min, 2.0, 1e-12);
  cr_assert_float_eq(ask(&wide, 200, 50).time_s.min, 1.125, 1e-12);
  cr_assert_float_eq(ask(&fixed, 200, 50).time_s.min, 2.0, 1e-12);
  ppi_submodel_release(&fixed);
  ppi_submodel_release(&wide);
  ppi_submodel_release(&narrow);
}

Test(estimate, the_trend_is_that_of_the_piece_further_inside) {
  /* (50, 50) takes 1, (100, 50) 2: time per flop is the same. (100, 25) takes 2 as well: all of it is share of n.
     1000 times the flops, less 7/8 of 9/10. */
  struct ppi_estimate estimate = ask(&submodel, 1000, 500);

  cr_assert_eq(estimate.notes, PERFPRED_NOTE_EXTRAPOLATED);
  cr_assert_float_eq(estimate.time_s.min, 2000.0 * (1.0 - 0.7875), 1e-9);
  cr_assert_float_eq(ask(&submodel, 200, 25).time_s.mean, 4.0, 1e-12);
}

Test(estimate, extrapolated_statistics_come_in_order) {
  /* The maximum fades, the minimum does not: at (1000, 50), 10 times the flops, 0.75 * 10 against 2.5 * (10 - 9 * 7 / 8). */
  static const double laws[][3] = {
    { 3e-6, 0.0, 0.0 }, { 3e-6, 0.0, 0.0 }, { 0.0, 1e-3, 0.0 }, { 4e-6, 0.0, 0.0 }, { 0.0, 0.0, 0.0 }
  };
  struct ppi_submodel law = lawful(low, high, laws);
  struct perfpred_statistics time = ask(&law, 1000, 50).time_s;

  cr_assert_float_eq(time.min, 7.5, 1e-12);
  cr_assert_eq(time.med, time.min);
  cr_assert_eq(time.max, time.min);
  cr_assert_eq(time.mean, time.max);
  ppi_submodel_release(&law);
}

Test(estimate, without_flops_movement_decides) {
  struct perfpred_kernel *copy = catalogue_kernel("dcopy");
  struct ppi_submodel line = constant(copy, "1,1", (int64_t[]){ 8 }, (int64_t[]){ 100 }, 0, 3.0, 0.0);
  struct ppi_estimate estimate;

  /* ten times the bytes; 7/8 of the constant time fades to a tenth */
  ppi_submodel_estimate(&line, (int64_t[]){ 1000 }, &estimate);
  cr_assert_float_eq(estimate.time_s.min, 30.0 * (1.0 - 0.7875), 1e-12);
  cr_assert_eq(estimate.notes, PERFPRED_NOTE_EXTRAPOLATED);
  ppi_submodel_release(&line);
  ppi_kernel_unref(copy);
}

Test(estimate, is_never_negative_nor_nan) {
  /* C38: coefficients that dip far below 0 inside, sizes ten and a million times outside. */
  static const int64_t sizes[] = { 1, 8, 30, 100, 1000, 100000000, INT64_MAX / 4 };

  for (int i = 0; i < 2; i++) {
    struct ppi_piece *piece = submodel.pieces + i;

    for (int s = 0; s < PPI_STATISTICS; s++) {
      piece->coefficients[s] = s == 3 ? NAN : -1.0;
      piece->floors[s] = s == 4 ? 0.0 : 1e-6;
    }
  }
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
      struct perfpred_statistics time = ask(&submodel, sizes[i], sizes[j]).time_s;

      cr_assert(time.min > 0.0 && isfinite(time.min));
      cr_assert(time.med >= time.min && isfinite(time.med));
      cr_assert(time.max >= time.med && isfinite(time.max));
      cr_assert(time.mean >= time.min && time.mean <= time.max);
      cr_assert(time.std >= 0.0 && isfinite(time.std));
    }
}

Test(estimate, statistics_come_in_order) {
  struct perfpred_statistics time;
  double *c = submodel.pieces[0].coefficients;

  c[0] = 3.0; /* minimum above the others */
  c[1] = 2.0;
  c[2] = 1.0;
  c[3] = 5.0;
  time = ask(&submodel, 8, 8).time_s;
  cr_assert_eq(time.min, 3.0);
  cr_assert_eq(time.med, 3.0);
  cr_assert_eq(time.max, 3.0);
  cr_assert_eq(time.mean, 3.0);
}

Test(estimate, an_error_not_estimated_is_noted) {
  submodel.pieces[1].error = NAN;
  cr_assert_eq(ask(&submodel, 20, 20).notes, 0);
  cr_assert_eq(ask(&submodel, 80, 20).notes, PERFPRED_NOTE_UNCERTAIN);
  cr_assert(isnan(ask(&submodel, 80, 20).error));
}

Test(estimate, the_deepest_domain_answers) {
  struct ppi_submodel small = constant(kernel, "R,L,T,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ 100, 100 }, 0, 1.0, 0.0);
  struct ppi_submodel large =
      constant(kernel, "R,L,T,N,1", (int64_t[]){ 60, 8 }, (int64_t[]){ 1000, 100 }, 0, 2.0, 0.0);
  const struct ppi_submodel *both[] = { &small, &large };
  static const struct {
    int64_t m;
    double expected;
  } cases[] = {
    /* distances to the ends: 70 is 30 inside small, 10 inside large; 90: 10 and 30; 20 and 300 lie in one of them; 1 is 7
       below small and 59 below large; 2000 is above both, nearer to large */
    { 70, 1.0 }, { 90, 2.0 }, { 20, 1.0 }, { 300, 2.0 }, { 1, 1.0 },
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ppi_estimate estimate;

    const int64_t sizes[] = { cases[i].m, 50 };
    ppi_submodel_estimate(ppi_submodels_choose(both, 2, sizes), sizes, &estimate);
    cr_assert_eq(estimate.time_s.min, cases[i].expected, "m = %lld", (long long)cases[i].m);
  }
  ppi_submodel_release(&large);
  ppi_submodel_release(&small);
}

Test(estimate, the_public_one_checks_its_arguments) {
  struct perfpred_models *models = NULL;
  struct ppi_submodel copy = constant(kernel, "R,L,T,N,1", (int64_t[]){ 8, 8 }, (int64_t[]){ 64, 64 }, 0, 1.0, 0.0);
  struct perfpred_statistics time = { 7, 7, 7, 7, 7 };
  int64_t sizes[] = { 16, 16 };

  cr_assert_eq(ppi_models_create(&models, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_models_append(models, &copy, NULL), PERFPRED_OK);
  cr_assert_eq(perfpred_models_estimate(models, 1, sizes, 2, &time), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 1, &time), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate(models, 0, NULL, 2, &time), PERFPRED_NOTE_ERROR);
  cr_assert_eq(perfpred_models_estimate(NULL, 0, sizes, 2, &time), PERFPRED_NOTE_ERROR);
  cr_assert_eq(time.min, 7.0);
  cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 2, &time), 0);
  cr_assert_eq(time.min, 1.0);
  models->notes = PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED;
  cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 2, &time),
               PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED);
  perfpred_models_unref(models);
}
