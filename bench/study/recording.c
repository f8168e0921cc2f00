/* SPDX-License-Identifier: BSD-3-Clause */
#include "recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"

#define FIRST_LINE "perfpred-recording 1"

void recording_release(struct recording *recording) {
  ppi_samples_release(&recording->samples);
  ppi_kernel_unref(recording->kernel);
  free(recording->truth);
  recording->truth = NULL;
  recording->kernel = NULL;
}

static enum perfpred_status fill(struct ppi_record *record, size_t count, struct perfpred_error *error) {
  double sorted[RECORDING_SAMPLES], share = (double)count / (double)record->count;
  double *times_s = realloc(record->times_s, count * sizeof *times_s);

  if (!times_s)
    return ppi_error_memory(error);
  memcpy(sorted, times_s, record->count * sizeof *sorted);
  record->times_s = times_s;
  record->measure_s *= share;
  for (double median = ppi_stats_median(sorted, record->count); record->count < count;)
    times_s[record->count++] = median;
  record->capacity = count;
  return PERFPRED_OK;
}

enum perfpred_status recording_fill(struct recording *recording, size_t *filled, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  size_t count = (size_t)recording->repetitions;

  *filled = 0;
  for (size_t i = 0; !status && i < recording->samples.count; i++) {
    struct ppi_record *record = recording->samples.records[i];

    if (record->count >= count)
      continue;
    *filled += count - record->count;
    status = fill(record, count, error);
  }
  return status;
}

static void set_apart(struct ppi_record *record, size_t count, struct perfpred_statistics *truth) {
  double apart[RECORDING_SAMPLES], share = (double)(record->count - count) / (double)record->count;
  size_t taken = 0, kept = 0;

  for (size_t i = 0; i < record->count; i++) {
    if (taken < count && i == (2 * taken + 1) * record->count / (2 * count))
      apart[taken++] = record->times_s[i];
    else
      record->times_s[kept++] = record->times_s[i];
  }
  record->count = kept;
  record->measure_s *= share;
  ppi_stats_of(apart, taken, truth);
}

enum perfpred_status recording_set_apart(struct recording *recording, int count, struct perfpred_error *error) {
  if (count < 1 || count >= recording->repetitions)
    return ppi_error_set(error, PERFPRED_INVALID, "%d samples set apart: expected fewer than the %d that were recorded",
                         count, recording->repetitions);
  recording->truth = calloc(recording->samples.count, sizeof *recording->truth);
  if (!recording->truth)
    return ppi_error_memory(error);
  for (size_t i = 0; i < recording->samples.count; i++)
    set_apart(recording->samples.records[i], (size_t)count, &recording->truth[i]);
  recording->repetitions -= count;
  return PERFPRED_OK;
}

void recording_print_head(const struct recording *recording, FILE *file) {
  const struct perfpred_kernel *kernel = recording->kernel;

  fprintf(file, FIRST_LINE "\n");
  for (int i = 0; i < recording->note_count; i++)
    fprintf(file, "note %s\n", recording->notes[i]);
  fprintf(file, "kernel %s\ncase %s\ngrain %" PRId64 "\nrepetitions %d\nthreads %d\ncalls", kernel->name,
          recording->case_text, recording->grain, recording->repetitions, recording->threads);
  for (int d = 0; d < kernel->size_count; d++)
    fprintf(file, " %s", kernel->args[kernel->sizes[d]].name);
  fprintf(file, " ld minimum/ns cost/minimum disturbed gated excess/0.0001...\n");
}

void recording_print_call(const struct ppi_record *record, size_t first, double measure_s, uint64_t disturbed,
                          FILE *file) {
  double least_s = record->times_s[first], count = (double)(record->count - first);

  for (size_t i = first + 1; i < record->count; i++)
    least_s = fmin(least_s, record->times_s[i]);
  least_s = fmax(least_s, 1e-10);
  for (int d = 0; d < record->kernel->size_count; d++)
    fprintf(file, "%" PRId64 " ", record->sizes[d]);
  fprintf(file, "%" PRId64 " %.1f %.3f %" PRIu64 " %d", record->ld, 1e9 * least_s, measure_s / count / least_s,
          disturbed, record->gated);
  for (size_t i = first; i < record->count; i++)
    fprintf(file, " %.0f", fmax((record->times_s[i] / least_s - 1.0) / RECORDING_UNIT, 0.0));
  fprintf(file, "\n");
}

void recording_print_end(size_t calls, FILE *file) {
  fprintf(file, "end %zu\n", calls);
}

