/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file contraction.h
 * @brief Tensor contractions C := A B and their algorithms: loops around one BLAS kernel.
 */
#ifndef PERFPRED_CONTRACTION_H
#define PERFPRED_CONTRACTION_H

#include <perfpred/program.h>

PERFPRED_BEGIN_DECLS

/** A contraction with its extents. Immutable. @since 0.1 */
struct perfpred_contraction;

/** The kernel of an algorithm. @source dissertation, Section 22 @since 0.1 */
enum perfpred_contraction_kernel {
  PERFPRED_CONTRACTION_DOT = 0,  /**< claims one contracted index */
  PERFPRED_CONTRACTION_AXPY = 1, /**< one free index */
  PERFPRED_CONTRACTION_GEMV = 2, /**< one contracted and one free index */
  PERFPRED_CONTRACTION_GER = 3,  /**< one free index of each operand */
  PERFPRED_CONTRACTION_GEMM = 4  /**< one contracted index and one free index of each operand */
};

/** Options of a contraction. Zero means the default. @since 0.1 */
struct perfpred_contraction_options {
  size_t size; /**< sizeof; PERFPRED_CONTRACTION_OPTIONS_INIT sets it */
  char type;   /**< data type: 's', 'd', 'c' or 'z'; 0: 'd' */
  int fuse; /**< 1: indices that run through memory as one in all tensors that hold them become one index, named by the
                                 first of them */
  const int64_t
      *strides_a; /**< elements from one to the next in each dimension of A, >= 1; NULL: dense, the first dimension has
                                 stride 1 */
  const int64_t *strides_b; /**< of B */
  const int64_t
      *strides_c; /**< of C; different elements must have different places: sorted by stride, each stride is greater
                                 than the farthest place that the dimensions of smaller strides reach */
};
#define PERFPRED_CONTRACTION_OPTIONS_INIT                                                                              \
  { sizeof(struct perfpred_contraction_options), 0, 0, 0, 0, 0 }

/**
 * Reads a contraction of two tensors such as "ai,ibc->abc": C[a,b,c] := sum over i of A[a,i] B[i,b,c].
 *
 * Indices are single letters, upper and lower case differ; blanks are ignored, so that "a i , i b c -> a b c" is the same. The first index
 * of a tensor is its stride-1 dimension, as in Fortran. An index of A and B alone is contracted, one of a single operand and C is free,
 * one of all three is a batch index.
 *
 * @param einsum the contraction
 * @param names names of its indices, each a string of one letter, in any order
 * @param extents their extents, >= 0
 * @param count number of names and extents; every index of the contraction has exactly one
 * @param options options, or NULL
 * @param[out] contraction the contraction; owned by the caller, release with perfpred_contraction_destroy
 * @param[out] error text of the error, or NULL: it names the index or the tensor, and for PERFPRED_SYNTAX column is the place in
 *             einsum, from 1
 * @return PERFPRED_OK, PERFPRED_SYNTAX (no arrow, something else than a letter), PERFPRED_INVALID (an index in one tensor only or twice in one
 *         tensor, an extent that is missing, unknown, given twice or negative, an option), PERFPRED_UNSUPPORTED (other than two
 *         operands), PERFPRED_LIMIT (more than 24 indices, or 16 in one tensor), PERFPRED_OVERFLOW (a tensor of 2^63 bytes or more),
 *         PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @source dissertation, Section 22
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_create(const char *einsum, const char *const *names,
                                                              const int64_t *extents, size_t count,
                                                              const struct perfpred_contraction_options *options,
                                                              struct perfpred_contraction **contraction,
                                                              struct perfpred_error *error);

/** Releases a contraction; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_contraction_destroy(struct perfpred_contraction *contraction);

/** A contraction as a whole. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_info {
  size_t size;           /**< sizeof; PERFPRED_CONTRACTION_INFO_INIT sets it */
  const char *einsum;    /**< the contraction without blanks, with fused indices joined; borrowed from it */
  char type;             /**< data type: s, d, c or z */
  size_t indices;        /**< number of different indices */
  size_t contracted;     /**< of these in A and B alone */
  size_t free_a;         /**< in A and C alone */
  size_t free_b;         /**< in B and C alone */
  size_t batch;          /**< in all three */
  double flops;          /**< floating-point operations: a multiplication and an addition for each combination of all
                               indices; complex ones count 6 and 2 */
  int64_t elements_a;    /**< elements of A from its first to behind its last one, gaps of given strides included */
  int64_t elements_b;    /**< of B */
  int64_t elements_c;    /**< of C */
  int64_t element_bytes; /**< bytes of an element */
};
#define PERFPRED_CONTRACTION_INFO_INIT                                                                                 \
  { sizeof(struct perfpred_contraction_info), 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0, 0 }

