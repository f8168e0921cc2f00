/* SPDX-License-Identifier: BSD-3-Clause */
/* Every algorithm for the triangular Sylvester equation is executed on random data and its result compared with DTRSYL's; and of
 * each the calls are counted: all do m n (m + n) flops, to the last one. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "execute.h"
#include "thorough.h"

typedef void trsyl_fn(const char *, const char *, const int *, const int *, const int *, const double *, const int *,
                      const double *, const int *, double *, const int *, double *, int *, size_t, size_t);

/* The 64 names, worked out from the lists of the design: 8 one-dimensional ones, 14 x 4 diagonal ones. */
static void name_of(int index, char name[16]) {
  static const char kinds[] = "mmmmmmmnnnmmmm", seconds[] = "nnnnmmmnnnnnnn"; /* of the two panels, d01 to d14 */
  const int low = index % 4 / 2 + 1, high = index % 2 + 1;
  if (index < 4)
    snprintf(name, 16, "m%dn%d", low, high);
  else if (index < 8)
    snprintf(name, 16, "n%dm%d", low, high);
  else
    snprintf(name, 16, "d%02d-%c%d%c%d", index / 4 - 1, kinds[index / 4 - 2], low, seconds[index / 4 - 2], high);
}

static double expected_difference(const char *name, const int64_t *parameters) {
  const int m = (int)parameters[0], n = (int)parameters[1], lda = m > 0 ? m : 1, ldb = n > 0 ? n : 1, one = 1;
  int info = -1;
  double scale = 0.0;
  ROUTINE(trsyl_fn *, dtrsyl);
  execute(name, parameters);
  double *x = copy_of(&operands[2]);
  dtrsyl("N", "N", &one, &m, &n, operands[0].before, &lda, operands[1].before, &ldb, x, &lda, &scale, &info, 1, 1);
  cr_assert_eq(info, 0);
  cr_assert_eq(scale, 1.0);
  const double gap = difference(&operands[2], x, 0);
  free(x);
  return gap;
}

static void check(const char *name, const int64_t *parameters, int count) {
  const double bound = 4.0 * (double)(parameters[0] + parameters[1] + 1) * DBL_EPSILON;
  const double gap = expected_difference(name, parameters);
  cr_expect_leq(gap, bound, "%s(%d, %d, %d%s): %g from DTRSYL's result, at most %g expected", name, (int)parameters[0],
                (int)parameters[1], (int)parameters[2], count > 3 ? ", ..." : "", gap, bound);
}

static const int shapes[][2] = { { 0, 0 },   { 0, 9 },   { 9, 0 },   { 1, 1 },   { 1, 30 }, { 30, 1 },
                                 { 20, 20 }, { 37, 25 }, { 24, 61 }, { 64, 16 }, { 50, 50 } };
#define SHAPES (sizeof shapes / sizeof shapes[0])

ParameterizedTestParameters(sylvester, algorithm) {
  static int indices[64];
  for (int i = 0; i < 64; i++)
    indices[i] = i;
  return cr_make_param_array(int, indices, 64);
}

ParameterizedTest(int *index, sylvester, algorithm, .init = start, .fini = stop) {
  static const int blocks[4] = { 1, 8, 16, 100 };
  static const int pairs[4][2] = { { 5, 12 }, { 16, 7 }, { 100, 9 }, { 9, 100 } };
  const size_t part = (size_t)(*index + *index / 4); /* algorithms that differ by one bit have different ones */
  char short_name[16], name[32];
  name_of(*index, short_name);
  for (size_t s = 0; s < SHAPES; s++)
    for (size_t b = 0; b < 4; b++) {
      if (!is_chosen(s + b, part, 4))
        continue;
      snprintf(name, sizeof name, "sylv-%s", short_name);
      check(name, (const int64_t[]){ shapes[s][0], shapes[s][1], blocks[b] }, 3);
      snprintf(name, sizeof name, "sylv2-%s", short_name);
      check(name, (const int64_t[]){ shapes[s][0], shapes[s][1], pairs[b][0], pairs[b][1] }, 4);
    }
}

Test(sylvester, layers_and_recursion, .init = start, .fini = stop) {
  static const char *const layers[] = { "sylv2-0", "sylv2-m1", "sylv2-m2", "sylv2-n1", "sylv2-n2" };
  for (size_t s = 0; s < SHAPES; s++) {
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
      check(layers[i], (const int64_t[]){ shapes[s][0], shapes[s][1], 7, 11 }, 4);
    for (int64_t stop_size = 1; stop_size < 100; stop_size = 3 * stop_size + 1)
      check("sylv-rec", (const int64_t[]){ shapes[s][0], shapes[s][1], stop_size }, 3);
  }
}

