/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/stretch.h"

#include <string.h>

#define SMALL (INT64_C(1) << 40) /* values up to it stay within 64 bits over as many steps as there may be */
#define STEPS_MOST (INT64_C(1) << 20)

/* A value in the first step, and how much it is more in each further one. */
struct line {
  int64_t value, slope;
};

struct finding {
  const struct ppi_stretch_start *start;
  struct ppi_stretch *stretch;
  int64_t *slots;
  int64_t slopes[PPI_SLOT_MAX]; /* of those that may be read */
};

/* --- Which loops ---------------------------------------------------------------------------------------------------- */

static bool is_possible_call(const struct ppi_plan_step *step) {
  for (int i = 0; i < step->size_count; i++)
    if (step->sizes[i].terms < 0 || step->sizes[i].condition)
      return false;
  return step->fold >= 0;
}

static bool is_possible_block(const struct ppi_plan_step *step, int *calls) {
  bool possible = true;
  for (; step && possible; step = step->next)
    switch (step->node->kind) {
    case PPI_NODE_CALL:
      possible = is_possible_call(step) && ++*calls <= PPI_STRETCH_CALLS;
      break;
    case PPI_NODE_LET:
      possible = step->sizes[0].terms >= 0 && !step->sizes[0].condition;
      break;
    case PPI_NODE_IF:
      possible = step->sizes[0].terms >= 0 && step->sizes[0].condition && is_possible_block(step->body, calls) &&
                 is_possible_block(step->otherwise, calls);
      break;
    case PPI_NODE_FOR:
    case PPI_NODE_RUN:
    case PPI_NODE_ACCESS:
      possible = false;
      break;
    }
  return possible;
}

bool ppi_stretch_possible(const struct ppi_plan_step *loop) {
  int calls = 0;
  return is_possible_block(loop->body, &calls) && calls > 0;
}

/* --- Which steps ---------------------------------------------------------------------------------------------------- */

static bool is_small(int64_t value) {
  return value <= SMALL && value >= -SMALL;
}

/* In all steps; it is where it is at both ends. */
static bool is_small_line(const struct finding *finding, struct line line) {
  return is_small(line.value) && is_small(line.slope) &&
         is_small(line.value + (finding->stretch->count - 1) * line.slope);
}

