/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file apex.h
 * @brief Apex-MAP: synthetic kernels that stand for a mix of applications (doc/apex.md).
 *
 * An application is samples of what it did: seconds, flops, bytes from memory. They fall into rectangles of a plane, bytes per cycle
 * against flops per cycle, whose weights are their shares of the time. For each rectangle that counts there is a run of Apex-MAP that lies in
 * it; the weights and the runs foretell the mix's flop/s, on this machine and on another one, where only those runs are made.
 */
#ifndef PERFPRED_APEX_H
#define PERFPRED_APEX_H

#include <perfpred/sampler.h>

PERFPRED_BEGIN_DECLS

/** A text: samples, or a report that one of these functions made. The layout is frozen. @since 0.1 */
struct perfpred_apex_text {
  const char *text; /**< need not end with NUL */
  size_t length;    /**< bytes */
  const char *name; /**< in messages, such as the name of its file; or NULL */
};

/** What is run, and how the plane is cut. Zero means the default. @since 0.1 */
struct perfpred_apex_options {
  size_t size; /**< sizeof; PERFPRED_APEX_OPTIONS_INIT sets it */
  const char
      *runs; /**< the runs, one a line: "strided M=1000000 S=8 C=2" or "random M=1000000 L=4 alpha=0.5 C=0 I=50", and
                       K=16 where compute is called beside each 16th element alone;
                       default: some three hundred that span the plane */
  const char
      *instruction_set; /**< that compute is written in: "avx512", "avx2", "sse2", "neon", "generic"; default: the
                                  widest one of the machine */
  int threads;          /**< that share the iterations of each run; default: as many as the sampler's setup has */
  int64_t
      cache_bytes; /**< of the outermost cache; default: what a run here has of it, which takes one to two seconds to
                             measure; where that cannot be done the largest one reported, but at most 64 MiB */
  double clock_hz; /**< of a core; default: measured by a chain of dependent additions */
  double cell_bytes_per_cycle; /**< width of a rectangle; default 0.5 */
  double cell_flops_per_cycle; /**< its height; default 0.5 */
  double threshold;            /**< least weight of a rectangle that is represented; default 0.005, negative: none */
  int runs_max;                /**< most runs; default 500 */
  int repetitions;             /**< samples of each run; default 10 */
  double gate;                 /**< as in struct perfpred_measure_options */
  double budget_s;             /**< wall time for all runs; default: none */
  int index_blocks;            /**< I of the runs of the design; default: 64 to 4096, as many as let a run take some ten
                                     thousands of cycles at least */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
};
#define PERFPRED_APEX_OPTIONS_INIT                                                                                     \
  { sizeof(struct perfpred_apex_options), 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0, 0, 0 }

