/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file common.h
 * @brief Export macro, version and the types that every other header uses.
 */
#ifndef PERFPRED_COMMON_H
#define PERFPRED_COMMON_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PERFPRED_API __attribute__((visibility("default")))
#else
#define PERFPRED_API
#endif

#ifdef __cplusplus
#define PERFPRED_BEGIN_DECLS extern "C" {
#define PERFPRED_END_DECLS }
#else
#define PERFPRED_BEGIN_DECLS
#define PERFPRED_END_DECLS
#endif

PERFPRED_BEGIN_DECLS

struct perfpred_context;
struct perfpred_kernel;
struct perfpred_program;
struct perfpred_builder;
struct perfpred_sampler;
struct perfpred_models;
struct perfpred_plan;
struct perfpred_tuner;

/**
 * Five statistics of a set of values. The layout is frozen: it never grows.
 *
 * @source dissertation, Sections 8.3 and 11
 * @since 0.1
 */
struct perfpred_statistics {
  double min;  /**< smallest value */
  double med;  /**< median; the mean of the two middle values for an even count */
  double max;  /**< largest value */
  double mean; /**< arithmetic mean */
  double std;  /**< standard deviation of the sample (divisor count - 1; 0 for one value) */
};

/**
 * State of a long operation, handed to a progress callback.
 *
 * @since 0.1
 */
struct perfpred_progress {
  size_t size;        /**< sizeof (struct perfpred_progress) of the library */
  const char *stage;  /**< what is being done, in one word; borrowed for the call */
  double fraction;    /**< share of the work done, 0 to 1; may stand still, never falls */
  double elapsed_s;   /**< wall time since the operation began */
  double remaining_s; /**< estimate of the wall time still needed; NaN when unknown */
  uint64_t samples;   /**< timed calls so far */
};

/**
 * Called from time to time by long operations, on the thread that called them.
 *
 * @param data the pointer handed in with the callback
 * @param progress state of the operation, borrowed for the call
 * @return 0 to go on; anything else cancels: the operation returns PERFPRED_CANCELLED
 * @since 0.1
 */
typedef int perfpred_progress_fn(void *data, const struct perfpred_progress *progress);

/**
 * Version of the library at run time, as "MAJOR.MINOR.PATCH".
 *
 * @return a static string
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API const char *perfpred_version(void);

/**
 * Frees text that the library handed over.
 *
 * @param text a pointer that a function of this library gave ("free with perfpred_free"), or NULL
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API void perfpred_free(void *text);

PERFPRED_END_DECLS

#endif
