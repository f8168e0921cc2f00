/* SPDX-License-Identifier: BSD-3-Clause */
/* The handle of a contraction: options in, descriptions out. */
#include "api/contraction.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "contract/call.h"
#include "contract/einsum.h"
#include "contract/fuse.h"
#include "contract/name.h"
#include "contract/print.h"

static enum perfpred_status is_null(const char *what, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_INVALID, "%s is NULL", what);
}

/* The caller's size of a struct that is written. */
static enum perfpred_status check_size(size_t size, const char *what, struct perfpred_error *error) {
  if (size < sizeof size)
    return ppi_error_set(error, PERFPRED_INVALID, "%s->size is %zu, expected sizeof *%s", what, size, what);
  return PERFPRED_OK;
}

static void write_out(void *out, const void *full, size_t size, size_t full_size) {
  const size_t head = sizeof size; /* the size stays the caller's */
  const size_t end = size < full_size ? size : full_size;
  memcpy((char *)out + head, (const char *)full + head, end - head);
}

static enum perfpred_status read_type(char letter, enum ppi_type *type, struct perfpred_error *error) {
  static const char letters[] = "sdcz";
  const char *at = letter == '\0' ? letters + 1 : strchr(letters, letter);
  if (!at)
    return ppi_error_set(error, PERFPRED_INVALID, "options->type is %d, expected 's', 'd', 'c' or 'z'", (int)letter);
  *type = (enum ppi_type)(at - letters);
  return PERFPRED_OK;
}

static enum perfpred_status read_options(const struct perfpred_contraction_options *options,
                                         struct ppi_contract_given *given, bool *fuse, struct perfpred_error *error) {
  struct perfpred_contraction_options full = PERFPRED_CONTRACTION_OPTIONS_INIT;
  if (options) {
    enum perfpred_status status = check_size(options->size, "options", error);
    if (status)
      return status;
    memcpy(&full, options, options->size < sizeof full ? options->size : sizeof full);
  }
  if (full.fuse != 0 && full.fuse != 1)
    return ppi_error_set(error, PERFPRED_INVALID, "options->fuse is %d, expected 0 or 1", full.fuse);
  *fuse = full.fuse;
  given->strides[0] = full.strides_a;
  given->strides[1] = full.strides_b;
  given->strides[2] = full.strides_c;
  return read_type(full.type, &given->type, error);
}

static void write_einsum(struct perfpred_contraction *made) {
  static const char *const behind[PPI_OPERANDS] = { ",", "->", "" };
  char letters[PPI_RANK_MAX + 1];
  for (int o = 0; o < PPI_OPERANDS; o++) {
    ppi_contract_letters(&made->it, o, letters);
    strcat(made->einsum, letters);
    strcat(made->einsum, behind[o]);
  }
}

enum perfpred_status perfpred_contraction_create(const char *einsum, const char *const *names, const int64_t *extents,
                                                 size_t count, const struct perfpred_contraction_options *options,
                                                 struct perfpred_contraction **contraction,
                                                 struct perfpred_error *error) {
  ppi_error_clear(error);
  struct ppi_contract_given given = { .names = names, .extents = extents, .count = count };
  bool fuse = false;
  if (!einsum || !contraction)
    return is_null(!einsum ? "einsum" : "contraction", error);
  if (count > 0 && (!names || !extents))
    return is_null(!names ? "names" : "extents", error);
  enum perfpred_status status = read_options(options, &given, &fuse, error);
  if (status)
    return status;
  struct perfpred_contraction *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  status = ppi_contraction_read(einsum, &given, &made->it, error);
  if (status) {
    free(made);
    return status;
  }
  if (fuse)
    ppi_contraction_fuse(&made->it);
  write_einsum(made);
  *contraction = made;
  return PERFPRED_OK;
}

void perfpred_contraction_destroy(struct perfpred_contraction *contraction) {
  free(contraction);
}

