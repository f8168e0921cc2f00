/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/derive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "predict/plan.h"

#define GRAIN 8                     /* sizes are measured at its multiples (Section 9) */
#define SPREAD 9                    /* values of a parameter that is spread over its range */
#define VALUE_MAX (SPREAD + 3)      /* with the upper end and those just above a multiple of the block size */
#define BLOCK_MAX 512               /* block sizes that are tried with the ends of the other ranges */
#define CALL_MAX UINT64_C(10000000) /* of one walk */

/* A call's place in the text always has the same case: it is looked up once. */
struct site {
  const struct ppi_node *node;
  size_t target;
};

struct derivation {
  struct ppi_target *targets;
  size_t target_count, target_capacity;
  struct site *sites;
  size_t site_count, site_capacity;
};

struct values {
  int count;
  int64_t value[VALUE_MAX];
};

static void add_value(struct values *values, int64_t value) {
  for (int i = 0; i < values->count; i++)
    if (values->value[i] == value)
      return;
  values->value[values->count++] = value;
}

/* Both ends and what lies evenly between. */
static void spread(int64_t lower, int64_t upper, int count, struct values *values) {
  values->count = 0;
  for (int i = 0; i < count; i++)
    add_value(values, lower + (int64_t)((double)(upper - lower) * i / (count - 1)));
  add_value(values, upper);
}

/* Sizes just above a multiple of the block size leave the shortest last block. */
static void add_remainders(int64_t lower, int64_t upper, int64_t block, struct values *values) {
  int64_t first = (lower + block - 1) / block * block + 1, last = (upper - 1) / block * block + 1;
  if (first >= lower && first <= upper)
    add_value(values, first);
  if (last >= lower && last <= upper)
    add_value(values, last);
}

static enum perfpred_status add_target(struct derivation *all, const struct ppi_node *node, const char *case_text,
                                       struct perfpred_error *error) {
  if (all->target_count == all->target_capacity) {
    size_t capacity = all->target_capacity ? 2 * all->target_capacity : 8;
    struct ppi_target *targets = realloc(all->targets, capacity * sizeof *targets);
    if (!targets)
      return ppi_error_memory(error);
    all->targets = targets;
    all->target_capacity = capacity;
  }
  struct ppi_target *target = &all->targets[all->target_count];
  memset(target, 0, sizeof *target);
  target->kernel = node->kernel;
  enum perfpred_status status = ppi_case_parse(node->kernel, case_text, target->values, error);
  if (status)
    return status;
  for (int i = 0; i < node->kernel->size_count; i++)
    target->lower[i] = INT64_MAX;
  all->target_count++;
  return PERFPRED_OK;
}

/* The target of a kernel and case; a new one if there is none yet. */
static enum perfpred_status find_target(struct derivation *all, const struct ppi_node *node, size_t *place,
                                        struct perfpred_error *error) {
  char case_text[PPI_CASE_MAX], other[PPI_CASE_MAX];
  ppi_plan_case(node, case_text);
  for (*place = 0; *place < all->target_count; ++*place) {
    const struct ppi_target *target = &all->targets[*place];
    if (target->kernel != node->kernel)
      continue;
    ppi_case_format(target->kernel, target->values, other);
    if (strcmp(case_text, other) == 0)
      return PERFPRED_OK;
  }
  return add_target(all, node, case_text, error);
}

static enum perfpred_status find_site(struct derivation *all, const struct ppi_node *node, struct ppi_target **target,
                                      struct perfpred_error *error) {
  for (size_t i = 0; i < all->site_count; i++) {
    if (all->sites[i].node == node) {
      *target = &all->targets[all->sites[i].target];
      return PERFPRED_OK;
    }
  }
  if (all->site_count == all->site_capacity) {
    size_t capacity = all->site_capacity ? 2 * all->site_capacity : 16;
    struct site *sites = realloc(all->sites, capacity * sizeof *sites);
    if (!sites)
      return ppi_error_memory(error);
    all->sites = sites;
    all->site_capacity = capacity;
  }
  struct site *site = &all->sites[all->site_count];
  site->node = node;
  enum perfpred_status status = find_target(all, node, &site->target, error);
  if (status)
    return status;
  all->site_count++;
  *target = &all->targets[site->target];
  return PERFPRED_OK;
}

static enum perfpred_status collect(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                    struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = node->kernel;
  struct ppi_target *target = NULL;
  if (kernel->size_count == 0 || ppi_kernel_is_empty(kernel, values))
    return PERFPRED_OK;
  enum perfpred_status status = find_site(data, node, &target, error);
  if (status)
    return status;
  assert(target);
  for (int i = 0; i < kernel->size_count; i++) {
    int64_t size = values[kernel->sizes[i]].i;
    if (size < target->lower[i])
      target->lower[i] = size;
    if (size > target->upper[i])
      target->upper[i] = size;
  }
  return PERFPRED_OK;
}

