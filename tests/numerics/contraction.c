/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of contractions beside a reference that adds up one product after the other: executed call by call, as programs, and as
 * printed C. Elements are small integers, so that results are exact in all types; C holds NaN before, so that whatever reads it shows. */
#include <complex.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <perfpred/contraction.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "contract/einsum.h"
#include "contract/enumerate.h"
#include "contract/fuse.h"
#include "contract/name.h"
#include "contract/print.h"
#include "kernel/invoke.h"
#include "kernel/own.h"
#include "program/program.h"
#include "program/registry.h"
#include "program/walk.h"

static struct perfpred_context context;
static struct perfpred_error error;
static void *blas;

static void start(void) {
  blas = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(blas, "%s", dlerror());
  ppi_error_clear(&error);
  cr_assert_eq(ppi_kernels_create(&context.kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context.kernels, &context.programs, &error), PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  ppi_programs_destroy(context.programs);
  ppi_kernels_destroy(context.kernels);
  dlclose(blas);
}

TestSuite(contraction, .init = start, .fini = stop);

/* --- A contraction with its data ----------------------------------------------------------------------------------- */

struct problem {
  struct ppi_contraction it;
  size_t bytes; /* of an element */
  char *tensor[PPI_OPERANDS];
  double _Complex *expected; /* of C; NaN between its elements */
};

static double _Complex get(const struct problem *problem, const char *at) {
  float s[2] = { 0 };
  double d[2] = { 0 };
  const enum ppi_type type = problem->it.type;
  const bool single = type == PPI_TYPE_S || type == PPI_TYPE_C;
  memcpy(single ? (void *)s : (void *)d, at, problem->bytes);
  return single ? (double)s[0] + (double)s[1] * (double _Complex)_Complex_I : d[0] + d[1] * (double _Complex)_Complex_I;
}

static void set(const struct problem *problem, char *at, double _Complex value) {
  const float s[2] = { (float)creal(value), (float)cimag(value) };
  const double d[2] = { creal(value), cimag(value) };
  const enum ppi_type type = problem->it.type;
  memcpy(at, type == PPI_TYPE_S || type == PPI_TYPE_C ? (const void *)s : (const void *)d, problem->bytes);
}

/* Integers from -4 to 4 from a fixed generator. */
static double draw(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)((*state >> 16) % 9) - 4.0;
}

static void fill(struct problem *problem, int operand, uint32_t seed) {
  const int64_t elements = problem->it.tensor[operand].elements;
  problem->tensor[operand] = calloc((size_t)elements + 1, problem->bytes);
  for (int64_t i = 0; i < elements; i++) {
    const double re = draw(&seed), im = draw(&seed);
    set(problem, problem->tensor[operand] + (size_t)i * problem->bytes,
        re + (ppi_type_is_complex(problem->it.type) ? im : 0.0) * (double _Complex)_Complex_I);
  }
}

/* Adds the products of all combinations of the indices from `place` on. */
static void expect(struct problem *problem, int place, const int64_t at[PPI_OPERANDS]) {
  const struct ppi_index *index = &problem->it.index[place];
  if (place == problem->it.index_count) {
    const double _Complex a = get(problem, problem->tensor[0] + (size_t)at[0] * problem->bytes);
    const double _Complex b = get(problem, problem->tensor[1] + (size_t)at[1] * problem->bytes);
    problem->expected[at[2]] += a * b;
    return;
  }
  for (int64_t i = 0; i < index->extent; i++) {
    int64_t next[PPI_OPERANDS];
    for (int o = 0; o < PPI_OPERANDS; o++)
      next[o] = at[o] + i * index->stride[o];
    expect(problem, place + 1, next);
  }
}

/* C's elements become 0, whatever is summed up. */
static void begin(struct problem *problem, int dimension, int64_t at) {
  const struct ppi_tensor *tensor = &problem->it.tensor[2];
  if (dimension == tensor->rank) {
    problem->expected[at] = 0.0;
    return;
  }
  const struct ppi_index *index = &problem->it.index[tensor->dimension[dimension]];
  for (int64_t i = 0; i < index->extent; i++)
    begin(problem, dimension + 1, at + i * index->stride[2]);
}

