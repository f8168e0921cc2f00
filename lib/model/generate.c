/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/generate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/adaptive.h"

#define REPORT_SIZE (offsetof(struct perfpred_generate_report, budget_exhausted) + sizeof(int)) /* of release 0.1 */

static void refinement_release(struct ppi_refinement *refinement) {
  for (size_t i = 0; refinement->growths && i < refinement->count; i++)
    ppi_growth_release(refinement->growths + i);
  free(refinement->batch);
  ppi_points_release(&refinement->points);
  free(refinement->growths);
}

static enum perfpred_status refinement_init(struct ppi_refinement *refinement, const struct ppi_target *targets,
                                            size_t count, const struct ppi_source *source,
                                            struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;

  refinement->source = source;
  refinement->error = error;
  refinement->correction = 1.0;
  refinement->pace = 1.0;
  refinement->start_s = source->now_s(source->data);
  refinement->growths = calloc(count, sizeof *refinement->growths);
  if (!refinement->growths)
    return ppi_error_memory(error);
  refinement->count = count;
  for (size_t i = 0; !status && i < count; i++)
    status = ppi_growth_init(refinement->growths + i, targets + i, &refinement->options, error);
  return status;
}

static enum perfpred_status finish(struct ppi_refinement *refinement, struct perfpred_models **models) {
  struct perfpred_models *made = NULL;
  enum perfpred_status status = ppi_models_create(&made, refinement->error);

  for (size_t i = 0; !status && i < refinement->count; i++) {
    struct ppi_submodel submodel;

    status = ppi_growth_finish(refinement, i, &submodel);
    if (!status)
      status = ppi_models_append(made, &submodel, refinement->error);
  }
  if (status) {
    perfpred_models_unref(made);
    return status;
  }
  ppi_date_now(made->created);
  made->options = refinement->options;
  made->options.progress = NULL;
  made->options.progress_data = NULL;
  *models = made;
  return PERFPRED_OK;
}

static double max_error(const struct ppi_refinement *refinement) {
  double largest = NAN;

  for (size_t i = 0; i < refinement->count; i++)
    for (int k = 0; k < refinement->growths[i].piece_count; k++)
      largest = fmax(largest, refinement->growths[i].leaves[k].worst);
  return largest;
}

static void fill_report(const struct ppi_refinement *refinement, struct perfpred_generate_report *full) {
  double calls = (double)refinement->samples + (double)refinement->disturbed;

  full->models = refinement->count;
  for (size_t i = 0; i < refinement->points.count; i++)
    full->points += refinement->points.items[i].count > 0;
  full->samples = refinement->samples;
  full->disturbed = refinement->disturbed;
  full->pass_rate = calls > 0.0 ? (double)refinement->samples / calls : 1.0;
  full->measure_s = refinement->measure_s;
  full->timed_s = refinement->spent.kept_s;
  full->rejected_s = refinement->spent.rejected_s;
  full->spare_s = refinement->spent.spare_s;
  full->yardstick_s = refinement->spent.yardstick_s;
  full->restore_s = refinement->spent.restore_s;
  full->wall_s = refinement->source->now_s(refinement->source->data) - refinement->start_s;
  full->max_error = max_error(refinement);
  full->budget_exhausted = refinement->exhausted && !refinement->known;
  full->missing = refinement->missing;
  full->floor_s = ppi_budget_set(refinement) ? refinement->floor_s : 0.0;
}

enum perfpred_status ppi_report_check(const struct perfpred_generate_report *report, struct perfpred_error *error) {
  if (report && report->size < REPORT_SIZE)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "report.size: %zu: expected at least %zu (PERFPRED_GENERATE_REPORT_INIT)", report->size,
                         REPORT_SIZE);
  return PERFPRED_OK;
}

void ppi_report_give(const struct perfpred_generate_report *full, struct perfpred_generate_report *report) {
  struct perfpred_generate_report made = *full;

  if (!report)
    return;
  made.size = report->size;
  memcpy(report, &made, made.size < sizeof made ? made.size : sizeof made);
}

static enum perfpred_status generate(const struct ppi_target *targets, size_t count, const struct ppi_source *source,
                                     const struct ppi_known *known, const struct perfpred_generate_options *options,
                                     struct perfpred_models **models, struct perfpred_generate_report *report,
                                     struct perfpred_error *error) {
  struct perfpred_generate_report full = PERFPRED_GENERATE_REPORT_INIT;
  struct ppi_refinement refinement = { .known = known };
  enum perfpred_status status;

  if (count == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "targets: nothing to be modelled");
  status = ppi_report_check(report, error);
  if (status)
    return status;
  status = ppi_generate_defaults(options, &refinement.options, error);
  if (status)
    return status;
  status = refinement_init(&refinement, targets, count, source, error);
  if (!status)
    status = refinement.options.generator == PERFPRED_GENERATOR_ADAPTIVE ? ppi_adaptive_run(&refinement)
                                                                         : ppi_rounds_run(&refinement);
  if (status)
    goto out;
  fill_report(&refinement, &full); /* before the trees are handed over */
  status = finish(&refinement, models);
  if (!status)
    ppi_report_give(&full, report);

out:
  refinement_release(&refinement);
  return status;
}

enum perfpred_status ppi_generate(const struct ppi_target *targets, size_t count, const struct ppi_source *source,
                                  const struct perfpred_generate_options *options, struct perfpred_models **models,
                                  struct perfpred_generate_report *report, struct perfpred_error *error) {
  return generate(targets, count, source, NULL, options, models, report, error);
}

enum perfpred_status ppi_refit(const struct ppi_target *targets, size_t count, const struct ppi_source *source,
                               const struct ppi_known *known, const struct perfpred_generate_options *options,
                               struct perfpred_models **models, struct perfpred_generate_report *report,
                               struct perfpred_error *error) {
  return generate(targets, count, source, known, options, models, report, error);
}
