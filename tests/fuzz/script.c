/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever bytes come in: a text of timed calls answers with a status, and one that it refuses with a place. What it takes fits into its
 * buffers and can be described.
 *
 * With clang: -fsanitize=fuzzer,address,undefined (scripts/test --long). */
#include <perfpred/context.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "measure/pattern.h"
#include "measure/script_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_operand(const struct ppi_script *script, const struct ppi_script_operand *operand) {
  const struct ppi_area area = {
    .rows = operand->rows, .columns = operand->columns, .step = operand->step, .ld = operand->ld
  };
  int64_t room = operand->length;
  if (operand->place == PPI_PLACE_BUFFER) {
    if (operand->buffer >= script->buffer_count || operand->offset < 0)
      abort();
    room = script->buffers[operand->buffer].length - operand->offset;
  }
  if (operand->rows > 0 && operand->columns > 0 && ppi_area_span(&area) > room)
    abort();
}

static void check_unit(const struct ppi_script *script, size_t number) {
  const struct ppi_script_unit *unit = &script->units[number];
  char text[300];
  ppi_script_describe(script, number, text, sizeof text);
  if (strlen(text) == 0 || unit->lane_count < 1 || unit->lane_count > PPI_SCRIPT_LANES_MAX)
    abort();
  for (size_t i = 0; i < unit->settings.access_count; i++) {
    const struct ppi_script_access *access = &script->accesses[unit->settings.access_first + i];
    if (access->first < 0 || access->end < access->first || access->end > script->buffers[access->buffer].length ||
        script->buffers[access->buffer].end <= number)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct perfpred_context *context; /* only read, and slow to make */
  struct perfpred_error error = { PERFPRED_OK, 0, 0, "" };
  struct ppi_script script;
  if (context == NULL && perfpred_context_create(&context, NULL) != PERFPRED_OK)
    abort();
  if (ppi_script_parse(context->kernels, (const char *)data, size, "fuzz", 0, &script, &error) != PERFPRED_OK) {
    if (error.line < 1 || error.column < 1 || error.text[0] == '\0')
      abort();
    return 0;
  }
  for (size_t i = 0; i < script.call_count; i++)
    for (int k = 0; k < script.calls[i].operand_count; k++)
      check_operand(&script, &script.calls[i].operands[k]);
  for (size_t i = 0; i < script.unit_count; i++)
    check_unit(&script, i);
  ppi_script_free(&script);
  return 0;
}