static void solve(struct problem *problem) {
  const int64_t elements = problem->it.tensor[2].elements, zero[PPI_OPERANDS] = { 0 };
  problem->bytes = ppi_type_bytes(problem->it.type, false);
  fill(problem, 0, 1);
  fill(problem, 1, 2);
  fill(problem, 2, 3);
  problem->expected = calloc((size_t)elements + 1, sizeof *problem->expected);
  for (int64_t i = 0; i < elements; i++)
    problem->expected[i] = (double)NAN;
  begin(problem, 0, 0);
  expect(problem, 0, zero);
}

static void clear(struct problem *problem) {
  for (int o = 0; o < PPI_OPERANDS; o++)
    free(problem->tensor[o]);
  free(problem->expected);
}

static void spoil(struct problem *problem) {
  for (int64_t i = 0; i < problem->it.tensor[2].elements; i++)
    set(problem, problem->tensor[2] + (size_t)i * problem->bytes, (double)NAN);
}

static void compare(const struct problem *problem, const char *how, const char *name) {
  for (int64_t i = 0; i < problem->it.tensor[2].elements; i++) {
    const double _Complex found = get(problem, problem->tensor[2] + (size_t)i * problem->bytes);
    const double _Complex right = problem->expected[i];
    if (isnan(creal(right)))
      cr_assert(isnan(creal(found)), "%s, %s: what lies between elements of C was changed", how, name);
    else
      cr_assert(creal(found) == creal(right) && cimag(found) == cimag(right),
                "%s, %s: C[%lld] is %g %+gi, expected %g %+gi", how, name, (long long)i, creal(found), cimag(found),
                creal(right), cimag(right));
  }
}

/* Extents in the order of the letters' first appearance; strides may be NULL. */
static void make(struct problem *problem, const char *einsum, enum ppi_type type, const int64_t *extents,
                 const int64_t *const *strides) {
  char seen[PPI_INDEX_MAX + 1] = "", text[PPI_INDEX_MAX][2];
  const char *names[PPI_INDEX_MAX];
  struct ppi_contract_given given = { .type = type, .names = names, .extents = extents };
  for (const char *at = einsum; *at; at++)
    if (!strchr(",-> ", *at) && !strchr(seen, *at)) {
      seen[given.count] = *at;
      snprintf(text[given.count], sizeof text[0], "%c", *at);
      names[given.count] = text[given.count];
      given.count++;
    }
  for (int o = 0; o < PPI_OPERANDS && strides; o++)
    given.strides[o] = strides[o];
  memset(problem, 0, sizeof *problem);
  cr_assert_eq(ppi_contraction_read(einsum, &given, &problem->it, &error), PERFPRED_OK, "%s", error.text);
}

/* --- Call by call -------------------------------------------------------------------------------------------------- */

static perfpred_fortran_fn *routine(const char *name) {
  char symbol[80];
  perfpred_fortran_fn *function = ppi_kernel_own(name, false);
  snprintf(symbol, sizeof symbol, "%s_", name);
  if (!function)
    *(void **)&function = dlsym(blas, symbol);
  cr_assert_not_null(function, "%s", name);
  return function;
}

static double _Complex returned(const struct ppi_frame *frame, enum ppi_type type) {
  switch (type) {
  case PPI_TYPE_S:
    return (double)frame->returned.real;
  case PPI_TYPE_D:
    return frame->returned.real8;
  case PPI_TYPE_C:
    return (double)frame->returned.complex8[0] + (double)frame->returned.complex8[1] * (double _Complex)_Complex_I;
  default:
    return frame->returned.complex16[0] + frame->returned.complex16[1] * (double _Complex)_Complex_I;
  }
}

struct run {
  struct problem *problem;
  struct ppi_contract_call call;
  const struct perfpred_kernel *kernel;
  perfpred_fortran_fn *function;
  struct ppi_value values[PPI_ARG_MAX];
  char *packed[PPI_OPERANDS];
};

static void prepare(struct run *run) {
  run->kernel = ppi_kernels_find(context.kernels, run->call.routine);
  cr_assert_not_null(run->kernel);
  cr_assert_eq(run->kernel->arg_count, run->call.argument_count);
  run->function = routine(run->call.routine);
  for (int i = 0; i < run->call.argument_count; i++) {
    const struct ppi_contract_argument *argument = &run->call.arguments[i];
    run->values[i].i = argument->kind == PPI_CONTRACT_FLAG ? argument->flag : argument->value;
    run->values[i].re = (double)argument->value;
  }
}

