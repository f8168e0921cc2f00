/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls took in the running algorithm, and what timings of the same calls alone say that they take. */
#ifndef PPI_API_TIMINGS_H
#define PPI_API_TIMINGS_H

#include <perfpred/timings.h>

#include "api/call_list.h"

/* States in which calls are timed alone. */
enum { PPI_TIMED_WARM, PPI_TIMED_IN, PPI_TIMED_OUTER, PPI_TIMED_OUT, PPI_TIMED_STATES };

enum ppi_estimate_kind {
  PPI_ESTIMATE_REPEATED,
  PPI_ESTIMATE_IN,
  PPI_ESTIMATE_OUTER,
  PPI_ESTIMATE_OUT,
  PPI_ESTIMATE_INITIAL,
  PPI_ESTIMATE_SPLIT,
  PPI_ESTIMATE_SMOOTHED,
  PPI_ESTIMATE_FITTED,
  PPI_ESTIMATES
};

struct ppi_timings {
  const struct perfpred_program *program;
  const int64_t *parameters;
  size_t parameter_count;
  struct ppi_call_list list;
  double *measured_s;                  /* of each call; NaN: nothing to do */
  double (*alone_s)[PPI_TIMED_STATES]; /* of each kind of call */
  double *estimates_s[PPI_ESTIMATES];  /* of each call */
  double *shares;                      /* of each call: PERFPRED_CACHE_LEVELS + 1 of them, smoothed */
  uint64_t *steps;                     /* of each call */
  int64_t ld;
  double algorithm_s, states_s; /* wall time that the measurements took */
  struct perfpred_cache_options cache, fitted;
  struct perfpred_cache_info info;
};

struct ppi_timings_error {
  double mean, total; /* |relative error| averaged over calls; relative error of the sum */
};

/* false in `copies`: calls without flops are left out. kernel NULL: all. NaN where no call is left. */
struct ppi_timings_error ppi_timings_error(const struct ppi_timings *timings, const double *estimate_s, bool copies,
                                           const struct perfpred_kernel *kernel);
/* timings_report.c */
enum perfpred_status ppi_timings_print(const struct ppi_timings *timings, bool detail, char **json,
                                       struct perfpred_error *error);

#endif
