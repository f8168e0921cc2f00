/* SPDX-License-Identifier: BSD-3-Clause */
#include "source/token.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/preprocess.h"

struct lexer {
  const char *at, *end, *line_start;
  int line, file;
  struct ppi_c_tokens *tokens;
  struct perfpred_error *error;
};

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static char peek(const struct lexer *lexer, size_t offset) {
  return offset < (size_t)(lexer->end - lexer->at) ? lexer->at[offset] : '\0';
}

static struct ppi_c_token *add(struct lexer *lexer, enum ppi_c_kind kind, size_t length) {
  struct ppi_c_tokens *tokens = lexer->tokens;
  if (tokens->count == tokens->capacity) {
    const size_t capacity = tokens->capacity ? 2 * tokens->capacity : 1024;
    struct ppi_c_token *items = realloc(tokens->items, capacity * sizeof *items);
    if (!items)
      return NULL;
    tokens->items = items;
    tokens->capacity = capacity;
  }
  struct ppi_c_token *token = &tokens->items[tokens->count++];
  *token = (struct ppi_c_token){ .kind = kind, .text = lexer->at, .length = (int)length, .line = lexer->line };
  token->column = (int)(lexer->at - lexer->line_start) + 1;
  token->file = lexer->file;
  lexer->at += length;
  return token;
}

/* Value of digits in a base; false: other letters, or beyond 63 bits. */
static bool read_digits(const char *at, int base, int64_t *value) {
  for (*value = 0; *at; at++) {
    const int letter = *at >= 'a' ? *at - 'a' + 10 : *at >= 'A' ? *at - 'A' + 10 : *at - '0';
    if (letter < 0 || letter >= base || __builtin_mul_overflow(*value, base, value) ||
        __builtin_add_overflow(*value, letter, value))
      return false;
  }
  return true;
}

/* Whole numbers with or without suffixes; everything else is a number that is no integer. */
static void read_value(struct ppi_c_token *token) {
  char digits[32];
  size_t length = (size_t)token->length;
  while (length > 1 && strchr("uUlL", token->text[length - 1]))
    length--;
  if (length >= sizeof digits)
    return;
  memcpy(digits, token->text, length);
  digits[length] = '\0';
  const bool hexadecimal = length > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const int base = hexadecimal ? 16 : digits[0] == '0' ? 8 : 10;
  token->integer = read_digits(digits + (hexadecimal ? 2 : 0), base, &token->value);
}

static size_t number_length(const struct lexer *lexer) {
  size_t length = 1;
  for (;; length++) {
    const char c = peek(lexer, length), before = lexer->at[length - 1];
    const bool sign = (c == '+' || c == '-') && strchr("eEpP", before) != NULL &&
                      !(lexer->at[0] == '0' && length > 1 && strchr("xX", lexer->at[1]) && strchr("eE", before));
    if (!is_letter(c) && !is_digit(c) && c != '.' && !sign)
      return length;
  }
}

/* A literal ends on its line; 0: it does not. */
static size_t literal_length(const struct lexer *lexer) {
  const char quote = lexer->at[0];
  for (size_t length = 1;; length++) {
    const char c = peek(lexer, length);
    if (c == quote)
      return length + 1;
    if (c == '\0' || c == '\n')
      return 0;
    if (c == '\\')
      length++;
  }
}

static size_t mark_length(const struct lexer *lexer) {
  static const char *const marks[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                       "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##" };
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    const size_t length = strlen(marks[i]);
    if (length <= (size_t)(lexer->end - lexer->at) && strncmp(lexer->at, marks[i], length) == 0)
      return length;
  }
  return lexer->at[0] && strchr("()[]{}<>+-*/%&|^~!=?:;,.#", lexer->at[0]) ? 1 : 0;
}

static bool add_mark_or_bad(struct lexer *lexer) {
  const size_t length = mark_length(lexer);
  struct ppi_c_token *token = add(lexer, length > 0 ? PPI_C_MARK : PPI_C_BAD, length > 0 ? length : 1);
  if (token && length > 0)
    memcpy(token->mark, token->text, length);
  return token;
}

/* False: out of memory. */
static bool add_word(struct lexer *lexer) {
  const char c = lexer->at[0];
  size_t length = 1;
  if (is_letter(c)) {
    while (is_letter(peek(lexer, length)) || is_digit(peek(lexer, length)))
      length++;
    return add(lexer, PPI_C_NAME, length);
  }
  if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
    struct ppi_c_token *token = add(lexer, PPI_C_NUMBER, number_length(lexer));
    if (token)
      read_value(token);
    return token;
  }
  if (c == '"' || c == '\'') {
    length = literal_length(lexer);
    return add(lexer, length > 0 ? PPI_C_LITERAL : PPI_C_BAD, length > 0 ? length : 1);
  }
  return add_mark_or_bad(lexer);
}

static bool add_file(struct lexer *lexer, const char *name, int length) {
  struct ppi_c_tokens *tokens = lexer->tokens;
  for (int i = tokens->file_count - 1; i >= 0; i--)
    if (tokens->files[i].length == length && memcmp(tokens->files[i].name, name, (size_t)length) == 0) {
      lexer->file = i;
      return true;
    }
  if (tokens->file_count == tokens->file_capacity) {
    const int capacity = tokens->file_capacity ? 2 * tokens->file_capacity : 16;
    struct ppi_c_file *files = realloc(tokens->files, (size_t)capacity * sizeof *files);
    if (!files)
      return false;
    tokens->files = files;
    tokens->file_capacity = capacity;
  }
  lexer->file = tokens->file_count;
  tokens->files[tokens->file_count++] = (struct ppi_c_file){ name, length };
  return true;
}

