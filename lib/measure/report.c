/* SPDX-License-Identifier: BSD-3-Clause */
/* What a script's units came to, as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "measure/core_state.h"
#include "measure/interval.h"

static void put_string(struct ppi_text *text, const char *string) {
  ppi_text_append(text, "\"");
  for (const char *at = string; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\')
      ppi_text_append(text, "\\");
    if ((unsigned char)*at < ' ')
      ppi_text_append(text, " ");
    else
      ppi_text_append_n(text, at, 1);
  }
  ppi_text_append(text, "\"");
}

static void put_number(struct ppi_text *text, double value) {
  if (isfinite(value))
    ppi_text_real(text, value);
  else
    ppi_text_append(text, "null");
}

static void key_string(struct ppi_text *text, const char *key, const char *value) {
  ppi_text_printf(text, ",\"%s\":", key);
  put_string(text, value);
}

static void key_number(struct ppi_text *text, const char *key, double value) {
  ppi_text_printf(text, ",\"%s\":", key);
  put_number(text, value);
}

static void key_integer(struct ppi_text *text, const char *key, uint64_t value) {
  ppi_text_printf(text, ",\"%s\":%" PRIu64, key, value);
}

static void key_boolean(struct ppi_text *text, const char *key, bool value) {
  ppi_text_printf(text, ",\"%s\":%s", key, value ? "true" : "false");
}

static const char *precondition_name(const struct ppi_script_settings *settings) {
  static const char *const names[] = { "warm", "cold-flush", "cold-sweep", "none", "in-cache", "outer-cache" };
  return settings->fresh && settings->precondition == PPI_WARM ? "none" : names[settings->precondition];
}

static double flops_of(const struct ppi_script *script, const struct ppi_script_unit *unit) {
  double flops = 0.0;
  for (size_t i = 0; i < unit->lane_count; i++) {
    const struct ppi_script_lane *lane = &script->lanes[unit->lane_first + i];
    for (size_t k = 0; k < lane->call_count; k++) {
      const struct ppi_script_call *call = &script->calls[lane->call_first + k];
      flops += ppi_kernel_flops(call->kernel, call->values);
    }
  }
  return flops;
}

static void put_calls(struct ppi_text *text, const struct ppi_script *script, const struct ppi_script_unit *unit) {
  ppi_text_append(text, ",\"lanes\":[");
  for (size_t i = 0; i < unit->lane_count; i++) {
    const struct ppi_script_lane *lane = &script->lanes[unit->lane_first + i];
    ppi_text_append(text, i > 0 ? ",[" : "[");
    for (size_t k = 0; k < lane->call_count; k++) {
      const struct ppi_script_call *call = &script->calls[lane->call_first + k];
      char one[256];
      ppi_call_describe(call->kernel, call->values, one, sizeof one);
      ppi_text_append(text, k > 0 ? "," : "");
      put_string(text, one);
    }
    ppi_text_append(text, "]");
  }
  ppi_text_append(text, "]");
}

/* One list for each member of the samples: compact, and what plotting programs want. */
static void put_samples(struct ppi_text *text, const struct ppi_result *result) {
  static const char *const keys[] = { "wall_s", "cpu_s", "before_s", "after_s", "preempted", "passed" };
  ppi_text_append(text, ",\"samples\":{");
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    ppi_text_printf(text, "%s\"%s\":[", k > 0 ? "," : "", keys[k]);
    for (size_t i = 0; i < result->sample_count; i++) {
      const struct ppi_sample *sample = &result->samples[i];
      const double numbers[] = { sample->wall_s, sample->cpu_s, sample->before_s, sample->after_s };
      ppi_text_append(text, i > 0 ? "," : "");
      if (k < 4)
        put_number(text, numbers[k]);
      else
        ppi_text_append(text, (k == 4 ? sample->preempted : sample->passed) ? "true" : "false");
    }
    ppi_text_append(text, "]");
  }
  ppi_text_append(text, "}");
}

static void put_counters(struct ppi_text *text, const struct ppi_script *script,
                         const struct ppi_script_settings *settings, const struct ppi_unit_result *result) {
  if (settings->event_count == 0)
    return;
  ppi_text_append(text, ",\"counters\":[");
  for (size_t i = 0; i < settings->event_count; i++) {
    ppi_text_append(text, i > 0 ? ",{\"name\":" : "{\"name\":");
    put_string(text, script->events[settings->event_first + i].name);
    if (i < result->count_count && result->counts[i] != PPI_COUNT_NONE)
      ppi_text_printf(text, ",\"value\":%" PRId64 "}", result->counts[i]);
    else
      ppi_text_append(text, ",\"value\":null}");
  }
  ppi_text_append(text, "]");
  if (result->note[0] != '\0')
    key_string(text, "counters_note", result->note);
}

