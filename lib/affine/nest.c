/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/nest.h"

#include <inttypes.h>
#include <stdlib.h>

#include "affine/choice.h"

#define PASSES 32 /* over the constraints in search of bounds */

struct builder {
  const struct perfpred_program *program;
  struct ppi_nest *nest;
  struct perfpred_error *error;
  struct ppi_choice slots[PPI_SLOT_MAX];
  int depth, loop_count; /* loops around the present place, and all that were met */
  int loop[PPI_LOOPS];
  const struct ppi_node *loop_node[PPI_LOOPS];
  struct ppi_affine value[PPI_LOOPS];
  struct ppi_nest_row rows[PPI_NEST_ROWS]; /* that hold at the present place */
  int row_count;
};

static enum perfpred_status read_block(struct builder *builder, const struct ppi_node *node);

static enum perfpred_status refuse(const struct builder *builder, const struct ppi_node *node, const char *what) {
  return ppi_error_set(builder->error, PERFPRED_UNSUPPORTED, "%s, line %d: %s", builder->program->name, node->line,
                       what);
}

static bool add_row(struct builder *builder, const struct ppi_affine *form, int loop) {
  if (builder->row_count == PPI_NEST_ROWS)
    return false;
  builder->rows[builder->row_count++] = (struct ppi_nest_row){ *form, loop };
  return true;
}

__extension__ typedef __int128 wide;
static const struct ppi_affine zero = { .constant = 0 };

/* value < floor(form / divisor) for each part of the bound. */
static bool add_upper(struct builder *builder, const struct ppi_choice *bound, const struct ppi_affine *value) {
  if (bound->kind == PPI_CHOICE_GREATEST)
    return false;
  for (int i = 0; i < bound->count; i++) {
    struct ppi_affine row;
    const int64_t divisor = bound->parts[i].divisor;
    if (!ppi_affine_combine(&bound->parts[i].form, 1, value, -divisor, &row))
      return false;
    row.constant -= divisor;
    if (!add_row(builder, &row, builder->depth))
      return false;
  }
  return true;
}

/* value >= floor(form / divisor) for each part of the bound. */
static bool add_lower(struct builder *builder, const struct ppi_choice *bound, const struct ppi_affine *value) {
  if (bound->kind == PPI_CHOICE_LEAST)
    return false;
  for (int i = 0; i < bound->count; i++) {
    struct ppi_affine row;
    const int64_t divisor = bound->parts[i].divisor;
    if (!ppi_affine_combine(value, divisor, &bound->parts[i].form, -1, &row))
      return false;
    row.constant += divisor - 1;
    if (!add_row(builder, &row, builder->depth))
      return false;
  }
  return true;
}

static bool same_part(const struct ppi_choice *a, int i, const struct ppi_choice *b, int j) {
  return a->parts[i].divisor == b->parts[j].divisor &&
         memcmp(&a->parts[i].form, &b->parts[j].form, sizeof a->parts[i].form) == 0;
}

/* Of the least of some as a lower bound, or the greatest as an upper one, what the other bound has as well decides nothing: if it were the
   tighter one there would be no iteration. */
static void drop_common(struct ppi_choice *bound, enum ppi_choice_kind kind, const struct ppi_choice *other) {
  if (other->kind != PPI_CHOICE_ONE && other->kind != kind)
    return;
  for (int i = 0; i < bound->count && bound->count > 1 && bound->kind == kind; i++)
    for (int j = 0; j < other->count && bound->count > 1; j++)
      if (same_part(bound, i, other, j)) {
        bound->parts[i--] = bound->parts[--bound->count];
        break;
      }
  if (bound->count == 1)
    bound->kind = PPI_CHOICE_ONE;
}

