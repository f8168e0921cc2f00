/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong, told in one line on standard error; the exit code says whose fault it is. */
#ifndef COMMAND_MESSAGE_H
#define COMMAND_MESSAGE_H

enum { COMMAND_OK = 0, COMMAND_FAILED = 1, COMMAND_MISUSED = 2 };

/* Prints "perfpred: ..." and returns COMMAND_FAILED. Control characters of quoted names become spaces. */
int message_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a command line that cannot be understood; returns COMMAND_MISUSED. */
int message_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A remark that changes no exit code. */
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
