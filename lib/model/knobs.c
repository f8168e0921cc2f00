/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/knobs.h"

#include <math.h>
#include <string.h>

#define SIZE_LIMIT INT32_MAX /* what a kernel with 32-bit integers can be asked */

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* lower and upper of a range; 0 stands for the default. */
static enum perfpred_status range(const char *name, int64_t *lower, int64_t *upper, int64_t default_upper,
                                  struct perfpred_error *error) {
  if (*lower < 0 || *upper < 0 || *lower > SIZE_LIMIT || *upper > SIZE_LIMIT)
    return ppi_error_set(error, PERFPRED_INVALID, "options.%s_lower, %s_upper: %lld, %lld: expected 1 to %d", name,
                         name, (long long)*lower, (long long)*upper, SIZE_LIMIT);
  if (*upper == 0)
    *upper = larger(default_upper, *lower);
  if (*lower == 0)
    *lower = smaller(8, *upper);
  if (*lower > *upper)
    return ppi_error_set(error, PERFPRED_INVALID, "options.%s_lower: %lld: expected at most %s_upper, %lld", name,
                         (long long)*lower, name, (long long)*upper);
  return PERFPRED_OK;
}

static enum perfpred_status check_integers(const struct perfpred_generate_options *options,
                                           struct perfpred_error *error) {
  if (options->overfitting < -1 || options->overfitting > 8)
    return ppi_error_set(error, PERFPRED_INVALID, "options.overfitting: %d: expected -1 (none) to 8",
                         options->overfitting);
  if (options->oversampling < -1 || options->oversampling > PPI_OVERSAMPLING_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "options.oversampling: %d: expected -1 (none) to %d",
                         options->oversampling, PPI_OVERSAMPLING_MAX);
  if (options->repetitions < 0 || options->repetitions > 10000)
    return ppi_error_set(error, PERFPRED_INVALID, "options.repetitions: %d: expected 1 to 10000 (0: default)",
                         options->repetitions);
  if (options->minimum_width < 0 || options->minimum_width > SIZE_LIMIT)
    return ppi_error_set(error, PERFPRED_INVALID, "options.minimum_width: %lld: expected 1 or more (0: default)",
                         (long long)options->minimum_width);
  int64_t rows = larger(options->n_upper, options->b_upper);
  if (options->ld != 0 && (options->ld < rows || options->ld > SIZE_LIMIT))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.ld: %lld: expected at least the largest size, %lld (0: default)",
                         (long long)options->ld, (long long)rows);
  return PERFPRED_OK;
}

static enum perfpred_status check_choices(const struct perfpred_generate_options *options,
                                          struct perfpred_error *error) {
  if (options->grid != PERFPRED_GRID_CHEBYSHEV && options->grid != PERFPRED_GRID_CARTESIAN)
    return ppi_error_set(error, PERFPRED_INVALID, "options.grid: %d: expected a value of enum perfpred_grid",
                         (int)options->grid);
  if (options->reference != PERFPRED_REFERENCE_MINIMUM && options->reference != PERFPRED_REFERENCE_MEDIAN)
    return ppi_error_set(error, PERFPRED_INVALID, "options.reference: %d: expected a value of enum perfpred_reference",
                         (int)options->reference);
  if ((int)options->error_measure < PERFPRED_ERROR_MAXIMUM || (int)options->error_measure > PERFPRED_ERROR_AVERAGE)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.error_measure: %d: expected a value of enum perfpred_error_measure",
                         (int)options->error_measure);
  if ((int)options->contexts < PERFPRED_CONTEXTS_NONE || options->contexts > PERFPRED_CONTEXTS_BESIDE)
    return ppi_error_set(error, PERFPRED_INVALID, "options.contexts: %d: expected a value of enum perfpred_contexts",
                         (int)options->contexts);
  const unsigned states = PERFPRED_STATE_WARM | PERFPRED_STATE_IN | PERFPRED_STATE_OUTER | PERFPRED_STATE_OUT;
  if (options->states & ~states)
    return ppi_error_set(error, PERFPRED_INVALID, "options.states: %#x: expected bits of enum perfpred_cache_state",
                         options->states);
  if ((int)options->generator < PERFPRED_GENERATOR_DEFAULT || options->generator > PERFPRED_GENERATOR_ADAPTIVE)
    return ppi_error_set(error, PERFPRED_INVALID, "options.generator: %d: expected a value of enum perfpred_generator",
                         (int)options->generator);
  return PERFPRED_OK;
}

