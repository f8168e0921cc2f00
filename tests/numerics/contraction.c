/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of contractions beside a reference that adds up one product after the other: executed call by call, as programs, and as
 * printed C. */
#include "contraction_execute.h"

#include <unistd.h>

#include "contract/enumerate.h"
#include "contract/fuse.h"
#include "contract/name.h"

TestSuite(contraction, .init = start, .fini = stop);

/* --- What is executed ---------------------------------------------------------------------------------------------- */

static bool is_dense(const struct ppi_contraction *contraction) {
  return !contraction->tensor[0].strided && !contraction->tensor[1].strided && !contraction->tensor[2].strided;
}

static void check(struct problem *problem, const struct ppi_contract_algorithm *algorithm) {
  char name[PPI_CONTRACT_NAME_MAX];
  ppi_contract_name(&problem->it, algorithm, name);
  spoil(problem);
  execute_calls(problem, algorithm);
  compare(problem, "calls", name);
  if (!is_dense(&problem->it))
    return;
  spoil(problem);
  execute_program(problem, algorithm);
  compare(problem, "program", name);
}

/* Returns how many there are. */
static uint64_t check_all(struct problem *problem, const struct ppi_contract_filter *filter) {
  struct ppi_contract_algorithm algorithm;
  uint64_t place = 0;
  solve(problem);
  for (; ppi_contract_at(&problem->it, filter, place, &algorithm); place++)
    check(problem, &algorithm);
  clear(problem);
  return place;
}

static const struct ppi_contract_filter all = { 0 };
static const struct ppi_contract_filter dear = { .kernels = 1U << PPI_CONTRACT_GEMM | 1U << PPI_CONTRACT_GEMV |
                                                            1U << PPI_CONTRACT_GER };

Test(contraction, the_dissertation_s) {
  struct problem problem;
  for (int type = PPI_TYPE_S; type <= PPI_TYPE_Z; type++) {
    make(&problem, "ai,ibc->abc", (enum ppi_type)type, (const int64_t[]){ 3, 2, 4, 5 }, NULL);
    cr_expect_eq(check_all(&problem, &all), 36);
    make(&problem, "iaj,ji->a", (enum ppi_type)type, (const int64_t[]){ 3, 4, 5 }, NULL);
    cr_expect_eq(check_all(&problem, &all), 8);
    make(&problem, "ija,jbic->abc", (enum ppi_type)type, (const int64_t[]){ 2, 3, 4, 5, 3 }, NULL);
    cr_expect_eq(check_all(&problem, &dear), 8 + 36 + 12);
  }
}

Test(contraction, batches_scalars_and_fused_indices) {
  struct problem problem;
  make(&problem, "qij,qjk->qik", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 6 + 12 + 4 + 2 + 1); /* n = 4, k = p = q = 1 */
  make(&problem, "iq,jq->qij", PPI_TYPE_C, (const int64_t[]){ 3, 2, 4 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 4 + 1);
  make(&problem, ",ab->ba", PPI_TYPE_Z, (const int64_t[]){ 3, 2 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 2);
  make(&problem, "ij,ji->", PPI_TYPE_C, (const int64_t[]){ 3, 2 }, NULL);
  cr_expect_eq(check_all(&problem, &all), 2);
  make(&problem, "ai,ibc->abc", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5 }, NULL);
  ppi_contraction_fuse(&problem.it);
  cr_expect_eq(check_all(&problem, &all), 10); /* as a product of matrices */
}

static const struct ppi_contract_filter wholes = { .wholes = PPI_WHOLES_ALONE };

/* All at once after a transposition of whole tensors; the names say of which. NULL: whichever. */
static void check_wholes(const char *einsum, enum ppi_type type, const int64_t *extents, const int64_t *const *strides,
                         const char *names) {
  struct problem problem;
  struct ppi_contract_algorithm algorithm, found;
  char list[400] = "";
  make(&problem, einsum, type, extents, strides);
  for (uint64_t i = 0; ppi_contract_at(&problem.it, &wholes, i, &algorithm); i++) {
    char name[PPI_CONTRACT_NAME_MAX];
    ppi_contract_name(&problem.it, &algorithm, name);
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? " " : "", name);
    cr_assert_eq(ppi_contract_find(&problem.it, name, &found, &error), PERFPRED_OK, "%s", error.text);
    cr_expect_eq(found.way, algorithm.way);
    ppi_contract_program_name(&problem.it, &algorithm, name);
    cr_assert_eq(ppi_contract_find(&problem.it, name, &found, &error), PERFPRED_OK, "%s", error.text);
    cr_expect_eq(found.way, algorithm.way);
    cr_expect_eq(ppi_contract_place(&problem.it, &wholes, &algorithm), i);
  }
  cr_expect(!names || !strcmp(list, names), "%s: %s, expected %s", einsum, list, names);
  check_all(&problem, &wholes);
}

