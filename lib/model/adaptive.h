/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the adaptive generator: samples go where held-out points are met worst, and the tree is cut anew from all samples
   whenever there are more of them. */
#ifndef PPI_MODEL_ADAPTIVE_H
#define PPI_MODEL_ADAPTIVE_H

#include "model/refine.h"

#define PPI_TERM_MAX 64
#define PPI_GAP_POINTS 4
#define PPI_SMALL 4   /* places along each dimension of a region that is not cut further once all are sampled */
#define PPI_GOAL 0.25 /* of the error bound: what may be expected of an estimate where noise hides the largest errors */
#define PPI_WORST 2.0 /* times the error bound: noise does not explain more than that */
#define PPI_NOISY 0.7 /* of the error bound: noise that is worth more repetitions */
#define PPI_ECHO 0.15 /* correlation of neighbours below which there is nothing to follow */
#define PPI_CUT_GAIN 0.75 /* a cut has to leave less of the sum of squares */
#define PPI_REGION_LEAST(dimensions) (4 << ((dimensions) < 4 ? (dimensions) - ((dimensions) > 0) : 3)) /* points */

/* Monomials in the order in which a piece may take them: those of the kernel's cost first. */
struct ppi_terms {
  int dimensions, count;
  int powers[PPI_TERM_MAX][PPI_SIZE_MAX];
};

/* What has been measured of a target. */
struct ppi_sampled {
  int dimensions, count, reference; /* reference: place of the reference statistic */
  int64_t *sizes;                   /* count * dimensions */
  struct ppi_tiles tiles;
  int64_t *products; /* of the kernel's sizes */
  double *padded;    /* sizes, padded to the tiles */
  double *values;    /* count * PPI_STATISTICS, as of the full number of repetitions */
  double *variances; /* relative, of the reference statistic */
  int *repetitions;
  int enough; /* so many keep the noise below what is worth more of them */
};

/* Room for fits of up to `capacity` points. */
struct ppi_chain {
  const struct ppi_terms *terms;
  const struct ppi_sampled *data;
  int capacity;
  double *columns, *panel, *residuals, *leverages, *scaled;
};

/* A fit by the first terms of the order, as many as meet points that are left out best. */
struct ppi_chain_fit {
  int terms;                /* length of the prefix */
  int used;                 /* of it; the others are no different from those before them on these points */
  bool taken[PPI_TERM_MAX]; /* which */
  double press;             /* sum of squares of the relative errors of points left out */
};

/* A box of the tree. Its points are those from `from` to `upper`, behind the dimensions of their products. */
struct ppi_region {
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX], from[PPI_SIZE_MAX];
  int node, depth, count;
  int *index;                 /* places of its points in the data */
  double *errors, *leverages; /* of each point: relative error when it is left out */
  struct ppi_chain_fit fit;
  double noise;      /* root mean square of what noise makes of the errors */
  double echo;       /* correlation of each error with that of the nearest other point */
  double deviation;  /* root mean square of the errors */
  double uncertain;  /* of the fit, by all of its errors */
  double usual;      /* nine errors of ten are smaller */
  double worst;      /* error measure over the points, all left out in turn */
  double systematic; /* root mean square of what noise does not explain */
  double expected;   /* of an estimate: systematic and what noise leaves of it */
  bool settled;
};

/* Where a jump lies between two neighbouring coordinates that still have others between them. */
struct ppi_gap {
  int dimension;
  int64_t below, above;
  int64_t near[PPI_GAP_POINTS][PPI_SIZE_MAX]; /* points beside it */
  int near_count;
  double gain;
};

/* How a region is cut in two. */
struct ppi_cut {
  int dimension; /* -1: none; behind the dimensions comes the product of the kernel's sizes */
  int64_t at, below, above;
  bool shared; /* the points at `at` belong to both sides */
  double press;
};

/* What is known of a target's tiles, and from how many samples. */
struct ppi_tiling {
  struct ppi_tiles tiles;
  int count;
};

/* Cuts of large regions, which more samples hardly move: looked for once. */
struct ppi_memory {
  struct ppi_remembered *items;
  int count, capacity;
};

struct ppi_partition {
  const struct ppi_growth *growth;
  const struct perfpred_generate_options *options;
  const struct ppi_sampled *data;
  struct ppi_memory *memory; /* of the target */
  struct ppi_chain chain;
  struct ppi_split *splits;
  struct ppi_region *regions;
  struct ppi_gap *gaps;
  int split_count, split_capacity, region_count, region_capacity, gap_count, gap_capacity;
};

/* A sample that is asked for. */
struct ppi_wish {
  size_t target;
  int64_t sizes[PPI_SIZE_MAX];
  int repetitions;
  bool again;
  double gain;
  double worth; /* gain for each second that it costs; set where a budget chooses */
};

struct ppi_wishes {
  struct ppi_wish *items;
  size_t count, capacity;
};

/* terms.c */
void ppi_terms_of(const struct ppi_growth *growth, struct ppi_terms *terms);

/* sampled.c */
/* A size of a point, or behind the dimensions the product. */
static inline int64_t ppi_sampled_at(const struct ppi_sampled *data, int place, int d) {
  return d < data->dimensions ? data->sizes[(size_t)place * (size_t)data->dimensions + (size_t)d]
                              : data->products[place];
}
/* Whether boxes of a target may be cut by the product of its kernel's sizes. */
bool ppi_growth_has_products(const struct ppi_growth *growth);
enum perfpred_status ppi_sampled_of(const struct ppi_refinement *refinement, size_t target, struct ppi_sampled *data);
void ppi_sampled_release(struct ppi_sampled *data);

