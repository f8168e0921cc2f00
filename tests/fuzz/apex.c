/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever bytes come in: runs of Apex-MAP and samples of applications are taken or refused with a text; what is taken is in range, and comes
 * out as it went in.
 *
 * With clang: -fsanitize=fuzzer,address,undefined (scripts/test --long). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apex/mix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum perfpred_status no_call(void *data, const char *call, double *flops, double *bytes,
                                    struct perfpred_error *error) {
  (void)data;
  (void)flops;
  (void)bytes;
  return ppi_error_set(error, PERFPRED_NOT_FOUND, "no call '%.20s'", call);
}

static void check_run(const struct ppi_apex_run *run) {
  char text[PPI_APEX_NAME_MAX];
  struct ppi_apex_run *again = NULL;
  size_t count = 0;
  ppi_apex_name(run, text);
  if (ppi_apex_check(run, NULL) != PERFPRED_OK ||
      ppi_apex_parse(text, strlen(text), "name", 1, &again, &count, NULL) != PERFPRED_OK || !ppi_apex_equal(run, again))
    abort();
  free(again);
}

static void check_runs(const char *text, size_t size) {
  struct perfpred_error error = { .status = PERFPRED_OK };
  struct ppi_apex_run *runs = NULL;
  size_t count = 0;
  if (ppi_apex_parse(text, size, "fuzz", 1000, &runs, &count, &error) != PERFPRED_OK && error.text[0] == '\0')
    abort();
  for (size_t i = 0; i < count; i++)
    check_run(&runs[i]);
  free(runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ppi_apex_plane plane = { 0.5, 0.5 };
  struct perfpred_error error = { .status = PERFPRED_OK };
  struct ppi_apex_samples samples = { .items = NULL };
  struct ppi_apex_mix mix = { .cells = NULL };
  check_runs((const char *)data, size);
  if (ppi_apex_csv((const char *)data, size, "fuzz", no_call, NULL, &samples, &error) != PERFPRED_OK) {
    if (error.text[0] == '\0')
      abort();
  } else if (ppi_apex_mix_create(&samples, 1e9, &plane, &mix, &error) == PERFPRED_OK) {
    double weights = 0.0;
    for (size_t i = 0; i < mix.count; i++)
      weights += mix.cells[i].weight;
    if (!(fabs(weights - 1.0) < 1e-6))
      abort();
  }
  ppi_apex_mix_free(&mix);
  ppi_apex_samples_free(&samples);
  return 0;
}
