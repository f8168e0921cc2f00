/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

/* dpotrf2 on [8, 72]: pieces [8, 40], [40, 56], [56, 72]. */
static struct ppi_submodel three_pieces(void) {
  static const int64_t bounds[][2] = { { 8, 40 }, { 40, 56 }, { 56, 72 } };
  static const struct ppi_split splits[] = {
    { 0, 40, 1, 2, -1 }, { -1, 0, 0, 0, 0 }, { 0, 56, 3, 4, -1 }, { -1, 0, 0, 0, 1 }, { -1, 0, 0, 0, 2 }
  };
  struct ppi_submodel made;

  memset(&made, 0, sizeof made);
  made.kernel = catalogue_kernel("dpotrf2");
  strcpy(made.case_text, "L");
  made.dimensions = 1;
  made.lower[0] = 8;
  made.upper[0] = 72;
  made.split_count = 5;
  made.piece_count = 3;
  made.splits = malloc(sizeof splits);
  memcpy(made.splits, splits, sizeof splits);
  made.pieces = calloc(3, sizeof *made.pieces);
  for (int i = 0; i < 3; i++) {
    made.pieces[i].lower[0] = bounds[i][0];
    made.pieces[i].upper[0] = bounds[i][1];
    made.pieces[i].degrees[0] = 1;
    ppi_piece_scale(made.pieces + i, 1);
    made.pieces[i].coefficients = calloc(2 * PPI_STATISTICS, sizeof(double));
  }
  return made;
}

