/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/doctor_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define DIFFERENT_MAX 4096

enum { ISPEC, NAME, OPTIONS, SIZES, ANSWER = SIZES + 4, SOURCE, WORDS };

/* Words between blanks; exactly as many as a line has, or false. */
static bool split(char *line, char *words[WORDS]) {
  char *state = NULL, *word = strtok_r(line, " \n", &state);
  int count = 0;
  for (; word && count < WORDS; word = strtok_r(NULL, " \n", &state))
    words[count++] = word;
  return count == WORDS && !word;
}

static bool take(const char *word, char *text, size_t size) {
  if (strlen(word) >= size)
    return false;
  strcpy(text, word);
  return true;
}

bool ppi_asked_read(const char *line, struct ppi_asked *asked) {
  struct ppi_asked made = { .count = 1 };
  char copy[PPI_ASKED_LINE], *words[WORDS];
  if (!take(line, copy, sizeof copy) || !split(copy, words))
    return false;
  bool good = ppi_text_parse_integer(words[ISPEC], &made.ispec) &&
              ppi_text_parse_integer(words[ANSWER], &made.answer) && take(words[NAME], made.name, sizeof made.name) &&
              take(strcmp(words[OPTIONS], "-") == 0 ? "" : words[OPTIONS], made.options, sizeof made.options);
  for (int i = 0; i < 4; i++)
    good = good && ppi_text_parse_integer(words[SIZES + i], &made.sizes[i]);
  made.table = strcmp(words[SOURCE], "table") == 0;
  if (!good || (!made.table && strcmp(words[SOURCE], "stock") != 0))
    return false;
  *asked = made;
  return true;
}

static bool same(const struct ppi_asked *a, const struct ppi_asked *b) {
  return a->ispec == b->ispec && a->answer == b->answer && a->table == b->table && strcmp(a->name, b->name) == 0 &&
         strcmp(a->options, b->options) == 0 && memcmp(a->sizes, b->sizes, sizeof a->sizes) == 0;
}

/* A program asks the same again and again: the newest ones are looked at first. */
static enum perfpred_status add(struct ppi_asked_list *list, const struct ppi_asked *asked,
                                struct perfpred_error *error) {
  for (size_t i = list->count; i-- > 0;)
    if (same(&list->items[i], asked)) {
      list->items[i].count++;
      return PERFPRED_OK;
    }
  if (list->count == DIFFERENT_MAX) {
    list->cut = true;
    return PERFPRED_OK;
  }
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    struct ppi_asked *grown = realloc(list->items, capacity * sizeof *grown);
    if (!grown)
      return ppi_error_memory(error);
    list->items = grown;
    list->capacity = capacity;
  }
  list->items[list->count++] = *asked;
  return PERFPRED_OK;
}

enum perfpred_status ppi_asked_read_all(FILE *file, struct ppi_asked_list *list, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  struct ppi_asked asked;
  char line[PPI_ASKED_LINE];
  bool whole = true;
  while (status == PERFPRED_OK && fgets(line, sizeof line, file)) {
    bool ends = strchr(line, '\n') != NULL, good = whole && ppi_asked_read(line, &asked);
    list->lines += whole;
    list->unreadable += whole && !good;
    if (good)
      status = add(list, &asked, error);
    whole = ends;
  }
  return status;
}

void ppi_asked_free(struct ppi_asked_list *list) {
  free(list->items);
  *list = (struct ppi_asked_list){ 0 };
}
