/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of a program as C, apart from loops (print_c_loop.c) and calls (print_c_call.c). */
#include <stdio.h>
#include <string.h>

#include "program/print.h"
#include "program/print_c.h"

static void print_block(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth);

void ppi_print_c_expr(const struct ppi_c_printer *printer, const struct ppi_expr *expr) {
  ppi_expr_print(expr, &printer->scope, true, printer->text);
}

/* In parentheses, unless it is a name or a number. */
void ppi_print_c_factor(const struct ppi_c_printer *printer, const struct ppi_expr *expr) {
  struct ppi_text inner = PPI_TEXT_INIT;
  ppi_expr_print(expr, &printer->scope, true, &inner);
  char *string = ppi_text_take(&inner);
  if (!string) {
    printer->text->failed = true;
    return;
  }
  const bool word = strspn(string, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(string);
  ppi_text_printf(printer->text, word ? "%s" : "(%s)", string);
  perfpred_free(string);
}

static bool expr_uses(const struct ppi_expr *expr, int slot) {
  return expr && ppi_expr_uses(expr, (size_t)slot);
}

static bool node_uses(const struct ppi_node *node, int slot) {
  bool used = expr_uses(node->lower, slot) || expr_uses(node->upper, slot) || expr_uses(node->step, slot) ||
              expr_uses(node->value, slot);
  for (int i = 0; i < node->operand_count && !used; i++)
    used = expr_uses(node->operands[i].integer, slot) || expr_uses(node->operands[i].row, slot) ||
           expr_uses(node->operands[i].column, slot);
  if (node->result && !used)
    used = expr_uses(node->result->row, slot) || expr_uses(node->result->column, slot);
  return used;
}

/* C compilers complain of names that are not used. */
bool ppi_print_c_uses(const struct ppi_node *block, int slot) {
  for (const struct ppi_node *node = block; node; node = node->next)
    if (node_uses(node, slot) || ppi_print_c_uses(node->body, slot) || ppi_print_c_uses(node->otherwise, slot))
      return true;
  return false;
}

/* A routine with INFO or workspace, or another algorithm. */
bool ppi_print_c_fails(const struct ppi_node *node) {
  if (node->kind == PPI_NODE_RUN)
    return true;
  for (int i = 0; node->kind == PPI_NODE_CALL && i < node->kernel->arg_count; i++)
    if (node->kernel->args[i].kind == PPI_ARG_INFO || node->kernel->args[i].kind == PPI_ARG_WORK)
      return true;
  return false;
}

static bool block_fails(const struct ppi_node *node) {
  for (; node; node = node->next)
    if (ppi_print_c_fails(node) || block_fails(node->body) || block_fails(node->otherwise))
      return true;
  return false;
}

static void print_for(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  ppi_print_c_loop(printer, node, depth);
  print_block(printer, node->body, depth + 1);
  ppi_print_indent(depth, printer->text);
  ppi_text_append(printer->text, "}\n");
}

static void print_if(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  struct ppi_text *text = printer->text;
  ppi_text_append(text, "if (");
  ppi_print_c_expr(printer, node->value);
  ppi_text_append(text, ") {\n");
  print_block(printer, node->body, depth + 1);
  ppi_print_indent(depth, text);
  if (node->otherwise) {
    ppi_text_append(text, "} else {\n");
    print_block(printer, node->otherwise, depth + 1);
    ppi_print_indent(depth, text);
  }
  ppi_text_append(text, "}\n");
}

static void print_block(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_LET && !ppi_print_c_uses(node->next, node->slot))
      continue;
    ppi_print_indent(depth, printer->text);
    if (node->kind == PPI_NODE_FOR) {
      print_for(printer, node, depth);
    } else if (node->kind == PPI_NODE_IF) {
      print_if(printer, node, depth);
    } else if (node->kind == PPI_NODE_LET) {
      ppi_text_printf(printer->text, "const int %s = ", printer->names[node->slot]);
      ppi_print_c_expr(printer, node->value);
      ppi_text_append(printer->text, ";\n");
    } else {
      ppi_print_c_call(printer, node, depth);
    }
  }
}

