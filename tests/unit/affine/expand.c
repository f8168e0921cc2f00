/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops behind calls: references against the shapes in the catalogue of kernels, and expanded algorithms against counts that are
   known without them. */
#include "affine/expand.h"
#include "../program/programs.h"
#include "affine/misses.h"
#include "affine/reference.h"
#include "program/tree.h"

TestSuite(expand, .init = start, .fini = stop);

static const int64_t cache_bytes[] = { 4096, 32768 };

static struct ppi_misses *counted(const struct perfpred_program *nest, const int64_t *values, int64_t line_bytes) {
  const struct ppi_misses_options options = { .cache_bytes = cache_bytes,
                                              .level_count = 2,
                                              .line_bytes = line_bytes,
                                              .engine = PPI_MISSES_SIMULATE,
                                              .budget_s = 600.0,
                                              .budget_bytes = UINT64_C(1) << 30 };
  struct ppi_misses *misses = NULL;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_misses_find(nest, values, &options, &misses, &error), PERFPRED_OK, "%s: %s", nest->name, error.text);
  return misses;
}

static struct ppi_expansion expanded(const struct perfpred_program *algorithm) {
  struct ppi_expansion expansion;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_expand(&context, algorithm, NULL, &expansion, &error), PERFPRED_OK, "%s", error.text);
  return expansion;
}

/* "gemm-NT": the kernel dgemm with these flags, and sizes m = 5, n = 7, k = 3. False: there is no such kernel. */
static const struct perfpred_kernel *kernel_of(const char *reference, struct ppi_value *values) {
  char name[PPI_NAME_MAX] = "d";
  const size_t stem = strcspn(reference, "-");
  strncat(name, reference, stem);
  name[0] = strcmp(name + 1, "lacgv") == 0 ? 'z' : 'd'; /* conjugation is for complex types alone */
  const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, name);
  cr_assert_neq(kernel, NULL, "%s", name);
  const char *letter = reference + stem + (reference[stem] == '-' ? 1 : 0);
  memset(values, 0, PPI_ARG_MAX * sizeof *values);
  for (int i = 0; i < kernel->flag_count; i++) {
    const struct ppi_arg *flag = &kernel->args[kernel->flags[i]];
    values[kernel->flags[i]].i = flag->option ? '1' : strcmp(flag->name, "diag") != 0 ? *letter++ : 'N';
  }
  for (int i = 0; i < kernel->size_count; i++) {
    const char size = kernel->args[kernel->sizes[i]].name[0];
    values[kernel->sizes[i]].i = size == 'm' ? 5 : size == 'n' ? 7 : 3;
  }
  cr_assert_eq(*letter, '\0', "%s has another number of flags", reference);
  return kernel;
}

/* Elements that are not all of the operands: strictly below the diagonal of V, the upper triangle of T; of work all but one. */
static int64_t elements_of_some(const char *name) {
  return !strncmp(name, "larft-F", 7) ? 6 + 5 + 4 + 3 + 6
         : !strcmp(name, "geqr2")     ? 35 + 5 + 6
         : !strcmp(name, "gelq2")     ? 35 + 5 + 4
                                      : 0;
}

/* Elements of an operand: all that it has, of a triangle one half. */
static int64_t elements_of(const struct perfpred_kernel *kernel, const struct ppi_value *values, int place) {
  int64_t rows = 0, columns = 0;
  cr_assert_eq(ppi_kernel_extent(kernel, values, place, &rows, &columns, NULL), PERFPRED_OK);
  return kernel->args[place].shape == PPI_SHAPE_TRIANGLE ? rows * (rows + 1) / 2 : rows * columns;
}

static int place_of(const struct perfpred_kernel *kernel, const char *name) {
  char lower[PPI_NAME_MAX];
  snprintf(lower, sizeof lower, "%c%s", name[0] >= 'A' && name[0] <= 'Z' ? name[0] + 32 : name[0], name + 1);
  return ppi_kernel_argument(kernel, lower);
}

