/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes are looked at in steps that grow with them; where the choice changes from one to the next, those between are looked at as well. */
#include "api/question.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/cells.h"
#include "store/table.h"

#define POINT_MAX 8192
#define WINDOW 1 /* sizes on either side that a point stands for */
#define FAR 1.25 /* times the best one: no candidate for anything */
#define NBMIN                                                                                                          \
  2 /* LAPACK asks for it only where its workspace is short; blocks of 2 are never worse than none by much */

/* A pair of answers. */
struct candidate {
  int64_t nb, nx; /* nx -1: not asked */
};

/* Crossover points that are tried besides the stock one. What is not blocked is hardly ever more than a few blocks. */
static const int64_t crossovers[] = { 16, 32, 64, 96, 128, 192 };
#define CROSSOVERS (sizeof crossovers / sizeof crossovers[0])

struct point {
  int64_t n;
  double *losses; /* of the candidates */
};

struct search {
  const struct ppi_question *question;
  const struct ppi_question_knobs *knobs;
  struct candidate *candidates;
  int64_t *order; /* block sizes of the candidates */
  size_t candidate_count;
  struct point *points; /* sizes rise */
  size_t *chosen;       /* for each point */
  size_t point_count, capacity;
};

static void release(struct search *search) {
  for (size_t i = 0; i < search->point_count; i++)
    free(search->points[i].losses);
  free(search->chosen);
  free(search->points);
  free(search->order);
  free(search->candidates);
}

/* --- Candidates ---------------------------------------------------------------------------------------------------- */

static void add_candidate(struct search *search, int64_t nb, int64_t nx) {
  for (size_t i = 0; i < search->candidate_count; i++)
    if (search->candidates[i].nb == nb && search->candidates[i].nx == nx)
      return;
  search->order[search->candidate_count] = nb;
  search->candidates[search->candidate_count++] = (struct candidate){ nb, nx };
}

/* The stock one comes first, no blocking at all last. */
static enum perfpred_status list_candidates(struct search *search, struct perfpred_error *error) {
  const struct ppi_tunable *tunable = search->question->tunable;
  const struct ppi_question_knobs *knobs = search->knobs;
  const int64_t upper = knobs->b_upper > 0 ? knobs->b_upper : tunable->b_upper;
  const bool asks = tunable->nx >= 0;
  const size_t steps = upper < knobs->b_lower ? 0 : (size_t)((upper - knobs->b_lower) / knobs->b_step) + 1;
  const size_t most = 2 + steps * (asks ? CROSSOVERS + 1 : 1);
  search->candidates = calloc(most, sizeof *search->candidates);
  search->order = calloc(most, sizeof *search->order);
  if (!search->candidates || !search->order)
    return ppi_error_memory(error);
  add_candidate(search, tunable->nb, tunable->nx);
  for (size_t i = 0; i < steps; i++) {
    const int64_t nb = knobs->b_lower + (int64_t)i * knobs->b_step;
    add_candidate(search, nb, tunable->nx);
    for (size_t k = 0; asks && k < CROSSOVERS; k++)
      add_candidate(search, nb, crossovers[k]);
  }
  add_candidate(search, 1, tunable->nx);
  return PERFPRED_OK;
}

/* --- Points -------------------------------------------------------------------------------------------------------- */

/* Infinite outside of the models. */
static enum perfpred_status time_plan(const struct perfpred_plan *plan, int64_t n, const struct candidate *candidate,
                                      double *time_s, struct perfpred_error *error) {
  const struct perfpred_program *program = plan->program;
  int64_t values[PPI_PARAMETER_MAX];
  struct ppi_plan_sum sum;
  for (int i = 0; i < program->parameter_count; i++)
    values[i] = program->positive[i] ? candidate->nb : program->defaults[i] >= 0 ? candidate->nx : n;
  enum perfpred_status status = ppi_plan_sum(plan, values, (size_t)program->parameter_count, &sum, NULL);
  if (status == PERFPRED_OUT_OF_DOMAIN) {
    *time_s += (double)INFINITY;
    return PERFPRED_OK;
  }
  if (status)
    return ppi_plan_sum(plan, values, (size_t)program->parameter_count, &sum, error);
  *time_s += sum.time_s.med;
  return PERFPRED_OK;
}

