/* SPDX-License-Identifier: BSD-3-Clause */
/* Access distances: by hand, and against an exact simulator of the LRU stack on the trace of every line of every operand. */
#include "world.h"

#include "base/stack_distance.h"

TestSuite(distance, .init = start, .fini = stop);

static void expect_part(const struct perfpred_cache *cache, size_t call, size_t part, const int64_t wanted[5]) {
  const struct ppi_part *found_part = part_of(cache, call, 0, part);
  cr_expect_eq(found_part->lines, wanted[0], "%ld lines", (long)found_part->lines);
  cr_expect_eq(found_part->access, wanted[1], "access %u", found_part->access);
  cr_expect_eq(found_part->after, wanted[2], "%ld after", (long)found_part->after);
  cr_expect_eq(found_part->own, wanted[3], "%ld own", (long)found_part->own);
  cr_expect_eq(found_part->sum, wanted[4], "sum %ld", (long)found_part->sum);
}

/* 16 x 16 with ld 16: line 2 j is the upper half of column j, 2 j + 1 the lower one. */
static const char halves[] = "algorithm halves(n)\n"
                             "  inout A: double matrix[n, n]\n"
                             "  duse(8, 2, A[0, 0])\n"
                             "  duse(n, 2, A[0, 2])\n"
                             "  duse(8, 4, A[0, 0])\n"
                             "  duse(n, 4, A[0, 0])\n"
                             "end\n";

Test(distance, parts_worked_by_hand) {
  const struct perfpred_cache_options options = one_level(5);
  struct perfpred_cache *cache = analyzed(parsed(halves), (int64_t[]){ 16 }, 1, &options);
  cr_assert_eq(cache->count, 4);
  cr_expect_eq(cache->total, 32);
  expect_part(cache, 0, 0, (int64_t[]){ 2, 0, 0, 0, 0 }); /* lines 0 and 2: never */
  expect_part(cache, 1, 0, (int64_t[]){ 4, 0, 0, 0, 0 }); /* lines 4 to 7 */
  expect_part(cache, 2, 0, (int64_t[]){ 2, 2, 0, 4, 4 }); /* lines 4 and 6: the call before, of 4 lines */
  expect_part(cache, 2, 1, (int64_t[]){ 2, 1, 4, 2, 6 }); /* lines 0 and 2: behind these */
  expect_part(cache, 3, 0, (int64_t[]){ 4, 3, 0, 4, 4 }); /* lines 0, 2, 4, 6 */
  expect_part(cache, 3, 1,
              (int64_t[]){ 2, 2, 4, 2, 8 }); /* lines 5 and 7: all that is left to the second call, 6 deep; 8 in sum */
  expect_part(cache, 3, 2, (int64_t[]){ 2, 0, 0, 0, 0 }); /* lines 1 and 3 */
  /* a cache of 5 lines holds what is at most 5 deep: of the last call 4 of 8 lines */
  cr_expect_eq(operand_of(cache, 2, 0)->part_count, 2);
  struct perfpred_cache_operand operand = PERFPRED_CACHE_OPERAND_INIT;
  cr_assert_eq(perfpred_cache_operand_at(cache, 3, 0, &operand, NULL), PERFPRED_OK);
  cr_expect_str_eq(operand.name, "a");
  cr_expect(operand.reads && operand.writes);
  cr_expect_eq(operand.bytes, 8 * 64);
  cr_expect(isinf(operand.distance_bytes));
  cr_expect_eq(operand.nearest_bytes, 4 * 64);
  perfpred_cache_destroy(cache);
}

/* A line for x, each column of S and the upper half of each column of A. A scalar and a result are touched, too: without them calls
   would own 2 lines, and nobody had touched A[0, 2]. */
