/* SPDX-License-Identifier: BSD-3-Clause */
#include "compare.h"

#include <math.h>
#include <string.h>

/* The generators: the published one with its default, ours with its own, and with half its error bound. */
static const char *const names[] = { "published default", "ours", "ours, bound 0.5 %" };
enum { GENERATORS = sizeof names / sizeof names[0] };

static void options_of(int generator, const struct recording *recording, struct perfpred_generate_options *options) {
  *options = (struct perfpred_generate_options)PERFPRED_GENERATE_OPTIONS_INIT;
  options->generator = PERFPRED_GENERATOR_ADAPTIVE;
  if (generator == 0) {
    options->generator = PERFPRED_GENERATOR_PUBLISHED;
    configuration_published(recording->kernel->size_count, recording->threads, options);
  }
  if (generator == 2)
    options->error_bound = 0.005;
  if (options->repetitions == 0 || options->repetitions > recording->repetitions)
    options->repetitions =
        recording->repetitions < 10 ? recording->repetitions : 10; /* the default, where they were recorded */
}

static void print_head(void) {
  printf("  %-22s %10s %10s %10s %10s %9s %8s %11s %6s %7s %6s\n", "generator", "error", "unseen", "maximum", "90 %",
         "bias", "median", "cost", "points", "samples", "pieces");
}

static void print_line(const char *name, const struct trial *trial) {
  double unseen = trial->unseen.count > 0 ? trial->unseen.mean : NAN;

  printf("  %-22s %8.3f %% %8.3f %% %8.2f %% %8.2f %% %+7.2f %% %6.2f %% %9.3f s %6zu %7zu %6d\n", name,
         100.0 * trial->errors.mean, 100.0 * unseen, 100.0 * trial->errors.maximum, 100.0 * trial->errors.percentile_90,
         100.0 * trial->errors.bias, 100.0 * trial->errors.median_mean, trial->cost_s, trial->points, trial->samples,
         trial->pieces);
}

static const struct ppi_piece *largest_piece(const struct ppi_submodel *submodel) {
  const struct ppi_piece *largest = NULL;
  double most = -1.0;

  for (int i = 0; i < submodel->piece_count; i++) {
    double volume = 1.0;

    for (int d = 0; d < submodel->dimensions; d++)
      volume *= (double)(submodel->pieces[i].upper[d] - submodel->pieces[i].lower[d]);
    if (volume > most) {
      most = volume;
      largest = submodel->pieces + i;
    }
  }
  return largest;
}

static void print_tiles(const struct trial *trial) {
  const struct ppi_submodel *submodel = trial->models->submodels;

  printf("    tiles of its largest piece:");
  for (int d = 0; d < submodel->dimensions; d++)
    printf(" %lld", (long long)largest_piece(submodel)->tiles.tile[d]);
  printf(" (0: none)\n");
}

static void print_outcome(const char *name, const struct outcome *o) {
  printf("  %-22s %8.3f %% %8.3f %% %8.2f %% %8.2f %% %9s %8s %9.3f s %6d %7s %6d\n", name, 100.0 * o->error,
         100.0 * o->unseen, 100.0 * o->maximum, 100.0 * o->percentile_90, "", "", o->cost_s, o->points, "", o->pieces);
}

/* What a comparison beyond the domain looks at. */
struct outside {
  int64_t upper[PPI_SIZE_MAX], lower[PPI_SIZE_MAX], ld;
  int64_t most[PPI_SIZE_MAX]; /* no further than this */
};

static bool above(const struct ppi_record *record, const void *data) {
  const struct outside *outside = data;
  bool any = false;

  for (int d = 0; d < record->kernel->size_count; d++) {
    any = any || record->sizes[d] > outside->upper[d];
    if (record->sizes[d] < outside->lower[d] || record->sizes[d] > outside->most[d])
      return false;
  }
  return any && record->ld == outside->ld;
}

static bool below(const struct ppi_record *record, const void *data) {
  const struct outside *outside = data;
  bool any = false;

  for (int d = 0; d < record->kernel->size_count; d++)
    any = any || record->sizes[d] < outside->lower[d];
  return any && record->ld == outside->ld;
}

static bool inside(const struct ppi_record *record, const struct outside *outside) {
  for (int d = 0; d < record->kernel->size_count; d++)
    if (record->sizes[d] < outside->lower[d] || record->sizes[d] > outside->upper[d])
      return false;
  return true;
}

static bool odd(const struct ppi_record *record, const void *data) {
  const struct outside *outside = data;
  bool any = false;

  for (int d = 0; d < record->kernel->size_count; d++)
    any = any || record->sizes[d] % 8 != 0;
  return any && inside(record, outside) && record->ld == outside->ld;
}

