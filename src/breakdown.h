/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of validated points split by kernels: which kernel's model is at fault where a prediction is wrong. */
#ifndef COMMAND_BREAKDOWN_H
#define COMMAND_BREAKDOWN_H

#include "session.h"

/* One kernel at one point, or at all of them. */
struct breakdown_row {
  const char *kernel; /* borrowed from the plans */
  uint64_t calls;
  double predicted_s, measured_s;
  double missed_s; /* sum over the points of |predicted - measured| */
  double noise_s;  /* sum of noise times measured time */
};

struct breakdown_rows {
  struct breakdown_row items[SESSION_KERNELS];
  size_t count;
};

/* All zero: not asked for. */
struct breakdown {
  struct breakdown_rows *points; /* in the order of the calls */
  size_t count;
  struct breakdown_rows sum; /* the one with the largest share of the error first */
};

/* Executes the points one after the other, timed call by call; a budget is shared out among them. A message and an exit code on failure;
   release either way. */
int breakdown_measure(struct session *session, const struct perfpred_measure_options *options,
                      const struct perfpred_validation_point *points, size_t count, struct breakdown *breakdown);
/* A block of lines for each point, and one for all of them; returns an exit code. */
int breakdown_print(const struct breakdown *breakdown, const struct session *session,
                    const struct perfpred_validation_point *points);
/* Member "kernels" of a point, and of the whole; nothing where they were not asked for. */
void breakdown_write_point(struct document *document, const struct breakdown *breakdown, size_t which);
void breakdown_write(struct document *document, const struct breakdown *breakdown);
void breakdown_release(struct breakdown *breakdown);

#endif
