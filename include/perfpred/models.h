/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file models.h
 * @brief Models of kernels: generating, loading, saving, evaluating.
 */
#ifndef PERFPRED_MODELS_H
#define PERFPRED_MODELS_H

#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

/** Options of loading. Zero means the default. @since 0.1 */
struct perfpred_load_options {
  size_t size; /**< sizeof; PERFPRED_LOAD_OPTIONS_INIT sets it */
  int force;   /**< 1: accept models of another machine; every prediction from them is marked */
};
#define PERFPRED_LOAD_OPTIONS_INIT                                                                                     \
  { sizeof(struct perfpred_load_options), 0 }

/**
 * Loads a model file. All or nothing.
 *
 * @param context kernels that the models are of
 * @param path the file
 * @param options options, or NULL
 * @param[out] models the models; the caller gets a reference, release with perfpred_models_unref
 * @param[out] error text of the error naming the file and the key, or NULL
 * @return PERFPRED_OK, PERFPRED_MISSING, PERFPRED_IO, PERFPRED_CORRUPT, PERFPRED_VERSION, PERFPRED_OTHER_MACHINE,
 *         PERFPRED_NOT_FOUND (a kernel that the context does not know), PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_models_load(const struct perfpred_context *context, const char *path,
                                                       const struct perfpred_load_options *options,
                                                       struct perfpred_models **models, struct perfpred_error *error);

/** Like perfpred_models_load, from length bytes in memory; name is used in messages. @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_models_load_memory(const struct perfpred_context *context, const char *text,
                                                              size_t length, const char *name,
                                                              const struct perfpred_load_options *options,
                                                              struct perfpred_models **models,
                                                              struct perfpred_error *error);

/**
 * Writes a model file, atomically: readers see the old file or the new one, whole.
 *
 * @return PERFPRED_OK, PERFPRED_IO (the old file, if any, is untouched), PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_models_save(const struct perfpred_models *models, const char *path,
                                                       struct perfpred_error *error);

/** Options of joining models. Zero means the default. @since 0.1 */
struct perfpred_merge_options {
  size_t size; /**< sizeof; PERFPRED_MERGE_OPTIONS_INIT sets it */
  int refuse;  /**< 1: a sub-model that both have is an error; 0: that of the added models stands in its place */
};
#define PERFPRED_MERGE_OPTIONS_INIT                                                                                    \
  { sizeof(struct perfpred_merge_options), 0 }

/**
 * Joins two sets of models of one machine; both stay as they are. Setups that are the same become one. Sub-models are the
 * same if kernel, case, context, setup and domain are.
 *
 * @param base the models that are added to
 * @param added what is added
 * @param options options, or NULL
 * @param[out] merged the models of both; the caller gets a reference
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_OTHER_MACHINE, PERFPRED_EXISTS (only with refuse), PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @par Thread safety: models may be shared.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_models_merge(const struct perfpred_models *base,
                                                        const struct perfpred_models *added,
                                                        const struct perfpred_merge_options *options,
                                                        struct perfpred_models **merged, struct perfpred_error *error);

/** Options of adding to a file. Zero means the default. @since 0.1 */
struct perfpred_update_options {
  size_t size; /**< sizeof; PERFPRED_UPDATE_OPTIONS_INIT sets it */
  int replace; /**< 1: the file is written anew, whatever is in it */
};
#define PERFPRED_UPDATE_OPTIONS_INIT                                                                                   \
  { sizeof(struct perfpred_update_options), 0 }

/**
 * Adds models to a file, which need not exist: what is in it is loaded, joined as by perfpred_models_merge and written as by
 * perfpred_models_save, all under a lock, so that several processes may add to one file and none loses what another one
 * wrote. The lock is that of the file's folder (flock); it ends with the process that holds it. Where the file system
 * has no locks there is none.
 *
 * @param context kernels that the models in the file are of
 * @param models what is added
 * @param path the file
 * @param options options, or NULL
 * @param[out] error text of the error, or NULL
 * @return as perfpred_models_load (without PERFPRED_MISSING), perfpred_models_merge and perfpred_models_save;
 *         PERFPRED_TIMEOUT if the lock is not to be had for a minute. The file is untouched then.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_models_update(const struct perfpred_context *context,
                                                         const struct perfpred_models *models, const char *path,
                                                         const struct perfpred_update_options *options,
                                                         struct perfpred_error *error);

/** The text that perfpred_models_save writes; free with perfpred_free. @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_models_print(const struct perfpred_models *models, char **json,
                                                        struct perfpred_error *error);

/**
 * Takes another reference.
 *
 * @return models
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API struct perfpred_models *perfpred_models_ref(struct perfpred_models *models);

/**
 * Gives a reference back; NULL is fine.
 *
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API void perfpred_models_unref(struct perfpred_models *models);

/** Number of sub-models (kernel, case, setup, domain). @since 0.1 */
PERFPRED_API size_t perfpred_models_count(const struct perfpred_models *models);

