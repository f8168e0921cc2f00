/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/total.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "affine/polygon.h"
#include "affine/runs.h"

#define PAUSE_STEPS 8192

struct task {
  struct ppi_total *total;
  struct ppi_set set;
  unsigned active; /* variables that have no number yet, by bit */
  bool limited;    /* points count where limit >= 0 */
  struct ppi_poly weight, limit;
};

static ppi_wide sum_of(struct task *task);

static void fail(struct ppi_total *total) {
  if (!total->status)
    total->status =
        ppi_error_set(total->error, PERFPRED_UNSUPPORTED, "%s: numbers become too large to count with", total->name);
}

static void fail_memory(struct ppi_total *total) {
  if (!total->status)
    total->status = ppi_error_memory(total->error);
}

static bool step(struct ppi_total *total) {
  if (++total->steps % PAUSE_STEPS == 0 && !total->status)
    total->status = ppi_pause_check(total->pause, total->name, total->error);
  return !total->status;
}

/* Puts a number for a variable. */
static void assign(struct task *task, int var, int64_t value) {
  ppi_set_assign(&task->set, var, value);
  task->active &= ~(1u << var);
  ppi_poly_assign(&task->weight, var, value);
  if (task->limited)
    ppi_poly_assign(&task->limit, var, value);
}

static void add_row(struct task *task, const struct ppi_constraint *row) {
  if (task->set.count == PPI_SET_ROWS)
    fail(task->total);
  else
    task->set.rows[task->set.count++] = *row;
}

static bool limit_range(const struct task *task, ppi_wide *least, ppi_wide *most) {
  int64_t low[PPI_VARS] = { 0 }, high[PPI_VARS] = { 0 };
  memcpy(low, task->set.low, (size_t)task->set.variables * sizeof low[0]);
  memcpy(high, task->set.high, (size_t)task->set.variables * sizeof high[0]);
  return ppi_poly_range(&task->limit, low, high, least, most);
}

/* A limit of degree 1 is a row as well. */
static bool limit_to_row(struct task *task) {
  struct ppi_constraint row = { .constant = 0 };
  if (ppi_poly_total_degree(&task->limit) > 1)
    return false;
  for (int i = 0; i < task->limit.count; i++) {
    const ppi_wide coefficient = task->limit.terms[i].coefficient;
    const int64_t largest = (int64_t)1 << (task->limit.terms[i].powers == 0 ? 60 : 28);
    if (coefficient > largest || coefficient < -largest)
      return false;
    int64_t *to = &row.constant;
    for (int var = 0; var < task->set.variables; var++)
      if (ppi_power_of(task->limit.terms[i].powers, var) > 0)
        to = &row.c[var];
    *to = (int64_t)coefficient;
  }
  int64_t common = 0;
  for (int var = 0; var < task->set.variables; var++)
    common = ppi_gcd(common, row.c[var]);
  for (int var = 0; var < task->set.variables && common > 1; var++)
    row.c[var] /= common;
  if (common > 1)
    row.constant = ppi_floor_div(row.constant, common);
  add_row(task, &row);
  task->limited = false;
  return true;
}

/* Puts numbers for variables that have one value; whether there were any: rows of one variable less bound the others anew. */
static bool assign_single(struct task *task) {
  bool any = false;
  for (int i = 0; i < task->set.variables; i++)
    if ((task->active & 1u << i) && task->set.low[i] == task->set.high[i]) {
      assign(task, i, task->set.low[i]);
      any = true;
    }
  return any;
}

/* Drops a limit that holds everywhere. False: it holds nowhere. */
static bool check_limit(struct task *task) {
  ppi_wide least = 0, most = 0;
  if (!task->limited || !limit_range(task, &least, &most))
    return true;
  task->limited = least < 0;
  return most >= 0;
}

/* Tightens, puts numbers for variables that have one value, and drops a limit that decides nothing. False: no points. */
static bool simplify(struct task *task) {
  bool again = true;
  while (again) {
    if (!ppi_set_tighten(&task->set))
      return false;
    again = assign_single(task);
    if (again)
      continue;
    if (!check_limit(task))
      return false;
    again = task->limited && limit_to_row(task);
  }
  if (task->weight.bad || (task->limited && task->limit.bad))
    fail(task->total);
  return !task->total->status;
}

