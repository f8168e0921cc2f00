/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the models of a call, and saying which there are when there is none. */
#include <stdlib.h>
#include <string.h>

#include "predict/plan.h"

void ppi_plan_values(const struct ppi_node *call, struct ppi_value values[PPI_ARG_MAX]) {
  memset(values, 0, sizeof *values * PPI_ARG_MAX);
  for (int i = 0; i < call->kernel->arg_count; i++)
    values[i] = call->operands[i].fixed;
}

void ppi_plan_case(const struct ppi_node *call, char text[PPI_CASE_MAX]) {
  struct ppi_value values[PPI_ARG_MAX];
  ppi_plan_values(call, values);
  ppi_case_format(call->kernel, values, text);
}

static bool listed_before(const struct perfpred_models *models, int place) {
  const struct ppi_submodel *one = &models->submodels[place];
  for (int i = 0; i < place; i++) {
    const struct ppi_submodel *other = &models->submodels[i];
    if (other->setup == one->setup && !other->context[0] && strcmp(one->kernel->name, other->kernel->name) == 0 &&
        strcmp(one->case_text, other->case_text) == 0)
      return true;
  }
  return false;
}

/* "dtrsm(R,L,T,N,1), dtrsm(L,L,N,N,1)": the cases of a kernel that the models of the setup hold, as far as they fit in a message. */
static void held_cases(const struct perfpred_plan *plan, const char *kernel, struct ppi_text *text) {
  enum { FIT = 240 };
  const struct perfpred_models *models = plan->models;
  for (int i = 0; i < models->count; i++) {
    const struct ppi_submodel *submodel = &models->submodels[i];
    if (submodel->setup != plan->setup || submodel->context[0] || strcmp(submodel->kernel->name, kernel) != 0 ||
        listed_before(models, i))
      continue;
    if (text->length > FIT) {
      ppi_text_append(text, ", ...");
      return;
    }
    ppi_text_printf(text, "%s%s(%s)", text->length ? ", " : "", kernel, submodel->case_text);
  }
}

enum perfpred_status ppi_plan_unmodelled(const struct perfpred_plan *plan, const char *kernel, const char *case_text,
                                         struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  held_cases(plan, kernel, &text);
  bool any = text.length > 0;
  char *held = ppi_text_take(&text);
  enum perfpred_status status =
      ppi_error_set(error, PERFPRED_UNMODELLED, "no model of %s(%s), which %s calls; of %s the models hold %s", kernel,
                    case_text, plan->program->name, kernel, any && held ? held : "nothing");
  free(held);
  return status;
}

static bool has_matrix(const struct perfpred_kernel *kernel) {
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_LD)
      return true;
  return false;
}

static void find_ld_kinds(struct ppi_plan_step *step) {
  if (!has_matrix(step->node->kernel))
    return;
  for (int i = 0; i < step->submodel_count; i++)
    step->ld_kinds |= 1U << ppi_ld_kind_of(step->submodels[i]->ld);
  for (int i = 0; i < step->context_count; i++)
    step->ld_kinds |= 1U << ppi_ld_kind_of(step->contexts[i].submodel->ld);
}

unsigned ppi_plan_ld_note(unsigned ld_kinds, int64_t ld) {
  return ld > 0 && (ld_kinds & ~(1U << ppi_ld_kind_of(ld))) ? PERFPRED_NOTE_OTHER_LD : 0;
}

/* Takes those that are tied to no algorithm. */
static void take_free(const struct perfpred_plan *plan, const int *places, int total, struct ppi_plan_step *step) {
  for (int i = 0; i < total; i++) {
    const struct ppi_submodel *submodel = &plan->models->submodels[places[i]];
    bool free_of_context = submodel->context[0] == '\0'; /* one that is tied to an algorithm answers for that alone */
    /* The models may come from a context in which a user's kernel of this name takes other arguments. */
    if (submodel->setup == plan->setup && free_of_context && submodel->dimensions == step->node->kernel->size_count)
      step->submodels[step->submodel_count++] = submodel;
  }
}

enum perfpred_status ppi_plan_bind(const struct perfpred_plan *plan, const struct perfpred_program *program,
                                   struct ppi_plan_step *step, struct perfpred_error *error) {
  const char *kernel = step->node->kernel->name;
  char case_text[PPI_CASE_MAX];
  ppi_plan_case(step->node, case_text);
  int total = ppi_models_find(plan->models, kernel, case_text, NULL, 0);
  if (plan->blend) /* it has found its models itself */
    return PERFPRED_OK;
  if (total <= 0)
    return plan->partial ? PERFPRED_OK : ppi_plan_unmodelled(plan, kernel, case_text, error);
  int *places = calloc((size_t)total, sizeof *places);
  step->submodels = calloc((size_t)total, sizeof(void *));
  if (!places || !step->submodels) {
    free(places);
    return ppi_error_memory(error);
  }
  total = ppi_models_find(plan->models, kernel, case_text, places, total);
  take_free(plan, places, total, step);
  enum perfpred_status status = ppi_plan_bind_contexts(plan, program, places, total, step, error);
  free(places);
  find_ld_kinds(step);
  if (status || step->submodel_count > 0 || step->context_count > 0 || plan->partial)
    return status;
  return ppi_plan_unmodelled(plan, kernel, case_text, error);
}
