/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file contraction_plan.h
 * @brief Which algorithm of a tensor contraction is fastest: predictions from micro-benchmarks or models, a ranking, and how true it is.
 */
#ifndef PERFPRED_CONTRACTION_PLAN_H
#define PERFPRED_CONTRACTION_PLAN_H

#include <perfpred/contraction.h>
#include <perfpred/plan.h>

PERFPRED_BEGIN_DECLS

/**
 * Makes plans, and keeps them: what was asked before is answered at once (doc/contractions.md). It stands for a sampler, models and
 * options; contractions that agree in type, indices, extents and strides are the same question, whatever their letters are.
 */
struct perfpred_contraction_planner;
/** The answer: algorithms in the order of their predicted times. */
struct perfpred_contraction_plan;

/** Where predicted times come from. @since 0.1 */
enum perfpred_contraction_mode {
  PERFPRED_CONTRACTION_AUTO = 0,   /**< models where the sizes of the kernel lie in their domain, else replays */
  PERFPRED_CONTRACTION_REPLAY = 1, /**< windows of real iterations, after others that bring the caches there */
  PERFPRED_CONTRACTION_FLUSH =
      2, /**< the kernel alone; before it the lines of operands that the algorithm has lost are flushed */
  PERFPRED_CONTRACTION_REMOTE =
      3, /**< the kernel alone; before it as much other memory is accessed as in the algorithm (the dissertation's way) */
  PERFPRED_CONTRACTION_MODELS = 4 /**< models alone; nothing is measured */
};

/** How far the state of the caches is followed; each stage has what those before it have. @since 0.1 */
enum perfpred_contraction_stage {
  PERFPRED_CONTRACTION_STAGE_DEFAULT = 0,   /**< the last one */
  PERFPRED_CONTRACTION_STAGE_REPEATED = 1,  /**< the same call again and again (Section 23.2) */
  PERFPRED_CONTRACTION_STAGE_DISTANCES = 2, /**< access distances of the operands (Section 23.3) */
  PERFPRED_CONTRACTION_STAGE_PREFETCH = 3,  /**< what is prefetched (Section 23.4) */
  PERFPRED_CONTRACTION_STAGE_FAILURES = 4,  /**< prefetches that fail (Section 23.5) */
  PERFPRED_CONTRACTION_STAGE_FIRST = 5      /**< first iterations of loops (Section 23.6) */
};

/** Options of a planner. Zero means the default. @since 0.1 */
struct perfpred_contraction_plan_options {
  size_t size;                         /**< sizeof; PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT sets it */
  enum perfpred_contraction_mode mode; /**< where times come from */
  enum perfpred_contraction_stage
      stage; /**< how far the caches are followed; of replays, only REPEATED differs from the last one */
  const struct perfpred_contraction_filter *filter; /**< algorithms that are looked at; NULL: all. Copied */
  const char *const *names; /**< algorithms of these names alone, not together with a filter; NULL: all. Copied */
  size_t name_count;        /**< how many */
  int64_t memory_bytes;     /**< algorithms that need more, tensors included, are left out; 0: no limit */
  int64_t cache_bytes;      /**< size of the cache; 0: what the sampler's machine is found to have */
  double factor;            /**< how much of that, times this, is filled before a measured call; 0: 1.25 */
  int repetitions;          /**< samples of each micro-benchmark; default 10 */
  uint64_t seed;            /**< of the order in which they are taken */
  double
      budget_s; /**< time for a plan; 0: 5 % of the best predicted time, at least 50 ms, and up to 250 ms and 10 ms for each
 algorithm, 1 s in all, the more the shorter that time is; infinite:
                          whatever it takes */
  int complete;                             /**< 1: every algorithm is predicted, also those that cannot win */
  double tie;                               /**< predicted times within this share of each other are ties; 0: 0.02 */
  size_t answers;                           /**< plans that are kept; the least recently used goes first; 0: 64 */
  const struct perfpred_plan_options *plan; /**< which setup of the models; NULL: that of the sampler, or the only one.
                                                 Its members threads, blas, setup and force count */
  double gate;                              /**< as in struct perfpred_measure_options */
  perfpred_progress_fn *progress;           /**< progress callback, or NULL */
  void *progress_data;                      /**< its first argument */
  int no_wholes; /**< 1: algorithms that copy whole tensors are left out; 0: they are looked at, too, whatever filter.wholes says but
                    that they are looked at alone */
};
#define PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT                                                                         \
  {                                                                                                                    \
    sizeof(struct perfpred_contraction_plan_options), PERFPRED_CONTRACTION_AUTO, PERFPRED_CONTRACTION_STAGE_DEFAULT,   \
        0, 0, 0, 0, 0, 0.0, 0, 0, 0.0, 0, 0.0, 0, 0, 0.0, 0, 0, 0                                                      \
  }

