/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* Cut where it is too long. */
static void copy(char *to, size_t size, const char *from) {
  size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = '\0';
}

enum perfpred_status ppi_library_file_id(const char *path, const char *what, char id[PPI_BUILD_ID_MAX],
                                         struct perfpred_error *error) {
  struct ppi_elf elf;
  enum perfpred_status status = ppi_elf_open(path, what, &elf, error);
  if (status != PERFPRED_OK)
    return status;
  if (elf.shared)
    copy(id, PPI_BUILD_ID_MAX, elf.build_id);
  else
    status = ppi_error_set(error, PERFPRED_INVALID, "%s '%s': expected a shared library, not a program", what, path);
  ppi_elf_close(&elf);
  return status;
}

struct search {
  uintptr_t address;
  char *id;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *data) {
  struct search *search = data;
  bool inside = false;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum && !inside; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    inside = segment->p_type == PT_LOAD && search->address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
  }
  if (!inside)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the linker gives addresses as integers */
    const unsigned char *notes = (const unsigned char *)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_NOTE && ppi_elf_note_id(notes, segment->p_memsz, segment->p_align, search->id))
      break;
  }
  return 1;
}

bool ppi_library_loaded(const void *address, struct ppi_library *library) {
  char id[PPI_BUILD_ID_MAX] = "", *path;
  struct search search = { (uintptr_t)address, id };
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname || !dl_iterate_phdr(search_object, &search))
    return false;
  path = realpath(info.dli_fname, NULL);
  bool fits = path && strlen(path) < sizeof library->path;
  if (fits) {
    copy(library->path, sizeof library->path, path);
    copy(library->build_id, sizeof library->build_id, id);
  }
  free(path);
  return fits;
}

/* Version in the name of a reference library's file: libblas.so.3.11.0 is 3.11.0; "" unless it has two dots. */
static const char *version_in_name(const char *name) {
  const char *version = strstr(name, ".so.");
  if (!version)
    return "";
  version += 4;
  const char *dot = strchr(version, '.');
  return dot && strspn(version, "0123456789.") == strlen(version) ? version : "";
}

void ppi_library_guess(struct ppi_library *library) {
  const char *slash = strrchr(library->path, '/');
  const char *name = slash ? slash + 1 : library->path;
  const char *family = "other", *version = "";
  if (strstr(library->path, "openblas")) {
    family = "openblas";
  } else if (strstr(library->path, "blis")) {
    family = "blis";
  } else if (strncmp(name, "libblas.so", 10) == 0 || strncmp(name, "liblapack.so", 12) == 0) {
    family = "reference";
    version = version_in_name(name);
  }
  copy(library->family, sizeof library->family, family);
  copy(library->version, sizeof library->version, version);
}
