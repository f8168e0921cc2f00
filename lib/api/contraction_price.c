/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_price.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/contraction_effort.h"
#include "api/contraction_whole.h"
#include "base/stats.h"
#include "contract/occurrence.h"

#define LINE_BYTES 64
#define REPEATED_MOST 256
#define PLAUSIBLE 0.9  /* of a bound: what is faster was not measured right, */
#define ATTEMPTS 2     /* and is measured again */
#define ZERO_BYTES 8e6 /* larger results are filled once */

static const struct ppi_contraction_group *group_of(const struct ppi_contraction_pricing *pricing, size_t entry) {
  return &pricing->candidates->groups[pricing->candidates->entries[entry].group];
}

/* --- Leaders ------------------------------------------------------------------------------------------------------- */

static void find_leader(struct ppi_contraction_entry *entries, size_t place) {
  struct ppi_contraction_entry *entry = &entries[place];
  entry->leader = place;
  for (size_t i = 0; i < place; i++)
    if (entries[i].group == entry->group && entries[i].leader == i && strcmp(entries[i].key, entry->key) == 0) {
      entry->leader = i;
      return;
    }
}

enum perfpred_status ppi_contraction_price_prepare(struct ppi_contraction_pricing *pricing, size_t group,
                                                   struct perfpred_error *error) {
  struct ppi_contraction_candidates *candidates = pricing->candidates;
  const bool replayed = ppi_contraction_is_replayed(pricing) && !candidates->groups[group].modelled &&
                        !ppi_contraction_price_idle(pricing);
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < candidates->entry_count && !candidates->groups[group].prepared && !status; i++) {
    struct ppi_contraction_entry *entry = &candidates->entries[i];
    if (entry->group != group)
      continue;
    entry->leader = i;
    if (!replayed)
      continue;
    const struct ppi_contract_algorithm *nest = ppi_contraction_nest(candidates, entry);
    status = ppi_contraction_windows_divide(ppi_contraction_of(candidates, entry), nest,
                                            ppi_contraction_call_time(&candidates->groups[group]), &pricing->caches,
                                            &entry->windows, error);
    if (status)
      break;
    ppi_contraction_windows_key(&entry->windows, nest, entry->key);
    find_leader(candidates->entries, i);
  }
  candidates->groups[group].prepared = !status;
  return status;
}

/* --- Parts --------------------------------------------------------------------------------------------------------- */

enum what { CALLS, COPIES, ZERO };

/* A micro-benchmark and how often an entry does what it measures. */
struct part {
  size_t entry, known;
  enum what what;
  double count;
  bool is_first; /* the benchmark is run for this entry */
};

struct job {
  struct ppi_contraction_pricing *pricing;
  struct ppi_contraction_batch batch;
  size_t part_count, part_capacity;
  struct part *parts;
  size_t tour;                               /* of the present entry; SIZE_MAX: not in the batch yet */
  const struct ppi_contraction_piece *piece; /* that the tour is for; NULL: what the kernel goes through */
};

static enum perfpred_status add_part(struct job *job, const struct part *part, struct perfpred_error *error) {
  if (job->part_count == job->part_capacity) {
    const size_t capacity = job->part_capacity ? 2 * job->part_capacity : 64;
    struct part *parts = realloc(job->parts, capacity * sizeof *parts);
    if (!parts)
      return ppi_error_memory(error);
    job->parts = parts;
    job->part_capacity = capacity;
  }
  job->parts[job->part_count++] = *part;
  return PERFPRED_OK;
}

static enum perfpred_status need_tour(struct job *job, size_t entry, struct perfpred_error *error) {
  const struct ppi_contraction_candidates *candidates = job->pricing->candidates;
  const struct ppi_contraction_piece *piece = job->piece;
  if (job->tour != SIZE_MAX)
    return PERFPRED_OK;
  return ppi_contraction_batch_tour(
      &job->batch, job->pricing->kernels,
      piece ? &piece->contraction : ppi_contraction_of(candidates, &candidates->entries[entry]),
      piece ? piece->algorithm : ppi_contraction_nest(candidates, &candidates->entries[entry]), &job->tour, error);
}

/* A request that stands for itself. */
static enum perfpred_status add_request(struct job *job, struct part part, size_t group, const char *key,
                                        struct ppi_tour_request *request, struct perfpred_error *error) {
  enum perfpred_status status =
      ppi_contraction_memo_find(&job->pricing->memo, group, key, &part.known, &part.is_first, error);
  if (!status && part.is_first) {
    status = need_tour(job, part.entry, error);
    request->tour = job->tour;
    if (!status)
      status =
          ppi_contraction_batch_request(&job->batch, request, &job->pricing->memo.items[part.known].request, error);
  }
  return status ? status : add_part(job, &part, error);
}

