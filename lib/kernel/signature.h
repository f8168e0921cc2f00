/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the text of a kernel: what signature.c (the block) and argument.c (the list of arguments) share. */
#ifndef PPI_KERNEL_SIGNATURE_H
#define PPI_KERNEL_SIGNATURE_H

#include "kernel/kernel.h"

/* What a first look at the list tells of an argument: expressions may use sizes and flags that come later. */
struct ppi_signature_arg {
  char name[PPI_NAME_MAX];
  int line, column; /* of its name */
  bool typed;       /* has an element type of its own */
};

struct ppi_signature {
  struct ppi_scanner *scanner;
  struct perfpred_kernel *kernel;
  int count;
  struct ppi_signature_arg args[PPI_ARG_MAX];
  const char *names[PPI_ARG_MAX]; /* as expressions see them */
  char letters[32];               /* of all flags */
  struct ppi_scope scope;
  bool type_known;  /* the text names the data type */
  bool returns_own; /* returns the kernel's own type */
};

/* Reads `( arguments )` into the kernel and checks that they fit together. */
enum perfpred_status ppi_signature_arguments(struct ppi_signature *signature);
/* Reads the name of a type. */
enum perfpred_status ppi_signature_type(struct ppi_scanner *scanner, enum ppi_type *type);

/* Flags, options as numbers, and sizes of a call, by place; the rest is 0. */
void ppi_kernel_slots(const struct perfpred_kernel *kernel, const struct ppi_value *values, int64_t *slots);
/* An expression of the kernel as its text has it. */
void ppi_kernel_print_expr(const struct perfpred_kernel *kernel, const struct ppi_expr *expr, struct ppi_text *text);

const char *ppi_type_name(enum ppi_type type); /* float double cfloat cdouble integer */
bool ppi_type_of_name(const char *name, enum ppi_type *type);
bool ppi_type_of_letter(char letter, enum ppi_type *type); /* s d c z */

/* Words of the text form, in the order of their enums. */
extern const char *const ppi_property_words[];  /* "general" first */
extern const char *const ppi_direction_words[]; /* "" in out inout */
extern const char *const ppi_shape_words[];     /* matrix triangle vector */

#endif
