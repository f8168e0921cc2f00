/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/signature.h"

#include <stdlib.h>
#include <string.h>

#define PATH_LONGEST 1023 /* of a library, in bytes */

/* --- Statements ---------------------------------------------------------------------------------------------------- */

typedef enum perfpred_status reader(struct ppi_signature *signature);

static enum perfpred_status read_about(struct ppi_signature *signature) {
  struct perfpred_kernel *kernel = signature->kernel;
  return ppi_scan_rest(signature->scanner, kernel->operation, sizeof kernel->operation);
}

static enum perfpred_status read_mul(struct ppi_signature *signature) {
  return ppi_expr_parse(signature->scanner, &signature->scope, &signature->kernel->multiplications);
}

static enum perfpred_status read_add(struct ppi_signature *signature) {
  return ppi_expr_parse(signature->scanner, &signature->scope, &signature->kernel->additions);
}

static enum perfpred_status read_move(struct ppi_signature *signature) {
  return ppi_expr_parse(signature->scanner, &signature->scope, &signature->kernel->movement);
}

static enum perfpred_status read_count(struct ppi_signature *signature) {
  struct ppi_scanner *scanner = signature->scanner;
  signature->kernel->approximate = ppi_scan_is(scanner, "approximate");
  if (!signature->kernel->approximate && !ppi_scan_is(scanner, "exact"))
    return ppi_scan_expected(scanner, "what the counts are (exact approximate)");
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

static uint32_t size_slots(const struct perfpred_kernel *kernel) {
  uint32_t slots = 0;
  for (int i = 0; i < kernel->size_count; i++)
    slots |= UINT32_C(1) << kernel->sizes[i];
  return slots;
}

static enum perfpred_status read_require(struct ppi_signature *signature) {
  struct ppi_scanner at = *signature->scanner;
  struct perfpred_kernel *kernel = signature->kernel;
  if (kernel->demand_count == PPI_DEMAND_MAX)
    return ppi_scan_error(&at, PERFPRED_LIMIT, "a kernel has at most %d demands", PPI_DEMAND_MAX);
  struct ppi_expr *demand = NULL;
  enum perfpred_status status = ppi_expr_parse(signature->scanner, &signature->scope, &demand);
  if (status != PERFPRED_OK)
    return status;
  kernel->demands[kernel->demand_count++] = demand;
  if (ppi_expr_is_inequality(demand, size_slots(kernel)))
    return PERFPRED_OK;
  return ppi_scan_error(&at, PERFPRED_SYNTAX,
                        "a demand is no linear inequality between sizes; expected one such as m >= n or nb <= n - k");
}

static enum perfpred_status read_returns(struct ppi_signature *signature) {
  struct perfpred_kernel *kernel = signature->kernel;
  kernel->returns_value = true;
  if (signature->scanner->token.kind == PPI_TOKEN_LINE || signature->scanner->token.kind == PPI_TOKEN_END) {
    signature->returns_own = true;
    return PERFPRED_OK;
  }
  return ppi_signature_type(signature->scanner, &kernel->return_type);
}

static enum perfpred_status read_type(struct ppi_signature *signature) {
  if (ppi_scan_is(signature->scanner, "integer"))
    return ppi_scan_expected(signature->scanner, "a floating-point type (float double cfloat cdouble)");
  signature->type_known = true;
  return ppi_signature_type(signature->scanner, &signature->kernel->type);
}

/* The rest of the line. */
static enum perfpred_status read_library(struct ppi_signature *signature) {
  struct ppi_scanner *scanner = signature->scanner;
  char path[PATH_LONGEST + 1];
  if (scanner->token.kind == PPI_TOKEN_LINE || scanner->token.kind == PPI_TOKEN_END)
    return ppi_scan_expected(scanner, "the path of a shared library");
  enum perfpred_status status = ppi_scan_rest(scanner, path, sizeof path);
  if (status != PERFPRED_OK)
    return status;
  signature->kernel->library = strdup(path);
  return signature->kernel->library ? PERFPRED_OK : ppi_error_memory(scanner->error);
}

static enum perfpred_status read_symbol(struct ppi_signature *signature) {
  char name[PPI_NAME_MAX];
  enum perfpred_status status = ppi_scan_name(signature->scanner, name, "the name of a symbol");
  if (status != PERFPRED_OK)
    return status;
  signature->kernel->symbol = strdup(name);
  return signature->kernel->symbol ? PERFPRED_OK : ppi_error_memory(signature->scanner->error);
}

static const struct {
  const char *word;
  reader *read;
  bool repeated; /* may stand more than once */
} statements[] = {
  { "about", read_about, false },     { "mul", read_mul, false },     { "add", read_add, false },
  { "move", read_move, false },       { "count", read_count, false }, { "require", read_require, true },
  { "returns", read_returns, false }, { "type", read_type, false },   { "library", read_library, false },
  { "symbol", read_symbol, false },
};
enum { STATEMENTS = sizeof statements / sizeof statements[0] };

static const char *statement_word(const void *data, size_t index) {
  (void)data;
  return index < STATEMENTS ? statements[index].word : "end";
}

static enum perfpred_status read_statement(struct ppi_signature *signature, unsigned *seen) {
  struct ppi_scanner *scanner = signature->scanner;
  for (size_t i = 0; i < STATEMENTS; i++) {
    if (!ppi_scan_is(scanner, statements[i].word))
      continue;
    if (*seen & 1u << i && !statements[i].repeated)
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "a second '%s' in kernel '%s'", statements[i].word,
                            signature->kernel->name);
    *seen |= 1u << i;
    ppi_scan_next(scanner);
    enum perfpred_status status = statements[i].read(signature);
    return status == PERFPRED_OK ? ppi_scan_line(scanner) : status;
  }
  const char *near = ppi_text_nearest(scanner->token.text, STATEMENTS + 1, statement_word, NULL);
  if (scanner->token.kind == PPI_TOKEN_NAME && near)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "unknown statement '%s'; did you mean '%s'?", scanner->token.text,
                          near);
  return ppi_scan_expected(
      scanner, "a statement of a kernel (about mul add move count require returns type library symbol) or 'end'");
}

