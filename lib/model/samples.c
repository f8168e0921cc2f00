/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST_SLOTS 64

static void record_destroy(struct ppi_record *record) {
  if (!record)
    return;
  free(record->parts);
  free(record->times_s);
  ppi_kernel_unref((struct perfpred_kernel *)record->kernel);
  free(record);
}

void ppi_samples_release(struct ppi_samples *samples) {
  if (!samples)
    return;
  for (size_t i = 0; i < samples->count; i++)
    record_destroy(samples->records[i]);
  free(samples->records);
  free(samples->slots);
  memset(samples, 0, sizeof *samples);
}

static uint64_t mix(uint64_t h, uint64_t value) {
  h ^= value;
  h *= 0xff51afd7ed558ccdu;
  return h ^ h >> 32;
}

static uint64_t mix_text(uint64_t h, const char *text) {
  for (const char *p = text; *p; p++)
    h = mix(h, (unsigned char)*p);
  return h;
}

static const char *context_of(const struct ppi_key *key) {
  return key->context ? key->context : "";
}

/* Leading dimensions are left out, so that a search for any of them meets all of them. */
static uint64_t hash(const struct ppi_key *key) {
  uint64_t h = 0x9e3779b97f4a7c15u;

  h = mix_text(h, key->kernel->name);
  h = mix_text(h, key->case_text);
  h = mix_text(h, context_of(key));
  for (int d = 0; d < key->kernel->size_count; d++)
    h = mix(h, (uint64_t)key->sizes[d]);
  for (int d = 0; d < key->step_count; d++)
    h = mix(h, (uint64_t)key->step[d]);
  return h;
}

/* Kernels are told by their names: a set may be asked from a context that is not the one that filled it. */
static bool matches(const struct ppi_record *record, const struct ppi_key *key) {
  const struct perfpred_kernel *kernel = key->kernel;

  return record->kernel->size_count == kernel->size_count && record->step_count == key->step_count &&
         strcmp(record->kernel->name, kernel->name) == 0 && strcmp(record->case_text, key->case_text) == 0 &&
         strcmp(record->context, context_of(key)) == 0 &&
         memcmp(record->sizes, key->sizes, (size_t)kernel->size_count * sizeof *key->sizes) == 0 &&
         (key->step_count == 0 || memcmp(record->step, key->step, (size_t)key->step_count * sizeof *key->step) == 0);
}

struct ppi_key ppi_record_key(const struct ppi_record *record) {
  return (struct ppi_key){ .kernel = record->kernel,
                           .case_text = record->case_text,
                           .sizes = record->sizes,
                           .ld = record->ld,
                           .context = record->context,
                           .step = record->step,
                           .step_count = record->step_count };
}

/* The slot of the record, or the free one where it would be. Of several with ld 0 the oldest. */
static size_t slot_of(const struct ppi_samples *samples, const struct ppi_key *key) {
  size_t mask = samples->slot_count - 1;
  size_t slot = (size_t)hash(key) & mask;

  for (; samples->slots[slot]; slot = (slot + 1) & mask) {
    const struct ppi_record *record = samples->records[samples->slots[slot] - 1];

    if ((key->ld == 0 || record->ld == key->ld) && matches(record, key))
      break;
  }
  return slot;
}

static size_t free_slot(const size_t *slots, size_t slot_count, const struct ppi_record *record) {
  const struct ppi_key key = ppi_record_key(record);
  size_t slot = (size_t)hash(&key) & (slot_count - 1);

  while (slots[slot])
    slot = (slot + 1) & (slot_count - 1);
  return slot;
}

static enum perfpred_status grow_slots(struct ppi_samples *samples, struct perfpred_error *error) {
  size_t count = samples->slot_count ? 2 * samples->slot_count : FEWEST_SLOTS;
  size_t *slots;

  if (2 * (samples->count + 1) <= samples->slot_count)
    return PERFPRED_OK;
  slots = calloc(count, sizeof *slots);
  if (!slots)
    return ppi_error_memory(error);
  for (size_t i = 0; i < samples->count; i++)
    slots[free_slot(slots, count, samples->records[i])] = i + 1;
  free(samples->slots);
  samples->slots = slots;
  samples->slot_count = count;
  return PERFPRED_OK;
}