/* Adds the times at the sizes of the window from first to last; its middle one is the point itself. */
static enum perfpred_status time_candidate(const struct search *search, int64_t n, const struct candidate *candidate,
                                           int first, int last, double *time_s, struct perfpred_error *error) {
  const struct ppi_question_knobs *knobs = search->knobs;
  enum perfpred_status status = PERFPRED_OK;
  for (int w = first; w <= last && !status && isfinite(*time_s); w++) {
    int64_t size = n + (int64_t)floor((double)n * knobs->spread * w + 0.5);
    if (size < knobs->n_lower || size > knobs->n_upper)
      size = n;
    for (int i = 0; i < search->question->plan_count && !status; i++)
      status = time_plan(search->question->plans[i], size, candidate, time_s, error);
  }
  return status;
}

/* Times of all candidates over the window. Of those that are far from the best one at the point itself that counts for all sizes. */
static enum perfpred_status time_all(const struct search *search, int64_t n, double *times,
                                     struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  double best_s = (double)INFINITY;
  for (size_t c = 0; c < search->candidate_count && !status; c++) {
    status = time_candidate(search, n, &search->candidates[c], 0, 0, &times[c], error);
    best_s = fmin(best_s, times[c]);
  }
  for (size_t c = 0; c < search->candidate_count && !status; c++) {
    if (times[c] > FAR * best_s || search->knobs->spread <= 0.0) {
      times[c] *= 2 * WINDOW + 1;
      continue;
    }
    status = time_candidate(search, n, &search->candidates[c], -WINDOW, -1, &times[c], error);
    if (!status)
      status = time_candidate(search, n, &search->candidates[c], 1, WINDOW, &times[c], error);
  }
  return status;
}

static bool to_losses(double *times, size_t count) {
  double best = (double)INFINITY;
  for (size_t c = 0; c < count; c++)
    best = fmin(best, times[c]);
  for (size_t c = 0; c < count; c++)
    times[c] = best > 0.0 ? times[c] / best - 1.0 : (times[c] > 0.0 ? 1.0 : 0.0);
  return isfinite(best);
}

/* The size gets no point where the models reach no candidate. */
static enum perfpred_status add_point(struct search *search, size_t place, int64_t n, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  if (search->point_count == search->capacity) {
    size_t capacity = search->capacity ? 2 * search->capacity : 128;
    struct point *points = realloc(search->points, capacity * sizeof *points);
    if (points)
      search->points = points;
    size_t *chosen = points ? realloc(search->chosen, capacity * sizeof *chosen) : NULL;
    if (!chosen)
      return ppi_error_memory(error);
    memset(chosen + search->capacity, 0, (capacity - search->capacity) * sizeof *chosen);
    search->chosen = chosen;
    search->capacity = capacity;
  }
  assert(search->candidate_count > 0);
  double *losses = calloc(search->candidate_count, sizeof *losses);
  if (!losses)
    return ppi_error_memory(error);
  status = time_all(search, n, losses, error);
  if (status || !to_losses(losses, search->candidate_count)) {
    free(losses);
    return status;
  }
  memmove(search->points + place + 1, search->points + place, (search->point_count - place) * sizeof *search->points);
  search->points[place] = (struct point){ n, losses };
  search->point_count++;
  return PERFPRED_OK;
}

static enum perfpred_status lay_out(struct search *search, struct perfpred_error *error) {
  const struct ppi_question_knobs *knobs = search->knobs;
  enum perfpred_status status = PERFPRED_OK;
  size_t looked = 0;
  for (int64_t n = knobs->n_lower; !status; looked++) {
    if (looked == POINT_MAX)
      return ppi_error_set(error, PERFPRED_LIMIT, "growth is %g: more than %d sizes from %lld to %lld", knobs->growth,
                           POINT_MAX, (long long)knobs->n_lower, (long long)knobs->n_upper);
    status = add_point(search, search->point_count, n, error);
    if (n == knobs->n_upper)
      break;
    int64_t next = (int64_t)floor((double)n * knobs->growth + 0.5);
    next = next > n ? next : n + 1;
    n = next < knobs->n_upper ? next : knobs->n_upper;
  }
  if (!status && search->point_count == 0)
    status = ppi_error_set(error, PERFPRED_OUT_OF_DOMAIN, "%s: the models reach none of the sizes from %lld to %lld",
                           search->question->tunable->routine, (long long)knobs->n_lower, (long long)knobs->n_upper);
  return status;
}

