/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/sweep.h"

#include <stdlib.h>

#define LINES_MAX (INT64_MAX / 4) /* a step beyond the end does not overflow */
#define TERMS 6                   /* loops and lets in one subscript */

/* constant + sum of factor * slot */
struct form {
  int64_t constant, factors[TERMS];
  int slots[TERMS], count;
};

/* A loop that is one. */
struct sweep {
  const struct ppi_node *loop;
  int first, count; /* its accesses */
};

struct ppi_sweeps {
  const struct ppi_layout *layout;
  int sweep_count;
  struct sweep *sweeps;
  int *of_site;                      /* by the site of a loop's first access: place of the sweep, or -1 */
  struct form *forms;                /* by site and subscript */
  struct ppi_sweep_access *accesses; /* by site */
};

static bool make_form(const struct perfpred_program *nest, const struct ppi_expr *expr, struct form *form) {
  int64_t factors[PPI_SLOT_MAX];
  if (!ppi_expr_affine(expr, (size_t)nest->slot_count, factors, &form->constant))
    return false;
  form->count = 0;
  for (int i = 0; i < nest->slot_count; i++) {
    if (factors[i] == 0)
      continue;
    if (form->count == TERMS)
      return false;
    form->slots[form->count] = i;
    form->factors[form->count++] = factors[i];
  }
  return true;
}

static bool make_forms(struct ppi_sweeps *sweeps, const struct perfpred_program *nest, const struct ppi_node *node) {
  for (int i = 0; i < sweeps->layout->arrays[node->buffer].dimensions; i++)
    if (!make_form(nest, node->subscripts[i], &sweeps->forms[node->site * PPI_ARRAY_DIMENSIONS + i]))
      return false;
  return true;
}

/* Sites of the accesses of a block follow each other. */
static void note_loop(struct ppi_sweeps *sweeps, const struct perfpred_program *nest, const struct ppi_node *loop) {
  struct sweep *sweep = &sweeps->sweeps[sweeps->sweep_count];
  if (!loop->body)
    return;
  *sweep = (struct sweep){ loop, loop->body->site, 0 };
  for (const struct ppi_node *node = loop->body; node; node = node->next, sweep->count++)
    if (node->kind != PPI_NODE_ACCESS || !make_forms(sweeps, nest, node))
      return;
  sweeps->of_site[sweep->first] = sweeps->sweep_count++;
}

static void note_block(struct ppi_sweeps *sweeps, const struct perfpred_program *nest, const struct ppi_node *node) {
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_FOR)
      note_loop(sweeps, nest, node);
    if (node->kind == PPI_NODE_ACCESS)
      sweeps->accesses[node->site].node = node;
    note_block(sweeps, nest, node->body);
    note_block(sweeps, nest, node->otherwise);
  }
}

enum perfpred_status ppi_sweeps_create(const struct perfpred_program *nest, const struct ppi_layout *layout,
                                       struct ppi_sweeps **sweeps, struct perfpred_error *error) {
  const size_t sites = (size_t)nest->site_count + 1;
  struct ppi_sweeps *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->layout = layout;
  made->sweeps = calloc(sites, sizeof *made->sweeps);
  made->of_site = calloc(sites, sizeof *made->of_site);
  made->forms = calloc(sites * PPI_ARRAY_DIMENSIONS, sizeof *made->forms);
  made->accesses = calloc(sites, sizeof *made->accesses);
  if (!made->sweeps || !made->of_site || !made->forms || !made->accesses) {
    ppi_sweeps_destroy(made);
    return ppi_error_memory(error);
  }
  for (size_t i = 0; i < sites; i++)
    made->of_site[i] = -1;
  note_block(made, nest, nest->body);
  *sweeps = made;
  return PERFPRED_OK;
}

void ppi_sweeps_destroy(struct ppi_sweeps *sweeps) {
  if (!sweeps)
    return;
  free(sweeps->accesses);
  free(sweeps->forms);
  free(sweeps->of_site);
  free(sweeps->sweeps);
  free(sweeps);
}

/* Value where the loop begins, and how it goes on. False: beyond 64 bits. */
static bool evaluate(const struct form *form, const int64_t *slots, int loop_slot, int64_t start, int64_t step,
                     int64_t *value, int64_t *change) {
  *value = form->constant;
  *change = 0;
  for (int i = 0; i < form->count; i++) {
    const bool own = form->slots[i] == loop_slot;
    int64_t term = 0;
    if (__builtin_mul_overflow(form->factors[i], own ? start : slots[form->slots[i]], &term) ||
        __builtin_add_overflow(*value, term, value) || (own && __builtin_mul_overflow(form->factors[i], step, change)))
      return false;
  }
  return true;
}

