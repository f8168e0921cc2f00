/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file contraction_analysis.h
 * @brief What the calls of a contraction's algorithm find in the cache: access distances, set-ups, kinds of occurrence.
 */
#ifndef PERFPRED_CONTRACTION_ANALYSIS_H
#define PERFPRED_CONTRACTION_ANALYSIS_H

#include <perfpred/contraction_plan.h>

PERFPRED_BEGIN_DECLS

/** Options of an analysis. Zero means the default. @since 0.1 */
struct perfpred_contraction_analysis_options {
  size_t size;         /**< sizeof; PERFPRED_CONTRACTION_ANALYSIS_OPTIONS_INIT sets it */
  int64_t cache_bytes; /**< size of the cache, at least a line; 0: the last level that this machine is known to have */
  double factor;       /**< set-ups go back so many times that; > 0; 0: 1.25 */
  int untruncated;     /**< 1: set-ups go back all the way, whatever the size of the cache is */
  int64_t line_bytes;  /**< of a cache line, a power of 2 from 16 to 65536; 0: 64 */
  int whole_lines; /**< 1: sizes are those of the lines that are touched; 0: of the elements, as in the dissertation */
  int corrected;   /**< 1: set-ups take the corrected distances: what lies in two iterations of the loop that ends the
                                         search counts for both; 0: each operand counts once, as in the dissertation */
  enum perfpred_contraction_stage stage; /**< how much of the analysis goes into kinds of occurrence */
};
#define PERFPRED_CONTRACTION_ANALYSIS_OPTIONS_INIT                                                                     \
  { sizeof(struct perfpred_contraction_analysis_options), 0, 0.0, 0, 0, 0, 0, PERFPRED_CONTRACTION_STAGE_DEFAULT }

/** The analysis of an algorithm. Immutable. @since 0.1 */
struct perfpred_contraction_analysis;

/**
 * Finds out what state of the cache the calls of an algorithm find, and how often.
 *
 * An operand's access distance is the amount of memory that was touched since its last access, in a cache that replaces what was used
 * least recently; the contraction is taken to be executed again and again. It follows from loops and extents alone: nothing is executed,
 * and the cost does not depend on the extents. Loops of a single iteration count as none. Of several kinds of calls (the kernel, copies of
 * operands, filling C with zeros) each is analysed.
 *
 * @param contraction the contraction; it may be destroyed before the analysis
 * @param algorithm name of the algorithm, such as "ca-dgemv"; its apostrophes may be left out, all of them
 * @param options options, or NULL
 * @param[out] analysis the analysis; owned by the caller, release with perfpred_contraction_analysis_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (an option), PERFPRED_NOT_FOUND (no such algorithm), PERFPRED_UNSUPPORTED (it copies
 *         whole tensors), PERFPRED_OVERFLOW (sizes or counts beyond 63 bits),
 *         PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @source dissertation, Sections 23.2 to 23.6
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analyze(const struct perfpred_contraction *contraction, const char *algorithm,
                             const struct perfpred_contraction_analysis_options *options,
                             struct perfpred_contraction_analysis **analysis, struct perfpred_error *error);

/** Releases an analysis; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_contraction_analysis_destroy(struct perfpred_contraction_analysis *analysis);

/** An analysis as a whole. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_analysis_info {
  size_t size;                           /**< sizeof; PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT sets it */
  char name[PERFPRED_CONTRACTION_NAME];  /**< of the algorithm */
  enum perfpred_contraction_stage stage; /**< as used */
  int64_t cache_bytes;                   /**< size of the cache */
  double factor;                         /**< how much of it set-ups go back */
  int64_t limit_bytes;                   /**< their product, as far as set-ups go back; INT64_MAX: all the way */
  int64_t line_bytes;                    /**< of a cache line */
  size_t calls;                          /**< kinds of calls: of the kernel, of copies, of filling C with zeros */
  size_t occurrences;                    /**< kinds of occurrence of all of these */
  double flops;                          /**< of the contraction */
};
#define PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT                                                                        \
  { sizeof(struct perfpred_contraction_analysis_info), "", PERFPRED_CONTRACTION_STAGE_DEFAULT, 0, 0.0, 0, 0, 0, 0, 0.0 }