static enum perfpred_status check_reals(const struct perfpred_generate_options *options, struct perfpred_error *error) {
  if (!isfinite(options->error_bound) || options->error_bound < 0.0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.error_bound: %g: expected a positive number (0: default)",
                         options->error_bound);
  if (!isfinite(options->budget_s) || options->budget_s < 0.0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.budget_s: %g: expected a number of seconds (0: none)",
                         options->budget_s);
  if (!isfinite(options->spent_s) || options->spent_s < 0.0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.spent_s: %g: expected a number of seconds (0: none)",
                         options->spent_s);
  if (!isfinite(options->gate))
    return ppi_error_set(error, PERFPRED_INVALID, "options.gate: %g: expected a finite number", options->gate);
  return PERFPRED_OK;
}

enum ppi_ld_kind ppi_ld_kind_of(int64_t ld) {
  if (ld % 8 != 0)
    return PPI_LD_UNALIGNED;
  return ld > 0 && ld % 256 == 0 ? PPI_LD_CROWDED : PPI_LD_PLAIN;
}

/* Multiple of 8 for aligned columns, not of 256, whose columns would fall into the same cache sets. */
static int64_t leading_dimension(int64_t rows) {
  int64_t ld = (rows + 7) / 8 * 8;

  return ppi_ld_kind_of(ld) == PPI_LD_CROWDED ? ld + 8 : ld;
}

static void fill_in(struct perfpred_generate_options *full) {
  if (full->oversampling == 0)
    full->oversampling = 4;
  if (full->repetitions == 0)
    full->repetitions = 10;
  if (full->error_bound <= 0.0)
    full->error_bound = 0.01;
  if (full->generator == PERFPRED_GENERATOR_DEFAULT)
    full->generator = PERFPRED_GENERATOR_ADAPTIVE;
  if (full->ld == 0)
    full->ld = leading_dimension(larger(full->n_upper, full->b_upper));
}

enum perfpred_status ppi_generate_defaults(const struct perfpred_generate_options *options,
                                           struct perfpred_generate_options *full, struct perfpred_error *error) {
  struct perfpred_generate_options made = PERFPRED_GENERATE_OPTIONS_INIT;
  enum perfpred_status status;

  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size: %zu: expected PERFPRED_GENERATE_OPTIONS_INIT",
                         options->size);
  if (options) /* members that the caller does not know are 0 */
    memcpy(&made, options, options->size < sizeof made ? options->size : sizeof made);
  made.size = sizeof made;
  status = range("n", &made.n_lower, &made.n_upper, 1024, error);
  if (!status)
    status = range("b", &made.b_lower, &made.b_upper, 256, error);
  if (!status)
    status = check_integers(&made, error);
  if (!status)
    status = check_choices(&made, error);
  if (!status)
    status = check_reals(&made, error);
  if (status)
    return status;
  fill_in(&made);
  *full = made;
  return PERFPRED_OK;
}

void ppi_knobs_of(const struct perfpred_generate_options *full, int dimensions, struct ppi_knobs *knobs) {
  bool many = dimensions >= 3, adaptive = full->generator == PERFPRED_GENERATOR_ADAPTIVE;

  knobs->overfitting = full->overfitting == 0 ? (many && !adaptive ? 0 : 2) : (int)larger(full->overfitting, 0);
  knobs->oversampling = (int)larger(full->oversampling, 0);
  knobs->minimum_width = full->minimum_width == 0 ? (many && !adaptive ? 64 : 32) : full->minimum_width;
}
