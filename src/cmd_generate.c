/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred generate: measures and fits what algorithms need. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "generating.h"
#include "knobs.h"
#include "lapack.h"
#include "progress.h"
#include "session.h"
#include "states.h"
#include "target.h"
#include "units.h"

#define CHANGE_NOTED 0.05 /* of the anchors, from begin to end */

double generating_seconds(void) {
  struct timespec now = { 0, 0 };
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Models that are tied to a call in an algorithm, or of a state of the caches. */
static size_t count_contexts(const struct session *session, bool states) {
  size_t count = 0;
  for (size_t i = 0; i < perfpred_models_count(session->models); i++) {
    struct perfpred_model_info info = PERFPRED_MODEL_INFO_INIT;
    if (perfpred_models_info(session->models, i, &info, NULL) == PERFPRED_OK && info.context[0] != '\0' &&
        (strncmp(info.context, "cache:", 6) == 0) == states)
      count++;
  }
  return count;
}

static int print_json(const struct session *session, const struct perfpred_generate_report *report) {
  struct document document;
  document_begin(&document);
  document_string(&document, "file", session->options->output);
  document_open_array(&document, "algorithms");
  for (size_t i = 0; i < session->count; i++)
    document_string(&document, NULL, perfpred_program_name(session->programs[i]));
  document_close(&document);
  document_integer(&document, "models", (int64_t)report->models);
  document_integer(&document, "context_models", (int64_t)count_contexts(session, false));
  document_integer(&document, "state_models", (int64_t)count_contexts(session, true));
  document_integer(&document, "points", (int64_t)report->points);
  document_integer(&document, "samples", (int64_t)report->samples);
  document_integer(&document, "disturbed", (int64_t)report->disturbed);
  document_number(&document, "pass_rate", report->pass_rate);
  document_number(&document, "measure_s", report->measure_s);
  document_number(&document, "wall_s", report->wall_s);
  document_number(&document, "timed_s", report->timed_s);
  document_number(&document, "rejected_s", report->rejected_s);
  document_number(&document, "spare_s", report->spare_s);
  document_number(&document, "yardstick_s", report->yardstick_s);
  document_number(&document, "restore_s", report->restore_s);
  document_number(&document, "floor_s", report->floor_s);
  document_number(&document, "max_error", report->max_error);
  document_boolean(&document, "budget_exhausted", report->budget_exhausted != 0);
  document_boolean(&document, "rates_known", report->rates_known != 0);
  document_integer(&document, "anchors", (int64_t)report->anchors);
  document_number(&document, "anchor_s", report->anchor_s);
  document_number(&document, "anchor_change", report->anchor_change);
  return document_print(&document);
}

static int print_text(const struct session *session, const struct perfpred_generate_report *report) {
  char text[UNIT_TEXT];
  printf("%s: %llu model%s", session->options->output, (unsigned long long)report->models, unit_plural(report->models));
  printf(" from %llu sample%s at %llu point%s\n", (unsigned long long)report->samples, unit_plural(report->samples),
         (unsigned long long)report->points, unit_plural(report->points));
  if (session->options->context)
    printf("context        %zu of the models are of calls in the steps of their algorithm%s\n",
           count_contexts(session, false),
           count_contexts(session, false) == 0 ? ": none of these has a loop over blocks whose steps are alike; for "
                                                 "such there are models by states of the caches, --cache"
                                               : "");
  if (session->options->states)
    printf("caches         %zu of the models are of states of the caches\n", count_contexts(session, true));
  printf("time           %.1f s, of which %.1f s in timed calls\n", report->wall_s, report->measure_s);
  printf("disturbed      %llu call%s thrown away;", (unsigned long long)report->disturbed,
         unit_plural(report->disturbed));
  printf(" %s passed\n", unit_percent(text, report->pass_rate, "%.1f %%"));
  printf("largest error  %s at the sampling points\n", unit_percent(text, report->max_error, "%.2f %%"));
  if (report->anchors > 0)
    printf("anchors        %llu call%s kept for 'perfpred drift', in %.1f s; they took %s at the end\n",
           (unsigned long long)report->anchors, unit_plural(report->anchors), report->anchor_s,
           unit_percent(text, report->anchor_change - 1.0, "%+.1f %%"));
  if (!report->rates_known)
    printf("peak, bandwidth  not measured: a tenth of the budget is too short for them; a longer run adds them\n");
  if (report->budget_exhausted)
    printf("The budget ended the refinement early: more time makes better models.\n");
  if (report->floor_s > session->options->budget_s)
    printf(
        "The budget is less than the %.1f s that the start, a sample at either end of each domain and the fits take.\n",
        report->floor_s);
  return COMMAND_OK;
}

/* Models of a loud machine can be off by more than they know. */
static void note_loudness(const struct perfpred_generate_report *report) {
  char text[UNIT_TEXT];
  if (report->pass_rate < 0.5)
    message_note(
        "only %s of the timed calls passed the gate: the machine was busy, and models of such a time may be wrong "
        "by more than they say; generate again with --replace when it is quiet, and check with 'perfpred validate'",
        unit_percent(text, report->pass_rate, "%.1f %%"));
}

/* What was measured at one time and what was at another do not go together then. */
static void note_change(const struct perfpred_generate_report *report) {
  char text[UNIT_TEXT];
  if (fabs(report->anchor_change - 1.0) > CHANGE_NOTED)
    message_note(
        "the same calls took %s at the end of the generation: the machine's speed changed meanwhile, and models "
        "of such a time are a mixture; generate again with --replace when it is steady",
        unit_percent(text, report->anchor_change - 1.0, "%+.1f %%"));
}

static int fill(const struct options *options, struct perfpred_generate_options *generate) {
  if (options->n.step != 0 || options->b.step != 0)
    return message_misuse("'generate' chooses the points itself: expected -n LO:HI and -b LO:HI without a STEP");
  generate->n_lower = options->n.lower;
  generate->n_upper = options->n.upper;
  generate->b_lower = options->b.lower;
  generate->b_upper = options->b.upper;
  generate->budget_s = options->budget_s;
  generate->gate = options->gate;
  generate->ld = options->ld;
  generate->contexts = options->context ? PERFPRED_CONTEXTS_INSTEAD : PERFPRED_CONTEXTS_NONE;
  int result = states_parse(options->states, &generate->states);
  return result == COMMAND_OK ? knobs_apply(&options->settings, generate) : result;
}

static int measure(struct session *session, struct perfpred_generate_options *generate, const char *what,
                   struct perfpred_generate_report *report) {
  struct progress progress;
  generate->progress = progress_step;
  generate->progress_data = &progress;
  progress_begin(&progress, what);
  enum perfpred_status status =
      perfpred_generate(session->context, session->sampler, (const struct perfpred_program *const *)session->programs,
                        session->count, generate, &session->models, report, &session->error);
  bool interrupted = progress_end(&progress);
  if (status != PERFPRED_OK && interrupted)
    return message_fail("interrupted: %s is not written; the same command goes on where this one stopped (%s)",
                        session->options->output, generate->journal);
  if (status != PERFPRED_OK)
    return session_fail(session);
  struct perfpred_update_options update = PERFPRED_UPDATE_OPTIONS_INIT;
  update.replace = session->options->replace;
  if (perfpred_models_update(session->context, session->models, session->options->output, &update, &session->error) !=
      PERFPRED_OK)
    return session_fail(session);
  note_loudness(report);
  note_change(report);
  return COMMAND_OK;
}

/* What is in the file: its samples are used, and a file that cannot be added to is told before anything is measured. */
static int load_known(struct session *session, struct perfpred_models **known) {
  const char *path = session->options->output;
  if (session->options->replace)
    return COMMAND_OK;
  enum perfpred_status status = perfpred_models_load(session->context, path, NULL, known, &session->error);
  if (status == PERFPRED_OK || status == PERFPRED_MISSING)
    return COMMAND_OK;
  return message_fail("%s; --replace writes the file anew", session->error.text);
}

int generating_run(struct session *session, struct perfpred_generate_options *generate, double begin_s,
                   const char *what, struct perfpred_generate_report *report) {
  char journal[4096];
  struct perfpred_models *known = NULL;
  if ((size_t)snprintf(journal, sizeof journal, "%s.journal", session->options->output) >= sizeof journal)
    return message_fail("%s: the name is too long", session->options->output);
  int result = load_known(session, &known);
  generate->journal = journal;
  generate->restart = session->options->restart;
  generate->keep_samples = session->options->samples;
  generate->known = known;
  generate->spent_s = generating_seconds() - begin_s;
  if (result == COMMAND_OK)
    result = measure(session, generate, what, report);
  perfpred_models_unref(known);
  return result;
}

static int check(const struct options *options) {
  if (options->algorithms == NULL)
    return message_misuse("'generate' needs to know what for: --for NAME[,NAME]");
  if (options->output == NULL)
    return message_misuse("'generate' needs a file to write: -o FILE");
  return COMMAND_OK;
}

static int run(const struct options *options) {
  struct perfpred_generate_options generate = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  struct session session;
  double begin_s = generating_seconds();
  int result = check(options);
  if (result == COMMAND_OK)
    result = fill(options, &generate);
  if (result == COMMAND_OK && lapack_is_meant(options))
    return lapack_run(options, &generate);
  if (result == COMMAND_OK)
    result = lapack_check_absent(options);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = session_find(&session, options->algorithms);
  if (result == COMMAND_OK)
    result = target_check(options->output);
  if (result == COMMAND_OK)
    result = session_sample(&session);
  if (result == COMMAND_OK)
    result = generating_run(&session, &generate, begin_s, "generate", &report);
  if (result == COMMAND_OK)
    result = options->json ? print_json(&session, &report) : print_text(&session, &report);
  session_close(&session);
  return result;
}

const struct command command_generate = {
  .name = "generate",
  .synopsis = "--for NAME[,NAME] -o FILE [-n LO:HI] [-b LO:HI] [--budget SECONDS] [--set KNOB=VALUE] ...",
  .summary = "Measures and fits the models that algorithms need",
  .details =
      "-n bounds every size parameter (8:1024) but those with a value in the text (nx = 128), -b the block size "
      "(8:256).\n"
      "Kernels, cases and domains follow from the algorithms' texts. A FILE that is there is added to;\n"
      "--replace writes it anew. With --context calls are measured in the steps of their algorithm's loop, each right\n"
      "after the calls before it, and hold for that algorithm alone; calls that have no such step are measured as\n"
      "usual. With --cache calls are measured in states of the caches, for estimates that know what a call finds "
      "there\n"
      "('perfpred cache', 'perfpred timings'). After an interrupt (Ctrl-C, kill) the same command goes on where it "
      "stopped.\n\n"
      "--for lapack stands for all routines of LAPACK that ask for a block size, of the --types given, in 600 seconds\n"
      "unless --budget says otherwise, for sizes 8:3000: besides the models a decision table is written ('perfpred\n"
      "table' shows it), which 'perfpred run' gives to programs. Models that FILE has already are not made again.\n\n"
      "Knobs of --set, with their defaults:\n"
      "  overfitting    degrees beyond the kernel's own: 2; published: 0 for kernels of three sizes\n"
      "  oversampling   published: points for each dimension beyond those that fitting needs: 4\n"
      "  grid           published: chebyshev or cartesian\n"
      "  repetitions    samples at each point: 10\n"
      "  reference      statistic that refinement looks at: minimum or median\n"
      "  error-measure  how errors of points are summed up: maximum, percentile90 or average\n"
      "  error-bound    refine above this relative error: 0.01\n"
      "  minimum-width  split no narrower: 32; published: 64 for kernels of three sizes\n"
      "  seed           of the order of the samples\n"
      "  generator      adaptive (the default), which samples where it errs, or published\n",
  .takes = TAKES_FOR | TAKES_OUTPUT | TAKES_N | TAKES_B | TAKES_BUDGET | TAKES_SET | TAKES_SETUP | TAKES_GATE |
           TAKES_LD | TAKES_FILES | TAKES_TARGET | TAKES_CONTEXT | TAKES_STATES | TAKES_TYPES | TAKES_TABLE |
           TAKES_EMIT,
  .run = run,
};
