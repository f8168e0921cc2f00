/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/samples.h"

/* What a repetition is reckoned to take before any is known. */
#define CALL_S 1e-4
#define RATE 5e9 /* flops and bytes per second */
#define LEAST_BUDGET_S 1e-3

/* A batch that is being answered. */
struct answer {
  struct ppi_replay *replay;
  const struct ppi_request *requests;
  size_t count;
  const struct ppi_sampling *sampling;
  struct ppi_result *results;
  size_t *missing; /* samples that each request still wants */
  double begin_s, done, all,
      ahead; /* reckoned work: behind us, in all, of the present batch; for progress and budget */
  uint64_t samples;
  struct perfpred_error *error;
};

static void results_release(struct ppi_result *results, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(results[i].times_s);
    free(results[i].samples);
    results[i] = (struct ppi_result){ 0 };
  }
}

/* What a key points to. */
struct words {
  char case_text[PPI_CASE_MAX];
  int64_t sizes[PPI_SIZE_MAX];
};

/* spot: NULL: the call is alone. */
static struct ppi_key key_of(const struct ppi_request *request, const struct ppi_spot *spot, struct words *words) {
  const struct perfpred_kernel *kernel = request->kernel;
  struct ppi_key key = { .kernel = kernel, .case_text = words->case_text, .sizes = words->sizes, .ld = request->ld };

  ppi_case_format(kernel, request->values, words->case_text);
  memset(words->sizes, 0, sizeof words->sizes);
  for (int d = 0; d < kernel->size_count; d++)
    words->sizes[d] = request->values[kernel->sizes[d]].i;
  if (spot) {
    key.context = spot->context;
    key.step = spot->sizes;
    key.step_count = spot->size_count;
  }
  return key;
}

static const struct ppi_spot *spot_of(const struct answer *answer, size_t index) {
  return answer->sampling->spots ? answer->sampling->spots + index : NULL;
}

static size_t place_of(const struct answer *answer, size_t index) {
  struct words words;
  const struct ppi_key key = key_of(answer->requests + index, spot_of(answer, index), &words);

  return ppi_samples_place_at(answer->replay->samples, &key);
}

/* Room for what was handed out of every record of the set, which may have grown. */
static enum perfpred_status reserve_used(struct ppi_replay *replay, struct perfpred_error *error) {
  size_t count = replay->samples->capacity;
  size_t *used;

  if (replay->used_count >= replay->samples->count)
    return PERFPRED_OK;
  used = realloc(replay->used, count * sizeof *used);
  if (!used)
    return ppi_error_memory(error);
  memset(used + replay->used_count, 0, (count - replay->used_count) * sizeof *used);
  replay->used = used;
  replay->used_count = count;
  return PERFPRED_OK;
}

static size_t left_of(const struct ppi_replay *replay, size_t place) {
  return replay->samples->records[place]->count - replay->used[place];
}

static enum perfpred_status join(struct ppi_result *result, const double *times_s, size_t count,
                                 struct perfpred_error *error) {
  double *joined;

  if (count == 0)
    return PERFPRED_OK;
  joined = realloc(result->times_s, (result->count + count) * sizeof *joined);
  if (!joined)
    return ppi_error_memory(error);
  memcpy(joined + result->count, times_s, count * sizeof *times_s);
  result->times_s = joined;
  result->count += count;
  return PERFPRED_OK;
}

/* Hands out the next samples of a record and their share of what it cost. */
static enum perfpred_status take(struct answer *answer, size_t index, size_t place, size_t count) {
  struct ppi_replay *replay = answer->replay;
  const struct ppi_record *record = replay->samples->records[place];
  struct ppi_result *result = answer->results + index;
  double share = (double)count / (double)record->count;
  enum perfpred_status status = join(result, record->times_s + replay->used[place], count, answer->error);

  if (status)
    return status;
  result->gated = record->gated;
  result->ld = record->ld;
  result->measure_s += share * record->measure_s;
  result->disturbed += (uint64_t)floor(share * (double)record->disturbed + 0.5);
  replay->used[place] += count;
  replay->spent_s += share * record->measure_s;
  return PERFPRED_OK;
}

static enum perfpred_status not_found(const struct answer *answer, size_t index) {
  const struct ppi_request *request = answer->requests + index;
  const struct perfpred_kernel *kernel = request->kernel;
  size_t place = place_of(answer, index);
  struct words words;
  const struct ppi_key key = key_of(request, spot_of(answer, index), &words);
  struct ppi_text text = PPI_TEXT_INIT;
  enum perfpred_status status;
  char *name;