enum perfpred_status perfpred_contraction_summary(const struct perfpred_contraction *contraction,
                                                  struct perfpred_contraction_info *info,
                                                  struct perfpred_error *error) {
  ppi_error_clear(error);
  if (!contraction || !info)
    return is_null(!contraction ? "contraction" : "info", error);
  enum perfpred_status status = check_size(info->size, "info", error);
  if (status)
    return status;
  const struct ppi_contraction *it = &contraction->it;
  struct perfpred_contraction_info full = PERFPRED_CONTRACTION_INFO_INIT;
  size_t *const kinds[] = { &full.contracted, &full.free_a, &full.free_b, &full.batch };
  full.einsum = contraction->einsum;
  full.type = ppi_type_letter(it->type);
  full.indices = (size_t)it->index_count;
  for (int i = 0; i < it->index_count; i++)
    ++*kinds[it->index[i].kind];
  full.flops = it->flops;
  full.elements_a = it->tensor[0].elements;
  full.elements_b = it->tensor[1].elements;
  full.elements_c = it->tensor[2].elements;
  full.element_bytes = (int64_t)ppi_type_bytes(it->type, false);
  write_out(info, &full, info->size, sizeof full);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_contraction_index_at(const struct perfpred_contraction *contraction, size_t place,
                                                   struct perfpred_contraction_index *index,
                                                   struct perfpred_error *error) {
  static const char *const kinds[] = { "contracted", "free-a", "free-b", "batch" };
  ppi_error_clear(error);
  if (!contraction || !index)
    return is_null(!contraction ? "contraction" : "index", error);
  enum perfpred_status status = check_size(index->size, "index", error);
  if (status)
    return status;
  if (place >= (size_t)contraction->it.index_count)
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "there is no index %zu, expected less than %d", place,
                         contraction->it.index_count);
  const struct ppi_index *of = &contraction->it.index[place];
  struct perfpred_contraction_index full = PERFPRED_CONTRACTION_INDEX_INIT;
  full.name = of->name;
  full.kind = kinds[of->kind];
  full.joined = of->joined;
  full.extent = of->extent;
  full.stride_a = of->stride[0];
  full.stride_b = of->stride[1];
  full.stride_c = of->stride[2];
  write_out(index, &full, index->size, sizeof full);
  return PERFPRED_OK;
}

enum perfpred_status ppi_contraction_filter(const struct perfpred_contraction_filter *given,
                                            struct ppi_contract_filter *filter, struct perfpred_error *error) {
  struct perfpred_contraction_filter full = PERFPRED_CONTRACTION_FILTER_INIT;
  if (given) {
    enum perfpred_status status = check_size(given->size, "filter", error);
    if (status)
      return status;
    memcpy(&full, given, given->size < sizeof full ? given->size : sizeof full);
  }
  if (full.kernels >> PPI_CONTRACT_KERNELS)
    return ppi_error_set(error, PERFPRED_INVALID, "filter->kernels is %u, expected bits of the %d kernels",
                         full.kernels, PPI_CONTRACT_KERNELS);
  if ((unsigned)full.copies > PERFPRED_CONTRACTION_COPIES_SOME)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "filter->copies is %d, expected PERFPRED_CONTRACTION_COPIES_ANY, NONE or SOME",
                         (int)full.copies);
  if ((unsigned)full.wholes > PERFPRED_CONTRACTION_WHOLES_ALONE)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "filter->wholes is %d, expected PERFPRED_CONTRACTION_WHOLES_NONE, TOO or ALONE",
                         (int)full.wholes);
  filter->kernels = full.kernels;
  filter->copies = (enum ppi_contract_copies)full.copies;
  filter->at_most = full.at_most;
  filter->wholes = (enum ppi_contract_wholes)full.wholes;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_contraction_count(const struct perfpred_contraction *contraction,
                                                const struct perfpred_contraction_filter *filter, uint64_t *count,
                                                struct perfpred_error *error) {
  struct ppi_contract_filter wanted;
  ppi_error_clear(error);
  if (!contraction || !count)
    return is_null(!contraction ? "contraction" : "count", error);
  enum perfpred_status status = ppi_contraction_filter(filter, &wanted, error);
  return status ? status : ppi_contract_count(&contraction->it, &wanted, count, error);
}

void ppi_contraction_describe(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                              struct perfpred_contraction_algorithm *out) {
  struct perfpred_contraction_algorithm full = PERFPRED_CONTRACTION_ALGORITHM_INIT;
  struct ppi_contract_call call;
  ppi_contract_resolve(contraction, algorithm, &call);
  ppi_contract_name(contraction, algorithm, full.name);
  full.kernel = (enum perfpred_contraction_kernel)algorithm->kernel;
  memcpy(full.routine, call.routine, sizeof full.routine);
  full.loops = (size_t)call.loop_count;
  full.copies = (size_t)call.copy_count;
  full.zero = call.zero;
  full.calls = call.calls;
  for (int i = 0; i < call.copy_count; i++) {
    const double made = ppi_contract_copies_made(&call, &call.copies[i]);
    full.copies_made += made;
    full.copied_elements += made * (double)call.copies[i].elements;
  }
  full.work_bytes = call.work_bytes;
  full.whole = algorithm->way != 0;
  write_out(out, &full, out->size, sizeof full);
}

