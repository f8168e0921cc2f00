/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: what C calls something and what the nest calls it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/parse.h"
#include "source/region.h"

#define NAMES_MAX 1024  /* that change, and that the nest has: all lists are searched from end to end */
#define NAME_LONGEST 50 /* longer names are cut, which leaves room for a number behind */

static enum perfpred_status too_many(const struct ppi_region *region, const struct ppi_c_token *name) {
  return ppi_c_error(region->parser->error, &region->parser->tokens, name, PERFPRED_LIMIT,
                     "expected at most %d names and loops in a region", NAMES_MAX);
}

static int count_changes(const struct ppi_region *region, const struct ppi_c_token *name) {
  int count = 0;
  for (size_t i = 0; i < region->varying_count; i++)
    count += ppi_c_same_name(region->varying[i], name) ? 1 : 0;
  return count;
}

enum perfpred_status ppi_region_add_varying(struct ppi_region *region, const struct ppi_c_token *name) {
  if (count_changes(region, name) >= 2)
    return PERFPRED_OK; /* one of them may be its declaration: two tell as much as all */
  if (region->varying_count == NAMES_MAX)
    return too_many(region, name);
  if (region->varying_count == region->varying_capacity) {
    const size_t capacity = region->varying_capacity ? 2 * region->varying_capacity : 16;
    const struct ppi_c_token **varying = realloc(region->varying, capacity * sizeof *varying);
    if (!varying)
      return ppi_error_memory(region->parser->error);
    region->varying = varying;
    region->varying_capacity = capacity;
  }
  region->varying[region->varying_count++] = name;
  return PERFPRED_OK;
}

static bool is_assignment(const struct ppi_c_token *token) {
  static const char *const marks[] = { "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--" };
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (ppi_c_token_is(token, marks[i]))
      return true;
  return false;
}

/* Whether the name is given a value here, other than that of its declaration. */
static bool is_changed(const struct ppi_c_token *name) {
  const bool declared =
      name[-1].kind == PPI_C_NAME && !ppi_c_token_is(name - 1, "else") && !ppi_c_token_is(name - 1, "do");
  if (ppi_c_token_is(name - 1, "++") || ppi_c_token_is(name - 1, "--"))
    return true;
  return is_assignment(name + 1) && !(declared && ppi_c_token_is(name + 1, "="));
}

enum perfpred_status ppi_region_note_varying(struct ppi_region *region) {
  struct ppi_c_parser *parser = region->parser;
  const struct ppi_c_token *begin = parser->at;
  enum perfpred_status status = PERFPRED_OK;
  while (!status && parser->at->kind != PPI_C_END && !ppi_c_is_pragma(parser->at, "endscop")) {
    const struct ppi_c_token *token = parser->at;
    if (ppi_c_accept(parser, "for")) {
      if (ppi_c_is(parser, "("))
        ppi_c_skip_brackets(parser); /* a counter changes in the head of its loop */
      continue;
    }
    if (token->kind == PPI_C_NAME && is_changed(token))
      status = ppi_region_add_varying(region, token);
    parser->at++;
  }
  parser->at = begin;
  return status;
}

bool ppi_region_varies(const struct ppi_region *region, const struct ppi_c_token *name) {
  for (size_t i = 0; i < region->varying_count; i++)
    if (ppi_c_same_name(region->varying[i], name))
      return true;
  return false;
}

bool ppi_region_changes(const struct ppi_region *region, const struct ppi_c_token *declared) {
  for (size_t i = 0; i < region->varying_count; i++)
    if (region->varying[i] != declared && ppi_c_same_name(region->varying[i], declared))
      return true;
  return false;
}

struct ppi_region_name *ppi_region_find(const struct ppi_region *region, const struct ppi_c_token *name) {
  for (size_t i = region->name_count; i-- > 0;)
    if (region->names[i].visible && ppi_c_same_name(region->names[i].c, name))
      return &region->names[i];
  return NULL;
}

static bool is_global(enum ppi_region_sort sort) {
  return sort == PPI_REGION_PARAMETER || sort == PPI_REGION_ARRAY;
}

