/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file program.h
 * @brief Programs: loop trees of kernel calls on views of buffers. A blocked algorithm is one.
 */
#ifndef PERFPRED_PROGRAM_H
#define PERFPRED_PROGRAM_H

#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

/** Number of algorithms that a context knows. @since 0.1 */
PERFPRED_API size_t perfpred_program_count(const struct perfpred_context *context);

/** Name of an algorithm by its place, in the order of the catalogue; borrowed; NULL past the end. @since 0.1 */
PERFPRED_API const char *perfpred_program_name_at(const struct perfpred_context *context, size_t index);

/** Operation of an algorithm by its place, "" without one; borrowed; NULL past the end. Its text need not be read. @since 0.1 */
PERFPRED_API const char *perfpred_program_operation_at(const struct perfpred_context *context, size_t index);

/**
 * Finds an algorithm by name, such as "chol-l-3".
 *
 * @param context the context
 * @param name its name
 * @param[out] program the program; the caller gets a reference, release with perfpred_program_unref
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_program_find(const struct perfpred_context *context, const char *name,
                                                        struct perfpred_program **program,
                                                        struct perfpred_error *error);

/**
 * Parses one algorithm or loop nest without adding it to the context.
 *
 * @param context the context whose kernels and algorithms it may call
 * @param text the text (doc/language.md)
 * @param length its length in bytes
 * @param source name of the text for messages
 * @param[out] program the program; the caller gets a reference
 * @param[out] error text of the error with line and column, or NULL
 * @return PERFPRED_OK, PERFPRED_SYNTAX, PERFPRED_NOT_FOUND, PERFPRED_NO_MEMORY, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_program_parse(const struct perfpred_context *context, const char *text,
                                                         size_t length, const char *source,
                                                         struct perfpred_program **program,
                                                         struct perfpred_error *error);

/**
 * Takes another reference.
 *
 * @return program
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API struct perfpred_program *perfpred_program_ref(struct perfpred_program *program);

/**
 * Gives a reference back; NULL is fine.
 *
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API void perfpred_program_unref(struct perfpred_program *program);

/** Name; borrowed. @since 0.1 */
PERFPRED_API const char *perfpred_program_name(const struct perfpred_program *program);

/** The operation that it performs, the same for all alternatives, such as "chol-l"; borrowed; "" if not stated. @since 0.1 */
PERFPRED_API const char *perfpred_program_operation(const struct perfpred_program *program);

/** Number of its integer parameters. @since 0.1 */
PERFPRED_API size_t perfpred_program_parameter_count(const struct perfpred_program *program);

/** Name of a parameter by its place; borrowed; NULL past the end. @since 0.1 */
PERFPRED_API const char *perfpred_program_parameter_name(const struct perfpred_program *program, size_t index);

/**
 * Value of a parameter that the program's text proposes, such as b = 64: those of the catalogue "as in LAPACK" propose what ILAENV of
 * reference LAPACK 3.11 returns. Nothing but the command fills it in: functions of the library take all values.
 *
 * @param program the program
 * @param index place of the parameter
 * @return the value, >= 0; -1 if the text proposes none, past the end, and for NULL
 * @since 0.1
 */
PERFPRED_API int64_t perfpred_program_parameter_default(const struct perfpred_program *program, size_t index);

/** Place of a parameter by its name; -1 if there is none. @since 0.1 */
PERFPRED_API int perfpred_program_parameter(const struct perfpred_program *program, const char *name);

/** Forms in which a program can be printed. @since 0.1 */
enum perfpred_format {
  PERFPRED_FORMAT_TEXT = 0, /**< the text form; parsing it gives an equal program */
  PERFPRED_FORMAT_JSON = 1, /**< one JSON object */
  PERFPRED_FORMAT_C = 2     /**< a C function with calls of Fortran BLAS and LAPACK */
};

