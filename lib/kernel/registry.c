/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "catalog/catalog.h"

/* A kernel, or where its text is: kernels of the catalogue are read when they are asked for. */
struct entry {
  const char *name; /* of the kernel or the catalogue */
  _Atomic(struct perfpred_kernel *) kernel;
  const struct ppi_catalog_entry *source; /* NULL: the kernel is there */
};

struct ppi_kernels {
  size_t count, capacity;
  struct entry *added; /* in the order of their coming */
  size_t *named;       /* places in `added`, in the order of names */
};

static const char *name_at(const void *data, size_t index) {
  const struct ppi_kernels *kernels = data;
  return kernels->added[kernels->named[index]].name;
}

/* Place of the name in `named`, or where it would stand. */
static size_t place_of(const struct ppi_kernels *kernels, const char *name) {
  size_t low = 0, high = kernels->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(name_at(kernels, middle), name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool stands_at(const struct ppi_kernels *kernels, size_t place, const char *name) {
  return place < kernels->count && strcmp(name_at(kernels, place), name) == 0;
}

/* Of several threads that read the same text the first one's kernel stays. NULL: memory is short; the catalogue is well-formed. */
static struct perfpred_kernel *kernel_of(struct entry *entry) {
  struct perfpred_kernel *kernel = atomic_load_explicit(&entry->kernel, memory_order_acquire);
  if (kernel)
    return kernel;
  const struct ppi_catalog_text *text = &ppi_kernel_catalog[entry->source->text];
  struct perfpred_kernel *read = NULL;
  struct ppi_scanner scanner;
  ppi_scan_init(&scanner, text->text + entry->source->offset, text->length - entry->source->offset, text->source, NULL);
  if (ppi_kernel_parse_entry(&scanner, (int)entry->source->entry, &read) != PERFPRED_OK)
    return NULL;
  if (atomic_compare_exchange_strong_explicit(&entry->kernel, &kernel, read, memory_order_acq_rel,
                                              memory_order_acquire))
    return read;
  ppi_kernel_unref(read);
  return kernel;
}

const struct perfpred_kernel *ppi_kernels_find(const struct ppi_kernels *kernels, const char *name) {
  size_t place = place_of(kernels, name);
  return stands_at(kernels, place, name) ? ppi_kernels_at(kernels, place) : NULL;
}

bool ppi_kernels_has(const struct ppi_kernels *kernels, const char *name) {
  return stands_at(kernels, place_of(kernels, name), name);
}

const char *ppi_kernels_name_at(const struct ppi_kernels *kernels, size_t index) {
  return index < kernels->count ? name_at(kernels, index) : NULL;
}

size_t ppi_kernels_count(const struct ppi_kernels *kernels) {
  return kernels->count;
}

const struct perfpred_kernel *ppi_kernels_at(const struct ppi_kernels *kernels, size_t index) {
  return index < kernels->count ? kernel_of(&kernels->added[kernels->named[index]]) : NULL;
}

const char *ppi_kernels_nearest(const struct ppi_kernels *kernels, const char *name) {
  return ppi_text_nearest(name, kernels->count, name_at, kernels);
}

static enum perfpred_status reserve(struct ppi_kernels *kernels, size_t capacity, struct perfpred_error *error) {
  if (capacity <= kernels->capacity)
    return PERFPRED_OK;
  struct entry *added = realloc(kernels->added, capacity * sizeof *added);
  if (!added)
    return ppi_error_memory(error);
  kernels->added = added;
  size_t *named = realloc(kernels->named, capacity * sizeof *named);
  if (!named)
    return ppi_error_memory(error);
  kernels->named = named;
  kernels->capacity = capacity;
  return PERFPRED_OK;
}

enum perfpred_status ppi_kernels_add(struct ppi_kernels *kernels, struct perfpred_kernel *kernel,
                                     struct perfpred_error *error) {
  const size_t place = place_of(kernels, kernel->name);
  enum perfpred_status status = PERFPRED_OK;
  if (stands_at(kernels, place, kernel->name))
    status = ppi_error_set(error, PERFPRED_EXISTS, "there is a kernel '%s' already", kernel->name);
  if (status == PERFPRED_OK && kernels->count == kernels->capacity)
    status = reserve(kernels, 2 * kernels->count + 8, error);
  if (status != PERFPRED_OK) {
    ppi_kernel_unref(kernel);
    return status;
  }
  memmove(kernels->named + place + 1, kernels->named + place, (kernels->count - place) * sizeof *kernels->named);
  kernels->named[place] = kernels->count;
  struct entry *entry = &kernels->added[kernels->count++];
  entry->name = kernel->name;
  entry->source = NULL;
  atomic_init(&entry->kernel, kernel);
  return PERFPRED_OK;
}

void ppi_kernels_truncate(struct ppi_kernels *kernels, size_t count) {
  while (kernels->count > count) {
    struct entry *newest = &kernels->added[kernels->count - 1];
    size_t place = place_of(kernels, newest->name);
    memmove(kernels->named + place, kernels->named + place + 1, (kernels->count - place - 1) * sizeof *kernels->named);
    kernels->count--;
    ppi_kernel_unref(atomic_load_explicit(&newest->kernel, memory_order_relaxed));
  }
}

void ppi_kernels_destroy(struct ppi_kernels *kernels) {
  if (!kernels)
    return;
  ppi_kernels_truncate(kernels, 0);
  free(kernels->named);
  free(kernels->added);
  free(kernels);
}

/* --- Texts --------------------------------------------------------------------------------------------------------- */

static enum perfpred_status add_parsed(void *data, struct perfpred_kernel *kernel, struct perfpred_error *error) {
  return ppi_kernels_add(data, kernel, error);
}

enum perfpred_status ppi_kernels_first_line(struct ppi_scanner *scanner) {
  if (ppi_scan_is(scanner, "kernel"))
    return PERFPRED_OK;
  if (!ppi_scan_accept(scanner, "perfpred") || !ppi_scan_accept(scanner, "-") || !ppi_scan_accept(scanner, "text"))
    return ppi_scan_expected(scanner, "'perfpred-text 1'");
  if (scanner->token.kind != PPI_TOKEN_INTEGER || scanner->token.integer != 1)
    return ppi_scan_expected(scanner, "version 1 of the text form");
  ppi_scan_next(scanner);
  return ppi_scan_line(scanner);
}

enum perfpred_status ppi_kernels_add_text(struct ppi_kernels *kernels, const char *text, size_t length,
                                          const char *source, struct perfpred_error *error) {
  const size_t before = kernels->count;
  struct ppi_scanner scanner;
  ppi_scan_init(&scanner, text, length, source, error);
  enum perfpred_status status = ppi_kernels_first_line(&scanner);
  while (status == PERFPRED_OK && scanner.token.kind != PPI_TOKEN_END)
    status = ppi_kernel_parse(&scanner, add_parsed, kernels);
  if (status != PERFPRED_OK)
    ppi_kernels_truncate(kernels, before);
  return status;
}

enum perfpred_status ppi_kernels_create(struct ppi_kernels **kernels, struct perfpred_error *error) {
  const size_t count = ppi_kernel_catalog_index_count;
  struct ppi_kernels *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  enum perfpred_status status = reserve(made, count + 8, error);
  if (status != PERFPRED_OK) {
    ppi_kernels_destroy(made);
    return status;
  }
  for (size_t i = 0; i < count; i++) {
    made->added[i].name = ppi_kernel_catalog_index[i].name;
    made->added[i].source = &ppi_kernel_catalog_index[i];
    atomic_init(&made->added[i].kernel, NULL);
    made->named[i] = i;
  }
  made->count = count;
  *kernels = made;
  return PERFPRED_OK;
}

/* --- Public -------------------------------------------------------------------------------------------------------- */

enum perfpred_status ppi_kernels_require(const struct ppi_kernels *kernels, const char *name,
                                         const struct perfpred_kernel **kernel, struct perfpred_error *error) {
  const size_t place = place_of(kernels, name);
  if (!stands_at(kernels, place, name)) {
    const char *near = ppi_kernels_nearest(kernels, name);
    if (near)
      return ppi_error_set(error, PERFPRED_NOT_FOUND, "no kernel '%s'; did you mean '%s'?", name, near);
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "no kernel '%s'", name);
  }
  const struct perfpred_kernel *found = ppi_kernels_at(kernels, place);
  if (!found)
    return ppi_error_memory(error);
  *kernel = found;
  return PERFPRED_OK;
}

size_t perfpred_kernel_count(const struct perfpred_context *context) {
  return context ? context->kernels->count : 0;
}

const struct perfpred_kernel *perfpred_kernel_at(const struct perfpred_context *context, size_t index) {
  return context ? ppi_kernels_at(context->kernels, index) : NULL;
}

enum perfpred_status perfpred_kernel_find(const struct perfpred_context *context, const char *name,
                                          const struct perfpred_kernel **kernel, struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!context || !name || !kernel)
    return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", !context ? "context" : !name ? "name" : "kernel");
  return ppi_kernels_require(context->kernels, name, kernel, error);
}
