/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluation of packed pieces, alone and call after call, against the plain one: Horner by the definition, in one statistic. */
#include "fixture.h"
#include "model/fold.h"
#include "model/packed.h"

/* Repeatable numbers in [0, 1). */
static double any(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

static void fill_piece(struct ppi_piece *piece, int dimensions, uint64_t *state) {
  for (int d = 0; d < dimensions; d++)
    piece->degrees[d] = 1 + (int)(4.0 * any(state)) % (dimensions > 2 ? 2 : 4);
  piece->tiles.tile[0] = any(state) < 0.5 ? 8 : 0;
  piece->tiles.padding[0] = 0.75;
  ppi_piece_scale(piece, dimensions);
  piece->error = 0.01;
  piece->coefficients = calloc((size_t)(PPI_STATISTICS * piece->count), sizeof *piece->coefficients);
  for (int s = 0; s < PPI_STATISTICS; s++) {
    for (int k = 0; k < piece->count; k++)
      piece->coefficients[s * piece->count + k] = any(state) / piece->count;
    piece->coefficients[s * piece->count] = 3.0 + s;
  }
}

/* Three pieces on [1, 200] in every size: split at 80 in the first and, above, at 120 in the last size. */
static struct ppi_submodel pieces(const char *name, const char *case_text, uint64_t *state) {
  const struct ppi_split splits[] = {
    { 0, 80, 1, 2, -1 }, { -1, 0, 0, 0, 0 }, { 0, 120, 3, 4, -1 }, { -1, 0, 0, 0, 1 }, { -1, 0, 0, 0, 2 }
  };
  struct ppi_submodel made;
  memset(&made, 0, sizeof made);
  made.kernel = catalogue_kernel(name);
  strcpy(made.case_text, case_text);
  cr_assert_eq(ppi_case_parse(made.kernel, case_text, made.values, NULL), PERFPRED_OK);
  const int dimensions = made.dimensions = made.kernel->size_count, last = dimensions - 1;
  made.split_count = 5;
  made.piece_count = 3;
  made.splits = malloc(sizeof splits);
  memcpy(made.splits, splits, sizeof splits);
  made.splits[2].dimension = last;
  made.pieces = calloc(3, sizeof *made.pieces);
  for (int d = 0; d < dimensions; d++) {
    made.lower[d] = 1;
    made.upper[d] = 200;
    for (int i = 0; i < 3; i++) {
      made.pieces[i].lower[d] = 1;
      made.pieces[i].upper[d] = 200;
    }
  }
  made.pieces[0].upper[0] = made.pieces[1].lower[0] = made.pieces[2].lower[0] = 80;
  made.pieces[1].upper[last] = made.pieces[2].lower[last] = 120;
  for (int i = 0; i < 3; i++)
    fill_piece(&made.pieces[i], dimensions, state);

  cr_assert_eq(ppi_submodel_check(&made, "made", NULL), PERFPRED_OK);
  cr_assert_eq(ppi_submodel_pack(&made, NULL), PERFPRED_OK);
  return made;
}

/* The definition, for sizes inside. */
static struct perfpred_statistics plain(const struct ppi_submodel *submodel, const int64_t *sizes) {
  const struct ppi_piece *piece = ppi_submodel_piece(submodel, sizes);
  double v[PPI_STATISTICS];
  ppi_piece_values(piece, submodel->dimensions, sizes, v);
  struct perfpred_statistics s = { v[0], fmax(v[1], v[0]), 0.0, fmax(v[3], v[0]), v[4] };
  s.max = fmax(v[2], s.med);
  s.mean = fmin(s.mean, s.max);
  return s;
}

static bool equal(const struct perfpred_statistics *a, const struct perfpred_statistics *b) {
  return a->min == b->min && a->med == b->med && a->max == b->max && a->mean == b->mean && a->std == b->std;
}

static bool near(double a, double b) {
  return fabs(a - b) <= 1e-12 * fabs(b);
}

static const struct {
  const char *kernel, *case_text;
} subjects[] = { { "daxpy", "1,1,1" }, { "dtrsm", "R,L,T,N,1" }, { "dgemm", "N,N,1,1" } };
#define SUBJECTS (sizeof subjects / sizeof subjects[0])

Test(folds, packed_pieces_are_the_plain_ones_to_the_bit) {
  uint64_t state = 7;
  for (size_t i = 0; i < SUBJECTS; i++) {
    struct ppi_submodel submodel = pieces(subjects[i].kernel, subjects[i].case_text, &state);
    for (int k = 0; k < 500; k++) {
      const int64_t sizes[] = { 1 + (int64_t)(200.0 * any(&state)), 1 + (int64_t)(200.0 * any(&state)),
                                1 + (int64_t)(200.0 * any(&state)) };
      const struct perfpred_statistics wanted = plain(&submodel, sizes);
      struct ppi_estimate estimate, median;
      ppi_submodel_estimate(&submodel, sizes, &estimate);
      ppi_submodel_estimate_median(&submodel, sizes, &median);
      cr_assert(equal(&estimate.time_s, &wanted), "%s", subjects[i].kernel);
      cr_assert(median.time_s.min == wanted.min && median.time_s.med == wanted.med);
      cr_assert(estimate.notes == 0 && median.notes == 0 && estimate.error == 0.01);
    }
    ppi_submodel_release(&submodel);
  }
}

Test(folds, outside_of_the_domain_the_median_is_that_of_all) {
  uint64_t state = 9;
  struct ppi_submodel submodel = pieces("dtrsm", "R,L,T,N,1", &state);
  static const int64_t sizes[][2] = { { 0, 10 }, { 300, 10 }, { 10, 1000 }, { 400, 400 }, { 0, 0 } };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct ppi_estimate estimate, median;
    struct ppi_fold fold;
    ppi_submodel_estimate(&submodel, sizes[i], &estimate);
    ppi_submodel_estimate_median(&submodel, sizes[i], &median);
    cr_assert(median.time_s.med == estimate.time_s.med && median.notes == estimate.notes && estimate.notes != 0);
    fold.piece = NULL;
    cr_assert(!ppi_fold_estimate(&fold, &submodel, sizes[i], false, &estimate));
  }
  ppi_submodel_release(&submodel);
}