static bool is_free(const struct ppi_region *region, const char *text, enum ppi_region_sort sort) {
  if (ppi_word_is_reserved(text))
    return false;
  for (size_t i = 0; i < region->name_count; i++)
    if (!strcmp(region->names[i].text, text) &&
        (region->names[i].taken || is_global(region->names[i].sort) || is_global(sort)))
      return false;
  return true;
}

static void choose_text(const struct ppi_region *region, struct ppi_region_name *name) {
  char stem[NAME_LONGEST + 1];
  snprintf(stem, sizeof stem, "%.*s", name->c->length, name->c->text);
  for (char *at = stem; *at; at++)
    if (*at == '$')
      *at = '_';
  strcpy(name->text, stem);
  for (int number = 2; !is_free(region, name->text, name->sort); number++)
    snprintf(name->text, sizeof name->text, "%s_%d", stem, number);
}

/* A name is a counter or a size, not both. */
static enum perfpred_status check_use(const struct ppi_region *region, const struct ppi_c_token *c,
                                      enum ppi_region_sort sort) {
  const struct ppi_c_parser *parser = region->parser;
  for (size_t i = 0; i < region->name_count; i++) {
    const enum ppi_region_sort other = region->names[i].sort;
    const bool clash = (sort == PPI_REGION_PARAMETER && other != PPI_REGION_ARRAY && other != sort) ||
                       (other == PPI_REGION_PARAMETER && sort != PPI_REGION_ARRAY && sort != other);
    if (clash && ppi_c_same_name(region->names[i].c, c))
      return ppi_c_error(parser->error, &parser->tokens, c, PERFPRED_UNSUPPORTED,
                         "not affine: %.*s (it is the counter of a loop, and is used outside of that loop)", c->length,
                         c->text);
  }
  return PERFPRED_OK;
}

enum perfpred_status ppi_region_add_name(struct ppi_region *region, const struct ppi_c_token *c,
                                         enum ppi_region_sort sort, struct ppi_region_name **name) {
  enum perfpred_status status = region->name_count == NAMES_MAX ? too_many(region, c) : check_use(region, c, sort);
  if (status)
    return status;
  if (region->name_count == region->name_capacity) {
    const size_t capacity = region->name_capacity ? 2 * region->name_capacity : 16;
    struct ppi_region_name *names = realloc(region->names, capacity * sizeof *names);
    if (!names)
      return ppi_error_memory(region->parser->error);
    region->names = names;
    region->name_capacity = capacity;
  }
  struct ppi_region_name *added = &region->names[region->name_count];
  *added = (struct ppi_region_name){ .c = c, .sort = sort, .level = region->level };
  choose_text(region, added);
  added->visible = added->taken = true;
  region->name_count++;
  *name = added;
  return PERFPRED_OK;
}

enum perfpred_status ppi_region_error(const struct ppi_region *region, const struct ppi_c_expr *expr,
                                      const char *reason) {
  char spelling[120];
  ppi_c_spell(expr, spelling, sizeof spelling);
  return ppi_c_error(region->parser->error, &region->parser->tokens, expr->first, PERFPRED_UNSUPPORTED,
                     "not affine: %s (%s)", spelling, reason);
}

enum perfpred_status ppi_region_note(struct ppi_region *region, struct ppi_region_origins *origins, int line) {
  if (origins->count == origins->capacity) {
    const size_t capacity = origins->capacity ? 2 * origins->capacity : 16;
    struct ppi_region_origin *items = realloc(origins->items, capacity * sizeof *items);
    if (!items)
      return ppi_error_memory(region->parser->error);
    origins->items = items;
    origins->capacity = capacity;
  }
  origins->items[origins->count++] = (struct ppi_region_origin){ line, region->statements - 1 };
  return PERFPRED_OK;
}

void ppi_region_free(struct ppi_region *region) {
  free(region->blocks.items);
  free(region->accesses.items);
  free(region->varying);
  free(region->names);
  ppi_text_free(&region->line);
  ppi_text_free(&region->body);
}
