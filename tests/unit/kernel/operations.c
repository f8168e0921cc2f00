/* SPDX-License-Identifier: BSD-3-Clause */
/* The formulas of every kernel of the catalogue against loops that count, for all flags and for sizes up to 7. */
#include <stdio.h>

#include "decomposing.h"
#include "sizes.h"

static struct perfpred_context context;

static void start(void) {
  set_up(&context);
}

static void stop(void) {
  tear_down(&context);
}

TestSuite(operations, .init = start, .fini = stop);

/* What a call is about: sizes (0 where the kernel has none of that name) and flags ('\0'). */
struct shape {
  int m, n, k, nb, nrhs, itype, ilo;
  char side, uplo, trans, diag, norm, type, jobz, jobu, jobvt, jobvl, jobvr;
  bool is_complex;
};

static double first[SPACE], second[SPACE], third[SPACE], fourth[SPACE], factors[SIDE], others[SIDE];
static const struct view a = { first, 1, SIDE }, b = { second, 1, SIDE }, c = { third, 1, SIDE },
                         d = { fourth, 1, SIDE };

/* Well conditioned, symmetric, no zeros. */
static void prepare(void) {
  for (int i = 0; i < SPACE; i++)
    first[i] = second[i] = third[i] = i % (SIDE + 1) == 0 ? 8 : 1.0 / (1 + abs(i / SIDE - i % SIDE));
  memset(fourth, 0, sizeof fourth);
  for (int i = 0; i < SIDE; i++)
    factors[i] = others[i] = 0.5;
  multiplications = additions = 0;
}

typedef void counter(const struct shape *s);

/* In complex kernels an operation on real numbers counts by its flops. */
static double real_product(const struct shape *s) {
  return s->is_complex ? 1.0 / 6 : 1;
}

static double real_sum(const struct shape *s) {
  return s->is_complex ? 1.0 / 2 : 1;
}

/* --- Level 1 ------------------------------------------------------------------------------------------------------- */

static void nothing(const struct shape *s) {
  (void)s;
}

static void count_axpy(const struct shape *s) {
  axpy(s->n, 2, a, b);
}

/* Only additions. */
static void count_gesub(const struct shape *s) {
  additions += (double)s->m * s->n;
}

static void count_scal(const struct shape *s) {
  scale(s->n, 2, a);
}

/* A complex number times a real one: two real products. */
static void count_real_scal(const struct shape *s) {
  for (int i = 0; i < s->n; i++)
    multiplications += 2 * real_product(s);
}

static void count_dot(const struct shape *s) {
  dot(s->n, a, b);
}

static void count_dot_plus(const struct shape *s) {
  plus(1, dot(s->n, a, b));
}

/* Of complex numbers |Re| + |Im| each. */
static void count_asum(const struct shape *s) {
  for (int i = 0; i < s->n; i++)
    additions += s->is_complex ? 2 * real_sum(s) : 1;
}

static void count_squares(const struct shape *s, int count) {
  for (int i = 0; i < count; i++) {
    multiplications += s->is_complex ? 2 * real_product(s) : 1;
    additions += s->is_complex ? 2 * real_sum(s) : 1;
  }
}

static void count_nrm2(const struct shape *s) {
  count_squares(s, s->n);
}

static void count_rot(const struct shape *s) {
  for (int i = 0; i < s->n; i++) {
    const double x = *at(a, i, 0), y = *at(b, i, 0);
    *at(a, i, 0) = plus(times(0.6, x), times(0.8, y));
    *at(b, i, 0) = minus(times(0.6, y), times(0.8, x));
  }
}

static void count_real_rot(const struct shape *s) {
  count_rot(s);
  multiplications /= 3; /* two flops for six */
}

static void count_mixed_rot(const struct shape *s) {
  count_rot(s);
  multiplications = multiplications / 2 + multiplications / 2 / 3; /* c is real, s is not */
}

static void count_rotg(const struct shape *s) {
  (void)s;
  const double r = root(plus(times(3, 3), times(4, 4)));
  over(3, r);
  over(4, r);
  over(1, 0.6);
}

