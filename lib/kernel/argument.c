/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "kernel/signature.h"

const char *const ppi_property_words[] = { "general", "spd", "triangular", "pivots", "identity", "zero", NULL };
const char *const ppi_direction_words[] = { "", "in", "out", "inout", NULL };
const char *const ppi_shape_words[] = { "matrix", "triangle", "vector", NULL };

typedef enum perfpred_status reader(struct ppi_signature *signature, struct ppi_arg *arg);

static enum perfpred_status fault(const struct ppi_signature *signature, int place, const char *problem) {
  const struct ppi_signature_arg *seen = &signature->args[place];
  return ppi_error_at(signature->scanner->error, PERFPRED_SYNTAX, signature->scanner->source, seen->line, seen->column,
                      "argument '%s' %s", seen->name, problem);
}

/* Stands in the scope for arguments that expressions may not use: no name, and near none. */
static const char no_number[] = "(neither size nor flag)";

static bool is_letter(const struct ppi_scanner *scanner) {
  const char *text = scanner->token.text;
  return scanner->token.kind == PPI_TOKEN_NAME && text[0] >= 'A' && text[0] <= 'Z' && !text[1];
}

/* Place of the present word in a list, or 0 (or -1 for a list whose first entry counts) when it is none of them. */
static int word_of(const struct ppi_scanner *scanner, const char *const *words, int none) {
  for (int i = none + 1; words[i]; i++)
    if (ppi_scan_is(scanner, words[i]))
      return i;
  return none;
}

static int seen_argument(const struct ppi_signature *signature, const char *name) {
  for (int i = 0; i < signature->count; i++)
    if (strcmp(signature->args[i].name, name) == 0)
      return i;
  return -1;
}

/* --- The first look ------------------------------------------------------------------------------------------------ */

static void note_letters(struct ppi_signature *signature) {
  for (; is_letter(signature->scanner); ppi_scan_next(signature->scanner)) {
    char letter = signature->scanner->token.text[0];
    if (!strchr(signature->letters, letter))
      signature->letters[strlen(signature->letters)] = letter;
  }
}

static void note_argument(struct ppi_signature *signature) {
  struct ppi_scanner *scanner = signature->scanner;
  int place = signature->count++;
  struct ppi_signature_arg *seen = &signature->args[place];

  memcpy(seen->name, scanner->token.text, sizeof seen->name);
  seen->line = scanner->start_line;
  seen->column = scanner->start_column;
  signature->names[place] = no_number;
  ppi_scan_next(scanner);
  if (!ppi_scan_accept(scanner, ":"))
    return;
  if (ppi_scan_is(scanner, "size") || ppi_scan_is(scanner, "flag") || ppi_scan_is(scanner, "option"))
    signature->names[place] = seen->name;
  if (ppi_scan_accept(scanner, "flag"))
    note_letters(signature);
}

/* Skips to the comma or parenthesis that ends an argument; false at the end of the list. */
static bool skip_argument(struct ppi_scanner *scanner) {
  int depth = 0;
  while (scanner->token.kind != PPI_TOKEN_END && scanner->token.kind != PPI_TOKEN_BAD) {
    if (depth == 0 && (ppi_scan_is(scanner, ",") || ppi_scan_is(scanner, ")")))
      break;
    depth += ppi_scan_is(scanner, "(") || ppi_scan_is(scanner, "[");
    depth -= ppi_scan_is(scanner, ")") || ppi_scan_is(scanner, "]");
    ppi_scan_next(scanner);
  }
  return ppi_scan_accept(scanner, ",");
}

/* Collects names and places; what is malformed here is reported when it is read for good. */
static void look_ahead(struct ppi_signature *signature) {
  const struct ppi_scanner start = *signature->scanner;
  do {
    if (signature->scanner->token.kind != PPI_TOKEN_NAME || signature->count == PPI_ARG_MAX)
      break;
    note_argument(signature);
  } while (skip_argument(signature->scanner));
  *signature->scanner = start;
  signature->scope.names = signature->names;
  signature->scope.count = (size_t)signature->count;
  signature->scope.letters = signature->letters;
}