/**
 * Tells of an analysis as a whole.
 *
 * @param analysis the analysis
 * @param[in,out] info size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analysis_summary(const struct perfpred_contraction_analysis *analysis,
                                      struct perfpred_contraction_analysis_info *info, struct perfpred_error *error);

/** Which call of an algorithm. @since 0.1 */
enum perfpred_contraction_call_kind {
  PERFPRED_CONTRACTION_CALL_KERNEL = 0,   /**< the kernel of BLAS */
  PERFPRED_CONTRACTION_CALL_COPY_IN = 1,  /**< a slice of a tensor is copied to packed memory */
  PERFPRED_CONTRACTION_CALL_COPY_OUT = 2, /**< it is copied back */
  PERFPRED_CONTRACTION_CALL_ZERO = 3      /**< C is filled with zeros */
};

/** A kind of call. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_call {
  size_t size;                              /**< sizeof; PERFPRED_CONTRACTION_CALL_INIT sets it */
  enum perfpred_contraction_call_kind kind; /**< which one */
  char tensor;                              /**< that is copied or filled: 'A', 'B' or 'C'; 0 for the kernel */
  int64_t count;                            /**< how often it is made */
  size_t operands;                          /**< what it touches: 3 of the kernel, 2 of a copy, 1 of filling */
};
#define PERFPRED_CONTRACTION_CALL_INIT                                                                                 \
  { sizeof(struct perfpred_contraction_call), PERFPRED_CONTRACTION_CALL_KERNEL, 0, 0, 0 }

/**
 * Tells of a kind of call, in the order in which they stand in the text of the algorithm.
 *
 * @param analysis the analysis
 * @param index its place
 * @param[in,out] call size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (index is not below the number of calls)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analysis_call_at(const struct perfpred_contraction_analysis *analysis, size_t index,
                                      struct perfpred_contraction_call *call, struct perfpred_error *error);

/** What is fetched ahead of an operand. @source dissertation, Section 23.4 @since 0.1 */
enum perfpred_contraction_prefetch {
  PERFPRED_CONTRACTION_PREFETCH_NONE = 0, /**< nothing */
  PERFPRED_CONTRACTION_PREFETCH_LINE =
      1, /**< the loop around the call runs along the tensor's first dimension: neighbours share cache lines */
  PERFPRED_CONTRACTION_PREFETCH_NEXT =
      2 /**< it runs along the second, and the first is touched as a whole or is at most a line: what follows in memory comes next */
};

/** An operand of a call. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_operand {
  size_t size;        /**< sizeof; PERFPRED_CONTRACTION_OPERAND_INIT sets it */
  char tensor;        /**< 'A', 'B' or 'C' */
  int packed;         /**< 1: the packed copy of its slice; 0: the slice itself */
  const char *text;   /**< the part that is touched, as "B[:,:,c]", or "copy of B"; borrowed from the analysis */
  int64_t bytes;      /**< its size in elements */
  int64_t line_bytes; /**< and in whole lines: where tensors begin at a line, on average over all slices */
  const char
      *since; /**< what was touched since its last access, as "A, B[:,:,c], C[:,:,c]"; "" for nothing; borrowed */
  int64_t distance_bytes;                      /**< the size of that: its access distance, in the middle of all loops */
  int64_t corrected_bytes;                     /**< the same, but what lies in two iterations counts for both */
  enum perfpred_contraction_prefetch prefetch; /**< what is fetched ahead of it */
};
#define PERFPRED_CONTRACTION_OPERAND_INIT                                                                              \
  { sizeof(struct perfpred_contraction_operand), 0, 0, 0, 0, 0, 0, 0, 0, PERFPRED_CONTRACTION_PREFETCH_NONE }

