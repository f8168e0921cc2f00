/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of a machine: read from /proc and /sys, or from a text. */
#include "machine/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "machine/peak.h"

#define PATH_SIZE 512
#define UNITS_MAX 4096

static void copy_text(char *to, size_t size, const char *from) {
  while (isspace((unsigned char)*from))
    from++;
  size_t length = strlen(from);
  while (length > 0 && isspace((unsigned char)from[length - 1]))
    length--;
  if (length >= size)
    length = size - 1;
  memcpy(to, from, length);
  to[length] = '\0';
}

/* First line of a file below root; false if there is none. */
static bool read_line(const char *root, const char *path, char *line, int size) {
  char full[PATH_SIZE];
  if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full)
    return false;
  FILE *file = fopen(full, "re");
  if (file == NULL)
    return false;
  bool found = fgets(line, size, file) != NULL;
  fclose(file);
  return found;
}

static bool read_unit(const char *root, int unit, const char *what, char *line, int size) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", unit, what);
  return read_line(root, path, line, size);
}

/* "48K", "1M", "262144"; -1 when it is not a size. */
static int64_t read_size(const char *text) {
  char *end;
  long long value = strtoll(text, &end, 10);
  if (end == text || value < 0 || value > (1LL << 32))
    return -1;
  switch (toupper((unsigned char)*end)) {
  case 'K':
    return value << 10;
  case 'M':
    return value << 20;
  case 'G':
    return value << 30;
  default:
    return value;
  }
}

/* A whole number that a text starts with, of at most 9 digits; 0 when it does not. */
static int read_integer(const char *text) {
  long value = strtol(text, NULL, 10);
  return value > -1000000000 && value < 1000000000 ? (int)value : 0;
}

/* Value behind the colon of a line "NAME : VALUE". */
static bool field(const char *line, const char *name, char *value, size_t size) {
  size_t length = strlen(name);
  if (strncmp(line, name, length) != 0)
    return false;
  const char *colon = strchr(line, ':');
  if (colon == NULL)
    return false;
  copy_text(value, size, colon + 1);
  return true;
}

static void read_model(const char *root, struct ppi_machine *machine) {
  char path[PATH_SIZE], line[4096], implementer[32] = "", part[32] = "";
  snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
  FILE *file = fopen(path, "re");
  if (file != NULL) {
    while (machine->cpu[0] == '\0' && fgets(line, sizeof line, file) != NULL)
      if (!field(line, "model name", machine->cpu, sizeof machine->cpu) &&
          !field(line, "CPU implementer", implementer, sizeof implementer))
        field(line, "CPU part", part, sizeof part);
    fclose(file);
  }
  if (machine->cpu[0] == '\0' && part[0] != '\0') /* as on aarch64, which has no name there */
    snprintf(machine->cpu, sizeof machine->cpu, "implementer %s part %s", implementer, part);
  struct utsname name;
  if (machine->cpu[0] == '\0' && uname(&name) == 0)
    snprintf(machine->cpu, sizeof machine->cpu, "%s", name.machine);
}

/* A core is counted at the first of its threads. */
static void read_cores(const char *root, struct ppi_machine *machine) {
  char list[256];
  if (!read_line(root, "/sys/devices/system/cpu/online", list, sizeof list)) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    machine->processing_units = machine->cores = online > 0 && online < UNITS_MAX ? (int)online : 1;
    return;
  }
  machine->processing_units = ppi_cpus_count(list);
  for (int unit = 0; unit < UNITS_MAX; unit++) {
    if (read_unit(root, unit, "topology/thread_siblings_list", list, sizeof list))
      machine->cores += read_integer(list) == unit;
    else if (unit >= machine->processing_units)
      break;
  }
  if (machine->cores == 0)
    machine->cores = machine->processing_units;
}

