/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/doctor_record.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/doctor.h"

#define LINE_BYTES 8192

/* --- The linker's notes of one process ------------------------------------------------------------------------------------- */

struct notes {
  struct ppi_loaded loaded; /* path NULL until the file is initialised; deleted: closed again */
  char *program;
  struct perfpred_error *error;
};

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static struct ppi_loaded_file *find(const struct notes *notes, const char *name) {
  for (size_t i = 0; i < notes->loaded.count; i++)
    if (strcmp(notes->loaded.files[i].name, name) == 0)
      return &notes->loaded.files[i];
  return NULL;
}

/* "file=NAME [0];  generating link map" and the like: cuts the name out; NULL: no such line. */
static char *name_in(char *text, const char *event) {
  static const char begin[] = "file=";
  char *end = strstr(text, " [");
  if (strncmp(text, begin, sizeof begin - 1) != 0 || !end || !strstr(end, event))
    return NULL;
  *end = '\0';
  return text + sizeof begin - 1;
}

/* A file that is loaded while it is there: the process runs another program by now. */
static enum perfpred_status note_file(struct notes *notes, const char *name) {
  struct ppi_loaded_file *file = find(notes, name);
  if (file && file->deleted) {
    file->deleted = false;
    return PERFPRED_OK;
  }
  if (file)
    ppi_loaded_free(&notes->loaded);
  return ppi_loaded_add(&notes->loaded, name, NULL, PPI_LOADED_NOBODY, notes->error);
}

static enum perfpred_status note_path(struct notes *notes, const char *path) {
  for (size_t i = 0; i < notes->loaded.count; i++) {
    struct ppi_loaded_file *file = &notes->loaded.files[i];
    if (file->path || strcmp(base_of(file->name), base_of(path)) != 0)
      continue;
    file->path = strdup(path);
    return file->path ? PERFPRED_OK : ppi_error_memory(notes->error);
  }
  return PERFPRED_OK;
}

static enum perfpred_status note_program(struct notes *notes, const char *path) {
  char *copy = strdup(path);
  if (!copy)
    return ppi_error_memory(notes->error);
  free(notes->program);
  notes->program = copy;
  return PERFPRED_OK;
}

/* "     7916:\tTEXT" */
static enum perfpred_status read_line(struct notes *notes, char *line) {
  static const char init[] = "calling init: ", start[] = "initialize program: ";
  char *text = strstr(line, ":\t"), *name;
  if (!text)
    return PERFPRED_OK;
  text += 2;
  text[strcspn(text, "\n")] = '\0';
  if (strncmp(text, init, sizeof init - 1) == 0)
    return note_path(notes, text + sizeof init - 1);
  if (strncmp(text, start, sizeof start - 1) == 0)
    return note_program(notes, text + sizeof start - 1);
  name = name_in(text, "generating link map");
  if (name)
    return note_file(notes, name);
  name = name_in(text, "destroying link map");
  struct ppi_loaded_file *file = name ? find(notes, name) : NULL;
  if (file)
    file->deleted = true;
  return PERFPRED_OK;
}

/* What was loaded at some time counts, closed or not; files whose place is not known do not. */
static void keep_known(struct ppi_loaded *loaded) {
  size_t kept = 0;
  for (size_t i = 0; i < loaded->count; i++) {
    struct ppi_loaded_file file = loaded->files[i];
    file.deleted = false;
    if (file.path) {
      loaded->files[kept++] = file;
      continue;
    }
    free(file.name);
  }
  loaded->count = kept;
}

enum perfpred_status ppi_record_read(FILE *file, struct ppi_loaded *loaded, char **program,
                                     struct perfpred_error *error) {
  struct notes notes = { PPI_LOADED_INIT, NULL, error };
  enum perfpred_status status = PERFPRED_OK;
  char line[LINE_BYTES];
  bool whole = true;
  while (status == PERFPRED_OK && fgets(line, sizeof line, file)) {
    bool ends = strchr(line, '\n') != NULL;
    if (whole && ends)
      status = read_line(&notes, line);
    whole = ends;
  }
  if (status != PERFPRED_OK) {
    ppi_loaded_free(&notes.loaded);
    free(notes.program);
    return status;
  }
  keep_known(&notes.loaded);
  *loaded = notes.loaded;
  *program = notes.program;
  return PERFPRED_OK;
}

/* --- All processes of a run ---------------------------------------------------------------------------------------------------- */

struct processes {
  struct ppi_loaded best;
  char *program;
  int weight; /* of the best one: -1: none yet */
  size_t count;
};

