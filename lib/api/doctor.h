/* SPDX-License-Identifier: BSD-3-Clause */
/* The doctor, in steps: what is looked at (doctor_subject.c), and what each of the others finds about it. */
#ifndef PPI_API_DOCTOR_H
#define PPI_API_DOCTOR_H

#include <perfpred/doctor.h>

#include "base/text.h"
#include "machine/loaded.h"
#include "machine/process.h"
#include "machine/provider.h"
#include "measure/sampler.h"
#include "store/json.h"

enum ppi_severity { PPI_SEVERITY_OK, PPI_SEVERITY_NOTE, PPI_SEVERITY_WARNING, PPI_SEVERITY_PROBLEM };

enum ppi_doctor_subject { PPI_DOCTOR_SETUP, PPI_DOCTOR_PROGRAM, PPI_DOCTOR_PROCESS, PPI_DOCTOR_RUN };

struct ppi_doctor {
  const struct perfpred_context *context;
  struct perfpred_doctor_options options;
  struct perfpred_error *error;
  enum ppi_doctor_subject subject;
  char *target;              /* what is looked at, in words */
  struct ppi_loaded loaded;  /* its files */
  bool ordered;              /* in the order in which symbols are searched for */
  struct ppi_process self;   /* this process: what may be used of the machine */
  struct ppi_process *other; /* the process that is looked at; NULL: none */
  struct ppi_process space;
  struct ppi_provider *providers; /* those files that have to do with BLAS or LAPACK, in the same order */
  size_t provider_count;
  const struct ppi_provider *blas, *lapack, *override; /* the ones that answer; NULL: none */
  /* what is measured: */
  struct perfpred_setup setup;
  bool measurable;                  /* there is a BLAS to measure */
  bool lapack_known;                /* and the LAPACK of the setup is the subject's */
  char *sibling;                    /* path that setup.blas may be; owned */
  char *environment[4];             /* entries for the worker that the caller has not given; owned */
  const char **entries;             /* these and the caller's, NULL-terminated */
  struct perfpred_sampler *sampler; /* NULL: none could be started */
  struct ppi_machine machine;       /* as the worker told, where there is a sampler */
  struct ppi_setup told;
  /* the report: */
  struct ppi_json_out out;
  int worst; /* of enum ppi_severity */
  double begin_s;
};

/* Steps. They fail for want of memory, or when the caller cancels; whatever else goes wrong is a finding. The first one fails for what the
   caller has named wrongly as well. */
enum perfpred_status ppi_doctor_gather(struct ppi_doctor *doctor);    /* doctor_subject.c: loaded, providers, setup */
enum perfpred_status ppi_doctor_record(struct ppi_doctor *doctor);    /* doctor_record.c: loaded, of a run */
enum perfpred_status ppi_doctor_libraries(struct ppi_doctor *doctor); /* doctor_libraries.c */
enum perfpred_status ppi_doctor_threads(struct ppi_doctor *doctor);   /* doctor_threads.c */
enum perfpred_status ppi_doctor_kernels(struct ppi_doctor *doctor);   /* doctor_kernels.c: sampler, machine, told */
enum perfpred_status ppi_doctor_routines(struct ppi_doctor *doctor);  /* doctor_routines.c */
enum perfpred_status ppi_doctor_questions(struct ppi_doctor *doctor); /* doctor_questions.c */

/* Value in the environment of what is looked at; NULL: not set. */
const char *ppi_doctor_variable(const struct ppi_doctor *doctor, const char *name);
/* Tells the caller how far it is; PERFPRED_CANCELLED when that wants an end. */
enum perfpred_status ppi_doctor_progress(const struct ppi_doctor *doctor, const char *stage, double fraction);
double ppi_doctor_now_s(void);

/* doctor_report.c: one finding. Facts are put into its `out` between begin and end. */
struct ppi_finding {
  struct ppi_json_out out;
  enum ppi_severity severity;
};
void ppi_finding_begin(struct ppi_finding *finding, const char *id, enum ppi_severity severity, const char *title);
void ppi_finding_text(struct ppi_finding *finding, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ppi_finding_end(struct ppi_finding *finding, struct ppi_doctor *doctor);
/* Facts of a library, as an object under key, or appended to a list. */
void ppi_finding_put_provider(struct ppi_json_out *out, const char *key, const struct ppi_provider *provider,
                              bool append);
/* A severity in its word. */
const char *ppi_severity_word(enum ppi_severity severity);

#endif
