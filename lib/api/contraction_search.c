/* SPDX-License-Identifier: BSD-3-Clause */
/* Best first: of the groups whose bounds lie below the best time, those that look best give a few algorithms each to the next batch. */
#include "api/contraction_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "api/contraction_runoff.h"

#define BATCH 16     /* algorithms that are predicted together */
#define BATCH_EACH 4 /* of one group */
#define BUDGET_SHARE 0.05
#define BUDGET_LEAST_S 50e-3
#define BUDGET_FEW_S 250e-3
#define BUDGET_EACH_S 10e-3 /* besides, for each algorithm, which is what a few windows of one take */
#define BUDGET_MOST_S 1.0
#define BUDGET_LONG_S 1.0 /* from this time on the share alone counts */
#define BOUNDS_SHARE 0.4  /* of the budget, for bounds */
#define RESERVE 0.2       /* of the budget, for measuring the best ones again */
#define LEFT_LEAST_S 1e-9
#define FIRST 3.0 /* times the best bound: what is looked at before anything is predicted */
#define FINALISTS 6
#define ROUNDS 3        /* of executions */
#define NEAR 0.5        /* of the best time: so much slower ones may be faster after all */
#define ROUGH 8         /* groups that are predicted from bounds alone */
#define ROUGH_S 1.0     /* time that is spent on them */
#define ROUGH_CALLS 8.0 /* for so many calls of each */

struct searching {
  struct ppi_contraction_search *search;
  struct ppi_contraction_pricing *pricing;
  struct ppi_contraction_candidates *candidates;
  size_t *order; /* groups, the best bound first */
  size_t *next;  /* of each group, place of an entry from where on some were not tried */
  double begin_s;
  double best_s;  /* of what is predicted */
  double rough_s; /* of groups that are too dear to be measured, as far as bounds tell */
};

static double spent(const struct searching *searching) {
  return searching->search->now_s(searching->search->data) - searching->begin_s;
}

/* The best time as far as it is known; infinite: it is not. */
static double best_known(const struct searching *searching) {
  const struct ppi_contraction_candidates *candidates = searching->candidates;
  double bound_s = (double)INFINITY;
  for (size_t i = 0; i < candidates->group_count; i++)
    if (candidates->groups[i].bound_s > 0.0)
      bound_s = fmin(bound_s, candidates->groups[i].bound_s);
  return isfinite(searching->best_s) ? searching->best_s : bound_s;
}

/* What planning may take however short the contraction is; the less, the nearer that comes to the time from which on a share of it counts. */
static double least_s(const struct searching *searching) {
  const double each_s = BUDGET_EACH_S * (double)searching->candidates->entry_count, best_s = best_known(searching);
  const double most_s = fmin(BUDGET_FEW_S + each_s, BUDGET_MOST_S);
  const double shortness = isfinite(best_s) ? fmax(0.0, 1.0 - best_s / BUDGET_LONG_S) : 1.0;
  return BUDGET_LEAST_S + (most_s - BUDGET_LEAST_S) * shortness;
}

/* The budget grows with the best time that is known, and is what it is where the caller says so. */
static double allowed(const struct searching *searching) {
  const struct ppi_contraction_search *search = searching->search;
  const double best_s = best_known(searching);
  if (search->budget_s > 0.0)
    return search->budget_s;
  if (search->complete)
    return (double)INFINITY;
  return fmax(least_s(searching), isfinite(best_s) ? BUDGET_SHARE * best_s : 0.0);
}

/* What is left of the budget is for the next batch. */
static void limit(const struct searching *searching) {
  const double left_s = allowed(searching) - spent(searching);
  searching->pricing->sampling.budget_s = isfinite(left_s) ? fmax(left_s, LEFT_LEAST_S) : 0.0;
}

/* --- Order --------------------------------------------------------------------------------------------------------- */

/* What a group promises: its best prediction, or its bound. One without a bound may be anything, and comes first. */
static double promise(const struct ppi_contraction_group *group) {
  return isfinite(group->best_s) ? group->best_s : group->bound_s;
}

