/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BUDGET_S 1e-3

static enum perfpred_status push(struct ppi_refinement *refinement, size_t place) {
  if (refinement->batch_count == refinement->batch_capacity) {
    size_t capacity = refinement->batch_capacity ? 2 * refinement->batch_capacity : 256;
    size_t *batch = realloc(refinement->batch, capacity * sizeof *batch);

    if (!batch)
      return ppi_error_memory(refinement->error);
    refinement->batch = batch;
    refinement->batch_capacity = capacity;
  }
  refinement->batch[refinement->batch_count++] = place;
  refinement->points.items[place].wanted = true;
  return PERFPRED_OK;
}

void ppi_group_of(const struct ppi_refinement *refinement, size_t target, size_t *first, size_t *end) {
  size_t group = refinement->growths[target].target->group;

  *first = target;
  *end = target + 1;
  while (group != 0 && *first > 0 && refinement->growths[*first - 1].target->group == group)
    (*first)--;
  while (group != 0 && *end < refinement->count && refinement->growths[*end].target->group == group)
    (*end)++;
}

void ppi_group_lower(const struct ppi_refinement *refinement, size_t target, int64_t lower[PPI_SIZE_MAX]) {
  size_t first, end;

  ppi_group_of(refinement, target, &first, &end);
  memcpy(lower, refinement->growths[target].target->lower, PPI_SIZE_MAX * sizeof *lower);
  for (size_t i = first; i < end; i++)
    for (int d = 0; d < refinement->growths[i].dimensions; d++)
      if (refinement->growths[i].target->lower[d] < lower[d])
        lower[d] = refinement->growths[i].target->lower[d];
}

/* Of targets that are sampled together some may begin above others. */
static bool begins_above(const struct ppi_growth *growth, const int64_t *sizes) {
  for (int d = 0; d < growth->dimensions; d++)
    if (sizes[d] < growth->target->lower[d])
      return true;
  return false;
}

static enum perfpred_status add_point(struct ppi_refinement *refinement, size_t target, const int64_t *sizes,
                                      bool again) {
  size_t place = 0;
  enum perfpred_status status = ppi_points_place(&refinement->points, target, refinement->growths[target].dimensions,
                                                 sizes, &place, refinement->error);
  const struct ppi_point *point;

  if (status)
    return status;
  point = refinement->points.items + place;
  if (point->wanted || point->absent || (point->count > 0 && !again))
    return PERFPRED_OK;
  return push(refinement, place);
}

enum perfpred_status ppi_batch_add_point(struct ppi_refinement *refinement, size_t target, const int64_t *sizes,
                                         bool again) {
  size_t first, end;
  enum perfpred_status status = PERFPRED_OK;

  ppi_group_of(refinement, target, &first, &end);
  for (size_t i = first; i < end && !status; i++)
    if (!begins_above(refinement->growths + i, sizes))
      status = add_point(refinement, i, sizes, again);
  return status;
}

enum perfpred_status ppi_batch_add(struct ppi_refinement *refinement, size_t target, const int64_t *lower,
                                   const int64_t *upper, bool again) {
  struct ppi_lattice lattice;
  int64_t sizes[PPI_SIZE_MAX];
  enum perfpred_status status =
      ppi_lattice_of(&refinement->growths[target], refinement->options.grid, lower, upper, &lattice, refinement->error);

  for (size_t i = 0; !status && i < lattice.total; i++) {
    if (ppi_lattice_admits(refinement->growths + target, &lattice, i, sizes))
      status = ppi_batch_add_point(refinement, target, sizes, again);
  }
  return status;
}

