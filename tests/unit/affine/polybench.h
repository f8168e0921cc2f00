/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop nests of PolyBench 4.2.1 (tests/affine/polybench.nests), their sizes, and known numbers of misses. */
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include "../program/programs.h"
#include "affine/misses.h"
#include "program/text.h"
#include "program/tree.h"

static inline char *read_file(const char *name) {
  char path[500];
  snprintf(path, sizeof path, "%s/%s", PPI_TEST_AFFINE, name);
  FILE *file = fopen(path, "rb");
  cr_assert_neq(file, NULL, "%s", path);
  char *text = calloc(1, 65536);
  const size_t length = fread(text, 1, 65535, file);
  fclose(file);
  cr_assert_gt(length, 0);
  return text;
}

static inline struct ppi_unit *read_polybench(void) {
  struct ppi_unit *unit = NULL;
  struct perfpred_error error;
  char *text = read_file("polybench.nests");
  ppi_error_clear(&error);
  cr_assert_eq(
      ppi_text_read_algorithms(context.programs, context.kernels, text, strlen(text), "polybench.nests", &unit, &error),
      PERFPRED_OK, "%s", error.text);
  free(text);
  return unit;
}

/* A nest by the kernel's name in PolyBench; names of nests begin with a letter. */
static inline struct perfpred_program *polybench_nest(const struct ppi_unit *unit, const char *kernel) {
  char name[80];
  snprintf(name, sizeof name, "%s%s", kernel[0] <= '9' ? "k" : "", kernel);
  for (int i = 0; i < unit->count; i++)
    if (!strcmp(unit->programs[i]->name, name))
      return unit->programs[i];
  cr_assert_null(name, "no nest %s", name);
  return NULL;
}

/* Values of the parameters for a size such as "MINI", from sizes.csv. */
static inline void polybench_sizes(const char *sizes, const char *kernel, const char *size, int64_t values[8]) {
  static const char *const names[] = { "MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE" };
  const char *line = sizes;
  const size_t length = strlen(kernel);
  while (line && !(strncmp(line, kernel, length) == 0 && line[length] == ',')) {
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  cr_assert_neq(line, NULL, "no sizes of %s", kernel);
  for (int i = 0; i < 5; i++) {
    line = strchr(line, ',') + 1;
    if (!strcmp(names[i], size))
      break;
  }
  int count = 0;
  for (char *end = (char *)line; count < 8 && *end != ',' && *end != '\n' && *end; count++)
    values[count] = strtoll(end, &end, 10);
}

#endif
