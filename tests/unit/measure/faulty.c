/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is BLAS and LAPACK enough for the worker, and misbehaves at certain sizes. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CRASH = 13, HANG = 14, LEAVE = 15, ABORT = 17, CHATTER = 18, COMPLAIN = 19 };

#define EXPORT __attribute__((visibility("default")))

EXPORT void xerbla_(const char *name, const int *place, size_t length);
EXPORT int idamax_(const int *n, const double *x, const int *incx);
EXPORT void ilaver_(int *major, int *minor, int *patch);
EXPORT void dpotrf_(void);
EXPORT void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                   const double *beta, double *c, const int *ldc, size_t transa_length, size_t transb_length);

/* Like that of the reference libraries, it stops the program: the worker's has to come first. */
void xerbla_(const char *name, const int *place, size_t length) {
  printf(" ** On entry to %.*s parameter number %d had an illegal value\n", (int)length, name, *place);
  exit(0);
}

int idamax_(const int *n, const double *x, const int *incx) {
  int best = 0;
  for (int i = 1; i < *n; i++)
    if (x[i * *incx] > x[best * *incx])
      best = i;
  return *n > 0 ? best + 1 : 0;
}

void ilaver_(int *major, int *minor, int *patch) {
  *major = 9;
  *minor = 8;
  *patch = 7;
}

void dpotrf_(void) {
}

static void misbehave(int m) {
  const int place = 5;
  switch (m) {
  case CRASH:
    raise(SIGSEGV);
    break;
  case HANG:
    for (;;)
      sleep(1000);
  case LEAVE:
    fputs("faulty library: no more\n", stderr);
    exit(3);
  case ABORT:
    abort();
  case CHATTER:
    for (int i = 0; i < 1000; i++)
      printf("a line on standard output\n");
    fflush(stdout);
    break;
  case COMPLAIN:
    xerbla_("DGEMM ", &place, 6);
    break;
  default:
    break;
  }
}

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t transa_length, size_t transb_length) {
  (void)transa;
  (void)transb;
  (void)transa_length;
  (void)transb_length;
  misbehave(*m);
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *m; i++) {
      double sum = 0.0;
      for (int l = 0; l < *k; l++)
        sum += a[i + l * *lda] * b[l + j * *ldb];
      c[i + j * *ldc] = *alpha * sum + (*beta != 0.0 ? *beta * c[i + j * *ldc] : 0.0);
    }
}