/**
 * Makes a planner. It measures nothing yet.
 *
 * @param context the context, which has the kernels; must outlive the planner
 * @param sampler where micro-benchmarks run; borrowed, must outlive the planner, and nobody else may use it while a plan is
 *        made; NULL: models alone
 * @param models models of the kernels; the planner keeps a reference; NULL: none
 * @param options options, or NULL
 * @param[out] planner the planner; owned by the caller, release with perfpred_contraction_planner_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (an option; neither sampler nor models; a mode that lacks its one), PERFPRED_AMBIGUOUS,
 *         PERFPRED_NOT_FOUND, PERFPRED_OTHER_BLAS (setups of the models), PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_planner_create(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                    struct perfpred_models *models,
                                    const struct perfpred_contraction_plan_options *options,
                                    struct perfpred_contraction_planner **planner, struct perfpred_error *error);

/** Releases a planner that nobody asks any more; NULL is fine. Its plans stay. @since 0.1 */
PERFPRED_API void perfpred_contraction_planner_destroy(struct perfpred_contraction_planner *planner);

/**
 * Predicts the algorithms of a contraction and ranks them.
 *
 * Algorithms that call their kernel in the same way are one group, whatever the order of their loops is. Groups are bounded first: by the
 * models or by one warm call. From the best bound on, their algorithms are then predicted, until the best time is below all other bounds,
 * what could be gained is less than what finding out costs, or the budget is spent. What is dropped says why.
 *
 * @param planner the planner
 * @param contraction the contraction
 * @param[out] plan the plan; owned by the caller, release with perfpred_contraction_plan_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (no algorithm passes the filters; a name), PERFPRED_LIMIT (no algorithm gets
 *         by with the memory, whose bytes are named), PERFPRED_UNMODELLED and PERFPRED_OUT_OF_DOMAIN (models alone, of no algorithm),
 *         PERFPRED_CRASHED, PERFPRED_WORKER, PERFPRED_TIMEOUT, PERFPRED_CANCELLED, PERFPRED_UNSUPPORTED, PERFPRED_NO_MEMORY. A
 *         failure is not kept
 * @par Thread safety: any number of threads may ask one planner at once. Plans are made one at a time; who asks for one that is kept does
 *      not wait for that.
 * @source dissertation, Sections 23 and 24
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_planner_ask(struct perfpred_contraction_planner *planner,
                                                                   const struct perfpred_contraction *contraction,
                                                                   struct perfpred_contraction_plan **plan,
                                                                   struct perfpred_error *error);

/**
 * Plans over a varying extent, for plots: each as perfpred_contraction_planner_ask gives it.
 *
 * @param planner the planner
 * @param contraction the contraction; it must have no strides of its own
 * @param indices the indices that vary together, such as "abc"
 * @param values their extents
 * @param count number of values, at least 1
 * @param[out] plans count plans, each owned by the caller; on failure none
 * @param[out] error text of the error, which names the extent, or NULL
 * @return as perfpred_contraction_planner_ask; PERFPRED_INVALID also for an index that there is not
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_planner_sweep(
    struct perfpred_contraction_planner *planner, const struct perfpred_contraction *contraction, const char *indices,
    const int64_t *values, size_t count, struct perfpred_contraction_plan **plans, struct perfpred_error *error);

/** What was read from a file of answers, or written to it. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_answers_info {
  size_t size; /**< sizeof; PERFPRED_CONTRACTION_ANSWERS_INFO_INIT sets it */
  uint64_t
      answers;     /**< answers that were taken from the file; written: that were added to it, or replaced older ones */
  uint64_t others; /**< besides in the file: of this setup, with other options; written: all others of this setup */
  uint64_t foreign; /**< besides in the file: of other setups (BLAS, threads, release of libperfpred), not used here */
  int caches;       /**< 1: sizes of caches were taken from the file, or added to it */
};
#define PERFPRED_CONTRACTION_ANSWERS_INFO_INIT                                                                         \
  { sizeof(struct perfpred_contraction_answers_info), 0, 0, 0, 0 }

