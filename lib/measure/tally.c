/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/tally.h"

#include <stdlib.h>
#include <string.h>

#include "measure/random.h"

static uint64_t mix(uint64_t key, const void *data, size_t length) {
  uint64_t word = 0;
  for (size_t at = 0; at < length; at += sizeof word) {
    size_t part = length - at < sizeof word ? length - at : sizeof word;
    word = 0;
    memcpy(&word, (const char *)data + at, part);
    struct ppi_random random = { key ^ word };
    key = ppi_random_next(&random);
  }
  return key;
}

/* 64 well-mixed bits stand for the call itself: among a million calls two agree with a chance of 1 in 10^7. */
static uint64_t key_of(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  uint64_t key = mix(1, kernel->name, strlen(kernel->name));
  for (int i = 0; i < kernel->arg_count; i++) {
    enum ppi_arg_kind kind = kernel->args[i].kind;
    if (kind == PPI_ARG_FLAG || kind == PPI_ARG_SIZE)
      key = mix(key, &values[i].i, sizeof values[i].i);
    if (kind == PPI_ARG_SCALAR)
      key = mix(mix(key, &values[i].re, sizeof values[i].re), &values[i].im, sizeof values[i].im);
  }
  return key != 0 ? key : 1;
}

static struct ppi_tally_entry *find(struct ppi_tally_entry *entries, size_t capacity, uint64_t key) {
  size_t at = (size_t)key & (capacity - 1);
  while (entries[at].key != 0 && entries[at].key != key)
    at = (at + 1) & (capacity - 1);
  return &entries[at];
}

static bool grow(struct ppi_tally *tally) {
  size_t capacity = tally->capacity > 0 ? 2 * tally->capacity : 64;
  struct ppi_tally_entry *entries = calloc(capacity, sizeof *entries);
  if (entries == NULL)
    return false;
  for (size_t i = 0; i < tally->capacity; i++)
    if (tally->entries[i].key != 0)
      *find(entries, capacity, tally->entries[i].key) = tally->entries[i];
  free(tally->entries);
  tally->entries = entries;
  tally->capacity = capacity;
  return true;
}

uint64_t *ppi_tally_of(struct ppi_tally *tally, const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  if (2 * tally->used >= tally->capacity && !grow(tally))
    return NULL;
  uint64_t key = key_of(kernel, values);
  struct ppi_tally_entry *entry = find(tally->entries, tally->capacity, key);
  if (entry->key == 0) {
    entry->key = key;
    tally->used++;
  }
  return &entry->count;
}

void ppi_tally_free(struct ppi_tally *tally) {
  free(tally->entries);
  *tally = (struct ppi_tally){ 0 };
}
