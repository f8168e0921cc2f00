/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cache.h
 * @brief What the calls of an algorithm find in the caches: access distances, residency, and estimates blended by it.
 */
#ifndef PERFPRED_CACHE_H
#define PERFPRED_CACHE_H

#include <perfpred/plan.h>

PERFPRED_BEGIN_DECLS

/** Cache levels that are told apart at most. What is in none of them is in memory, the level behind the last. @since 0.1 */
#define PERFPRED_CACHE_LEVELS 4
/** Room for a list of kernels, with its NUL. @since 0.1 */
#define PERFPRED_CACHE_KERNELS 512

/**
 * How it is decided whether an operand is in a cache of so many lines (doc/cache.md). A call touches its operands at once, or in
 * two accesses, inputs first, where its outputs are much smaller than they are (splitting).
 *
 * @source dissertation, Section 18.3
 * @since 0.1
 */
enum perfpred_cache_mode {
  PERFPRED_CACHE_SMOOTHED = 0, /**< final estimates: split, and a smooth transition at the size of the cache */
  PERFPRED_CACHE_SPLIT = 1,    /**< splitting estimates: in where the access distance is at most the cache, else out */
  PERFPRED_CACHE_INITIAL = 2,  /**< initial estimates: the same, a call being one access */
  PERFPRED_CACHE_SHARED =
      3 /**< split; of the lines that an access touched last as many are in the cache as an LRU cache
                                    still holds of them, and all are as likely to be among these */
};

/** What an access distance counts. @since 0.1 */
enum perfpred_cache_distance {
  PERFPRED_CACHE_LINES = 0, /**< different cache lines, as an LRU cache counts */
  PERFPRED_CACHE_SUMS = 1   /**< the sum of the sizes of all operands, as in the dissertation */
};

/** What is assumed of data that were not accessed before within the history. @since 0.1 */
enum perfpred_cache_first {
  PERFPRED_CACHE_COLD = 0,    /**< they are in no cache: the distance is infinite */
  PERFPRED_CACHE_TOTAL = 1,   /**< the algorithm is executed again and again: the distance is the size of all buffers */
  PERFPRED_CACHE_REPEATED = 2 /**< the same, exactly: the accesses of one execution before belong to the history */
};

/** Options of an analysis. Zero means the default. @since 0.1 */
struct perfpred_cache_options {
  size_t size; /**< sizeof; PERFPRED_CACHE_OPTIONS_INIT sets it */
  size_t
      level_count; /**< number of cache levels; 0: those of the models, or of this machine (its second level and its last) */
  int64_t level_bytes[PERFPRED_CACHE_LEVELS]; /**< capacity of each, rising; at least a line */
  int64_t line_bytes;                         /**< of a cache line, a power of 2 from 8 to 65536; 0: 64 */
  int64_t
      ld; /**< leading dimension of all matrices; 0: as samplers lay them out, the rows rounded up to a multiple of 8 that
                   is none of 256 */
  int64_t
      history; /**< accesses count that lie at most so many steps of the outermost loop back (the dissertation: 1); 0: all */
  enum perfpred_cache_mode mode;         /**< how distances become residency */
  enum perfpred_cache_distance distance; /**< what distances count */
  enum perfpred_cache_first first;       /**< of first accesses */
  double
      split_ratio; /**< a call is split where the size of its outputs is below so many times that of its inputs; 0: 1/8 */
  double alpha;    /**< smoothing below the size of the cache: sigma(d) = tanh(alpha d) for d < 0; 0: 4 */
  double beta;     /**< and above; 0: 4 */
  double weights
      [PERFPRED_CACHE_LEVELS +
       1]; /**< how much the time of each level counts, memory behind the last level: 1: in full, as in the dissertation, near 0:
                          the warm time stands in its place; 0: 1 */
  char warm_kernels[PERFPRED_CACHE_KERNELS]; /**< kernels that are priced warm whatever they find, with commas */
};
#define PERFPRED_CACHE_OPTIONS_INIT                                                                                    \
  {                                                                                                                    \
    sizeof(struct perfpred_cache_options), 0, { 0 }, 0, 0, 0, PERFPRED_CACHE_SMOOTHED, PERFPRED_CACHE_LINES,           \
        PERFPRED_CACHE_COLD, 0.0, 0.0, 0.0, { 0.0 }, ""                                                                \
  }

/** The calls of an algorithm and what they find. Immutable. @since 0.1 */
struct perfpred_cache;

