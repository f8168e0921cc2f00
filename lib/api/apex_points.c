/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of Apex-MAP, measured and placed in the plane; with samples of an application, such as aim at its rectangles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/apex.h"
#include "base/stats.h"
#include "machine/levels.h"
#include "measure/sampler.h"

#define CACHE_MAX ((int64_t)64 << 20) /* a larger one is reported where others have most of it */
#define CACHE_OTHERWISE ((int64_t)32 << 20)
#define LINE_BYTES 64.0
#define ROUNDS_MAX 16 /* of aiming */
#define SEED 1

/* How one point came about. */
struct origin {
  double noise;
  uint64_t repetitions;
  bool gated, aimed;
  bool counted[PPI_APEX_EVENTS];
};

struct campaign {
  struct perfpred_sampler *sampler;
  struct perfpred_apex_options options;
  struct ppi_apex_samples samples; /* empty: nothing is aimed at */
  struct ppi_apex_plane plane;
  struct ppi_apex_run *runs; /* room for runs_max */
  size_t run_count;
  struct ppi_apex_points points; /* room for as many */
  struct origin *origins;
  struct ppi_apex_mix mix;
  struct ppi_apex_choice *choices;
  struct ppi_apex_cover cover;
  const char *cache_source, *clock_source;
  char note[1024];
  size_t measured_before; /* of earlier batches, for progress */
  struct perfpred_error *error;
};

/* --- What is run --------------------------------------------------------------------------------------------------------- */

/* What a run here finds of the outermost cache; 0: it cannot be measured, or the last level was not seen to end. */
static enum perfpred_status measure_cache(struct campaign *campaign, int64_t *bytes) {
  struct perfpred_sampler *sampler = campaign->sampler;
  struct ppi_curve curve;
  struct ppi_effective levels[PPI_CACHE_MAX];
  *bytes = 0;
  if (sampler->ops->caches == NULL)
    return PERFPRED_OK;
  enum perfpred_status status = sampler->ops->caches(sampler, (double)INFINITY, &curve, campaign->error);
  const int count = status == PERFPRED_OK ? ppi_levels_find(&curve, levels) : 0;
  if (count > 1) /* the last one is memory */
    *bytes = levels[count - 2].bytes;
  return status;
}

static enum perfpred_status find_cache(struct campaign *campaign, const struct ppi_machine *machine, int64_t *bytes) {
  int64_t largest = 0, measured = 0;
  *bytes = campaign->options.cache_bytes;
  campaign->cache_source = "given";
  if (*bytes > 0)
    return PERFPRED_OK;
  enum perfpred_status status = measure_cache(campaign, &measured);
  for (int i = 0; i < machine->cache_count; i++)
    if (machine->caches[i].bytes > largest)
      largest = machine->caches[i].bytes;
  campaign->cache_source = measured > 0          ? "measured"
                           : largest > CACHE_MAX ? "capped"
                           : largest > 0         ? "reported"
                                                 : "assumed";
  *bytes = measured > 0 ? measured : largest > CACHE_MAX ? CACHE_MAX : largest > 0 ? largest : CACHE_OTHERWISE;
  return status;
}

static enum perfpred_status place_of(struct campaign *campaign) {
  struct ppi_machine machine;
  struct ppi_setup setup;
  struct ppi_apex_points *points = &campaign->points;
  int64_t bytes = 0;
  enum perfpred_status status =
      campaign->sampler->ops->describe(campaign->sampler, 0.0, &machine, &setup, campaign->error);
  if (status == PERFPRED_OK)
    status = find_cache(campaign, &machine, &bytes);
  if (status != PERFPRED_OK)
    return status;
  points->cache = (struct ppi_apex_cache){ (double)bytes, LINE_BYTES };
  points->threads = campaign->options.threads > 0 ? campaign->options.threads : setup.threads;
  snprintf(points->cpu, sizeof points->cpu, "%s", machine.cpu);
  return PERFPRED_OK;
}

