/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store/parts.h"

#define TIME_MAX 1e30 /* seconds: sums and products of such numbers stay finite */

/* The kernel of the name, as a reference. */
static enum perfpred_status get_kernel(const struct perfpred_context *context, const struct ppi_json_node *node,
                                       struct ppi_submodel *submodel) {
  const struct perfpred_kernel *kernel = NULL;
  struct perfpred_error why;
  char name[PPI_NAME_MAX];
  enum perfpred_status status = ppi_json_string(node, "kernel", name, sizeof name);

  if (status)
    return status;
  status = perfpred_kernel_find(context, name, &kernel, &why);
  if (status)
    return ppi_json_fail(node, "kernel", status, "%s", why.text);
  submodel->kernel = ppi_kernel_ref(kernel);
  submodel->dimensions = kernel->size_count;
  return PERFPRED_OK;
}

static enum perfpred_status get_case(const struct ppi_json_node *node, struct ppi_submodel *submodel) {
  struct perfpred_error why;
  char again[PPI_CASE_MAX];
  enum perfpred_status status = ppi_json_string(node, "case", submodel->case_text, sizeof submodel->case_text);

  if (status)
    return status;
  ppi_error_clear(&why);
  if (ppi_case_parse(submodel->kernel, submodel->case_text, submodel->values, &why))
    return ppi_json_fail(node, "case", PERFPRED_CORRUPT, "%s", why.text);
  ppi_case_format(submodel->kernel, submodel->values, again);
  if (strcmp(again, submodel->case_text) != 0)
    return ppi_json_fail(node, "case", PERFPRED_CORRUPT, "expected \"%s\", found \"%s\"", again, submodel->case_text);
  return PERFPRED_OK;
}

#define COEFFICIENT_MAX 1000000 /* of a step's size in one of the kernel's */

static enum perfpred_status get_step(const struct ppi_json_node *node, struct ppi_submodel *submodel) {
  struct ppi_basis *basis = submodel->basis;
  int64_t arguments[PPI_SIZE_MAX * (PPI_SIZE_MAX + 1)] = { 0 }, sharing[PPI_SIZE_MAX] = { 0 };
  int each = basis->dimensions + 1;
  struct ppi_json_node step;
  enum perfpred_status status = ppi_json_object(node, "step", &step);

  if (!status)
    status = ppi_json_integers(&step, "arguments", (size_t)submodel->kernel->size_count * (size_t)each,
                               -COEFFICIENT_MAX, COEFFICIENT_MAX, arguments);
  if (!status)
    status = ppi_json_integer(&step, "limit", 0, INT_MAX, &basis->limit);
  if (!status)
    status = ppi_json_integers(&step, "sharing", (size_t)basis->dimensions, 0, 1, sharing);
  for (int d = 0; !status && d < basis->dimensions; d++)
    basis->sharing[d] = sharing[d] != 0;
  if (!status && ppi_json_has(&step, "least"))
    status = ppi_json_integer(&step, "least", 0, INT_MAX, &basis->least);
  for (int k = 0; !status && k < submodel->kernel->size_count; k++) {
    for (int d = 0; d < basis->dimensions; d++)
      basis->matrix[k][d] = arguments[k * each + d];
    basis->constants[k] = arguments[k * each + basis->dimensions];
  }
  return status;
}

/* The sizes of a model that is tied to a call in the steps of an algorithm are those of the step. */
static enum perfpred_status get_basis(const struct ppi_json_node *node, struct ppi_submodel *submodel) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(node, "sizes", 1, PPI_SIZE_MAX, &list, &count);

  if (!status && submodel->context[0] == '\0')
    status = ppi_json_fail(node, "context", PERFPRED_CORRUPT, "expected an algorithm and a call, beside \"step\"");
  if (status)
    return status;
  submodel->basis = calloc(1, sizeof *submodel->basis);
  if (!submodel->basis)
    return ppi_error_memory(node->error);
  submodel->dimensions = submodel->basis->dimensions = (int)count;
  for (size_t d = 0; !status && d < count; d++)
    status = ppi_json_item_string(&list, d, submodel->basis->names[d], PPI_NAME_MAX);
  return status ? status : get_step(node, submodel);
}

/* The file names the sizes, so that it cannot be mistaken when a kernel's signature changes. */
static enum perfpred_status get_sizes(const struct ppi_json_node *node, const struct ppi_submodel *submodel) {
  const struct perfpred_kernel *kernel = submodel->kernel;
  size_t count = (size_t)submodel->dimensions;
  struct ppi_json_node list;
  enum perfpred_status status = ppi_json_list(node, "sizes", count, count, &list, &count);

