/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever bytes come in as a contraction: its handle or a status with a text. Its algorithms are found by the names that they have, become
 * programs that can be read, and C; kinds of occurrence add up to the calls.
 *
 * Lines: the einsum; "a=400 b=3"; type and, with an f, fusion; number of an algorithm; its name. With clang:
 * -fsanitize=fuzzer,address,undefined (scripts/test --long). */
#include <perfpred/context.h>
#include <perfpred/contraction_analysis.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXTENTS_MAX 30

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
  char *lines[5]; /* "" where there is none */
  char names[EXTENTS_MAX][2];
  const char *pointers[EXTENTS_MAX];
  int64_t extents[EXTENTS_MAX];
  size_t count;
};

static void insist(int truth) {
  if (!truth)
    abort();
}

static void split(char *text, struct input *input) {
  for (int i = 0; i < 5; i++) {
    input->lines[i] = text;
    text += strcspn(text, "\n");
    if (*text != '\0')
      *text++ = '\0';
  }
}

/* A letter, any character, a number, any character. */
static void read_extents(struct input *input) {
  for (char *text = input->lines[1]; text[0] != '\0' && text[1] != '\0' && input->count < EXTENTS_MAX;) {
    char *end;
    input->names[input->count][0] = text[0];
    input->pointers[input->count] = input->names[input->count];
    input->extents[input->count++] = strtoll(text + 2, &end, 10);
    text = *end != '\0' ? end + 1 : end;
  }
}

static void analyse(const struct perfpred_contraction *contraction, const char *name) {
  struct perfpred_contraction_analysis *analysis = NULL;
  struct perfpred_contraction_analysis_info info = PERFPRED_CONTRACTION_ANALYSIS_INFO_INIT;
  struct perfpred_error error;
  char *json = NULL;
  int64_t calls = 0, found = 0;
  if (perfpred_contraction_analyze(contraction, name, NULL, &analysis, &error) != PERFPRED_OK) {
    insist((error.status == PERFPRED_OVERFLOW || (error.status == PERFPRED_UNSUPPORTED && strchr(name, '*'))) &&
           error.text[0] != '\0');
    return;
  }
  insist(perfpred_contraction_analysis_summary(analysis, &info, NULL) == PERFPRED_OK);
  for (size_t i = 0; i < info.calls; i++) {
    struct perfpred_contraction_call call = PERFPRED_CONTRACTION_CALL_INIT;
    insist(perfpred_contraction_analysis_call_at(analysis, i, &call, NULL) == PERFPRED_OK && call.count >= 0);
    for (size_t k = 0; k < call.operands; k++) {
      struct perfpred_contraction_operand operand = PERFPRED_CONTRACTION_OPERAND_INIT;
      insist(perfpred_contraction_analysis_operand_at(analysis, i, k, &operand, NULL) == PERFPRED_OK);
      insist(operand.bytes >= 0 && operand.line_bytes >= operand.bytes && operand.distance_bytes >= 0);
      insist(operand.corrected_bytes >= operand.distance_bytes);
    }
    calls += call.kind == PERFPRED_CONTRACTION_CALL_KERNEL ? call.count : 0;
  }
  for (size_t i = 0; i < info.occurrences; i++) {
    struct perfpred_contraction_occurrence of = PERFPRED_CONTRACTION_OCCURRENCE_INIT;
    struct perfpred_contraction_call call = PERFPRED_CONTRACTION_CALL_INIT;
    insist(perfpred_contraction_analysis_occurrence_at(analysis, i, &of, NULL) == PERFPRED_OK && of.count > 0);
    insist(perfpred_contraction_analysis_call_at(analysis, of.call, &call, NULL) == PERFPRED_OK);
    insist(of.remote_bytes >= 0 && of.remote_bytes <= info.limit_bytes);
    found += call.kind == PERFPRED_CONTRACTION_CALL_KERNEL ? of.count : 0;
  }
  insist(calls == found);
  insist(perfpred_contraction_analysis_report(analysis, &json, NULL) == PERFPRED_OK);
  perfpred_free(json);
  perfpred_contraction_analysis_destroy(analysis);
}

