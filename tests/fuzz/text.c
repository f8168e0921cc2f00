/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever bytes come in: the text form and model files answer with a status. What can be read can be printed and read again.
 *
 * With clang: -fsanitize=fuzzer,address,undefined (scripts/test --long). */
#include <perfpred/perfpred.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_program(const struct perfpred_context *context, const char *text, size_t size) {
  struct perfpred_program *program = NULL, *again = NULL;
  char *printed = NULL;
  if (perfpred_program_parse(context, text, size, "fuzz", &program, NULL) != PERFPRED_OK)
    return;
  if (perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &printed, NULL) != PERFPRED_OK ||
      perfpred_program_parse(context, printed, strlen(printed), "again", &again, NULL) != PERFPRED_OK)
    abort();
  perfpred_free(printed);
  perfpred_program_unref(again);
  perfpred_program_unref(program);
}

static void read_models(const struct perfpred_context *context, const char *text, size_t size) {
  struct perfpred_load_options force = PERFPRED_LOAD_OPTIONS_INIT;
  struct perfpred_models *models = NULL;
  force.force = 1;
  if (perfpred_models_load_memory(context, text, size, "fuzz", &force, &models, NULL) == PERFPRED_OK)
    perfpred_models_unref(models);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct perfpred_context *context = NULL;
  const char *text = (const char *)data;
  double flops = 0.0;
  if (perfpred_context_create(&context, NULL) != PERFPRED_OK)
    abort();
  read_models(context, text, size);
  read_program(context, text, size);
  char *call = strndup(text, size);
  if (call)
    perfpred_kernel_flops(context, call, &flops, NULL);
  free(call);
  perfpred_context_add_text(context, text, size, "fuzz", NULL);
  perfpred_context_destroy(context);
  return 0;
}
