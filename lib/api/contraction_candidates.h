/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms of a contraction that a plan looks at, in groups of those that call their kernel in the same way. */
#ifndef PPI_API_CONTRACTION_CANDIDATES_H
#define PPI_API_CONTRACTION_CANDIDATES_H

#include <perfpred/contraction_plan.h>

#include "api/contraction_windows.h"
#include "contract/enumerate.h"
#include "contract/name.h"

#define PPI_CANDIDATES_LISTED 10000 /* of larger families some stand for the others */

struct ppi_contraction_group {
  enum ppi_contract_kernel kernel;
  int contracted, free_a, free_b, way; /* as in an algorithm */
  uint64_t algorithms;
  size_t entries;                     /* of these, listed ones */
  char text[128];                     /* "dgemm(N,T,200,200,8)" */
  double calls;                       /* of the kernel */
  double work_bytes;                  /* of packed copies */
  struct ppi_contraction *derived;    /* where whole tensors are copied: what the kernel goes through; else NULL */
  struct ppi_contract_algorithm nest; /* the algorithm there */
  double moved_bytes;                 /* by these copies, read and written */
  bool zero;                          /* C is filled with zeros first */
  enum perfpred_contraction_bound bound;
  double bound_s;                     /* 0: none */
  double call_s;                      /* of a warm call; NaN: not known */
  bool modelled;                      /* models answer for its calls, */
  struct perfpred_statistics model_s; /* for one of them with this */
  bool prepared;                      /* its entries have their leaders */
  double best_s;                      /* infinite: none is predicted */
  uint64_t predicted;
};

/* An algorithm, and what is known of it. */
struct ppi_contraction_entry {
  struct ppi_contract_algorithm algorithm;
  uint64_t place; /* in the order of generation */
  size_t group;
  enum perfpred_contraction_source source;
  struct perfpred_statistics time_s; /* NaN where it was dropped */
  double copy_s, zero_s, cost_s;
  bool priced; /* it was tried */
  size_t
      leader; /* entry of the same group that no micro-benchmark tells from this one; itself: there is none before it */
  struct ppi_contraction_windows windows; /* where it is replayed, */
  char key[PPI_CONTRACTION_KEY_MAX];      /* with their key */
};

struct ppi_contraction_candidates {
  struct ppi_contraction contraction;
  uint64_t total; /* that pass the filter and get by with the memory; saturated */
  bool sampled;   /* entries are not all of them */
  double tensor_bytes;
  size_t group_count, group_capacity;
  struct ppi_contraction_group *groups;
  size_t entry_count, entry_capacity;
  struct ppi_contraction_entry *entries;
};

struct ppi_contraction_choice {
  struct ppi_contract_filter filter;
  const char *const *names; /* NULL: the filter counts */
  size_t name_count;
  int64_t memory_bytes; /* 0: no limit */
};

/* What calls and windows of a group's entries go through: the contraction and the algorithm, or those derived from them. entry: of the group. */
static inline const struct ppi_contraction *ppi_contraction_of(const struct ppi_contraction_candidates *candidates,
                                                               const struct ppi_contraction_entry *entry) {
  const struct ppi_contraction *derived = candidates->groups[entry->group].derived;
  return derived ? derived : &candidates->contraction;
}
static inline const struct ppi_contract_algorithm *
ppi_contraction_nest(const struct ppi_contraction_candidates *candidates, const struct ppi_contraction_entry *entry) {
  const struct ppi_contraction_group *group = &candidates->groups[entry->group];
  return group->derived ? &group->nest : &entry->algorithm;
}

/* candidates: overwritten; to be freed whatever is returned. PERFPRED_NOT_FOUND: there are none; PERFPRED_LIMIT: none gets by with the
   memory. */
enum perfpred_status ppi_contraction_candidates_of(const struct ppi_contraction *contraction,
                                                   const struct ppi_contraction_choice *choice,
                                                   struct ppi_contraction_candidates *candidates,
                                                   struct perfpred_error *error);
void ppi_contraction_candidates_free(struct ppi_contraction_candidates *candidates);

#endif
