/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm in the language of programs: loops, views of matrices, one call. */
#include <inttypes.h>
#include <string.h>

#include "contract/matrix.h"
#include "contract/name.h"
#include "contract/print.h"
#include "program/program.h"
#include "program/registry.h"

static const char *const types[] = { "float", "double", "cfloat", "cdouble" };

struct printer {
  const struct ppi_contraction *contraction;
  const struct ppi_contract_algorithm *algorithm;
  struct ppi_contract_call call;
  struct ppi_contract_matrix matrices[PPI_OPERANDS];
  bool open;  /* the extents are parameters */
  int column; /* index over which vectors are being copied; -1: none */
  struct ppi_text *text;
};

/* With parameters the shapes hold for any extents, so it must not depend on these which dimensions BLAS takes. */
static bool may_be_open(const struct ppi_contraction *contraction) {
  bool open = contraction->index_count <= PPI_PARAMETER_MAX;
  for (int o = 0; o < PPI_OPERANDS; o++)
    open = open && !contraction->tensor[o].strided;
  for (int i = 0; i < contraction->index_count; i++)
    open = open && contraction->index[i].extent > 1;
  return open;
}

static void put_extent(const struct printer *printer, int index) {
  if (printer->open)
    ppi_text_printf(printer->text, "n%c", printer->contraction->index[index].name);
  else
    ppi_text_printf(printer->text, "%" PRId64, printer->contraction->index[index].extent);
}

/* The product of the extents of order[from], ..., order[to - 1]. */
static void put_product(const struct printer *printer, const struct ppi_contract_matrix *matrix, int from, int to) {
  if (from >= to)
    ppi_text_append(printer->text, "1");
  for (int d = from; d < to; d++) {
    ppi_text_append(printer->text, d > from ? "*" : "");
    put_extent(printer, matrix->order[d]);
  }
}

/* Names of buffers are taken; the language knows no name twice. */
static void put_loop(const struct printer *printer, int index) {
  const char name = printer->contraction->index[index].name;
  ppi_text_printf(printer->text, name >= 'A' && name <= 'C' ? "%c_" : "%c", name);
}

/* Elements from a column to the next; strides of dimensions that go nowhere say nothing. */
static int64_t count_rows(const struct printer *printer, int operand) {
  const struct ppi_contract_matrix *matrix = &printer->matrices[operand];
  const struct ppi_index *indices = printer->contraction->index;
  int64_t reach = 1;
  for (int d = 0; d < matrix->split; d++)
    if (indices[matrix->order[d]].extent > 0)
      reach += (indices[matrix->order[d]].extent - 1) * indices[matrix->order[d]].stride[operand];
  const int64_t stride = matrix->split < matrix->rank ? indices[matrix->order[matrix->split]].stride[operand] : 0;
  return stride > reach ? stride : reach;
}

static void put_rows(const struct printer *printer, int operand) {
  if (printer->open)
    put_product(printer, &printer->matrices[operand], 0, printer->matrices[operand].split);
  else
    ppi_text_printf(printer->text, "%" PRId64, count_rows(printer, operand));
}

static bool is_loop(const struct printer *printer, int index) {
  const struct ppi_contract_algorithm *algorithm = printer->algorithm;
  return index == printer->column ||
         (index != algorithm->contracted && index != algorithm->free_a && index != algorithm->free_b);
}

/* Where the present slice begins among the rows, or the columns. */
static void put_place(const struct printer *printer, int operand, bool columns) {
  const struct ppi_contract_matrix *matrix = &printer->matrices[operand];
  const char *before = "";
  const int first = columns ? matrix->split : 0;
  for (int d = first; d < (columns ? matrix->rank : matrix->split); d++) {
    if (!is_loop(printer, matrix->order[d]))
      continue;
    ppi_text_append(printer->text, before);
    before = " + ";
    put_loop(printer, matrix->order[d]);
    const bool by_number = !columns && !printer->open;
    if (by_number ? printer->contraction->index[matrix->order[d]].stride[operand] == 1 : d == first)
      continue;
    ppi_text_append(printer->text, "*");
    if (!by_number)
      put_product(printer, matrix, first, d);
    else
      ppi_text_printf(printer->text, "%" PRId64, printer->contraction->index[matrix->order[d]].stride[operand]);
  }
  ppi_text_append(printer->text, before[0] ? "" : "0");
}

