/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of processing units, and those of this process under an affinity of our own choice. */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "machine/cpus.h"

static const char *format(const int *cpus, size_t count, size_t size) {
  static char text[64];
  memset(text, '#', sizeof text);
  ppi_cpus_format(cpus, count, text, size);
  cr_expect_eq(text[size], '#', "nothing is written beyond the place");
  return text;
}

Test(cpus, lists_as_the_kernel_writes_them) {
  cr_expect_str_eq(format((int[]){ 0 }, 0, 40), "");
  cr_expect_str_eq(format((int[]){ 5 }, 1, 40), "5");
  cr_expect_str_eq(format((int[]){ 0, 1 }, 2, 40), "0-1");
  cr_expect_str_eq(format((int[]){ 0, 1, 2, 3, 8 }, 5, 40), "0-3,8");
  cr_expect_str_eq(format((int[]){ 1, 3, 5, 6 }, 4, 40), "1,3,5-6");
}

Test(cpus, what_does_not_fit_is_cut_between_numbers) {
  cr_expect_str_eq(format((int[]){ 100, 102, 104, 106 }, 4, 12), "100,102,...");
  cr_expect_str_eq(format((int[]){ 100, 102, 104 }, 3, 16), "100,102,104");
  cr_expect_str_eq(format((int[]){ 100, 102 }, 2, 3), "");
  cr_expect_str_eq(format((int[]){ 100 }, 1, 1), "");
}

/* The scheduler is asked for one of the units that it allows; a cgroup's cpuset is seen through the same call. */
Test(cpus, of_a_confined_process) {
  cpu_set_t set;
  char text[64], wanted[16];
  int last = -1;
  cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    last = CPU_ISSET((size_t)cpu, &set) ? cpu : last;
  CPU_ZERO(&set);
  CPU_SET((size_t)last, &set);
  cr_assert_eq(sched_setaffinity(0, sizeof set, &set), 0);
  ppi_cpus_allowed(text, sizeof text);
  snprintf(wanted, sizeof wanted, "%d", last);
  cr_expect_str_eq(text, wanted);
  cr_expect_eq(ppi_cpus_pinned(), last);
}