enum perfpred_status perfpred_contraction_algorithm_at(const struct perfpred_contraction *contraction,
                                                       const struct perfpred_contraction_filter *filter, uint64_t place,
                                                       struct perfpred_contraction_algorithm *algorithm,
                                                       struct perfpred_error *error) {
  struct ppi_contract_filter wanted;
  struct ppi_contract_algorithm found;
  ppi_error_clear(error);
  if (!contraction || !algorithm)
    return is_null(!contraction ? "contraction" : "algorithm", error);
  enum perfpred_status status = check_size(algorithm->size, "algorithm", error);
  if (!status)
    status = ppi_contraction_filter(filter, &wanted, error);
  if (status)
    return status;
  if (!ppi_contract_at(&contraction->it, &wanted, place, &found))
    return ppi_error_set(error, PERFPRED_NOT_FOUND,
                         "there is no algorithm %" PRIu64 " of %s, expected less than their number", place,
                         contraction->einsum);
  ppi_contraction_describe(&contraction->it, &found, algorithm);
  return PERFPRED_OK;
}

static enum perfpred_status find(const struct perfpred_contraction *contraction, const char *name,
                                 struct ppi_contract_algorithm *found, struct perfpred_error *error) {
  if (!contraction || !name)
    return is_null(!contraction ? "contraction" : "name", error);
  return ppi_contract_find(&contraction->it, name, found, error);
}

enum perfpred_status perfpred_contraction_find(const struct perfpred_contraction *contraction, const char *name,
                                               struct perfpred_contraction_algorithm *algorithm,
                                               struct perfpred_error *error) {
  struct ppi_contract_algorithm found;
  ppi_error_clear(error);
  if (!algorithm)
    return is_null("algorithm", error);
  enum perfpred_status status = check_size(algorithm->size, "algorithm", error);
  if (!status)
    status = find(contraction, name, &found, error);
  if (!status)
    ppi_contraction_describe(&contraction->it, &found, algorithm);
  return status;
}

enum perfpred_status perfpred_contraction_program(const struct perfpred_context *context,
                                                  const struct perfpred_contraction *contraction, const char *name,
                                                  struct perfpred_program **program, struct perfpred_error *error) {
  struct ppi_contract_algorithm found;
  ppi_error_clear(error);
  if (!context || !program)
    return is_null(!context ? "context" : "program", error);
  enum perfpred_status status = find(contraction, name, &found, error);
  return status ? status : ppi_contract_program(context, &contraction->it, &found, program, error);
}

/* Letters, digits and _, and no word of C. */
static bool is_identifier(const char *name) {
  static const char *const words[] = {
    "auto",     "break",     "case",      "char",     "const",    "continue",      "default",      "do",
    "double",   "else",      "enum",      "extern",   "float",    "for",           "goto",         "if",
    "inline",   "int",       "long",      "register", "restrict", "return",        "short",        "signed",
    "sizeof",   "static",    "struct",    "switch",   "typedef",  "union",         "unsigned",     "void",
    "volatile", "while",     "main",      "malloc",   "free",     "memset",        "memcpy",       "size_t",
    "NULL",     "int64_t",   "uintptr_t", "asm",      "typeof",   "bool",          "true",         "false",
    "nullptr",  "constexpr", "alignas",   "alignof",  "complex",  "static_assert", "thread_local",
  };
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(name, words[i]))
      return false;
  if (name[0] == '_' || !strncmp(name, "cblas_", 6)) /* names that belong to others */
    return false;
  return name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9') && name[strspn(name, letters)] == '\0';
}

enum perfpred_status perfpred_contraction_emit_c(const struct perfpred_contraction *contraction, const char *name,
                                                 const char *function, char **text, struct perfpred_error *error) {
  struct ppi_contract_algorithm found;
  struct ppi_text made = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!text)
    return is_null("text", error);
  if (function && !is_identifier(function))
    return ppi_error_set(error, PERFPRED_INVALID, "function is '%.60s', expected a name of C", function);
  enum perfpred_status status = find(contraction, name, &found, error);
  if (!status)
    status = ppi_contract_print_c(&contraction->it, &found, function ? function : "contract", &made, error);
  char *taken = NULL;
  if (!status && !(taken = ppi_text_take(&made)))
    status = ppi_error_memory(error);
  if (!status)
    *text = taken;
  ppi_text_free(&made);
  return status;
}
