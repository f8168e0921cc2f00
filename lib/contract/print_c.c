/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm as a file of C that needs nothing but CBLAS. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contract/name.h"
#include "contract/print.h"
#include "contract/whole.h"

static const char *const types[] = { "float", "double", "float _Complex", "double _Complex" };

struct printer {
  const struct ppi_contraction *contraction; /* whose tensors the loops go through */
  const struct ppi_contract_algorithm *algorithm;
  const struct ppi_contraction *given; /* the same, but where whole tensors are copied, */
  const struct ppi_contract_algorithm *named;
  struct ppi_contraction derived; /* which makes this one of it */
  struct ppi_contract_algorithm nest;
  struct ppi_contract_call call;
  bool complex;
  struct ppi_text *text;
};

static void indent(const struct printer *printer, int depth) {
  ppi_text_printf(printer->text, "%*s", 2 * depth + 2, "");
}

void ppi_contract_print_index(const struct ppi_contraction *contraction, int index, char name[PPI_INDEX_NAME]) {
  const char letter = contraction->index[index].name;
  snprintf(name, PPI_INDEX_NAME, strchr("ABCI", letter) ? "%c_" : "%c", letter);
}

static void put_loop_name(const struct printer *printer, int index) {
  char name[PPI_INDEX_NAME];
  ppi_contract_print_index(printer->contraction, index, name);
  ppi_text_append(printer->text, name);
}

static void begin_loop(const struct printer *printer, int index, int depth) {
  char name[PPI_INDEX_NAME];
  ppi_contract_print_index(printer->contraction, index, name);
  indent(printer, depth);
  ppi_text_printf(printer->text, "for (int64_t %s = 0; %s < %" PRId64 "; %s++)", name, name,
                  printer->contraction->index[index].extent, name);
}

static bool is_whole(const struct printer *printer, int operand) {
  return printer->named->way != 0 && printer->named->copied[operand] >= 0;
}

static void put_term(const struct printer *printer, int operand, int index, const char *before) {
  const int64_t stride = printer->contraction->index[index].stride[operand];
  if (stride == 0)
    return;
  ppi_text_append(printer->text, before);
  if (stride != 1)
    ppi_text_printf(printer->text, "%" PRId64 " * ", stride);
  put_loop_name(printer, index);
}

/* Address of the slice that the first `loops` loops select; also: an index that counts as a loop, or -1. */
static void put_address(const struct printer *printer, int operand, int loops, int also) {
  ppi_text_printf(printer->text, "%s%c", is_whole(printer, operand) ? "P" : "", PPI_TENSOR_NAME(operand));
  for (int l = 0; l < loops; l++)
    put_term(printer, operand, printer->algorithm->loops[l], " + ");
  if (also >= 0)
    put_term(printer, operand, also, " + ");
}

/* The element of a tensor that the kernel gets or sets. */
static void put_element(const struct printer *printer, int operand) {
  ppi_text_append(printer->text, "*(");
  put_address(printer, operand, printer->call.loop_count, -1);
  ppi_text_append(printer->text, ")");
}

static void put_data(const struct printer *printer, int operand) {
  if (printer->call.slices[operand].copied)
    ppi_text_printf(printer->text, "P%c", PPI_TENSOR_NAME(operand));
  else
    put_address(printer, operand, printer->call.loop_count, -1);
}

/* CBLAS takes real scalars by value, axpy's element as well, and complex ones by address. */
static void put_argument(const struct printer *printer, const struct ppi_contract_argument *argument) {
  struct ppi_text *text = printer->text;
  switch (argument->kind) {
  case PPI_CONTRACT_FLAG:
    ppi_text_append(text, argument->flag == 'N' ? "CblasNoTrans" : "CblasTrans");
    break;
  case PPI_CONTRACT_SCALAR:
    if (printer->complex)
      ppi_text_append(text, argument->value ? "&one" : "&zero");
    else
      ppi_text_printf(text, "%" PRId64, argument->value);
    break;
  case PPI_CONTRACT_DATA:
    if (printer->algorithm->kernel == PPI_CONTRACT_AXPY && argument == &printer->call.arguments[1] && !printer->complex)
      put_element(printer, argument->operand);
    else
      put_data(printer, argument->operand);
    break;
  default:
    ppi_text_printf(text, "%" PRId64, argument->value);
  }
}

/* Between the parentheses. */
static void put_arguments(const struct printer *printer) {
  const bool matrix = printer->algorithm->kernel != PPI_CONTRACT_DOT && printer->algorithm->kernel != PPI_CONTRACT_AXPY;
  ppi_text_append(printer->text, matrix ? "CblasColMajor" : "");
  for (int i = 0; i < printer->call.argument_count; i++) {
    ppi_text_append(printer->text, i > 0 || matrix ? ", " : "");
    put_argument(printer, &printer->call.arguments[i]);
  }
}

