/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file affine.h
 * @brief Cache misses of affine loop nests, counted without a cache: from their text, from C source, or of an algorithm's kernels.
 *
 * The caches are fully associative and replace the line that was used longest ago; they start empty. Every array starts on a line, its
 * innermost dimension padded to whole lines (doc/misses.md). Nests come from perfpred_program_parse and the builder (text form), from C, and
 * from algorithms, whose calls are expanded into the loops of reference kernels.
 */
#ifndef PERFPRED_AFFINE_H
#define PERFPRED_AFFINE_H

#include <perfpred/program.h>

PERFPRED_BEGIN_DECLS

/** How C is read. Zero means the default. @since 0.1 */
struct perfpred_source_options {
  size_t size;                  /**< sizeof; PERFPRED_SOURCE_OPTIONS_INIT sets it */
  const char *compiler;         /**< run as `compiler -E ...`, without a shell; a path or found in PATH; default "cc" */
  const char *const *arguments; /**< for it, one a word, such as "-DN=100", "-Iinclude" */
  size_t argument_count;        /**< how many; at most 1000 */
  double timeout_s;             /**< of the compiler; default 30 s */
  const char *name;             /**< of the nest; default: the function around the region, else the file */
  size_t region;                /**< which one of the file, from 1; default: the only one */
};
#define PERFPRED_SOURCE_OPTIONS_INIT                                                                                   \
  { sizeof(struct perfpred_source_options), 0, 0, 0, 0.0, 0, 0 }

/**
 * Reads the loop nest between `#pragma scop` and `#pragma endscop` of a C file, as the compiler's preprocessor sees it.
 *
 * Loops with affine bounds in any constant step, `if` with affine conditions, assignments to array elements, scalars and calls of
 * functions of values. Integers that the file does not define become the nest's parameters, in the order of their appearance. Conditions
 * that depend on data are taken as met, on both sides, and the counts say so ("may"). Anything else is an error that names file,
 * line, column and expression.
 *
 * @param context the context
 * @param path the file
 * @param options options, or NULL
 * @param[out] program the nest; the caller gets a reference
 * @param[out] error text of the error, or NULL; line and column of the C source where it is at fault
 * @return PERFPRED_OK, PERFPRED_MISSING (file or compiler), PERFPRED_IO (the compiler fails; the text has its first complaint),
 *         PERFPRED_TIMEOUT, PERFPRED_SYNTAX, PERFPRED_UNSUPPORTED (not affine), PERFPRED_NOT_FOUND (no region),
 *         PERFPRED_AMBIGUOUS (several regions), PERFPRED_LIMIT, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread; starts a process, and waits for it.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_nest_read_c(const struct perfpred_context *context, const char *path,
                                                       const struct perfpred_source_options *options,
                                                       struct perfpred_program **program, struct perfpred_error *error);

/**
 * The same of a text that is preprocessed already, or needs no preprocessing; compiler, arguments and timeout do not count.
 *
 * @param context the context
 * @param text the text
 * @param length its length in bytes
 * @param source its name in messages, until a line marker of the text gives another one
 * @param options options, or NULL
 * @param[out] program the nest; the caller gets a reference
 * @param[out] error text of the error, or NULL
 * @return as perfpred_nest_read_c
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_nest_parse_c(const struct perfpred_context *context, const char *text,
                                                        size_t length, const char *source,
                                                        const struct perfpred_source_options *options,
                                                        struct perfpred_program **program,
                                                        struct perfpred_error *error);

/**
 * The loop nest of an algorithm: each call is the loops of its kernel's reference (doc/misses.md lists them), on the algorithm's buffers.
 * For all sizes at once: kernels that LAPACK has recursive (potrf2, getrf2) are the loops of the unblocked ones, which perfpred_misses, for
 * given sizes, takes as they are.
 *
 * @param context the context; kernels without a reference are an error
 * @param algorithm an algorithm
 * @param[out] nest the nest, with the algorithm's parameters; the caller gets a reference
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_UNSUPPORTED (a kernel without reference, an algorithm that calls itself with sizes that are
 *         not known to fall), PERFPRED_LIMIT,
 *         PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_nest_expand(const struct perfpred_context *context,
                                                       const struct perfpred_program *algorithm,
                                                       struct perfpred_program **nest, struct perfpred_error *error);

/** Ways to count. @since 0.1 */
enum perfpred_misses_engine {
  PERFPRED_MISSES_AUTO =
      0, /**< simulation of some million accesses, analysis of more; simulation where that does not apply */
  PERFPRED_MISSES_ANALYTIC = 1, /**< from the text alone, in a time that hardly depends on the sizes */
  PERFPRED_MISSES_SIMULATE = 2  /**< executing every access */
};

/** What is counted, and for how long. Zero means the default. @since 0.1 */
struct perfpred_misses_options {
  size_t size;                        /**< sizeof; PERFPRED_MISSES_OPTIONS_INIT sets it */
  const int64_t *cache_bytes;         /**< sizes of caches, each at least a line; default 32 KiB and 1 MiB */
  size_t cache_count;                 /**< how many; at most 256 */
  int64_t line_bytes;                 /**< of a line, a multiple of every element's size; default 64 */
  enum perfpred_misses_engine engine; /**< default: PERFPRED_MISSES_AUTO */
  double budget_s;                    /**< wall time; default 60 s */
  uint64_t budget_bytes;              /**< memory; default 1 GiB */
  int pieces;                         /**< 1: the report has the pieces of the analysis */
  int curve;                          /**< 1: the report has the misses of caches of all sizes */
  perfpred_progress_fn *progress;     /**< may cancel; or NULL */
  void *progress_data;                /**< its first argument */
};
#define PERFPRED_MISSES_OPTIONS_INIT                                                                                   \
  { sizeof(struct perfpred_misses_options), 0, 0, 0, PERFPRED_MISSES_AUTO, 0.0, 0, 0, 0, 0, 0 }

/** What one cache does with all accesses. The layout is frozen. @since 0.1 */
struct perfpred_misses_level {
  int64_t cache_bytes; /**< its size */
  int64_t accesses;    /**< reads and writes of array elements */
  int64_t compulsory;  /**< of them, the first to touch their line */
  int64_t capacity;    /**< of them, those whose line has been in the cache and is no longer */
};

/**
 * Counts the misses of a nest, or of an algorithm's calls expanded (perfpred_nest_expand), in caches of any sizes.
 *
 * @param context the context, for the references of an algorithm's kernels; of a nest: not used, may be NULL
 * @param program the nest or algorithm
 * @param parameters values of its parameters, in order
 * @param count number of values; must be perfpred_program_parameter_count
 * @param options options, or NULL
 * @param[out] levels an element for each cache of the options, in their order (two by default), or NULL
 * @param[out] json one JSON object (doc/json.md, "misses"), or NULL; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_UNSUPPORTED (PERFPRED_MISSES_ANALYTIC: it does not apply to this nest; an algorithm with
 *         kernels that have no reference), PERFPRED_TIMEOUT and PERFPRED_LIMIT (the budgets), PERFPRED_CANCELLED, PERFPRED_OVERFLOW, PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @source HayStack (Gysi, Grosser, Brandner, Hoefler: A Fast Analytical Model of Fully Associative Caches, 2019) for the model
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_misses(const struct perfpred_context *context,
                                                  const struct perfpred_program *program, const int64_t *parameters,
                                                  size_t count, const struct perfpred_misses_options *options,
                                                  struct perfpred_misses_level *levels, char **json,
                                                  struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
