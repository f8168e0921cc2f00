/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of whole tensors in the language of programs: vectors along the first dimension of packed memory. */
#include "contract/print_view.h"

/* The tensor as it lies, or as it is packed: all indices but the one that vectors run along are loops. */
static enum perfpred_status begin_side(const struct ppi_contract_printer *printer, const struct ppi_contract_copy *copy,
                                       bool packed, struct ppi_contraction *lies, struct ppi_contract_algorithm *vector,
                                       struct ppi_contract_printer *side, struct perfpred_error *error) {
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

static enum perfpred_status put_transposition(const struct ppi_contract_printer *printer,
                                              const struct ppi_contract_copy *copy, bool out,
                                              struct perfpred_error *error) {
  struct ppi_contraction contractions[2];
  struct ppi_contract_algorithm vectors[2];
  struct ppi_contract_printer sides[2]; /* from, to */
  for (int i = 0; i < 2; i++) {
    enum perfpred_status status =
        begin_side(printer, copy, (i == 0) == out, &contractions[i], &vectors[i], &sides[i], error);
    if (status)
      return status;
  }
  for (int d = copy->rank - 1; d > 0; d--) {
    ppi_contract_indent(printer, copy->rank - 1 - d);
    ppi_text_append(printer->text, "for ");
    ppi_contract_put_loop(&sides[0], copy->dimensions[d].index);
    ppi_text_append(printer->text, " in 0:");
    ppi_contract_put_extent(&sides[0], copy->dimensions[d].index);
    ppi_text_append(printer->text, "\n");
  }
  ppi_contract_indent(printer, copy->rank - 1);
  ppi_text_printf(printer->text, "%s(", printer->call.copy_routine);
  ppi_contract_put_extent(&sides[0], copy->dimensions[0].index);
  for (int i = 0; i < 2; i++) {
    ppi_text_append(printer->text, ", ");
    ppi_contract_put_view(&sides[i], copy->operand);
  }
  ppi_text_append(printer->text, ")\n");
  for (int d = copy->rank - 1; d > 0; d--) {
    ppi_contract_indent(printer, d - 1);
    ppi_text_append(printer->text, "end\n");
  }
  return PERFPRED_OK;
}

enum perfpred_status ppi_contract_put_transpositions(const struct ppi_contract_printer *printer, bool out,
                                                     struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < printer->call.copy_count && !status; i++) {
    const struct ppi_contract_copy *copy = &printer->call.copies[i];
    if (copy->rank > 0 && (out ? copy->out : copy->in))
      status = put_transposition(printer, copy, out, error);
  }
  return status;
}

static const struct ppi_contract_copy *transposition_of(const struct ppi_contract_printer *printer, int operand) {
  for (int i = 0; i < printer->call.copy_count; i++)
    if (printer->call.copies[i].rank > 0 && printer->call.copies[i].operand == operand)
      return &printer->call.copies[i];
  return NULL;
}

/* Of a tensor as it lies. */
enum perfpred_status ppi_contract_put_tensor_shape(const struct ppi_contract_printer *printer, int operand,
                                                   struct perfpred_error *error) {
  const struct ppi_contract_copy *copy = transposition_of(printer, operand);
  struct ppi_contraction lies;
  struct ppi_contract_algorithm vector;
  struct ppi_contract_printer side;
  if (!copy) {
    ppi_contract_put_shape(printer, operand);
    return PERFPRED_OK;
  }
  enum perfpred_status status = begin_side(printer, copy, false, &lies, &vector, &side, error);
  if (!status)
    ppi_contract_put_shape(&side, operand);
  return status;
}
