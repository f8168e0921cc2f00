/* SPDX-License-Identifier: BSD-3-Clause */
/* Decisions tested by measurement: where a table departs from LAPACK's own answers, both are run, and what is no faster is given up. */
#include <perfpred/decisions.h>

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/tunable.h"
#include "api/uses.h"
#include "base/stats.h"
#include "machine/clock.h"
#include "measure/options.h"
#include "measure/sampler.h"
#include "program/program.h"
#include "store/table.h"

#define WIDTH 2.0 /* largest ratio of the sizes that one test stands for */
#define REPETITIONS 5
#define USES 4 /* algorithms of one routine with the same options */
#define REPORT_LEAST (offsetof(struct perfpred_decisions_tested, wall_s) + sizeof(double)) /* of release 0.1 */

/* Sizes with one decision. */
struct piece {
  size_t routine; /* of the table */
  struct ppi_table_cell cell;
  int64_t n;           /* the size that stands for them; 0: there is nothing to test */
  bool measured, lost; /* it is no faster than the stock one */
};

/* What stands for a routine of the table. */
struct subject {
  const struct ppi_tunable *tunable; /* the first; NULL: none, it is left as it is */
  int count;
  struct perfpred_program *programs[USES];
};

struct testing {
  struct perfpred_sampler *sampler;
  const struct ppi_table *table;
  int64_t n_lower, n_upper;
  struct ppi_sampling sampling;
  struct ppi_clock clock;
  double begin_s;
  size_t routine_count, piece_count;
  struct subject *subjects;
  struct piece *pieces;
  size_t *order; /* of pieces that are tested, by size */
  size_t test_count, done;
  struct perfpred_error *error;
};

/* --- What is tested ------------------------------------------------------------------------------------------------ */

static bool is_of(const struct ppi_tunable *tunable, const struct ppi_table_routine *routine) {
  char name[9];
  ppi_table_name(routine, name);
  return strcmp(tunable->routine, name) == 0 && strncmp(tunable->options, routine->options, 2) == 0;
}

static enum perfpred_status find_subject(const struct perfpred_context *context,
                                         const struct ppi_table_routine *routine, struct subject *subject,
                                         struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < ppi_tunable_count() && status == PERFPRED_OK; i++) {
    const struct ppi_tunable *tunable = ppi_tunable_at(i);
    if (!is_of(tunable, routine))
      continue;
    assert(subject->count < USES);
    if (subject->tunable == NULL)
      subject->tunable = tunable;
    status = perfpred_program_find(context, tunable->algorithm, &subject->programs[subject->count], error);
    subject->count += status == PERFPRED_OK;
  }
  return status;
}

static bool departs(const struct ppi_tunable *tunable, const struct ppi_table_cell *cell) {
  return (cell->nb > 0 && cell->nb != tunable->nb) ||
         (tunable->nx >= 0 && cell->nx != PPI_TABLE_NX_STOCK && cell->nx != (uint32_t)tunable->nx);
}

/* A cell from `lower` on as pieces of sizes that are not too different. NULL: they are only counted. */
static size_t split(const struct testing *testing, const struct subject *subject, const struct ppi_table_cell *cell,
                    int64_t lower, struct piece *pieces) {
  const int64_t from = lower > testing->n_lower ? lower : testing->n_lower;
  const int64_t to = cell->bound < testing->n_upper ? cell->bound : testing->n_upper;
  const bool tested = subject->tunable != NULL && from <= to && departs(subject->tunable, cell);
  const double ratio = tested ? (double)(to + 1) / (double)from : 1.0;
  const int count = ratio > WIDTH ? (int)ceil(log(ratio) / log(WIDTH)) : 1;
  for (int i = 0; i < count && pieces != NULL; i++) {
    const double end = (double)from * pow(ratio, (i + 1.0) / count),
                 middle = (double)from * pow(ratio, (i + 0.5) / count);
    pieces[i] = (struct piece){ .cell = *cell, .n = tested ? (int64_t)middle : 0 };
    if (i + 1 < count)
      pieces[i].cell.bound = (uint32_t)end - 1;
  }
  return (size_t)count;
}

