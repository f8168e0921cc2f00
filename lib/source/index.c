/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole numbers that a compiler could know: bounds, subscripts, conditions. */
#include <inttypes.h>
#include <string.h>

#include "source/region.h"

#define LENGTH_MAX 65536 /* of what is written for a statement */

/* Functions and macros that stand for what the text form has. */
struct function {
  const char *name, *text;
};
static const struct function functions[] = {
  { "min", "min" },         { "max", "max" },       { "MIN", "min" },         { "MAX", "max" },
  { "imin", "min" },        { "imax", "max" },      { "fmin", "min" },        { "fmax", "max" },
  { "floord", "floordiv" }, { "ceild", "ceildiv" }, { "FLOORD", "floordiv" }, { "CEILD", "ceildiv" },
};

static const char *find_function(const struct ppi_c_expr *call) {
  if (call->a->op != PPI_C_IDENTIFIER || !call->b || !call->b->next || call->b->next->next)
    return NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (ppi_c_token_is(call->a->first, functions[i].name))
      return functions[i].text;
  return NULL;
}

static bool is_one_of(const char *mark, const char *const *marks, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(mark, marks[i]))
      return true;
  return false;
}

static bool is_comparison(const char *mark) {
  static const char *const marks[] = { "<", "<=", ">", ">=", "==", "!=", "&&", "||" };
  return is_one_of(mark, marks, sizeof marks / sizeof *marks);
}

static bool is_arithmetic(const char *mark) {
  static const char *const marks[] = { "+", "-", "*", "/", "%", "<<", ">>" };
  return is_one_of(mark, marks, sizeof marks / sizeof *marks);
}

static bool is_index_name(const struct ppi_region *region, const struct ppi_c_token *name) {
  if (ppi_region_find(region, name))
    return ppi_region_find(region, name)->sort != PPI_REGION_ARRAY;
  const struct ppi_c_symbol *symbol = ppi_c_find(region->parser, name);
  if (symbol && (symbol->sort == PPI_C_CONSTANT || symbol->sort == PPI_C_SCALAR))
    return symbol->integer && !ppi_region_varies(region, name);
  return !symbol && !ppi_region_varies(region, name);
}

bool ppi_region_is_index(const struct ppi_region *region, const struct ppi_c_expr *expr) {
  switch (expr->op) {
  case PPI_C_INTEGER:
    return true;
  case PPI_C_IDENTIFIER:
    return is_index_name(region, expr->first);
  case PPI_C_CAST:
    return ppi_region_is_index(region, expr->a);
  case PPI_C_PREFIX:
    return strchr("+-!", expr->mark[0]) && !expr->mark[1] && ppi_region_is_index(region, expr->a);
  case PPI_C_BINARY:
    return (is_arithmetic(expr->mark) || is_comparison(expr->mark)) && ppi_region_is_index(region, expr->a) &&
           ppi_region_is_index(region, expr->b);
  case PPI_C_CHOICE:
    return ppi_region_is_index(region, expr->a) && ppi_region_is_index(region, expr->b) &&
           ppi_region_is_index(region, expr->c);
  case PPI_C_CALL:
    return find_function(expr) && ppi_region_is_index(region, expr->b) && ppi_region_is_index(region, expr->b->next);
  default:
    return false;
  }
}

bool ppi_region_depends(const struct ppi_region *region, const struct ppi_c_expr *expr) {
  if (!expr)
    return false;
  if (expr->op == PPI_C_IDENTIFIER) {
    const struct ppi_region_name *name = ppi_region_find(region, expr->first);
    return name && name->sort != PPI_REGION_PARAMETER;
  }
  for (const struct ppi_c_expr *part = expr->b; part; part = part->next)
    if (ppi_region_depends(region, part))
      return true;
  return (expr->op != PPI_C_CALL && ppi_region_depends(region, expr->a)) || ppi_region_depends(region, expr->c);
}

static bool is_nonnegative_name(const struct ppi_region *region, const struct ppi_c_token *name) {
  const struct ppi_region_name *found = ppi_region_find(region, name);
  if (found)
    return found->nonnegative;
  const struct ppi_c_symbol *symbol = ppi_c_find(region->parser, name);
  return !symbol || symbol->sort != PPI_C_CONSTANT || symbol->value >= 0; /* sizes are not negative */
}

bool ppi_region_is_nonnegative(const struct ppi_region *region, const struct ppi_c_expr *expr) {
  const bool a = expr->a && expr->op != PPI_C_CALL && ppi_region_is_nonnegative(region, expr->a);
  const bool b = expr->b && expr->op != PPI_C_CALL && ppi_region_is_nonnegative(region, expr->b);
  switch (expr->op) {
  case PPI_C_INTEGER:
    return expr->value >= 0;
  case PPI_C_IDENTIFIER:
    return is_nonnegative_name(region, expr->first);
  case PPI_C_CAST:
    return a;
  case PPI_C_BINARY:
    return is_comparison(expr->mark) || (expr->mark[0] != '-' && a && b);
  case PPI_C_CHOICE:
    return b && ppi_region_is_nonnegative(region, expr->c);
  default:
    return false;
  }
}