/**
 * Goes through the calls of an algorithm and finds out for every operand how much else was accessed since its last access, and from
 * that, for a fully associative cache that replaces the least recently used line, what share of it is in which level.
 *
 * Data are counted in cache lines: who touches an element touches its line. Triangles and trapezoids (of kernels whose flags tell that an
 * operand is one) count as such, operands that overlap share their lines. Buffers begin at a line. Workspaces that calls hand to kernels
 * for their own use are not counted.
 *
 * @param program the algorithm; the analysis keeps a reference
 * @param parameters values of its parameters, in order
 * @param count number of values; must be perfpred_program_parameter_count
 * @param options options, or NULL
 * @param[out] cache the analysis; owned by the caller, release with perfpred_cache_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (an option, a parameter), PERFPRED_UNSUPPORTED (a loop nest of accesses), PERFPRED_LIMIT (more than
 *         10^6 calls, or buffers of more than 2^30 lines), PERFPRED_OVERFLOW, PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @source dissertation, Section 18.3; A Study on the Influence of Caching, Section 4
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_create(struct perfpred_program *program, const int64_t *parameters,
                                                        size_t count, const struct perfpred_cache_options *options,
                                                        struct perfpred_cache **cache, struct perfpred_error *error);

/**
 * The same for the program of a plan, with times: what its models say of each call with the operands in each level, and blended by
 * residency, t = sum over levels of weight times share times time, and what the weights leave of 1 times the warm time. Times come from models of the states in, outer and out
 * (enum perfpred_cache_state); a state that a call has no model of is taken by the next one nearer to the processor that it has one
 * of, in the end by the models of the warm state. Models of calls in their algorithm are not used.
 *
 * @param plan the plan; it may be destroyed before the analysis
 * @param parameters values of the parameters of its program, in order
 * @param count number of values
 * @param options options, or NULL; the default for the levels are those that the models' machine was found to have
 * @param[out] cache the analysis; owned by the caller, release with perfpred_cache_destroy
 * @param[out] error text of the error, or NULL
 * @return as perfpred_cache_create; PERFPRED_UNMODELLED where a call has no model at all and the plan is not partial;
 *         PERFPRED_OUT_OF_DOMAIN as for perfpred_plan_predict
 * @par Thread safety: safe from any thread.
 * @source dissertation, Section 18.3, equation 8
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_plan_cache(const struct perfpred_plan *plan, const int64_t *parameters,
                                                      size_t count, const struct perfpred_cache_options *options,
                                                      struct perfpred_cache **cache, struct perfpred_error *error);

/** Releases an analysis; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_cache_destroy(struct perfpred_cache *cache);

/** An analysis as a whole. Written up to the size that the caller states. @since 0.1 */
struct perfpred_cache_info {
  size_t size;                                /**< sizeof; PERFPRED_CACHE_INFO_INIT sets it */
  size_t calls;                               /**< number of calls */
  size_t level_count;                         /**< number of cache levels */
  int64_t level_bytes[PERFPRED_CACHE_LEVELS]; /**< their capacities */
  int64_t line_bytes;                         /**< of a cache line */
  int64_t buffer_bytes;                       /**< size of all buffers, in whole lines */
  double shares[PERFPRED_CACHE_LEVELS + 1];   /**< of all lines of all operands: found in each level, then in memory */
  double flops;                               /**< sum of the minimal counts of the calls */
  size_t priced;                              /**< calls that have times */
  size_t blended;                             /**< of these, calls with models of more than one state */
  double warm_s; /**< sum of the calls' median times by models of the warm state, seconds; NaN: not all have one */
  double
      level_s[PERFPRED_CACHE_LEVELS + 1]; /**< with all operands in the one level, then in memory; NaN without times */
  double time_s;                          /**< blended; NaN without times */
  unsigned notes;                         /**< bits of enum perfpred_note on the times */
};
#define PERFPRED_CACHE_INFO_INIT                                                                                       \
  { sizeof(struct perfpred_cache_info), 0, 0, { 0 }, 0, 0, { 0.0 }, 0.0, 0, 0, 0.0, { 0.0 }, 0.0, 0 }

