/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/stamps.h"

#include <stdlib.h>

enum perfpred_status ppi_stamps_begin(struct ppi_stamps *stamps, const struct perfpred_program *program,
                                      struct perfpred_error *error) {
  enum perfpred_status status = ppi_calls_of(program, &stamps->calls, error);
  if (status == PERFPRED_OK && stamps->calls.count == 0)
    status =
        ppi_error_set(error, PERFPRED_INVALID, "%s calls no kernel, expected one whose calls are timed", program->name);
  return status;
}

enum perfpred_status ppi_stamps_allocate(struct ppi_stamps *stamps, const struct ppi_layout *layout,
                                         struct perfpred_error *error) {
  size_t frames = layout->frame_capacity + 1;
  stamps->part_count = stamps->apart ? layout->frame_capacity : stamps->calls.count;
  stamps->places = calloc(frames, sizeof *stamps->places);
  stamps->readings = calloc(frames + 1, sizeof *stamps->readings);
  stamps->times_s = calloc(stamps->part_count + 1, sizeof *stamps->times_s);
  return stamps->places && stamps->readings && stamps->times_s ? PERFPRED_OK : ppi_error_memory(error);
}

void ppi_stamps_free(struct ppi_stamps *stamps) {
  free(stamps->times_s);
  free(stamps->readings);
  free(stamps->places);
  ppi_calls_free(&stamps->calls);
}

enum perfpred_status ppi_stamps_call(struct ppi_stamps *stamps, struct ppi_layout *layout, const struct ppi_node *node,
                                     const struct ppi_value *values, struct perfpred_error *error) {
  size_t before = layout->frame_count;
  enum perfpred_status status = ppi_layout_call(layout, node, values, error);
  if (status == PERFPRED_OK && !layout->planning && layout->frame_count > before)
    stamps->places[before] = stamps->apart ? before : ppi_calls_place(&stamps->calls, node);
  return status;
}

void ppi_stamps_run(struct ppi_stamps *stamps, const struct ppi_layout *layout, size_t first, bool named) {
  const struct ppi_clock *clock = &layout->core->bench.wall;
  stamps->readings[0] = clock->now(clock->state);
  for (size_t i = first; i < layout->frame_count; i++) {
    if (named)
      ppi_layout_announce_call(layout, &layout->frames[i]);
    ppi_frame_call(&layout->frames[i]);
    stamps->readings[i - first + 1] = clock->now(clock->state);
  }
}

const double *ppi_stamps_times(struct ppi_stamps *stamps, const struct ppi_layout *layout, size_t first) {
  const struct ppi_clock *clock = &layout->core->bench.wall;
  double least = clock->resolution_s > 2e-10 ? 0.5 * clock->resolution_s : 1e-10;
  for (size_t i = 0; i < stamps->part_count; i++)
    stamps->times_s[i] = -1.0;
  for (size_t i = first; i < layout->frame_count; i++) {
    const double *reading = &stamps->readings[i - first];
    double *time = &stamps->times_s[stamps->places[i]];
    double own = reading[1] - reading[0] - clock->overhead_s - ppi_core_overhead(layout->core, &layout->frames[i]);
    *time = (*time > 0.0 ? *time : 0.0) + (own > least ? own : least);
  }
  return stamps->times_s;
}