/**
 * Tells of an operand of a kind of call.
 *
 * @param analysis the analysis
 * @param call place of the call
 * @param index place of the operand: of the kernel A, B, C; of copies the slice, then the packed copy
 * @param[in,out] operand size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (no such call or operand)
 * @source dissertation, Sections 23.3 and 23.4
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analysis_operand_at(const struct perfpred_contraction_analysis *analysis, size_t call,
                                         size_t index, struct perfpred_contraction_operand *operand,
                                         struct perfpred_error *error);

/** Kinds of occurrence of a call. @since 0.1 */
enum perfpred_contraction_occurrence_kind {
  PERFPRED_CONTRACTION_OCCURS_NORMAL = 0, /**< in the middle of its loops */
  PERFPRED_CONTRACTION_OCCURS_FAIL =
      1, /**< an operand goes on to its next cache line, which was not fetched (Section 23.5) */
  PERFPRED_CONTRACTION_OCCURS_FIRST = 2 /**< one or more of the inner loops begin (Section 23.6) */
};

/** A kind of occurrence. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_occurrence {
  size_t size;                                    /**< sizeof; PERFPRED_CONTRACTION_OCCURRENCE_INIT sets it */
  size_t call;                                    /**< place of the call */
  enum perfpred_contraction_occurrence_kind kind; /**< which one */
  size_t begun;         /**< of FIRST: so many loops around the call, from the inside, are in their first iteration */
  int64_t count;        /**< how often that is */
  size_t items;         /**< accesses of the set-up; 0: none is needed */
  int64_t remote_bytes; /**< of these, to other memory, in all */
};
#define PERFPRED_CONTRACTION_OCCURRENCE_INIT                                                                           \
  { sizeof(struct perfpred_contraction_occurrence), 0, PERFPRED_CONTRACTION_OCCURS_NORMAL, 0, 0, 0, 0 }

/**
 * Tells of a kind of occurrence; they stand call by call.
 *
 * @param analysis the analysis
 * @param index its place
 * @param[in,out] occurrence size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (index is not below the number of occurrences)
 * @source dissertation, Sections 23.5 and 23.6
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analysis_occurrence_at(const struct perfpred_contraction_analysis *analysis, size_t index,
                                            struct perfpred_contraction_occurrence *occurrence,
                                            struct perfpred_error *error);

/** What an access of a set-up touches. @since 0.1 */
enum perfpred_contraction_access {
  PERFPRED_CONTRACTION_ACCESS_REMOTE = 0, /**< memory that belongs to nothing else */
  PERFPRED_CONTRACTION_ACCESS_WHOLE = 1,  /**< all of an operand */
  PERFPRED_CONTRACTION_ACCESS_LINE =
      2 /**< of an operand one cache line along its first dimension, all along the others */
};

/** An access of a set-up. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_item {
  size_t size;                             /**< sizeof; PERFPRED_CONTRACTION_ITEM_INIT sets it */
  enum perfpred_contraction_access access; /**< what is touched */
  char tensor;                             /**< 'A', 'B' or 'C'; 0 of remote memory */
  int packed;                              /**< 1: its packed copy */
  int64_t bytes;                           /**< how much */
};
#define PERFPRED_CONTRACTION_ITEM_INIT                                                                                 \
  { sizeof(struct perfpred_contraction_item), PERFPRED_CONTRACTION_ACCESS_REMOTE, 0, 0, 0 }

/**
 * Tells of an access of a set-up, in the order in which they are made before the call.
 *
 * @param analysis the analysis
 * @param occurrence place of the kind of occurrence
 * @param index place of the access
 * @param[in,out] item size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (no such occurrence or access)
 * @source dissertation, Section 23.3
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analysis_item_at(const struct perfpred_contraction_analysis *analysis, size_t occurrence,
                                      size_t index, struct perfpred_contraction_item *item,
                                      struct perfpred_error *error);

/**
 * Time of the whole from times of single calls, each taken after its set-up: the sum of count times time.
 *
 * @param analysis the analysis
 * @param times_s time of a call of each kind of occurrence, seconds, >= 0
 * @param count number of times; must be that of the kinds of occurrence
 * @param[out] total_s time of the whole, seconds
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID
 * @source dissertation, Section 23.6
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analysis_time(const struct perfpred_contraction_analysis *analysis, const double *times_s,
                                   size_t count, double *total_s, struct perfpred_error *error);

/**
 * The whole analysis as text.
 *
 * @param analysis the analysis
 * @param[out] json one JSON object (doc/json.md, "contraction analysis"); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NO_MEMORY, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_contraction_analysis_report(const struct perfpred_contraction_analysis *analysis, char **json,
                                     struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
