/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/setup.h"

#define SOME_SCALAR 0.7 /* as a case has it that is neither -1, 0 nor 1 */

/* --- Setups -------------------------------------------------------------------------------------------------------- */

static enum perfpred_status choose_sampled(struct ppi_contraction_models *models, struct perfpred_sampler *sampler,
                                           struct perfpred_error *error) {
  struct ppi_setup *setup = NULL;
  enum perfpred_status status = ppi_setup_of(sampler, &setup, error);
  if (status)
    return status;
  int place = 0;
  while (place < models->models->setup_count && ppi_setup_compare(models->models, place, setup, NULL) != PERFPRED_OK)
    place++;
  if (place == models->models->setup_count)
    status = ppi_setup_compare(models->models, 0, setup, error);
  else
    models->setup = place;
  free(setup);
  return status;
}

enum perfpred_status ppi_contraction_models_choose(struct ppi_contraction_models *models,
                                                   const struct perfpred_plan_options *options,
                                                   struct perfpred_sampler *sampler, struct perfpred_error *error) {
  struct perfpred_plan_options full = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_plan plan = { .models = models->models };
  if (!options && sampler)
    return choose_sampled(models, sampler, error);
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.plan: size is %zu, expected PERFPRED_PLAN_OPTIONS_INIT",
                         options->size);
  if (options)
    memcpy(&full, options, options->size < sizeof full ? options->size : sizeof full);
  enum perfpred_status status = ppi_plan_choose_setup(&plan, &full, error);
  if (!status)
    models->setup = plan.setup;
  return status;
}

/* --- Calls --------------------------------------------------------------------------------------------------------- */

static bool is_inside(const struct ppi_submodel *submodel, const int64_t *sizes) {
  for (int d = 0; d < submodel->dimensions; d++)
    if (sizes[d] < submodel->lower[d] || sizes[d] > submodel->upper[d])
      return false;
  return true;
}

/* The sub-model of a call that has its sizes in its domain. */
static enum ppi_contraction_answer find(const struct ppi_contraction_models *models,
                                        const struct perfpred_kernel *kernel, const struct ppi_value *values,
                                        struct perfpred_statistics *time_s) {
  enum { PLACES = 64 };
  char case_text[PPI_CASE_MAX];
  int places[PLACES];
  int64_t sizes[PPI_SIZE_MAX];
  enum ppi_contraction_answer known = PPI_CONTRACTION_UNMODELLED;
  ppi_case_format(kernel, values, case_text);
  for (int d = 0; d < kernel->size_count; d++)
    sizes[d] = values[kernel->sizes[d]].i;
  const int found = ppi_models_find(models->models, kernel->name, case_text, places, PLACES);
  for (int i = 0; i < found && i < PLACES && known != PPI_CONTRACTION_KNOWN; i++) {
    const struct ppi_submodel *submodel = &models->models->submodels[places[i]];
    struct ppi_estimate estimate;
    if (submodel->setup != models->setup || submodel->context[0] || submodel->dimensions != kernel->size_count)
      continue;
    known = PPI_CONTRACTION_OUTSIDE;
    if (!is_inside(submodel, sizes))
      continue;
    ppi_submodel_estimate(submodel, sizes, &estimate);
    *time_s = estimate.time_s;
    known = PPI_CONTRACTION_KNOWN;
  }
  return known;
}

static void put_value(const struct ppi_contract_argument *argument, struct ppi_value *value) {
  *value = (struct ppi_value){ .buffer = -1 };
  if (argument->kind == PPI_CONTRACT_FLAG)
    value->i = (unsigned char)argument->flag;
  else if (argument->kind == PPI_CONTRACT_SCALAR)
    value->re = (double)argument->value;
  else if (argument->kind == PPI_CONTRACT_DATA)
    value->re = SOME_SCALAR;
  else
    value->i = argument->value;
}

enum ppi_contraction_answer ppi_contraction_models_call(const struct ppi_contraction_models *models,
                                                        const struct ppi_kernels *kernels,
                                                        const struct ppi_contract_call *call,
                                                        struct perfpred_statistics *time_s) {
  struct ppi_value values[PPI_ARG_MAX] = { { 0 } };
  const struct perfpred_kernel *kernel = models->models ? ppi_kernels_find(kernels, call->routine) : NULL;
  if (!kernel || kernel->arg_count != call->argument_count)
    return PPI_CONTRACTION_UNMODELLED;
  for (int i = 0; i < call->argument_count; i++)
    put_value(&call->arguments[i], &values[i]);
  return find(models, kernel, values, time_s);
}

/* --- Memory -------------------------------------------------------------------------------------------------------- */

double ppi_contraction_models_fill(const struct ppi_contraction_models *models, double bytes) {
  const double rate = models->models ? models->models->machine.bandwidth_bytes_per_s : 0.0;
  return rate > 0.0 ? bytes / rate : 0.0;
}

double ppi_contraction_models_move(const struct ppi_contraction_models *models, const struct ppi_kernels *kernels,
                                   const struct ppi_contract_call *call, const struct ppi_contract_copy *copy,
                                   size_t element_bytes) {
  struct ppi_value values[PPI_ARG_MAX] = { { 0 } };
  struct perfpred_statistics time_s;
  const struct perfpred_kernel *kernel = models->models ? ppi_kernels_find(kernels, call->copy_routine) : NULL;
  if (kernel && kernel->size_count == 1) {
    values[kernel->sizes[0]].i = copy->length;
    for (int i = 0, seen = 0; i < kernel->arg_count; i++)
      if (kernel->args[i].kind == PPI_ARG_INC)
        values[i].i = seen++ == 0 ? copy->inc : 1;
    if (find(models, kernel, values, &time_s) == PPI_CONTRACTION_KNOWN)
      return (double)copy->count * time_s.med;
  }
  return 2.0 * ppi_contraction_models_fill(models, (double)copy->elements * (double)element_bytes);
}