/**
 * Takes answers from a file that perfpred_contraction_planner_save wrote, so that questions of earlier planners are answered without
 * measuring, and the sizes of the caches, if the file has them for this number of threads.
 *
 * An answer is used where all of this is as it was: the machine (CPU model, instruction set), BLAS and LAPACK with their versions, builds and kernels,
 * number of threads, width of integers, clock, libperfpred with its way to measure; all options of the planner but `answers` and
 * progress; the models and which setup of theirs; type, indices, extents and strides of the contraction, whatever its letters are unless
 * algorithms are chosen by name. Otherwise it stays unused, and the question is asked anew. What is loaded later goes before what was loaded
 * earlier, and what the planner itself has found before both.
 *
 * @param planner the planner; it needs a sampler
 * @param path the file
 * @param[in,out] info what was taken; size set by the caller; or NULL
 * @param[out] error text of the error, which names the file and the place in it, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_MISSING (there is no such file), PERFPRED_IO, PERFPRED_CORRUPT, PERFPRED_VERSION (written by a
 *         release with another format), PERFPRED_OTHER_MACHINE, PERFPRED_NO_MEMORY, and failures of the sampler; the planner then has what
 *         it had
 * @par Thread safety: as perfpred_contraction_planner_ask.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_planner_load(struct perfpred_contraction_planner *planner,
                                                                    const char *path,
                                                                    struct perfpred_contraction_answers_info *info,
                                                                    struct perfpred_error *error);

/**
 * Adds to a file what the planner has found out and still keeps (options.answers): answers, and the sizes of the caches. What the file has besides stays;
 * answers to the same questions are replaced. Nothing is written where nothing is new. The file changes as a whole, under a lock: several processes
 * may add to one.
 *
 * @param planner the planner; it needs a sampler
 * @param path the file; it need not be there
 * @param[in,out] info what was written; all 0 where nothing was; size set by the caller; or NULL
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_IO, PERFPRED_TIMEOUT (the lock), PERFPRED_CORRUPT, PERFPRED_VERSION and PERFPRED_OTHER_MACHINE (what
 *         is there is no file of answers, or none of this machine: it stays as it is), PERFPRED_NO_MEMORY, and failures of the sampler
 * @par Thread safety: as perfpred_contraction_planner_ask.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_planner_save(struct perfpred_contraction_planner *planner,
                                                                    const char *path,
                                                                    struct perfpred_contraction_answers_info *info,
                                                                    struct perfpred_error *error);

/** Releases a plan; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_contraction_plan_destroy(struct perfpred_contraction_plan *plan);

/** A plan as a whole. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_plan_info {
  size_t size;                           /**< sizeof; PERFPRED_CONTRACTION_PLAN_INFO_INIT sets it */
  enum perfpred_contraction_mode mode;   /**< as asked */
  enum perfpred_contraction_stage stage; /**< as used */
  uint64_t candidates;                   /**< algorithms that pass the filters */
  uint64_t listed;                       /**< entries that perfpred_contraction_plan_at tells of */
  uint64_t predicted;                    /**< of these, the first ones: algorithms with a predicted time */
  size_t groups;                         /**< groups of algorithms */
  size_t ties;         /**< algorithms that are as fast as the first one, as far as the predictions tell; it counts */
  uint64_t benchmarks; /**< micro-benchmarks that were run */
  double best_s;       /**< predicted time of the first one, seconds */
  double planning_s;   /**< wall time of this answer (of a virtual sampler: virtual), seconds */
  double made_s;       /**< and of making it: the same unless it was kept */
  double budget_s;     /**< time that there was for making it */
  double
      calibration_s; /**< time that first contact with the sampler and finding the caches took, once for each planner, and
                          making tensors of these sizes; besides: planning_s does not have it */
  int from_cache;    /**< 1: it was kept */
  int bounded;  /**< 1: no algorithm that was dropped can be faster, by the bounds; 0: the budget was spent first, or
                   finding out would have cost more than could be gained */
  double flops; /**< of the contraction */
  double tensor_bytes; /**< size of its tensors */
  int64_t cache_bytes; /**< size of the cache that was assumed; 0: none was needed */
  int from_file; /**< 1: it was kept in a file (perfpred_contraction_planner_load): made_s, budget_s, benchmarks and calibration_s are of its
                    making then, planning_s is what it cost now */
  int caches_from_file; /**< 1: sizes of caches that a file had were taken, none were measured */
};
#define PERFPRED_CONTRACTION_PLAN_INFO_INIT                                                                            \
  {                                                                                                                    \
    sizeof(struct perfpred_contraction_plan_info), PERFPRED_CONTRACTION_AUTO, PERFPRED_CONTRACTION_STAGE_DEFAULT, 0,   \
        0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0, 0, 0                                                \
  }

