/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw samples as JSON: one object for each call, or for what came to it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store/parts.h"

#define SAMPLE_TIME_MAX 1e15 /* seconds: sums stay finite */
#define TIMES_MAX 10000000

static size_t sum(const size_t *parts, size_t count) {
  size_t all = 0;

  for (size_t i = 0; i < count; i++)
    all += parts[i];
  return all;
}

void ppi_store_put_record(struct ppi_json_out *out, const struct ppi_record *record, size_t first, uint64_t disturbed,
                          double measure_s) {
  size_t told = sum(record->parts, first);

  ppi_json_put_string(out, "kernel", record->kernel->name);
  ppi_json_put_string(out, "case", record->case_text);
  if (record->context[0]) {
    ppi_json_put_string(out, "context", record->context);
    ppi_json_put_integers(out, "step", record->step, (size_t)record->step_count);
  }
  ppi_json_put_integers(out, "sizes", record->sizes, (size_t)record->kernel->size_count);
  ppi_json_put_integer(out, "ld", record->ld);
  ppi_json_put_reals(out, "times_s", record->times_s + told, record->count - told);
  if (record->part_count > first + 1)
    ppi_json_put_sizes(out, "parts", record->parts + first, record->part_count - first);
  ppi_json_put_integer(out, "disturbed", (int64_t)disturbed);
  ppi_json_put_real(out, "measure_s", measure_s);
  ppi_json_put_bool(out, "gated", record->gated);
}

struct call {
  const struct perfpred_kernel *kernel; /* the context's */
  char case_text[PPI_CASE_MAX];
  int64_t sizes[PPI_SIZE_MAX], ld;
  char context[PPI_CONTEXT_MAX]; /* "": of a call alone */
  int64_t step[PPI_SIZE_MAX];
  size_t step_count;
};

/* Where in an algorithm the call stands, if it stands in one. */
static enum perfpred_status get_place(const struct ppi_json_node *node, struct call *call) {
  struct ppi_json_node list;
  enum perfpred_status status;

  if (!ppi_json_has(node, "context"))
    return PERFPRED_OK;
  status = ppi_json_string(node, "context", call->context, sizeof call->context);
  if (!status && !call->context[0])
    return ppi_json_fail(node, "context", PERFPRED_CORRUPT, "expected an algorithm and a call, found nothing");
  if (!status)
    status = ppi_json_list(node, "step", 1, PPI_SIZE_MAX, &list, &call->step_count);
  return status ? status : ppi_json_integers(node, "step", call->step_count, 0, INT_MAX, call->step);
}

static enum perfpred_status get_call(const struct perfpred_context *context, const struct ppi_json_node *node,
                                     struct call *call) {
  struct ppi_value values[PPI_ARG_MAX];
  struct perfpred_error why;
  char name[PPI_NAME_MAX];
  enum perfpred_status status = ppi_json_string(node, "kernel", name, sizeof name);

  if (status)
    return status;
  status = perfpred_kernel_find(context, name, &call->kernel, &why);
  if (status)
    return ppi_json_fail(node, "kernel", status, "%s", why.text);
  status = ppi_json_string(node, "case", call->case_text, sizeof call->case_text);
  if (status)
    return status;
  ppi_error_clear(&why);
  if (ppi_case_parse(call->kernel, call->case_text, values, &why))
    return ppi_json_fail(node, "case", PERFPRED_CORRUPT, "%s", why.text);
  status = ppi_json_integers(node, "sizes", (size_t)call->kernel->size_count, 0, INT_MAX, call->sizes);
  if (!status)
    status = get_place(node, call);
  return status ? status : ppi_json_integer(node, "ld", 0, INT_MAX, &call->ld);
}

static enum perfpred_status get_times(const struct ppi_json_node *node, struct ppi_result *result) {
  struct ppi_json_node list;
  enum perfpred_status status = ppi_json_list(node, "times_s", 1, TIMES_MAX, &list, &result->count);

  if (status)
    return status;
  result->times_s = malloc(result->count * sizeof *result->times_s);
  if (!result->times_s)
    return ppi_error_memory(node->error);
  return ppi_json_reals(node, "times_s", result->count, 0.0, SAMPLE_TIME_MAX, result->times_s);
}

/* Sizes of the parts, malloc'ed; without the member all samples are one. */
static enum perfpred_status get_parts(const struct ppi_json_node *node, size_t times, size_t **parts, size_t *count) {
  struct ppi_json_node list;
  enum perfpred_status status = PERFPRED_OK;
  size_t *made;

  *count = 1;
  if (ppi_json_has(node, "parts"))
    status = ppi_json_list(node, "parts", 1, times, &list, count);
  if (status)
    return status;
  made = malloc(*count * sizeof *made);
  if (!made)
    return ppi_error_memory(node->error);
  made[0] = times;
  if (ppi_json_has(node, "parts"))
    status = ppi_json_sizes(node, "parts", *count, 1, times, made);
  if (!status && sum(made, *count) != times)
    status =
        ppi_json_fail(node, "parts", PERFPRED_CORRUPT, "expected numbers whose sum is that of the times, %zu", times);
  if (status) {
    free(made);
    return status;
  }
  *parts = made;
  return PERFPRED_OK;
}

enum perfpred_status ppi_store_get_record(const struct perfpred_context *context, const struct ppi_json_node *node,
                                          struct ppi_samples *samples, size_t *place) {
  struct call call = { 0 };
  struct ppi_result result = { 0 };
  int64_t disturbed = 0;
  size_t *parts = NULL, part_count = 0;
  enum perfpred_status status = get_call(context, node, &call);

  if (!status)
    status = ppi_json_integer(node, "disturbed", 0, PPI_JSON_INTEGER_MAX, &disturbed);
  if (!status)
    status = ppi_json_real(node, "measure_s", 0.0, SAMPLE_TIME_MAX, false, &result.measure_s);
  if (!status)
    status = ppi_json_bool(node, "gated", &result.gated);
  if (!status)
    status = get_times(node, &result);
  if (!status)
    status = get_parts(node, result.count, &parts, &part_count);
  result.disturbed = (uint64_t)disturbed;
  if (!status) {
    const struct ppi_key key = { .kernel = call.kernel,
                                 .case_text = call.case_text,
                                 .sizes = call.sizes,
                                 .ld = call.ld,
                                 .context = call.context,
                                 .step = call.step,
                                 .step_count = (int)call.step_count };

    status = ppi_samples_add_at(samples, &key, &result, parts, part_count, node->error);
    *place = ppi_samples_place_at(samples, &key);
  }
  free(parts);
  free(result.times_s);
  return status;
}
