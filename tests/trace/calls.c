/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms "as in LAPACK" make the calls that the installed reference LAPACK makes: the routine runs with a recorder in front of every
 * kernel, and every call, its flags, sizes and scalars are compared with the unrolled program. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "execute.h"
#include "kernel/own.h"
#include "trace.h"

#define LINE_MAX 160
#define CASES_MAX 128

static struct perfpred_context context;

static void start(void) {
  create_context(&context);
  open_lapack();
}

static void stop(void) {
  destroy_context(&context);
}

ParameterizedTestParameters(calls, as_lapack) {
  return parameters_of_all();
}

/* The driver's own calls of a record, one at a time. The calls of larfb are the driver's: the algorithms have them as such. */
struct reader {
  const char *at;
  int opened; /* depth of the larfb that is being read; 0: none */
};

static bool read_traced(struct reader *reader, char line[LINE_MAX]) {
  while (*reader->at) {
    const char *end = strchr(reader->at, '\n');
    int depth = 0, used = 0;
    cr_assert_eq(sscanf(reader->at, "%d %n", &depth, &used), 1);
    const char *call = reader->at + used;
    snprintf(line, LINE_MAX, "%.*s", (int)(end - call), call);
    reader->at = end + 1;
    if (reader->opened && depth <= reader->opened)
      reader->opened = 0;
    if (depth != 1 + reader->opened)
      continue;
    if (strncmp(line + 1, "larfb(", 6) != 0)
      return true;
    reader->opened = depth;
  }
  return false;
}

struct comparison {
  struct reader reader;
  const char *name;
  struct sizes sizes;
  int compared, different;
};

static void print_call(const struct perfpred_kernel *kernel, const struct ppi_value *values, char line[LINE_MAX]) {
  int length = snprintf(line, LINE_MAX, "%s", kernel->name);
  const char *before = "(";
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    char *at = line + length;
    const size_t room = LINE_MAX - (size_t)length;
    if (arg->kind == PPI_ARG_FLAG)
      length += snprintf(at, room, "%s%c", before, (int)values[i].i);
    else if (arg->kind == PPI_ARG_SIZE)
      length += snprintf(at, room, "%s%" PRId64, before, values[i].i);
    else if (arg->kind == PPI_ARG_SCALAR && values[i].im != 0)
      length += snprintf(at, room, "%s(%.17g, %.17g)", before, values[i].re, values[i].im);
    else if (arg->kind == PPI_ARG_SCALAR)
      length += snprintf(at, room, "%s%.17g", before, values[i].re);
    else
      continue;
    before = ", ";
  }
  snprintf(line + length, LINE_MAX - (size_t)length, ")");
}

static enum perfpred_status expect(struct comparison *comparison, const char *expected) {
  char found[LINE_MAX] = "nothing";
  read_traced(&comparison->reader, found);
  comparison->compared++;
  if (strcmp(expected, found) != 0) {
    cr_expect_fail("%s m=%d n=%d b=%d nx=%d, call %d: the program has %s, LAPACK makes %s", comparison->name,
                   (int)comparison->sizes.m, (int)comparison->sizes.n, (int)comparison->sizes.b,
                   (int)comparison->sizes.nx, comparison->compared, expected, found);
    comparison->different++;
    return PERFPRED_CANCELLED;
  }
  return PERFPRED_OK;
}

/* The only kernel of our own that stands for calls: one for every pivot that names another column. */
static enum perfpred_status expect_swaps(struct comparison *comparison, const struct perfpred_kernel *kernel,
                                         const struct ppi_value *values) {
  const int64_t m = values[kernel->sizes[0]].i, n = values[kernel->sizes[1]].i;
  enum perfpred_status status = PERFPRED_OK;
  char expected[LINE_MAX];
  snprintf(expected, sizeof expected, "%cswap(%" PRId64 ")", kernel->name[0], m);
  for (int64_t j = n - 2; j >= 0 && !status; j--)
    if (pivot_of(j, n) != j + 1)
      status = expect(comparison, expected);
  return status;
}

/* Kernels of our own are loops inside of the routine: no call of a library's. */
static enum perfpred_status compare(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                    struct perfpred_error *error) {
  struct comparison *comparison = data;
  char expected[LINE_MAX];
  (void)error;
  if (strcmp(node->kernel->name + 1, "colswp") == 0)
    return expect_swaps(comparison, node->kernel, values);
  if (ppi_kernel_own(node->kernel->name, false))
    return PERFPRED_OK;
  print_call(node->kernel, values, expected);
  return expect(comparison, expected);
}

