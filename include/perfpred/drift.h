/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file drift.h
 * @brief Whether the machine is still as fast as when models were made: anchors timed again, verdicts, models scaled.
 *
 * A generation times a few cheap calls of every kernel and case, its anchors, and keeps their times with the models. Here they are timed
 * once more. All of it is explained in doc/drift.md.
 */
#ifndef PERFPRED_DRIFT_H
#define PERFPRED_DRIFT_H

#include <perfpred/plan.h>

PERFPRED_BEGIN_DECLS

/** Models beside what their anchors take now. Opaque. @since 0.1 */
struct perfpred_drift;

/** What anchors say of models. @since 0.1 */
enum perfpred_drift_verdict {
  PERFPRED_DRIFT_UNMEASURED = 0, /**< nothing: no anchor was timed */
  PERFPRED_DRIFT_HOLDS = 1,      /**< what the machine is off by is within the threshold */
  PERFPRED_DRIFT_UNCLEAR = 2, /**< it is too, but noise is so large that this says little, or too few calls passed the
                                      gate */
  PERFPRED_DRIFT_DRIFTED = 3  /**< it is not */
};

/**
 * Prepares to look at models. They are only read, and kept until the drift is destroyed.
 *
 * @param models the models
 * @param[out] drift the drift, nothing measured; owned by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (there are no anchors), PERFPRED_NO_MEMORY
 * @par Thread safety: models may be shared, a drift belongs to one thread at a time.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_drift_create(struct perfpred_models *models, struct perfpred_drift **drift,
                                                        struct perfpred_error *error);

/** Options of timing anchors. Zero means the default. @since 0.1 */
struct perfpred_drift_options {
  size_t size; /**< sizeof; PERFPRED_DRIFT_OPTIONS_INIT sets it */
  size_t
      setup; /**< place of a setup of the models, from 1; default: the first one with anchors that is the sampler's */
  int repetitions; /**< timed executions of each anchor; default 10 */
  double gate;     /**< as in struct perfpred_measure_options */
  double
      budget_s; /**< wall time to stay within, seconds; anchors that it does not reach are not timed, the last ones of
                      each kernel first; default: none */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
};
#define PERFPRED_DRIFT_OPTIONS_INIT                                                                                    \
  { sizeof(struct perfpred_drift_options), 0, 0, 0.0, 0.0, 0, 0 }

/**
 * Times the anchors of one setup of the models. Several setups take several calls, each with a sampler of its own; what was measured of a
 * setup before is forgotten.
 *
 * Times are brought to the reading of the yardstick that the sampler was given (yardstick_s of struct perfpred_setup). With that of the models
 * (perfpred_models_setup_info) the ratios are those that perfpred_validate would meet.
 *
 * @param drift the drift; as it was before on failure
 * @param sampler where measurements come from
 * @param options options, or NULL
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (the setup has no anchors), PERFPRED_OTHER_BLAS, PERFPRED_OTHER_MACHINE or
 *         PERFPRED_VERSION (the models have no such setup), PERFPRED_CANCELLED, PERFPRED_CRASHED, PERFPRED_TIMEOUT, PERFPRED_NUMERIC,
 *         PERFPRED_WORKER, PERFPRED_UNSUPPORTED, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_drift_measure(struct perfpred_drift *drift, struct perfpred_sampler *sampler,
                                                         const struct perfpred_drift_options *options,
                                                         struct perfpred_error *error);

/** All of it in short. @since 0.1 */
struct perfpred_drift_info {
  size_t size;                         /**< sizeof; PERFPRED_DRIFT_INFO_INIT sets it */
  enum perfpred_drift_verdict verdict; /**< the worst one of the kernels that were measured */
  double ratio;                        /**< now to then, in the middle of those kernels; NaN: nothing was measured */
  double noise;                        /**< of such a ratio, relative, in the middle of them; NaN likewise */
  size_t kernels;                      /**< what perfpred_drift_kernel_at tells of */
  size_t anchors;                      /**< in the models; alike ones of several sub-models count once */
  size_t measured;                     /**< of them, by now */
  double wall_s;                       /**< that measuring took */
};
#define PERFPRED_DRIFT_INFO_INIT                                                                                       \
  { sizeof(struct perfpred_drift_info), PERFPRED_DRIFT_UNMEASURED, 0.0, 0.0, 0, 0, 0, 0.0 }

