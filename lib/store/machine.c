/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>

#include "store/parts.h"
#include "store/store.h"

#define RATE_MAX 1e21 /* per second */

static void put_cache(struct ppi_json_out *out, const struct ppi_cache *cache) {
  struct ppi_json_out object;

  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "level", cache->level);
  ppi_json_put_integer(&object, "bytes", cache->bytes);
  ppi_json_put_integer(&object, "line_bytes", cache->line_bytes);
  ppi_json_put_integer(&object, "shared_by", cache->shared_by);
  ppi_json_put_string(&object, "source", cache->source);
  ppi_json_append(out, "caches", &object);
}

void ppi_store_put_levels(struct ppi_json_out *out, const struct ppi_effective *levels, int count) {
  ppi_json_put_empty_list(out, "levels");
  for (int i = 0; i < count; i++) {
    struct ppi_json_out object;

    ppi_json_begin(&object);
    ppi_json_put_integer(&object, "bytes", levels[i].bytes);
    ppi_json_put_real(&object, "latency_s", levels[i].latency_s);
    ppi_json_put_real(&object, "bandwidth_bytes_per_s", levels[i].bandwidth_bytes_per_s);
    ppi_json_append(out, "levels", &object);
  }
}

static void put_blending(struct ppi_json_out *out, const struct ppi_blending *blending) {
  const size_t count = (size_t)blending->level_count;
  struct ppi_json_out object;

  ppi_json_begin(&object);
  ppi_json_put_integers(&object, "level_bytes", blending->level_bytes, count);
  ppi_json_put_real(&object, "alpha", blending->alpha);
  ppi_json_put_real(&object, "beta", blending->beta);
  ppi_json_put_reals(&object, "weights", blending->weights, count + 1);
  if (blending->warm_kernels[0] != '\0')
    ppi_json_put_string(&object, "warm_kernels", blending->warm_kernels);
  ppi_json_put_object(out, "blending", &object);
}

void ppi_store_put_machine(struct ppi_json_out *out, const struct ppi_machine *machine) {
  ppi_json_put_string(out, "cpu", machine->cpu);
  ppi_json_put_string(out, "instruction_set", machine->instruction_set);
  ppi_json_put_integer(out, "cores", machine->cores);
  ppi_json_put_integer(out, "processing_units", machine->processing_units);
  ppi_json_put_empty_list(out, "caches");
  for (int i = 0; i < machine->cache_count; i++)
    put_cache(out, machine->caches + i);
  ppi_json_put_real(out, "peak_flops_per_s", machine->peak_flops_per_s[1]);
  ppi_json_put_real(out, "peak_flops_per_s_single", machine->peak_flops_per_s[0]);
  ppi_json_put_real(out, "bandwidth_bytes_per_s", machine->bandwidth_bytes_per_s);
  if (machine->counters_available < 0)
    ppi_json_put_null(out, "counters_available");
  else
    ppi_json_put_integer(out, "counters_available", machine->counters_available);
  ppi_json_put_real(out, "tsc_hz", machine->tsc_hz);
  if (machine->effective_count > 0)
    ppi_store_put_levels(out, machine->effective, machine->effective_count);
  if (machine->blending.level_count > 0)
    put_blending(out, &machine->blending);
  if (machine->interruptions.each_s > 0.0) {
    ppi_json_put_real(out, "interruption_s", machine->interruptions.each_s);
    ppi_json_put_real(out, "interruption_period_s", machine->interruptions.period_s);
  }
}

void ppi_store_put_library(struct ppi_json_out *out, const char *key, const struct ppi_library *library) {
  struct ppi_json_out object;

  ppi_json_begin(&object);
  ppi_json_put_string(&object, "family", library->family);
  ppi_json_put_string(&object, "path", library->path);
  ppi_json_put_string(&object, "version", library->version);
  ppi_json_put_string(&object, "build_id", library->build_id);
  ppi_json_put_string(&object, "kernels", library->kernels);
  ppi_json_put_object(out, key, &object);
}

