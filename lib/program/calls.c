/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/calls.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Programs are visited in the order in which they are met. */
struct visit {
  struct ppi_calls *calls;
  const struct perfpred_program **programs;
  size_t count, capacity;
  struct perfpred_error *error;
};

static enum perfpred_status add_program(struct visit *visit, const struct perfpred_program *program) {
  for (size_t i = 0; i < visit->count; i++)
    if (visit->programs[i] == program)
      return PERFPRED_OK;
  if (visit->count == visit->capacity) {
    size_t capacity = 2 * visit->capacity + 8;
    const struct perfpred_program **programs =
        realloc(visit->programs, capacity * sizeof(const struct perfpred_program *));
    if (!programs)
      return ppi_error_memory(visit->error);
    visit->programs = programs;
    visit->capacity = capacity;
  }
  visit->programs[visit->count++] = program;
  return PERFPRED_OK;
}

static enum perfpred_status add_site(struct visit *visit, const struct perfpred_program *program,
                                     const struct ppi_node *node) {
  struct ppi_calls *calls = visit->calls;
  if (calls->count == calls->capacity) {
    size_t capacity = 2 * calls->capacity + 8;
    struct ppi_call_site *sites = realloc(calls->sites, capacity * sizeof *sites);
    if (!sites)
      return ppi_error_memory(visit->error);
    calls->sites = sites;
    calls->capacity = capacity;
  }
  calls->sites[calls->count++] = (struct ppi_call_site){ node, program };
  return PERFPRED_OK;
}

static enum perfpred_status visit_block(struct visit *visit, const struct perfpred_program *program,
                                        const struct ppi_node *node) {
  enum perfpred_status status = PERFPRED_OK;
  for (; node && !status; node = node->next) {
    if (node->kind == PPI_NODE_CALL)
      status = add_site(visit, program, node);
    else if (node->kind == PPI_NODE_RUN)
      status = add_program(visit, node->callee ? node->callee : program);
    else if (node->kind == PPI_NODE_FOR || node->kind == PPI_NODE_IF) {
      status = visit_block(visit, program, node->body);
      if (!status)
        status = visit_block(visit, program, node->otherwise);
    }
  }
  return status;
}

enum perfpred_status ppi_calls_of(const struct perfpred_program *program, struct ppi_calls *calls,
                                  struct perfpred_error *error) {
  struct ppi_calls made = { NULL, 0, 0 };
  struct visit visit = { &made, NULL, 0, 0, error };
  enum perfpred_status status = add_program(&visit, program);
  for (size_t i = 0; i < visit.count && !status; i++)
    status = visit_block(&visit, visit.programs[i], visit.programs[i]->body);
  free(visit.programs);
  if (status)
    ppi_calls_free(&made);
  else
    *calls = made;
  return status;
}

/* The place of the parameter that an expression is; or -1. */
static int parameter_of(const struct perfpred_program *program, const struct ppi_expr *expr) {
  int64_t coefficients[PPI_SLOT_MAX], constant = 0;
  int place = -1;
  if (!expr || !ppi_expr_affine(expr, (size_t)program->slot_count, coefficients, &constant) || constant != 0)
    return -1;
  for (int i = 0; i < program->slot_count; i++) {
    if (coefficients[i] == 0)
      continue;
    if (place >= 0 || coefficients[i] != 1 || i >= program->parameter_count)
      return -1;
    place = i;
  }
  return place;
}

/* The one loop of a program; NULL: it has none or several. */
static const struct ppi_node *loop_of(const struct perfpred_program *program) {
  const struct ppi_node *loop = NULL;
  for (const struct ppi_node *node = program->body; node; node = node->next) {
    if (node->kind == PPI_NODE_FOR && loop)
      return NULL;
    loop = node->kind == PPI_NODE_FOR ? node : loop;
  }
  return loop;
}

/* The size beside that of the loop, if all else are block sizes; or -1. */
static int other_size(const struct perfpred_program *program, int size) {
  int other = -1;
  for (int i = 0; i < program->parameter_count; i++) {
    if (i == size || program->positive[i])
      continue;
    if (other >= 0 || program->defaults[i] >= 0)
      return -1;
    other = i;
  }
  return other;
}

bool ppi_program_blocking(const struct perfpred_program *program, struct ppi_blocking *blocking) {
  blocking->other = -1;
  if (program->parameter_count == 2) {
    blocking->size = program->positive[0] ? 1 : 0;
    blocking->block = 1 - blocking->size;
    return program->positive[0] != program->positive[1];
  }
  const struct ppi_node *loop = program->nest ? NULL : loop_of(program);
  int64_t lower = 0;
  if (!loop || !ppi_expr_is_constant(loop->lower, &lower) || lower != 0)
    return false;
  blocking->size = parameter_of(program, loop->upper);
  blocking->block = parameter_of(program, loop->step);
  if (blocking->size < 0 || blocking->block < 0 || program->positive[blocking->size])
    return false;
  blocking->other = other_size(program, blocking->size);
  return blocking->other >= 0;
}

struct ppi_owner ppi_owner_of(const struct perfpred_program *program, const struct ppi_owner *outer, int loops) {
  struct ppi_owner own = { .program = program, .base = loops };
  if (!ppi_program_blocking(program, &own.blocking))
    return *outer;
  if (own.blocking.other < 0 ? loops > 0 : outer->program && outer->blocking.other < 0)
    return *outer;
  return own;
}

void ppi_call_context(const struct perfpred_program *owner, const struct ppi_call_site *site, char *text, size_t size) {
  if (site->program == owner)
    snprintf(text, size, "%s:%d", owner->name, site->node->site);
  else
    snprintf(text, size, "%s:%s:%d", owner->name, site->program->name, site->node->site);
}

size_t ppi_calls_place(const struct ppi_calls *calls, const struct ppi_node *node) {
  size_t place = 0;
  while (place < calls->count && calls->sites[place].node != node)
    place++;
  assert(place < calls->count);
  return place;
}

void ppi_calls_free(struct ppi_calls *calls) {
  free(calls->sites);
  *calls = (struct ppi_calls){ NULL, 0, 0 };
}
