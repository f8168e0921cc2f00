/* SPDX-License-Identifier: BSD-3-Clause */
/* Misses as JSON (doc/json.md, "misses"). */
#include <stdlib.h>
#include <string.h>

#include "api/misses.h"
#include "program/print.h"
#include "store/json.h"

static const char *const engines[] = { "auto", "analytic", "simulate" };

struct report {
  const struct ppi_misses_job *job;
  struct ppi_json_out out;
  const char *names[PPI_SLOT_MAX]; /* of the nest */
  struct ppi_scope scope;
  bool failed;
};

/* accesses, compulsory, capacity[] */
static void put_count(struct report *report, struct ppi_json_out *object, const struct ppi_misses_count *count) {
  int64_t capacity[512];
  const size_t levels = report->job->asked;
  for (size_t i = 0; i < levels; i++)
    capacity[i] = (int64_t)count->capacity[i];
  ppi_json_put_integer(object, "accesses", (int64_t)count->accesses);
  ppi_json_put_integer(object, "compulsory", (int64_t)count->compulsory);
  ppi_json_put_integers(object, "capacity", capacity, levels);
}

static void put_text(struct report *report, struct ppi_json_out *object, const char *key, struct ppi_text *text) {
  char *taken = ppi_text_take(text);
  report->failed = report->failed || !taken;
  ppi_json_put_string(object, key, taken ? taken : "");
  free(taken);
}

static void print_element(const struct report *report, const struct ppi_node *node, struct ppi_text *text) {
  const struct ppi_buffer *buffer = &report->job->nest->buffers[node->buffer];
  ppi_text_append(text, buffer->name);
  for (int i = 0; i < buffer->dimensions; i++) {
    ppi_text_append(text, i > 0 ? ", " : "[");
    ppi_expr_print(node->subscripts[i], &report->scope, false, text);
  }
  ppi_text_append(text, "]");
}

static void put_reference(struct report *report, const struct ppi_node *node) {
  struct ppi_json_out object;
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "site", node->site);
  ppi_json_put_integer(&object, "statement", node->statement);
  ppi_json_put_string(&object, "access", ppi_print_access(node->access));
  ppi_json_put_string(&object, "array", report->job->nest->buffers[node->buffer].name);
  print_element(report, node, &text);
  put_text(report, &object, "element", &text);
  ppi_json_put_integer(&object, "line", node->line);
  ppi_json_put_bool(&object, "may", node->may);
  put_count(report, &object, &report->job->misses->references[node->site]);
  ppi_json_append(&report->out, "references", &object);
}

static void put_references(struct report *report, const struct ppi_node *node) {
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_ACCESS)
      put_reference(report, node);
    put_references(report, node->body);
    put_references(report, node->otherwise);
  }
}

/* The accesses of one statement, which need not stand in one block. */
struct statement {
  struct ppi_text text;
  int line;
  bool may;
  enum ppi_direction last; /* of the access that the text ends with */
};

static void add_to_statement(const struct report *report, const struct ppi_node *node, struct statement *statement) {
  const bool first = statement->text.length == 0;
  if (!first && node->access == statement->last)
    ppi_text_append(&statement->text, ", ");
  else
    ppi_text_printf(&statement->text, "%s%s ", first ? "" : "; ", ppi_print_access(node->access));
  print_element(report, node, &statement->text);
  statement->line = first ? node->line : statement->line;
  statement->may = statement->may || node->may;
  statement->last = node->access;
}

static void collect_statements(struct report *report, const struct ppi_node *node, struct statement *statements) {
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_ACCESS) {
      add_to_statement(report, node, &statements[node->statement]);
    }
    collect_statements(report, node->body, statements);
    collect_statements(report, node->otherwise, statements);
  }
}

