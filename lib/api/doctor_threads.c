/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that the BLAS would use beside what the process may use of the machine, and variables that have a say in it. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/doctor.h"

/* How many threads, and what says so; 0: not known. */
struct threads {
  int64_t count;
  const char *source;
};

/* A number above 0 that a variable starts with, as libraries read it; OMP_NUM_THREADS may be a list. 0: none. */
static int64_t number_in(const struct ppi_doctor *doctor, const char *name) {
  const char *text = ppi_doctor_variable(doctor, name);
  char *end;
  if (!text)
    return 0;
  long long value = strtoll(text, &end, 10);
  return end != text && value > 0 && value < INT32_MAX ? value : 0;
}

static struct threads first_of(const struct ppi_doctor *doctor, const char *const *names, int64_t otherwise,
                               const char *source) {
  for (; *names; names++) {
    int64_t count = number_in(doctor, *names);
    if (count > 0)
      return (struct threads){ count, *names };
  }
  return (struct threads){ otherwise, source };
}

/* The loops of BLIS have numbers of their own, which come first. */
static struct threads of_blis(const struct ppi_doctor *doctor) {
  static const char *const loops[] = { "BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT" };
  static const char *const names[] = { "BLIS_NUM_THREADS", "OMP_NUM_THREADS", NULL };
  int64_t product = 1;
  const char *source = NULL;
  for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
    int64_t count = number_in(doctor, loops[i]);
    if (count > 0 && product < INT32_MAX / count) {
      product *= count;
      source = source ? source : loops[i];
    }
  }
  return source ? (struct threads){ product, source } : first_of(doctor, names, 1, "BLIS's default");
}

/* Never more than there are processors. */
static struct threads of_openblas(const struct ppi_doctor *doctor, int cpus) {
  static const char *const names[] = { "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS", NULL };
  struct threads threads = first_of(doctor, names, cpus, "OpenBLAS's default");
  if (cpus > 0 && threads.count > cpus)
    threads.count = cpus;
  return threads;
}

static struct threads threads_of(const struct ppi_doctor *doctor, int cpus) {
  static const char *const mkl[] = { "MKL_NUM_THREADS", "OMP_NUM_THREADS", NULL };
  const struct ppi_provider *blas = doctor->blas;
  const char *family = blas->file.family, *threading = blas->threading;
  for (size_t i = 0; i < doctor->provider_count && !threading[0]; i++) /* that of what a wrapper wraps */
    if (strcmp(doctor->providers[i].file.family, family) == 0)
      threading = doctor->providers[i].threading;
  if (strcmp(threading, "serial") == 0)
    return (struct threads){ 1, "a build for one thread" };
  if (strcmp(family, "blis") == 0)
    return of_blis(doctor);
  if (strcmp(family, "openblas") == 0)
    return of_openblas(doctor, cpus);
  if (strcmp(family, "mkl") == 0)
    return first_of(doctor, mkl, cpus, "MKL's default");
  return (struct threads){ 0, "not known" };
}

static void put_limits(struct ppi_json_out *out, const struct threads *threads, const struct ppi_process *process) {
  if (threads->count > 0)
    ppi_json_put_integer(out, "threads", threads->count);
  else
    ppi_json_put_null(out, "threads");
  ppi_json_put_string(out, "threads_source", threads->source);
  ppi_json_put_string(out, "cpus_allowed", process->cpus);
  ppi_json_put_integer(out, "cpu_count", process->cpu_count);
  ppi_json_put_real(out, "quota_cpus", process->quota > 0.0 ? process->quota : (double)NAN);
}

static const char *advice_on_one(const struct ppi_doctor *doctor, const struct threads *threads) {
  if (strcmp(doctor->blas->file.family, "blis") == 0 && strcmp(threads->source, "BLIS's default") == 0)
    return "BLIS uses one thread unless told otherwise: BLIS_NUM_THREADS";
  return "another build or another number uses more of this machine, if that is wanted";
}

static void describe_threads(struct ppi_finding *finding, const struct threads *threads,
                             const struct ppi_process *process) {
  char count[40] = "a number of threads that is not known", quota[64] = "", cpus[PPI_TEXT_MAX + 4] = "";
  if (threads->count > 0)
    snprintf(count, sizeof count, "%lld thread%s", (long long)threads->count, threads->count == 1 ? "" : "s");
  if (process->quota > 0.0)
    snprintf(quota, sizeof quota, ", a control group allows the time of %.3g", process->quota);
  if (process->cpus[0])
    snprintf(cpus, sizeof cpus, " (%s)", process->cpus);
  ppi_finding_text(finding, "detail", "%s (%s); processors that may be used: %d%s%s", count, threads->source,
                   process->cpu_count, cpus, quota);
}

static void tell_threads(struct ppi_doctor *doctor) {
  const struct ppi_process *process = doctor->other ? doctor->other : &doctor->self;
  struct threads threads = threads_of(doctor, process->cpu_count);
  double most = process->cpu_count > 0 ? process->cpu_count : (double)INFINITY;
  most = process->quota > 0.0 ? fmin(most, process->quota) : most;
  bool many = (double)threads.count > ceil(most), few = threads.count == 1 && most >= 2.0;
  struct ppi_finding finding;
  ppi_finding_begin(&finding, "threads",
                    many  ? PPI_SEVERITY_WARNING
                    : few ? PPI_SEVERITY_NOTE
                          : PPI_SEVERITY_OK,
                    many  ? "More threads than processors"
                    : few ? "One thread"
                          : "Threads of the BLAS");
  describe_threads(&finding, &threads, process);
  if (many)
    ppi_finding_text(&finding, "advice", "threads wait for each other: set OMP_NUM_THREADS=%.0f",
                     fmax(1.0, floor(most)));
  else if (few)
    ppi_finding_text(&finding, "advice", "%s", advice_on_one(doctor, &threads));
  put_limits(&finding.out, &threads, process);
  ppi_finding_end(&finding, doctor);
}

