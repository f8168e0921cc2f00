/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of sizes from texts such as "24:536:8,24/48/96@4096". */
#ifndef STUDY_BOXES_H
#define STUDY_BOXES_H

#include "kernel/kernel.h"
#include "measure/random.h"

struct boxes_point {
  int64_t sizes[PPI_SIZE_MAX];
  int64_t ld;
};

struct boxes {
  struct boxes_point *points;
  size_t count, capacity;
};

/* Adds all points of a box; ld: where the text has none. PERFPRED_SYNTAX, PERFPRED_LIMIT. */
enum perfpred_status boxes_add(struct boxes *boxes, int dimensions, const char *text, int64_t ld,
                               struct perfpred_error *error);
/* Takes repeats out and brings the points into an order that depends on the seed alone. */
void boxes_shuffle(struct boxes *boxes, struct ppi_random *random);
void boxes_release(struct boxes *boxes);

#endif
