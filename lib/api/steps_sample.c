/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests for calls in their steps: those of one step are answered by one window. */
#include <stdlib.h>
#include <string.h>

#include "api/steps.h"

/* Windows of one program, and the requests that they answer. */
struct order {
  const struct ppi_stepped *stepped;
  struct ppi_window *windows;
  int64_t (*parameters)[PPI_PARAMETER_MAX];
  struct ppi_result *results;
  size_t *places; /* of the window of each request */
  size_t count;
  const struct ppi_sampling *sampling;
  double before, share; /* of the whole */
};

static void order_release(struct order *order) {
  free(order->places);
  free(order->results);
  free(order->parameters);
  free(order->windows);
}

static const struct ppi_stepped_call *call_of(const struct ppi_sampling *sampling, size_t request) {
  return sampling->spots[request].call;
}

/* All sizes of a step; of those that do not count the smallest that are like the others. */
static void all_sizes(const struct ppi_stepped *stepped, const int64_t *sizes, int64_t all[PPI_STEP_SIZES]) {
  bool known[PPI_STEP_SIZES] = { false };
  for (int d = 0, place = 0; d < PPI_STEP_SIZES; d++) {
    known[d] = stepped->counts[d];
    all[d] = known[d] ? sizes[place++] : 0;
  }
  for (int d = 0; d < PPI_STEP_SIZES; d++)
    if (!known[d])
      all[d] = all[PPI_STEP_WIDTH];
}

/* Requests of one step follow each other. */
static void fill_order(struct order *order, size_t count) {
  const struct ppi_spot *spots = order->sampling->spots;
  const int64_t *last = NULL;
  for (size_t i = 0; i < count; i++) {
    int64_t sizes[PPI_STEP_SIZES];
    if (call_of(order->sampling, i)->stepped != order->stepped)
      continue;
    if (!last || memcmp(last, spots[i].sizes, sizeof spots[i].sizes) != 0) {
      all_sizes(order->stepped, spots[i].sizes, sizes);
      ppi_stepped_window(order->stepped, sizes, order->parameters[order->count], &order->windows[order->count]);
      order->count++;
    }
    last = spots[i].sizes;
    order->places[i] = order->count - 1;
  }
}

static int tell(void *data, const struct perfpred_progress *part) {
  const struct order *order = data;
  struct perfpred_progress whole = *part;
  whole.fraction = order->before + order->share * part->fraction;
  return order->sampling->progress(order->sampling->progress_data, &whole);
}

/* Of calls that a step makes several times the time of one. */
static void share_out(const struct ppi_stepped_call *call, int64_t width, struct ppi_result *result) {
  const double calls = (double)(call->repeats[0] + call->repeats[1] * width);
  for (size_t k = 0; k < result->count; k++)
    result->times_s[k] /= calls;
  for (size_t k = 0; k < result->sample_count; k++) {
    result->samples[k].wall_s /= calls;
    result->samples[k].cpu_s /= calls;
  }
  result->cpu_s /= calls;
}

static void hand_out(const struct order *order, size_t count, struct ppi_result *results) {
  size_t each = order->stepped->calls.count;
  for (size_t i = 0; i < count; i++) {
    const struct ppi_stepped_call *call = call_of(order->sampling, i);
    if (call->stepped != order->stepped)
      continue;
    struct ppi_result *from = &order->results[order->places[i] * each + call->place];
    results[i] = *from;
    share_out(call, order->windows[order->places[i]].step.width, &results[i]);
    from->times_s = NULL;
    from->samples = NULL;
    from->count = from->sample_count = 0;
  }
}

static enum perfpred_status sample_program(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                           struct order *order, size_t count, struct ppi_result *results,
                                           struct perfpred_error *error) {
  struct ppi_sampling sampling = *order->sampling;
  size_t each = order->stepped->calls.count;
  order->windows = calloc(count, sizeof *order->windows);
  order->parameters = calloc(count, sizeof *order->parameters);
  order->places = calloc(count, sizeof *order->places);
  order->results = calloc(count * each, sizeof *order->results);
  if (!order->windows || !order->parameters || !order->places || !order->results)
    return ppi_error_memory(error);
  fill_order(order, count);
  sampling.spots = NULL;
  sampling.ld = requests[0].ld;
  sampling.budget_s *= order->share;
  if (sampling.progress) {
    sampling.progress = tell;
    sampling.progress_data = order;
  }
  enum perfpred_status status = sampler->ops->windows(sampler, order->stepped->program, order->windows, order->count,
                                                      &sampling, order->results, error);
  if (status)
    return status;
  hand_out(order, count, results);
  ppi_results_free(order->results, order->count * each);
  return PERFPRED_OK;
}

enum perfpred_status ppi_steps_sample(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                      size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                      struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  size_t done = 0;
  memset(results, 0, count * sizeof *results);
  for (size_t i = 0; i < count && !status; i++) {
    struct order order = { .stepped = call_of(sampling, i)->stepped, .sampling = sampling };
    size_t mine = 0, first = 0;
    while (call_of(sampling, first)->stepped != order.stepped)
      first++;
    if (first < i)
      continue;
    for (size_t k = i; k < count; k++)
      mine += call_of(sampling, k)->stepped == order.stepped;
    order.before = (double)done / (double)count;
    order.share = (double)mine / (double)count;
    status = sample_program(sampler, requests, &order, count, results, error);
    order_release(&order);
    done += mine;
  }
  if (status)
    ppi_results_free(results, count);
  return status;
}
