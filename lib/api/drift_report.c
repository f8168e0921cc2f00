/* SPDX-License-Identifier: BSD-3-Clause */
/* A drift as JSON: doc/drift.schema.json. */
#include <math.h>

#include "api/drift.h"
#include "store/json.h"

static void put_setup(struct ppi_json_out *out, const struct perfpred_drift *drift, int place) {
  const struct ppi_setup *setup = drift->models->setups + place;
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "setup", place + 1);
  ppi_json_put_string(&object, "blas", setup->blas.path[0] ? setup->blas.path : setup->blas.family);
  ppi_json_put_integer(&object, "threads", setup->threads);
  ppi_json_put_bool(&object, "measured", drift->setups[place].measured);
  ppi_json_put_real(&object, "yardstick_then_s", setup->yardstick_s > 0.0 ? setup->yardstick_s : (double)NAN);
  ppi_json_put_real(&object, "yardstick_now_s",
                    drift->setups[place].yardstick_s > 0.0 ? drift->setups[place].yardstick_s : (double)NAN);
  ppi_json_append(out, "setups", &object);
}

static void put_line(struct ppi_json_out *out, const struct ppi_drift_line *line) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "kernel", line->kernel);
  ppi_json_put_integer(&object, "setup", line->setup + 1);
  ppi_json_put_string(&object, "at", line->at);
  ppi_json_put_real(&object, "scale", line->scale);
  ppi_json_put_integer(&object, "anchors", (int64_t)line->anchors);
  ppi_json_put_integer(&object, "measured", (int64_t)line->measured);
  ppi_json_put_real(&object, "ratio", line->ratio);
  ppi_json_put_real(&object, "noise", line->noise);
  ppi_json_put_real(&object, "threshold", ppi_drift_threshold(line));
  ppi_json_put_string(&object, "verdict", ppi_drift_word(line->verdict));
  ppi_json_append(out, "kernels", &object);
}

static void put_anchor(struct ppi_json_out *out, const struct perfpred_drift *drift,
                       const struct ppi_drift_anchor *anchor) {
  const struct ppi_drift_call *call = drift->calls + anchor->call;
  double noise = NAN;
  const double ratio = ppi_drift_ratio(drift, anchor, &noise);
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "kernel", call->kernel->name);
  ppi_json_put_string(&object, "case", call->case_text);
  ppi_json_put_integer(&object, "setup", call->setup + 1);
  ppi_json_put_integers(&object, "sizes", anchor->then->sizes, (size_t)call->kernel->size_count);
  ppi_json_put_integer(&object, "ld", call->ld);
  ppi_json_put_string(&object, "at", anchor->then->at);
  ppi_json_put_real(&object, "then_s", anchor->then->time_s);
  ppi_json_put_real(&object, "begin_s", anchor->then->begin_s);
  ppi_json_put_real(&object, "end_s", anchor->then->end_s);
  ppi_json_put_real(&object, "model_s", anchor->model_s);
  ppi_json_put_real(&object, "now_s", call->now.median_s);
  ppi_json_put_real(&object, "ratio", ratio);
  ppi_json_put_real(&object, "noise", isnan(call->now.median_s) ? (double)NAN : noise);
  ppi_json_put_bool(&object, "gated", call->now.gated);
  ppi_json_append(out, "anchors", &object);
}

enum perfpred_status perfpred_drift_report(const struct perfpred_drift *drift, char **json,
                                           struct perfpred_error *error) {
  struct perfpred_drift_info info = PERFPRED_DRIFT_INFO_INIT;
  struct ppi_text text = PPI_TEXT_INIT;
  struct ppi_json_out out;
  ppi_error_clear(error);
  if (!drift || !json)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", drift ? "json" : "drift");
  enum perfpred_status status = perfpred_drift_describe(drift, &info, error);
  if (status)
    return status;
  ppi_json_begin(&out);
  ppi_json_put_string(&out, "verdict", ppi_drift_word(info.verdict));
  ppi_json_put_real(&out, "ratio", info.ratio);
  ppi_json_put_real(&out, "noise", info.noise);
  ppi_json_put_string(&out, "created", drift->models->created);
  for (int i = 0; i < drift->models->setup_count; i++)
    put_setup(&out, drift, i);
  for (size_t i = 0; i < drift->line_count; i++)
    put_line(&out, drift->lines + i);
  for (size_t i = 0; i < drift->anchor_count; i++)
    put_anchor(&out, drift, drift->anchors + i);
  ppi_json_put_real(&out, "wall_s", drift->wall_s);
  ppi_json_end(&out, &text);
  ppi_text_append(&text, "\n");
  char *taken = ppi_text_take(&text);
  if (!taken)
    return ppi_error_memory(error);
  *json = taken;
  return PERFPRED_OK;
}