/* --- The block ----------------------------------------------------------------------------------------------------- */

/* Fills in what the text left to the data type of the kernel, and counts that it did not give. */
static enum perfpred_status complete(struct ppi_signature *signature, int line, int column) {
  struct perfpred_kernel *kernel = signature->kernel;
  struct perfpred_error *error = signature->scanner->error;
  if (!signature->type_known && !ppi_type_of_letter(kernel->name[0], &kernel->type))
    return ppi_error_at(error, PERFPRED_SYNTAX, signature->scanner->source, line, column,
                        "the name '%s' does not tell the data type; expected a statement such as 'type double'",
                        kernel->name);
  if (signature->returns_own)
    kernel->return_type = kernel->type;
  for (int i = 0; i < kernel->arg_count; i++) {
    struct ppi_arg *arg = &kernel->args[i];
    bool pivots = arg->property == PPI_PIVOTS;
    if (!signature->args[i].typed)
      arg->type = pivots ? PPI_TYPE_INT : kernel->type;
  }
  enum perfpred_status status = PERFPRED_OK;
  if (!kernel->multiplications)
    status = ppi_expr_constant(0, &kernel->multiplications, error);
  if (status == PERFPRED_OK && !kernel->additions)
    status = ppi_expr_constant(0, &kernel->additions, error);
  return status;
}

/* From the name to `end`. */
static enum perfpred_status read_block(struct ppi_signature *signature) {
  struct ppi_scanner *scanner = signature->scanner;
  const int line = scanner->token.line, column = scanner->token.column;
  unsigned seen = 0;

  enum perfpred_status status = ppi_scan_name(scanner, signature->kernel->name, "the name of a kernel");
  if (status == PERFPRED_OK)
    status = ppi_signature_arguments(signature);
  if (status == PERFPRED_OK)
    status = ppi_scan_line(scanner);
  while (status == PERFPRED_OK && !ppi_scan_is(scanner, "end"))
    status = read_statement(signature, &seen);
  if (status == PERFPRED_OK)
    status = complete(signature, line, column);
  if (status != PERFPRED_OK)
    return status;
  ppi_scan_next(scanner);
  return ppi_scan_line(scanner);
}

static enum perfpred_status read_kernel(struct ppi_scanner *scanner, struct perfpred_kernel **kernel) {
  struct ppi_signature *signature = calloc(1, sizeof *signature);
  struct perfpred_kernel *made = calloc(1, sizeof *made);
  enum perfpred_status status = PERFPRED_NO_MEMORY;

  if (!signature || !made) {
    ppi_error_memory(scanner->error);
    goto done;
  }
  atomic_init(&made->references, 1);
  signature->scanner = scanner;
  signature->kernel = made;
  status = read_block(signature);
  if (status != PERFPRED_OK)
    goto done;
  *kernel = made;
  made = NULL;
done:
  if (made)
    ppi_kernel_unref(made);
  free(signature);
  return status;
}

enum perfpred_status ppi_kernel_parse(struct ppi_scanner *scanner,
                                      enum perfpred_status (*add)(void *data, struct perfpred_kernel *kernel,
                                                                  struct perfpred_error *error),
                                      void *data) {
  int entries = 0;
  enum perfpred_status status = ppi_scan_expect(scanner, "kernel");
  if (status == PERFPRED_OK)
    status = ppi_scan_family(scanner, &entries);

  const struct ppi_place place = ppi_scan_place(scanner);
  for (int entry = 0; status == PERFPRED_OK && (entry == 0 || entry < entries); entry++) {
    struct perfpred_kernel *kernel = NULL;
    if (entry > 0) {
      ppi_scan_return(scanner, place);
      ppi_scan_choose(scanner, entry);
    }
    const int line = scanner->token.line, column = scanner->token.column;
    status = read_kernel(scanner, &kernel);
    if (status != PERFPRED_OK)
      break;
    struct perfpred_error error = { .status = PERFPRED_OK };
    status = add(data, kernel, &error);
    if (status != PERFPRED_OK)
      ppi_error_at(scanner->error, status, scanner->source, line, column, "%s", error.text);
  }
  return status;
}

enum perfpred_status ppi_kernel_parse_entry(struct ppi_scanner *scanner, int entry, struct perfpred_kernel **kernel) {
  int entries = 0;
  enum perfpred_status status = ppi_scan_expect(scanner, "kernel");
  if (status == PERFPRED_OK)
    status = ppi_scan_family(scanner, &entries);
  if (status != PERFPRED_OK)
    return status;
  if (entry > 0)
    ppi_scan_choose(scanner, entry);
  return read_kernel(scanner, kernel);
}
