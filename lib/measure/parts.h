/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of the parts of subjects: each has a history of its own, in step with that of the whole subject. */
#ifndef PPI_MEASURE_PARTS_H
#define PPI_MEASURE_PARTS_H

#include "measure/history.h"

struct ppi_parts {
  size_t each; /* parts of a subject; 0: none, and nothing is done */
  size_t count;
  struct ppi_history *histories; /* count; those of a subject side by side */
};

enum perfpred_status ppi_parts_init(struct ppi_parts *parts, size_t subjects, size_t each,
                                    struct perfpred_error *error);
void ppi_parts_free(struct ppi_parts *parts);
/* A sample of the whole of a subject and the times of its parts; negative: no sample of that part. */
enum perfpred_status ppi_parts_add(struct ppi_parts *parts, size_t subject, const struct ppi_sample *whole,
                                   const double *times_s, struct perfpred_error *error);
void ppi_parts_close_batch(struct ppi_parts *parts, size_t subject, double before_s, double after_s);
/* What a subject's parts come to, as ppi_history_conclude says of its whole; parts without samples have none. measure_s of the whole is
   shared out by time. On failure nothing is left to free. */
enum perfpred_status ppi_parts_conclude(struct ppi_parts *parts, size_t subject, const struct ppi_history *whole,
                                        const struct ppi_level *level, double gate, double exponent,
                                        struct ppi_result *results, struct perfpred_error *error);

#endif
