/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulation.h"
#include "suggest.h"

int session_fail(const struct session *session) {
  const char *text = session->error.text;
  return message_fail("%s", text[0] != '\0' ? text : perfpred_status_text(session->error.status));
}

int session_open(struct session *session, const struct options *options) {
  memset(session, 0, sizeof *session);
  session->options = options;
  if (perfpred_context_create(&session->context, &session->error) != PERFPRED_OK)
    return session_fail(session);
  for (size_t i = 0; i < options->files.count; i++) {
    if (perfpred_context_add_file(session->context, options->files.items[i], &session->error) != PERFPRED_OK)
      return session_fail(session);
  }
  return COMMAND_OK;
}

void session_close(struct session *session) {
  for (size_t i = 0; i < session->count; i++)
    perfpred_plan_destroy(session->plans[i]);
  for (size_t i = 0; i < session->count + session->unbound; i++)
    perfpred_program_unref(session->programs[i]);
  free(session->threads);
  free(session->plans);
  free(session->programs);
  perfpred_sampler_destroy(session->sampler);
  node_release(session->report);
  perfpred_models_unref(session->models);
  perfpred_context_destroy(session->context);
}

static bool enlarge(struct session *session) {
  size_t capacity = session->capacity == 0 ? 16 : 2 * session->capacity;
  struct perfpred_program **programs = realloc(session->programs, capacity * sizeof(struct perfpred_program *));
  if (programs != NULL)
    session->programs = programs;
  struct perfpred_plan **plans = realloc(session->plans, capacity * sizeof(struct perfpred_plan *));
  if (plans != NULL)
    session->plans = plans;
  int *threads = realloc(session->threads, capacity * sizeof *threads);
  if (threads != NULL)
    session->threads = threads;
  if (programs == NULL || plans == NULL || threads == NULL)
    return false;
  session->capacity = capacity;
  return true;
}

/* Takes the reference over. */
static int append(struct session *session, struct perfpred_program *program, int threads) {
  if (session->count == session->capacity && !enlarge(session)) {
    perfpred_program_unref(program);
    return message_fail("out of memory");
  }
  session->plans[session->count] = NULL;
  session->threads[session->count] = threads;
  session->programs[session->count++] = program;
  return COMMAND_OK;
}

/* Takes the reference over. A program that is there already is not added again. */
static int add_program(struct session *session, struct perfpred_program *program) {
  const char *name = perfpred_program_name(program);
  for (size_t i = 0; i < session->count; i++) {
    if (strcmp(name, perfpred_program_name(session->programs[i])) == 0) {
      perfpred_program_unref(program);
      return COMMAND_OK;
    }
  }
  return append(session, program, (int)session->options->threads);
}

/* Adds the algorithms of an operation; *found counts them. Without one, suggestion has the nearest name. */
static int add_operation(struct session *session, const char *name, size_t *found, struct suggestion *suggestion) {
  size_t count = perfpred_program_count(session->context);
  *found = 0;
  for (size_t i = 0; i < count; i++) {
    struct perfpred_program *program;
    const char *candidate = perfpred_program_name_at(session->context, i);
    suggest_offer(suggestion, candidate);
    if (strcmp(perfpred_program_operation_at(session->context, i), name) != 0)
      continue;
    if (perfpred_program_find(session->context, candidate, &program, &session->error) != PERFPRED_OK)
      return session_fail(session);
    ++*found;
    if (add_program(session, program) != COMMAND_OK)
      return COMMAND_FAILED;
  }
  return COMMAND_OK;
}

static int add_named(struct session *session, const char *name) {
  struct perfpred_program *program;
  struct suggestion suggestion;
  size_t found;
  enum perfpred_status status = perfpred_program_find(session->context, name, &program, &session->error);
  if (status == PERFPRED_OK)
    return add_program(session, program);
  if (status != PERFPRED_NOT_FOUND)
    return session_fail(session);
  suggest_begin(&suggestion, name);
  int result = add_operation(session, name, &found, &suggestion);
  if (result == COMMAND_OK && found == 0)
    result = message_fail("no algorithm or operation '%s'%s; 'perfpred algorithms' lists them", name,
                          suggest_text(&suggestion, ""));
  return result;
}

int session_find(struct session *session, const char *names) {
  char *copy = strdup(names);
  int result = COMMAND_OK;
  if (copy == NULL)
    return message_fail("out of memory");
  for (char *name = copy, *next; result == COMMAND_OK && name != NULL; name = next) {
    next = strchr(name, ',');
    if (next != NULL)
      *next++ = '\0';
    if (name[0] == '\0')
      result = message_misuse("'%s': expected names separated by single commas", names);
    else
      result = add_named(session, name);
  }
  free(copy);
  return result;
}