static void put_assignment(const struct printer *printer) {
  put_element(printer, 2);
  ppi_text_append(printer->text, printer->call.accumulates ? " += " : " = ");
}

/* CBLAS returns complex sums by address. */
static void put_kernel(const struct printer *printer, int depth) {
  const struct ppi_contract_call *call = &printer->call;
  const bool by_address = call->returns && printer->complex;
  indent(printer, depth);
  if (call->returns && !by_address)
    put_assignment(printer);
  ppi_text_printf(printer->text, "cblas_%s%s(", call->routine, by_address ? "_sub" : "");
  put_arguments(printer);
  ppi_text_append(printer->text, by_address ? ", &sum);\n" : ");\n");
  if (!by_address)
    return;
  indent(printer, depth);
  put_assignment(printer);
  ppi_text_append(printer->text, "sum;\n");
}

static void put_copy(const struct printer *printer, const struct ppi_contract_copy *copy, bool out, int depth) {
  const int column = printer->call.slices[copy->operand].along[1];
  struct ppi_text *text = printer->text;
  begin_loop(printer, column, depth);
  ppi_text_append(text, "\n");
  indent(printer, depth + 1);
  ppi_text_printf(text, "cblas_%s(%" PRId64, printer->call.copy_routine, copy->length);
  for (int side = 0; side < 2; side++) {
    ppi_text_append(text, ", ");
    if ((side == 0) == out) {
      ppi_text_printf(text, "P%c + %" PRId64 " * ", PPI_TENSOR_NAME(copy->operand), copy->length);
      put_loop_name(printer, column);
      ppi_text_append(text, ", 1");
    } else {
      put_address(printer, copy->operand, copy->loops, column);
      ppi_text_printf(text, ", %" PRId64, copy->inc);
    }
  }
  ppi_text_append(text, ");\n");
}

static void put_copies(const struct printer *printer, int loops, bool out) {
  for (int i = 0; i < printer->call.copy_count; i++) {
    const struct ppi_contract_copy *copy = &printer->call.copies[i];
    if (copy->rank == 0 && copy->loops == loops && (!out || copy->out))
      put_copy(printer, copy, out, loops);
  }
}

static void put_transpositions(const struct printer *printer, bool out) {
  for (int i = 0; i < printer->call.copy_count; i++) {
    const struct ppi_contract_copy *copy = &printer->call.copies[i];
    if (copy->rank > 0 && (out ? copy->out : copy->in))
      ppi_contract_print_transposition(printer->given, copy, out, printer->text);
  }
}

static void put_nest(const struct printer *printer) {
  const int loops = printer->call.loop_count;
  put_transpositions(printer, false);
  put_copies(printer, 0, false);
  for (int l = 0; l < loops; l++) {
    begin_loop(printer, printer->algorithm->loops[l], l);
    ppi_text_append(printer->text, " {\n");
    put_copies(printer, l + 1, false);
  }
  put_kernel(printer, loops);
  for (int l = loops; l > 0; l--) {
    put_copies(printer, l, true);
    indent(printer, l - 1);
    ppi_text_append(printer->text, "}\n");
  }
  put_copies(printer, 0, true);
  put_transpositions(printer, true);
}

/* Its elements only: what lies between them is not ours. */
static void put_zero(const struct printer *printer) {
  const struct printer given = { .contraction = printer->given, .named = printer->named, .text = printer->text };
  const struct ppi_tensor *tensor = &printer->given->tensor[2];
  struct ppi_text *text = printer->text;
  if (!printer->call.zero)
    return;
  if (!tensor->strided) {
    ppi_text_printf(text, "  for (int64_t at = 0; at < %" PRId64 "; at++)\n    C[at] = 0;\n", tensor->elements);
    return;
  }
  for (int d = tensor->rank - 1; d >= 0; d--) {
    begin_loop(&given, tensor->dimension[d], tensor->rank - 1 - d);
    ppi_text_append(text, "\n");
  }
  indent(printer, tensor->rank);
  ppi_text_append(text, "*(C");
  for (int d = 0; d < tensor->rank; d++)
    put_term(&given, 2, tensor->dimension[d], " + ");
  ppi_text_append(text, ") = 0;\n");
}

static void put_comment(const struct printer *printer) {
  char name[PPI_CONTRACT_NAME_MAX];
  ppi_contract_name(printer->given, printer->named, name);
  ppi_text_append(printer->text, "/* ");
  ppi_contract_print_formula(printer->given, printer->text);
  ppi_text_printf(printer->text, " by the algorithm %s", name);
  for (int i = 0; i < printer->given->index_count; i++)
    ppi_text_printf(printer->text, "%s%c=%" PRId64, ", ", printer->given->index[i].name,
                    printer->given->index[i].extent);
  ppi_text_append(printer->text,
                  ".\n   The first index of a tensor is the one whose elements lie closest, unless strides "
                  "were given. Returns 0; 1: no memory. */\n");
}