/* The comparison is no constant: of another equation's solution it is large. */
Test(sylvester, a_wrong_algorithm_is_noticed, .init = start, .fini = stop) {
  static const char text[] = "perfpred-text 1\nalgorithm wrong(m, n, b)\n  in A: double triangle(U)[m]\n"
                             "  in B: double triangle(U)[n]\n  inout C: double matrix[m, n]\n"
                             "  for i in 0:m down by b as w short last\n    let r = m - i - w\n"
                             "    dgemm(N, N, w, n, r, -1, A[i, i+w], C[i+w, 0], 1, C[i, 0])\n"
                             "    dtrsyl(N, N, w, n, A[0, 0], B[0, 0], C[i, 0])\n  end\nend\n"; /* A00 for A11 */
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, text, sizeof text - 1, "t", &error),
               PERFPRED_OK, "%s", error.text);
  cr_expect_gt(expected_difference("wrong", (const int64_t[]){ 37, 25, 8 }), 1e-3);
}

/* --- Counts and calls, without execution -------------------------------------------------------------------------------- */

struct count {
  double flops;
  int64_t largest_trsyl;
  bool other; /* a kernel that is neither DGEMM nor DTRSYL */
};

static enum perfpred_status add_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                     struct perfpred_error *failure) {
  struct count *count = data;
  (void)failure;
  count->flops += ppi_kernel_flops(node->kernel, values);
  if (strcmp(node->kernel->name, "dtrsyl") == 0)
    for (int i = 0; i < node->kernel->size_count; i++)
      count->largest_trsyl = values[node->kernel->sizes[i]].i > count->largest_trsyl ? values[node->kernel->sizes[i]].i
                                                                                     : count->largest_trsyl;
  else if (strcmp(node->kernel->name, "dgemm") != 0)
    count->other = true;
  return PERFPRED_OK;
}

static struct perfpred_program *found(const char *name) {
  struct perfpred_program *program = NULL;
  cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK, "%s", error.text);
  return program;
}

static struct count count_calls(const char *name, const int64_t *parameters, size_t count) {
  static const struct ppi_walker walker = { .call = add_call };
  struct count calls = { 0 };
  struct perfpred_program *program = found(name);
  cr_assert_eq(ppi_program_walk(program, parameters, count, &walker, &calls, &error), PERFPRED_OK, "%s", error.text);
  perfpred_program_unref(program);
  return calls;
}

Test(sylvester, exact_flops, .init = create_context, .fini = destroy_context) {
  char short_name[16], name[32];
  for (int index = 0; index < 64; index++)
    for (size_t s = 0; s < SHAPES; s++)
      for (int64_t b = 1; b <= 64; b += 7) {
        if (!is_chosen(s + (size_t)(b / 7), (size_t)index, 4))
          continue;
        const int64_t m = 3 * shapes[s][0] + 1, n = 2 * shapes[s][1];
        name_of(index, short_name);
        snprintf(name, sizeof name, "sylv-%s", short_name);
        const struct count one = count_calls(name, (const int64_t[]){ m, n, b }, 3);
        snprintf(name, sizeof name, "sylv2-%s", short_name);
        const struct count two = count_calls(name, (const int64_t[]){ m, n, b, b / 2 + 3 }, 4);
        cr_expect_eq(one.flops, (double)(m * n * (m + n)), "%s %d %d %d: %g", name, (int)m, (int)n, (int)b, one.flops);
        cr_expect_eq(two.flops, (double)(m * n * (m + n)), "%s %d %d %d: %g", name, (int)m, (int)n, (int)b, two.flops);
        cr_expect(!one.other && !two.other && one.largest_trsyl <= (n == 0 ? m : b), "%s", name);
      }
}

/* The operation that is ranked holds these 64 and no other. */
Test(sylvester, sixty_four_alternatives, .init = create_context, .fini = destroy_context) {
  char short_name[16], name[32];
  int counts[2] = { 0 };
  for (size_t i = 0; i < perfpred_program_count(&context); i++) {
    struct perfpred_program *program = found(perfpred_program_name_at(&context, i));
    counts[0] += strcmp(perfpred_program_operation(program), "sylv") == 0;
    counts[1] += strcmp(perfpred_program_operation(program), "sylv2") == 0;
    perfpred_program_unref(program);
  }
  cr_expect_eq(counts[0], 64, "%d", counts[0]);
  cr_expect_eq(counts[1], 64, "%d", counts[1]);
  for (int index = 0; index < 64; index++) {
    name_of(index, short_name);
    snprintf(name, sizeof name, "sylv-%s", short_name);
    struct perfpred_program *program = found(name);
    cr_expect_str_eq(perfpred_program_operation(program), "sylv");
    perfpred_program_unref(program);
  }
}

/* Calls with work, in their order, without flags. */
struct calls {
  char text[4096];
  size_t length;
};