static void copy(const struct run *run, const struct ppi_contract_copy *copied, char *tensor, bool out) {
  const size_t bytes = run->problem->bytes;
  for (int64_t j = 0; j < copied->count; j++)
    for (int64_t i = 0; i < copied->length; i++) {
      char *there = tensor + (size_t)(j * copied->step + i * copied->inc) * bytes;
      char *here = run->packed[copied->operand] + (size_t)(j * copied->length + i) * bytes;
      memcpy(out ? there : here, out ? here : there, bytes);
    }
}

static void copies(const struct run *run, int loops, char *const address[PPI_OPERANDS], bool out) {
  for (int i = 0; i < run->call.copy_count; i++) {
    const struct ppi_contract_copy *copied = &run->call.copies[i];
    if (copied->loops == loops && (!out || copied->out))
      copy(run, copied, address[copied->operand], out);
  }
}

static void call_kernel(const struct run *run, char *const address[PPI_OPERANDS]) {
  struct ppi_frame frame;
  void *data[PPI_ARG_MAX] = { NULL };
  const struct problem *problem = run->problem;
  for (int i = 0; i < run->call.argument_count; i++) {
    const int o = run->call.arguments[i].operand;
    if (run->call.arguments[i].kind == PPI_CONTRACT_DATA)
      data[i] = run->call.slices[o].copied ? run->packed[o] : address[o];
  }
  cr_assert_eq(ppi_frame_fill(&frame, run->kernel, run->function, false, run->values, data, &error), PERFPRED_OK, "%s",
               error.text);
  for (int i = 0; i < run->call.argument_count; i++)
    if (data[i])
      frame.words[i] = data[i]; /* axpy's alpha */
  ppi_frame_call(&frame);
  if (run->call.returns)
    set(problem, address[2],
        returned(&frame, problem->it.type) + (run->call.accumulates ? get(problem, address[2]) : 0.0));
}

static void run_loop(const struct run *run, int depth, char *const address[PPI_OPERANDS]) {
  copies(run, depth, address, false);
  if (depth == run->call.loop_count) {
    call_kernel(run, address);
  } else {
    char *next[PPI_OPERANDS];
    for (int64_t i = 0; i < run->call.trips[depth]; i++) {
      for (int o = 0; o < PPI_OPERANDS; o++)
        next[o] = address[o] + (size_t)(i * run->call.step[o][depth]) * run->problem->bytes;
      run_loop(run, depth + 1, next);
    }
  }
  copies(run, depth, address, true);
}

static void zero(struct problem *problem, int dimension, int64_t at) {
  const struct ppi_tensor *tensor = &problem->it.tensor[2];
  if (dimension == tensor->rank) {
    set(problem, problem->tensor[2] + (size_t)at * problem->bytes, 0.0);
    return;
  }
  const struct ppi_index *index = &problem->it.index[tensor->dimension[dimension]];
  for (int64_t i = 0; i < index->extent; i++)
    zero(problem, dimension + 1, at + i * index->stride[2]);
}

static void execute_calls(struct problem *problem, const struct ppi_contract_algorithm *algorithm) {
  struct run run = { .problem = problem };
  ppi_contract_resolve(&problem->it, algorithm, &run.call);
  prepare(&run);
  for (int i = 0; i < run.call.copy_count; i++)
    run.packed[run.call.copies[i].operand] = calloc((size_t)run.call.copies[i].elements + 1, problem->bytes);
  if (run.call.zero)
    zero(problem, 0, 0);
  run_loop(&run, 0, problem->tensor);
  for (int o = 0; o < PPI_OPERANDS; o++)
    free(run.packed[o]);
}

/* --- As a program -------------------------------------------------------------------------------------------------- */

/* Its buffers are the tensors, as they lie. */
struct playing {
  struct problem *problem;
  const struct perfpred_program *program;
  char *data[PPI_BUFFER_MAX];
  int64_t rows[PPI_BUFFER_MAX];
};

static enum perfpred_status enter(void *data, int buffer, const struct ppi_buffer *what, int64_t rows, int64_t columns,
                                  struct perfpred_error *e) {
  struct playing *playing = data;
  (void)what, (void)e;
  playing->rows[buffer] = rows;
  playing->data[buffer] = calloc((size_t)(rows * columns) + 1, playing->problem->bytes);
  return PERFPRED_OK;
}

static void leave(void *data, int buffer) {
  struct playing *playing = data;
  free(playing->data[buffer]);
}

static char *address_of(const struct playing *playing, const struct ppi_value *value) {
  return playing->data[value->buffer] +
         (size_t)(value->row + value->column * playing->rows[value->buffer]) * playing->problem->bytes;
}

