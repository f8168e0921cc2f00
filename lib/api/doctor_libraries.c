/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files answer for BLAS and LAPACK, and what is strange about that. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/doctor.h"

/* "OpenBLAS 0.3.21 (/usr/lib/...)" */
static void name_provider(const struct ppi_provider *provider, char *text, size_t size) {
  const struct ppi_library *file = &provider->file;
  static const struct {
    const char *family, *name;
  } names[] = { { "openblas", "OpenBLAS" }, { "blis", "BLIS" },           { "mkl", "MKL" },
                { "atlas", "ATLAS" },       { "reference", "reference" }, { "flexiblas", "FlexiBLAS" } };
  const char *name = strcmp(file->family, "other") == 0 ? "of unknown kind" : file->family;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i].family, file->family) == 0)
      name = names[i].name;
  snprintf(text, size, "%s%s%s (%s)", name, file->version[0] ? " " : "", file->version, file->path);
}

static const char *subject_words(const struct ppi_doctor *doctor) {
  static const char *const words[] = { "the setup", "the program", "the process", "the run" };
  return words[doctor->subject];
}

static void tell_none(struct ppi_doctor *doctor, const char *id, const char *what) {
  struct ppi_finding finding;
  bool setup = doctor->subject == PPI_DOCTOR_SETUP;
  char title[64];
  snprintf(title, sizeof title, "No %s", what);
  ppi_finding_begin(&finding, id, setup ? PPI_SEVERITY_PROBLEM : PPI_SEVERITY_NOTE, title);
  ppi_finding_text(&finding, "detail", "%s %s no %s%s", subject_words(doctor),
                   doctor->subject == PPI_DOCTOR_PROGRAM ? "asks for" : "has", what,
                   doctor->subject == PPI_DOCTOR_PROGRAM ? " when it starts" : "");
  if (doctor->subject == PPI_DOCTOR_PROGRAM)
    ppi_finding_text(&finding, "advice",
                     "interpreters load it later, when a package wants it: perfpred doctor -- COMMAND sees that");
  else if (setup)
    ppi_finding_text(&finding, "advice", "install one (Debian: libblis4-serial, liblapack3), or name it");
  ppi_json_put_null(&finding.out, "found");
  ppi_finding_end(&finding, doctor);
}

/* Who answers for dgemm or dpotrf. */
static void tell_provider(struct ppi_doctor *doctor, const char *id, const char *what,
                          const struct ppi_provider *provider) {
  struct ppi_finding finding;
  char name[1400], title[64];
  if (!provider) {
    tell_none(doctor, id, what);
    return;
  }
  name_provider(provider, name, sizeof name);
  snprintf(title, sizeof title, "%s: %s", what, provider->file.family);
  ppi_finding_begin(&finding, id, PPI_SEVERITY_OK, title);
  ppi_finding_text(&finding, "detail", "%s%s%s%s", name, provider->alternative[0] ? ", by " : "", provider->alternative,
                   provider->ilp64 ? ", integers of 64 bits" : "");
  ppi_finding_put_provider(&finding.out, "found", provider, false);
  ppi_finding_end(&finding, doctor);
}

/* --- Files that are not there ---------------------------------------------------------------------------------------------- */

static void tell_missing(struct ppi_doctor *doctor) {
  for (size_t i = 0; i < doctor->loaded.count; i++) {
    const struct ppi_loaded_file *file = &doctor->loaded.files[i];
    struct ppi_finding finding;
    if (file->path)
      continue;
    const char *by = file->by != PPI_LOADED_NOBODY ? doctor->loaded.files[file->by].path : NULL;
    ppi_finding_begin(&finding, "missing-library", PPI_SEVERITY_PROBLEM, "A library is missing");
    ppi_finding_text(&finding, "detail", "%s%s%s is not where the dynamic linker looks for it", file->name,
                     by ? ", which is asked for by " : "", by ? by : "");
    ppi_finding_text(&finding, "advice", "install the package that has it, or name its folder in LD_LIBRARY_PATH");
    ppi_json_put_string(&finding.out, "name", file->name);
    ppi_json_put_string(&finding.out, "by", by ? by : "");
    ppi_finding_end(&finding, doctor);
  }
}

