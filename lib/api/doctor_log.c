/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/doctor_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DIFFERENT_MAX 4096

bool ppi_asked_read(const char *line, struct ppi_asked *asked) {
  struct ppi_asked made = { .count = 1 };
  char source[8];
  int length = 0;
  if (sscanf(line, "%" SCNd64 " %23s %7s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %7s %n",
             &made.ispec, made.name, made.options, &made.sizes[0], &made.sizes[1], &made.sizes[2], &made.sizes[3],
             &made.answer, source, &length) != 9 ||
      line[length] != '\0')
    return false;
  made.table = strcmp(source, "table") == 0;
  if (!made.table && strcmp(source, "stock") != 0)
    return false;
  if (strcmp(made.options, "-") == 0)
    made.options[0] = '\0';
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
  char line[640];
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