  ppi_text_printf(&text, "%s %s", kernel->name, words.case_text);
  for (int d = 0; d < kernel->size_count; d++)
    ppi_text_printf(&text, " %s=%lld", kernel->args[kernel->sizes[d]].name, (long long)words.sizes[d]);
  if (request->ld)
    ppi_text_printf(&text, " ld=%lld", (long long)request->ld);
  if (key.context)
    ppi_text_printf(&text, " in %s", key.context);
  name = ppi_text_take(&text);
  if (place == PPI_SAMPLES_NONE)
    status = ppi_error_set(answer->error, PERFPRED_NOT_FOUND, "%s: not among the recorded calls",
                           name ? name : kernel->name);
  else
    status = ppi_error_set(answer->error, PERFPRED_NOT_FOUND, "%s: all of its %zu recorded samples are used",
                           name ? name : kernel->name, answer->replay->samples->records[place]->count);
  free(name);
  return status;
}

static size_t wanted_of(const struct ppi_sampling *sampling) {
  return sampling->repetitions > 0 ? (size_t)sampling->repetitions : 1;
}

/* Up to the end of the part in which the last of `count` samples came. */
static size_t whole_parts(const struct ppi_replay *replay, size_t place, size_t count) {
  const struct ppi_record *record = replay->samples->records[place];
  size_t end = 0;

  for (size_t i = 0; i < record->part_count && end < replay->used[place] + count; i++)
    end += record->parts[i];
  return end - replay->used[place];
}

/* How many samples a request gets now, of at most `most`. */
static size_t share_of(const struct answer *answer, size_t index, size_t place, size_t most) {
  const struct ppi_replay *replay = answer->replay;
  size_t missing = answer->missing[index], left = place == PPI_SAMPLES_NONE ? 0 : left_of(replay, place);
  size_t count = missing < most ? missing : most;

  if (count > left || (count > 0 && replay->whole))
    return left;
  return count > 0 && replay->by_part ? whole_parts(replay, place, count) : count;
}

/* Whether the budget of a replay without a source behind it is spent. */
static bool is_spent(const struct answer *answer) {
  double budget_s = answer->sampling->budget_s;

  return !answer->replay->behind && budget_s > 0.0 && answer->replay->spent_s - answer->begin_s >= budget_s;
}

/* What the set has. */
static enum perfpred_status take_round(struct answer *answer, size_t most) {
  for (size_t i = 0; i < answer->count; i++) {
    bool dispensable = answer->results[i].count > 0 || answer->sampling->partial;
    size_t place = place_of(answer, i), count = share_of(answer, i, place, most);
    enum perfpred_status status;

    if (count == 0 || (dispensable && is_spent(answer)))
      continue;
    status = take(answer, i, place, count);
    if (status)
      return status;
    answer->missing[i] -= count < answer->missing[i] ? count : answer->missing[i];
  }
  return PERFPRED_OK;
}

/* With a budget round by round, so that all are cut at the same number. */
static enum perfpred_status take_recorded(struct answer *answer) {
  bool by_round = !answer->replay->behind && answer->sampling->budget_s > 0.0;
  size_t wanted = wanted_of(answer->sampling);
  enum perfpred_status status = PERFPRED_OK;

  for (size_t round = 0; !status && round < (by_round ? wanted : 1); round++)
    status = take_round(answer, by_round ? 1 : wanted);
  return status;
}

/* Without a source behind nobody may be left without samples, unless a budget allows for it. */
static enum perfpred_status require_all(const struct answer *answer) {
  bool excused = answer->sampling->partial && answer->sampling->budget_s > 0.0;

  if (answer->replay->lenient)
    return PERFPRED_OK;
  for (size_t i = 0; i < answer->count; i++)
    if (answer->results[i].count == 0 && (!excused || place_of(answer, i) == PPI_SAMPLES_NONE))
      return not_found(answer, i);
  return PERFPRED_OK;
}

static double reckoned_s(const struct ppi_request *request, size_t repetitions) {
  double work =
      ppi_kernel_flops(request->kernel, request->values) + ppi_kernel_movement_bytes(request->kernel, request->values);

  return (double)repetitions * (CALL_S + 2.0 * work / RATE);
}

static double now(void *data) {
  const struct ppi_replay *replay = data;

  return replay->behind ? replay->behind->now_s(replay->behind->data) : replay->spent_s;
}