static void sort_groups(struct searching *searching) {
  const struct ppi_contraction_group *groups = searching->candidates->groups;
  for (size_t i = 0; i < searching->candidates->group_count; i++) {
    size_t at = i;
    for (; at > 0 && promise(&groups[searching->order[at - 1]]) > promise(&groups[i]); at--)
      searching->order[at] = searching->order[at - 1];
    searching->order[at] = i;
  }
}

/* Before anything is predicted, those wait that make too many calls, and those whose bounds lie far beyond the best one: what is predicted first will
   mostly tell that they cannot win. */
static bool waits(const struct searching *searching, const struct ppi_contraction_group *group) {
  const struct ppi_contraction_candidates *candidates = searching->candidates;
  double least_s = (double)INFINITY;
  if (searching->search->complete || isfinite(searching->best_s) || !(group->bound_s > 0.0))
    return false;
  for (size_t i = 0; i < candidates->group_count; i++)
    if (candidates->groups[i].entries > 0 && candidates->groups[i].bound_s > 0.0)
      least_s = fmin(least_s, candidates->groups[i].bound_s);
  return group->bound == PERFPRED_CONTRACTION_BOUND_CALLS || group->bound_s > FIRST * least_s;
}

static bool can_win(const struct searching *searching, const struct ppi_contraction_group *group) {
  if (waits(searching, group))
    return false;
  return searching->search->complete || ppi_contraction_price_idle(searching->pricing) ||
         group->bound_s < fmin(searching->best_s, searching->rough_s);
}

/* Whether anything can be found out about a group at all. */
static bool is_open(const struct searching *searching, const struct ppi_contraction_group *group) {
  const struct ppi_contraction_pricing *pricing = searching->pricing;
  return group->modelled || ppi_contraction_price_idle(pricing) ||
         (pricing->sampler && pricing->mode != PERFPRED_CONTRACTION_MODELS);
}

/* The next leader of a group that was not tried; SIZE_MAX: none. */
static size_t next_entry(struct searching *searching, size_t group) {
  const struct ppi_contraction_candidates *candidates = searching->candidates;
  size_t *at = &searching->next[group];
  while (*at < candidates->entry_count && (candidates->entries[*at].group != group || candidates->entries[*at].priced ||
                                           candidates->entries[*at].leader != *at))
    ++*at;
  return *at < candidates->entry_count ? *at : SIZE_MAX;
}

struct choice {
  size_t entries[BATCH];
  size_t count;
  double left_s, cost_s;
  bool dear; /* something was left out because it does not fit into what is left */
};

static bool is_unaffordable(const struct searching *searching, double cost_s) {
  return cost_s > allowed(searching);
}

/* Beyond what planning takes at least, finding out about a group has to be worth it: by its bound no more than this can be gained. */
static bool is_worth_it(const struct searching *searching, const struct ppi_contraction_group *group, double cost_s) {
  return searching->search->complete || searching->search->budget_s > 0.0 ||
         spent(searching) + cost_s <= least_s(searching) || !isfinite(searching->best_s) ||
         cost_s <= searching->best_s - group->bound_s;
}

static enum perfpred_status choose_of(struct searching *searching, size_t group, struct choice *choice,
                                      struct perfpred_error *error) {
  enum perfpred_status status = ppi_contraction_price_prepare(searching->pricing, group, error);
  for (int k = 0; k < BATCH_EACH && choice->count < BATCH && !status && !choice->dear; k++) {
    const size_t entry = next_entry(searching, group);
    if (entry == SIZE_MAX)
      break;
    const double cost_s = ppi_contraction_price_cost(searching->pricing, entry);
    if (is_unaffordable(searching, cost_s)) {
      const struct ppi_contraction_group *dear = &searching->candidates->groups[group];
      searching->rough_s = fmin(searching->rough_s, dear->call_s * dear->calls);
      break;
    }
    choice->dear = choice->cost_s + cost_s > choice->left_s ||
                   !is_worth_it(searching, &searching->candidates->groups[group], choice->cost_s + cost_s);
    if (choice->dear)
      break;
    choice->cost_s += cost_s;
    choice->entries[choice->count++] = entry;
    searching->next[group]++;
  }
  return status;
}

