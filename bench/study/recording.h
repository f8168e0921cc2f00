/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings: samples of the calls of one kernel case on some grid, as a text of one line for each call (doc/study.md). */
#ifndef STUDY_RECORDING_H
#define STUDY_RECORDING_H

#include <stdio.h>

#include "kernel/registry.h"
#include "model/samples.h"

#define RECORDING_UNIT 1e-4 /* in which samples are written, relative to the least one of their line */
#define RECORDING_LINE 4096 /* longest line */
#define RECORDING_NOTES 8
#define RECORDING_SAMPLES 256 /* most samples of a call */

struct recording {
  struct perfpred_kernel *kernel; /* a reference */
  char case_text[PPI_CASE_MAX];
  int64_t grain;   /* of the sizes */
  int repetitions; /* samples of each call, or fewer where too many were disturbed */
  int threads;     /* of the library */
  int note_count;
  char notes[RECORDING_NOTES][512]; /* machine, library: for people */
  struct ppi_samples samples;
  /* What models are held against, one for each call: of samples that are kept from the generators. NULL: of all samples, as
     published. */
  struct perfpred_statistics *truth;
};

/* A finished file: every line is in order, no call stands twice or has more than `repetitions` samples, and the last line says how
   many calls there are. unfinished: a call may stand in several lines, with the samples of one pass in each; lines that are not gated are passed over; *bytes is
   where the last whole line ends. */
enum perfpred_status recording_read(const struct ppi_kernels *kernels, const char *path, struct recording *recording,
                                    struct perfpred_error *error);
enum perfpred_status recording_read_unfinished(const struct ppi_kernels *kernels, const char *path,
                                               struct recording *recording, long *bytes, struct perfpred_error *error);
void recording_release(struct recording *recording);
/* Gives every call as many samples as the recording says: its median stands in for those that are missing, because a generator takes
   it that it gets what it asks for. filled: how many. */
enum perfpred_status recording_fill(struct recording *recording, size_t *filled, struct perfpred_error *error);

/* Takes `count` samples of each call, spread over the time, away from the generators: they become the truth. */
enum perfpred_status recording_set_apart(struct recording *recording, int count, struct perfpred_error *error);

void recording_print_head(const struct recording *recording, FILE *file);
/* The line of a call, with the samples from `first` on; measure_s is what those cost. */
void recording_print_call(const struct ppi_record *record, size_t first, double measure_s, uint64_t disturbed,
                          FILE *file);
void recording_print_end(size_t calls, FILE *file);

#endif