Test(distance, elements_that_are_scalars_and_results) {
  const struct perfpred_cache_options options = one_level(5);
  struct perfpred_cache *cache = analyzed(parsed("algorithm elements(n)\n"
                                                 "  in S: double matrix[8, 4]\n"
                                                 "  inout x: double vector[8]\n"
                                                 "  inout A: double matrix[n, n]\n"
                                                 "  daxpy(8, S[3, 0], x[0], A[0, 0])\n"
                                                 "  daxpy(8, S[3, 1], x[0], A[0, 1])\n"
                                                 "  A[5, 2] += ddot(8, x[0], A[0, 0])\n"
                                                 "  duse(8, 1, A[0, 2])\n"
                                                 "end\n"),
                                          (int64_t[]){ 16 }, 1, &options);
  cr_assert_eq(cache->count, 4);
  cr_expect_eq(cache->calls[0].operand_count, 2);
  cr_expect_eq(cache->calls[2].operand_count, 2);
  expect_part(cache, 1, 0, (int64_t[]){ 1, 1, 0, 3, 3 }); /* x: the call before, of 3 lines */
  expect_part(cache, 3, 0, (int64_t[]){ 1, 3, 0, 3, 3 }); /* the result: as well */
  perfpred_cache_destroy(cache);
}

static double share(const struct perfpred_cache *cache, size_t call, size_t place) {
  struct perfpred_cache_call told = PERFPRED_CACHE_CALL_INIT;
  struct perfpred_error error;
  cr_assert_eq(perfpred_cache_call_at(cache, call, &told, &error), PERFPRED_OK, "%s", error.text);
  return told.shares[place];
}

/* Of the last call: 4 lines 4 deep, 2 lines 6 deep (sums: 8), 2 never. */
Test(distance, shares_follow_from_parts) {
  static const struct {
    enum perfpred_cache_distance distance;
    enum perfpred_cache_first first;
    int64_t lines;
    double inside;
  } cases[] = {
    { PERFPRED_CACHE_LINES, PERFPRED_CACHE_COLD, 3, 0.0 },    { PERFPRED_CACHE_LINES, PERFPRED_CACHE_COLD, 4, 0.5 },
    { PERFPRED_CACHE_LINES, PERFPRED_CACHE_COLD, 5, 0.5 },    { PERFPRED_CACHE_LINES, PERFPRED_CACHE_COLD, 6, 0.75 },
    { PERFPRED_CACHE_SUMS, PERFPRED_CACHE_COLD, 6, 0.5 },     { PERFPRED_CACHE_SUMS, PERFPRED_CACHE_COLD, 8, 0.75 },
    { PERFPRED_CACHE_LINES, PERFPRED_CACHE_TOTAL, 31, 0.75 }, { PERFPRED_CACHE_LINES, PERFPRED_CACHE_TOTAL, 32, 1.0 }
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct perfpred_cache_options options = one_level(cases[i].lines);
    options.mode = PERFPRED_CACHE_SPLIT;
    options.distance = cases[i].distance;
    options.first = cases[i].first;
    struct perfpred_cache *cache = analyzed(parsed(halves), (int64_t[]){ 16 }, 1, &options);
    cr_expect_eq(share(cache, 3, 0), cases[i].inside, "case %zu: %g", i, share(cache, 3, 0));
    cr_expect_eq(share(cache, 3, 1), 1.0 - cases[i].inside, "case %zu", i);
    perfpred_cache_destroy(cache);
  }
}

/* In a second execution the first call finds its lines 0 and 2 where the last call of the first one, of lines 0 to 7, has left them. */
Test(distance, repeated_execution_is_the_second_of_two) {
  struct perfpred_cache_options options = one_level(8);
  options.first = PERFPRED_CACHE_REPEATED;
  struct perfpred_cache *cache = analyzed(parsed(halves), (int64_t[]){ 16 }, 1, &options);
  cr_assert_eq(cache->count, 4);
  expect_part(cache, 0, 0, (int64_t[]){ 2, 4, 0, 8, 8 });
  expect_part(cache, 1, 0, (int64_t[]){ 4, 4, 2, 6, 10 }); /* lines 0 and 2 are no longer its own */
  cr_expect_eq(cache->calls[0].step, 1);
  perfpred_cache_destroy(cache);
}

/* Steps: two before the loop count as one, each iteration is one, what stands behind is another one. */
static const char steps[] = "algorithm steps(n)\n"
                            "  inout A: double matrix[8, 8]\n"
                            "  duse(8, 1, A[0, 0])\n"
                            "  duse(8, 1, A[0, 1])\n"
                            "  for i in 0:3 by 1\n"
                            "    for j in 0:2 by 1\n"
                            "      duse(8, 1, A[0, 2 + j])\n"
                            "    end\n"
                            "  end\n"
                            "  duse(8, 1, A[0, 0])\n"
                            "end\n";

