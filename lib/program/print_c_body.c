/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of a program as C. */
#include <string.h>

#include "program/print.h"
#include "program/print_c.h"

static void print_block(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth);

static void print_expr(const struct ppi_c_printer *printer, const struct ppi_expr *expr) {
  ppi_expr_print(expr, &printer->scope, true, printer->text);
}

/* In parentheses, unless it is a name or a number. */
static void print_factor(const struct ppi_c_printer *printer, const struct ppi_expr *expr) {
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

/* --- Which names are needed: C compilers complain of unused ones --- */

static bool expr_uses(const struct ppi_expr *expr, int slot) {
  return expr && ppi_expr_uses(expr, (size_t)slot);
}

static bool node_uses(const struct ppi_node *node, int slot) {
  bool used = expr_uses(node->lower, slot) || expr_uses(node->upper, slot) || expr_uses(node->step, slot) ||
              expr_uses(node->value, slot);
  for (int i = 0; i < node->operand_count && !used; i++)
    used = expr_uses(node->operands[i].integer, slot) || expr_uses(node->operands[i].row, slot) ||
           expr_uses(node->operands[i].column, slot);
  return used;
}

static bool block_uses(const struct ppi_node *node, int slot) {
  for (; node; node = node->next)
    if (node_uses(node, slot) || block_uses(node->body, slot) || block_uses(node->otherwise, slot))
      return true;
  return false;
}

/* Whether anything in the block can fail: a routine with INFO or workspace, or another algorithm. */
static bool node_fails(const struct ppi_node *node) {
  if (node->kind == PPI_NODE_RUN)
    return true;
  for (int i = 0; node->kind == PPI_NODE_CALL && i < node->kernel->arg_count; i++)
    if (node->kernel->args[i].kind == PPI_ARG_INFO || node->kernel->args[i].kind == PPI_ARG_WORK)
      return true;
  return false;
}

static bool block_fails(const struct ppi_node *node) {
  for (; node; node = node->next)
    if (node_fails(node) || block_fails(node->body) || block_fails(node->otherwise))
      return true;
  return false;
}

/* --- Loops --- */

/* `const int w = min(STEP, HI - i);` */
static void print_width(const struct ppi_c_printer *printer, const struct ppi_node *node, const char *length_from,
                        const char *length_to, const struct ppi_expr *from, const struct ppi_expr *to) {
  struct ppi_text *text = printer->text;
  ppi_text_printf(text, "const int %s = min(", printer->names[node->width_slot]);
  print_expr(printer, node->step);
  ppi_text_append(text, ", ");
  if (to)
    print_factor(printer, to);
  ppi_text_printf(text, "%s - ", length_to);
  if (from)
    print_factor(printer, from);
  ppi_text_printf(text, "%s);\n", length_from);
}

static bool needs_width(const struct ppi_node *node) {
  return node->width_slot >= 0 && block_uses(node->body, node->width_slot);
}

/* Blocks lined up with LO, upwards. */
static void print_up(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  struct ppi_text *text = printer->text;
  const char *name = printer->names[node->slot];
  ppi_text_printf(text, "for (int %s = ", name);
  print_expr(printer, node->lower);
  ppi_text_printf(text, "; %s < ", name);
  print_factor(printer, node->upper);
  ppi_text_printf(text, "; %s += ", name);
  print_expr(printer, node->step);
  ppi_text_append(text, ") {\n");
  if (!needs_width(node))
    return;
  ppi_print_indent(depth + 1, text);
  print_width(printer, node, name, "", NULL, node->upper);
}

/* The same, downwards. */
static void print_down(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  struct ppi_text *text = printer->text;
  const char *name = printer->names[node->slot];
  ppi_text_printf(text, "for (int %s = ", name);
  print_factor(printer, node->lower);
  ppi_text_append(text, " < ");
  print_factor(printer, node->upper);
  ppi_text_append(text, " ? ");
  print_factor(printer, node->lower);
  ppi_text_append(text, " + (");
  print_factor(printer, node->upper);
  ppi_text_append(text, " - ");
  print_factor(printer, node->lower);
  ppi_text_append(text, " - 1) / ");
  print_factor(printer, node->step);
  ppi_text_append(text, " * ");
  print_factor(printer, node->step);
  ppi_text_append(text, " : ");
  print_factor(printer, node->lower);
  ppi_text_printf(text, " - 1; %s >= ", name);
  print_factor(printer, node->lower);
  ppi_text_printf(text, "; %s -= ", name);
  print_expr(printer, node->step);
  ppi_text_append(text, ") {\n");
  if (!needs_width(node))
    return;
  ppi_print_indent(depth + 1, text);
  print_width(printer, node, name, "", NULL, node->upper);
}

/* Blocks lined up with HI, upwards: the first one is what is left over. */
static void print_up_short(const struct ppi_c_printer *printer, const struct ppi_node *node) {
  struct ppi_text *text = printer->text;
  const char *name = printer->names[node->slot];
  char width[PPI_C_NAME_MAX + 8] = "";
  if (node->width_slot >= 0)
    strcpy(width, printer->names[node->width_slot]);
  else
    strcat(strcpy(width, name), "_width_");
  ppi_text_printf(text, "for (int %s = ", name);
  print_expr(printer, node->lower);
  ppi_text_printf(text, ", %s = %s < ", width, name);
  print_factor(printer, node->upper);
  ppi_text_append(text, " ? (");
  print_factor(printer, node->upper);
  ppi_text_printf(text, " - %s - 1) %% ", name);
  print_factor(printer, node->step);
  ppi_text_printf(text, " + 1 : 1; %s < ", name);
  print_factor(printer, node->upper);
  ppi_text_printf(text, "; %s += %s, %s = ", name, width, width);
  print_expr(printer, node->step);
  ppi_text_append(text, ") {\n");
}

/* The same, downwards: end_ is the end of the block. */
static void print_down_short(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  struct ppi_text *text = printer->text;
  const char *name = printer->names[node->slot];
  char end[PPI_C_NAME_MAX + 8];
  strcat(strcpy(end, name), "_end_");
  ppi_text_printf(text, "for (int %s = ", end);
  print_expr(printer, node->upper);
  ppi_text_printf(text, "; %s > ", end);
  print_factor(printer, node->lower);
  ppi_text_printf(text, "; %s -= ", end);
  print_expr(printer, node->step);
  ppi_text_append(text, ") {\n");
  if (needs_width(node)) {
    ppi_print_indent(depth + 1, text);
    print_width(printer, node, "", end, node->lower, NULL);
  }
  if (!block_uses(node->body, node->slot))
    return;
  ppi_print_indent(depth + 1, text);
  ppi_text_printf(text, "const int %s = max(", name);
  print_expr(printer, node->lower);
  ppi_text_printf(text, ", %s - ", end);
  print_factor(printer, node->step);
  ppi_text_append(text, ");\n");
}

static void print_for(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  if (node->down && node->short_first)
    print_down(printer, node, depth);
  else if (node->down)
    print_down_short(printer, node, depth);
  else if (node->short_first)
    print_up_short(printer, node);
  else
    print_up(printer, node, depth);
  print_block(printer, node->body, depth + 1);
  ppi_print_indent(depth, printer->text);
  ppi_text_append(printer->text, "}\n");
}

/* --- Calls --- */

static void print_view(const struct ppi_c_printer *printer, const struct ppi_operand *operand) {
  struct ppi_text *text = printer->text;
  const struct ppi_buffer *buffer = &printer->program->buffers[operand->fixed.buffer];
  const char *name = printer->buffers[operand->fixed.buffer];
  const bool vector = buffer->shape == PPI_SHAPE_VECTOR;
  int64_t value = 0;
  ppi_text_append(text, name);
  if (!ppi_expr_is_constant(operand->row, &value) || value != 0) {
    ppi_text_append(text, " + ");
    print_factor(printer, operand->row);
    if (vector)
      ppi_text_printf(text, " * (ptrdiff_t)inc_%s", name);
  }
  if (!vector && (!ppi_expr_is_constant(operand->column, &value) || value != 0)) {
    ppi_text_append(text, " + ");
    print_factor(printer, operand->column);
    ppi_text_printf(text, " * (ptrdiff_t)ld_%s", name);
  }
}

/* The increment or leading dimension of a view. */
static void print_stride(const struct ppi_c_printer *printer, const struct ppi_operand *operand, bool increment,
                         const char *one) {
  const char *name = printer->buffers[operand->fixed.buffer];
  if (printer->program->buffers[operand->fixed.buffer].shape == PPI_SHAPE_VECTOR)
    ppi_text_printf(printer->text, "inc_%s", name);
  else if (!increment || operand->fixed.by_row)
    ppi_text_printf(printer->text, "ld_%s", name);
  else
    ppi_text_append(printer->text, one);
}

/* An expression of the kernel's signature, with what this call passes for the kernel's names. */
static void print_signature_expr(const struct ppi_c_printer *printer, const struct ppi_node *node,
                                 const struct ppi_expr *expr) {
  struct ppi_text all = PPI_TEXT_INIT;
  size_t starts[PPI_ARG_MAX];
  const char *names[PPI_ARG_MAX];
  const struct ppi_c_printer inner = { .program = printer->program, .text = &all, .scope = printer->scope };
  for (int i = 0; i < node->kernel->arg_count; i++) {
    const struct ppi_operand *operand = &node->operands[i];
    starts[i] = all.length;
    if (operand->integer)
      print_factor(&inner, operand->integer);
    else if (node->kernel->args[i].kind == PPI_ARG_FLAG)
      ppi_text_printf(&all, node->kernel->args[i].option ? "%c" : "'%c'", (int)operand->fixed.i);
    else
      ppi_text_append(&all, "0");
    ppi_text_append_n(&all, "", 1); /* its NUL */
  }
  char *string = ppi_text_take(&all);
  if (!string) {
    printer->text->failed = true;
    return;
  }
  for (int i = 0; i < node->kernel->arg_count; i++)
    names[i] = string + starts[i];
  const struct ppi_scope scope = { names, (size_t)node->kernel->arg_count, NULL };
  ppi_expr_print(expr, &scope, true, printer->text);
  perfpred_free(string);
}

static void print_scalar(const struct ppi_c_printer *printer, const struct ppi_arg *arg,
                         const struct ppi_value *value) {
  ppi_text_printf(printer->text, "&(const %s){ ", ppi_print_c_type(arg->type));
  ppi_text_real(printer->text, value->re);
  if (value->im != 0) {
    ppi_text_append(printer->text, " + ");
    ppi_text_real(printer->text, value->im);
    ppi_text_append(printer->text, " * _Complex_I");
  }
  ppi_text_append(printer->text, " }");
}

/* An integer by reference. */
static void print_integer(const struct ppi_c_printer *printer, const struct ppi_expr *expr) {
  ppi_text_append(printer->text, "&(const int){ ");
  print_expr(printer, expr);
  ppi_text_append(printer->text, " }");
}

static void print_argument(const struct ppi_c_printer *printer, const struct ppi_node *node, int place) {
  struct ppi_text *text = printer->text;
  const struct ppi_arg *arg = &node->kernel->args[place];
  switch (arg->kind) {
  case PPI_ARG_FLAG:
    ppi_text_printf(text, arg->option ? "&(const int){ %c }" : "\"%c\"", (int)node->operands[place].fixed.i);
    break;
  case PPI_ARG_SIZE:
    print_integer(printer, node->operands[place].integer);
    break;
  case PPI_ARG_SCALAR:
    print_scalar(printer, arg, &node->operands[place].fixed);
    break;
  case PPI_ARG_DATA:
    print_view(printer, &node->operands[place]);
    break;
  case PPI_ARG_LD:
  case PPI_ARG_INC:
    ppi_text_append(text, "&(const int){ ");
    print_stride(printer, &node->operands[arg->of], arg->kind == PPI_ARG_INC, "1");
    ppi_text_append(text, " }");
    break;
  case PPI_ARG_WORK:
    ppi_text_printf(text, "work%d_", place);
    break;
  case PPI_ARG_LWORK:
    ppi_text_append(text, "&(const int){ ");
    print_signature_expr(printer, node, arg->rows);
    ppi_text_append(text, " }");
    break;
  case PPI_ARG_INFO:
    ppi_text_append(text, "&info");
    break;
  }
}

static void print_kernel(const struct ppi_c_printer *printer, const struct ppi_node *node) {
  struct ppi_text *text = printer->text;
  int flags = 0;
  ppi_text_printf(text, "%s%s_(", node->kernel->returns_value ? "(void)" : "", node->kernel->name);
  for (int i = 0; i < node->kernel->arg_count; i++) {
    ppi_text_append(text, i > 0 ? ", " : "");
    print_argument(printer, node, i);
    flags += node->kernel->args[i].kind == PPI_ARG_FLAG && !node->kernel->args[i].option;
  }
  for (; flags > 0; flags--)
    ppi_text_append(text, ", 1");
  ppi_text_append(text, ");\n");
}

/* A call with workspace has a block of its own. */
static void print_with_work(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  struct ppi_text *text = printer->text;
  const struct perfpred_kernel *kernel = node->kernel;
  ppi_text_append(text, "{\n");
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_WORK) {
      const char *type = ppi_print_c_type(kernel->args[i].type);
      ppi_print_indent(depth + 1, text);
      ppi_text_printf(text, "%s *work%d_ = malloc(sizeof(%s) * (size_t)max(1, ", type, i, type);
      print_signature_expr(printer, node, kernel->args[i].rows);
      ppi_text_append(text, "));\n");
    }
  ppi_print_indent(depth + 1, text);
  const char *before = "if (";
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_WORK) {
      ppi_text_printf(text, "%swork%d_", before, i);
      before = " && ";
    }
  ppi_text_append(text, ")\n");
  ppi_print_indent(depth + 2, text);
  print_kernel(printer, node);
  ppi_print_indent(depth + 1, text);
  ppi_text_append(text, "else\n");
  ppi_print_indent(depth + 2, text);
  ppi_text_append(text, "info = -1000;\n");
  for (int i = kernel->arg_count - 1; i >= 0; i--)
    if (kernel->args[i].kind == PPI_ARG_WORK) {
      ppi_print_indent(depth + 1, text);
      ppi_text_printf(text, "free(work%d_);\n", i);
    }
  ppi_print_indent(depth, text);
  ppi_text_append(text, "}\n");
}

