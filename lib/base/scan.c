/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/family.h"

/* Character at an offset from the present place; NUL at the end. */
static char peek(const struct ppi_scanner *scanner, size_t offset) {
  return offset < (size_t)(scanner->end - scanner->at) ? scanner->at[offset] : '\0';
}

static void step(struct ppi_scanner *scanner, size_t count) {
  for (; count > 0; count--) {
    if (*scanner->at++ == '\n') {
      scanner->line++;
      scanner->column = 1;
    } else {
      scanner->column++;
    }
  }
}

static void bad(struct ppi_scanner *scanner, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void bad(struct ppi_scanner *scanner, const char *format, ...) {
  scanner->token.kind = PPI_TOKEN_BAD;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(scanner->token.text, sizeof scanner->token.text, format, arguments);
  va_end(arguments);
}

/* Appends to the spelling of the token; false beyond the longest name. */
static bool spell(struct ppi_token *token, size_t *length, const char *text, size_t count) {
  if (count >= sizeof token->text - *length)
    return false;
  memcpy(token->text + *length, text, count);
  *length += count;
  token->text[*length] = '\0';
  return true;
}

static bool in_name(char c, bool hyphens) {
  return ppi_scan_is_letter(c) || ppi_scan_is_digit(c) || c == '{' || (hyphens && c == '-');
}

/* What the next letter or list of a name stands for, and how long it is in the text; false if the list is no list. *reason
   keeps the first fault. */
static bool name_part(const struct ppi_scanner *scanner, struct ppi_family_part *part, size_t *consumed,
                      const char **reason) {
  *part = (struct ppi_family_part){ scanner->at, 1 };
  *consumed = 1;
  if (*scanner->at != '{')
    return true;
  const long inner = ppi_family_list_length(scanner->at, scanner->end);
  if (inner < 0)
    return false;
  const char *fault = ppi_family_resolve(scanner, scanner->at + 1, (size_t)inner, part);
  if (fault)
    *part = (struct ppi_family_part){ scanner->at, 0 };
  *reason = *reason ? *reason : fault;
  *consumed = (size_t)inner + 2;
  return true;
}

static void read_name(struct ppi_scanner *scanner, bool hyphens) {
  struct ppi_token *token = &scanner->token;
  const char *reason = NULL;
  size_t length = 0;
  token->kind = PPI_TOKEN_NAME;
  token->text[0] = '\0';
  while (in_name(peek(scanner, 0), hyphens)) {
    struct ppi_family_part part;
    size_t consumed;
    if (!name_part(scanner, &part, &consumed, &reason)) {
      bad(scanner, "a list '{...}' that is not closed or holds more than names");
      step(scanner, 1);
      return;
    }
    if (!spell(token, &length, part.begin, part.length))
      reason = "a name of more than 63 characters";
    step(scanner, consumed);
  }
  if (reason)
    bad(scanner, "%s", reason);
  else if (ppi_scan_is_digit(token->text[0]))
    bad(scanner, "a name that starts with a digit");
}

static size_t digits_at(const struct ppi_scanner *scanner, size_t offset) {
  size_t count = 0;
  while (ppi_scan_is_digit(peek(scanner, offset + count)))
    count++;
  return count;
}

/* Length of the number at the present place; *real tells whether it has a fraction or an exponent. */
static size_t number_length(const struct ppi_scanner *scanner, bool *real) {
  size_t length = digits_at(scanner, 0);
  *real = false;
  if (peek(scanner, length) == '.') {
    *real = true;
    length += 1 + digits_at(scanner, length + 1);
  }
  if (peek(scanner, length) == 'e' || peek(scanner, length) == 'E') {
    const char sign = peek(scanner, length + 1);
    const size_t behind = length + 1 + (sign == '+' || sign == '-');
    const size_t digits = digits_at(scanner, behind);
    if (digits > 0) {
      *real = true;
      length = behind + digits;
    }
  }
  return length;
}

/* A number that no place could take: what was expected there is not the point. */
static void too_large(struct ppi_scanner *scanner, const char *format, const char *digits) {
  char number[24];
  snprintf(number, sizeof number, "%.20s%s", digits, strlen(digits) > 20 ? "..." : "");
  bad(scanner, format, number);
  scanner->token.too_large = true;
}

static void read_number(struct ppi_scanner *scanner) {
  struct ppi_token *token = &scanner->token;
  bool real;
  const size_t length = number_length(scanner, &real);
  if (length >= sizeof token->text) {
    bad(scanner, "a number of more than 63 characters");
    token->too_large = true;
    step(scanner, length);
    return;
  }
  memcpy(token->text, scanner->at, length);
  token->text[length] = '\0';
  step(scanner, length);
  if (ppi_scan_is_letter(peek(scanner, 0)) || peek(scanner, 0) == '.') {
    bad(scanner, "a number that runs into '%c'", peek(scanner, 0));
    step(scanner, 1);
    return;
  }
  int64_t integer = 0;
  token->kind = real ? PPI_TOKEN_REAL : PPI_TOKEN_INTEGER;
  if (!ppi_text_parse_real(token->text, &token->real))
    too_large(scanner, "%s is out of range", token->text);
  else if (!real && !ppi_text_parse_integer(token->text, &integer))
    too_large(scanner, "%s does not fit into 64 bits", token->text);
  token->integer = integer;
}

/* Length of the mark at the present place; 0: there is none. */
static size_t mark_length(const struct ppi_scanner *scanner) {
  static const char two[][3] = { "//", "<=", ">=", "==", "!=", "&&", "||" };
  static const char one[] = "()[],:=+-*/%<>?';";
  const char c = peek(scanner, 0);
  for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
    if (c == two[i][0] && peek(scanner, 1) == two[i][1])
      return 2;
  return c != '\0' && strchr(one, c) ? 1 : 0;
}

static void bad_character(struct ppi_scanner *scanner, char c) {
  if (c > ' ' && c < 0x7F)
    bad(scanner, "the character '%c'", c);
  else
    bad(scanner, "a byte of value %d", (unsigned char)c);
  step(scanner, 1);
}

static void read_mark(struct ppi_scanner *scanner) {
  struct ppi_token *token = &scanner->token;
  const char c = peek(scanner, 0);
  const size_t length = mark_length(scanner);
  if (length == 0) {
    bad_character(scanner, c);
    return;
  }
  token->kind = PPI_TOKEN_MARK;
  memcpy(token->text, scanner->at, length);
  token->text[length] = '\0';
  if (c == '(' || c == '[')
    scanner->depth++;
  else if ((c == ')' || c == ']') && scanner->depth > 0)
    scanner->depth--;
  step(scanner, length);
}

/* Steps over blanks and comments, and over line breaks inside brackets. */
static void skip_blanks(struct ppi_scanner *scanner) {
  while (scanner->at < scanner->end) {
    const char c = *scanner->at;
    if (c == '#') {
      while (scanner->at < scanner->end && *scanner->at != '\n')
        step(scanner, 1);
    } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && scanner->depth > 0)) {
      step(scanner, 1);
    } else {
      break;
    }
  }
}