/** Tells of a plan as a whole. @return PERFPRED_OK, PERFPRED_INVALID @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_contraction_plan_summary(const struct perfpred_contraction_plan *plan,
                                                                    struct perfpred_contraction_plan_info *info,
                                                                    struct perfpred_error *error);

/** What a predicted time rests on. @since 0.1 */
enum perfpred_contraction_source {
  PERFPRED_CONTRACTION_MEASURED = 0, /**< micro-benchmarks */
  PERFPRED_CONTRACTION_MODELLED = 1, /**< models */
  PERFPRED_CONTRACTION_DROPPED = 2,  /**< nothing: it was dropped early, and has a bound */
  PERFPRED_CONTRACTION_ROUGH = 3,    /**< the bound alone: measuring it as in its algorithm would have cost too much */
  PERFPRED_CONTRACTION_EXECUTED = 4  /**< executions, of the best ones where that takes less than the budget has left */
};

/** What a bound rests on. @since 0.1 */
enum perfpred_contraction_bound {
  PERFPRED_CONTRACTION_BOUND_NONE = 0,   /**< there is none: nothing was found out in the budget */
  PERFPRED_CONTRACTION_BOUND_SCALED = 1, /**< one warm call of smaller extents, times the ratio of work */
  PERFPRED_CONTRACTION_BOUND_WARM = 2,   /**< one warm call, times the number of calls */
  PERFPRED_CONTRACTION_BOUND_MODELS = 3, /**< models, times the number of calls */
  PERFPRED_CONTRACTION_BOUND_CALLS = 4   /**< the number of calls, of which each takes 10 ns */
};

