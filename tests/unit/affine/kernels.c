/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of PolyBench's kernels: at small sizes against the simulation, at large ones against numbers counted by others. */
#include "polybench.h"
#include "thorough.h"

#define LEVELS 6

TestSuite(kernels, .init = start, .fini = stop);

static const int64_t caches[LEVELS] = { 4096, 8192, 32768, 131072, 262144, 1048576 };

typedef enum perfpred_status engine(const struct perfpred_program *nest, const int64_t *parameters,
                                    const struct ppi_misses_options *options, struct ppi_misses *misses,
                                    struct perfpred_error *error);

static struct ppi_misses *counted(engine *count, const struct perfpred_program *program, const int64_t *parameters,
                                  const int64_t *cache_bytes, size_t levels, bool *applies) {
  const struct ppi_misses_options options = {
    .cache_bytes = cache_bytes, .level_count = levels, .line_bytes = 64, .budget_s = 60, .budget_bytes = 1u << 30
  };
  struct ppi_misses *misses = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_misses_create(program, levels, &misses, &error), PERFPRED_OK);
  enum perfpred_status status = count(program, parameters, &options, misses, &error);
  *applies = status != PERFPRED_UNSUPPORTED;
  if (*applies && !status)
    status = ppi_misses_sum(misses, program, &error);
  cr_assert_eq(*applies ? status : PERFPRED_OK, PERFPRED_OK, "%s", error.text);
  return misses;
}

static void expect_same(const struct perfpred_program *program, const int64_t *parameters, bool *applies) {
  bool simulates = false;
  struct ppi_misses *a = counted(ppi_misses_analytic, program, parameters, caches, LEVELS, applies);
  struct ppi_misses *b = counted(ppi_misses_simulate, program, parameters, caches, LEVELS, &simulates);
  cr_assert_eq(simulates, true);
  for (size_t i = 0; i < a->reference_count && *applies; i++) {
    const struct ppi_misses_count *x = &a->references[i], *y = &b->references[i];
    cr_expect_eq(x->accesses, y->accesses, "%s, reference %zu", program->name, i);
    cr_expect_eq(x->compulsory, y->compulsory, "%s, reference %zu", program->name, i);
    for (int j = 0; j < LEVELS; j++)
      cr_expect_eq(x->capacity[j], y->capacity[j], "%s, reference %zu, %" PRId64 " bytes: %" PRIu64 " %" PRIu64,
                   program->name, i, caches[j], x->capacity[j], y->capacity[j]);
  }
  ppi_misses_destroy(b);
  ppi_misses_destroy(a);
}

/* All that are in the list of sizes, tiled ones among them. */
static void expect_all_same(const char *size) {
  struct ppi_unit *unit = read_polybench();
  char *sizes = read_file("sizes.csv");
  int kernels = 0, refused = 0;
  for (const char *line = strchr(sizes, '\n'); line && line[1]; line = strchr(line + 1, '\n'), kernels++) {
    char kernel[80] = "";
    int64_t values[8] = { 0 };
    bool applies = false;
    cr_assert_eq(sscanf(line + 1, "%79[^,]", kernel), 1);
    polybench_sizes(sizes, kernel, size, values);
    expect_same(polybench_nest(unit, kernel), values, &applies);
    refused += !applies;
  }
  cr_expect_eq(kernels, 35);
  cr_expect_eq(refused, 0, "%d refused", refused);
  free(sizes);
  ppi_unit_unref(unit);
}

Test(kernels, mini) {
  expect_all_same("MINI");
}

Test(kernels, small) {
  if (is_thorough())
    expect_all_same("SMALL");
}

/* lru_misses.csv, rows of billions of accesses. */
Test(kernels, large) {
  struct ppi_unit *unit = read_polybench();
  char *sizes = read_file("sizes.csv"), *known = read_file("lru_misses.csv");
  int rows = 0;
  for (const char *line = strchr(known, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
    char kernel[80] = "", size[20] = "";
    uint64_t accesses = 0, compulsory = 0, capacity[2] = { 0 };
    int64_t values[8] = { 0 }, cache_bytes[2] = { 0 };
    bool applies = false;
    cr_assert_eq(
        sscanf(line + 1, "%79[^,],%19[^,],64,%" SCNu64 ",%" SCNu64 ",%" SCNd64 ",%" SCNu64 ",%" SCNd64 ",%" SCNu64,
               kernel, size, &accesses, &compulsory, &cache_bytes[0], &capacity[0], &cache_bytes[1], &capacity[1]),
        8);
    if (strcmp(size, "LARGE") != 0)
      continue;
    polybench_sizes(sizes, kernel, size, values);
    struct ppi_misses *misses =
        counted(ppi_misses_analytic, polybench_nest(unit, kernel), values, cache_bytes, 2, &applies);
    cr_expect_eq(applies, true, "%s", kernel);
    cr_expect_eq(misses->total.accesses, accesses, "%s", kernel);
    cr_expect_eq(misses->total.compulsory, compulsory, "%s", kernel);
    cr_expect_eq(misses->total.capacity[0], capacity[0], "%s", kernel);
    cr_expect_eq(misses->total.capacity[1], capacity[1], "%s", kernel);
    ppi_misses_destroy(misses);
    rows++;
  }
  cr_expect_eq(rows, 16);
  free(known);
  free(sizes);
  ppi_unit_unref(unit);
}
