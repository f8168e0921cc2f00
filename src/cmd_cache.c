/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred cache: what the calls of an algorithm find in the caches, and what that makes of their times. */
#include <perfpred/cache.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "emulation.h"
#include "session.h"
#include "table.h"
#include "units.h"

#define CALLS_SHOWN 12 /* an algorithm of at most so many calls is shown call by call */

/* Calls of one kernel together, or one call. */
struct line {
  const char *kernel;
  size_t calls;
  double bytes, shares[PERFPRED_CACHE_LEVELS + 1]; /* shares: bytes in each level */
  double warm_s, in_s, out_s, time_s;
};

struct view {
  struct perfpred_cache *cache;
  struct perfpred_cache_info info;
  struct unit time;
  bool timed;
};

static void add_call(struct line *line, const struct perfpred_cache_call *call, size_t level_count) {
  line->calls++;
  line->bytes += (double)call->bytes;
  for (size_t i = 0; i <= level_count; i++)
    line->shares[i] += call->shares[i] * (double)call->bytes;
  line->warm_s += call->warm_s;
  line->in_s += call->level_s[0];
  line->out_s += call->level_s[level_count];
  line->time_s += call->time_s;
}

static void cell_time(struct table *table, const struct view *view, double time_s) {
  char text[UNIT_TEXT];
  table_cell(table, "%s", unit_format(text, time_s, &view->time));
}

static void cell_bytes(struct table *table, double bytes) {
  char text[UNIT_TEXT];
  const struct unit unit = unit_bytes(bytes);
  if (isfinite(bytes))
    table_cell(table, "%s %s", unit_format(text, bytes, &unit), unit.name);
  else
    table_cell(table, "never");
}

static void cell_share(struct table *table, double share) {
  char text[UNIT_TEXT];
  table_cell(table, "%s", unit_percent(text, share, "%.0f %%"));
}

static void cell_times(struct table *table, const struct view *view, const struct line *line) {
  if (!view->timed)
    return;
  cell_time(table, view, line->warm_s);
  cell_time(table, view, line->in_s);
  cell_time(table, view, line->out_s);
  cell_time(table, view, line->time_s);
}

/* "in 2.0 MiB" for each level, and "memory". heads: what stands before; room for all. Returns how many there are. */
static int add_heads(const struct view *view, char names[][32], const char **heads, int count) {
  static const char *const times[] = { "warm", "in", "out", "blended" };
  for (size_t i = 0; i < view->info.level_count; i++) {
    char text[UNIT_TEXT];
    const struct unit unit = unit_bytes((double)view->info.level_bytes[i]);
    snprintf(names[i], 32, "%s %s", unit_format(text, (double)view->info.level_bytes[i], &unit), unit.name);
    heads[count++] = names[i];
  }
  heads[count++] = "memory";
  for (size_t i = 0; view->timed && i < sizeof times / sizeof times[0]; i++)
    heads[count++] = times[i];
  return count;
}

static void put_line(struct table *table, const struct view *view, const struct line *line, const char *name) {
  table_cell(table, "%s", name);
  table_cell(table, "%zu", line->calls);
  cell_bytes(table, line->bytes);
  for (size_t i = 0; i <= view->info.level_count; i++)
    cell_share(table, line->bytes > 0.0 ? line->shares[i] / line->bytes : (double)NAN);
  cell_times(table, view, line);
}

/* --- By kernels ----------------------------------------------------------------------------------------------------- */

static struct line *line_of(struct line *lines, size_t *count, const char *kernel) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp(lines[i].kernel, kernel) == 0)
      return &lines[i];
  if (*count == SESSION_KERNELS)
    return &lines[SESSION_KERNELS - 1]; /* no algorithm calls so many */
  lines[*count] = (struct line){ .kernel = kernel };
  return &lines[(*count)++];
}

static int show_kernels(const struct view *view, struct session *session) {
  static const char *const before[] = { "<", "calls", "data" };
  char names[PERFPRED_CACHE_LEVELS][32];
  const char *heads[TABLE_COLUMNS] = { before[0], before[1], before[2] };
  struct line lines[SESSION_KERNELS], all = { .calls = 0 };
  size_t count = 0;
  for (size_t i = 0; i < view->info.calls; i++) {
    struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
    if (perfpred_cache_call_at(view->cache, i, &call, &session->error) != PERFPRED_OK)
      return session_fail(session);
    add_call(line_of(lines, &count, call.kernel), &call, view->info.level_count);
    add_call(&all, &call, view->info.level_count);
  }
  struct table table;
  table_begin(&table, add_heads(view, names, heads, 3), heads);
  for (size_t i = 0; i < count; i++)
    put_line(&table, view, &lines[i], lines[i].kernel);
  put_line(&table, view, &all, "all");
  return table_print(&table, 0);
}

