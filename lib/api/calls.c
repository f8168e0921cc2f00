/* SPDX-License-Identifier: BSD-3-Clause */
/* In-algorithm timings. */
#include <math.h>
#include <perfpred/timings.h>
#include <string.h>

#include "api/call_list.h"
#include "measure/options.h"

static enum perfpred_status check(const struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                  const int64_t *parameters, size_t count, const double *times_s, size_t capacity,
                                  const size_t *call_count, struct perfpred_error *error) {
  const char *missing = NULL;
  if (!sampler)
    missing = "sampler";
  else if (!program)
    missing = "program";
  else if (!parameters && count > 0)
    missing = "parameters";
  else if (!call_count)
    missing = "call_count";
  else if (!times_s && capacity > 0)
    missing = "times_s";
  return missing ? ppi_error_set(error, PERFPRED_INVALID, "perfpred_measure_calls: %s is NULL", missing) : PERFPRED_OK;
}

/* The times of a list for which there is room; those of copies only where they are wanted. */
static enum perfpred_status measure(const struct ppi_call_list *list, struct perfpred_sampler *sampler,
                                    const struct ppi_execution *execution, const struct ppi_sampling *sampling,
                                    int copies, double *times_s, struct perfpred_error *error) {
  enum perfpred_status status = ppi_call_list_measure(list, sampler, execution, sampling, times_s, NULL, error);
  for (size_t i = 0; !status && !copies && i < list->count; i++)
    if (list->kinds[i] != PPI_CALL_EMPTY && list->kind[list->kinds[i]].copies)
      times_s[i] = NAN;
  return status;
}

enum perfpred_status perfpred_measure_calls(struct perfpred_sampler *sampler, const struct perfpred_program *program,
                                            const int64_t *parameters, size_t count,
                                            const struct perfpred_measure_options *options, int copies, double *times_s,
                                            size_t capacity, size_t *call_count, struct perfpred_error *error) {
  ppi_error_clear(error);
  struct ppi_sampling sampling;
  struct ppi_call_list list;
  const struct ppi_execution execution = { program, parameters, count };
  enum perfpred_status status = check(sampler, program, parameters, count, times_s, capacity, call_count, error);
  if (!status)
    status = ppi_measure_options(options, &sampling, error);
  if (!status)
    status = ppi_call_list_of(program, parameters, count, &list, error);
  if (status)
    return status;
  if (capacity > 0 && capacity < list.count)
    status = ppi_error_set(error, PERFPRED_LIMIT, "capacity is %zu, expected 0 or at least the %zu calls of %s",
                           capacity, list.count, program->name);
  else if (capacity > 0)
    status = measure(&list, sampler, &execution, &sampling, copies, times_s, error);
  if (!status)
    *call_count = list.count;
  ppi_call_list_free(&list);
  return status;
}