/* The loop's name in terms of its counter, and the row that bounds the counter where the name's bounds do not. */
static bool set_value(struct builder *builder, const struct ppi_node *node, const struct ppi_choice *lower,
                      int64_t step) {
  struct ppi_affine *value = &builder->value[builder->depth];
  struct ppi_affine counter = zero, first;
  const int64_t sign = node->down ? -1 : 1;
  counter.c[builder->depth] = sign;
  if (step == 1) {
    *value = counter;
    return true;
  }
  if (node->short_first != node->down || !ppi_choice_is_form(lower, &first))
    return false;
  return ppi_affine_combine(&first, 1, &counter, step, value) && add_row(builder, &counter, builder->depth);
}

/* Width of a block: the step, or what is left up to the end. */
static bool set_width(struct builder *builder, const struct ppi_node *node, const struct ppi_choice *upper,
                      int64_t step) {
  struct ppi_choice *width = &builder->slots[node->width_slot];
  *width = ppi_choice_of(&(struct ppi_affine){ .constant = step });
  if (step == 1)
    return true;
  width->kind = PPI_CHOICE_LEAST;
  for (int i = 0; i < upper->count; i++) {
    if (upper->parts[i].divisor != 1 || width->count == PPI_CHOICES ||
        !ppi_affine_combine(&upper->parts[i].form, 1, &builder->value[builder->depth], -1,
                            &width->parts[width->count].form))
      return false;
    width->parts[width->count++].divisor = 1;
  }
  return true;
}

/* Bounds and step of a loop. False: they are not affine. */
static bool read_bounds(const struct builder *builder, const struct ppi_node *node, struct ppi_choice *lower,
                        struct ppi_choice *upper, int64_t *step) {
  struct ppi_choice by;
  struct ppi_affine stride;
  if (!ppi_choice_read(node->lower, builder->slots, lower) || !ppi_choice_read(node->upper, builder->slots, upper) ||
      !ppi_choice_read(node->step, builder->slots, &by) || !ppi_choice_is_form(&by, &stride) || stride.constant < 1 ||
      memcmp(stride.c, zero.c, sizeof zero.c) != 0)
    return false;
  drop_common(lower, PPI_CHOICE_LEAST, upper);
  drop_common(upper, PPI_CHOICE_GREATEST, lower);
  *step = stride.constant;
  return true;
}

static enum perfpred_status read_loop(struct builder *builder, const struct ppi_node *node) {
  struct ppi_choice lower, upper;
  int64_t step = 0;
  if (builder->depth == PPI_LOOPS)
    return refuse(builder, node, "more loops inside each other than the analysis takes");
  if (!read_bounds(builder, node, &lower, &upper, &step))
    return refuse(builder, node, "the loop's bounds are not affine");
  const int rows = builder->row_count, depth = builder->depth;
  if (!set_value(builder, node, &lower, step) || !add_lower(builder, &lower, &builder->value[depth]) ||
      !add_upper(builder, &upper, &builder->value[depth]) ||
      (node->width_slot >= 0 && !set_width(builder, node, &upper, step)))
    return refuse(builder, node, "the loop's bounds are none that the analysis takes");
  builder->slots[node->slot] = ppi_choice_of(&builder->value[depth]);
  builder->loop[depth] = builder->loop_count++;
  builder->loop_node[depth] = node;
  builder->depth++;
  enum perfpred_status status = read_block(builder, node->body);
  builder->depth--;
  builder->row_count = rows;
  builder->slots[node->slot].count = 0;
  return status;
}

static enum perfpred_status read_branch(struct builder *builder, const struct ppi_node *node, bool holds) {
  const struct ppi_node *body = holds ? node->body : node->otherwise;
  struct ppi_affine rows[PPI_NEST_ROWS];
  const int before = builder->row_count;
  int count = 0;
  if (!body)
    return PERFPRED_OK;
  if (!ppi_choice_condition(node->value, builder->slots, holds, rows, PPI_NEST_ROWS, &count))
    return refuse(builder, node, "the condition is not a conjunction of affine inequalities");
  bool fits = true;
  for (int i = 0; i < count; i++)
    fits = fits && add_row(builder, &rows[i], -1);
  enum perfpred_status status =
      fits ? read_block(builder, body) : refuse(builder, node, "more conditions than the analysis takes");
  builder->row_count = before;
  return status;
}