static void read_caches(const char *root, struct ppi_machine *machine) {
  char line[256], what[64];
  for (int index = 0; index < 2 * PPI_CACHE_MAX && machine->cache_count < PPI_CACHE_MAX; index++) {
    struct ppi_cache cache = { 0 };
    snprintf(what, sizeof what, "cache/index%d/type", index);
    if (!read_unit(root, 0, what, line, sizeof line))
      break;
    if (strncmp(line, "Instruction", 11) == 0)
      continue;
    snprintf(what, sizeof what, "cache/index%d/level", index);
    if (read_unit(root, 0, what, line, sizeof line))
      cache.level = read_integer(line);
    snprintf(what, sizeof what, "cache/index%d/size", index);
    if (read_unit(root, 0, what, line, sizeof line))
      cache.bytes = read_size(line);
    snprintf(what, sizeof what, "cache/index%d/coherency_line_size", index);
    if (read_unit(root, 0, what, line, sizeof line))
      cache.line_bytes = read_size(line);
    snprintf(what, sizeof what, "cache/index%d/shared_cpu_list", index);
    if (read_unit(root, 0, what, line, sizeof line))
      cache.shared_by = ppi_cpus_count(line);
    strcpy(cache.source, "sysfs");
    if (cache.level > 0 && cache.bytes > 0)
      machine->caches[machine->cache_count++] = cache;
  }
}

void ppi_machine_read(const char *root, struct ppi_machine *machine) {
  memset(machine, 0, sizeof *machine);
  machine->counters_available = -1;
  read_model(root, machine);
  read_cores(root, machine);
  read_caches(root, machine);
  copy_text(machine->instruction_set, sizeof machine->instruction_set, ppi_peak_widest()->instruction_set);
}

void ppi_machine_here(struct ppi_machine *machine) {
  ppi_machine_read("", machine);
}

/* One `key=value` of a synthetic machine; false when it is unknown or malformed. */
static bool set_property(struct ppi_machine *machine, const char *key, const char *value) {
  if (strcmp(key, "cpu") == 0)
    copy_text(machine->cpu, sizeof machine->cpu, value);
  else if (strcmp(key, "isa") == 0)
    copy_text(machine->instruction_set, sizeof machine->instruction_set, value);
  else if (strcmp(key, "cores") == 0)
    return (machine->cores = read_integer(value)) > 0;
  else if (strcmp(key, "units") == 0)
    return (machine->processing_units = read_integer(value)) > 0;
  else if (key[0] == 'l' && key[1] >= '1' && key[1] <= '9' && key[2] == '\0') {
    if (machine->cache_count == PPI_CACHE_MAX || read_size(value) <= 0)
      return false;
    struct ppi_cache *cache = &machine->caches[machine->cache_count++];
    *cache = (struct ppi_cache){ key[1] - '0', read_size(value), 64, 0, "synthetic" };
  } else
    return false;
  return true;
}

enum perfpred_status ppi_machine_synthetic(const char *text, struct ppi_machine *machine,
                                           struct perfpred_error *error) {
  struct ppi_machine made = { .counters_available = 0 };
  char key[PPI_TEXT_MAX], value[PPI_TEXT_MAX];
  int length = 0;
  for (; sscanf(text, " %255[^= ]=%255[^ ]%n", key, value, &length) == 2; text += length)
    if (!set_property(&made, key, value))
      return ppi_error_set(error, PERFPRED_SYNTAX,
                           "synthetic machine: '%s=%s': expected cpu, isa, cores, units or l1..l9", key, value);
  if (text[strspn(text, " ")] != '\0')
    return ppi_error_set(error, PERFPRED_SYNTAX, "synthetic machine: expected key=value, found '%s'", text);
  if (made.processing_units < made.cores)
    made.processing_units = made.cores;
  *machine = made;
  return PERFPRED_OK;
}

enum perfpred_status ppi_machine_compare(const struct ppi_machine *there, const struct ppi_machine *here,
                                         struct perfpred_error *error) {
  if (strcmp(there->cpu, here->cpu) != 0)
    return ppi_error_set(error, PERFPRED_OTHER_MACHINE, "made on CPU \"%.100s\", this one is \"%.100s\"", there->cpu,
                         here->cpu);
  if (strcmp(there->instruction_set, here->instruction_set) != 0)
    return ppi_error_set(error, PERFPRED_OTHER_MACHINE, "made with instruction set \"%s\", here it is \"%s\"",
                         there->instruction_set, here->instruction_set);
  return PERFPRED_OK;
}
