/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred contract: algorithms of a tensor contraction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "content.h"
#include "contract_stages.h"
#include "contract_tables.h"
#include "target.h"

/* What is to be done; predictions where no option says something else. */
enum task { TASK_PREDICT, TASK_LIST, TASK_ANALYZE, TASK_PROGRAM, TASK_EMIT, TASK_STAGES, TASK_CASES };

static const char *const task_options[] = { "", "--list", "--analyze", "--program", "--emit", "--stages", "--cases" };

static int read_task(const struct options *options, enum task *task) {
  const bool given[] = {
    false,           options->list,         options->analyze != NULL, options->program != NULL, options->emit != NULL,
    options->stages, options->cases != NULL
  };
  *task = TASK_PREDICT;
  for (int i = TASK_LIST; i <= TASK_CASES; i++) {
    const bool counted = *task == TASK_LIST && i == TASK_CASES; /* --cases --list counts alone */
    if (given[i] && *task != TASK_PREDICT && !counted)
      return message_misuse("%s and %s: expected one of them", task_options[*task], task_options[i]);
    if (given[i])
      *task = (enum task)i;
  }
  return COMMAND_OK;
}

static int check_operands(const struct options *options, enum task task) {
  const size_t count = options->operands.count;
  if (task == TASK_CASES && (count > 0 || options->extents.count > 0))
    return message_misuse("option --cases: the file has the contractions: expected no EINSUM and no extents");
  if (task == TASK_CASES && options->strides.count > 0)
    return message_misuse("option --strides: belongs to one contraction, not to --cases");
  if (task != TASK_CASES && count == 0)
    return message_misuse("'contract' needs a contraction and its extents, such as 'ai,ibc->abc' a=b=c=400 i=8");
  if (count > 1 && task != TASK_EMIT)
    return message_misuse("'contract': unexpected '%s'; a NAME stands behind EINSUM with --emit only",
                          options->operands.items[1]);
  return COMMAND_OK;
}

/* An option that would be silently without effect. */
struct stray {
  const char *name, *home;
  bool given, belongs;
};

static int refuse_strays(const struct stray *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i].given && !list[i].belongs)
      return message_misuse("option %s has no effect here: it belongs to %s", list[i].name, list[i].home);
  return COMMAND_OK;
}

static bool is_predicted(const struct options *options, enum task task) {
  if (task == TASK_EMIT)
    return options->operands.count == 1;
  return !options->list && (task == TASK_PREDICT || task == TASK_STAGES || task == TASK_CASES);
}

static int check_options(const struct options *options, enum task task) {
  const bool predicts = is_predicted(options, task), measures = options->measure != 0;
  const bool analyzes = task == TASK_ANALYZE, emits = task == TASK_EMIT, staged = task == TASK_STAGES;
  const bool chooses = predicts || task == TASK_LIST; /* among algorithms: none is named */
  const struct stray list[] = {
    { "--kernel", "--list and predictions", options->kernel_names != NULL, chooses },
    { "--max", "--list and predictions", options->most > 0, chooses },
    { "--copies", "--list and predictions", options->copies, chooses },
    { "--no-copies", "--list and predictions", options->no_copies, chooses },
    { "--no-transpose", "--list and predictions", options->no_transpose, chooses },
    { "-m", "predictions", options->models != NULL, predicts && !staged },
    { "--mode", "predictions", options->mode != NULL, predicts && !staged },
    { "--stage", "predictions and --analyze", options->stage != NULL, (predicts && !staged) || analyzes },
    { "--answers", "predictions", options->answers != NULL, predicts },
    { "--budget", "predictions", options->budget_s > 0.0, predicts },
    { "--complete", "predictions", options->complete, predicts && !staged },
    { "--measure", "predictions", measures, predicts && !emits },
    { "--memory", "predictions", options->memory_limit != NULL, predicts },
    { "--cache", "predictions and --analyze", options->cache != NULL, predicts || analyzes },
    { "--factor", "predictions and --analyze", options->factor > 0.0, predicts || analyzes },
    { "-o", "--emit", options->output != NULL, emits },
    { "--name", "--emit", options->name != NULL, emits },
    { "--line", "--analyze", options->line > 0, analyzes },
    { "--whole-lines", "--analyze", options->whole_lines, analyzes },
    { "--corrected", "--analyze", options->corrected, analyzes },
    { "--untruncated", "--analyze", options->untruncated, analyzes },
  };
  return refuse_strays(list, sizeof list / sizeof list[0]);
}

