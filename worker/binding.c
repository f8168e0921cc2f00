/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the calls of a loaded library lead: read from its relocations, which dlopen with RTLD_NOW has filled in. Nothing else
 * proves that the inner calls of a LAPACK reach the BLAS of the setup. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "worker.h"

#if defined(__x86_64__) || defined(__aarch64__)

/* The parts of a dynamic section that are needed. The linker has made its pointers absolute. */
struct tables {
  const ElfW(Sym) * symbols;
  const char *strings;
  const ElfW(Rela) * jumps, *others;
  size_t jump_bytes, other_bytes;
};

static void read_tables(const ElfW(Dyn) * entry, struct tables *tables) {
  for (; entry->d_tag != DT_NULL; entry++) {
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the linker gives addresses as integers */
    const void *place = (const void *)entry->d_un.d_ptr;
    switch (entry->d_tag) {
    case DT_SYMTAB:
      tables->symbols = place;
      break;
    case DT_STRTAB:
      tables->strings = place;
      break;
    case DT_JMPREL:
      tables->jumps = place;
      break;
    case DT_PLTRELSZ:
      tables->jump_bytes = entry->d_un.d_val;
      break;
    case DT_RELA:
      tables->others = place;
      break;
    case DT_RELASZ:
      tables->other_bytes = entry->d_un.d_val;
      break;
    default:
      break;
    }
  }
}

static void *search(const struct link_map *map, const struct tables *tables, const ElfW(Rela) * entry, size_t bytes,
                    const char *symbol) {
  for (size_t i = 0; entry && i < bytes / sizeof *entry; i++) {
    size_t index = ELF64_R_SYM(entry[i].r_info);
    if (index != 0 && strcmp(tables->strings + tables->symbols[index].st_name, symbol) == 0)
      /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
      return *(void **)(map->l_addr + entry[i].r_offset);
  }
  return NULL;
}

void *worker_bound(void *handle, const char *symbol) {
  struct tables tables = { 0 };
  struct link_map *map = NULL;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_ld)
    return NULL;
  read_tables(map->l_ld, &tables);
  if (!tables.symbols || !tables.strings)
    return NULL;
  void *target = search(map, &tables, tables.jumps, tables.jump_bytes, symbol);
  return target ? target : search(map, &tables, tables.others, tables.other_bytes, symbol);
}

#else

void *worker_bound(void *handle, const char *symbol) {
  (void)handle;
  (void)symbol;
  return NULL;
}

#endif