static void put_statements(struct report *report) {
  const struct ppi_misses *misses = report->job->misses;
  struct statement *statements = calloc(misses->statement_count + 1, sizeof *statements);
  ppi_json_put_empty_list(&report->out, "statements");
  if (!statements) {
    report->failed = true;
    return;
  }
  collect_statements(report, report->job->nest->body, statements);
  for (size_t i = 0; i < misses->statement_count; i++) {
    struct ppi_json_out object;
    ppi_json_begin(&object);
    ppi_json_put_integer(&object, "statement", (int64_t)i);
    ppi_json_put_integer(&object, "line", statements[i].line);
    put_text(report, &object, "text", &statements[i].text);
    ppi_json_put_bool(&object, "may", statements[i].may);
    put_count(report, &object, &misses->statements[i]);
    ppi_json_append(&report->out, "statements", &object);
  }
  free(statements);
}

static void put_level(struct report *report, const char *list, size_t level, bool compulsory) {
  const struct ppi_misses_count *total = &report->job->misses->total;
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "bytes", report->job->options.cache_bytes[level]);
  if (compulsory)
    ppi_json_put_integer(&object, "compulsory", (int64_t)total->compulsory);
  ppi_json_put_integer(&object, "capacity", (int64_t)total->capacity[level]);
  ppi_json_put_integer(&object, "misses", (int64_t)(total->compulsory + total->capacity[level]));
  ppi_json_append(&report->out, list, &object);
}

/* Up to the first cache that has room for all. */
static void put_curve(struct report *report) {
  const struct ppi_misses_job *job = report->job;
  if (job->options.level_count == job->asked)
    return;
  ppi_json_put_empty_list(&report->out, "curve");
  for (size_t i = job->asked; i < job->options.level_count; i++) {
    put_level(report, "curve", i, false);
    if (job->misses->total.capacity[i] == 0)
      return;
  }
}

static void put_pieces(struct report *report) {
  const struct ppi_misses *misses = report->job->misses;
  if (!report->job->options.pieces)
    return;
  ppi_json_put_empty_list(&report->out, "pieces");
  for (size_t i = 0; i < misses->piece_count; i++) {
    const struct ppi_misses_piece *piece = &misses->pieces[i];
    struct ppi_json_out object;
    ppi_json_begin(&object);
    ppi_json_put_integer(&object, "site", piece->site);
    ppi_json_put_string(&object, "conditions", piece->conditions);
    ppi_json_put_string(&object, "distance", piece->distance);
    ppi_json_put_integer(&object, "accesses", (int64_t)piece->accesses);
    if (piece->max > 0) {
      ppi_json_put_integer(&object, "min", (int64_t)piece->min);
      ppi_json_put_integer(&object, "max", (int64_t)piece->max);
    }
    ppi_json_append(&report->out, "pieces", &object);
  }
}

static void add_count(struct ppi_misses_count *sum, const struct ppi_misses_count *term, size_t levels) {
  sum->accesses += term->accesses;
  sum->compulsory += term->compulsory;
  for (size_t i = 0; i < levels; i++)
    sum->capacity[i] += term->capacity[i];
}

/* Counts of a call, or of one of its operands (argument >= 0). False: it has no accesses in the text. */
static bool sum_call(const struct ppi_misses_job *job, int call, int argument, struct ppi_misses_count *sum) {
  const struct ppi_expansion *expansion = job->expansion;
  bool any = false;
  *sum = (struct ppi_misses_count){ .capacity = sum->capacity };
  memset(sum->capacity, 0, job->options.level_count * sizeof *sum->capacity);
  for (size_t i = 0; i < expansion->access_count; i++)
    if (expansion->accesses[i].call == call && (argument < 0 || expansion->accesses[i].argument == argument)) {
      add_count(sum, &job->misses->references[i], job->options.level_count);
      any = true;
    }
  return any;
}

/* Workspaces are nobody's: "". */
static const char *buffer_of(const struct ppi_expanded_call *call, int argument) {
  const bool scratch = call->node->kernel->args[argument].kind == PPI_ARG_WORK;
  return scratch ? "" : call->program->buffers[call->node->operands[argument].fixed.buffer].name;
}