static enum perfpred_status note_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                      struct perfpred_error *failure) {
  struct calls *calls = data;
  (void)failure;
  if (ppi_kernel_is_empty(node->kernel, values))
    return PERFPRED_OK;
  calls->length +=
      (size_t)snprintf(calls->text + calls->length, sizeof calls->text - calls->length, "%s", node->kernel->name);
  for (int i = 0; i < node->kernel->arg_count; i++)
    if (node->kernel->args[i].kind == PPI_ARG_SIZE)
      calls->length +=
          (size_t)snprintf(calls->text + calls->length, sizeof calls->text - calls->length, " %d", (int)values[i].i);
    else if (node->kernel->args[i].kind == PPI_ARG_DATA)
      calls->length += (size_t)snprintf(calls->text + calls->length, sizeof calls->text - calls->length, " %d[%d,%d]",
                                        values[i].buffer, (int)values[i].row, (int)values[i].column);
  calls->length += (size_t)snprintf(calls->text + calls->length, sizeof calls->text - calls->length, "\n");
  cr_assert_lt(calls->length, sizeof calls->text);
  return PERFPRED_OK;
}

static void expect_same_calls(const char *name, const char *other, const int64_t parameters[4]) {
  static const struct ppi_walker walker = { .call = note_call };
  struct calls calls[2] = { 0 };
  const char *const names[2] = { name, other };
  for (int i = 0; i < 2; i++) {
    struct perfpred_program *program = found(names[i]);
    cr_assert_eq(ppi_program_walk(program, parameters, 4, &walker, &calls[i], &error), PERFPRED_OK, "%s", error.text);
    perfpred_program_unref(program);
  }
  cr_expect_gt(calls[0].length, 0);
  cr_expect_str_eq(calls[0].text, calls[1].text, "%s:\n%s\n%s:\n%s", name, calls[0].text, other, calls[1].text);
}

/* Footnote 20 of the dissertation: with one block size as large as the matrix, a diagonal algorithm is one of the vertical or horizontal
   ones: lazy where the top left or bottom right is untouched at the top of the loop, eager where it is updated. (Where it is solved, the
   panels are long ones, solved block by block: the same work in other calls.) */
Test(sylvester, diagonal_ones_with_one_large_block, .init = create_context, .fini = destroy_context) {
  static const struct {
    const char *name, *vertical, *horizontal;
  } cases[] = {
    { "sylv2-d01-m1n1", "sylv2-m1", "sylv2-n1" }, { "sylv2-d02-m2n1", "sylv2-m2", "sylv2-n1" },
    { "sylv2-d03-m1n2", "sylv2-m1", "sylv2-n2" }, { "sylv2-d04-m2n2", "sylv2-m2", "sylv2-n2" },
    { "sylv2-d05-m1m2", NULL, "sylv2-n1" },       { "sylv2-d06-m2m1", NULL, "sylv2-n2" },
    { "sylv2-d07-m1m1", NULL, "sylv2-n2" },       { "sylv2-d08-n1n2", "sylv2-m1", NULL },
    { "sylv2-d09-n2n1", "sylv2-m2", NULL },       { "sylv2-d10-n1n1", "sylv2-m2", NULL },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (cases[i].vertical != NULL)
      expect_same_calls(cases[i].name, cases[i].vertical, (const int64_t[]){ 40, 30, 12, 30 });
    if (cases[i].horizontal != NULL)
      expect_same_calls(cases[i].name, cases[i].horizontal, (const int64_t[]){ 40, 30, 40, 12 });
  }
}

/* The 36 x 20 example with b = 16, in the order of execution, worked out by hand. Rows 20 to 35, 4 to 19, 0 to 3; columns 0 to 15, 16 to 19.
   Buffers: 0 A, 1 B, 2 C. */
Test(sylvester, calls_of_two_layers, .init = create_context, .fini = destroy_context) {
  static const struct ppi_walker walker = { .call = note_call };
  struct calls calls = { 0 };
  struct perfpred_program *program = found("sylv-m1n2");
  cr_assert_eq(ppi_program_walk(program, (const int64_t[]){ 36, 20, 16 }, 3, &walker, &calls, &error), PERFPRED_OK);
  perfpred_program_unref(program);
  cr_expect_str_eq(calls.text, "dtrsyl 16 16 0[20,20] 1[0,0] 2[20,0]\n"
                               "dgemm 16 4 16 2[20,0] 1[0,16] 2[20,16]\n"
                               "dtrsyl 16 4 0[20,20] 1[16,16] 2[20,16]\n"
                               "dgemm 16 20 16 0[4,20] 2[20,0] 2[4,0]\n"
                               "dtrsyl 16 16 0[4,4] 1[0,0] 2[4,0]\n"
                               "dgemm 16 4 16 2[4,0] 1[0,16] 2[4,16]\n"
                               "dtrsyl 16 4 0[4,4] 1[16,16] 2[4,16]\n"
                               "dgemm 4 20 32 0[0,4] 2[4,0] 2[0,0]\n"
                               "dtrsyl 4 16 0[0,0] 1[0,0] 2[0,0]\n"
                               "dgemm 4 4 16 2[0,0] 1[0,16] 2[0,16]\n"
                               "dtrsyl 4 4 0[0,0] 1[16,16] 2[0,16]\n");
}
