/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations: as much of them as tells which names are arrays, of what, and which are types or constants. What is not understood
   is passed over: a file has headers in front of what matters. */
#include <stdlib.h>
#include <string.h>

#include "source/expr.h"

struct type {
  int element_bytes; /* 0: not known */
  bool floating, complex, integer, is_typedef, is_constant, seen;
  const struct ppi_c_symbol *named; /* a typedef whose dimensions it has */
};

struct declarator {
  const struct ppi_c_token *name;
  int pointers;
  bool function, deep; /* deep: a pointer to or an array of pointers */
  int dimensions;
  struct ppi_c_expr *extents[PPI_C_DIMENSIONS];
  const struct ppi_c_token *arguments; /* the ( of a function */
};

struct word {
  const char *spelling;
  int bytes; /* of the type; 0: no size of its own */
  enum { QUALIFIER, ATTRIBUTE, WHOLE, FLOATING, LENGTH, TAGGED } sort;
};

static const struct word words[] = {
  { "const", 0, QUALIFIER },
  { "volatile", 0, QUALIFIER },
  { "restrict", 0, QUALIFIER },
  { "__restrict", 0, QUALIFIER },
  { "__restrict__", 0, QUALIFIER },
  { "__const", 0, QUALIFIER },
  { "__volatile__", 0, QUALIFIER },
  { "static", 0, QUALIFIER },
  { "extern", 0, QUALIFIER },
  { "register", 0, QUALIFIER },
  { "auto", 0, QUALIFIER },
  { "inline", 0, QUALIFIER },
  { "__inline", 0, QUALIFIER },
  { "__inline__", 0, QUALIFIER },
  { "_Noreturn", 0, QUALIFIER },
  { "__extension__", 0, QUALIFIER },
  { "_Thread_local", 0, QUALIFIER },
  { "__thread", 0, QUALIFIER },
  { "typedef", 0, QUALIFIER },
  { "_Atomic", 0, QUALIFIER },
  { "__attribute__", 0, ATTRIBUTE },
  { "__attribute", 0, ATTRIBUTE },
  { "_Alignas", 0, ATTRIBUTE },
  { "__asm__", 0, ATTRIBUTE },
  { "asm", 0, ATTRIBUTE },
  { "char", 1, WHOLE },
  { "_Bool", 1, WHOLE },
  { "int", 4, WHOLE },
  { "signed", 4, WHOLE },
  { "unsigned", 4, WHOLE },
  { "__int128", 16, WHOLE },
  { "float", 4, FLOATING },
  { "double", 8, FLOATING },
  { "_Complex", 0, LENGTH },
  { "__complex__", 0, LENGTH },
  { "long", 8, LENGTH },
  { "short", 2, LENGTH },
  { "void", 0, WHOLE },
  { "struct", 0, TAGGED },
  { "union", 0, TAGGED },
  { "enum", 4, TAGGED },
};

static const struct word *find_word(const struct ppi_c_token *token) {
  if (token->kind != PPI_C_NAME)
    return NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ppi_c_token_is(token, words[i].spelling))
      return &words[i];
  return NULL;
}

static bool is_typedef_name(const struct ppi_c_parser *parser, const struct ppi_c_token *token) {
  if (token->kind != PPI_C_NAME)
    return false;
  const struct ppi_c_symbol *symbol = ppi_c_find(parser, token);
  return symbol && symbol->sort == PPI_C_TYPEDEF;
}

bool ppi_c_starts_type(const struct ppi_c_parser *parser, const struct ppi_c_token *token) {
  return find_word(token) || is_typedef_name(parser, token);
}

static enum perfpred_status skip_attributes(struct ppi_c_parser *parser) {
  while (find_word(parser->at) && find_word(parser->at)->sort == ATTRIBUTE) {
    parser->at++;
    if (ppi_c_is(parser, "(") && !ppi_c_skip_brackets(parser))
      return ppi_c_expected(parser, "')'");
  }
  return PERFPRED_OK;
}

