/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared libraries that do not exist: small files with all that a dynamic linker looks at, and nothing to run. */
#ifndef TESTS_FAKE_ELF_H
#define TESTS_FAKE_ELF_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_elf {
  const char *soname, *rpath, *runpath, *interpreter; /* NULL: none */
  const char *needed[8], *imports[8], *defines[8];    /* NULL behind the last one */
  bool sysv, fixed, still;                            /* the old hash table; cannot be moved; linked statically */
};

struct fake_bytes {
  unsigned char data[8192];
  size_t length;
};

static inline size_t fake_put(struct fake_bytes *bytes, const void *data, size_t length) {
  size_t at = bytes->length = (bytes->length + 7) / 8 * 8;
  if (at + length > sizeof bytes->data)
    abort();
  memcpy(bytes->data + at, data, length);
  bytes->length = at + length;
  return at;
}

struct fake_strings {
  char text[2048];
  size_t length;
};

static inline unsigned fake_string(struct fake_strings *strings, const char *text) {
  size_t at = strings->length;
  strings->length += strlen(text) + 1;
  if (strings->length > sizeof strings->text)
    abort();
  strcpy(strings->text + at, text);
  return (unsigned)at;
}

static inline uint32_t fake_gnu_hash(const char *name) {
  uint32_t hash = 5381;
  for (; *name; name++)
    hash = hash * 33 + (unsigned char)*name;
  return hash;
}

struct fake_symbols {
  ElfW(Sym) items[20];
  uint32_t hashes[20];
  uint32_t count, first; /* the first one that is defined */
};

static inline void fake_symbol(struct fake_symbols *symbols, struct fake_strings *strings, const char *name,
                               bool defined) {
  ElfW(Sym) *symbol = &symbols->items[symbols->count];
  memset(symbol, 0, sizeof *symbol);
  symbol->st_name = fake_string(strings, name);
  symbol->st_shndx = defined ? 1 : SHN_UNDEF;
  symbols->hashes[symbols->count++] = fake_gnu_hash(name);
}

/* One bucket and a filter that lets everything pass. */
static inline size_t fake_gnu_table(struct fake_bytes *bytes, const struct fake_symbols *symbols) {
  uint32_t words[40] = { 1, symbols->first, 1, 0, UINT32_MAX, UINT32_MAX };
  uint32_t count = 4 + sizeof(ElfW(Addr)) / 4;
  words[count++] = symbols->first < symbols->count ? symbols->first : 0;
  for (uint32_t i = symbols->first; i < symbols->count; i++)
    words[count++] = (symbols->hashes[i] & ~1u) | (i + 1 == symbols->count);
  return fake_put(bytes, words, count * sizeof words[0]);
}

static inline size_t fake_sysv_table(struct fake_bytes *bytes, const struct fake_symbols *symbols) {
  uint32_t words[40] = { 1, symbols->count, symbols->first < symbols->count ? symbols->first : 0 };
  for (uint32_t i = 0; i < symbols->count; i++)
    words[3 + i] = i >= symbols->first && i + 1 < symbols->count ? i + 1 : 0;
  return fake_put(bytes, words, (3 + symbols->count) * sizeof words[0]);
}

static inline void fake_entry(ElfW(Dyn) * entries, size_t *count, int tag, uint64_t value) {
  memset(&entries[*count], 0, sizeof *entries);
  entries[*count].d_tag = tag;
  entries[(*count)++].d_un.d_val = value;
}

