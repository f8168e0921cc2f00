/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form, as a reader would write it: parsing it gives an equal program. */
#include <inttypes.h>

#include "program/print.h"

struct printer {
  const struct perfpred_program *program;
  struct ppi_text *text;
  const char *names[PPI_SLOT_MAX];
  struct ppi_scope scope;
};

static void print_block(const struct printer *printer, const struct ppi_node *node, int depth);

static void print_expr(const struct printer *printer, const char *before, const struct ppi_expr *expr) {
  ppi_text_append(printer->text, before);
  ppi_expr_print(expr, &printer->scope, false, printer->text);
}

static void print_head(const struct printer *printer) {
  const struct perfpred_program *program = printer->program;
  ppi_text_printf(printer->text, "perfpred-text 1\n\n%s %s(", program->nest ? "nest" : "algorithm", program->name);
  for (int i = 0; i < program->parameter_count; i++) {
    ppi_text_printf(printer->text, "%s%s", i > 0 ? ", " : "", program->slots[i]);
    if (program->defaults[i] >= 0)
      ppi_text_printf(printer->text, " = %" PRId64, program->defaults[i]);
  }
  ppi_text_append(printer->text, ")\n");
  if (program->operation[0])
    ppi_text_printf(printer->text, "  operation %s\n", program->operation);
  if (program->about[0])
    ppi_text_printf(printer->text, "  about %s\n", program->about);
  if (!program->cost_multiplications)
    return;
  print_expr(printer, program->cost_additions ? "  cost mul " : "  cost ", program->cost_multiplications);
  if (program->cost_additions)
    print_expr(printer, " add ", program->cost_additions);
  ppi_text_append(printer->text, "\n");
}

static void print_buffer(const struct printer *printer, const struct ppi_buffer *buffer) {
  struct ppi_text *text = printer->text;
  const enum ppi_property implied = buffer->shape == PPI_SHAPE_TRIANGLE && !buffer->work ? PPI_TRIANGULAR : PPI_GENERAL;
  const char *property = buffer->property == implied ? "" : ppi_print_property(buffer->property);
  ppi_text_printf(text, "  %s %s: %s %s%s%s", ppi_print_direction(buffer), buffer->name, ppi_print_type(buffer->type),
                  property, property[0] ? " " : "", ppi_print_shape(buffer->shape));
  if (buffer->shape == PPI_SHAPE_TRIANGLE)
    ppi_text_printf(text, "(%c)", buffer->uplo);
  print_expr(printer, "[", buffer->rows);
  if (buffer->columns)
    print_expr(printer, ", ", buffer->columns);
  ppi_text_append(text, "]\n");
}

/* Whether an array can share the line of the one before it. */
static bool is_joined(const struct ppi_buffer *last, const struct ppi_buffer *buffer) {
  return last->type == buffer->type && last->row_major == buffer->row_major &&
         last->element_bytes == buffer->element_bytes;
}

/* An array of a nest; neighbours of the same kind share a line. */
static void print_array(const struct printer *printer, int index) {
  struct ppi_text *text = printer->text;
  const struct ppi_buffer *buffer = &printer->program->buffers[index];
  const bool joined = index > 0 && is_joined(buffer - 1, buffer);
  if (!joined) {
    ppi_text_append(text, index > 0 ? "\n  " : "  ");
    if (buffer->element_bytes > 0)
      ppi_text_printf(text, "bytes(%d)", buffer->element_bytes);
    else
      ppi_text_append(text, ppi_print_type(buffer->type));
    ppi_text_append(text, buffer->row_major ? " row-major " : " column-major ");
  }
  ppi_text_printf(text, "%s%s", joined ? ", " : "", buffer->name);
  for (int i = 0; i < buffer->dimensions; i++)
    print_expr(printer, i > 0 ? ", " : "[", buffer->extent[i]);
  ppi_text_append(text, index + 1 == printer->program->buffer_count ? "]\n" : "]");
}

static void print_for(const struct printer *printer, const struct ppi_node *node, int depth) {
  struct ppi_text *text = printer->text;
  int64_t step = 0;
  ppi_text_printf(text, "for %s", printer->scope.names[node->slot]);
  print_expr(printer, " in ", node->lower);
  print_expr(printer, ":", node->upper);
  if (node->down)
    ppi_text_append(text, " down");
  if (!ppi_expr_is_constant(node->step, &step) || step != 1)
    print_expr(printer, " by ", node->step);
  if (node->width_slot >= 0)
    ppi_text_printf(text, " as %s", printer->scope.names[node->width_slot]);
  if (node->short_first != node->down)
    ppi_text_append(text, node->short_first ? " short first" : " short last");
  ppi_text_append(text, "\n");
  print_block(printer, node->body, depth + 1);
  ppi_print_indent(depth, text);
  ppi_text_append(text, "end\n");
}

