/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of others, read and written without a stream, an allocation or a lock. Nothing here waits for a peer. */
#ifndef ILAENV_FILE_H
#define ILAENV_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The first bytes of a file; how many there are, or -1. */
long ppi_ilaenv_file_begin(const char *path, void *data, size_t size);
/* A whole regular file of at most `size` bytes; how many there are, or -1. */
long ppi_ilaenv_file_read(const char *path, void *data, size_t size);
/* Appends to a file, which is made where it is not there, in one piece. What cannot be written is lost. */
void ppi_ilaenv_file_append(const char *path, const char *text, size_t length);
/* Writes to an open descriptor. A reader that is gone, or a limit of file sizes, sends no signal to the host. */
void ppi_ilaenv_file_write(int descriptor, const char *text, size_t length);

#endif
