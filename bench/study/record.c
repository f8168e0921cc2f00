/* SPDX-License-Identifier: BSD-3-Clause */
/* Records samples of one kernel case on a grid, all calls shuffled, in passes over the whole of it. What is measured is kept
 * in FILE.part at once; the same command goes on from there after an interruption. To be run alone on the machine.
 *
 *   record [OPTION]... FILE KERNEL CASE BOX...
 *
 * BOX: values of the sizes in order, with commas between: N, FIRST:LAST:STEP, or several of these joined by '/'; an ending
 * @LD sets the leading dimension. Options: see usage. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "base/text.h"
#include "boxes.h"
#include "measure/random.h"
#include "measure/sampler.h"
#include "recording.h"

#define ENVIRONMENT_MAX 8
#define ESTIMATE_CALLS 48

static const char usage[] =
    "usage: record [OPTION]... FILE KERNEL CASE BOX...\n"
    "  --repetitions N   samples of each call in all (15)\n"
    "  --passes N        passes over all calls, each of which takes its share of the samples (3)\n"
    "  --ld N            leading dimension (5000)\n"
    "  --grain N         all sizes are multiples of it, which the readers are told (8)\n"
    "  --blas FILE --lapack FILE --threads N --env NAME=VALUE   the setup, as for perfpred\n"
    "  --batch SECONDS   what an interruption may cost (20)\n"
    "  --seed N          of the shuffling (1)\n"
    "  --estimate        measure a few calls and tell how long all would take\n";

struct job {
  struct perfpred_setup setup;
  const char *environment[ENVIRONMENT_MAX + 1];
  int64_t repetitions, passes, ld, grain, threads, seed;
  double batch_s;
  bool estimate;
  const char *path;
  char part[1024];

  struct perfpred_context context; /* of kernels alone */
  struct perfpred_sampler *sampler;
  struct recording recording;
  struct boxes boxes;
  struct ppi_value *values;
  struct ppi_request *requests;
  FILE *file;
  struct written { /* of each record: what the file has */
    size_t count;
    double measure_s;
    uint64_t disturbed;
  } * written;
  size_t written_count;
  int pass;
  double begin_s;
};

