/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a unit, and what stands around them. */
#include "measure/evict.h"
#include "measure/unit.h"

bool ppi_unit_is_parallel(const struct ppi_placed_unit *unit) {
  return unit->text->lane_count > 1;
}

void ppi_unit_run_lane(void *data, int index) {
  struct ppi_placed_unit *unit = data;
  const struct ppi_script_lane *lane = &unit->script->lanes[unit->text->lane_first + (size_t)index];
  struct ppi_frame *frames = &unit->frames[lane->call_first - unit->first_call];
  struct ppi_lane_mark *mark = unit->marks != NULL ? &unit->marks[index] : NULL;
  for (size_t i = 0; i < lane->call_count; i++) {
    ppi_mark_enter(mark, lane->call_first + i);
    ppi_frame_call(&frames[i]);
  }
  ppi_mark_leave(mark);
}

void ppi_unit_run(void *data) {
  struct ppi_placed_unit *unit = data;
  if (ppi_unit_is_parallel(unit))
    ppi_team_run(unit->core->team, ppi_unit_run_lane, unit);
  else
    ppi_unit_run_lane(unit, 0);
}

void ppi_unit_reset(void *data) {
  struct ppi_placed_unit *unit = data;
  if (ppi_unit_is_parallel(unit))
    ppi_team_park(unit->core->team);
  ppi_core_announce(unit->core, unit->what);
  ppi_unit_restore(unit);
}

static void touch_accesses(const struct ppi_placed_unit *unit) {
  const struct ppi_script_settings *settings = &unit->text->settings;
  for (size_t i = 0; i < settings->access_count; i++) {
    const struct ppi_script_access *access = &unit->script->accesses[settings->access_first + i];
    size_t element = ppi_type_bytes(unit->script->buffers[access->buffer].type, false);
    const unsigned char *base = ppi_unit_buffer(unit, access->buffer);
    ppi_touch(base + (size_t)access->first * element, base + (size_t)access->end * element);
  }
}

enum ppi_precondition ppi_unit_precondition(const struct ppi_placed_unit *unit) {
  const struct ppi_script_settings *settings = &unit->text->settings;
  if (settings->fresh && settings->precondition == PPI_WARM)
    return PPI_BARE;
  if (settings->precondition == PPI_FLUSH && unit->core->eviction == PPI_EVICT_NONE)
    return PPI_SWEEP;
  return settings->precondition;
}

bool ppi_unit_is_warmed(const struct ppi_placed_unit *unit) {
  enum ppi_precondition precondition = ppi_unit_precondition(unit);
  bool warm = precondition == PPI_WARM || precondition == PPI_IN_CACHE || precondition == PPI_OUTER_CACHE;
  return warm && !unit->text->settings.fresh;
}

static void touch_operands(const struct ppi_placed_unit *unit, bool written_too) {
  for (size_t i = 0; i < unit->place_count; i++)
    if (written_too || !unit->places[i].written)
      ppi_touch_area(&unit->places[i].area);
}

void ppi_unit_prepare(void *data) {
  struct ppi_placed_unit *unit = data;
  enum ppi_precondition precondition = ppi_unit_precondition(unit);
  if (precondition == PPI_IN_CACHE || precondition == PPI_OUTER_CACHE)
    touch_operands(unit, precondition == PPI_OUTER_CACHE);
  if (precondition == PPI_OUTER_CACHE)
    ppi_core_displace(unit->core);
  if (precondition == PPI_FLUSH)
    ppi_unit_evict(unit);
  if (precondition == PPI_SWEEP)
    ppi_core_sweep(unit->core);
  touch_accesses(unit);
  if (ppi_unit_is_parallel(unit))
    ppi_team_arm(unit->core->team);
}

enum perfpred_status ppi_unit_check(void *data, struct perfpred_error *error) {
  const struct ppi_placed_unit *unit = data;
  for (size_t i = 0; i < unit->call_count; i++) {
    char what[300];
    if (ppi_frame_info(&unit->frames[i]) == 0)
      continue;
    ppi_script_describe_call(unit->script, (size_t)(unit->text - unit->script->units), unit->first_call + i, what,
                             sizeof what);
    return ppi_call_check(&unit->frames[i], what, error);
  }
  return PERFPRED_OK;
}
