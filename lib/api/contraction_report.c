/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for contractions as JSON (doc/json.md, "contract"; doc/contract.schema.json). */
#include <math.h>
#include <stdlib.h>

#include "api/contraction_plan.h"
#include "contract/einsum.h"
#include "store/answers.h"
#include "store/json.h"

const char *const ppi_contraction_modes[] = { "auto", "replay", "flush", "remote", "models" };
const char *const ppi_contraction_stages[] = { NULL, "repeated", "distances", "prefetch", "failures", "first" };

static void put_word(struct ppi_json_out *out, const char *key, const char *word) {
  if (word)
    ppi_json_put_string(out, key, word);
  else
    ppi_json_put_null(out, key);
}

/* Beyond what JSON holds exactly: null. */
static void put_count(struct ppi_json_out *out, const char *key, uint64_t count) {
  if (count <= PPI_JSON_INTEGER_MAX)
    ppi_json_put_integer(out, key, (int64_t)count);
  else
    ppi_json_put_null(out, key);
}

static void put_closed_form(struct ppi_json_out *counts, const struct ppi_contraction *contraction, const char *key,
                            unsigned kernels) {
  const struct ppi_contract_filter filter = { .kernels = kernels };
  uint64_t count = 0;
  put_count(counts, key, ppi_contract_count(contraction, &filter, &count, NULL) ? UINT64_MAX : count);
}

static void put_counts(struct ppi_json_out *out, const struct ppi_contraction *contraction) {
  struct ppi_json_out counts;
  ppi_json_begin(&counts);
  for (unsigned kernel = 0; kernel < PPI_CONTRACT_KERNELS; kernel++)
    put_closed_form(&counts, contraction, ppi_contract_kernel_name((enum ppi_contract_kernel)kernel), 1U << kernel);
  put_closed_form(&counts, contraction, "total", 0);
  ppi_json_put_object(out, "count", &counts);
}

static void put_contraction(struct ppi_json_out *out, const struct ppi_contraction *contraction) {
  char letters[PPI_OPERANDS][PPI_RANK_MAX + 1];
  const char type[2] = { ppi_type_letter(contraction->type), '\0' };
  struct ppi_text text = PPI_TEXT_INIT;
  struct ppi_json_out extents;
  for (int o = 0; o < PPI_OPERANDS; o++)
    ppi_contract_letters(contraction, o, letters[o]);
  ppi_text_printf(&text, "%s,%s->%s", letters[0], letters[1], letters[2]);
  char *einsum = ppi_text_take(&text);
  out->failed = out->failed || !einsum;
  ppi_json_put_string(out, "einsum", einsum ? einsum : "");
  free(einsum);
  ppi_json_put_string(out, "type", type);
  ppi_json_begin(&extents);
  for (int i = 0; i < contraction->index_count; i++)
    ppi_json_put_integer(&extents, (const char[]){ contraction->index[i].name, '\0' }, contraction->index[i].extent);
  ppi_json_put_object(out, "extents", &extents);
  ppi_json_put_real(out, "flops", contraction->flops);
  put_counts(out, contraction);
}

static void put_statistics(struct ppi_json_out *out, const char *key, const struct perfpred_statistics *statistics) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_real(&object, "min", statistics->min);
  ppi_json_put_real(&object, "med", statistics->med);
  ppi_json_put_real(&object, "max", statistics->max);
  ppi_json_put_real(&object, "mean", statistics->mean);
  ppi_json_put_real(&object, "std", statistics->std);
  ppi_json_put_object(out, key, &object);
}

static void put_algorithm(const struct perfpred_contraction_plan *plan, size_t rank, struct ppi_json_out *out) {
  struct perfpred_contraction_prediction one;
  struct ppi_json_out object;
  ppi_contraction_plan_tell(plan, rank, &one);
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "name", one.name);
  ppi_json_put_string(&object, "kernel", ppi_contract_kernel_name((enum ppi_contract_kernel)one.kernel));
  ppi_json_put_integer(&object, "copies", one.copies);
  ppi_json_put_bool(&object, "whole", one.whole != 0);
  ppi_json_put_string(&object, "source", ppi_answer_sources[one.source]);
  if (one.source != PERFPRED_CONTRACTION_DROPPED) {
    ppi_json_put_real(&object, "predicted_s", one.time_s.med);
    put_statistics(&object, "time_s", &one.time_s);
    ppi_json_put_real(&object, "flops_per_s", one.flops_per_s);
    ppi_json_put_real(&object, "copy_s", one.copy_s);
    ppi_json_put_real(&object, "zero_s", one.zero_s);
    ppi_json_put_bool(&object, "tied", one.tied != 0);
    ppi_json_put_real(&object, "cost_s", one.cost_s);
  }
  put_word(&object, "bound", one.bound ? ppi_answer_bounds[one.bound] : NULL);
  ppi_json_put_real(&object, "bound_s", one.bound_s);
  ppi_json_put_real(&object, "memory_bytes", one.memory_bytes);
  ppi_json_put_real(&object, "buffer_bytes", one.buffer_bytes);
  ppi_json_put_integer(&object, "group", (int64_t)one.group);
  if (!isnan(one.measured_s)) {
    ppi_json_put_real(&object, "measured_s", one.measured_s);
    ppi_json_put_real(&object, "noise", one.noise);
    ppi_json_put_real(&object, "error", one.error);
  }
  ppi_json_append(out, "algorithms", &object);
}