/* What --measure needs, and what needs it. */
static int check_executions(const struct options *options, enum task task) {
  const bool measures = options->measure != 0 || task == TASK_STAGES;
  const struct stray list[] = {
    { "--others", "--measure", options->others > 0, measures },
    { "--limit", "--measure", options->limit_s > 0.0, measures },
    { "--run-budget", "--measure", options->run_budget_s > 0.0, measures },
    { "--reps", "--measure", options->repetitions > 0, measures },
    { "--gate", "predictions and --measure", options->gate < 0.0 || options->gate > 0.0,
      measures || is_predicted(options, task) },
  };
  if (refuse_strays(list, sizeof list / sizeof list[0]) != COMMAND_OK)
    return COMMAND_MISUSED;
  if (options->others > 0 && options->measure <= 0)
    return message_misuse("option --others: '--measure' alone executes all: expected '--measure N' beside it");
  if (task == TASK_EMIT && strcmp(options->emit, "c") != 0)
    return message_misuse("option --emit: '%s': expected 'c'", options->emit);
  return COMMAND_OK;
}

/* --- Tasks ---------------------------------------------------------------------------------------------------------- */

struct asked {
  struct session *session;
  struct perfpred_contraction *contraction;
  struct extents extents;
  struct perfpred_contraction_filter filter;
  int kept; /* an exit code: of --answers, whose file keeps nobody from the answer itself */
};

static int predict(struct asked *asked, struct perfpred_contraction_plan **plan) {
  struct perfpred_contraction_planner *planner = NULL;
  struct progress progress;
  int result = contracting_planner(asked->session, &asked->filter, NULL, &progress, &planner);
  if (result == COMMAND_OK)
    result = contracting_ask(asked->session, planner, asked->contraction, &progress, plan);
  asked->kept = contracting_release(asked->session, planner);
  return result;
}

static int rank(struct asked *asked) {
  struct perfpred_contraction_validation validation = PERFPRED_CONTRACTION_VALIDATION_INIT;
  struct perfpred_contraction_plan *plan = NULL;
  struct progress progress;
  const bool executed = asked->session->options->measure != 0;
  int result = predict(asked, &plan);
  if (result == COMMAND_OK && executed)
    result = contracting_measure(asked->session, plan, &progress, &validation);
  if (result == COMMAND_OK)
    result =
        contract_print_plan(asked->session, asked->contraction, plan, &asked->extents, executed ? &validation : NULL);
  perfpred_contraction_plan_destroy(plan);
  return result;
}

static int print_program(struct asked *asked) {
  struct session *session = asked->session;
  struct perfpred_contraction_algorithm algorithm = PERFPRED_CONTRACTION_ALGORITHM_INIT;
  struct perfpred_program *program;
  struct document document;
  char *text;
  int result = contracting_find(session, asked->contraction, session->options->program, &algorithm);
  if (result != COMMAND_OK)
    return result;
  if (perfpred_contraction_program(session->context, asked->contraction, algorithm.name, &program, &session->error) !=
      PERFPRED_OK)
    return session_fail(session);
  enum perfpred_status status = perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, &session->error);
  perfpred_program_unref(program);
  if (status != PERFPRED_OK)
    return session_fail(session);
  if (session->options->json) {
    document_begin(&document);
    document_string(&document, "name", algorithm.name);
    document_string(&document, "text", text);
    result = document_print(&document);
  } else {
    fputs(text, stdout);
  }
  perfpred_free(text);
  return result;
}

/* The algorithm behind EINSUM, or the pick. */
static int choose(struct asked *asked, struct perfpred_contraction_algorithm *algorithm) {
  const struct options *options = asked->session->options;
  struct perfpred_contraction_prediction pick = PERFPRED_CONTRACTION_PREDICTION_INIT;
  struct perfpred_contraction_plan *plan = NULL;
  if (options->operands.count > 1)
    return contracting_find(asked->session, asked->contraction, options->operands.items[1], algorithm);
  int result = predict(asked, &plan);
  if (result == COMMAND_OK && perfpred_contraction_plan_at(plan, 0, &pick, &asked->session->error) != PERFPRED_OK)
    result = session_fail(asked->session);
  if (result == COMMAND_OK)
    result = contracting_find(asked->session, asked->contraction, pick.name, algorithm);
  perfpred_contraction_plan_destroy(plan);
  return result;
}

