/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "kernel/signature.h"

#define LINE_WIDTH 100

struct printer {
  const struct perfpred_kernel *kernel;
  const char *names[PPI_ARG_MAX];
  char letters[32];
  struct ppi_scope scope;
  struct ppi_text *text;
};

static void make_scope(struct printer *printer) {
  const struct perfpred_kernel *kernel = printer->kernel;
  for (int i = 0; i < kernel->arg_count; i++) {
    printer->names[i] = kernel->args[i].name;
    for (const char *letter = kernel->args[i].flags; *letter; letter++)
      if (!strchr(printer->letters, *letter))
        printer->letters[strlen(printer->letters)] = *letter;
  }
  printer->scope = (struct ppi_scope){ printer->names, (size_t)kernel->arg_count, printer->letters };
}

static void print_expr(const struct printer *printer, const struct ppi_expr *expr) {
  ppi_expr_print(expr, &printer->scope, false, printer->text);
}

static void print_extents(const struct printer *printer, const struct ppi_arg *arg) {
  ppi_text_append(printer->text, "[");
  print_expr(printer, arg->rows);
  if (arg->columns) {
    ppi_text_append(printer->text, ", ");
    print_expr(printer, arg->columns);
  }
  ppi_text_append(printer->text, "]");
}

/* The element type where it is not what its place implies. */
static void print_type(const struct printer *printer, const struct ppi_arg *arg) {
  enum ppi_type implied = arg->property == PPI_PIVOTS ? PPI_TYPE_INT : printer->kernel->type;
  if (arg->type != implied)
    ppi_text_printf(printer->text, " %s", ppi_type_name(arg->type));
}

static void print_triangle(const struct printer *printer, const struct ppi_arg *arg) {
  const struct ppi_arg *args = printer->kernel->args;
  if (arg->uplo >= 0)
    ppi_text_printf(printer->text, "(%s", args[arg->uplo].name);
  else
    ppi_text_printf(printer->text, "(%c", arg->uplo_letter);
  if (arg->diag >= 0)
    ppi_text_printf(printer->text, ", %s", args[arg->diag].name);
  ppi_text_append(printer->text, ")");
}

static void print_data(const struct printer *printer, const struct ppi_arg *arg) {
  bool implied = arg->shape == PPI_SHAPE_TRIANGLE && arg->property == PPI_TRIANGULAR;
  ppi_text_printf(printer->text, ": %s", ppi_direction_words[arg->direction]);
  if (arg->property == PPI_GENERAL ? arg->shape == PPI_SHAPE_TRIANGLE : !implied)
    ppi_text_printf(printer->text, " %s", ppi_property_words[arg->property]);
  print_type(printer, arg);
  ppi_text_printf(printer->text, " %s", ppi_shape_words[arg->shape]);
  if (arg->shape == PPI_SHAPE_TRIANGLE)
    print_triangle(printer, arg);
  print_extents(printer, arg);
}

/* `lda` and `incx` say by their name whose stride they are. */
static void print_stride(const struct printer *printer, const struct ppi_arg *arg, const char *word) {
  const char *of = printer->kernel->args[arg->of].name;
  size_t length = strlen(word);
  if (strncmp(arg->name, word, length) != 0 || strcmp(arg->name + length, of) != 0)
    ppi_text_printf(printer->text, ": %s %s", word, of);
}

static void print_flag(const struct printer *printer, const struct ppi_arg *arg) {
  ppi_text_append(printer->text, arg->option ? ": option" : ": flag");
  for (const char *letter = arg->flags; *letter; letter++)
    ppi_text_printf(printer->text, " %c", *letter);
}

static void print_length(const struct printer *printer, const struct ppi_arg *arg) {
  ppi_text_append(printer->text, arg->constant ? ": constant " : ": lwork");
  if (arg->constant)
    print_expr(printer, arg->rows);
  else
    print_extents(printer, arg);
}

