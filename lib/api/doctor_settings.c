/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that a BLAS can be made to use by its variable, side by side: each setting has a worker of its own, for those whose instructions this
   CPU lacks end theirs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/doctor_measure.h"

#define SMALL 256  /* order at which settings are looked through */
#define ORDER 1000 /* at which the better ones are compared */
#define ROUNDS 3   /* of which the best counts */
#define WORTH 0.6  /* of the best one, at the small order, to be compared */
#define SETTINGS_MAX 40
#define COMPARING 0.5 /* of the time is kept for comparing */
#define LOOK 0.03     /* of what is left for one look */
#define GAIN_NOTED 1.03
#define GAIN_WARNED 1.1

struct setting {
  char entry[64]; /* "NAME=value"; "": as it is */
  char kernels[PPI_TEXT_MAX];
  struct perfpred_sampler *sampler; /* NULL: ended */
  double small, flops_per_s;        /* 0: not measured */
  const char *state;                /* "measured", "slower", "same", "refused", "crashed", "left out" */
  char reason[160];
};

struct settings {
  struct ppi_doctor *doctor;
  struct setting *items; /* the first one is what it is now */
  size_t count;
};

/* Those that are likely to be the best ones first: there may be no time for all. BLIS 0.9 counts its types: 0 skx, 3 haswell, ... */
static const char *const blis_types[] = {
#if defined(__x86_64__)
  "0", "3", "6", "7", "8", "4", "5", "1", "9", "10", "11", "12",
#elif defined(__aarch64__)
  "13", "14", "15", "16", "17", "18", "19", "20",
#endif
  NULL
};
static const char *const openblas_types[] = {
#if defined(__x86_64__)
  "SkylakeX", "Haswell",   "Zen",       "Cooperlake", "Sapphirerapids", "Sandybridge", "Nehalem",
  "Prescott", "Barcelona", "Bulldozer", "Piledriver", "Steamroller",    "Excavator",
#elif defined(__aarch64__)
  "NEOVERSEN1", "NEOVERSEV1", "NEOVERSEN2", "ARMV8", "CORTEXA72", "CORTEXA57", "CORTEXA53", "THUNDERX2T99", "A64FX",
#endif
  NULL
};

static void stop(struct setting *setting, const char *state) {
  perfpred_sampler_destroy(setting->sampler);
  setting->sampler = NULL;
  setting->state = state;
}

static bool is_known(const struct settings *settings, const char *kernels) {
  for (size_t i = 0; i < settings->count; i++)
    if (settings->items[i].kernels[0] && strcmp(settings->items[i].kernels, kernels) == 0)
      return true;
  return false;
}

/* A build without these kernels ends itself; so does a CPU without their instructions. */
static void note_failure(struct setting *setting, const struct perfpred_error *fault) {
  bool lacks = strstr(fault->text, "SIGILL") != NULL;
  stop(setting, lacks || strstr(fault->text, "SIGSEGV") ? "crashed" : "refused");
  snprintf(setting->reason, sizeof setting->reason, "%.*s", (int)sizeof setting->reason - 1,
           lacks ? "this CPU lacks an instruction that they use" : fault->text);
}

static enum perfpred_status try_setting(struct settings *settings, const char *variable, const char *value) {
  struct ppi_doctor *doctor = settings->doctor;
  struct setting *setting = &settings->items[settings->count];
  struct ppi_machine *machine = calloc(1, sizeof *machine);
  struct ppi_setup *told = calloc(1, sizeof *told);
  struct perfpred_error fault;
  ppi_error_clear(&fault);
  enum perfpred_status status = machine && told ? PERFPRED_OK : PERFPRED_NO_MEMORY;
  snprintf(setting->entry, sizeof setting->entry, "%s=%s", variable, value);
  if (status == PERFPRED_OK)
    status = ppi_doctor_start(doctor, (const char *const[]){ setting->entry, NULL }, &setting->sampler, &fault);
  if (status == PERFPRED_OK) {
    ppi_error_clear(&fault);
    status = setting->sampler->ops->describe(setting->sampler, 0.0, machine, told, &fault);
  }
  if (status == PERFPRED_OK && is_known(settings, told->blas.kernels))
    stop(setting, "same");
  else if (status == PERFPRED_OK)
    snprintf(setting->kernels, sizeof setting->kernels, "%s", told->blas.kernels);
  else if (status != PERFPRED_NO_MEMORY)
    note_failure(setting, &fault);
  settings->count++;
  free(told);
  free(machine);
  return status == PERFPRED_NO_MEMORY ? ppi_error_memory(doctor->error) : PERFPRED_OK;
}