/* The text goes to the file of -o, else to standard output, with --json as a member. */
static int give_c(struct session *session, const char *name, char *text) {
  const struct options *options = session->options;
  const size_t length = strlen(text);
  struct document document;
  int result = COMMAND_OK;
  if (options->output != NULL) {
    if (length > 0 && text[length - 1] == '\n')
      text[length - 1] = '\0'; /* content_write ends it */
    result = content_write(options->output, text);
  }
  if (result != COMMAND_OK)
    return result;
  if (!options->json && options->output == NULL)
    fputs(text, stdout);
  else if (!options->json)
    printf("%s: %s\n", options->output, name);
  if (!options->json)
    return COMMAND_OK;
  document_begin(&document);
  document_string(&document, "name", name);
  document_string(&document, "function", options->name != NULL ? options->name : "contract");
  if (options->output != NULL)
    document_string(&document, "file", options->output);
  else
    document_string(&document, "text", text);
  return document_print(&document);
}

static int emit(struct asked *asked) {
  struct session *session = asked->session;
  struct perfpred_contraction_algorithm algorithm = PERFPRED_CONTRACTION_ALGORITHM_INIT;
  char *text;
  int result = choose(asked, &algorithm);
  if (result != COMMAND_OK)
    return result;
  const enum perfpred_status status =
      perfpred_contraction_emit_c(asked->contraction, algorithm.name, session->options->name, &text, &session->error);
  if (status == PERFPRED_INVALID && session->options->name != NULL)
    return message_misuse("option --name: %s", session->error.text);
  if (status != PERFPRED_OK)
    return session_fail(session);
  result = give_c(session, algorithm.name, text);
  perfpred_free(text);
  return result;
}

static int work(struct asked *asked, enum task task) {
  switch (task) {
  case TASK_LIST:
    return contract_list(asked->session, asked->contraction, &asked->filter, &asked->extents);
  case TASK_ANALYZE:
    return contract_analyze(asked->session, asked->contraction, &asked->extents);
  case TASK_PROGRAM:
    return print_program(asked);
  case TASK_EMIT:
    return emit(asked);
  case TASK_STAGES:
    return contract_stages_run(asked->session, asked->contraction, &asked->filter, &asked->extents);
  default:
    return rank(asked);
  }
}

static int do_one(struct asked *asked, enum task task) {
  const struct options *options = asked->session->options;
  int result = extents_read(&options->extents, false, &asked->extents);
  if (result == COMMAND_OK)
    result = contracting_create(asked->session, options->operands.items[0], &asked->extents, &asked->contraction);
  if (result == COMMAND_OK && options->output != NULL)
    result = target_check(options->output);
  if (result == COMMAND_OK)
    result = work(asked, task);
  if (result == COMMAND_OK)
    result = asked->kept;
  perfpred_contraction_destroy(asked->contraction);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  struct asked asked = { .session = &session };
  enum task task;
  int result = read_task(options, &task);
  if (result == COMMAND_OK)
    result = check_operands(options, task);
  if (result == COMMAND_OK)
    result = check_options(options, task);
  if (result == COMMAND_OK)
    result = check_executions(options, task);
  if (result == COMMAND_OK)
    result = contracting_read_filter(options, &asked.filter);
  if (result != COMMAND_OK)
    return result;
  result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = task == TASK_CASES ? contract_cases(&session, &asked.filter) : do_one(&asked, task);
  session_close(&session);
  return result;
}

const struct command command_contract = {
  .name = "contract",
  .synopsis = "EINSUM INDEX=EXTENT ... [--list | --analyze NAME | --program NAME | --emit c [NAME] | --stages] "
              "[--measure [N]] ...",
  .summary = "Algorithms of a tensor contraction: which there are, which is fastest",
  .details =
      "  perfpred contract 'ai,ibc->abc' a=b=c=400 i=8              predicts and ranks, without executing any of them\n"
      "  perfpred contract 'ai,ibc->abc' a=b=c=400 i=8 --list       all of them, and how many there are\n"
      "  perfpred contract 'ai,ibc->abc' a=b=c=400 i=8 --measure 5  executes the best five beside the predictions\n"
      "  perfpred contract 'ai,ibc->abc' a=b=c=400 i=8 --emit c     the best one as C\n\n"
      "An algorithm is a nest of loops around one kernel of BLAS, such as c-dgemm: a loop over c around dgemm. The "
      "first\n"
      "index of a tensor is the one whose elements are neighbours in memory. doc/contractions.md explains.\n",
  .takes = TAKES_EXTENTS | TAKES_FAMILY | TAKES_CONTRACT | TAKES_OUTPUT | TAKES_REPS | TAKES_SETUP | TAKES_GATE |
           TAKES_NUMBER | TAKES_FORCE,
  .operands_min = 0,
  .operands_max = 2,
  .run = run,
};
