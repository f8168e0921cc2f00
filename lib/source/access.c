/* SPDX-License-Identifier: BSD-3-Clause */
/* What statements read and write. Scalars stay in registers: they count for nothing. */
#include <string.h>

#include "source/region.h"

void ppi_region_begin(struct ppi_region *region, int line) {
  region->statement_line = line;
  region->statements++;
}

static void indent(struct ppi_region *region) {
  for (int i = 0; i < region->level + 1; i++)
    ppi_text_append(&region->body, "  ");
}

enum perfpred_status ppi_region_flush(struct ppi_region *region) {
  if (region->line.length == 0)
    return PERFPRED_OK;
  indent(region);
  ppi_text_append(&region->body, region->line_may > 0 ? "may " : "");
  ppi_text_append_n(&region->body, region->line.data, region->line.length);
  ppi_text_append(&region->body, "\n");
  region->line.length = 0;
  return ppi_region_note(region, &region->accesses, region->statement_line);
}

/* Accesses that stand before the block belong before it. */
enum perfpred_status ppi_region_open(struct ppi_region *region, int line, struct ppi_text *head) {
  enum perfpred_status status = ppi_region_flush(region);
  if (!status)
    status = ppi_region_note(region, &region->blocks, line);
  indent(region);
  if (head->data)
    ppi_text_append(&region->body, head->data);
  ppi_text_append(&region->body, "\n");
  if (head->failed)
    region->body.failed = true;
  ppi_text_free(head);
  region->level++;
  return status;
}

/* Names of a block of the nest end with it. */
static void forget(struct ppi_region *region) {
  for (size_t i = 0; i < region->name_count; i++) {
    struct ppi_region_name *name = &region->names[i];
    if (name->level >= region->level && (name->sort == PPI_REGION_COUNTER || name->sort == PPI_REGION_LET))
      name->visible = name->taken = false;
  }
}

enum perfpred_status ppi_region_else(struct ppi_region *region) {
  enum perfpred_status status = ppi_region_flush(region);
  forget(region);
  region->level--;
  indent(region);
  ppi_text_append(&region->body, "else\n");
  region->level++;
  return status;
}

enum perfpred_status ppi_region_close(struct ppi_region *region) {
  enum perfpred_status status = ppi_region_flush(region);
  forget(region);
  region->level--;
  indent(region);
  ppi_text_append(&region->body, "end\n");
  return status;
}

/* a[i][j], (*a)[i], *a: the name of the array and its subscripts, outermost first; NULL for * alone. */
struct reference {
  const struct ppi_c_expr *base, *subscripts[PPI_C_DIMENSIONS];
  int count;
};

static bool read_reference(const struct ppi_c_expr *expr, struct reference *reference) {
  while (expr->op == PPI_C_INDEX || (expr->op == PPI_C_PREFIX && !strcmp(expr->mark, "*"))) {
    if (reference->count == PPI_C_DIMENSIONS)
      return false;
    memmove(reference->subscripts + 1, reference->subscripts, sizeof reference->subscripts - sizeof(void *));
    reference->subscripts[0] = expr->op == PPI_C_INDEX ? expr->b : NULL;
    reference->count++;
    expr = expr->a;
  }
  reference->base = expr;
  return expr->op == PPI_C_IDENTIFIER;
}

static enum perfpred_status check_array(struct ppi_region *region, const struct ppi_c_expr *expr,
                                        const struct ppi_c_symbol *symbol, int count) {
  if (!symbol)
    return ppi_region_error(region, expr, "the array is not declared");
  if (symbol->sort != PPI_C_ARRAY)
    return ppi_region_error(region, expr, "not an array of numbers");
  if (symbol->element_bytes == 0)
    return ppi_region_error(region, expr, "the size of its elements is not known");
  if (count != symbol->dimensions)
    return ppi_region_error(region, expr, "as many subscripts as the array has dimensions are expected");
  for (int i = 1; i < symbol->dimensions; i++)
    if (!symbol->extents[i])
      return ppi_region_error(region, expr, "only the first extent of an array may be left open");
  return PERFPRED_OK;
}

/* The nest's name of an array; made at its first use. */
static enum perfpred_status find_array(struct ppi_region *region, const struct ppi_c_expr *expr,
                                       struct reference *reference, const char **text) {
  struct ppi_region_name *name = NULL;
  if (!read_reference(expr, reference))
    return ppi_region_error(region, expr,
                            reference->base && reference->base->op == PPI_C_MEMBER
                                ? "a member of a structure"
                                : "expected an array with at most 8 subscripts");
  const struct ppi_c_symbol *symbol = ppi_c_find(region->parser, reference->base->first);
  enum perfpred_status status = check_array(region, expr, symbol, reference->count);
  for (size_t i = 0; i < region->name_count && !status; i++)
    if (region->names[i].sort == PPI_REGION_ARRAY && region->names[i].c == symbol->name)
      name = &region->names[i];
  if (!status && !name) {
    status = ppi_region_add_name(region, symbol->name, PPI_REGION_ARRAY, &name);
    if (!status) {
      name->array = *symbol;
      name->visible = false; /* its symbol says whether it is */
    }
  }
  if (!status)
    *text = name->text;
  return status;
}