/* The next batch. */
static enum perfpred_status choose(struct searching *searching, struct choice *choice, struct perfpred_error *error) {
  const struct ppi_contraction_candidates *candidates = searching->candidates;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < candidates->group_count && choice->count < BATCH && !choice->dear && !status; i++) {
    const struct ppi_contraction_group *group = &candidates->groups[searching->order[i]];
    if (group->entries > 0 && is_open(searching, group) && can_win(searching, group))
      status = choose_of(searching, searching->order[i], choice, error);
  }
  return status;
}

/* --- Predicting ---------------------------------------------------------------------------------------------------- */

static enum perfpred_status predict(struct searching *searching, const size_t *chosen, size_t count,
                                    struct perfpred_error *error) {
  struct ppi_contraction_candidates *candidates = searching->candidates;
  limit(searching);
  enum perfpred_status status = ppi_contraction_price(searching->pricing, chosen, count, error);
  for (size_t i = 0; i < count && !status; i++) {
    struct ppi_contraction_entry *entry = &candidates->entries[chosen[i]];
    entry->priced = true;
    searching->search->done += 1.0 / (double)candidates->entry_count;
    if (entry->source != PERFPRED_CONTRACTION_DROPPED)
      searching->best_s = fmin(searching->best_s, entry->time_s.med);
  }
  return status;
}

/* What measuring a batch took beside what it measured; slowly learned, as the first batch warms things up. */
static void learn(struct searching *searching, double expected_s, double taken_s) {
  double *overhead = &searching->pricing->overhead;
  if (expected_s > 0.0 && taken_s > 0.0)
    *overhead = fmax(0.01, fmin(100.0, *overhead * sqrt(taken_s / expected_s)));
}

static enum perfpred_status predict_best_first(struct searching *searching, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  struct choice choice;
  do {
    const double before_s = spent(searching), share = searching->search->complete ? 1.0 : 1.0 - RESERVE;
    searching->search->allowed_s = allowed(searching);
    choice = (struct choice){ .left_s = searching->search->allowed_s * share - before_s };
    sort_groups(searching);
    status = choose(searching, &choice, error);
    if (status || choice.count == 0)
      break;
    status = predict(searching, choice.entries, choice.count, error);
    learn(searching, choice.cost_s, spent(searching) - before_s);
  } while (!status);
  searching->search->bounded = !choice.dear;
  return status;
}

/* --- What cannot be measured in the budget -------------------------------------------------------------------------- */

/* A group that could win, but one of whose algorithms alone takes more than the budget; or, where none at all is predicted, any that has a
   bound. */
static bool is_rough(const struct searching *searching, size_t place) {
  const struct ppi_contraction_group *group = &searching->candidates->groups[place];
  if (group->entries == 0 || group->predicted > 0 || !(group->call_s > 0.0) || !can_win(searching, group))
    return false;
  if (!isfinite(searching->best_s))
    return true;
  for (size_t i = 0; i < searching->candidates->entry_count; i++)
    if (searching->candidates->entries[i].group == place)
      return group->prepared && is_unaffordable(searching, ppi_contraction_price_cost(searching->pricing, i));
  return false;
}

static void predict_group_roughly(struct searching *searching, size_t group) {
  for (size_t i = 0; i < searching->candidates->entry_count; i++)
    if (searching->candidates->entries[i].group == group)
      ppi_contraction_price_rough(searching->pricing, i);
}

/* Their calls are scaled from ones as large as the budget lets them be. */
static enum perfpred_status predict_roughly(struct searching *searching, struct perfpred_error *error) {
  const struct ppi_contraction_candidates *candidates = searching->candidates;
  size_t groups[ROUGH];
  size_t count = 0;
  sort_groups(searching);
  for (size_t i = 0; i < candidates->group_count && count < ROUGH; i++)
    if (is_rough(searching, searching->order[i]))
      groups[count++] = searching->order[i];
  const double left_s = fmin(allowed(searching) - spent(searching), ROUGH_S);
  enum perfpred_status status = PERFPRED_OK;
  limit(searching);
  if (count > 0 && left_s > 0.0 && searching->pricing->sampler)
    status =
        ppi_contraction_price_scaled(searching->pricing, groups, count, left_s / ROUGH_CALLS / (double)count, error);
  for (size_t i = 0; i < count && !status; i++)
    predict_group_roughly(searching, groups[i]);
  for (size_t i = 0; i < count; i++)
    searching->best_s = fmin(searching->best_s, candidates->groups[groups[i]].best_s);
  return status;
}

