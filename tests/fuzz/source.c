/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever bytes come in as C: a nest or a status with a text. A nest can be printed and read again, and counts within its budget.
 *
 * With clang: -fsanitize=fuzzer,address,undefined (scripts/test --long). */
#include <perfpred/affine.h>
#include <perfpred/context.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_and_read(const struct perfpred_context *context, const struct perfpred_program *nest) {
  struct perfpred_program *again = NULL;
  char *printed = NULL;
  if (perfpred_program_print(nest, PERFPRED_FORMAT_TEXT, &printed, NULL) != PERFPRED_OK ||
      perfpred_program_parse(context, printed, strlen(printed), "again", &again, NULL) != PERFPRED_OK)
    abort();
  perfpred_free(printed);
  perfpred_program_unref(again);
}

/* A budget of some thousand accesses or a tenth of a second. */
static void count(const struct perfpred_program *nest) {
  struct perfpred_misses_options options = PERFPRED_MISSES_OPTIONS_INIT;
  const int64_t values[] = { 7, 11, 5, 3, 9, 4, 8, 6 };
  char *json = NULL;
  options.budget_s = 0.1;
  options.budget_bytes = 1 << 20;
  options.engine = PERFPRED_MISSES_SIMULATE;
  perfpred_misses(NULL, nest, values, perfpred_program_parameter_count(nest), &options, NULL, &json, NULL);
  perfpred_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct perfpred_context *context = NULL;
  struct perfpred_program *nest = NULL;
  struct perfpred_error error;
  if (perfpred_context_create(&context, NULL) != PERFPRED_OK)
    abort();
  if (perfpred_nest_parse_c(context, (const char *)data, size, "fuzz.c", NULL, &nest, &error) == PERFPRED_OK) {
    print_and_read(context, nest);
    count(nest);
    perfpred_program_unref(nest);
  } else if (error.text[0] == '\0') {
    abort();
  }
  perfpred_context_destroy(context);
  return 0;
}
