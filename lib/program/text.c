/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading whole texts. Twice: first the heads of all blocks (so that a call knows its callee wherever that stands), then the
   statements. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "program/parse.h"
#include "program/text.h"

/* A program of the text: its declarations have been read, its first statement is the scanner's present token. */
struct shell {
  struct ppi_scanner body;
  struct perfpred_program *program;
};

struct reader {
  struct ppi_scanner scanner;
  const struct ppi_kernels *kernels;
  const struct ppi_programs *programs;
  struct ppi_kernels *into; /* where kernels of the text go; NULL: they are an error */
  struct ppi_unit *unit;
  struct ppi_names names;
  struct shell *shells; /* as many as the unit has programs */
  size_t shell_capacity;
};

static void reader_clear(struct reader *reader) {
  free(reader->shells);
  ppi_names_free(&reader->names);
  ppi_unit_unref(reader->unit);
}

static enum perfpred_status reader_init(struct reader *reader, const struct ppi_programs *programs,
                                        const struct ppi_kernels *kernels, struct perfpred_error *error) {
  memset(reader, 0, sizeof *reader);
  reader->programs = programs;
  reader->kernels = kernels;
  reader->unit = ppi_unit_create();
  return reader->unit ? PERFPRED_OK : ppi_error_memory(error);
}

/* `perfpred-text 1` */
static enum perfpred_status read_version(struct ppi_scanner *scanner, bool needed) {
  if (!needed && !ppi_scan_is(scanner, "perfpred"))
    return PERFPRED_OK;
  if (!ppi_scan_accept(scanner, "perfpred") || !ppi_scan_accept(scanner, "-") || !ppi_scan_accept(scanner, "text"))
    return ppi_scan_expected(scanner, "the first line 'perfpred-text 1'");
  if (scanner->token.kind != PPI_TOKEN_INTEGER || scanner->token.integer != 1)
    return ppi_scan_expected(scanner, "version 1 of the text form");
  ppi_scan_next(scanner);
  return ppi_scan_line(scanner);
}

static enum perfpred_status check_name(struct reader *reader, const char *name) {
  const bool here = ppi_names_find(&reader->names, name);
  if (here || (reader->into && ppi_programs_has(reader->programs, name)))
    return ppi_scan_error(&reader->scanner, PERFPRED_EXISTS, "the name %s is already taken by an algorithm or nest%s",
                          name, here ? " of this text" : "");
  if (reader->unit->count == PPI_UNIT_MAX)
    return ppi_scan_error(&reader->scanner, PERFPRED_LIMIT, "expected at most %d algorithms in one text", PPI_UNIT_MAX);
  return PERFPRED_OK;
}

static enum perfpred_status new_shell(struct reader *reader, const char *name, struct perfpred_program **program) {
  if (!ppi_names_reserve(&reader->names, 1))
    return ppi_error_memory(reader->scanner.error);
  if ((size_t)reader->unit->count == reader->shell_capacity) {
    const size_t capacity = reader->shell_capacity ? 2 * reader->shell_capacity : 8;
    struct shell *shells = realloc(reader->shells, capacity * sizeof *shells);
    if (!shells)
      return ppi_error_memory(reader->scanner.error);
    reader->shells = shells;
    reader->shell_capacity = capacity;
  }
  *program = ppi_unit_add(reader->unit, name);
  if (!*program)
    return ppi_error_memory(reader->scanner.error);
  ppi_names_add(&reader->names, *program);
  return PERFPRED_OK;
}

/* (n, b) */
static enum perfpred_status read_parameters(struct ppi_parser *parser) {
  struct ppi_scanner *scanner = &parser->scanner;
  enum perfpred_status status = ppi_scan_expect(scanner, "(");
  if (status || ppi_scan_accept(scanner, ")"))
    return status;
  do
    status = ppi_parse_parameter(parser);
  while (!status && ppi_scan_accept(scanner, ","));
  return status ? status : ppi_scan_expect(scanner, ")");
}