static void put_view(const struct printer *printer, int operand) {
  ppi_text_printf(printer->text, "%s%c[", printer->matrices[operand].by_row ? "row " : "", PPI_TENSOR_NAME(operand));
  put_place(printer, operand, false);
  ppi_text_append(printer->text, ", ");
  put_place(printer, operand, true);
  ppi_text_append(printer->text, "]");
}

/* The operand as the kernel sees it. */
static void put_operand(const struct printer *printer, int operand) {
  if (printer->call.slices[operand].copied)
    ppi_text_printf(printer->text, "P%c[0, 0]", PPI_TENSOR_NAME(operand));
  else
    put_view(printer, operand);
}

static void indent(const struct printer *printer, int depth) {
  ppi_text_printf(printer->text, "%*s", 2 * depth + 2, "");
}

static void put_copy(struct printer *printer, const struct ppi_contract_copy *copy, bool out, int depth) {
  const struct ppi_contract_slice *slice = &printer->call.slices[copy->operand];
  printer->column = slice->along[1];
  indent(printer, depth);
  ppi_text_append(printer->text, "for ");
  put_loop(printer, printer->column);
  ppi_text_append(printer->text, " in 0:");
  put_extent(printer, printer->column);
  ppi_text_append(printer->text, "\n");
  indent(printer, depth + 1);
  ppi_text_printf(printer->text, "%s(", printer->call.copy_routine);
  put_extent(printer, slice->along[0]);
  for (int side = 0; side < 2; side++) {
    ppi_text_append(printer->text, ", ");
    if ((side == 0) == out) {
      ppi_text_printf(printer->text, "P%c[0, ", PPI_TENSOR_NAME(copy->operand));
      put_loop(printer, printer->column);
      ppi_text_append(printer->text, "]");
    } else {
      put_view(printer, copy->operand);
    }
  }
  ppi_text_append(printer->text, ")\n");
  indent(printer, depth);
  ppi_text_append(printer->text, "end\n");
  printer->column = -1;
}

static void put_copies(struct printer *printer, int loops, bool out) {
  for (int i = 0; i < printer->call.copy_count; i++) {
    const struct ppi_contract_copy *copy = &printer->call.copies[i];
    if (copy->loops == loops && (!out || copy->out))
      put_copy(printer, copy, out, loops);
  }
}

static void put_argument(const struct printer *printer, const struct ppi_contract_argument *argument) {
  switch (argument->kind) {
  case PPI_CONTRACT_FLAG:
    ppi_text_printf(printer->text, "%c", argument->flag);
    break;
  case PPI_CONTRACT_SIZE:
    put_extent(printer, argument->index);
    break;
  case PPI_CONTRACT_SCALAR:
    ppi_text_printf(printer->text, "%" PRId64, argument->value);
    break;
  default:
    put_operand(printer, argument->operand);
  }
}

static void put_kernel(const struct printer *printer, int depth) {
  const struct ppi_contract_call *call = &printer->call;
  const char *before = "(";
  indent(printer, depth);
  if (call->returns) {
    put_view(printer, 2);
    ppi_text_append(printer->text, call->accumulates ? " += " : " = ");
  }
  ppi_text_append(printer->text, call->routine);
  for (int i = 0; i < call->argument_count; i++) {
    const struct ppi_contract_argument *argument = &call->arguments[i];
    if (argument->kind == PPI_CONTRACT_LD || argument->kind == PPI_CONTRACT_INC)
      continue;
    ppi_text_append(printer->text, before);
    before = ", ";
    put_argument(printer, argument);
  }
  ppi_text_append(printer->text, ")\n");
}

static void put_nest(struct printer *printer) {
  const int loops = printer->call.loop_count;
  put_copies(printer, 0, false);
  for (int l = 0; l < loops; l++) {
    indent(printer, l);
    ppi_text_append(printer->text, "for ");
    put_loop(printer, printer->algorithm->loops[l]);
    ppi_text_append(printer->text, " in 0:");
    put_extent(printer, printer->algorithm->loops[l]);
    ppi_text_append(printer->text, "\n");
    put_copies(printer, l + 1, false);
  }
  put_kernel(printer, loops);
  for (int l = loops; l > 0; l--) {
    put_copies(printer, l, true);
    indent(printer, l - 1);
    ppi_text_append(printer->text, "end\n");
  }
  put_copies(printer, 0, true);
}

static void put_about(const struct printer *printer) {
  char letters[PPI_OPERANDS][PPI_RANK_MAX + 1];
  for (int o = 0; o < PPI_OPERANDS; o++)
    ppi_contract_letters(printer->contraction, o, letters[o]);
  ppi_text_printf(printer->text, "  operation contract-%s-%s-%s\n  about ", letters[0], letters[1], letters[2]);
  ppi_contract_print_formula(printer->contraction, printer->text);
  ppi_text_append(printer->text, "\n");
}