/* The names in the braces of an enum are constants. */
static enum perfpred_status parse_enumerators(struct ppi_c_parser *parser) {
  struct ppi_c_symbol symbol = { .sort = PPI_C_CONSTANT, .integer = true, .value = 0 };
  parser->at++;
  while (parser->at->kind == PPI_C_NAME) {
    struct ppi_c_expr *value = NULL;
    symbol.name = parser->at++;
    enum perfpred_status status = PERFPRED_OK;
    if (ppi_c_accept(parser, "="))
      status = ppi_c_parse_assignment(parser, &value);
    if (!status && value && !ppi_c_value(parser, value, &symbol.value))
      symbol.sort = PPI_C_OTHER;
    if (!status)
      status = ppi_c_add_symbol(parser, &symbol);
    if (status)
      return status;
    symbol.value += symbol.value < INT32_MAX;
    if (!ppi_c_accept(parser, ","))
      break;
  }
  return ppi_c_expect(parser, "}");
}

static enum perfpred_status parse_tagged(struct ppi_c_parser *parser) {
  const bool enumeration = ppi_c_is(parser, "enum");
  parser->at++;
  enum perfpred_status status = skip_attributes(parser);
  if (status)
    return status;
  if (parser->at->kind == PPI_C_NAME)
    parser->at++;
  if (!ppi_c_is(parser, "{"))
    return PERFPRED_OK;
  if (enumeration)
    return parse_enumerators(parser);
  return ppi_c_skip_brackets(parser) ? PERFPRED_OK : ppi_c_expected(parser, "'}'");
}

static bool is_complex(const struct ppi_c_token *token) {
  return ppi_c_token_is(token, "_Complex") || ppi_c_token_is(token, "__complex__");
}

/* What a word of a type does to its size: `long double`, `unsigned long long int`. */
static void note_bytes(struct type *type, const struct word *word) {
  if (word->sort == FLOATING || type->floating)
    type->element_bytes = type->element_bytes == 8 ? 16 : word->bytes; /* long double */
  else if (word->sort == LENGTH || type->element_bytes == 0 || word->bytes == 1)
    type->element_bytes = word->bytes;
}

static void note_word(struct type *type, const struct word *word, const struct ppi_c_token *token) {
  type->is_typedef = type->is_typedef || ppi_c_token_is(token, "typedef");
  type->is_constant = type->is_constant || ppi_c_token_is(token, "const");
  if (word->sort == QUALIFIER)
    return;
  type->seen = true;
  if (is_complex(token)) {
    type->complex = true;
    return;
  }
  note_bytes(type, word);
  type->floating = type->floating || word->sort == FLOATING;
  type->integer = !type->floating && word->bytes > 0;
}

static void note_typedef(struct type *type, const struct ppi_c_symbol *named) {
  type->seen = true;
  type->element_bytes = named->element_bytes;
  type->floating = named->floating;
  type->integer = named->integer;
  type->complex = named->complex;
  type->named = named;
}

/* A name in the place of a type: a typedef, or what is followed by another name. */
static bool accept_type_name(struct ppi_c_parser *parser, struct type *type) {
  const struct ppi_c_token *token = parser->at;
  if (type->seen || token->kind != PPI_C_NAME)
    return false;
  if (is_typedef_name(parser, token))
    note_typedef(type, ppi_c_find(parser, token));
  else if (token[1].kind == PPI_C_NAME || ppi_c_token_is(token + 1, "*"))
    type->seen = true; /* a type that nobody declared */
  else
    return false;
  parser->at++;
  return true;
}

/* One word of the specifiers; *more: whether there was one. */
static enum perfpred_status parse_specifier(struct ppi_c_parser *parser, struct type *type, bool *more) {
  const struct ppi_c_token *token = parser->at;
  const struct word *word = find_word(token);
  *more = word || accept_type_name(parser, type);
  if (!word)
    return PERFPRED_OK;
  if (word->sort == TAGGED) {
    type->seen = true;
    type->integer = word->bytes > 0;
    type->element_bytes = word->bytes;
    return parse_tagged(parser);
  }
  if (word->sort == ATTRIBUTE)
    return skip_attributes(parser);
  parser->at++;
  note_word(type, word, token);
  return PERFPRED_OK;
}

