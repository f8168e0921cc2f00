/* SPDX-License-Identifier: BSD-3-Clause */
#include "source/expr.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 16384

struct ppi_c_chunk {
  struct ppi_c_chunk *next;
  size_t used;
  _Alignas(16) unsigned char bytes[CHUNK_BYTES];
};

static enum perfpred_status parse_unary(struct ppi_c_parser *parser, struct ppi_c_expr **expr);

void *ppi_c_allocate(struct ppi_c_arena *arena, size_t size) {
  struct ppi_c_chunk *chunk = arena->chunks;
  size = (size + 15) & ~(size_t)15;
  if (!chunk || CHUNK_BYTES - chunk->used < size) {
    chunk = calloc(1, sizeof *chunk);
    if (!chunk)
      return NULL;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
  }
  void *memory = chunk->bytes + chunk->used;
  chunk->used += size;
  return memory;
}

void ppi_c_arena_free(struct ppi_c_arena *arena) {
  while (arena->chunks) {
    struct ppi_c_chunk *next = arena->chunks->next;
    free(arena->chunks);
    arena->chunks = next;
  }
}

bool ppi_c_is(const struct ppi_c_parser *parser, const char *spelling) {
  return ppi_c_token_is(parser->at, spelling);
}

bool ppi_c_accept(struct ppi_c_parser *parser, const char *spelling) {
  const bool found = ppi_c_is(parser, spelling);
  parser->at += found ? 1 : 0;
  return found;
}

enum perfpred_status ppi_c_expected(struct ppi_c_parser *parser, const char *what) {
  const struct ppi_c_token *at = parser->at;
  if (at->kind == PPI_C_END)
    return ppi_c_error(parser->error, &parser->tokens, at, PERFPRED_SYNTAX, "expected %s, found the end of the file",
                       what);
  return ppi_c_error(parser->error, &parser->tokens, at, PERFPRED_SYNTAX, "expected %s, found '%.*s'", what,
                     at->length < 40 ? at->length : 40, at->text);
}

enum perfpred_status ppi_c_expect(struct ppi_c_parser *parser, const char *spelling) {
  char what[8] = "'";
  if (ppi_c_accept(parser, spelling))
    return PERFPRED_OK;
  strcat(strncat(what, spelling, 5), "'");
  return ppi_c_expected(parser, what);
}

enum perfpred_status ppi_c_enter(struct ppi_c_parser *parser) {
  if (parser->depth == PPI_C_DEPTH)
    return ppi_c_error(parser->error, &parser->tokens, parser->at, PERFPRED_LIMIT,
                       "expected at most %d brackets and statements inside each other", PPI_C_DEPTH);
  parser->depth++;
  return PERFPRED_OK;
}

bool ppi_c_skip_brackets(struct ppi_c_parser *parser) {
  size_t depth = 0;
  do {
    const struct ppi_c_token *token = parser->at;
    if (token->kind == PPI_C_END)
      return false;
    if (token->kind == PPI_C_MARK && token->length == 1) {
      depth += strchr("([{", token->text[0]) ? 1 : 0;
      depth -= strchr(")]}", token->text[0]) ? 1 : 0;
    }
    parser->at++;
  } while (depth > 0);
  return true;
}

/* What walks trees does so by calling itself. */
static enum perfpred_status measure(struct ppi_c_parser *parser, struct ppi_c_expr *expr) {
  const struct ppi_c_expr *const parts[] = { expr->a, expr->c };
  for (size_t i = 0; i < 2; i++)
    if (parts[i] && parts[i]->height > expr->height)
      expr->height = parts[i]->height;
  for (const struct ppi_c_expr *part = expr->b; part; part = part->next)
    if (part->height > expr->height)
      expr->height = part->height;
  if (++expr->height <= PPI_C_TREE)
    return PERFPRED_OK;
  return ppi_c_error(parser->error, &parser->tokens, expr->last, PERFPRED_LIMIT,
                     "the expression is too long, expected at most %d operators in a row", PPI_C_TREE);
}

