/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all options. */
#ifndef COMMAND_RULES_H
#define COMMAND_RULES_H

#include "options.h"

enum kind {
  KIND_FLAG,
  KIND_WORD,
  KIND_WORDS,
  KIND_INTEGER,
  KIND_REAL,
  KIND_GATE,
  KIND_RANGE,
  KIND_ASSIGNMENTS,
  KIND_COUNTS,
  KIND_MANY /* a number, "all", or nothing, which is "all" */
};

struct rule {
  const char *name;     /* with its dashes */
  const char *argument; /* as shown in the help; NULL for a flag */
  const char *help;
  enum kind kind;
  uint64_t takes; /* 0: every subcommand has it */
  size_t offset;
  double lower, upper;
};

extern const struct rule rules[];
extern const size_t rule_count;

#endif
