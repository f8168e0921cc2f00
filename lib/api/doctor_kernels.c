/* SPDX-License-Identifier: BSD-3-Clause */
/* What the libraries make of this CPU, as a worker that has loaded them tells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/doctor_measure.h"
#include "base/context.h"
#include "base/stats.h"
#include "kernel/registry.h"

#define ORDER 1000
#define RUNS 5
#define RATES_SHARE 0.1 /* of the budget */
#define POOR 0.3        /* of the peak */
#define FAIR 0.6

double ppi_doctor_left_s(const struct ppi_doctor *doctor) {
  return fmax(0.0, doctor->options.budget_s - (ppi_doctor_now_s() - doctor->begin_s));
}

static size_t count_of(const char *const *entries) {
  size_t count = 0;
  while (entries[count])
    count++;
  return count;
}

/* The first of several entries of a name is the one that counts. */
enum perfpred_status ppi_doctor_start(const struct ppi_doctor *doctor, const char *const *more,
                                      struct perfpred_sampler **sampler, struct perfpred_error *error) {
  struct perfpred_setup setup = doctor->setup;
  size_t added = count_of(more), count = count_of(doctor->entries);
  const char **entries = calloc(added + count + 1, sizeof *entries);
  if (!entries)
    return ppi_error_memory(error);
  memcpy(entries, more, added * sizeof *entries);
  memcpy(entries + added, doctor->entries, count * sizeof *entries);
  setup.environment = entries;
  enum perfpred_status status = perfpred_sampler_create_worker(doctor->context, &setup, sampler, error);
  free(entries);
  return status;
}

enum perfpred_status ppi_doctor_dgemm(const struct ppi_doctor *doctor, struct perfpred_sampler *sampler, int64_t n,
                                      double limit_s, double *flops_per_s, struct perfpred_error *error) {
  const struct perfpred_kernel *dgemm;
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_result result = { 0 };
  enum perfpred_status status = ppi_kernels_require(doctor->context->kernels, "dgemm", &dgemm, error);
  if (status == PERFPRED_OK)
    status = ppi_case_parse(dgemm, "N,N,1,0", values, error);
  if (status != PERFPRED_OK)
    return status;
  for (int i = 0; i < dgemm->size_count; i++)
    values[dgemm->sizes[i]].i = n;
  const struct ppi_request request = { dgemm, values, ppi_leading_dimension(n) };
  const struct ppi_sampling sampling = { .repetitions = RUNS, .budget_s = fmax(limit_s, 1e-3), .seed = 1 };
  status = sampler->ops->sample(sampler, &request, 1, &sampling, &result, error);
  if (status != PERFPRED_OK)
    return status;
  double time_s = result.count > 0 ? ppi_stats_median(result.times_s, result.count) : 0.0;
  *flops_per_s = time_s > 0.0 ? ppi_kernel_flops(dgemm, values) / time_s : 0.0;
  ppi_results_free(&result, 1);
  return PERFPRED_OK;
}

/* --- Which kernels ------------------------------------------------------------------------------------------------------- */

/* Bits of the registers that a set of kernels uses, by its name in BLIS or OpenBLAS; 0: not known. */
static int bits_of(const char *kernels) {
  static const struct {
    const char *name;
    int bits;
  } sets[] = { { "generic", 64 },      { "penryn", 128 },     { "prescott", 128 },   { "core2", 128 },
               { "dunnington", 128 },  { "nehalem", 128 },    { "atom", 128 },       { "nano", 128 },
               { "athlon", 128 },      { "opteron", 128 },    { "barcelona", 128 },  { "bobcat", 128 },
               { "katmai", 128 },      { "coppermine", 128 }, { "northwood", 128 },  { "banias", 128 },
               { "sandybridge", 256 }, { "haswell", 256 },    { "zen", 256 },        { "zen2", 256 },
               { "zen3", 256 },        { "bulldozer", 256 },  { "piledriver", 256 }, { "steamroller", 256 },
               { "excavator", 256 },   { "skx", 512 },        { "knl", 512 },        { "zen4", 512 },
               { "zen5", 512 },        { "skylakex", 512 },   { "cooperlake", 512 }, { "sapphirerapids", 512 } };
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
    if (strcasecmp(sets[i].name, kernels) == 0)
      return sets[i].bits;
  return 0;
}

static int bits_of_cpu(const char *instructions) {
  return strcmp(instructions, "avx512") == 0 ? 512 : strcmp(instructions, "avx2") == 0 ? 256 : 128;
}

/* The variable that chose the kernels; NULL: none did. */
static const char *chosen_by(const struct ppi_doctor *doctor) {
  const char *family = doctor->told.blas.family;
  const char *setting = strcmp(family, "blis") == 0       ? "BLIS_ARCH_TYPE"
                        : strcmp(family, "openblas") == 0 ? "OPENBLAS_CORETYPE"
                                                          : NULL;
  return setting && ppi_doctor_variable(doctor, setting) ? setting : NULL;
}

