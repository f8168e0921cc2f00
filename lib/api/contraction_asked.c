/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions as texts: two of them are the same question where both texts are equal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/contraction_answers.h"
#include "api/contraction_planner.h"
#include "contract/einsum.h"
#include "store/table_format.h"

/* --- Contractions -------------------------------------------------------------------------------------------------- */

void ppi_contraction_rename(const struct ppi_contraction *contraction, struct ppi_contraction *renamed) {
  *renamed = *contraction;
  for (int i = 0; i < renamed->index_count; i++)
    renamed->index[i].name = (char)('a' + i);
}

static void put_strides(struct ppi_text *text, const struct ppi_contraction *contraction, int operand) {
  const struct ppi_tensor *tensor = &contraction->tensor[operand];
  if (tensor->rank > 0)
    ppi_text_printf(text, " %c", PPI_TENSOR_NAME(operand));
  for (int d = 0; d < tensor->rank; d++)
    ppi_text_printf(text, "%c%" PRId64, d > 0 ? ',' : '=', contraction->index[tensor->dimension[d]].stride[operand]);
}

char *ppi_contraction_text(const struct ppi_contraction *contraction, bool letters) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct ppi_contraction renamed;
  char tensors[PPI_OPERANDS][PPI_RANK_MAX + 1];
  ppi_contraction_rename(contraction, &renamed);
  for (int o = 0; o < PPI_OPERANDS; o++)
    ppi_contract_letters(&renamed, o, tensors[o]);
  ppi_text_printf(&text, "%c %s,%s->%s", ppi_type_letter(renamed.type), tensors[0], tensors[1], tensors[2]);
  for (int i = 0; i < renamed.index_count; i++)
    ppi_text_printf(&text, " %c=%" PRId64, renamed.index[i].name, renamed.index[i].extent);
  for (int o = 0; o < PPI_OPERANDS; o++)
    put_strides(&text, &renamed, o);
  for (int i = 0; i < contraction->index_count && letters; i++)
    ppi_text_printf(&text, "%s%c", i == 0 ? " called " : "", contraction->index[i].name);
  return ppi_text_take(&text);
}

/* --- Options ------------------------------------------------------------------------------------------------------- */

static void put_names(struct ppi_text *text, const struct ppi_contraction_choice *choice) {
  uint32_t crc = 0;
  for (size_t i = 0; i < choice->name_count; i++) /* with their ends, so that "a","b" is not "ab" */
    crc = ppi_table_crc(crc, (const unsigned char *)choice->names[i], strlen(choice->names[i]) + 1);
  ppi_text_printf(text, " names=%zu:%08" PRIx32, choice->name_count, crc);
}

static enum perfpred_status put_models(struct ppi_text *text, const struct ppi_contraction_models *models,
                                       struct perfpred_error *error) {
  char *json = NULL;
  enum perfpred_status status = models->models ? perfpred_models_print(models->models, &json, error) : PERFPRED_OK;
  if (status || !json)
    return status;
  const size_t length = strlen(json);
  ppi_text_printf(text, " models=%zu:%08" PRIx32 " setup=%d", length,
                  ppi_table_crc(0, (const unsigned char *)json, length), models->setup);
  free(json);
  return PERFPRED_OK;
}

enum perfpred_status ppi_contraction_asked(const struct perfpred_contraction_planner *planner, char **asked,
                                           struct perfpred_error *error) {
  const struct perfpred_contraction_plan_options *options = &planner->options;
  const struct ppi_contraction_choice *choice = &planner->choice;
  struct ppi_text text = PPI_TEXT_INIT;
  ppi_text_printf(&text, "mode=%s stage=%s", ppi_contraction_modes[options->mode],
                  ppi_contraction_stages[options->stage]);
  ppi_text_printf(&text, " kernels=%x copies=%d at_most=%" PRIu64 " wholes=%d", choice->filter.kernels,
                  (int)choice->filter.copies, choice->filter.at_most, (int)choice->filter.wholes);
  ppi_text_printf(&text, " memory=%" PRId64 " cache=%" PRId64 " factor=%.17g", options->memory_bytes,
                  options->cache_bytes, options->factor);
  ppi_text_printf(&text, " repetitions=%d seed=%" PRIu64 " gate=%.17g", options->repetitions, options->seed,
                  options->gate);
  ppi_text_printf(&text, " budget=%.17g complete=%d tie=%.17g", options->budget_s, options->complete != 0,
                  options->tie);
  if (choice->names)
    put_names(&text, choice);
  enum perfpred_status status = put_models(&text, &planner->models, error);
  char *taken = ppi_text_take(&text);
  if (!status && !taken)
    status = ppi_error_memory(error);
  if (status)
    free(taken);
  else
    *asked = taken;
  return status;
}
