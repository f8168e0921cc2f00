/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of kernels and of algorithms, and their arguments. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "program/parse.h"

static const char *const type_names[] = { "float", "double", "cfloat", "cdouble", "integer" };

/* Candidates for "did you mean": the kernels, then the algorithms that can be called. */
struct candidates {
  struct perfpred_context context;
  size_t kernels, programs;
  const struct ppi_names *pending;
};

static const char *candidate(const void *data, size_t index) {
  const struct candidates *all = data;
  if (index < all->kernels)
    return ppi_kernels_name_at(all->context.kernels, index);
  index -= all->kernels;
  if (index < all->programs)
    return perfpred_program_name_at(&all->context, index);
  return all->pending->sorted[index - all->programs]->name;
}

static enum perfpred_status unknown(struct ppi_parser *parser, const char *name, bool algorithm) {
  struct candidates all = { .pending = parser->pending };
  all.context.kernels = (struct ppi_kernels *)parser->kernels; /* only read */
  all.context.programs = (struct ppi_programs *)parser->programs;
  all.kernels = algorithm ? 0 : ppi_kernels_count(parser->kernels);
  all.programs = parser->programs ? perfpred_program_count(&all.context) : 0;
  const size_t pending = parser->pending ? parser->pending->count : 0;
  const char *near = ppi_text_nearest(name, all.kernels + all.programs + pending, candidate, &all);
  return ppi_scan_error(&parser->scanner, PERFPRED_NOT_FOUND, "no %salgorithm is called %s%s%s%s",
                        algorithm ? "" : "kernel or ", name, near ? ", did you mean " : "", near ? near : "",
                        near ? "?" : "");
}

/* What a data argument accepts. */
struct wanted {
  const char *name; /* of the argument */
  const char *of;   /* of the kernel or algorithm */
  enum ppi_type type;
  enum ppi_direction direction;
  bool vector, strided; /* strided: it may run along a row */
};

/* [i, j] or [i], behind the buffer's name */
static enum perfpred_status parse_place(struct ppi_parser *parser, const struct ppi_buffer *buffer,
                                        struct ppi_operand *operand) {
  struct ppi_scanner *scanner = &parser->scanner;
  enum perfpred_status status = ppi_scan_expect(scanner, "[");
  if (!status)
    status = ppi_parse_expr(parser, &operand->row);
  if (!status && buffer->shape == PPI_SHAPE_VECTOR)
    status = ppi_expr_constant(0, &operand->column, scanner->error);
  else if (!status) {
    status = ppi_scan_expect(scanner, ",");
    if (!status)
      status = ppi_parse_expr(parser, &operand->column);
  }
  return status ? status : ppi_scan_expect(scanner, "]");
}

static enum perfpred_status check_view(struct ppi_parser *parser, const struct ppi_buffer *buffer, bool by_row,
                                       const struct wanted *wanted) {
  struct ppi_scanner *scanner = &parser->scanner;
  if (buffer->type != wanted->type)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "argument %s of %s is %s, but %s is %s", wanted->name, wanted->of,
                          type_names[wanted->type], buffer->name, type_names[buffer->type]);
  if (!wanted->vector && buffer->shape == PPI_SHAPE_VECTOR)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "argument %s of %s is a matrix, but %s is a vector", wanted->name,
                          wanted->of, buffer->name);
  if (!buffer->work && (wanted->direction & PPI_OUT) && !(buffer->direction & PPI_OUT))
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "argument %s of %s is written, but %s is declared in", wanted->name,
                          wanted->of, buffer->name);
  if (!by_row)
    return PERFPRED_OK;
  if (!wanted->vector || buffer->shape == PPI_SHAPE_VECTOR)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX,
                          "row gives a row of a matrix as a vector: argument %s of %s is no vector%s", wanted->name,
                          wanted->of, wanted->vector ? " of a matrix here" : "");
  if (!wanted->strided)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "argument %s of %s has no increment, so it cannot run along a row",
                          wanted->name, wanted->of);
  return PERFPRED_OK;
}

/* [row] BUFFER[i, j] */
static enum perfpred_status parse_view(struct ppi_parser *parser, const struct wanted *wanted,
                                       struct ppi_operand *operand) {
  struct ppi_scanner *scanner = &parser->scanner;
  operand->fixed.by_row = ppi_scan_accept(scanner, "row");
  char what[3 * PPI_NAME_MAX];
  snprintf(what, sizeof what, "a view such as A[0, 0] for argument %s of %s", wanted->name, wanted->of);
  if (scanner->token.kind != PPI_TOKEN_NAME)
    return ppi_scan_expected(scanner, what);
  const int place = ppi_parser_buffer(parser, scanner->token.text);
  if (place < 0)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected %s, but no buffer is called %s", what,
                          scanner->token.text);
  const struct ppi_buffer *buffer = &parser->program->buffers[place];
  enum perfpred_status status = check_view(parser, buffer, operand->fixed.by_row, wanted);
  if (status)
    return status;
  operand->fixed.buffer = place;
  ppi_scan_next(scanner);
  return parse_place(parser, buffer, operand);
}

