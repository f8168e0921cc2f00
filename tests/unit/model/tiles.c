/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that work on tiles, and how far the smallest of few samples is to be trusted. */
#include "fixture.h"
#include "model/adaptive.h"

static double up(int64_t size, int64_t tile) {
  return (double)((size + tile - 1) / tile * tile);
}

/* BLIS for AVX-512: 16 x 14, and whatever sticks out costs a whole one. */
static double saw(const int64_t *sizes) {
  double m = up(sizes[0], 14), n = up(sizes[1], 16);

  return 2e-6 + 1e-9 * m + 3e-11 * m * n * n;
}

/* What sticks out costs half of it. */
static double half_saw(const int64_t *sizes) {
  double m = (double)sizes[0], n = 0.5 * ((double)sizes[1] + up(sizes[1], 24));

  return 2e-6 + 3e-11 * m * n * n;
}

static double smooth(const int64_t *sizes) {
  double m = (double)sizes[0], n = (double)sizes[1];

  return 2e-6 + 1e-9 * m + 3e-11 * m * n * n;
}

static struct perfpred_models *model(double (*time_s)(const int64_t *), struct perfpred_generate_report *report) {
  struct lab lab = { .time_s = time_s };
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  struct ppi_target target = target_of(kernel, "R,L,T,N,1", (int64_t[]){ 24, 24 }, (int64_t[]){ 520, 520 });
  struct ppi_source source = lab_source(&lab);
  struct perfpred_models *models = NULL;

  options.generator = PERFPRED_GENERATOR_ADAPTIVE;
  cr_assert_eq(ppi_generate(&target, 1, &source, &options, &models, report, NULL), PERFPRED_OK);
  ppi_kernel_unref(kernel);
  return models;
}

static double largest_error(const struct perfpred_models *models, double (*time_s)(const int64_t *), int64_t step) {
  double largest = 0.0;

  for (int64_t m = 24; m <= 520; m += step)
    for (int64_t n = 24; n <= 520; n += step) {
      const int64_t sizes[] = { m, n };
      struct perfpred_statistics time;

      cr_assert_eq(perfpred_models_estimate(models, 0, sizes, 2, &time), 0);
      largest = fmax(largest, relative(time.min, time_s(sizes)));
    }
  return largest;
}

Test(tiles, a_saw_is_one_piece_of_padded_sizes) {
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct perfpred_models *models = model(saw, &report);
  const struct ppi_piece *piece = models->submodels[0].pieces;

  cr_assert_eq(models->submodels[0].piece_count, 1);
  cr_assert_eq(piece->tiles.tile[0], 14);
  cr_assert_eq(piece->tiles.tile[1], 16);
  cr_assert_eq(piece->tiles.padding[0], 1.0);
  cr_assert_eq(piece->tiles.padding[1], 1.0);
  cr_assert_lt(report.points, 150); /* of 3969 */
  cr_assert_lt(largest_error(models, saw, 8), 1e-9);
  perfpred_models_unref(models);
}

/* All samples are multiples of 8, but what they show of tiles holds between them. */
Test(tiles, sizes_between_the_sampled_ones_are_met) {
  struct perfpred_models *models = model(saw, NULL);

  cr_assert_lt(largest_error(models, saw, 7), 1e-9);
  perfpred_models_unref(models);
}

Test(tiles, half_of_what_sticks_out) {
  struct perfpred_models *models = model(half_saw, NULL);
  const struct ppi_piece *piece = models->submodels[0].pieces;

  cr_assert_eq(piece->tiles.tile[0], 0);
  cr_assert_eq(piece->tiles.tile[1], 24);
  cr_assert_eq(piece->tiles.padding[1], 0.5);
  cr_assert_lt(largest_error(models, half_saw, 8), 1e-9);
  perfpred_models_unref(models);
}

Test(tiles, none_are_seen_where_there_are_none) {
  struct perfpred_models *models = model(smooth, NULL);

  cr_assert_eq(models->submodels[0].pieces[0].tiles.tile[0], 0);
  cr_assert_eq(models->submodels[0].pieces[0].tiles.tile[1], 0);
  perfpred_models_unref(models);
}

Test(tiles, padding) {
  const struct ppi_tiles tiles = { { 16, 0, 1, 14 }, { 1.0, 1.0, 1.0, 0.5 } };

  cr_assert_eq(ppi_tiles_pad(&tiles, 0, 0), 0.0);
  cr_assert_eq(ppi_tiles_pad(&tiles, 0, 1), 16.0);
  cr_assert_eq(ppi_tiles_pad(&tiles, 0, 16), 16.0);
  cr_assert_eq(ppi_tiles_pad(&tiles, 0, 17), 32.0);
  cr_assert_eq(ppi_tiles_pad(&tiles, 1, 17), 17.0);
  cr_assert_eq(ppi_tiles_pad(&tiles, 2, 17), 17.0);
  cr_assert_eq(ppi_tiles_pad(&tiles, 3, 15), 21.5); /* 15 + 13 / 2 */
}

/* Three points of three samples whose two smallest are 10 % apart: the smallest lies 0.1 * 2 / 3 above the least possible time, and
   the smallest of ten would lie 3 / 10 of that above it. */
Test(noise, the_smallest_of_few_is_brought_to_that_of_many) {
  double first[] = { 2.0, 2.2, 2.5 }, second[] = { 3.9, 3.0, 3.3 }, third[] = { 1.1, 1.0, 1.2 };
  const double *times_s[] = { first, second, third };
  double values[3 * PPI_STATISTICS], variances[3];
  int repetitions[] = { 3, 3, 3 };
  struct ppi_sampled data = {
    .dimensions = 1, .count = 3, .values = values, .variances = variances, .repetitions = repetitions
  };

  for (int i = 0; i < 3; i++) {
    double sorted[3];

    memcpy(sorted, times_s[i], sizeof sorted);
    ppi_stats_values(sorted, 3, values + (size_t)i * PPI_STATISTICS);
  }
  cr_assert_eq(ppi_noise_settle(&data, times_s, 10, 0.007, NULL), PERFPRED_OK);
  cr_assert_lt(relative(values[0], 2.0 * (1.0 - 0.2 / 3.0 * 0.7)), 1e-12);
  cr_assert_lt(relative(values[PPI_STATISTICS], 3.0 * (1.0 - 0.2 / 3.0 * 0.7)), 1e-12);
  cr_assert_lt(relative(variances[0], 0.04 / 9.0), 1e-12);
  cr_assert_eq(data.enough, 5); /* three leave 10 %, what five leave is not known yet */
}

Test(noise, few_samples_do_where_there_is_none) {
  double first[] = { 2.0, 2.0, 2.001 }, second[] = { 3.0, 3.0, 3.001 };
  const double *times_s[] = { first, second };
  double values[2 * PPI_STATISTICS], variances[2];
  int repetitions[] = { 3, 3 };
  struct ppi_sampled data = {
    .dimensions = 1, .count = 2, .values = values, .variances = variances, .repetitions = repetitions
  };

  for (int i = 0; i < 2; i++) {
    double sorted[3];

    memcpy(sorted, times_s[i], sizeof sorted);
    ppi_stats_values(sorted, 3, values + (size_t)i * PPI_STATISTICS);
  }
  cr_assert_eq(ppi_noise_settle(&data, times_s, 10, 0.007, NULL), PERFPRED_OK);
  cr_assert_eq(values[0], 2.0);
  cr_assert_eq(variances[0], 0.0);
  cr_assert_eq(data.enough, 3);
}
