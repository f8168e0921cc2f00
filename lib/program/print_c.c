/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm as one C file that declares all it needs: functions for it and for every algorithm that it calls, which call
   Fortran's BLAS and LAPACK by reference, with the lengths of the flags last. */
#include <stdlib.h>
#include <string.h>

#include "kernel/own.h"
#include "program/print.h"
#include "program/print_c.h"

static const char *const c_types[] = { "float", "double", "float _Complex", "double _Complex", "int" };

const char *ppi_print_c_type(enum ppi_type type) {
  return c_types[type];
}

/* Words that a name of the text must not be in C. */
static const char *const taken[] = {
  "auto",   "break",  "case",   "char",    "const",     "continue", "default", "do",       "else",  "enum",   "extern",
  "goto",   "if",     "inline", "int",     "long",      "register", "return",  "restrict", "short", "signed", "sizeof",
  "static", "struct", "switch", "typedef", "union",     "unsigned", "void",    "volatile", "while", "for",    "info",
  "done",   "malloc", "free",   "size_t",  "ptrdiff_t", "NULL",     "I",       "complex",  "main",
};

/* Adds '_' to what C or this printer uses itself, and to every name that ends with one already, so that names stay
   different from each other. */
static void c_name(const char *name, const char *function, char result[PPI_C_NAME_MAX]) {
  const size_t length = strlen(name);
  bool clash = name[length - 1] == '_' || !strncmp(name, "ld_", 3) || !strncmp(name, "inc_", 4) ||
               !strncmp(name, "ppi_", 4) || !strcmp(name, function);
  for (size_t i = 0; i < sizeof taken / sizeof *taken && !clash; i++)
    clash = !strcmp(name, taken[i]);
  for (size_t i = 0; i < length; i++)
    result[i] = name[i] == '-' ? '_' : name[i];
  result[length] = '_';
  result[length + clash] = '\0';
}

/* The programs and kernels that a program reaches. */
struct reach {
  const struct perfpred_program **programs;
  const struct perfpred_kernel **kernels;
  int program_count, kernel_count;
  bool failed;
};

static void *grown(void *array, int count, size_t size, bool *failed) {
  if ((count & (count - 1)) != 0)
    return array; /* capacity is the next power of two */
  void *larger = realloc(array, (size_t)(count > 0 ? 2 * count : 1) * size);
  *failed = *failed || !larger;
  return larger ? larger : array;
}

static void reach_kernel(struct reach *reach, const struct perfpred_kernel *kernel) {
  for (int i = 0; i < reach->kernel_count; i++)
    if (reach->kernels[i] == kernel)
      return;
  reach->kernels = grown(reach->kernels, reach->kernel_count, sizeof(struct perfpred_kernel *), &reach->failed);
  if (!reach->failed)
    reach->kernels[reach->kernel_count++] = kernel;
}

static void reach_program(struct reach *reach, const struct perfpred_program *program) {
  for (int i = 0; i < reach->program_count; i++)
    if (reach->programs[i] == program)
      return;
  reach->programs = grown(reach->programs, reach->program_count, sizeof(struct perfpred_program *), &reach->failed);
  if (!reach->failed)
    reach->programs[reach->program_count++] = program;
}

static void reach_block(struct reach *reach, const struct ppi_node *node) {
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_CALL)
      reach_kernel(reach, node->kernel);
    else if (node->kind == PPI_NODE_RUN && node->callee)
      reach_program(reach, node->callee);
    reach_block(reach, node->body);
    reach_block(reach, node->otherwise);
  }
}

static const char *argument_type(const struct ppi_arg *arg) {
  if (arg->kind == PPI_ARG_FLAG && !arg->option)
    return "char";
  return arg->kind == PPI_ARG_SCALAR || arg->kind == PPI_ARG_DATA || arg->kind == PPI_ARG_WORK ? c_types[arg->type]
                                                                                               : "int";
}

static bool is_written(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_WORK || arg->kind == PPI_ARG_INFO ||
         (arg->kind == PPI_ARG_DATA && arg->direction != PPI_IN);
}

/* void dtrsm_(const char *, ..., const int *, double *, ..., size_t); of a kernel of our own the whole function. */
static void print_prototype(const struct perfpred_kernel *kernel, struct ppi_text *text) {
  const char *body = ppi_kernel_own_body(kernel->name);
  ppi_text_printf(text, "%s%s %s_(", body ? "static " : "",
                  kernel->returns_value ? c_types[kernel->return_type] : "void", kernel->name);
  int flags = 0;
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    flags += arg->kind == PPI_ARG_FLAG && !arg->option;
    ppi_text_printf(text, "%s%s%s *%s", i > 0 ? ", " : "", is_written(arg) ? "" : "const ", argument_type(arg),
                    body ? arg->name : "");
  }
  for (; flags > 0; flags--)
    ppi_text_append(text, body ? ", size_t length" : ", size_t");
  ppi_text_append(text, body ? ") {\n" : ");\n");
  if (body)
    ppi_text_printf(text, "%s}\n", body);
}