static enum perfpred_status add_zero(struct job *job, size_t entry, double count, struct perfpred_error *error) {
  const struct ppi_contraction *contraction = &job->pricing->candidates->contraction;
  const double bytes =
      (double)contraction->tensor[PPI_OPERANDS - 1].elements * (double)ppi_type_bytes(contraction->type, false);
  struct ppi_tour_request request = { .subject = PPI_TOUR_ZERO,
                                      .level = PPI_TOUR_ANYWHERE,
                                      .repetitions = bytes > ZERO_BYTES ? 1 : PPI_CONTRACTION_REPETITIONS_LEAST };
  return add_request(job, (struct part){ .entry = entry, .what = ZERO, .count = count }, PPI_MEMO_NONE, "zero",
                     &request, error);
}

/* --- Replays ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status add_windows(struct job *job, size_t place, struct perfpred_error *error) {
  struct ppi_contraction_pricing *pricing = job->pricing;
  struct ppi_contraction_entry *entry = &pricing->candidates->entries[place];
  struct part part = { .entry = place, .what = CALLS, .count = 1.0 };
  enum perfpred_status status =
      ppi_contraction_memo_find(&pricing->memo, entry->group, entry->key, &part.known, &part.is_first, error);
  if (!status && part.is_first) {
    status = need_tour(job, place, error);
    if (!status)
      status = ppi_contraction_windows_add(&entry->windows, &pricing->caches, job->tour,
                                           ppi_contraction_repetitions(pricing, place),
                                           ppi_contraction_limit(pricing, place), &job->batch, error);
    pricing->memo.items[part.known].is_windows = true;
    pricing->memo.items[part.known].windows = entry->windows;
  }
  if (!status)
    status = add_part(job, &part, error);
  return !status && group_of(pricing, place)->zero ? add_zero(job, place, 1.0, error) : status;
}

/* --- Calls after a set-up ------------------------------------------------------------------------------------------ */

/* What an occurrence touches, as a sampler is asked for it. Where lines can be evicted, they are, in place of other memory that is accessed for
   that. */
static size_t list_items(const struct ppi_contraction_pricing *pricing, const struct ppi_body_call *call,
                         const struct ppi_occurrence *occurrence, struct ppi_tour_item *items) {
  const struct ppi_contract_setup *setup = &occurrence->setup;
  const bool flushes = pricing->mode == PERFPRED_CONTRACTION_FLUSH;
  size_t count = 0;
  bool flushed = false;
  for (int a = 0; a < call->area_count && flushes; a++) {
    const int memory = call->areas[a].memory;
    if (occurrence->distance[a] <= pricing->caches.bytes || occurrence->ahead[a] != PPI_PREFETCH_NONE)
      continue;
    flushed = true;
    items[count++] = (struct ppi_tour_item){ .kind = PPI_TOUR_FLUSH,
                                             .operand = memory % PPI_OPERANDS,
                                             .packed = memory >= PPI_OPERANDS };
  }
  for (int i = 0; i < setup->count && count < PPI_TOUR_ITEMS_MAX; i++) {
    const struct ppi_setup_item *item = &setup->items[i];
    if (flushed && i == 0 && item->kind == PPI_SETUP_REMOTE)
      continue;
    items[count++] = (struct ppi_tour_item){ .kind = item->kind == PPI_SETUP_REMOTE ? PPI_TOUR_REMOTE : PPI_TOUR_TOUCH,
                                             .operand = item->operand < 0 ? 0 : item->operand,
                                             .packed = item->packed,
                                             .extent = { item->extent[0], item->extent[1] },
                                             .bytes = item->bytes };
  }
  return count;
}

static enum ppi_tour_subject subject_of(enum ppi_body_kind kind) {
  switch (kind) {
  case PPI_BODY_COPY_IN:
    return PPI_TOUR_COPY_IN;
  case PPI_BODY_COPY_OUT:
    return PPI_TOUR_COPY_OUT;
  case PPI_BODY_ZERO:
    return PPI_TOUR_ZERO;
  case PPI_BODY_KERNEL:
    break;
  }
  return PPI_TOUR_CALL;
}

static char *write_key(const struct ppi_tour_request *request) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_printf(&text, "%d %d", (int)request->subject, request->operand);
  for (size_t i = 0; i < request->item_count; i++) {
    const struct ppi_tour_item *item = &request->items[i];
    ppi_text_printf(&text, ",%d %d %d %" PRId64 " %" PRId64 " %" PRId64, (int)item->kind, item->operand, item->packed,
                    item->extent[0], item->extent[1], item->bytes);
  }
  return ppi_text_take(&text);
}

