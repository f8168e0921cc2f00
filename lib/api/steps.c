/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls a program makes in its steps is found by trying: a step at chosen places is walked, and sizes are compared. */
#include "api/steps.h"

#include <stdlib.h>
#include <string.h>

#include "predict/plan.h"

#define GRAIN 8
#define MOVE 8 /* by which each size of a step is changed in turn */

/* Steps that are tried: one, the same with each size changed, and others in which everything must be as foreseen; then the first, the
   last and the only one of an execution, in which there may be less. */
enum { BASE, MORE_DONE, MORE_WIDTH, MORE_REST, MORE_OTHER, TRIALS = 7, FIRST = TRIALS, LAST, ONLY, ALL_TRIALS };
static const int64_t trials[ALL_TRIALS][PPI_STEP_SIZES] = { { 96, 32, 128, 72 },        { 96 + MOVE, 32, 128, 72 },
                                                            { 96, 32 + MOVE, 128, 72 }, { 96, 32, 128 + MOVE, 72 },
                                                            { 96, 32, 128, 72 + MOVE }, { 40, 24, 56, 88 },
                                                            { 512, 128, 264, 200 },     { 0, 32, 128, 72 },
                                                            { 96, 32, 0, 72 },          { 0, 32, 0, 72 } };
static const char *const size_names[PPI_STEP_SIZES] = { "done", "width", "rest", "other" };

/* What a call was in each trial. */
struct seen {
  int count[ALL_TRIALS];
  bool mixed[ALL_TRIALS]; /* several calls, of other sizes */
  int64_t sizes[ALL_TRIALS][PPI_SIZE_MAX];
};

struct trying {
  struct ppi_stepped *stepped;
  struct seen *seen;
  int trial;
  bool inside, ambiguous;
  const struct ppi_node *loop;
};

static void begin_block(void *data, const struct ppi_node *loop, int index) {
  struct trying *trying = data;
  trying->ambiguous = trying->ambiguous || (trying->loop && trying->loop != loop);
  trying->loop = loop;
  trying->inside = index >= 0;
}

static enum perfpred_status see_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *error) {
  struct trying *trying = data;
  (void)error;
  if (!trying->inside || ppi_kernel_is_empty(node->kernel, values))
    return PERFPRED_OK;
  struct seen *seen = &trying->seen[ppi_calls_place(&trying->stepped->calls, node)];
  const bool first = seen->count[trying->trial]++ == 0;
  for (int k = 0; k < node->kernel->size_count; k++) {
    int64_t *size = &seen->sizes[trying->trial][k], now = values[node->kernel->sizes[k]].i;
    seen->mixed[trying->trial] = seen->mixed[trying->trial] || (!first && *size != now);
    *size = now;
  }
  return PERFPRED_OK;
}

void ppi_stepped_window(const struct ppi_stepped *stepped, const int64_t *sizes, int64_t parameters[PPI_PARAMETER_MAX],
                        struct ppi_window *window) {
  const struct ppi_blocking *blocking = &stepped->blocking;
  int64_t done = sizes[PPI_STEP_DONE], width = sizes[PPI_STEP_WIDTH], rest = sizes[PPI_STEP_REST];
  int64_t lead = done < width ? done : width;
  for (int i = 0; i < stepped->program->parameter_count; i++)
    parameters[i] = i == blocking->size ? done + width + rest : i == blocking->other ? sizes[PPI_STEP_OTHER] : width;
  window->parameters = parameters;
  window->step = (struct ppi_walk_block){ stepped->down ? rest : done, width };
  window->lead = (struct ppi_walk_block){ stepped->down ? rest + width : done - lead, lead };
}

/* False: there is no such step. */
static bool try_step(struct trying *trying, int trial) {
  const struct perfpred_program *program = trying->stepped->program;
  int64_t parameters[PPI_PARAMETER_MAX];
  struct ppi_window window;
  struct perfpred_error ignored;
  ppi_stepped_window(trying->stepped, trials[trial], parameters, &window);
  const struct ppi_walker walker = { .call = see_call, .blocks = &window.step, .block_count = 1, .block = begin_block };
  trying->trial = trial;
  trying->inside = false;
  ppi_error_clear(&ignored);
  return ppi_program_walk(program, parameters, (size_t)program->parameter_count, &walker, trying, &ignored) ==
             PERFPRED_OK &&
         trying->loop && !trying->ambiguous;
}

static bool try_all(struct trying *trying) {
  size_t bytes = trying->stepped->calls.count * sizeof *trying->seen;
  memset(trying->seen, 0, bytes);
  bool fine = try_step(trying, BASE);
  if (fine && trying->loop->down && !trying->stepped->down) {
    trying->stepped->down = true;
    memset(trying->seen, 0, bytes);
    fine = try_step(trying, BASE);
  }
  for (int trial = BASE + 1; trial < TRIALS && fine; trial++)
    fine = try_step(trying, trial);
  return fine;
}