void ppi_store_put_setup(struct ppi_json_out *out, const struct ppi_setup *setup) {
  ppi_store_put_library(out, "blas", &setup->blas);
  ppi_store_put_library(out, "lapack", &setup->lapack);
  ppi_json_put_integer(out, "threads", setup->threads);
  ppi_json_put_bool(out, "ilp64", setup->ilp64);
  ppi_json_put_string(out, "clock", setup->clock);
  ppi_json_put_real(out, "yardstick_s", setup->yardstick_s);
  ppi_json_put_string(out, "library", setup->library);
  ppi_json_put_integer(out, "protocol", setup->protocol);
}

/* The names are separated by blanks; each has more than 8 characters. */
static void put_names(struct ppi_json_out *out, const char *names) {
  enum { MOST = sizeof((struct ppi_machine *)0)->counters_names / 8 };
  char text[sizeof((struct ppi_machine *)0)->counters_names], *state = NULL;
  const char *list[MOST];
  size_t count = 0;

  strcpy(text, names);
  for (char *name = strtok_r(text, " ", &state); name && count < MOST; name = strtok_r(NULL, " ", &state))
    list[count++] = name;
  if (count > 0)
    ppi_json_put_strings(out, "names", list, count);
  else
    ppi_json_put_empty_list(out, "names");
}

/* Says more than a model file needs to know. */
static void put_counters(struct ppi_json_out *out, const struct ppi_machine *machine) {
  struct ppi_json_out object;

  ppi_json_begin(&object);
  ppi_json_put_bool(&object, "available", machine->counters_names[0] != '\0');
  ppi_json_put_integer(&object, "hardware", machine->counters_hardware);
  put_names(&object, machine->counters_names);
  ppi_json_put_string(&object, "note", machine->counters_note);
  ppi_json_put_object(out, "counters", &object);
}

static void put_pinned(struct ppi_json_out *out, const struct ppi_setup *setup) {
  if (setup->pinned < 0 || setup->cpus[0] == '\0')
    ppi_json_put_null(out, "cpu_pinned");
  else
    ppi_json_put_integer(out, "cpu_pinned", setup->pinned);
}

enum perfpred_status ppi_store_machine(const struct ppi_machine *machine, const struct ppi_setup *setup, char **json,
                                       struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct ppi_json_out out;
  char *taken;

  ppi_json_begin(&out);
  ppi_store_put_machine(&out, machine);
  put_counters(&out, machine);
  if (setup) {
    ppi_store_put_setup(&out, setup);
    ppi_json_put_string(&out, "threads_note", setup->note);
    ppi_json_put_string(&out, "cpus_allowed", setup->cpus);
    put_pinned(&out, setup);
  } else
    ppi_json_put_null(&out, "blas");
  ppi_json_end(&out, &text);
  taken = ppi_text_take(&text);
  if (!taken)
    return ppi_error_memory(error);
  *json = taken;
  return PERFPRED_OK;
}

static enum perfpred_status get_caches(const struct ppi_json_node *node, struct ppi_machine *machine) {
  struct ppi_json_node list, item;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(node, "caches", 0, PPI_CACHE_MAX, &list, &count);

  machine->cache_count = (int)count;
  for (size_t i = 0; !status && i < count; i++) {
    struct ppi_cache *cache = machine->caches + i;

    status = ppi_json_item(&list, i, &item);
    if (!status)
      status = ppi_json_int(&item, "level", 0, 16, &cache->level);
    if (!status)
      status = ppi_json_integer(&item, "bytes", 0, PPI_JSON_INTEGER_MAX, &cache->bytes);
    if (!status)
      status = ppi_json_integer(&item, "line_bytes", 0, 1 << 20, &cache->line_bytes);
    if (!status)
      status = ppi_json_int(&item, "shared_by", 0, INT_MAX, &cache->shared_by);
    if (!status)
      status = ppi_json_string(&item, "source", cache->source, sizeof cache->source);
  }
  return status;
}