/* A name that becomes a size of the nest. */
static enum perfpred_status write_size(struct ppi_region *region, const struct ppi_c_expr *expr,
                                       struct ppi_text *text) {
  struct ppi_region_name *name = NULL;
  if (ppi_region_varies(region, expr->first))
    return ppi_region_error(region, expr, "it changes in the region");
  enum perfpred_status status = ppi_region_add_name(region, expr->first, PPI_REGION_PARAMETER, &name);
  if (status)
    return status;
  name->nonnegative = true; /* sizes are */
  ppi_text_append(text, name->text);
  return PERFPRED_OK;
}

static enum perfpred_status write_name(struct ppi_region *region, const struct ppi_c_expr *expr,
                                       struct ppi_text *text) {
  const struct ppi_region_name *name = ppi_region_find(region, expr->first);
  const struct ppi_c_symbol *symbol = ppi_c_find(region->parser, expr->first);
  if (name) {
    ppi_text_append(text, name->text);
    return PERFPRED_OK;
  }
  if (symbol && symbol->sort == PPI_C_CONSTANT) {
    ppi_text_printf(text, symbol->value < 0 ? "(%" PRId64 ")" : "%" PRId64, symbol->value);
    return PERFPRED_OK;
  }
  if (symbol && symbol->sort == PPI_C_ARRAY)
    return ppi_region_error(region, expr, "an array");
  if (symbol && (symbol->sort != PPI_C_SCALAR || !symbol->integer))
    return ppi_region_error(region, expr, "not an integer");
  return write_size(region, expr, text);
}

/* before a between b after */
static enum perfpred_status write_pair(struct ppi_region *region, const char *before, const struct ppi_c_expr *a,
                                       const char *between, const struct ppi_c_expr *b, const char *after,
                                       struct ppi_text *text) {
  ppi_text_append(text, before);
  enum perfpred_status status = ppi_region_index(region, a, text);
  ppi_text_append(text, between);
  if (!status)
    status = ppi_region_index(region, b, text);
  ppi_text_append(text, after);
  return status;
}

/* (a) // (b) or (a) % (b), with something around it. */
static enum perfpred_status write_quotient(struct ppi_region *region, const char *before, const struct ppi_c_expr *expr,
                                           const char *close, const char *after, struct ppi_text *text) {
  char between[16] = "";
  strcat(strcat(strcat(between, close), expr->mark[0] == '/' ? " // " : " % "), "(");
  return write_pair(region, before, expr->a, between, expr->b, after, text);
}

/* Division in C rounds towards 0; that of the text form rounds down. */
static enum perfpred_status write_division(struct ppi_region *region, const struct ppi_c_expr *expr,
                                           struct ppi_text *text) {
  int64_t a = 0, b = 0;
  if (ppi_region_depends(region, expr->b))
    return ppi_region_error(region, expr, "divided by a counter");
  if (ppi_c_value(region->parser, expr, &a)) {
    ppi_text_printf(text, "(%" PRId64 ")", a);
    return PERFPRED_OK;
  }
  if (!ppi_region_is_nonnegative(region, expr->b) || (ppi_c_value(region->parser, expr->b, &b) && b <= 0))
    return ppi_region_error(region, expr, "divided by what may not be positive");
  if (ppi_region_is_nonnegative(region, expr->a))
    return write_quotient(region, "((", expr, ")", "))", text);
  ppi_text_append(text, "((");
  enum perfpred_status status = ppi_region_index(region, expr->a, text);
  if (!status)
    status = write_quotient(region, ") >= 0 ? (", expr, ")", ")", text);
  return status ? status : write_quotient(region, " : -((-(", expr, "))", ")))", text);
}

static enum perfpred_status write_shift(struct ppi_region *region, const struct ppi_c_expr *expr,
                                        struct ppi_text *text) {
  int64_t bits = 0;
  if (!ppi_c_value(region->parser, expr->b, &bits) || bits < 0 || bits > 62)
    return ppi_region_error(region, expr, "shifted by what is not a constant");
  ppi_text_append(text, "((");
  enum perfpred_status status = ppi_region_index(region, expr->a, text);
  ppi_text_printf(text, ") %s %" PRId64 ")", expr->mark[0] == '<' ? "*" : "//", (int64_t)1 << bits);
  return status;
}

