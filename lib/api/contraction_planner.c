/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/contraction_planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/contraction.h"
#include "contract/einsum.h"
#include "machine/clock.h"
#include "measure/sampler.h"

/* --- Making one ---------------------------------------------------------------------------------------------------- */

static enum perfpred_status set_up(struct perfpred_contraction_planner *planner,
                                   const struct perfpred_contraction_plan_options *options,
                                   struct perfpred_error *error) {
  enum perfpred_status status = ppi_contraction_planner_options(planner, options, error);
  if (!status && planner->models.models)
    status = ppi_contraction_models_choose(&planner->models, planner->options.plan, planner->sampler, error);
  if (status)
    return status;
  planner->answers = calloc(planner->options.answers, sizeof *planner->answers);
  return planner->answers ? PERFPRED_OK : ppi_error_memory(error);
}

static enum perfpred_status make_locks(struct perfpred_contraction_planner *planner, struct perfpred_error *error) {
  if (pthread_mutex_init(&planner->making, NULL) != 0)
    return ppi_error_memory(error);
  if (pthread_mutex_init(&planner->keeping, NULL) == 0)
    return PERFPRED_OK;
  pthread_mutex_destroy(&planner->making);
  return ppi_error_memory(error);
}

enum perfpred_status perfpred_contraction_planner_create(const struct perfpred_context *context,
                                                         struct perfpred_sampler *sampler,
                                                         struct perfpred_models *models,
                                                         const struct perfpred_contraction_plan_options *options,
                                                         struct perfpred_contraction_planner **planner,
                                                         struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !planner || (!sampler && !models))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_contraction_planner_create: context or planner is NULL, or both sampler and models "
                         "are, expected context, planner and one of these");
  struct perfpred_contraction_planner *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->context = context;
  made->sampler = sampler;
  made->models.models = models;
  enum perfpred_status status = set_up(made, options, error);
  if (!status)
    status = make_locks(made, error);
  if (status) {
    free(made->answers);
    ppi_contraction_planner_forget(made);
    free(made);
    return status;
  }
  if (models)
    perfpred_models_ref(models);
  *planner = made;
  return PERFPRED_OK;
}

void perfpred_contraction_planner_destroy(struct perfpred_contraction_planner *planner) {
  if (!planner)
    return;
  for (size_t i = 0; i < planner->options.answers; i++)
    ppi_contraction_findings_unref(planner->answers[i].findings);
  pthread_mutex_destroy(&planner->keeping);
  pthread_mutex_destroy(&planner->making);
  ppi_contraction_answers_free(&planner->stored);
  perfpred_models_unref(planner->models.models);
  free(planner->answers);
  ppi_contraction_planner_forget(planner);
  free(planner);
}

/* --- What is kept -------------------------------------------------------------------------------------------------- */

/* With a reference; NULL: it was not asked, or is not kept any more. */
static struct ppi_contraction_findings *look_up(struct perfpred_contraction_planner *planner,
                                                const struct ppi_contraction *contraction) {
  struct ppi_contraction_findings *found = NULL;
  pthread_mutex_lock(&planner->keeping);
  for (size_t i = 0; i < planner->options.answers && !found; i++) {
    struct ppi_contraction_kept *answer = &planner->answers[i];
    if (!answer->findings ||
        !ppi_contraction_same(&answer->findings->candidates.contraction, contraction, planner->names != NULL))
      continue;
    found = answer->findings;
    atomic_fetch_add(&found->references, 1);
    answer->used = ++planner->turn;
  }
  pthread_mutex_unlock(&planner->keeping);
  return found;
}

/* In a free place, or that which was asked for longest ago. */
static void keep(struct perfpred_contraction_planner *planner, struct ppi_contraction_findings *findings) {
  pthread_mutex_lock(&planner->keeping);
  struct ppi_contraction_kept *oldest = planner->answers;
  for (size_t i = 1; i < planner->options.answers; i++)
    if (planner->answers[i].used < oldest->used)
      oldest = &planner->answers[i];
  struct ppi_contraction_findings *gone = oldest->findings;
  atomic_fetch_add(&findings->references, 1);
  *oldest = (struct ppi_contraction_kept){ findings, ++planner->turn };
  pthread_mutex_unlock(&planner->keeping);
  ppi_contraction_findings_unref(gone);
}

/* --- Asking -------------------------------------------------------------------------------------------------------- */

/* Somebody else may have made it while this thread waited for its turn, or a file has it. */
static enum perfpred_status make(struct perfpred_contraction_planner *planner,
                                 const struct ppi_contraction *contraction, struct ppi_contraction_findings **findings,
                                 bool *kept, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  pthread_mutex_lock(&planner->making);
  *findings = look_up(planner, contraction);
  *kept = *findings != NULL;
  if (!*kept) {
    status = ppi_contraction_recall(planner, contraction, findings, error);
    const bool recalled = *findings != NULL;
    if (!status && !recalled)
      status = ppi_contraction_make(planner, contraction, findings, error);
    if (!status)
      keep(planner, *findings);
    *kept = recalled;
  }
  pthread_mutex_unlock(&planner->making);
  return status;
}

