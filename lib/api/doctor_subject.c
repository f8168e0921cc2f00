/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked at: its files, those of them that are BLAS and LAPACK, and the setup that is measured in its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/doctor.h"
#include "measure/remote.h"

#define HEAD_MAX 256 /* of a script's first line, as the kernel reads it */

static enum perfpred_status set_target(struct ppi_doctor *doctor, const char *text) {
  free(doctor->target);
  doctor->target = strdup(text);
  return doctor->target ? PERFPRED_OK : ppi_error_memory(doctor->error);
}

static struct ppi_linker linker_of(const struct ppi_doctor *doctor) {
  struct ppi_linker linker = { 0 };
  linker.library_path = ppi_doctor_variable(doctor, "LD_LIBRARY_PATH");
  linker.preload = ppi_doctor_variable(doctor, "LD_PRELOAD");
  return linker;
}

/* --- A program --------------------------------------------------------------------------------------------------------- */

/* A word without a slash is looked for as a shell does. The caller frees. */
static enum perfpred_status find_program(const struct ppi_doctor *doctor, const char *name, char **path) {
  const char *list = strchr(name, '/') ? NULL : getenv("PATH");
  struct ppi_text text = PPI_TEXT_INIT;
  while (list && *list) {
    size_t length = strcspn(list, ":");
    ppi_text_free(&text);
    text = (struct ppi_text)PPI_TEXT_INIT;
    ppi_text_printf(&text, "%.*s/%s", (int)length, list, name);
    if (text.failed || access(text.data, X_OK) == 0)
      break;
    list += length + (list[length] != '\0');
  }
  if (!list || !*list) {
    ppi_text_free(&text);
    text = (struct ppi_text)PPI_TEXT_INIT;
    ppi_text_append(&text, name);
  }
  *path = ppi_text_take(&text);
  return *path ? PERFPRED_OK : ppi_error_memory(doctor->error);
}

/* The program that runs a script: the one behind "#!", or what that looks up where it is env. "" where the file is no script. */
static void read_interpreter(const char *path, char interpreter[HEAD_MAX]) {
  char head[HEAD_MAX] = "";
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t length = file >= 0 ? read(file, head, sizeof head - 1) : -1;
  if (file >= 0)
    close(file);
  interpreter[0] = '\0';
  head[length > 0 ? length : 0] = '\0';
  if (strncmp(head, "#!", 2) != 0)
    return;
  char *word = head + 2 + strspn(head + 2, " \t");
  char *end = word + strcspn(word, " \t\n");
  char *next = end + strspn(end, " \t");
  bool env = end - word >= 4 && strncmp(end - 4, "/env", 4) == 0 && *next && *next != '\n';
  if (env) {
    word = next;
    end = word + strcspn(word, " \t\n");
  }
  snprintf(interpreter, HEAD_MAX, "%.*s", (int)(end - word), word);
}

static void tell_script(struct ppi_doctor *doctor, const char *path, const char *interpreter) {
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "script", PPI_SEVERITY_NOTE, "The program is a script");
  ppi_finding_text(&finding, "detail", "%s is run by %s, which is what is looked at", path, interpreter);
  ppi_finding_text(&finding, "advice", "what the script makes it load later is seen by perfpred doctor -- %s", path);
  ppi_json_put_string(&finding.out, "interpreter", interpreter);
  ppi_finding_end(&finding, doctor);
}

static enum perfpred_status gather_program(struct ppi_doctor *doctor) {
  struct ppi_linker linker = linker_of(doctor);
  char interpreter[HEAD_MAX], *path = NULL, *real = NULL;
  doctor->subject = PPI_DOCTOR_PROGRAM;
  doctor->ordered = true;
  enum perfpred_status status = find_program(doctor, doctor->options.program, &path);
  if (status == PERFPRED_OK)
    status = set_target(doctor, path);
  if (status == PERFPRED_OK) {
    read_interpreter(path, interpreter);
    if (interpreter[0]) {
      tell_script(doctor, path, interpreter);
      status = find_program(doctor, interpreter, &real);
    }
  }
  if (status == PERFPRED_OK)
    status = ppi_linker_trace(&linker, real ? real : path, &doctor->loaded, doctor->error);
  free(real);
  free(path);
  return status;
}

/* --- A process --------------------------------------------------------------------------------------------------------- */

static size_t place_of(const struct ppi_loaded *loaded, const char *path) {
  for (size_t i = 0; i < loaded->count; i++)
    if (loaded->files[i].path && strcmp(loaded->files[i].path, path) == 0)
      return i;
  return loaded->count;
}

/* Brings the files of a process that its program asks for into the order of the linker, the others behind them: the map of a process
   does not tell in which order they were loaded. */
