/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: kernel and case -> domains -> refinement tree -> polynomial pieces -> five statistics. Immutable once built. */
#ifndef PPI_MODEL_MODEL_H
#define PPI_MODEL_MODEL_H

#include <perfpred/models.h>

#include "base/stats.h"
#include "kernel/basis.h"
#include "machine/machine.h"
#include "model/anchor.h"

/* Kernels work on tiles, and a tile that sticks out of an operand costs (nearly) as much as a whole one. Sizes are taken as they are
   and padding (0 to 1) of what is missing to the next multiple of the tile. 0 and 1 are no tile. */
struct ppi_tiles {
  int64_t tile[PPI_SIZE_MAX];
  double padding[PPI_SIZE_MAX];
};
#define PPI_TILE_MAX 4096

static inline double ppi_tiles_pad(const struct ppi_tiles *tiles, int d, int64_t size) {
  int64_t tile = tiles->tile[d], over = tile > 1 ? size % tile : 0;
  return over > 0 ? (double)size + tiles->padding[d] * (double)(tile - over) : (double)size;
}

/* Two statistics of a coefficient, for a vector unit: minimum and median, maximum and mean, standard deviation and 0. */
typedef double ppi_pair __attribute__((vector_size(16)));
#define PPI_PAIRS 3

/* A polynomial per statistic on a box. Scaled variable x_d = (padded size_d - center_d) * scale_d; coefficients of statistic s stand at
   coefficients[s * count + index], index running over the full tensor product with the last dimension fastest. */
struct ppi_piece {
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX];
  int degrees[PPI_SIZE_MAX];
  struct ppi_tiles tiles;
  double center[PPI_SIZE_MAX], scale[PPI_SIZE_MAX];
  int count;              /* coefficients per statistic: product of degrees + 1 */
  double *coefficients;   /* PPI_STATISTICS * count */
  const ppi_pair *packed; /* the same, PPI_PAIRS for each of count; the sub-model's. Of a piece of models, else NULL */
  double floors[PPI_STATISTICS]; /* no estimate lies below: a fit may dip between its points, a run time does not */
  double error;                  /* error measure of the fit; NaN: not estimated */
};
#define PPI_DEGREE_MAX 16
#define PPI_COEFFICIENT_MAX 65536 /* per statistic and piece */
#define PPI_PIECE_MAX 65536       /* per sub-model */

/* Node of the refinement tree: a split (dimension >= 0: size <= at goes left, else right) or a piece. Behind the dimensions comes the product
   of the kernel's sizes, by which libraries choose kernels and numbers of threads: both sides of such a split have its box. */
struct ppi_split {
  int dimension; /* -1: leaf */
  int64_t at;
  int left, right; /* nodes */
  int piece;       /* leaf: its piece */
};

/* One kernel, case, context, setup and domain. */
struct ppi_submodel {
  int setup;                      /* place among those of the models */
  struct perfpred_kernel *kernel; /* a reference */
  char case_text[PPI_CASE_MAX];
  char context[PPI_CONTEXT_MAX]; /* algorithm and call that it is tied to; "": any */
  struct ppi_basis *basis;       /* what its sizes are, owned; NULL: the kernel's own */
  int dimensions;
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX];
  int64_t ld; /* leading dimension that it was measured with */
  int split_count, piece_count;
  struct ppi_split *splits; /* [0] is the root */
  struct ppi_piece *pieces;
  ppi_pair *packed; /* behind the pieces' (packed.h) */
  bool products;    /* packed: there are splits by the product */
  uint64_t points, samples, disturbed;
  struct ppi_value values[PPI_ARG_MAX]; /* flags and scalars of the case, from case_text: for flop counts */
  struct ppi_anchor *anchors;           /* of the kernel and case; owned */
  int anchor_count;
  struct ppi_scaling scaling;
};

/* Leading dimensions that are measured alike. CROWDED: columns begin in few sets of a cache. */
enum ppi_ld_kind { PPI_LD_PLAIN, PPI_LD_CROWDED, PPI_LD_UNALIGNED };
enum ppi_ld_kind ppi_ld_kind_of(int64_t ld); /* 0, of which nothing is known, is PLAIN as the default is */

struct ppi_samples;
struct ppi_journal;

/* Journals whose samples went into models, by the identifiers that they have; the newest last. */
#define PPI_MARK_MAX 40
#define PPI_MARKS 32
struct ppi_marks {
  int count;
  char texts[PPI_MARKS][PPI_MARK_MAX];
};
bool ppi_marks_have(const struct ppi_marks *marks, const char *mark);
void ppi_marks_add(struct ppi_marks *marks, const char *mark); /* "" is none */
void ppi_marks_join(struct ppi_marks *marks, const struct ppi_marks *others);

