/* SPDX-License-Identifier: BSD-3-Clause */
/* What the models say of a call. */
#include "predict/plan.h"

static bool is_above(const struct ppi_submodel *submodel, const int64_t *sizes) {
  for (int d = 0; d < submodel->dimensions; d++)
    if (sizes[d] > submodel->upper[d])
      return true;
  return false;
}

/* Of several domains those answer that no size exceeds, however far below them another size lies: raising a size to a domain's
   lower bound is harmless, extrapolating is not. */
const struct ppi_submodel *ppi_plan_choose_submodel(const struct ppi_submodel *const *submodels, int count,
                                                    const int64_t *sizes) {
  enum { FIT = 16 };
  const struct ppi_submodel *fitting[FIT];
  int fits = 0;
  for (int k = 0; count > 1 && k < count && fits < FIT; k++)
    if (!is_above(submodels[k], sizes))
      fitting[fits++] = submodels[k];
  return fits > 0 ? ppi_submodels_choose(fitting, fits, sizes) : ppi_submodels_choose(submodels, count, sizes);
}

static const struct ppi_submodel *choose(const struct ppi_plan_step *step, const int64_t *sizes) {
  return ppi_plan_choose_submodel(step->submodels, step->submodel_count, sizes);
}

void ppi_plan_estimate(const struct ppi_plan_pricing *pricing, struct ppi_fold *fold,
                       const struct ppi_submodel *submodel, const int64_t *sizes, struct ppi_estimate *estimate) {
  if (fold && ppi_fold_estimate(fold, submodel, sizes, pricing->median, estimate))
    return;
  if (pricing->median)
    ppi_submodel_estimate_median(submodel, sizes, estimate);
  else
    ppi_submodel_estimate(submodel, sizes, estimate);
}

struct ppi_fold *ppi_plan_fold(const struct ppi_plan_pricing *pricing, const struct ppi_plan_step *step) {
  return step->fold >= 0 ? &pricing->folds[step->fold] : NULL;
}

bool ppi_plan_price(const struct ppi_plan_pricing *pricing, const struct ppi_plan_step *step, const int64_t *sizes,
                    struct ppi_estimate *estimate, bool *context) {
  struct ppi_estimate alone;
  *context = false;
  if (step->context_count == 0) {
    if (step->submodel_count == 1)
      ppi_plan_estimate(pricing, ppi_plan_fold(pricing, step), step->submodels[0], sizes, estimate);
    else if (step->submodel_count > 1)
      ppi_plan_estimate(pricing, NULL, choose(step, sizes), sizes, estimate);
    return step->submodel_count > 0;
  }
  *context = ppi_plan_estimate_context(pricing, step, sizes, estimate);
  if (step->submodel_count == 0 || (*context && !(estimate->notes & PERFPRED_NOTE_EXTRAPOLATED)))
    return *context;
  ppi_plan_estimate(pricing, NULL, choose(step, sizes), sizes, &alone);
  if (*context && (alone.notes & PERFPRED_NOTE_EXTRAPOLATED))
    return true;
  *estimate = alone;
  *context = false;
  return true;
}