static ppi_wide constant_of(struct task *task, const struct ppi_poly *poly) {
  if (poly->bad || poly->count > 1 || (poly->count == 1 && poly->terms[0].powers != 0)) {
    fail(task->total);
    return 0;
  }
  const ppi_wide value = poly->count ? poly->terms[0].coefficient : 0;
  if (value % poly->denominator != 0) /* sums over integers are integers */
    fail(task->total);
  return value / poly->denominator;
}

/* Whether a variable's rows all have the coefficient 1 or -1. *cases: pairs of bounds. */
static bool is_simple(const struct task *task, int var, int *cases) {
  int low = 1, high = 1;
  if (task->limited && ppi_poly_uses(&task->limit, var))
    return false;
  for (int i = 0; i < task->set.count; i++) {
    const int64_t factor = task->set.rows[i].c[var];
    if (factor > 1 || factor < -1)
      return false;
    low += factor > 0;
    high += factor < 0;
  }
  *cases = low * high;
  return true;
}

static int simplest_variable(const struct task *task) {
  int found = -1, least = 0, cases = 0;
  for (int i = 0; i < task->set.variables; i++)
    if ((task->active & 1u << i) && is_simple(task, i, &cases) && (found < 0 || cases < least)) {
      found = i;
      least = cases;
    }
  return found;
}

/* Rows that make bound `chosen` the tightest, the first one of equals. */
static void add_choice(struct task *task, const struct ppi_bounds *bounds, int chosen, int sign) {
  for (int i = 0; i < bounds->count; i++) {
    if (i == chosen)
      continue;
    const struct ppi_constraint *a = &bounds->forms[sign > 0 ? chosen : i], *b = &bounds->forms[sign > 0 ? i : chosen];
    const struct ppi_constraint row = ppi_constraint_between(a, b, i < chosen);
    add_row(task, &row);
  }
}

static struct ppi_form form_of(const struct ppi_constraint *constraint) {
  struct ppi_form form = ppi_form_constant(constraint->constant);
  for (int i = 0; i < PPI_LOOPS; i++)
    form.c[PPI_BLOCK_VAR(i)] = constraint->c[i];
  return form;
}

static struct task *copy_task(const struct task *task) {
  struct task *copy = malloc(sizeof *copy);
  if (!copy) {
    fail_memory(task->total);
    return NULL;
  }
  copy->total = task->total;
  copy->active = task->active;
  copy->limited = task->limited;
  copy->set.variables = task->set.variables;
  copy->set.count = task->set.count;
  memcpy(copy->set.low, task->set.low, sizeof copy->set.low);
  memcpy(copy->set.high, task->set.high, sizeof copy->set.high);
  memcpy(copy->set.rows, task->set.rows, (size_t)task->set.count * sizeof task->set.rows[0]);
  ppi_poly_copy(&copy->weight, &task->weight);
  if (task->limited)
    ppi_poly_copy(&copy->limit, &task->limit);
  return copy;
}

/* The part in which these two bounds are the tightest. */
static ppi_wide sum_case(const struct task *task, int var, const struct ppi_bounds *low, int chosen_low,
                         const struct ppi_bounds *high, int chosen_high) {
  struct task *part = copy_task(task);
  ppi_wide sum = 0;
  if (!part)
    return 0;
  const struct ppi_constraint room = ppi_constraint_between(&high->forms[chosen_high], &low->forms[chosen_low], 0);
  const struct ppi_form first = form_of(&low->forms[chosen_low]), last = form_of(&high->forms[chosen_high]);
  add_row(part, &room);
  add_choice(part, low, chosen_low, 1);
  add_choice(part, high, chosen_high, -1);
  if (ppi_set_tighten(&part->set)) {
    ppi_poly_sum(&task->weight, PPI_BLOCK_VAR(var), &first, &last, &part->weight);
    sum = sum_of(part);
  }
  free(part);
  return sum;
}

