/* SPDX-License-Identifier: BSD-3-Clause */
/* The search of glibc's dynamic linker, for files that need not be trusted enough to be started. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/elf.h"
#include "machine/linker_cache.h"
#include "machine/loaded.h"

#define PATH_SIZE 4096

static const char *const usual_folders[] = {
#if defined(__x86_64__)
  "/lib/x86_64-linux-gnu",
  "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
  "/lib/aarch64-linux-gnu",
  "/usr/lib/aarch64-linux-gnu",
#endif
  "/lib64",
  "/usr/lib64",
  "/lib",
  "/usr/lib",
  NULL
};

/* Levels as the psABI has them, told by features that came with the same processors as the others of the level. */
#if defined(__x86_64__)
static bool is_v2(void) {
  return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

static bool is_v3(void) {
  return is_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}

static bool is_v4(void) {
  return is_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

const char *const *ppi_linker_levels(void) {
  static const char *const levels[] = { "x86-64-v4", "x86-64-v3", "x86-64-v2", NULL };
#if defined(__x86_64__)
  return levels + (is_v4() ? 0 : is_v3() ? 1 : is_v2() ? 2 : 3);
#else
  return levels + 3;
#endif
}

/* A file while what it asks for is looked up. */
struct asker {
  char *soname;
  char *rpath; /* NULL where it has a RUNPATH, which replaces it */
  char *runpath;
  char *origin;
};

struct trace {
  const struct ppi_linker *linker;
  struct ppi_linker_cache cache;
  struct ppi_loaded loaded;
  struct asker *askers; /* one for each loaded file */
  struct perfpred_error *error;
};

/* Whether the linker would take the file: one for another kind of machine is passed over. */
static bool is_library(const char *path) {
  struct ppi_elf elf;
  if (ppi_elf_open(path, "library", &elf, NULL) != PERFPRED_OK)
    return false;
  bool shared = elf.shared;
  ppi_elf_close(&elf);
  return shared;
}

/* --- One search path ------------------------------------------------------------------------------------------------- */

static bool starts(const char *text, size_t length, const char *word) {
  return length >= strlen(word) && strncmp(text, word, strlen(word)) == 0;
}

/* A folder of a search path with $ORIGIN replaced; false: too long, or another variable, which is not known here. */
static bool expand(const char *folder, size_t length, const char *origin, char *path, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < length;) {
    size_t skip = starts(folder + i, length - i, "${ORIGIN}") ? 9 : starts(folder + i, length - i, "$ORIGIN") ? 7 : 0;
    const char *piece = skip > 0 ? origin : folder + i;
    size_t more = skip > 0 ? strlen(origin ? origin : "") : 1;
    if (!piece || (skip == 0 && folder[i] == '$') || used + more >= size)
      return false;
    memcpy(path + used, piece, more);
    used += more;
    i += skip > 0 ? skip : 1;
  }
  path[used] = '\0';
  return true;
}

/* An empty folder is the present one. Libraries for the best level of processors come first. */
static bool try_folder(const struct ppi_linker *linker, const char *folder, const char *name, char path[PATH_SIZE]) {
  const char *present = folder[0] ? folder : ".";
  for (const char *const *level = linker->levels ? linker->levels : ppi_linker_levels(); *level; level++) {
    int length = snprintf(path, PATH_SIZE, "%s/glibc-hwcaps/%s/%s", present, *level, name);
    if (length > 0 && length < PATH_SIZE && is_library(path))
      return true;
  }
  int length = snprintf(path, PATH_SIZE, "%s/%s", present, name);
  return length > 0 && length < PATH_SIZE && is_library(path);
}

static bool try_path(const struct ppi_linker *linker, const char *list, const char *marks, const char *origin,
                     const char *name, char path[PATH_SIZE]) {
  char folder[PATH_SIZE];
  while (list) {
    size_t length = strcspn(list, marks);
    if (expand(list, length, origin, folder, sizeof folder) && try_folder(linker, folder, name, path))
      return true;
    list = list[length] ? list + length + 1 : NULL;
  }
  return false;
}

/* --- All of them ------------------------------------------------------------------------------------------------------ */

/* The RPATH of the file that asks, of the one that asked for that, and so on up to the program. */
static bool try_rpaths(const struct trace *trace, size_t by, const char *name, char path[PATH_SIZE]) {
  if (by != PPI_LOADED_NOBODY && trace->askers[by].runpath)
    return false;
  for (; by != PPI_LOADED_NOBODY; by = trace->loaded.files[by].by)
    if (try_path(trace->linker, trace->askers[by].rpath, ":", trace->askers[by].origin, name, path))
      return true;
  return false;
}

/* level: as ppi_linker_cache_next has it. */
static bool try_cache_of(const struct trace *trace, const char *name, const char *level, char path[PATH_SIZE]) {
  size_t at = 0;
  const char *found;
  while ((found = ppi_linker_cache_next(&trace->cache, name, level, &at)) != NULL)
    if (strlen(found) < PATH_SIZE && is_library(found)) {
      strcpy(path, found);
      return true;
    }
  return false;
}

static bool try_cache(const struct trace *trace, const char *name, char path[PATH_SIZE]) {
  const char *const *level = trace->linker->levels ? trace->linker->levels : ppi_linker_levels();
  for (; *level; level++)
    if (try_cache_of(trace, name, *level, path))
      return true;
  return try_cache_of(trace, name, NULL, path);
}

static bool try_folders(const struct trace *trace, const char *name, char path[PATH_SIZE]) {
  const char *const *folder = trace->linker->folders ? trace->linker->folders : usual_folders;
  for (; *folder; folder++)
    if (try_folder(trace->linker, *folder, name, path))
      return true;
  return false;
}

static bool search(const struct trace *trace, size_t by, const char *name, char path[PATH_SIZE]) {
  const struct asker *asker = by != PPI_LOADED_NOBODY ? &trace->askers[by] : NULL;
  if (strchr(name, '/'))
    return expand(name, strlen(name), asker ? asker->origin : NULL, path, PATH_SIZE) && is_library(path);
  return try_rpaths(trace, by, name, path) ||
         (trace->linker->library_path && trace->linker->library_path[0] &&
          try_path(trace->linker, trace->linker->library_path, ":;", NULL, name, path)) ||
         (asker && try_path(trace->linker, asker->runpath, ":", asker->origin, name, path)) ||
         try_cache(trace, name, path) || try_folders(trace, name, path);
}

/* --- The files, each asking for more ---------------------------------------------------------------------------------- */

static bool is_loaded(const struct trace *trace, const char *name) {
  for (size_t i = 0; i < trace->loaded.count; i++) {
    const char *soname = trace->askers[i].soname, *asked = trace->loaded.files[i].name;
    if ((asked && strcmp(asked, name) == 0) || (soname && strcmp(soname, name) == 0))
      return true;
  }
  return false;
}

static enum perfpred_status add(struct trace *trace, const char *name, const char *path, size_t by) {
  struct asker *grown = realloc(trace->askers, (trace->loaded.count + 1) * sizeof *grown);
  if (!grown)
    return ppi_error_memory(trace->error);
  trace->askers = grown;
  grown[trace->loaded.count] = (struct asker){ 0 };
  return ppi_loaded_add(&trace->loaded, name, path, by, trace->error);
}

/* A library by its name, unless it is there already. */
static enum perfpred_status ask(struct trace *trace, const char *name, size_t by) {
  char path[PATH_SIZE];
  if (is_loaded(trace, name))
    return PERFPRED_OK;
  if (!search(trace, by, name, path))
    return add(trace, name, NULL, by);
  return ppi_loaded_has(&trace->loaded, path) ? PERFPRED_OK : add(trace, name, path, by);
}

/* The linker takes the folder of the file itself, wherever links lead to it. */
static enum perfpred_status find_origin(const char *path, char **origin, struct perfpred_error *error) {
  char *real = realpath(path, NULL);
  char *made = strdup(real ? real : path);
  free(real);
  if (!made)
    return ppi_error_memory(error);
  char *slash = strrchr(made, '/');
  if (slash)
    slash[slash == made] = '\0';
  else
    strcpy(made, ".");
  *origin = made;
  return PERFPRED_OK;
}

static void take(struct asker *asker, struct ppi_elf *elf) {
  asker->soname = elf->soname;
  asker->runpath = elf->runpath;
  elf->soname = elf->runpath = NULL;
  if (!asker->runpath) {
    asker->rpath = elf->rpath;
    elf->rpath = NULL;
  }
}

static enum perfpred_status ask_all(struct trace *trace, size_t place, const struct ppi_elf *elf) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; status == PERFPRED_OK && i < elf->needed_count; i++)
    status = ask(trace, elf->needed[i], place);
  return status;
}