static void describe_kernels(const struct ppi_doctor *doctor, struct ppi_finding *finding, const char *setting,
                             bool portable) {
  const struct ppi_library *blas = &doctor->told.blas;
  if (!blas->kernels[0])
    ppi_finding_text(finding, "detail", "%s does not tell which kernels it uses", blas->path);
  else
    ppi_finding_text(finding, "detail", "%s uses its kernels '%s'%s%s%s; this CPU (%s) has %s", blas->path,
                     blas->kernels, setting ? ", as chosen by " : "", setting ? setting : "",
                     portable ? ", which are portable C" : "", doctor->machine.cpu, doctor->machine.instruction_set);
}

static void tell_kernels(struct ppi_doctor *doctor) {
  const struct ppi_library *blas = &doctor->told.blas;
  const char *setting = chosen_by(doctor);
  int bits = bits_of(blas->kernels);
  bool narrow = bits > 0 && bits < bits_of_cpu(doctor->machine.instruction_set);
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "kernels", narrow ? PPI_SEVERITY_WARNING : PPI_SEVERITY_OK,
                    narrow ? "The BLAS does not use what this CPU has" : "Kernels of the BLAS");
  describe_kernels(doctor, &finding, setting, bits == 64);
  if (narrow)
    ppi_finding_text(&finding, "advice", "the finding 'settings' tells what others attain");
  ppi_json_put_string(&finding.out, "path", blas->path);
  ppi_json_put_string(&finding.out, "family", blas->family);
  ppi_json_put_string(&finding.out, "version", blas->version);
  ppi_json_put_string(&finding.out, "build_id", blas->build_id);
  ppi_json_put_string(&finding.out, "kernels", blas->kernels);
  ppi_json_put_string(&finding.out, "setting", setting ? setting : "");
  ppi_json_put_string(&finding.out, "cpu", doctor->machine.cpu);
  ppi_json_put_string(&finding.out, "instruction_set", doctor->machine.instruction_set);
  ppi_finding_end(&finding, doctor);
}

/* The catalogue's algorithms are those of reference LAPACK 3.11, call by call. */
static void tell_lapack_version(struct ppi_doctor *doctor) {
  const struct ppi_library *lapack = doctor->sampler  ? &doctor->told.lapack
                                     : doctor->lapack ? &doctor->lapack->file
                                                      : NULL;
  struct ppi_finding finding;
  if (!lapack || !doctor->lapack_known)
    return;
  bool reference = strcmp(lapack->family, "reference") == 0;
  bool same = reference && strncmp(lapack->version, "3.11", 4) == 0;
  ppi_finding_begin(&finding, "lapack-version", same ? PPI_SEVERITY_OK : PPI_SEVERITY_WARNING,
                    same        ? "LAPACK is the one that the catalogue describes"
                    : reference ? "LAPACK is of another version than the catalogue describes"
                                : "LAPACK is not the reference implementation");
  ppi_finding_text(&finding, "detail", "%s is %s %s; the algorithms dpotrf, dgetrf, ... are reference LAPACK 3.11's",
                   lapack->path, lapack->family,
                   lapack->version[0] ? lapack->version : "of a version that it does not tell");
  if (!same)
    ppi_finding_text(&finding, "advice",
                     reference
                         ? "predictions of dpotrf and the like may differ in single calls (doc/algorithms.md)"
                         : "predictions of dpotrf and the like are not of this library's routines, where it has its "
                           "own; kernels and the alternatives (chol-l-3, ...) are not concerned");
  ppi_json_put_string(&finding.out, "path", lapack->path);
  ppi_json_put_string(&finding.out, "family", lapack->family);
  ppi_json_put_string(&finding.out, "version", lapack->version);
  ppi_finding_end(&finding, doctor);
}

static void tell_counters(struct ppi_doctor *doctor) {
  const struct ppi_machine *machine = &doctor->machine;
  const bool some = machine->counters_available > 0;
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "counters", some ? PPI_SEVERITY_OK : PPI_SEVERITY_NOTE,
                    some ? "Counters of the processor" : "No events of the processor can be counted");
  if (some)
    ppi_finding_text(&finding, "detail", "%d events, on %d counters", machine->counters_available,
                     machine->counters_hardware);
  else
    ppi_finding_text(&finding, "detail", "%s", machine->counters_note);
  if (!some)
    ppi_finding_text(&finding, "advice", "times need none; a virtual machine has them where its host passes them on");
  ppi_json_put_integer(&finding.out, "available", some ? machine->counters_available : 0);
  ppi_json_put_integer(&finding.out, "hardware", machine->counters_hardware);
  ppi_finding_end(&finding, doctor);
}

/* --- What they attain ------------------------------------------------------------------------------------------------------ */

