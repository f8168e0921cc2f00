/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the caller's own, and addresses for those of the catalogue. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "kernel/registry.h"

static enum perfpred_status keep(void *data, struct perfpred_kernel *kernel, struct perfpred_error *error) {
  struct perfpred_kernel **kept = data;
  if (*kept) {
    ppi_kernel_unref(kernel);
    return ppi_error_set(error, PERFPRED_INVALID, "expected the text of one kernel, found a family or more than one");
  }
  *kept = kernel;
  return PERFPRED_OK;
}

static enum perfpred_status parse_one(const char *text, struct perfpred_kernel **kernel, struct perfpred_error *error) {
  struct perfpred_kernel *made = NULL;
  struct ppi_scanner scanner;
  ppi_scan_init(&scanner, text, strlen(text), "kernel", error);
  enum perfpred_status status = ppi_kernels_first_line(&scanner);
  if (status == PERFPRED_OK)
    status = ppi_kernel_parse(&scanner, keep, &made);
  if (status == PERFPRED_OK && scanner.token.kind != PPI_TOKEN_END)
    status = ppi_scan_expected(&scanner, "the end of the text");
  if (status == PERFPRED_OK)
    *kernel = made;
  else
    ppi_kernel_unref(made);
  return status;
}

static enum perfpred_status check(const struct perfpred_context *context, const char *text, bool function,
                                  struct perfpred_error *error) {
  ppi_error_clear(error);
  if (context && text && function)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !text ? "text" : "function");
}

enum perfpred_status perfpred_kernel_register(struct perfpred_context *context, const char *text,
                                              perfpred_fortran_fn *function, struct perfpred_error *error) {
  struct perfpred_kernel *kernel = NULL;
  enum perfpred_status status = check(context, text, function != NULL, error);
  if (status == PERFPRED_OK)
    status = parse_one(text, &kernel, error);
  if (status != PERFPRED_OK)
    return status;
  kernel->function = function;
  return ppi_kernels_add(context->kernels, kernel, error);
}

enum perfpred_status perfpred_kernel_register_function(struct perfpred_context *context, const char *text,
                                                       perfpred_kernel_fn *function, void *data,
                                                       struct perfpred_error *error) {
  struct perfpred_kernel *kernel = NULL;
  enum perfpred_status status = check(context, text, function != NULL, error);
  if (status == PERFPRED_OK)
    status = parse_one(text, &kernel, error);
  if (status != PERFPRED_OK)
    return status;
  kernel->free_form = function;
  kernel->free_form_data = data;
  kernel->ilp64 = true;
  return ppi_kernels_add(context->kernels, kernel, error);
}

enum perfpred_status perfpred_kernel_bind(struct perfpred_context *context, const char *name,
                                          perfpred_fortran_fn *function, int ilp64, struct perfpred_error *error) {
  const struct perfpred_kernel *found = NULL;
  ppi_error_clear(error);
  if (!context || !name || !function)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !name ? "name" : "function");
  enum perfpred_status status = ppi_kernels_require(context->kernels, name, &found, error);
  if (status != PERFPRED_OK)
    return status;
  if (found->free_form)
    return ppi_error_set(error, PERFPRED_INVALID, "kernel '%s' has a free-form function already", name);
  struct perfpred_kernel *kernel = (struct perfpred_kernel *)found; /* the binding is the context's */
  kernel->function = function;
  kernel->ilp64 = ilp64 != 0;
  return PERFPRED_OK;
}
