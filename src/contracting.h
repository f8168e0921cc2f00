/* SPDX-License-Identifier: BSD-3-Clause */
/* What is asked about a contraction: the contraction itself, which of its algorithms, how they are predicted and measured. */
#ifndef COMMAND_CONTRACTING_H
#define COMMAND_CONTRACTING_H

#include <perfpred/contraction_plan.h>

#include "extents.h"
#include "progress.h"
#include "session.h"

#define CONTRACTING_KERNELS 5 /* values of enum perfpred_contraction_kernel */

/* "gemm" and so on; static. */
const char *contracting_kernel(enum perfpred_contraction_kernel kernel);

/* All prints a message and returns an exit code on failure. */

/* The first of the options for families that is given, "--kernel"; NULL: none is. */
const char *contracting_given(const struct options *options);
int contracting_read_filter(const struct options *options, struct perfpred_contraction_filter *filter);
/* Data type and fusion; strides are left open. */
int contracting_read_type(const struct options *options, struct perfpred_contraction_options *asked);
/* The caller releases it. */
int contracting_create(struct session *session, const char *einsum, const struct extents *extents,
                       struct perfpred_contraction **contraction);
/* How it is predicted where that is not as the options say; every algorithm is then. */
struct contracting_way {
  enum perfpred_contraction_mode mode;
  enum perfpred_contraction_stage stage;
};
/* "replay", "prefetch"; static. */
const char *contracting_mode(enum perfpred_contraction_mode mode);
const char *contracting_stage(enum perfpred_contraction_stage stage);

/* Prints a line where --fuse would join indices. */
int contracting_hint(struct session *session, const char *einsum, const struct extents *extents);
/* Loads the models, starts the sampler where something is measured, and makes a planner, which is then to be given to contracting_release; `progress` is told
   of all that it does. `way` is NULL for what the options say. */
int contracting_planner(struct session *session, const struct perfpred_contraction_filter *filter,
                        const struct contracting_way *way, struct progress *progress,
                        struct perfpred_contraction_planner **planner);
/* Adds what it found out to the file of --answers, and releases it; NULL is fine. */
int contracting_release(struct session *session, struct perfpred_contraction_planner *planner);
/* The end of work that `progress` was told of; an interrupt that came too late to stop it counts, too. */
int contracting_end(struct session *session, struct progress *progress, enum perfpred_status status);
int contracting_ask(struct session *session, struct perfpred_contraction_planner *planner,
                    const struct perfpred_contraction *contraction, struct progress *progress,
                    struct perfpred_contraction_plan **plan);
/* How far the caches are followed. */
int contracting_read_stage(const struct options *options, enum perfpred_contraction_stage *stage);
/* Size behind --cache or --memory; 0 without a text. */
int contracting_read_bytes(const char *option, const char *text, int64_t *bytes);
/* Executes what --measure and --others say. */
int contracting_measure(struct session *session, struct perfpred_contraction_plan *plan, struct progress *progress,
                        struct perfpred_contraction_validation *validation);
/* An algorithm by its name; where there is none, the nearest one is offered. */
int contracting_find(struct session *session, const struct perfpred_contraction *contraction, const char *name,
                     struct perfpred_contraction_algorithm *algorithm);

#endif
