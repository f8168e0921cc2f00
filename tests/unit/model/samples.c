/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/samples.h"
#include "fixture.h"

static struct ppi_result result_of(double *times_s, size_t count, double measure_s, uint64_t disturbed, bool gated) {
  struct ppi_result result = { 0 };

  result.times_s = times_s;
  result.count = count;
  result.measure_s = measure_s;
  result.disturbed = disturbed;
  result.gated = gated;
  return result;
}

static const char tall[] = "L,L,N,N,1", other[] = "L,L,N,N,-1";

static void add(struct ppi_samples *samples, const struct perfpred_kernel *kernel, const char *case_text, int64_t m,
                int64_t n, int64_t ld, double first_s, size_t count) {
  double times_s[32];
  const int64_t sizes[] = { m, n };
  struct ppi_result result;

  for (size_t i = 0; i < count; i++)
    times_s[i] = first_s + (double)i;
  result = result_of(times_s, count, 4.0 * (double)count, count, true);
  cr_assert_eq(ppi_samples_add(samples, kernel, case_text, sizes, ld, &result, NULL), PERFPRED_OK);
}

Test(samples, of_one_call_are_joined_in_the_order_of_time) {
  struct ppi_samples samples = { 0 };
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  const int64_t sizes[] = { 24, 32 };
  const struct ppi_record *record;
  double late_s[] = { 0.5 };
  struct ppi_result late = result_of(late_s, 1, 0.25, 7, false);

  cr_assert_null(ppi_samples_find(&samples, kernel, tall, sizes, 0));
  add(&samples, kernel, tall, 24, 32, 5000, 10.0, 3);
  cr_assert_eq(ppi_samples_add(&samples, kernel, tall, sizes, 5000, &late, NULL), PERFPRED_OK);
  ppi_kernel_unref(kernel); /* the set has a reference of its own */
  cr_assert_eq(samples.count, 1);
  kernel = catalogue_kernel("dtrsm"); /* the same one of another context */
  record = ppi_samples_find(&samples, kernel, tall, sizes, 5000);
  cr_assert_not_null(record);
  cr_assert_eq(record->count, 4);
  cr_assert_eq(record->times_s[0], 10.0);
  cr_assert_eq(record->times_s[2], 12.0);
  cr_assert_eq(record->times_s[3], 0.5);
  cr_assert_eq(record->measure_s, 12.25);
  cr_assert_eq(record->disturbed, 10);
  cr_assert_not(record->gated);
  cr_assert_eq(record->sizes[0], 24);
  cr_assert_eq(record->sizes[1], 32);
  cr_assert_str_eq(record->case_text, tall);
  ppi_samples_release(&samples);
  cr_assert_eq(samples.count, 0);
  ppi_samples_release(&samples);
  ppi_samples_release(NULL);
  ppi_kernel_unref(kernel);
}

Test(samples, are_told_apart_by_kernel_case_sizes_and_leading_dimension) {
  struct ppi_samples samples = { 0 };
  struct perfpred_kernel *trsm = catalogue_kernel("dtrsm"), *trmm = catalogue_kernel("dtrmm");
  const int64_t sizes[] = { 24, 32 }, swapped[] = { 32, 24 };

  add(&samples, trsm, tall, 24, 32, 5000, 1.0, 1);
  add(&samples, trsm, tall, 24, 32, 4096, 2.0, 1);
  add(&samples, trsm, other, 24, 32, 5000, 3.0, 1);
  add(&samples, trmm, tall, 24, 32, 5000, 4.0, 1);
  add(&samples, trsm, tall, 32, 24, 5000, 5.0, 1);
  cr_assert_eq(samples.count, 5);
  cr_assert_eq(ppi_samples_find(&samples, trsm, tall, sizes, 5000)->times_s[0], 1.0);
  cr_assert_eq(ppi_samples_find(&samples, trsm, tall, sizes, 4096)->times_s[0], 2.0);
  cr_assert_eq(ppi_samples_find(&samples, trsm, tall, sizes, 0)->times_s[0], 1.0); /* any: the first */
  cr_assert_eq(ppi_samples_find(&samples, trsm, other, sizes, 5000)->times_s[0], 3.0);
  cr_assert_eq(ppi_samples_find(&samples, trmm, tall, sizes, 5000)->times_s[0], 4.0);
  cr_assert_eq(ppi_samples_find(&samples, trsm, tall, swapped, 5000)->times_s[0], 5.0);
  cr_assert_null(ppi_samples_find(&samples, trsm, tall, sizes, 5008));
  cr_assert_null(ppi_samples_find(&samples, trmm, other, sizes, 0));
  cr_assert_eq(ppi_samples_place(&samples, trsm, other, sizes, 0), 2);
  cr_assert_eq(ppi_samples_place(&samples, trmm, other, sizes, 0), PPI_SAMPLES_NONE);
  ppi_kernel_unref(trsm);
  ppi_kernel_unref(trmm);
  ppi_samples_release(&samples);
}

Test(samples, many_are_found_again) {
  struct ppi_samples samples = { 0 };
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");

  for (int64_t m = 1; m <= 60; m++)
    for (int64_t n = 1; n <= 60; n++)
      add(&samples, kernel, tall, m, n, 5000, (double)(100 * m + n), 2);
  cr_assert_eq(samples.count, 3600);
  for (int64_t m = 1; m <= 60; m++)
    for (int64_t n = 1; n <= 60; n++) {
      const int64_t sizes[] = { m, n };
      const struct ppi_record *record = ppi_samples_find(&samples, kernel, tall, sizes, 5000);

      cr_assert_eq(record->times_s[0], (double)(100 * m + n));
      cr_assert_eq(record, samples.records[60 * (m - 1) + n - 1]);
    }
  ppi_kernel_unref(kernel);
  ppi_samples_release(&samples);
}