/**
 * Tells of an analysis as a whole.
 *
 * @param cache the analysis
 * @param[in,out] info size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_summary(const struct perfpred_cache *cache,
                                                         struct perfpred_cache_info *info,
                                                         struct perfpred_error *error);

/** A call. Written up to the size that the caller states. @since 0.1 */
struct perfpred_cache_call {
  size_t size;        /**< sizeof; PERFPRED_CACHE_CALL_INIT sets it */
  const char *kernel; /**< its kernel; borrowed from the analysis */
  const char *text;   /**< the call with its flags and sizes, such as "dtrsm(R,L,T,N,1000,128,1)"; borrowed */
  uint64_t step;      /**< step of the outermost loop, counted from 1; what stands between loops is a step, too */
  size_t operands;    /**< number of its operands */
  int split;          /**< 1: it counts as two accesses, inputs first */
  int empty;          /**< 1: there is nothing to do in it */
  int64_t bytes;      /**< size of its operands, in whole lines; lines that two of them share count for both */
  double shares[PERFPRED_CACHE_LEVELS + 1]; /**< of these bytes: found in each level, then in memory */
  double warm_s;                            /**< median time by models of the warm state, seconds; NaN: there is none */
  double
      level_s[PERFPRED_CACHE_LEVELS + 1]; /**< with all operands in the one level, then in memory; NaN without times */
  double time_s;                          /**< blended by the shares; NaN without times */
  int copies;                             /**< 1: it only copies: less than one flop for two elements that it moves */
};
#define PERFPRED_CACHE_CALL_INIT                                                                                       \
  { sizeof(struct perfpred_cache_call), 0, 0, 0, 0, 0, 0, 0, { 0.0 }, 0.0, { 0.0 }, 0.0, 0 }

/**
 * Tells of a call, in the order of execution.
 *
 * @param cache the analysis
 * @param index place of the call
 * @param[in,out] call size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (index is not below the number of calls)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_call_at(const struct perfpred_cache *cache, size_t index,
                                                         struct perfpred_cache_call *call,
                                                         struct perfpred_error *error);

/** An operand of a call. Written up to the size that the caller states. @since 0.1 */
struct perfpred_cache_operand {
  size_t size;      /**< sizeof; PERFPRED_CACHE_OPERAND_INIT sets it */
  const char *name; /**< of the kernel's argument; borrowed from the analysis */
  int reads;        /**< 1: it is an input, or input and output */
  int writes;       /**< 1: it is an output, or input and output */
  int64_t rows;     /**< its extents in elements, of a triangle those of the whole: rows */
  int64_t columns;  /**< and columns */
  int64_t bytes;    /**< its size, in whole lines */
  double
      distance_bytes; /**< access distance back to the point where all of it was accessed; infinite: some of it never was */
  double nearest_bytes;                     /**< of the part of it that was accessed last */
  double shares[PERFPRED_CACHE_LEVELS + 1]; /**< of the operand: found in each level, then in memory */
};
#define PERFPRED_CACHE_OPERAND_INIT                                                                                    \
  {                                                                                                                    \
    sizeof(struct perfpred_cache_operand), 0, 0, 0, 0, 0, 0, 0.0, 0.0, {                                               \
      0.0                                                                                                              \
    }                                                                                                                  \
  }

/**
 * Tells of an operand of a call.
 *
 * @param cache the analysis
 * @param call place of the call
 * @param index place of the operand among those of the call
 * @param[in,out] operand size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (no such call or operand)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_operand_at(const struct perfpred_cache *cache, size_t call,
                                                            size_t index, struct perfpred_cache_operand *operand,
                                                            struct perfpred_error *error);

/**
 * The whole analysis as text.
 *
 * @param cache the analysis
 * @param[out] json one JSON object (doc/json.md, "cache"; doc/cache.schema.json); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NO_MEMORY, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_report(const struct perfpred_cache *cache, char **json,
                                                        struct perfpred_error *error);

/** What is touched before a call that is measured by itself. @source dissertation, Sections 20.1 and 23.3 @since 0.1 */
enum perfpred_cache_setup {
  PERFPRED_CACHE_FOUND =
      0, /**< what the call finds in its algorithm: its operands, and as much other memory as lies between */
  PERFPRED_CACHE_WHOLE = 1,   /**< its operands, in all orders, each order being a call of its own */
  PERFPRED_CACHE_COLUMNS = 2, /**< the same; of operands larger than the first cache a panel of columns */
  PERFPRED_CACHE_ROWS = 3,    /**< or a panel of rows */
  PERFPRED_CACHE_BLOCK = 4    /**< or a square block; all three begin at the top left, or where the kernel goes through
                                   a triangle backwards at the bottom right */
};

/** Options of a script. Zero means the default. @since 0.1 */
struct perfpred_cache_script_options {
  size_t size;                     /**< sizeof; PERFPRED_CACHE_SCRIPT_OPTIONS_INIT sets it */
  size_t first;                    /**< first call, from 0 */
  size_t count;                    /**< number of calls; 0: all that follow */
  enum perfpred_cache_setup setup; /**< what is set up */
  int64_t width;                   /**< of panels and blocks; 0: 64 */
  double limit_bytes; /**< distance from which on an operand is left in memory; 0: 1.25 times the last cache */
};
#define PERFPRED_CACHE_SCRIPT_OPTIONS_INIT                                                                             \
  { sizeof(struct perfpred_cache_script_options), 0, 0, PERFPRED_CACHE_FOUND, 0, 0.0 }

