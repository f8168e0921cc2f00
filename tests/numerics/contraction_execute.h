/* SPDX-License-Identifier: BSD-3-Clause */
/* Executes an algorithm of a contraction on its data: call by call, and as a program whose buffers are the tensors as they lie. */
#ifndef TESTS_NUMERICS_CONTRACTION_EXECUTE_H
#define TESTS_NUMERICS_CONTRACTION_EXECUTE_H

#include "contract/call.h"
#include "contract/print.h"
#include "contraction_world.h"
#include "kernel/invoke.h"
#include "kernel/own.h"
#include "program/program.h"
#include "program/walk.h"

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
    if (copied->rank == 0 && copied->loops == loops && (!out || copied->out))
      copy(run, copied, address[copied->operand], out);
  }
}

/* Of a whole tensor, from one dimension on. */
static void transpose(const struct run *run, const struct ppi_contract_copy *copied, int dimension, int64_t there,
                      int64_t here, bool out) {
  const struct ppi_contract_dimension *it = &copied->dimensions[dimension];
  if (dimension == copied->rank) {
    char *lies = run->problem->tensor[copied->operand] + (size_t)there * run->problem->bytes;
    char *packed = run->packed[copied->operand] + (size_t)here * run->problem->bytes;
    cr_assert_lt(here, copied->elements);
    memcpy(out ? lies : packed, out ? packed : lies, run->problem->bytes);
    return;
  }
  for (int64_t i = 0; i < it->extent; i++)
    transpose(run, copied, dimension + 1, there + i * it->tensor, here + i * it->packed, out);
}

static void transpositions(const struct run *run, bool out) {
  for (int i = 0; i < run->call.copy_count; i++)
    if (run->call.copies[i].rank > 0 && (out ? run->call.copies[i].out : run->call.copies[i].in))
      transpose(run, &run->call.copies[i], 0, 0, 0, out);
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
  char *walked[PPI_OPERANDS];
  ppi_contract_resolve(&problem->it, algorithm, &run.call);
  prepare(&run);
  memcpy(walked, problem->tensor, sizeof walked);
  for (int i = 0; i < run.call.copy_count; i++) {
    const struct ppi_contract_copy *copied = &run.call.copies[i];
    run.packed[copied->operand] = calloc((size_t)copied->elements + 1, problem->bytes);
    if (copied->rank > 0)
      walked[copied->operand] = run.packed[copied->operand];
  }
  if (run.call.zero)
    zero(problem, 0, 0);
  transpositions(&run, false);
  run_loop(&run, 0, walked);
  transpositions(&run, true);
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

#endif
