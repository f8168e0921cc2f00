/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of kernels and of algorithms as C. */
#include "program/print.h"
#include "program/print_c.h"

static void print_view(const struct ppi_c_printer *printer, const struct ppi_operand *operand) {
  struct ppi_text *text = printer->text;
  const struct ppi_buffer *buffer = &printer->program->buffers[operand->fixed.buffer];
  const char *name = printer->buffers[operand->fixed.buffer];
  const bool vector = buffer->shape == PPI_SHAPE_VECTOR;
  int64_t value = 0;
  ppi_text_append(text, name);
  if (!ppi_expr_is_constant(operand->row, &value) || value != 0) {
    ppi_text_append(text, " + ");
    ppi_print_c_factor(printer, operand->row);
    if (vector)
      ppi_text_printf(text, " * (ptrdiff_t)inc_%s", name);
  }
  if (!vector && (!ppi_expr_is_constant(operand->column, &value) || value != 0)) {
    ppi_text_append(text, " + ");
    ppi_print_c_factor(printer, operand->column);
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
      ppi_print_c_factor(&inner, operand->integer);
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
  ppi_print_c_expr(printer, expr);
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
    if (node->operands[place].row)
      print_view(printer, &node->operands[place]);
    else
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
  if (node->result) {
    ppi_text_append(text, "*(");
    print_view(printer, node->result);
    ppi_text_append(text, node->adds ? ") += " : ") = ");
  } else if (node->kernel->returns_value) {
    ppi_text_append(text, "(void)");
  }
  ppi_text_printf(text, "%s_(", node->kernel->name);
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
      ppi_print_c_expr(printer, operand->integer);
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

void ppi_print_c_call(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  if (node->kind == PPI_NODE_RUN)
    print_run(printer, node);
  else if (has_work(node->kernel))
    print_with_work(printer, node, depth);
  else
    print_kernel(printer, node);
  if (!ppi_print_c_fails(node))
    return;
  ppi_print_indent(depth, printer->text);
  ppi_text_append(printer->text, "if (info != 0)\n");
  ppi_print_indent(depth + 1, printer->text);
  ppi_text_append(printer->text, printer->leave);
}
