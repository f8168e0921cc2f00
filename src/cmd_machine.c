/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred machine: where measurements are taken. */
#include <perfpred/timings.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "setup.h"
#include "table.h"
#include "units.h"

static int print_text(const char *json) {
  struct node *report = node_parse(json);
  if (report == NULL)
    return message_fail("out of memory");
  setup_print_machine(report);
  setup_print_library("BLAS", node_member(report, "blas"), report);
  setup_print_library("LAPACK", node_member(report, "lapack"), report);
  node_release(report);
  return COMMAND_OK;
}

static int print_json(const char *json) {
  size_t length = strlen(json);
  fputs(json, stdout);
  if (length == 0 || json[length - 1] != '\n')
    putchar('\n');
  return COMMAND_OK;
}

static int print_levels(const char *json) {
  static const char *const heads[] = { "<level", "bytes", "<", "latency/ns", "GB/s" };
  struct node *report = node_parse(json);
  const struct node *levels = node_member(report, "levels");
  struct table table;
  if (report == NULL)
    return message_fail("out of memory");
  table_begin(&table, 5, heads);
  for (size_t i = 0; i < node_count(levels); i++) {
    const struct node *level = node_element(levels, i);
    double bytes = node_number(node_member(level, "bytes"));
    struct unit unit = unit_bytes(bytes);
    char text[UNIT_TEXT];
    if (bytes > 0.0) {
      table_cell(&table, "%zu", i + 1);
      table_cell(&table, "%s", unit_format(text, bytes, &unit));
      table_cell(&table, "%s", unit.name);
    } else {
      table_cell(&table, "memory");
      table_gap(&table);
      table_gap(&table);
    }
    table_cell(&table, "%.2f", 1e9 * node_number(node_member(level, "latency_s")));
    table_cell(&table, "%.1f", 1e-9 * node_number(node_member(level, "bandwidth_bytes_per_s")));
  }
  node_release(report);
  return table_print(&table, 0);
}

/* The caches as they are now, for one thread. */
static int measure_caches(struct session *session) {
  size_t count = 0;
  char *json = NULL;
  if (perfpred_measure_caches(session->sampler, session->options->budget_s, NULL, 0, &count, &json, &session->error) !=
      PERFPRED_OK)
    return session_fail(session);
  int result = session->options->json ? print_json(json) : print_levels(json);
  perfpred_free(json);
  return result;
}

static int describe(struct session *session) {
  char *json = NULL;
  if (perfpred_sampler_describe(session->sampler, &json, &session->error) != PERFPRED_OK)
    return session_fail(session);
  int result = session->options->json ? print_json(json) : print_text(json);
  perfpred_free(json);
  return result;
}

static int run(const struct options *options) {
  struct session session;
  if (options->budget_s > 0.0 && !options->caches)
    return message_misuse("option --budget: expected --caches beside it");
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = session_sample(&session);
  if (result == COMMAND_OK)
    result = options->caches ? measure_caches(&session) : describe(&session);
  session_close(&session);
  return result;
}

const struct command command_machine = {
  .name = "machine",
  .synopsis = "[--blas PATH] [--lapack PATH] [--threads T] [--env NAME=VALUE] [--worker PATH] [--caches] [--json]",
  .summary = "The machine, its peak and bandwidth (measured), the BLAS found and what it chose",
  .details =
      "Peak and bandwidth are measured, which takes about a second. With --caches the caches are measured instead: "
      "one\n"
      "thread loads along a chain of addresses, and reads streams, in working sets of rising size, which takes about "
      "two\n"
      "seconds (--budget: larger sets are left out). On a machine that is shared or virtual there may be less of them\n"
      "than it reports.\n",
  .takes = TAKES_SETUP | TAKES_CACHES | TAKES_BUDGET,
  .run = run,
};
