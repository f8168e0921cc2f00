/* SPDX-License-Identifier: BSD-3-Clause */
/* What tours compute: zeros before, and whether a result is right. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "measure/random.h"
#include "measure/tour_walk.h"

#define C (PPI_TOUR_OPERANDS - 1)
#define CHECKS_MAX 16
#define TERMS_MAX 1e6 /* of all sums of a check */

typedef double _Complex number;

/* Some indices, and where they are. */
struct counter {
  int count;
  int64_t length[PPI_TOUR_INDICES_MAX], stride[PPI_TOUR_INDICES_MAX][PPI_TOUR_OPERANDS], value[PPI_TOUR_INDICES_MAX];
  int64_t at[PPI_TOUR_OPERANDS];
};

static void add_index(struct counter *counter, const struct ppi_tour_index *index) {
  counter->length[counter->count] = index->length;
  memcpy(counter->stride[counter->count], index->stride, sizeof index->stride);
  counter->value[counter->count++] = 0;
}

/* The first index counts fastest. False: all are at 0 again. */
static bool count_on(struct counter *counter) {
  for (int i = 0; i < counter->count; i++) {
    const bool again = ++counter->value[i] == counter->length[i];
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      counter->at[o] += again ? -(counter->length[i] - 1) * counter->stride[i][o] : counter->stride[i][o];
    if (!again)
      return true;
    counter->value[i] = 0;
  }
  return false;
}

/* Elements of C that follow each other without a gap, from the first one on, and the index of the smallest stride that does not go on. */
static int64_t dense_run(const struct ppi_tour_batch *batch, bool used[PPI_TOUR_INDICES_MAX]) {
  int64_t run = 1;
  for (bool found = true; found;) {
    found = false;
    for (int i = 0; i < batch->index_count; i++)
      if (!used[i] && batch->indices[i].stride[C] == run && batch->indices[i].length > 1) {
        run *= batch->indices[i].length;
        used[i] = found = true;
      }
  }
  return run;
}

void ppi_tour_zero(const struct ppi_tour_batch *batch, unsigned char *c) {
  const size_t element = ppi_type_bytes(batch->type, false);
  bool used[PPI_TOUR_INDICES_MAX] = { false };
  struct counter outer = { 0 };
  if (batch->elements[C] == 0)
    return;
  const size_t bytes = (size_t)dense_run(batch, used) * element;
  for (int i = 0; i < batch->index_count; i++)
    if (!used[i] && batch->indices[i].stride[C] > 0 && batch->indices[i].length > 1)
      add_index(&outer, &batch->indices[i]);
  do
    memset(c + (size_t)outer.at[C] * element, 0, bytes);
  while (count_on(&outer));
}

static number element_at(const struct ppi_tour_batch *batch, const unsigned char *tensor, int64_t place) {
  const size_t element = ppi_type_bytes(batch->type, false);
  double value[2];
  number made;
  ppi_element_read(batch->type, element, tensor + (size_t)place * element, value);
  memcpy(&made, value, sizeof made);
  return made;
}

/* The relative error of one element of C; sum: the indices that C does not have, at its place. */
static double error_of(const struct ppi_tour_batch *batch, unsigned char *const tensors[PPI_TOUR_OPERANDS],
                       struct counter *sum, bool empty) {
  number expected = 0.0;
  double moduli = 0.0;
  while (!empty) {
    const number term = element_at(batch, tensors[0], sum->at[0]) * element_at(batch, tensors[1], sum->at[1]);
    expected += term;
    moduli += cabs(term);
    if (!count_on(sum))
      break;
  }
  const double difference = cabs(element_at(batch, tensors[C], sum->at[C]) - expected);
  if (isnan(difference))
    return INFINITY;
  if (moduli > 0.0)
    return difference / moduli;
  return difference > 0.0 ? INFINITY : 0.0;
}

double ppi_tour_residual(const struct ppi_tour_batch *batch, unsigned char *const tensors[PPI_TOUR_OPERANDS],
                         uint64_t seed) {
  struct ppi_random random = { seed };
  struct counter sum = { 0 };
  double terms = 1.0, largest = 0.0;
  for (int i = 0; i < batch->index_count; i++)
    if (batch->indices[i].stride[C] == 0) {
      add_index(&sum, &batch->indices[i]);
      terms *= (double)batch->indices[i].length;
    }
  if (batch->elements[C] == 0 || terms > TERMS_MAX)
    return (double)NAN;
  const int checks = terms * CHECKS_MAX > TERMS_MAX ? (int)(TERMS_MAX / terms) : CHECKS_MAX;
  for (int k = 0; k < checks; k++) {
    memset(sum.at, 0, sizeof sum.at);
    for (int i = 0; i < batch->index_count; i++) {
      const struct ppi_tour_index *index = &batch->indices[i];
      const int64_t value =
          index->stride[C] > 0 ? (int64_t)(ppi_random_next(&random) % (uint64_t)index->length) : INT64_C(0);
      for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
        sum.at[o] += value * index->stride[o];
    }
    largest = fmax(largest, error_of(batch, tensors, &sum, terms <= 0.0));
  }
  return largest;
}
