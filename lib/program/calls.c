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

bool ppi_program_is_blocked(const struct perfpred_program *program, int *size, int *block) {
  if (program->parameter_count != 2 || program->positive[0] == program->positive[1])
    return false;
  *size = program->positive[0] ? 1 : 0;
  *block = 1 - *size;
  return true;
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
