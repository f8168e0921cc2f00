/* SPDX-License-Identifier: BSD-3-Clause */
/* Applications in the plane of bytes and flops per cycle: samples, rectangles with their weights, runs of Apex-MAP that stand for
   rectangles, and what they foretell. */
#ifndef PPI_APEX_MIX_H
#define PPI_APEX_MIX_H

#include "measure/apex.h"

#define PPI_APEX_CELLS_MAX 1e9 /* along an axis */
#define PPI_APEX_SAMPLES_MAX 10000000

/* What an application did in a span of time, on one core. */
struct ppi_apex_sample {
  double time_s, flops, bytes;
  double cycles; /* NaN: not known */
};
/* PERFPRED_CORRUPT names the member. */
enum perfpred_status ppi_apex_sample_check(const struct ppi_apex_sample *sample, struct perfpred_error *error);

struct ppi_apex_samples {
  struct ppi_apex_sample *items;
  size_t count, capacity;
};
enum perfpred_status ppi_apex_samples_add(struct ppi_apex_samples *samples, const struct ppi_apex_sample *sample,
                                          struct perfpred_error *error);
void ppi_apex_samples_free(struct ppi_apex_samples *samples);

/* What a "call" of a log is: flops, and bytes where its data come from memory. */
typedef enum perfpred_status ppi_apex_call_fn(void *data, const char *call, double *flops, double *bytes,
                                              struct perfpred_error *error);
/* csv.c: comma-separated, the first line names the columns: time_s, and flops and bytes, or call; cycles if known; others are ignored.
   samples: zeroed; to be freed whatever is returned. PERFPRED_CORRUPT with line and column. */
enum perfpred_status ppi_apex_csv(const char *text, size_t length, const char *source, ppi_apex_call_fn *call,
                                  void *data, struct ppi_apex_samples *samples, struct perfpred_error *error);

/* Rectangles of the plane, in bytes per cycle and flops per cycle. */
struct ppi_apex_plane {
  double width, height;
};

struct ppi_apex_cell {
  int64_t column, row; /* from 0 */
  double weight;       /* share of the time */
  uint64_t samples;
};

struct ppi_apex_mix {
  struct ppi_apex_cell *cells; /* the heaviest first */
  size_t count;
  uint64_t samples;
  double time_s, flops, bytes, cycles; /* of all */
};
/* clock_hz: for samples without cycles. */
enum perfpred_status ppi_apex_mix_create(const struct ppi_apex_samples *samples, double clock_hz,
                                         const struct ppi_apex_plane *plane, struct ppi_apex_mix *mix,
                                         struct perfpred_error *error);
void ppi_apex_mix_free(struct ppi_apex_mix *mix);

/* A run that was measured. */
struct ppi_apex_point {
  struct ppi_apex_run run;
  double time_s, flops, bytes; /* of a repetition, on all threads */
  double x, y;                 /* bytes and flops per cycle of a core */
};
double ppi_apex_point_rate(const struct ppi_apex_point *point); /* flop/s */

#define PPI_APEX_NO_POINT SIZE_MAX

/* What stands for a rectangle. */
struct ppi_apex_choice {
  size_t point;    /* nearest to the centre, of those inside where there are some; PPI_APEX_NO_POINT: it is left out */
  double distance; /* from the centre, in sides of the rectangle */
  bool covered;    /* a run lies inside */
  bool reachable;  /* a run lies inside, or could be made to, as far as is known */
  bool kept;       /* heavy enough */
};

struct ppi_apex_cover {
  double covered, reachable, covered_reachable; /* shares of the time */
  double represented;                           /* of the rectangles that are kept */
};
/* choices: one for each cell. threshold: least weight of a rectangle that is kept. */
void ppi_apex_choose(const struct ppi_apex_mix *mix, const struct ppi_apex_plane *plane,
                     const struct ppi_apex_point *points, size_t count, double threshold,
                     struct ppi_apex_choice *choices, struct ppi_apex_cover *cover);

/* A representative on the machine of the weights and on the one that is asked about. */
struct ppi_apex_part {
  double weight;
  double old_rate, old_time_s; /* flop/s; seconds of a repetition */
  double new_rate, new_time_s;
};
/* Weights count relative to their sum. */
double ppi_apex_forecast_same(const struct ppi_apex_part *parts, size_t count); /* sum w F, of the new rates */
double ppi_apex_forecast_other(const struct ppi_apex_part *parts,
                               size_t count); /* sum w F_old / sum (w t_new / t_old) */

/* F / sum(w t_new / t_old), of the application's own rate where the weights are from: what the representatives' rates there differ from it
   does not enter. */
double ppi_apex_forecast_scaled(const struct ppi_apex_part *parts, size_t count, double old_rate);

#endif
