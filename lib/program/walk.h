/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking a program: every call in order of execution, with sizes as numbers and views as places in buffers. */
#ifndef PPI_PROGRAM_WALK_H
#define PPI_PROGRAM_WALK_H

#include "program/loop.h"

/* An iteration of a loop. */
struct ppi_walk_block {
  int64_t start, width;
};

struct ppi_walker {
  /* A kernel call. values[0 .. kernel->arg_count) are borrowed for the call, and behind them, where node->result is set, the element that
     gets what the function returns. Anything but PERFPRED_OK ends the walk. A scalar that is an element has a buffer and a place
     (others have buffer -1). Views with
     elements lie inside their buffers; the place of one without is whatever the text says, and may be negative. */
  enum perfpred_status (*call)(void *data, const struct ppi_node *node, const struct ppi_value *values,
                               struct perfpred_error *error);
  /* An access of a nest, subscripts resolved; NULL: nests are PERFPRED_UNSUPPORTED. */
  enum perfpred_status (*access)(void *data, const struct ppi_node *node, int buffer, const int64_t *subscripts,
                                 struct perfpred_error *error);
  /* A work buffer comes into being (of the program itself at the start, of a called program at its call) and goes; `buffer` is the number
     that views will use. NULL: ignored. */
  enum perfpred_status (*enter)(void *data, int buffer, const struct ppi_buffer *what, int64_t rows, int64_t columns,
                                struct perfpred_error *error);
  void (*leave)(void *data, int buffer);
  /* A program begins, the walk's own first, and ends; loops: how many are open around it. NULL: ignored. */
  void (*program)(void *data, const struct perfpred_program *program, int loops, bool begins);
  uint64_t limit;     /* most calls (or accesses), and most iterations and runs of programs; 0: 10^8 */
  bool without_views; /* data are neither computed nor checked (buffer -1): for sums that need sizes only */
  /* NULL: every loop runs from its bounds. Otherwise loops that are in no other loop run these blocks instead, whatever their bounds
     say, and `block` is told which one begins; at the end of such a loop it is told -1. */
  const struct ppi_walk_block *blocks;
  int block_count;
  void (*block)(void *data, const struct ppi_node *loop, int index);
  /* A `for` begins: a reader that goes through it by itself sets *done. slots: values of the names around it. NULL: none does. */
  enum perfpred_status (*loop)(void *data, const struct ppi_node *loop, const int64_t *slots,
                               const struct ppi_loop *range, bool *done, struct perfpred_error *error);
  /* Once in 4096 iterations and runs of programs: anything but PERFPRED_OK ends the walk. NULL: ignored. */
  enum perfpred_status (*pulse)(void *data, struct perfpred_error *error);
  /* An iteration of a loop that is in no other one begins. NULL: ignored. */
  void (*start)(void *data, const struct ppi_node *loop, const struct ppi_walk_block *block);
  /* An iteration of a loop begins and ends; loops: how many are open around it. NULL: ignored. */
  void (*iteration)(void *data, int loops, bool begins);
};

/* Buffers of the program itself have their own numbers (0 .. buffer_count); those of called programs get numbers above. No allocation. */
enum perfpred_status ppi_program_walk(const struct perfpred_program *program, const int64_t *parameters, size_t count,
                                      const struct ppi_walker *walker, void *data, struct perfpred_error *error);

/* Rows and columns of buffer `index` for the parameters (columns 1 for a vector; of an array the product of all extents but the first). */
enum perfpred_status ppi_buffer_extent(const struct perfpred_program *program, int index, const int64_t *parameters,
                                       int64_t *rows, int64_t *columns, struct perfpred_error *error);

#endif
