/* SPDX-License-Identifier: BSD-3-Clause */
/* What reference LAPACK 3.11 asks ILAENV, and its answers; tests/trace compares them with the library's. */
#include "api/tunable.h"

#include <perfpred/decisions.h>
#include <string.h>

#include "base/error.h"

#define N1 PPI_TABLE_N1
#define N3 PPI_TABLE_N3
#define MIN12 PPI_TABLE_MIN12
#define MAX123 PPI_TABLE_MAX123
#define SPAN23 PPI_TABLE_SPAN23

/* Groups: triangles and LU; reflectors; reductions and indefinite matrices, whose panels read the whole matrix for each column, so that
   wide ones are long to measure and gain nothing. Of xSYGST ILAENV does not learn which ITYPE it is: it is decided for 1. T: how
   TRANS is spelled. */
#define FAMILY(L, l, SY, sy, OR, or, T)                                                                                \
  { L "POTRF", "L", l "potrf", N1, 0, 256, 64, -1 }, { L "POTRF", "U", l "potrf-u", N1, 0, 256, 64, -1 },              \
      { L "GETRF", "", l "getrf", MIN12, 0, 256, 64, -1 }, { L "GETRI", "", l "getri", N1, 0, 256, 64, -1 },           \
      { L "TRTRI", "L", l "trtri", N1, 0, 256, 64, -1 }, { L "TRTRI", "U", l "trtri-u", N1, 0, 256, 64, -1 },          \
      { L "LAUUM", "L", l "lauum", N1, 0, 256, 64, -1 }, { L "LAUUM", "U", l "lauum-u", N1, 0, 256, 64, -1 },          \
      { SY "GST", "L", sy "gst", N1, 0, 256, 64, -1 }, { SY "GST", "U", sy "gst-u", N1, 0, 256, 64, -1 },              \
      { L "GEQRF", "", l "geqrf-nx", MIN12, 1, 128, 32, 128 },                                                         \
      { L "GELQF", "", l "gelqf-nx", MIN12, 1, 128, 32, 128 }, { OR "GQR", "", or "gqr-nx", N3, 1, 128, 32, 128 },     \
      { OR "GLQ", "", or "glq-nx", N3, 1, 128, 32, 128 }, { OR "MQR", "LN", or "mqr-ln", MAX123, 1, 64, 32, -1 },      \
      { OR "MQR", "L" T, or "mqr-lt", MAX123, 1, 64, 32, -1 }, { OR "MQR", "RN", or "mqr-rn", MAX123, 1, 64, 32, -1 }, \
      { OR "MQR", "R" T, or "mqr-rt", MAX123, 1, 64, 32, -1 }, { OR "MLQ", "LN", or "mlq-ln", MAX123, 1, 64, 32, -1 }, \
      { OR "MLQ", "L" T, or "mlq-lt", MAX123, 1, 64, 32, -1 }, { OR "MLQ", "RN", or "mlq-rn", MAX123, 1, 64, 32, -1 }, \
      { OR "MLQ", "R" T, or "mlq-rt", MAX123, 1, 64, 32, -1 }, { SY "TRD", "L", sy "trd", N1, 2, 96, 32, 32 },         \
      { SY "TRD", "U", sy "trd-u", N1, 2, 96, 32, 32 }, { L "GEBRD", "", l "gebrd", MIN12, 2, 96, 32, 128 },           \
      { L "GEHRD", "", l "gehrd", SPAN23, 2, 64, 32, 128 }, { SY "TRF", "L", sy "trf", N1, 2, 96, 64, -1 }, {          \
    SY "TRF", "U", sy "trf-u", N1, 2, 96, 64, -1                                                                       \
  }
#define SYMMETRIC(L, l)                                                                                                \
  { L "SYTRF", "L", l "sytrf", N1, 2, 96, 64, -1 }, {                                                                  \
    L "SYTRF", "U", l "sytrf-u", N1, 2, 96, 64, -1                                                                     \
  }

static const struct ppi_tunable all[] = {
  FAMILY("D", "d", "DSY", "dsy", "DOR", "dor", "T"), FAMILY("S", "s", "SSY", "ssy", "SOR", "sor", "T"),
  FAMILY("Z", "z", "ZHE", "zhe", "ZUN", "zun", "C"), SYMMETRIC("Z", "z"),
  FAMILY("C", "c", "CHE", "che", "CUN", "cun", "C"), SYMMETRIC("C", "c"),
};

/* The reductions do half of their work in products with a vector, which run at the speed of memory. */
static const double shares[] = { 0.35, 0.35, 0.3 };

size_t ppi_tunable_count(void) {
  return sizeof all / sizeof all[0];
}

const struct ppi_tunable *ppi_tunable_at(size_t index) {
  return &all[index];
}

size_t perfpred_tunable_count(void) {
  return ppi_tunable_count();
}

#define INFO_LEAST (offsetof(struct perfpred_tunable, share) + sizeof(double)) /* of release 0.1 */

enum perfpred_status perfpred_tunable_info(size_t index, struct perfpred_tunable *info, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!info || info->size < INFO_LEAST)
    return ppi_error_set(error, PERFPRED_INVALID, "info is NULL or its size wrong; expected PERFPRED_TUNABLE_INIT");
  if (index >= ppi_tunable_count())
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "index is %zu; there are %zu", index, ppi_tunable_count());
  const struct ppi_tunable *tunable = &all[index];
  const struct perfpred_tunable full = { .size = info->size,
                                         .routine = tunable->routine,
                                         .options = tunable->options,
                                         .algorithm = tunable->algorithm,
                                         .group = tunable->group,
                                         .b_upper = tunable->b_upper,
                                         .nb = tunable->nb,
                                         .nx = tunable->nx,
                                         .share = shares[tunable->group] };
  memcpy(info, &full, full.size < sizeof full ? full.size : sizeof full);
  return PERFPRED_OK;
}