static enum perfpred_status grow_records(struct ppi_samples *samples, struct perfpred_error *error) {
  size_t capacity = samples->capacity ? 2 * samples->capacity : FEWEST_SLOTS / 2;
  struct ppi_record **records;

  if (samples->count < samples->capacity)
    return PERFPRED_OK;
  records = realloc(samples->records, capacity * sizeof *records);
  if (!records)
    return ppi_error_memory(error);
  samples->records = records;
  samples->capacity = capacity;
  return PERFPRED_OK;
}

/* Samples that are added, in the parts in which they came. */
struct addition {
  const struct ppi_result *result;
  const size_t *parts;
  size_t part_count;
};

static enum perfpred_status grow_times(struct ppi_record *record, size_t more, struct perfpred_error *error) {
  size_t capacity = record->count + more;
  double *times_s;

  if (capacity <= record->capacity)
    return PERFPRED_OK;
  times_s = realloc(record->times_s, capacity * sizeof *times_s);
  if (!times_s)
    return ppi_error_memory(error);
  record->times_s = times_s;
  record->capacity = capacity;
  return PERFPRED_OK;
}

static enum perfpred_status append(struct ppi_record *record, const struct addition *addition,
                                   struct perfpred_error *error) {
  const struct ppi_result *result = addition->result;
  enum perfpred_status status = grow_times(record, result->count, error);
  size_t *parts;

  if (status)
    return status;
  parts = realloc(record->parts, (record->part_count + addition->part_count) * sizeof *parts);
  if (!parts)
    return ppi_error_memory(error);
  record->parts = parts;
  memcpy(parts + record->part_count, addition->parts, addition->part_count * sizeof *parts);
  record->part_count += addition->part_count;
  memcpy(record->times_s + record->count, result->times_s, result->count * sizeof *result->times_s);
  record->count += result->count;
  record->disturbed += result->disturbed;
  record->measure_s += result->measure_s;
  record->gated = record->gated && result->gated;
  return PERFPRED_OK;
}

static enum perfpred_status record_create(const struct ppi_key *key, const struct addition *addition,
                                          struct ppi_record **record, struct perfpred_error *error) {
  struct ppi_record *made = calloc(1, sizeof *made);
  enum perfpred_status status;

  if (!made)
    return ppi_error_memory(error);
  made->kernel = ppi_kernel_ref(key->kernel);
  memcpy(made->case_text, key->case_text, strlen(key->case_text) + 1);
  memcpy(made->sizes, key->sizes, (size_t)key->kernel->size_count * sizeof *key->sizes);
  memcpy(made->context, context_of(key), strlen(context_of(key)) + 1);
  made->step_count = key->step_count;
  if (key->step_count > 0)
    memcpy(made->step, key->step, (size_t)key->step_count * sizeof *key->step);
  made->ld = key->ld;
  made->gated = true;
  status = append(made, addition, error);
  if (status) {
    record_destroy(made);
    return status;
  }
  *record = made;
  return PERFPRED_OK;
}

static enum perfpred_status check(const struct ppi_key *key, const struct ppi_result *result,
                                  struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = key->kernel;

  if (strlen(key->case_text) >= PPI_CASE_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "samples of %s: case '%.40s...': expected less than %d characters",
                         kernel->name, key->case_text, PPI_CASE_MAX);
  if (strlen(context_of(key)) >= PPI_CONTEXT_MAX)
    return ppi_error_set(error, PERFPRED_INVALID, "samples of %s: context '%.40s...': expected less than %d characters",
                         kernel->name, context_of(key), PPI_CONTEXT_MAX);
  if (result->count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "samples of %s: there are none: expected at least one", kernel->name);
  for (size_t i = 0; i < result->count; i++)
    if (!isfinite(result->times_s[i]) || result->times_s[i] < 0.0)
      return ppi_error_set(error, PERFPRED_NUMERIC, "samples of %s: %g s: expected a time", kernel->name,
                           result->times_s[i]);
  if (!isfinite(result->measure_s) || result->measure_s < 0.0)
    return ppi_error_set(error, PERFPRED_NUMERIC, "samples of %s: cost of %g s: expected a time", kernel->name,
                         result->measure_s);
  return PERFPRED_OK;
}

