/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm in the language of programs: loops, views of matrices, one call. */
#include <inttypes.h>
#include <string.h>

#include "contract/matrix.h"
#include "contract/name.h"
#include "contract/print.h"
#include "contract/whole.h"
#include "program/program.h"
#include "program/registry.h"

static const char *const types[] = { "float", "double", "cfloat", "cdouble" };

struct printer {
  const struct ppi_contraction *contraction; /* whose tensors the loops go through */
  const struct ppi_contract_algorithm *algorithm;
  const struct ppi_contraction *given; /* the same, but where whole tensors are copied, */
  const struct ppi_contract_algorithm *named;
  unsigned packed; /* bit 1 << operand for these */
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

static bool is_given(const struct printer *printer, char name) {
  for (int i = 0; i < printer->given->index_count; i++)
    if (printer->given->index[i].name == name)
      return true;
  return false;
}

/* Of several indices that became one the product. */
static void put_extent(const struct printer *printer, int index) {
  const char *before = "";
  for (const char *at = printer->contraction->index[index].joined; *at && printer->open; at++) {
    if (!is_given(printer, *at))
      continue;
    ppi_text_printf(printer->text, "%sn%c", before, *at);
    before = "*";
  }
  if (!printer->open)
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
  ppi_text_printf(printer->text, "%s%s%c[", printer->matrices[operand].by_row ? "row " : "",
                  printer->packed >> operand & 1 ? "P" : "", PPI_TENSOR_NAME(operand));
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
    if (copy->rank == 0 && copy->loops == loops && (!out || copy->out))
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

/* --- Whole tensors -------------------------------------------------------------------------------------------------- */

/* The tensor as it lies, or as it is packed: all indices but the one that vectors run along are loops. */
static enum perfpred_status begin_side(const struct printer *printer, const struct ppi_contract_copy *copy, bool packed,
                                       struct ppi_contraction *lies, struct ppi_contract_algorithm *vector,
                                       struct printer *side, struct perfpred_error *error) {
  const int operand = copy->operand, along = copy->dimensions[0].index;
  *lies = *printer->given;
  *vector = (struct ppi_contract_algorithm){ .contracted = along, .free_a = -1, .free_b = -1 };
  *side = *printer;
  side->contraction = lies;
  side->algorithm = vector;
  side->packed = packed ? printer->packed : 0;
  if (!packed) {
    side->call.slices[operand] = (struct ppi_contract_slice){ .dimensions = 1,
                                                              .along = { along, -1 },
                                                              .extent = { lies->index[along].extent, 1 },
                                                              .stride = { lies->index[along].stride[operand], 0 } };
    return ppi_contract_matrix(lies, &side->call, operand, &side->matrices[operand], error);
  }
  const struct ppi_contract_matrix *whole = &printer->matrices[operand];
  struct ppi_contract_matrix matrix = { .rank = copy->rank };
  int64_t rows = 1;
  for (int d = 0; d < whole->split; d++)
    rows *= printer->contraction->index[whole->order[d]].extent;
  for (int d = 0; d < copy->rank; d++) {
    matrix.order[d] = copy->dimensions[d].index;
    lies->index[matrix.order[d]].stride[operand] = copy->dimensions[d].packed;
    matrix.split += copy->dimensions[d].packed < rows || d == 0;
  }
  side->matrices[operand] = matrix;
  return PERFPRED_OK;
}

static enum perfpred_status put_transposition(const struct printer *printer, const struct ppi_contract_copy *copy,
                                              bool out, struct perfpred_error *error) {
  struct ppi_contraction contractions[2];
  struct ppi_contract_algorithm vectors[2];
  struct printer sides[2]; /* from, to */
  for (int i = 0; i < 2; i++) {
    enum perfpred_status status =
        begin_side(printer, copy, (i == 0) == out, &contractions[i], &vectors[i], &sides[i], error);
    if (status)
      return status;
  }
  for (int d = copy->rank - 1; d > 0; d--) {
    indent(printer, copy->rank - 1 - d);
    ppi_text_append(printer->text, "for ");
    put_loop(&sides[0], copy->dimensions[d].index);
    ppi_text_append(printer->text, " in 0:");
    put_extent(&sides[0], copy->dimensions[d].index);
    ppi_text_append(printer->text, "\n");
  }
  indent(printer, copy->rank - 1);
  ppi_text_printf(printer->text, "%s(", printer->call.copy_routine);
  put_extent(&sides[0], copy->dimensions[0].index);
  for (int i = 0; i < 2; i++) {
    ppi_text_append(printer->text, ", ");
    put_view(&sides[i], copy->operand);
  }
  ppi_text_append(printer->text, ")\n");
  for (int d = copy->rank - 1; d > 0; d--) {
    indent(printer, d - 1);
    ppi_text_append(printer->text, "end\n");
  }
  return PERFPRED_OK;
}

static enum perfpred_status put_transpositions(const struct printer *printer, bool out, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < printer->call.copy_count && !status; i++) {
    const struct ppi_contract_copy *copy = &printer->call.copies[i];
    if (copy->rank > 0 && (out ? copy->out : copy->in))
      status = put_transposition(printer, copy, out, error);
  }
  return status;
}

/* --- All together --------------------------------------------------------------------------------------------------- */

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
    ppi_contract_letters(printer->given, o, letters[o]);
  ppi_text_printf(printer->text, "  operation contract-%s-%s-%s\n  about ", letters[0], letters[1], letters[2]);
  ppi_contract_print_formula(printer->given, printer->text);
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
  const struct ppi_contraction *contraction = printer->given;
  char name[PPI_CONTRACT_NAME_MAX];
  ppi_contract_program_name(contraction, printer->named, name);
  ppi_text_printf(printer->text, "perfpred-text 1\n\nalgorithm %s(", name);
  for (int i = 0; i < contraction->index_count && printer->open; i++)
    ppi_text_printf(printer->text, "%sn%c = %" PRId64, i > 0 ? ", " : "", contraction->index[i].name,
                    contraction->index[i].extent);
  ppi_text_append(printer->text, ")\n");
}

