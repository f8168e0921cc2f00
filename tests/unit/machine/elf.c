/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of the dynamic linker: this program and the C library, made-up ones, and damaged ones. */
#include "machine/elf.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_elf.h"

static char path[64];

static void start(void) {
  strcpy(path, "/tmp/perfpred-elf-XXXXXX");
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  close(file);
}

static void stop(void) {
  unlink(path);
}

TestSuite(elf, .init = start, .fini = stop);

static const struct fake_elf sample = {
  .soname = "libsample.so.1",
  .runpath = "$ORIGIN/../lib:/opt/lib",
  .needed = { "libblas.so.3", "libm.so.6" },
  .imports = { "dgemm_", "pthread_create" },
  .defines = { "dpotrf_", "ilaenv_", "dgetrf_" },
};

static void open_path(const char *name, struct ppi_elf *elf) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  cr_assert_eq(ppi_elf_open(name, "file", elf, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(ppi_elf_link(elf, name, "file", &error), PERFPRED_OK, "%s", error.text);
}

static bool needs(const struct ppi_elf *elf, const char *name) {
  for (size_t i = 0; i < elf->needed_count; i++)
    if (strcmp(elf->needed[i], name) == 0)
      return true;
  return false;
}

Test(elf, tells_what_this_program_asks_for) {
  struct ppi_elf elf;
  open_path("/proc/self/exe", &elf);
  cr_expect(elf.dynamic);
  cr_expect(elf.program);
  cr_expect_not_null(elf.interpreter);
  cr_expect(needs(&elf, "libc.so.6"));
  cr_expect(ppi_elf_imports(&elf, "unlink"));
  cr_expect_not(ppi_elf_imports(&elf, "no_such_function"));
  cr_expect_not(ppi_elf_defines(&elf, "unlink"));
  ppi_elf_close(&elf);
}

/* By a function of it that sanitizers do not put their own in place of. */
Test(elf, tells_what_the_c_library_defines) {
  struct ppi_elf elf;
  Dl_info info;
  cr_assert(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &info));
  open_path(info.dli_fname, &elf);
  cr_expect(elf.shared);
  cr_expect_str_eq(elf.soname, "libc.so.6");
  cr_expect(ppi_elf_defines(&elf, "fopen"));
  cr_expect(ppi_elf_defines(&elf, "malloc"));
  cr_expect_not(ppi_elf_defines(&elf, "dgemm_"));
  cr_expect_eq(strlen(elf.build_id), 40, "as this system's libraries have them: %s", elf.build_id);
  ppi_elf_close(&elf);
}

static void check_sample(const struct fake_elf *made) {
  struct ppi_elf elf;
  fake_elf_write(path, made);
  open_path(path, &elf);
  cr_expect(elf.shared && elf.dynamic && !elf.program);
  cr_expect_str_eq(elf.build_id, "abcdef01");
  cr_expect_str_eq(elf.soname, "libsample.so.1");
  cr_expect_str_eq(elf.runpath, "$ORIGIN/../lib:/opt/lib");
  cr_expect_null(elf.rpath);
  cr_assert_eq(elf.needed_count, 2);
  cr_expect_str_eq(elf.needed[0], "libblas.so.3");
  cr_expect_str_eq(elf.needed[1], "libm.so.6");
  for (int i = 0; made->defines[i]; i++)
    cr_expect(ppi_elf_defines(&elf, made->defines[i]), "%s", made->defines[i]);
  for (int i = 0; made->imports[i]; i++) {
    cr_expect(ppi_elf_imports(&elf, made->imports[i]), "%s", made->imports[i]);
    cr_expect_not(ppi_elf_defines(&elf, made->imports[i]), "%s", made->imports[i]);
  }
  cr_expect_not(ppi_elf_defines(&elf, "dpotrf"), "a part of a name is none");
  cr_expect_not(ppi_elf_defines(&elf, ""));
  ppi_elf_close(&elf);
}

Test(elf, reads_made_up_libraries) {
  struct fake_elf old = sample;
  check_sample(&sample);
  old.sysv = true;
  check_sample(&old);
}

Test(elf, knows_programs_and_static_ones) {
  const struct fake_elf program = { .interpreter = "/lib64/ld.so", .needed = { "libc.so.6" } };
  const struct fake_elf still = { .still = true, .fixed = true };
  struct ppi_elf elf;
  fake_elf_write(path, &program);
  open_path(path, &elf);
  cr_expect(elf.program && elf.dynamic);
  cr_expect_str_eq(elf.interpreter, "/lib64/ld.so");
  ppi_elf_close(&elf);
  fake_elf_write(path, &still);
  open_path(path, &elf);
  cr_expect(elf.program && !elf.dynamic && !elf.shared);
  cr_expect_not(ppi_elf_defines(&elf, "dgemm_"));
  ppi_elf_close(&elf);
}