  for (size_t d = 0; !status && d < count; d++) {
    const char *expected = kernel->args[kernel->sizes[d]].name;
    char name[PPI_NAME_MAX];

    status = ppi_json_item_string(&list, d, name, sizeof name);
    if (!status && strcmp(name, expected) != 0)
      status = ppi_json_fail(&list, NULL, PERFPRED_CORRUPT, "size %zu of %s: expected \"%s\", found \"%s\"", d,
                             kernel->name, expected, name);
  }
  return status;
}

static enum perfpred_status get_bounds(const struct ppi_json_node *node, int dimensions, int64_t *lower,
                                       int64_t *upper) {
  enum perfpred_status status = ppi_json_integers(node, "lower", (size_t)dimensions, 0, INT_MAX, lower);

  return status ? status : ppi_json_integers(node, "upper", (size_t)dimensions, 0, INT_MAX, upper);
}

static enum perfpred_status get_count(const struct ppi_json_node *node, const char *key, uint64_t *count) {
  int64_t value = 0;
  enum perfpred_status status = ppi_json_integer(node, key, 0, PPI_JSON_INTEGER_MAX, &value);

  *count = (uint64_t)value;
  return status;
}

static enum perfpred_status get_counts(const struct ppi_json_node *node, struct ppi_submodel *submodel) {
  enum perfpred_status status = get_count(node, "points", &submodel->points);

  if (!status)
    status = get_count(node, "samples", &submodel->samples);
  return status ? status : get_count(node, "disturbed", &submodel->disturbed);
}

static enum perfpred_status get_head(const struct perfpred_context *context, const struct ppi_json_node *node,
                                     int setup_count, struct ppi_submodel *submodel) {
  struct ppi_json_node domain;
  enum perfpred_status status = PERFPRED_OK;

  if (setup_count > 0)
    status = ppi_json_int(node, "setup", 0, setup_count - 1, &submodel->setup);
  if (!status)
    status = get_kernel(context, node, submodel);
  if (!status)
    status = get_case(node, submodel);
  if (!status)
    status = ppi_json_string(node, "context", submodel->context, sizeof submodel->context);
  if (!status)
    status = ppi_json_has(node, "step") ? get_basis(node, submodel) : get_sizes(node, submodel);
  if (!status)
    status = ppi_json_object(node, "domain", &domain);
  if (!status)
    status = get_bounds(&domain, submodel->dimensions, submodel->lower, submodel->upper);
  if (!status)
    status = ppi_json_integer(node, "ld", 0, INT_MAX, &submodel->ld);
  if (!status)
    status = get_counts(node, submodel);
  return status ? status : ppi_store_get_anchors(node, submodel);
}

static enum perfpred_status get_degrees(const struct ppi_json_node *node, int dimensions, struct ppi_piece *piece) {
  int64_t degrees[PPI_SIZE_MAX];
  long count = 1;
  enum perfpred_status status = ppi_json_integers(node, "degrees", (size_t)dimensions, 0, PPI_DEGREE_MAX, degrees);

  for (int d = 0; !status && d < dimensions; d++) {
    piece->degrees[d] = (int)degrees[d];
    count *= piece->degrees[d] + 1;
    if (count > PPI_COEFFICIENT_MAX)
      status = ppi_json_fail(node, "degrees", PERFPRED_CORRUPT, "expected degrees of at most %d coefficients",
                             PPI_COEFFICIENT_MAX);
  }
  return status;
}

static enum perfpred_status get_tiles(const struct ppi_json_node *node, int dimensions, struct ppi_tiles *tiles) {
  enum perfpred_status status;

  if (!ppi_json_has(node, "tiles") && !ppi_json_has(node, "padding"))
    return PERFPRED_OK;
  status = ppi_json_integers(node, "tiles", (size_t)dimensions, 0, PPI_TILE_MAX, tiles->tile);
  return status ? status : ppi_json_reals(node, "padding", (size_t)dimensions, 0.0, 1.0, tiles->padding);
}

static enum perfpred_status get_coefficients(const struct ppi_json_node *node, struct ppi_piece *piece) {
  struct ppi_json_node object, list;
  size_t count = (size_t)piece->count, found;
  enum perfpred_status status = ppi_json_object(node, "coefficients", &object);

  /* All lists are there in this length before memory is asked for. */
  for (int s = 0; !status && s < PPI_STATISTICS; s++)
    status = ppi_json_list(&object, ppi_store_statistics[s], count, count, &list, &found);
  if (status)
    return status;
  piece->coefficients = malloc(PPI_STATISTICS * count * sizeof(double));
  if (!piece->coefficients)
    return ppi_error_memory(node->error);
  for (int s = 0; !status && s < PPI_STATISTICS; s++)
    status = ppi_json_reals(&object, ppi_store_statistics[s], count, -TIME_MAX, TIME_MAX,
                            piece->coefficients + (size_t)s * count);
  return status;
}