/* --- By calls ------------------------------------------------------------------------------------------------------- */

static int put_operands(struct table *table, const struct view *view, struct session *session, size_t index,
                        const struct perfpred_cache_call *call) {
  static const char *const directions[] = { "", "in", "out", "inout" };
  for (size_t k = 0; k < call->operands; k++) {
    struct perfpred_cache_operand operand = PERFPRED_CACHE_OPERAND_INIT;
    if (perfpred_cache_operand_at(view->cache, index, k, &operand, &session->error) != PERFPRED_OK)
      return session_fail(session);
    table_gap(table);
    table_cell(table, "  %s %s, %lld x %lld", directions[(operand.reads ? 1 : 0) + (operand.writes ? 2 : 0)],
               operand.name, (long long)operand.rows, (long long)operand.columns);
    cell_bytes(table, (double)operand.bytes);
    cell_bytes(table, operand.distance_bytes);
    for (size_t i = 0; i <= view->info.level_count; i++)
      cell_share(table, operand.bytes > 0 ? operand.shares[i] : (double)NAN);
    for (int i = 0; view->timed && i < 4; i++)
      table_gap(table);
  }
  return COMMAND_OK;
}

static int put_call(struct table *table, const struct view *view, struct session *session, size_t index) {
  struct perfpred_cache_call call = PERFPRED_CACHE_CALL_INIT;
  struct line line = { .calls = 0 };
  if (perfpred_cache_call_at(view->cache, index, &call, &session->error) != PERFPRED_OK)
    return session_fail(session);
  add_call(&line, &call, view->info.level_count);
  table_cell(table, "%zu", index + 1);
  table_cell(table, "%s", call.text);
  cell_bytes(table, (double)call.bytes);
  table_gap(table);
  for (size_t i = 0; i <= view->info.level_count; i++)
    cell_share(table, call.bytes > 0 ? call.shares[i] : (double)NAN);
  cell_times(table, view, &line);
  return put_operands(table, view, session, index, &call);
}

static int show_calls(const struct view *view, struct session *session, const struct range *range) {
  static const char *const before[] = { "", "<", "data", "distance" };
  char names[PERFPRED_CACHE_LEVELS][32];
  const char *heads[TABLE_COLUMNS + 1] = { before[0], before[1], before[2], before[3] };
  struct table table;
  int result = COMMAND_OK;
  table_begin(&table, add_heads(view, names, heads, 4), heads);
  for (size_t i = (size_t)range->lower - 1; i < (size_t)range->upper && result == COMMAND_OK; i++)
    result = put_call(&table, view, session, i);
  if (result == COMMAND_OK)
    return table_print(&table, 0);
  table_release(&table);
  return result;
}

/* --- All ------------------------------------------------------------------------------------------------------------ */

static int check_range(const struct view *view, struct range *range) {
  if (range->upper == 0)
    *range = (struct range){ .lower = 1, .upper = (int64_t)view->info.calls };
  if (range->step > 1)
    return message_misuse("option --calls: expected LO:HI without a step");
  if ((uint64_t)range->lower > view->info.calls)
    return message_fail("option --calls: '%lld': there are %zu calls", (long long)range->lower, view->info.calls);
  if ((uint64_t)range->upper > view->info.calls)
    range->upper = (int64_t)view->info.calls;
  return COMMAND_OK;
}

static int show(struct session *session, const int64_t *values, struct view *view) {
  char text[SESSION_TEXT], notes[SESSION_TEXT], size[UNIT_TEXT];
  struct range range = session->options->calls;
  const struct unit bytes = unit_bytes((double)view->info.buffer_bytes);
  const bool each = range.upper > 0 || view->info.calls <= CALLS_SHOWN;
  int result = COMMAND_OK;
  if (view->info.calls > 0 && each)
    result = check_range(view, &range);
  if (result != COMMAND_OK)
    return result;
  printf("%s, %s: %zu call%s on %s %s\n\n", perfpred_program_name(session->programs[0]),
         session_describe(session->programs[0], values, text), view->info.calls, unit_plural(view->info.calls),
         unit_format(size, (double)view->info.buffer_bytes, &bytes), bytes.name);
  if (view->info.calls == 0)
    return COMMAND_OK;
  result = each ? show_calls(view, session, &range) : show_kernels(view, session);
  if (result != COMMAND_OK || !view->timed)
    return result;
  printf("\ntimes    in %s; of %zu calls %zu have models of several states of the caches\n", view->time.name,
         view->info.priced, view->info.blended);
  printf("status   %s\n", session_describe_notes(view->info.notes, notes));
  return COMMAND_OK;
}