/**
 * Calls as a text for perfpred_sample_text, each in memory of its own, with the caches set up before it.
 *
 * @param cache the analysis
 * @param options options, or NULL
 * @param[out] text the text (doc/sampler.md); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @source dissertation, Sections 20.1 and 23.3
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_script(const struct perfpred_cache *cache,
                                                        const struct perfpred_cache_script_options *options,
                                                        char **text, struct perfpred_error *error);

/** How times compare with those that calls took in the algorithm. @since 0.1 */
struct perfpred_cache_error {
  double mean_are; /**< |estimate - measured| / measured, averaged over the calls */
  double total_re; /**< (sum of estimates - sum measured) / sum measured */
};

/** Errors of the estimates of an analysis. Written up to the size that the caller states. @since 0.1 */
struct perfpred_cache_errors {
  size_t size;                       /**< sizeof; PERFPRED_CACHE_ERRORS_INIT sets it */
  size_t calls;                      /**< calls that are compared */
  struct perfpred_cache_error warm;  /**< of models of the warm state: repeated execution */
  struct perfpred_cache_error in;    /**< of the first level */
  struct perfpred_cache_error out;   /**< of memory */
  struct perfpred_cache_error blend; /**< of blended times */
};
#define PERFPRED_CACHE_ERRORS_INIT                                                                                     \
  {                                                                                                                    \
    sizeof(struct perfpred_cache_errors), 0, { 0.0, 0.0 }, { 0.0, 0.0 }, { 0.0, 0.0 }, {                               \
      0.0, 0.0                                                                                                         \
    }                                                                                                                  \
  }

/**
 * Compares estimates with times measured in the running algorithm, call by call.
 *
 * @param cache an analysis with times
 * @param measured_s measured median time of each call, seconds; NaN: it is left out, as the dissertation leaves out copies
 * @param count number of calls; must be the analysis'
 * @param[in,out] errors size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (a time that is not above 0), PERFPRED_UNMODELLED (the analysis has no times),
 *         PERFPRED_NOT_FOUND (nothing is left to compare)
 * @source dissertation, Sections 18.2, 18.3 and 19.1
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_compare(const struct perfpred_cache *cache, const double *measured_s,
                                                         size_t count, struct perfpred_cache_errors *errors,
                                                         struct perfpred_error *error);

/**
 * Fits smoothing and weights to times measured in running algorithms, once for a machine: alpha and beta by search, the weights of
 * the levels, from 0 to 1, by least squares of the relative error, each call by its share of the time, drawn slightly to 0, the
 * warm estimate. A factor that all measured times have in common is allowed for and left out. Then every algorithm is estimated by weights
 * that the others alone make (of a single algorithm every execution, of a single execution every other step): kernels that this makes
 * worse than warm models stay warm, and of the levels and of 1/4 to 4/4 of their weights those are taken that
 * serve the algorithms left out best without making any of them worse than warm models by more than a thousandth of its time; kernels that
 * an algorithm would lose by stay warm, too. Where nothing serves all weights are 0, written as 0.001: the estimates are warm.
 *
 * @param caches analyses with times, all with the same levels
 * @param measured_s for each the measured median time of each of its calls, seconds; NaN: it is left out
 * @param cache_count number of analyses, at least 1
 * @param[in,out] options size set by the caller; alpha, beta, weights and warm_kernels are the result, the rest is left as it is
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_UNMODELLED, PERFPRED_NOT_FOUND, PERFPRED_NO_MEMORY
 * @source dissertation, Section 18.3
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_fit(const struct perfpred_cache *const *caches,
                                                     const double *const *measured_s, size_t cache_count,
                                                     struct perfpred_cache_options *options,
                                                     struct perfpred_error *error);

/**
 * Keeps what a fit has found in models: plans and analyses of them that leave levels and coefficients open take it, in smoothed
 * estimates for these very levels. It is saved with the models; joined models have that of those that were added.
 *
 * @param models models that nobody else refers to, neither a plan nor a tuner
 * @param options levels, alpha, beta, weights and warm_kernels; those that are 0 count as their defaults
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (no levels are stated, or the models are in use)
 * @par Thread safety: the models belong to the caller alone.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_cache_keep(struct perfpred_models *models,
                                                      const struct perfpred_cache_options *options,
                                                      struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