static bool is_provider(const struct ppi_doctor *doctor, const char *path) {
  for (size_t i = 0; i < doctor->provider_count; i++)
    if (strcmp(doctor->providers[i].file.path, path) == 0)
      return true;
  return strstr(path, "blas") || strstr(path, "lapack") || strstr(path, "blis");
}

static void tell_deleted(struct ppi_doctor *doctor) {
  for (size_t i = 0; i < doctor->loaded.count; i++) {
    const struct ppi_loaded_file *file = &doctor->loaded.files[i];
    struct ppi_finding finding;
    if (!file->deleted || !is_provider(doctor, file->path))
      continue;
    ppi_finding_begin(&finding, "replaced-library", PPI_SEVERITY_WARNING,
                      "A library was replaced since the process started");
    ppi_finding_text(&finding, "detail", "%s: the process runs a file that is no longer there", file->path);
    ppi_finding_text(&finding, "advice", "restart the process; what is said here of the file is said of the new one");
    ppi_json_put_string(&finding.out, "path", file->path);
    ppi_finding_end(&finding, doctor);
  }
}

/* --- More than one ----------------------------------------------------------------------------------------------------------- */

/* A wrapper such as OpenBLAS's libblas.so.3 and what it wraps are one library; so are the files of one folder. */
static bool are_one(const struct ppi_provider *a, const struct ppi_provider *b) {
  const char *slash = strrchr(a->file.path, '/');
  size_t folder = slash ? (size_t)(slash - a->file.path) + 1 : 0;
  bool same_folder = strncmp(a->file.path, b->file.path, folder) == 0 && !strchr(b->file.path + folder, '/');
  bool split = strcmp(a->file.family, "openblas") == 0 || strcmp(a->file.family, "mkl") == 0 ||
               strcmp(a->file.family, "flexiblas") == 0;
  return strcmp(a->file.family, b->file.family) == 0 && (same_folder || split) && a->ilp64 == b->ilp64;
}

static bool serves(const struct ppi_provider *provider, bool lapack) {
  return lapack ? provider->lapack : provider->blas;
}

/* The first of another kind under the same names. */
static const struct ppi_provider *second_of(const struct ppi_doctor *doctor, const struct ppi_provider *first,
                                            bool lapack) {
  for (size_t i = 0; i < doctor->provider_count && first; i++) {
    const struct ppi_provider *other = &doctor->providers[i];
    if (serves(other, lapack) && !are_one(first, other) && other->suffixed == first->suffixed)
      return other;
  }
  return NULL;
}

static void tell_two(struct ppi_doctor *doctor, bool lapack) {
  const struct ppi_provider *first = lapack ? doctor->lapack : doctor->blas;
  const struct ppi_provider *other = second_of(doctor, first, lapack);
  struct ppi_finding finding;
  char one[1400], two[1400];
  if (!other)
    return;
  name_provider(first, one, sizeof one);
  name_provider(other, two, sizeof two);
  ppi_finding_begin(&finding, lapack ? "two-lapack" : "two-blas", PPI_SEVERITY_WARNING,
                    lapack ? "Two libraries of LAPACK in one process" : "Two libraries of BLAS in one process");
  ppi_finding_text(&finding, "detail", "%s and %s; %s", one, two,
                   doctor->ordered ? "the first one answers for both, whoever asks" : "which one answers is not known");
  ppi_finding_text(&finding, "advice",
                   "let one of them serve all (Debian: update-alternatives), or put the one that is meant first in "
                   "LD_LIBRARY_PATH or LD_PRELOAD");
  ppi_json_put_empty_list(&finding.out, "found");
  for (size_t i = 0; i < doctor->provider_count; i++)
    if (serves(&doctor->providers[i], lapack))
      ppi_finding_put_provider(&finding.out, "found", &doctor->providers[i], true);
  ppi_finding_end(&finding, doctor);
}

