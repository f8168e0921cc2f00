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

/* Up to the first line break the contraction, behind it the name of an algorithm. All letters have extents, those that are not in it are
   then left out. */
static void read_contraction(const struct perfpred_context *context, char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  struct perfpred_contraction *contraction = NULL;
  char *name = strchr(text, '\n'), names_of[sizeof letters][2] = { { 0 } };
  const char *names[sizeof letters];
  int64_t extents[sizeof letters];
  size_t count = 0;
  if (name)
    *name++ = '\0';
  for (const char *letter = letters; *letter; letter++)
    if (strchr(text, *letter)) {
      names_of[count][0] = *letter;
      names[count] = names_of[count];
      extents[count] = (int64_t)count % 4;
      count++;
    }
  if (perfpred_contraction_create(text, names, extents, count, NULL, &contraction, NULL) != PERFPRED_OK)
    return;
  struct perfpred_contraction_algorithm algorithm = PERFPRED_CONTRACTION_ALGORITHM_INIT;
  struct perfpred_program *program = NULL;
  char *printed = NULL;
  enum perfpred_status status = name ? perfpred_contraction_find(contraction, name, &algorithm, NULL)
                                     : perfpred_contraction_algorithm_at(contraction, NULL, 0, &algorithm, NULL);
  if (status == PERFPRED_OK) {
    if (perfpred_contraction_program(context, contraction, algorithm.name, &program, NULL) != PERFPRED_OK ||
        perfpred_contraction_emit_c(contraction, algorithm.name, NULL, &printed, NULL) != PERFPRED_OK)
      abort();
    perfpred_free(printed);
    perfpred_program_unref(program);
  }
  perfpred_contraction_destroy(contraction);
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
  if (call)
    read_contraction(context, call);
  free(call);
  perfpred_context_add_text(context, text, size, "fuzz", NULL);
  perfpred_context_destroy(context);
  return 0;
}
