/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/name.h"

#include <stdio.h>
#include <string.h>

#include "contract/enumerate.h"
#include "contract/whole.h"

static const char *const kernels[PPI_CONTRACT_KERNELS] = { "dot", "axpy", "gemv", "ger", "gemm" };

/* By type: s, d, c, z. */
static const char *const routines[PPI_CONTRACT_KERNELS][4] = {
  { "sdot", "ddot", "cdotu", "zdotu" }, { "saxpy", "daxpy", "caxpy", "zaxpy" }, { "sgemv", "dgemv", "cgemv", "zgemv" },
  { "sger", "dger", "cgeru", "zgeru" }, { "sgemm", "dgemm", "cgemm", "zgemm" },
};

static const char *const claims[PPI_CONTRACT_KERNELS] = {
  "one contracted index",
  "one free index",
  "one contracted and one free index",
  "one free index of A and one of B",
  "one contracted index, one free index of A and one of B",
};

const char *ppi_contract_kernel_name(enum ppi_contract_kernel kernel) {
  return kernels[kernel];
}

const char *ppi_contract_routine(enum ppi_contract_kernel kernel, enum ppi_type type) {
  return routines[kernel][type];
}

bool ppi_contract_kernel_find(const char *name, enum ppi_contract_kernel *kernel) {
  for (int i = 0; i < PPI_CONTRACT_KERNELS; i++)
    if (!strcmp(name, kernels[i])) {
      *kernel = (enum ppi_contract_kernel)i;
      return true;
    }
  return false;
}

static int put_apostrophes(const struct ppi_contract_algorithm *algorithm, int loops, char *name) {
  int length = 0;
  for (int o = 0; o < PPI_OPERANDS; o++)
    if (algorithm->copied[o] == loops)
      name[length++] = '\'';
  return length;
}

/* Tensors, a star, the kernel. */
static void name_whole(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                       char name[PPI_CONTRACT_NAME_MAX]) {
  int length = 0;
  for (int o = 0; o < PPI_OPERANDS; o++)
    if (algorithm->copied[o] >= 0)
      name[length++] = PPI_TENSOR_NAME(o);
  snprintf(name + length, (size_t)(PPI_CONTRACT_NAME_MAX - length), "*-%s",
           ppi_contract_routine(algorithm->kernel, contraction->type));
}

void ppi_contract_name(const struct ppi_contraction *contraction, const struct ppi_contract_algorithm *algorithm,
                       char name[PPI_CONTRACT_NAME_MAX]) {
  if (algorithm->way != 0) {
    name_whole(contraction, algorithm, name);
    return;
  }
  int length = put_apostrophes(algorithm, 0, name);
  for (int i = 0; i < algorithm->loop_count; i++) {
    name[length++] = contraction->index[algorithm->loops[i]].name;
    length += put_apostrophes(algorithm, i + 1, name + length);
  }
  snprintf(name + length, (size_t)(PPI_CONTRACT_NAME_MAX - length), "%s%s", length > 0 ? "-" : "",
           ppi_contract_routine(algorithm->kernel, contraction->type));
}

struct finder {
  const struct ppi_contraction *contraction;
  const char *name;
  struct perfpred_error *error;
};

/* -1: no index is called so. */
static int index_of(const struct ppi_contraction *contraction, char letter) {
  for (int i = 0; i < contraction->index_count; i++)
    if (contraction->index[i].name == letter)
      return i;
  return -1;
}

/* The letters before the hyphen. *marked: there are apostrophes among them. */
static enum perfpred_status read_loops(const struct finder *finder, size_t length,
                                       struct ppi_contract_algorithm *algorithm, bool *marked) {
  unsigned seen = 0;
  for (size_t i = 0; i < length; i++) {
    const char letter = finder->name[i];
    if (letter == '\'' || letter == '_') {
      *marked = true;
      continue;
    }
    const int place = index_of(finder->contraction, letter);
    if (place < 0)
      return ppi_error_set(finder->error, PERFPRED_NOT_FOUND,
                           "algorithm %.60s: expected indices of the contraction before the hyphen, '%.*s' is none",
                           finder->name, letter > ' ' && letter <= '~' ? 1 : 0, &finder->name[i]);
    if (seen >> place & 1)
      return ppi_error_set(finder->error, PERFPRED_NOT_FOUND, "algorithm %.60s: there are two loops over %c",
                           finder->name, letter);
    seen |= 1U << place;
    algorithm->loops[algorithm->loop_count++] = place;
  }
  return PERFPRED_OK;
}

static enum perfpred_status read_routine(const struct finder *finder, const char *routine,
                                         enum ppi_contract_kernel *kernel) {
  const enum ppi_type type = finder->contraction->type;
  for (int i = 0; i < PPI_CONTRACT_KERNELS; i++)
    if (!strcmp(routine, routines[i][type])) {
      *kernel = (enum ppi_contract_kernel)i;
      return PERFPRED_OK;
    }
  return ppi_error_set(finder->error, PERFPRED_NOT_FOUND,
                       "algorithm %.60s: expected loops, a hyphen and %s, %s, %s, %s or %s, as in %c-%s", finder->name,
                       routines[0][type], routines[1][type], routines[2][type], routines[3][type], routines[4][type],
                       finder->contraction->index_count > 0 ? finder->contraction->index[0].name : 'a',
                       routines[4][type]);
}

static unsigned loops_of(const struct ppi_contract_algorithm *algorithm) {
  unsigned loops = 0;
  for (int i = 0; i < algorithm->loop_count; i++)
    loops |= 1U << algorithm->loops[i];
  return loops;
}