static void use(const struct perfpred_contraction *contraction, const char *name) {
  struct perfpred_context *context = NULL;
  struct perfpred_program *program = NULL, *again = NULL;
  char *text = NULL;
  insist(perfpred_context_create(&context, NULL) == PERFPRED_OK);
  if (perfpred_contraction_program(context, contraction, name, &program, NULL) == PERFPRED_OK) {
    insist(perfpred_program_print(program, PERFPRED_FORMAT_TEXT, &text, NULL) == PERFPRED_OK);
    insist(perfpred_program_parse(context, text, strlen(text), "again", &again, NULL) == PERFPRED_OK);
    perfpred_program_unref(again);
    perfpred_program_unref(program);
    perfpred_free(text);
  }
  text = NULL;
  if (perfpred_contraction_emit_c(contraction, name, NULL, &text, NULL) == PERFPRED_OK)
    perfpred_free(text);
  perfpred_context_destroy(context);
  analyse(contraction, name);
}

/* Those that copy whole tensors: what they copy has no more elements than the tensors. */
static void look_whole(const struct perfpred_contraction *contraction) {
  struct perfpred_contraction_filter filter = PERFPRED_CONTRACTION_FILTER_INIT;
  struct perfpred_contraction_algorithm at = PERFPRED_CONTRACTION_ALGORITHM_INIT, found = at;
  struct perfpred_contraction_info info = PERFPRED_CONTRACTION_INFO_INIT;
  uint64_t count = 0;
  filter.wholes = PERFPRED_CONTRACTION_WHOLES_ALONE;
  insist(perfpred_contraction_summary(contraction, &info, NULL) == PERFPRED_OK);
  insist(perfpred_contraction_count(contraction, &filter, &count, NULL) == PERFPRED_OK && count <= 8);
  for (uint64_t i = 0; i < count; i++) {
    insist(perfpred_contraction_algorithm_at(contraction, &filter, i, &at, NULL) == PERFPRED_OK && at.whole);
    insist(perfpred_contraction_find(contraction, at.name, &found, NULL) == PERFPRED_OK);
    insist(strcmp(at.name, found.name) == 0 && found.whole && found.copies == at.copies);
    insist(at.work_bytes <=
           (double)info.element_bytes * ((double)info.elements_a + (double)info.elements_b + (double)info.elements_c));
    use(contraction, at.name);
  }
}

static void look(const struct perfpred_contraction *contraction, const struct input *input) {
  const uint64_t place = strtoull(input->lines[3], NULL, 10);
  struct perfpred_contraction_algorithm at = PERFPRED_CONTRACTION_ALGORITHM_INIT, found = at;
  struct perfpred_error error;
  uint64_t count = 0;
  perfpred_contraction_count(contraction, NULL, &count, NULL);
  if (perfpred_contraction_algorithm_at(contraction, NULL, count > 0 ? place % count : place, &at, NULL) ==
      PERFPRED_OK) {
    insist(perfpred_contraction_find(contraction, at.name, &found, NULL) == PERFPRED_OK);
    insist(strcmp(at.name, found.name) == 0);
    use(contraction, at.name);
  } else {
    insist(count == 0);
  }
  look_whole(contraction);
  if (perfpred_contraction_find(contraction, input->lines[4], &found, &error) != PERFPRED_OK)
    insist(error.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct perfpred_contraction_options options = PERFPRED_CONTRACTION_OPTIONS_INIT;
  struct perfpred_contraction *contraction = NULL;
  struct input input = { .count = 0 };
  struct perfpred_error error;
  char *text = malloc(size + 1);
  insist(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  split(text, &input);
  read_extents(&input);
  options.type = input.lines[2][0];
  options.fuse = strchr(input.lines[2], 'f') != NULL;
  if (perfpred_contraction_create(input.lines[0], input.pointers, input.extents, input.count, &options, &contraction,
                                  &error) == PERFPRED_OK)
    look(contraction, &input);
  else
    insist(error.text[0] != '\0');
  perfpred_contraction_destroy(contraction);
  free(text);
  return 0;
}
