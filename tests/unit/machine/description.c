/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines read from small trees that stand in for /proc and /sys. */
#include "machine/machine.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static void start(void) {
  strcpy(root, "/tmp/perfpred-machine-XXXXXX");
  cr_assert_not_null(mkdtemp(root));
}

static int delete_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info;
  (void)kind;
  (void)place;
  return remove(path);
}

static void stop(void) {
  nftw(root, delete_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below root, with its folders. */
static void put(const char *path, const char *text) {
  char full[512];
  snprintf(full, sizeof full, "%s%s", root, path);
  for (char *slash = strchr(full + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    cr_assert(mkdir(full, 0700) == 0 || errno == EEXIST);
    *slash = '/';
  }
  FILE *file = fopen(full, "w");
  cr_assert_not_null(file);
  fputs(text, file);
  fclose(file);
}

static void put_unit(int unit, const char *what, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", unit, what);
  put(path, text);
}

static void put_cache(int index, const char *type, const char *level, const char *size, const char *shared) {
  static const char *const names[] = { "type", "level", "size", "shared_cpu_list", "coherency_line_size" };
  const char *texts[] = { type, level, size, shared, "64\n" };
  for (int i = 0; i < 5; i++) {
    char what[64];
    snprintf(what, sizeof what, "cache/index%d/%s", index, names[i]);
    put_unit(0, what, texts[i]);
  }
}

TestSuite(description, .init = start, .fini = stop);

Test(description, two_cores_with_two_threads_each) {
  put("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: X\nmodel name\t: Fast CPU @ 3 GHz  \nflags\t: a b\n");
  put("/sys/devices/system/cpu/online", "0-3\n");
  put_unit(0, "topology/thread_siblings_list", "0,2\n");
  put_unit(1, "topology/thread_siblings_list", "1,3\n");
  put_unit(2, "topology/thread_siblings_list", "0,2\n");
  put_unit(3, "topology/thread_siblings_list", "1,3\n");
  put_cache(0, "Data\n", "1\n", "48K\n", "0,2\n");
  put_cache(1, "Instruction\n", "1\n", "32K\n", "0,2\n");
  put_cache(2, "Unified\n", "2\n", "2048K\n", "0,2\n");
  put_cache(3, "Unified\n", "3\n", "260M\n", "0-3\n");
  struct ppi_machine machine;
  ppi_machine_read(root, &machine);
  cr_expect_str_eq(machine.cpu, "Fast CPU @ 3 GHz");
  cr_expect_eq(machine.cores, 2);
  cr_expect_eq(machine.processing_units, 4);
  cr_assert_eq(machine.cache_count, 3);
  static const struct ppi_cache expected[] = { { 1, 49152, 64, 2, "sysfs" },
                                               { 2, 2097152, 64, 2, "sysfs" },
                                               { 3, 272629760, 64, 4, "sysfs" } };
  for (int i = 0; i < 3; i++) {
    cr_expect_eq(machine.caches[i].level, expected[i].level);
    cr_expect_eq(machine.caches[i].bytes, expected[i].bytes);
    cr_expect_eq(machine.caches[i].line_bytes, expected[i].line_bytes);
    cr_expect_eq(machine.caches[i].shared_by, expected[i].shared_by);
    cr_expect_str_eq(machine.caches[i].source, expected[i].source);
  }
  cr_expect_eq(machine.counters_available, -1);
  cr_expect_eq(machine.peak_flops_per_s[1], 0.0);
}

Test(description, processor_without_a_model_name) {
  put("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  struct ppi_machine machine;
  ppi_machine_read(root, &machine);
  cr_expect_str_eq(machine.cpu, "implementer 0x41 part 0xd40");
}

Test(description, nothing_to_read) {
  struct ppi_machine machine;
  ppi_machine_read(root, &machine);
  cr_expect_str_neq(machine.cpu, "");
  cr_expect_gt(machine.cores, 0);
  cr_expect_geq(machine.processing_units, machine.cores);
  cr_expect_eq(machine.cache_count, 0);
}

Test(description, malformed_files) {
  put("/proc/cpuinfo", "model name without a colon\n");
  put("/sys/devices/system/cpu/online", "what?\n");
  put_cache(0, "Data\n", "1\n", "many\n", "x\n");
  put_cache(1, "Unified\n", "-7\n", "1M\n", "0\n");
  struct ppi_machine machine;
  ppi_machine_read(root, &machine);
  cr_expect_eq(machine.cache_count, 0);
  cr_expect_str_neq(machine.cpu, "");
}

Test(description, this_machine_describes_itself_alike_twice) {
  struct ppi_machine first, second;
  struct perfpred_error error = { 0 };
  ppi_machine_here(&first);
  ppi_machine_here(&second);
  cr_expect_str_neq(first.instruction_set, "");
  cr_expect_eq(ppi_machine_compare(&first, &second, &error), PERFPRED_OK);
}

Test(description, synthetic_machine) {
  struct ppi_machine machine;
  struct perfpred_error error = { 0 };
  cr_assert_eq(ppi_machine_synthetic("cpu=Foo isa=avx2 cores=4 units=8 l1=32K l2=1M l3=8M", &machine, &error),
               PERFPRED_OK);
  cr_expect_str_eq(machine.cpu, "Foo");
  cr_expect_str_eq(machine.instruction_set, "avx2");
  cr_expect_eq(machine.cores, 4);
  cr_expect_eq(machine.processing_units, 8);
  cr_assert_eq(machine.cache_count, 3);
  cr_expect_eq(machine.caches[0].bytes, 32768);
  cr_expect_eq(machine.caches[1].bytes, 1048576);
  cr_expect_eq(machine.caches[2].bytes, 8388608);
  cr_expect_eq(machine.caches[2].level, 3);
  cr_expect_str_eq(machine.caches[2].source, "synthetic");
}

Test(description, malformed_synthetic_machines) {
  static const char *const texts[] = { "cpu",     "cpu=Foo l1=", "speed=9", "l1=big", "l1=-3",
                                       "cores=0", "cores=many",  "=x",      "l0=4K" };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct ppi_machine machine = { .cores = 77 };
    struct perfpred_error error = { 0 };
    cr_expect_eq(ppi_machine_synthetic(texts[i], &machine, &error), PERFPRED_SYNTAX, "%s", texts[i]);
    cr_expect_eq(machine.cores, 77, "untouched after %s", texts[i]);
    cr_expect_str_neq(error.text, "");
  }
}

/* C43: another machine has a code of its own; caches are recorded but never compared. */
Test(description, comparison) {
  struct ppi_machine here, same, other, narrow;
  struct perfpred_error error = { 0 };
  ppi_machine_synthetic("cpu=Foo isa=avx2 cores=4 l3=8M", &here, NULL);
  ppi_machine_synthetic("cpu=Foo isa=avx2 cores=2 l3=260M", &same, NULL);
  ppi_machine_synthetic("cpu=Bar isa=avx2 cores=4 l3=8M", &other, NULL);
  ppi_machine_synthetic("cpu=Foo isa=sse2 cores=4 l3=8M", &narrow, NULL);
  cr_expect_eq(ppi_machine_compare(&same, &here, &error), PERFPRED_OK);
  cr_expect_eq(ppi_machine_compare(&other, &here, &error), PERFPRED_OTHER_MACHINE);
  cr_expect_not_null(strstr(error.text, "Bar"));
  cr_expect_not_null(strstr(error.text, "Foo"));
  cr_expect_eq(ppi_machine_compare(&narrow, &here, NULL), PERFPRED_OTHER_MACHINE);
}
