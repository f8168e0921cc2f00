/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours: loops around one call of a kernel, whose three operands walk through three tensors A, B, C; copies of operands into packed memory
   may stand at some level of the loops. What is measured of them: whole executions, windows of consecutive iterations, single calls and
   copies, each after a set-up of the caches. */
#ifndef PPI_MEASURE_TOUR_H
#define PPI_MEASURE_TOUR_H

#include "measure/sample.h"
#include "measure/transposition.h"

#define PPI_TOUR_OPERANDS 3 /* A, B, C */
#define PPI_TOUR_LOOPS_MAX 24
#define PPI_TOUR_INDICES_MAX 24
#define PPI_TOUR_ITEMS_MAX 24 /* of a set-up */
#define PPI_TOUR_STRATA_MAX 5

/* --- What is run ----------------------------------------------------------------------------------------------------- */

/* Of a slice, `count` vectors of `length` elements: packed + i * length (increment 1) from, and back to, tensor + i * step (increment inc). Or of a
   whole tensor, with its dimensions in another order: then it stands before all loops, and the operand walks through the packed memory. */
struct ppi_tour_copy {
  int loops; /* it stands right inside loop `loops - 1`; 0: before all loops; -1: there is none */
  bool in;   /* before what stands inside of that iteration */
  bool out;  /* and back, behind it */
  int64_t length, inc, count, step;
  int rank; /* above 0: of the whole tensor, from its beginning; `length` elements, 1 of them (count) */
  struct ppi_transposed dimensions[PPI_TRANSPOSED_RANK_MAX];
};
static inline bool ppi_tour_is_whole(const struct ppi_tour_copy *copy) {
  return copy->loops >= 0 && copy->rank > 0;
}

/* Everything counts in elements of the tensor, or of packed memory where that has the whole of it. */
struct ppi_tour_operand {
  int place;                        /* argument of the kernel that it is, data or a scalar; -1: it takes what the kernel
                                       returns */
  int64_t start;                    /* where it is in the first iteration of all loops */
  int64_t step[PPI_TOUR_LOOPS_MAX]; /* how far each loop moves it, >= 0 */
  int64_t extent[2],
      stride[2]; /* the slice that the kernel goes through, in the tensor: 1 and 0 for a dimension that it does not
                                       have */
  struct ppi_tour_copy copy; /* no loop further in than one of a slice moves the operand */
};

/*  zero C; copies in of level 0; for x0: copies in of level 1; for x1: ... the call ...; copies out of level 1; ... */
struct ppi_tour {
  const struct perfpred_kernel *kernel; /* borrowed */
  const struct ppi_value
      *values; /* kernel->arg_count; borrowed. Flags, sizes, scalars, leading dimensions and increments count,
                                           those of copied operands for the packed copy */
  const struct perfpred_kernel *copier; /* (n, x, incx, y, incy), as xcopy of BLAS; NULL: no slice is copied */
  bool added;                           /* what the kernel returns is added to C's element, else it replaces that */
  bool zeroed; /* C is filled with zeros before the first iteration: of a whole execution alone */
  int loop_count;
  int64_t length[PPI_TOUR_LOOPS_MAX]; /* of the loops, outermost first; one of 0: nothing is called or copied */
  struct ppi_tour_operand operands[PPI_TOUR_OPERANDS];
};

/* An index of C := A B, the same for all tours of a batch: results are checked by it, and it says which elements of C are zeroed. */
struct ppi_tour_index {
  int64_t length, stride[PPI_TOUR_OPERANDS]; /* 0: the tensor does not have it */
};

/* --- What is measured ------------------------------------------------------------------------------------------------ */

enum ppi_tour_subject {
  PPI_TOUR_WHOLE, /* the execution */
  PPI_TOUR_ZERO,  /* zeroing C alone */
  PPI_TOUR_WINDOW, /* `timed` consecutive iterations and the copies among them, right after `lead` others that come before them */
  PPI_TOUR_CALL,     /* one call, or `timed` of the same one */
  PPI_TOUR_COPY_IN,  /* one copy of `operand` */
  PPI_TOUR_COPY_OUT, /* the same, back */
  PPI_TOUR_SUBJECTS
};

/* Steps of a set-up, made in their order before the timed part (and before its lead). Operands are meant where the timed part, with its
   lead, has them: in a window the slices of all of its iterations. A whole execution and zeroing have items of remote memory alone. */
enum ppi_tour_item_kind {
  PPI_TOUR_TOUCH, /* a byte of each line of the operand is read */
  PPI_TOUR_FLUSH, /* each line of it leaves the caches; where this machine has no instruction for that: PERFPRED_UNSUPPORTED */
  PPI_TOUR_REMOTE, /* `bytes` of memory that belong to nothing else are read, each time others as far as there are enough */
  PPI_TOUR_ITEM_KINDS
};
struct ppi_tour_item {
  enum ppi_tour_item_kind kind;
  int operand;       /* TOUCH, FLUSH */
  bool packed;       /* its packed copy and not the slice in the tensor */
  int64_t extent[2]; /* so many elements of the slice along its two dimensions; 0: all of them */
  int64_t bytes;     /* REMOTE */
};

