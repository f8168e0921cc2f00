/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTES_MAX 65536 /* notes of real libraries take a few hundred bytes */
#define HEADERS_MAX 128

#if defined(__x86_64__)
#define THIS_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE EM_AARCH64
#elif defined(__i386__)
#define THIS_MACHINE EM_386
#elif defined(__powerpc64__)
#define THIS_MACHINE EM_PPC64
#elif defined(__riscv)
#define THIS_MACHINE EM_RISCV
#else
#define THIS_MACHINE 0 /* unknown: not checked */
#endif

static void format_id(const unsigned char *bytes, size_t length, char id[PPI_BUILD_ID_MAX]) {
  static const char digits[] = "0123456789abcdef";
  size_t i;
  for (i = 0; i < length && 2 * i + 2 < PPI_BUILD_ID_MAX; i++) {
    id[2 * i] = digits[bytes[i] >> 4];
    id[2 * i + 1] = digits[bytes[i] & 15];
  }
  id[2 * i] = '\0';
}

static size_t round_up(size_t size, size_t to) {
  return (size + to - 1) / to * to;
}

/* Searches one block of notes, whose sizes are not trusted. */
static bool find_id(const unsigned char *notes, size_t length, size_t align, char id[PPI_BUILD_ID_MAX]) {
  ElfW(Nhdr) header;
  size_t at = 0;
  if (align != 8)
    align = 4;
  while (at < length && length - at >= sizeof header) {
    memcpy(&header, notes + at, sizeof header);
    size_t name = at + sizeof header;
    size_t value = at + round_up(sizeof header + header.n_namesz, align);
    if (value > length || header.n_descsz > length - value)
      return false;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
      format_id(notes + value, header.n_descsz, id);
      return true;
    }
    at = value + round_up(header.n_descsz, align);
  }
  return false;
}

static bool read_at(int file, void *data, size_t length, off_t offset) {
  ssize_t got;
  do
    got = pread(file, data, length, offset);
  while (got < 0 && errno == EINTR);
  return got >= 0 && (size_t)got == length;
}

static bool is_library(const ElfW(Ehdr) * header) {
  static const unsigned char native_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == native_class &&
         header->e_type == ET_DYN && (THIS_MACHINE == 0 || header->e_machine == THIS_MACHINE) &&
         header->e_phentsize == sizeof(ElfW(Phdr)) && header->e_phnum > 0 && header->e_phnum <= HEADERS_MAX;
}

/* The build id in the notes of an open file, or "". */
static void search_file(int file, const ElfW(Ehdr) * header, unsigned char *notes, char id[PPI_BUILD_ID_MAX]) {
  id[0] = '\0';
  for (int i = 0; i < header->e_phnum; i++) {
    ElfW(Phdr) segment;
    if (!read_at(file, &segment, sizeof segment, (off_t)(header->e_phoff + (size_t)i * sizeof segment)))
      return;
    if (segment.p_type != PT_NOTE || segment.p_filesz > NOTES_MAX)
      continue;
    if (read_at(file, notes, segment.p_filesz, (off_t)segment.p_offset) &&
        find_id(notes, segment.p_filesz, segment.p_align, id))
      return;
  }
}

enum perfpred_status ppi_library_file_id(const char *path, const char *what, char id[PPI_BUILD_ID_MAX],
                                         struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  unsigned char *notes = NULL;
  ElfW(Ehdr) header;
  struct stat state;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return ppi_error_set(error, errno == ENOENT || errno == ENOTDIR ? PERFPRED_MISSING : PERFPRED_IO, "%s '%s': %s",
                         what, path, errno == ENOENT ? "no such file" : strerror(errno));
  if (fstat(file, &state) != 0 || !S_ISREG(state.st_mode) || !read_at(file, &header, sizeof header, 0) ||
      !is_library(&header)) {
    status = ppi_error_set(error, PERFPRED_INVALID, "%s '%s': expected a shared library for this kind of machine", what,
                           path);
    goto done;
  }
  notes = malloc(NOTES_MAX);
  if (!notes) {
    status = ppi_error_memory(error);
    goto done;
  }
  search_file(file, &header, notes, id);
done:
  free(notes);
  close(file);
  return status;
}

/* Cut where it is too long. */
static void copy(char *to, size_t size, const char *from) {
  size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = '\0';
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
    if (segment->p_type == PT_NOTE && find_id(notes, segment->p_memsz, segment->p_align, search->id))
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
