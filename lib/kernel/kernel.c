/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/kernel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kernel/signature.h"

/* In the order of enum ppi_type. */
static const struct {
  const char *name;
  char letter;
  unsigned char bytes;
} types[] = {
  { "float", 's', 4 }, { "double", 'd', 8 }, { "cfloat", 'c', 8 }, { "cdouble", 'z', 16 }, { "integer", 'i', 4 },
};

const char *ppi_type_name(enum ppi_type type) {
  return types[type].name;
}

char ppi_type_letter(enum ppi_type type) {
  return types[type].letter;
}

size_t ppi_type_bytes(enum ppi_type type, bool ilp64) {
  return type == PPI_TYPE_INT && ilp64 ? sizeof(int64_t) : types[type].bytes;
}

bool ppi_type_is_complex(enum ppi_type type) {
  return type == PPI_TYPE_C || type == PPI_TYPE_Z;
}

int64_t ppi_leading_dimension(int64_t rows) {
  if (rows > INT64_MAX - 16)
    return rows; /* nothing can be allocated for it anyway */
  int64_t ld = rows > 8 ? (rows + 7) / 8 * 8 : 8;
  return ld % 256 == 0 ? ld + 8 : ld;
}

bool ppi_type_of_name(const char *name, enum ppi_type *type) {
  for (int i = 0; i <= PPI_TYPE_INT; i++)
    if (strcmp(name, types[i].name) == 0) {
      *type = (enum ppi_type)i;
      return true;
    }
  return false;
}

bool ppi_type_of_letter(char letter, enum ppi_type *type) {
  for (int i = 0; i < PPI_TYPE_INT; i++)
    if (letter == types[i].letter) {
      *type = (enum ppi_type)i;
      return true;
    }
  return false;
}

struct perfpred_kernel *ppi_kernel_ref(const struct perfpred_kernel *kernel) {
  struct perfpred_kernel *same = (struct perfpred_kernel *)kernel; /* the count is not part of its value */
  atomic_fetch_add_explicit(&same->references, 1, memory_order_relaxed);
  return same;
}

void ppi_kernel_unref(struct perfpred_kernel *kernel) {
  if (!kernel || atomic_fetch_sub_explicit(&kernel->references, 1, memory_order_acq_rel) > 1)
    return;
  for (int i = 0; i < kernel->arg_count; i++) {
    ppi_expr_destroy(kernel->args[i].columns);
    ppi_expr_destroy(kernel->args[i].rows);
  }
  for (int i = 0; i < kernel->demand_count; i++)
    ppi_expr_destroy(kernel->demands[i]);
  ppi_expr_destroy(kernel->movement);
  ppi_expr_destroy(kernel->additions);
  ppi_expr_destroy(kernel->multiplications);
  free(kernel->symbol);
  free(kernel->library);
  free(kernel);
}

int ppi_kernel_argument(const struct perfpred_kernel *kernel, const char *name) {
  for (int i = 0; i < kernel->arg_count; i++)
    if (strcmp(kernel->args[i].name, name) == 0)
      return i;
  return -1;
}

bool ppi_arg_is_written(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_FLAG || arg->kind == PPI_ARG_SIZE || arg->kind == PPI_ARG_SCALAR ||
         arg->kind == PPI_ARG_DATA;
}

const char *perfpred_kernel_name(const struct perfpred_kernel *kernel) {
  return kernel ? kernel->name : "";
}

int perfpred_kernel_approximate(const struct perfpred_kernel *kernel) {
  return kernel ? kernel->approximate : 0;
}

const char *perfpred_kernel_operation(const struct perfpred_kernel *kernel) {
  return kernel ? kernel->operation : "";
}
