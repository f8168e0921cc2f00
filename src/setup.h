/* SPDX-License-Identifier: BSD-3-Clause */
/* What reports say of machines and libraries, for people. */
#ifndef COMMAND_SETUP_H
#define COMMAND_SETUP_H

#include "document.h"

/* "LABEL   path, version, kernel set": one line of a library; with the hint for this machine where BLIS fell back to its plain C
   kernels. */
void setup_print_library(const char *label, const struct node *library, const struct node *machine);
/* Lines of a machine: CPU, cores, caches, peak, bandwidth. */
void setup_print_machine(const struct node *machine);

#endif