/* --- The environment ---------------------------------------------------------------------------------------------------- */

/* Whom a variable is for: a family, or all of them ("") or the linker ("ld"). */
static const struct {
  const char *name, *family, *meaning;
} variables[] = {
  { "OMP_NUM_THREADS", "", "threads" },
  { "OMP_THREAD_LIMIT", "", "most threads" },
  { "OMP_DYNAMIC", "", "threads may be fewer" },
  { "OMP_PROC_BIND", "", "threads stay on their processors" },
  { "OMP_PLACES", "", "processors of the threads" },
  { "OMP_WAIT_POLICY", "", "whether idle threads spin" },
  { "GOMP_CPU_AFFINITY", "", "processors of the threads" },
  { "KMP_AFFINITY", "", "processors of the threads" },
  { "OPENBLAS_NUM_THREADS", "openblas", "threads" },
  { "GOTO_NUM_THREADS", "openblas", "threads" },
  { "OPENBLAS_DEFAULT_NUM_THREADS", "openblas", "threads" },
  { "OPENBLAS_CORETYPE", "openblas", "kernels" },
  { "OPENBLAS_L2_SIZE", "openblas", "size of a cache" },
  { "OPENBLAS_MAIN_FREE", "openblas", "the main thread is not bound" },
  { "BLIS_NUM_THREADS", "blis", "threads" },
  { "BLIS_JC_NT", "blis", "threads of a loop" },
  { "BLIS_PC_NT", "blis", "threads of a loop" },
  { "BLIS_IC_NT", "blis", "threads of a loop" },
  { "BLIS_JR_NT", "blis", "threads of a loop" },
  { "BLIS_IR_NT", "blis", "threads of a loop" },
  { "BLIS_ARCH_TYPE", "blis", "kernels" },
  { "MKL_NUM_THREADS", "mkl", "threads" },
  { "MKL_DYNAMIC", "mkl", "threads may be fewer" },
  { "MKL_ENABLE_INSTRUCTIONS", "mkl", "kernels" },
  { "MKL_CBWR", "mkl", "kernels" },
  { "MKL_THREADING_LAYER", "mkl", "threading" },
  { "MKL_INTERFACE_LAYER", "mkl", "width of integers" },
  { "FLEXIBLAS", "flexiblas", "library" },
  { "LD_PRELOAD", "ld", "libraries in front of all others" },
  { "LD_LIBRARY_PATH", "ld", "folders that are searched first" },
  { "PERFPRED_TABLE", "ld", "decision table of the override" },
};

static bool matters(const struct ppi_doctor *doctor, size_t i) {
  const char *family = variables[i].family;
  return !family[0] || strcmp(family, "ld") == 0 || (doctor->blas && strcmp(doctor->blas->file.family, family) == 0);
}

static void put_variable(struct ppi_json_out *out, size_t i, const char *value, bool counts) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "name", variables[i].name);
  ppi_json_put_string(&object, "value", value);
  ppi_json_put_string(&object, "meaning", variables[i].meaning);
  ppi_json_put_bool(&object, "matters", counts);
  ppi_json_append(out, "variables", &object);
}

static void tell_environment(struct ppi_doctor *doctor) {
  struct ppi_finding finding;
  char names[1024] = "";
  size_t used = 0;
  ppi_finding_begin(&finding, "environment", PPI_SEVERITY_OK, "Variables that have a say");
  ppi_json_put_empty_list(&finding.out, "variables");
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const char *value = ppi_doctor_variable(doctor, variables[i].name);
    if (!value)
      continue;
    put_variable(&finding.out, i, value, matters(doctor, i));
    if (used < sizeof names)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s=%.60s%s", used > 0 ? ", " : "",
                               variables[i].name, value, matters(doctor, i) ? "" : " (not read by this BLAS)");
  }
  bool unknown = doctor->other && !doctor->other->environment;
  ppi_finding_text(&finding, "detail", "%s",
                   unknown    ? "not known: it may not be read"
                   : used > 0 ? names
                              : "none is set");
  ppi_finding_end(&finding, doctor);
}

/* BLIS 0.9 reads a number and takes a word for 0; later ones know words. */
static void tell_arch_type(struct ppi_doctor *doctor) {
  const char *value = ppi_doctor_variable(doctor, "BLIS_ARCH_TYPE");
  struct ppi_finding finding;
  if (!value || !doctor->blas || strcmp(doctor->blas->file.family, "blis") != 0 || isdigit((unsigned char)value[0]))
    return;
  ppi_finding_begin(&finding, "blis-arch-type", PPI_SEVERITY_WARNING, "BLIS_ARCH_TYPE is no number");
  ppi_finding_text(&finding, "detail", "'%.60s' counts as 0 in BLIS before 1.0, which is skx", value);
  ppi_finding_text(&finding, "advice",
                   "name the kernels by their number: the finding 'settings' lists those that run here");
  ppi_json_put_string(&finding.out, "value", value);
  ppi_finding_end(&finding, doctor);
}

enum perfpred_status ppi_doctor_threads(struct ppi_doctor *doctor) {
  if (doctor->blas)
    tell_threads(doctor);
  tell_environment(doctor);
  tell_arch_type(doctor);
  return PERFPRED_OK;
}