/* --- Kinds of arguments -------------------------------------------------------------------------------------------- */

static enum perfpred_status read_flag(struct ppi_signature *signature, struct ppi_arg *arg) {
  struct ppi_scanner *scanner = signature->scanner;
  size_t count = 0;

  arg->kind = PPI_ARG_FLAG;
  for (; is_letter(scanner); ppi_scan_next(scanner)) {
    char letter = scanner->token.text[0];
    if (strchr(arg->flags, letter))
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "flag '%s' lists %c twice", arg->name, letter);
    if (count + 1 == sizeof arg->flags)
      return ppi_scan_error(scanner, PERFPRED_LIMIT, "flag '%s' has more than %d letters", arg->name, (int)count);
    arg->flags[count++] = letter;
  }
  return count ? PERFPRED_OK : ppi_scan_expected(scanner, "an upper-case letter of the flag");
}

/* Digits 0 to 9 stand where a flag has letters. */
static enum perfpred_status read_option(struct ppi_signature *signature, struct ppi_arg *arg) {
  struct ppi_scanner *scanner = signature->scanner;
  size_t count = 0;

  arg->kind = PPI_ARG_FLAG;
  arg->option = true;
  for (; scanner->token.kind == PPI_TOKEN_INTEGER; ppi_scan_next(scanner)) {
    const char digit = scanner->token.text[0];
    if (scanner->token.text[1])
      return ppi_scan_expected(scanner, "an option of one digit");
    if (strchr(arg->flags, digit))
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "option '%s' lists %c twice", arg->name, digit);
    if (count + 1 == sizeof arg->flags)
      return ppi_scan_error(scanner, PERFPRED_LIMIT, "option '%s' has more than %d values", arg->name, (int)count);
    arg->flags[count++] = digit;
  }
  return count ? PERFPRED_OK : ppi_scan_expected(scanner, "a value of the option, one digit");
}

static enum perfpred_status read_size(struct ppi_signature *signature, struct ppi_arg *arg) {
  (void)signature;
  arg->kind = PPI_ARG_SIZE;
  return PERFPRED_OK;
}

static enum perfpred_status read_info(struct ppi_signature *signature, struct ppi_arg *arg) {
  (void)signature;
  arg->kind = PPI_ARG_INFO;
  return PERFPRED_OK;
}

enum perfpred_status ppi_signature_type(struct ppi_scanner *scanner, enum ppi_type *type) {
  if (scanner->token.kind != PPI_TOKEN_NAME || !ppi_type_of_name(scanner->token.text, type))
    return ppi_scan_expected(scanner, "a type (float double cfloat cdouble integer)");
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

static enum perfpred_status optional_type(struct ppi_signature *signature, struct ppi_arg *arg) {
  enum ppi_type type;
  if (signature->scanner->token.kind != PPI_TOKEN_NAME || !ppi_type_of_name(signature->scanner->token.text, &type))
    return PERFPRED_OK;
  signature->args[signature->kernel->arg_count].typed = true;
  return ppi_signature_type(signature->scanner, &arg->type);
}

static enum perfpred_status read_scalar(struct ppi_signature *signature, struct ppi_arg *arg) {
  arg->kind = PPI_ARG_SCALAR;
  enum perfpred_status status = optional_type(signature, arg);
  if (status == PERFPRED_OK && signature->args[signature->kernel->arg_count].typed && arg->type == PPI_TYPE_INT)
    status = fault(signature, signature->kernel->arg_count, "is an integer scalar; expected a floating-point type");
  return status;
}

/* [rows] or [rows, columns] */
static enum perfpred_status read_extents(struct ppi_signature *signature, struct ppi_arg *arg, bool two) {
  struct ppi_scanner *scanner = signature->scanner;
  enum perfpred_status status = ppi_scan_expect(scanner, "[");
  if (status == PERFPRED_OK)
    status = ppi_expr_parse(scanner, &signature->scope, &arg->rows);
  if (status == PERFPRED_OK && two)
    status = ppi_scan_expect(scanner, ",");
  if (status == PERFPRED_OK && two)
    status = ppi_expr_parse(scanner, &signature->scope, &arg->columns);
  if (status == PERFPRED_OK)
    status = ppi_scan_expect(scanner, "]");
  return status;
}

static enum perfpred_status read_flag_name(struct ppi_signature *signature, int *place) {
  struct ppi_scanner *scanner = signature->scanner;
  int found = scanner->token.kind == PPI_TOKEN_NAME ? seen_argument(signature, scanner->token.text) : -1;
  if (found < 0)
    return ppi_scan_expected(scanner, "the name of a flag");
  *place = found;
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

/* (F), (F, D), (L) or (U) */
static enum perfpred_status read_triangle(struct ppi_signature *signature, struct ppi_arg *arg) {
  struct ppi_scanner *scanner = signature->scanner;
  enum perfpred_status status = ppi_scan_expect(scanner, "(");
  if (status != PERFPRED_OK)
    return status;
  if (ppi_scan_is(scanner, "L") || ppi_scan_is(scanner, "U")) {
    arg->uplo_letter = scanner->token.text[0];
    ppi_scan_next(scanner);
  } else {
    status = read_flag_name(signature, &arg->uplo);
  }
  if (status == PERFPRED_OK && ppi_scan_accept(scanner, ","))
    status = read_flag_name(signature, &arg->diag);
  return status == PERFPRED_OK ? ppi_scan_expect(scanner, ")") : status;
}

/* The direction is read already. */
static enum perfpred_status read_data(struct ppi_signature *signature, struct ppi_arg *arg) {
  struct ppi_scanner *scanner = signature->scanner;

