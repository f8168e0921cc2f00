/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence of calls of a program, one per line, with numbers for all sizes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program/print.h"
#include "program/walk.h"

#define NUMBER_MAX (PPI_RECURSION_MAX * PPI_BUFFER_MAX)

struct unroll {
  const struct perfpred_program *program;
  struct ppi_text *text; /* NULL: only count */
  uint64_t calls;
  const struct ppi_buffer *work[NUMBER_MAX]; /* work buffers of called programs, by number */
};

static enum perfpred_status enter(void *data, int buffer, const struct ppi_buffer *what, int64_t rows, int64_t columns,
                                  struct perfpred_error *error) {
  struct unroll *unroll = data;
  (void)rows, (void)columns, (void)error;
  if (buffer < NUMBER_MAX)
    unroll->work[buffer] = what;
  return PERFPRED_OK;
}

/* A work buffer of a called program is not among the program's own names: its number is added. */
static void print_view(const struct unroll *unroll, const struct ppi_value *value) {
  struct ppi_text *text = unroll->text;
  const bool own = value->buffer < unroll->program->buffer_count;
  const struct ppi_buffer *buffer = own ? &unroll->program->buffers[value->buffer] : unroll->work[value->buffer];
  ppi_text_printf(text, "%s%s", value->by_row ? "row " : "", buffer->name);
  if (!own)
    ppi_text_printf(text, "@%d", value->buffer);
  if (buffer->shape == PPI_SHAPE_VECTOR)
    ppi_text_printf(text, "[%" PRId64 "]", value->row);
  else
    ppi_text_printf(text, "[%" PRId64 ", %" PRId64 "]", value->row, value->column);
}

static enum perfpred_status print_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                       struct perfpred_error *error) {
  struct unroll *unroll = data;
  struct ppi_text *text = unroll->text;
  const struct perfpred_kernel *kernel = node->kernel;
  unroll->calls++;
  if (!text)
    return PERFPRED_OK;
  if (node->result) {
    print_view(unroll, &values[kernel->arg_count]);
    ppi_text_append(text, node->adds ? " += " : " = ");
  }
  ppi_print_call_name(kernel->name, text);
  const char *before = "(";
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    if (!ppi_arg_is_written(arg))
      continue;
    ppi_text_append(text, before);
    before = ", ";
    if (arg->kind == PPI_ARG_FLAG)
      ppi_text_printf(text, "%c", (int)values[i].i);
    else if (arg->kind == PPI_ARG_SIZE)
      ppi_text_printf(text, "%" PRId64, values[i].i);
    else if (arg->kind == PPI_ARG_SCALAR && values[i].buffer < 0)
      ppi_print_scalar(&values[i], text);
    else
      print_view(unroll, &values[i]);
  }
  ppi_text_append(text, before[0] == '(' ? "()\n" : ")\n");
  return text->failed ? ppi_error_memory(error) : PERFPRED_OK;
}

static enum perfpred_status print_access(void *data, const struct ppi_node *node, int buffer, const int64_t *subscripts,
                                         struct perfpred_error *error) {
  struct unroll *unroll = data;
  struct ppi_text *text = unroll->text;
  const struct ppi_buffer *array = &unroll->program->buffers[buffer];
  unroll->calls++;
  if (!text)
    return PERFPRED_OK;
  ppi_text_printf(text, "%s %s", ppi_print_access(node->access), array->name);
  for (int i = 0; i < array->dimensions; i++)
    ppi_text_printf(text, "%s%" PRId64, i > 0 ? ", " : "[", subscripts[i]);
  ppi_text_append(text, "]\n");
  return text->failed ? ppi_error_memory(error) : PERFPRED_OK;
}

enum perfpred_status perfpred_program_unroll(const struct perfpred_program *program, const int64_t *parameters,
                                             size_t count, uint64_t *calls, char **text, struct perfpred_error *error) {
  static const struct ppi_walker walker = { .call = print_call, .access = print_access, .enter = enter };
  ppi_error_clear(error);
  if (!program)
    return ppi_error_set(error, PERFPRED_INVALID, "program is NULL");
  struct ppi_text made = PPI_TEXT_INIT;
  struct unroll *unroll = calloc(1, sizeof *unroll);
  if (!unroll)
    return ppi_error_memory(error);
  unroll->program = program;
  unroll->text = text ? &made : NULL;
  enum perfpred_status status = ppi_program_walk(program, parameters, count, &walker, unroll, error);
  char *taken = NULL;
  if (!status && text && !(taken = ppi_text_take(&made)))
    status = ppi_error_memory(error);
  if (!status && text)
    *text = taken;
  if (!status && calls)
    *calls = unroll->calls;
  ppi_text_free(&made);
  free(unroll);
  return status;
}