static enum perfpred_status add_access(struct ppi_region *region, const struct ppi_c_expr *expr, const char *verb) {
  struct reference reference = { 0 };
  const char *array = NULL;
  enum perfpred_status status = find_array(region, expr, &reference, &array);
  if (!status && region->line.length > 0 && (region->line_may > 0) != (region->may > 0))
    status = ppi_region_flush(region);
  if (status)
    return status;
  region->line_may = region->may;
  ppi_text_printf(&region->line, "%s%s %s", region->line.length > 0 ? "; " : "", verb, array);
  for (int i = 0; i < reference.count && !status; i++) {
    ppi_text_append(&region->line, i > 0 ? ", " : "[");
    if (reference.subscripts[i])
      status = ppi_region_index(region, reference.subscripts[i], &region->line);
    else
      ppi_text_append(&region->line, "0");
  }
  ppi_text_append(&region->line, "]");
  return status;
}

static bool is_scalar(const struct ppi_c_expr *expr) {
  return expr->op == PPI_C_IDENTIFIER;
}

static enum perfpred_status write_scalar(struct ppi_region *region, const struct ppi_c_expr *expr) {
  const struct ppi_region_name *name = ppi_region_find(region, expr->first);
  const struct ppi_c_symbol *symbol = ppi_c_find(region->parser, expr->first);
  if (name)
    return ppi_region_error(region, expr, "it is used in bounds or subscripts and changes");
  if (symbol && symbol->sort == PPI_C_ARRAY)
    return ppi_region_error(region, expr, "an array without subscripts");
  return PERFPRED_OK;
}

/* How an assignment or ++ leaves its left side. */
static enum perfpred_status write_left(struct ppi_region *region, const struct ppi_c_expr *expr) {
  return is_scalar(expr) ? write_scalar(region, expr) : add_access(region, expr, "write");
}

static enum perfpred_status visit_assignment(struct ppi_region *region, const struct ppi_c_expr *expr) {
  enum perfpred_status status = PERFPRED_OK;
  if (strcmp(expr->mark, "=") != 0 && !is_scalar(expr->a))
    status = add_access(region, expr->a, "read");
  if (!status)
    status = ppi_region_visit(region, expr->b);
  return status ? status : write_left(region, expr->a);
}

static enum perfpred_status visit_step(struct ppi_region *region, const struct ppi_c_expr *expr) {
  enum perfpred_status status = is_scalar(expr->a) ? PERFPRED_OK : add_access(region, expr->a, "read");
  return status ? status : write_left(region, expr->a);
}

/* Either side, as the condition says where it is an affine one; both, where it depends on data. */
static enum perfpred_status visit_choice(struct ppi_region *region, const struct ppi_c_expr *expr) {
  enum perfpred_status status;
  if (!ppi_region_is_index(region, expr->a)) {
    status = ppi_region_visit(region, expr->a);
    region->may++;
    if (!status)
      status = ppi_region_visit(region, expr->b);
    if (!status)
      status = ppi_region_visit(region, expr->c);
    region->may--;
    return status;
  }
  struct ppi_text head = PPI_TEXT_INIT;
  ppi_text_append(&head, "if ");
  status = ppi_region_index(region, expr->a, &head);
  if (status) {
    ppi_text_free(&head);
    return status;
  }
  status = ppi_region_open(region, region->statement_line, &head);
  if (!status)
    status = ppi_region_visit(region, expr->b);
  if (!status)
    status = ppi_region_else(region);
  if (!status)
    status = ppi_region_visit(region, expr->c);
  return status ? status : ppi_region_close(region);
}

static enum perfpred_status visit_call(struct ppi_region *region, const struct ppi_c_expr *expr) {
  enum perfpred_status status = PERFPRED_OK;
  if (expr->a->op != PPI_C_IDENTIFIER)
    return ppi_region_error(region, expr, "a call through a pointer");
  for (const struct ppi_c_expr *argument = expr->b; argument && !status; argument = argument->next)
    status = ppi_region_visit(region, argument);
  return status;
}

static enum perfpred_status visit_prefix(struct ppi_region *region, const struct ppi_c_expr *expr) {
  if (!strcmp(expr->mark, "*"))
    return add_access(region, expr, "read");
  if (!strcmp(expr->mark, "&"))
    return ppi_region_error(region, expr, "the address of something");
  if (expr->mark[1])
    return visit_step(region, expr);
  return ppi_region_visit(region, expr->a);
}

static enum perfpred_status visit_name(struct ppi_region *region, const struct ppi_c_expr *expr) {
  const struct ppi_c_symbol *symbol = ppi_c_find(region->parser, expr->first);
  return symbol && symbol->sort == PPI_C_ARRAY ? ppi_region_error(region, expr, "an array without subscripts")
                                               : PERFPRED_OK;
}

enum perfpred_status ppi_region_visit(struct ppi_region *region, const struct ppi_c_expr *expr) {
  enum perfpred_status status;
  switch (expr->op) {
  case PPI_C_INTEGER:
  case PPI_C_OPAQUE:
    return PERFPRED_OK;
  case PPI_C_IDENTIFIER:
    return visit_name(region, expr);
  case PPI_C_INDEX:
    return add_access(region, expr, "read");
  case PPI_C_CALL:
    return visit_call(region, expr);
  case PPI_C_PREFIX:
    return visit_prefix(region, expr);
  case PPI_C_POSTFIX:
    return visit_step(region, expr);
  case PPI_C_BINARY:
    status = ppi_region_visit(region, expr->a);
    return status ? status : ppi_region_visit(region, expr->b);
  case PPI_C_ASSIGN:
    return visit_assignment(region, expr);
  case PPI_C_CHOICE:
    return visit_choice(region, expr);
  case PPI_C_CAST:
    return ppi_region_visit(region, expr->a);
  case PPI_C_MEMBER:
    break;
  }
  return ppi_region_error(region, expr, "a member of a structure");
}
