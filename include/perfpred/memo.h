/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file memo.h
 * @brief What a tuner has answered before, kept by the caller and looked up in-line.
 *
 * A tuner's answers never change, so that whoever asks may keep them. Here is a small table for that, with a look-up of a few
 * instructions: no call into the library, no shared memory, nothing atomic. Nothing of it is in the library: its layout is that of
 * the header that a program was compiled with.
 */
#ifndef PERFPRED_MEMO_H
#define PERFPRED_MEMO_H

#include <perfpred/tuner.h>

PERFPRED_BEGIN_DECLS

#define PERFPRED_MEMO_BITS 6                           /**< logarithm of the number of places */
#define PERFPRED_MEMO_PLACES (1 << PERFPRED_MEMO_BITS) /**< answers that a memo has room for */

/**
 * Answers to the questions about one routine of one or two sizes. A memo belongs to one thread at a time (`_Thread_local`,
 * `thread_local`), and is of no more use once its tuner is gone. A question takes the place of another one that falls into the same
 * place. @since 0.1
 */
struct perfpred_memo {
  const struct perfpred_tuner *tuner;         /**< NULL: every answer is the default */
  int routine;                                /**< id, as perfpred_tuner_routine gives it */
  int thread_limit;                           /**< as in perfpred_tuner_block_size */
  int64_t default_value;                      /**< where the tuner has no answer */
  int64_t questions[PERFPRED_MEMO_PLACES][2]; /**< sizes; 0, 0: a free place */
  int64_t values[PERFPRED_MEMO_PLACES];       /**< the answers */
};

/** A memo of a tuner's routine, without answers yet. @since 0.1 */
#define PERFPRED_MEMO_INIT(tuner, routine, thread_limit, default_value)                                                \
  {                                                                                                                    \
    (tuner), (routine), (thread_limit), (default_value), { { 0, 0 } }, {                                               \
      0                                                                                                                \
    }                                                                                                                  \
  }

/** Place of a question. @since 0.1 */
static inline unsigned perfpred_memo_place(int64_t m, int64_t n) {
  const uint64_t mixed = ((uint64_t)m * 31U + (uint64_t)n) * UINT64_C(0x9E3779B97F4A7C15);
  return (unsigned)(mixed >> (64 - PERFPRED_MEMO_BITS));
}

/** Asks the tuner, and keeps what it says. For the two functions below. @since 0.1 */
static inline int64_t perfpred_memo_ask(struct perfpred_memo *memo, const int64_t *sizes, size_t size_count,
                                        unsigned place) {
  const int64_t value =
      perfpred_tuner_block_size(memo->tuner, memo->routine, sizes, size_count, memo->thread_limit, memo->default_value);
  if (sizes[0] == 0 && (size_count < 2 || sizes[1] == 0)) /* looks like a free place */
    return value;
  memo->questions[place][0] = size_count < 2 ? 0 : sizes[0];
  memo->questions[place][1] = size_count < 2 ? sizes[0] : sizes[1];
  memo->values[place] = value;
  return value;
}

/**
 * What perfpred_tuner_block_size answers for a routine of one size.
 *
 * @param memo the memo; all its questions go through this function
 * @param n the size
 * @return the tuner's value, or the memo's default
 * @par Thread safety: one thread at a time for each memo.
 * @since 0.1
 */
static inline int64_t perfpred_memo_block_size(struct perfpred_memo *memo, int64_t n) {
  const unsigned place = perfpred_memo_place(0, n);
  if (memo->questions[place][1] == n && n != 0)
    return memo->values[place];
  return perfpred_memo_ask(memo, &n, 1, place);
}

/** The same for a routine of two sizes. A memo is for routines of one size or of two. @since 0.1 */
static inline int64_t perfpred_memo_block_size_2(struct perfpred_memo *memo, int64_t m, int64_t n) {
  const unsigned place = perfpred_memo_place(m, n);
  if (memo->questions[place][0] == m && memo->questions[place][1] == n && (m != 0 || n != 0))
    return memo->values[place];
  const int64_t sizes[2] = { m, n };
  return perfpred_memo_ask(memo, sizes, 2, place);
}

PERFPRED_END_DECLS

#endif
