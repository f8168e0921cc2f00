/* SPDX-License-Identifier: BSD-3-Clause */
#include "contracting.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"

#define OFFERED_MAX 5000 /* algorithms among which the nearest name is looked for */

static const char *const kernels[CONTRACTING_KERNELS] = { "dot", "axpy", "gemv", "ger", "gemm" };
static const char *const modes[] = { "auto", "replay", "flush", "remote", "models" };
static const char *const stages[] = { "default", "repeated", "distances", "prefetch", "failures", "first" };

const char *contracting_kernel(enum perfpred_contraction_kernel kernel) {
  return (size_t)kernel < CONTRACTING_KERNELS ? kernels[kernel] : "?";
}

const char *contracting_mode(enum perfpred_contraction_mode mode) {
  return (size_t)mode < sizeof modes / sizeof modes[0] ? modes[mode] : "?";
}

const char *contracting_stage(enum perfpred_contraction_stage stage) {
  return (size_t)stage < sizeof stages / sizeof stages[0] ? stages[stage] : "?";
}

const char *contracting_given(const struct options *options) {
  const struct {
    const char *name;
    bool given;
  } list[] = {
    { "--kernel", options->kernel_names != NULL },
    { "--max", options->most > 0 },
    { "--copies", options->copies },
    { "--no-copies", options->no_copies },
    { "--transpose", options->transpose },
    { "--no-transpose", options->no_transpose },
    { "--memory", options->memory_limit != NULL },
    { "--type", options->type != NULL },
    { "--answers", options->answers != NULL },
    { "--fuse", options->fuse },
    { "--mode", options->mode != NULL },
    { "--stage", options->stage != NULL },
    { "--budget", options->budget_s > 0.0 },
    { "--complete", options->complete },
    { "--cache", options->cache != NULL },
    { "--factor", options->factor > 0.0 },
    { "--measure", options->measure != 0 },
    { "--others", options->others > 0 },
    { "--limit", options->limit_s > 0.0 },
    { "--run-budget", options->run_budget_s > 0.0 },
    { "--seed", options->seed > 0 },
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    if (list[i].given)
      return list[i].name;
  return NULL;
}

/* --- Words ---------------------------------------------------------------------------------------------------------- */

/* Place of a word in a list; -1 after a message. */
static int choose(const char *option, const char *word, const char *const *list, int first, int count) {
  char expected[160] = "";
  struct suggestion suggestion;
  size_t used = 0;
  suggest_begin(&suggestion, word);
  for (int i = first; i < count; i++) {
    if (strcmp(word, list[i]) == 0)
      return i;
    suggest_offer(&suggestion, list[i]);
    used += (size_t)snprintf(expected + used, sizeof expected - used, "%s'%s'",
                             i == first       ? ""
                             : i + 1 == count ? " or "
                                              : ", ",
                             list[i]);
  }
  message_misuse("option %s: '%s': expected %s%s", option, word, expected, suggest_text(&suggestion, ""));
  return -1;
}

/* "gemm" or "dgemm"; -1: neither. */
static int find_kernel(char type, const char *word) {
  const bool typed = word[0] == type;
  for (int i = 0; i < CONTRACTING_KERNELS; i++)
    if (strcmp(word, kernels[i]) == 0 || (typed && strcmp(word + 1, kernels[i]) == 0))
      return i;
  return -1;
}

/* "gemm,gemv"; the letter of the type may stand before each. */
static int read_kernels(char type, const char *text, unsigned *bits) {
  *bits = 0;
  for (const char *at = text;; at++) {
    char word[16];
    const size_t length = strcspn(at, ",");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
    int place = length < sizeof word ? find_kernel(type, word) : -1;
    if (place < 0)
      place = choose("--kernel", word, kernels, 0, CONTRACTING_KERNELS);
    if (place < 0)
      return COMMAND_MISUSED;
    *bits |= 1U << place;
    at += length;
    if (*at == '\0')
      return COMMAND_OK;
  }
}

int contracting_read_bytes(const char *option, const char *text, int64_t *bytes) {
  *bytes = 0;
  if (text == NULL || number_bytes(text, bytes))
    return COMMAND_OK;
  return message_misuse("option %s: '%s': expected a size above 0 in bytes or with K, M or G behind it", option, text);
}

int contracting_read_filter(const struct options *options, struct perfpred_contraction_filter *filter) {
  *filter = (struct perfpred_contraction_filter)PERFPRED_CONTRACTION_FILTER_INIT;
  if (options->copies && options->no_copies)
    return message_misuse("--copies and --no-copies: expected one of them");
  if (options->transpose && options->no_transpose)
    return message_misuse("--transpose and --no-transpose: expected one of them");
  filter->wholes = options->transpose ? PERFPRED_CONTRACTION_WHOLES_TOO : PERFPRED_CONTRACTION_WHOLES_NONE;
  filter->copies = options->copies      ? PERFPRED_CONTRACTION_COPIES_SOME
                   : options->no_copies ? PERFPRED_CONTRACTION_COPIES_NONE
                                        : PERFPRED_CONTRACTION_COPIES_ANY;
  filter->at_most = (uint64_t)options->most;
  return options->kernel_names != NULL
             ? read_kernels(options->type != NULL ? options->type[0] : 'd', options->kernel_names, &filter->kernels)
             : COMMAND_OK;
}

/* --- The contraction ------------------------------------------------------------------------------------------------ */

#define RANK_MAX 16

struct strides {
  int64_t values[3][RANK_MAX];
  bool given[3];
};

static int read_list(const char *word, const char *text, int64_t *values, size_t *count) {
  *count = 0;
  for (const char *at = text;; at++) {
    char number[24];
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : sizeof number - 1), at);
    if (length >= sizeof number || *count == RANK_MAX || !number_integer(number, 1, INT64_MAX, &values[*count]))
      return message_misuse("option --strides: '%s': expected at most %d integers above 0 with commas", word, RANK_MAX);
    ++*count;
    at += length;
    if (*at == '\0')
      return COMMAND_OK;
  }
}