static void count_rotm(const struct shape *s) {
  axpy(s->n, 2, a, b);
  axpy(s->n, 2, b, a);
}

/* --- Level 2 and 3 ------------------------------------------------------------------------------------------------- */

static void count_gemv(const struct shape *s) {
  if (s->trans == 'N')
    gemv(s->m, s->n, a, b, c);
  else
    gemv(s->n, s->m, transposed(a), b, c);
}

static void count_ger(const struct shape *s) {
  ger_minus(s->m, s->n, b, c, a);
}

static void count_symv(const struct shape *s) {
  symv(s->n, s->uplo == 'L' ? a : transposed(a), b, c);
}

static void count_syr(const struct shape *s) {
  syrk(s->n, 1, b, b, a);
}

static void count_syr2(const struct shape *s) {
  syr2_minus(s->n, b, c, a);
}

/* op(A) from the left of the columns, or from the right of the rows. */
static void triangle(const struct shape *s, bool solve, char side, int m, int n) {
  const int order = side == 'R' ? n : m, columns = side == 'R' ? m : n;
  const bool upper = s->uplo == 'U', transpose = (s->trans != 'N') != (side == 'R');
  if (order > 0)
    triangle_times(order, columns, s->diag == 'U', solve, upper != transpose, lower_of(a, order, upper, transpose),
                   side == 'R' ? transposed(b) : b);
}

static void count_trmv(const struct shape *s) {
  triangle(s, false, 'L', s->n, 1);
}

static void count_trsv(const struct shape *s) {
  triangle(s, true, 'L', s->n, 1);
}

static void count_trmm(const struct shape *s) {
  triangle(s, false, s->side, s->m, s->n);
}

static void count_trsm(const struct shape *s) {
  triangle(s, true, s->side, s->m, s->n);
}

static void count_trtrs(const struct shape *s) {
  triangle(s, true, 'L', s->n, s->nrhs);
}

static void count_gemm(const struct shape *s) {
  gemm(s->m, s->n, s->k, a, b, c);
}

static void count_symm(const struct shape *s) {
  for (int j = 0; j < (s->side == 'L' ? s->n : s->m); j++)
    symv(s->side == 'L' ? s->m : s->n, a, from(b, 0, j), from(c, 0, j));
}

static void count_syrk(const struct shape *s) {
  syrk(s->n, s->k, a, b, c);
}

static void count_syr2k(const struct shape *s) {
  syrk(s->n, s->k, a, b, c);
  syrk(s->n, s->k, b, a, c);
}

/* --- Cholesky, LU, triangles --------------------------------------------------------------------------------------- */

static void count_potrf(const struct shape *s) {
  cholesky(s->n, s->uplo == 'L' ? a : transposed(a));
}

static void solve_twice(const struct shape *s, bool unit) {
  triangle_times(s->n, s->nrhs, unit, true, false, a, b);
  if (s->n > 0)
    triangle_times(s->n, s->nrhs, false, true, true, lower_of(a, s->n, false, true), b);
}

static void count_potrs(const struct shape *s) {
  solve_twice(s, false);
}

static void count_posv(const struct shape *s) {
  count_potrf(s);
  solve_twice(s, false);
}

static void count_trtri(const struct shape *s) {
  invert(s->n, s->diag == 'U', s->uplo == 'L' ? a : transposed(a));
}

static void count_lauum(const struct shape *s) {
  square(s->n, s->uplo == 'L' ? a : transposed(a));
}

static void count_potri(const struct shape *s) {
  count_trtri(s);
  count_lauum(s);
}

static void count_getrf(const struct shape *s) {
  lu(s->m, s->n, a);
}

static void count_getrs(const struct shape *s) {
  solve_twice(s, true);
}

static void count_gesv(const struct shape *s) {
  lu(s->n, s->n, a);
  solve_twice(s, true);
}