enum perfpred_status ppi_store_get_levels(const struct ppi_json_node *node, size_t least,
                                          struct ppi_effective levels[PPI_CACHE_MAX], int *count) {
  struct ppi_json_node list, item;
  size_t found = 0;
  enum perfpred_status status = ppi_json_list(node, "levels", least, PPI_CACHE_MAX, &list, &found);

  for (size_t i = 0; !status && i < found; i++) {
    const bool last = i + 1 == found;

    status = ppi_json_item(&list, i, &item);
    if (!status)
      status = ppi_json_integer(&item, "bytes",
                                last    ? 0
                                : i > 0 ? levels[i - 1].bytes + 1
                                        : 1,
                                last ? 0 : PPI_JSON_INTEGER_MAX, &levels[i].bytes);
    if (!status)
      status = ppi_json_real(&item, "latency_s", 0.0, 1.0, false, &levels[i].latency_s);
    if (!status)
      status = ppi_json_real(&item, "bandwidth_bytes_per_s", 0.0, RATE_MAX, false, &levels[i].bandwidth_bytes_per_s);
  }
  *count = (int)found;
  return status;
}

/* Files have them only since states of the caches are modelled. */
static enum perfpred_status get_levels(const struct ppi_json_node *node, struct ppi_machine *machine) {
  machine->effective_count = 0;
  return ppi_json_has(node, "levels") ? ppi_store_get_levels(node, 1, machine->effective, &machine->effective_count)
                                      : PERFPRED_OK;
}

/* Files have them only where some kernels stay warm. */
static enum perfpred_status get_warm_kernels(const struct ppi_json_node *node, struct ppi_blending *blending) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,";
  enum perfpred_status status = PERFPRED_OK;

  blending->warm_kernels[0] = '\0';
  if (ppi_json_has(node, "warm_kernels"))
    status = ppi_json_string(node, "warm_kernels", blending->warm_kernels, sizeof blending->warm_kernels);
  if (!status && strspn(blending->warm_kernels, letters) != strlen(blending->warm_kernels))
    status = ppi_json_fail(node, "warm_kernels", PERFPRED_CORRUPT, "expected names of kernels with commas");
  return status;
}

static enum perfpred_status get_blending(const struct ppi_json_node *machine, struct ppi_blending *blending) {
  const double least = 1e-3, most = 1e3;
  struct ppi_json_node node, list;
  size_t count = 0;
  enum perfpred_status status;

  blending->level_count = 0;
  if (!ppi_json_has(machine, "blending"))
    return PERFPRED_OK;
  status = ppi_json_object(machine, "blending", &node);
  if (!status)
    status = ppi_json_list(&node, "level_bytes", 1, PPI_BLENDING_LEVELS, &list, &count);
  if (!status)
    status = ppi_json_integers(&node, "level_bytes", count, 64, PPI_JSON_INTEGER_MAX, blending->level_bytes);
  for (size_t i = 1; !status && i < count; i++)
    if (blending->level_bytes[i] <= blending->level_bytes[i - 1])
      status = ppi_json_fail(&node, "level_bytes", PERFPRED_CORRUPT, "expected rising sizes");
  if (!status)
    status = ppi_json_real(&node, "alpha", least, most, false, &blending->alpha);
  if (!status)
    status = ppi_json_real(&node, "beta", least, most, false, &blending->beta);
  if (!status)
    status = ppi_json_reals(&node, "weights", count + 1, least, most, blending->weights);
  if (!status)
    status = get_warm_kernels(&node, blending);
  blending->level_count = (int)count;
  return status;
}

static enum perfpred_status get_rates(const struct ppi_json_node *node, struct ppi_machine *machine) {
  enum perfpred_status status =
      ppi_json_real(node, "peak_flops_per_s", 0.0, RATE_MAX, false, &machine->peak_flops_per_s[1]);
  double counters = -1.0;

