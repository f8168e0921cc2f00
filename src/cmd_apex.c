/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred apex: synthetic kernels that stand for a mix of applications. */
#include <perfpred/apex.h>

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apex_tables.h"
#include "commands.h"
#include "content.h"
#include "progress.h"
#include "session.h"
#include "suggest.h"
#include "target.h"

/* As of env, nohup and others that end as the command that they begin. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* A text that is read from a file, for the interface. */
struct text {
  struct perfpred_apex_text public;
  char *memory;
};

static int read_text(const char *path, struct text *text) {
  size_t length = 0;
  int result = content_read(path, &text->memory, &length);
  text->public = (struct perfpred_apex_text){ text->memory, length, path };
  return result;
}

/* "0.5,0.25" */
static int read_cell(const char *word, struct perfpred_apex_options *apex) {
  char first[64];
  const char *comma = strchr(word, ',');
  size_t length = comma != NULL ? (size_t)(comma - word) : 0;
  bool good = length > 0 && length < sizeof first;
  if (good) {
    memcpy(first, word, length);
    first[length] = '\0';
    good = number_real(first, 1e-6, 1e6, &apex->cell_bytes_per_cycle) &&
           number_real(comma + 1, 1e-6, 1e6, &apex->cell_flops_per_cycle);
  }
  return good ? COMMAND_OK
              : message_misuse("option --cell: '%s': expected two numbers from 1e-06 to 1e+06 with a comma", word);
}

static int fill(const struct options *options, struct perfpred_apex_options *apex) {
  *apex = (struct perfpred_apex_options)PERFPRED_APEX_OPTIONS_INIT;
  apex->instruction_set = options->instruction_set;
  apex->threads = (int)options->threads;
  apex->cache_bytes = options->cache_bytes;
  apex->clock_hz = options->clock_hz;
  apex->threshold = options->threshold;
  apex->runs_max = (int)options->runs_max;
  apex->index_blocks = (int)options->blocks;
  apex->repetitions = (int)options->repetitions;
  apex->gate = options->gate;
  apex->budget_s = options->budget_s;
  return options->cell != NULL ? read_cell(options->cell, apex) : COMMAND_OK;
}

/* The report as it is, or for people; beside that into the file of -o. */
static int deliver(const struct options *options, char *json, int (*print)(const struct node *report)) {
  int result = options->output != NULL ? content_write(options->output, json) : COMMAND_OK;
  if (result == COMMAND_OK && options->json)
    result = printf("%s\n", json) < 0 || fflush(stdout) != 0 ? message_fail("standard output cannot be written")
                                                             : COMMAND_OK;
  else if (result == COMMAND_OK) {
    struct node *report = node_parse(json);
    result = report != NULL ? print(report) : message_fail("out of memory");
    node_release(report);
  }
  perfpred_free(json);
  return result;
}

/* The runs that stand for rectangles, one a line. */
static int list_representatives(const char *path, char **runs) {
  size_t length = 0;
  FILE *out = open_memstream(runs, &length);
  struct node *weights = node_read(path);
  const struct node *rectangles = node_member(weights, "rectangles");
  int result = weights != NULL ? COMMAND_OK : COMMAND_FAILED;
  if (out == NULL)
    result = message_fail("out of memory");
  for (size_t i = 0; out != NULL && i < node_count(rectangles); i++) {
    const char *run = node_string(node_member(node_member(node_element(rectangles, i), "representative"), "run"));
    if (run[0] != '\0')
      fprintf(out, "%s\n", run);
  }
  if (out != NULL)
    fclose(out);
  if (result == COMMAND_OK && length == 0)
    result = message_fail("%s: no representatives: expected what 'perfpred apex weights -o' wrote", path);
  node_release(weights);
  return result;
}

