/* SPDX-License-Identifier: BSD-3-Clause */
/* Declared names, the innermost last. Those that fall into the same slot of a table are a chain from the last one on: as the last one
   declared is the first one forgotten, it is always the head of its chain. */
#include <stdlib.h>
#include <string.h>

#include "source/expr.h"

#define FIRST_CAPACITY 64 /* a power of two: the table has as many slots as there is room for names */

static size_t slot_of(const struct ppi_c_symbols *symbols, const struct ppi_c_token *name) {
  uint64_t hash = 0;
  for (int i = 0; i < name->length; i++)
    hash = (hash ^ (unsigned char)name->text[i]) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(hash >> 32) & (symbols->capacity - 1);
}

/* Makes the last symbol the head of its chain. */
static void link_last(struct ppi_c_symbols *symbols) {
  struct ppi_c_symbol *last = &symbols->items[symbols->count - 1];
  size_t *head = &symbols->heads[slot_of(symbols, last->name)];
  last->before = *head;
  *head = symbols->count;
}

static bool grow(struct ppi_c_symbols *symbols) {
  const size_t capacity = symbols->capacity ? 2 * symbols->capacity : FIRST_CAPACITY, count = symbols->count;
  struct ppi_c_symbol *items = realloc(symbols->items, capacity * sizeof *items);
  if (!items)
    return false;
  symbols->items = items;
  size_t *heads = calloc(capacity, sizeof *heads);
  if (!heads)
    return false;
  free(symbols->heads);
  symbols->heads = heads;
  symbols->capacity = capacity;
  for (symbols->count = 1; symbols->count <= count; symbols->count++)
    link_last(symbols);
  symbols->count = count;
  return true;
}

enum perfpred_status ppi_c_add_symbol(struct ppi_c_parser *parser, const struct ppi_c_symbol *symbol) {
  struct ppi_c_symbols *symbols = &parser->symbols;
  if (symbols->count == symbols->capacity && !grow(symbols))
    return ppi_error_memory(parser->error);
  struct ppi_c_symbol *added = &symbols->items[symbols->count++];
  *added = *symbol;
  added->block = parser->block;
  added->region = parser->region;
  link_last(symbols);
  return PERFPRED_OK;
}

struct ppi_c_symbol *ppi_c_find(const struct ppi_c_parser *parser, const struct ppi_c_token *name) {
  const struct ppi_c_symbols *symbols = &parser->symbols;
  if (symbols->count == 0)
    return NULL;
  for (size_t at = symbols->heads[slot_of(symbols, name)]; at > 0; at = symbols->items[at - 1].before)
    if (ppi_c_same_name(symbols->items[at - 1].name, name))
      return &symbols->items[at - 1];
  return NULL;
}

void ppi_c_close_block(struct ppi_c_parser *parser) {
  struct ppi_c_symbols *symbols = &parser->symbols;
  while (symbols->count > 0 && symbols->items[symbols->count - 1].block >= parser->block) {
    const struct ppi_c_symbol *last = &symbols->items[--symbols->count];
    symbols->heads[slot_of(symbols, last->name)] = last->before;
  }
  parser->block--;
}

void ppi_c_symbols_free(struct ppi_c_symbols *symbols) {
  free(symbols->heads);
  free(symbols->items);
}