static size_t split_all(const struct testing *testing, struct piece *pieces) {
  size_t count = 0;
  for (size_t r = 0; r < testing->routine_count; r++) {
    const struct ppi_table_row *row = &testing->table->rows[testing->table->routines[r].first_row];
    const struct ppi_table_cell *cells = testing->table->cells + row->first_cell;
    for (size_t c = 0; c < row->cell_count; c++) {
      const int64_t lower = c > 0 ? (int64_t)cells[c - 1].bound + 1 : 1;
      const size_t made =
          split(testing, &testing->subjects[r], &cells[c], lower, pieces != NULL ? pieces + count : NULL);
      for (size_t i = 0; i < made && pieces != NULL; i++)
        pieces[count + i].routine = r;
      count += made;
    }
  }
  return count;
}

/* Small sizes first: what there is no time for are the largest. */
static void sort(struct testing *testing) {
  for (size_t i = 0; i < testing->piece_count; i++) {
    size_t place = testing->test_count;
    if (testing->pieces[i].n == 0)
      continue;
    for (; place > 0 && testing->pieces[testing->order[place - 1]].n > testing->pieces[i].n; place--)
      testing->order[place] = testing->order[place - 1];
    testing->order[place] = i;
    testing->test_count++;
  }
}

static enum perfpred_status prepare(struct testing *testing, const struct perfpred_context *context) {
  enum perfpred_status status = PERFPRED_OK;
  testing->routine_count = testing->table->header->routine_count;
  testing->subjects = calloc(testing->routine_count + 1, sizeof *testing->subjects);
  if (testing->subjects == NULL)
    return ppi_error_memory(testing->error);
  for (size_t r = 0; r < testing->routine_count && status == PERFPRED_OK; r++)
    status = find_subject(context, &testing->table->routines[r], &testing->subjects[r], testing->error);
  if (status != PERFPRED_OK)
    return status;
  testing->piece_count = split_all(testing, NULL);
  testing->pieces = calloc(testing->piece_count + 1, sizeof *testing->pieces);
  testing->order = calloc(testing->piece_count + 1, sizeof *testing->order);
  if (testing->pieces == NULL || testing->order == NULL)
    return ppi_error_memory(testing->error);
  split_all(testing, testing->pieces);
  sort(testing);
  return PERFPRED_OK;
}

/* --- Tests --------------------------------------------------------------------------------------------------------- */

static double elapsed_s(const struct testing *testing) {
  return testing->clock.now(testing->clock.state) - testing->begin_s;
}

static int tell(void *data, const struct perfpred_progress *progress) {
  const struct testing *testing = data;
  struct perfpred_progress whole = *progress;
  whole.stage = "testing";
  whole.fraction = ((double)testing->done + progress->fraction) / (double)testing->test_count;
  whole.elapsed_s = elapsed_s(testing);
  whole.remaining_s = (double)NAN;
  return testing->sampling.progress(testing->sampling.progress_data, &whole);
}

/* An algorithm's parameters: its size, the block size, the crossover point if it has one. */
static void set_parameters(const struct perfpred_program *program, int64_t n, int64_t nb, int64_t nx, int64_t *values) {
  for (int i = 0; i < program->parameter_count; i++)
    values[i] = program->positive[i] ? nb : program->defaults[i] >= 0 ? nx : n;
}

/* Sum of the medians of every second one; NaN where one was not run. */
static double sum_of(const struct ppi_result *results, int count, int first) {
  double sum = 0.0;
  for (int i = first; i < 2 * count; i += 2)
    sum += results[i].count > 0 ? ppi_stats_median(results[i].times_s, results[i].count) : (double)NAN;
  return sum;
}

/* The stock answer and the decided one, for each use of a routine in turn. */
static void set_executions(const struct subject *subject, const struct piece *piece,
                           int64_t values[2 * USES][PPI_PARAMETER_MAX], struct ppi_execution *executions) {
  const struct ppi_tunable *tunable = subject->tunable;
  const struct ppi_table_cell *cell = &piece->cell;
  assert(tunable != NULL && subject->count > 0);
  const int64_t nb = cell->nb > 0 ? cell->nb : tunable->nb;
  const int64_t nx = cell->nx != PPI_TABLE_NX_STOCK ? (int64_t)cell->nx : tunable->nx;
  for (int i = 0; i < 2 * subject->count; i++) {
    const struct perfpred_program *program = subject->programs[i / 2];
    set_parameters(program, piece->n, i % 2 ? nb : tunable->nb, i % 2 ? nx : tunable->nx, values[i]);
    executions[i] = (struct ppi_execution){ program, values[i], (size_t)program->parameter_count };
  }
}

