/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm in the language of programs: loops, views of matrices, one call. */
#include <inttypes.h>
#include <string.h>

#include "contract/name.h"
#include "contract/print.h"
#include "contract/print_view.h"
#include "contract/whole.h"
#include "program/program.h"
#include "program/registry.h"

static const char *const types[] = { "float", "double", "cfloat", "cdouble" };

/* With parameters the shapes hold for any extents, so it must not depend on these which dimensions BLAS takes. */
static bool may_be_open(const struct ppi_contraction *contraction) {
  bool open = contraction->index_count <= PPI_PARAMETER_MAX;
  for (int o = 0; o < PPI_OPERANDS; o++)
    open = open && !contraction->tensor[o].strided;
  for (int i = 0; i < contraction->index_count; i++)
    open = open && contraction->index[i].extent > 1;
  return open;
}

/* The operand as the kernel sees it. */
static void put_operand(const struct ppi_contract_printer *printer, int operand) {
  if (printer->call.slices[operand].copied)
    ppi_text_printf(printer->text, "P%c[0, 0]", PPI_TENSOR_NAME(operand));
  else
    ppi_contract_put_view(printer, operand);
}

static void put_copy(struct ppi_contract_printer *printer, const struct ppi_contract_copy *copy, bool out, int depth) {
  const struct ppi_contract_slice *slice = &printer->call.slices[copy->operand];
  printer->column = slice->along[1];
  ppi_contract_indent(printer, depth);
  ppi_text_append(printer->text, "for ");
  ppi_contract_put_loop(printer, printer->column);
  ppi_text_append(printer->text, " in 0:");
  ppi_contract_put_extent(printer, printer->column);
  ppi_text_append(printer->text, "\n");
  ppi_contract_indent(printer, depth + 1);
  ppi_text_printf(printer->text, "%s(", printer->call.copy_routine);
  ppi_contract_put_extent(printer, slice->along[0]);
  for (int side = 0; side < 2; side++) {
    ppi_text_append(printer->text, ", ");
    if ((side == 0) == out) {
      ppi_text_printf(printer->text, "P%c[0, ", PPI_TENSOR_NAME(copy->operand));
      ppi_contract_put_loop(printer, printer->column);
      ppi_text_append(printer->text, "]");
    } else {
      ppi_contract_put_view(printer, copy->operand);
    }
  }
  ppi_text_append(printer->text, ")\n");
  ppi_contract_indent(printer, depth);
  ppi_text_append(printer->text, "end\n");
  printer->column = -1;
}

static void put_copies(struct ppi_contract_printer *printer, int loops, bool out) {
  for (int i = 0; i < printer->call.copy_count; i++) {
    const struct ppi_contract_copy *copy = &printer->call.copies[i];
    if (copy->rank == 0 && copy->loops == loops && (!out || copy->out))
      put_copy(printer, copy, out, loops);
  }
}

static void put_argument(const struct ppi_contract_printer *printer, const struct ppi_contract_argument *argument) {
  switch (argument->kind) {
  case PPI_CONTRACT_FLAG:
    ppi_text_printf(printer->text, "%c", argument->flag);
    break;
  case PPI_CONTRACT_SIZE:
    ppi_contract_put_extent(printer, argument->index);
    break;
  case PPI_CONTRACT_SCALAR:
    ppi_text_printf(printer->text, "%" PRId64, argument->value);
    break;
  default:
    put_operand(printer, argument->operand);
  }
}

