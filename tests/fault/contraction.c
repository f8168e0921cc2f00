/* SPDX-License-Identifier: BSD-3-Clause */
/* Contractions, their programs, their C and their cache analyses, where memory fails. */
#include <jansson.h>
#include <perfpred/contraction_analysis.h>
#include <stdlib.h>

#include "fault.h"

static struct perfpred_context *context; /* made once; the scenarios only read it */
static struct perfpred_contraction *contraction;

static const char *const names[] = { "a", "b", "c", "i", "j" };
static const int64_t extents[] = { 100, 100, 100, 8, 8 };

static enum perfpred_status create(struct perfpred_error *error) {
  struct perfpred_contraction *untouched = contraction, *made = untouched;
  const enum perfpred_status status =
      perfpred_contraction_create("ija,jbic->abc", names, extents, 5, NULL, &made, error);
  if (status && made != untouched)
    fault_touched("contraction");
  perfpred_contraction_destroy(status ? NULL : made);
  return status;
}

static enum perfpred_status program(struct perfpred_error *error) {
  struct perfpred_program *untouched = (struct perfpred_program *)(void *)&context, *made = untouched;
  const enum perfpred_status status = perfpred_contraction_program(context, contraction, "abcj-ddot", &made, error);
  if (status && made != untouched)
    fault_touched("program");
  perfpred_program_unref(status ? NULL : made);
  return status;
}

static enum perfpred_status emit(struct perfpred_error *error) {
  char *untouched = (char *)&context, *text = untouched;
  const enum perfpred_status status = perfpred_contraction_emit_c(contraction, "i'c-dgemm", NULL, &text, error);
  if (status && text != untouched)
    fault_touched("text");
  perfpred_free(status ? NULL : text);
  return status;
}

static enum perfpred_status analyse(struct perfpred_error *error) {
  struct perfpred_contraction_analysis_options options = PERFPRED_CONTRACTION_ANALYSIS_OPTIONS_INIT;
  struct perfpred_contraction_analysis *untouched = (struct perfpred_contraction_analysis *)(void *)&context;
  struct perfpred_contraction_analysis *analysis = untouched;
  char *no_text = (char *)&context, *text = no_text;
  options.cache_bytes = 1 << 20;
  enum perfpred_status status = perfpred_contraction_analyze(contraction, "i'c-dgemm", &options, &analysis, error);
  if (status && analysis != untouched)
    fault_touched("analysis");
  if (status)
    return status;
  status = perfpred_contraction_analysis_report(analysis, &text, error);
  if (status && text != no_text)
    fault_touched("text");
  perfpred_free(status ? NULL : text);
  perfpred_contraction_analysis_destroy(analysis);
  return status;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  struct perfpred_program *read = NULL; /* the catalogue's texts of its kernels are read by now */
  json_set_alloc_funcs(malloc, free);
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_contraction_create("ija,jbic->abc", names, extents, 5, NULL, &contraction, &error);
  if (!status)
    status = perfpred_contraction_program(context, contraction, "abcj-ddot", &read, &error);
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  if (!status) {
    fault_check(&tap, "contraction: create", create);
    fault_check(&tap, "contraction: program", program);
    fault_check(&tap, "contraction: C", emit);
    fault_check(&tap, "contraction: cache analysis", analyse);
  }
  perfpred_program_unref(read);
  perfpred_contraction_destroy(contraction);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
