/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the C text of the routines that stand in front of BLAS and LAPACK: one for every kernel of the catalogue, made from its
 * signature, which notes the call and hands it on. */
#include <perfpred/status.h>
#include <stdio.h>

#include "kernel/own.h"
#include "kernel/registry.h"

/* How trace.c reads the arguments: flag, option, integer, scalar of a type; anything else is skipped. */
static char kind_of(const struct ppi_arg *arg) {
  switch (arg->kind) {
  case PPI_ARG_FLAG:
    return arg->option ? 'O' : 'F';
  case PPI_ARG_SIZE:
    return 'N';
  case PPI_ARG_SCALAR:
    return ppi_type_letter(arg->type);
  default:
    return '-';
  }
}

static const char *returned(const struct perfpred_kernel *kernel) {
  static const char *const types[] = { "float", "double", "float _Complex", "double _Complex", "int" };
  return kernel->returns_value ? types[kernel->return_type] : "void";
}

static int lengths_of(const struct perfpred_kernel *kernel) {
  int count = 0;
  for (int i = 0; i < kernel->flag_count; i++)
    count += !kernel->args[kernel->flags[i]].option;
  return count;
}

static void print_list(const struct perfpred_kernel *kernel, const char *word, const char *length) {
  for (int i = 0; i < kernel->arg_count; i++)
    printf("%s%sa%d", i > 0 ? ", " : "", word, i);
  for (int i = 0; i < lengths_of(kernel); i++)
    printf(", %sl%d", length, i);
}

static void print_routine(const struct perfpred_kernel *kernel) {
  const char *type = returned(kernel);
  printf("%s %s_(", type, kernel->name);
  print_list(kernel, "void *", "size_t ");
  printf(");\n%s %s_(", type, kernel->name);
  print_list(kernel, "void *", "size_t ");
  printf(") {\n  static void *address;\n  static const struct trace_kernel kernel = { \"%s\", \"", kernel->name);
  for (int i = 0; i < kernel->arg_count; i++)
    printf("%c", kind_of(&kernel->args[i]));
  printf("\" };\n  void *const args[] = { ");
  for (int i = 0; i < kernel->arg_count; i++)
    printf("a%d, ", i);
  printf("};\n  %s (*routine)(", type);
  for (int i = 0; i < kernel->arg_count; i++)
    printf("%svoid *", i > 0 ? ", " : "");
  for (int i = 0; i < lengths_of(kernel); i++)
    printf(", size_t");
  printf(");\n  *(void **)&routine = trace_enter(&kernel, args, &address);\n  ");
  if (kernel->returns_value)
    printf("%s returned = ", type);
  printf("routine(");
  print_list(kernel, "", "");
  printf(");\n  trace_leave();\n%s}\n", kernel->returns_value ? "  return returned;\n" : "");
}

int main(void) {
  struct perfpred_error error = { 0 };
  struct ppi_kernels *kernels = NULL;
  if (ppi_kernels_create(&kernels, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  printf("#include \"trace.h\"\n");
  for (size_t i = 0; i < ppi_kernels_count(kernels); i++) {
    const struct perfpred_kernel *kernel = ppi_kernels_at(kernels, i);
    if (!kernel)
      return 1;
    if (!ppi_kernel_own(kernel->name, false))
      print_routine(kernel);
  }
  ppi_kernels_destroy(kernels);
  return 0;
}
