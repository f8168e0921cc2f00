/* SPDX-License-Identifier: BSD-3-Clause */
/* A test with the catalogue and with LAPACK's own routines. */
#ifndef TESTS_UNIT_KERNEL_LAPACK_H
#define TESTS_UNIT_KERNEL_LAPACK_H

#include <dlfcn.h>

#include "kernels.h"

static void *library;

static inline void start(void) {
  set_up();
  library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  cr_assert_not_null(library, "%s", dlerror());
}

static inline void stop(void) {
  tear_down();
  dlclose(library);
}

#endif
