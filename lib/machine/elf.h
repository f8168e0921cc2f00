/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program or shared library tells the dynamic linker: read from the file alone, nothing is run or mapped. Files are not trusted: whatever
   their tables say, only bytes that the file has are read. */
#ifndef PPI_MACHINE_ELF_H
#define PPI_MACHINE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PPI_ELF_SEGMENTS 128
#define PPI_ELF_NEEDED 512       /* libraries that one file may ask for */
#define PPI_ELF_STRING_MAX 65536 /* longest name or search path, with its NUL */
#define PPI_BUILD_ID_MAX 64

/* A piece of the file and where it is loaded. */
struct ppi_elf_segment {
  uint64_t offset, address, bytes;
};

struct ppi_elf {
  int file;
  uint64_t bytes;
  bool shared;  /* can be loaded at any address: a library, or a program that is made like one */
  bool program; /* names an interpreter, or cannot be anything else */
  char build_id[PPI_BUILD_ID_MAX];
  int segment_count;
  struct ppi_elf_segment segments[PPI_ELF_SEGMENTS];
  /* known after ppi_elf_link: */
  bool dynamic;                                 /* false: linked statically */
  bool symbolic;                                /* its own definitions come first for its own calls */
  char *interpreter, *soname, *rpath, *runpath; /* NULL: none */
  char **needed;
  size_t needed_count;
  /* places of the tables, as addresses; 0: none */
  uint64_t strings, string_bytes, symbols, gnu_hash, sysv_hash;
};

/* Opens a file and reads its headers and build id. PERFPRED_MISSING, PERFPRED_IO, PERFPRED_INVALID (not for this kind of
   machine); the text begins with `what`. */
enum perfpred_status ppi_elf_open(const char *path, const char *what, struct ppi_elf *elf,
                                  struct perfpred_error *error);
/* Reads what the dynamic linker would; PERFPRED_CORRUPT where tables lead out of the file. path and what: for the text. */
enum perfpred_status ppi_elf_link(struct ppi_elf *elf, const char *path, const char *what,
                                  struct perfpred_error *error);
void ppi_elf_close(struct ppi_elf *elf); /* once after each ppi_elf_open that succeeded */

/* After ppi_elf_link: whether a symbol is defined for others, or asked for from others. */
bool ppi_elf_defines(const struct ppi_elf *elf, const char *symbol);
bool ppi_elf_imports(const struct ppi_elf *elf, const char *symbol);

/* The build id in a block of notes, whose sizes are not trusted; false: there is none. */
bool ppi_elf_note_id(const unsigned char *notes, size_t length, size_t align, char id[PPI_BUILD_ID_MAX]);

#endif
