/* SPDX-License-Identifier: BSD-3-Clause */
/* What a kernel demands of its sizes together, as m >= n. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "kernel/signature.h"

#define PASSES 8 /* a move for one demand may break another one */

/* The values of a demand: of the sizes and of the flags that it looks at. */
static void put_values(const struct perfpred_kernel *kernel, const struct ppi_expr *demand,
                       const struct ppi_value *values, struct ppi_text *text) {
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    if (!ppi_expr_uses(demand, (size_t)i))
      continue;
    ppi_text_append(text, text->length > 0 ? ", " : "");
    if (arg->kind == PPI_ARG_FLAG)
      ppi_text_printf(text, "%s = %c", arg->name, (char)values[i].i);
    else
      ppi_text_printf(text, "%s = %" PRId64, arg->name, values[i].i);
  }
}

static enum perfpred_status violated(const struct perfpred_kernel *kernel, const struct ppi_expr *demand,
                                     const struct ppi_value *values, struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT, found = PPI_TEXT_INIT;
  ppi_kernel_print_expr(kernel, demand, &text);
  put_values(kernel, demand, values, &found);
  char *rule = ppi_text_take(&text), *given = ppi_text_take(&found);
  enum perfpred_status status =
      rule && given ? ppi_error_set(error, PERFPRED_INVALID, "%s: %s; expected %s", kernel->name, given, rule)
                    : ppi_error_memory(error);
  free(given);
  free(rule);
  return status;
}

enum perfpred_status ppi_kernel_check(const struct perfpred_kernel *kernel, const struct ppi_value *values,
                                      struct perfpred_error *error) {
  int64_t slots[PPI_ARG_MAX];
  if (kernel->demand_count == 0)
    return PERFPRED_OK;
  ppi_kernel_slots(kernel, values, slots);
  for (int i = 0; i < kernel->demand_count; i++) {
    int64_t slack = 0;
    enum perfpred_status status = ppi_expr_slack(kernel->demands[i], slots, &slack, error);
    if (status != PERFPRED_OK)
      return status;
    if (slack < 0)
      return violated(kernel, kernel->demands[i], values, error);
  }
  return PERFPRED_OK;
}

bool ppi_kernel_admits(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  int64_t slots[PPI_ARG_MAX], slack = 0;
  if (kernel->demand_count == 0)
    return true;
  ppi_kernel_slots(kernel, values, slots);
  for (int i = 0; i < kernel->demand_count; i++)
    if (ppi_expr_slack(kernel->demands[i], slots, &slack, NULL) != PERFPRED_OK || slack < 0)
      return false;
  return true;
}

/* --- Moving -------------------------------------------------------------------------------------------------------- */

static int64_t slack_at(const struct ppi_expr *demand, const int64_t *slots) {
  int64_t slack = 0;
  return ppi_expr_slack(demand, slots, &slack, NULL) == PERFPRED_OK ? slack : INT64_MIN / 2;
}

static int64_t clamped(int64_t value, int64_t lower, int64_t upper) {
  return value < lower ? lower : value > upper ? upper : value;
}

/* Moves one size by what a demand lacks, on to a multiple of the grain. */
static void move_size(const struct ppi_expr *demand, int64_t lacking, int64_t *size, int64_t *slots, int64_t lower,
                      int64_t upper, int64_t grain) {
  const int64_t before = slack_at(demand, slots), at = *size;
  *size = at + 1;
  const int64_t gain = slack_at(demand, slots) - before;
  *size = at;
  if (gain == 0)
    return;
  const int64_t rate = gain > 0 ? gain : -gain, step = (lacking + rate - 1) / rate;
  int64_t to = gain > 0 ? at + step : at - step;
  if (gain > 0)
    to = to > upper ? upper : (to + grain - 1) / grain * grain;
  else
    to = to < lower ? lower : to / grain * grain;
  *size = clamped(to, lower, upper);
}

/* Whether there was nothing to do. */
static bool meet(const struct perfpred_kernel *kernel, const struct ppi_expr *demand, int64_t *slots,
                 const int64_t *lower, const int64_t *upper, int64_t grain) {
  int64_t slack = slack_at(demand, slots);
  const bool met = slack >= 0;
  for (int d = kernel->size_count - 1; d >= 0 && slack < 0; d--) {
    move_size(demand, -slack, &slots[kernel->sizes[d]], slots, lower[d], upper[d], grain);
    slack = slack_at(demand, slots);
  }
  return met;
}

bool ppi_kernel_admit(const struct perfpred_kernel *kernel, struct ppi_value *values, const int64_t *lower,
                      const int64_t *upper, int64_t grain) {
  int64_t slots[PPI_ARG_MAX];
  bool met = kernel->demand_count == 0;
  if (met)
    return true;
  ppi_kernel_slots(kernel, values, slots);
  for (int pass = 0; pass < PASSES && !met; pass++) {
    met = true;
    for (int i = 0; i < kernel->demand_count; i++)
      met = meet(kernel, kernel->demands[i], slots, lower, upper, grain) && met;
  }
  for (int d = 0; d < kernel->size_count; d++)
    values[kernel->sizes[d]].i = slots[kernel->sizes[d]];
  return met;
}

/* --- Bounds -------------------------------------------------------------------------------------------------------- */

/* What a demand gains by one more of a size. */
static int64_t rate_of(const struct ppi_expr *demand, int64_t *slots, int place) {
  const int64_t before = slack_at(demand, slots);
  slots[place]++;
  const int64_t rate = slack_at(demand, slots) - before;
  slots[place]--;
  return rate;
}

/* Draws in the bounds of one size by one demand, with all others where they help it most. */
static bool bound_size(const struct perfpred_kernel *kernel, const struct ppi_expr *demand, int64_t *slots, int d,
                       int64_t *lower, int64_t *upper) {
  const int64_t rate = rate_of(demand, slots, kernel->sizes[d]);
  if (rate == 0)
    return false;
  for (int i = 0; i < kernel->size_count; i++) {
    const int place = kernel->sizes[i];
    slots[place] = (rate_of(demand, slots, place) > 0) == (i != d) ? upper[i] : lower[i];
  }
  const int64_t slack = slack_at(demand, slots);
  if (slack >= 0)
    return false;
  const int64_t size = rate > 0 ? rate : -rate, step = (-slack + size - 1) / size;
  if (rate > 0)
    lower[d] += step;
  else
    upper[d] -= step;
  return true;
}

bool ppi_kernel_bound(const struct perfpred_kernel *kernel, const struct ppi_value *values, int64_t *lower,
                      int64_t *upper) {
  int64_t slots[PPI_ARG_MAX];
  bool changed = kernel->demand_count > 0;
  ppi_kernel_slots(kernel, values, slots);
  for (int pass = 0; pass < PASSES && changed; pass++) {
    changed = false;
    for (int i = 0; i < kernel->demand_count; i++)
      for (int d = 0; d < kernel->size_count; d++) {
        changed = bound_size(kernel, kernel->demands[i], slots, d, lower, upper) || changed;
        if (lower[d] > upper[d])
          return false;
      }
  }
  return true;
}