/* With lines of one element, first touches are the elements of the operands. */
static void check_reference(const struct perfpred_program *nest) {
  struct ppi_value values[PPI_ARG_MAX];
  int64_t parameters[PPI_PARAMETER_MAX] = { 0 }, elements = 0;
  const struct perfpred_kernel *kernel = kernel_of(nest->name, values);
  for (int i = 0; i < nest->parameter_count; i++) {
    const int place = place_of(kernel, nest->slots[i]);
    cr_assert_geq(place, 0, "%s: no argument %s", nest->name, nest->slots[i]);
    parameters[i] = kernel->args[place].kind == PPI_ARG_SIZE     ? values[place].i
                    : kernel->args[place].kind == PPI_ARG_SCALAR ? 2
                    : kernel->args[place].option                 ? values[place].i - '0'
                                                                 : 0;
  }
  for (int i = 0; i < nest->buffer_count; i++) {
    const int place = place_of(kernel, nest->buffers[i].name);
    cr_assert_geq(place, 0, "%s: no argument %s", nest->name, nest->buffers[i].name);
    if (elements_of_some(nest->name) > 0)
      continue;
    cr_expect_eq(nest->buffers[i].direction & PPI_OUT, kernel->args[place].direction & PPI_OUT, "%s: %s", nest->name,
                 nest->buffers[i].name);
    elements += elements_of(kernel, values, place);
  }
  elements += elements_of_some(nest->name);
  struct ppi_misses *misses = counted(nest, parameters, 8);
  cr_expect_eq(misses->total.compulsory, (uint64_t)elements, "%s: %" PRIu64 " elements instead of %" PRId64, nest->name,
               misses->total.compulsory, elements);
  ppi_misses_destroy(misses);
}

Test(expand, references_touch_their_operands) {
  struct ppi_unit *references = NULL;
  cr_assert_eq(ppi_references_read(&context, &references, NULL), PERFPRED_OK);
  cr_expect_gt(references->count, 40);
  for (int i = 0; i < references->count; i++)
    if (references->programs[i]->nest)
      check_reference(references->programs[i]);
  ppi_unit_unref(references);
}

static uint64_t sum_of(const struct ppi_expansion *expansion, const struct ppi_misses *misses, int call, int argument) {
  uint64_t sum = 0;
  for (size_t i = 0; i < expansion->access_count; i++)
    if (expansion->accesses[i].call == call && (argument < 0 || expansion->accesses[i].argument == argument))
      sum += misses->references[i].accesses;
  return sum;
}

/* One product on parts of matrices, along a row as well. */
Test(expand, one_call) {
  struct perfpred_program *algorithm = parsed(
      "perfpred-text 1\nalgorithm t(m, n, k)\n  inout C: double matrix[m + 3, n]\n  in A: double matrix[k, m]\n"
      "  in x: double vector[k]\n  for i in 0:2\n    dgemm(T, N, m, n, k, 1, A[0, 0], A[0, 0], 0.5, C[i, 0])\n  end\n"
      "  dgemv(T, k, m, 2, A[0, 0], x[0], 1, row C[0, 0])\nend\n");
  struct ppi_expansion expansion = expanded(algorithm);
  const int64_t values[] = { 9, 9, 16 };
  struct ppi_misses *misses = counted(expansion.nest, values, 64);
  cr_assert_eq(expansion.call_count, 2);
  cr_expect_str_eq(expansion.calls[0].node->kernel->name, "dgemm");
  cr_expect_eq(sum_of(&expansion, misses, 0, -1), 2 * (9 * 9 * 16 * 2 + 9 * 9 * 2)); /* in both rounds */
  cr_expect_eq(sum_of(&expansion, misses, 0, ppi_kernel_argument(expansion.calls[0].node->kernel, "c")),
               2 * 9 * 9 * 2);                                         /* c: an update each */
  cr_expect_eq(sum_of(&expansion, misses, 1, -1), 9 * 16 * 2 + 9 * 2); /* beta is 1: no scaling */
  cr_expect_eq(misses->total.compulsory, 9 * 2 + 9 * 2 + 2);           /* rows 0 to 9 of C, 16 of A, x */
  ppi_misses_destroy(misses);
  ppi_expansion_free(&expansion);
  perfpred_program_unref(algorithm);
}

/* Expanded for these values alone it has other statements, but the same calls and counts, except where it has a recursive kernel as such. */
static void check_numbers(const struct perfpred_program *algorithm, const int64_t *values,
                          const struct ppi_expansion *general, const struct ppi_misses *expected) {
  struct ppi_expansion expansion;
  cr_assert_eq(ppi_expand(&context, algorithm, values, &expansion, NULL), PERFPRED_OK);
  struct ppi_misses *misses = counted(expansion.nest, values, 64);
  cr_expect_eq(misses->total.compulsory, expected->total.compulsory);
  cr_expect_eq(misses->total.capacity[1], expected->total.capacity[1]);
  cr_expect_leq(expansion.call_count, general->call_count);
  for (size_t i = 0; i < expansion.call_count; i++)
    for (size_t k = 0; k < general->call_count; k++)
      if (expansion.calls[i].node == general->calls[k].node &&
          strcmp(expansion.calls[i].node->kernel->name, "dpotrf2") != 0)
        cr_expect_eq(sum_of(&expansion, misses, (int)i, -1), sum_of(general, expected, (int)k, -1));
  ppi_misses_destroy(misses);
  ppi_expansion_free(&expansion);
}

