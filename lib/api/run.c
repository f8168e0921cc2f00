/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment in which a program runs under the override. */
#include <perfpred/decisions.h>
#include <perfpred/run.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/library.h"
#include "measure/remote.h"
#include "store/table.h"
#include "store/table_place.h"

#ifndef PPI_ILAENV_PATH
#define PPI_ILAENV_PATH "/usr/lib/libperfpred-ilaenv.so.0"
#endif

#define ENTRIES_MAX 4
#define PRELOAD_SEPARATORS ": \t\n$"

/* Owned texts. */
struct entries {
  char *texts[ENTRIES_MAX];
  size_t count;
};

static enum perfpred_status add(struct entries *entries, struct ppi_text *text, struct perfpred_error *error) {
  char *taken = ppi_text_take(text);
  if (!taken)
    return ppi_error_memory(error);
  entries->texts[entries->count++] = taken;
  return PERFPRED_OK;
}

/* One block: pointers, then what they point to. */
static enum perfpred_status pack(const struct entries *entries, char ***packed, struct perfpred_error *error) {
  size_t size = (entries->count + 1) * sizeof(char *);
  for (size_t i = 0; i < entries->count; i++)
    size += strlen(entries->texts[i]) + 1;
  char **block = malloc(size);
  if (!block)
    return ppi_error_memory(error);
  char *at = (char *)(block + entries->count + 1);
  for (size_t i = 0; i < entries->count; i++) {
    size_t length = strlen(entries->texts[i]) + 1;
    block[i] = memcpy(at, entries->texts[i], length);
    at += length;
  }
  block[entries->count] = NULL;
  *packed = block;
  return PERFPRED_OK;
}

/* Appends to a list that the dynamic linker reads; nothing is added for an empty text. */
static void append(struct ppi_text *list, const char *more) {
  if (more && more[0] != '\0')
    ppi_text_printf(list, "%s%s", list->data && list->data[list->length - 1] != '=' ? ":" : "", more);
}

/* The dynamic linker takes its lists apart at these characters, and $ for the begin of a name. */
static enum perfpred_status check_path(const char *path, const char *what, const char *separators,
                                       struct perfpred_error *error) {
  if (path[strcspn(path, separators)] == '\0')
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "%s '%s': the dynamic linker cannot be given a path with '%c'", what,
                       path, path[strcspn(path, separators)]);
}

/* The libraries behind what the caller preloads: that may stand in front of them. */
static enum perfpred_status add_preload(const char *override, const struct ppi_text *libraries, struct entries *entries,
                                        struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_append(&text, "LD_PRELOAD=");
  append(&text, override);
  append(&text, getenv("LD_PRELOAD"));
  append(&text, libraries->data);
  return add(entries, &text, error);
}

/* The caller frees. */
static enum perfpred_status find_override(const struct perfpred_run_options *options, char **real,
                                          struct perfpred_error *error) {
  char id[PPI_BUILD_ID_MAX];
  const char *path = options->override_library;
  if (!path)
    path = secure_getenv("PERFPRED_OVERRIDE");
  if (!path || !path[0])
    path = PPI_ILAENV_PATH;
  enum perfpred_status status = ppi_library_file_id(path, "override library", id, error);
  if (status != PERFPRED_OK)
    return status;
  *real = realpath(path, NULL);
  if (!*real)
    return ppi_error_set(error, PERFPRED_IO, "override library '%s': %s", path, strerror(errno));
  return check_path(*real, "override library", PRELOAD_SEPARATORS, error);
}

/* --- The table ---------------------------------------------------------------------------------------------------------- */

