/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files as text. */
#ifndef COMMAND_CONTENT_H
#define COMMAND_CONTENT_H

#include <stddef.h>

/* Reads a file of at most 64 MiB. *text: free, with a NUL behind it. Prints a message and returns an exit code on failure. */
int content_read(const char *path, char **text, size_t *length);
/* Writes text and a line break; the file changes as a whole. */
int content_write(const char *path, const char *text);

#endif
