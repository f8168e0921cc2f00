/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of an engine. */
#include <assert.h>

#include "affine/pause.h"

#define SMALL_ACCESSES                                                                                                 \
  3000000 /* simulated in a fraction of a second, which an analysis of a hard nest may take as well */

#define ANALYSIS_SHARE 0.5 /* of the time, if simulation may have to follow */
#define ANALYSIS_S 2.0     /* for the analysis of a nest that is simulated as fast */
#define ACCESSES_PER_S 1e8 /* of the simulation of nests that analyses refuse, roughly */

typedef enum perfpred_status count_fn(const struct perfpred_program *nest, const int64_t *parameters,
                                      const struct ppi_misses_options *options, struct ppi_misses *misses,
                                      struct perfpred_error *error);

/* A whole result of one engine. */
static enum perfpred_status count_with(count_fn *count, const struct perfpred_program *nest, const int64_t *parameters,
                                       const struct ppi_misses_options *options, struct ppi_misses **misses,
                                       struct perfpred_error *error) {
  struct ppi_misses *made = NULL;
  enum perfpred_status status = ppi_misses_create(nest, options->level_count, &made, error);
  if (status)
    return status;
  assert(made);
  made->engine = count == ppi_misses_simulate ? PPI_MISSES_SIMULATE : PPI_MISSES_ANALYTIC;
  status = count(nest, parameters, options, made, error);
  if (!status)
    status = ppi_misses_sum(made, nest, error);
  if (status)
    ppi_misses_destroy(made);
  else
    *misses = made;
  return status;
}

/* Where the analysis does not apply: every access is looked at, in what is left of the time. */
static enum perfpred_status enumerate(const struct perfpred_program *nest, const int64_t *parameters,
                                      const struct ppi_misses_options *options, double start_s,
                                      const struct perfpred_error *reason, struct ppi_misses **misses,
                                      struct perfpred_error *error) {
  struct ppi_misses_options rest = *options;
  struct perfpred_error inner;
  ppi_error_clear(&inner);
  rest.budget_s -= ppi_pause_now_s() - start_s;
  enum perfpred_status status = count_with(ppi_misses_simulate, nest, parameters, &rest, misses, &inner);
  if (status == PERFPRED_TIMEOUT || status == PERFPRED_LIMIT)
    return ppi_error_set(error, status, "%s, and it is too large to be simulated within %g s", reason->text,
                         options->budget_s);
  if (status)
    ppi_error_set(error, status, "%s", inner.text);
  return status;
}

/* Time for the analysis: a few times what the simulation would take, should the analysis come to nothing. */
static double analysis_budget_s(const struct perfpred_program *nest, const int64_t *parameters, double budget_s) {
  const double share_s = ANALYSIS_SHARE * budget_s;
  double enough_s = ANALYSIS_S;
  while (enough_s < share_s && !ppi_misses_is_small(nest, parameters, (uint64_t)(enough_s * ACCESSES_PER_S)))
    enough_s *= 4;
  return enough_s < share_s ? enough_s : share_s;
}

static enum perfpred_status find_auto(const struct perfpred_program *nest, const int64_t *parameters,
                                      const struct ppi_misses_options *options, double start_s,
                                      struct ppi_misses **misses, struct perfpred_error *error) {
  if (!options->pieces && ppi_misses_is_small(nest, parameters, SMALL_ACCESSES))
    return count_with(ppi_misses_simulate, nest, parameters, options, misses, error);
  struct perfpred_error reason;
  ppi_error_clear(&reason);
  struct ppi_misses_options part = *options;
  part.budget_s = analysis_budget_s(nest, parameters, options->budget_s);
  enum perfpred_status status = count_with(ppi_misses_analytic, nest, parameters, &part, misses, &reason);
  if (status == PERFPRED_UNSUPPORTED || status == PERFPRED_TIMEOUT || status == PERFPRED_LIMIT)
    return enumerate(nest, parameters, options, start_s, &reason, misses, error);
  if (status)
    ppi_error_set(error, status, "%s", reason.text);
  return status;
}

enum perfpred_status ppi_misses_find(const struct perfpred_program *nest, const int64_t *parameters,
                                     const struct ppi_misses_options *options, struct ppi_misses **misses,
                                     struct perfpred_error *error) {
  const double start_s = ppi_pause_now_s();
  enum perfpred_status status = PERFPRED_OK;
  switch (options->engine) {
  case PPI_MISSES_AUTO:
    status = find_auto(nest, parameters, options, start_s, misses, error);
    break;
  case PPI_MISSES_ANALYTIC:
    status = count_with(ppi_misses_analytic, nest, parameters, options, misses, error);
    break;
  case PPI_MISSES_SIMULATE:
    status = count_with(ppi_misses_simulate, nest, parameters, options, misses, error);
    break;
  }
  if (!status)
    (*misses)->time_s = ppi_pause_now_s() - start_s;
  return status;
}
