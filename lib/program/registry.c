/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "catalog/catalog.h"
#include "program/text.h"
#include "program/tree.h"

/* An algorithm, or where its text is: those of the catalogue are read when one of their text is asked for. */
struct entry {
  const char *name;                           /* of the program or the catalogue */
  struct perfpred_program *program;           /* a reference; NULL: of the catalogue */
  const struct ppi_catalog_algorithm *source; /* NULL: of a text that was added */
};

struct ppi_programs {
  const struct ppi_kernels *kernels;
  _Atomic(struct ppi_unit *) *units; /* of the texts of the catalogue; NULL: not read yet */
  size_t count, capacity;
  struct entry *added; /* in order of the texts */
  size_t *named;       /* places in `added`, in the order of names */
};

static const char *named_at(const struct ppi_programs *programs, size_t index) {
  return programs->added[programs->named[index]].name;
}

/* Place of the name in `named`, or where it would stand. */
static size_t place_of(const struct ppi_programs *programs, const char *name) {
  size_t low = 0, high = programs->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(named_at(programs, middle), name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool stands_at(const struct ppi_programs *programs, size_t place, const char *name) {
  return place < programs->count && strcmp(named_at(programs, place), name) == 0;
}

/* Of several threads that read the same text the first one's unit stays. */
static enum perfpred_status read_text(const struct ppi_programs *programs, unsigned number, struct ppi_unit **unit,
                                      struct perfpred_error *error) {
  const struct ppi_catalog_text *text = &ppi_algorithm_catalog[number];
  struct ppi_unit *there = atomic_load_explicit(&programs->units[number], memory_order_acquire), *read = NULL;
  if (!there) {
    enum perfpred_status status =
        ppi_text_read_algorithms(programs, programs->kernels, text->text, text->length, text->source, &read, error);
    if (status)
      return status;
    if (atomic_compare_exchange_strong_explicit(&programs->units[number], &there, read, memory_order_acq_rel,
                                                memory_order_acquire))
      there = read;
    else
      ppi_unit_unref(read);
  }
  *unit = there;
  return PERFPRED_OK;
}

static enum perfpred_status program_of(const struct ppi_programs *programs, const struct entry *entry,
                                       struct perfpred_program **program, struct perfpred_error *error) {
  struct ppi_unit *unit = NULL;
  if (!entry->program) {
    enum perfpred_status status = read_text(programs, entry->source->text, &unit, error);
    if (status)
      return status;
  }
  *program = entry->program ? entry->program : unit->programs[entry->source->place];
  return PERFPRED_OK;
}

static bool reserve(struct ppi_programs *programs, size_t more) {
  if (programs->capacity - programs->count >= more)
    return true;
  const size_t least = programs->count + more;
  const size_t capacity = 2 * programs->capacity > least ? 2 * programs->capacity : least;
  struct entry *added = realloc(programs->added, capacity * sizeof *added);
  if (!added)
    return false;
  programs->added = added;
  size_t *named = realloc(programs->named, capacity * sizeof *named);
  if (!named)
    return false;
  programs->named = named;
  programs->capacity = capacity;
  return true;
}

static void add(struct ppi_programs *programs, struct perfpred_program *program) {
  const size_t place = place_of(programs, program->name);
  memmove(programs->named + place + 1, programs->named + place, (programs->count - place) * sizeof *programs->named);
  programs->named[place] = programs->count;
  programs->added[programs->count++] = (struct entry){ program->name, perfpred_program_ref(program), NULL };
}

enum perfpred_status ppi_programs_add_text(struct ppi_programs *programs, struct ppi_kernels *kernels, const char *text,
                                           size_t length, const char *source, struct perfpred_error *error) {
  struct ppi_unit *unit = NULL;
  const size_t kernel_count = ppi_kernels_count(kernels);
  enum perfpred_status status = ppi_text_read(programs, kernels, text, length, source, &unit, error);
  if (status)
    return status;
  if (reserve(programs, (size_t)unit->count))
    for (int i = 0; i < unit->count; i++)
      add(programs, unit->programs[i]);
  else
    status = ppi_error_memory(error);
  ppi_unit_unref(unit);
  if (status)
    ppi_kernels_truncate(kernels, kernel_count);
  return status;
}

enum perfpred_status ppi_programs_create(const struct ppi_kernels *kernels, struct ppi_programs **programs,
                                         struct perfpred_error *error) {
  const size_t count = ppi_algorithm_catalog_index_count;
  struct ppi_programs *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->kernels = kernels;
  made->units = calloc(ppi_algorithm_catalog_count, sizeof *made->units);
  if (!made->units || !reserve(made, count + 8)) {
    ppi_programs_destroy(made);
    return ppi_error_memory(error);
  }
  for (size_t i = 0; i < ppi_algorithm_catalog_count; i++)
    atomic_init(&made->units[i], NULL);
  for (size_t i = 0; i < count; i++)
    made->added[i] = (struct entry){ ppi_algorithm_catalog_index[i].name, NULL, &ppi_algorithm_catalog_index[i] };
  memcpy(made->named, ppi_algorithm_catalog_named, count * sizeof *made->named);
  made->count = count;
  *programs = made;
  return PERFPRED_OK;
}

void ppi_programs_destroy(struct ppi_programs *programs) {
  if (!programs)
    return;
  while (programs->count > 0)
    perfpred_program_unref(programs->added[--programs->count].program);
  for (size_t i = 0; programs->units && i < ppi_algorithm_catalog_count; i++)
    ppi_unit_unref(atomic_load_explicit(&programs->units[i], memory_order_relaxed));
  free(programs->named);
  free(programs->added);
  free(programs->units);
  free(programs);
}

bool ppi_programs_has(const struct ppi_programs *programs, const char *name) {
  return stands_at(programs, place_of(programs, name), name);
}

struct perfpred_program *ppi_programs_find(const struct ppi_programs *programs, const char *name) {
  const size_t place = place_of(programs, name);
  struct perfpred_program *program = NULL;
  if (!stands_at(programs, place, name) ||
      program_of(programs, &programs->added[programs->named[place]], &program, NULL) != PERFPRED_OK)
    return NULL;
  return program;
}

static const char *name_at(const void *data, size_t index) {
  const struct ppi_programs *programs = data;
  return programs->added[index].name;
}

enum perfpred_status ppi_programs_require(const struct ppi_programs *programs, const char *name,
                                          struct perfpred_program **program, struct perfpred_error *error) {
  const size_t place = place_of(programs, name);
  if (stands_at(programs, place, name))
    return program_of(programs, &programs->added[programs->named[place]], program, error);
  const char *near = ppi_text_nearest(name, programs->count, name_at, programs);
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "no algorithm is called %.100s%s%s%s", name,
                       near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}

/* --- Public -------------------------------------------------------------------------------------------------------- */

size_t perfpred_program_count(const struct perfpred_context *context) {
  return context && context->programs ? context->programs->count : 0;
}

const char *perfpred_program_name_at(const struct perfpred_context *context, size_t index) {
  return index < perfpred_program_count(context) ? context->programs->added[index].name : NULL;
}

const char *perfpred_program_operation_at(const struct perfpred_context *context, size_t index) {
  if (index >= perfpred_program_count(context))
    return NULL;
  const struct entry *entry = &context->programs->added[index];
  return entry->program ? entry->program->operation : entry->source->operation;
}

enum perfpred_status perfpred_program_find(const struct perfpred_context *context, const char *name,
                                           struct perfpred_program **program, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !name || !program)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !name ? "name" : "program");
  struct perfpred_program *found = NULL;
  enum perfpred_status status = ppi_programs_require(context->programs, name, &found, error);
  if (!status)
    *program = perfpred_program_ref(found);
  return status;
}

enum perfpred_status perfpred_program_parse(const struct perfpred_context *context, const char *text, size_t length,
                                            const char *source, struct perfpred_program **program,
                                            struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !text || !program)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !text ? "text" : "program");
  return ppi_program_parse(context->programs, context->kernels, text, length, source ? source : "text", program, error);
}