static enum perfpred_status add_occurrence(struct job *job, size_t entry, const struct ppi_body_call *call,
                                           const struct ppi_occurrence *occurrence, struct perfpred_error *error) {
  const struct ppi_contraction_pricing *pricing = job->pricing;
  struct ppi_tour_item items[PPI_TOUR_ITEMS_MAX];
  const struct part part = { .entry = entry,
                             .what = call->kind == PPI_BODY_KERNEL ? CALLS : COPIES,
                             .count = (double)occurrence->count };
  struct ppi_tour_request request = { .subject = subject_of(call->kind),
                                      .operand = call->operand < 0 ? 0 : call->operand,
                                      .level = occurrence->level,
                                      .timed = 1,
                                      .items = items };
  if (call->kind == PPI_BODY_ZERO)
    return add_zero(job, entry, (double)occurrence->count, error);
  request.item_count = list_items(pricing, call, occurrence, items);
  if (request.item_count == 0) {
    request.warm = true;
    if (request.subject == PPI_TOUR_CALL)
      request.timed = (int64_t)fmax(
          1.0, fmin(PPI_CONTRACTION_SHORT_S / ppi_contraction_call_time(group_of(pricing, entry)), REPEATED_MOST));
  }
  request.repetitions = ppi_contraction_repetitions(pricing, entry);
  request.limit_s = ppi_contraction_limit(pricing, entry);
  char *key = write_key(&request);
  enum perfpred_status status =
      key ? add_request(job, part, pricing->candidates->entries[entry].group, key, &request, error)
          : ppi_error_memory(error);
  free(key);
  return status;
}

/* models_call: those of the kernel are known. */
static enum perfpred_status add_occurrences(struct job *job, size_t entry, bool models_call,
                                            struct perfpred_error *error) {
  const struct ppi_contraction_pricing *pricing = job->pricing;
  const struct ppi_occurrence_settings settings = {
    .stage = models_call ? PERFPRED_CONTRACTION_STAGE_REPEATED : pricing->stage,
    .limit_bytes = (int64_t)fmin(pricing->caches.factor * (double)pricing->caches.bytes, 0x1p62),
    .line_bytes = LINE_BYTES,
    .whole_lines = true,
    .corrected = true
  };
  const struct ppi_contraction_entry *it = &pricing->candidates->entries[entry];
  struct ppi_occurrences occurrences;
  enum perfpred_status status =
      ppi_occurrences_find(ppi_contraction_of(pricing->candidates, it), ppi_contraction_nest(pricing->candidates, it),
                           &settings, &occurrences, error);
  for (int i = 0; i < (status ? 0 : occurrences.count) && !status; i++) {
    const struct ppi_body_call *call = &occurrences.body.calls[occurrences.items[i].call];
    if (!models_call || call->kind != PPI_BODY_KERNEL)
      status = add_occurrence(job, entry, call, &occurrences.items[i], error);
  }
  return status;
}

/* --- Whole tensors ------------------------------------------------------------------------------------------------- */

static enum perfpred_status add_pieces(struct job *job, size_t entry, struct perfpred_error *error) {
  const struct ppi_contraction_pricing *pricing = job->pricing;
  struct ppi_contraction_piece pieces[PPI_PIECES_MAX];
  const int count = ppi_contraction_pieces(pricing, entry, pieces);
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < count && !status; i++) {
    const bool call = pieces[i].subject == PPI_TOUR_CALL;
    const struct ppi_tour_item item = { .kind = PPI_TOUR_REMOTE, .bytes = pieces[i].remote_bytes };
    struct ppi_tour_request request = { .subject = pieces[i].subject,
                                        .items = &item,
                                        .item_count = item.bytes > 0 ? 1 : 0,
                                        .operand = pieces[i].operand,
                                        .level = call ? PPI_TOUR_ANYWHERE : 0,
                                        .timed = 1,
                                        .repetitions = pieces[i].repetitions,
                                        .limit_s = ppi_contraction_patience(pieces[i].time_s, pieces[i].repetitions) };
    const struct part part = { .entry = entry, .what = call ? CALLS : COPIES, .count = pieces[i].count };
    job->tour = SIZE_MAX;
    job->piece = &pieces[i];
    status = add_request(job, part, call ? pricing->candidates->entries[entry].group : PPI_MEMO_NONE, pieces[i].key,
                         &request, error);
  }
  job->piece = NULL;
  job->tour = SIZE_MAX;
  if (!status && ppi_contraction_is_shortened(group_of(pricing, entry)) && group_of(pricing, entry)->zero)
    status = add_zero(job, entry, 1.0, error);
  return status;
}

