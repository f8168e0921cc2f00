/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor that runs this, to tell whether a table was made on one like it. */
#ifndef ILAENV_CPU_H
#define ILAENV_CPU_H

#include <stdbool.h>

/* Whether a model name as /proc/cpuinfo has it, perhaps cut to size - 1 characters, is that of this processor. */
bool ppi_ilaenv_cpu_is(const char *name, unsigned size);

#endif
