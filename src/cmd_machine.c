/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred machine: where measurements are taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "setup.h"

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

static int run(const struct options *options) {
  struct session session;
  char *json;
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = session_sample(&session);
  if (result == COMMAND_OK && perfpred_sampler_describe(session.sampler, &json, &session.error) != PERFPRED_OK)
    result = session_fail(&session);
  else if (result == COMMAND_OK) {
    result = options->json ? print_json(json) : print_text(json);
    perfpred_free(json);
  }
  session_close(&session);
  return result;
}

const struct command command_machine = {
  .name = "machine",
  .synopsis = "[--blas PATH] [--lapack PATH] [--threads T] [--env NAME=VALUE] [--worker PATH] [--json]",
  .summary = "The machine, its peak and bandwidth (measured), the BLAS found and what it chose",
  .details = "Peak and bandwidth are measured, which takes about a second.\n",
  .takes = TAKES_SETUP,
  .run = run,
};
