/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kernel of the catalogue, with every combination of its flags and many sizes, calls the real routine of every library that
 * is there. Each operand and workspace lies in memory of its own that ends with it (or begins with it) at a page without access: the
 * routine must get by with exactly the declared extent. What the signature does not give to the routine (padding of columns, gaps of
 * vectors, the other triangle, a unit diagonal, what surrounds an operand) is poisoned by NaN: it must neither be written nor get
 * into the results. Inputs must not change, and INFO is 0. A wrong order of arguments ends in XERBLA or a crash. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/invoke.h"
#include "kernel/own.h"
#include "measure/pattern.h"
#include "sizes.h"
#include "thorough.h"

#ifndef LIBRARY_FOLDER
#define LIBRARY_FOLDER "/usr/lib/x86_64-linux-gnu"
#endif

enum {
  REGION = 4 << 20, /* bytes of an operand's memory */
  MARGIN = 64,      /* poisoned elements around it */
  LARGEST = 10000   /* extent of an operand */
};

/* How operands are laid out: padding below columns, increment, at the end of their memory or at its beginning. */
struct layout {
  int padding, increment;
  bool at_end;
  size_t behind; /* elements of poison between the operand and the page without access */
};
static const struct layout strict[] = { { 0, 1, true, 0 }, { 2, 3, true, 0 }, { 0, 1, false, 0 }, { 2, 3, false, 0 } };
/* The complex dot and hemv of OpenBLAS 0.3.21 read, but do not use, elements behind the last one. */
static const struct layout lenient[] = {
  { 0, 1, true, MARGIN }, { 2, 3, true, MARGIN }, { 0, 1, false, 0 }, { 2, 3, false, 0 }
};
enum { LAYOUTS = sizeof strict / sizeof strict[0] };

/* An operand in memory, as real numbers (two per complex element), or as 32-bit integers. */
struct operand {
  enum ppi_type type;
  int64_t rows, columns, step, ld, count; /* step between rows; elements from the first to the last */
  int parts;
  char *data;           /* first element */
  char *begin;          /* with the margins, as far as there is memory */
  size_t before, bytes; /* bytes of the margin before it, of all */
};

struct call {
  const struct perfpred_kernel *kernel;
  const struct layout *layout;
  struct ppi_value values[PPI_ARG_MAX];
  struct operand operands[PPI_ARG_MAX];
  void *data[PPI_ARG_MAX];
  char text[160]; /* for messages */
};

static char *regions[PPI_ARG_MAX]; /* memory of operands, between pages without access */
static char *copies[PPI_ARG_MAX];  /* what was there before the call */
static struct ppi_pattern patterns[PPI_ZERO + 1][PPI_TYPE_INT + 1];
static sigjmp_buf beyond;

static void on_fault(int number) {
  (void)number;
  siglongjmp(beyond, 1);
}

static void start(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  set_up();
  for (int i = 0; i < PPI_ARG_MAX; i++) {
    char *memory = mmap(NULL, REGION + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    regions[i] = memory + page;
    cr_assert_eq(mprotect(regions[i], REGION, PROT_READ | PROT_WRITE), 0);
    copies[i] = malloc(REGION);
    cr_assert_not_null(copies[i]);
  }
  for (int property = 0; property <= PPI_ZERO; property++)
    for (int type = 0; type <= PPI_TYPE_INT; type++)
      cr_assert_eq(ppi_pattern_make(&patterns[property][type], (enum ppi_property)property, (enum ppi_type)type, false,
                                    LARGEST, NULL),
                   PERFPRED_OK);
  const struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
}

static void stop(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < PPI_ARG_MAX; i++) {
    munmap(regions[i] - page, REGION + 2 * page);
    free(copies[i]);
  }
  for (int property = 0; property <= PPI_ZERO; property++)
    for (int type = 0; type <= PPI_TYPE_INT; type++)
      ppi_pattern_free(&patterns[property][type]);
  tear_down();
}

TestSuite(catalog, .init = start, .fini = stop);

