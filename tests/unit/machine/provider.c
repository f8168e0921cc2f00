/* SPDX-License-Identifier: BSD-3-Clause */
/* What files provide of BLAS and LAPACK: made-up ones, and those of this system. */
#include "machine/provider.h"

#include <criterion/criterion.h>
#include <glob.h>

#include "fake_elf.h"
#include "scratch.h"

static struct scratch scratch;

static void start(void) {
  scratch_begin(&scratch);
}

static void stop(void) {
  scratch_end(&scratch);
}

TestSuite(provider, .init = start, .fini = stop);

static void read_made(const char *name, const struct fake_elf *elf, struct ppi_provider *provider) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  fake_elf_write(scratch_path(&scratch, name), elf);
  cr_assert_eq(ppi_provider_read("", scratch.path, provider, &error), PERFPRED_OK, "%s", error.text);
}

Test(provider, knows_families_by_their_functions_and_names) {
  static const struct {
    const char *name;
    struct fake_elf elf;
    const char *family, *version, *threading;
    bool blas, lapack;
  } cases[] = {
    { "/libblas.so.3.11.0", { .defines = { "dgemm_" } }, "reference", "3.11.0", "serial", true, false },
    { "/liblapack.so.3.10.1", { .defines = { "dpotrf_" } }, "reference", "3.10.1", "serial", false, true },
    { "/libopenblas-r0.3.21.so",
      { .defines = { "dgemm_", "dpotrf_", "openblas_get_config" } },
      "openblas",
      "0.3.21",
      "serial",
      true,
      true },
    { "/libopenblasp-r0.3.27.so",
      { .defines = { "dgemm_", "openblas_get_config" }, .imports = { "pthread_create" } },
      "openblas",
      "0.3.27",
      "pthread",
      true,
      false },
    { "/libblas.so.3", { .defines = { "dgemm_" }, .needed = { "libopenblas.so.0" } }, "openblas", "", "", true, false },
    { "/libany.so",
      { .defines = { "dgemm_", "bli_arch_query_id" }, .needed = { "libgomp.so.1" } },
      "blis",
      "",
      "openmp",
      true,
      false },
    { "/libmkl_rt.so.2", { .defines = { "dgemm_", "dpotrf_" } }, "mkl", "", "", true, true },
    { "/libflexiblas.so.3", { .defines = { "dgemm_", "dpotrf_" } }, "flexiblas", "", "", true, true },
    { "/libm.so.6", { .defines = { "sin" } }, "other", "", "", false, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ppi_provider provider;
    read_made(cases[i].name, &cases[i].elf, &provider);
    cr_expect_str_eq(provider.file.family, cases[i].family, "%s: %s", cases[i].name, provider.file.family);
    cr_expect_str_eq(provider.file.version, cases[i].version, "%s: %s", cases[i].name, provider.file.version);
    cr_expect_str_eq(provider.threading, cases[i].threading, "%s: %s", cases[i].name, provider.threading);
    cr_expect_eq(provider.blas, cases[i].blas, "%s", cases[i].name);
    cr_expect_eq(provider.lapack, cases[i].lapack, "%s", cases[i].name);
    cr_expect_not(provider.ilp64 || provider.suffixed || provider.override || provider.ilaenv, "%s", cases[i].name);
    cr_expect_str_eq(provider.file.build_id, "abcdef01");
  }
}

Test(provider, knows_wide_integers_and_the_override) {
  const struct fake_elf suffixed = { .defines = { "dgemm_64_", "dpotrf_64_", "openblas_get_config64_" } };
  const struct fake_elf wide = { .defines = { "dgemm_" } };
  const struct fake_elf override = { .soname = "libperfpred-ilaenv.so.0", .defines = { "ilaenv_" } };
  struct ppi_provider provider;
  read_made("/libopenblas64_.so.0", &suffixed, &provider);
  cr_expect(provider.suffixed && provider.ilp64 && provider.blas && provider.lapack);
  cr_expect_str_eq(provider.file.family, "openblas");
  read_made("/libblas64.so.3", &wide, &provider);
  cr_expect(provider.ilp64 && !provider.suffixed && provider.blas);
  read_made("/any.so", &override, &provider);
  cr_expect(provider.override && provider.ilaenv && !provider.lapack);
}

Test(provider, follows_links_and_refuses_others) {
  const struct fake_elf elf = { .defines = { "dgemm_" } };
  struct ppi_provider provider;
  char link[1024];
  fake_elf_write(scratch_path(&scratch, "/folder/libblas.so.3.11.0"), &elf);
  snprintf(link, sizeof link, "%s", scratch_path(&scratch, "/libblas.so.3"));
  cr_assert_eq(symlink("folder/libblas.so.3.11.0", link), 0);
  cr_assert_eq(ppi_provider_read("", link, &provider, NULL), PERFPRED_OK);
  cr_expect_not_null(strstr(provider.file.path, "/folder/libblas.so.3.11.0"));
  cr_expect_str_eq(provider.alternative, "");
  cr_assert_eq(symlink("loop", scratch_path(&scratch, "/loop")), 0);
  cr_expect_neq(ppi_provider_read("", scratch.path, &provider, NULL), PERFPRED_OK);
  cr_expect_eq(ppi_provider_read("", "/nowhere/libblas.so.3", &provider, NULL), PERFPRED_MISSING);
  cr_expect_eq(ppi_provider_read("", scratch_put(&scratch, "/text.so", "text"), &provider, NULL), PERFPRED_INVALID);
  cr_expect_eq(ppi_provider_read(scratch.root, "/folder/libblas.so.3.11.0", &provider, NULL), PERFPRED_OK);
  cr_expect_str_eq(provider.file.path, "/folder/libblas.so.3.11.0", "as it is seen in its own tree");
}

/* Debian's packages, where they are installed. */
Test(provider, knows_the_libraries_of_debian) {
  static const struct {
    const char *pattern, *family, *threading;
    bool blas, lapack;
  } files[] = { { "/usr/lib/*/blis-serial/libblis.so.4", "blis", "serial", true, false },
                { "/usr/lib/*/blis-openmp/libblis.so.4", "blis", "openmp", true, false },
                { "/usr/lib/*/blis-openmp/libblas.so.3", "blis", "openmp", true, false },
                { "/usr/lib/*/openblas-serial/libopenblas.so.0", "openblas", "serial", true, true },
                { "/usr/lib/*/openblas-serial/libblas.so.3", "openblas", "", true, false },
                { "/usr/lib/*/blas/libblas.so.3", "reference", "serial", true, false },
                { "/usr/lib/*/lapack/liblapack.so.3", "reference", "serial", false, true } };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct ppi_provider provider;
    glob_t matches;
    if (glob(files[i].pattern, 0, NULL, &matches) != 0)
      continue;
    cr_assert_eq(ppi_provider_read("", matches.gl_pathv[0], &provider, NULL), PERFPRED_OK, "%s", files[i].pattern);
    cr_expect_str_eq(provider.file.family, files[i].family, "%s", files[i].pattern);
    cr_expect_str_eq(provider.threading, files[i].threading, "%s: %s", files[i].pattern, provider.threading);
    cr_expect_eq(provider.blas, files[i].blas, "%s", files[i].pattern);
    cr_expect_eq(provider.lapack, files[i].lapack, "%s", files[i].pattern);
    globfree(&matches);
  }
}
