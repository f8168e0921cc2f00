/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file decisions.h
 * @brief Block sizes for unmodified programs on LAPACK: decided ahead from models, kept as a small table.
 *
 * LAPACK's blocked routines ask ILAENV for their block size (ISPEC 1), the least one that is worth blocking (2) and the
 * crossover point from which on they do not block (3). A decision table has the answers, routine by routine and size by
 * size; libperfpred-ilaenv.so gives them to programs (doc/decision-table.md).
 */
#ifndef PERFPRED_DECISIONS_H
#define PERFPRED_DECISIONS_H

#include <perfpred/plan.h>
#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

/** A decision table: immutable after creation. @since 0.1 */
struct perfpred_decisions;

/** A routine that asks ILAENV, and an algorithm of the catalogue that does what it does. @since 0.1 */
struct perfpred_tunable {
  size_t size;         /**< sizeof; PERFPRED_TUNABLE_INIT sets it */
  const char *routine; /**< e.g. "DPOTRF"; static */
  const char
      *options; /**< letters that OPTS begins with where this algorithm runs, e.g. "U"; "": it does not tell; static */
  const char *algorithm; /**< e.g. "dpotrf-u"; static */
  int group;       /**< routines of one group have much the same kernels: they are best generated together, 0 to 2 */
  int64_t b_upper; /**< largest block size that is worth looking at */
  int64_t nb;      /**< what reference LAPACK answers for ISPEC 1 */
  int64_t nx;      /**< and for ISPEC 3; -1: the routine does not ask */
  double share;    /**< part of a time budget that is sensible for its group, 0 to 1; the same throughout a group */
};
#define PERFPRED_TUNABLE_INIT                                                                                          \
  { sizeof(struct perfpred_tunable), 0, 0, 0, 0, 0, 0, 0, 0.0 }

/** Number of pairs of routine and algorithm, of all data types. @since 0.1 */
PERFPRED_API size_t perfpred_tunable_count(void);

/**
 * Describes one of them by its place. Several of one routine and the same options are decided together, for the routine does not tell
 * ILAENV which it is.
 *
 * @param index place, less than perfpred_tunable_count
 * @param[in,out] info the description; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_tunable_info(size_t index, struct perfpred_tunable *info,
                                                        struct perfpred_error *error);

/** How decisions are made. Zero means the default, so -1 stands for a knob of 0. @since 0.1 */
struct perfpred_decide_options {
  size_t size;       /**< sizeof; PERFPRED_DECIDE_OPTIONS_INIT sets it */
  const char *types; /**< data types, of the letters s d c z; NULL: all that there are models of */
  const char *
      routines; /**< names with commas between them, e.g. "DPOTRF,DGETRF", in either case; all of them must have models.
                            NULL: all that have */
  int64_t n_lower; /**< sizes decided for; default: those that the models were generated for */
  int64_t n_upper; /**< the same; beyond it holds what holds there */
  int64_t b_lower; /**< block sizes tried, besides no blocking and the stock value; default 8 */
  int64_t b_upper; /**< the largest one; default that of the routine (struct perfpred_tunable) */
  int64_t b_step;  /**< the distance between them; default 8 */
  double growth;   /**< ratio of neighbouring sizes that are looked at first; default 1.12 */
  double
      spread; /**< a size stands for those so much smaller and larger, relative, too; default 0.03; negative: for itself alone */
  double
      tie; /**< block sizes so much slower than the best one, relative, count as good: the fewest changes are made, and
                            where the stock value is among them it stays; default 0.005; negative: 0 */
  double
      resolution; /**< sizes at which the decision changes are found this exactly, relative; default 1/64; negative: to the integer */
  const struct perfpred_plan_options *plan; /**< which models, where there are several setups; NULL: any */
  perfpred_progress_fn *progress;           /**< progress callback, or NULL */
  void *progress_data;                      /**< its first argument */
};
#define PERFPRED_DECIDE_OPTIONS_INIT                                                                                   \
  { sizeof(struct perfpred_decide_options), 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0 }

