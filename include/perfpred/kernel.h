/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file kernel.h
 * @brief Kernels: signatures of routines that can be measured and modelled.
 */
#ifndef PERFPRED_KERNEL_H
#define PERFPRED_KERNEL_H

#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

/** Address of a routine with Fortran's conventions (all arguments by reference, lengths of strings last). @since 0.1 */
typedef void perfpred_fortran_fn(void);

/**
 * A kernel in free form. Gets one pointer per argument of its signature, in order: flags as `const char *`, options, sizes,
 * leading dimensions and increments as `const int64_t *`, scalars as pointer to the kernel's data type, data as pointer
 * to their first element; integer data are int64_t.
 *
 * @return 0; anything else is a failure of the kernel (measurements end with PERFPRED_NUMERIC)
 * @since 0.1
 */
typedef int perfpred_kernel_fn(void *data, void *const args[]);

/**
 * Number of kernels in a context.
 *
 * @since 0.1
 */
PERFPRED_API size_t perfpred_kernel_count(const struct perfpred_context *context);

/**
 * A kernel by its place, in order of names.
 *
 * @return the kernel, borrowed from the context; NULL if index is not below perfpred_kernel_count, or memory is short
 * @since 0.1
 */
PERFPRED_API const struct perfpred_kernel *perfpred_kernel_at(const struct perfpred_context *context, size_t index);

/**
 * Finds a kernel by name, such as "dtrsm".
 *
 * @param context the context
 * @param name name, lower case
 * @param[out] kernel the kernel, borrowed from the context
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_kernel_find(const struct perfpred_context *context, const char *name,
                                                       const struct perfpred_kernel **kernel,
                                                       struct perfpred_error *error);

/** Name of a kernel, such as "dtrsm"; borrowed. @since 0.1 */
PERFPRED_API const char *perfpred_kernel_name(const struct perfpred_kernel *kernel);

/** What a kernel computes, in one line of mathematics or words; borrowed; "" where the text says nothing. @since 0.1 */
PERFPRED_API const char *perfpred_kernel_operation(const struct perfpred_kernel *kernel);

/**
 * Whether the operation counts of a kernel are approximate (`count approximate` in its text): of drivers that iterate, which are given
 * the leading order of the textbook, and of decompositions whose choice of pivots changes the count. The counts of all others
 * are exact minima.
 *
 * @return 1 or 0; 0 for NULL
 * @since 0.1
 */
PERFPRED_API int perfpred_kernel_approximate(const struct perfpred_kernel *kernel);

/**
 * The signature of a kernel as text that perfpred_context_add_text reads.
 *
 * @param kernel the kernel
 * @param[out] text the text; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_kernel_print(const struct perfpred_kernel *kernel, char **text,
                                                        struct perfpred_error *error);

/**
 * Minimal number of floating-point operations of one call: 1 per real addition or multiplication, complex ones as
 * 2 and 6.
 *
 * @param context the context
 * @param call a call as text, as in a program: "dtrsm(R,L,T,N,1000,128,1)" (data arguments may be left out)
 * @param[out] flops the count
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_SYNTAX, PERFPRED_NOT_FOUND, PERFPRED_INVALID for sizes that break a demand of the kernel
 * (`require m >= n` in its text)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_kernel_flops(const struct perfpred_context *context, const char *call,
                                                        double *flops, struct perfpred_error *error);

/**
 * Registers a kernel of the caller's with Fortran's calling conventions, to be measured in process. Its integers have
 * 32 bits; perfpred_kernel_bind tells otherwise.
 *
 * @param context the context
 * @param text its signature (one `kernel ... end`, doc/language.md); copied
 * @param function its address; must stay valid as long as anything measures the kernel
 * @param[out] error text of the error with line and column, or NULL
 * @return PERFPRED_OK, PERFPRED_SYNTAX, PERFPRED_EXISTS, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_kernel_register(struct perfpred_context *context, const char *text,
                                                           perfpred_fortran_fn *function, struct perfpred_error *error);

/**
 * Registers a kernel of the caller's in free form, to be measured in process.
 *
 * @param context the context
 * @param text its signature; copied
 * @param function the function
 * @param data its first argument; kept, must stay valid as long as anything measures the kernel
 * @param[out] error text of the error with line and column, or NULL
 * @return as perfpred_kernel_register
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_kernel_register_function(struct perfpred_context *context, const char *text,
                                                                    perfpred_kernel_fn *function, void *data,
                                                                    struct perfpred_error *error);

/**
 * Gives a kernel of the catalogue (or one that was registered) an address in this process, so that a local sampler can measure it (a BLAS that the host has
 * linked, for example).
 *
 * @param context the context
 * @param name name of the kernel
 * @param function its address, Fortran's conventions, 32-bit integers unless ilp64 is set
 * @param ilp64 whether its integers have 64 bits
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_NOT_FOUND, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_kernel_bind(struct perfpred_context *context, const char *name,
                                                       perfpred_fortran_fn *function, int ilp64,
                                                       struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