static int print_json(struct session *session, const struct perfpred_cache *cache) {
  char *json;
  if (perfpred_cache_report(cache, &json, &session->error) != PERFPRED_OK)
    return session_fail(session);
  fputs(json, stdout);
  perfpred_free(json);
  return COMMAND_OK;
}

static int read_setup(const struct options *options, struct perfpred_cache_script_options *script) {
  static const char *const words[] = { "found", "whole", "columns", "rows", "block" };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(options->script, words[i]) == 0) {
      script->setup = (enum perfpred_cache_setup)i;
      return COMMAND_OK;
    }
  }
  return message_misuse("option --script: '%s': expected 'found', 'whole', 'columns', 'rows' or 'block'",
                        options->script);
}

static int print_script(struct session *session, const struct view *view) {
  struct perfpred_cache_script_options script = PERFPRED_CACHE_SCRIPT_OPTIONS_INIT;
  struct range range = session->options->calls;
  char *text;
  int result = read_setup(session->options, &script);
  if (result == COMMAND_OK && view->info.calls > 0)
    result = check_range(view, &range);
  if (result != COMMAND_OK)
    return result;
  script.first = view->info.calls > 0 ? (size_t)range.lower - 1 : 0;
  script.count = view->info.calls > 0 ? (size_t)(range.upper - range.lower + 1) : 0;
  script.width = session->options->width;
  if (perfpred_cache_script(view->cache, &script, &text, &session->error) != PERFPRED_OK)
    return session_fail(session);
  fputs(text, stdout);
  perfpred_free(text);
  return COMMAND_OK;
}

static int print(struct session *session, const int64_t *values, struct view *view) {
  if (session->options->script != NULL)
    return print_script(session, view);
  return session->options->json ? print_json(session, view->cache) : show(session, values, view);
}

static int analyze(struct session *session) {
  int64_t values[SESSION_PARAMETERS];
  struct view view = { .info = PERFPRED_CACHE_INFO_INIT };
  struct perfpred_program *program = session->programs[0];
  int result = session_values(session, program, NULL, values);
  if (result != COMMAND_OK)
    return result;
  const size_t count = perfpred_program_parameter_count(program);
  const bool priced = session->options->models != NULL;
  enum perfpred_status status =
      priced ? perfpred_plan_cache(session->plans[0], values, count, NULL, &view.cache, &session->error)
             : perfpred_cache_create(program, values, count, &session->emulation, &view.cache, &session->error);
  if (status != PERFPRED_OK)
    return session_fail(session);
  if (perfpred_cache_summary(view.cache, &view.info, &session->error) != PERFPRED_OK) {
    result = session_fail(session);
  } else {
    view.timed = priced && view.info.priced > 0;
    view.time = unit_time(view.info.time_s);
    result = print(session, values, &view);
  }
  perfpred_cache_destroy(view.cache);
  return result;
}

static int check_words(const struct options *options) {
  if (options->kind != NULL)
    return message_misuse("option --models: 'cache' takes models by the state of the caches");
  if (options->script != NULL && options->json)
    return message_misuse("'cache': --script and --json: expected one of them");
  return COMMAND_OK;
}

/* The algorithm, and a plan of it where models are named. */
static int prepare(struct session *session, const struct options *options) {
  int result = session_find(session, options->operands.items[0]);
  if (result == COMMAND_OK && session->count != 1)
    result = message_fail("'%s' stands for %zu algorithms: expected one of them", options->operands.items[0],
                          session->count);
  session->blend = true;
  if (result == COMMAND_OK && options->models != NULL)
    result = session_load(session);
  if (result == COMMAND_OK && options->models != NULL)
    result = session_bind(session, false);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = emulation_read(options, &session.emulation);
  if (result == COMMAND_OK)
    result = check_words(options);
  if (result == COMMAND_OK)
    result = prepare(&session, options);
  if (result == COMMAND_OK)
    result = analyze(&session);
  session_close(&session);
  return result;
}

const struct command command_cache = {
  .name = "cache",
  .synopsis = "NAME PARAMETER=VALUE ... [--cache BYTES[,BYTES]] [-m FILE] [--calls LO:HI] [--script SETUP] [--json]",
  .summary = "What the calls of an algorithm find in the caches, and what that makes of their times",
  .details = "Shares are those of the operands that each cache holds when a call begins; memory is the rest. With "
             "models (-m)\n"
             "of several states of the caches, times are told with the operands in the first cache, in memory, and "
             "blended by\n"
             "the shares. doc/cache.md explains.\n",
  .takes = TAKES_MODELS | TAKES_PARAMETERS | TAKES_LD | TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_FILES | TAKES_CHOICE |
           TAKES_NUMBER | TAKES_EMULATED | TAKES_CALLS,
  .operands_min = 1,
  .operands_max = 1,
  .run = run,
};
