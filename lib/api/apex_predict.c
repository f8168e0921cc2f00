/* SPDX-License-Identifier: BSD-3-Clause */
/* Flop/s of an application from its representatives, here and elsewhere. */
#include <math.h>
#include <stdlib.h>

#include "api/apex.h"

#define REAL_MAX 1e300

struct prediction {
  struct ppi_apex_points old;  /* where the weights are from; no items */
  struct ppi_apex_points here; /* the machine that is asked about */
  double old_rate;             /* of the application, as its samples say */
  struct ppi_apex_run *runs;
  struct ppi_apex_part *parts;
  size_t count;
  double weight; /* of all parts */
  struct ppi_apex_samples measured;
};

static enum perfpred_status read_part(const struct ppi_json_node *rectangle, struct prediction *prediction) {
  struct ppi_apex_part *part = &prediction->parts[prediction->count];
  struct ppi_json_node node;
  bool kept = false;
  enum perfpred_status status = ppi_json_bool(rectangle, "kept", &kept);
  if (status != PERFPRED_OK || !kept)
    return status;
  status = ppi_json_real(rectangle, "weight", 0.0, 1.0 + 1e-9, false, &part->weight);
  if (status == PERFPRED_OK)
    status = ppi_json_object(rectangle, "representative", &node);
  if (status == PERFPRED_OK)
    status = ppi_apex_read_run(&node, &prediction->runs[prediction->count]);
  if (status == PERFPRED_OK)
    status = ppi_json_real(&node, "time_s", 1e-300, REAL_MAX, false, &part->old_time_s);
  if (status == PERFPRED_OK)
    status = ppi_json_real(&node, "flops_per_s", 0.0, REAL_MAX, false, &part->old_rate);
  if (status != PERFPRED_OK)
    return status;
  part->new_time_s = part->old_time_s;
  part->new_rate = part->old_rate;
  prediction->weight += part->weight;
  prediction->count++;
  return PERFPRED_OK;
}

static enum perfpred_status read_rectangles(const struct ppi_json_node *root, struct prediction *prediction,
                                            struct perfpred_error *error) {
  struct ppi_json_node list, item;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(root, "rectangles", 1, PPI_APEX_SAMPLES_MAX, &list, &count);
  if (status != PERFPRED_OK)
    return status;
  prediction->runs = calloc(count, sizeof *prediction->runs);
  prediction->parts = calloc(count, sizeof *prediction->parts);
  if (prediction->runs == NULL || prediction->parts == NULL)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    status = ppi_json_item(&list, i, &item);
    if (status == PERFPRED_OK)
      status = read_part(&item, prediction);
  }
  if (status == PERFPRED_OK && prediction->count == 0)
    status = ppi_json_fail(root, "rectangles", PERFPRED_CORRUPT, "none of them is kept, expected at least one");
  return status;
}

static enum perfpred_status read_old(const struct ppi_json_node *root, struct prediction *prediction) {
  enum perfpred_status status = ppi_apex_read_place(root, &prediction->old);
  if (status == PERFPRED_OK)
    status = ppi_json_real(root, "flops_per_s", 0.0, REAL_MAX, false, &prediction->old_rate);
  return status;
}

static enum perfpred_status read_weights(const struct perfpred_apex_text *weights, struct prediction *prediction,
                                         struct perfpred_error *error) {
  struct ppi_json_node root;
  enum perfpred_status status = ppi_apex_open(weights, PPI_APEX_WEIGHTS, "weights", &root, error);
  if (status != PERFPRED_OK)
    return status;
  status = read_old(&root, prediction);
  if (status == PERFPRED_OK)
    status = read_rectangles(&root, prediction, error);
  ppi_json_release(&root);
  return status;
}

/* What a representative takes there. */
static enum perfpred_status find(const struct prediction *prediction, size_t number, const char *name,
                                 struct perfpred_error *error) {
  for (size_t i = 0; i < prediction->here.count; i++) {
    const struct ppi_apex_point *point = &prediction->here.items[i];
    if (!ppi_apex_equal(&point->run, &prediction->runs[number]))
      continue;
    prediction->parts[number].new_time_s = point->time_s;
    prediction->parts[number].new_rate = ppi_apex_point_rate(point);
    return PERFPRED_OK;
  }
  char run[PPI_APEX_NAME_MAX];
  ppi_apex_name(&prediction->runs[number], run);
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "%s: no point of '%s', which is a representative of the weights",
                       name, run);
}