/* --- Sums ---------------------------------------------------------------------------------------------------------- */

static void add_times(struct perfpred_statistics *sum, const struct perfpred_statistics *term, double count) {
  struct perfpred_statistics scaled = *term;
  ppi_stats_scale(&scaled, count);
  ppi_stats_add(sum, &scaled);
}

/* Copies and zeros without a sampler. */
static void add_modelled(const struct ppi_contraction_pricing *pricing, struct ppi_contraction_entry *entry) {
  const struct ppi_contraction *contraction = &pricing->candidates->contraction;
  const size_t element_bytes = ppi_type_bytes(contraction->type, false);
  struct ppi_contract_call call;
  struct perfpred_statistics more = { 0.0, 0.0, 0.0, 0.0, 0.0 };
  ppi_contract_resolve(contraction, &entry->algorithm, &call);
  for (int i = 0; i < call.copy_count; i++)
    entry->copy_s +=
        ppi_contract_copies_made(&call, &call.copies[i]) *
        ppi_contraction_models_move(&pricing->models, pricing->kernels, &call, &call.copies[i], element_bytes);
  if (call.zero)
    entry->zero_s = ppi_contraction_models_fill(
        &pricing->models, (double)contraction->tensor[PPI_OPERANDS - 1].elements * (double)element_bytes);
  more.min = more.med = more.max = more.mean = entry->copy_s + entry->zero_s;
  ppi_stats_add(&entry->time_s, &more);
}

static void begin_entry(const struct ppi_contraction_pricing *pricing, struct ppi_contraction_entry *entry) {
  const struct ppi_contraction_group *group = &pricing->candidates->groups[entry->group];
  entry->time_s = (struct perfpred_statistics){ 0.0, 0.0, 0.0, 0.0, 0.0 };
  entry->copy_s = entry->zero_s = 0.0;
  entry->source = PERFPRED_CONTRACTION_MEASURED;
  if (!group->modelled)
    return;
  entry->source = PERFPRED_CONTRACTION_MODELLED;
  add_times(&entry->time_s, &group->model_s, group->calls);
  if (!pricing->sampler)
    add_modelled(pricing, entry);
}

static void add_to_entry(const struct job *job, const struct part *part) {
  const struct ppi_contraction_known *known = &job->pricing->memo.items[part->known];
  struct ppi_contraction_entry *entry = &job->pricing->candidates->entries[part->entry];
  add_times(&entry->time_s, &known->time_s, part->count);
  entry->copy_s += part->what == COPIES ? part->count * known->time_s.med : 0.0;
  entry->zero_s += part->what == ZERO ? part->count * known->time_s.med : 0.0;
  entry->cost_s += part->is_first ? known->cost_s : 0.0;
}

static void count_entry(struct ppi_contraction_pricing *pricing, size_t place) {
  const struct ppi_contraction_entry *entry = &pricing->candidates->entries[place];
  struct ppi_contraction_group *group = &pricing->candidates->groups[entry->group];
  if (entry->source == PERFPRED_CONTRACTION_DROPPED)
    return;
  group->predicted += entry->priced ? 0 : 1;
  group->best_s = fmin(group->best_s, entry->time_s.med);
}

/* The bound of its group stands for it. */
static void predict_roughly(struct ppi_contraction_pricing *pricing, size_t place) {
  struct ppi_contraction_entry *entry = &pricing->candidates->entries[place];
  const struct ppi_contraction_group *group = &pricing->candidates->groups[entry->group];
  const struct ppi_contraction *contraction = &pricing->candidates->contraction;
  const double moved_s = 2.0 * (double)ppi_type_bytes(contraction->type, false) / PPI_CONTRACTION_MEMORY_RATE;
  struct ppi_contract_call call;
  ppi_contract_resolve(contraction, &entry->algorithm, &call);
  entry->copy_s = entry->zero_s = 0.0;
  for (int i = 0; i < call.copy_count; i++)
    entry->copy_s += ppi_contract_copies_made(&call, &call.copies[i]) * (double)call.copies[i].elements * moved_s;
  if (call.zero)
    entry->zero_s = 0.5 * (double)contraction->tensor[PPI_OPERANDS - 1].elements * moved_s;
  const double time_s = group->call_s * group->calls + entry->copy_s + entry->zero_s;
  assert(time_s > 0.0);
  entry->time_s = (struct perfpred_statistics){ time_s, time_s, time_s, time_s, 0.0 };
  entry->source = PERFPRED_CONTRACTION_ROUGH;
}

