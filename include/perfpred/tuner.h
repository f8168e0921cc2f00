/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tuner.h
 * @brief A tuner: what a library asks at every call, for all of its routines behind one handle.
 */
#ifndef PERFPRED_TUNER_H
#define PERFPRED_TUNER_H

#include <perfpred/plan.h>

PERFPRED_BEGIN_DECLS

/** Options of a tuner. Zero means the default. @since 0.1 */
struct perfpred_tuner_options {
  size_t size;                 /**< sizeof; PERFPRED_TUNER_OPTIONS_INIT sets it */
  const char *parameter;       /**< the parameter that is chosen; NULL: "b" */
  struct perfpred_range range; /**< its candidates; all zero: 8, 16, ... 256 */
  const struct perfpred_plan_options
      *plan;      /**< of all plans, such as the BLAS, or NULL. Without threads and setup there
                                                 is a plan for every number of threads that the models know */
  size_t answers; /**< number of answers that are kept; default 4096, at most 2^24. 128 to 256 bytes each */
};
#define PERFPRED_TUNER_OPTIONS_INIT                                                                                    \
  { sizeof(struct perfpred_tuner_options), 0, { 0, 0, 0 }, 0, 0 }

/**
 * Makes plans for routines: each an algorithm by its name, or an operation, whose algorithms are the routine's variants. Each variant
 * has a plan for every number of threads that the models know. Variants whose sizes are not those of the first one are left out, and so
 * are those that the models lack a kernel of; a routine may be left without any plan, and then has no answers.
 *
 * The sizes of a routine are the parameters of its algorithm but for the one that is chosen and those for which the text
 * proposes a value, which they have.
 *
 * @param context the context
 * @param models the models; the tuner keeps a reference
 * @param names names of the routines; their place is their id
 * @param name_count number of names, at least 1
 * @param options options, or NULL
 * @param[out] tuner the tuner; owned by the caller, release with perfpred_tuner_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND (no such algorithm or operation, or no setup fits the options), PERFPRED_OTHER_BLAS (likewise),
 *         PERFPRED_AMBIGUOUS (setups of different BLAS for one number of threads), PERFPRED_EXISTS (a name twice),
 *         PERFPRED_INVALID, PERFPRED_LIMIT, PERFPRED_NO_MEMORY
 * @par Thread safety: one tuner may be used from any number of threads at once, without locks.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_tuner_create(const struct perfpred_context *context,
                                                        struct perfpred_models *models, const char *const *names,
                                                        size_t name_count, const struct perfpred_tuner_options *options,
                                                        struct perfpred_tuner **tuner, struct perfpred_error *error);

/** Releases a tuner that nobody asks any more; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_tuner_destroy(struct perfpred_tuner *tuner);

/** Number of routines; 0 for NULL. @since 0.1 */
PERFPRED_API size_t perfpred_tuner_routine_count(const struct perfpred_tuner *tuner);

/** Id of a routine by its name, to be looked up once; -1 if there is none. @since 0.1 */
PERFPRED_API int perfpred_tuner_routine(const struct perfpred_tuner *tuner, const char *name);

/** What a routine is. Written up to the size that the caller states. @since 0.1 */
struct perfpred_routine_info {
  size_t size;               /**< sizeof; PERFPRED_ROUTINE_INFO_INIT sets it */
  const char *name;          /**< as it was given; borrowed from the tuner */
  size_t size_count;         /**< number of its sizes; 0 without a plan */
  const char *size_names[8]; /**< their names, such as "n"; borrowed */
  size_t variant_count;      /**< algorithms that have a plan */
  size_t plan_count;         /**< plans: variants for numbers of threads */
  int threads_max;           /**< largest number of threads of a plan */
};
#define PERFPRED_ROUTINE_INFO_INIT                                                                                     \
  { sizeof(struct perfpred_routine_info), 0, 0, { 0, 0, 0, 0, 0, 0, 0, 0 }, 0, 0, 0 }

/**
 * Tells what a routine is.
 *
 * @param tuner the tuner
 * @param routine id
 * @param[in,out] info the result; size set by the caller; untouched on failure
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_tuner_info(const struct perfpred_tuner *tuner, int routine,
                                                      struct perfpred_routine_info *info, struct perfpred_error *error);

/** Name of a routine's variant by its place, in the order of the catalogue; borrowed; NULL if there is none. @since 0.1 */
PERFPRED_API const char *perfpred_tuner_variant(const struct perfpred_tuner *tuner, int routine, int variant);

/** What to do. Written up to the size that the caller states. @since 0.1 */
struct perfpred_tuner_answer {
  size_t size;    /**< sizeof; PERFPRED_TUNER_ANSWER_INIT sets it */
  int64_t value;  /**< of the chosen parameter; 0 for a variant that has none */
  int variant;    /**< place of the algorithm among the routine's variants */
  int threads;    /**< number of threads; 1 for a BLAS that is built for one */
  double time_s;  /**< predicted median, seconds */
  unsigned notes; /**< bits of enum perfpred_note on it */
};
#define PERFPRED_TUNER_ANSWER_INIT                                                                                     \
  { sizeof(struct perfpred_tuner_answer), 0, 0, 0, 0.0, 0 }

/**
 * Asks for the variant, the value and the number of threads with the shortest predicted median. Values that the models do not reach are no
 * candidates. Of equal times the smallest number of threads, the first variant, the smallest value win. The answer depends on the
 * arguments alone, however often and from wherever it is asked for; it is computed once and kept while there is room.
 *
 * @param tuner the tuner
 * @param routine id
 * @param sizes the routine's sizes
 * @param size_count number of sizes; must be the routine's
 * @param thread_limit more threads are not taken; 0: no limit
 * @param[in,out] answer the result; size set by the caller; on failure untouched, so that it may hold the caller's default
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND (no such routine, or all plans are for more threads), PERFPRED_UNMODELLED (the routine has no
 *         plan), PERFPRED_OUT_OF_DOMAIN (sizes beyond the models, or nothing to do), PERFPRED_INVALID, PERFPRED_LIMIT,
 *         PERFPRED_OVERFLOW
 * @par Thread safety: safe from any thread; wait-free; no allocation, no lock, no system call. Takes about 30 kB of stack.
 * @source dissertation, Section 16
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_tuner_ask(const struct perfpred_tuner *tuner, int routine,
                                                     const int64_t *sizes, size_t size_count, int thread_limit,
                                                     struct perfpred_tuner_answer *answer);

/**
 * The value alone, as perfpred_tuner_ask finds it, or default_value where it finds none: for whatever reason, NULL included. @since 0.1
 */
PERFPRED_API int64_t perfpred_tuner_block_size(const struct perfpred_tuner *tuner, int routine, const int64_t *sizes,
                                               size_t size_count, int thread_limit, int64_t default_value);

PERFPRED_END_DECLS

#endif
