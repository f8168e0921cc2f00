/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu.h"
#include "file.h"
#include "store/table_place.h"
#include "trace.h"

#define PATH_SIZE 4096

/* Mapped rather than allocated: the host may be anywhere, inside its allocator too, and what is not used costs nothing. */
struct block {
  struct ppi_ilaenv_state state;
  char path[PATH_SIZE], log[PATH_SIZE];
  const char *why; /* the table is not used; NULL: it is */
  _Atomic uint64_t seen[PPI_ILAENV_SEEN];
  _Alignas(8) unsigned char bytes[PPI_TABLE_BYTES_MAX];
};

/* Holds where there is no memory. */
static const struct ppi_ilaenv_state nothing;

static _Atomic(const struct ppi_ilaenv_state *) settled;

/* Nothing is taken from the environment of a program with rights that its caller has not. */
static const char *variable(const char *name) {
  return secure_getenv(name);
}

static bool join(char path[PATH_SIZE], const char *folder, const char *rest) {
  return snprintf(path, PATH_SIZE, "%s%s", folder, rest) < PATH_SIZE;
}

static bool is_forced(void) {
  const char *force = variable("PERFPRED_FORCE");
  return force && strcmp(force, "1") == 0;
}

/* NULL, or why there is no table. */
static const char *load(struct block *block) {
  struct ppi_table table;
  if (!ppi_table_place(variable("PERFPRED_TABLE"), variable("XDG_DATA_HOME"), variable("HOME"), block->path, PATH_SIZE))
    return "none is named by PERFPRED_TABLE, and there is no folder for data";
  const long length = ppi_ilaenv_file_read(block->path, block->bytes, sizeof block->bytes);
  if (length < 0)
    return "expected a readable file of at most 65536 bytes";
  const enum ppi_table_fault fault = ppi_table_check(block->bytes, (size_t)length, &table);
  if (fault != PPI_TABLE_GOOD)
    return ppi_table_fault_text(fault);
  if (table.header->cpu[0] != '\0' && !is_forced() && !ppi_ilaenv_cpu_is(table.header->cpu, sizeof table.header->cpu))
    return "made on another CPU (PERFPRED_FORCE=1 takes it)";
  block->state.table = table;
  return NULL;
}

/* A relative path is one of the folder that the process is in now. */
static bool find_log(char log[PATH_SIZE]) {
  const char *path = variable("PERFPRED_ILAENV_LOG");
  char folder[PATH_SIZE];
  if (!path || path[0] == '\0')
    return false;
  if (path[0] == '/')
    return join(log, path, "");
  return getcwd(folder, sizeof folder - 1) && join(log, strcat(folder, "/"), path);
}

static bool is_verbose(void) {
  const char *verbose = variable("PERFPRED_VERBOSE");
  return verbose && verbose[0] != '\0' && strcmp(verbose, "0") != 0;
}

static const struct ppi_ilaenv_state *settle(void) {
  const struct ppi_ilaenv_state *winner = NULL;
  struct block *block = mmap(NULL, sizeof *block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const struct ppi_ilaenv_state *mine = &nothing;
  if (block != MAP_FAILED) {
    mine = &block->state;
    block->why = load(block);
    if (find_log(block->log))
      block->state.log = block->log;
    if (is_verbose())
      block->state.seen = block->seen;
  }
  const bool won =
      atomic_compare_exchange_strong_explicit(&settled, &winner, mine, memory_order_acq_rel, memory_order_acquire);
  if (won && mine->seen)
    ppi_ilaenv_trace_table(block->path, block->why);
  if (!won && block != MAP_FAILED)
    munmap(block, sizeof *block);
  return won ? mine : winner;
}

const struct ppi_ilaenv_state *ppi_ilaenv_state(void) {
  const struct ppi_ilaenv_state *state = atomic_load_explicit(&settled, memory_order_acquire);
  return state ? state : settle();
}