/**
 * Decides block sizes, and crossover points where a routine asks for them, by predicted median time. Two-dimensional routines are
 * decided for square matrices; which size of a question then counts is stated in the table.
 *
 * @param context where the algorithms are found
 * @param models the models
 * @param options options, or NULL
 * @param[out] decisions the table; owned by the caller, release with perfpred_decisions_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_UNMODELLED (there are models for none of the routines, or not for one that was named),
 *         PERFPRED_NOT_FOUND (no such routine or setup), PERFPRED_AMBIGUOUS, PERFPRED_OTHER_BLAS, PERFPRED_OUT_OF_DOMAIN (the models reach
 *         none of the sizes), PERFPRED_CANCELLED, PERFPRED_LIMIT (more than 65536 bytes), PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @par Thread safety: context and models may be shared.
 * @source dissertation, Section 16
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_decide(const struct perfpred_context *context,
                                                  struct perfpred_models *models,
                                                  const struct perfpred_decide_options *options,
                                                  struct perfpred_decisions **decisions, struct perfpred_error *error);

/** What tests of a table came to. Written up to the size that the caller states. @since 0.1 */
struct perfpred_decisions_tested {
  size_t size; /**< sizeof; PERFPRED_DECISIONS_TEST_INIT sets it */
  uint64_t
      pieces; /**< ranges of sizes, of a ratio of 2 at most, in which the table departs from LAPACK's own answers */
  uint64_t measured; /**< of these */
  uint64_t given_up; /**< of these: no faster than LAPACK's own, which stand there now */
  double wall_s;     /**< wall time */
};
#define PERFPRED_DECISIONS_TEST_INIT                                                                                   \
  { sizeof(struct perfpred_decisions_tested), 0, 0, 0, 0.0 }

/**
 * Tests a table where it departs from LAPACK's own answers: the algorithm runs with either answer, in turn, at one size of each range of
 * sizes, and where the table's is no faster LAPACK's own takes its place. Small sizes come first; what there is no time for is left as it is.
 *
 * @param context where the algorithms are found
 * @param sampler what measures: the BLAS and LAPACK that the table is for
 * @param decisions the table, without rows over a second size
 * @param n_lower least size that matters
 * @param n_upper largest size that matters
 * @param options repetitions (default 5), gate, budget, progress, as for perfpred_measure; or NULL
 * @param[out] tested the new table; owned by the caller, release with perfpred_decisions_destroy
 * @param[in,out] report what came of it, size set by the caller; or NULL
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_UNSUPPORTED (the table has rows), PERFPRED_INVALID, PERFPRED_NO_MEMORY, and as perfpred_measure
 * @par Thread safety: context and table may be shared; the sampler belongs to one thread at a time.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status
perfpred_decisions_test(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                        const struct perfpred_decisions *decisions, int64_t n_lower, int64_t n_upper,
                        const struct perfpred_measure_options *options, struct perfpred_decisions **tested,
                        struct perfpred_decisions_tested *report, struct perfpred_error *error);

/**
 * Loads a decision table, for any machine. All or nothing.
 *
 * @param path the file
 * @param[out] decisions the table; owned by the caller, release with perfpred_decisions_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_MISSING, PERFPRED_IO, PERFPRED_CORRUPT, PERFPRED_VERSION, PERFPRED_UNSUPPORTED (a machine of the other
 *         byte order), PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_decisions_load(const char *path, struct perfpred_decisions **decisions,
                                                          struct perfpred_error *error);

/** Like perfpred_decisions_load, from length bytes in memory, which are copied; name is used in messages. @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_decisions_load_memory(const void *bytes, size_t length, const char *name,
                                                                 struct perfpred_decisions **decisions,
                                                                 struct perfpred_error *error);

/**
 * Writes a decision table, atomically: readers see the old file or the new one, whole.
 *
 * @param decisions the table
 * @param path the file; its folder must be there
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_IO (the old file, if any, is untouched), PERFPRED_INVALID
 * @par Thread safety: a table may be shared.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_decisions_save(const struct perfpred_decisions *decisions, const char *path,
                                                          struct perfpred_error *error);

/** Releases a table; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_decisions_destroy(struct perfpred_decisions *decisions);

/** Number of entries: routines, or routines with some options; 0 for NULL. @since 0.1 */
PERFPRED_API size_t perfpred_decisions_count(const struct perfpred_decisions *decisions);

