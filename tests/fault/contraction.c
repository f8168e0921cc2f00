/* SPDX-License-Identifier: BSD-3-Clause */
/* Contractions, their programs and their C, where memory fails. */
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

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  struct perfpred_program *read = NULL; /* the catalogue's texts of its kernels are read by now */
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
  }
  perfpred_program_unref(read);
  perfpred_contraction_destroy(contraction);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
