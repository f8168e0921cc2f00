/* SPDX-License-Identifier: BSD-3-Clause */
/* Units and calls of a script as text. */
#include <stdio.h>
#include <string.h>

#include "measure/core_state.h"

/* What does not fit is left out. */
static void append(char *text, size_t size, const char *more) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", more);
}

static void append_call(const struct ppi_script *script, size_t call, char *text, size_t size) {
  char one[256];
  ppi_call_describe(script->calls[call].kernel, script->calls[call].values, one, sizeof one);
  append(text, size, one);
}

static void append_lane(const struct ppi_script *script, const struct ppi_script_lane *lane, char *text, size_t size) {
  for (size_t i = 0; i < lane->call_count; i++) {
    append(text, size, i > 0 ? "; " : "");
    append_call(script, lane->call_first + i, text, size);
  }
}

void ppi_script_describe(const struct ppi_script *script, size_t unit, char *text, size_t size) {
  const struct ppi_script_unit *described = &script->units[unit];
  text[0] = '\0';
  append(text, size, !described->region ? "" : described->parallel ? "{omp " : "{");
  for (size_t i = 0; i < described->lane_count; i++) {
    const struct ppi_script_lane *lane = &script->lanes[described->lane_first + i];
    bool braces = described->parallel && lane->call_count > 1;
    append(text, size, i > 0 ? "; " : "");
    append(text, size, braces ? "{" : "");
    append_lane(script, lane, text, size);
    append(text, size, braces ? "}" : "");
  }
  append(text, size, described->region ? "}" : "");
}

void ppi_script_describe_call(const struct ppi_script *script, size_t unit, size_t call, char *text, size_t size) {
  char line[40];
  text[0] = '\0';
  append_call(script, call, text, size);
  if (!script->units[unit].region)
    return;
  snprintf(line, sizeof line, " of line %d", script->calls[call].line);
  append(text, size, line);
}

/* The call that a mark tells of; the memory was another process's, so it is not believed. */
static bool marked_call(const struct ppi_script *script, const struct ppi_script_lane *lane,
                        const struct ppi_lane_mark *mark, size_t *call) {
  uint64_t number = atomic_load_explicit(&mark->call, memory_order_relaxed);
  if (number == 0 || number > script->call_count || number - 1 < lane->call_first ||
      number - 1 >= lane->call_first + lane->call_count)
    return false;
  *call = (size_t)number - 1;
  return true;
}

int ppi_script_describe_running(const struct ppi_script *script, size_t unit, const struct ppi_lane_mark *marks,
                                char *text, size_t size) {
  const struct ppi_script_unit *described = &script->units[unit];
  int running = 0;
  text[0] = '\0';
  for (size_t i = 0; i < described->lane_count; i++) {
    char one[300];
    size_t call = 0;
    if (!marked_call(script, &script->lanes[described->lane_first + i], &marks[i], &call))
      continue;
    ppi_script_describe_call(script, unit, call, one, sizeof one);
    if (strlen(text) + strlen(one) + sizeof ", ..." > size) {
      append(text, size, ", ...");
      return running + 1;
    }
    append(text, size, running > 0 ? ", " : "");
    append(text, size, one);
    running++;
  }
  return running;
}
