/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"

static enum perfpred_status read_flag(struct ppi_scanner *scanner, const struct ppi_arg *arg, struct ppi_value *value) {
  char what[2 * PPI_NAME_MAX];
  const char *text = scanner->token.text;
  const enum ppi_token_kind kind = arg->option ? PPI_TOKEN_INTEGER : PPI_TOKEN_NAME;
  if (scanner->token.kind == kind && !text[1] && strchr(arg->flags, text[0])) {
    value->i = (unsigned char)text[0];
    ppi_scan_next(scanner);
    return PERFPRED_OK;
  }
  snprintf(what, sizeof what, "%s '%s' (one of %s)", arg->option ? "option" : "flag", arg->name, arg->flags);
  return ppi_scan_expected(scanner, what);
}

static enum perfpred_status read_size(struct ppi_scanner *scanner, const struct ppi_arg *arg, struct ppi_value *value) {
  const struct ppi_scope nothing = { NULL, 0, NULL };
  const struct ppi_scanner before = *scanner;
  struct ppi_expr *expr = NULL;
  int64_t size = 0;

  enum perfpred_status status = ppi_expr_parse(scanner, &nothing, &expr);
  if (status == PERFPRED_OK)
    status = ppi_expr_eval(expr, NULL, &size, scanner->error);
  ppi_expr_destroy(expr);
  if (status == PERFPRED_OK && size < 0) {
    struct ppi_scanner at = before;
    return ppi_scan_error(&at, PERFPRED_SYNTAX, "size '%s' is %lld; expected a number >= 0", arg->name,
                          (long long)size);
  }
  if (status == PERFPRED_OK)
    value->i = size;
  return status;
}

