/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#define LONGEST 1024

static void print_line(const char *prefix, char *line) {
  for (char *c = line; *c != '\0'; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = ' ';
  }
  fprintf(stderr, "perfpred: %s%s\n", prefix, line);
}

int message_fail(const char *format, ...) {
  char line[LONGEST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  print_line("", line);
  return COMMAND_FAILED;
}

int message_misuse(const char *format, ...) {
  char line[LONGEST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  print_line("", line);
  return COMMAND_MISUSED;
}

void message_note(const char *format, ...) {
  char line[LONGEST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  print_line("note: ", line);
}