Test(distance, history_is_counted_in_steps_of_the_outermost_loop) {
  static const uint64_t wanted[] = { 1, 1, 2, 2, 3, 3, 4, 4, 5 };
  struct perfpred_cache_options options = one_level(8);
  for (int64_t history = 0; history <= 4; history++) {
    options.history = history;
    struct perfpred_cache *cache = analyzed(parsed(steps), (int64_t[]){ 1 }, 1, &options);
    cr_assert_eq(cache->count, 9);
    for (size_t i = 0; i < 9; i++)
      cr_expect_eq(cache->calls[i].step, wanted[i], "call %zu", i);
    cr_expect_eq(part_of(cache, 4, 0, 0)->access, 3, "one step back is always known");
    /* the first column was last touched 4 steps before the last call */
    cr_expect_eq(part_of(cache, 8, 0, 0)->access, history == 0 || history >= 4 ? 1 : 0, "history %ld", (long)history);
    perfpred_cache_destroy(cache);
  }
}

/* --- Splitting ------------------------------------------------------------------------------------------------------ */

/* y, one line, gets what is gathered from 8 x 16 doubles, 16 lines: an eighth of 16 is more than 1. */
static const char gather[] = "algorithm gather(n)\n"
                             "  in A: double matrix[8, n]\n"
                             "  inout y: double matrix[8, 1]\n"
                             "  dgather(8, n, A[0, 0], y[0, 0])\n"
                             "  duse(8, 1, y[0, 0])\n"
                             "end\n";

Test(distance, small_outputs_stay_near) {
  struct perfpred_cache_options options = one_level(4);
  options.mode = PERFPRED_CACHE_INITIAL;
  struct perfpred_cache *cache = analyzed(parsed(gather), (int64_t[]){ 16 }, 1, &options);
  cr_expect_not(cache->calls[0].split);
  expect_part(cache, 1, 0, (int64_t[]){ 1, 1, 0, 17, 17 });
  cr_expect_eq(share(cache, 1, 0), 0.0);
  perfpred_cache_destroy(cache);
  options.mode = PERFPRED_CACHE_SPLIT;
  cache = analyzed(parsed(gather), (int64_t[]){ 16 }, 1, &options);
  cr_expect(cache->calls[0].split);
  expect_part(cache, 1, 0, (int64_t[]){ 1, 2, 0, 1, 1 });
  cr_expect_eq(share(cache, 1, 0), 1.0);
  perfpred_cache_destroy(cache);
  options.split_ratio = 1.0 / 16; /* 1 is not below 16 / 16 */
  cache = analyzed(parsed(gather), (int64_t[]){ 16 }, 1, &options);
  cr_expect_not(cache->calls[0].split);
  perfpred_cache_destroy(cache);
  cache = analyzed(parsed(gather), (int64_t[]){ 8 }, 1, &options);
  cr_expect_not(cache->calls[0].split);
  perfpred_cache_destroy(cache);
}

/* --- Against the simulator ------------------------------------------------------------------------------------------ */

#define LINES 4096

/* The trace so far, element by element, and who touched each line last, and when. */
struct oracle {
  uint64_t *trace;
  size_t count, capacity;
  uint32_t last[LINES];
  size_t when[LINES];
  int64_t depth[LINES], nearest[LINES]; /* most and least distances of the lines that an access touched last */
  int64_t lines[LINES];                 /* and how many there are; by access */
  int64_t sizes[LINES];                 /* sums of accesses */
};

/* Whether an element belongs to an operand, by its own rule. */
static bool belongs(const struct ppi_region *region, int64_t i, int64_t j) {
  if (region->outline == PPI_OUTLINE_FULL)
    return true;
  return region->outline == PPI_OUTLINE_LOWER ? i >= j + region->diagonal : i <= j + region->diagonal;
}

static void touch(struct oracle *oracle, int64_t line, uint32_t access) {
  cr_assert(line < LINES && access < LINES);
  if (oracle->count == oracle->capacity) {
    oracle->capacity = oracle->capacity ? 2 * oracle->capacity : 1024;
    oracle->trace = realloc(oracle->trace, oracle->capacity * sizeof *oracle->trace);
    cr_assert_not_null(oracle->trace);
  }
  oracle->when[line] = ++oracle->count;
  oracle->last[line] = access;
  oracle->trace[oracle->count - 1] = (uint64_t)line;
}

