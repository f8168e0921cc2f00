/* SPDX-License-Identifier: BSD-3-Clause */
/* Which way of contracting two tensors is the fastest: predicted without running any, and written as C.
 *
 *   contraction [N [I]]      C[a,b,c] := sum over i of A[a,i] B[i,b,c] with a = b = c = N and i = I; default 200 and 8
 */
#include <perfpred/perfpred.h>

#include <stdio.h>
#include <stdlib.h>

static enum perfpred_status create(int64_t n, int64_t i, struct perfpred_contraction **contraction,
                                   struct perfpred_error *error) {
  const char *const names[] = { "a", "b", "c", "i" };
  const int64_t extents[] = { n, n, n, i };
  return perfpred_contraction_create("ai,ibc->abc", names, extents, 4, NULL, contraction, error);
}

static enum perfpred_status count(const struct perfpred_contraction *contraction, struct perfpred_error *error) {
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  uint64_t algorithms = 0;
  filter.wholes = PERFPRED_CONTRACTION_WHOLES_TOO; /* as planners look at them */
  enum perfpred_status status = perfpred_contraction_summary(contraction, &info, error);
  if (!status)
    status = perfpred_contraction_count(contraction, &filter, &algorithms, error);
  if (!status)
    printf("%s: %.3g flops, %llu algorithms\n", info.einsum, info.flops, (unsigned long long)algorithms);
  return status;
}

static enum perfpred_status show(const struct perfpred_contraction_plan *plan, struct perfpred_error *error) {
  struct perfpred_contraction_plan_info info = PERFPRED_CONTRACTION_PLAN_INFO_INIT;
  enum perfpred_status status = perfpred_contraction_plan_summary(plan, &info, error);
  for (size_t rank = 0; !status && rank < info.predicted && rank < 5; rank++) {
    struct perfpred_contraction_prediction one = PERFPRED_CONTRACTION_PREDICTION_INIT;
    status = perfpred_contraction_plan_at(plan, rank, &one, error);
    if (!status)
      printf("%zu. %-12s %8.3f ms, %6.2f Gflop/s\n", rank + 1, one.name, 1e3 * one.time_s.med, 1e-9 * one.flops_per_s);
  }
  if (!status)
    printf("%llu of %llu predicted in %.1f ms, the others were dropped: %s\n", (unsigned long long)info.predicted,
           (unsigned long long)info.candidates, 1e3 * info.planning_s,
           info.bounded ? "they cannot be faster" : "finding out would take too long");
  return status;
}

/* The pick as a function that needs nothing but CBLAS. */
static enum perfpred_status print_pick(const struct perfpred_contraction *contraction,
                                       const struct perfpred_contraction_plan *plan, struct perfpred_error *error) {
  struct perfpred_contraction_prediction pick = PERFPRED_CONTRACTION_PREDICTION_INIT;
  char *text = NULL;
  enum perfpred_status status = perfpred_contraction_plan_at(plan, 0, &pick, error);
  if (!status)
    status = perfpred_contraction_emit_c(contraction, pick.name, "contract_abc", &text, error);
  if (!status)
    printf("\npick: %s\n\n%s", pick.name, text);
  perfpred_free(text);
  return status;
}

int main(int argc, char **argv) {
  const int64_t n = argc > 1 ? strtoll(argv[1], NULL, 10) : 200, i = argc > 2 ? strtoll(argv[2], NULL, 10) : 8;
  struct perfpred_context *context = NULL;
  struct perfpred_sampler *sampler = NULL;
  struct perfpred_contraction *contraction = NULL;
  struct perfpred_contraction_planner *planner = NULL;
  struct perfpred_contraction_plan *plan = NULL;
  struct perfpred_error error;
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_sampler_create_worker(context, NULL, &sampler, &error);
  if (!status)
    status = create(n, i, &contraction, &error);
  if (!status)
    status = count(contraction, &error);
  if (!status)
    status = perfpred_contraction_planner_create(context, sampler, NULL, NULL, &planner, &error);
  if (!status)
    status = perfpred_contraction_planner_ask(planner, contraction, &plan, &error);
  if (!status)
    status = show(plan, &error);
  if (!status)
    status = print_pick(contraction, plan, &error);
  if (status)
    fprintf(stderr, "contraction: %s\n", error.text);
  perfpred_contraction_plan_destroy(plan);
  perfpred_contraction_planner_destroy(planner);
  perfpred_contraction_destroy(contraction);
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
  return status ? 1 : 0;
}
