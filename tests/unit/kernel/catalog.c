/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kernel of the catalogue, with every combination of its flags, calls the real routine. What the signature does not
 * give to the routine (padding of columns, gaps of vectors, the other triangle, a unit diagonal, what lies behind an operand or
 * a workspace) is poisoned by NaN: the routine must neither write it nor let it into its results. Inputs must not change. A wrong
 * order of arguments ends in XERBLA or a crash. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/invoke.h"
#include "kernels.h"

enum { PADDING = 3, BEHIND = 8, INCREMENT = 2 };

static struct perfpred_context context;
static void *library;

static void start(void) {
  set_up(&context);
  library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  cr_assert_not_null(library, "%s", dlerror());
}

static void stop(void) {
  tear_down(&context);
  dlclose(library);
}

TestSuite(catalog, .init = start, .fini = stop);

/* An operand in memory, as real numbers (two per complex element), or as 32-bit integers. */
struct operand {
  enum ppi_type type;
  int64_t rows, columns, step, ld, count; /* step between rows; elements in all */
  int parts;
  void *data, *before;
};

struct call {
  const struct perfpred_kernel *kernel;
  struct ppi_value values[PPI_ARG_MAX];
  struct operand operands[PPI_ARG_MAX];
  void *data[PPI_ARG_MAX];
  char text[80]; /* for messages */
};

static bool is_single(enum ppi_type type) {
  return type == PPI_TYPE_S || type == PPI_TYPE_C;
}

static void store(const struct operand *operand, int64_t index, double value) {
  if (operand->type == PPI_TYPE_INT)
    ((int32_t *)operand->data)[index] = isnan(value) ? -77 : (int32_t)value;
  else if (is_single(operand->type))
    ((float *)operand->data)[index] = (float)value;
  else
    ((double *)operand->data)[index] = value;
}

static double load(const struct operand *operand, int64_t index) {
  if (operand->type == PPI_TYPE_INT)
    return ((const int32_t *)operand->data)[index];
  return is_single(operand->type) ? (double)((const float *)operand->data)[index]
                                  : ((const double *)operand->data)[index];
}

/* Whether the signature gives the element to the routine. */
static bool is_inside(const struct call *call, int place, int64_t row, int64_t column) {
  const struct ppi_arg *arg = &call->kernel->args[place];
  if (arg->kind != PPI_ARG_DATA || arg->shape != PPI_SHAPE_TRIANGLE)
    return true;
  char uplo = arg->uplo >= 0 ? (char)call->values[arg->uplo].i : arg->uplo_letter;
  if (row == column)
    return arg->diag < 0 || call->values[arg->diag].i != 'U';
  return uplo == 'L' ? row > column : row < column;
}

/* Small off the diagonal and larger on it: positive definite, well conditioned, spectra of A and -B apart. */
static double value_of(const struct ppi_arg *arg, int64_t row, int64_t column, int part) {
  if (arg->property == PPI_PIVOTS)
    return (double)row + 1;
  if (row == column && arg->shape != PPI_SHAPE_VECTOR)
    return part ? 0 : 4 + (double)(row % 3);
  return 0.25 * sin((double)(3 * row + 7 * column + 11 * part + 1));
}

static void fill(const struct call *call, int place, double poison) {
  const struct operand *operand = &call->operands[place];
  const struct ppi_arg *arg = &call->kernel->args[place];
  for (int64_t i = 0; i < operand->count * operand->parts; i++)
    store(operand, i, NAN);
  if (arg->kind == PPI_ARG_WORK)
    return;
  for (int64_t column = 0; column < operand->columns; column++)
    for (int64_t row = 0; row < operand->rows; row++)
      for (int part = 0; part < operand->parts; part++) {
        int64_t index = (row * operand->step + column * operand->ld) * operand->parts + part;
        store(operand, index, is_inside(call, place, row, column) ? value_of(arg, row, column, part) : poison);
      }
}

static void make_operand(struct call *call, int place) {
  const struct ppi_arg *arg = &call->kernel->args[place];
  struct operand *operand = &call->operands[place];
  /* trsyl looks below the diagonal for blocks of two rows */
  double poison = strstr(call->kernel->name, "trsyl") ? 0 : NAN;

  operand->type = arg->type;
  operand->parts = ppi_type_is_complex(arg->type) ? 2 : 1;
  cr_assert_eq(ppi_kernel_extent(call->kernel, call->values, place, &operand->rows, &operand->columns, NULL),
               PERFPRED_OK);
  operand->step = arg->inc >= 0 ? INCREMENT : 1;
  operand->ld = arg->kind == PPI_ARG_DATA && arg->shape != PPI_SHAPE_VECTOR ? operand->rows + PADDING : 0;
  operand->count = (operand->rows - 1) * operand->step + (operand->columns - 1) * operand->ld + 1 + BEHIND;
  size_t bytes = (size_t)operand->count * ppi_type_bytes(arg->type, false);
  operand->data = malloc(bytes);
  operand->before = malloc(bytes);
  cr_assert(operand->data && operand->before);
  fill(call, place, poison);
  memcpy(operand->before, operand->data, bytes);
  call->data[place] = operand->data;
  if (arg->ld >= 0)
    call->values[arg->ld].i = operand->ld;
  if (arg->inc >= 0)
    call->values[arg->inc].i = INCREMENT;
}