static enum perfpred_status play(void *data, const struct ppi_node *node, const struct ppi_value *given,
                                 struct perfpred_error *e) {
  const struct playing *playing = data;
  const struct perfpred_kernel *kernel = node->kernel;
  struct ppi_value values[PPI_ARG_MAX];
  void *addresses[PPI_ARG_MAX] = { NULL };
  struct ppi_frame frame;
  memcpy(values, given, (size_t)kernel->arg_count * sizeof *values);
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    if ((arg->kind != PPI_ARG_DATA && arg->kind != PPI_ARG_SCALAR) || given[i].buffer < 0)
      continue;
    const int64_t rows = playing->rows[given[i].buffer];
    addresses[i] = address_of(playing, &given[i]);
    if (arg->ld >= 0 && arg->kind == PPI_ARG_DATA)
      values[arg->ld].i = rows > 0 ? rows : 1;
    if (arg->inc >= 0 && arg->kind == PPI_ARG_DATA)
      values[arg->inc].i = given[i].by_row ? rows : 1;
  }
  if (ppi_frame_fill(&frame, kernel, routine(kernel->name), false, values, addresses, e) != PERFPRED_OK)
    return e->status;
  for (int i = 0; i < kernel->arg_count; i++)
    if (addresses[i])
      frame.words[i] = addresses[i];
  ppi_frame_call(&frame);
  if (!node->result)
    return PERFPRED_OK;
  char *result = address_of(playing, &given[kernel->arg_count]);
  set(playing->problem, result,
      returned(&frame, playing->problem->it.type) + (node->adds ? get(playing->problem, result) : 0.0));
  return PERFPRED_OK;
}

static void execute_program(struct problem *problem, const struct ppi_contract_algorithm *algorithm) {
  static const struct ppi_walker walker = { .call = play, .enter = enter, .leave = leave };
  struct perfpred_program *program = NULL;
  struct playing playing = { .problem = problem };
  int64_t parameters[PPI_PARAMETER_MAX];
  cr_assert_eq(ppi_contract_program(&context, &problem->it, algorithm, &program, &error), PERFPRED_OK, "%s",
               error.text);
  cr_assert(program->parameter_count == 0 || program->parameter_count == problem->it.index_count);
  for (int i = 0; i < program->parameter_count; i++)
    parameters[i] = program->defaults[i];
  playing.program = program;
  for (int o = 0; o < PPI_OPERANDS; o++) {
    int64_t columns = 0;
    playing.data[o] = problem->tensor[o];
    cr_assert_eq(ppi_buffer_extent(program, o, parameters, &playing.rows[o], &columns, &error), PERFPRED_OK);
    cr_assert_eq(playing.rows[o] * columns, problem->it.tensor[o].elements);
  }
  cr_assert_eq(ppi_program_cost(program, parameters, &error), problem->it.flops);
  cr_assert_eq(ppi_program_walk(program, parameters, (size_t)program->parameter_count, &walker, &playing, &error),
               PERFPRED_OK, "%s", error.text);
  perfpred_program_unref(program);
}

/* --- What is executed ---------------------------------------------------------------------------------------------- */

static bool is_dense(const struct ppi_contraction *contraction) {
  return !contraction->tensor[0].strided && !contraction->tensor[1].strided && !contraction->tensor[2].strided;
}

static void check(struct problem *problem, const struct ppi_contract_algorithm *algorithm) {
  char name[PPI_CONTRACT_NAME_MAX];
  ppi_contract_name(&problem->it, algorithm, name);
  spoil(problem);
  execute_calls(problem, algorithm);
  compare(problem, "calls", name);
  if (!is_dense(&problem->it))
    return;
  spoil(problem);
  execute_program(problem, algorithm);
  compare(problem, "program", name);
}

/* Returns how many there are. */
static uint64_t check_all(struct problem *problem, const struct ppi_contract_filter *filter) {
  struct ppi_contract_algorithm algorithm;
  uint64_t place = 0;
  solve(problem);
  for (; ppi_contract_at(&problem->it, filter, place, &algorithm); place++)
    check(problem, &algorithm);
  clear(problem);
  return place;
}

static const struct ppi_contract_filter all = { 0 };
static const struct ppi_contract_filter dear = { .kernels = 1U << PPI_CONTRACT_GEMM | 1U << PPI_CONTRACT_GEMV |
                                                            1U << PPI_CONTRACT_GER };

