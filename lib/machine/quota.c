/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

static bool read_text(const char *root, const char *base, const char *group, const char *name, char *text, int size) {
  char path[PATH_SIZE + 128];
  if (snprintf(path, sizeof path, "%s%s%s/%s", root, base, group, name) >= (int)sizeof path)
    return false;
  FILE *file = fopen(path, "re");
  bool found = file && fgets(text, size, file);
  if (file)
    fclose(file);
  return found;
}

/* Time over period; 0: unlimited, or no numbers. */
static double ratio(const char *time, const char *period) {
  char *end;
  double allowed = strtod(time, &end);
  double length = strtod(period, NULL);
  return end != time && allowed > 0.0 && length > 0.0 ? allowed / length : 0.0;
}

/* "max 100000" or "150000 100000". */
static double second_version(const char *root, const char *group) {
  char text[128];
  if (!read_text(root, "/sys/fs/cgroup", group, "cpu.max", text, sizeof text))
    return 0.0;
  size_t length = strcspn(text, " ");
  return strncmp(text, "max", 3) == 0 || !text[length] ? 0.0 : ratio(text, text + length);
}

static double first_version(const char *root, const char *group) {
  static const char *const bases[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" };
  char quota[64], period[64];
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
    if (read_text(root, bases[i], group, "cpu.cfs_quota_us", quota, sizeof quota) &&
        read_text(root, bases[i], group, "cpu.cfs_period_us", period, sizeof period))
      return ratio(quota, period);
  return 0.0;
}

/* The group and all above it. */
static double tightest(const char *root, char *group, double (*of)(const char *, const char *)) {
  double best = 0.0;
  for (;;) {
    size_t length = strlen(group);
    while (length > 0 && group[length - 1] == '/')
      group[--length] = '\0';
    double limit = of(root, group);
    if (limit > 0.0 && (best <= 0.0 || limit < best))
      best = limit;
    char *slash = strrchr(group, '/');
    if (!slash)
      return best;
    *slash = '\0';
  }
}

/* Whether a list such as "cpu,cpuacct" has the word cpu. */
static bool has_cpu(const char *list) {
  for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] != '\0'))
    if (strncmp(list, "cpu", 3) == 0 && (list[3] == ',' || list[3] == '\0'))
      return true;
  return false;
}

/* "NUMBER:CONTROLLERS:/GROUP"; of the second version there are no controllers. */
static double line_limit(const char *root, char *line) {
  char *controllers = strchr(line, ':');
  char *group = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!group)
    return 0.0;
  *controllers++ = *group++ = '\0';
  group[strcspn(group, "\n")] = '\0';
  if (strstr(group, "..")) /* outside of what is seen here */
    *group = '\0';
  if (controllers[0] == '\0')
    return tightest(root, group, second_version);
  return has_cpu(controllers) ? tightest(root, group, first_version) : 0.0;
}

double ppi_quota_read(const char *root, const char *process) {
  char path[PATH_SIZE], line[PATH_SIZE];
  double best = 0.0;
  snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file)) {
    double limit = line_limit(root, line);
    if (limit > 0.0 && (best <= 0.0 || limit < best))
      best = limit;
  }
  if (file)
    fclose(file);
  return best;
}
