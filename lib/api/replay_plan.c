/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/replay_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* First the steps are counted, then noted, then their calls are seen. */
struct looking {
  struct ppi_replay_plan *plan;
  const struct ppi_node *loop;
  size_t steps, calls;
  bool several;
  int index; /* of the present step; -1: outside of the loop */
};

static enum perfpred_status count_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                       struct perfpred_error *error) {
  struct looking *looking = data;
  (void)node;
  (void)values;
  (void)error;
  looking->calls++;
  return PERFPRED_OK;
}

static void note_step(void *data, const struct ppi_node *loop, const struct ppi_walk_block *block) {
  struct looking *looking = data;
  looking->several = looking->several || (looking->loop && looking->loop != loop);
  looking->loop = loop;
  if (looking->plan->blocks && looking->steps < looking->plan->step_count) {
    looking->plan->blocks[looking->steps] = *block;
    looking->plan->first_calls[looking->steps] = looking->calls;
  }
  looking->steps++;
}

static void begin_block(void *data, const struct ppi_node *loop, int index) {
  struct looking *looking = data;
  (void)loop;
  looking->index = index;
}

static double work_of(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  double flops = ppi_kernel_flops(kernel, values);
  if (flops > 0.0)
    return flops;
  double bytes = ppi_kernel_movement_bytes(kernel, values);
  return bytes > 0.0 ? bytes : 1.0;
}

static enum perfpred_status add_outside(struct ppi_replay_plan *plan, const struct perfpred_kernel *kernel,
                                        const struct ppi_value *values, struct perfpred_error *error) {
  for (size_t i = 0; i < plan->outside_count; i++) {
    struct ppi_call_kind *kind = &plan->outside[i];
    bool same = kind->kernel == kernel;
    for (int k = 0; k < kernel->arg_count && same; k++)
      same = kind->values[k].i == values[k].i && kind->values[k].by_row == values[k].by_row;
    if (same) {
      kind->calls++;
      return PERFPRED_OK;
    }
  }
  if (plan->outside_count == plan->outside_capacity) {
    size_t capacity = 2 * plan->outside_capacity + 8;
    struct ppi_call_kind *outside = realloc(plan->outside, capacity * sizeof *outside);
    if (!outside)
      return ppi_error_memory(error);
    plan->outside = outside;
    plan->outside_capacity = capacity;
  }
  struct ppi_call_kind *made = &plan->outside[plan->outside_count++];
  *made = (struct ppi_call_kind){ .kernel = kernel, .flops = ppi_kernel_flops(kernel, values), .calls = 1 };
  memcpy(made->values, values, (size_t)kernel->arg_count * sizeof *values);
  ppi_call_describe(kernel, values, made->text, sizeof made->text);
  return PERFPRED_OK;
}

static enum perfpred_status see_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct looking *looking = data;
  struct ppi_replay_plan *plan = looking->plan;
  if (ppi_kernel_is_empty(node->kernel, values))
    return PERFPRED_OK;
  if (looking->index < 0)
    return add_outside(plan, node->kernel, values, error);
  plan->work[(size_t)looking->index * plan->calls.count + ppi_calls_place(&plan->calls, node)] +=
      work_of(node->kernel, values);
  return PERFPRED_OK;
}

static enum perfpred_status walk(struct looking *looking, size_t count, struct ppi_walker walker,
                                 struct perfpred_error *error) {
  const struct ppi_replay_plan *plan = looking->plan;
  walker.without_views = true;
  looking->loop = NULL;
  looking->steps = looking->calls = 0;
  looking->index = -1;
  return ppi_program_walk(plan->program, plan->parameters, count, &walker, looking, error);
}

static enum perfpred_status find_steps(struct looking *looking, size_t count, struct perfpred_error *error) {
  struct ppi_replay_plan *plan = looking->plan;
  const struct ppi_walker walker = { .call = count_call, .start = note_step };
  enum perfpred_status status = walk(looking, count, walker, error);
  if (!status && (looking->steps == 0 || looking->several))
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "%s: %s, expected one loop whose steps can be measured; 'perfpred measure' runs the whole",
                         plan->program->name, looking->several ? "several loops" : "no loop that has a step here");
  if (status)
    return status;
  plan->blocks = calloc(looking->steps, sizeof *plan->blocks);
  plan->first_calls = calloc(looking->steps, sizeof *plan->first_calls);
  if (!plan->blocks || !plan->first_calls)
    return ppi_error_memory(error);
  plan->step_count = looking->steps;
  return walk(looking, count, walker, error);
}

