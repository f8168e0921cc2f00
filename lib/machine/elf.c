/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTES_MAX 4096   /* notes of real libraries take a few hundred bytes */
#define DYNAMIC_MAX 4096 /* entries; real files have some tens */

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

bool ppi_elf_note_id(const unsigned char *notes, size_t length, size_t align, char id[PPI_BUILD_ID_MAX]) {
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

/* Exactly so many bytes, or false. */
static bool read_at(const struct ppi_elf *elf, void *data, size_t length, uint64_t offset) {
  if (offset > elf->bytes || length > elf->bytes - offset)
    return false;
  ssize_t got;
  do
    got = pread(elf->file, data, length, (off_t)offset);
  while (got < 0 && errno == EINTR);
  return got >= 0 && (size_t)got == length;
}

static bool is_ours(const ElfW(Ehdr) * header) {
  static const unsigned char native_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  static const unsigned char native_order = ELFDATA2LSB;
#else
  static const unsigned char native_order = ELFDATA2MSB;
#endif
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == native_class &&
         header->e_ident[EI_DATA] == native_order && (header->e_type == ET_DYN || header->e_type == ET_EXEC) &&
         (THIS_MACHINE == 0 || header->e_machine == THIS_MACHINE) && header->e_phentsize == sizeof(ElfW(Phdr)) &&
         header->e_phnum > 0 && header->e_phnum <= PPI_ELF_SEGMENTS;
}

/* Of long ones the beginning. */
static void read_notes(struct ppi_elf *elf, const ElfW(Phdr) * segment) {
  unsigned char notes[NOTES_MAX];
  size_t length = segment->p_filesz < NOTES_MAX ? segment->p_filesz : NOTES_MAX;
  if (elf->build_id[0] == '\0' && read_at(elf, notes, length, segment->p_offset))
    ppi_elf_note_id(notes, length, segment->p_align, elf->build_id);
}

/* Segments that cannot be read are left out: what they would have told is then missing. */
static void read_segments(struct ppi_elf *elf, const ElfW(Ehdr) * header) {
  for (uint64_t i = 0; i < header->e_phnum; i++) {
    ElfW(Phdr) segment;
    if (!read_at(elf, &segment, sizeof segment, header->e_phoff + i * sizeof segment))
      return;
    if (segment.p_type == PT_NOTE)
      read_notes(elf, &segment);
    else if (segment.p_type == PT_INTERP)
      elf->program = true;
    else if (segment.p_type == PT_LOAD)
      elf->segments[elf->segment_count++] =
          (struct ppi_elf_segment){ segment.p_offset, segment.p_vaddr, segment.p_filesz };
  }
}

static enum perfpred_status open_file(const char *path, const char *what, int *file, struct perfpred_error *error) {
  *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (*file >= 0)
    return PERFPRED_OK;
  return ppi_error_set(error, errno == ENOENT || errno == ENOTDIR ? PERFPRED_MISSING : PERFPRED_IO, "%s '%s': %s", what,
                       path, errno == ENOENT ? "no such file" : strerror(errno));
}

enum perfpred_status ppi_elf_open(const char *path, const char *what, struct ppi_elf *elf,
                                  struct perfpred_error *error) {
  struct ppi_elf made = { .file = -1 };
  ElfW(Ehdr) header;
  struct stat state;
  enum perfpred_status status = open_file(path, what, &made.file, error);
  if (status != PERFPRED_OK)
    return status;
  bool regular = fstat(made.file, &state) == 0 && S_ISREG(state.st_mode) && state.st_size >= 0;
  made.bytes = regular ? (uint64_t)state.st_size : 0;
  if (!regular || !read_at(&made, &header, sizeof header, 0) || !is_ours(&header)) {
    close(made.file);
    return ppi_error_set(error, PERFPRED_INVALID,
                         "%s '%s': expected a shared library or a program for this kind of machine", what, path);
  }
  made.shared = header.e_type == ET_DYN;
  made.program = !made.shared;
  read_segments(&made, &header);
  *elf = made;
  return PERFPRED_OK;
}

void ppi_elf_close(struct ppi_elf *elf) {
  for (size_t i = 0; i < elf->needed_count; i++)
    free(elf->needed[i]);
  free(elf->needed);
  free(elf->runpath);
  free(elf->rpath);
  free(elf->soname);
  free(elf->interpreter);
  close(elf->file);
  *elf = (struct ppi_elf){ .file = -1 };
}

/* --- Tables, found by the addresses at which they would be loaded -------------------------------------------------- */

static bool read_address(const struct ppi_elf *elf, void *data, size_t length, uint64_t address) {
  for (int i = 0; i < elf->segment_count; i++) {
    const struct ppi_elf_segment *segment = &elf->segments[i];
    uint64_t into = address - segment->address;
    if (address >= segment->address && into <= segment->bytes && length <= segment->bytes - into)
      return segment->offset <= UINT64_MAX - into && read_at(elf, data, length, segment->offset + into);
  }
  return false;
}

/* The string that ends within `most` bytes from the address on. */
static enum perfpred_status read_string(const struct ppi_elf *elf, uint64_t address, uint64_t most, char **string) {
  size_t length = 0;
  char byte;
  if (most > PPI_ELF_STRING_MAX)
    most = PPI_ELF_STRING_MAX;
  do
    if (length >= most || !read_address(elf, &byte, 1, address + length))
      return PERFPRED_CORRUPT;
  while (length++, byte != '\0');
  char *made = malloc(length);
  if (!made)
    return PERFPRED_NO_MEMORY;
  if (!read_address(elf, made, length, address) || made[length - 1] != '\0') { /* it may change meanwhile */
    free(made);
    return PERFPRED_CORRUPT;
  }
  *string = made;
  return PERFPRED_OK;
}

static enum perfpred_status table_string(const struct ppi_elf *elf, uint64_t offset, char **string) {
  if (offset >= elf->string_bytes || elf->strings > UINT64_MAX - offset)
    return PERFPRED_CORRUPT;
  return read_string(elf, elf->strings + offset, elf->string_bytes - offset, string);
}

static bool same_string(const struct ppi_elf *elf, uint64_t offset, const char *name) {
  char there[128];
  size_t length = strlen(name) + 1;
  return length <= sizeof there && offset < elf->string_bytes && length <= elf->string_bytes - offset &&
         read_address(elf, there, length, elf->strings + offset) && memcmp(there, name, length) == 0;
}

/* --- The dynamic section --------------------------------------------------------------------------------------------- */

/* Where the tables are; the strings, which need them, are read in a second pass. */
static void read_entry(struct ppi_elf *elf, const ElfW(Dyn) * entry) {
  uint64_t value = entry->d_un.d_val;
  switch (entry->d_tag) {
  case DT_STRTAB:
    elf->strings = value;
    break;
  case DT_STRSZ:
    elf->string_bytes = value;
    break;
  case DT_SYMTAB:
    elf->symbols = value;
    break;
  case DT_GNU_HASH:
    elf->gnu_hash = value;
    break;
  case DT_HASH:
    elf->sysv_hash = value;
    break;
  case DT_SYMBOLIC:
    elf->symbolic = true;
    break;
  case DT_FLAGS:
    elf->symbolic = elf->symbolic || (value & DF_SYMBOLIC) != 0;
    break;
  default:
    break;
  }
}

static enum perfpred_status add_needed(struct ppi_elf *elf, uint64_t offset) {
  if (elf->needed_count == PPI_ELF_NEEDED)
    return PERFPRED_CORRUPT;
  char **grown = realloc(elf->needed, (elf->needed_count + 1) * sizeof *grown);
  if (!grown)
    return PERFPRED_NO_MEMORY;
  elf->needed = grown;
  enum perfpred_status status = table_string(elf, offset, &grown[elf->needed_count]);
  if (status == PERFPRED_OK)
    elf->needed_count++;
  return status;
}

static enum perfpred_status read_name(struct ppi_elf *elf, const ElfW(Dyn) * entry) {
  char **place = entry->d_tag == DT_SONAME    ? &elf->soname
                 : entry->d_tag == DT_RPATH   ? &elf->rpath
                 : entry->d_tag == DT_RUNPATH ? &elf->runpath
                                              : NULL;
  if (entry->d_tag == DT_NEEDED)
    return add_needed(elf, entry->d_un.d_val);
  if (!place || *place)
    return PERFPRED_OK;
  return table_string(elf, entry->d_un.d_val, place);
}

static enum perfpred_status read_dynamic(struct ppi_elf *elf, uint64_t offset, uint64_t bytes) {
  size_t count = bytes / sizeof(ElfW(Dyn)) < DYNAMIC_MAX ? bytes / sizeof(ElfW(Dyn)) : DYNAMIC_MAX;
  ElfW(Dyn) *entries = calloc(count + 1, sizeof *entries); /* one more that ends it */
  enum perfpred_status status = PERFPRED_OK;
  if (!entries)
    return PERFPRED_NO_MEMORY;
  if (!read_at(elf, entries, count * sizeof *entries, offset))
    status = PERFPRED_CORRUPT;
  for (size_t i = 0; status == PERFPRED_OK && entries[i].d_tag != DT_NULL; i++)
    read_entry(elf, &entries[i]);
  for (size_t i = 0; status == PERFPRED_OK && entries[i].d_tag != DT_NULL; i++)
    status = read_name(elf, &entries[i]);
  elf->dynamic = status == PERFPRED_OK;
  free(entries);
  return status;
}

static enum perfpred_status read_interpreter(struct ppi_elf *elf, uint64_t offset, uint64_t bytes) {
  if (bytes == 0 || bytes > PPI_ELF_STRING_MAX || elf->interpreter)
    return PERFPRED_CORRUPT;
  char *text = calloc(bytes + 1, 1);
  if (!text)
    return PERFPRED_NO_MEMORY;
  if (!read_at(elf, text, bytes, offset)) {
    free(text);
    return PERFPRED_CORRUPT;
  }
  elf->interpreter = text;
  return PERFPRED_OK;
}

static enum perfpred_status read_parts(struct ppi_elf *elf) {
  ElfW(Ehdr) header;
  enum perfpred_status status = PERFPRED_OK;
  if (!read_at(elf, &header, sizeof header, 0) || !is_ours(&header))
    return PERFPRED_CORRUPT;
  for (uint64_t i = 0; i < header.e_phnum && status == PERFPRED_OK; i++) {
    ElfW(Phdr) segment;
    if (!read_at(elf, &segment, sizeof segment, header.e_phoff + i * sizeof segment))
      return PERFPRED_CORRUPT;
    if (segment.p_type == PT_DYNAMIC && !elf->dynamic)
      status = read_dynamic(elf, segment.p_offset, segment.p_filesz);
    else if (segment.p_type == PT_INTERP)
      status = read_interpreter(elf, segment.p_offset, segment.p_filesz);
  }
  return status;
}

enum perfpred_status ppi_elf_link(struct ppi_elf *elf, const char *path, const char *what,
                                  struct perfpred_error *error) {
  enum perfpred_status status = read_parts(elf);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(error);
  if (status != PERFPRED_OK)
    return ppi_error_set(error, status, "%s '%s': its tables lead out of the file, expected a whole file", what, path);
  return PERFPRED_OK;
}

/* --- Symbols --------------------------------------------------------------------------------------------------------- */

#define CHAIN_MAX 65536        /* steps of a search: tables may lead in circles */
#define IMPORTS_MAX (1u << 20) /* undefined symbols that are looked through */

/* 0: the name differs, 1: it is asked for, 2: it is defined. */
static int match(const struct ppi_elf *elf, uint64_t index, const char *name) {
  ElfW(Sym) symbol;
  if (index > UINT64_MAX / sizeof symbol - elf->symbols ||
      !read_address(elf, &symbol, sizeof symbol, elf->symbols + index * sizeof symbol) ||
      !same_string(elf, symbol.st_name, name))
    return 0;
  return symbol.st_shndx == SHN_UNDEF ? 1 : 2;
}

/* Number of buckets, first symbol that is hashed, words of the filter, its shift. */
static bool read_gnu_head(const struct ppi_elf *elf, uint32_t head[4]) {
  return elf->gnu_hash != 0 && read_address(elf, head, 4 * sizeof head[0], elf->gnu_hash) && head[0] > 0;
}

static bool defined_gnu(const struct ppi_elf *elf, const uint32_t head[4], const char *name) {
  uint32_t hash = 5381, index, entry = 0;
  for (const char *c = name; *c; c++)
    hash = hash * 33 + (unsigned char)*c;
  uint64_t buckets = elf->gnu_hash + 16 + (uint64_t)head[2] * sizeof(ElfW(Addr));
  uint64_t chains = buckets + 4 * (uint64_t)head[0];
  if (!read_address(elf, &index, sizeof index, buckets + 4 * (uint64_t)(hash % head[0])) || index < head[1])
    return false;
  for (int steps = 0; steps < CHAIN_MAX && (entry & 1) == 0; steps++, index++) {
    if (!read_address(elf, &entry, sizeof entry, chains + 4 * (uint64_t)(index - head[1])))
      return false;
    if ((entry | 1) == (hash | 1) && match(elf, index, name) == 2)
      return true;
  }
  return false;
}

static bool read_sysv_head(const struct ppi_elf *elf, uint32_t head[2]) {
  return elf->sysv_hash != 0 && read_address(elf, head, 2 * sizeof head[0], elf->sysv_hash) && head[0] > 0;
}

static bool defined_sysv(const struct ppi_elf *elf, const uint32_t head[2], const char *name) {
  uint32_t hash = 0, index;
  for (const char *c = name; *c; c++) {
    hash = (hash << 4) + (unsigned char)*c;
    hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
  }
  uint64_t buckets = elf->sysv_hash + 8, chains = buckets + 4 * (uint64_t)head[0];
  if (!read_address(elf, &index, sizeof index, buckets + 4 * (uint64_t)(hash % head[0])))
    return false;
  for (int steps = 0; steps < CHAIN_MAX && index != 0; steps++) {
    if (match(elf, index, name) == 2)
      return true;
    if (index >= head[1] || !read_address(elf, &index, sizeof index, chains + 4 * (uint64_t)index))
      return false;
  }
  return false;
}

bool ppi_elf_defines(const struct ppi_elf *elf, const char *symbol) {
  uint32_t gnu[4], sysv[2];
  if (read_gnu_head(elf, gnu))
    return defined_gnu(elf, gnu, symbol);
  return read_sysv_head(elf, sysv) && defined_sysv(elf, sysv, symbol);
}

/* Symbols that are asked for are in no GNU hash table: they stand in front of those that are. */
bool ppi_elf_imports(const struct ppi_elf *elf, const char *symbol) {
  uint32_t gnu[4], sysv[2], count = 0;
  if (read_gnu_head(elf, gnu))
    count = gnu[1];
  else if (read_sysv_head(elf, sysv))
    count = sysv[1];
  for (uint32_t i = 1; i < count && i < IMPORTS_MAX; i++)
    if (match(elf, i, symbol) == 1)
      return true;
  return false;
}
