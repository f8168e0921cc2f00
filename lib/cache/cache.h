/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of an algorithm find in the caches. Readers: predict, which adds times, and whoever measures. */
#ifndef PPI_CACHE_CACHE_H
#define PPI_CACHE_CACHE_H

#include <perfpred/cache.h>

#include "cache/accesses.h"
#include "cache/weight.h"
#include "program/program.h"

#define PPI_CACHE_CALLS_MAX 1000000

/* A data argument of a call. */
struct ppi_cache_operand {
  int argument; /* its place in the kernel's */
  struct ppi_region region;
  int64_t lines;
  size_t part_first, part_count;   /* of the analysis' parts */
  double places[PPI_CACHE_PLACES]; /* lines in each level, and in memory */
};

struct ppi_cache_call {
  const struct ppi_node *node; /* the program's */
  int64_t sizes[PPI_SIZE_MAX]; /* the kernel's */
  uint64_t step;               /* from 1 */
  bool split, empty, priced;
  bool warm; /* it is priced so, whatever it finds */
  size_t operand_first;
  int operand_count;
  int64_t lines; /* of its operands */
  double shares[PPI_CACHE_PLACES];
  double warm_s, times_s[PPI_CACHE_PLACES], time_s; /* NaN: not known */
  char *text;                                       /* "dtrsm(R,L,T,N,1000,128)" */
};

struct perfpred_cache {
  struct perfpred_program *program; /* a reference */
  int64_t parameters[PPI_PARAMETER_MAX];
  struct perfpred_cache_options options; /* complete */
  int64_t total;                         /* lines of all buffers */
  struct ppi_cache_call *calls;
  size_t count, capacity;
  struct ppi_cache_operand *operands;
  size_t operand_count, operand_capacity;
  struct ppi_parts parts;
  size_t priced, blended; /* calls with times; with times of several states */
  unsigned notes;         /* on the times */
};

/* perfpred_cache_create with complete options (ppi_cache_settings). */
enum perfpred_status ppi_cache_analyze(struct perfpred_program *program, const int64_t *parameters, size_t count,
                                       const struct perfpred_cache_options *options, struct perfpred_cache **cache,
                                       struct perfpred_error *error);
/* Shares of calls and operands anew, and times blended by them: after times, or options of the weighting, have changed. */
void ppi_cache_weigh(struct perfpred_cache *cache);
/* What perfpred_cache_summary and perfpred_cache_operand_at tell. */
void ppi_cache_sum(const struct perfpred_cache *cache, struct perfpred_cache_info *info);
void ppi_cache_tell(const struct perfpred_cache *cache, const struct ppi_cache_call *call, size_t index,
                    struct perfpred_cache_operand *full);
/* Flags, scalars and sizes of a call; buffers and places of data are not those of the call. */
void ppi_cache_values(const struct ppi_cache_call *call, struct ppi_value values[PPI_ARG_MAX]);

#endif