/* inv(A) L = inv(U), from the last column on. */
static void count_getri(const struct shape *s) {
  invert(s->n, false, transposed(a));
  for (int j = s->n - 2; j >= 0; j--)
    gemv_minus(s->n, s->n - j - 1, from(a, 0, j + 1), from(b, j + 1, 0), from(a, 0, j));
}

static void count_sygst(const struct shape *s) {
  (s->itype == 1 ? to_standard : from_standard)(s->n, s->uplo == 'L' ? a : transposed(a), b);
}

static void count_trsyl(const struct shape *s) {
  sylvester(s->m, s->n, a, b, c);
}

/* Elements that a triangle of the matrix has; H is U and the diagonal below. */
static int elements(const struct shape *s) {
  int count = 0;
  for (int j = 0; j < s->n; j++)
    for (int i = 0; i < s->m; i++)
      count += s->type == 'L' ? i >= j : s->type == 'U' ? i <= j : s->type == 'H' ? i <= j + 1 : 1;
  return count;
}

static void count_lascl(const struct shape *s) {
  for (int i = elements(s); i > 0; i--)
    multiplications += s->is_complex ? 2 * real_product(s) : 1;
}

static void count_lange(const struct shape *s) {
  if (s->norm == 'F') {
    count_squares(s, s->m * s->n);
    return;
  }
  for (int i = 0; i < s->m * s->n; i++) {
    if (s->is_complex) { /* two squares, their sum, a root */
      multiplications += 3 * real_product(s);
      additions += real_sum(s);
    }
    if (s->norm != 'M')
      additions += real_sum(s);
  }
}

/* --- Reflectors ---------------------------------------------------------------------------------------------------- */

static void count_larfg(const struct shape *s) {
  reflector(s->n, first, from(a, 1, 0));
}

static void count_larf(const struct shape *s) {
  if (s->side == 'L')
    reflect(s->m, s->n, b, 0.5, c);
  else
    reflect(s->n, s->m, b, 0.5, transposed(c));
}

static void count_larft(const struct shape *s) {
  block_factor(s->n, s->k, a, factors, d);
}

static void count_larfb(const struct shape *s) {
  if (s->side == 'L')
    block_reflect(s->m, s->n, s->k, a, b, c);
  else
    block_reflect(s->n, s->m, s->k, a, b, transposed(c));
}

static void count_geqrf(const struct shape *s) {
  qr(s->m, s->n, a, factors);
}

static void count_gelqf(const struct shape *s) {
  qr(s->n, s->m, transposed(a), factors);
}

static void count_geqlf(const struct shape *s) {
  if (s->m > 0 && s->n > 0)
    qr(s->m, s->n, reversed(a, s->m, s->n), factors);
}

static void count_gerqf(const struct shape *s) {
  if (s->m > 0 && s->n > 0)
    qr(s->n, s->m, transposed(reversed(a, s->m, s->n)), factors);
}

static void count_geqp3(const struct shape *s) {
  for (int j = 0; j < s->n; j++)
    dot(s->m, from(a, 0, j), from(a, 0, j));
  qr(s->m, s->n, a, factors);
}

static void count_orgqr(const struct shape *s) {
  make_q(s->m, s->n, s->k, a, factors);
}

static void count_orglq(const struct shape *s) {
  make_q(s->n, s->m, s->k, transposed(a), factors);
}

static void count_ormqr(const struct shape *s) {
  if (s->side == 'L')
    multiply_q(s->m, s->n, s->k, a, factors, c);
  else
    multiply_q(s->n, s->m, s->k, a, factors, transposed(c));
}

/* The shorter side has the triangle; Q is of the longer one. */
static void count_gels(const struct shape *s) {
  const int rows = s->m < s->n ? s->n : s->m, columns = s->m < s->n ? s->m : s->n;
  qr(rows, columns, a, factors);
  multiply_q(rows, s->nrhs, columns, a, factors, b);
  triangle_times(columns, s->nrhs, false, true, false, transposed(a), b);
}

/* --- Reductions ---------------------------------------------------------------------------------------------------- */

