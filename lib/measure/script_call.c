/* SPDX-License-Identifier: BSD-3-Clause */
/* A call of a script. It may be written in three ways, which the number of arguments tells apart: with all arguments, as in Fortran; as in
 * programs, without leading dimensions, increments, workspaces and info; and without data as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/arena.h"
#include "measure/sampler.h"
#include "measure/script_reader.h"
#include "measure/script_tree.h"

struct reading {
  struct ppi_script_reader *reader;
  const struct ppi_script *script;
  const struct ppi_script_settings *settings;
  const struct perfpred_kernel *kernel;
  struct ppi_script_call *call;
  struct ppi_script_operand given[PPI_ARG_MAX]; /* by argument */
  const char *at[PPI_ARG_MAX];                  /* where each was written */
};

static bool is_memory(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_DATA || arg->kind == PPI_ARG_WORK;
}

/* Arguments up to the closing parenthesis, commas in nested ones apart. 0: none; -1: it does not close on this line. */
static int count_arguments(struct ppi_script_reader ahead) {
  int depth = 0, count = 1;
  if (ppi_reader_peek(&ahead) == ')')
    return 0;
  for (;; ahead.at++) {
    char c = ppi_reader_peek(&ahead);
    if (c == '\n')
      return -1;
    if (c == ')' && depth == 0)
      return count;
    depth += (c == '(') - (c == ')');
    count += c == ',' && depth == 0;
  }
}

enum form { FORM_FULL, FORM_SHORT, FORM_BARE };

static bool is_present(const struct ppi_arg *arg, enum form form) {
  if (form == FORM_FULL)
    return true;
  return ppi_arg_is_written(arg) && (form == FORM_SHORT || arg->kind != PPI_ARG_DATA);
}

static enum perfpred_status choose_form(const struct reading *reading, enum form *form) {
  int counts[3] = { 0, 0, 0 };
  int found = count_arguments(*reading->reader);
  if (found < 0)
    return ppi_reader_fail(reading->reader, PERFPRED_SYNTAX, "the call of %s has no ')' on this line",
                           reading->kernel->name);
  for (*form = FORM_FULL; *form <= FORM_BARE; (*form)++) {
    for (int i = 0; i < reading->kernel->arg_count; i++)
      counts[*form] += is_present(&reading->kernel->args[i], *form);
    if (counts[*form] == found)
      return PERFPRED_OK;
  }
  return ppi_reader_fail(reading->reader, PERFPRED_SYNTAX,
                         "%s has %d arguments here, expected %d, %d (without leading dimensions, increments, "
                         "workspaces and info) or %d (and without data)",
                         reading->kernel->name, found, counts[0], counts[1], counts[2]);
}

static enum perfpred_status read_flag(struct reading *reading, int place) {
  const struct ppi_arg *arg = &reading->kernel->args[place];
  char word[PPI_NAME_MAX], what[2 * PPI_NAME_MAX];
  snprintf(what, sizeof what, "%s '%s' (one of %s)", arg->option ? "option" : "flag", arg->name, arg->flags);
  const char *at = reading->reader->at;
  enum perfpred_status status = ppi_reader_word(reading->reader, what, "", word);
  if (status != PERFPRED_OK)
    return status;
  if (word[1] != '\0' || strchr(arg->flags, word[0]) == NULL)
    return ppi_reader_fail_at(reading->reader, at, PERFPRED_SYNTAX, "expected %s, found '%s'", what, word);
  reading->call->values[place].i = (unsigned char)word[0];
  return PERFPRED_OK;
}

static enum perfpred_status read_integer(struct reading *reading, int place, int64_t least, int64_t *value) {
  const struct ppi_arg *arg = &reading->kernel->args[place];
  char what[2 * PPI_NAME_MAX];
  snprintf(what, sizeof what, "a whole number for '%s'", arg->name);
  const char *at = reading->reader->at;
  enum perfpred_status status = ppi_reader_integer(reading->reader, what, value);
  if (status == PERFPRED_OK && *value < least)
    return ppi_reader_fail_at(reading->reader, at, PERFPRED_SYNTAX, "'%s' is %lld, expected at least %lld", arg->name,
                              (long long)*value, (long long)least);
  return status;
}