#define PPI_TOUR_ANYWHERE (-1)

struct ppi_tour_request {
  size_t tour; /* of the batch; the first one for ZERO */
  enum ppi_tour_subject subject;
  int operand;         /* of a copy */
  int64_t timed, lead; /* iterations; timed 0 stands for 1. Both are cut down to what the loops have */
  int level; /* where the timed part begins, another place for each sample, spread over the iterations: PPI_TOUR_ANYWHERE, of a
                          window then at a multiple of the inner loops that fit into it as a whole; or with all loops from `level` on
                          at their first iteration, copies of that level included */
  bool warm; /* the timed part is run before that, untimed */
  const struct ppi_tour_item *items;
  size_t item_count;
  int repetitions; /* samples; 0: as the sampling says */
  double
      limit_s; /* longest wall time of all samples together; a whole execution that is expected to take longer is not made and has
                      no samples; 0: no limit */
};

struct ppi_tour_batch {
  enum ppi_type type; /* of all elements */
  int64_t elements
      [PPI_TOUR_OPERANDS]; /* of the tensors, from the first to behind the last one; they are shared by all tours */
  int64_t memory_bytes;    /* tensors and packed copies may take; 0: half of the machine's memory */
  struct ppi_tour_index indices[PPI_TOUR_INDICES_MAX];
  int index_count;
  const struct ppi_tour *tours;
  size_t tour_count;
  const struct ppi_tour_request *requests;
  size_t request_count;
};

struct ppi_tour_result {
  struct ppi_result
      timing; /* seconds of one iteration, where several were timed their mean; of one copy; of the whole. residual: of a whole
                               execution the largest error of some elements of C, relative to the sum of the moduli of what was
                               added up; NaN: not checked */
  int64_t timed; /* iterations of a sample: as asked, or as many as there are */
};
/* results: request_count structs. */
void ppi_tour_results_free(struct ppi_tour_result *results, size_t count);

/* PERFPRED_INVALID: something of the batch does not fit, some operand leaves its tensor; PERFPRED_LIMIT: it takes more memory than it may,
   the bytes are named. All samplers look before they run anything. */
enum perfpred_status ppi_tour_check(const struct ppi_tour_batch *batch, struct perfpred_error *error);
/* Bytes of the tensors, and of the packed copies of one tour. */
int64_t ppi_tour_tensor_bytes(const struct ppi_tour_batch *batch);
int64_t ppi_tour_packed_bytes(const struct ppi_tour *tour, enum ppi_type type);
double ppi_tour_iterations(const struct ppi_tour *tour);
/* What these may take together where nobody says otherwise: half of the machine's memory. */
int64_t ppi_tour_most_bytes(void);

/* --- A whole from windows -------------------------------------------------------------------------------------------- */

/* Windows tell the time of a whole where they are apart by what begins in them: most begin nothing but inner loops that they have as a
   whole; others begin an outer loop, or have a copy. */
struct ppi_tour_stratum {
  int level; /* of the request */
  double
      count; /* how often the loops begin there; of the first stratum, whose level is PPI_TOUR_ANYWHERE: iterations of the whole */
};
struct ppi_tour_strata {
  int64_t window; /* iterations of a window: whole inner loops as far as they fit */
  int count;
  struct ppi_tour_stratum strata[PPI_TOUR_STRATA_MAX];
};
/* most: iterations of a window, at least 1. */
void ppi_tour_divide(const struct ppi_tour *tour, int64_t most, struct ppi_tour_strata *strata);
/* Time of all iterations with their copies, without zeroing, from the times of an iteration in windows of each stratum, and how many
   iterations those had (struct ppi_tour_result). */
double ppi_tour_total(const struct ppi_tour_strata *strata, const double *iteration_s, const int64_t *timed);

/* --- Where samples are ----------------------------------------------------------------------------------------------- */

/* Iterations of all loops from a level on; of the loops of a checked tour they fit. */
int64_t ppi_tour_body(const struct ppi_tour *tour, int level);
/* Iterations, calls or copies of the timed part: as asked, or as many as there are. */
int64_t ppi_tour_timed(const struct ppi_tour *tour, const struct ppi_tour_request *request);

struct ppi_tour_place {
  int64_t begin, lead; /* the first iteration of the timed part; iterations right before it that are run */
  int pending; /* copies of this level and of those further in belong to the timed part, where nothing runs before it */
};
/* Where a sample is, by its number: another place each time, spread over the iterations, the same for the same seed. */
void ppi_tour_place(const struct ppi_tour *tour, const struct ppi_tour_request *request, uint64_t seed, uint64_t number,
                    struct ppi_tour_place *place);

/* The outermost level whose loops, it and those inside of it, have at most so many iterations. */
int ppi_tour_unit(const struct ppi_tour *tour, int64_t most);

struct ppi_core;
/* As the operation `tour` of samplers. */
enum perfpred_status ppi_core_tour(struct ppi_core *core, const struct ppi_tour_batch *batch,
                                   const struct ppi_sampling *sampling, struct ppi_tour_result *results,
                                   struct perfpred_error *error);

#endif
