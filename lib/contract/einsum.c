/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a contraction: three terms of letters. What they mean is contraction.c's. */
#include "contract/einsum.h"

#include <string.h>

#include "contract/term.h"

struct reader {
  const char *text;
  int at;      /* place in it */
  int commas;  /* before the arrow */
  bool result; /* behind the arrow */
  struct ppi_contract_term *terms;
  struct perfpred_error *error;
};

static bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static bool is_blank(char character) {
  return character == ' ' || (character >= '\t' && character <= '\r');
}

static enum perfpred_status unexpected(const struct reader *reader, const char *expected) {
  const char found = reader->text[reader->at];
  const int column = reader->at + 1;
  if (found == '\0')
    return ppi_error_at(reader->error, PERFPRED_SYNTAX, "einsum", 1, column, "expected %s, found the end of the text",
                        expected);
  if (found >= ' ' && found <= '~')
    return ppi_error_at(reader->error, PERFPRED_SYNTAX, "einsum", 1, column, "expected %s, found '%c'", expected,
                        found);
  return ppi_error_at(reader->error, PERFPRED_SYNTAX, "einsum", 1, column, "expected %s, found byte 0x%02X", expected,
                      (unsigned)(unsigned char)found);
}

static enum perfpred_status add_letter(struct reader *reader) {
  const int operand = reader->result ? PPI_OPERANDS - 1 : reader->commas;
  const char letter = reader->text[reader->at];
  struct ppi_contract_term *term = &reader->terms[operand];
  for (int i = 0; i < term->count; i++)
    if (term->letters[i] == letter)
      return ppi_error_at(reader->error, PERFPRED_INVALID, "einsum", 1, reader->at + 1,
                          "index %c stands twice in %c, expected each index of a tensor once (a diagonal or a trace "
                          "is no contraction of two tensors)",
                          letter, PPI_TENSOR_NAME(operand));
  if (term->count == PPI_RANK_MAX)
    return ppi_error_at(reader->error, PERFPRED_LIMIT, "einsum", 1, reader->at + 1,
                        "%c has more than %d indices, expected at most so many", PPI_TENSOR_NAME(operand),
                        PPI_RANK_MAX);
  term->letters[term->count++] = letter;
  return PERFPRED_OK;
}

static enum perfpred_status add_comma(struct reader *reader) {
  if (reader->result)
    return unexpected(reader, "one tensor behind '->'");
  if (++reader->commas < PPI_OPERANDS - 1)
    return PERFPRED_OK;
  return ppi_error_at(reader->error, PERFPRED_UNSUPPORTED, "einsum", 1, reader->at + 1,
                      "the operand behind '%.*s' is the third, expected two: contract more tensors pair by pair",
                      reader->at, reader->text);
}

static enum perfpred_status add_arrow(struct reader *reader) {
  if (reader->result)
    return unexpected(reader, "one '->'");
  if (reader->text[reader->at + 1] != '>')
    return unexpected(reader, "'->'");
  if (reader->commas == 0)
    return ppi_error_at(reader->error, PERFPRED_UNSUPPORTED, "einsum", 1, reader->at + 1,
                        "there is one operand before '->', expected two with a comma between them");
  reader->at++;
  reader->result = true;
  return PERFPRED_OK;
}

static enum perfpred_status step(struct reader *reader) {
  const char character = reader->text[reader->at];
  if (is_blank(character))
    return PERFPRED_OK;
  if (is_letter(character))
    return add_letter(reader);
  if (character == ',')
    return add_comma(reader);
  if (character == '-')
    return add_arrow(reader);
  return unexpected(reader, "an index, which is a single letter, ',' or '->'");
}

enum perfpred_status ppi_contract_terms(const char *einsum, struct ppi_contract_term terms[PPI_OPERANDS],
                                        struct perfpred_error *error) {
  struct reader reader = { .text = einsum, .terms = terms, .error = error };
  memset(terms, 0, PPI_OPERANDS * sizeof *terms);
  for (; reader.text[reader.at]; reader.at++) {
    /* no contraction is that long; places must fit an int */
    if (reader.at == PPI_EINSUM_BYTES)
      return ppi_error_at(error, PERFPRED_LIMIT, "einsum", 1, 1, "the text is longer than %d bytes", PPI_EINSUM_BYTES);
    enum perfpred_status status = step(&reader);
    if (status)
      return status;
  }
  return reader.result ? PERFPRED_OK : unexpected(&reader, "'->' and the indices of the result");
}
