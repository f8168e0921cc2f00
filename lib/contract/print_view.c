/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/print_view.h"

#include <inttypes.h>

static bool is_given(const struct ppi_contract_printer *printer, char name) {
  for (int i = 0; i < printer->given->index_count; i++)
    if (printer->given->index[i].name == name)
      return true;
  return false;
}

/* Of several indices that became one the product. */
void ppi_contract_put_extent(const struct ppi_contract_printer *printer, int index) {
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
void ppi_contract_put_product(const struct ppi_contract_printer *printer, const struct ppi_contract_matrix *matrix,
                              int from, int to) {
  if (from >= to)
    ppi_text_append(printer->text, "1");
  for (int d = from; d < to; d++) {
    ppi_text_append(printer->text, d > from ? "*" : "");
    ppi_contract_put_extent(printer, matrix->order[d]);
  }
}

/* Names of buffers are taken; the language knows no name twice. */
void ppi_contract_put_loop(const struct ppi_contract_printer *printer, int index) {
  const char name = printer->contraction->index[index].name;
  ppi_text_printf(printer->text, name >= 'A' && name <= 'C' ? "%c_" : "%c", name);
}

/* Elements from a column to the next; strides of dimensions that go nowhere say nothing. */
static int64_t count_rows(const struct ppi_contract_printer *printer, int operand) {
  const struct ppi_contract_matrix *matrix = &printer->matrices[operand];
  const struct ppi_index *indices = printer->contraction->index;
  int64_t reach = 1;
  for (int d = 0; d < matrix->split; d++)
    if (indices[matrix->order[d]].extent > 0)
      reach += (indices[matrix->order[d]].extent - 1) * indices[matrix->order[d]].stride[operand];
  const int64_t stride = matrix->split < matrix->rank ? indices[matrix->order[matrix->split]].stride[operand] : 0;
  return stride > reach ? stride : reach;
}

static void put_rows(const struct ppi_contract_printer *printer, int operand) {
  if (printer->open)
    ppi_contract_put_product(printer, &printer->matrices[operand], 0, printer->matrices[operand].split);
  else
    ppi_text_printf(printer->text, "%" PRId64, count_rows(printer, operand));
}

static bool is_loop(const struct ppi_contract_printer *printer, int index) {
  const struct ppi_contract_algorithm *algorithm = printer->algorithm;
  return index == printer->column ||
         (index != algorithm->contracted && index != algorithm->free_a && index != algorithm->free_b);
}

/* Where the present slice begins among the rows, or the columns. */
static void put_place(const struct ppi_contract_printer *printer, int operand, bool columns) {
  const struct ppi_contract_matrix *matrix = &printer->matrices[operand];
  const char *before = "";
  const int first = columns ? matrix->split : 0;
  for (int d = first; d < (columns ? matrix->rank : matrix->split); d++) {
    if (!is_loop(printer, matrix->order[d]))
      continue;
    ppi_text_append(printer->text, before);
    before = " + ";
    ppi_contract_put_loop(printer, matrix->order[d]);
    const bool by_number = !columns && !printer->open;
    if (by_number ? printer->contraction->index[matrix->order[d]].stride[operand] == 1 : d == first)
      continue;
    ppi_text_append(printer->text, "*");
    if (!by_number)
      ppi_contract_put_product(printer, matrix, first, d);
    else
      ppi_text_printf(printer->text, "%" PRId64, printer->contraction->index[matrix->order[d]].stride[operand]);
  }
  ppi_text_append(printer->text, before[0] ? "" : "0");
}

void ppi_contract_put_view(const struct ppi_contract_printer *printer, int operand) {
  ppi_text_printf(printer->text, "%s%s%c[", printer->matrices[operand].by_row ? "row " : "",
                  printer->packed >> operand & 1 ? "P" : "", PPI_TENSOR_NAME(operand));
  put_place(printer, operand, false);
  ppi_text_append(printer->text, ", ");
  put_place(printer, operand, true);
  ppi_text_append(printer->text, "]");
}

void ppi_contract_indent(const struct ppi_contract_printer *printer, int depth) {
  ppi_text_printf(printer->text, "%*s", 2 * depth + 2, "");
}

void ppi_contract_put_shape(const struct ppi_contract_printer *printer, int operand) {
  const struct ppi_contract_matrix *matrix = &printer->matrices[operand];
  put_rows(printer, operand);
  ppi_text_append(printer->text, ", ");
  ppi_contract_put_product(printer, matrix, matrix->split, matrix->rank);
}
