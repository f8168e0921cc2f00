/* SPDX-License-Identifier: BSD-3-Clause */
/* A script while it is read: script.c has buffers, calls and regions, script_settings.c what holds for the calls behind it. */
#ifndef PPI_MEASURE_SCRIPT_PARSE_H
#define PPI_MEASURE_SCRIPT_PARSE_H

#include "measure/script_reader.h"
#include "measure/script_tree.h"

struct ppi_script_parse {
  struct ppi_script_reader reader;
  const struct ppi_kernels *kernels;
  struct ppi_script *script;
  struct ppi_script_settings settings; /* in force */
  int batch;
};

#define PPI_SCRIPT_GROW(script, noun) PPI_SCRIPT_GROW_LIST(script, noun, noun##s)
#define PPI_SCRIPT_GROW_LIST(script, noun, list)                                                                       \
  ppi_script_grow(&(script)->list, (script)->noun##_count, &(script)->noun##_space, sizeof *(script)->list)

/* A buffer by name, at the present place. */
enum perfpred_status ppi_script_read_buffer_name(struct ppi_script_parse *parse, struct ppi_script_buffer **buffer);
/* set NAME VALUE and counters NAME NAME, behind their first word. */
enum perfpred_status ppi_script_read_set(struct ppi_script_parse *parse);
enum perfpred_status ppi_script_read_counters(struct ppi_script_parse *parse);
bool ppi_script_at_statement_end(struct ppi_script_parse *parse);

#endif
