/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/stock.h"

#include <stdlib.h>

#define BATCH_S 2.0 /* what an interruption may lose */

void ppi_stock_destroy(struct ppi_stock *stock) {
  if (!stock)
    return;
  ppi_replay_release(&stock->replay);
  ppi_journal_close(stock->journal);
  ppi_samples_release(stock->samples);
  free(stock->samples);
  free(stock);
}

static enum perfpred_status take_known(struct ppi_stock *stock, const struct perfpred_models *known,
                                       struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  if (!known || ppi_machine_compare(&known->machine, &stock->machine, NULL) != PERFPRED_OK)
    return PERFPRED_OK;
  for (int i = 0; i < known->setup_count; i++) {
    const struct ppi_samples *samples = known->samples[i];
    if (!samples || !ppi_setup_same(known->setups + i, &stock->setup))
      continue;
    for (size_t k = 0; !status && k < samples->count; k++)
      status = ppi_samples_add_record(stock->samples, samples->records[k], error);
  }
  return status;
}

enum perfpred_status ppi_stock_create(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                      const struct perfpred_generate_options *options, struct ppi_stock **stock,
                                      struct perfpred_error *error) {
  struct ppi_stock *made = calloc(1, sizeof *made);
  enum perfpred_status status = PERFPRED_OK;
  if (!made)
    return ppi_error_memory(error);
  made->samples = calloc(1, sizeof *made->samples);
  if (!made->samples)
    status = ppi_error_memory(error);
  if (!status)
    status = sampler->ops->describe(sampler, 0.0, &made->machine, &made->setup, error);
  if (!status)
    status = take_known(made, options->known, error);
  made->owner = (struct ppi_journal_owner){ &made->machine, &made->setup,
                                            options->known ? &options->known->marks : NULL, options->restart != 0 };
  if (!status && options->journal)
    status = ppi_journal_open(context, options->journal, &made->owner, made->samples, &made->journal, error);
  if (status) {
    ppi_stock_destroy(made);
    return status;
  }
  made->replay.samples = made->samples;
  made->replay.by_part = true;
  made->replay.added = made->journal ? ppi_journal_added : NULL;
  made->replay.added_data = made->journal;
  made->replay.batch_s = made->journal ? BATCH_S : 0.0;
  *stock = made;
  return PERFPRED_OK;
}

void ppi_stock_hand_over(struct ppi_stock *stock, bool keep_samples, struct perfpred_models *models) {
  if (stock->journal) {
    if (!keep_samples) /* else the models keep also what is of other work */
      ppi_journal_check_use(stock->journal, stock->replay.used, stock->replay.used_count);
    ppi_journal_mark(stock->journal, &models->marks);
    models->journal = stock->journal;
    models->journal_close = ppi_journal_close;
    stock->journal = NULL;
  }
  if (keep_samples) {
    models->samples[0] = stock->samples;
    stock->samples = NULL;
  }
}