static enum perfpred_status get_piece(const struct ppi_json_node *list, size_t index, int dimensions,
                                      struct ppi_piece *piece) {
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_item(list, index, &node);

  if (!status)
    status = get_bounds(&node, dimensions, piece->lower, piece->upper);
  if (!status)
    status = get_degrees(&node, dimensions, piece);
  if (!status)
    status = get_tiles(&node, dimensions, &piece->tiles);
  if (!status)
    status = ppi_json_real(&node, "error", 0.0, TIME_MAX, true, &piece->error);
  if (!status)
    status = ppi_json_reals(&node, "floors", PPI_STATISTICS, 0.0, TIME_MAX, piece->floors);
  if (status)
    return status;
  ppi_piece_scale(piece, dimensions);
  return get_coefficients(&node, piece);
}

static enum perfpred_status get_pieces(const struct ppi_json_node *node, struct ppi_submodel *submodel) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(node, "pieces", 1, PPI_PIECE_MAX, &list, &count);

  if (status)
    return status;
  submodel->pieces = calloc(count, sizeof *submodel->pieces);
  if (!submodel->pieces)
    return ppi_error_memory(node->error);
  submodel->piece_count = (int)count;
  for (size_t i = 0; !status && i < count; i++)
    status = get_piece(&list, i, submodel->dimensions, submodel->pieces + i);
  return status;
}

static enum perfpred_status get_dimension(const struct ppi_json_node *node, const struct ppi_submodel *submodel,
                                          int *dimension) {
  char name[PPI_NAME_MAX];
  enum perfpred_status status = ppi_json_string(node, "size", name, sizeof name);

  if (status)
    return status;
  for (int d = 0; d <= submodel->dimensions && d < PPI_SIZE_MAX; d++)
    if (strcmp(ppi_submodel_size_name(submodel, d), name) == 0) {
      *dimension = d;
      return PERFPRED_OK;
    }
  return ppi_json_fail(node, "size", PERFPRED_CORRUPT, "expected a size argument of %s, found \"%s\"",
                       submodel->kernel->name, name);
}

static enum perfpred_status get_split(const struct ppi_json_node *list, size_t index,
                                      const struct ppi_submodel *submodel, struct ppi_split *split) {
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_item(list, index, &node);

  if (status)
    return status;
  split->dimension = split->piece = -1;
  if (ppi_json_has(&node, "piece"))
    return ppi_json_int(&node, "piece", 0, PPI_PIECE_MAX, &split->piece);
  status = get_dimension(&node, submodel, &split->dimension);
  if (!status)
    status = ppi_json_integer(&node, "at", 0, split->dimension < submodel->dimensions ? INT_MAX : PPI_PRODUCT_MAX,
                              &split->at);
  if (!status)
    status = ppi_json_int(&node, "left", 0, 2 * PPI_PIECE_MAX, &split->left);
  return status ? status : ppi_json_int(&node, "right", 0, 2 * PPI_PIECE_MAX, &split->right);
}

static enum perfpred_status get_splits(const struct ppi_json_node *node, struct ppi_submodel *submodel) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(node, "splits", 1, 2 * PPI_PIECE_MAX, &list, &count);

  if (status)
    return status;
  submodel->splits = calloc(count, sizeof *submodel->splits);
  if (!submodel->splits)
    return ppi_error_memory(node->error);
  submodel->split_count = (int)count;
  for (size_t i = 0; !status && i < count; i++)
    status = get_split(&list, i, submodel, submodel->splits + i);
  return status;
}

static enum perfpred_status append(const struct ppi_json_node *node, struct perfpred_models *models,
                                   struct ppi_submodel *submodel) {
  struct perfpred_error why;
  enum perfpred_status status;

  ppi_error_clear(&why);
  status = ppi_models_append(models, submodel, &why);
  if (status == PERFPRED_EXISTS)
    return ppi_json_fail(node, NULL, PERFPRED_CORRUPT, "%s", why.text);
  return status ? ppi_error_set(node->error, status, "%s", why.text) : PERFPRED_OK;
}

enum perfpred_status ppi_store_get_submodel(const struct perfpred_context *context, const struct ppi_json_node *list,
                                            size_t index, bool one_setup, struct perfpred_models *models) {
  struct ppi_submodel submodel;
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_item(list, index, &node);

  if (status)
    return status;
  memset(&submodel, 0, sizeof submodel);
  status = get_head(context, &node, one_setup ? 0 : models->setup_count, &submodel);
  if (!status)
    status = get_splits(&node, &submodel);
  if (!status)
    status = get_pieces(&node, &submodel);
  if (!status) {
    char where[300];

    ppi_json_where(&node, where, sizeof where);
    status = ppi_submodel_check(&submodel, where, node.error);
  }
  if (status) {
    ppi_submodel_release(&submodel);
    return status;
  }
  return append(&node, models, &submodel);
}