static void tell_widths(struct ppi_doctor *doctor) {
  const struct ppi_provider *blas = doctor->blas, *lapack = doctor->lapack;
  struct ppi_finding finding;
  if (!blas || !lapack || blas->ilp64 == lapack->ilp64)
    return;
  ppi_finding_begin(&finding, "integer-width", PPI_SEVERITY_PROBLEM,
                    "BLAS and LAPACK have integers of different width");
  ppi_finding_text(&finding, "detail", "%s has %d bits, %s %d", blas->file.path, blas->ilp64 ? 64 : 32,
                   lapack->file.path, lapack->ilp64 ? 64 : 32);
  ppi_finding_text(&finding, "advice", "take both from one build, or two whose names differ (a suffix such as 64_)");
  ppi_finding_end(&finding, doctor);
}

/* --- What they are ------------------------------------------------------------------------------------------------------------ */

static void tell_reference_blas(struct ppi_doctor *doctor) {
  struct ppi_finding finding;
  if (!doctor->blas || strcmp(doctor->blas->file.family, "reference") != 0)
    return;
  ppi_finding_begin(&finding, "reference-blas", PPI_SEVERITY_WARNING, "The BLAS is the reference one");
  ppi_finding_text(&finding, "detail", "%s is a definition, not an implementation for speed: ten times slower and more",
                   doctor->blas->file.path);
  ppi_finding_text(&finding, "advice", "install an optimised BLAS (Debian: libblis4-openmp or libopenblas0-openmp)");
  ppi_finding_end(&finding, doctor);
}

/* First file that matches, or "". */
static void first_match(const char *pattern, char *path, size_t size) {
  glob_t matches;
  path[0] = '\0';
  if (glob(pattern, 0, NULL, &matches) != 0)
    return;
  snprintf(path, size, "%s", matches.gl_pathc > 0 ? matches.gl_pathv[0] : "");
  globfree(&matches);
}

/* OpenBLAS brings a LAPACK of its own, with its own decompositions and block sizes, and on Debian takes over liblapack.so.3. */
static void tell_other_lapack(struct ppi_doctor *doctor, const struct ppi_provider *lapack) {
  struct ppi_finding finding;
  char reference[1024];
  if (!lapack || strcmp(lapack->file.family, "reference") == 0)
    return;
  first_match("/usr/lib/*/lapack/liblapack.so.3", reference, sizeof reference);
  if (!reference[0])
    return;
  ppi_finding_begin(&finding, "lapack-alternative", PPI_SEVERITY_WARNING,
                    "Reference LAPACK is installed, another one answers");
  ppi_finding_text(&finding, "detail", "%s (%s) answers%s%s; reference LAPACK is %s", lapack->file.path,
                   lapack->file.family, lapack->alternative[0] ? ", by " : "", lapack->alternative, reference);
  ppi_finding_text(&finding, "advice",
                   "if reference LAPACK is meant: update-alternatives, or its folder first in LD_LIBRARY_PATH, or "
                   "perfpred run -- COMMAND");
  ppi_json_put_string(&finding.out, "path", lapack->file.path);
  ppi_json_put_string(&finding.out, "alternative", lapack->alternative);
  ppi_json_put_string(&finding.out, "reference", reference);
  ppi_finding_end(&finding, doctor);
}

/* --- What programs get here that ask for the usual names ------------------------------------------------------------------------ */