static int measure(struct session *session, const struct perfpred_apex_text *mix,
                   const struct perfpred_apex_options *given, char **json) {
  struct perfpred_apex_options apex = *given;
  struct progress progress;
  apex.progress = progress_step;
  apex.progress_data = &progress;
  progress_begin(&progress, "apex");
  enum perfpred_status status =
      perfpred_apex_points(session->context, session->sampler, mix, &apex, json, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted");
  return status == PERFPRED_OK ? COMMAND_OK : session_fail(session);
}

/* The runs of a file, or those that stand for rectangles; NULL: the design. */
static int choose_runs(const char *path, const char *weights, char **runs) {
  size_t length = 0;
  if (weights != NULL)
    return list_representatives(weights, runs);
  if (path == NULL)
    return COMMAND_OK;
  int result = content_read(path, runs, &length);
  if (result == COMMAND_OK && strlen(*runs) != length)
    result = message_fail("%s: expected text, found a NUL byte", path);
  return result;
}

/* Points of the setup. */
static int make_points(struct session *session, const char *path, const char *weights, char **json) {
  const struct options *options = session->options;
  struct perfpred_apex_options apex;
  struct text mix = { .memory = NULL };
  char *runs = NULL;
  int result = fill(options, &apex);
  if (result == COMMAND_OK)
    result = choose_runs(path, weights, &runs);
  if (result == COMMAND_OK && options->mix != NULL)
    result = read_text(options->mix, &mix);
  apex.runs = runs;
  if (result == COMMAND_OK)
    result = session_sample(session);
  if (result == COMMAND_OK)
    result = measure(session, options->mix != NULL ? &mix.public : NULL, &apex, json);
  free(mix.memory);
  free(runs);
  return result;
}

static int points(struct session *session) {
  const struct options *options = session->options;
  const char *path = options->operands.count > 1 ? options->operands.items[1] : NULL;
  char *json = NULL;
  if (path != NULL && options->representatives != NULL)
    return message_misuse("'apex points': expected RUNS or --for, not both");
  int result = make_points(session, path, options->representatives, &json);
  return result == COMMAND_OK ? deliver(options, json, apex_print_points) : result;
}

static int weights(struct session *session) {
  const struct options *options = session->options;
  struct perfpred_apex_options apex;
  struct text samples = { .memory = NULL }, places = { .memory = NULL };
  char *json = NULL;
  if (options->points == NULL)
    return message_misuse("'apex weights' needs --points FILE");
  int result = fill(options, &apex);
  if (result == COMMAND_OK)
    result = read_text(options->operands.items[1], &samples);
  if (result == COMMAND_OK)
    result = read_text(options->points, &places);
  if (result == COMMAND_OK && perfpred_apex_weights(session->context, &samples.public, &places.public, &apex, &json,
                                                    &session->error) != PERFPRED_OK)
    result = session_fail(session);
  free(places.memory);
  free(samples.memory);
  return result == COMMAND_OK ? deliver(options, json, apex_print_weights) : result;
}

/* here: points of the machine that is asked about, or NULL. */
static int forecast(struct session *session, const struct perfpred_apex_text *here) {
  const struct options *options = session->options;
  struct text old = { .memory = NULL }, measured = { .memory = NULL };
  char *json = NULL;
  int result = read_text(options->operands.items[1], &old);
  if (result == COMMAND_OK && options->measured != NULL)
    result = read_text(options->measured, &measured);
  if (result == COMMAND_OK &&
      perfpred_apex_predict(session->context, &old.public, here, options->measured != NULL ? &measured.public : NULL,
                            &json, &session->error) != PERFPRED_OK)
    result = session_fail(session);
  free(measured.memory);
  free(old.memory);
  return result == COMMAND_OK ? deliver(options, json, apex_print_prediction) : result;
}

static int predict(struct session *session) {
  struct text here = { .memory = NULL };
  if (session->options->points == NULL)
    return forecast(session, NULL);
  int result = read_text(session->options->points, &here);
  if (result == COMMAND_OK)
    result = forecast(session, &here.public);
  free(here.memory);
  return result;
}

/* Measures the representatives here, and compares with the application's own rate. */
static int validate(struct session *session) {
  const struct options *options = session->options;
  char *json = NULL;
  if (options->measured == NULL)
    return message_misuse("'apex validate' needs --measured SAMPLES");
  if (options->points != NULL)
    return predict(session);
  int result = make_points(session, NULL, options->operands.items[1], &json);
  if (result == COMMAND_OK) {
    const struct perfpred_apex_text here = { json, strlen(json), "points" };
    result = forecast(session, &here);
  }
  perfpred_free(json);
  return result;
}

/* A report goes by what it says that it is. */
static int sort_report(const char *path, struct node **places, struct node **mix) {
  struct node *report = node_read(path);
  const char *kind = node_string(node_member(report, "report"));
  struct node **place = strcmp(kind, "apex points") == 0 ? places : strcmp(kind, "apex weights") == 0 ? mix : NULL;
  if (report == NULL)
    return COMMAND_FAILED;
  if (place != NULL && *place == NULL) {
    *place = report;
    return COMMAND_OK;
  }
  node_release(report);
  return message_fail("%s: expected what 'perfpred apex points' or 'perfpred apex weights' wrote, at most one of each",
                      path);
}

static int plot(struct session *session) {
  const struct options *options = session->options;
  struct node *places = NULL, *mix = NULL;
  int result = COMMAND_OK;
  if (options->output == NULL)
    return message_misuse("'apex plot' needs a file to write: -o FILE.svg");
  for (size_t i = 1; i < options->operands.count && result == COMMAND_OK; i++)
    result = sort_report(options->operands.items[i], &places, &mix);
  if (result == COMMAND_OK)
    result = apex_plot(places, mix, options->output);
  node_release(mix);
  node_release(places);
  if (result != COMMAND_OK || options->json) {
    struct document document;
    if (result != COMMAND_OK)
      return result;
    document_begin(&document);
    document_string(&document, "file", options->output);
    document_string(&document, "picture", "apex");
    return document_print(&document);
  }
  printf("%s\n", options->output);
  return COMMAND_OK;
}

/* COMMAND takes the place of perfpred. */
static int record(struct session *session) {
  const struct options *options = session->options;
  char **command = (char **)options->operands.items + 1; /* execvp changes nothing of it */
  char *entries = NULL, *rest = NULL;
  if (options->output == NULL || options->json)
    return message_misuse(
        "'apex record' needs a file for samples, and prints nothing of its own: expected -o FILE and no --json");
  if (perfpred_apex_record_environment(options->output, &entries, &session->error) != PERFPRED_OK)
    return session_fail(session);
  /* the entries belong to the environment from here on */
  for (char *entry = strtok_r(entries, "\n", &rest); entry != NULL; entry = strtok_r(NULL, "\n", &rest))
    if (putenv(entry) != 0)
      return message_fail("out of memory");
  execvp(command[0], command);
  int failure = errno;
  message_fail("'%s' cannot be run: %s", command[0], failure == ENOENT ? "no such command" : strerror(failure));
  return failure == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* "F,C,M" */
static int read_events(const char *word, char *copy, struct perfpred_apex_watch_options *watching) {
  char *rest = NULL;
  watching->flops = strtok_r(copy, ",", &rest);
  watching->cycles = strtok_r(NULL, ",", &rest);
  watching->misses = strtok_r(NULL, ",", &rest);
  if (watching->misses == NULL || rest[0] != '\0')
    return message_misuse("option --events: '%s': expected three events with commas", word);
  return COMMAND_OK;
}

/* Starts COMMAND beside perfpred. */
static int start(const struct options *options, int64_t *pid) {
  char **command = (char **)options->operands.items + 1;
  pid_t process;
  int failure = posix_spawnp(&process, command[0], NULL, NULL, command, environ);
  if (failure != 0)
    return message_fail("'%s' cannot be run: %s", command[0], strerror(failure));
  *pid = process;
  return COMMAND_OK;
}

static int watch_process(struct session *session, const struct perfpred_apex_watch_options *given) {
  struct perfpred_apex_watch_options watching = *given;
  struct progress progress;
  char *csv = NULL;
  watching.interval_s = session->options->interval_s;
  watching.duration_s = session->options->budget_s;
  watching.progress = progress_step;
  watching.progress_data = &progress;
  progress_begin(&progress, "watch");
  enum perfpred_status status = perfpred_apex_watch(session->sampler, &watching, &csv, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK)
    return interrupted ? message_fail("interrupted") : session_fail(session);
  int result = content_write(session->options->output, csv);
  perfpred_free(csv);
  return result;
}

static int watch(struct session *session) {
  const struct options *options = session->options;
  struct perfpred_apex_watch_options watching = PERFPRED_APEX_WATCH_OPTIONS_INIT;
  char *events = NULL;
  bool own = options->operands.count > 1;
  int result = COMMAND_OK;
  if (options->output == NULL || own == (options->pid != 0))
    return message_misuse(
        "'apex watch' needs a file for samples and a process: expected -o FILE, and COMMAND or --pid N");
  if (options->events != NULL) {
    events = strdup(options->events);
    result = events != NULL ? read_events(options->events, events, &watching) : message_fail("out of memory");
  }
  if (result == COMMAND_OK)
    result = session_sample(session);
  watching.pid = options->pid;
  if (result == COMMAND_OK && own)
    result = start(options, &watching.pid);
  if (result == COMMAND_OK)
    result = watch_process(session, &watching);
  if (own && watching.pid > 0)
    waitpid((pid_t)watching.pid, NULL, 0);
  free(events);
  return result;
}

static const struct {
  const char *name;
  int (*run)(struct session *session);
  size_t least, most; /* operands behind the name */
} works[] = { { "points", points, 0, 1 },     { "weights", weights, 1, 1 },      { "predict", predict, 1, 1 },
              { "validate", validate, 1, 1 }, { "record", record, 1, SIZE_MAX }, { "watch", watch, 0, SIZE_MAX },
              { "plot", plot, 1, 2 } };
#define WORKS (sizeof works / sizeof works[0])

static int unknown(const char *name) {
  struct suggestion suggestion;
  suggest_begin(&suggestion, name);
  for (size_t i = 0; i < WORKS; i++)
    suggest_offer(&suggestion, works[i].name);
  return message_misuse("'apex': no '%s'%s: expected points, weights, predict, validate, record, watch or plot", name,
                        suggest_text(&suggestion, ""));
}

static int run(const struct options *options) {
  struct session session;
  size_t given = options->operands.count - 1, place = 0;
  while (place < WORKS && strcmp(works[place].name, options->operands.items[0]) != 0)
    place++;
  if (place == WORKS)
    return unknown(options->operands.items[0]);
  if (given < works[place].least || given > works[place].most)
    return message_misuse("'apex %s': %zu operands, expected %zu to %zu", works[place].name, given, works[place].least,
                          works[place].most);
  int result = options->output != NULL ? target_check(options->output) : COMMAND_OK;
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = works[place].run(&session);
  session_close(&session);
  return result;
}

const struct command command_apex = {
  .name = "apex",
  .synopsis = "points|weights|predict|validate|record|watch|plot [FILE] ...",
  .summary = "Apex-MAP: synthetic runs that stand for a mix of applications",
  .details = "  apex points [RUNS] [--mix SAMPLES | --for WEIGHTS] [--isa NAME] [--threads T] [-o FILE]\n"
             "      runs the kernels: those of a text, those that stand for a mix, or some three hundred; with a mix\n"
             "      others that aim at its rectangles\n"
             "  apex weights SAMPLES --points FILE [--cell X,Y] [--threshold W] [-o FILE]\n"
             "      shares of an application's time in the rectangles of the plane, and the runs that stand for them;\n"
             "      samples are CSV with a line of names (time_s,flops,bytes or time_s,call), or JSON\n"
             "  apex predict WEIGHTS [--points FILE] [--measured SAMPLES]\n"
             "      flop/s of the application on the machine of the weights, or on that of the points\n"
             "  apex validate WEIGHTS --measured SAMPLES [--isa NAME] [--threads T]\n"
             "      makes the runs that are needed here, predicts, and compares with what was measured\n"
             "  apex record -o SAMPLES -- COMMAND [WORD ...]\n"
             "      runs a program and notes its calls of BLAS and LAPACK, as samples\n"
             "  apex watch -o SAMPLES [--interval S] [--events F,C,M] [--pid N | -- COMMAND [WORD ...]]\n"
             "      samples of a running program from counters, where the machine has them\n"
             "  apex plot POINTS|WEIGHTS ... -o FILE.svg\n"
             "      the plane with runs, rectangles and representatives\n",
  .takes = TAKES_APEX | TAKES_OUTPUT | TAKES_REPS | TAKES_GATE | TAKES_BUDGET | TAKES_SETUP | TAKES_FILES,
  .operands_min = 1,
  .operands_max = (size_t)-1,
  .run = run,
};
