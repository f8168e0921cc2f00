/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/setup.h"

#include <stdlib.h>
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

/* A library without a build id is told by its version as well as by its path. */
static bool same_version(const struct ppi_library *a, const struct ppi_library *b) {
  return !a->version[0] || !b->version[0] || strcmp(a->version, b->version) == 0;
}

static enum perfpred_status compare_libraries(const struct ppi_setup *modelled, const struct ppi_setup *setup,
                                              struct perfpred_error *error) {
  if (!ppi_library_same(&modelled->blas, &setup->blas))
    return other_library("BLAS", &modelled->blas, &setup->blas, error);
  if (!ppi_library_same(&modelled->lapack, &setup->lapack))
    return other_library("LAPACK", &modelled->lapack, &setup->lapack, error);
  if (!same_version(&modelled->blas, &setup->blas) || !same_version(&modelled->lapack, &setup->lapack))
    return ppi_error_set(
        error, PERFPRED_OTHER_BLAS,
        "the models are of BLAS version %.60s and LAPACK version %.60s, the sampler has %.60s and %.60s",
        modelled->blas.version, modelled->lapack.version, setup->blas.version, setup->lapack.version);
  return PERFPRED_OK;
}

/* What times mean: another way to take them is neither another machine nor another library's fault. */
static enum perfpred_status compare_measuring(const struct ppi_setup *modelled, const struct ppi_setup *setup,
                                              struct perfpred_error *error) {
  if (modelled->protocol != setup->protocol)
    return ppi_error_set(error, PERFPRED_VERSION,
                         "the models were measured by protocol %d, the sampler has protocol %d: generate them again",
                         modelled->protocol, setup->protocol);
  if (strcmp(modelled->clock, setup->clock) != 0)
    return ppi_error_set(error, PERFPRED_OTHER_MACHINE, "the models' clock is \"%s\", the sampler's \"%s\"",
                         modelled->clock, setup->clock);
  return PERFPRED_OK;
}

enum perfpred_status ppi_setup_compare(const struct perfpred_models *models, int place, const struct ppi_setup *setup,
                                       struct perfpred_error *error) {
  const struct ppi_setup *modelled = models->setups + place;
  if (ppi_setup_is_virtual(modelled) || ppi_setup_is_virtual(setup) || (models->notes & PERFPRED_NOTE_FORCED))
    return PERFPRED_OK;
  enum perfpred_status status = compare_libraries(modelled, setup, error);
  if (status)
    return status;
  if (modelled->ilp64 != setup->ilp64)
    return ppi_error_set(error, PERFPRED_OTHER_BLAS, "the models are for integers of %d bits, the sampler has %d",
                         modelled->ilp64 ? 64 : 32, setup->ilp64 ? 64 : 32);
  if (modelled->threads != setup->threads)
    return ppi_error_set(error, PERFPRED_OTHER_BLAS, "the models are for %d threads, the sampler has %d",
                         modelled->threads, setup->threads);
  return compare_measuring(modelled, setup, error);
}

enum perfpred_status ppi_setup_compare_plan(const struct perfpred_plan *plan, const struct ppi_setup *setup,
                                            unsigned *notes, struct perfpred_error *error) {
  enum perfpred_status status = ppi_setup_compare(plan->models, plan->setup, setup, plan->force ? NULL : error);
  *notes |= plan->notes;
  if (!status || !plan->force)
    return status;
  *notes |= PERFPRED_NOTE_OTHER_BLAS | PERFPRED_NOTE_FORCED;
  return PERFPRED_OK;
}

enum perfpred_status ppi_setup_of(struct perfpred_sampler *sampler, struct ppi_setup **setup,
                                  struct perfpred_error *error) {
  struct ppi_machine *machine = calloc(1, sizeof *machine);
  struct ppi_setup *made = calloc(1, sizeof *made);
  enum perfpred_status status = PERFPRED_OK;
  if (!machine || !made)
    status = ppi_error_memory(error);
  else
    status = sampler->ops->describe(sampler, 0.0, machine, made, error);
  free(machine);
  if (status)
    free(made);
  else
    *setup = made;
  return status;
}
