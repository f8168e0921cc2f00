/* SPDX-License-Identifier: BSD-3-Clause */
/* Misses of a nest in fully associative LRU caches: what engines fill in.

   The convention (doc/misses.md): accesses in the order of the text, an `update` is a read and then a write of the same element; a
   distance counts the lines touched since the last touch of this one, itself included; a capacity miss is a distance beyond the
   lines of the cache, a compulsory miss a first touch. The caches start empty. lib/affine/layout.h tells where arrays lie. */
#ifndef PPI_AFFINE_MISSES_H
#define PPI_AFFINE_MISSES_H

#include "affine/layout.h"
#include "base/text.h"

enum ppi_misses_engine { PPI_MISSES_AUTO, PPI_MISSES_ANALYTIC, PPI_MISSES_SIMULATE };

struct ppi_misses_options {
  const int64_t *cache_bytes; /* >= one line each, in any order; a part of a line at the end counts for nothing */
  size_t level_count;
  int64_t line_bytes;
  enum ppi_misses_engine engine;
  double budget_s;                /* > 0: wall time, then PERFPRED_TIMEOUT */
  uint64_t budget_bytes;          /* > 0: memory, then PERFPRED_LIMIT */
  bool pieces;                    /* whether pieces are wanted */
  perfpred_progress_fn *progress; /* may cancel; NULL: none */
  void *progress_data;
};

struct ppi_misses_count {
  uint64_t accesses, compulsory;
  uint64_t *capacity; /* of each level, in the order of the options; part of struct ppi_misses's one block */
};

/* Of all accesses that have this distance polynomial: one piece of the analysis. */
struct ppi_misses_piece {
  int site;         /* of the reference; of an `update`, the read: its write is always at distance 1 and has no piece */
  char *conditions; /* "i >= 1 and j = 0", over the names of the text and, where needed, q0, q1, ...; owned */
  char *distance;   /* a polynomial in the same names, in lines: "2*ni + 3"; "first" for first touches; owned */
  uint64_t accesses; /* how many */
  uint64_t min, max; /* of the distance, where known; 0: not known */
};

struct ppi_misses {
  size_t level_count, reference_count, statement_count;
  struct ppi_misses_count total;
  struct ppi_misses_count *references; /* by site; an `update` counts two accesses */
  struct ppi_misses_count *statements; /* by statement */
  struct ppi_misses_piece *pieces;
  size_t piece_count, piece_capacity;
  enum ppi_misses_engine engine; /* the one that answered */
  bool exact;                    /* every number is (both engines say so unless something was estimated) */
  bool may;                      /* accesses under data-dependent conditions are counted as if these held */
  double time_s;
};

/* With all counts 0 and exact true. */
enum perfpred_status ppi_misses_create(const struct perfpred_program *nest, size_t level_count,
                                       struct ppi_misses **misses, struct perfpred_error *error);
/* Takes both texts over, on failure too. A NULL text is taken as an allocation that failed. */
enum perfpred_status ppi_misses_add_piece(struct ppi_misses *misses, const struct ppi_misses_piece *piece,
                                          struct perfpred_error *error);
/* Sums the references up: statements, total, may. PERFPRED_OVERFLOW beyond 64 bits. */
enum perfpred_status ppi_misses_sum(struct ppi_misses *misses, const struct perfpred_program *nest,
                                    struct perfpred_error *error);
void ppi_misses_destroy(struct ppi_misses *misses);

/* Engines: fill in the references and pieces of misses, which ppi_misses_create made for this nest and these levels.
   parameters: checked by ppi_program_check. On failure the caller throws misses away.

   simulate.c: walks every access. PERFPRED_INVALID: a subscript outside of its array, named. */
enum perfpred_status ppi_misses_simulate(const struct perfpred_program *nest, const int64_t *parameters,
                                         const struct ppi_misses_options *options, struct ppi_misses *misses,
                                         struct perfpred_error *error);
/* analytic.c: symbolic, exact. PERFPRED_UNSUPPORTED: the analysis does not apply to this nest (not affine, numbers that overflow in
   between); another engine may. */
enum perfpred_status ppi_misses_analytic(const struct perfpred_program *nest, const int64_t *parameters,
                                         const struct ppi_misses_options *options, struct ppi_misses *misses,
                                         struct perfpred_error *error);

/* Whether a nest has at most so many accesses; false as well where telling takes too long or fails. */
bool ppi_misses_is_small(const struct perfpred_program *nest, const int64_t *parameters, uint64_t at_most);

/* The result of the engine that fits: below about three million accesses simulation, else the analysis, else simulation within
   the budget. *misses: release with ppi_misses_destroy. */
enum perfpred_status ppi_misses_find(const struct perfpred_program *nest, const int64_t *parameters,
                                     const struct ppi_misses_options *options, struct ppi_misses **misses,
                                     struct perfpred_error *error);

#endif
