/* SPDX-License-Identifier: BSD-3-Clause */
/* Times LAPACK's routines as a program that knows nothing of us calls them. Reads lines "ROUTINE N", answers each with the seconds of one
   call on fresh operands. bench/override.py runs several of these side by side, each with another decision table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

extern void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
extern void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
extern void dgetri_(const int *, double *, const int *, const int *, double *, const int *, int *);
extern void dtrtri_(const char *, const char *, const int *, double *, const int *, int *, size_t, size_t);
extern void dlauum_(const char *, const int *, double *, const int *, int *, size_t);
extern void dsygst_(const int *, const char *, const int *, double *, const int *, const double *, const int *, int *,
                    size_t);
typedef void orthogonal_fn(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
extern orthogonal_fn dgeqrf_, dgelqf_;
typedef void factor_fn(const int *, const int *, const int *, double *, const int *, const double *, double *,
                       const int *, int *);
extern factor_fn dorgqr_, dorglq_;
typedef void multiply_fn(const char *, const char *, const int *, const int *, const int *, double *, const int *,
                         const double *, double *, const int *, double *, const int *, int *, size_t, size_t);
extern multiply_fn dormqr_, dormlq_;
extern void dsytrd_(const char *, const int *, double *, const int *, double *, double *, double *, double *,
                    const int *, int *, size_t);
extern void dgebrd_(const int *, const int *, double *, const int *, double *, double *, double *, double *, double *,
                    const int *, int *);
extern void dgehrd_(const int *, const int *, const int *, double *, const int *, double *, double *, const int *,
                    int *);
extern void dsytrf_(const char *, const int *, double *, const int *, int *, double *, const int *, int *, size_t);

/* What a call works on. a, or c where a holds reflectors: as it is before a call; x: what the call gets. Only what a routine needs is there,
   for several such processes run side by side. */
struct operands {
  char routine[32];
  int n, lwork;
  double *a, *b, *c, *x, *d, *e, *tau, *taup, *work;
  int *pivots;
};

static double *allocate(size_t count) {
  double *array = malloc((count > 0 ? count : 1) * sizeof *array);
  if (!array) {
    fprintf(stderr, "override-driver: out of memory\n");
    exit(1);
  }
  return array;
}

static void release(struct operands *o) {
  double *arrays[] = { o->a, o->b, o->c, o->x, o->d, o->e, o->tau, o->taup, o->work };
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
  free(o->pivots);
  memset(o, 0, sizeof *o);
}

/* Symmetric, positive definite, well conditioned. */
static void fill(double *a, int n) {
  unsigned long long state = 88172645463325252ULL;
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      double value = (double)(state >> 11) / 9007199254740992.0 - 0.5;
      a[(size_t)j * (size_t)n + (size_t)i] = a[(size_t)i * (size_t)n + (size_t)j] = value;
    }
  for (int i = 0; i < n; i++)
    a[(size_t)i * (size_t)n + (size_t)i] = n;
}

static int begins(const struct operands *o, const char *name) {
  return strncmp(o->routine, name, strlen(name)) == 0;
}

/* Products with Q work on another matrix than that of the reflectors. */
static int multiplies(const struct operands *o) {
  return begins(o, "dormqr") || begins(o, "dormlq");
}

/* The letter behind the dash: "dpotrf-u", "dormqr-lt". */
static char option(const struct operands *o, int place, char usual) {
  const char *dash = strchr(o->routine, '-');
  if (!dash || strlen(dash) < (size_t)place + 2)
    return usual;
  return (char)(dash[place + 1] - 'a' + 'A');
}

/* Routines without a workspace. */
static int call_plain(struct operands *o) {
  const int n = o->n, one = 1;
  const char uplo = option(o, 0, 'L');
  int info = -100;
  if (begins(o, "dpotrf"))
    dpotrf_(&uplo, &n, o->x, &n, &info, 1);
  else if (begins(o, "dgetrf"))
    dgetrf_(&n, &n, o->x, &n, o->pivots, &info);
  else if (begins(o, "dtrtri"))
    dtrtri_(&uplo, "N", &n, o->x, &n, &info, 1, 1);
  else if (begins(o, "dlauum"))
    dlauum_(&uplo, &n, o->x, &n, &info, 1);
  else if (begins(o, "dsygst"))
    dsygst_(&one, &uplo, &n, o->x, &n, o->b, &n, &info, 1);
  return info;
}