static enum perfpred_status measure(struct settings *settings, size_t place, int64_t n, double share, double *best) {
  struct setting *setting = &settings->items[place];
  struct perfpred_sampler *sampler = place == 0 ? settings->doctor->sampler : setting->sampler;
  double limit_s = share * ppi_doctor_left_s(settings->doctor), flops_per_s = 0.0;
  struct perfpred_error fault;
  ppi_error_clear(&fault);
  if (limit_s <= 0.0)
    return PERFPRED_OK;
  enum perfpred_status status = ppi_doctor_dgemm(settings->doctor, sampler, n, limit_s, &flops_per_s, &fault);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(settings->doctor->error);
  if (status != PERFPRED_OK)
    note_failure(setting, &fault);
  else
    *best = fmax(*best, flops_per_s);
  return PERFPRED_OK;
}

static bool is_alive(const struct settings *settings, size_t place) {
  return place == 0 || settings->items[place].sampler;
}

static size_t count_alive(const struct settings *settings) {
  size_t count = 0;
  for (size_t i = 0; i < settings->count; i++)
    count += is_alive(settings, i);
  return count;
}

/* Most are left behind at the small order. */
static void leave_behind(struct settings *settings) {
  double best = 0.0;
  for (size_t i = 0; i < settings->count; i++)
    best = fmax(best, settings->items[i].small);
  for (size_t i = 1; i < settings->count; i++)
    if (settings->items[i].sampler && settings->items[i].small < WORTH * best)
      stop(&settings->items[i], settings->items[i].small > 0.0 ? "slower" : "left out");
}

/* In rounds, so that a disturbance meets all of them. */
static enum perfpred_status compare(struct settings *settings) {
  enum perfpred_status status = PERFPRED_OK;
  size_t left = ROUNDS * count_alive(settings);
  for (int round = 0; round < ROUNDS && status == PERFPRED_OK; round++)
    for (size_t i = 0; i < settings->count && status == PERFPRED_OK; i++) {
      if (!is_alive(settings, i))
        continue;
      status = measure(settings, i, ORDER, 0.9 / (double)left, &settings->items[i].flops_per_s);
      left -= left > 1;
    }
  return status;
}

/* --- The report ------------------------------------------------------------------------------------------------------------- */

static void put_setting(struct ppi_json_out *out, const struct setting *setting) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "setting", setting->entry);
  ppi_json_put_string(&object, "kernels", setting->kernels);
  ppi_json_put_string(&object, "state", setting->flops_per_s > 0.0 ? "measured" : setting->state);
  ppi_json_put_real(&object, "flops_per_s", setting->flops_per_s > 0.0 ? setting->flops_per_s : (double)NAN);
  ppi_json_put_real(&object, "flops_per_s_small", setting->small > 0.0 ? setting->small : (double)NAN);
  ppi_json_put_string(&object, "reason", setting->reason);
  ppi_json_append(out, "settings", &object);
}

static const struct setting *best_of(const struct settings *settings) {
  const struct setting *best = &settings->items[0];
  for (size_t i = 1; i < settings->count; i++)
    if (settings->items[i].flops_per_s > best->flops_per_s)
      best = &settings->items[i];
  return best;
}

static void describe(struct ppi_finding *finding, const struct setting *now, const struct setting *best) {
  if (best == now)
    ppi_finding_text(finding, "detail", "dgemm of order %d: %.3g Gflop/s as it is (%s)", ORDER, 1e-9 * now->flops_per_s,
                     now->kernels);
  else
    ppi_finding_text(finding, "detail", "dgemm of order %d: %.3g Gflop/s as it is (%s), %.3g with %s (%s)", ORDER,
                     1e-9 * now->flops_per_s, now->kernels, 1e-9 * best->flops_per_s, best->entry, best->kernels);
}

