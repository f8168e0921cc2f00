/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of Apex-MAP: their parameters, what they do, where their blocks are. */
#include "measure/apex.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOPS_COMPUTE 128.0 /* of an iteration of compute: 8 x 8 products */
#define FLOPS_CALLED                                                                                                   \
  10.0 /* of an element beside compute: a product, two sums, and the seven sums of what compute returns */
#define FLOPS_ALONE 2.0 /* of an element where compute is not called */

static enum perfpred_status check_range(const char *name, int64_t value, int64_t least, int64_t most,
                                        struct perfpred_error *error) {
  if (value >= least && value <= most)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_INVALID, "%s is %" PRId64 ", expected %" PRId64 " to %" PRId64, name, value,
                       least, most);
}

static enum perfpred_status check_strided(const struct ppi_apex_run *run, struct perfpred_error *error) {
  if (run->s < 1 || run->s >= run->m)
    return ppi_error_set(error, PERFPRED_INVALID, "S is %" PRId64 ", expected at least 1 and less than M = %" PRId64,
                         run->s, run->m);
  return PERFPRED_OK;
}

static enum perfpred_status check_random(const struct ppi_apex_run *run, struct perfpred_error *error) {
  if (run->l < 1 || run->l >= run->m)
    return ppi_error_set(error, PERFPRED_INVALID, "L is %" PRId64 ", expected at least 1 and less than M = %" PRId64,
                         run->l, run->m);
  if (!(run->alpha >= 0.0 && run->alpha <= 1.0))
    return ppi_error_set(error, PERFPRED_INVALID, "alpha is %g, expected 0 to 1", run->alpha);
  return check_range("I", run->i, 1, PPI_APEX_I_MAX, error);
}

/* Some element has to meet compute, or K would say nothing. */
static enum perfpred_status check_every(const struct ppi_apex_run *run, struct perfpred_error *error) {
  const int64_t elements = ppi_apex_iterations(run);
  if (run->every > 1 && run->c == 0)
    return ppi_error_set(error, PERFPRED_INVALID, "K is %" PRId64 ", expected none where C is 0", run->every);
  if (run->every < 0 || (run->every > elements && run->every > 1))
    return ppi_error_set(error, PERFPRED_INVALID,
                         "K is %" PRId64 ", expected 1 to the number of elements of a repetition, %" PRId64, run->every,
                         elements);
  return PERFPRED_OK;
}

enum perfpred_status ppi_apex_check(const struct ppi_apex_run *run, struct perfpred_error *error) {
  enum perfpred_status status = check_range("M", run->m, 2, PPI_APEX_M_MAX, error);
  if (status == PERFPRED_OK)
    status = check_range("C", run->c, 0, PPI_APEX_C_MAX, error);
  if (status == PERFPRED_OK)
    status = run->kind == PPI_APEX_STRIDED ? check_strided(run, error) : check_random(run, error);
  return status == PERFPRED_OK ? check_every(run, error) : status;
}

/* The shortest decimal that reads back as this number, with a point whatever the locale; without memory. */
static void write_alpha(double alpha, char text[32]) {
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, alpha);
    if (!(fabs(strtod(text, NULL) - alpha) > 0.0))
      break;
  }
  char *comma = strchr(text, ',');
  if (comma != NULL)
    *comma = '.';
}

void ppi_apex_name(const struct ppi_apex_run *run, char text[PPI_APEX_NAME_MAX]) {
  char alpha[32], every[32] = "";
  if (run->every > 1)
    snprintf(every, sizeof every, " K=%" PRId64, run->every);
  if (run->kind == PPI_APEX_STRIDED) {
    snprintf(text, PPI_APEX_NAME_MAX, "strided M=%" PRId64 " S=%" PRId64 " C=%" PRId64 "%s", run->m, run->s, run->c,
             every);
    return;
  }
  write_alpha(run->alpha, alpha);
  snprintf(text, PPI_APEX_NAME_MAX, "random M=%" PRId64 " L=%" PRId64 " alpha=%s C=%" PRId64 " I=%" PRId64 "%s", run->m,
           run->l, alpha, run->c, run->i, every);
}

bool ppi_apex_equal(const struct ppi_apex_run *a, const struct ppi_apex_run *b) {
  if (a->kind != b->kind || a->m != b->m || a->c != b->c || ppi_apex_every(a) != ppi_apex_every(b))
    return false;
  if (a->kind == PPI_APEX_STRIDED)
    return a->s == b->s;
  return a->l == b->l && a->i == b->i && fabs(a->alpha - b->alpha) <= 1e-12;
}

/* M/L - 1 of the text, with whole blocks alone. */
int64_t ppi_apex_blocks(const struct ppi_apex_run *run) {
  int64_t blocks = run->m / run->l - 1;
  return blocks > 1 ? blocks : 1;
}

int64_t ppi_apex_iterations(const struct ppi_apex_run *run) {
  return run->kind == PPI_APEX_STRIDED ? run->m / run->s : run->i * run->l;
}

int64_t ppi_apex_every(const struct ppi_apex_run *run) {
  return run->every > 1 ? run->every : 1;
}

double ppi_apex_flops(const struct ppi_apex_run *run) {
  const int64_t all = ppi_apex_iterations(run), busy = run->c > 0 ? all / ppi_apex_every(run) : 0;
  return (FLOPS_COMPUTE * (double)run->c + FLOPS_CALLED) * (double)busy + FLOPS_ALONE * (double)(all - busy);
}

void ppi_apex_fill(const struct ppi_apex_run *run, struct ppi_random *random, int64_t *index) {
  const int64_t blocks = ppi_apex_blocks(run);
  const double exponent = run->alpha > 0.0 ? 1.0 / run->alpha : 0.0;
  for (int64_t j = 0; j < run->i; j++) {
    double uniform = (double)(ppi_random_next(random) >> 11) * 0x1p-53;
    int64_t block = run->alpha > 0.0 ? (int64_t)(pow(uniform, exponent) * (double)blocks) : 0;
    index[j] = run->l * (block < blocks ? block : blocks - 1);
  }
}

void ppi_apex_results_free(struct ppi_apex_result *results, size_t count) {
  for (size_t i = 0; i < count; i++)
    ppi_results_free(&results[i].timing, 1);
}
