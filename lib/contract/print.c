/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/print.h"

static void put_tensor(const struct ppi_contraction *contraction, int operand, struct ppi_text *text) {
  char letters[PPI_RANK_MAX + 1];
  ppi_contract_letters(contraction, operand, letters);
  ppi_text_printf(text, "%c[", PPI_TENSOR_NAME(operand));
  for (int d = 0; letters[d]; d++)
    ppi_text_printf(text, "%s%c", d > 0 ? "," : "", letters[d]);
  ppi_text_append(text, "]");
}

void ppi_contract_print_formula(const struct ppi_contraction *contraction, struct ppi_text *text) {
  put_tensor(contraction, 2, text);
  ppi_text_append(text, " := ");
  put_tensor(contraction, 0, text);
  ppi_text_append(text, " ");
  put_tensor(contraction, 1, text);
}