/* However it is blocked, a decomposition touches the lower triangle: of 32 columns, 8 each begin in the same line. */
Test(expand, cholesky) {
  static const char *const names[] = { "chol-l-1", "chol-l-2", "chol-l-3" };
  for (size_t i = 0; i < 3; i++) {
    struct perfpred_program *algorithm = found(names[i]);
    struct ppi_expansion expansion = expanded(algorithm);
    for (int64_t b = 5; b <= 40; b += 7) {
      struct ppi_misses *misses = counted(expansion.nest, (int64_t[]){ 32, b }, 64);
      cr_expect_eq(misses->total.compulsory, 8 * (4 + 3 + 2 + 1), "%s, b = %" PRId64, names[i], b);
      cr_expect_eq(misses->total.capacity[1], 0); /* 8 KiB fit */
      check_numbers(algorithm, (int64_t[]){ 32, b }, &expansion, misses);
      ppi_misses_destroy(misses);
    }
    ppi_expansion_free(&expansion);
    perfpred_program_unref(algorithm);
  }
}

/* Algorithms that call others, with scratch of their own: one nest. */
Test(expand, called_algorithms) {
  struct perfpred_program *outer =
      parsed("perfpred-text 1\nalgorithm inner(n, b)\n  inout A: double matrix[n, n]\n  work W: double matrix[b, b]\n"
             "  for i in 0:n by b as w\n    dgemm(N, N, w, w, w, 1, A[i, i], A[i, i], 0, W[0, 0])\n  end\nend\n");
  struct ppi_expansion expansion = expanded(outer);
  struct ppi_misses *misses = counted(expansion.nest, (int64_t[]){ 8, 8 }, 64);
  cr_expect_eq(misses->total.compulsory, 16);
  cr_expect_eq(misses->total.accesses, 64 + 64 + 3 * 512); /* zeros, elements of B, products */
  ppi_misses_destroy(misses);
  ppi_expansion_free(&expansion);
  perfpred_program_unref(outer);
  struct perfpred_program *composite = found("spdinv-l"); /* calls other algorithms */
  expansion = expanded(composite);
  misses = counted(expansion.nest, (int64_t[]){ 16, 5 }, 64);
  cr_expect_eq(misses->total.compulsory, 24); /* the lower triangle: columns of two lines, then of one */
  ppi_misses_destroy(misses);
  ppi_expansion_free(&expansion);
  perfpred_program_unref(composite);
}

static void expect_refusal(struct perfpred_program *algorithm, const char *message) {
  struct ppi_expansion expansion;
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_expect_eq(ppi_expand(&context, algorithm, NULL, &expansion, &error), PERFPRED_UNSUPPORTED, "%s", error.text);
  cr_expect_str_eq(error.text, message);
  perfpred_program_unref(algorithm);
}

/* Expands for these values, and counts. */
static struct ppi_misses *numbered(const struct perfpred_program *algorithm, const int64_t *values,
                                   struct ppi_expansion *expansion) {
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_expand(&context, algorithm, values, expansion, &error), PERFPRED_OK, "%s", error.text);
  return counted(expansion->nest, values, 64);
}

/* Of two columns, as LAPACK's recursion goes: the left one (two reads in search of the pivot, which is written; a swap of four accesses;
   the diagonal is read, what is below updated: 10), its swap in the right one (the pivot, 4), a solution with one unknown (1), a product
   (4), the rest (2), whose pivot is counted from the top (2) and swapped in the left column (5). */