static enum perfpred_status read_increment(struct reading *reading, int place, int64_t *value) {
  const char *at = reading->reader->at;
  enum perfpred_status status = read_integer(reading, place, INT32_MIN, value);
  if (status == PERFPRED_OK && *value == 0)
    return ppi_reader_fail_at(reading->reader, at, PERFPRED_SYNTAX, "'%s' is 0, expected any other whole number",
                              reading->kernel->args[place].name);
  return status;
}

/* 0.5, -1 or (1, 2) */
static enum perfpred_status read_scalar(struct reading *reading, int place) {
  const struct ppi_arg *arg = &reading->kernel->args[place];
  struct ppi_value *value = &reading->call->values[place];
  char what[2 * PPI_NAME_MAX];
  snprintf(what, sizeof what, "a number for scalar '%s'", arg->name);
  if (!ppi_type_is_complex(arg->type) || !ppi_reader_accept(reading->reader, '('))
    return ppi_reader_real(reading->reader, what, &value->re);
  enum perfpred_status status = ppi_reader_real(reading->reader, what, &value->re);
  if (status == PERFPRED_OK)
    status = ppi_reader_expect(reading->reader, ',');
  if (status == PERFPRED_OK)
    status = ppi_reader_real(reading->reader, what, &value->im);
  return status == PERFPRED_OK ? ppi_reader_expect(reading->reader, ')') : status;
}

static enum perfpred_status read_scratch(struct reading *reading, struct ppi_script_operand *operand) {
  ppi_reader_peek(reading->reader);
  const char *at = reading->reader->at;
  enum perfpred_status status = ppi_reader_integer(reading->reader, "a number of elements", &operand->length);
  if (status == PERFPRED_OK && (operand->length < 0 || operand->length > PPI_SCRIPT_LENGTH_MAX))
    status = ppi_reader_fail_at(reading->reader, at, PERFPRED_SYNTAX,
                                "a number of elements is %lld, expected 0 to 2^42", (long long)operand->length);
  operand->place = PPI_PLACE_SCRATCH;
  return status == PERFPRED_OK ? ppi_reader_expect(reading->reader, ']') : status;
}

static enum perfpred_status find_buffer(const struct reading *reading, const char *at, const char *name,
                                        const struct ppi_arg *arg, struct ppi_script_operand *operand) {
  const struct ppi_script_buffer *found = ppi_script_find_buffer(reading->script, name);
  if (found == NULL)
    return ppi_script_no_buffer(reading->reader, at, reading->script, name);
  if (found->type != arg->type)
    return ppi_reader_fail_at(reading->reader, at, PERFPRED_SYNTAX, "buffer '%s' is of type %c, '%s' of %s is %c", name,
                              ppi_type_letter(found->type), arg->name, reading->kernel->name,
                              ppi_type_letter(arg->type));
  operand->buffer = found->whole;
  operand->offset = found->offset;
  return PERFPRED_OK;
}

/* `A`, `A+1000`, `[1000]`, `.` */
static enum perfpred_status read_operand(struct reading *reading, int place) {
  struct ppi_script_reader *reader = reading->reader;
  struct ppi_script_operand *operand = &reading->given[place];
  char name[PPI_NAME_MAX];
  if (ppi_reader_accept(reader, '['))
    return read_scratch(reading, operand);
  if (ppi_reader_accept(reader, '.'))
    return PERFPRED_OK;
  const char *at = reader->at;
  enum perfpred_status status = ppi_reader_word(reader, "a buffer, [COUNT] or '.'", "", name);
  if (status == PERFPRED_OK)
    status = find_buffer(reading, at, name, &reading->kernel->args[place], operand);
  if (status != PERFPRED_OK)
    return status;
  operand->place = PPI_PLACE_BUFFER;
  if (!ppi_reader_accept(reader, '+'))
    return PERFPRED_OK;
  int64_t offset = 0;
  ppi_reader_peek(reader);
  at = reader->at;
  status = ppi_reader_integer(reader, "an offset in elements", &offset);
  if (status == PERFPRED_OK && (offset < 0 || offset > PPI_SCRIPT_LENGTH_MAX))
    status =
        ppi_reader_fail_at(reader, at, PERFPRED_SYNTAX, "the offset is %lld, expected 0 to 2^42", (long long)offset);
  operand->offset += offset;
  return status;
}