static void count_sytrd(const struct shape *s) {
  tridiagonal(s->n, a, factors);
}

static void count_latrd(const struct shape *s) {
  tridiagonal_panel(s->n, s->nb, a, d);
}

static void count_gebrd(const struct shape *s) {
  if (s->m >= s->n)
    bidiagonal(s->m, s->n, a, factors, others);
  else
    bidiagonal(s->n, s->m, transposed(a), factors, others);
}

static void count_labrd(const struct shape *s) {
  memset(third, 0, sizeof third);
  if (s->m >= s->n)
    bidiagonal_panel(s->m, s->n, s->nb, a, c, d);
  else
    bidiagonal_panel(s->n, s->m, s->nb, transposed(a), c, d);
}

static void count_gehrd(const struct shape *s) {
  hessenberg(s->n, s->ilo > 0 ? s->ilo : 1, a, factors);
}

static void count_lahr2(const struct shape *s) {
  memset(third, 0, sizeof third);
  hessenberg_panel(s->n, s->k, s->nb, a, c, d);
}

static void count_sytrf(const struct shape *s) {
  indefinite(s->n, s->n, a);
}

static void count_lasyf(const struct shape *s) {
  indefinite(s->n, s->nb < s->n ? s->nb - 1 : s->n, a);
}

static void count_sysv(const struct shape *s) {
  count_sytrf(s);
  count_getrs(s);
}

/* --- Iterations: the orders that doc/kernels.md names -------------------------------------------------------------- */

static void halves(double flops) {
  multiplications = additions = flops / 2;
}

static double cube(double n) {
  return n * n * n;
}

static void order_syev(const struct shape *s) {
  halves((s->jobz == 'N' ? 4.0 / 3 : 9) * cube(s->n));
}

static void order_syevd(const struct shape *s) {
  halves((s->jobz == 'N' ? 4.0 / 3 : 4) * cube(s->n));
}

static void order_sygv(const struct shape *s) {
  halves((s->jobz == 'N' ? 4.0 / 3 : 9) * cube(s->n) + (1.0 / 3 + 1) * cube(s->n) + (s->jobz == 'V' ? cube(s->n) : 0));
}

static void order_geev(const struct shape *s) {
  halves((s->jobvl == 'V' || s->jobvr == 'V' ? 25 : 10) * cube(s->n));
}

static void order_svd(const struct shape *s, bool vectors, bool all) {
  const double p = s->m > s->n ? s->m : s->n, q = s->m > s->n ? s->n : s->m;
  halves(!vectors ? 4 * p * q * q - 4 * cube(q) / 3
         : all    ? 4 * p * p * q + 8 * p * q * q + 9 * cube(q)
                  : 14 * p * q * q + 8 * cube(q));
}

static void order_gesvd(const struct shape *s) {
  order_svd(s, s->jobu != 'N' || s->jobvt != 'N', (s->m < s->n ? s->jobvt : s->jobu) == 'A');
}

static void order_gesdd(const struct shape *s) {
  order_svd(s, s->jobz != 'N', s->jobz == 'A');
}

/* --- Every kernel -------------------------------------------------------------------------------------------------- */