static enum perfpred_status make(struct ppi_c_parser *parser, enum ppi_c_op op, const struct ppi_c_token *first,
                                 struct ppi_c_expr *a, struct ppi_c_expr *b, struct ppi_c_expr **expr) {
  struct ppi_c_expr *made = ppi_c_allocate(&parser->arena, sizeof *made);
  if (!made)
    return ppi_error_memory(parser->error);
  *made = (struct ppi_c_expr){ .op = op, .first = first, .mark = "", .a = a, .b = b };
  made->last = parser->at > first ? parser->at - 1 : first;
  *expr = made;
  return measure(parser, made);
}

static enum perfpred_status make_marked(struct ppi_c_parser *parser, enum ppi_c_op op, const struct ppi_c_token *first,
                                        const char *mark, struct ppi_c_expr *a, struct ppi_c_expr *b,
                                        struct ppi_c_expr **expr) {
  enum perfpred_status status = make(parser, op, first, a, b, expr);
  if (!status)
    (*expr)->mark = mark;
  return status;
}

/* sizeof(...), or of an expression, which is not evaluated. */
static enum perfpred_status parse_sizeof(struct ppi_c_parser *parser, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at++;
  if (ppi_c_is(parser, "(")) {
    if (!ppi_c_skip_brackets(parser))
      return ppi_c_expected(parser, "')'");
  } else {
    struct ppi_c_expr *operand = NULL;
    enum perfpred_status status = parse_unary(parser, &operand);
    if (status)
      return status;
  }
  return make(parser, PPI_C_OPAQUE, first, NULL, NULL, expr);
}

static enum perfpred_status parse_primary(struct ppi_c_parser *parser, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at;
  enum perfpred_status status;
  switch (first->kind) {
  case PPI_C_NUMBER:
    parser->at++;
    status = make(parser, first->integer ? PPI_C_INTEGER : PPI_C_OPAQUE, first, NULL, NULL, expr);
    if (!status)
      (*expr)->value = first->value;
    return status;
  case PPI_C_LITERAL:
    while (parser->at->kind == PPI_C_LITERAL)
      parser->at++;
    return make(parser, PPI_C_OPAQUE, first, NULL, NULL, expr);
  case PPI_C_NAME:
    if (ppi_c_is(parser, "sizeof") || ppi_c_is(parser, "_Alignof"))
      return parse_sizeof(parser, expr);
    parser->at++;
    return make(parser, PPI_C_IDENTIFIER, first, NULL, NULL, expr);
  default:
    break;
  }
  if (!ppi_c_accept(parser, "("))
    return ppi_c_expected(parser, "an expression");
  status = ppi_c_parse_expr(parser, expr);
  return status ? status : ppi_c_expect(parser, ")");
}

/* Behind the ( of a call. */
static enum perfpred_status parse_arguments(struct ppi_c_parser *parser, struct ppi_c_expr **list) {
  while (!ppi_c_accept(parser, ")")) {
    enum perfpred_status status = ppi_c_parse_assignment(parser, list);
    if (!status && !ppi_c_is(parser, ")"))
      status = ppi_c_expect(parser, ",");
    if (status)
      return status;
    list = &(*list)->next;
  }
  return PERFPRED_OK;
}

/* One suffix of *expr; *more: whether there was one. */
static enum perfpred_status parse_suffix(struct ppi_c_parser *parser, const struct ppi_c_token *first,
                                         struct ppi_c_expr **expr, bool *more) {
  const struct ppi_c_token *mark = parser->at;
  struct ppi_c_expr *inner = NULL;
  enum perfpred_status status = PERFPRED_OK;
  *more = true;
  if (ppi_c_accept(parser, "[")) {
    status = ppi_c_parse_expr(parser, &inner);
    if (!status)
      status = ppi_c_expect(parser, "]");
    return status ? status : make(parser, PPI_C_INDEX, first, *expr, inner, expr);
  }
  if (ppi_c_accept(parser, "(")) {
    status = parse_arguments(parser, &inner);
    return status ? status : make(parser, PPI_C_CALL, first, *expr, inner, expr);
  }
  if (ppi_c_accept(parser, "++") || ppi_c_accept(parser, "--"))
    return make_marked(parser, PPI_C_POSTFIX, first, mark->mark, *expr, NULL, expr);
  if (ppi_c_accept(parser, ".") || ppi_c_accept(parser, "->")) {
    if (parser->at->kind != PPI_C_NAME)
      return ppi_c_expected(parser, "the name of a member");
    parser->at++;
    return make_marked(parser, PPI_C_MEMBER, first, mark->mark, *expr, NULL, expr);
  }
  *more = false;
  return PERFPRED_OK;
}