/**
 * Runs Apex-MAP and places each run in the plane. Flops, bytes and cycles are counted where the machine has counters that
 * PAPI can use, and modelled elsewhere: flops by formula, bytes by Che's approximation of the cache, cycles by the core's clock.
 *
 * @param context where the routines of samples with calls are looked up
 * @param sampler where the runs are made; a virtual one is asked for the time of each
 * @param samples an application: beside the runs asked for others are made that aim at its rectangles; or NULL
 * @param options options, or NULL
 * @param[out] json one JSON object (doc/json.md, "apex points"); free with perfpred_free
 * @param[out] error text of the error, or NULL; line and column where a text is at fault
 * @return PERFPRED_OK, PERFPRED_INVALID (an option, a parameter of a run), PERFPRED_SYNTAX (the runs), PERFPRED_CORRUPT (the
 *         samples), PERFPRED_UNSUPPORTED (no such instruction set here), PERFPRED_LIMIT, PERFPRED_CANCELLED, PERFPRED_WORKER,
 *         PERFPRED_CRASHED, PERFPRED_TIMEOUT, PERFPRED_NUMERIC (a virtual clock), PERFPRED_NO_MEMORY
 * @par Thread safety: one sampler belongs to one thread at a time.
 * @source the Apex-MAP of the OMI4papps project (doc/apex.md)
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_apex_points(const struct perfpred_context *context,
                                                       struct perfpred_sampler *sampler,
                                                       const struct perfpred_apex_text *samples,
                                                       const struct perfpred_apex_options *options, char **json,
                                                       struct perfpred_error *error);

/**
 * Weights of an application's rectangles, and the runs that stand for them.
 *
 * Samples are comma-separated values with a line of names (time_s, flops, bytes; cycles where known; or time_s and call, such as
 * "dgemm(N,N,500,500,500)"), or a JSON object with a list "samples" of objects with these members. They are of all threads together, of as many as
 * the points have.
 *
 * @param context where the routines of calls are looked up
 * @param samples the application
 * @param points what perfpred_apex_points made
 * @param options rectangles, threshold and clock_hz, or NULL; the clock is otherwise that of the points
 * @param[out] json one JSON object (doc/json.md, "apex weights"); free with perfpred_free
 * @param[out] error text of the error, or NULL; line and column where a text is at fault
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_CORRUPT, PERFPRED_VERSION, PERFPRED_LIMIT, PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_apex_weights(const struct perfpred_context *context,
                                                        const struct perfpred_apex_text *samples,
                                                        const struct perfpred_apex_text *points,
                                                        const struct perfpred_apex_options *options, char **json,
                                                        struct perfpred_error *error);

/**
 * The flop/s of an application, from its weights and from the representatives' runs on the machine that is asked about.
 * Three formulas are there: on the machine of the weights the weighted sum of rates, sum(w F); on another one, where the work stays and its
 * time does not, sum(w F_old) / sum(w t_new / t_old), and the application's own rate on the machine of the weights by the same slowness,
 * F / sum(w t_new / t_old).
 *
 * @param context where the routines of calls are looked up
 * @param weights what perfpred_apex_weights made
 * @param points of the machine asked about: all representatives must be among them; NULL: the machine of the weights
 * @param measured samples of the application there, for the error; or NULL
 * @param[out] json one JSON object (doc/json.md, "apex prediction"); free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_CORRUPT, PERFPRED_VERSION, PERFPRED_NOT_FOUND (a representative is not
 *         among the points), PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_apex_predict(const struct perfpred_context *context,
                                                        const struct perfpred_apex_text *weights,
                                                        const struct perfpred_apex_text *points,
                                                        const struct perfpred_apex_text *measured, char **json,
                                                        struct perfpred_error *error);

/**
 * What a program is to have in its environment so that it leaves samples for perfpred_apex_weights: every call of BLAS and LAPACK (with
 * integers of 32 bits) that it makes becomes a line of comma-separated values, its seconds and the call. A library of ours is preloaded for that.
 *
 * @param file the file; a line with the names of the columns is written to it now, which replaces what was there
 * @param[out] entries "NAME=value", one a line; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_IO, PERFPRED_MISSING (the library: the environment variable PERFPRED_RECORDER names
 *         it, otherwise it is the installed one), PERFPRED_NO_MEMORY
 * @par Thread safety: safe from any thread; the environment is read.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_apex_record_environment(const char *file, char **entries,
                                                                   struct perfpred_error *error);

/** What is watched, and how. Zero means the default. @since 0.1 */
struct perfpred_apex_watch_options {
  size_t size;                    /**< sizeof; PERFPRED_APEX_WATCH_OPTIONS_INIT sets it */
  int64_t pid;                    /**< the process; no default */
  double interval_s;              /**< between two samples; default 0.1 */
  double duration_s;              /**< of the whole; default: until the process ends */
  const char *flops;              /**< event of PAPI that counts operations; default PAPI_DP_OPS */
  const char *cycles;             /**< that counts cycles; default PAPI_TOT_CYC */
  const char *misses;             /**< that counts lines from memory, of 64 bytes; default PAPI_L3_TCM */
  perfpred_progress_fn *progress; /**< progress callback, or NULL */
  void *progress_data;            /**< its first argument */
};
#define PERFPRED_APEX_WATCH_OPTIONS_INIT                                                                               \
  { sizeof(struct perfpred_apex_watch_options), 0, 0.0, 0.0, 0, 0, 0, 0, 0 }

/**
 * Samples of a running process, from counters: of all of its threads, from when they are first seen, at the beginning of an
 * interval, until they end; sums over them. Spans in which it did not run are left out.
 *
 * @param sampler a worker that was built with PAPI; its libraries do not matter
 * @param options what is watched
 * @param[out] csv samples for perfpred_apex_weights: time_s, flops, bytes, cycles; free with perfpred_free
 * @param[out] error text of the error, or NULL
 * @return PERFPRED_OK, PERFPRED_INVALID, PERFPRED_NOT_FOUND (no such process), PERFPRED_UNSUPPORTED (this machine, PAPI or the system's rights
 *         do not let the events be counted; the sampler is no worker), PERFPRED_WORKER, PERFPRED_CANCELLED, PERFPRED_NO_MEMORY
 * @par Thread safety: one sampler belongs to one thread at a time.
 * @since 0.1
 */
PERFPRED_API enum perfpred_status perfpred_apex_watch(struct perfpred_sampler *sampler,
                                                      const struct perfpred_apex_watch_options *options, char **csv,
                                                      struct perfpred_error *error);

PERFPRED_END_DECLS

#endif
