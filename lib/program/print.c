/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/print.h"

#include <stdio.h>
#include <string.h>

#include "program/parse.h"

const char *ppi_print_type(enum ppi_type type) {
  static const char *const words[] = { "float", "double", "cfloat", "cdouble", "integer" };
  return words[type];
}

const char *ppi_print_property(enum ppi_property property) {
  static const char *const words[] = { "general", "spd", "triangular", "pivots", "identity", "zero" };
  return words[property];
}

const char *ppi_print_shape(enum ppi_shape shape) {
  static const char *const words[] = { "matrix", "triangle", "vector" };
  return words[shape];
}

const char *ppi_print_direction(const struct ppi_buffer *buffer) {
  static const char *const words[] = { "", "in", "out", "inout" };
  return buffer->work ? "work" : words[buffer->direction];
}

const char *ppi_print_access(enum ppi_direction access) {
  static const char *const words[] = { "", "read", "write", "update" };
  return words[access];
}

const char *ppi_print_callee(const struct perfpred_program *program, const struct ppi_node *node) {
  if (node->kind == PPI_NODE_CALL)
    return node->kernel->name;
  return node->callee ? node->callee->name : program->name;
}

void ppi_print_call_name(const char *name, struct ppi_text *text) {
  if (strchr(name, '-') || ppi_word_is_reserved(name))
    ppi_text_append(text, "call ");
  ppi_text_append(text, name);
}

void ppi_print_scalar(const struct ppi_value *value, struct ppi_text *text) {
  if (value->im == 0) {
    ppi_text_real(text, value->re);
    return;
  }
  ppi_text_append(text, "(");
  ppi_text_real(text, value->re);
  ppi_text_append(text, ", ");
  ppi_text_real(text, value->im);
  ppi_text_append(text, ")");
}

void ppi_print_indent(int depth, struct ppi_text *text) {
  for (; depth > 0; depth--)
    ppi_text_append(text, "  ");
}

struct ppi_scope ppi_print_scope(const struct perfpred_program *program, const char **names) {
  for (int i = 0; i < program->slot_count; i++)
    names[i] = program->slots[i];
  return (struct ppi_scope){ names, (size_t)program->slot_count, NULL };
}

enum perfpred_status perfpred_program_print(const struct perfpred_program *program, enum perfpred_format format,
                                            char **text, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!program || !text)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", program ? "text" : "program");
  struct ppi_text made = PPI_TEXT_INIT;
  switch (format) {
  case PERFPRED_FORMAT_TEXT:
    ppi_print_text(program, &made);
    break;
  case PERFPRED_FORMAT_JSON:
    ppi_print_json(program, &made);
    break;
  case PERFPRED_FORMAT_C:
    if (program->nest)
      return ppi_error_set(error, PERFPRED_UNSUPPORTED, "%s is a loop nest, only an algorithm can be printed as C",
                           program->name);
    ppi_print_c(program, &made);
    break;
  default:
    return ppi_error_set(error, PERFPRED_INVALID, "format is %d, expected a PERFPRED_FORMAT_... value", (int)format);
  }
  char *taken = ppi_text_take(&made);
  if (!taken)
    return ppi_error_memory(error);
  *text = taken;
  return PERFPRED_OK;
}
