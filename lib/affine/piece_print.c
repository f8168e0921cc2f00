/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces as texts: "1 <= i <= 99 and (j//8) - (k//8) >= 1 and j%8 = 0", and the distance. */
#include <inttypes.h>
#include <stdio.h>

#include "affine/piece.h"

#define COMBINATIONS 256 /* of phases that are listed */

/* Names of the variables: a counter's block is "name//8" and its phase "name%8". */
struct naming {
  char text[PPI_VARS][PPI_NAME_MAX + 48];
  const char *names[PPI_VARS];
};

/* The counter of a loop in terms of the loop's name, which is value[loop] of the counters. */
static void name_counter(const struct ppi_piece *piece, const struct perfpred_program *program, int loop,
                         char text[PPI_NAME_MAX + 24]) {
  const struct ppi_affine *value = &piece->reference->value[loop];
  const char *name = program->slots[piece->reference->loop_node[loop]->slot];
  bool plain = value->constant == 0;
  for (int i = 0; i < PPI_LOOPS; i++)
    plain = plain && (i == loop || value->c[i] == 0);
  if (plain && value->c[loop] == 1)
    snprintf(text, PPI_NAME_MAX + 24, "%s", name);
  else if (plain && value->c[loop] == -1)
    snprintf(text, PPI_NAME_MAX + 24, "(-%s)", name);
  else
    snprintf(text, PPI_NAME_MAX + 24, "q%d", loop);
}

static void name_variables(const struct ppi_piece *piece, const struct perfpred_program *program,
                           struct naming *naming) {
  memset(naming, 0, sizeof *naming);
  for (int i = 0; i < PPI_VARS; i++)
    naming->names[i] = naming->text[i];
  for (int i = 0; i < piece->path->loops; i++) {
    char name[PPI_NAME_MAX + 24];
    name_counter(piece, program, i, name);
    if (piece->path->modulus[i] == 1) {
      snprintf(naming->text[PPI_BLOCK_VAR(i)], sizeof naming->text[0], "%s", name);
      continue;
    }
    snprintf(naming->text[PPI_BLOCK_VAR(i)], sizeof naming->text[0], "(%s//%d)", name, piece->path->modulus[i]);
    snprintf(naming->text[PPI_PHASE_VAR(i)], sizeof naming->text[0], "(%s%%%d)", name, piece->path->modulus[i]);
  }
}

static void join(struct ppi_text *text) {
  ppi_text_append(text, text->length > 0 ? " and " : "");
}

static void print_range(const char *name, int64_t low, int64_t high, struct ppi_text *text) {
  join(text);
  if (low == high)
    ppi_text_printf(text, "%s = %" PRId64, name, low);
  else
    ppi_text_printf(text, "%" PRId64 " <= %s <= %" PRId64, low, name, high);
}

/* A condition on several counters. */
static void print_constraint(const struct ppi_constraint *constraint, const struct naming *naming,
                             struct ppi_text *text) {
  struct ppi_form form = ppi_form_constant(0);
  struct ppi_poly poly;
  for (int i = 0; i < PPI_LOOPS; i++)
    form.c[PPI_BLOCK_VAR(i)] = constraint->c[i];
  ppi_poly_form(&poly, &form);
  join(text);
  ppi_poly_print(&poly, naming->names, text);
  ppi_text_printf(text, " >= %" PRId64, -constraint->constant);
}

static void print_blocks(const struct ppi_set *set, const struct naming *naming, struct ppi_text *text) {
  for (int i = 0; i < set->variables; i++)
    print_range(naming->names[PPI_BLOCK_VAR(i)], set->low[i], set->high[i], text);
  for (int i = 0; i < set->count; i++)
    print_constraint(&set->rows[i], naming, text);
}

/* Which values a phase takes; how many. */
static int find_values(const struct ppi_path *path, int phase, bool seen[PPI_MODULUS_MAX]) {
  const uint32_t *points = NULL;
  const int count = ppi_path_points(path, &points);
  int values = 0;
  memset(seen, 0, PPI_MODULUS_MAX * sizeof *seen);
  for (int i = 0; i < count; i++) {
    bool *value = &seen[path->phases[points[i] * (size_t)path->phase_count + (size_t)phase]];
    values += !*value;
    *value = true;
  }
  return values;
}