/* --- The best ones again ------------------------------------------------------------------------------------------- */

/* Places of the fastest predicted entries within a share of the best time, the fastest first. rough: also what bounds alone tell. */
static size_t find_finalists(const struct searching *searching, double within, bool rough,
                             size_t finalists[FINALISTS]) {
  const struct ppi_contraction_entry *entries = searching->candidates->entries;
  size_t count = 0;
  for (size_t i = 0; i < searching->candidates->entry_count; i++) {
    const bool measured = entries[i].priced && entries[i].source == PERFPRED_CONTRACTION_MEASURED;
    if (!(measured || (rough && entries[i].source == PERFPRED_CONTRACTION_ROUGH)) ||
        !(entries[i].time_s.med <= (1.0 + within) * searching->best_s))
      continue;
    size_t at = count < FINALISTS ? count++ : FINALISTS;
    for (; at > 0 && entries[finalists[at - 1]].time_s.med > entries[i].time_s.med; at--)
      if (at < FINALISTS)
        finalists[at] = finalists[at - 1];
    if (at < FINALISTS)
      finalists[at] = i;
  }
  return count;
}

/* Their benchmarks are forgotten, so that they run again, in one batch: then no drift of the machine stands between them. */
static enum perfpred_status measure_finalists(struct searching *searching, struct perfpred_error *error) {
  size_t finalists[FINALISTS];
  const size_t count = find_finalists(searching, 2.0 * searching->search->tie, false, finalists);
  double cost_s = 0.0;
  for (size_t i = 0; i < count; i++)
    cost_s += ppi_contraction_price_cost(searching->pricing, finalists[i]);
  if (count < 2 || searching->search->complete || spent(searching) + cost_s > allowed(searching))
    return PERFPRED_OK;
  ppi_contraction_memo_cut(&searching->pricing->memo, 0);
  return predict(searching, finalists, count, error);
}

/* One batch of executions: of what may be the fastest, or, once some were executed, of what was not and is predicted to be faster than they are.
   *count: how many. */
static enum perfpred_status execute_some(struct searching *searching, double within, size_t least, size_t *count,
                                         struct perfpred_error *error) {
  struct ppi_contraction_pricing *pricing = searching->pricing;
  const struct ppi_contraction_entry *entries = searching->candidates->entries;
  size_t finalists[FINALISTS];
  *count = find_finalists(searching, within, true, finalists);
  *count = ppi_contraction_runoff_fit(pricing, finalists, *count, allowed(searching) - spent(searching));
  if (*count < least) {
    *count = 0;
    return PERFPRED_OK;
  }
  limit(searching);
  enum perfpred_status status = ppi_contraction_runoff(pricing, finalists, *count, error);
  searching->best_s = (double)INFINITY;
  for (size_t i = 0; i < searching->candidates->entry_count; i++)
    if (entries[i].source == PERFPRED_CONTRACTION_EXECUTED)
      searching->best_s = fmin(searching->best_s, entries[i].time_s.med);
  if (isinf(searching->best_s)) {
    searching->best_s = entries[finalists[0]].time_s.med;
    *count = 0;
  }
  return status;
}

/* Executions decide between those that may be the fastest, where there is time for them. */
static enum perfpred_status run_off(struct searching *searching, struct perfpred_error *error) {
  const struct ppi_contraction_pricing *pricing = searching->pricing;
  const bool replays = pricing->mode == PERFPRED_CONTRACTION_AUTO || pricing->mode == PERFPRED_CONTRACTION_REPLAY;
  enum perfpred_status status = PERFPRED_OK;
  size_t count = 1;
  if (searching->search->complete || !pricing->sampler || !replays || ppi_contraction_price_idle(pricing) ||
      pricing->stage != PERFPRED_CONTRACTION_STAGE_FIRST)
    return PERFPRED_OK;
  for (int round = 0; round < ROUNDS && count > 0 && !status; round++)
    status = execute_some(searching, round == 0 ? NEAR : 0.0, round == 0 ? 2 : 1, &count, error);
  return status;
}