Test(contraction, the_dissertation_s) {
  struct problem problem;
  for (int type = PPI_TYPE_S; type <= PPI_TYPE_Z; type++) {
    make(&problem, "ai,ibc->abc", (enum ppi_type)type, (const int64_t[]){ 3, 2, 4, 5 }, NULL);
    cr_expect_eq(check_all(&problem, &all), 36);
    make(&problem, "iaj,ji->a", (enum ppi_type)type, (const int64_t[]){ 3, 4, 5 }, NULL);
    cr_expect_eq(check_all(&problem, &all), 8);
    make(&problem, "ija,jbic->abc", (enum ppi_type)type, (const int64_t[]){ 2, 3, 4, 5, 3 }, NULL);
    cr_expect_eq(check_all(&problem, &dear), 8 + 36 + 12);
  }
}

Test(contraction, batches_scalars_and_fused_indices) {
  struct problem problem;
  make(&problem, "qij,qjk->qik", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 6 + 12 + 4 + 2 + 1); /* n = 4, k = p = q = 1 */
  make(&problem, "iq,jq->qij", PPI_TYPE_C, (const int64_t[]){ 3, 2, 4 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 4 + 1);
  make(&problem, ",ab->ba", PPI_TYPE_Z, (const int64_t[]){ 3, 2 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 2);
  make(&problem, "ij,ji->", PPI_TYPE_C, (const int64_t[]){ 3, 2 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 2);
  make(&problem, "ai,ibc->abc", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5 }, NULL);
  ppi_contraction_fuse(&problem.it);
  cr_expect_eq(check_all(&problem, &all), 10); /* as a product of matrices */
}

/* Sizes of 1 let other dimensions have no gaps; of 0 leave C as zeros, or nothing to do. */
Test(contraction, extents_of_1_and_0) {
  static const char *const einsums[] = { "ai,ibc->abc", "ija,jbic->abc", "iaj,ji->a", "qij,qjk->qik" };
  struct problem problem;
  for (size_t e = 0; e < sizeof einsums / sizeof *einsums; e++)
    for (int code = 0; code < 243; code++) {
      int64_t extents[5];
      for (int i = 0, rest = code; i < 5; i++, rest /= 3)
        extents[i] = (const int64_t[]){ 2, 1, 0 }[rest % 3];
      if (e != 1 && code >= 81)
        break;
      make(&problem, einsums[e], PPI_TYPE_D, extents, NULL);
      check_all(&problem, e == 1 ? &dear : &all);
    }
}

/* Gaps, permuted strides, elements of inputs that share places. */
Test(contraction, strides) {
  struct problem problem;
  static const int64_t a[] = { 3, 20 }, b[] = { 40, 1, 5 }, c[] = { 2, 33, 7 };
  static const int64_t hankel[] = { 1, 1 }, wide[] = { 1, 5, 7 }, far[] = { 100, 1, 4 };
  const int64_t *const gaps[] = { a, b, c }, *const shared[] = { hankel, wide, far };
  make(&problem, "ai,ibc->abc", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5 }, gaps);
  cr_expect_eq(check_all(&problem, &all), 36);
  make(&problem, "ai,ibc->abc", PPI_TYPE_C, (const int64_t[]){ 3, 2, 4, 5 }, shared);
  cr_expect_eq(check_all(&problem, &all), 36);
}

/* The first and the last algorithms of each kernel, with copies and without, of each contraction met in practice. */
static void check_some(const char *einsum, enum ppi_type type) {
  struct problem problem;
  int64_t extents[PPI_INDEX_MAX];
  uint64_t count = 0, met = 0;
  for (int i = 0; i < PPI_INDEX_MAX; i++)
    extents[i] = 2 + i % 2;
  make(&problem, einsum, type, extents, NULL);
  solve(&problem);
  for (int kernel = 0; kernel < PPI_CONTRACT_KERNELS; kernel++)
    for (int copied = PPI_COPIES_NONE; copied <= PPI_COPIES_SOME; copied++) {
      const struct ppi_contract_filter filter = { 1U << kernel, (enum ppi_contract_copies)copied, 0 };
      struct ppi_contract_algorithm algorithm;
      cr_assert_eq(ppi_contract_count(&problem.it, &filter, &count, &error), PERFPRED_OK, "%s", error.text);
      for (uint64_t i = 0; i < 2 && i < count; i++, met++) {
        cr_assert(ppi_contract_at(&problem.it, &filter, i == 0 ? 0 : count - 1, &algorithm));
        check(&problem, &algorithm);
      }
    }
  cr_expect_geq(met, 5, "%s", einsum);
  clear(&problem);
}

Test(contraction, those_of_practice) {
  char line[400], einsum[100];
  int cases = 0;
  FILE *file = fopen(CONTRACTIONS, "r");
  cr_assert_not_null(file);
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%*[^,],\"%99[^\"]\"", einsum) == 1)
      check_some(einsum, (enum ppi_type)(cases++ % 4));
  fclose(file);
  cr_expect_geq(cases, 85);
}