static enum perfpred_status tell_system(struct ppi_doctor *doctor, const char *id, const char *name, bool lapack) {
  struct ppi_linker linker = { .library_path = getenv("LD_LIBRARY_PATH") };
  struct ppi_loaded found = PPI_LOADED_INIT;
  struct ppi_provider provider;
  struct ppi_finding finding;
  char text[1400], title[64];
  enum perfpred_status status = ppi_linker_trace_name(&linker, name, &found, doctor->error);
  if (status != PERFPRED_OK)
    return status;
  const char *path = found.count > 0 ? found.files[0].path : NULL;
  status = path ? ppi_provider_read("", path, &provider, NULL) : PERFPRED_MISSING;
  bool there = status == PERFPRED_OK && serves(&provider, lapack);
  snprintf(title, sizeof title, "What programs get as %s", name);
  ppi_finding_begin(&finding, id, there ? PPI_SEVERITY_OK : PPI_SEVERITY_NOTE, title);
  if (there) {
    name_provider(&provider, text, sizeof text);
    ppi_finding_text(&finding, "detail", "%s%s%s", text, provider.alternative[0] ? ", by " : "", provider.alternative);
    ppi_finding_put_provider(&finding.out, "found", &provider, false);
  } else {
    ppi_finding_text(&finding, "detail", "none is installed where the dynamic linker looks for it");
    ppi_json_put_null(&finding.out, "found");
  }
  ppi_finding_end(&finding, doctor);
  if (there && lapack)
    tell_other_lapack(doctor, &provider);
  ppi_loaded_free(&found);
  return status == PERFPRED_NO_MEMORY ? ppi_error_memory(doctor->error) : PERFPRED_OK;
}

static const struct ppi_provider *first_ilaenv(const struct ppi_doctor *doctor) {
  for (size_t i = 0; i < doctor->provider_count; i++)
    if (doctor->providers[i].ilaenv)
      return &doctor->providers[i];
  return NULL;
}

static void describe_override(const struct ppi_doctor *doctor, struct ppi_finding *finding,
                              const struct ppi_provider *first, bool active) {
  if (active)
    ppi_finding_text(finding, "detail", "%s is in front of all others", doctor->override->file.path);
  else if (doctor->override)
    ppi_finding_text(finding, "detail", "%s is loaded, but stands behind %s", doctor->override->file.path,
                     first ? first->file.path : "all");
  else
    ppi_finding_text(finding, "detail", "libperfpred-ilaenv.so is not loaded: block sizes are the stock ones");
  if (!active)
    ppi_finding_text(finding, "advice", "perfpred run -- COMMAND puts it in front");
}

static void tell_override(struct ppi_doctor *doctor) {
  const struct ppi_provider *first = first_ilaenv(doctor);
  bool active = first && first->override;
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "override",
                    active             ? PPI_SEVERITY_OK
                    : doctor->override ? PPI_SEVERITY_WARNING
                                       : PPI_SEVERITY_NOTE,
                    active ? "The override answers ILAENV" : "The override does not answer ILAENV");
  describe_override(doctor, &finding, first, active);
  ppi_json_put_bool(&finding.out, "loaded", doctor->override != NULL);
  ppi_json_put_bool(&finding.out, "active", active);
  ppi_json_put_string(&finding.out, "answers", first ? first->file.path : "");
  ppi_finding_end(&finding, doctor);
}

enum perfpred_status ppi_doctor_libraries(struct ppi_doctor *doctor) {
  enum perfpred_status status = ppi_doctor_progress(doctor, "libraries", 0.0);
  if (status != PERFPRED_OK)
    return status;
  tell_provider(doctor, "blas", "BLAS", doctor->blas);
  tell_provider(doctor, "lapack", "LAPACK", doctor->lapack);
  if (doctor->subject == PPI_DOCTOR_SETUP) {
    status = tell_system(doctor, "system-blas", "libblas.so.3", false);
    if (status == PERFPRED_OK)
      status = tell_system(doctor, "system-lapack", "liblapack.so.3", true);
  }
  tell_missing(doctor);
  tell_deleted(doctor);
  tell_two(doctor, false);
  tell_two(doctor, true);
  tell_widths(doctor);
  tell_reference_blas(doctor);
  if (doctor->subject != PPI_DOCTOR_SETUP) { /* what a setup names is meant, and it is no process */
    tell_other_lapack(doctor, doctor->lapack);
    tell_override(doctor);
  }
  return status;
}
