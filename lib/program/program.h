/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop tree. Readers (predict, measure, cache, affine, print) see it through this header and through program/walk.h. */
#ifndef PPI_PROGRAM_PROGRAM_H
#define PPI_PROGRAM_PROGRAM_H

#include <perfpred/program.h>

#include "kernel/kernel.h"

#define PPI_SLOT_MAX 64 /* parameters and let and loop names of one program */
#define PPI_PARAMETER_MAX 8
#define PPI_BUFFER_MAX 32
#define PPI_ABOUT_MAX 160 /* longest `about` with its NUL */
#define PPI_RECURSION_MAX 64
#define PPI_ELEMENT_BYTES_MAX 4096
#define PPI_BLOCK_MAX 32 /* loops and conditions inside each other */

struct ppi_buffer {
  char name[PPI_NAME_MAX];
  bool work;                    /* scratch: lives as long as one execution of its program */
  enum ppi_direction direction; /* not for work */
  enum ppi_type type;
  enum ppi_property property;
  enum ppi_shape shape;
  char uplo;                       /* TRIANGLE (storage of a full matrix): 'L' or 'U' */
  struct ppi_expr *rows, *columns; /* over the parameters; columns NULL but for a matrix (see ppi_buffer_extent) */
  bool row_major;                  /* nests */
  int dimensions;                  /* nests: number of subscripts (extent holds all of them) */
  struct ppi_expr *extent[8];
  int element_bytes; /* nests: size of an element of another type than those; 0: that of the type */
};

/* What an argument of a call is: fixed when the text was read, or an expression over the program's slots. A scalar may be an element of a
   buffer: it is fixed as PPI_SCALAR_OTHER for those that want a number. */
struct ppi_operand {
  struct ppi_value fixed;        /* flags and scalars; by_row and buffer (of the program) of data */
  struct ppi_expr *integer;      /* size (or parameter of a called program) */
  struct ppi_expr *row, *column; /* data, or scalar that is an element: place of its first element */
};

enum ppi_node_kind { PPI_NODE_FOR, PPI_NODE_IF, PPI_NODE_LET, PPI_NODE_CALL, PPI_NODE_RUN, PPI_NODE_ACCESS };

struct ppi_node {
  enum ppi_node_kind kind;
  int line;              /* in the source, or of a built program its statement's number */
  int site;              /* place of a CALL, RUN or ACCESS among those of its program, from 0: its stable identity */
  struct ppi_node *next; /* next statement of the same block */
  struct ppi_node *body; /* FOR: body; IF: taken when the condition is not 0 */
  struct ppi_node *otherwise;            /* IF: else branch */
  int slot, width_slot;                  /* FOR: loop name and width name (-1: none); LET: the name */
  bool down, short_first;                /* FOR: see doc/language.md */
  struct ppi_expr *lower, *upper, *step; /* FOR: [lower, upper) in steps */
  struct ppi_expr *value;                /* LET: value; IF: condition */
  struct perfpred_kernel *kernel;        /* CALL: a reference is held */
  bool algorithm;                        /* RUN: the text says that no kernel is meant */
  struct perfpred_program *callee;       /* RUN: NULL: the program itself (recursion); see struct ppi_unit */
  struct ppi_operand
      *operands; /* CALL: kernel->arg_count (LD, WORK, INFO unused); RUN: parameters, then non-work buffers */
  int operand_count;
  struct ppi_operand *result; /* CALL of a function: the element that what it returns goes to; NULL: it is ignored */
  bool adds;                  /* it is added to the element */
  enum ppi_direction access;  /* ACCESS */
  int buffer;                 /* ACCESS */
  struct ppi_expr *subscripts[8];
  int statement; /* ACCESS: number, from 0, of the line of text, or statement of C, that it is part of */
  bool may;      /* ACCESS: it stands under a condition that depends on data; readers take it as met */
};

/* The programs of one text live and die together, because they may call each other in a circle: their references are
   counted here. A RUN holds a reference only to a program of another unit, which is older, so no circle is left. */
struct ppi_unit {
  atomic_int references;
  int count, capacity;
  struct perfpred_program **programs;
  struct ppi_unit *next; /* while being released */
};

struct perfpred_program {
  struct ppi_unit *unit;
  char name[PPI_NAME_MAX], operation[PPI_NAME_MAX], about[PPI_ABOUT_MAX];
  bool nest;
  int parameter_count;
  bool positive[PPI_PARAMETER_MAX];    /* parameters that must be >= 1: b, and those that are the step of a loop */
  int64_t defaults[PPI_PARAMETER_MAX]; /* values of parameters that the text states; -1: none */
  int slot_count;
  char (*slots)[PPI_NAME_MAX]; /* names: parameters first; blocks that are not open together share a name's slot */
  int buffer_count;
  struct ppi_buffer *buffers;
  /* Cost of the operation: multiplications and additions apart (complex ones count 6 and 2), or, where the text has one
     expression, in cost_multiplications with cost_additions NULL: real operations. Both NULL: the sum of the calls. */
  struct ppi_expr *cost_multiplications, *cost_additions;
  struct ppi_node *body;
  int site_count, statement_count;
};

/* Checks parameters: count, >= 0, a parameter named b (or used as a step) >= 1. The text names the parameter. */
enum perfpred_status ppi_program_check(const struct perfpred_program *program, const int64_t *parameters, size_t count,
                                       struct perfpred_error *error);
double ppi_program_cost(const struct perfpred_program *program, const int64_t *parameters,
                        struct perfpred_error *error); /* NaN on failure */
/* Bytes of the non-work buffers, and of reading inputs once and writing outputs once (triangles as such). */
enum perfpred_status ppi_program_bytes(const struct perfpred_program *program, const int64_t *parameters,
                                       double *data_bytes, double *movement_bytes, struct perfpred_error *error);
/* Bytes of an element of a nest's array. */
int64_t ppi_buffer_element_bytes(const struct ppi_buffer *buffer);
/* Data type of its first buffer. */
enum ppi_type ppi_program_type(const struct perfpred_program *program);

#endif
