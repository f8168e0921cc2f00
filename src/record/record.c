/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 512
#define BUFFER_BYTES 65536

/* Fortran calls these routines without any data of ours: the state has to be static. */
static struct {
  int file; /* -1: none */
  atomic_flag busy;
  size_t length;
  char buffer[BUFFER_BYTES];
} record = { .file = -1, .busy = ATOMIC_FLAG_INIT };

/* What a thread is inside of. Only the outermost call counts: those that it makes are part of it. */
static _Thread_local struct {
  int depth;
  struct timespec begin;
  size_t length;
  char line[LINE_MAX_BYTES];
} inside;

static void flush(void) {
  size_t done = 0;
  while (record.file >= 0 && done < record.length) {
    ssize_t written = write(record.file, record.buffer + done, record.length - done);
    if (written <= 0)
      break;
    done += (size_t)written;
  }
  record.length = 0;
}

__attribute__((constructor)) static void open_file(void) {
  const char *name = getenv("PERFPRED_RECORD");
  if (name != NULL && name[0] != '\0')
    record.file = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

__attribute__((destructor)) static void close_file(void) {
  while (atomic_flag_test_and_set(&record.busy))
    continue;
  flush();
  atomic_flag_clear(&record.busy);
}

static void keep(const char *line, size_t length) {
  while (atomic_flag_test_and_set(&record.busy))
    continue;
  if (record.length + length > sizeof record.buffer)
    flush();
  memcpy(record.buffer + record.length, line, length);
  record.length += length;
  atomic_flag_clear(&record.busy);
}

static void *next(const char *name) {
  char symbol[80];
  snprintf(symbol, sizeof symbol, "%s_", name);
  void *address = dlsym(RTLD_NEXT, symbol);
  if (address == NULL) {
    fprintf(stderr, "perfpred-record: no library has %s\n", symbol);
    abort();
  }
  return address;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(inside.line + inside.length, sizeof inside.line - inside.length, format, list);
  va_end(list);
  if (length > 0)
    inside.length += (size_t)length;
  if (inside.length >= sizeof inside.line)
    inside.length = sizeof inside.line - 1;
}

/* No count depends on a scalar, but for its being 0, 1 or something else; and the locale must not matter. */
static void note_scalar(char kind, const void *value) {
  double number = 0.0;
  float narrow = 0.0F;
  if (kind == 's' || kind == 'c') {
    memcpy(&narrow, value, sizeof narrow);
    number = (double)narrow;
  } else
    memcpy(&number, value, sizeof number);
  if (number <= 0.0 && number >= 0.0)
    note("0");
  else
    note(number <= 1.0 && number >= 1.0 ? "1" : number <= -1.0 && number >= -1.0 ? "-1" : "2");
}

/* Row swaps: the catalogue counts k2 from k1 on, see its text. */
static int size_of(const struct trace_kernel *kernel, void *const args[], int place) {
  int size = *(const int *)args[place];
  if (strcmp(kernel->name + 1, "laswp") == 0 && place == 4)
    size -= *(const int *)args[3] - 1;
  return size;
}

static void note_argument(const struct trace_kernel *kernel, void *const args[], int place) {
  const char kind = kernel->kinds[place];
  if (kind == 'F')
    note("%c", *(const char *)args[place] & ~0x20); /* a capital */
  else if (kind == 'O')
    note("%d", *(const int *)args[place]);
  else if (kind == 'N')
    note("%d", size_of(kernel, args, place));
  else
    note_scalar(kind, args[place]);
}

static void note_call(const struct trace_kernel *kernel, void *const args[]) {
  const char *before = "(";
  inside.length = 0;
  note("%s", kernel->name);
  for (int i = 0; kernel->kinds[i] != '\0'; i++) {
    if (kernel->kinds[i] == '-')
      continue;
    note("%s", before);
    before = ",";
    note_argument(kernel, args, i);
  }
  note(before[0] == '(' ? "()" : ")");
}

void *trace_enter(const struct trace_kernel *kernel, void *const args[], void **address) {
  if (*address == NULL)
    *address = next(kernel->name);
  if (inside.depth++ == 0 && record.file >= 0) {
    note_call(kernel, args);
    clock_gettime(CLOCK_MONOTONIC, &inside.begin);
  }
  return *address;
}

void trace_leave(void) {
  struct timespec end;
  char line[LINE_MAX_BYTES + 64];
  if (--inside.depth > 0 || record.file < 0)
    return;
  clock_gettime(CLOCK_MONOTONIC, &end);
  long long nanoseconds =
      (long long)(end.tv_sec - inside.begin.tv_sec) * 1000000000LL + (end.tv_nsec - inside.begin.tv_nsec);
  if (nanoseconds < 1)
    nanoseconds = 1;
  int length = snprintf(line, sizeof line, "%llde-9,\"%.*s\"\n", nanoseconds, (int)inside.length, inside.line);
  if (length > 0 && (size_t)length < sizeof line)
    keep(line, (size_t)length);
}
