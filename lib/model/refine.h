/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the generator: trees that grow over all targets at once, round by round (Section 8.5). */
#ifndef PPI_MODEL_REFINE_H
#define PPI_MODEL_REFINE_H

#include "model/knobs.h"
#include "model/points.h"

#define PPI_LATTICE_MAX 64         /* points along one dimension */
#define PPI_LATTICE_POINTS 100000u /* points of one piece */
#define PPI_REPETITIONS_LEAST 3    /* a budget takes repetitions away down to here before it takes points */

/* Sampling points of a box, as far as the kernel admits sizes: the product of one grid per dimension. */
struct ppi_lattice {
  int dimensions, counts[PPI_SIZE_MAX];
  int64_t points[PPI_SIZE_MAX][PPI_LATTICE_MAX];
  size_t total;
};

struct ppi_leaf {
  int node;
  bool settled; /* not to be split further */
  double worst; /* largest error at a point; NaN: not estimated */
};

/* A target's tree while it grows. leaves[i] belongs to pieces[i]. */
struct ppi_growth {
  const struct ppi_target *target;
  int dimensions, degrees[PPI_SIZE_MAX]; /* wanted, overfitting included */
  struct ppi_knobs knobs;
  int split_count, piece_count, split_capacity, piece_capacity;
  struct ppi_split *splits;
  struct ppi_piece *pieces;
  struct ppi_leaf *leaves;
  bool lacks, closed; /* samples that are not to be had; all that are known are taken, and there will be no others */
  double work[2], cost_s[2]; /* at the corners of the domain, for the budget */
};

struct ppi_refinement {
  const struct ppi_source *source;
  struct perfpred_generate_options options; /* filled in */
  size_t count;
  struct ppi_growth *growths; /* one per target */
  struct ppi_points points;
  size_t *batch; /* places of the points that are to be measured next */
  size_t batch_count, batch_capacity;
  int repetitions, batches;
  double start_s;
  struct ppi_spent spent;
  double overhead_s, correction, pace; /* what the budget has learnt: see budget.c */
  double fits_s, fit_s;                /* what the fits take that come when all is measured; one of them */
  double late_s;                       /* how much longer than it was allowed to a batch took at most */
  double share;                        /* of what is left, for the next batch; 0: all of it */
  double floor_s;                      /* wall time that no budget shortens */
  bool exhausted;
  const struct ppi_known *known; /* NULL: whatever is asked for is measured */
  uint64_t missing;              /* points that are asked for and not known */
  uint64_t samples, disturbed;
  double measure_s;
  double told;            /* the latest progress that the caller heard of */
  double fraction, ahead; /* progress: told so far, and what the present batch may add */
  struct perfpred_error *error;
};

/* lattice.c */
enum perfpred_status ppi_lattice_of(const struct ppi_growth *growth, enum perfpred_grid grid, const int64_t *lower,
                                    const int64_t *upper, struct ppi_lattice *lattice, struct perfpred_error *error);
void ppi_lattice_at(const struct ppi_lattice *lattice, size_t index, int64_t sizes[PPI_SIZE_MAX]);
/* Whether the kernel admits that point. The last one is moved inside the box to where it does, if there is such a place. */
bool ppi_lattice_admits(const struct ppi_growth *growth, const struct ppi_lattice *lattice, size_t index,
                        int64_t sizes[PPI_SIZE_MAX]);

/* batch.c: adds the points of a box that have no samples (again: all) and are not in the batch yet. */
enum perfpred_status ppi_batch_add(struct ppi_refinement *refinement, size_t target, const int64_t *lower,
                                   const int64_t *upper, bool again);
/* Adds the point to all targets that are sampled together with this one and whose domain has it. */
enum perfpred_status ppi_batch_add_point(struct ppi_refinement *refinement, size_t target, const int64_t *sizes,
                                         bool again);
void ppi_batch_truncate(struct ppi_refinement *refinement, size_t count); /* takes the newest ones back */
/* Whether every point of a box has samples. */
enum perfpred_status ppi_batch_complete(const struct ppi_refinement *refinement, size_t target, const int64_t *lower,
                                        const int64_t *upper, bool *complete);
