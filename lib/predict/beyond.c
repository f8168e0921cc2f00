/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of calls that lie beyond their models. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "predict/plan.h"

/* Appends to a text of fixed size, cutting what does not fit: evaluation does not allocate, not even to say what is wrong. */
static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...) {
  size_t length = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, size - length, format, arguments);
  va_end(arguments);
}

enum perfpred_status ppi_plan_out_of_domain(const struct perfpred_plan *plan, const struct ppi_plan_step *step,
                                            const int64_t *sizes, struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = step->node->kernel;
  char text[400] = "", case_text[PPI_CASE_MAX];
  if (!error) /* searches meet this often */
    return PERFPRED_OUT_OF_DOMAIN;
  ppi_plan_case(step->node, case_text);
  append(text, sizeof text, "%s(%s) of", kernel->name, case_text);
  for (int i = 0; i < kernel->size_count; i++)
    append(text, sizeof text, "%s %s = %lld", i ? "," : "", kernel->args[kernel->sizes[i]].name, (long long)sizes[i]);
  append(text, sizeof text, " is above the domain of its model,");
  for (int k = 0; k < step->submodel_count; k++) {
    const struct ppi_submodel *submodel = step->submodels[k];
    append(text, sizeof text, "%s", k ? " or " : " ");
    for (int i = 0; i < submodel->dimensions; i++)
      append(text, sizeof text, "%s[%lld, %lld]", i ? " x " : "", (long long)submodel->lower[i],
             (long long)submodel->upper[i]);
  }
  return ppi_error_set(error, PERFPRED_OUT_OF_DOMAIN, "%s: %s", plan->program->name, text);
}

enum perfpred_status ppi_plan_beyond_steps(const struct perfpred_plan *plan, const struct ppi_plan_place *place,
                                           const struct ppi_plan_step *step, struct perfpred_error *error) {
  const struct ppi_submodel *submodel = step->contexts[0].submodel;
  char text[400] = "", case_text[PPI_CASE_MAX];
  if (!error)
    return PERFPRED_OUT_OF_DOMAIN;
  ppi_plan_case(step->node, case_text);
  append(text, sizeof text, "%s(%s) in a step with", step->node->kernel->name, case_text);
  for (int d = 0; d < submodel->dimensions; d++)
    append(text, sizeof text, "%s %s = %lld", d ? "," : "", submodel->basis->names[d],
           (long long)place->sizes[step->contexts[0].sizes[d]]);
  append(text, sizeof text, " is above the domain of its model,");
  for (int d = 0; d < submodel->dimensions; d++)
    append(text, sizeof text, "%s[%lld, %lld]", d ? " x " : " ", (long long)submodel->lower[d],
           (long long)submodel->upper[d]);
  if (submodel->basis->limit > 0)
    append(text, sizeof text, " with a sum of at most %lld", (long long)submodel->basis->limit);
  return ppi_error_set(error, PERFPRED_OUT_OF_DOMAIN, "%s: %s", plan->program->name, text);
}
