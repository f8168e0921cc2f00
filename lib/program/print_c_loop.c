/* SPDX-License-Identifier: BSD-3-Clause */
/* Heads of loops as C. */
#include <string.h>

#include "program/print.h"
#include "program/print_c.h"

/* Names that a loop needs beside its own: of the block's width, and of its end. */
struct loop {
  const struct ppi_c_printer *printer;
  const struct ppi_node *node;
  char width[PPI_C_NAME_MAX + 8], end[PPI_C_NAME_MAX + 8];
};

static void name_loop(struct loop *loop, const struct ppi_c_printer *printer, const struct ppi_node *node) {
  loop->printer = printer;
  loop->node = node;
  strcat(strcpy(loop->end, printer->names[node->slot]), "_end_");
  if (node->width_slot >= 0)
    strcpy(loop->width, printer->names[node->width_slot]);
  else
    strcat(strcpy(loop->width, printer->names[node->slot]), "_width_");
}

static void print_part(const struct loop *loop, char part) {
  const struct ppi_c_printer *printer = loop->printer;
  const struct ppi_node *node = loop->node;
  switch (part) {
  case 'L':
    ppi_print_c_expr(printer, node->lower);
    break;
  case 'U':
    ppi_print_c_expr(printer, node->upper);
    break;
  case 'S':
    ppi_print_c_expr(printer, node->step);
    break;
  case 'l':
    ppi_print_c_factor(printer, node->lower);
    break;
  case 'u':
    ppi_print_c_factor(printer, node->upper);
    break;
  case 's':
    ppi_print_c_factor(printer, node->step);
    break;
  case 'w':
    ppi_text_append(printer->text, loop->width);
    break;
  case 'e':
    ppi_text_append(printer->text, loop->end);
    break;
  default:
    ppi_text_append(printer->text, printer->names[node->slot]);
  }
}

/* A line after a pattern: $i is the loop's name, $w the width, $e the end of the block; $L, $U and $S are the bounds and the
   step, in small letters as factors. */
static void print_line(const struct loop *loop, int depth, const char *pattern) {
  struct ppi_text *text = loop->printer->text;
  ppi_print_indent(depth, text);
  for (const char *at = pattern; *at; at++)
    if (*at == '$')
      print_part(loop, *++at);
    else
      ppi_text_append_n(text, at, 1);
  ppi_text_append(text, "\n");
}

static bool needs_width(const struct ppi_node *node) {
  return node->width_slot >= 0 && ppi_print_c_uses(node->body, node->width_slot);
}

/* Blocks lined up with LO: the one at HI is what is left over. */
static void print_from_lower(const struct loop *loop, int depth) {
  if (loop->node->down)
    print_line(loop, 0, "for (int $i = $l < $u ? $l + ($u - $l - 1) / $s * $s : $l - 1; $i >= $l; $i -= $S) {");
  else
    print_line(loop, 0, "for (int $i = $L; $i < $u; $i += $S) {");
  if (needs_width(loop->node))
    print_line(loop, depth, "const int $w = min($S, $u - $i);");
}

/* Blocks lined up with HI, upwards: the first one is what is left over. */
static void print_up_from_rest(const struct loop *loop) {
  print_line(loop, 0, "for (int $i = $L, $w = $i < $u ? ($u - $i - 1) % $s + 1 : 1; $i < $u; $i += $w, $w = $S) {");
}

/* The same, downwards. */
static void print_down_from_upper(const struct loop *loop, int depth) {
  print_line(loop, 0, "for (int $e = $U; $e > $l; $e -= $S) {");
  if (needs_width(loop->node))
    print_line(loop, depth, "const int $w = min($S, $e - $l);");
  if (ppi_print_c_uses(loop->node->body, loop->node->slot))
    print_line(loop, depth, "const int $i = max($L, $e - $s);");
}

void ppi_print_c_loop(const struct ppi_c_printer *printer, const struct ppi_node *node, int depth) {
  struct loop loop;
  name_loop(&loop, printer, node);
  if (node->down == node->short_first)
    print_from_lower(&loop, depth + 1);
  else if (node->down)
    print_down_from_upper(&loop, depth + 1);
  else
    print_up_from_rest(&loop);
}
