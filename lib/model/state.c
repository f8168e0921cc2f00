/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/state.h"

#include <string.h>

static const struct {
  enum perfpred_cache_state state;
  const char *context;
} states[] = { { PERFPRED_STATE_WARM, "" },
               { PERFPRED_STATE_IN, "cache:in" },
               { PERFPRED_STATE_OUTER, "cache:outer" },
               { PERFPRED_STATE_OUT, "cache:out" } };

const char *ppi_state_context(enum perfpred_cache_state state) {
  for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
    if (states[i].state == state)
      return states[i].context;
  return "";
}

enum perfpred_cache_state ppi_state_of(const char *context) {
  for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
    if (strcmp(states[i].context, context) == 0)
      return states[i].state;
  return (enum perfpred_cache_state)0;
}