static enum perfpred_status ask(struct perfpred_contraction_planner *planner, const struct ppi_contraction *contraction,
                                struct perfpred_contraction_plan **plan, struct perfpred_error *error) {
  struct ppi_clock clock;
  ppi_clock_monotonic(&clock);
  const double begin_s = clock.now(clock.state);
  struct ppi_contraction_findings *findings = look_up(planner, contraction);
  bool kept = findings != NULL;
  enum perfpred_status status = kept ? PERFPRED_OK : make(planner, contraction, &findings, &kept, error);
  if (status)
    return status;
  /* a virtual clock stands still where nothing is measured */
  const bool is_virtual = planner->sampler && planner->sampler->ops->now_s;
  const double kept_s = is_virtual ? 0.0 : clock.now(clock.state) - begin_s;
  status = ppi_contraction_plan_create(findings, contraction, planner->context, kept, kept ? kept_s : findings->made_s,
                                       plan, error);
  ppi_contraction_findings_unref(findings);
  return status;
}

enum perfpred_status perfpred_contraction_planner_ask(struct perfpred_contraction_planner *planner,
                                                      const struct perfpred_contraction *contraction,
                                                      struct perfpred_contraction_plan **plan,
                                                      struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!planner || !contraction || !plan)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_contraction_planner_ask: planner, contraction or plan is NULL, expected all three");
  return ask(planner, &contraction->it, plan, error);
}

/* --- Sweeps -------------------------------------------------------------------------------------------------------- */

static enum perfpred_status check_sweep(const struct ppi_contraction *contraction, const char *indices,
                                        struct perfpred_error *error) {
  for (int o = 0; o < PPI_OPERANDS; o++)
    if (contraction->tensor[o].strided)
      return ppi_error_set(error, PERFPRED_INVALID, "the contraction has strides of its own, expected dense tensors");
  for (int i = 0; i < contraction->index_count; i++)
    if (strlen(contraction->index[i].joined) > 1)
      return ppi_error_set(error, PERFPRED_INVALID, "indices %s are fused, expected none that are",
                           contraction->index[i].joined);
  for (const char *at = indices; *at; at++) {
    int place = 0;
    while (place < contraction->index_count && contraction->index[place].name != *at)
      place++;
    if (place == contraction->index_count)
      return ppi_error_set(error, PERFPRED_INVALID, "indices: the contraction has no index %c", *at);
  }
  return indices[0] ? PERFPRED_OK
                    : ppi_error_set(error, PERFPRED_INVALID, "indices is empty, expected an index at least");
}

/* The contraction with another extent of some of its indices. */
static enum perfpred_status resize(const struct perfpred_contraction *contraction, const char *indices, int64_t extent,
                                   struct ppi_contraction *resized, struct perfpred_error *error) {
  char letters[PPI_INDEX_MAX][2];
  const char *names[PPI_INDEX_MAX];
  int64_t extents[PPI_INDEX_MAX];
  const struct ppi_contraction *it = &contraction->it;
  for (int i = 0; i < it->index_count; i++) {
    letters[i][0] = it->index[i].name;
    letters[i][1] = '\0';
    names[i] = letters[i];
    extents[i] = strchr(indices, it->index[i].name) ? extent : it->index[i].extent;
  }
  const struct ppi_contract_given given = {
    .type = it->type, .names = names, .extents = extents, .count = (size_t)it->index_count
  };
  return ppi_contraction_read(contraction->einsum, &given, resized, error);
}

/* All of them or none. */
static enum perfpred_status ask_each(struct perfpred_contraction_planner *planner,
                                     const struct perfpred_contraction *contraction, const char *indices,
                                     const int64_t *values, size_t count, struct perfpred_contraction_plan **plans,
                                     struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  size_t made = 0;
  while (!status && made < count) {
    struct ppi_contraction resized;
    status = resize(contraction, indices, values[made], &resized, error);
    if (!status)
      status = ask(planner, &resized, &plans[made], error);
    made += status ? 0 : 1;
  }
  for (size_t i = 0; status && i < made; i++)
    perfpred_contraction_plan_destroy(plans[i]);
  return status;
}

enum perfpred_status perfpred_contraction_planner_sweep(struct perfpred_contraction_planner *planner,
                                                        const struct perfpred_contraction *contraction,
                                                        const char *indices, const int64_t *values, size_t count,
                                                        struct perfpred_contraction_plan **plans,
                                                        struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!planner || !contraction || !indices || !values || count == 0 || !plans)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_contraction_planner_sweep: an argument is NULL or count is 0, expected all of them "
                         "and a value at least");
  enum perfpred_status status = check_sweep(&contraction->it, indices, error);
  struct perfpred_contraction_plan **own = status ? NULL : calloc(count, sizeof *own);
  if (!status && !own)
    status = ppi_error_memory(error);
  if (!status)
    status = ask_each(planner, contraction, indices, values, count, own, error);
  if (!status)
    memcpy(plans, own, count * sizeof *own);
  free(own);
  return status;
}
