/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#define LONGEST 1024

static void print_line(const char *prefix, const char *format, va_list arguments) {
  char line[LONGEST];
  vsnprintf(line, sizeof line, format, arguments);
  for (char *c = line; *c != '\0'; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = ' ';
  }
  fprintf(stderr, "perfpred: %s%s\n", prefix, line);
}

int message_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line("", format, arguments);
  va_end(arguments);
  return COMMAND_FAILED;
}

int message_misuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line("", format, arguments);
  va_end(arguments);
  return COMMAND_MISUSED;
}

void message_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line("note: ", format, arguments);
  va_end(arguments);
}