/* A multiplication and an addition for each combination of all indices. */
static void put_cost(const struct printer *printer) {
  struct ppi_text *text = printer->text;
  for (int part = 0; part < 2; part++) {
    ppi_text_append(text, part == 0 ? "  cost mul " : " add ");
    ppi_text_append(text, printer->contraction->index_count > 0 ? "" : "1");
    for (int i = 0; i < printer->contraction->index_count; i++) {
      ppi_text_append(text, i > 0 ? "*" : "");
      put_extent(printer, i);
    }
  }
  ppi_text_append(text, "\n");
}

/* The language's names have no apostrophe. */
static void put_head(const struct printer *printer) {
  const struct ppi_contraction *contraction = printer->contraction;
  char name[PPI_CONTRACT_NAME_MAX];
  ppi_contract_name(contraction, printer->algorithm, name);
  for (char *at = name; *at; at++)
    *at = *at == '\'' ? '_' : *at;
  ppi_text_printf(printer->text, "perfpred-text 1\n\nalgorithm %s(", name);
  for (int i = 0; i < contraction->index_count && printer->open; i++)
    ppi_text_printf(printer->text, "%sn%c = %" PRId64, i > 0 ? ", " : "", contraction->index[i].name,
                    contraction->index[i].extent);
  ppi_text_append(printer->text, ")\n");
}

static void put_buffers(const struct printer *printer) {
  const char *type = types[printer->contraction->type];
  for (int o = 0; o < PPI_OPERANDS; o++) {
    const struct ppi_contract_matrix *matrix = &printer->matrices[o];
    ppi_text_printf(printer->text, "  %s %c: %s matrix[", o == 2 ? "out" : "in", PPI_TENSOR_NAME(o), type);
    put_rows(printer, o);
    ppi_text_append(printer->text, ", ");
    put_product(printer, matrix, matrix->split, matrix->rank);
    ppi_text_append(printer->text, "]\n");
  }
  for (int i = 0; i < printer->call.copy_count; i++) {
    const int operand = printer->call.copies[i].operand;
    const struct ppi_contract_slice *slice = &printer->call.slices[operand];
    ppi_text_printf(printer->text, "  work P%c: %s matrix[", PPI_TENSOR_NAME(operand), type);
    put_extent(printer, slice->along[0]);
    ppi_text_append(printer->text, ", ");
    put_extent(printer, slice->along[1]);
    ppi_text_append(printer->text, "]\n");
  }
}

static void put_zero(const struct printer *printer) {
  const struct ppi_contract_matrix *matrix = &printer->matrices[2];
  if (!printer->call.zero)
    return;
  ppi_text_printf(printer->text, "  %cgezero(", ppi_type_letter(printer->contraction->type));
  put_rows(printer, 2);
  ppi_text_append(printer->text, ", ");
  put_product(printer, matrix, matrix->split, matrix->rank);
  ppi_text_append(printer->text, ", C[0, 0])\n");
}

enum perfpred_status ppi_contract_print_program(const struct ppi_contraction *contraction,
                                                const struct ppi_contract_algorithm *algorithm, struct ppi_text *text,
                                                struct perfpred_error *error) {
  struct printer printer = { .contraction = contraction, .algorithm = algorithm, .column = -1, .text = text };
  printer.open = may_be_open(contraction);
  ppi_contract_resolve(contraction, algorithm, &printer.call);
  for (int o = 0; o < PPI_OPERANDS; o++) {
    enum perfpred_status status = ppi_contract_matrix(contraction, &printer.call, o, &printer.matrices[o], error);
    if (status)
      return status;
  }
  put_head(&printer);
  put_about(&printer);
  put_cost(&printer);
  put_buffers(&printer);
  put_zero(&printer);
  put_nest(&printer);
  ppi_text_append(text, "end\n");
  return text->failed ? ppi_error_memory(error) : PERFPRED_OK;
}

enum perfpred_status ppi_contract_program(const struct perfpred_context *context,
                                          const struct ppi_contraction *contraction,
                                          const struct ppi_contract_algorithm *algorithm,
                                          struct perfpred_program **program, struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  enum perfpred_status status = ppi_contract_print_program(contraction, algorithm, &text, error);
  if (!status)
    status =
        ppi_program_parse(context->programs, context->kernels, text.data, text.length, "contraction", program, error);
  ppi_text_free(&text);
  return status;
}
