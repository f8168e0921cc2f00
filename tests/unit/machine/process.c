/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: this one, and made-up ones in a tree that stands in for /proc and /sys. */
#include "machine/process.h"

#include <criterion/criterion.h>
#include <dlfcn.h>

#include "machine/quota.h"
#include "scratch.h"

static struct scratch scratch;

static void start(void) {
  scratch_begin(&scratch);
}

static void stop(void) {
  scratch_end(&scratch);
}

TestSuite(process, .init = start, .fini = stop);

static const char maps[] =
    "55d0c0a00000-55d0c0a02000 r--p 00000000 fe:01 42                     /usr/bin/octave\n"
    "55d0c0a02000-55d0c0a05000 r-xp 00002000 fe:01 42                     /usr/bin/octave\n"
    "55d0c1000000-55d0c1100000 rw-p 00000000 00:00 0                      [heap]\n"
    "7f0000000000-7f0000001000 r-xp 00000000 fe:01 43                     /usr/lib/libblas.so.3\n"
    "7f0000001000-7f0000002000 r-xp 00001000 fe:01 43                     /usr/lib/libblas.so.3\n"
    "7f0000003000-7f0000004000 r--p 00000000 fe:01 44                     /usr/share/data\n"
    "7f0000005000-7f0000006000 r-xp 00000000 fe:01 45                     /opt/my lib.so (deleted)\n"
    "7f0000006000-7f0000007000 r-xp 00000000 fe:01 46                     /opt/two\\012lines.so\n"
    "7ffff0000000-7ffff0001000 r-xp 00000000 00:00 0                      [vdso]\n"
    "nonsense /x\n\n/y\n7f-8f\n";

Test(process, reads_maps) {
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  cr_assert_eq(ppi_process_maps(scratch_put(&scratch, "/maps", maps), &loaded, NULL), PERFPRED_OK);
  cr_assert_eq(loaded.count, 4);
  cr_expect_str_eq(loaded.files[0].path, "/usr/bin/octave");
  cr_expect_str_eq(loaded.files[1].path, "/usr/lib/libblas.so.3");
  cr_expect_str_eq(loaded.files[2].path, "/opt/my lib.so");
  cr_expect(loaded.files[2].deleted);
  cr_expect_str_eq(loaded.files[3].path, "/opt/two\nlines.so");
  cr_expect_not(loaded.files[3].deleted);
  ppi_loaded_free(&loaded);
}

/* A line that is longer than any path is passed over, whatever stands at its end. */
Test(process, survives_lines_without_end) {
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  FILE *file = fopen(scratch_path(&scratch, "/maps"), "w");
  cr_assert_not_null(file);
  fputs("7f00-7f01 r-xp 0 fe:01 4 /", file);
  for (int i = 0; i < 100000; i++)
    fputc('x', file);
  fputs(" 7f00-7f01 r-xp 0 fe:01 4 /tail\n7f02-7f03 r-xp 0 fe:01 5 /good\n", file);
  fclose(file);
  cr_assert_eq(ppi_process_maps(scratch.path, &loaded, NULL), PERFPRED_OK);
  cr_assert_eq(loaded.count, 1);
  cr_expect_str_eq(loaded.files[0].path, "/good");
  ppi_loaded_free(&loaded);
}

