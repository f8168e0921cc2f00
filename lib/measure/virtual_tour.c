/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours on the virtual clock (virtual.h says what they cost). */
#include <math.h>
#include <stdlib.h>

#include "measure/evict.h"
#include "measure/schedule.h"
#include "measure/virtual.h"

#define C (PPI_TOUR_OPERANDS - 1)

static double lines_of(double bytes) {
  return ceil(bytes / PPI_LINE_BYTES);
}

/* Of a slice, column by column. */
static double slice_lines(const struct ppi_tour_batch *batch, const int64_t extent[2], const int64_t stride[2]) {
  const double element = (double)ppi_type_bytes(batch->type, false), step = (double)stride[0] * element;
  const double rows = (double)extent[0], columns = (double)extent[1];
  if (rows <= 0.0 || columns <= 0.0)
    return 0.0;
  return columns * (step >= PPI_LINE_BYTES ? rows : lines_of((rows - 1.0) * step + element));
}

static double operand_lines(const struct ppi_tour_batch *batch, const struct ppi_tour_operand *operand) {
  return slice_lines(batch, operand->extent, operand->stride);
}

static double packed_lines(const struct ppi_tour_batch *batch, const struct ppi_tour_copy *copy) {
  return lines_of((double)copy->length * (double)copy->count * (double)ppi_type_bytes(batch->type, false));
}

/* Lines that a copy moves: a whole tensor is read and written, of a slice the packed side alone counts. */
static double copy_lines(const struct ppi_tour_batch *batch, const struct ppi_tour_copy *copy) {
  return (ppi_tour_is_whole(copy) ? 2.0 : 1.0) * packed_lines(batch, copy);
}

static double zero_lines(const struct ppi_tour_batch *batch) {
  return lines_of((double)batch->elements[C] * (double)ppi_type_bytes(batch->type, false));
}

/* --- Iterations ------------------------------------------------------------------------------------------------------ */

/* Multiples of a number in [begin, end). */
static double multiples(int64_t of, int64_t begin, int64_t end) {
  const int64_t before_end = (end - 1) / of, before = begin > 0 ? (begin - 1) / of : -1;
  return (double)(before_end - before);
}

/* How often an operand comes to another place in [begin, end): whenever a loop goes on whose step is not undone by those inside of it. */
static double moves(const struct ppi_tour *tour, const struct ppi_tour_operand *operand, int64_t begin, int64_t end) {
  double sum = begin == 0 ? 1.0 : 0.0;
  int64_t back = 0;
  for (int l = tour->loop_count - 1; l >= 0; l--) {
    if (operand->step[l] != back)
      sum += multiples(ppi_tour_body(tour, l + 1), begin, end) - multiples(ppi_tour_body(tour, l), begin, end);
    back += operand->step[l] * (tour->length[l] - 1);
  }
  return sum;
}

/* Lines that iterations [begin, end) bring in. */
static double iteration_lines(const struct ppi_tour_batch *batch, const struct ppi_tour *tour, int64_t begin,
                              int64_t end) {
  double sum = 0.0;
  for (int o = 0; o < PPI_TOUR_OPERANDS && begin < end; o++) {
    const struct ppi_tour_operand *operand = &tour->operands[o];
    const struct ppi_tour_copy *copy = &operand->copy;
    if ((ppi_tour_is_whole(copy) ? copy->length : batch->elements[o]) > 0)
      sum += moves(tour, operand, begin, end) * operand_lines(batch, operand);
    if (copy->loops >= 0 && !ppi_tour_is_whole(copy))
      sum +=
          multiples(ppi_tour_body(tour, copy->loops), begin, end) * (copy->in + copy->out) * packed_lines(batch, copy);
  }
  return sum;
}

/* Those of whole tensors, before and behind the iterations. */
static double transposed_lines(const struct ppi_tour_batch *batch, const struct ppi_tour *tour) {
  double sum = 0.0;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    const struct ppi_tour_copy *copy = &tour->operands[o].copy;
    if (ppi_tour_is_whole(copy))
      sum += (copy->in + copy->out) * copy_lines(batch, copy);
  }
  return sum;
}

/* --- Set-ups --------------------------------------------------------------------------------------------------------- */

