/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "catalog/catalog.h"
#include "program/names.h"
#include "program/text.h"
#include "program/tree.h"

struct ppi_programs {
  struct ppi_names names;
  size_t count, capacity;
  struct perfpred_program **programs; /* in order of the texts; a reference each */
};

static bool reserve(struct ppi_programs *programs, size_t more) {
  if (!ppi_names_reserve(&programs->names, more))
    return false;
  if (programs->capacity - programs->count >= more)
    return true;
  const size_t least = programs->count + more;
  const size_t capacity = 2 * programs->capacity > least ? 2 * programs->capacity : least;
  struct perfpred_program **array = realloc(programs->programs, capacity * sizeof *array);
  if (!array)
    return false;
  programs->programs = array;
  programs->capacity = capacity;
  return true;
}

static void add(struct ppi_programs *programs, struct perfpred_program *program) {
  programs->programs[programs->count++] = perfpred_program_ref(program);
  ppi_names_add(&programs->names, program);
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

/* The catalogue of algorithms holds no kernels, so the registry of kernels, already full, is only read. */
enum perfpred_status ppi_programs_create(const struct ppi_kernels *kernels, struct ppi_programs **programs,
                                         struct perfpred_error *error) {
  struct ppi_programs *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < ppi_algorithm_catalog_count && !status; i++) {
    const struct ppi_catalog_text *text = &ppi_algorithm_catalog[i];
    status = ppi_programs_add_text(made, (struct ppi_kernels *)kernels, text->text, text->length, text->source, error);
  }
  if (status) {
    ppi_programs_destroy(made);
    return status;
  }
  *programs = made;
  return PERFPRED_OK;
}

void ppi_programs_destroy(struct ppi_programs *programs) {
  if (!programs)
    return;
  while (programs->count > 0)
    perfpred_program_unref(programs->programs[--programs->count]);
  free(programs->programs);
  ppi_names_free(&programs->names);
  free(programs);
}

struct perfpred_program *ppi_programs_find(const struct ppi_programs *programs, const char *name) {
  return ppi_names_find(&programs->names, name);
}

size_t perfpred_program_count(const struct perfpred_context *context) {
  return context && context->programs ? context->programs->count : 0;
}

const char *perfpred_program_name_at(const struct perfpred_context *context, size_t index) {
  return index < perfpred_program_count(context) ? context->programs->programs[index]->name : NULL;
}

static const char *name_at(const void *context, size_t index) {
  return perfpred_program_name_at(context, index);
}

enum perfpred_status perfpred_program_find(const struct perfpred_context *context, const char *name,
                                           struct perfpred_program **program, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !name || !program)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !name ? "name" : "program");
  struct perfpred_program *found = ppi_programs_find(context->programs, name);
  if (!found) {
    const char *near = ppi_text_nearest(name, context->programs->count, name_at, context);
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "no algorithm is called %.100s%s%s%s", name,
                         near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
  }
  *program = perfpred_program_ref(found);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_program_parse(const struct perfpred_context *context, const char *text, size_t length,
                                            const char *source, struct perfpred_program **program,
                                            struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !text || !program)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !text ? "text" : "program");
  return ppi_program_parse(context->programs, context->kernels, text, length, source ? source : "text", program, error);
}