/* Returns whether the sequences are the same. */
static int check(const struct perfpred_program *program, const struct perfpred_program *call,
                 const struct sizes *sizes) {
  static const struct ppi_walker walker = { .call = compare };
  struct comparison comparison = { .name = program->name, .sizes = *sizes };
  int64_t parameters[PPI_PARAMETER_MAX];
  struct operands operands;
  char more[LINE_MAX];
  fill_parameters(program, sizes, parameters);
  make_operands(call, parameters, &operands);
  tune_routine(program, sizes);
  trace_start();
  run_program(call, parameters, &operands);
  comparison.reader.at = trace_stop();
  free_operands(&operands);
  ppi_program_walk(program, parameters, (size_t)program->parameter_count, &walker, &comparison, NULL);
  if (!comparison.different && read_traced(&comparison.reader, more)) {
    cr_expect_fail("%s m=%d n=%d b=%d nx=%d: LAPACK goes on with %s", program->name, (int)sizes->m, (int)sizes->n,
                   (int)sizes->b, (int)sizes->nx, more);
    comparison.different++;
  }
  return comparison.different ? 0 : comparison.compared;
}

ParameterizedTest(struct name *name, calls, as_lapack, .init = start, .fini = stop) {
  const struct perfpred_program *program = algorithm(&context, name->text), *call = call_of(&context, name->text);
  struct sizes sizes[CASES_MAX];
  const int count = cases_of(program, sizes, CASES_MAX);
  int compared = 0;
  for (int i = 0; i < count; i++)
    compared += check(program, call, &sizes[i]);
  cr_expect_gt(compared, count, "%s: %d calls in %d cases", name->text, compared, count);
}

/* Values that the algorithms propose for b and nx are those that ILAENV gives to the routine. */
Test(calls, defaults_are_those_of_ilaenv, .init = start, .fini = stop) {
  static const struct {
    const char *parameter;
    int question;
  } questions[] = { { "b", 1 }, { "nx", 3 } };
  static struct name names[NAMES_MAX];
  const size_t count = names_of(&context, names);
  int asked = 0;
  trace_tune(-1, -1);
  for (size_t i = 0; i < count; i++)
    for (int q = 0; q < 2; q++) {
      const struct perfpred_program *program = algorithm(&context, names[i].text);
      const int place = perfpred_program_parameter(program, questions[q].parameter);
      if (place < 0)
        continue;
      const char *routine = call_of(&context, names[i].text)->body->kernel->name;
      cr_expect_eq(perfpred_program_parameter_default(program, (size_t)place),
                   ask_library(questions[q].question, routine), "%s: the default of %s is %d, ILAENV has %d for %s",
                   names[i].text, questions[q].parameter,
                   (int)perfpred_program_parameter_default(program, (size_t)place),
                   ask_library(questions[q].question, routine), routine);
      asked++;
    }
  cr_expect_gt(asked, (int)count, "%d", asked);
}

/* C04: the crossover point is one of the columns that are left: with n = 130 and nx = 128 there is a block, with nx = 130 none. */
Test(calls, c04_crossover_of_the_columns_left, .init = start, .fini = stop) {
  const struct perfpred_program *program = algorithm(&context, "dgehrd"), *call = call_of(&context, "dgehrd");
  const struct sizes blocked = { .m = 130, .n = 130, .k = 130, .b = 32, .nx = 128 };
  const struct sizes whole = { .m = 130, .n = 130, .k = 130, .b = 32, .nx = 130 };
  const int calls = check(program, call, &blocked);
  cr_expect_gt(calls, check(program, call, &whole));
}

/* What the catalogue says to be as in LAPACK is compared above: itself, or as the part of another that it is (larfb). */
Test(calls, nothing_is_left_out, .init = start, .fini = stop) {
  static struct name names[NAMES_MAX];
  const size_t count = names_of(&context, names);
  size_t met = 0;
  for (size_t i = 0; i < perfpred_program_count(&context); i++) {
    const char *name = perfpred_program_name_at(&context, i);
    const struct perfpred_program *program = algorithm(&context, name);
    bool compared = strncmp(name + 1, "larfb-", 6) == 0;
    if (!strstr(program->about, "as in LAPACK"))
      continue;
    for (size_t k = 0; k < count && !compared; k++)
      compared = strcmp(names[k].text, name) == 0;
    cr_expect(compared, "%s has no %s-call in drivers.algorithms", name, name);
    met++;
  }
  cr_expect_geq(met, count, "%zu of %zu", met, count);
}
