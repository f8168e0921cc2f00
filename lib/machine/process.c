/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "machine/quota.h"

#define LINE_MAX_BYTES 8192 /* of /proc/N/maps: a path is shorter than 4096 bytes */
#define ENVIRONMENT_MAX ((size_t)4 << 20)
#define DELETED " (deleted)"

/* --- Files ------------------------------------------------------------------------------------------------------------ */

/* The kernel writes line breaks in paths as \012. */
static void unescape(char *path) {
  char *to = path;
  for (const char *from = path; *from; to++) {
    if (strncmp(from, "\\012", 4) == 0) {
      *to = '\n';
      from += 4;
    } else
      *to = *from++;
  }
  *to = '\0';
}

/* The path of a line "ADDRESS-ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH", if the file is one that code is run from; else NULL. */
static char *path_of(char *line) {
  char permissions[8], *path = strchr(line, '/');
  if (sscanf(line, "%*x-%*x %7s", permissions) != 1 || strlen(permissions) != 4 || permissions[2] != 'x' || !path)
    return NULL;
  path[strcspn(path, "\n")] = '\0';
  return path;
}

static bool is_listed(const struct ppi_loaded *loaded, const char *path) {
  for (size_t i = 0; i < loaded->count; i++)
    if (strcmp(loaded->files[i].path, path) == 0)
      return true;
  return false;
}

static enum perfpred_status add_line(char *line, struct ppi_loaded *loaded, struct perfpred_error *error) {
  char *path = path_of(line);
  if (!path)
    return PERFPRED_OK;
  size_t length = strlen(path), ending = strlen(DELETED);
  bool deleted = length > ending && strcmp(path + length - ending, DELETED) == 0;
  if (deleted)
    path[length - ending] = '\0';
  unescape(path);
  if (is_listed(loaded, path))
    return PERFPRED_OK;
  enum perfpred_status status = ppi_loaded_add(loaded, NULL, path, PPI_LOADED_NOBODY, error);
  if (status == PERFPRED_OK)
    loaded->files[loaded->count - 1].deleted = deleted;
  return status;
}

static enum perfpred_status read_lines(FILE *file, struct ppi_loaded *loaded, struct perfpred_error *error) {
  char line[LINE_MAX_BYTES];
  enum perfpred_status status = PERFPRED_OK;
  bool whole = true; /* the part before ended its line */
  while (status == PERFPRED_OK && fgets(line, sizeof line, file)) {
    bool ends = strchr(line, '\n') != NULL;
    if (whole && ends)
      status = add_line(line, loaded, error);
    whole = ends;
  }
  return status;
}

enum perfpred_status ppi_process_maps(const char *path, struct ppi_loaded *loaded, struct perfpred_error *error) {
  struct ppi_loaded made = PPI_LOADED_INIT;
  FILE *file = fopen(path, "re");
  if (!file)
    return ppi_error_set(error, errno == ENOENT ? PERFPRED_NOT_FOUND : PERFPRED_IO, "'%s': %s", path, strerror(errno));
  errno = 0;
  enum perfpred_status status = read_lines(file, &made, error);
  if (status == PERFPRED_OK && ferror(file))
    status = ppi_error_set(error, PERFPRED_IO, "'%s' cannot be read: %s", path, strerror(errno));
  fclose(file);
  if (status == PERFPRED_OK)
    *loaded = made;
  else
    ppi_loaded_free(&made);
  return status;
}

/* --- What else the system tells; every part may be missing ------------------------------------------------------------ */

struct place {
  const char *root;
  char process[32]; /* "self" or a number */
};

static void path_to(const struct place *place, const char *name, char *path, size_t size) {
  snprintf(path, size, "%.400s/proc/%s/%s", place->root, place->process, name);
}

static void read_link(const struct place *place, const char *name, char *target, size_t size) {
  char path[512];
  path_to(place, name, path, sizeof path);
  ssize_t length = readlink(path, target, size - 1);
  target[length > 0 ? length : 0] = '\0';
}

