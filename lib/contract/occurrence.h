/* SPDX-License-Identifier: BSD-3-Clause */
/* What state of the caches the calls of an algorithm find, and how often (dissertation, Sections 23.2 to 23.6). The time of the algorithm
   is the sum, over all kinds of occurrence of all of its calls, of count times the median time of one such call after its set-up. */
#ifndef PPI_CONTRACT_OCCURRENCE_H
#define PPI_CONTRACT_OCCURRENCE_H

#include <perfpred/contraction_plan.h>

#include "contract/distance.h"
#include "contract/setups.h"

struct ppi_occurrence_settings {
  enum perfpred_contraction_stage stage; /* how much of this is done; DEFAULT: all */
  int64_t limit_bytes; /* set-ups go so far back: a factor times the size of the cache; INT64_MAX: all the way. >= 0 */
  int64_t line_bytes;  /* of a cache line, a power of 2 and at least an element; 0: 64 */
  bool whole_lines;    /* sizes are those of the lines that are touched, else of the elements */
  bool corrected;      /* distances are the corrected ones */
};

enum ppi_occurrence_kind {
  PPI_OCCURRENCE_NORMAL,
  PPI_OCCURRENCE_FAIL, /* an operand goes on to its next line, which nothing has fetched */
  PPI_OCCURRENCE_FIRST /* loops begin */
};

/* What is fetched ahead of an operand (Section 23.4). */
enum ppi_prefetch {
  PPI_PREFETCH_NONE,
  PPI_PREFETCH_LINE, /* the loop around the call runs along the first dimension: neighbours share lines */
  PPI_PREFETCH_NEXT  /* it runs along the second, and all of the first, or less than a line, is touched */
};

struct ppi_occurrence {
  int call; /* of the body */
  enum ppi_occurrence_kind kind;
  int started;   /* FIRST: so many loops around the call, from the inside, are in their first iteration; the body's */
  int level;     /* FIRST: the outermost of these among the loops of the algorithm; else -1 */
  int64_t count; /* how often */
  int64_t distance[PPI_OPERANDS]; /* bytes, of each area of the call; of what is fetched ahead as if it were not */
  enum ppi_prefetch ahead[PPI_OPERANDS]; /* what the set-up assumes to be fetched */
  struct ppi_contract_setup setup;
};

/* For each call NORMAL, FAIL, FIRST for one loop, two, and so on as long as that is more than 1 % of its calls. */
#define PPI_OCCURRENCES_MAX 56
struct ppi_occurrences {
  struct ppi_body body;
  int count;                                        /* 0: the loops have no iteration */
  struct ppi_occurrence items[PPI_OCCURRENCES_MAX]; /* call by call; each that occurs at all */
};

/* The contraction is borrowed. PERFPRED_OVERFLOW: bytes or counts beyond 63 bits; PERFPRED_NO_MEMORY never. */
enum perfpred_status ppi_occurrences_find(const struct ppi_contraction *contraction,
                                          const struct ppi_contract_algorithm *algorithm,
                                          const struct ppi_occurrence_settings *settings,
                                          struct ppi_occurrences *occurrences, struct perfpred_error *error);
/* Sum of count times time_s[i], which is that of items[i]. */
double ppi_occurrences_time(const struct ppi_occurrences *occurrences, const double *time_s);
enum ppi_prefetch ppi_occurrence_prefetch(const struct ppi_body *body, int call, int area);

#endif
