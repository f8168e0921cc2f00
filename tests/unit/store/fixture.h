/* SPDX-License-Identifier: BSD-3-Clause */
/* Models made by hand, with numbers that are hard to write down. */
#ifndef TEST_STORE_FIXTURE_H
#define TEST_STORE_FIXTURE_H

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "kernel/registry.h"
#include "store/store.h"

/* A context that knows the kernels, which is all that a model file needs. */
struct world {
  struct perfpred_context context;
};

static inline void world_create(struct world *world) {
  memset(world, 0, sizeof *world);
  if (ppi_kernels_create(&world->context.kernels, NULL))
    abort();
}

static inline void world_destroy(struct world *world) {
  ppi_kernels_destroy(world->context.kernels);
}

static inline void fill_piece(struct ppi_piece *piece, int dimensions, const int64_t *lower, const int64_t *upper,
                              const int *degrees, double error) {
  static const double awkward[] = { 1.0 / 3.0, -1e-9, 2.5, 1e-300, 0.1, -0.0, 123456789.125, 4.9e-324 };

  for (int d = 0; d < dimensions; d++) {
    piece->lower[d] = lower[d];
    piece->upper[d] = upper[d];
    piece->degrees[d] = degrees[d];
  }
  ppi_piece_scale(piece, dimensions);
  piece->coefficients = malloc(PPI_STATISTICS * (size_t)piece->count * sizeof(double));
  for (int i = 0; i < PPI_STATISTICS * piece->count; i++)
    piece->coefficients[i] = awkward[i % 8];
  for (int s = 0; s < 4; s++)
    piece->floors[s] = 1e-6 / 3.0;
  piece->error = error;
}

static inline void submodel_start(struct ppi_submodel *submodel, const struct world *world, const char *kernel,
                                  const char *case_text, int splits, int pieces) {
  memset(submodel, 0, sizeof *submodel);
  submodel->kernel = ppi_kernel_ref(ppi_kernels_find(world->context.kernels, kernel));
  strcpy(submodel->case_text, case_text);
  if (ppi_case_parse(submodel->kernel, case_text, submodel->values, NULL))
    abort();
  submodel->dimensions = submodel->kernel->size_count;
  submodel->ld = 1032;
  submodel->points = 72;
  submodel->samples = 720;
  submodel->disturbed = 11;
  submodel->split_count = splits;
  submodel->piece_count = pieces;
  submodel->splits = calloc((size_t)splits, sizeof *submodel->splits);
  submodel->pieces = calloc((size_t)pieces, sizeof *submodel->pieces);
}

static inline void add_trsm(struct perfpred_models *models, const struct world *world) {
  static const int64_t lower[] = { 8, 8 }, middle[] = { 520, 256 }, right[] = { 520, 8 }, upper[] = { 1024, 256 };
  static const int degrees[2][2] = { { 1, 2 }, { 2, 0 } };
  struct ppi_submodel submodel;

  submodel_start(&submodel, world, "dtrsm", "R,L,T,N,-1", 3, 2);
  memcpy(submodel.lower, lower, sizeof lower);
  memcpy(submodel.upper, upper, sizeof upper);
  submodel.splits[0] = (struct ppi_split){ 0, 520, 1, 2, -1 };
  submodel.splits[1] = (struct ppi_split){ -1, 0, 0, 0, 0 };
  submodel.splits[2] = (struct ppi_split){ -1, 0, 0, 0, 1 };
  fill_piece(submodel.pieces, 2, lower, middle, degrees[0], 0.0075);
  fill_piece(submodel.pieces + 1, 2, right, upper, degrees[1], NAN);
  submodel.pieces[1].tiles = (struct ppi_tiles){ { 14, 0 }, { 0.75, 0.0 } };
  if (ppi_models_append(models, &submodel, NULL))
    abort();
}

static inline void add_potrf2(struct perfpred_models *models, const struct world *world) {
  static const int64_t lower[] = { 8 }, upper[] = { 256 };
  static const int degrees[] = { 3 };
  struct ppi_submodel submodel;

  submodel_start(&submodel, world, "dpotrf2", "L", 1, 1);
  submodel.lower[0] = 8;
  submodel.upper[0] = 256;
  submodel.splits[0].dimension = -1;
  fill_piece(submodel.pieces, 1, lower, upper, degrees, 0.0);
  if (ppi_models_append(models, &submodel, NULL))
    abort();
}

static inline void fill_machine(struct perfpred_models *models) {
  struct ppi_machine *machine = &models->machine;
  struct ppi_setup *setup = models->setups;

  strcpy(machine->cpu, "A \"quoted\" CPU \xc3\xa4");
  strcpy(machine->instruction_set, "avx2");
  machine->cores = 2;
  machine->processing_units = 4;
  machine->cache_count = 1;
  machine->caches[0] = (struct ppi_cache){ 1, 49152, 64, 2, "synthetic" };
  machine->peak_flops_per_s[0] = 1.6e11;
  machine->peak_flops_per_s[1] = 8e10;
  machine->bandwidth_bytes_per_s = 1.25e10;
  machine->counters_available = -1;
  strcpy(setup->blas.path, "/usr/lib/libblas.so.3");
  strcpy(setup->blas.family, "virtual");
  strcpy(setup->lapack.family, "virtual");
  setup->threads = 1;
  strcpy(setup->clock, "virtual");
  strcpy(setup->library, "0.1.0");
  setup->protocol = PPI_PROTOCOL;
}

static inline struct perfpred_models *sample_models(const struct world *world) {
  struct perfpred_generate_options options = PERFPRED_GENERATE_OPTIONS_INIT;
  struct perfpred_models *models = NULL;

  if (ppi_models_create(&models, NULL))
    abort();
  options.n_lower = options.b_lower = 8;
  options.n_upper = 1024;
  options.b_upper = 256;
  options.oversampling = 4;
  options.repetitions = 10;
  options.error_bound = 0.01;
  options.seed = UINT64_MAX;
  options.generator = PERFPRED_GENERATOR_PUBLISHED;
  options.overfitting = -1;
  options.gate = 0.05;
  options.error_measure = PERFPRED_ERROR_PERCENTILE_90;
  models->options = options;
  strcpy(models->created, "2024-02-29T12:34:56Z");
  fill_machine(models);
  add_trsm(models, world);
  add_potrf2(models, world);
  return models;
}

#endif