/** An algorithm in a plan. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_prediction {
  size_t size;                             /**< sizeof; PERFPRED_CONTRACTION_PREDICTION_INIT sets it */
  char name[PERFPRED_CONTRACTION_NAME];    /**< such as "ci'-dgemm" */
  enum perfpred_contraction_kernel kernel; /**< its kernel */
  int copies;                              /**< operands that it copies */
  enum perfpred_contraction_source source; /**< what time_s rests on */
  enum perfpred_contraction_bound bound;   /**< what bound_s rests on */
  struct perfpred_statistics time_s;       /**< predicted time of the whole; NaN where it was dropped */
  double bound_s;                          /**< it takes no less than this, as far as the bound goes; 0: none */
  double copy_s;                           /**< share of copies in the median of time_s */
  double zero_s;                           /**< share of filling C with zeros */
  double flops_per_s;                      /**< performance; NaN where it was dropped */
  double memory_bytes;                     /**< peak: tensors and buffers of copies */
  double buffer_bytes;                     /**< of this, buffers */
  double cost_s;     /**< time that its own micro-benchmarks took; those that several share count for the first */
  int tied;          /**< 1: as fast as the first one, as far as the predictions tell */
  size_t group;      /**< place of its group */
  double measured_s; /**< median of its executions (perfpred_contraction_plan_measure); NaN: it was not executed */
  double noise;      /**< noise floor of these; NaN: not known */
  double error;      /**< (predicted - measured) / measured; NaN where one is missing */
  int whole;         /**< 1: one of those that copy whole tensors (enum perfpred_contraction_wholes) */
};
#define PERFPRED_CONTRACTION_PREDICTION_INIT                                                                           \
  {                                                                                                                    \
    sizeof(struct perfpred_contraction_prediction), "", (enum perfpred_contraction_kernel)0, 0,                        \
        PERFPRED_CONTRACTION_MEASURED, PERFPRED_CONTRACTION_BOUND_NONE, { 0.0, 0.0, 0.0, 0.0, 0.0 }, 0.0, 0.0, 0.0,    \
        0.0, 0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, 0                                                                     \
  }

/**
 * Tells of an algorithm by its rank. The first one is the pick. Behind those that are predicted come dropped ones, by their bounds: all of
 * them where at most 10000 algorithms pass the filter; of larger ones perfpred_contraction_plan_group_at tells.
 *
 * @param plan the plan
 * @param rank from 0
 * @param[in,out] prediction size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (rank is not below `listed`)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_plan_at(const struct perfpred_contraction_plan *plan,
                                                               size_t rank,
                                                               struct perfpred_contraction_prediction *prediction,
                                                               struct perfpred_error *error);

/** Rank of an algorithm by its name; -1 if it is not listed. @since 0.1 */
PERFPRED_API int64_t perfpred_contraction_plan_find(const struct perfpred_contraction_plan *plan, const char *name);

/** Algorithms that call their kernel in the same way. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_group {
  size_t size;                             /**< sizeof; PERFPRED_CONTRACTION_GROUP_INIT sets it */
  enum perfpred_contraction_kernel kernel; /**< the kernel */
  char indices[8];                         /**< those that it goes through, contracted, of A, of B, such as "iab"; where
                                                whole tensors are copied, the first one of each kind */
  const char *call;                        /**< the call as text, "dgemm(N,T,200,200,8)"; borrowed from the plan */
  uint64_t algorithms;                     /**< that pass the filters */
  uint64_t predicted;                      /**< of these, with a predicted time */
  double calls;                            /**< calls of the kernel in each of them */
  enum perfpred_contraction_bound bound;   /**< what bound_s rests on */
  double bound_s;                          /**< none of them takes less, as far as the bound goes; 0: none */
  double call_s;                           /**< time of one warm call; NaN: not known */
  double best_s;                           /**< the best predicted time; NaN: none is predicted */
};
#define PERFPRED_CONTRACTION_GROUP_INIT                                                                                \
  {                                                                                                                    \
    sizeof(struct perfpred_contraction_group), (enum perfpred_contraction_kernel)0, "", 0, 0, 0, 0.0,                  \
        PERFPRED_CONTRACTION_BOUND_NONE, 0.0, 0.0, 0.0                                                                 \
  }