/* Outwards to multiples of 8. Nothing below 8 is modelled: such calls are rare, short, and priced as of size 8. */
static void round_box(struct ppi_target *target) {
  for (int i = 0; i < target->kernel->size_count; i++) {
    int64_t lower = target->lower[i] / GRAIN * GRAIN;
    target->lower[i] = lower < GRAIN ? GRAIN : lower;
    int64_t upper =
        target->upper[i] > INT64_MAX - GRAIN ? target->upper[i] : (target->upper[i] + GRAIN - 1) / GRAIN * GRAIN;
    target->upper[i] = upper < target->lower[i] ? target->lower[i] : upper;
  }
}

/* Walks for every combination of the values of the sizes; all block sizes are `block`. */
static enum perfpred_status walk_sizes(struct derivation *all, const struct perfpred_program *program, int64_t block,
                                       const struct values *sizes, struct perfpred_error *error) {
  const struct ppi_walker walker = { .call = collect, .limit = CALL_MAX, .without_views = true };
  int64_t parameters[PPI_PARAMETER_MAX];
  int index[PPI_PARAMETER_MAX] = { 0 };
  for (;;) {
    for (int i = 0; i < program->parameter_count; i++)
      parameters[i] = program->positive[i] ? block : sizes->value[index[i]];
    enum perfpred_status status =
        ppi_program_walk(program, parameters, (size_t)program->parameter_count, &walker, all, error);
    if (status)
      return status;
    int place = 0;
    while (place < program->parameter_count && (program->positive[place] || ++index[place] == sizes->count))
      index[place++] = 0;
    if (place == program->parameter_count)
      return PERFPRED_OK;
  }
}

/* Sizes all over their ranges, block sizes sparsely. */
static enum perfpred_status walk_spread(struct derivation *all, const struct perfpred_program *program, int size_count,
                                        const struct perfpred_generate_options *options, struct perfpred_error *error) {
  struct values blocks, sizes;
  spread(options->b_lower, options->b_upper, SPREAD, &blocks);
  spread(options->n_lower, options->n_upper, size_count <= 1 ? SPREAD : (size_count == 2 ? 5 : 3), &sizes);
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; !status && i < blocks.count; i++)
    status = walk_sizes(all, program, blocks.value[i], &sizes, error);
  return status;
}

/* Block sizes densely, sizes at the ends: only some block size or other comes nearest to a bound. */
static enum perfpred_status walk_ends(struct derivation *all, const struct perfpred_program *program, int size_count,
                                      const struct perfpred_generate_options *options, struct perfpred_error *error) {
  int64_t most = size_count <= 2 ? BLOCK_MAX : SPREAD;
  int64_t step = (options->b_upper - options->b_lower) / most + 1;
  enum perfpred_status status = PERFPRED_OK;
  for (int64_t block = options->b_lower; !status && block <= options->b_upper; block += step) {
    struct values sizes = { .count = 1, .value = { options->n_lower } };
    add_value(&sizes, options->n_upper);
    add_remainders(options->n_lower, options->n_upper, block, &sizes);
    status = walk_sizes(all, program, block, &sizes, error);
  }
  return status;
}

static enum perfpred_status derive_program(struct derivation *all, const struct perfpred_program *program,
                                           const struct perfpred_generate_options *options,
                                           struct perfpred_error *error) {
  int size_count = 0;
  for (int i = 0; i < program->parameter_count; i++)
    size_count += !program->positive[i];
  enum perfpred_status status = walk_spread(all, program, size_count, options, error);
  if (!status && size_count < program->parameter_count)
    status = walk_ends(all, program, size_count, options, error);
  return status;
}

enum perfpred_status ppi_derive_targets(const struct perfpred_program *const *programs, size_t count,
                                        const struct perfpred_generate_options *options, struct ppi_target **targets,
                                        size_t *target_count, struct perfpred_error *error) {
  struct derivation all = { NULL, 0, 0, NULL, 0, 0 };
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; !status && i < count; i++)
    status = derive_program(&all, programs[i], options, error);
  free(all.sites);
  if (status) {
    free(all.targets);
    return status;
  }
  for (size_t i = 0; i < all.target_count; i++)
    round_box(&all.targets[i]);
  *targets = all.targets;
  *target_count = all.target_count;
  return PERFPRED_OK;
}
