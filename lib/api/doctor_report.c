/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings as JSON. */
#include <stdarg.h>
#include <stdio.h>

#include "api/doctor.h"

#define TEXT_MAX 4096

const char *ppi_severity_word(enum ppi_severity severity) {
  static const char *const words[] = { "ok", "note", "warning", "problem" };
  return words[severity];
}

void ppi_finding_begin(struct ppi_finding *finding, const char *id, enum ppi_severity severity, const char *title) {
  ppi_json_begin(&finding->out);
  finding->severity = severity;
  ppi_json_put_string(&finding->out, "id", id);
  ppi_json_put_string(&finding->out, "severity", ppi_severity_word(severity));
  ppi_json_put_string(&finding->out, "title", title);
  ppi_json_put_string(&finding->out, "detail", "");
  ppi_json_put_string(&finding->out, "advice", "");
}

void ppi_finding_text(struct ppi_finding *finding, const char *key, const char *format, ...) {
  char text[TEXT_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ppi_json_put_string(&finding->out, key, text);
}

void ppi_finding_end(struct ppi_finding *finding, struct ppi_doctor *doctor) {
  if ((int)finding->severity > doctor->worst)
    doctor->worst = (int)finding->severity;
  ppi_json_append(&doctor->out, "findings", &finding->out);
}

void ppi_finding_put_provider(struct ppi_json_out *out, const char *key, const struct ppi_provider *provider,
                              bool append) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "path", provider->file.path);
  ppi_json_put_string(&object, "alternative", provider->alternative);
  ppi_json_put_string(&object, "family", provider->file.family);
  ppi_json_put_string(&object, "version", provider->file.version);
  ppi_json_put_string(&object, "build_id", provider->file.build_id);
  ppi_json_put_string(&object, "threading", provider->threading);
  ppi_json_put_bool(&object, "blas", provider->blas);
  ppi_json_put_bool(&object, "lapack", provider->lapack);
  ppi_json_put_bool(&object, "ilaenv", provider->ilaenv);
  ppi_json_put_bool(&object, "override", provider->override);
  ppi_json_put_bool(&object, "ilp64", provider->ilp64);
  ppi_json_put_bool(&object, "suffixed", provider->suffixed);
  if (append)
    ppi_json_append(out, key, &object);
  else
    ppi_json_put_object(out, key, &object);
}
