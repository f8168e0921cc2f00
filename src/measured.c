/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved validations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots.h"

static int read_point(const char *path, const struct node *node, size_t index, struct measured_point *point) {
  const struct node *statistics = node_member(node, "measured_statistics_s");
  point->name = node_string(node_member(node, "name"));
  point->n = node_number(node_member(node, "n"));
  point->b = node_number(node_member(node, "b"));
  point->are = node_number(node_member(node, "are"));
  point->noise = node_number(node_member(node, "noise"));
  point->predicted_s = node_number(node_member(node, "predicted_s"));
  point->flops = node_number(node_member(node, "flops"));
  point->med_s = node_number(node_member(node, "measured_s"));
  point->min_s = node_number(node_member(statistics, "min"));
  point->max_s = node_number(node_member(statistics, "max"));
  if (point->name[0] == '\0' || !(point->n >= 1.0) || !(point->med_s > 0.0) || !(point->are >= 0.0))
    return message_fail("%s: points[%zu]: expected name, n, measured_s and are, as 'perfpred validate --json' prints",
                        path, index);
  if (!(point->min_s > 0.0) || !(point->max_s >= point->min_s)) {
    point->min_s = point->med_s;
    point->max_s = point->med_s;
  }
  return COMMAND_OK;
}

int measured_read(const char *path, struct measured *measured) {
  int result = COMMAND_OK;
  memset(measured, 0, sizeof *measured);
  measured->path = path;
  measured->document = node_read(path);
  if (measured->document == NULL)
    return COMMAND_FAILED;
  const struct node *points = node_member(measured->document, "points");
  measured->count = node_count(points);
  measured->notes = session_read_notes(node_member(measured->document, "notes"));
  if (measured->count == 0)
    return message_fail("%s: no points: expected what 'perfpred validate --json' prints", path);
  measured->points = calloc(measured->count, sizeof *measured->points);
  if (measured->points == NULL)
    return message_fail("out of memory");
  for (size_t i = 0; result == COMMAND_OK && i < measured->count; i++)
    result = read_point(path, node_element(points, i), i, &measured->points[i]);
  return result;
}

void measured_release(struct measured *measured) {
  free(measured->points);
  node_release(measured->document);
}
