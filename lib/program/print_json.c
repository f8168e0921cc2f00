/* SPDX-License-Identifier: BSD-3-Clause */
/* A program as one JSON object; expressions are strings in the text form. */
#include <inttypes.h>

#include "program/print.h"

struct printer {
  const struct perfpred_program *program;
  struct ppi_text *text;
  const char *names[PPI_SLOT_MAX];
  struct ppi_scope scope;
};

static void print_block(const struct printer *printer, const char *key, const struct ppi_node *node);

/* Length that the first byte of a UTF-8 sequence announces; 0 if none starts with it. */
static int announced(unsigned char first) {
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* Length of the valid UTF-8 sequence at the place, 0 if there is none. */
static int sequence(const unsigned char *at) {
  static const struct {
    unsigned char first, least, most; /* second bytes that would be overlong, a surrogate, or beyond U+10FFFF */
  } narrow[] = { { 0xE0, 0xA0, 0xBF }, { 0xED, 0x80, 0x9F }, { 0xF0, 0x90, 0xBF }, { 0xF4, 0x80, 0x8F } };
  const int length = announced(at[0]);
  for (int i = 1; i < length; i++)
    if ((at[i] & 0xC0) != 0x80)
      return 0;
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
    if (at[0] == narrow[i].first && (at[1] < narrow[i].least || at[1] > narrow[i].most))
      return 0;
  return length;
}

/* Bytes that are no UTF-8 become the replacement character: the output must be JSON whatever `about` holds. */
static void print_string(struct ppi_text *text, const char *string) {
  const unsigned char *at = (const unsigned char *)string;
  ppi_text_append(text, "\"");
  while (*at) {
    const int length = sequence(at);
    if (*at == '"' || *at == '\\')
      ppi_text_printf(text, "\\%c", *at);
    else if (*at < 0x20)
      ppi_text_printf(text, "\\u%04x", *at);
    else if (length == 0)
      ppi_text_append(text, "\\ufffd");
    else
      ppi_text_append_n(text, (const char *)at, (size_t)length);
    at += length ? length : 1;
  }
  ppi_text_append(text, "\"");
}

static void print_member(struct ppi_text *text, const char *key, const char *value) {
  ppi_text_printf(text, ", \"%s\": ", key);
  print_string(text, value);
}

/* Expressions are ASCII without quotes. */
static void print_expr(const struct printer *printer, const char *before, const struct ppi_expr *expr) {
  ppi_text_printf(printer->text, "%s\"", before);
  ppi_expr_print(expr, &printer->scope, false, printer->text);
  ppi_text_append(printer->text, "\"");
}

static void print_list(const struct printer *printer, const char *key, struct ppi_expr *const *exprs, int count) {
  ppi_text_printf(printer->text, ", \"%s\": [", key);
  for (int i = 0; i < count; i++)
    print_expr(printer, i > 0 ? ", " : "", exprs[i]);
  ppi_text_append(printer->text, "]");
}

static void print_buffer(const struct printer *printer, const struct ppi_buffer *buffer) {
  struct ppi_text *text = printer->text;
  ppi_text_printf(text, "{\"name\": \"%s\", \"type\": \"%s\"", buffer->name, ppi_print_type(buffer->type));
  if (printer->program->nest) {
    if (buffer->element_bytes > 0)
      ppi_text_printf(text, ", \"element_bytes\": %d", buffer->element_bytes);
    print_member(text, "order", buffer->row_major ? "row-major" : "column-major");
    print_list(printer, "extents", buffer->extent, buffer->dimensions);
  } else {
    print_member(text, "role", ppi_print_direction(buffer));
    if (buffer->property != PPI_GENERAL || (buffer->shape == PPI_SHAPE_TRIANGLE && !buffer->work))
      print_member(text, "property", ppi_print_property(buffer->property));
    print_member(text, "shape", ppi_print_shape(buffer->shape));
    if (buffer->shape == PPI_SHAPE_TRIANGLE)
      print_member(text, "uplo", buffer->uplo == 'U' ? "U" : "L");
    print_expr(printer, ", \"rows\": ", buffer->rows);
    if (buffer->columns)
      print_expr(printer, ", \"columns\": ", buffer->columns);
  }
  ppi_text_append(text, "}");
}

/* Of the parameters that have one. */
static void print_defaults(const struct printer *printer) {
  const struct perfpred_program *program = printer->program;
  const char *before = "";
  ppi_text_append(printer->text, ", \"defaults\": {");
  for (int i = 0; i < program->parameter_count; i++) {
    if (program->defaults[i] < 0)
      continue;
    ppi_text_printf(printer->text, "%s\"%s\": %" PRId64, before, program->slots[i], program->defaults[i]);
    before = ", ";
  }
  ppi_text_append(printer->text, "}");
}

static void print_head(const struct printer *printer) {
  struct ppi_text *text = printer->text;
  const struct perfpred_program *program = printer->program;
  ppi_text_printf(text, "{\"name\": \"%s\"", program->name);
  print_member(text, "kind", program->nest ? "nest" : "algorithm");
  print_member(text, "operation", program->operation);
  print_member(text, "about", program->about);
  ppi_text_append(text, ", \"parameters\": [");
  for (int i = 0; i < program->parameter_count; i++)
    ppi_text_printf(text, "%s\"%s\"", i > 0 ? ", " : "", program->slots[i]);
  ppi_text_append(text, "]");
  print_defaults(printer);
  if (program->cost_additions) {
    print_expr(printer, ", \"cost\": {\"multiplications\": ", program->cost_multiplications);
    print_expr(printer, ", \"additions\": ", program->cost_additions);
    ppi_text_append(text, "}");
  } else if (program->cost_multiplications) {
    print_expr(printer, ", \"cost\": {\"operations\": ", program->cost_multiplications);
    ppi_text_append(text, "}");
  }
  ppi_text_append(text, ", \"buffers\": [");
  for (int i = 0; i < program->buffer_count; i++) {
    ppi_text_append(text, i > 0 ? ", " : "");
    print_buffer(printer, &program->buffers[i]);
  }
  ppi_text_append(text, "]");
}

static void print_for(const struct printer *printer, const struct ppi_node *node) {
  struct ppi_text *text = printer->text;
  ppi_text_printf(text, "{\"for\": \"%s\"", printer->scope.names[node->slot]);
  print_expr(printer, ", \"lower\": ", node->lower);
  print_expr(printer, ", \"upper\": ", node->upper);
  print_expr(printer, ", \"step\": ", node->step);
  if (node->width_slot >= 0)
    print_member(text, "width", printer->scope.names[node->width_slot]);
  print_member(text, "direction", node->down ? "down" : "up");
  print_member(text, "short", node->short_first ? "first" : "last");
  print_block(printer, "body", node->body);
}

static void print_view(const struct printer *printer, const struct ppi_operand *operand) {
  struct ppi_text *text = printer->text;
  ppi_text_printf(text, "{\"buffer\": \"%s\"", printer->program->buffers[operand->fixed.buffer].name);
  print_expr(printer, ", \"row\": ", operand->row);
  print_expr(printer, ", \"column\": ", operand->column);
  ppi_text_append(text, operand->fixed.by_row ? ", \"along\": \"row\"}" : "}");
}

static void print_operand(const struct printer *printer, const struct ppi_node *node, int place) {
  struct ppi_text *text = printer->text;
  const struct ppi_operand *operand = &node->operands[place];
  if (operand->integer) {
    print_expr(printer, "", operand->integer);
  } else if (operand->row) {
    print_view(printer, operand);
  } else if (node->kernel->args[place].kind == PPI_ARG_FLAG) {
    ppi_text_printf(text, "\"%c\"", (int)operand->fixed.i);
  } else {
    ppi_text_append(text, "\"");
    ppi_print_scalar(&operand->fixed, text);
    ppi_text_append(text, "\"");
  }
}

static void print_call(const struct printer *printer, const struct ppi_node *node) {
  struct ppi_text *text = printer->text;
  const bool kernel = node->kind == PPI_NODE_CALL;
  ppi_text_printf(text, "{\"%s\": \"%s\", \"site\": %d, \"arguments\": [", kernel ? "call" : "run",
                  ppi_print_callee(printer->program, node), node->site);
  const char *before = "";
  for (int i = 0; i < node->operand_count; i++) {
    if (kernel && !ppi_arg_is_written(&node->kernel->args[i]))
      continue;
    ppi_text_append(text, before);
    print_operand(printer, node, i);
    before = ", ";
  }
  ppi_text_append(text, "]");
  if (!node->result)
    return;
  ppi_text_printf(text, ", \"adds\": %s, \"result\": ", node->adds ? "true" : "false");
  print_view(printer, node->result);
}

static void print_node(const struct printer *printer, const struct ppi_node *node) {
  switch (node->kind) {
  case PPI_NODE_FOR:
    print_for(printer, node);
    break;
  case PPI_NODE_IF:
    print_expr(printer, "{\"if\": ", node->value);
    print_block(printer, "then", node->body);
    print_block(printer, "else", node->otherwise);
    break;
  case PPI_NODE_LET:
    ppi_text_printf(printer->text, "{\"let\": \"%s\"", printer->scope.names[node->slot]);
    print_expr(printer, ", \"value\": ", node->value);
    break;
  case PPI_NODE_CALL:
  case PPI_NODE_RUN:
    print_call(printer, node);
    break;
  case PPI_NODE_ACCESS:
    ppi_text_printf(printer->text, "{\"%s\": \"%s\", \"site\": %d, \"statement\": %d%s", ppi_print_access(node->access),
                    printer->program->buffers[node->buffer].name, node->site, node->statement,
                    node->may ? ", \"may\": true" : "");
    print_list(printer, "subscripts", node->subscripts, printer->program->buffers[node->buffer].dimensions);
    break;
  }
  ppi_text_append(printer->text, "}");
}

static void print_block(const struct printer *printer, const char *key, const struct ppi_node *node) {
  ppi_text_printf(printer->text, ", \"%s\": [", key);
  for (; node; node = node->next) {
    print_node(printer, node);
    ppi_text_append(printer->text, node->next ? ", " : "");
  }
  ppi_text_append(printer->text, "]");
}

void ppi_print_json(const struct perfpred_program *program, struct ppi_text *text) {
  struct printer printer = { .program = program, .text = text };
  printer.scope = ppi_print_scope(program, printer.names);
  print_head(&printer);
  print_block(&printer, "body", program->body);
  ppi_text_append(text, "}\n");
}