struct perfpred_models {
  atomic_int references;
  struct ppi_machine machine;
  int setup_count; /* at least 1 */
  struct ppi_setup *setups;
  struct ppi_samples **samples;             /* the raw samples of each setup; NULL: none were kept */
  char created[32];                         /* ISO 8601, UTC */
  struct perfpred_generate_options options; /* of the latest generation, as used, callbacks NULL */
  unsigned notes;                           /* PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED on every estimate */
  int count, capacity;
  struct ppi_submodel *submodels;
  struct ppi_journal *journal; /* samples on disk that go once the models are saved (store/journal.h), or NULL */
  void (*journal_close)(struct ppi_journal *journal);
  struct ppi_marks marks; /* of journals that may still be there, though their samples are here */
  int *order;             /* places sorted by kernel and case: what ppi_models_find searches */
};

/* Empty models of one setup, all zero, with one reference; submodels are then appended by ppi_models_append, which takes over
   what submodel points to (also on failure). PERFPRED_EXISTS: kernel, case, context, setup and domain are there already. */
enum perfpred_status ppi_models_create(struct perfpred_models **models, struct perfpred_error *error);
enum perfpred_status ppi_models_append(struct perfpred_models *models, struct ppi_submodel *submodel,
                                       struct perfpred_error *error);
/* What every function that fills in information checks: NULL, and the size that the caller states. */
enum perfpred_status ppi_models_check_info(const struct perfpred_models *models, const void *info, size_t size,
                                           size_t least, const char *initializer, struct perfpred_error *error);
void ppi_submodel_release(struct ppi_submodel *submodel);
#define PPI_PRODUCT_NAME "*" /* in place of the name of a size */
const char *ppi_submodel_size_name(const struct ppi_submodel *submodel, int d);
/* Appends a setup, NULL: one that is all zero; its place into place. It must not be one of the models' own. */
enum perfpred_status ppi_models_add_setup(struct perfpred_models *models, const struct ppi_setup *setup, int *place,
                                          struct perfpred_error *error);
/* Whether two libraries, or two setups, are the same: what was measured with the one holds for the other. */
bool ppi_library_same(const struct ppi_library *a, const struct ppi_library *b);
bool ppi_setup_same(const struct ppi_setup *a, const struct ppi_setup *b);
bool ppi_setup_is_virtual(const struct ppi_setup *setup);
/* "1: /usr/lib/libblis.so.4 (blis 0.9.0, kernels skx), 2 threads; 2: ...", as far as it fits in a message: those of the
   setups whose place is in `among` (count truth values), or all. NULL: no memory. */
char *ppi_models_setups_text(const struct perfpred_models *models, const bool *among);
/* Sets center, scale and count from bounds and degrees. */
void ppi_piece_scale(struct ppi_piece *piece, int dimensions);
/* The five statistics at sizes, as fitted: neither clamped nor ordered. */
void ppi_piece_values(const struct ppi_piece *piece, int dimensions, const int64_t *sizes,
                      double values[PPI_STATISTICS]);
/* The piece that answers for a point of the domain; points outside get the piece nearest along the splits. A boundary belongs to the
   lower piece. */
static inline const struct ppi_piece *ppi_submodel_piece(const struct ppi_submodel *submodel, const int64_t *sizes) {
  const struct ppi_split *split = submodel->splits;
  while (split->dimension >= 0) {
    const int64_t size = split->dimension < submodel->dimensions
                             ? sizes[split->dimension]
                             : ppi_basis_product(submodel->basis, submodel->kernel, sizes);
    split = submodel->splits + (size <= split->at ? split->left : split->right);
  }
  return submodel->pieces + split->piece;
}
/* Checks one sub-model as a loader must: tree well-formed and covering the domain, numbers finite, bounds ordered and >= 0. what: prefix for the text. */
enum perfpred_status ppi_submodel_check(const struct ppi_submodel *submodel, const char *what,
                                        struct perfpred_error *error);

/* Finds the sub-models of a kernel and case: their places, at most max of them; the number that there are. */
int ppi_models_find(const struct perfpred_models *models, const char *kernel, const char *case_text, int *places,
                    int max);

struct ppi_estimate {
  struct perfpred_statistics time_s;
  double error; /* of the piece; NaN: not estimated */
  unsigned notes;
};
/* Estimate by one sub-model, over its own sizes. Sizes of 0 in a way that leaves no work give exactly 0 (PERFPRED_NOTE_ZERO_WORK); below the domain: as the
   polynomial goes on, but at most the value at the bound and at least its share of the work, noted;
   above: the value at the nearest point of the domain times the ratio of flop counts (of movement where there are none), times what
   the trend of the time per flop, alpha + sum of beta_d / x_d, leaves of it; noted. Never negative, never NaN. Of a step, a size of 0 (nothing done yet, nothing left) is no more than near its lower
   bound, and beyond the limit of a basis is above the domain. */
void ppi_submodel_estimate(const struct ppi_submodel *submodel, const int64_t *sizes, struct ppi_estimate *estimate);
/* The same, and to the bit, with nothing but minimum and median for certain. */
void ppi_submodel_estimate_median(const struct ppi_submodel *submodel, const int64_t *sizes,
                                  struct ppi_estimate *estimate);
/* Of several domains of one case the one in which the point is deepest inside: that answers. */
const struct ppi_submodel *ppi_submodels_choose(const struct ppi_submodel *const *submodels, int count,
                                                const int64_t *sizes);

#endif