static void put_statistics(struct ppi_text *text, const struct perfpred_statistics *statistics) {
  static const char *const names[] = { "min", "med", "max", "mean", "std" };
  const double values[] = { statistics->min, statistics->med, statistics->max, statistics->mean, statistics->std };
  ppi_text_append(text, ",\"time_s\":{");
  for (int i = 0; i < PPI_STATISTICS; i++) {
    ppi_text_printf(text, "%s\"%s\":", i > 0 ? "," : "", names[i]);
    put_number(text, values[i]);
  }
  ppi_text_append(text, "}");
}

/* Sorts the times. */
static void put_times(struct ppi_text *text, const struct ppi_script_settings *settings, struct ppi_result *result,
                      double flops) {
  struct perfpred_statistics statistics;
  double lower = NAN, upper = NAN;
  ppi_stats_of(result->times_s, result->count, &statistics);
  bool known = ppi_interval_median(result->times_s, result->count, &lower, &upper);
  put_statistics(text, &statistics);
  ppi_text_append(text, ",\"interval_s\":");
  if (known) {
    ppi_text_append(text, "[");
    put_number(text, lower);
    ppi_text_append(text, ",");
    put_number(text, upper);
    ppi_text_append(text, "]");
  } else
    ppi_text_append(text, "null");
  if (settings->stable > 0.0)
    key_boolean(text, "stable", known && upper - lower <= settings->stable * statistics.med);
  key_number(text, "first_s", result->first_s);
  key_number(text, "cpu_s", result->cpu_s);
  key_number(text, "flops", flops);
  key_number(text, "flops_per_s", statistics.med > 0.0 ? flops / statistics.med : NAN);
}

static void put_threads(struct ppi_text *text, const struct ppi_unit_result *result) {
  key_integer(text, "threads", (uint64_t)result->threads);
  ppi_text_append(text, ",\"cpus\":[");
  for (int i = 0; i < result->cpu_count; i++)
    ppi_text_printf(text, "%s%d", i > 0 ? "," : "", result->cpus[i]);
  ppi_text_append(text, "]");
}

static void put_result(struct ppi_text *text, const struct ppi_script *script, const struct ppi_script_unit *unit,
                       const struct ppi_unit_result *result) {
  struct ppi_result timing = result->timing;
  size_t all = timing.sample_count;
  put_times(text, &unit->settings, &timing, flops_of(script, unit));
  key_integer(text, "reps", timing.count);
  key_integer(text, "disturbed", timing.disturbed);
  key_number(text, "disturbed_share", all > 0 ? (double)timing.disturbed / (double)all : 0.0);
  key_boolean(text, "gated", timing.gated);
  put_threads(text, result);
  put_counters(text, script, &unit->settings, result);
  put_samples(text, &timing);
}

static void put_unit(struct ppi_text *text, const struct ppi_script *script, size_t number,
                     const struct ppi_outcome *outcome) {
  const struct ppi_script_unit *unit = &script->units[number];
  char what[1024];
  ppi_script_describe(script, number, what, sizeof what);
  ppi_text_append(text, "{\"call\":");
  put_string(text, what);
  key_integer(text, "line", (uint64_t)unit->line);
  key_integer(text, "batch", (uint64_t)unit->batch);
  key_string(text, "kind", !unit->region ? "call" : unit->parallel ? "parallel" : "sequence");
  if (unit->region)
    put_calls(text, script, unit);
  key_string(text, "precondition", precondition_name(&unit->settings));
  key_string(text, "operands", unit->settings.fresh ? "fresh" : "fixed");
  key_string(text, "status", perfpred_status_name(outcome->status));
  if (outcome->status == PERFPRED_OK)
    put_result(text, script, unit, &outcome->result);
  else
    key_string(text, "error", outcome->text);
  ppi_text_append(text, "}");
}

char *ppi_report_script(const struct ppi_script *script, const struct ppi_outcome *outcomes,
                        const struct ppi_setup *setup) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_append(&text, "{\"clock\":");
  put_string(&text, setup->clock);
  key_number(&text, "yardstick_s", setup->yardstick_s);
  key_number(&text, "yardstick_reference_s", setup->reference_s);
  key_integer(&text, "threads", (uint64_t)setup->threads);
  key_string(&text, "threads_note", setup->note);
  key_string(&text, "blas", setup->blas.path);
  key_string(&text, "lapack", setup->lapack.path);
  ppi_text_append(&text, ",\"calls\":[");
  for (size_t i = 0; i < script->unit_count; i++) {
    ppi_text_append(&text, i > 0 ? "," : "");
    put_unit(&text, script, i, &outcomes[i]);
  }
  ppi_text_append(&text, "]}");
  return ppi_text_take(&text);
}
