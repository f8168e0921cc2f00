/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining models: copies of what both have, under the setups of the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/samples.h"

struct merging {
  const struct perfpred_models *base, *added;
  int *places; /* of each of added's setups among the merged ones */
  bool refuse;
  struct perfpred_models *merged;
  struct perfpred_error *error;
};

static enum perfpred_status copy_pieces(const struct ppi_submodel *from, struct ppi_submodel *to,
                                        struct perfpred_error *error) {
  to->piece_count = 0;
  to->pieces = calloc((size_t)from->piece_count + 1, sizeof *to->pieces);
  if (!to->pieces)
    return ppi_error_memory(error);
  for (int i = 0; i < from->piece_count; i++) {
    size_t bytes = PPI_STATISTICS * (size_t)from->pieces[i].count * sizeof(double);

    to->pieces[i] = from->pieces[i];
    to->pieces[i].coefficients = malloc(bytes);
    to->piece_count++;
    if (!to->pieces[i].coefficients)
      return ppi_error_memory(error);
    memcpy(to->pieces[i].coefficients, from->pieces[i].coefficients, bytes);
  }
  return PERFPRED_OK;
}

static enum perfpred_status copy_submodel(const struct merging *merging, const struct ppi_submodel *from, int setup) {
  struct ppi_submodel to = *from;
  size_t bytes = (size_t)from->split_count * sizeof *from->splits;
  enum perfpred_status status;

  to.kernel = ppi_kernel_ref(from->kernel);
  to.setup = setup;
  to.packed = NULL;
  to.pieces = NULL;
  to.piece_count = 0;
  to.anchors = NULL;
  to.anchor_count = 0;
  to.splits = malloc(bytes);
  to.basis = from->basis ? malloc(sizeof *to.basis) : NULL;
  status = to.splits && (to.basis || !from->basis) ? copy_pieces(from, &to, merging->error)
                                                   : ppi_error_memory(merging->error);
  if (!status)
    status = ppi_submodel_take_anchors(&to, from, merging->error);
  if (status) {
    ppi_submodel_release(&to);
    return status;
  }
  memcpy(to.splits, from->splits, bytes);
  if (from->basis)
    *to.basis = *from->basis;
  return ppi_models_append(merging->merged, &to, merging->error);
}

static bool same_place(const struct ppi_submodel *a, const struct ppi_submodel *b) {
  if (a->dimensions != b->dimensions || strcmp(a->context, b->context) != 0)
    return false;
  for (int d = 0; d < a->dimensions; d++)
    if (a->lower[d] != b->lower[d] || a->upper[d] != b->upper[d])
      return false;
  return true;
}

/* Whether what is added has a sub-model of the same kernel, case, context, setup and domain. */
static enum perfpred_status find_twin(const struct merging *merging, const struct ppi_submodel *submodel, bool *twin) {
  const struct perfpred_models *added = merging->added;
  int count = ppi_models_find(added, submodel->kernel->name, submodel->case_text, NULL, 0);
  int *places = calloc((size_t)count + 1, sizeof *places);

  if (!places)
    return ppi_error_memory(merging->error);
  ppi_models_find(added, submodel->kernel->name, submodel->case_text, places, count);
  *twin = false;
  for (int i = 0; i < count; i++) {
    const struct ppi_submodel *other = added->submodels + places[i];

    *twin = *twin || (merging->places[other->setup] == submodel->setup && same_place(submodel, other));
  }
  free(places);
  return PERFPRED_OK;
}

static enum perfpred_status take_submodels(const struct merging *merging) {
  enum perfpred_status status = PERFPRED_OK;

  for (int i = 0; !status && i < merging->base->count; i++) {
    const struct ppi_submodel *submodel = merging->base->submodels + i;
    bool twin = false;

    status = find_twin(merging, submodel, &twin);
    if (!status && twin && merging->refuse)
      return ppi_error_set(merging->error, PERFPRED_EXISTS, "%s(%s): both have a model of this setup and domain",
                           submodel->kernel->name, submodel->case_text);
    if (!status && !twin)
      status = copy_submodel(merging, submodel, submodel->setup);
  }
  for (int i = 0; !status && i < merging->added->count; i++) {
    const struct ppi_submodel *submodel = merging->added->submodels + i;

    status = copy_submodel(merging, submodel, merging->places[submodel->setup]);
  }
  return status;
}

/* Of a call that both have, the set with more samples: it nearly always goes on where the other one ends. */
static bool is_better(const struct ppi_record *record, const struct ppi_samples *samples,
                      const struct ppi_samples *others) {
  const struct ppi_key key = ppi_record_key(record);
  size_t there = others ? ppi_samples_place_at(others, &key) : PPI_SAMPLES_NONE;
  const struct ppi_record *other = there == PPI_SAMPLES_NONE ? NULL : others->records[there];

  return !other || other->count < record->count || (other->count == record->count && samples < others);
}

static enum perfpred_status take_samples(const struct merging *merging, const struct ppi_samples *samples,
                                         const struct ppi_samples *others, int place) {
  struct ppi_samples **set = merging->merged->samples + place;
  enum perfpred_status status = PERFPRED_OK;

  if (!samples || samples->count == 0)
    return PERFPRED_OK;
  if (!*set)
    *set = calloc(1, sizeof **set);
  if (!*set)
    return ppi_error_memory(merging->error);
  for (size_t i = 0; !status && i < samples->count; i++) {
    if (is_better(samples->records[i], samples, others))
      status = ppi_samples_add_record(*set, samples->records[i], merging->error);
  }
  return status;
}