enum perfpred_status ppi_batch_complete(const struct ppi_refinement *refinement, size_t target, const int64_t *lower,
                                        const int64_t *upper, bool *complete) {
  struct ppi_lattice lattice;
  int64_t sizes[PPI_SIZE_MAX];
  enum perfpred_status status =
      ppi_lattice_of(&refinement->growths[target], refinement->options.grid, lower, upper, &lattice, refinement->error);

  *complete = !status;
  for (size_t i = 0; *complete && i < lattice.total; i++) {
    const struct ppi_point *point;

    if (!ppi_lattice_admits(refinement->growths + target, &lattice, i, sizes))
      continue;
    point = ppi_points_find(&refinement->points, target, lattice.dimensions, sizes);
    *complete = point && point->count > 0;
  }
  if (!status && !*complete)
    *complete = ppi_recourse_suffices(refinement, target, &lattice, lower, upper);
  return status;
}

void ppi_batch_truncate(struct ppi_refinement *refinement, size_t count) {
  while (refinement->batch_count > count)
    refinement->points.items[refinement->batch[--refinement->batch_count]].wanted = false;
}

/* What the sampler is asked: requests point into one block of values. */
struct order {
  struct ppi_request *requests;
  struct ppi_value *values;
  struct ppi_result *results;
  struct ppi_spot *spots;
};

static void order_release(struct order *order, size_t count) {
  for (size_t i = 0; order->results && i < count; i++)
    free(order->results[i].times_s);
  free(order->results);
  free(order->spots);
  free(order->values);
  free(order->requests);
}

static enum perfpred_status order_fill(const struct ppi_refinement *refinement, struct order *order) {
  size_t count = refinement->batch_count;

  order->requests = calloc(count, sizeof *order->requests);
  order->values = calloc(count * PPI_ARG_MAX, sizeof *order->values);
  order->results = calloc(count, sizeof *order->results);
  order->spots = calloc(count, sizeof *order->spots);
  if (!order->requests || !order->values || !order->results || !order->spots)
    return ppi_error_memory(refinement->error);
  for (size_t i = 0; i < count; i++) {
    const struct ppi_point *point = refinement->points.items + refinement->batch[i];
    const struct ppi_target *target = refinement->growths[point->target].target;
    struct ppi_value *values = order->values + i * PPI_ARG_MAX;

    memcpy(values, target->values, sizeof target->values);
    ppi_target_apply(target, point->sizes, values);
    order->spots[i].call = target->call;
    order->spots[i].context = target->context;
    order->spots[i].size_count = ppi_target_dimensions(target);
    memcpy(order->spots[i].sizes, point->sizes, sizeof point->sizes);
    order->requests[i].kernel = target->kernel;
    order->requests[i].values = values;
    order->requests[i].ld = refinement->options.ld;
  }
  return PERFPRED_OK;
}

static enum perfpred_status no_sample(const struct ppi_refinement *refinement, const struct ppi_point *point) {
  const struct ppi_target *target = refinement->growths[point->target].target;
  struct ppi_text text = PPI_TEXT_INIT;
  enum perfpred_status status;
  char *sizes;

  for (int d = 0; d < ppi_target_dimensions(target); d++)
    ppi_text_printf(&text, " %s=%lld", ppi_target_size_name(target, d), (long long)point->sizes[d]);
  sizes = ppi_text_take(&text);
  status = ppi_error_set(refinement->error, PERFPRED_TIMEOUT, "%s%s: no sample was kept", target->kernel->name,
                         sizes ? sizes : "");
  free(sizes);
  return status;
}

/* What a batch took, and what it was expected to take; points without samples left out. */
struct cost {
  double measure_s, expected_s, samples;
};

static enum perfpred_status record(struct ppi_refinement *refinement, const struct order *order, int repetitions,
                                   bool partial, struct cost *cost) {
  for (size_t i = 0; i < refinement->batch_count; i++) {
    struct ppi_point *point = refinement->points.items + refinement->batch[i];
    const struct ppi_result *result = order->results + i;
    enum perfpred_status status;

    ppi_spent_add(&refinement->spent, &result->spent);
    if (result->count < (size_t)repetitions)
      refinement->exhausted = ppi_budget_set(refinement);
    if (result->count == 0 && refinement->known)
      ppi_recourse_note(refinement, point);
    if (result->count == 0 && (partial || refinement->known))
      continue;
    if (result->count == 0)
      return no_sample(refinement, point);
    status = ppi_point_record(point, result, repetitions, refinement->error);
    if (status)
      return status;
    cost->measure_s += result->measure_s;
    cost->expected_s += repetitions * ppi_budget_measure_cost(refinement, point->target, point->sizes);
    cost->samples += repetitions;
    refinement->samples += result->count;
    refinement->disturbed += result->disturbed;
  }
  refinement->measure_s += cost->measure_s;
  return PERFPRED_OK;
}