/* --- Operands ------------------------------------------------------------------------------------------------------ */

static bool is_single(enum ppi_type type) {
  return type == PPI_TYPE_S || type == PPI_TYPE_C;
}

static void store(const struct operand *operand, int64_t index, double value) {
  const int32_t integer = isnan(value) ? -77 : (int32_t)value;
  const float narrow = (float)value;
  if (operand->type == PPI_TYPE_INT)
    memcpy(operand->data + index * (int64_t)sizeof integer, &integer, sizeof integer);
  else if (is_single(operand->type))
    memcpy(operand->data + index * (int64_t)sizeof narrow, &narrow, sizeof narrow);
  else
    memcpy(operand->data + index * (int64_t)sizeof value, &value, sizeof value);
}

static double load(const struct operand *operand, int64_t index) {
  float narrow;
  double value;
  if (operand->type == PPI_TYPE_INT)
    return 0;
  if (is_single(operand->type)) {
    memcpy(&narrow, operand->data + index * (int64_t)sizeof narrow, sizeof narrow);
    return (double)narrow;
  }
  memcpy(&value, operand->data + index * (int64_t)sizeof value, sizeof value);
  return value;
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

/* The number with which a sampler fills that place. */
static double value_of(const struct ppi_arg *arg, int64_t row, int64_t column, int part) {
  double value[2];
  ppi_pattern_value(&patterns[arg->property][arg->type], row, column, value);
  return value[part];
}

static void fill(const struct call *call, int place) {
  const struct operand *operand = &call->operands[place];
  const struct ppi_arg *arg = &call->kernel->args[place];
  /* trsyl looks below the diagonal for blocks of two rows */
  const double poison = strstr(call->kernel->name, "trsyl") ? 0 : NAN;
  const int64_t before = (int64_t)(operand->before / ppi_type_bytes(arg->type, false)) * operand->parts;
  const int64_t all = (int64_t)(operand->bytes / ppi_type_bytes(arg->type, false)) * operand->parts;
  for (int64_t i = -before; i < all - before; i++)
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
  const size_t element = ppi_type_bytes(arg->type, false);

  operand->type = arg->type;
  operand->parts = ppi_type_is_complex(arg->type) ? 2 : 1;
  operand->step = arg->inc >= 0 ? call->layout->increment : 1;
  operand->ld = operand->columns > 1 || arg->ld >= 0 ? operand->rows + call->layout->padding : 0;
  operand->count = operand->rows > 0 && operand->columns > 0
                       ? (operand->rows - 1) * operand->step + (operand->columns - 1) * operand->ld + 1
                       : 0;
  const size_t bytes = (size_t)operand->count * element;
  const size_t behind = (call->layout->at_end ? call->layout->behind : MARGIN) * element;
  cr_assert_leq(bytes + 2 * MARGIN * element, REGION, "%s: %s is too large", call->text, arg->name);
  operand->data = call->layout->at_end ? regions[place] + REGION - behind - bytes : regions[place];
  operand->before = call->layout->at_end ? MARGIN * element : 0;
  operand->begin = operand->data - operand->before;
  operand->bytes = operand->before + bytes + behind;
  fill(call, place);
  memcpy(copies[place], operand->begin, operand->bytes);
  call->data[place] = operand->data;
  if (arg->ld >= 0)
    call->values[arg->ld].i = operand->ld;
  if (arg->inc >= 0)
    call->values[arg->inc].i = operand->step;
}

static bool is_operand(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_DATA || arg->kind == PPI_ARG_WORK;
}

/* Whether the routine may change the element at this distance from the first one. */
static bool is_writable(const struct call *call, int place, int64_t index) {
  const struct operand *operand = &call->operands[place];
  const struct ppi_arg *arg = &call->kernel->args[place];
  if (index < 0 || index >= operand->count || !(arg->direction & PPI_OUT))
    return false;
  const int64_t column = operand->ld ? index / operand->ld : 0, at = operand->ld ? index % operand->ld : index;
  return at % operand->step == 0 && at / operand->step < operand->rows &&
         is_inside(call, place, at / operand->step, column);
}

static bool is_finite(const struct operand *operand, int64_t index) {
  for (int part = 0; part < operand->parts; part++)
    if (!isfinite(load(operand, index * operand->parts + part)))
      return false;
  return true;
}

static bool check_operand(const struct call *call, int place) {
  const struct operand *operand = &call->operands[place];
  const struct ppi_arg *arg = &call->kernel->args[place];
  const size_t element = ppi_type_bytes(arg->type, false);
  for (size_t at = 0; at < operand->bytes; at += element) {
    const int64_t index = ((int64_t)at - (int64_t)operand->before) / (int64_t)element;
    if (!is_writable(call, place, index)) {
      if (memcmp(operand->begin + at, copies[place] + at, element) == 0)
        continue;
      cr_expect_fail("%s: changed %s at %d", call->text, arg->name, (int)index);
      return false;
    }
    if (arg->kind == PPI_ARG_DATA && !is_finite(operand, index)) {
      cr_expect_fail("%s: poison got into %s at %d", call->text, arg->name, (int)index);
      return false;
    }
  }
  return true;
}

static void check_returned(const struct call *call, const struct ppi_frame *frame) {
  const union ppi_returned *returned = &frame->returned;
  if (!call->kernel->returns_value)
    return;
  switch (call->kernel->return_type) {
  case PPI_TYPE_S:
    cr_expect(isfinite(returned->real), "%s: returned poison", call->text);
    break;
  case PPI_TYPE_D:
    cr_expect(isfinite(returned->real8), "%s: returned poison", call->text);
    break;
  case PPI_TYPE_C:
    cr_expect(isfinite(returned->complex8[0]) && isfinite(returned->complex8[1]), "%s: returned poison", call->text);
    break;
  case PPI_TYPE_Z:
    cr_expect(isfinite(returned->complex16[0]) && isfinite(returned->complex16[1]), "%s: returned poison", call->text);
    break;
  default:
    cr_expect_geq(returned->narrow, 0);
  }
}

/* --- Calls --------------------------------------------------------------------------------------------------------- */

static bool run(struct call *call, perfpred_fortran_fn *function) {
  struct ppi_frame frame;
  struct perfpred_error error = { .status = PERFPRED_OK };
  const struct perfpred_kernel *kernel = call->kernel;
  for (int i = 0; i < kernel->arg_count; i++)
    if (is_operand(&kernel->args[i])) {
      struct operand *operand = &call->operands[i];
      cr_assert_eq(ppi_kernel_extent(kernel, call->values, i, &operand->rows, &operand->columns, &error), PERFPRED_OK,
                   "%s: %s", call->text, error.text);
      make_operand(call, i);
    } else if (kernel->args[i].kind == PPI_ARG_SCALAR) {
      call->values[i].re = 0.7 + 0.01 * i;
    }
  cr_assert_eq(ppi_frame_fill(&frame, kernel, function, false, call->values, call->data, &error), PERFPRED_OK, "%s: %s",
               call->text, error.text);
  if (sigsetjmp(beyond, 1)) {
    cr_expect_fail("%s: access beyond an operand, %s", call->text, call->layout->at_end ? "above" : "below");
    return false;
  }
  ppi_frame_call(&frame);
  if (ppi_frame_info(&frame) != 0) {
    cr_expect_fail("%s: info %d", call->text, (int)ppi_frame_info(&frame));
    return false;
  }
  check_returned(call, &frame);
  for (int i = 0; i < kernel->arg_count; i++)
    if (is_operand(&kernel->args[i]) && !check_operand(call, i))
      return false;
  return true;
}

static void describe(struct call *call) {
  const struct perfpred_kernel *kernel = call->kernel;
  size_t length = (size_t)snprintf(call->text, sizeof call->text, "%s(", kernel->name);
  for (int i = 0; i < kernel->arg_count && length < sizeof call->text; i++)
    if (kernel->args[i].kind == PPI_ARG_FLAG)
      length += (size_t)snprintf(call->text + length, sizeof call->text - length, "%c,", (int)call->values[i].i);
    else if (kernel->args[i].kind == PPI_ARG_SIZE)
      length += (size_t)snprintf(call->text + length, sizeof call->text - length, "%d,", (int)call->values[i].i);
  if (length < sizeof call->text)
    snprintf(call->text + length, sizeof call->text - length, " inc %d)", call->layout->increment);
}

static bool has_stride(const struct perfpred_kernel *kernel) {
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_LD || kernel->args[i].kind == PPI_ARG_INC)
      return true;
  return false;
}