  if (!status)
    status = ppi_json_real(node, "peak_flops_per_s_single", 0.0, RATE_MAX, false, &machine->peak_flops_per_s[0]);
  if (!status)
    status = ppi_json_real(node, "bandwidth_bytes_per_s", 0.0, RATE_MAX, false, &machine->bandwidth_bytes_per_s);
  if (!status)
    status = ppi_json_real(node, "tsc_hz", 0.0, RATE_MAX, false, &machine->tsc_hz);
  if (!status)
    status = ppi_json_real(node, "counters_available", 0.0, 1e6, true, &counters);
  machine->counters_available = counters >= 0.0 ? (int)counters : -1; /* null reads as NaN */
  return status;
}

/* Files have them only since they are looked for, and where there are any. */
static enum perfpred_status get_interruptions(const struct ppi_json_node *node,
                                              struct ppi_interruptions *interruptions) {
  enum perfpred_status status = PERFPRED_OK;

  *interruptions = (struct ppi_interruptions){ 0.0, 0.0 };
  if (!ppi_json_has(node, "interruption_s"))
    return PERFPRED_OK;
  status = ppi_json_real(node, "interruption_s", 1e-9, 1.0, false, &interruptions->each_s);
  return status ? status : ppi_json_real(node, "interruption_period_s", 1e-9, 1.0, false, &interruptions->period_s);
}

enum perfpred_status ppi_store_get_machine(const struct ppi_json_node *root, struct ppi_machine *machine) {
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_object(root, "machine", &node);

  if (!status)
    status = ppi_json_string(&node, "cpu", machine->cpu, sizeof machine->cpu);
  if (!status)
    status = ppi_json_string(&node, "instruction_set", machine->instruction_set, sizeof machine->instruction_set);
  if (!status)
    status = ppi_json_int(&node, "cores", 0, INT_MAX, &machine->cores);
  if (!status)
    status = ppi_json_int(&node, "processing_units", 0, INT_MAX, &machine->processing_units);
  if (!status)
    status = get_caches(&node, machine);
  if (!status)
    status = get_levels(&node, machine);
  if (!status)
    status = get_blending(&node, &machine->blending);
  if (!status)
    status = get_interruptions(&node, &machine->interruptions);
  return status ? status : get_rates(&node, machine);
}

static enum perfpred_status get_library(const struct ppi_json_node *setup, const char *key,
                                        struct ppi_library *library) {
  struct ppi_json_node node;
  enum perfpred_status status = ppi_json_object(setup, key, &node);

  if (!status)
    status = ppi_json_string(&node, "family", library->family, sizeof library->family);
  if (!status)
    status = ppi_json_string(&node, "path", library->path, sizeof library->path);
  if (!status)
    status = ppi_json_string(&node, "version", library->version, sizeof library->version);
  if (!status)
    status = ppi_json_string(&node, "build_id", library->build_id, sizeof library->build_id);
  if (!status)
    status = ppi_json_string(&node, "kernels", library->kernels, sizeof library->kernels);
  return status;
}

enum perfpred_status ppi_store_get_setup(const struct ppi_json_node *node, struct ppi_setup *setup) {
  enum perfpred_status status = get_library(node, "blas", &setup->blas);

  if (!status)
    status = get_library(node, "lapack", &setup->lapack);
  if (!status)
    status = ppi_json_int(node, "threads", 0, INT_MAX, &setup->threads);
  if (!status)
    status = ppi_json_bool(node, "ilp64", &setup->ilp64);
  if (!status)
    status = ppi_json_string(node, "clock", setup->clock, sizeof setup->clock);
  if (!status)
    status = ppi_json_real(node, "yardstick_s", 0.0, 1e6, false, &setup->yardstick_s);
  if (!status)
    status = ppi_json_string(node, "library", setup->library, sizeof setup->library);
  if (!status)
    status = ppi_json_int(node, "protocol", 0, INT_MAX, &setup->protocol);
  return status;
}