/* Whether all values of a progression are in [0, extent). */
static bool stays_inside(int64_t value, int64_t change, int64_t rounds, int64_t extent) {
  int64_t way = 0, last = 0;
  if (__builtin_mul_overflow(change, rounds - 1, &way) || __builtin_add_overflow(value, way, &last))
    return false;
  return value >= 0 && value < extent && last >= 0 && last < extent;
}

/* The present line, and how long it stays that. */
static void find_line(struct ppi_sweep_access *access) {
  const int64_t place = access->inner % access->per_line, step = access->inner_step;
  access->line = access->row + access->inner / access->per_line;
  if (access->row_step != 0)
    access->stay = 1;
  else if (step == 0)
    access->stay = INT64_MAX;
  else
    access->stay = step > 0 ? (access->per_line - place - 1) / step + 1 : place / -step + 1;
}

void ppi_sweep_advance(struct ppi_sweep_access *access, int64_t rounds) {
  if (access->row_step == 0 && access->inner_step == 0)
    return;
  access->row += access->row_step * rounds;
  access->inner += access->inner_step * rounds;
  access->stay -= rounds;
  if (access->stay > 0)
    return;
  if (access->row_step != 0 || (access->inner_step != 1 && access->inner_step != -1)) {
    find_line(access);
    return;
  }
  access->line += access->inner_step;
  access->stay = access->per_line;
}

static bool begin_access(const struct ppi_sweeps *sweeps, struct ppi_sweep_access *access, int loop_slot,
                         const int64_t *slots, int64_t start, int64_t step, int64_t rounds) {
  const struct ppi_layout_array *array = &sweeps->layout->arrays[access->node->buffer];
  const struct form *forms = &sweeps->forms[access->node->site * PPI_ARRAY_DIMENSIONS];
  access->row = array->first;
  access->row_step = 0;
  access->per_line = array->per_line;
  for (int i = 0; i < array->dimensions; i++) {
    int64_t value = 0, change = 0;
    if (!evaluate(&forms[i], slots, loop_slot, start, step, &value, &change) ||
        !stays_inside(value, change, rounds, array->extent[i]))
      return false;
    change = rounds > 1 ? change : 0; /* which may be anything where it is never added */
    if (i == array->inner) {
      access->inner = value;
      access->inner_step = change;
      continue;
    }
    access->row += array->stride[i] * value; /* a line of the array */
    access->row_step += array->stride[i] * change;
  }
  find_line(access);
  return true;
}

/* The sweep of a loop; NULL: it is none, or begins with a step of another length. */
static const struct sweep *find_sweep(const struct ppi_sweeps *sweeps, const struct ppi_node *loop,
                                      const struct ppi_loop *range) {
  if (!loop->body || loop->body->kind != PPI_NODE_ACCESS || range->left <= 0 || sweeps->layout->lines > LINES_MAX)
    return NULL;
  const int place = sweeps->of_site[loop->body->site];
  if (place < 0 || sweeps->sweeps[place].loop != loop)
    return NULL;
  const bool irregular = range->left % range->step > 0 && loop->short_first != loop->down;
  return irregular ? NULL : &sweeps->sweeps[place];
}

struct ppi_sweep_access *ppi_sweeps_begin(struct ppi_sweeps *sweeps, const struct ppi_node *loop, const int64_t *slots,
                                          const struct ppi_loop *range, int *count, int64_t *rounds) {
  const struct sweep *sweep = find_sweep(sweeps, loop, range);
  if (!sweep)
    return NULL;
  const int64_t rest = range->left % range->step;
  const int64_t start = !loop->down ? range->at : range->at + range->left - (rest > 0 ? rest : range->step);
  *rounds = range->left / range->step + (rest > 0);
  for (int i = 0; i < sweep->count; i++)
    if (!begin_access(sweeps, &sweeps->accesses[sweep->first + i], loop->slot, slots, start,
                      loop->down ? -range->step : range->step, *rounds))
      return NULL;
  *count = sweep->count;
  return &sweeps->accesses[sweep->first];
}