/* The head of a program's function. */
static void print_signature(const struct ppi_c_printer *printer, bool internal) {
  const struct perfpred_program *program = printer->program;
  struct ppi_text *text = printer->text;
  const char *separator = "";
  ppi_text_printf(text, "%sint %s(", internal ? "static " : "", printer->function);
  for (int i = 0; i < program->parameter_count; i++, separator = ", ")
    ppi_text_printf(text, "%sint %s", separator, printer->names[i]);
  for (int i = 0; i < program->buffer_count; i++) {
    const struct ppi_buffer *buffer = &program->buffers[i];
    if (buffer->work)
      continue;
    ppi_text_printf(text, "%s%s%s *%s, int %s_%s", separator, buffer->direction == PPI_IN ? "const " : "",
                    c_types[buffer->type], printer->buffers[i], buffer->shape == PPI_SHAPE_VECTOR ? "inc" : "ld",
                    printer->buffers[i]);
    separator = ", ";
  }
  ppi_text_append(text, separator[0] ? ")" : "void)");
}

/* Names of function `index` of the reached programs; 0 is the one that is printed. */
static void function_name(const struct perfpred_program *program, bool internal, char name[PPI_C_NAME_MAX]) {
  strcpy(name, internal ? "ppi_" : "");
  c_name(program->name, "", name + strlen(name));
}

static void enter_program(struct ppi_c_printer *printer, const struct perfpred_program *program) {
  printer->program = program;
  function_name(program, program != printer->top, printer->function);
  for (int i = 0; i < program->slot_count; i++) {
    c_name(program->slots[i], printer->function, printer->slot_names[i]);
    printer->names[i] = printer->slot_names[i];
  }
  for (int i = 0; i < program->buffer_count; i++)
    c_name(program->buffers[i].name, printer->function, printer->buffers[i]);
  printer->scope = (struct ppi_scope){ printer->names, (size_t)program->slot_count, NULL };
}

void ppi_print_c_callee(const struct ppi_c_printer *printer, const struct ppi_node *node, char name[PPI_C_NAME_MAX]) {
  const struct perfpred_program *callee = node->callee ? node->callee : printer->program;
  function_name(callee, callee != printer->top, name);
}

/* Whether the body calls `function(` of the helpers. */
static bool calls(const char *body, const char *function) {
  for (const char *at = body; (at = strstr(at, function)); at++)
    if (at == body || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at[-1]))
      return true;
  return false;
}

static void print_helpers(const char *body, struct ppi_text *text) {
  static const char *const helpers[][2] = {
    { "min(", "static inline int min(int a, int b) {\n  return a < b ? a : b;\n}\n\n" },
    { "max(", "static inline int max(int a, int b) {\n  return a > b ? a : b;\n}\n\n" },
    { "floordiv(",
      "static inline int floordiv(int a, int b) {\n  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n\n" },
    { "ceildiv(",
      "static inline int ceildiv(int a, int b) {\n  return a / b + (a % b != 0 && (a < 0) == (b < 0));\n}\n\n" },
  };
  for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
    if (calls(body, helpers[i][0]))
      ppi_text_append(text, helpers[i][1]);
}

static bool is_complex(const struct reach *reach) {
  for (int i = 0; i < reach->kernel_count; i++)
    for (int j = 0; j < reach->kernels[i]->arg_count; j++)
      if (ppi_type_is_complex(reach->kernels[i]->args[j].type))
        return true;
  return false;
}

/* Functions of the reached programs, the printed one last. */
static void print_functions(struct ppi_c_printer *printer, const struct reach *reach) {
  for (int i = reach->program_count - 1; i >= 0; i--) {
    enter_program(printer, reach->programs[i]);
    print_signature(printer, i > 0);
    ppi_text_append(printer->text, " {\n");
    ppi_print_c_body(printer);
    ppi_text_append(printer->text, i > 0 ? "}\n\n" : "}\n");
  }
}

static void print_file(struct ppi_c_printer *printer, const struct reach *reach, const char *body) {
  struct ppi_text *text = printer->text;
  ppi_text_printf(text, "/* %s", printer->top->name);
  if (printer->top->about[0] && !strstr(printer->top->about, "*/") && !strstr(printer->top->about, "/*"))
    ppi_text_printf(text, ": %s", printer->top->about);
  ppi_text_append(text, ". Returns 0, or the INFO of the call that failed; -1000 without memory. */\n");
  ppi_text_append(text, is_complex(reach) ? "#include <complex.h>\n" : "");
  ppi_text_append(text, "#include <stddef.h>\n");
  ppi_text_append(text, calls(body, "malloc(") ? "#include <stdlib.h>\n\n" : "\n");
  for (int i = 0; i < reach->kernel_count; i++)
    print_prototype(reach->kernels[i], text);
  for (int i = reach->program_count - 1; i >= 0; i--) {
    enter_program(printer, reach->programs[i]);
    print_signature(printer, i > 0);
    ppi_text_append(text, ";\n");
  }
  ppi_text_append(text, "\n");
  print_helpers(body, text);
  ppi_text_append(text, body);
}

void ppi_print_c(const struct perfpred_program *program, struct ppi_text *text) {
  struct reach reach = { 0 };
  struct ppi_text body = PPI_TEXT_INIT;
  struct ppi_c_printer *printer = calloc(1, sizeof *printer);
  char *functions = NULL;
  reach_program(&reach, program);
  for (int i = 0; i < reach.program_count && !reach.failed; i++)
    reach_block(&reach, reach.programs[i]->body);
  if (printer && !reach.failed) {
    printer->top = program;
    printer->text = &body;
    print_functions(printer, &reach);
    functions = ppi_text_take(&body);
    printer->text = text;
  }
  if (functions)
    print_file(printer, &reach, functions);
  else
    text->failed = true;
  free(functions);
  free(printer);
  free(reach.programs);
  free(reach.kernels);
}
