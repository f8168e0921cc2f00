/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <math.h>

#include "store/parts.h"

#define TIME_MAX 1e15 /* seconds, as of raw samples */

static void put_anchor(struct ppi_json_out *out, const struct ppi_submodel *submodel, const struct ppi_anchor *anchor) {
  struct ppi_json_out object;

  ppi_json_begin(&object);
  ppi_json_put_integers(&object, "sizes", anchor->sizes, (size_t)submodel->kernel->size_count);
  ppi_json_put_integer(&object, "ld", anchor->ld);
  ppi_json_put_real(&object, "time_s", anchor->time_s);
  ppi_json_put_real(&object, "begin_s", anchor->begin_s);
  ppi_json_put_real(&object, "end_s", anchor->end_s);
  ppi_json_put_real(&object, "noise", anchor->noise);
  ppi_json_put_integer(&object, "samples", (int64_t)anchor->samples);
  ppi_json_put_bool(&object, "gated", anchor->gated);
  ppi_json_put_string(&object, "at", anchor->at);
  ppi_json_append(out, "anchors", &object);
}

void ppi_store_put_anchors(struct ppi_json_out *out, const struct ppi_submodel *submodel) {
  struct ppi_json_out scaled;

  for (int i = 0; i < submodel->anchor_count; i++)
    put_anchor(out, submodel, submodel->anchors + i);
  if (!(submodel->scaling.factor > 0.0))
    return;
  ppi_json_begin(&scaled);
  ppi_json_put_real(&scaled, "factor", submodel->scaling.factor);
  ppi_json_put_string(&scaled, "at", submodel->scaling.at);
  ppi_json_put_string(&scaled, "from", submodel->scaling.from);
  ppi_json_put_object(out, "scaled", &scaled);
}

/* A time that is compared with another one has to be one. */
static enum perfpred_status get_time(const struct ppi_json_node *node, struct ppi_anchor *anchor) {
  enum perfpred_status status = ppi_json_real(node, "time_s", 0.0, TIME_MAX, false, &anchor->time_s);

  if (!status && !(anchor->time_s > 0.0))
    status = ppi_json_fail(node, "time_s", PERFPRED_CORRUPT, "expected a time above 0, found 0");
  if (!status)
    status = ppi_json_real(node, "begin_s", 0.0, TIME_MAX, true, &anchor->begin_s);
  if (!status)
    status = ppi_json_real(node, "end_s", 0.0, TIME_MAX, true, &anchor->end_s);
  return status ? status : ppi_json_real(node, "noise", 0.0, TIME_MAX, true, &anchor->noise);
}

static enum perfpred_status get_anchor(const struct ppi_json_node *list, size_t index, struct ppi_submodel *submodel) {
  struct ppi_anchor anchor = { .samples = 0 };
  struct ppi_json_node node;
  int64_t samples = 0;
  enum perfpred_status status = ppi_json_item(list, index, &node);

  if (!status)
    status = ppi_json_integers(&node, "sizes", (size_t)submodel->kernel->size_count, 0, INT_MAX, anchor.sizes);
  if (!status)
    status = ppi_json_integer(&node, "ld", 0, INT_MAX, &anchor.ld);
  if (!status)
    status = get_time(&node, &anchor);
  if (!status)
    status = ppi_json_integer(&node, "samples", 0, PPI_JSON_INTEGER_MAX, &samples);
  if (!status)
    status = ppi_json_bool(&node, "gated", &anchor.gated);
  if (!status)
    status = ppi_json_string(&node, "at", anchor.at, sizeof anchor.at);
  anchor.samples = (uint64_t)samples;
  return status ? status : ppi_submodel_add_anchor(submodel, &anchor, node.error);
}

static enum perfpred_status get_scaling(const struct ppi_json_node *node, struct ppi_scaling *scaling) {
  struct ppi_json_node scaled;
  enum perfpred_status status = ppi_json_object(node, "scaled", &scaled);

  if (!status)
    status = ppi_json_real(&scaled, "factor", 1e-6, 1e6, false, &scaling->factor);
  if (!status)
    status = ppi_json_string(&scaled, "at", scaling->at, sizeof scaling->at);
  return status ? status : ppi_json_string(&scaled, "from", scaling->from, sizeof scaling->from);
}

enum perfpred_status ppi_store_get_anchors(const struct ppi_json_node *node, struct ppi_submodel *submodel) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = PERFPRED_OK;

  if (ppi_json_has(node, "anchors"))
    status = ppi_json_list(node, "anchors", 0, PPI_ANCHORS_MOST, &list, &count);
  for (size_t i = 0; i < count && !status; i++)
    status = get_anchor(&list, i, submodel);
  if (!status && ppi_json_has(node, "scaled"))
    status = get_scaling(node, &submodel->scaling);
  return status;
}