enum perfpred_status ppi_replay_plan_init(struct ppi_replay_plan *plan, const struct perfpred_program *program,
                                          const int64_t *parameters, size_t count, struct perfpred_error *error) {
  struct looking looking = { .plan = plan };
  *plan = (struct ppi_replay_plan){ .program = program, .parameters = parameters };
  enum perfpred_status status = ppi_calls_of(program, &plan->calls, error);
  if (!status)
    status = find_steps(&looking, count, error);
  if (status)
    return status;
  plan->work = calloc(plan->step_count * plan->calls.count + 1, sizeof *plan->work);
  if (!plan->work)
    return ppi_error_memory(error);
  const struct ppi_walker walker = {
    .call = see_call, .blocks = plan->blocks, .block_count = (int)plan->step_count, .block = begin_block
  };
  return walk(&looking, count, walker, error);
}

void ppi_replay_plan_release(struct ppi_replay_plan *plan) {
  free(plan->outside);
  free(plan->work);
  free(plan->first_calls);
  free(plan->blocks);
  ppi_calls_free(&plan->calls);
}

/* --- Which steps --------------------------------------------------------------------------------------------------- */

static int64_t widest(const struct ppi_replay_plan *plan) {
  int64_t width = 0;
  for (size_t i = 0; i < plan->step_count; i++)
    width = plan->blocks[i].width > width ? plan->blocks[i].width : width;
  return width;
}

/* The place of the index-th step of a width, or of any other width. */
static size_t step_at(const struct ppi_replay_plan *plan, int64_t width, bool other, size_t index) {
  size_t step = 0;
  for (; step < plan->step_count; step++)
    if ((plan->blocks[step].width == width) != other && index-- == 0)
      break;
  return step;
}

/* Indices from 0 to count - 1 as Chebyshev's points lie: closer at both ends. Returns how many. */
static size_t spread(size_t count, size_t points, size_t *indices) {
  const double pi = 3.14159265358979323846;
  size_t used = 0;
  points = points < count ? points : count;
  for (size_t i = 0; i < points; i++) {
    const double place = points > 1 ? 0.5 * (1.0 - cos(pi * (double)i / (double)(points - 1))) : 0.0;
    size_t index = points == count ? i : (size_t)llround(place * (double)(count - 1));
    if (used > 0 && index <= indices[used - 1]) /* near the ends points fall together */
      index = indices[used - 1] + 1;
    if (index < count)
      indices[used++] = index;
  }
  return used;
}

static void sort(size_t *list, size_t count) {
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k > 0 && list[k - 1] > list[k]; k--) {
      const size_t larger = list[k - 1];
      list[k - 1] = list[k];
      list[k] = larger;
    }
}

/* A step of another width tells nothing of the others, and they nothing of it: a panel of 4 columns takes as long for an operation as a panel of 64
   takes for ten. */
size_t ppi_replay_choose(const struct ppi_replay_plan *plan, size_t most, size_t *chosen) {
  const int64_t width = widest(plan);
  size_t alike = 0;
  for (size_t i = 0; i < plan->step_count; i++)
    alike += plan->blocks[i].width == width;
  const size_t others = plan->step_count - alike;
  const size_t apart = most < 3 ? 0 : others < most - 2 ? others : most - 2;
  size_t used = spread(alike, most - apart, chosen);
  for (size_t i = 0; i < used; i++)
    chosen[i] = step_at(plan, width, false, chosen[i]);
  const size_t behind = spread(others, most - used, chosen + used);
  for (size_t i = 0; i < behind; i++, used++)
    chosen[used] = step_at(plan, width, true, chosen[used]);
  sort(chosen, used);
  return used;
}

/* --- How far back -------------------------------------------------------------------------------------------------- */

/* The analysis counts steps as well, and what stands between loops for one: only differences count here. */
static uint64_t steps_back(const struct perfpred_cache *cache, const struct ppi_cache_call *call, int64_t capacity) {
  uint64_t back = 0;
  for (int k = 0; k < call->operand_count; k++) {
    const struct ppi_cache_operand *operand = &cache->operands[call->operand_first + (size_t)k];
    for (size_t i = 0; i < operand->part_count; i++) {
      const struct ppi_part *part = &cache->parts.items[operand->part_first + i];
      if (part->access > 0 && ppi_part_depth(part) <= capacity && call->step - part->step > back)
        back = call->step - part->step;
    }
  }
  return back;
}

size_t ppi_replay_reach(const struct ppi_replay_plan *plan, const struct perfpred_cache *cache, size_t step) {
  const struct perfpred_cache_options *options = &cache->options;
  const int64_t capacity = options->level_bytes[options->level_count - 1] / options->line_bytes;
  const size_t first = plan->first_calls[step];
  size_t reach = 0;
  for (size_t i = first; i < cache->count && cache->calls[i].step == cache->calls[first].step; i++) {
    const uint64_t back = steps_back(cache, &cache->calls[i], capacity);
    reach = back > reach ? (size_t)back : reach;
  }
  return reach < step ? reach : step;
}
