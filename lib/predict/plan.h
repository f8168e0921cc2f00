/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: the tree of a program with models bound to its calls, reduced to what evaluation needs. */
#ifndef PPI_PREDICT_PLAN_H
#define PPI_PREDICT_PLAN_H

#include <perfpred/plan.h>

#include "model/fold.h"
#include "program/calls.h"

#define PPI_TERM_MAX 4

/* An integer expression over slots: a sum of a few multiples of them where it is affine, whether such a sum is at least 0 where it compares
   two of them, else the expression itself. */
struct ppi_plan_size {
  const struct ppi_expr *expr; /* the program's */
  int terms;                   /* -1: not affine, or of more terms than fit */
  bool condition;              /* 1 where the sum is at least 0, else 0 */
  int slots[PPI_TERM_MAX];
  int64_t coefficients[PPI_TERM_MAX];
  int64_t constant;
};

/* Sizes of a step of a loop over blocks: what it has gone through, its block, what is left; the size that is none of the loop. */
enum { PPI_PLAN_DONE, PPI_PLAN_WIDTH, PPI_PLAN_REST, PPI_PLAN_OTHER, PPI_PLAN_SIZES };

/* A model of a call in the steps of its algorithm. */
struct ppi_plan_context {
  const struct ppi_submodel *submodel;
  int sizes[PPI_SIZE_MAX]; /* which of the step's sizes its own are */
};

/* Where in the steps of a program an evaluation stands. */
struct ppi_plan_place {
  int loops;                            /* that are open */
  const struct perfpred_program *owner; /* the program whose steps calls belong to (ppi_owner_of); NULL: none */
  int base;                             /* loops that are open where owner is run */
  int64_t n;                            /* its size */
  int64_t sizes[PPI_PLAN_SIZES];        /* where a loop of owner is open; PPI_PLAN_OTHER: anywhere */
};

#define PPI_PLAN_FOLDS 24 /* calls of which an evaluation keeps what their models were last asked */

/* What an evaluation keeps for asking models. */
struct ppi_plan_pricing {
  bool median; /* minimum and median alone */
  struct ppi_fold *folds;
  struct ppi_plan_place place;
};

/* A statement. sizes: FOR: lower, upper, step (none: 1); LET, IF: the value; CALL: the size arguments; RUN: the parameters. */
struct ppi_plan_step {
  const struct ppi_node *node; /* the program's */
  struct ppi_plan_step *next, *body, *otherwise;
  int size_count;
  struct ppi_plan_size *sizes;
  int submodel_count; /* CALL; 0: no model, which only a partial plan has */
  const struct ppi_submodel **submodels;
  int context_count; /* CALL: models that are tied to this very call in the steps of owner; they go before the others */
  struct ppi_plan_context *contexts;
  const struct perfpred_program *owner;
  struct ppi_plan_routine *callee; /* RUN */
  int fold;                        /* CALL: place among those that are kept (PPI_PLAN_FOLDS); -1: it is not */
  bool stretches;                  /* FOR: its steps may be summed many at a time (stretch.h) */
  unsigned ld_kinds;               /* CALL: bits of enum ppi_ld_kind that its models were measured with; 0: no matrix */
};

/* One of the programs that take part: the plan's own and those that it calls, once for each whose steps it is run in. */
struct ppi_plan_routine {
  struct ppi_plan_routine *next;
  const struct perfpred_program *program;
  struct ppi_owner owner; /* of its calls, where it was met first */
  struct ppi_plan_step *body;
};

struct perfpred_plan {
  struct perfpred_program *program; /* a reference; it keeps the called ones alive */
  struct perfpred_models *models;   /* a reference */
  bool extrapolate, partial;
  int setup;              /* place of the models' setup that answers */
  bool force;             /* another BLAS is fine, and marked */
  bool warm;              /* models of calls alone, even where there are others */
  int64_t ld;             /* of the operands; 0: like that of the models */
  unsigned ld_kinds;      /* of all steps */
  int fold_count;         /* calls that are kept */
  int contexts;           /* calls that have a model in their steps */
  struct ppi_owner owner; /* while it is compiled, as in a place */
  int loops;
  unsigned notes;                    /* on everything that comes of the plan */
  struct ppi_plan_routine *routines; /* the first is that of program */
  struct ppi_blend *blend;           /* of models by the state of the caches (blend.h); NULL: it does not */
};

/* Sums over the calls of a program. */
struct ppi_plan_sum {
  struct perfpred_statistics time_s;
  unsigned notes;
  uint64_t calls;
  double error_s; /* sum of the models' errors, seconds; one that is not known counts as the whole time of its call */
  double
      model_error; /* mean of the pieces' errors weighted by median time; NaN where one is not known, 0 without work */
  uint64_t context_calls, warm_calls; /* with work, priced by models of the one and the other kind */
  uint64_t cache_calls;               /* with work, blended from models of states of the caches */
};

/* Equation 1 of Section 11 with 2 and 3. Neither allocates nor locks. */
enum perfpred_status ppi_plan_sum(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                  struct ppi_plan_sum *sum, struct perfpred_error *error);

/* The median alone, to the bit as in the sum of all statistics. Search by this one. PERFPRED_CANCELLED, without a text: it is above limit_s,
   which is seen before all is summed up, since no estimate is negative; INFINITY: no limit. */
enum perfpred_status ppi_plan_median(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                     double limit_s, double *median_s, unsigned *notes, struct perfpred_error *error);