static enum perfpred_status write_binary(struct ppi_region *region, const struct ppi_c_expr *expr,
                                         struct ppi_text *text) {
  char mark[8] = ") ";
  strcat(strcat(mark, expr->mark), " (");
  if (!strcmp(expr->mark, "<<") || !strcmp(expr->mark, ">>"))
    return write_shift(region, expr, text);
  if (!strcmp(expr->mark, "/") || !strcmp(expr->mark, "%"))
    return write_division(region, expr, text);
  if (!is_arithmetic(expr->mark) && !is_comparison(expr->mark))
    return ppi_region_error(region, expr, "an operator that has no place in bounds and subscripts");
  if (expr->mark[0] == '*' && ppi_region_depends(region, expr->a) && ppi_region_depends(region, expr->b))
    return ppi_region_error(region, expr, "a product of counters");
  return write_pair(region, "((", expr->a, mark, expr->b, "))", text);
}

static bool same_words(const struct ppi_c_expr *a, const struct ppi_c_expr *b) {
  if (a->last - a->first != b->last - b->first)
    return false;
  for (int i = 0; i <= a->last - a->first; i++)
    if (!ppi_c_same_name(a->first + i, b->first + i))
      return false;
  return true;
}

/* "min(" or "max(" for `a < b ? a : b` and its like, else NULL. */
static const char *extreme_of(const struct ppi_c_expr *expr) {
  const struct ppi_c_expr *condition = expr->a;
  if (condition->op != PPI_C_BINARY || (condition->mark[0] != '<' && condition->mark[0] != '>') ||
      (condition->mark[1] && condition->mark[1] != '='))
    return NULL;
  const bool less = condition->mark[0] == '<';
  if (same_words(condition->a, expr->b) && same_words(condition->b, expr->c))
    return less ? "min(" : "max(";
  if (same_words(condition->a, expr->c) && same_words(condition->b, expr->b))
    return less ? "max(" : "min(";
  return NULL;
}

static enum perfpred_status write_choice(struct ppi_region *region, const struct ppi_c_expr *expr,
                                         struct ppi_text *text) {
  const char *extreme = extreme_of(expr);
  if (extreme)
    return write_pair(region, extreme, expr->b, ", ", expr->c, ")", text);
  enum perfpred_status status = write_pair(region, "((", expr->a, ") ? (", expr->b, ") : (", text);
  if (!status)
    status = ppi_region_index(region, expr->c, text);
  ppi_text_append(text, "))");
  return status;
}

static enum perfpred_status write_prefix(struct ppi_region *region, const struct ppi_c_expr *expr,
                                         struct ppi_text *text) {
  if (!strchr("+-!", expr->mark[0]) || expr->mark[1])
    return ppi_region_error(region, expr, "an operator that has no place in bounds and subscripts");
  ppi_text_append(text, expr->mark[0] == '-' ? "(-(" : "((");
  enum perfpred_status status = ppi_region_index(region, expr->a, text);
  ppi_text_append(text, expr->mark[0] == '!' ? ") == 0)" : "))");
  return status;
}

static enum perfpred_status write_call(struct ppi_region *region, const struct ppi_c_expr *expr,
                                       struct ppi_text *text) {
  const char *function = find_function(expr);
  if (!function)
    return ppi_region_error(region, expr, "the value of a function");
  if (strlen(function) > 3 && ppi_region_depends(region, expr->b->next))
    return ppi_region_error(region, expr, "divided by a counter");
  ppi_text_append(text, function);
  return write_pair(region, "(", expr->b, ", ", expr->b->next, ")", text);
}

enum perfpred_status ppi_region_index(struct ppi_region *region, const struct ppi_c_expr *expr, struct ppi_text *text) {
  if (text->length > LENGTH_MAX) /* divisions write what they divide three times */
    return ppi_c_error(region->parser->error, &region->parser->tokens, expr->first, PERFPRED_LIMIT,
                       "the expression is too long for a bound or subscript");
  switch (expr->op) {
  case PPI_C_INTEGER:
    ppi_text_printf(text, "%" PRId64, expr->value);
    return PERFPRED_OK;
  case PPI_C_IDENTIFIER:
    return write_name(region, expr, text);
  case PPI_C_CAST:
    return ppi_region_index(region, expr->a, text);
  case PPI_C_PREFIX:
    return write_prefix(region, expr, text);
  case PPI_C_BINARY:
    return write_binary(region, expr, text);
  case PPI_C_CHOICE:
    return write_choice(region, expr, text);
  case PPI_C_CALL:
    return write_call(region, expr, text);
  case PPI_C_INDEX:
    return ppi_region_error(region, expr, "it depends on data");
  case PPI_C_OPAQUE:
    return ppi_region_error(region, expr, "not an integer of at most 63 bits");
  case PPI_C_POSTFIX:
  case PPI_C_ASSIGN:
    return ppi_region_error(region, expr, "it changes a value");
  case PPI_C_MEMBER:
    break;
  }
  return ppi_region_error(region, expr, "a member of a structure");
}