/* Bytes that were touched behind the operands, infinite for what was flushed. */
static void follow(const struct ppi_tour_batch *batch, const struct ppi_tour_request *request,
                   double behind[PPI_TOUR_OPERANDS]) {
  for (size_t i = 0; i < request->item_count; i++) {
    const struct ppi_tour_item *item = &request->items[i];
    const struct ppi_tour_operand *operand = &batch->tours[request->tour].operands[item->operand];
    double bytes = (double)item->bytes;
    if (item->kind == PPI_TOUR_FLUSH) {
      behind[item->operand] = item->packed ? behind[item->operand] : (double)INFINITY;
      continue;
    }
    if (item->kind == PPI_TOUR_TOUCH) {
      int64_t extent[2] = { operand->extent[0], operand->extent[1] };
      for (int d = 0; d < 2; d++)
        extent[d] = item->extent[d] > 0 && item->extent[d] < extent[d] ? item->extent[d] : extent[d];
      bytes = PPI_LINE_BYTES *
              (item->packed ? packed_lines(batch, &operand->copy) : slice_lines(batch, extent, operand->stride));
    }
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      behind[o] += bytes;
    if (item->kind == PPI_TOUR_TOUCH && !item->packed)
      behind[item->operand] = 0.0;
  }
}

/* Lines that a call, or a copy, does not find. */
static double missing_lines(const struct ppi_tour_batch *batch, const struct ppi_tour_request *request) {
  const struct ppi_tour *tour = &batch->tours[request->tour];
  const bool call = request->subject == PPI_TOUR_CALL;
  double behind[PPI_TOUR_OPERANDS] = { 0.0 }, sum = 0.0;
  if (request->warm)
    return 0.0;
  follow(batch, request, behind);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    if ((call ? tour->operands[o].copy.loops < 0 : o == request->operand) && behind[o] > PPI_VIRTUAL_CACHE_BYTES)
      sum += operand_lines(batch, &tour->operands[o]);
  return sum;
}

/* --- Samples --------------------------------------------------------------------------------------------------------- */

/* Cost of a call; of one without anything to do, none. */
static enum perfpred_status call_cost(struct virtual *sampler, const struct ppi_tour_batch *batch,
                                      const struct ppi_tour_request *request, double *cost,
                                      struct perfpred_error *error) {
  const struct ppi_tour *tour = &batch->tours[request->tour];
  const bool alone = request->subject == PPI_TOUR_CALL;
  *cost = 0.0;
  if (ppi_tour_body(tour, 0) == 0 || ppi_kernel_is_empty(tour->kernel, tour->values) ||
      (!alone && request->subject != PPI_TOUR_WHOLE && request->subject != PPI_TOUR_WINDOW))
    return PERFPRED_OK;
  sampler->previous = NULL;
  sampler->state = alone && request->warm ? PERFPRED_STATE_WARM : (enum perfpred_cache_state)0;
  return ppi_virtual_spend(sampler, tour->kernel, tour->values, cost, error);
}

/* Time of a sample, and of what is run before it. */
static enum perfpred_status cost_of(struct virtual *sampler, const struct ppi_tour_batch *batch,
                                    const struct ppi_tour_request *request, const struct ppi_tour_place *place,
                                    double *time_s, double *before_s, struct perfpred_error *error) {
  const struct ppi_tour *tour = &batch->tours[request->tour];
  const int64_t timed = ppi_tour_timed(tour, request), end = place->begin + timed;
  double call = 0.0, lines = 0.0;
  enum perfpred_status status = call_cost(sampler, batch, request, &call, error);
  switch (request->subject) {
  case PPI_TOUR_WHOLE:
    lines = iteration_lines(batch, tour, 0, timed) + transposed_lines(batch, tour) +
            (tour->zeroed ? zero_lines(batch) : 0.0);
    break;
  case PPI_TOUR_WINDOW:
    lines = iteration_lines(batch, tour, place->begin, end);
    break;
  case PPI_TOUR_ZERO:
    lines = zero_lines(batch);
    break;
  case PPI_TOUR_CALL:
    lines = missing_lines(batch, request);
    break;
  default:
    lines = missing_lines(batch, request) + copy_lines(batch, &tour->operands[request->operand].copy);
    break;
  }
  *time_s = fmax((double)timed * call + PPI_VIRTUAL_LINE_S * lines, PPI_VIRTUAL_LINE_S);
  *before_s = (double)place->lead * call + (request->warm ? *time_s : 0.0) - call; /* one call is on the clock */
  return status;
}

static size_t wanted_of(const struct ppi_tour_request *request, const struct ppi_sampling *sampling) {
  const int repetitions = request->repetitions > 0 ? request->repetitions : sampling->repetitions;
  return (size_t)(repetitions > 0 ? repetitions : PPI_DEFAULT_REPETITIONS);
}