struct sweep {
  void *library;
  const struct layout *layouts;
  const int64_t *sizes;
  unsigned size_count;
  unsigned flag_step; /* 1: every combination of flags */
  size_t parts;       /* 1: every layout for each combination; otherwise the data types share them */
  int calls, missing;
};

static size_t sum_of_digits(unsigned number, unsigned base) {
  size_t sum = 0;
  for (; number > 0; number /= base)
    sum += number % base;
  return sum;
}

/* Whether these flags and sizes are tried with this layout. */
static bool is_tried(const struct sweep *sweep, const struct perfpred_kernel *kernel, unsigned flags, unsigned sizes,
                     int layout) {
  const char *letters = "sdcz", *letter = strchr(letters, ppi_type_letter(kernel->type));
  const size_t digits = sum_of_digits(flags, 2) + sum_of_digits(sizes, LAYOUTS), sum = digits + (size_t)layout;
  return is_chosen(sum, letter ? (size_t)(letter - letters) : 0, sweep->parts);
}

/* Stops at the first failure. */
static bool sweep_layouts(struct sweep *sweep, unsigned flags, unsigned sizes, const struct perfpred_kernel *kernel,
                          perfpred_fortran_fn *function) {
  for (int layout = 0; layout < LAYOUTS; layout++) {
    struct call call = { .kernel = kernel, .layout = &sweep->layouts[layout] };
    if (!is_tried(sweep, kernel, flags, sizes, layout))
      continue;
    choose_flags(kernel, call.values, flags);
    choose_sizes(kernel, call.values, sweep->sizes, sweep->size_count, sizes);
    if (!ppi_kernel_admits(kernel, call.values) || (call.layout->increment > 1 && !has_stride(kernel)))
      continue;
    describe(&call);
    if (!run(&call, function))
      return false;
    sweep->calls++;
  }
  return true;
}