Test(submodel, a_good_one_passes_and_is_searched) {
  struct ppi_submodel good = three_pieces();
  static const struct {
    int64_t n;
    int piece;
  } cases[] = { { 8, 0 }, { 40, 0 }, { 41, 1 }, { 56, 1 }, { 57, 2 }, { 72, 2 } };

  cr_assert_eq(ppi_submodel_check(&good, "m", NULL), PERFPRED_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    cr_assert_eq(ppi_submodel_piece(&good, &cases[i].n) - good.pieces, cases[i].piece);
  ppi_submodel_release(&good);
}

static void expect_bad(void (*spoil)(struct ppi_submodel *), const char *text) {
  struct ppi_submodel bad = three_pieces();
  struct perfpred_error error;

  ppi_error_clear(&error);
  spoil(&bad);
  cr_assert_eq(ppi_submodel_check(&bad, "m", &error), PERFPRED_CORRUPT, "%s", text);
  cr_assert_eq(strncmp(error.text, text, strlen(text)), 0, "expected %s, found %s", text, error.text);
  ppi_submodel_release(&bad);
}

#define SPOILT(name, change)                                                                                           \
  static void name(struct ppi_submodel *bad) {                                                                         \
    change;                                                                                                            \
  }
SPOILT(negative, bad->lower[0] = -8)
SPOILT(upside_down, bad->upper[0] = 4)
SPOILT(gap, bad->pieces[1].lower[0] = 48)
SPOILT(short_cover, bad->upper[0] = 80)
SPOILT(cycle, bad->splits[2].left = 0)
SPOILT(itself, bad->splits[2].right = 2)
SPOILT(beyond, bad->splits[2].right = 5)
SPOILT(below, bad->splits[2].right = -1)
SPOILT(shared, bad->splits[2].right = 3)
SPOILT(outside, bad->splits[2].at = 72)
SPOILT(before, bad->splits[2].at = 40)
SPOILT(no_size, bad->splits[0].dimension = 1)
SPOILT(no_piece, bad->splits[4].piece = 3)
SPOILT(piece_twice, bad->splits[4].piece = 1)
SPOILT(not_finite, bad->pieces[2].coefficients[3] = INFINITY)
SPOILT(nan_floor, bad->pieces[0].floors[0] = NAN)
SPOILT(high_degree, bad->pieces[0].degrees[0] = 17)
SPOILT(wrong_count, bad->pieces[0].degrees[0] = 2)
SPOILT(bad_error, bad->pieces[0].error = -0.5)
SPOILT(no_pieces, bad->split_count = 0)

Test(submodel, bad_ones_are_told_by_their_place) {
  expect_bad(negative, "m.domain.lower[0]");
  expect_bad(upside_down, "m.domain.upper[0]");
  expect_bad(gap, "m.pieces[1]: covers 48 to 56");
  expect_bad(short_cover, "m.pieces[2]: covers 56 to 72");
  expect_bad(cycle, "m.splits[2]: expected children");
  expect_bad(itself, "m.splits[2]: expected children");
  expect_bad(beyond, "m.splits[2]: expected children");
  expect_bad(below, "m.splits[2]: expected children");
  expect_bad(shared, "m.");
  expect_bad(outside, "m.splits[2].at");
  expect_bad(before, "m.splits[2].at");
  expect_bad(no_size, "m.splits[0]");
  expect_bad(no_piece, "m.splits[4].piece");
  expect_bad(piece_twice, "m.splits[4].piece");
  expect_bad(not_finite, "m.pieces[2].coefficients");
  expect_bad(nan_floor, "m.pieces[0].floors");
  expect_bad(high_degree, "m.pieces[0].degrees[0]");
  expect_bad(wrong_count, "m.pieces[0].coefficients");
  expect_bad(bad_error, "m.pieces[0].error");
  expect_bad(no_pieces, "m.pieces");
}

Test(submodel, models_are_found_by_kernel_and_case) {
  static const char *const cases[] = { "U", "L", "U", "L", "L" };
  struct perfpred_models *models = NULL;
  int places[8];

  cr_assert_eq(ppi_models_create(&models, NULL), PERFPRED_OK);
  for (int i = 0; i < 5; i++) {
    struct ppi_submodel next = three_pieces();

    strcpy(next.case_text, cases[i]);
    next.upper[0] = 72 + i; /* another domain: only the place matters here */
    cr_assert_eq(ppi_models_append(models, &next, NULL), PERFPRED_OK);
  }
  cr_assert_eq(ppi_models_find(models, "dpotrf2", "L", places, 8), 3);
  cr_assert_eq(places[0], 1);
  cr_assert_eq(places[1], 3);
  cr_assert_eq(places[2], 4);
  cr_assert_eq(ppi_models_find(models, "dpotrf2", "U", places, 1), 2); /* all are counted, one is given */
  cr_assert_eq(places[0], 0);
  cr_assert_eq(ppi_models_find(models, "dpotrf", "L", places, 8), 0);
  cr_assert_eq(perfpred_models_ref(models), models);
  perfpred_models_unref(models);
  cr_assert_eq(perfpred_models_count(models), 5);
  perfpred_models_unref(models);
  perfpred_models_unref(NULL);
  cr_assert_eq(perfpred_models_count(NULL), 0);
}

Test(submodel, a_domain_is_taken_once) {
  struct perfpred_models *models = NULL;
  struct ppi_submodel first = three_pieces(), again = three_pieces();
  struct perfpred_error error;

  ppi_error_clear(&error);
  cr_assert_eq(ppi_models_create(&models, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_models_append(models, &first, NULL), PERFPRED_OK);
  cr_assert_eq(ppi_models_append(models, &again, &error), PERFPRED_EXISTS);
  cr_assert_not_null(strstr(error.text, "dpotrf2(L)"));
  cr_assert_eq(perfpred_models_count(models), 1);
  perfpred_models_unref(models);
}

Test(submodel, info_is_checked) {
  struct perfpred_models *models = NULL;
  struct ppi_submodel first = three_pieces();
  struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
  struct perfpred_error error;

  cr_assert_eq(ppi_models_create(&models, NULL), PERFPRED_OK);
  first.pieces[1].error = NAN;
  first.pieces[2].error = 0.25;
  cr_assert_eq(ppi_models_append(models, &first, NULL), PERFPRED_OK);
  cr_assert_eq(perfpred_models_info(models, 1, &info, &error), PERFPRED_NOT_FOUND);
  cr_assert_eq(perfpred_models_info(NULL, 0, &info, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_info(models, 0, NULL, &error), PERFPRED_INVALID);
  info.size = 0;
  cr_assert_eq(perfpred_models_info(models, 0, &info, &error), PERFPRED_INVALID);
  cr_assert_null(info.kernel);
  info.size = sizeof info;
  cr_assert_eq(perfpred_models_info(models, 0, &info, &error), PERFPRED_OK);
  cr_assert_eq(info.pieces, 3);
  cr_assert_eq(info.coefficients, 6);
  cr_assert_eq(info.error, 0.25);
  cr_assert_eq(info.dimensions, 1);
  perfpred_models_unref(models);
}
