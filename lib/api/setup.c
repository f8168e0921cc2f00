/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/setup.h"

#include <string.h>

static const char *path_of(const struct ppi_library *library) {
  return library->path[0] ? library->path : "none";
}

static enum perfpred_status other_library(const char *what, const struct ppi_library *modelled,
                                          const struct ppi_library *measured, struct perfpred_error *error) {
  return ppi_error_set(error, PERFPRED_OTHER_BLAS,
                       "the models are of %s %.150s (build %.16s, kernels %.30s), the sampler has %.150s (build %.16s, "
                       "kernels %.30s)",
                       what, path_of(modelled), modelled->build_id[0] ? modelled->build_id : "unknown",
                       modelled->kernels[0] ? modelled->kernels : "unknown", path_of(measured),
                       measured->build_id[0] ? measured->build_id : "unknown",
                       measured->kernels[0] ? measured->kernels : "unknown");
}

enum perfpred_status ppi_setup_compare(const struct perfpred_models *models, int place, const struct ppi_setup *setup,
                                       struct perfpred_error *error) {
  const struct ppi_setup *modelled = models->setups + place;
  if (ppi_setup_is_virtual(modelled) || ppi_setup_is_virtual(setup) || (models->notes & PERFPRED_NOTE_FORCED))
    return PERFPRED_OK;
  if (!ppi_library_same(&modelled->blas, &setup->blas))
    return other_library("BLAS", &modelled->blas, &setup->blas, error);
  if (!ppi_library_same(&modelled->lapack, &setup->lapack))
    return other_library("LAPACK", &modelled->lapack, &setup->lapack, error);
  if (modelled->ilp64 != setup->ilp64)
    return ppi_error_set(error, PERFPRED_OTHER_BLAS, "the models are for integers of %d bits, the sampler has %d",
                         modelled->ilp64 ? 64 : 32, setup->ilp64 ? 64 : 32);
  if (modelled->threads != setup->threads)
    return ppi_error_set(error, PERFPRED_OTHER_BLAS, "the models are for %d threads, the sampler has %d",
                         modelled->threads, setup->threads);
  return PERFPRED_OK;
}