/* The same for a search that has to know of all candidates that they can be predicted: whatever else can be wrong comes before
   PERFPRED_CANCELLED. Where times are blended by caches it does not cancel. */
enum perfpred_status ppi_plan_median_checked(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                             double limit_s, double *median_s, unsigned *notes,
                                             struct perfpred_error *error);

/* A call that has work and a model. */
struct ppi_plan_watched {
  const struct ppi_submodel *submodel; /* the first of those of its kernel and case, or of the call in its step */
  int dimensions;
  const int64_t *sizes; /* the kernel's */
  const struct ppi_estimate *estimate;
};
struct ppi_plan_watcher {
  bool (*call)(void *data, const struct ppi_plan_watched *watched); /* false: no memory */
  void *data;
};
enum perfpred_status ppi_plan_sum_watched(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                          const struct ppi_plan_watcher *watcher, struct ppi_plan_sum *sum,
                                          struct perfpred_error *error);

/* What an estimate may be off by, seconds. An error that is not known is not none: it may be as large as the time. */
double ppi_estimate_error_s(const struct ppi_estimate *estimate);

/* PERFPRED_NOTE_OTHER_LD if models of these kinds were measured with operands that lie in memory otherwise; ld 0: like theirs. */
unsigned ppi_plan_ld_note(unsigned ld_kinds, int64_t ld);

/* Chooses the setup that the options mean; sets setup and notes of the plan. */
enum perfpred_status ppi_plan_choose_setup(struct perfpred_plan *plan, const struct perfpred_plan_options *options,
                                           struct perfpred_error *error);

/* Value of a compiled expression. */
enum perfpred_status ppi_plan_size_eval(const struct ppi_plan_size *size, const int64_t *slots, int64_t *result,
                                        struct perfpred_error *error);

/* size.c: a leading dimension that no matrix of this size can have is a mistake, not another condition. */
enum perfpred_status ppi_plan_check_ld(const struct perfpred_plan *plan, const int64_t *parameters, size_t count,
                                       struct perfpred_error *error);

/* Binds a CALL step of a program to the models of its kernel and case. PERFPRED_UNMODELLED unless the plan is partial. */
enum perfpred_status ppi_plan_bind(const struct perfpred_plan *plan, const struct perfpred_program *program,
                                   struct ppi_plan_step *step, struct perfpred_error *error);
/* Says that a kernel and case has no model, and which there are. */
enum perfpred_status ppi_plan_unmodelled(const struct perfpred_plan *plan, const char *kernel, const char *case_text,
                                         struct perfpred_error *error);
/* context.c. places: of the sub-models of its kernel and case. */
enum perfpred_status ppi_plan_bind_contexts(const struct perfpred_plan *plan, const struct perfpred_program *program,
                                            const int *places, int count, struct ppi_plan_step *step,
                                            struct perfpred_error *error);
/* What the models of the call in its step say; false: there are none that know it there. sizes: the kernel's. */
bool ppi_plan_estimate_context(const struct ppi_plan_pricing *pricing, const struct ppi_plan_step *step,
                               const int64_t *sizes, struct ppi_estimate *estimate);
/* price.c: by the models of the call in its step (*context); beyond what is known of those by models of the call alone, if they reach
   that far. False: there is no model. */
bool ppi_plan_price(const struct ppi_plan_pricing *pricing, const struct ppi_plan_step *step, const int64_t *sizes,
                    struct ppi_estimate *estimate, bool *context);
/* beyond.c: PERFPRED_OUT_OF_DOMAIN, with a text of the call and the domains. Of models of the call in steps: none knows such a step. */
enum perfpred_status ppi_plan_out_of_domain(const struct perfpred_plan *plan, const struct ppi_plan_step *step,
                                            const int64_t *sizes, struct perfpred_error *error);
enum perfpred_status ppi_plan_beyond_steps(const struct perfpred_plan *plan, const struct ppi_plan_place *place,
                                           const struct ppi_plan_step *step, struct perfpred_error *error);
/* Which of the models of a call answers. */
const struct ppi_submodel *ppi_plan_choose_submodel(const struct ppi_submodel *const *submodels, int count,
                                                    const int64_t *sizes);
struct ppi_fold *ppi_plan_fold(const struct ppi_plan_pricing *pricing, const struct ppi_plan_step *step); /* or NULL */
void ppi_plan_estimate(const struct ppi_plan_pricing *pricing, struct ppi_fold *fold,
                       const struct ppi_submodel *submodel, const int64_t *sizes, struct ppi_estimate *estimate);

/* Arguments of a CALL as far as the text fixes them (flags, scalars, whether a vector runs along a row), and the case they make. */
void ppi_plan_values(const struct ppi_node *call, struct ppi_value values[PPI_ARG_MAX]);
void ppi_plan_case(const struct ppi_node *call, char text[PPI_CASE_MAX]);

/* Probability of each of count independent normals (mean med[i], standard deviation std[i] >= 0) to be the smallest, and the mean of
   the smallest (NULL: not asked for). */
enum perfpred_status ppi_likelihoods(const double *med, const double *std, size_t count, double *likelihoods,
                                     double *least, struct perfpred_error *error);
/* What choosing the first of two costs on average beside knowing which is the faster one: mean of max(0, first - second), their
   difference being normal with mean second - first = difference and this standard deviation. */
double ppi_expected_loss(double difference, double std);

#endif