struct reader {
  FILE *file;
  const char *path;
  long line_number;
  char line[RECORDING_LINE];
  bool whole; /* the line had its end */
  struct perfpred_error *error;
};

static enum perfpred_status bad(const struct reader *reader, const char *expected) {
  return ppi_error_set(reader->error, PERFPRED_CORRUPT, "%s:%ld: expected %s", reader->path, reader->line_number,
                       expected);
}

/* False at the end of the file. */
static bool next_line(struct reader *reader) {
  size_t length;

  if (!fgets(reader->line, sizeof reader->line, reader->file))
    return false;
  reader->line_number++;
  length = strlen(reader->line);
  reader->whole = length > 0 && reader->line[length - 1] == '\n';
  if (reader->whole)
    reader->line[length - 1] = '\0';
  return true;
}

/* What stands behind the word, or NULL. */
static const char *after(const struct reader *reader, const char *word) {
  size_t length = strlen(word);

  return reader->whole && strncmp(reader->line, word, length) == 0 && reader->line[length] == ' '
             ? reader->line + length + 1
             : NULL;
}

static enum perfpred_status read_number(struct reader *reader, const char *word, int64_t least, int64_t most,
                                        int64_t *number) {
  const char *text = next_line(reader) ? after(reader, word) : NULL;
  char expected[64];

  if (text && ppi_text_parse_integer(text, number) && *number >= least && *number <= most)
    return PERFPRED_OK;
  snprintf(expected, sizeof expected, "'%s NUMBER'", word);
  return bad(reader, expected);
}

static enum perfpred_status read_kernel(const struct ppi_kernels *kernels, struct reader *reader,
                                        struct recording *recording) {
  const struct perfpred_kernel *kernel = NULL;
  struct ppi_value values[PPI_ARG_MAX];
  const char *text = after(reader, "kernel");
  enum perfpred_status status =
      text ? ppi_kernels_require(kernels, text, &kernel, reader->error) : bad(reader, "'kernel NAME'");

  if (status)
    return status;
  recording->kernel = ppi_kernel_ref(kernel);
  text = next_line(reader) ? after(reader, "case") : NULL;
  if (!text)
    return bad(reader, "'case TEXT'");
  status = ppi_case_parse(kernel, text, values, reader->error);
  if (!status)
    ppi_case_format(kernel, values, recording->case_text);
  return status;
}

static enum perfpred_status read_head(const struct ppi_kernels *kernels, struct reader *reader,
                                      struct recording *recording) {
  int64_t repetitions = 0, threads = 0;
  const char *note;
  enum perfpred_status status;

  if (!next_line(reader) || !reader->whole || strcmp(reader->line, FIRST_LINE) != 0)
    return bad(reader, "'" FIRST_LINE "'");
  while (next_line(reader) && (note = after(reader, "note")) != NULL) {
    if (recording->note_count == RECORDING_NOTES || strlen(note) >= sizeof recording->notes[0])
      return bad(reader, "fewer or shorter notes");
    memcpy(recording->notes[recording->note_count++], note, strlen(note) + 1);
  }
  status = read_kernel(kernels, reader, recording);
  if (!status)
    status = read_number(reader, "grain", 1, 1 << 20, &recording->grain);
  if (!status)
    status = read_number(reader, "repetitions", 1, RECORDING_SAMPLES, &repetitions);
  if (!status)
    status = read_number(reader, "threads", 1, 1 << 20, &threads);
  if (!status && (!next_line(reader) || !after(reader, "calls")))
    status = bad(reader, "'calls' and the names of the columns");
  recording->repetitions = (int)repetitions;
  recording->threads = (int)threads;
  return status;
}

/* Takes the next word of a line apart. */
static char *next_word(char **rest) {
  char *word = *rest, *end = word ? strchr(word, ' ') : NULL;

  if (!word)
    return NULL;
  if (end)
    *end = '\0';
  *rest = end ? end + 1 : NULL;
  return word;
}

static bool take_integer(char **rest, int64_t least, int64_t *value) {
  const char *word = next_word(rest);

  return word && ppi_text_parse_integer(word, value) && *value >= least;
}

static bool take_real(char **rest, double *value) {
  const char *word = next_word(rest);

  return word && ppi_text_parse_real(word, value) && isfinite(*value) && *value > 0.0;
}

struct call {
  int64_t sizes[PPI_SIZE_MAX], ld;
  double times_s[RECORDING_SAMPLES];
  struct ppi_result result;
};

static enum perfpred_status parse_call(struct reader *reader, int dimensions, struct call *call) {
  char *rest = reader->line;
  int64_t disturbed = 0, gated = 0, excess;
  double least_ns = 0.0, cost = 0.0;
  size_t count = 0;