static enum perfpred_status check_table(const char *path, bool force, struct perfpred_error *error) {
  struct perfpred_decisions *decisions;
  struct ppi_machine here = { .cores = 0 };
  enum perfpred_status status = perfpred_decisions_load(path, &decisions, error);
  if (status != PERFPRED_OK)
    return status;
  const struct ppi_table_header *header = decisions->table.header;
  ppi_machine_here(&here);
  if (header->cpu[0] != '\0' && !force && strncmp(header->cpu, here.cpu, sizeof header->cpu - 1) != 0)
    status = ppi_error_set(error, PERFPRED_OTHER_MACHINE,
                           "'%s': made on CPU \"%.79s\", this one is \"%.100s\"; with force it is used nevertheless",
                           path, header->cpu, here.cpu);
  perfpred_decisions_destroy(decisions);
  return status;
}

static enum perfpred_status add_table_at(const char *path, bool force, struct entries *entries,
                                         struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  enum perfpred_status status = check_table(path, force, error);
  if (status != PERFPRED_OK)
    return status;
  char *real = realpath(path, NULL);
  if (!real)
    return ppi_error_set(error, PERFPRED_IO, "'%s': %s", path, strerror(errno));
  ppi_text_printf(&text, "PERFPRED_TABLE=%s", real);
  free(real);
  status = add(entries, &text, error);
  if (status == PERFPRED_OK && force) {
    ppi_text_append(&text, "PERFPRED_FORCE=1");
    status = add(entries, &text, error);
  }
  return status;
}

static enum perfpred_status add_table(const struct perfpred_run_options *options, struct entries *entries,
                                      struct perfpred_error *error) {
  const char *named = secure_getenv("PERFPRED_TABLE"), *data = secure_getenv("XDG_DATA_HOME");
  const char *path = options->table;
  char usual[PATH_MAX];
  if (!path && ppi_table_place(named, data, secure_getenv("HOME"), usual, sizeof usual) && access(usual, F_OK) == 0)
    path = usual;
  return path ? add_table_at(path, options->force != 0, entries, error) : PERFPRED_OK;
}

/* --- The libraries ------------------------------------------------------------------------------------------------------ */