/* The runs asked for, or a part of the design that leaves room for aiming. */
static enum perfpred_status list_runs(struct campaign *campaign) {
  const struct perfpred_apex_options *options = &campaign->options;
  size_t most = (size_t)options->runs_max, wanted = most, base = 0;
  struct ppi_apex_run *runs = NULL;
  enum perfpred_status status;
  if (options->runs != NULL)
    status = ppi_apex_parse(options->runs, strlen(options->runs), "runs", most, &runs, &campaign->run_count,
                            campaign->error);
  else {
    status = ppi_apex_design(&campaign->points.cache, campaign->options.index_blocks, &runs, &campaign->run_count,
                             &base, campaign->error);
    if (campaign->samples.count > 0)
      wanted = base;
  }
  if (status != PERFPRED_OK)
    return status;
  wanted = wanted < most ? wanted : most;
  campaign->run_count = campaign->run_count < wanted ? campaign->run_count : wanted;
  memcpy(campaign->runs, runs, campaign->run_count * sizeof *runs);
  free(runs);
  return PERFPRED_OK;
}

/* --- Measuring ----------------------------------------------------------------------------------------------------------- */

static int tell(void *data, const struct perfpred_progress *progress) {
  const struct campaign *campaign = data;
  struct perfpred_progress whole = *progress;
  double all = (double)(campaign->samples.count > 0 ? (size_t)campaign->options.runs_max : campaign->run_count);
  double share = (double)(campaign->run_count - campaign->measured_before) / all;
  whole.fraction = fmin((double)campaign->measured_before / all + share * progress->fraction, 1.0);
  return campaign->options.progress(campaign->options.progress_data, &whole);
}

static enum perfpred_status sample(struct campaign *campaign, struct ppi_apex_report *report) {
  const struct perfpred_apex_options *options = &campaign->options;
  struct ppi_apex_batch batch = { .runs = campaign->runs + campaign->points.count,
                                  .count = campaign->run_count - campaign->points.count,
                                  .threads = campaign->points.threads,
                                  .warm_bytes = 2 * (int64_t)campaign->points.cache.bytes };
  struct ppi_sampling sampling = {
    .repetitions = options->repetitions, .gate = options->gate, .budget_s = options->budget_s, .seed = SEED
  };
  if (options->progress != NULL) {
    sampling.progress = tell;
    sampling.progress_data = campaign;
  }
  if (options->instruction_set != NULL)
    snprintf(batch.instruction_set, sizeof batch.instruction_set, "%s", options->instruction_set);
  campaign->measured_before = campaign->points.count;
  return campaign->sampler->ops->apex(campaign->sampler, &batch, &sampling, report, campaign->error);
}

/* Places a run; sorts its times. */
static enum perfpred_status add_point(struct campaign *campaign, struct ppi_apex_result *result, bool aimed) {
  struct ppi_apex_points *points = &campaign->points;
  const size_t number = points->count;
  struct ppi_apex_point *point = &points->items[number];
  struct origin *origin = &campaign->origins[number];
  const int64_t *counts = result->counts;
  *origin = (struct origin){ .noise = ppi_stats_noise(result->timing.times_s, result->timing.count),
                             .repetitions = result->timing.count,
                             .gated = result->timing.gated,
                             .aimed = aimed };
  *point = (struct ppi_apex_point){ .run = campaign->runs[number] };
  point->time_s = ppi_stats_median(result->timing.times_s, result->timing.count);
  double cycles = point->time_s * points->clock_hz * points->threads;
  for (int event = 0; event < PPI_APEX_EVENTS; event++)
    origin->counted[event] = counts[event] != PPI_COUNT_NONE && (counts[event] > 0 || event == PPI_APEX_MISSES);
  enum perfpred_status status = ppi_apex_traffic(&point->run, &points->cache, &point->bytes, campaign->error);
  if (status != PERFPRED_OK)
    return status;
  point->flops = origin->counted[PPI_APEX_FLOPS] ? (double)counts[PPI_APEX_FLOPS] : ppi_apex_flops(&point->run);
  if (origin->counted[PPI_APEX_MISSES])
    point->bytes = (double)counts[PPI_APEX_MISSES] * points->cache.line_bytes;
  if (origin->counted[PPI_APEX_CYCLES])
    cycles = (double)counts[PPI_APEX_CYCLES];
  point->x = point->bytes / cycles;
  point->y = point->flops / cycles;
  points->count++;
  return PERFPRED_OK;
}

