/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/plan.h"

#include <stdlib.h>
#include <string.h>

#include "predict/blend.h"
#include "predict/stretch.h"
#include "program/calls.h"

static enum perfpred_status compile_block(struct perfpred_plan *plan, const struct perfpred_program *program,
                                          const struct ppi_node *node, struct ppi_plan_step **first,
                                          struct perfpred_error *error);

static void compile_size(const struct ppi_expr *expr, int slot_count, struct ppi_plan_size *size) {
  int64_t coefficients[PPI_SLOT_MAX];
  size->expr = expr;
  size->terms = -1;
  size->condition = ppi_expr_affine_slack(expr, (size_t)slot_count, coefficients, &size->constant);
  if (!size->condition && !ppi_expr_affine(expr, (size_t)slot_count, coefficients, &size->constant))
    return;
  int terms = 0;
  for (int slot = 0; slot < slot_count; slot++) {
    if (coefficients[slot] == 0)
      continue;
    if (terms == PPI_TERM_MAX)
      return;
    size->slots[terms] = slot;
    size->coefficients[terms++] = coefficients[slot];
  }
  size->terms = terms;
}

/* The expressions of a node, at most PPI_SIZE_MAX of them; their number. */
static int expressions(const struct ppi_node *node, const struct ppi_expr *list[PPI_SIZE_MAX]) {
  int count = 0;
  switch (node->kind) {
  case PPI_NODE_FOR:
    list[count++] = node->lower;
    list[count++] = node->upper;
    if (node->step)
      list[count++] = node->step;
    break;
  case PPI_NODE_IF:
  case PPI_NODE_LET:
    list[count++] = node->value;
    break;
  case PPI_NODE_CALL:
    for (; count < node->kernel->size_count; count++)
      list[count] = node->operands[node->kernel->sizes[count]].integer;
    break;
  case PPI_NODE_RUN:
    while (count < node->operand_count && count < PPI_PARAMETER_MAX && node->operands[count].integer) {
      list[count] = node->operands[count].integer;
      count++;
    }
    break;
  case PPI_NODE_ACCESS:
    break;
  }
  return count;
}

static enum perfpred_status compile_sizes(const struct perfpred_program *program, struct ppi_plan_step *step,
                                          struct perfpred_error *error) {
  const struct ppi_expr *list[PPI_SIZE_MAX] = { NULL };
  int count = expressions(step->node, list);
  if (count == 0)
    return PERFPRED_OK;
  step->sizes = calloc((size_t)count, sizeof *step->sizes);
  if (!step->sizes)
    return ppi_error_memory(error);
  step->size_count = count;
  for (int i = 0; i < count; i++)
    compile_size(list[i], program->slot_count, &step->sizes[i]);
  return PERFPRED_OK;
}

/* The routine of a program in the steps that it is run in; compiled at first sight. It is listed before its body is compiled, which ends
   recursion. */
static enum perfpred_status compile_routine(struct perfpred_plan *plan, const struct perfpred_program *program,
                                            struct ppi_plan_routine **routine, struct perfpred_error *error) {
  struct ppi_plan_routine **end = &plan->routines;
  const struct ppi_owner outer = plan->owner, owner = ppi_owner_of(program, &outer, plan->loops);
  for (; *end; end = &(*end)->next) {
    if ((*end)->program == program && (*end)->owner.program == owner.program) {
      *routine = *end;
      return PERFPRED_OK;
    }
  }
  struct ppi_plan_routine *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return ppi_error_memory(error);
  fresh->program = program;
  fresh->owner = owner;
  *end = fresh;
  *routine = fresh;
  plan->owner = owner;
  enum perfpred_status status = compile_block(plan, program, program->body, &fresh->body, error);
  plan->owner = outer;
  return status;
}

/* Keeping what a model was asked last pays where one model alone answers. */
static void choose_fold(struct perfpred_plan *plan, struct ppi_plan_step *step) {
  const bool alone = step->context_count == 1 || (step->context_count == 0 && step->submodel_count == 1);
  step->fold = alone && plan->fold_count < PPI_PLAN_FOLDS ? plan->fold_count++ : -1;
}

static enum perfpred_status compile_step(struct perfpred_plan *plan, const struct perfpred_program *program,
                                         struct ppi_plan_step *step, struct perfpred_error *error) {
  const struct ppi_node *node = step->node;
  enum perfpred_status status = compile_sizes(program, step, error);
  if (status)
    return status;
  switch (node->kind) {
  case PPI_NODE_CALL:
    status = ppi_plan_bind(plan, program, step, error);
    plan->ld_kinds |= step->ld_kinds;
    choose_fold(plan, step);
    plan->contexts += step->context_count > 0;
    return status;
  case PPI_NODE_RUN:
    return compile_routine(plan, node->callee ? node->callee : program, &step->callee, error);
  case PPI_NODE_FOR:
    plan->loops++;
    status = compile_block(plan, program, node->body, &step->body, error);
    plan->loops--;
    step->stretches = !status && ppi_stretch_possible(step);
    return status;
  case PPI_NODE_IF:
    status = compile_block(plan, program, node->body, &step->body, error);
    return status ? status : compile_block(plan, program, node->otherwise, &step->otherwise, error);
  case PPI_NODE_LET:
  case PPI_NODE_ACCESS:
    break;
  }
  return PERFPRED_OK;
}