static void sort_as_linked(struct ppi_loaded *seen, const struct ppi_loaded *linked) {
  size_t sorted = 0;
  for (size_t i = 0; i < linked->count; i++) {
    char *real = linked->files[i].path ? realpath(linked->files[i].path, NULL) : NULL;
    size_t place = real ? place_of(seen, real) : seen->count;
    free(real);
    if (place < sorted || place == seen->count)
      continue;
    struct ppi_loaded_file file = seen->files[place];
    memmove(&seen->files[sorted + 1], &seen->files[sorted], (place - sorted) * sizeof file);
    seen->files[sorted++] = file;
  }
}

static enum perfpred_status gather_process(struct ppi_doctor *doctor) {
  char name[1100];
  doctor->subject = PPI_DOCTOR_PROCESS;
  enum perfpred_status status = ppi_process_read("", doctor->options.pid, &doctor->space, doctor->error);
  if (status != PERFPRED_OK)
    return status;
  doctor->other = &doctor->space;
  doctor->loaded = doctor->space.loaded;
  doctor->space.loaded = (struct ppi_loaded)PPI_LOADED_INIT;
  snprintf(name, sizeof name, "%lld %s", (long long)doctor->options.pid, doctor->space.executable);
  status = set_target(doctor, name);
  if (status != PERFPRED_OK || doctor->space.prefix[0] || !doctor->space.executable[0])
    return status;
  struct ppi_linker linker = linker_of(doctor);
  struct ppi_loaded linked = PPI_LOADED_INIT;
  status = ppi_linker_trace(&linker, doctor->space.executable, &linked, NULL);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(doctor->error);
  if (status == PERFPRED_OK)
    sort_as_linked(&doctor->loaded, &linked);
  ppi_loaded_free(&linked);
  return PERFPRED_OK;
}

/* --- A setup ------------------------------------------------------------------------------------------------------------ */

static enum perfpred_status add_library(struct ppi_doctor *doctor, const char *path, const char *usual) {
  struct ppi_linker linker = linker_of(doctor);
  struct ppi_loaded found = PPI_LOADED_INIT;
  if (path[0])
    return ppi_loaded_add(&doctor->loaded, usual, path, PPI_LOADED_NOBODY, doctor->error);
  enum perfpred_status status = ppi_linker_trace_name(&linker, usual, &found, doctor->error);
  for (size_t i = 0; i < found.count && status == PERFPRED_OK; i++)
    if (!found.files[i].path || !ppi_loaded_has(&doctor->loaded, found.files[i].path))
      status =
          ppi_loaded_add(&doctor->loaded, found.files[i].name, found.files[i].path, PPI_LOADED_NOBODY, doctor->error);
  ppi_loaded_free(&found);
  return status;
}

static enum perfpred_status gather_setup(struct ppi_doctor *doctor) {
  struct ppi_remote_plan plan = { 0 };
  doctor->subject = PPI_DOCTOR_SETUP;
  doctor->ordered = true;
  enum perfpred_status status = ppi_remote_plan_create(doctor->options.setup, &plan, doctor->error);
  if (status != PERFPRED_OK)
    return status;
  status = set_target(doctor, "the setup that is measured");
  if (status == PERFPRED_OK)
    status = add_library(doctor, plan.blas, "libblas.so.3");
  if (status == PERFPRED_OK)
    status = add_library(doctor, plan.lapack, "liblapack.so.3");
  ppi_remote_plan_free(&plan);
  return status;
}

/* --- BLAS and LAPACK among the files ------------------------------------------------------------------------------------ */

/* A file that is no library, or a damaged one, provides nothing; a library that the linker would refuse is told of elsewhere. */
static enum perfpred_status read_providers(struct ppi_doctor *doctor) {
  const char *prefix = doctor->other ? doctor->other->prefix : "";
  doctor->providers = calloc(doctor->loaded.count + 1, sizeof *doctor->providers);
  if (!doctor->providers)
    return ppi_error_memory(doctor->error);
  for (size_t i = 0; i < doctor->loaded.count; i++) {
    struct ppi_provider *provider = &doctor->providers[doctor->provider_count];
    if (!doctor->loaded.files[i].path)
      continue;
    enum perfpred_status status = ppi_provider_read(prefix, doctor->loaded.files[i].path, provider, NULL);
    if (status == PERFPRED_NO_MEMORY)
      return ppi_error_memory(doctor->error);
    if (status == PERFPRED_OK && (provider->blas || provider->lapack || provider->ilaenv || provider->override))
      doctor->provider_count++;
  }
  return PERFPRED_OK;
}

static void choose_providers(struct ppi_doctor *doctor) {
  for (size_t i = doctor->provider_count; i-- > 0;) {
    const struct ppi_provider *provider = &doctor->providers[i];
    if (provider->blas)
      doctor->blas = provider;
    if (provider->lapack)
      doctor->lapack = provider;
    if (provider->override)
      doctor->override = provider;
  }
}

