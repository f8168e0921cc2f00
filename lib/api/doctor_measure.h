/* SPDX-License-Identifier: BSD-3-Clause */
/* What the doctor measures: dgemm on workers of its own. */
#ifndef PPI_API_DOCTOR_MEASURE_H
#define PPI_API_DOCTOR_MEASURE_H

#include "api/doctor.h"

/* A worker of the doctor's setup with more variables ("NAME=value", NULL at the end), which win over the caller's. */
enum perfpred_status ppi_doctor_start(const struct ppi_doctor *doctor, const char *const *more,
                                      struct perfpred_sampler **sampler, struct perfpred_error *error);
/* Flop/s of C := A B for matrices of order n: of the median time of a few runs, in at most limit_s or so. */
enum perfpred_status ppi_doctor_dgemm(const struct ppi_doctor *doctor, struct perfpred_sampler *sampler, int64_t n,
                                      double limit_s, double *flops_per_s, struct perfpred_error *error);
/* doctor_settings.c: kernels that the BLAS could be made to use, measured beside what it uses. */
enum perfpred_status ppi_doctor_settings(struct ppi_doctor *doctor);

/* Time that is left of the budget, never negative. */
double ppi_doctor_left_s(const struct ppi_doctor *doctor);

#endif