  arg->kind = PPI_ARG_DATA;
  int property = word_of(scanner, ppi_property_words, -1);
  if (property >= 0) {
    arg->property = (enum ppi_property)property;
    ppi_scan_next(scanner);
  }
  enum perfpred_status status = optional_type(signature, arg);
  if (status != PERFPRED_OK)
    return status;
  int shape = word_of(scanner, ppi_shape_words, -1);
  if (shape < 0)
    return ppi_scan_expected(scanner, "matrix[r, c], triangle(F)[n] or vector[n]");
  arg->shape = (enum ppi_shape)shape;
  ppi_scan_next(scanner);
  if (arg->shape == PPI_SHAPE_TRIANGLE && property < 0)
    arg->property = PPI_TRIANGULAR;
  if (arg->shape == PPI_SHAPE_TRIANGLE)
    status = read_triangle(signature, arg);
  if (status != PERFPRED_OK)
    return status;
  return read_extents(signature, arg, arg->shape == PPI_SHAPE_MATRIX);
}

static enum perfpred_status read_of(struct ppi_signature *signature, struct ppi_arg *arg, enum ppi_arg_kind kind) {
  struct ppi_scanner *scanner = signature->scanner;
  arg->kind = kind;
  arg->of = scanner->token.kind == PPI_TOKEN_NAME ? seen_argument(signature, scanner->token.text) : -1;
  if (arg->of < 0)
    return ppi_scan_expected(scanner, "the name of a data argument");
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

static enum perfpred_status read_ld(struct ppi_signature *signature, struct ppi_arg *arg) {
  return read_of(signature, arg, PPI_ARG_LD);
}

static enum perfpred_status read_inc(struct ppi_signature *signature, struct ppi_arg *arg) {
  return read_of(signature, arg, PPI_ARG_INC);
}

static enum perfpred_status read_work(struct ppi_signature *signature, struct ppi_arg *arg) {
  arg->kind = PPI_ARG_WORK;
  arg->shape = PPI_SHAPE_VECTOR;
  arg->direction = PPI_INOUT;
  enum perfpred_status status = optional_type(signature, arg);
  return status == PERFPRED_OK ? read_extents(signature, arg, false) : status;
}

static enum perfpred_status read_lwork(struct ppi_signature *signature, struct ppi_arg *arg) {
  arg->kind = PPI_ARG_LWORK;
  return read_extents(signature, arg, false);
}

/* Its value may depend on sizes, as that of a length. */
static enum perfpred_status read_constant(struct ppi_signature *signature, struct ppi_arg *arg) {
  arg->kind = PPI_ARG_LWORK;
  arg->constant = true;
  return ppi_expr_parse(signature->scanner, &signature->scope, &arg->rows);
}

static const struct {
  const char *word;
  reader *read;
} kinds[] = {
  { "flag", read_flag }, { "option", read_option },     { "size", read_size }, { "scalar", read_scalar },
  { "ld", read_ld },     { "inc", read_inc },           { "work", read_work }, { "lwork", read_lwork },
  { "info", read_info }, { "constant", read_constant },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *kind_word(const void *data, size_t index) {
  (void)data;
  return index < KINDS ? kinds[index].word : ppi_direction_words[index - KINDS + 1];
}

static enum perfpred_status read_kind(struct ppi_signature *signature, struct ppi_arg *arg) {
  struct ppi_scanner *scanner = signature->scanner;
  int direction = word_of(scanner, ppi_direction_words, 0);

  if (direction) {
    arg->direction = (enum ppi_direction)direction;
    ppi_scan_next(scanner);
    return read_data(signature, arg);
  }
  for (size_t i = 0; i < KINDS; i++)
    if (ppi_scan_accept(scanner, kinds[i].word))
      return kinds[i].read(signature, arg);
  const char *near = ppi_text_nearest(scanner->token.text, KINDS + 3, kind_word, NULL);
  if (scanner->token.kind == PPI_TOKEN_NAME && near)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "unknown kind of argument '%s'; did you mean '%s'?",
                          scanner->token.text, near);
  return ppi_scan_expected(scanner,
                           "a kind of argument (flag option size scalar in out inout ld inc work lwork constant)");
}

/* `info`, `ldX`, `incX`: the name alone tells. */
static enum perfpred_status kind_from_name(struct ppi_signature *signature, struct ppi_arg *arg) {
  if (strcmp(arg->name, "info") == 0)
    return read_info(signature, arg);
  bool inc = strncmp(arg->name, "inc", 3) == 0;
  if (inc || strncmp(arg->name, "ld", 2) == 0) {
    arg->kind = inc ? PPI_ARG_INC : PPI_ARG_LD;
    arg->of = seen_argument(signature, arg->name + (inc ? 3 : 2));
    if (arg->of < 0)
      return fault(signature, signature->kernel->arg_count,
                   inc ? "is the increment of no argument" : "is the leading dimension of no argument");
    return PERFPRED_OK;
  }
  return ppi_scan_expected(signature->scanner, "':' and the kind of the argument");
}

static enum perfpred_status read_argument(struct ppi_signature *signature) {
  struct ppi_scanner *scanner = signature->scanner;
  struct perfpred_kernel *kernel = signature->kernel;
  if (kernel->arg_count == PPI_ARG_MAX)
    return ppi_scan_error(scanner, PERFPRED_LIMIT, "a kernel has at most %d arguments", PPI_ARG_MAX);
  if (scanner->token.kind == PPI_TOKEN_NAME && ppi_kernel_argument(kernel, scanner->token.text) >= 0)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "argument '%s' appears twice", scanner->token.text);