static ppi_wide sum_simple(struct task *task, int var) {
  struct ppi_bounds *bounds = malloc(2 * sizeof *bounds);
  ppi_wide sum = 0;
  if (!bounds) {
    fail_memory(task->total);
    return 0;
  }
  ppi_set_take_bounds(&task->set, var, &bounds[0], &bounds[1]);
  task->active &= ~(1u << var);
  for (int i = 0; i < bounds[0].count; i++)
    for (int j = 0; j < bounds[1].count && !task->total->status; j++)
      sum += sum_case(task, var, &bounds[0], i, &bounds[1], j);
  free(bounds);
  return sum;
}

static ppi_wide sum_run(struct task *task, int var, int64_t first, int64_t last) {
  const struct ppi_form from = ppi_form_constant(first), to = ppi_form_constant(last);
  struct ppi_poly sum;
  if (task->weight.count == 1 && task->weight.terms[0].powers == 0 && task->weight.denominator == 1)
    return task->weight.terms[0].coefficient * (last - first + 1);
  ppi_poly_sum(&task->weight, PPI_BLOCK_VAR(var), &from, &to, &sum);
  return constant_of(task, &sum);
}

/* The one variable that is left. */
static ppi_wide sum_last(struct task *task, int var) {
  struct ppi_univariate limit = { .degree = 0 };
  struct ppi_runs runs = { .count = 0 };
  bool fits = true;
  ppi_wide sum = 0;
  if (!task->limited)
    return sum_run(task, var, task->set.low[var], task->set.high[var]);
  limit.degree = ppi_poly_degree(&task->limit, var);
  if (limit.degree > PPI_RUNS_DEGREE) {
    fail(task->total);
    return 0;
  }
  for (int i = 0; i < task->limit.count; i++)
    limit.c[ppi_power_of(task->limit.terms[i].powers, var)] = task->limit.terms[i].coefficient;
  ppi_runs_find(&limit, task->set.low[var], task->set.high[var], &runs, &fits);
  if (!fits)
    fail(task->total);
  for (int i = 0; i < runs.count && !task->total->status; i++)
    sum += sum_run(task, var, runs.first[i], runs.last[i]);
  return sum;
}

/* Sum of the weight over a run, for a value of the other variable. */
static ppi_wide sum_weight(struct task *task, int over, int64_t value, int in, int64_t first, int64_t last) {
  const struct ppi_form from = ppi_form_constant(first), to = ppi_form_constant(last);
  struct ppi_poly weight, sum;
  if (task->weight.count == 1 && task->weight.terms[0].powers == 0 && task->weight.denominator == 1)
    return task->weight.terms[0].coefficient * (last - first + 1);
  ppi_poly_copy(&weight, &task->weight);
  ppi_poly_assign(&weight, over, value);
  ppi_poly_sum(&weight, in, &from, &to, &sum);
  return constant_of(task, &sum);
}

static bool has_constant_weight(const struct task *task) {
  return task->weight.count == 1 && task->weight.terms[0].powers == 0 && task->weight.denominator == 1;
}

/* The two variables that are left: goes through one of them. */
static ppi_wide sum_pair(struct task *task, int over, int in) {
  struct ppi_bivariate limit = { .degree_in = 0 };
  bool fits = true;
  ppi_wide sum = 0;
  if (task->limited && !ppi_bivariate_make(&task->limit, over, in, &limit)) {
    fail(task->total);
    return 0;
  }
  for (int64_t value = task->set.low[over]; value <= task->set.high[over] && step(task->total); value++) {
    const struct ppi_univariate poly = ppi_bivariate_put(&limit, value, &fits);
    struct ppi_runs runs;
    int64_t low = 0, high = 0;
    ppi_set_range(&task->set, over, value, in, &low, &high);
    if (low > high)
      continue;
    ppi_runs_find(&poly, low, high, &runs, &fits);
    if (!fits)
      fail(task->total);
    for (int i = 0; i < runs.count && !task->total->status; i++)
      sum += sum_weight(task, over, value, in, runs.first[i], runs.last[i]);
  }
  return sum;
}

static double values_of(const struct task *task, int var) {
  return (double)(task->set.high[var] - task->set.low[var]) + 1;
}

/* Whether nothing but linear constraints is left once a variable has a number. */
static bool is_linear_without(const struct task *task, int var) {
  for (int i = 0; i < task->limit.count && task->limited; i++) {
    int degree = 0;
    for (int other = 0; other < task->set.variables; other++)
      degree += other != var ? ppi_power_of(task->limit.terms[i].powers, other) : 0;
    if (degree > 1)
      return false;
  }
  return true;
}