static enum perfpred_status tell_dgemm(struct ppi_doctor *doctor) {
  double flops_per_s = 0.0, peak = doctor->machine.peak_flops_per_s[1] * doctor->told.threads;
  struct perfpred_error fault;
  struct ppi_finding finding;
  ppi_error_clear(&fault);
  enum perfpred_status status =
      ppi_doctor_dgemm(doctor, doctor->sampler, ORDER, 0.2 * ppi_doctor_left_s(doctor), &flops_per_s, &fault);
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(doctor->error);
  if (status != PERFPRED_OK) {
    ppi_finding_begin(&finding, "dgemm", PPI_SEVERITY_PROBLEM, "dgemm fails");
    ppi_finding_text(&finding, "detail", "%s", fault.text);
    ppi_finding_end(&finding, doctor);
    return PERFPRED_OK;
  }
  double share = peak > 0.0 ? flops_per_s / peak : (double)NAN;
  ppi_finding_begin(&finding, "dgemm",
                    share < POOR   ? PPI_SEVERITY_WARNING
                    : share < FAIR ? PPI_SEVERITY_NOTE
                                   : PPI_SEVERITY_OK,
                    "What dgemm attains");
  ppi_finding_text(&finding, "detail", "%.3g Gflop/s for matrices of order %d on %d thread%s, %.0f %% of the peak",
                   1e-9 * flops_per_s, ORDER, doctor->told.threads, doctor->told.threads == 1 ? "" : "s",
                   100.0 * share);
  ppi_json_put_integer(&finding.out, "n", ORDER);
  ppi_json_put_integer(&finding.out, "threads", doctor->told.threads);
  ppi_json_put_real(&finding.out, "flops_per_s", flops_per_s);
  ppi_json_put_real(&finding.out, "peak_flops_per_s", peak > 0.0 ? peak : (double)NAN);
  ppi_json_put_real(&finding.out, "efficiency", share);
  ppi_finding_end(&finding, doctor);
  return PERFPRED_OK;
}

/* --- The worker ---------------------------------------------------------------------------------------------------------------- */

static void tell_worker(struct ppi_doctor *doctor, enum perfpred_status status, const struct perfpred_error *fault) {
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "worker", PPI_SEVERITY_PROBLEM, "The libraries cannot be tried out");
  ppi_finding_text(&finding, "detail", "%s", fault->text);
  if (status == PERFPRED_MISSING)
    ppi_finding_text(&finding, "advice", "install what is missing, or name it (--blas, --lapack, --worker)");
  ppi_json_put_string(&finding.out, "status", perfpred_status_name(status));
  ppi_finding_end(&finding, doctor);
}

static void tell_not_measured(struct ppi_doctor *doctor, const char *why) {
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "not-measured", PPI_SEVERITY_NOTE, "Nothing was measured");
  ppi_finding_text(&finding, "detail", "%s", why);
  ppi_finding_end(&finding, doctor);
}

/* Of a program that has a BLAS alone, the LAPACK is that of the default setup. */
static enum perfpred_status start(struct ppi_doctor *doctor) {
  double rates_s = doctor->options.no_measure ? 0.0 : RATES_SHARE * doctor->options.budget_s;
  static const char *const nothing[] = { NULL };
  struct perfpred_error fault;
  ppi_error_clear(&fault);
  enum perfpred_status status = ppi_doctor_start(doctor, nothing, &doctor->sampler, &fault);
  if (status == PERFPRED_OK) {
    ppi_error_clear(&fault);
    status = doctor->sampler->ops->describe(doctor->sampler, rates_s, &doctor->machine, &doctor->told, &fault);
  }
  if (status == PERFPRED_OK)
    return status;
  perfpred_sampler_destroy(doctor->sampler);
  doctor->sampler = NULL;
  if (status == PERFPRED_NO_MEMORY)
    return ppi_error_memory(doctor->error);
  tell_worker(doctor, status, &fault);
  return PERFPRED_OK;
}

enum perfpred_status ppi_doctor_kernels(struct ppi_doctor *doctor) {
  enum perfpred_status status = ppi_doctor_progress(doctor, "kernels", 0.1);
  if (status == PERFPRED_OK && doctor->measurable)
    status = start(doctor);
  if (status != PERFPRED_OK)
    return status;
  tell_lapack_version(doctor);
  if (!doctor->sampler) {
    if (!doctor->measurable)
      tell_not_measured(doctor,
                        doctor->blas ? "the libraries lie in another tree of files" : "there is no BLAS to measure");
    return PERFPRED_OK;
  }
  tell_kernels(doctor);
  tell_counters(doctor);
  if (doctor->options.no_measure) {
    tell_not_measured(doctor, "as asked for");
    return PERFPRED_OK;
  }
  status = tell_dgemm(doctor);
  return status == PERFPRED_OK ? ppi_doctor_settings(doctor) : status;
}