static enum perfpred_status read_argument(struct reading *reading, int place) {
  struct ppi_value *value = &reading->call->values[place];
  int64_t ignored;
  ppi_reader_peek(reading->reader);
  reading->at[place] = reading->reader->at;
  switch (reading->kernel->args[place].kind) {
  case PPI_ARG_FLAG:
    return read_flag(reading, place);
  case PPI_ARG_SCALAR:
    return read_scalar(reading, place);
  case PPI_ARG_DATA:
  case PPI_ARG_WORK:
    return read_operand(reading, place);
  case PPI_ARG_SIZE:
    return read_integer(reading, place, 0, &value->i);
  case PPI_ARG_LD:
    return read_integer(reading, place, 1, &value->i);
  case PPI_ARG_LWORK:
    return read_integer(reading, place, reading->kernel->args[place].constant ? INT32_MIN : -1,
                        reading->kernel->args[place].constant ? &ignored : &reading->call->lwork);
  case PPI_ARG_INC:
    return read_increment(reading, place, &value->i);
  default: /* info */
    return read_integer(reading, place, INT32_MIN, &ignored);
  }
}

static enum perfpred_status read_arguments(struct reading *reading) {
  enum form form = FORM_FULL;
  enum perfpred_status status = choose_form(reading, &form);
  bool first = true;
  for (int i = 0; i < reading->kernel->arg_count && status == PERFPRED_OK; i++) {
    if (!is_present(&reading->kernel->args[i], form))
      continue;
    if (!first)
      status = ppi_reader_expect(reading->reader, ',');
    first = false;
    if (status == PERFPRED_OK)
      status = read_argument(reading, i);
  }
  return status == PERFPRED_OK ? ppi_reader_expect(reading->reader, ')') : status;
}

/* --- Laying out ---------------------------------------------------------------------------------------------------- */

static const char *place_of(const struct reading *reading, int place) {
  return reading->at[place] != NULL ? reading->at[place] : reading->reader->at;
}

static enum perfpred_status measure_operand(const struct reading *reading, struct ppi_script_operand *operand) {
  struct perfpred_error inner = { .status = PERFPRED_OK };
  const struct ppi_script_call *call = reading->call;
  enum perfpred_status status =
      ppi_kernel_extent(reading->kernel, call->values, operand->argument, &operand->rows, &operand->columns, &inner);
  if (status != PERFPRED_OK)
    return ppi_reader_fail(reading->reader, status, "%s", inner.text);
  const struct ppi_arg *arg = &reading->kernel->args[operand->argument];
  if (arg->kind == PPI_ARG_WORK && operand->rows < call->lwork)
    operand->rows = call->lwork;
  return PERFPRED_OK;
}

static enum perfpred_status set_ld(const struct reading *reading, const struct ppi_arg *arg, int64_t most,
                                   struct ppi_script_operand *operand) {
  int64_t *ld = &reading->call->values[arg->ld].i;
  if (*ld == 0) {
    *ld = reading->settings->ld;
    if (*ld == 0 && operand->place == PPI_PLACE_OWN)
      *ld = ppi_leading_dimension(most);
    if (*ld < operand->rows)
      *ld = operand->place == PPI_PLACE_OWN ? ppi_leading_dimension(operand->rows) : operand->rows;
    if (*ld < 1)
      *ld = 1;
  }
  if (*ld < operand->rows)
    return ppi_reader_fail_at(reading->reader, place_of(reading, arg->ld), PERFPRED_INVALID,
                              "'%s' is %lld, expected at least %lld, the rows of '%s'",
                              reading->kernel->args[arg->ld].name, (long long)*ld, (long long)operand->rows, arg->name);
  operand->ld = *ld;
  return PERFPRED_OK;
}

static enum perfpred_status set_strides(const struct reading *reading, int64_t most,
                                        struct ppi_script_operand *operand) {
  const struct ppi_arg *arg = &reading->kernel->args[operand->argument];
  operand->step = 1;
  operand->ld = operand->rows > 0 ? operand->rows : 1;
  if (arg->kind == PPI_ARG_WORK)
    return PERFPRED_OK;
  if (arg->inc >= 0) {
    int64_t *inc = &reading->call->values[arg->inc].i;
    *inc = *inc == 0 ? 1 : *inc;
    operand->step = *inc < 0 ? -*inc : *inc;
  }
  return arg->ld >= 0 ? set_ld(reading, arg, most, operand) : PERFPRED_OK;
}