static void put_shape(const struct printer *printer, int operand) {
  const struct ppi_contract_matrix *matrix = &printer->matrices[operand];
  put_rows(printer, operand);
  ppi_text_append(printer->text, ", ");
  put_product(printer, matrix, matrix->split, matrix->rank);
}

static const struct ppi_contract_copy *transposition_of(const struct printer *printer, int operand) {
  for (int i = 0; i < printer->call.copy_count; i++)
    if (printer->call.copies[i].rank > 0 && printer->call.copies[i].operand == operand)
      return &printer->call.copies[i];
  return NULL;
}

/* Of a tensor as it lies. */
static enum perfpred_status put_tensor_shape(const struct printer *printer, int operand, struct perfpred_error *error) {
  const struct ppi_contract_copy *copy = transposition_of(printer, operand);
  struct ppi_contraction lies;
  struct ppi_contract_algorithm vector;
  struct printer side;
  if (!copy) {
    put_shape(printer, operand);
    return PERFPRED_OK;
  }
  enum perfpred_status status = begin_side(printer, copy, false, &lies, &vector, &side, error);
  if (!status)
    put_shape(&side, operand);
  return status;
}

static enum perfpred_status put_buffers(const struct printer *printer, struct perfpred_error *error) {
  const char *type = types[printer->contraction->type];
  for (int o = 0; o < PPI_OPERANDS; o++) {
    ppi_text_printf(printer->text, "  %s %c: %s matrix[", o == 2 ? "out" : "in", PPI_TENSOR_NAME(o), type);
    enum perfpred_status status = put_tensor_shape(printer, o, error);
    if (status)
      return status;
    ppi_text_append(printer->text, "]\n");
  }
  for (int i = 0; i < printer->call.copy_count; i++) {
    const int operand = printer->call.copies[i].operand;
    const struct ppi_contract_slice *slice = &printer->call.slices[operand];
    ppi_text_printf(printer->text, "  work P%c: %s matrix[", PPI_TENSOR_NAME(operand), type);
    if (printer->call.copies[i].rank > 0) {
      put_shape(printer, operand);
      ppi_text_append(printer->text, "]\n");
      continue;
    }
    put_extent(printer, slice->along[0]);
    ppi_text_append(printer->text, ", ");
    put_extent(printer, slice->along[1]);
    ppi_text_append(printer->text, "]\n");
  }
  return PERFPRED_OK;
}

static enum perfpred_status put_zero(const struct printer *printer, struct perfpred_error *error) {
  if (!printer->call.zero)
    return PERFPRED_OK;
  ppi_text_printf(printer->text, "  %cgezero(", ppi_type_letter(printer->contraction->type));
  enum perfpred_status status = put_tensor_shape(printer, 2, error);
  ppi_text_append(printer->text, ", C[0, 0])\n");
  return status;
}

/* All behind the head. */
static enum perfpred_status put_body(struct printer *printer, struct perfpred_error *error) {
  enum perfpred_status status = put_buffers(printer, error);
  if (!status)
    status = put_zero(printer, error);
  if (!status)
    status = put_transpositions(printer, false, error);
  if (!status)
    put_nest(printer);
  return status ? status : put_transpositions(printer, true, error);
}

/* Where whole tensors are copied, the loops go through others. */
static void begin(struct printer *printer, struct ppi_contraction *derived, struct ppi_contract_algorithm *nest) {
  printer->given = printer->contraction;
  printer->named = printer->algorithm;
  printer->open = may_be_open(printer->given);
  ppi_contract_resolve(printer->given, printer->named, &printer->call);
  if (printer->named->way == 0)
    return;
  ppi_contract_derive(printer->given, printer->named, derived, nest);
  printer->contraction = derived;
  printer->algorithm = nest;
  for (int o = 0; o < PPI_OPERANDS; o++)
    printer->packed |= printer->named->copied[o] >= 0 ? 1U << o : 0;
}

enum perfpred_status ppi_contract_print_program(const struct ppi_contraction *contraction,
                                                const struct ppi_contract_algorithm *algorithm, struct ppi_text *text,
                                                struct perfpred_error *error) {
  struct printer printer = { .contraction = contraction, .algorithm = algorithm, .column = -1, .text = text };
  struct ppi_contraction derived;
  struct ppi_contract_algorithm nest;
  enum perfpred_status status = PERFPRED_OK;
  begin(&printer, &derived, &nest);
  for (int o = 0; o < PPI_OPERANDS; o++) {
    status = ppi_contract_matrix(printer.contraction, &printer.call, o, &printer.matrices[o], error);
    if (status)
      return status;
  }
  put_head(&printer);
  put_about(&printer);
  put_cost(&printer);
  status = put_body(&printer, error);
  if (status)
    return status;
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
