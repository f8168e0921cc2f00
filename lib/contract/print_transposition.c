/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of whole tensors as loops of C. */
#include <inttypes.h>

#include "contract/print.h"

#define TILE 16 /* elements along either side, as of a sampler's own copies */

struct printer {
  const struct ppi_contraction *contraction;
  const struct ppi_contract_copy *copy;
  int fast; /* dimension whose elements lie closest in the tensor: with the first one it is gone through by tiles; 0: there are none */
  struct ppi_text *text;
};

static void indent(const struct printer *printer, int depth) {
  ppi_text_printf(printer->text, "\n%*s", 2 * depth, "");
}

static void name_dimension(const struct printer *printer, int dimension, char name[PPI_INDEX_NAME]) {
  ppi_contract_print_index(printer->contraction, printer->copy->dimensions[dimension].index, name);
}

static void put_loop(const struct printer *printer, int dimension, int depth) {
  char name[PPI_INDEX_NAME];
  name_dimension(printer, dimension, name);
  indent(printer, depth);
  ppi_text_printf(printer->text, "for (int64_t %s = 0; %s < %" PRId64 "; %s++)", name, name,
                  printer->copy->dimensions[dimension].extent, name);
}

/* Over tiles, whose beginnings are called a0, b0. */
static void put_tiles(const struct printer *printer, int dimension, int depth) {
  char name[PPI_INDEX_NAME];
  name_dimension(printer, dimension, name);
  indent(printer, depth);
  ppi_text_printf(printer->text, "for (int64_t %s0 = 0; %s0 < %" PRId64 "; %s0 += %d)", name, name,
                  printer->copy->dimensions[dimension].extent, name, TILE);
}

static void put_inside(const struct printer *printer, int dimension, int depth) {
  char name[PPI_INDEX_NAME];
  name_dimension(printer, dimension, name);
  indent(printer, depth);
  ppi_text_printf(printer->text, "for (int64_t %s = %s0; %s < %s0 + %d && %s < %" PRId64 "; %s++)", name, name, name,
                  name, TILE, name, printer->copy->dimensions[dimension].extent, name);
}

static void put_element(const struct printer *printer, bool packed) {
  const struct ppi_contract_copy *copy = printer->copy;
  const char *before = "";
  char name[PPI_INDEX_NAME];
  ppi_text_printf(printer->text, "%s%c[", packed ? "P" : "", PPI_TENSOR_NAME(copy->operand));
  for (int d = 0; d < copy->rank; d++) {
    const int64_t stride = packed ? copy->dimensions[d].packed : copy->dimensions[d].tensor;
    ppi_text_append(printer->text, before);
    if (stride != 1)
      ppi_text_printf(printer->text, "%" PRId64 " * ", stride);
    name_dimension(printer, d, name);
    ppi_text_append(printer->text, name);
    before = " + ";
  }
  ppi_text_append(printer->text, "]");
}

static int find_fast(const struct ppi_contract_copy *copy) {
  int fast = 0;
  for (int d = 1; d < copy->rank; d++)
    if (copy->dimensions[d].extent > 1 &&
        (copy->dimensions[fast].extent <= 1 || copy->dimensions[d].tensor < copy->dimensions[fast].tensor))
      fast = d;
  return fast;
}

void ppi_contract_print_transposition(const struct ppi_contraction *contraction, const struct ppi_contract_copy *copy,
                                      bool out, struct ppi_text *text) {
  const struct printer printer = { contraction, copy, find_fast(copy), text };
  int depth = 1;
  for (int d = copy->rank - 1; d > 0; d--)
    if (d != printer.fast)
      put_loop(&printer, d, depth++);
  if (printer.fast > 0) {
    put_tiles(&printer, printer.fast, depth++);
    put_tiles(&printer, 0, depth++);
    put_inside(&printer, printer.fast, depth++);
    put_inside(&printer, 0, depth++);
  } else {
    put_loop(&printer, 0, depth++);
  }
  indent(&printer, depth);
  put_element(&printer, !out);
  ppi_text_append(text, " = ");
  put_element(&printer, out);
  ppi_text_append(text, ";\n");
}
