/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of the override: it calls LAPACK, and tells which block sizes LAPACK used, by standing in front of
 * the unblocked routines and of xLARFB.
 *
 *   host ask ISPEC NAME OPTS N1 N2 N3 N4      what ILAENV answers
 *   host fork ISPEC NAME OPTS N1 N2 N3 N4     the same in this process and in a child
 *   host starved descriptors|memory           the same of DPOTRF, when there is no more of them
 *   host private LIBRARY N                    dpotrf of a LAPACK that was loaded with RTLD_LOCAL
 *   host ROUTINE N                            dpotrf dgetrf dgeqrf dsytrf dgelsy dgelsd dgesdd dsyevd dsyevr dgeev dgees dggev
 *
 * Prints "info INFO", "result SUM" and "blocks B B ..." (each size once, in the order of their first use). */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int ilaenv_(const int *ispec, const char *name, const char *options, const int *n1, const int *n2, const int *n3,
            const int *n4, size_t name_length, size_t options_length);

/* --- Block sizes that were used ----------------------------------------------------------------------------------------- */

static struct { int sizes[64], count; } used;

static void note(int size) {
  for (int i = 0; i < used.count; i++)
    if (used.sizes[i] == size)
      return;
  if (used.count < 64)
    used.sizes[used.count++] = size;
}

/* Each of these stands in front of LAPACK's and calls it. */
void dpotrf2_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length);
void dpotrf2_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length) {
  static void (*next)(const char *, const int *, double *, const int *, int *, size_t);
  static int depth;
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "dpotrf2_");
  if (depth == 0) /* it calls itself */
    note(*n);
  depth++;
  next(uplo, n, a, lda, info, length);
  depth--;
}

void dgetrf2_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrf2_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info) {
  static void (*next)(const int *, const int *, double *, const int *, int *, int *);
  static int depth;
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "dgetrf2_");
  if (depth == 0)
    note(*n);
  depth++;
  next(m, n, a, lda, ipiv, info);
  depth--;
}

void dlarfb_(const char *side, const char *trans, const char *direct, const char *storev, const int *m, const int *n,
             const int *k, const double *v, const int *ldv, const double *t, const int *ldt, double *c, const int *ldc,
             double *work, const int *ldwork, size_t l1, size_t l2, size_t l3, size_t l4);
void dlarfb_(const char *side, const char *trans, const char *direct, const char *storev, const int *m, const int *n,
             const int *k, const double *v, const int *ldv, const double *t, const int *ldt, double *c, const int *ldc,
             double *work, const int *ldwork, size_t l1, size_t l2, size_t l3, size_t l4) {
  static void (*next)(const char *, const char *, const char *, const char *, const int *, const int *, const int *,
                      const double *, const int *, const double *, const int *, double *, const int *, double *,
                      const int *, size_t, size_t, size_t, size_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "dlarfb_");
  note(*k);
  next(side, trans, direct, storev, m, n, k, v, ldv, t, ldt, c, ldc, work, ldwork, l1, l2, l3, l4);
}

void dlasyf_(const char *uplo, const int *n, const int *nb, int *kb, double *a, const int *lda, int *ipiv, double *w,
             const int *ldw, int *info, size_t length);
void dlasyf_(const char *uplo, const int *n, const int *nb, int *kb, double *a, const int *lda, int *ipiv, double *w,
             const int *ldw, int *info, size_t length) {
  static void (*next)(const char *, const int *, const int *, int *, double *, const int *, int *, double *,
                      const int *, int *, size_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "dlasyf_");
  note(*nb);
  next(uplo, n, nb, kb, a, lda, ipiv, w, ldw, info, length);
}

/* --- Routines ------------------------------------------------------------------------------------------------------------ */

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work, const int *lwork,
             int *info, size_t length);
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
             int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);
void dgelsd_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
             double *s, const double *rcond, int *rank, double *work, const int *lwork, int *iwork, int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
             size_t length);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t l1, size_t l2);
void dsyevr_(const char *jobz, const char *range, const char *uplo, const int *n, double *a, const int *lda,
             const double *vl, const double *vu, const int *il, const int *iu, const double *abstol, int *m, double *w,
             double *z, const int *ldz, int *isuppz, double *work, const int *lwork, int *iwork, const int *liwork,
             int *info, size_t l1, size_t l2, size_t l3);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info,
            size_t l1, size_t l2);

void dgees_(const char *jobvs, const char *sort, int (*select)(const double *, const double *), const int *n, double *a,
            const int *lda, int *sdim, double *wr, double *wi, double *vs, const int *ldvs, double *work,
            const int *lwork, int *bwork, int *info, size_t l1, size_t l2);
void dggev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *b, const int *ldb,
            double *alphar, double *alphai, double *beta, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t l1, size_t l2);

