/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing an expansion: frames are programs whose statements are being written (expand_frame.c), blocks become text (expand_block.c),
   calls become blocks again (expand.c). */
#ifndef PPI_AFFINE_EXPAND_WRITER_H
#define PPI_AFFINE_EXPAND_WRITER_H

#include "affine/expand.h"
#include "affine/expand_span.h"
#include "base/text.h"

struct ppi_unit;

/* Where a buffer lies: from (row, column) on in an array of the nest. */
struct ppi_place_view {
  char array[PPI_NAME_MAX];
  bool vector, by_row;
  char *row, *column; /* expressions of the nest; owned */
  int argument;       /* of the call that is being expanded: the innermost one of the algorithm's text */
};

/* A program whose statements are being written. */
struct ppi_expanded {
  const struct perfpred_program *program;
  const struct ppi_expanded *caller;
  int level, call; /* call: of the algorithm's text that is being expanded; -1: none, it is an algorithm */
  uint64_t way;    /* tells apart the calls by which an algorithm is reached */
  char *texts[PPI_SLOT_MAX];
  const char *names[PPI_SLOT_MAX];
  struct ppi_span spans[PPI_SLOT_MAX]; /* of the values, wherever the statements are */
  struct ppi_place_view places[PPI_BUFFER_MAX];
};

struct ppi_writer {
  struct ppi_expansion *expansion;
  struct ppi_unit *references;
  struct ppi_text arrays, body;
  int blocks, scratch; /* open blocks; arrays made for called programs */
  struct perfpred_error *error;
};

/* expand_frame.c */
void ppi_frame_clear(struct ppi_expanded *frame);
struct ppi_scope ppi_frame_scope(const struct ppi_expanded *frame);
struct ppi_span ppi_frame_span(const struct ppi_expanded *frame, const struct ppi_expr *expr);
/* Whether an expression is the same number wherever the frame's statements are. */
bool ppi_frame_is_known(const struct ppi_expanded *frame, const struct ppi_expr *expr, int64_t *value);
void ppi_frame_print(const struct ppi_expanded *frame, const struct ppi_expr *expr, struct ppi_text *text);
enum perfpred_status ppi_writer_take(struct ppi_writer *writer, struct ppi_text *text, char **taken);
enum perfpred_status ppi_frame_set(struct ppi_writer *writer, struct ppi_expanded *frame, int slot, int64_t value);
/* The value of an expression of another frame, as a number where it is one. */
enum perfpred_status ppi_frame_pass(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                    const struct ppi_expr *expr, struct ppi_expanded *callee, int slot);
/* A name for a loop or let; those of called programs are their own. */
enum perfpred_status ppi_frame_define(struct ppi_writer *writer, struct ppi_expanded *frame, int slot);
/* A sum of an expression of the nest and one of a frame. */
enum perfpred_status ppi_frame_add(struct ppi_writer *writer, const char *base, const struct ppi_expanded *frame,
                                   const struct ppi_expr *expr, char **sum);
/* The view that an operand of the frame's program stands for. */
enum perfpred_status ppi_frame_view(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                    const struct ppi_operand *operand, struct ppi_place_view *view);

/* expand_block.c */
enum perfpred_status ppi_writer_block(struct ppi_writer *writer, struct ppi_expanded *frame,
                                      const struct ppi_node *node);
/* An access to the element that a scalar, or the result, of a call of the frame's program is. */
enum perfpred_status ppi_writer_element(struct ppi_writer *writer, const struct ppi_expanded *frame,
                                        const struct ppi_operand *operand, enum ppi_direction access, int call,
                                        int argument);
/* PERFPRED_LIMIT: the text has become too long. */
enum perfpred_status ppi_writer_check(const struct ppi_writer *writer, const struct ppi_expanded *frame);

/* expand.c */
enum perfpred_status ppi_writer_call(struct ppi_writer *writer, struct ppi_expanded *frame,
                                     const struct ppi_node *node);
enum perfpred_status ppi_writer_run(struct ppi_writer *writer, struct ppi_expanded *frame, const struct ppi_node *node);

#endif