static void print_argument(const struct printer *printer, const struct ppi_arg *arg) {
  ppi_text_append(printer->text, arg->name);
  switch (arg->kind) {
  case PPI_ARG_FLAG:
    print_flag(printer, arg);
    break;
  case PPI_ARG_SIZE:
    ppi_text_append(printer->text, ": size");
    break;
  case PPI_ARG_SCALAR:
    ppi_text_append(printer->text, ": scalar");
    print_type(printer, arg);
    break;
  case PPI_ARG_DATA:
    print_data(printer, arg);
    break;
  case PPI_ARG_LD:
    print_stride(printer, arg, "ld");
    break;
  case PPI_ARG_INC:
    print_stride(printer, arg, "inc");
    break;
  case PPI_ARG_WORK:
    ppi_text_append(printer->text, ": work");
    print_type(printer, arg);
    print_extents(printer, arg);
    break;
  case PPI_ARG_LWORK:
    print_length(printer, arg);
    break;
  case PPI_ARG_INFO:
    if (strcmp(arg->name, "info") != 0)
      ppi_text_append(printer->text, ": info");
    break;
  }
}

/* `kernel name(...)`, broken between arguments where a line would become too long. */
static void print_head(const struct printer *printer) {
  const struct perfpred_kernel *kernel = printer->kernel;
  struct ppi_text *text = printer->text;
  size_t line = text->length, indent = strlen("kernel (") + strlen(kernel->name);

  ppi_text_printf(text, "kernel %s(", kernel->name);
  for (int i = 0; i < kernel->arg_count; i++) {
    struct ppi_text argument = PPI_TEXT_INIT;
    struct printer part = *printer;
    part.text = &argument;
    part.scope.names = part.names;
    part.scope.letters = part.letters;
    print_argument(&part, &kernel->args[i]);
    if (i > 0 && text->length - line + argument.length > LINE_WIDTH) {
      line = text->length + 2;
      ppi_text_printf(text, ",\n%*s", (int)indent, "");
    } else if (i > 0) {
      ppi_text_append(text, ", ");
    }
    text->failed = text->failed || argument.failed;
    ppi_text_append_n(text, argument.data, argument.length);
    ppi_text_free(&argument);
  }
  ppi_text_append(text, ")\n");
}

static void print_count(const struct printer *printer, const char *word, const struct ppi_expr *expr) {
  int64_t value = 0;
  if (!expr || (ppi_expr_is_constant(expr, &value) && value == 0))
    return;
  ppi_text_printf(printer->text, "  %s ", word);
  print_expr(printer, expr);
  ppi_text_append(printer->text, "\n");
}

static bool name_tells_type(const struct perfpred_kernel *kernel) {
  enum ppi_type type;
  return ppi_type_of_letter(kernel->name[0], &type) && type == kernel->type;
}

void ppi_kernel_print_expr(const struct perfpred_kernel *kernel, const struct ppi_expr *expr, struct ppi_text *text) {
  struct printer printer = { .kernel = kernel, .text = text };
  make_scope(&printer);
  print_expr(&printer, expr);
}

void ppi_kernel_print(const struct perfpred_kernel *kernel, struct ppi_text *text) {
  struct printer printer = { .kernel = kernel, .text = text };
  make_scope(&printer);
  print_head(&printer);
  if (kernel->operation[0])
    ppi_text_printf(text, "  about %s\n", kernel->operation);
  if (!name_tells_type(kernel))
    ppi_text_printf(text, "  type %s\n", ppi_type_name(kernel->type));
  if (kernel->returns_value && kernel->return_type == kernel->type)
    ppi_text_append(text, "  returns\n");
  else if (kernel->returns_value)
    ppi_text_printf(text, "  returns %s\n", ppi_type_name(kernel->return_type));
  print_count(&printer, "mul", kernel->multiplications);
  print_count(&printer, "add", kernel->additions);
  print_count(&printer, "move", kernel->movement);
  if (kernel->approximate)
    ppi_text_append(text, "  count approximate\n");
  for (int i = 0; i < kernel->demand_count; i++)
    print_count(&printer, "require", kernel->demands[i]);
  if (kernel->library)
    ppi_text_printf(text, "  library %s\n", kernel->library);
  if (kernel->symbol)
    ppi_text_printf(text, "  symbol %s\n", kernel->symbol);
  ppi_text_append(text, "end\n");
}

enum perfpred_status perfpred_kernel_print(const struct perfpred_kernel *kernel, char **text,
                                           struct perfpred_error *error) {
  struct ppi_text printed = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!kernel || !text)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", kernel ? "text" : "kernel");
  ppi_text_append(&printed, "perfpred-text 1\n\n");
  ppi_kernel_print(kernel, &printed);
  char *taken = ppi_text_take(&printed);
  if (!taken)
    return ppi_error_memory(error);
  *text = taken;
  return PERFPRED_OK;
}