/* Different lines of a region into `mine`; the number of them. */
static int64_t lines_of(const struct ppi_region *region, bool mine[LINES]) {
  int64_t count = 0;
  memset(mine, 0, LINES * sizeof *mine);
  for (int64_t j = 0; j < region->columns; j++)
    for (int64_t i = 0; i < region->rows; i++) {
      const int64_t line = (region->base + (i + j * region->ld) * region->element) / 64;
      if (!belongs(region, i, j))
        continue;
      cr_assert_lt(line, LINES);
      count += !mine[line];
      mine[line] = true;
    }
  return count;
}

static int by_time(const void *a, const void *b) {
  const size_t x = *(const size_t *)a >> 16, y = *(const size_t *)b >> 16;
  return (x < y) - (x > y);
}

/* Replays the trace in the simulator and asks it for the distance of every line, the latest one first: asking for one moves nothing that
   lies deeper. */
static void ask_simulator(struct oracle *oracle) {
  static size_t order[LINES];
  struct ppi_stack_distance *sim = NULL;
  struct perfpred_error error;
  size_t count = 0;
  uint64_t distance = 0;
  cr_assert_eq(ppi_stack_distance_create(0, &sim, &error), PERFPRED_OK);
  for (size_t i = 0; i < oracle->count; i++)
    cr_assert_eq(ppi_stack_distance_access(sim, oracle->trace[i], &distance), PERFPRED_OK);
  for (size_t line = 0; line < LINES; line++)
    if (oracle->when[line] > 0)
      order[count++] = oracle->when[line] << 16 | line;
  qsort(order, count, sizeof *order, by_time);
  memset(oracle->depth, 0, sizeof oracle->depth);
  memset(oracle->lines, 0, sizeof oracle->lines);
  for (size_t i = 0; i < count; i++) {
    const size_t line = order[i] & 0xffff;
    const uint32_t access = oracle->last[line];
    cr_assert_eq(ppi_stack_distance_access(sim, line, &distance), PERFPRED_OK);
    if (oracle->lines[access]++ == 0)
      oracle->nearest[access] = (int64_t)distance;
    oracle->depth[access] = (int64_t)distance;
  }
  ppi_stack_distance_destroy(sim);
}

static void check_operand(const struct perfpred_cache *cache, const struct oracle *oracle, size_t call, int index,
                          uint32_t accesses) {
  static bool mine[LINES];
  static int64_t found_lines[LINES];
  const struct ppi_cache_operand *operand = operand_of(cache, call, index);
  cr_expect_eq(operand->lines, lines_of(&operand->region, mine), "call %zu", call);
  memset(found_lines, 0, sizeof found_lines);
  for (size_t line = 0; line < LINES; line++)
    if (mine[line])
      found_lines[oracle->last[line]]++;
  for (size_t i = 0; i < operand->part_count; i++) {
    const struct ppi_part *part = &cache->parts.items[operand->part_first + i];
    const uint32_t access = part->access;
    cr_assert_leq(access, accesses);
    cr_expect_eq(part->lines, found_lines[access], "call %zu operand %d: %ld lines of access %u, expected %ld", call,
                 index, (long)part->lines, access, (long)found_lines[access]);
    found_lines[access] = 0;
    if (access == 0)
      continue;
    cr_expect_eq(ppi_part_depth(part), oracle->depth[access], "call %zu operand %d: depth %ld, simulated %ld", call,
                 index, (long)ppi_part_depth(part), (long)oracle->depth[access]);
    cr_expect_eq(part->after + 1, oracle->nearest[access], "call %zu operand %d", call, index);
    cr_expect_eq(part->own, oracle->lines[access], "call %zu operand %d", call, index);
    int64_t sum = 0;
    for (uint32_t later = access; later <= accesses; later++)
      sum += oracle->sizes[later];
    cr_expect_eq(part->sum, sum, "call %zu operand %d: sum %ld, expected %ld", call, index, (long)part->sum, (long)sum);
  }
  for (size_t access = 0; access < LINES; access++)
    cr_assert_eq(found_lines[access], 0, "call %zu operand %d: lines of access %zu are missing", call, index, access);
}