/** What a sub-model is of and how good it is. @since 0.1 */
struct perfpred_model_info {
  size_t size;           /**< sizeof; PERFPRED_MODEL_INFO_INIT sets it */
  const char *kernel;    /**< e.g. "dtrsm"; borrowed from the models */
  const char *case_text; /**< flags, classes of scalars and increments, e.g. "R,L,T,N,1"; borrowed */
  size_t dimensions;     /**< number of size arguments */
  int64_t lower[8];      /**< domain */
  int64_t upper[8];      /**< domain, inclusive */
  size_t pieces;         /**< number of polynomial pieces */
  size_t coefficients;   /**< per statistic, over all pieces */
  double error;          /**< largest error measure of a piece; NaN where not estimated */
  uint64_t samples;      /**< timed calls it rests on */
  size_t setup;          /**< place of its setup: perfpred_models_setup_info */
  const char *context;   /**< algorithm and call that it is tied to, or ""; borrowed */
  int64_t ld;            /**< leading dimension that it was measured with */
  const char
      *size_names[8];      /**< what its sizes are: the kernel's size arguments, or with a context done, width, rest of
                                  a step, as far as they matter; borrowed */
  size_t anchors;          /**< calls whose times at the generation are kept with it (drift.h) */
  double scale;            /**< what its times were multiplied by since it was fitted; 1: nothing */
  const char *scaled_at;   /**< when that was, ISO 8601 in UTC, or ""; borrowed */
  const char *scaled_from; /**< when the models that were scaled had been made, or ""; borrowed */
};
#define PERFPRED_MODEL_INFO_INIT                                                                                       \
  {                                                                                                                    \
    sizeof(struct perfpred_model_info), 0, 0, 0, { 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0 }, 0, 0, 0.0, 0, \
        0, 0, 0, { 0, 0, 0, 0, 0, 0, 0, 0 }, 0, 0.0, 0, 0                                                              \
  }

/**
 * Describes a sub-model by its place.
 *
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_models_info(const struct perfpred_models *models, size_t index,
                                                       struct perfpred_model_info *info, struct perfpred_error *error);

/** Number of setups (BLAS, LAPACK, threads) that the models are of, at least 1; 0 for NULL. @since 0.1 */
PERFPRED_API size_t perfpred_models_setup_count(const struct perfpred_models *models);

