/* SPDX-License-Identifier: BSD-3-Clause */
#include "states.h"

#include <perfpred/sampler.h>

#include <string.h>

#include "message.h"

static const struct {
  const char *name;
  enum perfpred_cache_state state;
} states_known[] = { { "warm", PERFPRED_STATE_WARM },
                     { "in", PERFPRED_STATE_IN },
                     { "outer", PERFPRED_STATE_OUTER },
                     { "out", PERFPRED_STATE_OUT } };

static int add(const char *word, size_t length, unsigned *states) {
  for (size_t i = 0; i < sizeof states_known / sizeof states_known[0]; i++) {
    const char *name = states_known[i].name;
    if (strlen(name) != length || strncmp(word, name, length) != 0)
      continue;
    if (*states & (unsigned)states_known[i].state)
      return message_misuse("option --cache: '%s' is there twice", name);
    *states |= (unsigned)states_known[i].state;
    return COMMAND_OK;
  }
  return message_misuse("option --cache: '%.*s': expected warm, in, outer or out, several with commas",
                        (int)(length < 40 ? length : 40), word);
}

int states_parse(const char *text, unsigned *states) {
  int result = COMMAND_OK;
  *states = 0;
  while (text != NULL && result == COMMAND_OK) {
    size_t length = strcspn(text, ",");
    result = add(text, length, states);
    text = text[length] == ',' ? text + length + 1 : NULL;
  }
  return result;
}
