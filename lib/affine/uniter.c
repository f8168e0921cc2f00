/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/uniter.h"

#define SCALE 64 /* most classes of rows */

struct ppi_form ppi_uniter_put(struct ppi_uniter *uniter, const struct ppi_form *form, int level,
                               const struct ppi_form *value) {
  struct ppi_form rest = *form;
  const int64_t factor = form->c[PPI_ROW_VAR(level)];
  rest.c[PPI_ROW_VAR(level)] = 0;
  return factor == 0 ? rest : ppi_form_combine(&rest, 1, value, factor, &uniter->engine->system.fits);
}

static int deepest_row(const struct ppi_uniter *uniter, const struct ppi_form *form) {
  for (int i = uniter->levels - 1; i >= 0; i--)
    if (form->c[PPI_ROW_VAR(i)] != 0)
      return i;
  return -1;
}

void ppi_uniter_ask_classes(struct ppi_uniter *uniter, int level, int64_t factor, int64_t divisor) {
  if (!ppi_uniter_goes_on(uniter))
    return;
  uniter->classes = divisor / ppi_gcd(factor, divisor);
  if (uniter->classes * uniter->slabs[level].scale > SCALE) {
    ppi_path_give_up(uniter->path, "rows are of too many classes");
    return;
  }
  uniter->cut = true;
  uniter->cut_level = level;
}

bool ppi_uniter_divides(struct ppi_uniter *uniter, const struct ppi_form *form, int64_t divisor) {
  for (int i = 0; i < uniter->levels; i++)
    if (form->c[PPI_ROW_VAR(i)] % divisor != 0) {
      ppi_uniter_ask_classes(uniter, i, form->c[PPI_ROW_VAR(i)], divisor);
      return false;
    }
  return ppi_uniter_goes_on(uniter);
}

struct ppi_form ppi_uniter_floor(struct ppi_uniter *uniter, const struct ppi_form *form, int64_t divisor) {
  return ppi_uniter_divides(uniter, form, divisor) ? ppi_path_floor(uniter->path, form, divisor) : ppi_form_constant(0);
}

/* The slab is to be cut where the form changes its sign. */
static void ask_cut(struct ppi_uniter *uniter, const struct ppi_form *form, int level) {
  const struct ppi_form nothing = ppi_form_constant(0);
  const int64_t factor = form->c[PPI_ROW_VAR(level)], size = factor < 0 ? -factor : factor;
  struct ppi_form rest = *form;
  rest.c[PPI_ROW_VAR(level)] = 0;
  if (size != 1)
    rest = ppi_uniter_floor(uniter, &rest, size);
  if (!ppi_uniter_goes_on(uniter))
    return;
  uniter->cut = true;
  uniter->classes = 1;
  uniter->cut_level = level;
  if (factor > 0)
    uniter->cut_at = ppi_uniter_difference(uniter, &nothing, &rest);
  else
    uniter->cut_at = ppi_form_plus(&rest, 1);
}

/* Whether a form is >= 0 all over the present slabs, or nowhere. False as well once a cut is asked for. */
static bool is_sure(struct ppi_uniter *uniter, const struct ppi_form *form) {
  const int level = deepest_row(uniter, form);
  if (!ppi_uniter_goes_on(uniter))
    return false;
  if (level < 0)
    return ppi_path_sign(uniter->path, form);
  const struct ppi_form at_low = ppi_uniter_put(uniter, form, level, &uniter->slabs[level].low);
  const bool low = is_sure(uniter, &at_low);
  if (!ppi_uniter_goes_on(uniter) || uniter->fixed[level])
    return low && ppi_uniter_goes_on(uniter);
  const struct ppi_form at_high = ppi_uniter_put(uniter, form, level, &uniter->slabs[level].high);
  const bool high = is_sure(uniter, &at_high);
  if (!ppi_uniter_goes_on(uniter))
    return false;
  if (low != high)
    ask_cut(uniter, form, level);
  return low && high;
}

bool ppi_uniter_reaches(struct ppi_uniter *uniter, const struct ppi_form *a, const struct ppi_form *b, int64_t more) {
  int64_t known = 0;
  if (ppi_form_difference(a, b, &known))
    return known >= more;
  const struct ppi_form lead = ppi_uniter_difference(uniter, a, b), over = ppi_form_plus(&lead, -more);
  return is_sure(uniter, &over);
}

struct ppi_form ppi_uniter_resolve(struct ppi_uniter *uniter, const struct ppi_form *form) {
  struct ppi_form result = *form;
  for (int i = 0; i < uniter->levels; i++) {
    const int64_t factor = result.c[PPI_ROW_VAR(i)];
    result.c[PPI_ROW_VAR(i)] = factor * uniter->slabs[i].scale; /* both are small */
    result.c[PPI_VARS] += factor * uniter->slabs[i].shift;
  }
  for (int i = uniter->levels - 1; i >= 0; i--)
    if (uniter->fixed[i] && result.c[PPI_ROW_VAR(i)] != 0)
      result = ppi_uniter_put(uniter, &result, i, &uniter->slabs[i].low);
  return result;
}

static struct ppi_form bound_value(struct ppi_uniter *uniter, const struct ppi_bound *bound, bool low) {
  const struct ppi_form nothing = ppi_form_constant(0);
  struct ppi_form form = ppi_uniter_resolve(uniter, &bound->form);
  if (bound->divisor == 1)
    return form;
  if (!low)
    return ppi_uniter_floor(uniter, &form, bound->divisor);
  form = ppi_uniter_difference(uniter, &nothing, &form);
  form = ppi_uniter_floor(uniter, &form, bound->divisor);
  return ppi_uniter_difference(uniter, &nothing, &form);
}

/* The greatest of lower bounds, or the least of upper ones. */
static struct ppi_form tightest(struct ppi_uniter *uniter, int first, int count, bool low) {
  const struct ppi_bound *bounds = uniter->list->bounds + first;
  struct ppi_form best = bound_value(uniter, &bounds[0], low);
  for (int i = 1; i < count && ppi_uniter_goes_on(uniter); i++) {
    const struct ppi_form bound = bound_value(uniter, &bounds[i], low);
    if (low ? ppi_uniter_reaches(uniter, &bound, &best, 0) : ppi_uniter_reaches(uniter, &best, &bound, 0))
      best = bound;
  }
  return best;
}

struct ppi_interval ppi_uniter_range(struct ppi_uniter *uniter, int member, int level) {
  const struct ppi_footprint *footprint = &uniter->list->footprints[member];
  struct ppi_interval interval;
  interval.first = tightest(uniter, footprint->first_low[level], footprint->low_count[level], true);
  interval.last = tightest(uniter, footprint->first_high[level], footprint->high_count[level], false);
  return interval;
}
