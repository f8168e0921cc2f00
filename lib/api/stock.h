/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw samples of a generation: what is known, what the journal has, what is measured. */
#ifndef PPI_API_STOCK_H
#define PPI_API_STOCK_H

#include "measure/sampler.h"
#include "model/samples.h"
#include "store/journal.h"

struct ppi_stock {
  struct ppi_samples *samples;
  struct ppi_journal *journal;
  struct ppi_replay replay; /* its source behind is set by whoever measures */
  struct ppi_machine machine;
  struct ppi_setup setup;
  struct ppi_journal_owner owner;
};

/* By the options journal, known and restart. */
enum perfpred_status ppi_stock_create(const struct perfpred_context *context, struct perfpred_sampler *sampler,
                                      const struct perfpred_generate_options *options, struct ppi_stock **stock,
                                      struct perfpred_error *error);
void ppi_stock_destroy(struct ppi_stock *stock); /* NULL is fine */
/* The models keep the journal until they are saved, and the samples where they are asked to. */
void ppi_stock_hand_over(struct ppi_stock *stock, bool keep_samples, struct perfpred_models *models);

#endif