/* Targets [*first, *end) that are sampled together with one, itself among them. */
void ppi_group_of(const struct ppi_refinement *refinement, size_t target, size_t *first, size_t *end);
/* The least sizes of any of them. */
void ppi_group_lower(const struct ppi_refinement *refinement, size_t target, int64_t lower[PPI_SIZE_MAX]);
/* Measures the batch and empties it. partial: what the budget does not reach stays without samples; the points added first are
   measured first. */
enum perfpred_status ppi_batch_measure(struct ppi_refinement *refinement, int repetitions, bool partial);

/* The same of the batch alone, without recourse to what else is known. */
enum perfpred_status ppi_batch_measure_batch(struct ppi_refinement *refinement, int repetitions, bool partial);

/* recourse.c; all of it only where samples are known and not measured. */
void ppi_recourse_note(struct ppi_refinement *refinement, struct ppi_point *point); /* it has no samples */
/* Takes all that is known of the targets that lack samples. */
enum perfpred_status ppi_recourse_take(struct ppi_refinement *refinement);
/* Whether a box can be fitted without all points of its lattice. */
bool ppi_recourse_suffices(const struct ppi_refinement *refinement, size_t target, const struct ppi_lattice *lattice,
                           const int64_t *lower, const int64_t *upper);
/* Whether points of the lattice are missing, and the points of the box, of which the piece gets degrees that they carry; the lists are
   malloc'ed, also on failure. */
bool ppi_recourse_is_needed(const struct ppi_refinement *refinement, size_t target, const struct ppi_lattice *lattice);
enum perfpred_status ppi_recourse_gather(const struct ppi_refinement *refinement, size_t target,
                                         struct ppi_piece *piece, int64_t **points, double **values, int *count);

/* growth.c */
enum perfpred_status ppi_growth_init(struct ppi_growth *growth, const struct ppi_target *target,
                                     const struct perfpred_generate_options *options, struct perfpred_error *error);
enum perfpred_status ppi_growth_plant(struct ppi_refinement *refinement, size_t target); /* fits the root */
/* Fits the halves of a leaf and puts them in its place. */
enum perfpred_status ppi_growth_split(struct ppi_refinement *refinement, size_t target, int leaf, int dimension,
                                      int64_t at);
/* Hands the tree over. */
enum perfpred_status ppi_growth_finish(struct ppi_refinement *refinement, size_t target, struct ppi_submodel *submodel);
void ppi_growth_release(struct ppi_growth *growth);

/* budget.c; all of it without effect where there is none. */
bool ppi_budget_set(const struct ppi_refinement *refinement);
/* For measuring: without the fits that are still to come, and what batches are late by. */
double ppi_budget_left(const struct ppi_refinement *refinement);
double ppi_budget_now(const struct ppi_refinement *refinement); /* on the clock of the source */
/* What a batch that was allowed budget_s took in all. */
void ppi_budget_late(struct ppi_refinement *refinement, double wall_s, double budget_s);
enum perfpred_status ppi_budget_probe(struct ppi_refinement *refinement);
void ppi_budget_learn(struct ppi_refinement *refinement, double wall_s, double measure_s, double expected_s,
                      double samples);
double ppi_budget_measure_cost(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes);
double ppi_budget_work(const struct ppi_growth *growth,
                       const int64_t *sizes); /* flops, or bytes where there are none */
/* The largest point that is sampled. */
void ppi_budget_corner(const struct ppi_refinement *refinement, size_t target, int64_t sizes[PPI_SIZE_MAX]);
/* Of a sample of a target and of all that are sampled together with it. */
double ppi_budget_sample_cost(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes);
double ppi_budget_batch_cost(const struct ppi_refinement *refinement, size_t from, int repetitions);
/* Makes the first round as small as the budget asks for: less oversampling, then fewer repetitions. */
enum perfpred_status ppi_budget_oversampling(struct ppi_refinement *refinement, int *repetitions);

/* rounds.c */
enum perfpred_status ppi_rounds_run(struct ppi_refinement *refinement); /* the published generator */

#endif
