/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fortran calls these routines without any data of ours: the state has to be static. */
static struct {
  int on, depth, block_size, crossover;
  char *text;
  size_t length, capacity;
  FILE *file;
} trace = { .block_size = -1, .crossover = -1 };

__attribute__((constructor)) static void open_file(void) {
  const char *name = getenv("PERFPRED_TRACE");
  trace.file = name ? fopen(name, "a") : NULL;
}

__attribute__((destructor)) static void close_file(void) {
  if (trace.file)
    fclose(trace.file);
  free(trace.text);
}

static void *next(const char *name) {
  char symbol[80];
  snprintf(symbol, sizeof symbol, "%s_", name);
  void *address = dlsym(RTLD_NEXT, symbol);
  if (!address) {
    fprintf(stderr, "trace: no library has %s\n", symbol);
    abort();
  }
  return address;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  char part[128];
  va_list list;
  va_start(list, format);
  const size_t length = (size_t)vsnprintf(part, sizeof part, format, list);
  va_end(list);
  if (trace.file)
    fputs(part, trace.file);
  if (!trace.on)
    return;
  if (trace.length + length + 1 > trace.capacity) {
    trace.capacity = 2 * (trace.length + length + 1);
    trace.text = realloc(trace.text, trace.capacity);
    if (!trace.text)
      abort();
  }
  memcpy(trace.text + trace.length, part, length + 1);
  trace.length += length;
}

static void note_scalar(char kind, const void *value) {
  double parts[2] = { 0, 0 };
  float narrow[2];
  const int is_complex = kind == 'c' || kind == 'z';
  if (kind == 's' || kind == 'c') {
    memcpy(narrow, value, is_complex ? sizeof narrow : sizeof narrow[0]);
    parts[0] = (double)narrow[0];
    parts[1] = is_complex ? (double)narrow[1] : 0;
  } else
    memcpy(parts, value, is_complex ? sizeof parts : sizeof parts[0]);
  if (parts[1] != 0)
    note("(%.17g, %.17g)", parts[0], parts[1]);
  else
    note("%.17g", parts[0] == 0 ? 0.0 : parts[0]);
}

/* Row swaps: the catalogue counts k2 from k1 on, see its text. */
static int size_of(const struct trace_kernel *kernel, void *const args[], int place) {
  int size = *(const int *)args[place];
  if (strcmp(kernel->name + 1, "laswp") == 0 && place == 4)
    size -= *(const int *)args[3] - 1;
  return size;
}

static void note_call(const struct trace_kernel *kernel, void *const args[]) {
  const char *before = "(";
  note("%d %s", trace.depth, kernel->name);
  for (int i = 0; kernel->kinds[i]; i++) {
    const char kind = kernel->kinds[i];
    if (kind == '-')
      continue;
    note("%s", before);
    before = ", ";
    if (kind == 'F')
      note("%c", *(const char *)args[i]);
    else if (kind == 'O')
      note("%d", *(const int *)args[i]);
    else if (kind == 'N')
      note("%d", size_of(kernel, args, i));
    else
      note_scalar(kind, args[i]);
  }
  note("%s", before[0] == '(' ? "()\n" : ")\n");
}

void *trace_enter(const struct trace_kernel *kernel, void *const args[], void **address) {
  if (!*address)
    *address = next(kernel->name);
  if (trace.on || trace.file)
    note_call(kernel, args);
  trace.depth++;
  return *address;
}

void trace_leave(void) {
  trace.depth--;
}

void trace_tune(int block_size, int crossover) {
  trace.block_size = block_size;
  trace.crossover = crossover;
}

void trace_start(void) {
  trace.on = 1;
  trace.length = 0;
}

const char *trace_stop(void) {
  trace.on = 0;
  return trace.length > 0 ? trace.text : "";
}

int ilaenv_(const int *ispec, const char *name, const char *opts, const int *n1, const int *n2, const int *n3,
            const int *n4, size_t name_length, size_t opts_length);

/* Only the driver itself is told: what it calls keeps the library's values. */
int ilaenv_(const int *ispec, const char *name, const char *opts, const int *n1, const int *n2, const int *n3,
            const int *n4, size_t name_length, size_t opts_length) {
  static void *address;
  int (*routine)(const int *, const char *, const char *, const int *, const int *, const int *, const int *, size_t,
                 size_t);
  if (trace.depth == 1 && *ispec == 1 && trace.block_size >= 0)
    return trace.block_size;
  if (trace.depth == 1 && *ispec == 3 && trace.crossover >= 0)
    return trace.crossover;
  if (!address)
    address = next("ilaenv");
  *(void **)&routine = address;
  return routine(ispec, name, opts, n1, n2, n3, n4, name_length, opts_length);
}
