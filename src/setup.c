/* SPDX-License-Identifier: BSD-3-Clause */
#include "setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

#define LABEL "%-12s "

/* BLIS 0.9 reads BLIS_ARCH_TYPE as the number of a CPU type, its place in arch_t of blis.h; a word counts as 0. */
static void print_blis_hint(const char *instructions) {
  static const struct {
    const char *instructions;
    int type;
    const char *name;
  } types[] = { { "avx512", 0, "skx" }, { "avx2", 3, "haswell" } };
  printf(LABEL "BLIS does not recognise this CPU and runs its portable C kernels", "");
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(instructions, types[i].instructions) == 0)
      printf(". This CPU has %s: try\n" LABEL "--env BLIS_ARCH_TYPE=%d (%s), often several times faster",
             types[i].instructions, "", types[i].type, types[i].name);
  puts(".");
}

void setup_print_library(const char *label, const struct node *library, const struct node *machine) {
  const char *path = node_string(node_member(library, "path"));
  const char *version = node_string(node_member(library, "version"));
  const char *kernels = node_string(node_member(library, "kernels"));
  const char *family = node_string(node_member(library, "family"));
  printf(LABEL "%s", label, path[0] != '\0' ? path : family[0] != '\0' ? family : "none");
  if (version[0] != '\0')
    printf(", %s", version);
  if (kernels[0] != '\0')
    printf(", kernels: %s", kernels);
  putchar('\n');
  if (strcmp(family, "blis") == 0 && strcmp(kernels, "generic") == 0)
    print_blis_hint(node_string(node_member(machine, "instruction_set")));
}

static void print_caches(const struct node *caches) {
  for (size_t i = 0; i < node_count(caches); i++) {
    const struct node *cache = node_element(caches, i);
    char text[UNIT_TEXT];
    double bytes = node_number(node_member(cache, "bytes")), shared = node_number(node_member(cache, "shared_by"));
    struct unit unit = unit_bytes(bytes);
    printf(LABEL "L%.0f %s %s", i == 0 ? "caches" : "", node_number(node_member(cache, "level")),
           unit_format(text, bytes, &unit), unit.name);
    printf(", lines of %.0f B", node_number(node_member(cache, "line_bytes")));
    if (shared > 1.0)
      printf(", shared by %.0f processing units", shared);
    printf(" (%s)\n", node_string(node_member(cache, "source")));
  }
}

/* Fewer than the machine has under taskset or in a container. */
static void print_cpus(const struct node *machine) {
  const char *allowed = node_string(node_member(machine, "cpus_allowed"));
  double pinned = node_number(node_member(machine, "cpu_pinned"));
  if (allowed[0] == '\0')
    return;
  printf(LABEL "%s may be used", "CPUs", allowed);
  if (isfinite(pinned))
    printf("; measured on CPU %.0f", pinned);
  putchar('\n');
}

static void print_rate(const char *label, double value, const char *tail) {
  char text[UNIT_TEXT];
  struct unit unit = unit_rate(value);
  if (value > 0.0)
    printf(LABEL "%s %s%s\n", label, unit_format(text, value, &unit), unit.name, tail);
}

void setup_print_machine(const struct node *machine) {
  const struct node *counters = node_member(machine, "counters_available");
  const char *instructions = node_string(node_member(machine, "instruction_set"));
  double count = node_number(counters);
  printf(LABEL "%s", "CPU", node_string(node_member(machine, "cpu")));
  if (instructions[0] != '\0')
    printf(", %s", instructions);
  double cores = node_number(node_member(machine, "cores"));
  double units = node_number(node_member(machine, "processing_units"));
  printf("\n" LABEL "%.0f core%s", "cores", cores, cores == 1.0 ? "" : "s");
  if (isfinite(units))
    printf(", %.0f processing unit%s", units, units == 1.0 ? "" : "s");
  putchar('\n');
  print_cpus(machine);
  print_caches(node_member(machine, "caches"));
  print_rate("peak", node_number(node_member(machine, "peak_flops_per_s")), "flop/s, one thread, double precision");
  print_rate("", node_number(node_member(machine, "peak_flops_per_s_single")), "flop/s, one thread, single precision");
  print_rate("bandwidth", node_number(node_member(machine, "bandwidth_bytes_per_s")), "B/s, one thread");
  const char *threads_note = node_string(node_member(machine, "threads_note"));
  if (threads_note[0] != '\0')
    printf(LABEL "%s\n", "threads", threads_note);
  const char *note = node_string(node_member(node_member(machine, "counters"), "note"));
  if (note[0] != '\0')
    printf(LABEL "%s\n", "counters", note);
  else if (counters != NULL && count >= 0.0)
    printf(LABEL "%.0f of PAPI's hardware events can be counted here\n", "counters", count);
}
