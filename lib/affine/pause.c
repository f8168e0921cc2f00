/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/pause.h"

#include <math.h>
#include <time.h>

double ppi_pause_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ppi_pause_start(struct ppi_pause *pause, const struct ppi_misses_options *options) {
  pause->options = options;
  pause->start_s = ppi_pause_now_s();
}

/* How much is left nobody knows. */
static bool is_cancelled(const struct ppi_misses_options *options, double elapsed_s) {
  const struct perfpred_progress progress = {
    .size = sizeof progress, .stage = "counting", .elapsed_s = elapsed_s, .remaining_s = NAN
  };
  return options->progress && options->progress(options->progress_data, &progress) != 0;
}

enum perfpred_status ppi_pause_check(const struct ppi_pause *pause, const char *name, struct perfpred_error *error) {
  const double elapsed_s = ppi_pause_now_s() - pause->start_s;
  if (elapsed_s >= pause->options->budget_s)
    return ppi_error_set(error, PERFPRED_TIMEOUT, "%s: counting takes longer than the %g s allowed", name,
                         pause->options->budget_s);
  if (is_cancelled(pause->options, elapsed_s))
    return ppi_error_set(error, PERFPRED_CANCELLED, "%s: counting was cancelled", name);
  return PERFPRED_OK;
}
