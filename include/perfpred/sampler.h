/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sampler.h
 * @brief Samplers: where measurements come from (a worker process, this process, or a virtual clock).
 */
#ifndef PERFPRED_SAMPLER_H
#define PERFPRED_SAMPLER_H

#include <perfpred/status.h>

PERFPRED_BEGIN_DECLS

/**
 * A setup: the libraries and threads that a worker measures. Zero or NULL in a member means its default.
 *
 * @since 0.1
 */
struct perfpred_setup {
  size_t size; /**< sizeof (struct perfpred_setup); PERFPRED_SETUP_INIT sets it */
  const char
      *blas; /**< path of the BLAS library; default: BLIS where it is installed, else the system's libblas.so.3 */
  const char
      *lapack;   /**< path of the LAPACK library; default: reference LAPACK where it is installed, else the system's */
  int threads;   /**< number of threads; default 1 */
  int timeout_s; /**< longest time of one timed call; default 120. The worker's start is none: it has 30 s, or as many as
                    the environment variable PERFPRED_START_S says */
  const char *worker;             /**< path of perfpred-worker; default: $PERFPRED_WORKER, else the installed one */
  const char *const *environment; /**< "NAME=value" added to the worker's environment, NULL at the end; e.g.
                                     "BLIS_ARCH_TYPE=0": a number, the place in BLIS's arch_t (0.9: 0 skx, 3 haswell) */
  double yardstick_s; /**< reading of the yardstick, in seconds, that times are brought to, so that several runs are of
                         one state of the machine; default 0: the best one of this sampler. More than a factor of 4 from
                         that is PERFPRED_INVALID when something is measured */
};
#define PERFPRED_SETUP_INIT                                                                                            \
  { sizeof(struct perfpred_setup), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Starts a worker for a setup and checks that the libraries asked for are the ones that answer.
 *
 * @param context kernels that will be sampled; the sampler keeps no pointer to it
 * @param setup the setup, or NULL for the default one
 * @param[out] sampler the sampler; owned by the caller, release with perfpred_sampler_destroy
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_MISSING (library or worker), PERFPRED_WORKER (it answered with something else than what
 *         was asked), PERFPRED_TIMEOUT, PERFPRED_INVALID, PERFPRED_NO_MEMORY
 * @par Thread safety: one sampler belongs to one thread at a time.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_sampler_create_worker(const struct perfpred_context *context,
                                                                 const struct perfpred_setup *setup,
                                                                 struct perfpred_sampler **sampler,
                                                                 struct perfpred_error *error);

/**
 * Least squares with the interface of LAPACK's DGELSY (32-bit integers, all by reference).
 *
 * @since 0.1
 */
typedef void perfpred_dgelsy_fn(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
                                const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
                                const int *lwork, int *info);

/**
 * A sampler that calls registered kernels in this process.
 *
 * @param context the context whose kernels it may call; must outlive the sampler
 * @param least_squares used to fit models; NULL: fitting needs one from elsewhere (a worker)
 * @param[out] sampler the sampler; owned by the caller
 * @param[out] error text of the error, or NULL
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_sampler_create_local(const struct perfpred_context *context,
                                                                perfpred_dgelsy_fn *least_squares,
                                                                struct perfpred_sampler **sampler,
                                                                struct perfpred_error *error);

/**
 * Where the operands of a call are when it begins: states of the caches that calls are timed in. Bits, for sets of states.
 *
 * @source dissertation, Section 17 (in-cache and out-of-cache timings)
 * @since 0.1
 */
enum perfpred_cache_state {
  PERFPRED_STATE_WARM =
      1 << 0, /**< where the same call right before has left them, and where restoring what it overwrote
                                      has brought that */
  PERFPRED_STATE_IN =
      1 << 1, /**< the same, and then the operands that are only read are touched: as near as they fit */
  PERFPRED_STATE_OUTER = 1 << 2, /**< in the outermost cache: touched, and then displaced from the second level by other
                                      data */
  PERFPRED_STATE_OUT = 1 << 3 /**< in memory: their cache lines are evicted one by one; where a machine cannot, a buffer
                                      several times as large as the last cache is walked over */
};

/** One call as a virtual clock sees it. @since 0.1 */
struct perfpred_virtual_call {
  size_t size;                          /**< sizeof (struct perfpred_virtual_call) of the library */
  const struct perfpred_kernel *kernel; /**< borrowed; NULL: a repetition of a run of Apex-MAP (apex.h) */
  const char *kernel_name;              /**< e.g. "dtrsm" */
  const char *flags;                    /**< letters of the flag arguments in order, e.g. "RLTN" */
  const int64_t *sizes;                 /**< size arguments in order */
  size_t size_count;                    /**< how many */
  double flops;                         /**< minimal flop count */
  uint64_t repetition;                  /**< counts the timed executions of this very call, from 0 */
  const char *previous;                 /**< name of the kernel that was called right before it in the same execution or
                                           step, or NULL: it is sampled alone, or comes first */
  enum perfpred_cache_state state;      /**< that it is sampled in; 0: it runs in an execution or a step */
  double alpha; /**< of a run of Apex-MAP, whose kernel_name is "apex-strided" (sizes M, S, C, K) or "apex-random"
                   (sizes M, L, C, I, K); else 0 */
};

/**
 * Cost of a call on the virtual clock.
 *
 * @return seconds, > 0; NaN: the call fails (PERFPRED_NUMERIC)
 * @since 0.1
 */
typedef double perfpred_cost_fn(void *data, const struct perfpred_virtual_call *call);

/**
 * A sampler that computes times instead of measuring: deterministic, for tests and simulations.
 *
 * Of an algorithm of a contraction one call is asked for, and all of its calls cost the same. To that comes 1 ns for each cache line that
 * an iteration has of an operand and the iteration before had not, or that a single call misses because its set-up flushed it or touched
 * more than 1 MiB behind it, and for each line of what is packed or zeroed.
 *
 * @param context kernels that will be sampled
 * @param cost cost of a call in seconds
 * @param data handed to cost; kept
 * @param least_squares as for perfpred_sampler_create_local
 * @param[out] sampler the sampler; owned by the caller
 * @param[out] error text of the error, or NULL
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_sampler_create_virtual(const struct perfpred_context *context,
                                                                  perfpred_cost_fn *cost, void *data,
                                                                  perfpred_dgelsy_fn *least_squares,
                                                                  struct perfpred_sampler **sampler,
                                                                  struct perfpred_error *error);

/** Stops the worker, if there is one, and releases the sampler; NULL is fine. @since 0.1 */
PERFPRED_API void perfpred_sampler_destroy(struct perfpred_sampler *sampler);

/**
 * Describes the machine and the setup of a sampler: topology, caches, peak flop/s and bandwidth (measured at the first
 * call, about a second), counters, BLAS and LAPACK with the kernel set they chose.
 *
 * @param sampler the sampler
 * @param[out] json one JSON object (doc/json.md, "machine"); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_WORKER, PERFPRED_CRASHED, PERFPRED_TIMEOUT, PERFPRED_NO_MEMORY
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_sampler_describe(struct perfpred_sampler *sampler, char **json,
                                                            struct perfpred_error *error);

/** Options of a measurement. Zero means the default. @since 0.1 */
struct perfpred_measure_options {
  size_t size;     /**< sizeof; PERFPRED_MEASURE_OPTIONS_INIT sets it */
  int repetitions; /**< timed executions; default 10 */
  int64_t ld;  /**< leading dimension of matrices; default: smallest >= rows that is a multiple of 8 and not of 256 */
  double gate; /**< widest relative deviation of the yardstick; default 0.05; negative: no gate */
  double budget_s;                /**< wall time to stay within; default: none */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
};
#define PERFPRED_MEASURE_OPTIONS_INIT                                                                                  \
  { sizeof(struct perfpred_measure_options), 0, 0, 0.0, 0.0, 0, 0 }

/** Result of a measurement. @since 0.1 */
struct perfpred_measurement {
  size_t size;                       /**< sizeof; PERFPRED_MEASUREMENT_INIT sets it */
  struct perfpred_statistics time_s; /**< wall time in the machine's reference state, seconds */
  double noise;         /**< relative difference of the medians of the two halves of the samples: the noise floor */
  uint64_t repetitions; /**< samples that the statistics rest on */
  uint64_t disturbed;   /**< samples thrown away: preempted or outside the gate */
  int64_t ld;           /**< leading dimension used */
  int gated;            /**< 1: gated samples; 0: too few passed, samples divided by the yardstick */
  double residual; /**< relative error of the computed result where the operation has a check; NaN where it has none */
  double yardstick_s;           /**< best reading of the yardstick so far, seconds; 0: none was taken */
  double yardstick_reference_s; /**< the reading that times were brought to; 0: none */
};
#define PERFPRED_MEASUREMENT_INIT                                                                                      \
  { sizeof(struct perfpred_measurement), { 0.0, 0.0, 0.0, 0.0, 0.0 }, 0.0, 0, 0, 0, 0, 0.0, 0.0, 0.0 }

/**
 * Executes a program on fresh operands and times it.
 *
 * @param sampler the sampler; a virtual one adds the costs of the calls
 * @param program the program
 * @param parameters values of its parameters, in order
 * @param count number of values
 * @param options options, or NULL
 * @param[in,out] measurement the result; size set by the caller
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_CRASHED, PERFPRED_NUMERIC (a kernel reports failure), PERFPRED_TIMEOUT,
 *         PERFPRED_CANCELLED, PERFPRED_NO_MEMORY, PERFPRED_UNSUPPORTED (a kernel has no address here)
 * @source dissertation, Section 12
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_measure(struct perfpred_sampler *sampler,
                                                   const struct perfpred_program *program, const int64_t *parameters,
                                                   size_t count, const struct perfpred_measure_options *options,
                                                   struct perfpred_measurement *measurement,
                                                   struct perfpred_error *error);

/**
 * Times the calls of a text (doc/sampler.md): one by one or in regions, on memory of their own or in named buffers, warm
 * or cold. The whole text is read before anything is run. A call that fails, even one that takes the worker down, has
 * that as its result, and the next ones are run all the same.
 *
 * @param sampler the sampler; a virtual one adds the costs of the calls
 * @param context where kernels are looked up: for a local or a virtual sampler the one that it was made with
 * @param text the text, need not end with NUL
 * @param length its length in bytes
 * @param source name of the text in messages, or NULL
 * @param options options that hold where the text says nothing else, or NULL; the budget is for the whole text
 * @param[out] json one JSON object (doc/json.md, "sample"); free with perfpred_free
 * @param[out] error text of the error, or NULL; line and column where the text is at fault
 * @return PERFPRED_OK, PERFPRED_SYNTAX, PERFPRED_NOT_FOUND, PERFPRED_EXISTS, PERFPRED_OVERFLOW, PERFPRED_LIMIT (the text),
 *         PERFPRED_INVALID (the text or an argument), PERFPRED_WORKER, PERFPRED_CANCELLED, PERFPRED_NO_MEMORY
 * @source dissertation, Section 5.1
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_sample_text(struct perfpred_sampler *sampler,
                                                       const struct perfpred_context *context, const char *text,
                                                       size_t length, const char *source,
                                                       const struct perfpred_measure_options *options, char **json,
                                                       struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
