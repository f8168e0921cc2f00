/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm as a file of C that needs nothing but CBLAS. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contract/name.h"
#include "contract/print.h"
#include "contract/whole.h"

static const char *const types[] = { "float", "double", "float _Complex", "double _Complex" };

#define LINE 64 /* bytes of a line of the cache */

struct memory {
  int64_t per_line;               /* elements */
  int64_t elements[PPI_OPERANDS]; /* of each packed copy, up to the end of its last line */
  int64_t bytes;
};

struct printer {
  const struct ppi_contraction *contraction; /* whose tensors the loops go through */
  const struct ppi_contract_algorithm *algorithm;
  const struct ppi_contraction *given; /* the same, but where whole tensors are copied, */
  const struct ppi_contract_algorithm *named;
  struct ppi_contraction derived; /* which makes this one of it */
  struct ppi_contract_algorithm nest;
  struct ppi_contract_call call;
  struct memory memory;
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
                  "were given.\n");
  ppi_text_append(
      printer->text,
      printer->call.copy_count > 0
          ? "   work: memory of that many bytes, whose contents do not matter, for copies; NULL: it is allocated and "
            "freed at\n   each call, which may cost more than the product. Returns 0; 1: no memory. */\n"
          : "   It makes no copies: work may be NULL. Returns 0. */\n");
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

/* Packed copies lie one behind the other; each begins at a line of the cache, wherever the memory does. Returns false where nobody can
   have so much. */
static bool measure_memory(const struct ppi_contract_call *call, struct memory *memory) {
  memory->bytes = call->copy_count > 0 ? LINE : 0;
  for (int i = 0; i < call->copy_count; i++) {
    int64_t elements = call->copies[i].elements;
    if (__builtin_add_overflow(elements, -elements & (memory->per_line - 1), &memory->elements[i]) ||
        __builtin_mul_overflow(memory->elements[i], LINE / memory->per_line, &elements) ||
        __builtin_add_overflow(memory->bytes, elements, &memory->bytes))
      return false;
  }
  return true;
}

static void put_memory(const struct printer *printer, const char *function) {
  const struct ppi_contract_call *call = &printer->call;
  struct ppi_text *text = printer->text;
  if (call->copy_count == 0) {
    ppi_text_append(text, "  (void)work;\n");
    return;
  }
  ppi_text_printf(text, "  void *own = NULL;\n  if (!work && !(work = own = malloc(%s_workspace())))\n    return 1;\n",
                  function);
  for (int i = 0; i < call->copy_count; i++) {
    ppi_text_printf(text, "  %s *P%c = ", types[printer->contraction->type], PPI_TENSOR_NAME(call->copies[i].operand));
    if (i == 0)
      ppi_text_printf(text, "(void *)((char *)work + (%d - (uintptr_t)work %% %d) %% %d);\n", LINE, LINE, LINE);
    else
      ppi_text_printf(text, "P%c + %" PRId64 ";\n", PPI_TENSOR_NAME(call->copies[i - 1].operand),
                      printer->memory.elements[i - 1]);
  }
}

static void put_end(const struct printer *printer) {
  if (printer->call.copy_count > 0)
    ppi_text_append(printer->text, "  free(own);\n");
  ppi_text_append(printer->text, "  return 0;\n}\n");
}

static void put_includes(const struct printer *printer) {
  const struct ppi_contract_call *call = &printer->call;
  bool lines = false;
  for (int i = 0; i < call->copy_count; i++)
    lines = lines || (call->copies[i].rank > 0 && ppi_contract_has_lines(&call->copies[i]));
  ppi_text_append(printer->text, "#include <cblas.h>\n#include <stddef.h>\n#include <stdint.h>\n");
  if (call->copy_count > 0)
    ppi_text_append(printer->text, "#include <stdlib.h>\n");
  if (lines)
    ppi_text_append(printer->text, "#include <string.h>\n");
}

static void put_declarations(const struct printer *printer, const char *function) {
  const char *type = types[printer->contraction->type];
  struct ppi_text *text = printer->text;
  ppi_text_printf(text, "\nsize_t %s_workspace(void);\n", function);
  ppi_text_printf(text, "int %s(const %s *A, const %s *B, %s *C, void *work);\n", function, type, type, type);
  ppi_text_printf(text, "\n/* Bytes. */\nsize_t %s_workspace(void) {\n", function);
  if (printer->memory.bytes > UINT32_MAX)
    ppi_text_printf(text, "#if SIZE_MAX < %" PRId64 "\n#error \"no memory here is that large\"\n#endif\n",
                    printer->memory.bytes);
  ppi_text_printf(text, "  return %" PRId64 ";\n}\n", printer->memory.bytes);
  ppi_text_printf(text, "\nint %s(const %s *A, const %s *B, %s *C, void *work) {\n", function, type, type, type);
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
  printer.given = contraction;
  printer.named = algorithm;
  if (algorithm->way != 0) {
    ppi_contract_derive(contraction, algorithm, &printer.derived, &printer.nest);
    printer.contraction = &printer.derived;
    printer.algorithm = &printer.nest;
  }
  printer.complex = ppi_type_is_complex(contraction->type);
  ppi_contract_resolve(contraction, algorithm, &printer.call);
  printer.memory.per_line = LINE / (int64_t)ppi_type_bytes(contraction->type, false);
  enum perfpred_status status = check_integers(&printer, error);
  if (status)
    return status;
  if (!measure_memory(&printer.call, &printer.memory))
    return ppi_error_set(error, PERFPRED_OVERFLOW, "the packed copies of all tensors reach beyond 2^63 bytes");
  put_comment(&printer);
  put_includes(&printer);
  put_declarations(&printer, function);
  put_constants(&printer);
  put_memory(&printer, function);
  put_zero(&printer);
  put_nest(&printer);
  put_end(&printer);
  return text->failed ? ppi_error_memory(error) : PERFPRED_OK;
}