static enum perfpred_status take_all_samples(const struct merging *merging) {
  enum perfpred_status status = PERFPRED_OK;

  for (int i = 0; !status && i < merging->base->setup_count; i++) {
    const struct ppi_samples *others = NULL;

    for (int k = 0; k < merging->added->setup_count; k++)
      others = merging->places[k] == i ? merging->added->samples[k] : others;
    status = take_samples(merging, merging->base->samples[i], others, i);
  }
  for (int k = 0; !status && k < merging->added->setup_count; k++) {
    int place = merging->places[k];
    const struct ppi_samples *others = place < merging->base->setup_count ? merging->base->samples[place] : NULL;

    status = take_samples(merging, merging->added->samples[k], others, place);
  }
  return status;
}

/* The best readings of both. */
static void join_setup(struct ppi_setup *setup, const struct ppi_setup *other) {
  if (other->yardstick_s > 0.0 && (setup->yardstick_s <= 0.0 || other->yardstick_s < setup->yardstick_s))
    setup->yardstick_s = other->yardstick_s;
  memcpy(setup->library, other->library, sizeof setup->library);
}

static enum perfpred_status join_setups(const struct merging *merging) {
  struct perfpred_models *merged = merging->merged;
  enum perfpred_status status = PERFPRED_OK;
  int place = 0;

  merged->setups[0] = merging->base->setups[0];
  for (int i = 1; !status && i < merging->base->setup_count; i++)
    status = ppi_models_add_setup(merged, merging->base->setups + i, &place, merging->error);
  for (int k = 0; !status && k < merging->added->setup_count; k++) {
    const struct ppi_setup *setup = merging->added->setups + k;

    for (place = 0; place < merged->setup_count && !ppi_setup_same(merged->setups + place, setup);)
      place++;
    if (place < merged->setup_count)
      join_setup(merged->setups + place, setup);
    else
      status = ppi_models_add_setup(merged, setup, &place, merging->error);
    merging->places[k] = place;
  }
  return status;
}

static void join_heads(struct perfpred_models *merged, const struct perfpred_models *base,
                       const struct perfpred_models *added) {
  struct ppi_machine *machine = &merged->machine;

  *machine = base->machine;
  for (int i = 0; i < 2; i++)
    machine->peak_flops_per_s[i] = fmax(base->machine.peak_flops_per_s[i], added->machine.peak_flops_per_s[i]);
  if (added->machine.effective_count > 0) { /* the newest: they are what neighbours leave */
    machine->effective_count = added->machine.effective_count;
    memcpy(machine->effective, added->machine.effective, sizeof machine->effective);
  }
  if (added->machine.blending.level_count > 0)
    machine->blending = added->machine.blending;
  if (added->machine.interruptions.each_s > 0.0)
    machine->interruptions = added->machine.interruptions;
  machine->bandwidth_bytes_per_s = fmax(base->machine.bandwidth_bytes_per_s, added->machine.bandwidth_bytes_per_s);
  memcpy(merged->created, added->created, sizeof merged->created);
  merged->options = added->options;
  merged->notes = base->notes | added->notes;
  merged->marks = base->marks;
  ppi_marks_join(&merged->marks, &added->marks);
}

static enum perfpred_status merge(struct merging *merging) {
  enum perfpred_status status = ppi_models_create(&merging->merged, merging->error);

  if (status)
    return status;
  join_heads(merging->merged, merging->base, merging->added);
  merging->places = calloc((size_t)merging->added->setup_count, sizeof *merging->places);
  if (!merging->places)
    return ppi_error_memory(merging->error);
  status = join_setups(merging);
  if (!status)
    status = take_submodels(merging);
  return status ? status : take_all_samples(merging);
}

enum perfpred_status perfpred_models_merge(const struct perfpred_models *base, const struct perfpred_models *added,
                                           const struct perfpred_merge_options *options,
                                           struct perfpred_models **merged, struct perfpred_error *error) {
  struct perfpred_error why;
  struct merging merging = { base, added, NULL, false, NULL, error };
  enum perfpred_status status;

  ppi_error_clear(error);
  ppi_error_clear(&why);
  if (!base || !added || !merged)
    return ppi_error_set(error, PERFPRED_INVALID, "%s: expected models, found NULL",
                         !base ? "base" : (!added ? "added" : "merged"));
  if (options && options->size < sizeof *options)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size: %zu: expected PERFPRED_MERGE_OPTIONS_INIT",
                         options->size);
  merging.refuse = options && options->refuse;
  status = ppi_machine_compare(&base->machine, &added->machine, &why);
  if (status)
    return ppi_error_set(error, status, "models of different machines cannot be joined: %s", why.text);
  status = merge(&merging);
  free(merging.places);
  if (status) {
    perfpred_models_unref(merging.merged);
    return status;
  }
  *merged = merging.merged;
  return PERFPRED_OK;
}

enum perfpred_status ppi_models_copy(const struct perfpred_models *models, struct perfpred_models **copy,
                                     struct perfpred_error *error) {
  struct perfpred_models *empty = NULL;
  enum perfpred_status status = ppi_models_create(&empty, error);

  if (status)
    return status;
  empty->machine = models->machine;
  empty->setups[0] = models->setups[0];
  empty->options = models->options;
  memcpy(empty->created, models->created, sizeof empty->created);
  status = perfpred_models_merge(models, empty, NULL, copy, error);
  perfpred_models_unref(empty);
  return status;
}
