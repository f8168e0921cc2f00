/* SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include <string.h>

static int check_single(const struct session *session, const struct job *job) {
  if (session->count == 1)
    return COMMAND_OK;
  return message_fail("'%s' stands for %zu algorithms: expected one of them; 'perfpred rank' compares them", job->names,
                      session->count);
}

/* Times of different operations say nothing about which algorithm is better. One that states no operation may be any. */
static int check_operation(const struct session *session) {
  const struct perfpred_program *first = NULL;
  for (size_t i = 0; i < session->count; i++) {
    const struct perfpred_program *program = session->programs[i];
    const char *operation = perfpred_program_operation(program);
    if (operation[0] == '\0')
      continue;
    if (first == NULL)
      first = program;
    else if (strcmp(operation, perfpred_program_operation(first)) != 0)
      return message_fail("'%s' computes '%s', '%s' computes '%s': expected algorithms of one operation",
                          perfpred_program_name(first), perfpred_program_operation(first),
                          perfpred_program_name(program), operation);
  }
  return COMMAND_OK;
}

static int check(const struct session *session, const struct job *job) {
  int64_t values[SESSION_PARAMETERS];
  int result = COMMAND_OK;
  if (job->takes == JOB_ONE)
    result = check_single(session, job);
  else if (job->takes == JOB_ALTERNATIVES)
    result = check_operation(session);
  for (size_t i = 0; result == COMMAND_OK && i < session->count; i++)
    result = session_values(session, session->programs[i], job->open, values);
  return result;
}

int job_run(const struct options *options, const struct job *job) {
  struct session session;
  int result = session_open(&session, options);
  if (result == COMMAND_OK)
    result = session_find(&session, job->names);
  if (result == COMMAND_OK)
    result = check(&session, job);
  if (result == COMMAND_OK)
    result = session_load(&session);
  if (result == COMMAND_OK)
    result = session_spread(&session);
  if (result == COMMAND_OK)
    result = session_bind(&session, job->takes == JOB_ALTERNATIVES);
  if (result == COMMAND_OK)
    result = job->work(&session, job->data);
  session_close(&session);
  return result;
}
