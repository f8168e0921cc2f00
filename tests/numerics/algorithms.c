/* SPDX-License-Identifier: BSD-3-Clause */
/* Every Cholesky decomposition and triangular inverse of the catalogue is executed, as measurements execute it, and its result compared
 * with that of LAPACK's own routine on the same matrix. The algorithm runs between two kernels of the test's, which copy the matrix
 * as it was and as it is left. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <perfpred/context.h>
#include <perfpred/kernel.h>
#include <perfpred/program.h>
#include <perfpred/sampler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "program/registry.h"
#include "thorough.h"
#include "world.h"

#define N_MAX 129
#define LD N_MAX

/* Which routine of LAPACK does the same. A leading ? stands for the letter of the data type. */
static const struct reference {
  const char *operation, *routine;
  char uplo;
} references[] = {
  { "chol-l-tiled", "potrf", 'L' }, { "chol-u-tiled", "potrf", 'U' }, { "chol-u-rec", "potrf", 'U' },
  { "trinv-l-rec", "trtri", 'L' },  { "trinv-u-rec", "trtri", 'U' },  { "chol-l", "potrf", 'L' },
  { "chol-l-rec", "potrf", 'L' },   { "chol-u", "potrf", 'U' },       { "?potrf", "potrf", 'L' },
  { "?potrf-u", "potrf", 'U' },     { "trinv-l", "trtri", 'L' },      { "trinv-u", "trtri", 'U' },
  { "?trtri", "trtri", 'L' },       { "?trtri-u", "trtri", 'U' },
};

static const struct reference *reference_of(const char *operation) {
  for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
    const char *wanted = references[i].operation;
    if (wanted[0] == '?' ? operation[0] != '\0' && strcmp(wanted + 1, operation + 1) == 0
                         : strcmp(wanted, operation) == 0)
      return &references[i];
  }
  return NULL;
}

/* A copy of a matrix: real numbers, two per complex element. */
struct copy {
  size_t element;
  unsigned char bytes[(size_t)LD * N_MAX * 16];
};
static struct copy before, after, expected;

static int keep(void *data, void *const args[]) {
  struct copy *copy = data;
  int64_t n = *(const int64_t *)args[0], lda = *(const int64_t *)args[2];
  const unsigned char *a = args[1];
  for (int64_t j = 0; j < n; j++)
    memcpy(copy->bytes + (size_t)(j * LD) * copy->element, a + (size_t)(j * lda) * copy->element,
           (size_t)n * copy->element);
  return 0;
}

static void register_copies(char letter) {
  static const char *const names[] = { "before", "after" };
  struct copy *copies[] = { &before, &after };
  for (int i = 0; i < 2; i++) {
    char text[160];
    snprintf(text, sizeof text, "kernel %c%s(n: size, a: inout matrix[n, n], lda)\nend\n", letter, names[i]);
    copies[i]->element = letter == 's' ? 4 : letter == 'z' ? 16 : 8;
    cr_assert_eq(perfpred_kernel_register_function(&context, text, keep, copies[i], &error), PERFPRED_OK, "%s",
                 error.text);
  }
}

