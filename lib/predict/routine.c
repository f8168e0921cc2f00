/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/routine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* While a routine is made. */
struct making {
  struct ppi_routine *routine;
  const struct ppi_routine_options *options;
  struct perfpred_program **programs; /* its alternatives */
  size_t program_count;
  struct perfpred_error *refusal, *error;
};

/* Parameters that a caller gives, in order; their number. */
static size_t sizes_of(const struct perfpred_program *program, const char *parameter, int places[PPI_PARAMETER_MAX]) {
  size_t count = 0;
  for (int i = 0; i < program->parameter_count; i++)
    if (program->defaults[i] < 0 && strcmp(program->slots[i], parameter) != 0)
      places[count++] = i;
  return count;
}

/* Where a variant has the routine's sizes; false: it has others. */
static bool find_sizes(const struct making *making, const struct perfpred_program *program,
                       struct ppi_routine_plan *item) {
  struct ppi_routine *routine = making->routine;
  int places[PPI_PARAMETER_MAX];
  const size_t count = sizes_of(program, making->options->parameter, places);
  if (routine->plan_count == 0) {
    routine->size_count = count;
    for (size_t i = 0; i < count; i++)
      routine->size_names[i] = program->slots[places[i]];
  }
  if (count != routine->size_count)
    return false;
  for (size_t i = 0; i < count; i++) {
    item->places[i] = perfpred_program_parameter(program, routine->size_names[i]);
    if (item->places[i] < 0 || program->defaults[item->places[i]] >= 0)
      return false;
  }
  item->place = perfpred_program_parameter(program, making->options->parameter);
  memcpy(item->values, program->defaults, sizeof item->values);
  return true;
}

static enum perfpred_status ambiguous(const struct making *making, const struct ppi_routine_plan *item) {
  const struct perfpred_models *models = making->options->models;
  char *setups = ppi_models_setups_text(models, NULL);
  if (!setups)
    return ppi_error_memory(making->error);
  enum perfpred_status status =
      ppi_error_set(making->error, PERFPRED_AMBIGUOUS,
                    "several setups of %d thread%s; expected the BLAS or the place of one in options.plan: %s",
                    item->threads, item->threads == 1 ? "" : "s", setups);
  free(setups);
  return status;
}

/* Behind those for as many or fewer threads. */
static enum perfpred_status insert(const struct making *making, const struct ppi_routine_plan *item) {
  struct ppi_routine *routine = making->routine;
  size_t place = 0;
  for (; place < routine->plan_count && routine->plans[place].threads <= item->threads; place++)
    if (routine->plans[place].threads == item->threads && routine->plans[place].variant == item->variant)
      return ambiguous(making, item);
  if (routine->plan_count == PPI_ANSWER_NUMBER)
    return ppi_error_set(making->error, PERFPRED_LIMIT, "%s has more than %d plans", routine->name, PPI_ANSWER_NUMBER);
  if (routine->plan_count == routine->plan_capacity) {
    const size_t capacity = 2 * routine->plan_capacity + 4;
    struct ppi_routine_plan *plans = realloc(routine->plans, capacity * sizeof *plans);
    if (!plans)
      return ppi_error_memory(making->error);
    routine->plans = plans;
    routine->plan_capacity = capacity;
  }
  memmove(routine->plans + place + 1, routine->plans + place, (routine->plan_count - place) * sizeof *routine->plans);
  routine->plans[place] = *item;
  routine->plan_count++;
  return PERFPRED_OK;
}

/* A plan of the program for one setup, 0: whichever fits. What the models do not have is left out. */
static enum perfpred_status add_plan(const struct making *making, struct perfpred_program *program, size_t setup,
                                     bool force, bool *added) {
  struct ppi_routine_plan item = { .variant = (int)making->routine->variant_count };
  struct perfpred_plan_options options = making->options->plan;
  struct perfpred_error why;
  options.setup = setup;
  options.force = force;
  enum perfpred_status status = perfpred_plan_create(program, making->options->models, &options, &item.plan, &why);
  if (status == PERFPRED_NOT_FOUND || status == PERFPRED_OTHER_BLAS) {
    *making->refusal = why;
    return PERFPRED_OK;
  }
  if (status == PERFPRED_UNMODELLED || status == PERFPRED_UNSUPPORTED)
    return PERFPRED_OK;
  if (status)
    return ppi_error_set(making->error, status, "%s", why.text);
  item.threads = ppi_plan_threads(item.plan);
  if (!find_sizes(making, program, &item)) {
    perfpred_plan_destroy(item.plan);
    return PERFPRED_OK;
  }
  status = insert(making, &item);
  if (status)
    perfpred_plan_destroy(item.plan);
  else
    *added = true;
  return status;
}

static enum perfpred_status add_variant(const struct making *making, struct perfpred_program *program) {
  const struct perfpred_plan_options *wanted = &making->options->plan;
  const size_t first = wanted->setup > 0 ? wanted->setup : 1;
  const size_t last = wanted->setup > 0 ? wanted->setup : (size_t)making->options->models->setup_count;
  bool added = false;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t setup = first; setup <= last && !status; setup++)
    status = add_plan(making, program, setup, false, &added);
  if (!status && !added && wanted->force)
    status = add_plan(making, program, wanted->setup, true, &added);
  if (!status && added)
    making->routine->variants[making->routine->variant_count++] = program->name;
  return status;
}