/* Of the first the product takes everything as it lies, and so it does with larger leading dimensions, but not where b and c are no longer one.
   Of the second A has its contracted indices in the order ij with a between or behind them, B has ji. */
Test(contraction, whole_tensors) {
  static const int64_t a[] = { 3, 20 }, b[] = { 40, 1, 5 }, c[] = { 2, 33, 7 };
  static const int64_t wide_a[] = { 1, 5 }, wide_b[] = { 1, 3, 12 }, wide_c[] = { 1, 7, 28 }, torn_c[] = { 1, 7, 30 };
  const int64_t *const gaps[] = { a, b, c }, *const wide[] = { wide_a, wide_b, wide_c },
                       *const torn[] = { wide_a, wide_b, torn_c };
  const int64_t extents[] = { 3, 2, 4, 5, 3, 2, 2 };
  static const char *const fused[] = { "*-sgemm", "*-dgemm", "*-cgemm", "*-zgemm" };
  static const char *const vectors[] = { "A*-sgemv", "A*-dgemv", "A*-cgemv", "A*-zgemv" };
  for (int type = PPI_TYPE_S; type <= PPI_TYPE_Z; type++) {
    check_wholes("ai,ibc->abc", (enum ppi_type)type, extents, NULL, fused[type]);
    check_wholes("iaj,ji->a", (enum ppi_type)type, extents, NULL, vectors[type]);
    check_wholes("ija,jbic->abc", (enum ppi_type)type, extents, NULL, NULL);
    check_wholes("mhkn,ukvh->munv", (enum ppi_type)type, extents, NULL, NULL);
  }
  check_wholes("ai,ibc->abc", PPI_TYPE_D, extents, wide, "*-dgemm");
  check_wholes("ai,ibc->abc", PPI_TYPE_D, extents, torn, "C*-dgemm");
  check_wholes("ai,ibc->abc", PPI_TYPE_Z, extents, gaps, NULL);
  check_wholes("qij,qjk->qik", PPI_TYPE_D, extents, NULL, "ABC*-dgemm");
  check_wholes("ijq,jkq->ikq", PPI_TYPE_D, extents, NULL, ""); /* is q-dgemm */
  check_wholes("iqjp,jqkp->kiqp", PPI_TYPE_C, extents, NULL, NULL);
  check_wholes("abc,abc->", PPI_TYPE_C, extents, NULL, "*-cdotu");
  check_wholes("abc,cab->", PPI_TYPE_Z, extents, NULL, "B*-zdotu A*-zdotu");
  check_wholes("ab,cd->abcd", PPI_TYPE_S, extents, NULL, "*-sger");
  check_wholes("ab,cd->acbd", PPI_TYPE_C, extents, NULL, "C*-cgeru");
  check_wholes(",abc->cba", PPI_TYPE_D, extents, NULL, NULL);
  check_wholes("q,q->q", PPI_TYPE_D, extents, NULL, "");                              /* no kernel fits */
  check_wholes("ai,ibc->abc", PPI_TYPE_D, (const int64_t[]){ 3, 2, 0, 5 }, NULL, ""); /* nothing to compute */
}

/* Sizes of 1 let other dimensions have no gaps; of 0 leave C as zeros, or nothing to do. */
Test(contraction, extents_of_1_and_0) {
  static const char *const einsums[] = { "ai,ibc->abc", "ija,jbic->abc", "iaj,ji->a", "qij,qjk->qik" };
  struct problem problem;
  for (size_t e = 0; e < sizeof einsums / sizeof *einsums; e++)
    for (int code = 0; code < 243; code++) {
      int64_t extents[5];
      for (int i = 0, rest = code; i < 5; i++, rest /= 3)
        extents[i] = (const int64_t[]){ 2, 1, 0 }[rest % 3];
      if (e != 1 && code >= 81)
        break;
      make(&problem, einsums[e], PPI_TYPE_D, extents, NULL);
      check_all(&problem, e == 1 ? &dear : &all);
      check_wholes(einsums[e], PPI_TYPE_D, extents, NULL, NULL);
    }
}