/* How many indices stand in a tensor of "ai,ibc->abc"; what the text is worth otherwise is not asked here. */
static size_t rank_of(const char *einsum, int tensor) {
  const char *comma = strchr(einsum, ','), *arrow = strstr(einsum, "->");
  const char *from = tensor == 0 ? einsum : tensor == 1 ? comma + 1 : arrow + 2;
  const char *to = tensor == 0 ? comma : tensor == 1 ? arrow : einsum + strlen(einsum);
  size_t rank = 0;
  for (; from < to; from++)
    rank += *from != ' ' && *from != '\t' ? 1 : 0;
  return rank;
}

static int read_strides(const struct options *options, const char *einsum, struct strides *strides) {
  const char *comma = strchr(einsum, ','), *arrow = strstr(einsum, "->");
  memset(strides, 0, sizeof *strides);
  for (size_t i = 0; i < options->strides.count; i++) {
    const char *word = options->strides.items[i];
    size_t count;
    if (word[0] < 'A' || word[0] > 'C' || word[1] != '=')
      return message_misuse("option --strides: '%s': expected A=, B= or C= and a stride for each dimension", word);
    const int tensor = word[0] - 'A';
    int result = read_list(word, word + 2, strides->values[tensor], &count);
    if (result != COMMAND_OK)
      return result;
    const bool sane = comma != NULL && arrow != NULL && comma < arrow; /* else the library says what is wrong */
    if (sane && count != rank_of(einsum, tensor))
      return message_misuse("option --strides: '%s': %zu strides for %zu dimensions", word, count,
                            rank_of(einsum, tensor));
    strides->given[tensor] = sane;
  }
  return COMMAND_OK;
}

int contracting_read_type(const struct options *options, struct perfpred_contraction_options *asked) {
  *asked = (struct perfpred_contraction_options)PERFPRED_CONTRACTION_OPTIONS_INIT;
  if (options->type != NULL && (strlen(options->type) != 1 || strchr("sdcz", options->type[0]) == NULL))
    return message_misuse("option --type: '%s': expected s, d, c or z", options->type);
  asked->type = options->type != NULL ? options->type[0] : 'd';
  asked->fuse = options->fuse;
  return COMMAND_OK;
}

/* An extent that was not given is wrong usage, like a missing parameter of an algorithm. */
static bool lacks_extent(const char *einsum, const struct extents *extents) {
  for (const char *at = einsum; *at != '\0'; at++) {
    size_t place = 0;
    while (place < extents->count && extents->names[place][0] != *at)
      place++;
    if (place == extents->count && isalpha((unsigned char)*at))
      return true;
  }
  return false;
}

