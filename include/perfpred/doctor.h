/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file doctor.h
 * @brief Which BLAS and LAPACK a program really gets, what they make of this machine, and what would do better.
 */
#ifndef PERFPRED_DOCTOR_H
#define PERFPRED_DOCTOR_H

#include <perfpred/sampler.h>

PERFPRED_BEGIN_DECLS

/** What is looked at. Zero means the default; at most one of program, pid and record. @since 0.1 */
struct perfpred_doctor_options {
  size_t size; /**< sizeof; PERFPRED_DOCTOR_OPTIONS_INIT sets it */
  const struct perfpred_setup
      *setup; /**< libraries to look at and to measure; default: those that the program or process
                                         gets, or, where none is named, the default setup */
  const char
      *program; /**< a program, by path or found in PATH: what it would load is read from its file; it is not run */
  int64_t pid;  /**< a running process; 0: none */
  const char *record; /**< a folder with what a run left there: perfpred_doctor_environment */
  const char
      *override;     /**< path of libperfpred-ilaenv.so; default: the environment variable PERFPRED_OVERRIDE, else the
                           installed one */
  const char *table; /**< decision table; default: that which the override would read */
  int no_measure;    /**< 1: nothing is timed */
  double budget_s;   /**< wall time for what is timed; default 8 s */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
};
#define PERFPRED_DOCTOR_OPTIONS_INIT                                                                                   \
  { sizeof(struct perfpred_doctor_options), 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0 }

/**
 * Looks at a setup, a program, a process or the record of a run, and tells what it finds: which BLAS and LAPACK answer, how many
 * threads they use and how many they may, which kernels they chose on this CPU, what share of the machine's peak their dgemm attains
 * and which setting would do better, which routines of the LAPACK ask ILAENV for their block size, and whether this library's answer
 * to that is active. What cannot be found out is a finding, no failure.
 *
 * Libraries are loaded and measured by workers only. A setting whose instructions this CPU lacks takes its worker down, which
 * is found out that way.
 *
 * @param context kernels that are sampled; no pointer to it is kept
 * @param options what is looked at, or NULL for the default setup
 * @param[out] json one JSON object (doc/json.md, "doctor"; the findings: doc/doctor.md); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_MISSING, PERFPRED_IO, PERFPRED_INVALID, PERFPRED_CORRUPT (the program, record or a library of the
 *         setup), PERFPRED_NOT_FOUND (no such process), PERFPRED_CANCELLED, PERFPRED_LIMIT, PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread; the environment is read.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_doctor(const struct perfpred_context *context,
                                                  const struct perfpred_doctor_options *options, char **json,
                                                  struct perfpred_error *error);

/**
 * What a run is to have in its environment so that it leaves a record for `record`: the dynamic linker notes the libraries that
 * it loads, the override, where it is preloaded (perfpred_run_environment), the questions that it is asked.
 *
 * @param folder an existing folder of the caller's, for this run alone
 * @param[out] entries "NAME=value", one a line; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_doctor_environment(const char *folder, char **entries,
                                                              struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
