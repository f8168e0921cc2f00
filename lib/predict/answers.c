/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/answers.h"

#include <stdatomic.h>
#include <stdlib.h>

#define LINE 64   /* bytes of a cache line */
#define PROBES 32 /* places that an answer may have */

/* EMPTY becomes CLAIMED by one writer, who alone writes the rest and then says KEPT; that is the end of it. */
enum state { EMPTY, CLAIMED, KEPT };

struct place {
  _Alignas(LINE) atomic_uint state;
  uint16_t routine, plans;
  int64_t sizes[PPI_ANSWER_SIZES];
  struct ppi_answer answer;
};
_Static_assert(sizeof(struct place) == LINE, "one answer fills one line of the cache");

struct ppi_answers {
  size_t mask;
  struct place *places;
};

enum perfpred_status ppi_answers_create(size_t count, struct ppi_answers **answers, struct perfpred_error *error) {
  size_t capacity = PROBES;
  while (capacity < 2 * count && capacity < 2 * (size_t)PPI_ANSWERS_MAX) /* half full at most, it holds them all */
    capacity *= 2;
  struct ppi_answers *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->mask = capacity - 1;
  made->places = aligned_alloc(LINE, capacity * sizeof *made->places);
  if (!made->places) {
    free(made);
    return ppi_error_memory(error);
  }
  for (size_t i = 0; i < capacity; i++)
    atomic_init(&made->places[i].state, EMPTY);
  *answers = made;
  return PERFPRED_OK;
}

void ppi_answers_destroy(struct ppi_answers *answers) {
  if (!answers)
    return;
  free(answers->places);
  free(answers);
}

static size_t first_place(const struct ppi_answers *answers, const struct ppi_question *question) {
  uint64_t hash = (uint64_t)question->routine << 16 | question->plans;
  for (int i = 0; i < PPI_ANSWER_SIZES; i++) {
    hash = (hash ^ (uint64_t)question->sizes[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return (size_t)(hash >> 20) & answers->mask;
}

static bool fits(const struct place *place, const struct ppi_question *question) {
  bool equal = place->routine == question->routine && place->plans == question->plans;
  for (int i = 0; i < PPI_ANSWER_SIZES; i++)
    equal = equal && place->sizes[i] == question->sizes[i];
  return equal;
}

bool ppi_answers_find(const struct ppi_answers *answers, const struct ppi_question *question,
                      struct ppi_answer *answer) {
  const size_t first = first_place(answers, question);
  for (size_t i = 0; i < PROBES; i++) {
    struct place *place = &answers->places[(first + i) & answers->mask];
    const unsigned state = atomic_load_explicit(&place->state, memory_order_acquire);
    if (state == EMPTY)
      return false;
    if (state != KEPT || !fits(place, question))
      continue;
    *answer = place->answer;
    return true;
  }
  return false;
}

/* An answer that another thread is about to keep may come to be there twice, which is no harm: both are the same. */
void ppi_answers_keep(struct ppi_answers *answers, const struct ppi_question *question,
                      const struct ppi_answer *answer) {
  const size_t first = first_place(answers, question);
  for (size_t i = 0; i < PROBES; i++) {
    struct place *place = &answers->places[(first + i) & answers->mask];
    unsigned state = atomic_load_explicit(&place->state, memory_order_acquire);
    if (state == KEPT && fits(place, question))
      return;
    if (state != EMPTY || !atomic_compare_exchange_strong_explicit(&place->state, &state, CLAIMED, memory_order_acquire,
                                                                   memory_order_relaxed))
      continue;
    place->routine = question->routine;
    place->plans = question->plans;
    for (int k = 0; k < PPI_ANSWER_SIZES; k++)
      place->sizes[k] = question->sizes[k];
    place->answer = *answer;
    atomic_store_explicit(&place->state, KEPT, memory_order_release);
    return;
  }
}
