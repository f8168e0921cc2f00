/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of predictions after each stage of the micro-benchmarks, in each mode, beside one set of executions. */
#ifndef COMMAND_CONTRACT_STAGES_H
#define COMMAND_CONTRACT_STAGES_H

#include "contracting.h"

#define CONTRACT_STAGES_MAX 16

struct contract_stage {
  struct contracting_way way;
  size_t predicted;
  double planning_s;
  struct perfpred_contraction_validation validation; /* of all that was executed */
};

struct contract_stages {
  size_t executed, count;
  double noise_floor;
  struct contract_stage items[CONTRACT_STAGES_MAX];
};

/* Executes what --measure says, all without it, and predicts in every way. Prints a message and returns an exit code on failure. */
int contract_stages_find(struct session *session, const struct perfpred_contraction *contraction,
                         const struct perfpred_contraction_filter *filter, struct contract_stages *stages);
/* contract --stages */
int contract_stages_run(struct session *session, const struct perfpred_contraction *contraction,
                        const struct perfpred_contraction_filter *filter, const struct extents *extents);
/* plot contract-stages */
int plot_contract_stages(const struct options *options);

#endif