/** An entry of a table. @since 0.1 */
struct perfpred_decision_entry {
  size_t size;     /**< sizeof; PERFPRED_DECISION_ENTRY_INIT sets it */
  char routine[9]; /**< e.g. "DPOTRF" */
  char options[3]; /**< letters that OPTS has to begin with; "": any */
  const char *
      row_size; /**< what picks a row, of the sizes N1 to N4 of a question, e.g. "max(n1, n2)"; "": there is one; static */
  const char *cell_size; /**< what picks the cell in it; static */
  size_t rows;           /**< number of rows, at least 1 */
  size_t cells;          /**< number of cells in all rows */
};
#define PERFPRED_DECISION_ENTRY_INIT                                                                                   \
  { sizeof(struct perfpred_decision_entry), "", "", 0, 0, 0, 0 }

/**
 * Describes an entry by its place: in the order of names.
 *
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_decisions_entry(const struct perfpred_decisions *decisions, size_t index,
                                                           struct perfpred_decision_entry *entry,
                                                           struct perfpred_error *error);

/** An answer. @since 0.1 */
struct perfpred_decision {
  size_t size;   /**< sizeof; PERFPRED_DECISION_INIT sets it */
  size_t entry;  /**< place of its entry */
  int64_t bound; /**< largest size that it holds for; INT64_MAX: any */
  int64_t nb;    /**< ISPEC 1; 0: as LAPACK has it */
  int64_t nbmin; /**< ISPEC 2; 0: as LAPACK has it */
  int64_t nx;    /**< ISPEC 3; -1: as LAPACK has it */
};
#define PERFPRED_DECISION_INIT                                                                                         \
  { sizeof(struct perfpred_decision), 0, 0, 0, 0, 0 }

/**
 * Answers what ILAENV is asked.
 *
 * @param decisions the table
 * @param routine e.g. "DPOTRF", in either case
 * @param options OPTS, in either case; NULL: none
 * @param sizes N1, N2, ... of the question; those that the routine does not have are negative, as are those left out
 * @param count number of sizes, 0 to 4
 * @param[in,out] decision the answer; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND (the table has no answer: LAPACK's own holds), PERFPRED_INVALID
 * @par Thread safety: safe from any thread; no allocation, no lock.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_decisions_look_up(const struct perfpred_decisions *decisions,
                                                             const char *routine, const char *options,
                                                             const int64_t *sizes, size_t count,
                                                             struct perfpred_decision *decision,
                                                             struct perfpred_error *error);

/** The table as JSON (doc/json.md): free with perfpred_free. @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_decisions_print(const struct perfpred_decisions *decisions, char **json,
                                                           struct perfpred_error *error);

/**
 * The table as one file of C99 that needs no library: numbers of the routines as an enumeration, and functions
 * NAME_routine (number of a routine by its name), NAME_nb, NAME_nbmin, NAME_nx (answers by number and size) and NAME_block_size (by name).
 *
 * @param decisions the table; of rows over a second size there must be none
 * @param name what all names in the file begin with: an identifier of at most 63 characters
 * @param[out] text the text; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_UNSUPPORTED (the table has rows), PERFPRED_NO_MEMORY
 * @par Thread safety: a table may be shared.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_decisions_print_c(const struct perfpred_decisions *decisions,
                                                             const char *name, char **text,
                                                             struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