static enum perfpred_status compile_block(struct perfpred_plan *plan, const struct perfpred_program *program,
                                          const struct ppi_node *node, struct ppi_plan_step **first,
                                          struct perfpred_error *error) {
  for (; node; node = node->next, first = &(*first)->next) {
    *first = calloc(1, sizeof **first);
    if (!*first)
      return ppi_error_memory(error);
    (*first)->node = node;
    enum perfpred_status status = compile_step(plan, program, *first, error);
    if (status)
      return status;
  }
  return PERFPRED_OK;
}

static void free_block(struct ppi_plan_step *step) {
  while (step) {
    struct ppi_plan_step *next = step->next;
    free_block(step->body);
    free_block(step->otherwise);
    free(step->submodels);
    free(step->contexts);
    free(step->sizes);
    free(step);
    step = next;
  }
}

/* Members beyond the caller's size count as zero. */
static enum perfpred_status read_options(const struct perfpred_plan_options *options,
                                         struct perfpred_plan_options *full, struct perfpred_error *error) {
  memset(full, 0, sizeof *full);
  if (!options)
    return PERFPRED_OK;
  if (options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options: size is %zu; expected PERFPRED_PLAN_OPTIONS_INIT",
                         options->size);
  memcpy(full, options, options->size < sizeof *full ? options->size : sizeof *full);
  if (full->ld < 0)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "options.ld: %lld: expected a leading dimension, or 0 for the models'", (long long)full->ld);
  if ((full->context != 0) + (full->warm != 0) + (full->cache != NULL) > 1)
    return ppi_error_set(error, PERFPRED_INVALID, "options: expected context or warm or cache, not several");
  return PERFPRED_OK;
}

/* Fills a plan that has its program and models. */
static enum perfpred_status make(struct perfpred_plan *plan, const struct perfpred_plan_options *options,
                                 struct perfpred_error *error) {
  struct ppi_plan_routine *routine;
  plan->extrapolate = options->extrapolate != 0;
  plan->partial = options->partial != 0;
  plan->force = options->force != 0;
  plan->warm = options->warm != 0;
  plan->ld = options->ld;
  enum perfpred_status status = ppi_plan_choose_setup(plan, options, error);
  if (!status && options->cache)
    status = ppi_blend_create(plan, options->cache, &plan->blend, error);
  if (!status)
    status = compile_routine(plan, plan->program, &routine, error);
  if (!status && options->context && plan->contexts == 0)
    status = ppi_error_set(error, PERFPRED_UNMODELLED,
                           "%s: expected models of its calls in the steps of its loop, of which there are none",
                           plan->program->name);
  return status;
}

enum perfpred_status perfpred_plan_create(struct perfpred_program *program, struct perfpred_models *models,
                                          const struct perfpred_plan_options *options, struct perfpred_plan **plan,
                                          struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!program || !models || !plan)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !program ? "program" : (!models ? "models" : "plan"));
  struct perfpred_plan_options full;
  enum perfpred_status status = read_options(options, &full, error);
  if (status)
    return status;
  if (program->nest)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "%s is a loop nest of accesses; models predict calls of kernels",
                         program->name);
  struct perfpred_plan *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return ppi_error_memory(error);
  fresh->program = perfpred_program_ref(program);
  fresh->models = perfpred_models_ref(models);
  status = make(fresh, &full, error);
  if (status) {
    perfpred_plan_destroy(fresh);
    return status;
  }
  *plan = fresh;
  return PERFPRED_OK;
}

void perfpred_plan_destroy(struct perfpred_plan *plan) {
  if (!plan)
    return;
  while (plan->routines) {
    struct ppi_plan_routine *next = plan->routines->next;
    free_block(plan->routines->body);
    free(plan->routines);
    plan->routines = next;
  }
  ppi_blend_destroy(plan->blend);
  perfpred_models_unref(plan->models);
  perfpred_program_unref(plan->program);
  free(plan);
}

size_t perfpred_plan_setup(const struct perfpred_plan *plan) {
  return plan ? (size_t)plan->setup : 0;
}

struct perfpred_program *perfpred_plan_program(const struct perfpred_plan *plan) {
  return plan ? plan->program : NULL;
}

int perfpred_plan_parameter(const struct perfpred_plan *plan, const char *name) {
  return plan && name ? perfpred_program_parameter(plan->program, name) : -1;
}
