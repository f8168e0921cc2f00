/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "file.h"

#define NAME_MAX_LENGTH 256

/* Equal but for blanks at both ends, as far as `name` goes when it fills its place. */
static bool matches(const char *name, unsigned size, const char *mine) {
  while (*name == ' ')
    name++, size--;
  while (*mine == ' ' || *mine == '\t')
    mine++;
  size_t length = strlen(name), here = strlen(mine);
  const bool cut = length + 1 >= size;
  while (length > 0 && name[length - 1] == ' ')
    length--;
  while (here > 0 && (mine[here - 1] == ' ' || mine[here - 1] == '\n'))
    here--;
  return (cut ? here >= length : here == length) && memcmp(name, mine, length) == 0;
}

/* The processor's own name, which Linux copies into /proc/cpuinfo. Reading that file takes up to 10 ms where Linux measures
   frequencies for it. */
static void ask(char name[NAME_MAX_LENGTH]) {
  name[0] = '\0';
#if defined(__x86_64__) || defined(__i386__)
  unsigned words[4];
  if ((unsigned)__get_cpuid_max(0x80000000U, NULL) < 0x80000004U)
    return;
  for (unsigned i = 0; i < 3; i++) {
    __cpuid(0x80000002U + i, words[0], words[1], words[2], words[3]);
    memcpy(name + sizeof words * i, words, sizeof words);
  }
  name[3 * sizeof words] = '\0';
#endif
}

/* The value of the first line with that key in the text of /proc/cpuinfo; false: there is none. */
static bool field(const char *text, const char *key, char *value, size_t size) {
  for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
    if (strncmp(line, key, strlen(key)) != 0)
      continue;
    const char *at = line + strlen(key);
    at += strspn(at, " \t");
    if (*at != ':')
      continue;
    at += 1 + strspn(at + 1, " \t");
    size_t length = strcspn(at, "\n");
    length = length < size ? length : size - 1;
    memcpy(value, at, length);
    value[length] = '\0';
    return true;
  }
  return false;
}

/* As the library reads it (ppi_machine_here). */
static void read_name(char name[NAME_MAX_LENGTH]) {
  char text[4096], implementer[32] = "", part[32] = "";
  struct utsname system;
  const long length = ppi_ilaenv_file_begin("/proc/cpuinfo", text, sizeof text - 1);
  text[length > 0 ? length : 0] = '\0';
  name[0] = '\0';
  if (field(text, "model name", name, NAME_MAX_LENGTH))
    return;
  field(text, "CPU implementer", implementer, sizeof implementer);
  if (field(text, "CPU part", part, sizeof part))
    snprintf(name, NAME_MAX_LENGTH, "implementer %s part %s", implementer, part);
  else if (uname(&system) == 0)
    snprintf(name, NAME_MAX_LENGTH, "%s", system.machine);
}

bool ppi_ilaenv_cpu_is(const char *name, unsigned size) {
  char mine[NAME_MAX_LENGTH];
  ask(mine);
  if (mine[0] != '\0' && matches(name, size, mine))
    return true;
  read_name(mine); /* emulators give another name there */
  return matches(name, size, mine);
}
