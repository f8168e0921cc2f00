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

/* The element next to the diagonal := e, d := the diagonal one; L: the one below it, U: the one above (xSYTRD, xHETRD). */
#define DEFINE_TRIDIA(NAME, INT, TYPE, REAL)                                                                           \
  static void NAME(const char *uplo, const INT *n, TYPE *a, const INT *lda, REAL *d, const REAL *e, size_t length) {   \
    (void)length;                                                                                                      \
    const int64_t step = (int64_t)*lda + 1, diagonal = *uplo == 'L' ? 0 : 1;                                           \
    for (int64_t j = 0; j < *n; j++) {                                                                                 \
      a[1 - diagonal + j * step] = e[j];                                                                               \
      d[j] = (REAL)a[diagonal + j * step];                                                                             \
    }                                                                                                                  \
  }

/* The diagonal := d (xGEBRD). */
#define DEFINE_DIAPUT(NAME, INT, TYPE, REAL)                                                                           \
  static void NAME(const INT *n, TYPE *a, const INT *lda, const REAL *d) {                                             \
    for (int64_t j = 0; j < *n; j++)                                                                                   \
      a[j * ((int64_t)*lda + 1)] = d[j];                                                                               \
  }

/* What is below the diagonal moves from A to B and leaves 0 (xGETRI). */
#define DEFINE_TRIMOV(NAME, INT, TYPE)                                                                                 \
  static void NAME(const INT *m, const INT *n, TYPE *a, const INT *lda, TYPE *b, const INT *ldb) {                     \
    const int64_t la = *lda, lb = *ldb;                                                                                \
    for (int64_t j = 0; j < *n; j++)                                                                                   \
      for (int64_t i = j + 1; i < *m; i++) {                                                                           \
        b[i + j * lb] = a[i + j * la];                                                                                 \
        a[i + j * la] = 0;                                                                                             \
      }                                                                                                                \
  }

/* Columns j and ipiv(j) are swapped, from the last j on (xGETRI, by calls of xSWAP). */
#define DEFINE_COLSWP(NAME, INT, TYPE)                                                                                 \
  static void NAME(const INT *m, const INT *n, TYPE *a, const INT *lda, const INT *ipiv) {                             \
    for (int64_t j = (int64_t)*n - 1; j >= 0; j--) {                                                                   \
      TYPE *x = a + j * *lda, *y = a + ((int64_t)ipiv[j] - 1) * *lda;                                                  \
      for (int64_t i = 0; x != y && i < *m; i++) {                                                                     \
        const TYPE element = x[i];                                                                                     \
        x[i] = y[i];                                                                                                   \
        y[i] = element;                                                                                                \
      }                                                                                                                \
    }                                                                                                                  \
  }

/* S: e := a, a := 1. R: a := e (xGEHRD). */
#define DEFINE_ONE(NAME, INT, TYPE)                                                                                    \
  static void NAME(const char *job, const INT *n, TYPE *a, TYPE *e, size_t length) {                                   \
    (void)length;                                                                                                      \
    for (int64_t i = 0; i < *n; i++)                                                                                   \
      if (*job == 'S') {                                                                                               \
        e[i] = a[i];                                                                                                   \
        a[i] = 1;                                                                                                      \
      } else                                                                                                           \
        a[i] = e[i];                                                                                                   \
  }