static void sweep_kernel(struct sweep *sweep, const struct perfpred_kernel *kernel) {
  char symbol[PPI_NAME_MAX + 1];
  struct call call = { .kernel = kernel };
  perfpred_fortran_fn *function = NULL;
  snprintf(symbol, sizeof symbol, "%s_", kernel->name);
  void *address = dlsym(sweep->library, symbol);
  memcpy(&function, &address, sizeof function);
  if (!function)
    function = ppi_kernel_own(kernel->name, false);
  if (!function) {
    cr_log_info("%s is not there", kernel->name);
    sweep->missing++;
    return;
  }
  for (unsigned flags = 0; choose_flags(kernel, call.values, flags); flags += sweep->flag_step)
    for (unsigned sizes = 0; choose_sizes(kernel, call.values, sweep->sizes, sweep->size_count, sizes); sizes++)
      if (!sweep_layouts(sweep, flags, sizes, kernel, function))
        return;
}

static void sweep_letter(struct sweep *sweep, char letter) {
  for (size_t i = 0; i < ppi_kernels_count(context.kernels); i++) {
    const struct perfpred_kernel *kernel = ppi_kernels_at(context.kernels, i);
    cr_assert_not_null(kernel);
    if (ppi_type_letter(kernel->type) == letter)
      sweep_kernel(sweep, kernel);
  }
}

