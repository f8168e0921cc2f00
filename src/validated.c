/* SPDX-License-Identifier: BSD-3-Clause */
#include "validated.h"

#include <math.h>
#include <string.h>

#include "plots.h"

static bool is_ranked(const struct session *session, const char *name) {
  for (size_t i = 0; i < session->count; i++)
    if (strcmp(perfpred_program_name(session->programs[i]), name) == 0)
      return true;
  return false;
}

static bool same_place(const struct measured_point *a, const struct measured_point *b) {
  double a_b = isnan(a->b) ? 0.0 : a->b, b_b = isnan(b->b) ? 0.0 : b->b;
  return a->n >= b->n && a->n <= b->n && a_b >= b_b && a_b <= b_b;
}

/* What was measured between two algorithms at one place, less what was predicted; as often as both were. */
static void add_pair(const struct measured_point *a, const struct measured_point *b, double *squares, size_t *pairs) {
  double missed_s = (a->predicted_s - b->predicted_s) - (a->med_s - b->med_s);
  double relative = missed_s / fmin(a->med_s, b->med_s);
  if (!isfinite(relative))
    return;
  *squares += relative * relative;
  ++*pairs;
}

static void compare(const struct session *session, const struct measured *measured, struct validated *validated) {
  double squares = 0.0;
  for (size_t i = 0; i < measured->count; i++) {
    const struct measured_point *a = &measured->points[i];
    for (size_t k = i + 1; k < measured->count; k++) {
      const struct measured_point *b = &measured->points[k];
      if (same_place(a, b) && strcmp(a->name, b->name) != 0 && is_ranked(session, a->name) &&
          is_ranked(session, b->name))
        add_pair(a, b, &squares, &validated->pairs);
    }
  }
  if (validated->pairs > 0)
    validated->error = fmin(sqrt(squares / (double)validated->pairs), 1.0);
}

int validated_read(const struct session *session, const char *path, struct validated *validated) {
  struct measured measured;
  *validated = (struct validated){ 0.0, 0.0, 0 };
  int result = measured_read(path, &measured);
  if (result == COMMAND_OK) {
    double noise = node_number(node_member(measured.document, "noise_floor"));
    validated->noise = noise > 0.0 ? fmin(noise, 1.0) : 0.0;
    compare(session, &measured, validated);
  }
  measured_release(&measured);
  return result;
}
