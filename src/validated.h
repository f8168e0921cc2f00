/* SPDX-License-Identifier: BSD-3-Clause */
/* What a saved validation tells of how well algorithms can be told apart. */
#ifndef COMMAND_VALIDATED_H
#define COMMAND_VALIDATED_H

#include "session.h"

struct validated {
  double noise; /* the noise floor; 0: not known */
  double error; /* of the difference of two of the session's algorithms, relative to the faster one; 0: not known */
  size_t pairs; /* that it comes from */
};

/* Reads what `validate --json` printed. A message and an exit code on failure. */
int validated_read(const struct session *session, const char *path, struct validated *validated);

#endif
