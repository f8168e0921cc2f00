/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/replay_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* First the steps are counted, then noted, then their calls are seen. */
struct looking {
  struct ppi_replay_plan *plan;
  const struct ppi_node *loop;
  size_t steps;
  bool several;
  int index; /* of the present step; -1: outside of the loop */
};

static enum perfpred_status pass_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                      struct perfpred_error *error) {
  (void)data;
  (void)node;
  (void)values;
  (void)error;
  return PERFPRED_OK;
}

static void note_step(void *data, const struct ppi_node *loop, const struct ppi_walk_block *block) {
  struct looking *looking = data;
  looking->several = looking->several || (looking->loop && looking->loop != loop);
  looking->loop = loop;
  if (looking->plan->blocks && looking->steps < looking->plan->step_count)
    looking->plan->blocks[looking->steps] = *block;
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
  looking->steps = 0;
  looking->index = -1;
  return ppi_program_walk(plan->program, plan->parameters, count, &walker, looking, error);
}

static enum perfpred_status find_steps(struct looking *looking, size_t count, struct perfpred_error *error) {
  struct ppi_replay_plan *plan = looking->plan;
  const struct ppi_walker walker = { .call = pass_call, .start = note_step };
  enum perfpred_status status = walk(looking, count, walker, error);
  if (!status && (looking->steps == 0 || looking->several))
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "%s: %s, expected one loop whose steps can be measured; 'perfpred measure' runs the whole",
                         plan->program->name, looking->several ? "several loops" : "no loop that has a step here");
  if (status)
    return status;
  plan->blocks = calloc(looking->steps, sizeof *plan->blocks);
  if (!plan->blocks)
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
  free(plan->blocks);
  ppi_calls_free(&plan->calls);
}

size_t ppi_replay_choose(const struct ppi_replay_plan *plan, size_t most, size_t *chosen) {
  const double pi = 3.14159265358979323846;
  size_t used = 0, steps = plan->step_count;
  size_t points = most < steps ? most : steps;
  bool all = points == steps;
  for (size_t i = 0; i < points; i++) {
    double place = points > 1 ? 0.5 * (1.0 - cos(pi * (double)i / (double)(points - 1))) : 0.0;
    size_t step = all ? i : (size_t)llround(place * (double)(steps - 1));
    if (used > 0 && step <= chosen[used - 1]) /* near the ends points fall together */
      step = chosen[used - 1] + 1;
    if (step < steps)
      chosen[used++] = step;
  }
  return used;
}