/* Another tree of files is seen through /proc/N/root. */
static void read_prefix(const struct place *place, struct ppi_process *process) {
  const struct place self = { place->root, "self" };
  char theirs[64], ours[64], root[1024];
  read_link(place, "ns/mnt", theirs, sizeof theirs);
  read_link(&self, "ns/mnt", ours, sizeof ours);
  read_link(place, "root", root, sizeof root);
  if (theirs[0] && root[0] && (strcmp(theirs, ours) != 0 || strcmp(root, "/") != 0))
    snprintf(process->prefix, sizeof process->prefix, "/proc/%s/root", place->process);
}

static enum perfpred_status read_environment(const struct place *place, struct ppi_process *process,
                                             struct perfpred_error *error) {
  char path[512];
  path_to(place, "environ", path, sizeof path);
  FILE *file = fopen(path, "re");
  size_t used = 0, got, room = 0;
  char *text = NULL;
  enum perfpred_status status = PERFPRED_OK;
  if (!file)
    return PERFPRED_OK;
  do {
    char *grown = realloc(text, room + 65536 + 1);
    if (!grown) {
      status = ppi_error_memory(error);
      break;
    }
    text = grown;
    room += 65536;
    got = fread(text + used, 1, room - used, file);
    used += got;
  } while (used == room && used < ENVIRONMENT_MAX);
  bool known = status == PERFPRED_OK && !ferror(file);
  fclose(file);
  if (!known || !text) {
    free(text);
    return status;
  }
  text[used] = '\0'; /* the last entry may lack its own */
  process->environment = text;
  process->environment_bytes = used;
  return PERFPRED_OK;
}

static void read_status(const struct place *place, struct ppi_process *process) {
  char path[512], line[LINE_MAX_BYTES];
  static const char key[] = "Cpus_allowed_list:";
  path_to(place, "status", path, sizeof path);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, key, sizeof key - 1) == 0) {
      const char *list = line + sizeof key - 1;
      list += strspn(list, " \t");
      snprintf(process->cpus, sizeof process->cpus, "%.*s", (int)strcspn(list, "\n"), list);
      process->cpu_count = ppi_cpus_count(list);
    }
  if (file)
    fclose(file);
}

enum perfpred_status ppi_process_read(const char *root, int64_t pid, struct ppi_process *process,
                                      struct perfpred_error *error) {
  struct place place = { root, "self" };
  struct ppi_process made = { { 0 }, { 0 }, PPI_LOADED_INIT, 0, 0, { 0 }, 0, 0.0 };
  char path[512];
  if (pid != 0)
    snprintf(place.process, sizeof place.process, "%lld", (long long)pid);
  path_to(&place, "maps", path, sizeof path);
  struct perfpred_error fault;
  ppi_error_clear(&fault);
  enum perfpred_status status = ppi_process_maps(path, &made.loaded, &fault);
  if (status == PERFPRED_NOT_FOUND)
    return ppi_error_set(error, status, "process %s: there is none", place.process);
  if (status != PERFPRED_OK)
    return ppi_error_set(error, status, "process %s: %s", place.process, fault.text);
  read_link(&place, "exe", made.executable, sizeof made.executable);
  read_prefix(&place, &made);
  read_status(&place, &made);
  made.quota = ppi_quota_read(root, place.process);
  status = read_environment(&place, &made, error);
  if (status == PERFPRED_OK)
    *process = made;
  else
    ppi_process_free(&made);
  return status;
}

void ppi_process_free(struct ppi_process *process) {
  free(process->environment);
  process->environment = NULL;
  ppi_loaded_free(&process->loaded);
}

const char *ppi_process_variable(const struct ppi_process *process, const char *name) {
  size_t length = strlen(name);
  for (size_t at = 0; process->environment && at < process->environment_bytes;) {
    const char *entry = process->environment + at;
    if (strncmp(entry, name, length) == 0 && entry[length] == '=')
      return entry + length + 1;
    at += strlen(entry) + 1;
  }
  return NULL;
}