int session_load(struct session *session) {
  struct perfpred_load_options load = PERFPRED_LOAD_OPTIONS_INIT;
  if (session->options->models == NULL)
    return message_misuse("a model file is needed: -m FILE ('perfpred generate' makes one)");
  load.force = session->options->force;
  enum perfpred_status status =
      perfpred_models_load(session->context, session->options->models, &load, &session->models, &session->error);
  if (status == PERFPRED_OTHER_MACHINE)
    return message_fail("%s; --force uses it all the same", session->error.text);
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

int session_report(struct session *session) {
  char *text;
  if (session->report != NULL)
    return COMMAND_OK;
  if (perfpred_models_print(session->models, &text, &session->error) != PERFPRED_OK)
    return session_fail(session);
  session->report = node_parse(text);
  perfpred_free(text);
  return session->report != NULL ? COMMAND_OK : message_fail("out of memory");
}

void session_drop(struct session *session, size_t place) {
  struct perfpred_program *program = session->programs[place];
  int threads = session->threads[place];
  size_t last = session->count + session->unbound - 1;
  perfpred_plan_destroy(session->plans[place]);
  for (size_t i = place; i < last; i++) {
    session->programs[i] = session->programs[i + 1];
    session->threads[i] = session->threads[i + 1];
    session->plans[i] = session->plans[i + 1];
  }
  session->programs[last] = program;
  session->threads[last] = threads;
  session->plans[last] = NULL;
  session->unbound++;
  session->count--;
}

/* Whether the models have a setup for so many threads; one of an unknown number counts as one for 1. */
static bool has_threads(const struct session *session, int64_t threads) {
  for (size_t i = 0; i < perfpred_models_setup_count(session->models); i++) {
    struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
    if (perfpred_models_setup_info(session->models, i, &info, NULL) == PERFPRED_OK &&
        (info.threads > 1 ? info.threads : 1) == threads)
      return true;
  }
  return false;
}

int session_threads(const struct session *session, size_t place) {
  struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
  size_t setup = perfpred_plan_setup(session->plans[place]);
  if (perfpred_models_setup_info(session->models, setup, &info, NULL) != PERFPRED_OK || info.threads < 1)
    return 1;
  return info.threads;
}

int session_spread(struct session *session) {
  const struct counts *counts = &session->options->thread_counts;
  size_t once = session->count;
  int first = 0, result = COMMAND_OK;
  for (size_t k = 0; k < counts->count && result == COMMAND_OK; k++) {
    int threads = (int)counts->items[k];
    if (!has_threads(session, threads)) {
      message_note("left out, for there are no models: %d thread%s", threads, threads == 1 ? "" : "s");
      continue;
    }
    for (size_t i = 0; i < once && result == COMMAND_OK; i++) {
      if (first == 0)
        session->threads[i] = threads;
      else
        result = append(session, perfpred_program_ref(session->programs[i]), threads);
    }
    first = first == 0 ? threads : first;
  }
  if (result == COMMAND_OK && counts->count > 0 && first == 0)
    result = message_fail("%s has no models for any of these numbers of threads", session->options->models);
  return result;
}

/* Which models are to answer (--models). */
static bool is_kind(const struct session *session, const char *kind) {
  return session->options->kind != NULL && strcmp(session->options->kind, kind) == 0;
}

/* With the way out. */
static int fail_to_bind(const struct session *session, enum perfpred_status status) {
  if (status == PERFPRED_OTHER_BLAS)
    return message_fail("%s; --force uses them all the same", session->error.text);
  if (status == PERFPRED_AMBIGUOUS)
    return message_fail("%s (--threads, --blas, --setup)", session->error.text);
  if (status == PERFPRED_UNMODELLED && is_kind(session, "context"))
    return message_fail(
        "%s; 'perfpred generate --context' makes them of algorithms with a loop over blocks whose steps are "
        "alike; for others there are those by states of the caches (generate --cache, --models cache)",
        session->error.text);
  return session_fail(session);
}

static struct perfpred_plan_options binding(const struct session *session, size_t place) {
  struct perfpred_plan_options plan_options = PERFPRED_PLAN_OPTIONS_INIT;
  plan_options.extrapolate = session->options->extrapolate;
  plan_options.threads = session->threads[place];
  plan_options.blas = session->options->blas;
  plan_options.setup = (size_t)session->options->setup;
  plan_options.force = session->options->force;
  plan_options.warm = is_kind(session, "warm");
  plan_options.context = is_kind(session, "context");
  plan_options.ld = session->options->ld;
  plan_options.cache = session->blend ? &session->emulation : NULL;
  return plan_options;
}

struct perfpred_plan *session_bind_warm(struct session *session, size_t place) {
  struct perfpred_plan_options plan_options = binding(session, place);
  struct perfpred_plan *plan = NULL;
  struct perfpred_error ignored;
  plan_options.warm = 1;
  plan_options.context = 0;
  plan_options.cache = NULL;
  return perfpred_plan_create(session->programs[place], session->models, &plan_options, &plan, &ignored) == PERFPRED_OK
             ? plan
             : NULL;
}

const char *session_kind(const struct perfpred_prediction *prediction) {
  const uint64_t context_calls = prediction->context_calls, warm_calls = prediction->warm_calls;
  if (prediction->cache_calls > 0)
    return "cache";
  return context_calls == 0 ? "warm" : warm_calls == 0 ? "context" : "mixed";
}

int session_choose_kind(struct session *session, struct perfpred_plan_options *plan_options) {
  static const char *const kinds[] = { "auto", "context", "warm", "cache" };
  const bool cache = is_kind(session, "cache");
  bool known = session->options->kind == NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    known = known || is_kind(session, kinds[i]);
  if (!known)
    return message_misuse("option --models: '%s': expected 'auto', 'context', 'warm' or 'cache'",
                          session->options->kind);
  if (cache && emulation_read(session->options, &session->emulation) != COMMAND_OK)
    return COMMAND_MISUSED;
  if (!cache && !session->blend && emulation_given(session->options))
    return message_misuse("how caches are emulated is said beside '--models cache' only");
  session->blend = session->blend || cache;
  plan_options->warm = is_kind(session, "warm");
  plan_options->context = is_kind(session, "context");
  plan_options->cache = session->blend ? &session->emulation : NULL;
  return COMMAND_OK;
}

int session_bind(struct session *session, bool skip) {
  struct perfpred_plan_options kind = PERFPRED_PLAN_OPTIONS_INIT;
  if (session_choose_kind(session, &kind) != COMMAND_OK)
    return COMMAND_MISUSED;
  for (size_t i = 0; i < session->count;) {
    const struct perfpred_plan_options plan_options = binding(session, i);
    enum perfpred_status status =
        perfpred_plan_create(session->programs[i], session->models, &plan_options, &session->plans[i], &session->error);
    if (status == PERFPRED_OK) {
      i++;
    } else if (status == PERFPRED_UNMODELLED && skip && session->count > 1) {
      session->plans[i] = NULL;
      session_drop(session, i);
    } else {
      session->plans[i] = NULL;
      return fail_to_bind(session, status);
    }
  }
  return COMMAND_OK;
}

/* The setup of the first plan, as the worker is to have it: with the models' reading of the yardstick, too, so that measured times
   and predicted ones are of one state of the machine. Forced models may be of another machine, whose reading is none of ours. */
static int recorded(struct session *session, struct perfpred_setup *setup) {
  struct perfpred_setup_info info = PERFPRED_SETUP_INFO_INIT;
  size_t place = session->count > 0 ? perfpred_plan_setup(session->plans[0]) : 0;
  if (perfpred_models_setup_info(session->models, place, &info, &session->error) != PERFPRED_OK)
    return session_fail(session);
  setup->blas = info.blas_path[0] != '\0' ? info.blas_path : NULL;
  setup->lapack = info.lapack_path[0] != '\0' ? info.lapack_path : NULL;
  setup->threads = info.threads <= 4096 ? info.threads : 0;
  session->of_models = info.yardstick_s > 0.0 && !session->options->force && session->options->yardstick_s <= 0.0;
  setup->yardstick_s = session->of_models ? info.yardstick_s : 0.0;
  return COMMAND_OK;
}

int session_sample(struct session *session) {
  const struct options *options = session->options;
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  if (session->models != NULL) {
    int result = recorded(session, &setup);
    if (result != COMMAND_OK)
      return result;
  }
  /* beside models a word without a slash chose among them */
  if (options->blas != NULL && (session->models == NULL || strchr(options->blas, '/') != NULL))
    setup.blas = options->blas;
  if (options->lapack != NULL)
    setup.lapack = options->lapack;
  if (options->threads != 0)
    setup.threads = (int)options->threads;
  if (options->yardstick_s > 0.0)
    setup.yardstick_s = options->yardstick_s;
  setup.worker = options->worker;
  setup.environment = options->environment.items; /* the words end with a NULL */
  if (perfpred_sampler_create_worker(session->context, &setup, &session->sampler, &session->error) != PERFPRED_OK)
    return session_fail(session);
  return COMMAND_OK;
}