/* Both answers, in turn. What cannot be run within the time that is left is not tested. */
static enum perfpred_status test(struct testing *testing, struct piece *piece) {
  const struct subject *subject = &testing->subjects[piece->routine];
  int64_t values[2 * USES][PPI_PARAMETER_MAX];
  struct ppi_execution executions[2 * USES];
  struct ppi_result results[2 * USES];
  struct ppi_sampling sampling = testing->sampling;
  set_executions(subject, piece, values, executions);
  if (sampling.budget_s > 0.0)
    sampling.budget_s -= elapsed_s(testing);
  if (testing->sampling.budget_s > 0.0 && sampling.budget_s <= 0.0)
    return PERFPRED_OK;
  if (sampling.progress != NULL) {
    sampling.progress = tell;
    sampling.progress_data = testing;
  }
  memset(results, 0, sizeof results);
  const size_t count = 2 * (size_t)subject->count;
  enum perfpred_status status =
      testing->sampler->ops->execute(testing->sampler, executions, count, &sampling, results, testing->error);
  if (status != PERFPRED_OK)
    return status;
  const double stock_s = sum_of(results, subject->count, 0), decided_s = sum_of(results, subject->count, 1);
  piece->measured = !isnan(stock_s) && !isnan(decided_s);
  piece->lost = piece->measured && !(decided_s < stock_s);
  ppi_results_free(results, count);
  return PERFPRED_OK;
}

static enum perfpred_status test_all(struct testing *testing) {
  enum perfpred_status status = PERFPRED_OK;
  for (; testing->done < testing->test_count && status == PERFPRED_OK; testing->done++)
    status = test(testing, &testing->pieces[testing->order[testing->done]]);
  return status;
}

/* --- The new table ------------------------------------------------------------------------------------------------- */

static struct ppi_table_cell cell_of(const struct testing *testing, const struct piece *piece) {
  const struct ppi_tunable *tunable = testing->subjects[piece->routine].tunable;
  struct ppi_table_cell cell = piece->cell;
  if (!piece->lost)
    return cell;
  cell.nb = (uint16_t)tunable->nb;
  cell.nx = tunable->nx >= 0 ? (uint32_t)tunable->nx : PPI_TABLE_NX_STOCK;
  return cell;
}

static bool is_same(const struct ppi_table_cell *a, const struct ppi_table_cell *b) {
  return a->nb == b->nb && a->nbmin == b->nbmin && a->nx == b->nx;
}

/* The pieces of one routine as cells; those of products with Q do not fall. */
static size_t join(const struct testing *testing, size_t first, size_t end, bool rising, struct ppi_table_cell *cells) {
  size_t count = 0;
  for (size_t i = first; i < end; i++) {
    struct ppi_table_cell cell = cell_of(testing, &testing->pieces[i]);
    if (rising && count > 0 && cell.nb < cells[count - 1].nb)
      cell.nb = cells[count - 1].nb;
    if (count > 0 && is_same(&cells[count - 1], &cell))
      count--;
    cells[count++] = cell;
  }
  return count;
}

/* names: of the routines. Entries for all options of products with Q are made anew from the others, where there are others. */
static enum perfpred_status make_entries(const struct testing *testing, char (*names)[9], char (*options)[3],
                                         struct ppi_entries *entries) {
  size_t first = 0;
  for (size_t r = 0; r < testing->routine_count; r++) {
    const struct ppi_table_routine *routine = &testing->table->routines[r];
    size_t end = first;
    while (end < testing->piece_count && testing->pieces[end].routine == r)
      end++;
    ppi_table_name(routine, names[r]);
    memcpy(options[r], routine->options, sizeof routine->options);
    const bool multiplies = ppi_table_multiplies(names[r]);
    const bool covers = multiplies && options[r][0] == '\0' && r > 0 && strcmp(names[r - 1], names[r]) == 0;
    struct ppi_table_cell *cells = covers ? NULL : calloc(end - first + 1, sizeof *cells);
    if (!covers && cells == NULL)
      return ppi_error_memory(testing->error);
    if (!covers)
      entries->items[entries->count++] =
          (struct ppi_table_entry){ names[r], options[r], (enum ppi_table_size)routine->cell_size, cells,
                                    join(testing, first, end, multiplies, cells) };
    first = end;
  }
  return ppi_uses_cover(entries, testing->error);
}

