/* SPDX-License-Identifier: BSD-3-Clause */
/* Signatures of kernels, calls, cases, counts. */
#ifndef PPI_KERNEL_KERNEL_H
#define PPI_KERNEL_KERNEL_H

#include <perfpred/kernel.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/expr.h"

#define PPI_ARG_MAX 32
#define PPI_SIZE_MAX 8  /* size arguments of one kernel */
#define PPI_CASE_MAX 96 /* longest case text with its NUL */
#define PPI_DEMAND_MAX 8
#define PPI_SCALAR_OTHER 0.7 /* what stands for all scalars but -1, 0 and 1, and for one that is read from data */

enum ppi_type { PPI_TYPE_S, PPI_TYPE_D, PPI_TYPE_C, PPI_TYPE_Z, PPI_TYPE_INT };
enum ppi_arg_kind {
  PPI_ARG_FLAG,
  PPI_ARG_SIZE,
  PPI_ARG_SCALAR,
  PPI_ARG_DATA,
  PPI_ARG_LD,
  PPI_ARG_INC,
  PPI_ARG_WORK,
  PPI_ARG_LWORK,
  PPI_ARG_INFO
};
enum ppi_direction { PPI_IN = 1, PPI_OUT = 2, PPI_INOUT = 3 };
enum ppi_shape { PPI_SHAPE_MATRIX, PPI_SHAPE_TRIANGLE, PPI_SHAPE_VECTOR };
/* What the values of an operand must be like for the kernel to succeed and to be timed as usual. */
enum ppi_property { PPI_GENERAL, PPI_SPD, PPI_TRIANGULAR, PPI_PIVOTS, PPI_IDENTITY, PPI_ZERO };

struct ppi_arg {
  char name[PPI_NAME_MAX];
  enum ppi_arg_kind kind;
  char flags[8];                /* FLAG: its letters; of an option its digits */
  bool option;                  /* FLAG: an integer of one digit, without a hidden length */
  bool constant;                /* LWORK: no length of a workspace but a fixed argument */
  enum ppi_type type;           /* DATA, WORK, SCALAR: type of an element */
  enum ppi_direction direction; /* DATA */
  enum ppi_shape shape;         /* DATA, WORK (always a vector) */
  enum ppi_property property;   /* DATA */
  int uplo;                     /* TRIANGLE: place of the flag that says which; -1: uplo_letter does */
  char uplo_letter;
  int diag;                 /* place of the flag that says whether the diagonal is implicit; -1: it is stored */
  struct ppi_expr *rows;    /* DATA, WORK: rows, or length of a vector; LWORK: its value. Slots are argument places */
  struct ppi_expr *columns; /* DATA: columns; NULL for vectors */
  int ld, inc;              /* DATA: place of its leading dimension, increment; -1: none */
  int of;                   /* LD, INC: place of their data argument */
};

struct perfpred_kernel {
  atomic_int references;
  char name[PPI_NAME_MAX];
  char operation[160];
  enum ppi_type type; /* data type, from the name's first letter or the text */
  bool returns_value; /* a function of the real or integer kind: its result is ignored, the cast is right */
  enum ppi_type return_type;
  int arg_count;
  struct ppi_arg args[PPI_ARG_MAX];
  int size_count, sizes[PPI_SIZE_MAX]; /* places of the size arguments */
  int flag_count, flags[PPI_SIZE_MAX]; /* places of the flags */
  struct ppi_expr *multiplications,
      *additions;            /* minimal counts; divisions and square roots count as multiplications */
  struct ppi_expr *movement; /* elements read and written at least; NULL: as the operands' extents say */
  bool approximate; /* the counts are: what is computed depends on the data, or its leading order is all there is */
  int demand_count;
  struct ppi_expr
      *demands[PPI_DEMAND_MAX];  /* inequalities between sizes that calls have to meet. Slots are argument places */
  char *library;                 /* shared library that has the routine; NULL: the one that is measured */
  char *symbol;                  /* its name there; NULL: that of the kernel and an underscore */
  perfpred_fortran_fn *function; /* address in this process, or NULL */
  bool ilp64;                    /* integers of 64 bits; true for a free-form one */
  perfpred_kernel_fn *free_form; /* or this one */
  void *free_form_data;
};

/* Value of an argument in a call. Unused members are 0. */
struct ppi_value {
  int64_t i;           /* flag (a letter; an option's digit as a character), size, leading dimension, increment */
  double re, im;       /* scalar */
  int buffer;          /* data: number of the buffer; -1: none given */
  bool by_row;         /* data of a vector argument: runs along a row of the buffer */
  int64_t row, column; /* data: place of its first element in the buffer */
};

