/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of an application's rectangles, and their representatives. */
#include <math.h>
#include <stdlib.h>

#include "api/apex.h"

#define DECIMALS 1e9

struct weighing {
  struct ppi_apex_samples samples;
  struct ppi_apex_points points;
  struct ppi_apex_mix mix;
  struct ppi_apex_plane plane;
  struct ppi_apex_choice *choices;
  struct ppi_apex_cover cover;
};

static void put_representative(struct ppi_json_out *out, const struct weighing *weighing,
                               const struct ppi_apex_choice *choice) {
  const struct ppi_apex_point *point = &weighing->points.items[choice->point];
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_apex_put_run(&object, &point->run);
  ppi_json_put_real(&object, "distance", choice->distance);
  ppi_json_put_real(&object, "time_s", point->time_s);
  ppi_json_put_real(&object, "flops_per_s", ppi_apex_point_rate(point));
  ppi_json_put_real(&object, "bytes_per_cycle", point->x);
  ppi_json_put_real(&object, "flops_per_cycle", point->y);
  ppi_json_put_object(out, "representative", &object);
}

/* 1.4 rather than 1.4000000000000001. */
static double decimal(double value) {
  return nearbyint(value * DECIMALS) / DECIMALS;
}

static void put_rectangle(struct ppi_json_out *out, const struct weighing *weighing, size_t number) {
  const struct ppi_apex_cell *cell = &weighing->mix.cells[number];
  const struct ppi_apex_choice *choice = &weighing->choices[number];
  const double width = weighing->plane.width, height = weighing->plane.height;
  const double x[] = { decimal((double)cell->column * width), decimal((double)(cell->column + 1) * width) };
  const double y[] = { decimal((double)cell->row * height), decimal((double)(cell->row + 1) * height) };
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_reals(&object, "bytes_per_cycle", x, 2);
  ppi_json_put_reals(&object, "flops_per_cycle", y, 2);
  ppi_json_put_real(&object, "weight", cell->weight);
  ppi_json_put_integer(&object, "samples", (int64_t)cell->samples);
  ppi_json_put_bool(&object, "covered", choice->covered);
  ppi_json_put_bool(&object, "reachable", choice->reachable);
  ppi_json_put_bool(&object, "kept", choice->kept);
  if (choice->kept)
    put_representative(&object, weighing, choice);
  else
    ppi_json_put_null(&object, "representative");
  ppi_json_append(out, "rectangles", &object);
}

static void write_report(const struct weighing *weighing, struct ppi_json_out *out) {
  const struct ppi_apex_mix *mix = &weighing->mix;
  ppi_apex_put_head(out, PPI_APEX_WEIGHTS);
  ppi_apex_put_place(out, &weighing->points);
  ppi_json_put_integer(out, "samples", (int64_t)mix->samples);
  ppi_json_put_real(out, "time_s", mix->time_s);
  ppi_json_put_real(out, "flops", mix->flops);
  ppi_json_put_real(out, "bytes", mix->bytes);
  ppi_json_put_real(out, "flops_per_s", mix->flops / mix->time_s);
  ppi_json_put_real(out, "bytes_per_cycle", mix->bytes / mix->cycles);
  ppi_json_put_real(out, "flops_per_cycle", mix->flops / mix->cycles);
  ppi_json_put_integer(out, "runs", (int64_t)weighing->points.count);
  ppi_apex_put_cover(out, &weighing->cover);
  ppi_json_put_empty_list(out, "rectangles");
  for (size_t i = 0; i < mix->count; i++)
    put_rectangle(out, weighing, i);
}

/* Which rectangles a run could hit, as the runs that are there tell. */
static enum perfpred_status reach(struct weighing *weighing, struct perfpred_error *error) {
  const struct ppi_apex_points *points = &weighing->points;
  const struct ppi_apex_target target = { .mix = &weighing->mix,
                                          .plane = &weighing->plane,
                                          .choices = weighing->choices,
                                          .clock_hz = points->clock_hz,
                                          .threads = points->threads };
  struct ppi_apex_walks walks;
  enum perfpred_status status = ppi_apex_walks_create(&points->cache, 0, &walks, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_apex_reach(&target, &walks, points->items, points->count, weighing->choices, &weighing->cover, error);
  ppi_apex_walks_free(&walks);
  return status;
}

static enum perfpred_status weigh(struct weighing *weighing, const struct perfpred_apex_options *options,
                                  struct perfpred_error *error) {
  if (options->clock_hz > 0.0)
    weighing->points.clock_hz = options->clock_hz;
  weighing->plane = (struct ppi_apex_plane){ options->cell_bytes_per_cycle, options->cell_flops_per_cycle };
  enum perfpred_status status =
      ppi_apex_mix_create(&weighing->samples, weighing->points.clock_hz * weighing->points.threads, &weighing->plane,
                          &weighing->mix, error);
  if (status != PERFPRED_OK)
    return status;
  weighing->choices = calloc(weighing->mix.count, sizeof *weighing->choices);
  if (weighing->choices == NULL)
    return ppi_error_memory(error);
  ppi_apex_choose(&weighing->mix, &weighing->plane, weighing->points.items, weighing->points.count, options->threshold,
                  weighing->choices, &weighing->cover);
  return weighing->cover.reachable > weighing->cover.covered ? reach(weighing, error) : PERFPRED_OK;
}

enum perfpred_status perfpred_apex_weights(const struct perfpred_context *context,
                                           const struct perfpred_apex_text *samples,
                                           const struct perfpred_apex_text *points,
                                           const struct perfpred_apex_options *options, char **json,
                                           struct perfpred_error *error) {
  struct weighing weighing = { .choices = NULL };
  struct perfpred_apex_options full;
  ppi_error_clear(error);
  if (json == NULL)
    return ppi_error_set(error, PERFPRED_INVALID, "json is NULL");
  enum perfpred_status status = ppi_apex_options_of(options, &full, error);
  if (status == PERFPRED_OK)
    status = ppi_apex_check_text("samples", samples, error);
  if (status == PERFPRED_OK)
    status = ppi_apex_check_text("points", points, error);
  if (status == PERFPRED_OK)
    status = ppi_apex_read_samples(context, samples, &weighing.samples, error);
  if (status == PERFPRED_OK)
    status = ppi_apex_read_points(points, &weighing.points, error);
  if (status == PERFPRED_OK)
    status = weigh(&weighing, &full, error);
  if (status == PERFPRED_OK) {
    struct ppi_json_out out;
    write_report(&weighing, &out);
    status = ppi_apex_finish(&out, status, json, error);
  }
  free(weighing.choices);
  ppi_apex_mix_free(&weighing.mix);
  ppi_apex_points_free(&weighing.points);
  ppi_apex_samples_free(&weighing.samples);
  return status;
}