/* Gaps, permuted strides, elements of inputs that share places. */
Test(contraction, strides) {
  struct problem problem;
  static const int64_t a[] = { 3, 20 }, b[] = { 40, 1, 5 }, c[] = { 2, 33, 7 };
  static const int64_t hankel[] = { 1, 1 }, wide[] = { 1, 5, 7 }, far[] = { 100, 1, 4 };
  const int64_t *const gaps[] = { a, b, c }, *const shared[] = { hankel, wide, far };
  make(&problem, "ai,ibc->abc", PPI_TYPE_D, (const int64_t[]){ 3, 2, 4, 5 }, gaps);
  cr_expect_eq(check_all(&problem, &all), 36);
  make(&problem, "ai,ibc->abc", PPI_TYPE_C, (const int64_t[]){ 3, 2, 4, 5 }, shared);
  cr_expect_eq(check_all(&problem, &all), 36);
}

/* The first and the last algorithms of each kernel, with copies and without, of each contraction met in practice. */
static void check_some(const char *einsum, enum ppi_type type) {
  struct problem problem;
  int64_t extents[PPI_INDEX_MAX];
  uint64_t count = 0, met = 0;
  for (int i = 0; i < PPI_INDEX_MAX; i++)
    extents[i] = 2 + i % 2;
  make(&problem, einsum, type, extents, NULL);
  solve(&problem);
  for (int kernel = 0; kernel < PPI_CONTRACT_KERNELS; kernel++)
    for (int copied = PPI_COPIES_NONE; copied <= PPI_COPIES_SOME; copied++) {
      const struct ppi_contract_filter filter = { .kernels = 1U << kernel, .copies = (enum ppi_contract_copies)copied };
      struct ppi_contract_algorithm algorithm;
      cr_assert_eq(ppi_contract_count(&problem.it, &filter, &count, &error), PERFPRED_OK, "%s", error.text);
      for (uint64_t i = 0; i < 2 && i < count; i++, met++) {
        cr_assert(ppi_contract_at(&problem.it, &filter, i == 0 ? 0 : count - 1, &algorithm));
        check(&problem, &algorithm);
      }
    }
  cr_expect_geq(met, 5, "%s", einsum);
  clear(&problem);
  check_wholes(einsum, type, extents, NULL, NULL);
}

Test(contraction, those_of_practice) {
  char line[400], einsum[100];
  int cases = 0;
  FILE *file = fopen(CONTRACTIONS, "r");
  cr_assert_not_null(file);
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%*[^,],\"%99[^\"]\"", einsum) == 1)
      check_some(einsum, (enum ppi_type)(cases++ % 4));
  fclose(file);
  cr_expect_geq(cases, 85);
}

/* --- As printed C -------------------------------------------------------------------------------------------------- */

#ifdef CBLAS_CC
static char folder[] = "/tmp/perfpred-XXXXXX";

static void remove_folder(void) {
  char command[200];
  snprintf(command, sizeof command, "rm -r %s", folder);
  cr_expect_eq(system(command), 0);
}

struct printed {
  const char *einsum;
  enum ppi_type type;
  int64_t extents[6];
  const int64_t *strides[PPI_OPERANDS];
  const struct ppi_contract_filter *filter;
};