static void print_run(const struct ppi_c_printer *printer, const struct ppi_node *node) {
  struct ppi_text *text = printer->text;
  char name[PPI_C_NAME_MAX];
  ppi_print_c_callee(printer, node, name);
  ppi_text_printf(text, "info = %s(", name);
  for (int i = 0; i < node->operand_count; i++) {
    const struct ppi_operand *operand = &node->operands[i];
    ppi_text_append(text, i > 0 ? ", " : "");
    if (operand->integer) {
      print_expr(printer, operand->integer);
      continue;
    }
    const struct perfpred_program *callee = node->callee ? node->callee : printer->program;
    int place = -1; /* of the callee's buffer that this operand is for */
    for (int j = callee->parameter_count; j <= i; j++)
      do
        place++;
      while (callee->buffers[place].work);
    print_view(printer, operand);
    ppi_text_append(text, ", ");
    print_stride(printer, operand, callee->buffers[place].shape == PPI_SHAPE_VECTOR, "1");
  }
  ppi_text_append(text, ");\n");
}

static bool has_work(const struct perfpred_kernel *kernel) {
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_WORK)
      return true;
  return false;
}

static void print_call(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  if (node->kind == PPI_NODE_RUN)
    print_run(printer, node);
  else if (has_work(node->kernel))
    print_with_work(printer, node, depth);
  else
    print_kernel(printer, node);
  if (!node_fails(node))
    return;
  ppi_print_indent(depth, printer->text);
  ppi_text_append(printer->text, "if (info != 0)\n");
  ppi_print_indent(depth + 1, printer->text);
  ppi_text_append(printer->text, printer->leave);
}

