/* SPDX-License-Identifier: BSD-3-Clause */
/* Printing as C: what the file is made of (print_c.c) and the statements in it (print_c_body.c, print_c_loop.c,
   print_c_call.c). */
#ifndef PPI_PROGRAM_PRINT_C_H
#define PPI_PROGRAM_PRINT_C_H

#include "program/program.h"

#define PPI_C_NAME_MAX (PPI_NAME_MAX + 8)

struct ppi_c_printer {
  const struct perfpred_program *top, *program; /* the printed one, and the one whose function is being written */
  struct ppi_text *text;
  char function[PPI_C_NAME_MAX];
  char slot_names[PPI_SLOT_MAX][PPI_C_NAME_MAX], buffers[PPI_BUFFER_MAX][PPI_C_NAME_MAX];
  const char *names[PPI_SLOT_MAX];
  struct ppi_scope scope;
  const char *leave; /* the statement that ends the function early */
};

const char *ppi_print_c_type(enum ppi_type type);
void ppi_print_c_callee(const struct ppi_c_printer *printer, const struct ppi_node *node, char name[PPI_C_NAME_MAX]);
void ppi_print_c_expr(const struct ppi_c_printer *printer, const struct ppi_expr *expr);
void ppi_print_c_factor(const struct ppi_c_printer *printer, const struct ppi_expr *expr);
bool ppi_print_c_uses(const struct ppi_node *block, int slot);
bool ppi_print_c_fails(const struct ppi_node *node); /* apart from what is inside it */
/* The line that begins a FOR, and what stands first in its braces, for which depth + 1 is the indentation. */
void ppi_print_c_loop(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth);
void ppi_print_c_call(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth);
void ppi_print_c_body(struct ppi_c_printer *printer); /* between the braces of printer->program's function */

#endif