/** With what models were measured. Texts are borrowed from the models, "" where nothing is known. @since 0.1 */
struct perfpred_setup_info {
  size_t size;                 /**< sizeof; PERFPRED_SETUP_INFO_INIT sets it */
  const char *blas_family;     /**< "blis", "openblas", "reference", "other", "virtual", "local" */
  const char *blas_path;       /**< the file */
  const char *blas_version;    /**< as the library tells */
  const char *blas_build_id;   /**< ELF build id, hexadecimal */
  const char *blas_kernels;    /**< kernel set that it chose at run time */
  const char *lapack_family;   /**< the same of the LAPACK */
  const char *lapack_path;     /**< file of the LAPACK */
  const char *lapack_version;  /**< version of the LAPACK */
  const char *lapack_build_id; /**< build id of the LAPACK */
  int threads;                 /**< threads of the BLAS */
  int ilp64;                   /**< 1: integers of 64 bits */
  const char *clock;           /**< "tsc", "monotonic", "virtual" */
  int protocol;                /**< version of the measuring protocol */
  size_t models;               /**< number of sub-models of this setup */
  uint64_t kept_samples;       /**< raw samples that are kept with them */
  double yardstick_s;          /**< reading of the yardstick that the times were brought to, as yardstick_s of struct
                                  perfpred_setup takes it; 0: none */
};
#define PERFPRED_SETUP_INFO_INIT                                                                                       \
  { sizeof(struct perfpred_setup_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0 }

/**
 * Describes a setup by its place.
 *
 * @param models the models
 * @param index place, less than perfpred_models_setup_count
 * @param[in,out] info the description; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_models_setup_info(const struct perfpred_models *models, size_t index,
                                                             struct perfpred_setup_info *info,
                                                             struct perfpred_error *error);

/**
 * Estimates one call.
 *
 * @param models the models
 * @param index place of a sub-model
 * @param sizes its sizes, in the order of size_names in struct perfpred_model_info
 * @param count number of sizes; must be the sub-model's
 * @param[out] time_s the statistics, seconds
 * @return bits of enum perfpred_note; PERFPRED_NOTE_ERROR with time_s untouched for a wrong index or count
 * @par Thread safety: safe from any thread; no allocation, no lock.
 * @source dissertation, Section 8.1
 * @since 0.1
 */
PERFPRED_API unsigned perfpred_models_estimate(const struct perfpred_models *models, size_t index, const int64_t *sizes,
                                               size_t count, struct perfpred_statistics *time_s);

/** The median alone, to the bit that of perfpred_models_estimate, in less than half of its time. @since 0.1 */
PERFPRED_API unsigned perfpred_models_estimate_median(const struct perfpred_models *models, size_t index,
                                                      const int64_t *sizes, size_t count, double *median_s);

/** What is to be known of an estimate or a prediction: bits. @since 0.1 */
enum perfpred_note {
  PERFPRED_NOTE_CLAMPED = 1 << 0,       /**< a size lies below the domain: the estimate is at most that at the bound, at
                                             least its share of the work */
  PERFPRED_NOTE_EXTRAPOLATED = 1 << 1,  /**< a size lay above the domain: the trend of the time per flop goes on, which
                                           grows at most with the flop count (data movement without flops) */
  PERFPRED_NOTE_UNMODELLED = 1 << 2,    /**< a call has no model and counts as 0 */
  PERFPRED_NOTE_ZERO_WORK = 1 << 3,     /**< nothing to do: exactly 0 */
  PERFPRED_NOTE_OTHER_MACHINE = 1 << 4, /**< models of another machine */
  PERFPRED_NOTE_FORCED = 1 << 5,        /**< accepted only because the caller forced it */
  PERFPRED_NOTE_UNCERTAIN = 1 << 6,     /**< a piece whose error could not be estimated */
  PERFPRED_NOTE_OTHER_BLAS = 1 << 7,    /**< models of another BLAS than the one that was named */
  PERFPRED_NOTE_OTHER_LD =
      1 << 8, /**< models measured with another kind of leading dimension than that asked for, or validated with */
  PERFPRED_NOTE_ERROR = 1 << 30 /**< no estimate */
};

/**
 * Takes the most serious note out of a set, so that all of them are told in order by calling it until none is left.
 *
 * @param[in,out] notes bits of enum perfpred_note; the one that is told is taken away
 * @return the note in words, such as "extrapolated"; static. NULL, with no bit left: there is none, or notes is NULL
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API const char *perfpred_note_take(unsigned *notes);

/** Grids of sampling points. @since 0.1 */
enum perfpred_grid { PERFPRED_GRID_CHEBYSHEV = 0, PERFPRED_GRID_CARTESIAN = 1 };

/** Reference statistics. @since 0.1 */
enum perfpred_reference { PERFPRED_REFERENCE_MINIMUM = 0, PERFPRED_REFERENCE_MEDIAN = 1 };

/** Error measures over the sampling points of a piece. @since 0.1 */
enum perfpred_error_measure {
  PERFPRED_ERROR_MAXIMUM = 0,
  PERFPRED_ERROR_PERCENTILE_90 = 1,
  PERFPRED_ERROR_AVERAGE = 2
};

/**
 * How samples are chosen and the domain is cut into pieces.
 *
 * The published way measures a grid in every piece and halves what is met badly at the grid's own points. The adaptive
 * way puts samples where points that are left out are met worst, cuts where that helps most, uses every sample for every
 * piece that holds it, and takes few repetitions where calls are long.
 *
 * @since 0.1
 */
enum perfpred_generator {
  PERFPRED_GENERATOR_DEFAULT = 0,   /**< the adaptive one */
  PERFPRED_GENERATOR_PUBLISHED = 1, /**< dissertation, Section 8.5 */
  PERFPRED_GENERATOR_ADAPTIVE = 2   /**< of our own: doc/generator.md */
};

/**
 * Whether the calls of an algorithm are modelled where they stand in it.
 *
 * Alone and repeated, a call finds its operands in the caches; in an algorithm it finds what the calls before it left there, and often
 * takes longer. Models with a context are made from steps of the algorithm's loop over blocks: the calls of one step are timed right
 * after those of the step before, on the algorithm's own operands. They are over the sizes of the step (what is done, the width of the
 * block, the rest), and hold for that algorithm alone. Algorithms without one such loop have none, and neither have calls outside of the
 * loop or such as are made several times in a step. doc/context.md tells more.
 *
 * @since 0.1
 */
enum perfpred_contexts {
  PERFPRED_CONTEXTS_NONE = 0,    /**< calls alone: models that hold for all algorithms */
  PERFPRED_CONTEXTS_INSTEAD = 1, /**< where they can be had, else as above */
  PERFPRED_CONTEXTS_BESIDE = 2   /**< both of all calls that can have them */
};

/**
 * How models are generated: the range, the eight knobs, limits. Zero means the default, so -1 stands for a knob of 0.
 *
 * @source dissertation, Section 9 (the knobs), Table 5 line 10 (the defaults)
 * @since 0.1
 */
struct perfpred_generate_options {
  size_t size;                               /**< sizeof; PERFPRED_GENERATE_OPTIONS_INIT sets it */
  int64_t n_lower;                           /**< least value of every size parameter; default 8 */
  int64_t n_upper;                           /**< largest value of every size parameter; default 1024 */
  int64_t b_lower;                           /**< least block size b; default 8 */
  int64_t b_upper;                           /**< largest block size b; default 256 */
  int overfitting;                           /**< degrees added to the kernel's; default 2, 0 for three sizes; -1: 0 */
  int oversampling;                          /**< points per dimension beyond degree + 1; default 4; -1: 0 */
  enum perfpred_grid grid;                   /**< sampling grid */
  int repetitions;                           /**< samples per point; default 10 */
  enum perfpred_reference reference;         /**< statistic that refinement looks at */
  enum perfpred_error_measure error_measure; /**< how errors of points are summed up */
  double error_bound;                        /**< refine above it; default 0.01 */
  int64_t minimum_width;                     /**< do not split narrower dimensions; default 32, 64 for three sizes */
  double budget_s;                           /**< time to stay within, on the sampler's clock; default: none */
  int64_t ld;                                /**< leading dimension; default from n_upper: multiple of 8, not of 256 */
  double gate;                               /**< as in struct perfpred_measure_options */
  uint64_t seed;                             /**< seed of the shuffling */
  perfpred_progress_fn *progress;            /**< progress callback, or NULL */
  void *progress_data;                       /**< its first argument */
  enum perfpred_generator generator;         /**< how; the adaptive one has no use for grid and oversampling */
  int keep_samples;                          /**< 1: the raw samples stay with the models, also in their file */
  const char *journal;                       /**< file that samples are written to as they come; NULL: none */
  int restart;                               /**< 1: a journal that is there is not used but removed */
  const struct perfpred_models *known;       /**< whose raw samples of the same setup are used before any is taken */
  enum perfpred_contexts contexts; /**< models of calls in their algorithm; they are always made by the adaptive
                                                  generator */
  double spent_s;                  /**< part of budget_s that was spent before the call: on starting the sampler, say */
  unsigned states; /**< bits of enum perfpred_cache_state: the states of the caches that calls are modelled in, beside
                                        each other; 0: warm alone. Models of other states than warm have "cache:in",
                                        "cache:outer" or "cache:out" as their context and serve perfpred_plan_cache */
  int anchors;     /**< -1: no anchors are timed; default: up to three calls of every kernel and case, before all other
                  samples and after them, for perfpred_drift_measure (drift.h) */
};
#define PERFPRED_GENERATE_OPTIONS_INIT                                                                                 \
  {                                                                                                                    \
    sizeof(struct perfpred_generate_options), 0, 0, 0, 0, 0, 0, PERFPRED_GRID_CHEBYSHEV, 0,                            \
        PERFPRED_REFERENCE_MINIMUM, PERFPRED_ERROR_MAXIMUM, 0.0, 0, 0.0, 0, 0.0, 0, 0, 0, PERFPRED_GENERATOR_DEFAULT,  \
        0, 0, 0, 0, PERFPRED_CONTEXTS_NONE, 0.0, 0, 0                                                                  \
  }

/** What a generation did. @since 0.1 */
struct perfpred_generate_report {
  size_t size;          /**< sizeof; PERFPRED_GENERATE_REPORT_INIT sets it */
  uint64_t models;      /**< sub-models made */
  uint64_t points;      /**< distinct sampling points */
  uint64_t samples;     /**< timed calls kept */
  uint64_t disturbed;   /**< timed calls thrown away */
  double pass_rate;     /**< share of the timed calls that passed the gate */
  double measure_s;     /**< sum of the timed calls, seconds */
  double wall_s;        /**< wall time, seconds */
  double max_error;     /**< largest error of a fit at a sampling point (reference statistic); NaN if none is known */
  int budget_exhausted; /**< 1: refinement was cut short by the budget */
  int rates_known;      /**< 1: so are the machine's peak and bandwidth; 0: a tenth of the budget, which they may take,
                           did not suffice, or the machine is a virtual one */
  uint64_t missing;     /**< refitting: points that were asked for and not among the samples */
  uint64_t kept;        /**< refitting: sub-models without raw samples, which stay as they were */
  double timed_s;    /**< part of wall_s, seconds: timed calls whose samples are kept, with the warm call before each */
  double rejected_s; /**< timed calls whose samples are thrown away, with the warm call before each */
  double spare_s;    /**< calls that become no samples: the first one at each point, and those that fill a batch */
  double yardstick_s; /**< readings of the yardstick */
  double restore_s; /**< operands laid out and restored. What is left of wall_s is the generator's and sampler's own */
  double floor_s;   /**< part of wall_s that no budget shortens: start, first samples of each domain, fits at the end;
                       a budget below it is not kept. 0 where there was none */
  uint64_t anchors; /**< calls whose times are kept as anchors; they are not among points and samples */
  double anchor_s;  /**< part of wall_s that they took */
  double anchor_change; /**< ratio by which they took longer at the end than at the begin, in the middle of them: how
                           the machine drifted meanwhile; NaN where it is not known */
};
#define PERFPRED_GENERATE_REPORT_INIT                                                                                  \
  {                                                                                                                    \
    sizeof(struct perfpred_generate_report), 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, \
        0, 0.0, 0.0                                                                                                    \
  }

/**
 * Measures and fits what programs need: every kernel and case that their calls use for sizes and block sizes in the
 * ranges of the options, on the domain that they reach. Other parameters for which the text proposes a value, such as nx = 128, have it.
 *
 * @param context the context
 * @param sampler where measurements come from
 * @param programs the programs
 * @param count number of programs, at least 1
 * @param options options, or NULL
 * @param[out] models the models; the caller gets a reference
 * @param[in,out] report what was done, or NULL; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_CANCELLED, PERFPRED_CRASHED, PERFPRED_TIMEOUT, PERFPRED_NUMERIC,
 *         PERFPRED_UNSUPPORTED, PERFPRED_NO_MEMORY
 * @source dissertation, Sections 8 and 9
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_generate(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                  const struct perfpred_program *const *programs, size_t count,
                  const struct perfpred_generate_options *options, struct perfpred_models **models,
                  struct perfpred_generate_report *report, struct perfpred_error *error);

/**
 * Tells with which options models were generated last, filled in where defaults were used.
 *
 * @param models the models
 * @param[out] options the options, up to the size that the caller set
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID
 * @par Thread safety: models may be shared.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_models_options(const struct perfpred_models *models,
                                                          struct perfpred_generate_options *options,
                                                          struct perfpred_error *error);

/**
 * Fits models anew from their raw samples (keep_samples), without measuring.
 *
 * The generator runs on the samples alone, for each sub-model on its domain. As long as it asks for points that are among them, the
 * result is that of a generation with these options; where one is missing, that sub-model makes do with all samples there are of it:
 * grids use the known points instead of their own, and boxes with too few of them are not split. Sub-models without samples
 * stay as they are, so do machine, setups and samples.
 *
 * @param models the models; they stay as they are
 * @param sampler whose least squares solve the fits; nothing is measured with it
 * @param options the knobs, or NULL for those that the models were generated with (perfpred_models_options); ranges, ld, budget_s,
 *        gate, journal and known have no meaning here
 * @param[out] refitted the models; the caller gets a reference
 * @param[in,out] report what was done, or NULL; size set by the caller. measure_s is what the samples cost when they were taken
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (there are no samples), PERFPRED_CANCELLED (by options.progress),
 *         PERFPRED_NUMERIC, PERFPRED_UNSUPPORTED (the sampler has no least squares), PERFPRED_NO_MEMORY
 * @par Thread safety: models may be shared, the sampler not.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_models_refit(const struct perfpred_models *models, struct perfpred_sampler *sampler,
                      const struct perfpred_generate_options *options, struct perfpred_models **refitted,
                      struct perfpred_generate_report *report, struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