/** Tells of a group by its place, the best bound first. @return as perfpred_contraction_plan_at @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_contraction_plan_group_at(const struct perfpred_contraction_plan *plan,
                                                                     size_t index,
                                                                     struct perfpred_contraction_group *group,
                                                                     struct perfpred_error *error);

/** Which algorithms are executed. Zero means the default. @since 0.1 */
struct perfpred_contraction_measure_options {
  size_t size;              /**< sizeof; PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT sets it */
  size_t best;              /**< the first so many; 0: all that are listed */
  double limit_s;           /**< none that is predicted, or bounded, to take longer, but for the first; 0: no limit */
  const char *const *names; /**< these besides, whatever they take; NULL: none */
  size_t name_count;        /**< how many */
  int repetitions;          /**< timed executions of each; default 10 */
  double gate;              /**< as in struct perfpred_measure_options */
  double budget_s;          /**< wall time to stay within, but each is executed once; 0: none */
  uint64_t seed;            /**< of their order */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
};
#define PERFPRED_CONTRACTION_MEASURE_OPTIONS_INIT                                                                      \
  { sizeof(struct perfpred_contraction_measure_options), 0, 0.0, 0, 0, 0, 0.0, 0.0, 0, 0, 0 }

/** Predictions beside executions. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_validation {
  size_t size;        /**< sizeof; PERFPRED_CONTRACTION_VALIDATION_INIT sets it */
  size_t executed;    /**< algorithms that were executed */
  size_t compared;    /**< of these, predicted ones: the errors are theirs */
  double mean_are;    /**< mean of the errors' absolute values; NaN: none */
  double median_are;  /**< their median */
  double worst_are;   /**< the largest */
  double noise_floor; /**< mean noise of the executions; NaN: not known */
  double tau; /**< Kendall's tau over pairs whose measured times differ by more than their noise; NaN: there are none */
  size_t pairs; /**< such pairs */
  double loss; /**< measured time of the first one over the shortest measured time, minus 1; NaN: it was not executed */
  size_t fastest; /**< rank of the one that was fastest */
  double wall_s;  /**< wall time */
};
#define PERFPRED_CONTRACTION_VALIDATION_INIT                                                                           \
  { sizeof(struct perfpred_contraction_validation), 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0, 0.0 }

/**
 * Executes algorithms of a plan, interleaved, and sets their times beside the predicted ones. The plan keeps them: perfpred_contraction_plan_at
 * and perfpred_contraction_plan_report tell them from then on.
 *
 * @param plan the plan; nobody else may use it meanwhile, and the context of its planner must still be there
 * @param sampler where they are executed
 * @param options options, or NULL
 * @param[in,out] validation the summary; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (a name), PERFPRED_LIMIT (they need more memory than the machine has, whose bytes are
 *         named), PERFPRED_CRASHED, PERFPRED_WORKER, PERFPRED_TIMEOUT, PERFPRED_CANCELLED, PERFPRED_NO_MEMORY
 * @source dissertation, Section 24
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_plan_measure(struct perfpred_contraction_plan *plan, struct perfpred_sampler *sampler,
                                  const struct perfpred_contraction_measure_options *options,
                                  struct perfpred_contraction_validation *validation, struct perfpred_error *error);

/**
 * Takes over the measured times of another plan of the same contraction, such as one of another mode or stage: so one set of executions
 * tells the errors of all of them.
 *
 * @param plan the plan; nobody else may use it meanwhile
 * @param measured the plan that has been measured
 * @param[in,out] validation the summary; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (they are of different contractions; nothing was executed), PERFPRED_NO_MEMORY
 * @source dissertation, Sections 23.2 to 23.6
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_plan_compare(struct perfpred_contraction_plan *plan,
                                                                    const struct perfpred_contraction_plan *measured,
                                                                    struct perfpred_contraction_validation *validation,
                                                                    struct perfpred_error *error);

/**
 * The whole plan as text.
 *
 * @param plan the plan
 * @param most algorithms that are listed at most; 0: all
 * @param[out] json one JSON object (doc/json.md, "contract"; doc/contract.schema.json); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NO_MEMORY, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_plan_report(const struct perfpred_contraction_plan *plan,
                                                                   size_t most, char **json,
                                                                   struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