/* Most of a row but for one counter, by the bounds on the others. False: none is known, or it is beyond what bounds are of use. */
static bool most_without(const struct ppi_nest_row *row, int loop, int depth, const int64_t *low, const int64_t *high,
                         int64_t *most) {
  wide sum = row->form.constant;
  for (int i = 0; i < depth; i++) {
    const int64_t factor = row->form.c[i], at = factor > 0 ? high[i] : low[i];
    if (i == loop || factor == 0)
      continue;
    if (at == INT64_MAX || at == INT64_MIN)
      return false;
    sum += (wide)factor * at;
  }
  *most = (int64_t)sum;
  return sum <= INT64_MAX / 2 && sum >= INT64_MIN / 2;
}

/* The bound on one counter that a row and the bounds on the others give; false: it got tighter than the other one. */
static bool tighten(const struct ppi_nest_row *row, int loop, int depth, int64_t *low, int64_t *high) {
  const int64_t factor = row->form.c[loop];
  int64_t rest = 0;
  if (!most_without(row, loop, depth, low, high, &rest))
    return true;
  if (factor > 0) { /* counter >= -rest / factor */
    const int64_t bound = -ppi_floor_div(rest, factor);
    low[loop] = bound > low[loop] ? bound : low[loop];
  } else if (factor < 0) {
    const int64_t bound = ppi_floor_div(rest, -factor);
    high[loop] = bound < high[loop] ? bound : high[loop];
  }
  return low[loop] <= high[loop];
}

/* Bounds on the counters from the rows, loop by loop. */
static void bound_counters(struct ppi_nest_reference *reference) {
  for (int i = 0; i < reference->depth; i++) {
    reference->low[i] = INT64_MIN;
    reference->high[i] = INT64_MAX;
  }
  for (int pass = 0; pass < PASSES && !reference->empty; pass++)
    for (int i = 0; i < reference->row_count && !reference->empty; i++) {
      const struct ppi_nest_row *row = &reference->rows[i];
      bool constant = true;
      for (int loop = 0; loop < reference->depth; loop++)
        if (row->form.c[loop] != 0) {
          constant = false;
          if (!tighten(row, loop, reference->depth, reference->low, reference->high))
            reference->empty = true;
        }
      if (constant && row->form.constant < 0)
        reference->empty = true;
    }
}

static bool counters_fit(const struct ppi_nest_reference *reference) {
  for (int i = 0; i < reference->depth; i++)
    if (reference->low[i] < -PPI_COUNTER_MAX || reference->high[i] > PPI_COUNTER_MAX)
      return false;
  return true;
}

static bool is_twin(const struct ppi_nest_reference *a, const struct ppi_nest_reference *b, int dimensions) {
  return a->node->buffer == b->node->buffer && a->depth == b->depth && a->row_count == b->row_count &&
         memcmp(a->loop, b->loop, (size_t)a->depth * sizeof a->loop[0]) == 0 &&
         memcmp(a->rows, b->rows, (size_t)a->row_count * sizeof a->rows[0]) == 0 &&
         memcmp(a->given, b->given, (size_t)dimensions * sizeof a->given[0]) == 0;
}

static void find_twin(struct ppi_nest *nest, int index) {
  const struct ppi_nest_reference *reference = &nest->references[index];
  nest->references[index].twin = index;
  for (int i = index - 1; i >= 0; i--)
    if (is_twin(&nest->references[i], reference, nest->layout.arrays[reference->node->buffer].dimensions)) {
      nest->references[i].later_twin = true;
      nest->references[index].twin = nest->references[i].twin;
      return;
    }
}

