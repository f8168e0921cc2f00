/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file status.h
 * @brief What went right or wrong, as a number and as caller-owned text.
 */
#ifndef PERFPRED_STATUS_H
#define PERFPRED_STATUS_H

#include <perfpred/common.h>

PERFPRED_BEGIN_DECLS

/** The table of all status codes: number, name, text. Numbers are never reused. */
#define PERFPRED_STATUS_MAP(X)                                                                                         \
  X(0, OK, "success")                                                                                                  \
  X(1, NO_MEMORY, "out of memory")                                                                                     \
  X(2, INVALID, "invalid argument")                                                                                    \
  X(3, NOT_FOUND, "no such name")                                                                                      \
  X(4, SYNTAX, "malformed text")                                                                                       \
  X(5, OVERFLOW, "number out of range")                                                                                \
  X(6, IO, "input or output failed")                                                                                   \
  X(7, MISSING, "no such file")                                                                                        \
  X(8, CORRUPT, "malformed file")                                                                                      \
  X(9, VERSION, "file of another format version")                                                                      \
  X(10, OTHER_MACHINE, "model of another machine")                                                                     \
  X(11, OTHER_BLAS, "model of another BLAS")                                                                           \
  X(12, UNMODELLED, "no model for a kernel or case")                                                                   \
  X(13, OUT_OF_DOMAIN, "sizes outside the domain of the model")                                                        \
  X(14, WORKER, "the worker is missing or failed")                                                                     \
  X(15, CRASHED, "a measured kernel crashed or stopped the worker")                                                    \
  X(16, TIMEOUT, "time limit reached")                                                                                 \
  X(17, CANCELLED, "cancelled by the caller")                                                                          \
  X(18, NUMERIC, "a numerical method failed")                                                                          \
  X(19, UNSUPPORTED, "not supported here")                                                                             \
  X(20, LIMIT, "a limit of the library was reached")                                                                   \
  X(21, AMBIGUOUS, "several matches where one is needed")                                                              \
  X(22, EXISTS, "the name is already taken")

/** @since 0.1 */
enum perfpred_status {
#define PERFPRED_STATUS_ENUM(number, name, text) PERFPRED_##name = (number),
  PERFPRED_STATUS_MAP(PERFPRED_STATUS_ENUM)
#undef PERFPRED_STATUS_ENUM
};

/**
 * Text of an error, owned by the caller. Functions that take one clear it on entry, so it needs no
 * initialisation; within one call the first message wins. The layout is frozen.
 *
 * @since 0.1
 */
struct perfpred_error {
  enum perfpred_status status; /**< the status that the function returned */
  int line;                    /**< line in a text or file, from 1; 0 where there is none */
  int column;                  /**< column in that line, from 1; 0 where there is none */
  char text[500];              /**< one line: the thing at fault and what was expected; "" on success */
};

/**
 * Name of a status without its prefix, such as "NOT_FOUND".
 *
 * @param status any value
 * @return a static string; "UNKNOWN" for a value that is not in the table
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API const char *perfpred_status_name(enum perfpred_status status);

/**
 * Short description of a status, such as "no such name".
 *
 * @param status any value
 * @return a static string
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API const char *perfpred_status_text(enum perfpred_status status);

PERFPRED_END_DECLS

#endif