static enum perfpred_status parse_postfix(struct ppi_c_parser *parser, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at;
  bool more = true;
  enum perfpred_status status = parse_primary(parser, expr);
  while (!status && more)
    status = parse_suffix(parser, first, expr, &more);
  return status;
}

static enum perfpred_status parse_cast(struct ppi_c_parser *parser, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at++;
  struct ppi_c_expr *inner = NULL;
  enum perfpred_status status = ppi_c_skip_type(parser);
  if (!status)
    status = ppi_c_expect(parser, ")");
  if (!status)
    status = parse_unary(parser, &inner);
  return status ? status : make(parser, PPI_C_CAST, first, inner, NULL, expr);
}

static bool is_prefix(const struct ppi_c_token *token) {
  static const char *const marks[] = { "+", "-", "!", "~", "*", "&", "++", "--" };
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (ppi_c_token_is(token, marks[i]))
      return true;
  return false;
}

static enum perfpred_status parse_unary(struct ppi_c_parser *parser, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at;
  enum perfpred_status status = ppi_c_enter(parser);
  if (status)
    return status;
  if (is_prefix(first)) {
    struct ppi_c_expr *inner = NULL;
    parser->at++;
    status = parse_unary(parser, &inner);
    if (!status)
      status = make_marked(parser, PPI_C_PREFIX, first, first->mark, inner, NULL, expr);
  } else if (ppi_c_is(parser, "(") && ppi_c_starts_type(parser, first + 1)) {
    status = parse_cast(parser, expr);
  } else {
    status = parse_postfix(parser, expr);
  }
  parser->depth--;
  return status;
}