/* What a loop makes of sizes: from..to in steps, the others stay. */
struct walk {
  int64_t first[3], step[3];
};
static const struct walk walks[] = {
  { { 200, 32, 7 }, { -3, 0, 0 } }, /* over all pieces of the first size */
  { { 100, 1, 50 }, { 0, 4, 0 } },  { { 150, 30, 1 }, { 0, 0, 3 } }, { { 1, 200, 9 }, { 4, -4, 0 } },
  { { 200, 9, 1 }, { -4, 0, 4 } },  { { 90, 64, 64 }, { 0, 0, 0 } }, { { 1, 1, 1 }, { 3, 3, 3 } },
};
#define WALKS (sizeof walks / sizeof walks[0])

/* Several loops with one fold, as a loop inside of another makes them; in the middle of each a call that is like no other. */
static void go(const struct ppi_submodel *submodel, struct ppi_fold *five, struct ppi_fold *one,
               const struct walk *walk) {
  static const int64_t odd[] = { 17, 17, 17 };
  for (int k = 0; k < 50; k++) {
    int64_t sizes[3];
    for (int d = 0; d < 3; d++)
      sizes[d] = walk->first[d] + k * walk->step[d];
    const int64_t *here = k == 25 ? odd : sizes;
    struct ppi_estimate estimate, median;
    const struct perfpred_statistics wanted = plain(submodel, here);
    cr_assert(ppi_fold_estimate(five, submodel, here, false, &estimate));
    cr_assert(ppi_fold_estimate(one, submodel, here, true, &median));
    cr_assert(near(estimate.time_s.min, wanted.min) && near(estimate.time_s.med, wanted.med) &&
                  near(estimate.time_s.max, wanted.max) && near(estimate.time_s.mean, wanted.mean) &&
                  near(estimate.time_s.std, wanted.std),
              "%s, step %d: %.17g, expected %.17g", submodel->kernel->name, k, estimate.time_s.med, wanted.med);
    cr_assert(median.time_s.min == estimate.time_s.min && median.time_s.med == estimate.time_s.med,
              "the median alone is another one");
  }
}

Test(folds, calls_one_after_the_other) {
  uint64_t state = 11;
  for (size_t i = 0; i < SUBJECTS; i++) {
    for (int again = 0; again < 10; again++) {
      struct ppi_submodel submodel = pieces(subjects[i].kernel, subjects[i].case_text, &state);
      struct ppi_fold five, one;
      five.piece = one.piece = NULL;
      for (size_t k = 0; k < WALKS; k++)
        go(&submodel, &five, &one, &walks[k]);
      ppi_submodel_release(&submodel);
    }
  }
}