static enum perfpred_status take_report(struct campaign *campaign, struct ppi_apex_report *report, size_t count) {
  const struct perfpred_apex_options *options = &campaign->options;
  const bool first = campaign->points.count == 0;
  if (first) {
    campaign->clock_source = options->clock_hz > 0.0 ? "given" : "measured";
    campaign->points.clock_hz = options->clock_hz > 0.0 ? options->clock_hz : report->clock_hz;
    snprintf(campaign->points.instruction_set, sizeof campaign->points.instruction_set, "%s", report->instruction_set);
    snprintf(campaign->note, sizeof campaign->note, "%s", report->note);
  }
  if (!(campaign->points.clock_hz > 0.0))
    return ppi_error_set(campaign->error, PERFPRED_UNSUPPORTED,
                         "the clock of the core cannot be measured here, expected options.clock_hz");
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++)
    status = add_point(campaign, &report->results[i], !first);
  return status;
}

/* The runs that are listed and not measured yet. */
static enum perfpred_status measure(struct campaign *campaign) {
  const size_t count = campaign->run_count - campaign->points.count;
  struct ppi_apex_report report = { .results = calloc(count + 1, sizeof *report.results) };
  if (report.results == NULL)
    return ppi_error_memory(campaign->error);
  enum perfpred_status status = sample(campaign, &report);
  if (status == PERFPRED_OK) {
    status = take_report(campaign, &report, count);
    ppi_apex_results_free(report.results, count);
  }
  free(report.results);
  return status;
}

/* --- Aiming -------------------------------------------------------------------------------------------------------------- */

static enum perfpred_status weigh(struct campaign *campaign) {
  enum perfpred_status status =
      ppi_apex_mix_create(&campaign->samples, campaign->points.clock_hz * campaign->points.threads, &campaign->plane,
                          &campaign->mix, campaign->error);
  if (status != PERFPRED_OK)
    return status;
  campaign->choices = calloc(campaign->mix.count, sizeof *campaign->choices);
  return campaign->choices != NULL ? PERFPRED_OK : ppi_error_memory(campaign->error);
}

static void choose(struct campaign *campaign) {
  ppi_apex_choose(&campaign->mix, &campaign->plane, campaign->points.items, campaign->points.count,
                  campaign->options.threshold, campaign->choices, &campaign->cover);
}

static enum perfpred_status take_aim(struct campaign *campaign, const struct ppi_apex_walks *walks) {
  const struct ppi_apex_target target = { .mix = &campaign->mix,
                                          .plane = &campaign->plane,
                                          .choices = campaign->choices,
                                          .clock_hz = campaign->points.clock_hz,
                                          .threads = campaign->points.threads };
  enum perfpred_status status = PERFPRED_OK;
  choose(campaign);
  for (int round = 0; round < ROUNDS_MAX && status == PERFPRED_OK; round++) {
    size_t made = 0, left = (size_t)campaign->options.runs_max - campaign->run_count;
    status = ppi_apex_aim(&target, walks, campaign->points.items, campaign->points.count,
                          campaign->runs + campaign->run_count, left, &made, campaign->error);
    if (status != PERFPRED_OK || made == 0)
      break;
    campaign->run_count += made;
    status = measure(campaign);
    if (status == PERFPRED_OK)
      choose(campaign);
  }
  if (status == PERFPRED_OK)
    status = ppi_apex_reach(&target, walks, campaign->points.items, campaign->points.count, campaign->choices,
                            &campaign->cover, campaign->error);
  return status;
}

static enum perfpred_status aim(struct campaign *campaign) {
  struct ppi_apex_walks walks = { .items = NULL };
  enum perfpred_status status = weigh(campaign);
  if (status == PERFPRED_OK)
    status = ppi_apex_walks_create(&campaign->points.cache, campaign->options.index_blocks, &walks, campaign->error);
  if (status == PERFPRED_OK)
    status = take_aim(campaign, &walks);
  ppi_apex_walks_free(&walks);
  return status;
}

/* --- The report ------------------------------------------------------------------------------------------------------------ */