static enum perfpred_status read_here(const struct perfpred_apex_text *points, struct prediction *prediction,
                                      struct perfpred_error *error) {
  if (points == NULL) {
    prediction->here = prediction->old;
    return PERFPRED_OK;
  }
  enum perfpred_status status = ppi_apex_read_points(points, &prediction->here, error);
  for (size_t i = 0; i < prediction->count && status == PERFPRED_OK; i++)
    status = find(prediction, i, ppi_apex_text_name(points, "points"), error);
  return status;
}

static void put_formula(struct ppi_json_out *out, const char *key, const char *formula, double rate, double measured) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "formula", formula);
  ppi_json_put_real(&object, "flops_per_s", rate);
  ppi_json_put_real(&object, "error", measured > 0.0 ? (rate - measured) / measured : (double)NAN);
  ppi_json_put_object(out, key, &object);
}

static double measured_rate(const struct ppi_apex_samples *samples) {
  double flops = 0.0, time = 0.0;
  for (size_t i = 0; i < samples->count; i++) {
    flops += samples->items[i].flops;
    time += samples->items[i].time_s;
  }
  return time > 0.0 ? flops / time : (double)NAN;
}

static void put_place(struct ppi_json_out *out, const char *key, const struct ppi_apex_points *points) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_apex_put_place(&object, points);
  ppi_json_put_object(out, key, &object);
}

static void put_part(struct ppi_json_out *out, const struct prediction *prediction, size_t number) {
  const struct ppi_apex_part *part = &prediction->parts[number];
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_apex_put_run(&object, &prediction->runs[number]);
  ppi_json_put_real(&object, "weight", part->weight);
  ppi_json_put_real(&object, "old_flops_per_s", part->old_rate);
  ppi_json_put_real(&object, "new_flops_per_s", part->new_rate);
  ppi_json_put_real(&object, "old_time_s", part->old_time_s);
  ppi_json_put_real(&object, "new_time_s", part->new_time_s);
  ppi_json_append(out, "parts", &object);
}

static void write_report(const struct prediction *prediction, bool same, struct ppi_json_out *out) {
  const double sum = ppi_apex_forecast_same(prediction->parts, prediction->count);
  const double work = ppi_apex_forecast_other(prediction->parts, prediction->count);
  const double scaled = ppi_apex_forecast_scaled(prediction->parts, prediction->count, prediction->old_rate);
  const double measured = prediction->measured.count > 0 ? measured_rate(&prediction->measured)
                          : same                         ? prediction->old_rate
                                                         : (double)NAN;
  ppi_apex_put_head(out, PPI_APEX_PREDICTION);
  put_place(out, "old", &prediction->old);
  put_place(out, "new", &prediction->here);
  ppi_json_put_bool(out, "same_machine", same);
  ppi_json_put_real(out, "represented", prediction->weight);
  ppi_json_put_real(out, "flops_per_s", same ? sum : work);
  put_formula(out, "sum_of_rates", "sum(w F)", sum, measured);
  put_formula(out, "same_work", "sum(w F_old) / sum(w t_new / t_old)", work, measured);
  put_formula(out, "scaled_rate", "F / sum(w t_new / t_old)", scaled, measured);
  ppi_json_put_real(out, "measured_flops_per_s", measured);
  ppi_json_put_real(out, "old_flops_per_s", prediction->old_rate);
  ppi_json_put_empty_list(out, "parts");
  for (size_t i = 0; i < prediction->count; i++)
    put_part(out, prediction, i);
}

enum perfpred_status perfpred_apex_predict(const struct perfpred_context *context,
                                           const struct perfpred_apex_text *weights,
                                           const struct perfpred_apex_text *points,
                                           const struct perfpred_apex_text *measured, char **json,
                                           struct perfpred_error *error) {
  struct prediction prediction = { .count = 0 };
  ppi_error_clear(error);
  if (json == NULL)
    return ppi_error_set(error, PERFPRED_INVALID, "json is NULL");
  enum perfpred_status status = ppi_apex_check_text("weights", weights, error);
  if (status == PERFPRED_OK && points != NULL)
    status = ppi_apex_check_text("points", points, error);
  if (status == PERFPRED_OK && measured != NULL)
    status = ppi_apex_check_text("measured", measured, error);
  if (status == PERFPRED_OK)
    status = read_weights(weights, &prediction, error);
  if (status == PERFPRED_OK)
    status = read_here(points, &prediction, error);
  if (status == PERFPRED_OK && measured != NULL)
    status = ppi_apex_read_samples(context, measured, &prediction.measured, error);
  if (status == PERFPRED_OK) {
    struct ppi_json_out out;
    write_report(&prediction, points == NULL, &out);
    status = ppi_apex_finish(&out, status, json, error);
  }
  ppi_apex_samples_free(&prediction.measured);
  ppi_apex_points_free(&prediction.here);
  free(prediction.parts);
  free(prediction.runs);
  return status;
}
