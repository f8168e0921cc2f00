/* SPDX-License-Identifier: BSD-3-Clause */
/* The formulas of every kernel of the catalogue against loops that count, for all flags and for sizes up to 7. */
#include <stdio.h>

#include "references.h"
#include "sizes.h"

TestSuite(operations, .init = set_up, .fini = tear_down);
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
