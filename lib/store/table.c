/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables as bytes. */
#include "store/table.h"

#include <stdlib.h>
#include <string.h>

#include "store/parts.h"

static enum perfpred_status refuse(enum ppi_table_fault fault, const char *name, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_CORRUPT;
  if (fault == PPI_TABLE_OTHER_VERSION)
    status = PERFPRED_VERSION;
  if (fault == PPI_TABLE_OTHER_ORDER)
    status = PERFPRED_UNSUPPORTED;
  return ppi_error_set(error, status, "%s: %s", name, ppi_table_fault_text(fault));
}

static struct perfpred_decisions *reserve(size_t bytes) {
  struct perfpred_decisions *made = calloc(1, sizeof *made + (bytes + 7) / 8 * 8);
  if (made)
    made->bytes = bytes;
  return made;
}

enum perfpred_status perfpred_decisions_load_memory(const void *bytes, size_t length, const char *name,
                                                    struct perfpred_decisions **decisions,
                                                    struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!bytes || !decisions)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !bytes ? "bytes" : "decisions");
  name = name ? name : "table";
  if (length > PPI_TABLE_BYTES_MAX) {
    bool other = memcmp(bytes, PPI_TABLE_MAGIC, sizeof PPI_TABLE_MAGIC - 1) != 0;
    return refuse(other ? PPI_TABLE_FOREIGN : PPI_TABLE_BAD_SIZE, name, error);
  }
  struct perfpred_decisions *made = reserve(length);
  if (!made)
    return ppi_error_memory(error);
  memcpy(made->image, bytes, length);
  enum ppi_table_fault fault = ppi_table_check(made->image, length, &made->table);
  if (fault != PPI_TABLE_GOOD) {
    free(made);
    return refuse(fault, name, error);
  }
  *decisions = made;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_decisions_load(const char *path, struct perfpred_decisions **decisions,
                                             struct perfpred_error *error) {
  char *bytes = NULL;
  size_t length = 0;
  ppi_error_clear(error);
  if (!path || !path[0] || !decisions)
    return ppi_error_set(error, PERFPRED_INVALID, "%s",
                         decisions ? "path: expected the name of a file" : "decisions is NULL");
  enum perfpred_status status = ppi_store_read_expected(path, "a decision table", &bytes, &length, error);
  if (!status)
    status = perfpred_decisions_load_memory(bytes, length, path, decisions, error);
  free(bytes);
  return status;
}

enum perfpred_status perfpred_decisions_save(const struct perfpred_decisions *decisions, const char *path,
                                             struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!decisions)
    return ppi_error_set(error, PERFPRED_INVALID, "decisions is NULL");
  if (!path || !path[0])
    return ppi_error_set(error, PERFPRED_INVALID, "path: expected the name of a file");
  return ppi_store_replace_file(path, (const char *)decisions->image, decisions->bytes, error);
}

void perfpred_decisions_destroy(struct perfpred_decisions *decisions) {
  free(decisions);
}

void ppi_table_name(const struct ppi_table_routine *routine, char name[9]) {
  size_t length = 0;
  while (length < sizeof routine->name && routine->name[length] != ' ')
    length++;
  memcpy(name, routine->name, length);
  memset(name + length, 0, 9 - length);
}

bool ppi_table_multiplies(const char *routine) {
  char name[8];
  const size_t length = strlen(routine);
  memset(name, ' ', sizeof name);
  memcpy(name, routine, length < sizeof name ? length : sizeof name);
  return ppi_table_is_multiply(name);
}

const char *ppi_table_size_text(unsigned rule) {
  static const char *const texts[PPI_TABLE_SIZE_END] = {
    "", "n1", "n2", "n3", "n4", "min(n1, n2)", "max(n1, n2)", "max(n1, n2, n3)", "n3 - n2 + 1",
  };
  return rule < PPI_TABLE_SIZE_END ? texts[rule] : "";
}

/* --- Making one ---------------------------------------------------------------------------------------------------- */