static void start_token(struct ppi_scanner *scanner) {
  scanner->start = scanner->at;
  scanner->start_line = scanner->line;
  scanner->start_column = scanner->column;
  memset(&scanner->token, 0, sizeof scanner->token);
  scanner->token.line = scanner->line;
  scanner->token.column = scanner->column;
}

void ppi_scan_next(struct ppi_scanner *scanner) {
  skip_blanks(scanner);
  start_token(scanner);
  const char c = peek(scanner, 0);
  if (scanner->at >= scanner->end) {
    scanner->token.kind = PPI_TOKEN_END;
  } else if (c == '\n') {
    scanner->token.kind = PPI_TOKEN_LINE;
    step(scanner, 1);
  } else if (ppi_scan_is_letter(c) || c == '{') {
    read_name(scanner, false);
  } else if (ppi_scan_is_digit(c)) {
    read_number(scanner);
  } else {
    read_mark(scanner);
  }
}

static void skip_lines(struct ppi_scanner *scanner) {
  while (scanner->token.kind == PPI_TOKEN_LINE)
    ppi_scan_next(scanner);
}

void ppi_scan_init(struct ppi_scanner *scanner, const char *text, size_t length, const char *source,
                   struct perfpred_error *error) {
  *scanner = (struct ppi_scanner){ .begin = text, .end = text + length, .at = text, .source = source, .error = error };
  scanner->line = 1;
  scanner->column = 1;
  ppi_scan_next(scanner);
  skip_lines(scanner);
}

struct ppi_place ppi_scan_place(const struct ppi_scanner *scanner) {
  return (struct ppi_place){ scanner->start, scanner->start_line, scanner->start_column };
}

void ppi_scan_return(struct ppi_scanner *scanner, struct ppi_place place) {
  scanner->at = place.at;
  scanner->line = place.line;
  scanner->column = place.column;
  scanner->depth = 0;
  ppi_scan_next(scanner);
}