/* --- Choosing ------------------------------------------------------------------------------------------------------ */

static enum perfpred_status choose(struct search *search, struct perfpred_error *error) {
  const bool multiplies = ppi_table_multiplies(search->question->tunable->routine);
  const struct ppi_cells_rule rule = { .candidate_count = search->candidate_count,
                                       .tie = search->knobs->tie,
                                       .order = multiplies ? search->order : NULL };
  assert(search->point_count > 0);
  const double **losses = malloc(search->point_count * sizeof *losses);
  if (!losses)
    return ppi_error_memory(error);
  for (size_t i = 0; i < search->point_count; i++)
    losses[i] = search->points[i].losses;
  enum perfpred_status status = ppi_cells_choose(&rule, losses, search->point_count, search->chosen, error);
  free((void *)losses);
  return status;
}

static bool is_loose(const struct search *search, size_t place) {
  const int64_t n = search->points[place].n, gap = search->points[place + 1].n - n;
  return search->chosen[place] != search->chosen[place + 1] && gap > 1 &&
         (double)gap > search->knobs->resolution * (double)n;
}

/* Points in the middle of gaps in which the choice changes. */
static enum perfpred_status refine(struct search *search, bool *added, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  *added = false;
  /* from behind, so that what is chosen keeps its places */
  for (size_t i = search->point_count - 1; i-- > 0 && !status && search->point_count < POINT_MAX;)
    if (is_loose(search, i)) {
      const size_t before = search->point_count;
      const int64_t n = search->points[i].n;
      status = add_point(search, i + 1, n + (search->points[i + 1].n - n) / 2, error);
      *added |= search->point_count > before;
    }
  return status;
}

static struct ppi_table_cell cell_of(const struct search *search, size_t place) {
  const struct candidate *candidate = &search->candidates[search->chosen[place]];
  struct ppi_table_cell cell = { .bound = PPI_TABLE_OPEN, .nb = (uint16_t)candidate->nb, .nbmin = NBMIN };
  cell.nx = candidate->nx < 0 ? PPI_TABLE_NX_STOCK : (uint32_t)candidate->nx;
  if (place + 1 < search->point_count) {
    const int64_t n = search->points[place].n;
    cell.bound = (uint32_t)(n + (search->points[place + 1].n - n - 1) / 2);
  }
  return cell;
}

static enum perfpred_status collect(const struct search *search, struct ppi_table_cell **cells, size_t *cell_count,
                                    struct perfpred_error *error) {
  struct ppi_table_cell *made = calloc(search->point_count, sizeof *made);
  size_t count = 0;
  if (!made)
    return ppi_error_memory(error);
  for (size_t i = 0; i < search->point_count; i++)
    if (i + 1 == search->point_count || search->chosen[i] != search->chosen[i + 1])
      made[count++] = cell_of(search, i);
  *cells = made;
  *cell_count = count;
  return PERFPRED_OK;
}

enum perfpred_status ppi_question_decide(const struct ppi_question *question, const struct ppi_question_knobs *knobs,
                                         struct ppi_table_cell **cells, size_t *cell_count,
                                         struct perfpred_error *error) {
  struct search search = { .question = question, .knobs = knobs };
  bool added = true;
  assert(question->plan_count > 0);
  enum perfpred_status status = list_candidates(&search, error);
  if (!status)
    status = lay_out(&search, error);
  while (!status && added) {
    status = choose(&search, error);
    if (!status)
      status = refine(&search, &added, error);
  }
  if (!status)
    status = collect(&search, cells, cell_count, error);
  release(&search);
  return status;
}