static enum perfpred_status read_access(struct builder *builder, const struct ppi_node *node) {
  struct ppi_nest_reference *reference = &builder->nest->references[builder->nest->count];
  reference->node = node;
  reference->depth = builder->depth;
  reference->row_count = builder->row_count;
  memcpy(reference->loop, builder->loop, sizeof builder->loop);
  memcpy(reference->loop_node, builder->loop_node, sizeof builder->loop_node);
  memcpy(reference->value, builder->value, sizeof builder->value);
  memcpy(reference->rows, builder->rows, (size_t)builder->row_count * sizeof builder->rows[0]);
  for (int i = 0; i < builder->nest->layout.arrays[node->buffer].dimensions; i++) {
    struct ppi_choice subscript;
    if (!ppi_choice_read(node->subscripts[i], builder->slots, &subscript) ||
        !ppi_choice_is_form(&subscript, &reference->given[i]))
      return refuse(builder, node, "a subscript is not affine");
  }
  bound_counters(reference);
  if (!reference->empty && !counters_fit(reference))
    return refuse(builder, node, "loops run farther than the analysis takes");
  find_twin(builder->nest, builder->nest->count++);
  return PERFPRED_OK;
}

static enum perfpred_status read_let(struct builder *builder, const struct ppi_node *node) {
  struct ppi_choice value;
  if (!ppi_choice_read(node->value, builder->slots, &value))
    return refuse(builder, node, "the value is not affine");
  builder->slots[node->slot] = value;
  return PERFPRED_OK;
}

static enum perfpred_status read_node(struct builder *builder, const struct ppi_node *node) {
  enum perfpred_status status = PERFPRED_OK;
  switch (node->kind) {
  case PPI_NODE_FOR:
    return read_loop(builder, node);
  case PPI_NODE_IF:
    status = read_branch(builder, node, true);
    return status ? status : read_branch(builder, node, false);
  case PPI_NODE_LET:
    return read_let(builder, node);
  case PPI_NODE_ACCESS:
    return read_access(builder, node);
  case PPI_NODE_CALL:
  case PPI_NODE_RUN:
    break;
  }
  return refuse(builder, node, "a call is no access");
}

static enum perfpred_status read_block(struct builder *builder, const struct ppi_node *node) {
  enum perfpred_status status = PERFPRED_OK;
  for (; node && !status; node = node->next)
    status = read_node(builder, node);
  return status;
}

static enum perfpred_status read_nest(struct builder *builder, const int64_t *parameters, int64_t line_bytes) {
  const struct perfpred_program *program = builder->program;
  struct ppi_nest *nest = builder->nest;
  nest->references = calloc((size_t)program->site_count + 1, sizeof *nest->references);
  if (!nest->references)
    return ppi_error_memory(builder->error);
  enum perfpred_status status = ppi_layout_make(program, parameters, line_bytes, &nest->layout, builder->error);
  for (int i = 0; i < program->parameter_count; i++)
    builder->slots[i] = ppi_choice_of(&(struct ppi_affine){ .constant = parameters[i] });
  return status ? status : read_block(builder, program->body);
}

enum perfpred_status ppi_nest_create(const struct perfpred_program *program, const int64_t *parameters,
                                     int64_t line_bytes, struct ppi_nest **nest, struct perfpred_error *error) {
  struct ppi_nest *made = calloc(1, sizeof *made);
  struct builder *builder = calloc(1, sizeof *builder);
  enum perfpred_status status = PERFPRED_NO_MEMORY;
  if (made && builder) {
    builder->program = program;
    builder->nest = made;
    builder->error = error;
    status = read_nest(builder, parameters, line_bytes);
  } else {
    ppi_error_memory(error);
  }
  free(builder);
  if (status) {
    ppi_nest_destroy(made);
    return status;
  }
  ppi_nest_find_arrays(made);
  *nest = made;
  return PERFPRED_OK;
}

void ppi_nest_destroy(struct ppi_nest *nest) {
  if (!nest)
    return;
  free(nest->references);
  free(nest);
}

int ppi_nest_common(const struct ppi_nest_reference *a, const struct ppi_nest_reference *b) {
  int common = 0;
  while (common < a->depth && common < b->depth && a->loop[common] == b->loop[common])
    common++;
  return common;
}