/* How tightly a binary operator binds; 0: it is none. */
static int strength(const struct ppi_c_token *token) {
  static const char *const levels[][5] = {
    { "||" },       { "&&" },     { "|" },           { "^" }, { "&" }, { "==", "!=" }, { "<", ">", "<=", ">=" },
    { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" },
  };
  if (token->kind != PPI_C_MARK)
    return 0;
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    for (int k = 0; levels[i][k]; k++)
      if (!strcmp(token->mark, levels[i][k]))
        return (int)i + 1;
  return 0;
}

static enum perfpred_status parse_binary(struct ppi_c_parser *parser, int weakest, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at;
  enum perfpred_status status = parse_unary(parser, expr);
  while (!status && strength(parser->at) >= weakest) {
    const struct ppi_c_token *mark = parser->at++;
    struct ppi_c_expr *right = NULL;
    status = parse_binary(parser, strength(mark) + 1, &right);
    if (!status)
      status = make_marked(parser, PPI_C_BINARY, first, mark->mark, *expr, right, expr);
  }
  return status;
}

static bool is_assignment(const struct ppi_c_token *token) {
  return token->kind == PPI_C_MARK && token->mark[token->length - 1] == '=' && strength(token) == 0;
}

/* Behind the condition of `a ? b : c`. */
static enum perfpred_status parse_choice(struct ppi_c_parser *parser, const struct ppi_c_token *first,
                                         struct ppi_c_expr **expr) {
  struct ppi_c_expr *yes = NULL, *no = NULL;
  enum perfpred_status status = ppi_c_parse_expr(parser, &yes);
  if (!status)
    status = ppi_c_expect(parser, ":");
  if (!status)
    status = ppi_c_parse_assignment(parser, &no);
  if (!status)
    status = make(parser, PPI_C_CHOICE, first, *expr, yes, expr);
  if (status)
    return status;
  (*expr)->c = no;
  return measure(parser, *expr);
}

enum perfpred_status ppi_c_parse_assignment(struct ppi_c_parser *parser, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at;
  struct ppi_c_expr *right = NULL;
  enum perfpred_status status = ppi_c_enter(parser);
  if (status)
    return status;
  status = parse_binary(parser, 1, expr);
  if (!status && is_assignment(parser->at)) {
    const struct ppi_c_token *mark = parser->at++;
    status = ppi_c_parse_assignment(parser, &right);
    if (!status)
      status = make_marked(parser, PPI_C_ASSIGN, first, mark->mark, *expr, right, expr);
  } else if (!status && ppi_c_accept(parser, "?")) {
    status = parse_choice(parser, first, expr);
  }
  parser->depth--;
  return status;
}

enum perfpred_status ppi_c_parse_expr(struct ppi_c_parser *parser, struct ppi_c_expr **expr) {
  const struct ppi_c_token *first = parser->at;
  enum perfpred_status status = ppi_c_parse_assignment(parser, expr);
  while (!status && ppi_c_is(parser, ",")) {
    const struct ppi_c_token *mark = parser->at++;
    struct ppi_c_expr *right = NULL;
    status = ppi_c_parse_assignment(parser, &right);
    if (!status)
      status = make_marked(parser, PPI_C_BINARY, first, mark->mark, *expr, right, expr);
  }
  return status;
}

static bool combine(const char *mark, int64_t a, int64_t b, int64_t *value) {
  switch (mark[0]) {
  case '+':
    return !__builtin_add_overflow(a, b, value);
  case '-':
    return !__builtin_sub_overflow(a, b, value);
  case '*':
    return !__builtin_mul_overflow(a, b, value);
  case '/':
  case '%':
    if (b == 0 || b == -1)
      return false;
    *value = mark[0] == '/' ? a / b : a % b;
    return true;
  default:
    return false;
  }
}

bool ppi_c_value(const struct ppi_c_parser *parser, const struct ppi_c_expr *expr, int64_t *value) {
  int64_t a = 0, b = 0;
  const struct ppi_c_symbol *symbol;
  switch (expr->op) {
  case PPI_C_INTEGER:
    *value = expr->value;
    return true;
  case PPI_C_IDENTIFIER:
    symbol = ppi_c_find(parser, expr->first);
    if (!symbol || symbol->sort != PPI_C_CONSTANT)
      return false;
    *value = symbol->value;
    return true;
  case PPI_C_CAST:
    return ppi_c_value(parser, expr->a, value);
  case PPI_C_PREFIX:
    if ((expr->mark[0] != '-' && expr->mark[0] != '+') || expr->mark[1] || !ppi_c_value(parser, expr->a, &a))
      return false;
    return expr->mark[0] == '-' ? !__builtin_sub_overflow((int64_t)0, a, value) : combine("+", 0, a, value);
  case PPI_C_BINARY:
    return expr->mark[1] == '\0' && ppi_c_value(parser, expr->a, &a) && ppi_c_value(parser, expr->b, &b) &&
           combine(expr->mark, a, b, value);
  default:
    return false;
  }
}

void ppi_c_spell(const struct ppi_c_expr *expr, char *text, size_t size) {
  size_t used = 0;
  for (const struct ppi_c_token *token = expr->first; token <= expr->last; token++) {
    const bool blank =
        token > expr->first && (token->line != token[-1].line || token->text > token[-1].text + token[-1].length);
    const size_t length = (size_t)token->length + (blank ? 1 : 0);
    if (used + length + 4 > size) {
      strcpy(text + used, "...");
      return;
    }
    if (blank)
      text[used++] = ' ';
    memcpy(text + used, token->text, (size_t)token->length);
    used += (size_t)token->length;
  }
  text[used] = '\0';
}

bool ppi_c_same_name(const struct ppi_c_token *a, const struct ppi_c_token *b) {
  return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}