/* That sizes are filled in at all shows in the state of the fold. */
Test(folds, sizes_that_stay_are_filled_in) {
  uint64_t state = 13;
  struct ppi_submodel submodel = pieces("dtrsm", "R,L,T,N,1", &state);
  struct ppi_estimate estimate;
  struct ppi_fold fold;
  fold.piece = NULL;
  for (int64_t m = 200; m > 110; m -= 10)
    cr_assert(ppi_fold_estimate(&fold, &submodel, (int64_t[]){ m, 32 }, false, &estimate));
  cr_assert(fold.state == PPI_FOLD_MADE && fold.left_count == 1 && fold.left[0] == 0);
  cr_assert(ppi_fold_estimate(&fold, &submodel, (int64_t[]){ 10, 32 }, false, &estimate));
  cr_assert(fold.state == PPI_FOLD_MADE && fold.piece == &submodel.pieces[0], "at once in the next piece");
  cr_assert(!ppi_fold_estimate(&fold, &submodel, (int64_t[]){ 201, 32 }, false, &estimate));
  cr_assert_null(fold.piece);
  ppi_submodel_release(&submodel);
}

/* As many calls of a walk as lie in the domain. */
static int64_t calls_of(const struct ppi_submodel *submodel, const struct walk *walk) {
  int64_t count = 60;
  for (int d = 0; d < submodel->dimensions; d++)
    while (walk->first[d] + (count - 1) * walk->step[d] < submodel->lower[d] ||
           walk->first[d] + (count - 1) * walk->step[d] > submodel->upper[d])
      count--;
  return count;
}

static void sum_row(const struct ppi_submodel *submodel, struct ppi_fold *five, struct ppi_fold *one,
                    const struct walk *walk) {
  struct perfpred_statistics wanted = { 0.0, 0.0, 0.0, 0.0, 0.0 };
  struct ppi_fold_row row = { .count = calls_of(submodel, walk) };
  struct ppi_fold_sum sum, median;
  for (int64_t k = 0; k < row.count; k++) {
    int64_t sizes[3];
    for (int d = 0; d < 3; d++)
      sizes[d] = walk->first[d] + k * walk->step[d];
    const struct perfpred_statistics time_s = plain(submodel, sizes);
    wanted.min += time_s.min;
    wanted.med += time_s.med;
    wanted.max += time_s.max;
    wanted.mean += time_s.mean;
    wanted.std += time_s.std * time_s.std;
  }
  memcpy(row.sizes, walk->first, sizeof walk->first);
  memcpy(row.slopes, walk->step, sizeof walk->step);
  ppi_fold_sum(five, submodel, &row, false, &sum);
  ppi_fold_sum(one, submodel, &row, true, &median);
  cr_assert(near(sum.time_s.min, wanted.min) && near(sum.time_s.med, wanted.med) && near(sum.time_s.max, wanted.max) &&
                near(sum.time_s.mean, wanted.mean) && near(sum.time_s.std, wanted.std),
            "%s, %lld calls: %.17g, expected %.17g", submodel->kernel->name, (long long)row.count, sum.time_s.med,
            wanted.med);
  cr_assert(near(sum.error_s, 0.01 * wanted.med) && sum.notes == 0);
  cr_assert(median.time_s.med == sum.time_s.med && median.error_s == sum.error_s, "the median alone is another one");
}

/* Rows and single calls in turn with one fold. */
Test(folds, rows_of_calls) {
  uint64_t state = 17;
  for (size_t i = 0; i < SUBJECTS; i++) {
    for (int again = 0; again < 10; again++) {
      struct ppi_submodel submodel = pieces(subjects[i].kernel, subjects[i].case_text, &state);
      struct ppi_fold five, one;
      five.piece = one.piece = NULL;
      for (size_t k = 0; k < WALKS; k++) {
        sum_row(&submodel, &five, &one, &walks[k]);
        if (k % 2)
          go(&submodel, &five, &one, &walks[k]);
      }
      ppi_submodel_release(&submodel);
    }
  }
}

Test(folds, errors_that_are_not_known_count_as_the_whole_time) {
  uint64_t state = 19;
  struct ppi_submodel submodel = pieces("daxpy", "1,1,1", &state);
  struct ppi_fold fold = { .piece = NULL };
  const struct ppi_fold_row row = { 100, { 41 }, { 1 } }; /* 40 calls in the first piece, 40 and 20 in the others */
  struct ppi_fold_sum sum;
  submodel.pieces[1].error = (double)NAN;
  ppi_fold_sum(&fold, &submodel, &row, false, &sum);
  double known_s = 0.0, all_s = 0.0;
  for (int64_t n = 41; n <= 140; n++) {
    const double median_s = plain(&submodel, &n).med;
    all_s += median_s;
    known_s += n <= 80 || n > 120 ? median_s : 0.0;
  }
  cr_assert(near(sum.error_s, 0.01 * known_s + (all_s - known_s)));
  cr_assert_eq(sum.notes, PERFPRED_NOTE_UNCERTAIN);
  ppi_submodel_release(&submodel);
}