static void put_group(const struct perfpred_contraction_plan *plan, size_t index, struct ppi_json_out *out) {
  struct perfpred_contraction_group group;
  struct ppi_json_out object;
  ppi_contraction_plan_tell_group(plan, index, &group);
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "kernel", ppi_contract_kernel_name((enum ppi_contract_kernel)group.kernel));
  ppi_json_put_string(&object, "indices", group.indices);
  ppi_json_put_string(&object, "call", group.call);
  put_count(&object, "algorithms", group.algorithms);
  put_count(&object, "predicted", group.predicted);
  ppi_json_put_real(&object, "calls", group.calls);
  put_word(&object, "bound", group.bound ? ppi_answer_bounds[group.bound] : NULL);
  ppi_json_put_real(&object, "bound_s", group.bound_s);
  ppi_json_put_real(&object, "call_s", group.call_s);
  ppi_json_put_real(&object, "best_s", group.best_s);
  ppi_json_append(out, "groups", &object);
}

static void put_validation(const struct perfpred_contraction_plan *plan, struct ppi_json_out *out) {
  const struct perfpred_contraction_validation *validation = &plan->validation;
  struct ppi_json_out object;
  if (!plan->measured_s)
    return;
  ppi_json_begin(&object);
  put_count(&object, "executed", validation->executed);
  put_count(&object, "compared", validation->compared);
  ppi_json_put_real(&object, "mean_are", validation->mean_are);
  ppi_json_put_real(&object, "median_are", validation->median_are);
  ppi_json_put_real(&object, "worst_are", validation->worst_are);
  ppi_json_put_real(&object, "noise_floor", validation->noise_floor);
  ppi_json_put_real(&object, "tau", validation->tau);
  put_count(&object, "pairs", validation->pairs);
  ppi_json_put_real(&object, "loss", validation->loss);
  put_count(&object, "fastest", validation->fastest);
  ppi_json_put_real(&object, "wall_s", validation->wall_s);
  ppi_json_put_object(out, "validation", &object);
}

static void put_all(const struct perfpred_contraction_plan *plan, struct ppi_json_out *out) {
  struct perfpred_contraction_plan_info info;
  struct perfpred_contraction_prediction pick;
  ppi_contraction_plan_tell_all(plan, &info);
  ppi_contraction_plan_tell(plan, 0, &pick);
  put_contraction(out, &plan->contraction);
  ppi_json_put_string(out, "mode", ppi_contraction_modes[info.mode]);
  put_word(out, "stage", ppi_contraction_stages[info.stage]);
  ppi_json_put_integer(out, "cache_bytes", info.cache_bytes);
  put_count(out, "candidates", info.candidates);
  put_count(out, "listed", info.listed);
  put_count(out, "predicted", info.predicted);
  ppi_json_put_string(out, "pick", pick.name);
  put_count(out, "ties", info.ties);
  ppi_json_put_real(out, "best_s", info.best_s);
  ppi_json_put_real(out, "tensor_bytes", info.tensor_bytes);
  put_count(out, "benchmarks", info.benchmarks);
  ppi_json_put_real(out, "planning_s", info.planning_s);
  ppi_json_put_real(out, "made_s", info.made_s);
  ppi_json_put_real(out, "calibration_s", info.calibration_s);
  ppi_json_put_real(out, "budget_s", info.budget_s);
  ppi_json_put_bool(out, "from_cache", info.from_cache != 0);
  ppi_json_put_bool(out, "from_file", info.from_file != 0);
  ppi_json_put_bool(out, "caches_from_file", info.caches_from_file != 0);
  ppi_json_put_bool(out, "bounded", info.bounded != 0);
}

enum perfpred_status perfpred_contraction_plan_report(const struct perfpred_contraction_plan *plan, size_t most,
                                                      char **json, struct perfpred_error *error) {
  struct ppi_json_out out;
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_error_clear(error);
  if (!plan || !json)
    return ppi_error_set(error, PERFPRED_INVALID,
                         "perfpred_contraction_plan_report: plan or json is NULL, expected both");
  ppi_json_begin(&out);
  put_all(plan, &out);
  ppi_json_put_empty_list(&out, "groups");
  for (size_t i = 0; i < plan->findings->group_count; i++)
    put_group(plan, i, &out);
  ppi_json_put_empty_list(&out, "algorithms");
  for (size_t rank = 0; rank < plan->findings->listed && (most == 0 || rank < most); rank++)
    put_algorithm(plan, rank, &out);
  put_validation(plan, &out);
  ppi_json_end(&out, &text);
  char *taken = ppi_text_take(&text);
  if (!taken)
    return ppi_error_memory(error);
  *json = taken;
  return PERFPRED_OK;
}
