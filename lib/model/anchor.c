/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/anchor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/generate.h"
#include "model/packed.h"

/* What an anchor's operands are to move at most: the second level of any cache holds the first, that of few machines the second, and that of none
   the third. */
static const double working_sets[PPI_ANCHORS] = { 1048576.0, 65536.0, 8388608.0 };
#define FLOPS_MOST 1.5e8 /* some milliseconds of one core */
#define STEPS 32         /* of the diagonal of a domain */

void ppi_date_now(char date[PPI_DATE_MAX]) {
  time_t now = time(NULL);
  struct tm parts;

  if (now == (time_t)-1 || !gmtime_r(&now, &parts) || strftime(date, PPI_DATE_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
    memcpy(date, "1970-01-01T00:00:00Z", sizeof "1970-01-01T00:00:00Z");
}

/* --- Which calls ---------------------------------------------------------------------------------------------------- */

static int64_t on_diagonal(int64_t lower, int64_t upper, double share) {
  double from = lower > 1 ? (double)lower : 1.0, to = (double)upper;
  int64_t size;

  if (to <= from)
    return upper;
  size = (int64_t)(from * pow(to / from, share) / PPI_GRAIN + 0.5) * PPI_GRAIN;
  if (size < lower)
    return lower;
  return size > upper ? upper : size;
}

/* The call at a place of the diagonal, from 0 to STEPS; false: there is none with work to do. */
static bool call_at(const struct ppi_target *target, int step, struct ppi_value *values) {
  const struct perfpred_kernel *kernel = target->kernel;
  int64_t sizes[PPI_SIZE_MAX];

  memcpy(values, target->values, sizeof target->values);
  for (int d = 0; d < ppi_target_dimensions(target); d++)
    sizes[d] = on_diagonal(target->lower[d], target->upper[d], (double)step / STEPS);
  if (target->basis && !ppi_basis_holds(target->basis, sizes))
    ppi_basis_shrink(target->basis, target->lower, sizes);
  ppi_target_apply(target, sizes, values);
  if (!ppi_kernel_admits(kernel, values) &&
      (target->basis || !ppi_kernel_admit(kernel, values, target->lower, target->upper, PPI_GRAIN)))
    return false;
  return !ppi_kernel_is_empty(kernel, values) &&
         (ppi_kernel_flops(kernel, values) > 0.0 || ppi_kernel_movement_bytes(kernel, values) > 0.0);
}

/* The largest call on the diagonal that moves no more and is not long; where all do more the least one. */
static bool choose_call(const struct ppi_target *target, double bytes, struct ppi_value *values) {
  struct ppi_value candidate[PPI_ARG_MAX];
  bool any = false;

  for (int step = 0; step <= STEPS; step++) {
    if (!call_at(target, step, candidate))
      continue;
    if (any && (ppi_kernel_flops(target->kernel, candidate) > FLOPS_MOST ||
                ppi_kernel_movement_bytes(target->kernel, candidate) > bytes))
      break;
    memcpy(values, candidate, sizeof candidate);
    any = true;
  }
  return any;
}

static bool same_sizes(const struct ppi_anchor_call *a, const struct ppi_value *values) {
  bool same = true;

  for (int k = 0; k < a->kernel->size_count; k++)
    same = same && a->values[a->kernel->sizes[k]].i == values[a->kernel->sizes[k]].i;
  return same;
}

/* Unless it is there, or enough of its kernel and case are. */
static void add_call(const struct ppi_target *target, const struct ppi_value *values, struct ppi_anchor_call *calls,
                     size_t *count) {
  struct ppi_anchor_call *call = calls + *count;
  int alike = 0;

  call->kernel = target->kernel;
  memcpy(call->values, values, sizeof call->values);
  ppi_case_format(target->kernel, values, call->case_text);
  for (size_t i = 0; i < *count; i++) {
    if (strcmp(calls[i].kernel->name, target->kernel->name) != 0 || strcmp(calls[i].case_text, call->case_text) != 0)
      continue;
    if (same_sizes(calls + i, values) || ++alike == PPI_ANCHORS)
      return;
  }
  (*count)++;
}

enum perfpred_status ppi_anchors_choose(const struct ppi_target *targets, size_t target_count,
                                        struct ppi_anchor_call **calls, size_t *count, struct perfpred_error *error) {
  struct ppi_anchor_call *made = calloc(PPI_ANCHORS * target_count + 1, sizeof *made);
  struct ppi_value values[PPI_ARG_MAX];

  if (!made)
    return ppi_error_memory(error);
  *count = 0;
  for (int set = 0; set < PPI_ANCHORS; set++)
    for (size_t i = 0; i < target_count; i++)
      if (choose_call(targets + i, working_sets[set], values))
        add_call(targets + i, values, made, count);
  *calls = made;
  return PERFPRED_OK;
}

/* --- In models ------------------------------------------------------------------------------------------------------ */

enum perfpred_status ppi_submodel_add_anchor(struct ppi_submodel *submodel, const struct ppi_anchor *anchor,
                                             struct perfpred_error *error) {
  struct ppi_anchor *anchors =
      realloc(submodel->anchors, ((size_t)submodel->anchor_count + 1) * sizeof *submodel->anchors);

  if (!anchors)
    return ppi_error_memory(error);
  submodel->anchors = anchors;
  submodel->anchors[submodel->anchor_count++] = *anchor;
  return PERFPRED_OK;
}

enum perfpred_status ppi_submodel_take_anchors(struct ppi_submodel *submodel, const struct ppi_submodel *from,
                                               struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;

  free(submodel->anchors);
  submodel->anchors = NULL;
  submodel->anchor_count = 0;
  for (int i = 0; i < from->anchor_count && !status; i++)
    status = ppi_submodel_add_anchor(submodel, from->anchors + i, error);
  return status;
}

enum perfpred_status ppi_submodel_scale(struct ppi_submodel *submodel, double factor, const char *at, const char *from,
                                        struct perfpred_error *error) {
  struct ppi_scaling *scaling = &submodel->scaling;

  for (int i = 0; i < submodel->piece_count; i++) {
    struct ppi_piece *piece = submodel->pieces + i;

    for (int k = 0; k < PPI_STATISTICS * piece->count; k++)
      piece->coefficients[k] *= factor;
    for (int s = 0; s < PPI_STATISTICS; s++)
      piece->floors[s] *= factor;
  }
  scaling->factor = ppi_scaling_factor(scaling) * factor;
  memset(scaling->at, 0, sizeof scaling->at);
  memset(scaling->from, 0, sizeof scaling->from);
  memcpy(scaling->at, at, strnlen(at, sizeof scaling->at - 1));
  memcpy(scaling->from, from, strnlen(from, sizeof scaling->from - 1));
  free(submodel->packed);
  submodel->packed = NULL;
  return ppi_submodel_pack(submodel, error);
}