/* '?' is s, d, c or z. */
static const struct {
  const char *names;
  counter *count;
} references[] = {
  { "?axpy", count_axpy },
  { "?scal", count_scal },
  { "?gesub", count_gesub },
  { "csscal zdscal", count_real_scal },
  { "?dot ?dotu ?dotc dsdot", count_dot },
  { "sdsdot", count_dot_plus },
  { "?asum scasum dzasum", count_asum },
  { "?nrm2 scnrm2 dznrm2", count_nrm2 },
  { "?copy ?swap i?amax ?laswp ?lacpy ?laset ?lacgv ?gezero ?pivadd ?tridia ?diaput ?trimov ?colswp ?geone", nothing },
  { "srot drot", count_rot },
  { "csrot zdrot", count_real_rot },
  { "crot zrot", count_mixed_rot },
  { "?rotg", count_rotg },
  { "?rotm", count_rotm },
  { "?gemv", count_gemv },
  { "?ger ?geru ?gerc", count_ger },
  { "?symv ?hemv ?spmv ?hpmv", count_symv },
  { "?syr ?her ?spr ?hpr", count_syr },
  { "?syr2 ?her2 ?spr2 ?hpr2", count_syr2 },
  { "?trmv ?tpmv", count_trmv },
  { "?trsv", count_trsv },
  { "?trmm", count_trmm },
  { "?trsm", count_trsm },
  { "?gemm", count_gemm },
  { "?symm ?hemm", count_symm },
  { "?syrk ?herk ?gemmt", count_syrk },
  { "?syr2k ?her2k", count_syr2k },
  { "?potf2 ?potrf2 ?potrf", count_potrf },
  { "?potrs", count_potrs },
  { "?potri", count_potri },
  { "?posv", count_posv },
  { "?trti2 ?trtri", count_trtri },
  { "?trtrs", count_trtrs },
  { "?lauu2 ?lauum", count_lauum },
  { "?sygs2 ?sygst ?hegs2 ?hegst", count_sygst },
  { "?trsyl ?trsyl3", count_trsyl },
  { "?getf2 ?getrf2 ?getrf", count_getrf },
  { "?getrs ?sytrs ?hetrs", count_getrs },
  { "?getri", count_getri },
  { "?gesv", count_gesv },
  { "?lascl", count_lascl },
  { "?lange", count_lange },
  { "?larfg", count_larfg },
  { "?larf", count_larf },
  { "?larft", count_larft },
  { "?larfb", count_larfb },
  { "?geqr2 ?geqrf", count_geqrf },
  { "?gelq2 ?gelqf", count_gelqf },
  { "?geql2 ?geqlf", count_geqlf },
  { "?gerq2 ?gerqf", count_gerqf },
  { "?geqp3", count_geqp3 },
  { "?org2r ?org2l ?orgqr ?orgql ?ung2r ?ung2l ?ungqr ?ungql", count_orgqr },
  { "?orgl2 ?orgr2 ?orglq ?orgrq ?ungl2 ?ungr2 ?unglq ?ungrq", count_orglq },
  { "?orm2r ?orm2l ?orml2 ?ormr2 ?ormqr ?ormql ?ormlq ?ormrq", count_ormqr },
  { "?unm2r ?unm2l ?unml2 ?unmr2 ?unmqr ?unmql ?unmlq ?unmrq", count_ormqr },
  { "?gels ?gelsy", count_gels },
  { "?sytd2 ?sytrd ?hetd2 ?hetrd", count_sytrd },
  { "?latrd", count_latrd },
  { "?gebd2 ?gebrd", count_gebrd },
  { "?labrd", count_labrd },
  { "?gehd2 ?gehrd", count_gehrd },
  { "?lahr2", count_lahr2 },
  { "?sytf2 ?sytrf ?hetf2 ?hetrf", count_sytrf },
  { "?lasyf ?lahef", count_lasyf },
  { "?sysv ?hesv", count_sysv },
  { "?syev ?heev", order_syev },
  { "?syevd ?heevd ?syevr ?heevr", order_syevd },
  { "?sygv ?hegv", order_sygv },
  { "?geev", order_geev },
  { "?gesvd", order_gesvd },
  { "?gesdd", order_gesdd },
};

static bool matches(const char *name, const char *pattern, size_t length) {
  if (strlen(name) != length)
    return false;
  for (size_t i = 0; i < length; i++)
    if (pattern[i] == '?' ? !strchr("sdcz", name[i]) : pattern[i] != name[i])
      return false;
  return true;
}

static counter *reference_of(const char *name) {
  for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
    for (const char *at_name = references[i].names; *at_name; at_name += strspn(at_name, " ")) {
      const size_t length = strcspn(at_name, " ");
      if (matches(name, at_name, length))
        return references[i].count;
      at_name += length;
    }
  return NULL;
}