static void tell(struct settings *settings) {
  const struct setting *now = &settings->items[0], *best = best_of(settings);
  struct ppi_finding finding;
  double gain = now->flops_per_s > 0.0 ? best->flops_per_s / now->flops_per_s : (double)NAN;
  bool better = gain >= GAIN_NOTED, unknown = !isfinite(gain);
  enum ppi_severity severity = gain >= GAIN_WARNED ? PPI_SEVERITY_WARNING
                               : better || unknown ? PPI_SEVERITY_NOTE
                                                   : PPI_SEVERITY_OK;
  ppi_finding_begin(&finding, "settings", severity,
                    better    ? "Another setting is faster"
                    : unknown ? "There was no time to compare settings"
                              : "No setting is faster");
  describe(&finding, now, best);
  if (better)
    ppi_finding_text(&finding, "advice", "export %s; perfpred measures with it by --env %s", best->entry, best->entry);
  else if (unknown)
    ppi_finding_text(&finding, "advice", "a larger --budget");
  ppi_json_put_integer(&finding.out, "n", ORDER);
  ppi_json_put_integer(&finding.out, "n_small", SMALL);
  ppi_json_put_string(&finding.out, "best", better ? best->entry : "");
  ppi_json_put_real(&finding.out, "gain", gain);
  ppi_json_put_empty_list(&finding.out, "settings");
  for (size_t i = 0; i < settings->count; i++)
    put_setting(&finding.out, &settings->items[i]);
  ppi_finding_end(&finding, settings->doctor);
}

/* Starting workers must not use up the time for comparing them. */
static enum perfpred_status try_all(struct settings *settings, const char *variable, const char *const *values) {
  double least_s = COMPARING * ppi_doctor_left_s(settings->doctor);
  enum perfpred_status status = measure(settings, 0, SMALL, LOOK, &settings->items[0].small);
  for (; *values && status == PERFPRED_OK && settings->count < SETTINGS_MAX; values++) {
    size_t place = settings->count;
    status = ppi_doctor_progress(settings->doctor, "settings", 0.3);
    if (status != PERFPRED_OK || ppi_doctor_left_s(settings->doctor) <= least_s)
      break;
    status = try_setting(settings, variable, *values);
    if (status == PERFPRED_OK && settings->items[place].sampler)
      status = measure(settings, place, SMALL, LOOK, &settings->items[place].small);
  }
  leave_behind(settings);
  if (status == PERFPRED_OK)
    status = ppi_doctor_progress(settings->doctor, "settings", 0.6);
  return status == PERFPRED_OK ? compare(settings) : status;
}

enum perfpred_status ppi_doctor_settings(struct ppi_doctor *doctor) {
  const char *family = doctor->told.blas.family;
  bool blis = strcmp(family, "blis") == 0;
  struct settings settings = { doctor, NULL, 1 };
  if (!blis && strcmp(family, "openblas") != 0)
    return PERFPRED_OK;
  settings.items = calloc(SETTINGS_MAX, sizeof *settings.items);
  if (!settings.items)
    return ppi_error_memory(doctor->error);
  snprintf(settings.items[0].kernels, sizeof settings.items[0].kernels, "%s", doctor->told.blas.kernels);
  settings.items[0].state = "left out";
  for (size_t i = 1; i < SETTINGS_MAX; i++)
    settings.items[i].state = "left out";
  enum perfpred_status status =
      try_all(&settings, blis ? "BLIS_ARCH_TYPE" : "OPENBLAS_CORETYPE", blis ? blis_types : openblas_types);
  if (status == PERFPRED_OK)
    tell(&settings);
  for (size_t i = 1; i < settings.count; i++)
    perfpred_sampler_destroy(settings.items[i].sampler);
  free(settings.items);
  return status;
}