static enum perfpred_status read_number(struct ppi_scanner *scanner, const char *name, double *number) {
  char what[2 * PPI_NAME_MAX];
  bool negative = ppi_scan_accept(scanner, "-");
  if (scanner->token.kind != PPI_TOKEN_INTEGER && scanner->token.kind != PPI_TOKEN_REAL) {
    snprintf(what, sizeof what, "a number for scalar '%s'", name);
    return ppi_scan_expected(scanner, what);
  }
  *number = negative ? -scanner->token.real : scanner->token.real;
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

/* 0.5, -1 or (1, 2) */
static enum perfpred_status read_scalar(struct ppi_scanner *scanner, const struct ppi_arg *arg,
                                        struct ppi_value *value) {
  if (!ppi_type_is_complex(arg->type) || !ppi_scan_accept(scanner, "("))
    return read_number(scanner, arg->name, &value->re);
  enum perfpred_status status = read_number(scanner, arg->name, &value->re);
  if (status == PERFPRED_OK)
    status = ppi_scan_expect(scanner, ",");
  if (status == PERFPRED_OK)
    status = read_number(scanner, arg->name, &value->im);
  return status == PERFPRED_OK ? ppi_scan_expect(scanner, ")") : status;
}

/* `A`, `A[...]` or `row A[...]` */
static enum perfpred_status skip_view(struct ppi_scanner *scanner) {
  char name[PPI_NAME_MAX];
  int depth = 0;
  enum perfpred_status status = ppi_scan_name(scanner, name, "a view");
  if (status == PERFPRED_OK && strcmp(name, "row") == 0 && scanner->token.kind == PPI_TOKEN_NAME)
    status = ppi_scan_name(scanner, name, "a view");
  if (status != PERFPRED_OK || !ppi_scan_is(scanner, "["))
    return status;
  do {
    if (scanner->token.kind == PPI_TOKEN_END || scanner->token.kind == PPI_TOKEN_BAD)
      return ppi_scan_expected(scanner, "']'");
    depth += ppi_scan_is(scanner, "[");
    depth -= ppi_scan_is(scanner, "]");
    ppi_scan_next(scanner);
  } while (depth > 0);
  return PERFPRED_OK;
}

static enum perfpred_status read_data(struct ppi_scanner *scanner, bool *first) {
  struct ppi_scanner ahead = *scanner;
  if ((!*first && !ppi_scan_accept(&ahead, ",")) || ahead.token.kind != PPI_TOKEN_NAME)
    return PERFPRED_OK; /* left out */
  *scanner = ahead;
  *first = false;
  return skip_view(scanner);
}

static enum perfpred_status read_argument(struct ppi_scanner *scanner, const struct ppi_arg *arg,
                                          struct ppi_value *value, bool *first) {
  if (arg->kind == PPI_ARG_DATA)
    return read_data(scanner, first);
  if (!*first && !ppi_scan_accept(scanner, ",")) {
    char what[2 * PPI_NAME_MAX];
    snprintf(what, sizeof what, "',' and argument '%s'", arg->name);
    return ppi_scan_expected(scanner, what);
  }
  *first = false;
  if (arg->kind == PPI_ARG_FLAG)
    return read_flag(scanner, arg, value);
  return arg->kind == PPI_ARG_SIZE ? read_size(scanner, arg, value) : read_scalar(scanner, arg, value);
}

static enum perfpred_status read_kernel(struct ppi_scanner *scanner, const struct ppi_kernels *kernels,
                                        const struct perfpred_kernel **kernel) {
  const struct ppi_scanner at = *scanner;
  char name[PPI_NAME_MAX];
  struct perfpred_error inner = { .status = PERFPRED_OK };
  enum perfpred_status status = ppi_scan_name(scanner, name, "the name of a kernel");
  if (status != PERFPRED_OK)
    return status;
  status = ppi_kernels_require(kernels, name, kernel, &inner);
  if (status != PERFPRED_OK)
    ppi_error_at(scanner->error, status, at.source, at.token.line, at.token.column, "%s", inner.text);
  return status;
}

enum perfpred_status ppi_call_parse(struct ppi_scanner *scanner, const struct ppi_kernels *kernels,
                                    const struct perfpred_kernel **kernel, struct ppi_value *values) {
  const struct perfpred_kernel *found = NULL;
  const struct ppi_scanner at = *scanner;
  bool first = true;

  memset(values, 0, PPI_ARG_MAX * sizeof *values);
  for (int i = 0; i < PPI_ARG_MAX; i++)
    values[i].buffer = -1;
  enum perfpred_status status = read_kernel(scanner, kernels, &found);
  if (status == PERFPRED_OK)
    status = ppi_scan_expect(scanner, "(");
  for (int i = 0; status == PERFPRED_OK && i < found->arg_count; i++)
    if (ppi_arg_is_written(&found->args[i]))
      status = read_argument(scanner, &found->args[i], &values[i], &first);
  if (status == PERFPRED_OK)
    status = ppi_scan_expect(scanner, ")");
  struct perfpred_error inner = { .status = PERFPRED_OK };
  if (status == PERFPRED_OK && ppi_kernel_check(found, values, &inner) != PERFPRED_OK)
    status = ppi_error_at(scanner->error, inner.status, at.source, at.token.line, at.token.column, "%s", inner.text);
  if (status == PERFPRED_OK)
    *kernel = found;
  return status;
}

enum perfpred_status perfpred_kernel_flops(const struct perfpred_context *context, const char *call, double *flops,
                                           struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = NULL;
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_scanner scanner;

  ppi_error_clear(error);
  if (!context || !call || !flops)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !call ? "call" : "flops");
  ppi_scan_init(&scanner, call, strlen(call), "call", error);
  enum perfpred_status status = ppi_call_parse(&scanner, context->kernels, &kernel, values);
  if (status == PERFPRED_OK)
    status = ppi_scan_line(&scanner);
  if (status == PERFPRED_OK && scanner.token.kind != PPI_TOKEN_END)
    status = ppi_scan_expected(&scanner, "the end of the call");
  if (status == PERFPRED_OK)
    *flops = ppi_kernel_flops(kernel, values);
  return status;
}

/* Appends to a text of fixed size; what does not fit is left out. */
static void append(char *text, size_t size, const char *more) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", more);
}

void ppi_call_describe(const struct perfpred_kernel *kernel, const struct ppi_value *values, char *text, size_t size) {
  const char *comma = "";
  snprintf(text, size, "%s(", kernel->name);
  for (int i = 0; i < kernel->arg_count; i++) {
    char part[32];
    if (kernel->args[i].kind == PPI_ARG_FLAG)
      snprintf(part, sizeof part, "%s%c", comma, (int)values[i].i);
    else if (kernel->args[i].kind == PPI_ARG_SIZE)
      snprintf(part, sizeof part, "%s%" PRId64, comma, values[i].i);
    else
      continue;
    append(text, size, part);
    comma = ",";
  }
  append(text, size, ")");
}