/* Calls that an execution does not make in its first or last step are not seen there; nor is any where it goes another way. */
static void try_edges(struct trying *trying) {
  for (int trial = FIRST; trial < ALL_TRIALS; trial++)
    if (!try_step(trying, trial))
      for (size_t i = 0; i < trying->stepped->calls.count; i++)
        trying->seen[i].count[trial] = 0;
}

/* Loops whose length depends on how far the outer one is: a step is no small piece of such a program. */
static bool is_nested(const struct trying *trying) {
  for (size_t i = 0; i < trying->stepped->calls.count; i++) {
    const struct seen *seen = &trying->seen[i];
    if (seen->count[BASE] != seen->count[MORE_DONE] || seen->count[BASE] != seen->count[MORE_REST])
      return true;
  }
  return false;
}

/* How many calls a step of some width makes. False: no number that holds in all trials, or none in some. */
static bool find_repeats(const struct seen *seen, int64_t repeats[2]) {
  repeats[1] = (seen->count[MORE_WIDTH] - seen->count[BASE]) / MOVE;
  repeats[0] = seen->count[BASE] - repeats[1] * trials[BASE][PPI_STEP_WIDTH];
  for (int trial = 0; trial < TRIALS; trial++)
    if (seen->count[trial] < 1 || seen->mixed[trial] ||
        seen->count[trial] != repeats[0] + repeats[1] * trials[trial][PPI_STEP_WIDTH])
      return false;
  return true;
}

/* Coefficients of a call's sizes in all of the step's. False: it has none that hold in all trials. */
static bool find_coefficients(const struct seen *seen, int size_count, int64_t matrix[][PPI_SIZE_MAX],
                              int64_t *constants) {
  for (int k = 0; k < size_count; k++) {
    constants[k] = seen->sizes[BASE][k];
    for (int d = 0; d < PPI_STEP_SIZES; d++) {
      matrix[k][d] = (seen->sizes[MORE_DONE + d][k] - seen->sizes[BASE][k]) / MOVE;
      constants[k] -= matrix[k][d] * trials[BASE][d];
    }
    for (int trial = 0; trial < TRIALS; trial++) {
      int64_t size = constants[k];
      for (int d = 0; d < PPI_STEP_SIZES; d++)
        size += matrix[k][d] * trials[trial][d];
      if (size != seen->sizes[trial][k])
        return false;
    }
  }
  return size_count > 0;
}

/* Whether a call is made in a trial as it is in others. */
static bool is_made(const struct seen *seen, const struct ppi_basis *basis, int size_count, int trial) {
  bool made = seen->count[trial] >= 1 && !seen->mixed[trial];
  for (int k = 0; k < size_count && made; k++) {
    int64_t size = basis->constants[k];
    for (int d = 0; d < PPI_STEP_SIZES; d++)
      size += basis->matrix[k][d] * trials[trial][d];
    made = size > 0 && size == seen->sizes[trial][k];
  }
  return made;
}

/* Leaves the sizes out on which no call depends. */
static void compress_basis(const struct ppi_stepped *stepped, struct ppi_basis *basis) {
  const struct ppi_basis all = *basis;
  memset(basis->matrix, 0, sizeof basis->matrix);
  for (int d = 0; d < PPI_STEP_SIZES; d++) {
    if (!stepped->counts[d])
      continue;
    int place = basis->dimensions++;
    memcpy(basis->names[place], size_names[d], strlen(size_names[d]) + 1);
    basis->sharing[place] = d == PPI_STEP_DONE || d == PPI_STEP_REST;
    for (int k = 0; k < PPI_SIZE_MAX; k++)
      basis->matrix[k][place] = all.matrix[k][d];
  }
}

/* Whether the call has sizes that hold in all steps, and in which of the odd ones it is made. */
static bool understand_call(struct trying *trying, size_t i) {
  struct ppi_stepped *stepped = trying->stepped;
  struct ppi_stepped_call *call = &stepped->list[i];
  const struct seen *seen = &trying->seen[i];
  int sizes = stepped->calls.sites[i].node->kernel->size_count;
  call->stepped = stepped;
  call->place = i;
  call->modelled =
      find_repeats(seen, call->repeats) && find_coefficients(seen, sizes, call->basis.matrix, call->basis.constants);
  if (!call->modelled)
    return false;
  call->at_zero[PPI_STEP_DONE] = is_made(seen, &call->basis, sizes, FIRST);
  call->at_zero[PPI_STEP_REST] = is_made(seen, &call->basis, sizes, LAST);
  if (call->at_zero[PPI_STEP_DONE] && call->at_zero[PPI_STEP_REST])
    stepped->alone = stepped->alone && is_made(seen, &call->basis, sizes, ONLY);
  for (int k = 0; k < sizes; k++)
    for (int d = 0; d < PPI_STEP_SIZES; d++)
      stepped->counts[d] = stepped->counts[d] || call->basis.matrix[k][d] != 0;
  return true;
}