/* Work buffers are made at the start. Gives their number. */
static int print_work(const struct ppi_c_printer *printer) {
  struct ppi_text *text = printer->text;
  const struct perfpred_program *program = printer->program;
  int count = 0;
  for (int i = 0; i < program->buffer_count; i++) {
    const struct ppi_buffer *buffer = &program->buffers[i];
    const char *name = printer->buffers[i];
    if (!buffer->work)
      continue;
    count++;
    ppi_text_printf(text, "  const int %s_%s = ", buffer->shape == PPI_SHAPE_VECTOR ? "inc" : "ld", name);
    if (buffer->shape == PPI_SHAPE_VECTOR) {
      ppi_text_append(text, "1");
    } else {
      ppi_text_append(text, "max(1, ");
      ppi_print_c_expr(printer, buffer->rows);
      ppi_text_append(text, ")");
    }
    const char *type = ppi_print_c_type(buffer->type);
    ppi_text_printf(text, ";\n  %s *%s = malloc(sizeof(%s) * (size_t)max(1, ", type, name, type);
    ppi_print_c_expr(printer, buffer->rows);
    if (buffer->shape != PPI_SHAPE_VECTOR) {
      ppi_text_append(text, ") * (size_t)max(1, ");
      ppi_print_c_expr(printer, buffer->columns ? buffer->columns : buffer->rows);
    }
    ppi_text_printf(text, "));\n  if (!%s)\n    info = -1000;\n", name);
  }
  return count;
}

static bool word_occurs(const char *text, const char *word) {
  const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || !strchr(letters, at[-1])) && (at[length] == '\0' || !strchr(letters, at[length])))
      return true;
  return false;
}

static void print_if_unused(const struct ppi_c_printer *printer, const char *body, const char *prefix,
                            const char *name) {
  char word[PPI_C_NAME_MAX + 8];
  snprintf(word, sizeof word, "%s%s", prefix, name);
  if (!word_occurs(body, word))
    ppi_text_printf(printer->text, "  (void)%s;\n", word);
}

/* C compilers complain of names that are not used: parameters may be there for callers alone, so that all algorithms of an
   operation have the same ones, and routines for vectors may have no increment. */
static void print_unused(const struct ppi_c_printer *printer, const char *body) {
  const struct perfpred_program *program = printer->program;
  for (int i = 0; i < program->parameter_count; i++)
    print_if_unused(printer, body, "", printer->names[i]);
  for (int i = 0; i < program->buffer_count; i++) {
    print_if_unused(printer, body, program->buffers[i].shape == PPI_SHAPE_VECTOR ? "inc_" : "ld_", printer->buffers[i]);
    if (!program->buffers[i].work)
      print_if_unused(printer, body, "", printer->buffers[i]);
  }
}

/* The statements, and in front of them whatever quietens compilers about names that do not occur there. */
static void print_statements(struct ppi_c_printer *printer) {
  struct ppi_text *text = printer->text, inner = PPI_TEXT_INIT;
  printer->text = &inner;
  print_block(printer, printer->program->body, 1);
  printer->text = text;
  char *body = ppi_text_take(&inner);
  if (!body) {
    text->failed = true;
    return;
  }
  print_unused(printer, body);
  ppi_text_append(text, body);
  perfpred_free(body);
}

void ppi_print_c_body(struct ppi_c_printer *printer) {
  struct ppi_text *text = printer->text;
  bool work = false;
  for (int i = 0; i < printer->program->buffer_count; i++)
    work = work || printer->program->buffers[i].work;
  const bool fails = work || block_fails(printer->program->body);
  printer->leave = work ? "goto done;\n" : "return info;\n";
  if (fails)
    ppi_text_append(text, "  int info = 0;\n");
  if (work) {
    print_work(printer);
    ppi_text_append(text, "  if (info != 0)\n    goto done;\n");
  }
  print_statements(printer);
  if (work)
    ppi_text_append(text, "done:\n");
  for (int i = printer->program->buffer_count - 1; i >= 0; i--)
    if (printer->program->buffers[i].work)
      ppi_text_printf(text, "  free(%s);\n", printer->buffers[i]);
  ppi_text_append(text, fails ? "  return info;\n" : "  return 0;\n");
}