/* Progress of one batch as that of all of them. */
static int tell(void *data, const struct perfpred_progress *batch) {
  const struct answer *answer = data;
  struct perfpred_progress whole = *batch;

  whole.size = sizeof whole;
  whole.elapsed_s = now(answer->replay) - answer->begin_s;
  whole.fraction = fmin((answer->done + batch->fraction * answer->ahead) / answer->all, 1.0);
  whole.remaining_s = whole.fraction > 0.0 ? whole.elapsed_s * (1.0 - whole.fraction) / whole.fraction : NAN;
  whole.samples = answer->samples + batch->samples;
  return answer->sampling->progress(answer->sampling->progress_data, &whole);
}

/* Requests that want equally many samples and go to the source behind together. */
struct batch {
  size_t *places; /* in the answer */
  size_t count;
  struct ppi_request *requests;
  struct ppi_spot *spots;
  struct ppi_result *results;
  const struct ppi_record **records;
};

static void batch_release(struct batch *batch) {
  free(batch->records);
  free(batch->spots);
  free(batch->results);
  free(batch->requests);
  free(batch->places);
}

static enum perfpred_status batch_init(struct batch *batch, size_t count, struct perfpred_error *error) {
  batch->places = calloc(count, sizeof *batch->places);
  batch->requests = calloc(count, sizeof *batch->requests);
  batch->results = calloc(count, sizeof *batch->results);
  batch->records = calloc(count, sizeof *batch->records);
  batch->spots = calloc(count, sizeof *batch->spots);
  return batch->places && batch->requests && batch->results && batch->records && batch->spots ? PERFPRED_OK
                                                                                              : ppi_error_memory(error);
}

/* Calls of one step follow each other and are measured together. */
static bool goes_with_last(const struct answer *answer, const struct batch *batch, size_t index) {
  const struct ppi_spot *spots = answer->sampling->spots;

  return spots && batch->count > 0 &&
         memcmp(spots[index].sizes, batch->spots[batch->count - 1].sizes, sizeof spots[index].sizes) == 0;
}

/* The next requests that want `repetitions`, from *next on. */
static void batch_fill(struct answer *answer, size_t repetitions, size_t *next, struct batch *batch) {
  double limit_s = answer->replay->batch_s;
  double slowness = answer->replay->slowness > 0.0 ? answer->replay->slowness : 1.0;

  batch->count = 0;
  answer->ahead = 0.0;
  for (; *next < answer->count; (*next)++) {
    double more = reckoned_s(answer->requests + *next, repetitions);

    if (answer->missing[*next] != repetitions)
      continue;
    if (limit_s > 0.0 && batch->count > 0 && (answer->ahead + more) * slowness > limit_s &&
        !goes_with_last(answer, batch, *next))
      break;
    answer->ahead += more;
    batch->places[batch->count] = *next;
    if (answer->sampling->spots)
      batch->spots[batch->count] = answer->sampling->spots[*next];
    batch->requests[batch->count++] = answer->requests[*next];
  }
}

/* Samples of one request join the set and the answer. */
static enum perfpred_status keep(struct answer *answer, const struct batch *batch, size_t i, size_t *record_count) {
  struct ppi_replay *replay = answer->replay;
  const struct ppi_request *request = batch->requests + i;
  const struct ppi_result *fresh = batch->results + i;
  struct ppi_result *result = answer->results + batch->places[i];
  bool first = result->count == 0;
  struct words words;
  struct ppi_key key = key_of(request, spot_of(answer, batch->places[i]), &words);
  size_t place;
  enum perfpred_status status;

  if (fresh->count == 0)
    return PERFPRED_OK;
  key.ld = request->ld ? request->ld : fresh->ld;
  status = ppi_samples_add_at(replay->samples, &key, fresh, &fresh->count, 1, answer->error);
  if (!status)
    status = reserve_used(replay, answer->error);
  if (!status)
    status = join(result, fresh->times_s, fresh->count, answer->error);
  if (status)
    return status;
  key.ld = request->ld;
  place = ppi_samples_place_at(replay->samples, &key);
  replay->used[place] += fresh->count;
  batch->records[(*record_count)++] = replay->samples->records[place];
  result->gated = fresh->gated && (first || result->gated);
  result->cpu_s = fresh->cpu_s;
  result->ld = fresh->ld;
  result->disturbed += fresh->disturbed;
  result->measure_s += fresh->measure_s;
  ppi_spent_add(&result->spent, &fresh->spent);
  answer->samples += fresh->count;
  return PERFPRED_OK;
}

