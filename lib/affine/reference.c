/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/reference.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "catalog/catalog.h"
#include "program/text.h"
#include "program/tree.h"

/* Kernels that touch memory as others do. */
static const char *const aliases[][2] = {
  { "herk", "syrk" },   { "her2k", "syr2k" }, { "hemm", "symm" }, { "her", "syr" },      { "her2", "syr2" },
  { "hemv", "symv" },   { "geru", "ger" },    { "gerc", "ger" },  { "potrf", "potrf2" }, { "getrf", "getrf2" },
  { "trtri", "trti2" }, { "lauum", "lauu2" }, { "dotu", "dot" },  { "dotc", "dot" },     { "hegs2", "sygs2" },
};

/* Kernels that call themselves down to a column, and the same without. */
static const char *const recursive[][2] = { { "potrf2", "potf2" }, { "getrf2", "getf2" } };

enum perfpred_status ppi_references_read(const struct perfpred_context *context, struct ppi_unit **references,
                                         struct perfpred_error *error) {
  const struct ppi_catalog_text *text = &ppi_nest_catalog[0];
  return ppi_text_read_algorithms(context->programs, context->kernels, text->text, text->length, text->source,
                                  references, error);
}

static const char *replaced(const char *name, const char *const (*by)[2], size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(name, by[i][0]))
      return by[i][1];
  return name;
}

/* "gemm-NT" for dgemm(N, T, ...): the type is dropped; diag and options are parameters. */
static void name_of(const struct ppi_node *node, bool sized, char *name, size_t size) {
  const struct perfpred_kernel *kernel = node->kernel;
  const char *plain = kernel->name[0] != '\0' ? kernel->name + 1 : kernel->name;
  plain = replaced(plain, aliases, sizeof aliases / sizeof *aliases);
  if (!sized)
    plain = replaced(plain, recursive, sizeof recursive / sizeof *recursive);
  size_t used = (size_t)snprintf(name, size, "%s", plain);
  bool first = true;
  for (int i = 0; i < kernel->flag_count && used + 3 < size; i++) {
    const struct ppi_arg *flag = &kernel->args[kernel->flags[i]];
    if (!strcmp(flag->name, "diag") || flag->option)
      continue;
    const char letter = (char)node->operands[kernel->flags[i]].fixed.i;
    name[used] = '-';
    used += first ? 1 : 0;
    first = false;
    name[used++] = letter == 'C' && !strncmp(flag->name, "tran", 4) ? 'T' : letter;
    name[used] = '\0';
  }
}

enum perfpred_status ppi_reference_find(const struct ppi_unit *references, const struct ppi_node *node, bool sized,
                                        const struct perfpred_program **reference, struct perfpred_error *error) {
  char name[PPI_NAME_MAX + 16];
  name_of(node, sized, name, sizeof name);
  for (int i = 0; i < references->count; i++)
    if (!strcmp(references->programs[i]->name, name)) {
      *reference = references->programs[i];
      return PERFPRED_OK;
    }
  return ppi_error_set(error, PERFPRED_UNSUPPORTED, "%s has no reference whose loops could be counted (%s)",
                       node->kernel->name, name);
}