  struct ppi_arg *arg = &kernel->args[kernel->arg_count];
  *arg = (struct ppi_arg){ .uplo = -1, .diag = -1, .ld = -1, .inc = -1, .of = -1 };
  enum perfpred_status status = ppi_scan_name(scanner, arg->name, "the name of an argument");
  if (status != PERFPRED_OK)
    return status;
  status = ppi_scan_accept(scanner, ":") ? read_kind(signature, arg) : kind_from_name(signature, arg);
  kernel->arg_count++; /* on failure as well: its expressions are the kernel's to release */
  return status;
}

/* --- Checks of the whole ------------------------------------------------------------------------------------------- */

static enum perfpred_status check_triangle(const struct ppi_signature *signature, int place) {
  const struct perfpred_kernel *kernel = signature->kernel;
  const struct ppi_arg *arg = &kernel->args[place];
  if (arg->uplo >= 0) {
    const struct ppi_arg *uplo = &kernel->args[arg->uplo];
    if (uplo->kind != PPI_ARG_FLAG || !strchr(uplo->flags, 'L') || !strchr(uplo->flags, 'U'))
      return fault(signature, arg->uplo, "does not tell a triangle; expected a flag with L and U");
  }
  if (arg->diag >= 0 && (kernel->args[arg->diag].kind != PPI_ARG_FLAG || !strchr(kernel->args[arg->diag].flags, 'U')))
    return fault(signature, arg->diag, "does not tell about a diagonal; expected a flag with U");
  return PERFPRED_OK;
}

static enum perfpred_status link_stride(struct ppi_signature *signature, int place) {
  struct ppi_arg *stride = &signature->kernel->args[place];
  struct ppi_arg *data = &signature->kernel->args[stride->of];
  bool inc = stride->kind == PPI_ARG_INC;
  if (data->kind != PPI_ARG_DATA || (data->shape == PPI_SHAPE_VECTOR) != inc)
    return fault(signature, place, inc ? "is the increment of what is no vector" : "belongs to what is no matrix");
  int *link = inc ? &data->inc : &data->ld;
  if (*link >= 0)
    return fault(signature, place, "is the second stride of the same operand");
  *link = place;
  return PERFPRED_OK;
}

/* Lists the sizes and flags of the kernel. */
static enum perfpred_status note_place(struct ppi_signature *signature, int place) {
  struct perfpred_kernel *kernel = signature->kernel;
  bool size = kernel->args[place].kind == PPI_ARG_SIZE;
  int *count = size ? &kernel->size_count : &kernel->flag_count;
  int *places = size ? kernel->sizes : kernel->flags;
  if (*count == PPI_SIZE_MAX) {
    const struct ppi_signature_arg *seen = &signature->args[place];
    return ppi_error_at(signature->scanner->error, PERFPRED_LIMIT, signature->scanner->source, seen->line, seen->column,
                        "a kernel has at most %d %s", PPI_SIZE_MAX, size ? "sizes" : "flags");
  }
  places[(*count)++] = place;
  return PERFPRED_OK;
}

static enum perfpred_status check_argument(struct ppi_signature *signature, int place) {
  switch (signature->kernel->args[place].kind) {
  case PPI_ARG_FLAG:
  case PPI_ARG_SIZE:
    return note_place(signature, place);
  case PPI_ARG_DATA:
    return check_triangle(signature, place);
  case PPI_ARG_LD:
  case PPI_ARG_INC:
    return link_stride(signature, place);
  case PPI_ARG_INFO:
    for (int i = 0; i < place; i++)
      if (signature->kernel->args[i].kind == PPI_ARG_INFO)
        return fault(signature, place, "is a second info");
    return PERFPRED_OK;
  default:
    return PERFPRED_OK;
  }
}

enum perfpred_status ppi_signature_arguments(struct ppi_signature *signature) {
  struct ppi_scanner *scanner = signature->scanner;
  struct perfpred_kernel *kernel = signature->kernel;
  enum perfpred_status status = ppi_scan_expect(scanner, "(");
  if (status != PERFPRED_OK)
    return status;
  look_ahead(signature);
  if (!ppi_scan_is(scanner, ")")) {
    do
      status = read_argument(signature);
    while (status == PERFPRED_OK && ppi_scan_accept(scanner, ","));
  }
  if (status == PERFPRED_OK && !ppi_scan_is(scanner, ")"))
    status = ppi_scan_expected(scanner, "',' or ')'");
  for (int i = 0; status == PERFPRED_OK && i < kernel->arg_count; i++)
    status = check_argument(signature, i);
  if (status == PERFPRED_OK && kernel->arg_count + kernel->flag_count > PPI_ARG_MAX)
    status =
        ppi_scan_error(scanner, PERFPRED_LIMIT, "arguments and lengths of flags are more than %d words", PPI_ARG_MAX);
  if (status == PERFPRED_OK)
    ppi_scan_next(scanner);
  return status;
}