static void start(void) {
  lapack = dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  cr_assert_not_null(lapack, "%s", dlerror());
  create_context();
  bind_kernels();
  cr_assert_eq(perfpred_sampler_create_local(&context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  perfpred_sampler_destroy(sampler);
  destroy_context();
  dlclose(lapack);
}

/* LAPACK's result on the matrix that the algorithm got. */
static void call_lapack(const struct reference *reference, char letter, int n) {
  char symbol[16];
  int ld = LD, info = -1;
  memcpy(&expected, &before, sizeof expected);
  snprintf(symbol, sizeof symbol, "%c%s_", letter, reference->routine);
  if (strcmp(reference->routine, "potrf") == 0) {
    void (*potrf)(const char *, const int *, void *, const int *, int *, size_t);
    *(void **)&potrf = dlsym(lapack, symbol);
    cr_assert_not_null(potrf, "no %s", symbol);
    potrf(&reference->uplo, &n, expected.bytes, &ld, &info, 1);
  } else {
    void (*trtri)(const char *, const char *, const int *, void *, const int *, int *, size_t, size_t);
    *(void **)&trtri = dlsym(lapack, symbol);
    cr_assert_not_null(trtri, "no %s", symbol);
    trtri(&reference->uplo, "N", &n, expected.bytes, &ld, &info, 1, 1);
  }
  cr_assert_eq(info, 0, "%s: info %d", symbol, info);
}

/* Number k of a copy as a real number. */
static double number(const struct copy *copy, bool single, size_t k) {
  float narrow;
  double wide;
  if (!single) {
    memcpy(&wide, copy->bytes + k * sizeof wide, sizeof wide);
    return wide;
  }
  memcpy(&narrow, copy->bytes + k * sizeof narrow, sizeof narrow);
  return (double)narrow;
}

/* Largest difference in the triangle. All elements are of size 1 at most, and so is the bound on errors: a few n eps. */
static double difference(char letter, char uplo, int n) {
  bool single = letter == 's' || letter == 'c';
  size_t parts = letter == 'c' || letter == 'z' ? 2 : 1;
  double largest = 0.0;
  for (int j = 0; j < n; j++)
    for (int i = uplo == 'L' ? j : 0; i < (uplo == 'L' ? n : j + 1); i++)
      for (size_t p = 0; p < parts; p++) {
        size_t k = parts * (size_t)(i + j * LD) + p;
        double gap = fabs(number(&after, single, k) - number(&expected, single, k));
        if (!(gap <= largest))
          largest = isnan(gap) ? INFINITY : gap;
      }
  return largest;
}

/* Some algorithms bear the name of a kernel, which a call would mean: adds the algorithm under the name `renamed`. */
static void add_renamed(const char *name) {
  struct perfpred_program *program = NULL;
  char *text = NULL, head[80], copy[8192];
  cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK);
  cr_assert_eq(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, &error), PERFPRED_OK, "%s", error.text);
  snprintf(head, sizeof head, "algorithm %s(", name);
  const char *at = strstr(text, head);
  cr_assert_not_null(at, "%s", text);
  int length = snprintf(copy, sizeof copy, "perfpred-text 1\nalgorithm renamed(%s", at + strlen(head));
  cr_assert_lt(length, (int)sizeof copy);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, copy, (size_t)length, name, &error),
               PERFPRED_OK, "%s", error.text);
  perfpred_free(text);
  perfpred_program_unref(program);
}

static struct perfpred_program *wrap(const char *operation, char letter, char uplo) {
  static const char *const types[] = { "float", "double", "cfloat", "cdouble" };
  char text[512];
  struct perfpred_program *program = NULL;
  const char *property = strcmp(reference_of(operation)->routine, "potrf") == 0 ? "spd " : "";
  int length = snprintf(text, sizeof text,
                        "algorithm wrapped(n, b)\n  operation %s\n  inout A: %s %striangle(%c)[n]\n"
                        "  %cbefore(n, A[0, 0])\n  call renamed(n, b, A[0, 0])\n  %cafter(n, A[0, 0])\nend\n",
                        operation, types[strchr("sdcz", letter) - "sdcz"], property, uplo, letter, letter);
  cr_assert_eq(perfpred_program_parse(&context, text, (size_t)length, "test", &program, &error), PERFPRED_OK, "%s",
               error.text);
  return program;
}

static void check_size(const char *name, struct perfpred_program *program, const struct reference *reference,
                       char letter, int n, int b) {
  const int64_t parameters[] = { n, b };
  double eps = letter == 's' || letter == 'c' ? FLT_EPSILON : DBL_EPSILON, bound = 4.0 * (n + 1) * eps;
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 1;
  options.gate = -1.0;
  memset(before.bytes, 0, sizeof before.bytes);
  memset(after.bytes, 0xff, sizeof after.bytes); /* NaN */
  cr_assert_eq(perfpred_measure(sampler, program, parameters, 2, &options, &measurement, &error), PERFPRED_OK, "%s",
               error.text);
  call_lapack(reference, letter, n);
  double gap = difference(letter, reference->uplo, n);
  cr_expect_leq(gap, bound, "%s n=%d b=%d: %g from LAPACK's result, at most %g expected", name, n, b, gap, bound);
  cr_expect(measurement.residual >= 0.0 && measurement.residual <= bound, "%s n=%d b=%d: residual %g", name, n, b,
            measurement.residual);
}