/* Those that no benchmark tells from their leader have its times. */
static void follow(const struct searching *searching) {
  struct ppi_contraction_candidates *candidates = searching->candidates;
  for (size_t i = 0; i < candidates->entry_count; i++) {
    struct ppi_contraction_entry *entry = &candidates->entries[i];
    struct ppi_contraction_group *group = &candidates->groups[entry->group];
    const struct ppi_contraction_entry *leader = group->prepared ? &candidates->entries[entry->leader] : entry;
    if (leader == entry || !leader->priced || leader->source == PERFPRED_CONTRACTION_DROPPED)
      continue;
    entry->source = leader->source == PERFPRED_CONTRACTION_EXECUTED ? PERFPRED_CONTRACTION_MEASURED : leader->source;
    entry->time_s = leader->time_s;
    entry->copy_s = leader->copy_s;
    entry->zero_s = leader->zero_s;
    entry->priced = true;
    group->predicted++;
  }
}

/* --- All together -------------------------------------------------------------------------------------------------- */

/* Why models alone give nothing. */
static enum perfpred_status unknown(const struct searching *searching, struct perfpred_error *error) {
  const struct ppi_contraction_candidates *candidates = searching->candidates;
  for (size_t i = 0; i < candidates->group_count; i++)
    if (candidates->groups[i].entries > 0 &&
        ppi_contraction_price_known(searching->pricing, i) == PPI_CONTRACTION_OUTSIDE)
      return ppi_error_set(error, PERFPRED_OUT_OF_DOMAIN,
                           "the sizes of %s lie outside of the domains of its models, and so do those of all others",
                           candidates->groups[i].text);
  return ppi_error_set(error, PERFPRED_UNMODELLED, "the models know none of the calls, such as %s",
                       candidates->groups[0].text);
}

static enum perfpred_status nothing(const struct searching *searching, struct perfpred_error *error) {
  if (searching->pricing->mode == PERFPRED_CONTRACTION_MODELS || !searching->pricing->sampler)
    return unknown(searching, error);
  return ppi_error_set(error, PERFPRED_TIMEOUT, "no sample was taken in %g s, expected one of some algorithm at least",
                       allowed(searching));
}

static enum perfpred_status run(struct searching *searching, struct perfpred_error *error) {
  limit(searching);
  searching->pricing->sampling.budget_s *= BOUNDS_SHARE;
  enum perfpred_status status = ppi_contraction_price_bounds(searching->pricing, searching->search->complete, error);
  if (!status)
    status = predict_best_first(searching, error);
  if (!status)
    status = predict_roughly(searching, error);
  if (!status && !isfinite(searching->best_s))
    status = nothing(searching, error);
  if (!status)
    status = measure_finalists(searching, error);
  if (!status)
    status = run_off(searching, error);
  if (!status)
    follow(searching);
  return status;
}

enum perfpred_status ppi_contraction_search(struct ppi_contraction_search *search, struct perfpred_error *error) {
  struct searching searching = { .search = search,
                                 .pricing = search->pricing,
                                 .candidates = search->pricing->candidates,
                                 .begin_s = search->now_s(search->data),
                                 .best_s = (double)INFINITY,
                                 .rough_s = (double)INFINITY };
  assert(searching.candidates->group_count > 0);
  searching.order = calloc(searching.candidates->group_count, sizeof *searching.order);
  searching.next = calloc(searching.candidates->group_count, sizeof *searching.next);
  enum perfpred_status status = searching.order && searching.next ? run(&searching, error) : ppi_error_memory(error);
  search->spent_s = spent(&searching);
  search->allowed_s = searching.order ? allowed(&searching) : 0.0;
  free(searching.next);
  free(searching.order);
  return status;
}