struct problem {
  int n;
  double *a, *b, *u, *v; /* n x n each */
  double *s, *t;         /* n each */
  int *integers;         /* 64 n */
  double *work;
  int lwork, info;
};

/* Symmetric, positive definite, and the same at every run. */
static void fill(double *a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      *a++ = cos(1.0 + (i < j ? i : j) * 17.0 + (i < j ? j : i) * 3.0) + (i == j ? 2.0 * n : 0.0);
}

/* A routine is called twice: for the workspace that it wants (lwork -1), and with just that. */
typedef void routine_fn(struct problem *problem);

static void run_dpotrf(struct problem *p) {
  if (p->lwork != -1)
    dpotrf_("L", &p->n, p->a, &p->n, &p->info, 1);
}

static void run_dgetrf(struct problem *p) {
  if (p->lwork != -1)
    dgetrf_(&p->n, &p->n, p->a, &p->n, p->integers, &p->info);
}

static void run_dgeqrf(struct problem *p) {
  dgeqrf_(&p->n, &p->n, p->a, &p->n, p->s, p->work, &p->lwork, &p->info);
}

static void run_dsytrf(struct problem *p) {
  dsytrf_("L", &p->n, p->a, &p->n, p->integers, p->work, &p->lwork, &p->info, 1);
}

static void run_dgelsy(struct problem *p) {
  const double rcond = 1e-12;
  int rank;
  dgelsy_(&p->n, &p->n, &p->n, p->a, &p->n, p->b, &p->n, p->integers, &rcond, &rank, p->work, &p->lwork, &p->info);
}

static void run_dgelsd(struct problem *p) {
  const double rcond = 1e-12;
  int rank;
  dgelsd_(&p->n, &p->n, &p->n, p->a, &p->n, p->b, &p->n, p->s, &rcond, &rank, p->work, &p->lwork, p->integers,
          &p->info);
}

static void run_dgesdd(struct problem *p) {
  dgesdd_("S", &p->n, &p->n, p->a, &p->n, p->s, p->u, &p->n, p->v, &p->n, p->work, &p->lwork, p->integers, &p->info, 1);
}

static void run_dsyevd(struct problem *p) {
  const int liwork = p->lwork == -1 ? -1 : 20 * p->n;
  dsyevd_("V", "L", &p->n, p->a, &p->n, p->s, p->work, &p->lwork, p->integers, &liwork, &p->info, 1, 1);
}

static void run_dsyevr(struct problem *p) {
  const int liwork = p->lwork == -1 ? -1 : 18 * p->n;
  const double zero = 0.0;
  const int none = 0;
  int found;
  dsyevr_("V", "A", "L", &p->n, p->a, &p->n, &zero, &zero, &none, &none, &zero, &found, p->s, p->u, &p->n, p->integers,
          p->work, &p->lwork, p->integers + 2 * p->n, &liwork, &p->info, 1, 1, 1);
}

static void run_dgeev(struct problem *p) {
  dgeev_("N", "N", &p->n, p->a, &p->n, p->s, p->t, p->u, &p->n, p->v, &p->n, p->work, &p->lwork, &p->info, 1, 1);
}

static void run_dgees(struct problem *p) {
  int found;
  dgees_("V", "N", NULL, &p->n, p->a, &p->n, &found, p->s, p->t, p->u, &p->n, p->work, &p->lwork, p->integers, &p->info,
         1, 1);
}

/* Eigenvalues alone are compared: the triangles are not unique. */
static void run_dggev(struct problem *p) {
  double *beta = calloc((size_t)p->n, sizeof(double));
  const size_t size = (size_t)p->n * (size_t)p->n;
  fill(p->b, p->n);
  for (int i = 0; i < p->n; i++)
    p->b[(size_t)i * (size_t)(p->n + 1)] += i;
  dggev_("V", "N", &p->n, p->a, &p->n, p->b, &p->n, p->s, p->t, beta, p->v, &p->n, p->u, &p->n, p->work, &p->lwork,
         &p->info, 1, 1);
  for (int i = 0; i < p->n; i++)
    p->s[i] /= beta[i];
  free(beta);
  if (p->lwork == -1)
    return;
  memset(p->a, 0, size * sizeof(double));
  memset(p->b, 0, size * sizeof(double));
  memset(p->v, 0, size * sizeof(double));
}

static const struct {
  const char *name;
  routine_fn *run;
} routines[] = { { "dpotrf", run_dpotrf }, { "dgetrf", run_dgetrf }, { "dgeqrf", run_dgeqrf }, { "dsytrf", run_dsytrf },
                 { "dgelsy", run_dgelsy }, { "dgelsd", run_dgelsd }, { "dgesdd", run_dgesdd }, { "dsyevd", run_dsyevd },
                 { "dsyevr", run_dsyevr }, { "dgeev", run_dgeev },   { "dgees", run_dgees },   { "dggev", run_dggev } };