/* --- The rest --- */

static void print_if(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  struct ppi_text *text = printer->text;
  ppi_text_append(text, "if (");
  print_expr(printer, node->value);
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
    if (node->kind == PPI_NODE_LET && !block_uses(node->next, node->slot))
      continue;
    ppi_print_indent(depth, printer->text);
    if (node->kind == PPI_NODE_FOR) {
      print_for(printer, node, depth);
    } else if (node->kind == PPI_NODE_IF) {
      print_if(printer, node, depth);
    } else if (node->kind == PPI_NODE_LET) {
      ppi_text_printf(printer->text, "const int %s = ", printer->names[node->slot]);
      print_expr(printer, node->value);
      ppi_text_append(printer->text, ";\n");
    } else {
      print_call(printer, node, depth);
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
      print_expr(printer, buffer->rows);
      ppi_text_append(text, ")");
    }
    const char *type = ppi_print_c_type(buffer->type);
    ppi_text_printf(text, ";\n  %s *%s = malloc(sizeof(%s) * (size_t)max(1, ", type, name, type);
    print_expr(printer, buffer->rows);
    if (buffer->shape != PPI_SHAPE_VECTOR) {
      ppi_text_append(text, ") * (size_t)max(1, ");
      print_expr(printer, buffer->columns ? buffer->columns : buffer->rows);
    }
    ppi_text_printf(text, "));\n  if (!%s)\n    info = -1000;\n", name);
  }
  return count;
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
  print_block(printer, printer->program->body, 1);
  if (work)
    ppi_text_append(text, "done:\n");
  for (int i = printer->program->buffer_count - 1; i >= 0; i--)
    if (printer->program->buffers[i].work)
      ppi_text_printf(text, "  free(%s);\n", printer->buffers[i]);
  ppi_text_append(text, fails ? "  return info;\n" : "  return 0;\n");
}