bool ppi_scan_is(const struct ppi_scanner *scanner, const char *spelling) {
  const struct ppi_token *token = &scanner->token;
  return (token->kind == PPI_TOKEN_NAME || token->kind == PPI_TOKEN_MARK) && strcmp(token->text, spelling) == 0;
}

bool ppi_scan_accept(struct ppi_scanner *scanner, const char *spelling) {
  if (!ppi_scan_is(scanner, spelling))
    return false;
  ppi_scan_next(scanner);
  return true;
}

enum perfpred_status ppi_scan_expect(struct ppi_scanner *scanner, const char *spelling) {
  if (ppi_scan_accept(scanner, spelling))
    return PERFPRED_OK;
  char what[PPI_NAME_MAX + 2];
  snprintf(what, sizeof what, "'%.*s'", PPI_NAME_MAX - 1, spelling);
  return ppi_scan_expected(scanner, what);
}

enum perfpred_status ppi_scan_name(struct ppi_scanner *scanner, char name[PPI_NAME_MAX], const char *what) {
  if (scanner->token.kind != PPI_TOKEN_NAME)
    return ppi_scan_expected(scanner, what);
  memcpy(name, scanner->token.text, PPI_NAME_MAX);
  ppi_scan_next(scanner);
  return PERFPRED_OK;
}

enum perfpred_status ppi_scan_hyphenated(struct ppi_scanner *scanner, char name[PPI_NAME_MAX], const char *what) {
  if (scanner->token.kind == PPI_TOKEN_NAME ||
      (scanner->token.kind == PPI_TOKEN_BAD && ppi_family_next_brace(scanner, scanner->start))) {
    scanner->at = scanner->start;
    scanner->line = scanner->start_line;
    scanner->column = scanner->start_column;
    start_token(scanner);
    read_name(scanner, true);
  }
  return ppi_scan_name(scanner, name, what);
}

enum perfpred_status ppi_scan_line(struct ppi_scanner *scanner) {
  if (scanner->token.kind != PPI_TOKEN_LINE && scanner->token.kind != PPI_TOKEN_END)
    return ppi_scan_expected(scanner, "the end of the line");
  skip_lines(scanner);
  return PERFPRED_OK;
}

enum perfpred_status ppi_scan_expected(struct ppi_scanner *scanner, const char *what) {
  const struct ppi_token *token = &scanner->token;
  switch (token->kind) {
  case PPI_TOKEN_END:
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected %s, found the end of the text", what);
  case PPI_TOKEN_LINE:
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected %s, found the end of the line", what);
  case PPI_TOKEN_BAD:
    if (token->too_large)
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "the number %s", token->text);
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected %s, found %s", what, token->text);
  default:
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected %s, found '%s'", what, token->text);
  }
}

enum perfpred_status ppi_scan_error(struct ppi_scanner *scanner, enum perfpred_status status, const char *format, ...) {
  char text[sizeof scanner->error->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return ppi_error_at(scanner->error, status, scanner->source, scanner->token.line, scanner->token.column, "%s", text);
}

/* Copies the line from the present token on, lists of the present family resolved; false if it does not fit. */
static bool copy_rest(const struct ppi_scanner *scanner, const char *end, char *text, size_t size, size_t *length) {
  *length = 0;
  for (const char *at = scanner->start; at < end;) {
    struct ppi_family_part part = { at, 1 };
    size_t consumed = 1;
    const long inner = *at == '{' && scanner->entries > 0 ? ppi_family_prose_length(at, end) : -1;
    if (inner >= 0 && !ppi_family_resolve(scanner, at + 1, (size_t)inner, &part))
      consumed = (size_t)inner + 2;
    if (part.length >= size - *length)
      return false;
    memcpy(text + *length, part.begin, part.length);
    *length += part.length;
    at += consumed;
  }
  return true;
}

enum perfpred_status ppi_scan_rest(struct ppi_scanner *scanner, char *text, size_t size) {
  size_t length = 0;
  if (scanner->token.kind != PPI_TOKEN_LINE && scanner->token.kind != PPI_TOKEN_END) {
    const char *end = scanner->start;
    while (end < scanner->end && *end != '\n' && *end != '#')
      end++;
    if (memchr(scanner->start, '\0', (size_t)(end - scanner->start)))
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "the line holds a byte of value 0");
    if (!copy_rest(scanner, end, text, size, &length))
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "the text is longer than %zu bytes", size - 1);
    ppi_scan_return(
        scanner, (struct ppi_place){ end, scanner->start_line, scanner->start_column + (int)(end - scanner->start) });
  }
  while (length > 0 && strchr(" \t\r", text[length - 1]))
    length--;
  text[length] = '\0';
  return PERFPRED_OK;
}