/**
 * Prints a program.
 *
 * @param program the program
 * @param format the form
 * @param[out] text the text; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NO_MEMORY, PERFPRED_INVALID, PERFPRED_UNSUPPORTED (a loop nest as C)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_program_print(const struct perfpred_program *program,
                                                         enum perfpred_format format, char **text,
                                                         struct perfpred_error *error);

/**
 * Unrolls a program into its sequence of calls, one per line, in the form of the program's own text with all sizes as numbers.
 * Calls with nothing to do are kept.
 *
 * @param program the program
 * @param parameters values of its parameters, in order
 * @param count number of values; must be perfpred_program_parameter_count
 * @param[out] calls number of calls, or NULL
 * @param[out] text the lines, or NULL when only the count is wanted; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (a parameter that is negative, a block size below 1: the text names it),
 *         PERFPRED_LIMIT (more than 64 levels of recursion, more than 10^8 calls), PERFPRED_OVERFLOW, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_program_unroll(const struct perfpred_program *program,
                                                          const int64_t *parameters, size_t count, uint64_t *calls,
                                                          char **text, struct perfpred_error *error);

/**
 * Minimal number of floating-point operations of the operation (the `cost` line of its text; without one, the sum over
 * its calls).
 *
 * @source dissertation, Section 11 and Appendix 8
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_program_cost(const struct perfpred_program *program,
                                                        const int64_t *parameters, size_t count, double *flops,
                                                        struct perfpred_error *error);

/* Building a program without text. All strings are copied; expressions are those of the text form. The first error
   sticks: later calls return it, and so does perfpred_builder_finish. */

/**
 * Starts a program.
 *
 * @param context the context whose kernels and programs it may call
 * @param name its name
 * @param[out] builder the builder; owned by the caller, ended by perfpred_builder_finish or perfpred_builder_destroy
 * @param[out] error text of the error, or NULL
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_builder_create(const struct perfpred_context *context, const char *name,
                                                          struct perfpred_builder **builder,
                                                          struct perfpred_error *error);

/** Adds an integer parameter, such as "n", or "b = 64" with a default. All parameters come before everything else. @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_builder_parameter(struct perfpred_builder *builder, const char *name,
                                                             struct perfpred_error *error);

/**
 * Declares a buffer, with the words of the text form.
 *
 * @param builder the builder
 * @param declaration such as "inout A: double spd matrix[n, n]" or "work T: double matrix[b, b]"
 * @param[out] error text of the error, or NULL
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_builder_buffer(struct perfpred_builder *builder, const char *declaration,
                                                          struct perfpred_error *error);

/**
 * Opens a loop; close it with perfpred_builder_end.
 *
 * @param builder the builder
 * @param header such as "i in 0:n by b as w" or "i in 0:n down by b as w short last"
 * @param[out] error text of the error, or NULL
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_builder_loop(struct perfpred_builder *builder, const char *header,
                                                        struct perfpred_error *error);

/** Adds a call, such as "dtrsm(R, L, T, N, n - i - w, w, 1, A[i, i], A[i+w, i])". @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_builder_call(struct perfpred_builder *builder, const char *call,
                                                        struct perfpred_error *error);

/** Adds any other statement of the text form that is one line ("let r = n - i", "if n > b", "else", "operation chol"). @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_builder_statement(struct perfpred_builder *builder, const char *statement,
                                                             struct perfpred_error *error);

/** Closes the innermost open loop or condition. @since 0.1 */
PERFPRED_API enum perfpred_status perfpred_builder_end(struct perfpred_builder *builder, struct perfpred_error *error);

/**
 * Checks and finishes the program and destroys the builder, whatever the result.
 *
 * @param builder the builder
 * @param[out] program the program; the caller gets a reference
 * @param[out] error text of the error, or NULL
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_builder_finish(struct perfpred_builder *builder,
                                                          struct perfpred_program **program,
                                                          struct perfpred_error *error);

/** Gives a program up; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_builder_destroy(struct perfpred_builder *builder);

PERFPRED_END_DECLS

#endif