/* How many elements there are, and that they are enough. */
static enum perfpred_status check_room(const struct reading *reading, struct ppi_script_operand *operand) {
  const struct ppi_arg *arg = &reading->kernel->args[operand->argument];
  int64_t needed = 0, room = 0;
  struct perfpred_error inner = { .status = PERFPRED_OK };
  enum perfpred_status status =
      ppi_area_bytes(operand->rows, operand->columns, operand->step, operand->ld, 1, &needed, &inner);
  if (status != PERFPRED_OK)
    return ppi_reader_fail_at(reading->reader, place_of(reading, operand->argument), status, "%s", inner.text);
  if (operand->rows > 0 && operand->columns > 0)
    needed -= operand->step - 1;
  else
    needed = 0;
  if (operand->place == PPI_PLACE_OWN) {
    operand->length = needed > 0 ? needed : 1;
    return PERFPRED_OK;
  }
  room = operand->length;
  if (operand->place == PPI_PLACE_BUFFER)
    room = reading->script->buffers[operand->buffer].length - operand->offset;
  if (room < needed)
    return ppi_reader_fail_at(reading->reader, place_of(reading, operand->argument), PERFPRED_INVALID,
                              "'%s' of %s needs %lld elements, there are %lld", arg->name, reading->kernel->name,
                              (long long)needed, (long long)(room > 0 ? room : 0));
  return PERFPRED_OK;
}

static enum perfpred_status lay_out(struct reading *reading) {
  struct ppi_script_call *call = reading->call;
  enum perfpred_status status = PERFPRED_OK;
  int64_t most = 0;
  for (int i = 0; i < reading->kernel->arg_count && status == PERFPRED_OK; i++) {
    if (!is_memory(&reading->kernel->args[i]))
      continue;
    struct ppi_script_operand *operand = &call->operands[call->operand_count++];
    *operand = reading->given[i];
    operand->argument = i;
    status = measure_operand(reading, operand);
    if (reading->kernel->args[i].shape != PPI_SHAPE_VECTOR && operand->rows > most)
      most = operand->rows;
  }
  for (int i = 0; i < call->operand_count && status == PERFPRED_OK; i++) {
    status = set_strides(reading, most, &call->operands[i]);
    if (status == PERFPRED_OK)
      status = check_room(reading, &call->operands[i]);
  }
  return status;
}

static enum perfpred_status read_kernel(struct reading *reading, const struct ppi_kernels *kernels) {
  char name[PPI_NAME_MAX];
  struct perfpred_error inner = { .status = PERFPRED_OK };
  const char *at = reading->reader->at;
  enum perfpred_status status = ppi_reader_word(reading->reader, "the name of a kernel", "", name);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_kernels_require(kernels, name, &reading->kernel, &inner);
  if (status != PERFPRED_OK)
    return ppi_reader_fail_at(reading->reader, at, status, "%s", inner.text);
  return ppi_reader_expect(reading->reader, '(');
}

enum perfpred_status ppi_script_read_call(struct ppi_script_reader *reader, const struct ppi_kernels *kernels,
                                          const struct ppi_script *script, const struct ppi_script_settings *settings,
                                          struct ppi_script_call *call) {
  const char *at = reader->at;
  struct reading reading = { .reader = reader, .script = script, .settings = settings, .call = call };
  *call = (struct ppi_script_call){ .line = reader->line, .lwork = -1 };
  enum perfpred_status status = read_kernel(&reading, kernels);
  if (status != PERFPRED_OK)
    return status;
  size_t count = (size_t)reading.kernel->arg_count + 1;
  call->values = calloc(count, sizeof *call->values);
  call->operands = calloc(count, sizeof *call->operands);
  if (call->values == NULL || call->operands == NULL)
    return ppi_error_memory(reader->error);
  call->kernel = ppi_kernel_ref(reading.kernel);
  for (int i = 0; i < reading.kernel->arg_count; i++)
    call->values[i].buffer = -1;
  status = read_arguments(&reading);
  struct perfpred_error inner = { .status = PERFPRED_OK };
  if (status == PERFPRED_OK && ppi_kernel_check(reading.kernel, call->values, &inner) != PERFPRED_OK)
    status = ppi_reader_fail_at(reader, at, inner.status, "%s", inner.text);
  return status == PERFPRED_OK ? lay_out(&reading) : status;
}
