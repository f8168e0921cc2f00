/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of planners. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/contraction.h"
#include "api/contraction_planner.h"

#define FACTOR 1.25
#define FACTOR_MOST 1e6
#define TIE 0.02
#define ANSWERS 64
#define ANSWERS_MOST 65536
#define REPETITIONS_MOST 100000

static enum perfpred_status check_choices(const struct perfpred_contraction_planner *planner,
                                          struct perfpred_error *error) {
  const struct perfpred_contraction_plan_options *options = &planner->options;
  if ((unsigned)options->mode > PERFPRED_CONTRACTION_MODELS)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.mode is %d, expected a value of enum perfpred_contraction_mode", (int)options->mode);
  if ((unsigned)options->stage > PERFPRED_CONTRACTION_STAGE_FIRST)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.stage is %d, expected a value of enum perfpred_contraction_stage",
                         (int)options->stage);
  if (options->mode == PERFPRED_CONTRACTION_MODELS && !planner->models.models)
    return ppi_error_set(error, PERFPRED_INVALID, "options.mode is that of models, but models is NULL");
  if (options->mode != PERFPRED_CONTRACTION_MODELS && options->mode != PERFPRED_CONTRACTION_AUTO && !planner->sampler)
    return ppi_error_set(error, PERFPRED_INVALID, "options.mode is %d, which measures, but sampler is NULL",
                         (int)options->mode);
  if (options->names && options->filter)
    return ppi_error_set(error, PERFPRED_INVALID, "options has names and a filter, expected one of them");
  if ((options->names != NULL) != (options->name_count > 0))
    return ppi_error_set(error, PERFPRED_INVALID, "options.names is %s, but name_count %zu",
                         options->names ? "given" : "NULL", options->name_count);
  return PERFPRED_OK;
}

/* Those with whole tensors are looked at unless somebody says that they are not. */
static enum perfpred_status choose_wholes(struct perfpred_contraction_planner *planner, struct perfpred_error *error) {
  struct ppi_contract_filter *filter = &planner->choice.filter;
  const int left_out = planner->options.no_wholes;
  if (left_out != 0 && left_out != 1)
    return ppi_error_set(error, PERFPRED_INVALID, "options.no_wholes is %d, expected 0 or 1", left_out);
  if (left_out && filter->wholes == PPI_WHOLES_ALONE)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.no_wholes is 1, but filter.wholes leaves nothing else, expected one of them");
  if (filter->wholes != PPI_WHOLES_ALONE)
    filter->wholes = left_out ? PPI_WHOLES_NONE : PPI_WHOLES_TOO;
  return PERFPRED_OK;
}

static enum perfpred_status check_numbers(const struct perfpred_contraction_plan_options *options,
                                          struct perfpred_error *error) {
  if (options->budget_s < 0.0 || isnan(options->budget_s))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.budget_s is %g, expected seconds above 0, infinity, or 0 for the default",
                         options->budget_s);
  if (!(options->factor > 0.0) || options->factor > FACTOR_MOST)
    return ppi_error_set(error, PERFPRED_INVALID, "options.factor is %g, expected a number above 0 up to %g, or 0: %g",
                         options->factor, FACTOR_MOST, FACTOR);
  if (!(options->tie >= 0.0) || isinf(options->tie))
    return ppi_error_set(error, PERFPRED_INVALID, "options.tie is %g, expected a share of at least 0", options->tie);
  return PERFPRED_OK;
}

static enum perfpred_status check_amounts(const struct perfpred_contraction_plan_options *options,
                                          struct perfpred_error *error) {
  if (isnan(options->gate))
    return ppi_error_set(error, PERFPRED_INVALID, "options.gate is NaN, expected a share, 0 or a negative number");
  if (options->cache_bytes < 0 || options->memory_bytes < 0)
    return ppi_error_set(error, PERFPRED_INVALID, "options.%s is %" PRId64 ", expected bytes, or 0",
                         options->cache_bytes < 0 ? "cache_bytes" : "memory_bytes",
                         options->cache_bytes < 0 ? options->cache_bytes : options->memory_bytes);
  if (options->repetitions < 0 || options->repetitions > REPETITIONS_MOST)
    return ppi_error_set(error, PERFPRED_INVALID, "options.repetitions is %d, expected 1 to %d, or 0 for the default",
                         options->repetitions, REPETITIONS_MOST);
  if (options->answers > ANSWERS_MOST)
    return ppi_error_set(error, PERFPRED_INVALID, "options.answers is %zu, expected at most %d, or 0: %d",
                         options->answers, ANSWERS_MOST, ANSWERS);
  return PERFPRED_OK;
}

static enum perfpred_status copy_names(struct perfpred_contraction_planner *planner, struct perfpred_error *error) {
  const struct perfpred_contraction_plan_options *options = &planner->options;
  if (options->name_count == 0)
    return PERFPRED_OK;
  planner->names = calloc(options->name_count, sizeof *planner->names);
  if (!planner->names)
    return ppi_error_memory(error);
  for (size_t i = 0; i < options->name_count; i++) {
    if (!options->names[i])
      return ppi_error_set(error, PERFPRED_INVALID, "options.names[%zu] is NULL, expected a name", i);
    planner->names[i] = strdup(options->names[i]);
    if (!planner->names[i])
      return ppi_error_memory(error);
  }
  return PERFPRED_OK;
}

void ppi_contraction_planner_forget(struct perfpred_contraction_planner *planner) {
  for (size_t i = 0; planner->names && i < planner->options.name_count; i++)
    free(planner->names[i]);
  free(planner->names);
}

static void fill_in(struct perfpred_contraction_plan_options *options) {
  options->size = sizeof *options;
  options->factor = options->factor == 0.0 ? FACTOR : options->factor;
  options->tie = options->tie == 0.0 ? TIE : options->tie;
  options->answers = options->answers == 0 ? ANSWERS : options->answers;
  options->stage =
      options->stage == PERFPRED_CONTRACTION_STAGE_DEFAULT ? PERFPRED_CONTRACTION_STAGE_FIRST : options->stage;
}

enum perfpred_status ppi_contraction_planner_options(struct perfpred_contraction_planner *planner,
                                                     const struct perfpred_contraction_plan_options *options,
                                                     struct perfpred_error *error) {
  planner->options = (struct perfpred_contraction_plan_options)PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.size is %zu, expected PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT", options->size);
  if (options)
    memcpy(&planner->options, options,
           options->size < sizeof planner->options ? options->size : sizeof planner->options);
  fill_in(&planner->options);
  enum perfpred_status status = check_choices(planner, error);
  if (!status)
    status = check_numbers(&planner->options, error);
  if (!status)
    status = check_amounts(&planner->options, error);
  if (!status)
    status = ppi_contraction_filter(planner->options.filter, &planner->choice.filter, error);
  if (!status)
    status = choose_wholes(planner, error);
  if (!status)
    status = copy_names(planner, error);
  planner->choice.names = (const char *const *)planner->names;
  planner->choice.name_count = planner->options.name_count;
  planner->choice.memory_bytes = planner->options.memory_bytes;
  return status;
}
