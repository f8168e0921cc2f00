/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of calls in the steps of their algorithm: which belong to a call of a plan, and what they say. */
#include <stdlib.h>
#include <string.h>

#include "predict/plan.h"
#include "program/calls.h"

static const char *const names[PPI_PLAN_SIZES] = { "done", "width", "rest", "other" };

/* False: some size of the model is none of a step. */
static bool find_sizes(const struct ppi_submodel *submodel, struct ppi_plan_context *context) {
  context->submodel = submodel;
  for (int d = 0; d < submodel->dimensions; d++) {
    int place = 0;
    while (place < PPI_PLAN_SIZES && strcmp(names[place], submodel->basis->names[d]) != 0)
      place++;
    if (place == PPI_PLAN_SIZES)
      return false;
    context->sizes[d] = place;
  }
  return true;
}

enum perfpred_status ppi_plan_bind_contexts(const struct perfpred_plan *plan, const struct perfpred_program *program,
                                            const int *places, int count, struct ppi_plan_step *step,
                                            struct perfpred_error *error) {
  const struct ppi_call_site site = { step->node, program };
  char text[PPI_CONTEXT_MAX];
  if (plan->warm || !plan->owner.program || plan->loops <= plan->owner.base)
    return PERFPRED_OK;
  ppi_call_context(plan->owner.program, &site, text, sizeof text);
  step->contexts = calloc((size_t)count, sizeof *step->contexts);
  if (!step->contexts)
    return ppi_error_memory(error);
  for (int i = 0; i < count; i++) {
    const struct ppi_submodel *submodel = &plan->models->submodels[places[i]];
    if (submodel->basis && submodel->setup == plan->setup && strcmp(submodel->context, text) == 0 &&
        submodel->kernel->size_count == step->node->kernel->size_count &&
        find_sizes(submodel, &step->contexts[step->context_count]))
      step->context_count++;
  }
  step->owner = plan->owner.program;
  return PERFPRED_OK;
}

/* Whether the kernel's sizes are those that the model takes them for: a program of the same name may be another one. */
static bool is_foreseen(const struct ppi_submodel *submodel, const int64_t *wanted, const int64_t *sizes) {
  const struct ppi_basis *basis = submodel->basis;
  for (int k = 0; k < submodel->kernel->size_count; k++) {
    int64_t size = basis->constants[k];
    for (int d = 0; d < basis->dimensions; d++)
      size += basis->matrix[k][d] * wanted[d];
    if (size != sizes[k])
      return false;
  }
  return true;
}

bool ppi_plan_estimate_context(const struct ppi_plan_pricing *pricing, const struct ppi_plan_step *step,
                               const int64_t *sizes, struct ppi_estimate *estimate) {
  const struct ppi_plan_place *place = &pricing->place;
  bool found = false;
  if (place->loops <= place->base || place->owner != step->owner)
    return false;
  for (int i = 0; i < step->context_count; i++) {
    const struct ppi_plan_context *context = &step->contexts[i];
    struct ppi_estimate other;
    int64_t wanted[PPI_SIZE_MAX];
    for (int d = 0; d < context->submodel->dimensions; d++)
      wanted[d] = place->sizes[context->sizes[d]];
    if (!is_foreseen(context->submodel, wanted, sizes))
      continue;
    ppi_plan_estimate(pricing, ppi_plan_fold(pricing, step), context->submodel, wanted, &other);
    /* of several domains one that need not be left, and of those the newest */
    if (!found || (estimate->notes & PERFPRED_NOTE_EXTRAPOLATED) || !(other.notes & PERFPRED_NOTE_EXTRAPOLATED))
      *estimate = other;
    found = true;
  }
  return found;
}
