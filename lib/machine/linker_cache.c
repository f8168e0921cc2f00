/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/linker_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL "/etc/ld.so.cache"
#define BYTES_MAX ((off_t)64 << 20)
#define OLD_MAGIC "ld.so-1.7.0"
#define MAGIC "glibc-ld.so.cache1.1"

/* As glibc's dl-cache.h has them. Texts are counted from the start of the head. */
struct head {
  char magic[20];
  uint32_t entries, text_bytes, unused[5];
};
struct entry {
  int32_t flags;
  uint32_t key, value, version;
  uint64_t special; /* which processors it is for; 0: all */
};
struct old_head {
  char magic[11];
  uint32_t entries;
};
#define OLD_ENTRY 12
#define LEVELS ((uint64_t)1 << 62) /* of special: for a level of processors; other bits are of older systems */

/* What is there, to the end or to where reading fails. */
static enum perfpred_status read_all(int file, struct ppi_linker_cache *cache, struct perfpred_error *error) {
  struct stat state;
  if (fstat(file, &state) != 0 || !S_ISREG(state.st_mode) || state.st_size <= 0 || state.st_size > BYTES_MAX)
    return PERFPRED_OK;
  size_t length = (size_t)state.st_size, at = 0;
  char *bytes = malloc(length);
  if (!bytes)
    return ppi_error_memory(error);
  while (at < length) {
    ssize_t got = read(file, bytes + at, length - at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    at += (size_t)got;
  }
  cache->bytes = bytes;
  cache->length = at;
  return PERFPRED_OK;
}

/* The present form may stand behind an old one. */
static size_t find_start(const struct ppi_linker_cache *cache) {
  struct old_head old;
  if (cache->length < sizeof old || memcmp(cache->bytes, OLD_MAGIC, strlen(OLD_MAGIC)) != 0)
    return 0;
  memcpy(&old, cache->bytes, sizeof old);
  size_t end = sizeof old + (size_t)old.entries * OLD_ENTRY;
  return (end + 7) / 8 * 8;
}

static void find_entries(struct ppi_linker_cache *cache) {
  struct head head;
  size_t start = find_start(cache);
  if (start > cache->length || cache->length - start < sizeof head)
    return;
  memcpy(&head, cache->bytes + start, sizeof head);
  if (memcmp(head.magic, MAGIC, sizeof head.magic) != 0 ||
      head.entries > (cache->length - start - sizeof head) / sizeof(struct entry))
    return;
  cache->start = start;
  cache->count = head.entries;
}

enum perfpred_status ppi_linker_cache_open(const char *path, struct ppi_linker_cache *cache,
                                           struct perfpred_error *error) {
  struct ppi_linker_cache made = { 0 };
  int file = open(path ? path : USUAL, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  enum perfpred_status status = file >= 0 ? read_all(file, &made, error) : PERFPRED_OK;
  if (file >= 0)
    close(file);
  if (status != PERFPRED_OK)
    return status;
  find_entries(&made);
  *cache = made;
  return PERFPRED_OK;
}

void ppi_linker_cache_close(struct ppi_linker_cache *cache) {
  free(cache->bytes);
  *cache = (struct ppi_linker_cache){ 0 };
}

/* A text of the cache; NULL where it has no end. */
static const char *text_at(const struct ppi_linker_cache *cache, uint32_t offset) {
  size_t at = cache->start + offset;
  if (at >= cache->length || !memchr(cache->bytes + at, '\0', cache->length - at))
    return NULL;
  return cache->bytes + at;
}

/* Whether a path leads through the folder of a level. The entry has a number for it, whose name stands in a table behind the texts and in
   the path as well. */
static bool is_of_level(const char *path, const char *level) {
  static const char marker[] = "/glibc-hwcaps/";
  const char *found = strstr(path, marker), *name = found ? found + sizeof marker - 1 : "";
  const size_t length = strlen(level);
  return strncmp(name, level, length) == 0 && name[length] == '/';
}

const char *ppi_linker_cache_next(const struct ppi_linker_cache *cache, const char *name, const char *special,
                                  size_t *at) {
  while (*at < cache->count) {
    struct entry entry;
    memcpy(&entry, cache->bytes + cache->start + sizeof(struct head) + *at * sizeof entry, sizeof entry);
    (*at)++;
    const char *key = text_at(cache, entry.key), *value = text_at(cache, entry.value);
    if (!key || !value || strcmp(key, name) != 0)
      continue;
    if (special ? (entry.special & LEVELS) != 0 && is_of_level(value, special) : entry.special == 0)
      return value;
  }
  return NULL;
}
