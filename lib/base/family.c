/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/family.h"

#include <string.h>

#define FAMILY_MAX 16384 /* entries of one family */

/* Number of entries of the list text[0..length), 0 for an empty text. */
static int list_count(const char *text, size_t length) {
  if (length == 0)
    return 0;
  int count = 1;
  for (size_t i = 0; i < length; i++)
    count += text[i] == ',';
  return count;
}

static struct ppi_family_part list_entry(const char *text, size_t length, int entry) {
  const char *end = text + length;
  for (; entry > 0 && text < end; text++)
    entry -= *text == ',';
  const char *comma = memchr(text, ',', (size_t)(end - text));
  return (struct ppi_family_part){ text, (size_t)((comma ? comma : end) - text) };
}

long ppi_family_list_length(const char *brace, const char *end) {
  for (const char *at = brace + 1; at < end; at++) {
    if (*at == '}')
      return at - brace - 1;
    if (!ppi_scan_is_letter(*at) && !ppi_scan_is_digit(*at) && *at != ',')
      break;
  }
  return -1;
}

long ppi_family_prose_length(const char *brace, const char *end) {
  for (const char *at = brace + 1; at < end && *at != '{'; at++)
    if (*at == '}')
      return at - brace - 1;
  return -1;
}

/* The present entry of list `list` of the head. */
static struct ppi_family_part head_entry(const struct ppi_scanner *scanner, int list) {
  int entry = scanner->entry;
  for (int i = scanner->list_count - 1; i > list; i--)
    entry /= scanner->lists[i].count;
  return list_entry(scanner->lists[list].text, scanner->lists[list].length, entry % scanner->lists[list].count);
}

/* Which list of the head is meant: `inner` is that list itself, or `{}`, or `{1}`, ... where there are several. -1: none. */
static int head_list(const struct ppi_scanner *scanner, const char *inner, size_t length) {
  for (int i = 0; i < scanner->list_count; i++)
    if (inner == scanner->lists[i].text)
      return i;
  if (length == 0)
    return scanner->list_count == 1 ? 0 : -1;
  const bool number =
      scanner->list_count > 1 && length == 1 && inner[0] >= '1' && inner[0] <= '0' + scanner->list_count;
  return number ? inner[0] - '1' : -1;
}

const char *ppi_family_resolve(const struct ppi_scanner *scanner, const char *inner, size_t length,
                               struct ppi_family_part *part) {
  const int list = head_list(scanner, inner, length);
  if (list >= 0) {
    *part = head_entry(scanner, list);
    return NULL;
  }
  if (length == 0)
    return scanner->entries == 0 ? "'{}' in a block that is no family"
                                 : "'{}' in a block of several lists, which are {1}, {2}, ...";
  if (scanner->entries > 0 && list_count(inner, length) != scanner->entries)
    return "a list '{...}' of another length than the head's";
  *part = list_entry(inner, length, scanner->entry);
  return part->length > 0 ? NULL : "a list '{...}' with an empty entry";
}

const char *ppi_family_next_brace(const struct ppi_scanner *scanner, const char *at) {
  while (at < scanner->end && (ppi_scan_is_letter(*at) || ppi_scan_is_digit(*at) || *at == '-'))
    at++;
  return at < scanner->end && *at == '{' ? at : NULL;
}

/* The list after a brace of a head becomes one of the family's. */
static enum perfpred_status add_list(struct ppi_scanner *scanner, const char *brace) {
  const long length = ppi_family_list_length(brace, scanner->end);
  if (length <= 0)
    return ppi_scan_error(scanner, PERFPRED_SYNTAX, "expected a list of names in '{...}' after the block's keyword");
  if (scanner->list_count == PPI_SCAN_LISTS)
    return ppi_scan_error(scanner, PERFPRED_LIMIT, "expected at most %d lists '{...}' in the head of a block",
                          PPI_SCAN_LISTS);
  const struct ppi_scan_list list = { brace + 1, (size_t)length, list_count(brace + 1, (size_t)length) };
  for (int i = 0; i < list.count; i++)
    if (list_entry(list.text, list.length, i).length == 0)
      return ppi_scan_error(scanner, PERFPRED_SYNTAX, "the list '{%.*s}' has an empty entry",
                            (int)(length > 200 ? 200 : length), list.text);
  const int before = scanner->list_count > 0 ? scanner->entries : 1;
  if (before > FAMILY_MAX / list.count)
    return ppi_scan_error(scanner, PERFPRED_LIMIT, "expected at most %d entries of a family", FAMILY_MAX);
  scanner->lists[scanner->list_count++] = list;
  scanner->entries = before * list.count;
  return PERFPRED_OK;
}

enum perfpred_status ppi_scan_family(struct ppi_scanner *scanner, int *entries) {
  const struct ppi_place place = ppi_scan_place(scanner);
  scanner->entry = scanner->entries = scanner->list_count = 0;
  for (const char *brace = ppi_family_next_brace(scanner, scanner->start); brace;) {
    enum perfpred_status status = add_list(scanner, brace);
    if (status) {
      scanner->entries = scanner->list_count = 0;
      return status;
    }
    const struct ppi_scan_list *list = &scanner->lists[scanner->list_count - 1];
    brace = ppi_family_next_brace(scanner, list->text + list->length + 1);
  }
  *entries = scanner->entries;
  ppi_scan_return(scanner, place);
  return PERFPRED_OK;
}

void ppi_scan_choose(struct ppi_scanner *scanner, int entry) {
  scanner->entry = entry;
  ppi_scan_return(scanner, ppi_scan_place(scanner));
}
