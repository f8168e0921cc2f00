/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/invoke.h"
#include "kernel/own.h"
#include "program/registry.h"
#include "thorough.h"
#include "trace.h"

#ifndef LIBRARY_FOLDER
#define LIBRARY_FOLDER "/usr/lib/x86_64-linux-gnu"
#endif

static struct perfpred_error error;

void create_context(struct perfpred_context *context) {
  FILE *file = fopen(DRIVERS, "r");
  static char text[1 << 16];
  cr_assert_not_null(file, "%s", DRIVERS);
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  cr_assert_lt(length, sizeof text);
  memset(context, 0, sizeof *context);
  cr_assert_eq(ppi_kernels_create(&context->kernels, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_create(context->kernels, &context->programs, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_programs_add_text(context->programs, context->kernels, text, length, "drivers", &error), PERFPRED_OK,
               "%s", error.text);
}

void destroy_context(struct perfpred_context *context) {
  ppi_programs_destroy(context->programs);
  ppi_kernels_destroy(context->kernels);
}

const struct perfpred_program *algorithm(const struct perfpred_context *context, const char *name) {
  const struct perfpred_program *program = ppi_programs_find(context->programs, name);
  cr_assert_not_null(program, "no algorithm %s", name);
  return program;
}

const struct perfpred_program *call_of(const struct perfpred_context *context, const char *name) {
  char call[80];
  snprintf(call, sizeof call, "%s-call", name);
  return algorithm(context, call);
}

size_t names_of(const struct perfpred_context *context, struct name names[NAMES_MAX]) {
  static const char ending[] = "-call";
  size_t count = 0;
  for (size_t i = 0; i < perfpred_program_count(context); i++) {
    const char *name = perfpred_program_name_at(context, i), *end = strstr(name, ending);
    if (!end || end[sizeof ending - 1])
      continue;
    cr_assert_lt(count, (size_t)NAMES_MAX);
    snprintf(names[count++].text, sizeof names[0].text, "%.*s", (int)(end - name), name);
  }
  return count;
}

struct criterion_test_params parameters_of_all(void) {
  static struct name names[NAMES_MAX];
  struct perfpred_context context;
  create_context(&context);
  const size_t count = names_of(&context, names);
  destroy_context(&context);
  return cr_make_param_array(struct name, names, count);
}

/* The BLAS comes first: LAPACK then takes the one that is there. */
void open_lapack(void) {
  int major = 0, minor = 0, patch = 0;
  void (*version)(int *, int *, int *);
  void *blas = dlopen(LIBRARY_FOLDER "/blas/libblas.so.3", RTLD_NOW | RTLD_GLOBAL);
  void *lapack = dlopen(LIBRARY_FOLDER "/lapack/liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (!blas || !lapack)
    cr_skip_test("%s", dlerror());
  *(void **)&version = dlsym(lapack, "ilaver_");
  cr_assert_not_null(version);
  version(&major, &minor, &patch);
  if (major != 3 || minor != 11)
    cr_skip_test("LAPACK %d.%d is installed, the catalogue has 3.11", major, minor);
}

/* --- Data ---------------------------------------------------------------------------------------------------------- */

static void put(const struct operand *operand, int64_t row, int64_t column, double re, double im) {
  unsigned char *at = operand->base + (size_t)(row + column * operand->ld) * operand->bytes;
  const double wide[] = { re, im };
  const float narrow[] = { (float)re, (float)im };
  const int index = (int)re;
  switch (operand->what->type) {
  case PPI_TYPE_S:
  case PPI_TYPE_C:
    memcpy(at, narrow, operand->bytes);
    break;
  case PPI_TYPE_INT:
    memcpy(at, &index, operand->bytes);
    break;
  default:
    memcpy(at, wide, operand->bytes);
  }
}

int parts_of(const struct operand *operand) {
  return ppi_type_is_complex(operand->what->type) ? 2 : 1;
}

double part_of(const struct operand *operand, int64_t row, int64_t column, int part) {
  const unsigned char *at = operand->base + (size_t)(row + column * operand->ld) * operand->bytes;
  double wide[2];
  float narrow[2];
  int index;
  switch (operand->what->type) {
  case PPI_TYPE_S:
  case PPI_TYPE_C:
    memcpy(narrow, at, operand->bytes);
    return (double)narrow[part];
  case PPI_TYPE_INT:
    memcpy(&index, at, operand->bytes);
    return index;
  default:
    memcpy(wide, at, operand->bytes);
    return wide[part];
  }
}

bool is_stored(const struct operand *operand, int64_t row, int64_t column) {
  return operand->what->shape != PPI_SHAPE_TRIANGLE || (operand->what->uplo == 'L' ? row >= column : row <= column);
}

/* In [-1, 1), always the same sequence. */
static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

int64_t pivot_of(int64_t place, int64_t count) {
  return place + 1 + (place % 3 == 1 ? 0 : (place * 5) % (count - place));
}

static void fill_pivots(struct operand *operand) {
  for (int64_t i = 0; i < operand->rows; i++)
    put(operand, i, 0, (double)pivot_of(i, operand->rows), 0);
}

/* Triangles and definite matrices have a dominant diagonal; small reflectors keep products of many of them small. Where they stand their
   diagonal is not read. */
static void fill_matrix(struct operand *operand) {
  uint64_t state = 7;
  const struct ppi_buffer *what = operand->what;
  const int64_t n = operand->rows > operand->columns ? operand->rows : operand->columns;
  const bool reduced = what->property == PPI_SPD || what->property == PPI_TRIANGULAR;
  const bool dominant = reduced && what->shape != PPI_SHAPE_VECTOR;
  const double size = reduced ? 1.0 / (double)(n + 1) : 1.0;
  for (int64_t j = 0; j < operand->columns; j++)
    for (int64_t i = 0; i < operand->rows; i++) {
      const double re = size * random_number(&state), im = size * random_number(&state);
      const bool diagonal = i == j && (dominant || what->shape == PPI_SHAPE_TRIANGLE);
      put(operand, i, j, diagonal && dominant ? 2.0 + re : re, diagonal ? 0.0 : im);
    }
}

static void make_operand(struct operand *operand, const struct ppi_buffer *what, int64_t rows, int64_t columns) {
  operand->what = what;
  operand->rows = rows;
  operand->columns = columns;
  operand->ld = rows + 3;
  operand->bytes = ppi_type_bytes(what->type, false);
  operand->base = malloc((size_t)(operand->ld * (columns + 1)) * operand->bytes);
  cr_assert_not_null(operand->base);
  memset(operand->base, 0xff, (size_t)(operand->ld * (columns + 1)) * operand->bytes); /* NaN */
}

void make_operands(const struct perfpred_program *program, const int64_t *parameters, struct operands *operands) {
  memset(operands, 0, sizeof *operands);
  for (int i = 0; i < program->buffer_count; i++) {
    int64_t rows = 0, columns = 0;
    if (program->buffers[i].work)
      continue;
    cr_assert_eq(ppi_buffer_extent(program, i, parameters, &rows, &columns, &error), PERFPRED_OK, "%s", error.text);
    make_operand(&operands->all[i], &program->buffers[i], rows, columns);
    if (!(program->buffers[i].direction & PPI_IN))
      continue;
    if (program->buffers[i].property == PPI_PIVOTS)
      fill_pivots(&operands->all[i]);
    else
      fill_matrix(&operands->all[i]);
  }
}

void free_operands(struct operands *operands) {
  for (size_t i = 0; i < sizeof operands->all / sizeof operands->all[0]; i++)
    free(operands->all[i].base);
}

/* --- Running ------------------------------------------------------------------------------------------------------- */

static enum perfpred_status enter(void *data, int buffer, const struct ppi_buffer *what, int64_t rows, int64_t columns,
                                  struct perfpred_error *err) {
  struct operands *operands = data;
  (void)err;
  cr_assert_lt((size_t)buffer, sizeof operands->all / sizeof operands->all[0]);
  make_operand(&operands->all[buffer], what, rows, columns);
  return PERFPRED_OK;
}

static void leave(void *data, int buffer) {
  struct operands *operands = data;
  free(operands->all[buffer].base);
  operands->all[buffer] = (struct operand){ .base = NULL };
}

static perfpred_fortran_fn *routine_of(const struct perfpred_kernel *kernel) {
  char symbol[PPI_NAME_MAX + 1];
  perfpred_fortran_fn *function = ppi_kernel_own(kernel->name, false);
  if (function)
    return function;
  snprintf(symbol, sizeof symbol, "%s_", kernel->name);
  *(void **)&function = dlsym(RTLD_DEFAULT, symbol);
  cr_assert_not_null(function, "no %s", symbol);
  return function;
}

/* Address, leading dimension and increment of a view; the place of one without elements may be anywhere. */
static void *place_view(const struct operands *operands, const struct ppi_arg *arg, int place,
                        struct ppi_value *values) {
  const struct ppi_value *value = &values[place];
  const struct operand *operand = &operands->all[value->buffer];
  const bool inside =
      value->row >= 0 && value->column >= 0 && value->row < operand->rows && value->column < operand->columns;
  if (arg->ld >= 0)
    values[arg->ld].i = operand->ld;
  if (arg->inc >= 0)
    values[arg->inc].i = value->by_row ? operand->ld : 1;
  return operand->base + (inside ? (size_t)(value->row + value->column * operand->ld) * operand->bytes : 0);
}

static void *make_work(const struct perfpred_kernel *kernel, int place, const struct ppi_value *values) {
  int64_t rows = 0, columns = 0;
  cr_assert_eq(ppi_kernel_extent(kernel, values, place, &rows, &columns, &error), PERFPRED_OK, "%s", error.text);
  return malloc((size_t)(rows + 1) * ppi_type_bytes(kernel->args[place].type, false));
}

static enum perfpred_status run_call(void *data, const struct ppi_node *node, const struct ppi_value *given,
                                     struct perfpred_error *err) {
  const struct perfpred_kernel *kernel = node->kernel;
  const struct operands *operands = data;
  struct ppi_value values[PPI_ARG_MAX];
  void *addresses[PPI_ARG_MAX] = { NULL }, *works[PPI_ARG_MAX] = { NULL };
  struct ppi_frame frame;
  memcpy(values, given, sizeof values[0] * (size_t)kernel->arg_count);
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    if (arg->kind == PPI_ARG_WORK)
      addresses[i] = works[i] = make_work(kernel, i, values);
    else if (arg->kind == PPI_ARG_DATA)
      addresses[i] = place_view(operands, arg, i, values);
  }
  enum perfpred_status status = ppi_frame_fill(&frame, kernel, routine_of(kernel), false, values, addresses, err);
  if (!status) {
    ppi_frame_call(&frame);
    cr_expect_eq(ppi_frame_info(&frame), 0, "%s: info %d", kernel->name, (int)ppi_frame_info(&frame));
  }
  for (int i = 0; i < kernel->arg_count; i++)
    free(works[i]);
  return status;
}

void run_program(const struct perfpred_program *program, const int64_t *parameters, struct operands *operands) {
  const struct ppi_walker walker = { .call = run_call, .enter = enter, .leave = leave };
  cr_assert_eq(ppi_program_walk(program, parameters, (size_t)program->parameter_count, &walker, operands, &error),
               PERFPRED_OK, "%s", error.text);
}

/* --- Sizes --------------------------------------------------------------------------------------------------------- */

void fill_parameters(const struct perfpred_program *program, const struct sizes *sizes, int64_t *parameters) {
  static const char *const names[] = { "m", "n", "b", "nx", "k" };
  const int64_t values[] = { sizes->m, sizes->n, sizes->b, sizes->nx, sizes->k };
  for (int i = 0; i < 5; i++) {
    int place = perfpred_program_parameter(program, names[i]);
    if (place >= 0)
      parameters[place] = values[i];
  }
}

/* Each case is tried for every data type, or for one in `parts` of them. */
static bool is_of_type(const struct perfpred_program *program, size_t sum, size_t parts) {
  static const char types[] = "sdcz";
  const char *type = strchr(types, program->name[0]);
  return is_chosen(sum, type ? (size_t)(type - types) : 0, parts);
}

int cases_of(const struct perfpred_program *program, struct sizes *sizes, int most) {
  static const int64_t extents[] = { 0, 1, 7, 64, 100, 161, 200 }, blocks[] = { 1, 2, 5, 32, 64, 300 },
                       crossovers[] = { 0, 20, 128 };
  static const struct sizes oblong[] = { { 30, 9, 4, 0, 9 },        { 9, 30, 4, 0, 5 },      { 0, 5, 4, 0, 0 },
                                         { 5, 0, 4, 0, 0 },         { 100, 60, 32, 20, 60 }, { 60, 100, 32, 20, 60 },
                                         { 100, 61, 20, 0, 1 },     { 61, 100, 20, 0, 40 },  { 80, 80, 32, 20, 80 },
                                         { 200, 150, 20, 128, 80 }, { 7, 7, 7, 0, 7 },       { 100, 60, 60, 0, 60 },
                                         { 100, 60, 1, 0, 30 },     { 40, 30, 20, 25, 0 },   { 300, 40, 16, 128, 16 },
                                         { 40, 40, 8, 39, 33 },     { 1, 1, 1, 0, 1 },       { 190, 170, 60, 0, 165 },
                                         { 170, 190, 300, 20, 170 } };
  int count = 0;
  if (perfpred_program_parameter(program, "m") >= 0) {
    cr_assert_leq((int)(sizeof oblong / sizeof oblong[0]), most);
    for (size_t i = 0; i < sizeof oblong / sizeof oblong[0]; i++)
      if (is_of_type(program, i, 2))
        sizes[count++] = oblong[i];
    return count;
  }
  const size_t crossings =
      perfpred_program_parameter(program, "nx") >= 0 ? sizeof crossovers / sizeof crossovers[0] : 1;
  for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++)
    for (size_t j = 0; j < sizeof blocks / sizeof blocks[0]; j++)
      for (size_t k = 0; k < crossings; k++) {
        if (!is_of_type(program, i + j + k, 4))
          continue;
        cr_assert_lt(count, most);
        sizes[count++] = (struct sizes){ extents[i], extents[i], blocks[j], crossovers[k], 0 };
      }
  return count;
}

void tune_routine(const struct perfpred_program *program, const struct sizes *sizes) {
  const bool never = strstr(program->name, "-nx0") != NULL;
  trace_tune((int)sizes->b, perfpred_program_parameter(program, "nx") >= 0 || never ? (int)sizes->nx : -1);
}

int ask_library(int question, const char *routine) {
  int (*ilaenv)(const int *, const char *, const char *, const int *, const int *, const int *, const int *, size_t,
                size_t);
  char name[16];
  const int n = 10000, none = -1;
  size_t length = 0;
  for (; routine[length] && length < sizeof name; length++)
    name[length] = (char)toupper(routine[length]);
  *(void **)&ilaenv = dlsym(RTLD_DEFAULT, "ilaenv_");
  cr_assert_not_null(ilaenv);
  return ilaenv(&question, name, " ", &n, &n, &n, &none, length, 1);
}