static enum perfpred_status make(const struct testing *testing, struct perfpred_decisions **tested) {
  const struct ppi_table_header *header = testing->table->header;
  const struct ppi_table_origin origin = { header->cpu, header->blas, header->lapack, (int)header->threads };
  const size_t count = testing->routine_count + 1;
  struct ppi_entries entries = { calloc(2 * count, sizeof *entries.items), 0 };
  char(*names)[9] = calloc(count, sizeof *names), (*options)[3] = calloc(count, sizeof *options);
  enum perfpred_status status = entries.items && names && options ? PERFPRED_OK : ppi_error_memory(testing->error);
  if (status == PERFPRED_OK)
    status = make_entries(testing, names, options, &entries);
  if (status == PERFPRED_OK)
    status = ppi_table_make(&origin, entries.items, entries.count, tested, testing->error);
  ppi_entries_free(&entries);
  free(options);
  free(names);
  return status;
}

/* --- All of it ----------------------------------------------------------------------------------------------------- */

static void release(struct testing *testing) {
  for (size_t r = 0; testing->subjects != NULL && r < testing->routine_count; r++)
    for (int i = 0; i < testing->subjects[r].count; i++)
      perfpred_program_unref(testing->subjects[r].programs[i]);
  free(testing->order);
  free(testing->pieces);
  free(testing->subjects);
}

static enum perfpred_status
check_arguments(const struct perfpred_context *context, const struct perfpred_sampler *sampler,
                const struct perfpred_decisions *decisions, struct perfpred_decisions *const *tested,
                const struct perfpred_decisions_tested *report, struct perfpred_error *error) {
  if (!context || !sampler || !decisions || !tested)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL",
                         !context     ? "context"
                         : !sampler   ? "sampler"
                         : !decisions ? "decisions"
                                      : "tested");
  if (report && report->size < REPORT_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID, "report: size is %zu; expected PERFPRED_DECISIONS_TEST_INIT",
                         report->size);
  const struct ppi_table *table = &decisions->table;
  for (uint32_t i = 0; i < table->header->routine_count; i++)
    if (table->routines[i].row_size != PPI_TABLE_NONE)
      return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                           "%.8s has rows over a second size; expected a table without such", table->routines[i].name);
  return PERFPRED_OK;
}

static void sum_up(const struct testing *testing, struct perfpred_decisions_tested *report) {
  struct perfpred_decisions_tested full = { .size = report->size, .pieces = testing->test_count };
  for (size_t i = 0; i < testing->piece_count; i++) {
    full.measured += testing->pieces[i].measured;
    full.given_up += testing->pieces[i].lost;
  }
  full.wall_s = elapsed_s(testing);
  memcpy(report, &full, full.size < sizeof full ? full.size : sizeof full);
}

enum perfpred_status perfpred_decisions_test(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                             const struct perfpred_decisions *decisions, int64_t n_lower,
                                             int64_t n_upper, const struct perfpred_measure_options *options,
                                             struct perfpred_decisions **tested,
                                             struct perfpred_decisions_tested *report, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct testing testing = { .sampler = sampler, .n_lower = n_lower, .n_upper = n_upper, .error = error };
  enum perfpred_status status = check_arguments(context, sampler, decisions, tested, report, error);
  if (status == PERFPRED_OK && (n_lower < 1 || n_upper < n_lower || n_upper > INT32_MAX))
    status = ppi_error_set(error, PERFPRED_INVALID, "sizes from %lld to %lld; expected 1 <= n_lower <= n_upper <= %d",
                           (long long)n_lower, (long long)n_upper, INT32_MAX);
  if (status == PERFPRED_OK)
    status = ppi_measure_options(options, &testing.sampling, error);
  if (status != PERFPRED_OK)
    return status;
  if (testing.sampling.repetitions == 0)
    testing.sampling.repetitions = REPETITIONS;
  testing.table = &decisions->table;
  ppi_clock_monotonic(&testing.clock);
  testing.begin_s = testing.clock.now(testing.clock.state);
  status = prepare(&testing, context);
  if (status == PERFPRED_OK)
    status = test_all(&testing);
  if (status == PERFPRED_OK)
    status = make(&testing, tested);
  if (status == PERFPRED_OK && report)
    sum_up(&testing, report);
  release(&testing);
  return status;
}