/* Roughly how much there is to go through if this variable is fixed first: of three variables, two are left, whose points are counted in
   closed form or by going through one more. */
static double cost_to_fix(const struct task *task, int var) {
  double fewest = HUGE_VAL;
  if (__builtin_popcount(task->active) != 3)
    return values_of(task, var);
  if (has_constant_weight(task) && is_linear_without(task, var))
    return 8 * values_of(task, var);
  for (int i = 0; i < task->set.variables; i++)
    if (i != var && (task->active & 1u << i))
      fewest = fmin(fewest, values_of(task, i));
  return values_of(task, var) * fewest;
}

/* The variable to go through, where none is simple. */
static int variable_to_fix(const struct task *task) {
  int found = -1;
  double least = HUGE_VAL;
  for (int i = 0; i < task->set.variables; i++) {
    const double cost = (task->active & 1u << i) ? cost_to_fix(task, i) : HUGE_VAL;
    found = cost < least ? i : found;
    least = fmin(cost, least);
  }
  return found;
}

/* Goes through the variable with fewer values. */
static ppi_wide sum_two(struct task *task) {
  const int first = __builtin_ctz(task->active), second = __builtin_ctz(task->active & (task->active - 1));
  const struct ppi_set *set = &task->set;
  const bool fewer = set->high[first] - set->low[first] <= set->high[second] - set->low[second];
  if (!task->limited && has_constant_weight(task))
    return task->weight.terms[0].coefficient * ppi_polygon_points(set, first, second);
  return fewer ? sum_pair(task, first, second) : sum_pair(task, second, first);
}

static ppi_wide sum_values(struct task *task, int var) {
  ppi_wide sum = 0;
  for (int64_t value = task->set.low[var]; value <= task->set.high[var] && step(task->total); value++) {
    struct task *part = copy_task(task);
    if (!part)
      return 0;
    assign(part, var, value);
    sum += sum_of(part);
    free(part);
  }
  return sum;
}

/* Destroys the task's contents. */
static ppi_wide sum_of(struct task *task) {
  if (!step(task->total) || !simplify(task))
    return 0;
  if (task->active == 0)
    return constant_of(task, &task->weight);
  if ((task->active & (task->active - 1)) == 0)
    return sum_last(task, __builtin_ctz(task->active));
  const int simple = simplest_variable(task);
  if (simple >= 0)
    return sum_simple(task, simple);
  if (__builtin_popcount(task->active) == 2)
    return sum_two(task);
  const int var = variable_to_fix(task);
  assert(var >= 0); /* as none is simple */
  return sum_values(task, var);
}

static uint64_t begin(struct ppi_total *total, const struct ppi_set *set, const struct ppi_poly *poly, int64_t limit) {
  struct task *task = malloc(sizeof *task);
  if (!task) {
    fail_memory(total);
    return 0;
  }
  task->total = total;
  task->set = *set;
  task->active = (1u << set->variables) - 1;
  task->limited = poly != NULL;
  ppi_poly_constant(&task->weight, 1);
  if (poly) {
    struct ppi_poly least;
    ppi_poly_copy(&task->limit, poly);
    task->limit.denominator = 1;
    ppi_poly_constant(&least, 1);
    if (__builtin_mul_overflow((ppi_wide)limit, (ppi_wide)poly->denominator, &least.terms[0].coefficient))
      fail(total);
    least.terms[0].coefficient += 1;
    ppi_poly_add(&task->limit, &least, -1);
  }
  const ppi_wide sum = sum_of(task);
  free(task);
  if (sum < 0 || sum > UINT64_MAX)
    fail(total);
  return total->status ? 0 : (uint64_t)sum;
}

uint64_t ppi_total_points(struct ppi_total *total, const struct ppi_set *set) {
  return begin(total, set, NULL, 0);
}

uint64_t ppi_total_beyond(struct ppi_total *total, const struct ppi_set *set, const struct ppi_poly *poly,
                          int64_t limit) {
  return begin(total, set, poly, limit);
}