static double now(void *data) {
  struct timespec time;

  (void)data;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Short calls come in batches of more samples than were asked for: of these some are kept, spread over all, at the price of their share. */
static void thin(struct ppi_result *result, size_t wanted) {
  size_t count = result->count;

  if (count <= wanted)
    return;
  for (size_t i = 0; i < wanted; i++)
    result->times_s[i] = result->times_s[i * count / wanted];
  result->measure_s *= (double)wanted / (double)count;
  result->disturbed = result->disturbed * wanted / count;
  result->count = wanted;
}

static enum perfpred_status take_samples(void *data, const struct ppi_request *requests, size_t count,
                                         const struct ppi_sampling *sampling, struct ppi_result *results,
                                         struct perfpred_error *error) {
  struct job *job = data;
  enum perfpred_status status = job->sampler->ops->sample(job->sampler, requests, count, sampling, results, error);

  for (size_t i = 0; !status && i < count; i++) {
    thin(&results[i], (size_t)sampling->repetitions);
    if (!results[i].gated)
      results[i].count = 0; /* not worth keeping: a later pass may find the machine quiet */
  }
  return status;
}

static enum perfpred_status grow_written(struct job *job, struct perfpred_error *error) {
  size_t count = job->recording.samples.capacity;
  struct written *written;

  if (count <= job->written_count)
    return PERFPRED_OK;
  written = realloc(job->written, count * sizeof *written);
  if (!written)
    return ppi_error_memory(error);
  memset(written + job->written_count, 0, (count - job->written_count) * sizeof *written);
  job->written = written;
  job->written_count = count;
  return PERFPRED_OK;
}

static void write_call(struct job *job, const struct ppi_record *record) {
  size_t place =
      ppi_samples_place(&job->recording.samples, record->kernel, record->case_text, record->sizes, record->ld);
  struct written *written = job->written + place;

  if (written->count < record->count)
    recording_print_call(record, written->count, record->measure_s - written->measure_s,
                         record->disturbed - written->disturbed, job->file);
  *written = (struct written){ record->count, record->measure_s, record->disturbed };
}

static enum perfpred_status added(void *data, const struct ppi_record *const *records, size_t count,
                                  struct perfpred_error *error) {
  struct job *job = data;
  enum perfpred_status status = grow_written(job, error);

  for (size_t i = 0; !status && i < count; i++)
    write_call(job, records[i]);
  if (!status && (fflush(job->file) != 0 || fsync(fileno(job->file)) != 0))
    status = ppi_error_set(error, PERFPRED_IO, "%s: cannot be written: %m", job->part);
  fprintf(stderr, "pass %d of %d: %zu calls more, %.0f s\n", job->pass + 1, (int)job->passes, count,
          now(NULL) - job->begin_s);
  return status;
}

/* The share of the samples that falls to a pass. */
static int repetitions_of(const struct job *job, int64_t pass) {
  return (int)((pass + 1) * job->repetitions / job->passes - pass * job->repetitions / job->passes);
}

static enum perfpred_status run_passes(struct job *job, struct perfpred_error *error) {
  struct ppi_source behind = { take_samples, NULL, now, job }, source;
  struct ppi_replay replay = {
    .samples = &job->recording.samples, .behind = &behind, .added = added, .added_data = job
  };
  struct ppi_result *results = calloc(job->boxes.count, sizeof *results);
  enum perfpred_status status = results ? grow_written(job, error) : ppi_error_memory(error);

  for (size_t i = 0; !status && i < job->recording.samples.count; i++) {
    const struct ppi_record *record = job->recording.samples.records[i];

    job->written[i] = (struct written){ record->count, record->measure_s, record->disturbed };
  }
  replay.batch_s = job->batch_s;
  ppi_replay_source(&replay, &source);
  for (job->pass = 0; !status && job->pass < job->passes; job->pass++) {
    struct ppi_sampling sampling = { .repetitions = repetitions_of(job, job->pass) };

    sampling.seed = (uint64_t)(1000 * (job->seed + job->pass));
    status = source.sample(source.data, job->requests, job->boxes.count, &sampling, results, error);
    for (size_t i = 0; !status && i < job->boxes.count; i++)
      free(results[i].times_s);
  }
  ppi_replay_release(&replay);
  free(results);
  return status;
}

static int by_sizes(const void *a, const void *b) {
  const struct ppi_record *x = *(struct ppi_record *const *)a, *y = *(struct ppi_record *const *)b;

  for (int d = 0; d < x->kernel->size_count; d++)
    if (x->sizes[d] != y->sizes[d])
      return x->sizes[d] < y->sizes[d] ? -1 : 1;
  return (x->ld > y->ld) - (x->ld < y->ld);
}

/* Calls without samples, because all were disturbed, are asked for again by the same command. */
static enum perfpred_status require_all(const struct job *job, struct perfpred_error *error) {
  const struct recording *recording = &job->recording;
  size_t missing = 0;

  for (size_t i = 0; i < job->boxes.count; i++) {
    const struct boxes_point *point = job->boxes.points + i;

    missing += !ppi_samples_find(&recording->samples, recording->kernel, recording->case_text, point->sizes, point->ld);
  }
  if (missing == 0)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_TIMEOUT,
                       "%s: %zu of %zu calls were always disturbed: expected a quieter machine; "
                       "the same command goes on",
                       job->part, missing, job->boxes.count);
}

/* Of a recording that was begun with more repetitions and ends with fewer, the first ones of each call stay. */
static void cut(struct ppi_record *record, size_t most) {
  double share = (double)most / (double)record->count;

  if (record->count <= most)
    return;
  record->count = most;
  record->measure_s *= share;
  record->disturbed = (uint64_t)(share * (double)record->disturbed);
}

/* The finished file, one line for each call, sorted. */
static enum perfpred_status finish(struct job *job, struct perfpred_error *error) {
  struct ppi_samples *samples = &job->recording.samples;
  FILE *file = fopen(job->path, "wx");
  bool written;

  if (!file)
    return ppi_error_set(error, PERFPRED_IO, "%s: cannot be made: %m", job->path);
  qsort(samples->records, samples->count, sizeof *samples->records, by_sizes); /* nothing is looked up from now on */
  recording_print_head(&job->recording, file);
  for (size_t i = 0; i < samples->count; i++) {
    cut(samples->records[i], (size_t)job->repetitions);
    recording_print_call(samples->records[i], 0, samples->records[i]->measure_s, samples->records[i]->disturbed, file);
  }
  recording_print_end(samples->count, file);
  written = !ferror(file);
  if (fclose(file) != 0 || !written)
    return ppi_error_set(error, PERFPRED_IO, "%s: cannot be written: %m", job->path);
  unlink(job->part);
  return PERFPRED_OK;
}