/* A damaged library has nothing to ask for: the linker would stop there. */
static enum perfpred_status follow(struct trace *trace, size_t place) {
  const char *path = trace->loaded.files[place].path;
  struct ppi_elf elf;
  if (!path)
    return PERFPRED_OK;
  enum perfpred_status status = find_origin(path, &trace->askers[place].origin, trace->error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_elf_open(path, "library", &elf, NULL);
  if (status == PERFPRED_OK) {
    status = ppi_elf_link(&elf, path, "library", NULL);
    if (status == PERFPRED_OK) {
      take(&trace->askers[place], &elf);
      status = ask_all(trace, place, &elf);
      ppi_elf_close(&elf);
      return status;
    }
    ppi_elf_close(&elf);
  }
  return status == PERFPRED_NO_MEMORY ? ppi_error_memory(trace->error) : PERFPRED_OK;
}

/* Those of LD_PRELOAD stand behind the program and before all that it asks for. */
static enum perfpred_status preload(struct trace *trace) {
  const char *list = trace->linker->preload;
  char name[PATH_SIZE];
  enum perfpred_status status = PERFPRED_OK;
  while (list && *list && status == PERFPRED_OK) {
    size_t length = strcspn(list, " :");
    if (length > 0 && length < sizeof name) {
      memcpy(name, list, length);
      name[length] = '\0';
      status = ask(trace, name, PPI_LOADED_NOBODY);
    }
    list += length + (list[length] != '\0');
  }
  return status;
}

static enum perfpred_status run(struct trace *trace, bool dynamic) {
  enum perfpred_status status = dynamic ? preload(trace) : PERFPRED_OK;
  for (size_t i = 0; i < trace->loaded.count && status == PERFPRED_OK; i++)
    status = follow(trace, i);
  return status;
}

static enum perfpred_status finish(struct trace *trace, size_t count, enum perfpred_status status,
                                   struct ppi_loaded *loaded) {
  for (size_t i = 0; i < count; i++) {
    free(trace->askers[i].origin);
    free(trace->askers[i].runpath);
    free(trace->askers[i].rpath);
    free(trace->askers[i].soname);
  }
  free(trace->askers);
  ppi_linker_cache_close(&trace->cache);
  if (status == PERFPRED_OK)
    *loaded = trace->loaded;
  else
    ppi_loaded_free(&trace->loaded);
  return status;
}

enum perfpred_status ppi_linker_trace(const struct ppi_linker *linker, const char *program, struct ppi_loaded *loaded,
                                      struct perfpred_error *error) {
  struct trace trace = { .linker = linker, .error = error };
  struct ppi_elf elf;
  enum perfpred_status status = ppi_elf_open(program, "program", &elf, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_elf_link(&elf, program, "program", error);
  bool dynamic = elf.dynamic;
  ppi_elf_close(&elf);
  if (status == PERFPRED_OK)
    status = ppi_linker_cache_open(linker->cache, &trace.cache, error);
  if (status == PERFPRED_OK)
    status = add(&trace, NULL, program, PPI_LOADED_NOBODY);
  if (status == PERFPRED_OK)
    status = run(&trace, dynamic);
  return finish(&trace, trace.loaded.count, status, loaded);
}

enum perfpred_status ppi_linker_trace_name(const struct ppi_linker *linker, const char *name, struct ppi_loaded *loaded,
                                           struct perfpred_error *error) {
  struct trace trace = { .linker = linker, .error = error };
  enum perfpred_status status = ppi_linker_cache_open(linker->cache, &trace.cache, error);
  if (status == PERFPRED_OK)
    status = ask(&trace, name, PPI_LOADED_NOBODY);
  if (status == PERFPRED_OK)
    status = run(&trace, false);
  return finish(&trace, trace.loaded.count, status, loaded);
}
