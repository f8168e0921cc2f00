/* SPDX-License-Identifier: BSD-3-Clause */
/* The file behind -o: tried before long work begins, so that minutes of measuring are not lost to a missing folder. */
#ifndef COMMAND_TARGET_H
#define COMMAND_TARGET_H

#include <stdbool.h>
#include <stddef.h>

/* A new, empty file beside `path`, open for writing, whose name is written to `temporary`; -1 after a message. */
int target_open(const char *path, char *temporary, size_t size);
/* Gives a filled one its name, and the usual permissions; false with errno. */
bool target_publish(int file, const char *temporary, const char *path);
/* Tries that and removes the file again; returns an exit code. */
int target_check(const char *path);

#endif
