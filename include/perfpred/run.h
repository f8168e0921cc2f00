/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file run.h
 * @brief Running unmodified programs on chosen libraries, with block sizes from a decision table.
 */
#ifndef PERFPRED_RUN_H
#define PERFPRED_RUN_H

#include <perfpred/common.h>
#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

/**
 * How a program is to run. Zero means the default.
 *
 * @since 0.1
 */
struct perfpred_run_options {
  size_t size;        /**< sizeof (struct perfpred_run_options); PERFPRED_RUN_OPTIONS_INIT sets it */
  const char *blas;   /**< path of the BLAS library; default: as that of struct perfpred_setup */
  const char *lapack; /**< path of the LAPACK library; default: the same */
  const char *table;  /**< path of the decision table; default: $PERFPRED_TABLE, else perfpred/lapack.table in
                           $XDG_DATA_HOME or ~/.local/share, where that is there */
  const char
      *override_library; /**< path of libperfpred-ilaenv.so; default: $PERFPRED_OVERRIDE, else the installed one */
  int keep_libraries;    /**< non-zero: the program loads the BLAS and LAPACK that it would load anyway */
  int force;             /**< non-zero: a table made on another CPU is used as well */
  int preload_libraries; /**< non-zero: BLAS and LAPACK are preloaded as well, for programs whose start script overrules
                              LD_LIBRARY_PATH (R) or that look elsewhere first */
};
#define PERFPRED_RUN_OPTIONS_INIT                                                                                      \
  { sizeof(struct perfpred_run_options), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Makes the entries of the environment that a program is to be started with: LD_PRELOAD and LD_LIBRARY_PATH, which
 * continue those of this process, PERFPRED_TABLE where there is a table, PERFPRED_FORCE with `force`.
 *
 * LD_LIBRARY_PATH begins with a folder in which the usual names of BLAS and LAPACK are links to the chosen files. It is
 * perfpred/libraries-DIGITS in $XDG_CACHE_HOME or ~/.cache, else in a folder of the user's below $TMPDIR or /tmp; the
 * same libraries have the same folder, and it stays.
 *
 * @param options options, or NULL
 * @param[out] entries "NAME=value", a null pointer behind the last one; one block, to be released with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_MISSING (a library, the override or a table that was named is not there), PERFPRED_IO,
 *         PERFPRED_CORRUPT, PERFPRED_VERSION (of the table), PERFPRED_OTHER_MACHINE (the table was made on another CPU),
 *         PERFPRED_INVALID (no libraries; libraries beside keep_libraries; paths that the dynamic linker would cut in
 *         two), PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread as long as none changes the environment.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_run_environment(const struct perfpred_run_options *options, char ***entries,
                                                           struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