/* --- The setup that stands for it ------------------------------------------------------------------------------------------ */

static enum perfpred_status keep(struct ppi_doctor *doctor, const char *name, size_t *count) {
  const char *value = doctor->other ? ppi_process_variable(doctor->other, name) : NULL;
  struct ppi_text text = PPI_TEXT_INIT;
  if (!value)
    return PERFPRED_OK;
  ppi_text_printf(&text, "%s=%s", name, value);
  doctor->environment[*count] = ppi_text_take(&text);
  return doctor->environment[(*count)++] ? PERFPRED_OK : ppi_error_memory(doctor->error);
}

static size_t given_entries(const struct ppi_doctor *doctor) {
  size_t count = 0;
  while (doctor->setup.environment && doctor->setup.environment[count])
    count++;
  return count;
}

/* What chooses kernels in the process does in the worker as well, unless the caller says otherwise. */
static enum perfpred_status make_entries(struct ppi_doctor *doctor) {
  static const char *const choosing[] = { "BLIS_ARCH_TYPE", "OPENBLAS_CORETYPE", "MKL_ENABLE_INSTRUCTIONS" };
  size_t own = 0, given = given_entries(doctor);
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < sizeof choosing / sizeof choosing[0] && status == PERFPRED_OK; i++)
    status = keep(doctor, choosing[i], &own);
  if (status != PERFPRED_OK)
    return status;
  doctor->entries = calloc(own + given + 1, sizeof *doctor->entries);
  if (!doctor->entries)
    return ppi_error_memory(doctor->error);
  for (size_t i = 0; i < given; i++) /* the first of a name counts */
    doctor->entries[i] = doctor->setup.environment[i];
  for (size_t i = 0; i < own; i++)
    doctor->entries[given + i] = doctor->environment[i];
  return PERFPRED_OK;
}

/* BLIS's libblas.so.3 exports nothing that tells its kernels; libblis.so.4 beside it is the same library with all its names. */
static enum perfpred_status choose_blas(struct ppi_doctor *doctor) {
  const char *path = doctor->blas->file.path, *slash = strrchr(path, '/');
  struct ppi_text text = PPI_TEXT_INIT;
  doctor->setup.blas = path;
  if (strcmp(doctor->blas->file.family, "blis") != 0 || !slash || strncmp(slash + 1, "libblas", 7) != 0)
    return PERFPRED_OK;
  ppi_text_printf(&text, "%.*s/libblis.so.4", (int)(slash - path), path);
  doctor->sibling = ppi_text_take(&text);
  if (!doctor->sibling)
    return ppi_error_memory(doctor->error);
  if (access(doctor->sibling, R_OK) == 0)
    doctor->setup.blas = doctor->sibling;
  return PERFPRED_OK;
}

/* Libraries that the caller has not named are those of the subject. */
static enum perfpred_status take_libraries(struct ppi_doctor *doctor) {
  bool here = !doctor->other || !doctor->other->prefix[0];
  doctor->measurable = doctor->setup.blas || (doctor->blas && here);
  doctor->lapack_known = doctor->setup.lapack || (doctor->lapack && here);
  if (!doctor->setup.lapack && doctor->lapack)
    doctor->setup.lapack = doctor->lapack->file.path;
  return !doctor->setup.blas && doctor->blas ? choose_blas(doctor) : PERFPRED_OK;
}

static enum perfpred_status choose_setup(struct ppi_doctor *doctor) {
  enum perfpred_status status = PERFPRED_OK;
  const struct perfpred_setup *given = doctor->options.setup;
  doctor->setup = (struct perfpred_setup)PERFPRED_SETUP_INIT;
  if (given)
    memcpy(&doctor->setup, given, given->size < sizeof doctor->setup ? given->size : sizeof doctor->setup);
  doctor->setup.size = sizeof doctor->setup;
  doctor->measurable = doctor->lapack_known = true;
  if (doctor->subject != PPI_DOCTOR_SETUP)
    status = take_libraries(doctor);
  if (status == PERFPRED_OK)
    status = make_entries(doctor);
  doctor->setup.environment = doctor->entries;
  return status;
}

enum perfpred_status ppi_doctor_gather(struct ppi_doctor *doctor) {
  enum perfpred_status status = doctor->options.record    ? ppi_doctor_record(doctor)
                                : doctor->options.program ? gather_program(doctor)
                                : doctor->options.pid     ? gather_process(doctor)
                                                          : gather_setup(doctor);
  if (status == PERFPRED_OK)
    status = read_providers(doctor);
  if (status != PERFPRED_OK)
    return status;
  choose_providers(doctor);
  status = ppi_process_read("", 0, &doctor->self, NULL);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(doctor->error);
  return choose_setup(doctor);
}