static bool add_multiple(int64_t coefficient, int64_t value, int64_t *sum) {
  int64_t product;
  return !__builtin_mul_overflow(coefficient, value, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* False: some number is so large that evaluation has to look out. */
static bool find_line(const struct finding *finding, const struct ppi_plan_size *size, struct line *line) {
  *line = (struct line){ size->constant, 0 };
  for (int i = 0; i < size->terms; i++)
    if (!add_multiple(size->coefficients[i], finding->slots[size->slots[i]], &line->value) ||
        !add_multiple(size->coefficients[i], finding->slopes[size->slots[i]], &line->slope))
      return false;
  return is_small_line(finding, *line);
}

/* No more steps than those in which a line stays at least at `least`, where it is in the first one. */
static void stay_above(struct finding *finding, struct line line, int64_t least) {
  if (line.slope >= 0)
    return;
  const int64_t count = (line.value - least) / -line.slope + 1;
  if (count < finding->stretch->count)
    finding->stretch->count = count;
}

static void stay_below(struct finding *finding, struct line line, int64_t most) {
  stay_above(finding, (struct line){ -line.value, -line.slope }, -most);
}

/* False: the sizes of the first step are none that the model answers as they are. */
static bool stay_in_domain(struct finding *finding, const struct ppi_submodel *submodel, struct ppi_fold_row *row) {
  const struct ppi_basis *basis = submodel->basis;
  struct line sum = { 0, 0 };
  for (int d = 0; d < submodel->dimensions; d++) {
    const struct line line = { row->sizes[d], row->slopes[d] };
    const int64_t least = submodel->lower[d] > 1 ? submodel->lower[d] : 1;
    if (line.value < least || line.value > submodel->upper[d])
      return false;
    stay_above(finding, line, least);
    stay_below(finding, line, submodel->upper[d]);
    sum.value += line.value;
    sum.slope += line.slope;
  }
  if (!basis || basis->limit == 0)
    return true;
  stay_below(finding, sum, basis->limit);
  return sum.value <= basis->limit;
}

/* The sizes of a step that a model of the call in it is over, if they make those of the kernel in all steps. */
static bool place_sizes(const struct finding *finding, const struct ppi_plan_context *context,
                        const struct ppi_fold_row *kernel, struct ppi_fold_row *row) {
  const struct ppi_plan_place *place = &finding->start->place;
  const struct ppi_submodel *submodel = context->submodel;
  const struct ppi_basis *basis = submodel->basis;
  const int64_t slope = finding->start->outermost ? finding->start->slope : 0;
  const int64_t slopes[PPI_PLAN_SIZES] = { slope < 0 ? -slope : slope, 0, slope < 0 ? slope : -slope, 0 };
  for (int d = 0; d < submodel->dimensions; d++) {
    row->sizes[d] = place->sizes[context->sizes[d]];
    row->slopes[d] = slopes[context->sizes[d]];
  }
  for (int k = 0; k < submodel->kernel->size_count; k++) {
    struct line line = { basis->constants[k], 0 };
    for (int d = 0; d < basis->dimensions; d++) {
      line.value += basis->matrix[k][d] * row->sizes[d];
      line.slope += basis->matrix[k][d] * row->slopes[d];
    }
    if (line.value != kernel->sizes[k] || line.slope != kernel->slopes[k])
      return false;
  }
  return true;
}

static bool take_call(struct finding *finding, const struct ppi_plan_step *step) {
  struct ppi_stretch_call *call = &finding->stretch->calls[finding->stretch->call_count++];
  struct ppi_fold_row kernel = { .count = 0 };
  call->step = step;
  call->context = step->context_count > 0;
  for (int i = 0; i < step->size_count; i++) {
    struct line line;
    if (!find_line(finding, &step->sizes[i], &line))
      return false;
    kernel.sizes[i] = line.value;
    kernel.slopes[i] = line.slope;
  }
  if (!call->context) {
    call->submodel = step->submodels[0];
    call->row = kernel;
    return stay_in_domain(finding, call->submodel, &call->row);
  }
  call->submodel = step->contexts[0].submodel;
  const struct ppi_plan_place *place = &finding->start->place;
  return place->loops > place->base && place->owner == step->owner &&
         place_sizes(finding, &step->contexts[0], &kernel, &call->row) &&
         stay_in_domain(finding, call->submodel, &call->row);
}

static bool take_block(struct finding *finding, const struct ppi_plan_step *step);

/* Up to the step in which it turns. */
static bool take_condition(struct finding *finding, const struct ppi_plan_step *step) {
  struct line slack;
  if (!find_line(finding, &step->sizes[0], &slack))
    return false;
  if (slack.value >= 0)
    stay_above(finding, slack, 0);
  else
    stay_below(finding, slack, -1);
  return take_block(finding, slack.value >= 0 ? step->body : step->otherwise);
}

static bool take_value(struct finding *finding, const struct ppi_plan_step *step) {
  struct line line;
  if (!find_line(finding, &step->sizes[0], &line))
    return false;
  finding->slots[step->node->slot] = line.value;
  finding->slopes[step->node->slot] = line.slope;
  return true;
}

static bool take_block(struct finding *finding, const struct ppi_plan_step *step) {
  bool taken = true;
  for (; step && taken; step = step->next) {
    if (step->node->kind == PPI_NODE_CALL)
      taken = take_call(finding, step);
    else if (step->node->kind == PPI_NODE_LET)
      taken = take_value(finding, step);
    else
      taken = take_condition(finding, step);
    taken = taken && finding->stretch->count >= PPI_STRETCH_LEAST;
  }
  return taken;
}

bool ppi_stretch_find(const struct ppi_stretch_start *start, int64_t *slots, struct ppi_stretch *stretch) {
  const int slot = start->loop->node->slot;
  struct finding finding = { .start = start, .stretch = stretch, .slots = slots, .slopes = { 0 } };
  stretch->count = start->count < STEPS_MOST ? start->count : STEPS_MOST;
  stretch->call_count = 0;
  slots[slot] = start->start;
  finding.slopes[slot] = start->slope;
  return stretch->count >= PPI_STRETCH_LEAST && is_small_line(&finding, (struct line){ start->start, start->slope }) &&
         take_block(&finding, start->loop->body) && stretch->call_count > 0;
}
