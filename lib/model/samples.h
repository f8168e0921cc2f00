/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw samples of kernel calls, kept so that a model can be fitted again, refined or extended without measuring again, and so
   that a recording can be replayed. A set of points; each belongs to a kernel, a case, sizes and a leading dimension, and those of calls
   in an algorithm to that algorithm and call and the sizes of the step as well. */
#ifndef PPI_MODEL_SAMPLES_H
#define PPI_MODEL_SAMPLES_H

#include "measure/sample.h"
#include "model/generate.h"

/* Which call it is. */
struct ppi_key {
  const struct perfpred_kernel *kernel;
  const char *case_text; /* as ppi_case_format writes it */
  const int64_t *sizes;  /* kernel->size_count of them */
  int64_t ld;
  const char *context; /* as of a sub-model; NULL or "": of a call alone, the others are 0 then */
  const int64_t *step;
  int step_count;
};

/* The samples of one call. */
struct ppi_record {
  const struct perfpred_kernel *kernel; /* a reference of the set's */
  char case_text[PPI_CASE_MAX];         /* as ppi_case_format writes it */
  int64_t sizes[PPI_SIZE_MAX];          /* kernel->size_count of them */
  int64_t ld;                           /* as asked for */
  char context[PPI_CONTEXT_MAX];
  int64_t step[PPI_SIZE_MAX];
  int step_count;
  double *times_s; /* in the order in which they were taken, in the reference state */
  size_t count, capacity;
  size_t *parts; /* how many of them came together: what one batch asked for, or what it gave beyond that */
  size_t part_count;
  uint64_t disturbed; /* thrown away */
  double measure_s;   /* all timed calls, warm and rejected ones included */
  bool gated;         /* all of them */
};

struct ppi_samples {
  struct ppi_record **records; /* in the order in which they came */
  size_t count, capacity;
  size_t *slots; /* hash table of places + 1 */
  size_t slot_count;
};

/* An empty set is all zero. */
void ppi_samples_release(struct ppi_samples *samples);
/* Adds to the record of this call, which is made where there is none. The kernel is referenced. A result without samples is
   refused (PERFPRED_INVALID), so is a time that is none (PERFPRED_NUMERIC). */
enum perfpred_status ppi_samples_add(struct ppi_samples *samples, const struct perfpred_kernel *kernel,
                                     const char *case_text, const int64_t *sizes, int64_t ld,
                                     const struct ppi_result *result, struct perfpred_error *error);
struct ppi_key ppi_record_key(const struct ppi_record *record); /* points into the record */
/* The same of any call. parts: samples that came together; their numbers make up the count of the result. */
enum perfpred_status ppi_samples_add_at(struct ppi_samples *samples, const struct ppi_key *key,
                                        const struct ppi_result *result, const size_t *parts, size_t part_count,
                                        struct perfpred_error *error);
size_t ppi_samples_place_at(const struct ppi_samples *samples, const struct ppi_key *key);
/* The same for samples of a call alone. */
enum perfpred_status ppi_samples_add_parts(struct ppi_samples *samples, const struct perfpred_kernel *kernel,
                                           const char *case_text, const int64_t *sizes, int64_t ld,
                                           const struct ppi_result *result, const size_t *parts, size_t part_count,
                                           struct perfpred_error *error);
/* Adds all samples of a record, of another set as a rule. */
enum perfpred_status ppi_samples_add_record(struct ppi_samples *samples, const struct ppi_record *record,
                                            struct perfpred_error *error);
/* Place of a record, or PPI_SAMPLES_NONE. ld 0: any. Kernels are told by their names. */
#define PPI_SAMPLES_NONE SIZE_MAX
size_t ppi_samples_place(const struct ppi_samples *samples, const struct perfpred_kernel *kernel, const char *case_text,
                         const int64_t *sizes, int64_t ld);
/* NULL: none. */
const struct ppi_record *ppi_samples_find(const struct ppi_samples *samples, const struct perfpred_kernel *kernel,
                                          const char *case_text, const int64_t *sizes, int64_t ld);

/* The sizes of the first record of the kernel, case and leading dimension of `like` and of the context (NULL: none) at *place or behind it, with
   a context those of the step; *place becomes its own. false: there is none. */
bool ppi_samples_next(const struct ppi_samples *samples, const struct ppi_request *like, const char *context,
                      size_t *place, int64_t sizes[PPI_SIZE_MAX]);

/* A source that answers from a set first and asks another one for what is missing, which then joins the set. Samples of a
   record are handed out in the order in which they were taken, none of them twice. Members up to `whole` are set by the
   caller, NULL or 0 where they do not matter. */
struct ppi_replay {
  struct ppi_samples *samples;
  /* NULL: what is missing is an error (PERFPRED_NOT_FOUND) that names kernel and sizes; a call that was recorded less often
     than it is asked for has as many samples as there are, and none left is that error as well. The clock is then spent_s,
     and a budget is kept on it. */
  const struct ppi_source *behind;
  const struct ppi_source *solver; /* whose least_squares is used; NULL: that of behind */
  /* Called after every batch that `behind` measured, when its samples are in the set, or NULL. */
  enum perfpred_status (*added)(void *data, const struct ppi_record *const *records, size_t count,
                                struct perfpred_error *error);
  void *added_data;
  double batch_s; /* > 0: what is asked of `behind` is cut into batches that take about so long; 0: not cut */
  bool whole;     /* a record gives all that it has left, as it was measured, not only as much as is asked for */
  bool by_part;   /* what came together is handed out together: a generation goes the way that it went before */
  bool lenient;   /* without a source behind: calls that were not recorded have no samples, which is no error */
  double spent_s; /* what replayed samples cost when they were taken: their share of measure_s */
  /* Kept here: samples of each record that were handed out, and how much slower batches are than reckoned. */
  size_t *used;
  size_t used_count;
  double slowness;
};
/* source: to be handed to ppi_generate; replay must outlive it. */
void ppi_replay_source(struct ppi_replay *replay, struct ppi_source *source);
void ppi_replay_release(struct ppi_replay *replay); /* not the set */

#endif
