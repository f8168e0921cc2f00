/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are modelled in the steps of their algorithm: which they are, what their sizes are there, and how they are sampled. */
#ifndef PPI_API_STEPS_H
#define PPI_API_STEPS_H

#include "measure/sampler.h"
#include "model/generate.h"
#include "program/calls.h"

/* What a step is made of: what the loop has gone through, its block, what is left; the size that is none of the loop. */
enum ppi_step_size { PPI_STEP_DONE, PPI_STEP_WIDTH, PPI_STEP_REST, PPI_STEP_OTHER, PPI_STEP_SIZES };

/* A program whose one loop over blocks is gone through step by step. */
struct ppi_stepped {
  const struct perfpred_program *program;
  struct ppi_blocking blocking;
  bool nested; /* it is run in loops of others alone: its first step, too, has calls before it */
  bool down;
  struct ppi_calls calls;
  struct ppi_stepped_call *list; /* one for each of the calls */
  bool counts[PPI_STEP_SIZES];   /* sizes on which some call depends */
  bool alone;                    /* a step without any before and behind it makes the same calls as others */
};

struct ppi_stepped_call {
  const struct ppi_stepped *stepped;
  size_t place;
  bool modelled; /* in every step, with sizes that are affine in those of the step and the same for all of its calls */
  int64_t repeats
      [2]; /* so many calls in a step: the first of these and the second times its width; a model is of one of them */
  bool at_zero[PPI_STEP_SIZES]; /* it is made, and has work to do, where nothing is done yet, or nothing left */
  struct ppi_basis basis;
};

struct ppi_steps {
  struct ppi_stepped **items;
  size_t count;
};

/* Looks through programs and those that they call, in loops those of two sizes. Programs without steps are left out: they have no loop over
   blocks, or several, or loops inside of it whose length depends on the step. */
enum perfpred_status ppi_steps_of(const struct perfpred_program *const *programs, size_t count, struct ppi_steps *steps,
                                  struct perfpred_error *error);
void ppi_steps_free(struct ppi_steps *steps);
/* Whether a call is modelled in the steps of owner. */
bool ppi_steps_have(const struct ppi_steps *steps, const struct perfpred_program *owner, const struct ppi_node *call);
/* The execution that has such a step, and the step, with the one before it. */
void ppi_stepped_window(const struct ppi_stepped *stepped, const int64_t *sizes, int64_t parameters[PPI_PARAMETER_MAX],
                        struct ppi_window *window);
/* Targets of all modelled calls; malloc'ed: free. They point into steps. */
enum perfpred_status ppi_steps_targets(const struct ppi_steps *steps, const struct perfpred_generate_options *options,
                                       struct ppi_target **targets, size_t *count, struct perfpred_error *error);
/* Answers requests for such targets: all that belong to one step come from one run of it. */
enum perfpred_status ppi_steps_sample(struct perfpred_sampler *sampler, const struct ppi_request *requests,
                                      size_t count, const struct ppi_sampling *sampling, struct ppi_result *results,
                                      struct perfpred_error *error);

#endif
