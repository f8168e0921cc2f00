/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/derive.h"

#include <stdlib.h>
#include <string.h>

#include "predict/plan.h"

#define GRAIN 8                     /* sizes are measured at its multiples (Section 9) */
#define SPREAD 9                    /* values of a parameter that is spread over its range */
#define VALUE_MAX (SPREAD + 3)      /* with the upper end and those just above a multiple of the block size */
#define BLOCK_MAX 512               /* block sizes that are tried with the ends of the other ranges */
#define BLOCK_FEW 16                /* the same where there are two sizes */
#define CALL_MAX UINT64_C(10000000) /* of one walk */

/* A call's place in the text: it always has the same case, and its sizes a box of their own. */
struct site {
  const struct ppi_node *node;
  struct ppi_target target;
};

struct derivation {
  struct site *sites;
  size_t count, capacity;
  size_t next;                   /* where the next call's site most likely is: calls come in the order of the text */
  const struct ppi_steps *steps; /* whose calls are left out, or NULL */
  struct ppi_owner owners[PPI_RECURSION_MAX + 1]; /* of the programs that run: whose steps they are in */
  int depth;
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

static enum perfpred_status add_site(struct derivation *all, const struct ppi_node *node,
                                     struct perfpred_error *error) {
  char case_text[PPI_CASE_MAX];
  if (all->count == all->capacity) {
    size_t capacity = all->capacity ? 2 * all->capacity : 16;
    struct site *sites = realloc(all->sites, capacity * sizeof *sites);
    if (!sites)
      return ppi_error_memory(error);
    all->sites = sites;
    all->capacity = capacity;
  }
  struct site *site = &all->sites[all->count];
  memset(site, 0, sizeof *site);
  site->node = node;
  site->target.kernel = node->kernel;
  ppi_plan_case(node, case_text);
  enum perfpred_status status = ppi_case_parse(node->kernel, case_text, site->target.values, error);
  if (status)
    return status;
  for (int i = 0; i < node->kernel->size_count; i++)
    site->target.lower[i] = INT64_MAX;
  all->count++;
  return PERFPRED_OK;
}

/* The site of a call; a new one at first sight. all->next is its place afterwards. */
static enum perfpred_status find_site(struct derivation *all, const struct ppi_node *node,
                                      struct perfpred_error *error) {
  for (size_t i = 0; i < all->count; i++) {
    size_t place = (all->next + i) % all->count;
    if (all->sites[place].node == node) {
      all->next = place;
      return PERFPRED_OK;
    }
  }
  all->next = all->count;
  return add_site(all, node, error);
}

/* As a plan does: calls belong to the steps of the innermost program that takes them. */
static void follow(void *data, const struct perfpred_program *program, int loops, bool begins) {
  struct derivation *all = data;
  const struct ppi_owner none = { .program = NULL };
  if (!begins) {
    all->depth--;
    return;
  }
  const struct ppi_owner *outer = all->depth > 0 ? &all->owners[all->depth - 1] : &none;
  all->owners[all->depth] = ppi_owner_of(program, outer, loops);
  all->depth++;
}

static enum perfpred_status collect(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                    struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = node->kernel;
  struct derivation *all = data;
  /* Not all combinations of sizes need make sense to the algorithm, and LAPACK would stop at such calls. */
  if (kernel->size_count == 0 || ppi_kernel_is_empty(kernel, values) || !ppi_kernel_admits(kernel, values) ||
      ppi_steps_have(all->steps, all->owners[all->depth - 1].program, node))
    return PERFPRED_OK;
  enum perfpred_status status = find_site(all, node, error);
  if (status)
    return status;
  struct ppi_target *target = &all->sites[all->next++].target;
  for (int i = 0; i < kernel->size_count; i++) {
    int64_t size = values[kernel->sizes[i]].i;
    if (size < target->lower[i])
      target->lower[i] = size;
    if (size > target->upper[i])
      target->upper[i] = size;
  }
  return PERFPRED_OK;
}

/* A domain that was rounded may have lost what the kernel demands, as nb <= n - k: sizes then go further up. */
static void make_room(struct ppi_target *target) {
  const struct perfpred_kernel *kernel = target->kernel;
  struct ppi_value values[PPI_ARG_MAX];
  int64_t beyond[PPI_SIZE_MAX];
  memcpy(values, target->values, sizeof values);
  for (int i = 0; i < kernel->size_count; i++) {
    values[kernel->sizes[i]].i = target->upper[i];
    beyond[i] = INT64_MAX / 8;
  }
  if (!ppi_kernel_admit(kernel, values, target->lower, beyond, GRAIN))
    return;
  for (int i = 0; i < kernel->size_count; i++)
    if (values[kernel->sizes[i]].i > target->upper[i])
      target->upper[i] = values[kernel->sizes[i]].i;
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
  make_room(target);
}

/* Neither a block size nor one that has the value which the text proposes, such as a crossover point. */
static bool is_size(const struct perfpred_program *program, int parameter) {
  return !program->positive[parameter] && program->defaults[parameter] < 0;
}

/* Of two sizes those combinations that reach the ends of each one: both alike, or one of them the smallest there is. The number of calls grows with
   the product of both. */
static bool is_telling(const struct perfpred_program *program, const int index[PPI_PARAMETER_MAX]) {
  int count = 0, first = 0, beyond = 0;
  bool alike = true;
  for (int i = 0; i < program->parameter_count; i++)
    if (is_size(program, i)) {
      first = count++ == 0 ? index[i] : first;
      alike = alike && index[i] == first;
      beyond += index[i] > 0;
    }
  return count != 2 || alike || beyond <= 1;
}

/* Walks for every combination of the values of the sizes, the smallest of which comes first; all block sizes are `block`. */
static enum perfpred_status walk_sizes(struct derivation *all, const struct perfpred_program *program, int64_t block,
                                       const struct values *sizes, struct perfpred_error *error) {
  const struct ppi_walker walker = { .call = collect, .program = follow, .limit = CALL_MAX, .without_views = true };
  int64_t parameters[PPI_PARAMETER_MAX];
  int index[PPI_PARAMETER_MAX] = { 0 };
  for (;;) {
    for (int i = 0; i < program->parameter_count; i++)
      parameters[i] = program->positive[i]  ? block
                      : is_size(program, i) ? sizes->value[index[i]]
                                            : program->defaults[i];
    enum perfpred_status status =
        is_telling(program, index)
            ? ppi_program_walk(program, parameters, (size_t)program->parameter_count, &walker, all, error)
            : PERFPRED_OK;
    if (status)
      return status;
    int place = 0;
    while (place < program->parameter_count && (!is_size(program, place) || ++index[place] == sizes->count))
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
  int64_t most = size_count <= 1 ? BLOCK_MAX : size_count == 2 ? BLOCK_FEW : SPREAD;
  int64_t step = (options->b_upper - options->b_lower) / most + 1;
  enum perfpred_status status = PERFPRED_OK;
  for (int64_t block = options->b_lower; !status && block <= options->b_upper; block += step) {
    struct values sizes = { .count = 1, .value = { options->n_lower } };
    add_value(&sizes, options->n_upper);
    add_remainders(options->n_lower, options->n_upper, block, &sizes);
    if (block > options->n_lower && block < options->n_upper)
      add_value(&sizes, block); /* the largest size that is one block: some algorithms have kernels for that alone */
    status = walk_sizes(all, program, block, &sizes, error);
  }
  return status;
}

static enum perfpred_status derive_program(struct derivation *all, const struct perfpred_program *program,
                                           const struct perfpred_generate_options *options,
                                           struct perfpred_error *error) {
  int size_count = 0;
  for (int i = 0; i < program->parameter_count; i++)
    size_count += is_size(program, i);
  enum perfpred_status status = walk_spread(all, program, size_count, options, error);
  if (!status && size_count < program->parameter_count)
    status = walk_ends(all, program, size_count, options, error);
  return status;
}

enum perfpred_status ppi_derive_targets(const struct perfpred_program *const *programs, size_t count,
                                        const struct perfpred_generate_options *options, struct ppi_target **targets,
                                        size_t *target_count, struct perfpred_error *error) {
  return ppi_derive_others(programs, count, options, NULL, targets, target_count, error);
}

enum perfpred_status ppi_derive_others(const struct perfpred_program *const *programs, size_t count,
                                       const struct perfpred_generate_options *options, const struct ppi_steps *steps,
                                       struct ppi_target **targets, size_t *target_count,
                                       struct perfpred_error *error) {
  struct derivation all = { .steps = steps };
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; !status && i < count; i++)
    status = derive_program(&all, programs[i], options, error);
  struct ppi_target *made = NULL;
  if (!status) {
    made = calloc(all.count + 1, sizeof *made); /* one more: no allocation of nothing */
    if (!made)
      status = ppi_error_memory(error);
  }
  for (size_t i = 0; made && i < all.count; i++) {
    made[i] = all.sites[i].target;
    round_box(&made[i]);
  }
  size_t made_count = all.count;
  free(all.sites);
  if (!made)
    return status;
  *target_count = ppi_merge_targets(made, made_count);
  *targets = made;
  return PERFPRED_OK;
}
