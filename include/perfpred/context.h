/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file context.h
 * @brief The context: kernels and algorithms that are known by name.
 */
#ifndef PERFPRED_CONTEXT_H
#define PERFPRED_CONTEXT_H

#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

/**
 * Creates a context that knows the library's catalogues of kernels and algorithms.
 *
 * @param[out] context the new context; owned by the caller, release with perfpred_context_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NO_MEMORY
 * @par Thread safety: separate contexts are independent. A context may be read from several threads;
 *      adding texts and kernels needs exclusive access.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_context_create(struct perfpred_context **context,
                                                          struct perfpred_error *error);

/**
 * Destroys a context. Programs, models, plans and samplers made from it stay valid.
 *
 * @param context a context or NULL
 * @since 0.1
 */
PERFPRED_API void perfpred_context_destroy(struct perfpred_context *context);

/**
 * Adds the kernels, algorithms and loop nests of a text (doc/language.md) to the context.
 * All or nothing: on an error the context is unchanged.
 *
 * @param context the context
 * @param text the text; copied
 * @param length its length in bytes
 * @param source name of the text for messages, such as a file name; copied
 * @param[out] error text of the error with line and column, or NULL
 * @return PERFPRED_OK, PERFPRED_SYNTAX, PERFPRED_NOT_FOUND (a call of an unknown kernel or program),
 *         PERFPRED_EXISTS, PERFPRED_NO_MEMORY, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_context_add_text(struct perfpred_context *context, const char *text,
                                                            size_t length, const char *source,
                                                            struct perfpred_error *error);

/**
 * Like perfpred_context_add_text, from a file of at most 16 MiB.
 *
 * @return as perfpred_context_add_text, and PERFPRED_MISSING, PERFPRED_IO, PERFPRED_LIMIT
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_context_add_file(struct perfpred_context *context, const char *path,
                                                            struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