/* Tells the caller of the generator how far the whole is, from what the sampler tells of one batch. */
static int tell(void *data, const struct perfpred_progress *batch) {
  struct ppi_refinement *refinement = data;
  struct perfpred_progress whole = { sizeof whole, batch->stage, 0.0, 0.0, NAN, refinement->samples + batch->samples };
  double budget_s = refinement->options.budget_s;

  whole.elapsed_s = refinement->source->now_s(refinement->source->data) - refinement->start_s;
  whole.fraction = refinement->fraction + refinement->ahead * batch->fraction;
  if (budget_s > 0.0) {
    whole.fraction = fmin(whole.elapsed_s / budget_s, 1.0);
    whole.remaining_s = fmax(budget_s - whole.elapsed_s, 0.0);
  }
  whole.fraction = refinement->told = fmax(whole.fraction, refinement->told);
  return refinement->options.progress(refinement->options.progress_data, &whole);
}

/* What the batch may take; 0: whatever it does. */
static double allowed_s(const struct ppi_refinement *refinement) {
  double share = refinement->share > 0.0 ? refinement->share : 1.0;

  return ppi_budget_set(refinement) ? fmax(share * ppi_budget_left(refinement), LEAST_BUDGET_S) : 0.0;
}

static enum perfpred_status measure(struct ppi_refinement *refinement, int repetitions, bool partial) {
  struct order order = { NULL, NULL, NULL, NULL };
  struct ppi_sampling sampling = { 0 };
  struct cost cost = { 0.0, 0.0, 0.0 };
  double start_s = ppi_budget_now(refinement), wall_s;
  enum perfpred_status status = order_fill(refinement, &order);

  sampling.repetitions = repetitions;
  sampling.gate = refinement->options.gate;
  sampling.seed = refinement->options.seed + (uint64_t)refinement->batches++;
  sampling.progress = refinement->options.progress ? tell : NULL;
  sampling.progress_data = refinement;
  sampling.partial = partial && ppi_budget_set(refinement);
  sampling.spots = refinement->growths->target->context[0] ? order.spots : NULL; /* all targets have one, or none */
  sampling.budget_s = allowed_s(refinement);
  if (!status)
    status = refinement->source->sample(refinement->source->data, order.requests, refinement->batch_count, &sampling,
                                        order.results, refinement->error);
  if (!status)
    status = record(refinement, &order, repetitions, sampling.partial, &cost);
  wall_s = ppi_budget_now(refinement) - start_s;
  if (!status)
    ppi_budget_learn(refinement, wall_s, cost.measure_s, cost.expected_s, cost.samples);
  if (sampling.partial)
    ppi_budget_late(refinement, wall_s, sampling.budget_s);
  order_release(&order, refinement->batch_count);
  return status;
}

enum perfpred_status ppi_batch_measure(struct ppi_refinement *refinement, int repetitions, bool partial) {
  enum perfpred_status status = ppi_batch_measure_batch(refinement, repetitions, partial);

  return status || !refinement->known ? status : ppi_recourse_take(refinement);
}

enum perfpred_status ppi_batch_measure_batch(struct ppi_refinement *refinement, int repetitions, bool partial) {
  enum perfpred_status status = PERFPRED_OK;

  if (refinement->batch_count > 0)
    status = measure(refinement, repetitions, partial);
  ppi_batch_truncate(refinement, 0);
  return status;
}
