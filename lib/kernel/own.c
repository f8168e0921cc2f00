/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops stand as LAPACK has them, in its order over the elements: their time is the strides', not the operations'. */
#include "kernel/own.h"

#include <complex.h>
#include <stdint.h>
#include <string.h>

/* NOLINTBEGIN(bugprone-macro-parentheses): types and names cannot stand in parentheses */
/* B := B - op(A), m x n. LAPACK walks along the rows of B where A is transposed (the ends of xLARFB and xGEHRD). */
#define DEFINE_SUB(NAME, INT, TYPE, CONJ)                                                                              \
  static void NAME(const char *trans, const INT *m, const INT *n, const TYPE *a, const INT *lda, TYPE *b,              \
                   const INT *ldb, size_t length) {                                                                    \
    (void)length;                                                                                                      \
    const int64_t rows = *m, columns = *n, la = *lda, lb = *ldb;                                                       \
    if (*trans == 'N')                                                                                                 \
      for (int64_t j = 0; j < columns; j++)                                                                            \
        for (int64_t i = 0; i < rows; i++)                                                                             \
          b[i + j * lb] -= a[i + j * la];                                                                              \
    else if (*trans == 'T')                                                                                            \
      for (int64_t i = 0; i < rows; i++)                                                                               \
        for (int64_t j = 0; j < columns; j++)                                                                          \
          b[i + j * lb] -= a[j + i * la];                                                                              \
    else                                                                                                               \
      for (int64_t i = 0; i < rows; i++)                                                                               \
        for (int64_t j = 0; j < columns; j++)                                                                          \
          b[i + j * lb] -= CONJ(a[j + i * la]);                                                                        \
  }

/* A := 0, m x n (xORGQR). */
#define DEFINE_ZERO(NAME, INT, TYPE)                                                                                   \
  static void NAME(const INT *m, const INT *n, TYPE *a, const INT *lda) {                                              \
    for (int64_t j = 0; j < *n; j++)                                                                                   \
      for (int64_t i = 0; i < *m; i++)                                                                                 \
        a[i + j * (int64_t)*lda] = 0;                                                                                  \
  }

#define IDENTITY(x) (x)
#define DEFINE_TYPES(INT, BITS)                                                                                        \
  DEFINE_SUB(sgesub##BITS, INT, float, IDENTITY)                                                                       \
  DEFINE_SUB(dgesub##BITS, INT, double, IDENTITY)                                                                      \
  DEFINE_SUB(cgesub##BITS, INT, float _Complex, conjf)                                                                 \
  DEFINE_SUB(zgesub##BITS, INT, double _Complex, conj)                                                                 \
  DEFINE_ZERO(sgezero##BITS, INT, float)                                                                               \
  DEFINE_ZERO(dgezero##BITS, INT, double)                                                                              \
  DEFINE_ZERO(cgezero##BITS, INT, float _Complex)                                                                      \
  DEFINE_ZERO(zgezero##BITS, INT, double _Complex)                                                                     \
  /* ipiv := ipiv + k (xGETRF: pivots of a panel count from its first row) */                                          \
  static void pivadd##BITS(const INT *n, const INT *k, INT *ipiv) {                                                    \
    for (INT i = 0; i < *n; i++)                                                                                       \
      ipiv[i] += *k;                                                                                                   \
  }

DEFINE_TYPES(int32_t, 32)
DEFINE_TYPES(int64_t, 64)
/* NOLINTEND(bugprone-macro-parentheses) */

#define SUB_BODY(TRANSPOSED)                                                                                           \
  "  (void)length;\n"                                                                                                  \
  "  for (int i = 0; i < *m; i++)\n"                                                                                   \
  "    for (int j = 0; j < *n; j++)\n"                                                                                 \
  "      b[i + j * (ptrdiff_t)*ldb] -= *trans == 'N' ? a[i + j * (ptrdiff_t)*lda] : " TRANSPOSED ";\n"
#define TRANSPOSED "a[j + i * (ptrdiff_t)*lda]"
#define ZERO_BODY                                                                                                      \
  "  for (int j = 0; j < *n; j++)\n"                                                                                   \
  "    for (int i = 0; i < *m; i++)\n"                                                                                 \
  "      a[i + j * (ptrdiff_t)*lda] = 0;\n"
#define PIVADD_BODY                                                                                                    \
  "  for (int i = 0; i < *n; i++)\n"                                                                                   \
  "    ipiv[i] += *k;\n"

#define OWN(NAME, ROUTINE, BODY)                                                                                       \
  { #NAME, (perfpred_fortran_fn *)ROUTINE##32, (perfpred_fortran_fn *)ROUTINE##64, BODY }

static const struct own {
  const char *name;
  perfpred_fortran_fn *narrow, *wide;
  const char *body;
} routines[] = {
  OWN(sgesub, sgesub, SUB_BODY(TRANSPOSED)),
  OWN(dgesub, dgesub, SUB_BODY(TRANSPOSED)),
  OWN(cgesub, cgesub, SUB_BODY("*trans == 'C' ? conjf(" TRANSPOSED ") : " TRANSPOSED)),
  OWN(zgesub, zgesub, SUB_BODY("*trans == 'C' ? conj(" TRANSPOSED ") : " TRANSPOSED)),
  OWN(sgezero, sgezero, ZERO_BODY),
  OWN(dgezero, dgezero, ZERO_BODY),
  OWN(cgezero, cgezero, ZERO_BODY),
  OWN(zgezero, zgezero, ZERO_BODY),
  OWN(spivadd, pivadd, PIVADD_BODY),
  OWN(dpivadd, pivadd, PIVADD_BODY),
  OWN(cpivadd, pivadd, PIVADD_BODY),
  OWN(zpivadd, pivadd, PIVADD_BODY),
};

static const struct own *find(const char *name) {
  for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++)
    if (strcmp(routines[i].name, name) == 0)
      return &routines[i];
  return NULL;
}

perfpred_fortran_fn *ppi_kernel_own(const char *name, bool ilp64) {
  const struct own *own = find(name);
  return !own ? NULL : ilp64 ? own->wide : own->narrow;
}

const char *ppi_kernel_own_body(const char *name) {
  const struct own *own = find(name);
  return own ? own->body : NULL;
}