static void put_point(struct ppi_json_out *out, const struct campaign *campaign, size_t number) {
  static const char *const words[] = { "modelled", "counted" };
  const struct ppi_apex_point *point = &campaign->points.items[number];
  const struct origin *origin = &campaign->origins[number];
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_apex_put_run(&object, &point->run);
  ppi_json_put_real(&object, "time_s", point->time_s);
  ppi_json_put_real(&object, "noise", origin->noise);
  ppi_json_put_integer(&object, "reps", (int64_t)origin->repetitions);
  ppi_json_put_bool(&object, "gated", origin->gated);
  ppi_json_put_bool(&object, "aimed", origin->aimed);
  ppi_json_put_real(&object, "flops", point->flops);
  ppi_json_put_string(&object, "flops_source", words[origin->counted[PPI_APEX_FLOPS]]);
  ppi_json_put_real(&object, "bytes", point->bytes);
  ppi_json_put_string(&object, "bytes_source", words[origin->counted[PPI_APEX_MISSES]]);
  ppi_json_put_string(&object, "cycles_source", words[origin->counted[PPI_APEX_CYCLES]]);
  ppi_json_put_real(&object, "bytes_per_cycle", point->x);
  ppi_json_put_real(&object, "flops_per_cycle", point->y);
  ppi_json_put_real(&object, "flops_per_s", ppi_apex_point_rate(point));
  ppi_json_append(out, "points", &object);
}

static void write_report(const struct campaign *campaign, struct ppi_json_out *out) {
  ppi_apex_put_head(out, PPI_APEX_POINTS);
  ppi_apex_put_place(out, &campaign->points);
  ppi_json_put_string(out, "clock_source", campaign->clock_source);
  ppi_json_put_string(out, "cache_source", campaign->cache_source);
  ppi_json_put_string(out, "counters_note", campaign->note);
  if (campaign->samples.count > 0)
    ppi_apex_put_cover(out, &campaign->cover);
  ppi_json_put_empty_list(out, "points");
  for (size_t i = 0; i < campaign->points.count; i++)
    put_point(out, campaign, i);
}

static enum perfpred_status conduct(struct campaign *campaign) {
  const size_t most = (size_t)campaign->options.runs_max;
  campaign->plane =
      (struct ppi_apex_plane){ campaign->options.cell_bytes_per_cycle, campaign->options.cell_flops_per_cycle };
  campaign->runs = calloc(most, sizeof *campaign->runs);
  campaign->points.items = calloc(most, sizeof *campaign->points.items);
  campaign->origins = calloc(most, sizeof *campaign->origins);
  if (campaign->runs == NULL || campaign->points.items == NULL || campaign->origins == NULL)
    return ppi_error_memory(campaign->error);
  enum perfpred_status status = place_of(campaign);
  if (status == PERFPRED_OK)
    status = list_runs(campaign);
  if (status == PERFPRED_OK)
    status = measure(campaign);
  if (status == PERFPRED_OK && campaign->samples.count > 0)
    status = aim(campaign);
  return status;
}

static enum perfpred_status check_arguments(const struct perfpred_sampler *sampler, char **json,
                                            struct perfpred_error *error) {
  if (sampler == NULL || json == NULL)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", sampler == NULL ? "sampler" : "json");
  if (sampler->ops->apex == NULL)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "this sampler does not run Apex-MAP");
  return PERFPRED_OK;
}

enum perfpred_status perfpred_apex_points(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                          const struct perfpred_apex_text *samples,
                                          const struct perfpred_apex_options *options, char **json,
                                          struct perfpred_error *error) {
  struct campaign campaign = { .sampler = sampler, .error = error };
  ppi_error_clear(error);
  enum perfpred_status status = check_arguments(sampler, json, error);
  if (status == PERFPRED_OK)
    status = ppi_apex_options_of(options, &campaign.options, error);
  if (status == PERFPRED_OK && samples != NULL)
    status = ppi_apex_check_text("samples", samples, error);
  if (status == PERFPRED_OK && samples != NULL)
    status = ppi_apex_read_samples(context, samples, &campaign.samples, error);
  if (status == PERFPRED_OK)
    status = conduct(&campaign);
  if (status == PERFPRED_OK) {
    struct ppi_json_out out;
    write_report(&campaign, &out);
    status = ppi_apex_finish(&out, status, json, error);
  }
  free(campaign.choices);
  ppi_apex_mix_free(&campaign.mix);
  free(campaign.origins);
  ppi_apex_points_free(&campaign.points);
  free(campaign.runs);
  ppi_apex_samples_free(&campaign.samples);
  return status;
}
