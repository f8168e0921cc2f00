/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables: made from models, written, shown. */
#ifndef COMMAND_DECIDED_H
#define COMMAND_DECIDED_H

#include "session.h"

#define DECIDED_PATH 4096

/* Where a table goes, and in which form. */
struct decided_target {
  char path[DECIDED_PATH];
  bool is_default; /* the one that the override reads: its folder is made where there is none */
  bool as_c;
};

/* All functions print a message and return an exit code on failure. */

/* Letters of --types ("d" without), with or without commas, each once. */
int decided_types(const struct options *options, char types[5]);
/* What --emit says. */
int decided_form(const struct options *options, bool *as_c);
/* The file of `path` (an option, or NULL for the one that the override reads) and its form; tried at once, as target_check does. */
int decided_target(const struct options *options, const char *path, struct decided_target *target);

/* The table of the session's models; types NULL: of all that there are. */
int decided_make(struct session *session, const char *types, struct perfpred_decisions **decisions);
int decided_write(const struct options *options, const struct perfpred_decisions *decisions,
                  const struct decided_target *target);

/* Members "table" and "routines" of a report, and a line for people. */
void decided_summarise(struct document *document, const struct perfpred_decisions *decisions,
                       const struct decided_target *target);
void decided_print(const struct perfpred_decisions *decisions, const struct decided_target *target);

#endif