static enum perfpred_status add_program(struct making *making, const char *name) {
  enum perfpred_status status =
      perfpred_program_find(making->options->context, name, &making->programs[making->program_count], making->error);
  if (!status)
    making->program_count++;
  return status;
}

/* The algorithm of this name, or all of this operation. */
static enum perfpred_status find_programs(struct making *making, const char *name) {
  const struct perfpred_context *context = making->options->context;
  const size_t count = perfpred_program_count(context);
  making->programs = calloc(count + 1, sizeof(struct perfpred_program *));
  if (!making->programs)
    return ppi_error_memory(making->error);
  struct perfpred_error unknown;
  enum perfpred_status status = perfpred_program_find(context, name, &making->programs[0], &unknown);
  if (status != PERFPRED_NOT_FOUND) {
    making->program_count = status == PERFPRED_OK;
    return status ? ppi_error_set(making->error, status, "%s", unknown.text) : status;
  }
  status = PERFPRED_OK;
  for (size_t i = 0; i < count && !status; i++)
    if (strcmp(perfpred_program_operation_at(context, i), name) == 0)
      status = add_program(making, perfpred_program_name_at(context, i));
  if (!status && making->program_count == 0)
    status = ppi_error_set(making->error, PERFPRED_NOT_FOUND, "%s, and no operation", unknown.text);
  return status;
}

static enum perfpred_status find_levels(struct ppi_routine *routine, struct perfpred_error *error) {
  routine->levels = calloc(routine->plan_count + 1, sizeof *routine->levels);
  if (!routine->levels)
    return ppi_error_memory(error);
  for (size_t i = 0; i < routine->plan_count; i++) {
    const int threads = routine->plans[i].threads;
    if (routine->level_count == 0 || routine->levels[routine->level_count - 1].threads != threads)
      routine->level_count++;
    routine->levels[routine->level_count - 1] = (struct ppi_routine_level){ threads, i + 1 };
  }
  return PERFPRED_OK;
}

enum perfpred_status ppi_routine_make(struct ppi_routine *routine, const char *name,
                                      const struct ppi_routine_options *options, struct perfpred_error *refusal,
                                      struct perfpred_error *error) {
  struct making making = { .routine = routine, .options = options, .refusal = refusal, .error = error };
  if (strlen(name) >= sizeof routine->name)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "no algorithm or operation is called %.100s", name);
  strcpy(routine->name, name);
  enum perfpred_status status = find_programs(&making, name);
  if (!status) {
    routine->variants = calloc(making.program_count, sizeof(const char *));
    status = routine->variants ? PERFPRED_OK : ppi_error_memory(error);
  }
  for (size_t i = 0; i < making.program_count && !status; i++)
    status = add_variant(&making, making.programs[i]);
  if (!status)
    status = find_levels(routine, error);
  for (size_t i = 0; i < making.program_count; i++) /* plans have references of their own */
    perfpred_program_unref(making.programs[i]);
  free(making.programs);
  return status;
}

void ppi_routine_release(struct ppi_routine *routine) {
  for (size_t i = 0; i < routine->plan_count; i++)
    perfpred_plan_destroy(routine->plans[i].plan);
  free(routine->levels);
  free(routine->plans);
  free((void *)routine->variants);
}

/* The best so far, and why there is none. */
struct search {
  const struct ppi_routine *routine;
  enum perfpred_status failed;
  struct ppi_answer *best; /* plan -1: none */
};

static void try_value(struct search *search, size_t place, const int64_t *values) {
  const struct ppi_routine_plan *item = &search->routine->plans[place];
  const size_t count = (size_t)item->plan->program->parameter_count;
  const double best_s = search->best->plan >= 0 ? search->best->time_s : INFINITY;
  double time_s;
  unsigned notes;
  enum perfpred_status status = ppi_plan_median(item->plan, values, count, best_s, &time_s, &notes, NULL);
  if (status && status != PERFPRED_CANCELLED && !search->failed)
    search->failed = status;
  if (status || (time_s == best_s && search->best->plan != (int)place))
    return;
  *search->best = (struct ppi_answer){ item->place >= 0 ? values[item->place] : 0, time_s, (int)place, notes };
}

static void try_plan(struct search *search, size_t place, const struct perfpred_range *range, const int64_t *sizes) {
  const struct ppi_routine_plan *item = &search->routine->plans[place];
  int64_t values[PPI_PARAMETER_MAX];
  memcpy(values, item->values, sizeof values);
  for (size_t i = 0; i < search->routine->size_count; i++)
    values[item->places[i]] = sizes[i];
  if (item->place < 0) {
    try_value(search, place, values);
    return;
  }
  /* Small blocks make many steps: by then there is a time that they must not exceed, and most of them do so soon. */
  for (int64_t k = (range->upper - range->lower) / range->step; k >= 0; k--) {
    values[item->place] = range->lower + k * range->step;
    try_value(search, place, values);
  }
}

void ppi_routine_search(const struct ppi_routine *routine, size_t plans, const struct perfpred_range *range,
                        const int64_t *sizes, struct ppi_answer *answer) {
  struct search search = { routine, PERFPRED_OK, answer };
  answer->plan = -1;
  for (size_t i = 0; i < plans; i++)
    try_plan(&search, i, range, sizes);
  if (answer->plan < 0)
    *answer = (struct ppi_answer){ .plan = -(int)search.failed };
  else if (!(answer->time_s > 0.0)) /* nothing to do, and so nothing to choose */
    *answer = (struct ppi_answer){ .plan = -(int)PERFPRED_OUT_OF_DOMAIN };
}