static enum perfpred_status open_part(struct job *job, struct perfpred_error *error) {
  struct recording *wanted = &job->recording, found = { .kernel = NULL };
  long bytes = 0;
  enum perfpred_status status = PERFPRED_OK;

  if (access(job->path, F_OK) == 0)
    return ppi_error_set(error, PERFPRED_EXISTS, "%s: is there already: expected a new file", job->path);
  if (access(job->part, F_OK) == 0) {
    status = recording_read_unfinished(job->context.kernels, job->part, &found, &bytes, error);
    if (status)
      return status;
    if (strcmp(found.kernel->name, wanted->kernel->name) != 0 || strcmp(found.case_text, wanted->case_text) != 0 ||
        found.threads != wanted->threads || found.grain != wanted->grain)
      status =
          ppi_error_set(error, PERFPRED_EXISTS, "%s: is of another recording: expected the same options", job->part);
    wanted->samples = found.samples;
    found.samples = (struct ppi_samples){ 0 };
    recording_release(&found);
    if (!status && truncate(job->part, bytes) != 0)
      status = ppi_error_set(error, PERFPRED_IO, "%s: cannot be written: %m", job->part);
    if (status)
      return status;
  }
  job->file = fopen(job->part, "a");
  if (!job->file)
    return ppi_error_set(error, PERFPRED_IO, "%s: cannot be written: %m", job->part);
  if (bytes == 0)
    recording_print_head(wanted, job->file);
  return PERFPRED_OK;
}

static enum perfpred_status estimate(struct job *job, struct perfpred_error *error) {
  size_t count = job->boxes.count < ESTIMATE_CALLS ? job->boxes.count : ESTIMATE_CALLS;
  struct ppi_result results[ESTIMATE_CALLS];
  struct ppi_sampling sampling = { .repetitions = repetitions_of(job, 0) };
  double begin_s, spent_s;
  enum perfpred_status status = take_samples(job, job->requests, 1, &sampling, results, error); /* wakes it up */

  if (status)
    return status;
  ppi_results_free(results, 1);
  begin_s = now(NULL);
  status = take_samples(job, job->requests, count, &sampling, results, error);
  if (status)
    return status;
  spent_s = now(NULL) - begin_s;
  ppi_results_free(results, count);
  printf("%zu calls: about %.0f s (from %zu of them, chosen at random)\n", job->boxes.count,
         spent_s * (double)job->boxes.count / (double)count * (double)job->passes, count);
  return PERFPRED_OK;
}

static void add_note(struct recording *recording, const char *name, const char *text) {
  if (text[0] && recording->note_count < RECORDING_NOTES)
    snprintf(recording->notes[recording->note_count++], sizeof recording->notes[0], "%s: %s", name, text);
}

static enum perfpred_status describe(struct job *job, struct perfpred_error *error) {
  struct ppi_machine machine;
  struct ppi_setup setup;
  enum perfpred_status status = job->sampler->ops->describe(job->sampler, 0.0, &machine, &setup, error);
  char text[400];

  if (status)
    return status;
  snprintf(text, sizeof text, "%.200s, %d cores, %s", machine.cpu, machine.cores, machine.instruction_set);
  add_note(&job->recording, "machine", text);
  snprintf(text, sizeof text, "%.20s %.200s, kernels %.60s", setup.blas.family, setup.blas.version,
           setup.blas.kernels[0] ? setup.blas.kernels : "unknown");
  add_note(&job->recording, "library", text);
  for (int i = 0; job->environment[i]; i++)
    add_note(&job->recording, "environment", job->environment[i]);
  return PERFPRED_OK;
}

static enum perfpred_status make_requests(struct job *job, struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = job->recording.kernel;
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_random random;
  enum perfpred_status status = ppi_case_parse(kernel, job->recording.case_text, values, error);

  if (status)
    return status;
  job->values = calloc(job->boxes.count * PPI_ARG_MAX, sizeof *job->values);
  job->requests = calloc(job->boxes.count, sizeof *job->requests);
  if (!job->values || !job->requests)
    return ppi_error_memory(error);
  random.state = (uint64_t)job->seed;
  boxes_shuffle(&job->boxes, &random);
  for (size_t i = 0; i < job->boxes.count; i++) {
    struct ppi_value *own = job->values + i * PPI_ARG_MAX;
    const struct boxes_point *point = job->boxes.points + i;

    memcpy(own, values, (size_t)kernel->arg_count * sizeof *own);
    for (int d = 0; d < kernel->size_count; d++)
      own[kernel->sizes[d]].i = point->sizes[d];
    job->requests[i] = (struct ppi_request){ kernel, own, point->ld };
  }
  return PERFPRED_OK;
}