/* Reductions and the like. Returns whether it is one. */
static int call_reduction(struct operands *o, int lwork, int *info) {
  const int n = o->n, one = 1;
  const char uplo = option(o, 0, 'L');
  if (begins(o, "dsytrd"))
    dsytrd_(&uplo, &n, o->x, &n, o->d, o->e, o->tau, o->work, &lwork, info, 1);
  else if (begins(o, "dgebrd"))
    dgebrd_(&n, &n, o->x, &n, o->d, o->e, o->tau, o->taup, o->work, &lwork, info);
  else if (begins(o, "dgehrd"))
    dgehrd_(&n, &one, &n, o->x, &n, o->tau, o->work, &lwork, info);
  else if (begins(o, "dsytrf"))
    dsytrf_(&uplo, &n, o->x, &n, o->pivots, o->work, &lwork, info, 1);
  else if (begins(o, "dgetri"))
    dgetri_(&n, o->x, &n, o->pivots, o->work, &lwork, info);
  else
    return 0;
  return 1;
}

/* One call; with lwork -1 a question for the workspace where the routine has one. */
static int call(struct operands *o, int lwork) {
  const int n = o->n;
  const char side = option(o, 0, 'L'), trans = option(o, 1, 'N');
  int info = 0;
  if (call_reduction(o, lwork, &info))
    return info;
  if (begins(o, "dgeqrf") || begins(o, "dgelqf"))
    (begins(o, "dgeqrf") ? dgeqrf_ : dgelqf_)(&n, &n, o->x, &n, o->tau, o->work, &lwork, &info);
  else if (begins(o, "dorgqr") || begins(o, "dorglq"))
    (begins(o, "dorgqr") ? dorgqr_ : dorglq_)(&n, &n, &n, o->x, &n, o->tau, o->work, &lwork, &info);
  else if (multiplies(o))
    (begins(o, "dormqr") ? dormqr_ : dormlq_)(&side, &trans, &n, &n, &n, o->a, &n, o->tau, o->x, &n, o->work, &lwork,
                                              &info, 1, 1);
  else if (lwork < 0)
    o->work[0] = 1;
  else
    info = call_plain(o);
  return info;
}

/* What the routine needs of others, untimed. */
static int prepare(struct operands *o) {
  const int n = o->n;
  const char uplo = option(o, 0, 'L');
  const size_t size = (size_t)n * (size_t)n;
  int info = 0, lwork = 64 * (n > 0 ? n : 1);
  double *work = allocate((size_t)lwork);
  if (begins(o, "dsygst")) {
    memcpy(o->b, o->a, size * sizeof *o->b);
    dpotrf_(&uplo, &n, o->b, &n, &info, 1);
  } else if (begins(o, "dgetri")) {
    dgetrf_(&n, &n, o->a, &n, o->pivots, &info);
  } else if (begins(o, "dorgqr") || begins(o, "dormqr")) {
    dgeqrf_(&n, &n, o->a, &n, o->tau, work, &lwork, &info);
  } else if (begins(o, "dorglq") || begins(o, "dormlq")) {
    dgelqf_(&n, &n, o->a, &n, o->tau, work, &lwork, &info);
  }
  free(work);
  return info;
}

static int set_up(struct operands *o, const char *routine, int n) {
  const size_t size = (size_t)n * (size_t)n;
  release(o);
  snprintf(o->routine, sizeof o->routine, "%s", routine);
  o->n = n;
  o->a = allocate(size);
  o->b = begins(o, "dsygst") ? allocate(size) : NULL;
  o->c = multiplies(o) ? allocate(size) : NULL;
  o->x = allocate(size);
  o->d = allocate((size_t)n);
  o->e = allocate((size_t)n);
  o->tau = allocate((size_t)n);
  o->taup = allocate((size_t)n);
  o->work = allocate(1);
  o->pivots = calloc((size_t)n + 1, sizeof *o->pivots);
  fill(o->a, n);
  if (o->c)
    memcpy(o->c, o->a, size * sizeof *o->c);
  if (!o->pivots || prepare(o) != 0 || call(o, -1) != 0)
    return 0;
  o->lwork = (int)o->work[0];
  free(o->work);
  o->work = allocate((size_t)(o->lwork > 0 ? o->lwork : 1));
  return 1;
}

static double time_call(struct operands *o) {
  memcpy(o->x, multiplies(o) ? o->c : o->a, (size_t)o->n * (size_t)o->n * sizeof *o->x);
  double begin = bench_now_s();
  int info = call(o, o->lwork > 0 ? o->lwork : 1);
  double end = bench_now_s();
  return info == 0 ? end - begin : -1.0;
}

int main(void) {
  struct operands operands = { .n = -1 };
  char line[128], routine[32];
  int n;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%31s %d", routine, &n) != 2 || n < 1 || n > 46340) {
      printf("error: expected ROUTINE N\n");
    } else if ((strcmp(operands.routine, routine) != 0 || operands.n != n) && !set_up(&operands, routine, n)) {
      printf("error: %s cannot be run for n = %d\n", routine, n);
      release(&operands);
    } else {
      printf("%.9f\n", time_call(&operands));
    }
    fflush(stdout);
  }
  release(&operands);
  return 0;
}