static struct shape shape_of(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
#define INTEGER(name) (int)integer_named(kernel, values, #name)
#define FLAG(name) (char)integer_named(kernel, values, #name)
  struct shape s = {
    .m = INTEGER(m), .n = INTEGER(n), .k = INTEGER(k), .nb = INTEGER(nb), .nrhs = INTEGER(nrhs), .ilo = INTEGER(ilo)
  };
  s.side = FLAG(side), s.uplo = FLAG(uplo), s.trans = FLAG(trans), s.diag = FLAG(diag), s.norm = FLAG(norm);
  s.type = FLAG(type), s.jobz = FLAG(jobz), s.jobu = FLAG(jobu), s.jobvt = FLAG(jobvt), s.jobvl = FLAG(jobvl);
  s.jobvr = FLAG(jobvr), s.itype = FLAG(itype) - '0';
  if (ppi_kernel_argument(kernel, "transa") >= 0)
    s.trans = FLAG(transa);
  s.is_complex = ppi_type_is_complex(kernel->type);
  return s;
#undef INTEGER
#undef FLAG
}

/* Panels leave something for the rest; where they do not the formulas are those of one column more. */
static bool is_counted(const struct perfpred_kernel *kernel, const struct shape *s, const struct ppi_value *values) {
  if (strstr(kernel->name, "latrd"))
    return s->nb < s->n;
  if (strstr(kernel->name, "labrd"))
    return s->nb < s->m && s->nb < s->n;
  return ppi_kernel_admits(kernel, values);
}

static bool is_near(double x, double y) {
  return fabs(x - y) <= 1e-9 * (1 + fabs(y));
}

static bool expect_counts(const struct perfpred_kernel *kernel, counter *count, const struct ppi_value *values) {
  int64_t slots[PPI_ARG_MAX] = { 0 };
  const struct shape s = shape_of(kernel, values);
  if (!is_counted(kernel, &s, values))
    return true;
  for (int i = 0; i < kernel->arg_count; i++)
    slots[i] = values[i].i - (kernel->args[i].option ? '0' : 0);
  prepare();
  count(&s);
  const double mul = fmax(0, ppi_expr_real(kernel->multiplications, slots)),
               add = fmax(0, ppi_expr_real(kernel->additions, slots));
  const double flops = s.is_complex ? 6 * multiplications + 2 * additions : multiplications + additions;
  if (is_near(mul, multiplications) && is_near(add, additions) && is_near(ppi_kernel_flops(kernel, values), flops))
    return true;
  char text[PPI_CASE_MAX];
  ppi_case_format(kernel, values, text);
  cr_expect_fail("%s(%s) m %d n %d k %d nb %d nrhs %d: mul %.6g add %.6g, counted %.6g %.6g", kernel->name, text, s.m,
                 s.n, s.k, s.nb, s.nrhs, mul, add, multiplications, additions);
  return false;
}

static int check_kernel(const struct perfpred_kernel *kernel) {
  static const int64_t sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 0 } };
  counter *count = reference_of(kernel->name);
  int checked = 0;
  cr_expect_not_null(count, "%s has no reference", kernel->name);
  if (!count || count == nothing) {
    int64_t value = 1;
    cr_expect(!count || (ppi_expr_is_constant(kernel->multiplications, &value) && value == 0), "%s", kernel->name);
    return 0;
  }
  for (unsigned flags = 0; choose_flags(kernel, values, flags); flags++)
    for (unsigned combination = 0; choose_sizes(kernel, values, sizes, 8, combination); combination++, checked++)
      if (!expect_counts(kernel, count, values))
        return checked;
  return checked;
}

Test(operations, every_kernel_does_what_its_formula_says, .timeout = 120) {
  int checked = 0;
  for (size_t i = 0; i < ppi_kernels_count(context.kernels); i++)
    checked += check_kernel(ppi_kernels_at(context.kernels, i));
  cr_expect_geq(checked, 100000, "%d calls", checked);
}