static void skip_blanks(struct lexer *lexer, const char *stop) {
  while (lexer->at < stop && is_blank(*lexer->at))
    lexer->at++;
}

/* `# 12 "file.c" flags` or `#line 12 "file.c"`: the next line has this number. */
static bool read_marker(struct lexer *lexer, const char *stop) {
  int line = 0;
  for (; lexer->at < stop && is_digit(*lexer->at); lexer->at++)
    line = line > INT_MAX / 10 - 1 ? line : line * 10 + (*lexer->at - '0');
  skip_blanks(lexer, stop);
  lexer->line = line - 1;
  if (lexer->at == stop || *lexer->at != '"')
    return true;
  const char *name = ++lexer->at;
  while (lexer->at < stop && *lexer->at != '"')
    lexer->at++;
  return add_file(lexer, name, (int)(lexer->at - name));
}

/* A line that begins with #. False: out of memory. */
static bool read_directive(struct lexer *lexer) {
  const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
  const char *stop = newline ? newline : lexer->end;
  bool done = true;
  lexer->at++;
  skip_blanks(lexer, stop);
  if (stop - lexer->at >= 4 && strncmp(lexer->at, "line", 4) == 0) {
    lexer->at += 4;
    skip_blanks(lexer, stop);
  }
  if (lexer->at < stop && is_digit(*lexer->at)) {
    done = read_marker(lexer, stop);
  } else if (stop - lexer->at > 6 && strncmp(lexer->at, "pragma", 6) == 0 && is_blank(lexer->at[6])) {
    lexer->at += 6;
    skip_blanks(lexer, stop);
    const char *last = stop;
    while (last > lexer->at && is_blank(last[-1]))
      last--;
    done = add(lexer, PPI_C_PRAGMA, (size_t)(last - lexer->at));
  }
  lexer->at = stop;
  return done;
}

/* Comments are there where a text was not preprocessed. */
static bool skip_comment(struct lexer *lexer) {
  if (peek(lexer, 0) != '/' || (peek(lexer, 1) != '*' && peek(lexer, 1) != '/'))
    return false;
  const bool block = lexer->at[1] == '*';
  lexer->at += 2;
  while (lexer->at < lexer->end && !(block ? *lexer->at == '*' && peek(lexer, 1) == '/' : *lexer->at == '\n')) {
    if (*lexer->at++ == '\n') {
      lexer->line += lexer->line < INT_MAX;
      lexer->line_start = lexer->at;
    }
  }
  if (block && lexer->at < lexer->end)
    lexer->at += 2;
  return true;
}

static bool read_tokens(struct lexer *lexer) {
  bool fresh = true; /* nothing but blanks on this line so far */
  while (lexer->at < lexer->end) {
    const char c = *lexer->at;
    if (c == '\n') {
      lexer->at++;
      lexer->line += lexer->line < INT_MAX;
      lexer->line_start = lexer->at;
      fresh = true;
    } else if (is_blank(c)) {
      lexer->at++;
    } else if (!skip_comment(lexer)) {
      if (!(c == '#' && fresh ? read_directive(lexer) : add_word(lexer)))
        return false;
      fresh = false;
    }
  }
  return add(lexer, PPI_C_END, 0);
}

enum perfpred_status ppi_c_tokens_read(const char *text, size_t length, const char *source, struct ppi_c_tokens *tokens,
                                       struct perfpred_error *error) {
  struct lexer lexer = { .at = text, .end = text + length, .line_start = text, .line = 1, .tokens = tokens };
  *tokens = (struct ppi_c_tokens){ 0 };
  if (length > PPI_SOURCE_BYTES_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT, "%s: expected at most %d bytes of C", source, PPI_SOURCE_BYTES_MAX);
  if (add_file(&lexer, source, (int)strlen(source)) && read_tokens(&lexer))
    return PERFPRED_OK;
  ppi_c_tokens_free(tokens);
  return ppi_error_memory(error);
}

void ppi_c_tokens_free(struct ppi_c_tokens *tokens) {
  free(tokens->files);
  free(tokens->items);
  *tokens = (struct ppi_c_tokens){ 0 };
}

bool ppi_c_token_is(const struct ppi_c_token *token, const char *spelling) {
  return (token->kind == PPI_C_NAME || token->kind == PPI_C_MARK) && (size_t)token->length == strlen(spelling) &&
         memcmp(token->text, spelling, (size_t)token->length) == 0;
}

bool ppi_c_is_pragma(const struct ppi_c_token *token, const char *word) {
  const size_t length = strlen(word);
  return token->kind == PPI_C_PRAGMA && (size_t)token->length >= length && memcmp(token->text, word, length) == 0 &&
         ((size_t)token->length == length || is_blank(token->text[length]));
}

enum perfpred_status ppi_c_error(struct perfpred_error *error, const struct ppi_c_tokens *tokens,
                                 const struct ppi_c_token *token, enum perfpred_status status, const char *format,
                                 ...) {
  char source[200], text[500];
  const struct ppi_c_file *file = &tokens->files[token->file];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(source, sizeof source, "%.*s", file->length, file->name);
  return ppi_error_at(error, status, source, token->line, token->column, "%s", text);
}