/* What is no loop is claimed by the kernel. False: that is not what it takes. */
static bool claim_rest(const struct ppi_contraction *contraction, struct ppi_contract_algorithm *algorithm) {
  static const struct {
    int contracted, free;
  } wanted[PPI_CONTRACT_KERNELS] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 0, 2 }, { 1, 2 } };
  int *const claimed[] = { &algorithm->contracted, &algorithm->free_a, &algorithm->free_b };
  const unsigned loops = loops_of(algorithm);
  for (int i = 0; i < 3; i++)
    *claimed[i] = -1;
  for (int i = 0; i < contraction->index_count; i++) {
    if (loops >> i & 1)
      continue;
    const enum ppi_index_kind kind = contraction->index[i].kind;
    if (kind == PPI_INDEX_BATCH || *claimed[kind] >= 0)
      return false;
    *claimed[kind] = i;
  }
  return (algorithm->contracted >= 0) == wanted[algorithm->kernel].contracted &&
         (algorithm->free_a >= 0) + (algorithm->free_b >= 0) == wanted[algorithm->kernel].free;
}

static enum perfpred_status wrong_rest(const struct finder *finder, const struct ppi_contract_algorithm *algorithm) {
  char rest[PPI_INDEX_MAX + 1];
  int count = 0;
  const unsigned loops = loops_of(algorithm);
  for (int i = 0; i < finder->contraction->index_count; i++)
    if (!(loops >> i & 1))
      rest[count++] = finder->contraction->index[i].name;
  rest[count] = '\0';
  return ppi_error_set(finder->error, PERFPRED_NOT_FOUND,
                       "algorithm %.60s: its loops leave %s%s to the kernel, expected %s, all others as loops",
                       finder->name, count > 0 ? "" : "nothing", rest, claims[algorithm->kernel]);
}

void ppi_contract_program_name(const struct ppi_contraction *contraction,
                               const struct ppi_contract_algorithm *algorithm, char name[PPI_CONTRACT_NAME_MAX]) {
  char *star;
  ppi_contract_name(contraction, algorithm, name);
  for (char *at = name; *at; at++)
    *at = *at == '\'' ? '_' : *at;
  if ((star = strchr(name, '*'))) {
    memmove(star + 2, star + 1, strlen(star));
    memset(star, '_', 2);
  }
}

/* By its name, or that of its program; false: there is none. */
static bool find_whole(const struct ppi_contraction *contraction, const char *name,
                       struct ppi_contract_algorithm *algorithm) {
  struct ppi_contract_algorithm ways[PPI_WAYS_MAX];
  const int count = strchr(name, '*') || strstr(name, "__") ? ppi_contract_ways(contraction, ways) : 0;
  for (int i = 0; i < count; i++) {
    char right[PPI_CONTRACT_NAME_MAX], program[PPI_CONTRACT_NAME_MAX];
    ppi_contract_name(contraction, &ways[i], right);
    ppi_contract_program_name(contraction, &ways[i], program);
    if (!strcmp(name, right) || !strcmp(name, program)) {
      *algorithm = ways[i];
      return true;
    }
  }
  return false;
}

/* What there is in the place of a name with a star. */
static enum perfpred_status no_whole(const struct finder *finder) {
  struct ppi_contract_algorithm ways[PPI_WAYS_MAX];
  char list[PPI_WAYS_MAX * PPI_CONTRACT_NAME_MAX] = "";
  const int count = ppi_contract_ways(finder->contraction, ways);
  for (int i = 0; i < count; i++) {
    char name[PPI_CONTRACT_NAME_MAX];
    ppi_contract_name(finder->contraction, &ways[i], name);
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", name);
  }
  return ppi_error_set(finder->error, PERFPRED_NOT_FOUND, "algorithm %.60s: %s%s", finder->name,
                       count > 0 ? "of those that transpose whole tensors there are "
                                 : "there is none that transposes whole tensors, expected one without a star",
                       list);
}

/* Whether a name with apostrophes, or `_` in their place as in names of programs, is that very one. */
static bool is_same(const char *name, const char *right) {
  for (; *name && (*name == *right || (*name == '_' && *right == '\'')); name++)
    right++;
  return *name == *right;
}

enum perfpred_status ppi_contract_find(const struct ppi_contraction *contraction, const char *name,
                                       struct ppi_contract_algorithm *algorithm, struct perfpred_error *error) {
  const struct finder finder = { contraction, name, error };
  struct ppi_contract_algorithm found = { 0 };
  char right[PPI_CONTRACT_NAME_MAX];
  bool marked = false;
  const char *hyphen = strchr(name, '-');
  if (find_whole(contraction, name, algorithm))
    return PERFPRED_OK;
  if (strchr(name, '*'))
    return no_whole(&finder);
  enum perfpred_status status = read_routine(&finder, hyphen ? hyphen + 1 : name, &found.kernel);
  if (!status && hyphen)
    status = read_loops(&finder, (size_t)(hyphen - name), &found, &marked);
  if (status)
    return status;
  if (!claim_rest(contraction, &found))
    return wrong_rest(&finder, &found);
  ppi_contract_set_copies(contraction, &found);
  ppi_contract_name(contraction, &found, right);
  if (marked && !is_same(name, right))
    return ppi_error_set(error, PERFPRED_NOT_FOUND, "algorithm %.60s: its copies are elsewhere, expected %s", name,
                         right);
  *algorithm = found;
  return PERFPRED_OK;
}