/* Data type of an algorithm: the letter of its kernels, which in this catalogue is that of its operation or d. */
static char letter_of(const struct reference *reference, const char *operation) {
  return reference->operation[0] == '?' ? operation[0] : 'd';
}

struct parameter {
  char name[64], operation[64];
};

ParameterizedTestParameters(numerics, algorithm) {
  create_context();
  size_t count = perfpred_program_count(&context), used = 0;
  struct parameter *parameters = cr_calloc(count, sizeof *parameters);
  for (size_t i = 0; i < count; i++) {
    struct perfpred_program *program = NULL;
    const char *name = perfpred_program_name_at(&context, i);
    cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK);
    if (reference_of(perfpred_program_operation(program)) != NULL) {
      snprintf(parameters[used].name, sizeof parameters[used].name, "%s", name);
      snprintf(parameters[used].operation, sizeof parameters[used].operation, "%s",
               perfpred_program_operation(program));
      used++;
    }
    perfpred_program_unref(program);
  }
  destroy_context();
  return cr_make_param_array(struct parameter, parameters, used);
}

ParameterizedTest(struct parameter *parameter, numerics, algorithm, .init = start, .fini = stop) {
  static const int sizes[] = { 0, 1, 7, 100, N_MAX }, blocks[] = { 1, 5, 32, 64, 200 };
  const struct reference *reference = reference_of(parameter->operation);
  char letter = letter_of(reference, parameter->operation);
  register_copies(letter);
  add_renamed(parameter->name);
  struct perfpred_program *program = wrap(parameter->operation, letter, reference->uplo);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (size_t j = 0; j < sizeof blocks / sizeof blocks[0]; j++)
      /* a tile for each element of a large matrix makes hundreds of thousands of calls */
      if (blocks[j] > 1 || sizes[i] < 100 || !strstr(parameter->name, "-tiled") || is_thorough())
        check_size(parameter->name, program, reference, letter, sizes[i], blocks[j]);
  perfpred_program_unref(program);
}

/* The catalogue holds the algorithms of the figures; none is left out above because its operation has another name. */
Test(numerics, published_algorithms_are_there, .init = create_context, .fini = destroy_context) {
  static const char *const families[] = { "chol-l", "trinv-l" };
  static const int counts[] = { 3, 8 };
  for (int f = 0; f < 2; f++)
    for (int k = 1; k <= counts[f]; k++) {
      char name[32];
      struct perfpred_program *program = NULL;
      snprintf(name, sizeof name, "%s-%d", families[f], k);
      cr_assert_eq(perfpred_program_find(&context, name, &program, &error), PERFPRED_OK, "%s", name);
      cr_expect_str_eq(perfpred_program_operation(program), families[f]);
      perfpred_program_unref(program);
    }
}

/* The residual is no constant: of a wrong algorithm it is large. Here the update is left out. */
Test(numerics, residual_of_a_wrong_algorithm, .init = start, .fini = stop) {
  static const char text[] = "algorithm wrong(n, b)\n  operation chol-l\n  inout A: double spd triangle(L)[n]\n"
                             "  for i in 0:n by b as w\n    dpotrf2(L, w, A[i, i])\n  end\nend\n";
  struct perfpred_program *program = NULL;
  const int64_t parameters[] = { 100, 25 };
  struct perfpred_measurement measurement = PERFPRED_MEASUREMENT_INIT;
  struct perfpred_measure_options options = PERFPRED_MEASURE_OPTIONS_INIT;
  options.repetitions = 1;
  cr_assert_eq(perfpred_program_parse(&context, text, sizeof text - 1, "test", &program, &error), PERFPRED_OK, "%s",
               error.text);
  cr_assert_eq(perfpred_measure(sampler, program, parameters, 2, &options, &measurement, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_gt(measurement.residual, 1e-3);
  perfpred_program_unref(program);
}