static void put_bytes(const char *name, const char *bytes, size_t length) {
  FILE *file = fopen(scratch_path(&scratch, name), "w");
  cr_assert(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

Test(process, reads_what_the_system_tells) {
  static const char environment[] = "HOME=/root\0OMP_NUM_THREADS=4\0EMPTY=\0OMP_NUM_THREADS=8\0NAMELESS\0TAIL=x";
  struct ppi_process process;
  scratch_put(&scratch, "/proc/77/maps", maps);
  scratch_put(&scratch, "/proc/77/status",
              "Name:\toctave\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\nThreads:\t1\n");
  put_bytes("/proc/77/environ", environment, sizeof environment - 1);
  scratch_put(&scratch, "/proc/77/cgroup", "0::/user/job\n");
  scratch_put(&scratch, "/sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
  cr_assert_eq(ppi_process_read(scratch.root, 77, &process, NULL), PERFPRED_OK);
  cr_expect_eq(process.loaded.count, 4);
  cr_expect_str_eq(process.cpus, "0-3,8");
  cr_expect_eq(process.cpu_count, 5);
  cr_expect_float_eq(process.quota, 1.5, 1e-12);
  cr_expect_str_eq(ppi_process_variable(&process, "OMP_NUM_THREADS"), "4", "the first one counts");
  cr_expect_str_eq(ppi_process_variable(&process, "EMPTY"), "");
  cr_expect_str_eq(ppi_process_variable(&process, "TAIL"), "x");
  cr_expect_null(ppi_process_variable(&process, "NAMELESS"));
  cr_expect_null(ppi_process_variable(&process, "OMP_NUM"));
  ppi_process_free(&process);
}

Test(process, tells_what_is_not_there) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  struct ppi_process process;
  cr_expect_eq(ppi_process_read(scratch.root, 77, &process, &error), PERFPRED_NOT_FOUND);
  cr_expect_str_eq(error.text, "process 77: there is none");
  scratch_put(&scratch, "/proc/78/maps", "");
  cr_assert_eq(ppi_process_read(scratch.root, 78, &process, NULL), PERFPRED_OK);
  cr_expect_eq(process.loaded.count, 0);
  cr_expect_eq(process.cpu_count, 0);
  cr_expect_float_eq(process.quota, 0.0, 0.0);
  cr_expect_null(process.environment);
  cr_expect_null(ppi_process_variable(&process, "HOME"));
  ppi_process_free(&process);
}

Test(process, knows_this_one) {
  struct ppi_process process;
  Dl_info info;
  bool seen = false;
  cr_assert(dladdr(dlsym(RTLD_DEFAULT, "fopen"), &info));
  char *real = realpath(info.dli_fname, NULL);
  cr_assert_eq(ppi_process_read("", 0, &process, NULL), PERFPRED_OK);
  for (size_t i = 0; i < process.loaded.count; i++)
    seen = seen || strcmp(process.loaded.files[i].path, real) == 0;
  cr_expect(seen, "%s", real);
  cr_expect_gt(process.cpu_count, 0);
  cr_expect_str_eq(process.prefix, "");
  free(real);
  ppi_process_free(&process);
}

/* The tightest of all groups on the way up, of both versions of control groups. */
Test(process, reads_quotas) {
  static const struct {
    const char *groups, *file, *text, *second, *more;
    double wanted;
  } cases[] = {
    { "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n", "/sys/fs/cgroup/a/cpu.max", "50000 100000\n", 0.5 },
    { "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n", "/sys/fs/cgroup/cpu.max", "200000 100000\n", 2.0 },
    { "0::/\n", "/sys/fs/cgroup/cpu.max", "max\n", "/x", "", 0.0 },
    { "0::/\n", "/sys/fs/cgroup/cpu.max", "-5 100000\n", "/x", "", 0.0 },
    { "0::/\n", "/sys/fs/cgroup/cpu.max", "100000 0\n", "/x", "", 0.0 },
    { "0::/\n", "/sys/fs/cgroup/cpu.max", "what 100000\n", "/x", "", 0.0 },
    { "4:cpuset:/c\n3:cpuacct,cpu:/c\n", "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "300000\n",
      "/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n", 3.0 },
    { "3:cpu:/c\n", "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n", "/sys/fs/cgroup/cpu/c/cpu.cfs_period_us",
      "100000\n", 0.0 },
    { "3:cpuset:/c\n", "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "1\n", "/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "1\n",
      0.0 },
    { "0::/../../outside\n", "/sys/fs/cgroup/cpu.max", "100000 100000\n", "/x", "", 1.0 },
    { "nonsense\n:::\n0\n", "/sys/fs/cgroup/cpu.max", "100000 100000\n", "/x", "", 0.0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    stop();
    start();
    scratch_put(&scratch, "/proc/9/cgroup", cases[i].groups);
    scratch_put(&scratch, cases[i].file, cases[i].text);
    scratch_put(&scratch, cases[i].second, cases[i].more);
    cr_expect_float_eq(ppi_quota_read(scratch.root, "9"), cases[i].wanted, 1e-12, "%zu", i);
  }
  cr_expect_float_eq(ppi_quota_read(scratch.root, "10"), 0.0, 0.0);
}