#define IDENTITY(x) (x)
#define DEFINE_REDUCTIONS(LETTER, INT, BITS, TYPE, REAL)                                                               \
  DEFINE_TRIDIA(LETTER##tridia##BITS, INT, TYPE, REAL)                                                                 \
  DEFINE_DIAPUT(LETTER##diaput##BITS, INT, TYPE, REAL)                                                                 \
  DEFINE_TRIMOV(LETTER##trimov##BITS, INT, TYPE)                                                                       \
  DEFINE_COLSWP(LETTER##colswp##BITS, INT, TYPE)                                                                       \
  DEFINE_ONE(LETTER##geone##BITS, INT, TYPE)
#define DEFINE_TYPES(INT, BITS)                                                                                        \
  DEFINE_SUB(sgesub##BITS, INT, float, IDENTITY)                                                                       \
  DEFINE_SUB(dgesub##BITS, INT, double, IDENTITY)                                                                      \
  DEFINE_SUB(cgesub##BITS, INT, float _Complex, conjf)                                                                 \
  DEFINE_SUB(zgesub##BITS, INT, double _Complex, conj)                                                                 \
  DEFINE_ZERO(sgezero##BITS, INT, float)                                                                               \
  DEFINE_ZERO(dgezero##BITS, INT, double)                                                                              \
  DEFINE_ZERO(cgezero##BITS, INT, float _Complex)                                                                      \
  DEFINE_ZERO(zgezero##BITS, INT, double _Complex)                                                                     \
  DEFINE_REDUCTIONS(s, INT, BITS, float, float)                                                                        \
  DEFINE_REDUCTIONS(d, INT, BITS, double, double)                                                                      \
  DEFINE_REDUCTIONS(c, INT, BITS, float _Complex, float)                                                               \
  DEFINE_REDUCTIONS(z, INT, BITS, double _Complex, double)                                                             \
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
#define TRIDIA_BODY(REAL)                                                                                              \
  "  (void)length;\n"                                                                                                  \
  "  for (int j = 0; j < *n; j++) {\n"                                                                                 \
  "    a[(*uplo == 'L') + j * ((ptrdiff_t)*lda + 1)] = e[j];\n"                                                        \
  "    d[j] = (" REAL ")a[(*uplo == 'U') + j * ((ptrdiff_t)*lda + 1)];\n"                                              \
  "  }\n"
#define DIAPUT_BODY                                                                                                    \
  "  for (int j = 0; j < *n; j++)\n"                                                                                   \
  "    a[j * ((ptrdiff_t)*lda + 1)] = d[j];\n"
#define TRIMOV_BODY                                                                                                    \
  "  for (int j = 0; j < *n; j++)\n"                                                                                   \
  "    for (int i = j + 1; i < *m; i++) {\n"                                                                           \
  "      b[i + j * (ptrdiff_t)*ldb] = a[i + j * (ptrdiff_t)*lda];\n"                                                   \
  "      a[i + j * (ptrdiff_t)*lda] = 0;\n"                                                                            \
  "    }\n"
#define COLSWP_BODY(TYPE)                                                                                              \
  "  for (int j = *n - 1; j >= 0; j--) {\n"                                                                            \
  "    " TYPE " *x = a + j * (ptrdiff_t)*lda, *y = a + (ipiv[j] - 1) * (ptrdiff_t)*lda;\n"                             \
  "    for (int i = 0; x != y && i < *m; i++) {\n"                                                                     \
  "      const " TYPE " element = x[i];\n"                                                                             \
  "      x[i] = y[i];\n"                                                                                               \
  "      y[i] = element;\n"                                                                                            \
  "    }\n"                                                                                                            \
  "  }\n"
#define ONE_BODY                                                                                                       \
  "  (void)length;\n"                                                                                                  \
  "  for (int i = 0; i < *n; i++) {\n"                                                                                 \
  "    if (*job == 'S')\n"                                                                                             \
  "      e[i] = a[i];\n"                                                                                               \
  "    a[i] = *job == 'S' ? 1 : e[i];\n"                                                                               \
  "  }\n"

#define OWN(NAME, ROUTINE, BODY)                                                                                       \
  { #NAME, (perfpred_fortran_fn *)ROUTINE##32, (perfpred_fortran_fn *)ROUTINE##64, BODY }
#define OWN_REDUCTIONS(LETTER, TYPE, REAL)                                                                             \
  OWN(LETTER##tridia, LETTER##tridia, TRIDIA_BODY(REAL)), OWN(LETTER##diaput, LETTER##diaput, DIAPUT_BODY),            \
      OWN(LETTER##trimov, LETTER##trimov, TRIMOV_BODY), OWN(LETTER##colswp, LETTER##colswp, COLSWP_BODY(TYPE)),        \
      OWN(LETTER##geone, LETTER##geone, ONE_BODY)

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
  OWN_REDUCTIONS(s, "float", "float"),
  OWN_REDUCTIONS(d, "double", "double"),
  OWN_REDUCTIONS(c, "float _Complex", "float"),
  OWN_REDUCTIONS(z, "double _Complex", "double"),
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
