/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/cpus.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_MOST 65536 /* units in one span of a list */

/* Adds a text while there is room for it and for an ending; false when there is none. */
static bool add(char *text, size_t size, const char *more) {
  static const char ending[] = ",...";
  size_t length = strlen(text);
  if (length + strlen(more) + sizeof ending <= size) {
    memcpy(text + length, more, strlen(more) + 1);
    return true;
  }
  if (length + sizeof ending <= size)
    memcpy(text + length, ending, sizeof ending);
  return false;
}

void ppi_cpus_format(const int *cpus, size_t count, char *text, size_t size) {
  text[0] = '\0';
  for (size_t first = 0, end; first < count; first = end) {
    char part[32];
    for (end = first + 1; end < count && cpus[end] == cpus[end - 1] + 1; end++)
      continue;
    const char *comma = first > 0 ? "," : "";
    if (end - first == 1)
      snprintf(part, sizeof part, "%s%d", comma, cpus[first]);
    else
      snprintf(part, sizeof part, "%s%d-%d", comma, cpus[first], cpus[end - 1]);
    if (!add(text, size, part))
      return;
  }
}

static size_t list(int cpus[CPU_SETSIZE]) {
  cpu_set_t set;
  size_t count = 0;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET((size_t)cpu, &set))
      cpus[count++] = cpu;
  return count;
}

void ppi_cpus_allowed(char *text, size_t size) {
  int cpus[CPU_SETSIZE] = { 0 };
  ppi_cpus_format(cpus, list(cpus), text, size);
}

int ppi_cpus_pinned(void) {
  int cpus[CPU_SETSIZE] = { 0 };
  return list(cpus) == 1 ? cpus[0] : -1;
}

int ppi_cpus_count(const char *list) {
  int count = 0;
  while (isdigit((unsigned char)*list)) {
    char *end;
    long first = strtol(list, &end, 10), last = first;
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    if (last >= first && last - first < SPAN_MOST)
      count += (int)(last - first) + 1;
    list = *end == ',' ? end + 1 : end;
  }
  return count;
}