static void put_text(const char *text, char *place, size_t size) {
  size_t length = strlen(text);
  if (length >= size)
    length = size - 1;
  /* not in the middle of a letter of UTF-8 */
  while (text[length] != '\0' && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
    length--;
  for (size_t i = 0; i < length; i++)
    place[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? ' ' : text[i];
}

static void put_routine(const struct ppi_table_entry *entry, struct ppi_table_routine *routine) {
  size_t length = strlen(entry->routine);
  memset(routine->name, ' ', sizeof routine->name);
  memcpy(routine->name, entry->routine, length < sizeof routine->name ? length : sizeof routine->name);
  for (size_t i = 0; i < sizeof routine->options && entry->options[i] != '\0'; i++)
    routine->options[i] = entry->options[i];
  routine->cell_size = (uint8_t)entry->cell_size;
  routine->row_count = 1;
}

/* By name, and more options first: the order that the format asks for. */
static int compare(const void *left, const void *right) {
  const struct ppi_table_entry *const *a = left, *const *b = right;
  const struct ppi_table_entry *first = *a, *second = *b;
  int order = strcmp(first->routine, second->routine);
  if (order == 0)
    order = (strlen(first->options) < strlen(second->options)) - (strlen(first->options) > strlen(second->options));
  return order ? order : strcmp(first->options, second->options);
}

static const struct ppi_table_entry **sorted(const struct ppi_table_entry *entries, size_t count) {
  const struct ppi_table_entry **order = malloc((count + 1) * sizeof *order);
  if (!order)
    return NULL;
  for (size_t i = 0; i < count; i++)
    order[i] = &entries[i];
  qsort((void *)order, count, sizeof *order, compare);
  return order;
}

/* The oldest one that has room for them: an override of old reads what it can. */
static uint32_t version_of(const struct ppi_table_routine *routines, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (ppi_table_is_multiply(routines[i].name) && routines[i].options[0] != '\0')
      return PPI_TABLE_VERSION_USES;
  return PPI_TABLE_VERSION;
}

static void fill(struct perfpred_decisions *made, const struct ppi_table_origin *origin,
                 const struct ppi_table_entry *const *entries, size_t count, size_t cells) {
  struct ppi_table_header *header = (struct ppi_table_header *)made->image;
  struct ppi_table_routine *routine = (struct ppi_table_routine *)(header + 1);
  struct ppi_table_row *row = (struct ppi_table_row *)(routine + count);
  struct ppi_table_cell *cell = (struct ppi_table_cell *)(row + count);
  memcpy(header->magic, PPI_TABLE_MAGIC, sizeof header->magic);
  header->bytes = (uint32_t)made->bytes;
  header->routine_count = header->row_count = (uint32_t)count;
  header->cell_count = (uint32_t)cells;
  header->threads = origin->threads > 0 ? (uint32_t)origin->threads : 0;
  put_text(origin->cpu, header->cpu, sizeof header->cpu);
  put_text(origin->blas, header->blas, sizeof header->blas);
  put_text(origin->lapack, header->lapack, sizeof header->lapack);
  for (size_t i = 0, first = 0; i < count; first += entries[i++]->cell_count) {
    put_routine(entries[i], &routine[i]);
    routine[i].first_row = (uint16_t)i;
    row[i] = (struct ppi_table_row){ PPI_TABLE_OPEN, (uint16_t)first, (uint16_t)entries[i]->cell_count };
    memcpy(cell + first, entries[i]->cells, entries[i]->cell_count * sizeof *cell);
  }
  header->version = version_of(routine, count);
  header->checksum = ppi_table_checksum(made->image, made->bytes);
}

enum perfpred_status ppi_table_make(const struct ppi_table_origin *origin, const struct ppi_table_entry *entries,
                                    size_t count, struct perfpred_decisions **decisions, struct perfpred_error *error) {
  size_t cells = 0;
  for (size_t i = 0; i < count; i++)
    cells += entries[i].cell_count;
  size_t bytes = sizeof(struct ppi_table_header) +
                 count * (sizeof(struct ppi_table_routine) + sizeof(struct ppi_table_row)) +
                 cells * sizeof(struct ppi_table_cell);
  if (count > PPI_TABLE_ROUTINES_MAX || bytes > PPI_TABLE_BYTES_MAX)
    return ppi_error_set(error, PERFPRED_LIMIT,
                         "%zu routines with %zu cells make a table of %zu bytes; expected at most %d", count, cells,
                         bytes, PPI_TABLE_BYTES_MAX);
  const struct ppi_table_entry **order = sorted(entries, count);
  struct perfpred_decisions *made = order ? reserve(bytes) : NULL;
  if (!made) {
    free((void *)order);
    return ppi_error_memory(error);
  }
  fill(made, origin, order, count, cells);
  free((void *)order);
  enum ppi_table_fault fault = ppi_table_check(made->image, bytes, &made->table);
  if (fault != PPI_TABLE_GOOD) {
    free(made);
    return ppi_error_set(error, PERFPRED_INVALID, "entries: %s", ppi_table_fault_text(fault));
  }
  *decisions = made;
  return PERFPRED_OK;
}
