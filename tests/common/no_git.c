/* SPDX-License-Identifier: BSD-3-Clause */
/* Every process of Criterion's, and each test is one, starts libgit2, which reads all certificates of the system: 66 million instructions,
   most of the time of a unit test and of valgrind over it. It is wanted for pictures of how two texts differ, which the
   assertions used here (cr_assert_str_eq and its kind) do not draw. These stand in front of libgit2's. */

int git_libgit2_init(void);
int git_libgit2_shutdown(void);

int git_libgit2_init(void) {
  return 1;
}

int git_libgit2_shutdown(void) {
  return 0;
}