static enum perfpred_status parse_specifiers(struct ppi_c_parser *parser, struct type *type) {
  bool more = true;
  enum perfpred_status status = PERFPRED_OK;
  while (!status && more)
    status = parse_specifier(parser, type, &more);
  if (type->complex)
    type->element_bytes *= 2;
  if (!status && !type->seen)
    status = ppi_c_expected(parser, "a type");
  return status;
}

static bool is_qualifier(const struct ppi_c_token *token) {
  const struct word *word = find_word(token);
  return word && word->sort == QUALIFIER;
}

/* [extent], [static restrict extent], [], [*] */
static enum perfpred_status parse_extent(struct ppi_c_parser *parser, struct declarator *declarator) {
  struct ppi_c_expr *extent = NULL;
  parser->at++;
  while (is_qualifier(parser->at))
    parser->at++;
  if (ppi_c_is(parser, "*") && ppi_c_token_is(parser->at + 1, "]"))
    parser->at++;
  if (!ppi_c_is(parser, "]")) {
    enum perfpred_status status = ppi_c_parse_assignment(parser, &extent);
    if (status)
      return status;
  }
  if (declarator->dimensions == PPI_C_DIMENSIONS)
    return ppi_c_error(parser->error, &parser->tokens, parser->at, PERFPRED_LIMIT, "expected at most %d subscripts",
                       PPI_C_DIMENSIONS);
  declarator->extents[declarator->dimensions++] = extent;
  return ppi_c_expect(parser, "]");
}

static enum perfpred_status parse_declarator_suffixes(struct ppi_c_parser *parser, struct declarator *declarator) {
  enum perfpred_status status = PERFPRED_OK;
  while (!status && ppi_c_is(parser, "["))
    status = parse_extent(parser, declarator);
  if (!status && ppi_c_is(parser, "(")) {
    declarator->function = true;
    declarator->arguments = parser->at;
    if (!ppi_c_skip_brackets(parser))
      status = ppi_c_expected(parser, "')'");
  }
  return status;
}

/* A pointer is an array of unknown length; (*a)[n] is one of arrays. Pointers to or arrays of pointers are beyond affine nests. */
static void add_pointers(struct declarator *declarator, int pointers) {
  if (pointers == 0)
    return;
  declarator->deep = declarator->deep || pointers > 1 || declarator->dimensions > 0;
  if (!declarator->deep)
    declarator->extents[declarator->dimensions++] = NULL;
}

/* Stars and what stands between them. */
static int accept_pointers(struct ppi_c_parser *parser) {
  int pointers = 0;
  for (;; parser->at++) {
    if (ppi_c_is(parser, "*"))
      pointers++;
    else if (!is_qualifier(parser->at))
      return pointers;
  }
}

static enum perfpred_status parse_declarator(struct ppi_c_parser *parser, struct declarator *declarator) {
  enum perfpred_status status = ppi_c_enter(parser);
  if (status)
    return status;
  const int pointers = accept_pointers(parser);
  if (ppi_c_accept(parser, "(")) {
    status = parse_declarator(parser, declarator);
    if (!status)
      status = ppi_c_expect(parser, ")");
  } else if (parser->at->kind == PPI_C_NAME && !find_word(parser->at)) {
    declarator->name = parser->at++;
  }
  if (!status)
    status = parse_declarator_suffixes(parser, declarator);
  add_pointers(declarator, pointers);
  parser->depth--;
  return status;
}

enum perfpred_status ppi_c_skip_type(struct ppi_c_parser *parser) {
  struct type type = { 0 };
  struct declarator declarator = { 0 };
  enum perfpred_status status = parse_specifiers(parser, &type);
  return status ? status : parse_declarator(parser, &declarator);
}

/* An array of a type that is an array itself. */
static void add_type_dimensions(const struct type *type, struct ppi_c_symbol *symbol, bool *fits) {
  for (int i = 0; type->named && i < type->named->dimensions; i++) {
    *fits = symbol->dimensions < PPI_C_DIMENSIONS;
    if (!*fits)
      return;
    symbol->extents[symbol->dimensions++] = type->named->extents[i];
  }
}