static enum perfpred_status take_sample(struct virtual *sampler, const struct ppi_tour_batch *batch, size_t number,
                                        const struct ppi_sampling *sampling, struct ppi_tour_result *result,
                                        struct perfpred_error *error) {
  const struct ppi_tour_request *request = &batch->requests[number];
  const struct ppi_tour *tour = &batch->tours[request->tour];
  struct ppi_result *timing = &result->timing;
  struct ppi_tour_place place;
  double time_s = 0.0, before_s = 0.0;
  ppi_tour_place(tour, request, sampling->seed + number, timing->count, &place);
  enum perfpred_status status = cost_of(sampler, batch, request, &place, &time_s, &before_s, error);
  if (status != PERFPRED_OK)
    return status;
  if (request->subject == PPI_TOUR_WHOLE && request->limit_s > 0.0 && time_s > request->limit_s)
    return PERFPRED_OK;
  const bool divided = request->subject == PPI_TOUR_WINDOW || request->subject == PPI_TOUR_CALL;
  sampler->time.now_s += time_s + before_s;
  timing->measure_s += time_s;
  timing->first_s = timing->count == 0 ? time_s : timing->first_s;
  timing->cpu_s = divided && result->timed > 0 ? time_s / (double)result->timed : time_s;
  timing->times_s[timing->count++] = timing->cpu_s;
  return PERFPRED_OK;
}

/* Those that still want a sample; *taken: how many there were. */
static enum perfpred_status take_round(struct virtual *sampler, const struct ppi_tour_batch *batch,
                                       const struct ppi_sampling *sampling, size_t round, double begin_s,
                                       struct ppi_tour_result *results, size_t *taken, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  *taken = 0;
  for (size_t i = 0; i < batch->request_count && status == PERFPRED_OK; i++) {
    const struct ppi_tour_request *request = &batch->requests[i];
    const struct ppi_result *timing = &results[i].timing;
    if (ppi_virtual_over_budget(sampler, sampling, begin_s) && (round > 0 || sampling->partial))
      break;
    if (timing->count < round || round >= wanted_of(request, sampling) ||
        (round > 0 && request->limit_s > 0.0 && timing->measure_s + timing->first_s > request->limit_s))
      continue;
    status = take_sample(sampler, batch, i, sampling, &results[i], error);
    *taken += timing->count > round;
  }
  return status;
}

static enum perfpred_status prepare(const struct ppi_tour_batch *batch, const struct ppi_sampling *sampling,
                                    struct ppi_tour_result *results, struct perfpred_error *error) {
  for (size_t i = 0; i < batch->request_count; i++) {
    const struct ppi_tour_request *request = &batch->requests[i];
    enum perfpred_status status = ppi_virtual_prepare(&results[i].timing, 1, wanted_of(request, sampling), error);
    if (status != PERFPRED_OK) {
      ppi_tour_results_free(results, i);
      return status;
    }
    results[i].timed = ppi_tour_timed(&batch->tours[request->tour], request);
  }
  return PERFPRED_OK;
}

enum perfpred_status ppi_virtual_tour(struct perfpred_sampler *sampler, const struct ppi_tour_batch *batch,
                                      const struct ppi_sampling *sampling, struct ppi_tour_result *results,
                                      struct perfpred_error *error) {
  struct virtual *own = (struct virtual *)sampler;
  const double begin_s = own->time.now_s;
  size_t taken = 1, all = 0, done = 0;
  enum perfpred_status status = ppi_tour_check(batch, error);
  if (status == PERFPRED_OK)
    status = prepare(batch, sampling, results, error);
  if (status != PERFPRED_OK)
    return status;
  for (size_t i = 0; i < batch->request_count; i++)
    all += wanted_of(&batch->requests[i], sampling);
  for (size_t round = 0; status == PERFPRED_OK && taken > 0; round++) {
    status = ppi_virtual_tell(own, sampling, begin_s, done, all, error);
    if (status == PERFPRED_OK)
      status = take_round(own, batch, sampling, round, begin_s, results, &taken, error);
    done += taken;
  }
  if (status == PERFPRED_OK)
    status = ppi_virtual_tell(own, sampling, begin_s, all, all, error);
  if (status != PERFPRED_OK)
    ppi_tour_results_free(results, batch->request_count);
  return status;
}