Test(expand, recursive_kernels) {
  struct perfpred_program *lu = parsed("perfpred-text 1\nalgorithm t(n)\n  inout A: double matrix[n, n]\n"
                                       "  out p: integer pivots vector[n]\n  dgetrf2(n, n, A[0, 0], p[0])\nend\n");
  struct perfpred_program *cholesky = parsed("perfpred-text 1\nalgorithm t(n)\n  inout A: double spd triangle(L)[n]\n"
                                             "  dpotrf2(L, n, A[0, 0])\nend\n");
  struct ppi_expansion expansion;
  struct ppi_misses *misses = numbered(lu, (int64_t[]){ 2 }, &expansion);
  cr_expect_eq(misses->total.accesses, 10 + 5 + 1 + 4 + 2 + 2 + 5);
  cr_expect_eq(misses->may, true);
  cr_assert_eq(expansion.call_count, 1);
  cr_expect_eq(sum_of(&expansion, misses, 0, ppi_kernel_argument(expansion.calls[0].node->kernel, "ipiv")), 6);
  cr_expect_eq(sum_of(&expansion, misses, 0, ppi_kernel_argument(expansion.calls[0].node->kernel, "a")), 23);
  ppi_misses_destroy(misses);
  ppi_expansion_free(&expansion);
  /* n = 2: root, solution (3), product (4), root: 11. n = 3: root, solution with two rows (5), product (7 + 4), n = 2. */
  misses = numbered(cholesky, (int64_t[]){ 3 }, &expansion);
  cr_expect_eq(misses->total.accesses, 2 + 5 + 11 + 11);
  ppi_misses_destroy(misses);
  ppi_expansion_free(&expansion);
  perfpred_program_unref(cholesky);
  perfpred_program_unref(lu);
}

/* First touches of an array of the nest, in all references. */
static uint64_t lines_of(const struct ppi_expansion *expansion, const struct ppi_misses *misses, const char *array,
                         const struct ppi_node *node) {
  uint64_t sum = 0;
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_ACCESS && !strcmp(expansion->nest->buffers[node->buffer].name, array))
      sum += misses->references[node->site].compulsory;
    sum += lines_of(expansion, misses, array, node->body) + lines_of(expansion, misses, array, node->otherwise);
  }
  return sum;
}

/* LAPACK's blocked routines touch all of their matrices of 40 x 40, of which a column is five lines; a triangle is 8 (5 + 4 + 3 + 2 + 1). */
Test(expand, blocked_routines) {
  static const struct {
    const char *name, *array;
    uint64_t lines;
  } routines[] = { { "dpotrf", "A", 120 },     { "dpotrf-u", "A", 120 },   { "dgetrf", "A", 200 },
                   { "dgetrf", "ipiv", 3 },    { "dtrtri", "A", 120 },     { "dlauum", "A", 120 },
                   { "dgeqrf-nx0", "A", 200 }, { "dgeqrf-nx0", "tau", 5 }, { "dsygst", "A", 120 },
                   { "dsygst", "B", 120 },     { "dsygst-u-2", "A", 120 }, { "chol-u-rec", "A", 120 },
                   { "lu-rec-tall", "A", 200 } };
  for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
    struct perfpred_program *routine = found(routines[i].name);
    struct ppi_expansion expansion;
    const int64_t values[] = { 40, routine->parameter_count > 2 ? 40 : 16, 16 };
    struct ppi_misses *misses = numbered(routine, values, &expansion);
    const uint64_t lines = lines_of(&expansion, misses, routines[i].array, expansion.nest->body);
    cr_expect_eq(lines, routines[i].lines, "%s: %" PRIu64 " lines of %s", routines[i].name, lines, routines[i].array);
    ppi_misses_destroy(misses);
    ppi_expansion_free(&expansion);
    perfpred_program_unref(routine);
  }
}

/* Calls of an algorithm that calls itself are those of its text. */
Test(expand, recursive_algorithms) {
  struct perfpred_program *algorithm = found("chol-u-rec");
  struct ppi_expansion expansion;
  struct ppi_misses *misses = numbered(algorithm, (int64_t[]){ 50, 9 }, &expansion);
  uint64_t sum = 0;
  cr_expect_eq(expansion.call_count, 3);
  for (int i = 0; i < 3; i++)
    sum += sum_of(&expansion, misses, i, -1);
  cr_expect_eq(sum, misses->total.accesses);
  ppi_misses_destroy(misses);
  ppi_expansion_free(&expansion);
  perfpred_program_unref(algorithm);
}

Test(expand, refusals) {
  expect_refusal(found("dsytrf"), "dlasyf has no reference whose loops could be counted (lasyf-L)");
  expect_refusal(parsed("perfpred-text 1\nalgorithm r(n)\n  inout A: double matrix[n, n]\n  if n > 1\n"
                        "    call r(n//2, A[0, 0])\n  end\nend\n"),
                 "r, line 5: r calls itself with sizes that are not known to fall, which no loop nest does");
}
