/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of whole tensors as loops of C, in the order in which the library's own go. */
#include <inttypes.h>

#include "contract/print.h"

#define TILE PPI_TRANSPOSED_TILE

struct printer {
  const struct ppi_contraction *contraction;
  const struct ppi_contract_copy *copy;
  struct ppi_transposition plan;
  struct ppi_text *text;
};

static void indent(const struct printer *printer, int depth) {
  ppi_text_printf(printer->text, "\n%*s", 2 * depth, "");
}

/* Of several that are gone through as one, the name of the first; no two that go anywhere have the same place in packed memory. */
static void name_dimension(const struct printer *printer, const struct ppi_transposed *dimension,
                           char name[PPI_INDEX_NAME]) {
  const struct ppi_contract_dimension *at = printer->copy->dimensions;
  while (at->extent == 1 || at->packed != dimension->packed)
    at++;
  ppi_contract_print_index(printer->contraction, at->index, name);
}

/* Returns the depth inside of it. */
static int put_loop(const struct printer *printer, const struct ppi_transposed *dimension, int depth) {
  char name[PPI_INDEX_NAME];
  if (dimension->extent == 1)
    return depth;
  name_dimension(printer, dimension, name);
  indent(printer, depth);
  ppi_text_printf(printer->text, "for (int64_t %s = 0; %s < %" PRId64 "; %s++)", name, name, dimension->extent, name);
  return depth + 1;
}

/* Whether tiles do not reach from one end to the other, or need not. */
static bool is_tiled(const struct ppi_transposition *plan, int side) {
  return plan->plane[side].extent > TILE && plan->plane[1 - side].extent > (side == 0 ? 1 : TILE);
}

/* Over tiles, whose beginnings are called a0, b0. */
static int put_tiles(const struct printer *printer, int side, int depth) {
  const int64_t extent = printer->plan.plane[side].extent;
  char name[PPI_INDEX_NAME];
  if (!is_tiled(&printer->plan, side))
    return depth;
  name_dimension(printer, &printer->plan.plane[side], name);
  indent(printer, depth);
  ppi_text_printf(printer->text, "for (int64_t %s0 = 0; %s0 < %" PRId64 "; %s0 += %d)", name, name, extent, name, TILE);
  return depth + 1;
}

/* Of the last tile, which may be a smaller one, the end is called a1, b1. */
static int put_inside(const struct printer *printer, int side, int depth) {
  const int64_t extent = printer->plan.plane[side].extent;
  char name[PPI_INDEX_NAME];
  if (!is_tiled(&printer->plan, side))
    return put_loop(printer, &printer->plan.plane[side], depth);
  name_dimension(printer, &printer->plan.plane[side], name);
  indent(printer, depth);
  if (extent % TILE == 0)
    ppi_text_printf(printer->text, "for (int64_t %s = %s0; %s < %s0 + %d; %s++)", name, name, name, name, TILE, name);
  else
    ppi_text_printf(printer->text,
                    "for (int64_t %s = %s0, %s1 = %s0 + %d < %" PRId64 " ? %s0 + %d : %" PRId64 "; %s < %s1; %s++)",
                    name, name, name, name, TILE, extent, name, TILE, extent, name, name, name);
  return depth + 1;
}

/* Returns whether it was one. */
static bool put_term(const struct printer *printer, const struct ppi_transposed *dimension, bool packed, bool first) {
  const int64_t stride = packed ? dimension->packed : dimension->tensor;
  char name[PPI_INDEX_NAME];
  if (dimension->extent == 1)
    return false;
  name_dimension(printer, dimension, name);
  ppi_text_append(printer->text, first ? "" : " + ");
  if (stride != 1)
    ppi_text_printf(printer->text, "%" PRId64 " * ", stride);
  ppi_text_append(printer->text, name);
  return true;
}

/* side: the dimension of the plane that goes on inside of a call, -1: none. */
static void put_element(const struct printer *printer, bool packed, int side) {
  bool first = true;
  ppi_text_printf(printer->text, "%s%c[", packed ? "P" : "", PPI_TENSOR_NAME(printer->copy->operand));
  for (int d = 0; d < 2; d++)
    if (d != side && put_term(printer, &printer->plan.plane[d], packed, first))
      first = false;
  for (int l = 0; l < printer->plan.loop_count; l++)
    if (put_term(printer, &printer->plan.loops[l], packed, first))
      first = false;
  ppi_text_append(printer->text, first ? "0]" : "]");
}

static void put_lines(const struct printer *printer, bool out, int depth) {
  depth = put_loop(printer, &printer->plan.plane[1], depth);
  indent(printer, depth);
  ppi_text_append(printer->text, "memcpy(&");
  put_element(printer, !out, 0);
  ppi_text_append(printer->text, ", &");
  put_element(printer, out, 0);
  ppi_text_printf(printer->text, ", %" PRId64 " * sizeof *C);\n", printer->plan.plane[0].extent);
}

static void put_plane(const struct printer *printer, bool out, int depth) {
  for (int side = 1; side >= 0; side--)
    depth = put_tiles(printer, side, depth);
  for (int side = 1; side >= 0; side--)
    depth = put_inside(printer, side, depth);
  indent(printer, depth);
  put_element(printer, !out, -1);
  ppi_text_append(printer->text, " = ");
  put_element(printer, out, -1);
  ppi_text_append(printer->text, ";\n");
}

static void plan(const struct ppi_contract_copy *copy, struct ppi_transposition *made) {
  struct ppi_transposed dimensions[PPI_RANK_MAX];
  ppi_contract_transposed(copy, dimensions);
  ppi_transposition_plan(dimensions, copy->rank, made);
}

bool ppi_contract_has_lines(const struct ppi_contract_copy *copy) {
  struct ppi_transposition made;
  plan(copy, &made);
  return ppi_transposition_has_lines(&made);
}

void ppi_contract_print_transposition(const struct ppi_contraction *contraction, const struct ppi_contract_copy *copy,
                                      bool out, struct ppi_text *text) {
  struct printer printer = { .contraction = contraction, .copy = copy, .text = text };
  int depth = 1;
  plan(copy, &printer.plan);
  for (int l = printer.plan.loop_count - 1; l >= 0; l--)
    depth = put_loop(&printer, &printer.plan.loops[l], depth);
  if (ppi_transposition_has_lines(&printer.plan))
    put_lines(&printer, out, depth);
  else
    put_plane(&printer, out, depth);
}