static void put_kernel(const struct ppi_contract_printer *printer, int depth) {
  const struct ppi_contract_call *call = &printer->call;
  const char *before = "(";
  ppi_contract_indent(printer, depth);
  if (call->returns) {
    ppi_contract_put_view(printer, 2);
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

static void put_nest(struct ppi_contract_printer *printer) {
  const int loops = printer->call.loop_count;
  put_copies(printer, 0, false);
  for (int l = 0; l < loops; l++) {
    ppi_contract_indent(printer, l);
    ppi_text_append(printer->text, "for ");
    ppi_contract_put_loop(printer, printer->algorithm->loops[l]);
    ppi_text_append(printer->text, " in 0:");
    ppi_contract_put_extent(printer, printer->algorithm->loops[l]);
    ppi_text_append(printer->text, "\n");
    put_copies(printer, l + 1, false);
  }
  put_kernel(printer, loops);
  for (int l = loops; l > 0; l--) {
    put_copies(printer, l, true);
    ppi_contract_indent(printer, l - 1);
    ppi_text_append(printer->text, "end\n");
  }
  put_copies(printer, 0, true);
}

static void put_about(const struct ppi_contract_printer *printer) {
  char letters[PPI_OPERANDS][PPI_RANK_MAX + 1];
  for (int o = 0; o < PPI_OPERANDS; o++)
    ppi_contract_letters(printer->given, o, letters[o]);
  ppi_text_printf(printer->text, "  operation contract-%s-%s-%s\n  about ", letters[0], letters[1], letters[2]);
  ppi_contract_print_formula(printer->given, printer->text);
  ppi_text_append(printer->text, "\n");
}

/* A multiplication and an addition for each combination of all indices. */
static void put_cost(const struct ppi_contract_printer *printer) {
  struct ppi_text *text = printer->text;
  for (int part = 0; part < 2; part++) {
    ppi_text_append(text, part == 0 ? "  cost mul " : " add ");
    ppi_text_append(text, printer->contraction->index_count > 0 ? "" : "1");
    for (int i = 0; i < printer->contraction->index_count; i++) {
      ppi_text_append(text, i > 0 ? "*" : "");
      ppi_contract_put_extent(printer, i);
    }
  }
  ppi_text_append(text, "\n");
}

/* The language's names have no apostrophe. */
static void put_head(const struct ppi_contract_printer *printer) {
  const struct ppi_contraction *contraction = printer->given;
  char name[PPI_CONTRACT_NAME_MAX];
  ppi_contract_program_name(contraction, printer->named, name);
  ppi_text_printf(printer->text, "perfpred-text 1\n\nalgorithm %s(", name);
  for (int i = 0; i < contraction->index_count && printer->open; i++)
    ppi_text_printf(printer->text, "%sn%c = %" PRId64, i > 0 ? ", " : "", contraction->index[i].name,
                    contraction->index[i].extent);
  ppi_text_append(printer->text, ")\n");
}

static enum perfpred_status put_buffers(const struct ppi_contract_printer *printer, struct perfpred_error *error) {
  const char *type = types[printer->contraction->type];
  for (int o = 0; o < PPI_OPERANDS; o++) {
    ppi_text_printf(printer->text, "  %s %c: %s matrix[", o == 2 ? "out" : "in", PPI_TENSOR_NAME(o), type);
    enum perfpred_status status = ppi_contract_put_tensor_shape(printer, o, error);
    if (status)
      return status;
    ppi_text_append(printer->text, "]\n");
  }
  for (int i = 0; i < printer->call.copy_count; i++) {
    const int operand = printer->call.copies[i].operand;
    const struct ppi_contract_slice *slice = &printer->call.slices[operand];
    ppi_text_printf(printer->text, "  work P%c: %s matrix[", PPI_TENSOR_NAME(operand), type);
    if (printer->call.copies[i].rank > 0) {
      ppi_contract_put_shape(printer, operand);
      ppi_text_append(printer->text, "]\n");
      continue;
    }
    ppi_contract_put_extent(printer, slice->along[0]);
    ppi_text_append(printer->text, ", ");
    ppi_contract_put_extent(printer, slice->along[1]);
    ppi_text_append(printer->text, "]\n");
  }
  return PERFPRED_OK;
}

static enum perfpred_status put_zero(const struct ppi_contract_printer *printer, struct perfpred_error *error) {
  if (!printer->call.zero)
    return PERFPRED_OK;
  ppi_text_printf(printer->text, "  %cgezero(", ppi_type_letter(printer->contraction->type));
  enum perfpred_status status = ppi_contract_put_tensor_shape(printer, 2, error);
  ppi_text_append(printer->text, ", C[0, 0])\n");
  return status;
}

/* All behind the head. */
static enum perfpred_status put_body(struct ppi_contract_printer *printer, struct perfpred_error *error) {
  enum perfpred_status status = put_buffers(printer, error);
  if (!status)
    status = put_zero(printer, error);
  if (!status)
    status = ppi_contract_put_transpositions(printer, false, error);
  if (!status)
    put_nest(printer);
  return status ? status : ppi_contract_put_transpositions(printer, true, error);
}

/* Where whole tensors are copied, the loops go through others. */
static void begin(struct ppi_contract_printer *printer, struct ppi_contraction *derived,
                  struct ppi_contract_algorithm *nest) {
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
  struct ppi_contract_printer printer = {
    .contraction = contraction, .algorithm = algorithm, .column = -1, .text = text
  };
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