static enum perfpred_status read_declarations(struct ppi_parser *parser) {
  bool known = false;
  enum perfpred_status status;
  do {
    status = ppi_scan_line(&parser->scanner);
    if (!status)
      status = ppi_parse_declaration(parser, &known);
  } while (!status && known);
  return status;
}

/* NAME(PARAMETERS) and the declarations of one entry of the family; leaves the scanner at the first statement. */
static enum perfpred_status read_head(struct reader *reader, bool nest) {
  char name[PPI_NAME_MAX];
  struct perfpred_program *program = NULL;
  struct ppi_parser parser;
  const struct ppi_scanner start = reader->scanner;
  enum perfpred_status status = ppi_scan_hyphenated(&reader->scanner, name, "the name of an algorithm or nest");
  if (status)
    return status;
  const struct ppi_scanner behind = reader->scanner;
  reader->scanner = start;
  status = check_name(reader, name);
  if (!status)
    status = new_shell(reader, name, &program);
  if (status)
    return status;
  program->nest = nest;
  ppi_parser_init(&parser, reader->kernels, reader->programs, &reader->names, program);
  parser.stated = true;
  parser.scanner = behind;
  status = read_parameters(&parser);
  if (!status)
    status = read_declarations(&parser);
  if (status)
    return status;
  reader->shells[reader->unit->count - 1] = (struct shell){ parser.scanner, program };
  reader->scanner = parser.scanner;
  return PERFPRED_OK;
}

/* Steps over `call [algorithm] NAME`, where a part of NAME alone need be no name: chain-3-{1,2}. What is wrong with it is told later. */
static void skip_call(struct ppi_scanner *scanner) {
  char name[PPI_NAME_MAX];
  if (!ppi_scan_accept(scanner, "call"))
    return;
  ppi_scan_accept(scanner, "algorithm");
  if (scanner->token.kind == PPI_TOKEN_NAME)
    (void)ppi_scan_hyphenated(scanner, name, "a name");
}

/* Steps over the statements up to the block's `end` and the line behind it. */
static enum perfpred_status skip_body(struct ppi_scanner *scanner, int line, const char *name) {
  int depth = 1;
  while (depth > 0) {
    if (ppi_scan_is(scanner, "end"))
      depth--;
    else if (ppi_scan_is(scanner, "for") || ppi_scan_is(scanner, "if"))
      depth++;
    skip_call(scanner);
    while (scanner->token.kind != PPI_TOKEN_LINE && scanner->token.kind != PPI_TOKEN_END) {
      if (scanner->token.kind == PPI_TOKEN_BAD)
        return ppi_scan_expected(scanner, "a statement");
      ppi_scan_next(scanner);
    }
    if (depth > 0 && scanner->token.kind == PPI_TOKEN_END)
      return ppi_scan_error(scanner, PERFPRED_SYNTAX,
                            "expected end of %s, which begins in line %d, found the end of the text", name, line);
    enum perfpred_status status = ppi_scan_line(scanner);
    if (status)
      return status;
  }
  return PERFPRED_OK;
}

/* algorithm|nest ..., once per entry of its family. */
static enum perfpred_status read_block(struct reader *reader) {
  struct ppi_scanner *scanner = &reader->scanner;
  const bool nest = ppi_scan_is(scanner, "nest");
  const int line = scanner->token.line;
  int entries = 0;
  ppi_scan_next(scanner);
  enum perfpred_status status = ppi_scan_family(scanner, &entries);
  const struct ppi_place place = ppi_scan_place(scanner);
  for (int entry = 0; !status && (entry == 0 || entry < entries); entry++) {
    if (entry > 0) {
      ppi_scan_return(scanner, place);
      ppi_scan_choose(scanner, entry);
    }
    status = read_head(reader, nest);
  }
  if (status)
    return status;
  return skip_body(scanner, line, reader->unit->programs[reader->unit->count - 1]->name);
}

static enum perfpred_status add_kernel(void *data, struct perfpred_kernel *kernel, struct perfpred_error *error) {
  return ppi_kernels_add(data, kernel, error);
}