/* A folder that is there, or can be made, and that nobody else can change. */
static bool own_folder(const char *path) {
  struct stat state;
  if (mkdir(path, 0700) != 0 && errno != EEXIST)
    return false;
  return lstat(path, &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == geteuid() &&
         (state.st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(path, W_OK | X_OK) == 0;
}

/* Makes text a folder for what can be made again at any time; false: there is none. */
static bool cache_folder(struct ppi_text *text) {
  const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME"), *root = secure_getenv("TMPDIR");
  if (cache && cache[0] == '/') {
    ppi_text_append(text, cache);
  } else if (home && home[0] == '/') {
    ppi_text_printf(text, "%s/.cache", home);
  }
  if (text->length > 0 && !text->failed) {
    mkdir(text->data, 0700);
    ppi_text_append(text, "/perfpred");
    if (!text->failed && own_folder(text->data))
      return true;
  }
  ppi_text_free(text);
  *text = (struct ppi_text)PPI_TEXT_INIT;
  ppi_text_printf(text, "%s/perfpred-%lu", root && root[0] == '/' ? root : "/tmp", (unsigned long)geteuid());
  return !text->failed && own_folder(text->data);
}

/* FNV-1a, with the null byte at the end. */
static uint64_t hash(uint64_t value, const char *text) {
  do
    value = (value ^ (unsigned char)*text) * 1099511628211U;
  while (*text++ != '\0');
  return value;
}

static enum perfpred_status make_folder(const struct ppi_remote_plan *plan, struct ppi_text *path,
                                        struct perfpred_error *error) {
  bool found = cache_folder(path);
  uint64_t mark = hash(hash(14695981039346656037U, plan->blas), plan->lapack);
  if (found)
    ppi_text_printf(path, "/libraries-%016llx", (unsigned long long)mark);
  if (path->failed)
    return ppi_error_memory(error);
  if (!found || !own_folder(path->data))
    return ppi_error_set(
        error, PERFPRED_IO,
        "'%s' cannot be made a folder of this user alone; expected one of HOME, XDG_CACHE_HOME, TMPDIR "
        "to be a folder that can be written into",
        path->data);
  return ppi_remote_folder_fill(path->data, plan, error);
}

/* What is to be preloaded of them: LAPACK first, as a program that links both has it. */
static enum perfpred_status list_libraries(const struct ppi_remote_plan *plan, const char *folder,
                                           struct ppi_text *list, struct perfpred_error *error) {
  if (plan->lapack[0] != '\0')
    ppi_text_printf(list, "%s/liblapack.so.3", folder);
  if (plan->blas[0] != '\0')
    ppi_text_printf(list, "%s%s/libblas.so.3", list->length > 0 ? ":" : "", folder);
  if (list->failed)
    return ppi_error_memory(error);
  return check_path(folder, "folder", PRELOAD_SEPARATORS, error);
}

/* Adds the path that they are found by, and to `preloaded` what is to be preloaded of them. */
static enum perfpred_status add_libraries(const struct perfpred_run_options *options, struct ppi_text *preloaded,
                                          struct entries *entries, struct perfpred_error *error) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct ppi_remote_plan plan;
  struct ppi_text folder = PPI_TEXT_INIT, text = PPI_TEXT_INIT;
  setup.blas = options->blas;
  setup.lapack = options->lapack;
  enum perfpred_status status = ppi_remote_plan_create(&setup, &plan, error);
  if (status != PERFPRED_OK)
    return status;
  if (plan.blas[0] == '\0' && plan.lapack[0] == '\0')
    goto done;
  status = make_folder(&plan, &folder, error);
  if (status == PERFPRED_OK)
    status = check_path(folder.data, "folder", ":;$", error);
  if (status == PERFPRED_OK && options->preload_libraries)
    status = list_libraries(&plan, folder.data, preloaded, error);
  if (status == PERFPRED_OK) {
    ppi_text_append(&text, "LD_LIBRARY_PATH=");
    append(&text, folder.data);
    append(&text, getenv("LD_LIBRARY_PATH"));
    status = add(entries, &text, error);
  }
done:
  ppi_text_free(&folder);
  ppi_remote_plan_free(&plan);
  return status;
}

/* --- The interface ------------------------------------------------------------------------------------------------------ */

static enum perfpred_status read_options(const struct perfpred_run_options *given, struct perfpred_run_options *read,
                                         struct perfpred_error *error) {
  struct perfpred_run_options full = PERFPRED_RUN_OPTIONS_INIT;
  if (given && given->size < sizeof given->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size is %zu, expected PERFPRED_RUN_OPTIONS_INIT",
                         given->size);
  if (given)
    memcpy(&full, given, given->size < sizeof full ? given->size : sizeof full);
  if (full.keep_libraries && (full.blas || full.lapack || full.preload_libraries))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "keep_libraries is set, expected neither blas, lapack nor preload_libraries beside it");
  *read = full;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_run_environment(const struct perfpred_run_options *options, char ***entries,
                                              struct perfpred_error *error) {
  struct perfpred_run_options read = PERFPRED_RUN_OPTIONS_INIT;
  struct entries made = { .count = 0 };
  ppi_error_clear(error);
  if (!entries)
    return ppi_error_set(error, PERFPRED_INVALID, "entries is NULL, expected where to put them");
  struct ppi_text libraries = PPI_TEXT_INIT;
  char *override = NULL;
  enum perfpred_status status = read_options(options, &read, error);
  if (status == PERFPRED_OK)
    status = find_override(&read, &override, error);
  if (status == PERFPRED_OK && !read.keep_libraries)
    status = add_libraries(&read, &libraries, &made, error);
  if (status == PERFPRED_OK)
    status = add_preload(override, &libraries, &made, error);
  if (status == PERFPRED_OK)
    status = add_table(&read, &made, error);
  if (status == PERFPRED_OK)
    status = pack(&made, entries, error);
  for (size_t i = 0; i < made.count; i++)
    free(made.texts[i]);
  ppi_text_free(&libraries);
  free(override);
  return status;
}