/* --- As printed C -------------------------------------------------------------------------------------------------- */

#ifdef CBLAS_CC
static char folder[] = "/tmp/perfpred-XXXXXX";

static void remove_folder(void) {
  char command[200];
  snprintf(command, sizeof command, "rm -r %s", folder);
  cr_expect_eq(system(command), 0);
}

struct printed {
  const char *einsum;
  enum ppi_type type;
  int64_t extents[6];
  const int64_t *strides[PPI_OPERANDS];
  const struct ppi_contract_filter *filter;
};

static const int64_t a_strides[] = { 3, 20 }, b_strides[] = { 40, 1, 5 }, c_strides[] = { 2, 33, 7 };
static const struct printed printed[] = {
  { "ai,ibc->abc", PPI_TYPE_D, { 3, 2, 4, 5 }, { NULL }, &all },
  { "iaj,ji->a", PPI_TYPE_Z, { 3, 4, 5 }, { NULL }, &all },
  { "iaj,ji->a", PPI_TYPE_S, { 3, 0, 5 }, { NULL }, &all },
  { "ija,jbic->abc", PPI_TYPE_C, { 2, 3, 4, 5, 3 }, { NULL }, &dear },
  { "AI,IBC->ABC", PPI_TYPE_S, { 3, 2, 4, 5 }, { a_strides, b_strides, c_strides }, &dear },
  { "qij,qjk->qik", PPI_TYPE_Z, { 3, 1, 4, 5 }, { NULL }, &all },
};
#define PRINTED (sizeof printed / sizeof *printed)

static void print_all(FILE *file) {
  struct problem problem;
  struct ppi_contract_algorithm algorithm;
  for (size_t p = 0; p < PRINTED; p++) {
    make(&problem, printed[p].einsum, printed[p].type, printed[p].extents, printed[p].strides);
    for (uint64_t i = 0; ppi_contract_at(&problem.it, printed[p].filter, i, &algorithm); i++) {
      char function[40];
      struct ppi_text text = PPI_TEXT_INIT;
      snprintf(function, sizeof function, "f%zu_%d", p, (int)i);
      cr_assert_eq(ppi_contract_print_c(&problem.it, &algorithm, function, &text, &error), PERFPRED_OK, "%s",
                   error.text);
      fputs(text.data, file);
      ppi_text_free(&text);
    }
  }
}

static void run_all(void *library) {
  struct problem problem;
  struct ppi_contract_algorithm algorithm;
  for (size_t p = 0; p < PRINTED; p++) {
    make(&problem, printed[p].einsum, printed[p].type, printed[p].extents, printed[p].strides);
    solve(&problem);
    uint64_t i = 0;
    for (; ppi_contract_at(&problem.it, printed[p].filter, i, &algorithm); i++) {
      int (*function)(const void *, const void *, void *) = NULL;
      char name[40];
      snprintf(name, sizeof name, "f%zu_%d", p, (int)i);
      *(void **)&function = dlsym(library, name);
      cr_assert_not_null(function, "%s", name);
      spoil(&problem);
      cr_expect_eq(function(problem.tensor[0], problem.tensor[1], problem.tensor[2]), 0);
      compare(&problem, "printed C", name);
    }
    cr_expect_gt(i, 0);
    clear(&problem);
  }
}

Test(contraction, printed_c_compiles_without_a_warning_and_is_right, .fini = remove_folder) {
  char path[200], command[1000];
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/all.c", folder);
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  print_all(file);
  cr_assert_eq(fclose(file), 0);
  snprintf(command, sizeof command,
           CBLAS_CC " -std=c11 -Wall -Wextra -Wshadow -Wconversion -Werror -shared -fPIC -o %s/all.so %s/all.c -lblas",
           folder, folder);
  cr_assert_eq(system(command), 0, "%s", command);
  snprintf(path, sizeof path, "%s/all.so", folder);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(library, "%s", dlerror());
  run_all(library);
  dlclose(library);
}
#endif