static void make(struct problem *p, int n) {
  const size_t size = (size_t)n * (size_t)n;
  *p = (struct problem){ .n = n, .lwork = -1 };
  p->a = calloc(size, sizeof(double));
  p->b = calloc(size, sizeof(double));
  p->u = calloc(size, sizeof(double));
  p->v = calloc(size, sizeof(double));
  p->s = calloc((size_t)n, sizeof(double));
  p->t = calloc((size_t)n, sizeof(double));
  p->integers = calloc(64 * (size_t)n, sizeof(int));
  p->work = calloc(1, sizeof(double));
  fill(p->a, n);
  for (size_t i = 0; i < size; i++)
    p->b[i] = sin(1.7 * (double)i);
}

static void release(struct problem *p) {
  free(p->work);
  free(p->integers);
  free(p->t);
  free(p->s);
  free(p->v);
  free(p->u);
  free(p->b);
  free(p->a);
}

/* What does not depend on signs that an algorithm is free to choose. */
static double result_of(const struct problem *p) {
  const size_t size = (size_t)p->n * (size_t)p->n;
  double sum = 0.0;
  for (size_t i = 0; i < size; i++)
    sum += fabs(p->b[i]) + fabs(p->u[i]) + fabs(p->v[i]);
  for (int i = 0; i < p->n; i++)
    sum += fabs(p->a[(size_t)i * (size_t)(p->n + 1)]) + fabs(p->s[i]);
  return sum;
}

static int run(const char *name, int n) {
  struct problem problem;
  for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++) {
    if (strcmp(routines[i].name, name) != 0)
      continue;
    make(&problem, n);
    routines[i].run(&problem);
    const int wanted = problem.info == 0 ? (int)problem.work[0] : 0;
    problem.lwork = wanted > 0 ? wanted : 1;
    free(problem.work);
    problem.work = calloc((size_t)problem.lwork, sizeof(double));
    used.count = 0;
    routines[i].run(&problem);
    printf("info %d\nresult %.12g\nlwork %d\nblocks", problem.info, result_of(&problem), wanted);
    for (int j = 0; j < used.count; j++)
      printf(" %d", used.sizes[j]);
    putchar('\n');
    release(&problem);
    return 0;
  }
  return 2;
}

static int ask(char **words) {
  const int ispec = atoi(words[0]), n1 = atoi(words[3]), n2 = atoi(words[4]), n3 = atoi(words[5]), n4 = atoi(words[6]);
  return ilaenv_(&ispec, words[1], words[2], &n1, &n2, &n3, &n4, strlen(words[1]), strlen(words[2]));
}

static int ask_in_child(char **words) {
  printf("%d\n", ask(words));
  fflush(stdout);
  const pid_t child = fork();
  int state = -1;
  if (child == 0) {
    printf("%d\n", ask(words));
    fflush(stdout);
    _exit(0);
  }
  return waitpid(child, &state, 0) == child && state == 0 ? 0 : 1;
}

static int ask_starved(const char *what) {
  const struct rlimit none = { 0, 0 };
  const int ispec = 1, n = 300, no = -1;
  if (setrlimit(strcmp(what, "memory") == 0 ? RLIMIT_AS : RLIMIT_NOFILE, &none) != 0)
    return 1;
  const int answer = ilaenv_(&ispec, "DPOTRF", "L", &n, &no, &no, &no, 6, 1);
  char text[] = { (char)('0' + answer / 10 % 10), (char)('0' + answer % 10), '\n' };
  return write(STDOUT_FILENO, text, sizeof text) == sizeof text ? 0 : 1;
}

/* As Python and others load it: its symbols are seen by nobody else, and RTLD_NEXT finds none of them. */
static int run_private(const char *path, int n) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void (*dpotrf)(const char *, const int *, double *, const int *, int *, size_t);
  struct problem problem;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void **)&dpotrf = dlsym(library, "dpotrf_");
  make(&problem, n);
  dpotrf("L", &n, problem.a, &n, &problem.info, 1);
  printf("info %d\nresult %.12g\n", problem.info, result_of(&problem));
  release(&problem);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 9 && strcmp(argv[1], "ask") == 0) {
    printf("%d\n", ask(argv + 2));
    return 0;
  }
  if (argc == 9 && strcmp(argv[1], "fork") == 0)
    return ask_in_child(argv + 2);
  if (argc == 3 && strcmp(argv[1], "starved") == 0)
    return ask_starved(argv[2]);
  if (argc == 4 && strcmp(argv[1], "private") == 0)
    return run_private(argv[2], atoi(argv[3]));
  return argc == 3 ? run(argv[1], atoi(argv[2])) : 2;
}
