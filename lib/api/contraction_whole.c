/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE 5e9         /* bytes per second, read and written, roughly */
#define COPY_BYTES 16e6  /* of a tensor are copied, or what the caches hold, */
#define COPY_MOST 48e6   /* up to so many */
#define REMOTE_MOST 64e6 /* of other memory, that is read before a copy */
#define CALL_S 4e-3      /* longer calls are shortened, */
#define SHORTENED_S 2e-3 /* to about so long */
#define INTENSE 64.0     /* products for each element of the operands, from where on memory is of no matter */
#define LONG_S 2e-3      /* what takes so long is sampled once, */
#define REPETITIONS 2    /* what takes less so often */

/* --- Copies -------------------------------------------------------------------------------------------------------- */

/* The dimension to halve: what lies far apart in both memories, so that lines and what is next to them stay as they are. -1: none. */
static int find_far(const struct ppi_contract_copy *copy) {
  int far = -1;
  double farthest = 0.0;
  for (int d = 0; d < copy->rank; d++) {
    const double apart = (double)copy->dimensions[d].tensor * (double)copy->dimensions[d].packed;
    if (copy->dimensions[d].extent > 1 && apart > farthest) {
      farthest = apart;
      far = d;
    }
  }
  return far;
}

static const struct ppi_contract_copy *copy_of(const struct ppi_contract_call *call, int operand) {
  int i = 0;
  while (call->copies[i].operand != operand)
    i++;
  return &call->copies[i];
}

/* Fewer elements; returns how many times as many the whole has. */
static double shorten(struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm, int operand,
                      double most, struct ppi_contract_call *call) {
  ppi_contract_resolve(contraction, algorithm, call);
  const double all = (double)copy_of(call, operand)->elements;
  for (;;) {
    const struct ppi_contract_copy *copy = copy_of(call, operand);
    const int far = find_far(copy);
    if ((double)copy->elements <= most || far < 0)
      return all / (double)copy->elements;
    contraction->index[copy->dimensions[far].index].extent /= 2;
    ppi_contract_resolve(contraction, algorithm, call);
  }
}

/* The same copy of the same tensor is the same benchmark, whoever makes it. */
static void write_key(const struct ppi_contract_copy *copy, bool out, char *key, size_t size) {
  int length = snprintf(key, size, "whole %d %d", copy->operand, out);
  for (int d = 0; d < copy->rank && length > 0 && (size_t)length < size; d++)
    length += snprintf(key + length, size - (size_t)length, " %" PRId64 " %" PRId64, copy->dimensions[d].extent,
                       copy->dimensions[d].tensor);
}

static void make_copy(const struct ppi_contraction_candidates *candidates, const struct ppi_contraction_entry *entry,
                      int operand, bool out, double bytes, struct ppi_contraction_piece *piece) {
  const double element_bytes = (double)ppi_type_bytes(candidates->contraction.type, false);
  struct ppi_contract_call call;
  *piece = (struct ppi_contraction_piece){ .contraction = candidates->contraction,
                                           .algorithm = &entry->algorithm,
                                           .subject = out ? PPI_TOUR_COPY_OUT : PPI_TOUR_COPY_IN,
                                           .operand = operand };
  piece->count = shorten(&piece->contraction, &entry->algorithm, operand, bytes / element_bytes, &call);
  const struct ppi_contract_copy *copy = copy_of(&call, operand);
  piece->time_s = 2.0 * (double)copy->elements * element_bytes / RATE;
  write_key(copy, out, piece->key, sizeof piece->key);
}

/* --- Calls --------------------------------------------------------------------------------------------------------- */

bool ppi_contraction_is_shortened(const struct ppi_contraction_group *group) {
  return group->derived && group->call_s > CALL_S && !group->modelled;
}

static double extent_of(const struct ppi_contraction_group *group, int index) {
  return index >= 0 ? (double)group->derived->index[index].extent : 1.0;
}

/* How much of the work is to be left. Where little is computed with each element, memory counts: then as much is touched as of a copy. */
static double least_work(const struct ppi_contraction_group *group, double bytes) {
  const double k = extent_of(group, group->nest.contracted), a = extent_of(group, group->nest.free_a);
  const double b = extent_of(group, group->nest.free_b), work = k * a * b;
  const double intensity = work / (k * a + k * b + a * b);
  const double short_work = work * SHORTENED_S / group->call_s;
  const double elements = bytes / (double)ppi_type_bytes(group->derived->type, false);
  return intensity < INTENSE ? fmax(short_work, intensity * elements) : short_work;
}

static void make_call(const struct ppi_contraction_group *group, double bytes, struct ppi_contraction_piece *piece) {
  double ratio = 1.0;
  *piece = (struct ppi_contraction_piece){
    .contraction = *group->derived, .algorithm = &group->nest, .subject = PPI_TOUR_CALL, .key = "shorter"
  };
  ppi_contraction_price_clip(&piece->contraction, piece->algorithm, least_work(group, bytes), &ratio);
  piece->count = group->calls * ratio;
  piece->time_s = group->call_s / ratio;
}

/* Copies go through more than the caches hold, a part of one would not. */
static int64_t displaced(const struct ppi_contraction_pricing *pricing, const struct ppi_contraction_group *group,
                         const struct ppi_contraction_piece *piece) {
  const double all = pricing->candidates->tensor_bytes + group->work_bytes;
  if (piece->subject == PPI_TOUR_CALL || all <= (double)pricing->caches.bytes ||
      pricing->stage == PERFPRED_CONTRACTION_STAGE_REPEATED)
    return 0;
  return (int64_t)fmin(pricing->caches.factor * (double)pricing->caches.bytes, REMOTE_MOST);
}

int ppi_contraction_pieces(const struct ppi_contraction_pricing *pricing, size_t entry,
                           struct ppi_contraction_piece pieces[PPI_PIECES_MAX]) {
  const struct ppi_contraction_candidates *candidates = pricing->candidates;
  const struct ppi_contraction_entry *it = &candidates->entries[entry];
  const struct ppi_contraction_group *group = &candidates->groups[it->group];
  const double bytes = fmax(COPY_BYTES, fmin((double)pricing->caches.bytes, COPY_MOST));
  struct ppi_contract_call call;
  int count = 0;
  if (!group->derived)
    return 0;
  ppi_contract_resolve(&candidates->contraction, &it->algorithm, &call);
  for (int i = 0; i < call.copy_count; i++)
    for (int out = 0; out < 2; out++)
      if (out ? call.copies[i].out : call.copies[i].in)
        make_copy(candidates, it, call.copies[i].operand, out, bytes, &pieces[count++]);
  if (ppi_contraction_is_shortened(group))
    make_call(group, bytes, &pieces[count++]);
  for (int i = 0; i < count; i++)
    pieces[i].remote_bytes = displaced(pricing, group, &pieces[i]);
  for (int i = 0; i < count; i++)
    pieces[i].repetitions = pricing->repetitions > 0    ? pricing->repetitions
                            : pieces[i].time_s > LONG_S ? 1
                                                        : REPETITIONS;
  return count;
}