static void print_if(const struct printer *printer, const struct ppi_node *node, int depth) {
  print_expr(printer, "if ", node->value);
  ppi_text_append(printer->text, "\n");
  print_block(printer, node->body, depth + 1);
  if (node->otherwise) {
    ppi_print_indent(depth, printer->text);
    ppi_text_append(printer->text, "else\n");
    print_block(printer, node->otherwise, depth + 1);
  }
  ppi_print_indent(depth, printer->text);
  ppi_text_append(printer->text, "end\n");
}

static void print_view(const struct printer *printer, const struct ppi_operand *operand) {
  const struct ppi_buffer *buffer = &printer->program->buffers[operand->fixed.buffer];
  ppi_text_printf(printer->text, "%s%s", operand->fixed.by_row ? "row " : "", buffer->name);
  print_expr(printer, "[", operand->row);
  if (buffer->shape != PPI_SHAPE_VECTOR)
    print_expr(printer, ", ", operand->column);
  ppi_text_append(printer->text, "]");
}

static void print_call(const struct printer *printer, const struct ppi_node *node) {
  struct ppi_text *text = printer->text;
  if (node->result) {
    print_view(printer, node->result);
    ppi_text_append(text, node->adds ? " += " : " = ");
  }
  if (node->algorithm)
    ppi_text_printf(text, "call algorithm %s", ppi_print_callee(printer->program, node));
  else
    ppi_print_call_name(ppi_print_callee(printer->program, node), text);
  const char *before = "(";
  for (int i = 0; i < node->operand_count; i++) {
    const struct ppi_operand *operand = &node->operands[i];
    if (node->kind == PPI_NODE_CALL && !ppi_arg_is_written(&node->kernel->args[i]))
      continue;
    ppi_text_append(text, before);
    before = ", ";
    if (operand->integer)
      ppi_expr_print(operand->integer, &printer->scope, false, text);
    else if (operand->row)
      print_view(printer, operand);
    else if (node->kernel->args[i].kind == PPI_ARG_FLAG)
      ppi_text_printf(text, "%c", (int)operand->fixed.i);
    else
      ppi_print_scalar(&operand->fixed, text);
  }
  ppi_text_append(text, before[0] == '(' ? "()\n" : ")\n");
}

/* Accesses of one statement stay on one line, but for those under conditions on data. */
static const struct ppi_node *print_accesses(const struct printer *printer, const struct ppi_node *node) {
  struct ppi_text *text = printer->text;
  const struct ppi_node *last = NULL;
  ppi_text_append(text, node->may ? "may " : "");
  for (; node && node->kind == PPI_NODE_ACCESS &&
         (!last || (node->statement == last->statement && node->may == last->may));
       last = node, node = node->next) {
    if (last && last->access == node->access)
      ppi_text_append(text, ", ");
    else
      ppi_text_printf(text, "%s%s ", last ? "; " : "", ppi_print_access(node->access));
    ppi_text_append(text, printer->program->buffers[node->buffer].name);
    for (int i = 0; i < printer->program->buffers[node->buffer].dimensions; i++)
      print_expr(printer, i > 0 ? ", " : "[", node->subscripts[i]);
    ppi_text_append(text, "]");
  }
  ppi_text_append(text, "\n");
  return last;
}

static void print_block(const struct printer *printer, const struct ppi_node *node, int depth) {
  for (; node; node = node->next) {
    ppi_print_indent(depth, printer->text);
    switch (node->kind) {
    case PPI_NODE_FOR:
      print_for(printer, node, depth);
      break;
    case PPI_NODE_IF:
      print_if(printer, node, depth);
      break;
    case PPI_NODE_LET:
      ppi_text_printf(printer->text, "let %s", printer->scope.names[node->slot]);
      print_expr(printer, " = ", node->value);
      ppi_text_append(printer->text, "\n");
      break;
    case PPI_NODE_CALL:
    case PPI_NODE_RUN:
      print_call(printer, node);
      break;
    case PPI_NODE_ACCESS:
      node = print_accesses(printer, node);
      break;
    }
  }
}

void ppi_print_call(const struct perfpred_program *program, const struct ppi_node *node, struct ppi_text *text) {
  struct printer printer = { .program = program, .text = text };
  printer.scope = ppi_print_scope(program, printer.names);
  print_call(&printer, node);
  if (!text->failed && text->length > 0)
    text->data[--text->length] = '\0';
}

void ppi_print_text(const struct perfpred_program *program, struct ppi_text *text) {
  struct printer printer = { .program = program, .text = text };
  printer.scope = ppi_print_scope(program, printer.names);
  print_head(&printer);
  for (int i = 0; i < program->buffer_count; i++)
    if (program->nest)
      print_array(&printer, i);
    else
      print_buffer(&printer, &program->buffers[i]);
  print_block(&printer, program->body, 1);
  ppi_text_append(text, "end\n");
}
