/* SPDX-License-Identifier: BSD-3-Clause */
/* A tour on its way: where its loops are, where its operands are, the call and the copies as frames on real memory. */
#ifndef PPI_MEASURE_TOUR_WALK_H
#define PPI_MEASURE_TOUR_WALK_H

#include <stddef.h>

#include "kernel/invoke.h"
#include "measure/pattern.h"
#include "measure/tour.h"

/* Addresses of routines, as ppi_core_address gives them. */
struct ppi_tour_routines {
  perfpred_fortran_fn *call, *copy; /* copy: of the copier, where there is one */
  bool call_ilp64, copy_ilp64;
};

struct ppi_tour_walk {
  const struct ppi_tour *tour;
  size_t element; /* bytes */
  struct ppi_frame call;
  struct ppi_frame in[PPI_TOUR_OPERANDS], out[PPI_TOUR_OPERANDS];       /* a vector of a copy */
  unsigned char *tensor[PPI_TOUR_OPERANDS], *packed[PPI_TOUR_OPERANDS]; /* tensor: what the operand walks through */
  struct ppi_transposition moved[PPI_TOUR_OPERANDS];                    /* of whole tensors, */
  unsigned char *origin[PPI_TOUR_OPERANDS];                             /* which are here */
  void **
      at[PPI_TOUR_OPERANDS]; /* where the address of the operand in its tensor stands: in the call's words, or in own */
  void *own[PPI_TOUR_OPERANDS]; /* of operands that the call gets no address of, or another one */
  int64_t index[PPI_TOUR_LOOPS_MAX];
  int64_t step[PPI_TOUR_LOOPS_MAX][PPI_TOUR_OPERANDS]; /* bytes, 0 in a tensor without elements */
  int64_t move[PPI_TOUR_LOOPS_MAX]
              [PPI_TOUR_OPERANDS]; /* bytes, when the loop goes on and those inside of it begin anew */
  int innermost_copy;              /* level of it; -1: no slice is copied */
  bool behind;                     /* the present iteration has been run */
  void (*row)(struct ppi_tour_walk *walk, int64_t count, const int64_t step[PPI_TOUR_OPERANDS]);
};

/* The walk must not move afterwards. tensors, packed: where those of the operands are (packed: NULL where nothing is copied). The tour has
   been checked. elements: of the tensors. It stands before its first iteration. */
enum perfpred_status ppi_tour_walk_make(struct ppi_tour_walk *walk, const struct ppi_tour *tour,
                                        const struct ppi_tour_routines *routines,
                                        unsigned char *const tensors[PPI_TOUR_OPERANDS],
                                        unsigned char *const packed[PPI_TOUR_OPERANDS],
                                        const int64_t elements[PPI_TOUR_OPERANDS], struct perfpred_error *error);
/* Before an iteration, by its number from 0, with nothing copied. */
void ppi_tour_walk_seek(struct ppi_tour_walk *walk, int64_t iteration);
/* The copies in of the present iteration, of copies of the levels [from, end). */
void ppi_tour_walk_enter(struct ppi_tour_walk *walk, int from, int end);
/* Copies out of levels from `from` on. */
void ppi_tour_walk_leave(struct ppi_tour_walk *walk, int from);
/* So many iterations, at least 1; that many there must be. Copies between them are made, of an iteration behind which the walk stands as well;
   not those behind the last one. */
void ppi_tour_walk_run(struct ppi_tour_walk *walk, int64_t count);
/* The copies of whole tensors, which none of the others makes: in, or out, before and behind all iterations. */
void ppi_tour_walk_transpose(struct ppi_tour_walk *walk, bool out);
/* The next iteration without running or copying anything; that there must be. Returns the loop that goes on. */
int ppi_tour_walk_advance(struct ppi_tour_walk *walk);
/* The call alone, so many times, at least 1, on the operands where they are; a copy of one, in or out. */
void ppi_tour_walk_call(struct ppi_tour_walk *walk, int64_t count);
void ppi_tour_walk_copy(struct ppi_tour_walk *walk, int operand, bool out);

/* Where an operand of an item is now: extent[d] elements of its slice at most, 0: all. */
void ppi_tour_walk_area(const struct ppi_tour_walk *walk, const struct ppi_tour_item *item, struct ppi_area *area);

/* Fills C with zeros, its own elements alone. */
void ppi_tour_zero(const struct ppi_tour_batch *batch, unsigned char *c);
/* The largest error of some elements of C, spread over it, relative to what they are made of; NaN: that would take too long. seed: of which
   elements. */
double ppi_tour_residual(const struct ppi_tour_batch *batch, unsigned char *const tensors[PPI_TOUR_OPERANDS],
                         uint64_t seed);

#endif
