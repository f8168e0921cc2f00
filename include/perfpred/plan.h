/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file plan.h
 * @brief Plans: programs bound to models; prediction, ranking, tuning, validation.
 */
#ifndef PERFPRED_PLAN_H
#define PERFPRED_PLAN_H

#include <perfpred/sampler.h>
#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

struct perfpred_cache_options;

/** Options of a plan. Zero means the default. @since 0.1 */
struct perfpred_plan_options {
  size_t size;      /**< sizeof; PERFPRED_PLAN_OPTIONS_INIT sets it */
  int extrapolate;  /**< 1: sizes above a domain are extrapolated and marked; 0: they are an error */
  int partial;      /**< 1: calls without a model count as 0 and are marked; 0: the plan is refused */
  int threads;      /**< of the setups of the models, one of so many threads; 0: any */
  const char *blas; /**< one of this BLAS: its family ("blis"), path, or first digits (6 or more) of its build id */
  size_t setup;     /**< 1: the first setup, 2: the second, as perfpred_models_setup_info counts from 0; 0: any */
  int force;        /**< 1: where no setup is of this BLAS and so many threads, take another and mark every answer */
  int warm;         /**< 1: models of calls alone, even where there are models of calls in this algorithm (contexts in
                         struct perfpred_generate_options), which are taken otherwise */
  int64_t ld;       /**< leading dimension of the operands; 0: like that of the models. Of another kind than theirs, the
                         answers are marked PERFPRED_NOTE_OTHER_LD. Kinds are multiples of 256, whose columns begin in
                         few sets of a cache, other multiples of 8, and the rest */
  int context;      /**< 1: models of calls in this algorithm are demanded: where no call has one, the plan is refused
                         (PERFPRED_UNMODELLED). Not together with warm */
  const struct perfpred_cache_options *
      cache; /**< not NULL: times of calls are blended by what they find in the caches (cache.h), from models of calls with
                   their operands in the caches and out of them, of which every call has to have one, or one of the call
                   alone; copied. Every prediction goes through all calls then: it allocates memory, and takes milliseconds
                   instead of microseconds. Not together with warm or context */
};
#define PERFPRED_PLAN_OPTIONS_INIT                                                                                     \
  { sizeof(struct perfpred_plan_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Binds a program to models. A plan is of one setup: where the models have several, the options choose one.
 *
 * @param program the program; the plan keeps a reference
 * @param models the models; the plan keeps a reference
 * @param options options, or NULL
 * @param[out] plan the plan; owned by the caller, release with perfpred_plan_destroy
 * @param[out] error text of the error naming the kernel and case that has no model, or NULL
 * @return PERFPRED_OK, PERFPRED_UNMODELLED, PERFPRED_AMBIGUOUS (several setups fit the options), PERFPRED_NOT_FOUND (no setup
 *         fits), PERFPRED_OTHER_BLAS (none is of the file that blas names), PERFPRED_UNSUPPORTED (the program is a loop nest of accesses, of which there are
 *         no models), PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @par Thread safety: a plan may be used from any number of threads at once.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_plan_create(struct perfpred_program *program, struct perfpred_models *models,
                                                       const struct perfpred_plan_options *options,
                                                       struct perfpred_plan **plan, struct perfpred_error *error);

/** Releases a plan; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_plan_destroy(struct perfpred_plan *plan);

/** Place of the plan's setup among those of its models; 0 for NULL. @since 0.1 */
PERFPRED_API size_t perfpred_plan_setup(const struct perfpred_plan *plan);

/** The program of a plan; borrowed. @since 0.1 */
PERFPRED_API struct perfpred_program *perfpred_plan_program(const struct perfpred_plan *plan);

/** Place of a parameter of the plan's program by its name; -1 if there is none. @since 0.1 */
PERFPRED_API int perfpred_plan_parameter(const struct perfpred_plan *plan, const char *name);

/** A prediction. Written up to the size that the caller states. @since 0.1 */
struct perfpred_prediction {
  size_t size;                            /**< sizeof; PERFPRED_PREDICTION_INIT sets it */
  struct perfpred_statistics time_s;      /**< run time, seconds; with interruptions (doc/generator.md) */
  double flops;                           /**< minimal flop count of the operation (its cost) */
  struct perfpred_statistics flops_per_s; /**< performance */
  struct perfpred_statistics efficiency;  /**< performance / peak of the data type and threads; NaN when unknown */
  double data_bytes;                      /**< size of the operands */
  double movement_bytes;                  /**< minimal data movement: each input read once, each output written once */
  double intensity_flops_per_byte;        /**< flops / movement_bytes */
  struct perfpred_statistics bandwidth_bytes_per_s; /**< movement_bytes / time */
  struct perfpred_statistics
      efficiency_bandwidth;    /**< bandwidth / measured bandwidth of the machine; NaN when unknown */
  double roofline_flops_per_s; /**< min(peak, intensity * bandwidth); NaN when unknown */
  int compute_bound;           /**< 1 compute, 0 bandwidth, -1 unknown */
  unsigned notes;              /**< bits of enum perfpred_note */
  uint64_t calls;              /**< number of kernel calls, those of no work included */
  double model_error; /**< time-weighted mean of the models' error measures, relative; NaN when that of any call with
                               work is not known, which PERFPRED_NOTE_UNCERTAIN marks */
  uint64_t context_calls; /**< calls with work that were priced by a model of the call in this algorithm */
  uint64_t warm_calls;    /**< and by one of the call alone */
  uint64_t cache_calls;   /**< and by models of states of the caches, blended (cache of struct perfpred_plan_options) */
};
#define PERFPRED_PREDICTION_INIT                                                                                       \
  {                                                                                                                    \
    sizeof(struct perfpred_prediction), { 0.0, 0.0, 0.0, 0.0, 0.0 }, 0.0, { 0.0, 0.0, 0.0, 0.0, 0.0 },                 \
        { 0.0, 0.0, 0.0, 0.0, 0.0 }, 0.0, 0.0, 0.0, { 0.0, 0.0, 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0, 0.0, 0.0 }, 0.0, 0,  \
        0, 0, 0.0, 0, 0, 0                                                                                             \
  }

/**
 * Predicts the run time of a plan's program.
 *
 * @param plan the plan
 * @param parameters values of the program's parameters, in order
 * @param count number of values; must be the program's
 * @param[in,out] prediction the result; size set by the caller; untouched on failure
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (wrong count, negative size, block size below 1), PERFPRED_OUT_OF_DOMAIN,
 *         PERFPRED_LIMIT, PERFPRED_OVERFLOW
 * @par Thread safety: safe from any thread; no allocation (but for plans that blend by caches), no lock.
 * @source dissertation, Section 11, equations 1 to 6
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_plan_predict(const struct perfpred_plan *plan, const int64_t *parameters,
                                                        size_t count, struct perfpred_prediction *prediction,
                                                        struct perfpred_error *error);

/**
 * Predicts the run times of many configurations, for a search of the caller's own. Each result is to the bit that of
 * perfpred_plan_predict. Medians alone cost less than half of all statistics.
 *
 * @param plan the plan
 * @param configurations configuration_count times parameter_count values: those of one configuration side by side, in
 *        the order of the program's parameters
 * @param configuration_count number of configurations; 0 does nothing
 * @param parameter_count number of values of each; must be the program's
 * @param[out] medians_s median run time of each configuration, seconds; NaN where there is no prediction; or NULL
 * @param[out] time_s all statistics of each, seconds; NaN where there is no prediction; or NULL
 * @param[out] statuses what perfpred_plan_predict would say of each; or NULL
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, also where configurations have no prediction; PERFPRED_INVALID, and nothing is written then
 * @par Thread safety: safe from any thread; no allocation (but for plans that blend by caches), no lock.
 * @source dissertation, Section 16
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_plan_evaluate(const struct perfpred_plan *plan,
                                                         const int64_t *configurations, size_t configuration_count,
                                                         size_t parameter_count, double *medians_s,
                                                         struct perfpred_statistics *time_s,
                                                         enum perfpred_status *statuses, struct perfpred_error *error);

/** What the calls of one kernel have of a prediction. @since 0.1 */
struct perfpred_share {
  const char *kernel;                /**< its name, e.g. "dtrsm"; borrowed from the plan */
  uint64_t calls;                    /**< its calls that have work and a model */
  struct perfpred_statistics time_s; /**< sum of their predicted times, seconds */
  double flops;                      /**< sum of their minimal flop counts */
};

/**
 * Splits a prediction by kernels. The times of all of them add up to the predicted time; their flops to those that
 * the calls perform, which may be more than the cost of the operation.
 *
 * @param plan the plan
 * @param parameters values of the program's parameters, in order
 * @param count number of values; must be the program's
 * @param[out] shares the kernels in the order of their first calls, as many as fit; NULL only with a capacity of 0
 * @param capacity places of shares
 * @param[out] share_count number of kernels, which may be more than capacity
 * @param[out] error text of the error, or NULL
 * @return as perfpred_plan_predict; PERFPRED_LIMIT for more than 64 kernels, too. On failure nothing is written
 * @par Thread safety: safe from any thread; no allocation (but for plans that blend by caches), no lock.
 * @source dissertation, Section 16, Figure 42
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_plan_shares(const struct perfpred_plan *plan, const int64_t *parameters,
                                                       size_t count, struct perfpred_share *shares, size_t capacity,
                                                       size_t *share_count, struct perfpred_error *error);

/** Values that a tuned parameter may take: lower, lower + step, ... up to upper. @since 0.1 */
struct perfpred_range {
  int64_t lower; /**< first value, at least 0 */
  int64_t upper; /**< none is larger; at least lower */
  int64_t step;  /**< at least 1 */
};

/** Result of tuning. @since 0.1 */
struct perfpred_tuning {
  size_t size;           /**< sizeof; PERFPRED_TUNING_INIT sets it */
  int64_t best;          /**< the value with the smallest median time; the smallest of equal ones */
  double yield_default;  /**< time(best) / time(default_value); NaN when that has no prediction */
  int64_t default_value; /**< in: the value to compare with (0: the one that the program's text proposes, as
                                            b = 32 of dgeqrf, else 64); out: as used */
  uint64_t candidates;   /**< values tried */
  struct perfpred_prediction prediction; /**< the prediction for the best value; last, because it may grow */
};
#define PERFPRED_TUNING_INIT                                                                                           \
  { sizeof(struct perfpred_tuning), 0, 0.0, 0, 0, PERFPRED_PREDICTION_INIT }

/**
 * Finds the best value of a parameter, such as the block size, by predicted median time.
 *
 * @param plan the plan
 * @param parameter place of the parameter that varies
 * @param range its candidates; at most 65536
 * @param parameters values of all parameters; that of the varied one is ignored
 * @param count number of values
 * @param[in,out] tuning the result; size and default_value set by the caller; untouched on failure
 * @param[out] error text of the error, or NULL
 * @return as perfpred_plan_predict
 * @par Thread safety: safe from any thread; no allocation (but for plans that blend by caches), no lock.
 * @source dissertation, Section 16
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_plan_tune(const struct perfpred_plan *plan, int parameter,
                                                     const struct perfpred_range *range, const int64_t *parameters,
                                                     size_t count, struct perfpred_tuning *tuning,
                                                     struct perfpred_error *error);

/** One line of a ranking. @since 0.1 */
struct perfpred_ranked {
  size_t plan;                       /**< place of the plan in the array handed in */
  struct perfpred_statistics time_s; /**< predicted run time */
  unsigned group;                    /**< ties share a group; 0 is the fastest */
  double
      likelihood; /**< probability that it is the fastest, by the predicted spread and model error; they add up to 1 */
  unsigned notes; /**< bits of enum perfpred_note */
  double
      loss_s; /**< expected loss if it is chosen: by how much its true median exceeds that of the fastest on average, given
                     the error of the models, seconds */
};

/** Options of a ranking. Zero means the default. @since 0.1 */
struct perfpred_rank_options {
  size_t size; /**< sizeof; PERFPRED_RANK_OPTIONS_INIT sets it */
  double
      tie; /**< relative difference of medians below which neighbours are a tie; 0: from error and noise; negative: none */
  double
      noise; /**< noise floor of measurements, relative, as perfpred_validate finds it; medians closer than it are a tie */
  double
      error; /**< error of the predicted difference of two algorithms as validated, relative to the faster one; 0: from the
                   models' own errors over the calls that not both make, times how often: shared calls cancel */
};
#define PERFPRED_RANK_OPTIONS_INIT                                                                                     \
  { sizeof(struct perfpred_rank_options), 0.0, 0.0, 0.0 }

/**
 * Ranks alternatives for the same operation, fastest median first. Neighbours are a tie where their difference is below
 * sqrt(error^2 + noise^2). Likelihoods and losses take the alternatives' errors as independent, apart from calls that all
 * of them make.
 *
 * @param plans the plans; all with the same parameters, and of programs that state the same operation, or none
 * @param plan_count number of plans, at least 1
 * @param parameters values of the parameters
 * @param count number of values
 * @param options options, or NULL
 * @param[out] ranking plan_count lines, owned by the caller; untouched on failure
 * @param[out] error text of the error, or NULL
 * @return as perfpred_plan_predict, and PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread, no lock.
 * @source dissertation, Section 15
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_rank(const struct perfpred_plan *const *plans, size_t plan_count,
                                                const int64_t *parameters, size_t count,
                                                const struct perfpred_rank_options *options,
                                                struct perfpred_ranked *ranking, struct perfpred_error *error);

/** Options of a choice. Zero means the default. @since 0.1 */
struct perfpred_choose_options {
  size_t size;           /**< sizeof; PERFPRED_CHOOSE_OPTIONS_INIT sets it */
  int thread_limit;      /**< plans for more threads are left out; 0: none is */
  int64_t default_value; /**< the value to compare with, as in struct perfpred_tuning */
  int64_t
      extra; /**< one more candidate for every plan, such as n for no blocking, where it can be predicted; 0: none */
};
#define PERFPRED_CHOOSE_OPTIONS_INIT                                                                                   \
  { sizeof(struct perfpred_choose_options), 0, 0, 0 }

/** Algorithm, threads and block size that go together best. Written up to the size that the caller states. @since 0.1 */
struct perfpred_choice {
  size_t size;           /**< sizeof; PERFPRED_CHOICE_INIT sets it */
  size_t plan;           /**< place of the plan: its algorithm and setup */
  int threads;           /**< of that setup; 1 for a BLAS that is built for one thread */
  int64_t value;         /**< of the parameter */
  double time_s;         /**< predicted median for them, seconds */
  int64_t default_value; /**< what the choice is compared with, in the same plan */
  double yield_default;  /**< time_s / time of the default value; NaN when that has no prediction */
  double
      yield; /**< expected yield of the choice: 1 - its expected loss / time_s, where the loss is that against the one
                   candidate that may most well be faster, by the models' errors */
  uint64_t candidates; /**< pairs of plan and value that were compared */
  unsigned notes;      /**< bits of enum perfpred_note on the prediction */
};
#define PERFPRED_CHOICE_INIT                                                                                           \
  { sizeof(struct perfpred_choice), 0, 0, 0, 0.0, 0, 0.0, 0.0, 0, 0 }

/**
 * Chooses among plans and values of a parameter together: algorithms of one operation, each with models for several numbers
 * of threads, and the block size. Of equal times the first plan and the smallest value win.
 *
 * @param plans the plans; all with the same parameters, and of programs that state the same operation, or none
 * @param plan_count number of plans, at least 1
 * @param parameter place of the parameter that varies
 * @param ranges the candidates of each plan; at most 65536
 * @param parameters values of all parameters; that of the varied one is ignored
 * @param count number of values
 * @param options options, or NULL
 * @param[in,out] choice the result; size set by the caller; untouched on failure
 * @param[out] error text of the error, or NULL
 * @return as perfpred_plan_predict; PERFPRED_NOT_FOUND where all plans are for more threads than the limit
 * @par Thread safety: safe from any thread, each call with a limit of its own; no allocation (but for plans that blend by caches), no lock.
 * @source dissertation, Sections 15 and 16
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_choose(const struct perfpred_plan *const *plans, size_t plan_count,
                                                  int parameter, const struct perfpred_range *ranges,
                                                  const int64_t *parameters, size_t count,
                                                  const struct perfpred_choose_options *options,
                                                  struct perfpred_choice *choice, struct perfpred_error *error);

/** One point of a validation. @since 0.1 */
struct perfpred_validation_point {
  size_t plan;                            /**< place of the plan */
  int64_t parameters[8];                  /**< values of its parameters */
  struct perfpred_statistics predicted_s; /**< predicted run time */
  struct perfpred_statistics measured_s;  /**< measured run time */
  double are;                             /**< |predicted - measured| / measured of the medians */
  double re;                              /**< the same with its sign */
  double noise;                           /**< noise floor of the measurement, as in struct perfpred_measurement */
  uint64_t disturbed;                     /**< samples thrown away */
  int64_t ld;                             /**< leading dimension of the executed buffers */
  int gated;                              /**< as in struct perfpred_measurement */
};

/** Result of a validation over many points. @since 0.1 */
struct perfpred_validation {
  size_t size;                  /**< sizeof; PERFPRED_VALIDATION_INIT sets it */
  double mean_are;              /**< mean over the points */
  double median_are;            /**< median over the points */
  double noise_floor;           /**< mean noise over the points */
  uint64_t disturbed;           /**< samples thrown away, over all points */
  double wall_s;                /**< wall time */
  unsigned notes;               /**< bits of enum perfpred_note, on any of the points */
  double yardstick_s;           /**< best reading of the yardstick in this run, seconds; 0: none was taken */
  double yardstick_reference_s; /**< the reading that measured times were brought to; 0: none */
};
#define PERFPRED_VALIDATION_INIT                                                                                       \
  { sizeof(struct perfpred_validation), 0.0, 0.0, 0.0, 0, 0.0, 0, 0.0, 0.0 }

/**
 * Measures beside predictions: repetitions of all points are interleaved, so that drift of the machine meets all alike.
 *
 * @param plans the plans; points refer to them by place
 * @param plan_count number of plans
 * @param sampler where measurements come from
 * @param options options of the measurements, or NULL
 * @param[in,out] points plan and parameters set by the caller, the rest is the result
 * @param point_count number of points, at least 1
 * @param[in,out] validation the summary; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return as perfpred_plan_predict and perfpred_measure; PERFPRED_OTHER_BLAS where the sampler measures another
 *         setup than that of the models
 * @par Thread safety: plans may be shared; the sampler belongs to one thread at a time.
 * @source dissertation, Section 12
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_validate(const struct perfpred_plan *const *plans, size_t plan_count, struct perfpred_sampler *sampler,
                  const struct perfpred_measure_options *options, struct perfpred_validation_point *points,
                  size_t point_count, struct perfpred_validation *validation, struct perfpred_error *error);

/** What the calls of one kernel have of the error of a prediction. @since 0.1 */
struct perfpred_kernel_error {
  const char *kernel;                     /**< its name, e.g. "dtrsm"; borrowed from the plan */
  uint64_t calls;                         /**< its calls that have work */
  struct perfpred_statistics predicted_s; /**< sum of their predicted times; of calls without a model, which only a
                                               partial plan has, 0 */
  double
      measured_s; /**< their time in the running algorithm: the sum over the places of the text that call the kernel of
                          the median time that all calls from there took in one execution */
  double re;      /**< (predicted - measured) / measured of these medians */
  double noise;   /**< noise floor of the measurement, at most: that of each place, weighted by time; NaN where it is
                          not known */
};

/**
 * Splits the error of a prediction by kernels, so that its cause is seen: the algorithm is executed as perfpred_validate
 * does, but every call is timed by itself, by readings of the clock between them. Where the calls of some kernel take
 * another time there than predicted, the model of that kernel, or the state of the caches that it was made in, is at fault.
 *
 * @param plan the plan
 * @param sampler where measurements come from
 * @param options options of the measurement, or NULL
 * @param parameters values of the program's parameters, in order
 * @param count number of values; must be the program's
 * @param[out] items the kernels in the order of their first calls, as many as fit; NULL only with a capacity of 0. Owned by
 *             the caller
 * @param capacity places of items
 * @param[out] item_count number of kernels, which may be more than capacity; 0 where nothing has work
 * @param[out] error text of the error, or NULL
 * @return as perfpred_plan_shares and perfpred_measure; PERFPRED_OTHER_BLAS where the sampler measures another setup than
 *         that of the models. On failure nothing is written
 * @par Thread safety: plans may be shared; the sampler belongs to one thread at a time.
 * @source dissertation, Sections 12 and 16
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_validate_kernels(const struct perfpred_plan *plan,
                                                            struct perfpred_sampler *sampler,
                                                            const struct perfpred_measure_options *options,
                                                            const int64_t *parameters, size_t count,
                                                            struct perfpred_kernel_error *items, size_t capacity,
                                                            size_t *item_count, struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