static enum perfpred_status prepare(struct job *job, char **arguments, int count, struct perfpred_error *error) {
  struct recording *recording = &job->recording;
  const struct perfpred_kernel *kernel = NULL;
  enum perfpred_status status = ppi_kernels_create(&job->context.kernels, error);

  job->path = arguments[0];
  snprintf(job->part, sizeof job->part, "%s.part", job->path);
  if (!status)
    status = ppi_kernels_require(job->context.kernels, arguments[1], &kernel, error);
  if (status)
    return status;
  recording->kernel = ppi_kernel_ref(kernel);
  snprintf(recording->case_text, sizeof recording->case_text, "%s", arguments[2]);
  recording->grain = job->grain;
  recording->repetitions = (int)job->repetitions;
  recording->threads = (int)job->threads;
  for (int i = 3; !status && i < count; i++)
    status = boxes_add(&job->boxes, kernel->size_count, arguments[i], job->ld, error);
  if (!status)
    status = make_requests(job, error);
  job->setup.threads = (int)job->threads;
  job->setup.environment = job->environment;
  if (!status)
    status = perfpred_sampler_create_worker(&job->context, &job->setup, &job->sampler, error);
  if (!status)
    status = describe(job, error);
  return status;
}

static bool parse_option(struct job *job, int option, char *text) {
  int64_t *const numbers[] = { ['r'] = &job->repetitions, ['p'] = &job->passes,  ['l'] = &job->ld,
                               ['g'] = &job->grain,       ['t'] = &job->threads, ['s'] = &job->seed };

  switch (option) {
  case 'b':
    job->setup.blas = text;
    return true;
  case 'a':
    job->setup.lapack = text;
    return true;
  case 'c':
    return ppi_text_parse_real(text, &job->batch_s) && job->batch_s > 0.0;
  case 'e':
    for (int i = 0; i < ENVIRONMENT_MAX; i++)
      if (!job->environment[i]) {
        job->environment[i] = text;
        return true;
      }
    return false;
  case 'x':
    job->estimate = true;
    return true;
  case '?':
    return false;
  default:
    return ppi_text_parse_integer(text, numbers[option]) && *numbers[option] >= 1 && *numbers[option] <= 1 << 20;
  }
}

static bool parse_options(struct job *job, int argc, char **argv) {
  static const struct option options[] = {
    { "repetitions", 1, NULL, 'r' }, { "passes", 1, NULL, 'p' },   { "ld", 1, NULL, 'l' },
    { "grain", 1, NULL, 'g' },       { "blas", 1, NULL, 'b' },     { "lapack", 1, NULL, 'a' },
    { "threads", 1, NULL, 't' },     { "env", 1, NULL, 'e' },      { "batch", 1, NULL, 'c' },
    { "seed", 1, NULL, 's' },        { "estimate", 0, NULL, 'x' }, { NULL, 0, NULL, 0 },
  };
  int option;

  while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
    if (!parse_option(job, option, optarg))
      return false;
  return argc - optind >= 4 && job->passes <= job->repetitions;
}

static void release(struct job *job) {
  if (job->file)
    fclose(job->file);
  free(job->written);
  free(job->requests);
  free(job->values);
  boxes_release(&job->boxes);
  perfpred_sampler_destroy(job->sampler);
  recording_release(&job->recording);
  ppi_kernels_destroy(job->context.kernels);
}

int main(int argc, char **argv) {
  struct job job = { .setup = PERFPRED_SETUP_INIT, .repetitions = 15, .passes = 3, .ld = 5000, .grain = 8 };
  struct perfpred_error error = { .status = PERFPRED_OK };
  enum perfpred_status status;

  job.threads = job.seed = 1;
  job.batch_s = 20.0;
  if (!parse_options(&job, argc, argv)) {
    fputs(usage, stderr);
    return 2;
  }
  job.begin_s = now(NULL);
  status = prepare(&job, argv + optind, argc - optind, &error);
  if (!status && job.estimate) {
    status = estimate(&job, &error);
  } else if (!status) {
    status = open_part(&job, &error);
    if (!status)
      status = run_passes(&job, &error);
    if (!status)
      status = require_all(&job, &error);
    if (!status)
      status = finish(&job, &error);
  }
  if (status)
    fprintf(stderr, "record: %s\n", error.text);
  release(&job);
  return status ? 1 : 0;
}