Test(samples, what_is_no_time_is_refused) {
  static const struct {
    double time_s, measure_s;
    size_t count;
    enum perfpred_status status;
    const char *text;
  } bad[] = {
    { NAN, 1.0, 1, PERFPRED_NUMERIC, "samples of dtrsm: nan s: expected a time" },
    { -1.0, 1.0, 1, PERFPRED_NUMERIC, "samples of dtrsm: -1 s: expected a time" },
    { INFINITY, 1.0, 1, PERFPRED_NUMERIC, "samples of dtrsm: inf s: expected a time" },
    { 1.0, NAN, 1, PERFPRED_NUMERIC, "samples of dtrsm: cost of nan s: expected a time" },
    { 1.0, 1.0, 0, PERFPRED_INVALID, "samples of dtrsm: there are none: expected at least one" },
  };
  struct ppi_samples samples = { 0 };
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  const int64_t sizes[] = { 24, 32 };

  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double time_s = bad[i].time_s;
    struct ppi_result result = result_of(&time_s, bad[i].count, bad[i].measure_s, 0, true);
    struct perfpred_error error;

    ppi_error_clear(&error);
    cr_assert_eq(ppi_samples_add(&samples, kernel, tall, sizes, 8, &result, &error), bad[i].status);
    cr_assert_str_eq(error.text, bad[i].text);
    cr_assert_eq(samples.count, 0);
  }
  ppi_kernel_unref(kernel);
  ppi_samples_release(&samples);
}

/* The same call alone, in two places of an algorithm, and at two steps of one: four records. */
Test(samples, places_in_an_algorithm_are_told_apart) {
  struct ppi_samples samples = { 0 };
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  const int64_t sizes[] = { 24, 32 }, steps[][3] = { { 0, 32, 24 }, { 8, 32, 24 } };
  const struct ppi_key keys[] = {
    { .kernel = kernel, .case_text = tall, .sizes = sizes, .ld = 5000 },
    { kernel, tall, sizes, 5000, "dpotrf:4", steps[0], 3 },
    { kernel, tall, sizes, 5000, "dpotrf:4", steps[1], 3 },
    { kernel, tall, sizes, 5000, "dgetrf:4", steps[1], 3 },
  };
  struct ppi_value values[PPI_ARG_MAX];
  const struct ppi_request request = { kernel, values, 5000 };
  int64_t found[PPI_SIZE_MAX] = { 0 };
  size_t place = 0, one = 1;

  for (size_t i = 0; i < 4; i++) {
    double time_s = 1.0 + (double)i;
    const struct ppi_result result = result_of(&time_s, 1, 1.0, 0, true);

    cr_assert_eq(ppi_samples_place_at(&samples, keys + i), PPI_SAMPLES_NONE);
    cr_assert_eq(ppi_samples_add_at(&samples, keys + i, &result, &one, 1, NULL), PERFPRED_OK);
  }
  cr_assert_eq(samples.count, 4);
  for (size_t i = 0; i < 4; i++)
    cr_assert_eq(samples.records[ppi_samples_place_at(&samples, keys + i)]->times_s[0], 1.0 + (double)i);
  cr_assert_eq(ppi_samples_find(&samples, kernel, tall, sizes, 0)->times_s[0], 1.0, "of the call alone");
  cr_assert_eq(ppi_case_parse(kernel, tall, values, NULL), PERFPRED_OK);
  cr_assert(ppi_samples_next(&samples, &request, "dpotrf:4", &place, found));
  cr_assert_eq(place, 1);
  cr_assert_arr_eq(found, steps[0], sizeof steps[0], "the sizes of the step");
  place++;
  cr_assert(ppi_samples_next(&samples, &request, "dpotrf:4", &place, found));
  cr_assert_eq(place, 2);
  place++;
  cr_assert_not(ppi_samples_next(&samples, &request, "dpotrf:4", &place, found));
  place = 0;
  cr_assert(ppi_samples_next(&samples, &request, NULL, &place, found));
  cr_assert_eq(place, 0);
  cr_assert_arr_eq(found, sizes, sizeof sizes);
  ppi_samples_release(&samples);
  ppi_kernel_unref(kernel);
}

Test(samples, a_place_with_too_long_a_name_is_refused) {
  struct ppi_samples samples = { 0 };
  struct perfpred_kernel *kernel = catalogue_kernel("dtrsm");
  char context[PPI_CONTEXT_MAX + 1];
  const int64_t sizes[] = { 24, 32 };
  double time_s = 1.0;
  size_t one = 1;
  const struct ppi_result result = result_of(&time_s, 1, 1.0, 0, true);
  const struct ppi_key key = { kernel, tall, sizes, 5000, context, sizes, 2 };
  struct perfpred_error error;

  ppi_error_clear(&error);
  memset(context, 'x', PPI_CONTEXT_MAX);
  context[PPI_CONTEXT_MAX] = '\0';
  cr_assert_eq(ppi_samples_add_at(&samples, &key, &result, &one, 1, &error), PERFPRED_INVALID);
  cr_assert_not_null(strstr(error.text, "context 'xxx"), "%s", error.text);
  cr_assert_eq(samples.count, 0);
  ppi_kernel_unref(kernel);
}