/* The process that has to do with BLAS and LAPACK, the first one of several. */
static int weigh(const struct ppi_loaded *loaded) {
  static const char *const names[] = { "lapack", "blas", "blis", "mkl" };
  for (size_t i = 0; i < loaded->count; i++)
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
      if (strstr(base_of(loaded->files[i].path), names[k]))
        return 1;
  return 0;
}

static enum perfpred_status read_process(const char *folder, const char *name, struct processes *processes,
                                         struct perfpred_error *error) {
  struct ppi_text path = PPI_TEXT_INIT;
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  char *program = NULL;
  ppi_text_printf(&path, "%s/%s", folder, name);
  FILE *file = path.failed ? NULL : fopen(path.data, "re");
  enum perfpred_status status = path.failed ? ppi_error_memory(error) : PERFPRED_OK;
  if (file) {
    status = ppi_record_read(file, &loaded, &program, error);
    fclose(file);
  }
  ppi_text_free(&path);
  if (status != PERFPRED_OK || !file)
    return status;
  processes->count++;
  int weight = weigh(&loaded);
  if (weight > processes->weight) {
    ppi_loaded_free(&processes->best);
    free(processes->program);
    processes->best = loaded;
    processes->program = program;
    processes->weight = weight;
    return PERFPRED_OK;
  }
  ppi_loaded_free(&loaded);
  free(program);
  return PERFPRED_OK;
}

static int is_of_process(const struct dirent *entry) {
  static const char begin[] = PPI_RECORD_LOADED ".";
  return strncmp(entry->d_name, begin, sizeof begin - 1) == 0;
}

static enum perfpred_status read_processes(const char *folder, struct processes *processes,
                                           struct perfpred_error *error) {
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, is_of_process, versionsort);
  enum perfpred_status status = PERFPRED_OK;
  if (count < 0 && errno == ENOMEM)
    return ppi_error_memory(error);
  if (count < 0)
    return ppi_error_set(error, errno == ENOENT ? PERFPRED_MISSING : PERFPRED_IO, "record '%s': %s", folder,
                         errno == ENOENT ? "no such folder" : strerror(errno));
  for (int i = 0; i < count; i++) {
    if (status == PERFPRED_OK)
      status = read_process(folder, entries[i]->d_name, processes, error);
    free(entries[i]);
  }
  free(entries);
  return status;
}

static void tell_run(struct ppi_doctor *doctor, size_t count) {
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "run", count > 0 ? PPI_SEVERITY_OK : PPI_SEVERITY_NOTE,
                    count > 0 ? "The run was seen" : "The run left no trace");
  if (count > 0)
    ppi_finding_text(&finding, "detail", "%zu process%s; what follows is of %s", count, count == 1 ? "" : "es",
                     doctor->target);
  else
    ppi_finding_text(&finding, "detail",
                     "programs that are linked statically, or have rights that their caller has not, cannot be seen");
  ppi_json_put_integer(&finding.out, "processes", (int64_t)count);
  ppi_finding_end(&finding, doctor);
}

enum perfpred_status ppi_doctor_record(struct ppi_doctor *doctor) {
  struct processes processes = { PPI_LOADED_INIT, NULL, -1, 0 };
  doctor->subject = PPI_DOCTOR_RUN;
  doctor->ordered = true;
  enum perfpred_status status = read_processes(doctor->options.record, &processes, doctor->error);
  if (status != PERFPRED_OK) {
    ppi_loaded_free(&processes.best);
    free(processes.program);
    return status;
  }
  doctor->loaded = processes.best;
  doctor->target = processes.program ? processes.program : strdup("a run");
  if (!doctor->target)
    return ppi_error_memory(doctor->error);
  tell_run(doctor, processes.count);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_doctor_environment(const char *folder, char **entries, struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!folder || !entries)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !folder ? "folder" : "entries");
  if (folder[0] != '/' || strchr(folder, '\n'))
    return ppi_error_set(error, PERFPRED_INVALID, "folder is '%s', expected a path from / on, without line breaks",
                         folder);
  ppi_text_printf(&text, "LD_DEBUG=files\nLD_DEBUG_OUTPUT=%s/" PPI_RECORD_LOADED "\n", folder);
  ppi_text_printf(&text, "PERFPRED_ILAENV_LOG=%s/" PPI_RECORD_QUESTIONS "\n", folder);
  char *taken = ppi_text_take(&text);
  if (!taken)
    return ppi_error_memory(error);
  *entries = taken;
  return PERFPRED_OK;
}
