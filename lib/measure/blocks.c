/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/blocks.h"

#include <limits.h>
#include <stdlib.h>

/* First the steps before the timed one are counted, then those that are wanted noted. */
struct looking {
  struct ppi_walk_block *items; /* NULL: they are counted */
  int64_t start;                /* of the timed step */
  size_t before, left_out;      /* steps so far; those at the beginning that are not wanted */
  bool met;                     /* the timed step */
};

static enum perfpred_status pass_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                      struct perfpred_error *error) {
  (void)data;
  (void)node;
  (void)values;
  (void)error;
  return PERFPRED_OK;
}

static void see_block(void *data, const struct ppi_node *loop, const struct ppi_walk_block *block) {
  struct looking *looking = data;
  (void)loop;
  looking->met = looking->met || block->start == looking->start;
  if (looking->met)
    return;
  if (looking->items != NULL && looking->before >= looking->left_out)
    looking->items[looking->before - looking->left_out] = *block;
  looking->before++;
}

static enum perfpred_status look(struct looking *looking, const struct perfpred_program *program,
                                 const struct ppi_window *window, struct perfpred_error *error) {
  const struct ppi_walker walker = { .call = pass_call, .start = see_block, .without_views = true };
  looking->start = window->step.start;
  looking->before = 0;
  looking->met = false;
  return ppi_program_walk(program, window->parameters, (size_t)program->parameter_count, &walker, looking, error);
}

static enum perfpred_status need(struct ppi_blocks *blocks, size_t count, struct perfpred_error *error) {
  if (count > INT_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "%zu steps: expected at most %d", count, INT_MAX);
  if (count <= blocks->space)
    return PERFPRED_OK;
  struct ppi_walk_block *items = realloc(blocks->items, count * sizeof *items);
  if (items == NULL)
    return ppi_error_memory(error);
  blocks->items = items;
  blocks->space = count;
  return PERFPRED_OK;
}

static enum perfpred_status find_touched(struct ppi_blocks *blocks, const struct perfpred_program *program,
                                         const struct ppi_window *window, struct perfpred_error *error) {
  struct looking looking = { .items = NULL };
  enum perfpred_status status = look(&looking, program, window, error);
  const size_t before = looking.met ? looking.before : 0;
  const size_t kept = window->reach < (int64_t)before ? (size_t)window->reach : before;
  if (status == PERFPRED_OK)
    status = need(blocks, kept + 1, error);
  if (status != PERFPRED_OK)
    return status;
  looking.items = blocks->items;
  looking.left_out = before - kept;
  if (kept > 0)
    status = look(&looking, program, window, error);
  blocks->count = (int)kept;
  return status;
}

enum perfpred_status ppi_blocks_find(struct ppi_blocks *blocks, const struct perfpred_program *program,
                                     const struct ppi_window *window, bool touched, struct perfpred_error *error) {
  enum perfpred_status status = touched ? find_touched(blocks, program, window, error) : need(blocks, 2, error);
  if (status != PERFPRED_OK)
    return status;
  if (!touched) {
    blocks->count = window->lead.width > 0;
    blocks->items[0] = window->lead;
  }
  blocks->items[blocks->count++] = window->step;
  return PERFPRED_OK;
}

void ppi_blocks_free(struct ppi_blocks *blocks) {
  free(blocks->items);
  *blocks = (struct ppi_blocks){ 0 };
}