static bool understand(struct trying *trying) {
  struct ppi_stepped *stepped = trying->stepped;
  bool any = false;
  if (!try_all(trying) || is_nested(trying))
    return false;
  try_edges(trying);
  stepped->alone = true;
  for (size_t i = 0; i < stepped->calls.count; i++)
    any = understand_call(trying, i) || any;
  for (size_t i = 0; i < stepped->calls.count; i++)
    compress_basis(stepped, &stepped->list[i].basis);
  /* what a domain's sizes may add up to is known of done, width and rest alone */
  if (stepped->counts[PPI_STEP_DONE] && stepped->counts[PPI_STEP_REST] && stepped->counts[PPI_STEP_OTHER])
    return false;
  return any && stepped->counts[PPI_STEP_WIDTH];
}

static void stepped_free(struct ppi_stepped *stepped) {
  if (!stepped)
    return;
  free(stepped->list);
  ppi_calls_free(&stepped->calls);
  free(stepped);
}

/* NULL: the program has no steps. */
static enum perfpred_status stepped_of(const struct perfpred_program *program, struct ppi_stepped **stepped,
                                       struct perfpred_error *error) {
  struct ppi_stepped *made = calloc(1, sizeof *made);
  struct trying trying = { .stepped = made };
  *stepped = NULL;
  if (!made)
    return ppi_error_memory(error);
  made->program = program;
  ppi_program_blocking(program, &made->blocking);
  enum perfpred_status status = ppi_calls_of(program, &made->calls, error);
  if (status) {
    free(made);
    return status;
  }
  made->list = calloc(made->calls.count + 1, sizeof *made->list);
  trying.seen = calloc(made->calls.count + 1, sizeof *trying.seen);
  if (!made->list || !trying.seen)
    status = ppi_error_memory(error);
  else if (understand(&trying)) {
    *stepped = made;
    made = NULL;
  }
  free(trying.seen);
  stepped_free(made);
  return status;
}

/* --- Which programs ------------------------------------------------------------------------------------------------ */

static enum perfpred_status add_stepped(struct ppi_steps *steps, const struct perfpred_program *program, bool nested,
                                        struct perfpred_error *error) {
  struct ppi_stepped *stepped = NULL;
  for (size_t i = 0; i < steps->count; i++)
    if (steps->items[i]->program == program) {
      steps->items[i]->nested = steps->items[i]->nested && nested;
      return PERFPRED_OK;
    }
  enum perfpred_status status = stepped_of(program, &stepped, error);
  if (status || !stepped)
    return status;
  struct ppi_stepped **items = realloc(steps->items, (steps->count + 1) * sizeof(struct ppi_stepped *));
  if (!items) {
    stepped_free(stepped);
    return ppi_error_memory(error);
  }
  steps->items = items;
  stepped->nested = nested;
  items[steps->count++] = stepped;
  return PERFPRED_OK;
}

/* Where a text is run. */
struct place {
  const struct perfpred_program *program;
  struct ppi_owner owner;
  int loops, depth; /* that are open; programs that call each other */
};

static enum perfpred_status visit_program(struct ppi_steps *steps, const struct perfpred_program *program,
                                          const struct place *outer, struct perfpred_error *error);

static enum perfpred_status visit_block(struct ppi_steps *steps, const struct place *place, const struct ppi_node *node,
                                        struct perfpred_error *error);

static enum perfpred_status visit_loop(struct ppi_steps *steps, const struct place *place, const struct ppi_node *node,
                                       struct perfpred_error *error) {
  struct place inner = *place;
  enum perfpred_status status = PERFPRED_OK;
  if (place->owner.program && place->loops == place->owner.base)
    status = add_stepped(steps, place->owner.program, place->owner.base > 0, error);
  inner.loops++;
  return status ? status : visit_block(steps, &inner, node->body, error);
}

static enum perfpred_status visit_block(struct ppi_steps *steps, const struct place *place, const struct ppi_node *node,
                                        struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (; node && !status; node = node->next) {
    if (node->kind == PPI_NODE_FOR)
      status = visit_loop(steps, place, node, error);
    else if (node->kind == PPI_NODE_RUN && node->callee && node->callee != place->program)
      status = visit_program(steps, node->callee, place, error);
    else if (node->kind == PPI_NODE_IF) {
      status = visit_block(steps, place, node->body, error);
      if (!status)
        status = visit_block(steps, place, node->otherwise, error);
    }
  }
  return status;
}