Test(elf, refuses_what_is_none) {
  static const struct {
    const char *text;
    size_t length;
  } files[] = { { "", 0 }, { "#!/bin/sh\n", 10 }, { ELFMAG, SELFMAG }, { "\177ELF\0\0\0\0\0\0\0\0\0\0\0\0", 16 } };
  struct perfpred_error error;
  struct ppi_elf elf;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    fake_write(path, files[i].text, files[i].length);
    error.status = PERFPRED_OK;
    cr_expect_eq(ppi_elf_open(path, "thing", &elf, &error), PERFPRED_INVALID, "%zu", i);
    cr_expect_not_null(strstr(error.text, "thing '/tmp/perfpred-elf-"), "%s", error.text);
  }
  cr_expect_eq(ppi_elf_open("/nowhere/lib.so", "thing", &elf, NULL), PERFPRED_MISSING);
  cr_expect_eq(ppi_elf_open("/tmp", "thing", &elf, NULL), PERFPRED_INVALID, "a folder");
  cr_expect_eq(ppi_elf_open("/dev/null", "thing", &elf, NULL), PERFPRED_INVALID, "a device");
}

/* Of another machine, or with its bytes the other way round. */
Test(elf, refuses_what_is_not_for_this_machine) {
  struct fake_bytes bytes;
  struct ppi_elf elf;
  fake_elf_make(&sample, &bytes);
  static const struct {
    size_t at;
    unsigned char change;
  } changes[] = { { EI_CLASS, 3 },
                  { EI_DATA, 3 },
                  { offsetof(ElfW(Ehdr), e_type), ET_REL ^ ET_DYN },
                  { offsetof(ElfW(Ehdr), e_phentsize), 1 },
                  { offsetof(ElfW(Ehdr), e_phnum) + 1, 1 },
                  { offsetof(ElfW(Ehdr), e_machine), 0x55 } };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    bytes.data[changes[i].at] ^= changes[i].change;
    fake_write(path, bytes.data, bytes.length);
    cr_expect_eq(ppi_elf_open(path, "file", &elf, NULL), PERFPRED_INVALID, "%zu", i);
    bytes.data[changes[i].at] ^= changes[i].change;
  }
}

/* Whatever is damaged: an answer or a refusal, nothing beyond the file (a sanitizer would see), no search without end. */
static void probe(void) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  struct ppi_elf elf;
  enum perfpred_status status = ppi_elf_open(path, "file", &elf, &error);
  if (status != PERFPRED_OK) {
    cr_assert_eq(status, PERFPRED_INVALID);
    return;
  }
  status = ppi_elf_link(&elf, path, "file", &error);
  cr_assert(status == PERFPRED_OK || status == PERFPRED_CORRUPT, "%d", (int)status);
  cr_assert_eq(error.status, status);
  (void)ppi_elf_defines(&elf, "dgetrf_");
  (void)ppi_elf_defines(&elf, "no_such_function");
  (void)ppi_elf_imports(&elf, "dgemm_");
  ppi_elf_close(&elf);
}

static void damage(const struct fake_elf *made) {
  static const unsigned char values[] = { 0x00, 0xff, 0x7f, 0x01 };
  struct fake_bytes bytes;
  fake_elf_make(made, &bytes);
  for (size_t length = 0; length < bytes.length; length++) {
    fake_write(path, bytes.data, length);
    probe();
  }
  for (size_t i = 0; i < bytes.length; i++)
    for (size_t k = 0; k < sizeof values; k++) {
      unsigned char kept = bytes.data[i];
      bytes.data[i] = values[k];
      fake_write(path, bytes.data, bytes.length);
      probe();
      bytes.data[i] = kept;
    }
}

Test(elf, survives_every_damaged_byte) {
  struct fake_elf old = sample;
  damage(&sample);
  old.sysv = true;
  damage(&old);
}

/* A name that leads beyond the strings, and a chain that leads to itself. */
Test(elf, tells_damaged_tables) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  struct fake_bytes bytes;
  struct ppi_elf elf;
  fake_elf_make(&sample, &bytes);
  for (size_t at = 0; at + sizeof(ElfW(Dyn)) <= bytes.length; at += 8) {
    ElfW(Dyn) entry;
    memcpy(&entry, bytes.data + at, sizeof entry);
    if (entry.d_tag == DT_STRSZ && entry.d_un.d_val < 4096) {
      entry.d_un.d_val = 20;
      memcpy(bytes.data + at, &entry, sizeof entry);
    }
  }
  fake_write(path, bytes.data, bytes.length);
  cr_assert_eq(ppi_elf_open(path, "file", &elf, &error), PERFPRED_OK);
  cr_expect_eq(ppi_elf_link(&elf, path, "file", &error), PERFPRED_CORRUPT);
  cr_expect_not_null(strstr(error.text, path));
  ppi_elf_close(&elf);
}
