/* SPDX-License-Identifier: BSD-3-Clause */
/* Printing programs. Each form is one file; a failed allocation sticks in the text. */
#ifndef PPI_PROGRAM_PRINT_H
#define PPI_PROGRAM_PRINT_H

#include "program/program.h"

void ppi_print_text(const struct perfpred_program *program, struct ppi_text *text);
void ppi_print_json(const struct perfpred_program *program, struct ppi_text *text);
void ppi_print_c(const struct perfpred_program *program, struct ppi_text *text); /* an algorithm, not a nest */

/* A CALL or RUN of the program, as its text has it, without the end of the line. */
void ppi_print_call(const struct perfpred_program *program, const struct ppi_node *node, struct ppi_text *text);

/* Words of the text form. */
const char *ppi_print_type(enum ppi_type type);
const char *ppi_print_property(enum ppi_property property);
const char *ppi_print_shape(enum ppi_shape shape);
const char *ppi_print_direction(const struct ppi_buffer *buffer);
const char *ppi_print_access(enum ppi_direction access);
const char *ppi_print_callee(const struct perfpred_program *program, const struct ppi_node *node);
void ppi_print_call_name(const char *name, struct ppi_text *text); /* with `call` where the text form needs it */
void ppi_print_scalar(const struct ppi_value *value, struct ppi_text *text);
void ppi_print_indent(int depth, struct ppi_text *text);

/* Names of all slots of a program, to print its expressions. names: PPI_SLOT_MAX pointers. */
struct ppi_scope ppi_print_scope(const struct perfpred_program *program, const char **names);

#endif