/* Touches every line of an operand, in order. */
static void touch_operand(struct oracle *oracle, const struct ppi_cache_operand *operand, uint32_t access) {
  static bool mine[LINES];
  oracle->sizes[access] += lines_of(&operand->region, mine);
  for (int64_t line = 0; line < LINES; line++)
    if (mine[line])
      touch(oracle, line, access);
}

/* Gives the program's reference up. */
static void check_program(struct perfpred_program *program, const int64_t *parameters, size_t count, int64_t ld,
                          enum perfpred_cache_mode mode) {
  struct perfpred_cache_options options = one_level(50);
  struct oracle *oracle = calloc(1, sizeof *oracle);
  uint32_t access = 0;
  size_t splits = 0;
  options.ld = ld;
  options.mode = mode;
  struct perfpred_cache *cache = analyzed(program, parameters, count, &options);
  cr_assert_not_null(oracle);
  for (size_t i = 0; i < cache->count; i++) {
    const struct ppi_cache_call *call = &cache->calls[i];
    ask_simulator(oracle);
    for (int k = 0; k < call->operand_count; k++)
      check_operand(cache, oracle, i, k, access);
    access += call->operand_count > 0;
    for (int k = 0; k < call->operand_count; k++) {
      const struct ppi_cache_operand *operand = operand_of(cache, i, k);
      const bool output = (call->node->kernel->args[operand->argument].direction & PPI_OUT) != 0;
      const bool before =
          k > 0 && (call->node->kernel->args[operand_of(cache, i, k - 1)->argument].direction & PPI_OUT);
      cr_assert(output || !before, "inputs come first");
      access += call->split && output && !before;
      touch_operand(oracle, operand, access);
    }
    splits += call->split;
  }
  if (mode == PERFPRED_CACHE_INITIAL)
    cr_expect_eq(splits, 0);
  cr_expect_gt(access, 10, "%s: there is something to be compared", cache->program->name);
  perfpred_cache_destroy(cache);
  free(oracle->trace);
  free(oracle);
}

Test(distance, agrees_with_a_simulated_lru_stack) {
  static const struct {
    const char *name;
    int64_t parameters[2], ld;
  } programs[] = { { "chol-l-3", { 60, 13 }, 0 },    { "chol-u-1", { 50, 11 }, 51 }, { "dgeqrf-nx0", { 26, 7 }, 0 },
                   { "dgeqrf-nx0", { 30, 9 }, 33 },  { "dtrtri", { 61, 9 }, 0 },     { "dsygst", { 40, 11 }, 45 },
                   { "trinv-l-rec", { 48, 10 }, 0 }, { "sgetrf", { 40, 12 }, 0 },    { "zpotrf", { 25, 6 }, 0 } };
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    check_program(found(programs[i].name), programs[i].parameters, 2, programs[i].ld, PERFPRED_CACHE_SPLIT);
    check_program(found(programs[i].name), programs[i].parameters, 2, programs[i].ld, PERFPRED_CACHE_INITIAL);
  }
}

static int64_t draw(uint64_t *state, int64_t least, int64_t most) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return least + (int64_t)(*state >> 33) % (most - least + 1);
}

/* Calls on rectangles anywhere in a matrix, two of them in one call: they overlap in all ways, in elements and in lines alone. */
Test(distance, agrees_on_rectangles_anywhere) {
  enum { ROWS = 30, COLUMNS = 25, CALLS = 14 };
  uint64_t state = 7;
  for (int program = 0; program < 40; program++) {
    struct ppi_text text = PPI_TEXT_INIT;
    ppi_text_printf(&text, "algorithm random(n)\n  inout A: double matrix[n, %d]\n", COLUMNS);
    for (int call = 0; call < CALLS; call++) {
      const int64_t rows = draw(&state, 1, ROWS), columns = draw(&state, 1, COLUMNS);
      ppi_text_printf(&text, "  dgather(%d, %d, A[%d, %d], A[%d, %d])\n", (int)rows, (int)columns,
                      (int)draw(&state, 0, ROWS - rows), (int)draw(&state, 0, COLUMNS - columns),
                      (int)draw(&state, 0, ROWS - rows), (int)draw(&state, 0, COLUMNS - 1));
    }
    ppi_text_append(&text, "end\n");
    char *taken = ppi_text_take(&text);
    cr_assert_not_null(taken);
    check_program(parsed(taken), (int64_t[]){ ROWS }, 1, program % 2 ? draw(&state, ROWS, ROWS + 9) : 0,
                  PERFPRED_CACHE_SPLIT);
    free(taken);
  }
}

