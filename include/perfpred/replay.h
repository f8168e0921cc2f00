/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file replay.h
 * @brief Predictions without models, for an algorithm that is asked about once: a few of its steps are measured where they stand.
 */
#ifndef PERFPRED_REPLAY_H
#define PERFPRED_REPLAY_H

#include <perfpred/cache.h>
#include <perfpred/sampler.h>

PERFPRED_BEGIN_DECLS

/** How the caches come into the state that a step finds in the algorithm. @since 0.1 */
enum perfpred_replay_mode {
  PERFPRED_REPLAY_RUN = 0, /**< the step before is run */
  PERFPRED_REPLAY_TOUCH =
      1 /**< nothing is run: everything is evicted, and then the operands of the steps before are touched in the order of their calls,
                                 inputs first. The emulation of the caches (perfpred/cache.h) tells how many steps: back to the one
                                 that accessed last what the step finds in the largest cache. What an LRU cache of that size
                                 holds then is what it held in the algorithm */
};

/** Options of a replay. Zero means the default. @since 0.1 */
struct perfpred_replay_options {
  size_t size;                    /**< sizeof; PERFPRED_REPLAY_OPTIONS_INIT sets it */
  int steps;                      /**< steps that are measured at most, at least 2; default 8 */
  int repetitions;                /**< samples of each; default 5 */
  enum perfpred_replay_mode mode; /**< what stands before each */
  int64_t ld;                     /**< leading dimension of matrices; default as in struct perfpred_measure_options */
  double gate;                    /**< as there */
  double budget_s;                /**< wall time to stay within; default: none */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
  const struct perfpred_cache_options *
      cache; /**< PERFPRED_REPLAY_TOUCH: the caches that are emulated; the last level, the line and the leading dimension count.
                   NULL: those that this machine reports */
};
#define PERFPRED_REPLAY_OPTIONS_INIT                                                                                   \
  { sizeof(struct perfpred_replay_options), 0, 0, PERFPRED_REPLAY_RUN, 0, 0.0, 0.0, 0, 0, 0 }

/** A prediction from measured steps, and what it cost. Written up to the size that the caller states. @since 0.1 */
struct perfpred_replayed {
  size_t size; /**< sizeof; PERFPRED_REPLAYED_INIT sets it */
  struct perfpred_statistics
      time_s;            /**< of the whole execution; sums over the calls as in struct perfpred_prediction */
  double cost_s;         /**< wall time that the answer took */
  double ratio;          /**< cost_s / time_s.med: executions that could have been run in that time */
  uint64_t steps;        /**< of the loop in this execution */
  uint64_t measured;     /**< of these, measured ones */
  uint64_t outside;      /**< calls that stand outside of the loop, measured alone and warm */
  double outside_s;      /**< their share of time_s.med */
  double measured_share; /**< share of time_s.med that was measured, not interpolated */
  uint64_t disturbed;    /**< samples thrown away */
  int64_t ld;            /**< leading dimension used */
  uint64_t reach;        /**< most steps that were touched before a measured one; 0 where they were run */
};
#define PERFPRED_REPLAYED_INIT                                                                                         \
  { sizeof(struct perfpred_replayed), { 0.0, 0.0, 0.0, 0.0, 0.0 }, 0.0, 0.0, 0, 0, 0, 0.0, 0.0, 0, 0, 0 }

/**
 * Predicts an execution from a few steps of its loop, each timed call by call with the caches as the algorithm has them. Between
 * measured steps with blocks of the same width the time per flop of each call is interpolated (per byte moved, where there are no flops) and
 * multiplied by the exact counts, so that a call's time follows its size from step to step; where the counts are more than twofold apart
 * the time itself is, linear in the count, for a short call takes longer per flop. Steps of other widths (the end of a loop that b does
 * not divide) are measured themselves, as far as options.steps leaves room. Calls outside of the loop are measured alone.
 *
 * @param sampler the sampler; on a virtual one cost_s is virtual time
 * @param program the algorithm: one loop over blocks that is in no other loop
 * @param parameters values of its parameters, in order
 * @param count number of values
 * @param options options, or NULL
 * @param[in,out] replay size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_UNSUPPORTED (no such loop, or several; PERFPRED_REPLAY_TOUCH where lines cannot be evicted, or on a kernel
 *         that has no address here), PERFPRED_INVALID (an option, of the caches too), PERFPRED_CRASHED, PERFPRED_NUMERIC, PERFPRED_TIMEOUT, PERFPRED_CANCELLED,
 *         PERFPRED_LIMIT, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_replay(struct perfpred_sampler *sampler,
                                                  const struct perfpred_program *program, const int64_t *parameters,
                                                  size_t count, const struct perfpred_replay_options *options,
                                                  struct perfpred_replayed *replay, struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