/* Constants that complex kernels take by address. */
static void put_constants(const struct printer *printer) {
  bool used[2] = { false, false };
  const char *type = types[printer->contraction->type];
  for (int i = 0; i < printer->call.argument_count; i++)
    if (printer->call.arguments[i].kind == PPI_CONTRACT_SCALAR)
      used[printer->call.arguments[i].value] = true;
  if (printer->complex && used[1])
    ppi_text_printf(printer->text, "  static const %s one = 1;\n", type);
  if (printer->complex && used[0])
    ppi_text_printf(printer->text, "  static const %s zero = 0;\n", type);
  if (printer->complex && printer->call.returns)
    ppi_text_printf(printer->text, "  %s sum;\n", type);
}

static void put_memory(const struct printer *printer) {
  const struct ppi_contract_call *call = &printer->call;
  const char *type = types[printer->contraction->type];
  if (call->copy_count == 0)
    return;
  ppi_text_append(printer->text, "  int status = 1;\n");
  for (int i = 0; i < call->copy_count; i++) {
    const char name = PPI_TENSOR_NAME(call->copies[i].operand);
    ppi_text_printf(printer->text, "  %s *P%c = malloc(%" PRId64 " * sizeof *P%c);\n", type, name,
                    call->copies[i].elements > 0 ? call->copies[i].elements : 1, name);
  }
  for (int i = 0; i < call->copy_count; i++)
    ppi_text_printf(printer->text, "%s!P%c", i == 0 ? "  if (" : " || ", PPI_TENSOR_NAME(call->copies[i].operand));
  ppi_text_append(printer->text, ")\n    goto done;\n");
}

static void put_end(const struct printer *printer) {
  const struct ppi_contract_call *call = &printer->call;
  if (call->copy_count == 0) {
    ppi_text_append(printer->text, "  return 0;\n}\n");
    return;
  }
  ppi_text_append(printer->text, "  status = 0;\ndone:\n");
  for (int i = call->copy_count - 1; i >= 0; i--)
    ppi_text_printf(printer->text, "  free(P%c);\n", PPI_TENSOR_NAME(call->copies[i].operand));
  ppi_text_append(printer->text, "  return status;\n}\n");
}

/* BLAS as distributions have it takes integers of 32 bits. */
static enum perfpred_status check_integers(const struct printer *printer, struct perfpred_error *error) {
  const struct ppi_contract_call *call = &printer->call;
  int64_t largest = 0;
  for (int i = 0; i < call->argument_count; i++)
    largest = call->arguments[i].value > largest ? call->arguments[i].value : largest;
  for (int i = 0; i < call->copy_count && call->copies[i].rank == 0; i++) {
    largest = call->copies[i].length > largest ? call->copies[i].length : largest;
    largest = call->copies[i].inc > largest ? call->copies[i].inc : largest;
  }
  if (largest <= INT32_MAX)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_OVERFLOW,
                       "%s would have to take %" PRId64
                       " as an argument, expected extents and strides of slices below 2^31",
                       call->routine, largest);
}

enum perfpred_status ppi_contract_print_c(const struct ppi_contraction *contraction,
                                          const struct ppi_contract_algorithm *algorithm, const char *function,
                                          struct ppi_text *text, struct perfpred_error *error) {
  struct printer printer = { .contraction = contraction, .algorithm = algorithm, .text = text };
  const char *type = types[contraction->type];
  printer.given = contraction;
  printer.named = algorithm;
  if (algorithm->way != 0) {
    ppi_contract_derive(contraction, algorithm, &printer.derived, &printer.nest);
    printer.contraction = &printer.derived;
    printer.algorithm = &printer.nest;
  }
  printer.complex = ppi_type_is_complex(contraction->type);
  ppi_contract_resolve(contraction, algorithm, &printer.call);
  enum perfpred_status status = check_integers(&printer, error);
  if (status)
    return status;
  put_comment(&printer);
  ppi_text_append(text, "#include <cblas.h>\n#include <stdint.h>\n");
  if (printer.call.copy_count > 0)
    ppi_text_append(text, "#include <stdlib.h>\n");
  ppi_text_printf(text, "\nint %s(const %s *A, const %s *B, %s *C);\n", function, type, type, type);
  ppi_text_printf(text, "\nint %s(const %s *A, const %s *B, %s *C) {\n", function, type, type, type);
  put_constants(&printer);
  put_memory(&printer);
  put_zero(&printer);
  put_nest(&printer);
  put_end(&printer);
  return text->failed ? ppi_error_memory(error) : PERFPRED_OK;
}
