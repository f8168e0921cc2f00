/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_effort.h"

#include <math.h>

#include "api/contraction_whole.h"
#include "measure/schedule.h"

#define REPETITIONS 10
#define LONG_S 2e-3       /* what takes so long is sampled once, if need be */
#define PATIENCE 2.5      /* times what a micro-benchmark takes at least */
#define ENTRY_S 5e-3      /* time that predicting an algorithm should take */
#define READINGS_S 150e-6 /* yardsticks around a batch */
#define OCCURRENCES 3.0   /* kinds of them, roughly */

static const struct ppi_contraction_group *group_of(const struct ppi_contraction_pricing *pricing, size_t entry) {
  return &pricing->candidates->groups[pricing->candidates->entries[entry].group];
}

bool ppi_contraction_price_idle(const struct ppi_contraction_pricing *pricing) {
  return !(pricing->candidates->contraction.flops > 0.0);
}

bool ppi_contraction_is_replayed(const struct ppi_contraction_pricing *pricing) {
  return (pricing->mode == PERFPRED_CONTRACTION_AUTO || pricing->mode == PERFPRED_CONTRACTION_REPLAY) &&
         pricing->stage != PERFPRED_CONTRACTION_STAGE_REPEATED;
}

double ppi_contraction_call_time(const struct ppi_contraction_group *group) {
  return group->call_s > 0.0 ? group->call_s : 1e-6;
}

/* Micro-benchmarks that an entry takes, roughly, and the time of a sample of one with all that is run before it. */
struct effort {
  double requests, sample_s;
};

static struct effort effort_of(const struct ppi_contraction_pricing *pricing, size_t entry) {
  const struct ppi_contraction_group *group = group_of(pricing, entry);
  const struct ppi_contraction_windows *windows = &pricing->candidates->entries[entry].windows;
  if (group->modelled || ppi_contraction_price_idle(pricing))
    return (struct effort){ 0.0, 0.0 };
  if (ppi_contraction_is_replayed(pricing))
    return (struct effort){ windows->strata.count, ppi_contraction_windows_iterations(windows) *
                                                       ppi_contraction_call_time(group) / windows->strata.count };
  const double remote_s = pricing->stage == PERFPRED_CONTRACTION_STAGE_REPEATED
                              ? 0.0
                              : pricing->caches.factor * (double)pricing->caches.bytes / PPI_CONTRACTION_MEMORY_RATE;
  return (struct effort){ OCCURRENCES, fmax(ppi_contraction_call_time(group), PPI_CONTRACTION_SHORT_S) + remote_s };
}

/* Samplers take short samples in batches of some length, of which a few are enough. */
static double request_s(double sample_s, int repetitions) {
  const double batch_s = fmax(sample_s, PPI_BATCH_S) + READINGS_S;
  const int batches = sample_s < PPI_BATCH_S && repetitions > PPI_BATCHES_MIN ? PPI_BATCHES_MIN : repetitions;
  return batches * batch_s + sample_s;
}

int ppi_contraction_repetitions(const struct ppi_contraction_pricing *pricing, size_t entry) {
  const struct effort effort = effort_of(pricing, entry);
  if (pricing->repetitions > 0)
    return pricing->repetitions;
  const double each_s = request_s(effort.sample_s, 1) * effort.requests * pricing->overhead;
  const double least = effort.sample_s > LONG_S ? 1.0 : PPI_CONTRACTION_REPETITIONS_LEAST;
  return (int)fmax(least, fmin(REPETITIONS, ENTRY_S / fmax(each_s, 1e-9)));
}

double ppi_contraction_patience(double sample_s, int repetitions) {
  return PATIENCE * request_s(sample_s, repetitions);
}

double ppi_contraction_limit(const struct ppi_contraction_pricing *pricing, size_t entry) {
  return ppi_contraction_patience(effort_of(pricing, entry).sample_s, ppi_contraction_repetitions(pricing, entry));
}

double ppi_contraction_price_cost(const struct ppi_contraction_pricing *pricing, size_t entry) {
  const struct effort effort = effort_of(pricing, entry);
  struct ppi_contraction_piece pieces[PPI_PIECES_MAX];
  const int count = ppi_contraction_price_idle(pricing) ? 0 : ppi_contraction_pieces(pricing, entry, pieces);
  double sum = ppi_contraction_is_shortened(group_of(pricing, entry))
                   ? 0.0
                   : effort.requests * request_s(effort.sample_s, ppi_contraction_repetitions(pricing, entry));
  for (int i = 0; i < count; i++)
    sum += request_s(pieces[i].time_s, pieces[i].repetitions);
  return sum * pricing->overhead;
}