/* --- The scenario of the papers: DGEQRF of order 1568 with blocks of 32, a cache of 6 MiB ---------------------------------- */

static size_t find_call(const struct perfpred_cache *cache, const char *text) {
  for (size_t i = 0; i < cache->count; i++)
    if (strcmp(cache->calls[i].text, text) == 0)
      return i;
  cr_assert_fail("no call %s", text);
  return 0;
}

static size_t count_calls(const struct perfpred_cache *cache, const char *kernel) {
  size_t count = 0;
  for (size_t i = 0; i < cache->count; i++)
    count += strcmp(cache->calls[i].node->kernel->name, kernel) == 0;
  return count;
}

/* 48 steps of geqr2, larft, 32 copies, 3 trmm, 2 gemm, and one geqr2: 1873. The subtraction that larfb has in-line is a call here. */
Test(distance, qr_of_the_papers) {
  struct perfpred_cache_options options = one_level(6 * 1024 * 1024 / 64);
  options.mode = PERFPRED_CACHE_SPLIT;
  options.first = PERFPRED_CACHE_TOTAL;
  struct perfpred_cache *cache = analyzed(found("dgeqrf-nx0"), (int64_t[]){ 1568, 32 }, 2, &options);
  cr_expect_eq(cache->count - count_calls(cache, "dgesub"), 1873);
  cr_expect_eq(count_calls(cache, "dgesub"), 48);
  cr_expect_eq(count_calls(cache, "dcopy"), 1536);
  /* 1568 rows are 196 lines: A has 1568 columns, tau one; T 32 columns of ld 32, 4 lines; W 32 columns of ld 1544, 193 lines */
  cr_expect_eq(cache->total, 1568 * 196 + 196 + 32 * 4 + 32 * 193);
  /* the product that is shaped like one with a vector leaves its small output W behind: 1536 rows, 192 lines, 32 columns */
  const size_t product = find_call(cache, "dgemm(T,N,1536,32,1536)");
  cr_expect(cache->calls[product].split);
  const struct ppi_part *w = part_of(cache, product + 1, 1, 0);
  cr_expect_str_eq(cache->calls[product + 1].text, "dtrmm(R,U,N,N,1536,32)");
  cr_expect_eq(w->lines, 192 * 32);
  cr_expect_eq(ppi_part_depth(w), 192 * 32);
  cr_expect_eq(operand_of(cache, product + 1, 1)->part_count, 1);
  /* the other product, with the whole trailing matrix in 192 x 1536 lines, finds that out of the cache */
  const size_t update = find_call(cache, "dgemm(N,T,1536,1536,32)");
  cr_expect_eq(part_of(cache, update, 2, 0)->lines, 192 * 1536);
  cr_expect_eq(operand_of(cache, update, 2)->places[1], 192.0 * 1536);
  /* late steps are in the cache altogether: 96 columns of 12 lines */
  const size_t late = find_call(cache, "dgemm(N,T,64,64,32)");
  cr_expect_eq(cache->calls[late].shares[0], 1.0);
  perfpred_cache_destroy(cache);
  options.mode = PERFPRED_CACHE_INITIAL;
  cache = analyzed(found("dgeqrf-nx0"), (int64_t[]){ 1568, 32 }, 2, &options);
  w = part_of(cache, product + 1, 1, 0);
  cr_expect_eq(ppi_part_depth(w), 192 * 1536 + 2 * 192 * 32, "all of the product lies between");
  cr_expect_eq(operand_of(cache, product + 1, 1)->places[0], 0.0);
  perfpred_cache_destroy(cache);
}

/* DPOTRF, upper, order 2000 with blocks of 100, the other of the two: 20 steps of syrk, potf2, gemm and trsm without what has no work. */
Test(distance, cholesky_and_triangular_inverse_of_the_papers) {
  const struct perfpred_cache_options options = one_level(6 * 1024 * 1024 / 64);
  struct perfpred_cache *cache = analyzed(found("dpotrf-u"), (int64_t[]){ 2000, 100 }, 2, &options);
  size_t busy = 0;
  for (size_t i = 0; i < cache->count; i++)
    busy += !cache->calls[i].empty;
  cr_expect_eq(busy, 19 + 20 + 18 + 19);
  perfpred_cache_destroy(cache);
  cache = analyzed(found("dtrtri"), (int64_t[]){ 2000, 100 }, 2, &options);
  busy = 0;
  for (size_t i = 0; i < cache->count; i++)
    busy += !cache->calls[i].empty;
  cr_expect_eq(busy, 20 + 19 + 19);
  perfpred_cache_destroy(cache);
}

