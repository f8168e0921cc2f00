/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "store/parts.h"

static const char *const grids[] = { "chebyshev", "cartesian" };
static const char *const references[] = { "minimum", "median" };
static const char *const measures[] = { "maximum", "percentile-90", "average" };
static const char *const generators[] = { "published", "adaptive" };

void ppi_store_put_options(struct ppi_json_out *out, const struct perfpred_generate_options *options) {
  char seed[24];

  /* As text: JSON numbers are not exact over all 64 bits. */
  snprintf(seed, sizeof seed, "%" PRIu64, options->seed);
  ppi_json_put_integer(out, "n_lower", options->n_lower);
  ppi_json_put_integer(out, "n_upper", options->n_upper);
  ppi_json_put_integer(out, "b_lower", options->b_lower);
  ppi_json_put_integer(out, "b_upper", options->b_upper);
  ppi_json_put_integer(out, "overfitting", options->overfitting);
  ppi_json_put_integer(out, "oversampling", options->oversampling);
  ppi_json_put_string(out, "grid", grids[options->grid == PERFPRED_GRID_CARTESIAN]);
  ppi_json_put_integer(out, "repetitions", options->repetitions);
  ppi_json_put_string(out, "reference", references[options->reference == PERFPRED_REFERENCE_MEDIAN]);
  ppi_json_put_string(out, "error_measure", measures[options->error_measure <= 2 ? options->error_measure : 0]);
  ppi_json_put_real(out, "error_bound", options->error_bound);
  ppi_json_put_integer(out, "minimum_width", options->minimum_width);
  ppi_json_put_real(out, "budget_s", options->budget_s);
  ppi_json_put_integer(out, "ld", options->ld);
  ppi_json_put_real(out, "gate", options->gate);
  ppi_json_put_string(out, "seed", seed);
  ppi_json_put_string(out, "generator", generators[options->generator == PERFPRED_GENERATOR_ADAPTIVE]);
}

static enum perfpred_status get_choice(const struct ppi_json_node *node, const char *key, const char *const *names,
                                       int count, int *choice) {
  char text[32];
  enum perfpred_status status = ppi_json_string(node, key, text, sizeof text);

  if (status)
    return status;
  for (int i = 0; i < count; i++)
    if (strcmp(text, names[i]) == 0) {
      *choice = i;
      return PERFPRED_OK;
    }
  return ppi_json_fail(node, key, PERFPRED_CORRUPT, "expected \"%s\"%s%s%s, found \"%s\"", names[0],
                       count > 2 ? ", \"" : " or \"", names[1], count > 2 ? "\" or \"average\"" : "\"", text);
}

static enum perfpred_status get_seed(const struct ppi_json_node *node, uint64_t *seed) {
  char text[24];
  uint64_t value = 0;
  enum perfpred_status status = ppi_json_string(node, "seed", text, sizeof text);

  if (status)
    return status;
  for (const char *c = text; *c || c == text; c++) {
    if (*c < '0' || *c > '9' || value > (UINT64_MAX - (uint64_t)(*c - '0')) / 10)
      return ppi_json_fail(node, "seed", PERFPRED_CORRUPT, "expected digits of a 64-bit number, found \"%s\"", text);
    value = 10 * value + (uint64_t)(*c - '0');
  }
  *seed = value;
  return PERFPRED_OK;
}

static enum perfpred_status get_ranges(const struct ppi_json_node *node, struct perfpred_generate_options *options) {
  enum perfpred_status status = ppi_json_integer(node, "n_lower", 0, INT_MAX, &options->n_lower);

  if (!status)
    status = ppi_json_integer(node, "n_upper", 0, INT_MAX, &options->n_upper);
  if (!status)
    status = ppi_json_integer(node, "b_lower", 0, INT_MAX, &options->b_lower);
  if (!status)
    status = ppi_json_integer(node, "b_upper", 0, INT_MAX, &options->b_upper);
  if (!status)
    status = ppi_json_integer(node, "minimum_width", 0, INT_MAX, &options->minimum_width);
  if (!status)
    status = ppi_json_integer(node, "ld", 0, INT_MAX, &options->ld);
  return status;
}

static enum perfpred_status get_choices(const struct ppi_json_node *node, struct perfpred_generate_options *options) {
  int grid = 0, reference = 0, measure = 0, adaptive = 0;
  enum perfpred_status status = get_choice(node, "grid", grids, 2, &grid);

  if (!status)
    status = get_choice(node, "reference", references, 2, &reference);
  if (!status)
    status = get_choice(node, "error_measure", measures, 3, &measure);
  if (!status && ppi_json_has(node, "generator")) /* there was one alone once */
    status = get_choice(node, "generator", generators, 2, &adaptive);
  options->grid = (enum perfpred_grid)grid;
  options->reference = (enum perfpred_reference)reference;
  options->error_measure = (enum perfpred_error_measure)measure;
  options->generator = adaptive ? PERFPRED_GENERATOR_ADAPTIVE : PERFPRED_GENERATOR_PUBLISHED;
  return status;
}

enum perfpred_status ppi_store_get_options(const struct ppi_json_node *root,
                                           struct perfpred_generate_options *options) {
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_object(root, "options", &node);

  options->size = sizeof *options;
  if (!status)
    status = get_ranges(&node, options);
  if (!status)
    status = get_choices(&node, options);
  if (!status)
    status = ppi_json_int(&node, "overfitting", -1, PPI_DEGREE_MAX, &options->overfitting);
  if (!status)
    status = ppi_json_int(&node, "oversampling", -1, 1000, &options->oversampling);
  if (!status)
    status = ppi_json_int(&node, "repetitions", 0, INT_MAX, &options->repetitions);
  if (!status)
    status = ppi_json_real(&node, "error_bound", 0.0, 1e9, false, &options->error_bound);
  if (!status)
    status = ppi_json_real(&node, "budget_s", 0.0, 1e9, false, &options->budget_s);
  if (!status)
    status = ppi_json_real(&node, "gate", -1e9, 1e9, false, &options->gate);
  return status ? status : get_seed(&node, &options->seed);
}