  for (int d = 0; d < dimensions; d++)
    if (!take_integer(&rest, 1, &call->sizes[d]))
      return bad(reader, "a size, at least 1");
  if (!take_integer(&rest, 1, &call->ld))
    return bad(reader, "a leading dimension");
  if (!take_real(&rest, &least_ns) || !take_real(&rest, &cost))
    return bad(reader, "the least time and the cost of a sample");
  if (!take_integer(&rest, 0, &disturbed) || !take_integer(&rest, 0, &gated) || gated > 1)
    return bad(reader, "the number of disturbed samples, and 0 or 1");
  for (; rest && count < RECORDING_SAMPLES; count++) {
    if (!take_integer(&rest, 0, &excess))
      return bad(reader, "how much longer a sample took than the shortest");
    call->times_s[count] = 1e-9 * least_ns * (1.0 + RECORDING_UNIT * (double)excess);
  }
  if (rest || count == 0)
    return bad(reader, "1 to 256 samples");
  call->result = (struct ppi_result){ .times_s = call->times_s, .count = count, .gated = gated == 1 };
  call->result.disturbed = (uint64_t)disturbed;
  call->result.measure_s = 1e-9 * least_ns * cost * (double)count;
  return PERFPRED_OK;
}

static enum perfpred_status read_call(struct reader *reader, struct recording *recording, bool finished) {
  struct call call = { .ld = 0 };
  size_t before = recording->samples.count;
  enum perfpred_status status = parse_call(reader, recording->kernel->size_count, &call);

  if (!status && !finished && !call.result.gated)
    return PERFPRED_OK; /* to be measured again */
  if (!status && finished && call.result.count > (size_t)recording->repetitions)
    status = bad(reader, "no more samples than 'repetitions' says");
  if (!status)
    status = ppi_samples_add(&recording->samples, recording->kernel, recording->case_text, call.sizes, call.ld,
                             &call.result, reader->error);
  if (!status && finished && recording->samples.count == before)
    status = bad(reader, "each call once");
  return status;
}

static enum perfpred_status read_end(struct reader *reader, const struct recording *recording) {
  const char *text = after(reader, "end");
  int64_t count = 0;

  if (!text || !ppi_text_parse_integer(text, &count) || count != (int64_t)recording->samples.count)
    return bad(reader, "'end' and the number of calls");
  return next_line(reader) ? bad(reader, "nothing behind 'end'") : PERFPRED_OK;
}

static enum perfpred_status read_finished(struct reader *reader, struct recording *recording) {
  enum perfpred_status status = PERFPRED_OK;

  while (!status && next_line(reader)) {
    if (reader->line[0] == 'e')
      return read_end(reader, recording);
    status = reader->whole ? read_call(reader, recording, true) : bad(reader, "a shorter line with an end");
  }
  return status ? status : bad(reader, "'end' and the number of calls: the file was cut");
}

static enum perfpred_status read_passes(struct reader *reader, struct recording *recording, long *bytes) {
  enum perfpred_status status = PERFPRED_OK;

  *bytes = ftell(reader->file);
  while (!status && next_line(reader) && reader->whole) {
    status = read_call(reader, recording, false);
    *bytes = ftell(reader->file);
  }
  return status;
}

static enum perfpred_status read_file(const struct ppi_kernels *kernels, const char *path, struct recording *recording,
                                      long *bytes, struct perfpred_error *error) {
  struct reader reader = { .file = fopen(path, "r"), .path = path, .error = error };
  struct recording made = { .kernel = NULL };
  enum perfpred_status status;

  if (!reader.file)
    return ppi_error_set(error, PERFPRED_MISSING, "%s: cannot be opened: %m", path);
  status = read_head(kernels, &reader, &made);
  if (!status)
    status = bytes ? read_passes(&reader, &made, bytes) : read_finished(&reader, &made);
  if (!status && ferror(reader.file))
    status = ppi_error_set(error, PERFPRED_IO, "%s: cannot be read", path);
  fclose(reader.file);
  if (status)
    recording_release(&made);
  else
    *recording = made;
  return status;
}

enum perfpred_status recording_read(const struct ppi_kernels *kernels, const char *path, struct recording *recording,
                                    struct perfpred_error *error) {
  return read_file(kernels, path, recording, NULL, error);
}

enum perfpred_status recording_read_unfinished(const struct ppi_kernels *kernels, const char *path,
                                               struct recording *recording, long *bytes, struct perfpred_error *error) {
  return read_file(kernels, path, recording, bytes, error);
}