/** Tells it. @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NO_MEMORY. @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_drift_describe(const struct perfpred_drift *drift,
                                                          struct perfpred_drift_info *info,
                                                          struct perfpred_error *error);

/** A kernel of one setup, in models that were made and scaled together. @since 0.1 */
struct perfpred_drift_kernel {
  size_t size;        /**< sizeof; PERFPRED_DRIFT_KERNEL_INIT sets it */
  const char *kernel; /**< its name; borrowed from the models */
  size_t setup;       /**< place of the setup, from 0 */
  const char *at;     /**< when its anchors were timed, ISO 8601 in UTC; borrowed */
  double scale;       /**< what the models were multiplied by since; 1: nothing */
  size_t anchors;     /**< calls that were timed then */
  size_t measured;    /**< of them, timed again */
  double ratio;       /**< time now to that of the models, in the middle of the anchors; NaN: none */
  double noise;       /**< of the ratio, relative; NaN: none */
  double threshold;   /**< what the ratio's logarithm may be, with either sign: 0.01 + 2 * noise; NaN: none */
  enum perfpred_drift_verdict verdict; /**< what that says */
};
#define PERFPRED_DRIFT_KERNEL_INIT                                                                                     \
  { sizeof(struct perfpred_drift_kernel), 0, 0, 0, 0.0, 0, 0, 0.0, 0.0, 0.0, PERFPRED_DRIFT_UNMEASURED }

/** Tells of one of them. @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (index). @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_drift_kernel_at(const struct perfpred_drift *drift, size_t index,
                                                           struct perfpred_drift_kernel *kernel,
                                                           struct perfpred_error *error);

/**
 * Tells everything, each anchor as well, as one JSON object (doc/drift.md, drift.schema.json).
 *
 * @param drift the drift
 * @param[out] json the text; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_drift_report(const struct perfpred_drift *drift, char **json,
                                                        struct perfpred_error *error);

/**
 * Models for the machine as it is now: times of kernels that have drifted are multiplied by their ratio, for each setup by its own. Others stay
 * as they are. It is noted in the models (perfpred_models_info, their file). Anchors and raw samples stay as they were measured, so that it can be
 * done again and again, always from there.
 *
 * @param drift the drift
 * @param[out] scaled the models; the caller gets a reference. Those of the drift stay as they are
 * @param[out] count sub-models that were scaled; may be NULL
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (nothing was measured), PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_drift_apply(const struct perfpred_drift *drift,
                                                       struct perfpred_models **scaled, size_t *count,
                                                       struct perfpred_error *error);

/** A point of a validation without what the machine has drifted by. @since 0.1 */
struct perfpred_drift_point {
  double corrected_s;   /**< predicted median, each kernel's share multiplied by the ratio of its anchors around the
                           measurement */
  double corrected_are; /**< |corrected - measured| / measured */
  double corrected_re;  /**< the same with its sign */
};

/** Result of such a validation over many points. @since 0.1 */
struct perfpred_drift_validation {
  size_t size;                 /**< sizeof; PERFPRED_DRIFT_VALIDATION_INIT sets it */
  double corrected_mean_are;   /**< mean over the points */
  double corrected_median_are; /**< median over the points */
  double ratio;                /**< corrected to plain prediction, in the middle of the points */
  uint64_t readings;           /**< how often the anchors were timed */
  double anchor_s;             /**< what that took */
};
#define PERFPRED_DRIFT_VALIDATION_INIT                                                                                 \
  { sizeof(struct perfpred_drift_validation), 0.0, 0.0, 0.0, 0, 0.0 }

/**
 * Measures beside predictions as perfpred_validate does, with anchors of the kernels that are called timed in between, so that what is the
 * models' error and what is the machine's drift stand beside each other. Points are measured in groups of at most eight, all sizes in each, and the
 * anchors before and behind each group.
 *
 * @param drift the drift of the models that all plans are of; afterwards it has the last readings
 * @param plans the plans, all of one setup; points refer to them by place
 * @param plan_count number of plans
 * @param sampler where measurements come from
 * @param options options of the measurements, or NULL; a fifth of a budget is for the anchors
 * @param[in,out] points as for perfpred_validate
 * @param[out] corrected one for each point
 * @param point_count number of points, at least 1
 * @param[in,out] validation the summary of what was predicted; size set by the caller
 * @param[in,out] summary that with the drift taken out; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return as perfpred_validate and perfpred_drift_measure; PERFPRED_INVALID also for plans of other models or of several setups,
 *         PERFPRED_NOT_FOUND where a kernel that is called has no anchors. On failure nothing is written
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_drift_validate(struct perfpred_drift *drift, const struct perfpred_plan *const *plans, size_t plan_count,
                        struct perfpred_sampler *sampler, const struct perfpred_measure_options *options,
                        struct perfpred_validation_point *points, struct perfpred_drift_point *corrected,
                        size_t point_count, struct perfpred_validation *validation,
                        struct perfpred_drift_validation *summary, struct perfpred_error *error);

/** Releases it; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_drift_destroy(struct perfpred_drift *drift);

PERFPRED_END_DECLS

#endif
