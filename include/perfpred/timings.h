/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file timings.h
 * @brief Calls timed in the running algorithm, beside the same calls timed alone in known states of the caches; the caches as they are.
 */
#ifndef PERFPRED_TIMINGS_H
#define PERFPRED_TIMINGS_H

#include <perfpred/cache.h>
#include <perfpred/sampler.h>

PERFPRED_BEGIN_DECLS

/** A level of the memory hierarchy as it was found by measuring. @since 0.1 */
struct perfpred_level {
  int64_t bytes;                /**< how much of it one thread has; 0: memory, the last level */
  double latency_s;             /**< time of a load that needs the result of the one before, seconds */
  double bandwidth_bytes_per_s; /**< of one thread that reads it as a stream; 0: not measured */
};

/**
 * Finds the caches as they are now, for one thread, on a machine that may be shared or virtual: loads that depend on each other and
 * streams over working sets of rising size. What the machine reports of its caches is only a hint for how far to go.
 *
 * @param sampler the sampler; a virtual one has no caches
 * @param limit_s longest time, seconds: larger working sets are left out then; 0: what it takes, 1 to 2 s
 * @param[out] levels the nearest one first, memory last; may be NULL where capacity is 0
 * @param capacity room in levels
 * @param[out] level_count how many there are, at most 8; more than capacity: the rest was left out
 * @param[out] json one JSON object (doc/json.md, "caches") with the curve that the levels were found in, free with perfpred_free; or NULL
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_UNSUPPORTED (a virtual clock), PERFPRED_NO_MEMORY, PERFPRED_WORKER, PERFPRED_CRASHED,
 *         PERFPRED_TIMEOUT
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_measure_caches(struct perfpred_sampler *sampler, double limit_s,
                                                          struct perfpred_level *levels, size_t capacity,
                                                          size_t *level_count, char **json,
                                                          struct perfpred_error *error);

/**
 * Executes a program with a reading of the clock between any two calls: in-algorithm timings. What the readings cost is subtracted.
 *
 * @param sampler the sampler; a virtual one has the costs of the calls
 * @param program the program
 * @param parameters values of its parameters, in order
 * @param count number of values
 * @param options options, or NULL
 * @param copies 0: calls that only copy (less than one flop for two elements that they move) are left out, as the dissertation does
 * @param[out] times_s median time of each call in the order of execution, seconds; NaN for a call that has nothing to do or is left out: what
 *             perfpred_cache_compare and perfpred_cache_fit take. NULL where capacity is 0
 * @param capacity room in times_s; 0: nothing is measured, only call_count told
 * @param[out] call_count number of calls
 * @param[out] error text of the error, or NULL
 * @return as perfpred_measure; PERFPRED_LIMIT where capacity is neither 0 nor enough, or beyond 10^6 calls
 * @source A Study on the Influence of Caching, Section 2; dissertation, Section 17
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_measure_calls(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                       const int64_t *parameters, size_t count, const struct perfpred_measure_options *options,
                       int copies, double *times_s, size_t capacity, size_t *call_count, struct perfpred_error *error);

/** Options of a comparison of timings. Zero means the default. @since 0.1 */
struct perfpred_timings_options {
  size_t size;     /**< sizeof; PERFPRED_TIMINGS_OPTIONS_INIT sets it */
  int repetitions; /**< timed executions of the algorithm, and of each call alone in each state; default 10 */
  int64_t ld;      /**< leading dimension of matrices; default as in struct perfpred_measure_options */
  double gate;     /**< as there */
  double budget_s; /**< wall time to stay within, half of it for the algorithm; default: none */
  int detail;      /**< 1: the report has every call */
  const struct perfpred_cache_options
      *cache; /**< how estimates are blended; its mode does not matter. NULL: the default. Without levels
                                                        those that are measured now count, but for the first one */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
};
#define PERFPRED_TIMINGS_OPTIONS_INIT                                                                                  \
  { sizeof(struct perfpred_timings_options), 0, 0, 0.0, 0.0, 0, 0, 0, 0 }

/**
 * The scenario of the caching study for any algorithm: its calls timed in the running algorithm, and each different call alone, by repeated
 * execution and with its operands in the caches, in the outermost one and in memory. What follows from the latter for the
 * former stands beside it: each state for itself, blended by the initial, the splitting and the smoothed estimates, and smoothed with
 * alpha, beta and the ratio of splitting fitted to this very execution. Errors are averaged over calls, with and without those that only
 * copy (less than one flop for two elements that they move), and given of the total. Repeated and in the caches are one to
 * kernels that read no operand without writing it: what was sampled of both counts for both.
 *
 * @param sampler the sampler
 * @param program the program; the analysis keeps no reference
 * @param parameters values of its parameters, in order
 * @param count number of values
 * @param options options, or NULL
 * @param[out] json one JSON object (doc/json.md, "timings"); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return as perfpred_measure_calls and perfpred_cache_create
 * @source A Study on the Influence of Caching, Sections 2 to 5; dissertation, Sections 17 to 19
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_timings(struct perfpred_sampler *sampler, struct perfpred_program *program,
                                                   const int64_t *parameters, size_t count,
                                                   const struct perfpred_timings_options *options, char **json,
                                                   struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