/* noise.c: brings statistics of few repetitions to what `repetitions` of them would give, by the spread of all samples. */
enum perfpred_status ppi_noise_settle(struct ppi_sampled *data, const double *const *times_s, int repetitions,
                                      double bound, struct perfpred_error *error);

/* chain.c */
enum perfpred_status ppi_chain_init(struct ppi_chain *chain, const struct ppi_terms *terms,
                                    const struct ppi_sampled *data, struct perfpred_error *error);
void ppi_chain_release(struct ppi_chain *chain);
/* Fits the points of index on a box. errors and leverages: of each point, or NULL. */
void ppi_chain_run(struct ppi_chain *chain, const int64_t *lower, const int64_t *upper, const int *index, int count,
                   struct ppi_chain_fit *fit, double *errors, double *leverages);

/* tiles.c: looks for tiles in the samples, unless there are hardly more of them than before, and pads their sizes. */
enum perfpred_status ppi_tiling_update(struct ppi_tiling *tiling, const struct ppi_growth *growth,
                                       const struct ppi_terms *terms, struct ppi_sampled *data,
                                       struct perfpred_error *error);
/* Pads all sizes of the data to its tiles. */
void ppi_sampled_pad(struct ppi_sampled *data);

/* region.c */
/* Number of places along a dimension where samples may be taken, and the place-th of them. */
int64_t ppi_axis_count(const struct ppi_growth *growth, int d, int64_t from, int64_t upper);
int64_t ppi_axis_at(const struct ppi_growth *growth, int d, int64_t from, int64_t upper, int64_t place);
double ppi_region_places(const struct ppi_growth *growth, const struct ppi_region *region);
bool ppi_region_is_complete(const struct ppi_growth *growth, const struct ppi_region *region); /* all sampled */
bool ppi_region_is_small(const struct ppi_growth *growth, const struct ppi_region *region);
enum perfpred_status ppi_region_init(struct ppi_region *region, const struct ppi_region *box, const int *index,
                                     int count, struct perfpred_error *error);
void ppi_region_release(struct ppi_region *region);
/* Fits the region and says how well it does. */
void ppi_region_judge(struct ppi_partition *partition, struct ppi_region *region);
/* Whether a finer tree could help: there is an error that noise does not explain. */
bool ppi_region_is_bad(const struct ppi_partition *partition, const struct ppi_region *region);

/* Error times run time: what the error weighs in a sum of calls. */
double ppi_region_gain(const struct ppi_partition *partition, const struct ppi_region *region);

/* partition.c */
enum perfpred_status ppi_partition_build(struct ppi_partition *partition, const struct ppi_refinement *refinement,
                                         size_t target, const struct ppi_sampled *data, const struct ppi_terms *terms,
                                         struct ppi_memory *memory);
void ppi_partition_release(struct ppi_partition *partition);
/* cut.c: the best way to cut a region in two. */
enum perfpred_status ppi_cut_find(struct ppi_partition *partition, const struct ppi_region *region, struct ppi_cut *cut,
                                  struct perfpred_error *error);

/* memory.c */
bool ppi_memory_find(const struct ppi_memory *memory, const struct ppi_region *region, struct ppi_cut *cut);
enum perfpred_status ppi_memory_add(struct ppi_memory *memory, const struct ppi_region *region,
                                    const struct ppi_cut *cut, struct perfpred_error *error);
void ppi_memory_release(struct ppi_memory *memory);

/* choice.c: new points of a region. */
struct ppi_choice {
  const struct ppi_refinement *refinement;
  const struct ppi_partition *partition;
  const struct ppi_region *region;
  size_t target;
  int64_t *sizes; /* candidates */
  double *distances, *weights;
  int count;
  double *roots, *known; /* of the sizes: of the candidates, of the points of the region */
  double widths[PPI_SIZE_MAX], inverses[PPI_SIZE_MAX]; /* of the region, between roots */
};
/* To be released whatever is returned. */
enum perfpred_status ppi_choice_init(struct ppi_choice *choice, const struct ppi_refinement *refinement, size_t target,
                                     const struct ppi_partition *partition, const struct ppi_region *region);
const int64_t *ppi_choice_next(struct ppi_choice *choice); /* NULL: none is left; until the choice is released */
void ppi_choice_release(struct ppi_choice *choice);
/* Whether a point may be sampled and has no samples yet. */
bool ppi_choice_is_open(const struct ppi_refinement *refinement, size_t target, const int64_t *sizes);
/* Numbers from 0 to 1 that lie far apart, one sequence for each dimension; index from 1. */
double ppi_halton(uint64_t index, int d);

/* wishes.c */
enum perfpred_status ppi_wishes_first(struct ppi_wishes *wishes, struct ppi_refinement *refinement, size_t target);
/* verify: also a few samples of what is settled, to see whether it is met. */
enum perfpred_status ppi_wishes_of(struct ppi_wishes *wishes, struct ppi_refinement *refinement, size_t target,
                                   const struct ppi_partition *partition, bool verify);
/* Points of a target none of whose samples passed the gate, which may do better now. */
enum perfpred_status ppi_wishes_loose(struct ppi_wishes *wishes, const struct ppi_refinement *refinement);
void ppi_wishes_release(struct ppi_wishes *wishes);

/* carve.c: the final tree of a target and its pieces. */
enum perfpred_status ppi_carve(struct ppi_refinement *refinement, size_t target, const struct ppi_terms *terms,
                               struct ppi_memory *memory, struct ppi_tiling *tiling);

/* adaptive.c */
enum perfpred_status ppi_adaptive_run(struct ppi_refinement *refinement);

#endif