/* --- What is refused ------------------------------------------------------------------------------------------------- */

static void expect_refused(const struct perfpred_cache_options *options, enum perfpred_status wanted,
                           const char *word) {
  struct perfpred_cache *cache = (struct perfpred_cache *)(void *)&cache;
  struct perfpred_program *program = found("chol-l-3");
  struct perfpred_error error;
  cr_expect_eq(perfpred_cache_create(program, (int64_t[]){ 64, 8 }, 2, options, &cache, &error), wanted, "%s",
               error.text);
  cr_expect_not_null(strstr(error.text, word), "'%s' lacks '%s'", error.text, word);
  cr_expect_eq((void *)cache, (void *)&cache, "the out-pointer is left alone");
  perfpred_program_unref(program);
}

Test(distance, options_are_checked) {
  struct perfpred_cache_options options = one_level(0);
  expect_refused(&options, PERFPRED_INVALID, "level_bytes[0]");
  options.level_bytes[0] = 63;
  expect_refused(&options, PERFPRED_INVALID, "at least a line");
  options = one_level(10);
  options.level_count = 2;
  options.level_bytes[1] = 640;
  expect_refused(&options, PERFPRED_INVALID, "level_bytes[1]");
  options.level_count = 5;
  expect_refused(&options, PERFPRED_INVALID, "level_count");
  options = one_level(10);
  options.line_bytes = 48;
  expect_refused(&options, PERFPRED_INVALID, "line_bytes");
  options.line_bytes = 4;
  expect_refused(&options, PERFPRED_INVALID, "line_bytes");
  options = one_level(10);
  options.ld = -1;
  expect_refused(&options, PERFPRED_INVALID, "options.ld");
  options.ld = 63;
  expect_refused(&options, PERFPRED_INVALID, "rows of A");
  options = one_level(10);
  options.history = -1;
  expect_refused(&options, PERFPRED_INVALID, "history");
  options = one_level(10);
  options.mode = (enum perfpred_cache_mode)4;
  expect_refused(&options, PERFPRED_INVALID, "mode");
  options.mode = PERFPRED_CACHE_SHARED;
  options.distance = PERFPRED_CACHE_SUMS;
  expect_refused(&options, PERFPRED_INVALID, "sums");
  options = one_level(10);
  options.distance = (enum perfpred_cache_distance)2;
  expect_refused(&options, PERFPRED_INVALID, "distance");
  options = one_level(10);
  options.first = (enum perfpred_cache_first)3;
  expect_refused(&options, PERFPRED_INVALID, "first");
  options = one_level(10);
  options.alpha = (double)NAN;
  expect_refused(&options, PERFPRED_INVALID, "alpha");
  options = one_level(10);
  options.split_ratio = -1.0;
  expect_refused(&options, PERFPRED_INVALID, "split_ratio");
  options = one_level(10);
  options.size = 1;
  expect_refused(&options, PERFPRED_INVALID, "PERFPRED_CACHE_OPTIONS_INIT");
}

static void expect_failure(struct perfpred_program *program, const int64_t *parameters, size_t count,
                           enum perfpred_status wanted, const char *word) {
  const struct perfpred_cache_options options = one_level(10);
  struct perfpred_cache *cache = NULL;
  struct perfpred_error error;
  cr_expect_eq(perfpred_cache_create(program, parameters, count, &options, &cache, &error), wanted, "%s", error.text);
  cr_expect_not_null(strstr(error.text, word), "'%s' lacks '%s'", error.text, word);
  cr_expect_null(cache);
  perfpred_program_unref(program);
}

