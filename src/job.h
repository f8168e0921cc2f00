/* SPDX-License-Identifier: BSD-3-Clause */
/* What the subcommands on models have in common: programs by their names, their parameters, the models, the plans. */
#ifndef COMMAND_JOB_H
#define COMMAND_JOB_H

#include "session.h"

enum job_takes {
  JOB_ONE,          /* one algorithm */
  JOB_ALL,          /* any number of them, all with models */
  JOB_ALTERNATIVES, /* algorithms of one operation; those without models are left out as long as one is left */
};

struct job {
  enum job_takes takes;
  const char *names;       /* of algorithms or operations */
  const char *const *open; /* parameters that the work varies itself, as for session_values; NULL: none */
  int (*work)(struct session *session, void *data);
  void *data;
};

/* Opens a session, does the work, closes it. Exit code; everything that can be refused is refused before the work. */
int job_run(const struct options *options, const struct job *job);

#endif