static const int64_t a_strides[] = { 3, 20 }, b_strides[] = { 40, 1, 5 }, c_strides[] = { 2, 33, 7 };
static const struct printed printed[] = {
  { "ai,ibc->abc", PPI_TYPE_D, { 3, 2, 4, 5 }, { NULL }, &all },
  { "iaj,ji->a", PPI_TYPE_Z, { 3, 4, 5 }, { NULL }, &all },
  { "iaj,ji->a", PPI_TYPE_S, { 3, 0, 5 }, { NULL }, &all },
  { "ija,jbic->abc", PPI_TYPE_C, { 2, 3, 4, 5, 3 }, { NULL }, &dear },
  { "AI,IBC->ABC", PPI_TYPE_S, { 3, 2, 4, 5 }, { a_strides, b_strides, c_strides }, &dear },
  { "qij,qjk->qik", PPI_TYPE_Z, { 3, 1, 4, 5 }, { NULL }, &all },
  { "qij,qjk->qik", PPI_TYPE_C, { 3, 18, 4, 5 }, { NULL }, &wholes },
  { "ija,jbic->abc", PPI_TYPE_Z, { 17, 3, 4, 5, 18 }, { NULL }, &wholes },
  { "AI,IBC->ABC", PPI_TYPE_S, { 3, 2, 4, 5 }, { a_strides, b_strides, c_strides }, &wholes },
  { "ab,cd->acbd", PPI_TYPE_C, { 3, 17, 4, 5 }, { NULL }, &wholes },
  { "abc,cab->", PPI_TYPE_D, { 3, 4, 5 }, { NULL }, &wholes },
};
#define PRINTED (sizeof printed / sizeof *printed)

static void print_all(FILE *file) {
  struct problem problem;
  struct ppi_contract_algorithm algorithm;
  for (size_t p = 0; p < PRINTED; p++) {
    make(&problem, printed[p].einsum, printed[p].type, printed[p].extents, printed[p].strides);
    for (uint64_t i = 0; ppi_contract_at(&problem.it, printed[p].filter, i, &algorithm); i++) {
      char function[40];
      struct ppi_text text = PPI_TEXT_INIT;
      snprintf(function, sizeof function, "f%zu_%d", p, (int)i);
      cr_assert_eq(ppi_contract_print_c(&problem.it, &algorithm, function, &text, &error), PERFPRED_OK, "%s",
                   error.text);
      fputs(text.data, file);
      ppi_text_free(&text);
    }
  }
}

typedef int contract_fn(const void *, const void *, void *, void *);
typedef size_t workspace_fn(void);

static void find(void *library, const char *name, void *function) {
  void *const symbol = dlsym(library, name);
  cr_assert_not_null(symbol, "%s", name);
  memcpy(function, &symbol, sizeof symbol);
}

/* With memory of its own, and with what is given. */
static void run_printed(void *library, const char *name, struct problem *problem) {
  char asks[60];
  contract_fn *contract = NULL;
  workspace_fn *workspace = NULL;
  snprintf(asks, sizeof asks, "%s_workspace", name);
  find(library, name, &contract);
  find(library, asks, &workspace);
  for (int given = 0; given < 2; given++) {
    void *work = given ? malloc(workspace()) : NULL;
    if (work)
      memset(work, 0xff, workspace());
    spoil(problem);
    cr_expect_eq(contract(problem->tensor[0], problem->tensor[1], problem->tensor[2], work), 0);
    compare(problem, given ? "printed C with a workspace" : "printed C", name);
    free(work);
  }
}

static void run_all(void *library) {
  struct problem problem;
  struct ppi_contract_algorithm algorithm;
  for (size_t p = 0; p < PRINTED; p++) {
    make(&problem, printed[p].einsum, printed[p].type, printed[p].extents, printed[p].strides);
    solve(&problem);
    uint64_t i = 0;
    for (; ppi_contract_at(&problem.it, printed[p].filter, i, &algorithm); i++) {
      char name[40];
      snprintf(name, sizeof name, "f%zu_%d", p, (int)i);
      run_printed(library, name, &problem);
    }
    cr_expect_gt(i, 0);
    clear(&problem);
  }
}

Test(contraction, printed_c_compiles_without_a_warning_and_is_right, .fini = remove_folder) {
  char path[200], command[1000];
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/all.c", folder);
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  print_all(file);
  cr_assert_eq(fclose(file), 0);
  snprintf(command, sizeof command,
           CBLAS_CC " -std=c11 -Wall -Wextra -Wshadow -Wconversion -Werror -shared -fPIC -o %s/all.so %s/all.c -lblas",
           folder, folder);
  cr_assert_eq(system(command), 0, "%s", command);
  snprintf(path, sizeof path, "%s/all.so", folder);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(library, "%s", dlerror());
  run_all(library);
  dlclose(library);
}
#endif