Test(distance, what_cannot_be_analyzed_is_refused) {
  expect_failure(found("chol-l-3"), (int64_t[]){ 64, 8 }, 1, PERFPRED_INVALID, "2 parameters");
  expect_failure(found("chol-l-3"), (int64_t[]){ -1, 8 }, 2, PERFPRED_INVALID, "n must be >= 0");
  expect_failure(found("chol-l-3"), (int64_t[]){ 64, 0 }, 2, PERFPRED_INVALID, "b must be >= 1");
  expect_failure(found("chol-l-3"), (int64_t[]){ 1000000000, 1000000 }, 2, PERFPRED_LIMIT, "2^30 cache lines");
  expect_failure(found("chol-l-3"), (int64_t[]){ 200000, 1000 }, 2, PERFPRED_LIMIT, "2^30 cache lines");
  expect_failure(parsed("algorithm many(n)\n"
                        "  inout A: double matrix[8, 8]\n"
                        "  for i in 0:n by 1\n"
                        "    duse(1, 1, A[0, 0])\n"
                        "  end\n"
                        "end\n"),
                 (int64_t[]){ 1000001 }, 1, PERFPRED_LIMIT, "more than 1000000");
  expect_failure(parsed("nest sum(n)\n"
                        "  double A[n]\n"
                        "  for i in 0:n\n"
                        "    read A[i]\n"
                        "  end\n"
                        "end\n"),
                 (int64_t[]){ 8 }, 1, PERFPRED_UNSUPPORTED, "loop nest");
  cr_expect_eq(perfpred_cache_create(NULL, NULL, 0, NULL, NULL, NULL), PERFPRED_INVALID);
}

/* Nothing to do is no failure: no call has operands then. */
Test(distance, size_zero) {
  const struct perfpred_cache_options options = one_level(10);
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  struct perfpred_cache *cache = analyzed(found("chol-l-3"), (int64_t[]){ 0, 8 }, 2, &options);
  cr_assert_eq(perfpred_cache_summary(cache, &info, NULL), PERFPRED_OK);
  cr_expect_eq(info.calls, 0);
  cr_expect_eq(info.buffer_bytes, 0);
  cr_expect_eq(info.shares[0], 0.0);
  cr_expect(isnan(info.time_s) && isnan(info.warm_s) && isnan(info.level_s[0]));
  perfpred_cache_destroy(cache);
  perfpred_cache_destroy(NULL);
}

/* Without options: levels of this machine, whatever they are. */
Test(distance, default_levels_rise) {
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  struct perfpred_cache *cache = analyzed(found("chol-l-3"), (int64_t[]){ 64, 8 }, 2, NULL);
  cr_assert_eq(perfpred_cache_summary(cache, &info, NULL), PERFPRED_OK);
  cr_expect(info.level_count >= 1 && info.level_bytes[0] >= 64);
  for (size_t i = 1; i < info.level_count; i++)
    cr_expect_gt(info.level_bytes[i], info.level_bytes[i - 1]);
  cr_expect_eq(info.line_bytes, 64);
  perfpred_cache_destroy(cache);
}

Test(distance, telling_checks_its_arguments) {
  const struct perfpred_cache_options options = one_level(10);
  struct perfpred_cache *cache = analyzed(parsed(halves), (int64_t[]){ 16 }, 1, &options);
  struct perfpred_cache_info info = PERFPRED_CACHE_INFO_INIT;
  struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
  struct perfpred_cache_operand operand = PERFPRED_CACHE_OPERAND_INIT;
  char *json = NULL;
  cr_expect_eq(perfpred_cache_summary(NULL, &info, NULL), PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_summary(cache, NULL, NULL), PERFPRED_INVALID);
  info.size = 8;
  cr_expect_eq(perfpred_cache_summary(cache, &info, NULL), PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_call_at(cache, 4, &call, NULL), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_cache_call_at(cache, 3, NULL, NULL), PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_operand_at(cache, 4, 0, &operand, NULL), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_cache_operand_at(cache, 0, 1, &operand, NULL), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_cache_report(cache, NULL, NULL), PERFPRED_INVALID);
  cr_expect_eq(perfpred_cache_report(NULL, &json, NULL), PERFPRED_INVALID);
  cr_assert_eq(perfpred_cache_report(cache, &json, NULL), PERFPRED_OK);
  cr_expect_not_null(strstr(json, "\"distance_bytes\": null"), "never accessed is null");
  cr_expect_null(strstr(json, "inf"));
  cr_expect_null(strstr(json, "nan"));
  free(json);
  perfpred_cache_destroy(cache);
}