/* Reads `kernel ... end` at the scanner's place (on the word kernel), one per entry of its family, and hands each to add, which takes the reference. */
enum perfpred_status ppi_kernel_parse(struct ppi_scanner *scanner,
                                      enum perfpred_status (*add)(void *data, struct perfpred_kernel *kernel,
                                                                  struct perfpred_error *error),
                                      void *data);
/* Reads that entry of the family alone (0 where there is no family). */
enum perfpred_status ppi_kernel_parse_entry(struct ppi_scanner *scanner, int entry, struct perfpred_kernel **kernel);
struct perfpred_kernel *
ppi_kernel_ref(const struct perfpred_kernel *kernel); /* kernels are immutable but for the count and their binding */
void ppi_kernel_unref(struct perfpred_kernel *kernel);
int ppi_kernel_argument(const struct perfpred_kernel *kernel, const char *name); /* -1: none */
/* Calls of the text form write this argument; leading dimensions, increments, workspaces and info they do not. */
bool ppi_arg_is_written(const struct ppi_arg *arg);
/* The block `kernel ... end`, without the line that starts a file. */
void ppi_kernel_print(const struct perfpred_kernel *kernel, struct ppi_text *text);

/* Only the integers of flags and sizes are read. Counts are never negative. */
double ppi_kernel_flops(const struct perfpred_kernel *kernel, const struct ppi_value *values);
double ppi_kernel_movement_bytes(const struct perfpred_kernel *kernel,
                                 const struct ppi_value *values); /* minimal data movement */
/* Whether a call only copies: less than one flop for two elements that it moves. */
bool ppi_kernel_only_copies(const struct perfpred_kernel *kernel, const struct ppi_value *values);
/* Polynomial degree of the flop count (of the movement where that is 0) in each size argument, for the flags in values. */
void ppi_kernel_degrees(const struct perfpred_kernel *kernel, const struct ppi_value *values,
                        int degrees[PPI_SIZE_MAX]);
/* Rows and columns of data argument `place`; columns 1 for a vector. */
enum perfpred_status ppi_kernel_extent(const struct perfpred_kernel *kernel, const struct ppi_value *values, int place,
                                       int64_t *rows, int64_t *columns, struct perfpred_error *error);
/* Whether flags and sizes of a call meet the demands of the kernel; PERFPRED_INVALID names the demand and the values. */
enum perfpred_status ppi_kernel_check(const struct perfpred_kernel *kernel, const struct ppi_value *values,
                                      struct perfpred_error *error);
bool ppi_kernel_admits(const struct perfpred_kernel *kernel, const struct ppi_value *values);
/* Moves the sizes in values (each from lower to upper, of the size arguments in order) to where they meet the demands, as little as is
   needed: later sizes first, in steps that keep multiples of grain. False: found no such place; values are then anything. */
bool ppi_kernel_admit(const struct perfpred_kernel *kernel, struct ppi_value *values, const int64_t *lower,
                      const int64_t *upper, int64_t grain);
/* Draws the bounds of a box in to where sizes meet the demands for some values of the others; false: nowhere, bounds are then anything. */
bool ppi_kernel_bound(const struct perfpred_kernel *kernel, const struct ppi_value *values, int64_t *lower,
                      int64_t *upper);
size_t ppi_type_bytes(enum ppi_type type, bool ilp64);
char ppi_type_letter(enum ppi_type type); /* s d c z i */
bool ppi_type_is_complex(enum ppi_type type);
/* A leading dimension for `rows` rows: smallest >= max(rows, 1) that is a multiple of 8 and not of 256. */
int64_t ppi_leading_dimension(int64_t rows);
/* "dtrsm(R,L,T,N,1000,128)": flags and sizes of a call. */
void ppi_call_describe(const struct perfpred_kernel *kernel, const struct ppi_value *values, char *text, size_t size);

/* Nothing to do: every output operand has an extent of 0, or a size of 0 leaves no flops and a scalar `beta`, where there is
   one, is 1 (a rank-0 update). */
bool ppi_kernel_is_empty(const struct perfpred_kernel *kernel, const struct ppi_value *values);

/* Case of a call: flags, classes of scalars (-1 0 1 x), classes of increments (1 x), comma-separated in the order of the arguments, e.g.
   "R,L,T,N,1". Increments that the values leave at 0 count as 1, or as x where the vector runs along a row (by_row). */
void ppi_case_format(const struct perfpred_kernel *kernel, const struct ppi_value *values, char text[PPI_CASE_MAX]);
/* The reverse: sets flags, scalars (x: 0.7) and increments of values; the rest becomes 0, buffers -1. An increment x is left at 0,
   for the sampler to choose, and its vector is marked by_row. */
enum perfpred_status ppi_case_parse(const struct perfpred_kernel *kernel, const char *text, struct ppi_value *values,
                                    struct perfpred_error *error);

#endif