static void put_operands(struct report *report, struct ppi_json_out *call, int index, struct ppi_misses_count *sum) {
  const struct ppi_expanded_call *expanded = &report->job->expansion->calls[index];
  const struct perfpred_kernel *kernel = expanded->node->kernel;
  ppi_json_put_empty_list(call, "operands");
  for (int i = 0; i < kernel->arg_count; i++) {
    struct ppi_json_out object;
    if (!sum_call(report->job, index, i, sum))
      continue;
    ppi_json_begin(&object);
    ppi_json_put_string(&object, "argument", kernel->args[i].name);
    ppi_json_put_string(&object, "buffer", buffer_of(expanded, i));
    put_count(report, &object, sum);
    ppi_json_append(call, "operands", &object);
  }
}

static void put_calls(struct report *report) {
  const struct ppi_expansion *expansion = report->job->expansion;
  if (!expansion)
    return;
  struct ppi_misses_count sum = { 0 };
  sum.capacity = calloc(report->job->options.level_count + 1, sizeof *sum.capacity);
  ppi_json_put_empty_list(&report->out, "calls");
  report->failed = report->failed || !sum.capacity;
  for (size_t i = 0; i < expansion->call_count && sum.capacity; i++) {
    const struct ppi_expanded_call *call = &expansion->calls[i];
    struct ppi_json_out object;
    struct ppi_text text = PPI_TEXT_INIT;
    ppi_json_begin(&object);
    ppi_json_put_string(&object, "algorithm", call->program->name);
    ppi_json_put_integer(&object, "site", call->node->site);
    ppi_json_put_string(&object, "kernel", call->node->kernel->name);
    ppi_print_call(call->program, call->node, &text);
    put_text(report, &object, "call", &text);
    sum_call(report->job, (int)i, -1, &sum);
    put_count(report, &object, &sum);
    put_operands(report, &object, (int)i, &sum);
    ppi_json_append(&report->out, "calls", &object);
  }
  free(sum.capacity);
}

static void put_head(struct report *report) {
  const struct ppi_misses_job *job = report->job;
  struct ppi_json_out parameters;
  ppi_json_put_string(&report->out, "name", job->program->name);
  ppi_json_put_string(&report->out, "kind", job->program->nest ? "nest" : "algorithm");
  ppi_json_begin(&parameters);
  for (int i = 0; i < job->program->parameter_count; i++)
    ppi_json_put_integer(&parameters, job->program->slots[i], job->parameters[i]);
  ppi_json_put_object(&report->out, "parameters", &parameters);
  ppi_json_put_integer(&report->out, "line_bytes", job->options.line_bytes);
  ppi_json_put_integer(&report->out, "accesses", (int64_t)job->misses->total.accesses);
  ppi_json_put_integer(&report->out, "compulsory", (int64_t)job->misses->total.compulsory);
  ppi_json_put_empty_list(&report->out, "levels");
  for (size_t i = 0; i < job->asked; i++)
    put_level(report, "levels", i, true);
}

enum perfpred_status ppi_misses_print(const struct ppi_misses_job *job, char **json, struct perfpred_error *error) {
  struct report report = { .job = job };
  struct ppi_text text = PPI_TEXT_INIT;
  report.scope = ppi_print_scope(job->nest, report.names);
  ppi_json_begin(&report.out);
  put_head(&report);
  put_calls(&report);
  put_statements(&report);
  ppi_json_put_empty_list(&report.out, "references");
  put_references(&report, job->nest->body);
  put_pieces(&report);
  put_curve(&report);
  ppi_json_put_bool(&report.out, "exact", job->misses->exact);
  ppi_json_put_bool(&report.out, "may", job->misses->may);
  ppi_json_put_string(&report.out, "engine", engines[job->misses->engine]);
  ppi_json_put_real(&report.out, "time_s", job->misses->time_s);
  ppi_json_end(&report.out, &text);
  char *taken = ppi_text_take(&text);
  if (!taken || report.failed) {
    free(taken);
    return ppi_error_memory(error);
  }
  *json = taken;
  return PERFPRED_OK;
}