/**
 * Tells of a contraction as a whole.
 *
 * @param contraction the contraction
 * @param[in,out] info size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_summary(const struct perfpred_contraction *contraction,
                                                               struct perfpred_contraction_info *info,
                                                               struct perfpred_error *error);

/** An index. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_index {
  size_t size;        /**< sizeof; PERFPRED_CONTRACTION_INDEX_INIT sets it */
  char name;          /**< its letter; of fused ones the first */
  const char *kind;   /**< "contracted", "free-a", "free-b" or "batch"; static */
  const char *joined; /**< letters of the indices that were fused into it, its own alone where none were; borrowed */
  int64_t extent;     /**< its extent */
  int64_t stride_a;   /**< elements from one to the next in A; 0: A lacks it */
  int64_t stride_b;   /**< in B */
  int64_t stride_c;   /**< in C */
};
#define PERFPRED_CONTRACTION_INDEX_INIT                                                                                \
  { sizeof(struct perfpred_contraction_index), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Tells of an index, in the order in which A, then B, then C name them first.
 *
 * @param contraction the contraction
 * @param place place of the index, from 0
 * @param[in,out] index size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (place is not below the number of indices)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_index_at(const struct perfpred_contraction *contraction,
                                                                size_t place, struct perfpred_contraction_index *index,
                                                                struct perfpred_error *error);

/** Which algorithms are asked for: by whether they copy operands. @since 0.1 */
enum perfpred_contraction_copies {
  PERFPRED_CONTRACTION_COPIES_ANY = 0,  /**< all */
  PERFPRED_CONTRACTION_COPIES_NONE = 1, /**< those without copies */
  PERFPRED_CONTRACTION_COPIES_SOME = 2  /**< those with copies */
};

/**
 * Which algorithms are asked for: those of loops around a kernel, which copy slices at most, or those that people write by hand. These copy
 * whole tensors into another order, so that all indices of a kind (contracted, free of A, of B) are one for the kernel; batch indices are
 * loops around it; C is copied back. A tensor that needs no copy is taken as it lies. There are at most 8: of those that copy the same
 * tensors one, and none that copies more than another one does; none where an extent is 0. @since 0.1
 */
enum perfpred_contraction_wholes {
  PERFPRED_CONTRACTION_WHOLES_NONE = 0, /**< loops alone, as in the dissertation */
  PERFPRED_CONTRACTION_WHOLES_TOO = 1,  /**< both; those with whole tensors come first */
  PERFPRED_CONTRACTION_WHOLES_ALONE = 2 /**< those with whole tensors */
};

/** Which algorithms are asked for. Zero means all of loops around a kernel. @since 0.1 */
struct perfpred_contraction_filter {
  size_t size;      /**< sizeof; PERFPRED_CONTRACTION_FILTER_INIT sets it */
  unsigned kernels; /**< the sum of 1 << enum perfpred_contraction_kernel over the kernels that are wanted; 0: all */
  enum perfpred_contraction_copies copies; /**< with or without copies */
  uint64_t at_most;                        /**< the first so many of these; 0: all */
  enum perfpred_contraction_wholes wholes; /**< those that copy whole tensors */
};
#define PERFPRED_CONTRACTION_FILTER_INIT                                                                               \
  {                                                                                                                    \
    sizeof(struct perfpred_contraction_filter), 0, PERFPRED_CONTRACTION_COPIES_ANY, 0,                                 \
        PERFPRED_CONTRACTION_WHOLES_NONE                                                                               \
  }

/**
 * Counts algorithms by formula, without making them: with n indices of which k are contracted and p and q free, dot has k (n-1)!, axpy
 * (p+q) (n-1)!, gemv k (p+q) (n-2)!, ger p q (n-2)!, gemm k p q (n-3)!. Those that copy whole tensors are counted where the filter asks for them.
 *
 * @param contraction the contraction
 * @param filter which ones, or NULL for all
 * @param[out] count their number; 0 where no kernel fits, as for a contraction of batch indices alone
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (filter), PERFPRED_OVERFLOW (2^64 or more; the first ones can be had all the same)
 * @par Thread safety: safe from any thread.
 * @source dissertation, Section 22
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_count(const struct perfpred_contraction *contraction,
                                                             const struct perfpred_contraction_filter *filter,
                                                             uint64_t *count, struct perfpred_error *error);

/** Bytes of the longest name of an algorithm, with its NUL. @since 0.1 */
#define PERFPRED_CONTRACTION_NAME 48

/** An algorithm. Written up to the size that the caller states. @since 0.1 */
struct perfpred_contraction_algorithm {
  size_t size; /**< sizeof; PERFPRED_CONTRACTION_ALGORITHM_INIT sets it */
  char name
      [PERFPRED_CONTRACTION_NAME]; /**< its name: the letters of its loops from outer to inner, a hyphen, the routine of BLAS, as
                                             in "cb-dger". An apostrophe follows the loop inside which an operand is copied,
                                             one for each; before the first letter where that is outside of all loops. Where whole
                                             tensors are copied: their letters, a star, a hyphen, the routine, as in "AC*-dgemm" */
  enum perfpred_contraction_kernel kernel; /**< its kernel */
  char routine[8];                         /**< the routine of BLAS, such as "zgeru" */
  size_t loops;                            /**< number of loops around it */
  size_t copies;                           /**< number of operands that are copied: 0 to 3 */
  int zero;                                /**< 1: C is filled with zeros first */
  double calls;                            /**< calls of the kernel */
  double copies_made;                      /**< copies of operands in all, in and out apart */
  double copied_elements;                  /**< elements that these move, in and out apart */
  double work_bytes;                       /**< memory for the packed copies, in bytes */
  int whole;                               /**< 1: it is one of those that copy whole tensors, or would if need were */
};
#define PERFPRED_CONTRACTION_ALGORITHM_INIT                                                                            \
  {                                                                                                                    \
    sizeof(struct perfpred_contraction_algorithm), { 0 }, PERFPRED_CONTRACTION_DOT, { 0 }, 0, 0, 0, 0.0, 0.0, 0.0,     \
        0.0, 0                                                                                                         \
  }

/**
 * Makes the algorithm at a place. Any place is as cheap as any other: nothing is listed.
 *
 * Kernels come in the order gemm, gemv, ger, axpy, dot. Within a kernel the order of the loops changes slowest: the first algorithms of a
 * kernel are one for each set of indices that it can claim. Orders of loops are lexicographic, beginning with the indices that stand
 * farthest back in their tensors outermost. Neither extents nor strides change the order.
 *
 * @param contraction the contraction
 * @param filter which ones, or NULL for all
 * @param place place among them, from 0
 * @param[in,out] algorithm size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (place is not below their number)
 * @par Thread safety: safe from any thread.
 * @source dissertation, Section 22
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_algorithm_at(const struct perfpred_contraction *contraction,
                                                                    const struct perfpred_contraction_filter *filter,
                                                                    uint64_t place,
                                                                    struct perfpred_contraction_algorithm *algorithm,
                                                                    struct perfpred_error *error);

/**
 * Finds an algorithm by its name.
 *
 * @param contraction the contraction
 * @param name its name; the apostrophes may be left out, all of them
 * @param[in,out] algorithm size set by the caller, the rest is the result
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (the text says what does not fit)
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_find(const struct perfpred_contraction *contraction,
                                                            const char *name,
                                                            struct perfpred_contraction_algorithm *algorithm,
                                                            struct perfpred_error *error);

/**
 * An algorithm as a program, which can be printed, predicted by models, and analysed like any other. Its name is that of the algorithm
 * with `_` in the place of apostrophes, `__` in that of a star. Its parameters are the extents, in the order of perfpred_contraction_index_at: "na" for index a,
 * each with the contraction's as its default. It has none, and the extents are numbers in it, where strides were given, an extent is below 2 or
 * there are more than 8 indices. Buffers A, B and C are the tensors as matrices: the columns are what lies from one element to the next in
 * the dimension that the kernel steps over. In dense tensors all elements lie as in the contraction.
 *
 * @param context the context, which has the kernels
 * @param contraction the contraction
 * @param name name of the algorithm
 * @param[out] program the program; the caller gets a reference, release with perfpred_program_unref
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (no such algorithm), PERFPRED_UNSUPPORTED (given strides of an input by which its
 *         elements share places or interleave), PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_program(const struct perfpred_context *context,
                                                               const struct perfpred_contraction *contraction,
                                                               const char *name, struct perfpred_program **program,
                                                               struct perfpred_error *error);

/**
 * An algorithm as self-contained C: `int NAME(const double *A, const double *B, double *C, void *work)`, in the type of the contraction,
 * calls CBLAS. The extents are in it as numbers. work is memory for its packed copies, at any address, of which `size_t
 * NAME_workspace(void)` tells the bytes: those of the copies (perfpred_contraction_algorithm, work_bytes), each rounded up to lines of 64,
 * and 64; 0 where it makes none. Its contents do not matter; a caller who keeps it for several calls saves what first touching new memory costs,
 * which can be more than the contraction. Where work is NULL the function allocates that much and frees it; it returns 0, or 1 where there is no memory.
 * Calls with different C and work may run in different threads.
 *
 * @param contraction the contraction
 * @param name name of the algorithm
 * @param function name of the function, or NULL for "contract"
 * @param[out] text the text; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID (function is no identifier of C), PERFPRED_NOT_FOUND (no such algorithm), PERFPRED_OVERFLOW (an extent or a
 *         stride that BLAS would have to take is beyond its 32-bit integers, or work beyond 2^63 bytes), PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_contraction_emit_c(const struct perfpred_contraction *contraction,
                                                              const char *name, const char *function, char **text,
                                                              struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