/* Programs that call each other in a circle make no steps worth the search: it ends. */
static enum perfpred_status visit_program(struct ppi_steps *steps, const struct perfpred_program *program,
                                          const struct place *outer, struct perfpred_error *error) {
  enum { DEPTH_MAX = 4 };
  const struct place place = { program, ppi_owner_of(program, &outer->owner, outer->loops), outer->loops,
                               outer->depth + 1 };
  if (program->nest || outer->depth > DEPTH_MAX)
    return PERFPRED_OK;
  return visit_block(steps, &place, program->body, error);
}

enum perfpred_status ppi_steps_of(const struct perfpred_program *const *programs, size_t count, struct ppi_steps *steps,
                                  struct perfpred_error *error) {
  const struct place outside = { .program = NULL };
  struct ppi_steps made = { NULL, 0 };
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = visit_program(&made, programs[i], &outside, error);
  if (status)
    ppi_steps_free(&made);
  else
    *steps = made;
  return status;
}

void ppi_steps_free(struct ppi_steps *steps) {
  for (size_t i = 0; i < steps->count; i++)
    stepped_free(steps->items[i]);
  free(steps->items);
  *steps = (struct ppi_steps){ NULL, 0 };
}

bool ppi_steps_have(const struct ppi_steps *steps, const struct perfpred_program *owner, const struct ppi_node *call) {
  for (size_t i = 0; steps && i < steps->count; i++) {
    const struct ppi_stepped *stepped = steps->items[i];
    for (size_t k = 0; stepped->program == owner && k < stepped->calls.count; k++)
      if (stepped->calls.sites[k].node == call)
        return stepped->list[k].modelled;
  }
  return false;
}

/* --- Targets ------------------------------------------------------------------------------------------------------- */

static int64_t up(int64_t size) {
  return size < GRAIN ? GRAIN : (size + GRAIN - 1) / GRAIN * GRAIN;
}

/* Widths are whatever the last block leaves; of the rest the first step has most, of what is done the last one, which may be of width 1. A call
   that the first step makes as well begins where nothing is done, unless calls of another program come before it. What is solved in a step of
   another program is as wide as that one's block. */
static void set_domain(const struct ppi_stepped *stepped, const struct ppi_stepped_call *call,
                       const struct perfpred_generate_options *options, struct ppi_target *target) {
  int64_t width = options->b_upper < options->n_upper ? options->b_upper : options->n_upper;
  const int64_t upper[PPI_STEP_SIZES] = { up(options->n_upper - 1), up(width), up(options->n_upper - options->b_lower),
                                          up(stepped->nested ? width : options->n_upper) };
  for (int d = 0, place = 0; d < PPI_STEP_SIZES; d++) {
    if (!stepped->counts[d])
      continue;
    target->lower[place] = call->at_zero[d] && !(stepped->nested && d == PPI_STEP_DONE) ? 0 : GRAIN;
    target->upper[place++] = upper[d];
  }
}

static enum perfpred_status make_target(struct ppi_steps const *steps, size_t item, size_t place,
                                        const struct perfpred_generate_options *options, struct ppi_target *target,
                                        struct perfpred_error *error) {
  const struct ppi_stepped *stepped = steps->items[item];
  struct ppi_stepped_call *call = &steps->items[item]->list[place];
  const struct ppi_call_site *site = &stepped->calls.sites[place];
  char case_text[PPI_CASE_MAX];
  memset(target, 0, sizeof *target);
  target->kernel = site->node->kernel;
  target->basis = &call->basis;
  target->call = call;
  target->group = item + 1;
  call->basis.limit = stepped->counts[PPI_STEP_DONE] && stepped->counts[PPI_STEP_REST] ? up(options->n_upper) : 0;
  ppi_call_context(stepped->program, site, target->context, sizeof target->context);
  call->basis.least = call->basis.limit > 0 && !stepped->alone ? GRAIN : 0;
  set_domain(stepped, call, options, target);
  ppi_plan_case(site->node, case_text);
  return ppi_case_parse(target->kernel, case_text, target->values, error);
}

enum perfpred_status ppi_steps_targets(const struct ppi_steps *steps, const struct perfpred_generate_options *options,
                                       struct ppi_target **targets, size_t *count, struct perfpred_error *error) {
  size_t all = 1, used = 0; /* no allocation of nothing */
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < steps->count; i++)
    all += steps->items[i]->calls.count;
  struct ppi_target *made = calloc(all, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  for (size_t i = 0; i < steps->count; i++)
    for (size_t k = 0; k < steps->items[i]->calls.count && !status; k++)
      if (steps->items[i]->list[k].modelled)
        status = make_target(steps, i, k, options, &made[used++], error);
  if (status) {
    free(made);
    return status;
  }
  *targets = made;
  *count = used;
  return PERFPRED_OK;
}
