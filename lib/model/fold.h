/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates for the calls of one place in a program, one after the other or in rows. In a loop most sizes stay as they are from step to step and the
   others stay in a piece for a while: what the polynomial is with the former filled in is kept as long. */
#ifndef PPI_MODEL_FOLD_H
#define PPI_MODEL_FOLD_H

#include "model/model.h"

#define PPI_FOLD_MAX 16 /* coefficients of a statistic that may be left */
#define PPI_FOLD_LEFT 2 /* sizes that may be left */

struct ppi_fold {
  const struct ppi_piece *piece; /* where the last call was; NULL: nowhere yet, and nothing else is set */
  int64_t sizes[PPI_SIZE_MAX];   /* of the last call */
  int64_t least[PPI_SIZE_MAX], most[PPI_SIZE_MAX]; /* sizes that the piece answers for */
  unsigned varying;                                /* bits: the sizes that changed from one call to the next */
  enum { PPI_FOLD_OPEN, PPI_FOLD_MADE, PPI_FOLD_USELESS } state;
  int left_count; /* MADE: sizes that are not filled in; 0: the coefficient is the value */
  int left[PPI_FOLD_LEFT], degrees[PPI_FOLD_LEFT];
  ppi_pair coefficients[PPI_FOLD_MAX * PPI_PAIRS];
};

/* As ppi_submodel_estimate; with median minimum and median alone. False: the sizes lie outside of the domain or leave nothing to do,
   and there is no estimate. The sub-model has to be packed, and the same for all calls. */
bool ppi_fold_estimate(struct ppi_fold *fold, const struct ppi_submodel *submodel, const int64_t *sizes, bool median,
                       struct ppi_estimate *estimate);

/* Calls one after the other whose sizes change evenly. All of them lie in the domain and leave something to do. */
struct ppi_fold_row {
  int64_t count;
  int64_t sizes[PPI_SIZE_MAX], slopes[PPI_SIZE_MAX]; /* of the first call, and from one to the next */
};
struct ppi_fold_sum {
  struct perfpred_statistics time_s; /* std: sum of the squares. With median the median alone */
  double error_s;                    /* what the estimates may be off by; one that is not known is the whole time */
  unsigned notes;
};
/* Sum of the estimates of a row; the fold is left as if they had been asked for one by one. */
void ppi_fold_sum(struct ppi_fold *fold, const struct ppi_submodel *submodel, const struct ppi_fold_row *row,
                  bool median, struct ppi_fold_sum *sum);

#endif