static void print_values(const struct ppi_path *path, int phase, const struct naming *naming, struct ppi_text *text) {
  bool seen[PPI_MODULUS_MAX];
  const int values = find_values(path, phase, seen), modulus = path->modulus[path->phase_loop[phase]];
  const char *name = naming->names[PPI_PHASE_VAR(path->phase_loop[phase])];
  int low = 0;
  if (values == modulus)
    return;
  while (low < modulus && !seen[low])
    low++;
  int high = low;
  while (high < modulus && seen[high])
    high++;
  if (high - low == values) {
    print_range(name, low, high - 1, text);
    return;
  }
  join(text);
  ppi_text_printf(text, "%s in {", name);
  for (int i = low; i < modulus; i++)
    if (seen[i])
      ppi_text_printf(text, "%s%d", i > low ? ", " : "", i);
  ppi_text_append(text, "}");
}

/* Combinations one after the other. */
static void print_combinations(const struct ppi_path *path, const struct naming *naming, struct ppi_text *text) {
  const uint32_t *points = NULL;
  const int count = ppi_path_points(path, &points);
  join(text);
  for (int j = 0; j < path->phase_count; j++)
    ppi_text_printf(text, "%s%s", j ? ", " : "(", naming->names[PPI_PHASE_VAR(path->phase_loop[j])]);
  ppi_text_append(text, ") in {");
  for (int i = 0; i < count && i < COMBINATIONS; i++)
    for (int j = 0; j < path->phase_count; j++)
      ppi_text_printf(text, "%s%d%s",
                      j   ? ","
                      : i ? " ("
                          : "(",
                      path->phases[points[i] * (size_t)path->phase_count + (size_t)j],
                      j == path->phase_count - 1 ? ")" : "");
  ppi_text_append(text, count > COMBINATIONS ? " ...}" : "}");
}

/* Each phase by itself, where all combinations of their values occur. */
static void print_phases(const struct ppi_path *path, const struct naming *naming, struct ppi_text *text) {
  const uint32_t *points = NULL;
  bool seen[PPI_MODULUS_MAX];
  int64_t product = 1;
  for (int j = 0; j < path->phase_count; j++)
    product *= find_values(path, j, seen);
  if (product != ppi_path_points(path, &points)) {
    print_combinations(path, naming, text);
    return;
  }
  for (int j = 0; j < path->phase_count; j++)
    print_values(path, j, naming, text);
}

char *ppi_piece_conditions(const struct ppi_piece *piece, const struct perfpred_program *program) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct naming naming;
  struct ppi_set set;
  name_variables(piece, program, &naming);
  ppi_piece_set(piece, &set);
  ppi_set_tighten(&set);
  print_blocks(&set, &naming, &text);
  print_phases(piece->path, &naming, &text);
  ppi_text_append(&text, "");
  return ppi_text_take(&text);
}

/* Numbers for what has one value in the piece. */
static void put_numbers(const struct ppi_piece *piece, struct ppi_poly *lines) {
  const struct ppi_path *path = piece->path;
  struct ppi_set set;
  ppi_piece_set(piece, &set);
  ppi_set_tighten(&set);
  for (int i = 0; i < set.variables; i++)
    if (set.low[i] == set.high[i])
      ppi_poly_assign(lines, PPI_BLOCK_VAR(i), set.low[i]);
  for (int j = 0; j < path->phase_count; j++) {
    bool seen[PPI_MODULUS_MAX];
    int value = 0;
    if (find_values(path, j, seen) != 1)
      continue;
    while (!seen[value])
      value++;
    ppi_poly_assign(lines, PPI_PHASE_VAR(path->phase_loop[j]), value);
  }
}

char *ppi_piece_distance(const struct ppi_piece *piece, const struct perfpred_program *program) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct naming naming;
  struct ppi_poly lines;
  if (piece->first) {
    ppi_text_append(&text, "first");
    return ppi_text_take(&text);
  }
  ppi_poly_copy(&lines, piece->lines);
  put_numbers(piece, &lines);
  name_variables(piece, program, &naming);
  ppi_poly_print(&lines, naming.names, &text);
  return ppi_text_take(&text);
}
