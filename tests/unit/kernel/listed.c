/* SPDX-License-Identifier: BSD-3-Clause */
/* The catalogue has every routine of this list, in every type that BLAS and LAPACK have it in, and in no other. */
#include <stdio.h>

#include "kernels.h"

TestSuite(listed, .init = set_up, .fini = tear_down);

/* Names without the letter of the type. */
static const struct {
  const char *types, *names;
} families[] = {
  /* BLAS 1 */
  { "sdcz", "axpy copy scal swap rot" },
  { "sd", "dot asum nrm2" },
  { "cz", "dotu dotc" },
  /* BLAS 2 */
  { "sdcz", "gemv symv syr trmv trsv" },
  { "sd", "ger syr2" },
  { "cz", "geru gerc hemv her her2" },
  /* BLAS 3 */
  { "sdcz", "gemm symm syrk syr2k trmm trsm gemmt" },
  { "cz", "hemm herk her2k" },
  /* what blocked algorithms call */
  { "sdcz",
    "potf2 potrf2 getf2 getrf2 geqr2 gelq2 geql2 gerq2 larft larfb larf larfg trti2 lauu2 trsyl latrd gebd2 labrd "
    "gehd2 lahr2 sytf2 lasyf laswp lacpy lascl lange potrs getrs sytrs" },
  { "sd", "org2r org2l orgl2 orgr2 orm2r orm2l orml2 ormr2 sygs2 sytd2" },
  { "cz", "ung2r ung2l ungl2 ungr2 unm2r unm2l unml2 unmr2 hegs2 hetd2 hetf2 lahef hetrs" },
  /* blocked routines and drivers */
  { "sdcz",
    "potrf getrf geqrf gelqf geqlf gerqf trtri lauum gebrd gehrd sytrf getri potri gels gesv posv sysv geev gesvd "
    "gesdd gelsy geqp3 trtrs" },
  { "sd", "orgqr orgql orglq orgrq ormqr ormql ormlq ormrq sygst sytrd syev syevd syevr sygv" },
  { "cz", "ungqr ungql unglq ungrq unmqr unmql unmlq unmrq hegst hetrd hetrf hesv heev heevd heevr hegv" },
};

/* What is named otherwise. */
static const char others[] =
    "isamax idamax icamax izamax scasum dzasum scnrm2 dznrm2 csscal zdscal csrot zdrot dsdot sdsdot";

static bool is_there(const char *name) {
  return ppi_kernels_has(context.kernels, name);
}

static int each_word(const char *words, void (*look)(const char *word, void *data), void *data) {
  int count = 0;
  for (const char *at = words; *at; at += strspn(at, " ")) {
    char word[PPI_NAME_MAX] = "";
    const size_t length = strcspn(at, " ");
    memcpy(word, at, length);
    look(word, data);
    at += length;
    count++;
  }
  return count;
}

static void look_for_family(const char *word, void *data) {
  const char *types = data;
  for (const char *letter = "sdcz"; *letter; letter++) {
    char name[PPI_NAME_MAX + 1];
    snprintf(name, sizeof name, "%c%s", *letter, word);
    if (strchr(types, *letter)) {
      const struct perfpred_kernel *kernel = ppi_kernels_find(context.kernels, name);
      cr_expect_not_null(kernel, "%s is missing", name);
      cr_expect(!kernel || ppi_type_letter(kernel->type) == *letter, "%s has another type", name);
    } else {
      cr_expect_not(is_there(name), "%s does not exist in BLAS or LAPACK", name);
    }
  }
}

static void look_for(const char *word, void *data) {
  (void)data;
  cr_expect(is_there(word), "%s is missing", word);
}

Test(listed, all_are_there) {
  int count = 0;
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
    count += each_word(families[i].names, look_for_family, (void *)(uintptr_t)families[i].types);
  cr_expect_eq(count, 137, "%d", count);
  cr_expect_eq(each_word(others, look_for, NULL), 14);
}