static enum perfpred_status read_heads(struct reader *reader) {
  struct ppi_scanner *scanner = &reader->scanner;
  enum perfpred_status status = PERFPRED_OK;
  while (!status && scanner->token.kind != PPI_TOKEN_END) {
    if (ppi_scan_is(scanner, "algorithm") || ppi_scan_is(scanner, "nest"))
      status = read_block(reader);
    else if (reader->into && ppi_scan_is(scanner, "kernel"))
      status = ppi_kernel_parse(scanner, add_kernel, reader->into);
    else
      return ppi_scan_expected(scanner, reader->into ? "kernel, algorithm or nest" : "algorithm or nest");
  }
  return status;
}

static enum perfpred_status read_body(struct reader *reader, const struct shell *shell) {
  struct ppi_parser parser;
  struct perfpred_program *program = shell->program;
  ppi_parser_init(&parser, reader->kernels, reader->programs, &reader->names, program);
  parser.stated = true;
  parser.scanner = shell->body;
  ppi_parser_see(&parser, (UINT64_C(1) << program->parameter_count) - 1);
  struct ppi_scanner *scanner = &parser.scanner;
  for (;;) {
    enum perfpred_status status = PERFPRED_OK;
    bool known = false;
    if (ppi_scan_is(scanner, "end")) {
      if (parser.depth == 0)
        return PERFPRED_OK;
      status = ppi_parser_close(&parser);
      ppi_scan_next(scanner);
    } else {
      status = ppi_parse_declaration(&parser, &known); /* an error where known: it comes too late */
      if (!status)
        status = ppi_parse_statement(&parser);
    }
    if (!status)
      status = ppi_scan_line(scanner);
    if (status)
      return status;
  }
}

static enum perfpred_status read_text(struct reader *reader, bool version) {
  enum perfpred_status status = read_version(&reader->scanner, version);
  if (!status)
    status = read_heads(reader);
  for (int i = 0; !status && i < reader->unit->count; i++)
    status = read_body(reader, &reader->shells[i]);
  return status;
}

enum perfpred_status ppi_text_read(const struct ppi_programs *programs, struct ppi_kernels *kernels, const char *text,
                                   size_t length, const char *source, struct ppi_unit **unit,
                                   struct perfpred_error *error) {
  struct reader reader;
  const size_t kernel_count = ppi_kernels_count(kernels);
  enum perfpred_status status = reader_init(&reader, programs, kernels, error);
  if (status)
    return status;
  reader.into = kernels;
  ppi_scan_init(&reader.scanner, text, length, source, error);
  status = read_text(&reader, true);
  if (!status) {
    *unit = reader.unit;
    reader.unit = NULL;
  }
  reader_clear(&reader); /* before the kernels go that its calls refer to */
  if (status)
    ppi_kernels_truncate(kernels, kernel_count);
  return status;
}

enum perfpred_status ppi_text_read_algorithms(const struct ppi_programs *programs, const struct ppi_kernels *kernels,
                                              const char *text, size_t length, const char *source,
                                              struct ppi_unit **unit, struct perfpred_error *error) {
  struct reader reader;
  enum perfpred_status status = reader_init(&reader, programs, kernels, error);
  if (status)
    return status;
  ppi_scan_init(&reader.scanner, text, length, source, error);
  status = read_text(&reader, true);
  if (!status) {
    *unit = reader.unit;
    reader.unit = NULL;
  }
  reader_clear(&reader);
  return status;
}

enum perfpred_status ppi_program_parse(const struct ppi_programs *programs, const struct ppi_kernels *kernels,
                                       const char *text, size_t length, const char *source,
                                       struct perfpred_program **program, struct perfpred_error *error) {
  struct reader reader;
  enum perfpred_status status = reader_init(&reader, programs, kernels, error);
  if (status)
    return status;
  ppi_scan_init(&reader.scanner, text, length, source, error);
  status = read_text(&reader, false);
  if (!status && reader.unit->count != 1)
    status = ppi_error_at(error, PERFPRED_SYNTAX, source, 1, 1, "expected one algorithm or nest, found %d",
                          reader.unit->count);
  if (!status)
    *program = perfpred_program_ref(reader.unit->programs[0]);
  reader_clear(&reader);
  return status;
}