static bool other_ld(const struct ppi_record *record, const void *data) {
  const struct outside *outside = data;

  return record->ld != outside->ld && record->ld % 256 != 0 && inside(record, outside);
}

static bool special_ld(const struct ppi_record *record, const void *data) {
  const struct outside *outside = data;

  return record->ld % 256 == 0 && inside(record, outside);
}

static void print_errors(const char *what, const struct perfpred_models *models, const struct recording *recording,
                         trial_filter *filter, const struct outside *outside) {
  struct trial_errors errors;

  if (trial_compare(models, recording, filter, outside, &errors, NULL))
    return; /* none of that kind was recorded */
  printf("    %-44s %5zu calls: error %6.2f %%, 90 %% %7.2f %%, maximum %8.2f %%, bias %+7.2f %%\n", what, errors.count,
         100.0 * errors.mean, 100.0 * errors.percentile_90, 100.0 * errors.maximum, 100.0 * errors.bias);
}

static bool same_subject(const struct recording *a, const struct recording *b) {
  return strcmp(a->kernel->name, b->kernel->name) == 0 && strcmp(a->case_text, b->case_text) == 0 &&
         a->threads == b->threads;
}

static struct outside outside_of(const struct recording *recording, double share) {
  struct outside outside = { .ld = trial_ld(recording) };

  trial_domain(recording, share, outside.lower, outside.upper);
  for (int d = 0; d < PPI_SIZE_MAX; d++)
    outside.most[d] = 2 * outside.upper[d];
  return outside;
}

static void print_beyond(const struct perfpred_models *models, const struct recording *recording,
                         const struct recording *beyond, int beyond_count) {
  struct outside outside = outside_of(recording, 1.0);

  for (int i = 0; i < beyond_count; i++) {
    if (!same_subject(recording, &beyond[i]))
      continue;
    print_errors("above the domain, up to twice each size", models, &beyond[i], above, &outside);
    print_errors("below the domain", models, &beyond[i], below, &outside);
    print_errors("sizes that are no multiples of 8", models, &beyond[i], odd, &outside);
    print_errors("other leading dimensions", models, &beyond[i], other_ld, &outside);
    print_errors("leading dimensions that 256 divides", models, &beyond[i], special_ld, &outside);
  }
}

/* Models of the lower half of the domain against what was recorded in the upper one. */
static enum perfpred_status compare_half(const struct recording *recording, int generator, struct solver *solver,
                                         struct perfpred_error *error) {
  struct perfpred_generate_options options;
  struct outside outside = outside_of(recording, 0.5);
  struct trial trial;
  enum perfpred_status status;

  options_of(generator, recording, &options);
  status = trial_run(recording, &options, 0.5, solver, &trial, error);
  if (status)
    return status;
  print_errors("models of half the domain, up to twice it", trial.models, recording, above, &outside);
  trial_release(&trial);
  return PERFPRED_OK;
}

enum perfpred_status compare_generators(const struct recording *recording, const char *name,
                                        const struct outcome *results, const struct recording *beyond, int beyond_count,
                                        struct perfpred_error *error) {
  struct solver solver = { .entries = NULL };
  struct trial trials[GENERATORS] = { { .models = NULL } };
  enum perfpred_status status = PERFPRED_OK;

  printf("\n%s: generators\n", name);
  print_head();
  if (results) {
    print_outcome("cheapest of all", &results[sweep_cheapest(results)]);
    print_outcome("most accurate of all", &results[sweep_most_accurate(results)]);
  }
  for (int i = 0; !status && i < GENERATORS; i++) {
    struct perfpred_generate_options options;

    options_of(i, recording, &options);
    status = trial_run(recording, &options, 1.0, &solver, &trials[i], error);
    if (!status)
      print_line(names[i], &trials[i]);
    if (!status && options.generator == PERFPRED_GENERATOR_ADAPTIVE)
      print_tiles(&trials[i]);
  }
  for (int i = 1; !status && i < GENERATORS; i++)
    printf("  %s / %s: error %.2f, maximum %.2f, cost %.3f\n", names[i], names[0],
           trials[i].errors.mean / trials[0].errors.mean, trials[i].errors.maximum / trials[0].errors.maximum,
           trials[i].cost_s / trials[0].cost_s);
  for (int i = 0; !status && i < GENERATORS; i++) {
    printf("  %s, beyond:\n", names[i]);
    status = compare_half(recording, i, &solver, error);
    if (!status)
      print_beyond(trials[i].models, recording, beyond, beyond_count);
  }
  for (int i = 0; i < GENERATORS; i++)
    trial_release(&trials[i]);
  solver_forget(&solver);
  return status;
}