static bool is_operand(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_DATA || arg->kind == PPI_ARG_WORK;
}

/* Marks the elements of the operand that the routine may change. */
static unsigned char *writable(const struct call *call, int place) {
  const struct operand *operand = &call->operands[place];
  const struct ppi_arg *arg = &call->kernel->args[place];
  unsigned char *map = calloc((size_t)operand->count, 1);
  cr_assert_not_null(map);
  for (int64_t column = 0; column < operand->columns; column++)
    for (int64_t row = 0; row < operand->rows; row++)
      map[row * operand->step + column * operand->ld] = arg->direction & PPI_OUT && is_inside(call, place, row, column);
  return map;
}

static void check_operand(const struct call *call, int place) {
  const struct operand *operand = &call->operands[place];
  const struct ppi_arg *arg = &call->kernel->args[place];
  size_t element = ppi_type_bytes(arg->type, false);
  unsigned char *map = writable(call, place);
  for (int64_t i = 0; i < operand->count; i++) {
    size_t at = (size_t)i * element;
    if (!map[i])
      cr_expect_arr_eq((const char *)operand->data + at, (const char *)operand->before + at, element,
                       "%s: changed %s at %d", call->text, arg->name, (int)i);
    else if (arg->kind == PPI_ARG_DATA)
      for (int part = 0; part < operand->parts; part++)
        cr_expect(isfinite(load(operand, i * operand->parts + part)), "%s: poison got into %s at %d", call->text,
                  arg->name, (int)i);
  }
  free(map);
}

static void set_sizes(struct call *call) {
  static const struct {
    const char *name;
    int64_t value;
  } sizes[] = { { "m", 5 }, { "n", 4 }, { "k", 3 }, { "nrhs", 3 }, { "k1", 2 }, { "k2", 4 } };
  for (int i = 0; i < call->kernel->size_count; i++) {
    int place = call->kernel->sizes[i];
    for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++)
      if (strcmp(call->kernel->args[place].name, sizes[j].name) == 0)
        call->values[place].i = sizes[j].value;
    cr_assert_gt(call->values[place].i, 0, "%s: no value for %s", call->kernel->name, call->kernel->args[place].name);
  }
}

static void run(struct call *call, perfpred_fortran_fn *function) {
  struct ppi_frame frame;
  struct perfpred_error error = { .status = PERFPRED_OK };
  const struct perfpred_kernel *kernel = call->kernel;
  set_sizes(call);
  for (int i = 0; i < kernel->arg_count; i++)
    if (is_operand(&kernel->args[i]))
      make_operand(call, i);
    else if (kernel->args[i].kind == PPI_ARG_SCALAR)
      call->values[i].re = 0.7;
  cr_assert_eq(ppi_frame_fill(&frame, kernel, function, false, call->values, call->data, &error), PERFPRED_OK, "%s",
               error.text);
  ppi_frame_call(&frame);
  cr_expect_eq(ppi_frame_info(&frame), 0, "%s: info %d", call->text, (int)ppi_frame_info(&frame));
  for (int i = 0; i < kernel->arg_count; i++)
    if (is_operand(&kernel->args[i])) {
      check_operand(call, i);
      free(call->operands[i].before);
      free(call->operands[i].data);
    }
}

/* Chooses the combination-th letters of the flags; false if there is no such combination. */
static bool choose_flags(struct call *call, unsigned combination) {
  const struct perfpred_kernel *kernel = call->kernel;
  int length = snprintf(call->text, sizeof call->text, "%s ", kernel->name);
  for (int i = 0; i < kernel->flag_count; i++) {
    const char *letters = kernel->args[kernel->flags[i]].flags;
    unsigned count = (unsigned)strlen(letters);
    call->values[kernel->flags[i]].i = letters[combination % count];
    call->text[length++] = letters[combination % count];
    call->text[length] = '\0';
    combination /= count;
  }
  return combination == 0;
}

static perfpred_fortran_fn *routine(const char *name) {
  char symbol[PPI_NAME_MAX + 1];
  perfpred_fortran_fn *function = NULL;
  snprintf(symbol, sizeof symbol, "%s_", name);
  void *address = dlsym(library, symbol);
  cr_assert_not_null(address, "%s", symbol);
  memcpy(&function, &address, sizeof function);
  return function;
}

static void check_letter(char letter) {
  int checked = 0;
  for (size_t i = 0; i < ppi_kernels_count(context.kernels); i++) {
    const struct perfpred_kernel *kernel = ppi_kernels_at(context.kernels, i);
    struct call call = { .kernel = kernel };
    if (ppi_type_letter(kernel->type) != letter)
      continue;
    for (unsigned combination = 0; choose_flags(&call, combination); combination++) {
      run(&call, routine(kernel->name));
      call = (struct call){ .kernel = kernel };
      checked++;
    }
  }
  cr_expect_geq(checked, 180, "%d calls", checked);
}

Test(catalog, single) {
  check_letter('s');
}

Test(catalog, real) {
  check_letter('d');
}

Test(catalog, single_complex) {
  check_letter('c');
}

Test(catalog, complex) {
  check_letter('z');
}