static void *opened(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", LIBRARY_FOLDER, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    cr_skip_test("%s", dlerror());
  return library;
}

static const int64_t small_sizes[] = { 0, 1, 4, 7 };

static void sweep_reference(char letter) {
  opened("blas/libblas.so.3"); /* its name is that of the one which LAPACK asks for */
  struct sweep sweep = { opened("lapack/liblapack.so.3"), strict, small_sizes, 4, 1, 1, 0, 0 };
  sweep_letter(&sweep, letter);
  cr_expect_geq(sweep.calls, 10000, "%d calls", sweep.calls);
  cr_expect_eq(sweep.missing, 1, "gemmt alone is missing");
}

Test(catalog, reference_single, .timeout = 300) {
  sweep_reference('s');
}

Test(catalog, reference_double, .timeout = 300) {
  sweep_reference('d');
}

Test(catalog, reference_single_complex, .timeout = 300) {
  sweep_reference('c');
}

Test(catalog, reference_double_complex, .timeout = 300) {
  sweep_reference('z');
}

/* Large enough for blocked code, whose block sizes are 32 and 64 and which begins at 128 rows, and for what iterates to have to; and smaller. */
static void sweep_blocked(char letter, unsigned size_count) {
  static const int64_t sizes[] = { 133, 60 };
  opened("blas/libblas.so.3");
  struct sweep sweep = { opened("lapack/liblapack.so.3"), strict, sizes, size_count, 3, LAYOUTS, 0, 0 };
  sweep_letter(&sweep, letter);
  cr_expect_geq(sweep.calls, is_thorough() ? 300 : 75, "%d calls", sweep.calls);
}

Test(catalog, blocked_single, .timeout = 300) {
  sweep_blocked('s', 2);
}

Test(catalog, blocked_double, .timeout = 300) {
  sweep_blocked('d', 2);
}

Test(catalog, blocked_single_complex, .timeout = 300) {
  sweep_blocked('c', 1);
}

Test(catalog, blocked_double_complex, .timeout = 300) {
  sweep_blocked('z', 1);
}

static void sweep_library(const char *name, int calls) {
  static const int64_t sizes[] = { 0, 1, 7, 33 };
  struct sweep sweep = { opened(name), strict, sizes, 4, 1, LAYOUTS, 0, 0 };
  for (const char *letter = "sdcz"; *letter; letter++) {
    bool is_complex = *letter == 'c' || *letter == 'z';
    sweep.layouts = is_complex && strstr(name, "openblas") ? lenient : strict;
    sweep_letter(&sweep, *letter);
  }
  cr_expect_geq(sweep.calls, is_thorough() ? calls : calls / LAYOUTS, "%d calls", sweep.calls);
}

/* Kernels written for some processors read beyond the operands that they are given: BLIS 0.9's SGEMM for Haswell, OpenBLAS 0.3's
   SYMV for Prescott. What is proved here is what our signatures say of the routines, not that these kernels keep to it, so
   the libraries are told to take others, wherever the test runs. */
static void choose_generic_blis(void) {
  void *library = opened("blis-serial/libblis.so.4");
  const char *(*name_of)(int) = NULL;
  *(void **)&name_of = dlsym(library, "bli_arch_string");
  cr_assert_not_null(name_of);
  for (int i = 0; i < 64; i++)
    if (strcmp(name_of(i), "generic") == 0) { /* the last one */
      char number[12];
      snprintf(number, sizeof number, "%d", i);
      setenv("BLIS_ARCH_TYPE", number, 1);
      return;
    }
  cr_assert_fail("no generic kernels");
}

static void choose_openblas(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx"))
    setenv("OPENBLAS_CORETYPE", "Sandybridge", 1);
#endif
}

Test(catalog, blis, .timeout = 300) {
  choose_generic_blis();
  sweep_library("blis-serial/libblas.so.3", 20000);
}

Test(catalog, openblas, .timeout = 300) {
  choose_openblas();
  sweep_library("openblas-serial/libopenblas.so.0", 20000);
}