static int create(struct session *session, const char *einsum, const struct extents *extents, bool fuse,
                  struct perfpred_contraction **contraction) {
  struct perfpred_contraction_options asked;
  struct strides strides;
  int result = contracting_read_type(session->options, &asked);
  asked.fuse = asked.fuse || fuse;
  if (result == COMMAND_OK)
    result = read_strides(session->options, einsum, &strides);
  if (result != COMMAND_OK)
    return result;
  asked.strides_a = strides.given[0] ? strides.values[0] : NULL;
  asked.strides_b = strides.given[1] ? strides.values[1] : NULL;
  asked.strides_c = strides.given[2] ? strides.values[2] : NULL;
  const enum perfpred_status status = perfpred_contraction_create(einsum, extents->names, extents->values,
                                                                  extents->count, &asked, contraction, &session->error);
  if (status == PERFPRED_INVALID && lacks_extent(einsum, extents))
    return message_misuse("%s", session->error.text);
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

int contracting_create(struct session *session, const char *einsum, const struct extents *extents,
                       struct perfpred_contraction **contraction) {
  return create(session, einsum, extents, false, contraction);
}

int contracting_hint(struct session *session, const char *einsum, const struct extents *extents) {
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  struct perfpred_contraction *fused;
  if (session->options->fuse)
    return COMMAND_OK;
  int result = create(session, einsum, extents, true, &fused);
  if (result != COMMAND_OK)
    return result;
  if (perfpred_contraction_summary(fused, &info, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  else if (info.indices < extents->count)
    printf("hint     with --fuse it is %s: indices that run through memory as one become one\n", info.einsum);
  perfpred_contraction_destroy(fused);
  return result;
}

int contracting_find(struct session *session, const struct perfpred_contraction *contraction, const char *name,
                     struct perfpred_contraction_algorithm *algorithm) {
  struct perfpred_contraction_algorithm offered[2] = { PERFPRED_CONTRACTION_ALGORITHM_INIT,
                                                       PERFPRED_CONTRACTION_ALGORITHM_INIT };
  struct suggestion suggestion;
  struct perfpred_error ignored;
  enum perfpred_status status = perfpred_contraction_find(contraction, name, algorithm, &session->error);
  if (status == PERFPRED_OK)
    return COMMAND_OK;
  int kept = 0; /* the nearest one so far stands in the other place */
  suggest_begin(&suggestion, name);
  for (uint64_t i = 0; status == PERFPRED_NOT_FOUND && i < OFFERED_MAX; i++) {
    struct perfpred_contraction_algorithm *next = &offered[1 - kept];
    if (perfpred_contraction_algorithm_at(contraction, NULL, i, next, &ignored) != PERFPRED_OK)
      break;
    suggest_offer(&suggestion, next->name);
    if (suggestion.nearest == next->name)
      kept = 1 - kept;
  }
  return message_fail("%s%s", session->error.text, suggest_text(&suggestion, ""));
}

/* --- Predictions ---------------------------------------------------------------------------------------------------- */

int contracting_read_stage(const struct options *options, enum perfpred_contraction_stage *stage) {
  int place = 0;
  if (options->stage != NULL)
    place = choose("--stage", options->stage, stages, 1, (int)(sizeof stages / sizeof stages[0]));
  *stage = place > 0 ? (enum perfpred_contraction_stage)place : PERFPRED_CONTRACTION_STAGE_DEFAULT;
  return place < 0 ? COMMAND_MISUSED : COMMAND_OK;
}

static int read_mode(const struct options *options, enum perfpred_contraction_mode *mode) {
  int place = 0;
  if (options->kind != NULL)
    return message_misuse("option --models: contractions take models of calls alone");
  if (options->mode != NULL)
    place = choose("--mode", options->mode, modes, 0, (int)(sizeof modes / sizeof modes[0]));
  if (place < 0)
    return COMMAND_MISUSED;
  *mode = (enum perfpred_contraction_mode)place;
  if (*mode == PERFPRED_CONTRACTION_MODELS && options->models == NULL)
    return message_misuse("option --mode models: expected models behind -m");
  if (options->models != NULL && *mode != PERFPRED_CONTRACTION_AUTO && *mode != PERFPRED_CONTRACTION_MODELS)
    return message_misuse("option --mode %s: no models are used; -m belongs to '--mode models' and 'auto'",
                          options->mode);
  return COMMAND_OK;
}

static int read_plan(const struct options *options, struct perfpred_contraction_plan_options *asked) {
  asked->factor = options->factor;
  asked->gate = options->gate;
  asked->gate = options->gate;
  asked->complete = options->complete;
  asked->no_wholes = options->no_transpose;
  asked->seed = (uint64_t)options->seed;
  asked->budget_s = options->budget_s > 0.0 ? options->budget_s : options->complete ? (double)INFINITY : 0.0;
  int result = read_mode(options, &asked->mode);
  if (result == COMMAND_OK)
    result = contracting_read_stage(options, &asked->stage);
  if (result == COMMAND_OK)
    result = contracting_read_bytes("--cache", options->cache, &asked->cache_bytes);
  if (result == COMMAND_OK && options->answers != NULL && asked->mode == PERFPRED_CONTRACTION_MODELS)
    return message_misuse("option --answers has no effect with '--mode models', which measures nothing");
  return result == COMMAND_OK ? contracting_read_bytes("--memory", options->memory_limit, &asked->memory_bytes)
                              : result;
}

/* Which setup of the models; false: it is left open. */
static bool read_setup(const struct options *options, struct perfpred_plan_options *setup) {
  const bool family = options->blas != NULL && strchr(options->blas, '/') == NULL;
  setup->threads = (int)options->threads;
  setup->blas = family ? options->blas : NULL;
  setup->setup = (size_t)options->setup;
  setup->force = options->force;
  return options->threads > 0 || family || options->setup > 0 || options->force;
}

/* What is needed and not there yet. */
static int prepare(struct session *session, enum perfpred_contraction_mode mode) {
  const struct options *options = session->options;
  const bool measures = mode != PERFPRED_CONTRACTION_MODELS || options->measure != 0;
  int result = COMMAND_OK;
  if (options->models != NULL && session->models == NULL)
    result = session_load(session);
  if (result == COMMAND_OK && measures && session->sampler == NULL)
    result = session_sample(session);
  return result;
}

#define ANSWERS_KEPT 4096 /* what is to be added to a file is kept until the end */

/* What earlier calls found out; a file that is not there yet has nothing. */
static int load_answers(struct session *session, struct perfpred_contraction_planner *planner) {
  struct perfpred_contraction_answers_info info = PERFPRED_CONTRACTION_ANSWERS_INFO_INIT;
  const char *path = session->options->answers;
  if (path == NULL)
    return COMMAND_OK;
  const enum perfpred_status status = perfpred_contraction_planner_load(planner, path, &info, &session->error);
  if (status != PERFPRED_OK && status != PERFPRED_MISSING)
    return session_fail(session);
  if (info.foreign > 0 && info.answers + info.others == 0)
    message_note("%s: its answers are of another setup (BLAS, threads or release) and are not used", path);
  return COMMAND_OK;
}

int contracting_release(struct session *session, struct perfpred_contraction_planner *planner) {
  const char *path = session->options->answers;
  int result = COMMAND_OK;
  if (planner != NULL && path != NULL &&
      perfpred_contraction_planner_save(planner, path, NULL, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  perfpred_contraction_planner_destroy(planner);
  return result;
}

int contracting_planner(struct session *session, const struct perfpred_contraction_filter *filter,
                        const struct contracting_way *way, struct progress *progress,
                        struct perfpred_contraction_planner **planner) {
  const struct options *options = session->options;
  struct perfpred_contraction_plan_options asked = PERFPRED_CONTRACTION_PLAN_OPTIONS_INIT;
  struct perfpred_plan_options setup = PERFPRED_PLAN_OPTIONS_INIT;
  int result = read_plan(options, &asked);
  if (way != NULL) {
    asked.mode = way->mode;
    asked.stage = way->stage;
    asked.complete = 1;
    asked.no_wholes = 1; /* the stages are those of loops */
    asked.budget_s = options->budget_s > 0.0 ? options->budget_s : (double)INFINITY;
  }
  if (result == COMMAND_OK)
    result = prepare(session, asked.mode);
  if (result != COMMAND_OK)
    return result;
  struct perfpred_sampler *sampler = asked.mode == PERFPRED_CONTRACTION_MODELS ? NULL : session->sampler;
  asked.filter = filter;
  asked.answers = options->answers != NULL ? ANSWERS_KEPT : 0;
  asked.plan = session->models != NULL && read_setup(options, &setup) ? &setup : NULL;
  asked.progress = progress_step;
  asked.progress_data = progress;
  struct perfpred_contraction_planner *made = NULL;
  if (perfpred_contraction_planner_create(session->context, sampler, session->models, &asked, &made, &session->error) !=
      PERFPRED_OK)
    return session_fail(session);
  result = load_answers(session, made);
  if (result == COMMAND_OK)
    *planner = made;
  else
    perfpred_contraction_planner_destroy(made);
  return result;
}

int contracting_end(struct session *session, struct progress *progress, enum perfpred_status status) {
  if (progress_end(progress))
    return message_fail("interrupted");
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

int contracting_ask(struct session *session, struct perfpred_contraction_planner *planner,
                    const struct perfpred_contraction *contraction, struct progress *progress,
                    struct perfpred_contraction_plan **plan) {
  progress_begin(progress, "predict");
  enum perfpred_status status = perfpred_contraction_planner_ask(planner, contraction, plan, &session->error);
  const int result = contracting_end(session, progress, status);
  if (result != COMMAND_OK && status == PERFPRED_OK) {
    perfpred_contraction_plan_destroy(*plan);
    *plan = NULL;
  }
  return result;
}