enum perfpred_status ppi_samples_add_at(struct ppi_samples *samples, const struct ppi_key *key,
                                        const struct ppi_result *result, const size_t *parts, size_t part_count,
                                        struct perfpred_error *error) {
  const struct addition addition = { result, parts, part_count };
  enum perfpred_status status = check(key, result, error);
  size_t slot;

  if (!status)
    status = grow_slots(samples, error);
  if (!status)
    status = grow_records(samples, error);
  if (status)
    return status;
  slot = slot_of(samples, key);
  if (samples->slots[slot])
    return append(samples->records[samples->slots[slot] - 1], &addition, error);
  status = record_create(key, &addition, samples->records + samples->count, error);
  if (!status)
    samples->slots[slot] = ++samples->count;
  return status;
}

enum perfpred_status ppi_samples_add_parts(struct ppi_samples *samples, const struct perfpred_kernel *kernel,
                                           const char *case_text, const int64_t *sizes, int64_t ld,
                                           const struct ppi_result *result, const size_t *parts, size_t part_count,
                                           struct perfpred_error *error) {
  const struct ppi_key key = { .kernel = kernel, .case_text = case_text, .sizes = sizes, .ld = ld };

  return ppi_samples_add_at(samples, &key, result, parts, part_count, error);
}

enum perfpred_status ppi_samples_add(struct ppi_samples *samples, const struct perfpred_kernel *kernel,
                                     const char *case_text, const int64_t *sizes, int64_t ld,
                                     const struct ppi_result *result, struct perfpred_error *error) {
  return ppi_samples_add_parts(samples, kernel, case_text, sizes, ld, result, &result->count, 1, error);
}

enum perfpred_status ppi_samples_add_record(struct ppi_samples *samples, const struct ppi_record *record,
                                            struct perfpred_error *error) {
  const struct ppi_key key = ppi_record_key(record);
  const struct ppi_result all = { .times_s = record->times_s,
                                  .count = record->count,
                                  .disturbed = record->disturbed,
                                  .measure_s = record->measure_s,
                                  .gated = record->gated };

  return ppi_samples_add_at(samples, &key, &all, record->parts, record->part_count, error);
}

size_t ppi_samples_place_at(const struct ppi_samples *samples, const struct ppi_key *key) {
  size_t slot;

  if (samples->count == 0)
    return PPI_SAMPLES_NONE;
  slot = slot_of(samples, key);
  return samples->slots[slot] ? samples->slots[slot] - 1 : PPI_SAMPLES_NONE;
}

size_t ppi_samples_place(const struct ppi_samples *samples, const struct perfpred_kernel *kernel, const char *case_text,
                         const int64_t *sizes, int64_t ld) {
  const struct ppi_key key = { .kernel = kernel, .case_text = case_text, .sizes = sizes, .ld = ld };

  return ppi_samples_place_at(samples, &key);
}

bool ppi_samples_next(const struct ppi_samples *samples, const struct ppi_request *like, const char *context,
                      size_t *place, int64_t sizes[PPI_SIZE_MAX]) {
  char case_text[PPI_CASE_MAX];

  ppi_case_format(like->kernel, like->values, case_text);
  for (; *place < samples->count; ++*place) {
    const struct ppi_record *record = samples->records[*place];
    bool alone = record->context[0] == '\0';

    if (record->ld == like->ld && strcmp(record->kernel->name, like->kernel->name) == 0 &&
        record->kernel->size_count == like->kernel->size_count && strcmp(record->case_text, case_text) == 0 &&
        strcmp(record->context, context ? context : "") == 0) {
      memcpy(sizes, alone ? record->sizes : record->step,
             (size_t)(alone ? like->kernel->size_count : record->step_count) * sizeof *sizes);
      return true;
    }
  }
  return false;
}

const struct ppi_record *ppi_samples_find(const struct ppi_samples *samples, const struct perfpred_kernel *kernel,
                                          const char *case_text, const int64_t *sizes, int64_t ld) {
  size_t place = ppi_samples_place(samples, kernel, case_text, sizes, ld);

  return place == PPI_SAMPLES_NONE ? NULL : samples->records[place];
}
