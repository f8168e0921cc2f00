/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading memory as a stream. */
#ifndef PPI_MACHINE_READ_H
#define PPI_MACHINE_READ_H

#include <stddef.h>
#include <stdint.h>

/* The sum of a buffer that is aligned to 16 bytes, of whole blocks of 128: what is left over is not read. Never optimised away. */
uint64_t ppi_read_through(const void *data, size_t bytes);

#endif