static struct ppi_c_symbol symbol_of(const struct type *type, const struct declarator *declarator) {
  struct ppi_c_symbol symbol = { .name = declarator->name,
                                 .element_bytes = type->element_bytes,
                                 .floating = type->floating,
                                 .complex = type->complex,
                                 .integer = type->integer && !type->floating,
                                 .dimensions = declarator->dimensions };
  bool fits = true;
  memcpy(symbol.extents, declarator->extents, sizeof symbol.extents);
  add_type_dimensions(type, &symbol, &fits);
  if (declarator->deep || declarator->function || !fits) {
    symbol.sort = PPI_C_OTHER;
    symbol.integer = symbol.floating = false;
    symbol.dimensions = symbol.element_bytes = 0;
  } else {
    symbol.sort = symbol.dimensions > 0 ? PPI_C_ARRAY : PPI_C_SCALAR;
  }
  if (type->is_typedef)
    symbol.sort = PPI_C_TYPEDEF;
  return symbol;
}

/* What stands behind =, up to the , or ; behind it. */
static enum perfpred_status parse_initial(struct ppi_c_parser *parser, struct ppi_c_expr **initial) {
  if (!ppi_c_is(parser, "{"))
    return ppi_c_parse_assignment(parser, initial);
  return ppi_c_skip_brackets(parser) ? PERFPRED_OK : ppi_c_expected(parser, "'}'");
}

static enum perfpred_status declare(struct ppi_c_parser *parser, const struct type *type,
                                    const struct declarator *declarator, ppi_c_declared_fn *declared, void *data) {
  struct ppi_c_symbol symbol = symbol_of(type, declarator);
  struct ppi_c_expr *initial = NULL;
  enum perfpred_status status = skip_attributes(parser);
  if (!status && ppi_c_accept(parser, "="))
    status = parse_initial(parser, &initial);
  if (status || !declarator->name)
    return status;
  if (symbol.sort == PPI_C_SCALAR && type->is_constant && symbol.integer && initial &&
      ppi_c_value(parser, initial, &symbol.value))
    symbol.sort = PPI_C_CONSTANT;
  status = ppi_c_add_symbol(parser, &symbol);
  if (!status && declared)
    status = declared(data, &parser->symbols.items[parser->symbols.count - 1], initial);
  return status;
}

/* The arguments of a function belong to its body, whose { is next. */
static enum perfpred_status declare_arguments(struct ppi_c_parser *parser, const struct ppi_c_token *open) {
  const struct ppi_c_token *body = parser->at;
  enum perfpred_status status = PERFPRED_OK;
  parser->at = open + 1;
  parser->block++;
  while (!status && !ppi_c_is(parser, ")") && ppi_c_starts_type(parser, parser->at)) {
    struct type type = { 0 };
    struct declarator declarator = { 0 };
    status = parse_specifiers(parser, &type);
    if (!status)
      status = parse_declarator(parser, &declarator);
    if (!status)
      status = declare(parser, &type, &declarator, NULL, NULL);
    if (!ppi_c_accept(parser, ","))
      break;
  }
  parser->block--;
  parser->at = body;
  return status;
}

enum perfpred_status ppi_c_parse_declaration(struct ppi_c_parser *parser, ppi_c_declared_fn *declared, void *data) {
  struct type type = { 0 };
  enum perfpred_status status = parse_specifiers(parser, &type);
  while (!status && !ppi_c_accept(parser, ";")) {
    struct declarator declarator = { 0 };
    status = parse_declarator(parser, &declarator);
    if (!status)
      status = declare(parser, &type, &declarator, declared, data);
    if (status)
      return status;
    if (declarator.function && ppi_c_is(parser, "{"))
      return declare_arguments(parser, declarator.arguments);
    if (!ppi_c_is(parser, ";"))
      status = ppi_c_expect(parser, ",");
  }
  return status;
}