static enum perfpred_status parse_flag(struct ppi_scanner *scanner, const struct perfpred_kernel *kernel,
                                       const struct ppi_arg *arg, struct ppi_operand *operand) {
  const struct ppi_token *token = &scanner->token;
  const enum ppi_token_kind kind = arg->option ? PPI_TOKEN_INTEGER : PPI_TOKEN_NAME;
  if (token->kind == kind && token->text[1] == '\0' && strchr(arg->flags, token->text[0])) {
    operand->fixed.i = (unsigned char)token->text[0];
    ppi_scan_next(scanner);
    return PERFPRED_OK;
  }
  char what[2 * PPI_NAME_MAX + 64];
  int length = 0;
  for (const char *letter = arg->flags; *letter; letter++)
    length += snprintf(what + length, sizeof what - (size_t)length, "%s%c",
                       letter == arg->flags ? "" : (letter[1] ? ", " : " or "), *letter);
  snprintf(what + length, sizeof what - (size_t)length, " for %s %.40s of %.40s", arg->option ? "option" : "flag",
           arg->name, kernel->name);
  return ppi_scan_expected(scanner, what);
}

/* [-]NUMBER */
static enum perfpred_status parse_number(struct ppi_scanner *scanner, const char *what, double *value) {
  const bool negative = ppi_scan_accept(scanner, "-");
  if (scanner->token.kind != PPI_TOKEN_INTEGER && scanner->token.kind != PPI_TOKEN_REAL)
    return ppi_scan_expected(scanner, what);
  *value = negative ? 0 - scanner->token.real : scanner->token.real; /* not -0.0 */
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

/* NUMBER or (NUMBER, NUMBER) */
static enum perfpred_status parse_scalar(struct ppi_scanner *scanner, const struct perfpred_kernel *kernel,
                                         const struct ppi_arg *arg, struct ppi_operand *operand) {
  char what[3 * PPI_NAME_MAX];
  const bool complex = ppi_type_is_complex(arg->type);
  snprintf(what, sizeof what, "a number for scalar %s of %s", arg->name, kernel->name);
  if (!complex || !ppi_scan_accept(scanner, "("))
    return parse_number(scanner, what, &operand->fixed.re);
  enum perfpred_status status = parse_number(scanner, what, &operand->fixed.re);
  if (!status)
    status = ppi_scan_expect(scanner, ",");
  if (!status)
    status = parse_number(scanner, what, &operand->fixed.im);
  return status ? status : ppi_scan_expect(scanner, ")");
}

static bool at_buffer(const struct ppi_parser *parser) {
  const struct ppi_token *token = &parser->scanner.token;
  return token->kind == PPI_TOKEN_NAME && ppi_parser_buffer(parser, token->text) >= 0;
}

/* A scalar that is an element: BLAS and LAPACK take scalars by address anyhow. */
static enum perfpred_status parse_element(struct ppi_parser *parser, const struct perfpred_kernel *kernel,
                                          const struct ppi_arg *arg, struct ppi_operand *operand) {
  operand->fixed.re = PPI_SCALAR_OTHER;
  return parse_view(parser, &(struct wanted){ arg->name, kernel->name, arg->type, PPI_IN, true, false }, operand);
}

static enum perfpred_status parse_argument(struct ppi_parser *parser, const struct perfpred_kernel *kernel, int place,
                                           struct ppi_operand *operand) {
  const struct ppi_arg *arg = &kernel->args[place];
  switch (arg->kind) {
  case PPI_ARG_FLAG:
    return parse_flag(&parser->scanner, kernel, arg, operand);
  case PPI_ARG_SIZE:
    return ppi_parse_expr(parser, &operand->integer);
  case PPI_ARG_SCALAR:
    return at_buffer(parser) ? parse_element(parser, kernel, arg, operand)
                             : parse_scalar(&parser->scanner, kernel, arg, operand);
  default:
    return parse_view(parser,
                      &(struct wanted){ arg->name, kernel->name, arg->type, arg->direction,
                                        arg->shape == PPI_SHAPE_VECTOR, arg->inc >= 0 },
                      operand);
  }
}

/* The comma before an argument, or the parenthesis before the first one. */
static enum perfpred_status parse_separator(struct ppi_scanner *scanner, bool first, const char *argument,
                                            const char *of) {
  if (first)
    return PERFPRED_OK;
  char what[3 * PPI_NAME_MAX];
  snprintf(what, sizeof what, "a comma and argument %s of %s", argument, of);
  return ppi_scan_accept(scanner, ",") ? PERFPRED_OK : ppi_scan_expected(scanner, what);
}

static enum perfpred_status parse_closing(struct ppi_scanner *scanner, int arguments, const char *of) {
  char what[2 * PPI_NAME_MAX];
  snprintf(what, sizeof what, "')' after the %d arguments of %s", arguments, of);
  return ppi_scan_accept(scanner, ")") ? PERFPRED_OK : ppi_scan_expected(scanner, what);
}

static struct ppi_operand *new_operands(struct ppi_node *node, int count, struct perfpred_error *error) {
  node->operands = calloc((size_t)(count > 0 ? count : 1), sizeof *node->operands);
  if (!node->operands) {
    ppi_error_memory(error);
    return NULL;
  }
  node->operand_count = count;
  for (int i = 0; i < count; i++)
    node->operands[i].fixed.buffer = -1;
  return node->operands;
}

static enum perfpred_status parse_kernel_call(struct ppi_parser *parser, struct ppi_node *node) {
  struct ppi_scanner *scanner = &parser->scanner;
  const struct perfpred_kernel *kernel = node->kernel;
  struct ppi_operand *operands = new_operands(node, kernel->arg_count, scanner->error);
  if (!operands)
    return PERFPRED_NO_MEMORY;
  enum perfpred_status status = ppi_scan_expect(scanner, "(");
  int written = 0;
  for (int i = 0; i < kernel->arg_count && !status; i++) {
    if (!ppi_arg_is_written(&kernel->args[i]))
      continue;
    status = parse_separator(scanner, written++ == 0, kernel->args[i].name, kernel->name);
    if (!status)
      status = parse_argument(parser, kernel, i, &operands[i]);
  }
  return status ? status : parse_closing(scanner, written, kernel->name);
}

static enum perfpred_status parse_run(struct ppi_parser *parser, struct ppi_node *node) {
  struct ppi_scanner *scanner = &parser->scanner;
  const struct perfpred_program *callee = node->callee ? node->callee : parser->program;
  int count = callee->parameter_count, written = 0;
  for (int i = 0; i < callee->buffer_count; i++)
    count += !callee->buffers[i].work;
  struct ppi_operand *operands = new_operands(node, count, scanner->error);
  if (!operands)
    return PERFPRED_NO_MEMORY;
  enum perfpred_status status = ppi_scan_expect(scanner, "(");
  for (; written < callee->parameter_count && !status; written++) {
    status = parse_separator(scanner, written == 0, callee->slots[written], callee->name);
    if (!status)
      status = ppi_parse_expr(parser, &operands[written].integer);
  }
  for (int i = 0; i < callee->buffer_count && !status; i++) {
    const struct ppi_buffer *buffer = &callee->buffers[i];
    if (buffer->work)
      continue;
    status = parse_separator(scanner, written == 0, buffer->name, callee->name);
    if (!status)
      status = parse_view(parser,
                          &(struct wanted){ buffer->name, callee->name, buffer->type, buffer->direction,
                                            buffer->shape == PPI_SHAPE_VECTOR, true },
                          &operands[written++]);
  }
  return status ? status : parse_closing(scanner, count, callee->name);
}

/* NULL: there is none of that name. */
static enum perfpred_status find_program(struct ppi_parser *parser, const char *name,
                                         struct perfpred_program **callee) {
  *callee = ppi_names_find(parser->pending, name);
  if (*callee || !parser->programs || !ppi_programs_has(parser->programs, name))
    return PERFPRED_OK;
  return ppi_programs_require(parser->programs, name, callee, parser->scanner.error);
}

/* Kernels come first, unless the text says `algorithm`: an algorithm `dpotrf` may stand beside the kernel that it explains. */
static enum perfpred_status find_callee(struct ppi_parser *parser, const char *name, struct ppi_node *node) {
  if (!node->algorithm && parser->kernels && ppi_kernels_has(parser->kernels, name)) {
    const struct perfpred_kernel *kernel = NULL;
    enum perfpred_status status = ppi_kernels_require(parser->kernels, name, &kernel, parser->scanner.error);
    if (!status)
      node->kernel = ppi_kernel_ref(kernel);
    return status;
  }
  node->kind = PPI_NODE_RUN;
  if (!strcmp(name, parser->program->name))
    return PERFPRED_OK; /* callee NULL: itself */
  struct perfpred_program *callee = NULL;
  enum perfpred_status found = find_program(parser, name, &callee);
  if (found)
    return found;
  if (!callee)
    return unknown(parser, name, node->algorithm);
  if (callee->nest)
    return ppi_scan_error(&parser->scanner, PERFPRED_SYNTAX, "%s is a nest, expected a kernel or an algorithm", name);
  node->callee = callee->unit == parser->program->unit ? callee : perfpred_program_ref(callee);
  return PERFPRED_OK;
}

/* `algorithm` between `call` and a name; before a parenthesis it is a name itself. */
static bool accept_algorithm(struct ppi_scanner *scanner) {
  const struct ppi_scanner before = *scanner;
  if (!ppi_scan_accept(scanner, "algorithm"))
    return false;
  if (!ppi_scan_is(scanner, "("))
    return true;
  *scanner = before;
  return false;
}

/* BUFFER[ begins a statement only where an element gets the result of a function. */
static bool at_result(const struct ppi_parser *parser) {
  struct ppi_scanner ahead = parser->scanner;
  struct perfpred_error ignored;
  ppi_error_clear(&ignored);
  ahead.error = &ignored;
  if (!at_buffer(parser))
    return false;
  ppi_scan_next(&ahead);
  return ppi_scan_is(&ahead, "[");
}

/* BUFFER[i, j] = or +=. The function is not known yet. */
static enum perfpred_status parse_result(struct ppi_parser *parser, struct ppi_node *node) {
  struct ppi_scanner *scanner = &parser->scanner;
  node->result = calloc(1, sizeof *node->result);
  if (!node->result)
    return ppi_error_memory(scanner->error);
  node->result->fixed.buffer = ppi_parser_buffer(parser, scanner->token.text);
  const struct ppi_buffer *buffer = &parser->program->buffers[node->result->fixed.buffer];
  ppi_scan_next(scanner);
  enum perfpred_status status = parse_place(parser, buffer, node->result);
  if (status)
    return status;
  node->adds = ppi_scan_accept(scanner, "+");
  return ppi_scan_accept(scanner, "=") ? PERFPRED_OK
                                       : ppi_scan_expected(scanner, "= or += and a function behind an element");
}

/* At the name of what is called. */
static enum perfpred_status check_result(struct ppi_parser *parser, const struct ppi_node *node, const char *name) {
  if (node->kind != PPI_NODE_CALL || !node->kernel->returns_value || node->kernel->arg_count >= PPI_ARG_MAX)
    return ppi_scan_error(&parser->scanner, PERFPRED_SYNTAX,
                          "%s returns no value, expected a function such as ddot behind an element", name);
  return check_view(parser, &parser->program->buffers[node->result->fixed.buffer], false,
                    &(struct wanted){ "result", node->kernel->name, node->kernel->return_type, PPI_OUT, true, false });
}

/* From the name, or `call`, to the parenthesis: node gets what is called. */
static enum perfpred_status parse_callee(struct ppi_parser *parser, struct ppi_node *node) {
  struct ppi_scanner *scanner = &parser->scanner;
  char name[PPI_NAME_MAX];
  const bool marked = ppi_scan_accept(scanner, "call");
  node->algorithm = marked && accept_algorithm(scanner);
  const struct ppi_scanner before = *scanner;
  enum perfpred_status status = marked ? ppi_scan_hyphenated(scanner, name, "the name of a kernel or an algorithm")
                                       : ppi_scan_name(scanner, name, "the name of a kernel or an algorithm");
  if (status)
    return status;
  if (!ppi_scan_is(scanner, "("))
    return ppi_scan_expected(scanner, ppi_scan_is(scanner, "-") ? "'call' before a name with hyphens, or '('"
                                                                : "a statement: a call needs '('");
  const struct ppi_scanner behind = *scanner;
  *scanner = before; /* an unknown name is reported where it stands */
  status = find_callee(parser, name, node);
  if (!status && node->result)
    status = check_result(parser, node, name);
  if (!status)
    *scanner = behind;
  return status;
}

enum perfpred_status ppi_parse_call(struct ppi_parser *parser) {
  if (parser->program->nest)
    return ppi_scan_expected(&parser->scanner, "a loop, an access (read, write, update) or end");
  struct ppi_node *node = ppi_parser_node(parser, PPI_NODE_CALL);
  if (!node)
    return PERFPRED_NO_MEMORY;
  enum perfpred_status status = at_result(parser) ? parse_result(parser, node) : PERFPRED_OK;
  if (!status)
    status = parse_callee(parser, node);
  if (status)
    return status;
  node->site = parser->program->site_count++;
  return node->kind == PPI_NODE_CALL ? parse_kernel_call(parser, node) : parse_run(parser, node);
}