/* How a batch is measured, if left_s is what is left of the budget. */
static struct ppi_sampling sampling_of(struct answer *answer, const struct batch *batch, size_t repetitions,
                                       double left_s) {
  struct ppi_sampling sampling = *answer->sampling;

  sampling.repetitions = (int)repetitions;
  sampling.spots = answer->sampling->spots ? batch->spots : NULL;
  if (sampling.budget_s > 0.0)
    sampling.budget_s = fmax(left_s * answer->ahead / (answer->all - answer->done), LEAST_BUDGET_S);
  if (sampling.progress) {
    sampling.progress = tell;
    sampling.progress_data = answer;
  }
  return sampling;
}

static enum perfpred_status batch_measure(struct answer *answer, struct batch *batch, size_t repetitions,
                                          uint64_t number) {
  struct ppi_replay *replay = answer->replay;
  double begin_s = now(replay), left_s = answer->sampling->budget_s - (begin_s - answer->begin_s);
  struct ppi_sampling sampling = sampling_of(answer, batch, repetitions, left_s);
  size_t record_count = 0;
  enum perfpred_status status;

  sampling.seed += number;
  if (sampling.budget_s > 0.0 && sampling.partial && left_s <= 0.0)
    return PERFPRED_OK;
  status = replay->behind->sample(replay->behind->data, batch->requests, batch->count, &sampling, batch->results,
                                  answer->error);
  if (status)
    return status;
  replay->slowness = (now(replay) - begin_s) / answer->ahead;
  for (size_t i = 0; !status && i < batch->count; i++)
    status = keep(answer, batch, i, &record_count);
  if (!status && replay->added && record_count > 0)
    status = replay->added(replay->added_data, batch->records, record_count, answer->error);
  results_release(batch->results, batch->count);
  return status;
}

static size_t most_missing(const struct answer *answer) {
  size_t most = 0;

  for (size_t i = 0; i < answer->count; i++)
    most = answer->missing[i] > most ? answer->missing[i] : most;
  return most;
}

/* Those that lack most first; nearly always all lack the same. */
static enum perfpred_status measure_missing(struct answer *answer) {
  struct batch batch = { .count = 0 };
  enum perfpred_status status = batch_init(&batch, answer->count, answer->error);
  uint64_t number = 0;

  for (size_t i = 0; i < answer->count; i++)
    answer->all += reckoned_s(answer->requests + i, answer->missing[i]);
  for (size_t repetitions; !status && (repetitions = most_missing(answer)) > 0;) {
    size_t next = 0;

    do {
      batch_fill(answer, repetitions, &next, &batch);
      if (batch.count > 0)
        status = batch_measure(answer, &batch, repetitions, number++);
      answer->done += answer->ahead;
      for (size_t i = 0; i < batch.count; i++)
        answer->missing[batch.places[i]] = 0;
    } while (!status && next < answer->count);
  }
  batch_release(&batch);
  return status;
}

static enum perfpred_status sample(void *data, const struct ppi_request *requests, size_t count,
                                   const struct ppi_sampling *sampling, struct ppi_result *results,
                                   struct perfpred_error *error) {
  struct ppi_replay *replay = data;
  struct answer answer = { replay, requests, count, sampling, results, NULL, now(replay), 0.0, 0.0, 0.0, 0, error };
  enum perfpred_status status = reserve_used(replay, error);

  if (status || count == 0)
    return status;
  answer.missing = calloc(count, sizeof *answer.missing);
  if (!answer.missing)
    return ppi_error_memory(error);
  for (size_t i = 0; i < count; i++) {
    results[i] = (struct ppi_result){ .residual = NAN };
    answer.missing[i] = wanted_of(sampling);
  }
  status = take_recorded(&answer);
  if (!status)
    status = replay->behind ? measure_missing(&answer) : require_all(&answer);
  if (status)
    results_release(results, count);
  free(answer.missing);
  return status;
}

static enum perfpred_status least_squares(void *data, int m, int n, int nrhs, double *a, double *b, int *rank,
                                          struct perfpred_error *error) {
  const struct ppi_replay *replay = data;
  const struct ppi_source *solver = replay->solver ? replay->solver : replay->behind;

  if (!solver)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "replay: nobody solves the least squares of the fits");
  return solver->least_squares(solver->data, m, n, nrhs, a, b, rank, error);
}

void ppi_replay_source(struct ppi_replay *replay, struct ppi_source *source) {
  *source = (struct ppi_source){ sample, least_squares, now, replay };
}

void ppi_replay_release(struct ppi_replay *replay) {
  if (!replay)
    return;
  free(replay->used);
  replay->used = NULL;
  replay->used_count = 0;
}
