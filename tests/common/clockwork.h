/* SPDX-License-Identifier: BSD-3-Clause */
/* A world without a machine: a virtual clock whose costs are known, least squares without a LAPACK. */
#ifndef TESTS_CLOCKWORK_H
#define TESTS_CLOCKWORK_H

#include <perfpred/perfpred.h>

/* 1 us and 1 ns per flop: a polynomial, so that models of it are exact. */
double clockwork_cost(void *data, const struct perfpred_virtual_call *call);

/* Least squares by Householder reflections, with the interface of LAPACK's DGELSY; columns that depend on those before
 * them get 0. */
perfpred_dgelsy_fn clockwork_dgelsy;

/* Options for models of few samples: n up to 96, b up to 32. */
struct perfpred_generate_options clockwork_options(void);

/* Models of the named algorithm on the virtual clock. */
enum perfpred_status clockwork_models(const struct perfpred_context *context, const char *name,
                                      struct perfpred_models **models, struct perfpred_error *error);

#endif