/* --- All together -------------------------------------------------------------------------------------------------- */

static enum perfpred_status add_entry(struct job *job, size_t entry, struct perfpred_error *error) {
  const struct ppi_contraction_pricing *pricing = job->pricing;
  const bool modelled = group_of(pricing, entry)->modelled;
  job->tour = SIZE_MAX;
  if (ppi_contraction_price_idle(pricing) || (modelled && !pricing->sampler))
    return PERFPRED_OK;
  enum perfpred_status status = add_pieces(job, entry, error);
  if (status || ppi_contraction_is_shortened(group_of(pricing, entry)))
    return status;
  if (modelled)
    return add_occurrences(job, entry, true, error);
  return ppi_contraction_is_replayed(pricing) ? add_windows(job, entry, error)
                                              : add_occurrences(job, entry, false, error);
}

static enum perfpred_status run(struct job *job, const size_t *entries, size_t count, struct perfpred_error *error) {
  struct ppi_contraction_pricing *pricing = job->pricing;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = add_entry(job, entries[i], error);
  if (!status && job->batch.request_count > 0)
    status = ppi_contraction_batch_run(&job->batch, pricing->sampler, &pricing->sampling, error);
  if (status)
    return status;
  ppi_contraction_memo_take(&pricing->memo, &job->batch);
  pricing->benchmarks += job->batch.request_count;
  for (size_t i = 0; i < count; i++)
    begin_entry(pricing, &pricing->candidates->entries[entries[i]]);
  for (size_t i = 0; i < job->part_count; i++)
    add_to_entry(job, &job->parts[i]);
  for (size_t i = 0; i < count; i++) {
    struct ppi_contraction_entry *entry = &pricing->candidates->entries[entries[i]];
    if (isnan(entry->time_s.med)) /* no sample was taken of some part */
      entry->source = PERFPRED_CONTRACTION_DROPPED;
  }
  return PERFPRED_OK;
}

/* A time far below what the calls take alone is one of a clock that was disturbed. */
static bool is_plausible(const struct ppi_contraction_pricing *pricing, size_t entry) {
  return !(pricing->candidates->entries[entry].time_s.med < PLAUSIBLE * group_of(pricing, entry)->bound_s);
}

/* Entries that are not plausible come first in the list then; how many. What was measured of them is forgotten. */
static size_t find_implausible(struct job *job, size_t *entries, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t entry = entries[i];
    if (is_plausible(job->pricing, entry))
      continue;
    for (size_t k = 0; k < job->part_count; k++)
      if (job->parts[k].entry == entry && job->parts[k].what == CALLS)
        ppi_contraction_memo_forget(&job->pricing->memo, job->parts[k].known);
    entries[i] = entries[found];
    entries[found++] = entry;
  }
  return found;
}

static enum perfpred_status run_once(struct ppi_contraction_pricing *pricing, size_t *entries, size_t *count,
                                     struct perfpred_error *error) {
  struct job job = { .pricing = pricing, .batch = { .contraction = &pricing->candidates->contraction } };
  const size_t before = pricing->memo.count;
  enum perfpred_status status = run(&job, entries, *count, error);
  if (status)
    ppi_contraction_memo_cut(&pricing->memo, before);
  else
    *count = find_implausible(&job, entries, *count);
  free(job.parts);
  ppi_contraction_batch_free(&job.batch);
  return status;
}

enum perfpred_status ppi_contraction_price(struct ppi_contraction_pricing *pricing, const size_t *entries, size_t count,
                                           struct perfpred_error *error) {
  size_t *left = malloc((count + 1) * sizeof *left);
  size_t left_count = count;
  if (!left)
    return ppi_error_memory(error);
  memcpy(left, entries, count * sizeof *left);
  enum perfpred_status status = PERFPRED_OK;
  for (int attempt = 0; attempt < ATTEMPTS && left_count > 0 && !status; attempt++)
    status = run_once(pricing, left, &left_count, error);
  for (size_t i = 0; i < left_count && !status; i++)
    predict_roughly(pricing, left[i]);
  for (size_t i = 0; i < count && !status; i++)
    count_entry(pricing, entries[i]);
  free(left);
  return status;
}

void ppi_contraction_price_rough(struct ppi_contraction_pricing *pricing, size_t entry) {
  predict_roughly(pricing, entry);
  count_entry(pricing, entry);
}