static inline size_t fake_dynamic(struct fake_bytes *bytes, const struct fake_elf *elf, size_t *dynamic_bytes) {
  struct fake_strings strings = { "", 1 };
  struct fake_symbols symbols = { .count = 1 };
  ElfW(Dyn) entries[24];
  size_t count = 0;
  memset(&symbols.items[0], 0, sizeof symbols.items[0]);
  for (int i = 0; elf->imports[i]; i++)
    fake_symbol(&symbols, &strings, elf->imports[i], false);
  symbols.first = symbols.count;
  for (int i = 0; elf->defines[i]; i++)
    fake_symbol(&symbols, &strings, elf->defines[i], true);
  for (int i = 0; elf->needed[i]; i++)
    fake_entry(entries, &count, DT_NEEDED, fake_string(&strings, elf->needed[i]));
  if (elf->soname)
    fake_entry(entries, &count, DT_SONAME, fake_string(&strings, elf->soname));
  if (elf->rpath)
    fake_entry(entries, &count, DT_RPATH, fake_string(&strings, elf->rpath));
  if (elf->runpath)
    fake_entry(entries, &count, DT_RUNPATH, fake_string(&strings, elf->runpath));
  fake_entry(entries, &count, elf->sysv ? DT_HASH : DT_GNU_HASH,
             elf->sysv ? fake_sysv_table(bytes, &symbols) : fake_gnu_table(bytes, &symbols));
  fake_entry(entries, &count, DT_SYMTAB, fake_put(bytes, symbols.items, symbols.count * sizeof symbols.items[0]));
  fake_entry(entries, &count, DT_STRTAB, fake_put(bytes, strings.text, strings.length));
  fake_entry(entries, &count, DT_STRSZ, strings.length);
  fake_entry(entries, &count, DT_NULL, 0);
  *dynamic_bytes = count * sizeof *entries;
  return fake_put(bytes, entries, *dynamic_bytes);
}

#if defined(__x86_64__)
#define FAKE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define FAKE_MACHINE EM_AARCH64
#else
#define FAKE_MACHINE EM_NONE
#endif

static inline void fake_elf_make(const struct fake_elf *elf, struct fake_bytes *bytes) {
  static const struct {
    ElfW(Nhdr) head;
    char name[4];
    unsigned char id[4];
  } note = { { 4, 4, NT_GNU_BUILD_ID }, "GNU", { 0xab, 0xcd, 0xef, 0x01 } };
  ElfW(Ehdr) header;
  ElfW(Phdr) segments[4];
  size_t length = 0;
  memset(&header, 0, sizeof header);
  memset(segments, 0, sizeof segments);
  memset(bytes, 0, sizeof *bytes);
  fake_put(bytes, &header, sizeof header);
  size_t place = fake_put(bytes, segments, sizeof segments);
  segments[0].p_type = PT_LOAD;
  segments[1].p_type = PT_NOTE;
  segments[1].p_offset = fake_put(bytes, &note, sizeof note);
  segments[1].p_filesz = sizeof note;
  segments[1].p_align = 4;
  segments[2].p_type = elf->still ? PT_NULL : PT_DYNAMIC;
  if (!elf->still)
    segments[2].p_offset = fake_dynamic(bytes, elf, &length);
  segments[2].p_filesz = length;
  segments[3].p_type = elf->interpreter ? PT_INTERP : PT_NULL;
  if (elf->interpreter) {
    segments[3].p_offset = fake_put(bytes, elf->interpreter, strlen(elf->interpreter) + 1);
    segments[3].p_filesz = strlen(elf->interpreter) + 1;
  }
  segments[0].p_filesz = bytes->length;
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  header.e_type = elf->fixed ? ET_EXEC : ET_DYN;
  header.e_machine = FAKE_MACHINE;
  header.e_phoff = place;
  header.e_phentsize = sizeof segments[0];
  header.e_phnum = 4;
  memcpy(bytes->data, &header, sizeof header);
  memcpy(bytes->data + place, segments, sizeof segments);
}

static inline void fake_write(const char *path, const void *data, size_t length) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, length, file) != length || fclose(file) != 0)
    abort();
}

static inline void fake_elf_write(const char *path, const struct fake_elf *elf) {
  struct fake_bytes bytes;
  fake_elf_make(elf, &bytes);
  fake_write(path, bytes.data, bytes.length);
}

#endif
